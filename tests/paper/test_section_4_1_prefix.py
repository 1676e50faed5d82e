import itertools

import pytest

import primewood as pw
from primewood.encodings import Prefix

X3 = pw.Variable("X", ["x1", "x2", "x3"])
X4 = pw.Variable("X", ["x1", "x2", "x3", "x4"])
TERNARY, QUATERNARY = Prefix([X3]), Prefix([X4])
DELTA = X4.isin(["x1", "x3"])


def written(terms):
    return {str(term) for term in terms}


@pytest.mark.parametrize(
    ("value", "code"), [("x1", "!X_2 & !X_3"), ("x2", "X_2 & !X_3"), ("x3", "X_2 & X_3")]
)
def test_a_value_sets_the_variables_before_it_and_clears_the_rest(value, code):
    assert TERNARY.encode(X3.isin([value])) == pw.parse(code, TERNARY.booleans)
    assert TERNARY.decode(pw.parse(code, TERNARY.booleans)) == pw.Term([X3.isin([value])])


def test_psi_puts_ones_before_zeros():
    assert TERNARY.psi == pw.parse("X_3 -> X_2", TERNARY.booleans)
    assert QUATERNARY.psi.equivalent(pw.parse("(X_3 -> X_2) & (X_4 -> X_3)", QUATERNARY.booleans))


def test_the_assignments_that_satisfy_psi_are_the_codes_of_the_values():
    assignments = pw.Term().completions(QUATERNARY.booleans)
    codes = {QUATERNARY.full_encoding({"X": value}) for value in X4.values}
    assert {assignment for assignment in assignments if assignment.entails(QUATERNARY.psi)} == codes


def test_ones_after_zeros_stand_for_no_value():
    with pytest.raises(pw.errors.Undecodable, match="no value of X"):
        TERNARY.decode(pw.parse("!X_2 & X_3", TERNARY.booleans))


def test_a_non_contiguous_literal_is_encoded_by_a_disjunction():
    expected = pw.parse("!X_2 & !X_3 & !X_4 | X_2 & X_3 & !X_4", QUATERNARY.booleans)
    assert QUATERNARY.encode(DELTA) == expected


def test_the_literal_is_its_own_only_multi_valued_prime(engine):
    assert list(pw.prime_implicants(DELTA, engine=engine)) == [pw.Term([DELTA])]
    assert pw.prime_implicants_by_definition(DELTA) == [pw.Term([DELTA])]


def test_none_of_the_boolean_primes_represents_the_multi_valued_prime():
    primes = pw.prime_implicants_by_definition(QUATERNARY.encode(DELTA))
    assert written(primes) == {"!X_2 & !X_3 & !X_4", "X_2 & X_3 & !X_4"}
    assert written(QUATERNARY.decode(prime) for prime in primes) == {"X=x1", "X=x3"}


def test_no_boolean_term_that_entails_the_encoding_stands_for_the_literal():
    encoded = QUATERNARY.encode(DELTA)
    for box in itertools.product((1, 2, 3), repeat=3):
        rho = pw.Term.of_box(QUATERNARY.booleans, box)
        if rho.entails(encoded):
            assert QUATERNARY.decode(rho) != pw.Term([DELTA])


@pytest.mark.parametrize("psi", ["and", "implies"])
def test_psi_does_not_bring_the_prime_back(psi):
    row = pw.audit(DELTA).row("prefix", {"and": "Ψ∧Δ_b", "implies": "Ψ⇒Δ_b"}[psi], "all")
    assert (row.missing, row.wrong) == (1, 2)
