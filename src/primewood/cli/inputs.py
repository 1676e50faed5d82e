"""Small declarations on the command line: names, units, what features hold, groups of columns, weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from primewood.errors import InvalidInput


def groups(declarations: Sequence[str]) -> dict[str, list[str]] | str | None:
    """One-hot groups: "auto", or one declaration ``name=column,column,...`` each."""
    if not declarations:
        return None
    if list(declarations) == ["auto"]:
        return "auto"
    found = {}
    for text in declarations:
        name, equals, columns = text.partition("=")
        if not equals:
            raise InvalidInput(f"a group is declared name=column,column,... or is auto, not {text!r}")
        found[name.strip()] = [column.strip() for column in columns.split(",")]
    return found


def weights(declarations: Sequence[str]) -> dict[str, float] | None:
    """Weights of features, one declaration ``name=number`` each; None without any.

    >>> weights(["age=5", "a=b=0.5"])
    {'age': 5.0, 'a=b': 0.5}
    """
    found: dict[str, float] = {}
    for text in declarations:
        name, _, number = (part.strip() for part in text.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not name or math.isnan(weight):
            raise InvalidInput(f"a weight is declared feature=number, such as age=5, not {text!r}")
        if name in found:
            raise InvalidInput(f"{name} has two weights")
        found[name] = weight
    return found or None


def names(declarations: Sequence[str]) -> list[str] | None:
    """Names in order, separated by commas.

    >>> names(["income,age", "debt"])
    ['income', 'age', 'debt']
    """
    return [name.strip() for text in declarations for name in text.split(",")] or None


def class_names(declarations: Sequence[str]) -> dict[str, str] | list[str] | None:
    """Shown names of classes: ``label=name``, or names in the order of the labels.

    >>> class_names(["0=declined", "1=approved"]), class_names(["declined,approved"])
    ({'0': 'declined', '1': 'approved'}, ['declined', 'approved'])
    """
    given = names(declarations)
    if given is None:
        return None
    with_label = [text for text in given if "=" in text]
    if with_label and len(with_label) < len(given):
        raise InvalidInput(
            "class names are given as LABEL=NAME each, or as names in the order of the labels, not both"
        )
    return _pairs(given, "--class-names", "LABEL=NAME") if with_label else given


def units(declarations: Sequence[str]) -> dict[str, str] | None:
    """Units of features, one declaration ``feature=unit`` each."""
    return _pairs(declarations, "--units", "FEATURE=UNIT") or None


def domain(declarations: Sequence[str]) -> dict[str, Any] | None:
    """What features hold, one declaration each: a word, numbers, or ``number:name`` pairs.

    >>> domain(["age=whole", "size=1,2,3", "housing=0:own,1:rented"])
    {'age': 'whole', 'size': [1.0, 2.0, 3.0], 'housing': {0.0: 'own', 1.0: 'rented'}}
    """
    pairs = _pairs(declarations, "--domain", "FEATURE=KIND")
    return {feature: _kind(feature, told) for feature, told in pairs.items()} or None


def _kind(feature: str, told: str) -> Any:
    if told in ("numeric", "whole", "boolean"):
        return told
    parts = [part.strip() for part in told.split(",")]
    if all(":" in part for part in parts):
        pairs = (part.partition(":") for part in parts)
        return codes(feature, {code.strip(): name.strip() for code, _, name in pairs})
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise InvalidInput(
            f"--domain {feature}={told}: pass numeric, whole, boolean, numbers such as 1,2,3, or names of numbers such "
            "as 0:own,1:rented"
        ) from None


def codes(feature: str, named: Mapping[str, object]) -> dict[float, object]:
    """The names of the numbers that a feature holds."""
    try:
        return {float(code): name for code, name in named.items()}
    except ValueError:
        raise InvalidInput(
            f"the domain of {feature} names numbers, such as 0:own,1:rented; got {', '.join(named)}"
        ) from None


def _pairs(declarations: Sequence[str], option: str, form: str) -> dict[str, str]:
    """Declarations ``name=value``; the value has no equals sign, the name may."""
    found: dict[str, str] = {}
    for text in declarations:
        name, equals, value = (part.strip() for part in text.rpartition("="))
        if not equals or not name or not value:
            raise InvalidInput(f"{option} is {form}, not {text!r}")
        if name in found:
            raise InvalidInput(f"{option} has two entries for {name}")
        found[name] = value
    return found
