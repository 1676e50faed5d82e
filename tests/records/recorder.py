"""Asking the questions and writing what came: a header, then one JSON line per question."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import primewood as pw
from records import FORMAT
from records.models import RECIPES, Kind
from records.questions import QUESTIONS, Draw
from records.work import read_work, work_since

REPEATED = ("ends", "condition")
"""What a literal says in its `shown` and `text`, too, in other parts."""
SEED = 2020
TOTAL = 2000
LIBRARIES = (
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "xgboost",
    "xgboost-cpu",
    "lightgbm",
    "catboost",
    "python-sat",
    "oxidd",
)


def write_records(path: Path, kinds: Sequence[str] = tuple(RECIPES), total: int = TOTAL) -> None:
    """Ask `total` questions of these kinds of models; the file appears when all are answered."""
    asked = [Kind(name, RECIPES[name]) for name in kinds]
    shares = [total * (i + 1) // len(asked) - total * i // len(asked) for i in range(len(asked))]
    lines = [header_of(asked, total)]
    for kind, share in zip(asked, shares, strict=True):
        lines += answer_all(kind, share)
    write_whole(path, "".join(f"{json.dumps(line, sort_keys=True)}\n" for line in lines))


def header_of(kinds: Sequence[Kind], total: int) -> dict[str, Any]:
    """What the answers depend on besides primewood's code."""
    return {
        "format": FORMAT,
        "seed": SEED,
        "questions": total,
        "primewood": pw.__version__,
        "commit": find_commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "libraries": {name: find_version(name) for name in LIBRARIES},
        "models": {name: digest for kind in kinds for name, digest in kind.digests.items()},
    }


def find_version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def find_commit() -> str | None:
    """The commit of the sources, marked if they were changed since; None outside a repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def answer_all(kind: Kind, count: int) -> Iterator[dict[str, Any]]:
    """The records of one kind of models, with progress on stderr."""
    started = time.monotonic()
    for number in range(count):
        yield answer(kind, number)
        show(f"\r{kind.name}: {number + 1} of {count}", live=True)
    show(f"\r{kind.name}: {count} questions in {time.monotonic() - started:.0f} s\n")


def show(text: str, *, live: bool = False) -> None:
    if sys.stderr.isatty() or not live:
        sys.stderr.write(text if sys.stderr.isatty() else text.lstrip("\r"))
        sys.stderr.flush()


def answer(kind: Kind, number: int) -> dict[str, Any]:
    """Ask one question; its record is the same in every process."""
    question = QUESTIONS[number % len(QUESTIONS)]
    draw = Draw(kind, (SEED, zlib.crc32(kind.name.encode()), number))
    before = read_work()
    try:
        found = plain(question(draw))
    except pw.errors.PrimewoodError as problem:
        found = {"error": type(problem).__name__, "message": str(problem)}
    return {
        "id": f"{kind.name} {number:03} {question.__name__}",
        "kind": kind.name,
        "question": question.__name__,
        "options": plain(draw.options),
        "answer": found,
        "status": status_of(found),
        "work": work_since(before),
    }


def plain(value: Any) -> Any:
    """An answer in plain types, without times."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {str(key): plain(timeless(key, x)) for key, x in value.items() if key not in REPEATED}
    if isinstance(value, list | tuple | range):
        return [plain(x) for x in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pw.Term):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"an answer holds {value!r}, which a record cannot")


def timeless(key: object, value: Any) -> Any:
    """What is under a key of an answer, without its times."""
    if key == "history":
        return [bounds for _, *bounds in value]
    return None if key == "seconds" else value


def status_of(found: Any) -> str:
    """How the question ended, in a word."""
    if not isinstance(found, dict):
        return "listed"
    return "error" if "error" in found else str(found.get("status") or found.get("outcome") or "answered")


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
