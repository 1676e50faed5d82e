"""Which features matter over some rows, counted while the rows are explained."""

from __future__ import annotations

from collections.abc import Iterable

from primewood.batch.failed import Failed
from primewood.engines.protocol import Clock
from primewood.logic.language import Language
from primewood.model.model import TreeModel
from primewood.model.row_in_cell import Row
from primewood.questions.explanation import Explanation
from primewood.questions.importance import FeatureCounts, Importance, find_flips
from primewood.questions.status import Status

ROWS_BETWEEN_FLIPS = 200
"""After this many explanations, their rows are tested for flips, so that progress is shown all the time."""


def count_importance(
    model: TreeModel,
    rows: Row,
    explained: Iterable[Explanation | Failed],
    literals: Language,
    time_limit: float | None,
) -> Importance:
    """Which features matter over rows, given their explanations; `time_limit` is per row, for its flips."""
    counts = FeatureCounts()
    for row, why in zip(rows, explained, strict=True):
        mentioned = why.features if why.status is Status.PROVED else None
        flips = None
        if isinstance(why, Explanation):
            flips = find_flips(model.ask(row), why, Clock(time_limit))
        counts.add(mentioned, flips)
    context = model.context
    return counts.state(context.feature_names, literals, context.all_assumptions, context.digest)
