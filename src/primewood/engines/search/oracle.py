"""The search engine: exact branch and bound on the trees, for the model's own vote.

The work is done by the C++ core (``src/native``): naive bounds, local search for counterexamples, a
pointer depth-first search, and a Lagrangian branch and bound; see its headers. A question about one
decision is a question per rival class: can the rival's score reach the decided class's in this box?
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from primewood.domain import EnsembleSubject
from primewood.engines.duality import DualFamily
from primewood.engines.protocol import Clock, Grown, Reply, Step, Verdict
from primewood.engines.search.forest import native_forest
from primewood.logic.instance import Box, Point, indices
from primewood.logic.language import Language
from primewood.logic.variable import Variable

LANGUAGES: dict[Language, int] = {"sets": 0, "intervals": 1, "values": 2}


class SearchForest:
    """The native forest of a subject; one for all its decisions, shared between threads."""

    def __init__(self, subject: EnsembleSubject, *, any_order: bool = False) -> None:
        self.subject = subject
        self.native = native_forest(subject.ensemble, subject.domain, any_order=any_order)
        self.nominal = [int(x.ordered == 0) for x in subject.variables]
        self.starts = np.cumsum([0, *(len(x) for x in subject.variables)])
        bytes_of = np.cumsum([0, *((len(x) + 7) // 8 for x in subject.variables)]).tolist()
        self.packed = [slice(a, b) for a, b in pairwise(bytes_of)]
        self._translated: tuple[Sequence[Step], list[list[tuple[int, int]]]] = ((), [])

    def decide(self, point: Point) -> int:
        """The decision at a point, as the library takes it. Cost: one walk through every tree."""
        return int(self.native.decide(list(point) if point else [0]))

    def possible(self, point: Point) -> bool:
        """Whether a row can be at a point."""
        return bool(self.native.possible(list(point) if point else [0]))

    def oracle(self, label: int) -> SearchOracle:
        """An oracle for one decision. Cost: constant."""
        return SearchOracle(self, label)

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
    """Answers about one decision of an ensemble by search."""

    def __init__(self, forest: SearchForest, label: int) -> None:
        self._forest = forest
        self._label = label

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._forest.subject.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point, or no row can be there. Cost: one walk through every tree."""
        return self._forest.decide(point) == self._label or not self._forest.possible(point)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box that is decided otherwise. Cost: a search, exponential at worst.

        One margin at a time: the decision's rivals are asked one after the other.
        """
        return self._find(box, clock, otherwise=True)

    def example(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box at which the decision is taken. Cost: a search, exponential at worst.

        A conjunction of margins: the decided class must beat all its rivals at once.
        """
        return self._find(box, clock, otherwise=False)

    def _find(self, box: Box, clock: Clock | None, *, otherwise: bool) -> Reply:
        if not self.variables:
            decided = self._forest.decide(()) == self._label
            return Verdict.NONE_EXISTS if decided == otherwise else ()
        clock = clock or Clock()
        mask = np.zeros(self._forest.native.atoms, dtype=np.uint8)
        for start, allowed in zip(self._forest.starts.tolist(), box, strict=False):
            mask[[start + i for i in indices(allowed)]] = 1
        found = self._forest.native.find(mask, self._label, otherwise, clock.left(), clock.work())
        if found is None:
            return Verdict.UNKNOWN
        return tuple(found) if isinstance(found, tuple) else Verdict.NONE_EXISTS

    def primes(self, literals: Language, point: Point | None = None) -> DualFamily:
        """The prime boxes of the decision, all or those that contain a point, by duality."""
        return DualFamily(self, literals, point)

    def grow(
        self,
        point: Point,
        steps: Sequence[Step],
        variables: Sequence[int],
        literals: Language,
        fixed: frozenset[int],
        clock: Clock,
    ) -> Grown:
        """Weaken an instance to a prime box, in the core."""
        if not self.variables:
            return Grown((), True, 0, dict)
        answer: dict[str, Any] = self._forest.native.grow(
            list(point),
            self._forest.atoms(steps),
            list(variables),
            [int(j in fixed) for j in range(len(point))],
            self._forest.nominal,
            LANGUAGES[literals],
            clock.left(),
            clock.work(),
        )
        packed = answer["box"]
        box = tuple(int.from_bytes(packed[part], "little") for part in self._forest.packed)
        return Grown(box, answer["complete"], answer["queries"], lambda: self._points(answer))

    def _points(self, answer: dict[str, Any]) -> dict[tuple[int, int], Point]:
        """The witness of each excluded atom that has one."""
        found: dict[tuple[int, int], Point] = {}
        blocked = np.frombuffer(answer["blocked_by"], dtype=np.int32)
        atoms = np.flatnonzero(blocked >= 0)
        starts = self._forest.starts
        owners = np.searchsorted(starts, atoms, side="right") - 1
        for atom, j in zip(atoms.tolist(), owners.tolist(), strict=True):
            witness = answer["witnesses"][blocked[atom]]
            value = atom - int(starts[j])
            found[j, value] = (*witness[:j], value, *witness[j + 1 :])
        return found
