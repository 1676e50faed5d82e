"""Decision maps: each place has the colour of its decision."""

from __future__ import annotations

import itertools

import pytest

from primewood.errors import InvalidInput
from primewood.render import plots, text
from render.plots import records
from render.plots.cases import artists, decision_at


def test_each_place_has_the_colour_of_its_decision():
    record = records.decision_map()
    display = plots.decision_map(record)
    xs = [-1.0, 24.4, 24.6, 30.4, 30.6, 70.0]
    low, high = display.x.numbers
    for x, (k, b) in itertools.product(xs, enumerate(record["axes"][1]["cells"])):
        if not low < x < high:
            continue
        (place,) = (
            i for i, cell in enumerate(record["axes"][0]["cells"][:3]) if x in text.read_interval(cell)
        )
        assert decision_at(display, x, k + 0.5) == record["classes"][record["decisions"][place][k]], b


def test_missing_values_have_their_room_beside_the_numbers():
    display = plots.decision_map(records.decision_map())
    missing = display.x.spans[-1]
    assert missing.start > display.x.numbers[1] and missing.name == "missing"
    x = (missing.start + missing.end) / 2
    assert [decision_at(display, x, y) for y in (0.5, 1.5, 2.5)] == ["declined", "None", "approved"]


def test_the_window_holds_the_training_range_and_the_row():
    record = records.decision_map()
    record["axes"][0]["value"] = 1000.0
    display = plots.decision_map(record)
    low, high = display.ax_.get_xlim()
    assert low < 19 and high > 1000
    (mark,) = artists(display, "_row")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (1000.0, 2.5)


def test_without_training_rows_the_cuts_are_in_the_window():
    record = records.decision_map()
    record["axes"][0].update(low=None, high=None)
    low, high = plots.decision_map(record).ax_.get_xlim()
    assert low < 24.5 and high > 40


def test_the_box_is_the_explanations_and_open_where_it_goes_on():
    display = plots.decision_map(records.decision_map())
    edges = {tuple(zip(*line.get_data(), strict=True)) for line in artists(display, "_box")}
    high = display.x.numbers[1]
    expected = [((30.5, 1.0), (high, 1.0)), ((high, 3.0), (30.5, 3.0)), ((30.5, 3.0), (30.5, 1.0))]
    assert edges == set(expected)


def test_the_row_may_be_missing():
    record = records.decision_map()
    record["axes"][0]["value"] = None
    display = plots.decision_map(record)
    assert display.x.mark == (display.x.spans[-1].start + display.x.spans[-1].end) / 2


def test_the_legend_has_all_that_is_there():
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


def test_names_that_begin_with_an_underscore_are_shown():
    display = plots.decision_map(records.decision_map(classes=["_a", "_b"], decision="_b"))
    shown = [x.get_text().strip() for x in display.ax_.get_legend().get_texts()]
    assert shown[:2] == ["_a", "_b"]


def test_a_table_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidInput, match="one list per cell of the first feature"):
        plots.decision_map(records.decision_map(decisions=[[0, 1]]))
