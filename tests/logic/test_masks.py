"""Sets of small numbers as bits."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from primewood.logic.masks import find_runs, indices, lowest, mask_of, mask_of_array
from primewood.logic.variable import Variable

SETS = st.sets(st.integers(0, 80))


@given(SETS)
def test_runs_are_maximal_and_hold_the_bits_that_are_set(held):
    runs = list(find_runs(sum(1 << i for i in held)))
    assert [i for low, high in runs for i in range(low, high + 1)] == sorted(held)
    assert all(a[1] + 1 < b[0] for a, b in itertools.pairwise(runs))


@given(SETS.filter(bool))
def test_bits_and_positions_are_the_same(held):
    mask = mask_of(i in held for i in range(81))
    assert indices(mask) == sorted(held)
    assert lowest(mask) == min(held)
    assert mask_of_array(np.isin(np.arange(81), sorted(held))) == mask


@given(st.sets(st.integers(0, 5000)))
def test_positions_of_many_bits(held):
    assert indices(sum(1 << i for i in held)) == sorted(held)


@given(st.lists(st.floats(-9, 9), unique=True, min_size=1, max_size=8).map(sorted), st.data())
def test_the_intervals_of_a_literal_hold_the_values_that_it_allows(cuts, data):
    side = data.draw(st.sampled_from(["left", "right"]))
    x = Variable.numeric("x", cuts, side, missing=data.draw(st.booleans()))
    literal = x.of_mask(data.draw(st.integers(1, x.everything - 1)))
    pieces = literal.intervals
    for i in range(x.ordered):
        inside = any(p.low <= x.values[i].low and x.values[i].high <= p.high for p in pieces)
        assert inside == bool(literal.mask >> i & 1)
    assert all(a.high < b.low for a, b in itertools.pairwise(pieces))
