"""Pictures that are hard to draw, for the tests of all plots, and what is read from a drawn figure."""

from __future__ import annotations

import calendar
import itertools

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from primewood.render import plots
from render.plots import records
from render.plots.records import LONG, explanation, interval, names, numbers, numeric

matplotlib.use("Agg")

MONTHS = list(calendar.month_name)[1:]
TOWNS = [f"a town with a long name {k}" for k in range(40)]


def odd():
    """An explanation with everything that is hard to draw."""
    return explanation(
        [
            names("month of the first payment", "May", "June", "July"),
            names("town", *TOWNS[3:30]),
            numbers("tiny", interval(1.2e-7, 3e-7)),
            numbers("huge", interval(None, 1.5e6, "right"), unit="$"),
            numbers("far out", interval(2.0, None)),
            numbers("pieces", *[interval(10.0 * k, 10.0 * k + 4) for k in range(9)]),
            numbers("slits", interval(None, 5.0), interval(5.001, 50.0), interval(50.0001, 50.0002)),
            numbers("constant $a$", interval(None, 3.5), missing=True),
            numbers(LONG, *[interval(k / 3, k / 3 + 0.1111111) for k in range(30)]),
        ],
        [
            records.categories("month of the first payment", "June", MONTHS, counts=list(range(12))),
            records.categories("town", TOWNS[7], TOWNS, counts=[k % 7 + 1 for k in range(40)]),
            numeric("tiny", 2e-7, 0.0, 1e-6),
            numeric("huge", 123456.0, 0.0, 1e6, unit="$"),
            numeric("far out", 1e4, 0.0, 3.0),
            numeric("pieces", 22.0, 0.0, 100.0),
            numeric("slits", 20.123456789012345, 0.0, 100.0),
            numeric("constant $a$", 3.0, 3.0, 3.0, missing_count=5),
            numeric(LONG, 5.0, 0.0, 10.0),
        ],
        status="interrupted",
        notes=["a note that says $something$ in dollars"],
    )


def anything():
    return explanation([], [numeric("age", 3.0, 0.0, 9.0), records.categories("b", "x", ["x", "y"])])


def of_an_expression():
    return explanation(
        [names("B", "r", "b"), numbers("X", interval(2.0, 6.0))], [], coverage=None, volume=None
    )


def without_rows():
    instance = [numeric("age", 25.0), numeric("income", 1e9), numeric("x", 3.0), numeric("y", None)]
    literals = [numbers("age", interval(20.0, 30.0)), numbers("income", interval(None, 30.0))]
    return explanation(literals, instance, coverage=None, volume=None)


def about_no_row():
    record = records.wide(5, 2)
    for entry in record["instance"]:
        entry.update(value=None, shown="")
    return record


def decide(part, decision, proved=False):
    ends = {"ends": records.shown(part)} if "low" in part else {}
    return {**part, **ends, "decision": decision, "proved": proved}


def strip(**changed):
    pieces = [
        decide(interval(None, 24.5, "right"), "declined"),
        decide(interval(24.5, 30.5, "right"), "approved"),
        decide(interval(30.5, 60.0, "right"), "approved", True),
        decide(interval(60.0, 61.0, "right"), "declined"),
        decide(interval(61.0, None, "neither"), None),
        decide({"missing": True}, "declined"),
    ]
    return records.what_if(pieces, **changed)


def strip_of_months():
    pieces = [decide({"values": [x]}, "approved" if len(x) > 5 else "declined", x < "K") for x in MONTHS]
    pieces.append(decide({"missing": True}, "approved"))
    return records.what_if(pieces, kind="categories", feature=LONG, unit="", value="May", shown="May")


def strip_of_many():
    rng = np.random.default_rng(0)
    ends = [None, *np.sort(rng.uniform(19, 75, 40)).tolist(), None]
    classes = [f"class {k}" for k in range(12)]
    pieces = [
        decide(interval(low, high, "right"), classes[rng.integers(12)])
        for low, high in itertools.pairwise(ends)
    ]
    return records.what_if(pieces, classes=classes, decision="class 4")


def map_of_names():
    axes = [
        {"feature": LONG, "unit": "", "kind": "categories", "value": None}
        | {
            "cells": [{"values": [x]} for x in TOWNS[:9]] + [{"missing": True}],
            "inside": [True] * 3 + [False] * 7,
        },
        {"feature": "month", "unit": "", "kind": "categories", "value": "May"}
        | {"cells": [{"values": [x]} for x in MONTHS], "inside": [True] * 12},
    ]
    decisions = [[(j * k) % 2 for k in range(12)] for j in range(10)]
    return records.decision_map(axes=axes, decisions=decisions)


HISTORY = [[0.001, None, None], [0.01, 2.0, None], [0.2, 2.0, 5.0], [1.0, 3.0, 4.0]]
SUMMARY = {"rows": 500, "decisions": {}, "features": {f"{LONG}_{k}": max(0, 500 - 12 * k) for k in range(60)}}
IMPORTANCE = {
    "rows": 10,
    "explained": 10,
    "tested": 10,
    "undecided": 0,
    "importance": [
        {"feature": "income", "in_explanations": 8, "flips_alone": 4},
        {"feature": "age", "in_explanations": 4, "flips_alone": 0},
        {"feature": "height", "in_explanations": 0, "flips_alone": 0},
    ],
}
SIZES = [
    explanation(odd()["literals"][:size], [], coverage=coverage)
    for size, coverage in [(1, 0.5), (1, 0.5), (1, 0.5), (2, 0.1), (3, 0.25), (3, 0.0), (0, None)]
]

CASES = {
    "credit": (plots.ranges, records.credit()),
    "without free features": (lambda x, **o: plots.ranges(x, free=False, **o), records.credit()),
    "many features": (plots.ranges, records.wide()),
    "many conditions": (plots.ranges, records.wide(14, 10)),
    "odd": (plots.ranges, odd()),
    "anything": (plots.ranges, anything()),
    "nothing": (plots.ranges, explanation([], [], coverage=None)),
    "an expression": (plots.ranges, of_an_expression()),
    "without rows": (plots.ranges, without_rows()),
    "about no row": (plots.ranges, about_no_row()),
    "side by side": (plots.side_by_side, [records.credit()] * 3),
    "odd side by side": (plots.side_by_side, [odd(), odd() | {"literals": odd()["literals"][4:]}]),
    "one anything": (plots.side_by_side, [anything()]),
    "what if": (plots.what_if, strip()),
    "what if it is missing": (plots.what_if, strip(value=None, shown="missing")),
    "what if, without rows": (plots.what_if, strip(low=None, high=None, value=1e6, shown="1000000 years")),
    "what if of names": (plots.what_if, strip_of_months()),
    "what if of many": (plots.what_if, strip_of_many()),
    "map": (plots.decision_map, records.decision_map()),
    "map of names": (plots.decision_map, map_of_names()),
    "use": (plots.feature_use, SUMMARY),
    "no use": (plots.feature_use, {"rows": 3, "decisions": {}, "features": {"a": 0, "b": 0}}),
    "importance": (plots.importance, IMPORTANCE),
    "no importance": (plots.importance, IMPORTANCE | {"importance": [], "undecided": 3, "explained": 7}),
    "coverage": (plots.coverage_by_size, SIZES),
    "conditions": (plots.conditions_by_assumption, {"all rows": SIZES, LONG: SIZES[:4], "none": SIZES[-1:]}),
    "growth": (plots.growth, explanation([], [], history=HISTORY, goal="shortest")),
    "growth at once": (plots.growth, explanation([], [], history=[[0.0, 3.0, 3.0]], goal="widest")),
    "growth without bound": (
        plots.growth,
        explanation([], [], history=[[0.2, 12.0, None], [0.3, 13.0, None]]),
    ),
}


def drawn(case, **options):
    plot, record = CASES[case]
    return plot(record, **options)


def artists(display, label):
    return [x for x in display.ax_.get_children() if x.get_label() == label]


def words(display):
    """All texts of a display that are seen; ticks beyond the ends of an axis are not."""
    ax = display.ax_
    hidden = set()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not ax.axison or not low <= tick.get_loc() <= high:
                hidden |= {tick.label1, tick.label2}
    found = ax.findobj(matplotlib.text.Text)
    return [x for x in found if x.get_visible() and x.get_text().strip() and x not in hidden]


def said(display):
    """All lines that are seen."""
    return [line for text in words(display) for line in text.get_text().split("\n")]


def boxes(display):
    """Where the texts are, in pixels; turned ones by the box of each, shrunk to their line."""
    FigureCanvasAgg(display.figure_).draw()
    return [(text.get_text(), text.get_window_extent(), text.get_rotation()) for text in words(display)]


def lane_span(display, name):
    (line,) = artists(display, f"_lane {name}")
    return line.get_xdata()


def is_inside(patch, x, y):
    """Whether a point lies in any of the outlines of a patch."""
    return any(
        matplotlib.path.Path(polygon).contains_point((x, y)) for polygon in patch.get_path().to_polygons()
    )


def middle(patch):
    low, high = patch.get_path().get_extents().intervaly
    return (low + high) / 2


def decision_at(display, x, y):
    areas = [p for p in display.ax_.patches if p.get_label().startswith("_decides")]
    (found,) = {p.get_label() for p in areas if is_inside(p, x, y)}
    return found.removeprefix("_decides ")


def letters(words):
    """Words without the breaks between their lines."""
    return "".join(str(words).split())


def says(display, said):
    """Whether one of the texts of a display says something, in however many lines."""
    return any(letters(said) in letters(text.get_text()) for text in words(display))
