"""Products of diagrams: two functions side by side, and other names for what they give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primewood.engines.diagram.diagram import Diagram, DiagramLevel


def product(a: Diagram, b: Diagram) -> tuple[Diagram, list[tuple[int, int]]]:
    """The pairs of nodes that are reached together, and the pairs of terminals. Cost: linear in these pairs."""
    pairs = np.array([[a.root, b.root]], dtype=np.int64)
    levels = []
    for left, right in zip(a.levels, b.levels, strict=True):
        width = int(right.max()) + 1
        keys = left[pairs[:, 0]].astype(np.int64) * width + right[pairs[:, 1]]
        found, places = np.unique(keys, return_inverse=True)
        levels.append(places.reshape(keys.shape).astype(np.int32))
        pairs = np.column_stack([found // width, found % width])
    return Diagram(a.variables, a.order, tuple(levels), 0, len(pairs)), [(int(x), int(y)) for x, y in pairs]


def relabel(diagram: Diagram, terminal: NDArray[np.int32], terminals: int) -> Diagram:
    """The diagram with other terminals, nodes that become equal made one. Cost: one sort per level."""
    below: NDArray[np.int32] = terminal
    levels: list[DiagramLevel] = []
    for level in reversed(diagram.levels):
        rows, places = np.unique(below[level], axis=0, return_inverse=True)
        levels.append(np.ascontiguousarray(rows, dtype=np.int32))
        below = places.ravel().astype(np.int32)
    root = int(below[diagram.root])
    return Diagram(diagram.variables, diagram.order, tuple(reversed(levels)), root, terminals)


def only_where(diagram: Diagram, possible: Diagram) -> Diagram:
    """A diagram with one more terminal, "impossible", where the other one has the terminal 0.

    Both have the same universe and the same order.
    """
    both, pairs = product(diagram, possible)
    terminal = np.array([x if y else diagram.terminals for x, y in pairs], dtype=np.int32)
    found = relabel(both, terminal, diagram.terminals + 1)
    return Diagram(
        found.variables,
        found.order,
        found.levels,
        found.root,
        found.terminals,
        diagram.terminals,
        diagram.making,
    )
