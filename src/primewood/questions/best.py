"""The best explanation of a decision: the shortest, or the widest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from primewood.engines.protocol import Clock, Grown
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.model.context import TreeContext
from primewood.model.decision import Decision
from primewood.questions.best_problem import Problem
from primewood.questions.explanation import Explanation, Goal
from primewood.questions.explanation_certificate import ExplanationCertifier
from primewood.questions.explanation_maker import ExplanationMaker, note_fixed
from primewood.questions.explanations import Explanations
from primewood.questions.history import Moment
from primewood.questions.rows_near_by import let_in_training_rows
from primewood.questions.shortest import shortest
from primewood.questions.shortest_certificate import ShortestCertifier
from primewood.questions.so_far import AnswerWatcher, watch_bounds
from primewood.questions.widest import coverage_of, rivals_of, widest
from primewood.questions.widest.measures import Measure


@dataclass(frozen=True)
class Best:
    """Finds the best explanation of a decision.

    Attributes
    ----------
    decision : Decision
    literals : str
        The language of the explanation.
    fixed, avoided : frozenset of int
        The variables that are kept for free, and that must not be mentioned.
    clock : Clock
    watcher : callable, optional
        Is told about the answer so far.
    """

    decision: Decision
    literals: Language
    fixed: frozenset[int]
    avoided: frozenset[int]
    clock: Clock
    watcher: AnswerWatcher | None = None

    def shortest(self, weights: Mapping[int, float]) -> Explanation | None:
        """One with the fewest features, or with the least total weight; None if there is none that is asked for."""
        decision = self.decision
        if decision.depends_on_order:
            return None
        variables, plain = decision.context.variables, not (weights or self.fixed or self.avoided)
        tree = decision.model.engines.single_tree()
        if tree is not None and self.literals == "values" and plain:
            box = tree.shortest(decision.point)
            size = float(sum(mask != x.everything for mask, x in zip(box, variables, strict=True)))
            return self._certify_least(
                self._state("shortest", Grown(box, False, 0, dict), (size, size)), weights
            )
        found = shortest(self._state_problem("shortest"), weights=weights, clock=self.clock)
        if found.obstacle is not None:
            return None
        grown = Grown(found.box, found.interrupted, found.queries, found.find_witnesses)
        bounds = found.lower, self._weigh(found.box, weights)
        why = self._state("shortest", grown, bounds, found.history)
        return self._certify_least(why, weights, found.contrasts)

    def _certify_least(
        self, why: Explanation, weights: Mapping[int, float], contrasts: tuple[Point, ...] = ()
    ) -> Explanation:
        """The explanation, whose certificate also shows that none is shorter."""
        if not isinstance(why.certify, ExplanationCertifier):
            return why
        return replace(why, certify=ShortestCertifier(why.certify, weights, self.avoided, contrasts))

    def _weigh(self, box: Box, weights: Mapping[int, float]) -> float:
        """What the features that a box mentions weigh; infinite if one of them is to be avoided."""
        variables = self.decision.context.variables
        mentioned = {j for j, x in enumerate(variables) if box[j] != x.everything}
        weighed = (Fraction(weights.get(j, 1)) for j in mentioned - self.fixed)
        return math.inf if mentioned & self.avoided else float(sum(weighed))

    def widest(self, measure: Measure | None) -> Explanation | None:
        """One that covers the most; None if there is none that is asked for."""
        decision, context = self.decision, self.decision.context
        if decision.depends_on_order:
            return None
        has_rows = isinstance(context, TreeContext) and context.rows is not None
        measure = measure or ("rows" if has_rows else "values")
        coverage = coverage_of(context, measure)
        if not self.fixed and not self.avoided:
            exact = self._find_widest_in_diagram(measure)
            if exact is not None:
                covered = coverage.of(exact.term.box(context.variables))
                return replace(exact, goal="widest", bounds=(covered, covered))
        moving = [j for j in decision.model.order if j not in self.fixed | self.avoided]
        wanted = let_in_training_rows(decision, moving) if measure == "rows" else []
        found = widest(
            replace(self._state_problem("widest"), wanted=wanted),
            coverage,
            rivals=rivals_of(decision.model.engines, decision.label),
            clock=self.clock,
        )
        if any(found.box[j] != context.variables[j].everything for j in self.avoided):
            return None
        most = found.covered if found.proved else math.inf if found.upper is None else found.upper
        grown = replace(found.grown, interrupted=not (found.proved and found.prime))
        return self._state("widest", grown, (found.covered, most), found.history)

    def _find_widest_in_diagram(self, measure: Measure) -> Explanation | None:
        """The widest by dynamic programming; None if the model does not compile in time."""
        decision = self.decision
        family = decision.model.engines.try_diagram(
            decision.label,
            lambda compiled: compiled.primes(self.literals, decision.point),
            self.clock,
            required=False,
        )
        if family is None:
            return None
        return Explanations(self._maker, family).widest_by(measure)

    def _state_problem(self, goal: Goal) -> Problem:
        decision = self.decision
        oracle = decision.model.engines.oracle(decision.label)
        watcher = None if self.watcher is None else watch_bounds(self.watcher, self._maker, self.clock, goal)
        order = decision.model.order
        return Problem(
            oracle, decision.point, order, self.literals, self.fixed, self.avoided, watcher=watcher
        )

    @property
    def _maker(self) -> ExplanationMaker:
        return ExplanationMaker.for_decision(self.decision, self.literals, self.fixed)

    def _state(
        self, goal: Goal, grown: Grown, bounds: tuple[float, float], history: tuple[Moment, ...] = ()
    ) -> Explanation:
        why = self._maker.explain_grown(grown)
        notes = note_fixed(why.notes, self.decision.context.variables, self.fixed)
        return replace(why, notes=notes, goal=goal, bounds=bounds, history=history)
