"""Reading scikit-learn's tree classifiers.

scikit-learn casts inputs to float32 and sends ``x <= threshold`` left, the threshold being float64.
A missing value goes where ``missing_go_to_left`` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.validation import check_is_fitted

from primewood.ensemble import Ensemble, Tree
from primewood.errors import InvalidInput, UnsupportedModel

TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
KNOWN = (DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier)


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted scikit-learn classifier. Cost: linear in its nodes."""
    name = type(model).__name__
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")
    if not isinstance(model, TREES + FORESTS):
        what = "explains decisions, and a regressor makes none" if is_regressor(model) else "does not read it"
        known = ", ".join(kind.__name__ for kind in KNOWN)
        raise UnsupportedModel(f"{name}: primewood {what}; it reads {known}")
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InvalidInput(f"this {name} is not fitted; call fit first") from None
    if model.n_outputs_ != 1:
        raise UnsupportedModel(
            f"this {name} has {model.n_outputs_} outputs; explain each with a model of its own"
        )
    trees = [model] if isinstance(model, TREES) else model.estimators_
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(model.n_features_in_)]
    return Ensemble(
        trees=tuple(_tree(estimator.tree_) for estimator in trees),
        feature_names=tuple(str(name) for name in names),
        classes=tuple(model.classes_.tolist()),
        operator="<=",
        dtype="float32",
        allows_missing=bool(model.__sklearn_tags__().input_tags.allow_nan),
        vote="mean",
        source=f"scikit-learn {name}",
    )


def _tree(tree: Any) -> Tree:
    leaf = tree.children_left < 0
    return Tree(
        feature=np.where(leaf, -1, tree.feature).astype(np.int64),
        threshold=np.where(leaf, 0.0, tree.threshold).astype(np.float64),
        left=np.where(leaf, -1, tree.children_left).astype(np.int64),
        right=np.where(leaf, -1, tree.children_right).astype(np.int64),
        missing_left=np.asarray(tree.missing_go_to_left).astype(bool),
        value=np.asarray(tree.value, dtype=np.float64)[:, 0, :].copy(),
    )
