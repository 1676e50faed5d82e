"""Judging one claim: whether it suffices, what it is, and what repairs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from primewood.domain.condition import Condition
from primewood.engines.protocol import Clock, Grown, Verdict
from primewood.logic.instance import Box, Point, contains
from primewood.logic.language import Language
from primewood.model.context import UNDECIDED
from primewood.model.decision import RowDecision
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.familiar_points import find_familiar
from primewood.questions.sufficiency.claim import ClaimedConditions
from primewood.questions.sufficiency.counterexample import (
    Counterexample,
    describe_counterexample,
    describe_value,
    find_row_within,
)
from primewood.questions.sufficiency.prime_inside import PrimeInside
from primewood.questions.sufficiency.refinement import refine_domain
from primewood.questions.sufficiency.result import Check, Judgement
from primewood.questions.sufficiency.surroundings import Surroundings, is_inside

SHARE = 0.1
"""The part of a time limit that may go into the question whether a PI-explanation contains an insufficient claim."""
FINER = "prime as far as bounds at the model's thresholds and at the claim's own ends can tell"


def judge_claim(decision: RowDecision, claim: ClaimedConditions, clock: Clock) -> Check:
    """Judge a claim about the decision on a row.

    Cost: a query whether it suffices, one prime explanation, a query per condition of a sufficient claim. That no
    PI-explanation contains an insufficient claim can take as many queries as there are PI-explanations; of a time
    limit, a tenth at most goes into it.
    """
    finer = refine_domain(decision.model.domain, claim.said, decision.model.ensemble)
    if finer is None:
        return _Judging(decision, claim, clock).judge()
    decision = replace(decision, model=decision.model.search_over(finer), point=finer.point(decision.row))
    return _Judging(decision, claim.move_to(finer.features), clock, [FINER]).judge()


class _Judging:
    """One claim, over a domain whose cells it does not cut where that matters."""

    def __init__(
        self, decision: RowDecision, claim: ClaimedConditions, clock: Clock, notes: Iterable[str] = ()
    ) -> None:
        model = decision.model
        self.decision, self.claim, self.clock, self.notes = decision, claim, clock, list(notes)
        self.context, self.row, self.point = model.context, decision.row, decision.point
        self.label = decision.label
        self.engines, self.any_order = model.engines, model.engines.any_order
        self.oracle = model.engines.oracle(decision.label)
        self.around = Surroundings(self.oracle, self.context.variables, self.point, model.order)

    def judge(self) -> Check:
        if self.claim.fewest:
            self.claim = self._find_fewest()
        box, language = self._find_box(self.claim), self._choose_language(self.claim)
        sufficient, counterexample = self._find_sufficiency(box)
        broken = [c for c in self.claim.conditions if not c.holds(self.row)]
        if broken:
            held = " and ".join(describe_value(c.feature, self.row) for c in broken)
            self.notes.append(f"in the row, {held}")
        grown = self._repair(box, language, sufficient=bool(sufficient) and contains(box, self.point))
        redundant = self._find_redundant(box) if sufficient else ()
        verdict: Judgement
        if broken:
            verdict = "inapplicable"
        elif sufficient is None:
            verdict = "undecided"
        elif sufficient:
            verdict = "pessimistic" if redundant else _judge_sufficient(box, grown)
        else:
            verdict, grown = self._judge_insufficient(box, language, grown)
        domain = self.context.domain
        return Check(
            claim=self.claim,
            decision=self.context.class_names[self.label],
            literals=language,
            sufficient=sufficient,
            contains_row=not broken,
            verdict=verdict,
            counterexample=counterexample,
            redundant=redundant,
            repaired=None if grown is None else self._explain(grown, language),
            row=tuple(self.row.tolist()),
            assumptions=(*domain.assumptions, *domain.knowledge.list_used(box)),
            context=self.context,
            notes=tuple(self.notes),
        )

    # The claim as cells

    def _find_box(self, claim: ClaimedConditions) -> Box:
        """The cells that a claim meets."""
        masks = {
            c.feature.name: c.find_mask(x) for c in claim.conditions if (x := c.feature.variable) is not None
        }
        return tuple(masks.get(x.name, x.everything) for x in self.context.variables)

    def _choose_language(self, claim: ClaimedConditions) -> Language:
        """The simplest literal language that says what the claim says of cells.

        In "intervals", a number that is missing is kept or dropped and not widened, so claims about rows with such a
        number are taken as "sets".
        """
        box = self._find_box(claim)
        places = [j for j, mask in enumerate(box) if mask != self.around.everything[j]]
        if all(c.kept for c in claim.conditions) and all(box[j] == self.around.cell[j] for j in places):
            return "values"
        for x, mask, value in zip(self.context.variables, box, self.point, strict=True):
            numbers = mask & ((1 << x.ordered) - 1)
            run = numbers // max(1, numbers & -numbers)
            if run & (run + 1) or (x.ordered and value == x.missing):
                return "sets"
        return "intervals"

    def _is_idle(self, condition: Condition) -> bool:
        """Whether a condition excludes no cell."""
        variable = condition.feature.variable
        return not condition.is_empty and (
            variable is None or condition.find_mask(variable) == variable.everything
        )

    # Whether it suffices

    def _find_sufficiency(self, box: Box) -> tuple[bool | None, Counterexample | None]:
        if any(condition.is_empty for condition in self.claim.conditions):
            self.notes.append("the claim holds for no row at all")
            return True, None
        reply = self.oracle.counterexample(box, self.clock)
        if reply is Verdict.NONE_EXISTS:
            return True, None
        found = None
        if isinstance(reply, tuple):
            near = self.around.move_nearer(reply, box)
            found = self._confirm(self._make_familiar(near, box)) or self._confirm(near)
        return (None if found is None else False), found

    def _make_familiar(self, other: Point, box: Box) -> Point:
        """A counterexample of the same box with values that training rows have if possible."""
        decide = self.engines.decide
        if decide(other) == self.label:
            return other
        return find_familiar(
            self.context, other, box, lambda point: decide(point) != self.label, own=self.point
        )

    def _find_fewest(self) -> ClaimedConditions:
        """The claim of the fewest first conditions that suffice: more of them exclude more, so bisection finds it."""
        low, high, interrupted = 0, len(self.claim.said), False
        while low < high:
            middle = (low + high) // 2
            box = self._find_box(self.claim.first(middle))
            reply = self.oracle.counterexample(box, self.clock) if all(box) else Verdict.NONE_EXISTS
            interrupted = interrupted or reply is Verdict.INTERRUPTED
            low, high = (low, middle) if reply is Verdict.NONE_EXISTS else (middle + 1, high)
        if interrupted:
            self.notes.append("perhaps fewer of the features suffice: that was not decided in time")
        return self.claim.first(high)

    def _confirm(self, other: Point) -> Counterexample | None:
        """A row of a cell that lies inside the claim and gets a different decision; None if none can be written."""
        changed = find_row_within(self.claim, other, self.context, self.row, self.point)
        if changed is None:
            return None
        decided = int(self.decision.model.ensemble.predict(changed[None, :])[0])
        if decided == self.label and not self.any_order:
            raise AssertionError("a counterexample is decided like the row: please report this")
        decision = UNDECIDED if decided == self.label else self.context.class_names[decided]
        return describe_counterexample(changed, decision, self.context, self.row)

    # What is missing, and what it does not need

    def _find_redundant(self, box: Box) -> tuple[str, ...]:
        """The conditions that are not needed, as far as that is decided in time."""
        conditions = self.claim.conditions
        places = {x.name: j for j, x in enumerate(self.context.variables)}
        found = []
        for condition in conditions:
            needless = self._is_idle(condition) or any(c.is_empty for c in conditions if c is not condition)
            if not needless:
                own = places.get(condition.feature.name)
                freed = tuple(self.around.everything[j] if j == own else mask for j, mask in enumerate(box))
                needless = self.oracle.counterexample(freed, self.clock) is Verdict.NONE_EXISTS
            if needless:
                found.append(condition.text)
        return tuple(found)

    def _repair(self, box: Box, language: Language, *, sufficient: bool) -> Grown | None:
        """A prime box made of the claim's: weaker if that is safe; else inside it as far as possible."""
        if self.any_order and isinstance(self.oracle.counterexample(self.around.cell, self.clock), tuple):
            return None
        if sufficient:
            return self.around.grow(box, [], self.around.order, language, self.clock)
        order = self.around.order_claimed_last(box)
        claimed = [j for j in order if box[j] != self.around.everything[j]]
        held = {j: box[j] for j in claimed if box[j] >> self.point[j] & 1}
        start = tuple(held.get(j, mask) for j, mask in enumerate(self.around.cell))
        return self.around.grow(start, [{j: mask} for j, mask in held.items()], order, language, self.clock)

    def _judge_insufficient(
        self, box: Box, language: Language, grown: Grown | None
    ) -> tuple[Judgement, Grown | None]:
        """What an insufficient claim is, and the prime box to repair it with: one inside it if there is any."""
        if grown is None or any(self._is_idle(condition) for condition in self.claim.conditions):
            return "incomparable", grown
        if is_inside(grown.box, box) and not grown.interrupted:
            return "optimistic", grown
        clock = self.clock
        if clock.limit is not None:
            clock = clock.part(min(clock.left(), SHARE * clock.limit))
        found = PrimeInside(self.around, language, clock).find(box)
        if isinstance(found, Grown):
            return "optimistic", found
        return ("incomparable" if found is Verdict.NONE_EXISTS else "not sufficient"), grown

    def _explain(self, grown: Grown, language: Language) -> Explanation:
        found = ExplanationMaker.for_decision(self.decision, language).explain_grown(grown)
        return replace(found, notes=(), widen=None)


def _judge_sufficient(box: Box, grown: Grown | None) -> Judgement:
    """What a sufficient claim is, in view of the prime box that it was weakened to."""
    if grown is None or not is_inside(box, grown.box):  # a limit came before the claim was taken up
        return "undecided"
    if grown.box != box:
        return "pessimistic"
    return "undecided" if grown.interrupted else "exact"
