"""How far a batch is: a bar with the rate, the time that is left, and how many rows have which status."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from primewood.batch.run import Result

PATIENCE = 1.0
"""After how many seconds the bar appears, if it is not asked for."""


@contextmanager
def watching(total: int | None, wanted: bool | None) -> Iterator[Callable[[Result], None] | None]:
    """What is told of each result and draws the bar; None where none is wanted.

    Parameters
    ----------
    total
        How many rows there are, if that is known.
    wanted
        Whether to draw it; by default only on a terminal, after a second.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if wanted is False or (wanted is None and not terminal):
        yield None
        return
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
    bar = Progress(*columns, console=Console(stderr=True), transient=wanted is None)
    task = bar.add_task("", total=total, rate="", statuses="")
    counts: Counter[str] = Counter()
    start = time.monotonic()

    def watch(result: Result) -> None:
        counts[str(result.outcome.status)] += 1
        seconds = time.monotonic() - start
        if not bar.live.is_started and (wanted or seconds > PATIENCE):
            bar.start()
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        rate = f"{counts.total() / max(seconds, 1e-9):,.1f} rows/s"
        bar.update(task, completed=counts.total(), rate=rate, statuses=told)

    try:
        yield watch
    finally:
        if bar.live.is_started:
            bar.stop()
