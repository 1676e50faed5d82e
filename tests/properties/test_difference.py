"""Differences of two models against what both predict: other cuts and columns, codes or missing values in one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput
from primewood.model.context import UNDECIDED


def training_rows(generator, missing):
    """Three columns: a number, a code out of 0, 1, 2, 3, and a column that holds only 0 and 1."""
    rows = np.column_stack(
        [generator.normal(size=120), generator.integers(0, 4, 120), generator.integers(0, 2, 120)]
    ).astype(float)
    if missing:
        rows[generator.random(rows.shape) < 0.15] = np.nan
    score = (
        np.nan_to_num(rows[:, 0])
        + np.nan_to_num(rows[:, 1]) * generator.normal()
        + generator.normal(size=120)
    )
    return rows, np.digitize(score, np.quantile(score, [0.4, 0.8]))


def trained(generator, missing):
    rows, classes = training_rows(generator, missing)
    kind = generator.integers(3)
    seed = int(generator.integers(1000))
    if kind == 0:
        model = DecisionTreeClassifier(max_depth=3, random_state=seed)
    else:
        model = RandomForestClassifier(int(generator.integers(1, 6)), max_depth=3, random_state=seed)
    return model.fit(rows, classes), rows


def compiled_somehow(model, rows, generator):
    """With rows or without, with declared codes or without: what is taken for granted differs."""
    domain = [None, {"x1": [0, 1, 2, 3]}, {"x2": "numeric"}][generator.integers(3)]
    return pw.compile(model, rows if generator.random() < 0.7 else None, domain=domain)


def rows_to_try(rows, generator):
    tried = rows[generator.integers(0, len(rows), 200)].copy()
    tried[:, 0] += generator.normal(0, 0.5, len(tried))
    odd = generator.random(len(tried)) < 0.3
    tried[odd, 1] = generator.normal(1.5, 2.0, odd.sum())
    tried[generator.random(len(tried)) < 0.1, 2] = 0.5
    tried[generator.random(tried.shape) < 0.05] = np.nan
    return tried


def check_pair(seed):
    generator = np.random.default_rng(seed)
    (a, rows_a), (b, rows_b) = (trained(generator, generator.random() < 0.4) for _ in range(2))
    difference = compiled_somehow(a, rows_a, generator).difference(compiled_somehow(b, rows_b, generator))
    difference.compiled.diagram.check()
    spoken_for = 0
    tried = rows_to_try(np.vstack([rows_a, rows_b]), generator)
    for x, one, other in zip(tried, a.predict(tried), b.predict(tried), strict=True):
        try:
            said = difference.compiled.decide(x)
        except InvalidInput:
            continue  # what an assumption rules out
        assert said == ("same" if one == other else f"{one} -> {other}"), (seed, x)
        spoken_for += 1
    return spoken_for


@pytest.mark.parametrize("part", range(3))
def test_a_difference_says_what_both_models_predict(part):
    assert sum(check_pair(seed) for seed in range(20 * part, 20 * part + 20)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_hundreds_of_differences_say_what_both_models_predict(part):
    for seed in range(1000 + 60 * part, 1060 + 60 * part):
        check_pair(seed)


def test_a_guess_about_a_column_that_one_model_ignores_rules_nothing_out():
    """The first never looks at k, and its rows hold 0 and 1 there; the second asks whether k exceeds 3."""
    generator = np.random.default_rng(0)
    rows = np.column_stack([generator.normal(size=80), generator.integers(0, 2, 80)]).astype(float)
    first = DecisionTreeClassifier(max_depth=1).fit(rows, rows[:, 0] > 0)
    wider = rows.copy()
    wider[:20, 1] = 5.0
    second = DecisionTreeClassifier(max_depth=2, random_state=0).fit(
        wider, (wider[:, 0] > 0) ^ (wider[:, 1] > 3)
    )
    difference = pw.compile(first, rows).difference(pw.compile(second, wider))
    assert not difference.equivalent
    x = np.array([-1.0, 5.0])
    assert difference.compiled.decide(x) != "same"


def test_a_column_that_only_missing_values_split_does_not_matter_where_none_is_missing():
    rows = np.array([[np.nan, 0.0], [np.nan, 1.0], [1.0, 0.0], [2.0, 1.0]] * 10)
    splits = DecisionTreeClassifier(max_depth=1).fit(rows, np.isnan(rows[:, 0]))
    present = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 2.0]] * 10)
    third = DecisionTreeClassifier(max_depth=1).fit(present, present[:, 0] > 1.5)
    difference = pw.compile(splits, rows).difference(pw.compile(third, present))
    for x in present:
        a, b = splits.predict(x[None, :])[0], third.predict(x[None, :])[0]
        assert difference.compiled.decide(x) == ("same" if a == b else f"{a} -> {b}")
    assert "never missing" in str(difference) or "no value is missing" in str(difference)


def test_what_nobody_decides_is_not_called_the_same():
    trees = tuple(map(pw.Tree.build, ([0.1, 0.2], [0.2, 0.3], [0.3, 0.1], (0, 0.5, [1.0, 0.0], [0.5, 0.5]))))
    ensemble = pw.Ensemble(trees, ("x",), ("a", "b"), vote="mean", any_order=True)
    compiled = pw.compile(ensemble)
    difference = compiled.difference(pw.compile(ensemble))
    assert difference.kinds == (f"{UNDECIDED} -> {UNDECIDED}",) and not difference.equivalent


def test_differences_are_asked_of_compiled_models_over_the_same_columns():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    model = DecisionTreeClassifier(max_depth=2).fit(rows, rows[:, 0] > 0)
    with pytest.raises(InvalidInput, match="compile"):
        pw.compile(model).difference(model)
    other = DecisionTreeClassifier(max_depth=2).fit(rows[:, :1], rows[:, 0] > 0)
    with pytest.raises(InvalidInput, match="different columns"):
        pw.compile(model).difference(pw.compile(other))
    codes = np.random.default_rng(1).integers(0, 3, (60, 2)).astype(float)
    tree = DecisionTreeClassifier(max_depth=2).fit(codes, codes[:, 0] > 0)
    named = [pw.compile(tree, codes, domain={"x0": dict(enumerate(names))}) for names in ("abc", "xyz")]
    with pytest.raises(InvalidInput, match="different codes or names"):
        named[0].difference(named[1])
