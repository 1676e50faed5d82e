"""Properties of whole models against their definitions, over a grid of rows that leaves no cell out.

The grid holds both ends of every cell, so that rows in order, and rows as near to each other as two cells allow, are
among its rows. Decisions are those of the reference `predict`.
"""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    is_possible,
    numbers_in,
    random_ensemble,
)
from primewood.errors import InvalidInput

CUTS = [-1.0, 0.5, 2.0]
NAMES = ["none", "clause", "order", "both"]
RULES = {
    "x < 0.5 -> {0}": lambda x, y, z: x < 0.5,
    "not (x < 0.5 or z = red) -> not {0}": lambda x, y, z: not (x < 0.5 or z == 0),
    "x >= 2 and y < -1 or z in {{green, blue}} -> {1}": lambda x, y, z: (x >= 2 and y < -1) or z in (1, 2),
    "x > 0.25 and (y <= 0.5 or z != grey) -> {0} or {1}": lambda x, y, z: x > 0.25 and (y <= 0.5 or z != 3),
    "never {1}": lambda x, y, z: True,
}


class Grid:
    """Rows of a small random model: all combinations of the ends of cells, with their decisions."""

    def __init__(self, seed, constraints):
        self.ensemble = random_ensemble(seed)
        if seed % 3 == 1:  # labels that have an order of their own
            labels = tuple(range(len(self.ensemble.classes)))
            self.ensemble = replace(self.ensemble, classes=labels)
        self.constraints = constraints
        self.explainer = pw.Explainer(self.ensemble, domain={"z": CODES}, constraints=constraints)
        features = {f.name: f for f in self.explainer.domain.features}
        self.missing = {name: feature.missing for name, feature in features.items()}
        columns = []
        for name in ("x", "y"):
            variable = features[name].variable
            numbers = {-100.0, 100.0, 0.25, np.nextafter(0.25, 1.0)}
            numbers |= {
                n for cut in CUTS for n in (cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf))
            }
            for value in () if variable is None else variable.values:
                numbers |= {float(n) for n in numbers_in(value) if n == n}
            columns.append(sorted(numbers) + [np.nan] * self.missing[name])
        columns.append([0.0, 1.0, 2.0, 3.0] + [np.nan] * self.missing["z"])
        every = np.array(list(itertools.product(*columns)))
        kept = [is_possible(row, constraints) for row in every.tolist()]
        self.rows = every[np.array(kept)]
        self.decided = self.ensemble.predict(self.rows)

    def check_row(self, row):
        assert is_possible(row, self.constraints)
        for x, name in zip(row, "xyz", strict=True):
            assert not np.isnan(x) or self.missing[name]

    def by(self, columns):
        """The places of the rows that agree in these columns."""
        groups = {}
        for i, row in enumerate(self.rows.tolist()):
            key = tuple("missing" if row[c] != row[c] else row[c] for c in columns)
            groups.setdefault(key, []).append(i)
        return groups.values()

    def breaks_monotone(self, column, up, target):
        goal = self.decided if target is None else (self.decided == target).astype(int)
        for group in self.by([c for c in range(3) if c != column]):
            group = [i for i in group if self.rows[i, column] == self.rows[i, column]]
            ordered = sorted(group, key=lambda i: self.rows[i, column])
            along = goal[ordered] if up else goal[ordered][::-1]
            if (np.maximum.accumulate(along) > along).any():
                return True
        return False

    def depends_on(self, columns):
        shared = [c for c in range(3) if c not in columns]
        return any(len(set(self.decided[group].tolist())) > 1 for group in self.by(shared))


def settle(grid, stated, broken, confirm):
    """Whether the outcome is what the definition says, also in a hurry."""
    found = grid.explainer.verify(stated, time_limit=None)
    assert found.outcome == ("fails" if broken else "holds"), (str(found), broken)
    assert broken or found.proved == 1
    hurried = grid.explainer.verify(stated, time_limit=None, work_limit=1)
    assert hurried.outcome == "undecided" or hurried.outcome == found.outcome
    if hurried.outcome == "undecided":
        assert 0 <= hurried.proved < 1
    for one in (found, hurried):
        if one.outcome == "fails":
            rows = np.array(one.witnesses)
            for row in rows.tolist():
                grid.check_row(row)
            decided = grid.ensemble.predict(rows)
            assert [grid.explainer.class_names[d] for d in decided] == list(one.decisions)
            confirm(rows, decided.tolist())


def same_but_for(rows, columns):
    rest = [c for c in range(3) if c not in columns]
    return np.array_equal(rows[0, rest], rows[1, rest], equal_nan=True)


def check_rules(grid):
    names = grid.explainer.class_names
    for pattern, premise in RULES.items():
        text = pattern.format(*names)
        allowed = {0}
        if "not {0}" in pattern:
            allowed = {*range(1, len(names))}
        elif pattern.endswith("-> {1}"):
            allowed = {1}
        elif pattern.endswith("{0} or {1}"):
            allowed = {0, 1}
        elif pattern.startswith("never"):
            allowed = {*range(len(names))} - {1}
        if any(np.isnan(grid.rows).any(axis=0)) and "x" in pattern:
            continue  # what a comparison says of a missing number is tested where constraints are
        where = np.array([premise(*row) for row in grid.rows.tolist()])
        broken = bool((where & ~np.isin(grid.decided, list(allowed))).any())

        def confirm(rows, decided, premise=premise, allowed=allowed):
            assert premise(*rows[0]) and decided[0] not in allowed

        settle(grid, text, broken, confirm)


def check_monotone(grid):
    names = grid.explainer.class_names
    ordered = names == tuple(range(len(names))) or len(grid.ensemble.cuts) > 1
    if not ordered:
        with pytest.raises(InvalidInput, match="needs a target"):
            grid.explainer.verify(pw.monotone("x"))
    for column, up in itertools.product((0, 1), (True, False)):
        for target in ((None,) if ordered else ()) + tuple(range(len(names))):
            wanted = None if target is None else names[target]
            stated = pw.monotone("xy"[column], "increasing" if up else "decreasing", target=wanted)

            def confirm(rows, decided, column=column, up=up, target=target):
                assert same_but_for(rows, [column])
                assert rows[0, column] < rows[1, column] if up else rows[0, column] > rows[1, column]
                before, after = decided if target is None else [int(d == target) for d in decided]
                assert before > after

            settle(grid, stated, grid.breaks_monotone(column, up, target), confirm)


def check_independent(grid):
    for size in (1, 2, 3):
        for columns in itertools.combinations(range(3), size):

            def confirm(rows, decided, columns=columns):
                assert same_but_for(rows, columns) and decided[0] != decided[1]

            stated = pw.independent_of(*("xyz"[c] for c in columns))
            settle(grid, stated, grid.depends_on(columns), confirm)


def check_robust(grid):
    rows, decided = grid.rows, grid.decided
    numbers = rows[:, :2]
    absent = np.isnan(numbers)
    for radius in (0.0, 1e-12, 0.3, 1.5, 1.6):
        broken = False
        for i in range(len(rows)):
            with np.errstate(invalid="ignore"):
                near = np.abs(numbers - numbers[i]) <= radius
            near |= absent & absent[i]
            code = (rows[:, 2] == rows[i, 2]) | (np.isnan(rows[:, 2]) & np.isnan(rows[i, 2]))
            broken = broken or bool((near.all(axis=1) & code & (decided != decided[i])).any())

        def confirm(pair, found, radius=radius):
            assert found[0] != found[1] and same_but_for(pair, [0, 1])
            assert np.array_equal(np.isnan(pair[0]), np.isnan(pair[1]))
            assert np.nanmax(np.abs(pair[0] - pair[1])[:2], initial=0.0) <= radius

        settle(grid, pw.robust_everywhere(radius), broken, confirm)


CHECKS = {
    "rules": check_rules,
    "monotone": check_monotone,
    "independent": check_independent,
    "robust": check_robust,
}


def run(check, seed, constraints):
    grid = Grid(seed, constraints)
    if check == "robust" and grid.explainer.domain.knowledge.orders:
        with pytest.raises(InvalidInput, match="does not take orders"):
            grid.explainer.verify(pw.robust_everywhere(0.3))
        return
    CHECKS[check](grid)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("seed", range(4))
def test_outcomes_are_those_of_the_definition(seed, check, constraints):
    run(check, seed, constraints)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("seed", range(4, 68))
def test_outcomes_in_many_models(seed, check, constraints):
    run(check, seed, constraints)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_on_the_output(seed):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 4, (40, 2)).astype(float)
    every = np.array(list(itertools.product(np.arange(-4, 20) / 4, repeat=2)))
    forest = RandomForestClassifier(5, max_depth=3, random_state=seed).fit(X, generator.integers(0, 2, 40))
    boosted = GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=seed).fit(
        X, generator.random(40)
    )
    for model, outputs in (
        (forest, forest.predict_proba(every)[:, 1]),
        (boosted, boosted.predict(every)),
    ):
        explainer = pw.Explainer(model, X)
        low, high = float(outputs.min()), float(outputs.max())
        for at_least, at_most in itertools.product(
            (np.nextafter(low, -1), low, np.nextafter(low, 2)), (np.inf, high)
        ):
            found = explainer.verify(pw.output(at_least=at_least, at_most=at_most), time_limit=None)
            assert found.holds == (at_least <= low)
        for at_most in (np.nextafter(high, 2), high, np.nextafter(high, -1)):
            found = explainer.verify(pw.output(at_most=at_most), time_limit=None)
            assert found.holds == (at_most >= high)
            if not found.holds:
                row = np.array(found.witnesses)
                own = model.predict_proba(row)[0, 1] if model is forest else model.predict(row)[0]
                assert own == found.decisions[0] > at_most


@pytest.mark.parametrize("seed", range(6))
def test_robust_wherever_the_model_is_confident(seed):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 4, (40, 2)).astype(float)
    forest = RandomForestClassifier(5, max_depth=3, random_state=seed).fit(
        X, (X.sum(axis=1) > 3) ^ (generator.random(40) < 0.1)
    )
    ends = sorted({-9.0, 9.0, *(n for c in (0.5, 1.5, 2.5) for n in (c, np.nextafter(c, 9)))})
    explainer = pw.Explainer(forest, X)
    ends += [
        e for f in explainer.domain.seen for v in range(len(f.variable)) for e in f.ends(v) if abs(e) < 9
    ]
    every = np.array(list(itertools.product(sorted({*ends}), repeat=2)))
    proba, decided = forest.predict_proba(every), forest.predict(every)
    for confidence, radius in itertools.product((0.51, 0.6, 0.8, 0.95, 1.0), (0.4, 1.1)):
        sure = np.flatnonzero((proba[:, 1] >= confidence) | (proba[:, 1] <= 1 - confidence))
        near = [np.abs(every - every[i]).max(axis=1) <= radius for i in sure]
        broken = any(bool((decided[n] != decided[i]).any()) for n, i in zip(near, sure, strict=True))
        found = explainer.verify(pw.robust_everywhere(radius, confidence=confidence), time_limit=None)
        assert found.outcome == ("fails" if broken else "holds"), (confidence, radius)
        if broken:
            a, b = np.array(found.witnesses)
            assert np.abs(a - b).max() <= radius and (forest.predict([a]) != forest.predict([b]))[0]
            assert forest.predict_proba([a])[0].max() >= confidence - 1e-12


def test_the_shares_of_many_questions_add_up():
    """Six times a sixth is less than one in floats."""
    tree = pw.Tree.build((0, 0.0, (1, 0.0, [-1.0], [-0.5]), [-0.25]))
    ensemble = pw.Ensemble(
        (tree,), ("x", "y"), operator="<", vote="sum", classes=("no", "yes"), cuts=(0.0,), start=(0.0,)
    )
    parts = [f"(x >= {i} and x < {i + 1} and y >= {i} and y < {i + 1})" for i in range(12)]
    for count in range(1, 13):
        found = pw.verify(ensemble, f"{' or '.join(parts[:count])} -> no", time_limit=None)
        assert found.outcome == "holds" and found.proved == 1


def test_a_rule_about_categories_that_the_model_keeps_no_names_of_is_refused_in_these_words():
    tree = pw.Tree.build((0, 0.5, [1.0, 0.0], [0.0, 1.0]))
    unnamed = pw.Categories({}, others=0.0, complete=False)
    model = pw.Ensemble((tree,), ("a", "colour"), ("no", "yes"), categories={1: unnamed})
    with pytest.raises(InvalidInput, match="tests no category of colour and keeps none of their names"):
        pw.verify(model, "a < 0.5 and colour=red -> no")


@pytest.mark.parametrize("engine", ["auto", "search", "diagram"])
def test_no_rule_is_proved_where_the_order_of_summation_may_break_it(engine):
    """0.1 + 0.2 + 0.3 against 0.3 + 0.2 + 0.1: either class can win."""
    leaves = [[0.3, 0.1, 0.0], [0.2, 0.2, 0.0], [0.1, 0.3, 0.0]]
    trees = tuple(pw.Tree.build((0, 0.5, leaf, [0.0, 0.0, 1.0])) for leaf in leaves)
    model = pw.Ensemble(trees, ("a",), ("no", "yes", "maybe"), vote="mean")
    explainer = pw.Explainer(model, engine=engine, summation="any")
    for decision in ("no", "yes"):
        assert explainer.verify(f"-> not {decision}").outcome is not pw.answers.Outcome.HOLDS
        assert explainer.verify(pw.never(decision)).outcome is not pw.answers.Outcome.HOLDS
    assert explainer.verify("a > 0.5 -> maybe").outcome is pw.answers.Outcome.HOLDS
    assert len(list(explainer.contrasts([1], "no"))) == len(list(explainer.contrasts([1], "yes"))) == 1


def test_a_model_keeps_the_domains_of_the_last_rules_only():
    X, y = load_iris(return_X_y=True)
    explainer = pw.Explainer(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y), X)
    model = explainer._model
    explainer.verify("x2 < 1.5 -> 0")
    (first,) = model._variants.values()
    explainer.verify("x2 < 1.5 -> 0")
    assert list(model._variants.values()) == [first]
    for bound in range(20):
        explainer.verify(f"x2 < {1.6 + bound / 100} -> 0")
    assert len(model._variants) == 8 and first not in model._variants.values()
    assert not pickle.loads(pickle.dumps(explainer))._model._variants
