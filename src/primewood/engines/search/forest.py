"""The native forest: an ensemble over a domain, as flat arrays for the C++ core."""

from __future__ import annotations

from typing import Any

import numpy as np

from primewood.core import _native
from primewood.domain import Domain
from primewood.engines.flat import flat_rules, flat_trees
from primewood.ensemble import Ensemble
from primewood.ensemble.integers import integer_vote
from primewood.ensemble.link import NATIVE
from primewood.errors import TooLarge

MOST_RULES = 4096
ROOM_WITH_RULES = 45
"""Sums of weights stay below 2^45, far from what a forbidden leaf weighs in the core."""


def native_forest(ensemble: Ensemble, domain: Domain, *, any_order: bool = False) -> _native.Forest:
    """Build the core's forest. Cost: linear in the nodes."""
    rules = flat_rules(domain)
    if len(rules) > MOST_RULES:
        raise TooLarge(
            f"{len(rules):,} combinations of values are excluded by constraints; {MOST_RULES:,} are taken"
        )
    vote = integer_vote(ensemble, room=ROOM_WITH_RULES) if rules else integer_vote(ensemble)
    variables = domain.variables
    trees = [*flat_trees(ensemble, domain), *(rule for rule, _ in rules)]
    starts = np.cumsum([0, *(len(tree) for tree in trees)])

    def join(arrays: Any, dtype: Any) -> Any:
        return np.ascontiguousarray(np.concatenate(list(arrays)), dtype=dtype)

    def gather_leaves(arrays: Any, dtype: Any, in_rules: int = 0) -> Any:
        own = [a[tree.origin] for a, tree in zip(arrays, trees, strict=False)]
        rest = [np.full((len(rule), *own[0].shape[1:]), in_rules) for rule, _ in rules]
        return join([*own, *rest], dtype).ravel()

    def shift(arrays: Any) -> Any:
        moved = (np.where(a < 0, -1, a + start) for a, start in zip(arrays, starts, strict=False))
        return join(moved, np.int32)

    return _native.make_forest(
        n_classes=len(ensemble.classes),
        ordered=np.array([len(x) - (x.missing is not None) for x in variables] or [1], dtype=np.int32),
        has_missing=np.array([x.missing is not None for x in variables] or [False], dtype=np.uint8),
        root=starts[:-1].astype(np.int32),
        variable=join((tree.variable for tree in trees), np.int32),
        prefix=join((tree.prefix for tree in trees), np.int32),
        left=shift(tree.left for tree in trees),
        right=shift(tree.right for tree in trees),
        missing_left=join((tree.missing_left for tree in trees), np.uint8),
        weight=gather_leaves(vote.weights, np.int64),
        value=gather_leaves(ensemble.leaf_values, np.float64),
        exact=gather_leaves(vote.exact, np.uint8, in_rules=1),
        band=vote.band,
        any_order=any_order,
        group_size=np.array([group.size for group in ensemble.summands], dtype=np.int32),
        group_weight=np.array([group.weight if group.size > 1 else 1.0 for group in ensemble.summands]),
        divisor=ensemble.total_divisor,
        start=np.array(ensemble.start or np.zeros(ensemble.n_outputs)),
        single=ensemble.precision == "float32",
        link=0 if ensemble.cuts else NATIVE.index(ensemble.link),
        cuts=np.array(ensemble.cuts),
        n_rules=len(rules),
        forbidden=np.concatenate(
            [np.zeros(starts[len(ensemble.trees)], dtype=np.uint8), *(forbidden for _, forbidden in rules)]
        ),
    )
