"""The façade: explain the decisions of a model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.arguments import (
    class_names_of,
    clock_of,
    context_of,
    deciding,
    declared_of,
    named,
    training_rows,
    with_spaces,
)
from primewood.domain import Domain, EnsembleSubject, ExpressionSubject, Subject, domain_of
from primewood.domain.domain import MissingRule
from primewood.engines.choice import EngineName, Engines
from primewood.engines.diagram.compiler import Watcher
from primewood.engines.duality import Duality, Kind
from primewood.engines.protocol import Family, Listing
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, TooLarge, UnknownName, listing
from primewood.fidelity import Fidelity, check_fidelity
from primewood.logic.expression import Expression
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language, check_language
from primewood.logic.term import Term
from primewood.properties.comparison import Comparing, Comparison, check_comparable
from primewood.properties.compiled import Compiled
from primewood.properties.rule_list import RuleList, rule_list
from primewood.properties.rules import Output, as_property
from primewood.properties.verification import Asked, Outcome, Verification
from primewood.reasons.adverse_action import AdverseAction, Codes, adverse_action, names_of
from primewood.reasons.best import Best, given
from primewood.reasons.check import Check, check
from primewood.reasons.complete import CompleteReason, Relevance
from primewood.reasons.context import UNDECIDED, Context
from primewood.reasons.contrast import Contrast, Contrasting, Contrasts, Finder
from primewood.reasons.counterfactual import Counterfactual, Counterfactuals
from primewood.reasons.distance import Moves, Norm, check_norm
from primewood.reasons.explanation import Explanation, Status, Witness
from primewood.reasons.explanations import Explanations, Measure, Question
from primewood.reasons.listing import Reasons
from primewood.reasons.obstacle import obstacle
from primewood.reasons.prime import Order, plan
from primewood.reasons.relevance import Attribution, attribution_of, find_attribution, find_relevance
from primewood.reasons.robustness import Robustness
from primewood.reasons.weakening import weaken
from primewood.reasons.witnesses import witnesses

if TYPE_CHECKING:
    from primewood.report.picture import Picture

VoteName = Choice["model", "majority"]
Summation = Choice["sequential", "any"]
Goal = Choice["prime", "shortest", "widest"]


class Explainer:
    """Explains the decisions of a tree model, or of an expression.

    Parameters
    ----------
    model
        A fitted model of scikit-learn (decision trees, random forests, extra trees, bagging and voting of these,
        GradientBoosting, HistGradientBoosting; classifiers and regressors, alone or as the last step of a
        `Pipeline`), XGBoost, LightGBM or CatBoost, an `Ensemble`, a path to a model file, or an `Expression`.
    X_train
        Training rows (array or frame): for coverage, for recognising Boolean columns, for short bounds.
    feature_names, class_names
        Names to use instead of the model's own; class names in the order of ``model.classes_``.
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
        The cut-off of the decision: of two classes, the second one iff ``predict_proba(x)[:, 1] >= threshold``; of a
        regressor, whether its prediction is at least this.
    between : pair of float, optional
        For a regressor: whether its prediction is below, between (ends included) or above the two.
    immutable : list of str, optional
        Features that cannot change: no contrast lets go of them.
    vote
        "model": the model's own vote, so that answers hold for its `predict` (a forest of scikit-learn
        averages its trees' class fractions). "majority": each tree one vote, the paper's; not the vote
        of a scikit-learn forest, so its `predict` may differ, and `agreement` counts where they agree.
    engine, max_nodes
        See `primewood.engines.choice.Engines`.
    missing
        Whether values may be missing: "auto" (what X_train contains; without it, what the model
        accepts), "allow" or "forbid".
    summation
        "sequential": scores are added in the order of the trees, as with ``n_jobs=1``. "any": in any
        order, as happens with more jobs; answers then hold for every order. By default what the
        model's own ``n_jobs`` means.

    Attributes
    ----------
    fidelity : Fidelity or None
        How the reading of the model fared against the library's own scores and decisions, on the training rows
        and on planted ones; None for expressions, ensembles and the majority vote.

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

    def __init__(
        self,
        model: Any,
        X_train: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[object] | None = None,
        units: Mapping[str, str] | None = None,
        domain: Mapping[str, Any] | None = None,
        groups: Mapping[str, Sequence[str]] | str | None = None,
        constraints: Sequence[str] | None = None,
        threshold: float | None = None,
        between: tuple[float, float] | None = None,
        immutable: Iterable[str] = (),
        vote: VoteName = "model",
        engine: EngineName = "auto",
        max_nodes: int | None = None,
        missing: MissingRule = "auto",
        summation: Summation | None = None,
    ) -> None:
        if vote not in get_args(VoteName):
            raise InvalidInput(f'vote is "model" or "majority", not {vote!r}')
        if summation not in (None, *get_args(Summation)):
            raise InvalidInput(f'summation is "sequential" or "any", not {summation!r}')
        if isinstance(model, str | Path):
            model = readers.load_model(model)
        self.model = model
        self.immutable = tuple(immutable)
        self._threshold, self._between, self._vote = threshold, between, vote
        self._decides_itself = threshold is None and between is None
        self.domain: Domain | None = None
        self.ensemble: Ensemble | None = None
        self.fidelity: Fidelity | None = None
        if isinstance(model, Expression):
            given = (X_train, feature_names, domain, groups, constraints, threshold, between)
            if any(option is not None for option in given) or missing != "auto":
                raise InvalidInput(
                    "an expression brings its own variables; X_train, feature_names, domain, groups, constraints, "
                    "threshold, between and missing are for models"
                )
            self._subject: Subject = ExpressionSubject(model)
            self._context = Context(model.variables, class_names_of(self._subject, class_names))
        else:
            self.ensemble = named(with_spaces(readers.read(model, X_train), X_train), feature_names)
            as_read = self.ensemble
            self._read_classes = as_read.classes
            if vote == "majority":
                self.ensemble = self.ensemble.by_majority()
            self.ensemble = deciding(self.ensemble, threshold, between)
            rows = training_rows(X_train, self.ensemble)
            self._domain_for = partial(
                domain_of,
                rows=rows,
                declared=declared_of(X_train, domain, self.ensemble),
                groups=groups,
                constraints=constraints,
                missing=missing,
            )
            self.domain = self._domain_for(self.ensemble)
            if vote == "model" and not isinstance(model, Ensemble):
                features = self.domain.features
                self.fidelity = check_fidelity(
                    model,
                    as_read,
                    rows,
                    missing=[column for f in features if f.missing for column in f.columns],
                    groups=[f.columns for f in features if len(f.columns) > 1],
                )
            self._subject = EnsembleSubject(self.ensemble, self.domain)
            names = class_names_of(self._subject, class_names)
            self._context = context_of(self.ensemble, self.domain, names, rows, units)
        self._usual_plan = plan(self._subject, None)
        self.class_names = self._context.class_names
        self._places("immutable", self.immutable)
        if summation is None:
            summation = "any" if self.ensemble is not None and self.ensemble.any_order else "sequential"
        self._engines = Engines(self._subject, engine, max_nodes, any_order=summation == "any")

    @property
    def rows(self) -> NDArray[np.float64]:
        """The training rows, as the model takes them; without any, an empty array."""
        rows = self._context.rows
        return np.empty((0, 0)) if rows is None else rows

    @property
    def agreement(self) -> tuple[int, int] | None:
        """On how many training rows `model.predict` decides as the vote does, and of how many rows.

        None without training rows, or where the model has no `predict` of its own.
        """
        rows = self._context.rows
        if (
            rows is None
            or self.ensemble is None
            or isinstance(self.model, Ensemble)
            or not self._decides_itself
        ):
            return None
        own = readers.decisions_of(self.model, rows, self.ensemble.categories)
        vote = np.array(self.ensemble.classes, dtype=own.dtype)[self.ensemble.predict(rows)]
        return int((own == vote).sum()), len(rows)

    def explain(
        self,
        x: Any,
        *,
        literals: Language = "sets",
        goal: Goal = "prime",
        measure: Measure | None = None,
        weights: Mapping[str, float] | None = None,
        order: Order | None = None,
        fix: Iterable[str] = (),
        avoid: Iterable[str] = (),
        only: Iterable[str] | None = None,
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
            "sets", "intervals" or "values".
        goal
            "prime": the one that `order` leads to. "shortest": one that mentions the fewest features, or those
            with the least total weight. "widest": one that covers the most. When the time is over before that
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
        within
            For a regressor: explain why the prediction is within plus or minus this of what it is.
        time_limit
            Seconds, or None. When they are over, the answer still entails the decision, and its
            status says that it is not proved prime.
        work_limit
            The same, counted in nodes of the search; with ``time_limit=None`` reproducible.
        """
        check_language(literals)
        if within is not None:
            return self.around(x, within).explain(
                x,
                literals=literals,
                goal=goal,
                measure=measure,
                weights=weights,
                order=order,
                fix=fix,
                avoid=avoid,
                only=only,
                time_limit=time_limit,
                work_limit=work_limit,
            )
        self._check_decides()
        if goal not in get_args(Goal):
            raise InvalidInput(f"goal is one of {listing(get_args(Goal))}, not {goal!r}")
        clock = clock_of(time_limit, work_limit)
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        fixed, avoided = self._places("fix", fix), self._places("avoid", avoid)
        if only is not None:
            avoided |= frozenset(range(len(point))) - self._places("only", only) - fixed
        if fixed & avoided:
            raise InvalidInput("a feature cannot be both fixed and avoided")
        weighed = self._weighed(weights, goal)
        if measure is not None and goal != "widest":
            raise InvalidInput('measure is for goal="widest"')
        if goal != "prime":
            if order is not None:
                raise InvalidInput(f'order is for goal="prime", not for {goal!r}')
            question = Question(self._context, label, literals, row, self._notes(row, label))
            asked = Best(question, self._engines, point, self._usual_plan[1], fixed, avoided, clock)
            best = asked.shortest(weighed) if goal == "shortest" else asked.widest(measure)
            if best is not None:
                return best
        elif weighed and order is None:
            usual = self._usual_plan[1]
            order = [
                self._subject.variables[j].name for j in sorted(usual, key=lambda j: -weighed.get(j, 1.0))
            ]
        steps, variables = self._usual_plan if order is None else plan(self._subject, order)
        if avoided:
            steps = [{j: self._subject.variables[j].everything for j in avoided}, *steps]
        oracle = self._engines.oracle(label)
        found = weaken(oracle, point, steps, variables, literals, fixed=fixed, clock=clock)
        status = Status.PROVED if found.complete else Status.INTERRUPTED
        notes = self._notes(row, label)
        reason = obstacle(self._context, self._engines, label, found, avoided, row, point, clock)
        if reason:
            status, notes = Status.IMPOSSIBLE, (*notes, reason)
        notes = given(notes, self._subject.variables, fixed)
        return self._explanation(
            Term.of_box(self._subject.variables, found.box),
            label,
            literals,
            row,
            status,
            notes,
            found.queries,
            lambda: witnesses(
                self._context, self.ensemble, found, point, row, label, any_order=self._engines.any_order
            ),
        )

    def around(self, x: Any, within: float) -> Explainer:
        """The explainer of "the prediction is within plus or minus `within` of that for this row", for a regressor."""
        if self.ensemble is None or not self.ensemble.is_regressor:
            raise InvalidInput("within is for regressors, explained without a threshold")
        if not isinstance(within, int | float | np.number) or not 0 <= within < np.inf:
            raise InvalidInput(f"within is a number of at least 0, not {within!r}")
        row, _ = self._context.read(x)
        prediction = float(self.ensemble.predict_proba([row])[0, 0])  # type: ignore[list-item]
        ends = (prediction - float(within), prediction + float(within))
        assert self.domain is not None
        return self._with(deciding(self.ensemble, None, ends), self.domain)

    def _with(self, ensemble: Ensemble, domain: Domain) -> Explainer:
        """The explainer of the same model with another decision, or over another domain."""
        other = copy.copy(self)
        other.ensemble, other.domain = ensemble, domain
        other._subject = EnsembleSubject(ensemble, domain)
        if ensemble is not self.ensemble:
            other.class_names = ensemble.classes
        rows = self._context.rows
        other._context = replace(
            self._context,
            class_names=other.class_names,
            digest=ensemble.digest,
            domain=domain,
            variables=domain.variables,
            points=None if rows is None else domain.points(rows),
        )
        engines = self._engines
        other._usual_plan = plan(other._subject, None)
        other._engines = Engines(
            other._subject, engines.engine, engines.max_nodes, any_order=engines.any_order
        )
        return other

    def verify(
        self, stated: object, *, time_limit: float | None = 60.0, work_limit: int | None = None
    ) -> Verification:
        """Whether a property is true of the model: for every row, not for those that were tried.

        Parameters
        ----------
        stated
            A rule as text ("age < 18 -> not approved", "never denied"), or a property: `monotone`, `independent_of`,
            `never`, `output`, `robust_at`, `robust_everywhere`.
        time_limit
            Seconds, or None. When they are over, the outcome is "undecided", with how far the proof came.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` reproducible.
        """
        self._check_rows("properties")
        asked = as_property(stated)
        if not isinstance(asked, Output):
            self._check_decides()
        assert self.ensemble is not None
        other, conditions = self, asked.conditions(self._context.feature_names)
        if conditions:
            other = self._with(self.ensemble, self._domain_for(self.ensemble, conditions=conditions))
        clock = clock_of(time_limit, work_limit)
        try:
            return asked.verified(Asked(other._context, other._engines, clock))
        except TooLarge as problem:
            return Verification(str(stated), Outcome.UNDECIDED, self._context, note=str(problem))

    def compare(
        self,
        other: Any,
        *,
        regions: int = 5,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
    ) -> Comparison:
        """Whether another model decides alike on every row, and if not, where the two differ.

        Parameters
        ----------
        other
            A model, or an `Explainer`, over the same columns.
        regions
            How many regions are grown at most.
        time_limit, work_limit
            As for `verify`.
        """
        self._check_rows("comparisons")
        assert self.ensemble is not None
        if not isinstance(other, Explainer):
            other = self._alike(other)
        for explainer in (self, other):
            explainer._check_rows("comparisons")
            explainer._check_decides()
        theirs = other.ensemble
        check_comparable(self.ensemble, theirs)
        joint = self._with(self.ensemble, self._domain_for(self.ensemble, beside=theirs))
        assert joint.domain is not None
        engines = Engines(EnsembleSubject(theirs, joint.domain), any_order=other._engines.any_order)
        asked = Asked(joint._context, joint._engines, clock_of(time_limit, work_limit))
        return Comparing(asked, engines, (self.class_names, other.class_names)).compared(regions)

    def _alike(self, model: Any) -> Explainer:
        """An explainer of another model that names columns and decisions as this one does."""
        assert self.ensemble is not None
        if isinstance(model, str | Path):
            model = readers.load_model(model)
        read = readers.read(model, None)
        prefixes = {name.removesuffix(str(i)) for i, name in enumerate(read.feature_names)}
        unnamed = prefixes <= {"x"} or prefixes <= {"f"} or prefixes <= {"Column_"} or prefixes <= {""}
        same_width = read.n_features == self.ensemble.n_features
        names = (
            self.class_names
            if tuple(read.classes) == tuple(self._read_classes) and self._decides_itself
            else None
        )
        return Explainer(
            model,
            feature_names=self.ensemble.feature_names if unnamed and same_width else None,
            class_names=names,
            threshold=self._threshold,
            between=self._between,
            vote=self._vote,
        )

    def _check_immutable(self) -> None:
        """Whether an immutable feature may stay where it is depends on more than cells if an order speaks of it."""
        orders = () if self.domain is None else self.domain.knowledge.orders
        for order in orders:
            held = [name for name in (order.lower, order.upper) if name in self.immutable]
            if held:
                raise InvalidInput(
                    f"contrasts do not take {held[0]} as immutable together with the constraint {order.text!r} yet"
                )

    def _check_decides(self) -> None:
        if self.ensemble is not None and self.ensemble.is_regressor:
            raise InvalidInput(
                "a regressor decides nothing by itself: say threshold=t (prediction >= t) or between=(a, b) when the "
                "explainer is made, or within=e (plus or minus e around this prediction) when a row is explained"
            )

    def _weighed(self, weights: Mapping[str, float] | None, goal: Goal) -> dict[int, float]:
        """The weights by the places of variables."""
        if weights is None:
            return {}
        if goal == "widest":
            raise InvalidInput('weights are for goal="shortest" and "prime"; "widest" takes measure')
        if not isinstance(weights, Mapping):
            raise InvalidInput(
                f"weights is a mapping from feature names to positive numbers, not {weights!r}"
            )
        self._places("weights", weights)
        for name, weight in weights.items():
            if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
                raise InvalidInput(f"the weight of {name} is a positive number, not {weight!r}")
        places = {x.name: j for j, x in enumerate(self._subject.variables)}
        return {places[name]: float(weight) for name, weight in weights.items() if name in places}

    def _undecided(self) -> InvalidInput:
        return InvalidInput("the decision on this row depends on the order in which scores are added")

    def explanations(self, x: Any, *, literals: Language = "sets") -> Explanations:
        """All PI-explanations of the decision on a row: iterate over them, count, sample, filter.

        A model that compiles gives them as one diagram, by number of features; else they are listed one by one, by
        searching.
        """
        check_language(literals)
        self._check_decides()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        question = Question(self._context, label, literals, row, self._notes(row, label))
        return Explanations(question, self._engines.primes(label, literals, point))

    def reasons(
        self,
        x: Any,
        *,
        target: object = None,
        literals: Language = "values",
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
        self._check_decides()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        wanted = self._wanted(target, label)
        oracle = self._engines.oracle(label, wanted)
        duality = Duality(oracle, check_language(literals), point, self._usual_plan[1])
        question = Question(self._context, label, literals, row, self._notes(row, label))
        finder = Finder(oracle, self._engines.decide)
        contrasting = Contrasting(self._context, label, literals, row, point, finder)
        return Reasons(duality, question, contrasting, clock_of(time_limit, work_limit))

    def _wanted(self, target: object, label: int) -> int | None:
        if target is None:
            return None
        wanted = self._context.label(target)
        if wanted == label:
            raise InvalidInput(f"the row is decided {target} already; say another target")
        return wanted

    def count(self, x: Any, *, literals: Language = "sets") -> int:
        """How many PI-explanations the decision on a row has."""
        return self.explanations(x, literals=literals).count()

    def contrast(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language = "values",
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Contrast:
        """The fewest features to let go of so that another decision, or the target, becomes possible.

        The explainer's `immutable` features are held. If the time is over first, or nothing changes the decision, the
        status says so.
        """
        self._check_decides()
        row, point = self._context.read(x)
        engines = self._engines.in_sequence()
        label = engines.decide(point)
        wanted = self._wanted(target, label)
        asked = Contrasting(
            self._context,
            label,
            check_language(literals),
            row,
            point,
            Finder(engines.oracle(label, wanted), engines.decide),
        )
        moves = Moves("l0", False, immutable=frozenset(self.immutable), to_missing=True)
        clock = clock_of(time_limit, work_limit)
        if row is None:
            raise InvalidInput(
                "contrast is about rows of a model; of an expression, contrasts lists them all"
            )
        costs = moves.priced(self._context, row, point)
        near = engines.pricing(label, wanted).nearest(point, costs, clock)
        if near.point is None:
            return asked.nothing(Status.IMPOSSIBLE if near.complete else Status.INTERRUPTED)
        changed = self._context.nearest_row(near.point, row, point, moves.limits(self._context, row))
        return asked.shown_by(
            asked.towards(near.point),
            near.point,
            engines.decide(near.point),
            changed,
            status=Status.PROVED if near.complete else Status.INTERRUPTED,
            fewest=near.complete,
        )

    def contrasts(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language = "sets",
        time_limit: float | None = None,
    ) -> Contrasts:
        """All contrastive explanations of the decision on a row: the minimal changes that may change it.

        Parameters
        ----------
        target
            The decision that is wanted; by default any other.
        literals
            "sets", "intervals" or "values".
        time_limit
            How many seconds one diagram of them all may take. Where there is none, they are listed one by one as
            a search finds them, and this is when the listing stops.
        """
        self._check_decides()
        self._check_immutable()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        wanted = self._wanted(target, label)
        tree = self._engines.single_tree()
        if tree is not None and wanted is None:
            asked = Contrasting(self._context, label, check_language(literals), row, point, tree)
            found = Contrasts(asked, Listing(lambda: tree.contrasts(point, literals)))
        else:
            oracle = self._engines.oracle(label, wanted)
            finder = Finder(oracle, self._engines.decide)
            asked = Contrasting(self._context, label, check_language(literals), row, point, finder)
            found = Contrasts(asked, self._contrast_boxes(label, wanted, literals, point, time_limit))
        for name in self.immutable:
            found = found.without(name)  # type: ignore[assignment]
        return found

    def _contrast_boxes(
        self, label: int, target: int | None, literals: Language, point: Point, time_limit: float | None
    ) -> Family:
        """All contrasts as one diagram if the model compiles, else listed by searching."""
        if self._engines.engine in ("auto", "diagram"):
            try:
                return self._engines.on_diagram(label, time_limit, target).contrasts(literals, point)
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise

        def listed() -> Iterator[Box]:
            oracle = self._engines.oracle(label, target)
            duality = Duality(oracle, literals, point, self._usual_plan[1], first=Kind.CONTRAST)
            items = duality.items(clock_of(time_limit, None))
            return (item.box for item in items if item.kind is Kind.CONTRAST)

        return Listing(listed)

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
        """The nearest row that is decided otherwise, or as wanted, with the range around it that is safe.

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
        asked = self._counterfactuals(x, target, norm, relative, weights, immutable, increase, decrease)
        return asked.nearest(clock_of(time_limit, work_limit))

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
        asked = self._counterfactuals(x, target, norm, relative, weights, immutable, increase, decrease)
        return list(islice(asked.diverse(clock_of(time_limit, work_limit)), count))

    def _counterfactuals(
        self,
        x: Any,
        target: object,
        norm: str,
        relative: bool | None,
        weights: Mapping[str, float] | None,
        immutable: Iterable[str],
        increase: Iterable[str],
        decrease: Iterable[str],
    ) -> Counterfactuals:
        self._check_decides()
        self._check_rows("counterfactuals")
        immutable, increase, decrease = (
            self._named(what, names)
            for what, names in (("immutable", immutable), ("increase", increase), ("decrease", decrease))
        )
        moves = Moves(
            check_norm(norm),
            self._context.rows is not None if relative is None else bool(relative),
            weights,
            immutable | frozenset(self.immutable),
            increase,
            decrease,
        )
        moves.check(self._context)
        row, point = self._context.read(x)
        assert row is not None
        wanted = None if target is None else self._context.label(target)
        engines = self._engines
        return Counterfactuals(self._context, engines.in_sequence(), engines, row, point, wanted, moves)

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
        if check_norm(norm) == "l1":
            raise InvalidInput('robustness takes norm="linf" or "l0"; counterfactual takes "l1" too')
        self._check_decides()
        self._check_rows("robustness")
        moves = Moves(
            norm, relative and norm != "l0", to_missing=norm == "l0", categories=relative or norm == "l0"
        )
        moves.check(self._context)
        row, point = self._context.read(x)
        assert row is not None
        asked = Counterfactuals(
            self._context, self._engines, self._engines, row, point, None, moves, with_box=False
        )
        return Robustness(asked.nearest(clock_of(time_limit, work_limit)))

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
        self._check_decides()
        self._check_rows("claims")
        row, point = self._context.read(x)
        assert row is not None
        clock, label = clock_of(time_limit, work_limit), self._engines.decide(point)
        return check(self._context, self._engines, row, point, label, claim, clock, most=most, by=by)

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
        clock = clock_of(time_limit, work_limit)
        left_out, unnamed = names_of("protected", protected), names_of("undisclosable", undisclosable)
        hidden = (*left_out, *unnamed)
        asked = self._counterfactuals(x, favourable, "l1", None, None, hidden, (), ())
        return adverse_action(asked, clock, codes=codes, protected=left_out, most=most)

    def _check_rows(self, what: str) -> None:
        if self.ensemble is None:
            raise InvalidInput(f"{what} are about rows of a model; an expression has none")

    def complete_reason(self, x: Any) -> CompleteReason:
        """The complete reason of the decision on a row: all its PI-explanations as one function.

        For models that compile; `TooLarge` for others.
        """
        self._check_decides()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        values = None if row is None else tuple(row.tolist())
        function = self._engines.on_diagram(label).reason(point)
        if function.root == 0:
            raise self._undecided()
        return CompleteReason(self.class_names[label], values, point, function, self._context)

    def relevance(
        self,
        x: Any,
        *,
        literals: Language = "sets",
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Relevance:
        """Which features are in every, in some, and in no PI-explanation of the decision on a row.

        A model that compiles tells at once. Of others each feature is searched for; what is not decided when
        the time is over is said so.
        """
        self._check_decides()
        if check_language(literals) == "sets" and self._engines.engine in ("auto", "diagram"):
            try:
                return self.complete_reason(x).relevance
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise
        _, point = self._context.read(x)
        oracle = self._engines.oracle(self._engines.decide(point))
        clock = clock_of(time_limit, work_limit)
        return find_relevance(self._context, oracle, point, self._usual_plan[1], literals, clock)

    def attribution(
        self,
        x: Any,
        *,
        literals: Language = "values",
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Attribution:
        """Per feature, the share of all PI-explanations of the decision on a row that mention it.

        Exact if all are found, or the model compiles; else between two bounds.
        """
        self._check_decides()
        check_language(literals)
        _, point = self._context.read(x)
        label = self._engines.decide(point)
        clock = clock_of(time_limit, work_limit)
        if self._engines.engine in ("auto", "diagram"):
            try:
                seconds = None if clock.limit is None else clock.left() / 2
                family = self._engines.on_diagram(label, seconds).primes(literals, point)
                return attribution_of(self._context, family)
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise
        oracle = self._engines.oracle(label)
        return find_attribution(self._context, oracle, point, self._usual_plan[1], literals, clock)

    def rules(
        self,
        decisions: Sequence[object] | None = None,
        *,
        literals: Language = "intervals",
        coverage: float = 0.95,
        most_rules: int | None = None,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
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
            When the time is over, the rules found so far are given.
        """
        self._check_decides()
        self._check_rows("rules")
        return rule_list(
            self._context,
            self._engines,
            decisions=decisions,
            literals=check_language(literals),
            coverage=coverage,
            most_rules=most_rules,
            clock=clock_of(time_limit, work_limit),
        )

    def compile(self, *, time_limit: float | None = None, watcher: Watcher | None = None) -> Compiled:
        """The model as one decision diagram that answers any question; `TooLarge` if it outgrows its limits.

        Parameters
        ----------
        time_limit
            Seconds, or None: then `max_nodes` alone is the limit (with ``engine="auto"``, a small budget).
        watcher
            Called now and then with the stage, the nodes so far and the parts that are left to add.
        """
        self._check_decides()
        diagram = self._engines.diagram(watcher, clock_of(time_limit, None).limit)
        context = self._context
        if self._engines.any_order:
            context = replace(context, class_names=(*context.class_names, UNDECIDED))
        return Compiled(diagram, context)

    def draw_tree(self, number: int = 0, *, most_nodes: int = 60) -> Picture:
        """A picture of one tree of the model, its tests in words; a large one is cut, with a note."""
        from primewood.properties.drawing import tree_records
        from primewood.report.picture import tree_picture

        if self.ensemble is None:
            raise InvalidInput(
                "an expression has no trees; primewood.compile(expression).draw() shows its diagram"
            )
        records = tree_records(self.ensemble, self._context, number)
        title = f"tree {number} of {len(self.ensemble.trees)}" if len(self.ensemble.trees) > 1 else None
        return tree_picture(records, [str(x) for x in self.class_names], most_nodes=most_nodes, title=title)

    def decide(self, x: Any) -> object:
        """The decision on a row, by its name."""
        self._check_decides()
        return self.class_names[self._engines.decide(self._context.read(x)[1])]

    def expression(self, decision: object) -> Expression:
        """The expression "the decision is this one" over the variables of the model's domain."""
        return self._subject.formula(self._context.label(decision))

    def _places(self, what: str, names: Iterable[str]) -> frozenset[int]:
        """The places of the variables of features; those that no test looks at have none."""
        known = {v.name: j for j, v in enumerate(self._subject.variables)}
        return frozenset(known[name] for name in self._named(what, names) if name in known)

    def _named(self, what: str, names: Iterable[str]) -> frozenset[str]:
        """The names that are given, if they are names of features."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidInput(f"{what} is a list of feature names; write {what}=[{names!r}]")
        given = list(names)
        every = self._context.feature_names
        unknown = [name for name in given if name not in every]
        if unknown:
            raise UnknownName(f"{what} names {listing(unknown)}; the features are {listing(every)}")
        return frozenset(given)

    def _explanation(
        self,
        term: Term,
        label: int,
        literals: Language,
        row: NDArray[np.float64] | None,
        status: Status,
        notes: tuple[str, ...],
        queries: int = 0,
        find_witnesses: Callable[[], tuple[Witness, ...]] = tuple,
    ) -> Explanation:
        return Explanation(
            decision=self.class_names[label],
            term=term,
            language=literals,
            status=status,
            row=None if row is None else tuple(row.tolist()),
            context=self._context,
            queries=queries,
            notes=notes,
            find_witnesses=find_witnesses,
        )

    def _notes(self, row: NDArray[np.float64] | None, label: int) -> tuple[str, ...]:
        """What to know about this decision: whether the model's own `predict` says otherwise."""
        if row is None or self.ensemble is None or self.fidelity or isinstance(self.model, Ensemble):
            return ()
        own = readers.decisions_of(self.model, row[None, :], self.ensemble.categories)[0]
        place = list(self.ensemble.classes).index(own.item() if hasattr(own, "item") else own)
        if place == label:
            return ()
        return (f"model.predict does not take a majority and says {self.class_names[place]} for this row",)


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
    >>> compiled.explanations(X[50]).count()
    760
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
    **options: Any,
) -> Comparison:
    """Whether two models decide alike on every row, with a proof, or where they differ.

    Parameters
    ----------
    first, second
        Models over the same columns, or `Explainer`s.
    X
        Rows: those that the two decide differently are counted, and regions grown around them.
    regions, time_limit, work_limit
        As for `Explainer.compare`.
    options
        As for `Explainer`, for the first model.
    """
    explainer = first if isinstance(first, Explainer) else Explainer(first, X, **options)
    return explainer.compare(second, regions=regions, time_limit=time_limit, work_limit=work_limit)


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
       proved for every row
       for rows where no value is missing
    """
    explainer = model if isinstance(model, Explainer) else Explainer(model, X_train, **options)
    return explainer.verify(stated, time_limit=time_limit, work_limit=work_limit)
