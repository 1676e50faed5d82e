"""All reasons of one decision, one by one: explanations and contrasts interleaved, as they are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, SupportsIndex

from primewood.engines.duality import Duality, Kind
from primewood.engines.protocol import Clock
from primewood.errors import NotPicklable
from primewood.questions.contrast import Contrast, Contrasting
from primewood.questions.explanation import Explanation
from primewood.questions.explanations import Question


class Reasons(Iterator[Explanation | Contrast]):
    """The explanations and the contrasts of one decision, as a search finds them.

    Each contrast tells the search what explanations must hit, and the other way round: when it ends by itself, each of
    the two families is the family of minimal hitting sets of the other.

    Parameters
    ----------
    duality
        What searches.
    question, contrasting
        What makes answers of what it finds.
    clock
        When to stop.
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise NotPicklable.because_lazy("the reasons")

    def __init__(self, duality: Duality, question: Question, contrasting: Contrasting, clock: Clock) -> None:
        self._duality, self._question, self._contrasting = duality, question, contrasting
        self._items = duality.items(clock)

    def __next__(self) -> Explanation | Contrast:
        item = next(self._items)
        if item.kind is Kind.EXPLANATION:
            return self._question.explanation(item.box)
        return self._contrasting.contrast(item.box)

    def __repr__(self) -> str:
        return f"<Reasons: explanations and contrasts, {'all found' if self.complete else 'iterate to list'}>"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import lines

        badge = "All found" if self.complete else "Lazy"
        return lines(
            "Reasons", "Explanations and contrasts", ["Iterate to list them one by one."], badge=badge
        )

    @property
    def complete(self) -> bool:
        """Whether all have been found; else a limit came, or there are more."""
        return self._duality.complete
