"""Texts that are long or deep: read in time, or refused with the limit."""

from __future__ import annotations

import copy
import pickle
import time

import pytest

import primewood as pw
from primewood.errors import InvalidInput, ParseError
from primewood.logic.expression import DEEPEST, Or
from primewood.logic.expression_parser import boolean_variables, parse
from primewood.logic.lexicon import Vocabulary
from primewood.logic.statement_parser import read
from primewood.logic.syntax import comparisons_in, names_in
from primewood.logic.term import Term

A, X = pw.Variable("A", [1, 2, 3]), pw.Variable.numeric("X", cuts=[2, 6])
MANY = [pw.Variable.boolean(f"b{i}") for i in range(20_000)]
SECONDS = 5.0
"""What a text that takes linear time never needs, and what took half a minute before."""


@pytest.mark.parametrize(("word", "kind"), [(" and ", Term), (" or ", Or)])
def test_a_chain_of_twenty_thousand_conditions_is_read_and_used(word, kind):
    text = word.join(x.name for x in MANY)
    begin = time.perf_counter()
    found = parse(text, MANY)
    assert type(found) is kind and len(found.arguments) == len(MANY)
    assert found.holds(dict.fromkeys((x.name for x in MANY), True))
    assert str(found) == text.replace(" and ", " & ").replace(" or ", " | ")
    assert time.perf_counter() - begin < SECONDS


def condition(text):
    """The tree of a text whose names are not known."""
    return read(text, Vocabulary(is_open=True)).condition


@pytest.mark.parametrize(
    ("find", "count"),
    [
        (lambda text: boolean_variables(text, []), 0),
        (lambda text: names_in(condition(text)), 20_000),
        (lambda text: comparisons_in(condition(text)), 20_000),
    ],
)
def test_names_are_found_in_linear_time(find, count):
    begin = time.perf_counter()
    assert len(find(" and ".join(f"b{i} < 3" for i in range(20_000)))) == count
    assert time.perf_counter() - begin < SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000 + "A=1" + ")" * 100_000,
        " -> ".join(["A=1", "A=2"] * 10_000),
        " <-> ".join(["A=1"] * 20_000),
    ],
)
def test_what_is_too_deep_is_refused_in_few_words(text):
    with pytest.raises(ParseError, match=f"nested more than {DEEPEST} levels deep") as problem:
        parse(text, [A])
    assert len(str(problem.value)) < 400


def test_twenty_thousand_negations_are_one_or_none():
    assert parse("not " * 20_001 + "A=1", [A]) == (A != 1)


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(InvalidInput, match="may have 1,000,000 characters; this text has 2,000,002"):
        parse("A=" + "1" * 2_000_000, [A])


def test_a_deep_expression_is_computed_with_and_written_but_not_pickled():
    deep, same = A == 1, A == 1
    for _ in range(DEEPEST - 1):
        deep, same = deep.iff(X < 2), same.iff(X < 2)
    assert deep == same and parse(str(deep), [A, X]) == deep
    assert pickle.loads(pickle.dumps(deep)) == deep == copy.deepcopy(deep)
    for _ in range(2000):
        deep = deep.implies(X < 2)
    assert deep.holds({"A": 1, "X": 1.0}) and str(deep).count(" -> ") == 2000
    with pytest.raises(InvalidInput, match=f"nested more than {DEEPEST} levels deep"):
        pickle.dumps(deep)
    with pytest.raises(InvalidInput, match=f"nested more than {DEEPEST} levels deep"):
        parse(str(deep), [A, X])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("X < 1e400", "true"),
        ("X > -1e400", "true"),
        ("X < " + "9" * 5000, "true"),
        ("at_least(" + "9" * 5000 + ", A=1, A=2)", "false"),
        ("X < ٢", "X < 2"),
    ],
)
def test_numbers_beyond_float64_lie_beyond_every_number(text, same):
    assert parse(text, [A, X]).equivalent(parse(same, [A, X]))


@pytest.mark.parametrize("text", ["A=1 \0", "X < ²", "at_least(², A=1)", "\ud800=1", "A=\u202e1"])
def test_odd_characters_are_named_and_not_shown(text):
    with pytest.raises(ParseError) as problem:
        parse(text, [A, X])
    assert not set("\0\ud800\u202e") & set(str(problem.value))


def test_an_error_shows_where_in_a_long_text():
    text = " and ".join(["A=1"] * 5000) + " and A=9"
    with pytest.raises(ParseError) as problem:
        parse(text, [A])
    _, line, caret = str(problem.value).split("\n")
    assert line[caret.index("^") :] == "9" and len(line) < 100
    again = pickle.loads(pickle.dumps(problem.value))
    assert (str(again), again.text, again.position) == (str(problem.value), text, len(text) - 1)


def test_braces_in_quotes_are_no_sets():
    assert names_in(condition('"{" = 1 and b and "}" = 2 and c')) == ["{", "b", "}", "c"]
