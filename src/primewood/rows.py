"""Rows as users have them: arrays, frames, Series, dicts, read as float64 in the model's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput, listing


def as_rows(X: Any, names: Sequence[str], dtype: InputType, *, source: str = "X") -> NDArray[np.float64]:
    """Rows of an array or a frame. A frame with missing or reordered columns is an error, not a guess."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        _check_names([str(c) for c in columns], names, source)
        _refuse_huge_integers(X.to_numpy(), source)
        try:
            X = X.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            X = X.to_numpy()
    elif hasattr(X, "toarray"):
        X = X.toarray()
    try:
        rows = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"{source} must hold numbers, as the model takes them: {problem}") from None
    _refuse_huge_integers(np.asarray(X), source)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise InvalidInput(
            f"{source} has the shape {rows.shape}; the model takes rows of {len(names)} columns"
        )
    with np.errstate(over="ignore"):
        infinite = np.isinf(rows.astype(dtype))
    if infinite.any():
        i, j = np.argwhere(infinite)[0]
        raise InvalidInput(f"{source}: {names[j]} of row {i} is infinite or too large for {dtype}")
    return rows


def categories_of(X: Any) -> dict[str, list[float]]:
    """The numbers of the columns that a frame declares as categories."""
    found = {}
    for name in getattr(X, "columns", ()):
        categories = getattr(getattr(X[name], "cat", None), "categories", None)
        if categories is not None and len(categories) > 1:
            try:
                found[str(name)] = [float(category) for category in categories]
            except (TypeError, ValueError):
                raise InvalidInput(
                    f"the categories of {name} must be the numbers of the model: {listing(categories)}"
                ) from None
    return found


def as_row(x: Any, names: Sequence[str], dtype: InputType) -> NDArray[np.float64]:
    """One row: an array, a Series, a one-row frame, or a dict by feature names."""
    if isinstance(x, Mapping):
        unknown = [str(key) for key in x if str(key) not in names]
        absent = [name for name in names if name not in {str(key) for key in x}]
        if unknown or absent:
            what = f"has unknown features {listing(unknown)}" if unknown else f"lacks {listing(absent)}"
            raise InvalidInput(f"the row {what}; the features are {listing(names)}")
        by_name = {str(key): value for key, value in x.items()}
        if len(by_name) < len(x):
            raise InvalidInput("the row gives a feature twice")
        x = [by_name[name] for name in names]
    elif hasattr(x, "index") and hasattr(x, "to_numpy") and not hasattr(x, "columns"):
        labels = [str(label) for label in x.index]
        if labels != [str(i) for i in range(len(labels))]:
            _check_names(labels, names, "the row")
        x = x.to_numpy()
    if hasattr(x, "columns") or hasattr(x, "toarray") or np.ndim(x) == 2:
        rows = as_rows(x, names, dtype, source="the row")
        if len(rows) != 1:
            raise InvalidInput(f"explain takes one row, got {len(rows)}; use X.iloc[[i]] or X[i]")
        return np.ravel(rows)
    try:
        row = np.asarray([np.nan if value is None else value for value in x], dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"a row holds numbers, as the model takes them: {problem}") from None
    _refuse_huge_integers(np.asarray(x), "the row")
    if row.ndim != 1 or len(row) != len(names):
        raise InvalidInput(f"the row has {row.size} columns; the model takes {len(names)}")
    return np.ravel(as_rows(row[None, :], names, dtype, source="the row"))


def _refuse_huge_integers(X: NDArray[Any], source: str) -> None:
    """A library casts integers to float32 at once; by way of float64 they would be rounded twice."""
    if X.dtype.kind in "iu" and X.size and max(abs(int(X.min())), int(X.max())) > 2**53:
        raise InvalidInput(f"{source} holds integers above 2^53, which float64 rounds: pass floats")


def _check_names(given: list[str], names: Sequence[str], source: str) -> None:
    if given == list(names):
        return
    absent = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if absent or unknown:
        parts = [f"lacks {listing(absent)}"] if absent else []
        parts += [f"has unknown {listing(unknown)}"] if unknown else []
        raise InvalidInput(f"{source} {' and '.join(parts)}; the model's columns are {listing(names)}")
    raise InvalidInput(f"{source} has the model's columns in another order; the order is {listing(names)}")
