"""Tables of rows as files and pipes hold them: CSV with a header, JSON objects, Parquet, or an Excel sheet.

Every cell becomes text, whatever it came from, and is read as the model's column wants it: a number, or the name of
a category. JSON keeps its meaning by that: the text of a float is exact, null is an empty cell.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from primewood.errors import InvalidInput, MissingDependency
from primewood.tables import workbook
from primewood.tables.delimited import find_decimal_mark, find_delimiter, use_decimal_point
from primewood.tables.lines import (
    TextLine,
    check_readable,
    name_row,
    read_csv,
    read_header,
    read_json_lines,
    read_objects,
    read_sheet,
)
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
INFINITIES = {float("inf"), float("-inf")}
A_ROW = "a header and at least one row"


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
            raise InvalidInput(f"decimal must be '.' or ',', not {self.decimal!r}")

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
class TextTable:
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

    def read_numbers(self, layout: Layout) -> NDArray[np.float64]:
        """The rows in the model's columns; what is to be noted about them is told as a warning."""
        from primewood.tables.rows import tell

        reading = self.read(layout)
        tell(reading.all_notes)
        return reading.rows

    def read(self, layout: Layout) -> Reading:
        """The rows in the model's columns, found by name, with notes; other columns are left out.

        The columns of a model without names are taken in order, and must be as many. An empty cell or NA is missing;
        in a categorical column, cells are names.
        """
        import numpy as np

        from primewood.tables.rows import Reading

        matched = match_columns(self.header, layout.names, self.name)
        numeric = (place for j, place in enumerate(matched.places) if j not in layout.categories)
        decimal = self._find_decimal(numeric)
        rows = np.empty((len(self), len(matched.places)))
        row_notes: dict[int, tuple[str, ...]] = {}
        for j, place in enumerate(matched.places):
            rows[:, j], notes = self._read_column(j, self.column(place), layout, decimal)
            for i, note in notes.items():
                row_notes[i] = (*row_notes.get(i, ()), note)
        return Reading(rows, matched.notes, row_notes)

    def read_training(self, layout: Layout) -> Tabular:
        """The rows as a table to train with: under the names of its own columns if the model has none."""
        from primewood.tables.matching import is_unnamed
        from primewood.tables.rows import tell
        from primewood.tables.tabular import as_read

        reading = self.read(layout)
        unnamed = is_unnamed(layout.names) and not set(layout.names) & set(self.header)
        tell(replace(reading, notes=() if unnamed else reading.notes).all_notes)
        names = tuple(self.header) if unnamed else layout.names
        places = match_columns(self.header, layout.names, self.name).places
        kinds = {name: self._find_kind(place) for name, place in zip(names, places, strict=True)}
        return as_read(reading.rows, names, kinds)

    def _find_kind(self, place: int) -> ColumnKind | None:
        """What all cells of a column are: whole numbers, or Booleans."""
        cells = [cell for cell in self.column(place) if cell not in MISSING]
        if cells and all(WHOLE.fullmatch(cell) for cell in cells):
            return "whole"
        return "boolean" if cells and all(cell.lower() in TRUTHS for cell in cells) else None

    def column(self, place: int) -> list[str]:
        """The cells of a column."""
        return [line[place].strip() for line in self.lines]

    def _find_decimal(self, numeric: Iterable[int]) -> str:
        """The decimal mark of some columns."""
        if self.decimal is not None:
            return self.decimal
        cells = ((self.header[place], cell) for place in numeric for cell in self.column(place))
        return find_decimal_mark(self.name, cells)

    def read_texts(self, names: Sequence[str], categorical: Iterable[int]) -> NDArray[Any]:
        """The rows with text in categorical columns and numbers in others."""
        import numpy as np

        from primewood.tables.rows import Layout, tell

        layout = Layout(tuple(names))
        names_only = set(categorical)
        matched = match_columns(self.header, names, self.name)
        tell(matched.notes)
        decimal = self._find_decimal(place for j, place in enumerate(matched.places) if j not in names_only)
        rows = np.empty((len(self), len(names)), dtype=object)
        for j, place in enumerate(matched.places):
            cells = self.column(place)
            rows[:, j] = cells if j in names_only else self._read_column(j, cells, layout, decimal)[0]
        return rows

    def _read_column(
        self, column: int, cells: list[str], layout: Layout, decimal: str
    ) -> tuple[Sequence[float], dict[int, str]]:
        """The numbers of a column, and notes about some of its rows."""
        if column not in layout.categories:
            try:
                numbers = [float(cell or "nan") for cell in use_decimal_point(cells, decimal)]
                if INFINITIES.isdisjoint(numbers):
                    return numbers, {}
            except ValueError:
                pass
        known: dict[str, tuple[float, str]] = {}
        for i, cell in enumerate(cells, self.first):
            if cell not in known:
                known[cell] = _read_cell(cell, column, layout, name_row(self.name, i), decimal)
        notes = {i: known[cell][1] for i, cell in enumerate(cells) if known[cell][1]}
        return [known[cell][0] for cell in cells], notes


def _read_cell(cell: str, column: int, layout: Layout, source: str, decimal: str = ".") -> tuple[float, str]:
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
        number = (
            TRUTHS[cell.lower()] if cell.lower() in TRUTHS else float(*use_decimal_point([cell], decimal))
        )
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


def read_file(path: Path, dialect: Dialect | None = None) -> TextTable:
    """The table of a file, or of stdin if the path is ``-``."""
    dialect = dialect or Dialect()
    dialect.check(path)
    ending = path.suffix.lower()
    if ending in PARQUET_ENDINGS and path.is_file():
        return _read_parquet(path)
    if is_workbook(path):
        return _collect(read_sheet(path, dialect.sheet), path.name)
    text, name = (_read_stdin(), "stdin") if path == STDIN else (_read_text(path), path.name)
    if not text.strip():
        raise InvalidInput(f"{name} is empty; it needs {A_ROW}")
    begins_as_json = text.lstrip()[0] in "[{"
    if ending in JSON_ENDINGS or (path == STDIN and begins_as_json):
        return _collect(_read_json(text, name), name)
    delimiter = find_delimiter(io.StringIO(text, newline=""))
    lines = read_csv(io.StringIO(text, newline=""), name, delimiter)
    return _collect(lines, name, declared_decimal(delimiter, dialect.decimal))


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; rows are a CSV, JSON, Parquet or .xlsx file, or - for stdin")
    if not path.exists():
        raise InvalidInput(f"there is no file {path}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not UTF-8 text, so it is neither CSV nor JSON") from None


def _read_stdin() -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidInput("stdin is closed; give a file of rows, or pipe them in")
    try:
        return sys.stdin.read().removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise InvalidInput("stdin is not UTF-8 text, so it is neither CSV nor JSON") from None


def _collect(lines: Iterator[TextLine], name: str, decimal: str | None = ".") -> TextTable:
    """The table of all lines; one that cannot be read is an error."""
    header = read_header(lines, name, A_ROW)
    rows = [check_readable(line) for line in lines]
    if not rows:
        raise InvalidInput(f"{name} needs {A_ROW}")
    return TextTable(name, header, rows, decimal=decimal)


def declared_decimal(delimiter: str, decimal: str | None) -> str | None:
    """The decimal mark of a CSV file: a point beside commas; else what is declared, or None, which is to be found."""
    return "." if delimiter == "," else decimal


def _read_json(text: str, name: str) -> Iterator[TextLine]:
    """One object per line, one object, or one array of objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return read_json_lines(io.StringIO(text, newline=None), name)
    if found == []:
        raise InvalidInput(f"{name} has no rows")
    return read_objects(found if isinstance(found, list) else [found], name)


def _read_parquet(path: Path) -> TextTable:
    pyarrow, _ = arrow()
    try:
        found = read_parquet(path)
    except pyarrow.ArrowException as problem:
        raise InvalidInput(f"{path.name} is not a Parquet file: {problem}") from None
    if not found.num_rows:
        raise InvalidInput(f"{path.name} has no rows")
    columns = [["" if value is None else str(value) for value in x.to_pylist()] for x in found.columns]
    return TextTable(path.name, found.column_names, [list(cells) for cells in zip(*columns, strict=True)])


def read_parquet(file: Path | IO[bytes], columns: Sequence[str] | None = None) -> Any:
    """The columns of a Parquet file, all or some, as a table of pyarrow.

    It is read in this thread: with pyarrow's own threads, Python aborts now and then when it ends.
    """
    _, parquet = arrow()
    return parquet.ParquetFile(file, pre_buffer=False).read(columns, use_threads=False)


def arrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet files need pyarrow: pip install 'primewood[files]'") from None
