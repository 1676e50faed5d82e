"""Claims, rules and constraints that are long or deep are read in time or refused, in few words."""

from __future__ import annotations

import time

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
        ("(" * 20_000 + "x0 < 2" + ")" * 20_000, "nested more than 100 levels deep"),
        ("x" * 1_000_001, "may have 1,000,000 characters"),
    ],
)
def test_a_claim_beyond_the_limits_is_refused(explainer, text, words):
    with pytest.raises(InvalidInput, match=words) as problem:
        explainer.check(X[0], text)
    assert len(str(problem.value)) < 800


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(f"x0 < {i}" for i in range(2, 5000)),
        "(" + " or ".join(f"{i} <= x0 < {i}.5" for i in range(-5000, 1)) + " or -0.5 < x0 < 2)",
        "x0 not in {" + ", ".join(f"{i}" for i in range(2, 5000)) + "} and x0 < 2",
    ],
)
def test_a_claim_of_very_many_conditions_is_read_in_time(explainer, text):
    begin = time.perf_counter()
    claim = explainer.check(X[0], text).claim
    assert claim.features == ("x0",) and claim.holds(np.zeros(3)) and not claim.holds(np.full(3, 2.0))
    assert time.perf_counter() - begin < 5.0


def test_names_that_hold_and_do_not_multiply_the_ways(explainer):
    named = pw.Explainer(MODEL, X, feature_names=["a", "b", "a and b"])
    with pytest.raises(InvalidInput, match="can be read in several ways"):
        named.check(X[0], " and ".join(["a and b"] * 30))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x0 <= x1 + 1e400", "the constant 1e400 of a constraint is outside the range of float64"),
        ("x0 <= x1 + 1e99999999999", "outside the range of float64"),
        ("x0 <= x1 - 1e-99999999999", "outside the range of float64"),
        ("x0 <= x1 + " + "9" * 5000, "outside the range of float64"),
        ("(" * 5000 + "x0 < 2" + ")" * 5000, "nested more than 100 levels deep"),
        ("x0 <= x1 ?" + " " * 900_000, "found '.'. At position 9"),
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
