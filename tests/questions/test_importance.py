"""Which features matter: the counts against naive loops over all values, with the library's own predict."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import primewood as pw
from primewood.errors import InvalidInput


def forest(**options):
    X, y = make_classification(200, 6, n_informative=4, random_state=3)
    return RandomForestClassifier(5, max_depth=4, random_state=0, **options).fit(X, y), X


def representatives(explainer, feature):
    """A number of each cell of a numeric feature: the ends of its cells, and NaN where it may be missing."""
    cuts = explainer.domain.features[feature].variable.cuts
    low, high = cuts[0] - 1, cuts[-1] + 1
    between = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
    missing = [np.nan] if explainer.domain.features[feature].missing else []
    return [low, *between, *cuts, high, *missing]


def by_trying(explainer, decide, X, feature):
    """On how many rows some value of a feature, everything else unchanged, is decided differently."""
    own, flipped = decide(X), np.zeros(len(X), dtype=bool)
    for value in representatives(explainer, feature):
        moved = X.copy()
        moved[:, feature] = value
        flipped |= decide(moved) != own
    return int(flipped.sum())


def check(explainer, decide, X, **options):
    found = explainer.importance(X, **options)
    assert (found.rows, found.explained, found.tested, found.undecided) == (len(X), len(X), len(X), 0)
    for feature in explainer.domain.features:
        tested = feature.variable is not None
        expected = by_trying(explainer, decide, X, feature.column) if tested else 0
        assert found.flips_alone[feature.name] == expected, feature.name
    whys = [explainer.explain(x, literals=found.literals) for x in X]
    for name, count in found.in_explanations.items():
        assert count == sum(name in why.features for why in whys)
    return found


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_counts_are_those_of_trying_every_value(literals):
    model, X = forest()
    found = check(pw.Explainer(model, X), model.predict, X[:40], literals=literals)
    assert found.literals == literals
    assert sum(found.flips_alone.values()) > 0


def test_counts_of_many_classes():
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0).fit(X, y)
    check(pw.Explainer(model, X), model.predict, X[::5], literals="intervals")


def test_a_missing_value_can_flip_too():
    X, y = make_classification(300, 4, n_informative=3, n_redundant=0, random_state=1)
    X[::7, 1] = np.nan
    model = HistGradientBoostingClassifier(max_iter=5, max_depth=3, random_state=0).fit(X, y)
    found = check(pw.Explainer(model, X), model.predict, X[:60], literals="intervals")
    without = pw.Explainer(model, missing="forbid").importance(X[1:7], literals="intervals")
    assert found.rows == 60 and without.rows == 6


def test_a_sum_in_any_order_flips_as_predict_does():
    model, X = forest(n_jobs=2)
    check(pw.Explainer(model, X, summation="any"), model.predict, X[:20], literals="intervals")


def test_categories_and_one_hot_groups_count_as_one_feature():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 300)
    X = np.column_stack([np.eye(3)[colour], rng.normal(size=(300, 2))])
    y = ((colour == 1) & (X[:, 3] > 0)) | (X[:, 4] > 1)
    names = ["colour_red", "colour_green", "colour_blue", "size", "weight"]
    model = RandomForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, feature_names=names, groups="auto")
    found = explainer.importance(X[:50], literals="sets")
    own, flipped = model.predict(X[:50]), np.zeros(50, dtype=bool)
    for k in range(3):
        moved = X[:50].copy()
        moved[:, :3] = np.eye(3)[k]
        flipped |= model.predict(moved) != own
    assert found.flips_alone["colour"] == flipped.sum() > 0
    assert "colour_red" not in found.flips_alone


def test_a_flip_keeps_to_the_constraints_between_numbers():
    rng = np.random.default_rng(2)
    low = rng.uniform(0, 10, 400)
    X = np.column_stack([low, low + rng.uniform(0, 5, 400)])
    y = (X[:, 0] > 4) & (X[:, 1] < 9)
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    names = ["first", "last"]
    explainer = pw.Explainer(model, X, feature_names=names, constraints=["first <= last"])
    found = explainer.importance(X[:40], literals="intervals")
    own = model.predict(X[:40])
    for feature, name in enumerate(names):
        # At every cut, just above it, and at the other number: where cells that keep to the order begin and end.
        cuts = np.asarray(explainer.domain.features[feature].variable.cuts)
        flipped = np.zeros(40, dtype=bool)
        for i, row in enumerate(X[:40]):
            values = np.concatenate(
                [cuts, np.nextafter(cuts.astype(np.float32), np.float32(99)), row, [-9.0, 99.0]]
            )
            moved = np.tile(row, (len(values), 1))
            moved[:, feature] = values
            moved = moved[moved[:, 0] <= moved[:, 1]]
            flipped[i] = (model.predict(moved) != own[i]).any()
        assert found.flips_alone[name] == flipped.sum()


def test_the_cut_off_decides_what_a_flip_is():
    model, X = forest()
    explainer = pw.Explainer(model, X, threshold=0.8)
    check(explainer, lambda rows: model.predict_proba(rows)[:, 1] >= 0.8, X[:30], literals="intervals")


def test_a_feature_that_flips_alone_is_in_the_explanation():
    model, X = forest()
    found = pw.Explainer(model, X).importance(X[:60], literals="intervals")
    assert all(found.flips_alone[name] <= count for name, count in found.in_explanations.items())


def test_the_answer_does_not_depend_on_the_number_of_jobs():
    model, X = forest()
    explainer = pw.Explainer(model, X)
    one, two = (explainer.importance(X, literals="intervals", n_jobs=n) for n in (1, 2))
    assert one == two


def test_rows_that_take_too_long_are_undecided_and_not_counted():
    X, y = make_classification(400, 20, n_informative=10, random_state=0)
    model = RandomForestClassifier(60, random_state=0).fit(X, y)
    found = pw.Explainer(model, X).importance(X[:5], literals="intervals", time_limit=1e-6)
    assert found.undecided == 5 and found.explained == 0
    assert set(found.in_explanations.values()) == {0}
    assert "5 rows undecided in time" in str(found) and "A longer time_limit" in str(found)


def test_frame_record_and_words_say_the_same():
    model, X = forest()
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(6)])
    found = pw.Explainer(model, X, feature_names=list(frame)).importance(frame[:50], literals="intervals")
    table = found.to_frame()
    assert list(table.columns) == ["feature", "in_explanations", "flips_alone"]
    assert dict(zip(table.feature, table.flips_alone, strict=True)) == dict(found.flips_alone)
    assert [x["feature"] for x in found.to_dict()["importance"]] == list(table.feature)
    assert table.in_explanations.is_monotonic_decreasing
    words = str(found)
    for name, count in found.in_explanations.items():
        assert (f"{name}  " in words or name in words) and (not count or f"{count}  (" in words)
    assert "not effect sizes" in words and "may still matter for other rows" in words
    assert "Which features matter" in found._repr_html_()
    assert len(repr(found)) < 200


def test_a_feature_that_no_tree_tests_is_listed_with_zero():
    X = np.column_stack([np.arange(20.0), np.zeros(20)])
    model = RandomForestClassifier(3, random_state=0).fit(X, X[:, 0] > 9)
    found = pw.Explainer(model, X, feature_names=["used", "constant"]).importance(X)
    assert found.in_explanations["constant"] == found.flips_alone["constant"] == 0
    assert "1 feature in no explanation: constant" in str(found)


def test_a_regressor_without_a_cut_off_has_no_decision_to_flip():
    X, y = make_classification(50, 4, random_state=0)
    model = RandomForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(InvalidInput, match="threshold"):
        pw.Explainer(model, X).importance(X)
