"""XGBoost's model documents: parsed, and checked before XGBoost or anything here walks them.

XGBoost trusts a file: a child, a column or a size that is out of bounds ends the process, or never ends. So every field
that sizes or indexes something is checked against the others, whatever else the document claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.tree import MOST_UNNAMED, check_depth
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.fields import (
    FieldCheck,
    Fields,
    finite,
    floats,
    integers,
    items,
    listed,
    mapping,
    record,
    text,
    whole,
    wrong,
)
from primewood.files import parse_json, unique_names

PER_NODE = (
    "left_children",
    "right_children",
    "split_indices",
    "split_conditions",
    "split_type",
    "default_left",
)
UNREAD = ("base_weights", "loss_changes", "parents", "sum_hessian")
"""What XGBoost has of a node: what is read, and what only has to be there for it."""

PER_SET = ("categories_nodes", "categories_segments", "categories_sizes")
MOST_CODES = 2**24
"""Codes of categories are below it; whatever is not goes left."""
LARGEST = 2**31 - 1
"""Sizes and indices are of 32 bits."""

BOOSTERS = ("gbtree", "dart")
TYPES = {"float", "int", "i", "q", "c"}
"""The types of columns."""
NUMBERS = {"i": "i1", "U": "u1", "I": "i2", "l": "i4", "L": "i8", "d": "f4", "D": "f8"}
"""The numbers of UBJSON, in which XGBoost writes a model with every bit of its floats; the highest byte is first."""


def parse(raw: bytes) -> Any:
    """The document in a file of XGBoost's, in JSON or UBJSON. Cost: linear."""
    if not raw.startswith(b"{") or raw.startswith(b'{"'):
        return parse_json(raw, infinite=True)
    try:
        return Ubjson(raw).document()
    except (LookupError, ValueError, RecursionError):
        raise InvalidInput("neither JSON nor UBJSON, or cut off") from None


def strip_spaces(raw: bytes) -> bytes:
    """A file with its first two marks at its start, by which XGBoost tells JSON from UBJSON."""
    inside = raw.lstrip()[1:].lstrip()
    return b"{" + inside if raw.lstrip().startswith(b"{") and inside.startswith(b'"') else raw


def forest_of(learner: Any) -> dict[str, Any]:
    """The trees of a learner, and what belongs to them."""
    booster = Fields(learner).read("gradient_booster", record)
    within = Fields(booster).read("gbtree", record) if booster.get("name") == "dart" else booster
    return Fields(within).read("model", record)


def check_document(document: Any) -> None:
    """Raise unless a document is a model whose trees can be walked. Cost: linear.

    Raises
    ------
    InvalidInput
        If it is damaged.
    UnsupportedModel
        If it is a model of another kind. Neither message names the model: the caller does.
    """
    learner = Fields(document).read("learner", record)
    Fields(document).read("version", integers(3))
    booster = Fields(learner).read("gradient_booster", record)
    name = Fields(booster).read("name", text)
    if name not in BOOSTERS:
        raise UnsupportedModel(
            f"has the booster {name[:40]}, which has no trees; gbtree and dart are supported"
        )
    parameters = Fields(learner).read("learner_model_param", record)
    forest = forest_of(learner)
    trees = Fields(forest).read("trees", listed)
    if _written()(parameters.get("num_target", 1), "num_target") > 1:
        raise UnsupportedModel("predicts several targets; explain a model of each")
    columns = Fields(parameters).read("num_feature", _written())
    groups = max(1, Fields(parameters).read("num_class", _written(0, max(1, len(trees)))))
    _check_learner(learner, columns, groups)
    _check_forest(forest, columns, groups)
    if name == "dart":
        Fields(booster).read("weight_drop", finite(len(trees)))


def check_columns(document: Any) -> None:
    """Raise if a file claims very many columns without names; the document is checked otherwise."""
    columns = int(document["learner"]["learner_model_param"]["num_feature"])
    if not document["learner"]["feature_names"] and columns > MOST_UNNAMED:
        raise InvalidInput(
            f"it claims {columns:,} columns without names; at most {MOST_UNNAMED:,} are supported"
        )


def _written(least: int = 0, most: int = LARGEST) -> FieldCheck[int]:
    """A check of whole numbers between two ends, which XGBoost writes as texts in most places."""

    def check(value: Any, place: str) -> int:
        is_digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit()
        return whole(least, most)(int(value) if is_digits and len(value) < 12 else value, place)

    return check


def _check_learner(learner: Mapping[str, Any], columns: int, groups: int) -> None:
    """Check what is said about the model besides its trees."""
    said, parameters = Fields(learner), learner["learner_model_param"]
    _written(0, 1)(parameters.get("boost_from_average", 1), "boost_from_average")
    names, types = said.read("feature_names", items(text)), said.read("feature_types", items(text))
    if len(names) not in (0, columns) or len(types) not in (0, columns):
        raise InvalidInput(f"feature_names or feature_types are not of {columns} columns")
    if not set(types) <= TYPES:
        raise InvalidInput("feature_types has a type that is not known")
    attributes = said.read("attributes", mapping(text))
    _written(-1)(attributes.get("best_iteration", 0), "attributes.best_iteration")
    _check_estimator(attributes.get("scikit_learn", "{}"))
    objective = said.read("objective", record)
    Fields(objective).read("name", text)
    if "softmax_multiclass_param" in objective:
        size = Fields(objective["softmax_multiclass_param"], "softmax_multiclass_param")
        size.read("num_class", _written(groups, groups))
    _check_start(Fields(parameters).read("base_score", text), groups)


def _check_estimator(written: str) -> None:
    """Check what an estimator adds of itself."""
    try:
        said = parse_json(written.encode())
    except InvalidInput as problem:
        raise InvalidInput(f"the attribute scikit_learn is {problem}") from None
    if not isinstance(said, dict) or not isinstance(said.get("_estimator_type"), str | None):
        raise InvalidInput("the attribute scikit_learn does not name a kind of estimator")


def _check_start(written: str, groups: int) -> None:
    """Check the intercept: a number, or a list of one or of one per class."""
    try:
        start = parse_json(written.encode())
    except InvalidInput:
        raise wrong("base_score", "a number", written) from None
    if finite()(start if isinstance(start, list) else [start], "base_score").size not in (1, groups):
        raise InvalidInput(f"base_score has {len(start)} numbers for {groups} scores")


def _check_forest(forest: Mapping[str, Any], columns: int, groups: int) -> None:
    """Check the trees, and what numbers them."""
    trees, said = forest["trees"], Fields(forest)
    sizes = said.read("gbtree_model_param", record)
    Fields(sizes).read("num_trees", _written(len(trees), len(trees)))
    _written(1, max(1, len(trees)))(sizes.get("num_parallel_tree", 1), "num_parallel_tree")
    info = said.read("tree_info", integers(len(trees)))
    if info.size and not 0 <= info.min() <= info.max() < groups:
        raise InvalidInput(f"tree_info names a class that does not exist; there are {groups}")
    ends = integers()(forest.get("iteration_indptr", [0, len(trees)]), "iteration_indptr").tolist()
    if not _divides(ends, len(trees)):
        raise InvalidInput(f"iteration_indptr does not divide {len(trees)} trees into rounds")
    numbers = integers()([Fields(tree, "trees").read("id", whole()) for tree in trees], "id")
    if sorted(numbers.tolist()) != list(range(len(trees))):
        raise InvalidInput("the trees are not numbered from 0 on")
    if "cats" in forest:
        _check_names(Fields(forest["cats"], "cats"), columns)
    for number, tree in enumerate(trees):
        _check_tree(Fields(tree, f"trees[{number}]"), f"trees[{number}]", columns)


def _divides(ends: list[int], size: int) -> bool:
    """Whether numbers go up from 0 to a size."""
    return bool(ends) and ends[0] == 0 and ends[-1] == size and ends == sorted(ends)


def _check_names(cats: Fields, columns: int) -> None:
    """Check the names of categories: per column numbers, or texts that are cut out of one array of bytes."""
    sizes = cats.read("enc", items(_count_names))
    segments = cats.read("feature_segments", integers()).tolist()
    if len(sizes) not in (0, columns) or segments not in (
        [],
        [sum(sizes[:i]) for i in range(len(sizes) + 1)],
    ):
        raise InvalidInput("the names of categories do not fit the columns")
    places = iter(cats.read("sorted_idx", integers(sum(sizes))).tolist())
    if any(sorted(islice(places, size)) != list(range(size)) for size in sizes):
        raise InvalidInput("the names of categories are not in order")


def _count_names(encoded: Any, place: str) -> int:
    said = Fields(encoded, place)
    if "offsets" not in encoded:
        said.read("type", whole(0, 255))
        return len(said.read("values", floats()))
    ends, letters = said.read("offsets", integers()).tolist(), said.read("values", integers())
    if ends and not _divides(ends, len(letters)):
        raise InvalidInput(f"{place}.offsets do not divide the names of categories")
    if letters.size and not -128 <= letters.min() <= letters.max() < 256:
        raise InvalidInput(f"{place}.values are not bytes")
    return max(0, len(ends) - 1)


def _check_tree(said: Fields, place: str, columns: int) -> None:
    parameters = Fields(said.read("tree_param", record), f"{place}.tree_param")
    if parameters.read("size_leaf_vector", _written()) > 1:
        raise UnsupportedModel('has vectors in its leaves; multi_strategy="one_output_per_tree" is read')
    size = parameters.read("num_nodes", _written(1))
    parameters.read("num_deleted", _written(0, size - 1))
    parameters.read("num_feature", _written(columns, columns))
    for name in ("split_conditions", "base_weights", "loss_changes", "sum_hessian"):
        said.read(name, floats(size))
    left, right, feature, kind, missing_left, parents = (
        said.read(name, integers(size)) for name in (*PER_NODE[:3], "split_type", "default_left", "parents")
    )
    if not (np.isin(kind, (0, 1)).all() and np.isin(missing_left, (0, 1)).all()):
        raise InvalidInput(f"{place} has flags other than 0 and 1")
    if not _are_children(left, right, parents):
        raise InvalidInput(f"the nodes of {place} are not a tree")
    inner = left >= 0
    if not ((feature[inner] >= 0) & (feature[inner] < columns)).all():
        raise InvalidInput(f"{place} tests a column that does not exist; there are {columns}")
    if not _has_sets(said, np.flatnonzero(kind == 1)):
        raise InvalidInput(f"the categories of {place} are out of bounds")
    check_depth(left, right)


def _are_children(left: NDArray[np.int64], right: NDArray[np.int64], parents: NDArray[np.int64]) -> bool:
    """Whether the children of each node are two neighbours after the root that have it as their only parent."""
    nodes, inner = np.arange(len(left)), left >= 0
    children = np.concatenate([left[inner], right[inner]])
    return bool(
        (left[~inner] == -1).all()
        and (right[~inner] == -1).all()
        and (right[inner] == left[inner] + 1).all()
        and ((children > 0) & (children < len(left))).all()
        and (parents[children] == np.concatenate([nodes[inner], nodes[inner]])).all()
        and (((parents >= 0) & (parents < len(left))) | (nodes == 0)).all()
    )


def _has_sets(said: Fields, tests: NDArray[np.int64]) -> bool:
    """Whether each categorical test has codes."""
    nodes, begins, sizes = (said.read(name, integers(len(tests))) for name in PER_SET)
    codes = said.read("categories", integers())
    return bool(
        np.array_equal(nodes, tests)
        and ((begins >= 0) & (sizes >= 0) & (begins + sizes <= len(codes))).all()
        and ((codes >= 0) & (codes < MOST_CODES)).all()
    )


class Ubjson:
    """A reader of UBJSON as XGBoost writes it: arrays of numbers are arrays, the rest is as in JSON."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    def document(self) -> Any:
        """All of it; a LookupError or a ValueError if it ends too early or too late. Cost: linear."""
        found = self._value(self._mark())
        if self._at != len(self._raw):
            raise ValueError("more than a document")
        return found

    def _mark(self) -> str:
        self._at += 1
        return chr(self._raw[self._at - 1])

    def _value(self, mark: str) -> Any:
        if mark == "[":
            return self._array(self._mark())
        if mark == "S":
            return self._text(self._mark())
        if mark == "{":
            return unique_names(iter(self._member, None))
        if mark in "TFZ":
            return {"T": True, "F": False, "Z": None}[mark]
        return self._numbers(mark, 1)[0].item()

    def _member(self) -> tuple[str, Any] | None:
        """A name and its value; None at the end of an object."""
        mark = self._mark()
        return None if mark == "}" else (self._text(mark), self._value(self._mark()))

    def _array(self, mark: str) -> Any:
        if mark == "$":
            kind = self._mark()
            if self._mark() != "#":
                raise ValueError("an array without a size")
            return self._numbers(kind, self._size(self._mark()))
        if mark == "#":
            return [self._value(self._mark()) for _ in range(self._size(self._mark()))]
        found = []
        while mark != "]":
            found.append(self._value(mark))
            mark = self._mark()
        return found

    def _size(self, mark: str) -> int:
        self._at += 8
        size = int.from_bytes(self._raw[self._at - 8 : self._at], "big", signed=True)
        if mark != "L" or size < 0:
            raise ValueError("no size")
        return size

    def _text(self, mark: str) -> str:
        size = self._size(mark)
        self._at += size
        return self._raw[self._at - size : self._at].decode()

    def _numbers(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self._raw, ">" + NUMBERS[kind], count, self._at)
        self._at += found.nbytes
        return found.astype(NUMBERS[kind])
