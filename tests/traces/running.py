"""Running traces in a child process: crashes, hangs and memory that runs out are failures as well."""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from traces.drawing import draw_trace
from traces.shrink import SECONDS, script_of, shrink
from traces.trace import Trace, failure_of

PATIENCE = 60.0
"""Seconds that a trace may take before it counts as hanging."""
MEMORY = 32 * 2**30
"""Bytes of address space that a child may take; a binary diagram alone reserves two billion."""


@dataclass
class Tally:
    """How far a run is."""

    done: int = 0
    started: float = field(default_factory=time.monotonic)
    failures: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        seconds = time.monotonic() - self.started
        rate = self.done / seconds if seconds else 0.0
        told = ", ".join(f"{kind} ({count})" for kind, count in self.failures.most_common()) or "none"
        return f"{self.done:,} traces in {seconds:,.0f} s ({rate:.1f}/s); failures: {told}"


def run(
    first: int,
    count: int,
    folder: Path,
    *,
    seconds: float | None = None,
    patience: float = PATIENCE,
    say: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Run the traces of some seeds; what fails is written to the folder as a script, at once."""
    import_libraries()
    tally, seed = Tally(), first
    end = None if seconds is None else tally.started + seconds
    while seed < first + count and (end is None or time.monotonic() < end):
        seed = _run_child(seed, first + count, folder, tally, end, patience, say)
    return tally


def _run_child(
    seed: int,
    stop: int,
    folder: Path,
    tally: Tally,
    end: float | None,
    patience: float,
    say: Callable[[Tally], None],
) -> int:
    """Run seeds in one child until all are done, the time is over, or the child dies; the seed to go on with."""
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_work, args=(seed, stop, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        while seed < stop and (end is None or time.monotonic() < end):
            if not ours.poll(patience):
                _note(draw_trace(seed), "hangs: no answer in time", seed, folder, tally)
                return seed + 1
            try:
                failure = ours.recv()
            except EOFError:
                child.join()
                _note(draw_trace(seed), f"crashes: exit code {child.exitcode}", seed, folder, tally)
                return seed + 1
            if failure is not None:
                _note(draw_trace(seed), failure, seed, folder, tally)
            seed, tally.done = seed + 1, tally.done + 1
            say(tally)
        return seed
    finally:
        child.kill()
        child.join()


def _work(seed: int, stop: int, to: Connection) -> None:
    """The child: one answer per seed; Ctrl-C is for the parent, which then ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    for each in range(seed, stop):
        to.send(failure_of(draw_trace(each)))


def _limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _address_space() -> int:
    """Bytes that this process has reserved: terabytes, if a sanitizer watches it; 0 where the system does not say."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[0]) * resource.getpagesize() if told.exists() else 0


def _note(trace: Trace, failure: str, seed: int, folder: Path, tally: Tally) -> None:
    """Write what failed as it is, then as small as it gets."""
    tally.failures[failure.split(":")[0]] += 1
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}.py"
    path.write_text(script_of(trace, failure))
    if tally.failures[failure.split(":")[0]] <= 3:
        small = shrink(trace, fails_apart, SECONDS)
        path.write_text(script_of(small, fails_apart(small) or failure))


def fails_apart(trace: Trace, patience: float = PATIENCE) -> str | None:
    """What goes wrong when a trace is run in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_answer, args=(trace, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        if not ours.poll(patience):
            return "hangs: no answer in time"
        failure: str | None = ours.recv()
        return failure
    except EOFError:
        child.join()
        return f"crashes: exit code {child.exitcode}"
    finally:
        child.kill()
        child.join()


def _answer(trace: Trace, to: Connection) -> None:
    _limit_memory()
    to.send(failure_of(trace))


def import_libraries() -> None:
    """Import what models are made of before processes fork, so that each does not do it again."""
    for name in ("sklearn.ensemble", "sklearn.pipeline", "pandas", "xgboost", "lightgbm", "catboost"):
        importlib.import_module(name)
