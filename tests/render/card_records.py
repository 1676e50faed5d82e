"""Records for the tests of cards and terminals: made by hand, and of live explanations."""

from __future__ import annotations

from functools import cache

import numpy as np

from primewood.logic.interval import number
from primewood.logic.lexicon import write_name
from primewood.render import text

ODD_NAMES = (
    '<script>alert("1")</script>',
    "' onmouseover='alert(2)",
    "a & b > c <= d",
    "🌳 height",
    "β (βάρος)",
    "an uncommonly long name of a feature, with so many words that it has eighty let.",
    "w" * 80,
    "{{ 7 * 7 }} {% raw %}",
    "[bold red]loud[/]",
    "\x1b[31mred\x1b[0m",
)


def unquoted(words, name):
    """Words about a feature as a picture has them, where its name stands by itself: without quotes."""
    return words.replace(write_name(name), name).replace(f'"{name}"', name)


def part(low=None, high=None, closed="left"):
    return {"low": low, "high": high, "closed": closed}


def numbers(feature, *parts, unit="", missing=False):
    """A literal over numbers, in words with all digits."""
    shown = [text.write_piece(feature, *ends(x).values(), unit) for x in parts]
    shown += [f"{feature} is missing"] if missing else []
    literal = {"feature": feature, "unit": unit, "missing": missing, "intervals": list(parts), "shown": shown}
    return {**literal, "ends": [ends(x) for x in parts], "text": text.join_pieces(shown)}


def ends(part):
    """The bounds of an interval as they are shown, with all digits."""
    low, high, closed = part["low"], part["high"], part["closed"]
    above, below = ">=" if closed in ("left", "both") else ">", "<=" if closed in ("right", "both") else "<"
    return {
        "low": None if low is None else [above, number(low)],
        "high": None if high is None else [below, number(high)],
    }


def names(feature, allowed, excluded=(), *, missing=False):
    """A literal over categories."""
    held = [*allowed, *(["missing"] if missing else [])]
    literal = {"feature": feature, "unit": "", "missing": missing, "values": list(allowed), "shown": held}
    said = {
        "condition": text.write_condition(held, excluded),
        "text": text.write_choice(feature, held, excluded),
    }
    return {**literal, **said}


def number_entry(feature, value, low=None, high=None, *, unit="", tested=True, counts=None, edges=None):
    """A number of an instance; with counts, a histogram of columns of equal width, or with these edges."""
    entry = {"feature": feature, "unit": unit, "value": value, "tested": tested, "kind": "numeric"}
    entry["shown"] = "missing" if value is None else f"{number(value)} {unit}".rstrip()
    if counts is not None:
        edges = edges or np.linspace(low, high, len(counts) + 1).tolist()
        entry |= {"histogram": {"edges": edges, "counts": list(counts)}, "missing_count": 0}
    return {**entry, "low": low, "high": high}


def category_entry(feature, value, values, *, tested=True):
    entry = {"feature": feature, "unit": "", "value": value, "tested": tested, "kind": "categories"}
    return {**entry, "shown": "missing" if value is None else str(value), "values": list(values)}


def score(decision):
    """The record of what a decision was taken by."""
    said = {"decision": decision, "measure": "probability", "of": decision, "value": 0.7125, "raw": None}
    reason = f"P({decision}) = 0.71, above the cut-off 0.5"
    return {"text": f"{decision}: {reason}", "reason": reason, **said, "cutoff": 0.5}


def explanation(decision, literals, instance=(), **changes):
    """A record of an explanation, as `to_dict` makes it."""
    return {
        "decision": decision,
        "score": score(decision),
        "status": "proved",
        "literal_language": "sets",
        "literals": list(literals),
        "coverage": None,
        "volume": None,
        "queries": 7,
        "vote": "mean",
        "model": "0123456789abcdef",
        "assumptions": [],
        "notes": [],
        "goal": "prime",
        "bounds": None,
        "history": [],
        "instance": list(instance),
        **changes,
    }


def loan():
    """Everything that a card can say."""
    accounts = ["none", "overdrawn", "below 200", "200 or more"]
    counts = [3, 9, 14, 20, 11, 6, 4, 2, 0, 1]
    return explanation(
        "declined",
        [
            names("account", ["overdrawn", "below 200"], ["none", "200 or more"]),
            numbers("duration", part(34.5), unit="months"),
            numbers("amount", part(None, 2250.5, "right"), part(3900.0, 7840.25), unit="DM", missing=True),
        ],
        [
            category_entry("account", "overdrawn", accounts),
            number_entry("duration", 48.0, 4.0, 72.0, unit="months", counts=counts),
            number_entry("amount", 5951.0, 250.0, 18424.0, unit="DM", counts=counts[::-1]),
            number_entry("age", 22.0, 19.0, 75.0, unit="years", counts=counts),
            category_entry("housing", "owned", ["free", "owned", "rented"]),
            number_entry("telephone", 1.0, 0.0, 1.0, tested=False),
        ],
        coverage=0.0241,
        volume=0.000187,
        assumptions=["no value is missing", "duration is a whole number"],
        notes=["the scores of the two decisions are equal here; ties go to declined"],
        goal="shortest",
        bounds=[2.0, 3.0],
        excludes=[
            {
                "text": "duration < 34.5 months",
                "literal": numbers("duration", part(None, 34.5), unit="months"),
                "values": 3,
                "row": [1.0, 34.0, 5951.0, 22.0, 1.0, 1.0],
                "changed": {"duration": 34.0},
                "decision": "approved",
            },
            {
                "text": "2250.5 < amount < 3900 DM",
                "literal": numbers("amount", part(2250.5, 3900.0, "neither"), unit="DM"),
                "values": 2,
                "row": [1.0, 48.0, 3000.0, None, 1.0, 1.0],
                "changed": {"amount": 3000.0, "age": None},
                "shown": {"amount": "3000 DM", "age": "missing"},
                "decision": "approved",
            },
        ],
    )


def stopped():
    return explanation(
        "yes", [numbers("x", part(1.0, 2.0))], [number_entry("x", 1.5, 0.0, 4.0)], status="interrupted"
    )


def impossible():
    notes = ["no explanation avoids x: with x = 3 the decision is no"]
    literals, instance = [numbers("x", part(1.0, 2.0))], [number_entry("x", 1.5, 0.0, 4.0)]
    return explanation("yes", literals, instance, status="impossible", notes=notes)


def always():
    """No condition at all."""
    return explanation("yes", [], [number_entry("x", 1.5, 0.0, 4.0)], coverage=1.0, volume=1.0)


def odd_names():
    literals = [numbers(name, part(float(k))) for k, name in enumerate(ODD_NAMES)]
    literals.append(names("city", ["<b>Köln</b>", 'say "no"'], ["Łódź", "東京"]))
    instance = [number_entry(name, k + 1.0, 0.0, 20.0, unit="<u>") for k, name in enumerate(ODD_NAMES)]
    instance.append(category_entry("city", 'say "no"', ["<b>Köln</b>", 'say "no"', "Łódź", "東京"]))
    return explanation("<i>maybe</i>", literals, instance, notes=["<img src=x>"], assumptions=["</article>"])


def sixty_features():
    literals = [numbers(f"feature {k}", part(None, k + 0.5)) for k in range(0, 60, 5)]
    instance = [
        number_entry(f"feature {k}", float(k), 0.0, 60.0, tested=k < 40 or k % 5 == 0) for k in range(60)
    ]
    return explanation("class 1", literals, instance, coverage=0.5, volume=1e-9)


def no_training_rows():
    literals = [
        numbers("x", part(2.0, 5.0)),
        numbers("y", part(3.0, None)),
        numbers("z", part(1.0, 1.0, "both")),
    ]
    instance = [
        number_entry("x", 4.0),
        number_entry("y", 3.5),
        number_entry("z", 1.0),
        number_entry("u", 0.0),
    ]
    return explanation(1, literals, instance)


def many_pieces():
    parts = [part(float(2 * k), float(2 * k + 1)) for k in range(12)]
    literal = numbers("hour", *parts, unit="h")
    cities = [f"city {k}" for k in range(40)]
    return explanation(
        True,
        [literal, names("city", cities[::2], cities[1::2])],
        [number_entry("hour", 14.5, 0.0, 24.0, unit="h"), category_entry("city", "city 38", cities)],
    )


def missing_values():
    literals = [
        numbers("age", part(None, 30.0), missing=True),
        numbers("income", part()),
        names("job", ["clerk"], ["nurse", "missing"]),
        names("pet", [], ["cat", "dog"], missing=True),
    ]
    instance = [
        number_entry("age", None, 18.0, 90.0),
        number_entry("income", 1200.0, 0.0, 9000.0),
        category_entry("job", "clerk", ["clerk", "nurse"]),
        category_entry("pet", None, ["cat", "dog"]),
        number_entry("height", None, 150.0, 200.0),
    ]
    return explanation("yes", literals, instance)


def beyond():
    """Rows and bounds outside the training range; a range of one number; whole numbers; the largest floats."""
    literals = [
        numbers("above", part(20.0)),
        numbers("below", part(None, -5.0)),
        numbers("far", part(-1e300, 1e300)),
        numbers("one number", part(None, 7.5)),
        numbers("one fraction", part(None, 7.5)),
        numbers("huge", part(0.0)),
        numbers("sliver", part(0.5, 0.5000001)),
    ]
    instance = [
        number_entry("above", 300.0, 0.0, 10.0, unit="m"),
        number_entry("below", -6.0, 0.0, 10.0),
        number_entry("far", 5.0, 0.0, 10.0),
        number_entry("one number", 7.0, 7.0, 7.0, counts=[9], edges=[6.5, 7.5]),
        number_entry("one fraction", 7.3, 7.3, 7.3, counts=[9], edges=[7.3, 7.3]),
        number_entry("huge", 1e308, -1.7e308, 1.7e308),
        number_entry("sliver", 0.5, 0.0, 1.0, counts=[1, 2, 3]),
    ]
    return explanation("yes", literals, instance, coverage=0.1, volume=0.0)


def without_a_model():
    """An expression: no columns, no row, no model."""
    literals = [names("B", ["g"]), numbers("X", part(None, 2.0), part(6.0)), numbers("Y", part())]
    return explanation(True, literals, vote=None, model=None)


MADE = {
    make.__name__: make
    for make in (
        loan,
        stopped,
        impossible,
        always,
        odd_names,
        sixty_features,
        no_training_rows,
        many_pieces,
        missing_values,
        beyond,
        without_a_model,
    )
}
"""The records made by hand, by name."""


def batch():
    whys = [loan(), stopped(), always(), odd_names()]
    summary = {
        "rows": 4,
        "decisions": {"declined": 1, "yes": 2, "<i>maybe</i>": 1},
        "statuses": {"proved": 3, "interrupted": 1},
        "features": {"account": 1, "duration": 1, "x": 1, **dict.fromkeys(ODD_NAMES, 1), "never": 0},
        "sizes": {"0": 1, "1": 1, "3": 1, "10": 1},
        "coverage": {"least": 0.0241, "median": 0.5, "largest": 1.0},
    }
    return {"summary": summary, "index": ["a", "b", "2024-01-31", "<d>"], "explanations": whys}


def verification(outcome="fails"):
    fails = outcome == "fails"
    words = {
        "holds": "Proved: raising age never turns approved into declined.",
        "fails": "Raising age turns approved into declined for some rows.",
        "undecided": "Not decided: whether raising age can turn approved into declined.",
    }
    broken = {
        "count": 41,
        "rows": 2000,
        "complete": True,
        "text": "41 of your 2,000 rows break this (rows 3, <b>7, 12, 40, 41 and 36 more)",
        "ids": [3, "<b>7", 12, 40, 41, *range(100, 136)],
    }
    return {
        "property": "monotone in age (increasing, target approved)",
        "outcome": outcome,
        "words": words[outcome],
        "breaking": broken if fails else None,
        "witnesses": [[17.0, 1.0], [18.0, 1.0]] if fails else [],
        "decisions": ["approved", "declined"] if fails else [],
        "differ_in": ["age"] if fails else [],
        "shown": [{"age": "17 years", "<b>job": "clerk"}, {"age": "18 years", "<b>job": "clerk"}]
        if fails
        else [],
        "proved": {"holds": 1.0, "fails": 0.0}.get(outcome, 0.25),
        "note": "25% of the space is proved" if outcome == "undecided" else "",
        "assumptions": ["no value is missing"],
        "model": "0123456789abcdef",
    }


def counterfactual(status="proved"):
    found = status != "impossible"
    return {
        "status": status,
        "decision": "declined",
        "other": "approved" if found else None,
        "norm": "l1",
        "relative": True,
        "cost": 0.14653361344537819 if found else None,
        "lower": 0.12 if found else None,
        "row": [43.5, 26.500000000000007, 1.0] if found else None,
        "changes": {"duration": [48.0, 43.5], "age": [None, 26.500000000000007], "job": ["clerk", "nurse"]}
        if found
        else {},
        "box": [],
        "advice": "duration <= 43.5 months AND age >= 26.51 years" if found else "",
        "model": "0123456789abcdef",
    }


def rule_list():
    rules = [{**loan(), "rows": 70, "new_rows": 70}, {**always(), "rows": 80, "new_rows": 10}]
    return {
        "status": "interrupted",
        "literal_language": "sets",
        "rules": rules,
        "decisions": [
            {"decision": "declined", "rows": 90, "covered": 80, "uncovered": 10, "curve": [0.0, 0.8]}
        ],
        "curve": [0.0, 0.8],
        "outside": 0,
        "vote": "mean",
        "model": "0123456789abcdef",
        "assumptions": ["no value is missing"],
    }


def flowers_model():
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    data = load_iris()
    return RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0).fit(data.data, data.target)


@cache
def iris():
    """A live explainer, and a row."""
    from sklearn.datasets import load_iris

    import primewood as pw

    data = load_iris()
    named = {"feature_names": data.feature_names, "class_names": data.target_names}
    return pw.Explainer(flowers_model(), data.data, **named, literals="sets"), data.data[113]


@cache
def credit():
    """LightGBM on credit applications: categories, units, and numbers that may be missing."""
    import pandas as pd
    from lightgbm import LGBMClassifier

    import primewood as pw
    from primewood.data.credit import load_credit

    data = load_credit()
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    frame.loc[::7, "duration"] = np.nan
    for name, words in data.domain.items():
        frame[name] = frame[name].astype(int).map(words).astype("category")
    model = LGBMClassifier(n_estimators=20, num_leaves=8, n_jobs=1, verbose=-1).fit(frame, data.y)
    return pw.Explainer(model, frame, class_names=data.class_names, units=data.units, literals="sets"), frame


@cache
def cancer():
    """A forest over thirty features."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    import primewood as pw

    data = load_breast_cancer()
    forest = RandomForestClassifier(n_estimators=20, max_depth=4, random_state=0).fit(data.data, data.target)
    named = {"feature_names": data.feature_names, "class_names": data.target_names}
    return pw.Explainer(forest, data.data, **named, literals="sets"), data.data[20]


@cache
def live():
    """Records of live explanations, by name."""
    import primewood as pw

    flowers, flower = iris()
    lender, frame = credit()
    clinic, cell = cancer()
    A, X = pw.Variable("A", [1, 2, 3]), pw.Variable.numeric("X", cuts=[2, 6], closed="left")
    logic = pw.Explainer((A == 2) | X.isin([X.values[0]]), literals="sets")
    whys = {
        "iris": flowers.explain(flower),
        "iris, values": flowers.explain(flower, literals="values", goal="shortest"),
        "credit, missing": lender.explain(frame.iloc[0]),
        "credit": lender.explain(frame.iloc[1], literals="intervals"),
        "cancer": clinic.explain(cell),
        "iris, no training rows": pw.Explainer(flowers_model(), literals="sets").explain(flower),
        "an expression": logic.explain({"A": 1, "X": 1.0}),
    }
    return {name: why.to_dict(witnesses=True, distribution=True) for name, why in whys.items()}
