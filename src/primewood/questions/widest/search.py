"""Local search for a wide prime box, by ruin and recreate.

Take back one to three literals, grow the others first, keep what is wider. The engine is asked only if a proposal
(`cuts`) says that this may cover more, and only about variables that no cut holds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial

from primewood.engines.protocol import Clock, Grown, Growth, Reply, Step, Verdict, WeakeningPlan
from primewood.logic.instance import Box
from primewood.logic.masks import indices
from primewood.questions.best_problem import Problem
from primewood.questions.history import BoundsWatcher, History
from primewood.questions.weakening import drop_each, weaken
from primewood.questions.widest.cuts import Cuts
from primewood.questions.widest.measures import RowsCovered, ShareCovered

MOST_CUTS = 20_000
"""From how many cuts on the local search keeps only those of boxes that it keeps."""


class Search:
    """One search around one instance: the best box so far, and what is proved about it."""

    def __init__(
        self,
        cuts: Cuts,
        problem: Problem,
        coverage: RowsCovered | ShareCovered,
        clock: Clock,
        seed: int,
    ) -> None:
        point, fixed, avoided = problem.point, problem.fixed, problem.avoided
        self.cuts, self.point, self.coverage, self.clock = cuts, point, coverage, clock
        self.fixed, self.avoided, self.order = fixed, avoided, problem.order
        self.wanted = problem.wanted
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
        self.proved = self.prime = self.entails = False
        self.queries = 0
        self.watcher, self.history = problem.watcher, History(problem.watcher)
        self.unlearnt: list[Grown] = []

    def note(self) -> None:
        """Remember when the bounds became what they are."""
        self.history.note(self.covered, math.inf if self.upper is None else self.upper)

    def report_growth(self, watcher: BoundsWatcher, growth: Growth) -> None:
        """Tell how far the first box is."""
        box = growth.found.box
        watcher(box, (self.coverage.of(box), math.inf))

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
        return clock.part(min(clock.left(), max(0.05, clock.limit / 5)))

    def start(self) -> bool:
        """The first prime box, by the usual order, or with what is wanted; whether there is anything to improve."""
        self.queries += 1
        self.entails = self.cuts.oracle.counterexample(self.cell) is Verdict.NONE_EXISTS
        if not self.entails:
            return False
        steps = drop_each(self.order, self.sizes)
        if self.avoided:
            steps = [{j: self.variables[j].everything for j in self.avoided}, *steps]
        plan = WeakeningPlan(steps, self.order, self.literals, self.fixed)
        watch = None if self.watcher is None else partial(self.report_growth, self.watcher)
        grown = weaken(self.cuts.oracle, self.point, plan, self.clock, watch)
        self.queries += grown.queries
        self.box, self.covered, self.prime = grown.box, self.coverage.of(grown.box), not grown.interrupted
        if not _is_within(self.least, self.box):
            return False
        self.note()
        self.learn(grown)
        if self.wanted and self.prime:
            self._let_in(steps)
        return True

    def _let_in(self, steps: Sequence[Step]) -> None:
        """Take the box that lets in what is wanted, if it covers more; it may have half of the time."""
        plan = WeakeningPlan(
            [*steps[: bool(self.avoided)], *self.wanted, *steps], self.order, self.literals, self.fixed
        )
        clock = self.clock.part(None if self.clock.limit is None else self.clock.left() / 2)
        grown = weaken(self.cuts.oracle, self.point, plan, clock)
        self.queries += grown.queries
        covered = self.coverage.of(grown.box)
        if not grown.interrupted and covered > self.covered:
            self.box, self.covered = grown.box, covered
            self.note()
        self.learn(grown)

    def improve(self, patience: int, share: float) -> None:
        """Ruin and recreate, for a share of the time that is left."""
        own = self.clock.part(None if self.clock.limit is None else self.clock.left() * share)
        idle = 0
        while idle < patience and not own.expired() and self.moving:
            self.history.report(lambda: self.box)
            before = self.covered
            self.recreate(*self.shrink_best(), own)
            idle = 0 if self.covered > before else idle + 1

    def shrink_best(self) -> tuple[Box, list[int]]:
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
        if self.worth(self.cuts.proposal(base, order)) <= best:
            return
        order = [j for j in order if self.cuts.proposal(base, [j])[j] != base[j]]
        steps = [dict(enumerate(base)), *(drop_each(order, self.sizes) if drops else ())]
        plan = WeakeningPlan(steps, order, self.literals, self.fixed)
        grown = weaken(self.cuts.oracle, self.point, plan, self.part_of(clock))
        self.queries += grown.queries
        better = (
            self.worth(grown.box) > best
            and _is_within(base, grown.box)
            and not (grown.interrupted and self.prime)
        )
        if better:
            self.box, self.covered, self.prime = grown.box, self.coverage.of(grown.box), not grown.interrupted
            self.note()
        if better or len(self.cuts.boxes) < MOST_CUTS:
            self.learn(grown)

    def learn(self, grown: Grown) -> None:
        """Keep the witnesses of a weakening as cuts; once the time is up, only if someone asks for them."""
        if self.clock.expired():
            self.unlearnt.append(grown)
        else:
            self.cuts.add_witnesses(grown.find_witnesses())


def _is_within(box: Box, other: Box) -> bool:
    return not any(mask & ~wider for mask, wider in zip(box, other, strict=True))
