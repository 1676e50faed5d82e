"""What columns may hold: whole numbers, bounds, ordered categories, one-hot groups, native categories."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.domain import DomainRecipe, domain_of
from primewood.ensemble import Categories
from primewood.ensemble.comparison import cuts_of
from primewood.errors import InvalidInput, UnknownName
from primewood.tables.rows import Layout, as_row, as_rows

COLOURS = ["colour_red", "colour_green", "colour_blue"]


def stump(*thresholds, operator="<="):
    trees = tuple(pw.Tree.build((0, t, [1, 0], [0, 1])) for t in thresholds)
    return pw.Ensemble(trees, ("x",), ("no", "yes"), operator=operator)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-40, 40).map(lambda n: n / 4), min_size=1, max_size=6, unique=True),
    st.sampled_from(["<=", "<"]),
    st.integers(-6, 3),
    st.integers(4, 9),
    st.booleans(),
)
def test_cells_hold_exactly_the_numbers_that_all_tests_treat_alike(thresholds, operator, low, high, whole):
    """Among the numbers that may occur; each cell has one, and every number has a cell."""
    ensemble = stump(*thresholds, operator=operator)
    domain = domain_of(ensemble, DomainRecipe(declared={"x": pw.Number(low, high, whole=whole)}))
    (feature,) = domain.features
    numbers = np.arange(low, high + 0.1, 1.0 if whole else 0.125)
    numbers = np.unique(np.append(numbers, [low, high]))
    cells = feature.values_of(numbers[:, None])
    assert (cells >= 0).all()
    assert [feature.index_of([x]) for x in numbers] == cells.tolist()
    sides = {}
    for x, cell in zip(numbers.tolist(), cells.tolist(), strict=True):
        answer = tuple(x <= t if operator == "<=" else x < t for t in thresholds)
        assert sides.setdefault(cell, answer) == answer
    assert len(set(sides.values())) == len(sides), "no two cells are alike"
    if feature.variable is not None:
        assert set(sides) == set(range(len(feature.variable)))
        assert feature.values_of(feature.numbers).tolist() == list(range(len(feature.variable)))
        for value in range(len(feature.variable)):
            for end in feature.ends(value):
                assert feature.index_of([end]) == value
        for t, tree in zip(thresholds, ensemble.trees, strict=True):
            (prefix,) = domain.prefixes(0, cuts_of(tree.threshold[:1], operator, ensemble.dtype), operator)
            held = {c for c, answer in sides.items() if answer[thresholds.index(t)]}
            assert held == set(range(prefix))
    for odd in [low - 1, high + 1, *([low + 0.5] if whole else [])]:
        assert feature.index_of([float(odd)]) == -1
        with pytest.raises(InvalidInput, match="x is a"):
            domain.point(np.array([float(odd)]))


def test_ordered_categories_are_runs_in_intervals():
    tree = pw.Tree.build((0, 0.5, [1, 0], (0, 2.5, [0, 1], [1, 0])))
    ensemble = pw.Ensemble((tree,), ("grade",), ("no", "yes"))
    grades = dict(enumerate("ABCD"))
    ordered = pw.Explainer(ensemble, domain={"grade": pw.ordered(grades)}, literals="sets")
    assert ordered.explain([0.0], literals="sets").term.literals[0].values == ("A", "D")
    assert ordered.explain([0.0], literals="intervals").term.literals[0].values == ("A",)
    loose = pw.Explainer(ensemble, domain={"grade": grades}, literals="sets")
    assert set(loose.explain([0.0], literals="intervals").term.literals[0].values) == {"A", "D"}
    assert "grade is A" in ordered.explain([0.0], literals="intervals").rule
    variable = ordered.domain.variables[0]
    assert eval(repr(variable), {"Variable": pw.Variable}) == variable


@pytest.mark.parametrize("groups", [{"colour": COLOURS}, "auto"])
@pytest.mark.parametrize("engine", ["search", "diagram", "bdd", "sat"])
def test_a_one_hot_group_is_one_feature(groups, engine):
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, 200)
    X = np.column_stack([np.eye(3)[codes], generator.random(200)])
    y = (codes == 1) ^ (X[:, 3] > 0.6)
    tree, forest = DecisionTreeClassifier(max_depth=3), RandomForestClassifier(15, max_depth=3)
    model = (tree if engine in ("bdd", "sat") else forest).set_params(random_state=0).fit(X, y)
    explainer = pw.Explainer(
        model, X, feature_names=[*COLOURS, "size"], groups=groups, engine=engine, literals="sets"
    )
    assert [x.name for x in explainer.domain.variables] == ["colour", "size"]
    assert explainer.fidelity is None or explainer.fidelity.differ == 0
    rows = np.array([[*one, size] for one in np.eye(3) for size in np.linspace(0, 1, 41)])
    for x in rows[::7]:
        why = explainer.explain(x)
        inside = rows[why.covers(rows)]
        assert (model.predict(inside) == why.decision).all() and why.covers(x[None, :])[0]
        shown = np.array([witness.row for witness in why.witnesses])
        assert (shown[:, :3].sum(axis=1) == 1).all() and (model.predict(shown) != why.decision).all()
        assert "one of red, green, blue" in " ".join(why.assumptions)
    with pytest.raises(InvalidInput, match="one-hot group"):
        explainer.explain([1.0, 1.0, 0.0, 0.5])


def test_columns_that_look_one_hot_are_noted_once_and_only_if_no_groups_are_given():
    raw = pd.DataFrame({"city": ["Rom", "Oslo", "Bern", "Rom"], "job": list("abab"), "age": [20, 30, 40, 50]})
    frame = pd.get_dummies(raw)
    model = DecisionTreeClassifier(random_state=0).fit(frame, [0, 1, 1, 0])
    (note,) = pw.Explainer(model, frame).notes
    assert "city (city_Bern, city_Oslo, city_Rom), job (job_a, job_b)" in note and 'groups="auto"' in note
    grouped = [{"city": ["city_Bern", "city_Oslo", "city_Rom"]}, "auto", {}]
    assert all(pw.Explainer(model, frame, groups=groups).notes == () for groups in grouped)
    assert pw.Explainer(model).notes == ()
    several = frame.assign(city_Bern=True, job_a=False)
    assert pw.Explainer(model, several).notes == ()


def test_groups_are_recognised_only_where_rows_agree():
    X = np.array([[1, 0, 1, 0.0], [0, 1, 1, 1.0], [1, 0, 0, 0.5]])
    names = ["a_x", "a_y", "b_x", "b_y"]
    trees = tuple(pw.Tree.build((i, 0.5, [1, 0], [0, 1])) for i in range(4))
    ensemble = pw.Ensemble(trees, tuple(names), (0, 1))
    domain = domain_of(ensemble, DomainRecipe(X, groups="auto"))
    assert [feature.name for feature in domain.features] == ["a", "b_x", "b_y"]
    with pytest.raises(InvalidInput, match="row 1 does not have exactly one"):
        domain_of(ensemble, DomainRecipe(X, groups={"b": ["b_x", "b_y"]}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": {"g": ["x", "nothing"]}}, "nothing"),
        ({"groups": {"g": ["x"]}}, "at least two"),
        ({"groups": "yes"}, "auto"),
        ({"groups": {"g": ["x", "y"], "h": ["y", "x"]}}, "one group only"),
        ({"groups": {"y": ["x", "z"]}}, "called like a column"),
        ({"declared": {"x": "integer"}}, "whole"),
        ({"declared": {"x": pw.Number}}, "domain of x"),
        ({"declared": {"w": "whole"}}, "names w"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(options, message):
    trees = tuple(pw.Tree.build((i, 0.5, [1, 0], [0, 1])) for i in range(3))
    ensemble = pw.Ensemble(trees, ("x", "y", "z"), (0, 1))
    with pytest.raises((InvalidInput, UnknownName), match=message):
        domain_of(ensemble, DomainRecipe(**options))


@pytest.mark.parametrize("bounds", [(3, 3), (5, 2)])
def test_bounds_ascend(bounds):
    with pytest.raises(InvalidInput, match="ascend"):
        pw.Number(*bounds)


LAYOUT = Layout(
    ("size", "colour", "grade"),
    "float64",
    {1: Categories({0.0: "red", 1.0: "green"}, others=2.0), 2: Categories({10.0: 1, 20.0: 2})},
)


def test_names_of_categories_become_codes_in_frames_series_dicts_and_lists():
    import pandas as pd
    import polars as pl

    table = {"size": [1.5, 2.0, None], "colour": ["red", None, "pink"], "grade": [2, 1, 1]}
    expected = np.array([[1.5, 0, 20], [2, np.nan, 10], [np.nan, 2, 10]])
    categorical = pd.DataFrame(table).astype({"colour": "category", "grade": "category"})
    for frame in (pd.DataFrame(table), categorical, pl.DataFrame(table)):
        np.testing.assert_array_equal(as_rows(frame, LAYOUT), expected)
    rows = pd.DataFrame(table)
    for i in range(3):
        for row in (rows.iloc[i], rows.iloc[[i]], dict(rows.iloc[i])):
            np.testing.assert_array_equal(as_row(row, LAYOUT), expected[i])
    np.testing.assert_array_equal(as_row([1.5, "red", 2], LAYOUT), expected[0])
    np.testing.assert_array_equal(as_row(np.array([1.5, 0.0, 20.0]), LAYOUT), expected[0])
    np.testing.assert_array_equal(as_rows([[1.5, "red", 2]], LAYOUT), expected[:1])
    for one in (
        np.array([1.5, None, 2], dtype=object),
        [1.5, None, 2],
        np.array([[1.5, None, 2]], dtype=object),
    ):
        np.testing.assert_array_equal(as_row(one, LAYOUT), [1.5, np.nan, 20.0])
    with pytest.raises(InvalidInput, match="not a category"):
        as_rows(np.array([[1.5, 0.5, 20.0]]), LAYOUT)
    np.testing.assert_array_equal(as_rows(expected, LAYOUT), expected)
    with pytest.raises(UnknownName, match="grade is one of 1, 2; got 7"):
        as_rows(pd.DataFrame({**table, "grade": [7, 1, 1]}), LAYOUT)


def test_native_categories_are_variables_with_names():
    """A set of codes goes left; codes that are not listed are all treated like the one that stands for them."""
    tree = pw.Tree.build((0, [0.0, 1.0, 2.0, 3.0], [1, 0], [0, 1]))
    categories = {0: Categories({0.0: "a", 1.0: "b", 2.0: "c"}, others=3.0)}
    ensemble = pw.Ensemble((tree,), ("kind",), ("no", "yes"), operator="<", categories=categories)
    explainer = pw.Explainer(ensemble, literals="sets")
    assert str(explainer.explain({"kind": "a"}).term) == "kind in {a, c}"
    assert explainer.explain({"kind": "z"}).term.literals[0].values == ("b", "other")
    assert explainer.decide([7.0]) == explainer.decide({"kind": "z"}) == "yes"


@pytest.mark.parametrize("operator", ["<", "<="])
def test_every_subset_of_categories_is_told_apart(operator):
    for codes in itertools.chain.from_iterable(itertools.combinations(range(4), n) for n in (1, 2, 3)):
        bounds = sorted({c - 0.5 for c in codes} ^ {c + 0.5 for c in codes})
        tree = pw.Tree.build((0, bounds, [1, 0], [0, 1]))
        ensemble = pw.Ensemble((tree,), ("kind",), ("no", "yes"), operator=operator)
        explainer = pw.Explainer(ensemble, domain={"kind": list(range(4))}, literals="sets")
        for x in range(4):
            held = explainer.explain([float(x)]).term.literals[0].values
            assert set(held) == {y for y in range(4) if (y in codes) == (x in codes)}


def test_a_series_whose_labels_are_the_models_names_is_read_by_them():
    import pandas as pd

    layout = Layout(("1", "0"))
    np.testing.assert_array_equal(as_row(pd.Series({"0": 5.0, "1": 7.0}), layout), [7.0, 5.0])
    np.testing.assert_array_equal(as_row(pd.Series({"1": 7.0, "0": 5.0}), layout), [7.0, 5.0])
    np.testing.assert_array_equal(as_row(pd.Series([7.0, 5.0]), Layout(("a", "b"))), [7.0, 5.0])


@pytest.mark.parametrize(
    "rows",
    [[[1.0], [1.0, 2.0]], [[10**400, 1]], [[1j, 2.0]], np.array([["2020-01-01", "2021-01-01"]], "M8[D]")],
)
def test_what_holds_no_rows_of_numbers_is_refused(rows):
    with pytest.raises(InvalidInput, match="rows"):
        as_rows(rows, Layout(("a", "b")), source="rows")


def test_sparse_and_float32_rows_are_refused_where_the_model_takes_them_otherwise():
    from scipy.sparse import csr_matrix

    with pytest.raises(InvalidInput, match="sparse"):
        as_rows(csr_matrix([[1.0, 0.0]]), Layout(("a", "b"), form="dense"))
    with pytest.raises(InvalidInput, match="float64"):
        as_rows(np.ones((1, 2), dtype=np.float32), Layout(("a", "b"), form="float64"))
    assert as_rows(csr_matrix([[1.0, 0.0]]), Layout(("a", "b"))).tolist() == [[1.0, 0.0]]


def test_categories_may_be_called_other_and_missing():
    tree = pw.Tree.build((0, [0.0, 1.0, 2.0, 3.0], [1, 0], [0, 1]))
    categories = {0: Categories({0.0: "other", 1.0: "missing", 2.0: "any other"}, others=3.0)}
    ensemble = pw.Ensemble((tree,), ("x",), (0, 1), operator="<", categories=categories, allows_missing=True)
    explainer = pw.Explainer(ensemble, literals="sets")
    assert explainer.decide({"x": "missing"}) == 1 and explainer.decide({"x": "other"}) == 0
    assert set(map(str, explainer.domain.variables[0].values)) == {
        "other",
        "'missing'",
        "any other",
        "other 0",
        "missing",
    }
