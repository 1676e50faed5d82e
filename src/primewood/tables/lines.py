"""The lines of a file of rows as text: CSV, JSON objects one per line, or a sheet of a workbook.

The first line has the names of the columns, each further one the cells of a row, or `Unreadable` in its place.

Python's own readers are used, not pyarrow's. pyarrow gives up at the first row that it cannot read (text that is not
UTF-8, JSON that is broken or changes its types), where one bad row must not cost the others. It guesses types block by
block, where a cell must mean the same in every block. And CSV and JSON are read without installing it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primewood.errors import InvalidInput, format_list
from primewood.fields import JsonObject
from primewood.tables import workbook


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row of a file that cannot be read.

    Attributes
    ----------
    problem : str
        What is wrong with it.
    """

    problem: str


TextLine = list[str] | Unreadable


def read_csv(file: Iterable[str], name: str, delimiter: str) -> Iterator[TextLine]:
    """The lines of a CSV file; empty ones are left out. Bytes that are not UTF-8 come as surrogates."""
    cells = _csv_cells(csv.reader(file, delimiter=delimiter))
    header = next(cells, None)
    if isinstance(header, Unreadable):
        raise InvalidInput(f"{name} is not a CSV file: {header.problem}")
    if header is None:
        return
    yield check_header(header, name)
    for row, line in enumerate(cells):
        if isinstance(line, Unreadable):
            yield Unreadable(f"{name_row(name, row)} is not CSV: {line.problem}")
        elif len(line) != len(header):
            yield Unreadable(f"{name_row(name, row)}: {len(line)} cells under {len(header)} columns")
        else:
            yield line


def _csv_cells(lines: Iterator[list[str]]) -> Iterator[TextLine]:
    """The cells of lines that are not empty."""
    while True:
        try:
            line = next(lines)
            "".join(line).encode()
        except StopIteration:
            return
        except (csv.Error, UnicodeError) as problem:
            yield Unreadable(str(problem))
        else:
            if line:
                yield line


def check_header(line: list[str], name: str) -> list[str]:
    """The names of columns in the first line of a file."""
    header = [column.strip() for column in line]
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise InvalidInput(f"{name} has two columns {f'called {twice}' if twice else 'without a name'}")
    return header


def read_json_lines(file: Iterable[str], name: str) -> Iterator[TextLine]:
    """The lines of a file with one JSON object per line; the first object names the columns."""
    return read_objects(map(_parse, filter(str.strip, file)), name)


def _parse(line: str) -> Any:
    try:
        line.encode()
        return json.loads(line)
    except (ValueError, RecursionError) as problem:
        return Unreadable(str(problem))


def read_objects(found: Iterable[Any], name: str) -> Iterator[TextLine]:
    """The lines of rows that are JSON objects: first the keys of the first one, then the cells of each."""
    header: list[str] | None = None
    for row, value in enumerate(found):
        try:
            record = _check_object(value, name_row(name, row))
            if header is None:
                header = list(record)
                yield header
            yield _cells(record, header, name_row(name, row))
        except InvalidInput as problem:
            if header is None:
                raise
            yield Unreadable(str(problem))


def _check_object(value: Any, source: str) -> JsonObject:
    if isinstance(value, Unreadable):
        raise InvalidInput(f"{source} is not JSON: {value.problem}")
    if not isinstance(value, dict):
        raise InvalidInput(
            f'{source} is not an object; rows are objects such as {{"age": 31}}, one per line or in an array'
        )
    return value


def _cells(row: JsonObject, header: list[str], source: str) -> list[str]:
    """The cells of an object under the names of columns. The text of a number is exact; null is an empty cell."""
    absent = [name for name in header if name not in row]
    if absent:
        raise InvalidInput(
            f"{source} has no {format_list(absent)}, as the first row has; null is for missing values"
        )
    for name in header:
        if isinstance(row[name], dict | list):
            raise InvalidInput(
                f"{source}: {name} must be a number, a name or null, not {type(row[name]).__name__}"
            )
    return ["" if row[name] is None else str(row[name]) for name in header]


def read_sheet(path: Path, sheet: str | None) -> Iterator[TextLine]:
    """The lines of a sheet of an Excel workbook."""
    lines = workbook.read_lines(path, sheet)
    header = next(lines, None)
    if header is not None:
        yield check_header(header, path.name)
        yield from lines


def read_header(lines: Iterator[TextLine], name: str, needs: str) -> list[str]:
    """The names of the columns, which are the first line; `needs` names what an empty file should have."""
    header = next(lines, None)
    if header is None:
        raise InvalidInput(f"{name} is empty; it needs {needs}")
    return check_readable(header)


def check_readable(line: TextLine) -> list[str]:
    """The cells of a line, or an error if it cannot be read."""
    if isinstance(line, Unreadable):
        raise InvalidInput(line.problem)
    return line


def name_row(name: str, row: int) -> str:
    """What messages call a row of a file.

    >>> name_row("rows.csv", 3)
    'rows.csv, row 3'
    """
    return f"{name}, row {row}"
