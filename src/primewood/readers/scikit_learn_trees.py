"""What the readers of scikit-learn's models share: the arrays of a tree, and asking a model in one job."""

from __future__ import annotations

import copy
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.tree._tree import TREE_LEAF
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils.validation import check_is_fitted

from primewood.ensemble import Tree
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers.quiet import NO_NAMES, ignore_warnings

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


def tree_of(estimator: Any, whole: Any, columns: NDArray[Any] | None = None) -> Tree:
    """The tree of a fitted decision tree, over the columns of the whole model, with its values as they are."""
    if estimator.n_outputs_ != 1:
        raise UnsupportedModel(
            f"this {type(whole).__name__} has {estimator.n_outputs_} outputs; explain each with a model of its own"
        )
    if type(estimator.tree_) is not SklearnTree or estimator.tree_.node_count > estimator.tree_.capacity:
        raise unknown_layout(whole)
    state = estimator.tree_.__getstate__()
    nodes, values = state["nodes"], np.asarray(state["values"], dtype=np.float64)
    if nodes.dtype.names != NODE_FIELDS or values.shape[:2] != (len(nodes), 1):
        raise unknown_layout(whole)
    leaf = nodes["left_child"] == TREE_LEAF
    feature = np.where(leaf, 0, nodes["feature"])
    if not (
        (feature >= 0) & (feature < (estimator.n_features_in_ if columns is None else len(columns)))
    ).all():
        raise damaged_tree(whole)
    return Tree(
        feature=np.where(leaf, -1, feature if columns is None else columns[feature]).astype(np.int64),
        threshold=np.where(leaf, 0.0, nodes["threshold"]),
        left=np.where(leaf, -1, nodes["left_child"]).astype(np.int64),
        right=np.where(leaf, -1, nodes["right_child"]).astype(np.int64),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        value=values[:, 0, :].copy(),
    )


def damaged_tree(whole: Any) -> InvalidInput:
    """The error for a tree that tests a column that does not exist."""
    return InvalidInput(f"this {type(whole).__name__} is damaged: a tree tests a column that does not exist")


def column_names(model: Any) -> tuple[str, ...]:
    """The names that a model was fitted with, or x0, x1, ..."""
    names = getattr(model, "feature_names_in_", None)
    return tuple(f"x{i}" for i in range(model.n_features_in_)) if names is None else tuple(map(str, names))


def check_class(model: object) -> None:
    """Raise for a class in place of a model."""
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")


def check_fitted(model: Any) -> None:
    """Raise for a model that is not fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InvalidInput(f"this {type(model).__name__} is not fitted; call fit first") from None


def members_of(model: Any) -> list[Any]:
    """The fitted members of bagging; `predict` counts only as many as `n_estimators` says."""
    if len(model.estimators_) != model.n_estimators:
        raise UnsupportedModel(
            f"this {type(model).__name__} has n_estimators={model.n_estimators} but {len(model.estimators_)} fitted "
            "members; fit it again"
        )
    return list(zip(model.estimators_, model.estimators_features_, strict=True))


def ask(model: Any, method: str, rows: NDArray[Any]) -> Any:
    """Call a method of a model in one job, whatever joblib is configured to, without the names of columns."""
    with joblib.parallel_config(backend="sequential"), ignore_warnings(NO_NAMES):
        return getattr(_ask_in_one_job(model), method)(rows)


def _ask_in_one_job(model: Any) -> Any:
    """The model, or a shallow copy of it that adds its scores in the order of its members."""
    members = _members(model)
    in_one_job = [_ask_in_one_job(member) for member in members]
    changed = any(new is not old for new, old in zip(in_one_job, members, strict=True))
    if getattr(model, "n_jobs", None) in (None, 1) and not changed:
        return model
    sequential = copy.copy(model)
    if hasattr(model, "n_jobs"):
        sequential.n_jobs = 1
    if changed:
        sequential.estimators_ = in_one_job
    return sequential


def adds_in_any_order(model: Any) -> bool:
    """Whether the model, or a member of it, adds scores in more than one job. A vote predicts in one."""
    votes = isinstance(model, VotingClassifier | VotingRegressor)
    parallel = not votes and getattr(model, "n_jobs", None) not in (None, 1)
    return parallel or any(adds_in_any_order(member) for member in _members(model))


def _members(model: Any) -> list[Any]:
    """The models that a model consists of; the stages of gradient boosting are not models."""
    members = getattr(model, "estimators_", ())
    return list(members) if isinstance(members, list) else []


def unknown_layout(model: Any) -> UnsupportedModel:
    """The error for a model of a version whose layout is not known."""
    import sklearn

    return UnsupportedModel(
        f"this {type(model).__name__} is not laid out like any supported version of scikit-learn "
        f"(installed: {sklearn.__version__}); it is refused rather than guessed at"
    )
