"""How the bounds of an anytime search drew together."""

from __future__ import annotations

import time
from collections.abc import Iterator

Moment = tuple[float, float, float]
"""Seconds since the search began, and the two bounds at that time."""


class History:
    """The moments at which a bound moved."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._moments: list[Moment] = []

    def note(self, low: float, high: float) -> None:
        """The bounds as they are now; nothing if neither has moved."""
        if not self._moments or self._moments[-1][1:] != (low, high):
            self._moments.append((time.monotonic() - self._start, low, high))

    def __iter__(self) -> Iterator[Moment]:
        return iter(self._moments)
