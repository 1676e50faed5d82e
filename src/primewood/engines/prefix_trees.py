"""Trees over variables, whose tests all send the first values of a variable left.

That is what a threshold does. A test of a set of values (categories, a dummy of a one-hot group, a gap
around zero) sends several runs of values left; it becomes a chain of such tests, one per end of a run, which
share the two children. A test of a column that has no variable has one answer; it becomes a test of the first
variable that sends everything to that side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Ints
from primewood.domain import Domain
from primewood.domain.knowledge import Constraint
from primewood.ensemble import Ensemble, Tree
from primewood.ensemble.comparison import cuts_of
from primewood.logic.masks import indices


@dataclass(frozen=True, slots=True, eq=False)
class FlatTree:
    """One tree; node 0 is the root, and children come after their parents. A child may have several parents.

    Attributes
    ----------
    variable : array of int
        The variable that a node tests; −1 at a leaf.
    prefix : array of int
        How many of its values (without "missing") go left.
    missing_left : array of bool
    left, right : arrays of int
    origin : array of int
        The node of the ensemble's tree.
    """

    variable: Ints
    prefix: Ints
    missing_left: NDArray[np.bool_]
    left: Ints
    right: Ints
    origin: Ints

    def __len__(self) -> int:
        return len(self.variable)


class _Piece(NamedTuple):
    """One test of a chain; `first_side` is the side of the whole test that its first values go to."""

    prefix: int
    first_side: bool


def flat_trees(ensemble: Ensemble, domain: Domain) -> list[FlatTree]:
    """The trees of an ensemble over the variables of a domain. Cost: linear in the nodes and in the runs."""
    prefixes, splits = _prefixes(ensemble, domain), _ValueSplits(ensemble, domain)
    return [_flat_tree(tree, prefixes[t], domain, splits) for t, tree in enumerate(ensemble.trees)]


class _ValueSplit(NamedTuple):
    """What a test does with the values of a variable: whether the first goes left, how many there are, the chain."""

    first_left: bool
    size: int
    chain: list[_Piece]


class _ValueSplits:
    """What tests do with values. Many nodes make the same test of a category or a dummy, which is worked out once."""

    def __init__(self, ensemble: Ensemble, domain: Domain) -> None:
        self._ensemble, self._domain = ensemble, domain
        self._known: dict[tuple[int, bytes], _ValueSplit] = {}

    def at(self, tree: Tree, node: int) -> _ValueSplit:
        column, bounds = int(tree.feature[node]), tree.bounds_at(node)
        key = (column, bounds.tobytes())
        if key not in self._known:
            operator = self._ensemble.operator
            cuts = cuts_of(bounds, operator, self._ensemble.dtype)
            inside = self._domain.within(column, cuts, operator)
            self._known[key] = _ValueSplit(bool(inside[0]), len(inside), _chain(inside))
        return self._known[key]


def _prefixes(ensemble: Ensemble, domain: Domain) -> list[Ints]:
    """Per tree and node, how many values a threshold sends left; −1 for leaves and for what needs a closer look."""
    sizes, tests = [len(tree) for tree in ensemble.trees], ensemble.threshold_tests
    found = np.full(sum(sizes), -1)
    for column, here in tests.columns:
        found[tests.node[here]] = domain.prefixes(column, tests.cut[here], ensemble.operator)
    return np.split(found, np.cumsum(sizes)[:-1])


def _flat_tree(tree: Tree, prefixes: Ints, domain: Domain, splits: _ValueSplits) -> FlatTree:
    first_line = next((len(x) - (x.missing is not None) for x in domain.variables), 1)
    variable = np.where(tree.is_leaf, -1, domain.places[np.maximum(tree.feature, 0)])
    missing_left = tree.missing_left.copy()
    prefix = prefixes.copy()
    chains: dict[int, list[_Piece]] = {}
    for node in np.flatnonzero(~tree.is_leaf & (prefixes < 0)).tolist():
        split = splits.at(tree, node)
        if variable[node] < 0:
            variable[node], missing_left[node] = 0, split.first_left
            prefix[node] = first_line if split.first_left else 0
            continue
        prefix[node] = split.size if split.first_left else 0
        if split.chain:
            chains[node] = split.chain
    whole = FlatTree(variable, prefix, missing_left, tree.left, tree.right, np.arange(len(tree)))
    return _add_chains(whole, chains)


def _chain(inside: NDArray[np.bool_]) -> list[_Piece]:
    """The tests of a set of values: one per end of a run; none if all values go one way."""
    ends = (np.flatnonzero(np.diff(inside)) + 1).tolist()
    return [_Piece(end, bool(inside[end - 1])) for end in ends]


def _add_chains(tree: FlatTree, chains: dict[int, list[_Piece]]) -> FlatTree:
    if not chains:
        return tree
    sizes = np.ones(len(tree), dtype=np.int64)
    sizes[list(chains)] = [len(chain) for chain in chains.values()]
    place = np.cumsum(sizes) - sizes
    origin = np.repeat(np.arange(len(tree)), sizes)
    moved = np.append(place, -1)  # the children of leaves are −1
    left, right = moved[tree.left[origin]], moved[tree.right[origin]]
    prefix, missing_left = tree.prefix[origin], tree.missing_left[origin]
    for node, chain in chains.items():
        sides = {True: int(moved[tree.left[node]]), False: int(moved[tree.right[node]])}
        for k, link in enumerate(chain):
            at = int(place[node]) + k
            prefix[at] = link.prefix
            missing_left[at] = bool(tree.missing_left[node]) == link.first_side
            left[at] = sides[link.first_side]
            right[at] = at + 1 if k + 1 < len(chain) else sides[not link.first_side]
    return FlatTree(tree.variable[origin], prefix, missing_left, left, right, origin)


def flat_rules(domain: Domain) -> list[tuple[FlatTree, NDArray[np.uint8]]]:
    """Knowledge as trees, one per forbidden box, each with flags that mark its forbidden leaf.

    Node by node, allowed values continue; all others go to the leaf 'possible'. The boxes of an order,
    which are the steps of a staircase, make one tree.
    """
    found = []
    for rule in domain.knowledge.rules:
        if rule.is_staircase:
            found.append(_staircase_tree(rule, domain))
        else:
            found += [_rule_tree(list(box.items()), domain) for box in rule.forbidden]
    return found


def _staircase_tree(rule: Constraint, domain: Domain) -> tuple[FlatTree, NDArray[np.uint8]]:
    """A balanced tree over the steps: which run of values the first variable is in, then the second one's prefix."""
    (j, _), (k, _), *present = rule.forbidden[0].items()
    line = len(domain.variables[j]) - (domain.variables[j].missing is not None)
    too_low = np.zeros(line, dtype=np.int64)
    for box in rule.forbidden:
        too_low[indices(box[j])] = box[k].bit_count()
    starts = [0, *(np.flatnonzero(np.diff(too_low)) + 1).tolist()]
    # Where the first number is missing, or one in the middle of a chain, everything is possible.
    tested = [(j, line), *((i, mask.bit_count()) for i, mask in present)]
    rows: list[list[int]] = [[i, numbers, 0, n + 1, -2] for n, (i, numbers) in enumerate(tested)]

    def add(low: int, high: int) -> int:
        place = len(rows)
        rows.append([])
        if high - low > 1:
            middle = (low + high) // 2
            rows[place] = [j, starts[middle], 0, add(low, middle), add(middle, high)]
        else:
            rows[place] = [k, int(too_low[starts[low]]), 0, -1, -2]
        return place

    add(0, len(starts))
    forbidden, possible = len(rows), len(rows) + 1
    rows += [[-1, -1, 0, -3, -3], [-1, -1, 0, -3, -3]]
    variable, prefix, missing_left, left, right = np.array(rows).T
    ends = {-1: forbidden, -2: possible, -3: -1}
    left, right = (np.array([ends.get(child, child) for child in side.tolist()]) for side in (left, right))
    tree = FlatTree(variable, prefix, missing_left.astype(bool), left, right, np.arange(len(rows)))
    return tree, (tree.origin == forbidden).astype(np.uint8)


def _rule_tree(conditions: list[tuple[int, int]], domain: Domain) -> tuple[FlatTree, NDArray[np.uint8]]:
    possible, forbidden = len(conditions), len(conditions) + 1
    count = forbidden + 1
    nodes = np.arange(count)
    inner = nodes < possible
    left = np.where(inner, np.where(nodes == possible - 1, forbidden, nodes + 1), -1)
    variable = np.full(count, -1)
    prefix = np.full(count, -1)
    missing_left = np.zeros(count, dtype=bool)
    chains = {}
    for node, (j, mask) in enumerate(conditions):
        x = domain.variables[j]
        line = len(x) - (x.missing is not None)
        inside = np.array([bool(mask >> v & 1) for v in range(line)])
        variable[node] = j
        missing_left[node] = x.missing is not None and bool(mask >> x.missing & 1)
        prefix[node] = line if inside[0] else 0
        chain = _chain(inside)
        if chain:
            chains[node] = chain
    right = np.where(inner, possible, -1)
    tree = _add_chains(FlatTree(variable, prefix, missing_left, left, right, nodes), chains)
    return tree, (tree.origin == forbidden).astype(np.uint8)
