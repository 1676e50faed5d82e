"""The paper's propositions as laws, on every function of a universe or on many of them."""

from __future__ import annotations

import itertools

import pytest

from conformance.universes import UNIVERSES, cells, functions
from primewood.encodings import HighestBit, OneHot, Prefix, entails_under
from primewood.errors import Undecodable
from primewood.logic.by_definition import prime_boxes, prime_implicants_by_definition
from primewood.logic.expression import TRUE
from primewood.logic.instance import as_term
from primewood.logic.language import literal_masks
from primewood.logic.table import truth_table
from primewood.logic.term import Term

TERNARY = UNIVERSES["two ternary variables"]


def terms(variables):
    boxes = itertools.product(*(literal_masks(x, "sets") for x in variables))
    return [Term.of_box(variables, box) for box in boxes]


def boolean_terms(encoding):
    for masks in itertools.product((1, 2, 3), repeat=len(encoding.booleans)):
        yield Term.of_box(encoding.booleans, masks)


def is_negative(rho):
    return all(literal.mask == 1 for literal in rho.literals)


def test_proposition_1_terms_are_the_negative_boolean_terms_consistent_with_psi():
    encoding = OneHot(TERNARY)
    psi = encoding.psi.truth_table()
    encoded = {}
    for rho in filter(is_negative, boolean_terms(encoding)):
        if (truth_table(rho, encoding.booleans) & psi).any():
            encoded[encoding.decode(rho)] = rho
        else:
            with pytest.raises(Undecodable):
                encoding.decode(rho)
    assert set(encoded) == set(terms(TERNARY))
    assert all(
        encoding.encode(tau) == (rho if len(rho.literals) > 1 else encoding.encode(tau))
        and Term.of(encoding.encode(tau)) == rho
        for tau, rho in encoded.items()
    )
    for tau, sigma in itertools.product(encoded, repeat=2):
        assert tau.entails(sigma) == encoded[tau].entails(encoded[sigma])


def test_proposition_2_entailment_under_psi_is_entailment_of_psi_implies():
    encoding = OneHot(TERNARY)
    for delta in functions(TERNARY, start=1, step=101):
        gamma = encoding.encode(delta)
        implication = encoding.psi.implies(gamma)
        for rho in boolean_terms(encoding):
            assert entails_under(encoding.psi, rho, gamma) == rho.entails(implication)
            if rho.entails(gamma):
                assert entails_under(encoding.psi, rho, gamma)


def test_proposition_3_implicants_are_implicants_of_psi_implies_delta_b():
    encoding = OneHot(TERNARY)
    everything = terms(TERNARY)
    tables = {tau: truth_table(tau, TERNARY) for tau in everything}
    boolean = {tau: truth_table(encoding.encode(tau), encoding.booleans) for tau in everything}
    for delta in functions(TERNARY):
        table = delta.truth_table()
        implication = encoding.with_psi(encoding.encode(delta), "implies").truth_table()
        for tau in everything:
            is_implicant = not (tables[tau] & ~table).any()
            assert is_implicant == (not (boolean[tau] & ~implication).any())


@pytest.mark.parametrize(
    "name", ["two ternary variables", "three Boolean variables", "the same with intervals"]
)
def test_proposition_4_negative_consistent_primes_are_the_multi_valued_primes(name):
    variables = UNIVERSES[name]
    encoding = OneHot(variables)
    for delta in functions(variables, start=1, step=1):
        implication = encoding.with_psi(encoding.encode(delta), "implies").truth_table()
        decoded = []
        for box in prime_boxes(implication, encoding.booleans, "values"):
            rho = Term.of_box(encoding.booleans, box)
            if is_negative(rho):
                try:
                    decoded.append(encoding.decode(rho))
                except Undecodable:
                    continue
        assert len(decoded) == len(set(decoded))
        assert set(decoded) == set(prime_implicants_by_definition(delta))


@pytest.mark.parametrize("kind", [OneHot, Prefix, HighestBit])
def test_lemmas_instances_and_completions_correspond_one_to_one(kind):
    encoding = kind(TERNARY)
    psi = encoding.psi.truth_table()
    for delta in functions(TERNARY, start=4, step=61):
        encoded = encoding.encode(delta)
        for point in cells(TERNARY):
            instance = as_term(TERNARY, point)
            full = encoding.full_encoding(instance)
            assert full.is_instance(encoding.booleans)
            assert encoding.psi.holds(full)
            assert delta.holds(instance) == encoded.holds(full)
    if kind is OneHot:
        for tau in terms(TERNARY):
            completions = truth_table(encoding.encode(tau), encoding.booleans) & psi
            assert completions.sum() == len(list(tau.completions(TERNARY)))


@pytest.mark.parametrize("kind", [OneHot, Prefix, HighestBit])
def test_decoding_is_what_it_says_on_every_boolean_term(kind):
    """decode gives the term τ with ρ∧Ψ ≡ τ_b∧Ψ, and fails exactly where there is none."""
    encoding = kind(UNIVERSES["one of four and one of two values"])
    psi = encoding.psi.truth_table() if encoding.psi != TRUE else True
    meaning = {}
    for tau in terms(encoding.variables):
        meaning[(truth_table(encoding.encode(tau), encoding.booleans) & psi).tobytes()] = tau
    for rho in boolean_terms(encoding):
        key = (truth_table(rho, encoding.booleans) & psi).tobytes()
        if key in meaning:
            assert encoding.decode(rho) == meaning[key]
        else:
            with pytest.raises(Undecodable):
                encoding.decode(rho)
