"""The search engine: exact branch and bound on the trees, for the model's own vote.

The work is done by the C++ core (``src/native``): naive bounds, local search for counterexamples, a
pointer depth-first search, and a Lagrangian branch and bound; see its headers. A question about one
decision is a question per rival class: can the rival's score reach the decided class's in this box?
"""

from __future__ import annotations

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

    def decide(self, point: Point) -> int:
        """The decision at a point, as the library takes it. Cost: one walk through every tree."""
        return int(self.native.decide(list(point) if point else [0]))

    def oracle(self, label: int) -> SearchOracle:
        """An oracle for one decision. Cost: constant."""
        return SearchOracle(self, label)


class SearchOracle:
    """Answers about one decision of an ensemble by search."""

    def __init__(self, forest: SearchForest, label: int) -> None:
        self._forest = forest
        self._label = label

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._forest.subject.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point. Cost: one walk through every tree."""
        return self._forest.decide(point) == self._label

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box that is decided otherwise. Cost: a search, exponential at worst."""
        if not self.variables:
            return Verdict.NONE_EXISTS
        clock = clock or Clock()
        mask = np.zeros(self._forest.native.atoms, dtype=np.uint8)
        start = 0
        for x, allowed in zip(self.variables, box, strict=True):
            mask[[start + i for i in indices(allowed)]] = 1
            start += len(x)
        found = self._forest.native.counterexample(mask, self._label, clock.left(), clock.work())
        if found is None:
            return Verdict.UNKNOWN
        return tuple(found) if isinstance(found, tuple) else Verdict.NONE_EXISTS

    def primes(self, literals: Language, point: Point | None = None) -> DualFamily:
        """The prime boxes of the decision, all or those that contain a point, by duality."""
        return DualFamily(self, literals, point)

    def grow(
        self,
        point: Point,
        steps: list[Step],
        variables: list[int],
        literals: Language,
        fixed: frozenset[int],
        clock: Clock,
    ) -> Grown:
        """Weaken an instance to a prime box, in the core."""
        if not self.variables:
            return Grown((), True, 0, {})
        variables_of, everything = self.variables, -1
        atoms = [
            [
                (j, v)
                for j, mask in step.items()
                for v in ([everything] if mask == variables_of[j].everything else indices(mask))
            ]
            for step in steps
        ]
        answer: dict[str, Any] = self._forest.native.grow(
            list(point),
            atoms,
            list(variables),
            [int(j in fixed) for j in range(len(point))],
            self._forest.nominal,
            LANGUAGES[literals],
            clock.left(),
            clock.work(),
        )
        blocked = np.frombuffer(answer["blocked_by"], dtype=np.int32)
        return Grown(
            self._box(answer["box"]), answer["complete"], answer["queries"], self._points(blocked, answer)
        )

    def _box(self, allowed: bytes) -> Box:
        """The bytes of the core, one per atom, as bit masks."""
        flags = np.frombuffer(allowed, dtype=np.uint8)
        box, start = [], 0
        for x in self.variables:
            packed = np.packbits(flags[start : start + len(x)], bitorder="little")
            box.append(int.from_bytes(packed.tobytes(), "little"))
            start += len(x)
        return tuple(box)

    def _points(self, blocked: Any, answer: dict[str, Any]) -> dict[tuple[int, int], Point]:
        """The witness of each excluded atom that has one."""
        found: dict[tuple[int, int], Point] = {}
        atoms = np.flatnonzero(blocked >= 0)
        starts = self._forest.starts
        owners = np.searchsorted(starts, atoms, side="right") - 1
        for atom, j in zip(atoms.tolist(), owners.tolist(), strict=True):
            witness = answer["witnesses"][blocked[atom]]
            value = atom - int(starts[j])
            found[j, value] = (*witness[:j], value, *witness[j + 1 :])
        return found
