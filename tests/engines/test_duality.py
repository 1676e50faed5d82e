"""Listing explanations and contrasts by duality: against the definitions, and when it is interrupted."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CONSTRAINTS, Table, subject_of
from conformance.universes import (
    LANGUAGES,
    UNIVERSES,
    OracleMaker,
    TableOracle,
    random_tables,
    same_sets,
)
from engines.test_single_tree import contrasts_by_definition, minimal_hitting_sets
from primewood.engines.choice import Engines
from primewood.engines.duality import AnswerKind, Border, DualFamily, Duality, Item, ListingEnd
from primewood.engines.protocol import Clock, Verdict
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains
from primewood.logic.masks import indices

MODELS = [(seed, i) for seed in range(36) for i in range(len(CONSTRAINTS)) if (seed + i) % 4 == 0]


def primes_around(safe, variables, point, literals):
    return [box for box in prime_boxes(safe, variables, literals) if contains(box, point)]


def forest_of_four_classes(seed):
    """Four trees with one vote each: ties everywhere, and an expression for the Boolean engines."""
    generator = np.random.default_rng(seed)
    X, y = generator.integers(0, 4, (40, 3)).astype(float), generator.integers(0, 4, 40)
    model = RandomForestClassifier(4, max_depth=2, random_state=seed).fit(X, y)
    return pw.Explainer(model, vote="majority", missing="forbid", literals="sets")._model.subject


@cache
def small_models(count=2):
    """Small models with classes, ties, constraints, categories and missing values; some points of each."""
    return list(_small_models(count))


def _small_models(count):
    made = [(subject_of(seed, CONSTRAINTS[i]), CONSTRAINTS[i]) for seed, i in MODELS]
    made += [(forest_of_four_classes(seed), None) for seed in range(4)]
    for seed, (subject, constraints) in enumerate(made):
        table = Table(subject, constraints)
        possible = [cell for cell in table.cells if table.decision[cell] >= 0]
        for k in np.random.default_rng(seed).permutation(len(possible))[:count]:
            point = possible[k]
            label = table.decision[point]
            safe = np.zeros([len(x) for x in subject.variables], dtype=bool)
            for cell, decision in table.decision.items():
                safe[cell] = decision in (label, -1)
            yield subject, safe, point, label


def engines_of(subject):
    names = ["search", "diagram", *(["bdd", "sat"] if subject.ensemble.is_plain else [])]
    return {name: Engines(subject, name) for name in names}


@pytest.mark.parametrize("first", AnswerKind)
@pytest.mark.parametrize("literals", LANGUAGES)
def test_a_complete_listing_has_all_explanations_and_contrasts(literals, first):
    checked, missing = 0, 0
    for subject, safe, point, label in small_models():
        truth = primes_around(safe, subject.variables, point, literals)
        against = contrasts_by_definition(safe, subject.variables, point, literals)
        for name, engines in engines_of(subject).items():
            duality = Duality(engines.oracle(label), literals, point, first=first)
            items = list(duality.items())
            assert duality.complete and duality.next() is ListingEnd.COMPLETE
            assert same_sets(duality.explanations, truth), name
            assert same_sets(duality.contrasts, against), name
            assert [item.box for item in items if item.kind is AnswerKind.CONTRAST] == duality.contrasts
            assert [item.box for item in items if item.kind is AnswerKind.EXPLANATION] == duality.explanations
        checked += len(truth) + len(against)
        missing += any(v == x.missing for x, v in zip(subject.variables, point, strict=True))
    assert checked > 200 and missing > 5


@pytest.mark.parametrize("literals", ["sets", "values"])
def test_explanations_and_contrasts_are_each_others_minimal_hitting_sets(literals):
    for subject, _, point, label in small_models():
        duality = Duality(Engines(subject, "search").oracle(label), literals, point)
        list(duality.items())
        explanations = {frozenset(indices(found)) for found in duality.border.explanations}
        contrasts = {frozenset(indices(found)) for found in duality.border.contrasts}
        assert minimal_hitting_sets(contrasts) == explanations
        assert minimal_hitting_sets(explanations) == contrasts


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("universe", UNIVERSES.values(), ids=UNIVERSES)
def test_all_prime_implicants_are_listed_without_an_instance(universe, literals):
    maker = OracleMaker(universe)
    for decision in random_tables(universe, 6, seed=1):
        truth = TableOracle(decision, universe).primes(literals)
        for oracle in maker.all(decision).values():
            assert same_sets(DualFamily(oracle, literals), truth)


@pytest.mark.parametrize("literals", LANGUAGES)
def test_the_diagram_has_the_same_contrasts(literals):
    for subject, _, point, label in small_models(1):
        duality = Duality(Engines(subject, "search").oracle(label), literals, point)
        list(duality.items())
        compiled = Engines(subject, "diagram").use_diagram(label).contrasts(literals, point)
        assert same_sets(duality.contrasts, compiled)


@pytest.mark.parametrize("literals", LANGUAGES)
def test_what_mentions_a_variable_is_all_found_when_that_is_complete(literals):
    for subject, safe, point, label in small_models(1):
        truth = primes_around(safe, subject.variables, point, literals)
        for j, x in enumerate(subject.variables):
            duality = Duality(Engines(subject, "search").oracle(label), literals, point)
            while isinstance(duality.next(mentioning=j), Item):
                pass
            mentioning = {box for box in truth if box[j] != x.everything}
            assert mentioning <= set(duality.explanations) <= set(truth)
            list(duality.items())
            assert same_sets(duality.explanations, truth), "the assumption leaves no trace"


@pytest.mark.parametrize("literals", LANGUAGES)
def test_sums_in_any_order_are_listed_as_the_diagram_has_them(literals):
    unsettled = 0
    for subject, _, point, label in small_models():
        duality = Duality(Engines(subject, "search", any_order=True).oracle(label), literals, point)
        list(duality.items())
        compiled = Engines(subject, "diagram", any_order=True).use_diagram(label)
        assert same_sets(duality.explanations, compiled.primes(literals, point))
        assert same_sets(duality.contrasts, compiled.contrasts(literals, point))
        unsettled += not duality.explanations
        if not duality.explanations:
            assert duality.contrasts == [tuple(1 << value for value in point)]
    assert unsettled > 0


def test_constant_decisions_have_one_empty_explanation_and_no_contrast():
    x = pw.Variable("X", [1, 2, 3])
    oracle = OracleMaker([x]).all(((x == 1) | (x != 1)).over([x]))["sat"]
    duality = Duality(oracle, "sets", (0,))
    assert list(duality.items()) == [Item(AnswerKind.EXPLANATION, (0b111,))] and duality.complete
    oracle = OracleMaker([x]).all(((x == 1) & (x != 1)).over([x]))["sat"]
    duality = Duality(oracle, "sets", (0,))
    assert [item.kind for item in duality.items()] == [AnswerKind.CONTRAST] and duality.complete
    assert list(DualFamily(oracle, "sets")) == []


@pytest.fixture(scope="module")
def large():
    X, y = load_breast_cancer(return_X_y=True)
    explainer = pw.Explainer(
        RandomForestClassifier(60, max_depth=5, random_state=0).fit(X, y), X, engine="search", literals="sets"
    )
    point = explainer._model.context.read(X[0])[1]
    return explainer._model.engines.oracle(explainer._model.engines.decide(point)), point


@pytest.mark.parametrize("literals", LANGUAGES)
def test_what_is_found_in_a_large_model_is_minimal(large, literals):
    oracle, point = large
    duality = Duality(oracle, literals, point)
    items = list(itertools.islice(duality.items(), 8))
    assert len({item.box for item in items}) == 8
    restrictions = duality.border.restrictions
    for chosen in duality.border.explanations:
        assert oracle.counterexample(restrictions.box(chosen)) is Verdict.NONE_EXISTS
        for n in restrictions.free(chosen):
            assert isinstance(oracle.counterexample(restrictions.box(chosen & ~(1 << n))), tuple)
    for let_go in duality.border.contrasts:
        assert isinstance(oracle.counterexample(restrictions.contrast_box(let_go)), tuple)
        for part in restrictions.parts(let_go):
            assert oracle.counterexample(restrictions.contrast_box(let_go & ~part)) is Verdict.NONE_EXISTS


def test_a_limit_ends_the_listing_and_more_time_goes_on(large):
    oracle, point = large
    duality = Duality(oracle, "values", point)
    assert duality.next(Clock(work_limit=1)) is ListingEnd.INTERRUPTED or duality.explanations
    assert duality.next(Clock(0.0)) is ListingEnd.INTERRUPTED and not duality.complete
    some = list(itertools.islice(duality.items(), 4))
    assert duality.next(Clock(0.0)) is ListingEnd.INTERRUPTED
    more = list(itertools.islice(duality.items(), 4))
    assert len({item.box for item in some + more}) == 8
    boxes = DualFamily(oracle, "values", point).within(Clock(0.1))
    assert all(oracle.counterexample(box) is Verdict.NONE_EXISTS for box in boxes) and not boxes.complete


def test_every_small_limit_is_sound():
    subject, safe, point, label = small_models()[0]
    truth = set(primes_around(safe, subject.variables, point, "sets"))
    for nodes in (1, 2, 5, 50):
        duality = Duality(Engines(subject, "search").oracle(label), "sets", point)
        found = {
            item.box for item in duality.items(Clock(work_limit=nodes)) if item.kind is AnswerKind.EXPLANATION
        }
        assert found <= truth and (found == truth or not duality.complete)


def test_what_is_known_is_not_asked_again(large):
    oracle, point = large
    border = Border(oracle, "values", point)
    first = border.shrink(border.restrictions.every, Clock())
    for n in indices(first):
        border.contrast(border.let_through(first & ~(1 << n), Clock()), Clock())
    before = border.queries
    assert border.shrink(first, Clock()) == first
    assert border.queries - before <= 1, "all its features are known to be needed"


def test_the_universes_are_of_all_kinds():
    subjects = [subject for subject, *_ in small_models(1)]
    assert {len(subject.labels) for subject in subjects} >= {2, 3, 4}
    assert any(x.missing is not None for s in subjects for x in s.variables)
    assert any(not x.ordered for s in subjects for x in s.variables)
    assert any(s.domain.knowledge for s in subjects)
    assert any(s.ensemble.is_plain and len(s.labels) == 4 for s in subjects)
