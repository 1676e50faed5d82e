"""Explain many rows, block after block.

Rows in one cell of the domain have the same decision and the same explanations, so a cell is explained once. With
`reuse`, a row reuses an earlier explanation that covers it and has the same decision. The rows of a block are then
explained in rounds, and only explanations of finished rounds are reused. So the result of a row does not depend on how
many rows are explained at a time.

The hardest rows of a block, or of a round, come last: every row first has a short try, and rows that need more time
continue when the others are done. A row that fails or reaches a limit is a result with a status.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.batch.batch import TAKEN_OVER
from primewood.batch.failed import Failed
from primewood.batch.known_boxes import KnownBoxes, LentBox
from primewood.batch.pending_rows import CellKey, PendingRows
from primewood.batch.progress import show_progress
from primewood.batch.reuse_order import WaitingRows
from primewood.batch.row_explainer import RowExplainer
from primewood.batch.row_result import OnResult, RowResult, RowTask, describe_error
from primewood.batch.settings import Settings
from primewood.batch.sources import Block, split_rows
from primewood.batch.workers import Workers
from primewood.errors import PrimewoodError
from primewood.logic.instance import Box, Point
from primewood.model.model import TreeModel
from primewood.questions.explanation import Explanation
from primewood.questions.status import Status
from primewood.tables.rows import Reading

SHORT = 0.05
"""The share of a row's time for its first try."""
REMEMBERED = 100_000
"""The most cached cells."""


def explain_rows(
    model: TreeModel, reading: Reading, settings: Settings, n_jobs: int | None, progress: bool | None
) -> Iterator[Explanation | Failed]:
    """The explanations of rows one by one, as their blocks are finished."""
    explainer = RowExplainer(model)
    with show_progress(len(reading.rows), progress) as on_result:
        run = Run(model, settings, n_jobs, on_result)
        for results in run.explain_blocks(split_rows(reading, settings.block)):
            for result in results:
                yield explainer.describe(result, settings)


class Run:
    """One run over many rows.

    Attributes
    ----------
    known : KnownBoxes
        The explanations of finished blocks.
    explained : int
        The number of rows that were explained, without those that share an explanation.
    """

    def __init__(
        self,
        model: TreeModel,
        settings: Settings,
        n_jobs: int | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        settings.check()
        self.settings = settings
        self._model, self._context = model, model.context
        self._on_result = on_result
        explainer = RowExplainer(model, settings.certificates, settings.time_limit)
        self._workers = Workers(explainer, n_jobs)
        self._deadline = None if settings.batch_limit is None else time.time() + settings.batch_limit
        self._cells: OrderedDict[CellKey, RowResult] = OrderedDict()
        self.known = KnownBoxes(self._context.variables)
        self.explained = 0

    def explain_blocks(self, blocks: Iterable[Block], first: int = 0) -> Iterator[list[RowResult]]:
        """The results of blocks of rows, block by block; `first` is the position of the first row."""
        for block in blocks:
            yield self.explain_block(block, first)
            first += len(block)

    def explain_block(self, block: Block, first: int) -> list[RowResult]:
        """The results of the rows of a block; `first` is the position of its first row."""
        unread = [self._report(_fail(first + i, np.empty(0), text)) for i, text in block.problems.items()]
        explained = self._explain_rows(block.rows, [first + i for i in block.places])
        results = sorted([*unread, *explained], key=lambda result: result.place)
        for i, notes in block.notes.items():
            results[i] = replace(results[i], row_notes=notes)
        return results

    def _explain_rows(self, rows: NDArray[np.float64], places: Sequence[int]) -> list[RowResult]:
        points, labels = self._locate(rows)
        elsewhere, by_cell = self._find_elsewhere(rows, labels), self.settings.options.get("near") is None
        pending = PendingRows(rows, places, points, labels, elsewhere, by_cell=by_cell)
        self._settle(pending, self.known)
        lent = KnownBoxes(self._context.variables)
        while pending.waiting:
            explained = self._explain_round(pending)
            if self.settings.reuse:
                lent.add(list_lendable(explained))
                self._settle(pending, lent)
        self.learn(pending.results)
        return pending.results

    def learn(self, results: Iterable[RowResult]) -> None:
        """Make the explanations of a finished block available to later blocks."""
        if self.settings.reuse:
            self.known.add(list_lendable(results))

    def _locate(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells and the decisions of rows; −1 for the decision on a row outside the domain."""
        domain, ensemble = self._model.domain, self._model.ensemble
        points = domain.points(rows)
        possible = (points >= 0).all(axis=1) & domain.possible(rows, points)
        labels = np.full(len(rows), -1)
        if possible.any() and not ensemble.is_regressor:
            labels[possible] = ensemble.predict(rows[possible])
        labels[possible & (labels < 0)] = 0
        return points, labels

    def _find_elsewhere(self, rows: NDArray[np.float64], labels: NDArray[np.int64]) -> frozenset[int]:
        """The rows that break an inferred assumption, which another model explains, with their decisions."""
        found, ensemble = [], self._model.ensemble
        for i in np.flatnonzero(labels < 0).tolist():
            try:
                self._model.serve(rows[i]).context.point_of(rows[i])
            except PrimewoodError:
                continue
            labels[i] = 0 if ensemble.is_regressor else int(ensemble.predict(rows[i : i + 1])[0])
            labels[i] = max(labels[i], 0)
            found.append(i)
        return frozenset(found)

    def _settle(self, pending: PendingRows, known: KnownBoxes) -> None:
        """Give a result to each row that these explanations cover, so that it need not be explained."""
        for cell, places in list(pending.waiting.items()):
            at_hand = [self._find_at_hand(pending, i, known) for i in places]
            for i, result in zip(places, at_hand, strict=True):
                if result is not None:
                    pending.found[i] = self._report(result)
            if at_hand[0] is not None:
                del pending.waiting[cell]

    def _find_at_hand(self, pending: PendingRows, i: int, known: KnownBoxes) -> RowResult | None:
        """The result of a row without explaining it; None if it must be explained."""
        place, row, label = pending.places[i], pending.rows[i], int(pending.labels[i])
        if label < 0:
            return _fail(place, row, self._say_refusal(row))
        if self.settings.reuse and i not in pending.elsewhere:
            return self._take_over(place, row, label, tuple(pending.points[i].tolist()), known)
        cell = pending.cell(i)
        if cell not in self._cells:
            return None
        self._cells.move_to_end(cell)
        return replace(self._cells[cell], place=place, row=row)

    def _take_over(
        self, place: int, row: NDArray[np.float64], label: int, point: Point, known: KnownBoxes
    ) -> RowResult | None:
        """The first known explanation that covers a row and that the language allows; None if there is none."""
        for source, box in known.find_around(label, point):
            if self._can_say(box, point):
                note = f"{TAKEN_OVER} {source}"
                return RowResult(place, row, label, Status.PROVED, box, (note,), source=source)
        return None

    def _can_say(self, box: Box, point: Point) -> bool:
        """Whether the language allows a box around a row: in "intervals", a missing number is kept or dropped."""
        if self.settings.literals != "intervals":
            return True
        return not any(
            variable.ordered and variable.missing == value and mask not in (variable.everything, 1 << value)
            for variable, mask, value in zip(self._context.variables, box, point, strict=True)
        )

    def _say_refusal(self, row: NDArray[np.float64]) -> str:
        """Why a row is outside the domain."""
        try:
            self._context.point_of(row)
        except PrimewoodError as problem:
            return describe_error(problem)
        raise AssertionError("a row outside the domain is read all the same: please report this")

    def _explain_round(self, pending: PendingRows) -> list[RowResult]:
        """Explain some waiting cells (without `reuse`, all of them); returns the results in the order of the rows."""
        chosen = self._choose_tasks(pending)
        cells, explained = list(chosen), []
        for k, result in self._explain(list(chosen.values())):
            self._remember(cells[k], result)
            for i in pending.waiting.pop(cells[k]):
                own = replace(result, place=pending.places[i], row=pending.rows[i])
                pending.found[i] = self._report(own)
                explained.append(own)
        return sorted(explained, key=lambda result: result.place)

    def _choose_tasks(self, pending: PendingRows) -> dict[CellKey, RowTask]:
        """The cells to explain next, each as a task."""
        if not self.settings.reuse or self._is_late():
            return {cell: pending.task(cell) for cell in pending.waiting}
        cells, elsewhere = pending.split_waiting()
        chosen = {cell: pending.task(cell) for cell in elsewhere}
        if cells:
            places = [pending.waiting[cell][0] for cell in cells]
            waiting = WaitingRows(pending.points[places], pending.labels[places], self._context.variables)
            rows = pending.rows[places]
            for k, near in waiting.choose_round(self.settings.block).items():
                chosen[cells[k]] = pending.task(cells[k], rows[near] if self.settings.together else None)
        return chosen

    def _explain(self, tasks: Sequence[RowTask]) -> Iterator[tuple[int, RowResult]]:
        """The results of tasks with their positions; tasks that need more than a short try come last."""
        self.explained += len(tasks)
        hard = []
        for k, result in enumerate(self._workers.explain(tasks, self._options(SHORT), self._deadline)):
            if self._wants_more(result):
                hard.append((k, result))
            else:
                yield k, result
        if self._is_late():
            yield from hard
            return
        again = self._workers.explain([tasks[k] for k, _ in hard], self._options(1.0), self._deadline)
        for (k, before), result in zip(hard, again, strict=True):
            yield k, replace(_choose_better(before, result), seconds=before.seconds + result.seconds)

    def _is_late(self) -> bool:
        """Whether the batch has reached its time limit."""
        return self._deadline is not None and time.time() >= self._deadline

    def _wants_more(self, result: RowResult) -> bool:
        """Whether the time of a short try stopped a row, and not the work limit."""
        limit = self.settings.time_limit
        if limit is None or result.status is not Status.INTERRUPTED:
            return False
        return self.settings.work_limit is None or result.seconds >= 0.9 * SHORT * limit

    def _options(self, share: float) -> dict[str, Any]:
        limit = self.settings.time_limit
        limit = None if limit is None else limit * share
        return {**self.settings.options, "time_limit": limit, "work_limit": self.settings.work_limit}

    def _remember(self, cell: CellKey, result: RowResult) -> None:
        if result.status is Status.PROVED and not self.settings.reuse:  # which is by `learn` alone
            self._cells[cell] = replace(result, row=result.row.copy())  # a view would keep its whole block
            if len(self._cells) > REMEMBERED:
                self._cells.popitem(last=False)

    def _report(self, result: RowResult) -> RowResult:
        if self._on_result is not None:
            self._on_result(result)
        return result


def _fail(place: int, row: NDArray[np.float64], problem: str) -> RowResult:
    """The result of a row that is not explained."""
    return RowResult(place, row, None, Status.FAILED, problem=problem)


def list_lendable(results: Iterable[RowResult]) -> Iterator[LentBox]:
    """The explanations among results that other rows may reuse."""
    for result in results:
        own = result.source is None and result.status is Status.PROVED and not result.elsewhere
        if own and result.box is not None and result.label is not None:
            yield LentBox(result.label, result.box, result.place)


def _choose_better(before: RowResult, after: RowResult) -> RowResult:
    """The later of two tries, unless it had less time and got less far."""
    if after.box is not None and after.status is not Status.INTERRUPTED:
        return after
    return max(before, after, key=lambda result: result.size)
