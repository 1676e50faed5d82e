"""What an explanation carries: how much it covers, and what would change the decision."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.logic.interval import Interval
from primewood.render.decimals import plain_number


@pytest.fixture(scope="module", params=[load_iris, load_wine, load_breast_cancer])
def explained(request):
    X, y = request.param(return_X_y=True)
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    return model, X, pw.Explainer(model, X, literals="sets")


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_volume_is_the_share_of_uniform_rows_that_are_covered(literals):
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    uniform = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), (200_000, X.shape[1]))
    for x in X[::30]:
        why = explainer.explain(x, literals=literals)
        assert why.volume == pytest.approx(why.covers(uniform).mean(), abs=0.005)


def test_volume_counts_categories_and_constant_columns():
    credit = load_credit()
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(credit.X, credit.y)
    why = pw.Explainer(model, credit.X, literals="sets").explain(credit.X[0])
    assert 0 < why.volume <= 1
    X = np.column_stack([np.repeat([0.0, 1.0], 10), np.full(20, 7.0)])
    tree = DecisionTreeClassifier().fit(X, X[:, 0].astype(int))
    assert pw.Explainer(tree, X, literals="sets").explain(X[0]).volume == 0.5
    declared = pw.Explainer(
        tree, X, domain={"x0": {0: "no", 1: "yes", 2: "perhaps"}}, literals="sets"
    ).explain(X[0])
    assert declared.volume == pytest.approx(1 / 3)
    assert pw.Explainer(tree, literals="sets").explain(X[0]).volume is None


def test_in_sets_every_excluded_value_has_a_witness(explained):
    model, X, explainer = explained
    for x in X[::40]:
        why = explainer.explain(x)
        box = why.term.box(explainer.domain.variables)
        excluded = {
            (v.name, i)
            for v, mask in zip(explainer.domain.variables, box, strict=True)
            for i in range(len(v))
            if not mask >> i & 1
        }
        assert {(w.feature, w.value) for w in why.witnesses} == excluded
        rows = np.array([w.row for w in why.witnesses])
        assert (model.predict(rows) == [w.decision for w in why.witnesses]).all()
        assert (model.predict(rows) != why.decision).all()
        assert sum(x.values for x in why.exclusions) == len(excluded)


def test_in_intervals_each_end_and_in_values_each_feature_has_one(explained):
    model, X, explainer = explained
    for x in X[::40]:
        why = explainer.explain(x, literals="intervals")
        ends = []
        for literal in why.term.literals:
            first = (literal.mask & -literal.mask).bit_length() - 1
            last = literal.mask.bit_length() - 1
            ends += [(literal.variable.name, first - 1)] * (first > 0)
            ends += [(literal.variable.name, last + 1)] * (last + 1 < len(literal.variable))
        assert [(w.feature, w.value) for w in why.witnesses] == ends
        kept = explainer.explain(x, literals="values")
        assert [w.feature for w in kept.witnesses] == list(kept.features)
        for explanation in (why, kept):
            assert all(model.predict([w.row])[0] == w.decision != why.decision for w in explanation.witnesses)


def test_witnesses_stay_inside_the_rest_of_the_explanation(explained):
    _, X, explainer = explained
    why = explainer.explain(X[0])
    for witness in why.witnesses[::5]:
        others = [literal for literal in why.term.literals if literal.variable.name != witness.feature]
        point = explainer.domain.point(np.array(witness.row))
        places = {v.name: j for j, v in enumerate(explainer.domain.variables)}
        assert all(literal.mask >> point[places[literal.variable.name]] & 1 for literal in others)
        assert point[places[witness.feature]] == witness.value


def test_what_would_change_it_in_words_and_in_the_record():
    iris = load_iris()
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    names = {"feature_names": iris.feature_names, "class_names": iris.target_names}
    why = pw.Explainer(model, iris.data, **names, literals="sets").explain(iris.data[60])
    assert why.rule == "IF 0.9 <= petal width (cm) <= 1.7 THEN versicolor"
    assert why.what_would_change_it.splitlines() == [
        "petal width (cm) <= 0.8: setosa, for example with petal width (cm) = 0.2",
        "petal width (cm) >= 1.8: virginica, for example with petal width (cm) = 2.1",
    ]
    record = why.to_dict(witnesses=True)
    assert [x["decision"] for x in record["excludes"]] == ["setosa", "virginica"]
    assert record["excludes"][0]["changed"] == {"petal width (cm)": 0.2}
    assert "excludes" not in why.to_dict()


def test_plain_numbers_lie_in_their_interval():
    generator = np.random.default_rng(0)
    for _ in range(2000):
        low = float(generator.normal() * 10.0 ** generator.integers(-8, 9))
        high = float(np.nextafter(low, np.inf)) if generator.random() < 0.2 else low + generator.random()
        interval = Interval(low, high, "right" if generator.random() < 0.5 else "left")
        assert plain_number(interval) in interval
    for interval in (
        Interval(-np.inf, 3.25, "right"),
        Interval(1e300, np.inf, "right"),
        Interval(-np.inf, -1e300, "left"),
        Interval(-np.inf, np.inf, "left"),
    ):
        assert np.isfinite(plain_number(interval)) and plain_number(interval) in interval
