"""How much of the training rows breaks a property, and which rows these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.model.context import TreeContext
from primewood.render.records import BreakingRecord, Scalar, plain
from primewood.visible import Readable

SHOWN_IDS = 5
"""The most rows that a sentence names."""


def format_ids(ids: Sequence[object], most: int = SHOWN_IDS) -> str:
    """The first few rows by their ids, and how many more there are.

    >>> format_ids([3, 17, 22]), format_ids(range(100, 141))
    ('rows 3, 17, 22', 'rows 100, 101, 102, 103, 104 and 36 more')
    """
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return f"{'row' if len(ids) == 1 else 'rows'} {', '.join(map(str, ids[:most]))}{more}"


@dataclass(frozen=True)
class Breaking(Readable):
    """The training rows that break a property.

    A row breaks a rule, or a bound, if it is itself decided as it must not be. It breaks a property of pairs of rows
    (`monotone`, `independent_of`) if changing only that feature, to some value of it, shows that it fails.

    Attributes
    ----------
    places : tuple of int
        Where they are in the training rows.
    ids : tuple
        Their labels in the index of the training frame; their places if there is none.
    rows : int
        How many training rows there are.
    complete : bool
        Whether all rows that break it are listed; False if the limit was reached first.
    decisions : tuple
        The decision on each; for bounds, the output.
    changes : tuple of dict
        For properties of pairs: per row the features that change, and what they change to.
    changed_decisions : tuple
        The decisions after these changes.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> breaking = explainer.verify("pw > 1 -> virginica").breaking
    >>> len(breaking.places), breaking.rows, breaking.complete
    (41, 150, True)
    """

    places: tuple[int, ...]
    ids: tuple[object, ...]
    rows: int
    complete: bool = True
    decisions: tuple[object, ...] = ()
    changes: tuple[Mapping[str, object], ...] = ()
    changed_decisions: tuple[object, ...] = ()

    @classmethod
    def from_rows(
        cls, context: TreeContext, places: NDArray[np.int64], decisions: Sequence[object], **options: Any
    ) -> Breaking:
        """Those at some places of the training rows of a context."""
        found = tuple(places.tolist())
        ids = tuple(context.row_id(place) for place in found)
        count = 0 if context.rows is None else len(context.rows)
        return cls(found, ids, count, decisions=tuple(decisions), **options)

    def __len__(self) -> int:
        return len(self.places)

    @property
    def count(self) -> int:
        """How many they are; at least, unless it is `complete`."""
        return len(self.places)

    @property
    def text(self) -> str:
        """How many rows break it, and the first of them: "41 of your 2,000 rows break this (rows 3, 7, ...)"."""
        return self.to_text()

    def to_text(self, *, full: bool = False) -> str:
        """The same; `full` names all of them."""
        of = f"of your {self.rows:,} rows"
        if not self.places:
            return f"none {of} breaks this" if self.complete else f"none {of} was seen to break this"
        least = "" if self.complete else "at least "
        verb = "breaks" if self.count == 1 else "break"
        return f"{least}{self.count:,} {of} {verb} this ({format_ids(self.ids, self.count if full else SHOWN_IDS)})"

    def to_dict(self) -> BreakingRecord:
        """The rows in plain types."""
        return {
            "count": self.count,
            "rows": self.rows,
            "complete": self.complete,
            "text": self.text,
            "ids": [plain(x) for x in self.ids],
            "places": list(self.places),
            "decisions": [plain(x) for x in self.decisions],
            "changes": [{name: _plain(x) for name, x in change.items()} for change in self.changes],
            "changed_decisions": [plain(x) for x in self.changed_decisions],
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Breaking: {self.text}>"


def _plain(value: object) -> Scalar | None:
    """A value as JSON has it: missing is None."""
    return None if isinstance(value, float) and value != value else plain(value)
