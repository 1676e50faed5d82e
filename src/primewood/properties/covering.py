"""Covering rows with few sets of rows, which are bits of whole numbers.

The greedy choice takes, again and again, the set with the most rows that are not covered yet. It takes at most
H(d) = 1 + 1/2 + ... + 1/d times as many sets as the fewest *of these sets* that cover as much, where d is the size of
the largest one (Chvátal, 1979). Afterwards sets that the others make superfluous are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def unite(sets: Iterable[int]) -> int:
    """All rows of some sets."""
    union = 0
    for each in sets:
        union |= each
    return union


def choose_greedily(sets: Sequence[int]) -> list[int]:
    """The places of sets that together cover all that is covered, each with the most rows that are new.

    >>> choose_greedily([0b0011, 0b1110, 0b1000, 0b0011])
    [1, 0]
    """
    chosen, covered = list[int](), 0
    waiting = list(range(len(sets)))
    while waiting:
        best = max(waiting, key=lambda place: (sets[place] & ~covered).bit_count())
        covered |= sets[best]
        chosen += [best] if sets[best] else []
        waiting = [place for place in waiting if sets[place] & ~covered]
    return chosen


def drop_superfluous(sets: Sequence[int]) -> list[int]:
    """The places of the sets that stay when those whose rows the others cover are dropped, the earliest first.

    >>> drop_superfluous([0b0110, 0b0011, 0b1100])
    [1, 2]
    """
    kept = list(range(len(sets)))
    for place in range(len(sets)):
        others = unite(sets[other] for other in kept if other != place)
        if not sets[place] & ~others:
            kept.remove(place)
    return kept


def choose_cover(sets: Sequence[int]) -> list[int]:
    """The places of few sets that cover all that is covered, those with the most new rows first.

    >>> choose_cover([0b001111, 0b010101, 0b101010])
    [1, 2]
    """
    taken = choose_greedily(sets)
    kept = [taken[i] for i in drop_superfluous([sets[place] for place in taken])]
    return [kept[i] for i in choose_greedily([sets[place] for place in kept])]
