"""The search engine: exact branch and bound on the trees, for the model's own vote.

The work is done by the C++ core (``src/native``): naive bounds, local search for counterexamples, a
pointer depth-first search, and a Lagrangian branch and bound; see its headers. A question about one
decision is a question per rival class: can the rival's score reach the decided class's in this box?
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from primewood.core import _native
from primewood.domain import EnsembleSubject
from primewood.engines.duality import DualFamily
from primewood.engines.native_forest import native_forest
from primewood.engines.protocol import (
    Clock,
    Costs,
    Grown,
    Growth,
    GrowthWatcher,
    Nearest,
    Reply,
    Step,
    Verdict,
    WeakeningPlan,
)
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.logic.variable import Variable


class SearchForest:
    """The native forest of a subject; one for all its decisions, shared between threads."""

    def __init__(self, subject: EnsembleSubject, *, any_order: bool = False) -> None:
        self.subject, self.any_order = subject, any_order
        self.native = native_forest(subject.ensemble, subject.domain, any_order=any_order)
        self.nominal = [int(x.ordered == 0) for x in subject.variables]
        self.starts = np.cumsum([0, *(len(x) for x in subject.variables)])
        bytes_of = np.cumsum([0, *((len(x) + 7) // 8 for x in subject.variables)]).tolist()
        self.packed = [slice(a, b) for a, b in pairwise(bytes_of)]
        self._atom_bits = np.concatenate(
            [
                8 * part.start + np.arange(len(x))
                for x, part in zip(subject.variables, self.packed, strict=True)
            ]
            or [np.zeros(1, dtype=np.int64)]
        )
        self._translated: tuple[Sequence[Step], list[list[tuple[int, int]]]] = ((), [])

    def sum_sequentially(self) -> SearchForest:
        """The same forest, whose scores are added in the order of the trees. Cost: a copy."""
        other = copy(self)
        other.native, other.any_order = self.native.sum_in_sequence(), False
        return other

    def decide(self, point: Point) -> int:
        """The decision at a point, as the library takes it. Cost: one walk through every tree."""
        return int(self.native.decide(list(point) if point else [0]))

    def decide_all(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """The decisions at many points, one per row. Cost: one walk through every tree per row."""
        given = points if points.shape[1] else np.zeros((len(points), 1), dtype=np.int64)
        return self.native.decide_all(np.ascontiguousarray(given, dtype=np.int32)).astype(np.int64)

    def possible(self, point: Point) -> bool:
        """Whether a row can be at a point."""
        return bool(self.native.possible(list(point) if point else [0]))

    def oracle(self, label: int, target: int | None = None) -> SearchOracle:
        """An oracle for "the decision is this label", or for "it is not the target". Cost: constant."""
        return SearchOracle(self, label, target)

    def mask(self, box: Box) -> NDArray[np.uint8]:
        """A box as the core takes it: one byte per atom."""
        allowed = b"".join(
            m.to_bytes(part.stop - part.start, "little") for m, part in zip(box, self.packed, strict=True)
        )
        bits = np.unpackbits(np.frombuffer(allowed, dtype=np.uint8), bitorder="little")
        return np.asarray(bits[self._atom_bits])

    def atoms(self, steps: Sequence[Step]) -> list[list[tuple[int, int]]]:
        """Steps as the core takes them: lists of (variable, value), −1 standing for all values.

        The usual steps come with every row, so the last ones are kept.
        """
        known, atoms = self._translated
        if known is not steps:
            whole = [x.everything for x in self.subject.variables]
            atoms = [
                [(j, v) for j, mask in step.items() for v in ([-1] if mask == whole[j] else indices(mask))]
                for step in steps
            ]
            self._translated = (steps, atoms)
        return atoms


class SearchOracle:
    """Answers by search about one decision of an ensemble: that it is the label, or that it is not the target."""

    def __init__(self, forest: SearchForest, label: int, target: int | None = None) -> None:
        self._forest = forest
        self._label, self._target = label, target

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._forest.subject.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point, or no row can be there. Cost: one walk through every tree."""
        decided = self._forest.decide(point)
        taken = decided == self._label if self._target is None else decided != self._target
        return taken or not self._forest.possible(point)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box that gets a different decision. Cost: a search, exponential at worst.

        One margin at a time: the decision's rivals are asked one after the other. A target must beat all its rivals at
        once.
        """
        if self._target is None:
            return self._find(box, clock, self._label, otherwise=True)
        return self._find(box, clock, self._target, otherwise=False)

    def example(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box at which the decision is taken. Cost: a search, exponential at worst.

        A conjunction of margins: the decided class must beat all its rivals at once.
        """
        return self._find(box, clock, self._label, otherwise=False)

    def _find(self, box: Box, clock: Clock | None, label: int, *, otherwise: bool) -> Reply:
        if not self.variables:
            decided = self._forest.decide(()) == label
            return Verdict.NONE_EXISTS if decided == otherwise else ()
        question = _native.Question(label, target=None if otherwise else label)
        return read_reply(self._forest.native.find(self._forest.mask(box), question, native_budget(clock)))

    def find_within(self, start: Point, costs: Costs, most: float, clock: Clock | None = None) -> Reply:
        """A point at which the decision is not taken and that costs little; see `PricingOracle`."""
        if not self.variables:
            return Verdict.NONE_EXISTS
        question = _native.Question(self._label, target=self._target)
        found = self._forest.native.find_within(
            list(start), np.ascontiguousarray(costs), float(most), question, native_budget(clock)
        )
        return read_reply(found)

    def nearest(
        self, point: Point, costs: Costs, clock: Clock | None = None, *, largest: bool = False
    ) -> Nearest:
        """The cheapest point at which the decision is not taken; see `PricingOracle`."""
        if not self.variables:
            return Nearest(None, math.inf, math.inf, interrupted=False)
        norm = _native.Norm.LARGEST if largest else _native.Norm.SUM
        found = self._forest.native.nearest(
            list(point), np.ascontiguousarray(costs), norm, self._target, native_budget(clock)
        )
        interrupted = found.outcome is _native.Outcome.INTERRUPTED
        return Nearest(found.point or None, found.cost, found.lower, interrupted)

    def primes(self, literals: Language, point: Point | None = None) -> DualFamily:
        """The prime boxes of the decision, all or those that contain a point, by duality."""
        return DualFamily(self, literals, point)

    def grow(
        self, point: Point, plan: WeakeningPlan, clock: Clock, watcher: GrowthWatcher | None = None
    ) -> Grown:
        """Weaken an instance to a prime box, in the core."""
        if not self.variables:
            return Grown((), False, 0, dict)
        weakening = _native.Weakening()
        weakening.steps = self._forest.atoms(plan.steps)
        weakening.order = list(plan.variables)
        weakening.fixed = [int(j in plan.fixed) for j in range(len(point))]
        weakening.nominal = self._forest.nominal
        weakening.language = _native.Language[plan.literals.upper()]
        weakening.target = self._target
        native_watcher = None if watcher is None else partial(self._report, watcher)
        grown = self._forest.native.grow(list(point), weakening, native_budget(clock), native_watcher)
        return self._read_grown(grown)

    def _report(self, watcher: GrowthWatcher, growth: _native.Growth) -> None:
        watcher(Growth(self._read_grown(growth.found), growth.done, growth.total, growth.nodes))

    def _read_grown(self, grown: _native.Grown) -> Grown:
        packed = grown.box
        box = tuple(int.from_bytes(packed[part], "little") for part in self._forest.packed)
        return Grown(box, grown.interrupted, grown.counts.queries, lambda: _Seen(grown, self._forest.starts))


def native_budget(clock: Clock | None) -> _native.Budget:
    """What a clock leaves for one run of the core."""
    clock = clock or Clock()
    return _native.Budget(seconds=clock.left(), nodes=clock.work(), threads=clock.threads)


def read_reply(found: _native.Found) -> Reply:
    """What the core found, in the engines' own terms."""
    if found.outcome is _native.Outcome.FOUND:
        return found.point
    if found.outcome is _native.Outcome.NONE_EXISTS:
        return Verdict.NONE_EXISTS
    return Verdict.INTERRUPTED


class _Seen(Mapping[tuple[int, int], Point]):
    """The points that a weakening saw, by the excluded value that each shows; made when they are asked for."""

    def __init__(self, grown: _native.Grown, starts: NDArray[np.int64]) -> None:
        self._witnesses, self._blocked, self._starts = grown.witnesses, grown.blocked_by, starts

    def __getitem__(self, key: tuple[int, int]) -> Point:
        j, value = key
        at = int(self._starts[j]) + value
        if not self._starts[j] <= at < self._starts[j + 1] or self._blocked[at] < 0:
            raise KeyError(key)
        witness = self._witnesses[self._blocked[at]]
        return (*witness[:j], value, *witness[j + 1 :])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        atoms = np.flatnonzero(self._blocked >= 0)
        owners = np.searchsorted(self._starts, atoms, side="right") - 1
        yield from zip(owners.tolist(), (atoms - self._starts[owners]).tolist(), strict=True)

    def __len__(self) -> int:
        return int((self._blocked >= 0).sum())
