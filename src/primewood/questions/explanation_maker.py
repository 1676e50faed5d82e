"""Making explanations from the boxes that engines prove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from primewood.engines.protocol import Clock, Grown, Step, WeakeningPlan
from primewood.errors import format_list
from primewood.logic.instance import Box
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.model.context import Context
from primewood.model.decision import Decision, RowDecision
from primewood.questions.exclusions import FindWitnesses, KnownPoints, find_nothing
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_certificate import ExplanationCertifier
from primewood.questions.necessity import Necessity, count_necessary
from primewood.questions.order import plan_steps
from primewood.questions.status import Status
from primewood.questions.weakening import weaken
from primewood.questions.witnesses import WitnessFinder

if TYPE_CHECKING:
    from primewood.questions.in_short.answer import InShort

FinderOf = Callable[[Box, KnownPoints], FindWitnesses | None]
"""Makes what finds the witnesses of a box, given the points that an engine has seen."""
CertifierOf = Callable[[Box, KnownPoints], ExplanationCertifier]
"""Makes what writes the certificate of a box, given the points that an engine has seen."""
CountNecessary = Callable[[Grown], tuple[Necessity, ...]]
"""Counts what a weakening has shown to be necessary."""


@dataclass(frozen=True)
class ExplanationMaker:
    """Makes explanations of one decision from boxes that entail it.

    It needs no engine, so that a family of explanations can be sent to another process: what widens and what finds
    witnesses stays behind.
    """

    context: Context
    decision: object
    literals: Language
    row: tuple[float, ...] | None
    notes: tuple[str, ...] = ()
    widen: Callable[[Box, Clock], Explanation] | None = None
    """What widens a box in "intervals"; see `Explanation`."""
    find_witnesses: FinderOf | None = None
    fixed: tuple[str, ...] = ()
    count_necessary: CountNecessary | None = None
    shorten: Callable[[], InShort] | None = None
    certify: CertifierOf | None = None

    @classmethod
    def for_decision(
        cls, decision: Decision, literals: Language, fixed: frozenset[int] = frozenset()
    ) -> ExplanationMaker:
        """Explanations of a decision in a language; given a target, of why that is not decided."""
        name = decision.name if decision.target is None else f"not {decision.target_name}"
        return cls(
            decision.context,
            name,
            literals,
            decision.values,
            decision.all_notes,
            Widening(decision, fixed),
            _find_witnesses_of(decision),
            tuple(decision.context.variables[j].name for j in sorted(fixed)),
            partial(count_necessary, decision, literals),
            partial(_shorten, decision) if decision.target is None else None,
            _certify_with(decision, literals, fixed),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what needs the model, which belongs to its process; see `Explanation`."""
        finder = None if self.find_witnesses is None else _forget_witnesses
        return {
            **self.__dict__,
            "widen": None,
            "find_witnesses": finder,
            "count_necessary": None,
            "shorten": None,
            "certify": None,
        }

    def explain(self, box: Box, known: KnownPoints = dict) -> Explanation:
        """The explanation that a prime box is."""
        return Explanation(
            decision=self.decision,
            term=Term.of_box(self.context.variables, box),
            literals=self.literals,
            status=Status.PROVED,
            row=self.row,
            context=self.context,
            notes=self.notes,
            fixed=self.fixed,
            widen=self.widen,
            find_witnesses=None if self.find_witnesses is None else self.find_witnesses(box, known),
            shorten=self.shorten,
            certify=None if self.certify is None else self.certify(box, known),
        )

    def explain_grown(self, found: Grown) -> Explanation:
        """The explanation that a weakening found."""
        why = replace(self.explain(found.box, found.find_witnesses), queries=found.queries)
        if not found.interrupted:
            return why
        known = None if self.count_necessary is None else partial(self.count_necessary, found)
        return replace(why, status=Status.INTERRUPTED, known_necessity=known)


@dataclass(frozen=True)
class Widening:
    """Widens a box inside an explanation to a prime one in "intervals"."""

    decision: Decision
    fixed: frozenset[int]

    def __call__(self, box: Box, clock: Clock) -> Explanation:
        decision = self.decision
        steps, variables = plan_steps(decision.model, None)
        inside: Step = dict(enumerate(box))
        plan = WeakeningPlan([inside, *steps], variables, "intervals", self.fixed)
        found = weaken(decision.oracle, decision.point, plan, clock)
        return ExplanationMaker.for_decision(decision, "intervals", self.fixed).explain_grown(found)


def _find_witnesses_of(decision: Decision) -> FinderOf | None:
    """What makes finders of witnesses; None where no model decides about rows, or a target is denied."""
    if not isinstance(decision, RowDecision) or decision.target is not None:
        return None
    return lambda box, known: WitnessFinder(decision, box, known)


def _certify_with(decision: Decision, literals: Language, fixed: frozenset[int]) -> CertifierOf | None:
    """What makes writers of certificates; None where no model decides about rows, or a target is denied."""
    if not isinstance(decision, RowDecision) or decision.target is not None:
        return None
    return lambda box, known: ExplanationCertifier(decision, box, literals, fixed, known)


def _shorten(decision: Decision) -> InShort:
    """The decision in short, among all rows."""
    from primewood.questions.in_short.find import find_in_short

    whole = decision.whole if isinstance(decision, RowDecision) else None
    return find_in_short(whole or decision)


def _forget_witnesses(box: Box, known: KnownPoints) -> FindWitnesses:  # noqa: ARG001
    """What stands for the finder of witnesses in another process."""
    return find_nothing


def note_fixed(
    notes: tuple[str, ...], variables: Sequence[Variable], fixed: frozenset[int]
) -> tuple[str, ...]:
    """Notes, with one more on what an answer is prime given."""
    if not fixed:
        return notes
    held = format_list(variables[j].name for j in sorted(fixed))
    keep = "keeps" if len(fixed) == 1 else "keep"
    return (*notes, f"prime given that {held} {keep} this row's value")
