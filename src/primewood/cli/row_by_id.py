"""Rows by the value of a column: ``--id customer=1042``."""

from __future__ import annotations

from difflib import get_close_matches

from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.tables.files import TextTable


def find_row(asked: TextTable, text: str) -> int:
    """Find the position of the one row with a value in a column.

    Cells are compared as text, and as numbers where both are numbers: 17 finds 17.0.

    >>> find_row(TextTable("rows.csv", ["customer"], [["a=1"], ["17.0"]]), "customer=17")
    1
    """
    column, value = _split(asked, text)
    cells = asked.column(asked.header.index(column))
    found = [i for i, cell in enumerate(cells) if cell == value] or [
        i
        for i, cell in enumerate(cells)
        if _parse_number(cell) is not None and _parse_number(cell) == _parse_number(value)
    ]
    if not found:
        raise UnknownName(f"{asked.name} has no row with {column}={value}; {_suggest(cells, value)}")
    if len(found) > 1:
        raise InvalidInput(
            f"{asked.name} has {len(found)} rows with {column}={value}: rows {format_list(found)}; choose by --row"
        )
    return found[0]


def check_column(asked: str, header: list[str], column: str) -> None:
    """Raise unless a file has a column."""
    if column not in header:
        raise UnknownName(
            f"{asked} has no column {column!r}{suggest([column], header)}; its columns are {format_list(header)}"
        )


def _split(asked: TextTable, text: str) -> tuple[str, str]:
    """The column and the value; either may contain an equals sign."""
    if "=" not in text:
        raise InvalidInput(f"a row is chosen by --id COLUMN=VALUE, e.g. customer=1042, not {text!r}")
    for place in (i for i, letter in enumerate(text) if letter == "="):
        if text[:place].strip() in asked.header:
            return text[:place].strip(), text[place + 1 :].strip()
    check_column(asked.name, asked.header, text.partition("=")[0].strip())
    raise AssertionError("the column is there after all")


def _parse_number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _suggest(cells: list[str], value: str) -> str:
    """Suggest up to three values that are close, in letters or as numbers."""
    number = _parse_number(value)
    known = {cell: _parse_number(cell) for cell in cells if cell}
    if number is not None and any(x is not None for x in known.values()):
        near = sorted(
            (x for x in known if known[x] is not None), key=lambda x: abs((known[x] or 0.0) - number)
        )
    else:
        near = get_close_matches(value, list(known), n=3)
    return f"the nearest are {format_list(near[:3])}" if near else f"the values are {format_list(known, 5)}"
