"""Cells in rows: as many side by side as have room for their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from primewood.render.plots.measure import line_height, unbroken, wrapped
from primewood.render.plots.page import Box

SIZE = 8.0
PAD = 0.05
SPACE = 0.05
LEAST = 0.5
MOST_LINES = 2


@dataclass(frozen=True, slots=True)
class Grid:
    """Where cells lie.

    Attributes
    ----------
    boxes : tuple of Box
        Per cell, with the top of the grid at 0.
    lines : tuple of list of str
        Per cell its name.
    height : float
    """

    boxes: tuple[Box, ...]
    lines: tuple[list[str], ...]
    height: float


def grid(names: Sequence[str], left: float, right: float, above: float = 0.0) -> Grid:
    """Cells for names between `left` and `right`, with some room above each row."""
    across, lines = _fitting(names, right - left)
    deep = max(map(len, lines), default=1)
    height = deep * line_height(SIZE) + 2 * PAD
    width = (right - left + SPACE) / across
    boxes = []
    for place in range(len(names)):
        row, column = divmod(place, across)
        top = row * (above + height + SPACE) + above
        boxes.append((left + column * width, top, left + (column + 1) * width - SPACE, top + height))
    rows = math.ceil(len(names) / across)
    return Grid(tuple(boxes), tuple(lines), rows * (above + height + SPACE) - SPACE if rows else 0.0)


def _fitting(names: Sequence[str], room: float) -> tuple[int, list[list[str]]]:
    """How many cells stand side by side, and the lines of their names; even rows, if there are several."""
    count = max(1, len(names))
    choices = sorted({math.ceil(count / rows) for rows in range(1, count + 1)}, reverse=True)
    fit = [across for across in choices if across == 1 or room / across >= LEAST]
    for across in fit:
        inner = (room + SPACE) / across - SPACE - 2 * PAD
        lines = [wrapped(name, inner, SIZE, most=99) for name in names]
        whole = all(
            "".join(parts).replace(" ", "") == "".join(name.split())
            and len(parts) <= MOST_LINES
            and unbroken(name, parts)
            for name, parts in zip(names, lines, strict=True)
        )
        if whole:
            return across, lines
    across = fit[-1] if len(fit) == 1 else min(count, 2)
    inner = (room + SPACE) / across - SPACE - 2 * PAD
    return across, [wrapped(name, inner, SIZE, most=MOST_LINES) for name in names]
