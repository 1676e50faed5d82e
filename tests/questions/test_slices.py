"""What-if strips and decision maps against the library: every cell, its very ends, and what is said to be proved."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit


def numbers_of(piece, generator, feature):
    """Numbers of a cell: its very ends, and some in between."""
    whole = feature.whole
    low = max(-1e9, feature.low) if piece["low"] is None else piece["low"]
    high = min(1e9, feature.high) if piece["high"] is None else piece["high"]
    if piece["low"] is not None and piece["closed"] not in ("left", "both"):
        low = math.floor(low) + 1.0 if whole else math.nextafter(low, math.inf)
    if piece["high"] is not None and piece["closed"] not in ("right", "both"):
        high = math.ceil(high) - 1.0 if whole else math.nextafter(high, -math.inf)
    assert low <= high, "a piece is not empty"
    between = generator.uniform(low, high, 4)
    return [low, high, *(np.floor(between).clip(low, high) if whole else between).tolist()]


def held_by(explainer, feature, piece, generator):
    """What the columns of a feature hold in a piece, some of each kind."""
    if piece.get("missing"):
        return [[math.nan] * len(feature.columns)]
    if "values" in piece:
        return [list(pattern) for pattern, name in feature.patterns.items() if name in piece["values"]]
    return [[x] for x in numbers_of(piece, generator, feature)]


def feature_of(explainer, name):
    return next(f for f in explainer.domain.features if f.name == name)


def check_partition(feature, pieces):
    """The pieces of a feature are all that it can be, each once."""
    intervals = [p for p in pieces if "low" in p]
    others = [p for p in pieces if "low" not in p]
    if feature.patterns is None:
        assert intervals[0]["low"] is None and intervals[-1]["high"] is None
        for one, next_one in itertools.pairwise(intervals):
            assert one["high"] == next_one["low"]
            assert (one["closed"] in ("right", "both")) != (next_one["closed"] in ("left", "both"))
    else:
        named = [name for piece in others for name in piece.get("values", [])]
        assert not intervals and sorted(map(str, named)) == sorted(map(str, feature.patterns.values()))
    assert sum(bool(p.get("missing")) for p in others) == (feature.missing and feature.variable is not None)


def check_strip(explainer, x, name, predict, generator, why=None, constraint=None):
    strip = explainer.what_if(x, name, why=why)
    why = strip.why
    record, feature = strip.to_dict(), feature_of(explainer, name)
    check_partition(feature, record["pieces"])
    assert record["decision"] == why.decision and record["rule"] == why.rule
    rows, expected, proved = [], [], []
    for piece in record["pieces"]:
        held = held_by(explainer, feature, piece, generator)
        moved = np.tile(why.row, (len(held), 1))
        moved[:, feature.columns] = held
        if constraint is not None:
            moved = moved[constraint(moved)]
        assert bool(len(moved)) == (piece["decision"] is not None)
        rows += moved.tolist()
        expected += [piece["decision"]] * len(moved)
        if piece["proved"] and piece["decision"] is not None:
            assert piece["decision"] == why.decision
            proved += held
    assert np.asarray(predict(np.array(rows)), dtype=object).tolist() == expected
    check_proved(why, feature, proved, predict)
    return strip


def check_proved(why, feature, held, predict):
    """In a proved cell the decision is the same whatever the free features are."""
    rows = np.repeat(why.sample(8, seed=0), len(held), axis=0)
    rows[:, feature.columns] = np.tile(held, (8, 1))
    rows = rows[why.context.domain.possible(rows, why.context.domain.points(rows))]
    assert len(rows) and why.covers(rows).all()
    assert (np.asarray(predict(rows), dtype=object) == why.decision).all()


def check_map(explainer, x, names, predict, generator):
    board = explainer.decision_map(x, names)
    record = board.to_dict()
    features = [feature_of(explainer, name) for name in names]
    for feature, axis in zip(features, record["axes"], strict=True):
        check_partition(feature, axis["cells"])
        assert len(axis["inside"]) == len(axis["cells"])
    cells = [axis["cells"] for axis in record["axes"]]
    assert np.shape(record["decisions"]) == (len(cells[0]), len(cells[1]))
    rows, expected = [], []
    for (i, first), (j, second) in itertools.product(*map(enumerate, cells)):
        decision = record["classes"][record["decisions"][i][j]]
        if record["axes"][0]["inside"][i] and record["axes"][1]["inside"][j]:
            assert decision == record["decision"]
        held = (
            held_by(explainer, features[0], first, generator),
            held_by(explainer, features[1], second, generator),
        )
        for a, b in itertools.product(held[0][:2], held[1][:2]):
            moved = np.array(board.why.row)
            moved[list(features[0].columns)], moved[list(features[1].columns)] = a, b
            rows.append(moved)
            expected.append(decision)
    assert np.asarray(predict(np.array(rows)), dtype=object).tolist() == expected


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(forest, X, literals="sets"), X, forest


def test_strips_of_a_forest(iris):
    explainer, X, forest = iris
    generator = np.random.default_rng(0)
    for x, name in itertools.product(X[::37], explainer.domain.column_names):
        check_strip(explainer, x, name, forest.predict, generator)
        for literals in ("intervals", "values"):
            why = explainer.explain(x, literals=literals)
            check_strip(explainer, x, name, forest.predict, generator, why=why)


def test_maps_of_a_forest(iris):
    explainer, X, forest = iris
    check_map(explainer, X[60], ("x2", "x3"), forest.predict, np.random.default_rng(0))
    check_map(explainer, X[113], ["x3", "x0"], forest.predict, np.random.default_rng(0))


def test_the_row_lies_where_the_strip_says(iris):
    explainer, X, _ = iris
    for x, name in itertools.product(X[::50], explainer.domain.column_names):
        record = explainer.what_if(x, name).to_dict()
        assert record["value"] == x[explainer.domain.column_names.index(name)]
        (here,) = [
            piece
            for piece in record["pieces"]
            if (piece["low"] is None or piece["low"] < record["value"])
            and (piece["high"] is None or record["value"] <= piece["high"])
        ]
        assert here["decision"] == record["decision"] and here["proved"]


def test_missing_values():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = HistGradientBoostingClassifier(max_iter=5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    generator = np.random.default_rng(0)
    for x, name in itertools.product(X[::29], explainer.domain.column_names):
        check_strip(explainer, x, name, model.predict, generator)
    check_map(explainer, X[5], ("x2", "x3"), model.predict, generator)


def test_declared_categories_and_whole_numbers():
    data = load_credit()
    forest = RandomForestClassifier(8, max_depth=5, random_state=0).fit(data.X, data.y)
    domain = data.domain | {"duration": "whole", "age": pw.Number(18, 120, whole=True)}
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    explainer = pw.Explainer(forest, data.X, domain=domain, units=data.units, **names, literals="sets")

    def predict(rows):
        return np.array(data.class_names)[forest.predict(rows)]

    generator = np.random.default_rng(0)
    for x, name in itertools.product(data.X[:4], data.feature_names):
        strip = check_strip(explainer, x, name, predict, generator)
        assert f"\n{name} is " in str(strip)
    check_map(explainer, data.X[1], ("savings", "age"), predict, generator)


def test_native_categories():
    from xgboost import XGBClassifier

    generator = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "grey", None], dtype=object)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(words[generator.integers(0, 5, 300)]),
            "size": np.where(generator.random(300) < 0.2, np.nan, generator.normal(size=300)),
        }
    )
    y = (frame["colour"].isin(["red", "grey"]) ^ (frame["size"] > 0)) * 1
    model = XGBClassifier(n_estimators=10, max_depth=3, enable_categorical=True, n_jobs=1).fit(frame, y)
    explainer = pw.Explainer(model, frame, literals="sets")
    categories = frame["colour"].cat.categories

    def predict(rows):
        codes = np.where(np.isnan(rows[:, 0]), -1, rows[:, 0]).astype(int)
        return model.predict(
            pd.DataFrame({"colour": pd.Categorical.from_codes(codes, categories), "size": rows[:, 1]})
        )

    for i, name in itertools.product(range(0, 300, 43), frame.columns):
        check_strip(explainer, frame.iloc[[i]], name, predict, generator)
    check_map(explainer, frame.iloc[[3]], ("colour", "size"), predict, generator)


def test_one_hot_groups():
    generator = np.random.default_rng(1)
    place = generator.integers(0, 3, 200)
    X = np.column_stack([np.eye(3)[place], generator.integers(0, 9, 200)])
    y = np.isin(place, [0, 2]) ^ (X[:, 3] % 3 == 0)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, y)
    explainer = pw.Explainer(
        forest, X, feature_names=["c_red", "c_blue", "c_grey", "size"], groups="auto", literals="sets"
    )
    for x in X[:5]:
        check_strip(explainer, x, "c", forest.predict, generator)
        check_strip(explainer, x, "size", forest.predict, generator)
    check_map(explainer, X[0], ("c", "size"), forest.predict, generator)


def test_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, threshold=150.0, literals="sets")

    def predict(rows):
        return np.where(forest.predict(rows) >= 150.0, "prediction >= 150", "prediction < 150")

    for x, name in itertools.product(X[:3], ("x2", "x8", "x1")):
        check_strip(explainer, x, name, predict, np.random.default_rng(0))
    with pytest.raises(pw.errors.InvalidInput, match="threshold"):
        pw.Explainer(forest, X, literals="sets").what_if(X[0], "x2")


def test_a_number_that_nothing_tests():
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    explainer = pw.Explainer(model, literals="sets")
    (piece,) = explainer.what_if([1, 7], "b").to_dict()["pieces"]
    assert (piece["low"], piece["high"], piece["decision"], piece["proved"]) == (None, None, "yes", True)
    record = explainer.decision_map([1, 7], ("a", "b")).to_dict()
    assert record["decisions"] == [[0], [1]]


def test_categories_that_nothing_tests():
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    explainer = pw.Explainer(model, domain={"b": {0: "x", 1: "y"}}, literals="sets")
    record = explainer.what_if([1, 1], "b").to_dict()
    assert record["kind"] == "categories"
    assert sorted(name for piece in record["pieces"] for name in piece["values"]) == ["x", "y"]


def clause_model():
    X = np.random.default_rng(3).integers(0, 8, (120, 2)).astype(float)
    X = X[~((X[:, 0] > 5) & (X[:, 1] < 2))]
    forest = RandomForestClassifier(4, max_depth=4, random_state=0).fit(X, X.sum(axis=1) % 2)
    return forest, X


def test_clauses():
    forest, X = clause_model()
    explainer = pw.Explainer(forest, X, constraints=["x0 > 5 -> x1 >= 2"], literals="sets")
    generator, impossible = np.random.default_rng(0), 0
    for x, name in itertools.product(X[:20], ("x0", "x1")):
        strip = check_strip(
            explainer,
            x,
            name,
            forest.predict,
            generator,
            constraint=lambda rows: ~((rows[:, 0] > 5) & (rows[:, 1] < 2)),
        )
        impossible += sum(piece["decision"] is None for piece in strip.pieces)
        assert ("no such row" in str(strip)) == any(piece["decision"] is None for piece in strip.pieces)
    assert impossible


def order_model(whole):
    tree = pw.Tree.build((1, 10.0, [1, 0], (1, 30.0, [0, 1], [1, 0])))
    model = pw.Ensemble((tree,), ("age", "years"), ("declined", "approved"))
    domain = dict.fromkeys(["age", "years"], "whole") if whole else None
    return pw.Explainer(model, constraints=["years <= age - 14"], domain=domain, literals="sets")


@pytest.mark.parametrize("whole", [False, True])
def test_a_cell_that_an_order_cuts_is_possible(whole):
    explainer = order_model(whole)
    for x, name in itertools.product([(30.0, 12.0), (24.0, 9.0), (60.0, 33.0)], ("years", "age")):
        record = explainer.what_if(x, name).to_dict()
        own = [
            piece
            for piece in record["pieces"]
            if (piece["low"] is None or piece["low"] < record["value"])
            and (piece["high"] is None or record["value"] <= piece["high"])
        ]
        assert [piece["decision"] for piece in own] == [record["decision"]]


# What speaks for the cells must be about this row, this model, this decision.


def test_an_explanation_of_another_row_is_refused(iris):
    explainer, X, forest = iris
    other = explainer.explain(X[1])
    for why in (other, next(iter(pw.compile(forest, X, literals="sets").prime_implicants(1)))):
        with pytest.raises(pw.errors.InvalidInput, match="another row"):
            explainer.what_if(X[60], "x2", why=why)
        with pytest.raises(pw.errors.InvalidInput, match="another row"):
            explainer.decision_map(X[60], ("x2", "x3"), why=why)


def false_claims(explainer, x, why):
    """Cells that are said to be proved, and decided otherwise."""
    return [
        piece
        for name in explainer.domain.column_names
        for piece in explainer.what_if(x, name, why=why).pieces
        if piece["proved"] and piece["decision"] != explainer.decide(x)
    ]


def test_an_explanation_of_another_model_is_refused(iris):
    explainer, X, _ = iris
    y = load_iris().target
    other = DecisionTreeClassifier(max_depth=2, max_features=1, random_state=0).fit(X, y)
    why = pw.Explainer(other, X, literals="sets").explain(X[113])
    try:
        claims = false_claims(explainer, X[113], why)
    except pw.errors.InvalidInput:
        return
    assert not claims


def test_an_explanation_of_another_decision_is_refused():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, max_depth=3, random_state=0).fit(X, y)
    why = pw.Explainer(forest, X, literals="sets").explain(X[0], within=60)
    explainer = pw.Explainer(forest, X, threshold=195.0, literals="sets")
    try:
        claims = false_claims(explainer, X[0], why)
    except pw.errors.InvalidInput:
        return
    assert not claims


def test_why_not_proves_no_decision(iris):
    explainer, X, _ = iris
    reasons = explainer.reasons(X[113], target=0, literals="sets", time_limit=5)
    why = next(why for why in reasons if isinstance(why, pw.Explanation))
    try:
        record = explainer.what_if(X[113], why.features[0], why=why).to_dict()
    except pw.errors.InvalidInput:
        return
    assert record["decision"] in record["classes"]
    assert not any(piece["proved"] for piece in record["pieces"])


def test_names_that_are_none_are_refused(iris):
    explainer, X, _ = iris
    with pytest.raises(pw.errors.UnknownName, match="x9"):
        explainer.what_if(X[0], "x9")
    with pytest.raises(pw.errors.UnknownName, match="x9"):
        explainer.decision_map(X[0], ("x0", "x9"))
    for names in ("x0", ("x0",), ("x0", "x0"), ("x0", "x1", "x2")):
        with pytest.raises(pw.errors.InvalidInput, match="two features"):
            explainer.decision_map(X[0], names)
    with pytest.raises(pw.errors.InvalidInput, match="expression"):
        pw.Explainer(pw.Variable("A", [1, 2]) == 1, literals="sets").what_if({"A": 1}, "A")
