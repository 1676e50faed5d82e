"""Plots: what is drawn is what the record says, on the axes that are given, with words that do not overlap."""

from __future__ import annotations

import calendar
import itertools
import json
import math
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.errors import InvalidInput, MissingDependency
from primewood.render import plots, text
from primewood.render.plots.lanes import Window
from primewood.render.plots.measure import text_width, wrapped
from render import plots_records as records
from render.plots_records import LONG, explanation, interval, names, numbers, numeric

matplotlib.use("Agg")

MONTHS = list(calendar.month_name)[1:]
TOWNS = [f"a town with a long name {k}" for k in range(40)]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


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


def decided(part, decision, proved=False):
    return {**part, "decision": decision, "proved": proved}


def strip(**changed):
    pieces = [
        decided(interval(None, 24.5, "right"), "declined"),
        decided(interval(24.5, 30.5, "right"), "approved"),
        decided(interval(30.5, 60.0, "right"), "approved", True),
        decided(interval(60.0, 61.0, "right"), "declined"),
        decided(interval(61.0, None, "neither"), None),
        decided({"missing": True}, "declined"),
    ]
    return records.what_if(pieces, **changed)


def strip_of_months():
    pieces = [decided({"values": [x]}, "approved" if len(x) > 5 else "declined", x < "K") for x in MONTHS]
    pieces.append(decided({"missing": True}, "approved"))
    return records.what_if(pieces, kind="categories", feature=LONG, unit="", value="May", shown="May")


def strip_of_many():
    rng = np.random.default_rng(0)
    ends = [None, *np.sort(rng.uniform(19, 75, 40)).tolist(), None]
    classes = [f"class {k}" for k in range(12)]
    pieces = [
        decided(interval(low, high, "right"), classes[rng.integers(12)])
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
    "growth": (plots.growth, explanation([], [], history=HISTORY, goal="shortest")),
    "growth at once": (plots.growth, explanation([], [], history=[[0.0, 3.0, 3.0]], goal="widest")),
    "growth without bound": (
        plots.growth,
        explanation([], [], history=[[0.2, 12.0, None], [0.3, 13.0, None]]),
    ),
}
every = pytest.mark.parametrize("case", CASES)


def drawn(case, **options):
    plot, record = CASES[case]
    return plot(record, **options)


def artists(display, label):
    return [x for x in display.ax_.get_children() if x.get_label() == label]


def words(display):
    """All texts of a display that are seen; ticks beyond the ends of an axis are not."""
    ax = display.ax_
    hidden = set()
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        for tick in axis.get_major_ticks():
            if not ax.axison or not low <= tick.get_loc() <= high:
                hidden |= {tick.label1, tick.label2}
    found = ax.findobj(matplotlib.text.Text)
    return [x for x in found if x.get_visible() and x.get_text().strip() and x not in hidden]


def said(display):
    return [text.get_text() for text in words(display)]


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


class TestAxes:
    @every
    def test_a_new_figure_is_made_and_named(self, case):
        display = drawn(case)
        assert display.ax_.figure is display.figure_ and display.figure_.axes == [display.ax_]
        assert plt.get_fignums() == [display.figure_.number]

    @every
    def test_axes_that_are_given_are_used_and_no_others(self, case):
        figure, (left, right) = plt.subplots(1, 2, figsize=(14, 7))
        plt.sca(right)
        settings, untouched = dict(matplotlib.rcParams), len(right.get_children())
        place = right.get_position().bounds
        display = drawn(case, ax=left)
        assert display.ax_ is left and display.figure_ is figure
        assert plt.get_fignums() == [figure.number] and plt.gca() is right
        assert figure.axes == [left, right] and len(right.get_children()) == untouched
        assert right.get_position().bounds == place
        assert not right.has_data() and len(figure.get_children()) == 3
        assert dict(matplotlib.rcParams) == settings

    @pytest.mark.parametrize("case", ["credit", "what if of names", "map", "use", "coverage", "growth"])
    @pytest.mark.parametrize("layout", ["constrained", "tight", None])
    def test_figures_without_pyplot(self, case, layout):
        ax = Figure(figsize=(9, 7), layout=layout).add_subplot()
        assert drawn(case, ax=ax).ax_ is ax and not plt.get_fignums()

    def test_axes_in_a_subfigure(self):
        ax = Figure(figsize=(12, 6)).subfigures(1, 2)[0].add_subplot()
        display = plots.ranges(records.credit(), ax=ax)
        assert display.figure_ is ax.figure

    @pytest.mark.parametrize(
        "case", ["odd", "odd side by side", "what if", "map of names", "coverage", "growth"]
    )
    @pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
    def test_it_can_be_saved(self, case, kind, tmp_path):
        drawn(case).figure_.savefig(tmp_path / f"plot.{kind}", dpi=40)
        assert (tmp_path / f"plot.{kind}").stat().st_size > 1000

    def test_something_else_than_axes_is_refused(self):
        with pytest.raises(InvalidInput, match=r"ax is an Axes of matplotlib, or None .* this is a Figure"):
            plots.ranges(records.credit(), ax=Figure())
        assert not plt.get_fignums()

    def test_nothing_appears_in_a_legend_of_the_user(self):
        display = plots.ranges(records.credit())
        assert display.ax_.get_legend_handles_labels() == ([], [])

    def test_the_height_follows_the_number_of_lanes(self):
        heights = [plots.ranges(records.wide(9, used)).figure_.get_figheight() for used in (1, 3, 9)]
        assert heights == sorted(heights) and heights[-1] > heights[0] + 1

    def test_matplotlib_is_loaded_late_and_pyplot_only_for_new_figures(self):
        code = (
            "import sys, primewood.render.plots as plots;"
            "assert 'matplotlib' not in sys.modules;"
            "from matplotlib.figure import Figure;"
            "plots.feature_use({'rows': 3, 'decisions': {}, 'features': {'a': 2}}, ax=Figure().add_subplot());"
            "assert 'matplotlib.pyplot' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True)

    @every
    def test_without_matplotlib_the_error_says_what_to_install(self, case, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(
            MissingDependency, match=r"plots need matplotlib: pip install 'primewood\[plots\]'"
        ):
            drawn(case)


class TestWords:
    @every
    def test_no_two_texts_overlap(self, case):
        for (a, first, turned), (b, second, _) in itertools.combinations(boxes(drawn(case)), 2):
            if not turned:
                assert not (first.padded(-0.7).overlaps(second.padded(-0.7))), (a, b)

    @every
    @pytest.mark.parametrize("size", [(9, 6), (5, 4)])
    def test_no_two_texts_overlap_on_axes_that_are_given_nor_are_they_cut_off(self, case, size):
        figure = Figure(figsize=size, dpi=200)
        found = boxes(drawn(case, ax=figure.add_subplot()))
        for words, place, _ in found:
            assert place.x0 >= 0 and place.x1 <= figure.bbox.x1, words
            assert place.y0 >= 0 and place.y1 <= figure.bbox.y1, words
        for (a, first, turned), (b, second, _) in itertools.combinations(found, 2):
            if not turned:
                assert not (first.padded(-1.5).overlaps(second.padded(-1.5))), (a, b)

    @every
    def test_nothing_is_cut_off(self, case):
        display = drawn(case)
        whole = display.figure_.bbox
        for words, place, _ in boxes(display):
            assert place.x0 >= whole.x0 and place.x1 <= whole.x1, words
            assert place.y0 >= whole.y0 and place.y1 <= whole.y1, words

    @every
    def test_dollars_are_no_formulas(self, case):
        assert not any(text.get_parse_math() and "$" in text.get_text() for text in words(drawn(case)))

    @pytest.mark.parametrize(
        "name", [LONG, "a b c d e f g h i j k l m n o p q r s t u v w", "x" * 90, "äöü/é-1.25"]
    )
    def test_lines_keep_every_letter_and_their_width(self, name):
        lines = wrapped(name, 1.0, 9, most=99)
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert all(text_width(line, 9) <= 1.0 for line in lines)

    def test_numbers_are_not_broken(self):
        assert "1.25" in " ".join(wrapped("between 1.25 and 3.75 percent", 0.4, 9, most=99)).split()

    def test_too_many_lines_end_with_dots(self):
        lines = wrapped(LONG * 5, 1.0, 9, most=2)
        assert len(lines) == 2 and lines[1].endswith("…") and text_width(lines[1], 9) <= 1.0


class TestWindow:
    def test_it_holds_what_must_be_seen_with_a_border(self):
        window = Window.around([0.0, 10.0, None], [12.0])
        assert window.low < 0 and window.high > 12
        assert 0 < window.place(0.0) < window.place(12.0) < 1

    def test_bounds_far_out_do_not_squeeze_it(self):
        assert Window.around([0.0, 10.0], [1e30, -1e30]) == Window.around([0.0, 10.0])

    @given(
        st.lists(st.floats(allow_nan=False), max_size=5),
        st.lists(st.floats(allow_nan=False), max_size=3),
        st.floats(allow_nan=False),
    )
    def test_places_lie_between_0_and_1_and_in_order(self, spans, others, x):
        window = Window.around(spans, others)
        assert window.low < window.high and math.isfinite(window.low) and math.isfinite(window.high)
        places = [window.place(y) for y in sorted([x, *spans, *others])]
        assert places == sorted(places) and all(0 <= place <= 1 for place in places)


numbers_in_window = st.integers(-40, 140).map(lambda k: k / 2)


class TestRanges:
    def test_the_features_of_the_rule_come_first_and_untested_ones_are_left_out(self):
        display = plots.ranges(records.credit())
        assert [x.feature for x in display.lanes] == [
            "checking account",
            "duration",
            "age",
            "housing",
            "amount",
        ]
        assert [x.is_free for x in display.lanes] == [False] * 3 + [True] * 2
        assert display.left_out == 0

    def test_bars_end_at_the_exact_ends(self):
        display = plots.ranges(records.credit())
        _, duration, age, *_ = display.lanes
        (bar,) = duration.bars
        assert bar.start == duration.window.place(34.5) and bar.end == 1.0
        assert bar.goes_on == (False, True) and bar.words == ("> 34.5", "")
        first, second = age.bars
        assert (first.start, first.end) == (0.0, age.window.place(29.5)) and first.goes_on == (True, False)
        assert (second.start, second.end) == (age.window.place(31.5), age.window.place(34.5))
        assert [bar.words for bar in age.bars] == [("", "< 29.5"), ("> 31.5", "<= 34.5")]

    @settings(max_examples=30)
    @given(
        st.lists(numbers_in_window, min_size=1, max_size=8, unique=True).map(sorted),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["left", "right"]),
    )
    def test_what_is_drawn_is_allowed_and_all_that_is_allowed_is_drawn(self, cuts, first, last, closed):
        ends = [None, *cuts, None]
        parts = [interval(*pair, closed) for pair in itertools.pairwise(ends)][not first :: 2]
        parts = parts[: None if last else -1] or [interval(None, cuts[0], closed)]
        record = explanation([numbers("x", *parts)], [numeric("x", 20.0, 0.0, 50.0)])
        display = plots.ranges(record, ax=Figure(figsize=(9, 3)).add_subplot())
        window, (left, right) = display.lanes[0].window, lane_span(display, "x")
        (patch,) = artists(display, "_allowed x")
        assert len(patch.get_path().to_polygons()) == len(parts)
        y = middle(patch)
        for x in np.linspace(window.low, window.high, 97)[1:-1]:
            if min(abs(x - cut) for cut in cuts) < 1e-6:
                continue
            allowed = any(float(x) in text.interval(part) for part in parts)
            assert is_inside(patch, left + window.place(x) * (right - left), y) == allowed, x

    def test_bars_beyond_the_window_are_clipped_and_go_on(self):
        part = [interval(-1e9, 2.0), interval(1e7, 1e8), interval(1e8 + 1, None)]
        display = plots.ranges(explanation([numbers("x", *part)], [numeric("x", 1.0, 0.0, 10.0)]))
        bars = display.lanes[0].bars
        assert [(bar.start, bar.end) for bar in bars[1:]] == [(1.0, 1.0)] * 2
        assert bars[0].start == 0.0 and bars[0].goes_on == (True, False)
        assert all(bar.goes_on == (False, True) for bar in bars[1:])

    def test_slivers_and_slits_are_seen(self):
        display = plots.ranges(odd())
        lane = next(x for x in display.lanes if x.feature == "slits")
        left, right = lane_span(display, "slits")
        thin = [
            ((x.get_xdata()[0] - left) / (right - left), x.get_color())
            for x in artists(display, "_allowed slits thin")
        ]
        expected = [(5.0005, "white"), (50.00015, "#0072B2"), (50.00005, "white")]
        assert sorted(thin) == [(pytest.approx(lane.window.place(x)), ink) for x, ink in sorted(expected)]

    def test_the_row_is_marked_where_it_is(self):
        display = plots.ranges(records.credit())
        (mark,) = artists(display, "_row duration")
        left, right = lane_span(display, "duration")
        assert mark.get_xdata()[0] == pytest.approx(
            left + display.lanes[1].window.place(36.0) * (right - left)
        )
        assert "36 months" in said(display)

    def test_a_row_outside_the_training_range_is_in_the_picture(self):
        window = plots.ranges(odd()).lanes[4].window
        assert window.low < 0 and window.high > 1e4

    def test_a_missing_value_is_marked_in_its_own_cell(self):
        display = plots.ranges(records.credit())
        (mark,) = artists(display, "_row age")
        (cell,) = artists(display, "_allowed age: missing")
        low, high = cell.get_path().get_extents().intervalx
        assert low < mark.get_xdata()[0] < high and display.lanes[2].mark is None
        assert lane_span(display, "age")[1] < low

    def test_missing_values_that_are_not_allowed_are_an_empty_cell(self):
        entry = numeric("x", 1.0, 0.0, 2.0, missing_count=4)
        display = plots.ranges(explanation([numbers("x", interval(None, 1.5))], [entry]))
        (cell,) = artists(display, "_excluded x: missing")
        assert cell.get_facecolor()[3] == 0 and not display.lanes[0].missing.allowed

    def test_no_cell_for_missing_values_where_none_is_known(self):
        display = plots.ranges(
            explanation([numbers("x", interval(None, 1.5))], [numeric("x", 1.0, 0.0, 2.0)])
        )
        assert display.lanes[0].missing is None and "missing" not in said(display)

    def test_categories_that_are_allowed_are_filled_and_the_others_are_not(self):
        display = plots.ranges(records.credit())
        kinds = {
            x.get_label(): x.get_facecolor()[3] for x in display.ax_.patches if "checking" in x.get_label()
        }
        assert kinds.pop("_rows checking account") == 1
        assert kinds == {
            "_allowed checking account: overdrawn": 1,
            "_allowed checking account: 0 to 200 DM": 1,
            "_excluded checking account: 200 DM or more": 0,
            "_excluded checking account: none": 0,
        }

    def test_the_own_category_is_outlined_and_marked(self):
        display = plots.ranges(records.credit())
        (mark,) = artists(display, "_row checking account")
        (own,) = artists(display, "_allowed checking account: overdrawn")
        (other,) = artists(display, "_allowed checking account: 0 to 200 DM")
        low, high = own.get_path().get_extents().intervalx
        assert low < mark.get_xdata()[0] < high and own.get_linewidth() > other.get_linewidth()

    def test_marks_do_not_hide_words(self):
        display = plots.ranges(records.credit())
        places = boxes(display)
        for mark in (line for line in display.ax_.lines if line.get_label().startswith("_row")):
            extent = mark.get_window_extent()
            assert not [name for name, place, _ in places if extent.padded(-0.5).overlaps(place)]

    def test_many_categories_are_counted_and_the_own_one_is_among_those_shown(self):
        display = plots.ranges(odd())
        (town,) = (x for x in display.lanes if x.feature == "town")
        assert len(town.cells) == 40
        cells = [x.get_label() for x in display.ax_.patches if " town: " in x.get_label()]
        assert len(cells) == 18 and f"_allowed town: {TOWNS[7]}" in cells
        shown = (
            sum(x.startswith("_allowed") for x in cells) - 1,
            sum(x.startswith("_excluded") for x in cells) - 1,
        )
        assert f"_allowed town: {27 - shown[0]} more" in cells
        assert f"_excluded town: {13 - shown[1]} more" in cells

    def test_the_histogram_is_that_of_the_record(self):
        record = records.credit()
        display = plots.ranges(record)
        histogram, lane = record["instance"][1]["histogram"], display.lanes[1]
        most = max(histogram["counts"])
        assert [x.height for x in lane.columns] == [count / most for count in histogram["counts"] if count]
        assert lane.columns[0].start == lane.window.place(histogram["edges"][0])
        (rows,) = artists(display, "_rows duration")
        (inside,) = artists(display, "_rows inside duration")
        left, right = lane_span(display, "duration")
        assert inside.get_path().get_extents().x0 == pytest.approx(left + lane.bars[0].start * (right - left))
        assert len(rows.get_path().to_polygons()) == len(lane.columns)

    def test_records_without_a_distribution_have_no_histogram(self):
        record = records.credit()
        for entry in record["instance"]:
            for key in ("histogram", "counts", "missing_count"):
                entry.pop(key, None)
        display = plots.ranges(record)
        assert not any(x.columns for x in display.lanes) and "training rows" not in said(display)

    @pytest.mark.parametrize(("used", "drawn", "left_out"), [(3, 9, 51), (0, 6, 54)])
    def test_at_most_six_free_features_are_drawn_and_the_others_are_counted(self, used, drawn, left_out):
        display = plots.ranges(records.wide(60, used))
        assert len(display.lanes) == drawn and display.left_out == left_out
        assert f"and {left_out} more free features" in said(display)

    def test_free_features_may_be_left_out(self):
        display = plots.ranges(records.credit(), free=False)
        assert len(display.lanes) == 3 and "and 2 free features" in said(display)

    def test_fewer_free_features_are_drawn_on_small_axes(self):
        display = plots.ranges(records.wide(60, 3), ax=Figure(figsize=(5, 3)).add_subplot())
        assert len(display.lanes) == 3 and display.left_out == 57

    def test_free_lanes_allow_everything(self):
        (bar,) = plots.ranges(records.credit()).lanes[-1].bars
        assert (bar.start, bar.end, bar.goes_on) == (0.0, 1.0, (True, True))

    def test_bounds_are_in_the_words_of_the_rule(self):
        found = said(plots.ranges(records.credit()))
        assert "> 34.5" in found and "< 29.5" in found

    def test_bounds_without_room_are_counted(self):
        literal = numbers("x", *[interval(k / 3, k / 3 + 0.1111111) for k in range(30)])
        found = said(plots.ranges(explanation([literal], [numeric("x", 5.0, 0.0, 10.0)])))
        (more,) = (x for x in found if x.startswith("and ") and x.endswith(" more bounds"))
        told = sum(", < " in x for x in found)
        assert told + int(more.split()[1]) == 30 and told > 5

    def test_long_numbers_are_shown_in_few_digits(self):
        assert "20.1235" in said(plots.ranges(odd()))

    def test_what_the_answer_rests_on_is_said(self):
        found = " ".join(said(plots.ranges(odd())))
        for line in text.circumstances(odd()):
            assert line in found

    def test_an_empty_explanation_says_so(self):
        assert "anything: no feature can change this decision" in said(plots.ranges(anything()))
        impossible = anything() | {"status": "impossible"}
        assert "anything" in said(plots.ranges(impossible))

    def test_no_row_no_mark(self):
        display = plots.ranges(about_no_row())
        assert not [x for x in display.ax_.lines if x.get_label().startswith("_row ")]
        assert "this row" not in said(display) and "missing" not in said(display)

    def test_saved_json_is_drawn_alike(self):
        record = records.credit()
        assert plots.ranges(json.loads(json.dumps(record))).lanes == plots.ranges(record).lanes


class TestSideBySide:
    WHYS = (
        explanation(
            [numbers("x", interval(1.0, None)), names("b", "p")],
            [
                numeric("x", 2.0, 0.0, 4.0),
                records.categories("b", "p", ["p", "q"]),
                numeric("y", 1.0, 0.0, 2.0),
            ],
        ),
        explanation(
            [numbers("x", interval(1.5, 6.0)), numbers("y", interval(None, 1.5))],
            [
                numeric("x", 2.0, 0.0, 4.0),
                records.categories("b", "p", ["p", "q"]),
                numeric("y", 1.0, 0.0, 2.0),
            ],
            coverage=0.05,
        ),
    )

    def test_lanes_are_the_features_that_any_uses(self):
        display = plots.side_by_side(self.WHYS)
        assert display.features == ("x", "b", "y") and not display.more
        free = [[x.is_free for x in column.lanes] for column in display.columns]
        assert free == [[False, False, True], [False, True, False]]
        assert said(display).count("free") == 2

    def test_windows_are_the_same_and_bars_the_exact_ranges(self):
        first, second = plots.side_by_side(self.WHYS).columns
        assert first.lanes[0].window == second.lanes[0].window
        window = first.lanes[0].window
        assert [bar.start for bar in first.lanes[0].bars] == [window.place(1.0)]
        assert [(bar.start, bar.end) for bar in second.lanes[0].bars] == [
            (window.place(1.5), window.place(6.0))
        ]

    def test_what_is_drawn_is_where_it_is_allowed(self):
        display = plots.side_by_side(self.WHYS)
        window = display.columns[0].lanes[0].window
        for number, part in ((1, interval(1.0, None)), (2, interval(1.5, 6.0))):
            (patch,) = artists(display, f"_allowed x {number}")
            left, right = lane_span(display, f"x {number}")
            for x in np.linspace(window.low, window.high, 60)[1:-1]:
                place = left + window.place(x) * (right - left)
                assert is_inside(patch, place, middle(patch)) == (float(x) in text.interval(part))

    def test_columns_say_size_and_coverage(self):
        found = said(plots.side_by_side(self.WHYS))
        assert found.count("2 features") == 2 and {"covers 30.7%", "covers 5.0%", ">= 1", "p"} <= set(found)
        assert ">= 1.5, < 6" in found

    def test_many_are_cut_and_endless_ones_are_not_awaited(self):
        display = plots.side_by_side(itertools.repeat(self.WHYS[0]))
        assert len(display.columns) == 6 and display.more and "the first 6 of more" in said(display)
        assert len(plots.side_by_side(itertools.repeat(self.WHYS[0]), most=2).columns) == 2

    def test_decisions_that_differ_are_told(self):
        other = self.WHYS[1] | {"decision": "declined"}
        found = said(plots.side_by_side([self.WHYS[0], other]))
        assert {"approved", "declined", "Why approved or declined: 2 explanations of one row"} <= set(found)

    def test_explanations_of_different_rows_are_refused(self):
        other = explanation([], [numeric("x", 2.5, 0.0, 4.0)])
        with pytest.raises(InvalidInput, match=r"of one row; here x is 2 in one and 2.5 in another"):
            plots.side_by_side([self.WHYS[0], other])
        assert not plt.get_fignums()


class TestWhatIf:
    def test_pieces_are_those_of_the_record(self):
        record = strip()
        display = plots.what_if(record)
        assert [x.decision for x in display.pieces] == [x["decision"] for x in record["pieces"]]
        assert [x.proved for x in display.pieces] == [False, False, True, False, False, False]
        place = display.window.place
        assert [x.bar.end for x in display.pieces[:4]] == [place(x) for x in (24.5, 30.5, 60.0, 61.0)]
        assert [x.own for x in display.pieces] == [False, False, True, False, False, False]
        assert display.mark == place(40.0) and display.pieces[-1].is_missing

    @pytest.mark.parametrize("record", [strip(), strip_of_many()], ids=["few", "many"])
    def test_each_place_has_the_colour_of_its_decision(self, record):
        display = plots.what_if(record)
        window, ax = display.window, display.ax_
        patches = [
            x for x in ax.patches if x.get_label().startswith("_decides ") and ": " not in x.get_label()
        ]
        left, right = _span_of(display)
        y = middle(patches[0])
        ends = [piece["high"] for piece in record["pieces"] if piece.get("high") is not None]
        for x in np.linspace(window.low, window.high, 301)[1:-1]:
            if min(abs(x - end) for end in ends) < 1e-6:
                continue
            (piece,) = (p for p in record["pieces"] if "low" in p and float(x) in text.interval(p))
            place = left + window.place(x) * (right - left)
            found = {p.get_label().removesuffix(" edge") for p in patches if is_inside(p, place, y)}
            assert found == {f"_decides {piece['decision']}"}

    def test_the_bar_of_what_is_proved(self):
        display = plots.what_if(strip())
        (bar,) = artists(display, "_proved")
        left, right = _span_of(display)
        ends = [left + display.window.place(x) * (right - left) for x in (30.5, 60.0)]
        assert list(bar.get_path().get_extents().intervalx) == pytest.approx(ends)

    def test_classes_differ_in_more_than_colour(self):
        patches = plots.what_if(strip()).ax_.patches
        hatches = {x.get_label(): x.get_hatch() for x in patches if x.get_label().startswith("_decides")}
        assert len({hatches[f"_decides {name}"] for name in ("approved", "declined", None)}) == 3

    def test_bounds_are_told_as_one_meets_them(self):
        assert {"<= 24.5", "<= 30.5", "> 60", "> 61"} <= set(said(plots.what_if(strip())))

    def test_bounds_are_in_the_words_of_the_record_where_it_has_some(self):
        record = strip()
        record["pieces"][0]["text"] = "age <= 24 years"
        assert "<= 24" in said(plots.what_if(record))

    def test_the_legend_says_what_is_there(self):
        found = said(plots.what_if(strip()))
        assert {"approved (as now)", "declined", "no such row, by the constraints"} <= set(found)
        assert {"proved: approved, whatever the free features are", "this row: 40 years"} <= set(found)

    def test_categories(self):
        record = strip_of_months()
        display = plots.what_if(record)
        for piece, month in zip(record["pieces"], MONTHS, strict=False):
            assert artists(display, f"_decides {piece['decision']}: {month}")
            assert bool(artists(display, f"_proved {month}")) == piece["proved"]
        assert [x.name for x in display.pieces if x.own] == ["May"] and display.window is None

    def test_a_category_called_missing_is_none(self):
        pieces = [decided({"values": ["missing"]}, "approved"), decided({"missing": True}, "declined")]
        display = plots.what_if(records.what_if(pieces, value="missing", shown="missing", kind="categories"))
        assert [(x.is_missing, x.own) for x in display.pieces] == [(False, True), (True, False)]

    def test_a_single_class(self):
        pieces = [decided(interval(None, None, "neither"), "approved", True)]
        display = plots.what_if(records.what_if(pieces, classes=["approved"]))
        (piece,) = display.pieces
        assert (piece.bar.start, piece.bar.end, piece.bar.goes_on) == (0.0, 1.0, (True, True))


def _span_of(display):
    """The ends of the strip, from the place of the mark and of the proved bar, or of all areas."""
    areas = [
        x for x in display.ax_.patches if x.get_label().startswith("_decides ") and ": " not in x.get_label()
    ]
    left = min(x.get_path().vertices[:, 0].min() for x in areas) + 0.09
    right = max(x.get_path().vertices[:, 0].max() for x in areas) - 0.09
    (mark,) = artists(display, "_row")
    assert mark.get_xdata()[0] == pytest.approx(left + display.mark * (right - left))
    return left, right


class TestDecisionMap:
    def test_each_place_has_the_colour_of_its_decision(self):
        record = records.decision_map()
        display = plots.decision_map(record)
        xs = [-1.0, 24.4, 24.6, 30.4, 30.6, 70.0]
        window = display.x.window
        for x, (k, b) in itertools.product(xs, enumerate(record["axes"][1]["cells"])):
            if not window.low < x < window.high:
                continue
            (place,) = (
                i for i, cell in enumerate(record["axes"][0]["cells"][:3]) if x in text.interval(cell)
            )
            assert _decision_at(display, x, k + 0.5) == record["classes"][record["decisions"][place][k]], b

    def test_missing_values_have_their_room_beside_the_numbers(self):
        display = plots.decision_map(records.decision_map())
        missing = display.x.spans[-1]
        assert missing.start > display.x.window.high and missing.name == "missing"
        x = (missing.start + missing.end) / 2
        assert [_decision_at(display, x, y) for y in (0.5, 1.5, 2.5)] == ["declined", "None", "approved"]

    def test_the_window_holds_the_training_range_and_the_row(self):
        record = records.decision_map()
        record["axes"][0]["value"] = 1000.0
        display = plots.decision_map(record)
        low, high = display.ax_.get_xlim()
        assert low < 19 and high > 1000
        (mark,) = artists(display, "_row")
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (1000.0, 2.5)

    def test_without_training_rows_the_cuts_are_in_the_window(self):
        record = records.decision_map()
        record["axes"][0].update(low=None, high=None)
        low, high = plots.decision_map(record).ax_.get_xlim()
        assert low < 24.5 and high > 40

    def test_the_box_is_the_explanations_and_open_where_it_goes_on(self):
        display = plots.decision_map(records.decision_map())
        edges = {tuple(zip(*line.get_data(), strict=True)) for line in artists(display, "_box")}
        high = display.x.window.high
        expected = [((30.5, 1.0), (high, 1.0)), ((high, 3.0), (30.5, 3.0)), ((30.5, 3.0), (30.5, 1.0))]
        assert edges == set(expected)

    def test_the_row_may_be_missing(self):
        record = records.decision_map()
        record["axes"][0]["value"] = None
        display = plots.decision_map(record)
        assert display.x.mark == (display.x.spans[-1].start + display.x.spans[-1].end) / 2

    def test_the_legend_has_all_that_is_there(self):
        display = plots.decision_map(records.decision_map())
        shown = [x.get_text() for x in display.ax_.get_legend().get_texts()]
        expected = [
            "declined",
            "approved",
            "no such row, by the constraints",
            "proved by the rule",
            "this row",
        ]
        assert shown == expected
        hatches = [patch.get_hatch() or "" for patch in display.ax_.get_legend().get_patches()[:3]]
        assert len(set(hatches)) == 3

    def test_names_that_begin_with_an_underscore_are_shown(self):
        display = plots.decision_map(records.decision_map(classes=["_a", "_b"], decision="_b"))
        shown = [x.get_text().strip() for x in display.ax_.get_legend().get_texts()]
        assert shown[:2] == ["_a", "_b"]

    def test_a_table_of_the_wrong_shape_is_refused(self):
        with pytest.raises(InvalidInput, match="one list per cell of the first feature"):
            plots.decision_map(records.decision_map(decisions=[[0, 1]]))


def _decision_at(display, x, y):
    areas = [p for p in display.ax_.patches if p.get_label().startswith("_decides")]
    (found,) = {p.get_label() for p in areas if is_inside(p, x, y)}
    return found.removeprefix("_decides ")


class TestFeatureUse:
    def test_bars_are_as_long_as_the_counts(self):
        features = {"a": 4, "b": 0, "c": 8}
        display = plots.feature_use({"rows": 10, "decisions": {}, "features": features})
        assert list(display.counts.items()) == [("c", 8), ("a", 4)] and display.rows == 10
        assert (display.left_out, display.unused) == (0, 1)
        widths = {name: artists(display, f"_use {name}")[0].get_path().get_extents().width for name in "ac"}
        assert widths["c"] == pytest.approx(2 * widths["a"])
        assert "8  (80.0%)" in said(display)

    def test_the_most_used_ones_are_drawn(self):
        display = plots.feature_use(SUMMARY, most=5)
        assert list(display.counts.values()) == [500, 488, 476, 464, 452] and display.left_out == 37
        assert "and 37 more features, used less often" in said(display)

    def test_a_batch_is_taken_as_its_record(self):
        record = {"summary": SUMMARY, "explanations": [records.credit()]}
        assert plots.feature_use(record).counts == plots.feature_use(SUMMARY).counts

    @pytest.mark.parametrize("most", [0, -1, 2.5, True, "all"])
    def test_most_is_a_whole_number(self, most):
        with pytest.raises(InvalidInput, match="most is how many features are drawn"):
            plots.feature_use(SUMMARY, most=most)


class TestImportance:
    def test_bars_are_as_long_as_the_counts(self):
        display = plots.importance(IMPORTANCE)
        assert display.in_explanations == {"income": 8, "age": 4} and display.flips_alone == {
            "income": 4,
            "age": 0,
        }
        assert (display.left_out, display.unused) == (0, 1)
        mentioned, flips = (
            artists(display, f"_{kind} income")[0].get_path().get_extents().width
            for kind in ("in_explanations", "flips_alone")
        )
        assert mentioned == pytest.approx(2 * flips)
        assert "8, 4 alone" in said(display) and "1 feature in no explanation" in said(display)

    def test_it_says_what_the_counts_are_not(self):
        said_there = " ".join(said(plots.importance(IMPORTANCE)))
        assert "not effect sizes" in said_there and "may still matter for other rows" in said_there

    def test_the_most_frequent_ones_are_drawn(self):
        display = plots.importance(IMPORTANCE, most=1)
        assert list(display.in_explanations) == ["income"] and display.left_out == 1
        assert "and 1 more feature, in fewer explanations" in said(display)

    def test_rows_that_are_undecided_are_told(self):
        record = IMPORTANCE | {"explained": 9, "undecided": 1}
        assert any("1 row undecided in time" in line for line in said(plots.importance(record)))

    @pytest.mark.parametrize("most", [0, True, "all"])
    def test_most_is_a_whole_number(self, most):
        with pytest.raises(InvalidInput, match="most is how many features are drawn"):
            plots.importance(IMPORTANCE, most=most)


class TestCoverageBySize:
    def test_one_dot_per_explanation_and_larger_where_several_coincide(self):
        display = plots.coverage_by_size(SIZES)
        assert display.dots == {(1, 0.5): 3, (2, 0.1): 1, (3, 0.25): 1, (3, 0.0): 1} and display.left_out == 1
        (dots,) = artists(display, "_explanations")
        places = [tuple(place) for place in dots.get_offsets().tolist()]
        assert sorted(places) == sorted(display.dots)
        areas = dict(zip(places, dots.get_sizes(), strict=True))
        assert areas[1.0, 0.5] > areas[2.0, 0.1] == areas[3.0, 0.0]

    def test_all_dots_are_in_the_picture(self):
        display = plots.coverage_by_size(SIZES)
        (low, high), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
        assert low < 1 and high > 3 and bottom <= 0 and top > 0.5
        assert "1 without training rows left out" in " ".join(display.ax_.get_title("left").split())

    def test_a_batch_is_taken_as_its_record(self):
        record = {"summary": SUMMARY, "explanations": SIZES}
        assert plots.coverage_by_size(record).dots == plots.coverage_by_size(SIZES).dots

    def test_explanations_without_coverage_are_refused(self):
        with pytest.raises(InvalidInput, match="no coverage: give the explainer training rows"):
            plots.coverage_by_size([SIZES[-1]])


class TestGrowth:
    RECORD = explanation([], [], history=HISTORY, goal="shortest")

    def test_steps_are_those_of_the_record(self):
        display = plots.growth(self.RECORD)
        assert display.seconds == (0.001, 0.01, 0.2, 1.0)
        assert display.lower == (None, 2.0, 2.0, 3.0) and display.upper == (None, None, 5.0, 4.0)
        (lower,) = artists(display, "_lower")
        (upper,) = artists(display, "_upper")
        np.testing.assert_array_equal(lower.get_ydata(), [np.nan, 2, 2, 3, 3])
        np.testing.assert_array_equal(upper.get_ydata(), [np.nan, np.nan, 5, 4, 4])
        assert list(lower.get_xdata()[:4]) == list(display.seconds) and lower.get_drawstyle() == "steps-post"

    def test_marks_where_a_bound_moved(self):
        (moves,) = artists(plots.growth(self.RECORD), "_lower moves")
        assert moves.get_xydata().tolist() == [[0.01, 2.0], [1.0, 3.0]]

    def test_what_is_not_bounded_is_open_to_the_edge(self):
        display = plots.growth(self.RECORD)
        bottom, top = display.ax_.get_ylim()
        extents = [x.get_paths()[0].get_extents() for x in artists(display, "_open")]
        assert [(x.y0, x.y1) for x in extents] == [(bottom, top), (2.0, top)]
        assert all(x.get_hatch() for x in artists(display, "_open"))
        gaps = [x.get_paths()[0].get_extents() for x in artists(display, "_gap")]
        assert [(x.y0, x.y1) for x in gaps] == [(2.0, 5.0), (3.0, 4.0)]

    def test_time_on_either_scale(self):
        assert plots.growth(self.RECORD).ax_.get_xscale() == "log"
        assert plots.growth(self.RECORD, log=False).ax_.get_xscale() == "linear"

    @pytest.mark.parametrize(
        ("history", "goal", "title"),
        [
            (HISTORY, "shortest", "Shortest explanation: between 3 and 4 after 1 s"),
            ([[0.0153, 2.0, 2.0]], "shortest", "Shortest explanation: 2, proved after 15 ms"),
            ([[0.5, 12.0, None]], "widest", "Widest explanation: at least 12 after 0.5 s"),
            ([[0.5, None, 12.0]], None, "Best explanation: at most 12 after 0.5 s"),
            ([[0.5, None, None]], None, "Best explanation: not bounded after 0.5 s"),
        ],
    )
    def test_the_title_says_how_it_ended(self, history, goal, title):
        display = plots.growth(explanation([], [], history=history, goal=goal))
        assert display.ax_.get_title("left") == title

    def test_the_legend_says_what_the_bounds_are(self):
        shortest = plots.growth(self.RECORD).ax_.get_legend().get_texts()
        widest = plots.growth(self.RECORD | {"goal": "widest"}).ax_.get_legend().get_texts()
        neutral = plots.growth(self.RECORD | {"goal": None}).ax_.get_legend().get_texts()
        assert [x.get_text() for x in shortest[:2]] == ["shortest found so far", "none is shorter"]
        assert [x.get_text() for x in widest[:2]] == ["none is wider", "widest found so far"]
        assert [x.get_text() for x in neutral[:2]] == ["upper bound", "lower bound"]

    def test_an_answer_without_history_is_refused(self):
        with pytest.raises(
            InvalidInput, match=r'ask for goal="shortest" or goal="widest"; this answer has none'
        ):
            plots.growth(records.credit())


class TestOtherThings:
    @pytest.mark.parametrize(
        ("plot", "given", "message"),
        [
            (plots.ranges, 3, r"ranges takes an explanation, or its to_dict\(\); this int is none"),
            (
                plots.ranges,
                {"decision": 1},
                r"this dict is none: it has no status, literal_language, literals",
            ),
            (plots.ranges, strip(), "this is a what-if strip, which is drawn by what_if"),
            (
                plots.ranges,
                {"summary": {}, "explanations": []},
                r"this is a batch.*take one of it, batch\[0\]",
            ),
            (plots.growth, SUMMARY, "this is a summary of a batch, which is drawn by feature_use"),
            (plots.what_if, records.credit(), "what_if takes a what-if strip.*which is drawn by ranges"),
            (plots.what_if, None, "this NoneType is none"),
            (plots.decision_map, strip(), "decision_map takes a decision map.*drawn by what_if"),
            (plots.feature_use, records.credit(), "feature_use takes a summary of a batch.*drawn by ranges"),
            (
                plots.side_by_side,
                records.credit(),
                "side_by_side takes several explanations.*drawn by ranges",
            ),
            (plots.side_by_side, "text", "side_by_side takes several explanations.*this str is none"),
            (plots.side_by_side, [], "side_by_side takes at least one explanation; there is none"),
            (plots.side_by_side, [records.credit(), 4], "each of the explanations in side_by_side takes"),
            (plots.coverage_by_size, 7, "coverage_by_size takes several explanations.*this int is none"),
        ],
    )
    def test_a_message_says_what_is_taken(self, plot, given, message):
        with pytest.raises(InvalidInput, match=message):
            plot(given)
        assert not plt.get_fignums()


@pytest.fixture(scope="module")
def flowers():
    """A model, its explainer and a row."""
    iris = load_iris()
    forest = RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0).fit(iris.data, iris.target)
    options = {"feature_names": iris.feature_names, "class_names": iris.target_names}
    return forest, pw.Explainer(forest, iris.data, **options), iris.data[113]


class TestLiveAnswers:
    """The pictures agree with the model itself."""

    def test_ranges(self, flowers):
        _, explainer, row = flowers
        why = explainer.explain(row)
        display = plots.ranges(why)
        record = why.to_dict(distribution=True)
        for literal, lane in zip(record["literals"], display.lanes, strict=False):
            places = [
                tuple(map(lane.window.place, (x["low"], x["high"]), (0.0, 1.0))) for x in literal["intervals"]
            ]
            assert [(bar.start, bar.end) for bar in lane.bars] == places
            assert all(lane.columns) and lane.bars[0].words[0] in literal["text"]
        assert display.lanes == plots.ranges(record).lanes
        assert why.plot().lanes == display.lanes

    @pytest.mark.parametrize("feature", range(4))
    def test_what_if(self, flowers, feature):
        forest, explainer, row = flowers
        name = load_iris().feature_names[feature]
        display = plots.what_if(explainer.what_if(row, name))
        window = display.window
        numbers = np.linspace(window.low, window.high, 200)[1:-1]
        rows = np.tile(row, (len(numbers), 1))
        rows[:, feature] = numbers
        decisions = load_iris().target_names[forest.predict(rows)]
        for x, decision in zip(numbers, decisions, strict=True):
            place = window.place(x)
            found = {p.decision for p in display.pieces if p.bar and p.bar.start <= place <= p.bar.end}
            assert decision in found

    def test_decision_map(self, flowers):
        forest, explainer, row = flowers
        display = plots.decision_map(explainer.decision_map(row, ("petal length (cm)", "petal width (cm)")))
        (low, high), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
        rng = np.random.default_rng(0)
        rows = np.tile(row, (300, 1))
        rows[:, 2], rows[:, 3] = rng.uniform(low, high, 300), rng.uniform(bottom, top, 300)
        decisions = load_iris().target_names[forest.predict(rows)]
        for x, y, decision in zip(rows[:, 2], rows[:, 3], decisions, strict=True):
            assert _decision_at(display, x, y) == decision

    def test_batches_and_searches(self, flowers):
        _, explainer, row = flowers
        batch = explainer(load_iris().data[::10])
        display = plots.feature_use(batch)
        used = [name for why in batch for name in why.features]
        assert display.counts == {name: used.count(name) for name in display.counts} and display.rows == 15
        assert sum(plots.coverage_by_size(batch).dots.values()) == 15
        assert len(plots.side_by_side(explainer.explanations(row)).columns) == 3
        why = explainer.explain(row, goal="shortest")
        assert why.history
        display = plots.growth(why)
        assert list(zip(display.seconds, display.lower, display.upper, strict=True)) == list(why.history)
