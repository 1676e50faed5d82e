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
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from primewood import readers
from primewood.ensemble import Ensemble, Group, Tree
from primewood.ensemble.ensemble import one_vote
from primewood.errors import UnsupportedModel, format_list
from primewood.readers.ensemble_parts import VoteParts
from primewood.readers.scikit_learn_trees import (
    adds_in_any_order,
    ask,
    check_class,
    check_fitted,
    column_names,
    members_of,
    tree_of,
    unknown_layout,
)
from primewood.readers.wrappers import refuse

TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
KNOWN = (*TREES, *FORESTS, BaggingClassifier, VotingClassifier)


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted scikit-learn classifier. Cost: linear in its nodes."""
    check_class(model)
    if not isinstance(model, KNOWN):
        raise refuse(model, readers.KNOWN)
    check_fitted(model)
    outputs = getattr(model, "n_outputs_", 1)
    if outputs != 1:
        raise UnsupportedModel(
            f"this {type(model).__name__} has {outputs} outputs; explain each with a model of its own"
        )
    if getattr(model, "n_classes_", len(model.classes_)) != len(model.classes_):
        raise unknown_layout(model)
    return Ensemble(
        feature_names=column_names(model),
        classes=tuple(model.classes_.tolist()),
        operator="<=",
        dtype="float32",
        allows_missing=bool(model.__sklearn_tags__().input_tags.allow_nan),
        any_order=adds_in_any_order(model),
        source=f"scikit-learn {type(model).__name__}",
        **_vote(model),
    )


def scores_of(model: Any, rows: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The model's own class fractions; None for a hard vote, which has none."""
    return np.asarray(ask(model, "predict_proba", rows)) if hasattr(model, "predict_proba") else None


def decisions_of(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What the model's own `predict` says, added in the order of its trees."""
    return np.asarray(ask(model, "predict", rows))


def _vote(model: Any) -> VoteParts:
    """The trees of a model and how they vote."""
    if isinstance(model, BaggingClassifier):
        return _read_bagging(model)
    if isinstance(model, VotingClassifier):
        return _read_voting(model)
    return {"trees": tuple(_trees(model, model)), "vote": "mean"}


def _read_bagging(model: BaggingClassifier) -> VoteParts:
    width = len(model.classes_)
    trees: list[Tree] = []
    groups = []
    for member, columns in members_of(model):
        classes = np.asarray(member.classes_)
        if (
            classes.dtype.kind not in "iu"
            or not np.isin(classes, np.arange(width)).all()
            or not _ascend(classes)
        ):
            raise unknown_layout(model)
        found = list(_trees(model, member, np.asarray(columns), classes, width))
        trees += found
        groups.append(Group(len(found)))
    return {"trees": tuple(trees), "vote": "mean", "groups": tuple(groups)}


def _ascend(classes: NDArray[Any]) -> bool:
    """Whether classes are in order, each once, as scikit-learn keeps them."""
    return bool((np.diff(classes) > 0).all())


def _read_voting(model: VotingClassifier) -> VoteParts:
    members = model.estimators_
    if any(list(member.classes_) != list(range(len(model.classes_))) for member in members):
        raise unknown_layout(model)
    kept = [kind for _, kind in model.estimators]
    weights = [1.0] * len(members)
    if model.weights is not None:
        weights = [float(weight) for kind, weight in zip(kept, model.weights, strict=True) if kind != "drop"]
    if len(weights) != len(members):
        raise unknown_layout(model)
    if not all(0 <= weight < np.inf for weight in weights) or not sum(weights) > 0:
        raise UnsupportedModel(f"a VotingClassifier with the weights {format_list(weights)} is not supported")
    trees = [list(_trees(model, member)) for member in members]
    if model.voting == "soft":
        groups = tuple(Group(len(part), weight) for part, weight in zip(trees, weights, strict=True))
        divisor = len(members) if model.weights is None else float(np.sum(weights))
        flat = tuple(tree for part in trees for tree in part)
        return {"trees": flat, "vote": "mean", "groups": groups, "divisor": divisor}
    forests = [type(member).__name__ for member in members if isinstance(member, FORESTS)]
    if forests:
        raise UnsupportedModel(
            f"a hard vote that counts {format_list(forests)} as one voter is not a sum over trees; "
            'voting="soft" is read'
        )
    alone = tuple(part[0] for part in trees)
    if model.weights is None:
        return {"trees": alone, "vote": "majority"}
    voters = tuple(replace(tree, value=one_vote(tree)) for tree in alone)
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
        tree = tree_of(estimator, whole, columns)
        if (abs(tree.value.sum(axis=1) - 1) > 1e-6).any() or estimator.n_classes_ != tree.value.shape[1]:
            raise unknown_layout(whole)
        if width is not None and classes is not None:
            value = np.zeros((len(tree), width))
            value[:, classes] = tree.value[:, : len(classes)]
            tree = replace(tree, value=value)
        yield tree
