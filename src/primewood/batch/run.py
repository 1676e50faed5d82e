"""Explaining many rows, block after block.

Rows in one cell of the domain are decided alike for the same reasons, so a cell is explained once. With `reuse`, a row
inside an earlier explanation with the same decision takes that over. The rows of a block are then explained in rounds,
and only finished rounds lend explanations, so what a row gets does not depend on how many are worked on at a time.

The hardest rows of a block, or of a round, come last: every row has a short try first, and those that it did not
suffice for go on when the others are done. A row that fails, or that the time does not suffice for, is a row with a
status.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from primewood.batch.known import KnownBoxes
from primewood.batch.outcome import Asked, Explains, Outcome
from primewood.batch.rounds import Waiting
from primewood.batch.sources import Block
from primewood.batch.workers import Workers
from primewood.errors import InvalidInput, PrimewoodError
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language, check_language
from primewood.model.model import TreeModel
from primewood.questions.explanation import Status

BLOCK = 1000
"""How many rows a block has."""
SHORT = 0.05
"""The share of a row's time that its first try has."""
TAKEN_OVER = "taken over from the explanation of row"
"""What the note begins with that an explanation has which was found for another row."""
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

    @property
    def literals(self) -> Language:
        """The literal language of the explanations."""
        return check_language(self.options.get("literals", "intervals"))

    @property
    def together(self) -> bool:
        """Whether rows are explained together with others near them, unless something else leads to their explanations.

        In the language "values" others are hardly ever covered, and trying would only take time.
        """
        options = self.options
        led = options.get("order") is not None or bool(options.get("weights"))
        return self.reuse and not led and self.literals != "values"

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
        if self.reuse and self.options.get("also") is not None:
            raise InvalidInput("reuse chooses itself which rows are explained together; leave out also=")


@dataclass(frozen=True, slots=True)
class Result:
    """What a row got.

    Attributes
    ----------
    place : int
        Which row it is, from 0.
    row : array
        Empty if it could not be read.
    label : int or None
        The decision; None if the row is none that the model is asked about.
    outcome : Outcome
    source : int or None
        The row that the explanation was found for, if it is taken over.
    elsewhere : bool
        Whether another explainer answered, over another domain: the row breaks what is inferred about features.
    """

    place: int
    row: NDArray[np.float64]
    label: int | None
    outcome: Outcome
    source: int | None = None
    elsewhere: bool = False


class ModelExplainer(Explains, Protocol):
    """Something that explains rows of a model."""

    @property
    def model(self) -> TreeModel:
        """The model."""


Watcher = Callable[[Result], None]
Cell = tuple[bytes, int]
"""A cell of the domain, and the decision there."""


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
        explainer: ModelExplainer,
        settings: Settings,
        n_jobs: int | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        settings.check()
        self.settings = settings
        self._explainer, self._context = explainer, explainer.model.context
        self._watcher = watcher
        self._workers = Workers(explainer, n_jobs)
        self._deadline = None if settings.batch_limit is None else time.time() + settings.batch_limit
        self._cells: OrderedDict[Cell, Outcome] = OrderedDict()
        self.known = KnownBoxes(self._context.variables)
        self.explained = 0

    def blocks(self, blocks: Iterable[NDArray[np.float64]], first: int = 0) -> Iterator[list[Result]]:
        """The results of blocks of rows, block by block; `first` is the place of the first row."""
        for rows in blocks:
            yield self.explain(Block(rows), first)
            first += len(rows)

    def explain(self, block: Block, first: int) -> list[Result]:
        """The results of the rows of a block; `first` is the place of its first row."""
        unread = [self._told(_unreadable(first + i, text)) for i, text in block.problems.items()]
        results = self._explain_rows(block.rows, [first + i for i in block.places])
        return sorted([*unread, *results], key=lambda result: result.place)

    def _explain_rows(self, rows: NDArray[np.float64], places: Sequence[int]) -> list[Result]:
        points, labels = self._read(rows)
        block = _Pending(rows, places, points, labels, self._served_elsewhere(rows, labels))
        self._settle(block, self.known)
        lent = KnownBoxes(self._context.variables)
        while block.waiting:
            explained = self._round(block)
            if self.settings.reuse:
                lent.add(lendable(explained))
                self._settle(block, lent)
        results = [block.found[i] for i in range(len(rows))]
        self.learn(results)
        return results

    def _settle(self, block: _Pending, known: KnownBoxes) -> None:
        """Give the rows their results that need not be explained, now that these explanations are known."""
        for cell, places in list(block.waiting.items()):
            at_hand = [self._at_hand(block, i, known) for i in places]
            for i, result in zip(places, at_hand, strict=True):
                if result is not None:
                    block.found[i] = self._told(result)
            if at_hand[0] is not None:
                del block.waiting[cell]

    def _round(self, block: _Pending) -> list[Result]:
        """Explain some of the cells that wait: without `reuse`, all of them. The results, in the order of the rows."""
        chosen = self._chosen(block)
        cells, explained = list(chosen), []
        for k, outcome in self._explain(list(chosen.values())):
            self._remember(cells[k], outcome)
            for i in block.waiting.pop(cells[k]):
                elsewhere = i in block.elsewhere
                result = Result(block.places[i], block.rows[i], cells[k][1], outcome, elsewhere=elsewhere)
                block.found[i] = self._told(result)
                explained.append(block.found[i])
        return sorted(explained, key=lambda result: result.place)

    def _chosen(self, block: _Pending) -> dict[Cell, Asked]:
        """The cells that are explained next, and what is asked about each."""
        places = [rows[0] for rows in block.waiting.values()]
        if not self.settings.reuse or self._late():
            return {cell: Asked(block.rows[i]) for cell, i in zip(block.waiting, places, strict=True)}
        elsewhere = {
            cell: Asked(block.rows[i])
            for cell, i in zip(block.waiting, places, strict=True)
            if i in block.elsewhere
        }
        cells = [cell for cell in block.waiting if cell not in elsewhere]
        if not cells:
            return elsewhere
        places = [block.waiting[cell][0] for cell in cells]
        waiting = Waiting(block.points[places], block.labels[places], self._context.variables)
        rows = block.rows[places]
        return elsewhere | {
            cells[k]: Asked(rows[k], rows[near] if self.settings.together else None)
            for k, near in waiting.next_round(self.settings.block).items()
        }

    def learn(self, results: Iterable[Result]) -> None:
        """Lend the explanations of a finished block to later ones."""
        if self.settings.reuse:
            self.known.add(lendable(results))

    def _read(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells and the decisions of rows; −1 for the decision on a row outside the domain."""
        domain, ensemble = self._context.domain, self._explainer.model.ensemble
        points = domain.points(rows)
        possible = (points >= 0).all(axis=1) & domain.possible(rows, points)
        labels = np.full(len(rows), -1)
        if possible.any() and not ensemble.is_regressor:
            labels[possible] = ensemble.predict(rows[possible])
        labels[possible & (labels < 0)] = 0
        return points, labels

    def _served_elsewhere(self, rows: NDArray[np.float64], labels: NDArray[np.int64]) -> frozenset[int]:
        """The rows that break what is inferred about features and that another explainer answers, with decisions."""
        found, ensemble = [], self._explainer.model.ensemble
        for i in np.flatnonzero(labels < 0).tolist():
            try:
                self._explainer.model.serve(rows[i]).context.point_of(rows[i])
            except PrimewoodError:
                continue
            labels[i] = 0 if ensemble.is_regressor else int(ensemble.predict(rows[i : i + 1])[0])
            labels[i] = max(labels[i], 0)
            found.append(i)
        return frozenset(found)

    def _at_hand(self, block: _Pending, i: int, known: KnownBoxes) -> Result | None:
        """What a row gets without being explained; None if it has to be."""
        place, row, label = block.places[i], block.rows[i], int(block.labels[i])
        if label < 0:
            return Result(place, row, None, self._refused(row))
        if not self.settings.reuse or i in block.elsewhere:
            cell = block.cell(i)
            if cell in self._cells:
                self._cells.move_to_end(cell)
            if cell not in self._cells:
                return None
            return Result(place, row, label, self._cells[cell], elsewhere=i in block.elsewhere)
        point = tuple(block.points[i].tolist())
        for source, box in known.around(label, point):
            if self._sayable(box, point):
                outcome = Outcome(box, Status.PROVED, (f"{TAKEN_OVER} {source}",))
                return Result(place, row, label, outcome, source)
        return None

    def _sayable(self, box: Box, point: Point) -> bool:
        """Whether the language says a box around a row: "intervals" says that or all about a number that is missing."""
        if self.settings.literals != "intervals":
            return True
        return not any(
            variable.ordered and variable.missing == value and mask not in (variable.everything, 1 << value)
            for variable, mask, value in zip(self._context.variables, box, point, strict=True)
        )

    def _refused(self, row: NDArray[np.float64]) -> Outcome:
        try:
            self._context.point_of(row)
        except PrimewoodError as problem:
            return Outcome.failed(problem)
        raise AssertionError("a row outside the domain is read all the same: please report this")

    def _explain(self, asked: Sequence[Asked]) -> Iterator[tuple[int, Outcome]]:
        """The outcomes of what is asked with their places, those that need more than a short try last."""
        self.explained += len(asked)
        hard = []
        for k, outcome in enumerate(self._workers.explain(asked, self._options(SHORT), self._deadline)):
            if self._wants_more(outcome):
                hard.append((k, outcome))
            else:
                yield k, outcome
        if self._late():
            yield from hard
            return
        again = self._workers.explain([asked[k] for k, _ in hard], self._options(1.0), self._deadline)
        for (k, before), outcome in zip(hard, again, strict=True):
            yield k, replace(_better(before, outcome), seconds=before.seconds + outcome.seconds)

    def _late(self) -> bool:
        """Whether the time of the batch is over."""
        return self._deadline is not None and time.time() >= self._deadline

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

    def _remember(self, cell: Cell, outcome: Outcome) -> None:
        if outcome.status is Status.PROVED and not self.settings.reuse:  # which is by `learn` alone
            self._cells[cell] = outcome
            if len(self._cells) > REMEMBERED:
                self._cells.popitem(last=False)

    def _told(self, result: Result) -> Result:
        if self._watcher is not None:
            self._watcher(result)
        return result


class _Pending:
    """Rows that are being explained: the results so far, and the cells that wait, each with its rows.

    Attributes
    ----------
    rows, points, labels : arrays
        The rows, their cells and the decisions on them.
    places : sequence of int
        Which rows they are, from 0.
    elsewhere : set of int
        The rows that another explainer answers, which share their cells with equal rows only.
    found : dict
    waiting : dict
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
        self.found: dict[int, Result] = {}
        self.waiting: dict[Cell, list[int]] = {}
        for i in range(len(rows)):
            self.waiting.setdefault(self.cell(i), []).append(i)

    def cell(self, i: int) -> Cell:
        """The cell of a row, with the decision there."""
        held = self.rows[i] if i in self.elsewhere else self.points[i]
        return held.tobytes() + bytes([i in self.elsewhere]), int(self.labels[i])


def _unreadable(place: int, problem: str) -> Result:
    """The result of a row that could not be read."""
    return Result(place, np.empty(0), None, Outcome(None, Status.FAILED, problem=problem))


def lendable(results: Iterable[Result]) -> Iterator[tuple[int, Box, int]]:
    """The explanations among results that others may take over: decisions, boxes, and whose they are."""
    for result in results:
        box, label = result.outcome.box, result.label
        own = result.source is None and result.outcome.status is Status.PROVED and not result.elsewhere
        if own and box is not None and label is not None:
            yield label, box, result.place


def _better(before: Outcome, outcome: Outcome) -> Outcome:
    """The later of two tries, unless it had less time and came less far."""
    if outcome.box is not None and outcome.status is not Status.INTERRUPTED:
        return outcome
    return max(before, outcome, key=lambda one: -1 if one.box is None else sum(map(int.bit_count, one.box)))
