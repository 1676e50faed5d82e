"""The explanations of a block as columns, and these as bytes: Parquet, or JSON lines.

The same explanations give the same bytes: the columns have a fixed order and fixed types, and no column differs from
run to run. The times of rows are in a separate file.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, get_args

from primewood import __version__
from primewood.batch.certificates import digest_certificate
from primewood.batch.explain_rows import list_lendable
from primewood.batch.folder import Folder, Part, PartFormat
from primewood.batch.known_boxes import LentBox
from primewood.batch.row_result import RowResult
from primewood.batch.settings import Settings
from primewood.errors import InvalidInput
from primewood.fields import FieldCheck, Fields, items, number, optional, scalar, text, whole, wrong
from primewood.files import parse_json, report_damage
from primewood.logic.variable import Variable
from primewood.render import frames
from primewood.render.text import Record
from primewood.tables.files import arrow, read_parquet

AGAIN = "resume (--resume) makes it again"
CELLS: dict[str, FieldCheck[Any]] = {
    "row": whole(),
    "decision": optional(scalar),
    "score": optional(number),
    "score_of": optional(scalar),
    "cutoff": optional(number),
    "status": text,
    "size": whole(),
    "coverage": optional(number),
    "volume": optional(number),
    "notes": items(text),
    "taken_from": optional(whole()),
}
"""The types of the cells of columns; cells of other columns are text or empty."""


def check_part_format(given: str) -> PartFormat:
    """Raise unless parts can be written in this format."""
    for known in get_args(PartFormat):
        if given == known:
            if given == "parquet":
                arrow()
            return known  # type: ignore[no-any-return]
    raise InvalidInput(f'format must be "parquet" or "jsonl", not {given!r}')


def tabulate(
    results: Sequence[RowResult],
    records: Sequence[Record],
    features: Sequence[str],
    digest: str | None,
    settings: Settings,
) -> dict[str, list[Any]]:
    """The columns of a part; `records` come from `RecordWriter`, and `digest` identifies the model."""
    of_rows = frames.tabulate_explanations(records, features, in_short=settings.in_short)
    said = {name: of_rows.pop(name) for name in list(of_rows) if not name.startswith("if ")}
    language = said.pop("literal_language")
    return {
        "row": [result.place for result in results],
        **said,
        "literal_language": language,
        "notes": [record["notes"] for record in records],
        "taken_from": [result.source for result in results],
        **(
            {"certificate": [digest_certificate(result) for result in results]}
            if settings.certificates
            else {}
        ),
        **of_rows,
        "literals": [record["pieces"] for record in records],
        "model": [digest] * len(records),
        "primewood": [__version__] * len(records),
    }


def encode_part(table: Mapping[str, list[Any]], form: PartFormat, decisions: Iterable[object]) -> bytes:
    """Columns as the bytes of a file; `decisions` are all decisions of the model."""
    if form == "parquet":
        whole = all(isinstance(name, int) and not isinstance(name, bool) for name in decisions)
        return _encode_parquet(table, whole=whole)
    return _encode_lines(dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))


def _encode_parquet(table: Mapping[str, list[Any]], *, whole: bool) -> bytes:
    pyarrow, parquet = arrow()
    types = _parquet_types(pyarrow, whole=whole)
    given = dict(table)
    for name in ("score_of",) if whole else ("score_of", "decision"):
        given[name] = [None if cell is None else str(cell) for cell in table[name]]
    arrays = [pyarrow.array(cells, types.get(name, pyarrow.string())) for name, cells in given.items()]
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(given)), file, compression="zstd")
    return file.getvalue()


def _parquet_types(pyarrow: Any, *, whole: bool) -> dict[str, Any]:
    """The types of columns that are not text; decisions are numbers if all of them are whole."""
    text, number = pyarrow.string(), pyarrow.float64()
    piece = {
        "feature": text,
        "low": number,
        "high": number,
        "closed": text,
        "values": pyarrow.list_(text),
        "missing": pyarrow.bool_(),
    }
    return {
        "row": pyarrow.int64(),
        "decision": pyarrow.int64() if whole else text,
        **dict.fromkeys(("score", "cutoff", "coverage", "volume"), number),
        "size": pyarrow.int32(),
        "notes": pyarrow.list_(text),
        "taken_from": pyarrow.int64(),
        "literals": pyarrow.list_(pyarrow.struct(list(piece.items()))),
    }


def _encode_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n" for record in records
    )


def read_columns(folder: Folder, part: Part, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Some columns of a part, checked cell by cell."""
    path = folder.path / part.main
    try:
        with folder.open(part.main) as file, report_damage(path, AGAIN):
            return _check_cells(
                _read_parquet(file, wanted) if path.suffix == ".parquet" else _read_lines(file, wanted), part
            )
    except FileNotFoundError:
        raise InvalidInput(f"{path} is gone; {AGAIN}") from None


def _read_parquet(file: IO[bytes], wanted: Sequence[str]) -> dict[str, list[Any]]:
    pyarrow, _ = arrow()
    try:
        table = read_parquet(file, list(wanted))
        return {name: table.column(name).to_pylist() for name in wanted}
    except (KeyError, OSError, pyarrow.ArrowException) as problem:
        raise InvalidInput(f"its columns cannot be read ({problem})") from None


def _read_lines(file: IO[bytes], wanted: Sequence[str]) -> dict[str, list[Any]]:
    records = [Fields(parse_json(line), f"line {i}") for i, line in enumerate(file, start=1)]
    return {name: [record.read(name, _keep) for record in records] for name in wanted}


def _keep(value: Any, _: str) -> Any:
    return value


def _check_cells(table: dict[str, list[Any]], part: Part) -> dict[str, list[Any]]:
    """The columns, if each has a valid cell per row."""
    for name, cells in table.items():
        check = CELLS.get(name, optional(text))
        for place, cell in enumerate(cells):
            check(cell, f"{name} in line {place + 1}")
        if len(cells) != part.rows:
            raise InvalidInput(f"it has {len(cells)} rows, and the manifest says {part.rows}")
    return table


def encode_timings(results: Iterable[RowResult]) -> bytes:
    """The times of rows; a row that shares an explanation with others in its cell has that row's time."""
    return _encode_lines(
        {
            "row": result.place,
            "seconds": round(result.seconds, 6),
            "queries": result.queries,
        }
        for result in results
    )


def encode_boxes(results: Iterable[RowResult]) -> bytes:
    """The proved boxes that later blocks reuse, as hexadecimal masks, one per variable."""
    return _encode_lines(
        {
            "row": place,
            "label": int(label),
            "box": [f"{mask:x}" for mask in box],
        }
        for label, box, place in list_lendable(results)
    )


def read_boxes(content: bytes, variables: Sequence[Variable], classes: int) -> Iterator[LentBox]:
    """Read what `encode_boxes` wrote: decisions, boxes, and the rows that they were found for."""
    for i, line in enumerate(content.splitlines(), start=1):
        record = Fields(parse_json(line), f"line {i}")
        masks = record.read("box", items(_read_mask, len(variables)))
        for x, mask in zip(variables, masks, strict=True):
            if not 0 < mask <= x.everything:
                raise InvalidInput(f"line {i}.box has other values of {x.name} than the model")
        label = record.read("label", whole(0, classes - 1))
        yield LentBox(label, masks, record.read("row", whole()))


def _read_mask(value: Any, place: str) -> int:
    try:
        return int(text(value, place), 16)
    except ValueError:
        raise wrong(place, "a mask in hexadecimal digits", value) from None


def read_seconds(folder: Folder, part: Part) -> list[float]:
    """The times of the rows of a part; empty if they were not recorded."""
    name = f"{part.main.split('.')[0]}.timings.jsonl"
    try:
        with folder.open(name) as file, report_damage(folder.path / name, "remove this file"):
            return [Fields(parse_json(line)).read("seconds", number) for line in file]
    except FileNotFoundError:
        return []
