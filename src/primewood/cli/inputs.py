"""Small declarations on the command line: groups of columns, weights of features."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
