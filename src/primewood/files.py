"""Writing files so that they are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from primewood.errors import InvalidInput


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside the path, and put it in its place when it is complete."""
    path = path.absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: it is a folder, or its folder does not exist")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
