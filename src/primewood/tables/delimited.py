"""Delimited text as spreadsheets and programs write it: which mark separates cells, and which one decimals.

A file from a spreadsheet in a country with decimal commas separates cells by semicolons and writes 1,5 for one and a
half. Neither mark is declared anywhere, so both are found from the text. What could be read in two ways is an error.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from primewood.errors import InvalidInput

DELIMITERS = ",;\t"
SAMPLE = 50
"""How many lines are looked at to find the delimiter."""
WITH_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?")
WITH_POINT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+")
"""A number that can also be read as a whole one with a mark between its thousands."""
SWAP = str.maketrans(",.", ".,")


def find_delimiter(lines: Iterable[str]) -> str:
    r"""The mark that separates the cells: a comma, a semicolon or a tab.

    The mark under which the first row has as many cells as the header, and then the one that makes the most columns.

    >>> find_delimiter(["income;age\n", "1,5;31\n"]), find_delimiter(["income\n", "31\n"])
    (';', ',')
    """
    start = list(islice(lines, SAMPLE))
    found = {mark: _first_rows(start, mark) for mark in DELIMITERS}
    several = [mark for mark in DELIMITERS if found[mark] and len(found[mark][0]) > 1]
    return max(several, key=lambda mark: _fit(found[mark]), default=",")


def _first_rows(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return list(islice((row for row in csv.reader(lines, delimiter=mark) if row), 2))
    except csv.Error:
        return []


def _fit(rows: list[list[str]]) -> tuple[bool, int]:
    return all(len(row) == len(rows[0]) for row in rows), len(rows[0])


def find_decimal_mark(name: str, cells: Iterable[tuple[str, str]]) -> str:
    """The decimal mark of the numbers of a file whose cells are not separated by commas.

    Parameters
    ----------
    name
        What messages call the file.
    cells
        The cells of numeric columns, each with the name of its column.

    Raises
    ------
    InvalidInput
        If both marks occur, or if every number that has one could also have a mark between its thousands.
    """
    seen: dict[str, tuple[str, str]] = {}
    grouped = True
    for column, cell in cells:
        for mark, pattern in ((",", WITH_COMMA), (".", WITH_POINT)):
            if mark in cell and (grouped or mark not in seen) and pattern.fullmatch(cell):
                seen.setdefault(mark, (column, cell))
                grouped = grouped and GROUPED.fullmatch(cell) is not None
    if len(seen) == 2:
        (first, comma), (second, point) = seen[","], seen["."]
        raise InvalidInput(
            f"{name} has numbers with a comma ({comma} in {first}) and numbers with a point ({point} in {second}); "
            "write all of them with one decimal mark and without marks between thousands"
        )
    if seen and grouped:
        ((mark, (column, cell)),) = seen.items()
        raise InvalidInput(
            f"{name}: {cell} in {column} can be read as {cell.translate({ord(mark): '.'})} or as "
            f"{cell.replace(mark, '')}; pass decimal={mark!r} (--set decimal={mark}) if it is a decimal mark, "
            "else remove it"
        )
    return next(iter(seen), ".")


def use_decimal_point(cells: Sequence[str], decimal: str) -> Sequence[str]:
    """Cells with a decimal point, if numbers are written with this mark; the other mark then makes no number.

    >>> use_decimal_point(["1,5", "1.5"], ","), use_decimal_point(["1.5"], ".")
    (['1.5', '1,5'], ['1.5'])
    """
    return [cell.translate(SWAP) for cell in cells] if decimal == "," else cells
