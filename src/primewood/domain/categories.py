"""An order of categories in which the sets that a model tests are few runs.

Boosting libraries find a set of categories by sorting them by their effect and cutting the line in two. Trees over
variables test runs of values (`primewood.engines.prefix_trees`), so categories with like effects should stand side by
side. The order changes no answer, only how soon it is found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Ensemble, Tree
from primewood.ensemble.comparison import cuts_of
from primewood.ensemble.tree import is_within

FEW = 3
"""So few values are few runs in any order."""


def sort_by_effect(ensemble: Ensemble, column: int, codes: Sequence[float]) -> list[float]:
    """The codes of a column in the order of their effect on the scores. Cost: tests of the column times codes."""
    if len(codes) <= FEW:
        return list(codes)
    effects = np.zeros((len(codes), ensemble.n_outputs))
    for tree in ensemble.trees:
        tests = np.flatnonzero(tree.feature == column)
        if tests.size:
            means = _means(tree)
            for node in tests.tolist():
                bounds = cuts_of(tree.bounds_at(node), ensemble.operator, ensemble.dtype)
                inside = is_within(np.array(codes), bounds, ensemble.operator)
                effects += np.where(inside[:, None], means[tree.left[node]], means[tree.right[node]])
    spread = effects - effects.mean(axis=0)
    main = np.linalg.svd(spread, full_matrices=False)[2][0]
    along = np.round(spread @ main, 12)
    return [codes[i] for i in np.argsort(along, kind="stable")]


def _means(tree: Tree) -> NDArray[np.float64]:
    """Per node, the mean of what its children say; of a leaf, what it says itself."""
    means = tree.value.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        means[node] = (means[tree.left[node]] + means[tree.right[node]]) / 2
    return means
