import pytest

import primewood as pw
from primewood.encodings import HighestBit

X = pw.Variable("X", ["x1", "x2", "x3", "x4"])
ENCODING = HighestBit([X])
DELTA = X.isin(["x1", "x3"])
VALUE_OF = {
    "000": "x1",
    "001": "x4",
    "010": "x3",
    "011": "x4",
    "100": "x2",
    "101": "x4",
    "110": "x3",
    "111": "x4",
}


def boolean(text):
    return pw.parse(text, ENCODING.booleans)


@pytest.mark.parametrize(("bits", "value"), list(VALUE_OF.items()))
def test_an_assignment_stands_for_the_value_of_its_highest_one(bits, value):
    assignment = {variable.name: bit == "1" for variable, bit in zip(ENCODING.booleans, bits, strict=True)}
    holding = [v for v in X.values if ENCODING.encode(X.isin([v])).holds(assignment)]
    assert holding == [value]


def test_every_assignment_stands_for_a_value():
    assert ENCODING.psi == pw.TRUE


@pytest.mark.parametrize(
    ("literal", "term"),
    [
        (X == "x1", "!X_2 & !X_3 & !X_4"),
        (X == "x2", "X_2 & !X_3 & !X_4"),
        (X == "x3", "X_3 & !X_4"),
        (X == "x4", "X_4"),
        (X.isin(["x1", "x2"]), "!X_3 & !X_4"),
        (X != "x4", "!X_4"),
    ],
)
def test_some_literals_are_boolean_terms(literal, term):
    assert ENCODING.encode(literal).equivalent(boolean(term))
    assert ENCODING.decode(boolean(term)) == pw.Term([literal])


def test_the_counter_example_is_encoded_by_the_disjunction_of_its_values():
    assert ENCODING.encode(DELTA) == boolean("!X_2 & !X_3 & !X_4 | X_3 & !X_4")


def test_the_counter_example_has_two_boolean_primes_for_its_one_multi_valued_prime(engine):
    expected = {boolean("!X_2 & !X_4"), boolean("X_3 & !X_4")}
    assert set(pw.prime_implicants_by_definition(ENCODING.encode(DELTA))) == expected
    assert set(pw.prime_implicants(ENCODING.encode(DELTA), engine=engine)) == expected
    assert set(pw.prime_implicants(DELTA, engine=engine)) == {pw.Term([DELTA])}


def test_one_boolean_prime_decodes_to_an_implicant_that_is_not_prime(engine):
    decoded = ENCODING.decode(boolean("X_3 & !X_4"))
    assert decoded == pw.Term([X == "x3"])
    assert decoded.entails(DELTA)
    assert decoded not in pw.prime_implicants(DELTA, engine=engine)


def test_the_other_boolean_prime_is_no_multi_valued_term():
    rho = boolean("!X_2 & !X_4")
    assert not rho.equivalent(ENCODING.encode(DELTA))
    with pytest.raises(pw.errors.Undecodable, match="meets X=x1 or x3 but does not encode it"):
        ENCODING.decode(rho)


def test_the_audit_counts_the_missing_the_wrong_and_the_undecodable_prime():
    row = pw.audit(DELTA).row("highest-bit", "Δ_b", "all")
    assert (row.missing, row.wrong, row.undecodable) == (1, 1, 1)
