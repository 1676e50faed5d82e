"""Files of rows, read block by block: CSV with a header, JSON lines, Parquet, Excel. No file is ever held as a whole.

What a cell means is said in `primewood.tables.files` for text and in `primewood.tables.rows` for frames, so a row of a
batch is read as the same row alone. Columns that are not there are an error at once. A row that cannot be read is a
problem of that row: it is infinite in its block, which no row of a model is, and the block says why.
"""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, UnknownName, listing, meant
from primewood.tables import workbook
from primewood.tables.delimited import decimal_mark, delimiter_of
from primewood.tables.files import (
    JSON_ENDINGS,
    PARQUET_ENDINGS,
    STDIN,
    Dialect,
    Table,
    arrow,
    cells_of,
    check_cells,
    check_object,
    csv_header,
    declared_decimal,
    is_workbook,
    source,
)
from primewood.tables.matching import match_columns
from primewood.tables.rows import Layout, Reading, read_rows, tell

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file.

    Attributes
    ----------
    rows : array
        In the model's columns; one that could not be read is infinite.
    problems : mapping from places in the block to str
        What is wrong with those.
    notes : mapping from places in the block to tuples of str
        What is to be noted about other rows.
    """

    rows: Rows
    problems: Mapping[int, str]
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class Source(ABC):
    """A file of rows.

    Attributes
    ----------
    path : Path
    total : int or None
        How many rows it has, if that is known before they are read.
    """

    total: int | None = None

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path, self._layout = path, layout
        self._state = self._state_now()

    @property
    def changed(self) -> bool:
        """Whether the file has changed since it was opened, by its size and time."""
        return self._state_now() != self._state

    def _state_now(self) -> tuple[int, int]:
        state = self.path.stat()
        return state.st_size, state.st_mtime_ns

    @abstractmethod
    def blocks(self, size: int, skip: int = 0) -> Iterator[Block]:
        """Blocks of `size` rows, the last one perhaps of fewer, without the first `skip` blocks."""

    @abstractmethod
    def texts(self, column: str) -> Iterator[str]:
        """The cells of a column, row after row, as text; empty where a row could not be read."""

    def _check_column(self, column: str, header: Sequence[str]) -> None:
        if column not in header:
            raise UnknownName(
                f"{self.path.name} has no column {column!r}{meant([column], header)}; "
                f"its columns are {listing(header)}"
            )

    def digest(self) -> str:
        """The SHA-256 of the file."""
        with self.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def _block(self, count: int, read: Callable[[int, int], Reading]) -> Block:
        """A block of `count` rows, of which `read` gives those from one place to another, or says what is wrong."""
        problems: dict[int, str] = {}
        notes: dict[int, tuple[str, ...]] = {}

        def parts(start: int, stop: int) -> list[Rows]:
            try:
                reading = read(start, stop)
                notes.update({start + i: texts for i, texts in reading.row_notes.items()})
                return [reading.rows]
            except InvalidInput as problem:
                if stop - start == 1:
                    problems[start] = str(problem).replace(" of row 0", "")
                    return [np.full((1, len(self._layout.names)), np.inf)]
            middle = (start + stop) // 2
            return parts(start, middle) + parts(middle, stop)

        return Block(np.concatenate(parts(0, count)), problems, notes)


class TextSource(Source):
    """A file of text: its rows are lines of cells, or problems in the place of lines."""

    def __init__(self, path: Path, layout: Layout) -> None:
        super().__init__(path, layout)
        header = next(self._lines(), None)
        if not isinstance(header, list):
            raise InvalidInput(header or f"{path.name} is empty; it needs {self.needs}")
        self._header = header
        matched = match_columns(header, layout.names, path.name)
        tell(matched.notes)
        self._places = matched.places

    needs: str
    decimal: str = "."

    @abstractmethod
    def _lines(self) -> Iterator[list[str] | str]:
        """The names of the columns, then the cells of each row, or what is wrong with it."""

    def blocks(self, size: int, skip: int = 0) -> Iterator[Block]:
        lines = islice(self._lines(), 1 + skip * size, None)
        first = skip * size
        while some := list(islice(lines, size)):
            yield self._block(len(some), partial(self._read, some, first))
            first += len(some)

    def texts(self, column: str) -> Iterator[str]:
        self._check_column(column, self._header)
        place = self._header.index(column)
        lines = islice(self._lines(), 1, None)
        return ("" if isinstance(line, str) else line[place].strip() for line in lines)

    def _read(self, lines: list[list[str] | str], first: int, start: int, stop: int) -> Reading:
        cells = []
        for line in lines[start:stop]:
            if isinstance(line, str):
                raise InvalidInput(line)
            cells.append(line)
        table = Table(self.path.name, self._header, cells, first + start, self.decimal)
        reading = table.reading(self._layout)
        return replace(reading, rows=read_rows(reading.rows, self._layout, source=self.path.name).rows)


class CsvSource(TextSource):
    """A CSV file with a header."""

    needs = "a header"

    def __init__(self, path: Path, layout: Layout, decimal: str | None = None) -> None:
        with self._opened(path) as file:
            self._delimiter = delimiter_of(file)
        super().__init__(path, layout)
        found = declared_decimal(self._delimiter, decimal)
        self.decimal = decimal_mark(path.name, self._numeric_cells()) if found is None else found

    def _numeric_cells(self) -> Iterator[tuple[str, str]]:
        """All cells of the columns that are numbers to the model."""
        numeric = [place for j, place in enumerate(self._places) if j not in self._layout.categories]
        for line in islice(self._lines(), 1, None):
            if not isinstance(line, str):
                yield from ((self._header[place], line[place].strip()) for place in numeric)

    @staticmethod
    def _opened(path: Path) -> IO[str]:
        return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")

    def _lines(self) -> Iterator[list[str] | str]:
        name = self.path.name
        with self._opened(self.path) as file:
            lines = csv.reader(file, delimiter=self._delimiter)
            header: list[str] | None = None
            row = 0
            while True:
                try:
                    line = next(lines)
                    if not line:
                        continue
                    _check_text(line)
                    if header is None:
                        yield (header := csv_header(line, name))
                        continue
                    check_cells(line, header, source(name, row))
                    yield line
                except StopIteration:
                    return
                except (csv.Error, UnicodeError) as problem:
                    yield f"{source(name, row)} is not CSV: {problem}"
                except InvalidInput as problem:
                    if header is None:
                        raise
                    yield str(problem)
                row += 1


def _check_text(cells: list[str]) -> None:
    """Raise if bytes that are no UTF-8 stand for themselves in cells."""
    if not all(cell.isascii() for cell in cells):
        "".join(cells).encode()


class JsonSource(TextSource):
    """A file with one JSON object per line; the first one says which columns there are."""

    needs = 'JSON objects, one per line, such as {"age": 31}'

    def _lines(self) -> Iterator[list[str] | str]:
        name, row = self.path.name, 0
        header: list[str] = []
        with self.path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
            for line in file:
                if not line.strip():
                    continue
                try:
                    _check_text([line])
                    found = json.loads(line)
                    check_object(found, source(name, row))
                    if not header:
                        header = list(found)
                        yield header
                    yield cells_of(found, header, source(name, row))
                except InvalidInput as problem:
                    yield str(problem)
                except (ValueError, RecursionError) as problem:
                    yield f"{source(name, row)} is not JSON: {problem}"
                row += 1


class WorkbookSource(TextSource):
    """A sheet of an Excel workbook."""

    needs = "a header"

    def __init__(self, path: Path, layout: Layout, sheet: str | None = None) -> None:
        self._sheet = sheet
        super().__init__(path, layout)

    def _lines(self) -> Iterator[list[str] | str]:
        lines = workbook.lines(self.path, self._sheet)
        header = next(lines, None)
        if header is not None:
            yield csv_header(header, self.path.name)
            yield from lines


class ParquetSource(Source):
    """A Parquet file; its columns are read as those of a frame."""

    def __init__(self, path: Path, layout: Layout) -> None:
        super().__init__(path, layout)
        self._arrow, self._parquet = arrow()
        with self._opened() as file:
            schema = file.schema_arrow
            self._names: list[str] = schema.names
            self.total = file.metadata.num_rows
        matched = match_columns(schema.names, layout.names, path.name)
        tell(matched.notes)
        self._columns = [schema.names[place] for place in matched.places]
        self._read(self._named(schema.empty_table().select(self._columns)), 0, 0)
        for column, place in enumerate(matched.places):
            self._check_type(column, schema.field(place).type)

    def blocks(self, size: int, skip: int = 0) -> Iterator[Block]:
        try:
            for table in self._tables(size, skip * size):
                yield self._block(table.num_rows, partial(self._read, self._named(table)))
        except self._arrow.ArrowException as problem:
            raise InvalidInput(f"{self.path.name} cannot be read to its end: {problem}") from None

    def texts(self, column: str) -> Iterator[str]:
        self._check_column(column, self._names)
        return self._texts(column)

    def _texts(self, column: str) -> Iterator[str]:
        with self._opened() as file:
            for batch in file.iter_batches(columns=[column]):
                yield from ("" if value is None else str(value) for value in batch.column(0).to_pylist())

    def _tables(self, size: int, first: int) -> Iterator[Any]:
        """Tables of `size` rows from a row on, whatever the groups of rows in the file."""
        held = None
        with self._opened() as file:
            groups: list[int] = []
            before = 0
            for group in range(file.num_row_groups):
                count = file.metadata.row_group(group).num_rows
                if groups or before + count > first:
                    groups.append(group)
                else:
                    before += count
            drop = first - before
            for batch in file.iter_batches(size, groups, self._columns) if groups else ():
                table = self._arrow.Table.from_batches([batch]).slice(drop)
                drop = max(0, drop - batch.num_rows)
                held = table if held is None else self._arrow.concat_tables([held, table])
                while held.num_rows >= size:
                    yield held.slice(0, size)
                    held = held.slice(size)
            if held is not None and held.num_rows:
                yield held

    def _named(self, table: Any) -> Any:
        return table.rename_columns(list(self._layout.names))

    def _read(self, table: Any, start: int, stop: int) -> Reading:
        return read_rows(table.slice(start, stop - start), self._layout, source=self.path.name)

    def _opened(self) -> Any:
        try:
            return self._parquet.ParquetFile(self.path)
        except self._arrow.ArrowException as problem:
            raise InvalidInput(f"{self.path.name} is not a Parquet file: {problem}") from None

    def _check_type(self, column: int, kind: Any) -> None:
        types = self._arrow.types
        kind = kind.value_type if types.is_dictionary(kind) else kind
        known = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
        if column not in self._layout.categories and not any(each(kind) for each in known):
            raise InvalidInput(
                f"{self.path.name}: {self._layout.names[column]} holds numbers, not {kind}, as the model takes it"
            )


def source_of(path: str | Path, layout: Layout, dialect: Dialect | None = None) -> Source:
    """The rows of a file, by how its name ends: .parquet, .jsonl, .xlsx, or else CSV."""
    path, dialect = Path(path), dialect or Dialect()
    if path == STDIN:
        raise InvalidInput(
            "a batch is read from a file, so that it can be continued; stdin cannot be read twice"
        )
    dialect.check(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    if path.suffix.lower() in PARQUET_ENDINGS:
        return ParquetSource(path, layout)
    if path.suffix.lower() in JSON_ENDINGS:
        return JsonSource(path, layout)
    if is_workbook(path):
        return WorkbookSource(path, layout, dialect.sheet)
    return CsvSource(path, layout, dialect.decimal)
