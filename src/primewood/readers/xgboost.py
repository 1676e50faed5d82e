"""Reading XGBoost's boosted trees and random forests.

XGBoost casts inputs to float32 and sends ``x < threshold`` left; NaN, and the number that an estimator calls
`missing`, go where ``default_left`` says. A test of a categorical column cuts the input to a whole number, sends the
codes that the node lists right and everything else left. A score is a float32 that starts with the intercept
(`base_score`, on the scale of the scores), to which leaves are added tree by tree: neither the number of threads nor
the kind of input matters, nor whether the trees were grown in parallel.

A dart booster weights its trees. `Booster.predict` adds weight · leaf. The `predict` of an estimator, which does not
make a `DMatrix`, adds weight · ((intercept + leaf) − intercept), each step in float32. Either model is read as its own
`predict` has it. (What an estimator gets as a CSC or COO matrix does become a `DMatrix`: with dart, the
last bits of a score may then differ.)

A classifier says class 1 where its prediction is above 0.5 (with "binary:logitraw" that is the score itself), or
takes the largest of the probabilities. "multi:softmax" takes the largest score before the softmax, which may
round two scores to one probability. A `Booster` alone decides as an `XGBClassifier` around it would.

Cells that a sparse matrix leaves out are missing to XGBoost, not zero. A category that a frame brings and the model
does not know is not an error to XGBoost 3.2: it is taken for the next one of the alphabet. No such rows are read here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import PREDICTION, Ensemble, Tree
from primewood.ensemble.ensemble import Categories
from primewood.ensemble.link import Link, cut_at
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel, first_line, format_list
from primewood.readers.xgboost_file import (
    PER_NODE,
    PER_SET,
    UNREAD,
    Ubjson,
    check_columns,
    check_document,
    forest_of,
    parse,
    strip_spaces,
)

try:
    import xgboost
except ImportError:
    raise MissingDependency(
        "reading XGBoost's models needs XGBoost: pip install 'primewood[xgboost]'"
    ) from None

LINKS: dict[str, Link] = {
    "binary:logistic": "logistic32",
    "binary:logitraw": "identity",
    "multi:softprob": "softmax32",
    "multi:softmax": "identity",
    "reg:squarederror": "identity",
    "reg:squaredlogerror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
    "reg:quantileerror": "identity",
    "reg:logistic": "logistic32",
    "count:poisson": "exponential32",
    "reg:gamma": "exponential32",
    "reg:tweedie": "exponential32",
}
"""What the objectives that are read do to a score."""

LEAF = {
    **{name: [0.0] for name in ("split_conditions", *UNREAD)},
    **{name: [0] for name in ("split_indices", "split_type", "default_left")},
    **{name: [-1] for name in ("left_children", "right_children")},
    **{name: [] for name in ("categories", *PER_SET)},
    "parents": [2**31 - 1],
}
"""A tree of XGBoost's that is one leaf, and adds nothing."""


def load(path: str | Path) -> xgboost.Booster:
    """The booster in a file that `save_model` wrote, as JSON or UBJSON. Cost: linear.

    The file is checked first: XGBoost itself may crash, or never return, on a damaged one. It does not
    keep the estimator's `missing` number, so that only NaN is missing.
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    raw = path.read_bytes()
    if raw.startswith(b"binf"):
        raise InvalidInput(
            f"{path.name} is in XGBoost's old binary format; save it as .json or .ubj with a version before 3.1"
        )
    raw = strip_spaces(raw)
    try:
        document = parse(raw)
    except InvalidInput as problem:
        raise InvalidInput(f"{path.name} is not an XGBoost model: it is {problem}") from None
    _check(document, path.name, check_document)
    _check(document, path.name, check_columns)
    _check_objective(document["learner"]["objective"]["name"])
    booster = xgboost.Booster()
    try:
        booster.load_model(bytearray(raw))
    except xgboost.core.XGBoostError as problem:
        raise InvalidInput(f"{path.name} cannot be read as an XGBoost model: {first_line(problem)}") from None
    return booster


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted XGBoost estimator, or of a booster. Cost: linear in its nodes."""
    asked = _ask(model)
    learner = _learner(asked)
    start = _start(learner)
    trees = tuple(_trees(learner, start, asked))
    classes, cuts = _decision(asked, len(start))
    return Ensemble(
        trees=trees,
        feature_names=_feature_names(learner),
        classes=classes,
        operator="<",
        dtype="float32",
        form="dense",
        allows_missing=True,
        vote="sum",
        start=tuple(start.tolist()),
        precision="float32",
        link=LINKS[asked.objective],
        cuts=cuts,
        categories=_categories(learner, asked),
        source=f"XGBoost {asked.name}",
    )


def scores_of(model: Any, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """XGBoost's own scores before the link, one row per row."""
    found = _predict(_ask(model), rows, output_margin=True)
    return found.reshape(len(rows), -1).astype(np.float64)


def decisions_of(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What XGBoost's own `predict` says: labels of classes; of a regressor, its predictions."""
    asked = _ask(model)
    if not isinstance(model, xgboost.Booster):
        found = np.asarray(model.predict(rows))
        return found.astype(np.int64 if asked.classifies else np.float64)
    found = _predict(asked, rows, output_margin=False)
    if not asked.classifies:
        return found.astype(np.float64)
    if asked.objective == "multi:softmax":
        return found.astype(np.int64)
    return found.argmax(axis=1) if found.ndim > 1 else (found > 0.5).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A model, and how its `predict` goes about it.

    Attributes
    ----------
    booster : xgboost.Booster
    name : str
        What the model is, for people.
    objective : str
    classifies : bool
    in_place : bool
        Whether it predicts as estimators do, without a `DMatrix`.
    rounds : int
        How many rounds of trees it takes; 0 for all.
    missing : float, optional
        The float32 that is missing besides NaN.
    """

    booster: xgboost.Booster
    name: str
    objective: str
    classifies: bool
    in_place: bool
    rounds: int
    missing: float | None = None


def _ask(model: Any) -> _Asked:
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")
    if isinstance(model, xgboost.XGBClassifier | xgboost.XGBRegressor):
        return _ask_estimator(model)
    if isinstance(model, xgboost.Booster):
        return _ask_booster(model)
    raise UnsupportedModel(
        f"xgboost.{type(model).__name__} is not supported; pass an XGBClassifier, XGBRFClassifier, XGBRegressor, "
        "XGBRFRegressor or Booster"
    )


def _ask_estimator(model: Any) -> _Asked:
    name = type(model).__name__
    if not model.__sklearn_is_fitted__():
        raise InvalidInput(f"this {name} is not fitted; call fit first")
    if callable(model.objective):
        raise UnsupportedModel(
            f"this {name} has an objective of its own, a function; only XGBoost's own objectives are supported"
        )
    booster = model.get_booster()
    objective = _objective(booster, name)
    classifies = isinstance(model, xgboost.XGBClassifier)
    if classifies and (model.objective == "multi:softmax") != (objective == "multi:softmax"):
        raise UnsupportedModel(
            f"this {name} was set to {model.objective} after it was fitted with {objective}"
        )
    return _Asked(
        booster=booster,
        name=name,
        objective=objective,
        classifies=classifies,
        in_place=True,
        rounds=_best_rounds(booster),
        missing=_find_missing(model.missing, name),
    )


def _ask_booster(booster: xgboost.Booster) -> _Asked:
    """A booster by itself, or from the file of an estimator, which says so: then it predicts as the estimator."""
    objective = _objective(booster, "Booster")
    kind = json.loads(booster.attr("scikit_learn") or "{}").get("_estimator_type")
    if kind is not None:
        name = f"{kind} in a Booster"
        best = _best_rounds(booster)
        return _Asked(booster, name, objective, classifies=kind == "classifier", in_place=True, rounds=best)
    best, rounds = _best_rounds(booster), booster.num_boosted_rounds()
    if 0 < best < rounds:
        raise UnsupportedModel(
            f"this Booster stopped early: alone it predicts with all {rounds} rounds, in an estimator with the first "
            f"{best}. Pass the estimator, or booster[:{best}]; or for all, after booster.set_attr(best_iteration=None)"
        )
    classifies = objective.partition(":")[0] in ("binary", "multi")
    return _Asked(booster, "Booster", objective, classifies, in_place=False, rounds=0)


def _best_rounds(booster: xgboost.Booster) -> int:
    return int(booster.attr("best_iteration") or -1) + 1


def _objective(booster: xgboost.Booster, name: str) -> str:
    """The objective of a booster, if it is one that is read."""
    try:
        config = json.loads(booster.save_config())["learner"]
    except xgboost.core.XGBoostError:
        raise InvalidInput(f"this {name} is not fitted; train it first") from None
    objective = str(config["objective"]["name"])
    if config["gradient_booster"]["name"] not in ("gbtree", "dart"):
        kind = config["gradient_booster"]["name"]
        raise UnsupportedModel(
            f"this {name} has the booster {kind}, which has no trees; gbtree and dart are supported"
        )
    _check_objective(objective)
    return objective


def _check_objective(objective: str) -> None:
    if objective not in LINKS:
        raise UnsupportedModel(
            f"the objective {objective[:40]} is not supported; these are: {format_list(LINKS, limit=99)}"
        )


def _find_missing(number: Any, name: str) -> float | None:
    """The float32 that XGBoost makes of `missing`, which it gets as a decimal number; None for NaN.

    With a number that JSON does not know, as numpy's float32, an estimator predicts in another way.
    """
    if not isinstance(number, int | float) or abs(number) >= float(np.finfo(np.float32).max):
        raise UnsupportedModel(
            f"this {name} has missing={number!r}; a Python float is read, NaN or of the size of a float32"
        )
    if np.isnan(number):
        return None
    near = np.float32(number)
    exact = Fraction(repr(float(number)))
    beside = (near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf)))
    return min((float(x) for x in beside), key=lambda x: abs(Fraction(x) - exact))


def _predict(asked: _Asked, rows: NDArray[np.float64], *, output_margin: bool) -> NDArray[np.float32]:
    booster, taken = asked.booster, (0, asked.rounds)
    if asked.in_place:
        kind = "margin" if output_margin else "value"
        missing = np.nan if asked.missing is None else asked.missing
        found = booster.inplace_predict(rows, iteration_range=taken, predict_type=kind, missing=missing)
    else:
        known = {"feature_names": booster.feature_names, "feature_types": booster.feature_types}
        matrix = xgboost.DMatrix(rows, **known, enable_categorical=True, nthread=1)
        found = booster.predict(matrix, output_margin=output_margin, iteration_range=taken)
    return np.asarray(found)


def _learner(asked: _Asked) -> dict[str, Any]:
    """All that a booster has learned, as in its files."""
    document = Ubjson(bytes(asked.booster.save_raw("ubj"))).document()
    _check(document, f"this {asked.name}", check_document)
    learner: dict[str, Any] = document["learner"]
    return learner | {"version": document["version"]}


def _check(document: Any, what: str, check: Callable[[Any], None]) -> None:
    """Check a document; `what` is the model's name, for the message."""
    try:
        check(document)
    except UnsupportedModel as problem:
        raise UnsupportedModel(f"{what} {problem}") from None
    except InvalidInput as problem:
        raise InvalidInput(f"{what} cannot be read as an XGBoost model: {problem}") from None


def _start(learner: Mapping[str, Any]) -> NDArray[np.float32]:
    """What scores start with: what XGBoost itself says of the model if its trees add nothing."""
    width = max(1, int(learner["learner_model_param"]["num_class"]))
    size = {"num_deleted": "0", "num_nodes": "1", "size_leaf_vector": "1"}
    size["num_feature"] = learner["learner_model_param"]["num_feature"]
    forest = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(width)},
        "cats": {"enc": [], "feature_segments": [], "sorted_idx": []},
        "iteration_indptr": [0, width],
        "tree_info": list(range(width)),
        "trees": [LEAF | {"id": i, "tree_param": size} for i in range(width)],
    }
    bare = {
        "learner_model_param": learner["learner_model_param"],
        "objective": learner["objective"],
        "gradient_booster": {"name": "gbtree", "model": forest},
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
    }
    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(bytearray(json.dumps({"learner": bare, "version": learner["version"]}).encode()))
    row = np.zeros((1, int(size["num_feature"])))
    return np.asarray(booster.inplace_predict(row, predict_type="margin"), dtype=np.float32).reshape(width)


def _trees(learner: Mapping[str, Any], start: NDArray[np.float32], asked: _Asked) -> Iterator[Tree]:
    """The trees that count, those of a dart booster with their weights."""
    forest = forest_of(learner)
    ends = forest["iteration_indptr"]
    rounds = asked.rounds or len(ends) - 1
    if not 0 < rounds < len(ends) or not ends[rounds]:
        raise InvalidInput(f"this {asked.name} has no trees, or fewer than its best rounds; train it first")
    weights = learner["gradient_booster"].get("weight_drop")
    for i in range(int(ends[rounds])):
        raw, group = forest["trees"][i], int(forest["tree_info"][i])
        leaves = np.asarray(raw["split_conditions"], dtype=np.float32)
        if weights is not None:
            before = (start[group] + leaves) - start[group] if asked.in_place else leaves
            leaves = before * np.float32(weights[i])
        value = np.zeros((len(leaves), len(start)))
        value[:, group] = leaves
        yield _tree(raw, value, asked)


def _decision(asked: _Asked, width: int) -> tuple[tuple[object, ...], tuple[float, ...]]:
    """The classes of a model and the cuts between them."""
    if not asked.classifies:
        if width > 1:
            raise UnsupportedModel(f"a regressor with the objective {asked.objective} is not supported")
        return (PREDICTION,), ()
    if not asked.objective.startswith("multi:"):
        cut = cut_at(0.5, LINKS[asked.objective], "float32", strictly=True)
        return (0, 1), (cut,)
    if asked.objective == "multi:softprob" and width == 2 and asked.in_place:
        raise UnsupportedModel(
            f"this {asked.name} takes multi:softprob with 2 classes for two labels at once; use binary:logistic"
        )
    return tuple(range(width)), ()


def _tree(raw: Mapping[str, Any], value: NDArray[np.float64], asked: _Asked) -> Tree:
    """A tree without the nodes that pruning has left behind, children after parents."""
    order = _find_reached(raw)
    place = np.full(len(value), -1)
    place[order] = range(len(order))
    left, right, feature, threshold, kind, missing_left = (np.asarray(raw[name])[order] for name in PER_NODE)
    is_leaf, by_set = left < 0, kind == 1
    if not np.isfinite(threshold[~is_leaf & ~by_set]).all():
        raise UnsupportedModel(
            f"this {asked.name} has an infinite threshold; scale that column down and refit"
        )
    sets = dict(_sets(raw, order, asked.missing))
    set_of = np.full(len(order), -1) if sets else None
    if set_of is not None:
        set_of[place[list(sets)]] = range(len(sets))
    return Tree(
        feature=np.where(is_leaf, -1, feature).astype(np.int64),
        threshold=np.where(is_leaf | by_set, 0.0, threshold).astype(np.float64),
        left=np.where(is_leaf, -1, place[left]),
        right=np.where(is_leaf, -1, place[right]),
        missing_left=missing_left != 0,
        value=np.where(is_leaf[:, None], value[order], 0.0),
        set_of=set_of,
        sets=tuple(sets.values()),
    )


def _find_reached(raw: Mapping[str, Any]) -> NDArray[np.int64]:
    """The nodes that the root leads to, level by level."""
    left = np.asarray(raw["left_children"], dtype=np.int64)
    levels = [np.zeros(1, dtype=np.int64)]
    while levels[-1].size:
        inner = levels[-1][left[levels[-1]] >= 0]
        levels.append(np.concatenate([left[inner], left[inner] + 1]))
    return np.concatenate(levels)


def _sets(
    raw: Mapping[str, Any], nodes: NDArray[np.int64], missing: float | None
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The nodes that test sets, each with the bounds of what goes left.

    The symmetric difference of two sets has the symmetric difference of their bounds: that takes codes out of all
    numbers, and moves the number that is missing to where missing values go.
    """
    left, by_set = np.asarray(raw["left_children"])[nodes], np.asarray(raw["split_type"])[nodes] == 1
    listed = dict(_list_trees(raw))
    for node in nodes[(left >= 0) & (by_set if missing is None else True)].tolist():
        is_set, bounds = raw["split_type"][node] == 1, {-np.inf}
        if not is_set:
            bounds.add(float(raw["split_conditions"][node]))
        for code in listed[node] if is_set else ():
            bounds ^= {float(code), float(code) + 1}
        if missing is not None and (sum(b <= missing for b in bounds) % 2 == 1) != raw["default_left"][node]:
            bounds ^= {missing, float(np.nextafter(np.float32(missing), np.float32(np.inf)))}
            is_set = True
        if is_set:
            yield node, np.array(sorted(bounds))


def _list_trees(raw: Mapping[str, Any]) -> Iterator[tuple[int, list[int]]]:
    """The codes that each categorical node sends right."""
    for node, begin, size in zip(*(raw[name] for name in PER_SET), strict=True):
        yield int(node), np.asarray(raw["categories"])[begin : begin + size].tolist()


def _feature_names(learner: Mapping[str, Any]) -> tuple[str, ...]:
    numbered = (f"f{i}" for i in range(int(learner["learner_model_param"]["num_feature"])))
    return tuple(learner["feature_names"] or numbered)


def _categories(learner: Mapping[str, Any], asked: _Asked) -> dict[int, Categories]:
    """What the codes of categorical columns stand for: names from a frame, which the model keeps, or themselves."""
    forest = forest_of(learner)
    tested: dict[int, set[int]] = {i: set() for i, kind in enumerate(learner["feature_types"]) if kind == "c"}
    for raw in forest["trees"]:
        for node, codes in _list_trees(raw):
            tested.setdefault(int(raw["split_indices"][node]), set()).update(codes)
    encoded = dict(enumerate(forest.get("cats", {}).get("enc", [])))
    found = {}
    for column, known in tested.items():
        if column in encoded and len(encoded[column]["values"]):
            names = _names(encoded[column], _feature_names(learner)[column])
            found[column] = Categories({float(code): name for code, name in enumerate(names)})
            if asked.missing is not None and asked.missing >= 0:
                raise UnsupportedModel(
                    f"this {asked.name} has missing={asked.missing:g}, which may be a category's code; use NaN for it"
                )
        else:
            other = next(code for code in range(len(known) + 1) if code not in known)
            found[column] = Categories(
                {float(code): code for code in sorted(known)}, float(other), complete=False
            )
    return found


def _names(encoded: Mapping[str, Any], column: str) -> list[Any]:
    """The categories that a column had in the frame, by code."""
    values = np.asarray(encoded["values"])
    if "offsets" not in encoded:
        return list(values.tolist())
    text = values.astype(np.int8).tobytes()
    if not text.isascii():
        raise UnsupportedModel(
            f"{column} has categories with letters beyond ASCII, which XGBoost stores cut up; rename them and refit"
        )
    return [text[begin:end].decode() for begin, end in pairwise(encoded["offsets"])]
