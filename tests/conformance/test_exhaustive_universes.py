"""Every function of small universes: all engines against the definition."""

from __future__ import annotations

import itertools

import pytest

from conformance.universes import (
    LANGUAGES,
    UNIVERSES,
    OracleMaker,
    TableOracle,
    cells,
    functions,
    same_sets,
)
from primewood.engines.protocol import Verdict
from primewood.logic.instance import contains
from primewood.logic.language import literal_masks

EXHAUSTIVE = [
    "two ternary variables",
    "three Boolean variables",
    "one of four and one of two values",
    "the same with intervals",
]


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", EXHAUSTIVE)
def test_primes_are_the_same_by_definition_by_diagram_and_by_sat(name, literals):
    maker = OracleMaker(UNIVERSES[name])
    for delta in functions(maker.variables):
        truth = TableOracle(delta, maker.variables).primes(literals)
        for engine, oracle in maker.all(delta).items():
            family = oracle.primes(literals)
            assert same_sets(family, truth), (engine, str(delta))
            assert family.count() == len(truth), (engine, str(delta))


@pytest.mark.parametrize("literals", LANGUAGES)
def test_primes_are_the_same_where_values_may_be_missing(literals):
    maker = OracleMaker(UNIVERSES["with missing values"])
    for delta in functions(maker.variables, start=5, step=7):
        truth = TableOracle(delta, maker.variables).primes(literals)
        for engine, oracle in maker.all(delta).items():
            assert same_sets(oracle.primes(literals), truth), (engine, str(delta))


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_pi_explanations_are_the_primes_that_contain_the_instance(name, literals):
    compare_explanations(name, literals, start=3, step=211 if name == "with missing values" else 23)


@pytest.mark.slow
@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_pi_explanations_of_many_functions_are_the_primes_that_contain_the_instance(name, literals):
    compare_explanations(name, literals, start=0, step=13 if name == "with missing values" else 1)


def compare_explanations(name, literals, start, step):
    maker = OracleMaker(UNIVERSES[name])
    for delta in functions(maker.variables, start=start, step=step):
        table = delta.truth_table()
        for point in cells(maker.variables):
            decided = delta if table[point] else (~delta).over(maker.variables)
            truth = [b for b in TableOracle(decided, maker.variables).primes(literals) if contains(b, point)]
            assert truth, "every decision has an explanation"
            for engine, oracle in maker.all(decided).items():
                family = oracle.primes(literals, point)
                assert same_sets(family, truth), (engine, str(delta), point)
                assert family.count() == len(truth)
                assert all(box in family for box in truth)


@pytest.mark.parametrize("name", ["two ternary variables", "with missing values"])
def test_counterexamples_exist_exactly_where_the_definition_has_one(name):
    maker = OracleMaker(UNIVERSES[name])
    boxes = list(itertools.product(*(literal_masks(x, "sets") for x in maker.variables)))
    for delta in functions(maker.variables, start=1, step=37):
        truth = TableOracle(delta, maker.variables)
        for engine, oracle in maker.all(delta).items():
            for box in boxes[::5]:
                reply = oracle.counterexample(box)
                if truth.counterexample(box) is Verdict.NONE_EXISTS:
                    assert reply is Verdict.NONE_EXISTS, (engine, str(delta), box)
                else:
                    assert contains(box, reply) and not truth.holds(reply), (engine, str(delta), box)
            assert all(oracle.holds(p) == truth.holds(p) for p in cells(maker.variables))


def test_a_family_knows_its_members():
    maker = OracleMaker(UNIVERSES["two ternary variables"])
    for delta in functions(maker.variables, start=9, step=53):
        truth = set(TableOracle(delta, maker.variables).primes("sets"))
        family = maker.diagrams.oracle(delta).primes("sets")
        for box in itertools.product(*(literal_masks(x, "sets") for x in maker.variables)):
            assert (box in family) == (box in truth)
