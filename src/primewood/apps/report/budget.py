"""The time of a report, shared out among its sections, and of a section among its questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypedDict, TypeVar

T = TypeVar("T")
SectionWatch = Callable[[int, int], None]
"""Told how many of how many things of a section are done."""
ReportWatcher = Callable[[str, int, int], None]
"""Told the section that is being made, how many of its things are done, and how many there are."""
LEAST = 0.02
"""Seconds that every question gets, so that it is asked at all."""
SHARES = {
    "rows": 1.0,
    "model": 1.0,
    "sensitivity": 1.0,
    "cases": 4.0,
    "properties": 5.0,
    "robustness": 2.0,
    "features": 2.0,
    "rules": 4.0,
}
"""The shares of the time; what one section leaves over, those that come after it have."""


class Limits(TypedDict):
    """The limits of one question, as its options."""

    time_limit: float | None
    work_limit: int | None


@dataclass(frozen=True)
class TimeBudget:
    """What may be spent from now on: seconds together, and search nodes per search; None for no limit."""

    seconds: float | None
    nodes: int | None
    start: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self.start

    @property
    def is_spent(self) -> bool:
        """Whether the time limit has passed."""
        return self.seconds is not None and self.spent >= self.seconds

    def take(self, share: float) -> TimeBudget:
        """A share of what is left, as a budget that begins now."""
        left = None if self.seconds is None else max(0.0, self.seconds - self.spent) * share
        return TimeBudget(left, self.nodes)

    def limit(self, share: float = 1.0) -> Limits:
        """A share of what is left, as the limits of a question."""
        seconds = self.take(share).seconds
        return {"time_limit": None if seconds is None else max(seconds, LEAST), "work_limit": self.nodes}


def divide(limits: Limits, parts: int) -> Limits:
    """The limits of one of several questions that share them."""
    seconds = limits["time_limit"]
    return {"time_limit": None if seconds is None else seconds / parts, "work_limit": limits["work_limit"]}


class ReportTime:
    """The time of a report, shared out among its sections as they come.

    Attributes
    ----------
    seconds : dict
        How long each section took.
    """

    def __init__(self, budget: TimeBudget, watcher: ReportWatcher) -> None:
        self.budget, self.watcher = budget, watcher
        self.seconds: dict[str, float] = {}

    def make(self, name: str, section: Callable[[TimeBudget, SectionWatch], T]) -> T:
        """A section, made within its share of the time that is left."""
        waiting = sum(share for other, share in SHARES.items() if other not in self.seconds)
        budget = self.budget.take(SHARES[name] / waiting)
        made = section(budget, partial(self.watcher, name))
        self.seconds[name] = budget.spent
        return made
