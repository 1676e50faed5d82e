"""Ensembles as files: versioned JSON, every float exactly as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.ensemble.ensemble import Categories, Cutoff, Ensemble, Form, Group, Level, Vote
from primewood.ensemble.link import Link, Precision
from primewood.ensemble.tree import Tree
from primewood.errors import InvalidInput
from primewood.fields import (
    FieldCheck,
    Fields,
    JsonObject,
    file_path,
    finite,
    flag,
    floats,
    integers,
    items,
    listed,
    made,
    number,
    one_of,
    optional,
    scalar,
    text,
    whole,
)
from primewood.files import check_header, read_json, write_whole

FORMAT = "primewood ensemble"
VERSION = 1
INFINITE = ("inf", "-inf")
MISSING_AS = ("either", "nan", "none")
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


def save_ensemble(ensemble: Ensemble, path: str | Path) -> None:
    """Write an ensemble to a file that `load_ensemble` reads; the file is there whole or not at all."""
    content = bytes_of(ensemble)
    write_whole(file_path(path), lambda file: file.write(content))


def bytes_of(ensemble: Ensemble) -> bytes:
    """What `save_ensemble` writes, byte for byte."""
    return json.dumps(document_of(ensemble), allow_nan=False, ensure_ascii=False).encode()


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


class TreeRecord(TypedDict):
    """A tree by its arrays; infinite numbers are written as text."""

    feature: list[int]
    threshold: list[float | str]
    left: list[int]
    right: list[int]
    missing_left: list[bool]
    value: list[list[float]]
    set_of: list[int] | None
    sets: list[list[float | str]]


class EnsembleDocument(TypedDict):
    """An ensemble in plain types."""

    format: str
    version: int
    feature_names: list[str]
    classes: list[object]
    start: list[float]
    cuts: list[float]
    operator: Operator
    dtype: InputType
    allows_missing: bool
    vote: Vote
    divisor: float | None
    precision: Precision
    link: Link
    slope: float
    any_order: bool
    form: Form
    largest_integer: float
    source: str
    never_missing: list[int]
    cutoff: list[object] | None
    levels: list[tuple[float, bool]]
    groups: list[tuple[int, float]]
    categories: list[Any]
    trees: list[TreeRecord]


def document_of(ensemble: Ensemble) -> EnsembleDocument:
    """An ensemble in plain types. Infinite numbers are written as text, which JSON has no other word for."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "feature_names": _written(ensemble.feature_names),
        "classes": _written(ensemble.classes),
        "start": _written(ensemble.start),
        "cuts": _written(ensemble.cuts),
        "operator": ensemble.operator,
        "dtype": ensemble.dtype,
        "allows_missing": _written(ensemble.allows_missing),
        "vote": ensemble.vote,
        "divisor": _written(ensemble.divisor),
        "precision": ensemble.precision,
        "link": ensemble.link,
        "slope": _written(ensemble.slope),
        "any_order": _written(ensemble.any_order),
        "form": ensemble.form,
        "largest_integer": _written(ensemble.largest_integer),
        "source": ensemble.source,
        "never_missing": sorted(ensemble.never_missing),
        "cutoff": None if ensemble.cutoff is None else list(astuple(ensemble.cutoff)),
        "levels": [(level.value, level.strictly) for level in ensemble.levels],
        "groups": [(group.size, group.weight) for group in ensemble.groups],
        "categories": categories_written(ensemble.categories),
        "trees": [_tree_record(tree) for tree in ensemble.trees],
    }


def load_ensemble(path: str | Path) -> Ensemble:
    """Read an ensemble from a file that `save_ensemble` wrote."""
    path = file_path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    document = read_json(path)
    check_header(document, path, "ensemble", VERSION)
    try:
        return ensemble_of(document)
    except InvalidInput as problem:
        raise InvalidInput(f"{path.name} cannot be read: {problem}") from None


def _label(value: Any, place: str) -> Any:
    """A class or a category: a text, a number, a truth value or nothing."""
    return optional(scalar)(value, place)


CHECKS: dict[str, FieldCheck[Any]] = {
    **dict.fromkeys(("operator", "dtype", "vote", "precision", "link", "form", "source"), text),
    **dict.fromkeys(("allows_missing", "any_order"), flag),
    **dict.fromkeys(("slope", "largest_integer"), number),
    "divisor": optional(number),
    "feature_names": items(text),
    "classes": items(_label),
}
"""What the fields of a document are that are kept as they are."""


def ensemble_of(document: JsonObject) -> Ensemble:
    """The ensemble that `document_of` wrote; the type of every field is checked."""
    said = Fields(document)
    plain: dict[str, Any] = {name: said.read(name, check) for name, check in CHECKS.items()}
    return Ensemble(
        trees=said.read("trees", items(_tree)),
        **plain,
        start=tuple(said.read("start", finite()).tolist()),
        cuts=tuple(said.read("cuts", finite()).tolist()),
        never_missing=frozenset(said.read("never_missing", integers()).tolist()),
        cutoff=optional(_cutoff)(document.get("cutoff"), "cutoff"),
        levels=items(made(Level, number, flag))(document.get("levels", []), "levels"),
        groups=said.read("groups", items(made(Group, whole(1), number))),
        categories=said.read("categories", categories_read),
    )


def _cutoff(value: Any, place: str) -> Cutoff:
    return made(Cutoff, number, whole(0, 1), one_of(("probability", "score")))(value, place)


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


def categories_read(records: Any, place: str = "categories") -> dict[int, Categories]:
    """The categories that `categories_written` wrote."""
    return dict(items(_categories)(records, place))


def _categories(value: Any, place: str) -> tuple[int, Categories]:
    """The categories of one column; whether they are all is at the end, if they are not."""
    parts = value if isinstance(value, list) and len(value) == 6 else [*listed(value, place), True]
    checks = (
        whole(),
        items(made(_read_names, number, _label)),
        optional(number),
        flag,
        one_of(MISSING_AS),
        flag,
    )
    column, names, *more = made(lambda *parts: parts, *checks)(parts, place)
    return column, Categories(dict(names), *more)


def _read_names(code: float, name: Any) -> tuple[float, Any]:
    return float(code), name


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(x) for x in value]
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise InvalidInput(f"a file keeps labels that are text, numbers or truth values, not {value!r}")


def _tree_record(tree: Tree) -> TreeRecord:
    return {
        "feature": tree.feature.tolist(),
        "threshold": _numbers(tree.threshold),
        "left": tree.left.tolist(),
        "right": tree.right.tolist(),
        "missing_left": tree.missing_left.tolist(),
        "value": tree.value.tolist(),
        "set_of": None if tree.set_of is None else tree.set_of.tolist(),
        "sets": [_numbers(bounds) for bounds in tree.sets],
    }


def _numbers(array: NDArray[np.float64]) -> list[float | str]:
    """Numbers as lists; infinities as text."""
    numbers: list[float | str] = array.tolist()
    return numbers if np.isfinite(array).all() else [x if np.isfinite(x) else str(x) for x in numbers]


def _tree(value: Any, place: str) -> Tree:
    said = Fields(value, place)
    size = len(said.read("feature", listed))
    feature, left, right, missing_left = (
        said.read(name, integers(size)) for name in ("feature", "left", "right", "missing_left")
    )
    return Tree(
        feature=feature,
        threshold=said.read("threshold", _floats(size)),
        left=left,
        right=right,
        missing_left=missing_left != 0,
        value=said.read("value", _table),
        set_of=said.read("set_of", optional(integers(size))),
        sets=said.read("sets", items(_floats())),
    )


def _floats(count: int | None = None) -> FieldCheck[NDArray[np.float64]]:
    """A check of numbers, among them infinities that are written as text."""

    def check(value: Any, place: str) -> NDArray[np.float64]:
        numbers = [float(x) if isinstance(x, str) and x in INFINITE else x for x in listed(value, place)]
        return floats(count)(numbers, place)

    return check


def _table(value: Any, place: str) -> NDArray[np.float64]:
    """A list of lists of finite numbers, all of one length."""
    rows = items(listed)(value, place)
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInput(f"{place} must be lists of one length")
    return finite()([x for row in rows for x in row], place).reshape(len(rows), -1)
