"""How many rules a group of rows needs at least: rows that each need a rule of their own.

A rule of a literal language that covers two rows covers their *joint box*: the smallest term of the language that has
both, J(a, b) = ⋀ J_j(a_j, b_j). On an ordered feature J_j is all from one value to the other in "intervals"; else it
is the two values, and in "values" every value if they differ. If J(a, b) has a point with another decision, no rule
that guarantees the decision covers both rows: they are *apart*. Of rows that are pairwise apart, each needs a rule of
its own, so that their number is a lower bound for every cover, however it is found.

Rows that share a known rule are not apart. All other pairs are tested against the counterexamples so far, and only then
by the engine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Clock, Oracle, Verdict
from primewood.logic.instance import Box
from primewood.logic.language import Language
from primewood.logic.masks import indices

MOST_KNOWN = 400
"""How many counterexamples are kept; later ones take the place of the earliest."""


def join_cells(oracle: Oracle, literals: Language, a: Sequence[int], b: Sequence[int]) -> Box:
    """The smallest box of a language that has two points."""
    box = []
    for x, u, v in zip(oracle.variables, a, b, strict=True):
        low, high = min(u, v), max(u, v)
        if literals == "values" and u != v:
            box.append(x.everything)
        elif literals == "intervals" and high < x.ordered:
            box.append((2 << high) - (1 << low))
        else:
            box.append(1 << u | 1 << v)
    return tuple(box)


class RowsApart:
    """Finds rows of one decision that need a rule each.

    Parameters
    ----------
    oracle
        Answers about the decision of the rows.
    literals
        The language of the rules.
    points
        The cells of the rows.
    """

    def __init__(self, oracle: Oracle, literals: Language, points: NDArray[np.int64]) -> None:
        self._oracle, self._literals, self._points = oracle, literals, points
        self._ordered = np.array([x.ordered for x in oracle.variables], dtype=np.int64)
        self._known = np.full((0, points.shape[1]), -1, dtype=np.int64)
        self._next = 0

    def find(self, sharing: Sequence[int], rows: int, clock: Clock) -> list[int]:
        """Rows that are pairwise apart, as many as a greedy choice finds before a limit comes.

        Parameters
        ----------
        sharing
            Rules that are known, each as the rows that it covers, in bits. Rows that share few rules with others are
            tried first.
        rows
            The rows to choose from, in bits.
        """
        alike = dict.fromkeys(indices(rows), 0)
        for covered in sharing:
            for row in indices(covered & rows):
                alike[row] |= covered
        found, near = list[int](), 0
        for row in sorted(alike, key=lambda row: ((alike[row] & rows).bit_count(), row)):
            if clock.expired():
                break
            if not near >> row & 1 and self._is_apart(row, found, clock):
                found.append(row)
                near |= alike[row]
        return found

    def _is_apart(self, row: int, others: Sequence[int], clock: Clock) -> bool:
        """Whether a row is proved apart from all of some others."""
        if not others:
            return True
        waiting = np.array(others)[~self._share_known(row, others)]
        return all(self._ask(row, int(other), clock) for other in waiting)

    def _share_known(self, row: int, others: Sequence[int]) -> NDArray[np.bool_]:
        """Which of some rows have a known counterexample in their joint box with a row."""
        own, theirs = self._points[row], self._points[list(others)][:, None, :]
        known = self._known[None, :, :]
        either = (known == own) | (known == theirs)
        if self._literals == "values":
            either |= own != theirs
        if self._literals == "intervals":
            low, high = np.minimum(own, theirs), np.maximum(own, theirs)
            either |= (low <= known) & (known <= high) & (high < self._ordered)
        inside: NDArray[np.bool_] = either.all(axis=2).any(axis=1)
        return inside

    def _ask(self, row: int, other: int, clock: Clock) -> bool:
        """Whether the engine finds another decision in the joint box of two rows; what it finds is kept."""
        if clock.expired():
            return False
        pair = self._points[[row, other]].tolist()
        reply = self._oracle.counterexample(join_cells(self._oracle, self._literals, *pair), clock)
        if isinstance(reply, Verdict):
            return False
        if len(self._known) < MOST_KNOWN:
            self._known = np.vstack([self._known, reply])
        else:
            self._known[self._next] = reply
            self._next = (self._next + 1) % MOST_KNOWN
        return True
