"""What is going on, told on stderr: a live line on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

PATIENCE = 1.0
LIVE = 0.25
LOGGED = 10.0
CLEAR = "\r\033[K"


class Progress:
    """A context in which a second thread says what the first is doing, and for how long.

    Parameters
    ----------
    doing
        What is going on, such as "searching"; `say` changes it.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._stream = sys.stderr
        self._live = self._stream is not None and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._start = time.monotonic()

    def say(self, doing: str) -> None:
        """Change what is told; it is shown when it is due."""
        self._doing = doing

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A context in which the line is out of the way, for other output."""
        with self._lock:
            self._hide()
            yield

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()
        self._hide()

    def _tell(self) -> None:
        wait = PATIENCE
        while not self._done.wait(wait):
            with self._lock:
                self._show()
            wait = LIVE if self._live else LOGGED

    def _show(self) -> None:
        if self._stream is None:  # stderr is closed
            return
        line = f"{self._doing}, {time.monotonic() - self._start:.0f} s; Ctrl-C stops"
        if self._live:
            line = f"{CLEAR}{line[: shutil.get_terminal_size().columns - 1]}"
        self._shown = self._live
        self._stream.write(line if self._live else f"{line}\n")
        self._stream.flush()

    def _hide(self) -> None:
        if self._shown:
            self._shown = False
            self._stream.write(CLEAR)
            self._stream.flush()
