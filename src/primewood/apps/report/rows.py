"""The rows that a report is about: what is decided about them, and which of them are looked at closely.

A row is *certain* by how far its score is from that of another decision: the distance to the nearest cut-off, or
between the two largest scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Clock
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput
from primewood.model.model import TreeModel
from primewood.render.records import plain
from primewood.tables.rows import Layout, as_rows

if TYPE_CHECKING:
    from primewood.explainer import Explainer

RowsOrigin = Choice["given", "training", "none"]
PART = 8192
"""How many rows are decided at a time."""


@dataclass(frozen=True)
class AuditedRows:
    """Rows as the model takes them.

    Attributes
    ----------
    rows : array
    labels : tuple
        How the user calls the rows: the labels of a frame, else 0, 1, 2, ...
    source : {"given", "training", "none"}
        Where they come from; rows that are given and are the training rows are "training".
    decided : array of int
        Per row the place of its decision; −1 where the row is not possible in the model's domain. Shorter than
        the rows if there was no time to decide about all.
    margins : array of float
        How certain each decision is.
    """

    rows: NDArray[np.float64]
    labels: tuple[object, ...]
    source: RowsOrigin
    decided: NDArray[np.int64]
    margins: NDArray[np.float64]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the numbers: float64, little-endian, row after row; every NaN the same."""
        return digest_of(self.rows)

    @cached_property
    def possible(self) -> NDArray[np.int64]:
        """The places of the rows that can be explained."""
        return np.flatnonzero(self.decided >= 0)

    def sample(self, count: int, seed: int) -> list[int]:
        """Places of possible rows in the order of a draw; all if there are no more. The same seed draws the same."""
        drawn = np.random.default_rng(seed).permutation(self.possible)[:count]
        return [int(i) for i in drawn]

    def telling(self, count: int, seed: int) -> list[tuple[int, str]]:
        """Places of rows to show closely, each with why: of each decision in turn the least certain, the most
        certain, then one drawn at random; none twice, nor any that is equal to an earlier one.
        """
        generator = np.random.default_rng(seed)
        queues = [_in_turn(of, self.margins, generator) for of in self._by_decision()]
        found: list[tuple[int, str]] = []
        seen: set[bytes] = set()
        while len(found) < count and any(queues):
            for queue in queues:
                while queue:
                    place, why = queue.pop(0)
                    if self.rows[place].tobytes() not in seen:
                        seen.add(self.rows[place].tobytes())
                        found.append((place, why))
                        break
        return sorted(found[:count], key=lambda one: (self.decided[one[0]], self.margins[one[0]], one[0]))

    def _by_decision(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(self.decided == label) for label in np.unique(self.decided[self.possible])]


def _in_turn(
    places: NDArray[np.int64], margins: NDArray[np.float64], generator: np.random.Generator
) -> list[tuple[int, str]]:
    """All rows of one decision, in the order in which they are worth showing."""
    by_margin = places[np.argsort(margins[places], kind="stable")].tolist()
    first = [(by_margin[0], "least certain"), (by_margin[-1], "most certain")]
    return [*first, *((int(i), "drawn at random") for i in generator.permutation(places))]


def audited_rows(explainer: Explainer, X: Any, clock: Clock) -> AuditedRows:
    """The rows that are given, else the training rows, with what is decided about them."""
    model = explainer._model.need_rows("reports")
    source: RowsOrigin = "given"
    if X is not None:
        rows = as_rows(X, Layout.of(model.ensemble))
        if not len(rows):
            raise InvalidInput("X has no rows; leave it out to report on the training rows")
        if np.array_equal(rows, explainer.rows, equal_nan=True):
            source = "training"
    elif len(explainer.rows):
        source, rows = "training", explainer.rows
    else:
        source, rows = "none", np.empty((0, model.ensemble.n_features))
    labels = _labels(X, len(rows))
    decided, margins = _decided(model, rows, clock)
    return AuditedRows(rows, labels, source, decided, margins)


def _labels(X: Any, count: int) -> tuple[object, ...]:
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return tuple(range(count))
    return tuple(plain(label) for label in index.tolist())


def _decided(
    model: TreeModel, rows: NDArray[np.float64], clock: Clock
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    decided, margins = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for start in range(0, len(rows), PART):
        if start and clock.expired():
            break
        part = rows[start : start + PART]
        points = model.domain.points(part)
        allowed = (points >= 0).all(axis=1) & model.domain.possible(part, points)
        scores = model.ensemble.scores(part)
        decided.append(np.where(allowed, model.ensemble.decided(scores), -1))
        margins.append(_margins(model.ensemble, scores))
    return np.concatenate(decided), np.concatenate(margins)


def _margins(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if ensemble.cuts:
        return np.asarray(np.abs(scores - np.array(ensemble.cuts)).min(axis=1))
    if scores.shape[1] < 2:
        return np.full(len(scores), np.inf)
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def digest_of(rows: NDArray[np.float64]) -> str:
    """The SHA-256 of rows: their numbers as float64, little-endian, row after row; every NaN the same."""
    numbers = np.where(np.isnan(rows), np.nan, rows).astype("<f8")
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()


def asked_for(rows: Sequence[int], count: int) -> list[int]:
    """The places of rows that a user names by their numbers; an error for one that does not exist."""
    if isinstance(rows, str | bytes) or not isinstance(rows, Sequence | np.ndarray):
        raise InvalidInput(f"rows is a list of row numbers, such as [0, 17], not {rows!r}")
    found = []
    for place in rows:
        if not isinstance(place, int | np.integer) or isinstance(place, bool) or not 0 <= place < count:
            known = f"the rows are 0 to {count - 1}" if count else "there are no rows"
            raise InvalidInput(f"rows names {place!r}; {known}")
        found.append(int(place))
    return list(dict.fromkeys(found))
