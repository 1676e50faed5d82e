"""How the bounds of an anytime search drew together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from primewood.logic.instance import Box
from primewood.progress import Pace

Moment = tuple[float, float, float]
"""Seconds since the search began, and the two bounds at that time."""

BoundsWatcher = Callable[[Box, tuple[float, float]], None]
"""Is told the best box so far and the two bounds, a few times a second."""


class History:
    """The moments at which a bound moved."""

    def __init__(self, watcher: BoundsWatcher | None = None) -> None:
        self._start = time.monotonic()
        self._moments: list[Moment] = []
        self._watcher, self._pace = watcher, Pace()

    def note(self, low: float, high: float) -> None:
        """The bounds as they are now; nothing if neither has moved."""
        if not self._moments or self._moments[-1][1:] != (low, high):
            self._moments.append((time.monotonic() - self._start, low, high))

    def report(self, find_box: Callable[[], Box]) -> None:
        """Tell the watcher the best box so far and the last bounds, if it is time for that."""
        if self._watcher is not None and self._moments and self._pace.is_due():
            self._watcher(find_box(), self._moments[-1][1:])

    def __iter__(self) -> Iterator[Moment]:
        return iter(self._moments)
