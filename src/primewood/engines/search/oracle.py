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
        if not self.variables:
            return True
        return bool(self._forest.native.decide(list(point)) == self._label)

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
        answer: dict[str, Any] = self._forest.native.grow(
            list(point),
            [[(j, v) for j, mask in step.items() for v in indices(mask)] for step in steps],
            list(variables),
            [int(j in fixed) for j in range(len(point))],
            self._forest.nominal,
            LANGUAGES[literals],
            clock.left(),
            clock.work(),
        )
        box, witnesses, atom = [], {}, 0
        for j, x in enumerate(self.variables):
            mask = 0
            for v in range(len(x)):
                mask |= answer["box"][atom] << v
                which = answer["blocked_by"][atom]
                if which >= 0:
                    found = answer["witnesses"][which]
                    witnesses[j, v] = (*found[:j], v, *found[j + 1 :])
                atom += 1
            box.append(mask)
        return Grown(tuple(box), answer["complete"], answer["queries"], witnesses)
