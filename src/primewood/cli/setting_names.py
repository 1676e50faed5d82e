"""The settings of a call: their names and types.

A setting is given by `--set NAME=VALUE` or in a settings file (`primewood.cli.call_settings` reads both). Those of a
model are the parameters of `primewood.Explainer`. Nothing here imports modules that compute, so that help is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """The type of a setting.

    Attributes
    ----------
    form : str
        In words, for messages.
    fits : callable
        Whether a value has this type.
    """

    form: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and _is_positive(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_two_numbers(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_table_of_numbers(value: Any) -> bool:
    return _is_table(value) and all(map(_is_number, value.values()))


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _choose(*words: str) -> Setting:
    return Setting(f"one of {', '.join(words)}", lambda value: value in words)


_TEXT = Setting("text", _is_text)
TEXTS = Setting("a list of texts", _is_list_of_texts)
_COUNT = Setting("a whole number, 1 or more", _is_count)
_SWITCH = Setting("true or false", _is_switch)

MODEL = {
    "feature_names": TEXTS,
    "class_names": Setting(
        "a table from labels to names, or a list of names", lambda x: _is_table(x) or isinstance(x, list)
    ),
    "positive": Setting("a label", lambda x: isinstance(x, str | int | float)),
    "threshold": Setting("a number", _is_number),
    "threshold_dtype": _choose("float64", "float32"),
    "between": Setting("two numbers", _is_two_numbers),
    "units": Setting("a table from features to units", _is_table),
    "domain": Setting("a table from features to what they hold", _is_table),
    "groups": Setting(
        'a table from names to lists of columns, or "auto"', lambda x: _is_table(x) or x == "auto"
    ),
    "constraints": TEXTS,
    "knowledge": _choose("data"),
    "immutable": TEXTS,
    "vote": _choose("model", "majority"),
    "missing": _choose("auto", "allow", "forbid"),
    "summation": _choose("sequential", "any"),
    "literals": _choose("sets", "intervals", "values"),
    "engine": _choose("auto", "search", "diagram", "bdd", "sat"),
    "max_nodes": _COUNT,
    "threads": Setting(
        "a whole number, 1 or more, or -1", lambda x: _is_count(x) or (isinstance(x, int) and x == -1)
    ),
}
"""How a model is read: the parameters of an explainer."""

ROWS = {"sheet": _TEXT, "decimal": _choose(".", ",")}
"""How files of rows are read."""

ANSWERS = {
    "weights": Setting("a table from features to numbers", _is_table_of_numbers),
    "measure": _choose("rows", "volume", "values"),
    "near": Setting("a share of the training range, above 0", _is_positive),
    "near_features": _COUNT,
    "work_limit": _COUNT,
    "exact": _SWITCH,
    "plain": _SWITCH,
}
"""The question, and the format of answers."""

BATCHES = {
    "format": _choose("parquet", "jsonl"),
    "part_rows": _COUNT,
    "dask": _TEXT,
    "batch_limit": Setting("a number of seconds above 0", _is_positive),
    "in_short": _SWITCH,
}
"""How all rows of a file are explained."""

SETTINGS = MODEL | ROWS | ANSWERS | BATCHES
_OWN = {"explain": (*ANSWERS, *BATCHES), "flip": ("weights",)}


def list_settings(command: str) -> list[str]:
    """Name the settings that a command takes."""
    return [*MODEL, *ROWS, *_OWN.get(command, ())]
