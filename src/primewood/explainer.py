"""The explainer: all questions about a model in one place."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.arguments import asks, bind, clock_of, takes_options
from primewood.batch.batch import Batch
from primewood.batch.failed import Failed
from primewood.batch.file_writer import explain_into_one_file, is_one_file
from primewood.batch.folder import PartFormat
from primewood.batch.folder_writer import Written, explain_file
from primewood.batch.importance import ROWS_BETWEEN_FLIPS, count_importance
from primewood.batch.run import explain_rows
from primewood.batch.settings import BLOCK, Settings, choose_settings
from primewood.domain import Domain
from primewood.domain.domain import MissingRule
from primewood.engines.diagram.compiler import CompilationWatcher
from primewood.engines.protocol import EngineName
from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput
from primewood.logic.expression import Expression
from primewood.logic.language import Language
from primewood.model.building import Options, Summation, build_model, read_alike
from primewood.model.decision_rule import DecisionRule
from primewood.model.model import Model, TreeModel, VoteName
from primewood.model.names import ClassNames
from primewood.model.score import Score
from primewood.model.summary import describe_in_a_line, show_card
from primewood.progress import Progress, with_progress
from primewood.properties.comparison import Comparison, compare_models
from primewood.properties.compiled import Compiled, compile_model
from primewood.properties.rule_list import RuleList, RuleWishes, grow_rules
from primewood.properties.verification import Verification, verify_property
from primewood.questions.complete import CompleteReason, Relevance, find_complete_reason
from primewood.questions.contrast import Contrast, Contrasts, find_contrast, list_contrasts
from primewood.questions.counterfactual import Counterfactual, CounterfactualSearch
from primewood.questions.distance import Norm, choose_moves
from primewood.questions.explain import Wishes, explain
from primewood.questions.explanation import Explanation, Goal, Measure
from primewood.questions.explanations import Explanations, list_explanations
from primewood.questions.importance import Importance
from primewood.questions.listing import Reasons
from primewood.questions.order import WeakeningOrder
from primewood.questions.relevance import Attribution, find_attribution, find_relevance
from primewood.questions.robustness import Robustness, find_robustness
from primewood.questions.slices import DecisionMap, WhatIf, find_decision_map, find_what_if
from primewood.readers.fidelity import Fidelity
from primewood.tables.files import Dialect
from primewood.tables.rows import Reading, read_rows, tell
from primewood.tables.tabular import is_table
from primewood.visible import visible

if TYPE_CHECKING:
    from primewood.apps.adverse_action import AdverseAction, Codes
    from primewood.apps.check import Check
    from primewood.apps.report import Report
    from primewood.render.picture import Picture


class Explainer:
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
    ) -> None:
        self._options = Options(
            feature_names=feature_names,
            class_names=class_names,
            units=units,
            domain=domain,
            groups=groups,
            constraints=constraints,
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
        self.progress = progress

    # What it is about

    @property
    def model(self) -> Any:
        """What is explained: the model that was given, or that was read from the file that was given."""
        return self._model.source

    @property
    def ensemble(self) -> Ensemble | None:
        """The trees as they decide; None for an expression."""
        return self._model.ensemble if isinstance(self._model, TreeModel) else None

    @property
    def domain(self) -> Domain | None:
        """What rows can be; None for an expression."""
        return self._model.domain if isinstance(self._model, TreeModel) else None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features; of an expression, of its variables."""
        return self._model.context.feature_names

    @property
    def class_names(self) -> tuple[object, ...]:
        """The shown names of the decisions."""
        return self._model.context.class_names

    @property
    def literals(self) -> Language:
        """The language of all answers, if a question asks for no other."""
        return self._model.context.literals

    @property
    def rule(self) -> DecisionRule:
        """What the model decides by, if that was chosen."""
        return self._options.rule

    @property
    def immutable(self) -> tuple[str, ...]:
        """The features that cannot change."""
        return tuple(self._options.immutable or ())

    @property
    def fidelity(self) -> Fidelity | None:
        """How the reading of the model fared against the library's own scores and decisions."""
        return self._model.fidelity if isinstance(self._model, TreeModel) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about how the training rows were read."""
        return self._model.notes if isinstance(self._model, TreeModel) else ()

    @property
    def positive(self) -> object:
        """The class that a cut-off and probabilities speak of, by its shown name; None if there is none."""
        return self._model.positive if isinstance(self._model, TreeModel) else None

    @property
    def rows(self) -> NDArray[np.float64]:
        """The training rows, as the model takes them; without any, an empty array."""
        rows = self._model.context.rows if isinstance(self._model, TreeModel) else None
        return np.empty((0, 0)) if rows is None else rows

    @property
    def agreement(self) -> tuple[int, int] | None:
        """On how many training rows `model.predict` decides as the vote does, and of how many rows.

        None without training rows, or where the decision is not the model's own.
        """
        return self._model.agreement if isinstance(self._model, TreeModel) else None

    def __repr__(self) -> str:
        return visible(describe_in_a_line(self._model))

    def _repr_html_(self) -> str:
        return show_card(self._model)

    def _about(self, model: Model, **options: Any) -> Self:
        """The explainer of another model, made of this one's."""
        other = copy.copy(self)
        other._model, other._options = model, replace(self._options, **options)
        return other

    # What it decides

    def decide(self, x: Any) -> object:
        """The decision on a row, by its name; of a table with several rows, the list of their decisions."""
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
        """The class, the score and the cut-off of the decision on a row; None for an expression, which has no score."""
        decision = self._model.ask(x)
        return decision.context.score(decision.values)

    def expression(self, decision: object) -> Expression:
        """The expression "the decision is this one" over the variables of the model's domain."""
        return self._model.subject.formula(self._model.context.label(decision))

    @asks("around")
    def around(self, x: Any, within: float) -> Self:
        """The explainer of "the prediction is within plus or minus `within` of that for this row", for a regressor."""
        model = self._model.around(x, within)
        return self._about(model, between=model.rule.between, class_names=None)

    # Questions

    @asks("explain")
    def explain(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        goal: Goal = "prime",
        measure: Measure | None = None,
        weights: Mapping[str, float] | None = None,
        order: WeakeningOrder | None = None,
        fix: Iterable[str] = (),
        avoid: Iterable[str] = (),
        only: Iterable[str] | None = None,
        also: Any = None,
        within: float | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Explanation:
        """One PI-explanation of the decision on a row.

        Parameters
        ----------
        x
            A row: an array, a Series, a one-row frame, or a dict by feature names.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        goal
            "prime": the one that `order` leads to. "shortest": one that mentions the fewest features, or those
            with the least total weight. "widest": one that covers the most. When the time limit comes before that
            is proved, the status says so, and `bounds` how far it may be from the best.
        measure
            What "widest" counts: training "rows" (the default with training rows), "volume" (the share of the box of
            their ranges), or "values" (the share of cells).
        weights
            Per feature a positive number: how little it is wanted in the answer. "shortest" has the least sum; "prime"
            lets go of the heaviest first, if no order is given.
        order
            The features in the order in which to let go of them, or a list of steps, each a set of
            (feature, value) pairs to allow together. By default the least important feature first.
        fix
            Features that keep the row's value; the answer is prime given them.
        avoid
            Features that the answer must not mention. Where that is impossible, the status says so, and
            the explanation carries a counterexample: a row that differs in these features only.
        only
            The features that the answer may mention; the same as avoiding all others.
        also
            Rows that the answer should cover as well, the most important first: each is included if the
            decision stays, before `order` is followed. What is left of them, `covers` says.
        within
            For a regressor: explain why the prediction is within plus or minus this of what it is.
        time_limit
            Seconds, or None. When they are over, the answer still entails the decision, and its
            status says that it is not proved prime.
        work_limit
            The same, counted in nodes of the search; with ``time_limit=None`` reproducible.
        """
        decision = self._model.ask(x) if within is None else self._model.ask_within(x, within)
        wishes = Wishes(literals, goal, measure, weights, order, fix, avoid, only, also)
        return explain(decision, wishes, clock_of(time_limit, work_limit))

    @asks("explanations")
    def explanations(self, x: Any, *, literals: Language | None = None) -> Explanations:
        """All PI-explanations of the decision on a row: iterate over them, count, sample, filter.

        A model that compiles gives them as one diagram, by number of features; else they are listed one by one, by
        searching.
        """
        return list_explanations(self._model.ask(x), literals)

    @asks("count")
    def count(self, x: Any, *, literals: Language | None = None) -> int:
        """How many PI-explanations the decision on a row has."""
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
        """The explanations and the contrasts of the decision on a row, interleaved, as a search finds them.

        Parameters
        ----------
        target
            If given, about "not the target" instead of the decision: contrasts lead to the target, and explanations
            say why it is not decided.
        literals
            "values" is the quickest by far.
        time_limit, work_limit
            As for `explain`; for all of them together. `complete` says afterwards whether all were found.
        """
        return Reasons(self._model.ask(x, target), literals, clock_of(time_limit, work_limit))

    @asks("complete_reason")
    def complete_reason(self, x: Any) -> CompleteReason:
        """The complete reason of the decision on a row: all its PI-explanations as one function.

        For models that compile; `TooLarge` for others.
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
        """Which features are in every, in some, and in no PI-explanation of the decision on a row.

        A model that compiles answers at once. For others a search decides feature by feature, and `undecided` lists
        the features that the limits left open.
        """
        return find_relevance(self._model.ask(x), literals, clock_of(time_limit, work_limit))

    @asks("attribution")
    def attribution(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Attribution:
        """Per feature, the share of all PI-explanations of the decision on a row that mention it.

        Exact if all are found, or the model compiles; else between two bounds.
        """
        return find_attribution(self._model.ask(x), literals, clock_of(time_limit, work_limit))

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
        """The fewest features whose change can lead to another decision, or to the target.

        The explainer's `immutable` features keep their values. The status says whether this is proved, and whether
        anything changes the decision.
        """
        return find_contrast(self._model.ask(x, target), literals, clock_of(time_limit, work_limit))

    @asks("contrasts")
    def contrasts(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language | None = None,
        time_limit: float | None = None,
    ) -> Contrasts:
        """All contrastive explanations of the decision on a row: the minimal changes that may change it.

        Parameters
        ----------
        target
            The decision that is wanted; by default any other.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit
            How many seconds one diagram of them all may take. Where there is none, they are listed one by one as
            a search finds them, and this is when the listing stops.
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
        """The nearest row that gets a different decision, or the wanted one, with the range around it that is safe.

        Parameters
        ----------
        x
            A row.
        target
            The decision that is wanted; by default any other.
        norm
            "l1": the least sum of moves. "linf": the least largest move. "l0": the fewest features.
        relative
            Whether moves are measured as shares of the training range (the default with training rows).
        weights
            Per feature how much its moves count; 1 by default.
        immutable, increase, decrease
            Features that cannot change (with the explainer's own `immutable`), can only go up, can only go down.
        time_limit, work_limit
            As for `explain`.
        """
        model = self._model.need_rows("counterfactuals")
        limited = {"immutable": immutable, "increase": increase, "decrease": decrease}
        moves = choose_moves(model, norm, relative, weights, limited)
        search = CounterfactualSearch.for_predict(model.ask(x, target), moves)
        return search.find_nearest(clock_of(time_limit, work_limit))

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
        """Several different ways to another decision, the nearest first.

        None of them changes all the features that an earlier one changes. Parameters as for `counterfactual`.
        """
        if not isinstance(count, int) or count < 1:
            raise InvalidInput(f"count is a positive number, not {count!r}")
        model = self._model.need_rows("counterfactuals")
        limited = {"immutable": immutable, "increase": increase, "decrease": decrease}
        moves = choose_moves(model, norm, relative, weights, limited)
        search = CounterfactualSearch.for_predict(model.ask(x, target), moves)
        return list(islice(search.find_diverse(clock_of(time_limit, work_limit)), count))

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
        """The largest radius within which the decision on a row provably stays, with the nearest row beyond it.

        Parameters
        ----------
        norm
            "linf": how far every number may move at once; categories and missing values stay. "l0": how many features
            may become anything.
        relative
            Whether moves are measured as shares of the training range; then another category is as far as the
            whole range.
        time_limit, work_limit
            As for `explain`. When they are over, `radius` is proved all the same, but perhaps not the largest.
        """
        decision = self._model.need_rows("robustness").ask(x)
        return find_robustness(decision, norm, relative, clock_of(time_limit, work_limit))

    @asks("what_if")
    def what_if(self, x: Any, feature: str, *, why: Explanation | None = None) -> WhatIf:
        """What is decided if one feature of a row changes and the others stay, and where that is proved for all.

        Exact, for every value of the feature. Cost: one prediction per value that the model tells apart.

        Parameters
        ----------
        x
            The row.
        feature
            The name of the feature.
        why
            The explanation that says where the decision is proved whatever the free features are; `explain(x)` if it is
            not given.
        """
        return find_what_if(self._model.need_rows("strips and maps").ask(x), feature, why)

    @asks("decision_map")
    def decision_map(
        self, x: Any, features: tuple[str, str], *, why: Explanation | None = None
    ) -> DecisionMap:
        """What is decided if two features of a row change and the others stay, with the box of an explanation.

        Exact, for all values of both. Cost: one prediction per pair of values that the model tells apart. The
        parameters are those of `what_if`.
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
        """Whether an explanation that somebody else gives is one: sufficient, redundant, and what repairs it.

        Parameters
        ----------
        x
            The row that it explains.
        claim
            Names of features that are said to suffice, a rule as text or as a mapping from features to ranges, or what
            Anchors (alibi, anchor-exp), LIME or SHAP give for the row.
        most
            Of attributions (LIME, SHAP): how many features count, or "fewest": as many as are needed to suffice.
        by
            Which attributions count most: the largest by "absolute" value, or those in "favour" of the decision.
        time_limit, work_limit
            As for `explain`.
        """
        from primewood.apps.check import check

        decision = self._model.need_rows("claims").ask(x)
        return check(decision, claim, clock_of(time_limit, work_limit), most=most, by=by)

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
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> AdverseAction:
        """The principal reasons why a row is not decided favourably, the most important first, with a letter.

        Parameters
        ----------
        x
            The row.
        favourable
            The decision that would have been favourable.
        codes
            Per feature (or tuple of features) a text, a pair (code, text), or these by what is wrong with the value:
            "low", "high", "other" (category) or "missing".
        protected, undisclosable
            Features that keep the row's values and are never named; nor are those that are immutable.
        most
            How many reasons to give at most.
        time_limit, work_limit
            As for `explain`. When they are over, the reasons found hold, but their order is not proved.
        """
        from primewood.apps.adverse_action import LetterOptions, adverse_action

        decision = self._model.need_rows("adverse actions").ask(x)
        wording = LetterOptions(codes, protected, undisclosable, most)
        return adverse_action(decision, favourable, wording, clock_of(time_limit, work_limit))

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
        """One explanation per row of a frame or an array, in its order and with its index.

        Rows that the model cannot tell apart are explained once. The answers do not depend on `n_jobs` (as long as no
        limit of time comes in between).

        Parameters
        ----------
        X
            The rows.
        n_jobs
            How many rows are worked on at a time, in threads; -1 for as many as there are cores. Under
            ``joblib.parallel_config(backend="dask")`` they are shared out on the cluster.
        time_limit, work_limit
            Per row, as for `explain`.
        batch_limit
            Seconds for all rows together. When they are over, the rows that are left have an explanation that is not
            proved prime, and their status says so.
        reuse
            Whether a row inside the explanation of another row, with the same decision, takes that over: it is a
            PI-explanation of both. A note says so. Rows are then explained together with others near them (`also`
            of `explain`), so that their explanations cover many, and mention more features.
        progress
            Whether to show how far it is, when it takes more than a second: a live line on a terminal or in a notebook,
            elsewhere lines on stderr now and then. By default what the explainer says.
        options
            As for `explain`, the same for every row.
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
        """The explanations of many rows one by one, as their blocks are finished; nothing keeps them.

        The parameters are those of a call for all of them. A row that cannot be explained, because it is outside the
        domain, is `Failed` instead of an error.
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
        progress: bool | None = None,
        **options: Any,
    ) -> Written:
        """Explain every row of a file into a folder of parts, or into one .csv, .xlsx, .parquet or .jsonl file.

        Neither the file nor the explanations are held. Parts appear whole, and a run that was stopped can be resumed;
        one file appears when all rows are explained. `primewood.overview` says what parts have in common.

        Parameters
        ----------
        source
            A CSV file with a header, a Parquet file, JSON lines or an Excel workbook, with the model's columns.
        folder
            Where the parts go: a new or empty folder; with `resume`, that of a run that was stopped. A name that ends
            with .csv, .xlsx, .parquet or .jsonl is one file with a line per row.
        format
            What parts are written as: "parquet" (the default) or "jsonl".
        identity
            For one file: a column of `source` to copy, so that rows can be told by it.
        sheet
            Which sheet of a workbook; the first by default.
        decimal
            "." or ",": the decimal mark of a CSV file with semicolons or tabs; by default it is found.
        part_rows
            How many rows a part has. All rows of a part are explained before the next one is begun, so for many
            machines let it be some dozen times the number of cores; with `reuse`, whose rounds have at least a 64th of
            it, some hundred times.
        resume
            Whether to go on with what an earlier run has begun. It must have been asked the same.
        n_jobs, time_limit, work_limit, batch_limit, reuse, progress, options
            As for a call for rows in memory.
        """
        settings = self._batch_settings(options, time_limit, work_limit, batch_limit, reuse, part_rows)
        model, dialect = self._model.need_rows("batches"), Dialect(sheet, decimal)
        shared: dict[str, Any] = {"n_jobs": n_jobs, "progress": progress, "dialect": dialect}
        if is_one_file(folder):
            if resume or format is not None:
                raise InvalidInput(f"resume and format are for a folder of parts; {folder} is one file")
            return explain_into_one_file(model, source, folder, settings, identity=identity, **shared).written
        if identity is not None:
            raise InvalidInput("identity is for one .csv, .xlsx, .parquet or .jsonl file")
        return explain_file(
            model, source, folder, settings, format=format or "parquet", resume=resume, **shared
        )

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
        """Which features matter over some rows: exact counts of what can be proved of each row.

        Per feature: how many of the rows' explanations mention it, and on how many rows it alone flips the decision
        (another value of it, everything else unchanged, gets a different decision). These are counts over these rows,
        not effect sizes; a feature that is in no explanation here may still matter for other rows.

        Cost: one explanation per row, and one query per feature in it.

        Parameters
        ----------
        X
            The rows, as for a call for all of them.
        literals
            The literal language of the explanations.
        n_jobs
            How many rows are explained at a time, in threads; -1 for as many as there are cores.
        time_limit
            Seconds per row for its explanation, and again for its flips. Rows that take longer are counted in
            `undecided`.
        progress
            As for a call for all rows.

        Returns
        -------
        Importance
            Print it, or take `to_frame()`, `plot()`, `to_dict()`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from primewood import Explainer
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> found = Explainer(tree, X, feature_names=["sl", "sw", "pl", "pw"]).importance(X)
        >>> found.in_explanations["pw"], found.flips_alone["pw"]
        (150, 150)
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
        """Whether a property is true of the model: for every row, not for those that were tried.

        Parameters
        ----------
        stated
            A rule as text ("age < 18 -> not approved", "never denied"), or a property: `monotone`, `independent_of`,
            `never`, `output`, `robust_at`, `robust_everywhere`.
        time_limit
            Seconds, or None. When they are over, the outcome is "undecided", with how far the proof came. The clock
            starts when the features are cut where the property cuts them.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` reproducible.
        progress
            Whether to show what is going on; by default what the explainer says.
        """
        return verify_property(self._model.need_rows("properties"), stated, clock_of(time_limit, work_limit))

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
        """Whether another model decides alike on every row, and if not, where the two differ.

        Parameters
        ----------
        other
            A model, its file, or an `Explainer`, over the same columns.
        regions
            How many regions are grown at most.
        time_limit, work_limit
            As for `verify`; the clock starts when both models are read and cut into the same values.
        trust_pickle
            As for `Explainer`, for the file of the other model.
        progress
            As for `verify`.
        """
        model = self._model.need_rows("comparisons")
        theirs = (
            other._model
            if isinstance(other, Explainer)
            else read_alike(model, other, trust_pickle=trust_pickle)
        )
        return compare_models(
            model, theirs.need_rows("comparisons"), regions, clock_of(time_limit, work_limit)
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
        """Rules that are proved right on every row that they cover, and cover most of the training rows.

        Parameters
        ----------
        decisions
            The decisions to give rules for; by default all.
        literals
            As for `explain`.
        coverage
            Stop when this share of a decision's training rows is covered.
        most_rules
            The most rules per decision.
        time_limit, work_limit
            At the limit, the rules found so far are given.
        progress
            As for `verify`.
        """
        model = self._model.need_rows("rules")
        wishes = RuleWishes(decisions, literals, coverage, most_rules)
        return grow_rules(model, wishes, clock_of(time_limit, work_limit))

    @takes_options("compile")
    @with_progress("compiling")
    def compile(
        self,
        *,
        time_limit: float | None = None,
        watcher: CompilationWatcher | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Compiled:
        """The model as one decision diagram that answers any question; `TooLarge` if it outgrows its limits.

        Parameters
        ----------
        time_limit
            Seconds, or None: then `max_nodes` alone is the limit (with ``engine="auto"``, a small budget).
        watcher
            Called now and then with the stage, the nodes so far and the parts that are left to add.
        progress
            As for `verify`; shows what a watcher is told.
        """
        return compile_model(self._model, clock_of(time_limit, None).limit, watcher)

    @takes_options("draw_tree")
    def draw_tree(self, number: int = 0, *, most_nodes: int = 60) -> Picture:
        """A picture of one tree of the model, its tests in words; a large one is cut, with a note."""
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
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        seed: int = 0,
        watcher: CompilationWatcher | None = None,
        progress: bool | None = None,
    ) -> Report:
        """Everything that an auditor asks about a model, as one report.

        Parameters
        ----------
        X
            The rows to report on; by default the training rows.
        rows
            The numbers of rows of X to explain one by one; by default a choice of some of each decision.
        explain
            How many rows to choose, if `rows` does not say which.
        sample
            How many rows to draw for what is counted over rows: feature use, robustness, what features do alone.
        answers
            Explanations that there are already, for feature use to be counted over all of them instead of a sample
            that is explained anew: a folder that `explain_file` has written, its `overview`, or a `Batch`; of the same
            model.
        properties
            What to verify: texts such as "age < 18 -> not approved", or properties such as ``pw.monotone("income")``.
            By default, what each feature may do alone.
        literals
            The language of the explanations; by default the explainer's.
        title
            The title of the report.
        time_limit
            Seconds for the whole report, or None. What is not decided in time is marked as undecided.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` the report is the same each time,
            dates and timings aside.
        seed
            Of all draws.
        watcher
            Called with a section, how many of its things are done, and how many there are.
        progress
            Whether to show what a watcher is told; by default what the explainer says.
        """
        from primewood.apps.report import ReportSettings, gather

        language = self._model.choose_language(literals)
        settings = ReportSettings(rows, explain, sample, properties, language, time_limit, work_limit, seed)
        return gather(self, X, settings, answers=answers, title=title, watcher=watcher, progress=progress)

    def save(self, path: str | Path) -> None:
        """Write the explainer to a file that `primewood.load` reads: the model, the options and the training rows.

        The file is not a pickle: reading it runs no code. The explainer that is read gives the same answers; its
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
        from primewood.apps.saving import save_explainer

        save_explainer(self, path)

    def _read_rows(self, X: Any) -> Reading:
        """The rows of a table; what is to be noted about its columns is told once, about its rows on their answers."""
        reading = read_rows(X, self._model.need_rows("batches").context.layout)
        tell(reading.notes)
        return reading

    def _batch_settings(self, options: dict[str, Any], *limits: Any) -> Settings:
        """The settings of a batch; raises for options that `explain` does not take."""
        kept = {name: tuple(x) if isinstance(x, Iterator) else x for name, x in options.items()}
        bind("explain", signature(self.explain), (None,), kept)
        return choose_settings(self._model.need_rows("batches"), kept, *limits)

    def _explain_rows(
        self, reading: Reading, settings: Settings, n_jobs: int | None, progress: bool | None
    ) -> Iterator[Explanation | Failed]:
        shown = self.progress if progress is None else progress
        return explain_rows(self._model.need_rows("batches"), reading, settings, n_jobs, shown)


def compile(
    model: Any,
    X_train: Any = None,
    *,
    time_limit: float | None = None,
    watcher: CompilationWatcher | None = None,
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
