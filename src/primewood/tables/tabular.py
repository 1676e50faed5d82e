"""Tables as users have them, behind one face: frames of pandas, polars and pyarrow, Series, dicts, records.

A table has columns with names, and each column its values and its kind: what its dtype says about every value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, listing

Kind = Choice["whole", "boolean", "date"]
"""What a dtype says about the values of a column: whole numbers, Booleans, dates or durations."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    values : array
        Numbers, with NaN where they are missing, or objects.
    kind : {"whole", "boolean", "date"} or None
        None where the dtype promises nothing.
    dtype : str
        The dtype by its name, in lower case.
    coded : bool
        Whether the values of a categorical column are codes already.
    categories : sequence or None
        The categories that the dtype lists.
    """

    values: NDArray[Any]
    kind: Kind | None = None
    dtype: str = ""
    coded: bool = False
    categories: Sequence[Any] | None = None


@dataclass(frozen=True)
class Tabular:
    """A table with columns.

    Attributes
    ----------
    names : tuple of str
    height : int
        How many rows it has.
    column : function
        The column at a place; columns are read only when they are asked for.
    labelled : bool
        Whether the names are names; False where they are only places, as in a frame made of an array.
    """

    names: tuple[str, ...]
    height: int
    column: Callable[[int], Column] = field(repr=False)
    labelled: bool = True

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.names)


def tabular(X: Any) -> Tabular | None:
    """The table that something is; None for an array, and for a list of rows without names."""
    if isinstance(X, Tabular):
        return X
    if hasattr(type(X), "collect"):
        raise InvalidInput("this is a lazy frame: pass X.collect()")
    if isinstance(X, Mapping):
        return _of_mapping(X)
    if hasattr(X, "_fields"):
        return _of_records([_record(X)])
    if hasattr(X, "column_names") and hasattr(X, "num_rows"):
        names = tuple(map(str, X.column_names))
        return Tabular(names, X.num_rows, lambda place: _of_arrow(X.column(place)))
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        labels = [*X.columns]
        return Tabular(
            tuple(map(str, labels)), len(X), lambda place: _of_pandas(X.iloc[:, place]), not _is_range(labels)
        )
    if hasattr(X, "columns") and hasattr(X, "to_series"):
        return Tabular(tuple(map(str, X.columns)), len(X), lambda place: _of_polars(X.to_series(place)))
    if hasattr(X, "index") and hasattr(X, "iloc"):  # a Series is one row
        return _of_row([*X.index], X.tolist(), labelled=not _is_range([*X.index]))
    if isinstance(X, list | tuple) and X and all(_is_record(row) for row in X):
        return _of_records([_record(row) for row in X])
    return None


def as_read(rows: NDArray[np.float64], names: Sequence[str], kinds: Mapping[str, Kind | None]) -> Tabular:
    """Rows in a model's columns, as a table whose columns have kinds and hold codes for categories."""
    columns = [Column(rows[:, j], kinds.get(name), coded=True) for j, name in enumerate(names)]
    return Tabular(tuple(names), len(rows), columns.__getitem__)


def is_table(X: Any) -> bool:
    """Whether something holds rows, and is not a single row without names."""
    if getattr(X, "ndim", 0) == 2 or tabular(X) is not None:
        return True
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)


def kinds_of(X: Any, names: Sequence[str]) -> dict[str, Kind]:
    """What the dtypes of a table, or of an array, say about the columns of a model."""
    table = tabular(X)
    if table is None:
        kind = getattr(getattr(X, "dtype", None), "kind", "")
        found: Kind | None = "whole" if kind in ("i", "u") else "boolean" if kind == "b" else None
        return {} if found is None else dict.fromkeys(names, found)
    known = {name: table.column(place).kind for place, name in enumerate(table.names)}
    return {name: kind for name in names if (kind := known.get(name)) in ("whole", "boolean")}


def _is_range(labels: Sequence[Any]) -> bool:
    """Whether labels are the places 0, 1, 2, ... that pandas gives where there are no names."""
    return all(isinstance(label, int | np.integer) for label in labels) and labels == [*range(len(labels))]


def _is_record(row: Any) -> bool:
    return (
        isinstance(row, Mapping)
        or hasattr(row, "_fields")
        or (hasattr(row, "index") and hasattr(row, "iloc"))
    )


def _record(row: Any) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "_fields"):
        return dict(zip(row._fields, row, strict=True))
    return dict(zip(row.index, row.tolist(), strict=True))


def _of_mapping(X: Mapping[Any, Any]) -> Tabular:
    """One row by names, or columns by names."""
    columns = [np.ndim(value) == 1 and not isinstance(value, str | bytes) for value in X.values()]
    if not columns or not all(columns):
        return _of_row([*X], [*X.values()])
    names, held = _names(X), [*X.values()]
    sizes = {len(values) for values in held}
    if len(sizes) > 1:
        raise InvalidInput(f"the columns of a dict need the same length, not {listing(sorted(sizes))}")
    return Tabular(names, sizes.pop(), lambda place: _of_values(held[place]))


def _of_row(labels: Sequence[Any], values: Sequence[Any], *, labelled: bool = True) -> Tabular:
    return Tabular(_names(labels), 1, lambda place: _of_values([values[place]]), labelled)


def _of_records(rows: Sequence[Mapping[Any, Any]]) -> Tabular:
    """Rows by names; all of them need the names of the first."""
    names = _names(rows[0])
    by_name = [{str(key): value for key, value in row.items()} for row in rows]
    for i, row in enumerate(by_name):
        absent = [name for name in names if name not in row]
        if absent:
            raise InvalidInput(
                f"row {i} has no {listing(absent)}, which row 0 has; use None for a missing value"
            )
    return Tabular(names, len(rows), lambda place: _of_values([row[names[place]] for row in by_name]))


def _names(labels: Iterable[Any]) -> tuple[str, ...]:
    names = tuple(map(str, labels))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"the row gives {twice} twice")
    return names


def _of_values(values: Any) -> Column:
    """A column of single values, whose types may differ."""
    if isinstance(values, np.ndarray):
        return Column(values, dtype=str(values.dtype))
    if all(type(value) is int for value in values):
        try:
            return Column(np.array(values, dtype=np.int64))
        except OverflowError:
            pass
    return Column(_objects(values))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        found[i] = value
    return found


def _of_pandas(series: Any) -> Column:
    name, letter = str(series.dtype).lower(), getattr(series.dtype, "kind", "O")
    if letter in ("m", "M"):
        return Column(_objects([None] * len(series)), "date", name)
    if letter not in ("i", "u", "f", "b"):
        categories = getattr(getattr(series, "cat", None), "categories", None)
        return Column(series.to_numpy(dtype=object), None, name, categories=categories)
    values = series.to_numpy()
    if values.dtype == object:  # a nullable dtype with missing values
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return Column(values, _kind(letter), name)


def _of_polars(series: Any) -> Column:
    name = str(series.dtype).lower()
    if series.dtype.is_temporal():
        return Column(_objects([None] * len(series)), "date", name)
    if series.dtype.is_integer() or series.dtype.is_float() or name == "boolean":
        letter = "b" if name == "boolean" else "i" if series.dtype.is_integer() else "f"
        return Column(series.to_numpy(), _kind(letter), name)
    return Column(_objects(series.to_list()), None, name)


def _of_arrow(column: Any) -> Column:
    name = str(column.type)
    if name.startswith(("date", "time", "duration")):
        return Column(_objects([None] * len(column)), "date", name)
    letter = {"bool": "b", "float": "f", "double": "f", "halffloat": "f"}.get(name, "")
    letter = letter or ("i" if name.startswith(("int", "uint")) and "[" not in name else "")
    if not letter:
        return Column(_objects(column.to_pylist()), None, name)
    dtype = {"float": "float32", "halffloat": "float16"}.get(name, name)
    return Column(column.to_numpy(zero_copy_only=False), _kind(letter), dtype)


def _kind(letter: str) -> Kind | None:
    """The kind of values that a dtype with such a letter has."""
    return "boolean" if letter == "b" else "whole" if letter in ("i", "u") else None
