"""Processes that tests start: each ends with the block that it was started for."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def run_child(arguments: Sequence[object], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a process; at the end of the block, kill it if it still runs, wait for it and close its pipes.

    A process that outlives its test would warn about itself in the middle of another test.
    """
    with subprocess.Popen([str(argument) for argument in arguments], **options) as child:
        try:
            yield child
        finally:
            child.kill()
