"""The scale of each feature: what it can hold, what the training rows hold, and what one row holds.

This is what a picture of an answer needs besides the answer itself.
"""

from __future__ import annotations

import numpy as np

from primewood.domain import Feature
from primewood.logic.interval import number
from primewood.model.context import Context, TreeContext
from primewood.render.records import DistributionRecord, EntryRecord, Scalar, ScaleRecord, plain

NOT_ASKED: DistributionRecord = {}
"""What is said about the training rows where nobody asked."""


def instance_record(
    context: Context, row: tuple[float, ...] | None, *, distribution: bool = False
) -> list[EntryRecord]:
    """Per feature of the model, its scale and the value that a row has; nothing for an expression.

    With `distribution`, also how the training rows are distributed over it.
    """
    if not isinstance(context, TreeContext):
        return []
    context = context.whole or context
    held = {} if row is None else context.named_values(np.array(row))
    found: list[EntryRecord] = []
    for feature in context.domain.features:
        unit = context.units.get(feature.name, "")
        record: EntryRecord = {
            "feature": feature.name,
            "unit": unit,
            "value": _plain(held.get(feature.name)),
            "shown": "" if row is None else format_value(held[feature.name], unit),
            "tested": feature.variable is not None,
            **scale(context, feature),
            **(context.distributions[feature.name] if distribution else NOT_ASKED),
        }
        found.append(record)
    return found


def format_value(value: object, unit: str) -> str:
    """A value of a feature as people read it."""
    if isinstance(value, float):
        return "missing" if np.isnan(value) else f"{number(value)} {unit}".rstrip()
    return str(value)


def _plain(value: object) -> Scalar | None:
    """A value as JSON has it: missing is None."""
    return None if value is None or (isinstance(value, float) and np.isnan(value)) else plain(value)


def scale(context: TreeContext, feature: Feature) -> ScaleRecord:
    """What a feature can hold: its categories in their natural order, or the range of the training rows."""
    if feature.patterns is not None:
        names = list(feature.patterns.values())
        return {"kind": "categories", "values": [plain(names[i]) for i in feature.natural_order]}
    low, high = (np.nan, np.nan) if context.ranges is None else context.ranges[:, feature.column].tolist()
    return {"kind": "numeric", "low": _known(low), "high": _known(high)}


def _known(x: float) -> float | None:
    """A number; None if it is NaN."""
    return None if np.isnan(x) else x
