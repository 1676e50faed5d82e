"""How the bounds of a search drew together."""

from __future__ import annotations

import numpy as np
import pytest

from primewood.errors import InvalidInput
from primewood.render import plots
from render.plots import records
from render.plots.cases import HISTORY, artists
from render.plots.records import explanation

RECORD = explanation([], [], history=HISTORY, goal="shortest")


def test_steps_are_those_of_the_record():
    display = plots.growth(RECORD)
    assert display.seconds == (0.001, 0.01, 0.2, 1.0)
    assert display.lower == (None, 2.0, 2.0, 3.0) and display.upper == (None, None, 5.0, 4.0)
    (lower,) = artists(display, "_lower")
    (upper,) = artists(display, "_upper")
    np.testing.assert_array_equal(lower.get_ydata(), [np.nan, 2, 2, 3, 3])
    np.testing.assert_array_equal(upper.get_ydata(), [np.nan, np.nan, 5, 4, 4])
    assert list(lower.get_xdata()[:4]) == list(display.seconds) and lower.get_drawstyle() == "steps-post"


def test_marks_where_a_bound_moved():
    (moves,) = artists(plots.growth(RECORD), "_lower moves")
    assert moves.get_xydata().tolist() == [[0.01, 2.0], [1.0, 3.0]]


def test_what_is_not_bounded_is_open_to_the_edge():
    display = plots.growth(RECORD)
    bottom, top = display.ax_.get_ylim()
    extents = [x.get_paths()[0].get_extents() for x in artists(display, "_open")]
    assert [(x.y0, x.y1) for x in extents] == [(bottom, top), (2.0, top)]
    assert all(x.get_hatch() for x in artists(display, "_open"))
    gaps = [x.get_paths()[0].get_extents() for x in artists(display, "_gap")]
    assert [(x.y0, x.y1) for x in gaps] == [(2.0, 5.0), (3.0, 4.0)]


def test_time_on_either_scale():
    assert plots.growth(RECORD).ax_.get_xscale() == "log"
    assert plots.growth(RECORD, log=False).ax_.get_xscale() == "linear"


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
def test_the_title_says_how_it_ended(history, goal, title):
    display = plots.growth(explanation([], [], history=history, goal=goal))
    assert display.ax_.get_title("left") == title


def test_the_legend_says_what_the_bounds_are():
    shortest = plots.growth(RECORD).ax_.get_legend().get_texts()
    widest = plots.growth(RECORD | {"goal": "widest"}).ax_.get_legend().get_texts()
    neutral = plots.growth(RECORD | {"goal": None}).ax_.get_legend().get_texts()
    assert [x.get_text() for x in shortest[:2]] == ["shortest found so far", "none is shorter"]
    assert [x.get_text() for x in widest[:2]] == ["none is wider", "widest found so far"]
    assert [x.get_text() for x in neutral[:2]] == ["upper bound", "lower bound"]


def test_an_answer_without_history_is_refused():
    with pytest.raises(InvalidInput, match=r'ask for goal="shortest" or goal="widest"; this answer has none'):
        plots.growth(records.credit())
