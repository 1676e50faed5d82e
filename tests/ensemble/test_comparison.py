"""The cut of a threshold is the true boundary for the float64 numbers that users pass in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primewood.ensemble.comparison import cut_of

THRESHOLDS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e38, max_value=1e38)


def neighbours(x, steps=3):
    up = down = x
    yield x
    for _ in range(steps):
        up, down = math.nextafter(up, math.inf), math.nextafter(down, -math.inf)
        yield from (up, down)


@given(THRESHOLDS, st.sampled_from(["<=", "<"]))
def test_the_cut_decides_as_the_cast_and_the_threshold_do(threshold, operator):
    cut = cut_of(threshold, operator, "float32")
    for x in [*neighbours(cut), *neighbours(threshold), 0.0, threshold * 2, threshold / 2]:
        cast = float(np.float32(x))
        library = cast <= threshold if operator == "<=" else cast < threshold
        ours = x <= cut if operator == "<=" else x < cut
        assert ours == library, (x, cut)


LARGEST = float(np.finfo(np.float32).max)
SPECIAL = [0.0, -0.0, 51.5, 1e-45, -1e-45, 0.1, 2.45, LARGEST, -LARGEST, 1e39, -1e39, math.inf, -math.inf]


@pytest.mark.parametrize("threshold", SPECIAL)
@pytest.mark.parametrize("operator", ["<=", "<"])
def test_the_cut_at_special_thresholds(threshold, operator):
    """On every input that scikit-learn accepts: those whose float32 is finite."""
    cut = cut_of(threshold, operator, "float32")
    for x in [*neighbours(cut), *neighbours(LARGEST), *neighbours(-LARGEST), 0.0]:
        with np.errstate(over="ignore"):
            cast = float(np.float32(x))
        if math.isfinite(cast):
            library = cast <= threshold if operator == "<=" else cast < threshold
            assert (x <= cut if operator == "<=" else x < cut) == library, x


def test_float64_needs_no_change():
    assert cut_of(0.1, "<=", "float64") == cut_of(0.1, "<", "float64") == 0.1
