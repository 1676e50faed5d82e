"""One prime implicant around an instance: weakening as far as the decision stays.

Start with the instance's own cell, where the decision holds. Take steps in a given order; each
step allows more values, and is taken iff the box still entails the decision. A step that failed
once stays failed, because the box only grows. At the end every value that is still excluded has been
tried alone, so the result is prime. It depends on the decision, the instance, the language and the
order, and on nothing else: every engine gives the same term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from primewood.engines.protocol import (
    Clock,
    GrowingOracle,
    Grown,
    Growth,
    GrowthWatcher,
    Oracle,
    Step,
    Verdict,
    WeakeningPlan,
)
from primewood.logic.instance import Point
from primewood.logic.language import Language
from primewood.progress import Pace


def weaken(
    oracle: Oracle,
    point: Point,
    plan: WeakeningPlan,
    clock: Clock | None = None,
    watcher: GrowthWatcher | None = None,
) -> Grown:
    """Weaken an instance to a prime implicant.

    Parameters
    ----------
    oracle
        Answers about the decision, which must hold at `point`.
    watcher
        Is told a few times a second how far it is.
    """
    clock = clock or Clock()
    if isinstance(oracle, GrowingOracle):
        return oracle.grow(point, plan, clock, watcher)
    run, pace = _Run(oracle, point, plan.literals, clock), Pace()
    steps = [{j: mask for j, mask in step.items() if j not in plan.fixed} for step in plan.steps]
    moves: list[Callable[[], None]] = [partial(run.take, step) for step in steps]
    moves += [partial(run.widen, j) for j in plan.variables if j not in plan.fixed]
    for done, move in enumerate(moves):
        if watcher is not None and pace.is_due():
            watcher(Growth(replace(run.grown(), interrupted=True), done, len(moves)))
        move()
    return run.grown()


class _Run:
    def __init__(self, oracle: Oracle, point: Point, literals: Language, clock: Clock) -> None:
        self.oracle, self.point, self.literals, self.clock = oracle, point, literals, clock
        self.variables = oracle.variables
        self.box = [1 << value for value in point]
        self.failed = [0] * len(point)
        self.interrupted = False
        self.queries = 0
        self.witnesses: dict[tuple[int, int], Point] = {}

    def grown(self) -> Grown:
        """What it has come to."""
        return Grown(tuple(self.box), self.interrupted, self.queries, self.witnesses.copy)

    def take(self, step: Step) -> None:
        """Take a step whole if the box stays safe."""
        wider = {j: self.join_values(j, mask) for j, mask in step.items()}
        wider = {j: mask for j, mask in wider.items() if mask != self.box[j]}
        if not wider or any(mask & self.failed[j] for j, mask in wider.items()):
            return
        if len(wider) == 1:
            ((j, mask),) = wider.items()
            if self.safe(j, mask & ~self.box[j]):
                self.box[j] = mask
        elif self.ask([wider.get(j, mask) for j, mask in enumerate(self.box)]):
            for j, mask in wider.items():
                self.box[j] = mask

    def widen(self, j: int) -> None:
        """Allow all values of a variable that are safe by themselves (or next to what is allowed)."""
        while not self.clock.expired():
            candidates, failed = self.reachable(j), self.failed[j]
            if not candidates or self.safe(j, candidates):
                self.box[j] |= candidates
                return
            if self.failed[j] == failed:
                return  # a limit came before an answer
        self.interrupted = True

    def safe(self, j: int, values: int) -> bool:
        """Whether the slice with these values of variable j is safe; remember a value that is not."""
        return self.ask([values if i == j else mask for i, mask in enumerate(self.box)], j)

    def ask(self, box: list[int], j: int | None = None) -> bool:
        if self.clock.expired():
            self.interrupted = True
            return False
        self.queries += 1
        reply = self.oracle.counterexample(tuple(box), self.clock)
        if reply is Verdict.INTERRUPTED:
            self.interrupted = True
        elif isinstance(reply, tuple) and j is not None:
            self.failed[j] |= 1 << reply[j]
            self.witnesses[j, reply[j]] = reply
        return reply is Verdict.NONE_EXISTS

    def join_values(self, j: int, values: int) -> int:
        """The smallest value set of the language that holds the box's values and these."""
        variable, mask = self.variables[j], self.box[j] | values
        if self.literals == "sets" or mask == self.box[j] or not self.whole(j):
            return mask if not (self.literals == "intervals" and variable.ordered) else self.hull(j, mask)
        return variable.everything

    def whole(self, j: int) -> bool:
        """Whether the language can weaken the variable only by dropping it."""
        variable = self.variables[j]
        missing = variable.ordered and self.point[j] == variable.missing
        return self.literals == "values" or (self.literals == "intervals" and bool(missing))

    def hull(self, j: int, mask: int) -> int:
        line = mask & ((1 << self.variables[j].ordered) - 1)
        return mask | ((1 << line.bit_length()) - (line & -line)) if line else mask

    def reachable(self, j: int) -> int:
        """The values outside the box that no failed value keeps away."""
        variable, box, failed = self.variables[j], self.box[j], self.failed[j]
        outside = variable.everything & ~box
        if self.whole(j):
            return 0 if failed else outside
        if self.literals == "sets" or not variable.ordered:
            return outside & ~failed
        line = (1 << variable.ordered) - 1
        run = outside & ~failed & ~line
        for direction in (
            range(self.point[j] - 1, -1, -1),
            range(self.point[j] + 1, variable.ordered),
        ):
            for value in direction:
                if failed >> value & 1:
                    break
                run |= 1 << value & outside
        return run


def drop_each(variables: Sequence[int], sizes: Sequence[int]) -> list[Step]:
    """The steps "drop this variable", one for each, in order."""
    return [{j: (1 << sizes[j]) - 1} for j in variables]
