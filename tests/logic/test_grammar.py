"""One grammar: the same text means the same as an expression, a constraint, a rule and a claim, or is refused alike."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import primewood as pw
from primewood.errors import InvalidInput, ParseError, UnknownName
from primewood.logic.lexicon import KEYWORDS, Vocabulary, write_name, write_value
from primewood.logic.statement_parser import read
from primewood.logic.syntax import Bounds, Membership, Mention, leaves
from primewood.properties.verify import prepare_property

NAMES = ("x", "y", "petal width (cm)", "housing", "married", "income")
HOUSING = {0: "own", 1: "rent", 2: "free of charge"}
DOMAIN = {"housing": HOUSING, "married": {0: False, 1: True}, "y": "whole"}
TESTS = ((0, 2.0), (0, 6.0), (1, 3.0), (2, 0.8), (3, 0.5), (3, 1.5), (4, 0.5), (5, 50.0))
MODEL = pw.Ensemble(
    tuple(pw.Tree.build((column, cut, [1, 0], [0, 1])) for column, cut in TESTS),
    NAMES,
    ("versicolor", "setosa"),
    allows_missing=True,
)
OPTIONS = {"domain": DOMAIN, "units": {"income": "EUR"}}
NAN = float("nan")
BELOW, ABOVE = float(np.nextafter(2.0, 0.0)), float(np.nextafter(2.0, 9.0))


@pytest.fixture(scope="module")
def explainer():
    return pw.Explainer(MODEL, **OPTIONS)


def is_missing(value):
    return value != value


MEANINGS = {
    "x <= 2": lambda r: r.x <= 2,
    "x ≤ 2": lambda r: r.x <= 2,
    "2 >= x": lambda r: r.x <= 2,
    "x <= 2 and y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2 AND y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2 & y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2 && y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2, y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2; y > 3": lambda r: r.x <= 2 and r.y > 3,
    "x <= 2\ny > 3": lambda r: r.x <= 2 and r.y > 3,
    "2 <= x < 6": lambda r: 2 <= r.x < 6,
    "6 > x >= 2": lambda r: 2 <= r.x < 6,
    "x between 2 and 6": lambda r: 2 <= r.x <= 6,
    "x in [2, 6)": lambda r: 2 <= r.x < 6,
    "x in (2, 6]": lambda r: 2 < r.x <= 6,
    "x not in [2, 6]": lambda r: not 2 <= r.x <= 6,
    "x in {2, 6}": lambda r: r.x in (2, 6),
    "y = True": lambda r: r.y == 1,
    "x <= 1e400": lambda r: not is_missing(r.x),
    "x = 2": lambda r: r.x == 2,
    "x != 2": lambda r: r.x != 2,
    "not (x <= 2)": lambda r: not r.x <= 2,
    "NOT x <= 2": lambda r: not r.x <= 2,
    "!(x <= 2)": lambda r: not r.x <= 2,
    "~(x <= 2)": lambda r: not r.x <= 2,
    "(x < 2 or x >= 6)": lambda r: r.x < 2 or r.x >= 6,
    "x < 2 OR x >= 6": lambda r: r.x < 2 or r.x >= 6,
    "x < 2 | x is missing": lambda r: r.x < 2 or is_missing(r.x),
    "petal width (cm) <= 0.8": lambda r: r.width <= 0.8,
    '"petal width (cm)" <= 0.8': lambda r: r.width <= 0.8,
    "'petal width (cm)' <= 0.8": lambda r: r.width <= 0.8,
    "`petal width (cm)` <= 0.8": lambda r: r.width <= 0.8,
    "housing = own": lambda r: r.housing == 0,
    "housing == own": lambda r: r.housing == 0,
    "housing is own": lambda r: r.housing == 0,
    "housing is own or rent": lambda r: r.housing in (0, 1),
    "housing in {own, rent}": lambda r: r.housing in (0, 1),
    "housing in [own, rent]": lambda r: r.housing in (0, 1),
    "housing ∈ {own, rent}": lambda r: r.housing in (0, 1),
    "housing is not own": lambda r: r.housing != 0,
    "housing != own": lambda r: r.housing != 0,
    "housing is neither own nor rent": lambda r: r.housing not in (0, 1),
    "housing not in {own, rent}": lambda r: r.housing not in (0, 1),
    "housing = free of charge": lambda r: r.housing == 2,
    'housing = "free of charge"': lambda r: r.housing == 2,
    "housing in {free of charge, own}": lambda r: r.housing in (0, 2),
    "housing = 1": lambda r: r.housing == 1,
    "x is missing": lambda r: is_missing(r.x),
    "x = missing": lambda r: is_missing(r.x),
    "x is not missing": lambda r: not is_missing(r.x),
    "x is a number": lambda r: not is_missing(r.x),
    "income >= 51.51 EUR": lambda r: r.income >= 51.51,
    "50 EUR < income <= 51.51 EUR": lambda r: 50 < r.income <= 51.51,
    "married": lambda r: r.married == 1,
    "married = True": lambda r: r.married == 1,
    "married is True": lambda r: r.married == 1,
    "married = 1": lambda r: r.married == 1,
    "not married": lambda r: r.married != 1,
    "y < 3.5": lambda r: r.y <= 3,
    "true": lambda r: True,
    "anything": lambda r: True,
}
"""Texts of one condition, or several with "and" between them, and what they mean."""
SEVERAL_FEATURES = {
    "x <= 1 or y <= 2": lambda r: r.x <= 1 or r.y <= 2,
    "not (x <= 1 and y <= 2)": lambda r: not (r.x <= 1 and r.y <= 2),
    "(x <= 2 -> y > 3)": lambda r: not r.x <= 2 or r.y > 3,
    "(x <= 2 => y > 3)": lambda r: not r.x <= 2 or r.y > 3,
}
"""Texts that no claim makes: a claim is a box."""


class Row:
    """A row with its values by name."""

    def __init__(self, values):
        self.values = values
        self.x, self.y, self.width, self.housing, self.married, self.income = values


COLUMNS = (
    (0.5, BELOW, 2.0, ABOVE, 6.0, 7.0, NAN),
    (1.0, 2.0, 3.0, 4.0, NAN),
    (0.8, 0.9, NAN),
    (0.0, 1.0, 2.0, NAN),
    (0.0, 1.0, NAN),
    (50.0, 51.51, 51.5, NAN),
)


def rows():
    """Each value of each column beside usual ones, and all pairs of the first two columns."""
    usual = (0.5, 1.0, 0.8, 0.0, 0.0, 50.0)
    for column, values in enumerate(COLUMNS):
        yield from ((*usual[:column], value, *usual[column + 1 :]) for value in values)
    yield from ((x, y, *usual[2:]) for x, y in itertools.product(*COLUMNS[:2]))


ROWS = list(rows())


def allowed(text):
    """Which rows a constraint allows."""
    bound = pw.Explainer(MODEL, constraints=[text], **OPTIONS)
    points = bound.domain.points(np.array(ROWS))
    return bound.domain.possible(np.array(ROWS), points).tolist()


def in_premise(explainer, text):
    """Which rows the premise of a rule speaks of."""
    wanted, verifier = prepare_property(explainer._model, f"{text} -> setosa")
    points = verifier.context.domain.points(np.array(ROWS)).tolist()
    boxes = wanted._boxes(verifier)
    return [any(all(m >> v & 1 for m, v in zip(box, p, strict=True)) for box in boxes) for p in points]


def in_claim(explainer, text):
    """Which rows a claim speaks of."""
    claim = explainer.check(ROWS[0], text).claim
    return [claim.holds(np.array(row)) for row in ROWS]


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_means_the_same_everywhere(explainer, text):
    meant = [bool(MEANINGS[text](Row(row))) for row in ROWS]
    assert any(meant)
    assert allowed(text) == meant
    assert in_premise(explainer, text) == meant
    assert in_claim(explainer, text) == meant


@pytest.mark.parametrize("text", SEVERAL_FEATURES)
def test_a_text_about_several_features_means_the_same_in_constraints_and_rules(explainer, text):
    meant = [bool(SEVERAL_FEATURES[text](Row(row))) for row in ROWS]
    assert any(meant) and not all(meant)
    assert allowed(text) == meant == in_premise(explainer, text)
    with pytest.raises(InvalidInput, match="a claim joins conditions by 'and'"):
        explainer.check(ROWS[0], text)


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("q <= 1", 0, "'q'"),
        ("petal widht (cm) <= 1", 0, "'petal widht (cm)' (did you mean petal width (cm)?)"),
        ("x <=", 4, "number"),
        ("x <= 1,000", 10, "expected a comparison after the number"),
        ("x <= 2 and", 10, "the end"),
        ("x <= 2 y > 3", 7, "expected a connective"),
        ("(x <= 2", 7, "')'"),
        ("x in 2", 5, "'{'"),
        ('"x <= 2', 0, "unclosed quote"),
        ("x between 2 or 3", 12, "'and'"),
        ("x <= 2 and 3 more conditions", 11, "to_text(full=True)"),
        ("(x <= 2 or 3 other ranges)", 11, "to_text(full=True)"),
        ("x <= 1 or x > 2, y > 3", 0, "several ways"),
        ("income <= 3 USD", 12, "'USD'"),
        ("2 EUR <= x", 1, "not given in EUR"),
        ("", 0, "the end"),
    ],
)
def test_a_text_is_refused_everywhere_at_the_same_place(explainer, text, position, words):
    said = f". At position {position}:\n"
    asks = [
        lambda: pw.Explainer(MODEL, constraints=[text], **OPTIONS),
        lambda: explainer.verify(text),
        lambda: explainer.check(ROWS[0], text),
        lambda: pw.parse(text, explainer.domain.variables),
    ]
    for ask in asks[:3] if "EUR" in text else asks:  # variables have no units
        with pytest.raises(InvalidInput) as problem:
            ask()
        assert words in str(problem.value) and said in str(problem.value)


def test_unknown_words_are_unknown_names_with_a_place(explainer):
    for text, position in (
        ("q <= 1 -> setosa", 0),
        ("x <= 1 -> setossa", 10),
        ("x < 1 and housing in {own, tent} -> setosa", 27),
        ("housing is own or tent -> setosa", 18),
        ("x = red -> setosa", 4),
    ):
        with pytest.raises(UnknownName) as problem:
            explainer.verify(text)
        assert isinstance(problem.value, ParseError) and problem.value.position == position


def test_orders_are_for_constraints(explainer):
    found = pw.Explainer(MODEL, constraints=["x <= y - 1 and y < income; x <= 3"]).domain.knowledge
    assert [(o.lower, o.upper, o.constants, o.strict) for o in found.orders] == [
        ("x", "y", (-1.0,), False),
        ("y", "income", (0.0,), True),
    ]
    chain = pw.Explainer(MODEL, constraints=["0 <= x <= y < income <= 60"]).domain.knowledge
    assert [(o.lower, o.upper) for o in chain.orders] == [("x", "y"), ("y", "income")]
    for ask in (
        lambda: explainer.verify("x <= y -> setosa"),
        lambda: explainer.check(ROWS[0], "x <= y"),
    ):
        with pytest.raises(InvalidInput, match="two features are compared in constraints only"):
            ask()
    with pytest.raises(InvalidInput, match="an order stands by itself"):
        pw.Explainer(MODEL, constraints=["x <= y or y <= 3"], **OPTIONS)


@pytest.mark.parametrize(
    ("text", "decisions", "negated"),
    [
        ("always a", ["a"], False),
        ("never a", ["a"], True),
        ("never a or b", ["a", "b"], True),
        ("-> not a", ["a"], True),
        ("x < 1 -> a or b", ["a", "b"], False),
        ("x < 1 -> a, b", ["a", "b"], False),
        ("x < 1 => not (a or b)", ["a", "b"], True),
        ("IF x < 1 THEN neither a nor b", ["a", "b"], True),
        ("if x < 1 then >50K", [">50K"], False),
        ('x < 1 -> "not c"', ["not c"], False),
        ("x < 1 -> not c", ["not c"], False),
        ("IF anything THEN a", ["a"], False),
    ],
)
def test_decisions_of_rules(text, decisions, negated):
    known = Vocabulary({"x": ()}, decisions=["a", "b", ">50K", "not c"])
    found = read(text, known).conclusion
    assert ([word.text for word in found.decisions], found.negated) == (decisions, negated)


def test_a_rule_about_no_row_holds_and_one_without_conditions_is_about_all(explainer):
    assert explainer.verify("false -> setosa").holds is True
    assert explainer.verify("true -> setosa").holds is explainer.verify("always setosa").holds is False
    assert explainer.verify("IF anything THEN setosa or versicolor").words == (
        "Proved: every row gets the decision setosa or versicolor."
    )


def test_the_deepest_text_that_is_accepted_is_read():
    p = pw.Variable.boolean("p")
    for inner in ("(", "!(", "p & (", "p | p & !(", "p <-> p -> p | p & !("):
        for depth in (10, 25, 40, 99):
            try:
                found = pw.parse(inner * depth + "p" + ")" * depth, [p])
            except ParseError as problem:
                assert "nested more than 100 levels deep" in str(problem)
            else:
                assert found.variables == (p,)


def test_a_rule_has_one_arrow():
    known = Vocabulary({"x": (), "y": ()}, decisions=["a", "b"])
    assert read("(x < 1 -> y < 2) -> a", known).premise == "(x < 1 -> y < 2)"
    with pytest.raises(ParseError, match="one arrow"):
        read("x < 1 -> a -> b", known)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a", "b", "a and b"], "a and b"),
        (["1", "2"], "1 < 2"),
        (["x", "x is"], "x is = 3 and x is missing"),
    ],
)
def test_names_of_names(names, text):
    known = Vocabulary(dict.fromkeys(names, ()))
    if "x" in names:
        assert [leaf.name.text for leaf in leaves(read(text, known).condition)] == ["x is", "x"]
    else:
        with pytest.raises(ParseError, match="several ways"):
            read(text, known)


def test_a_value_that_holds_a_connective_is_told_from_two_values():
    known = Vocabulary({"z": ["a or b", "c", "not d", "e"]})
    for text, values in (
        ("z is a or b or c", ["a or b", "c"]),
        ("z is not d", ["not d"]),
        ("z is not e", ["e"]),
    ):
        assert [word.text for word in read(text, known).condition.values] == values
    with pytest.raises(ParseError, match="several ways"):
        read("z is a or b", Vocabulary({"z": ["a", "b", "a or b"]}))


# What is written is read.

ODD = st.text(st.sampled_from(list("ab1 .,;<>=!&|(){}[]\"'`\\-+%~→≤\n\t\x1b\u202eä年")), max_size=6)
SIGNS = [
    "(cm)",
    "<=",
    "=",
    "->",
    "&",
    "|",
    ",",
    "not in {",
    "- 3",
    "a number",
    "as in the row",
    "2 other values",
]
PARTS = [*sorted(KEYWORDS), *"abxy12", *SIGNS]
PHRASES = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map(" ".join)
WORDS = (ODD | PHRASES).filter(lambda word: word != "")


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True), st.data())
def test_a_written_name_is_read_as_itself(names, data):
    known, name = Vocabulary(dict.fromkeys(names, ())), data.draw(st.sampled_from(names))
    other = data.draw(st.sampled_from(names))
    a, b = write_name(name), write_name(other)
    for text in (f"{a} <= 3", f"2 <= {a} < 3", f"({a} < 1 or {a} is missing)", f"{a} is missing"):
        for said in (text, f"{b} >= 7 AND {text}", f"{text} AND {b} = 7", f"IF {text} AND 1 < {b} THEN c"):
            both = Vocabulary(known.names, decisions=["c"]) if "THEN" in said else known
            found = list(leaves(read(said, both).condition))
            assert {leaf.name.text for leaf in found} == ({name} if said == text else {name, other})
            assert all(isinstance(leaf, Bounds | Membership) for leaf in found)


@given(st.lists(WORDS.filter(lambda word: word != "missing"), min_size=1, max_size=6, unique=True), st.data())
def test_a_written_value_is_read_as_itself(values, data):
    known = Vocabulary({"z": values, "y": ()}, decisions=["c"])
    picked = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=4, unique=True))
    written = [write_value(value) for value in picked]
    either, neither, listed = (joint.join(written) for joint in (" or ", " nor ", ", "))
    for said in (f"z is {either}", f"z is neither {neither}", f"z in {{{listed}}}", f"z = {written[0]}"):
        for text in (said, f"{said} AND y <= 3", f"IF y > 1 AND {said} THEN c"):
            found = [leaf for leaf in leaves(read(text, known).condition) if leaf.name.text == "z"]
            assert [word.text for word in found[0].values] == (
                picked[:1] if said.startswith("z = ") else picked
            )
            assert len(found) == 1


def test_a_name_alone_is_a_mention():
    assert isinstance(read("a", Vocabulary({"a": ()})).condition, Mention)
