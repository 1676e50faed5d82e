from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.recfunctions import rename_fields
from sklearn.base import is_classifier
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
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from threadpoolctl import threadpool_limits

from primewood.ensemble.comparison import cut_of
from primewood.ensemble.tree import is_within
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers.scikit_learn_scores import bounds_of, decisions_of, read, scores_of

SPECIAL = (0.0, -0.0, 5e-324, 1.0, -1e300, 1e300)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Histogram gradient boosting uses all cores for each of its trees; on busy ones, that takes ages."""
    with threadpool_limits(1, user_api="openmp"):
        yield


def table(n=300, seed=0):
    """Six columns: two smooth, one of few values, one of whole numbers, one tiny, one constant but for its ends."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 6))
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = generator.integers(0, 5, n) * 2 + 1
    X[:, 4] *= 1e-30
    X[:, 5] = np.clip(X[:, 5], -0.1, 0.1)
    signal = X[:, 0] + (X[:, 3] > 3) - (X[:, 2] < 0) * X[:, 1] + 0.3 * generator.normal(size=n)
    return X, signal


def labels(signal, n_classes):
    """The signal in classes of growing size, named by letters."""
    edges = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1] ** 1.4)
    return np.array([chr(97 + i) for i in range(n_classes)])[np.searchsorted(edges, signal)]


def with_holes(X, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.15] = np.nan
    return X


def near(threshold, dtype):
    """Numbers at a threshold and next to it, in float64 and in float32, and where the cast changes sides."""
    with np.errstate(over="ignore"):
        single = np.float32(threshold)
        found = [threshold, cut_of(threshold, "<=", dtype), float(single)]
        found += [np.nextafter(x, side) for x in found for side in (-np.inf, np.inf)]
        found += [float(np.nextafter(single, np.float32(side))) for side in (-np.inf, np.inf)]
    return [x for x in found if abs(x) < (1e308 if dtype == "float64" else 3e38)]


def planted(ensemble, X, n=2000, seed=0):
    """Rows of X with values moved to what the trees test, some missing if the model allows it."""
    generator = np.random.default_rng(seed)
    rows = X[generator.integers(0, len(X), n)].copy()
    tests = [
        (int(tree.feature[node]), float(bound))
        for tree in ensemble.trees
        for node in np.flatnonzero(tree.feature >= 0)
        for bound in tree.bounds_at(node)
        if np.isfinite(bound)
    ]
    drawn = [tests[i] for i in generator.choice(len(tests), min(200, len(tests)), replace=False)]
    places = [(feature, x) for feature, bound in drawn for x in near(bound, ensemble.dtype)]
    for _ in range(3 if places else 0):
        chosen = np.array(places)[generator.integers(0, len(places), n)]
        rows[np.arange(n), chosen[:, 0].astype(int)] = chosen[:, 1]
    for j, categories in ensemble.categories.items():
        codes = [*categories.names, categories.others]
        changed = generator.random(n) < 0.5
        rows[changed, j] = generator.choice(codes, changed.sum())
    if ensemble.allows_missing:
        rows[generator.random(rows.shape) < 0.1] = np.nan
    return rows


def assert_read_exactly(model, X, *, n=2000):
    """Scores, decisions, predictions and probabilities are the library's, bit for bit."""
    ensemble = read(model)
    rows = np.vstack([X, planted(ensemble, X, n)])
    scores = ensemble.scores(rows)
    assert (scores == scores_of(model, rows)).all()
    own = decisions_of(model, rows)
    if is_classifier(model):
        assert (np.array(ensemble.classes)[ensemble.predict(rows)] == own).all()
    else:
        assert (ensemble.predict_proba(rows)[:, 0] == own).all()
        assert ensemble.classes == ("prediction",) and not ensemble.cuts
    if ensemble.cuts:
        assert (ensemble.predict_proba(rows)[:, 0] == model.predict_proba(rows)[:, 1]).all()
    return ensemble


GRADIENT = {
    "plain": {},
    "exponential": {"loss": "exponential"},
    "exponential, from zero": {"loss": "exponential", "init": "zero", "learning_rate": 0.7},
    "from zero": {"init": "zero", "learning_rate": 0.37},
    "from uniform": {"init": DummyClassifier(strategy="uniform")},
    "from the most frequent": {"init": DummyClassifier(strategy="most_frequent"), "learning_rate": 3},
    "from a constant": {"init": DummyClassifier(strategy="constant", constant=1), "learning_rate": 5.0},
    "samples and columns": {"subsample": 0.6, "max_features": 2, "learning_rate": 1 / 3},
    "best first": {"max_leaf_nodes": 7, "max_depth": None},
    "pruned": {"ccp_alpha": 0.002, "max_depth": 5},
    "stopped early": {"n_iter_no_change": 2, "n_estimators": 60},
    "stumps": {"max_depth": 1, "learning_rate": 1.0},
}


@pytest.mark.parametrize("name", GRADIENT)
def test_gradient_boosting_of_two_classes(name):
    X, signal = table()
    settings = {"n_estimators": 20, "random_state": 0} | GRADIENT[name]
    model = GradientBoostingClassifier(**settings).fit(X, labels(signal, 2))
    ensemble = assert_read_exactly(model, X)
    assert not ensemble.allows_missing and ensemble.dtype == "float32"
    assert len(set(ensemble.predict(X).tolist())) == 2
    assert len(ensemble.trees) == len(model.estimators_)


@pytest.mark.parametrize("n_classes", [3, 11])
@pytest.mark.parametrize("init", [None, "zero"])
def test_gradient_boosting_of_several_classes(n_classes, init):
    X, signal = table()
    model = GradientBoostingClassifier(n_estimators=6, init=init, random_state=0)
    assert_read_exactly(model.fit(X, labels(signal, n_classes)), X)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("init", [None, "zero", DummyRegressor(strategy="constant", constant=1 / 3)])
def test_gradient_boosting_of_numbers(loss, init):
    X, signal = table()
    model = GradientBoostingRegressor(n_estimators=15, loss=loss, init=init, random_state=0)
    assert_read_exactly(model.fit(X, 1e3 * signal), X)


def test_gradient_boosting_that_went_on_from_an_earlier_fit():
    X, signal = table()
    model = GradientBoostingClassifier(n_estimators=5, warm_start=True, random_state=0)
    model.fit(X, labels(signal, 2))
    model.set_params(n_estimators=12).fit(X, labels(signal, 2))
    assert len(assert_read_exactly(model, X).trees) == 12


HISTOGRAM = {
    "plain": {},
    "monotonic": {"monotonic_cst": [1, 0, -1, 0, 0, 0]},
    "no interactions": {"interaction_cst": "no_interactions"},
    "stopped early": {"early_stopping": True, "n_iter_no_change": 2, "max_iter": 60},
    "few bins": {"max_bins": 4, "learning_rate": 1.0},
    "deep": {"max_leaf_nodes": None, "min_samples_leaf": 1, "l2_regularization": 0.5},
    "weighted": {"class_weight": "balanced", "l2_regularization": 1e-3},
    "categorical": {"categorical_features": [2, 3]},
    "categorical by mask": {"categorical_features": [False, False, True, True, False, False], "max_depth": 3},
}


@pytest.mark.parametrize("name", HISTOGRAM)
@pytest.mark.parametrize("holes", [False, True])
def test_histogram_gradient_boosting_of_two_classes(name, holes):
    X, signal = table()
    X = with_holes(X) if holes else X
    settings = {"max_iter": 15, "min_samples_leaf": 5, "random_state": 0} | HISTOGRAM[name]
    model = HistGradientBoostingClassifier(**settings).fit(X, labels(signal, 2))
    ensemble = assert_read_exactly(model, X)
    assert ensemble.allows_missing and ensemble.dtype == "float64"
    assert len(set(ensemble.predict(X).tolist())) == 2


@pytest.mark.parametrize("categorical", [None, [3]])
def test_histogram_gradient_boosting_of_several_classes(categorical):
    X, signal = table()
    model = HistGradientBoostingClassifier(max_iter=6, categorical_features=categorical, random_state=0)
    ensemble = assert_read_exactly(model.fit(with_holes(X), labels(signal, 4)), with_holes(X))
    assert len(ensemble.trees) == 24


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_histogram_gradient_boosting_of_numbers(loss):
    X, signal = table()
    quantile = 0.3 if loss == "quantile" else None
    model = HistGradientBoostingRegressor(
        max_iter=15, loss=loss, quantile=quantile, categorical_features=[2], random_state=0
    )
    assert_read_exactly(model.fit(with_holes(X), signal), with_holes(X))


def test_histogram_gradient_boosting_that_went_on_from_an_earlier_fit():
    X, signal = table()
    model = HistGradientBoostingClassifier(max_iter=4, warm_start=True, random_state=0)
    model.fit(X, labels(signal, 2))
    model.set_params(max_iter=9).fit(X, labels(signal, 2))
    assert len(assert_read_exactly(model, X).trees) == 9


@cache
def model_with_cells():
    """A model, and for each column the numbers that its trees could mistake."""
    X, signal = table()
    model = HistGradientBoostingClassifier(
        max_iter=20, min_samples_leaf=4, categorical_features=[3], random_state=0
    )
    ensemble = read(model.fit(with_holes(X), labels(signal, 3)))
    cells = [{math.nan, math.inf, -math.inf, *SPECIAL} for _ in range(6)]
    for tree in ensemble.trees:
        for node in np.flatnonzero(~tree.is_leaf):
            for bound in tree.bounds_at(node):
                cells[tree.feature[node]].update(near(float(bound), "float64") if np.isfinite(bound) else ())
    cells[3] -= {math.inf, -math.inf}  # which scikit-learn refuses in a categorical column
    return model, ensemble, st.tuples(*(st.sampled_from(sorted(column)) for column in cells))


@given(st.data())
@settings(max_examples=60)
def test_histogram_gradient_boosting_takes_any_numbers(data):
    model, ensemble, cells = model_with_cells()
    rows = np.array(data.draw(st.lists(cells, min_size=1, max_size=20)))
    assert (ensemble.scores(rows) == scores_of(model, rows)).all()
    assert (np.array(ensemble.classes)[ensemble.predict(rows)] == decisions_of(model, rows)).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_histogram_gradient_boosting_of_random_tables(seed):
    generator = np.random.default_rng(seed)
    X, signal = table(n=80, seed=seed)
    columns = np.flatnonzero(generator.random(6) < 0.4)
    X[:, columns] = np.round(X[:, columns] * generator.choice([1.0, 0.1, 3.7]), 1) / 3
    X = with_holes(X, seed) if generator.random() < 0.5 else X
    model = HistGradientBoostingClassifier(
        max_iter=int(generator.integers(1, 8)),
        min_samples_leaf=int(generator.integers(1, 9)),
        learning_rate=float(generator.uniform(0.05, 1.5)),
        categorical_features=columns,
    )
    assert_read_exactly(model.fit(X, labels(signal, generator.integers(2, 4))), X, n=300)


def test_the_switch_of_histogram_gradient_boosting_is_exactly_above_zero():
    X, signal = table(n=120)
    model = HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=3, random_state=0)
    model.fit(X, labels(signal, 2))
    last = model._predictors[-1][0].nodes["value"]
    last[:] = 0.0
    seen = set()
    for target in scores_of(model, X)[:25, 0]:
        for leaf in around(-target):
            last[:] = leaf
            seen |= decided_within(1e-15, model, X)
    assert seen == {(-1.0, "a"), (0.0, "a"), (1.0, "b")}


def test_the_switch_of_gradient_boosting_is_exactly_zero():
    X, signal = table(n=120)
    model = GradientBoostingClassifier(n_estimators=12, learning_rate=0.5, init="zero", random_state=0)
    model.fit(X, labels(signal, 2))
    last = model.estimators_[-1, 0].tree_.value
    last[:] = 0.0
    seen = set()
    for target in scores_of(model, X)[:25, 0]:
        for leaf in around(-2 * target):
            last[:] = leaf
            seen |= decided_within(1e-15, model, X)
    assert seen == {(-1.0, "a"), (0.0, "b"), (1.0, "b")}


def around(number):
    """The number and the three floats on either side."""
    return (np.float64(number).view(np.int64) + np.arange(-3, 4)).view(np.float64)


def decided_within(distance, model, X):
    """The signs and decisions of the scores that are close to 0, after a comparison of all of them."""
    ensemble = read(model)
    scores = ensemble.scores(X)
    assert (scores == scores_of(model, X)).all()
    own = decisions_of(model, X)
    assert (np.array(ensemble.classes)[ensemble.predict(X)] == own).all()
    close = np.flatnonzero(abs(scores[:, 0]) < distance)
    return {(float(np.sign(scores[i, 0])), str(own[i])) for i in close}


@pytest.mark.parametrize("classes", [2, 3])
def test_trees_that_never_split_leave_ties_to_the_rule(classes):
    X, y = np.zeros((12, 2)), np.arange(12) % classes
    for model, tied in ((GradientBoostingClassifier(), 1), (HistGradientBoostingClassifier(), 0)):
        assert_read_exactly(model.fit(X, y), X, n=10)
        assert (read(model).predict(X) == (tied if classes == 2 else 0)).all()


def test_probabilities_are_the_same_for_a_row_by_itself_and_among_others():
    X, signal = table()
    for model in (
        GradientBoostingClassifier(n_estimators=8, loss="exponential", random_state=0),
        HistGradientBoostingClassifier(max_iter=8, random_state=0),
    ):
        model.fit(X, labels(signal, 2))
        ours = read(model).predict_proba(X)[:, 0]
        assert len(set(ours.tolist())) > 20
        for i in range(0, 300, 7):
            assert ours[i] == model.predict_proba(X[i : i + 1])[0, 1]
            assert ours[i] == model.predict_proba(X[i - i % 5 : i + 3])[i % 5, 1]


REGRESSORS = {
    "tree": DecisionTreeRegressor(random_state=0),
    "tree of medians": DecisionTreeRegressor(criterion="absolute_error", max_depth=4, random_state=0),
    "best first": DecisionTreeRegressor(max_leaf_nodes=9, ccp_alpha=0.001, random_state=0),
    "random tree": ExtraTreeRegressor(random_state=0),
    "forest": RandomForestRegressor(n_estimators=13, random_state=0),
    "forest, several jobs": RandomForestRegressor(n_estimators=13, n_jobs=2, random_state=0),
    "extra trees": ExtraTreesRegressor(n_estimators=7, max_depth=5, random_state=0),
    "bagging": BaggingRegressor(n_estimators=9, random_state=0),
    "bagging of some columns": BaggingRegressor(
        ExtraTreeRegressor(), n_estimators=9, max_features=0.7, bootstrap_features=True, random_state=0
    ),
    "bagging of forests": BaggingRegressor(
        RandomForestRegressor(n_estimators=5, n_jobs=2), n_estimators=3, max_features=4, random_state=0
    ),
    "vote": VotingRegressor(
        [("tree", DecisionTreeRegressor(max_depth=3)), ("forest", RandomForestRegressor(n_estimators=6))]
    ),
    "weighted vote": VotingRegressor(
        [
            *((f"tree {i}", ExtraTreeRegressor(random_state=i)) for i in range(5)),
            ("none", "drop"),
            ("forest", ExtraTreesRegressor(n_estimators=6)),
            ("one", RandomForestRegressor(n_estimators=1)),
        ],
        weights=[0.3, 1, 0, 2.7, 1 / 3, 9, 0.1, 5],
    ),
}


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("holes", [False, True])
def test_regressors_of_trees(name, holes):
    X, signal = table()
    X = with_holes(X) if holes else X
    model = REGRESSORS[name].fit(X, signal)
    ensemble = assert_read_exactly(model, X)
    assert ensemble.any_order == (name in ("forest, several jobs", "bagging of forests"))


def test_bagging_in_several_jobs_adds_in_another_order_and_a_vote_does_not():
    members = [("tree", DecisionTreeRegressor(max_depth=2)), ("other", ExtraTreeRegressor(max_depth=2))]
    bagging, vote = fitted(BaggingRegressor(n_estimators=3)), fitted(VotingRegressor(members))
    bagging.n_jobs = vote.n_jobs = 2
    assert read(bagging).any_order and not read(vote).any_order


def test_a_vote_of_up_to_seven_regressors_is_the_same_for_a_row_by_itself():
    X, signal = table()
    members = [(str(i), ExtraTreeRegressor(random_state=i)) for i in range(7)]
    for weights in (None, [0.1, 0.2, 0.3, 0.7, 1.1, 1.3, 1.7]):
        model = VotingRegressor(members, weights=weights).fit(X, signal)
        ours = read(model).scores(X)[:, 0]
        assert all(ours[i] == model.predict(X[i : i + 1])[0] for i in range(150))


# Frames with categories: what the ensemble says of codes is what the model says of the frame.


def frame_columns(n=500, seed=0):
    generator = np.random.default_rng(seed)
    city = generator.choice(["Rome", "Oslo", "Bern", "Lima", "Kiev"], n)
    size = generator.choice(["small", "large"], n)
    rooms = generator.choice([3, 7, 12, 40], n)
    x, z = generator.normal(size=(2, n))
    missing = generator.random(n) < 0.1
    signal = np.isin(city, ["Oslo", "Lima"]) + 1.0 * (rooms == 7) - (size == "small") * (x > 0) + 0.3 * z
    return x, city, z, size, rooms, missing, signal


def pandas_frame(seed=0, unseen=False):
    x, city, z, size, rooms, missing, signal = frame_columns(seed=seed)
    city = np.where(missing, None, city)
    if unseen:
        city, rooms = np.where(x > 1, "Cork", city), np.where(z > 1, 8, rooms)
    frame = pd.DataFrame(
        {
            "x": x,
            "city": pd.Categorical(city),
            "z": np.where(missing, np.nan, z),
            "size": pd.Categorical(size, categories=["small", "large"], ordered=True),
            "rooms": pd.Categorical(rooms),
        }
    )
    return frame, signal


def coded(frame, ensemble):
    """The rows of a frame with codes; a value that is None is the category None where there is one."""
    rows = np.empty((len(frame), len(ensemble.feature_names)))
    for j, name in enumerate(ensemble.feature_names):
        values = frame[name].to_list()
        if j in ensemble.categories:
            categories = ensemble.categories[j]
            codes = {name: code for code, name in categories.names.items()}
            gone = [v is None or v != v for v in values]
            values = [
                codes.get(v, math.nan if g else categories.others) for v, g in zip(values, gone, strict=True)
            ]
        rows[:, j] = [math.nan if v is None else v for v in values]
    return rows


def assert_frames_are_read_exactly(model, *frames):
    ensemble = read(model)
    for frame in frames:
        rows = coded(frame, ensemble)
        scores = ensemble.scores(rows)
        raw = model.decision_function(frame) if is_classifier(model) else model.predict(frame)
        assert (scores == np.reshape(raw, scores.shape)).all()
        assert (scores == scores_of(model, rows)).all()
        assert (decisions_of(model, rows) == model.predict(frame)).all()
        if is_classifier(model):
            assert (np.array(ensemble.classes)[ensemble.predict(rows)] == model.predict(frame)).all()
        if ensemble.cuts:
            assert (ensemble.predict_proba(rows)[:, 0] == model.predict_proba(frame)[:, 1]).all()
        strange = planted(ensemble, rows)
        assert (ensemble.scores(strange) == scores_of(model, strange)).all()
    return ensemble


@pytest.mark.parametrize("n_classes", [2, 3])
def test_categories_of_pandas_frames(n_classes):
    frame, signal = pandas_frame()
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=3, random_state=0)
    model.fit(frame, labels(signal, n_classes))
    ensemble = assert_frames_are_read_exactly(
        model, frame, pandas_frame(1)[0], pandas_frame(2, unseen=True)[0]
    )
    assert ensemble.feature_names == ("x", "city", "z", "size", "rooms")
    assert sorted(ensemble.categories) == [1, 3, 4]
    cities = ensemble.categories[1]
    assert cities.names == {0.0: "Bern", 1.0: "Kiev", 2.0: "Lima", 3.0: "Oslo", 4.0: "Rome"}
    assert cities.others == 5.0
    assert ensemble.categories[4].names == {3.0: 3, 7.0: 7, 12.0: 12, 40.0: 40}
    assert any(tree.tests_sets.any() for tree in ensemble.trees)


def test_a_frame_of_nothing_but_categories():
    frame, signal = pandas_frame()
    words = ["rooms", "city"]
    model = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(frame[words], signal)
    ensemble = assert_frames_are_read_exactly(model, frame[words], pandas_frame(1, unseen=True)[0][words])
    assert sorted(ensemble.categories) == [0, 1]


def test_an_unseen_category_is_to_the_trees_what_a_missing_one_is():
    frame, signal = pandas_frame()
    model = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(frame, signal)
    ensemble = read(model)
    rows = coded(frame, ensemble)
    for j, categories in ensemble.categories.items():
        unseen, missing = rows.copy(), rows.copy()
        unseen[:, j], missing[:, j] = categories.others, np.nan
        assert (ensemble.scores(unseen) == ensemble.scores(missing)).all()
        assert (ensemble.scores(unseen) != ensemble.scores(rows)).any()


def test_categories_by_name_in_columns_of_objects():
    frame, signal = pandas_frame()
    plain = frame.astype({"city": object, "rooms": int})
    model = HistGradientBoostingRegressor(categorical_features=["rooms", "city", "size"], max_iter=20)
    assert_frames_are_read_exactly(model.fit(plain, signal), plain)


def test_none_among_numbers_is_a_category_with_a_code_that_is_free():
    x, _, _, _, rooms, missing, signal = frame_columns()
    values = [None if gone else int(room) // 7 for room, gone in zip(rooms, missing, strict=True)]
    frame = pd.DataFrame({"x": x, "rooms": pd.Series(values, dtype=object)})
    model = HistGradientBoostingRegressor(categorical_features=["rooms"], max_iter=20).fit(frame, signal)
    ensemble = assert_frames_are_read_exactly(model, frame)
    assert ensemble.categories[1].names == {0.0: 0, 1.0: 1, 5.0: 5, 2.0: None}
    assert ensemble.categories[1].others == 3.0


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["Lima", "Kiev", "Rome", "Oslo", "Bern", "Cork"])])
@pytest.mark.parametrize("nulls", [True, False])
def test_categories_of_polars_frames(kind, nulls):
    def frame(seed, nulls, unseen=False):
        x, city, z, _, rooms, missing, signal = frame_columns(seed=seed)
        city = np.where(x > 1, "Cork", city) if unseen else city
        values = [None if gone and nulls else str(name) for name, gone in zip(city, missing, strict=True)]
        columns = {"x": x, "city": pl.Series(values, dtype=kind), "z": z, "rooms": rooms}
        return pl.DataFrame(columns), signal

    fitted, signal = frame(0, nulls)
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=3, random_state=0)
    model.fit(fitted, labels(signal, 2))
    ensemble = assert_frames_are_read_exactly(
        model, fitted, frame(1, True)[0], frame(2, True, unseen=True)[0]
    )
    assert list(ensemble.categories) == [1]
    assert (None in ensemble.categories[1].names.values()) == nulls, (
        "a null is a category where it was learned"
    )


@pytest.mark.parametrize("named", [False, True])
def test_categories_that_are_numbers_are_their_own_codes(named):
    generator = np.random.default_rng(0)
    kinds = np.array([-1.5, 0.1, np.nextafter(0.1, 1), 7.0, 1e300, 3.0])
    X = np.column_stack(
        [generator.normal(size=400), generator.choice(kinds, 400), generator.integers(0, 2, 400)]
    )
    y = X[:, 0] + 2 * np.isin(X[:, 1], kinds[[1, 3, 4]]) - X[:, 2]
    fitted = pd.DataFrame(X, columns=["x", "kind", "flag"]).astype({"flag": bool}) if named else X
    model = HistGradientBoostingRegressor(max_iter=20, categorical_features=[1, 2], min_samples_leaf=2)
    ensemble = assert_read_exactly(model.fit(fitted, y), X)
    assert ensemble.categories[1].names == {kind: kind for kind in kinds}
    assert ensemble.categories[1].others not in kinds
    assert (ensemble.scores(X)[:, 0] == model.predict(fitted)).all()


floats = st.one_of(st.sampled_from([0.1, float(np.nextafter(0.1, 1)), -0.0, 5e-324]), st.floats(-1e3, 1e3))


@given(st.lists(floats, max_size=8, unique=True), st.data())
def test_bounds_hold_the_codes_inside_and_all_other_numbers_or_none(codes, data):
    codes = np.array(codes, dtype=np.float64)
    inside = np.array([data.draw(st.booleans()) for _ in codes], dtype=bool)
    others = data.draw(st.booleans())
    bounds = bounds_of(codes, inside, others=others)
    assert (np.diff(bounds) > 0).all()
    x = np.concatenate([codes, np.nextafter(codes, np.inf), np.nextafter(codes, -np.inf), SPECIAL])
    where = [np.flatnonzero(codes == number) for number in x]
    expected = [bool(inside[at[0]]) if len(at) else others for at in where]
    assert is_within(x, bounds, "<=").tolist() == expected


# What is refused.


def fitted(model, target=None):
    X, signal = table(n=60)
    return model.fit(X, signal if target is None else target(signal))


def two(signal):
    return signal > np.median(signal)


def shrunk_bagging():
    return fitted(BaggingRegressor(n_estimators=4)).set_params(n_estimators=3)


REFUSED = {
    "not fitted": (lambda: GradientBoostingClassifier(), InvalidInput, "not fitted"),
    "not fitted either": (lambda: HistGradientBoostingRegressor(), InvalidInput, "not fitted"),
    "a class": (lambda: HistGradientBoostingClassifier, UnsupportedModel, "is a class"),
    "another model": (lambda: LinearRegression(), UnsupportedModel, "LinearRegression"),
    "poisson": (
        lambda: fitted(HistGradientBoostingRegressor(loss="poisson"), np.exp),
        UnsupportedModel,
        "poisson",
    ),
    "gamma": (
        lambda: fitted(HistGradientBoostingRegressor(loss="gamma"), np.exp),
        UnsupportedModel,
        "numpy's exp",
    ),
    "a linear start": (
        lambda: fitted(GradientBoostingRegressor(init=LinearRegression(), n_estimators=2)),
        UnsupportedModel,
        "LinearRegression as init",
    ),
    "a logistic start": (
        lambda: fitted(GradientBoostingClassifier(init=LogisticRegression(), n_estimators=2), two),
        UnsupportedModel,
        "LogisticRegression as init",
    ),
    "a random start": (
        lambda: fitted(
            GradientBoostingClassifier(init=DummyClassifier(strategy="stratified"), n_estimators=2), two
        ),
        UnsupportedModel,
        "stratified",
    ),
    "one class": (
        lambda: fitted(HistGradientBoostingClassifier(max_iter=2), lambda y: np.zeros(len(y), dtype=int)),
        UnsupportedModel,
        "only one class, 0",
    ),
    "several outputs": (
        lambda: fitted(DecisionTreeRegressor(), lambda y: np.column_stack([y, y])),
        UnsupportedModel,
        "2 outputs",
    ),
    "a forest of several outputs": (
        lambda: fitted(RandomForestRegressor(n_estimators=2), lambda y: np.column_stack([y, y])),
        UnsupportedModel,
        "2 outputs",
    ),
    "bagging of lines": (
        lambda: fitted(BaggingRegressor(LinearRegression())),
        UnsupportedModel,
        "BaggingRegressor with LinearRegression inside",
    ),
    "bagging that lost a member": (shrunk_bagging, UnsupportedModel, "n_estimators=3 but 4"),
    "a vote with boosting": (
        lambda: fitted(VotingRegressor([("a", GradientBoostingRegressor(n_estimators=2))])),
        UnsupportedModel,
        "GradientBoostingRegressor inside",
    ),
    "a vote of eight": (
        lambda: fitted(VotingRegressor([(str(i), DecisionTreeRegressor(max_depth=1)) for i in range(8)])),
        UnsupportedModel,
        "at most 7 members",
    ),
    "a vote with a debt": (
        lambda: fitted(
            VotingRegressor([("a", DecisionTreeRegressor()), ("b", ExtraTreeRegressor())], weights=[2, -1])
        ),
        UnsupportedModel,
        "weights 2.0, -1.0",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_exactly_is_refused_by_name(name):
    make, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        read(make())


@pytest.mark.parametrize(
    ("category", "words"),
    [(2**53 + 1, "9007199254740993"), (np.datetime64("2020-01-01", "ns"), "datetime64")],
)
def test_categories_that_are_neither_words_nor_floats_are_refused(category, words):
    _, signal = table(n=60)
    other = category + np.timedelta64(5, "D") if isinstance(category, np.datetime64) else category + 5
    frame = pd.DataFrame({"c": pd.Categorical(pd.Series([category, other] * 30)), "x": signal})
    model = HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=2).fit(frame, signal)
    with pytest.raises(UnsupportedModel, match=words):
        read(model)


def test_a_layout_of_another_version_is_refused():
    model = fitted(HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=2))
    predictor = model._predictors[0][0]
    predictor.nodes = rename_fields(predictor.nodes, {"num_threshold": "threshold"})
    with pytest.raises(UnsupportedModel, match="refused rather than guessed at"):
        read(model)
