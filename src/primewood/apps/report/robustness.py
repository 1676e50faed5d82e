"""How far rows can move before their decision may change: the proved radius of each row of a sample."""

from __future__ import annotations

import math

import numpy as np

import primewood as pw
from primewood.apps.report.budget import SectionWatch, TimeBudget
from primewood.apps.report.records import NearestRow, RadiusRecord, RobustnessSection
from primewood.apps.report.subject import ReportSubject
from primewood.render.records import HistogramRecord, plain

MOST_BARS = 12
LEAST_ROBUST = 5
"""The most rows that are named, with the change that they are nearest to."""
Measured = tuple[int, "pw.answers.Robustness"]
"""The place of a row, and how robust its decision is."""


def measure_robustness(
    subject: ReportSubject, places: list[int], budget: TimeBudget, watch: SectionWatch
) -> RobustnessSection:
    """The distribution of the proved radius: the largest move of all features at once, as a share of their ranges."""
    if not places:
        return {"absent": "Robustness is measured around rows, and there are none."}
    found = _measure_rows(subject, places, budget, watch)
    radii = [one.radius for _, one in found if math.isfinite(one.radius)]
    return {
        "absent": None,
        "ranges": subject.counting_source,
        "sampled": len(places),
        "measured": len(found),
        "exact": sum(one.status is not pw.Status.INTERRUPTED for _, one in found),
        "unmoved": len(found) - len(radii),
        "least": min(radii, default=None),
        "median": _as_finite(float(np.quantile([one.radius for _, one in found], 0.5, method="lower"))),
        "largest": max(radii, default=None),
        "histogram": count_radii(radii),
        "rows": [_record_radius(subject, place, one) for place, one in found],
        "least_robust": [
            {**_record_radius(subject, place, one), "nearest": _record_nearest(subject, one)}
            for place, one in found[:LEAST_ROBUST]
            if math.isfinite(one.radius)
        ],
    }


def _measure_rows(
    subject: ReportSubject, places: list[int], budget: TimeBudget, watch: SectionWatch
) -> list[Measured]:
    """The robustness of rows as far as the time goes, the least robust first."""
    found: list[Measured] = []
    for i, place in enumerate(places):
        if found and budget.is_spent:
            break
        watch(i, len(places))
        row, limits = subject.audited.rows[place], budget.limit(1 / (len(places) - i))
        one = subject.counting.robustness(row, relative=True, **limits)
        subject.keep(one.nearest.row, one.nearest.other)
        found.append((place, one))
    watch(len(found), len(places))
    return sorted(found, key=lambda one: (one[1].radius, one[0]))


def _record_radius(subject: ReportSubject, place: int, one: pw.answers.Robustness) -> RadiusRecord:
    return {
        "row": place,
        "label": subject.audited.labels[place],
        "decision": plain(one.nearest.decision),
        "radius": _as_finite(one.radius),
        "upper": _as_finite(one.upper),
        "status": str(one.status),
    }


def _record_nearest(subject: ReportSubject, one: pw.answers.Robustness) -> NearestRow | None:
    """The row just beyond the radius, if one was found."""
    near = one.nearest
    if near.row is None:
        return None
    return {
        "decision": plain(near.other),
        "changes": subject.describe_changes(near.asked, near.row),
        "row": [None if x != x else x for x in near.row],
    }


def _as_finite(x: float) -> float | None:
    """A number as a record has it: None if it is infinite."""
    return x if math.isfinite(x) else None


def count_radii(radii: list[float]) -> HistogramRecord:
    """Counts of radii between round edges, from 0 on.

    >>> count_radii([0.0, 0.5, 1.5, 11.5])["edges"]
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    >>> count_radii([0.0, 0.5, 1.5, 11.5])["counts"]
    [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    if not radii:
        return {"edges": [], "counts": []}
    width = _round_width(max(radii) / MOST_BARS)
    bars = max(1, math.ceil(max(radii) / width - 1e-9))
    edges = [round(i * width, 12) for i in range(bars + 1)]
    counts = np.histogram(np.minimum(radii, edges[-1]), edges)[0]
    return {"edges": edges, "counts": counts.tolist()}


def _round_width(least: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is at least so much."""
    if least <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))
