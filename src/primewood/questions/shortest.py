"""The shortest explanation: the fewest features that suffice for a decision, or those of the least weight.

A set of features suffices iff the box that fixes them to the instance's values is safe. So the fewest are the
same in every language: the features of a prime box of any language suffice when they are fixed, and the
box of a set that suffices grows to a prime one that mentions no more.

A set suffices iff it hits every contrast: every set of features whose change can change the decision. That
is the implicit hitting set method (Ignatiev, Narodytska, Marques-Silva, "Abduction-based explanations for machine
learning models", AAAI 2019), here from above. A solver with a cardinality constraint proposes a set lighter
than the best one known, that hits all contrasts known. Either it suffices, and is the new best one. Or it
lets through points that get a different decision; moved towards the instance by evaluation they are contrasts,
perhaps not minimal, which every further proposal must hit. When there is no proposal left, the best one known
is the shortest. When the time runs out before, the contrasts known give a lower bound: the solver shows how
light no set that hits them can be.
"""

from __future__ import annotations

import math
import random
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from primewood.engines.duality import Border
from primewood.engines.protocol import Clock, Grown, Verdict, WeakeningPlan
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point
from primewood.logic.masks import indices
from primewood.questions.best_problem import Problem
from primewood.questions.history import History, Moment
from primewood.questions.weakening import drop_each, weaken

SOLVER = "gluecard4"
CONFLICTS = 500
"""How long the solver may think before the clock is looked at."""
LEVEL_CONFLICTS = 20_000
"""How long it may think about one level of the lower bound."""
MANY_LEVELS = 64
"""With more levels than this to go, the lower bound rises in growing steps, else one by one."""
UNITS = 2000
"""How many units all weights together are at most, where they have no common measure."""
FIRST_TRIES, FOR_TRIES = 20, 0.1
"""The most orders of weakening that are tried for a first upper bound, and their share of the time."""
MOVES = 2
"""In how many orders a point is moved towards the instance; the contrast with the fewest features counts."""
FOR_GROWING, FOR_BOUND = 0.2, 0.15
"""The shares of the time that are left for growing the box, and for the lower bound where nothing is proved."""


@dataclass(frozen=True, slots=True)
class Shortest:
    """The shortest explanation, as far as it is known.

    Attributes
    ----------
    box : Box
        Entails the decision. In any case the instance is in it.
    features : frozenset of int or None
        The places of the variables that suffice, those that come for free included; None if none are known that
        keep to what was asked (then the box is the instance's own cell).
    lower, upper : float
        No explanation weighs less than `lower`; this one weighs `upper`. Without weights, numbers of features.
        Features that come for free weigh nothing. Infinite if there is no explanation, or none is known.
    interrupted : bool
        Whether a limit came. Else everything is proved: that none weighs less (`lower` equals `upper`) and that the box
        is prime; or that there is no such explanation.
    obstacle : Point or None
        If there is no such explanation: a point that differs from the instance only in features that may not
        be mentioned, and gets a different decision.
    queries : int
        How often the engine was asked.
    find_witnesses : callable
        As in `Grown`: per excluded (variable, value), a point that shows why; none if the time was over.
    history : tuple of Moment
        How `lower` and `upper` drew together.
    contrasts : tuple of Point
        Points that get a different decision, moved towards the instance: what each explanation must choose from.
    """

    box: Box
    features: frozenset[int] | None
    lower: float
    upper: float
    interrupted: bool
    obstacle: Point | None
    queries: int
    find_witnesses: Callable[[], Mapping[tuple[int, int], Point]] = field(
        default=dict, repr=False, compare=False
    )
    history: tuple[Moment, ...] = field(default=(), repr=False, compare=False)
    contrasts: tuple[Point, ...] = field(default=(), repr=False, compare=False)


def shortest(
    problem: Problem, *, weights: Mapping[int, float] | None = None, clock: Clock | None = None
) -> Shortest:
    """The explanation with the fewest features, or with the least total weight.

    Parameters
    ----------
    weights
        Positive weights by the place of a variable; 1 for those that are not named.

    Examples
    --------
    >>> from primewood.engines.boolean.consistency import SatOracle
    >>> from primewood.logic.expression_parser import parse
    >>> from primewood.logic.variable import Variable
    >>> A, B, C = variables = [Variable.boolean(name) for name in "ABC"]
    >>> oracle = SatOracle(parse("(A & B) | C", variables), variables)
    >>> found = shortest(Problem(oracle, (1, 1, 1), [0, 1, 2]))
    >>> sorted(found.features), found.upper, found.interrupted
    ([2], 1.0, False)
    >>> found = shortest(Problem(oracle, (1, 1, 1), [0, 1, 2]), weights={2: 2.5})
    >>> sorted(found.features), found.upper
    ([0, 1], 2.0)
    >>> shortest(Problem(oracle, (1, 1, 1), [0, 1, 2], avoided=frozenset({1, 2}))).obstacle
    (1, 0, 0)
    """
    if problem.fixed & problem.avoided:
        raise InvalidInput("a feature cannot be both fixed and avoided")
    clock = clock or Clock()
    search = _Search(problem, _weights(len(problem.point), weights))
    search.run(clock if problem.literals == "values" else _part(clock, 1 - FOR_GROWING))
    cell = tuple(1 << value for value in problem.point)
    if search.best is None:
        impossible = search.obstacle is not None
        return Shortest(
            box=cell,
            features=None,
            lower=math.inf if impossible else 0.0,
            upper=math.inf,
            interrupted=not impossible,
            obstacle=search.obstacle,
            queries=search.border.queries,
        )
    grown = _grow(problem, search.best, clock)
    return Shortest(
        box=grown.box,
        features=frozenset(indices(search.best)),
        lower=float(search.lower),
        upper=float(search.upper),
        interrupted=grown.interrupted or search.lower != search.upper,
        obstacle=None,
        queries=search.border.queries + grown.queries,
        find_witnesses=grown.find_witnesses,
        history=tuple(search.history),
        contrasts=tuple(search.outside),
    )


def _weights(count: int, weights: Mapping[int, float] | None) -> list[Fraction]:
    given = dict(weights or {})
    for j, weight in given.items():
        if not (isinstance(weight, int | float) and 0 < weight < math.inf):
            raise InvalidInput(f"weights are positive numbers; feature {j} has {weight!r}")
    return [Fraction(given.get(j, 1)) for j in range(count)]


def bits_of(places: Iterable[int]) -> int:
    """Places as the bits of an integer."""
    return sum(1 << j for j in set(places))


def _part(clock: Clock, share: float) -> Clock:
    """A part of the time that is left."""
    return clock.part(None if clock.limit is None else clock.left() * share)


def _grow(problem: Problem, features: int, clock: Clock) -> Grown:
    """The box of features that suffice, weakened in a language as far as the time allows."""
    oracle, point, literals = problem.oracle, problem.point, problem.literals
    whole = [x.everything for x in oracle.variables]
    start = {j: everything for j, everything in enumerate(whole) if not features >> j & 1}
    values = tuple(start.get(j, 1 << value) for j, value in enumerate(point))
    kept = [j for j in problem.order if features >> j & 1]
    steps = [start, *drop_each(kept, [len(x) for x in oracle.variables])]
    grown = weaken(oracle, point, WeakeningPlan(steps, kept, literals, problem.fixed), clock)
    if any(grown.box[j] != everything for j, everything in start.items()):
        return Grown(values, literals != "values", grown.queries, dict)
    return replace(grown, interrupted=grown.interrupted and literals != "values")


class _Search:
    """The hitting-set search; sets of features are bit masks.

    Attributes
    ----------
    best : int or None
        The lightest set known that suffices, with what is free.
    lower, upper : Fraction
        The bounds on the least weight; `upper` is the weight of `best`.
    obstacle : Point or None
        What shows that not even all features that may be mentioned suffice.
    outside : list of Point
        The points that the contrasts come from.
    """

    def __init__(self, problem: Problem, weights: Sequence[Fraction]) -> None:
        free, out = bits_of(problem.fixed), bits_of(problem.avoided)
        self.border = Border(problem.oracle, "values", problem.point, problem.order)
        self.point, self.free = problem.point, free
        self.weights = [Fraction(0) if free >> j & 1 else w for j, w in enumerate(weights)]
        self.allowed = self.border.restrictions.every & ~out
        self.choices = indices(self.allowed & ~free)
        self.scale = WeightScale([self.weights[j] for j in self.choices])
        self.best: int | None = None
        self.upper, self.lower = Fraction(0), Fraction(0)
        self.obstacle: Point | None = None
        self.outside: list[Point] = []
        self.history = History(problem.watcher)
        self._random = random.Random(0)
        self._too_heavy: list[int] = []

    def run(self, clock: Clock) -> None:
        """Search until the best one is proved, or a limit comes; then raise the lower bound."""
        reply = self.border.let_through(self.allowed, clock)
        if isinstance(reply, tuple):
            self.obstacle = self.border.nearer(reply)
        if reply is not Verdict.NONE_EXISTS:
            return
        self._take(self.allowed)
        search = _part(clock, 1 - FOR_BOUND)
        if self._start(search) and self._descend(search):
            self.lower = self.upper
        else:
            self._ascend(clock)
        self._note()

    def _note(self) -> None:
        self.history.note(float(self.lower), float(self.upper))

    def _find_box(self) -> Box:
        """The box of the best set so far: its features keep the instance's values."""
        return self.border.restrictions.box(self.allowed if self.best is None else self.best)

    def _take(self, chosen: int) -> None:
        """Remember a set that suffices if it is lighter than the best one known."""
        weight = self._weight(chosen)
        if self.best is None or weight < self.upper:
            self.best, self.upper = chosen | self.free, weight
            self._note()

    def _weight(self, chosen: int) -> Fraction:
        return sum((self.weights[j] for j in indices(chosen)), Fraction(0))

    def _start(self, clock: Clock) -> bool:
        """Features that are contrasts by themselves, and first upper bounds; False if a limit came first."""
        for j in self.choices:
            self.history.report(self._find_box)
            reply = self.border.ask(self.border.restrictions.contrast_box(1 << j), clock)
            if reply is Verdict.INTERRUPTED:
                return False
            if isinstance(reply, tuple):
                self.border.contrasts.append(1 << j)
                self.outside.append(reply)
        rank = {j: i / float(self.weights[j] or 1) for i, j in enumerate(self.border.order)}
        spread = 0.3 * max(rank.values(), default=0.0)
        tries = _part(clock, FOR_TRIES)
        for attempt in range(FIRST_TRIES):
            self.history.report(self._find_box)
            shaken = {j: r + (spread * self._random.random() if attempt else 0.0) for j, r in rank.items()}
            if not self._shrink(self.allowed, sorted(rank, key=shaken.__getitem__), clock):
                return False
            if tries.expired():
                break
        return True

    def _shrink(self, chosen: int, order: Sequence[int], clock: Clock) -> bool:
        """Drop features of a sufficient set, those without weight last; False if a limit came first."""
        usual = self.border.order
        self.border.order = tuple(sorted(order, key=lambda j: self.free >> j & 1))
        found = self.border.shrink(chosen, clock)
        self.border.order = usual
        if found is not None:
            self._take(found | self.free)
        return found is not None

    def _descend(self, clock: Clock) -> bool:
        """Look for lighter sets until there are none, which is then proved; False if a limit came first."""
        proposals = self._proposals(self.scale.below(self.upper))
        while True:
            self.history.report(self._find_box)
            proposed = proposals.next(clock)
            if not isinstance(proposed, int):
                return proposed is Verdict.NONE_EXISTS
            chosen = proposed | self.free
            if not self.scale.exact and self._weight(chosen) >= self.upper:  # units are rounded down
                self._too_heavy.append(proposed)
                proposals.forbid(proposed)
                continue
            reply = self.border.let_through(chosen, clock)
            if reply is Verdict.NONE_EXISTS:
                self._take(chosen)
                if not self._shrink(chosen, self.border.order, clock):
                    return False
                proposals = self._proposals(self.scale.below(self.upper))
            while isinstance(reply, tuple):
                contrast = self._contrast(reply)
                proposals.hit(contrast)
                chosen |= contrast & self.allowed  # so the next contrast shares no choice with this one
                reply = self.border.let_through(chosen, clock)
            if reply is Verdict.INTERRUPTED:
                return False

    def _contrast(self, outside: Point) -> int:
        """A contrast with few choices: the best of some orders of going back to the instance, by evaluation."""
        changed = [j for j in self.choices if outside[j] != self.point[j]]
        found = []
        for _ in range(MOVES):
            self._random.shuffle(changed)
            near = self.border.nearer(outside, changed)
            found.append((self.border.restrictions.against(near), near))
        best, near = min(found, key=lambda one: (one[0] & self.allowed).bit_count())
        self.border.contrasts.append(best)
        self.outside.append(near)
        return best

    def _ascend(self, clock: Clock) -> None:
        """Raise the lower bound as far as the known contrasts and the time allow.

        What was too heavy is no lighter than `upper`, so it need not be proposed: the bound is at most that.
        """
        taken = 0
        for contrast in sorted(self.border.contrasts, key=int.bit_count):
            if not contrast & taken:
                taken |= contrast
                self.lower += min(self.weights[j] for j in indices(contrast & self.allowed))
        self._note()
        low, high, step = math.ceil(self.lower / self.scale.unit), self.scale.below(self.upper) + 1, 1
        while low < high:  # nothing will be ruled out from `high` on
            units = min(low + step, high) - 1
            if self._proposals(units).next(clock, LEVEL_CONFLICTS) is Verdict.NONE_EXISTS:
                low = units + 1
                step = 2 * step if high - low > MANY_LEVELS else 1
                self.lower = max(self.lower, min(self.upper, low * self.scale.unit))
                self._note()
            else:
                high, step = units, 1

    def _proposals(self, most: int) -> Proposals:
        return Proposals(self.choices, self.scale.units, most, self.border.contrasts, self._too_heavy)


class WeightScale:
    """Weights as whole units, rounded down where they have no common measure.

    Attributes
    ----------
    unit : Fraction
    units : list of int
        One per weight.
    exact : bool
        Whether nothing was rounded.
    """

    def __init__(self, weights: Sequence[Fraction]) -> None:
        denominator = math.lcm(*(w.denominator for w in weights))
        measure = Fraction(math.gcd(*(int(w * denominator) for w in weights)) or 1, denominator)
        total = sum(weights, Fraction(0))
        self.exact = total <= UNITS * measure
        self.unit = measure if self.exact else total / UNITS
        self.units = [w // self.unit for w in weights]

    def below(self, weight: Fraction) -> int:
        """The most units that something lighter can have."""
        return math.ceil(weight / self.unit) - 1 if self.exact else math.floor(weight / self.unit)


class Proposals:
    """Sets of a limited number of units that hit all contrasts, from a solver that counts by itself."""

    def __init__(
        self,
        choices: Sequence[int],
        units: Sequence[int],
        most: int,
        contrasts: Iterable[int],
        too_heavy: Iterable[int],
    ) -> None:
        from pysat.solvers import Solver

        self._number = {j: n for n, j in enumerate(choices, start=1)}
        self._choices = sum(1 << j for j in choices)
        self._none = most < 0
        self._solver = Solver(name=SOLVER)
        weakref.finalize(self, self._solver.delete)
        counted, last = [], len(choices)
        for n, count in enumerate(units, start=1):
            copies = list(range(last + 1, last + count))
            last += len(copies)
            counted += [n, *copies] if count else []
            for copy in copies:
                self._solver.add_clause([-n, copy])
        if 0 <= most < len(counted):
            self._solver.add_atmost(counted, most)
        self._solver.set_phases([-n for n in range(1, last + 1)])
        for contrast in contrasts:
            self.hit(contrast)
        for chosen in too_heavy:
            self.forbid(chosen)

    def hit(self, contrast: int) -> None:
        """Propose only sets that hit this one; choices aside, nothing does."""
        choices = indices(contrast & self._choices)
        self._none = self._none or not choices
        self._solver.add_clause([self._number[j] for j in choices])

    def forbid(self, chosen: int) -> None:
        """Propose no set that contains this one."""
        self._none = self._none or not chosen
        self._solver.add_clause([-self._number[j] for j in indices(chosen)])

    def next(self, clock: Clock, conflicts: int | None = None) -> int | Verdict:
        """A set, `NONE_EXISTS`, or `INTERRUPTED` at a limit of the clock or of conflicts."""
        spent = 0
        while not self._none:
            if clock.expired() or (conflicts is not None and spent >= conflicts):
                return Verdict.INTERRUPTED
            self._solver.conf_budget(CONFLICTS)
            answer = self._solver.solve_limited()
            if answer is None:
                spent += CONFLICTS
            elif answer:
                model = self._solver.get_model() or []
                return sum(1 << j for j, n in self._number.items() if n <= len(model) and model[n - 1] > 0)
            else:
                self._none = True
        return Verdict.NONE_EXISTS
