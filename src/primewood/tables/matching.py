"""Which column of a table is which column of a model: by name wherever both have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primewood.errors import InvalidInput, format_list, suggest

MADE_UP = ("x", "f", "Column_", "")
"""What libraries put before the place of a column that has no name."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The places of a model's columns in a table.

    Attributes
    ----------
    places : tuple of int
        Per column of the model, its place in the table.
    notes : tuple of str
        What the user should know: columns that are ignored, or taken by place.
    """

    places: tuple[int, ...]
    notes: tuple[str, ...] = ()


def is_unnamed(names: Sequence[str]) -> bool:
    """Whether the names of a model's columns are only their places, as libraries name the columns of arrays.

    >>> is_unnamed(["x0", "x1"]), is_unnamed(["Column_0", "Column_1"]), is_unnamed(["age", "x1"])
    (True, True, False)
    """
    return any(list(names) == [f"{mark}{i}" for i in range(len(names))] for mark in MADE_UP)


def match_columns(given: Sequence[str], names: Sequence[str], source: str) -> Matched:
    """Find the columns of a model in a table; columns that the model does not have are ignored with a note.

    A model without names takes the columns by place, with a note, if there are as many. LightGBM keeps no
    spaces, so "monthly income" is its column monthly_income.

    >>> match_columns(["id", "age", "income"], ["income", "age"], "X")
    Matched(places=(2, 1), notes=('X: ignored columns: id',))
    >>> match_columns(["age", "income"], ["x0", "x1"], "X").notes
    ('the model has no column names; the columns of X are taken in their order: age, income',)
    """
    places = {name.replace(" ", "_"): place for place, name in enumerate(given)}
    places |= {name: place for place, name in enumerate(given)}
    if is_unnamed(names) and not any(name in places for name in names):
        return _match_by_place(given, names, source)
    _check(given, names, places, source)
    found = tuple(places[name] for name in names)
    ignored = [name for place, name in enumerate(given) if place not in found]
    notes = (f"{source}: ignored columns: {format_list(ignored)}",) if ignored else ()
    return Matched(found, notes)


def _check(given: Sequence[str], names: Sequence[str], places: dict[str, int], source: str) -> None:
    absent = [name for name in names if name not in places]
    if absent:
        unexpected = [name for name in given if name not in names]
        also = f"the model's columns are {format_list(names)}"
        if unexpected:
            also = f"unexpected columns: {format_list(unexpected)}{_hint(unexpected, absent, source)}"
        raise InvalidInput(f"{source}: missing columns: {format_list(absent)}; {also}")
    twice = [name for name in names if list(given).count(name) > 1]
    if twice:
        raise InvalidInput(f"{source}: two columns are called {twice[0]}")


def _hint(unexpected: Sequence[str], absent: Sequence[str], source: str) -> str:
    """What to do about unexpected columns: encode those whose dummies are absent; others may be misspelt.

    >>> _hint(["city", "agee"], ["city_Rom", "city_Paris", "age"], "X")
    ' (did you mean age?); encode X as for training (e.g. pd.get_dummies)'
    """
    raw = [name for name in unexpected if sum(one.startswith((f"{name}_", f"{name}=")) for one in absent) > 1]
    misspelt = suggest([name for name in unexpected if name not in raw], absent)
    return f"{misspelt}; encode {source} as for training (e.g. pd.get_dummies)" if raw else misspelt


def _match_by_place(given: Sequence[str], names: Sequence[str], source: str) -> Matched:
    if len(given) != len(names):
        raise InvalidInput(
            f"{source} has {len(given)} columns ({format_list(given)}); the model takes {len(names)} and has no column "
            "names. Pass feature_names= with the names of its columns in order, and columns are matched by name"
        )
    note = f"the model has no column names; the columns of {source} are taken in their order: {format_list(given)}"
    return Matched(tuple(range(len(names))), (note,))
