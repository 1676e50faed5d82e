"""Records of explanations; what many explanations share is computed once.

The coverage of a term and the exact bounds of its literals depend only on the term. The text of a literal also depends
on the row: printed bounds are rounded so that they keep the row's own number. The text is the same for all numbers
between the smallest and the largest training number in the same piece of the literal, because these are kept too. It is
also the same for all rows of one category.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from primewood.batch.failed import Failed
from primewood.logic.expression import Literal
from primewood.logic.interval import Interval
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row
from primewood.questions.explanation import Explanation
from primewood.render import frames
from primewood.render.records import plain
from primewood.render.text import Record

PIECE = ("feature", "low", "high", "closed", "values", "missing")
"""The columns that describe each piece of a literal."""
REMEMBERED = 20_000
"""The most cached answers of each kind."""
Said = tuple[dict[str, str], list[dict[str, Any]]]
"""A described literal: the feature, its text, and its pieces with exact bounds."""
T = TypeVar("T")


class RecordWriter:
    """Writes the records of explanations.

    Parameters
    ----------
    context
        The context of the model. Explanations with another context are written too, but not cached.
    in_short
        Whether the decision in short is written, too.
    """

    def __init__(self, context: TreeContext, *, in_short: bool = False) -> None:
        self._context, self._in_short = context, in_short
        self._features = {} if context.domain is None else {x.name: x for x in context.domain.features}
        self._covered: dict[object, tuple[float | None, float | None]] = {}
        self._said: dict[object, Said] = {}
        self._ranges: dict[object, list[tuple[Interval, float, float]]] = {}

    def write(self, why: Explanation | Failed) -> Record:
        """The record of a row: that of its explanation, with the pieces of all literals."""
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
            **why.neighbourhood,
            **(why.shortened if self._in_short else {}),
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
        """What the text of a literal depends on besides the term: equal for rows that give the same text."""
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
    """The cached value of a key, or a new one; a full cache is emptied."""
    found = known.get(key)
    if found is None:
        if len(known) >= REMEMBERED:
            known.clear()
        found = known[key] = make()
    return found
