"""A summary of many explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primewood.batch.failed import Failed
from primewood.questions.explanation import Explanation
from primewood.questions.status import Status
from primewood.render import text
from primewood.render.records import CoverageRecord, SummaryRecord, plain
from primewood.visible import Readable


@dataclass(frozen=True)
class Summary(Readable):
    """A summary of the explanations of many rows.

    Attributes
    ----------
    rows : int
    decisions, statuses : dict
        The number of each, the most frequent first.
    features : dict
        For each feature that the model tests, the number of explanations that mention it; the most frequent first.
    sizes : dict
        For each number of features, how many explanations mention that number.
    coverage : tuple of three floats or None
        The least, the median and the largest share of the training rows that an explanation covers; None without
        training rows.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> summary = explainer(X).summary()
    >>> summary.decisions
    {'virginica': 52, 'setosa': 50, 'versicolor': 48}
    >>> summary.sizes
    {1: 96, 2: 54}
    """

    rows: int
    decisions: dict[object, int]
    statuses: dict[str, int]
    features: dict[str, int]
    sizes: dict[int, int]
    coverage: tuple[float, float, float] | None

    @classmethod
    def of(cls, explanations: Sequence[Explanation | Failed], names: Sequence[str]) -> Summary:
        """The summary of explanations of a model that tests the named features."""
        used = Counter(name for why in explanations for name in why.features)
        explained = [why for why in explanations if why.status is not Status.FAILED]
        covered = [why.coverage for why in explanations if why.coverage is not None]
        return cls(
            rows=len(explanations),
            decisions=_count(plain(why.decision) for why in explained),
            statuses=_count(str(why.status) for why in explanations),
            features=dict(sorted(((name, used[name]) for name in names), key=lambda item: -item[1])),
            sizes=dict(sorted(Counter(len(why.features) for why in explained).items())),
            coverage=(min(covered), float(np.median(covered)), max(covered)) if covered else None,
        )

    def to_dict(self) -> SummaryRecord:
        """The summary in plain types."""
        return {
            "rows": self.rows,
            "decisions": {str(name): count for name, count in self.decisions.items()},
            "statuses": self.statuses,
            "features": self.features,
            "sizes": {str(size): count for size, count in self.sizes.items()},
            "coverage": None if self.coverage is None else _name_coverage(*self.coverage),
        }

    def __repr__(self) -> str:
        return f"<Summary of {self.rows} explanations: print it, to_dict()>"

    def _repr_html_(self) -> str:
        from primewood.render.html.card import batch

        return batch(self.to_dict())

    def __str__(self) -> str:
        return text.write_summary(self.to_dict())


def _name_coverage(least: float, median: float, largest: float) -> CoverageRecord:
    return {"least": least, "median": median, "largest": largest}


def _count(things: Any) -> dict[Any, int]:
    return dict(Counter(things).most_common())
