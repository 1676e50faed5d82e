"""Ensembles as files: versioned JSON, every float exactly as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from primewood.ensemble.ensemble import Categories, Cutoff, Ensemble, Group, Level
from primewood.ensemble.tree import Tree
from primewood.errors import InvalidInput
from primewood.files import check_header, write_whole

FORMAT = "primewood ensemble"
VERSION = 1
SEQUENCES = ("feature_names", "classes", "start", "cuts")
SINGLE = (
    "operator",
    "dtype",
    "allows_missing",
    "vote",
    "divisor",
    "precision",
    "link",
    "slope",
    "any_order",
    "form",
    "largest_integer",
    "source",
)
PLAIN = (*SEQUENCES, *SINGLE)
NUMBER = int | float
TYPES: dict[str, Any] = {
    **dict.fromkeys(("operator", "dtype", "vote", "precision", "link", "form", "source"), str),
    **dict.fromkeys(("allows_missing", "any_order"), bool),
    **dict.fromkeys(("slope", "largest_integer"), NUMBER),
    **dict.fromkeys((*SEQUENCES, "never_missing", "groups", "categories", "trees"), list),
    "divisor": NUMBER | None,
}
"""What the fields of a document are."""


def save_ensemble(ensemble: Ensemble, path: str | Path) -> None:
    """Write an ensemble to a file that `load_ensemble` reads; the file is there whole or not at all."""
    text = json.dumps(document_of(ensemble), allow_nan=False, ensure_ascii=False)
    write_whole(Path(path), lambda file: file.write(text.encode()))


def digest_of(ensemble: Ensemble) -> str:
    """What tells an ensemble from any other: 16 hexadecimal digits of a SHA-256 over all that it consists of."""
    whole = hashlib.sha256()
    plain = [str(getattr(ensemble, name)) for name in (*PLAIN, "groups", "categories")]
    plain.append(str(sorted(ensemble.never_missing)))
    whole.update(json.dumps([FORMAT, VERSION, *plain]).encode())
    for tree in ensemble.trees:
        arrays = (getattr(tree, field.name) for field in fields(tree) if field.name != "sets")
        for array in (*arrays, *tree.sets):
            whole.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
            whole.update(b"|")
    return whole.hexdigest()[:16]


def document_of(ensemble: Ensemble) -> dict[str, Any]:
    """An ensemble in plain types. Infinite numbers are written as text, which JSON has no other word for."""
    plain = {name: getattr(ensemble, name) for name in PLAIN}
    return {
        "format": FORMAT,
        "version": VERSION,
        **{name: _written(value) for name, value in plain.items()},
        "never_missing": sorted(ensemble.never_missing),
        "cutoff": None if ensemble.cutoff is None else list(astuple(ensemble.cutoff)),
        "levels": [[level.value, level.strictly] for level in ensemble.levels],
        "groups": [[group.size, group.weight] for group in ensemble.groups],
        "categories": categories_written(ensemble.categories),
        "trees": [_tree_record(tree) for tree in ensemble.trees],
    }


def load_ensemble(path: str | Path) -> Ensemble:
    """Read an ensemble from a file that `save_ensemble` wrote."""
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
        raise InvalidInput(
            f"{path.name} is not an ensemble of primewood, or it is damaged: {problem}"
        ) from None
    check_header(document, path, "ensemble", VERSION)
    try:
        return ensemble_of(document)
    except Exception as problem:  # whatever a document that was tampered with brings about
        raise InvalidInput(f"{path.name} is damaged: {problem}") from None


def ensemble_of(document: dict[str, Any]) -> Ensemble:
    """The ensemble that `document_of` wrote; the type of every field is checked."""
    for name, kind in TYPES.items():
        value = document[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InvalidInput(f"{name} is {str(value)[:60]}")
    if not all(isinstance(name, str) for name in document["feature_names"]):
        raise InvalidInput("names of features are text")
    plain: dict[str, Any] = {name: document[name] for name in SINGLE}
    plain |= {name: tuple(document[name]) for name in SEQUENCES}
    return Ensemble(
        trees=tuple(_tree(record) for record in document["trees"]),
        **plain,
        never_missing=frozenset(document["never_missing"]),
        cutoff=_cutoff(document.get("cutoff")),
        levels=tuple(
            Level(_number(value), strictly is True) for value, strictly in document.get("levels", ())
        ),
        groups=tuple(Group(size, weight) for size, weight in document["groups"]),
        categories=categories_read(document["categories"]),
    )


def _cutoff(record: Any) -> Cutoff | None:
    if record is None:
        return None
    value, positive, of = record
    if positive not in (0, 1) or of not in ("probability", "score"):
        raise InvalidInput(f"cutoff is {record!r}")
    return Cutoff(_number(value), int(positive), of)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, NUMBER):
        raise InvalidInput(f"{value!r} is not a number")
    return float(value)


def categories_written(categories: Mapping[int, Categories]) -> list[Any]:
    """Categories by columns, in plain types."""
    return [
        [
            column,
            [[code, _written(name)] for code, name in known.names.items()],
            known.others,
            known.by_text,
            known.missing_as,
            *([] if known.complete else [known.complete]),
        ]
        for column, known in categories.items()
    ]


def categories_read(records: list[Any]) -> dict[int, Categories]:
    """The categories that `categories_written` wrote."""
    return {
        int(column): Categories({float(code): name for code, name in names}, *more)
        for column, names, *more in records
    }


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(x) for x in value]
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise InvalidInput(f"a file keeps labels that are text, numbers or truth values, not {value!r}")


def _tree_record(tree: Tree) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name in (field.name for field in fields(tree)):
        value = getattr(tree, name)
        if name == "sets":
            record[name] = [_numbers(bounds) for bounds in value]
        else:
            record[name] = None if value is None else _numbers(value)
    return record


def _numbers(array: Any) -> Any:
    """Numbers as lists; infinities as text."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return [x if np.isfinite(x) else str(x) for x in array.tolist()]
    return array.tolist()


def _tree(record: dict[str, Any]) -> Tree:
    kinds = {
        "feature": np.int64,
        "left": np.int64,
        "right": np.int64,
        "set_of": np.int64,
        "missing_left": np.bool_,
    }
    arrays: dict[str, Any] = {}
    for name, value in record.items():
        if name == "sets":
            arrays[name] = tuple(np.array(bounds, dtype=np.float64) for bounds in value)
        else:
            arrays[name] = None if value is None else np.array(value, dtype=kinds.get(name, np.float64))
    return Tree(**arrays)
