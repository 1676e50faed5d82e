"""What each feature does alone: rows in which one feature takes all its values while the rest stays.

Every value that the model can tell apart is tried, so that for these rows the answer is exact: either some value of the
feature alone changes the decision, or none does. What is found shows that a model is not independent of a feature, or
not monotone in it; that nothing is found proves nothing about other rows. Rows just beside a change of the decision
show the most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.report.subject import ReportSubject, SectionWatch, unwatched
from primewood.domain import Domain
from primewood.engines.protocol import Clock

FlippingStep = tuple[NDArray[np.float64], int, int]
"""A row, and two values of a feature that are decided differently about it."""


@dataclass
class Alone:
    """What one feature does alone.

    Attributes
    ----------
    changed : int
        About how many rows some value of it changes the decision.
    change, drop, rise : FlippingStep or None
        A row and two values at which the decision differs; a row and two neighbouring values, the lower one first,
        at which it goes down in the order of the decisions; the same, at which it goes up.
    """

    changed: int = 0
    change: FlippingStep | None = None
    drop: FlippingStep | None = None
    rise: FlippingStep | None = None


@dataclass(frozen=True)
class Sensitivity:
    """What all features do alone.

    Attributes
    ----------
    rows : int
        How many rows were tried.
    by_feature : dict
        Per feature that the model looks at.
    """

    rows: int
    by_feature: dict[str, Alone]

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain types."""
        return {"rows": self.rows, "changed": {name: one.changed for name, one in self.by_feature.items()}}


def sensitivity(subject: ReportSubject, places: list[int], clock: Clock, watch: SectionWatch) -> Sensitivity:
    """Try all values of each feature alone on rows, until the time limit. Cost: one prediction per value and row."""
    found = {x.name: Alone() for x in subject.context.variables}
    rows = subject.audited.rows[places]
    return Sensitivity(_try(subject, rows, found, clock, watch), found)


def with_evidence(subject: ReportSubject, known: Sensitivity, clock: Clock) -> dict[str, Alone]:
    """What features are shown to do if the rows of the evidence are tried too; the sample is not counted anew.

    Most of them lie just beside a change of the decision.
    """
    found = {name: replace(one) for name, one in known.by_feature.items()}
    rows = list(dict.fromkeys(subject.evidence.rows))
    if rows:
        _try(subject, np.array(rows), found, clock, unwatched)
    return found


def _try(
    subject: ReportSubject,
    rows: NDArray[np.float64],
    found: dict[str, Alone],
    clock: Clock,
    watch: SectionWatch,
) -> int:
    """Take in what features do alone in rows; how many of them there was time for."""
    ensemble, domain = subject.model.ensemble, subject.model.domain
    points = domain.points(rows)
    for done, (row, point) in enumerate(zip(rows, points, strict=True)):
        if done and clock.expired():
            return done
        watch(done, len(rows))
        table, starts = _variants(domain, row)
        labels = ensemble.predict(table)
        if domain.knowledge:
            labels = np.where(domain.possible(table, domain.points(table)), labels, -1)
        for k, one in enumerate(found.values()):
            _note(one, labels[starts[k] : starts[k + 1]], row, int(point[k]), domain.variables[k].ordered)
    watch(len(rows), len(rows))
    return len(rows)


def _variants(domain: Domain, row: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The row with each value of each feature, one feature after the other, and where each feature begins."""
    starts = np.cumsum([0, *(len(x) for x in domain.variables)])
    table = np.repeat(row[None, :], starts[-1], axis=0)
    for k, feature in enumerate(domain.seen):
        values = np.full((len(domain.variables[k]), len(feature.columns)), np.nan)
        values[: len(feature.numbers)] = feature.numbers
        table[starts[k] : starts[k + 1], list(feature.columns)] = values
    return table, starts


def _note(one: Alone, labels: NDArray[np.int64], row: NDArray[np.float64], own: int, ordered: int) -> None:
    """Take in what is decided at the values of one feature; −1 where the row would not be possible."""
    others = np.flatnonzero((labels != labels[own]) & (labels >= 0))
    if others.size:
        one.changed += 1
        nearest = int(others[np.abs(others - own).argmin()])
        one.change = one.change or (row, own, nearest)
    before, after = labels[: max(ordered - 1, 0)], labels[1:ordered]
    known = (before >= 0) & (after >= 0)
    drops, rises = np.flatnonzero(known & (after < before)), np.flatnonzero(known & (after > before))
    if drops.size:
        one.drop = one.drop or (row, int(drops[0]), int(drops[0]) + 1)
    if rises.size:
        one.rise = one.rise or (row, int(rises[0]), int(rises[0]) + 1)
