"""What-if strips: each place has the colour of its decision."""

from __future__ import annotations

import numpy as np
import pytest

from primewood.render import plots, text
from primewood.render.plots.drawing import ARROW
from render.plots import records
from render.plots.cases import (
    MONTHS,
    artists,
    decide,
    is_inside,
    middle,
    said,
    strip,
    strip_of_many,
    strip_of_months,
)
from render.plots.records import interval


def test_pieces_are_those_of_the_record():
    record = strip()
    display = plots.what_if(record)
    assert [x.decision for x in display.stretches] == [x["decision"] for x in record["pieces"]]
    assert [x.proved for x in display.stretches] == [False, False, True, False, False, False]
    place = display.scale.place
    assert [x.bar.end for x in display.stretches[:4]] == [place(x) for x in (24.5, 30.5, 60.0, 61.0)]
    assert [x.own for x in display.stretches] == [False, False, True, False, False, False]
    assert display.mark == place(40.0) and display.stretches[-1].is_missing


@pytest.mark.parametrize("record", [strip(), strip_of_many()], ids=["few", "many"])
def test_each_place_has_the_colour_of_its_decision(record):
    display = plots.what_if(record)
    scale, ax = display.scale, display.ax_
    patches = [x for x in ax.patches if x.get_label().startswith("_decides ") and ": " not in x.get_label()]
    left, right = _span_of(display)
    y = middle(patches[0])
    ends = [piece["high"] for piece in record["pieces"] if piece.get("high") is not None]
    for x in np.linspace(scale.low, scale.high, 301)[1:-1]:
        if min(abs(x - end) for end in ends) < 1e-6:
            continue
        (piece,) = (p for p in record["pieces"] if "low" in p and float(x) in text.read_interval(p))
        place = left + scale.place(x) * (right - left)
        found = {p.get_label().removesuffix(" edge") for p in patches if is_inside(p, place, y)}
        assert found == {f"_decides {piece['decision']}"}


def test_the_bar_of_what_is_proved():
    display = plots.what_if(strip())
    (bar,) = artists(display, "_proved")
    left, right = _span_of(display)
    ends = [left + display.scale.place(x) * (right - left) for x in (30.5, 60.0)]
    assert list(bar.get_path().get_extents().intervalx) == pytest.approx(ends)


def test_classes_differ_in_more_than_colour():
    patches = plots.what_if(strip()).ax_.patches
    hatches = {x.get_label(): x.get_hatch() for x in patches if x.get_label().startswith("_decides")}
    assert len({hatches[f"_decides {name}"] for name in ("approved", "declined", None)}) == 3


def test_bounds_are_told_as_one_meets_them():
    assert {"<= 24.5", "<= 30.5", "> 60", "> 61"} <= set(said(plots.what_if(strip())))


def test_bounds_are_in_the_words_of_the_record_where_it_has_some():
    record = strip()
    record["pieces"][0]["ends"] = {"low": None, "high": ["<=", "24"]}
    assert "<= 24" in said(plots.what_if(record))


def test_the_legend_says_what_is_there():
    found = said(plots.what_if(strip()))
    assert {"approved (as now)", "declined", "no such row, by the constraints"} <= set(found)
    assert {"proved: approved, whatever the free features are", "this row: 40 years"} <= set(found)


def test_categories():
    record = strip_of_months()
    display = plots.what_if(record)
    for piece, month in zip(record["pieces"], MONTHS, strict=False):
        assert artists(display, f"_decides {piece['decision']}: {month}")
        assert bool(artists(display, f"_proved {month}")) == piece["proved"]
    assert [x.name for x in display.stretches if x.own] == ["May"] and display.scale is None


def test_a_category_called_missing_is_none():
    pieces = [decide({"values": ["missing"]}, "approved"), decide({"missing": True}, "declined")]
    display = plots.what_if(records.what_if(pieces, value="missing", shown="missing", kind="categories"))
    assert [(x.is_missing, x.own) for x in display.stretches] == [(False, True), (True, False)]


def test_a_single_class():
    pieces = [decide(interval(None, None, "neither"), "approved", True)]
    display = plots.what_if(records.what_if(pieces, classes=["approved"]))
    (piece,) = display.stretches
    assert (piece.bar.start, piece.bar.end, piece.bar.goes_on) == (0.0, 1.0, (True, True))


def _span_of(display):
    """The ends of the strip, from the place of the mark and of the proved bar, or of all areas."""
    areas = [
        x for x in display.ax_.patches if x.get_label().startswith("_decides ") and ": " not in x.get_label()
    ]
    left = min(x.get_path().vertices[:, 0].min() for x in areas) + ARROW
    right = max(x.get_path().vertices[:, 0].max() for x in areas) - ARROW
    (mark,) = artists(display, "_row")
    assert mark.get_xdata()[0] == pytest.approx(left + display.mark * (right - left))
    return left, right
