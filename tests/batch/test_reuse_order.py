"""Rounds: rows that are far apart, each with its nearest ones, checked by their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primewood.batch import reuse_order
from primewood.batch.reuse_order import WaitingRows
from primewood.logic.variable import Variable

VARIABLES = (
    Variable.numeric("n", [1.0, 2.0, 3.0, 5.0], missing=True),
    Variable("c", ["red", "blue", "grey"]),
    Variable.numeric("m", [0.0]),
)


def distance(a, b):
    """How far apart two cells are."""
    found = 0.0
    for x, u, v in zip(VARIABLES, a, b, strict=True):
        if u < x.ordered and v < x.ordered:
            found += abs(u - v) / max(x.ordered - 1, 1)
        else:
            found += u != v
    return found


@st.composite
def draw_waiting(draw):
    cells = st.tuples(*(st.integers(0, len(x) - 1) for x in VARIABLES))
    points = draw(st.lists(cells, min_size=1, unique=True))
    labels = draw(st.lists(st.integers(0, 1), min_size=len(points), max_size=len(points)))
    return points, labels


def nearest(points, labels, place, most):
    alike = [k for k in range(len(points)) if k != place and labels[k] == labels[place]]
    return sorted(alike, key=lambda k: (round(distance(points[place], points[k]), 9), k))[:most]


@given(draw_waiting(), st.sampled_from([1, 4, 1000]))
def test_a_round_is_as_defined(rows, least):
    points, labels = rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reuse_order, "LEAST", least)
        patch.setattr(reuse_order, "NEAR", 6)
        found = WaitingRows(np.array(points), np.array(labels), VARIABLES).choose_round(1)
    for place, near in found.items():
        assert [distance(points[place], points[k]) for k in near] == pytest.approx(
            [distance(points[place], points[k]) for k in nearest(points, labels, place, 6)]
        )
        assert all(labels[k] == labels[place] and k != place for k in near)
    assert list(found) == sorted(found) and min(found) == 0
    assert len(found) >= min(least, len(points))
    if len(found) > least and least == 1:
        for place in range(len(points)):
            before = [list(found[k]) for k in found if k < place]
            assert (place in found) == all(place not in near for near in before)


def test_the_nearest_are_looked_for_near_in_the_file_too(monkeypatch):
    """However many rows wait, a row is compared with a thousand."""
    monkeypatch.setattr(reuse_order, "WINDOW", 10)
    points = np.array([[i % 5, i % 3, 0] for i in range(60)])
    found = WaitingRows(points, np.zeros(60, dtype=int), VARIABLES).choose_round(1000)
    assert all(k // 10 == place // 10 for place, near in found.items() for k in near)


def test_rounds_grow_with_blocks():
    """A large block is for many workers."""
    points = np.array([[v, c, m] for v in range(6) for c in range(3) for m in range(2)])
    labels = np.zeros(len(points), dtype=int)
    sizes = [len(WaitingRows(points, labels, VARIABLES).choose_round(block)) for block in (100, 1600, 10_000)]
    assert sizes[0] >= 16 and sizes[1] >= 25 and sizes[2] == 36
