"""How far rows can move before their decision may change: the proved radius of each row of a sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primewood.apps.report.subject import ReportSubject, SectionWatch, finite, within
from primewood.engines.protocol import Clock
from primewood.questions.explanation import Status
from primewood.questions.robustness import Robustness
from primewood.render.records import plain

MOST_BARS = 12
LEAST_ROBUST = 5
"""The most rows that are named, with the change that they are nearest to."""


def robustness(
    subject: ReportSubject, places: list[int], clock: Clock, watch: SectionWatch
) -> dict[str, Any]:
    """The distribution of the proved radius: the largest move of all features at once, as a share of their ranges."""
    if not places:
        return {"absent": "Robustness is measured around rows, and there are none."}
    explainer = subject.over(subject.reference)
    found: list[tuple[int, Robustness]] = []
    for i, place in enumerate(places):
        if found and clock.expired():
            break
        watch(i, len(places))
        limits = within(clock, len(places) - i)
        row = subject.audited.rows[place]
        found.append((place, explainer.robustness(row, relative=True, **limits)))
        near = found[-1][1].nearest
        if near.row is not None:
            subject.evidence.add(near.row, near.other)
    watch(len(found), len(places))
    found.sort(key=lambda one: (one[1].radius, one[0]))
    radii = [one.radius for _, one in found if math.isfinite(one.radius)]
    return {
        "absent": None,
        "ranges": subject.reference_source,
        "sampled": len(places),
        "measured": len(found),
        "exact": sum(one.status is not Status.INTERRUPTED for _, one in found),
        "unmoved": len(found) - len(radii),
        "least": min(radii, default=None),
        "median": finite(float(np.quantile([one.radius for _, one in found], 0.5, method="lower"))),
        "largest": max(radii, default=None),
        "histogram": histogram(radii),
        "rows": [_measured(subject, place, one) for place, one in found],
        "least_robust": [
            _measured(subject, place, one) | {"nearest": _nearest(subject, one)}
            for place, one in found[:LEAST_ROBUST]
            if math.isfinite(one.radius)
        ],
    }


def _measured(subject: ReportSubject, place: int, one: Robustness) -> dict[str, Any]:
    return {
        "row": place,
        "label": plain(subject.audited.labels[place]),
        "decision": plain(one.nearest.decision),
        "radius": finite(one.radius),
        "upper": finite(one.upper),
        "status": str(one.status),
    }


def _nearest(subject: ReportSubject, one: Robustness) -> dict[str, Any] | None:
    """The row just beyond the radius, if one was found."""
    near = one.nearest
    if near.row is None:
        return None
    return {
        "decision": plain(near.other),
        "changes": subject.changes(near.asked, near.row),
        "row": [None if x != x else x for x in near.row],
    }


def histogram(radii: list[float]) -> dict[str, Any]:
    """Counts of radii between round edges, from 0 on.

    >>> histogram([0.0, 0.5, 1.5, 11.5])["edges"]
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    >>> histogram([0.0, 0.5, 1.5, 11.5])["counts"]
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
