"""Which of many boxes meet a box, answered for all of them at once with one number of bits per value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from primewood.logic.instance import Box
from primewood.logic.masks import indices


def intersect_all(start: int, bits: Iterable[int]) -> int:
    """The bits of `start` that all the others have too."""
    for each in bits:
        start &= each
    return start


class Incidence:
    """Which things have which values, one bit per thing.

    The things are boxes (a point is one): a thing meets a box iff it does so in every variable.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.having = [[0] * size for size in sizes]
        self.everything = 0

    def add(self, box: Box) -> None:
        """Add a box."""
        bit = self.everything + 1
        for j, mask in enumerate(box):
            having = self.having[j]
            for v in indices(mask) if mask & (mask - 1) else (mask.bit_length() - 1,):
                having[v] |= bit
        self.everything |= bit

    def along(self, j: int, mask: int) -> int:
        """The things that meet some values of a variable."""
        having, met = self.having[j], 0
        for v in indices(mask):
            met |= having[v]
        return met

    def find_met(self, box: Box) -> int:
        """The things that meet a box."""
        met = self.everything
        for j, mask in enumerate(box):
            if mask != (1 << len(self.having[j])) - 1:
                met &= self.along(j, mask)
        return met
