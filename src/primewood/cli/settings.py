"""How a model is read: the options of a call, and a file of settings for what they leave open.

A settings file is TOML. Its keys are the parameters of `primewood.Explainer`, so one file says once what a model's
classes are called, which one a cut-off speaks of, and what its columns hold.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from primewood.cli import inputs
from primewood.cli.options import ReadingOptions
from primewood.domain.declarations import Number, ordered
from primewood.errors import InvalidInput, UnknownName, listing, meant

KEYS = (
    *(
        "feature_names",
        "class_names",
        "positive",
        "threshold",
        "threshold_dtype",
        "between",
        "units",
        "domain",
    ),
    *(
        "groups",
        "constraints",
        "immutable",
        "vote",
        "missing",
        "summation",
        "literals",
        "engine",
        "max_nodes",
    ),
)
"""The parameters of an explainer that a file sets."""


def explainer_options(reading: ReadingOptions, **given: Any) -> dict[str, Any]:
    """The parameters of the explainer: those of the call, else those of its settings file; `given` are more of a call.

    What is None is not given.
    """
    said = {
        "feature_names": inputs.names(reading.feature_names or []),
        "class_names": inputs.class_names(reading.class_names or []),
        "positive": reading.positive,
        "threshold": reading.threshold,
        "threshold_dtype": None if reading.threshold_dtype is None else reading.threshold_dtype.value,
        "between": reading.between,
        "units": inputs.units(reading.units or []),
        "domain": inputs.domain(reading.domain or []),
        "groups": inputs.groups(reading.group or []),
        "constraints": reading.constraint,
        "vote": None if reading.vote is None else reading.vote.value,
        **given,
    }
    by_call = {name: value for name, value in said.items() if value is not None}
    by_file = {} if reading.settings is None else read_settings(reading.settings)
    if by_call.keys() & {"threshold", "between"}:
        by_file = {name: value for name, value in by_file.items() if name not in ("threshold", "between")}
    merged = by_file | by_call
    for name in ("units", "domain"):
        if name in by_file and name in by_call:
            merged[name] = {**by_file[name], **by_call[name]}
    return merged


def read_settings(path: Path) -> dict[str, Any]:
    """The parameters of an explainer that a settings file gives."""
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InvalidInput(f"{path.name} is not TOML: {problem}") from None
    unknown = [name for name in found if name not in KEYS]
    if unknown:
        raise UnknownName(
            f"{path.name} sets {listing(unknown)}{meant(unknown, KEYS)}; the settings are {listing(KEYS, len(KEYS))}"
        )
    return {name: _checked(path.name, name, value) for name, value in found.items()}


def _checked(file: str, name: str, value: Any) -> Any:
    """A setting in the form that the explainer takes."""
    what, fits = _FORMS[name]
    if not fits(value):
        raise InvalidInput(f"{file}: {name} must be {what}, not {value!r}")
    if name == "domain":
        return {feature: _declaration(file, feature, told) for feature, told in value.items()}
    return tuple(value) if name == "between" else value


def _declaration(file: str, feature: str, told: Any) -> Any:
    """What a file says about a feature: words and lists as they are, tables as bounds, orders or named codes."""
    if not isinstance(told, dict):
        return told
    if set(told) <= {"low", "high", "whole"}:
        return Number(**told)
    if set(told) == {"ordered"}:
        inner = told["ordered"]
        return ordered(inputs.codes(feature, inner) if isinstance(inner, dict) else inner)
    try:
        return inputs.codes(feature, told)
    except InvalidInput as problem:
        raise InvalidInput(f"{file}: {problem}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_text, value))


def _are_two_numbers(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


_TEXT = ("text", _is_text)
_TEXTS = ("a list of texts", _are_texts)
_FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "feature_names": _TEXTS,
    "class_names": (
        "a table from labels to names, or a list of names",
        lambda x: _is_table(x) or isinstance(x, list),
    ),
    "positive": ("a label", lambda x: isinstance(x, str | int | float)),
    "threshold": ("a number", _is_number),
    "threshold_dtype": _TEXT,
    "between": ("two numbers", _are_two_numbers),
    "units": ("a table from features to units", _is_table),
    "domain": ("a table from features to what they hold", _is_table),
    "groups": ('a table from names to lists of columns, or "auto"', lambda x: _is_table(x) or x == "auto"),
    "constraints": _TEXTS,
    "immutable": _TEXTS,
    "vote": _TEXT,
    "missing": _TEXT,
    "summation": _TEXT,
    "literals": _TEXT,
    "engine": _TEXT,
    "max_nodes": ("a whole number", lambda x: _is_number(x) and isinstance(x, int)),
}
"""What each setting must be, in words and as a test."""
