from __future__ import annotations

import numpy as np
import pytest

import primewood as pw
from primewood.errors import InvalidInput, ParseError, TooLarge, UnknownName
from primewood.logic.by_definition import prime_implicants_by_definition

A = pw.Variable("A", [1, 2, 3])
B = pw.Variable("B", ["r", "b", "g"])
C = pw.Variable("C", ["l", "m", "h"])
X = pw.Variable.numeric("X", [2, 6])
p, q = pw.Variable.boolean("p"), pw.Variable.boolean("q")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("A=1 | A=2", "A!=3"),
        ("A=1 & A=2", "false"),
        ("A=1 | A=2 | A=3", "true"),
        ("!(A=1)", "A!=1"),
        ("A=1 & true", "A=1"),
        ("false -> A=1", "true"),
        ("A=1 -> B=r -> C=l", "A=1 -> B=r -> C=l"),
        ("(A=1 -> B=r) -> C=l", "(A=1 -> B=r) -> C=l"),
        ("A=1 <-> B=r <-> C=l", "A=1 <-> B=r <-> C=l"),
        ("A=1 <-> (B=r <-> C=l)", "A=1 <-> (B=r <-> C=l)"),
        ("A=1 & (B=r | C=l)", "A=1 & (B=r | C=l)"),
        ("A=1 & B=r | C=l", "A=1 & B=r | C=l"),
        ("not A = 1 and B != r or C in {l, m}", "A!=1 & B!=r | C!=h"),
        ("C not in {l, m}", "C=h"),
        ("X < 2 | X >= 6", "X < 2 | X >= 6"),
        ("B=r | (X < 2 | X >= 6)", "B=r | (X < 2 | X >= 6)"),
        ("2 <= X < 6", "2 <= X < 6"),
        ("6 > X", "X < 6"),
        ("p & !q", "p & !q"),
        ("at_least(2, p, q, A=1)", "at_least(2, p, q, A=1)"),
        ("at_least(1, p, q)", "p | q"),
        ("at_least(0, p)", "true"),
        ("at_least(3, p, q)", "false"),
        ("!!p", "p"),
        ("!(p & q)", "!(p & q)"),
    ],
)
def test_text_is_read_in_normal_form_and_printed_back(text, printed):
    variables = [A, B, C, X, p, q]
    expression = pw.parse(text, variables)
    assert str(expression) == printed
    assert str(pw.parse(printed, variables)) == printed


def test_names_and_values_are_quoted_where_they_need_it():
    odd = pw.Variable("credit amount", ["true", 'say "yes"', "a,b", "back\\slash"])
    for value in odd.values:
        literal = odd == value
        assert pw.parse(str(literal), [odd]) == literal
    assert str(odd == "true") == '"credit amount"="true"'


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("A=1 &", 5, "the end"),
        ("A=1 & & B=r", 6, "'&'"),
        ("(A=1", 4, "')'"),
        ("A=1)", 3, "')'"),
        ("A=7", 2, "its values are 1, 2, 3"),
        ("D=1", 0, "the variables are A, B, C, X, p, q"),
        ("A", 1, "after A"),
        ("A=", 2, "value of A"),
        ("A < 2", 4, "not numeric"),
        ("X < 3", 4, "X < 2, X < 6"),
        ("X = 3", 4, "numeric"),
        ("A=1 # B=r", 4, "'#'"),
        ('A="1', 2, "unclosed quote"),
        ("at_least(p, q)", 9, "whole number"),
        ("2 = X", 2, "comparison"),
        ("A in 1", 5, "'{'"),
        ("", 0, "the end"),
    ],
)
def test_syntax_errors_show_the_position(text, position, words):
    with pytest.raises(ParseError) as caught:
        pw.parse(text, [A, B, C, X, p, q])
    assert caught.value.position == position
    assert words in str(caught.value)
    assert f"At position {position}" in str(caught.value)


def test_deep_nesting_is_an_error_and_not_a_crash():
    with pytest.raises(ParseError, match="levels deep"):
        pw.parse("(" * 5000 + "p" + ")" * 5000, [p])


def test_expressions_have_no_truth_value_of_their_own():
    with pytest.raises(TypeError, match="no truth value"):
        bool(A == 1)
    with pytest.raises(TypeError):
        2 <= X < 6


def test_only_expressions_combine():
    with pytest.raises(InvalidInput):
        (A == 1) & True


def test_a_declared_universe_is_kept():
    expression = pw.parse("A=1", [A, B])
    assert expression.variables == (A, B)
    assert expression.truth_table().shape == (3, 3)
    with pytest.raises(InvalidInput, match="mentions A"):
        expression.over([B])


def test_truth_on_instances():
    delta = pw.parse("(B=r | B=b) -> (A=2 & C!=h)", [A, B, C])
    assert delta.holds({"A": 2, "B": "r", "C": "m"})
    assert not delta.holds({"A": 1, "B": "r", "C": "m"})
    assert delta.holds(pw.Term([A == 1, B == "g", C == "h"]))
    assert X.literal([3]).holds({"X": 5.5})


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        ({"A": 2, "B": "r"}, "no value for C"),
        ({"A": 2, "B": "r", "C": "m", "D": 1}, "names D"),
        ({"A": 9, "B": "r", "C": "m"}, "no value 9"),
        ({A: 2, "A": 1, "B": "r", "C": "m"}, "twice"),
        (3, "mapping"),
    ],
)
def test_bad_instances_are_refused(instance, words):
    delta = pw.parse("(B=r | B=b) -> (A=2 & C!=h)", [A, B, C])
    with pytest.raises(InvalidInput, match=words):
        delta.holds(instance)
    with pytest.raises(InvalidInput, match=words):
        pw.pi_explanations(delta, instance)


def test_an_instance_is_simple():
    with pytest.raises(InvalidInput, match="one value per variable"):
        (A == 1).holds(pw.Term([A != 1]))


def test_literals_know_their_values_and_intervals():
    literal = (X < 2) | (X >= 6)
    assert isinstance(literal, pw.Literal)
    assert [str(i) for i in literal.intervals] == ["(-inf, 2)", "[6, inf)"]
    assert literal.values == (X.values[0], X.values[2])
    with pytest.raises(InvalidInput, match="trivial"):
        pw.Literal(A, 0b111)


def test_terms_conjoin_entail_and_weaken():
    term = pw.Term([A == 2, B != "g"])
    assert term.entails(pw.Term([A != 1])) and not pw.Term([A != 1]).entails(term)
    assert term.entails((A == 2) | (C == "l")) and not term.entails((A == 1) | (C == "l"))
    assert pw.Term([A != 1]).subsumes(term) and pw.Term([A != 1]).strictly_subsumes(term)
    assert term.subsumes(term) and not term.strictly_subsumes(term)
    assert term.consistent_with(pw.Term([B == "r", C == "l"]))
    assert not term.consistent_with(pw.Term([B == "g"]))
    assert (term & pw.Term([B == "r"])) == pw.Term([A == 2, B == "r"])
    assert (term & pw.Term([B == "g"])) == pw.FALSE
    assert term.weaken(B, ["g"]) == pw.Term([A == 2])
    assert term.weaken(A, [3]) == pw.Term([A != 1, B != "g"])
    assert term.weaken(A) == pw.Term([B != "g"]) and term.weaken(C) == term
    assert len(list(term.completions([A, B, C]))) == 6
    assert all(instance.is_instance([A, B, C]) for instance in term.completions([A, B, C]))
    assert not term.is_simple and term["A"].is_simple and "C" not in term
    assert pw.Term([A == 2, B != "g"]) == pw.Term([B != "g", A == 2])


def test_terms_are_made_of_one_literal_per_variable():
    with pytest.raises(InvalidInput, match="one literal per variable"):
        pw.Term([A == 1, A == 2])
    with pytest.raises(InvalidInput, match="made of literals"):
        pw.Term([(A == 1) & (B == "r")])
    with pytest.raises(InvalidInput, match="not a term"):
        pw.Term.of((A == 1) | (B == "r"))


def test_classifiers_may_be_given_as_tables():
    values = [1, 0, 0, 1, 0, 0, 1, 1, 1]
    flat = pw.from_table([A, B], values)
    named = pw.from_table(
        [A, B],
        {
            (a, b): value
            for (a, b), value in zip([(a, b) for a in A.values for b in B.values], values, strict=True)
        },
    )
    assert flat == named and flat.variables == (A, B)
    assert (flat.truth_table() == np.array(values, dtype=bool).reshape(3, 3)).all()
    with pytest.raises(InvalidInput, match="need 9"):
        pw.from_table([A, B], [1, 0])
    with pytest.raises(InvalidInput, match="1 of 9"):
        pw.from_table([A, B], {(1, "r"): 1})


def test_equivalence_is_about_meaning():
    assert (A == 1).implies(B == "r").equivalent((A != 1) | (B == "r"))
    assert (A == 1).implies(B == "r") != (A != 1) | (B == "r")


def test_by_definition_is_for_small_universes():
    many = [pw.Variable(f"V{i}", range(6)) for i in range(5)]
    with pytest.raises(TooLarge, match="prime_implicants"):
        prime_implicants_by_definition(pw.TRUE.over(many))
    with pytest.raises(TooLarge, match="truth table"):
        pw.TRUE.over([pw.Variable(f"V{i}", range(8)) for i in range(9)]).truth_table()


def test_constants_have_the_primes_they_must_have():
    for engine in ("bdd", "sat", "diagram"):
        assert list(pw.prime_implicants(pw.TRUE.over([A, B]), engine=engine)) == [pw.Term()]
        assert list(pw.prime_implicants(pw.FALSE.over([A, B]), engine=engine)) == []
        assert [str(t) for t in pw.prime_implicants(pw.TRUE, engine=engine)] == ["true"]
    with pytest.raises(InvalidInput, match="literals must be"):
        pw.prime_implicants(A == 1, literals="boxes")
    with pytest.raises(InvalidInput, match="engine must be"):
        pw.prime_implicants(A == 1, engine="magic")
    with pytest.raises(InvalidInput, match="expected an expression"):
        pw.prime_implicants("A=1")


def test_unknown_variables_in_terms_are_named():
    with pytest.raises(InvalidInput, match="mentions C"):
        pw.Term([C == "l"]).box([A, B])
    with pytest.raises(UnknownName):
        A.index_of_text("nine")


def test_a_term_of_one_literal_is_that_literal():
    assert pw.Term([A == 1]) == (A == 1) and hash(pw.Term([A == 1])) == hash(A == 1)
    assert pw.Term() == pw.TRUE and str(~pw.Term()) == "false" and (pw.Term() | (A == 1)) == pw.TRUE
    for term in (pw.Term(), pw.Term([A == 1]), pw.Term([A == 1, B != "r"])):
        assert pw.parse(str(term), [A, B]) == term
    assert (A == 1).holds(A == 1)
    assert p != pw.Variable("p", [0, 1])


def test_the_declared_universe_survives_every_connective():
    delta = (A == 1).over([A, B])
    for expression in (~delta, delta | (A == 2), delta & (A == 1), delta.implies(A == 2), delta.iff(A == 1)):
        assert expression.variables == (A, B)
    assert [str(t) for t in pw.pi_explanations(~delta, {"A": 1, "B": "r"})] == ["A=1"]


def test_tables_take_truth_values_only():
    for bad in (["0", "1", "0"], [0.5, 1, 0], [None, 1, 0]):
        with pytest.raises(InvalidInput, match="truth value"):
            pw.from_table([A], bad)
    with pytest.raises(InvalidInput, match="tuple of 1"):
        pw.from_table([A], {(1, "junk"): 1, (2,): 0, (3,): 0})


def test_long_texts_are_read_in_linear_time():
    text = " & ".join(["2 <= X < 6"] * 5000)
    assert str(pw.parse(text, [X])) == "2 <= X < 6"
