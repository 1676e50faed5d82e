from __future__ import annotations

import pickle
import sys
import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_matrix, csr_matrix

from primewood.ensemble.link import apply_link
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel
from primewood.readers.lightgbm import decisions_of, load, read, scores_of

QUIET = {"verbose": -1, "num_threads": 1, "num_leaves": 12, "min_data_in_leaf": 5}
ZONE = float(np.float32(1e-35))
"""Numbers up to this size are zeros to LightGBM."""
FOREST = {"boosting": "rf", "bagging_fraction": 0.6, "bagging_freq": 1}
CODES = [3, 4]
"""The columns of `rows_of_data` that hold categories."""


def beside(x, steps=1):
    """A number, and those next to it."""
    found = [x]
    for side in (-np.inf, np.inf):
        at = x
        for _ in range(steps):
            at = float(np.nextafter(at, side))
            found.append(at)
    return found


SPECIAL = [
    *beside(ZONE),
    *beside(-ZONE),
    *(0.0, -0.0, 1e-36, -1e-36, 5e-324, -5e-324, np.inf, -np.inf, np.nan, 1e300, 1e305, -1e305),
    *(1.0, -1.0, -0.5, *beside(-1.0), 0.5, *beside(1.0), 2.5, 31.0, 32.0, 63.9),
    *(2.0**31, 2.0**31 - 1, -(2.0**31), 2.0**32 + 1, 2.0**63, 1e18),
]


def rows_of_data(missing=0.0):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(700, 6))
    X[:, 3], X[:, 4] = generator.integers(0, 40, 700), generator.integers(0, 5, 700)
    X[:, 5] = X[:, 5].round(1)
    X[generator.random(X.shape) < 0.15] = 0.0
    seen = X[:, 0] - X[:, 1] * X[:, 2] + 2 * np.isin(X[:, 3], [3, 7, 22, 31, 32]) - np.isin(X[:, 4], [0, 2])
    X[generator.random(X.shape) < missing] = np.nan
    return X, seen + generator.normal(size=700) * 0.3


def planted(X, ensemble, seed=0, n=2000):
    """Rows with values at thresholds, at the bounds of sets, next to them, and with values that are special."""
    generator = np.random.default_rng(seed)
    rows, every = X[generator.integers(0, len(X), n)].copy(), np.arange(n)
    tests = np.array(
        [
            (tree.feature[node], bound)
            for tree in ensemble.trees
            for node in np.flatnonzero(~tree.is_leaf)
            for bound in tree.bounds_at(node)[-8:]
        ]
    )
    for _ in range(3 if len(tests) else 0):
        columns, bounds = tests[generator.integers(0, len(tests), n)].T
        near = [bounds, *(np.nextafter(bounds, side) for side in (-np.inf, np.inf))]
        near += [bounds.astype(np.float32), bounds.round(), bounds + generator.integers(-2, 3, n)]
        rows[every, columns.astype(int)] = np.array(near)[generator.integers(0, len(near), n), every]
    half = every[::2]
    rows[half, generator.integers(0, X.shape[1], len(half))] = generator.choice(SPECIAL, len(half))
    return rows


def assert_equal(model, X, n=2000):
    """Scores and decisions, bit for bit, on rows of data and on planted ones; gives the ensemble."""
    ensemble = read(model)
    rows = np.vstack([X, planted(X, ensemble, n=n)]) if n else X
    scores = scores_of(model, rows)
    assert scores.shape == (len(rows), ensemble.n_outputs)
    assert (ensemble.scores(rows) == scores).all(), "bit for bit"
    own = decisions_of(model, rows)
    if ensemble.classes == ("prediction",):
        assert (ensemble.predict_proba(rows)[:, 0] == own).all()
    else:
        assert (np.array(ensemble.classes)[ensemble.predict(rows)] == own).all()
        assert len(set(own)) > 1, "else nothing is compared"
    return ensemble


def trained(objective, label, X, rounds=15, columns=(), **parameters):
    data = lightgbm.Dataset(X, label, categorical_feature=list(columns), free_raw_data=False)
    return lightgbm.train({**QUIET, "objective": objective, **parameters}, data, rounds)


def text_of(trees, objective="regression", outputs=1, columns=1, infos="[0:1]", averaged=False):
    """A model file by hand; a tree is a dict of arrays."""
    blocks = []
    for i, tree in enumerate(trees):
        leaves = len(tree["leaf_value"])
        unused = {
            **dict.fromkeys(
                ("split_gain", "internal_value", "internal_weight", "internal_count"), [0] * (leaves - 1)
            ),
            **dict.fromkeys(("leaf_weight", "leaf_count"), [0] * leaves),
        }
        fields = {
            "num_leaves": [leaves],
            "num_cat": [0],
            **unused,
            **tree,
            "is_linear": [0],
            "shrinkage": [1],
        }
        lines = [f"{key}={' '.join(repr(number) for number in numbers)}\n" for key, numbers in fields.items()]
        blocks.append(f"Tree={i}\n{''.join(lines)}\n\n")
    return (
        f"tree\nversion=v4\nnum_class={outputs}\nnum_tree_per_iteration={outputs}\nlabel_index=0\n"
        f"max_feature_idx={columns - 1}\nobjective={objective}\n{'average_output' * averaged}\n"
        f"feature_names={' '.join(f'x{i}' for i in range(columns))}\n"
        f"feature_infos={' '.join([infos] * columns)}\n"
        f"tree_sizes={' '.join(str(len(block)) for block in blocks)}\n\n{''.join(blocks)}end of trees\n\n"
        "feature_importances:\n\nparameters:\n[boosting: gbdt]\n\nend of parameters\n\npandas_categorical:null\n"
    )


def booster_of(trees, **layout):
    return lightgbm.Booster(model_str=text_of(trees, **layout))


def stump(threshold, kind, column=0, left=1.0, right=2.0, **more):
    return {
        "split_feature": [column],
        "threshold": [threshold],
        "decision_type": [kind],
        "left_child": [-1],
        "right_child": [-2],
        "leaf_value": [left, right],
        **more,
    }


def chain(values):
    """A tree that gives the i-th value for the row [i]."""
    tests = len(values) - 1
    return {
        "split_feature": [0] * tests,
        "threshold": [i + 0.5 for i in range(tests)],
        "decision_type": [0] * tests,
        "left_child": [-i - 1 for i in range(tests)],
        "right_child": [*range(1, tests), -tests - 1],
        "leaf_value": [float(value) for value in values],
    }


SETTINGS = {
    "plain": {},
    "zero as missing": {"zero_as_missing": True},
    "no missing": {"use_missing": False},
    "dart": {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0},
    "forest": FOREST,
    "goss": {"data_sample_strategy": "goss", "learning_rate": 0.5},
    "random thresholds": {"extra_trees": True},
    "from zero": {"boost_from_average": False},
    "steep": {"sigmoid": 2.3456789},
}


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", SETTINGS)
def test_classifiers_of_two_classes_are_read_bit_for_bit(name, missing):
    X, y = rows_of_data(missing)
    for columns in ([], CODES):
        model = lightgbm.LGBMClassifier(n_estimators=15, random_state=0, **QUIET, **SETTINGS[name])
        model.fit(X, np.where(y > 0, "yes", "no"), categorical_feature=columns)
        ensemble = assert_equal(model, X)
        assert ensemble.classes == ("no", "yes")
        assert list(ensemble.categories) == columns
        if name != "steep":
            rows = planted(X, ensemble, seed=1, n=300)
            assert (ensemble.predict_proba(rows)[:, 0] == model.predict_proba(rows)[:, 1]).all()


@pytest.mark.parametrize("name", ["plain", "zero as missing", "dart", "forest"])
def test_classifiers_of_more_classes_are_read_bit_for_bit(name):
    X, y = rows_of_data(0.1)
    model = lightgbm.LGBMClassifier(n_estimators=8, random_state=0, **QUIET, **SETTINGS[name])
    model.fit(X, np.array([30, 10, 20])[np.digitize(y, [-0.5, 0.5])], categorical_feature=CODES)
    ensemble = assert_equal(model, X)
    assert (ensemble.classes, ensemble.n_outputs, ensemble.link) == ((10, 20, 30), 3, "softmax")
    rows = planted(X, ensemble, seed=1, n=300)
    assert (ensemble.predict_proba(rows) == model.predict_proba(rows)).all()


@pytest.mark.parametrize(
    "objective",
    ["regression", "regression_l1", "huber", "fair", "quantile", "mape", "cross_entropy", "binary"],
)
def test_regressors_are_read_bit_for_bit(objective):
    X, y = rows_of_data(0.1)
    y = (y > 0).astype(float) if objective in ("cross_entropy", "binary") else y
    model = lightgbm.LGBMRegressor(n_estimators=10, objective=objective, **QUIET)
    assert_equal(model.fit(X, y, categorical_feature=[3]), X)


@pytest.mark.parametrize("objective", ["poisson", "gamma", "tweedie"])
def test_regressors_of_positive_numbers_are_read_bit_for_bit(objective):
    X, y = rows_of_data(0.1)
    model = lightgbm.LGBMRegressor(n_estimators=10, objective=objective, **QUIET)
    assert assert_equal(model.fit(X, np.exp(y / 3)), X).link == "exponential"
    forest = lightgbm.LGBMRegressor(n_estimators=10, objective=objective, **QUIET, **FOREST)
    assert_equal(forest.fit(X, np.exp(y / 3)), X)


def test_boosters_decide_as_a_classifier_would():
    X, y = rows_of_data(0.1)
    two = assert_equal(trained("binary", y > 0, X), X)
    assert two.classes == (0, 1) and len(two.cuts) == 1
    three = assert_equal(trained("multiclass", np.digitize(y, [-0.5, 0.5]), X, num_class=3), X)
    assert three.classes == (0, 1, 2) and three.vote == "sum"
    two_scores = assert_equal(trained("multiclass", y > 0, X, num_class=2), X)
    assert two_scores.classes == (0, 1) and not two_scores.cuts
    forest = assert_equal(trained("multiclass", np.digitize(y, [-0.5, 0.5]), X, num_class=3, **FOREST), X)
    assert forest.vote == "mean" and forest.divisor == 15
    assert assert_equal(trained("cross_entropy", y > 0, X), X).classes == ("prediction",)


@pytest.mark.parametrize("objective", ["regression", "poisson", "cross_entropy"])
def test_a_classifier_with_the_objective_of_a_regressor_compares_p_with_the_rest(objective):
    X, y = rows_of_data()
    model = lightgbm.LGBMClassifier(n_estimators=10, objective=objective, **QUIET).fit(X, y > 0)
    ensemble = assert_equal(model, X)
    assert ensemble.classes == (False, True) and len(ensemble.cuts) == 1


@pytest.mark.parametrize(
    ("slope", "averaged"),
    [(x, averaged) for x in (1, 0.7, 2.34568, 1e-05, 4096, 99.97) for averaged in (False, True)],
)
def test_margins_next_to_the_switch_of_two_classes(slope, averaged):
    ensemble = read(booster_of([stump(0.5, 0)], objective=f"binary sigmoid:{slope}"))
    (cut,) = ensemble.cuts
    near = [
        *beside(cut, 60),
        *beside(0.0, 3),
        *(cut * x for x in (0.5, 0.9, 1.1, 2)),
        1e-300,
        1.0,
        -1.0,
        800.0,
    ]
    trees = [chain([*near, *(-x for x in near)])]
    if averaged:
        trees = [chain(np.array(trees[0]["leaf_value"]) * share) for share in (0.7, 1.9, 0.4)]
    model = booster_of(trees, objective=f"binary sigmoid:{slope}", averaged=averaged)
    assert_equal(model, np.arange(2.0 * len(near))[:, None], n=0)
    if not averaged:
        decided = decisions_of(model, np.arange(3.0)[:, None])
        assert decided.tolist() == [1, 0, 0], "the cut itself, and what is below it"


@pytest.mark.parametrize("outputs", [2, 3, 7])
def test_margins_next_to_the_switch_of_more_classes(outputs):
    generator = np.random.default_rng(outputs)
    n = 600
    level = generator.normal(size=n) * 10.0 ** generator.integers(-3, 3, n)
    scores = level[:, None] + np.spacing(level)[:, None] * generator.integers(-3, 4, (n, outputs))
    scores += generator.choice([0, 0, 1e-16, -40], (n, outputs))
    model = booster_of(
        [chain(column) for column in scores.T], objective=f"multiclass num_class:{outputs}", outputs=outputs
    )
    ensemble = assert_equal(model, np.arange(float(n))[:, None], n=0)
    rows = np.arange(float(n))[:, None]
    assert (ensemble.predict_proba(rows) == model.predict(rows)).all()
    assert (ensemble.predict(rows) != scores.argmax(axis=1)).any(), "there are ties of probabilities only"


@pytest.mark.parametrize(
    "objective", ["binary sigmoid:1", "cross_entropy", "poisson", "gamma", "tweedie", "fair"]
)
def test_the_links_are_those_of_the_library(objective):
    generator = np.random.default_rng(0)
    scores = np.concatenate(
        [
            generator.normal(size=1500) * 3,
            generator.normal(size=700) * 10.0 ** generator.integers(-20, 3, 700),
            generator.uniform(-800, 800, 700),
        ]
    )
    model = booster_of([chain(scores)], objective=objective)
    rows = np.arange(float(len(scores)))[:, None]
    link = read(model).link
    assert (apply_link(scores[:, None], link)[:, 0] == model.predict(rows)).all()


@pytest.mark.parametrize("kind", [0, 2, 4, 6, 8, 10])
def test_every_kind_of_test_at_and_around_zero_and_its_threshold(kind):
    thresholds = [-2.0, *beside(-ZONE), -1e-36, -0.0, 0.0, 5e-324, 1e-36, *beside(ZONE), 2.0, 1e300]
    trees = [stump(threshold, kind, column=i, right=2.0**-i) for i, threshold in enumerate(thresholds)]
    model = booster_of(trees, columns=len(trees))
    points = [*SPECIAL, *(x for threshold in thresholds for x in beside(threshold))]
    assert_equal(model, np.array([points] * len(trees)).T, n=0)


floats = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(SPECIAL),
    st.floats(-5 * ZONE, 5 * ZONE),
    st.integers(-3, 100).map(float),
)
finite = st.one_of(st.floats(-1e300, 1e300), st.sampled_from([x for x in SPECIAL if abs(x) <= 1e300]))


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(finite, st.sampled_from([0, 2, 4, 6, 8, 10])), min_size=1, max_size=6),
    st.lists(floats, min_size=1, max_size=40),
)
def test_thresholds_as_they_come(tests, points):
    model = booster_of([stump(threshold, kind, right=2.0**-i) for i, (threshold, kind) in enumerate(tests)])
    near = [x for threshold, _ in tests for x in beside(threshold)]
    assert_equal(model, np.array([*points, *near])[:, None], n=0)


def of_categories(codes, kind, words=4):
    bits = [sum(1 << code % 32 for code in codes if code // 32 == word) for word in range(words)]
    return stump(0, kind, num_cat=[1], cat_boundaries=[0, words], cat_threshold=bits)


@settings(deadline=None, max_examples=30)
@given(
    st.sets(st.integers(0, 127), min_size=1), st.sampled_from([1, 3, 5, 9, 11]), st.lists(floats, max_size=40)
)
def test_sets_of_categories_as_they_come(codes, kind, points):
    model = booster_of([of_categories(codes, kind)], infos="-1:" + ":".join(map(str, sorted(codes))))
    near = [
        x for code in codes for edge in (code, code + 1) for x in (*beside(float(edge)), -edge, edge - 0.5)
    ]
    ensemble = assert_equal(model, np.array([*points, *near, *SPECIAL])[:, None], n=0)
    assert ensemble.categories[0].names == {float(code): code for code in codes}
    unseen = ensemble.categories[0].others
    assert model.predict([[unseen], [np.nan]]).tolist() == [2.0, 2.0], "others are beside every set"


def frame():
    X, y = rows_of_data(0.1)
    found = pd.DataFrame(X[:, [0, 1, 5]], columns=["age", "size of it", "rate"])
    generator = np.random.default_rng(3)
    found.insert(1, "colour", pd.Categorical(generator.choice(["red", "green", "blue"], len(X))))
    found["grade"] = pd.Categorical(generator.choice([10, 20, 30, 40], len(X)))
    found.loc[::9, "colour"] = None
    return found, y + (found["colour"] == "red") - (found["grade"].astype(float) > 20)


def test_categories_of_a_frame_have_their_names():
    X, y = frame()
    model = lightgbm.LGBMClassifier(n_estimators=10, **QUIET).fit(X, y > 0)
    ensemble = read(model)
    assert ensemble.feature_names == ("age", "colour", "size_of_it", "rate", "grade")
    assert ensemble.categories[1].names == {0.0: "blue", 1.0: "green", 2.0: "red"}
    assert ensemble.categories[4].names == {0.0: 10, 1.0: 20, 2.0: 30, 3.0: 40}
    coded = X.assign(colour=X["colour"].cat.codes.replace(-1, np.nan), grade=X["grade"].cat.codes)
    rows = coded.to_numpy(dtype=np.float64)
    assert_equal(model, rows)
    assert (decisions_of(model, rows) == model.predict(X)).all(), "frames and codes are decided alike"
    strange = X.assign(colour=pd.Categorical(["pink"] * len(X)))
    rows[:, 1] = ensemble.categories[1].others
    assert (np.array(ensemble.classes)[ensemble.predict(rows)] == model.predict(strange)).all()


def test_the_names_of_a_frame_survive_a_file(tmp_path):
    X, y = frame()
    model = lightgbm.LGBMClassifier(n_estimators=10, **QUIET).fit(X, y > 0)
    model.booster_.save_model(tmp_path / "m.txt")
    assert read(load(tmp_path / "m.txt")).categories == read(model).categories


def test_frames_whose_names_cannot_be_told_are_refused():
    X, y = frame()
    ordered = X.assign(grade=X["grade"].cat.as_ordered())
    with pytest.raises(UnsupportedModel, match="2 columns of categories, but colour are"):
        read(lightgbm.LGBMClassifier(n_estimators=5, **QUIET).fit(ordered, y > 0))
    X["rate"] = X["rate"].fillna(0).abs().round()
    model = lightgbm.LGBMClassifier(n_estimators=5, **QUIET)
    with pytest.raises(UnsupportedModel, match="train it on a frame"):
        read(model.fit(X, y > 0, categorical_feature=["colour", "rate", "grade"]))


def test_a_column_that_is_a_number_to_one_tree_and_a_category_to_another_is_refused():
    model = booster_of([stump(1.5, 0), of_categories([2, 5], 1)], infos="2:5")
    with pytest.raises(UnsupportedModel, match="x0: a category to some trees"):
        read(model)


def test_the_best_iteration_and_others_are_read_as_predict_uses_them():
    X, y = rows_of_data()
    data = lightgbm.Dataset(X[:400], y[:400] > 0, free_raw_data=False)
    model = lightgbm.train(
        {**QUIET, "objective": "binary", "learning_rate": 0.5},
        data,
        60,
        valid_sets=[lightgbm.Dataset(X[400:], y[400:] > 0, reference=data)],
        callbacks=[lightgbm.early_stopping(5, verbose=False)],
        keep_training_booster=True,
    )
    assert 0 < model.best_iteration < model.num_trees()
    assert len(assert_equal(model, X).trees) == model.best_iteration
    model.best_iteration = -1
    assert len(assert_equal(model, X).trees) == model.num_trees()
    for forest in (False, True):
        model = trained("binary", y > 0, X, **(FOREST if forest else {}))
        part = lightgbm.Booster(model_str=model.model_to_string(num_iteration=5, start_iteration=3))
        assert (part.predict(X) == model.predict(X, num_iteration=5, start_iteration=3)).all()
        assert len(assert_equal(part, X).trees) == 5


def test_the_digits_of_a_sigmoid_are_those_in_use():
    X, y = rows_of_data()
    data = lightgbm.Dataset(X, y > 0, free_raw_data=False)
    parameters = {**QUIET, "objective": "binary", "sigmoid": 0.712345678912345}
    model = lightgbm.train(parameters, data, 10, keep_training_booster=True)
    exact = assert_equal(model, X).slope
    rounded = assert_equal(pickle.loads(pickle.dumps(model)), X).slope
    assert exact != rounded, "a file has six digits"
    model.reset_parameter({"sigmoid": 3.0})
    with pytest.raises(UnsupportedModel, match="save and load"):
        read(model)


def test_all_ways_to_ask_the_library_agree():
    X, y = rows_of_data(0.1)
    for objective, label in (("binary", y > 0), ("regression", y)):
        model = trained(objective, label, X, columns=CODES, zero_as_missing=objective == "binary")
        ensemble = read(model)
        rows = planted(X, ensemble, n=300)
        rows[abs(rows) <= ZONE] = 0.0
        expected = ensemble.scores(rows)[:, 0]
        one = {"raw_score": True, "num_threads": 1}
        asked = {
            "row by row": np.concatenate([model.predict(row[None], **one) for row in rows]),
            "columns first": model.predict(np.asfortranarray(rows), **one),
            "frame": model.predict(pd.DataFrame(rows), **one),
            "sparse rows": model.predict(csr_matrix(rows), **one),
            "sparse columns": model.predict(csc_matrix(rows), **one),
            "two threads": model.predict(rows, raw_score=True, num_threads=2),
        }
        for way, found in asked.items():
            assert (found == expected).all(), way


def test_trees_of_one_leaf():
    X, y = rows_of_data()
    model = trained("binary", y > 0, X, min_data_in_leaf=10_000)
    ensemble = read(model)
    assert [len(tree) for tree in ensemble.trees] == [1]
    assert (ensemble.scores(X) == scores_of(model, X)).all()
    mixed = booster_of([{**chain([3.0]), "left_child": [], "right_child": []}, stump(0.5, 0)])
    assert_equal(mixed, np.array([[0.0], [1.0]]), n=0)


def test_labels_and_names_come_from_the_model():
    X, y = rows_of_data()
    model = lightgbm.LGBMClassifier(n_estimators=3, **QUIET).fit(X, y > 0)
    ensemble = read(model)
    assert ensemble.feature_names == tuple(f"Column_{i}" for i in range(6))
    assert ensemble.classes == (False, True) and ensemble.source == "LightGBM LGBMClassifier"
    assert ensemble.allows_missing and ensemble.dtype == "float64" and ensemble.operator == "<="


def squared(predicted, data):
    return predicted - data.get_label(), np.ones(len(predicted))


REFUSED = {
    "multiclassova": (
        lambda X, y: trained("multiclassova", y > 0, X, num_class=2),
        "multiclassova is not supported",
    ),
    "cross_entropy_lambda": (lambda X, y: trained("cross_entropy_lambda", y > 0, X), "cross_entropy_lambda"),
    "custom": (lambda X, y: trained(squared, y, X), "custom objective"),
    "square root": (lambda X, y: trained("regression", abs(y), X, reg_sqrt=True), "regression with sqrt"),
    "linear trees": (lambda X, y: trained("regression", y, X, linear_tree=True), "linear_tree=False is read"),
    "ranker": (lambda X, y: lightgbm.LGBMRanker(**QUIET).fit(X, y > 0, group=[350, 350]), "LGBMRanker"),
    "lambdarank": (
        lambda X, y: lightgbm.LGBMRanker(**QUIET).fit(X, y > 0, group=[350, 350]).booster_,
        "lambdarank is not supported: a ranker",
    ),
    "rank_xendcg": (
        lambda X, y: (
            lightgbm.LGBMRanker(objective="rank_xendcg", **QUIET).fit(X, y > 0, group=[700]).booster_
        ),
        "rank_xendcg",
    ),
    "one class": (lambda X, y: lightgbm.LGBMClassifier(**QUIET).fit(X, y * 0), "only one class"),
    "more scores than classes": (
        lambda X, y: lightgbm.LGBMClassifier(objective="multiclass", num_class=4, **QUIET).fit(X, y > 0),
        "2 classes, but 4 scores",
    ),
    "many numbers": (
        lambda X, y: lightgbm.LGBMRegressor(objective="multiclass", num_class=2, **QUIET).fit(X, y > 0),
        "predicts 2 numbers",
    ),
    "early stop": (
        lambda X, y: lightgbm.LGBMClassifier(pred_early_stop=True, **QUIET).fit(X, y > 0),
        "pred_early_stop=False",
    ),
    "class": (lambda X, y: lightgbm.LGBMClassifier, "is a class"),
    "other": (
        lambda X, y: lightgbm.Dataset(X, y),
        "not supported; pass one of LGBMClassifier, LGBMRegressor, Booster",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_exactly_is_refused_by_name(what):
    made, words = REFUSED[what]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = made(*rows_of_data())
    with pytest.raises(UnsupportedModel, match=words):
        read(model)


def test_a_predict_of_its_own_is_refused():
    class Mine(lightgbm.LGBMClassifier):
        def predict_proba(self, X, **options):
            return super().predict_proba(X, **options)[:, ::-1]

    X, y = rows_of_data()
    with pytest.raises(UnsupportedModel, match="Mine has a predict of its own"):
        read(Mine(n_estimators=2, **QUIET).fit(X, y > 0))


def test_what_is_not_fitted_is_an_error():
    with pytest.raises(InvalidInput, match="LGBMClassifier is not fitted"):
        read(lightgbm.LGBMClassifier())
    X, y = rows_of_data()
    with pytest.raises(InvalidInput, match="no trees"):
        read(lightgbm.Booster({**QUIET, "objective": "binary"}, lightgbm.Dataset(X, y > 0)))


def test_without_the_library_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingDependency, match=r"primewood\[lightgbm\]"):
        load(tmp_path / "m.txt")


def test_files_are_loaded_as_they_were_saved(tmp_path):
    X, y = rows_of_data(0.1)
    path = tmp_path / "m.txt"
    for model in (
        trained("binary", y > 0, X, columns=CODES, zero_as_missing=True),
        trained("multiclass", np.digitize(y, [-0.5, 0.5]), X, num_class=3, **FOREST),
        trained("tweedie", np.exp(y / 3), X, monotone_constraints=[1, 0, 0, 0, 0, 0]),
    ):
        model.save_model(path)
        loaded = load(str(path))
        assert (loaded.predict(X) == model.predict(X)).all()
        assert_equal(loaded, X, n=500)


def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    X, y = rows_of_data()
    trained("binary", y > 0, X, rounds=3, columns=CODES).save_model(tmp_path / "m.txt")
    whole = (tmp_path / "m.txt").read_bytes()
    for end in [*range(0, whole.index(b"end of parameters"), 37), whole.index(b"categorical:null") + 5]:
        (tmp_path / "cut.txt").write_bytes(whole[:end])
        with pytest.raises(InvalidInput, match=r"cut\.txt"):
            load(tmp_path / "cut.txt")


DAMAGED = {
    "a child that is not there": ("left_child=-1", "left_child=7", "lead nowhere"),
    "a child twice": ("right_child=-2", "right_child=-1", "not a tree"),
    "a column that is not there": ("split_feature=0", "split_feature=5", "not a tree"),
    "no number where it is not needed": ("split_gain=0", "split_gain=x", "split_gain of tree 0"),
    "no number where it is needed": ("threshold=0.5", "threshold=0.5.5", "threshold of tree 0"),
    "a number too large": ("split_feature=0", "split_feature=99999999999999999999", "too large"),
    "a value too few": ("leaf_value=1.0 2.0", "leaf_value=1.0", "another length"),
    "an infinite value": ("leaf_value=1.0 2.0", "leaf_value=1.0 1e400", "not a tree"),
    "no leaves": ("num_leaves=2", "num_leaves=0", "another length"),
    "a field less": ("threshold=0.5\n", "", "is missing threshold"),
    "no objective": ("objective=regression", "objective=", "no objective ''"),
    "a strange objective": ("objective=regression", "objective=magic", "no objective 'magic'"),
    "a strange slope": ("objective=regression", "objective=binary sigmoid:x", "parameters are not numbers"),
    "classes": ("num_class=1", "num_class=2", "number of classes"),
    "classes of the objective": (
        "objective=regression",
        "objective=multiclass num_class:3",
        "number of classes",
    ),
    "columns": ("max_feature_idx=0", "max_feature_idx=1", "number of columns"),
    "a header": ("label_index=0\n", "", "is missing label_index"),
    "a number of the header": ("label_index=0", "label_index=zero", "label_index is not a number"),
    "the parameters": ("[boosting: gbdt]", "[boosting", "parameters"),
    "the last line": ("pandas_categorical:null", "pandas_categorical:nil", "Expecting value"),
    "the names": ("pandas_categorical:null", "pandas_categorical:[1]", "not a list of lists"),
    "sets of categories": ("num_cat=0", "num_cat=2", "categories of tree 0"),
    "bytes": ("shrinkage=1", "shrinkage=\0", "NUL"),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_files_are_refused_before_the_library_sees_them(what, tmp_path):
    before, after, words = DAMAGED[what]
    whole = text_of([stump(0.5, 0)])
    (tmp_path / "m.txt").write_text(whole)
    assert load(tmp_path / "m.txt").predict([[0.0]]).tolist() == [1.0]
    assert whole.count(before) == 1
    damaged = whole.replace(before, after)
    size = damaged.index("end of trees") - damaged.index("Tree=0")
    damaged = damaged.replace(
        f"tree_sizes={whole.index('end of trees') - whole.index('Tree=0')}", f"tree_sizes={size}"
    )
    (tmp_path / "m.txt").write_text(damaged)
    with pytest.raises(InvalidInput, match=words):
        load(tmp_path / "m.txt")


def test_files_of_others_are_refused(tmp_path):
    for name, content in {"a.json": b'{"learner": {}}', "b.bin": b"\xff\xfe\x00", "c.txt": b""}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidInput, match=f"{name} is not a LightGBM model"):
            load(tmp_path / name)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(tmp_path / "absent.txt")
    for before, after, words in (
        ("version=v4", "version=v2", "version v2"),
        ("is_linear=0", "is_linear=1", "linear trees"),
        ("decision_type=0", "decision_type=12", "kind that primewood does not know"),
        ("label_index=0", "label_index=0\nrotation=1", "rotation"),
    ):
        text = text_of([stump(0.5, 0)]).replace(before, after)
        size = text.index("end of trees") - text.index("Tree=0")
        before_size = text_of([stump(0.5, 0)])
        before_size = before_size.index("end of trees") - before_size.index("Tree=0")
        (tmp_path / "m.txt").write_text(text.replace(f"tree_sizes={before_size}", f"tree_sizes={size}"))
        with pytest.raises(UnsupportedModel, match=words):
            load(tmp_path / "m.txt")
