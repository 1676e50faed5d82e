"""Questions about two decisions at once: one model on two rows, or two models on one row.

The variables that the two share are shared; the others are doubled. A query asks for a joint point at which each of the
two decides as demanded: a conjunction of margins, searched by the core.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from primewood.core import _native
from primewood.engines.native_forest import tree_arrays, variable_arrays
from primewood.engines.prefix_trees import FlatTree
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.engines.search.oracle import SearchForest, native_budget, read_reply
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point
from primewood.logic.variable import Variable

MOST_NODES = 20_000_000
KEPT_NODES = 4_000_000
"""Joint forests are kept for the next question until they have this many nodes together; the last one always is."""


class Demand(NamedTuple):
    """What is asked of one of the parts: that it decides a label; given a rival, that the rival keeps it from doing so.

    With a rival it is one margin, and the quicker question; all rivals have to be asked about one after the other.
    """

    part: int
    label: int
    rival: int | None = None


class Relation(NamedTuple):
    """Which values of a second variable go with each value of a first one: a run of them, from the first to the last.

    Where either is missing, the other must be, too.
    """

    first: int
    second: int
    low: tuple[int, ...]
    high: tuple[int, ...]


class JointForest:
    """Two ensembles, or one ensemble twice, over joint variables; their trees are put together when they are asked.

    Parameters
    ----------
    variables
        The joint variables.
    parts
        Each forest, with the place of each of its variables among the joint ones.
    relations
        What goes together; see `Relation`.
    paired
        Whether the trees of the two are put together two by two: good where most of them are the same.
    twins
        Whether the two decide alike wherever all their leaves have the same values; only if they are paired.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        parts: Sequence[tuple[SearchForest, Sequence[int]]],
        *,
        relations: Sequence[Relation] = (),
        paired: bool = False,
        twins: bool = False,
    ) -> None:
        self.variables = tuple(variables)
        self.places = [list(places) for _, places in parts]
        self._forests = [forest for forest, _ in parts]
        self._relations = tuple(relations)
        self._paired, self._twins = paired, paired and twins
        self._native: _native.Joint | None = None
        self._too_large = False
        self._building = threading.Lock()

    @property
    def nodes(self) -> int:
        """How many nodes its trees have; none before they are put together."""
        return 0 if self._native is None else self._native.nodes

    def build(self, clock: Clock) -> bool:
        """Put the trees together, once; False if interrupted, `TooLarge` if they have too many nodes.

        Cost: linear in the nodes that come out of it.
        """
        return self._find_native(clock) is not None

    def _find_native(self, clock: Clock) -> _native.Joint | None:
        """The trees put together; None if interrupted."""
        if not self._building.acquire(
            timeout=min(clock.left(), threading.TIMEOUT_MAX)
        ):  # another thread is at it
            return None
        try:
            if self._native is None and not self._too_large:
                self._join(clock)
        finally:
            self._building.release()
        if self._too_large:
            raise TooLarge(f"the trees of the two together have more than {MOST_NODES:,} nodes")
        return self._native

    def _join(self, clock: Clock) -> None:
        """Put the trees together, unless there is no time for it or they outgrow the cap."""
        relations = []
        for relation in self._relations:
            if clock.expired():
                return
            relations.append(_relation_tree(relation, self.variables))
        plan = _native.JointPlan()
        plan.variables = variable_arrays(self.variables)
        plan.relations = tree_arrays(relations)
        plan.paired, plan.twins = self._paired, self._twins
        plan.most_nodes = MOST_NODES
        joining = _native.join(
            parts=[forest.native for forest in self._forests],
            places=self.places,
            plan=plan,
            budget=_native.Budget(seconds=clock.left()),
        )
        self._native = joining.joint
        self._too_large = joining.outcome is _native.JoinOutcome.TOO_LARGE

    def find(self, box: Box, demands: Sequence[Demand], clock: Clock | None = None) -> Reply:
        """A joint point of the box at which all demands are met. Cost: a search, exponential at worst."""
        clock = clock or Clock()
        native = self._find_native(clock)
        if native is None:
            return Verdict.INTERRUPTED
        mask = self._mask(box)
        asked = [_native.Demand(d.part, d.label, d.rival) for d in demands]
        return read_reply(native.find(mask, asked, native_budget(clock)))

    def record(
        self,
        box: Box,
        classes: Sequence[int],
        features: Sequence[int],
        most_nodes: int,
        clock: Clock,
        spending: tuple[Sequence[int], int] = ((), 0),
    ) -> _native.Recording | None:
        """A proof that no joint point of the box is decided for these classes, one per part; None if interrupted.

        Parameters
        ----------
        features
            Per joint variable, how the certificate numbers it.
        spending
            What each value costs, and the budget within which points count.
        """
        native = self._find_native(clock)
        if native is None:
            return None
        costs, most = spending
        budget = native_budget(clock)
        return native.record(
            self._mask(box), list(classes), list(costs), most, list(features), most_nodes, budget
        )

    def _mask(self, box: Box) -> NDArray[np.uint8]:
        """A box as the core takes it: one byte per atom."""
        allowed = [mask >> v & 1 for x, mask in zip(self.variables, box, strict=True) for v in range(len(x))]
        return np.array(allowed, dtype=np.uint8)

    def part(self, point: Point, number: int) -> Point:
        """What a joint point is for one of the parts."""
        return tuple(point[place] for place in self.places[number])


class KeptJoints:
    """The joint forests that were asked last; building one may take longer than asking it."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, JointForest] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], JointForest]) -> JointForest:
        """The one that is kept under a key, or a new one."""
        with self._lock:
            joint = self._kept.pop(key, None) or make()
            while self._kept and joint.nodes + sum(one.nodes for one in self._kept.values()) > KEPT_NODES:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = joint
            return joint


def _relation_tree(relation: Relation, variables: Sequence[Variable]) -> tuple[FlatTree, NDArray[np.int64]]:
    """A relation as a rule: a balanced tree over the first variable, then two tests of the second one."""
    j, k, low, high = relation
    lines = [len(variables[i]) - (variables[i].missing is not None) for i in (j, k)]
    rows: list[tuple[int, int, bool, int, int]] = []
    forbidden, possible = -1, -2  # marks for the two leaves, until their places are known

    def reserve() -> int:
        rows.append((-1, -1, False, -3, -3))
        return len(rows) - 1

    def add(first: int, last: int) -> int:
        place = reserve()
        if last - first > 1:
            middle = (first + last) // 2
            rows[place] = (j, middle, False, add(first, middle), add(middle, last))
        else:
            above = reserve()
            rows[place] = (
                k,
                low[first],
                False,
                forbidden,
                above,
            )  # values below the run, and "missing" is above it
            rows[above] = (k, high[first] + 1, False, possible, forbidden)
        return place

    root = reserve()
    missing = reserve()
    rows[missing] = (k, lines[1], False, forbidden, possible)
    rows[root] = (j, lines[0], False, add(0, lines[0]), missing)
    ends = {forbidden: len(rows), possible: len(rows) + 1, -3: -1}
    rows += [(-1, -1, False, -3, -3), (-1, -1, False, -3, -3)]
    variable, prefix, missing_left, left, right = (np.array(column) for column in zip(*rows, strict=True))
    left, right = (np.array([ends.get(child, child) for child in side.tolist()]) for side in (left, right))
    tree = FlatTree(variable, prefix, missing_left.astype(bool), left, right, np.arange(len(rows)))
    return tree, (tree.origin == ends[forbidden]).astype(np.int64)
