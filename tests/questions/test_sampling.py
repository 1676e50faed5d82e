"""Rows drawn inside an explanation: inside it, decided alike by the library, possible, and of every kind."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.data.credit import load_credit


def check(explainer, why, predict, count=300, seed=0):
    """Rows are inside, and decided alike; returns them."""
    rows = why.sample(count, seed)
    assert rows.shape == (count, len(explainer.domain.column_names)) and rows.dtype == np.float64
    assert why.covers(rows).all()
    assert (np.asarray(predict(rows), dtype=object) == why.decision).all()
    assert np.array_equal(rows, why.sample(count, seed), equal_nan=True)
    return rows


def check_every_cell(explainer, why, rows):
    """Every value that the explanation allows comes up."""
    points = explainer.domain.points(rows)
    for j, mask in enumerate(why.term.box(explainer.domain.variables)):
        allowed = {i for i in range(mask.bit_length()) if mask >> i & 1}
        assert set(points[:, j].tolist()) == allowed


def test_numbers_and_missing_ones():
    X, y = load_iris(return_X_y=True)
    gaps = X.copy()
    gaps[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    boosted = HistGradientBoostingClassifier(max_iter=5, max_depth=3, random_state=0).fit(gaps, y)
    for model, rows in ((forest, X), (boosted, gaps)):
        explainer = pw.Explainer(model, rows, literals="sets")
        for x, literals in itertools.product(rows[::49], ("sets", "intervals", "values")):
            why = explainer.explain(x, literals=literals)
            check_every_cell(explainer, why, check(explainer, why, model.predict, 800))


def test_without_training_rows():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, missing="forbid", literals="sets")
    why = explainer.explain(X[60])
    check_every_cell(explainer, why, check(explainer, why, forest.predict, 500))
    implicant = next(iter(pw.compile(forest, missing="forbid", literals="sets").prime_implicants(1)))
    check_every_cell(explainer, implicant, check(explainer, implicant, forest.predict, 500))


def test_the_domain_is_kept():
    data = load_credit()
    forest = RandomForestClassifier(15, max_depth=5, random_state=0).fit(data.X, data.y)
    domain = {"duration": "whole", "amount": pw.Number(0, 20_000, whole=True), "age": pw.Number(18, 75)}
    explainer = pw.Explainer(
        forest, data.X, feature_names=data.feature_names, domain=data.domain | domain, literals="sets"
    )
    for x in data.X[:6]:
        rows = pd.DataFrame(
            check(explainer, explainer.explain(x), forest.predict), columns=data.feature_names
        )
        for name, codes in data.domain.items():
            assert set(rows[name]) <= set(codes)
        assert (rows["duration"] % 1 == 0).all() and (rows["amount"] % 1 == 0).all()
        assert rows["amount"].between(0, 20_000).all() and rows["age"].between(18, 75).all()
        assert (rows["age"] % 1 != 0).any()


def test_a_library_with_categories_takes_the_rows_as_they_are():
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

    for i in range(0, 300, 37):
        why = explainer.explain(frame.iloc[[i]])
        check_every_cell(explainer, why, check(explainer, why, predict, 600))


def test_groups_and_clauses():
    generator = np.random.default_rng(1)
    place = generator.integers(0, 3, 200)
    X = np.column_stack([np.eye(3)[place], generator.integers(0, 9, (200, 2))])
    X[place == 0, 4] = 0.0
    y = np.isin(place, [0, 2]) ^ (X[:, 3] % 3 == 0) ^ (X[:, 4] > 4)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, y)
    names = ["housing_free", "housing_own", "housing_rent", "size", "rent"]
    explainer = pw.Explainer(
        forest, X, feature_names=names, groups="auto", constraints=["housing=free -> rent=0"], literals="sets"
    )
    for x in X[:15]:
        rows = check(explainer, explainer.explain(x), forest.predict)
        assert (rows[:, :3].sum(axis=1) == 1).all() and np.isin(rows[:, :3], [0, 1]).all()
        assert (rows[rows[:, 0] == 1, 4] == 0).all()


@pytest.mark.parametrize("whole", [False, True])
def test_orders(whole):
    generator = np.random.default_rng(2)
    X = generator.integers(18, 60, (300, 2)).astype(float)
    X[:, 1] = np.minimum(X[:, 1] - 18, X[:, 0] - 14)
    y = (X[:, 0] > 35) ^ (X[:, 1] > 12)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    domain = dict.fromkeys(["age", "years"], "whole" if whole else "numeric")
    options = {"feature_names": ["age", "years"], "domain": domain}
    explainer = pw.Explainer(forest, X, constraints=["years <= age - 14"], **options, literals="sets")
    for x in X[:10]:
        rows = check(explainer, explainer.explain(x), forest.predict)
        assert (rows[:, 1] <= rows[:, 0] - 14).all()


def test_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(6, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, threshold=150.0, literals="sets")
    for x in X[:3]:
        why = explainer.explain(x)
        above = forest.predict(why.sample(300, 0)) >= 150.0
        assert above.all() if why.decision == "prediction >= 150" else not above.any()


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e-44, 2.0**40, 1.0])
def test_scales(scale):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 2)) * scale
    model = pw.Ensemble(
        (pw.Tree.build((0, float(np.float32(0.5 * scale)), [1, 0], (1, 0.0, [0, 1], [1, 0]))),),
        ("a", "b"),
        ("no", "yes"),
        dtype="float32",
    )
    explainer = pw.Explainer(model, X, literals="sets")
    for x in X[:5]:
        why = explainer.explain(x)
        rows = why.sample(200, 0)
        assert why.covers(rows).all()
        assert all(explainer.decide(row) == why.decision for row in rows[:20])


def test_features_that_nothing_tests_vary_too():
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("a", "b", "c"), ("no", "yes"))
    explainer = pw.Explainer(model, domain={"b": {0: "x", 3: "y"}, "c": pw.Number(5, 7)}, literals="sets")
    rows = explainer.explain([1, 3, 6]).sample(200, 0)
    assert set(rows[:, 1]) == {0.0, 3.0}
    assert rows[:, 2].min() >= 5 and rows[:, 2].max() <= 7 and len(set(rows[:, 2])) > 100


def test_seeds_and_counts():
    X, y = load_iris(return_X_y=True)
    why = pw.Explainer(RandomForestClassifier(5, random_state=0).fit(X, y), X, literals="sets").explain(X[60])
    assert why.sample(0).shape == (0, 4)
    assert why.sample(np.int64(3), 1).shape == (3, 4)
    assert not np.array_equal(why.sample(5, 0), why.sample(5, 1))
    assert not np.array_equal(why.sample(5), why.sample(5))
    with pytest.raises(pw.errors.InvalidInput, match="count must be a whole number from 0 to"):
        why.sample(-1)


@pytest.mark.parametrize("count", [2.5, "3", None])
def test_what_is_no_count(count):
    X, y = load_iris(return_X_y=True)
    why = pw.Explainer(RandomForestClassifier(5, random_state=0).fit(X, y), X, literals="sets").explain(X[60])
    with pytest.raises(pw.errors.InvalidInput):
        why.sample(count)


def test_constraints_that_leave_almost_nothing():
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    explainer = pw.Explainer(model, constraints=["a <= b", "b <= a"], literals="sets")
    with pytest.raises(pw.errors.InvalidInput, match="constraints"):
        explainer.explain([2, 2]).sample(10, 0)


def test_every_whole_number_of_a_cell_comes_up():
    model = pw.Ensemble((pw.Tree.build((0, 2.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    whole = {"a": pw.Number(0, 5, whole=True), "b": pw.Number(0, 3, whole=True)}
    rows = pw.Explainer(model, domain=whole, literals="sets").explain([4, 1]).sample(1000, 0)
    assert set(rows[:, 0]) == {3.0, 4.0, 5.0}
    assert {0.0, 1.0} <= set(rows[:, 1])


@pytest.mark.parametrize("cut", [2e37, 1.5e38])
@pytest.mark.parametrize("sign", [1, -1])
def test_cells_far_away(cut, sign):
    model = pw.Ensemble((pw.Tree.build((0, sign * cut, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    explainer = pw.Explainer(model, literals="sets")
    why = explainer.explain([sign * 3e38, 1])
    rows = why.sample(10, 0)
    assert why.covers(rows).all()
    assert all(explainer.decide(row) == why.decision for row in rows)


def test_a_booster_over_huge_numbers():
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    X = np.column_stack([generator.uniform(-1, 1, 200) * 1e40, generator.normal(size=200)])
    y = (X[:, 0] > 2e39).astype(int)
    model = LGBMClassifier(n_estimators=3, num_leaves=4, min_child_samples=5, verbose=-1, n_jobs=1).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    for x in (X[y == 1][0], X[y == 0][0]):
        check(explainer, explainer.explain(x), model.predict, 50)


def test_domains_far_away():
    model = pw.Ensemble((pw.Tree.build((0, 0.0, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    why = pw.Explainer(model, domain={"b": pw.Number(2e37, 3e38)}, literals="sets").explain([1, 1e38])
    assert why.covers(why.sample(10, 0)).all()
