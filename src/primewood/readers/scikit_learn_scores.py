"""Reading scikit-learn's models whose trees add up to a score: boosted trees, and regressors made of trees.

Everything adds in float64, in the order of the trees:

- Gradient boosting casts inputs to float32 and compares with ``<=``. A score starts with what the dummy model `init`
  predicts, or 0; each tree adds its leaf times the learning rate, the product rounded first. With two classes, a score
  of at least 0 means the second.
- Histogram gradient boosting compares float64 inputs with ``<=``; its leaves hold the learning rate already. With
  two classes, a score above 0 means the second, so exactly 0 means the first.
- With more than two classes, each has trees of its own, and the largest score wins, the first among equals.
- Forests and bagging add up and divide by the number of members; a vote of regressors averages with `numpy.average`.

The probability of the second class is SciPy's `expit` of the score. Under the exponential loss it is that of twice the
score, so start and leaves are doubled here, which rounds nothing and leaves every decision as it is.

Histogram gradient boosting puts an encoder before its trees: a column of categories becomes their places in a list,
categories that are not in it count as missing, and such columns move to the front. Here they stay where the user has
them. A category that is a number is its own code; other categories are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from primewood.ensemble import PREDICTION, Categories, Ensemble, Group, Tree
from primewood.errors import UnsupportedModel, format_list
from primewood.readers.ensemble_parts import ClassCuts, ScoreParts
from primewood.readers.scikit_learn_trees import (
    adds_in_any_order,
    ask,
    check_class,
    check_fitted,
    column_names,
    damaged_tree,
    members_of,
    tree_of,
    unknown_layout,
)

GRADIENT = (GradientBoostingClassifier, GradientBoostingRegressor)
HISTOGRAM = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
TREES = (DecisionTreeRegressor, ExtraTreeRegressor)
FORESTS = (RandomForestRegressor, ExtraTreesRegressor)
KNOWN = (*GRADIENT, *HISTOGRAM, *TREES, *FORESTS, BaggingRegressor, VotingRegressor)
"""The models that are read here."""

HISTOGRAM_FIELDS = (
    "value",
    "count",
    "feature_idx",
    "num_threshold",
    "missing_go_to_left",
    "left",
    "right",
    "gain",
    "depth",
    "is_leaf",
    "bin_threshold",
    "is_categorical",
    "bitset_idx",
)
"""What a node of histogram gradient boosting consists of in the versions of scikit-learn that are read here."""
FIXED = ("prior", "most_frequent", "constant", "uniform")
"""The strategies under which a DummyClassifier predicts the same for every row."""
MOST_VOTERS = 7
"""From eight numbers on, numpy adds one row in a different order than several."""


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted model of one of the `KNOWN` kinds. Cost: linear in its nodes."""
    check_class(model)
    if not isinstance(model, KNOWN):
        known = format_list(kind.__name__ for kind in KNOWN)
        raise UnsupportedModel(f"{type(model).__name__} is not supported here; supported: {known}")
    check_fitted(model)
    return Ensemble(
        feature_names=column_names(model),
        operator="<=",
        allows_missing=bool(model.__sklearn_tags__().input_tags.allow_nan),
        any_order=adds_in_any_order(model),
        source=f"scikit-learn {type(model).__name__}",
        **_parts(model),
    )


def scores_of(model: Any, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The model's own scores before the link: one line per row; categorical columns hold codes.

    They are doubled under the exponential loss, as in what `read` makes of it.
    """
    method = "decision_function" if is_classifier(model) else "predict"
    found = ask(model, method, decode_categories(model, rows))
    scores = np.asarray(found, dtype=np.float64).reshape(len(rows), -1)
    return scores * _scale(model) if isinstance(model, GRADIENT) else scores


def decisions_of(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What the model's own `predict` returns for rows; categorical columns hold codes."""
    return np.asarray(ask(model, "predict", decode_categories(model, rows)))


def _parts(model: Any) -> ScoreParts:
    """The trees of a model, what they test, and how they vote."""
    if isinstance(model, HISTOGRAM):
        return _histogram(model)
    if isinstance(model, GRADIENT):
        return _gradient(model)
    if isinstance(model, BaggingRegressor):
        return _read_bagging(model)
    if isinstance(model, VotingRegressor):
        return _read_voting(model)
    return _average(_trees(model, model))


def _average(trees: Iterable[Tree]) -> ScoreParts:
    """Trees that a regressor takes the mean of."""
    return {"trees": tuple(trees), "classes": (PREDICTION,), "dtype": "float32", "vote": "mean"}


def _decision(model: Any, least: float) -> ClassCuts:
    """How a boosted model decides, `least` being the least score that means the second of two classes."""
    link = type(model._loss.link).__name__
    if is_regressor(model):
        if link != "IdentityLink":
            raise UnsupportedModel(
                f'a {type(model).__name__} with loss="{model.loss}" predicts through numpy\'s exp, whose last bit '
                "depends on the processor; use a loss without a log link"
            )
        return ClassCuts((PREDICTION,))
    classes = tuple(model.classes_.tolist())
    if len(classes) < 2:
        raise UnsupportedModel(
            f"this {type(model).__name__} has only one class, {classes[0]!r}, so there is nothing to explain"
        )
    if len(classes) > 2:
        return ClassCuts(classes)
    if link not in ("LogitLink", "HalfLogitLink"):
        raise unknown_layout(model)
    return ClassCuts(classes, (least,), "expit")


def _gradient(model: Any) -> ScoreParts:
    scale = _scale(model)
    trees = []
    for stage in model.estimators_:
        for output, estimator in enumerate(stage):
            (tree,) = _trees(model, estimator)
            value = np.zeros((len(tree), len(stage)))
            value[:, output] = float(model.learning_rate) * tree.value[:, 0] * scale
            trees.append(Tree(tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left, value))
    start = tuple((_start(model) * scale).tolist())
    return {**_add_up(trees, start, _decision(model, 0.0)), "dtype": "float32"}


def _add_up(trees: Iterable[Tree], start: tuple[float, ...], decision: ClassCuts) -> ScoreParts:
    """Trees that are added to a start."""
    return {
        "trees": tuple(trees),
        "vote": "sum",
        "start": start,
        "classes": decision.classes,
        "cuts": decision.cuts,
        "link": decision.link,
    }


def _scale(model: Any) -> float:
    """What the scores of gradient boosting are multiplied by for `expit` to be the link: a power of two."""
    return 2.0 if type(model._loss.link).__name__ == "HalfLogitLink" else 1.0


def _start(model: Any) -> NDArray[np.float64]:
    """What the scores of gradient boosting start with, asked of the model: the same for every row, or refused."""
    init = model.init_
    same = (
        (isinstance(init, str) and init == "zero")
        or type(init) is DummyRegressor
        or (type(init) is DummyClassifier and init.strategy in FIXED)
    )
    if not same:
        what = "a stratified DummyClassifier" if type(init) is DummyClassifier else type(init).__name__
        raise UnsupportedModel(
            f"{type(model).__name__} with {what} as init gives each row its own starting score, which is not "
            'supported; use init=None, "zero" or a constant dummy model'
        )
    alone, among = (model._raw_predict_init(np.zeros((n, model.n_features_in_))) for n in (1, 9))
    if alone.dtype != np.float64 or (among != alone).any():
        raise unknown_layout(model)
    start: NDArray[np.float64] = alone[0]
    return start


def _read_bagging(model: BaggingRegressor) -> ScoreParts:
    members = members_of(model)
    parts = [list(_trees(model, member, np.asarray(columns))) for member, columns in members]
    return _group(parts, [1.0] * len(parts))


def _read_voting(model: VotingRegressor) -> ScoreParts:
    members = model.estimators_
    if len(members) > MOST_VOTERS:
        raise UnsupportedModel(
            f"a VotingRegressor of {len(members)} members rounds one row differently from several, because of how "
            f"numpy adds; at most {MOST_VOTERS} members are supported"
        )
    weights = [1.0] * len(members)
    if model.weights is not None:
        pairs = zip(model.estimators, model.weights, strict=True)
        weights = [
            float(weight) for (_, kind), weight in pairs if not (isinstance(kind, str) and kind == "drop")
        ]
    if len(weights) != len(members):
        raise unknown_layout(model)
    if not all(0 <= weight < np.inf for weight in weights) or not sum(weights) > 0:
        raise UnsupportedModel(f"a VotingRegressor with the weights {format_list(weights)} is not supported")
    parts = [list(_trees(model, member)) for member in members]
    return {**_group(parts, weights), "divisor": float(np.sum(weights))}


def _group(parts: list[list[Tree]], weights: list[float]) -> ScoreParts:
    groups = tuple(Group(len(part), weight) for part, weight in zip(parts, weights, strict=True))
    return {**_average(tree for part in parts for tree in part), "groups": groups}


def _trees(whole: Any, member: Any, columns: NDArray[Any] | None = None) -> Iterator[Tree]:
    """The trees of a member of a model, over the model's columns, each leaf with its one value."""
    if not isinstance(member, TREES + FORESTS):
        known = format_list(kind.__name__ for kind in TREES + FORESTS)
        raise UnsupportedModel(
            f"{type(whole).__name__} with {type(member).__name__} inside is not supported; supported inside: {known}"
        )
    for estimator in [member] if isinstance(member, TREES) else member.estimators_:
        tree = tree_of(estimator, whole, columns)
        if tree.value.shape[1] != 1:
            raise unknown_layout(whole)
        yield tree


def _histogram(model: Any) -> ScoreParts:
    baseline = model._baseline_prediction
    if baseline.dtype != np.float64 or baseline.size != model.n_trees_per_iteration_:
        raise unknown_layout(model)
    decision = _decision(model, float(np.nextafter(0.0, 1.0)))
    categories = _categories(model)
    codes = [np.array(list(found.names), dtype=np.float64) for found in categories.values()]
    known, place = model._bin_mapper.make_known_categories_bitsets()
    expected = np.array([np.arange(256) < len(own) for own in codes]).reshape(-1, 256)
    if not np.array_equal(_bits(known), expected) or (place[: len(codes)] != np.arange(len(codes))).any():
        raise unknown_layout(model)
    numerical = ~np.isin(np.arange(model.n_features_in_), list(categories))
    columns = np.argsort(numerical, kind="stable")
    trees = [
        _histogram_tree(model, predictor, output, columns, codes)
        for stage in model._predictors
        for output, predictor in enumerate(stage)
    ]
    return {**_add_up(trees, tuple(baseline.ravel().tolist()), decision), "categories": categories}


def _histogram_tree(
    model: Any,
    predictor: Any,
    output: int,
    columns: NDArray[np.int64],
    codes: list[NDArray[np.float64]],
) -> Tree:
    """A tree over the user's columns; `codes` are those of each categorical column, in the encoder's order."""
    nodes = predictor.nodes
    if nodes.dtype.names != HISTOGRAM_FIELDS:
        raise unknown_layout(model)
    leaf = nodes["is_leaf"].astype(bool)
    if not ((nodes["feature_idx"] >= 0) & (nodes["feature_idx"] < model.n_features_in_))[~leaf].all():
        raise damaged_tree(model)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    tests_sets = nodes["is_categorical"].astype(bool) & ~leaf
    value = np.zeros((len(nodes), model.n_trees_per_iteration_))
    value[:, output] = nodes["value"]
    set_of = np.full(len(nodes), -1)
    set_of[tests_sets] = range(tests_sets.sum())
    left, feature = _bits(predictor.raw_left_cat_bitsets), nodes["feature_idx"][tests_sets]
    if left.ndim != 2 or left.shape[1] != 256 or not (nodes["bitset_idx"][tests_sets] < len(left)).all():
        raise unknown_layout(model)
    if not (feature < len(codes)).all():
        raise unknown_layout(model)
    sets = tuple(
        bounds_of(codes[j], left[i][: len(codes[j])], others=others)
        for j, i, others in zip(
            feature, nodes["bitset_idx"][tests_sets], missing_left[tests_sets], strict=True
        )
    )
    return Tree(
        feature=np.where(leaf, -1, columns[np.where(leaf, 0, nodes["feature_idx"])]),
        threshold=np.where(leaf | tests_sets, 0.0, nodes["num_threshold"]),
        left=np.where(leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(leaf, -1, nodes["right"].astype(np.int64)),
        missing_left=missing_left,
        value=value,
        set_of=set_of,
        sets=sets,
    )


def _bits(words: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Sets of numbers below 256, given by eight words each, as arrays of flags."""
    return np.unpackbits(words.astype("<u4").view(np.uint8), axis=-1, bitorder="little").astype(bool)


def bounds_of(codes: NDArray[np.float64], inside: NDArray[np.bool_], *, others: bool) -> NDArray[np.float64]:
    """The bounds of a set of numbers, for the operator "<=": some of the codes, and all other numbers or none.

    Each code is an interval of one number.

    >>> bounds_of(np.array([2.0, 5.0]), np.array([True, False]), others=False).tolist()
    [1.9999999999999998, 2.0]
    """
    apart = codes[inside != others]
    ends = np.concatenate([[-np.inf], apart]) if others else apart
    bounds: NDArray[np.float64] = np.setxor1d(np.nextafter(apart, -np.inf), ends, assume_unique=True)
    return bounds


def _categories(model: Any) -> dict[int, Categories]:
    """What the encoder of a model knows, by the user's columns, each list in the encoder's order."""
    if model._preprocessor is None:
        return {}
    columns = np.flatnonzero(model.is_categorical_)
    encoder = model._preprocessor.named_transformers_["encoder"]
    place = model._preprocessor.output_indices_["encoder"]
    if (place.start, place.stop) != (0, len(columns)) or len(encoder.categories_) != len(columns):
        raise unknown_layout(model)
    # Native code counts on all columns being there, the categorical ones first.
    masks = {name: np.asarray(mask, dtype=bool) for name, _, mask in model._preprocessor.transformers_}
    numerical = ~model.is_categorical_
    if not (
        np.array_equal(masks["encoder"], model.is_categorical_)
        and np.array_equal(masks["numerical"], numerical)
    ):
        raise unknown_layout(model)
    found = {}
    for column, listed in zip(columns.tolist(), encoder.categories_, strict=True):
        names = [name for name in _names(model, listed) if name == name]  # without NaN
        codes = _codes(names)
        others = next(code for code in count() if code not in codes)
        found[column] = Categories(dict(zip(codes, names, strict=True)), float(others))
    return found


def _names(model: Any, listed: NDArray[Any]) -> list[Any]:
    names = [name.item() if isinstance(name, np.generic) else name for name in listed.tolist()]
    for name in names:
        exact = isinstance(name, float) or (isinstance(name, int) and abs(name) <= 2**53)
        if listed.dtype.kind not in "biufUO" or (isinstance(name, Number) and not exact):
            raise UnsupportedModel(
                f"{type(model).__name__} with the category {name!r}, of type {type(listed[0]).__name__}: "
                "primewood reads categories that are strings or numbers of float64"
            )
    return names


def _codes(names: list[Any]) -> list[float]:
    """A number for each category: itself if it is one, else the next number from 0 on that is not taken."""
    taken = {float(name) for name in names if isinstance(name, int | float)}
    free = (float(code) for code in count() if code not in taken)
    return [float(name) if isinstance(name, int | float) else next(free) for name in names]


def decode_categories(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """Rows with names instead of codes, if there are names that are not numbers; a code of no category stays."""
    categories = _categories(model) if isinstance(model, HISTOGRAM) else {}
    if all(name == code for found in categories.values() for code, name in found.names.items()):
        return rows
    named = rows.astype(object)
    for column, found in categories.items():
        for code, name in found.names.items():
            named[rows[:, column] == code, column] = name
    return named
