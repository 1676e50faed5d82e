"""One decision tree: every answer is read from its leaves, and nothing is compiled.

A test sends the first values of a variable left, and "missing" to one side. So a leaf is a box that
allows, of each variable, a *run* of values and perhaps "missing"; the leaves are disjoint and leave
nothing out. Let α be an instance, c its decision, a *rival* a leaf λ of another class, and D(λ) the
variables whose values in α are outside λ.

- A box entails c iff it meets no rival.
- To reach λ, all of D(λ) must be dropped, and that is enough. So the contrastive explanations in
  `values` are the minimal sets D(λ): at most one per leaf. The PI-explanations are their minimal
  hitting sets, and a smallest hitting set is a shortest one (Huang, Izza, Ignatiev, Marques-Silva, "On
  efficiently explaining graph-based classifiers", KR 2021).
- In `sets` and `intervals` there is a choice for each variable in D(λ): what to allow besides the value
  of α. A choice is contrastive iff no part of it allows a rival. The choices of a leaf are a box. Those that
  contain a part that allows a given rival are a box inside it, and the remaining choices are listed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Bools, Ints
from primewood.domain import EnsembleSubject
from primewood.engines.duality import DualFamily
from primewood.engines.prefix_trees import FlatTree, flat_trees
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language, check_language
from primewood.logic.masks import indices
from primewood.logic.variable import Variable

Runs = NDArray[np.int32]
"""Sets of values, shape (3, n_variables, n_leaves): from the first number up to the second, and
"missing" if the third is 1."""


class SingleTree:
    """The leaves of a model that is one decision tree.

    Cost: memory for one run per leaf and variable. Nothing is written later, so threads may share it.

    >>> from primewood.domain import domain_of
    >>> from primewood.ensemble import Ensemble, Tree
    >>> paper = Tree.build((0, 2.0, [1, 0], (1, -7.0, [1, 0], (0, 6.0, [0, 1], [1, 0]))))
    >>> ensemble = Ensemble((paper,), ("X", "Y"), ("no", "yes"))
    >>> tree = SingleTree(EnsembleSubject(ensemble, domain_of(ensemble)))
    >>> [tuple(map(bin, box)) for box in tree.contrasts((1, 1), "sets")]
    [('0b11', '0b10'), ('0b10', '0b11'), ('0b110', '0b10')]
    >>> tree.explanation((0, 0), [0, 1]), tree.explanation((0, 0), [1, 0]), tree.shortest((1, 1))
    ((7, 1), (1, 3), (2, 2))
    """

    def __init__(self, subject: EnsembleSubject) -> None:
        ensemble = subject.ensemble
        if len(ensemble.trees) != 1:
            raise InvalidInput(
                f"a single tree decides alone; this {ensemble.source} has {len(ensemble.trees)} trees. The search "
                "engine takes every ensemble"
            )
        self.variables = subject.variables
        (flat,) = flat_trees(ensemble, subject.domain)
        tests, classes = _tests(flat, self.variables), ensemble.leaf_classes(ensemble.trees[0])[flat.origin]
        self._steps, self._decisions = tests.tolist(), classes.tolist()
        nodes, self._runs = _leaves(tests, self.variables)
        self._classes = classes[nodes]

    def decide(self, point: Point) -> int:
        """The decision at a point. Cost: one walk down the tree."""
        values, node = (*point, 0), 0
        while True:
            j, prefix, missing, missing_left, left, right = self._steps[node]
            if left < 0:
                return int(self._decisions[node])
            value = values[j]
            node = left if (missing_left if value == missing else value < prefix) else right

    def oracle(self, label: int) -> TreeOracle:
        """An oracle for "the decision is this label". Cost: one comparison per leaf."""
        return TreeOracle(self, label)

    def leaves_against(self, label: int) -> Ints:
        """The leaves of all classes but this one."""
        return np.flatnonzero(self._classes != label)

    def point_in(self, box: Box, leaves: Ints) -> Point | None:
        """A point of the box in one of these leaves. Cost: one pass over them per restricted variable."""
        for j, (x, allowed) in enumerate(zip(self.variables, box, strict=True)):
            if leaves.size and allowed != x.everything:
                leaves = leaves[_meet(self._runs[:, j, leaves], allowed, _line(x))]
        if not leaves.size:
            return None
        inside = self._masks(self._runs, range(len(box)), int(leaves[0]))
        return tuple(_lowest(mask & allowed) for mask, allowed in zip(inside, box, strict=True))

    def explanation(self, point: Point, order: Sequence[int]) -> Box:
        """The PI-explanation in `values` that remains when variables are dropped in this order.

        A variable can go iff every rival that excludes its value excludes that of another one that is
        kept. What the order does not name is kept. Cost: one pass over the leaves per variable.
        """
        excluded = self._rivals(point).excluded
        hits = excluded.sum(axis=0)
        freed: set[int] = set()
        for j in order:
            if j not in freed and not (excluded[j] & (hits == 1)).any():
                hits -= excluded[j]
                freed.add(j)
        return self._find_freeing(point, freed)

    def shortest(self, point: Point) -> Box:
        """A PI-explanation in `values` that keeps as few variables as possible.

        It is a smallest hitting set of all contrastive explanations, proved so by a MaxSAT solver. Cost:
        exponential in the variables at worst, usually a few milliseconds.
        """
        from pysat.examples.hitman import Hitman  # loads more solvers than the rest needs

        rivals = self._rivals(point)
        kept: list[int] = []
        if rivals.minimal:
            with Hitman(bootstrap_with=[rivals.list_excluding(i) for i in rivals.minimal]) as smallest_first:
                kept = smallest_first.get()
        return self._find_freeing(point, set(range(len(point))) - set(kept))

    def find_other(self, box: Box, label: int) -> Point | None:
        """A point of a box that is not decided for the label; None if there is none."""
        return self.point_in(box, self.leaves_against(label))

    def contrasts(self, point: Point, literals: Language = "sets") -> Iterator[Box]:
        """All contrastive explanations of the decision at a point, each once, lazily.

        Each is a box that allows the point's own values and some more. In it another decision is possible;
        in a smaller such box, it is not. In `intervals`, the values that a numeric variable gets besides its own
        begin next to the point's value, or are "missing"; beside a missing value, all are allowed. Cost: in
        `values` polynomial. Otherwise there may be very many; the next one is found by a search that only
        contrived trees make long.
        """
        check_language(literals)
        rivals = self._rivals(point)
        if literals == "values" or not rivals.leaves.size:
            yield from (self._find_freeing(point, set(rivals.list_excluding(i))) for i in rivals.minimal)
            return
        needs = self._needs(rivals, point, literals)
        for i in range(len(rivals.leaves)):
            changed = rivals.list_excluding(i)
            ends = self._masks(needs.ends, changed, i)
            for chosen in _leave_out(ends, self._threats(rivals, needs, i)):
                yield from self._find_reaching(point, literals, changed, chosen)

    def _rivals(self, point: Point) -> _Rivals:
        """The rivals at a point, those that exclude fewest of its values first."""
        leaves = self.leaves_against(self.decide(point))
        low, high, missing = self._runs[:, :, leaves]
        own = np.array(point, dtype=np.int64)[:, None]
        is_missing = own == np.array([_line(x) for x in self.variables], dtype=np.int64)[:, None]
        excluded = np.where(is_missing, missing == 0, (own < low) | (own >= high))
        order = np.argsort(excluded.sum(axis=0), kind="stable")
        return _Rivals(leaves[order], excluded[:, order])

    def _find_freeing(self, point: Point, freed: set[int]) -> Box:
        cells = enumerate(zip(self.variables, point, strict=True))
        return tuple(x.everything if j in freed else 1 << value for j, (x, value) in cells)

    def _needs(self, rivals: _Rivals, point: Point, literals: Language) -> _Needs:
        """What must be allowed to reach each rival."""
        found = [
            _need(x, value, self._runs[:, j, rivals.leaves], rivals.excluded[j], literals)
            for j, (x, value) in enumerate(zip(self.variables, point, strict=True))
        ]
        return _Needs(np.stack([ends for ends, _ in found], 1), np.stack([reach for _, reach in found], 1))

    def _threats(self, rivals: _Rivals, needs: _Needs, i: int) -> list[Box]:
        """The choices of rival i with a part that allows another rival, or that as a whole allow an earlier one.

        A part leaves out a variable, or goes less far. A later rival with the same variables counts only
        where it needs less of one of them; otherwise the two would put each other out.
        """
        changed, others = rivals.list_excluding(i), rivals.within(i)
        found: list[Box] = []
        for other in others[needs.met(changed, others, i)].tolist():
            reach = self._masks(needs.reach, changed, other)
            if other < i:
                found.append(reach)
            else:
                ends = self._masks(needs.ends, changed, other)
                less = [far & ~near for far, near in zip(reach, ends, strict=True)]
                found += [(*reach[:k], mask, *reach[k + 1 :]) for k, mask in enumerate(less) if mask]
        return found

    def _find_reaching(
        self, point: Point, literals: Language, changed: list[int], chosen: Box
    ) -> Iterator[Box]:
        """The boxes that reach from the point to one of the chosen values of each changed variable."""
        options = [
            [_find_between(self.variables[j], point[j], end, literals) for end in indices(mask)]
            for j, mask in zip(changed, chosen, strict=True)
        ]
        box = [1 << value for value in point]
        for masks in itertools.product(*options):
            for j, mask in zip(changed, masks, strict=True):
                box[j] = mask
            yield tuple(box)

    def _masks(self, runs: Runs, variables: Sequence[int], leaf: int) -> Box:
        """A leaf's sets of values of some variables, as bit masks."""
        rows = zip(variables, runs[:, variables, leaf].T.tolist(), strict=True)
        return tuple(
            (1 << high) - (1 << low) | missing << _line(self.variables[j]) for j, (low, high, missing) in rows
        )


class TreeOracle:
    """Answers about one decision of a single tree, by looking at the leaves of the other classes."""

    def __init__(self, tree: SingleTree, label: int) -> None:
        self._tree, self._label = tree, label
        self._against = tree.leaves_against(label)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._tree.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point. Cost: one walk down the tree."""
        return self._tree.decide(point) == self._label

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:  # noqa: ARG002
        """A point of the box that gets a different decision. Cost: one pass over the leaves per variable.

        It never gives up, and takes no notice of the clock.
        """
        found = self._tree.point_in(box, self._against)
        return Verdict.NONE_EXISTS if found is None else found

    def primes(self, literals: Language, point: Point | None = None) -> DualFamily:
        """The prime boxes of the decision, all or those that contain a point, by duality."""
        return DualFamily(self, literals, point)


@dataclass(frozen=True, eq=False)
class _Rivals:
    """The leaves that decide otherwise than a point is decided.

    Attributes
    ----------
    leaves : array, shape (n_rivals,)
        Those that exclude fewest of the point's values come first.
    excluded : array of bool, shape (n_variables, n_rivals)
        Whether a rival excludes the point's value.
    """

    leaves: Ints
    excluded: Bools

    def list_excluding(self, i: int) -> list[int]:
        """The variables whose value at the point a rival excludes."""
        found: list[int] = np.flatnonzero(self.excluded[:, i]).tolist()
        return found

    def within(self, i: int) -> Ints:
        """The other rivals that exclude no value of the point but what rival i excludes."""
        inside = ~(self._words & ~self._words[i]).any(axis=1)
        inside[i] = False
        return np.flatnonzero(inside)

    @cached_property
    def minimal(self) -> list[int]:
        """One rival for each minimal set of excluded variables. Cost: a pass over the rivals for each."""
        left, words = np.arange(len(self.leaves)), self._words
        found: list[int] = []
        while left.size:
            found.append(int(left[0]))
            beyond = (words[0] & ~words).any(axis=1)
            left, words = left[beyond], words[beyond]
        return found

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The excluded variables of each rival, as bits of whole words."""
        count, size = self.excluded.shape
        padded = np.zeros((size, count + -count % 64), dtype=bool)
        padded[:, :count] = self.excluded.T
        return np.packbits(padded, axis=1).view(np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class _Needs:
    """How far each variable must be widened to reach each rival.

    To widen up to an *end* is to allow all that the language allows with this value.

    Attributes
    ----------
    ends : Runs
        The ends that are just far enough.
    reach : Runs
        The ends that are far enough.
    """

    ends: Runs
    reach: Runs

    def met(self, variables: list[int], others: Ints, i: int) -> Bools:
        """Which others some choice of rival i's ends is far enough for."""
        low, high, missing = self.ends[:, variables, i, None]
        other_low, other_high, other_missing = self.reach[:, variables][:, :, others]
        common = np.maximum(low, other_low) < np.minimum(high, other_high)
        met: Bools = (common | (missing & other_missing > 0)).all(axis=0)
        return met


def _need(x: Variable, own: int, run: Runs, excluded: Bools, literals: Language) -> tuple[Runs, Runs]:
    """The ends of one variable that are just far enough for each rival, and all that are far enough."""
    ends, reach = run, run
    low, high, missing = run
    if _is_whole(x, own, literals):
        ends = reach = np.stack([np.zeros_like(low), np.ones_like(low), np.zeros_like(low)])
    elif literals == "intervals" and x.ordered:
        some, above = low < high, low > own
        nearest = np.where(some & ~above, high - 1, low)
        ends = np.stack([nearest, nearest + some, missing])
        reach = np.stack([low * (some & above), np.where(above, x.ordered, high) * some, missing])
    return ends, np.where(excluded, reach, np.array([[0], [_line(x)], [1]], dtype=np.int32))


def _is_whole(x: Variable, own: int, literals: Language) -> bool:
    """Whether a language other than `values` can drop a variable only as a whole."""
    return literals == "intervals" and x.ordered > 0 and own == x.missing


def _find_between(x: Variable, own: int, end: int, literals: Language) -> int:
    """What is allowed when a variable is widened up to an end."""
    if _is_whole(x, own, literals):
        return x.everything
    if literals == "intervals" and end < x.ordered:
        low, high = sorted((own, end))
        return (2 << high) - (1 << low)
    return 1 << own | 1 << end


def _leave_out(box: Box, others: list[Box]) -> Iterator[Box]:
    """Disjoint boxes that hold the points of a box that are in none of the others.

    Each time the other box that is bounded in fewest variables is cut out, so that what swallows a box, or
    leaves one part of it, is found at once. Cost: exponential at worst, as for satisfiability.
    """
    todo = [(box, others)]
    while todo:
        box, others = todo.pop()
        others = [other for other in others if all(a & b for a, b in zip(box, other, strict=True))]
        if not others:
            yield box
            continue
        bounds = [[j for j, (a, b) in enumerate(zip(box, other, strict=True)) if a & ~b] for other in others]
        first = min(range(len(others)), key=lambda k: len(bounds[k]))
        for j in bounds[first]:
            outside, inside = box[j] & ~others[first][j], box[j] & others[first][j]
            todo.append(((*box[:j], outside, *box[j + 1 :]), others))
            box = (*box[:j], inside, *box[j + 1 :])


def _line(x: Variable) -> int:
    """How many values a variable has besides "missing", which is the last."""
    return len(x) - (x.missing is not None)


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _meet(run: Runs, mask: int, line: int) -> Bools:
    """Which leaves allow a value of the mask: it has fewer values below their run than up to its end."""
    packed = np.frombuffer(mask.to_bytes(line // 8 + 1, "little"), dtype=np.uint8)
    below = np.concatenate([[0], np.cumsum(np.unpackbits(packed, bitorder="little")[:line], dtype=np.int64)])
    low, high, missing = run
    met: Bools = (below[low] < below[high]) | (missing > 0 if mask >> line & 1 else False)
    return met


def _tests(tree: FlatTree, variables: Sequence[Variable]) -> Ints:
    """What each node does, one row per node: variable, prefix, missing, missing_left, left, right.

    It sends the first `prefix` values left, and the value `missing` if `missing_left` says so.
    """
    lines = np.array([*map(_line, variables), 1])
    return np.column_stack(
        [tree.variable, tree.prefix, lines[tree.variable], tree.missing_left, tree.left, tree.right]
    )


def _leaves(tests: Ints, variables: Sequence[Variable]) -> tuple[Ints, Runs]:
    """The leaves that some point reaches, and their runs. Cost: one pass per level."""
    root = [(0, _line(x), x.missing is not None) for x in variables]
    nodes = np.zeros(1, dtype=np.int64)
    runs = np.array([*root, (0, 1, False)], dtype=np.int32).T[:, :, None]
    found: list[tuple[Ints, Runs]] = []
    while nodes.size:
        is_leaf = tests[nodes, 4] < 0
        found.append((nodes[is_leaf], runs[:, :-1, is_leaf]))
        nodes, runs = _children(tests, nodes[~is_leaf], runs[:, :, ~is_leaf])
    return np.concatenate([nodes for nodes, _ in found]), np.concatenate([runs for _, runs in found], axis=2)


def _children(tests: Ints, nodes: Ints, runs: Runs) -> tuple[Ints, Runs]:
    """The children of nodes that some point reaches, and their runs."""
    j, prefix, _, missing_left, left, right = tests[nodes].T
    here = np.arange(len(nodes))
    low, high, missing = runs[:, j, here]
    to_left, to_right = runs.copy(), runs.copy()
    to_left[:, j, here] = np.minimum(low, prefix), np.minimum(high, prefix), missing * (missing_left > 0)
    to_right[:, j, here] = np.maximum(low, prefix), np.maximum(high, prefix), missing * (missing_left == 0)
    below = np.concatenate([to_left, to_right], axis=2)
    possible = ((below[0] < below[1]) | (below[2] > 0)).all(axis=0)
    return np.concatenate([left, right])[possible], below[:, :, possible]
