"""Tables of rows as files and pipes hold them: CSV with a header, JSON objects, Parquet, or an Excel sheet.

Every cell becomes text, whatever it came from, and is read as the model's column wants it: a number, or the name of
a category. JSON keeps its meaning by that: the text of a float is exact, null is an empty cell.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput, MissingDependency, listing
from primewood.tables import workbook
from primewood.tables.delimited import decimal_mark, delimiter_of, with_point
from primewood.tables.matching import match_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from primewood.tables.rows import Layout, Reading
    from primewood.tables.tabular import ColumnKind, Tabular

STDIN = Path("-")
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
PARQUET_ENDINGS = (".parquet", ".pq")
MISSING = ("", "NA", "NaN", "nan")
TRUTHS = {"true": 1.0, "false": 0.0}
WHOLE = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class Dialect:
    """How a file of rows is written, where that cannot be seen from the file itself.

    Attributes
    ----------
    sheet : str or None
        Which sheet of an Excel workbook; None for the first.
    decimal : {".", ","} or None
        The decimal mark of the numbers in a CSV file whose cells are not separated by commas; None to find it.
    """

    sheet: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (".", ",", None):
            raise InvalidInput(f"decimal is '.' or ',', not {self.decimal!r}")

    def check(self, path: Path) -> None:
        """Raise for what does not apply to a file."""
        if self.sheet is not None and not is_workbook(path):
            raise InvalidInput(f"sheet is for Excel workbooks (.xlsx); {path.name} is not one")


def is_workbook(path: Path) -> bool:
    """Whether a file is an Excel workbook, by its name; the older kind is refused."""
    if path.suffix.lower() in (".xls", ".ods"):
        raise InvalidInput(f"{path.name}: {path.suffix} files are not supported; save it as .xlsx or .csv")
    return path.suffix.lower() in workbook.ENDINGS


@dataclass(frozen=True)
class Table:
    """Rows of text under the names of their columns.

    Attributes
    ----------
    name : str
        What messages call it.
    header : list of str
    lines : list of list of str
        As many cells as the header has names.
    first : int
        What messages call the first row, if these are rows out of the middle.
    decimal : {".", ","} or None
        The decimal mark of numbers; None to find it in them.
    """

    name: str
    header: list[str]
    lines: list[list[str]]
    first: int = 0
    decimal: str | None = "."

    def __len__(self) -> int:
        return len(self.lines)

    def numbers(self, layout: Layout) -> NDArray[np.float64]:
        """The rows in the model's columns; what is to be noted about them is told as a warning."""
        from primewood.tables.rows import tell

        reading = self.reading(layout)
        tell(reading.all_notes)
        return reading.rows

    def reading(self, layout: Layout) -> Reading:
        """The rows in the model's columns, found by name, with notes; other columns are left out.

        The columns of a model without names are taken in order, and must be as many. An empty cell or NA is missing;
        in a categorical column, cells are names.
        """
        import numpy as np

        from primewood.tables.rows import Reading

        matched = match_columns(self.header, layout.names, self.name)
        numeric = (place for j, place in enumerate(matched.places) if j not in layout.categories)
        decimal = self._decimal(numeric)
        rows = np.empty((len(self), len(matched.places)))
        row_notes: dict[int, tuple[str, ...]] = {}
        for j, place in enumerate(matched.places):
            rows[:, j], notes = self._column(j, self.column(place), layout, decimal)
            for i, note in notes.items():
                row_notes[i] = (*row_notes.get(i, ()), note)
        return Reading(rows, matched.notes, row_notes)

    def training(self, layout: Layout) -> Tabular:
        """The rows as a table to train with: under the names of its own columns if the model has none."""
        from primewood.tables.matching import is_unnamed
        from primewood.tables.rows import tell
        from primewood.tables.tabular import as_read

        reading = self.reading(layout)
        unnamed = is_unnamed(layout.names) and not set(layout.names) & set(self.header)
        tell(replace(reading, notes=() if unnamed else reading.notes).all_notes)
        names = tuple(self.header) if unnamed else layout.names
        places = match_columns(self.header, layout.names, self.name).places
        kinds = {name: self._kind(place) for name, place in zip(names, places, strict=True)}
        return as_read(reading.rows, names, kinds)

    def _kind(self, place: int) -> ColumnKind | None:
        """What all cells of a column are: whole numbers, or Booleans."""
        cells = [cell for cell in self.column(place) if cell not in MISSING]
        if cells and all(WHOLE.fullmatch(cell) for cell in cells):
            return "whole"
        return "boolean" if cells and all(cell.lower() in TRUTHS for cell in cells) else None

    def column(self, place: int) -> list[str]:
        """The cells of a column."""
        return [line[place].strip() for line in self.lines]

    def _decimal(self, numeric: Iterable[int]) -> str:
        """The decimal mark of some columns."""
        if self.decimal is not None:
            return self.decimal
        cells = ((self.header[place], cell) for place in numeric for cell in self.column(place))
        return decimal_mark(self.name, cells)

    def texts(self, names: Sequence[str], categorical: Iterable[int]) -> NDArray[Any]:
        """The rows with text in categorical columns and numbers in others."""
        import numpy as np

        from primewood.tables.rows import Layout, tell

        layout = Layout(tuple(names))
        names_only = set(categorical)
        matched = match_columns(self.header, names, self.name)
        tell(matched.notes)
        decimal = self._decimal(place for j, place in enumerate(matched.places) if j not in names_only)
        rows = np.empty((len(self), len(names)), dtype=object)
        for j, place in enumerate(matched.places):
            cells = self.column(place)
            rows[:, j] = cells if j in names_only else self._column(j, cells, layout, decimal)[0]
        return rows

    def _column(
        self, column: int, cells: list[str], layout: Layout, decimal: str
    ) -> tuple[list[float], dict[int, str]]:
        """The numbers of a column, and notes about some of its rows."""
        if column not in layout.categories:
            try:
                numbers = [float(with_point(cell, decimal)) for cell in cells]
                if all(abs(number) != float("inf") for number in numbers):
                    return numbers, {}
            except ValueError:
                pass
        found = [
            _read(cell, column, layout, source(self.name, i), decimal)
            for i, cell in enumerate(cells, self.first)
        ]
        return [number for number, _ in found], {i: note for i, (_, note) in enumerate(found) if note}


def source(name: str, row: int) -> str:
    """What messages call a row of a file.

    >>> source("rows.csv", 3)
    'rows.csv, row 3'
    """
    return f"{name}, row {row}"


def _read(cell: str, column: int, layout: Layout, source: str, decimal: str = ".") -> tuple[float, str]:
    """The number of a cell, or the code of its category, and what to note about it."""
    if column in layout.categories:
        names = layout.categories[column].names.values()
        written = {str(name): name for name in names}
        if cell in written:
            return layout.code(column, written[cell], source)
        return (float("nan"), "") if cell in MISSING else layout.code(column, _as_number(cell, names), source)
    if cell in MISSING:
        return float("nan"), ""
    try:
        number = TRUTHS[cell.lower()] if cell.lower() in TRUTHS else float(with_point(cell, decimal))
    except ValueError:
        number = float("inf")
    if abs(number) == float("inf"):
        raise InvalidInput(f"{source}: {layout.names[column]} must be a finite number, not {cell[:40]!r}")
    return number, ""


def _as_number(cell: str, names: Iterable[object]) -> object:
    """A cell of a column whose categories are numbers, perhaps written otherwise: 3.0 for 3."""
    if not any(isinstance(name, int | float) for name in names):
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


def table(path: Path, dialect: Dialect | None = None) -> Table:
    """The table of a file, or of stdin if the path is ``-``."""
    dialect = dialect or Dialect()
    dialect.check(path)
    ending = path.suffix.lower()
    if ending in PARQUET_ENDINGS and path.is_file():
        return _of_parquet(path)
    if is_workbook(path):
        return _of_workbook(path, dialect.sheet)
    text, name = (_stdin(), "stdin") if path == STDIN else (_text(path), path.name)
    if not text.strip():
        raise InvalidInput(f"{name} is empty; it needs a header and at least one row")
    begins_as_json = text.lstrip()[0] in "[{"
    if ending in JSON_ENDINGS or (path == STDIN and begins_as_json):
        return _of_json(text, name)
    return _of_csv(text, name, dialect.decimal)


def _text(path: Path) -> str:
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; rows are a CSV, JSON, Parquet or .xlsx file, or - for stdin")
    if not path.exists():
        raise InvalidInput(f"there is no file {path}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is no text in UTF-8, so neither CSV nor JSON") from None


def _stdin() -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidInput("stdin is closed; give a file of rows, or pipe them in")
    try:
        return sys.stdin.read().removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise InvalidInput("stdin is no text in UTF-8, so neither CSV nor JSON") from None


def _of_csv(text: str, name: str, decimal: str | None) -> Table:
    delimiter = delimiter_of(io.StringIO(text, newline=""))
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if line]
    except csv.Error as problem:
        raise InvalidInput(f"{name} is not a CSV file: {problem}") from None
    if len(lines) < 2:
        raise InvalidInput(f"{name} needs a header and at least one row")
    header = csv_header(lines[0], name)
    for i, line in enumerate(lines[1:]):
        check_cells(line, header, source(name, i))
    return Table(name, header, lines[1:], decimal=declared_decimal(delimiter, decimal))


def declared_decimal(delimiter: str, decimal: str | None) -> str | None:
    """The decimal mark of a CSV file: a point beside commas; else what is declared, or None, which is to be found."""
    return "." if delimiter == "," else decimal


def csv_header(line: list[str], name: str) -> list[str]:
    """The names of columns in the first line of a CSV file."""
    header = [column.strip() for column in line]
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise InvalidInput(f"{name} has two columns {f'called {twice}' if twice else 'without a name'}")
    return header


def check_cells(line: list[str], header: list[str], source: str) -> None:
    """Raise unless a line has as many cells as there are columns."""
    if len(line) != len(header):
        raise InvalidInput(f"{source}: {len(line)} cells under {len(header)} columns")


def _of_json(text: str, name: str) -> Table:
    """One object per line, one object, or one array of objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _of_json_lines(text, name)
    rows = found if isinstance(found, list) else [found]
    if not rows:
        raise InvalidInput(f"{name} has no rows")
    for i, row in enumerate(rows):
        check_object(row, source(name, i))
    header = list(rows[0])
    return Table(name, header, [cells_of(row, header, source(name, i)) for i, row in enumerate(rows)])


def check_object(row: Any, source: str) -> None:
    """Raise unless a row of JSON is an object."""
    if not isinstance(row, dict):
        raise InvalidInput(
            f'{source} is no object; rows are objects such as {{"age": 31}}, one per line or in an array'
        )


def _of_json_lines(text: str, name: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError) as problem:
                raise InvalidInput(f"{name}, line {number} is not JSON: {problem}") from None
    return rows


def cells_of(row: dict[str, Any], header: list[str], source: str) -> list[str]:
    """The cells of an object under the names of columns."""
    absent = [name for name in header if name not in row]
    if absent:
        raise InvalidInput(
            f"{source} has no {listing(absent)}, as the first row has; null is for missing values"
        )
    for name in header:
        if isinstance(row[name], dict | list):
            raise InvalidInput(
                f"{source}: {name} is a number, a name or null, not {type(row[name]).__name__}"
            )
    return ["" if row[name] is None else str(row[name]) for name in header]


def _of_parquet(path: Path) -> Table:
    pyarrow, parquet = arrow()
    try:
        found = parquet.read_table(path)
    except pyarrow.ArrowException as problem:
        raise InvalidInput(f"{path.name} is not a Parquet file: {problem}") from None
    if not found.num_rows:
        raise InvalidInput(f"{path.name} has no rows")
    columns = [["" if value is None else str(value) for value in x.to_pylist()] for x in found.columns]
    return Table(path.name, found.column_names, [list(cells) for cells in zip(*columns, strict=True)])


def _of_workbook(path: Path, sheet: str | None) -> Table:
    header, *lines = list(workbook.lines(path, sheet)) or [[]]
    if not lines:
        raise InvalidInput(f"{path.name} needs a header and at least one row")
    return Table(path.name, csv_header(header, path.name), lines)


def arrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet files need pyarrow: pip install 'primewood[files]'") from None
