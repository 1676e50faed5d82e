"""The rows that a pipeline takes: numbers, and codes for categories, and back to frames and arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Floats
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel
from primewood.readers.pipeline.steps import KnownCategories, Trace


@dataclass(frozen=True, slots=True)
class RawCategories:
    """The categories of a raw column, missing aside.

    Attributes
    ----------
    values : tuple
        As the encoders have them.
    codes : array
        The values themselves if all are numbers, else 0, 1, 2, ...
    others : float
        A code that none of them has.
    by_number : bool
        Whether the codes are the values.
    accepts_others : bool
        Whether every encoder of the column takes values that it does not know.
    doubtful : int
        How many of the values, at the end, are known to imputers only, which replace them.
    """

    values: tuple[Any, ...]
    codes: Floats
    others: float
    by_number: bool
    accepts_others: bool
    doubtful: int

    @classmethod
    def of(cls, listed: list[KnownCategories], filled: Iterable[Any]) -> RawCategories:
        """What all encoders of a column accept, and what its imputers replace."""
        strict = [set(encoder.values) for encoder in listed if not encoder.accepts_others]
        known = dict.fromkeys(value for encoder in listed for value in encoder.values)
        accepted = [value for value in known if all(value in values for values in strict)]
        doubtful = [value for value in dict.fromkeys(filled) if value not in set(accepted)]
        values = (*accepted, *doubtful)
        by_number = all(is_number(value) for value in values)
        codes = np.array(values if by_number else range(len(values)), dtype=np.float64)
        return cls(values, codes, _another(codes), by_number, not strict, len(doubtful))

    def decode(self, codes: Floats) -> NDArray[Any]:
        """The values of codes, as objects; what stands for other values is unlike any of them."""
        other: Any = "another"
        while other in self.values:
            other += "?"
        values = np.empty(len(self.values) + 1, dtype=object)
        values[:] = [*self.values, other]
        missing = np.isnan(codes)
        places = np.where(missing, 0, codes)
        if ((places < 0) | (places >= len(values)) | (places != np.floor(places))).any():
            raise InvalidInput(f"a code is a whole number from 0 to {len(values) - 1}")
        return np.where(missing, np.nan, values[places.astype(np.int64)])


def is_number(value: Any) -> bool:
    """Whether a value is a number that float64 holds exactly."""
    if not isinstance(value, int | float | np.bool_ | np.number):
        return False
    try:
        return bool(abs(float(value)) < np.inf and float(value) == value)
    except OverflowError:
        return False


def _another(codes: Floats) -> float:
    if not codes.size:
        return 0.0
    after, before = np.floor(codes.max()) + 1, np.ceil(codes.min()) - 1
    near = (after, before, np.nextafter(codes.max(), np.inf), np.nextafter(codes.min(), -np.inf))
    return float(next(code for code in near if code not in codes and np.isfinite(code)))


class RawTable:
    """The raw columns of a pipeline: which hold numbers, which hold categories, and which may hold anything.

    Parameters
    ----------
    names
        The names of the columns.
    trace
        What the steps do to them.
    framed
        Whether the pipeline takes frames.
    closed
        The columns of numbers that hold known categories only, though encoders accept others.
    """

    def __init__(
        self, names: tuple[str, ...], trace: Trace, *, framed: bool, closed: Iterable[int] = ()
    ) -> None:
        self.names = names
        self.used = sorted(trace.used)
        self.listings: dict[int, RawCategories] = {}
        self.exceptions: dict[int, Floats] = {}
        self._framed = framed
        self._none = trace.none
        self._objects = trace.objects
        by_order = {origin.column for origin in trace.origins if origin.kind in ("raw", "monotone")}
        by_order |= {binned.column for binned in trace.binned}
        by_order -= set(closed)
        for column in self.used:
            if column in trace.none & trace.nan:
                raise UnsupportedModel(
                    f"{names[column]}: a step of this pipeline knows None and a step knows NaN, which primewood "
                    "takes for the same; fit with one kind of missing value"
                )
            found = RawCategories.of(trace.listed[column], trace.filled[column])
            mixed = column in by_order and found.accepts_others and found.by_number
            if trace.listed[column] and not mixed:
                self.listings[column] = found
            elif not found.by_number:
                raise UnsupportedModel(
                    f"{names[column]}: an imputer takes {found.values[-1]!r} for missing among numbers; use NaN"
                )
            elif found.codes.size:
                self.exceptions[column] = np.sort(found.codes)

    def mark(self, column: int) -> float | None:
        """What a missing value of a column is to the pipeline: NaN or None."""
        return None if column in self._none else np.nan

    @property
    def base(self) -> Floats:
        """A row that the pipeline should accept."""
        row = np.zeros(len(self.names))
        for column, numbers in self.exceptions.items():
            row[column] = numbers[0]
        for column, listing in self.listings.items():
            known = listing.codes[: len(listing.codes) - listing.doubtful]
            row[column] = known[0] if known.size else listing.others if listing.accepts_others else np.nan
        return row

    def decode(self, rows: Floats) -> Any:
        """Rows as the pipeline takes them: a frame if it was fitted on one, else an array."""
        columns = [self._column(column, rows[:, column]) for column in range(len(self.names))]
        by_number = all(column.dtype == np.float64 for column in columns)
        if not self._framed:
            stacked = np.empty(rows.shape, dtype=np.float64 if by_number else object)
            for place, column in enumerate(columns):
                stacked[:, place] = column
            return stacked
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependency(
                "asking a pipeline that was fitted on a frame needs pandas: pip install 'primewood[pandas]'"
            ) from None
        if by_number:
            return pd.DataFrame(rows.copy(), columns=list(self.names))
        named = zip(self.names, columns, strict=True)
        return pd.DataFrame({name: pd.Series(column, dtype=column.dtype) for name, column in named})

    def _column(self, column: int, codes: Floats) -> NDArray[Any]:
        listing = self.listings.get(column)
        values: NDArray[Any] = codes.astype(object) if column in self._objects else codes
        if listing is not None and not listing.by_number:
            values = listing.decode(codes)
        if self.mark(column) is None and np.isnan(codes).any():
            values = values.astype(object)
            values[np.isnan(codes)] = None
        return values
