"""The printing law, read back from the printed words: inside the exact region, with the row and all its training rows.

Nothing here calls what prints. A small parser reads the words as a person would, and compares them with the exact
ends in the record.
"""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.logic.interval import Interval
from primewood.render.decimals import shown_ends

NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf)"
MISSING = "missing"


# What is printed, read back.


def floats(low, closed_low, high, closed_high):
    """The least and the largest float of an interval."""
    least = low if closed_low or math.isinf(low) else math.nextafter(low, math.inf)
    most = high if closed_high or math.isinf(high) else math.nextafter(high, -math.inf)
    return (least, most)


def read_piece(words, name, unit):
    """A printed piece of a numeric literal as (least float, largest float), or "missing"."""
    name, tail = re.escape(name), re.escape(f" {unit}") if unit else ""
    if re.fullmatch(f"{name} is missing", words):
        return MISSING
    if re.fullmatch(f"{name} is a number({tail})?", words) or re.fullmatch(
        f"-inf < {name} < inf{tail}", words
    ):
        return (-math.inf, math.inf)
    if found := re.fullmatch(f"{name} = ({NUMBER}){tail}", words):
        return (float(found[1]),) * 2
    if found := re.fullmatch(f"{name} (<=?|>=?) ({NUMBER}){tail}", words):
        bound = float(found[2])
        if "<" in found[1]:
            return floats(-math.inf, True, bound, "=" in found[1])
        return floats(bound, "=" in found[1], math.inf, True)
    found = re.fullmatch(f"({NUMBER}) (<=?) {name} (<=?) ({NUMBER}){tail}", words)
    assert found, f"cannot be read: {words!r}"
    return floats(float(found[1]), "=" in found[2], float(found[4]), "=" in found[3])


def read_numeric(words, name, unit):
    """A printed numeric literal as its pieces, and how many more it says there are."""
    if not words.startswith("("):
        return [read_piece(words, name, unit)], 0
    assert words.endswith(")")
    found = re.fullmatch(r"(.*) or (\d+) other ranges", words[1:-1])
    inner, more = (found[1], int(found[2])) if found else (words[1:-1], 0)
    return [read_piece(part, name, unit) for part in inner.split(" or ")], more


def read_names(words, joint, known):
    """All ways to read names joined by a word; a name may contain the word itself."""
    found = [[words]] if words in known else []
    for name in known:
        if words.startswith(f"{name}{joint}"):
            rest = read_names(words[len(name) + len(joint) :], joint, known)
            found += [[name, *names] for names in rest]
    return found


def read_choice(words, name, known):
    """All ways to read a literal over categories: the names that it allows, and how many more."""
    assert words.startswith(f"{name} is ")
    said = words.removeprefix(f"{name} is ")
    found = []
    if said.removeprefix("not ") in known and said.startswith("not "):
        found.append(([x for x in known if x != said.removeprefix("not ")], 0))
    if said.startswith("neither "):
        for absent in read_names(said.removeprefix("neither "), " nor ", known):
            found.append(([x for x in known if x not in absent], 0))
    tail = re.fullmatch(r"(.*) or (\d+) other values", said)
    said, more = (tail[1], int(tail[2])) if tail else (said, 0)
    return found + [(names, more) for names in read_names(said, " or ", known)]


def exact_pieces(literal):
    found = []
    for part in literal["intervals"]:
        low, high = part["low"], part["high"]
        found.append(
            floats(
                -math.inf if low is None else low,
                low is None or part["closed"] in ("left", "both"),
                math.inf if high is None else high,
                high is None or part["closed"] in ("right", "both"),
            )
        )
    return found + ([MISSING] if literal["missing"] else [])


def whole_inside(end, rounding):
    """The whole number next to an end, on its inner side."""
    return float(rounding(end)) if math.isfinite(end) else end


def holds(pieces, x):
    if x is None or x != x:
        return MISSING in pieces
    return any(p != MISSING and p[0] <= x <= p[1] for p in pieces)


def inside(shown, exact):
    if MISSING in (shown, exact):
        return shown == exact
    return exact[0] <= shown[0] <= shown[1] <= exact[1]


# The law, for one literal, and for a whole explanation.


def check_numeric(literal, x, column):
    """The law for one numeric literal; `x` is the row's number ("free" where there is no row)."""
    name, unit = literal["feature"], literal["unit"]
    exact = exact_pieces(literal)
    shown = [read_piece(words, name, unit) for words in literal["shown"]]
    assert len(shown) == len(exact)
    assert all(map(inside, shown, exact)), (literal["shown"], exact)
    if x != "free":
        assert holds(exact, x) and holds(shown, x), (literal["shown"], x)
    for number in column:
        assert holds(exact, number) == holds(shown, number), (literal["shown"], exact, number)
    printed, more = read_numeric(literal["text"], name, unit)
    assert len(printed) + more == len(exact)
    assert len(printed) == (len(exact) if len(exact) <= 4 else 3)
    assert all(piece in shown for piece in printed)
    if x != "free":
        assert holds(printed, x), (literal["text"], x)
    return shown


def without_short(printed):
    """The lines of a text after the decision in short, if it begins with that."""
    lines = printed.splitlines()
    return lines[1:] if lines[0].startswith("In short: ") else lines


def check_choice(literal, x, known):
    """The law for one literal over categories: nothing is rounded, so the words are the set itself."""
    allowed = [str(v) for v in literal["values"]] + ([MISSING] if literal["missing"] else [])
    assert sorted(literal["shown"]) == sorted(allowed)
    ((printed, more),) = read_choice(literal["text"], literal["feature"], known)
    assert set(printed) <= set(allowed) and len(printed) == len(set(printed))
    assert len(printed) + more == len(allowed)
    assert more == 0 or len(printed) == 3
    if x != "free":
        assert str(x) in printed
    return allowed


def with_all_pieces(literal):
    """The words of a literal that is not cut."""
    if not re.search(r" or \d+ other (ranges|values)\)?$", literal["text"]):
        return literal["text"]
    pieces = " or ".join(literal["shown"])
    return f"({pieces})" if "intervals" in literal else f"{literal['feature']} is {pieces}"


def names_of(explainer, feature):
    """All that a categorical feature can be."""
    declared = next(f for f in explainer.domain.features if f.name == feature)
    return [str(v) for v in declared.patterns.values()] + ([MISSING] if declared.missing else [])


def check(explainer, why, rows=None, *, about_row=True):
    """The printing law for an explanation; returns which training rows the printed words hold."""
    record = why.to_dict()
    values = {item["feature"]: item for item in record["instance"]}
    columns = list(explainer.domain.column_names)
    training = np.empty((0, len(columns))) if rows is None else rows
    held = np.ones(len(training), dtype=bool)
    for literal in record["literals"]:
        name = literal["feature"]
        x = values[name]["value"] if about_row else "free"
        if "intervals" in literal:
            column = training[:, columns.index(name)]
            shown = check_numeric(literal, x, np.unique(column))
            held &= np.array([holds(shown, number) for number in column], dtype=bool)
        else:
            known = names_of(explainer, name)
            allowed = check_choice(literal, MISSING if x is None else x, known)
            feature = next(f for f in explainer.domain.features if f.name == name)
            cells = feature.values_of(training)
            words = [str(v) for v in feature.patterns.values()] + [MISSING]
            held &= np.array([words[cell] in allowed for cell in cells], dtype=bool)
    conditions = " AND ".join(literal["text"] for literal in record["literals"])
    said = f"IF {conditions} THEN" if conditions else "always"
    whole = " AND ".join(map(with_all_pieces, record["literals"]))
    full = f"IF {whole} THEN {record['decision']}" if whole else f"always {record['decision']}"
    assert without_short(why.to_text(full=True))[0] == full
    assert without_short(str(why))[0] == why.rule
    if len(record["literals"]) <= 13:
        assert why.rule == f"{said} {record['decision']}"
    else:
        assert f" AND {len(record['literals']) - 12} more conditions THEN " in why.rule
    check_exact_text(why, record)
    if rows is not None:
        assert why.coverage == pytest.approx(held.mean(), abs=1e-12)
        assert (held == why.covers(rows)).all()
    return held


def check_exact_text(why, record):
    """`to_text(exact=True)` says the exact region, with all its pieces."""
    line = without_short(why.to_text(exact=True))[0]
    if not record["literals"]:
        assert line == f"always {record['decision']}"
        return
    assert line.startswith("IF ") and line.endswith(f" THEN {record['decision']}")
    parts = line.removeprefix("IF ").removesuffix(f" THEN {record['decision']}").split(" AND ")
    for part, literal in zip(parts, record["literals"], strict=True):
        if "intervals" in literal:
            pieces, more = read_numeric(part, literal["feature"], literal["unit"])
            exact = exact_pieces(literal)
            if literal.get("whole"):
                exact = [
                    x if x is MISSING else tuple(map(whole_inside, x, (math.ceil, math.floor))) for x in exact
                ]
            assert (pieces, more) == (exact, 0)
        else:
            allowed = [str(v) for v in literal["values"]] + ([MISSING] if literal["missing"] else [])
            said = part.removeprefix(f"{literal['feature']} is ").replace('"', "")
            (found,) = read_names(said, " or ", allowed)
            assert sorted(found) == sorted(allowed)


# Models.


def with_gaps(X, seed=0, share=0.1):
    generator = np.random.default_rng(seed)
    X = X.copy()
    X[generator.random(X.shape) < share] = np.nan
    return X


def mixed_frame(count=300, seed=0):
    """Numbers with gaps and a categorical column with gaps."""
    generator = np.random.default_rng(seed)
    words = np.array(["red", "green", "blue", "grey", "pink", "teal", None], dtype=object)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(words[generator.integers(0, 7, count)]),
            "size": generator.normal(size=count).round(2),
            "weight": np.where(generator.random(count) < 0.15, np.nan, generator.gamma(2.0, 10.0, count)),
        }
    )
    y = (frame["colour"].isin(["red", "grey", "teal"]) ^ (frame["size"] > 0.2) ^ (frame["weight"] > 25)) * 1
    return frame, y.to_numpy()


def iris():
    X, y = load_iris(return_X_y=True)
    return pw.Explainer(
        RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y), X, literals="sets"
    ), X


def wine():
    X, y = load_wine(return_X_y=True)
    return pw.Explainer(
        RandomForestClassifier(100, max_depth=4, random_state=0).fit(X, y), X, literals="sets"
    ), X


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return pw.Explainer(
        RandomForestClassifier(25, max_depth=5, random_state=0).fit(X, y), X, literals="sets"
    ), X


def credit():
    data = load_credit()
    forest = RandomForestClassifier(25, max_depth=4, random_state=0).fit(data.X, data.y)
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    return pw.Explainer(
        forest, data.X, units=data.units, domain=data.domain, **names, literals="sets"
    ), data.X


def whole_numbers():
    data = load_credit()
    forest = RandomForestClassifier(15, max_depth=4, random_state=1).fit(data.X, data.y)
    domain = dict.fromkeys(("duration", "amount", "existing credits"), "whole") | data.domain
    domain["age"] = pw.Number(18, 120, whole=True)
    return pw.Explainer(
        forest, data.X, feature_names=data.feature_names, domain=domain, literals="sets"
    ), data.X


def gradient_boosting():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(model, X, literals="sets"), X


def hist_gradient_boosting():
    X, y = load_wine(return_X_y=True)
    X = with_gaps(X)
    model = HistGradientBoostingClassifier(max_iter=8, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(model, X, literals="sets"), X


def xgboost():
    from xgboost import XGBClassifier

    frame, y = mixed_frame()
    model = XGBClassifier(n_estimators=15, max_depth=4, enable_categorical=True, n_jobs=1).fit(frame, y)
    explainer = pw.Explainer(model, frame, literals="sets")
    return explainer, explainer.rows


def lightgbm():
    from lightgbm import LGBMClassifier

    frame, y = mixed_frame(seed=1)
    frame = frame.rename(columns={"weight": "net weight"})
    options = {"min_child_samples": 3, "min_data_per_group": 1, "cat_smooth": 1}
    model = LGBMClassifier(n_estimators=15, num_leaves=7, verbose=-1, n_jobs=1, **options).fit(frame, y)
    explainer = pw.Explainer(model, frame, units={"net weight": "kg"}, literals="sets")
    return explainer, explainer.rows


def regressor():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(15, max_depth=4, random_state=0).fit(X, y)
    return pw.Explainer(model, X, threshold=150.5, literals="sets"), X


def scaled(scales, seed=0):
    """A forest over columns of very different scales, with both signs, zeros and negative zeros."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(200, len(scales))) * np.array(scales)
    X[generator.random(X.shape) < 0.1] = 0.0
    X[generator.random(X.shape) < 0.1] = -0.0
    y = (np.sign(X).sum(axis=1) > 0).astype(int) + (np.abs(X[:, 0]) > abs(scales[0])).astype(int)
    return pw.Explainer(
        RandomForestClassifier(10, max_depth=5, random_state=0).fit(X, y), X, literals="sets"
    ), X


def scales():
    return scaled([1e30, -1e-30, 1e-3, 1e-38, 12345.678])


def large_integers():
    generator = np.random.default_rng(0)
    X = (2.0**24 + generator.integers(0, 9, (200, 3))) * np.array([1.0, -1.0, 64.0])
    y = (X[:, 0] + X[:, 1] + (X[:, 2] > 64 * (2.0**24 + 4)) > 0).astype(int)
    return pw.Explainer(DecisionTreeClassifier(random_state=0).fit(X, y), X, literals="sets"), X


def large_integers_in_float64():
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    X = 2.0**53 - generator.integers(0, 40, (300, 2)).astype(float)
    y = (X[:, 0] > 2.0**53 - 17).astype(int) ^ (X[:, 1] > 2.0**53 - 8)
    model = LGBMClassifier(n_estimators=5, num_leaves=7, min_child_samples=3, verbose=-1, n_jobs=1).fit(X, y)
    return pw.Explainer(model, X, literals="sets"), X


def neighbouring_floats():
    """Cuts that are next to each other in float32, and training numbers at both sides of them, closer than that."""
    base = np.float32(0.1)
    steps = [float(base := np.nextafter(base, np.float32(1))) for _ in range(12)]
    tree = [1, 0]
    for i, cut in enumerate(steps):
        tree = (0, cut, tree, [0, 1] if i in (1, 2, 5, 6, 7, 11) else [1, 0])
    model = pw.Ensemble((pw.Tree.build(tree),), ("x",), ("no", "yes"), dtype="float32")
    explainer = pw.Explainer(model, literals="sets")
    (cuts,) = (np.array(x.cuts) for x in explainer.domain.variables)
    X = np.concatenate([cuts, np.nextafter(cuts, 1), np.nextafter(cuts, 0), steps])[:, None]
    return pw.Explainer(model, X, literals="sets"), X


MAKERS = (
    iris,
    wine,
    cancer,
    credit,
    whole_numbers,
    gradient_boosting,
    hist_gradient_boosting,
    xgboost,
    lightgbm,
    regressor,
    scales,
    large_integers,
    large_integers_in_float64,
    neighbouring_floats,
)


@pytest.fixture(scope="module")
def made():
    """Each model once."""
    known = {}

    def make(kind):
        if kind not in known:
            known[kind] = next(each for each in MAKERS if each.__name__ == kind)()
        return known[kind]

    return make


KINDS = [make.__name__ for make in MAKERS]


def at_thresholds(explainer, rows, count, seed):
    """Training rows with one number moved to a threshold, just beside it, or a float32 away from it."""
    generator = np.random.default_rng(seed)
    tested = [f for f in explainer.domain.seen if f.variable.cuts]
    found = []
    for _ in range(count):
        row = rows[generator.integers(len(rows))].copy()
        feature = tested[generator.integers(len(tested))]
        cut = feature.variable.cuts[generator.integers(len(feature.variable.cuts))]
        single = np.float32(cut)
        beside = [cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), float(single)]
        beside += [float(np.nextafter(single, np.float32(s))) for s in (np.inf, -np.inf)]
        beside += [-0.0, cut * (1 + 1e-9), round(cut, 3)]
        x = float(beside[generator.integers(len(beside))])
        row[feature.column] = math.floor(x) if feature.whole else x
        if feature.low <= row[feature.column] <= feature.high:
            found.append(row)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_printed_about_a_row(made, kind):
    explainer, rows = made(kind)
    some = [*rows[:: max(1, len(rows) // 5)], *at_thresholds(explainer, rows, 5, seed=1)]
    for row, literals in itertools.product(some, ("sets", "intervals", "values")):
        why = explainer.explain(row, literals=literals, work_limit=20_000)
        check(explainer, why, rows)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_printed_about_many_rows(made, kind):
    explainer, rows = made(kind)
    some = [*rows[:: max(1, len(rows) // 25)], *at_thresholds(explainer, rows, 50, seed=2)]
    for row, goal in itertools.product(some, ("prime", "shortest", "widest")):
        check(explainer, explainer.explain(row, goal=goal, time_limit=0.05), rows)


@pytest.mark.parametrize("kind", ["iris", "credit", "hist_gradient_boosting", "xgboost", "scales"])
def test_what_is_printed_without_training_rows(made, kind):
    explainer, rows = made(kind)
    bare = pw.Explainer(explainer.ensemble, literals="sets")
    for row in [*rows[::60], *at_thresholds(bare, rows, 5, seed=3)]:
        why = bare.explain(row, work_limit=20_000)
        assert why.coverage is None
        check(bare, why)


@pytest.mark.parametrize("kind", ["iris", "credit", "lightgbm"])
def test_rules_of_a_list(made, kind):
    explainer, rows = made(kind)
    for literals in ("sets", "intervals"):
        found = explainer.rules(literals=literals, most_rules=6, time_limit=2.0)
        assert len(found)
        for rule in found:
            assert check(explainer, rule, rows, about_row=False).sum() == rule.rows


def test_prime_implicants_about_no_row():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    for rows in (X, None):
        compiled, explainer = (
            pw.compile(forest, rows, literals="sets"),
            pw.Explainer(forest, rows, literals="sets"),
        )
        for name in compiled.class_names:
            for why in itertools.islice(compiled.prime_implicants(name), 60):
                assert why.row is None
                check(explainer, why, rows, about_row=False)
                assert all(item["shown"] == "" for item in why.to_dict()["instance"])


@pytest.mark.parametrize(
    "kind", ["iris", "credit", "hist_gradient_boosting", "lightgbm", "neighbouring_floats"]
)
def test_exclusions_lie_outside_and_keep_training_rows(made, kind):
    explainer, rows = made(kind)
    columns = list(explainer.domain.column_names)
    for row in rows[:: max(1, len(rows) // 8)]:
        why = explainer.explain(row, work_limit=20_000)
        literals = {x["feature"]: x for x in why.to_dict()["literals"]}
        excluded = {name: [] for name in literals}
        for item in why.exclusions:
            literal = literals[item.feature]
            if "intervals" in literal:
                pieces, more = read_numeric(item.text, item.feature, literal["unit"])
                assert more == 0
                excluded[item.feature] += pieces
        for name, pieces in excluded.items():
            if "intervals" in literals[name]:
                exact = exact_pieces(literals[name])
                for x in [*np.unique(rows[:, columns.index(name)]), *(p[0] for p in pieces if p != MISSING)]:
                    assert holds(exact, x) != holds(pieces, x), (name, x, pieces)


# Literals of many pieces.


def striped(cuts, *, missing=None):
    """A model of one feature that decides yes and no in turn between cuts."""
    X = np.array([*(c - 0.5 for c in cuts), cuts[-1] + 0.5] + ([np.nan] if missing is not None else []))
    y = [i % 2 for i in range(len(cuts) + 1)] + ([missing] if missing is not None else [])
    X, y = np.repeat(X, 3)[:, None], np.repeat(y, 3)
    return pw.Explainer(
        DecisionTreeClassifier(random_state=0).fit(X, y), X, feature_names=["x"], literals="sets"
    ), X


@pytest.mark.parametrize("stripes", range(1, 14))
@pytest.mark.parametrize("missing", [None, 0, 1])
def test_three_pieces_are_shown_and_the_rest_counted(stripes, missing):
    explainer, rows = striped([float(i) for i in range(1, stripes + 1)], missing=missing)
    for row in np.unique(rows, axis=0):
        why = explainer.explain(row)
        check(explainer, why, rows)
        (literal,) = why.to_dict()["literals"]
        assert (" other ranges" in literal["text"]) == (len(literal["shown"]) > 4)


@pytest.mark.parametrize("count", range(2, 13))
def test_three_categories_are_shown_and_the_rest_counted(count):
    names = {i: f"k{i}" for i in range(count)}
    tree = (0, 0.5, [1, 0], [0, 1])
    for i in range(1, count - 1):
        tree = (0, i + 0.5, tree, [1, 0] if i % 2 else [0, 1])
    model = pw.Ensemble((pw.Tree.build(tree),), ("day",), ("no", "yes"))
    explainer = pw.Explainer(model, domain={"day": names}, literals="sets")
    for code in range(count):
        check(explainer, explainer.explain([code]))


# The rounding itself, over all floats.

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.tuples(FLOATS, st.integers(-3, 3)).map(lambda x: step(*x))


def step(x, count):
    for _ in range(abs(count)):
        x = math.nextafter(x, math.copysign(math.inf, count))
    return x


def as_floats(interval):
    return floats(interval.low, interval.closed_low, interval.high, interval.closed_high)


@settings(max_examples=200)
@given(
    st.tuples(NEAR, NEAR) | NEAR.map(lambda x: (x, step(x, 2))),
    st.sampled_from(["left", "right", "both", "neither"]),
    st.sampled_from(["both", "low", "high", "none"]),
    st.lists(FLOATS, max_size=5),
    st.floats(allow_infinity=False),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_rounding_keeps_the_law_over_all_floats(ends, closed, bounded, rows, x, known, brief, data):
    low, high = sorted(ends)
    low = low if bounded in ("both", "low") else -math.inf
    high = high if bounded in ("both", "high") else math.inf
    least, most = floats(low, closed in ("left", "both"), high, closed in ("right", "both"))
    if not least <= most or (math.isinf(least) and least > 0) or (math.isinf(most) and most < 0):
        return
    if max(abs(e) for e in ends) > 1.7e308:  # no row can lie beyond: there is no float left
        return
    interval = Interval(low, high, closed)
    inner = [e for e in (least, most, step(least, 1), step(most, -1)) if math.isfinite(e) and e in interval]
    rows = rows + data.draw(st.lists(st.sampled_from(inner), max_size=3)) if inner else rows
    x = data.draw(st.sampled_from([x, *inner]))
    column = np.array([*rows, np.nan]) if known else None
    shown = shown_ends(interval, x, column, brief=brief)
    read_low = (-math.inf, True) if shown[0] is None else (float(shown[0][1]), "=" in shown[0][0])
    read_high = (math.inf, True) if shown[1] is None else (float(shown[1][1]), "=" in shown[1][0])
    least_shown, most_shown = floats(*read_low, *read_high)
    assert least <= least_shown <= most_shown <= most
    for number in [x, *(rows if known else [])]:
        if number in interval:
            assert least_shown <= number <= most_shown


@given(
    st.lists(FLOATS, min_size=1, max_size=9, unique=True),
    st.sampled_from(["x", "a b", "net (kg)"]),
    st.data(),
)
def test_a_model_cut_anywhere_is_printed_lawfully(cuts, name, data):
    cuts = sorted(c for c in cuts if abs(c) < 1e37)
    distinct = sorted({float(np.float32(c)) for c in cuts})
    if not distinct:
        return
    tree = [1, 0]
    for i, cut in enumerate(distinct):
        tree = (0, cut, tree, [0, 1] if i % 2 == 0 else [1, 0])
    model = pw.Ensemble((pw.Tree.build(tree),), (name,), ("no", "yes"))
    x = data.draw(st.sampled_from(distinct).flatmap(lambda c: st.integers(-2, 2).map(lambda n: step(c, n))))
    rows = data.draw(st.none() | st.lists(st.sampled_from([*distinct, x, 0.0, -0.0]), min_size=1, max_size=6))
    X = None if rows is None else np.array([[row] for row in rows])
    explainer = pw.Explainer(model, X, domain={name: "numeric"}, literals="sets")
    check(explainer, explainer.explain([x]), X)


# What misleads a reader.


def test_a_unit_stands_behind_numbers_only():
    X = np.array([[0.0], [1.0], [2.0], [np.nan]] * 5)
    tree = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 0, 1] * 5)
    why = pw.Explainer(tree, X, feature_names=["age"], units={"age": "years"}, literals="sets").explain([1.0])
    assert why.rule == "IF age is a number THEN 0"


def test_an_exclusion_holds_the_number_of_its_example():
    data = load_credit()
    forest = RandomForestClassifier(25, max_depth=4, random_state=0).fit(data.X, data.y)
    explainer = pw.Explainer(
        forest, data.X, feature_names=data.feature_names, domain=data.domain, literals="sets"
    )
    for x in data.X[:15]:
        for item in explainer.explain(x).exclusions:
            if item.feature not in data.domain:
                column = data.feature_names.index(item.feature)
                pieces, _ = read_numeric(item.text, item.feature, "")
                assert holds(pieces, item.witness.row[column]), (item.text, item.witness.row[column])


def test_examples_of_exclusions_name_their_categories():
    data = load_credit()
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(data.X, data.y)
    explainer = pw.Explainer(
        forest, data.X, feature_names=data.feature_names, domain=data.domain, literals="sets"
    )
    lines = explainer.explain(data.X[2]).what_would_change_it
    assert "example with checking account = overdrawn, " in lines


@pytest.mark.parametrize(
    "names",
    [
        ("employed", "not employed", "retired"),
        ("a", "b", "a or b", "c", "d"),
        ("a", "neither a nor b", "b", "c", "d", "e"),
    ],
)
def test_words_about_categories_have_one_meaning(names):
    """Whatever categories are called, two different sets of them are not written alike."""
    size = len(names)
    written = {}
    for mask in range(1, 2**size - 1):
        tree = (0, 0.5, [1, 0] if mask & 1 else [0, 1], [1, 0] if mask >> 1 & 1 else [0, 1])
        for i in range(2, size):
            tree = (0, i - 0.5, tree, [1, 0] if mask >> i & 1 else [0, 1])
        model = pw.Ensemble((pw.Tree.build(tree),), ("job",), ("no", "yes"))
        explainer = pw.Explainer(model, domain={"job": dict(enumerate(names))}, literals="sets")
        why = explainer.explain([mask.bit_length() - 1])
        words = why.to_dict()["literals"][0]["text"]
        assert written.setdefault(words, mask) == mask, words


@pytest.mark.parametrize("names", [{0: 1, 1: True, 2: "x"}, {0: 1, 1: 1.0, 2: "x"}, {0: 0, 1: False, 2: 2}])
def test_categories_that_are_equal_but_not_written_alike(names):
    model = pw.Ensemble((pw.Tree.build((0, 0.5, [1, 0], (0, 1.5, [0, 1], [1, 0]))),), ("a",), ("no", "yes"))
    with pytest.raises(pw.errors.InvalidInput):
        pw.Explainer(model, domain={"a": names}, literals="sets").explain([1])
