"""All explanations of one decision, as a family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args
from typing import Literal as Choice

from primewood.engines.protocol import Clock, Family
from primewood.errors import InvalidInput
from primewood.fields import one_of, takes
from primewood.logic.instance import Box
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.model.context import Context, Row
from primewood.questions.explanation import Explanation, FindWitnesses, Status, find_nothing
from primewood.questions.families import TermFamily

Measure = Choice["rows", "volume", "values"]


@dataclass(frozen=True)
class Question:
    """What was asked: why this decision, about this row, in this language."""

    context: Context
    label: int
    literals: Language
    row: Row | None
    notes: tuple[str, ...] = ()
    denied: int | None = None
    """If given, the question is instead why this decision was not taken."""
    widen: Callable[[Box, Clock], Explanation] | None = None
    """What widens a box in "intervals"; see `Explanation`."""
    find_witnesses: Callable[[Box], FindWitnesses | None] | None = None
    """What makes the finder of the witnesses of a box."""

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what finds witnesses and widens, which belongs to its process; see `Explanation`."""
        finder = None if self.find_witnesses is None else _no_finder
        return {**self.__dict__, "widen": None, "find_witnesses": finder}

    @property
    def decision(self) -> object:
        """What is explained."""
        names = self.context.class_names
        return names[self.label] if self.denied is None else f"not {names[self.denied]}"

    def explanation(self, box: Box) -> Explanation:
        """The explanation that a prime box is."""
        return Explanation(
            decision=self.decision,
            term=Term.of_box(self.context.variables, box),
            literals=self.literals,
            status=Status.PROVED,
            row=None if self.row is None else tuple(self.row.tolist()),
            context=self.context,
            notes=self.notes,
            widen=self.widen,
            find_witnesses=None if self.find_witnesses is None else self.find_witnesses(box),
        )


def _no_finder(box: Box) -> FindWitnesses:
    """What stands for the finder of witnesses in another process."""
    del box
    return find_nothing


class Explanations(TermFamily[Explanation]):
    """All PI-explanations of one decision: counted, sampled, filtered; listed only when iterated over.

    A model that compiles gives them by number of features, the shortest first.
    """

    def __init__(self, question: Question, family: Family) -> None:
        super().__init__(question.context.variables, family, question.explanation)
        self.question = question

    def _with(self, family: Family) -> Explanations:
        return Explanations(self.question, family)

    def _place(self, feature: str) -> int | None:
        return self.question.context.place(feature)

    def __contains__(self, explanation: Explanation | Term) -> bool:
        term = explanation.term if isinstance(explanation, Explanation) else Term.of(explanation)
        return self._has(term.box(self.variables))

    @takes(measure=one_of(get_args(Measure)))
    def widest_by(self, measure: Measure = "rows") -> Explanation | None:
        """The explanation that covers the most; None if there is none.

        Parameters
        ----------
        measure
            "rows": the most training rows. "volume": the largest share of the box of their ranges. "values": of
            the cells, each value of a feature counting the same, which needs no training rows.
        """
        context = self.question.context
        if measure == "values":
            return self.widest()
        if context.points is None or context.volumes is None:
            raise InvalidInput(f'measure="{measure}" needs training rows; "values" does not')
        if measure == "volume":
            return self.widest(context.volumes)
        return self.widest_over(context.points[(context.points >= 0).all(axis=1)])
