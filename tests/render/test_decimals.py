"""The printing law: the shown region lies inside the exact one and holds what is known to be there."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from primewood.logic.interval import Interval
from primewood.render.decimals import shown_ends

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
HOLDS = {
    ">=": lambda x, b: x >= b,
    ">": lambda x, b: x > b,
    "<=": lambda x, b: x <= b,
    "<": lambda x, b: x < b,
}


def inside_shown(x, ends):
    return all(end is None or HOLDS[end[0]](x, float(end[1])) for end in ends)


@given(
    NUMBERS,
    NUMBERS,
    st.sampled_from(["left", "right"]),
    NUMBERS,
    st.none() | st.lists(NUMBERS, max_size=6),
    st.sampled_from(["both", "low", "high"]),
)
def test_the_shown_region_is_inside_and_keeps_what_it_held(a, b, closed, x, rows, bounded):
    low, high = sorted((a, b))
    if low == high:
        return
    interval = Interval(
        low if bounded != "high" else -math.inf, high if bounded != "low" else math.inf, closed
    )
    ends = shown_ends(interval, x, None if rows is None else np.array(rows))
    for number in [x, *(rows or [])]:
        if number in interval:
            assert inside_shown(number, ends)
    corners = [float(end[1]) for end in ends if end]
    near = [*corners, low, high, *(np.nextafter(c, s) for c in corners for s in (-np.inf, np.inf))]
    for number in [*near, (low + high) / 2]:
        if inside_shown(number, ends):
            assert number in interval


def test_bounds_are_short():
    region = Interval(2.449999988079071, 4.950000047683716, "right")
    assert shown_ends(region, 3.0, np.array([1.9, 3.0, 4.9, 5.0])) == ((">=", "3"), ("<=", "4.9"))
    assert shown_ends(Interval(-math.inf, 6, "left"), 3.0, np.array([3.0, 7.0])) == (None, ("<", "6"))
    assert shown_ends(Interval(9743.00048828125, math.inf, "right"), 1.0, np.array([1.0])) == (
        (">=", "9744"),
        None,
    )
    assert shown_ends(Interval(-math.inf, 7e-46, "right"), -1.0, np.array([-1.0, 0.0, 1.0])) == (
        None,
        ("<=", "0"),
    )
