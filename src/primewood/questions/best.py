"""The best explanation of a decision: the shortest, or the widest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Grown
from primewood.errors import TooLarge, listing
from primewood.logic.instance import Box, Point
from primewood.logic.variable import Variable
from primewood.questions.explanation import Explanation, Goal, Status
from primewood.questions.explanations import Explanations, Measure, Question
from primewood.questions.history import Moment
from primewood.questions.shortest import shortest
from primewood.questions.widest import coverage_of, rivals_of, widest
from primewood.questions.witnesses import finder_of


@dataclass(frozen=True)
class Best:
    """What was asked: the best explanation of a decision.

    Attributes
    ----------
    question : Question
        Why this decision, about which row, in which language.
    engines : Engines
    point : Point
        The cell of the row.
    order : sequence of int
        The variables from the least important to the most.
    fixed, avoided : frozenset of int
        The variables that are kept for free, and that must not be mentioned.
    clock : Clock
    """

    question: Question
    engines: Engines
    point: Point
    order: Sequence[int]
    fixed: frozenset[int]
    avoided: frozenset[int]
    clock: Clock

    def shortest(self, weights: Mapping[int, float]) -> Explanation | None:
        """One with the fewest features, or with the least total weight; None if there is none that is asked for."""
        if self._depends_on_the_order():
            return None
        variables, plain = self.question.context.variables, not (weights or self.fixed or self.avoided)
        tree = self.engines.single_tree()
        if tree is not None and self.question.literals == "values" and plain:
            box = tree.shortest(self.point)
            size = float(sum(mask != x.everything for mask, x in zip(box, variables, strict=True)))
            return self._explanation("shortest", Grown(box, True, 0, dict), (size, size))
        found = shortest(
            self.engines.oracle(self.question.label),
            self.point,
            self.order,
            self.question.literals,
            weights=weights,
            fixed=self.fixed,
            avoided=self.avoided,
            clock=self.clock,
        )
        if found.obstacle is not None:
            return None
        grown = Grown(found.box, found.complete, found.queries, found.find_witnesses)
        bounds = found.lower, self._weight(found.box, weights)
        return self._explanation("shortest", grown, bounds, found.history)

    def _weight(self, box: Box, weights: Mapping[int, float]) -> float:
        """What the features that a box mentions weigh; infinite if one of them is to be avoided."""
        variables = self.question.context.variables
        mentioned = {j for j, x in enumerate(variables) if box[j] != x.everything}
        weighed = (Fraction(weights.get(j, 1)) for j in mentioned - self.fixed)
        return math.inf if mentioned & self.avoided else float(sum(weighed))

    def widest(self, measure: Measure | None) -> Explanation | None:
        """One that covers the most; None if there is none that is asked for."""
        if self._depends_on_the_order():
            return None
        context = self.question.context
        measure = measure or ("values" if context.rows is None else "rows")
        coverage = coverage_of(context, measure)
        if not self.fixed and not self.avoided:
            exact = self._widest_in_diagram(measure)
            if exact is not None:
                covered = coverage.of(exact.term.box(context.variables))
                return replace(exact, goal="widest", bounds=(covered, covered))
        found = widest(
            self.engines.oracle(self.question.label),
            self.point,
            self.order,
            self.question.literals,
            coverage,
            fixed=self.fixed,
            avoided=self.avoided,
            rivals=rivals_of(self.engines, self.question.label),
            clock=self.clock,
        )
        if any(found.box[j] != context.variables[j].everything for j in self.avoided):
            return None
        most = found.covered if found.complete else math.inf if found.upper is None else found.upper
        grown = replace(found.grown, complete=found.complete and found.prime)
        return self._explanation("widest", grown, (found.covered, most), found.history)

    def _depends_on_the_order(self) -> bool:
        """Whether the decision on the row itself depends on the order in which scores are added."""
        cell = tuple(1 << value for value in self.point)
        oracle = self.engines.oracle(self.question.label)
        return self.engines.any_order and isinstance(oracle.counterexample(cell), tuple)

    def _widest_in_diagram(self, measure: Measure) -> Explanation | None:
        """The widest by dynamic programming; None if the model does not compile in time."""
        if self.engines.engine not in ("auto", "diagram"):
            return None
        try:
            oracle = self.engines.on_diagram(self.question.label, self.clock)
            family = oracle.primes(self.question.literals, self.point)
        except TooLarge:
            return None
        return Explanations(self.question, family).widest_by(measure)

    def _explanation(
        self, goal: Goal, grown: Grown, bounds: tuple[float, float], history: tuple[Moment, ...] = ()
    ) -> Explanation:
        question = self.question
        return replace(
            question.explanation(grown.box),
            status=Status.PROVED if grown.complete else Status.INTERRUPTED,
            notes=given(question.notes, question.context.variables, self.fixed),
            queries=grown.queries,
            goal=goal,
            bounds=bounds,
            history=history,
            find_witnesses=finder_of(
                question.context, self.engines, question.label, question.row, self.point, grown
            ),
        )


def given(notes: tuple[str, ...], variables: Sequence[Variable], fixed: frozenset[int]) -> tuple[str, ...]:
    """Notes, with one more on what an answer is prime given."""
    if not fixed:
        return notes
    held = listing(variables[j].name for j in sorted(fixed))
    keep = "keeps" if len(fixed) == 1 else "keep"
    return (*notes, f"prime given that {held} {keep} this row's value")
