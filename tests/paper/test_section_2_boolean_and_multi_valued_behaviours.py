import itertools
import math

import numpy as np
import pytest

import primewood as pw
from primewood.domain import Formulas, domain_of

A = pw.Variable("A", [1, 2, 3])
B = pw.Variable("B", ["r", "b", "g"])
C = pw.Variable("C", ["l", "m", "h"])
IMPLICATION = pw.parse("(B=r | B=b) -> (A=2 & !(C=h))", [A, B, C])

F = pw.parse("(A | !C) & (B | C) & (A | B)", [pw.Variable.boolean(name) for name in "ABC"])

X = pw.Variable.numeric("X", cuts=[2, 6], closed="left")
Y = pw.Variable.numeric("Y", cuts=[-7], closed="left")
TREE = pw.parse("X < 2 & Y >= -7 | 2 <= X < 6", [X, Y])


def written(terms):
    return {str(term) for term in terms}


@pytest.mark.parametrize(("a", "b", "c"), list(itertools.product(A.values, B.values, C.values)))
def test_the_example_expression_means_what_the_connectives_say(a, b, c):
    assert IMPLICATION.holds({"A": a, "B": b, "C": c}) == (b == "g" or (a == 2 and c != "h"))


def test_the_example_expression_reads_the_same_built_with_operators():
    assert ((B == "r") | (B == "b")).implies((A == 2) & ~(C == "h")) == IMPLICATION


def test_the_example_expression_has_two_primes(engine):
    primes = pw.prime_implicants(IMPLICATION, engine=engine)
    assert written(primes) == {"B=g", "A=2 & C!=h"}


def test_the_boolean_function_has_three_primes(engine):
    expected = {"A & B", "A & C", "B & !C"}
    assert written(pw.prime_implicants(F, engine=engine)) == expected
    assert written(pw.prime_implicants_by_definition(F)) == expected


def test_the_complement_of_the_boolean_function_has_three_primes(engine):
    expected = {"!A & C", "!B & !C", "!A & !B"}
    assert written(pw.prime_implicants(~F, engine=engine)) == expected
    assert written(pw.prime_implicants_by_definition(~F)) == expected


def test_over_boolean_variables_simple_primes_are_the_primes():
    for f in (F, ~F):
        simple = pw.prime_implicants_by_definition(f, literals="values")
        assert set(simple) == set(pw.prime_implicants_by_definition(f))


def test_a_positive_decision_is_explained_by_the_compatible_primes(engine):
    instance = {"A": True, "B": True, "C": False}
    assert F.holds(instance)
    assert written(pw.pi_explanations(F, instance, engine=engine)) == {"A & B", "B & !C"}


def test_a_negative_decision_is_explained_by_the_compatible_prime_of_the_complement(engine):
    instance = {"A": False, "B": True, "C": True}
    assert not F.holds(instance)
    assert written(pw.pi_explanations(F, instance, engine=engine)) == {"!A & C"}


def test_cuts_make_the_intervals_of_the_figure():
    assert [str(value) for value in X.values] == ["(-inf, 2)", "[2, 6)", "[6, inf)"]
    assert [str(value) for value in Y.values] == ["(-inf, -7)", "[-7, inf)"]


def test_the_tree_discretises_its_inputs_into_the_intervals_of_the_figure(figure):
    assert domain_of(figure).variables == (X, Y)


def test_a_number_belongs_to_the_interval_that_a_strict_test_puts_it_in():
    below = math.nextafter(2, -math.inf)
    assert [X.index(x) for x in (below, 2, 3, 6)] == [0, 1, 1, 2]


def test_the_expression_of_the_tree_has_the_table_of_the_figure():
    assert TREE.truth_table().astype(int).tolist() == [[0, 1], [1, 1], [0, 0]]


def test_the_expression_of_the_tree_is_the_expression_of_the_paper():
    x1, x2, _ = X.values
    _, y2 = Y.values
    written_out = (X.isin([x1]) & Y.isin([y2])) | X.isin([x2])
    assert written_out == TREE


def test_the_table_of_the_figure_gives_the_expression_back():
    assert pw.from_table([X, Y], [0, 1, 1, 1, 0, 0]).equivalent(TREE)


def test_the_formula_of_the_tree_is_the_expression_of_the_paper(figure):
    formulas = Formulas(figure, domain_of(figure))
    assert formulas.decision(1).equivalent(TREE)
    assert formulas.decision(0).equivalent(~TREE)


def test_the_tree_predicts_the_table_also_next_to_its_thresholds(figure):
    def around(cut):
        return [math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf)]

    rows = list(itertools.product(around(2) + around(6), around(-7)))
    expected = [TREE.holds({"X": x, "Y": y}) for x, y in rows]
    assert np.array_equal(figure.predict(rows), expected)
