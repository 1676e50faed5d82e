"""Files of skops, checked before any object is made of them.

skops checks which types a file holds, not what is in them. scikit-learn's trees are made of arrays by native code that
trusts their sizes. What their nodes say is checked when a model is read, before scikit-learn walks them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.tree import MOST_UNNAMED
from primewood.errors import InvalidInput
from primewood.fields import FieldCheck, Fields, JsonObject, items, record, text, whole
from primewood.files import parse_json

SCHEMA = "schema.json"
MOST_BEYOND = 100
"""How many times its own size a file may unpack to, and 100 MB in any case."""


def check_archive(path: Path) -> None:
    """Raise if making objects of a file would outgrow its size, or if the arrays of a tree do not fit each other.

    Cost: linear in what the file unpacks to.
    """
    try:
        with ZipFile(path) as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
            _check_size(sum(sizes.values()), path)
            if SCHEMA not in sizes:
                raise InvalidInput(f"it has no {SCHEMA}")
            records = list(_records(parse_json(archive.read(SCHEMA))))
            named = [name for one in records if isinstance(name := one.get("file"), str)]
            _check_size(sum(sizes.get(name, 0) for name in named), path)
            for one in records:
                if one.get("__loader__") == "TreeNode" or one.get("__class__") == "Tree":
                    _check_tree(Fields(one, "a tree"), archive)
                _check_columns(one)
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as problem:
        raise InvalidInput(f"it is not a whole zip archive ({type(problem).__name__})") from None


def _records(schema: Any) -> Iterator[JsonObject]:
    """All objects in a document, however deep."""
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            yield node
            todo += node.values()
        elif isinstance(node, list):
            todo += node


def _check_size(unpacked: int, path: Path) -> None:
    """Check how many bytes a file unpacks to; an array counts as often as it is named."""
    if unpacked > MOST_BEYOND * max(path.stat().st_size, 2**20):
        raise InvalidInput(f"it unpacks to {unpacked:,} bytes, more than {MOST_BEYOND} times its own size")


def _check_columns(one: JsonObject) -> None:
    """Check how many columns an object of scikit-learn claims, if it has no names for them."""
    if "n_features_in_" in one and "feature_names_in_" not in one:
        _json(whole(0, MOST_UNNAMED))(one["n_features_in_"], "n_features_in_")


def _check_tree(said: Fields, archive: ZipFile) -> None:
    """Check the sizes that native code relies on: of a tree's outputs and of its nodes."""
    made = Fields(said.read("__reduce__", record), "a tree")
    arguments = Fields(made.read("args", record), "a tree").read("content", items(record, 3))
    _json(whole(0, 2**31 - 1))(arguments[0], "n_features")
    outputs = _json(whole(1, 2**16))(arguments[2], "n_outputs")
    classes = _array(arguments[1], archive)
    if classes.dtype.kind != "i" or classes.shape != (outputs,) or (classes < 1).any():
        raise InvalidInput("the classes of a tree do not fit its outputs")
    state = Fields(Fields(said.read("content", record), "a tree").read("content", record), "a tree")
    nodes, values = (_array(state.read(name, record), archive) for name in ("nodes", "values"))
    count = state.read("node_count", _json(whole(1, 2**31 - 1)))
    state.read("max_depth", _json(whole(0, 2**31 - 1)))
    if nodes.shape != (count,) or values.shape != (count, outputs, classes.max()):
        raise InvalidInput("the arrays of a tree differ in length")


def _json(check: FieldCheck[Any]) -> FieldCheck[Any]:
    """A check of a value that skops keeps as a text of JSON."""

    def checked(value: Any, place: str) -> Any:
        content = Fields(value, place).read("content", text)
        return check(parse_json(content.encode()), place)

    return checked


def _array(value: JsonObject, archive: ZipFile) -> NDArray[Any]:
    """An array that is a file of its own."""
    name = Fields(value, "an array").read("file", text)
    if name not in archive.namelist():
        raise InvalidInput(f"it has no file {name[:40]}")
    try:
        found: NDArray[Any] = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    except (ValueError, EOFError, MemoryError, TypeError, SyntaxError) as problem:
        raise InvalidInput(f"{name[:40]} is not an array: {type(problem).__name__}") from None
    return found
