"""The explanations of a block as columns, and these as bytes: Parquet, or JSON lines.

The same explanations give the same bytes: the columns have a fixed order and fixed types, and nothing that differs from
run to run is among them. How long rows took stands in lines of their own.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args
from typing import Literal as Choice

from primewood import __version__
from primewood.batch.run import Result, lendable
from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.report import frames
from primewood.report.text import Record
from primewood.tables import arrow

Kind = Choice["parquet", "jsonl"]
"""What parts are written as."""


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
    of_rows = frames.of_explanations(records, features)
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


def read(path: Path, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Some columns of a part."""
    if path.suffix == ".parquet":
        _, parquet = arrow()
        table = parquet.read_table(path, columns=list(wanted))
        return {name: table.column(name).to_pylist() for name in wanted}
    with path.open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return {name: [record[name] for record in records] for name in wanted}


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


def boxes_read(content: bytes) -> Iterator[tuple[int, Box, int]]:
    """What `boxes` wrote: decisions, boxes, and the rows that they were found for."""
    for line in content.splitlines():
        record = json.loads(line)
        yield record["label"], tuple(int(mask, 16) for mask in record["box"]), record["row"]
