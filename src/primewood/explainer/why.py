"""Why a decision was taken: explanations, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.apps.check import Check, check
from primewood.arguments import (
    DecisionRule,
    clock_of,
    decide_between,
)
from primewood.engines.duality import Duality
from primewood.engines.protocol import Clock, Grown, Step
from primewood.errors import InvalidInput, TooLarge, listing
from primewood.explainer.asking import about_row
from primewood.explainer.model import Model
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.questions.best import Best, given
from primewood.questions.complete import CompleteReason, Relevance
from primewood.questions.contrast import Contrasting, Finder
from primewood.questions.explanation import Explanation, FindWitnesses, Goal, Status
from primewood.questions.explanations import Explanations, Measure, Question
from primewood.questions.listing import Reasons
from primewood.questions.obstacle import obstacle
from primewood.questions.prime import Order, plan
from primewood.questions.relevance import Attribution, attribution_of, find_attribution, find_relevance
from primewood.questions.weakening import weaken
from primewood.questions.witnesses import finder_of, witness_finder
from primewood.tables.rows import as_rows


class AsksWhy(Model):
    """Asks why the decision on a row was taken."""

    @about_row
    def explain(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        goal: Goal = "prime",
        measure: Measure | None = None,
        weights: Mapping[str, float] | None = None,
        order: Order | None = None,
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
        also
            Rows that the answer should cover as well, those that are wanted most first: each is let in if the
            decision stays, before `order` is followed. What is left of them, `covers` says.
        within
            For a regressor: explain why the prediction is within plus or minus this of what it is.
        time_limit
            Seconds, or None. When they are over, the answer still entails the decision, and its
            status says that it is not proved prime.
        work_limit
            The same, counted in nodes of the search; with ``time_limit=None`` reproducible.
        """
        literals = self._language(literals)
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
                also=also,
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
            for name, given_one in (("order", order), ("also", also)):
                if given_one is not None:
                    raise InvalidInput(f'{name} is for goal="prime", not for {goal!r}')
            question = self._question(row, point, label, literals, fixed=fixed)
            asked = Best(question, self._engines, point, self._usual_plan[1], fixed, avoided, clock)
            best = asked.shortest(weighed) if goal == "shortest" else asked.widest(measure)
            if best is not None:
                return best
        elif weighed and order is None:
            usual = self._usual_plan[1]
            order = [
                self._subject.variables[j].name for j in sorted(usual, key=lambda j: -weighed.get(j, 1.0))
            ]
        steps, variables = self._usual_plan if order is None else plan(self._subject, self._tested(order))
        if also is not None:
            steps = [*self._letting_in(also, point, fixed), *steps]
        if avoided:
            steps = [{j: self._subject.variables[j].everything for j in avoided}, *steps]
        oracle = self._engines.oracle(label)
        found = weaken(oracle, point, steps, variables, literals, fixed=fixed, clock=clock)
        status = Status.PROVED if found.complete else Status.INTERRUPTED
        question = self._question(row, point, label, literals, fixed=fixed)
        notes = question.notes
        reason = obstacle(self._context, self._engines, label, found, avoided, row, point, clock)
        if reason:
            status, notes = Status.IMPOSSIBLE, (*notes, reason)
        elif any(found.box[j] != self._subject.variables[j].everything for j in avoided):
            status = Status.INTERRUPTED  # there was no time left to see whether they can be avoided
        notes = given(notes, self._subject.variables, fixed)
        return replace(self._grown(question, found, point), status=status, notes=notes)

    def _tested(self, order: Order) -> Order:
        """An order of features without those that no test looks at: there is nothing to let go of."""
        if isinstance(order, str) or not all(isinstance(step, str) for step in order):
            return order
        untested = {*self._context.feature_names} - {x.name for x in self._subject.variables}
        return [str(name) for name in order if name not in untested]

    def _letting_in(self, also: Any, point: Point, fixed: frozenset[int]) -> list[Step]:
        """Steps that let rows into an explanation, one for each; of what is fixed, they must have the same."""
        if self.domain is None:
            others = [self._context.read(row)[1] for row in also]
        else:
            rows = as_rows(also, self._context.layout, source="also")
            self._check_domain("also", rows, strictly=True)
            others = [tuple(other) for other in self.domain.points(rows).tolist()]
        return [
            {j: 1 << value for j, value in enumerate(other) if value != point[j]}
            for other in others
            if all(other[j] == point[j] for j in fixed)
        ]

    def _question(
        self,
        row: NDArray[np.float64] | None,
        point: Point,
        label: int,
        literals: Language,
        *,
        wanted: int | None = None,
        fixed: frozenset[int] = frozenset(),
    ) -> Question:
        """Why this decision, about this row, in this language."""

        def widen(box: Box, clock: Clock) -> Explanation:
            steps, variables = self._usual_plan
            oracle = self._engines.oracle(label, wanted)
            inside: Step = dict(enumerate(box))
            found = weaken(oracle, point, [inside, *steps], variables, "intervals", fixed=fixed, clock=clock)
            return self._grown(replace(question, literals="intervals"), found, point)

        def find_witnesses(box: Box) -> FindWitnesses | None:
            return witness_finder(self._context, self._engines, label, row, point, box)

        finder = find_witnesses if wanted is None else None
        question = Question(
            self._context, label, literals, row, self._notes(row, label), wanted, widen, finder
        )
        return question

    def _grown(self, question: Question, found: Grown, point: Point) -> Explanation:
        """The explanation that a weakening found."""
        return replace(
            question.explanation(found.box),
            status=Status.PROVED if found.complete else Status.INTERRUPTED,
            queries=found.queries,
            find_witnesses=None
            if question.denied is not None
            else finder_of(self._context, self._engines, question.label, question.row, point, found),
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

    @about_row
    def around(self, x: Any, within: float) -> Self:
        """The explainer of "the prediction is within plus or minus `within` of that for this row", for a regressor."""
        if self.ensemble is None or not self.ensemble.is_regressor:
            raise InvalidInput("within is for regressors, explained without a threshold")
        if not isinstance(within, int | float | np.number) or not 0 <= within < np.inf:
            raise InvalidInput(f"within is a number of at least 0, not {within!r}")
        row, _ = self._context.read(x)
        prediction = float(self.ensemble.predict_proba([row])[0, 0])  # type: ignore[list-item]
        ends = (prediction - float(within), prediction + float(within))
        assert self.domain is not None
        other = self._with(decide_between(self.ensemble, ends), self.domain)
        other.rule = DecisionRule(between=ends)
        other._options = {**self._options, "between": ends, "class_names": None}
        return other

    @about_row
    def explanations(self, x: Any, *, literals: Language | None = None) -> Explanations:
        """All PI-explanations of the decision on a row: iterate over them, count, sample, filter.

        A model that compiles gives them as one diagram, by number of features; else they are listed one by one, by
        searching.
        """
        literals = self._language(literals)
        self._check_decides()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        question = self._question(row, point, label, literals)
        return Explanations(question, self._engines.primes(label, literals, point))

    @about_row
    def count(self, x: Any, *, literals: Language | None = None) -> int:
        """How many PI-explanations the decision on a row has."""
        return self.explanations(x, literals=literals).count()

    @about_row
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
        self._check_decides()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        wanted = self._wanted(target, label)
        oracle = self._engines.oracle(label, wanted)
        literals = self._language(literals)
        duality = Duality(oracle, literals, point, self._usual_plan[1])
        question = self._question(row, point, label, literals, wanted=wanted)
        finder = Finder(oracle, self._engines.decide)
        contrasting = Contrasting(self._context, label, literals, row, point, finder)
        return Reasons(duality, question, contrasting, clock_of(time_limit, work_limit))

    @about_row
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

    def _undecided(self) -> InvalidInput:
        return InvalidInput("the decision on this row depends on the order in which scores are added")

    @about_row
    def relevance(
        self,
        x: Any,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Relevance:
        """Which features are in every, in some, and in no PI-explanation of the decision on a row.

        A model that compiles tells at once. Of others each feature is searched for; what is not decided when
        the time is over is said so.
        """
        self._check_decides()
        literals = self._language(literals)
        if literals == "sets" and self._engines.engine in ("auto", "diagram"):
            try:
                return self.complete_reason(x).relevance
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise
        _, point = self._context.read(x)
        oracle = self._engines.oracle(self._engines.decide(point))
        clock = clock_of(time_limit, work_limit)
        return find_relevance(self._context, oracle, point, self._usual_plan[1], literals, clock)

    @about_row
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
        self._check_decides()
        literals = self._language(literals)
        _, point = self._context.read(x)
        label = self._engines.decide(point)
        clock = clock_of(time_limit, work_limit)
        if self._engines.engine in ("auto", "diagram"):
            try:
                family = self._engines.on_diagram(label, clock).primes(literals, point)
                return attribution_of(self._context, family)
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise
        oracle = self._engines.oracle(label)
        return find_attribution(self._context, oracle, point, self._usual_plan[1], literals, clock)

    @about_row
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
