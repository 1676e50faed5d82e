"""Excel workbooks (.xlsx): the rows of a sheet as text, and columns written as a sheet."""

from __future__ import annotations

import importlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, time
from pathlib import Path
from typing import IO, Any

from primewood.errors import InvalidInput, MissingDependency, UnknownName, format_list, suggest

ENDINGS = (".xlsx", ".xlsm")
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 1_048_576, 16_384, 32_767
"""What a sheet can hold, its header included."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def load_openpyxl() -> Any:
    """The module openpyxl."""
    try:
        return importlib.import_module("openpyxl")
    except ImportError:
        raise MissingDependency("Excel files need openpyxl: pip install 'primewood[files]'") from None


def read_lines(path: Path, sheet: str | None = None) -> Iterator[list[str]]:
    """The rows of a sheet as text, the header first; rows without any value are left out.

    A number is written with all its digits, an empty cell is an empty text.

    Raises
    ------
    InvalidInput
        If there is no such sheet, a column has no name, or a formula has no value.
    """
    with _open(path, values=True) as computed, _open(path, values=False) as written:
        both = zip(_rows(computed, path, sheet), _rows(written, path, sheet), strict=True)
        header: list[str] | None = None
        for number, (values, sources) in enumerate(both, start=1):
            _check_formulas(values, sources, f"{path.name}, line {number}")
            cells = [_text(value) for value in values]
            if not any(cells):
                continue
            if header is None:
                header = _strip_end(cells)
                yield header
            else:
                yield _fit(cells, header, f"{path.name}, line {number}")


@contextmanager
def _open(path: Path, *, values: bool) -> Iterator[Any]:
    library = load_openpyxl()
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        book = library.load_workbook(path, read_only=True, data_only=values)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as problem:
        raise InvalidInput(f"{path.name} is not an Excel workbook (.xlsx): {problem}") from None
    try:
        yield book
    finally:
        book.close()


def _rows(book: Any, path: Path, sheet: str | None) -> Iterator[list[Any]]:
    names = [each.title for each in book.worksheets]
    if sheet is not None and sheet not in names:
        raise UnknownName(
            f"{path.name} has no sheet {sheet!r}{suggest([sheet], names)}; its sheets are {format_list(names)}"
        )
    if not names:
        raise InvalidInput(f"{path.name} has no sheet with cells")
    found = book[names[0] if sheet is None else sheet]
    found.reset_dimensions()  # what a file says about its size may be wrong, and would cut rows off
    for row in found.iter_rows():
        yield list(row)


def _check_formulas(values: Sequence[Any], sources: Sequence[Any], place: str) -> None:
    """Raise if a formula has not been computed: it would be taken for a missing value."""
    for column, (value, source) in enumerate(zip(values, sources, strict=True), start=1):
        if source.value is not None and source.data_type == "f" and value.value is None:
            raise InvalidInput(
                f"{place}, cell {column} holds a formula without a value: open the file in a spreadsheet program and "
                "save it, or replace the formula by its value"
            )


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date | time) else str(value).strip()


def _strip_end(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells = cells[:-1]
    return cells


def _fit(cells: list[str], header: Sequence[str], place: str) -> list[str]:
    """As many cells as the header has; further ones must be empty."""
    if any(cells[len(header) :]):
        raise InvalidInput(f"{place}: {len(_strip_end(cells))} cells under {len(header)} columns")
    return [*cells, *[""] * (len(header) - len(cells))][: len(header)]


def write_sheet(file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write one sheet. Text is always text, also where it looks like a formula; numbers are numbers."""
    book = load_openpyxl().Workbook(write_only=True)
    sheet = book.create_sheet("explanations")
    cell = importlib.import_module("openpyxl.cell").WriteOnlyCell
    sheet.append([_make_cell(cell, sheet, name) for name in header])
    for count, row in enumerate(rows, start=2):
        if count > MOST_ROWS:
            raise InvalidInput(
                f"a sheet holds {MOST_ROWS - 1:,} rows and there are more; write .csv or .parquet"
            )
        sheet.append([_make_cell(cell, sheet, value) for value in row])
    book.save(file)


def _make_cell(cell: Any, sheet: Any, value: object) -> Any:
    if not isinstance(value, str):
        return value
    text = CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)
    found = cell(sheet, text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 3] + "...")
    found.data_type = "s"
    return found
