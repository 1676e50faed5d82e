"""Rows that are being explained: the results so far, and the waiting cells of the domain, each with its rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.batch.row_result import RowResult, RowTask

CellKey = tuple[bytes, int]
"""A cell of the domain, and its decision."""


class PendingRows:
    """Rows that are being explained.

    Parameters
    ----------
    rows
    places
        Their positions, from 0.
    points, labels
        Their cells and decisions.
    elsewhere
        The rows that another model explains. They share their cells only with equal rows.
    by_cell
        Whether rows of one cell share their explanation; else only equal rows do.

    Attributes
    ----------
    found : dict
        The results so far.
    waiting : dict
        The rows in each waiting cell.
    """

    def __init__(
        self,
        rows: NDArray[np.float64],
        places: Sequence[int],
        points: NDArray[np.int64],
        labels: NDArray[np.int64],
        elsewhere: frozenset[int] = frozenset(),
        *,
        by_cell: bool = True,
    ) -> None:
        self.rows, self.places, self.points, self.labels = rows, places, points, labels
        self.elsewhere, self._by_cell = elsewhere, by_cell
        self.found: dict[int, RowResult] = {}
        self.waiting: dict[CellKey, list[int]] = {}
        for i in range(len(rows)):
            self.waiting.setdefault(self.cell(i), []).append(i)

    @property
    def results(self) -> list[RowResult]:
        """The results of all rows, when no row is waiting."""
        return [self.found[i] for i in range(len(self.rows))]

    def cell(self, i: int) -> CellKey:
        """The cell of a row, with its decision."""
        held = self.points[i] if self._by_cell and i not in self.elsewhere else self.rows[i]
        return held.tobytes() + bytes([i in self.elsewhere]), int(self.labels[i])

    def task(self, cell: CellKey, also: NDArray[np.float64] | None = None) -> RowTask:
        """The task of a cell: its first row, together with others if they are given."""
        i = self.waiting[cell][0]
        return RowTask(self.places[i], self.rows[i], int(self.labels[i]), also, i in self.elsewhere)

    def split_waiting(self) -> tuple[list[CellKey], list[CellKey]]:
        """The waiting cells: those of this model, and those that another model explains."""
        cells: tuple[list[CellKey], list[CellKey]] = ([], [])
        for cell, rows in self.waiting.items():
            cells[rows[0] in self.elsewhere].append(cell)
        return cells
