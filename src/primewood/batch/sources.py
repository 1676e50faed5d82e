"""Files of rows, read block by block: CSV with a header, JSON lines, Parquet, Excel. No file is read as a whole.

`primewood.tables.files` defines the meaning of cells for text, and `primewood.tables.rows` for frames, so a row of a
batch is read like a single row. Missing columns are an error at once. If a row cannot be read, only that row fails: its
block says what is wrong with it.
"""

from __future__ import annotations

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

from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.tables.delimited import find_decimal_mark, find_delimiter
from primewood.tables.files import (
    JSON_ENDINGS,
    PARQUET_ENDINGS,
    STDIN,
    Dialect,
    TextTable,
    arrow,
    declared_decimal,
    is_workbook,
)
from primewood.tables.lines import (
    TextLine,
    Unreadable,
    check_readable,
    read_csv,
    read_header,
    read_json_lines,
    read_sheet,
)
from primewood.tables.matching import match_columns
from primewood.tables.rows import Layout, Reading, read_rows, tell


@dataclass(frozen=True)
class Block:
    """Consecutive rows: those that could be read, and what is wrong with the others.

    Attributes
    ----------
    rows : array
        The rows that could be read, in the model's columns.
    problems : mapping from places in the block to str
        What is wrong with the rows that could not be read.
    notes : mapping from places in the block to tuples of str
        Notes about rows that could be read.
    """

    rows: NDArray[np.float64]
    problems: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows) + len(self.problems)

    @property
    def places(self) -> list[int]:
        """The positions in the block of the rows that could be read."""
        return [i for i in range(len(self)) if i not in self.problems]


def split_rows(reading: Reading, size: int) -> Iterator[Block]:
    """Rows in memory, in blocks of `size` rows; the last block may have fewer."""
    for first in range(0, len(reading.rows), size):
        held = range(first, min(first + size, len(reading.rows)))
        notes = {i - first: reading.row_notes[i] for i in held if i in reading.row_notes}
        yield Block(reading.rows[first : first + size], {}, notes)


class Source(ABC):
    """A file of rows.

    Attributes
    ----------
    path : Path
    total : int or None
        The number of rows, if it is known before they are read.
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
        """Blocks of `size` rows, without the first `skip` blocks; the last block may have fewer rows."""

    @abstractmethod
    def read_texts(self, column: str) -> Iterator[str]:
        """The cells of a column as text, row by row; empty where a row could not be read."""

    def _check_column(self, column: str, header: Sequence[str]) -> None:
        if column not in header:
            raise UnknownName(
                f"{self.path.name} has no column {column!r}{suggest([column], header)}; "
                f"its columns are {format_list(header)}"
            )

    def digest(self) -> str:
        """The SHA-256 of the file."""
        with self.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def _block(self, count: int, read: Callable[[int, int], Reading]) -> Block:
        """A block of `count` rows; `read` returns the rows between two positions, or says what is wrong."""
        problems: dict[int, str] = {}
        notes: dict[int, tuple[str, ...]] = {}

        def parts(start: int, stop: int) -> list[NDArray[np.float64]]:
            try:
                reading = read(start, stop)
            except InvalidInput as problem:
                if stop - start == 1:
                    problems[start] = str(problem).replace(" of row 0", "")
                    return []
                middle = (start + stop) // 2
                return parts(start, middle) + parts(middle, stop)
            notes.update({start + i: texts for i, texts in reading.row_notes.items()})
            return [reading.rows]

        none = np.empty((0, len(self._layout.names)))
        return Block(np.concatenate([none, *parts(0, count)]), problems, notes)


class TextSource(Source):
    """A file of text: lines of cells.

    Parameters
    ----------
    open_lines
        Reads the file from its beginning: the names of its columns, then its rows.
    needs
        The columns that the file must have.
    """

    def __init__(
        self,
        path: Path,
        layout: Layout,
        open_lines: Callable[[], Iterator[TextLine]],
        needs: str = "a header",
    ) -> None:
        super().__init__(path, layout)
        self._open_lines = open_lines
        self._header = read_header(open_lines(), path.name, needs)
        matched = match_columns(self._header, layout.names, path.name)
        tell(matched.notes)
        self._places = matched.places
        self.decimal = "."

    def blocks(self, size: int, skip: int = 0) -> Iterator[Block]:
        first = skip * size
        lines = self._rows(first)
        while some := list(islice(lines, size)):
            yield self._block(len(some), partial(self._read, some, first))
            first += len(some)

    def _rows(self, skip: int = 0) -> Iterator[TextLine]:
        return islice(self._open_lines(), 1 + skip, None)

    def read_texts(self, column: str) -> Iterator[str]:
        self._check_column(column, self._header)
        place = self._header.index(column)
        return ("" if isinstance(line, Unreadable) else line[place].strip() for line in self._rows())

    def numeric_cells(self) -> Iterator[tuple[str, str]]:
        """All cells of the model's numeric columns, each with the name of its column."""
        numeric = [place for j, place in enumerate(self._places) if j not in self._layout.categories]
        for line in self._rows():
            if not isinstance(line, Unreadable):
                yield from ((self._header[place], line[place].strip()) for place in numeric)

    def _read(self, lines: list[TextLine], first: int, start: int, stop: int) -> Reading:
        cells = [check_readable(line) for line in lines[start:stop]]
        table = TextTable(self.path.name, self._header, cells, first + start, self.decimal)
        reading = table.read(self._layout)
        return replace(reading, rows=read_rows(reading.rows, self._layout, source=self.path.name).rows)


def _open_csv(path: Path, layout: Layout, decimal: str | None) -> TextSource:
    """A CSV file with a header. Its decimal mark is detected from all of its numbers, unless it is known."""
    with _open_text(path, newline="") as file:
        delimiter = find_delimiter(file)

    def lines() -> Iterator[TextLine]:
        with _open_text(path, newline="") as file:
            yield from read_csv(file, path.name, delimiter)

    source = TextSource(path, layout, lines)
    declared = declared_decimal(delimiter, decimal)
    source.decimal = find_decimal_mark(path.name, source.numeric_cells()) if declared is None else declared
    return source


def _open_json(path: Path, layout: Layout) -> TextSource:
    """A file with one JSON object per line."""

    def lines() -> Iterator[TextLine]:
        with _open_text(path) as file:
            yield from read_json_lines(file, path.name)

    return TextSource(path, layout, lines, 'JSON objects, one per line, such as {"age": 31}')


def _open_text(path: Path, newline: str | None = None) -> IO[str]:
    """A file of text; bytes that are not UTF-8 become surrogates, so that they are a problem of their row only."""
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline=newline)


class ParquetSource(Source):
    """A Parquet file; its columns are read as those of a frame."""

    def __init__(self, path: Path, layout: Layout) -> None:
        super().__init__(path, layout)
        self._arrow, self._parquet = arrow()
        with self._open() as file:
            schema = file.schema_arrow
            self._names: list[str] = schema.names
            self.total = file.metadata.num_rows
        matched = match_columns(schema.names, layout.names, path.name)
        tell(matched.notes)
        self._columns = [schema.names[place] for place in matched.places]
        self._read(self._rename(schema.empty_table().select(self._columns)), 0, 0)
        for column, place in enumerate(matched.places):
            self._check_type(column, schema.field(place).type)

    def blocks(self, size: int, skip: int = 0) -> Iterator[Block]:
        try:
            for table in self._tables(size, skip * size):
                yield self._block(table.num_rows, partial(self._read, self._rename(table)))
        except self._arrow.ArrowException as problem:
            raise InvalidInput(f"{self.path.name} cannot be read to its end: {problem}") from None

    def read_texts(self, column: str) -> Iterator[str]:
        self._check_column(column, self._names)
        return self._read_column_texts(column)

    def _read_column_texts(self, column: str) -> Iterator[str]:
        with self._open() as file:
            for batch in file.iter_batches(columns=[column], use_threads=False):
                yield from ("" if value is None else str(value) for value in batch.column(0).to_pylist())

    def _tables(self, size: int, first: int) -> Iterator[Any]:
        """Tables of `size` rows, beginning at a row.

        Batches of pyarrow are joined: where a column is dictionary-encoded, they end with the file's groups of rows.
        """
        with self._open() as file:
            groups, drop = _find_groups(file, first)
            held = file.schema_arrow.empty_table().select(self._columns)
            for batch in file.iter_batches(size, groups, self._columns, use_threads=False):
                table = self._arrow.Table.from_batches([batch]).slice(drop)
                drop = max(0, drop - batch.num_rows)
                held = self._arrow.concat_tables([held, table])
                while held.num_rows >= size:
                    yield held.slice(0, size)
                    held = held.slice(size)
            if held.num_rows:
                yield held

    def _rename(self, table: Any) -> Any:
        return table.rename_columns(list(self._layout.names))

    def _read(self, table: Any, start: int, stop: int) -> Reading:
        return read_rows(table.slice(start, stop - start), self._layout, source=self.path.name)

    def _open(self) -> Any:
        try:
            return self._parquet.ParquetFile(self.path, pre_buffer=False)
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


def _find_groups(file: Any, first: int) -> tuple[list[int], int]:
    """The row groups of a Parquet file, beginning at a row, and how many rows of the first group are before it."""
    ends = np.cumsum(
        [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)], dtype=int
    )
    group = int(np.searchsorted(ends, first, side="right"))
    return list(range(group, file.num_row_groups)), first - int(ends[group - 1] if group else 0)


def open_source(path: str | Path, layout: Layout, dialect: Dialect | None = None) -> Source:
    """The rows of a file, by its extension: .parquet, .jsonl, .xlsx, or else CSV."""
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
        return _open_json(path, layout)
    if is_workbook(path):
        return TextSource(path, layout, partial(read_sheet, path, dialect.sheet))
    return _open_csv(path, layout, dialect.decimal)
