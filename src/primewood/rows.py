"""Rows as users have them: arrays, frames, Series, dicts, read as float64 in the model's columns.

In a column that is categorical to the model, frames, Series, dicts and lists hold names, which become the codes that
the trees test; arrays of numbers hold the codes themselves, as the model takes them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Categories, Ensemble
from primewood.ensemble.comparison import InputType
from primewood.ensemble.ensemble import Form
from primewood.errors import InvalidInput, UnknownName, listing, meant


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
        The columns that hold numbers to the model, but have names for them by the user's word; single rows may hold
        either.
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

    def code(self, column: int, value: Any, source: str) -> float:
        """The code of a value in a categorical column."""
        key = _key(value, self.categories[column].by_text)
        codes, others = self._codes[column], self.categories[column].others
        if not codes and others is not None:  # the model looks at nothing there
            return others
        if key is None:  # a null can be a category of its own; NaN never is
            mark = self.categories[column].missing_as
            kind = "none" if value is None else "nan" if isinstance(value, float) else "another"
            if mark not in ("either", kind):
                known = "NaN" if mark == "nan" else "None"
                raise InvalidInput(
                    f"{source}: {self.names[column]} is {value}; to the model, missing is {known} there"
                )
            return codes.get(None, np.nan) if value is None else np.nan
        if key in codes:
            return codes[key]
        if others is None or (isinstance(key, float) and not key.is_integer()):
            names = listing(self.categories[column].names.values())
            raise UnknownName(f"{source}: {self.names[column]} is one of {names}; got {value!r}")
        return others


def _key(value: Any, by_text: bool) -> Hashable:
    """What a name is looked up by: equal numbers are equal, whatever their type; missing is None."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if by_text:
        return str(int(value)) if isinstance(value, bool) else str(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def as_rows(X: Any, layout: Layout, *, source: str = "X") -> NDArray[np.float64]:
    """Rows of an array or a frame. A frame with missing or reordered columns is an error, not a guess."""
    columns = getattr(X, "columns", None)
    _check_form(X, layout, source)
    if columns is not None:
        _check_names([str(c) for c in columns], layout, source)
        X = _frame_to_array(X, list(columns), layout, source)
    elif hasattr(X, "toarray"):
        X = X.toarray()
    elif layout.categories and not isinstance(X, np.ndarray):
        X = _objects_to_array(_table(X, source), layout, source)
    elif layout.categories and X.dtype.kind in "OUS":
        X = _objects_to_array(np.asarray(X, dtype=object), layout, source)
    try:
        if np.asarray(X).dtype.kind in "cmM":
            raise InvalidInput(f"{source} must hold real numbers, not {np.asarray(X).dtype}")
        rows = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidInput(f"{source} must hold numbers, as the model takes them: {problem}") from None
    _refuse_huge_integers(np.asarray(X), source, layout.largest_integer)
    if rows.ndim != 2 or rows.shape[1] != len(layout.names):
        raise InvalidInput(
            f"{source} has the shape {rows.shape}; the model takes rows of {len(layout.names)} columns"
        )
    _check_codes(rows, layout, source)
    with np.errstate(over="ignore"):
        infinite = np.isinf(rows.astype(layout.dtype))
    if infinite.any():
        i, j = np.argwhere(infinite)[0]
        raise InvalidInput(
            f"{source}: {layout.names[j]} of row {i} is infinite or too large for {layout.dtype}"
        )
    return rows


def _check_form(X: Any, layout: Layout, source: str) -> None:
    """Refuse rows that the library would take otherwise than as dense float64 numbers."""
    if layout.form != "any" and hasattr(X, "toarray"):
        raise InvalidInput(
            f"{source} is sparse, and this model takes the cells that are left out otherwise: pass all"
        )
    if hasattr(X, "collect"):
        raise InvalidInput(f"{source} is a lazy frame: pass {source}.collect()")
    types = getattr(X, "dtypes", getattr(X, "dtype", None))
    found = {str(t).lower() for t in (types if isinstance(types, Iterable) else [types])}
    if layout.form == "float64" and found & {"float32", "float16"}:
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
                f"{source}: {layout.names[column]} of row {i} is {held[i]:g}, which is no category"
            )


def _frame_to_array(X: Any, columns: list[Any], layout: Layout, source: str) -> Any:
    if layout.categories:
        rows = np.empty((len(X), len(columns)))
        for j, name in enumerate(columns):
            if j in layout.categories:
                rows[:, j] = _coded(X[name], j, layout, source)
            else:
                one = Layout((layout.names[j],), layout.dtype)
                rows[:, j] = as_rows(X[[name]], one, source=source)[:, 0]
        return rows
    _refuse_huge_integers(X.to_numpy(), source, layout.largest_integer)
    try:
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return X.to_numpy()


def _table(X: Any, source: str) -> NDArray[Any]:
    try:
        return np.array(X, dtype=object)
    except ValueError:
        raise InvalidInput(f"{source}: all rows need the same number of columns") from None


def _objects_to_array(X: NDArray[Any], layout: Layout, source: str) -> NDArray[Any]:
    if X.ndim == 2 and X.shape[1] == len(layout.names):
        X = X.copy()
        for j in layout.categories:
            X[:, j] = _coded(X[:, j], j, layout, source)
    return X


def _coded(values: Iterable[Any], column: int, layout: Layout, source: str) -> list[float]:
    known: dict[Any, float] = {}
    found = []
    for value in values:
        if value not in known:
            known[value] = layout.code(column, value, source)
        found.append(known[value])
    return found


def categories_of(X: Any, layout: Layout) -> dict[str, list[float]]:
    """The numbers of the columns that a frame declares as categories, though the model takes them as numbers."""
    found = {}
    for j, name in enumerate(getattr(X, "columns", ())):
        categories = getattr(getattr(X[name], "cat", None), "categories", None)
        if categories is not None and len(categories) > 1 and j not in layout.categories:
            try:
                found[str(name)] = [float(category) for category in categories]
            except (TypeError, ValueError):
                raise InvalidInput(
                    f"the categories of {name} must be the numbers of the model: {listing(categories)}"
                ) from None
    return found


def as_row(x: Any, layout: Layout) -> NDArray[np.float64]:
    """One row: an array, a Series, a one-row frame, or a dict by feature names."""
    names = layout.names
    named = False
    if isinstance(x, Mapping):
        unknown = [str(key) for key in x if str(key) not in names]
        absent = [name for name in names if name not in {str(key) for key in x}]
        if unknown or absent:
            like = meant(unknown, absent)
            what = f"has unknown features {listing(unknown)}{like}" if unknown else f"lacks {listing(absent)}"
            raise InvalidInput(f"the row {what}; the features are {listing(names)}")
        by_name = {str(key): value for key, value in x.items()}
        if len(by_name) < len(x):
            raise InvalidInput("the row gives a feature twice")
        x, named = [by_name[name] for name in names], True
    elif hasattr(x, "index") and hasattr(x, "to_numpy") and not hasattr(x, "columns"):
        labels = [str(label) for label in x.index]
        if labels != [str(i) for i in range(len(labels))] or set(labels) == set(names):
            _check_names(labels, layout, "the row")
            named = True
        x = x.to_numpy()
    if hasattr(x, "columns") or hasattr(x, "toarray") or np.ndim(x) == 2:
        rows = as_rows(x, layout, source="the row")
        if len(rows) != 1:
            raise InvalidInput(f"explain takes one row, got {len(rows)}; use X.iloc[[i]] or X[i]")
        return np.ravel(rows)
    x = _with_codes(x, layout, named=named or isinstance(x, list | tuple) or np.asarray(x).dtype.kind == "O")
    try:
        row = np.asarray([np.nan if value is None else value for value in x], dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidInput(f"a row holds numbers, as the model takes them: {problem}") from None
    _refuse_huge_integers(np.asarray(x), "the row", layout.largest_integer)
    if row.ndim != 1 or len(row) != len(names):
        raise InvalidInput(f"the row has {row.size} columns; the model takes {len(names)}")
    return np.ravel(as_rows(row[None, :], layout, source="the row"))


def _with_codes(x: Any, layout: Layout, *, named: bool) -> Any:
    """A row with codes for names, where it has names at all: an array of numbers has none."""
    if not named or not (layout.categories or layout.words) or len(x) != len(layout.names):
        return x
    return [
        layout.code(j, v, "the row") if j in layout.categories else _number_for(v, j, layout)
        for j, v in enumerate(x)
    ]


def _number_for(value: Any, column: int, layout: Layout) -> Any:
    """What the model takes for a value that may be a name."""
    known = layout.words.get(column)
    if known is None or not isinstance(value, str):
        return value
    if value not in known:
        raise UnknownName(f"the row: {layout.names[column]} is one of {listing(known)}; got {value!r}")
    return known[value]


def _refuse_huge_integers(X: NDArray[Any], source: str, largest: float) -> None:
    """A library casts integers to float32 at once; by way of float64 they would be rounded otherwise."""
    if X.dtype.kind in "iu" and X.size and max(abs(int(X.min())), int(X.max())) > largest:
        bits = round(np.log2(largest))
        raise InvalidInput(f"{source} holds integers above 2^{bits}, which are rounded: pass floats")


def _check_names(given: list[str], layout: Layout, source: str) -> None:
    names = layout.names
    if list(names) in (given, [name.replace(" ", "_") for name in given]):  # LightGBM keeps no spaces
        return
    absent = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if absent or unknown:
        parts = [f"lacks {listing(absent)}"] if absent else []
        parts += [f"has unknown {listing(unknown)}"] if unknown else []
        raise InvalidInput(f"{source} {' and '.join(parts)}; the model's columns are {listing(names)}")
    raise InvalidInput(f"{source} has the model's columns in another order; the order is {listing(names)}")
