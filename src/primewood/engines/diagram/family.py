"""Families of terms: sets of restrictions, perhaps billions of them, as one zero-suppressed diagram.

A node (variable, lo, hi) stands for the sets of `lo`, and those of `hi` with the variable added; terminal 0 has no set,
terminal 1 only the empty one. A variable is a restriction: some values of one of the universe's variables. The
restrictions of one variable of the universe are neighbours, a *block*, so that "how many features does this term
mention" is a count of blocks. Nodes are sorted with children before parents, so counting, the shortest, the
widest and sampling are passes over arrays; nothing is listed unless it is asked for.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Ints
from primewood.core import _native  # the C++ core
from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.logic.masks import indices, mask_of_array

NEVER = 1 << 30
TERMINAL = _native.TERMINAL_VARIABLE
"""The variable of the terminals: below all others."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Values of one variable: what a term excludes, or what a contrast lets in.

    Attributes
    ----------
    place : int
        The variable, as a place in the universe.
    mask : int
        The values, as bits.
    """

    place: int
    mask: int


@dataclass(frozen=True, eq=False)
class DiagramFamily:
    """A family of boxes.

    Attributes
    ----------
    base : Box
        The box without any restriction.
    restrictions : tuple of Restriction
        By variable of the diagram.
    contrast : bool
        Whether a restriction lets its values in, instead of taking them away.
    variable, lo, hi : arrays of int
        The nodes; the first two are the terminals.
    root : int
    """

    base: Box
    restrictions: tuple[Restriction, ...]
    contrast: bool
    variable: Ints
    lo: Ints
    hi: Ints
    root: int

    @cached_property
    def _blocks(self) -> Ints:
        """The block of each node; the terminals have none."""
        places = np.array([r.place for r in self.restrictions] or [0])
        blocks = np.full(len(self.variable), -1, dtype=np.int64)
        blocks[2:] = places[self.variable[2:]]
        return blocks

    @cached_property
    def _layers(self) -> list[slice]:
        """The nodes of each variable, from the bottom up."""
        inner = self.variable[2:]
        cuts = [0, *(np.flatnonzero(np.diff(inner)) + 1).tolist(), len(inner)] if len(inner) else [0]
        return [slice(a + 2, b + 2) for a, b in itertools.pairwise(cuts)]

    def node_count(self) -> int:
        """The size of the diagram."""
        return len(self.variable) - 2

    @cached_property
    def _counts(self) -> NDArray[Any]:
        """How many sets each node stands for: 64-bit integers while they suffice, Python's own beyond."""
        for dtype in (np.float64, object):
            counts = np.zeros(len(self.variable), dtype=dtype)
            counts[1] = 1
            with np.errstate(over="ignore"):
                for layer in self._layers:
                    counts[layer] = counts[self.lo[layer]] + counts[self.hi[layer]]
            if dtype is np.float64 and counts.max() < 2**53:
                return counts.astype(np.int64)
        return counts

    def count(self) -> int:
        """How many boxes there are, exactly. Cost: linear in the diagram."""
        return int(self._counts[self.root])

    def __bool__(self) -> bool:
        return self.root != 0

    def _box(self, chosen: Sequence[int]) -> Box:
        box = list(self.base)
        for variable in chosen:
            r = self.restrictions[variable]
            box[r.place] = box[r.place] | r.mask if self.contrast else box[r.place] & ~r.mask
        return tuple(box)

    def __contains__(self, box: Box) -> bool:
        """Cost: one step per restriction."""
        held = {
            v
            for v, r in enumerate(self.restrictions)
            if (r.mask & ~box[r.place] == 0 if self.contrast else not box[r.place] & r.mask)
        }
        node = self.root
        taken = []
        while node > 1:
            variable = int(self.variable[node])
            if variable in held and self.hi[node] != 0:
                taken.append(variable)
                node = int(self.hi[node])
            else:
                node = int(self.lo[node])
        return node == 1 and self._box(taken) == box

    @cached_property
    def _fewest(self) -> tuple[Ints, Ints]:
        """Per node the fewest blocks of its sets; the same where its own block has been counted already."""
        return self._blocks_to_go(np.minimum, NEVER)

    @cached_property
    def _most(self) -> tuple[Ints, Ints]:
        """The same for the most blocks."""
        return self._blocks_to_go(np.maximum, -NEVER)

    def _blocks_to_go(self, better: np.ufunc, none: int) -> tuple[Ints, Ints]:
        fresh = np.zeros(len(self.variable), dtype=np.int64)
        fresh[0] = none
        counted = fresh.copy()
        for layer in self._layers:
            lo, hi = self.lo[layer], self.hi[layer]
            block = self._blocks[layer]
            after_hi = np.where(self._blocks[hi] == block, counted[hi], fresh[hi])
            after_lo = np.where(self._blocks[lo] == block, counted[lo], fresh[lo])
            fresh[layer] = better(fresh[lo], after_hi + 1)
            counted[layer] = better(after_lo, after_hi)
        return fresh, counted

    def __iter__(self) -> Iterator[Box]:
        """The boxes, those that mention the fewest variables first, lazily."""
        if self.root == 0:
            return
        for size in range(int(self._fewest[0][self.root]), int(self._most[0][self.root]) + 1):
            yield from self.list_of_size(size)

    def list_of_size(self, size: int) -> Iterator[Box]:
        """The boxes that mention exactly `size` variables, lazily."""
        stack: list[tuple[int, int, int, tuple[int, ...]]] = [(self.root, size, -1, ())]
        while stack:
            node, left, block, chosen = stack.pop()
            if node <= 1:
                if node == 1 and left == 0:
                    yield self._box(chosen)
                continue
            inside = int(self._blocks[node]) == block
            if not self._fewest[inside][node] <= left <= self._most[inside][node]:
                continue
            stack.append((int(self.lo[node]), left, block, chosen))
            after = (*chosen, int(self.variable[node]))
            stack.append((int(self.hi[node]), left if inside else left - 1, int(self._blocks[node]), after))

    def shortest(self) -> Box | None:
        """A box that mentions the fewest variables; None if there is no box. Cost: linear in the diagram."""
        return next(iter(self), None)

    def sizes(self) -> dict[int, int]:
        """How many boxes mention how many variables. Cost: linear in the diagram, times the number of sizes."""
        table = [dict[int, int]() for _ in range(len(self.variable))]
        counted = [dict[int, int]() for _ in range(len(self.variable))]
        table[1] = counted[1] = {0: 1}
        for node in range(2, len(self.variable)):
            lo, hi, block = int(self.lo[node]), int(self.hi[node]), self._blocks[node]
            after_hi = counted[hi] if self._blocks[hi] == block else table[hi]
            after_lo = counted[lo] if self._blocks[lo] == block else table[lo]
            table[node] = _add(table[lo], {k + 1: n for k, n in after_hi.items()})
            counted[node] = _add(after_lo, after_hi)
        return dict(sorted(table[self.root].items()))

    def sample(self, count: int, seed: int | None = None) -> list[Box]:
        """Boxes drawn uniformly, with replacement. Cost: one pass, and one path per box."""
        if self.root == 0:
            return []
        generator, counts = random.Random(seed), self._counts
        found = []
        for _ in range(count):
            node, chosen = self.root, []
            while node > 1:
                hi = int(self.hi[node])
                if generator.randrange(int(counts[node])) < counts[hi]:
                    chosen.append(int(self.variable[node]))
                    node = hi
                else:
                    node = int(self.lo[node])
            found.append(self._box(chosen))
        return found

    def avoiding(self, place: int) -> DiagramFamily:
        """The boxes that do not mention a variable."""
        skipped = self._blocks == place
        lo, hi = self.lo.copy(), self.hi.copy()
        hi[skipped] = 0
        return _reduce(self, self.variable, lo, hi, self.root)

    def mentioning(self, place: int) -> DiagramFamily:
        """The boxes that mention a variable.

        Every node down to the end of its block gets a twin that still waits for it.
        """
        n = len(self.variable)
        last = max((v for v, r in enumerate(self.restrictions) if r.place == place), default=-1)
        waits = (self.variable <= last) & (np.arange(n) > 1)
        own = waits & (self._blocks == place)
        twin = np.where(waits, np.arange(n) + n, 0)
        lo = np.concatenate([self.lo, twin[self.lo]])
        hi = np.concatenate([self.hi, np.where(own, self.hi, twin[self.hi])])
        return _reduce(self, np.concatenate([self.variable, self.variable]), lo, hi, int(twin[self.root]))

    def widest(self, weights: Sequence[NDArray[np.float64]]) -> tuple[Box, float] | None:
        """A box with the largest share under a product distribution, and that share; None if there is no box.

        Of terms only: a contrast is no better for being wide.

        Between the node where a block is entered and the one where it is left, only the path that excludes the
        least counts. Cost: per node where a block is entered, the nodes of the block below it.
        """
        self._check_terms()
        if self.root == 0:
            return None
        loss = [float(sum(weights[r.place][i] for i in indices(r.mask))) for r in self.restrictions]
        best: dict[int, tuple[float, int, tuple[int, ...]]] = {1: (1.0, 1, ())}
        for entry in self._entries():
            best[entry] = max(
                (best[node][0] * max(0.0, 1.0 - lost), node, path)
                for node, (lost, path) in self._find_paths(entry, loss).items()
            )
        chosen: list[int] = []
        node = self.root
        while node > 1:
            _, node, part = best[node]
            chosen += part
        return self._box(chosen), best[self.root][0]

    def _check_terms(self) -> None:
        if self.contrast:
            raise InvalidInput("only terms have a widest one; a contrast is no better for being wide")

    def _entries(self) -> list[int]:
        """The nodes at which a path enters a block, from the bottom up."""
        entered = np.zeros(len(self.variable), dtype=bool)
        entered[self.root] = True
        for child in (self.lo, self.hi):
            entered[child[2:][self._blocks[child[2:]] != self._blocks[2:]]] = True
        entered[:2] = False
        return [int(i) for i in np.flatnonzero(entered)]

    def _find_paths(self, entry: int, loss: Sequence[float]) -> dict[int, tuple[float, tuple[int, ...]]]:
        """Where paths from `entry` leave its block: the least that they exclude, and how."""
        block = self._blocks[entry]
        inside: dict[int, tuple[float, tuple[int, ...]]] = {entry: (0.0, ())}
        leaving: dict[int, tuple[float, tuple[int, ...]]] = {}
        todo = [-entry]
        while todo:  # children have smaller numbers: the largest first
            node = -heapq.heappop(todo)
            lost, chosen = inside[node]
            variable = int(self.variable[node])
            for child, more, path in (
                (int(self.lo[node]), lost, chosen),
                (int(self.hi[node]), lost + loss[variable], (*chosen, variable)),
            ):
                table = inside if self._blocks[child] == block else leaving
                if child == 0 or (child in table and table[child][0] <= more):
                    continue
                if table is inside and child not in inside:
                    heapq.heappush(todo, -child)
                table[child] = (more, path)
        return leaving

    def widest_over(self, points: Ints) -> tuple[Box, int] | None:
        """A box that holds the most of some points (rows of value indices), and how many; None if there is no box.

        Best first: a set of rows only shrinks on the way down, so the first that is complete is the best. Cost: in
        the worst case exponential, in practice small, because most restrictions lose rows.
        """
        self._check_terms()
        if self.root == 0:
            return None
        rows = [self._rows_lost(points, r) for r in self.restrictions]
        everything = (1 << len(points)) - 1
        heap: list[tuple[int, int, int, int, tuple[int, ...]]] = [
            (-len(points), 0, self.root, everything, ())
        ]
        seen: set[tuple[int, int]] = set()
        ticket = 0
        while True:
            count, _, node, left, chosen = heapq.heappop(heap)
            if node == 1:
                return self._box(chosen), -count
            if (node, left) in seen:
                continue
            seen.add((node, left))
            variable = int(self.variable[node])
            kept = left & ~rows[variable]
            for child, rest, path in (
                (int(self.lo[node]), left, chosen),
                (int(self.hi[node]), kept, (*chosen, variable)),
            ):
                if child != 0:
                    ticket -= 1  # the newest first: straight down where nothing is lost
                    heapq.heappush(heap, (-rest.bit_count(), ticket, child, rest, path))

    @staticmethod
    def _rows_lost(points: Ints, restriction: Restriction) -> int:
        return mask_of_array(np.isin(points[:, restriction.place], indices(restriction.mask)))


def _add(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    return {k: a.get(k, 0) + b.get(k, 0) for k in a.keys() | b.keys()}


def _reduce(family: DiagramFamily, variable: Ints, lo: Ints, hi: Ints, root: int) -> DiagramFamily:
    """A family of the nodes that a root reaches, without those whose `hi` is empty. Cost: a pass per variable."""
    inner = np.flatnonzero(variable < TERMINAL)
    inner = inner[np.argsort(-variable[inner], kind="stable")]
    layers = np.split(inner, np.flatnonzero(np.diff(variable[inner])) + 1)
    stands_for = np.arange(len(variable))
    for layer in layers:
        lo[layer], hi[layer] = stands_for[lo[layer]], stands_for[hi[layer]]
        stands_for[layer] = np.where(hi[layer] == 0, lo[layer], layer)
    root = int(stands_for[root])
    reached = np.zeros(len(variable), dtype=bool)
    reached[[0, 1, root]] = True
    for layer in reversed(layers):
        here = layer[reached[layer]]
        reached[lo[here]] = reached[hi[here]] = True
    kept = np.concatenate([[0, 1], inner[reached[inner]]])
    place = np.zeros(len(variable), dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return replace(
        family, variable=variable[kept], lo=place[lo[kept]], hi=place[hi[kept]], root=int(place[root])
    )
