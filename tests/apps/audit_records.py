"""Reports that the tests of their page share."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.data.credit import load_credit

LIMITS: dict[str, Any] = {"time_limit": None, "work_limit": 5000}


def stump(feature: int, threshold: float, low: float, high: float) -> pw.Tree:
    """A tree of one test, whose leaves say how likely the second class is."""
    return pw.Tree(
        feature=np.array([feature, -1, -1]),
        threshold=np.array([threshold, 0.0, 0.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        missing_left=np.array([True, False, False]),
        value=np.array([[0.5, 0.5], [1 - low, low], [1 - high, high]]),
    )


@cache
def small() -> dict[str, Any]:
    """A report that depends on no library: three stumps over two features of three."""
    trees = (stump(0, 17.5, 0.0, 0.75), stump(1, 30.0, 0.25, 1.0), stump(1, 50.0, 0.25, 0.75))
    ensemble = pw.Ensemble(trees, ("age", "income", "postcode"), ("declined", "approved"), vote="mean")
    rows = np.array([[age, income, 9.0] for age in (16.0, 25.0, 60.0) for income in (20.0, 40.0, 80.0)])
    explainer = pw.Explainer(ensemble, rows, units={"age": "years", "income": "k€"})
    found = explainer.report(explain=2, sample=6, title="A small lender", **LIMITS)
    return found.to_dict()


@cache
def iris() -> dict[str, Any]:
    data = load_iris()
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(data.data, data.target)
    names = {"feature_names": data.feature_names, "class_names": data.target_names}
    return pw.Explainer(forest, data.data, **names).report(explain=4, sample=20, **LIMITS).to_dict()


@cache
def stated() -> dict[str, Any]:
    """Credit, about rows beside the training rows, with properties that hold and fail, and one that is undecided."""
    data = load_credit()
    forest = RandomForestClassifier(12, max_depth=4, random_state=0).fit(data.X, data.y)
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    explainer = pw.Explainer(forest, data.X[:600], units=data.units, domain=data.domain, **names)
    properties = [
        "age < 18 -> not approved",
        pw.monotone("duration", "decreasing"),
        pw.independent_of("housing"),
        pw.output(at_least=0.0),
        pw.output(at_least=0.2),
    ]
    rows = data.X[600:660].copy()
    rows[0, 1] = np.nan
    found = explainer.report(rows, rows=[0, 5], sample=10, properties=properties, **LIMITS)
    record = copy.deepcopy(found.to_dict())
    note = {
        "outcome": "undecided",
        "words": "Not decided: whether changing only housing can change the decision.",
        "breaking": None,
        "note": "proved for 12.5% of the cells in time",
        "witnesses": [],
        "shown": [],
    }
    record["properties"]["items"][2] |= note | {"decisions": [], "differ_in": [], "proved": 0.125}
    return record


@cache
def no_rows() -> dict[str, Any]:
    data = load_iris()
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(data.data, data.target)
    return pw.Explainer(forest).report(**LIMITS).to_dict()


@cache
def stopped() -> dict[str, Any]:
    """A model of thirty features whose explanations were stopped early."""
    data = load_breast_cancer()
    forest = RandomForestClassifier(40, random_state=0).fit(data.data, data.target)
    names = {"feature_names": data.feature_names, "class_names": data.target_names}
    explainer = pw.Explainer(forest, data.data, **names)
    return explainer.report(explain=3, sample=6, time_limit=4, work_limit=2).to_dict()


@cache
def odd_names() -> dict[str, Any]:
    """The small report with names that mean something in HTML."""
    trees = (stump(0, 17.5, 0.0, 0.75), stump(1, 30.0, 0.25, 1.0))
    names = ('<b>age</b> & "years"', "income <= 5 {{ 7 * 7 }}", "</title><script>alert(1)</script>")
    ensemble = pw.Ensemble(trees, names, ("no' onload='x", "yes <i>"), vote="mean")
    rows = np.array([[age, income, 9.0] for age in (16.0, 25.0, 60.0) for income in (20.0, 40.0, 80.0)])
    explainer = pw.Explainer(ensemble, rows, units={names[0]: "<u>"})
    title = "</title><script>alert(2)</script>"
    return explainer.report(explain=2, sample=6, title=title, **LIMITS).to_dict()


@cache
def of_batch() -> dict[str, Any]:
    """Feature use over a batch, as if it were long, and not finished, with rows that failed and rows that took over."""
    trees = (stump(0, 17.5, 0.0, 0.75), stump(1, 30.0, 0.25, 1.0), stump(1, 50.0, 0.25, 0.75))
    ensemble = pw.Ensemble(trees, ("age", "income", "postcode"), ("declined", "approved"), vote="mean")
    rows = np.array([[age, income, 9.0] for age in (16.0, 25.0, 60.0) for income in (20.0, 40.0, 80.0)])
    explainer = pw.Explainer(ensemble, rows)
    record = explainer.report(explain=2, sample=6, answers=explainer(rows), **LIMITS).to_dict()
    found = copy.deepcopy(record)
    found["features"] |= {"rows": 12_350, "explained": 12_345, "proved": 12_340, "failed": 5}
    found["features"] |= {"taken_over": 2_000, "finished": False, "sizes": {"1": 1, "2": 12_344}}
    return found


MADE = {
    "small": small,
    "iris": iris,
    "stated": stated,
    "no rows": no_rows,
    "stopped": stopped,
    "odd names": odd_names,
    "of a batch": of_batch,
}
