"""Texts and pages kept in files: what is shown changes only when somebody means it to.

To write the files anew after a change, and then look at what `git diff` says:

    PRIMEWOOD_UPDATE_SNAPSHOTS=1 pytest tests/render
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def check_snapshot(name: str, text: str) -> None:
    """Compare a text with the file of that name, to the last character."""
    path = FOLDER / name
    if os.environ.get("PRIMEWOOD_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"there is no snapshot {name}: see {__name__}"
    assert text == path.read_text(encoding="utf-8")
