import itertools

import pytest

import primewood as pw
from primewood.encodings import OneHot, entails_under

X = pw.Variable("X", ["x1", "x2", "x3"])
Y = pw.Variable("Y", ["y1", "y2", "y3"])
NEGATIVE = OneHot([X, Y])
CLASSICAL = OneHot([X, Y], classical=True)
PSI = NEGATIVE.psi

DELTA = (X == "x1") | (Y == "y1")
DELTA_B = NEGATIVE.encode(DELTA)
EXAMPLES = [
    DELTA,
    ~DELTA,
    (X != "x3") & (Y == "y1"),
    pw.parse("X=x1 <-> Y=y1", [X, Y]),
    pw.parse("X!=x3 & Y=y1 | X=x2 & Y!=y3", [X, Y]),
    pw.TRUE.over([X, Y]),
    pw.FALSE.over([X, Y]),
]
TERMS = [pw.Term.of_box([X, Y], box) for box in itertools.product(range(1, 8), repeat=2)]
BOOLEAN_TERMS = [pw.Term.of_box(NEGATIVE.booleans, box) for box in itertools.product((1, 2, 3), repeat=6)]


def boolean(text):
    return pw.Term.of(pw.parse(text, NEGATIVE.booleans))


def encoded(term):
    return pw.Term.of(NEGATIVE.encode(term))


def is_negative(rho):
    return all(literal.values == (False,) for literal in rho.literals)


def is_consistent(rho):
    return not rho.entails(~PSI)


def boolean_primes(delta, psi):
    return pw.prime_implicants_by_definition(NEGATIVE.with_psi(NEGATIVE.encode(delta), psi))


@pytest.mark.parametrize(
    ("literal", "negative", "classical"),
    [
        (X == "x2", "!X_1 & !X_3", "X_2"),
        (X.isin(["x1", "x2"]), "!X_3", "X_1 | X_2"),
    ],
)
def test_the_paper_eliminates_values_where_the_classical_use_asserts_them(literal, negative, classical):
    assert NEGATIVE.encode(literal) == pw.parse(negative, NEGATIVE.booleans)
    assert CLASSICAL.encode(literal) == pw.parse(classical, CLASSICAL.booleans)


def test_both_uses_agree_on_the_assignments_that_satisfy_psi():
    for delta in EXAMPLES:
        both = NEGATIVE.encode(delta).iff(CLASSICAL.encode(delta))
        assert PSI.implies(both).equivalent(pw.TRUE)


def test_psi_says_that_exactly_one_value_is_taken():
    text = "(X_1 | X_2 | X_3) & !(X_1 & X_2) & !(X_1 & X_3) & !(X_2 & X_3)"
    assert NEGATIVE.psi_of(X).equivalent(pw.parse(text, NEGATIVE.blocks[X]))
    assert PSI.equivalent(NEGATIVE.psi_of(X) & NEGATIVE.psi_of(Y))
    assert PSI.truth_table().sum() == 9


def test_terms_correspond_one_to_one_to_consistent_negative_boolean_terms():
    expected = {rho for rho in BOOLEAN_TERMS if is_negative(rho) and is_consistent(rho)}
    assert len(TERMS) == len(expected) == 49
    assert {encoded(tau) for tau in TERMS} == expected
    assert all(NEGATIVE.decode(encoded(tau)) == tau for tau in TERMS)


def test_equivalence_and_subsumption_of_terms_are_those_of_their_encodings():
    pairs = [(tau, encoded(tau)) for tau in TERMS]
    for (tau, tau_b), (sigma, sigma_b) in itertools.product(pairs, pairs):
        assert tau.subsumes(sigma) == tau_b.subsumes(sigma_b)
        assert (tau == sigma) == (tau_b == sigma_b)


def test_a_negative_term_that_excludes_every_value_stands_for_no_term():
    with pytest.raises(pw.errors.Undecodable, match="no value of X"):
        NEGATIVE.decode(boolean("!X_1 & !X_2 & !X_3"))


def test_the_example_is_encoded_as_in_the_paper():
    assert pw.parse("!X_2 & !X_3 | !Y_2 & !Y_3", NEGATIVE.booleans) == DELTA_B


def test_the_example_has_five_models():
    models = {str(term) for term in pw.Term().completions([X, Y]) if term.entails(DELTA)}
    assert models == {"X=x1 & Y=y1", "X=x1 & Y=y2", "X=x1 & Y=y3", "X=x2 & Y=y1", "X=x3 & Y=y1"}


def test_its_encoding_with_psi_has_the_five_corresponding_models():
    both = NEGATIVE.with_psi(DELTA_B, "and")
    models = {str(rho) for rho in pw.Term().completions(NEGATIVE.booleans) if rho.entails(both)}
    assert models == {
        "X_1 & !X_2 & !X_3 & Y_1 & !Y_2 & !Y_3",
        "X_1 & !X_2 & !X_3 & !Y_1 & Y_2 & !Y_3",
        "X_1 & !X_2 & !X_3 & !Y_1 & !Y_2 & Y_3",
        "!X_1 & X_2 & !X_3 & Y_1 & !Y_2 & !Y_3",
        "!X_1 & !X_2 & X_3 & Y_1 & !Y_2 & !Y_3",
    }


def test_the_encoding_of_an_implicant_is_no_implicant_of_the_conjunction_with_psi():
    both = NEGATIVE.with_psi(DELTA_B, "and")
    assert pw.Term([X == "x1"]).entails(DELTA)
    assert encoded(X == "x1") == boolean("!X_2 & !X_3")
    assert not boolean("!X_2 & !X_3").entails(both)
    assert not boolean("X_1 & !X_2 & !X_3").entails(both)


def test_the_witness_of_the_paper_violates_exactly_one_for_y():
    witness = boolean("X_1 & !X_2 & !X_3 & Y_1 & Y_2 & !Y_3")
    assert witness.is_instance(NEGATIVE.booleans)
    assert witness.entails(boolean("X_1 & !X_2 & !X_3"))
    assert not NEGATIVE.with_psi(DELTA_B, "and").holds(witness)
    assert witness.entails(NEGATIVE.psi_of(X))
    assert witness.entails(~NEGATIVE.psi_of(Y))


@pytest.mark.parametrize("gamma", [DELTA_B, PSI & DELTA_B])
def test_entailment_implies_entailment_under_psi(gamma):
    for rho in BOOLEAN_TERMS:
        assert entails_under(PSI, rho, gamma) or not rho.entails(gamma)


@pytest.mark.parametrize(
    ("rho", "gamma"),
    [("!X_2 & !X_3", boolean("X_1")), ("!X_2 & !X_3", PSI & DELTA_B), ("X_1", DELTA_B)],
)
def test_entailment_under_psi_does_not_imply_entailment(rho, gamma):
    assert entails_under(PSI, boolean(rho), gamma)
    assert not boolean(rho).entails(gamma)


@pytest.mark.parametrize("gamma", [DELTA_B, boolean("X_1 & Y_2")])
def test_entailment_under_psi_is_entailment_of_psi_implies(gamma):
    for rho in BOOLEAN_TERMS:
        assert entails_under(PSI, rho, gamma) == rho.entails(PSI.implies(gamma))


@pytest.mark.parametrize("delta", EXAMPLES, ids=str)
def test_a_term_is_an_implicant_iff_its_encoding_entails_psi_implies_delta_b(delta):
    implication = NEGATIVE.with_psi(NEGATIVE.encode(delta), "implies")
    for tau in TERMS:
        assert tau.entails(delta) == encoded(tau).entails(implication)


def test_a_full_encoding_sets_every_boolean_variable_and_satisfies_psi():
    rho = NEGATIVE.full_encoding({"X": "x1", "Y": "y1"})
    assert rho == boolean("X_1 & !X_2 & !X_3 & Y_1 & !Y_2 & !Y_3")
    assert (rho & PSI).equivalent(rho)


@pytest.mark.parametrize("delta", EXAMPLES, ids=str)
def test_an_instance_entails_delta_iff_its_full_encoding_entails_delta_b(delta):
    for instance in pw.Term().completions([X, Y]):
        assert instance.entails(delta) == NEGATIVE.full_encoding(instance).entails(NEGATIVE.encode(delta))


def test_completions_of_a_term_correspond_to_consistent_completions_of_its_encoding():
    for tau in TERMS:
        full = [NEGATIVE.full_encoding(alpha) for alpha in tau.completions([X, Y])]
        consistent = [rho for rho in encoded(tau).completions(NEGATIVE.booleans) if rho.entails(PSI)]
        assert len(full) == len(consistent)
        assert set(full) == set(consistent)


def test_the_example_term_has_six_completions():
    completions = {str(alpha) for alpha in pw.Term([X != "x3"]).completions([X, Y])}
    assert completions == {f"X=x{i} & Y=y{j}" for i in (1, 2) for j in (1, 2, 3)}


def test_the_encoding_of_the_example_term_has_six_completions_that_satisfy_psi():
    rho = encoded(X != "x3")
    assert rho == boolean("!X_3")
    completions = {str(alpha) for alpha in rho.completions(NEGATIVE.booleans) if alpha.entails(PSI)}
    assert completions == {
        f"{x} & {y}"
        for x in ("X_1 & !X_2 & !X_3", "!X_1 & X_2 & !X_3")
        for y in ("Y_1 & !Y_2 & !Y_3", "!Y_1 & Y_2 & !Y_3", "!Y_1 & !Y_2 & Y_3")
    }


def test_the_conjunction_with_psi_has_five_primes_and_none_is_negative():
    primes = boolean_primes(DELTA, "and")
    assert len(primes) == 5
    assert not any(is_negative(rho) for rho in primes)


def test_psi_implies_delta_b_has_six_primes_and_the_two_negative_ones_decode_to_the_primes(engine):
    primes = boolean_primes(DELTA, "implies")
    negative = [rho for rho in primes if is_negative(rho)]
    assert len(primes) == 6
    assert set(negative) == {boolean("!X_2 & !X_3"), boolean("!Y_2 & !Y_3")}
    decoded = {NEGATIVE.decode(rho) for rho in negative}
    assert decoded == {pw.Term([X == "x1"]), pw.Term([Y == "y1"])}
    assert decoded == set(pw.prime_implicants(DELTA, engine=engine))


@pytest.mark.parametrize("delta", EXAMPLES, ids=str)
def test_consistent_negative_primes_of_psi_implies_delta_b_are_the_multi_valued_primes(delta, engine):
    kept = [rho for rho in boolean_primes(delta, "implies") if is_negative(rho) and is_consistent(rho)]
    decoded = [NEGATIVE.decode(rho) for rho in kept]
    assert len(set(decoded)) == len(decoded)
    assert set(decoded) == set(pw.prime_implicants_by_definition(delta.over([X, Y])))
    assert set(decoded) == set(pw.prime_implicants(delta.over([X, Y]), engine=engine))


@pytest.mark.parametrize("delta", EXAMPLES, ids=str)
def test_a_negative_prime_that_is_consistent_with_an_instance_is_consistent_with_psi(delta):
    for rho in filter(is_negative, boolean_primes(delta, "implies")):
        for instance in pw.Term().completions([X, Y]):
            assert is_consistent(rho) or not rho.consistent_with(NEGATIVE.full_encoding(instance))


def test_the_empty_term_is_the_only_prime_of_true(engine):
    true = pw.TRUE.over([X, Y])
    assert list(pw.prime_implicants(true, engine=engine)) == [pw.Term()]
    assert pw.prime_implicants_by_definition(true) == [pw.Term()]
    assert boolean_primes(true, "implies") == [pw.Term()]


def test_false_has_no_primes_and_only_inconsistent_negative_boolean_ones(engine):
    false = pw.FALSE.over([X, Y])
    assert list(pw.prime_implicants(false, engine=engine)) == []
    assert pw.prime_implicants_by_definition(false) == []
    negative = [rho for rho in boolean_primes(false, "implies") if is_negative(rho)]
    assert set(negative) == {boolean("!X_1 & !X_2 & !X_3"), boolean("!Y_1 & !Y_2 & !Y_3")}
    assert not any(is_consistent(rho) for rho in negative)
