import itertools

import pytest

import primewood as pw

A = pw.Variable("A", [1, 2, 3])
B = pw.Variable("B", ["r", "b", "g"])
C = pw.Variable("C", ["l", "m", "h"])
UNIVERSE = [A, B, C]


def parse(text):
    return pw.parse(text, UNIVERSE)


def term(text):
    return pw.Term.of(parse(text))


@pytest.mark.parametrize("text", ["B=r | B=b", "A=2", "C!=h"])
def test_a_non_trivial_expression_over_one_variable_is_a_literal(text):
    assert isinstance(parse(text), pw.Literal)


@pytest.mark.parametrize(("text", "constant"), [("B=r | B=b | B=g", pw.TRUE), ("C=h & C!=h", pw.FALSE)])
def test_a_trivial_expression_is_no_literal(text, constant):
    assert parse(text) == constant
    assert not isinstance(parse(text), pw.Literal)


@pytest.mark.parametrize("mask", [0b000, 0b111])
def test_no_values_and_all_values_are_refused_as_a_literal(mask):
    with pytest.raises(pw.errors.InvalidInput, match="non-empty proper subset"):
        pw.Literal(B, mask)


def test_a_literal_specifies_a_set_of_values():
    assert parse("B=r | B=b").values == ("r", "b")
    assert parse("C!=h").values == ("l", "m")


def test_a_literal_is_simple_if_it_specifies_a_single_value():
    assert parse("A=2").is_simple
    assert not parse("B=r | B=b").is_simple


def test_fewer_values_make_a_stronger_literal():
    strong, weak = parse("B=r"), parse("B=r | B=b")
    assert strong.stronger(weak)
    assert not weak.stronger(strong)
    assert not weak.stronger(weak)


def test_neither_of_two_literals_need_be_stronger():
    one, other = parse("B=r | B=b"), parse("B=g")
    assert not one.stronger(other)
    assert not other.stronger(one)


def test_a_conjunction_of_literals_over_distinct_variables_is_a_term():
    found = parse("A=2 & (B=r | B=b) & C!=h")
    assert isinstance(found, pw.Term)
    assert found.literals == (A == 2, B.isin(["r", "b"]), C != "h")


def test_a_term_has_one_literal_per_variable():
    with pytest.raises(pw.errors.InvalidInput, match="one literal per variable"):
        pw.Term([B != "r", B != "g"])


def test_a_disjunction_over_two_variables_is_no_term():
    with pytest.raises(pw.errors.InvalidInput, match="not a term"):
        term("A=2 | B=r")


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("A=2 & B=r & C=h", True),
        ("A!=2 & B=r & C=h", False),
        ("A=2 & (B=r | B=b) & C=h", False),
    ],
)
def test_a_term_is_simple_if_all_its_literals_are(text, simple):
    assert term(text).is_simple == simple


@pytest.mark.parametrize(
    ("text", "instance"),
    [("A=2 & B=r & C=h", True), ("A=2 & B=r", False), ("A!=2 & B=r & C=h", False)],
)
def test_a_simple_term_that_mentions_every_variable_is_an_instance(text, instance):
    assert term(text).is_instance(UNIVERSE) == instance


@pytest.mark.parametrize("weaker", ["A!=1 & (B=r | B=b) & C!=h", "A=2 & C!=h"])
def test_widening_or_dropping_a_literal_gives_a_strictly_subsuming_term(weaker):
    stronger = term("A=2 & (B=r | B=b) & C!=h")
    assert term(weaker).strictly_subsumes(stronger)
    assert not stronger.subsumes(term(weaker))


def test_a_term_subsumes_itself_but_not_strictly():
    tau = term("A=2 & C!=h")
    assert tau.subsumes(tau)
    assert not tau.strictly_subsumes(tau)


def test_a_strictly_subsuming_term_may_be_over_the_same_variables():
    stronger, weaker = term("A=2 & B=r"), term("A!=1 & B!=g")
    assert weaker.strictly_subsumes(stronger)
    assert weaker.variables == stronger.variables


def test_a_boolean_term_is_strictly_subsumed_only_by_dropping_literals():
    booleans = [pw.Variable.boolean(name) for name in "PQR"]
    terms = [pw.Term.of_box(booleans, box) for box in itertools.product((1, 2, 3), repeat=3)]
    for one, other in itertools.product(terms, terms):
        assert one.strictly_subsumes(other) == (set(one.literals) < set(other.literals))


def test_dropping_a_boolean_literal_is_weakening_it_to_all_values():
    P, Q = pw.Variable.boolean("P"), pw.Variable.boolean("Q")
    both = pw.Term([P.literal([True]), Q.literal([True])])
    assert both.weaken(P, [False]) == both.weaken(P) == pw.Term([Q.literal([True])])


@pytest.mark.parametrize(
    ("delta", "prime", "other"),
    [
        ("A!=3 & B=r", "A!=3 & B=r", "A=1 & B=r"),
        ("A!=3 & B=r | A=2", "A!=3 & B=r", "A=2 & B!=g"),
    ],
)
def test_of_two_compatible_implicants_over_the_same_variables_one_may_be_prime(delta, prime, other, engine):
    delta, prime, other = parse(delta), term(prime), term(other)
    assert prime.variables == other.variables
    assert prime.consistent_with(other)
    assert prime.entails(delta)
    assert other.entails(delta)
    primes = pw.prime_implicants(delta, engine=engine)
    assert prime in primes
    assert other not in primes
    assert prime in pw.prime_implicants_by_definition(delta)
    assert other not in pw.prime_implicants_by_definition(delta)


def test_compatible_boolean_terms_over_the_same_variables_are_equal():
    booleans = [pw.Variable.boolean(name) for name in "PQR"]
    terms = [pw.Term.of_box(booleans, box) for box in itertools.product((1, 2, 3), repeat=3)]
    for one, other in itertools.product(terms, terms):
        if one.variables == other.variables and one.consistent_with(other):
            assert one == other


def test_a_simple_prime_implicant_is_prime_among_simple_terms_only(engine):
    delta = parse("A!=3 & B=r")
    simple = set(pw.prime_implicants(delta, literals="values", engine=engine))
    assert simple == {term("A=1 & B=r"), term("A=2 & B=r")}
    assert set(pw.prime_implicants(delta, engine=engine)) == {term("A!=3 & B=r")}
