"""`as_intervals` by brute force: it entails the decision, holds the row, has no gaps, and is prime if it says so."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit


class Grid:
    """All cells of a small model: one number per value of each feature, and what the library decides there."""

    def __init__(self, explainer, predict, possible=None):
        self.features = explainer.domain.seen
        self.values = [self.columns_of(f) for f in self.features]
        self.shape = tuple(len(v) for v in self.values)
        rows = np.zeros((int(np.prod(self.shape)), len(explainer.domain.column_names)))
        for feature in explainer.domain.features:
            if feature.variable is None and feature.patterns is not None:
                rows[:, feature.columns] = next(iter(feature.patterns))
        for i, places in enumerate(itertools.product(*map(range, self.shape))):
            for feature, values, place in zip(self.features, self.values, places, strict=True):
                rows[i, feature.columns] = values[place]
        self.decided = np.asarray(predict(rows), dtype=object).reshape(self.shape)
        allowed = np.ones(len(rows), dtype=bool) if possible is None else possible(rows)
        self.possible = allowed.reshape(self.shape)

    @staticmethod
    def columns_of(feature):
        """What the columns of a feature hold at each of its values."""
        if feature.patterns is not None:
            found = [list(pattern) for pattern in feature.patterns]
        else:
            cuts = list(feature.variable.cuts)
            if feature.whole:
                found = [[c] for c in cuts] + [[cuts[-1] + 1]]
            else:
                found = [[c] for c in cuts] + [[np.nextafter(cuts[-1], np.inf)]]
        return found + ([[np.nan] * len(feature.columns)] if feature.missing else [])

    def allowed(self, why):
        """Per feature, which of its values an explanation allows, read from its record."""
        literals = {x["feature"]: x for x in why.to_dict()["literals"]}
        found = []
        for feature, values in zip(self.features, self.values, strict=True):
            literal = literals.get(feature.name)
            names = [] if feature.patterns is None else list(feature.patterns.values())
            found.append(
                [
                    literal is None
                    or (
                        literal["missing"]
                        if np.isnan(held[0])
                        else names[i] in literal["values"]
                        if names
                        else within(literal, held[0])
                    )
                    for i, held in enumerate(values)
                ]
            )
        return [np.array(mask) for mask in found]

    def entails(self, masks, decision, target=None):
        inside = np.ix_(*masks)
        decided, possible = self.decided[inside], self.possible[inside]
        wrong = decided == target if target is not None else decided != decision
        return not (wrong & possible).any()

    def check_entails(self, why, target=None):
        assert self.entails(self.allowed(why), why.decision, target), why.rule

    def check_prime(self, why, fixed=()):
        """No numeric literal reaches one value farther, no category, no missing value can be let in."""
        masks = self.allowed(why)
        for j, feature in enumerate(self.features):
            if feature.name in fixed:
                continue
            for wider in self.wider(feature, masks[j]):
                moved = [wider if k == j else mask for k, mask in enumerate(masks)]
                assert not self.entails(moved, why.decision), (why.rule, feature.name, wider)

    def wider(self, feature, mask):
        ordered = feature.variable.ordered
        numbers = np.flatnonzero(mask[:ordered])
        if ordered and not len(numbers):
            return [np.ones_like(mask)]
        absent = np.flatnonzero(~mask).tolist()
        if ordered:
            beside = {numbers[0] - 1, numbers[-1] + 1, *range(ordered, len(mask))}
            absent = [i for i in absent if i in beside]
        return [np.array([held or i == new for i, held in enumerate(mask)]) for new in absent]


def within(literal, x):
    for part in literal["intervals"]:
        low, high, closed = part["low"], part["high"], part["closed"]
        above = low is None or x > low or (x == low and closed in ("left", "both"))
        below = high is None or x < high or (x == high and closed in ("right", "both"))
        if above and below:
            return True
    return False


def check_shape(explainer, why, sets):
    """The row is inside, each literal over an order is one run, and the rest is as it was asked."""
    assert why.literals == "intervals"
    assert why.row == sets.row or np.array_equal(why.row, sets.row, equal_nan=True)
    assert why.decision == sets.decision
    assert why.covers(np.array([why.row])).all()
    for literal in why.term.literals:
        ordered = literal.variable.ordered
        held = [i for i in range(ordered) if literal.mask >> i & 1]
        assert held == list(range(held[0], held[-1] + 1)) if held else True
    for literal in why.to_dict()["literals"]:
        assert len(literal.get("intervals", [])) <= 1


def check(explainer, grid, sets, fixed=()):
    why = sets.as_intervals()
    check_shape(explainer, why, sets)
    grid.check_entails(why)
    if why.status == "proved":
        grid.check_prime(why, fixed)
    loaded = pickle.loads(pickle.dumps(sets)).as_intervals()
    check_shape(explainer, loaded, sets)
    assert loaded.status == ("impossible" if sets.status == "impossible" else "interrupted")
    for inner, outer in zip(grid.allowed(loaded), grid.allowed(sets), strict=True):
        assert not (inner & ~outer).any()
    return why


def small_data(seed, missing=0.0, count=80):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 8, (count, 3)).astype(float)
    y = generator.integers(0, 3, count)
    X[generator.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_small_forests(seed, missing):
    X, y = small_data(seed, missing)
    forest = RandomForestClassifier(5, max_depth=4, random_state=seed).fit(X, y)
    explainer = pw.Explainer(forest, X, literals="sets")
    grid = Grid(explainer, forest.predict)
    for x in X[:8]:
        sets = explainer.explain(x)
        grid.check_entails(sets)
        assert check(explainer, grid, sets).status == "proved"


def test_answers_differ_from_the_sets_somewhere():
    """Otherwise the tests above would say little."""
    X, y = small_data(0)
    explainer = pw.Explainer(
        RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y), X, literals="sets"
    )
    pieces = [
        len(literal["intervals"]) for x in X[:10] for literal in explainer.explain(x).to_dict()["literals"]
    ]
    assert max(pieces) > 1


@pytest.mark.parametrize("seed", range(3))
def test_fixed_avoided_and_best_ones(seed):
    X, y = small_data(seed, 0.1)
    forest = RandomForestClassifier(4, max_depth=4, random_state=seed).fit(X, y)
    explainer = pw.Explainer(forest, X, literals="sets")
    grid = Grid(explainer, forest.predict)
    for x in X[:6]:
        fixed = check(explainer, grid, explainer.explain(x, fix=["x1"]), fixed=["x1"])
        assert "x1" in fixed.features
        avoiding = explainer.explain(x, avoid=["x0"])
        found = check(explainer, grid, avoiding)
        assert found.status == avoiding.status == "impossible" or "x0" not in found.features
        assert found.notes == avoiding.notes
        for goal in ("shortest", "widest"):
            best = check(explainer, grid, explainer.explain(x, goal=goal))
            assert best.bounds is None and best.history == ()


def test_ordered_categories_and_named_ones():
    generator = np.random.default_rng(0)
    X = np.column_stack(
        [generator.integers(0, 6, 150), generator.integers(0, 5, 150), generator.normal(size=150)]
    )
    y = (X[:, 0] % 2 == 0) ^ np.isin(X[:, 1], [0, 3]) ^ (X[:, 2] > 0.3)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, y)
    domain = {"grade": pw.ordered(dict(enumerate("ABCDEF"))), "place": dict(enumerate("vwxyz"))}
    explainer = pw.Explainer(
        forest, X, feature_names=["grade", "place", "size"], domain=domain, literals="sets"
    )
    grid = Grid(explainer, forest.predict)
    for x in X[:12]:
        check(explainer, grid, explainer.explain(x))


def test_one_hot_groups():
    generator = np.random.default_rng(1)
    place = generator.integers(0, 4, 150)
    X = np.column_stack([np.eye(4)[place], generator.integers(0, 9, 150)])
    y = np.isin(place, [0, 2]) ^ (X[:, 4] % 3 == 0)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, y)
    names = ["colour_red", "colour_blue", "colour_grey", "colour_pink", "size"]
    explainer = pw.Explainer(forest, X, feature_names=names, groups="auto", literals="sets")
    assert [f.name for f in explainer.domain.features] == ["colour", "size"]
    grid = Grid(explainer, forest.predict)
    for x in X[:12]:
        check(explainer, grid, explainer.explain(x))


def test_clauses_leave_room():
    X, y = small_data(3)
    X = X[~((X[:, 0] > 5) & (X[:, 1] < 2))]
    y = small_data(3)[1][: len(X)]
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, constraints=["x0 > 5 -> x1 >= 2"], literals="sets")
    grid = Grid(explainer, forest.predict, lambda rows: ~((rows[:, 0] > 5) & (rows[:, 1] < 2)))
    for x in X[:12]:
        check(explainer, grid, explainer.explain(x))


def test_orders_are_kept():
    """Cells say less than numbers here, so real rows are drawn."""
    generator = np.random.default_rng(2)
    X = generator.integers(0, 40, (300, 3)).astype(float)
    X[:, 1] = np.minimum(X[:, 1], X[:, 0])
    y = (X[:, 1] * 7 + X[:, 0] * 3 + X[:, 2]) % 3
    forest = RandomForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    domain = dict.fromkeys(["x0", "x1", "x2"], "whole")
    explainer = pw.Explainer(forest, X, constraints=["x1 <= x0"], domain=domain, literals="sets")
    rows = generator.integers(-2, 44, (20_000, 3)).astype(float)
    rows = rows[rows[:, 1] <= rows[:, 0]]
    decided = forest.predict(rows)
    for x in X[:10]:
        why = explainer.explain(x).as_intervals()
        check_shape(explainer, why, explainer.explain(x))
        assert (decided[why.covers(rows)] == why.decision).all()


def test_why_not_stays_a_why_not():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, literals="sets")
    grid = Grid(explainer, forest.predict)
    reasons = explainer.reasons(X[113], target=0, literals="sets", time_limit=5)
    found = [why for why in itertools.islice(reasons, 20) if isinstance(why, pw.Explanation)]
    assert found
    for why in found:
        said = why.as_intervals()
        assert said.decision == "not 0"
        grid.check_entails(said, target=0)


def test_all_explanations_of_a_row():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, literals="sets")
    grid = Grid(explainer, forest.predict)
    for x in X[[0, 60, 113]]:
        for why in itertools.islice(explainer.explanations(x), 15):
            assert check(explainer, grid, why).status == "proved"
        for why in itertools.islice(pw.compile(forest, X, literals="sets").explanations(x), 15):
            assert check(explainer, grid, why).status == "interrupted"


def test_no_time_at_all():
    X, y = small_data(1)
    forest = RandomForestClassifier(5, max_depth=4, random_state=1).fit(X, y)
    explainer = pw.Explainer(forest, X, literals="sets")
    grid = Grid(explainer, forest.predict)
    for x in X[:6]:
        why = explainer.explain(x).as_intervals(time_limit=0)
        check_shape(explainer, why, explainer.explain(x))
        grid.check_entails(why)


def test_larger_models_on_drawn_rows():
    data = load_credit()
    X, y = load_breast_cancer(return_X_y=True)
    cases = [
        (RandomForestClassifier(30, max_depth=6, random_state=0).fit(data.X, data.y), data.X, {}),
        (RandomForestClassifier(50, max_depth=4, random_state=0).fit(X, y), X, {}),
    ]
    for forest, rows, options in cases:
        explainer = pw.Explainer(forest, rows, **options, literals="sets")
        for x in rows[:3]:
            sets = explainer.explain(x)
            why = sets.as_intervals()
            check_shape(explainer, why, sets)
            drawn = why.sample(500, seed=0)
            assert (forest.predict(drawn) == why.decision).all()


def test_other_languages_are_ranges_already():
    X, y = small_data(0)
    explainer = pw.Explainer(
        DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y), X, literals="sets"
    )
    for literals in ("intervals", "values"):
        why = explainer.explain(X[0], literals=literals)
        assert why.as_intervals() is why


def test_what_has_no_row_has_no_ranges():
    X, y = small_data(0)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    implicant = next(iter(pw.compile(tree, X, literals="sets").prime_implicants(0)))
    with pytest.raises(pw.errors.InvalidInput, match="no row"):
        implicant.as_intervals()
    A = pw.Variable("A", [1, 2, 3])
    with pytest.raises(TypeError, match="expression"):
        pw.Explainer(A != 2, literals="sets").explain({"A": 1}).as_intervals()
