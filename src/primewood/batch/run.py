"""Explaining many rows, block after block.

Rows in one cell of the domain are decided alike for the same reasons, so a cell is explained once. With `reuse`, a row
inside an earlier explanation with the same decision takes that over. Only finished blocks lend explanations, so what a
row gets does not depend on how many rows are worked on at a time.

Within a block the hardest rows come last: every row has a short try first, and those that it did not suffice for go on
when the others are done. A row that fails, or that the time does not suffice for, is a row with a status.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from primewood.batch.known import KnownBoxes
from primewood.batch.outcome import Explains, Outcome
from primewood.batch.workers import Workers
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, PrimewoodError
from primewood.reasons.context import Context
from primewood.reasons.explanation import Status

BLOCK = 1000
"""How many rows a block has."""
SHORT = 0.05
"""The share of a row's time that its first try has."""
REMEMBERED = 100_000
"""How many cells are remembered."""


@dataclass(frozen=True)
class Settings:
    """How many rows are explained.

    Attributes
    ----------
    options : mapping
        As for `explain`, limits aside.
    time_limit, work_limit
        Per row.
    batch_limit : float or None
        Seconds for all rows together.
    reuse : bool
        Whether rows take over explanations that cover them.
    block : int
        How many rows a block has.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = 10.0
    work_limit: int | None = None
    batch_limit: float | None = None
    reuse: bool = False
    block: int = BLOCK

    def check(self) -> None:
        """Raise for what cannot be."""
        limit = self.batch_limit
        if limit is not None and not (isinstance(limit, int | float) and limit > 0):
            raise InvalidInput(
                f"batch_limit is a positive number of seconds or None, not {self.batch_limit!r}"
            )
        if not isinstance(self.block, int) or self.block < 1:
            raise InvalidInput(f"block is a number of rows of at least 1, not {self.block!r}")
        goal = self.options.get("goal", "prime")
        if self.reuse and (goal != "prime" or self.options.get("within") is not None):
            raise InvalidInput(
                'reuse is for goal="prime" without within=: what is shortest or widest for one row is not for another'
            )


@dataclass(frozen=True, slots=True)
class Result:
    """What a row got.

    Attributes
    ----------
    place : int
        Which row it is, from 0.
    row : array
    label : int or None
        The decision; None if the row is none that the model is asked about.
    outcome : Outcome
    source : int or None
        The row that the explanation was found for, if it is taken over.
    """

    place: int
    row: NDArray[np.float64]
    label: int | None
    outcome: Outcome
    source: int | None = None


class Batched(Explains, Protocol):
    """An explainer of a model."""

    ensemble: Ensemble | None
    _context: Context


Watcher = Callable[[Result], None]


class Run:
    """One run over many rows.

    Attributes
    ----------
    known : KnownBoxes
        The explanations of finished blocks.
    explained : int
        How many rows have been explained, not counting those that share another's.
    """

    def __init__(
        self,
        explainer: Batched,
        settings: Settings,
        n_jobs: int | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        settings.check()
        self.settings = settings
        self._explainer, self._context = explainer, explainer._context
        self._watcher = watcher
        self._workers = Workers(explainer, n_jobs)
        self._deadline = None if settings.batch_limit is None else time.time() + settings.batch_limit
        self._cells: OrderedDict[tuple[bytes, int], Outcome] = OrderedDict()
        self.known = KnownBoxes(self._context.variables)
        self.explained = 0

    def blocks(self, blocks: Iterable[NDArray[np.float64]], first: int = 0) -> Iterator[list[Result]]:
        """The results of blocks of rows, block by block; `first` is the place of the first row."""
        for rows in blocks:
            found = self._block(rows, first)
            first += len(rows)
            yield found

    def _block(self, rows: NDArray[np.float64], first: int) -> list[Result]:
        found: dict[int, Result] = {}
        waiting: dict[tuple[bytes, int], list[int]] = {}
        points, labels = self._read(rows)
        for i, row in enumerate(rows):
            result = self._at_hand(first + i, row, points[i], labels[i])
            if result is None:
                waiting.setdefault((points[i].tobytes(), int(labels[i])), []).append(i)
            else:
                found[i] = result
                self._tell(result)
        chosen = [places[0] for places in waiting.values()]
        for k, outcome in self._explain(rows[chosen]):
            key = list(waiting)[k]
            self._remember(key, outcome)
            for i in waiting[key]:
                found[i] = Result(first + i, rows[i], key[1], outcome)
                self._tell(found[i])
        results = [found[i] for i in range(len(rows))]
        self.learn(results)
        return results

    def learn(self, results: Iterable[Result]) -> None:
        """Lend the explanations of a finished block to later ones."""
        if self.settings.reuse:
            self.known.add(
                (result.label, result.outcome.box, result.place)
                for result in results
                if result.source is None
                and result.outcome.status is Status.PROVED
                and result.label is not None
                and result.outcome.box is not None
            )

    def _read(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells and the decisions of rows; −1 for the decision on a row outside the domain."""
        domain, ensemble = self._context.domain, self._explainer.ensemble
        assert domain is not None and ensemble is not None
        points = domain.points(rows)
        possible = (points >= 0).all(axis=1) & domain.possible(rows, points)
        labels = np.full(len(rows), -1)
        if possible.any() and not ensemble.is_regressor:
            labels[possible] = ensemble.predict(rows[possible])
        labels[possible & (labels < 0)] = 0
        return points, labels

    def _at_hand(
        self, place: int, row: NDArray[np.float64], point: NDArray[np.int64], label: int
    ) -> Result | None:
        """What a row gets without being explained; None if it has to be."""
        if label < 0:
            return Result(place, row, None, self._refused(row))
        key = (point.tobytes(), int(label))
        if not self.settings.reuse:
            if key in self._cells:
                self._cells.move_to_end(key)
            return Result(place, row, label, self._cells[key]) if key in self._cells else None
        taken = self.known.around(label, tuple(point.tolist()))
        if taken is None or not self._sayable(taken[1], point):
            return None
        note = f"taken over from the explanation of row {taken[0]}"
        return Result(place, row, label, Outcome(taken[1], Status.PROVED, (note,)), taken[0])

    def _sayable(self, box: tuple[int, ...], point: NDArray[np.int64]) -> bool:
        """Whether the language says a box around a row: "intervals" says nothing but that or all about missing."""
        if self.settings.options.get("literals", "sets") != "intervals":
            return True
        return not any(
            variable.missing == value and mask != variable.everything and mask != 1 << value
            for variable, mask, value in zip(self._context.variables, box, point.tolist(), strict=True)
        )

    def _refused(self, row: NDArray[np.float64]) -> Outcome:
        try:
            self._context.read(row)
        except PrimewoodError as problem:
            return Outcome.failed(problem)
        raise AssertionError("a row outside the domain is read all the same: please report this")

    def _explain(self, rows: NDArray[np.float64]) -> Iterator[tuple[int, Outcome]]:
        """The outcomes of rows with their places, those that need more than a short try last."""
        self.explained += len(rows)
        hard = []
        for k, outcome in enumerate(self._workers.explain(rows, self._options(SHORT), self._deadline)):
            if self._wants_more(outcome):
                hard.append((k, outcome))
            else:
                yield k, outcome
        if self._deadline is not None and time.time() >= self._deadline:
            yield from hard
            return
        again = self._workers.explain(rows[[k for k, _ in hard]], self._options(1.0), self._deadline)
        for (k, before), outcome in zip(hard, again, strict=True):
            yield k, replace(_better(before, outcome), seconds=before.seconds + outcome.seconds)

    def _wants_more(self, outcome: Outcome) -> bool:
        """Whether a row was stopped by the time of a short try, and not by a limit of work."""
        limit = self.settings.time_limit
        if limit is None or outcome.status is not Status.INTERRUPTED:
            return False
        return self.settings.work_limit is None or outcome.seconds >= 0.9 * SHORT * limit

    def _options(self, share: float) -> dict[str, Any]:
        limit = self.settings.time_limit
        limit = None if limit is None else limit * share
        return {**self.settings.options, "time_limit": limit, "work_limit": self.settings.work_limit}

    def _remember(self, key: tuple[bytes, int], outcome: Outcome) -> None:
        if outcome.status is Status.PROVED and not self.settings.reuse:  # which is by `learn` alone
            self._cells[key] = outcome
            if len(self._cells) > REMEMBERED:
                self._cells.popitem(last=False)

    def _tell(self, result: Result) -> None:
        if self._watcher is not None:
            self._watcher(result)


def _better(before: Outcome, outcome: Outcome) -> Outcome:
    """The later of two tries, unless it had less time and came less far."""
    if outcome.box is not None and outcome.status is not Status.INTERRUPTED:
        return outcome
    return max(before, outcome, key=lambda one: -1 if one.box is None else sum(map(int.bit_count, one.box)))
