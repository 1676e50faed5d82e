"""Reasons, contrasts, relevance and attribution through the public face, against their definitions over all cells."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import primewood as pw
from conformance.test_sums_and_sets_of_values import is_possible
from conformance.universes import LANGUAGES, same_sets
from engines.test_single_tree import (
    atoms,
    contrasts_by_definition,
    excluded_atoms,
    kept_variables,
    minimal_hitting_sets,
)
from primewood.engines.protocol import Verdict
from primewood.engines.search.oracle import SearchOracle
from primewood.errors import InvalidInput
from primewood.logic.instance import contains
from primewood.model.context import UNDECIDED
from questions.test_best import KINDS, around, engines_for, mentioned, world


def everyone(some):
    return set(range(len(some.explainer.class_names)))


def questions(some, label):
    """Why this decision, and why not each other one: the target's name, and the labels that are argued for."""
    yield None, {label}
    for other, name in enumerate(some.explainer.class_names):
        if other != label:
            yield name, everyone(some) - {other}


def contrast_box(some, found, point):
    """The instance's values and what is let go of."""
    box = [1 << v for v in point]
    for literal in found.term.literals:
        box[some.variables.index(literal.variable)] |= literal.mask
    return tuple(box)


def check_shown(some, found, row, point, label, argued):
    """The row of a contrast is possible, is decided as said, and changes nothing but what is let go of."""
    told = (found.literals, str(found), found.changed)
    changed = np.array(found.changed)
    cell = some.cell(changed)
    decided = int(some.explainer.ensemble.predict(changed[None, :])[0])
    assert some.decision[cell] == decided, told
    assert found.other == some.explainer.class_names[decided] and decided not in argued, told
    assert found.decision == some.explainer.class_names[label] and cell == found.instance, told
    assert contains(contrast_box(some, found, point), cell), told
    if some.explainer.domain.knowledge.orders:
        assert is_possible(changed, some.options["constraints"]), told
    else:
        held = [f for f in some.explainer.domain.features if f.name not in found.features]
        columns = [column for f in held for column in f.columns]
        assert np.array_equal(changed[columns], row[columns], equal_nan=True), told


def check_reasons(some, engine, row, point, label, literals):
    explainer = some.with_engine(engine)
    for target, argued in questions(some, label):
        safe = some.table(argued)
        told = (engine, literals, target, point)
        truth = around(safe, some.variables, literals, point)
        against = contrasts_by_definition(safe, some.variables, point, literals)
        listing = explainer.reasons(row, target=target, literals=literals)
        found = list(listing)
        assert listing.complete, told
        whys = [each for each in found if isinstance(each, pw.Explanation)]
        contrasts = [each for each in found if isinstance(each, pw.answers.Contrast)]
        boxes = [why.term.box(some.variables) for why in whys]
        assert same_sets(boxes, truth), told
        assert same_sets([contrast_box(some, c, point) for c in contrasts], against), told
        for contrast in contrasts:
            check_shown(some, contrast, row, point, label, argued)
        if literals == "values":
            kept = {kept_variables(box, some.variables) for box in boxes}
            freed = {frozenset(j for j, _ in atoms(box, point)) for box in against}
        elif literals == "sets":
            kept = {excluded_atoms(box, some.variables) for box in boxes}
            freed = {atoms(box, point) for box in against}
        else:
            continue
        assert minimal_hitting_sets(kept) == freed and minimal_hitting_sets(freed) == kept, told


def check_rules_of_reasons(some, engine, row, point, label):
    """What an explanation says it decides is decided wherever it speaks."""
    explainer = some.with_engine(engine)
    for target, argued in questions(some, label):
        for why in explainer.reasons(row, target=target):
            if isinstance(why, pw.Explanation):
                there = some.decided_in(why.term.box(some.variables))
                assert there <= argued
                assert why.decision not in explainer.class_names or there == {
                    explainer.class_names.index(why.decision)
                }, (engine, target, why.rule)


def check_interrupted(some, row, point, label, literals, work):
    for target, argued in questions(some, label):
        safe = some.table(argued)
        truth = around(safe, some.variables, literals, point)
        against = contrasts_by_definition(safe, some.variables, point, literals)
        listing = some.explainer.reasons(row, target=target, literals=literals, work_limit=work)
        found = list(listing)
        boxes = [e.term.box(some.variables) for e in found if isinstance(e, pw.Explanation)]
        lets_go = [contrast_box(some, e, point) for e in found if isinstance(e, pw.answers.Contrast)]
        assert len(set(boxes)) == len(boxes) and set(boxes) <= set(truth)
        assert len(set(lets_go)) == len(lets_go) and set(lets_go) <= set(against)
        if listing.complete:
            assert set(boxes) == set(truth) and set(lets_go) == set(against)


def check_contrasts(some, engine, row, point, label, literals, immutable):
    explainer = pw.Explainer(**some.options, engine=engine, immutable=immutable)
    held = {j for j, x in enumerate(some.variables) if x.name in immutable}
    ordered = {n for o in explainer.domain.knowledge.orders for n in (o.lower, o.upper)} & set(immutable)
    for target, argued in questions(some, label):
        told = (engine, literals, target, point, immutable)
        if ordered:
            with pytest.raises(InvalidInput, match="immutable"):
                explainer.contrasts(row, target, literals=literals)
            continue
        against = contrasts_by_definition(some.table(argued), some.variables, point, literals)
        against = [box for box in against if all(box[j] == 1 << point[j] for j in held)]
        found = list(explainer.contrasts(row, target, literals=literals))
        assert same_sets([contrast_box(some, c, point) for c in found], against), told
        for contrast in found:
            check_shown(some, contrast, row, point, label, argued)


def candidates(some, row, held):
    """Per possible cell, how many features have to change to reach it; held ones keep the row's numbers."""
    return {
        cell: sum(a != b for a, b in zip(cell, some.cell(row), strict=True))
        for cell in some.possible
        if all(cell[j] == some.cell(row)[j] for j in held)
    }


def is_reachable(some, cell, row, held):
    """Whether a row of a cell keeps the held features exactly; by trying, for the orders between x and y."""
    constraints = some.options.get("constraints")
    if not some.explainer.domain.knowledge.orders:
        return True
    domain = some.explainer.domain
    choices = []
    for j, name in enumerate("xy"):
        place = next((k for k, x in enumerate(some.variables) if x.name == name), None)
        if name in held:
            choices.append([row[j]])
        elif place is None:
            choices.append([row[j], -1e9, 1e9])
        elif cell[place] == some.variables[place].missing:
            choices.append([np.nan])
        else:
            choices.append([*domain.features[j].ends(cell[place])])
    z = some.explainer._model.subject.row_in(cell)[2]
    return any(is_possible((x, y, z), constraints) for x, y in itertools.product(*choices))


def check_contrast(some, engine, row, point, label, literals, immutable):
    explainer = pw.Explainer(**some.options, engine=engine, immutable=immutable)
    held = {j for j, x in enumerate(some.variables) if x.name in immutable}
    sizes = candidates(some, row, held)
    for target, argued in questions(some, label):
        told = (engine, literals, target, tuple(row), immutable)
        reachable = {
            cell: size
            for cell, size in sizes.items()
            if some.decision[cell] not in argued and is_reachable(some, cell, row, immutable)
        }
        found = explainer.contrast(row, target, literals=literals)
        if not reachable:
            assert found.status == "impossible" and not found.features and found.changed is None, told
            continue
        assert found.status == "proved" and found.fewest and found.changed is not None, told
        check_shown(some, found, row, point, label, argued)
        assert len(found.features) == min(reachable.values()), told
        for name in immutable:
            columns = list(
                explainer.domain.features[explainer._model.context.feature_names.index(name)].columns
            )
            assert np.array_equal(np.array(found.changed)[columns], row[columns], equal_nan=True), told
        if not immutable and literals != "intervals":
            against = contrasts_by_definition(some.table(argued), some.variables, point, literals)
            assert contrast_box(some, found, point) in against, (told, "it is minimal")


def literal_masks(some, literals):
    masks = [0] * len(some.variables)
    for literal in literals:
        masks[some.variables.index(literal.variable)] = literal.mask
    return masks


def check_relevance(some, engine, row, point, label, literals):
    explainer = some.with_engine(engine)
    names = [x.name for x in some.variables]
    primes = around(some.table({label}), some.variables, literals, point)
    sets = [{names[j] for j in mentioned(some, box)} for box in primes]
    told = (engine, literals, point)
    relevance = explainer.relevance(row, literals=literals)
    every = set.intersection(*sets)
    assert set(relevance.necessary) == every, told
    assert set(relevance.relevant) == set.union(*sets), told
    assert set(relevance.irrelevant) == set(explainer._model.context.feature_names) - set.union(*sets), told
    if literals == "sets":
        excluded = [[x.everything & ~m for x, m in zip(some.variables, b, strict=True)] for b in primes]
        strict = [int(np.bitwise_and.reduce(column)) for column in zip(*excluded, strict=True)]
        loose = [int(np.bitwise_or.reduce(column)) for column in zip(*excluded, strict=True)]
        assert literal_masks(some, relevance.necessary_values) == strict, told
        found = literal_masks(some, relevance.relevant_values)
        if engine in ("auto", "diagram"):
            assert found == loose, told
        assert not any(mask & ~most for mask, most in zip(found, loose, strict=True)), told
    attribution = explainer.attribution(row, literals=literals)
    assert attribution.complete and attribution.count == (len(primes), len(primes)), told
    for name in explainer._model.context.feature_names:
        share = sum(name in each for each in sets) / len(sets)
        assert attribution.shares[name] == pytest.approx((share, share)), told


def check_all(kind, seed):
    some = world(kind, seed)
    generator = np.random.default_rng(seed)
    names = [x.name for x in some.variables]

    def some_names():
        return [name for name in names if generator.random() < 0.3]

    for row, point, label in some.points(seed + 1, 1):
        for literals in LANGUAGES:
            for engine in engines_for(some):
                check_reasons(some, engine, row, point, label, literals)
                check_relevance(some, engine, row, point, label, literals)
                check_contrasts(some, engine, row, point, label, literals, some_names())
            for engine in ("search", "diagram", "auto"):
                for immutable in ((), some_names()):
                    check_contrast(some, engine, row, point, label, literals, immutable)
            check_interrupted(some, row, point, label, literals, int(generator.integers(1, 200)))


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_contrasts_and_relevance_are_those_of_the_definition(kind):
    check_all(kind, KINDS.index(kind))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_reasons_contrasts_and_relevance_of_many_models_are_those_of_the_definition(kind, part):
    for seed in range(100 + 5 * part, 105 + 5 * part):
        check_all(kind, seed)


@pytest.mark.parametrize("engine", ["search", "diagram", "auto"])
def test_an_explanation_about_a_target_claims_no_more_than_it_entails(engine):
    """Of three classes, what keeps the target away need not entail the decision."""
    for kind, seed in (("none", 1), ("means", 0), ("between", 0)):
        some = world(kind, seed)
        for row, point, label in some.points(seed, 2):
            check_rules_of_reasons(some, engine, row, point, label)


@pytest.mark.parametrize("engine", ["search", "diagram", "auto"])
def test_a_contrast_in_intervals_lets_go_of_no_more_than_it_must(engine):
    """Beyond 0 the decision is another one, so the numbers up to 1 are enough."""
    trees = (pw.Tree.build((0, 0.0, [-1.0], (0, 1.0, [1.0], [2.0]))), pw.Tree.build((0, 0.0, [-1.0], [0.5])))
    model = pw.Ensemble(trees, ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))
    explainer = pw.Explainer(model, engine=engine)
    found = explainer.contrast([-1.0], literals="intervals")
    (minimal,) = explainer.contrasts([-1.0], literals="intervals")
    assert found.status == "proved" and found.term == minimal.term


@pytest.mark.parametrize("engine", ["search", "diagram", "auto"])
def test_the_fewest_features_are_proved_when_no_limit_comes(engine):
    some = world("one-hot", 22)
    for row, _, _ in some.points(29, 2):
        found = some.with_engine(engine).contrast(row, time_limit=None)
        assert found.status == "proved" and found.fewest


def in_any_order():
    """For x below 1/2 the order of summation decides between a and b: 0.1 + 0.2 + 0.3 exceeds 0.3 + 0.2 + 0.1."""
    leaves = ((0, 0.5, [0.1, 0.1 + 0.2 + 0.3], (0, 1.5, [0.1, 0.0], [0.1, 5.0])), [0.2, 0.0], [0.3, 0.0])
    trees = tuple(map(pw.Tree.build, leaves))
    return pw.Ensemble(trees, ("x",), ("a", "b"), vote="mean", any_order=True)


def decided_by_some_order(model, row):
    return {
        model.classes[int(replace(model, trees=trees).predict(np.array([row]))[0])]
        for trees in itertools.permutations(model.trees)
    }


@pytest.mark.parametrize("engine", ["search", "diagram", "auto"])
@pytest.mark.parametrize("ask", ["reasons", "contrasts", "contrast"])
def test_a_contrast_shows_another_decision_where_scores_may_be_added_in_any_order(ask, engine):
    explainer = pw.Explainer(in_any_order(), engine=engine)
    for target in (None, "b"):
        for literals in LANGUAGES:
            if ask == "reasons":
                found = list(explainer.reasons([1.0], target=target, literals=literals))
            elif ask == "contrasts":
                found = list(explainer.contrasts([1.0], target, literals=literals))
            else:
                found = [explainer.contrast([1.0], target, literals=literals)]
            for contrast in found:
                if isinstance(contrast, pw.answers.Contrast):
                    assert contrast.other != contrast.decision
                    some = decided_by_some_order(explainer.ensemble, contrast.changed)
                    assert contrast.other in some or (contrast.other == UNDECIDED and len(some) > 1)


def test_explanations_hold_in_every_order_of_summation():
    model = in_any_order()
    for engine, goal, literals in itertools.product(
        ("search", "diagram", "auto"), ("prime", "shortest", "widest"), LANGUAGES
    ):
        explainer = pw.Explainer(model, engine=engine)
        for x in (0.0, 1.0, 2.0):
            why = explainer.explain([x], goal=goal, literals=literals)
            if x == 0.0:
                assert why.status == "impossible"
                continue
            assert why.status == "proved"
            for row in ([0.0], [0.5], [0.6], [1.5], [1.6], [9.0]):
                if why.covers([row])[0]:
                    assert decided_by_some_order(model, row) == {why.decision}


def test_a_feature_that_cannot_change_keeps_its_own_number_under_an_order():
    """x <= y with x held at 1: y can go down to 1 but not below, though its cell goes on."""
    tree = (1, 0.5, [1.0], (1, 2.0, [2.0], [-1.0]))
    model = pw.Ensemble((pw.Tree.build(tree),), ("x", "y"), ("no", "yes"), vote="sum", cuts=(0.0,))
    for x, possible in ((1.0, True), (2.5, False)):
        for engine in ("search", "diagram", "auto"):
            explainer = pw.Explainer(model, constraints=["x <= y"], immutable=["x"], engine=engine)
            found = explainer.contrast([x, 3.0])
            if possible:
                assert found.status == "proved" and found.changed[0] == x <= found.changed[1] <= 2.0
                assert model.predict([found.changed])[0] == 1
            else:
                assert found.status == "impossible"


@pytest.mark.parametrize("answered", range(4))
def test_a_contrast_that_is_cut_short_shows_a_row_within_it(monkeypatch, answered):
    tests = [(0, cut, [0, 1], [0, 1]) for cut in (1.5, 2.5, 3.5)]
    trees = tuple(pw.Tree.build(tree) for tree in ((0, 0.5, [4, 0], [0, 1]), *tests))
    X = np.array([[0.0], [4.0]])  # the row that training rows show is the farthest
    explainer = pw.Explainer(pw.Ensemble(trees, ("a",), ("no", "yes"), vote="mean"), X, literals="intervals")
    ask, asked = SearchOracle.counterexample, []

    def cut_short(self, box, clock=None):
        asked.append(box)
        return ask(self, box, clock) if len(asked) <= answered else Verdict.INTERRUPTED

    monkeypatch.setattr(SearchOracle, "counterexample", cut_short)
    found = explainer.contrast([0.0])
    (literal,) = found.term.literals
    (point,) = explainer.domain.point(np.array(found.changed))
    assert literal.mask >> point & 1, (found.changed, literal)
