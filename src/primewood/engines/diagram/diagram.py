"""A compiled decision: a multi-valued decision diagram, one level per variable.

Level j is an array with one row per node and one column per value of its variable; an entry is the place of a
node on the next level, below the last level a *terminal*: the place of a decision. Equal rows occur once per level.
So a question that can be answered from the bottom up is one array operation per level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.core import _native  # the C++ core
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point
from primewood.logic.masks import indices
from primewood.logic.variable import Variable

DiagramLevel = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class CompilationRecord:
    """How a diagram came to be.

    Attributes
    ----------
    seconds : float
    states : int
        How many partial decisions were looked into on the way.
    settled : int
        On how many paths rounding could decide, so that the library's own sum was computed.
    """

    seconds: float
    states: int
    settled: int


@dataclass(frozen=True, eq=False)
class Diagram:
    """A function from the points of a universe to terminals.

    Attributes
    ----------
    variables : tuple of Variable
        The universe.
    order : tuple of int
        The variable of each level, as a place in `variables`.
    levels : tuple of arrays of int32
    root : int
        The node of the first level that is meant (without variables: the terminal).
    terminals : int
        How many terminals there are.
    impossible : int or None
        The terminal of points at which no row can be.
    making : CompilationRecord or None
    """

    variables: tuple[Variable, ...]
    order: tuple[int, ...]
    levels: tuple[DiagramLevel, ...]
    root: int
    terminals: int
    impossible: int | None = None
    making: CompilationRecord | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for level in self.levels:
            level.flags.writeable = False

    @cached_property
    def native(self) -> _native.Diagram:
        """The same for the C++ core."""
        return _native.Diagram(list(self.levels), self.root, self.terminals)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("native", "_assumed")}

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return sum(len(level) for level in self.levels)

    def check(self) -> None:
        """Raise if the arrays are not a diagram over the variables."""
        sound = self._places_are_sound() and all(level.ndim == 2 for level in self.levels)
        widths = [len(self.variables[j]) for j in self.order] if sound else None
        if not sound or widths != [level.shape[1] for level in self.levels]:
            raise InvalidInput("the levels do not fit the variables; the diagram is damaged")
        below = self.terminals
        for level in reversed(self.levels):
            if len(level) == 0 or level.min() < 0 or level.max() >= below:
                raise InvalidInput("an entry leads nowhere; the diagram is damaged")
            if len(np.unique(level, axis=0)) < len(level):
                raise InvalidInput("a node occurs twice; the diagram is damaged")
            below = len(level)
        if not 0 <= self.root < below:
            raise InvalidInput("there is no such root; the diagram is damaged")

    def _places_are_sound(self) -> bool:
        return sorted(self.order) == list(range(len(self.variables)))

    def decide(self, point: Point) -> int:
        """The terminal of a point. Cost: one step per variable."""
        node = self.root
        for j, level in zip(self.order, self.levels, strict=True):
            node = level[node, point[j]]
        return int(node)

    def decide_all(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """The terminals of many points, one per row."""
        node = np.full(len(points), self.root, dtype=np.int64)
        for j, level in zip(self.order, self.levels, strict=True):
            node = level[node, points[:, j]].astype(np.int64)
        return node

    def find(self, box: Box, terminal: int, *, otherwise: bool) -> Point | None:
        """A possible point of a box with this terminal, or, if `otherwise`, with another. Cost: linear in the nodes."""
        native = self.assume(terminal).native if otherwise else self.native
        found = native.find([indices(box[j]) for j in self.order], terminal, otherwise)
        return None if found is None else self.order_as_universe(found)

    def find_other(self, box: Box, terminal: int) -> Point | None:
        """A possible point of a box with another terminal; None if there is none."""
        return self.find(box, terminal, otherwise=True)

    def assume(self, terminal: int) -> Diagram:
        """The same with this terminal wherever no row can be: what holds if every row is possible.

        Made once for each.
        """
        if self.impossible is None:
            return self
        if terminal not in self._assumed:
            from primewood.engines.diagram.product import relabel

            terminals = np.arange(self.terminals, dtype=np.int32)
            terminals[self.impossible] = terminal
            self._assumed[terminal] = relabel(self, terminals, self.terminals)
        return self._assumed[terminal]

    @cached_property
    def _assumed(self) -> dict[int, Diagram]:
        return {}

    def order_as_universe(self, by_level: Sequence[int]) -> Point:
        """Values given level by level, in the order of the universe."""
        point = [0] * len(self.variables)
        for j, value in zip(self.order, by_level, strict=True):
            point[j] = value
        return tuple(point)

    def by_level(self, point: Sequence[int]) -> list[int]:
        """Values given in the order of the universe, level by level."""
        return [point[j] for j in self.order]

    def counts(self) -> list[int]:
        """How many points each terminal has, exactly. Cost: linear in the entries, once per 31 bits of a count.

        Counted modulo several primes at once in machine integers, and put together by the Chinese remainder theorem.
        """
        counts, product = [0] * self.terminals, 1
        whole = math.prod(len(x) for x in self.variables)
        for prime in _primes():
            remainders = self._sum_up(np.eye(self.terminals, dtype=np.int64), None, prime)
            inverse = pow(product, -1, prime)
            counts = [
                n + product * ((int(r) - n) * inverse % prime)
                for n, r in zip(counts, remainders, strict=True)
            ]
            product *= prime
            if product > whole:
                return counts
        raise AssertionError("there are enough primes")

    def shares(self, weights: Sequence[NDArray[np.float64]] | None = None) -> NDArray[np.float64]:
        """How much of the universe each terminal has, under a product distribution. Cost: linear in the entries.

        Parameters
        ----------
        weights
            Per variable the probabilities of its values; uniform if not given.
        """
        uniform = [np.full(len(x), 1 / len(x)) for x in self.variables]
        return self._sum_up(np.eye(self.terminals), weights or uniform, None)

    def _sum_up(
        self, below: NDArray[Any], weights: Sequence[NDArray[np.float64]] | None, modulus: int | None
    ) -> NDArray[Any]:
        """Per terminal, the sum over all points of the product of their values' weights (1 if not given)."""
        for j, level in reversed(list(zip(self.order, self.levels, strict=True))):
            total = np.zeros((len(level), self.terminals), dtype=below.dtype)
            for value, children in enumerate(level.T):
                part = below[children]
                total += part if weights is None else weights[j][value] * part
            below = total if modulus is None else total % modulus
        return np.asarray(below[self.root])


def _primes() -> Iterator[int]:
    """The primes below 2^31, from the largest down."""
    for n in range(2**31 - 1, 2, -2):
        if all(n % d for d in range(3, math.isqrt(n) + 1, 2)):
            yield n
