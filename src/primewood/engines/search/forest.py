"""The native forest: an ensemble over a domain, as flat arrays for the C++ core."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.engines import _native  # the C++ core
from primewood.ensemble import Ensemble, Tree
from primewood.ensemble.comparison import cut_of
from primewood.ensemble.integers import integer_vote


def native_forest(ensemble: Ensemble, domain: Domain, *, any_order: bool = False) -> _native.Forest:
    """Build the core's forest. Cost: linear in the nodes.

    A node sends the first `prefix` values of its variable left. A test on a column without a variable
    has one answer; it becomes a test of the first variable that sends everything to that side.
    """
    vote = integer_vote(ensemble)
    place = {column: j for j, column in enumerate(domain.columns)}
    variables = domain.variables
    ordered = [len(x) - (x.missing is not None) for x in variables] or [1]
    missing = [x.missing is not None for x in variables] or [False]
    starts = np.cumsum([0, *(len(tree) for tree in ensemble.trees)])
    parts = [
        _flatten(tree, int(start), ensemble, domain, place, ordered)
        for tree, start in zip(ensemble.trees, starts, strict=False)
    ]
    nodes = np.concatenate([part.nodes for part in parts])
    return _native.make_forest(
        len(ensemble.classes),
        np.array(ordered, dtype=np.int32),
        np.array(missing, dtype=np.uint8),
        starts[:-1].astype(np.int32),
        np.ascontiguousarray(nodes[:, 0]),
        np.ascontiguousarray(nodes[:, 1]),
        np.ascontiguousarray(nodes[:, 2]),
        np.ascontiguousarray(nodes[:, 3]),
        np.concatenate([part.missing_left for part in parts]).astype(np.uint8),
        np.concatenate(vote.weights).ravel(),
        np.concatenate(ensemble.leaf_values).ravel(),
        np.concatenate(vote.exact).astype(np.uint8),
        vote.band,
        any_order,
        np.array([group.size for group in ensemble.summands], dtype=np.int32),
        np.array([group.weight if group.size > 1 else 1.0 for group in ensemble.summands]),
        ensemble.divisor or len(ensemble.summands),
    )


class _Flat(NamedTuple):
    nodes: NDArray[np.int32]
    """Variable, prefix, left and right of each node."""
    missing_left: NDArray[np.bool_]


def _flatten(
    tree: Tree,
    start: int,
    ensemble: Ensemble,
    domain: Domain,
    place: dict[int, int],
    ordered: list[int],
) -> _Flat:
    nodes = np.full((len(tree), 4), -1, dtype=np.int32)
    missing_left = tree.missing_left.copy()
    or_equal = ensemble.operator == "<="
    for node in np.flatnonzero(~tree.is_leaf):
        column = int(tree.feature[node])
        cut = cut_of(float(tree.threshold[node]), ensemble.operator, ensemble.dtype)
        if column in place:
            variable = place[column]
            prefix = domain.left_of(column, cut, False, or_equal=or_equal).bit_count()
        else:
            variable = 0
            missing_left[node] = domain.goes_left(column, cut, or_equal=or_equal)
            prefix = ordered[0] if missing_left[node] else 0
        nodes[node] = variable, prefix, start + tree.left[node], start + tree.right[node]
    return _Flat(nodes, missing_left)
