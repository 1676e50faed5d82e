"""Diagrams, trees and reasons as pictures. A picture that would be too large shows only a part, and says so."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from primewood.arrays import Ints
from primewood.errors import InvalidInput
from primewood.logic.variable import Variable
from primewood.render.labels import edge_label, label_pieces
from primewood.render.picture import OPEN, PALETTE, Picture, Sketch
from primewood.render.records import TreeNode
from primewood.render.text import write_share

__all__ = ["Picture", "diagram_picture", "edge_label", "reason_picture", "tree_picture"]


class LevelDiagram(Protocol):
    """A multi-valued decision diagram, level by level."""

    @property
    def variables(self) -> Sequence[Variable]:
        """What is tested."""

    @property
    def order(self) -> Sequence[int]:
        """The variable of each level, as a position in `variables`."""

    @property
    def levels(self) -> Sequence[ArrayLike]:
        """Per level one row per node and one column per value: a position on the next level, or a decision."""

    @property
    def root(self) -> int:
        """A row of the first level; without levels a decision."""


class ReasonDiagram(Protocol):
    """A binary decision diagram over restrictions, whose first two nodes are "decision open" and "decision certain"."""

    @property
    def variable(self) -> ArrayLike:
        """Per node its restriction."""

    @property
    def lo(self) -> ArrayLike:
        """Per node the node below if its restriction does not hold."""

    @property
    def hi(self) -> ArrayLike:
        """Per node the node below if its restriction holds."""

    @property
    def root(self) -> int:
        """The node at the top."""


def diagram_picture(
    diagram: LevelDiagram,
    labels: Sequence[object],
    *,
    units: Mapping[str, str] | None = None,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A multi-valued decision diagram, without redundant nodes.

    Each test has its own box for a decision that it leads to: edges to shared boxes would cross everything else.
    Cost: linear in the entries, and a drawing of `most_nodes`.

    Parameters
    ----------
    labels
        The decisions in words.
    units
        Units by name of variable.
    most_nodes
        How many tests are drawn, from the top; what would lie below is drawn as "…".
    """
    reduced = _Reduced.of(diagram, len(labels))
    sketch = Sketch(labels)
    kept = _from_the_top(reduced.root, reduced.list_children, most_nodes) if reduced.tests else {}
    for node in kept:
        level = reduced.level(node)
        x = diagram.variables[diagram.order[level]]
        sketch.test(node, x.name, rank=level)
        masks: dict[str, int] = {}
        for value, target in enumerate(reduced.row(node)):
            name = sketch.target(node, target, kept)
            masks[name] = masks.get(name, 0) | 1 << value
        for name, mask in masks.items():
            pieces = label_pieces(x, mask, (units or {}).get(x.name, "")) if len(masks) > 1 else []
            sketch.edge(node, name, pieces, f"{x.name}: {' '.join(pieces) or 'any'}")
    if not kept:
        sketch.decision("root", reduced.root)
    return sketch.picture("Decision diagram", title, len(kept), reduced.tests)


def tree_picture(
    nodes: Sequence[TreeNode],
    labels: Sequence[object],
    *,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A decision tree.

    Parameters
    ----------
    nodes
        Root first: tests ``{"text": "age ≤ 30", "left": 1, "right": 2}``, whose left branch is "yes", and leaves
        ``{"decision": place in labels, "share": 0.97 or None}``, or with a "note" in place of the share.
    most_nodes
        How many tests and leaves are drawn, from the top; what would lie below is drawn as "…".
    """
    if not nodes:
        raise InvalidInput("a tree has at least one node")
    sketch = Sketch(labels)

    def list_children(node: int) -> list[int]:
        record = nodes[node]
        return [] if "decision" in record else [record["left"], record["right"]]

    kept = _from_the_top(0, list_children, most_nodes)
    for node in kept:
        record = nodes[node]
        if "decision" in record:
            part = record.get("share")
            note = record.get("note", "" if part is None else write_share(part))
            sketch.decision(f"n{node}", record["decision"], note)
            continue
        sketch.test(node, record["text"])
        for word, child in zip(("yes", "no"), list_children(node), strict=True):
            name = f"n{child}" if child in kept else sketch.cut(f"c{node}")
            sketch.edge(node, name, [word], f"{record['text']}: {word}")
    total = len(_from_the_top(0, list_children, len(nodes)))
    return sketch.picture("Decision tree", title, len(kept), total, ordered=True)


def reason_picture(
    reason: ReasonDiagram,
    texts: Sequence[str],
    *,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A monotone binary decision diagram over restrictions: the reason of a decision.

    Parameters
    ----------
    texts
        The restrictions in words.
    most_nodes
        How many tests are drawn, from the top; what would lie below is drawn as "…".
    """
    which, no, yes = (np.asarray(array, dtype=np.int64) for array in (reason.variable, reason.lo, reason.hi))
    root = reason.root
    sketch = Sketch(("decision open", "decision certain"), (OPEN, PALETTE[0]))

    def list_children(node: int) -> list[int]:
        return [int(child) for child in (yes[node], no[node]) if child > 1]

    kept = _from_the_top(root, list_children, most_nodes) if root > 1 else {}
    for node in kept:
        text = texts[which[node]]
        sketch.test(node, text, rank=int(which[node]))
        holds, fails = (sketch.target(node, int(side[node]), kept) for side in (yes, no))
        sketch.edge(node, holds, [], f"{text}: holds")
        sketch.edge(node, fails, [], f"{text}: does not hold", dashed=True)
    if not kept:
        sketch.decision("root", root)
    caption = "solid: the restriction holds, dashed: it does not" if kept else ""
    return sketch.picture("Reason of a decision", title, len(kept), _reachable(no, yes, root), caption)


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A diagram without redundant nodes: 0, 1, ... are the decisions, then come the nodes, the lowest level first.

    Attributes
    ----------
    rows : tuple of arrays
        Per level, the lowest first: where the values of each node lead.
    starts : tuple of int
        Per level, the lowest first: the number of its first node.
    root : int
    tests : int
        How many nodes can be reached from the root.
    """

    rows: tuple[Ints, ...]
    starts: tuple[int, ...]
    root: int
    tests: int

    @classmethod
    def of(cls, diagram: LevelDiagram, labels: int) -> _Reduced:
        rows: list[Ints] = []
        starts, goal = [labels], np.arange(labels)
        for level in reversed(diagram.levels):
            row = goal[np.asarray(level)]
            idle = (row == row[:, :1]).all(axis=1)
            goal = np.where(idle, row[:, 0], starts[-1] + np.arange(len(row)))
            rows.append(row)
            starts.append(starts[-1] + len(row))
        reached = np.zeros(starts[-1], dtype=bool)
        root = int(goal[diagram.root])
        reached[root] = True
        for row, start in zip(reversed(rows), reversed(starts[:-1]), strict=True):
            reached[row[reached[start : start + len(row)]]] = True
        return cls(tuple(rows), tuple(starts[:-1]), root, int(reached[labels:].sum()))

    def level(self, node: int) -> int:
        """The level of a node, counted from the top."""
        return len(self.starts) - bisect.bisect_right(self.starts, node)

    def row(self, node: int) -> list[int]:
        """Where the values of a node lead."""
        k = bisect.bisect_right(self.starts, node) - 1
        return [int(target) for target in self.rows[k][node - self.starts[k]]]

    def list_children(self, node: int) -> list[int]:
        """The nodes that a node leads to."""
        return [target for target in self.row(node) if target >= self.starts[0]]


def _reachable(lo: Ints, hi: Ints, root: int) -> int:
    """How many nodes of a binary diagram, without decisions, can be reached from its root."""
    reached, fresh = np.zeros(len(lo), dtype=bool), np.array([root] if root > 1 else [], dtype=np.int64)
    while fresh.size:
        reached[fresh] = True
        targets = np.unique(np.concatenate([lo[fresh], hi[fresh]]))
        fresh = targets[(targets > 1) & ~reached[targets]]
    return int(reached.sum())


def _from_the_top(root: int, list_children: Callable[[int], Iterable[int]], most: int) -> dict[int, None]:
    """The nodes that are drawn, breadth first."""
    if most < 1:
        raise InvalidInput(f"most_nodes must be at least 1, not {most}")
    kept: dict[int, None] = {root: None}
    queue = [root]
    for node in queue:
        fresh = [child for child in dict.fromkeys(list_children(node)) if child not in kept][
            : most - len(kept)
        ]
        kept.update(dict.fromkeys(fresh))
        queue += fresh
    return kept
