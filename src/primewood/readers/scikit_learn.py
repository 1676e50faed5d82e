"""Reading scikit-learn's tree classifiers.

scikit-learn casts inputs to float32 and sends ``x <= threshold`` left, the threshold being float64.
A missing value goes where ``missing_go_to_left`` says. A leaf holds the share of each class.

- A forest adds its trees' leaves in order and divides by their number; so does bagging, in which a tree may
  see some of the columns and know some of the classes only.
- A soft vote averages its members with `numpy.average`: weighted products added in order, divided by the sum
  of the weights. A member may be a forest, which averages first.
- A hard vote counts one vote, or one weight, per tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.validation import check_is_fitted

from primewood.ensemble import Ensemble, Group, Tree
from primewood.ensemble.ensemble import one_vote
from primewood.errors import InvalidInput, UnsupportedModel, listing

TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
KNOWN = (*TREES, *FORESTS, BaggingClassifier, VotingClassifier)
NODE_FIELDS = (
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
)
"""What a node of a tree consists of in the versions of scikit-learn that are read here (from 1.6 on)."""


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted scikit-learn classifier. Cost: linear in its nodes."""
    name = type(model).__name__
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")
    if not isinstance(model, KNOWN):
        what = "explains decisions, and a regressor makes none" if is_regressor(model) else "does not read it"
        known = ", ".join(kind.__name__ for kind in KNOWN)
        raise UnsupportedModel(f"{name}: primewood {what}; it reads {known}")
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InvalidInput(f"this {name} is not fitted; call fit first") from None
    outputs = getattr(model, "n_outputs_", 1)
    if outputs != 1:
        raise UnsupportedModel(f"this {name} has {outputs} outputs; explain each with a model of its own")
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(model.n_features_in_)]
    return Ensemble(
        feature_names=tuple(str(name) for name in names),
        classes=tuple(model.classes_.tolist()),
        operator="<=",
        dtype="float32",
        allows_missing=bool(model.__sklearn_tags__().input_tags.allow_nan),
        any_order=adds_in_any_order(model),
        source=f"scikit-learn {name}",
        **_vote(model),
    )


def adds_in_any_order(model: Any) -> bool:
    """Whether the model, or a member of it, adds scores in more than one job."""
    parallel = not isinstance(model, VotingClassifier) and getattr(model, "n_jobs", None) not in (None, 1)
    members = getattr(model, "estimators_", ())
    return parallel or any(adds_in_any_order(member) for member in members)


def _vote(model: Any) -> dict[str, Any]:
    """The trees of a model and how they vote."""
    if isinstance(model, BaggingClassifier):
        return _bagging(model)
    if isinstance(model, VotingClassifier):
        return _voting(model)
    return {"trees": tuple(_trees(model, model)), "vote": "mean"}


def _bagging(model: BaggingClassifier) -> dict[str, Any]:
    width = len(model.classes_)
    trees: list[Tree] = []
    groups = []
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        classes = np.asarray(member.classes_)
        if classes.dtype.kind not in "iu" or not np.isin(classes, np.arange(width)).all():
            raise _unknown_layout(model)
        found = list(_trees(model, member, np.asarray(columns), classes, width))
        trees += found
        groups.append(Group(len(found)))
    return {"trees": tuple(trees), "vote": "mean", "groups": tuple(groups)}


def _voting(model: VotingClassifier) -> dict[str, Any]:
    members = model.estimators_
    if any(list(member.classes_) != list(range(len(model.classes_))) for member in members):
        raise _unknown_layout(model)
    kept = [kind for _, kind in model.estimators]
    weights = [1.0] * len(members)
    if model.weights is not None:
        weights = [float(weight) for kind, weight in zip(kept, model.weights, strict=True) if kind != "drop"]
    if len(weights) != len(members):
        raise _unknown_layout(model)
    if not all(0 <= weight < np.inf for weight in weights) or not sum(weights) > 0:
        raise UnsupportedModel(f"a VotingClassifier with the weights {listing(weights)} is not read")
    trees = [list(_trees(model, member)) for member in members]
    if model.voting == "soft":
        groups = tuple(Group(len(part), weight) for part, weight in zip(trees, weights, strict=True))
        divisor = len(members) if model.weights is None else float(np.sum(weights))
        flat = tuple(tree for part in trees for tree in part)
        return {"trees": flat, "vote": "mean", "groups": groups, "divisor": divisor}
    forests = [type(member).__name__ for member in members if isinstance(member, FORESTS)]
    if forests:
        raise UnsupportedModel(
            f"a hard vote that counts {listing(forests)} as one voter is not a sum over trees; "
            'voting="soft" is read'
        )
    alone = tuple(part[0] for part in trees)
    if model.weights is None:
        return {"trees": alone, "vote": "majority"}
    voters = tuple(_with_values(tree, one_vote(tree)) for tree in alone)
    return {
        "trees": voters,
        "vote": "mean",
        "groups": tuple(Group(1, weight) for weight in weights),
        "divisor": 1.0,
    }


def _trees(
    whole: Any,
    member: Any,
    columns: NDArray[Any] | None = None,
    classes: NDArray[Any] | None = None,
    width: int | None = None,
) -> Iterator[Tree]:
    """The trees of a member of a model, over the model's columns and classes."""
    if not isinstance(member, TREES + FORESTS):
        inside = "" if member is whole else f" with {type(member).__name__} inside"
        known = ", ".join(kind.__name__ for kind in TREES + FORESTS)
        raise UnsupportedModel(f"{type(whole).__name__}{inside}: primewood reads it with {known} inside")
    for estimator in [member] if isinstance(member, TREES) else member.estimators_:
        tree = estimator.tree_
        leaf = tree.children_left < 0
        feature = np.where(leaf, 0, tree.feature)
        value = np.asarray(tree.value, dtype=np.float64)[:, 0, :].copy()
        is_shares = (abs(value.sum(axis=1) - 1) < 1e-6).all()
        if tree.__getstate__()["nodes"].dtype.names != NODE_FIELDS or not is_shares:
            raise _unknown_layout(whole)
        if width is not None and classes is not None:
            shares, value = value, np.zeros((len(value), width))
            value[:, classes] = shares[:, : len(classes)]
        yield Tree(
            feature=np.where(leaf, -1, feature if columns is None else columns[feature]).astype(np.int64),
            threshold=np.where(leaf, 0.0, tree.threshold).astype(np.float64),
            left=np.where(leaf, -1, tree.children_left).astype(np.int64),
            right=np.where(leaf, -1, tree.children_right).astype(np.int64),
            missing_left=np.asarray(tree.missing_go_to_left).astype(bool),
            value=value,
        )


def _with_values(tree: Tree, value: NDArray[np.float64]) -> Tree:
    return Tree(tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left, value)


def _unknown_layout(model: Any) -> UnsupportedModel:
    import sklearn

    return UnsupportedModel(
        f"this {type(model).__name__} is laid out as no version of scikit-learn that primewood knows does "
        f"(installed: {sklearn.__version__}); it is refused rather than guessed at"
    )
