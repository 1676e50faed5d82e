"""Fields of documents, and arguments of functions: the type of each is checked, and an error names it.

A check takes a value and the place where it stands ("parts[3].rows", or the name of an argument); it returns the value,
or raises.

>>> fields = Fields({"rows": 12, "names": ["a", "b"]})
>>> fields.read("rows", whole()), fields.read("names", items(text))
(12, ('a', 'b'))
>>> fields.read("names", items(whole()))
Traceback (most recent call last):
primewood.errors.InvalidInput: names[0] must be a whole number of at least 0, not 'a'
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, quote_value

P = ParamSpec("P")
T = TypeVar("T")
FieldCheck = Callable[[Any, str], T]
JsonObject = dict[str, object]
"""An object of JSON whose fields are not checked yet; `Fields` reads them."""
LARGEST = 2**63 - 1
SHOWN = 60
HALF = re.compile("[\ud800-\udfff]")


class Fields:
    """A JSON object, field by field.

    Parameters
    ----------
    value
        What was read.
    place
        Where it stands; the document itself is at "".
    """

    def __init__(self, value: Any, place: str = "") -> None:
        if not isinstance(value, dict):
            raise wrong(place or "the document", "an object", value)
        self._held, self._before = value, f"{place}." if place else ""

    def read(self, name: str, check: FieldCheck[T]) -> T:
        """A field, checked."""
        if name not in self._held:
            raise InvalidInput(f"{self._before}{name} is missing")
        return check(self._held[name], f"{self._before}{name}")


def wrong(place: str, expected: str, value: object) -> InvalidInput:
    """The error about a value that is not what it must be."""
    shown = quote_value(value) if isinstance(value, str | int | float | None) else f"{type(value).__name__}"
    return InvalidInput(f"{place} must be {expected}, not {shown[:SHOWN]}")


def text(value: Any, place: str) -> str:
    """Text, without halves of characters, which UTF-8 does not have."""
    if not isinstance(value, str):
        raise wrong(place, "text", value)
    if HALF.search(value):
        raise wrong(place, "text that UTF-8 can write, without lone surrogates", value)
    return value


def flag(value: Any, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(place, "true or false", value)
    return bool(value)


def number(value: Any, place: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
        raise wrong(place, "a finite number", value)
    return value


def is_finite(value: Any) -> bool:
    """Whether a number is finite in float64."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def real(value: Any, place: str) -> float:
    """A number, which may be infinite, but not NaN."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or value != value or (isinstance(value, int) and not is_finite(value)):
        raise wrong(place, "a number", value)
    return float(value)


def scalar(value: Any, place: str) -> str | bool | float:
    """Text, a finite number, or true or false."""
    if isinstance(value, str):
        return text(value, place)
    return value if isinstance(value, bool) else number(value, place)


def whole(least: int = 0, most: int = LARGEST) -> FieldCheck[int]:
    """A check of whole numbers between two ends, both included."""
    ends = f"of at least {least}" if most == LARGEST else f"from {least} to {most}"

    def check(value: Any, place: str) -> int:
        if (type(value) is not int and not isinstance(value, np.integer)) or not least <= value <= most:
            raise wrong(place, f"a whole number {ends}", value)
        return int(value)

    return check


integer = whole(-LARGEST)
"""A check of whole numbers, which may be negative."""


def flag_or_count(value: Any, place: str) -> int:
    """True for all, False for none, or the number of the first ones."""
    return value if isinstance(value, bool) else whole()(value, place)


def one_of(choices: Iterable[str]) -> FieldCheck[str]:
    """A check of words."""
    known = tuple(choices)

    def check(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise wrong(place, " or ".join(map(repr, known)), value)
        return value

    return check


def optional(check: FieldCheck[T]) -> FieldCheck[T | None]:
    """A check of a value that may be null."""
    return lambda value, place: None if value is None else check(value, place)


def of_type(kind: type, words: str) -> FieldCheck[Any]:
    """A check of objects of a class; `words` say what they are."""

    def check(value: Any, place: str) -> Any:
        if not isinstance(value, kind):
            raise wrong(place, words, value)
        return value

    return check


def several(value: Any, place: str) -> tuple[Any, ...]:
    """Things to look through, such as a list."""
    try:
        return tuple(value)
    except TypeError:
        raise wrong(place, "a list", value) from None


def file_path(value: Any, place: str = "path") -> Path:
    """A path that the system can write."""
    with suppress(TypeError, UnicodeEncodeError):
        if b"\0" not in os.fsencode(value):
            return Path(value)
    raise wrong(place, "a path", value)


def items(check: FieldCheck[T], count: int | None = None) -> FieldCheck[tuple[T, ...]]:
    """A check of each item of a list, which may have a certain length."""

    def check_all(value: Any, place: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple) or count not in (None, len(value)):
            raise wrong(place, "a list" if count is None else f"a list of {count} items", value)
        return tuple(check(item, f"{place}[{i}]") for i, item in enumerate(value))

    return check_all


def mapping(check: FieldCheck[T]) -> FieldCheck[dict[str, T]]:
    """A check of each value of an object."""

    def check_all(value: Any, place: str) -> dict[str, T]:
        if not isinstance(value, dict):
            raise wrong(place, "an object", value)
        return {name: check(item, f"{place}[{name!r}]") for name, item in value.items()}

    return check_all


def record(value: Any, place: str) -> JsonObject:
    """An object, as it is."""
    return mapping(lambda item, _: item)(value, place)


def listed(value: Any, place: str) -> list[Any]:
    """A list, as it is."""
    if not isinstance(value, list):
        raise wrong(place, "a list", value)
    return value


def integers(count: int | None = None) -> FieldCheck[NDArray[np.int64]]:
    """A check of lists and arrays of whole numbers of 32 bits, which may have a certain length; flags are 0 and 1."""

    def check(value: Any, place: str) -> NDArray[np.int64]:
        array = _array(value, place, "iub", count)
        if array.size and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
            raise InvalidInput(f"{place} has a number beyond 32 bits")
        return array.astype(np.int64)

    return check


def floats(count: int | None = None) -> FieldCheck[NDArray[np.float64]]:
    """A check of lists and arrays of numbers, which may be infinite or NaN, and may have a certain length."""
    return lambda value, place: _array(value, place, "iuf", count).astype(np.float64)


def finite(count: int | None = None) -> FieldCheck[NDArray[np.float64]]:
    """A check of lists and arrays of finite numbers, which may have a certain length."""

    def check(value: Any, place: str) -> NDArray[np.float64]:
        array = floats(count)(value, place)
        if not np.isfinite(array).all():
            raise InvalidInput(f"{place} has a number that is infinite or NaN")
        return array

    return check


def _array(value: Any, place: str, kinds: str, count: int | None) -> NDArray[Any]:
    """An array of one dimension of numbers of certain kinds."""
    kind = "numbers" if "f" in kinds else "whole numbers"
    if not isinstance(value, list | np.ndarray):
        raise wrong(place, f"a list of {kind}", value)
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths inside
        raise wrong(place, f"a list of {kind}", value) from None
    if array.ndim != 1 or (array.size and array.dtype.kind not in kinds):
        raise InvalidInput(f"{place} must be a list of {kind} of usual size")
    if count not in (None, len(array)):
        raise InvalidInput(f"{place} has {len(array)} items, not {count}")
    return array


def made(kind: Callable[..., T], *checks: FieldCheck[Any]) -> FieldCheck[T]:
    """A check of a list of a certain length that makes something of its items."""

    def check(value: Any, place: str) -> T:
        parts = items(lambda item, _: item, len(checks))(value, place)
        return kind(*(one(part, place) for one, part in zip(checks, parts, strict=True)))

    return check


def takes(**checks: FieldCheck[Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of a function whose arguments are checked by their names; a number of NumPy becomes a plain one.

    >>> @takes(count=whole(1))
    ... def repeat(word: str, count: int) -> str:
    ...     return word * count
    >>> repeat("ab", "2")
    Traceback (most recent call last):
    primewood.errors.InvalidInput: count must be a whole number of at least 1, not '2'
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        form = signature(function)

        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> T:
            try:
                bound = form.bind(*args, **options)
            except TypeError:
                return function(*args, **options)  # Python's own words about unknown or missing arguments
            for name in checks.keys() & bound.arguments.keys():
                value = bound.arguments[name]
                plain = value.item() if isinstance(value, np.generic) else value
                bound.arguments[name] = checks[name](plain, name)
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate
