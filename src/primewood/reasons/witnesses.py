"""Witnesses: rows that show why an explanation excludes what it excludes."""

from __future__ import annotations

import numpy as np

from primewood.engines.protocol import Grown
from primewood.ensemble import Ensemble
from primewood.logic.instance import Point
from primewood.reasons.context import UNDECIDED, Context, Row
from primewood.reasons.explanation import Witness


def witnesses(
    context: Context,
    ensemble: Ensemble | None,
    found: Grown,
    point: Point,
    row: Row | None,
    label: int,
    *,
    any_order: bool,
) -> tuple[Witness, ...]:
    """For each excluded value, a row with it that is otherwise inside, as the reference decides it."""
    if row is None or ensemble is None:
        return ()
    outside = found.find_witnesses()
    shown = [
        (context.variables[j].name, v, context.row_at(outside[j, v], row, point))
        for j, v in sorted(outside)
        if not found.box[j] >> v & 1
    ]
    if not shown:
        return ()
    decided = ensemble.predict(np.array([inside for _, _, inside in shown]))
    if (decided == label).any() and not any_order:
        raise AssertionError("a witness is decided like the row: please report this")
    return tuple(
        Witness(name, v, tuple(inside.tolist()), UNDECIDED if d == label else context.class_names[int(d)])
        for (name, v, inside), d in zip(shown, decided, strict=True)
    )
