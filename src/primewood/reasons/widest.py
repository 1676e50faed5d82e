"""The widest explanation of a decision: the prime box around an instance that covers the most.

A box B is safe iff it meets no counterexample, and a wider box never covers less, so the widest prime box is the
widest safe one. Known counterexamples are kept as *cuts*: boxes Q that are decided otherwise throughout, of which
a safe box excludes one side, ∃j: B_j ∩ Q_j = ∅. A box that is maximal among those that obey the cuts is a *proposal*:
making one costs no query, and if it is safe it is prime, because each way to weaken it runs into a known cut.

- Local search (ruin and recreate): take back one to three literals, grow the others first, keep what is wider. The
  engine is asked only if a proposal says that this may cover more, and only about variables that no cut holds.
- Proof (an implicit hitting set): a mixed-integer program finds the widest box that obeys the cuts, which bounds
  every safe box from above; its answer is asked about, and cut off or optimal. Shares are products, so their
  logarithms are maximised; log is concave and bounded by its tangents, and tangents are added where answers fall. The
  bound is as good as the solver's arithmetic (a tolerance of a millionth); that a box is safe never rests on it.
"""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import EnsembleSubject
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Grown, Oracle, Reply, Verdict
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point, indices
from primewood.logic.language import Language
from primewood.logic.variable import Variable
from primewood.reasons.context import Context
from primewood.reasons.explanations import Measure
from primewood.reasons.weakening import dropping, weaken

PATIENCE = 400
"""Rounds of local search without gain before it ends."""
REPAIRS = 40
"""How often an answer of the program is repaired before the program is solved again."""
SOLVES = 60
"""How often the program is solved where only work is limited, not time."""
TOLERANCE = 1e-6
"""How far a bound of the program may be off."""
SCALE = 100.0
"""What tangents are multiplied by, so that the solver's tolerance does not matter."""
MOST_NEW = 50
"""How many broken cuts come into the program at a time."""
MOST_ROWS = 20_000
"""With how many rows it is tried to prove that no box covers more of them."""
MOST_CUTS = 20_000
"""From how many cuts on the local search keeps only those of boxes that it keeps."""
MOST_KNOWN = 50_000
"""How many literals a measure remembers what they cover."""
TANGENTS = 12
"""How many tangents of the logarithm a variable has at first."""
ALWAYS, NEVER = -1, -2

Rivals = Callable[[Point], Oracle | None]
"""For a counterexample an oracle of the decision there; None if the decision there is not certain."""


def as_bits(flags: NDArray[np.bool_]) -> int:
    """Flags as the bits of a number, the first one lowest."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


class Incidence:
    """Which things have which values, one bit per thing.

    The things are boxes (a point is one): a thing meets a box iff it does so in every variable.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.having = [[0] * size for size in sizes]
        self.everything = 0

    @classmethod
    def of_points(cls, points: NDArray[np.int64], sizes: Sequence[int]) -> Incidence:
        """Points, in the order of the rows of an array."""
        found = cls(sizes)
        found.everything = (1 << len(points)) - 1
        for j, size in enumerate(sizes):
            found.having[j] = [as_bits(np.equal(points[:, j], v)) for v in range(size)]
        return found

    def add(self, box: Box) -> None:
        """Add a box."""
        bit = self.everything + 1
        for j, mask in enumerate(box):
            having = self.having[j]
            for v in indices(mask) if mask & (mask - 1) else (mask.bit_length() - 1,):
                having[v] |= bit
        self.everything |= bit

    def along(self, j: int, mask: int) -> int:
        """The things that meet some values of a variable."""
        having, met, v = self.having[j], 0, 0
        while mask:
            if mask & 1:
                met |= having[v]
            mask >>= 1
            v += 1
        return met

    def meeting(self, box: Box) -> int:
        """The things that meet a box."""
        met = self.everything
        for j, mask in enumerate(box):
            if mask != (1 << len(self.having[j])) - 1:
                met &= self.along(j, mask)
        return met


class RowsCovered:
    """How many points a box covers.

    Parameters
    ----------
    points
        Rows of value indices; rows with a negative one lie in no cell and are never covered.
    variables
        The universe.
    """

    def __init__(self, points: NDArray[np.int64], variables: Sequence[Variable]) -> None:
        self.points = points
        self._incidence = Incidence.of_points(points, [len(x) for x in variables])
        known: NDArray[np.bool_] = np.all(points >= 0, axis=1)
        self.counted = as_bits(known)
        self._along: dict[tuple[int, int], int] = {}

    def only(self, counted: int) -> RowsCovered:
        """The same, with only some of the points counted (as bits)."""
        other = copy.copy(self)
        other.counted = self.counted & counted
        return other

    def rows(self, box: Box) -> int:
        """Which of the counted points a box covers, as bits."""
        return self._missed(box)[0]

    def of(self, box: Box) -> float:
        return float(self.rows(box).bit_count())

    def nearly(self, box: Box) -> float:
        """How many points lie in a box but for one variable at most."""
        return float(self._missed(box)[1].bit_count())

    def _missed(self, box: Box) -> tuple[int, int]:
        """The counted points that no variable keeps outside a box, and those that at most one does, as bits."""
        none = one = self.counted
        known = self._along
        for j, mask in enumerate(box):
            if mask.bit_count() == len(self._incidence.having[j]):
                continue
            if (j, mask) not in known:
                if len(known) > MOST_KNOWN // (1 + len(self.points) // 1000):
                    known.clear()
                known[j, mask] = self._incidence.along(j, mask)
            one &= known[j, mask] | none
            none &= known[j, mask]
        return none, one


class ShareCovered:
    """The share of a product distribution that a box covers.

    Parameters
    ----------
    shares
        Per variable the share of each value; the values of a variable add up to 1.
    """

    def __init__(self, shares: Sequence[NDArray[np.float64]]) -> None:
        self.shares = [each.tolist() for each in shares]
        self._along: dict[tuple[int, int], float] = {}

    def along(self, j: int, mask: int) -> float:
        """The share of some values of a variable."""
        if mask.bit_count() == len(self.shares[j]):
            return 1.0
        if (j, mask) not in self._along:
            if len(self._along) > MOST_KNOWN:
                self._along.clear()
            self._along[j, mask] = math.fsum(self.shares[j][v] for v in indices(mask))
        return self._along[j, mask]

    def of(self, box: Box) -> float:
        share = 1.0
        for j, mask in enumerate(box):
            share *= self.along(j, mask)
        return share


def coverage_of(context: Context, measure: Measure) -> RowsCovered | ShareCovered:
    """What a measure counts: training rows, the volume of their ranges, or cells."""
    if measure == "values":
        return ShareCovered([np.full(len(x), 1 / len(x)) for x in context.variables])
    if measure not in ("rows", "volume"):
        raise InvalidInput(f'the measure is "rows", "volume" or "values", not {measure!r}')
    if context.points is None or context.volumes is None:
        raise InvalidInput(f'measure="{measure}" needs training rows; "values" does not')
    return (
        RowsCovered(context.points, context.variables) if measure == "rows" else ShareCovered(context.volumes)
    )


def rivals_of(engines: Engines, label: int) -> Rivals | None:
    """What says how far a counterexample can be widened; None where constraints leave cells without a row.

    There a box of another decision may hold only impossible points, and is no cut.
    """
    if isinstance(engines.subject, EnsembleSubject) and engines.subject.domain.knowledge:
        return None

    def rival(point: Point) -> Oracle | None:
        other = engines.decide(point)
        return None if other == label else engines.oracle(other)

    return rival


@dataclass(frozen=True, slots=True)
class Widest:
    """The widest box that was found.

    Attributes
    ----------
    box : Box
    covered : float
        What it covers: a number of rows, or a share.
    upper : float or None
        No prime box around the instance covers more; None if nothing is proved.
    complete : bool
        Whether it is proved that none covers more. (Of shares: none by more than a millionth of itself.)
    prime : bool
        Whether the box is proved prime.
    entails : bool
        Whether the box entails the decision. False only where not even the instance's own cell does, because rounding
        decides there and scores may be added in any order.
    queries : int
        How often the engine was asked.
    find_witnesses : callable
        As in `Grown`.
    """

    box: Box
    covered: float
    upper: float | None
    complete: bool
    prime: bool
    entails: bool
    queries: int
    find_witnesses: Callable[[], dict[tuple[int, int], Point]]

    @property
    def grown(self) -> Grown:
        """The box as weakening returns it, for witnesses and obstacles."""
        return Grown(self.box, self.prime, self.queries, self.find_witnesses)


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
        """Keep a box all of whose points are decided otherwise."""
        self.boxes.append(box)
        self.incidence.add(box)

    def learn(self, found: Point, instance: Point, clock: Clock) -> None:
        """Keep a counterexample, moved towards the instance and widened, so that it cuts off more."""
        near = self._moved(found, instance)
        apart = [j for j, v in enumerate(near) if v != instance[j]]
        rival = self.rivals(near) if self.rivals and self.literals != "values" else None
        if rival is not None:
            kept = frozenset(range(len(near))) - set(apart)
            self.add(weaken(rival, near, (), apart, self.literals, fixed=kept, clock=clock).box)
            return
        cell = tuple(1 << v for v in near)
        for j in apart if self.literals != "values" else apart[:1]:
            self.add((*cell[:j], cell[j] | self._failing(near, j), *cell[j + 1 :]))

    def _moved(self, found: Point, instance: Point) -> Point:
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

    def _failing(self, point: Point, j: int) -> int:
        """The values of a variable with which a point is a counterexample."""
        before, after = point[:j], point[j + 1 :]
        holds = self.oracle.holds
        return sum(1 << v for v in range(len(self.variables[j])) if not holds((*before, v, *after)))

    def witnesses(self, box: Box) -> dict[tuple[int, int], Point]:
        """Per excluded value a counterexample with it that is otherwise inside the box, where one is known."""
        inside = [self.incidence.along(j, mask) for j, mask in enumerate(box)]
        found: dict[tuple[int, int], Point] = {}
        for j, x in enumerate(self.variables):
            others = _all(self.incidence.everything, (bits for i, bits in enumerate(inside) if i != j))
            for v in indices(x.everything & ~box[j]):
                known = self.incidence.having[j][v] & others
                if known:
                    cut = self.boxes[known.bit_length() - 1]
                    shared = [a & b for a, b in zip(cut, box, strict=True)]
                    shared[j] = 1 << v
                    found[j, v] = tuple((mask & -mask).bit_length() - 1 for mask in shared)
        return found


def _all(start: int, bits: Iterable[int]) -> int:
    for each in bits:
        start &= each
    return start


def _within(box: Box, other: Box) -> bool:
    return not any(mask & ~wider for mask, wider in zip(box, other, strict=True))


def widest(
    oracle: Oracle,
    point: Point,
    order: Sequence[int],
    literals: Language,
    coverage: RowsCovered | ShareCovered,
    *,
    fixed: frozenset[int] = frozenset(),
    avoided: frozenset[int] = frozenset(),
    rivals: Rivals | None = None,
    cuts: Cuts | None = None,
    clock: Clock | None = None,
    seed: int = 0,
    patience: int = PATIENCE,
    prove: bool = True,
) -> Widest:
    """A prime box around a point that covers as much as can be found, and perhaps the proof that none covers more.

    Anytime: whatever limit comes, the box entails the decision. The same seed gives the same box, unless time is up.

    Parameters
    ----------
    oracle
        Answers about the decision, which must be the one at `point`.
    order
        The variables in the order in which the first box lets go of them.
    coverage
        What to make large; see `coverage_of`.
    fixed, avoided
        The variables that keep the instance's value, and those that must be free. If freeing them is
        not safe, the answer is the first box, and nothing is claimed about it but that it entails the decision.
    rivals
        See `rivals_of`.
    cuts
        What is known from earlier searches for the same decision in the same language; it is added to.
    patience
        The local search ends after so many rounds without gain.
    prove
        Whether to bound what any box can cover, when the local search has ended or had three quarters of the time.

    Notes
    -----
    Cost: a round of local search is a few passes over the values of all variables, with one operation on as many
    bits as there are cuts for each; and, if that promises something wider, a weakening.
    """
    search = _Search(
        cuts or Cuts(oracle, literals, rivals), point, coverage, fixed, avoided, clock or Clock(), seed
    )
    if search.start(order):
        search.improve(patience, share=0.75 if prove else 1.0)
        if prove:
            search.prove()
    return search.answer()


class _Search:
    """One search around one instance: the best box so far, and what is proved about it."""

    def __init__(
        self,
        cuts: Cuts,
        point: Point,
        coverage: RowsCovered | ShareCovered,
        fixed: frozenset[int],
        avoided: frozenset[int],
        clock: Clock,
        seed: int,
    ) -> None:
        self.cuts, self.point, self.coverage, self.clock = cuts, point, coverage, clock
        self.fixed, self.avoided = fixed, avoided
        self.variables, self.literals = cuts.variables, cuts.literals
        self.sizes = [len(x) for x in self.variables]
        self.cell = tuple(1 << v for v in point)
        self.least = tuple(
            x.everything if j in avoided else self.cell[j] for j, x in enumerate(self.variables)
        )
        self.moving = [j for j in range(len(point)) if j not in fixed and j not in avoided]
        self.random = random.Random(seed)
        self.box, self.covered = self.cell, coverage.of(self.cell)
        self.upper: float | None = None
        self.complete = self.prime = self.entails = False
        self.queries = 0

    def answer(self) -> Widest:
        """What was found so far."""
        box, cuts = self.box, self.cuts
        return Widest(
            box,
            self.covered,
            self.upper,
            self.complete,
            self.prime,
            self.entails,
            self.queries,
            lambda: cuts.witnesses(box),
        )

    def ask(self, box: Box) -> Reply:
        """A counterexample in a box, which is learnt from."""
        self.queries += 1
        clock = self.part_of(self.clock)
        reply = self.cuts.oracle.counterexample(box, clock)
        if isinstance(reply, tuple):
            self.cuts.learn(reply, self.point, clock)
        return reply

    def part_of(self, clock: Clock) -> Clock:
        """The limits of one question: a hard one takes a fifth of the time at most."""
        if clock.limit is None:
            return clock
        return Clock(min(clock.left(), max(0.05, clock.limit / 5)), clock.work_limit)

    def start(self, order: Sequence[int]) -> bool:
        """The first prime box, by the usual order; whether there is anything to improve."""
        self.queries += 1
        self.entails = self.cuts.oracle.counterexample(self.cell) is Verdict.NONE_EXISTS
        if not self.entails:
            return False
        steps = dropping(order, self.sizes)
        if self.avoided:
            steps = [{j: self.variables[j].everything for j in self.avoided}, *steps]
        grown = weaken(
            self.cuts.oracle, self.point, steps, order, self.literals, fixed=self.fixed, clock=self.clock
        )
        self.queries += grown.queries
        self.box, self.covered, self.prime = grown.box, self.coverage.of(grown.box), grown.complete
        if not _within(self.least, self.box):
            return False
        self.learn(grown)
        return True

    def improve(self, patience: int, share: float) -> None:
        """Ruin and recreate, for a share of the time that is left."""
        own = Clock(None if self.clock.limit is None else self.clock.left() * share, self.clock.work_limit)
        idle = 0
        while idle < patience and not own.expired() and self.moving:
            before = self.covered
            self.recreate(*self.ruined(), own)
            idle = 0 if self.covered > before else idle + 1

    def ruined(self) -> tuple[Box, list[int]]:
        """The best box with one to three literals taken back, and the order in which to grow: those last."""
        shrunk = [j for j in self.moving if self.box[j] != self.cell[j]] or self.moving
        chosen = self.random.sample(shrunk, min(len(shrunk), self.random.randint(1, 3)))
        box = list(self.box)
        for j in chosen:
            box[j] = self.taken_back(j)
        others = [j for j in self.moving if j not in chosen]
        self.random.shuffle(others)
        return tuple(box), others + chosen

    def taken_back(self, j: int) -> int:
        """A literal without all but the instance's value; half of the time only without what is beyond some value."""
        own, mask, ordered = self.point[j], self.box[j], self.variables[j].ordered
        beside = indices(mask & ~self.cell[j])
        if self.literals == "values" or not beside or self.random.random() < 0.5:
            return self.cell[j]
        end = self.random.choice(beside)
        if max(own, end) < ordered:
            return mask & ((1 << end) - 1) if end > own else mask >> (end + 1) << (end + 1)
        if not ordered:
            return self.cell[j] | mask & self.random.getrandbits(len(self.variables[j]))
        return self.cell[j]

    def worth(self, box: Box) -> tuple[float, float]:
        """What a search compares boxes by: what they cover; if they cover as many rows, those that they nearly do."""
        coverage = self.coverage
        return coverage.of(box), coverage.nearly(box) if isinstance(coverage, RowsCovered) else 0.0

    def recreate(self, base: Box, order: Sequence[int], clock: Clock) -> None:
        """Grow a safe box if the cuts promise a better one than the best so far, and keep it if it is better.

        What the cuts forbid to grow is left alone. Half of the time variables are dropped before any is widened.
        """
        drops = self.random.random() < 0.5
        best = self.worth(self.box)
        if self.worth(self.proposal(base, order)) <= best:
            return
        order = [j for j in order if self.proposal(base, [j])[j] != base[j]]
        steps = [dict(enumerate(base)), *(dropping(order, self.sizes) if drops else ())]
        grown = weaken(
            self.cuts.oracle,
            self.point,
            steps,
            order,
            self.literals,
            fixed=self.fixed,
            clock=self.part_of(clock),
        )
        self.queries += grown.queries
        better = (
            self.worth(grown.box) > best and _within(base, grown.box) and (grown.complete or not self.prime)
        )
        if better:
            self.box, self.covered, self.prime = grown.box, self.coverage.of(grown.box), grown.complete
        if better or len(self.cuts.boxes) < MOST_CUTS:
            self.learn(grown)

    def learn(self, grown: Grown) -> None:
        """Keep the witnesses of a weakening as cuts: those that differ in one variable only, together."""
        found: dict[tuple[int, Point], int] = {}
        for (j, v), witness in grown.find_witnesses().items():
            key = (j, (*witness[:j], 0, *witness[j + 1 :]))
            found[key] = found.get(key, 0) | 1 << v
        for (j, rest), values in found.items():
            self.cuts.add(tuple(values if i == j else 1 << v for i, v in enumerate(rest)))

    def proposal(self, base: Box, order: Sequence[int], within: Box | None = None) -> Box:
        """A maximal box among those that contain `base` and obey the cuts, grown variable by variable.

        A value is bad iff with it the box meets a cut, that is, if some cut that has the value meets the box in all
        other variables.
        """
        incidence = self.cuts.incidence
        box = list(base)
        inside = [
            incidence.everything if mask == x.everything else incidence.along(j, mask)
            for j, (x, mask) in enumerate(zip(self.variables, box, strict=True))
        ]
        moving = set(order)
        before = _all(incidence.everything, (bits for j, bits in enumerate(inside) if j not in moving))
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
                    bad |= sum(1 << v for v in range(len(x)) if having[v] & others)
                box[j] = self.widened(j, mask, bad & ~mask)
                if box[j] != mask:
                    whole = box[j] == x.everything
                    inside[j] = incidence.everything if whole else incidence.along(j, box[j])
            before &= inside[j]
        return tuple(box)

    def widened(self, j: int, mask: int, bad: int) -> int:
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

    def prove(self) -> None:
        """Bound what any box covers from above, until the best box reaches the bound or a limit comes."""
        if isinstance(self.coverage, RowsCovered) and self.coverage.counted.bit_count() > MOST_ROWS:
            return
        program, asked = _Program(self), set[Box]()
        timed, solves = self.clock.limit is not None or self.clock.work_limit is None, 0
        while not self.clock.expired() and (timed or solves < SOLVES):
            solves += 1
            box, bound = program.solve()
            if bound is not None:
                self.upper = bound if self.upper is None else min(self.upper, bound)
                self.upper = max(self.upper, self.covered)
                self.complete = self.covered >= self.upper * (1 - program.tolerance)
            if self.complete or box is None:
                return
            broken = self.cuts.incidence.meeting(box)
            if broken and program.admit(broken):
                continue
            if broken or box in asked or not self.repaired(box):
                return  # the solver's rounding is in the way, or a limit
            asked.add(box)

    def repaired(self, box: Box) -> bool:
        """Ask about an answer of the program, then about what is left of it, until one is safe; False at a limit."""
        base = box
        for _ in range(REPAIRS):
            order = self.random.sample(self.moving, len(self.moving))
            wide = self.proposal(self.proposal(base, order, within=box), order)
            reply = self.ask(wide)
            if reply is Verdict.UNKNOWN or self.clock.expired():
                return False
            if reply is Verdict.NONE_EXISTS:
                if self.coverage.of(wide) > self.covered:
                    self.box, self.covered, self.prime = wide, self.coverage.of(wide), True
                return True
            base = self.least
        return True


def _bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, the highest first, lazily."""
    while mask:
        last = mask.bit_length() - 1
        yield last
        mask ^= 1 << last


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


class _Program:
    """The widest box that obeys the cuts, as a mixed-integer program.

    Columns say which values are allowed: in `sets` one per value, in `values` one per variable, in `intervals` one per
    value that a cut has (those further out up to the next such value go with it). Only values that cuts have matter:
    the others are allowed.
    """

    def __init__(self, search: _Search) -> None:
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
        self._lay_out()
        self._cut()
        constant = self._cover()
        rows = isinstance(self.search.coverage, RowsCovered)
        if not self.cost:
            return self._box(np.ones(0)), constant if rows else math.exp(constant)
        found = self._optimised()
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
            met = [v for v in others if concerned[j] >> v & 1]
            if not met:
                continue
            if search.literals == "values":
                each = self._add()
                for v in others:
                    column[v] = each
            elif search.literals == "sets" or not x.ordered:
                for v in met:
                    column[v] = self._add()
            elif own < x.ordered:
                self._chain(column, range(own - 1, -1, -1), met)
                self._chain(column, range(own + 1, x.ordered), met)
                if x.missing in met:
                    column[x.missing] = self._add()
            else:
                self._one_run(column, x.ordered)

    def _add(self, cost: float = 0.0, *, whole: bool = True, upper: float = 1.0) -> int:
        self.cost.append(cost)
        self.whole.append(int(whole))
        self.upper.append(upper)
        return len(self.cost) - 1

    def _chain(self, column: list[int], values: Iterable[int], met: Sequence[int]) -> None:
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
            base = coverage.along(j, sum(1 << v for v, each in enumerate(column) if each == ALWAYS))
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
        reached = {at for at in self.tangents[j] if at >= least}
        for at in sorted({*np.geomspace(least, max(least, 1.0), TANGENTS).tolist(), *reached}):
            factors = [-SCALE, *(-SCALE * part / at for part in parts.values())]
            self.rows.append(([loss, *parts], factors, SCALE * (math.log(at) - 1.0 + base / at)))

    def _optimised(self) -> Any:
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
        return tuple(
            sum(1 << v for v, each in enumerate(column) if each in allowed) for column in self.column
        )
