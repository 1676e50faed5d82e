"""The tests of all trees by column, and how many rows a reading is tried on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import cuts_of
from primewood.ensemble.tree import Tree
from primewood.readers import fidelity


@st.composite
def ensembles(draw):
    """Trees over four columns with thresholds and sets; the third column is in no tree."""
    thresholds = st.one_of(
        st.floats(-5, 5), st.lists(st.integers(-3, 3), min_size=1, max_size=3, unique=True).map(sorted)
    )
    leaf = st.just([1.0, 0.0])
    node = st.recursive(
        leaf,
        lambda child: st.tuples(st.sampled_from([0, 1, 3]), thresholds, child, child),
        max_leaves=6,
    )
    trees = [Tree.build(draw(node)) for _ in range(draw(st.integers(1, 4)))]
    return Ensemble(trees, classes=("a", "b"), feature_names=("w", "x", "y", "z"), vote="mean")


@given(ensembles())
def test_tests_are_those_of_the_trees(ensemble):
    tests, start, expected = ensemble.threshold_tests, 0, []
    for tree in ensemble.trees:
        for node in range(len(tree)):
            if not tree.is_leaf[node] and not tree.tests_sets[node]:
                expected.append((int(tree.feature[node]), start + node, float(tree.threshold[node])))
        start += len(tree)
    columns = [(column, place) for column, here in tests.columns for place in range(here.start, here.stop)]
    found = [(column, int(tests.node[i]), float(tests.threshold[i])) for column, i in columns]
    assert found == sorted(expected, key=lambda test: test[:2])
    assert np.array_equal(tests.cut, cuts_of(tests.threshold, ensemble.operator, ensemble.dtype))


@pytest.mark.parametrize(
    ("trees", "own", "planted"), [(1, 2000, 1000), (200, 2000, 1000), (1000, 400, 250), (5000, 250, 250)]
)
def test_a_model_with_many_trees_is_tried_on_fewer_rows(trees, own, planted):
    tree = Tree.build((0, 0.5, [1.0, 0.0], [0.0, 1.0]))
    ensemble = Ensemble([tree] * trees, classes=(0, 1), feature_names=("x",), vote="mean")
    assert fidelity._scale_down(fidelity.MOST_ROWS, ensemble) == own
    assert len(fidelity.plant_rows(ensemble, None)) == planted
