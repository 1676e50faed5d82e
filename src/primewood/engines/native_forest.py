"""The native forest: an ensemble over a domain, as flat arrays for the C++ core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from primewood.core import _native
from primewood.domain import Domain
from primewood.engines.prefix_trees import FlatTree, flat_rules, flat_trees
from primewood.ensemble import Ensemble
from primewood.ensemble.integers import integer_vote
from primewood.ensemble.link import native_link
from primewood.errors import TooLarge
from primewood.logic.variable import Variable

MarkedTree = tuple[FlatTree, NDArray[Any]]
"""A tree, and a mark at each of its leaves that no possible point reaches."""


def native_forest(ensemble: Ensemble, domain: Domain, *, any_order: bool = False) -> _native.Forest:
    """Build the core's forest. Cost: linear in the nodes."""
    rules = flat_rules(domain)
    if len(rules) > _native.MOST_RULES:
        raise TooLarge(
            f"{len(rules):,} combinations of values are excluded by constraints; {_native.MOST_RULES:,} are taken"
        )
    own = flat_trees(ensemble, domain)
    allowed = [(tree, np.zeros(len(tree))) for tree in own]
    trees = tree_arrays([*allowed, *rules])
    trees.n_rules = len(rules)
    vote = _vote_arrays(ensemble, own, rules)
    vote.any_order = any_order
    return _native.Forest(variables=variable_arrays(domain.variables), trees=trees, vote=vote)


def variable_arrays(variables: Sequence[Variable]) -> _native.VariableArrays:
    """What the core knows of variables; it needs one at least."""
    arrays = _native.VariableArrays()
    arrays.ordered = np.array([len(x) - (x.missing is not None) for x in variables] or [1], dtype=np.int32)
    arrays.has_missing = np.array([x.missing is not None for x in variables] or [False], dtype=np.uint8)
    return arrays


def tree_arrays(trees: Sequence[MarkedTree]) -> _native.TreeArrays:
    """Trees with their forbidden leaves, the nodes of one after those of the other."""
    starts = np.cumsum([0, *(len(tree) for tree, _ in trees)])
    arrays = _native.TreeArrays()
    arrays.root = starts[:-1].astype(np.int32)
    arrays.variable = _join((tree.variable for tree, _ in trees), np.int32)
    arrays.prefix = _join((tree.prefix for tree, _ in trees), np.int32)
    arrays.left = _shift((tree.left for tree, _ in trees), starts)
    arrays.right = _shift((tree.right for tree, _ in trees), starts)
    arrays.missing_left = _join((tree.missing_left for tree, _ in trees), np.uint8)
    arrays.forbidden = _join((forbidden for _, forbidden in trees), np.uint8)
    return arrays


def _vote_arrays(
    ensemble: Ensemble, trees: Sequence[FlatTree], rules: Sequence[MarkedTree]
) -> _native.VoteArrays:
    integers = integer_vote(ensemble, room=_native.ROOM_WITH_RULES) if rules else integer_vote(ensemble)

    def gather(arrays: Iterable[NDArray[Any]], dtype: DTypeLike, in_rules: int = 0) -> Any:
        own = [a[tree.origin] for a, tree in zip(arrays, trees, strict=True)]
        rest = [np.full((len(rule), *own[0].shape[1:]), in_rules) for rule, _ in rules]
        return _join([*own, *rest], dtype).ravel()

    vote = _native.VoteArrays()
    vote.n_classes = len(ensemble.classes)
    vote.weight = gather(integers.weights, np.int64)
    vote.value = gather(ensemble.leaf_values, np.float64)
    vote.exact = gather(integers.exact, np.uint8, in_rules=1)
    vote.band = integers.band
    vote.group_size = np.array([group.size for group in ensemble.summands], dtype=np.int32)
    vote.group_weight = np.array([group.weight if group.size > 1 else 1.0 for group in ensemble.summands])
    vote.divisor = ensemble.total_divisor
    vote.start = np.array(ensemble.start or np.zeros(ensemble.n_outputs))
    vote.single = ensemble.precision == "float32"
    vote.link = _native.Link.IDENTITY if ensemble.cuts else native_link(ensemble.link)
    vote.cuts = np.array(ensemble.cuts)
    return vote


def _join(arrays: Iterable[NDArray[Any]], dtype: DTypeLike) -> Any:
    return np.ascontiguousarray(np.concatenate(list(arrays) or [np.empty(0)]), dtype=dtype)


def _shift(arrays: Iterable[NDArray[Any]], starts: NDArray[Any]) -> Any:
    moved = (np.where(a < 0, -1, a + start) for a, start in zip(arrays, starts, strict=False))
    return _join(moved, np.int32)
