"""Claims, rules and constraints that are long or deep are read in time or refused, in few words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput

X = np.random.default_rng(0).normal(size=(60, 3))
MODEL = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, X[:, 0] + X[:, 1] > 0)


@pytest.fixture(scope="module")
def explainer():
    return pw.Explainer(MODEL, X)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" and ".join(["x0 < 2"] * 400), "more than 200 conditions"),
        ("(" + " or ".join(["x0 < 2"] * 400) + ")", "more than 200 conditions"),
        ("(" * 20_000 + "x0 < 2" + ")" * 20_000, "nested more than 20 levels deep"),
        ("x" * 100_000, "longer than 20,000 characters"),
    ],
)
def test_a_claim_beyond_the_limits_is_refused(explainer, text, words):
    with pytest.raises(InvalidInput, match=f"{words}.*pass a dictionary instead") as problem:
        explainer.check(X[0], text)
    assert len(str(problem.value)) < 500


def test_names_that_hold_and_do_not_multiply_the_ways(explainer):
    named = pw.Explainer(MODEL, X, feature_names=["a", "b", "a and b"])
    with pytest.raises(InvalidInput, match="can be read in many ways"):
        named.check(X[0], " and ".join(["a and b"] * 30))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x0 <= x1 + 1e400", "the constant 1e400 of a constraint is outside the range of float64"),
        ("x0 <= x1 + 1e99999999999", "outside the range of float64"),
        ("x0 <= x1 - 1e-99999999999", "outside the range of float64"),
        ("x0 <= x1 + " + "9" * 5000, "outside the range of float64"),
        ("(" * 5000 + "x0 < 2" + ")" * 5000, "nested more than 100 levels deep"),
        ("x0 <= x1 ?" + " " * 9_000, "names 'x1 .'"),
        ("x0 < 2" + " and x0 < 2" * 5000, "violates the constraint"),
    ],
)
def test_a_constraint_beyond_the_limits_is_refused(text, words):
    with pytest.raises(InvalidInput, match=words) as problem:
        pw.Explainer(MODEL, X + 5, constraints=[text])
    assert len(str(problem.value)) < 1000


def test_a_constraint_beyond_float64_says_nothing():
    assert pw.Explainer(MODEL, X, constraints=["x0 < 1e400"]).explain(X[0]).status == "proved"


def test_a_rule_beyond_the_limits_is_refused():
    with pytest.raises(InvalidInput, match="nested more than 100 levels deep") as problem:
        pw.verify(MODEL, "(" * 5000 + "x0 < 2" + ")" * 5000 + " -> True")
    assert len(str(problem.value)) < 1000
