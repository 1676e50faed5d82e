"""The ranges of one explanation: what is drawn is what the record says."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from primewood.render import plots, text
from render.plots import records
from render.plots.cases import (
    TOWNS,
    about_no_row,
    anything,
    artists,
    boxes,
    is_inside,
    lane_span,
    middle,
    odd,
    said,
    says,
)
from render.plots.records import explanation, interval, numbers, numeric

numbers_in_window = st.integers(-40, 140).map(lambda k: k / 2)


def test_the_features_of_the_rule_come_first_and_untested_ones_are_left_out():
    display = plots.ranges(records.credit())
    assert [x.feature for x in display.tracks] == [
        "checking account",
        "duration",
        "age",
        "housing",
        "amount",
    ]
    assert [x.is_free for x in display.tracks] == [False] * 3 + [True] * 2
    assert display.left_out == 0


def test_bars_end_at_the_exact_ends():
    duration, age = (track.picture for track in plots.ranges(records.credit()).tracks[1:3])
    (bar,) = duration.bars
    assert bar.start == duration.scale.place(34.5) and bar.end == 1.0 and bar.goes_on == (False, True)
    first, second = age.bars
    place = age.scale.place
    assert (first.start, first.end) == (0.0, place(29.5)) and first.goes_on == (True, False)
    assert (second.start, second.end) == (place(31.5), place(34.5)) and second.goes_on == (False, False)


@settings(max_examples=30)
@given(
    st.lists(numbers_in_window, min_size=1, max_size=8, unique=True).map(sorted),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["left", "right"]),
)
def test_what_is_drawn_is_allowed_and_all_that_is_allowed_is_drawn(cuts, first, last, closed):
    ends = [None, *cuts, None]
    parts = [interval(*pair, closed) for pair in itertools.pairwise(ends)][not first :: 2]
    parts = parts[: None if last else -1] or [interval(None, cuts[0], closed)]
    record = explanation([numbers("x", *parts)], [numeric("x", 20.0, 0.0, 50.0)])
    display = plots.ranges(record, ax=Figure(figsize=(9, 3)).add_subplot())
    scale, (left, right) = display.tracks[0].picture.scale, lane_span(display, "x")
    (patch,) = artists(display, "_allowed x")
    assert len(patch.get_path().to_polygons()) == len(parts)
    y = middle(patch)
    for x in np.linspace(scale.low - 30, scale.high + 30, 97):
        if min(abs(x - cut) for cut in cuts) < 1e-6:
            continue
        allowed = any(float(x) in text.read_interval(part) for part in parts)
        assert is_inside(patch, left + scale.place(x) * (right - left), y) == allowed, x


def test_bars_beyond_the_training_range_are_drawn_in_order_and_only_open_ones_go_on():
    part = [interval(-1e9, 2.0), interval(1e7, 1e8), interval(1e8 + 1, None)]
    display = plots.ranges(explanation([numbers("x", *part)], [numeric("x", 1.0, 0.0, 10.0)]))
    bars = display.tracks[0].picture.bars
    ends = [end for bar in bars for end in (bar.start, bar.end)]
    assert ends == sorted(ends) and bars[0].start > 0 and bars[1].start < bars[1].end < 1.0
    assert [bar.goes_on for bar in bars] == [(False, False), (False, False), (False, True)]
    (patch,) = artists(display, "_allowed x")
    left, right = lane_span(display, "x")
    extent = patch.get_path().get_extents()
    assert extent.x0 >= left and extent.x1 > right


def test_slivers_and_slits_are_seen():
    display = plots.ranges(odd())
    lane = next(x for x in display.tracks if x.feature == "slits").picture
    left, right = lane_span(display, "slits")
    thin = [
        ((x.get_xdata()[0] - left) / (right - left), x.get_color())
        for x in artists(display, "_allowed slits thin")
    ]
    expected = [(5.0005, "white"), (50.00015, "#0072B2"), (50.00005, "white")]
    assert sorted(thin) == [(pytest.approx(lane.scale.place(x)), ink) for x, ink in sorted(expected)]


def test_the_row_is_marked_where_it_is():
    display = plots.ranges(records.credit())
    (mark,) = artists(display, "_row duration")
    left, right = lane_span(display, "duration")
    assert mark.get_xdata()[0] == pytest.approx(
        left + display.tracks[1].picture.scale.place(36.0) * (right - left)
    )
    assert "36 months" in said(display)


def test_a_row_outside_the_training_range_is_in_the_picture_and_told():
    display = plots.ranges(odd())
    (mark,) = artists(display, "_row far out")
    left, right = lane_span(display, "far out")
    (last,) = (track.picture.ticks[-1].place for track in display.tracks if track.feature == "far out")
    assert left + last * (right - left) < mark.get_xdata()[0] < right
    assert says(display, "10000, above the training range")


def test_a_missing_value_is_marked_in_its_own_cell():
    display = plots.ranges(records.credit())
    (mark,) = artists(display, "_row age")
    (cell,) = artists(display, "_allowed age: missing")
    low, high = cell.get_path().get_extents().intervalx
    assert low < mark.get_xdata()[0] < high and display.tracks[2].picture.mark is None
    assert lane_span(display, "age")[1] < low


def test_missing_values_that_are_not_allowed_are_an_empty_cell():
    entry = numeric("x", 1.0, 0.0, 2.0, missing_count=4)
    display = plots.ranges(explanation([numbers("x", interval(None, 1.5))], [entry]))
    (cell,) = artists(display, "_excluded x: missing")
    assert cell.get_facecolor()[3] == 0 and not display.tracks[0].missing.allowed


def test_no_cell_for_missing_values_where_none_is_known():
    display = plots.ranges(explanation([numbers("x", interval(None, 1.5))], [numeric("x", 1.0, 0.0, 2.0)]))
    assert display.tracks[0].missing is None and "missing" not in said(display)


def test_categories_that_are_allowed_are_filled_and_the_others_are_not():
    display = plots.ranges(records.credit())
    kinds = {x.get_label(): x.get_facecolor()[3] for x in display.ax_.patches if "checking" in x.get_label()}
    assert kinds.pop("_rows checking account") == 1
    assert kinds == {
        "_allowed checking account: overdrawn": 1,
        "_allowed checking account: 0 to 200 DM": 1,
        "_excluded checking account: 200 DM or more": 0,
        "_excluded checking account: none": 0,
    }


def test_the_own_category_is_outlined_and_marked():
    display = plots.ranges(records.credit())
    (mark,) = artists(display, "_row checking account")
    (own,) = artists(display, "_allowed checking account: overdrawn")
    (other,) = artists(display, "_allowed checking account: 0 to 200 DM")
    low, high = own.get_path().get_extents().intervalx
    assert low < mark.get_xdata()[0] < high and own.get_linewidth() > other.get_linewidth()


def test_marks_do_not_hide_words():
    display = plots.ranges(records.credit())
    places = boxes(display)
    for mark in (line for line in display.ax_.lines if line.get_label().startswith("_row")):
        extent = mark.get_window_extent()
        assert not [name for name, place, _ in places if extent.padded(-0.5).overlaps(place)]


def test_many_categories_are_counted_and_the_own_one_is_among_those_shown():
    display = plots.ranges(odd())
    (town,) = (x for x in display.tracks if x.feature == "town")
    assert len(town.picture.every) == 40
    cells = [x.get_label() for x in display.ax_.patches if " town: " in x.get_label()]
    assert len(cells) == 18 and f"_allowed town: {TOWNS[7]}" in cells
    shown = (
        sum(x.startswith("_allowed") for x in cells) - 1,
        sum(x.startswith("_excluded") for x in cells) - 1,
    )
    assert f"_allowed town: {27 - shown[0]} more" in cells
    assert f"_excluded town: {13 - shown[1]} more" in cells


def test_the_histogram_is_that_of_the_record():
    record = records.credit()
    display = plots.ranges(record)
    histogram, lane = record["instance"][1]["histogram"], display.tracks[1].picture
    most = max(histogram["counts"])
    heights = [count / most for count in histogram["counts"] if count]
    assert [x.height for x in lane.columns] == pytest.approx(heights)
    assert lane.columns[0].start == lane.scale.place(histogram["edges"][0])
    (rows,) = artists(display, "_rows duration")
    (inside,) = artists(display, "_rows inside duration")
    left, right = lane_span(display, "duration")
    assert inside.get_path().get_extents().x0 == pytest.approx(left + lane.bars[0].start * (right - left))
    drawn = [np.ptp(polygon[:, 1]) for polygon in rows.get_path().to_polygons()]
    assert np.array(drawn) / max(drawn) == pytest.approx(heights)


def test_records_without_a_distribution_have_no_histogram():
    record = records.credit()
    for entry in record["instance"]:
        for key in ("histogram", "counts", "missing_count"):
            entry.pop(key, None)
    display = plots.ranges(record)
    assert not any(
        x.is_numeric and x.picture.columns for x in display.tracks
    ) and "training rows" not in said(display)


@pytest.mark.parametrize(("used", "drawn", "left_out"), [(3, 9, 51), (0, 6, 54)])
def test_at_most_six_free_features_are_drawn_and_the_others_are_counted(used, drawn, left_out):
    display = plots.ranges(records.wide(60, used))
    assert len(display.tracks) == drawn and display.left_out == left_out
    assert f"and {left_out} more free features" in said(display)


def test_free_features_may_be_left_out():
    display = plots.ranges(records.credit(), free=False)
    assert len(display.tracks) == 3 and "and 2 free features" in said(display)


def test_fewer_free_features_are_drawn_on_small_axes():
    display = plots.ranges(records.wide(60, 3), ax=Figure(figsize=(5, 3)).add_subplot())
    assert len(display.tracks) == 3 and display.left_out == 57


def test_free_lanes_allow_everything():
    (bar,) = plots.ranges(records.credit()).tracks[-1].picture.bars
    assert (bar.start, bar.end, bar.goes_on) == (0.0, 1.0, (True, True))


@pytest.mark.parametrize(
    "record", [records.credit(), odd(), records.wide(14, 10)], ids=["credit", "odd", "wide"]
)
def test_conditions_are_in_the_words_of_the_rule_and_not_cut(record):
    display = plots.ranges(record)
    assert all(says(display, literal["text"]) for literal in record["literals"])


def test_the_ends_of_the_training_range_are_told_beside_the_lane():
    display = plots.ranges(records.credit())
    left, right = lane_span(display, "duration")
    low, high = (tick.text for tick in display.tracks[1].picture.ticks)
    places = {text.get_text(): text.get_position()[0] for text in display.ax_.texts}
    assert places[low] < left and places[high] > right


def test_pieces_beyond_three_are_counted():
    literal = numbers("x", *[interval(k / 3, k / 3 + 0.1111111) for k in range(30)])
    assert says(plots.ranges(explanation([literal], [numeric("x", 5.0, 0.0, 10.0)])), "or 27 other ranges)")


def test_long_numbers_are_shown_in_few_digits():
    assert "20.1235" in said(plots.ranges(odd()))


def test_what_the_answer_rests_on_is_said():
    display = plots.ranges(odd())
    assert all(says(display, line) for line in text.list_circumstances(odd()))


def test_an_empty_explanation_says_so():
    assert "anything: no feature can change this decision" in said(plots.ranges(anything()))
    impossible = anything() | {"status": "impossible"}
    assert "anything" in said(plots.ranges(impossible))


def test_no_row_no_mark():
    display = plots.ranges(about_no_row())
    assert not [x for x in display.ax_.lines if x.get_label().startswith("_row ")]
    assert "this row" not in said(display) and "missing" not in said(display)


def test_saved_json_is_drawn_alike():
    record = records.credit()
    assert plots.ranges(json.loads(json.dumps(record))).tracks == plots.ranges(record).tracks
