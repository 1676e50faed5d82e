"""The widest box that obeys the cuts, as a mixed-integer program.

Shares are products, so their logarithms are maximised; log is concave and bounded by its tangents, and tangents are
added where answers fall. The bound is as good as the solver's arithmetic (a tolerance of a millionth); that a box is
safe never rests on it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.logic.instance import Box
from primewood.logic.masks import indices, mask_of
from primewood.questions.widest.measures import RowsCovered, ShareCovered
from primewood.questions.widest.search import Search

TOLERANCE = 1e-6
"""How far a bound of the program may be off."""
SCALE = 100.0
"""What tangents are multiplied by, so that the solver's tolerance does not matter."""
MOST_NEW = 50
"""How many broken cuts come into the program at a time."""
TANGENTS = 12
"""How many tangents of the logarithm a variable has at first."""
STEEPEST = 1e-6
"""No tangent is taken at a smaller share: the solver could not tell its numbers apart."""
ALWAYS, NEVER = -1, -2
"""In place of a column: the value is allowed whatever the solution says, or excluded."""


class _OutOfTime(Exception):
    """There was no time to write the program down."""


class Program:
    """The widest box that obeys the cuts, as a mixed-integer program.

    Columns say which values are allowed: in `sets` one per value, in `values` one per variable, in `intervals` one per
    value that a cut has (those further out up to the next such value go with it). Only values that cuts have matter:
    the others are allowed.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self.tolerance = 0.0 if isinstance(search.coverage, RowsCovered) else TOLERANCE
        self.cuts: list[Box] = []
        self.admitted = 0
        self.tangents: list[set[float]] = [set() for _ in search.variables]

    def admit(self, broken: int) -> bool:
        """Take in cuts that an answer breaks (as bits), those with the fewest sides first; whether any is new."""
        search = self.search
        new = list(itertools.islice(_bits(broken & ~self.admitted), MOST_NEW * 8))
        new.sort(
            key=lambda i: sum(
                not mask & own for mask, own in zip(search.cuts.boxes[i], search.cell, strict=True)
            )
        )
        for i in new[:MOST_NEW]:
            self.admitted |= 1 << i
            self.cuts.append(search.cuts.boxes[i])
        return bool(new)

    def solve(self) -> tuple[Box | None, float | None]:
        """A widest box (None if none covers anything, or at a limit) and a bound (None at a limit)."""
        try:
            self._lay_out()
            self._cut()
            constant = self._cover()
        except _OutOfTime:
            return None, None
        rows = isinstance(self.search.coverage, RowsCovered)
        if not self.cost:
            return self._box(np.ones(0)), constant if rows else math.exp(constant)
        found = self._optimise()
        if found.status == 2 and self.search.covered == 0:
            return None, 0.0
        box = None if found.x is None else self._box(found.x)
        if box is not None and isinstance(self.search.coverage, ShareCovered):
            for j, mask in enumerate(box):  # next time the objective is exact here
                self.tangents[j].add(self.search.coverage.along(j, mask))
        if found.mip_dual_bound is None or not np.isfinite(found.mip_dual_bound):
            return box, None
        bound = constant - float(found.mip_dual_bound)
        if rows:
            return box, float(math.floor(bound + 1e-4))
        return box, min(1.0, math.exp(bound + TOLERANCE / 10))

    def _lay_out(self) -> None:
        """Which column says whether a value is allowed, and what ties columns of one variable together."""
        search = self.search
        self.cost: list[float] = []
        self.upper: list[float] = []
        self.whole: list[int] = []
        self.rows: list[tuple[list[int], list[float], float]] = []  # columns, factors, upper bound
        concerned = [0] * len(search.variables)
        for cut in self.cuts:
            concerned = [a | b for a, b in zip(concerned, cut, strict=True)]
        self.column = [[ALWAYS] * len(x) for x in search.variables]
        for j, x in enumerate(search.variables):
            own, column = search.point[j], self.column[j]
            if j in search.avoided:
                continue
            others = [v for v in range(len(x)) if v != own]
            if j in search.fixed:
                for v in others:
                    column[v] = NEVER
                continue
            met = set(indices(concerned[j])) - {own}
            if not met:
                continue
            if search.literals == "values":
                each = self._add()
                for v in others:
                    column[v] = each
            elif search.literals == "sets" or not x.ordered:
                for v in sorted(met):
                    column[v] = self._add()
            elif own < x.ordered:
                self._chain(column, range(own - 1, -1, -1), met)
                self._chain(column, range(own + 1, x.ordered), met)
                if x.missing in met:
                    column[x.missing] = self._add()
            else:
                self._one_run(column, x.ordered)

    def _check_clock(self) -> None:
        if self.search.clock.expired():
            raise _OutOfTime

    def _add(self, cost: float = 0.0, *, whole: bool = True, upper: float = 1.0) -> int:
        self.cost.append(cost)
        self.whole.append(int(whole))
        self.upper.append(upper)
        return len(self.cost) - 1

    def _chain(self, column: list[int], values: Iterable[int], met: Collection[int]) -> None:
        """Away from the instance, a value is allowed only if the one before it is."""
        last = ALWAYS
        for v in values:
            if v in met:
                each = self._add()
                if last != ALWAYS:
                    self.rows.append(([each, last], [1.0, -1.0], 0.0))
                last = each
            column[v] = last

    def _one_run(self, column: list[int], ordered: int) -> None:
        """Around a missing value: the numbers that are allowed, if any, are one run, which starts once."""
        starts = []
        for v in range(ordered):
            column[v] = self._add()
            starts.append(self._add(whole=False))
            before = [column[v - 1]] if v else []
            self.rows.append(([column[v], starts[-1], *before], [1.0, -1.0, *(-1.0 for _ in before)], 0.0))
        self.rows.append((starts, [1.0] * len(starts), 1.0))

    def _cut(self) -> None:
        """Per cut, at least one side is excluded; what a side says of several values gets a column of its own."""
        sides: dict[frozenset[int], int] = {}
        for cut in self.cuts:
            self._check_clock()
            columns: list[int] = []
            factors: list[float] = []
            bound = -1.0
            for j, mask in enumerate(cut):
                concerned = {self.column[j][v] for v in indices(mask)}
                if ALWAYS in concerned:
                    continue
                concerned.discard(NEVER)
                if not concerned:
                    break
                if len(concerned) == 1:
                    columns += concerned
                    factors.append(1.0)
                    bound += 1.0
                else:
                    columns.append(self._side(frozenset(concerned), sides))
                    factors.append(-1.0)
            else:
                self.rows.append((columns, factors, bound))

    def _side(self, concerned: frozenset[int], sides: dict[frozenset[int], int]) -> int:
        """The column that says: none of these values is allowed."""
        if concerned not in sides:
            sides[concerned] = self._add(whole=False)
            self.rows += [([sides[concerned], each], [1.0, 1.0], 1.0) for each in sorted(concerned)]
        return sides[concerned]

    def _cover(self) -> float:
        """What is made large; returns the part of it that is constant."""
        coverage = self.search.coverage
        return (
            self._cover_rows(coverage) if isinstance(coverage, RowsCovered) else self._cover_shares(coverage)
        )

    def _cover_rows(self, coverage: RowsCovered) -> float:
        """A column per kind of row: covered only if all its values are allowed."""
        points = coverage.points[indices(coverage.counted)]
        if not len(points):
            return 0.0
        if not points.shape[1]:
            return float(len(points))
        needed = np.stack([np.array(self.column[j])[points[:, j]] for j in range(points.shape[1])], axis=1)
        needed = np.sort(needed[(needed != NEVER).all(axis=1)], axis=1)
        kinds, counts = np.unique(needed, axis=0, return_counts=True)
        constant = 0.0
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            self._check_clock()
            columns = set(kind) - {ALWAYS}
            if not columns:
                constant += count
                continue
            covered = self._add(-float(count), whole=False)
            self.rows += [([covered, each], [1.0, -1.0], 0.0) for each in sorted(columns)]
        return constant

    def _cover_shares(self, coverage: ShareCovered) -> float:
        """The logarithm of the share of each variable: a constant, or linear in one column, or below its tangents."""
        constant = 0.0
        for j, column in enumerate(self.column):
            self._check_clock()
            base = coverage.along(j, mask_of(each == ALWAYS for each in column))
            parts: dict[int, float] = {}
            for each, share in zip(column, coverage.shares[j], strict=True):
                if each >= 0 and share > 0:
                    parts[each] = parts.get(each, 0.0) + share
            if abs(math.fsum(coverage.shares[j]) - 1.0) > TOLERANCE:
                continue  # of a variable that is not distributed, only "free" counts: no bound
            if not base:  # at least one value that counts
                self.rows.append((list(parts) or [self._add()], [-1.0] * max(1, len(parts)), -1.0))
                if not parts:
                    self.rows.append(([len(self.cost) - 1], [1.0], 0.0))
            if len(parts) == 1:
                ((only, part),) = parts.items()
                self.cost[only] -= math.log((base + part) / base) if base else 0.0
                constant += math.log(base or part)
            elif parts:
                self._add_loss(j, base, parts)
            elif base:
                constant += math.log(base)
        return constant

    def _add_loss(self, j: int, base: float, parts: dict[int, float]) -> None:
        """A column for −log(share), which is at least what each tangent says: −log(at) − (share − at) / at."""
        least = base or min(parts.values())
        loss = self._add(1.0, whole=False, upper=1.0 - math.log(least))
        start = max(least, STEEPEST)
        reached = {at for at in self.tangents[j] if at >= start}
        for at in sorted({*np.geomspace(start, max(start, 1.0), TANGENTS).tolist(), *reached}):
            factors = [-SCALE, *(-SCALE * part / at for part in parts.values())]
            self.rows.append(([loss, *parts], factors, SCALE * (math.log(at) - 1.0 + base / at)))

    def _optimise(self) -> Any:
        from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]
        from scipy.sparse import csr_array  # type: ignore[import-untyped]

        clock = self.search.clock
        options: dict[str, float] = {"mip_rel_gap": 0.0}
        if clock.limit is not None:
            options["time_limit"] = max(0.01, clock.left())
        if clock.work_limit is not None:
            options["node_limit"] = clock.work_limit
        starts = np.cumsum([0, *(len(columns) for columns, _, _ in self.rows)])
        factors = np.concatenate([np.array(f) for _, f, _ in self.rows])
        places = np.concatenate([np.array(c) for c, _, _ in self.rows])
        matrix = csr_array((factors, places, starts), shape=(len(self.rows), len(self.cost)))
        bounds = np.array([bound for _, _, bound in self.rows])
        return milp(
            np.array(self.cost),
            integrality=np.array(self.whole),
            bounds=Bounds(0.0, np.array(self.upper)),
            constraints=LinearConstraint(matrix, -np.inf, bounds),
            options=options,
        )

    def _box(self, solution: NDArray[np.float64]) -> Box:
        allowed = {ALWAYS, *np.flatnonzero(solution > 0.5).tolist()}
        return tuple(mask_of(each in allowed for each in column) for column in self.column)


def _bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, the highest first, lazily."""
    while mask:
        last = mask.bit_length() - 1
        yield last
        mask ^= 1 << last
