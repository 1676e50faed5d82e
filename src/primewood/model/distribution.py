"""How training rows are distributed over one feature, for pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Feature
from primewood.render.records import DistributionRecord

MOST_BINS = 40


def distribution(feature: Feature, rows: NDArray[np.float64] | None) -> DistributionRecord:
    """The counts of a feature's categories, or a histogram of its numbers; None where there are no rows to count."""
    if rows is None:
        return {"missing_count": None, **_nothing(feature)}
    absent = np.isnan(rows[:, feature.columns]).any(axis=1)
    missing = int(absent.sum())
    if feature.patterns is not None:
        values = feature.values_of(rows)[~absent]
        counts = np.bincount(values[values >= 0], minlength=len(feature.patterns))
        return {"missing_count": missing, "counts": counts[feature.natural_order].tolist()}
    numbers = rows[~absent, feature.column]
    if not numbers.size:
        return {"missing_count": missing, **_nothing(feature)}
    edges = _edges(numbers)
    counts = np.histogram(numbers, edges)[0]
    return {"missing_count": missing, "histogram": {"edges": edges.tolist(), "counts": counts.tolist()}}


def _nothing(feature: Feature) -> DistributionRecord:
    """That there is nothing to count."""
    return {"histogram": None} if feature.patterns is None else {"counts": None}


def _edges(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The edges of a histogram's bins: one per whole number if there are few, else of equal width."""
    low, high = float(numbers.min()), float(numbers.max())
    if max(-low, high) < 2.0**51 and high - low < MOST_BINS and (numbers == np.floor(numbers)).all():
        return np.arange(low, high + 2) - 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(low, high, MOST_BINS + 1)
    return edges if np.isfinite(edges).all() and (np.diff(edges) > 0).all() else np.array([low, high])
