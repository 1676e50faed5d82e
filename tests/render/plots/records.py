"""Records of answers, made by hand, for the tests of plots."""

from __future__ import annotations

import numpy as np

from primewood.logic.interval import number
from primewood.render import text

LONG = "average_daily_balance_of_the_last_quarter"


def interval(low, high, closed="left"):
    return {"low": low, "high": high, "closed": closed}


def shown(part):
    """The bounds of an interval as they are shown, with all digits."""
    low, high, closed = part["low"], part["high"], part["closed"]
    above, below = ">=" if closed in ("left", "both") else ">", "<=" if closed in ("right", "both") else "<"
    return {
        "low": None if low is None else [above, number(low)],
        "high": None if high is None else [below, number(high)],
    }


def numbers(name, *parts, unit="", missing=False):
    """A literal over a numeric feature."""
    ends = [shown(part) for part in parts]
    words = [text.write_piece(name, *each.values(), unit) for each in ends]
    words += [f"{name} is missing"] if missing else []
    said = {"feature": name, "unit": unit, "missing": missing, "intervals": list(parts), "ends": ends}
    return said | {"shown": words, "text": text.join_pieces(words)}


def names(name, *values, missing=False):
    """A literal over categories."""
    held = [*values, *(["missing"] if missing else [])]
    said = {"feature": name, "unit": "", "missing": missing, "values": list(values), "shown": held}
    return said | {"condition": text.write_condition(held, ()), "text": text.write_choice(name, held, ())}


def numeric(name, value, low=None, high=None, *, unit="", tested=True, rows=None, missing_count=None):
    """A numeric feature of an instance; `rows` are training numbers, for the histogram."""
    shown = "missing" if value is None else f"{number(value)} {unit}".rstrip()
    entry = {
        "feature": name,
        "unit": unit,
        "value": value,
        "shown": shown,
        "tested": tested,
        "kind": "numeric",
    }
    if rows is not None:
        counts, edges = np.histogram(rows, 20)
        low, high = float(np.min(rows)), float(np.max(rows))
        entry["histogram"] = {"edges": edges.tolist(), "counts": counts.tolist()}
    return entry | {"low": low, "high": high, "missing_count": missing_count}


def categories(name, value, values, *, tested=True, counts=None, missing_count=None):
    """A categorical feature of an instance."""
    entry = {"feature": name, "unit": "", "value": value, "shown": "missing" if value is None else value}
    entry |= {"tested": tested, "kind": "categories", "values": list(values), "counts": counts}
    return entry | {"missing_count": missing_count}


def explanation(literals, instance, **changed):
    """The record of an explanation."""
    return {
        "decision": "approved",
        "status": "proved",
        "literal_language": "sets",
        "score": None,
        "literals": list(literals),
        "coverage": 0.307,
        "volume": 0.114,
        "queries": 12,
        "vote": None,
        "model": None,
        "assumptions": ["no value is missing"],
        "notes": [],
        "bounds": None,
        "history": [],
        "instance": list(instance),
        **changed,
    }


def credit():
    """An explanation with all kinds of features, over training rows."""
    rng = np.random.default_rng(0)
    accounts = ["overdrawn", "0 to 200 DM", "200 DM or more", "none"]
    return explanation(
        [
            names("checking account", "overdrawn", "0 to 200 DM"),
            numbers("duration", interval(34.5, None, "neither"), unit="months"),
            numbers("age", interval(None, 29.5), interval(31.5, 34.5, "right"), unit="years", missing=True),
        ],
        [
            categories("checking account", "overdrawn", accounts, counts=[270, 260, 60, 400]),
            numeric("duration", 36.0, unit="months", rows=rng.gamma(3, 8, 500)),
            categories("housing", "free", ["rented", "free", "owned"], counts=[100, 50, 300]),
            numeric("age", None, unit="years", rows=rng.normal(40, 9, 300), missing_count=60),
            numeric("amount", 4000.0, unit="DM", rows=rng.lognormal(8, 1, 500)),
            numeric("postcode", 1.0, 0.0, 9.0, tested=False),
        ],
    )


def wide(count=60, used=3):
    """An explanation of a model with many features with long names."""
    rng = np.random.default_rng(1)
    titles = [f"{LONG}_{k:02}" for k in range(count)]
    entries = [numeric(name, float(rng.normal()), rows=rng.normal(size=100)) for name in titles]
    return explanation([numbers(name, interval(-5.0, 5.0)) for name in titles[:used]], entries)


def what_if(pieces, **changed):
    """The record of a what-if strip."""
    return {
        "feature": "age",
        "unit": "years",
        "kind": "numeric",
        "value": 40.0,
        "shown": "40 years",
        "decision": "approved",
        "low": 19.0,
        "high": 75.0,
        "pieces": pieces,
        "classes": ["declined", "approved"],
        "rule": "IF age >= 30 years THEN approved",
        **changed,
    }


def decision_map(**changed):
    """The record of a decision map of a numeric feature, which may be missing, and a categorical one."""
    cuts = [interval(None, 24.5, "right"), interval(24.5, 30.5, "right"), interval(30.5, None, "neither")]
    age = {"feature": "age", "unit": "years", "kind": "numeric", "value": 40.0, "low": 19.0, "high": 75.0}
    housing = {"feature": "housing", "unit": "", "kind": "categories", "value": "owned"}
    return {
        "axes": [
            age | {"cells": [*cuts, {"missing": True}], "inside": [False, False, True, False]},
            housing
            | {
                "cells": [{"values": [x]} for x in ("rented", "free", "owned")],
                "inside": [False, True, True],
            },
        ],
        "decisions": [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, None, 1]],
        "classes": ["declined", "approved"],
        "decision": "approved",
        "rule": "IF age >= 31 years AND housing is free or owned THEN approved",
        **changed,
    }
