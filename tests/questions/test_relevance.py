"""Relevance and attribution by listing: against the definitions, the diagram's, and when it is interrupted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from asking import decision_at, model_of
from conformance.universes import LANGUAGES
from engines.test_duality import engines_of, primes_around, small_models
from primewood.engines.choice import Engines
from primewood.engines.duality import Duality
from primewood.engines.protocol import Clock
from primewood.questions import relevance as module
from primewood.questions.relevance import count_attribution, search_attribution, search_relevance


def literals_of(masks):
    return {(j, mask) for j, mask in enumerate(masks) if mask}


def masks_of(found, variables):
    names = [x.name for x in variables]
    return {(names.index(literal.variable.name), literal.mask) for literal in found}


@pytest.mark.parametrize("literals", LANGUAGES)
def test_relevance_is_that_of_the_definition(literals):
    kinds = {"necessary": 0, "relevant": 0, "irrelevant": 0}
    for subject, safe, point, label in small_models():
        boxes = primes_around(safe, subject.variables, point, literals)
        excluded = [[x.everything & ~box[j] for box in boxes] for j, x in enumerate(subject.variables)]
        every = [np.bitwise_and.reduce(masks) for masks in excluded]
        some = [np.bitwise_or.reduce(masks) for masks in excluded]
        names = [x.name for x in subject.variables]
        for engine, engines in engines_of(subject).items():
            found = search_relevance(decision_at(engines, point, label), literals, Clock())
            assert found.complete and not found.undecided and found.literals == literals
            assert found.relevant == tuple(
                n for n, masks in zip(names, excluded, strict=True) if any(masks)
            ), engine
            assert found.necessary == tuple(
                n for n, masks in zip(names, excluded, strict=True) if all(masks)
            ), engine
            assert set(found.irrelevant) == set(subject.ensemble.feature_names) - set(found.relevant)
            assert masks_of(found.necessary_values, subject.variables) == literals_of(every)
            for j, mask in masks_of(found.relevant_values, subject.variables):
                assert mask & ~some[j] == 0
        for kind in kinds:
            kinds[kind] += len(getattr(found, kind))
    assert all(count > 5 for count in kinds.values())


@pytest.mark.parametrize("literals", LANGUAGES)
def test_attribution_is_that_of_the_definition(literals):
    for subject, safe, point, label in small_models():
        boxes = primes_around(safe, subject.variables, point, literals)
        shares = dict.fromkeys(subject.ensemble.feature_names, 0.0)
        for j, x in enumerate(subject.variables):
            shares[x.name] = sum(box[j] != x.everything for box in boxes) / len(boxes)
        exact = {name: (share, share) for name, share in shares.items()}
        for engines in engines_of(subject).values():
            found = search_attribution(decision_at(engines, point, label), literals, Clock())
            assert found.complete and found.shares == exact and found.count == (len(boxes), len(boxes))
        family = Engines(subject, "diagram").use_diagram(label).primes(literals, point)
        assert count_attribution(model_of(engines).context, family) == found


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(30, max_depth=4, random_state=0).fit(X, y), X)
    return explainer, X[60:130:30]


def test_the_complete_reason_says_the_same(iris):
    explainer, rows = iris
    for x in rows:
        compiled = explainer.relevance(x, literals="sets")
        found = search_relevance(explainer._model.ask(x), "sets", Clock())
        assert found.complete
        assert (found.necessary, found.relevant, found.irrelevant) == (
            compiled.necessary,
            compiled.relevant,
            compiled.irrelevant,
        )
        assert found.necessary_values == compiled.necessary_values


@pytest.fixture(scope="module")
def forest():
    X, y = make_classification(300, 10, n_informative=6, n_classes=3, n_clusters_per_class=1, random_state=5)
    explainer = pw.Explainer(
        RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y), X, engine="search"
    )
    return explainer, X[:4]


@pytest.mark.parametrize("nodes", [1, 4, 15, 60, 300])
def test_interrupted_relevance_is_sound(forest, nodes):
    explainer, rows = forest
    for x in rows:
        truth = search_relevance(explainer._model.ask(x), "values", Clock())
        found = search_relevance(explainer._model.ask(x), "values", Clock(work_limit=nodes))
        assert set(found.necessary) <= set(truth.necessary)
        assert set(found.relevant) <= set(truth.relevant)
        assert set(found.irrelevant) <= set(truth.irrelevant)
        everything = sorted((*found.relevant, *found.irrelevant, *found.undecided))
        assert everything == sorted(explainer._model.context.feature_names)
        if found.complete:
            assert (found.necessary, found.relevant) == (truth.necessary, truth.relevant)
        else:
            assert truth.complete


def stopped_after(count, monkeypatch):
    """Let every listing end after so many items, as if the time were over."""

    def items(self, clock=None):
        for _ in range(count):
            item = self.next(clock)
            if not hasattr(item, "kind"):
                return
            yield item

    monkeypatch.setattr(Duality, "items", items)


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("nodes", [1 << 18, 40, 8], ids=["counted", "partly counted", "hardly counted"])
def test_bounds_hold_the_exact_shares(iris, literals, nodes, monkeypatch):
    explainer, rows = iris
    x = rows[0]
    truth = search_attribution(explainer._model.ask(x), "values", Clock())
    if literals != "values":
        decision = explainer._model.ask(x)
        compiled = decision.model.engines.use_diagram(decision.label)
        truth = count_attribution(decision.context, compiled.primes(literals, decision.point))
    monkeypatch.setattr(module, "MOST_NODES", nodes)
    for count in (0, 1, 2, 3, 5, 9):
        with monkeypatch.context() as patch:
            stopped_after(count, patch)
            found = search_attribution(explainer._model.ask(x), literals, Clock())
        assert found.count[0] <= truth.count[0] <= found.count[1]
        for name, (low, high) in found.shares.items():
            assert 0 <= low <= truth.shares[name][0] <= high <= 1
        if found.complete:
            assert found == truth


@pytest.mark.parametrize("nodes", [1 << 18, 40], ids=["counted", "partly counted"])
def test_bounds_hold_where_much_is_left(forest, nodes, monkeypatch):
    explainer, rows = forest
    strict = 0
    monkeypatch.setattr(module, "MOST_NODES", nodes)
    for x in rows:
        truth = search_attribution(explainer._model.ask(x), "values", Clock())
        for count in range(1, 12):
            with monkeypatch.context() as patch:
                stopped_after(count, patch)
                found = search_attribution(explainer._model.ask(x), "values", Clock())
            assert found.count[0] <= truth.count[0] <= found.count[1]
            for name, (low, high) in found.shares.items():
                assert low <= truth.shares[name][0] <= high
                strict += 0 < low < high < 1
    assert strict > 10


def test_bounds_tighten(forest, monkeypatch):
    explainer, rows = forest
    widths = []
    for count in (2, 8, 1000):
        with monkeypatch.context() as patch:
            stopped_after(count, patch)
            found = [search_attribution(explainer._model.ask(x), "values", Clock()) for x in rows]
        widths.append(sum(high - low for each in found for low, high in each.shares.values()))
    assert widths[0] > widths[1] > widths[2] == 0


def test_a_large_model_answers_in_time():
    X, y = load_breast_cancer(return_X_y=True)
    explainer = pw.Explainer(
        RandomForestClassifier(60, max_depth=5, random_state=0).fit(X, y), X, engine="search"
    )
    attribution = search_attribution(explainer._model.ask(X[0]), "sets", Clock(0.5))
    assert not attribution.complete and attribution.count[0] < attribution.count[1]
    assert all(0 <= low <= high <= 1 for low, high in attribution.shares.values())
    found = search_relevance(explainer._model.ask(X[0]), "sets", Clock(0.5))
    assert len(found.relevant) + len(found.irrelevant) + len(found.undecided) == 30
