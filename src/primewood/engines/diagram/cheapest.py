"""The cheapest path of a diagram: dynamic programming from the terminals up."""

from __future__ import annotations

import numpy as np

from primewood.engines.diagram.diagram import Diagram
from primewood.engines.protocol import Costs
from primewood.logic.instance import Point


def cheapest_path(
    diagram: Diagram, label: int, costs: Costs, *, largest: bool = False
) -> tuple[Point, float] | None:
    """The cheapest point that does not end in the label, and its cost; None if there is none.

    The costs of a point's values are added up, or, if `largest`, the largest counts. Cost: linear in the diagram.
    """
    to_go = np.where(np.arange(diagram.terminals) == label, np.inf, 0.0)
    of_variable = np.split(costs, np.cumsum([len(x) for x in diagram.variables])[:-1])
    choices = []
    for j, level in zip(reversed(diagram.order), reversed(diagram.levels), strict=True):
        price = of_variable[j]
        whole = np.maximum(to_go[level], price) if largest else to_go[level] + price
        choices.append(whole.argmin(axis=1))
        to_go = whole.min(axis=1)
    if not np.isfinite(to_go[diagram.root]):
        return None
    point, node = [0] * len(diagram.variables), diagram.root
    for j, level, choice in zip(diagram.order, diagram.levels, reversed(choices), strict=True):
        point[j] = int(choice[node])
        node = int(level[node, point[j]])
    return tuple(point), float(to_go[diagram.root])
