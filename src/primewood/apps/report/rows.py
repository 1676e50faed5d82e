"""The rows that a report is about: their decisions, and which of them are looked at closely.

A row is *certain* by how far its score is from that of another decision: the distance to the nearest cut-off, or
between the two largest scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.report.budget import TimeBudget
from primewood.apps.report.records import RowsOrigin
from primewood.errors import InvalidInput
from primewood.render.records import Scalar, plain

if TYPE_CHECKING:
    from primewood.domain import Domain
    from primewood.ensemble import Ensemble

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
    labels: tuple[Scalar, ...]
    source: RowsOrigin
    decided: NDArray[np.int64]
    margins: NDArray[np.float64]

    @cached_property
    def possible(self) -> NDArray[np.int64]:
        """The places of the rows that can be explained."""
        return np.flatnonzero(self.decided >= 0)

    def sample(self, count: int, seed: int) -> list[int]:
        """Places of possible rows in the order of a draw; all if there are no more. The same seed draws the same."""
        drawn = np.random.default_rng(seed).permutation(self.possible)[:count]
        return [int(i) for i in drawn]

    def choose(self, count: int, seed: int) -> list[tuple[int, str]]:
        """Places of rows to show closely, each with why: of each decision in turn the least certain, the most
        certain, then one drawn at random; none twice, nor any that is equal to an earlier one.
        """
        generator = np.random.default_rng(seed)
        labels = np.unique(self.decided[self.possible])
        queues = [self._rank(np.flatnonzero(self.decided == label), generator) for label in labels]
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

    def _rank(self, places: NDArray[np.int64], generator: np.random.Generator) -> list[tuple[int, str]]:
        """All rows of one decision, in the order in which they are worth showing."""
        by_margin = places[np.argsort(self.margins[places], kind="stable")].tolist()
        first = [(by_margin[0], "least certain"), (by_margin[-1], "most certain")]
        return [*first, *((int(i), "drawn at random") for i in generator.permutation(places))]


def label_rows(X: Any, count: int) -> tuple[Scalar, ...]:
    """How the user calls rows: by the labels of their frame, else by their numbers."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return tuple(range(count))
    return tuple(plain(label) for label in index.tolist())


def decide_rows(
    ensemble: Ensemble, domain: Domain, rows: NDArray[np.float64], budget: TimeBudget
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The decisions on rows, and how certain they are, as far as the time goes; see `AuditedRows`."""
    decided, margins = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for start in range(0, len(rows), PART):
        if start and budget.is_spent:
            break
        part = rows[start : start + PART]
        points = domain.points(part)
        allowed = (points >= 0).all(axis=1) & domain.possible(part, points)
        scores = ensemble.scores(part)
        decided.append(np.where(allowed, ensemble.decide(scores), -1))
        margins.append(_measure_margins(ensemble, scores))
    return np.concatenate(decided), np.concatenate(margins)


def _measure_margins(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if ensemble.cuts:
        return np.asarray(np.abs(scores - np.array(ensemble.cuts)).min(axis=1))
    if scores.shape[1] < 2:
        return np.full(len(scores), np.inf)
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def digest_rows(rows: NDArray[np.float64]) -> str:
    """The SHA-256 of rows: their numbers as float64, little-endian, row after row; every NaN the same."""
    numbers = np.where(np.isnan(rows), np.nan, rows).astype("<f8")
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()


def find_rows(numbers: Sequence[int], count: int) -> list[int]:
    """The places of rows that a user names by their numbers; an error for one that does not exist."""
    if isinstance(numbers, str | bytes) or not isinstance(numbers, Sequence | np.ndarray):
        raise InvalidInput(f"rows must be a list of row numbers, such as [0, 17], not {numbers!r}")
    found = []
    for place in numbers:
        if not isinstance(place, int | np.integer) or isinstance(place, bool) or not 0 <= place < count:
            known = f"the rows are 0 to {count - 1}" if count else "there are no rows"
            raise InvalidInput(f"rows names {place!r}; {known}")
        found.append(int(place))
    return list(dict.fromkeys(found))
