"""Cuts: known counterexamples of a decision, widened to boxes that get a different decision throughout.

Of a cut Q a safe box B excludes one side, ∃j: B_j ∩ Q_j = ∅. A box that is maximal among those that obey the cuts is
a *proposal*: making one costs no query, and if it is safe it is prime, because each way to weaken it runs into a
known cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from primewood.domain import EnsembleSubject
from primewood.engines.protocol import Clock, Oracle, WeakeningPlan
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.masks import indices, mask_of, mask_of_array
from primewood.questions.weakening import weaken
from primewood.questions.widest.incidence import Incidence, intersect_all

if TYPE_CHECKING:
    from primewood.engines.choice import Engines

Rivals = Callable[[Point], Oracle | None]
"""For a counterexample an oracle of the decision there; None if the decision there is not certain."""


def rivals_of(engines: Engines, label: int) -> Rivals | None:
    """What says how far a counterexample can be widened; None where constraints leave cells without a row.

    There a box of another decision may hold only impossible points, and is not a cut.
    """
    if isinstance(engines.subject, EnsembleSubject) and engines.subject.domain.knowledge:
        return None

    def rival(point: Point) -> Oracle | None:
        other = engines.decide(point)
        return None if other == label else engines.oracle(other)

    return rival


class Cuts:
    """What is known about one decision: boxes of points at which it is not taken.

    They hold for every instance of the decision; one object may serve many instances, one after the other.

    Parameters
    ----------
    oracle
        Answers about the decision.
    literals
        The language of the boxes that the cuts are for.
    rivals
        See `rivals_of`; without it counterexamples are widened point by point.
    """

    def __init__(self, oracle: Oracle, literals: Language, rivals: Rivals | None = None) -> None:
        self.oracle, self.literals, self.rivals = oracle, literals, rivals
        self.variables = oracle.variables
        self.incidence = Incidence([len(x) for x in self.variables])
        self.boxes: list[Box] = []

    def add(self, box: Box) -> None:
        """Keep a box all of whose points get a different decision."""
        self.boxes.append(box)
        self.incidence.add(box)

    def add_witnesses(self, witnesses: Mapping[tuple[int, int], Point]) -> None:
        """Keep the witnesses of a weakening, by excluded value: those that differ in one variable only, together."""
        found: dict[tuple[int, Point], list[int]] = {}
        for (j, v), witness in witnesses.items():
            found.setdefault((j, (*witness[:j], 0, *witness[j + 1 :])), []).append(v)
        for (j, rest), values in found.items():
            flags = np.zeros(len(self.variables[j]), dtype=bool)
            flags[values] = True
            mask = mask_of_array(flags)
            self.add(tuple(mask if i == j else 1 << v for i, v in enumerate(rest)))

    def learn(self, found: Point, instance: Point, clock: Clock) -> None:
        """Keep a counterexample, moved towards the instance and widened, so that it cuts off more."""
        near = self._move_nearer(found, instance)
        apart = [j for j, v in enumerate(near) if v != instance[j]]
        rival = self.rivals(near) if self.rivals and self.literals != "values" else None
        if rival is not None:
            kept = frozenset(range(len(near))) - set(apart)
            self.add(weaken(rival, near, WeakeningPlan((), apart, self.literals, kept), clock).box)
            return
        cell = tuple(1 << v for v in near)
        for j in apart if self.literals != "values" else apart[:1]:
            self.add((*cell[:j], cell[j] | self._find_failing(near, j), *cell[j + 1 :]))

    def _move_nearer(self, found: Point, instance: Point) -> Point:
        """A counterexample that differs from the instance in fewer variables, and on lines less far."""
        point, moved = list(found), True
        while moved:
            moved = False
            for j, own in enumerate(instance):
                tried = own
                while point[j] != tried:
                    before, point[j] = point[j], tried
                    if not self.oracle.holds(tuple(point)):
                        moved = True
                        break
                    point[j] = before
                    if self.literals != "intervals" or max(own, before) >= self.variables[j].ordered:
                        break
                    tried = (tried + before + (before > tried)) // 2 if abs(before - tried) > 1 else before
        return tuple(point)

    def _find_failing(self, point: Point, j: int) -> int:
        """The values of a variable with which a point is a counterexample."""
        before, after = point[:j], point[j + 1 :]
        holds = self.oracle.holds
        return mask_of(not holds((*before, v, *after)) for v in range(len(self.variables[j])))

    def witnesses(self, box: Box) -> dict[tuple[int, int], Point]:
        """Per excluded value a counterexample with it that is otherwise inside the box, where one is known."""
        inside = [self.incidence.along(j, mask) for j, mask in enumerate(box)]
        found: dict[tuple[int, int], Point] = {}
        for j, x in enumerate(self.variables):
            others = intersect_all(
                self.incidence.everything, (bits for i, bits in enumerate(inside) if i != j)
            )
            for v in indices(x.everything & ~box[j]):
                known = self.incidence.having[j][v] & others
                if known:
                    cut = self.boxes[known.bit_length() - 1]
                    shared = [a & b for a, b in zip(cut, box, strict=True)]
                    shared[j] = 1 << v
                    found[j, v] = tuple((mask & -mask).bit_length() - 1 for mask in shared)
        return found

    def proposal(self, base: Box, order: Sequence[int], within: Box | None = None) -> Box:
        """A maximal box among those that contain `base` and obey the cuts, grown variable by variable.

        A value is bad iff with it the box meets a cut, that is, if some cut that has the value meets the box in all
        other variables.
        """
        incidence = self.incidence
        box = list(base)
        inside = [
            incidence.everything if mask == x.everything else incidence.along(j, mask)
            for j, (x, mask) in enumerate(zip(self.variables, box, strict=True))
        ]
        moving = set(order)
        before = intersect_all(
            incidence.everything, (bits for j, bits in enumerate(inside) if j not in moving)
        )
        after = [incidence.everything]
        for j in reversed(order):
            after.append(after[-1] & inside[j])
        for i, j in enumerate(order):
            others = before & after[len(order) - 1 - i]
            x, mask = self.variables[j], box[j]
            if mask != x.everything:
                bad = 0 if within is None else x.everything & ~within[j]
                if others:
                    having = incidence.having[j]
                    bad |= mask_of(having[v] & others for v in range(len(x)))
                box[j] = self._widen(j, mask, bad & ~mask)
                if box[j] != mask:
                    whole = box[j] == x.everything
                    inside[j] = incidence.everything if whole else incidence.along(j, box[j])
            before &= inside[j]
        return tuple(box)

    def _widen(self, j: int, mask: int, bad: int) -> int:
        """The values of a variable as far as the language lets them grow without any bad one."""
        x = self.variables[j]
        if not bad:
            return x.everything
        if self.literals == "values":
            return mask
        if self.literals == "sets" or not x.ordered:
            return x.everything & ~bad
        line = (1 << x.ordered) - 1
        flag = x.everything & ~line & ~bad | mask & ~line
        runs = [run for run in _runs(line & ~bad) if run & mask or not mask & line]
        return flag | max(runs, key=int.bit_count, default=0)


def _runs(mask: int) -> list[int]:
    """The runs of neighbouring bits.

    >>> [bin(run) for run in _runs(0b1101100)]
    ['0b1100', '0b1100000']
    """
    found = []
    while mask:
        low = mask & -mask
        run = mask & ~(mask + low)
        found.append(run)
        mask &= ~run
    return found
