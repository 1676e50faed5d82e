"""Tables of rows as files and pipes hold them: CSV with a header, or JSON objects.

Every cell becomes text, whatever it came from, and is read as the model's column wants it: a number, or the name of
a category. JSON keeps its meaning by that: the text of a float is exact, null is an empty cell.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput, listing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from primewood.rows import Layout

STDIN = Path("-")
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
MISSING = ("", "NA", "NaN", "nan")


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
    """

    name: str
    header: list[str]
    lines: list[list[str]]

    def __len__(self) -> int:
        return len(self.lines)

    def numbers(self, layout: Layout) -> NDArray[np.float64]:
        """The rows in the model's columns, found by name; other columns are left out.

        A model that knows no names has the columns x0, x1, ...; then the columns are taken in order, and must be as
        many. An empty cell or NA is missing; in a categorical column, cells are names.
        """
        import numpy as np

        names, header = layout.names, self.header
        unnamed = list(names) in ([f"{x}{i}" for i in range(len(names))] for x in "xf")
        if unnamed and not set(names) & set(header):
            if len(header) != len(names):
                raise InvalidInput(
                    f"{self.name} has {len(header)} columns; the model takes {len(names)}, unnamed"
                )
            header = list(names)
        places = self._places(names, header)
        rows = np.empty((len(self), len(names)))
        for j, place in enumerate(places):
            rows[:, j] = self._column(j, [line[place].strip() for line in self.lines], layout)
        return rows

    def texts(self, names: Sequence[str], categorical: Iterable[int]) -> NDArray[Any]:
        """The rows with text in categorical columns and numbers in others."""
        import numpy as np

        from primewood.rows import Layout

        layout = Layout(tuple(names))
        rows = np.empty((len(self), len(names)), dtype=object)
        for j, place in enumerate(self._places(names, self.header)):
            cells = [line[place].strip() for line in self.lines]
            rows[:, j] = cells if j in categorical else self._column(j, cells, layout)
        return rows

    def _places(self, names: Sequence[str], header: list[str]) -> list[int]:
        absent = [name for name in names if name not in header]
        if absent:
            mark = next((mark for mark in ";\t|" if len(header) == 1 and mark in header[0]), None)
            hint = f". Cells are separated by commas, not by {mark!r}" if mark else ""
            raise InvalidInput(f"{self.name} has no column {listing(absent)}; it has {listing(header)}{hint}")
        return [header.index(name) for name in names]

    def _column(self, column: int, cells: list[str], layout: Layout) -> list[float]:
        if column not in layout.categories:
            try:
                numbers = [float(cell) for cell in cells]
                if all(abs(number) != float("inf") for number in numbers):
                    return numbers
            except ValueError:
                pass
        return [_read(cell, column, layout, f"{self.name}, row {i}") for i, cell in enumerate(cells)]


def _read(cell: str, column: int, layout: Layout, source: str) -> float:
    """The number of a cell, or the code of its category."""
    if column in layout.categories:
        names = layout.categories[column].names.values()
        written = {str(name): name for name in names}
        if cell in written:
            return layout.code(column, written[cell], source)
        return float("nan") if cell in MISSING else layout.code(column, _as_number(cell, names), source)
    if cell in MISSING:
        return float("nan")
    try:
        number = {"True": 1.0, "False": 0.0}[cell] if cell in ("True", "False") else float(cell)
    except ValueError:
        number = float("inf")
    if abs(number) == float("inf"):
        raise InvalidInput(f"{source}: {layout.names[column]} is not a finite number, but {cell[:40]!r}")
    return number


def _as_number(cell: str, names: Iterable[object]) -> object:
    """A cell of a column whose categories are numbers, perhaps written otherwise: 3.0 for 3."""
    if not any(isinstance(name, int | float) for name in names):
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


def table(path: Path) -> Table:
    """The table of a file, or of stdin if the path is ``-``."""
    text, name = (_stdin(), "stdin") if path == STDIN else (_text(path), path.name)
    if not text.strip():
        raise InvalidInput(f"{name} is empty; it needs a header and at least one row")
    begins_as_json = text.lstrip()[0] in "[{"
    if path.suffix in JSON_ENDINGS or (path == STDIN and begins_as_json):
        return _of_json(text, name)
    return _of_csv(text, name)


def _text(path: Path) -> str:
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; rows are a CSV or JSON file, or - for stdin")
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


def _of_csv(text: str, name: str) -> Table:
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline="")) if line]
    except csv.Error as problem:
        raise InvalidInput(f"{name} is not a CSV file: {problem}") from None
    if len(lines) < 2:
        raise InvalidInput(f"{name} needs a header and at least one row")
    header = [column.strip() for column in lines[0]]
    if len(set(header)) < len(header):
        raise InvalidInput(f"{name} has two columns of one name")
    for i, line in enumerate(lines[1:]):
        if len(line) != len(header):
            raise InvalidInput(f"{name}, row {i}: {len(line)} cells under {len(header)} columns")
    return Table(name, header, lines[1:])


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
        if not isinstance(row, dict):
            raise InvalidInput(
                f'{name}, row {i} is no object; rows are objects such as {{"age": 31}}, one per line or in an array'
            )
    header = list(rows[0])
    return Table(name, header, [_cells(row, header, f"{name}, row {i}") for i, row in enumerate(rows)])


def _of_json_lines(text: str, name: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError) as problem:
                raise InvalidInput(f"{name}, line {number} is not JSON: {problem}") from None
    return rows


def _cells(row: dict[str, Any], header: list[str], source: str) -> list[str]:
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
