"""Coverage against size."""

from __future__ import annotations

import pytest

from primewood.errors import InvalidInput
from primewood.render import plots
from render.plots.cases import SIZES, SUMMARY, artists


def test_one_dot_per_explanation_and_larger_where_several_coincide():
    display = plots.coverage_by_size(SIZES)
    assert display.dots == {(1, 0.5): 3, (2, 0.1): 1, (3, 0.25): 1, (3, 0.0): 1} and display.left_out == 1
    (dots,) = artists(display, "_explanations")
    places = [tuple(place) for place in dots.get_offsets().tolist()]
    assert sorted(places) == sorted(display.dots)
    areas = dict(zip(places, dots.get_sizes(), strict=True))
    assert areas[1.0, 0.5] > areas[2.0, 0.1] == areas[3.0, 0.0]


def test_all_dots_are_in_the_picture():
    display = plots.coverage_by_size(SIZES)
    (low, high), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert low < 1 and high > 3 and bottom <= 0 and top > 0.5
    assert "1 without training rows left out" in " ".join(display.ax_.get_title("left").split())


def test_a_batch_is_taken_as_its_record():
    record = {"summary": SUMMARY, "explanations": SIZES}
    assert plots.coverage_by_size(record).dots == plots.coverage_by_size(SIZES).dots


def test_explanations_without_coverage_are_refused():
    with pytest.raises(InvalidInput, match="no coverage: give the explainer training rows"):
        plots.coverage_by_size([SIZES[-1]])
