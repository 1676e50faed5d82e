"""Several explanations side by side."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from primewood.errors import InvalidInput
from primewood.render import plots, text
from render.plots import records
from render.plots.cases import artists, is_inside, lane_span, middle, odd, said, says
from render.plots.records import explanation, interval, names, numbers, numeric

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


def test_lanes_are_the_features_that_any_uses():
    display = plots.side_by_side(WHYS)
    assert display.features == ("x", "b", "y") and not display.more
    free = [[x.is_free for x in column.tracks] for column in display.columns]
    assert free == [[False, False, True], [False, True, False]]
    assert said(display).count("free") == 2


def test_scales_are_the_same_and_bars_the_exact_ranges():
    first, second = plots.side_by_side(WHYS).columns
    one, other = (column.tracks[0].picture for column in (first, second))
    assert one.scale == other.scale
    place = one.scale.place
    assert [bar.start for bar in one.bars] == [place(1.0)]
    assert [(bar.start, bar.end) for bar in other.bars] == [(place(1.5), place(6.0))]


def test_what_is_drawn_is_where_it_is_allowed():
    display = plots.side_by_side(WHYS)
    scale = display.columns[0].tracks[0].picture.scale
    for number, part in ((1, interval(1.0, None)), (2, interval(1.5, 6.0))):
        (patch,) = artists(display, f"_allowed x {number}")
        left, right = lane_span(display, f"x {number}")
        for x in np.linspace(scale.low - 1, scale.high + 3, 60):
            place = left + scale.place(x) * (right - left)
            assert is_inside(patch, place, middle(patch)) == (float(x) in text.read_interval(part))


def test_columns_say_size_and_coverage():
    found = said(plots.side_by_side(WHYS))
    assert found.count("2 features") == 2 and {"covers 30.7%", "covers 5.0%", ">= 1", "is p"} <= set(found)
    assert ">= 1.5, < 6" in found


def test_many_are_cut_and_endless_ones_are_not_awaited():
    display = plots.side_by_side(itertools.repeat(WHYS[0]))
    assert len(display.columns) == 6 and display.more and "the first 6 of more" in said(display)
    assert len(plots.side_by_side(itertools.repeat(WHYS[0]), most=2).columns) == 2


def test_decisions_that_differ_are_told():
    other = WHYS[1] | {"decision": "declined"}
    display = plots.side_by_side([WHYS[0], other])
    assert {"approved", "declined"} <= set(said(display))
    assert says(display, "Why approved or declined: 2 explanations of one row")


def test_explanations_of_different_rows_are_refused():
    other = explanation([], [numeric("x", 2.5, 0.0, 4.0)])
    with pytest.raises(InvalidInput, match=r"of one row; here x is 2 in one and 2.5 in another"):
        plots.side_by_side([WHYS[0], other])
    assert not plt.get_fignums()


def test_all_categories_are_drawn_however_many_there_are():
    display = plots.side_by_side([odd()])
    boxes = [x.get_label() for x in display.ax_.patches if " town 1: " in x.get_label()]
    assert (sum("_allowed" in x for x in boxes), sum("_excluded" in x for x in boxes)) == (27, 13)
