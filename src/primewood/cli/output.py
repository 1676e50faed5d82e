"""Writing for people and for programs: data on stdout, talk and progress on stderr."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import typer

T = TypeVar("T")

PATIENCE = 1.0


def data(line: str = "") -> None:
    """A line of data, out at once, so that an interrupted run keeps what it has printed."""
    print(line, flush=True)


def record(thing: Any) -> None:
    """One JSON document on one line."""
    data(json.dumps(thing, ensure_ascii=False, allow_nan=False))


class Answer(Protocol):
    """What the library answers: words by `str`, and a record."""

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain types."""


def answer(found: Answer, *, as_json: bool) -> None:
    """An answer of the library, as a JSON document or in words."""
    if as_json:
        record(found.to_dict())
    else:
        data(str(found))


def finish(*outcomes: bool | None) -> None:
    """End with the worst exit code: 1 if something fails, else 3 if something is undecided (None), else 0."""
    if False in outcomes:
        raise typer.Exit(1)
    if None in outcomes:
        raise typer.Exit(3)


def talk(line: str) -> None:
    """A line for the person who watches."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def patience(doing: str) -> Iterator[None]:
    """Say on stderr what is going on, if it goes on for more than a second."""
    timer = threading.Timer(PATIENCE, talk, [f"{doing} ...; Ctrl-C stops"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def watching() -> Iterator[Callable[[str, int, int], None]]:
    """A watcher of compilations that says on stderr how far they are, after a second."""
    start = time.monotonic()
    shown = 0.0
    terminal = sys.stderr.isatty()

    def watch(stage: str, nodes: int, parts: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - start < PATIENCE or now - shown < (0.5 if terminal else 10.0):
            return
        shown = now
        words = {"order": "looking for an order", "decision": "going down the levels", "sifting": "sifting"}
        line = f"{words.get(stage, stage)}: {nodes:,} nodes, {parts} parts, {now - start:.0f} s; Ctrl-C stops"
        sys.stderr.write(f"\r\033[K{line}" if terminal else f"{line}\n")
        sys.stderr.flush()

    try:
        yield watch
    finally:
        if terminal and shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def write_all(things: Iterable[T], what: str, write: Callable[[T], None]) -> None:
    """Write the things one by one, with a progress line on stderr when that takes long.

    Ctrl-C ends it cleanly: what was written stays, and stderr says how much that is.
    """
    start = shown = time.monotonic()
    terminal = sys.stderr.isatty()
    every = 0.2 if terminal else 10.0
    count = 0
    try:
        for thing in things:
            write(thing)
            count += 1
            now = time.monotonic()
            if now - start > PATIENCE and now - shown > every:
                shown = now
                line = f"{count:,} {what} in {now - start:.0f} s; Ctrl-C stops and keeps them"
                sys.stderr.write(f"\r\033[K{line}" if terminal else f"{line}\n")
                sys.stderr.flush()
    except KeyboardInterrupt:
        talk(f"stopped after {count:,} {what}")
        raise
    finally:
        if terminal and shown != start:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
