"""CatBoost's model documents, checked before CatBoost or anything here walks them.

CatBoost trusts its JSON: an index, a size or a kind that is not as expected ends the process. What it has of a model:

- a list of *tests*: one per border of each numeric column, then one per category of each one-hot encoded column.
  A split names its test by the place in this list, which is what CatBoost itself goes by, and by what it tests;
- symmetric trees, of one split per level and a value for each way to answer them; or nested nodes with two children;
- as many scores as a leaf has values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, Required, TypedDict

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.tree import MOST_UNNAMED
from primewood.errors import InvalidInput, UnsupportedModel, format_list
from primewood.fields import (
    Fields,
    JsonObject,
    finite,
    flag,
    items,
    listed,
    number,
    one_of,
    optional,
    record,
    scalar,
    text,
    whole,
)
from primewood.files import parse_json

FORESTS = ("oblivious_trees", "trees")
FEATURES = {"float_features", "categorical_features", "cat_features_hash", "ctrs"}
FLOAT32_MAX = float(np.finfo(np.float32).max)
TREATMENTS = ("AsIs", "AsFalse", "AsTrue")
MOST_LEVELS = 30
"""The most levels of a tree. CatBoost itself grows at most 16."""
MOST_NODES = 2**16 - 1
"""The most nodes of a tree that is not symmetric: CatBoost counts the nodes between two in 16 bits."""
Test = tuple[str, int, float]
"""What a split asks: its kind, the column's index among those of the kind, and the border or the category's hash."""


class NumericColumn(TypedDict):
    """A numeric column."""

    feature_index: int
    flat_feature_index: int
    feature_id: str
    has_nans: bool
    nan_value_treatment: str


class CategoricalColumn(TypedDict):
    """A categorical column, with the hashes that splits test."""

    feature_index: int
    flat_feature_index: int
    feature_id: str
    values: NotRequired[list[int]]


class CategoryHash(TypedDict):
    """A category, and what stands for it in splits."""

    hash: int
    value: str


class FeaturesInfo(TypedDict, total=False):
    """The columns of a model."""

    float_features: list[NumericColumn] | None
    categorical_features: list[CategoricalColumn] | None
    cat_features_hash: list[CategoryHash] | None


class SplitRecord(TypedDict, total=False):
    """A split: the border of a numeric column, or the hash of a category."""

    split_type: Required[str]
    float_feature_index: int
    border: float
    cat_feature_index: int
    value: int


class SymmetricTree(TypedDict):
    """A tree of one split per level."""

    splits: list[SplitRecord] | None
    leaf_values: list[float]


class NestedNode(TypedDict, total=False):
    """A leaf, which has a value, or a split with two children."""

    value: float | list[float]
    split: SplitRecord
    left: NestedNode
    right: NestedNode


class CatBoostDocument(TypedDict):
    """A model, as far as it is read."""

    features_info: FeaturesInfo
    oblivious_trees: NotRequired[list[SymmetricTree]]
    trees: NotRequired[list[NestedNode]]
    scale_and_bias: tuple[float, list[float]]


def check_document(document: Any) -> None:
    """Raise unless a document is a model whose trees can be walked. Cost: linear.

    Raises
    ------
    InvalidInput
        If it is damaged.
    UnsupportedModel
        If it tests what is not read. Neither message names the model: the caller does.
    """
    said = Fields(document)
    tests = _tests(said.read("features_info", record))
    if document.get("ctr_data"):
        raise InvalidInput("it has statistics of the target that no test uses")
    kinds = [name for name in FORESTS if name in document]
    if len(kinds) != 1:
        raise InvalidInput("it has no trees, or two kinds of them")
    trees = said.read(kinds[0], items(record))
    check = _check_symmetric if kinds[0] == "oblivious_trees" else _check_nested
    widths = {check(tree, f"{kinds[0]}[{i}]", tests) for i, tree in enumerate(trees)}
    if len(widths) > 1 or len({"leaf_weights" in tree for tree in trees}) > 1:
        raise InvalidInput("its trees differ in the number of scores, or some have weights and others not")
    width = widths.pop() if widths else 1
    _check_start(said.read("scale_and_bias", listed), width)
    _check_info(said.read("model_info", record), width)


def leaf_values(document: CatBoostDocument) -> NDArray[np.float64]:
    """All values of leaves of a checked document, in the order in which CatBoost numbers them when it loads it."""
    found: list[float] = []
    for tree in document.get("oblivious_trees", ()):
        found += tree["leaf_values"]
    for root in document.get("trees", ()):
        for node in _nodes(root):
            value = node.get("value", [])
            found += value if isinstance(value, list) else [value]
    return np.array(found, dtype=np.float64)


def _nodes(tree: NestedNode) -> list[NestedNode]:
    """The nodes below a checked one, parents first, from left to right."""
    found, todo = [], [tree]
    while todo:
        found.append(todo.pop())
        if "value" not in found[-1]:
            todo += [found[-1]["right"], found[-1]["left"]]
    return found


def refuse_statistics(features: Mapping[str, object]) -> None:
    """Refuse splits on statistics of the target, which CatBoost derives from categorical columns."""
    statistics = optional(items(record))(features.get("ctrs"), "ctrs") or ()
    used = [
        element.get("cat_feature_index")
        for statistic in statistics
        for element in Fields(statistic, "ctrs").read("elements", items(record))
    ]
    if statistics:
        columns = optional(items(record))(features.get("categorical_features"), "categorical_features") or ()
        names = [name_of(column) for column in columns if column.get("feature_index") in used]
        raise UnsupportedModel(
            f"tests statistics of the target (CTRs) over the columns {format_list(names)}: not read; trained with "
            "one_hot_max_size at least the number of categories, it tests categories themselves"
        )


def name_of(feature: Mapping[str, object]) -> str:
    """The name of a column; columns without one are x0, x1, and so on."""
    return str(feature.get("feature_id") or f"x{feature.get('flat_feature_index')}")


def _tests(features: JsonObject) -> list[Test]:
    """All tests that splits may ask for, each at its number."""
    unknown = features.keys() - FEATURES
    if unknown:
        raise UnsupportedModel(f"tests what is not supported: {format_list(sorted(unknown))}")
    refuse_statistics(features)
    tests: list[Test] = []
    columns = []
    for kind, name in (("FloatFeature", "float_features"), ("OneHotFeature", "categorical_features")):
        entries = optional(items(record))(features.get(name), name) or ()
        before = -1
        for i, entry in enumerate(entries):
            said = Fields(entry, f"{name}[{i}]")
            before = said.read("feature_index", whole(before + 1, MOST_UNNAMED - 1))
            columns.append(said.read("flat_feature_index", whole(0, MOST_UNNAMED - 1)))
            said.read("feature_id", text)
            tested = _borders(said) if kind == "FloatFeature" else _hashes(entry)
            tests += [(kind, before, one) for one in tested]
    if len(set(columns)) < len(columns):
        raise InvalidInput("two features are of the same column")
    for entry in optional(items(record))(features.get("cat_features_hash"), "cat_features_hash") or ():
        Fields(entry, "cat_features_hash").read("hash", whole(0, 2**32 - 1))
        Fields(entry, "cat_features_hash").read("value", text)
    return tests


def _borders(said: Fields) -> list[float]:
    """The borders of a numeric column."""
    said.read("has_nans", flag)
    said.read("nan_value_treatment", one_of(TREATMENTS))
    borders = said.read("borders", optional(finite()))
    if borders is None:
        return []
    if abs(borders).max(initial=0.0) > FLOAT32_MAX or (np.diff(borders.astype(np.float32)) <= 0).any():
        raise InvalidInput("the borders of a column do not ascend, or are beyond float32")
    found: list[float] = borders.tolist()
    return found


def _hashes(entry: JsonObject) -> Sequence[int]:
    """The hashes of a categorical column that are tested."""
    return optional(items(whole(-(2**31), 2**32 - 1)))(entry.get("values"), "values") or ()


def _check_split(split: Any, place: str, tests: Sequence[Test]) -> None:
    """Check that a split is the test with its number."""
    said = Fields(split, place)
    index = said.read("split_index", whole(0, len(tests) - 1))
    kind, column, value = tests[index]
    said.read("split_type", one_of((kind,)))
    of, at = ("float_feature_index", "border") if kind == "FloatFeature" else ("cat_feature_index", "value")
    if (said.read(of, whole()), said.read(at, number)) != (column, value):
        raise InvalidInput(f"{place} is not the test that its number stands for")


def _check_symmetric(tree: JsonObject, place: str, tests: Sequence[Test]) -> int:
    """Check a tree; how many scores its leaves have."""
    said = Fields(tree, place)
    splits = said.read("splits", optional(listed)) or []
    if len(splits) > MOST_LEVELS:
        raise InvalidInput(f"{place} has {len(splits)} levels; at most {MOST_LEVELS} are supported")
    for split in splits:
        _check_split(split, f"{place}.splits", tests)
    width, rest = divmod(len(said.read("leaf_values", finite())), 1 << len(splits))
    if rest or width < 1:
        raise InvalidInput(f"{place} has other leaves than its {len(splits)} splits make")
    if "leaf_weights" in tree:
        said.read("leaf_weights", finite(1 << len(splits)))
    return width


def _check_nested(tree: JsonObject, place: str, tests: Sequence[Test]) -> int:
    """Check a tree; how many scores its leaves have."""
    widths: set[int] = set()
    todo, count = [(tree, 0)], 0
    while todo:
        (node, level), count = todo.pop(), count + 1
        said = Fields(node, place)
        if level > MOST_LEVELS or count > MOST_NODES:
            raise InvalidInput(f"{place} has more than {MOST_LEVELS} levels or {MOST_NODES} nodes")
        if "value" in node:
            widths.add(_width(node["value"], place))
            said.read("weight", number)
        else:
            _check_split(said.read("split", record), f"{place}.split", tests)
            todo += [(said.read(side, record), level + 1) for side in ("left", "right")]
    if len(widths) > 1:
        raise InvalidInput(f"{place} has leaves of different lengths")
    return widths.pop()


def _width(value: Any, place: str) -> int:
    """How many scores a leaf has; one is not in a list."""
    if not isinstance(value, list):
        number(value, place)
        return 1
    if len(finite()(value, place)) < 2:
        raise InvalidInput(f"{place} has a leaf with a list of fewer than two numbers")
    return len(value)


def _check_start(parts: list[Any], width: int) -> None:
    """Check the scale, and what is added per score."""
    if len(parts) != 2:
        raise InvalidInput("scale_and_bias must be two items")
    number(parts[0], "scale_and_bias")
    finite(width)(parts[1], "scale_and_bias")


def _check_info(info: JsonObject, width: int) -> None:
    """Check what is said about training; of all that, the classes and the probability threshold matter."""
    for name, value in info.items():
        if not isinstance(value, str) and not (name.endswith("params") and isinstance(value, dict)):
            raise InvalidInput(f"model_info.{name[:40]} must be text")
    if "binclass_probability_threshold" in info:
        try:
            float(text(info["binclass_probability_threshold"], "binclass_probability_threshold"))
        except ValueError:
            raise InvalidInput("binclass_probability_threshold must be a number") from None
    classes = info.get("class_params")
    if isinstance(classes, str):
        classes = parse_json(classes.encode())
    if classes is not None:
        _check_classes(Fields(classes, "class_params"), width)


def _check_classes(said: Fields, width: int) -> None:
    names = said.read("class_names", items(scalar))
    places = said.read("class_to_label", items(whole(0, max(0, len(names) - 1))))
    said.read("classes_count", whole(0, 2**31 - 1))
    said.read("class_label_type", text)
    if len(set(places)) < len(places) or (width > 1 and len(places) != width):
        raise InvalidInput(f"its {len(places)} classes do not fit its {width} scores")
