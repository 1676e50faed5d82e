"""Progress: what is going on, shown while it takes long.

A second thread shows it after a second: as a live line on a terminal (stderr) or in a notebook, which goes when the
work is done; elsewhere, if it is asked for, as lines at growing distances. Nothing is written to stdout.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, ParamSpec, Protocol, Self, TypeVar

PATIENCE = 1.0
"""The seconds before a live line is shown."""
LIVE = 0.25
"""The seconds between two states of a live line."""
LOGGED, GROWTH, WIDEST = 10.0, 1.5, 60.0
"""The seconds before the first line of a log, how much longer each next gap is, and how long at most."""
CALLED = 0.2
"""The seconds between two calls of somebody who wants to know how far it is."""
CLEAR = "\r\033[K"

P = ParamSpec("P")
T = TypeVar("T")
Doing = str | Callable[[float], str]
"""What is going on: words, or what makes the whole line from the seconds so far."""


class Pace:
    """Keeps calls apart: one is due when some time has passed since the last one."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether it is time for a call; if it is, the next one is due later."""
        now = time.monotonic()
        due = now - self._last >= CALLED
        self._last = now if due else self._last
        return due


class Display(Protocol):
    """Where progress is shown."""

    is_live: bool

    def show(self, line: str) -> None:
        """Show a line, in place of the last one if the display is live."""

    def hide(self) -> None:
        """Remove a live line."""


class Progress:
    """Context in which a second thread shows what the first is doing, and for how long.

    Only the outermost context of a process shows something.

    Parameters
    ----------
    doing
        What is going on, such as "searching"; `say` changes it.
    wanted
        Whether to show it. By default on a terminal and in a notebook only.
    """

    def __init__(self, doing: Doing, wanted: bool | None = None) -> None:
        self._doing, self._detail, self._wanted = doing, "", wanted
        self._shown: tuple[Display, threading.Thread] | None = None
        self._lock, self._done = threading.Lock(), threading.Event()
        self._owner = threading.get_ident()
        self._start = time.monotonic()

    @property
    def is_shown(self) -> bool:
        """Whether this context shows something, when it takes long."""
        return self._shown is not None

    def say(self, doing: Doing) -> None:
        """Change what is shown; it appears when the display is next refreshed."""
        self._doing, self._detail = doing, ""

    def add(self, detail: str) -> None:
        """Show a detail of what is going on, after the words for it."""
        self._detail = detail

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Context in which the live line is out of the way, for other output."""
        with self._lock:
            self._hide()
            yield

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        display = display_of(self._wanted)
        if display is not None and _ACTIVE.take(self):
            thread = threading.Thread(
                target=self._tell, args=(display,), name="primewood progress", daemon=True
            )
            self._shown = display, thread
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown is None:
            return
        self._done.set()
        self._shown[1].join()
        self._hide()
        _ACTIVE.free()

    def _tell(self, display: Display) -> None:
        wait, gap = (PATIENCE if display.is_live else LOGGED), LOGGED * GROWTH
        while not self._done.wait(wait):
            with self._lock, suppress(OSError, ValueError):  # a full disk does not stop the work
                display.show(self._line(time.monotonic() - self._start))
            wait, gap = (LIVE, gap) if display.is_live else (gap, min(gap * GROWTH, WIDEST))

    def _line(self, seconds: float) -> str:
        doing = self._doing
        detail = f": {self._detail}" if self._detail else ""
        return doing(seconds) if callable(doing) else f"{doing}{detail}, {seconds:.0f} s; Ctrl-C stops"

    def _hide(self) -> None:
        if self._shown is not None:
            with suppress(OSError, ValueError):
                self._shown[0].hide()


class _Active:
    """The one context that shows something: there is one stderr."""

    def __init__(self) -> None:
        self._taken, self._progress = threading.Lock(), None

    _progress: Progress | None

    def take(self, progress: Progress) -> bool:
        taken = self._taken.acquire(blocking=False)
        if taken:
            self._progress = progress
        return taken

    def free(self) -> None:
        self._progress = None
        self._taken.release()

    def of_this_thread(self) -> Progress | None:
        progress = self._progress
        return progress if progress is not None and progress._owner == threading.get_ident() else None


_ACTIVE = _Active()


def say(doing: Doing) -> None:
    """Change what the context that this thread is in shows, if it shows anything."""
    progress = find_shown()
    if progress is not None:
        progress.say(doing)


def find_shown() -> Progress | None:
    """The context that this thread is in, if it shows anything."""
    return _ACTIVE.of_this_thread()


def with_progress(doing: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of a method that shows what it is doing.

    Whether it does is its argument `progress`, if it has one and that is not None, else the object's attribute.
    """

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(method)
        def call(*args: P.args, **options: P.kwargs) -> T:
            wanted: Any = options.get("progress")
            if wanted is None:
                wanted = getattr(args[0], "progress", None)
            with Progress(doing, wanted):
                return method(*args, **options)

        return call

    return decorate


class TerminalLine:
    """A line on a terminal that is written over, and goes."""

    is_live = True

    def __init__(self, stream: Any) -> None:
        self._stream, self._shown = stream, False

    def show(self, line: str) -> None:
        self._shown = True
        self._stream.write(f"{CLEAR}{line[: shutil.get_terminal_size().columns - 1]}")
        self._stream.flush()

    def hide(self) -> None:
        if self._shown:
            self._shown = False
            self._stream.write(CLEAR)
            self._stream.flush()


class LogLines:
    """Lines one below the other, for logs."""

    is_live = False

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def show(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()

    def hide(self) -> None:
        """Lines of a log stay."""


class NotebookLine:
    """A line below a cell that is written over, and goes."""

    is_live = True

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, line: str) -> None:
        from IPython.display import display

        shown = {"text/plain": line.removesuffix("; Ctrl-C stops")}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown, raw=True)

    def hide(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


def display_of(wanted: bool | None) -> Display | None:
    """Where progress is shown; None if it is not wanted, or nobody is there to see it."""
    if wanted is False:
        return None
    if _is_in_notebook():
        return NotebookLine()
    stream = sys.stderr
    if stream is None or stream.closed or not (wanted or stream.isatty()):
        return None
    live = stream.isatty() and os.environ.get("TERM") != "dumb"
    return TerminalLine(stream) if live else LogLines(stream)


def _is_in_notebook() -> bool:
    """Whether IPython runs with a front end that shows what is displayed, and not in a terminal."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
