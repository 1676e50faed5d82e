"""Tables as users have them, behind one face: frames of pandas, polars and pyarrow, Series, dicts, records.

A table has columns with names, and each column its values and its kind: what its dtype says about every value.
Frames are read by narwhals, which is imported when one comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, format_list

if TYPE_CHECKING:
    import narwhals as nw

ColumnKind = Choice["whole", "boolean", "date"]
"""What a dtype says about the values of a column: whole numbers, Booleans, dates or durations."""


@dataclass(frozen=True)
class TableColumn:
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
    kind: ColumnKind | None = None
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
    column: Callable[[int], TableColumn] = field(repr=False)
    labelled: bool = True

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.names)


def tabular(X: Any) -> Tabular | None:
    """The table that something is; None for an array, and for a list of rows without names."""
    if isinstance(X, Tabular):
        return X
    if isinstance(X, Mapping):
        return _read_mapping(X)
    if hasattr(X, "_fields"):
        return _read_records([_record(X)])
    if isinstance(X, list | tuple):
        named = bool(X) and all(_is_record(row) for row in X)
        return _read_records([_record(row) for row in X]) if named else None
    if isinstance(X, np.ndarray) or hasattr(X, "toarray"):
        return None
    return _read_native(X)


def as_read(
    rows: NDArray[np.float64], names: Sequence[str], kinds: Mapping[str, ColumnKind | None]
) -> Tabular:
    """Rows in a model's columns, as a table whose columns have kinds and hold codes for categories."""
    columns = [TableColumn(rows[:, j], kinds.get(name), coded=True) for j, name in enumerate(names)]
    return Tabular(tuple(names), len(rows), columns.__getitem__)


def is_table(X: Any) -> bool:
    """Whether something holds rows, and is not a single row without names."""
    if getattr(X, "ndim", 0) == 2 or tabular(X) is not None:
        return True
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)


def kinds_of(X: Any, names: Sequence[str]) -> dict[str, ColumnKind]:
    """What the dtypes of a table, or of an array, say about the columns of a model."""
    table = tabular(X)
    if table is None:
        kind = getattr(getattr(X, "dtype", None), "kind", "")
        found: ColumnKind | None = "whole" if kind in ("i", "u") else "boolean" if kind == "b" else None
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


def _read_mapping(X: Mapping[Any, Any]) -> Tabular:
    """One row by names, or columns by names."""
    columns = [np.ndim(value) == 1 and not isinstance(value, str | bytes) for value in X.values()]
    if not columns or not all(columns):
        return _read_row([*X], [*X.values()])
    names, held = _names(X), [*X.values()]
    sizes = {len(values) for values in held}
    if len(sizes) > 1:
        raise InvalidInput(f"the columns of a dict need the same length, not {format_list(sorted(sizes))}")
    return Tabular(names, sizes.pop(), lambda place: _read_values(held[place]))


def _read_row(labels: Sequence[Any], values: Sequence[Any], *, labelled: bool = True) -> Tabular:
    return Tabular(_names(labels), 1, lambda place: _read_values([values[place]]), labelled)


def _read_records(rows: Sequence[Mapping[Any, Any]]) -> Tabular:
    """Rows by names; all of them need the names of the first."""
    names = _names(rows[0])
    by_name = [{str(key): value for key, value in row.items()} for row in rows]
    for i, row in enumerate(by_name):
        absent = [name for name in names if name not in row]
        if absent:
            raise InvalidInput(
                f"row {i} has no {format_list(absent)}, which row 0 has; use None for a missing value"
            )
    return Tabular(names, len(rows), lambda place: _read_values([row[names[place]] for row in by_name]))


def _names(labels: Iterable[Any]) -> tuple[str, ...]:
    names = tuple(map(str, labels))
    if len(set(names)) < len(names):
        raise InvalidInput(f"the row gives {_find_repeated(names)} twice")
    return names


def _find_repeated(names: Sequence[str]) -> str:
    """The first name that occurs more than once."""
    return next(name for name in names if names.count(name) > 1)


def _read_values(values: Any) -> TableColumn:
    """A column of single values, whose types may differ."""
    if isinstance(values, np.ndarray):
        return TableColumn(values, dtype=str(values.dtype))
    if all(type(value) is int for value in values):
        try:
            return TableColumn(np.array(values, dtype=np.int64))
        except OverflowError:
            pass
    return TableColumn(_objects(values))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        found[i] = value
    return found


def _read_native(X: Any) -> Tabular | None:
    """The table of a frame, or of a Series with an index, of any library that narwhals knows; None for others."""
    import narwhals as nw

    try:
        found = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        names = [*map(str, getattr(X, "column_names", X.columns))]
        raise InvalidInput(f"two columns are called {_find_repeated(names)}; rename one of them") from None
    if isinstance(found, nw.LazyFrame):
        raise InvalidInput("this is a lazy frame: pass X.collect(), or X.compute() for Dask")
    if isinstance(found, nw.Series):
        index = nw.maybe_get_index(found)
        return (
            None if index is None else _read_row([*index], found.to_list(), labelled=not _is_range([*index]))
        )
    if hasattr(X, "__arrow_c_stream__"):  # also a record batch, which narwhals passes through
        found = found if isinstance(found, nw.DataFrame) else nw.from_arrow(X, backend="pyarrow")
    return _read_frame(found) if isinstance(found, nw.DataFrame) else None


def _read_frame(frame: nw.DataFrame[Any]) -> Tabular:
    labels = [*frame.columns]
    return Tabular(
        tuple(map(str, labels)),
        len(frame),
        lambda place: _read_series(frame.get_column(labels[place])),
        not _is_range(labels),
    )


def _read_series(series: nw.Series[Any]) -> TableColumn:
    """A column of a frame: numbers and Booleans as numpy has them, other values one by one."""
    import narwhals as nw

    dtype, native = series.dtype, series.to_native()
    name = type(dtype).__name__.lower()
    if dtype.is_temporal():
        return TableColumn(_objects([None] * len(series)), "date", name)
    if dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean:
        kind: ColumnKind | None = (
            "boolean" if dtype == nw.Boolean else "whole" if dtype.is_integer() else None
        )
        return TableColumn(series.to_numpy(), kind, name)
    if hasattr(native, "sparse"):  # of pandas; narwhals knows no such dtype
        return _read_series(nw.from_native(native.sparse.to_dense(), series_only=True))
    categories = getattr(getattr(native, "cat", None), "categories", None)
    return TableColumn(_objects(series.to_list()), None, name, categories=categories)
