"""Files: written so that they are there whole or not at all, and read without trusting them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EISDIR, ELOOP, EMLINK, ENXIO
from io import BufferedReader
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput
from primewood.fields import JsonObject

Arrays = dict[str, NDArray[Any]]
"""The arrays of an archive, by their names."""
PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How files are opened that may be links, pipes or devices: without following the one or waiting for the others."""


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside the path, and put it in its place when it is complete."""
    path = path.absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: it is a folder, or its folder does not exist")
    file = create_beside(path)
    try:
        with file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise
    _keep_names(path.parent)


def create_beside(path: Path) -> IO[bytes]:
    """A new file in the folder of a path, with the permissions that the umask leaves."""
    return path.with_name(f"{path.name}.{token_hex(8)}.part").open("xb")


def _keep_names(folder: Path) -> None:
    """Have the names in a folder on the disk too, where the system can: what is there stays there."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


LARGEST_ARCHIVE = 2**32
"""How many bytes an archive may unpack to."""


def open_plain(path: Path, most: int) -> BufferedReader:
    """Open a regular file for reading, if it is not too large: no link, pipe or device.

    Raises
    ------
    FileNotFoundError
        If there is none.
    InvalidInput
        If it is something else, or larger.
    """
    handle = open_handle(path, os.O_RDONLY)
    size = os.fstat(handle).st_size
    if size > most:
        os.close(handle)
        raise InvalidInput(f"{path} has {size:,} bytes; at most {most:,} are read")
    return os.fdopen(handle, "rb")


def open_handle(path: Path, flags: int) -> int:
    """The handle of a regular file, which is neither a link nor a pipe or device; a new file is by the umask."""
    try:
        handle = os.open(path, flags | PLAIN, 0o666)
    except OSError as problem:
        if problem.errno in (EISDIR, ELOOP, EMLINK, ENXIO):
            raise _not_plain(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _not_plain(path)
    return handle


def _not_plain(path: Path) -> InvalidInput:
    return InvalidInput(f"{path} is a link, or not a regular file; remove it, or take another folder")


def read_json(path: Path, *, infinite: bool = False) -> Any:
    """The value of a JSON file; see `parse_json`. The error names the file."""
    try:
        return parse_json(path.read_bytes(), infinite=infinite)
    except InvalidInput as problem:
        raise InvalidInput(f"{path.name} is {problem}") from None


def parse_json(content: bytes, *, infinite: bool = False) -> Any:
    """The value of JSON, as the standard has it: NaN and infinite numbers are none, unless they are allowed here.

    An object that has a name twice is refused: parsers differ in which of the two counts.

    Raises
    ------
    InvalidInput
        For anything else, with the reason.
    """
    constant = None if infinite else _refuse
    try:
        return json.loads(content.decode(), parse_constant=constant, object_pairs_hook=unique_names)
    except RecursionError:
        raise InvalidInput("not JSON that is read: it is nested too deeply") from None
    except ValueError as problem:
        raise InvalidInput(f"not JSON, or cut off: {problem}") from None


def unique_names(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The object with these members; a ValueError if two have the same name."""
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"{next(name for name in names if names.count(name) > 1)!r} occurs twice in an object"
        )
    return found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a number of JSON")


@contextmanager
def report_damage(path: Path, advice: str) -> Iterator[None]:
    """Say of an error about what a file holds that the file is damaged, and what to do about it."""
    try:
        yield
    except InvalidInput as problem:
        raise InvalidInput(f"{path} is damaged: {problem}; {advice}") from None


def check_header(document: object, path: Path, kind: str, version: int) -> None:
    """Raise unless a document says that it is of this kind and version."""
    if not isinstance(document, dict) or document.get("format") != f"primewood {kind}":
        raise InvalidInput(f"{path.name} is not {an(kind)} of primewood")
    found = document.get("version")
    if type(found) is not int or found < 1:
        raise InvalidInput(f"{path.name} is damaged: its version is {repr(found)[:60]}")
    if found > version:
        raise InvalidInput(
            f"{path.name} was written by a newer primewood, in version {found} of the format; this one reads version "
            f"{version}: upgrade primewood"
        )
    if found < version:
        raise InvalidInput(
            f"{path.name} was written by an older primewood, in version {found} of the format; this one reads version "
            f"{version}: make the file again"
        )


def an(noun: str) -> str:
    """A noun with its article.

    >>> an("ensemble"), an("compiled model")
    ('an ensemble', 'a compiled model')
    """
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def write_archive(path: Path, document: str, arrays: Arrays) -> None:
    """Write a zip archive of arrays and a JSON document, which `read_archive` reads, whole or not at all."""
    held: dict[str, Any] = {"document": np.frombuffer(document.encode(), dtype=np.uint8), **arrays}
    write_whole(path, lambda file: np.savez_compressed(file, **held))


def read_archive(path: Path, formats: Sequence[str]) -> tuple[JsonObject, Arrays]:
    """The JSON document and the other arrays of a zip archive that primewood wrote, in one of these formats."""
    kinds = " or ".join(an(name.removeprefix("primewood ")) for name in formats)
    foreign = f"{path.name} is not {kinds} of primewood, or it is damaged"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if sum(entry.file_size for entry in archive.zip.infolist()) > LARGEST_ARCHIVE:
                raise InvalidInput(f"it unpacks to more than {LARGEST_ARCHIVE:,} bytes")
            arrays = {name: archive[name] for name in archive.files}
        document = parse_json(arrays.pop("document").tobytes())
    except Exception as problem:  # whatever a broken archive brings about
        raise InvalidInput(f"{foreign} ({type(problem).__name__})") from None
    if not isinstance(document, dict) or document.get("format") not in formats:
        raise InvalidInput(f"{path.name} is not {kinds} of primewood")
    return document, arrays
