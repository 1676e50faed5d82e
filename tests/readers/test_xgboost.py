from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import xgboost
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from xgboost import DMatrix, XGBClassifier, XGBRanker, XGBRegressor, XGBRFClassifier, XGBRFRegressor

from primewood.ensemble.link import apply_link
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel
from primewood.readers import xgboost as reader

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(300, 5)) * [1, 10, 0.01, 1, 1000]
X[:, 3] = np.round(X[:, 3])
X[GENERATOR.random(X.shape) < 0.1] = np.nan
SIGNAL = np.nan_to_num(X / [1, 10, 0.01, 1, 1000]).sum(axis=1) + GENERATOR.normal(size=300)
TWO = (SIGNAL > 0).astype(int)
FOUR = np.digitize(SIGNAL, [-1.5, 0, 1])
SHARE = 1 / (1 + np.exp(-SIGNAL))
SIZE = abs(SIGNAL) + 0.01
FEW = {"n_estimators": 12, "n_jobs": 1}
DART = {"booster": "dart", "rate_drop": 0.4, "learning_rate": 0.7}

MODELS = {
    "two classes": (XGBClassifier(**FEW), TWO),
    "given intercept": (XGBClassifier(base_score=0.2, **FEW), TWO),
    "deep trees": (XGBClassifier(max_depth=14, min_child_weight=0, **FEW), TWO),
    "exact, pruned": (XGBClassifier(tree_method="exact", gamma=1.5, max_depth=8, **FEW), TWO),
    "approx": (XGBClassifier(tree_method="approx", **FEW), TWO),
    "by loss": (XGBClassifier(grow_policy="lossguide", max_depth=0, max_leaves=9, **FEW), TWO),
    "grown in parallel": (XGBClassifier(num_parallel_tree=4, subsample=0.5, **FEW), TWO),
    "random forest": (XGBRFClassifier(**FEW), TWO),
    "dart": (XGBClassifier(**FEW, **DART), TWO),
    "raw logits": (XGBClassifier(objective="binary:logitraw", **FEW), TWO),
    "shares": (XGBClassifier(objective="reg:logistic", **FEW), TWO),
    "counts as classes": (XGBClassifier(objective="count:poisson", **FEW), TWO),
    "four classes": (XGBClassifier(**FEW), FOUR),
    "four, given intercept": (XGBClassifier(base_score=0.3, **FEW), FOUR),
    "four, largest score": (XGBClassifier(objective="multi:softmax", **FEW), FOUR),
    "two, largest score": (XGBClassifier(objective="multi:softmax", num_class=2, **FEW), TWO),
    "four in a random forest": (XGBRFClassifier(**FEW), FOUR),
    "four in dart, in parallel": (XGBClassifier(num_parallel_tree=2, **FEW, **DART), FOUR),
    "a number": (XGBRegressor(**FEW), SIGNAL),
    "a number by a random forest": (XGBRFRegressor(**FEW), SIGNAL),
    "a number by dart": (XGBRegressor(normalize_type="forest", **FEW, **DART), SIGNAL),
    "absolute error": (XGBRegressor(objective="reg:absoluteerror", **FEW), SIGNAL),
    "pseudo-Huber": (XGBRegressor(objective="reg:pseudohubererror", **FEW), SIGNAL),
    "a quantile": (XGBRegressor(objective="reg:quantileerror", quantile_alpha=0.3, **FEW), SIGNAL),
    "squared log error": (XGBRegressor(objective="reg:squaredlogerror", **FEW), SIZE),
    "a share": (XGBRegressor(objective="reg:logistic", **FEW), SHARE),
    "a probability": (XGBRegressor(objective="binary:logistic", **FEW), SHARE),
    "counts": (XGBRegressor(objective="count:poisson", **FEW), SIZE.round()),
    "gamma": (XGBRegressor(objective="reg:gamma", **FEW), SIZE),
    "tweedie": (XGBRegressor(objective="reg:tweedie", base_score=2.5, **FEW), SIZE),
}


@pytest.fixture(scope="module")
def fitted():
    """A fitted model of each setting, fitted when it is first asked for."""
    found = {}

    def of(name):
        if name not in found:
            model, target = MODELS[name]
            found[name] = model.fit(X, target)
        return found[name]

    return of


def loaded_from(path):
    """The booster in a file, with one thread."""
    booster = reader.load(path)
    booster.set_param({"nthread": 1})
    return booster


def planted(ensemble, *, count=1500, seed=0, infinite=True):
    """Rows with values at the numbers that are tested and next to them, in float64 and in float32 steps."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(count, ensemble.n_features)) * 10
    nodes = [(tree, node) for tree in ensemble.trees for node in np.flatnonzero(tree.feature >= 0)]
    tests = np.array([(tree.feature[node], b) for tree, node in nodes for b in tree.bounds_at(node)])
    tests = tests[np.isfinite(tests[:, 1])]
    for _ in range(ensemble.n_features):
        column, at = tests[generator.integers(0, len(tests), count)].T
        below = np.nextafter(at.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
        middle = (at + below) / 2
        near = [
            at,
            below,
            middle,
            *(np.nextafter(x, side) for x in (at, middle) for side in (-np.inf, np.inf)),
        ]
        chosen = np.choose(generator.integers(0, len(near), count), near)
        rows[np.arange(count), column.astype(int)] = chosen
    special = [np.nan, np.nan, np.nan, 0.0, -0.0, 3.0, 1e-45, -1.0] + [np.inf, -np.inf, 1e300] * infinite
    where = generator.random(rows.shape) < 0.15
    rows[where] = generator.choice(special, where.sum())
    return rows


def assert_agrees(model, rows, ensemble=None):
    """Scores, predictions and decisions of a reading are those of the model, bit for bit."""
    ensemble = ensemble or reader.read(model)
    scores, own = ensemble.scores(rows), reader.scores_of(model, rows)
    assert scores.shape == own.shape
    assert (scores == own).all()
    if ensemble.is_regressor:
        decided = apply_link(scores, ensemble.link)[:, 0]
    else:
        decided = np.array(ensemble.classes)[ensemble.decide(scores)]
    assert (decided == reader.decisions_of(model, rows)).all()


@pytest.mark.parametrize("name", MODELS)
def test_an_estimator_is_read_as_it_predicts(fitted, name):
    model = fitted(name)
    ensemble = reader.read(model)
    assert_agrees(model, X, ensemble)
    assert_agrees(model, planted(ensemble), ensemble)
    assert ensemble.source == f"XGBoost {type(model).__name__}"
    assert ensemble.feature_names == ("f0", "f1", "f2", "f3", "f4")
    assert ensemble.is_regressor == isinstance(model, XGBRegressor)


@pytest.mark.parametrize("name", MODELS)
def test_a_booster_and_its_slices_are_read_as_they_predict(fitted, name):
    booster = fitted(name).get_booster()
    if booster.num_boosted_rounds() > 1:
        assert_agrees(booster[2:5], planted(reader.read(booster[2:5]), count=300, infinite=False))
    if fitted(name).get_xgb_params()["objective"] == "count:poisson" and isinstance(
        fitted(name), XGBClassifier
    ):
        assert reader.read(booster).is_regressor, "the booster does not know that it sits in a classifier"
    assert_agrees(booster, planted(reader.read(booster), count=500, infinite=False))


def test_decisions_are_those_of_predict_itself(fitted):
    rows = planted(reader.read(fitted("two classes")))
    assert (reader.decisions_of(fitted("two classes"), rows) == fitted("two classes").predict(rows)).all()
    booster = fitted("four classes").get_booster()
    rows = planted(reader.read(booster), infinite=False)
    assert (reader.decisions_of(booster, rows) == booster.predict(DMatrix(rows)).argmax(axis=1)).all()
    assert reader.read(booster).classes == (0, 1, 2, 3)
    booster = fitted("four, largest score").get_booster()
    assert (reader.decisions_of(booster, rows) == booster.predict(DMatrix(rows))).all()


@pytest.mark.parametrize("name", ["dart", "four in dart, in parallel"])
def test_dart_adds_otherwise_in_an_estimator_than_in_a_booster(fitted, name):
    model = fitted(name)
    weights = json.loads(model.get_booster().save_raw("json"))["learner"]["gradient_booster"]["weight_drop"]
    assert len(set(weights)) > 2
    rows = planted(reader.read(model), infinite=False)
    inside, alone = reader.read(model).scores(rows), reader.read(model.get_booster()).scores(rows)
    assert (inside != alone).any() and abs(inside - alone).max() < 1e-5
    assert (inside == model.predict(rows, output_margin=True).reshape(inside.shape)).all()
    assert (
        alone == model.get_booster().predict(DMatrix(rows), output_margin=True).reshape(alone.shape)
    ).all()


def test_nodes_that_pruning_left_behind_are_dropped(fitted):
    model = fitted("exact, pruned")
    raw = json.loads(model.get_booster().save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    deleted = sum(int(tree["tree_param"]["num_deleted"]) for tree in raw)
    nodes = sum(int(tree["tree_param"]["num_nodes"]) for tree in raw)
    assert deleted and sum(len(tree) for tree in reader.read(model).trees) == nodes - deleted


@pytest.mark.parametrize("name", ["two classes", "deep trees", "grown in parallel", "four classes"])
def test_the_kind_of_input_and_the_number_of_rows_do_not_matter(fitted, name):
    model = fitted(name)
    rows = planted(reader.read(model), count=400, infinite=False)
    scores = reader.read(model).scores(rows)
    present = scipy.sparse.csr_matrix(np.ones_like(rows))
    present.data = rows.ravel()
    for data in (pd.DataFrame(rows), np.asfortranarray(rows), present, present.tocsc(), present.tocoo()):
        assert (model.predict(data, output_margin=True).reshape(scores.shape) == scores).all()
    one_by_one = [model.predict(rows[i : i + 1], output_margin=True).ravel() for i in range(100)]
    assert (np.array(one_by_one) == scores[:100]).all()
    threads = model.get_booster().copy()
    threads.set_param({"nthread": 2})
    assert (threads.inplace_predict(rows, predict_type="margin").reshape(scores.shape) == scores).all()
    assert (reader.read(model).scores(rows.astype(np.float32)) == scores).all()


def bare(objective, classes=None):
    """A booster whose tree adds nothing, for planting scores as base margins."""
    target = np.arange(8.0) % (classes or 2) + (objective == "reg:gamma")
    given = {"objective": objective, "base_score": 0.5, "eta": 0, "nthread": 1}
    if classes:
        given["num_class"] = classes
    return xgboost.train(given, DMatrix(np.zeros((8, 1)), label=target, nthread=1), 1)


BARE = {
    "binary:logistic": bare("binary:logistic"),
    "reg:logistic": bare("reg:logistic"),
    "count:poisson": bare("count:poisson"),
    "reg:gamma": bare("reg:gamma"),
    "reg:tweedie": bare("reg:tweedie"),
    "multi:softprob": bare("multi:softprob", 3),
}


def both(objective, margins):
    """Scores, and what XGBoost makes of them."""
    matrix = DMatrix(np.zeros((len(margins), 1)), base_margin=margins, nthread=1)
    booster = BARE[objective]
    scores = booster.predict(matrix, output_margin=True).reshape(len(margins), -1).astype(np.float64)
    return scores, booster.predict(matrix).reshape(len(margins), -1)


@pytest.mark.parametrize("objective", [name for name in BARE if name != "multi:softprob"])
@given(margins=arrays(np.float32, 40, elements=st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_the_links_are_those_of_xgboost(objective, margins):
    scores, values = both(objective, margins)
    assert (apply_link(scores, reader.LINKS[objective]) == values).all()


@pytest.mark.parametrize("objective", BARE)
def test_the_links_are_those_of_xgboost_on_many_numbers(objective):
    generator = np.random.default_rng(1)
    width = (3,) if objective == "multi:softprob" else ()
    for spread in (1e-7, 1e-3, 1, 30, 200):
        margins = (generator.normal(size=(30_000, *width)) * spread).astype(np.float32)
        scores, values = both(objective, margins)
        assert (apply_link(scores, reader.LINKS[objective]) == values).all()


@given(margins=arrays(np.float32, (20, 3), elements=st.floats(-120, 120, width=32)))
def test_the_softmax_is_that_of_xgboost(margins):
    scores, values = both("multi:softprob", margins)
    assert (apply_link(scores, "softmax32") == values).all()


@pytest.mark.parametrize("objective", ["binary:logistic", "binary:logitraw", "reg:logistic", "count:poisson"])
def test_the_switch_of_a_decision_is_exact_to_one_float(objective):
    model = XGBClassifier(objective=objective, base_score=0.5, n_estimators=1, n_jobs=1)
    model.fit(np.zeros((8, 1)), np.arange(8) % 2)
    ensemble = reader.read(model)
    (cut,) = ensemble.cuts
    bits = np.float32(cut).view(np.int32) + np.arange(-3000, 3000, dtype=np.int32)
    margins = bits.view(np.float32) - np.float32(ensemble.trees[0].value[0, 0])
    rows = np.zeros((len(margins), 1))
    scores = model.predict(rows, base_margin=margins, output_margin=True).astype(np.float64)
    decided = model.predict(rows, base_margin=margins)
    assert (ensemble.decide(scores[:, None]) == decided).all()
    assert scores[decided == 1].min() == cut
    assert scores[decided == 0].max() == np.nextafter(np.float32(cut), np.float32(-np.inf))


def test_a_softmax_may_tie_where_scores_differ():
    scores = np.array([[0.0, 1e-20, -1.0]], dtype=np.float32).astype(np.float64)
    by_probability = reader.read(BARE["multi:softprob"])
    assert (both("multi:softprob", scores.astype(np.float32))[0] == scores).all()
    assert by_probability.decide(scores) == both("multi:softprob", scores.astype(np.float32))[1].argmax() == 0
    largest = bare("multi:softmax", 3)
    matrix = DMatrix(np.zeros((1, 1)), base_margin=scores.astype(np.float32))
    assert reader.read(largest).decide(scores) == largest.predict(matrix) == 1


@pytest.mark.parametrize("number", [-999, 0, 1.0, 0.1, -2.5, 1 + 2.0**-24, 1 + 3 * 2.0**-24, np.float64(3)])
@pytest.mark.parametrize("categorical", [False, True])
def test_another_number_may_be_missing(number, categorical):
    filled = np.where(np.isnan(X), number, X)
    types = ["q", "q", "q", "c", "q"] if categorical else None
    filled[:, 3] = abs(filled[:, 3]).round() if categorical else filled[:, 3]
    model = XGBClassifier(
        missing=number, feature_types=types, enable_categorical=categorical, max_depth=4, **FEW
    ).fit(filled, TWO)
    ensemble = reader.read(model)
    rows = planted(ensemble)
    near = np.float32(number) + np.arange(-2, 3) * np.spacing(np.float32(number))
    where = np.random.default_rng(2).random(rows.shape) < 0.3
    rows[where] = np.random.default_rng(3).choice(near, where.sum())
    assert_agrees(model, rows, ensemble)
    assert any(tree.tests_sets.any() for tree in ensemble.trees)


def colours(count=400):
    generator = np.random.default_rng(4)
    frame = pd.DataFrame(generator.normal(size=(count, 2)), columns=["a", "b"])
    frame["colour"] = pd.Categorical(generator.choice(["red", "green", "blue", "grey"], count))
    frame["size"] = pd.Categorical(generator.integers(0, 60, count) * 3)
    frame.loc[::17, "colour"] = None
    frame.loc[::19, "size"] = None
    odd = frame["size"].cat.codes % 3 == 1
    return frame, ((frame["a"] > 0) ^ frame["colour"].isin(["red", "blue"]) ^ odd).astype(int)


def codes(frame):
    """A frame as rows of numbers."""
    rows = frame.copy()
    for column in ("colour", "size"):
        rows[column] = frame[column].cat.codes.replace(-1, np.nan)
    return rows.to_numpy(np.float64)


@pytest.mark.parametrize("most", [1, 10, 100])
def test_categories_of_a_frame_keep_their_names(most):
    frame, target = colours()
    given = {"enable_categorical": True, "max_cat_to_onehot": most, **FEW}
    model = XGBClassifier(**given).fit(frame, target)
    ensemble = reader.read(model)
    assert ensemble.feature_names == ("a", "b", "colour", "size")
    assert ensemble.categories[2].names == {0.0: "blue", 1.0: "green", 2.0: "grey", 3.0: "red"}
    assert ensemble.categories[3].names == dict(enumerate(frame["size"].cat.categories))
    assert ensemble.categories[2].others is None and list(ensemble.categories) == [2, 3]
    assert (ensemble.scores(codes(frame))[:, 0] == model.predict(frame, output_margin=True)).all()
    rows = planted(ensemble)
    rows[:, 2:] = np.where(
        np.random.default_rng(5).random((len(rows), 2)) < 0.5, rows[:, 2:].round(), rows[:, 2:]
    )
    rows[::50, 3] = 16777216.0
    assert_agrees(model, rows, ensemble)
    assert_agrees(model.get_booster(), np.where(abs(rows) < 1e30, rows, np.nan))


def test_codes_of_categories_are_their_own_names():
    frame, target = colours()
    types = ["q", "q", "c", "c"]
    model = XGBClassifier(enable_categorical=True, feature_types=types, **FEW).fit(codes(frame), target)
    ensemble = reader.read(model)
    rows = planted(ensemble)
    assert_agrees(model, rows, ensemble)
    for column, known in ensemble.categories.items():
        assert known.names and all(name == code for code, name in known.names.items())
        assert known.others not in known.names
        unseen, other = rows.copy(), rows.copy()
        unseen[:, column], other[:, column] = 12345.0, known.others
        assert (reader.scores_of(model, unseen) == reader.scores_of(model, other)).all()
        assert (ensemble.scores(unseen) == ensemble.scores(other)).all()


def test_categories_whose_names_xgboost_cuts_up_are_refused():
    frame, target = colours()
    frame["colour"] = frame["colour"].cat.rename_categories({"blue": "bleu foncé"})
    model = XGBClassifier(enable_categorical=True, **FEW).fit(frame, target)
    with pytest.raises(UnsupportedModel, match="colour has categories with letters beyond ASCII"):
        reader.read(model)


def test_a_missing_number_that_may_be_a_code_of_a_frame_is_refused():
    frame, target = colours()
    model = XGBClassifier(enable_categorical=True, missing=1, **FEW).fit(frame, target)
    with pytest.raises(UnsupportedModel, match="missing=1"):
        reader.read(model)
    assert_agrees(model.set_params(missing=-1), codes(frame))


@pytest.fixture(scope="module")
def stopped():
    """A classifier that stopped early."""
    given = {"early_stopping_rounds": 3, "learning_rate": 1.0, "n_jobs": 1, "n_estimators": 100}
    model = XGBClassifier(**given).fit(X[:150], TWO[:150], eval_set=[(X[150:], TWO[150:])], verbose=False)
    assert model.best_iteration + 4 == model.get_booster().num_boosted_rounds()
    return model


def test_a_model_that_stopped_early_takes_its_best_rounds(stopped, tmp_path):
    ensemble = reader.read(stopped)
    rows = planted(ensemble)
    assert len(ensemble.trees) == stopped.best_iteration + 1
    assert_agrees(stopped, rows, ensemble)
    stopped.save_model(tmp_path / "stopped.ubj")
    assert_agrees(loaded_from(tmp_path / "stopped.ubj"), rows)
    assert (reader.read(reader.load(tmp_path / "stopped.ubj")).scores(rows) == ensemble.scores(rows)).all()


def test_a_booster_that_stopped_early_has_to_say_which_rounds_it_means(stopped):
    booster = stopped.get_booster().copy()
    best = stopped.best_iteration + 1
    with pytest.raises(UnsupportedModel, match=rf"booster\[:{best}\]"):
        reader.read(booster)
    assert len(reader.read(booster[:best]).trees) == best
    booster.set_attr(best_iteration=None)
    assert len(reader.read(booster).trees) == best + 3
    assert_agrees(booster, X)


@pytest.mark.parametrize("name", ["two classes", "dart", "four classes", "a probability", "random forest"])
@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_files_of_estimators_and_of_boosters_are_read(fitted, tmp_path, name, ending):
    model = fitted(name)
    model.save_model(tmp_path / f"estimator.{ending}")
    model.get_booster().save_model(tmp_path / f"booster.{ending}")
    rows = planted(reader.read(model), count=300, infinite=False)
    loaded = loaded_from(tmp_path / f"estimator.{ending}")
    assert_agrees(loaded, rows)
    assert (reader.read(loaded).scores(rows) == reader.scores_of(model, rows)).all()
    assert (reader.decisions_of(loaded, rows) == reader.decisions_of(model, rows)).all()
    assert reader.read(loaded).is_regressor == isinstance(model, XGBRegressor)
    loaded = loaded_from(tmp_path / f"booster.{ending}")
    assert_agrees(loaded, rows)
    assert (reader.scores_of(loaded, rows) == reader.scores_of(model.get_booster(), rows)).all()


def test_a_file_may_have_another_ending(fitted, tmp_path):
    for kind in ("json", "ubj"):
        (tmp_path / "model.model").write_bytes(fitted("two classes").get_booster().save_raw(kind))
        assert_agrees(loaded_from(tmp_path / "model.model"), X)


@pytest.mark.parametrize("form", ["7E-1", "0.7", "[7E-1]"])
def test_the_intercept_may_be_written_as_older_versions_did(fitted, tmp_path, form):
    document = json.loads(fitted("two classes").get_booster().save_raw("json"))
    document["learner"]["learner_model_param"]["base_score"] = form
    if form != "[7E-1]":
        del document["learner"]["gradient_booster"]["model"]["cats"]
        del document["learner"]["gradient_booster"]["model"]["iteration_indptr"]
        document["version"] = [1, 7, 6]
    (tmp_path / "old.json").write_text(json.dumps(document))
    loaded = loaded_from(tmp_path / "old.json")
    assert reader.read(loaded).start == pytest.approx([np.log(7 / 3)])
    assert_agrees(loaded, planted(reader.read(loaded), infinite=False))


@pytest.mark.parametrize("kind", ["json", "ubj"])
def test_a_file_that_is_cut_off_is_refused_at_every_length(fitted, tmp_path, kind):
    raw = bytes(fitted("two classes").get_booster()[:2].save_raw(kind))
    path = tmp_path / f"cut.{kind}"
    for length in [*range(40), *range(40, len(raw), 97), len(raw) - 1]:
        path.write_bytes(raw[:length])
        with pytest.raises(InvalidInput, match="cut off"):
            reader.load(path)
    path.write_bytes(raw + b"}")
    with pytest.raises(InvalidInput, match="cut off"):
        reader.load(path)


def damaged(change):
    def changed(document):
        change(document["learner"], document["learner"]["gradient_booster"]["model"])

    return changed


@pytest.mark.parametrize(
    "change",
    [
        damaged(lambda learner, model: model["trees"][0]["left_children"].__setitem__(0, 0)),
        damaged(lambda learner, model: model["trees"][0]["left_children"].__setitem__(0, 10**6)),
        damaged(lambda learner, model: model["trees"][0]["left_children"].__setitem__(-1, -7)),
        damaged(lambda learner, model: model["trees"][0]["right_children"].__setitem__(0, 1)),
        damaged(lambda learner, model: model["trees"][0]["parents"].__setitem__(1, 10**6)),
        damaged(lambda learner, model: model["trees"][0]["split_indices"].__setitem__(0, 5)),
        damaged(lambda learner, model: model["trees"][0]["split_type"].__setitem__(0, 1)),
        damaged(lambda learner, model: model["trees"][0]["sum_hessian"].pop()),
        damaged(lambda learner, model: model["trees"][0].__setitem__("id", 1)),
        damaged(lambda learner, model: model["trees"][0]["tree_param"].__setitem__("num_nodes", "no")),
        damaged(lambda learner, model: model["tree_info"].__setitem__(0, 1)),
        damaged(lambda learner, model: model["iteration_indptr"].pop()),
        damaged(lambda learner, model: model["trees"].pop()),
        damaged(lambda learner, model: learner["attributes"].__setitem__("best_iteration", "?")),
        damaged(lambda learner, model: learner["attributes"].__setitem__("scikit_learn", "?")),
        damaged(lambda learner, model: learner.__setitem__("attributes", [])),
        damaged(lambda learner, model: learner.pop("learner_model_param")),
    ],
)
def test_a_file_whose_trees_cannot_be_walked_is_refused(fitted, tmp_path, change):
    document = json.loads(fitted("two classes").get_booster().save_raw("json"))
    change(document)
    (tmp_path / "damaged.json").write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=r"damaged\.json cannot be read as an XGBoost model: "):
        reader.load(tmp_path / "damaged.json")


def test_foreign_files_are_refused(fitted, tmp_path):
    path = tmp_path / "foreign.json"
    for content in (
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"learner": {}}',
        b"{" * 5000,
        b"tree\nversion=v4\n",
        b"\x80\x04x",
    ):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=r"foreign\.json .*XGBoost model: "):
            reader.load(path)
    path.write_bytes(b"binf\x8e\xa8\xf0>")
    with pytest.raises(InvalidInput, match="old binary format"):
        reader.load(path)
    with pytest.raises(InvalidInput, match="no file"):
        reader.load(tmp_path / "none.json")
    document = json.loads(fitted("two classes").get_booster().save_raw("json"))
    document["learner"]["objective"]["name"] = "no:objective"
    path.write_text(json.dumps(document))
    with pytest.raises(UnsupportedModel, match="the objective no:objective is not supported"):
        reader.load(path)


def own_objective(target, predicted):
    return predicted - target, np.ones_like(target)


@pytest.mark.parametrize(
    ("model", "target", "words"),
    [
        (XGBRegressor(booster="gblinear", updater="coord_descent", **FEW), SIGNAL, "gblinear"),
        (XGBRegressor(objective="survival:cox", **FEW), SIZE, "survival:cox"),
        (XGBRegressor(objective=own_objective, **FEW), SIGNAL, "objective of its own"),
        (XGBClassifier(objective="binary:hinge", **FEW), TWO, "binary:hinge"),
        (XGBClassifier(objective="multi:softprob", num_class=2, **FEW), TWO, "two labels at once"),
        (XGBClassifier(**FEW), np.column_stack([TWO, 1 - TWO]), "several targets"),
        (
            XGBRegressor(objective="reg:quantileerror", quantile_alpha=[0.2, 0.8], **FEW),
            SIGNAL,
            "several targets",
        ),
        (XGBRegressor(objective="multi:softprob", num_class=4, **FEW), FOUR, "multi:softprob"),
        (XGBClassifier(multi_strategy="multi_output_tree", **FEW), FOUR, "vectors in its leaves"),
    ],
)
def test_what_is_not_read_exactly_is_refused_by_name(model, target, words):
    model.fit(np.nan_to_num(X), target)
    with pytest.raises(UnsupportedModel, match=words):
        reader.read(model)


def test_rankers_are_refused_by_name(fitted):
    ranker = XGBRanker(**FEW).fit(X, TWO, group=[len(X)])
    with pytest.raises(UnsupportedModel, match="XGBRanker"):
        reader.read(ranker)
    with pytest.raises(UnsupportedModel, match="rank:ndcg"):
        reader.read(ranker.get_booster())
    with pytest.raises(UnsupportedModel, match="is a class"):
        reader.read(XGBClassifier)


def test_an_objective_that_was_changed_after_the_fit_is_refused():
    model = XGBClassifier(**FEW).fit(X, FOUR)
    model.objective = "multi:softmax"
    with pytest.raises(UnsupportedModel, match="was set to multi:softmax"):
        reader.read(model)


def test_models_without_trees_are_no_models():
    with pytest.raises(InvalidInput, match="XGBClassifier is not fitted"):
        reader.read(XGBClassifier())
    with pytest.raises(InvalidInput, match="Booster is not fitted"):
        reader.read(xgboost.Booster())
    with pytest.raises(InvalidInput, match="no trees"):
        reader.read(xgboost.train({"nthread": 1}, DMatrix(X, label=TWO), 0))


@pytest.mark.parametrize(
    "change", [{"objective": "binary:logitraw"}, {"base_score": 0.9}, {"n_estimators": 2}]
)
def test_parameters_that_change_after_the_fit_count_as_they_do_for_xgboost(change):
    model = XGBClassifier(**FEW).fit(X, TWO)
    assert_agrees(model.set_params(**change), planted(reader.read(model)))


@pytest.mark.parametrize(
    "number", [np.inf, -np.inf, 1e39, 3.4028234663852886e38, None, np.float32(3), np.float32("nan")]
)
def test_a_missing_number_that_xgboost_does_not_get_as_a_float32_is_refused(number):
    model = XGBClassifier(**FEW).fit(X, TWO)
    model.missing = number
    with pytest.raises(UnsupportedModel, match="missing="):
        reader.read(model)


def test_an_infinite_threshold_is_refused():
    column = np.linspace(1e38, 3e38, 100)
    column[::2] = np.nan
    model = XGBClassifier(tree_method="approx", **FEW).fit(column[:, None], np.isnan(column).astype(int))
    with pytest.raises(UnsupportedModel, match="infinite threshold"):
        reader.read(model)


def test_without_xgboost_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    spec = importlib.util.spec_from_file_location("without_xgboost", reader.__file__)
    with pytest.raises(MissingDependency, match=r"pip install 'primewood\[xgboost\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
