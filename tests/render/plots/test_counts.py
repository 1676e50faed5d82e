"""Feature use and importance: bars are as long as the counts."""

from __future__ import annotations

import pytest

from primewood.errors import InvalidInput
from primewood.render import plots
from render.plots import records
from render.plots.cases import IMPORTANCE, SUMMARY, artists, said


class TestFeatureUse:
    def test_bars_are_as_long_as_the_counts(self):
        features = {"a": 4, "b": 0, "c": 8}
        display = plots.feature_use({"rows": 10, "decisions": {}, "features": features})
        assert list(display.counts.items()) == [("c", 8), ("a", 4)] and display.rows == 10
        assert (display.left_out, display.unused) == (0, 1)
        widths = {name: artists(display, f"_use {name}")[0].get_width() for name in "ac"}
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
        with pytest.raises(InvalidInput, match="most, how many features are drawn"):
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
            artists(display, f"_{kind} income")[0].get_width() for kind in ("in_explanations", "flips_alone")
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
        with pytest.raises(InvalidInput, match="most, how many features are drawn"):
            plots.importance(IMPORTANCE, most=most)
