from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoost, CatBoostClassifier, CatBoostRanker, CatBoostRegressor, sum_models
from hypothesis import given, settings
from hypothesis import strategies as st

from primewood.ensemble.comparison import cut_of
from primewood.ensemble.link import apply_link
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers.catboost import decisions_of, load, read, scores_of

QUIET = {"thread_count": 1, "verbose": 0, "allow_writing_files": False}
SMALL = {"iterations": 23, "depth": 4, **QUIET}
KINDS = {
    "symmetric": (CatBoostClassifier, {}),
    "stumps": (CatBoostClassifier, {"depth": 1}),
    "deeper than eight": (CatBoostClassifier, {"depth": 10, "iterations": 9}),
    "with a bias": (CatBoostClassifier, {"boost_from_average": True}),
    "cross-entropy": (CatBoostClassifier, {"loss_function": "CrossEntropy"}),
    "missing below": (CatBoostClassifier, {"nan_mode": "Min"}),
    "missing above": (CatBoostClassifier, {"nan_mode": "Max"}),
    "missing here and there": (
        CatBoostClassifier,
        {"per_float_feature_quantization": ["0:nan_mode=Max", "1:nan_mode=Min"]},
    ),
    "by depth": (CatBoostClassifier, {"grow_policy": "Depthwise"}),
    "by loss": (CatBoostClassifier, {"grow_policy": "Lossguide", "max_leaves": 9, "nan_mode": "Max"}),
    "plain object": (CatBoost, {"loss_function": "Logloss"}),
    "several classes": (CatBoostClassifier, {"loss_function": "MultiClass"}),
    "one against all": (CatBoostClassifier, {"loss_function": "MultiClassOneVsAll"}),
    "several classes by loss": (
        CatBoostClassifier,
        {"loss_function": "MultiClass", "grow_policy": "Lossguide"},
    ),
    "regressor": (CatBoostRegressor, {}),
    "absolute error": (CatBoostRegressor, {"loss_function": "MAE"}),
    "quantile": (CatBoostRegressor, {"loss_function": "Quantile:alpha=0.3"}),
    "Huber": (CatBoostRegressor, {"loss_function": "Huber:delta=1.0"}),
    "regressor by depth": (CatBoostRegressor, {"grow_policy": "Depthwise"}),
    "plain regressor": (CatBoost, {"loss_function": "RMSE"}),
}


def table(seed=0, holes=0.1, n=400):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 5))
    X[generator.random(X.shape) < holes] = np.nan
    return X, np.nansum(X[:, :3], axis=1) + generator.normal(size=n)


def fit(kind=CatBoostClassifier, X=None, y=None, **settings):
    settings = {**SMALL, **settings}
    model = kind(settings) if kind is CatBoost else kind(**settings)
    return model.fit(X, y)


@cache
def trained(name):
    kind, settings = KINDS[name]
    X, score = table()
    y = score
    if "Multi" in settings.get("loss_function", ""):
        y = np.digitize(score, [-1, 0.2, 1])
    elif kind is CatBoostClassifier or settings.get("loss_function") == "Logloss":
        y = (score > 0.3).astype(int)
    return fit(kind, X, y, **settings)


def planted(ensemble, X, seed=0, n=2000):
    """Rows with values at borders and next to them, in float64 and in float32, and values of every other sort."""
    generator = np.random.default_rng(seed)
    tests = [
        (int(f), float(t))
        for tree in ensemble.trees
        for f, t in zip(tree.feature, tree.threshold, strict=True)
        if f >= 0
    ]
    rows = X[generator.integers(0, len(X), n)].copy()
    odd = [
        np.nan,
        np.inf,
        -np.inf,
        1e300,
        -1e300,
        0.0,
        -0.0,
        5e-324,
        *np.finfo(np.float32).max * np.array([1, -1]),
    ]
    for row in rows:
        for _ in range(3):
            feature, border = tests[generator.integers(len(tests))]
            near = [border, cut_of(border, "<=", "float32")]
            near += [np.nextafter(x, side) for x in near for side in (-np.inf, np.inf)]
            with np.errstate(over="ignore"):
                near += [
                    float(np.nextafter(np.float32(border), np.float32(side))) for side in (-np.inf, np.inf)
                ]
            row[feature] = near[generator.integers(len(near))]
        if generator.random() < 0.5:
            row[generator.integers(len(row))] = odd[generator.integers(len(odd))]
    return rows


def assert_read_exactly(model, rows, data=None):
    ensemble = read(model, data)
    ours, own = ensemble.scores(rows), scores_of(model, rows, ensemble.categories)
    assert ours.shape == own.shape
    assert (ours == own).all(), "bit for bit"
    decided = decisions_of(model, rows, ensemble.categories)
    if ensemble.is_regressor:
        assert (ensemble.predict_proba(rows)[:, 0] == decided).all()
    else:
        assert (np.array(ensemble.classes)[ensemble.decide(ours)] == decided).all()
    return ensemble


@pytest.mark.parametrize("name", KINDS)
def test_scores_and_decisions_are_those_of_the_library(name):
    model = trained(name)
    X, _ = table(seed=1)
    ensemble = assert_read_exactly(model, np.vstack([X, planted(read(model), X)]))
    assert not ensemble.any_order and ensemble.allows_missing
    assert type(model).__name__ in ensemble.source


@pytest.mark.parametrize(
    "name", ["symmetric", "deeper than eight", "several classes", "regressor", "by loss"]
)
def test_neither_the_number_of_rows_nor_of_threads_changes_a_bit(name):
    model = trained(name)
    rows = planted(read(model), table()[0], n=3000)
    ours = read(model).scores(rows)
    for n in (1, 2, 3, 7, 8, 15, 16, 17, 127, 128, 129, 1000, 3000):
        for threads in (1, 2, -1):
            own = model.predict(rows[:n], prediction_type="RawFormulaVal", thread_count=threads)
            assert (np.reshape(own, (n, -1)) == ours[:n]).all()
    for row, scores in zip(rows[:100], ours, strict=False):
        assert (model.predict(row, prediction_type="RawFormulaVal") == scores).all()
        assert (model.predict(row.tolist(), prediction_type="RawFormulaVal") == scores).all()


@pytest.mark.parametrize("name", ["symmetric", "cross-entropy", "with a bias", "by depth", "plain object"])
def test_probabilities_of_two_classes_are_those_of_the_library(name):
    model = trained(name)
    X, _ = table(seed=2)
    own = model.predict(X, prediction_type="Probability")[:, 1]
    assert (read(model).predict_proba(X)[:, 0] == own).all()


def test_columns_may_have_more_borders_than_a_byte_can_count():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(2000, 1)), generator.normal(size=2000)
    model = fit(CatBoostRegressor, X, y, border_count=5000, iterations=200, depth=4, random_strength=20)
    assert len(model.get_borders()[0]) > 300
    assert_read_exactly(model, np.vstack([X, planted(read(model), X)]))


def with_leaves(name, leaves, bias):
    """A model whose leaves are made by a function of their number."""
    model = modifiable(name)
    model.set_leaf_values(leaves(len(model.get_leaf_values())))
    model.set_scale_and_bias(1, bias)  # only now does it predict with the leaves
    return model


@cache
def modifiable(name):
    X, score = table(n=100)
    y = np.digitize(score, [-1, 0.2, 1]) if name == "several classes" else score > 0.3
    return fit(X=X, y=y.astype(int), **KINDS[name][1])


@pytest.mark.parametrize("threshold", [0.5, 0.3, 2 / 3, 1e-9])
def test_scores_within_a_few_steps_of_the_switch_are_decided_as_the_library_does(threshold):
    model = trained("symmetric").copy()
    model.set_probability_threshold(threshold)
    cut = read(model).cuts[0]
    X, _ = table(seed=3, n=40)
    switched = set()
    for score in scores_of(model, X)[:3, 0]:
        bias = cut - score
        for _ in range(3):
            bias = np.nextafter(bias, -np.inf)
        for _ in range(7):
            model.set_scale_and_bias(1, float(bias))
            ensemble = assert_read_exactly(model, X)
            assert ensemble.cuts == (cut,)
            near = abs(ensemble.scores(X)[:, 0] - cut) < 1e-9
            switched.update(ensemble.predict(X)[near].tolist())
            bias = np.nextafter(bias, np.inf)
    assert switched == {0, 1}, "rows on both sides of the switch were tried"


@pytest.mark.parametrize("threshold", np.random.default_rng(0).random(10).tolist())
def test_the_cut_is_where_the_library_switches(threshold):
    model = modifiable("stumps").copy()
    model.set_probability_threshold(threshold)
    cut = read(model).cuts[0]
    model = with_leaves("stumps", np.zeros, 0.0)
    model.set_probability_threshold(threshold)
    X, _ = table(n=3)
    for score, label in ((cut, 1), (math.nextafter(cut, -math.inf), 0)):
        model.set_scale_and_bias(1, score)
        assert (scores_of(model, X) == score).all()
        assert set(decisions_of(model, X)) == {label} == set(read(model).predict(X))


@given(
    seed=st.integers(0, 2**32),
    spread=st.integers(0, 40),
    name=st.sampled_from(["symmetric", "several classes"]),
)
@settings(max_examples=30, deadline=None)
def test_any_leaves_and_any_bias_add_up_as_in_the_library(seed, spread, name):
    generator = np.random.default_rng(seed)
    width = 1 if name == "symmetric" else 4
    model = with_leaves(
        name,
        lambda n: generator.normal(size=n) * 10.0 ** generator.integers(-spread, spread + 1, n),
        (generator.normal(size=width) * 10.0 ** (spread / 3)).tolist(),
    )
    assert_read_exactly(model, table(seed % 1000, n=150)[0])


def test_the_first_of_equal_scores_wins():
    generator = np.random.default_rng(0)
    model = with_leaves("several classes", lambda n: generator.integers(-1, 2, n) / 4, [0.0] * 4)
    rows = table(seed=4, n=2000)[0]
    ensemble = assert_read_exactly(model, rows)
    best = np.sort(ensemble.scores(rows), axis=1)
    assert (best[:, -1] == best[:, -2]).sum() > 100, "there are ties to decide"


def test_classes_that_a_softmax_rounds_together_are_told_apart():
    model = with_leaves("several classes", np.zeros, [0.0, math.nextafter(0.0, 1.0), 0.0, -1.0])
    rows = table(n=5)[0]
    shares = model.predict(rows, prediction_type="Probability")
    assert (shares[:, 0] == shares[:, 1]).all()
    assert set(assert_read_exactly(model, rows).predict(rows)) == {1}


@pytest.mark.parametrize(
    ("labels", "settings", "classes"),
    [
        ([7, 3], {}, (3, 7)),
        ([-1, 2**40], {}, (-1, 2**40)),
        (["yes", "no"], {}, ("no", "yes")),
        ([True, False], {}, (False, True)),
        ([0.5, 1.5], {}, (0.5, 1.5)),
        ([0, 1], {"class_names": [1, 0]}, (1, 0)),
        (["a", "b", "c"], {}, ("a", "b", "c")),
        (["9", "10", "1"], {}, ("1", "9", "10")),
        ([0, 1], {"loss_function": "MultiClass"}, (0, 1)),
        ([4, 0, 2], {"classes_count": 6, "loss_function": "MultiClass"}, (0, 2, 4)),
        ([0, 1, 2], {"class_names": [2, 7, 0, 1]}, (2, 0, 1)),
    ],
)
def test_labels_of_every_type_come_back_as_predict_gives_them(labels, settings, classes):
    X, score = table()
    y = np.array(labels)[np.digitize(score, [0.0] if len(labels) == 2 else [-0.5, 0.5])]
    model = fit(X=X, y=y, **settings)
    ensemble = assert_read_exactly(model, X)
    assert ensemble.classes == classes
    assert [type(label) for label in ensemble.classes] == [type(label) for label in classes]
    assert set(np.array(classes)[ensemble.predict(X)].tolist()) == set(classes)


def categorical(n=600, seed=0):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": generator.choice(["red", "green", "blue", "x y", "ü"], n),
            "size": generator.normal(size=n),
            "floor": generator.integers(-1, 4, n),
            "lift": generator.random(n) < 0.5,
            "street": generator.choice(["a", "b"], n),
        }
    )
    score = (frame.colour == "red") + frame["size"] + (frame.floor == 2) - (frame.floor == -1) * frame.lift
    return frame, (score + generator.normal(size=n) / 3 > 0.8).astype(int)


CATEGORICAL = {"cat_features": ["colour", "floor", "lift", "street"], "one_hot_max_size": 10}


def coded(frame, ensemble):
    """A frame as rows with codes."""
    rows = np.empty(frame.shape)
    for column in range(frame.shape[1]):
        cells = frame.iloc[:, column].tolist()
        if column in ensemble.categories:
            codes = {name: code for code, name in ensemble.categories[column].names.items()}
            cells = [codes.get(cell, ensemble.categories[column].others) for cell in cells]
        rows[:, column] = cells
    return rows


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
def test_categories_are_read_by_the_names_that_the_data_gives(policy):
    frame, y = categorical()
    model = fit(X=frame, y=y, ignored_features=["street"], grow_policy=policy, **CATEGORICAL)
    ensemble = read(model, frame)
    assert ensemble.feature_names == tuple(frame.columns)
    assert set(ensemble.categories) == {0, 2, 3, 4}
    assert set(ensemble.categories[0].names.values()) <= {"red", "green", "blue", "x y", "ü"}
    assert all(code == name for code, name in ensemble.categories[2].names.items()), (
        "integers are their codes"
    )
    assert {2, -1} <= set(ensemble.categories[2].names.values())
    assert ensemble.categories[4].names == {}
    tried = categorical(seed=1)[0]
    tried.loc[::7, "colour"] = "unseen"
    tried.loc[::5, "floor"] = 77
    rows = coded(tried, ensemble)
    own = model.predict(tried, prediction_type="RawFormulaVal")
    assert (ensemble.scores(rows)[:, 0] == own).all()
    assert (ensemble.predict(rows) == model.predict(tried)).all()
    assert_read_exactly(model, np.vstack([rows, planted(ensemble, rows)]), frame)


@pytest.mark.parametrize("form", ["frame of categories", "array", "rows"])
def test_names_are_found_in_data_of_every_form(form):
    frame, y = categorical()
    model = fit(X=frame, y=y, **CATEGORICAL)
    expected = read(model, frame)
    data = {
        "frame of categories": frame.astype({"colour": "category", "floor": "category"}),
        "array": frame.to_numpy(),
        "rows": frame.to_numpy().tolist(),
    }[form]
    assert read(model, data).categories == expected.categories


def test_a_model_without_names_and_with_as_many_categories_as_can_be():
    generator = np.random.default_rng(0)
    X = np.column_stack([generator.permutation(np.arange(2000) % 255), generator.normal(size=2000)]).astype(
        object
    )
    X[:, 0] = [f"category {i}" for i in X[:, 0]]
    effect = {name: generator.normal() for name in sorted(set(X[:, 0]))}
    y = [effect[name] + number > 0 for name, number in X]
    model = fit(X=X, y=y, cat_features=[0], one_hot_max_size=255, iterations=400, depth=2, learning_rate=0.5)
    ensemble = read(model, X)
    assert ensemble.feature_names == ("x0", "x1")
    assert len(ensemble.categories[0].names) > 100
    assert_read_exactly(model, coded(pd.DataFrame(X), ensemble), X)


def test_categories_that_no_split_tests_need_no_names():
    frame, _ = categorical()
    model = fit(X=frame, y=(frame["size"] > 0).astype(int), iterations=2, depth=1, **CATEGORICAL)
    ensemble = read(model)
    assert all(not kind.names for kind in ensemble.categories.values())
    rows = coded(frame, ensemble)
    assert_read_exactly(model, rows)
    assert (scores_of(model, rows) == ensemble.scores(rows)).all()
    assert (decisions_of(model, rows) == ensemble.predict(rows)).all()


def test_categories_without_the_data_to_name_them_are_refused():
    frame, y = categorical()
    model = fit(X=frame, y=y, **CATEGORICAL)
    with pytest.raises(UnsupportedModel, match=r"colour, floor, lift.*hashes.*trained on"):
        read(model)
    with pytest.raises(InvalidInput, match=r"does not contain all categories.*colour"):
        read(model, frame.assign(colour="red"))
    with pytest.raises(InvalidInput, match="cannot export"):
        read(model, frame[["size"]])


def test_categories_that_the_library_cannot_tell_apart_are_refused():
    frame = pd.DataFrame({"code": ["c175610", "c93034", "c1", "c2"] * 20})  # the first two have the same hash
    y = frame["code"].isin(["c175610", "c93034"]).astype(int)
    model = fit(X=frame, y=y, cat_features=["code"], one_hot_max_size=10, iterations=3)
    with pytest.raises(UnsupportedModel, match="the same hash"):
        read(model, frame)


def test_statistics_of_the_target_are_refused_with_their_columns():
    frame, y = categorical()
    model = fit(X=frame, y=y, cat_features=["colour", "floor", "lift", "street"])
    with pytest.raises(UnsupportedModel, match=r"CTRs.*colour, floor.*one_hot_max_size"):
        read(model, frame)


def test_text_and_embeddings_are_refused_with_their_columns():
    X, score = table(n=60, holes=0)
    frame = pd.DataFrame({"n": X[:, 0], "words": ["good day", "bad night"] * 30})
    model = fit(X=frame, y=(score > 0).astype(int), text_features=["words"])
    with pytest.raises(UnsupportedModel, match="embedding columns words"):
        read(model)
    frame = pd.DataFrame({"place": X[:, :2].tolist(), "n": X[:, 2]})
    model = fit(X=frame, y=(score > 0).astype(int), embedding_features=["place"])
    with pytest.raises(UnsupportedModel, match="embedding columns place"):
        read(model)


@pytest.mark.parametrize(
    ("kind", "loss", "words"),
    [
        (CatBoostRegressor, "Poisson", "exponential"),
        (CatBoostRegressor, "Tweedie:variance_power=1.5", "exponential"),
        (CatBoostRegressor, "RMSEWithUncertainty", "predicts 2 numbers"),
        (CatBoostRegressor, "MultiRMSE", "predicts 2 numbers"),
        (CatBoostRegressor, "MultiQuantile:alpha=0.1,0.5,0.9", "predicts 3 numbers"),
        (CatBoostClassifier, "MultiLogloss", "MultiLogloss"),
    ],
)
def test_predictions_that_are_no_sum_of_leaves_are_refused(kind, loss, words):
    X, score = table()
    y = abs(score)
    if loss.startswith(("MultiRMSE", "MultiLogloss")):
        y = np.column_stack([score > 0, score > 1]).astype(int)
    with pytest.raises(UnsupportedModel, match=words):
        read(fit(kind, X, y, loss_function=loss))


def test_the_score_behind_an_exponential_is_read_of_a_plain_object():
    X, score = table()
    model = fit(CatBoost, X, abs(score), loss_function="Poisson")
    assert_read_exactly(model, X)


@pytest.mark.parametrize(
    ("model", "kind", "words"),
    [
        (CatBoostClassifier(), InvalidInput, "not fitted"),
        (CatBoostRegressor(), InvalidInput, "not fitted"),
        (CatBoost(), InvalidInput, "not fitted"),
        (CatBoostClassifier, UnsupportedModel, "is a class"),
        (CatBoostRanker(), UnsupportedModel, "orders rows"),
        (object(), UnsupportedModel, "object is not a CatBoostClassifier"),
    ],
)
def test_other_models_are_refused_by_name(model, kind, words):
    with pytest.raises(kind, match=words):
        read(model)


def test_a_scale_is_refused_with_a_way_out():
    model = trained("symmetric").copy()
    model.set_scale_and_bias(0.3, 0.1)
    with pytest.raises(UnsupportedModel, match=r"scale 0\.3.*sum_models"):
        read(model)
    assert_read_exactly(sum_models([model]), table()[0])


def test_leaves_that_the_library_has_but_does_not_predict_with_are_refused():
    X, score = table()
    model = fit(X=X, y=(score > 0).astype(int))
    model.predict(X)
    leaves = model.get_leaf_values()
    leaves[np.argmax(model.get_leaf_weights())] += 1
    model.set_leaf_values(leaves)
    with pytest.raises(InvalidInput, match=r"copy\(\)"):
        read(model)
    assert_read_exactly(model.copy(), X)


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_a_threshold_that_leaves_one_class_is_refused(threshold):
    model = trained("symmetric").copy()
    model.set_probability_threshold(threshold)
    with pytest.raises(UnsupportedModel, match="all rows alike"):
        read(model)


def test_names_come_from_the_model_even_if_it_forgot_some_columns():
    X, score = table()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = fit(X=frame, y=(score > 0).astype(int), ignored_features=["b", "e"])
    assert read(model).feature_names == tuple("abcde")
    model.drop_unused_features()
    assert read(model).feature_names == ("a", "x1", "c", "d", "x4")
    assert_read_exactly(model, X)
    assert read(trained("symmetric")).feature_names == ("x0", "x1", "x2", "x3", "x4")


def test_the_best_iteration_is_what_is_read():
    X, score = table()
    y = (score > 0).astype(int)
    model = CatBoostClassifier(**{**SMALL, "iterations": 200, "learning_rate": 0.5})
    model.fit(X[:200], y[:200], eval_set=(X[200:], y[200:]), use_best_model=True)
    ensemble = assert_read_exactly(model, X)
    assert len(ensemble.trees) == model.best_iteration_ + 1 < 200


def test_a_sum_of_models_is_read():
    X, _ = table()
    for name in ("symmetric", "by depth", "with a bias"):
        model = sum_models([trained(name), trained(name)], weights=[0.3, 0.7])
        assert_read_exactly(model, X)
        assert read(model).classes == (0, 1)


KEPT = ("symmetric", "by loss", "several classes", "regressor", "missing above")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((name, "json") for name in KEPT),
        ("by loss", "cbm"),
        *(pytest.param(name, "cbm", marks=pytest.mark.slow) for name in KEPT if name != "by loss"),
    ],
)
def test_files_are_loaded_and_read(name, form, tmp_path):
    model = trained(name)
    model.save_model(str(tmp_path / "model"), format=form)
    loaded = load(tmp_path / "model")
    rows = planted(read(model), table()[0])
    ensemble = assert_read_exactly(loaded, rows)
    assert ensemble.classes == read(model).classes
    if form == "cbm":
        assert (ensemble.scores(rows) == scores_of(model, rows)).all()


def test_a_threshold_comes_with_the_file(tmp_path):
    model = trained("symmetric").copy()
    model.set_probability_threshold(0.2)
    model.save_model(str(tmp_path / "model.cbm"))
    assert read(load(tmp_path / "model.cbm")).cuts == read(model).cuts != read(trained("symmetric")).cuts
    assert_read_exactly(load(tmp_path / "model.cbm"), table()[0])


@pytest.mark.parametrize("form", ["cbm", "json"])
def test_a_file_that_is_cut_off_anywhere_is_refused(form, tmp_path):
    trained("symmetric").save_model(str(tmp_path / "whole"), format=form)
    content = (tmp_path / "whole").read_bytes()
    for length in np.linspace(0, len(content) - 2, 60).astype(int):
        (tmp_path / "part").write_bytes(content[:length])
        with pytest.raises(InvalidInput, match="part"):
            load(tmp_path / "part")


@pytest.mark.parametrize(
    "content",
    [b"", b"CBM1", b"not a model", b"{}", b"[1, 2]", b'{"trees": 3}', b"\x80\x04pickle", b"PK\x03\x04zip"],
)
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "model.cbm").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"model\.cbm"):
        load(tmp_path / "model.cbm")
    with pytest.raises(InvalidInput, match="no file"):
        load(tmp_path / "none.cbm")


def test_a_file_without_trees_is_refused(tmp_path):
    trained("symmetric").save_model(str(tmp_path / "model.json"), format="json")
    tables = json.loads((tmp_path / "model.json").read_bytes())
    tables["oblivious_trees"] = []
    (tmp_path / "model.json").write_text(json.dumps(tables))
    with pytest.raises(InvalidInput, match="no trees"):
        read(load(tmp_path / "model.json"))


def test_the_links_of_the_library_are_the_ones_assumed():
    """The logistic is glibc's; the exponential, and with it the softmax, are not."""
    X, score = table()
    model = fit(CatBoost, X, abs(score), loss_function="Poisson")
    raw = scores_of(model, X)
    assert (model.predict(X, prediction_type="Exponent") != apply_link(raw, "exponential")[:, 0]).any()
