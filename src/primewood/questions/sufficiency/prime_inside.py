"""PI-explanations that contain a claim: prime boxes around the row inside the claim's.

Some are tried first. A SAT solver then decides whether there is any: it proposes sets of exclusions that contain those
of the claim (as in `primewood.engines.duality`); each proposal that is safe is weakened to a PI-explanation, and no
superset of it is proposed again. There can be very many.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise

from primewood.engines.protocol import Clock, Grown, Step, Verdict
from primewood.logic.instance import Box
from primewood.logic.language import Language
from primewood.questions.sufficiency.surroundings import Surroundings, is_inside

SOLVER = "minisat22"
ATTEMPTS = 20
"""How often a PI-explanation that contains a claim is looked for before all are listed."""


class PrimeInside:
    """Looks for a prime box inside a box, around one row and in one literal language."""

    def __init__(self, around: Surroundings, language: Language, clock: Clock) -> None:
        self.around, self.literals, self.clock = around, language, clock

    def find(self, box: Box) -> Grown | Verdict:
        """A prime box around the row that lies inside a box; `NONE_EXISTS`, or `INTERRUPTED` at a limit."""
        found = self._try_growing(box)
        return self._try_listing(box) if found is None else found

    def _try_growing(self, box: Box) -> Grown | Verdict | None:
        """A prime box around the row that lies inside a box; `NONE_EXISTS` if that is plain, None if neither is found.

        In a prime box, each restriction keeps out a point that no other one does. So each restriction of the box needs
        a point that the others let through; if they all have one, boxes that let these points through are tried.
        """
        others: list[Step] = []
        for j, beyond in self._list_restrictions(box):
            slice_ = (*box[:j], beyond, *box[j + 1 :])
            reply = self.around.oracle.counterexample(slice_, self.clock)
            if reply is Verdict.NONE_EXISTS:
                return Verdict.NONE_EXISTS
            if reply is Verdict.INTERRUPTED:
                return None
            if isinstance(reply, tuple):
                near = self.around.move_nearer(reply, slice_)
                others.append({i: 1 << v for i, v in enumerate(near) if i != j and v != self.around.point[i]})
        generator = random.Random(0)
        order = self.around.order_claimed_last(box)
        for _ in range(ATTEMPTS):
            grown = self.around.grow(
                self.around.cell, [step for step in others if step], order, self.literals, self.clock
            )
            if grown.interrupted:
                return None
            if is_inside(grown.box, box):
                return grown
            generator.shuffle(others)
        return None

    def _list_restrictions(self, box: Box) -> Iterator[tuple[int, int]]:
        """The variables that a box restricts, each with the values at which a box inside it may end instead.

        In "intervals", once for each side; of values without an order, and in "sets", once for each value.
        """
        for j, (x, mask, value) in enumerate(zip(self.around.variables, box, self.around.point, strict=True)):
            absent = [v for v in range(len(x)) if not mask >> v & 1]
            if self.literals == "values" and absent:
                yield j, x.everything & ~(1 << value)
                continue
            ordered = x.ordered if self.literals == "intervals" else 0
            below = [v for v in absent if v < min(value, ordered)]
            above = [v for v in absent if value < v < ordered]
            if below:
                yield j, (1 << value) - (1 << below[-1])
            if above:
                yield j, (2 << above[0]) - (2 << value)
            yield from ((j, 1 << v) for v in absent if v >= ordered)

    def _try_listing(self, box: Box) -> Grown | Verdict:
        """The same for certain, by proposals of a SAT solver; `INTERRUPTED` at a limit."""
        from pysat.solvers import Solver

        order = self.around.order_claimed_last(box)
        atoms = [
            (j, v)
            for j, x in enumerate(self.around.variables)
            for v in range(len(x))
            if v != self.around.point[j]
        ]
        excluded = {atom: n for n, atom in enumerate(atoms, start=1)}
        given = [[n] for (j, v), n in excluded.items() if not box[j] >> v & 1]
        together = [[-excluded[a], excluded[b]] for a, b in self._list_implied()]
        with Solver(name=SOLVER, bootstrap_with=[*given, *together]) as proposals:
            proposals.set_phases(list(excluded.values()))
            asked = 0
            while proposals.solve():
                asked += 1
                if self.clock.expired() or asked > (self.clock.work_limit or asked):
                    return Verdict.INTERRUPTED
                model = set(proposals.get_model())
                absent = [atom for atom, n in excluded.items() if n in model]
                start = _remove(self.around.everything, absent)
                reply = self.around.oracle.counterexample(start, self.clock)
                if reply is Verdict.INTERRUPTED:
                    return Verdict.INTERRUPTED
                if isinstance(reply, tuple):
                    other = self.around.move_nearer(reply, self.around.everything)
                    clause = [excluded[j, v] for j, v in enumerate(other) if v != self.around.point[j]]
                else:
                    grown = self.around.grow(start, [], order, self.literals, self.clock)
                    if grown.interrupted:
                        return Verdict.INTERRUPTED
                    if is_inside(grown.box, box):
                        return grown
                    clause = [-n for (j, v), n in excluded.items() if not grown.box[j] >> v & 1]
                if not clause:
                    break
                proposals.add_clause(clause)
        return Verdict.NONE_EXISTS

    def _list_implied(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Which exclusions of values a literal of the language must have with which others."""
        for j, (x, value) in enumerate(zip(self.around.variables, self.around.point, strict=True)):
            others = [(j, v) for v in range(len(x)) if v != value]
            if self.literals == "values":
                yield from zip(others, [*others[1:], others[0]], strict=True)
            elif self.literals == "intervals":
                yield from pairwise((j, v) for v in range(value - 1, -1, -1) if value < x.ordered)
                yield from pairwise((j, v) for v in range(value + 1, x.ordered))


def _remove(box: Box, atoms: Iterable[tuple[int, int]]) -> Box:
    left = list(box)
    for j, v in atoms:
        left[j] &= ~(1 << v)
    return tuple(left)
