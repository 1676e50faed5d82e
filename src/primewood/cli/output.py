"""Writing for people and for programs: data on stdout, talk on stderr, files whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import typer

from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput
from primewood.visible import visible_json, visible_lines

T = TypeVar("T")


def write_line(line: str = "") -> None:
    """Write a line of data at once, so that an interrupted run keeps what it has printed."""
    print(visible_lines(line), flush=True)


def write_record(thing: Any) -> None:
    """Write one JSON document on one line; in plain ASCII where stdout does not take all letters."""
    encoding = str(getattr(sys.stdout, "encoding", None)).lower().replace("-", "")
    written = json.dumps(thing, ensure_ascii=encoding not in ("utf8", "none"), allow_nan=False)
    write_line(visible_json(written))


def talk(line: str) -> None:
    """Write a line for the person who watches, if stderr is not closed."""
    if sys.stderr is not None:
        print(visible_lines(line), file=sys.stderr, flush=True)


class Answer(Protocol):
    """What the library answers: words by `str`, and a record."""

    def to_dict(self) -> Mapping[str, Any]:
        """The answer in plain types."""


def write_answer(found: Answer, *, as_json: bool) -> None:
    """Write an answer of the library, as a JSON document or in words."""
    if as_json:
        write_record(found.to_dict())
    else:
        write_line(str(found))


@dataclass
class Answers:
    """Writes answers about rows: as they are if one row was asked about, else each with its row.

    Attributes
    ----------
    as_json : bool
    several : bool
        Whether more than one row was asked about. Then a JSON document has an "index", and words have a heading.
    plain : bool
        Whether things that rich can draw are written in words on a terminal too, as they are elsewhere.
    """

    as_json: bool
    several: bool
    plain: bool = False
    _last: int | None = field(default=None, init=False)

    def answer(self, index: int, found: Answer) -> None:
        """Write an answer of the library about a row."""
        self.write(index, found.to_dict() if self.as_json else {}, str(found))

    def write(self, index: int, found: Mapping[str, Any], *shown: object) -> None:
        """Write an answer about a row: its record, or one thing after the other that shows it."""
        if self.as_json:
            write_record({"index": index, **found} if self.several else found)
            return
        if self.several and index != self._last:
            write_line(f"{'' if self._last is None else chr(10)}row {index}:")
        self._last = index
        for thing in shown:
            if self.plain or isinstance(thing, str):
                write_line(str(thing))
            else:
                draw(thing)


def draw(thing: object) -> None:
    """Write something that rich can draw, as it looks on the terminal; elsewhere its words."""
    if sys.stdout is None or not sys.stdout.isatty():
        write_line(str(thing))
        return
    from rich.console import Console

    console = Console()
    with console.capture() as looks:
        console.print(thing)
    print(looks.get().rstrip("\n"), flush=True)


def finish(*outcomes: bool | None) -> None:
    """End with the worst exit code: 1 if something fails, else 3 if something is undecided (None), else 0."""
    if False in outcomes:
        raise typer.Exit(1)
    if None in outcomes:
        raise typer.Exit(3)


def write_all(things: Iterable[T], what: str, write: Callable[[T], None]) -> None:
    """Write the things one by one, and say on stderr how many, if that takes long.

    Ctrl-C ends it cleanly: what was written stays, and stderr says how much that is.
    """
    count = 0
    with CommandProgress(f"listing {what}") as progress:
        try:
            for thing in things:
                with progress.aside():
                    write(thing)
                count += 1
                progress.say(f"{count:,} {what}")
        except KeyboardInterrupt:
            with progress.aside():
                talk(f"stopped after {count:,} {what}")
            raise


def check_target(path: Path | None, *endings: str) -> None:
    """Raise if a file cannot be written there, before time is spent on what it shall hold."""
    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise InvalidInput(f"{path} should end with {' or '.join(endings)}")
    if path.is_dir():
        raise InvalidInput(f"{path} cannot be written: it is a folder; pass a file in it")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {path.parent}; make it first")
    if not os.access(path.absolute().parent, os.W_OK):
        raise InvalidInput(f"{path} cannot be written: the folder does not allow it")


def keep_stdout_clean() -> None:
    """From here on, stdout is for what this module writes: what libraries print there goes to stderr.

    Solvers print lines of their own to file descriptor 1, and buffer them until the process ends. So the descriptor
    itself is pointed to stderr for the rest of the process, and our output goes through a copy of what it was.
    """
    try:
        is_first = sys.stdout is not None and sys.stdout.fileno() == 1
    except (OSError, ValueError):
        is_first = False
    if not is_first:
        return
    sys.stdout.flush()
    copy = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout = os.fdopen(copy, "w", encoding=sys.stdout.encoding, errors="replace")
