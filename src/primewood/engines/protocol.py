"""The contract between engines and questions.

An engine is asked about one decision Γ over the variables of a universe: is there a point of a box
that Γ does not hold at? It answers with such a point, `NONE_EXISTS`, or `INTERRUPTED` when a limit came
first. Questions about one decision are written over this query. An engine also gives the whole family
of prime implicants, by what it has compiled or by asking itself.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, SupportsIndex, runtime_checkable
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, NotPicklable, quote_value
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable

EngineName = Choice["auto", "search", "diagram", "bdd", "sat"]
"""The engines by their names; "auto" chooses."""


class Verdict(enum.Enum):
    """What an engine answers when it has no point to show."""

    NONE_EXISTS = "none exists"
    INTERRUPTED = "interrupted"


Reply = Point | Verdict

Step = Mapping[int, int]
"""What a step of weakening allows: per variable (its place in the universe) a bit mask of values."""


FOREVER = 1e9
"""Seconds, some thirty years: a longer limit is cut to this, which clocks can count."""


MOST_WORK = 2**62
"""Search nodes: a larger limit is cut to this, which the core can count."""


def check_limit(name: str, value: Any) -> Any:
    """A limit by its name; one that no run can reach is cut to one that can be counted."""
    of, kinds = ("nodes", int) if name == "work_limit" else ("seconds", int | float)
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None:
        return None
    if isinstance(plain, bool) or not isinstance(plain, kinds) or not plain > 0:
        raise InvalidInput(f"{name} must be a positive number of {of} or None, not {quote_value(value)}")
    return min(plain, MOST_WORK if name == "work_limit" else FOREVER)


@dataclass(slots=True)
class Clock:
    """The limits of a run: seconds, search nodes (deterministic), None for no limit; and its number of threads."""

    limit: float | None = None
    work_limit: int | None = None
    threads: int = 1
    start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        if self.limit is not None:
            self.limit = min(self.limit, FOREVER)

    def part(self, limit: float | None) -> Clock:
        """The clock of a part of the run: it begins now, with seconds of its own."""
        return Clock(limit, self.work_limit, self.threads)

    def passed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def expired(self) -> bool:
        """Whether the time is up."""
        return self.limit is not None and self.passed() >= self.limit

    def left(self) -> float:
        """The seconds that are left; −1 for no limit."""
        return -1.0 if self.limit is None else max(0.0, self.limit - self.passed())

    def work(self) -> int:
        """The search nodes that one call may take; −1 for no limit."""
        return -1 if self.work_limit is None else self.work_limit


@dataclass(frozen=True, slots=True)
class WeakeningPlan:
    """How an instance is weakened.

    Attributes
    ----------
    steps : sequence of Step
        The steps to try first, in this order.
    variables : sequence of int
        The variables in the order in which each is then widened to all its safe values.
    literals : {"sets", "intervals", "values"}
        The language of the result.
    fixed : frozenset of int
        The variables that keep the instance's value.
    """

    steps: Sequence[Step]
    variables: Sequence[int]
    literals: Language = "sets"
    fixed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Grown:
    """A box that an instance was weakened to.

    Attributes
    ----------
    box : Box
    interrupted : bool
        Whether a limit came, so that the box is not proved prime.
    queries : int
        How often the engine was asked.
    find_witnesses : callable
        Returns, per excluded (variable, value), a point with that value, otherwise inside the box, that gets
        a different decision.
    """

    box: Box
    interrupted: bool
    queries: int
    find_witnesses: Callable[[], Mapping[tuple[int, int], Point]]


@dataclass(frozen=True, slots=True)
class Growth:
    """How far a weakening is.

    Attributes
    ----------
    found : Grown
        The box so far.
    done, total : int
        How many steps are done, of how many. Widening a variable is a step too.
    nodes : int
        The search nodes so far; 0 for engines that do not search.
    """

    found: Grown
    done: int
    total: int
    nodes: int = 0


GrowthWatcher = Callable[[Growth], None]
"""Called a few times a second while an instance is weakened. An exception that it raises ends the weakening."""

Costs = NDArray[np.float64]
"""What each value of each variable costs, one variable after the other; infinite for what is out of the question."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The cheapest point that gets a different decision, as far as it is known.

    Attributes
    ----------
    point : Point or None
        None if there is no such point, or none was found before the limit (`interrupted`).
    cost : float
        What it costs; infinite without a point.
    lower : float
        No such point costs less; equal to `cost` if that is proved to be the least.
    interrupted : bool
        Whether a limit came, so that a cheaper point may exist.
    """

    point: Point | None
    cost: float
    lower: float
    interrupted: bool


class Family(Protocol):
    """The prime boxes of a decision, perhaps too many to list."""

    def count(self) -> int:
        """How many there are, exactly; without listing them if the engine has compiled them."""

    def __iter__(self) -> Iterator[Box]:
        """The boxes, one after the other, lazily."""

    def __contains__(self, box: Box) -> bool:
        """Whether a box is one of them."""


@runtime_checkable
class CompiledFamily(Family, Protocol):
    """A family that is one diagram: nothing has to be listed."""

    def shortest(self) -> Box | None:
        """A box that mentions the fewest variables; None if the family is empty."""

    def sizes(self) -> dict[int, int]:
        """How many boxes mention how many variables."""

    def sample(self, count: int, seed: int | None = None) -> list[Box]:
        """Some boxes, drawn uniformly with replacement."""

    def mentioning(self, place: int) -> CompiledFamily:
        """The boxes that mention a variable."""

    def avoiding(self, place: int) -> CompiledFamily:
        """The boxes that do not mention a variable."""

    def widest(self, weights: Sequence[NDArray[np.float64]]) -> tuple[Box, float] | None:
        """The box with the largest share of a product distribution, and that share; None if the family is empty."""

    def widest_over(self, points: NDArray[np.int64]) -> tuple[Box, int] | None:
        """The box that holds the most of some points, and how many; None if the family is empty."""


class Listing:
    """A family that is only known by listing it, as often as it is asked.

    Parameters
    ----------
    boxes
        Starts a new listing.
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise NotPicklable.because_lazy("these answers")

    def __init__(self, boxes: Callable[[], Iterator[Box]]) -> None:
        self._boxes = boxes

    def count(self) -> int:
        """How many there are. Cost: listing them all."""
        return sum(1 for _ in self)

    def __contains__(self, box: Box) -> bool:
        return any(box == other for other in self)

    def __iter__(self) -> Iterator[Box]:
        return self._boxes()


class Oracle(Protocol):
    """Answers about one decision Γ."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The universe; boxes and points are in its order."""

    def holds(self, point: Point) -> bool:
        """Whether Γ holds at a point. Cost: one evaluation."""

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box at which Γ does not hold, if there is one; `INTERRUPTED` at a limit.

        The Boolean engines cannot be interrupted and take no notice of the clock.
        """

    def primes(self, literals: Language, point: Point | None = None) -> Family:
        """The prime boxes of Γ in a literal language, all or those that contain a point."""


@runtime_checkable
class GrowingOracle(Protocol):
    """An oracle that weakens an instance by itself, with the same result as `questions.weakening`."""

    def grow(
        self, point: Point, plan: WeakeningPlan, clock: Clock, watcher: GrowthWatcher | None = None
    ) -> Grown:
        """Weaken the instance at a point; see `questions.weakening.weaken`."""


@runtime_checkable
class PricingOracle(Oracle, Protocol):
    """An oracle that finds the cheapest point at which Γ does not hold, or one that costs little."""

    def find_within(self, start: Point, costs: Costs, most: float, clock: Clock | None = None) -> Reply:
        """A point at which Γ does not hold and whose values cost no more than `most` together.

        Parameters
        ----------
        start
            A point whose values cost nothing.
        """

    def nearest(
        self, point: Point, costs: Costs, clock: Clock | None = None, *, largest: bool = False
    ) -> Nearest:
        """The cheapest point at which Γ does not hold.

        Parameters
        ----------
        point
            The instance, at which Γ holds; its own values cost nothing.
        costs
            What the values cost; those of a point's values are added up, or, if `largest`, the largest counts.
        """
