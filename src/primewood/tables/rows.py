"""Rows as users have them: frames, arrays, Series, dicts and records, read as float64 in the model's columns.

Columns are matched by name where both sides have names (`primewood.tables.matching`). In a column that is categorical
to the model, frames, Series, dicts and lists hold names, which become the codes that the trees test; arrays of numbers
hold the codes themselves, as the model takes them.
"""

from __future__ import annotations

import datetime
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Categories, Ensemble
from primewood.ensemble.comparison import InputType
from primewood.ensemble.ensemble import Form
from primewood.errors import InvalidInput, RowsWarning, UnknownName, format_list, quote_value
from primewood.logic.interval import number
from primewood.tables.matching import match_columns
from primewood.tables.tabular import TableColumn, Tabular, tabular

TRUTHS = {"true": 1.0, "false": 0.0}
"""Booleans as text, in any case."""
MOST_TOLD = 5
"""How many different notes about single rows of a table are told."""
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


@dataclass(frozen=True)
class Layout:
    """How the rows of a model look.

    Attributes
    ----------
    names : tuple of str
        The columns, in order.
    dtype : {"float32", "float64"}
        What the model casts numbers to.
    categories : mapping from columns to Categories
        The columns that are categorical to the model.
    form : {"any", "dense", "float64"}
        What rows must be; see `Ensemble`.
    largest_integer : float
        Integers beyond this, in tables of integers only, are rounded by the library.
    words : mapping from columns to (mapping from names to numbers)
        The columns that hold numbers to the model, but have names for them in the domain; rows may hold either.
    """

    names: tuple[str, ...] = ()
    dtype: InputType = "float64"
    categories: Mapping[int, Categories] = field(default_factory=dict)
    form: Form = "any"
    largest_integer: float = 2.0**53
    words: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, ensemble: Ensemble) -> Layout:
        """The layout of an ensemble's rows."""
        return cls(
            ensemble.feature_names,
            ensemble.dtype,
            ensemble.categories,
            ensemble.form,
            ensemble.largest_integer,
        )

    @cached_property
    def _codes(self) -> dict[int, dict[Hashable, float]]:
        return {
            column: {_key(name, categories.by_text): code for code, name in categories.names.items()}
            for column, categories in self.categories.items()
        }

    def code(self, column: int, value: Any, source: str) -> tuple[float, str]:
        """The code of a value in a categorical column, and what to note about it; "" if there is nothing to note."""
        known, codes = self.categories[column], self._codes[column]
        key = _key(value, known.by_text)
        if not codes and known.others is not None:  # the model looks at nothing there
            return known.others, ""
        if key is None:
            return self._missing_code(column, value)
        if key not in codes and isinstance(key, str):
            key = _truth(key) if _truth(key) in codes else key
        if key in codes:
            return codes[key], ""
        if known.others is None or (isinstance(key, float) and not key.is_integer()):
            raise UnknownName(
                f"{source}: {self.names[column]} is one of {format_list(known.names.values())}; got {value!r}"
            )
        return known.others, self.unknown(column, value)

    def _missing_code(self, column: int, value: Any) -> tuple[float, str]:
        """The code of a missing value: a null can be a category of its own; NaN never is."""
        mark = self.categories[column].missing_as
        given = "none" if value is None else "nan" if isinstance(value, float) else "another"
        note = ""
        if mark not in ("either", given):
            shown = {"none": "None", "nan": "NaN"}
            read = f"{value} is read as {shown[mark]}, the missing value that the model was trained with"
            note = f"{self.names[column]}: {read}; to model.predict itself, {value} is another category"
        code = self._codes[column].get(None, np.nan) if value is None else np.nan
        return code, note

    def unknown(self, column: int, value: object) -> str:
        """What to note about a category that the model does not know; "" if it may only not test it."""
        if not self.categories[column].complete:
            return ""
        names = format_list(self.categories[column].names.values())
        return f"{self.names[column]}: {value!r} is not among {names}; treated as unknown"


def _key(value: Any, by_text: bool) -> Hashable:
    """What a name is looked up by: equal numbers are equal, whatever their type; missing is None."""
    value = value.item() if isinstance(value, np.generic) else value
    if _is_missing(value):
        return None
    if by_text:
        return str(int(value)) if isinstance(value, bool) else str(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _truth(text: str) -> bool | None:
    """The Boolean that a text stands for; None for other text."""
    found = TRUTHS.get(text.strip().casefold())
    return None if found is None else bool(found)


@dataclass(frozen=True)
class Reading:
    """Rows in the model's columns, with what the user should know about them.

    Attributes
    ----------
    rows : array
    notes : tuple of str
        About the table: columns that were ignored, or taken by place.
    row_notes : mapping from places of rows to tuples of str
        About single rows: categories that the model does not know.
    """

    rows: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    row_notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes about the table and about all rows, each once, with how many rows it is about."""
        counts = Counter(note for notes in self.row_notes.values() for note in notes)
        told = [f"{note} ({n:,} row{'' if n == 1 else 's'})" for note, n in counts.most_common(MOST_TOLD)]
        left = len(counts) - len(told)
        return (*self.notes, *told, *([f"{left} more notes of this kind"] if left else []))


def tell(notes: Iterable[str]) -> None:
    """Tell what the user should know about a table, as warnings. Python shows the same text once."""
    for note in notes:
        warnings.warn(note, RowsWarning, stacklevel=1)


def as_rows(X: Any, layout: Layout, *, source: str = "X") -> NDArray[np.float64]:
    """The rows of a table or an array; what is to be noted about its columns is told as a warning."""
    reading = read_rows(X, layout, source=source)
    tell(reading.notes)
    return reading.rows


def as_row(x: Any, layout: Layout) -> NDArray[np.float64]:
    """One row: an array, a Series, a one-row frame, or a dict by feature names."""
    row: NDArray[np.float64] = read_row(x, layout).rows[0]
    return row


def read_rows(X: Any, layout: Layout, *, source: str = "X") -> Reading:
    """The rows of a table or an array: columns by name where they have names, else by place."""
    _check_form(X, layout, source)
    table = tabular(X)
    reader = _Reader(layout, source)
    rows = reader.read_array(X) if table is None else reader.read_table(table)
    _check_codes(rows, layout, source)
    with np.errstate(over="ignore"):
        infinite = np.isinf(rows.astype(layout.dtype))
    if infinite.any():
        i, j = np.argwhere(infinite)[0]
        raise InvalidInput(
            f"{source}: {layout.names[j]} of row {i} is infinite or too large for {layout.dtype}"
        )
    return Reading(rows, tuple(reader.notes), {i: tuple(notes) for i, notes in reader.row_notes.items()})


def find_ids(X: Any) -> tuple[object, ...] | None:
    """The labels of rows in the index of a pandas frame; None without an index."""
    index = getattr(X, "index", None)
    return None if index is None or not hasattr(index, "tolist") else tuple(index.tolist())


def read_row(x: Any, layout: Layout) -> Reading:
    """One row, as a table of one row; see `read_rows`."""
    _refuse_scalar(x)
    is_list = not isinstance(x, np.ndarray) and isinstance(x, Iterable) and not hasattr(x, "toarray")
    if tabular(x) is None and is_list:
        x = list(x)
        x = [x] if not x or np.ndim(x[0]) == 0 else x
    elif isinstance(x, np.ndarray) and x.ndim < 2:
        x = x[None, ...]
    reading = read_rows(x, layout, source="the row")
    if len(reading.rows) != 1:
        raise InvalidInput(
            f"expected one row, got {len(reading.rows)}; pass X.iloc[[i]] or X[i], or call explainer(X) for many rows"
        )
    return reading


def _refuse_scalar(x: Any) -> None:
    """Raise for a number, a text or None, which is not a row."""
    if np.isscalar(x) or x is None or (isinstance(x, np.ndarray) and x.ndim == 0):
        raise InvalidInput(
            f"expected a row, got {quote_value(x)}; pass the row itself, such as X.iloc[0] or X[0]"
        )


class _Reader:
    """Reads one table or array, and collects notes."""

    def __init__(self, layout: Layout, source: str) -> None:
        self.layout, self.source = layout, source
        self.notes: list[str] = []
        self.row_notes: dict[int, list[str]] = {}

    def read_table(self, table: Tabular) -> NDArray[np.float64]:
        columns = [table.column(place) for place in self._places(table)]
        if columns and all(column.values.dtype.kind in "iu" for column in columns):
            for column in columns:
                _refuse_huge_integers(column.values, self.source, self.layout.largest_integer)
        rows = np.empty((table.height, len(columns)))
        for j, column in enumerate(columns):
            rows[:, j] = self._read_column(column, j)
        return rows

    def _places(self, table: Tabular) -> Iterable[int]:
        names = self.layout.names
        if not table.labelled and set(table.names) != set(names):
            self._check_width((table.height, table.width))
            return range(len(names))
        matched = match_columns(table.names, names, self.source)
        self.notes += matched.notes
        return matched.places

    def read_array(self, X: Any) -> NDArray[np.float64]:
        X = X.toarray() if hasattr(X, "toarray") else X
        if not isinstance(X, np.ndarray):
            X = self._read_list(X)
        if X.dtype.kind in "cmM":
            raise InvalidInput(f"{self.source} must hold real numbers, not {X.dtype}")
        if X.dtype.kind in "iufb":
            _refuse_huge_integers(X, self.source, self.layout.largest_integer)
            self._check_width(X.shape)
            return self._note_codes(np.asarray(X, dtype=np.float64))
        self._check_width(X.shape)
        objects = X.astype(object)
        columns = [self._read_column(TableColumn(objects[:, j]), j) for j in range(len(self.layout.names))]
        return np.column_stack(columns) if columns else np.empty(X.shape)

    def _read_list(self, X: Any) -> NDArray[Any]:
        """Rows without names as an array: of numbers if no column holds names, else of objects."""
        try:
            found = np.array(X, dtype=object)
            natural = np.array(X) if not self.layout.categories and found.ndim == 2 else found
        except ValueError:
            raise InvalidInput(f"{self.source}: all rows need the same number of columns") from None
        return natural if natural.dtype.kind in "iufbcmM" else found

    def _check_width(self, shape: tuple[int, ...]) -> None:
        if len(shape) == 2 and shape[1] == len(self.layout.names):
            return
        if self.source == "the row" and len(shape) == 2:
            raise InvalidInput(f"the row has {shape[1]} columns; the model takes {len(self.layout.names)}")
        raise InvalidInput(
            f"{self.source} has the shape {shape}; the model takes rows of {len(self.layout.names)} columns"
        )

    def _note_codes(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows of numbers, after noting codes that the model does not know."""
        for column, known in self.layout.categories.items():
            if known.names and known.others is not None and known.complete:
                held = rows[:, column]
                odd = ~np.isin(held, [*known.names, known.others]) & (held == np.floor(held))
                for i in np.flatnonzero(odd).tolist():
                    self._note(i, self.layout.unknown(column, _plain(held[i])))
        return rows

    def _note(self, i: int, note: str) -> None:
        self.row_notes.setdefault(i, []).append(note)

    def _read_column(self, column: TableColumn, j: int) -> Any:
        """The numbers or the codes of a column."""
        if column.kind == "date":
            raise self._refuse_date(j, column.dtype)
        if self.layout.form == "float64" and column.dtype in ("float32", "float16"):
            raise InvalidInput(
                f"{self.source}: {self.layout.names[j]} holds {column.dtype} numbers, with which this model computes "
                "in float32: pass float64"
            )
        if j in self.layout.categories and not column.coded:
            return self._encode(column.values, j)
        if column.values.dtype.kind in "iufb":
            return column.values
        if column.values.dtype.kind in "mM":
            raise self._refuse_date(j, str(column.values.dtype))
        if j not in self.layout.words:
            try:
                return column.values.astype(np.float64)
            except (TypeError, ValueError, OverflowError):
                pass
        return [self._read_number(value, i, j) for i, value in enumerate(column.values.tolist())]

    def _encode(self, values: NDArray[Any], j: int) -> list[float]:
        known: dict[Any, tuple[float, str]] = {}
        found = []
        for i, value in enumerate(values.tolist()):
            if value not in known:
                known[value] = self.layout.code(j, value, self.source)
            code, note = known[value]
            if note:
                self._note(i, note)
            found.append(code)
        return found

    def _read_number(self, value: Any, i: int, j: int) -> float:
        """The number that a value is to the model."""
        if isinstance(value, str):
            return self._read_text(value, i, j)
        if isinstance(value, DATES) and not _is_missing(value):
            raise self._refuse_date(j, type(value).__name__)
        if _is_missing(value):
            return np.nan
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            raise self._refuse_value(value, i, j) from None

    def _read_text(self, text: str, i: int, j: int) -> float:
        words = self.layout.words.get(j, {})
        if text in words:
            return words[text]
        if text.strip().casefold() in TRUTHS:
            return TRUTHS[text.strip().casefold()]
        try:
            return float(text)
        except ValueError:
            if words:
                raise UnknownName(
                    f"{self._place(i, j)} is one of {format_list(words)}; got {text!r}"
                ) from None
            raise self._refuse_value(text, i, j) from None

    def _refuse_value(self, value: Any, i: int, j: int) -> InvalidInput:
        shown = quote_value(value)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        return InvalidInput(
            f"{self._place(i, j)} must be a number, not {shown}; use NaN or None for a missing value"
        )

    def _place(self, i: int, j: int) -> str:
        of_row = "" if self.source == "the row" else f" of row {i}"
        return f"{self.source}: {self.layout.names[j]}{of_row}"

    def _refuse_date(self, j: int, dtype: str) -> InvalidInput:
        name = self.layout.names[j]
        kind = "a duration" if "delta" in dtype or "duration" in dtype else "a date"
        instead = (
            "the number of days" if kind == "a duration" else f"days since a fixed day, or the year of {name}"
        )
        return InvalidInput(f"{self.source}: {name} is {kind} ({dtype}); pass a number, such as {instead}")


def _plain(x: float) -> object:
    return int(x) if float(x).is_integer() else x


def _check_form(X: Any, layout: Layout, source: str) -> None:
    """Refuse rows that the library would take otherwise than as dense float64 numbers."""
    if layout.form != "any" and hasattr(X, "toarray"):
        raise InvalidInput(
            f"{source} is sparse, and this model reads the cells that are left out as missing: pass all cells"
        )
    if layout.form == "float64" and str(getattr(X, "dtype", "")) in ("float32", "float16"):
        raise InvalidInput(
            f"{source} holds float32 numbers, with which this model computes in float32: pass float64"
        )


def _check_codes(rows: NDArray[np.float64], layout: Layout, source: str) -> None:
    """Refuse what is neither a known code nor a whole number: libraries cut its decimals off."""
    for column, known in layout.categories.items():
        held = rows[:, column]
        odd = (held != np.floor(held)) & ~np.isnan(held) & ~np.isin(held, list(known.names))
        if known.names and odd.any():
            i = int(np.flatnonzero(odd)[0])
            raise InvalidInput(
                f"{source}: {layout.names[column]} of row {i} is {number(held[i])}, which is not a category"
            )


def _refuse_huge_integers(X: NDArray[Any], source: str, largest: float) -> None:
    """A library casts integers to float32 at once; by way of float64 they would be rounded otherwise."""
    if X.dtype.kind in "iu" and X.size and max(abs(int(X.min())), int(X.max())) > largest:
        bits = round(np.log2(largest))
        raise InvalidInput(f"{source} holds integers above 2^{bits}, which are rounded: pass floats")


def categories_of(X: Any, layout: Layout) -> dict[str, list[float]]:
    """The numbers of the columns that a frame declares as categories, though the model takes them as numbers."""
    table = tabular(X)
    found = {}
    for place, name in enumerate(() if table is None else table.names):
        if table is None or name not in layout.names or layout.names.index(name) in layout.categories:
            continue
        categories = table.column(place).categories
        if categories is not None and len(categories) > 1:
            try:
                found[name] = [float(category) for category in categories]
            except (TypeError, ValueError):
                raise InvalidInput(
                    f"the categories of {name} must be the numbers of the model: {format_list(categories)}"
                ) from None
    return found
