"""The values of options, written in plain types and read back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from primewood.domain.declarations import Listed, Number
from primewood.errors import InvalidInput
from primewood.fields import flag, items, scalar, wrong

PLAIN = (str, bool, int, float, type(None))


def write_value(value: Any) -> Any:
    """A value of an option in plain types: JSON's own, and objects with one key that says what they are."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Number):
        return {"number": [write_value(value.low), write_value(value.high), value.whole]}
    if isinstance(value, Listed):
        return {"categories": [write_value(value.names), value.ordered]}
    if isinstance(value, Mapping):
        return {"mapping": [[write_value(key), write_value(held)] for key, held in value.items()]}
    if isinstance(value, set | frozenset):
        return [write_value(x) for x in sorted(value, key=str)]
    if isinstance(value, list | tuple | range):
        return [write_value(x) for x in value]
    raise InvalidInput(
        f"a file keeps text, numbers, truth values, lists and mappings, not {type(value).__name__} objects"
    )


def read_value(record: Any) -> Any:
    """The value that `write_value` wrote; anything else is an error."""
    if isinstance(record, PLAIN):
        return record
    if isinstance(record, list):
        return [read_value(x) for x in record]
    if isinstance(record, dict) and len(record) == 1:
        [(kind, held)] = record.items()
        if kind == "float" and held in ("inf", "-inf", "nan"):
            return float(held)
        if kind == "number":
            low, high, whole = items(lambda x, _: read_value(x), 3)(held, kind)
            return Number(_number(low), _number(high), flag(whole, kind))
        if kind == "categories":
            names, ordered = items(lambda x, _: read_value(x), 2)(held, kind)
            return Listed(
                {_number(code): name for code, name in _check_mapping(names).items()}, flag(ordered, kind)
            )
        if kind == "mapping":
            pairs = items(items(lambda x, _: read_value(x), 2))(held, kind)
            return {scalar(key, kind): value for key, value in pairs}
    raise InvalidInput(f"an option is not written as primewood does: {str(record)[:60]}")


def _check_mapping(value: Any) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise wrong("categories", "a mapping from codes to names", value)
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{value!r} is not a number")
    return value
