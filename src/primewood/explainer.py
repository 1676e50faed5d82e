"""The explainer: all questions about a model in one place."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.arguments import asks, bind, check_shown, clock_of, takes_options
from primewood.batch.batch import Batch
from primewood.batch.explain_file import explain_file
from primewood.batch.explain_rows import explain_rows
from primewood.batch.failed import Failed
from primewood.batch.file_job import FileJob
from primewood.batch.file_result import Written
from primewood.batch.folder import PartFormat
from primewood.batch.importance import ROWS_BETWEEN_FLIPS, count_importance
from primewood.batch.settings import BLOCK, Settings, choose_settings
from primewood.domain import Domain
from primewood.domain.domain import MissingRule
from primewood.domain.mined import MinedKnowledge
from primewood.engines.diagram.compiler import CompilationWatcher
from primewood.engines.protocol import Clock, EngineName
from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput
from primewood.logic.expression import Expression
from primewood.logic.language import Language
from primewood.model.build import KnowledgeSource, Options, Summation, build_model, read_alike
from primewood.model.decision_rule import DecisionRule
from primewood.model.feature_records import instance_record
from primewood.model.model import Model, TreeModel, VoteName
from primewood.model.names import ClassNames
from primewood.model.score import Score
from primewood.model.summary import describe_in_a_line, show_card
from primewood.progress import Progress, with_progress
from primewood.properties.compare import compare_models
from primewood.properties.comparison import Comparison
from primewood.properties.compiled import Compiled, compile_model
from primewood.properties.description import describe_model
from primewood.properties.group_explanation import GroupExplanation, GroupKind
from primewood.properties.group_rules import GroupWishes, explain_group
from primewood.properties.rule_list import RuleList, RuleWishes, grow_rules
from primewood.properties.verification import Verification
from primewood.properties.verify import check_property, verify_property
from primewood.properties.wording import Claim
from primewood.questions.complete import CompleteReason, Relevance, find_complete_reason
from primewood.questions.contrast import Contrast, Contrasts, find_contrast, list_contrasts
from primewood.questions.counterfactual import Counterfactual, CounterfactualSearch
from primewood.questions.distance import Norm, choose_moves
from primewood.questions.explain import Wishes, explain
from primewood.questions.explanation import Explanation, Goal
from primewood.questions.explanations import Explanations, list_explanations
from primewood.questions.importance import Importance
from primewood.questions.in_short.answer import InShort
from primewood.questions.in_short.find import find_in_short
from primewood.questions.in_short.over_space import find_over_space
from primewood.questions.in_short.space_answer import InShortOverSpace, RowsOrSpace, SpaceName
from primewood.questions.listing import Reasons
from primewood.questions.order import WeakeningOrder
from primewood.questions.relevance import Attribution, find_attribution, find_relevance
from primewood.questions.robustness import Robustness, find_robustness
from primewood.questions.slices import DecisionMap, WhatIf, find_decision_map, find_what_if
from primewood.questions.so_far import AnswerWatcher, choose_watcher
from primewood.questions.widest.measures import Measure
from primewood.readers.fidelity import Fidelity
from primewood.render.records import DescriptionRecord
from primewood.tables.files import Dialect
from primewood.tables.rows import Reading, as_row, read_rows, tell
from primewood.tables.tabular import is_table
from primewood.visible import visible

if TYPE_CHECKING:
    from primewood.apps.adverse_action import AdverseAction, Codes
    from primewood.apps.report import Report
    from primewood.questions.sufficiency import Check
    from primewood.render.answer_pictures import Picture


class Explainer:
    """An explainer of the decisions of a tree model, or of an expression.

    Parameters
    ----------
    model
        A fitted model of scikit-learn (decision trees, random forests, extra trees, bagging and voting of these,
        GradientBoosting, HistGradientBoosting; classifiers and regressors), XGBoost, LightGBM or CatBoost, alone, as
        the last step of a `Pipeline`, in a search such as `GridSearchCV`, or in a wrapper that
        decides at a cut-off such as `FixedThresholdClassifier`; an `Ensemble`, a path to a model file, or
        an `Expression`.
    X_train
        Training rows (array or frame). They give coverage, short bounds, and the types of columns.
    feature_names
        Names of the columns, if the model has none or others are wanted.
    class_names
        Names to show instead of the model's labels: a mapping {label: name}, or names in the order of
        ``model.classes_``. A name that is another class's label is an error: it would swap the decisions.
    units : dict, optional
        Units of features, for printing.
    domain : dict, optional
        Per feature: "numeric", "whole", "boolean", a list of the numbers that it can have, a mapping from
        these numbers to names of categories, `Number` (bounds), or `ordered` (ordered categories). Answers then hold
        for rows inside this domain, and list it as an assumption.
    groups : dict or "auto", optional
        One-hot groups: per group the names of its columns. Every row has a 1 in exactly one of them. A group is
        one feature. "auto" recognises groups from names such as colour_red, colour_green and from the rows.
    constraints : list of str, optional
        Facts that every real row satisfies: clauses such as "housing=free -> rent=0", and orders such as
        "years_employed <= age - 14". An answer then holds for all such rows, and lists the constraints that it uses.
    knowledge : {"data"}, optional
        "data" looks for such rules in the training rows: implications between two features and orders that no training
        row breaks. They shorten answers, which hold for the rows that keep to them, and list those that they use. A
        row that breaks some of them is answered without these. See `Explainer.knowledge`.
    threshold : float, optional
        The cut-off of the decision. With two classes, the decision is `positive` iff its probability,
        ``predict_proba(x)[:, i]``, is at least this; from 0 to 1. With a regressor, the decision is whether the
        prediction is at least this. The comparison is in float64; see `threshold_dtype`.
    positive : optional
        The class of the cut-off and of shown probabilities, by its label or its shown name. Required with a
        `threshold` if the labels are text; with the labels 0 and 1 it is 1.
    threshold_dtype : {"float64", "float32"}
        The threshold is rounded to this type before it is compared. Libraries that compute probabilities in float32
        (XGBoost) give float32 arrays, and NumPy 2 compares these with a Python float in float32: "float32" decides
        as ``predict_proba(x)[:, i] >= threshold`` does there.
    between : pair of float, optional
        For a regressor: the decision is whether the prediction is below, between (ends included) or above the two.
    immutable : list of str, optional
        Features that cannot change: `contrast`, `contrasts` and counterfactuals keep their values.
    vote
        "model": the model's own vote, so that answers hold for its `predict` (a forest of scikit-learn
        averages its trees' class fractions). "majority": each tree has one vote, as in the paper. This is not the vote
        of a scikit-learn forest, so its `predict` may differ; `agreement` counts where they agree.
    engine, max_nodes
        See `primewood.engines.choice.Engines`.
    literals : {"intervals", "sets", "values"}, optional
        The default language of all answers: one range per number, any set of values (the
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
        Whether to show progress after a second: a live line on a terminal or in a notebook, which disappears
        at the end; elsewhere lines on stderr, the first after ten seconds. By default on a terminal and in a
        notebook. It is the default of all questions too.
    threads : int
        How many threads one question may use; -1 for one per core. What is proved does not depend on it, but of
        answers that are equally good another may be found. Under a `work_limit`, and for each row of a batch, it is
        one.

    Attributes
    ----------
    fidelity : Fidelity or None
        The comparison with the library's own scores and decisions, on the training rows
        and on planted ones; None for expressions, ensembles and the majority vote.
    notes : tuple of str
        Notes on how the training rows were read: columns that were ignored, whose names the model took, or that look
        one-hot encoded.

    Raises
    ------
    UnsupportedModel
        If the model is not supported, or cannot be read exactly.
    InvalidInput
        If the model is not fitted, the training rows do not fit it, or an option has a value that is not accepted.
    UnknownName
        If an option names a feature or a class that does not exist.
    MissingDependency
        If reading the model needs a package that is not installed.

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

    @takes_options("Explainer")
    @with_progress("reading the model")
    def __init__(
        self,
        model: Any,
        X_train: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: ClassNames | None = None,
        units: Mapping[str, str] | None = None,
        domain: Mapping[str, Any] | None = None,
        groups: Mapping[str, Sequence[str]] | str | None = None,
        constraints: Sequence[str] | None = None,
        knowledge: KnowledgeSource | None = None,
        threshold: float | None = None,
        positive: object = None,
        threshold_dtype: InputType = "float64",
        between: tuple[float, float] | None = None,
        immutable: Iterable[str] = (),
        vote: VoteName = "model",
        engine: EngineName = "auto",
        max_nodes: int | None = None,
        missing: MissingRule = "auto",
        summation: Summation | None = None,
        literals: Language | None = None,
        trust_pickle: bool = False,
        progress: bool | None = None,
        threads: int = 1,
    ) -> None:
        self._options = Options(
            feature_names=feature_names,
            class_names=class_names,
            units=units,
            domain=domain,
            groups=groups,
            constraints=constraints,
            knowledge=knowledge,
            threshold=threshold,
            positive=positive,
            threshold_dtype=threshold_dtype,
            between=between,
            immutable=immutable,
            vote=vote,
            engine=engine,
            max_nodes=max_nodes,
            missing=missing,
            summation=summation,
            literals=literals,
        )
        self._model: Model = build_model(model, X_train, self._options, trust_pickle=trust_pickle)
        self.progress, self.threads = check_shown(progress), threads

    # What it is about

    @property
    def model(self) -> Any:
        """The model that was passed, or that was read from the file that was passed."""
        return self._model.source

    @property
    def ensemble(self) -> Ensemble | None:
        """The trees as they decide; None for an expression."""
        return self._model.ensemble if isinstance(self._model, TreeModel) else None

    @property
    def domain(self) -> Domain | None:
        """The values that rows can have; None for an expression."""
        return self._model.domain if isinstance(self._model, TreeModel) else None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features; for an expression, of its variables."""
        return self._model.context.feature_names

    @property
    def class_names(self) -> tuple[object, ...]:
        """The shown names of the decisions."""
        return self._model.context.class_names

    @property
    def literals(self) -> Language:
        """The default language of all answers."""
        return self._model.context.literals

    @property
    def rule(self) -> DecisionRule:
        """The cut-offs of the decision, if they were passed."""
        return self._options.rule

    @property
    def immutable(self) -> tuple[str, ...]:
        """The features that cannot change."""
        return tuple(self._options.immutable or ())

    @property
    def fidelity(self) -> Fidelity | None:
        """The comparison of the reading with the library's own scores and decisions; None if there is none."""
        return self._model.fidelity if isinstance(self._model, TreeModel) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the training rows were read."""
        return self._model.notes if isinstance(self._model, TreeModel) else ()

    @property
    def knowledge(self) -> MinedKnowledge | None:
        """The rules that were found in the training rows; None without ``knowledge="data"``."""
        return self._model.mined if isinstance(self._model, TreeModel) else None

    @property
    def positive(self) -> object:
        """The class of the cut-off and of shown probabilities, by its shown name; None if there is none."""
        return self._model.positive if isinstance(self._model, TreeModel) else None

    @property
    def rows(self) -> NDArray[np.float64]:
        """The training rows, as the model takes them; an empty array if there are none."""
        rows = self._model.context.rows if isinstance(self._model, TreeModel) else None
        return np.empty((0, 0)) if rows is None else rows

    @property
    def agreement(self) -> tuple[int, int] | None:
        """The number of training rows on which `model.predict` agrees with the vote, and the number of rows.

        None without training rows, or if the decision is not the model's own.
        """
        return self._model.agreement if isinstance(self._model, TreeModel) else None

    def __repr__(self) -> str:
        return visible(describe_in_a_line(self._model))

    def _repr_html_(self) -> str:
        return show_card(self._model)

    def _copy_about(self, model: Model, **options: Any) -> Self:
        """The explainer of another model, made of this one's."""
        other = copy.copy(self)
        other._model, other._options = model, replace(self._options, **options)
        return other

    # What it decides

    def decide(self, x: Any) -> object:
        """Return the decision on a row, by its shown name.

        Parameters
        ----------
        x
            A row: an array, a Series, a one-row frame, or a dict by feature names. A table with several rows is
            accepted too.

        Returns
        -------
        object
            The name of the decision; for a table with several rows, the list of their decisions.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or the model is a regressor without a cut-off.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> explainer.decide(X[50])
        'versicolor'
        >>> explainer.decide(X[[0, 50]])
        ['setosa', 'versicolor']
        """
        self._model.check_decides()
        if isinstance(self._model, TreeModel) and is_table(x):
            reading = read_rows(x, self._model.context.layout)
            if len(reading.rows) != 1:
                tell(reading.notes)
                return [self._model.ask(row).name for row in reading.rows]
        with Progress("deciding", self.progress):
            return self._model.ask(x).name

    @asks("score")
    def score(self, x: Any) -> Score | None:
        """Return the class, the score and the cut-off of the decision on a row.

        Parameters
        ----------
        x
            A row, as for `explain`.

        Returns
        -------
        Score or None
            None for an expression, which has no score.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or the model is a regressor without a cut-off.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> score = explainer.score(X[50])
        >>> print(score)
        versicolor: P(versicolor) = 0.98, the largest of 3 classes
        >>> round(score.value, 3)
        0.979
        """
        decision = self._model.ask(x)
        return decision.context.score(decision.values)

    def decide_by_model(self, X: Any) -> list[object]:
        """Return the decisions of the model itself on the rows of a table, to compare with those of the trees.

        They come from the model's own `predict`; with a `threshold` or `between`, from its own scores. For an
        `Ensemble` or the majority vote, they come from the trees.

        Parameters
        ----------
        X
            The rows.

        Returns
        -------
        list
            The names of the decisions, in the order of the rows.

        Raises
        ------
        InvalidInput
            If a row does not fit the columns of the model, or the model is a regressor without a cut-off or an
            expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> rows = X[[0, 50, 100]]
        >>> explainer.decide_by_model(rows) == explainer.decide(rows)
        True
        """
        model = self._model.need_rows("decisions of a model")
        model.check_decides()
        return model.decide_by_model(self._read_rows(X).rows)

    def describe(self, *, time_limit: float | None = None) -> DescriptionRecord:
        """Describe the model in plain types: trees, decisions, features, assumptions, size as a diagram.

        Parameters
        ----------
        time_limit
            Seconds for compiling the model; by default the engine's own budget.

        Returns
        -------
        dict
            The facts by name, such as "trees", "classes", "tested" (how many values of each feature the model tells
            apart) and "diagram".

        Raises
        ------
        InvalidInput
            If `time_limit` is not a positive number or None.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> facts = explainer.describe()
        >>> facts["trees"], facts["classes"], facts["tested"]
        (1, ['setosa', 'versicolor', 'virginica'], {'pl': 3, 'pw': 3})
        """
        return describe_model(self._model, time_limit=clock_of(time_limit, None).limit)

    def describe_row(self, x: Any) -> dict[str, str]:
        """Describe a row in words: per feature a number with its unit, the name of a category, or "missing".

        Parameters
        ----------
        x
            A row, as for `explain`.

        Returns
        -------
        dict
            The words by feature names.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns of the model, or the model is an expression.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from primewood import Explainer
        >>> X, y = [[20, 0], [30, 1], [40, 0], [50, 1]], ["no", "no", "yes", "yes"]
        >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        >>> names = {"feature_names": ["age", "sex"], "units": {"age": "years"}}
        >>> explainer = Explainer(tree, X, domain={"sex": {0: "female", 1: "male"}}, **names)
        >>> explainer.describe_row([20, 0])
        {'age': '20 years', 'sex': 'female'}
        """
        model = self._model.need_rows("words for rows")
        row = tuple(as_row(x, model.context.layout).tolist())
        return {entry["feature"]: entry["shown"] for entry in instance_record(model.context, row)}

    def replace_rows(self, X: Any) -> Self:
        """Return the explainer of the same model with other rows instead of the training rows.

        Counts over rows, and measures by their ranges, then use these rows. The domain stays the one of the training
        rows.

        Parameters
        ----------
        X
            The rows.

        Returns
        -------
        Explainer
            A new explainer; this one is unchanged.

        Raises
        ------
        InvalidInput
            If a row does not fit the columns of the model, or the model is an expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> other = explainer.replace_rows(X[50:])
        >>> round(explainer.explain(X[50]).coverage, 2), round(other.explain(X[50]).coverage, 2)
        (0.32, 0.48)
        """
        return self._copy_about(self._model.need_rows("training rows").replace_rows(self._read_rows(X).rows))

    def expression(self, decision: object) -> Expression:
        """Return the expression "this is the decision" over the variables of the model's domain.

        Parameters
        ----------
        decision
            The name of a decision.

        Returns
        -------
        Expression
            It is true for exactly the rows that get the decision.

        Raises
        ------
        UnknownName
            If there is no such decision.
        InvalidInput
            If the model adds or averages leaf values. A forest with ``vote="majority"`` has an expression.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from primewood import Explainer
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
        >>> explainer = Explainer(tree, feature_names=["a", "b"], domain={"a": "boolean", "b": "boolean"})
        >>> print(explainer.expression(1))
        b!=0 & a!=0
        """
        return self._model.subject.formula(self._model.context.label(decision))

    @asks("around")
    def around(self, x: Any, within: float) -> Self:
        """Return an explainer of "the prediction stays close to the prediction for this row", for a regressor.

        Parameters
        ----------
        x
            A row, as for `explain`.
        within
            The largest difference from the prediction for `x` that counts as close.

        Returns
        -------
        Explainer
            Its decisions are: below the range, within plus or minus `within`, and above the range.

        Raises
        ------
        InvalidInput
            If the model is not a regressor, the explainer has a threshold, `x` does not fit the model, or `within` is
            not a number of at least 0.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeRegressor
        >>> from primewood import Explainer
        >>> X, y = [[1], [2], [3], [4]], [10.0, 11.0, 30.0, 31.0]
        >>> explainer = Explainer(DecisionTreeRegressor(random_state=0).fit(X, y), X, feature_names=["size"])
        >>> near = explainer.around([1], within=5)
        >>> print(near.explain([1]).rule)
        IF size <= 2 THEN 5 <= prediction <= 15
        """
        model = self._model.around(x, within)
        return self._copy_about(model, between=model.rule.between, class_names=None)

    # Questions

    @overload
    def explain(
        self, x: Any, *, precision: float, over: Choice["rows"] = "rows", progress: bool | None = None
    ) -> InShort: ...

    @overload
    def explain(
        self,
        x: Any,
        *,
        precision: float,
        over: SpaceName,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        progress: bool | None = None,
    ) -> InShortOverSpace: ...

    @overload
    def explain(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        goal: Goal | None = None,
        measure: Measure | None = None,
        weights: Mapping[str, float] | None = None,
        order: WeakeningOrder | None = None,
        fix: Iterable[str] = (),
        avoid: Iterable[str] = (),
        only: Iterable[str] | None = None,
        also: Any = None,
        near: float | None = None,
        near_features: int | None = None,
        within: float | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        progress: bool | AnswerWatcher | None = None,
        precision: None = None,
        over: Choice["rows"] = "rows",
    ) -> Explanation: ...

    @asks("explain")
    def explain(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        goal: Goal | None = None,
        measure: Measure | None = None,
        weights: Mapping[str, float] | None = None,
        order: WeakeningOrder | None = None,
        fix: Iterable[str] = (),
        avoid: Iterable[str] = (),
        only: Iterable[str] | None = None,
        also: Any = None,
        near: float | None = None,
        near_features: int | None = None,
        within: float | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        progress: bool | AnswerWatcher | None = None,
        precision: float | None = None,
        over: RowsOrSpace = "rows",
    ) -> Explanation | InShort | InShortOverSpace:
        """Find one PI-explanation of the decision on a row: conditions that guarantee it and cannot be relaxed.

        Cost: for "prime", one query to the engine per feature or value that is tried; for "readable", up to ten times
        that; for "wide", a few times that. For "shortest" and "widest", a search that can take exponential time,
        within the limits.

        Parameters
        ----------
        x
            A row: an array, a Series, a one-row frame, or a dict by feature names.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        goal
            "readable", the default: of the explanations that several orders lead to, the one with the fewest
            conditions; of these, the one that covers the most training rows. "prime": the one that `order` leads to;
            the default where `order`, `also` or `weights` are given, and for expressions.
            "shortest": one that mentions the fewest features, or those with the least total weight. "wide": one that
            covers many training rows, with as many conditions as that takes; quickly found. "widest": one that
            covers the most. If the limit is reached before this is proved, `status` records it, and `bounds` gives the
            distance from the best.
        measure
            What "widest" counts: training "rows" (the default with training rows), "volume" (the share of the box of
            their ranges), or "values" (the share of cells).
        weights
            A positive number per feature; features with large weights are avoided. "shortest" minimises the sum;
            "prime" drops the heaviest features first, if no order is given.
        order
            The features in the order in which they are dropped, or a list of steps, each a set of
            (feature, value) pairs to allow together. By default the least important feature is first.
        fix
            Features that keep the row's value; the answer is prime given them.
        avoid
            Features that the answer must not mention. If that is impossible, `status` records it, and
            the explanation carries a counterexample: a row that differs in these features only.
        only
            The features that the answer may mention; the same as avoiding all others.
        also
            Rows that the answer should cover too, the most wanted first. Each row is included if the
            decision stays, before `order` is followed. `covers` lists the rows that are covered.
        near
            Explain the decision among rows near this one only, which takes fewer conditions: each number differs from
            the row's own by at most this share of its training range, such as 0.05; categories, yes-or-no features and
            gaps stay the same.
        near_features
            Explain the decision among rows that differ from this one in at most this many features. It can be combined
            with `near`. Rules found in the training rows (`knowledge`) are not assumed then.
        within
            For a regressor: explain why the prediction is within plus or minus this of its value.
        time_limit
            Seconds, or None. If the limit is reached, the answer still guarantees the decision, but its
            `status` is not "proved".
        work_limit
            The same, counted in nodes of the search; with ``time_limit=None`` reproducible.
        progress
            A function that is called with the `AnswerSoFar` about five times a second, from the thread that asks; an
            exception that it raises stops the search. Or whether to show progress, as for the explainer.
        precision
            Ask only for the decision in short (`InShort`): a rule of few conditions for which at least this share of
            matching rows gets the decision, such as 0.95. It is counted on the training rows, not proved. It goes with
            no other option but `over` and the limits. Every explanation has it too, for 0.95: `why.in_short`.
        over
            What `precision` is a share of: the training "rows", or all of the feature space inside the rule
            (`InShortOverSpace`), which is computed exactly or between proved bounds. "space": each feature by itself is
            uniform over its training range. "frequencies": each feature by itself has its training frequencies.

        Returns
        -------
        Explanation, InShort or InShortOverSpace
            Print it, or read `rule`, `features`, `status`, `coverage`, `to_dict()`.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, an option has a value that is not accepted, or
            the model is a regressor without a cut-off and `within` is not given.
        UnknownName
            If `weights`, `order`, `fix`, `avoid` or `only` names a feature that does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> why = explainer.explain(X[50])
        >>> print(why)
        IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
          versicolor: P(versicolor) = 0.98, the largest of 3 classes
          Proved: these conditions guarantee the decision, and none can be relaxed (intervals).
          Covers 32.0% of the training rows, 26.5% of the feature space.
          Assumes: no value is missing
        >>> explainer.explain(X[50], literals="values").features
        ('pl', 'pw')
        """
        decision = self._model.ask(x) if within is None else self._model.ask_within(x, within)
        wishes = Wishes(literals, goal, measure, weights, order, fix, avoid, only, also, near, near_features)
        if precision is not None:
            others = (
                literals,
                goal,
                measure,
                weights,
                order,
                only,
                also,
                near,
                near_features,
                within,
                *fix,
                *avoid,
            )
            if any(given is not None for given in others):
                raise InvalidInput("precision asks for the decision in short, and goes with no other option")
            if over != "rows":
                return find_over_space(decision, precision, over, self._start_clock(time_limit, work_limit))
            return find_in_short(decision, precision)
        if over != "rows":
            raise InvalidInput(
                f'over="{over}" goes with precision: explain(x, precision=0.95, over="{over}")'
            )
        return explain(decision, wishes, self._start_clock(time_limit, work_limit), choose_watcher(progress))

    @asks("explanations")
    def explanations(self, x: Any, *, literals: Language | None = None) -> Explanations:
        """Return all PI-explanations of the decision on a row, to iterate over, count, sample and filter.

        Cost: for a model that compiles, one diagram of all of them. For other models a search lists them one by one,
        and there can be exponentially many.

        Parameters
        ----------
        x
            A row, as for `explain`.
        literals
            "sets", "intervals" or "values"; by default the explainer's.

        Returns
        -------
        Explanations
            A lazy family. From a diagram, explanations with the fewest features come first.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or `literals` is not a language.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer(trees=5)
        >>> found = explainer.explanations(X[77])
        >>> found.count()
        3
        >>> for why in found:
        ...     print(why.rule)
        IF sl >= 5.5 AND pl >= 5 AND pw >= 1.7 THEN virginica
        IF sw >= 2.5 AND pl >= 5 AND pw >= 1.7 THEN virginica
        IF sl >= 6.3 AND pl >= 4.7 AND pw >= 1.7 THEN virginica
        """
        return list_explanations(self._model.ask(x), literals)

    @asks("count")
    def count(self, x: Any, *, literals: Language | None = None) -> int:
        """Count the PI-explanations of the decision on a row.

        Cost: linear in the diagram for a model that compiles; for other models the cost of listing all explanations.

        Parameters
        ----------
        x
            A row, as for `explain`.
        literals
            "sets", "intervals" or "values"; by default the explainer's.

        Returns
        -------
        int
            The exact number.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or `literals` is not a language.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer(trees=5)
        >>> explainer.count(X[77])
        3
        """
        return list_explanations(self._model.ask(x), literals).count()

    @asks("reasons")
    def reasons(
        self,
        x: Any,
        *,
        target: object = None,
        literals: Language | None = None,
        time_limit: float | None = None,
        work_limit: int | None = None,
    ) -> Reasons:
        """Return the explanations and the contrasts of the decision on a row, as a search finds them.

        Parameters
        ----------
        x
            A row, as for `explain`.
        target
            If given, the question is why the decision is not the target: contrasts lead to the target, and explanations
            guarantee that the target is not decided.
        literals
            "sets", "intervals" or "values"; by default the explainer's. "values" is the fastest by far.
        time_limit, work_limit
            As for `explain`, for the whole iteration.

        Returns
        -------
        Reasons
            An iterator. After it ends, `complete` tells whether all reasons were found.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, an option has a value that is not accepted, or
            the row gets the target already.
        UnknownName
            If there is no decision `target`.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> reasons = explainer.reasons(X[50], literals="values")
        >>> for reason in reasons:
        ...     print(type(reason).__name__, *reason.features)
        Explanation pl pw
        Contrast pw
        Contrast pl
        >>> reasons.complete
        True
        """
        return Reasons(self._model.ask(x, target), literals, self._start_clock(time_limit, work_limit))

    @asks("complete_reason")
    def complete_reason(self, x: Any) -> CompleteReason:
        """Compute the complete reason of the decision on a row: all its PI-explanations as one function.

        Cost: linear in the diagram of the model.

        Parameters
        ----------
        x
            A row, as for `explain`.

        Returns
        -------
        CompleteReason
            Ask it which features are necessary, and whether the decision is biased.

        Raises
        ------
        TooLarge
            If the model does not compile within its limits.
        InvalidInput
            If `x` does not fit the columns or the domain of the model.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.complete_reason(X[50]))
        versicolor: rests on pl, pw; necessary: pl, pw
        """
        return find_complete_reason(self._model.ask(x))

    @asks("relevance")
    def relevance(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Relevance:
        """Find which features are in every, in some, and in no PI-explanation of the decision on a row.

        Cost: linear in the diagram for a model that compiles; for other models one search per feature.

        Parameters
        ----------
        x
            A row, as for `explain`.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit, work_limit
            As for `explain`. If the limit is reached, `undecided` lists the features that are not decided.

        Returns
        -------
        Relevance
            The features that are `necessary`, `relevant`, `irrelevant` and `undecided`.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or an option has a value that is not accepted.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> found = explainer.relevance(X[50])
        >>> print(found)
        necessary: pl, pw; relevant: pl, pw; irrelevant: sl, sw
        """
        return find_relevance(self._model.ask(x), literals, self._start_clock(time_limit, work_limit))

    @asks("attribution")
    def attribution(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Attribution:
        """Compute, per feature, the share of all PI-explanations of the decision on a row that mention it.

        Cost: linear in the diagram for a model that compiles; for other models the cost of listing all explanations.

        Parameters
        ----------
        x
            A row, as for `explain`.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit, work_limit
            As for `explain`. If the limit is reached, each share lies between two bounds.

        Returns
        -------
        Attribution
            The shares, exact if all explanations were found or the model compiles.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, or an option has a value that is not accepted.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer(trees=5)
        >>> print(explainer.attribution(X[77]))
        pl: 100.0%
        pw: 100.0%
        sl: 66.7%
        sw: 33.3%
        """
        return find_attribution(self._model.ask(x), literals, self._start_clock(time_limit, work_limit))

    @asks("contrast")
    def contrast(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Contrast:
        """Find the fewest features whose change makes another decision, or the target, possible.

        The explainer's `immutable` features stay unchanged.

        Parameters
        ----------
        x
            A row, as for `explain`.
        target
            The wanted decision; by default any other.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit, work_limit
            As for `explain`. If the limit is reached, `status` records that the answer is not proved smallest.

        Returns
        -------
        Contrast
            If no change leads to the wanted decision, its `status` is "impossible".

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, the row gets the target already, an option has a
            value that is not accepted, or the model is an expression (use `contrasts`).
        UnknownName
            If there is no decision `target`.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.contrast(X[50], "virginica"))
        pl >= 4.851 may make it virginica instead of versicolor (P(versicolor) = 0.98, the largest of 3 classes)
        """
        return find_contrast(self._model.ask(x, target), literals, self._start_clock(time_limit, work_limit))

    @asks("contrasts")
    def contrasts(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language | None = None,
        time_limit: float | None = None,
    ) -> Contrasts:
        """Return all contrastive explanations of the decision on a row: the minimal changes that may change it.

        Cost: for a model that compiles, one diagram of all of them. For other models a search lists them one by one,
        and there can be exponentially many.

        Parameters
        ----------
        x
            A row, as for `explain`.
        target
            The wanted decision; by default any other.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit
            Seconds for the diagram of all contrasts, or None. Without a diagram, the listing stops at this limit.

        Returns
        -------
        Contrasts
            A lazy family, to iterate over, count, sample and filter.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, the row gets the target already, or an option
            has a value that is not accepted.
        UnknownName
            If there is no decision `target`.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> for change in explainer.contrasts(X[50]):
        ...     print(change)
        pw <= 0.8 may make it setosa instead of versicolor (P(versicolor) = 0.98, the largest of 3 classes)
        pw >= 1.751 may make it virginica instead of versicolor (P(versicolor) = 0.98, the largest of 3 classes)
        pl >= 4.851 may make it virginica instead of versicolor (P(versicolor) = 0.98, the largest of 3 classes)
        """
        return list_contrasts(self._model.ask(x, target), literals, clock_of(time_limit, None).limit)

    @asks("counterfactual")
    def counterfactual(
        self,
        x: Any,
        target: object = None,
        *,
        norm: Norm = "l1",
        relative: bool | None = None,
        weights: Mapping[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Counterfactual:
        """Find the nearest row that gets a different decision, or the target, with a range around it that is safe.

        Parameters
        ----------
        x
            A row, as for `explain`.
        target
            The wanted decision; by default any other.
        norm
            "l1": the least sum of moves. "linf": the least largest move. "l0": the fewest features.
        relative
            Whether moves are measured as shares of the training range (the default with training rows).
        weights
            How much the moves of each feature count; 1 by default.
        immutable, increase, decrease
            Features that cannot change (in addition to the explainer's `immutable`), can only go up, can only go down.
        time_limit, work_limit
            As for `explain`. If the limit is reached, the answer is a valid change, but not proved nearest.

        Returns
        -------
        Counterfactual
            Print it, or read `changes`, `cost`, `status`.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, the row gets the target already, an option has a
            value that is not accepted, or the model is an expression.
        UnknownName
            If there is no decision `target`, or an option names a feature that does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.counterfactual(X[50], "virginica"))
        virginica instead of versicolor with pl 4.7 -> 4.951
           versicolor: P(versicolor) = 0.98, the largest of 3 classes
           virginica: P(virginica) = 0.67, the largest of 3 classes
           distance 0.04237 (l1; nearest, proved)
           safe as long as pl >= 4.951, everything else unchanged
        """
        model = self._model.need_rows("counterfactuals")
        limited = {"immutable": immutable, "increase": increase, "decrease": decrease}
        moves = choose_moves(model, norm, relative, weights, limited)
        search = CounterfactualSearch.for_predict(model.ask(x, target), moves)
        return search.find_nearest(self._start_clock(time_limit, work_limit))

    @asks("counterfactuals")
    def counterfactuals(
        self,
        x: Any,
        target: object = None,
        *,
        count: int = 3,
        norm: Norm = "l1",
        relative: bool | None = None,
        weights: Mapping[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> list[Counterfactual]:
        """Find several different ways to another decision, the nearest first.

        No answer changes all the features that an earlier answer changes. Cost: one search per answer.

        Parameters
        ----------
        count
            The largest number of answers.
        x, target, norm, relative, weights, immutable, increase, decrease
            As for `counterfactual`.
        time_limit, work_limit
            As for `explain`, for all answers together.

        Returns
        -------
        list of Counterfactual
            At most `count`.

        Raises
        ------
        InvalidInput
            As for `counterfactual`; also if `count` is not a positive whole number.
        UnknownName
            As for `counterfactual`.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> for way in explainer.counterfactuals(X[50], "virginica", count=2):
        ...     print(way.features)
        ('pl',)
        ('pw',)
        """
        if not isinstance(count, int) or count < 1:
            raise InvalidInput(f"count must be a positive number, not {count!r}")
        model = self._model.need_rows("counterfactuals")
        limited = {"immutable": immutable, "increase": increase, "decrease": decrease}
        moves = choose_moves(model, norm, relative, weights, limited)
        search = CounterfactualSearch.for_predict(model.ask(x, target), moves)
        return list(islice(search.find_diverse(self._start_clock(time_limit, work_limit)), count))

    @asks("robustness")
    def robustness(
        self,
        x: Any,
        norm: Norm = "linf",
        *,
        relative: bool = False,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Robustness:
        """Find the largest radius within which the decision on a row provably stays, and the nearest row beyond it.

        Parameters
        ----------
        x
            A row, as for `explain`.
        norm
            "linf": how far every number may move at once; "l1": how far they may move together; categories and missing
            values stay. "l0": how many features may take any value.
        relative
            Whether moves are measured as shares of the training range. A change of category then counts as the whole
            range.
        time_limit, work_limit
            As for `explain`. If the limit is reached, `radius` is still proved, but may not be the largest.

        Returns
        -------
        Robustness
            The proved `radius`, an `upper` bound, and the `nearest` row with a different decision.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, an option has a value that is not
            accepted, or the model is an expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> found = explainer.robustness(X[50])
        >>> print(found)
        versicolor as long as no feature moves by more than 0.25; beyond that virginica is possible, with a change of pl
           versicolor: P(versicolor) = 0.98, the largest of 3 classes
        >>> round(found.radius, 3)
        0.25
        """
        decision = self._model.need_rows("robustness").ask(x)
        return find_robustness(decision, norm, relative, self._start_clock(time_limit, work_limit))

    @asks("what_if")
    def what_if(self, x: Any, feature: str, *, why: Explanation | None = None) -> WhatIf:
        """Tabulate the decision for every value of one feature, with the other features unchanged.

        The answer is exact for every value. Cost: one prediction per value that the model distinguishes.

        Parameters
        ----------
        x
            A row, as for `explain`.
        feature
            The name of the feature.
        why
            An explanation of the row. It marks the values where the decision is proved whatever the free features are.
            By default `explain(x)`.

        Returns
        -------
        WhatIf
            Print it, or plot it.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, `why` explains another row, or the model is an
            expression.
        UnknownName
            If there is no feature `feature`.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.what_if(X[50], "pw"))
        versicolor: P(versicolor) = 0.98, the largest of 3 classes
        pw is 1.4. If only it changes:
          pw <= 0.8: setosa
          0.9 <= pw <= 1.7: versicolor, proved whatever the free features are
          pw >= 1.8: virginica
        """
        return find_what_if(self._model.need_rows("strips and maps").ask(x), feature, why)

    @asks("decision_map")
    def decision_map(
        self, x: Any, features: tuple[str, str], *, why: Explanation | None = None
    ) -> DecisionMap:
        """Tabulate the decision for all values of two features, with the other features unchanged.

        The answer is exact for all pairs of values. Cost: one prediction per pair of values that the model
        distinguishes.

        Parameters
        ----------
        x
            A row, as for `explain`.
        features
            The names of the two features.
        why
            An explanation of the row, whose box is shown in the map. By default `explain(x)`.

        Returns
        -------
        DecisionMap
            Print it, or plot it.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, `features` is not two different names, `why`
            explains another row, or the model is an expression.
        UnknownName
            If one of `features` does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.decision_map(X[50], ("pl", "pw")))
        versicolor: P(versicolor) = 0.98, the largest of 3 classes
        If only pl and pw change, of 9 cells: setosa in 3, versicolor in 2, virginica in 4
        """
        return find_decision_map(self._model.need_rows("strips and maps").ask(x), features, why)

    @asks("check")
    def check(
        self,
        x: Any,
        claim: Any,
        *,
        most: int | Choice["fewest"] | None = None,
        by: Choice["absolute", "favour"] | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Check:
        """Check an explanation from another tool: whether it is sufficient or redundant, and how to repair it.

        Cost: a few queries to the engine, and one explanation for the repair.

        Parameters
        ----------
        x
            The row that the claim explains.
        claim
            Names of features that are claimed to suffice, a rule as text or as a mapping from features to ranges, or
            the result of Anchors (alibi, anchor-exp), LIME or SHAP for the row.
        most
            For attributions (LIME, SHAP): how many features count, or "fewest": as many as are needed to suffice.
        by
            Which attributions count most: the largest by "absolute" value, or those in "favour" of the decision.
        time_limit, work_limit
            As for `explain`. If the limit is reached, the verdict can be undecided.

        Returns
        -------
        Check
            The verdict, a counterexample if the claim is not sufficient, and a proved explanation instead.

        Raises
        ------
        InvalidInput
            If `x` does not fit the columns or the domain of the model, `claim` is not a claim about this decision or
            names a feature that does not exist, an option has a value that is not accepted, or the model is an
            expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.check(X[50], ["pw"]))
        claim: IF pw is as in the row THEN versicolor
          versicolor: P(versicolor) = 0.98, the largest of 3 classes
          not sufficient: with pl = 5.6 the decision is virginica
          optimistic: a part of a PI-explanation (values), which says more
          prime instead: IF pl <= 4.8 AND 0.9 <= pw <= 1.7 THEN versicolor
          Assumes: no value is missing
        """
        from primewood.apps.check import check

        decision = self._model.need_rows("claims").ask(x)
        return check(decision, claim, self._start_clock(time_limit, work_limit), most=most, by=by)

    @asks("adverse_action")
    def adverse_action(
        self,
        x: Any,
        favourable: object,
        *,
        codes: Codes | None = None,
        protected: Iterable[str] = (),
        undisclosable: Iterable[str] = (),
        most: int = 4,
        in_short: bool = False,
        certificate: bool = False,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> AdverseAction:
        """Find the principal reasons why a row does not get the favourable decision, the most important first.

        Parameters
        ----------
        x
            A row, as for `explain`.
        favourable
            The decision that would have been favourable.
        codes
            Per feature (or tuple of features) a text, a pair (code, text), or these by what is wrong with the value:
            "low", "high", "other" (category) or "missing".
        protected, undisclosable
            Features that keep the row's values and are never named. Immutable features are not named either.
        most
            The largest number of reasons.
        in_short
            Whether the letter ends with a sentence on cases like this one: the decision in short, counted on the
            training rows, without the features that are never named.
        certificate
            Whether the letter ends with the SHA-256 of a certificate, which proves that the stated ranges lead to the
            favourable decision. `certificate()` of the answer returns it. Its proof has the time limit again.
        time_limit, work_limit
            As for `explain`. If the limit is reached, the reasons found are correct, but their order is not proved.

        Returns
        -------
        AdverseAction
            Print it, or read its `reasons` and its `letter`.

        Raises
        ------
        InvalidInput
            If the row gets the favourable decision already, `x` does not fit the columns or the domain of the model, an
            option has a value that is not accepted, or the model is an expression.
        UnknownName
            If there is no decision `favourable`, or an option names a feature that does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.adverse_action(X[50], "setosa", codes={"pw": "petals too wide"}))
        versicolor instead of setosa: the principal reasons, in order (proved)
          versicolor: P(versicolor) = 0.98, the largest of 3 classes
          1. petals too wide
             setosa with pw at most 0.8, everything else unchanged
        """
        from primewood.apps.adverse_action import LetterOptions, adverse_action

        decision = self._model.need_rows("adverse actions").ask(x)
        wording = LetterOptions(codes, protected, undisclosable, most, in_short, certificate)
        return adverse_action(decision, favourable, wording, self._start_clock(time_limit, work_limit))

    @takes_options("explainer")
    def __call__(
        self,
        X: Any,
        *,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Batch:
        """Explain every row of a frame or an array, in its order and with its index.

        Rows that the model cannot distinguish are explained once. The answers do not depend on `n_jobs`, unless a time
        limit is reached.

        Parameters
        ----------
        X
            The rows.
        n_jobs
            How many rows are explained at a time, in threads; -1 for one per core. Under
            ``joblib.parallel_config(backend="dask")`` the cluster shares the rows.
        time_limit, work_limit
            Per row, as for `explain`.
        batch_limit
            Seconds for all rows together. If the limit is reached, the remaining rows get an explanation that is not
            proved prime, and their `status` is "interrupted".
        reuse
            Whether a row inside the explanation of another row, with the same decision, takes that explanation: it is a
            PI-explanation of both. A note records it. Rows are then explained together with nearby rows (`also`
            of `explain`), so that an explanation covers many rows, and mentions more features.
        progress
            Whether to show progress after a second: a live line on a terminal or in a notebook,
            occasional lines on stderr elsewhere. By default the explainer's setting.
        options
            As for `explain`, the same for every row.

        Returns
        -------
        Batch
            The explanations; print it for a summary, or take `to_frame()`.

        Raises
        ------
        InvalidInput
            If a row does not fit the columns or the domain of the model, an option has a value that is not accepted, or
            the model is an expression.
        UnknownName
            If an option names a feature that does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> batch = explainer(X[:100])
        >>> print(batch)
        100 explanations: proved (100)
        decisions: setosa (50), versicolor (47), virginica (3)
        features per explanation: 1 (51), 2 (49)
        coverage of the training rows: 30.7% to 33.3%, median 32.7%
        features used: pw (100), pl (49)
        """
        reading = self._read_rows(X)
        self._model.need_rows("batches").check_rows("X", reading.rows)
        settings = self._batch_settings(options, time_limit, work_limit, batch_limit, reuse)
        return Batch.of(list(self._explain_rows(reading, settings, n_jobs, progress)), X, self._model.context)

    @takes_options("stream")
    def stream(
        self,
        X: Any,
        *,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Iterator[Explanation | Failed]:
        """Explain many rows one by one, and yield each explanation when its block is finished; nothing is kept.

        Parameters
        ----------
        X, n_jobs, time_limit, work_limit, batch_limit, reuse, progress, options
            As for a call of the explainer with rows.

        Returns
        -------
        iterator of Explanation or Failed
            In the order of the rows. A row outside the domain is `Failed` instead of an error.

        Raises
        ------
        InvalidInput
            If the columns of `X` do not fit the model, an option has a value that is not accepted, or the model is an
            expression.
        UnknownName
            If an option names a feature that does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> for why in explainer.stream(X[[0, 50, 100]]):
        ...     print(why.rule)
        IF pw <= 0.8 THEN setosa
        IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
        IF pw >= 1.8 THEN virginica
        """
        settings = self._batch_settings(options, time_limit, work_limit, batch_limit, reuse)
        return self._explain_rows(self._read_rows(X), settings, n_jobs, progress)

    @takes_options("explain_file")
    def explain_file(
        self,
        source: str | Path,
        folder: str | Path,
        *,
        format: PartFormat | None = None,  # noqa: A002
        identity: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
        part_rows: int = BLOCK,
        resume: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        in_short: bool = False,
        certificates: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Written:
        r"""Explain every row of a file into a folder of parts, or into one .csv, .xlsx, .parquet or .jsonl file.

        Memory: one part at a time; neither the file nor the explanations are kept. A part appears when it is complete,
        and a run that was stopped can be resumed. A single file appears when all rows are explained.
        `Written.summary` and `primewood.overview` summarise the explanations.

        Parameters
        ----------
        source
            A CSV file with a header, a Parquet file, JSON lines or an Excel workbook, with the model's columns.
        folder
            Where the parts go: a new or empty folder; with `resume`, the folder of a run that was stopped. A name that
            ends with .csv, .xlsx, .parquet or .jsonl is one file with a line per row.
        format
            The format of the parts: "parquet" (the default) or "jsonl".
        identity
            For one file: a column of `source` to copy, which identifies the rows.
        sheet
            The sheet of a workbook; the first by default.
        decimal
            "." or ",": the decimal mark of a CSV file with semicolons or tabs; by default it is detected.
        part_rows
            How many rows a part has. All rows of a part are explained before the next part starts. On many
            machines use some dozen times the number of cores; with `reuse`, whose rounds have at least a 64th of
            it, some hundred times.
        resume
            Whether to continue an earlier run, which must have had the same settings.
        in_short
            Whether to write a column with the decision in short, in words, where a rule has more than three conditions.
            It takes some hundredths of a second per row.
        certificates
            For a folder: whether to write a certificate of each proved explanation, beside the parts, and its SHA-256
            into a column. Each takes at most `time_limit` seconds and a million bytes; where there is none, a note says
            why. `Written.confirm` checks them.
        n_jobs, time_limit, work_limit, batch_limit, reuse, progress, options
            As for a call of the explainer with rows.

        Returns
        -------
        Written
            Where the explanations are, and how many rows and parts there are.

        Raises
        ------
        InvalidInput
            If `source` cannot be read or its columns do not fit the model, `folder` is in use, `resume` finds other
            settings, an option has a value that is not accepted, or the model is an expression.
        MissingDependency
            If Parquet or Excel files need a package that is not installed.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
        >>> written = explainer.explain_file(folder / "rows.csv", folder / "answers", format="jsonl")
        >>> written.rows, written.parts
        (2, 1)
        """
        limits = (time_limit, work_limit, batch_limit, reuse, part_rows, in_short, certificates)
        settings = self._batch_settings(options, *limits)
        job = FileJob(
            source,
            folder,
            settings,
            format=format,
            n_jobs=n_jobs,
            resume=resume,
            progress=self._choose_progress(progress),
            dialect=Dialect(sheet, decimal),
            identity=identity,
        )
        return explain_file(self._model.need_rows("batches"), job)

    @takes_options("importance")
    def importance(
        self,
        X: Any,
        *,
        literals: Language | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        progress: bool | None = None,
    ) -> Importance:
        """Count which features matter over some rows: exact counts of what is proved for each row.

        Per feature: how many of the rows' explanations mention it, and on how many rows it alone flips the decision
        (another value of it, everything else unchanged, gets a different decision). These are counts over these rows,
        not effect sizes; a feature that is in no explanation here may still matter for other rows.

        Cost: one explanation per row, and one query per feature in it.

        Parameters
        ----------
        X
            The rows, as for a call of the explainer.
        literals
            The literal language of the explanations.
        n_jobs
            How many rows are explained at a time, in threads; -1 for one per core.
        time_limit
            Seconds per row for its explanation, and again for its flips. Rows that take longer are counted in
            `undecided`.
        progress
            As for a call of the explainer.

        Returns
        -------
        Importance
            Print it, or take `to_frame()`, `plot()`, `to_dict()`.

        Raises
        ------
        InvalidInput
            If a row does not fit the columns or the domain of the model, an option has a value that is not accepted,
            the model is a regressor without a cut-off, or the model is an expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> found = explainer.importance(X)
        >>> found.in_explanations["pl"], found.flips_alone["pl"]
        (54, 54)
        """
        model = self._model.need_rows("batches")
        model.check_decides()
        reading = self._read_rows(X)
        model.check_rows("X", reading.rows)
        clock_of(time_limit, None)
        settings = self._batch_settings(
            {"literals": literals}, time_limit, None, None, False, ROWS_BETWEEN_FLIPS
        )
        explained = self._explain_rows(reading, settings, n_jobs, progress)
        return count_importance(model, reading.rows, explained, settings.literals, time_limit)

    @takes_options("verify")
    @with_progress("verifying")
    def verify(
        self,
        stated: object,
        *,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Verification:
        """Prove that a property is true for every row, or find a row that breaks it.

        Cost: a search that can take exponential time, within the limits.

        Parameters
        ----------
        stated
            A rule as text ("age < 18 -> not approved", "never denied"), or a property: `monotone`, `independent_of`,
            `never`, `output`, `robust_at`, `robust_everywhere`.
        time_limit
            Seconds, or None. If the limit is reached, the outcome is "undecided", and the answer tells how far the
            proof came. The clock starts after the features are cut where the property cuts them.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` reproducible.
        progress
            Whether to show progress; by default the explainer's setting.

        Returns
        -------
        Verification
            The outcome: "holds", "fails" with a row that breaks the property, or "undecided".

        Raises
        ------
        ParseError
            If the text is not a rule, or names an unknown feature or decision.
        UnknownName
            If the property names a feature or a decision that does not exist.
        InvalidInput
            If `stated` is not a property, the property does not apply to the model, an option has a value that is not
            accepted, or the model is an expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> print(explainer.verify("pw > 1.8 -> virginica"))
        holds: pw > 1.8 -> virginica
           Proved: every row with pw > 1.8 gets the decision virginica.
           Assumes: no value is missing.
        >>> print(explainer.verify("pl < 4 -> not virginica"))
        fails: pl < 4 -> not virginica
           Some rows with pl < 4 get the decision virginica.
           None of your 150 rows breaks this.
           For instance: sl = 5.1, sw = 3.5, pl = 1.4, pw = 2.1
              virginica: P(virginica) = 0.67, the largest of 3 classes
        """
        return verify_property(
            self._model.need_rows("properties"), stated, self._start_clock(time_limit, work_limit)
        )

    def check_property(self, stated: object) -> Claim:
        """Check that a property can be verified, and describe it in words, without proving it.

        Parameters
        ----------
        stated
            A rule as text, or a property, as for `verify`.

        Returns
        -------
        Claim
            The property in words: what is true if it holds, and if it fails.

        Raises
        ------
        ParseError
            If the text is not a rule, or names an unknown feature or decision.
        UnknownName
            If the property names a feature or a decision that does not exist.
        InvalidInput
            If `stated` is not a property, the property does not apply to the model, or the model is an expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> explainer.check_property("pw > 1.8 -> virginica").holds
        'every row with pw > 1.8 gets the decision virginica'
        """
        return check_property(self._model.need_rows("properties"), stated)

    @takes_options("compare")
    @with_progress("comparing")
    def compare(
        self,
        other: Any,
        *,
        regions: int = 5,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        trust_pickle: bool = False,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Comparison:
        """Prove that another model agrees on every row, or find where the two differ.

        Cost: a search that can take exponential time, within the limits.

        Parameters
        ----------
        other
            A model, its file, or an `Explainer`, over the same columns.
        regions
            The largest number of regions to grow around differences.
        time_limit, work_limit
            As for `verify`. The clock starts after both models are read and cut into the same values.
        trust_pickle
            As for `Explainer`, for the file of the other model.
        progress
            As for `verify`.

        Returns
        -------
        Comparison
            The outcome, and the rows and regions where the two models differ.

        Raises
        ------
        UnsupportedModel
            If the other model is not supported.
        InvalidInput
            If the models have different columns or decisions, an option has a value that is not accepted, or one of
            them is an expression.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from primewood import Explainer
        >>> iris = load_iris()
        >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
        >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
        >>> explainer = Explainer(tree, iris.data, **names)
        >>> smaller = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
        >>> explainer.compare(smaller, regions=1)
        <Comparison different: The two models decide 6 of your 150 rows differently.>
        """
        model = self._model.need_rows("comparisons")
        theirs = (
            other._model
            if isinstance(other, Explainer)
            else read_alike(model, other, trust_pickle=trust_pickle)
        )
        return compare_models(
            model, theirs.need_rows("comparisons"), regions, self._start_clock(time_limit, work_limit)
        )

    @takes_options("rules")
    @with_progress("growing rules")
    def rules(
        self,
        decisions: Sequence[object] | None = None,
        *,
        literals: Language | None = None,
        coverage: float = 0.95,
        most_rules: int | None = None,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> RuleList:
        """Find rules that are proved right on every row that they cover, and that cover most of the training rows.

        Cost: one explanation per rule that is tried.

        Parameters
        ----------
        decisions
            The decisions to find rules for; by default all.
        literals
            As for `explain`.
        coverage
            Stop when this share of a decision's training rows is covered.
        most_rules
            The largest number of rules per decision.
        time_limit, work_limit
            As for `verify`. If the limit is reached, the answer has the rules found so far.
        progress
            As for `verify`.

        Returns
        -------
        RuleList
            The rules, those that cover the most rows first.

        Raises
        ------
        UnknownName
            If one of `decisions` does not exist.
        InvalidInput
            If the explainer has no training rows, an option has a value that is not accepted, or the model is an
            expression.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> print(explainer.rules())
        IF pw <= 0.8 THEN setosa  (50 rows)
        IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor  (48 rows)
        IF pw >= 1.8 THEN virginica  (46 rows)
        IF pl >= 5 AND pw >= 0.9 THEN virginica  (46 rows, 6 of them new)
        4 rules, each right on every row that it covers; together 150 of 150 training rows (100.0%)
        """
        model = self._model.need_rows("rules")
        wishes = RuleWishes(decisions, literals, coverage, most_rules)
        return grow_rules(model, wishes, self._start_clock(time_limit, work_limit))

    @takes_options("explain_group")
    @with_progress("growing rules")
    def explain_group(
        self,
        X: Any,
        *,
        decision: object = None,
        kind: GroupKind = "proved",
        literals: Language | None = None,
        precision: float | None = None,
        most: int | None = None,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> GroupExplanation:
        """Find few rules that together cover a group of rows with one decision, such as all declined applications.

        Rules are grown around rows, with as many other rows of the group let in as possible, and few of them are
        chosen greedily. For proved rules, the answer also has a proved lower bound on how many any choice needs: rows
        that each need a rule of their own.

        Cost: about two explanations per rule, and one query per pair of rows that the bound has to look at.

        Parameters
        ----------
        X
            Rows that all have the same decision, or rows with any decisions if `decision` is given.
        decision
            Take only the rows with this decision.
        kind
            "proved", the default: each rule guarantees the decision, for every row that matches it. "in_short": rules
            of few conditions that hold for nearly all training rows that match; they are counted, not proved.
        literals
            For proved rules, as for `explain`.
        precision
            For short rules, as for `explain`; 0.95 by default.
        most
            The largest number of rules. The rows that they leave are listed.
        time_limit, work_limit
            As for `verify`. If the limit is reached, the answer has the rules found so far, and lists the rows that
            were not reached. The work limit is for each rule and each query.
        progress
            As for `verify`.

        Returns
        -------
        GroupExplanation
            Print it, or read `rules`, `uncovered`, `lower`, `to_frame()`, `to_dict()`.

        Raises
        ------
        InvalidInput
            If there are no such rows, they have different decisions, one does not fit the columns or the domain of the
            model, an option has a value that is not accepted, short rules are asked for without training rows, or the
            model is an expression.
        UnknownName
            If `decision` does not exist.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> print(explainer.explain_group(X, decision="virginica"))
        2 rules cover all 52 rows with the decision virginica; no fewer could.
          IF pw >= 1.8 THEN virginica  (46 rows)
          IF pl >= 5 AND pw >= 0.9 THEN virginica  (46 rows, 6 of them new)
        Proved: each rule guarantees the decision, and none of its conditions can be relaxed (intervals).
        Proved: 2 rows need a rule each (rows 70, 77); a rule for two of them would cover another decision too.
        Assumes: no value is missing
        """
        model = self._model.need_rows("groups")
        wishes = GroupWishes(kind, literals, precision, most, decision)
        return explain_group(model, X, wishes, self._start_clock(time_limit, work_limit))

    @takes_options("compile")
    @with_progress("compiling")
    def compile(
        self,
        *,
        time_limit: float | None = None,
        watcher: CompilationWatcher | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Compiled:
        """Compile the model to one decision diagram that answers any question.

        Cost: the diagram can be exponentially large in the number of trees; the limits stop it.

        Parameters
        ----------
        time_limit
            Seconds, or None: then `max_nodes` alone is the limit (with ``engine="auto"``, a small budget).
        watcher
            Called now and then with the stage, the nodes so far and the parts that are left to add.
        progress
            As for `verify`; it shows what a watcher receives.

        Returns
        -------
        Compiled
            The diagram. It can be asked, drawn and saved.

        Raises
        ------
        TooLarge
            If the diagram reaches a limit; the message gives the sizes reached.
        InvalidInput
            If the model is a regressor without a cut-off, or an option has a value that is not accepted.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer(trees=5)
        >>> compiled = explainer.compile()
        >>> compiled.count()
        {'setosa': 182, 'versicolor': 281, 'virginica': 177}
        """
        return compile_model(self._model, clock_of(time_limit, None).limit, watcher)

    @takes_options("draw_tree")
    def draw_tree(self, number: int = 0, *, most_nodes: int = 60) -> Picture:
        """Draw one tree of the model, with its tests in words.

        Parameters
        ----------
        number
            Which tree, from 0.
        most_nodes
            The largest number of nodes. A larger tree is cut, and a note records it.

        Returns
        -------
        Picture
            A notebook shows it; `svg` is its text.

        Raises
        ------
        InvalidInput
            If there is no tree with this number, or the model is an expression.
        MissingDependency
            If pygraphviz is not installed.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> picture = explainer.draw_tree()
        >>> "pw ≤ 0.8" in picture.svg, picture.note
        (True, None)
        """
        from primewood.properties.drawing import draw_tree

        return draw_tree(self._model, number, most_nodes=most_nodes)

    @takes_options("report")
    def report(
        self,
        X: Any = None,
        *,
        rows: Sequence[int] | None = None,
        explain: int = 8,
        sample: int = 100,
        answers: Any = None,
        properties: Sequence[object] = (),
        literals: Language | None = None,
        title: str | None = None,
        certificates: bool = False,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        seed: int = 0,
        watcher: CompilationWatcher | None = None,
        progress: bool | None = None,
    ) -> Report:
        """Gather everything that an auditor asks about a model into one report.

        Parameters
        ----------
        X
            The rows to report on; by default the training rows.
        rows
            The numbers of the rows of X to explain one by one; by default some rows of each decision.
        explain
            How many rows to choose, if `rows` is not given.
        sample
            How many rows to draw for what is counted over rows: feature use, robustness, what features do alone.
        answers
            Existing explanations of the same model, so that feature use is counted over all of them instead of a new
            sample: a folder that `explain_file` has written, its `overview`, or a `Batch`.
        properties
            What to verify: texts such as "age < 18 -> not approved", or properties such as ``pw.monotone("income")``.
            By default, what each feature may do alone.
        literals
            The language of the explanations; by default the explainer's.
        title
            The title of the report.
        certificates
            Whether to write certificates of the explained decisions, of the nearest rows that get another one, and of
            the properties that hold. The report lists their SHA-256; `Report.save_certificates` writes the files. Half
            of the time for these answers is then for certificates.
        time_limit
            Seconds for the whole report, or None. The report lists what is undecided when the limit is reached.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` the report is the same each time,
            dates and timings aside.
        seed
            The seed of all draws.
        watcher
            Called with a section, how many of its items are done, and how many there are.
        progress
            Whether to show what a watcher receives; by default the explainer's setting.

        Returns
        -------
        Report
            Print it, or write it with `save(path)` as one HTML file.

        Raises
        ------
        InvalidInput
            If there are no rows, `rows` or `answers` do not fit them, an option has a value that is not accepted, or
            the model is an expression.
        ParseError
            If a text in `properties` is not a rule.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> explainer.report(X[:10], explain=1, sample=2, time_limit=None)
        <Report: Audit of a scikit-learn DecisionTreeClassifier>
        """
        from primewood.apps.report import ReportSettings, gather

        model = self._model.need_rows("reports")
        model.check_decides()
        model.check_engine("a report")
        language = model.choose_language(literals)
        limits = (time_limit, work_limit)
        settings = ReportSettings(
            rows, explain, sample, properties, language, *limits, seed, title, certificates
        )
        return gather(self, X, settings, answers=answers, watcher=watcher, progress=progress)

    def save(self, path: str | Path) -> None:
        """Write the explainer to a file that `primewood.load` reads: the model, the options and the training rows.

        The file is not a pickle: reading it runs no code. The loaded explainer gives the same answers as this one; its
        `model` is the `Ensemble`.

        Parameters
        ----------
        path
            The file. It is written as a whole or not at all.

        Returns
        -------
        None

        Raises
        ------
        InvalidInput
            If the model or an option cannot be saved, or `path` is not a path.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> import pathlib, tempfile
        >>> from primewood import load
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.explainer"
        >>> explainer.save(path)
        >>> load(path).decide(X[0])
        'setosa'
        """
        from primewood.saving import save_explainer

        save_explainer(self, path)

    def _start_clock(self, time_limit: float | None, work_limit: int | None) -> Clock:
        """The limits of a question that begins now."""
        return clock_of(time_limit, work_limit, self.threads)

    def _read_rows(self, X: Any) -> Reading:
        """The rows of a table; what is to be noted about its columns is told once, about its rows on their answers."""
        reading = read_rows(X, self._model.need_rows("batches").context.layout)
        tell(reading.notes)
        return reading

    def _batch_settings(self, options: dict[str, Any], *limits: Any) -> Settings:
        """The settings of a batch; raises for options that `explain` does not take."""
        kept = {name: tuple(x) if isinstance(x, Iterator) else x for name, x in options.items()}
        bind("explain", signature(self.explain), (None,), kept)
        if kept.get("precision") is not None:
            raise InvalidInput("precision is for one row; every explanation of a batch has in_short")
        return choose_settings(self._model.need_rows("batches"), kept, *limits)

    def _explain_rows(
        self, reading: Reading, settings: Settings, n_jobs: int | None, progress: bool | None
    ) -> Iterator[Explanation | Failed]:
        shown = self._choose_progress(progress)
        return explain_rows(self._model.need_rows("batches"), reading, settings, n_jobs, shown)

    def _choose_progress(self, progress: bool | None) -> bool | None:
        """Whether a batch shows its progress: as its call says, or else as the explainer does."""
        return self.progress if progress is None else check_shown(progress)


def compile(
    model: Any,
    X_train: Any = None,
    *,
    time_limit: float | None = None,
    watcher: CompilationWatcher | None = None,
    **options: Any,
) -> Compiled:
    """Compile a model, or an expression, to one decision diagram that answers any question.

    Cost: the diagram can be exponentially large in the number of trees; the limits stop it.

    Parameters
    ----------
    model, X_train, options
        As for `Explainer`. `max_nodes` is the largest number of nodes (4 million by default).
    time_limit
        Seconds, or None for no limit.
    watcher
        Called now and then with the stage, the nodes so far and the parts that are left to add.

    Returns
    -------
    Compiled
        The diagram. It can be asked, drawn and saved.

    Raises
    ------
    TooLarge
        If the diagram reaches a limit; the message gives the sizes reached.
    UnsupportedModel
        If the model is not supported.
    InvalidInput
        If the model is a regressor without a cut-off, or an option has a value that is not accepted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from primewood import compile
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    >>> compiled = compile(forest, X)
    >>> compiled.count()
    {0: 382, 1: 789, 2: 557}
    >>> compiled.explanations(X[133]).count(), compiled.explanations(X[133], literals="sets").count()
    (5, 5)
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
    """Prove that two models decide alike on every row, or find where they differ.

    Cost: a search that can take exponential time, within the limits.

    Parameters
    ----------
    first, second
        Models over the same columns, their files, or `Explainer`s.
    X
        Rows. Those that the two models decide differently are counted, and regions are grown around them.
    regions, time_limit, work_limit
        As for `Explainer.compare`.
    trust_pickle
        As for `Explainer`, for the files of both models.
    options
        As for `Explainer`, for the first model.

    Returns
    -------
    Comparison
        The outcome, and the rows and regions where the two models differ.

    Raises
    ------
    UnsupportedModel
        If one of the models is not supported.
    InvalidInput
        If the models have different columns or decisions, or an option has a value that is not accepted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> first, second = (DecisionTreeClassifier(max_depth=3, random_state=i).fit(X, y) for i in (0, 1))
    >>> print(compare(first, second, X))
    equivalent
       Proved: the two models decide alike on every row.
       Assumes: no value is missing.
    """
    explainer = (
        first if isinstance(first, Explainer) else Explainer(first, X, trust_pickle=trust_pickle, **options)
    )
    return explainer.compare(
        second, regions=regions, trust_pickle=trust_pickle, time_limit=time_limit, work_limit=work_limit
    )


def verify(
    model: Any,
    stated: object,
    X_train: Any = None,
    *,
    time_limit: float | None = 60.0,
    work_limit: int | None = None,
    **options: Any,
) -> Verification:
    """Prove that a property of a model is true for every row, or find a row that breaks it.

    Cost: a search that can take exponential time, within the limits.

    Parameters
    ----------
    model, X_train, options
        As for `Explainer`; or an `Explainer`.
    stated, time_limit, work_limit
        As for `Explainer.verify`.

    Returns
    -------
    Verification
        The outcome: "holds", "fails" with a row that breaks the property, or "undecided".

    Raises
    ------
    UnsupportedModel
        If the model is not supported.
    ParseError
        If the text is not a rule, or names an unknown feature or decision.
    UnknownName
        If the property names a feature or a decision that does not exist.
    InvalidInput
        If `stated` is not a property, the property does not apply to the model, or an option has a value that is not
        accepted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from primewood import verify
    >>> iris = load_iris()
    >>> forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> print(verify(forest, "pl < 2 and pw < 0.6 -> setosa", iris.data, **names))
    holds: pl < 2 and pw < 0.6 -> setosa
       Proved: every row with pl < 2 and pw < 0.6 gets the decision setosa.
       Assumes: no value is missing.
    """
    explainer = model if isinstance(model, Explainer) else Explainer(model, X_train, **options)
    return explainer.verify(stated, time_limit=time_limit, work_limit=work_limit)
