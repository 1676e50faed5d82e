"""Files: written so that they are there whole or not at all, and read without trusting them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from primewood.errors import InvalidInput

UMASK = os.umask(0)
os.umask(UMASK)


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside the path, and put it in its place when it is complete."""
    path = path.absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: it is a folder, or its folder does not exist")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~UMASK)  # what a new file has; a temporary one is for its owner only
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _keep_names(path.parent)


def _keep_names(folder: Path) -> None:
    """Have the names in a folder on the disk too, where the system can: what is there stays there."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def check_header(document: object, path: Path, kind: str, version: int) -> None:
    """Raise unless a document says that it is of this kind and version."""
    if not isinstance(document, dict) or document.get("format") != f"primewood {kind}":
        raise InvalidInput(f"{path.name} is not {an(kind)} of primewood")
    found = document.get("version")
    if type(found) is not int or found < 1:
        raise InvalidInput(f"{path.name} is damaged: its version is {found!r}")
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


def read_archive(path: Path, formats: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON document and the other arrays of a zip archive that primewood wrote, in one of these formats."""
    kinds = " or ".join(an(name.removeprefix("primewood ")) for name in formats)
    foreign = f"{path.name} is not {kinds} of primewood, or it is damaged"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        document = json.loads(arrays.pop("document").tobytes().decode())
    except Exception as problem:  # whatever a broken archive brings about
        raise InvalidInput(f"{foreign} ({type(problem).__name__})") from None
    if not isinstance(document, dict) or document.get("format") not in formats:
        raise InvalidInput(f"{path.name} is not {kinds} of primewood")
    return document, arrays
