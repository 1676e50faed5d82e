"""The explanations of many rows, in their order and with their index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args, overload
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.batch.failed import Failed
from primewood.batch.summary import Summary
from primewood.errors import InvalidInput, UnknownName, quote_value
from primewood.fields import flag, one_of, optional, takes
from primewood.model.context import Context
from primewood.questions.explanation import Explanation, score_together
from primewood.render import frames
from primewood.render.records import BatchRecord
from primewood.visible import Readable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

FrameKind = Choice["rows", "literals"]
TAKEN_OVER = "taken over from the explanation of row"
"""The beginning of the note that a row reuses the explanation of another row."""


@dataclass(frozen=True, eq=False)
class Batch(Readable):
    """The explanations of many rows: a sequence, with the labels of the rows.

    `batch[3]` is the explanation of the fourth row. A slice, a Boolean mask or an array of positions gives a batch, and
    `loc` takes a label.

    Attributes
    ----------
    explanations : tuple of Explanation
        `Failed` for a row that could not be explained.
    index : array or pandas Index
        The labels of the rows: those of the frame, or 0, 1, 2, ...
    backend : {"pandas", "polars"} or None
        The library of the frame of rows, which `to_frame` uses by default.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> batch = explainer(X[48:52])
    >>> print(batch[3].rule)
    IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
    >>> [str(why.decision) for why in batch[1:]]
    ['setosa', 'versicolor', 'versicolor']
    >>> batch.to_frame("rows")[["decision", "size"]].values.tolist()
    [['setosa', 1], ['setosa', 1], ['versicolor', 2], ['versicolor', 2]]
    """

    explanations: tuple[Explanation | Failed, ...]
    index: Any
    context: Context = field(repr=False)
    backend: frames.Backend | None = None

    @classmethod
    def of(cls, explanations: Sequence[Explanation | Failed], X: Any, context: Context) -> Batch:
        """The explanations of the rows of a frame or an array."""
        library = type(X).__module__.split(".")[0]
        backend = next((name for name in get_args(frames.Backend) if name == library), None)
        framed = backend == "pandas" and hasattr(X, "columns")
        index = X.index if framed else np.arange(len(explanations))
        return cls(tuple(explanations), index, context, backend)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batch):
            return NotImplemented
        return self.explanations == other.explanations and list(self.index) == list(other.index)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.explanations)

    def __iter__(self) -> Iterator[Explanation | Failed]:
        return iter(self.explanations)

    @overload
    def __getitem__(self, place: int) -> Explanation | Failed: ...
    @overload
    def __getitem__(self, place: slice | Sequence[Any] | NDArray[Any]) -> Batch: ...
    def __getitem__(self, place: Any) -> Explanation | Failed | Batch:
        if isinstance(place, int | np.integer):
            return self.explanations[place]
        if not isinstance(place, slice):
            place = _places(place)
        chosen = np.arange(len(self))[place]
        return replace(
            self, explanations=tuple(self.explanations[i] for i in chosen), index=self.index[chosen]
        )

    def loc(self, label: object) -> Explanation | Failed:
        """The explanation of the row with a label; the first one if there are several."""
        try:
            places = np.flatnonzero(np.asarray(self.index == label)).tolist()
        except ValueError:  # a list of another length
            places = []
        if not places:
            raise UnknownName(
                f"no row is labelled {quote_value(label)}; the first labels are {list(self.index[:5])}"
            )
        return self.explanations[places[0]]

    @property
    def model(self) -> str | None:
        """The digest of the model, which identifies it."""
        return self.context.digest

    @property
    def taken_over(self) -> int:
        """The number of rows that reuse the explanation of another row that covers them."""
        return sum(any(note.startswith(TAKEN_OVER) for note in why.notes) for why in self)

    @property
    def status(self) -> NDArray[np.object_]:
        """The status of each explanation, as text."""
        return np.array([str(why.status) for why in self], dtype=object)

    @property
    def decisions(self) -> NDArray[np.object_]:
        """The decision on each row."""
        return np.array([why.decision for why in self], dtype=object)

    @takes(
        kind=one_of(get_args(FrameKind)), backend=optional(one_of(get_args(frames.Backend))), in_short=flag
    )
    def to_frame(
        self, kind: FrameKind = "rows", backend: frames.Backend | None = None, *, in_short: bool = False
    ) -> Any:
        """A frame with the index of the rows.

        Parameters
        ----------
        kind
            "rows": one line per row, with its decision, status, rule, size, coverage, volume, and per feature the
            condition on it (None where it is free). "literals": one line per piece of each literal, with exact ends.
        backend
            "pandas" or "polars"; by default the library of the frame of rows.
        in_short
            With "rows": whether there is a column with the decision in short, in words, where a rule has more than
            three conditions. It takes some hundredths of a second per row.
        """
        score_together(self.explanations)
        records = [
            why.to_dict() if isinstance(why, Failed) else why.to_dict(in_short=in_short) for why in self
        ]
        if kind == "rows":
            columns = frames.tabulate_explanations(records, self.summary().features, in_short=in_short)
            return frames.frame(columns, backend or self.backend, self.index)
        each = [frames.tabulate_literals(record["literals"], record["instance"]) for record in records]
        lengths = [len(columns["feature"]) for columns in each]
        joined = {
            name: [x for columns in each for x in columns[name]] for name in frames.tabulate_literals([], [])
        }
        places = np.repeat(np.arange(len(self)), lengths)
        return frames.frame(joined, backend or self.backend, self.index[places])

    def summary(self) -> Summary:
        """Counts of decisions, statuses, features and sizes, and the coverage of the explanations."""
        return Summary.of(self.explanations, [x.name for x in self.context.variables])

    def to_dict(self) -> BatchRecord:
        """The summary and all explanations, in plain types."""
        score_together(self.explanations)
        return {
            "summary": self.summary().to_dict(),
            "index": [str(label) for label in self.index],
            "explanations": [why.to_dict() for why in self],
        }

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} explanations: slice it, to_frame(), summary()>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from primewood.render.terminal import batch

        yield batch(self.to_dict())

    def _repr_html_(self) -> str:
        from primewood.render.html.card import batch

        return batch(self.to_dict())


def _places(given: Any) -> NDArray[Any]:
    """Positions of rows, or a mask of rows, as an array."""
    try:
        places = np.asarray(given) if np.size(given) else np.empty(0, dtype=np.int64)
    except ValueError:  # lists of different lengths inside
        places = np.empty((0, 0))
    if places.ndim != 1 or places.dtype.kind not in "iub":
        raise InvalidInput(
            f"a batch is indexed by a place, a slice, a mask or a list of places, not by {quote_value(given)}"
        )
    return places
