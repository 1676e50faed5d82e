"""How many conditions explanations have, by what is assumed."""

from __future__ import annotations

import pandas as pd
import pytest

from primewood.errors import InvalidInput
from primewood.render import plots
from render.plots.cases import SIZES, SUMMARY, artists, said


def test_a_column_of_dots_and_a_median_for_each_assumption():
    display = plots.conditions_by_assumption({"all rows": SIZES, "near": SIZES[:4]})
    assert display.counts == {"all rows": {1: 3, 2: 1, 3: 2, 0: 1}, "near": {1: 3, 2: 1}}
    assert display.medians == {"all rows": 1.0, "near": 1.0} and display.failed == 0
    (dots,) = artists(display, "_all rows")
    assert sorted(map(tuple, dots.get_offsets().tolist())) == [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (0.0, 3.0)]
    assert {"all rows", "near", "median"} <= set(said(display))


def test_batches_and_frames_are_taken():
    record = {"summary": SUMMARY, "explanations": SIZES}
    frame = pd.DataFrame({"status": ["proved", "failed", "proved"], "size": [2, None, 3]})
    display = plots.conditions_by_assumption({"a": record, "b": frame})
    assert display.counts["b"] == {2: 1, 3: 1} and display.failed == 1
    assert "1 failed row left out" in " ".join(display.ax_.get_title("left").split())


@pytest.mark.parametrize("answers", [SIZES, {}, {1: SIZES}, None, "text"])
def test_something_else_is_refused(answers):
    with pytest.raises(InvalidInput, match="takes a mapping from what is assumed to explanations"):
        plots.conditions_by_assumption(answers)


def test_an_assumption_without_explanations_is_refused():
    with pytest.raises(InvalidInput, match="at least one explanation"):
        plots.conditions_by_assumption({"all rows": SIZES, "near": []})
    failed = pd.DataFrame({"status": ["failed"], "size": [None]})
    with pytest.raises(InvalidInput, match="'near' has no explanation; 1 row failed"):
        plots.conditions_by_assumption({"near": failed})
