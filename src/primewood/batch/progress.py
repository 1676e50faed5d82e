"""The progress of a batch: finished rows, rate, remaining time, and counts of statuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from primewood.batch.row_result import OnResult, RowResult
from primewood.progress import Progress
from primewood.questions.status import Status


@contextmanager
def show_progress(total: int | None, wanted: bool | None) -> Iterator[OnResult | None]:
    """A callback that counts each result and shows the progress; None where nothing is shown.

    Parameters
    ----------
    total
        The number of rows, if it is known.
    wanted
        Whether to show it; by default only on a terminal or in a notebook, after a second.
    """
    counts = StatusCounts(total)
    with Progress(counts.line, wanted) as progress:
        yield counts.watch if progress.is_shown else None


class StatusCounts:
    """Counts the results of a batch.

    Parameters
    ----------
    total
        How many rows there are, if that is known.
    """

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._counts: Counter[str] = Counter()

    def watch(self, result: RowResult) -> None:
        """Count a result."""
        self._counts[str(result.status)] += 1

    def line(self, seconds: float) -> str:
        """The progress after some seconds, in words."""
        counts = dict(self._counts)
        done = sum(counts.values())
        rate = done / max(seconds, 1e-9)
        of = "" if self._total is None else f" of {self._total:,}"
        noun = "row" if (self._total or done) == 1 else "rows"
        others = [f"{count:,} {name}" for name, count in counts.items() if name != Status.PROVED]
        left = [] if self._total is None or not done else [f"{_duration((self._total - done) / rate)} left"]
        parts = [f"{done:,}{of} {noun} in {_duration(seconds)}", f"{rate:,.1f} rows/s", *others, *left]
        return f"explaining: {', '.join(parts)}"


def _duration(seconds: float) -> str:
    """A time in words, to the second, the minute or the tenth of an hour.

    >>> _duration(12.3), _duration(300), _duration(20_000)
    ('12 s', '5 min', '5.6 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
