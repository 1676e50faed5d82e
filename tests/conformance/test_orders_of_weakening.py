"""The two laws on orders of weakening."""

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
)
from primewood.engines.protocol import WeakeningPlan
from primewood.logic.instance import contains
from primewood.questions.weakening import drop_each, weaken


def atoms_outside(variables, point):
    return [(j, v) for j, x in enumerate(variables) for v in range(len(x)) if v != point[j]]


def by_atoms(oracle, point, order, literals="sets"):
    """Weaken by single atoms in a given order, and nothing else."""
    return weaken(oracle, point, WeakeningPlan([{j: 1 << v} for j, v in order], [], literals)).box


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_every_engine_returns_the_identical_term(name, literals):
    identical_terms(name, literals, start=5, step=293 if name == "with missing values" else 29)


@pytest.mark.slow
@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_every_engine_returns_the_identical_term_for_every_function(name, literals):
    identical_terms(name, literals, start=0, step=11 if name == "with missing values" else 1)


def identical_terms(name, literals, start, step):
    maker = OracleMaker(UNIVERSES[name])
    sizes = [len(x) for x in maker.variables]
    orders = list(itertools.permutations(range(len(sizes))))
    for delta in functions(maker.variables, start, step):
        table = delta.truth_table()
        for point in cells(maker.variables):
            decided = delta if table[point] else (~delta).over(maker.variables)
            truth = TableOracle(decided, maker.variables)
            primes = truth.primes(literals, point)
            for order in orders:
                expected = weaken(truth, point, WeakeningPlan(drop_each(order, sizes), order, literals))
                assert not expected.interrupted and expected.box in primes
                for engine, oracle in maker.all(decided).items():
                    found = weaken(oracle, point, WeakeningPlan(drop_each(order, sizes), order, literals))
                    assert found.box == expected.box, (engine, str(delta), point, order)


@pytest.mark.parametrize("name", ["two ternary variables", "three Boolean variables"])
def test_all_orders_of_atoms_give_exactly_the_pi_explanations(name):
    variables = UNIVERSES[name]
    for delta in functions(variables, start=0, step=3 if name == "two ternary variables" else 1):
        table = delta.truth_table()
        for point in cells(variables):
            oracle = TableOracle(delta if table[point] else (~delta).over(variables), variables)
            found = {
                by_atoms(oracle, point, order)
                for order in itertools.permutations(atoms_outside(variables, point))
            }
            assert found == {b for b in oracle.primes("sets") if contains(b, point)}, (str(delta), point)


def test_orders_of_variables_alone_miss_some_explanations():
    variables = UNIVERSES["two ternary variables"]
    sizes = [len(x) for x in variables]
    missed = 0
    for delta in functions(variables, start=2, step=5):
        for point in cells(variables):
            if delta.truth_table()[point]:
                oracle = TableOracle(delta, variables)
                found = {
                    weaken(oracle, point, WeakeningPlan(drop_each(o, sizes), o)).box for o in ((0, 1), (1, 0))
                }
                missed += len(set(oracle.primes("sets", point)) - found)
    assert missed > 0


def test_a_step_is_taken_whole_or_not_at_all():
    X, Y = UNIVERSES["two ternary variables"]
    delta = (X == "x1") | (Y == "y1")
    oracle = TableOracle(delta.over((X, Y)), (X, Y))
    both = weaken(oracle, (0, 0), WeakeningPlan([{0: 0b010, 1: 0b010}], []))
    assert both.box == (0b001, 0b001), "x2 with y2 is outside, so neither is allowed"
    one = weaken(oracle, (0, 0), WeakeningPlan([{0: 0b110}], [0, 1]))
    assert one.box == (0b111, 0b001)


def test_fixed_variables_keep_the_value():
    X, Y = UNIVERSES["two ternary variables"]
    delta = (X == "x1") | (Y == "y1")
    oracle = TableOracle(delta.over((X, Y)), (X, Y))
    found = weaken(oracle, (0, 0), WeakeningPlan(drop_each([0, 1], [3, 3]), [0, 1], fixed=frozenset([0])))
    assert found.box == (0b001, 0b111)
