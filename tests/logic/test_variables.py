from __future__ import annotations

import pickle

import pytest

import primewood as pw
from primewood.errors import InvalidInput, UnknownName


def test_values_may_be_anything_hashable():
    A = pw.Variable("A", [1, "two", (3, 4), None])
    assert A.index("two") == 1 and A.index((3, 4)) == 2 and A.index(None) == 3


def test_a_variable_compares_with_values_and_with_variables():
    A = pw.Variable("A", [1, 2, 3])
    assert str(A == 2) == "A=2" and str(A != 2) == "A!=2" and str(A.isin([1, 2])) == "A!=3"
    assert (pw.Variable("A", [1, 2, 3]) == A) is True
    assert (pw.Variable("A", [1, 2]) != A) is True
    assert {A: "found"}[pw.Variable("A", [1, 2, 3])] == "found"


def test_numbers_find_their_interval_on_both_sides_of_a_cut():
    left = pw.Variable.numeric("X", [2, 6], closed="left")
    right = pw.Variable.numeric("X", [2, 6], closed="right")
    assert [left.index(x) for x in (1.9, 2, 5.9, 6)] == [0, 1, 1, 2]
    assert [right.index(x) for x in (1.9, 2, 2.1, 6, 6.1)] == [0, 0, 1, 1, 2]
    assert pw.Interval(2, 6, "left") == left.values[1]


def test_missing_is_a_value_only_where_it_is_declared():
    X = pw.Variable.numeric("X", [2], missing=True)
    assert X.index(float("nan")) == X.index(None) == X.index(pw.MISSING) == 2
    with pytest.raises(UnknownName, match="missing is not allowed"):
        pw.Variable.numeric("X", [2]).index(float("nan"))


def test_a_single_value_is_made_without_the_others():
    for X in (
        pw.Variable.numeric("X", [2, 6], closed="right", missing=True),
        pw.Variable.numeric("X", [], missing=True),
    ):
        alone = [X.value_at(place) for place in range(len(X))]
        assert X._values is None
        assert alone == list(X.values) == [X.value_at(place) for place in range(len(X))]


def test_comparisons_fall_on_cuts():
    X = pw.Variable.numeric("X", [2, 6], closed="left")
    assert str(X < 2) == "X < 2" and str(X >= 6) == "X >= 6" and str((X >= 2) & (X < 6)) == "2 <= X < 6"
    with pytest.raises(UnknownName, match="X < 2, X < 6"):
        X < 3
    with pytest.raises(UnknownName):
        X <= 2
    with pytest.raises(InvalidInput, match="numeric"):
        X == 2
    with pytest.raises(InvalidInput, match="not numeric"):
        pw.Variable("A", [1, 2]) < 1


def test_unknown_values_are_named_with_the_valid_ones():
    with pytest.raises(UnknownName, match=r"no value 'x'; its values are r, b"):
        pw.Variable("B", ["r", "b"]) == "x"


@pytest.mark.parametrize(
    ("name", "values"), [("A", [1]), ("A", []), ("", [1, 2]), ("A", [1, 1]), ("A", [1, "1"]), (3, [1, 2])]
)
def test_bad_declarations_are_refused(name, values):
    with pytest.raises(InvalidInput):
        pw.Variable(name, values)


@pytest.mark.parametrize("cuts", [[2, 1], [1, 1], [float("inf")], [float("nan")]])
def test_bad_cuts_are_refused(cuts):
    with pytest.raises(InvalidInput):
        pw.Variable.numeric("X", cuts)


def test_two_variables_of_one_name_do_not_mix():
    with pytest.raises(InvalidInput, match="two different variables are called A"):
        (pw.Variable("A", [1, 2]) == 1) & (pw.Variable("A", [1, 2, 3]) == 1)


def test_variables_and_expressions_are_immutable_and_picklable():
    A = pw.Variable.numeric("A", [1, 2], missing=True)
    with pytest.raises(AttributeError):
        A.name = "B"
    assert pickle.loads(pickle.dumps(A)) == A
    expression = (A < 1) | ~pw.Variable.boolean("p").literal([True])
    assert pickle.loads(pickle.dumps(expression)) == expression
    with pytest.raises(AttributeError):
        expression.arguments = ()
