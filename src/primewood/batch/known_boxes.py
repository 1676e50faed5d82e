"""Known explanations, for rows that they cover.

An explanation holds for every row that it covers: a prime implicant that covers two rows with one decision is a
PI-explanation of both. So a row inside the box of an earlier explanation may reuse it instead of being explained
again. Which box it gets depends only on the boxes and their order, so the boxes of a whole round are added at once.

For each decision, variable and value, the boxes that allow the value are the bits of one number. The boxes that contain
a point are found by one conjunction per variable, which takes some microseconds for a hundred thousand boxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from primewood.logic.instance import Box, Point
from primewood.logic.variable import Variable


class LentBox(NamedTuple):
    """The box of an explanation that other rows may reuse.

    Attributes
    ----------
    label : int
        The decision.
    box : Box
    source : int
        The row whose explanation it is.
    """

    label: int
    box: Box
    source: int


class KnownBoxes:
    """The boxes of explanations, in the order in which they were added, each with its row.

    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", [1, 2])
    >>> known = KnownBoxes([A, B])
    >>> known.add([LentBox(0, (0b011, 0b11), 7), LentBox(0, (0b111, 0b10), 8)])
    >>> list(known.find_around(0, (1, 1))), list(known.find_around(0, (2, 1)))
    ([(7, (3, 3)), (8, (7, 2))], [(8, (7, 2))])
    >>> list(known.find_around(0, (2, 0))), list(known.find_around(1, (1, 1)))
    ([], [])
    """

    def __init__(self, variables: Sequence[Variable]) -> None:
        self._sizes = [len(x) for x in variables]
        self._allowing: dict[int, list[list[int]]] = {}
        self._boxes: dict[int, list[tuple[int, Box]]] = {}
        self._seen: set[tuple[int, Box]] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, lent: Iterable[LentBox]) -> None:
        """Add boxes, except those that are already known.

        Cost: per decision one operation per value of all variables, on as many bits as there are boxes.
        """
        fresh: dict[int, list[tuple[Box, int]]] = {}
        for label, box, source in lent:
            if (label, box) not in self._seen:
                self._seen.add((label, box))
                fresh.setdefault(label, []).append((box, source))
        for label, boxes in fresh.items():
            earlier = self._boxes.setdefault(label, [])
            allowing = self._allowing.setdefault(label, [[0] * size for size in self._sizes])
            for j, size in enumerate(self._sizes):
                for value in range(size):
                    held = sum(1 << i for i, (box, _) in enumerate(boxes) if box[j] >> value & 1)
                    allowing[j][value] |= held << len(earlier)
            earlier += [(source, box) for box, source in boxes]

    def find_around(self, label: int, point: Point) -> Iterator[tuple[int, Box]]:
        """The boxes of a decision that contain a point, in their order, each with the row that it was found for."""
        if label not in self._allowing:
            return
        held = (1 << len(self._boxes[label])) - 1
        for allowing, value in zip(self._allowing[label], point, strict=True):
            held &= allowing[value]
            if not held:
                return
        while held:
            first = held & -held
            yield self._boxes[label][first.bit_length() - 1]
            held ^= first
