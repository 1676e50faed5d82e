"""Examples that people recognise: cells that a row has, or training rows have, instead of those a search ended in.

A search ends anywhere in a box: where a feature does not matter, perhaps at an unknown category, or at a missing value.
`find_familiar` moves such a point to values of the row that was asked about, or of training rows, one feature at a
time, as long as it shows the same. Each move is one decision of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from primewood.logic.instance import Box, Point
from primewood.logic.masks import indices
from primewood.model.context import TreeContext

MOST_NUMBERS = 16
"""How many cells of a numeric feature are tried, the nearest first."""


def find_familiar(
    context: TreeContext,
    point: Point,
    box: Box,
    shows: Callable[[Point], bool],
    *,
    own: Point | None = None,
    places: Sequence[int] | None = None,
) -> Point:
    """A point of a box that shows the same as another one, with values that rows have where that is possible.

    Cost: a decision per value that is tried; at worst all seen categories of all features.

    Parameters
    ----------
    point
        What a search found.
    box
        Where it may be moved to; constraints are kept besides.
    shows
        Whether a point still shows what is to be shown.
    own
        The cell of the row that was asked about. Its values come first: then less is changed.
    places
        The variables that may be moved; all by default.
    """
    movable = list(range(len(point)) if places is None else places)
    if own is not None:
        back = tuple(own[j] if j in movable and box[j] >> own[j] & 1 else v for j, v in enumerate(point))
        if back != point and _shows(context, back, shows):
            return back
    movable.sort(key=lambda j: context.is_seen(j, point[j]))
    while True:  # what one move makes possible for another feature is tried in the next round
        before = point
        for j in movable:
            for value in _better(context, j, point[j], box[j], None if own is None else own[j]):
                moved = (*point[:j], value, *point[j + 1 :])
                if _shows(context, moved, shows):
                    point = moved
                    break
        if point == before:
            return point


def _shows(context: TreeContext, point: Point, shows: Callable[[Point], bool]) -> bool:
    return context.domain.knowledge.allows(point) and shows(point)


def _better(context: TreeContext, place: int, value: int, mask: int, own: int | None) -> Iterator[int]:
    """The values of a variable that are preferred to one: the row's own, and if that one is unseen, the seen ones."""
    if value == own:
        return
    if own is not None and mask >> own & 1:
        yield own
    if context.is_seen(place, value):
        return
    seen = [v for v in indices(mask & context.seen_values[place]) if v not in (value, own)]
    if value < context.variables[place].ordered:
        yield from sorted(seen, key=lambda v: abs(v - value))[:MOST_NUMBERS]
    else:
        yield from sorted(seen, key=lambda v: -context.frequency(place, v))
