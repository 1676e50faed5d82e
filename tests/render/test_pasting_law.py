"""The pasting law: what is printed can be passed to `check`, `verify` and `constraints=`, and means what is shown.

The region that is shown is taken from the record, number by number; the text is read by the library.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput

NAMES = [
    *(
        "x",
        "y",
        "petal width (cm)",
        "petal width",
        "and",
        "in",
        "is",
        "not x",
        "x in",
        "IF",
        "a and b",
        "a",
        "b",
    ),
    *("x<y", "x <= 3", "2nd", "0", "(p)", "p or q", "covid-19", "covid", 'say "a"', "it's", "größe, außen"),
    *(
        "年齢",
        "\x1b[31mred",
        "two\nlines",
        "a\\b",
        " padded ",
        "missing",
        "THEN yes",
        "100%",
        "x is",
        "`tick`",
    ),
]
LABELS = [
    *(
        "own",
        "rent",
        "no, none",
        "{a}",
        "a or b",
        "a",
        "b",
        "not a",
        "neither a nor b",
        "0<=X<200",
        "<0",
        "7",
    ),
    *(
        "and",
        "AND y <= 3",
        "'missing'",
        'say "a"',
        " padded ",
        "a number",
        "(a)",
        "a)",
        "THEN yes",
        "\x1b[31m",
        "or",
    ),
]
UNITS = ["", "cm", "EUR", "in", "%", "or", "per year, gross", "kg/m²", "THEN"]
CLASSES = ["no", "yes", "not yes", "a or b", ">50K", "0", "THEN", "no, never"]


@st.composite
def models(draw):
    """A model over odd names: numbers, whole numbers, truths, categories and a group, some of which may be missing."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=4, max_size=4, unique=True))
    dummies = [
        f"g_{label}" for label in draw(st.lists(st.sampled_from(LABELS), min_size=2, max_size=3, unique=True))
    ]
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=2, max_size=6, unique=True))
    classes = draw(st.lists(st.sampled_from(CLASSES), min_size=2, max_size=3, unique=True))
    columns = (*names, *dummies)
    sizes = [8, 8, 2, len(labels), *(2 for _ in dummies)]

    def tree(depth):
        if depth == 0:
            picked = draw(st.integers(0, len(classes) - 1))
            return [1.0 if i == picked else 0.0 for i in range(len(classes))]
        column = draw(st.integers(0, len(columns) - 1))
        cut = draw(st.integers(0, sizes[column] - 2)) + (0.51 if column == 0 else 0.5)
        return (column, cut, tree(depth - 1), tree(depth - 1))

    trees = tuple(pw.Tree.build(tree(3)) for _ in range(draw(st.integers(1, 3))))
    missing = draw(st.booleans())
    model = pw.Ensemble(trees, columns, tuple(classes), allows_missing=missing)
    domain = {names[1]: "whole", names[2]: {0: False, 1: True}, names[3]: dict(enumerate(labels))}
    units = {names[0]: draw(st.sampled_from(UNITS)), names[1]: draw(st.sampled_from(UNITS))}
    options = {"domain": domain, "groups": {"g": dummies}, "units": units}
    row = [draw(st.integers(0, size - 1)) + 0.0 for size in sizes[:4]]
    if missing and draw(st.booleans()):
        row[draw(st.integers(0, 3))] = math.nan
    place = draw(st.integers(0, len(dummies) - 1))
    return model, options, [*row, *(float(i == place) for i in range(len(dummies)))]


def grid(explainer, row):
    """Rows that differ from a row in one feature or two."""
    domain, rows = explainer.domain, [row]
    choices = []
    for feature in domain.features:
        if feature.patterns is not None:
            values = [list(pattern) for pattern in feature.patterns]
        else:
            step = 1.0 if feature.whole else 0.25
            values = [[k * step] for k in range(-4, int(9 / step))]
        values += [[math.nan] * len(feature.columns)] if feature.missing else []
        choices.append((list(feature.columns), values))
    for (a, ones), (b, others) in itertools.combinations(choices, 2):
        for one, other in itertools.product(ones[::3], others[::3]):
            rows.append(np.array(row, dtype=float))
            rows[-1][a], rows[-1][b] = one, other
    for columns, values in choices:
        for value in values:
            rows.append(np.array(row, dtype=float))
            rows[-1][columns] = value
    return np.array(rows, dtype=float)


def is_shown(record, domain, rows):
    """Which rows lie in the region that a record shows."""
    features = {feature.name: feature for feature in domain.features}
    found = np.ones(len(rows), dtype=bool)
    for literal in record["literals"]:
        feature = features[literal["feature"]]
        found &= np.array([holds(literal, feature, row) for row in rows])
    return found


def holds(literal, feature, row):
    held = row[list(feature.columns)]
    if np.isnan(held).any():
        return literal["missing"]
    if feature.patterns is not None:
        return str(feature.patterns[tuple(held.tolist())]) in map(str, literal["values"])
    return any(within(ends, held[0]) for ends in literal["ends"])


def within(ends, x):
    signs = {"<": x.__lt__, "<=": x.__le__, ">": x.__gt__, ">=": x.__ge__}
    return all(bound is None or signs[bound[0]](float(bound[1])) for bound in (ends["low"], ends["high"]))


def check(model, options, row, why, explainer):
    """The law, for one explanation."""
    rows = grid(explainer, row)
    shown = is_shown(why.to_dict(), explainer.domain, rows)
    rule = why.to_text(full=True).splitlines()[0]
    found = explainer.check(row, rule)
    assert [found.claim.holds(one) for one in rows] == shown.tolist(), rule
    assert found.sufficient is True and found.contains_row and found.claim.decision == str(why.decision)
    for verified in (explainer.verify(rule), pw.verify(model, rule, **options)):
        assert verified.holds is True, rule
    conditions = rule.removeprefix("IF ").removesuffix(f" THEN {why.to_dict()['decision']}")
    if why.term.literals and rule.startswith("IF ") and conditions != rule:
        bound = pw.Explainer(model, constraints=[conditions], **options)
        possible = bound.domain.possible(rows, bound.domain.points(rows))
        assert possible.tolist() == shown.tolist(), conditions
    exact = why.to_text(exact=True).splitlines()[0]
    assert explainer.verify(exact).holds is True, exact
    assert explainer.check(row, exact).sufficient is True, exact


@settings(max_examples=6)
@given(models())
def test_what_is_printed_is_read_as_the_region_that_is_shown(made):
    model, options, row = made
    explainer = pw.Explainer(model, **options)
    for literals in ("sets", "intervals", "values"):
        check(model, options, row, explainer.explain(row, literals=literals), explainer)


@pytest.mark.slow
@settings(max_examples=300)
@given(models())
def test_what_is_printed_of_many_models_is_read_as_the_region_that_is_shown(made):
    model, options, row = made
    explainer = pw.Explainer(model, **options)
    for literals in ("sets", "intervals", "values"):
        check(model, options, row, explainer.explain(row, literals=literals), explainer)


def credit():
    data = load_credit()
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(data.X, data.y)
    options = {"feature_names": data.feature_names, "class_names": data.class_names, "units": data.units}
    return forest, options | {"domain": data.domain}, data.X


def test_rules_of_real_models_are_proved_again_as_they_are_printed():
    forest, options, X = credit()
    explainer = pw.Explainer(forest, X, **options)
    for row, literals in itertools.product(X[:3], ("sets", "intervals", "values")):
        why = explainer.explain(row, literals=literals)
        rule = next(line for line in why.to_text(full=True).splitlines() if line.startswith("IF "))
        assert explainer.verify(rule).holds is True
        found = explainer.check(row, rule)
        assert found.sufficient is True and found.contains_row
        conditions = rule.removeprefix("IF ").removesuffix(f" THEN {why.decision}")
        inside = explainer.decide(X[why.covers(X)])
        bound = pw.Explainer(forest, **options, constraints=[conditions])
        assert {bound.decide(one) for one in X[why.covers(X)][:5]} == {why.decision} == set(inside)
        for one in X[~why.covers(X)][:5]:
            with pytest.raises(InvalidInput, match="violates the constraint"):
                bound.decide(one)


def test_rules_of_a_list_and_primes_about_no_row_are_proved_again():
    X, y = load_iris(return_X_y=True)
    names = load_iris().feature_names
    forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(pd.DataFrame(X, columns=names), y)
    explainer = pw.Explainer(forest, X)
    for why in [
        *explainer.rules(most_rules=2),
        *itertools.islice(explainer.compile().prime_implicants(0), 4),
    ]:
        assert explainer.verify(why.to_text(full=True).splitlines()[0]).holds is True


def test_an_answer_that_is_cut_is_refused_with_what_to_do():
    cuts = [float(i) for i in range(1, 9)]
    tree = [1, 0]
    for i, cut in enumerate(cuts):
        tree = (0, cut, tree, [0, 1] if i % 2 == 0 else [1, 0])
    explainer = pw.Explainer(pw.Ensemble((pw.Tree.build(tree),), ("x",), ("no", "yes")), literals="sets")
    why = explainer.explain([0.5])
    assert " other ranges" in why.rule and " other ranges" not in why.to_text(full=True)
    for ask in (explainer.verify, lambda text: explainer.check([0.5], text)):
        with pytest.raises(InvalidInput, match=r"to_text\(full=True\)"):
            ask(why.rule)
    assert explainer.verify(why.to_text(full=True).splitlines()[0]).holds is True


def test_a_list_of_odd_features_can_be_pasted_as_it_is_printed():
    names = ("a and b", "in", "married")
    trees = tuple(pw.Tree.build((j, 0.5, [1, 0], [0, 1])) for j in range(3))
    model = pw.Ensemble(trees, names, ("no", "yes"))
    explainer = pw.Explainer(model, domain={"married": {0: False, 1: True}})
    for row in ([0.0, 1.0, 0.0], [1.0, 0.0, 1.0]):
        first = explainer.check(row, list(names)).claim
        again = explainer.check(row, str(first)).claim
        assert (
            str(first)
            == str(again)
            == ('"a and b" is as in the row AND "in" is as in the row AND married is as in the row')
        )
        assert first.conditions == again.conditions
    with pytest.raises(InvalidInput, match="in claims only"):
        explainer.verify("married is as in the row -> yes")


def test_a_claim_can_be_pasted_as_it_is_printed():
    forest, options, X = credit()
    explainer = pw.Explainer(forest, X, **options)
    for claim in (["age", "checking account"], {"age": (20, 60), "checking account": ["none"]}, "age < 60"):
        first = explainer.check(X[0], claim).claim
        again = explainer.check(X[0], f"IF {first} THEN {explainer.decide(X[0])}").claim
        assert [(c.feature.name, c.spans, c.places) for c in again.conditions] == [
            (c.feature.name, c.spans, c.places) for c in first.conditions
        ]
