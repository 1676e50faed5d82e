"""Models made of several: bagging, and soft and hard votes of trees and forests, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers import read
from primewood.readers.fidelity import plant_rows

LOADERS = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}


def members(count=4):
    trees = [(f"tree {i}", DecisionTreeClassifier(max_depth=3, random_state=i)) for i in range(count)]
    return [(name, tree.set_params(max_features=0.5)) for name, tree in trees]


def mixed():
    return [
        *members(2),
        ("forest", RandomForestClassifier(7, max_depth=4, random_state=0)),
        ("extra", ExtraTreesClassifier(5, max_depth=4, random_state=1)),
        ("random tree", ExtraTreeClassifier(random_state=2)),
    ]


MODELS = {
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=4), 11, random_state=0),
    "bagging over some columns": BaggingClassifier(
        DecisionTreeClassifier(), 9, max_features=0.4, bootstrap_features=True, random_state=1
    ),
    "bagging of few rows": BaggingClassifier(DecisionTreeClassifier(), 8, max_samples=4, random_state=2),
    "bagging of forests": BaggingClassifier(
        RandomForestClassifier(3, max_depth=3, random_state=0), 4, random_state=3
    ),
    "soft vote": VotingClassifier(members(), voting="soft"),
    "soft vote with weights": VotingClassifier(members(), voting="soft", weights=[0.1, 0.7, 1.3, 2]),
    "soft vote of forests": VotingClassifier(mixed(), voting="soft"),
    "soft vote of forests with weights": VotingClassifier(
        mixed(), voting="soft", weights=[1, 0.3, 2.5, 0.1, 1]
    ),
    "soft vote of many": VotingClassifier(members(17), voting="soft", weights=np.linspace(0.1, 1, 17)),
    "soft vote, one dropped": VotingClassifier(
        [("gone", "drop"), *members(3)], voting="soft", weights=[9, 1, 2, 3]
    ),
    "hard vote": VotingClassifier(members(5)),
    "hard vote with weights": VotingClassifier(members(5), weights=[0.1, 0.2, 0.3, 0.6, 0.2]),
}


@pytest.mark.parametrize("data", LOADERS)
@pytest.mark.parametrize("name", MODELS)
def test_the_reference_equals_scikit_learn(data, name):
    X, y = LOADERS[data](return_X_y=True)
    model = MODELS[name].fit(X, y)
    ensemble = read(model)
    rows = np.vstack([X, plant_rows(ensemble, X, missing=False), plant_rows(ensemble, X, missing=True)])
    assert (model.classes_[ensemble.predict(rows)] == model.predict(rows)).all()
    one_by_one = [model.predict(row[None, :])[0] for row in rows[::40]]
    assert (model.classes_[ensemble.predict(rows[::40])] == one_by_one).all()
    if hasattr(model, "predict_proba"):
        assert (ensemble.predict_proba(rows) == model.predict_proba(rows)).all(), "bit for bit"
        one_by_one = [model.predict_proba(row[None, :])[0] for row in rows[::40]]
        assert (ensemble.predict_proba(rows[::40]) == one_by_one).all(), "one row at a time, too"


@pytest.mark.parametrize("weights", ["none", "random", "few values", "some zero"])
@pytest.mark.parametrize("class_weight", [None, "balanced", "given"])
def test_sample_and_class_weights(weights, class_weight):
    X, y = load_wine(return_X_y=True)
    generator = np.random.default_rng(0)
    sample_weight = {
        "none": None,
        "random": generator.random(len(X)),
        "few values": generator.integers(1, 4, len(X)),
        "some zero": generator.integers(0, 2, len(X)) * 0.3,
    }[weights]
    given = {0: 0.3, 1: 1.7, 2: 1 / 3} if class_weight == "given" else class_weight
    for model in (
        DecisionTreeClassifier(max_depth=3, class_weight=given, random_state=0),
        RandomForestClassifier(15, max_depth=3, class_weight=given, random_state=0),
        ExtraTreesClassifier(15, max_depth=3, class_weight=given, random_state=0),
    ):
        model.fit(X, y, sample_weight=sample_weight)
        explainer = pw.Explainer(model, X, literals="sets")
        rows = plant_rows(explainer.ensemble, X, missing=False, seed=7)
        assert (explainer.ensemble.predict_proba(rows) == model.predict_proba(rows)).all()
        why = explainer.explain(X[60])
        assert why.status == "proved" and (model.predict(X[why.covers(X)]) == why.decision).all()


@pytest.mark.parametrize("name", MODELS)
def test_explanations_hold_for_predict(name):
    X, y = load_wine(return_X_y=True)
    model = MODELS[name].fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    assert explainer.fidelity is not None and explainer.fidelity.differ == 0
    generator = np.random.default_rng(0)
    for x in X[::45]:
        why = explainer.explain(x)
        assert why.status == "proved" and why.decision == model.predict(x[None, :])[0]
        near = plant_rows(explainer.ensemble, X, missing=False, seed=int(generator.integers(1 << 30)))
        kept = list(why.term.box(explainer.domain.variables))
        for column, variable, mask in zip(
            [f.column for f in explainer.domain.seen], explainer.domain.variables, kept, strict=True
        ):
            if mask != variable.everything:
                near[:, column] = x[column]
        assert (model.predict(near[why.covers(near)]) == why.decision).all()
        assert all(model.predict([w.row])[0] == w.decision != why.decision for w in why.witnesses)


def test_a_member_with_more_jobs_adds_in_any_order():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=2, n_jobs=2, random_state=0)
    vote = VotingClassifier([("forest", forest), *members(2)], voting="soft").fit(X, y)
    assert read(vote).any_order and not read(MODELS["soft vote"].fit(X, y)).any_order
    assert read(BaggingClassifier(n_jobs=2).fit(X, y)).any_order
    explainer = pw.Explainer(vote, X, literals="sets")
    assert explainer.fidelity is not None and vote.estimators_[0].n_jobs == 2
    assert explainer.explain(X[0]).status == "proved"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BaggingClassifier(LogisticRegression(max_iter=5000), 2), "LogisticRegression inside"),
        (VotingClassifier([("l", LogisticRegression(max_iter=5000)), *members(1)]), "LogisticRegression"),
        (VotingClassifier([("f", RandomForestClassifier(3)), *members(2)]), "one voter"),
        (VotingClassifier(members(2), voting="soft", weights=[1, -0.5]), "weights"),
    ],
)
def test_what_is_not_a_sum_over_trees_is_refused_by_name(model, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(UnsupportedModel, match=words):
        pw.Explainer(model.fit(X, y), literals="sets")
    with pytest.raises(InvalidInput, match="not fitted"):
        pw.Explainer(BaggingClassifier(), literals="sets")


def test_an_unknown_layout_is_refused(monkeypatch):
    from primewood.readers import scikit_learn_trees

    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    monkeypatch.setattr(scikit_learn_trees, "NODE_FIELDS", ("left_child", "something new"))
    with pytest.raises(UnsupportedModel, match="rather than guessed"):
        read(model)


def test_leaves_that_hold_counts_are_refused():
    """Before version 1.3, leaves held weighted counts instead of shares."""

    class OldTree:
        def __init__(self, tree):
            self._tree = tree
            self.value = tree.value * 50

        def __getattr__(self, name):
            return getattr(self._tree, name)

        def __getstate__(self):
            return {**self._tree.__getstate__(), "values": self.value}

    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    model.tree_ = OldTree(model.tree_)
    with pytest.raises(UnsupportedModel, match="rather than guessed"):
        read(model)


def test_a_model_of_one_class():
    X, y = load_iris(return_X_y=True)
    same = np.zeros(len(X), dtype=int)
    for model in (
        DecisionTreeClassifier(),
        RandomForestClassifier(3),
        BaggingClassifier(DecisionTreeClassifier(), 3),
    ):
        why = pw.Explainer(model.fit(X, same), X, literals="sets").explain(X[0])
        assert why.status == "proved" and not why.features and why.coverage == 1.0
    assert len(y) == len(X)


def test_a_forest_without_trees_is_refused():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(3).fit(X, y)
    model.estimators_ = []
    with pytest.raises(InvalidInput, match="at least one tree"):
        pw.Explainer(model, X, literals="sets")
