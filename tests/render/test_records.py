"""Explanations as JSON: the same record to the last bit, the same words and frames, and clear refusals."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.render.text import split_at_name


def bits(thing):
    """A record with its floats as bytes, so that equal means equal to the last bit, and its types."""
    if isinstance(thing, dict):
        return {key: bits(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [bits(value) for value in thing]
    if isinstance(thing, float):
        return ("float", struct.pack("<d", thing))
    assert thing is None or type(thing) in (bool, int, str), f"{thing!r} is no plain value"
    return (type(thing).__name__, thing)


def check_round_trip(why):
    for witnesses, distribution in itertools.product((False, True), repeat=2):
        record = why.to_dict(witnesses=witnesses, distribution=distribution)
        document = why.to_json(witnesses=witnesses, distribution=distribution)
        assert "\n" not in document
        json.loads(document, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
        recorded = pw.Explanation.from_json(document)
        assert bits(recorded.to_dict(witnesses=witnesses, distribution=distribution)) == bits(record)
        assert pw.Explanation.from_json(document.encode()) == recorded
    check_shown_alike(why, recorded)


def check_shown_alike(why, recorded):
    """`recorded` was saved with witnesses and distribution."""
    assert str(recorded) == str(why)
    assert f"{recorded}" == f"{why}"
    assert recorded.rule == why.rule
    assert recorded.to_text(exact=True) == why.to_text(exact=True)
    assert recorded.what_would_change_it == why.what_would_change_it
    assert recorded.features == why.features
    assert (recorded.coverage, recorded.volume, recorded.notes, recorded.assumptions) == (
        why.coverage,
        why.volume,
        why.notes,
        why.assumptions,
    )
    pd.testing.assert_frame_equal(recorded.to_frame(), why.to_frame())
    assert recorded.to_frame("polars").equals(why.to_frame("polars"))
    again = pickle.loads(pickle.dumps(recorded))
    assert again == recorded and str(again) == str(recorded)


def iris_explainer(**options):
    X, y = load_iris(return_X_y=True)
    return pw.Explainer(
        RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y), X, **options, literals="sets"
    ), X


def gappy():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return HistGradientBoostingClassifier(max_iter=5, max_depth=3, random_state=0).fit(X, y), X


def test_numbers():
    explainer, X = iris_explainer()
    for x in (X[0], X[60], X[113]):
        for literals, goal in itertools.product(
            ("sets", "intervals", "values"), ("prime", "shortest", "widest")
        ):
            check_round_trip(explainer.explain(x, literals=literals, goal=goal))
        check_round_trip(explainer.explain(x).as_intervals())


def test_an_interrupted_and_an_impossible_one():
    explainer, X = iris_explainer()
    check_round_trip(explainer.explain(X[60], work_limit=1))
    check_round_trip(explainer.explain(X[60], goal="widest", work_limit=1))
    impossible = explainer.explain(X[60], avoid=["x2", "x3"])
    assert impossible.status == "impossible"
    check_round_trip(impossible)


def test_categories_and_units():
    data = load_credit()
    forest = RandomForestClassifier(15, max_depth=4, random_state=0).fit(data.X, data.y)
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    explainer = pw.Explainer(forest, data.X, units=data.units, domain=data.domain, **names, literals="sets")
    for x in data.X[:4]:
        check_round_trip(explainer.explain(x))


def test_missing_values():
    model, X = gappy()
    explainer = pw.Explainer(model, X, literals="sets")
    for x in X[::30]:
        check_round_trip(explainer.explain(x))


def test_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    check_round_trip(pw.Explainer(forest, X, threshold=150.0, literals="sets").explain(X[0]))
    check_round_trip(pw.Explainer(forest, X, literals="sets").explain(X[0], within=40))


def test_an_expression_a_rule_and_an_implicant():
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b"])
    expression = pw.parse("A=1 | B=r", [A, B])
    check_round_trip(pw.Explainer(expression, literals="sets").explain({"A": 1, "B": "b"}))
    explainer, X = iris_explainer()
    for rule in explainer.rules(most_rules=2):
        check_round_trip(rule)
    for why in itertools.islice(pw.compile(explainer.model, X, literals="sets").prime_implicants(0), 5):
        check_round_trip(why)


EXTREMES = [
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e308,
    -1e308,
    1.7e308,
    -0.0,
    0.0,
    0.1,
    1 / 3,
    2.0**53 + 2,
]


@pytest.mark.parametrize("cut", EXTREMES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_extreme_numbers(cut, dtype):
    if dtype == "float32" and abs(cut) > 1e38:
        return
    tree = pw.Tree.build((0, cut, [1, 0], (1, 0.25, [0, 1], [1, 0])))
    model = pw.Ensemble((tree,), ("a", "b"), ("no", "yes"), dtype=dtype)
    for x in (cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf), -0.0):
        check_round_trip(pw.Explainer(model, literals="sets").explain([x, 0.1]))
        check_round_trip(pw.Explainer(model, [[x, 0.1], [x, 0.3]], literals="sets").explain([x, 0.1]))


WORDS = st.text(min_size=1, max_size=8).filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text))


@settings(max_examples=25)
@given(st.lists(WORDS, min_size=6, max_size=6, unique=True), WORDS)
def test_any_names(names, unit):
    tree = pw.Tree.build((0, 0.5, [1, 0], (1, 0.5, [0, 1], [1, 0])))
    model = pw.Ensemble((tree,), tuple(names[:2]), tuple(names[2:4]))
    explainer = pw.Explainer(
        model, domain={names[0]: dict(enumerate(names[4:]))}, units={names[1]: unit}, literals="sets"
    )
    why = explainer.explain([1, 0.25])
    assert bits(pw.Explanation.from_json(why.to_json(witnesses=True)).to_dict()) == bits(
        why.to_dict(witnesses=True)
    )
    assert why.to_json().encode()


@pytest.mark.parametrize(
    "names",
    [
        (True, False),
        (1, 2),
        (1.5, 2.5),
        (None, "x"),
        (np.str_("é"), np.str_("ü")),
        (np.int64(3), np.int64(4)),
    ],
)
def test_odd_class_names(names):
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("x",), ("no", "yes"))
    why = pw.Explainer(model, class_names=names, literals="sets").explain([0.0])
    recorded = pw.Explanation.from_json(why.to_json())
    assert why.rule == recorded.rule == f"IF x <= 0.5 THEN {names[0]}"
    assert str(recorded.decision) == str(names[0])


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False, width=32), min_size=1, max_size=30))
def test_histograms_count_every_number_once(numbers):
    X = np.column_stack([numbers, np.arange(len(numbers), dtype=float)])
    model = pw.Ensemble(
        (pw.Tree.build((1, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"), allows_missing=True
    )
    explainer = pw.Explainer(model, X, domain={"a": "numeric", "b": "numeric"}, literals="sets")
    record = explainer.explain(X[0]).to_dict(distribution=True)["instance"][0]
    known = [x for x in numbers if x == x]
    assert record["missing_count"] == len(numbers) - len(known)
    if not known:
        assert record["histogram"] is None
        return
    if all(x.is_integer() for x in known) and max(known) - min(known) < 40 and max(map(abs, known)) > 2.0**51:
        return  # see the test of huge whole numbers
    edges, counts = record["histogram"]["edges"], record["histogram"]["counts"]
    assert len(edges) == len(counts) + 1
    assert edges[0] <= min(known) and max(known) <= edges[-1]
    assert sum(counts) == len(known)


@pytest.mark.parametrize("x", [1e30, -(2.0**60)])
def test_histograms_of_huge_whole_numbers(x):
    X = np.column_stack([np.full(6, x), np.arange(6.0)])
    model = pw.Ensemble((pw.Tree.build((1, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"))
    record = pw.Explainer(model, X, literals="sets").explain(X[0]).to_dict(distribution=True)["instance"][0]
    assert sum(record["histogram"]["counts"]) == 6
    assert record["histogram"]["edges"][0] <= x <= record["histogram"]["edges"][-1]


def test_histograms_of_numbers_farther_apart_than_a_float():
    X = np.column_stack([[-1e308, 1e308] * 3, np.arange(6.0)])
    model = pw.Ensemble(
        (pw.Tree.build((1, 0.5, [1, 0], [0, 1])),), ("a", "b"), ("no", "yes"), dtype="float64"
    )
    record = pw.Explainer(model, X, literals="sets").explain(X[0]).to_dict(distribution=True)["instance"][0]
    assert sum(record["histogram"]["counts"]) == 6


# What is refused.


def saved():
    explainer, X = iris_explainer()
    return explainer.explain(X[60]).to_json(witnesses=True)


@pytest.mark.parametrize("document", ["", "{", "hello", b"\xff\xfe", "[1, 2", "nul"])
def test_what_is_not_json(document):
    with pytest.raises(pw.errors.InvalidInput, match="this is not JSON"):
        pw.Explanation.from_json(document)


def test_every_truncation_is_refused():
    document = saved()
    for size in range(0, len(document), 37):
        with pytest.raises(pw.errors.InvalidInput):
            pw.Explanation.from_json(document[:size])


@pytest.mark.parametrize("document", ["[]", "1", "null", '"text"', "{}", '{"format": "geojson"}'])
def test_other_json(document):
    with pytest.raises(pw.errors.InvalidInput, match="not an explanation of primewood"):
        pw.Explanation.from_json(document)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_other_versions(version):
    document = json.dumps(json.loads(saved()) | {"version": version})
    with pytest.raises(pw.errors.InvalidInput, match="version"):
        pw.Explanation.from_json(document)


REQUIRED = [
    "version",
    "decision",
    "status",
    "literal_language",
    "literals",
    "coverage",
    "volume",
    "notes",
    "assumptions",
    "bounds",
]


@pytest.mark.parametrize("key", REQUIRED)
def test_missing_keys_are_refused_in_words(key):
    record = json.loads(saved())
    del record[key]
    with pytest.raises(pw.errors.InvalidInput):
        pw.Explanation.from_json(json.dumps(record))


def test_a_record_without_its_instance_is_refused():
    record = json.loads(saved())
    del record["instance"]
    with pytest.raises(pw.errors.InvalidInput):
        pw.Explanation.from_json(json.dumps(record))


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (None, "ends"),
        ([], "one entry per interval"),
        ([{"low": ">= 2", "high": None}], "low"),
        ([{"low": [">=", 2], "high": None}], "low"),
    ],
)
def test_damaged_bounds_are_refused(ends, message):
    record = json.loads(saved())
    record["literals"] = [literal | {"ends": ends} for literal in record["literals"]]
    with pytest.raises(pw.errors.InvalidInput, match=message):
        pw.Explanation.from_json(json.dumps(record))


def test_shown_bounds_are_those_of_the_words():
    explainer, X = iris_explainer()
    for x in X[::20]:
        for literal in explainer.explain(x).to_dict()["literals"]:
            assert [str(piece) for piece in split_at_name(literal)] == literal["shown"]


def test_numbers_that_json_does_not_have_are_refused():
    record = json.loads(saved())
    with pytest.raises(pw.errors.InvalidInput):
        pw.Explanation.from_json(json.dumps(record | {"coverage": math.nan}))


@pytest.mark.parametrize("thing", [None, 3, {"format": "primewood explanation"}])
def test_what_is_no_text_is_refused_in_words(thing):
    with pytest.raises(pw.errors.InvalidInput):
        pw.Explanation.from_json(thing)


def test_what_was_not_saved_is_not_said_to_be_empty():
    explainer, X = iris_explainer()
    recorded = pw.Explanation.from_json(explainer.explain(X[60]).to_json())
    with pytest.raises(pw.errors.InvalidInput, match="witnesses"):
        recorded.what_would_change_it  # noqa: B018


@pytest.mark.parametrize("name", [math.nan, math.inf])
def test_a_name_that_json_has_no_word_for_is_not_written(name):
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    why = pw.Explainer(tree, X, class_names=["a", name, "c"], literals="sets").explain(X[60])
    with pytest.raises(ValueError, match="JSON"):
        why.to_json()


def test_frames_have_one_line_per_piece():
    model, X = gappy()
    explainer = pw.Explainer(model, X, literals="sets")
    for x in X[::25]:
        why = explainer.explain(x)
        record, frame = why.to_dict(), why.to_frame()
        expected = [
            (literal["feature"], part["low"], part["high"], part["closed"], literal["missing"])
            for literal in record["literals"]
            for part in literal["intervals"] or [{"low": None, "high": None, "closed": None}]
        ]
        columns = [frame[name] for name in ("feature", "low", "high", "closed", "missing")]
        found = [
            tuple(
                None if value is not True and value is not False and pd.isna(value) else value
                for value in line
            )
            for line in zip(*columns, strict=True)
        ]
        assert found == expected
        assert why.to_frame("polars")["feature"].to_list() == frame["feature"].tolist()
    with pytest.raises(pw.errors.InvalidInput, match="pandas"):
        why.to_frame("arrow")
