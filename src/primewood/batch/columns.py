"""The explanations of a block as columns, and these as bytes: Parquet, or JSON lines.

The same explanations give the same bytes: the columns have a fixed order and fixed types, and nothing that differs from
run to run is among them. How long rows took stands in lines of their own.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, get_args

from primewood import __version__
from primewood.batch.folder import Folder, Kind, Part
from primewood.batch.run import Result, lendable
from primewood.errors import InvalidInput
from primewood.fields import FieldCheck, Fields, items, number, optional, scalar, text, whole, wrong
from primewood.files import parse_json, undamaged
from primewood.logic.instance import Box
from primewood.logic.variable import Variable
from primewood.render import frames
from primewood.render.text import Record
from primewood.tables.files import arrow

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
"""What the cells of columns must be; those of other columns are text or empty."""


def check_kind(kind: str) -> Kind:
    """Raise unless parts can be written so."""
    for known in get_args(Kind):
        if kind == known:
            if kind == "parquet":
                arrow()
            return known  # type: ignore[no-any-return]
    raise InvalidInput(f'format is "parquet" or "jsonl", not {kind!r}')


def columns(
    results: Sequence[Result], records: Sequence[Record], features: Sequence[str], digest: str | None
) -> dict[str, list[Any]]:
    """What is written about rows, column by column; `records` are by `Wording`, `digest` is that of the model."""
    of_rows = frames.tabulate_explanations(records, features)
    said = {name: of_rows.pop(name) for name in list(of_rows) if not name.startswith("if ")}
    language = said.pop("literal_language")
    return {
        "row": [result.place for result in results],
        **said,
        "literal_language": language,
        "notes": [record["notes"] for record in records],
        "taken_from": [result.source for result in results],
        **of_rows,
        "literals": [record["pieces"] for record in records],
        "model": [digest] * len(records),
        "primewood": [__version__] * len(records),
    }


def written(table: Mapping[str, list[Any]], kind: Kind, decisions: Iterable[object]) -> bytes:
    """Columns as the bytes of a file; `decisions` are all that the model makes."""
    if kind == "parquet":
        whole = all(isinstance(name, int) and not isinstance(name, bool) for name in decisions)
        return _as_parquet(table, whole=whole)
    return _as_lines(dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))


def _as_parquet(table: Mapping[str, list[Any]], *, whole: bool) -> bytes:
    pyarrow, parquet = arrow()
    text, number = pyarrow.string(), pyarrow.float64()
    piece = pyarrow.struct(
        [
            ("feature", text),
            ("low", number),
            ("high", number),
            ("closed", text),
            ("values", pyarrow.list_(text)),
            ("missing", pyarrow.bool_()),
        ]
    )
    types = {
        "row": pyarrow.int64(),
        "decision": pyarrow.int64() if whole else text,
        "score": number,
        "cutoff": number,
        "size": pyarrow.int32(),
        "coverage": number,
        "volume": number,
        "notes": pyarrow.list_(text),
        "taken_from": pyarrow.int64(),
        "literals": pyarrow.list_(piece),
    }
    given = dict(table)
    if not whole:
        given["decision"] = [None if name is None else str(name) for name in table["decision"]]
    given["score_of"] = [None if name is None else str(name) for name in table["score_of"]]
    arrays = [pyarrow.array(values, types.get(name, text)) for name, values in given.items()]
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(given)), file, compression="zstd")
    return file.getvalue()


def _as_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n" for record in records
    )


def read(folder: Folder, part: Part, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Some columns of a part, checked cell by cell."""
    path = folder.path / part.main
    try:
        with folder.open(part.main) as file, undamaged(path, AGAIN):
            return _checked(
                _parquet(file, wanted) if path.suffix == ".parquet" else _lines(file, wanted), part
            )
    except FileNotFoundError:
        raise InvalidInput(f"{path} is gone; {AGAIN}") from None


def _parquet(file: IO[bytes], wanted: Sequence[str]) -> dict[str, list[Any]]:
    pyarrow, parquet = arrow()
    try:
        table = parquet.read_table(file, columns=list(wanted))
        return {name: table.column(name).to_pylist() for name in wanted}
    except (KeyError, OSError, pyarrow.ArrowException) as problem:
        raise InvalidInput(f"its columns cannot be read ({problem})") from None


def _lines(file: IO[bytes], wanted: Sequence[str]) -> dict[str, list[Any]]:
    records = [Fields(parse_json(line), f"line {i}") for i, line in enumerate(file, start=1)]
    return {name: [record.read(name, _as_it_is) for record in records] for name in wanted}


def _as_it_is(value: Any, _: str) -> Any:
    return value


def _checked(table: dict[str, list[Any]], part: Part) -> dict[str, list[Any]]:
    """The columns, if each has a cell per row that is what it must be."""
    for name, cells in table.items():
        check = CELLS.get(name, optional(text))
        for place, cell in enumerate(cells):
            check(cell, f"{name} in line {place + 1}")
        if len(cells) != part.rows:
            raise InvalidInput(f"it has {len(cells)} rows, and the manifest says {part.rows}")
    return table


def timings(results: Iterable[Result]) -> bytes:
    """How long rows took; one that shares the explanation of another in its cell shows the time of that."""
    return _as_lines(
        {
            "row": result.place,
            "seconds": round(result.outcome.seconds, 6),
            "queries": result.outcome.queries,
        }
        for result in results
    )


def boxes(results: Iterable[Result]) -> bytes:
    """What later blocks take over: the boxes that were proved, as masks in hexadecimal, one per variable."""
    return _as_lines(
        {
            "row": place,
            "label": int(label),
            "box": [f"{mask:x}" for mask in box],
        }
        for label, box, place in lendable(results)
    )


def boxes_read(content: bytes, variables: Sequence[Variable], classes: int) -> Iterator[tuple[int, Box, int]]:
    """What `boxes` wrote: decisions, boxes, and the rows that they were found for."""
    for i, line in enumerate(content.splitlines(), start=1):
        record = Fields(parse_json(line), f"line {i}")
        masks = record.read("box", items(_mask, len(variables)))
        for x, mask in zip(variables, masks, strict=True):
            if not 0 < mask <= x.everything:
                raise InvalidInput(f"line {i}.box has other values of {x.name} than the model")
        yield record.read("label", whole(0, classes - 1)), masks, record.read("row", whole())


def _mask(value: Any, place: str) -> int:
    try:
        return int(text(value, place), 16)
    except ValueError:
        raise wrong(place, "a mask in hexadecimal digits", value) from None


def seconds_read(folder: Folder, part: Part) -> list[float]:
    """How long the rows of a part took; nothing if that is not there."""
    name = f"{part.main.split('.')[0]}.timings.jsonl"
    try:
        with folder.open(name) as file, undamaged(folder.path / name, "remove this file"):
            return [Fields(parse_json(line)).read("seconds", number) for line in file]
    except FileNotFoundError:
        return []
