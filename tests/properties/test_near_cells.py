"""Which cells are near each other, and ways through trees that are found bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.engines.protocol import Clock
from primewood.properties.robust_everywhere import _find_near_cells
from primewood.properties.sweep import SweepLine
from primewood.properties.verification import Verifier

REACHES = (0.0, 1e-16, 0.1, 0.5, 3.0, 1e12, 1e308)


def cells_between(cuts):
    return np.stack([np.append(-1e9, np.nextafter(cuts, np.inf)), np.append(cuts, 1e9)], axis=1)


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("seed", range(20))
def test_a_cell_is_near_if_some_numbers_are(seed, reach):
    rng = np.random.default_rng(seed)
    spread = np.unique(rng.normal(size=rng.integers(0, 12)).round(1))
    packed = 0.1 + np.arange(rng.integers(0, 12)) * np.spacing(0.1)
    for ends in (cells_between(spread), cells_between(packed)):
        first, last = _find_near_cells(ends, reach)
        for v, (least, most) in enumerate(ends):
            near = [u for u, (low, high) in enumerate(ends) if least - high <= reach and low - most <= reach]
            assert list(range(first[v], last[v] + 1)) == near


def test_ways_through_trees_are_found_until_the_time_is_up_and_then_further():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = RandomForestClassifier(5, max_depth=4, random_state=0, n_jobs=1).fit(X, X[:, 0] > 0)
    line = SweepLine(Verifier(pw.Explainer(model, X)._model, Clock()), (0,))
    assert not line.prepare(Clock(0.0))
    assert line.prepare(Clock())
    ways = [(way.tolist(), numbers.tolist()) for way, numbers in line._ways]
    assert len(ways) == 5
    assert line.prepare(Clock(0.0))
    assert [(way.tolist(), numbers.tolist()) for way, numbers in line._ways] == ways
