"""Records of explanations from other sources: every field that is used is checked."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

from primewood.errors import InvalidInput
from primewood.fields import (
    FieldCheck,
    Fields,
    flag,
    items,
    mapping,
    number,
    one_of,
    optional,
    record,
    scalar,
    text,
    whole,
)
from primewood.logic.language import Language

STATUSES = ("proved", "interrupted", "impossible", "failed")
CLOSED = ("left", "right", "both", "neither")
SCALAR = optional(scalar)
NUMBER = optional(number)
BOUND = optional(items(text, 2))


def check_record(document: dict[str, Any]) -> None:
    """Raise unless a document has all fields of an explanation, with valid values."""
    fields = Fields(document)
    for name, check in FIELDS.items():
        fields.read(name, check)
    for name, check in PERHAPS.items():
        if name in document:
            fields.read(name, check)
    if document["bounds"] is not None:
        fields.read("goal", text)
    if document["coverage"] is not None and "near" not in document:
        fields.read("volume", number)
    ranged = {literal["feature"] for literal in document["literals"] if "intervals" in literal}
    for i, entry in enumerate(document["instance"]):
        if entry["feature"] in ranged or entry.get("kind") == "numeric":
            NUMBER(entry["value"], f"instance[{i}].value")


def _has(
    checks: dict[str, FieldCheck[Any]], perhaps: dict[str, FieldCheck[Any]] | None = None
) -> FieldCheck[dict[str, Any]]:
    """A check of an object that has some fields, and perhaps others."""

    def check(value: Any, place: str) -> dict[str, Any]:
        fields = Fields(value, place)
        for name, one in (
            checks | {name: one for name, one in (perhaps or {}).items() if name in value}
        ).items():
            fields.read(name, one)
        return record(value, place)

    return check


def _interval(value: Any, place: str) -> Any:
    found = _has({"low": NUMBER, "high": NUMBER, "closed": one_of(CLOSED)})(value, place)
    low, high = found["low"], found["high"]
    if low is not None and high is not None and low > high:
        raise InvalidInput(f"{place} is empty: low is above high")
    return found


def _literal(value: Any, place: str) -> Any:
    found = _has(
        {"feature": text, "unit": text, "missing": flag, "shown": items(text), "text": text},
        {"values": items(scalar), "intervals": items(_interval), "whole": flag},
    )(value, place)
    if ("values" in found) == ("intervals" in found):
        raise InvalidInput(f"{place} must have either values or intervals")
    if "values" in found:
        return _has({"condition": text})(value, place)
    ends = Fields(found, place).read("ends", items(_has({"low": BOUND, "high": BOUND})))
    if len(ends) != len(found["intervals"]):
        raise InvalidInput(f"{place}.ends must have one entry per interval")
    return found


def _histogram(value: Any, place: str) -> Any:
    found = _has({"edges": items(number), "counts": items(whole())})(value, place)
    edges = found["edges"]
    if len(edges) != len(found["counts"]) + 1 or any(a > b for a, b in pairwise(edges)):
        raise InvalidInput(f"{place} must have one count between two edges, which rise")
    return found


def _entry(value: Any, place: str) -> Any:
    found = _has(
        {"feature": text, "unit": text, "value": SCALAR, "shown": text, "tested": flag},
        {
            "kind": one_of(("numeric", "categories")),
            "low": NUMBER,
            "high": NUMBER,
            "missing_count": optional(whole()),
            "values": items(scalar),
            "counts": optional(items(whole())),
            "histogram": optional(_histogram),
        },
    )(value, place)
    if found["tested"] and "kind" not in found:
        raise InvalidInput(f"{place}.kind is missing")
    if found.get("kind") == "categories":
        values = Fields(found, place).read("values", items(scalar))
        if len(found.get("counts") or values) != len(values):
            raise InvalidInput(f"{place} must have one count per value")
    return found


FIELDS: dict[str, FieldCheck[Any]] = {
    "decision": SCALAR,
    "status": one_of(STATUSES),
    "literal_language": one_of(get_args(Language)),
    "literals": items(_literal),
    "coverage": NUMBER,
    "volume": NUMBER,
    "score": optional(
        _has(
            {
                "text": text,
                "reason": text,
                "decision": SCALAR,
                "measure": text,
                "of": SCALAR,
                "value": number,
                "raw": NUMBER,
                "cutoff": NUMBER,
            }
        )
    ),
    "notes": items(text),
    "assumptions": items(text),
    "bounds": optional(items(NUMBER, 2)),
    "history": items(items(NUMBER, 3)),
    "instance": items(_entry),
}
"""The required fields of a saved explanation that are used."""
PERHAPS: dict[str, FieldCheck[Any]] = {
    "vote": optional(text),
    "goal": optional(text),
    "excludes": items(
        _has(
            {
                "text": text,
                "literal": _literal,
                "shown": mapping(text),
                "values": whole(),
                "decision": SCALAR,
            }
        ),
    ),
    "in_short": _has(
        {
            "decision": SCALAR,
            "literals": optional(items(_literal)),
            "precision": number,
            "matching": whole(0),
            "same": whole(0),
            "rows": whole(0),
            "is_sample": flag,
            "lower": NUMBER,
            "promised": flag,
            "mixed_matching": whole(0),
            "mixed_same": whole(0),
            "exceptions": items(SCALAR),
        }
    ),
    "near": _has(
        {
            "share": NUMBER,
            "features": optional(whole(1)),
            "bounds": items(_has({"feature": text, "low": number, "high": number})),
        }
    ),
    "excludes_total": whole(),
    "excludes_note": text,
    "necessity": items(
        _has({"feature": text, "excluded": whole(0), "necessary": whole(0), "undecided": whole(0)})
    ),
}
"""The optional fields."""
