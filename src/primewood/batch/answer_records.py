"""What is written about explanations, with each thing that many of them share worked out once.

How much a term covers, and the exact ends of its literals, depend on the term alone. The words of a literal depend on
the row besides: shown bounds are rounded so that they keep the row's own number. They are the same for all numbers
between the least and the largest that training rows have in the same piece of the literal, because those are kept too;
and for all rows of one category.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from primewood.batch.failed import Failed
from primewood.logic.expression import Literal
from primewood.logic.interval import Interval
from primewood.model.context import TreeContext
from primewood.model.rows_of_cells import Row
from primewood.questions.explanation import Explanation
from primewood.render import frames
from primewood.render.records import plain
from primewood.render.text import Record

PIECE = ("feature", "low", "high", "closed", "values", "missing")
"""What is said of each piece of a literal."""
REMEMBERED = 20_000
"""How many answers are remembered of each kind."""
Said = tuple[dict[str, str], list[dict[str, Any]]]
"""What is said of a literal: the feature and the words, and its pieces with exact ends."""
T = TypeVar("T")


class RecordWriter:
    """Writes the records of explanations.

    Parameters
    ----------
    context
        Of the model. Explanations with another context are written, too; only nothing is remembered of them.
    """

    def __init__(self, context: TreeContext) -> None:
        self._context = context
        self._features = {} if context.domain is None else {x.name: x for x in context.domain.features}
        self._covered: dict[object, tuple[float | None, float | None]] = {}
        self._said: dict[object, Said] = {}
        self._ranges: dict[object, list[tuple[Interval, float, float]]] = {}

    def write(self, why: Explanation | Failed) -> Record:
        """What is written about a row: as in the record of its explanation, with the pieces of all literals."""
        if isinstance(why, Failed):
            return {**why.to_dict(), "pieces": []}
        said = [self._words(literal, why) for literal in why.term.literals]
        coverage, volume = self._covers(why)
        return {
            "decision": plain(why.decision),
            "score": why.score_record,
            "status": str(why.status),
            "literal_language": why.literals,
            "literals": [words for words, _ in said],
            "coverage": coverage,
            "volume": volume,
            "notes": list(why.notes),
            "pieces": [piece for _, pieces in said for piece in pieces],
        }

    def _covers(self, why: Explanation) -> tuple[float | None, float | None]:
        if why.context is not self._context:
            return why.coverage, why.volume
        key = tuple([(literal.variable.name, literal.mask) for literal in why.term.literals])
        return _once(self._covered, key, lambda: (why.coverage, why.volume))

    def _words(self, literal: Literal, why: Explanation) -> Said:
        if why.context is not self._context or why.row is None:
            return _said(literal, why)
        key = (literal.variable.name, literal.mask, self._own(literal, why.row))
        return _once(self._said, key, lambda: _said(literal, why))

    def _own(self, literal: Literal, row: tuple[float, ...]) -> object:
        """What the words of a literal depend on besides: the same for rows for which it has the same words."""
        held = tuple([row[column] for column in self._features[literal.variable.name].columns])
        if any(x != x for x in held):
            return None
        rows = self._context.rows
        if not literal.variable.is_numeric or rows is None:
            return held
        key = (literal.variable.name, literal.mask)
        ranges = _once(self._ranges, key, lambda: self._range(literal, rows))
        for place, (piece, least, most) in enumerate(ranges):
            if held[0] in piece:
                return place if least <= held[0] <= most else held
        return held

    def _range(self, literal: Literal, rows: Row) -> list[tuple[Interval, float, float]]:
        """The pieces of a numeric literal, with the least and the largest number of the training rows in each."""
        column = rows[:, self._features[literal.variable.name].column]
        found = []
        for piece in literal.intervals:
            near = column[(column >= piece.low) & (column <= piece.high)]
            inside = [x for x in near.tolist() if x in piece]
            found.append((piece, min(inside, default=float("inf")), max(inside, default=float("-inf"))))
        return found


def _said(literal: Literal, why: Explanation) -> Said:
    record = why.context.literal_record(literal, why.row)
    found = frames.tabulate_literals([record], [])
    pieces = zip(*(found[name] for name in PIECE), strict=True)
    words = {"feature": record["feature"], "text": record["text"]}
    return words, [dict(zip(PIECE, piece, strict=True)) for piece in pieces]


def _once(known: dict[object, T], key: object, make: Callable[[], T]) -> T:
    """What is known for a key, or else made; a full memory begins anew."""
    found = known.get(key)
    if found is None:
        if len(known) >= REMEMBERED:
            known.clear()
        found = known[key] = make()
    return found
