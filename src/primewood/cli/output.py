"""Output for people and for programs: data on stdout, messages on stderr, files written atomically."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput, NoCertificate
from primewood.visible import visible_json, visible_lines

if TYPE_CHECKING:
    from primewood.questions.certified import Certified

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
    """Write a message to stderr, if it is not closed."""
    if sys.stderr is not None:
        print(visible_lines(line), file=sys.stderr, flush=True)


class Answer(Protocol):
    """An answer of the library: `str` gives its text, `to_dict` its record."""

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
    """Writes answers about rows: for one row as they are, for several rows each with its row.

    Attributes
    ----------
    as_json : bool
    several : bool
        Whether there is more than one row. Then a JSON document has an "index", and text has a heading.
    plain : bool
        Whether a terminal also gets plain text instead of what rich can draw.
    """

    as_json: bool
    several: bool
    plain: bool = False
    _last: int | None = field(default=None, init=False)

    def answer(self, index: int, found: Answer) -> None:
        """Write an answer of the library about a row."""
        self.write(index, found.to_dict() if self.as_json else {}, str(found))

    def write(self, index: int, found: Mapping[str, Any], *shown: object) -> None:
        """Write an answer about a row: its record, or its texts one after the other."""
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
    """Draw with rich on a terminal; elsewhere write plain text."""
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


def save_certificate(answer: Certified, path: Path | None) -> list[None]:
    """Write the certificate of an answer, if a file is named; if there is none, say why, and return an outcome more."""
    if path is None:
        return []
    try:
        answer.certificate().save(path)
    except NoCertificate as problem:
        talk(f"primewood: {problem}")
        return [None]
    talk(f"written to {path}")
    return []


def write_all(things: Iterable[T], what: str, write: Callable[[T], None]) -> None:
    """Write items one by one, and show their number on stderr if it takes long.

    Ctrl-C ends it cleanly: what was written stays, and stderr says how many items that is.
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
    """Raise if a file cannot be written there, before its content is computed."""
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
    """Reserve stdout for this module: what libraries print goes to stderr.

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
