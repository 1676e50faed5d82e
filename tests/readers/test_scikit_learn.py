from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import primewood as pw
from primewood.ensemble.comparison import cut_of
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers import read

LOADERS = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}
MODELS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "random tree": ExtraTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(n_estimators=12, random_state=0),
    "weighted forest": RandomForestClassifier(
        n_estimators=7, max_depth=4, class_weight="balanced", random_state=1
    ),
    "extra trees": ExtraTreesClassifier(n_estimators=9, max_depth=5, random_state=2),
}


def majority(model, X):
    """The paper's vote, from scikit-learn's own trees: arg-max of arg-max votes."""
    trees = getattr(model, "estimators_", [model])
    votes = np.zeros((len(X), len(model.classes_)), dtype=int)
    for tree in trees:
        votes[np.arange(len(X)), tree.predict_proba(X).argmax(axis=1)] += 1
    return votes.argmax(axis=1)


def planted(X, ensemble, seed):
    """Rows with values at thresholds and next to them, in float64 and in float32."""
    generator = np.random.default_rng(seed)
    rows = X[generator.integers(0, len(X), 2000)].copy()
    tests = [
        (int(f), float(t))
        for tree in ensemble.trees
        for f, t in zip(tree.feature, tree.threshold, strict=True)
        if f >= 0
    ]
    for row in rows:
        for _ in range(3):
            feature, threshold = tests[generator.integers(len(tests))]
            cut = cut_of(threshold, "<=", "float32")
            near = [threshold, cut, float(np.float32(threshold))]
            near += [np.nextafter(x, side) for x in near for side in (-np.inf, np.inf)]
            near += [
                float(np.nextafter(np.float32(threshold), np.float32(side))) for side in (-np.inf, np.inf)
            ]
            row[feature] = near[generator.integers(len(near))]
    return rows


@pytest.mark.parametrize("data", LOADERS)
@pytest.mark.parametrize("name", MODELS)
def test_the_reference_equals_scikit_learn(data, name):
    X, y = LOADERS[data](return_X_y=True)
    model = MODELS[name].fit(X, y)
    own = read(model)
    paper = replace(own, vote="majority")
    rows = np.vstack([X, planted(X, own, seed=0)])
    holes = rows.copy()
    holes[np.random.default_rng(1).random(rows.shape) < 0.2] = np.nan
    for tried in (rows, holes):
        assert (paper.predict(tried) == majority(model, tried)).all()
        assert (own.predict_proba(tried) == model.predict_proba(tried)).all(), "bit for bit"
        assert (model.classes_[own.predict(tried)] == model.predict(tried)).all()


def test_a_tree_decides_as_its_own_predict_does():
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    rows = planted(X, read(model), seed=3)
    assert (model.classes_[read(model).predict(rows)] == model.predict(rows)).all()


@pytest.mark.parametrize("data", LOADERS)
def test_points_are_decided_as_their_rows_are(data):
    X, y = LOADERS[data](return_X_y=True)
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    rows = planted(X, explainer.ensemble, seed=4)[:400]
    decided = explainer.ensemble.predict(rows)
    for row, label in zip(rows, decided, strict=True):
        assert explainer._model.subject.decide(explainer.domain.point(row)) == label


def test_trees_that_learned_with_missing_values():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert (replace(read(model), vote="majority").predict(X) == majority(model, X)).all()
    assert (read(model).predict_proba(X) == model.predict_proba(X)).all()


def test_names_and_labels_come_from_the_model():
    frame = load_iris(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(frame.data, frame.target_names[frame.target])
    ensemble = read(model)
    assert ensemble.feature_names == tuple(frame.data.columns)
    assert ensemble.classes == ("setosa", "versicolor", "virginica")
    assert ensemble.allows_missing and ensemble.dtype == "float32" and ensemble.operator == "<="


@pytest.mark.parametrize(
    ("model", "kind", "words"),
    [
        (RandomForestClassifier(), InvalidInput, "not fitted"),
        (DecisionTreeClassifier(), InvalidInput, "not fitted"),
        (DecisionTreeRegressor(), InvalidInput, "not fitted"),
        (RandomForestRegressor(), InvalidInput, "not fitted"),
        (LogisticRegression(), UnsupportedModel, "random forests"),
        (DummyClassifier(), UnsupportedModel, "DummyClassifier"),
        (RandomForestClassifier, UnsupportedModel, "is a class"),
        (object(), UnsupportedModel, "is not supported"),
        (3, UnsupportedModel, "int"),
    ],
)
def test_other_models_are_refused_by_name(model, kind, words):
    with pytest.raises(kind, match=words):
        pw.Explainer(model, literals="sets")


def test_a_multi_output_model_is_refused():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        pw.Explainer(model, literals="sets")


def test_a_damaged_tree_is_refused():
    with pytest.raises(InvalidInput, match="not a tree"):
        pw.Ensemble((pw.Tree.build((5, 0.0, [1, 0], [0, 1])),), ("x",), (0, 1))
    with pytest.raises(InvalidInput, match="at least one tree"):
        pw.Ensemble((), ("x",), (0, 1))
    with pytest.raises(InvalidInput, match="classes"):
        pw.Ensemble((pw.Tree.build((0, 0.0, [1, 0], [0, 1])),), ("x",), (0, 1, 2))


def test_model_files(tmp_path):
    import joblib
    import skops.io

    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    skops.io.dump(model, tmp_path / "m.skops")
    joblib.dump(model, tmp_path / "m.joblib")
    expected = read(model).predict(X)
    assert (pw.Explainer(tmp_path / "m.skops", literals="sets").ensemble.predict(X) == expected).all()
    with pytest.raises(InvalidInput, match="trust-pickle"):
        pw.Explainer(tmp_path / "m.joblib", literals="sets")
    with pytest.raises(InvalidInput, match="no file"):
        pw.Explainer(tmp_path / "none.skops", literals="sets")
    (tmp_path / "broken.skops").write_bytes(b"not a zip")
    with pytest.raises(InvalidInput, match=r"broken\.skops cannot be read"):
        pw.Explainer(str(tmp_path / "broken.skops"), literals="sets")
    (tmp_path / "m.xyz").write_text("x")
    with pytest.raises(InvalidInput, match=r"\.skops"):
        pw.Explainer(tmp_path / "m.xyz", literals="sets")
