"""Which of the slow tests a run takes: a part of them, which the commit chooses."""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

PARTS = 24


def find_commit(root: Path) -> str | None:
    """The hash of the commit that is checked out, if the folder is in a repository and git is installed."""
    command = ["git", "-C", str(root), "rev-parse", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def digest_sources(root: Path) -> str:
    """A hash of the Python files of the package, for sources that come without a repository."""
    digest = hashlib.sha256()
    for path in sorted((root / "src").rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def choose_part(root: Path) -> int:
    """The part of the slow tests that this commit runs, whatever the day."""
    return int(find_commit(root) or digest_sources(root), 16) % PARTS


def part_of(nodeid: str) -> int:
    """The part that a test belongs to."""
    return zlib.crc32(nodeid.encode()) % PARTS


def divide(items: Iterable[pytest.Item], part: int) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests of a run that takes this part of the slow ones, and those that it leaves out."""
    taken: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        turn = "slow" not in item.keywords or part_of(item.nodeid) == part
        (taken if turn else left_out).append(item)
    return taken, left_out
