"""Which engine answers what, when nobody says which."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput, TooLarge

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def small():
    return pw.Explainer(RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, Y), X, literals="sets")


@pytest.fixture(scope="module")
def large():
    rows, classes = load_breast_cancer(return_X_y=True)
    return pw.Explainer(RandomForestClassifier(60, random_state=0).fit(rows, classes), rows, literals="sets")


def test_a_small_model_is_compiled_when_a_question_profits(small):
    assert small.explanations(X[70]).compiled
    assert small.count(X[70]) == small.explanations(X[70]).count()
    assert small.relevance(X[70]).relevant and small.contrasts(X[70], time_limit=60).count() > 0


def test_a_large_model_is_searched_and_says_why_it_is_not_compiled(large):
    row = large.rows[0]
    family = large.explanations(row, literals="values")
    assert not family.compiled and next(iter(family)).status == "proved"
    with pytest.raises(TooLarge, match="not compiled by itself"):
        large.complete_reason(row)
    assert not large.contrasts(row, literals="values").compiled
    contrast = next(iter(large.contrasts(row, literals="values")))
    assert large.decide(contrast.changed) == contrast.other != contrast.decision
    assert set(large.relevance(row, literals="values", time_limit=2).necessary) <= set(
        large.explain(row).features
    )
    shortest = large.explain(row, goal="shortest", time_limit=2)
    assert shortest.bounds[0] <= shortest.bounds[1] == len(shortest.features)
    assert large.explain(row).status == "proved"


def test_a_cap_of_ones_own_is_kept():
    model = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, Y)
    capped = pw.Explainer(model, X, max_nodes=5, literals="sets")
    assert not capped.explanations(X[70]).compiled
    assert capped.count(X[70]) == pw.Explainer(model, X, literals="sets").count(X[70])
    with pytest.raises(TooLarge, match="cap of 5 nodes"):
        capped.compile()


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_goals_are_reached(small, literals):
    for x in X[::29]:
        found = list(small.explanations(x, literals=literals))
        shortest = small.explain(x, literals=literals, goal="shortest")
        widest = small.explain(x, literals=literals, goal="widest")
        assert len(shortest.features) == min(len(why.features) for why in found)
        assert widest.coverage == max(why.coverage for why in found)
        assert {shortest.term, widest.term} <= {why.term for why in found}
        assert shortest.status == widest.status == "proved"


def test_the_shortest_of_a_single_tree_needs_no_diagram():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(3000, 30))
    model = DecisionTreeClassifier(random_state=0).fit(rows, (rows[:, :6] > 0).sum(axis=1) % 2)
    explainer = pw.Explainer(model, rows, literals="sets")
    with pytest.raises(TooLarge):
        explainer.complete_reason(rows[0])
    for x in rows[:5]:
        shortest = explainer.explain(x, goal="shortest", literals="values")
        one = explainer.explain(x, literals="values")
        assert len(shortest.features) <= len(one.features)
        contrasts = list(explainer.contrasts(x, literals="values"))
        assert all(set(contrast.features) & set(shortest.features) for contrast in contrasts)
        for contrast in contrasts[:10]:
            assert model.predict(np.array([contrast.changed]))[0] == contrast.other != contrast.decision


def test_goals_take_no_order(small):
    with pytest.raises(InvalidInput, match='goal="prime"'):
        small.explain(X[0], goal="shortest", order=["x0"])
    with pytest.raises(InvalidInput, match="goal must be one of"):
        small.explain(X[0], goal="best")


def test_without_training_rows_the_widest_is_by_cells():
    explainer = pw.Explainer(
        RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y), literals="sets"
    )
    assert explainer.explain(X[70], goal="widest").term in {why.term for why in explainer.explanations(X[70])}


def test_a_row_whose_decision_depends_on_the_order_of_summation_has_no_family():
    trees = tuple(map(pw.Tree.build, ([0.1, 0.2], [0.2, 0.3], [0.3, 0.1], (0, 0.5, [1.0, 0.0], [0.5, 0.5]))))
    ensemble = pw.Ensemble(trees, ("x",), ("a", "b"), vote="mean", any_order=True)
    explainer = pw.Explainer(ensemble, literals="sets")
    assert explainer.count([1.0]) == 0
    assert explainer.explain([1.0], goal="shortest").status == "impossible"
    assert explainer.explain([1.0]).status == "impossible"
    assert explainer.count([0.0]) == 1
