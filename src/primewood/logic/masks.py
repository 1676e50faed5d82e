"""Sets of small numbers as the bits of an integer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

MANY = 1000
"""From how many bits on arrays are faster."""


def indices(mask: int) -> list[int]:
    """The positions of the bits that are set, from low to high."""
    if mask.bit_length() > MANY:
        packed = np.frombuffer(mask.to_bytes(mask.bit_length() // 8 + 1, "little"), dtype=np.uint8)
        return np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist()
    return [i for i, bit in enumerate(bin(mask)[:1:-1]) if bit == "1"]


def mask_of(flags: Iterable[object]) -> int:
    """The bits whose flags are true, the first one lowest."""
    bits = "".join("1" if flag else "0" for flag in flags)
    return int(bits[::-1] or "0", 2)


def mask_of_array(flags: NDArray[np.bool_ | np.uint8]) -> int:
    """The same of an array, faster."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def lowest(mask: int) -> int:
    """The position of the lowest bit that is set."""
    return (mask & -mask).bit_length() - 1


def find_runs(mask: int) -> Iterator[tuple[int, int]]:
    """The first and the last position of each run of bits that are set, from low to high. Cost: one step per run.

    >>> list(find_runs(0b11101))
    [(0, 0), (2, 4)]
    """
    start = 0
    while mask:
        gap = lowest(mask)
        mask >>= gap
        length = lowest(~mask)
        mask >>= length
        yield start + gap, start + gap + length - 1
        start += gap + length
