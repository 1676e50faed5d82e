import itertools

import pytest

import primewood as pw

X = pw.Variable("X", ["x1", "x2", "x3"])
Y = pw.Variable("Y", ["y1", "y2", "y3"])
TABLE = dict(zip(itertools.product(X.values, Y.values), [1, 0, 0, 1, 0, 0, 1, 1, 1], strict=True))
DELTA = pw.from_table([X, Y], TABLE)


def test_the_table_is_the_disjunction_of_two_literals():
    assert DELTA.equivalent((X == "x3") | (Y == "y1"))


@pytest.mark.parametrize(
    ("instance", "positive", "expected"),
    [
        ({"X": "x3", "Y": "y1"}, True, {pw.Term([X == "x3"]), pw.Term([Y == "y1"])}),
        ({"X": "x1", "Y": "y2"}, False, {pw.Term([X != "x3", Y != "y1"])}),
    ],
)
def test_a_decision_has_the_explanations_of_the_paper(instance, positive, expected, engine):
    assert DELTA.holds(instance) == positive
    assert set(pw.pi_explanations(DELTA, instance, engine=engine)) == expected
    found = list(pw.Explainer(DELTA, engine=engine, literals="sets").explanations(instance))
    assert {why.term for why in found} == expected
    assert {why.decision for why in found} == {positive}


def test_the_primes_of_both_decisions_are_the_explanations_of_some_instance(engine):
    assert set(pw.prime_implicants(DELTA, engine=engine)) == {pw.Term([X == "x3"]), pw.Term([Y == "y1"])}
    assert set(pw.prime_implicants(~DELTA, engine=engine)) == {pw.Term([X != "x3", Y != "y1"])}


def test_every_instance_of_the_negative_explanation_is_decided_negatively():
    covered = list(pw.Term([X != "x3", Y != "y1"]).completions([X, Y]))
    assert len(covered) == 4
    assert not any(DELTA.holds(instance) for instance in covered)


@pytest.mark.parametrize(("x", "y"), list(TABLE))
def test_an_explanation_abstracts_its_instance_and_triggers_its_decision(x, y, engine):
    instance = pw.Term([X.isin([x]), Y.isin([y])])
    decided = DELTA if TABLE[x, y] else ~DELTA
    found = list(pw.pi_explanations(DELTA, instance, engine=engine))
    assert found
    for explanation in found:
        assert explanation.consistent_with(instance)
        assert explanation.entails(decided)
