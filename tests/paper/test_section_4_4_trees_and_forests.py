import itertools
import math

import numpy as np
import pytest

import primewood as pw
from primewood.domain import Formulas, domain_of

ZERO, ONE = [1, 0], [0, 1]
STUMPS = ((0, 2, ZERO, ONE), (1, 5, ONE, ZERO), (0, 4, ZERO, ONE), (1, 3, ZERO, ONE))

RED, GREEN, BLUE = [1, 0, 0], [0, 1, 0], [0, 0, 1]
THREE_CLASSES = (
    (0, 2, RED, (1, 0, GREEN, BLUE)),
    (1, 1, (0, 3, GREEN, BLUE), RED),
    (0, 1, BLUE, GREEN),
    (1, -1, BLUE, (0, 2, GREEN, RED)),
    (0, 3, (1, 1, RED, BLUE), GREEN),
)


def ensemble(trees, classes=(0, 1), operator="<="):
    built = tuple(pw.Tree.build(tree) for tree in trees)
    return pw.Ensemble(built, ("X", "Y"), classes, operator=operator)


def formulas(model):
    return Formulas(model, domain_of(model))


def around(cut):
    return {math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf)}


def rows_of_all_cells(model):
    """Rows on, just below and just above every cut, so that every cell has some."""
    X, Y = domain_of(model).variables
    columns = [sorted(set().union(*map(around, variable.cuts))) for variable in (X, Y)]
    return list(itertools.product(*columns))


def decide(model, label):
    decision = formulas(model).decision(label)
    return [decision.holds({"X": x, "Y": y}) for x, y in rows_of_all_cells(model)]


def test_a_class_of_a_tree_is_the_disjunction_of_the_paths_to_its_leaves(figure):
    X, Y = domain_of(figure).variables
    paths = {
        0: ((X < 6) & (X < 2) & (Y < -7)) | (X >= 6),
        1: ((X < 6) & (X < 2) & (Y >= -7)) | ((X < 6) & (X >= 2)),
    }
    for label, path in paths.items():
        assert formulas(figure).votes(label) == [path]
        assert formulas(figure).decision(label) == path


def test_the_path_to_a_leaf_is_a_term(figure):
    for label in (0, 1):
        (vote,) = formulas(figure).votes(label)
        assert all(isinstance(pw.Term.of(path), pw.Term) for path in vote.arguments)


def test_the_classes_of_a_tree_exclude_each_other_and_exhaust_its_inputs(figure):
    zero, one = (formulas(figure).decision(label) for label in (0, 1))
    assert zero.equivalent(~one)


def test_a_path_that_contradicts_itself_is_left_out():
    model = ensemble([(0, 2, (0, 4, ZERO, ONE), ZERO)])
    assert formulas(model).decision(1) == pw.FALSE


def test_a_forest_is_a_majority_gate_over_its_trees():
    model = ensemble(STUMPS[:3])
    X, Y = domain_of(model).variables
    assert formulas(model).decision(1) == pw.at_least(2, [X > 2, Y <= 5, X > 4])
    assert formulas(model).decision(0) == pw.at_least(2, [X <= 2, Y > 5, X <= 4])


def test_a_majority_of_three_stumps_has_the_primes_of_the_vote(engine):
    model = ensemble(STUMPS[:3])
    decision = formulas(model).decision(1)
    X, Y = domain_of(model).variables
    expected = {pw.Term([X > 4]), pw.Term([X > 2, Y <= 5])}
    assert set(pw.prime_implicants(decision, engine=engine)) == expected
    assert set(pw.prime_implicants_by_definition(decision)) == expected


def test_a_tie_of_two_classes_goes_to_the_lower_one():
    model = ensemble(STUMPS[:2])
    assert model.votes(np.array([[1.0, 4.0]])).tolist() == [[1, 1]]
    assert model.predict([[1, 4]]).tolist() == [0]
    assert formulas(model).decision(0).holds({"X": 1, "Y": 4})
    assert not formulas(model).decision(1).holds({"X": 1, "Y": 4})


def test_an_even_forest_needs_half_the_votes_for_the_lower_class_and_more_for_the_higher():
    gates = [formulas(ensemble(STUMPS)).decision(label) for label in (0, 1)]
    assert [gate.count for gate in gates] == [2, 3]


def test_a_tie_of_many_classes_goes_to_the_lowest_of_them():
    model = ensemble([(0, 0, BLUE, BLUE), (0, 0, GREEN, GREEN)], ("red", "green", "blue"))
    assert model.predict([[1, 1]]).tolist() == [1]
    assert [formulas(model).decision(label) for label in range(3)] == [pw.FALSE, pw.TRUE, pw.FALSE]


@pytest.mark.parametrize("operator", ["<=", "<"])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_decision_of_two_classes_is_the_prediction_on_all_cells(size, operator):
    model = ensemble(STUMPS[:size], operator=operator)
    predicted = model.predict(rows_of_all_cells(model))
    for label in range(2):
        assert np.array_equal(decide(model, label), predicted == label)


@pytest.mark.parametrize("operator", ["<=", "<"])
@pytest.mark.parametrize("size", range(1, 6))
def test_the_decision_of_many_classes_is_the_plurality_on_all_cells(size, operator):
    model = ensemble(THREE_CLASSES[:size], ("red", "green", "blue"), operator)
    predicted = model.predict(rows_of_all_cells(model))
    for label in range(3):
        assert np.array_equal(decide(model, label), predicted == label)


def test_the_examples_of_many_classes_have_ties_and_pluralities_without_a_majority():
    model = ensemble(THREE_CLASSES[:4], ("red", "green", "blue"))
    _, second, first = np.sort(model.votes(np.array(rows_of_all_cells(model))), axis=1).T
    assert (first == second).any()
    assert ((first > second) & (first <= 2)).any()


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_explanations_of_a_forest_are_the_primes_of_its_decision_around_the_row(literals, engine):
    model = ensemble(THREE_CLASSES, ("red", "green", "blue"))
    explainer = pw.Explainer(model, engine=engine, literals="sets")
    X, Y = domain_of(model).variables
    for x, y in itertools.product([1, 2, 3, 4], [-1, 0, 1, 2]):
        label = int(model.predict([[x, y]])[0])
        primes = pw.prime_implicants_by_definition(formulas(model).decision(label), literals)
        instance = pw.Term([X.isin([x]), Y.isin([y])])
        found = list(explainer.explanations([x, y], literals=literals))
        assert {why.term for why in found} == {p for p in primes if p.consistent_with(instance)}
        assert {why.decision for why in found} == {model.classes[label]}
