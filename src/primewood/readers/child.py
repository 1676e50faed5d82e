"""Python programs in a process of their own, under limits: what crashes, hangs or eats memory there is an error here.

Nothing but files passes between the two processes: no pickle, no shell, no pipe. The child finds packages where this
process does, and reads no other settings of Python's (``-I``). Ctrl-C ends it, as does every other exception here.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from primewood.errors import InvalidInput

START = """
import json, runpy, sys
order = json.loads(sys.argv[1])
sys.path[:] = order["path"]
try:
    import resource
except ImportError:  # a system that limits the time only
    order["limits"] = {}
for name, most in order["limits"].items():
    try:
        resource.setrlimit(getattr(resource, name), (most, most))
    except (ValueError, OSError):  # the system allows less than that
        pass
sys.argv[:] = [order["program"], *order["arguments"]]
runpy.run_path(order["program"], run_name="__main__")
"""
LAST_WORDS = 4000
"""How many of the last bytes that a child says about its failure are looked at."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a child may take.

    Attributes
    ----------
    seconds : int
        Of time, and of the processor's time.
    memory : int
        Bytes of its address space.
    written : int
        Bytes of any file that it writes.
    """

    seconds: int
    memory: int
    written: int


def run_limited(program: Path, arguments: Sequence[str], limits: ProcessLimits) -> None:
    """Run a program with arguments, and wait for it.

    Raises
    ------
    InvalidInput
        If it did not end well; the message says how: "it crashed", "it took more than 60 s", or the last line that the
        program wrote to stderr.
    """
    order = {
        "path": [str(folder) for folder in sys.path],
        "limits": {
            "RLIMIT_CPU": limits.seconds,
            "RLIMIT_AS": limits.memory,
            "RLIMIT_FSIZE": limits.written,
            "RLIMIT_CORE": 0,
        },
        "program": str(program),
        "arguments": list(arguments),
    }
    with TemporaryFile() as words:
        try:
            code = _wait([sys.executable, "-I", "-c", START, json.dumps(order)], words, limits.seconds)
        except OSError as problem:
            raise InvalidInput(f"no process can be started for it ({problem.strerror})") from None
        if code is None:
            raise InvalidInput(f"it took more than {limits.seconds} s")
        if code:
            words.seek(max(0, words.seek(0, SEEK_END) - LAST_WORDS))
            raise InvalidInput(_reason(code, words.read().decode(errors="replace"), limits))


def _wait(command: list[str], words: IO[bytes], seconds: float) -> int | None:
    """The exit code of a command, None if it takes too long; it has ended in any case, also on Ctrl-C."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=words) as child:  # noqa: S603
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            child.kill()
            child.wait()


def _reason(code: int, words: str, limits: ProcessLimits) -> str:
    """Why a child did not end well."""
    if code == -getattr(signal, "SIGXCPU", 0):
        return f"it took more than {limits.seconds} s"
    lines = words.strip().splitlines()
    if code < 0 or not lines or "std::" in lines[-1]:
        return "it crashed"
    if lines[-1].startswith("MemoryError") or "bad_alloc" in lines[-1]:
        return f"it needed more than {limits.memory / 2**30:.0f} GB of memory"
    return lines[-1][:200]
