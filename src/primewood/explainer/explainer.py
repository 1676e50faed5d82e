"""The explainer: all questions about a model in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from primewood.apps.report import gather
from primewood.engines.diagram.compiler import Watcher
from primewood.explainer.asking import called
from primewood.explainer.importance import AsksImportance
from primewood.explainer.slices import AsksSlices
from primewood.explainer.what_if import AsksWhatIf
from primewood.explainer.whole_model import AsksAboutAll
from primewood.properties.comparison import Comparison
from primewood.properties.compiled import Compiled
from primewood.properties.verification import Verification


class Explainer(AsksImportance, AsksSlices, AsksWhatIf, AsksAboutAll):
    """Explains the decisions of a tree model, or of an expression.

    Parameters
    ----------
    model
        A fitted model of scikit-learn (decision trees, random forests, extra trees, bagging and voting of these,
        GradientBoosting, HistGradientBoosting; classifiers and regressors), XGBoost, LightGBM or CatBoost, alone, as
        the last step of a `Pipeline`, in a search such as `GridSearchCV`, or in a wrapper that
        decides at a cut-off such as `FixedThresholdClassifier`; an `Ensemble`, a path to a model file, or
        an `Expression`.
    X_train
        Training rows (array or frame): for coverage, for recognising Boolean columns, for short bounds.
    feature_names
        Names of the columns, where the model has none or others are wanted.
    class_names
        Names to show instead of the model's labels: a mapping {label: name}, or names in the order of
        ``model.classes_``. Names that are other classes' labels are refused: they would swap the decisions.
    units : dict, optional
        Units of features, for words.
    domain : dict, optional
        Per feature: "numeric", "whole", "boolean", a list of the numbers that it may hold, a mapping from
        such numbers to names of categories, `Number` (bounds), or `ordered` (categories whose order
        means something). Answers then hold for rows that keep to it, and say so.
    groups : dict or "auto", optional
        One-hot groups: per group the names of its columns, of which every row has exactly one at 1. A group is
        one feature. "auto" recognises them from names such as colour_red, colour_green and from the rows.
    constraints : list of str, optional
        What no real row violates: clauses such as "housing=free -> rent=0", and orders such as
        "years_employed <= age - 14". An answer then holds for all rows that can exist, and lists those that it uses.
    threshold : float, optional
        The cut-off of the decision. Of two classes, the `positive` one is decided iff its probability,
        ``predict_proba(x)[:, i]``, is at least this; from 0 to 1. Of a regressor, whether its prediction is at least
        this. The comparison is in float64; see `threshold_dtype`.
    positive : optional
        The class that the cut-off and shown probabilities speak of, by its label or its shown name. Required with a
        `threshold` if the labels are text; of the labels 0 and 1 it is 1.
    threshold_dtype : {"float64", "float32"}
        What the threshold is rounded to before it is compared. Libraries that compute probabilities in float32
        (XGBoost) give float32 arrays, and NumPy 2 compares these with a Python float in float32: "float32" decides
        as ``predict_proba(x)[:, i] >= threshold`` does there.
    between : pair of float, optional
        For a regressor: whether its prediction is below, between (ends included) or above the two.
    immutable : list of str, optional
        Features that cannot change: `contrast`, `contrasts` and counterfactuals leave them as they are.
    vote
        "model": the model's own vote, so that answers hold for its `predict` (a forest of scikit-learn
        averages its trees' class fractions). "majority": each tree one vote, the paper's; not the vote
        of a scikit-learn forest, so its `predict` may differ, and `agreement` counts where they agree.
    engine, max_nodes
        See `primewood.engines.choice.Engines`.
    literals : {"intervals", "sets", "values"}, optional
        The language of all answers, if a question asks for no other: one range per number, any set of values (the
        paper's), or the row's own value. By default "intervals" for models, and "sets" for expressions.
    missing
        Whether values may be missing: "auto" (what X_train contains; without it, what the model
        accepts), "allow" or "forbid".
    summation
        "sequential": scores are added in the order of the trees, as with ``n_jobs=1``. "any": in any
        order, as happens with more jobs; answers then hold for every order. By default what the
        model's own ``n_jobs`` means.
    trust_pickle
        Whether a path may be a pickle or joblib file. Loading one runs code that is in the file: allow it only for
        files of your own.
    progress : bool, optional
        Whether to show what is going on, when it takes more than a second: a live line on a terminal or in a notebook,
        which goes at the end; elsewhere lines on stderr, the first after ten seconds. By default on a terminal and in a
        notebook. It is the default of all questions too.

    Attributes
    ----------
    fidelity : Fidelity or None
        How the reading of the model fared against the library's own scores and decisions, on the training rows
        and on planted ones; None for expressions, ensembles and the majority vote.
    notes : tuple of str
        What to know about how the training rows were read: columns that were ignored, or whose names the model took.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": iris.feature_names, "class_names": iris.target_names}
    >>> print(Explainer(model, iris.data, **names).explain(iris.data[0]).rule)
    IF petal width (cm) <= 0.8 THEN setosa
    """

    report = called("report")(gather)

    def save(self, path: str | Path) -> None:
        """Write the explainer to a file that `primewood.load` reads: the model, the options and the training rows.

        The file is no pickle: reading it runs no code. What is read answers every question as this explainer does; its
        `model` is the `Ensemble`.

        Examples
        --------
        >>> import primewood as pw, tempfile, pathlib
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> iris = load_iris()
        >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.explainer"
        >>> pw.Explainer(model, iris.data, class_names=iris.target_names).save(path)
        >>> pw.load(path).decide(iris.data[0])
        'setosa'
        """
        from primewood.explainer.file import save_explainer

        save_explainer(self, path)


def compile(
    model: Any,
    X_train: Any = None,
    *,
    time_limit: float | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> Compiled:
    """Compile a model, or an expression, to one decision diagram that answers any question.

    Parameters
    ----------
    model, X_train, options
        As for `Explainer`. `max_nodes` is the cap on the diagram (4 million nodes by default).
    time_limit
        Seconds, or None for no limit.
    watcher
        Called now and then with the stage, the nodes so far and the parts that are left to add.

    Raises
    ------
    TooLarge
        If the diagram outgrows its cap or its time; the message names the sizes reached.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(100, max_depth=4, random_state=0).fit(X, y)
    >>> compiled = compile(forest, X)
    >>> compiled.count()
    {0: 48129, 1: 125859, 2: 95337}
    >>> compiled.explanations(X[50]).count(), compiled.explanations(X[50], literals="sets").count()
    (368, 760)
    """
    options.setdefault("engine", "diagram")
    return Explainer(model, X_train, **options).compile(time_limit=time_limit, watcher=watcher)


def compare(
    first: Any,
    second: Any,
    X: Any = None,
    *,
    regions: int = 5,
    time_limit: float | None = 60.0,
    work_limit: int | None = None,
    trust_pickle: bool = False,
    **options: Any,
) -> Comparison:
    """Whether two models decide alike on every row, with a proof, or where they differ.

    Parameters
    ----------
    first, second
        Models over the same columns, their files, or `Explainer`s.
    X
        Rows: those that the two decide differently are counted, and regions grown around them.
    regions, time_limit, work_limit
        As for `Explainer.compare`.
    trust_pickle
        As for `Explainer`, for the files of both models.
    options
        As for `Explainer`, for the first model.
    """
    if not isinstance(first, Explainer):
        first = Explainer(first, X, trust_pickle=trust_pickle, **options)
    limits = {"time_limit": time_limit, "work_limit": work_limit}
    compared: Comparison = first.compare(second, regions=regions, trust_pickle=trust_pickle, **limits)
    return compared


def verify(
    model: Any,
    stated: object,
    X_train: Any = None,
    *,
    time_limit: float | None = 60.0,
    work_limit: int | None = None,
    **options: Any,
) -> Verification:
    """Whether a property is true of a model, with a proof or with a row that shows otherwise.

    Parameters
    ----------
    model, X_train, options
        As for `Explainer`; or an `Explainer`.
    stated, time_limit, work_limit
        As for `Explainer.verify`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> iris = load_iris()
    >>> forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> print(verify(forest, "pl < 2 and pw < 0.6 -> setosa", iris.data, **names))
    holds: pl < 2 and pw < 0.6 -> setosa
       Proved: every row with pl < 2 and pw < 0.6 gets the decision setosa.
       Assumes: no value is missing.
    """
    explainer = model if isinstance(model, Explainer) else Explainer(model, X_train, **options)
    return explainer.verify(stated, time_limit=time_limit, work_limit=work_limit)
