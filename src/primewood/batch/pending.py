"""Rows that are being explained: the results so far, and the cells of the domain that wait, each with its rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.batch.row_result import RowResult, RowTask

CellKey = tuple[bytes, int]
"""A cell of the domain, and the decision there."""


class PendingRows:
    """Rows that are being explained.

    Parameters
    ----------
    rows
    places
        Which rows they are, from 0.
    points, labels
        Their cells, and the decisions on them.
    elsewhere
        The rows that another model answers, which share their cells with equal rows only.

    Attributes
    ----------
    found : dict
        The results so far.
    waiting : dict
        The rows in each cell that waits.
    """

    def __init__(
        self,
        rows: NDArray[np.float64],
        places: Sequence[int],
        points: NDArray[np.int64],
        labels: NDArray[np.int64],
        elsewhere: frozenset[int] = frozenset(),
    ) -> None:
        self.rows, self.places, self.points, self.labels = rows, places, points, labels
        self.elsewhere = elsewhere
        self.found: dict[int, RowResult] = {}
        self.waiting: dict[CellKey, list[int]] = {}
        for i in range(len(rows)):
            self.waiting.setdefault(self.cell(i), []).append(i)

    @property
    def results(self) -> list[RowResult]:
        """The results of all rows, when none waits."""
        return [self.found[i] for i in range(len(self.rows))]

    def cell(self, i: int) -> CellKey:
        """The cell of a row, with the decision there."""
        held = self.rows[i] if i in self.elsewhere else self.points[i]
        return held.tobytes() + bytes([i in self.elsewhere]), int(self.labels[i])

    def task(self, cell: CellKey, also: NDArray[np.float64] | None = None) -> RowTask:
        """What is to be explained for a cell: its first row, together with others if they are given."""
        i = self.waiting[cell][0]
        return RowTask(self.places[i], self.rows[i], int(self.labels[i]), also, i in self.elsewhere)

    def split_waiting(self) -> tuple[list[CellKey], list[CellKey]]:
        """The cells that wait: those of this model, and those that another answers."""
        cells: tuple[list[CellKey], list[CellKey]] = ([], [])
        for cell, rows in self.waiting.items():
            cells[rows[0] in self.elsewhere].append(cell)
        return cells
