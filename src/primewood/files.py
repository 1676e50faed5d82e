"""Writing files so that they are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

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
        raise InvalidInput(f"{path.name} is no {kind} of primewood")
    if document.get("version") != version:
        raise InvalidInput(
            f"{path.name} has version {document.get('version')} of the format; this primewood reads {version}"
        )
