"""How far a batch is, told on stderr: a bar on a terminal, elsewhere a plain line now and then.

Both tell the rate, the time that is left, and how many rows have which status. Lines are for logs: the first comes
after some seconds, and the later ones at growing distances, so that a long night is not many pages.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from primewood.batch.run import Result
from primewood.reasons.explanation import Status

PATIENCE = 1.0
"""After how many seconds the bar appears, if it is not asked for."""
FIRST, GROWTH, WIDEST = 10.0, 1.5, 60.0
"""The seconds before the first line, how much longer each next one takes, and how long at most."""

Watch = Callable[[Result], None]


@contextmanager
def watching(total: int | None, wanted: bool | None) -> Iterator[Watch | None]:
    """What is told of each result and tells how far the batch is; None where that is not wanted.

    Parameters
    ----------
    total
        How many rows there are, if that is known.
    wanted
        Whether to tell it; by default only on a terminal, after a second.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if sys.stderr is None or wanted is False or (wanted is None and not terminal):
        yield None
    elif terminal or _in_notebook():
        with _bar(total, at_once=wanted is True) as watch:
            yield watch
    else:
        yield Lines(total).watch


def _in_notebook() -> bool:
    """Whether stderr is shown where a bar can be drawn, though it is no terminal."""
    from rich.console import Console

    return Console(stderr=True).is_jupyter


class Lines:
    """Tells on stderr how far a batch is, a line now and then.

    Parameters
    ----------
    total
        How many rows there are, if that is known.
    clock
        What tells the seconds.
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._counts: Counter[str] = Counter()
        self._start, self._gap = clock(), FIRST
        self._due = self._start + FIRST

    def watch(self, result: Result) -> None:
        """Count a result, and write a line if one is due."""
        self._counts[str(result.outcome.status)] += 1
        now = self._clock()
        if now >= self._due:
            self._gap = min(self._gap * GROWTH, WIDEST)
            self._due = now + self._gap
            with suppress(OSError, ValueError):  # a log that cannot be written is no reason to stop
                sys.stderr.write(f"{self._line(max(now - self._start, 1e-9))}\n")
                sys.stderr.flush()

    def _line(self, seconds: float) -> str:
        done = self._counts.total()
        rate = done / seconds
        of = "" if self._total is None else f" of {self._total:,}"
        noun = "row" if (self._total or done) == 1 else "rows"
        others = [f"{count:,} {name}" for name, count in self._counts.items() if name != Status.PROVED]
        left = [] if self._total is None else [f"{_duration((self._total - done) / rate)} left at this rate"]
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


@contextmanager
def _bar(total: int | None, *, at_once: bool) -> Iterator[Watch]:
    """A bar that is drawn at once and stays, or after a second and goes at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("explaining"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[statuses]}"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=not at_once)
    task = bar.add_task("", total=total, rate="", statuses="")
    counts: Counter[str] = Counter()
    start = time.monotonic()

    def watch(result: Result) -> None:
        counts[str(result.outcome.status)] += 1
        seconds = time.monotonic() - start
        if not bar.live.is_started and (at_once or seconds > PATIENCE):
            bar.start()
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        rate = f"{counts.total() / max(seconds, 1e-9):,.1f} rows/s"
        bar.update(task, completed=counts.total(), rate=rate, statuses=told)

    try:
        yield watch
    finally:
        if bar.live.is_started:
            bar.stop()
