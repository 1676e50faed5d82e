"""Explain every row of a file into one file; its extension is the format: .csv, .xlsx, .parquet or .jsonl.

There is one line per row, with the columns of `Batch.to_frame` after the row's number. The file is written when all
rows are explained; until then a folder of parts next to it keeps the finished parts.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from primewood.batch.file_job import FileJob
from primewood.batch.file_result import Written
from primewood.batch.folder import Folder
from primewood.batch.into_folder import explain_into_folder
from primewood.batch.part_files import read_columns
from primewood.batch.sources import open_source
from primewood.errors import InvalidInput
from primewood.files import write_whole
from primewood.model.model import TreeModel
from primewood.render import frames
from primewood.tables import workbook
from primewood.tables.files import arrow

ROW = "row"
NUMBERS = ("coverage", "volume", "score", "cutoff")
BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def is_one_file(path: str | Path) -> bool:
    """Whether a path names one file and not a folder: by its extension, unless it is a folder or ends with a slash.

    >>> is_one_file("out.csv"), is_one_file("out"), is_one_file("out.csv/")
    (True, False, False)
    """
    text = str(path)
    return Path(text).suffix.lower() in WRITERS and not text.endswith(("/", "\\")) and not Path(text).is_dir()


def explain_into_one_file(model: TreeModel, job: FileJob) -> Written:
    """Explain every row of a file into one file.

    Parameters
    ----------
    model
        What decides.
    job
        Its target ends with .csv, .xlsx, .parquet or .jsonl. An existing file is replaced.

    Raises
    ------
    InvalidInput
        As `explain_into_folder`, or if the source has no column `identity`, or a sheet cannot hold all rows.
    """
    path = Path(job.target)
    check_format(path)
    if job.settings.certificates:
        raise InvalidInput(f"certificates go into a folder of parts; {job.target} is one file")
    source = open_source(job.source, model.context.layout, job.dialect)
    identities = None if job.identity is None else source.read_texts(job.identity)
    with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=f".{path.name}.") as parts:
        done = explain_into_folder(model, replace(job, target=parts, format="jsonl"))
        table = _AnswerTable(Folder(parts), job.identity, identities)
        write_whole(path, lambda file: WRITERS[path.suffix.lower()](file, table.names, table.rows()))
        return Written(path, done.rows, parts=None, _kept=done.summary())


def check_format(path: Path) -> None:
    """Raise unless a file with this extension can be written, before its content is computed."""
    ending = path.suffix.lower()
    if ending not in WRITERS:
        expected = ", ".join(WRITERS)
        raise InvalidInput(f"{path.name}: unrecognised file extension {path.suffix!r}; expected {expected}")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {path.parent}")
    if ending == ".xlsx":
        workbook.load_openpyxl()
    if ending == ".parquet":
        arrow()


class _AnswerTable:
    """The rows of finished parts, as a table.

    Attributes
    ----------
    names : list of str
        The columns.
    """

    def __init__(self, parts: Folder, identity: str | None, identities: Iterator[str] | None) -> None:
        self._parts, self._manifest, self._identities = parts, parts.manifest(), identities
        in_short = bool(self._manifest.question.settings.get("in_short"))
        said = frames.tabulate_explanations([], self._manifest.features, in_short=in_short)
        self._said = [*said, "notes"]
        known = (ROW, *self._said)
        shown = f"{identity} in the source" if identity in known else identity
        self.names = [ROW, *([] if shown is None else [shown]), *self._said]

    def rows(self) -> Iterator[list[Any]]:
        """Row after row; one part is in memory at a time."""
        for part in self._manifest.parts:
            found = read_columns(self._parts, part, [ROW, *self._said])
            found["notes"] = ["; ".join(notes) or None for notes in found["notes"]]
            for place, *cells in zip(*found.values(), strict=True):
                yield [place, *([] if self._identities is None else [next(self._identities)]), *cells]


def _write_csv(file: IO[bytes], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_harmless(name) for name in names])
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    text.detach()


def _harmless(cell: object) -> object:
    """A cell for a spreadsheet: text that would be computed as a formula gets an apostrophe in front.

    >>> _harmless("=1+1"), _harmless("-1.5"), _harmless(-1.5), _harmless("age > 30")
    ("'=1+1", '-1.5', -1.5, 'age > 30')
    """
    if not isinstance(cell, str) or not cell.startswith(BEGINS_A_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _write_lines(file: IO[bytes], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    for row in rows:
        record = dict(zip(names, row, strict=True))
        file.write(json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def _write_parquet(file: IO[bytes], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    pyarrow, parquet = arrow()
    held = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    arrays = [_array(pyarrow, name, column) for name, column in zip(names, held, strict=True)]
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(names)), file, compression="zstd")


def _array(pyarrow: Any, name: str, cells: list[Any]) -> Any:
    """A column of Parquet; its type does not depend on whether a cell is empty."""
    if any(isinstance(cell, str) for cell in cells):
        return pyarrow.array([None if cell is None else str(cell) for cell in cells], pyarrow.string())
    found = pyarrow.array(cells)
    if not pyarrow.types.is_null(found.type):
        return found
    return found.cast(pyarrow.float64() if name in NUMBERS else pyarrow.string())


WRITERS: dict[str, Callable[[IO[bytes], Sequence[str], Iterable[Sequence[Any]]], None]] = {
    ".csv": _write_csv,
    ".xlsx": workbook.write_sheet,
    ".parquet": _write_parquet,
    ".jsonl": _write_lines,
}
"""The writers of files, by extension."""
