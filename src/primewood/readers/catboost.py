"""Reading CatBoost's boosted trees.

CatBoost casts numbers to float32 and asks at each split whether ``x > border``; NaN is above all borders of a column
that saw NaN in training under ``nan_mode="Max"``, and above none otherwise. Splits on a categorical column that is
one-hot encoded ask whether the category has a certain hash. Leaves are added in float64, tree by tree, and the bias
comes last; one row or many, one thread or more, symmetric trees or not make no difference to a bit of it.

The bias is read as a last tree that is a single leaf: as a start, it would be rounded differently.

A binary classifier decides for its second class where the score is above −log(1/p − 1), p being the model's
probability threshold; a multi-class one for the largest score, the first among equals, without the softmax. A
`CatBoost` object decides as `CatBoostClassifier` would if it has classes, and predicts its score otherwise.

CatBoost knows categories as text, but models keep only 32-bit hashes: the names come from data that the caller
passes. An integer is the text of its digits.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import PREDICTION, Categories, Ensemble, Tree
from primewood.errors import (
    InvalidInput,
    MissingDependency,
    PrimewoodError,
    UnsupportedModel,
    first_line,
    format_list,
)
from primewood.files import parse_json
from primewood.readers.catboost_file import (
    CatBoostDocument,
    FeaturesInfo,
    NestedNode,
    SplitRecord,
    SymmetricTree,
    check_document,
    leaf_values,
    name_of,
    refuse_statistics,
)
from primewood.readers.child import ProcessLimits, run_limited
from primewood.readers.ensemble_parts import ClassCuts

try:
    import catboost  # type: ignore[import-untyped]
except ImportError:
    raise MissingDependency(
        "reading CatBoost's models needs CatBoost: pip install 'primewood[catboost]'"
    ) from None

KEEPS_NO_NAMES = True
"""Of categories, models keep hashes only; their names come from data."""
NONE: Mapping[int, Categories] = MappingProxyType({})
MULTI_CLASS = ("MultiClass", "MultiClassOneVsAll")
PROBES = 1000
"""How many rows tell whether a model predicts with the leaves that it has."""
LARGEST_CODE = 2**22
"""Integer categories below it are their own codes: float32 tells them, and the halves between them, apart."""


def load(path: str | Path) -> catboost.CatBoost:
    """The model in a ``.cbm`` file, or in CatBoost's JSON, as a `CatBoost` object.

    CatBoost may crash on a damaged file. So a binary one is loaded in a child process, which writes it as JSON; JSON is
    checked here, and only then does CatBoost load it. CatBoost itself rounds some leaves of JSON in the last bit
    when it loads them: of a JSON file, what is read is the model that was loaded; a binary one keeps its leaves.
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    with path.open("rb") as file:
        is_binary = file.read(4) == b"CBM1"
    with TemporaryDirectory() as folder:
        source = Path(folder) / "model.json"
        if is_binary:
            _export_binary(path, source)
        else:
            shutil.copyfile(path, source)
        document = _check(source, path)
        try:
            model = catboost.CatBoost().load_model(str(source), format="json")
        except catboost.CatBoostError as problem:
            raise InvalidInput(f"{path.name} cannot be loaded by CatBoost: {first_line(problem)}") from None
    if is_binary:
        _keep_numbers(model, document, path)
    return model


def _export_binary(path: Path, target: Path) -> None:
    """Have a binary file written as JSON by a child process."""
    size = path.stat().st_size
    with path.open("rb") as file:
        claimed = int.from_bytes(file.read(8)[4:], "little")
    if size < 8 + claimed:
        raise InvalidInput(f"CatBoost could not read {path.name}: it is cut off")
    limits = ProcessLimits(
        seconds=60 + size // 2**20, memory=4 * 2**30 + 50 * size, written=2**30 + 50 * size
    )
    try:
        run_limited(
            Path(__file__).with_name("catboost_export.py"), [str(path.absolute()), str(target)], limits
        )
    except InvalidInput as problem:
        raise InvalidInput(
            f"CatBoost could not read {path.name}: {problem}; save the model again, or as JSON"
        ) from None


def _check(source: Path, path: Path) -> CatBoostDocument:
    """The document in a file of JSON, which came from a path; an error if its trees cannot be walked."""
    try:
        document: CatBoostDocument = parse_json(source.read_bytes())
        check_document(document)
    except UnsupportedModel as problem:
        raise UnsupportedModel(f"{path.name} {problem}") from None
    except InvalidInput as problem:
        raise InvalidInput(f"{path.name} cannot be read as a CatBoost model: {problem}") from None
    return document


def _keep_numbers(model: Any, document: CatBoostDocument, path: Path) -> None:
    """Give a model that was loaded from JSON the numbers that CatBoost rounded on the way."""
    values, (scale, bias) = leaf_values(document), document["scale_and_bias"]
    loaded = model.get_leaf_values()
    if loaded.shape != values.shape or not np.allclose(loaded, values, rtol=1e-12, atol=1e-300):
        raise UnsupportedModel(f"{path.name} has its leaves in an order that is not known")
    model.set_leaf_values(values)
    model.set_scale_and_bias(float(scale), [float(one) for one in bias])


def read(model: Any, data: Any = None) -> Ensemble:
    """The ensemble of a fitted CatBoost model. Cost: linear in its leaves.

    Parameters
    ----------
    model : CatBoostClassifier, CatBoostRegressor or CatBoost
    data : frame, array or list of rows, optional
        Rows with the model's columns, which have the names of the categories. Only a model that tests categories
        needs them.
    """
    _check_kind(model)
    data = _order_columns(data, model)
    exported = _export(model, data)
    try:
        ensemble = _ensemble(model, exported, data)
    except PrimewoodError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, catboost.CatBoostError) as problem:
        raise _unknown_layout(model) from problem
    _check_leaves(model, ensemble)
    return ensemble


def scores_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] = NONE
) -> NDArray[np.float64]:
    """CatBoost's own scores (RawFormulaVal), one column per class that the model was trained on.

    Parameters
    ----------
    model : CatBoostClassifier, CatBoostRegressor or CatBoost
    rows : array of shape (n_rows, n_features)
        With codes in categorical columns; what is not a code there is some other category.
    categories : mapping from columns to Categories
        Those of the ensemble. Every category of a column that is not among them is one that the model does not know.
    """
    raw = model.predict(
        decode_categories(model, rows, categories), prediction_type="RawFormulaVal", thread_count=1
    )
    scores = np.asarray(raw, dtype=np.float64).reshape(len(rows), -1)
    return scores[:, _find_classes(model)] if scores.shape[1] > 1 else scores


def decisions_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] = NONE
) -> NDArray[Any]:
    """The labels that CatBoost's own `predict` gives, or its predictions if the model has no classes."""
    kind = "Class" if _decides(model) else "RawFormulaVal"
    predicted = model.predict(
        decode_categories(model, rows, categories), prediction_type=kind, thread_count=1
    )
    return np.asarray(predicted).reshape(-1)


def decode_categories(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories]
) -> NDArray[Any]:
    """Rows as CatBoost takes them: with the texts of categories instead of codes."""
    columns = model.get_cat_feature_indices()
    if not columns:
        return rows
    table = rows.astype(object)
    with np.errstate(over="ignore"):
        codes = np.ceil(rows.astype(np.float32).astype(np.float64) - 0.5)
    for column in columns:
        names = categories[column].names if column in categories else {}
        texts = {code: _text(name) for code, name in names.items()}
        other = "another than " + " and ".join(texts.values())
        table[:, column] = [texts.get(code, other) for code in codes[:, column].tolist()]
    return table


def _check_kind(model: Any) -> None:
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")
    name = type(model).__name__
    if not isinstance(model, catboost.CatBoost):
        raise UnsupportedModel(
            f"{name} is not a CatBoostClassifier, a CatBoostRegressor or a CatBoost object"
        )
    if isinstance(model, catboost.CatBoostRanker):
        raise UnsupportedModel(f"a {name} orders rows among each other and decides nothing about one row")
    if not model.is_fitted():
        raise InvalidInput(f"this {name} is not fitted; call fit first")
    derived = sorted([*model.get_text_feature_indices(), *model.get_embedding_feature_indices()])
    if derived:
        others = [*model._get_float_feature_indices(), *model.get_cat_feature_indices()]
        names = dict(zip(sorted(derived + others), model.feature_names_, strict=True))
        which = format_list(names[column] for column in derived)
        raise UnsupportedModel(
            f"this {name} tests numbers that it derives from the text or embedding columns {which}, which are not read"
        )


def _order_columns(data: Any, model: Any) -> Any:
    """A frame with the model's columns only, in its order, if it has all of them; anything else as it is."""
    names = list(model.feature_names_ or ())
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):
        data = data.to_pandas()
    columns = [str(column) for column in getattr(data, "columns", ())]
    if columns == names or not set(names) <= set(columns) or not hasattr(data, "iloc"):
        return data
    return data.iloc[:, [columns.index(name) for name in names]]


def _export(model: Any, data: Any) -> CatBoostDocument:
    """The model in CatBoost's JSON, which holds every bit of its borders and leaves."""
    pool = data if model.get_cat_feature_indices() else None
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        try:
            model.save_model(str(file), format="json", pool=pool)
            exported: CatBoostDocument = json.loads(file.read_bytes())
        except (catboost.CatBoostError, ValueError) as problem:
            raise InvalidInput(
                f"CatBoost cannot export this {type(model).__name__}, which is how it is read: {problem}"
            ) from problem
    return exported


@dataclass(frozen=True, slots=True)
class _Split:
    """What a split asks: whether a number is above a border or, with a code, whether it is that category."""

    column: int
    border: float = 0.0
    missing_is_above: bool = False
    code: float | None = None


@dataclass(frozen=True)
class _Columns:
    """How the splits of an exported model name columns and categories."""

    numbers: dict[int, tuple[int, bool]]
    """By the index among numbers: the column, and whether NaN is above its borders."""
    categories: dict[int, int]
    """By the index among categories: the column."""
    codes: dict[int, dict[int, float]]
    """By column: the code of each hash that is tested."""

    def split(self, split: SplitRecord) -> _Split:
        """A split as the export writes it."""
        if split["split_type"] == "FloatFeature":
            column, missing_is_above = self.numbers[split["float_feature_index"]]
            return _Split(column, float(split["border"]), missing_is_above)
        if split["split_type"] == "OneHotFeature":
            column = self.categories[split["cat_feature_index"]]
            return _Split(column, code=self.codes[column][split["value"]])
        raise UnsupportedModel(f"a split of the kind {split['split_type']} is not supported")


def _ensemble(model: Any, exported: CatBoostDocument, data: Any) -> Ensemble:
    features = exported["features_info"]
    _refuse_statistics(model, features)
    categories, codes = _categories(features, data)
    columns = _Columns(
        numbers={
            feature["feature_index"]: (
                feature["flat_feature_index"],
                feature["has_nans"] and feature["nan_value_treatment"] == "AsTrue",
            )
            for feature in features.get("float_features") or ()
        },
        categories={
            feature["feature_index"]: feature["flat_feature_index"]
            for feature in features.get("categorical_features") or ()
        },
        codes=codes,
    )
    trees = [_symmetric(tree, columns) for tree in exported.get("oblivious_trees") or ()]
    trees += [_asymmetric(tree, columns) for tree in exported.get("trees") or ()]
    if not trees:
        raise InvalidInput(f"this {type(model).__name__} has no trees")
    decision = _decision(model, trees[0].value.shape[1])
    return Ensemble(
        trees=(*trees, *_bias(exported, trees[0].value.shape[1])),
        feature_names=_names(model, features),
        classes=decision.classes,
        cuts=decision.cuts,
        link=decision.link,
        operator="<=",
        dtype="float32",
        allows_missing=True,
        never_missing=frozenset(categories),
        vote="sum",
        categories=categories,
        source=f"CatBoost {type(model).__name__}",
    )


def _refuse_statistics(model: Any, features: FeaturesInfo) -> None:
    try:
        refuse_statistics(features)
    except UnsupportedModel as problem:
        raise UnsupportedModel(f"this {type(model).__name__} {problem}") from None


def _names(model: Any, features: FeaturesInfo) -> tuple[str, ...]:
    """The names of all columns up to the last that the model knows."""
    numbers, categories = features.get("float_features"), features.get("categorical_features")
    known = {
        feature["flat_feature_index"]: name_of(feature) for feature in (*(numbers or ()), *(categories or ()))
    }
    width = max(model.get_n_features_in(), *(column + 1 for column in known))
    return tuple(known.get(column, f"x{column}") for column in range(width))


def _categories(
    features: FeaturesInfo, data: Any
) -> tuple[dict[int, Categories], dict[int, dict[int, float]]]:
    """What categorical columns hold, and the codes of the hashes that splits test."""
    categories, codes = {}, {}
    names_of = _names_of_hashes(features, data)
    for column, hashes in names_of.items():
        names = list(hashes.values())
        numbers = _codes(names)
        others = max(numbers, default=-1.0) + 1
        named = dict(zip(numbers, names, strict=True))
        categories[column] = Categories(named, others, by_text=True, complete=False)
        codes[column] = dict(zip(hashes, numbers, strict=True))
    return categories, codes


def _names_of_hashes(features: FeaturesInfo, data: Any) -> dict[int, dict[int, object]]:
    """By categorical column, the names of the hashes that splits test, as the data has them."""
    columns = features.get("categorical_features") or ()
    tested = [column for column in columns if column.get("values")]
    if not tested:
        return {column["flat_feature_index"]: {} for column in columns}
    if data is None:
        raise UnsupportedModel(
            f"the model tests categories of {format_list(map(name_of, tested))} and keeps only their hashes; the data "
            "that it was trained on, passed along, tells their names"
        )
    texts = {entry["hash"]: entry["value"] for entry in features["cat_features_hash"] or ()}
    values = {column["flat_feature_index"]: _values(data, column["flat_feature_index"]) for column in columns}
    if len({text for found in values.values() for text in found}) > len(texts):
        raise UnsupportedModel("two categories in the data have the same hash: CatBoost takes them for one")
    for column in tested:
        if any(
            texts.get(one % 2**32) not in values[column["flat_feature_index"]] for one in column["values"]
        ):
            raise InvalidInput(
                f"the data does not contain all categories that the model tests in {name_of(column)}; "
                "pass the training data"
            )
    return {
        flat: {one: found[texts[one % 2**32]] for one in column.get("values", ())}
        for column, (flat, found) in zip(columns, values.items(), strict=True)
    }


def _values(data: Any, column: int) -> dict[str, object]:
    """The categories in a column of the data, by their texts."""
    cells = data.iloc[:, column] if hasattr(data, "iloc") else np.asarray(data, dtype=object)[:, column]
    found = (cell.item() if isinstance(cell, np.generic) else cell for cell in dict.fromkeys(cells.tolist()))
    return {_text(value): value for value in found}


def _text(category: object) -> str:
    """What CatBoost takes a category for."""
    if not isinstance(category, str | int):
        raise InvalidInput(f"{category!r} is not a category; CatBoost accepts text and integers")
    return category if isinstance(category, str) else str(int(category))


def _codes(names: Sequence[object]) -> list[float]:
    """The numbers that stand for categories: integers for themselves, texts in their order."""
    integers = [float(name) for name in names if isinstance(name, int) and abs(name) < LARGEST_CODE]
    return integers if len(integers) == len(names) else [float(i) for i in range(len(names))]


def _symmetric(tree: SymmetricTree, columns: _Columns) -> Tree:
    """A tree that asks the same at all nodes of a level; the first split is the lowest bit of the leaf's number."""
    splits = [columns.split(split) for split in tree["splits"] or ()]
    levels = np.arange(len(splits) + 1)
    level = np.repeat(levels, 2**levels)
    node = np.arange(len(level))
    inner = level < len(splits)
    return _tree(
        splits,
        split_of=np.where(inner, len(splits) - 1 - level, -1),
        no=np.where(inner, 2 * node + 1, -1),
        yes=np.where(inner, 2 * node + 2, -1),
        leaves=tree["leaf_values"],
    )


def _asymmetric(tree: NestedNode, columns: _Columns) -> Tree:
    """A tree that grew node by node (``grow_policy`` Depthwise, Lossguide and the like)."""
    splits: list[_Split] = []
    split_of: list[int] = []
    children: list[tuple[int, int]] = []
    leaves: list[float | list[float]] = []

    def add(node: NestedNode) -> int:
        place = len(split_of)
        children.append((-1, -1))
        if "value" in node:
            split_of.append(-1)
            leaves.append(node["value"])
        else:
            split_of.append(len(splits))
            splits.append(columns.split(node["split"]))
            children[place] = (add(node["left"]), add(node["right"]))
        return place

    add(tree)
    no, yes = np.array(children).T
    return _tree(splits, np.array(split_of), no, yes, leaves)


def _tree(
    splits: Sequence[_Split],
    split_of: NDArray[np.int64],
    no: NDArray[np.int64],
    yes: NDArray[np.int64],
    leaves: Sequence[float | list[float]],
) -> Tree:
    """A tree of splits (which one at each node, −1 at leaves), with the child for each answer and its leaves in order.

    A number goes left for "no" (``x <= border``), a category for "yes" (it is in a set of one).
    """
    at = [*splits, _Split(-1)]  # the last is that of leaves
    codes = [split.code for split in splits if split.code is not None]
    is_category = np.array([split.code is not None for split in at])
    set_of = np.where(is_category, np.cumsum(is_category) - 1, -1)
    missing_left = np.array([not split.missing_is_above and split.code is None for split in at])
    is_leaf = split_of < 0
    values = np.array(leaves, dtype=np.float64).reshape(np.count_nonzero(is_leaf), -1)
    value = np.zeros((len(split_of), values.shape[1]))
    value[is_leaf] = values
    return Tree(
        feature=np.array([split.column for split in at], dtype=np.int64)[split_of],
        threshold=np.array([split.border for split in at], dtype=np.float64)[split_of],
        left=np.where(is_category[split_of], yes, no),
        right=np.where(is_category[split_of], no, yes),
        missing_left=missing_left[split_of],
        value=value,
        set_of=set_of[split_of] if codes else None,
        sets=tuple(np.array([code - 0.5, code + 0.5]) for code in codes),
    )


def _bias(exported: CatBoostDocument, width: int) -> list[Tree]:
    """What is added to the scores in the end, as a tree."""
    scale, bias = exported["scale_and_bias"]
    if scale != 1:
        raise UnsupportedModel(
            f"the model multiplies its sum by the scale {scale!r}, which is not supported; "
            "catboost.sum_models([model]) is the same model, up to rounding and the probability threshold, with the "
            "scale in its leaves"
        )
    if not any(bias):
        return []
    leaf = np.full(1, -1)
    value = np.array(bias, dtype=np.float64).reshape(1, width)
    return [Tree(leaf, np.zeros(1), leaf.copy(), leaf.copy(), np.zeros(1, dtype=bool), value)]


def _check_leaves(model: Any, ensemble: Ensemble) -> None:
    """Refuse a model that predicts with other leaves than it has: those from before `set_leaf_values`.

    After its first prediction, CatBoost goes on with the leaves it had then; a copy of the model does not. The two are
    compared on some rows.
    """
    generator = np.random.default_rng(0)
    feature = np.concatenate([tree.feature for tree in ensemble.trees])
    order = np.argsort(feature, kind="stable")
    borders = np.concatenate([tree.threshold for tree in ensemble.trees])[order]
    first = np.searchsorted(feature[order], np.arange(ensemble.n_features + 1))
    rows = np.empty((PROBES, ensemble.n_features))
    for column in range(ensemble.n_features):
        cells = [*borders[first[column] : first[column + 1]], np.inf]
        if column in ensemble.categories:
            cells = [*ensemble.categories[column].names, np.inf]
        rows[:, column] = generator.choice(cells, PROBES)
    copied, own = (scores_of(one, rows, ensemble.categories) for one in (model.copy(), model))
    if (copied != own).any():
        raise InvalidInput(
            f"the leaves of this {type(model).__name__} were set after it had predicted, and it goes on predicting "
            "with the old ones; model.copy() has and uses the new ones"
        )


def _decides(model: Any) -> bool:
    """Whether the model has classes to decide between."""
    if isinstance(model, catboost.CatBoostClassifier):
        return True
    return not isinstance(model, catboost.CatBoostRegressor) and len(model.classes_) > 0


def _decision(model: Any, width: int) -> ClassCuts:
    """The classes, cuts and link of a model with this number of scores."""
    name, loss = type(model).__name__, model._object._get_loss_function_name()
    if not _decides(model):
        is_regressor = isinstance(model, catboost.CatBoostRegressor)
        if is_regressor and model._get_default_prediction_type() == "Exponent":
            raise UnsupportedModel(
                f"this {name} predicts the exponential of its score, by a routine of CatBoost's own that has no exact "
                f"counterpart here ({loss}); its score is read, of a CatBoost object: save the model and load the file"
            )
        if width != 1:
            raise UnsupportedModel(f"this {name} predicts {width} numbers for each row ({loss}): not read")
        return ClassCuts((PREDICTION,))
    labels = model.classes_.tolist()
    if width == 1 and len(labels) == 2 and not loss.startswith("Multi"):
        return ClassCuts(tuple(labels), (_cut(model),), "logistic")
    if width == 1 or loss not in MULTI_CLASS:
        raise UnsupportedModel(
            f"this {name} with {width} scores for {len(labels)} classes ({loss or 'of unknown loss'}) "
            f"is not supported; Logloss, CrossEntropy, {' and '.join(MULTI_CLASS)} are"
        )
    return ClassCuts(tuple(labels[i] for i in _find_classes(model)))


def _find_classes(model: Any) -> list[int]:
    """Which of its classes a multi-class model was trained on; the others never win."""
    places = [int(i) for i in json.loads(model.get_metadata()["class_params"])["class_to_label"]]
    if places != sorted(set(places)):
        raise _unknown_layout(model)
    return places


def _cut(model: Any) -> float:
    """The least score for which a binary classifier decides for its second class."""
    threshold = catboost.CatBoostClassifier.get_probability_threshold(model)
    if not 0 < threshold < 1:
        raise UnsupportedModel(
            f"with the probability threshold {threshold!r}, this {type(model).__name__} decides all rows alike"
        )
    return math.nextafter(-math.log(1 / threshold - 1), math.inf)


def _unknown_layout(model: Any) -> UnsupportedModel:
    return UnsupportedModel(
        f"this {type(model).__name__} is damaged, or not laid out like any supported version of CatBoost "
        f"(installed: {catboost.__version__}); it is refused rather than guessed at"
    )
