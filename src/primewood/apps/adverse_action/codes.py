"""Tables of reason codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal as Choice

from primewood.errors import InvalidInput, UnknownName, format_list

Fault = Choice["low", "high", "other", "missing"]
"""What is wrong with a value: too low, too high, another category would have helped, or it was not given."""


DIRECTIONS: tuple[Fault, ...] = ("low", "high", "other", "missing")


Entry = str | tuple[str, str]
"""A text, or a code and a text."""


Codes = Mapping[str | tuple[str, ...], Entry | Mapping[Fault, Entry]]
"""Per feature, or for several features together, what to say; perhaps by direction."""


class CodeTable:
    """What to say about a feature, by the direction in which its value is wrong.

    Parameters
    ----------
    codes
        See `Codes`; None for no table.
    known
        The names of all features.

    Examples
    --------
    >>> table = CodeTable({("income", "assets"): ("R1", "Means too small"), "age": {"low": "Too young"}}, ["income",
    ...                   "assets", "age"])
    >>> table.entry("assets", "low"), table.entry("age", "low"), table.entry("age", "high")
    (('R1', 'Means too small'), (None, 'Too young'), None)
    """

    def __init__(self, codes: Codes | None, known: Collection[str]) -> None:
        if codes is not None and not isinstance(codes, Mapping):
            raise InvalidInput(f"codes must be a mapping from features to texts, not {codes!r}")
        self.given = codes is not None
        self._entries: dict[str, dict[Fault, tuple[str | None, str]]] = {}
        for key, told in (codes or {}).items():
            by_direction = _split_by_direction(key, told)
            for name in (key,) if isinstance(key, str) else key:
                if name not in known:
                    raise UnknownName(f"codes names {name!r}; the features are {format_list(known)}")
                if name in self._entries:
                    raise InvalidInput(f"codes has two entries for {name}; give it one")
                self._entries[name] = by_direction

    def entry(self, feature: str, direction: Fault) -> tuple[str | None, str] | None:
        """The code (or None) and the text; None if the table says nothing."""
        return self._entries.get(feature, {}).get(direction)


def _split_by_direction(key: object, told: object) -> dict[Fault, tuple[str | None, str]]:
    if not isinstance(told, Mapping):
        return dict.fromkeys(DIRECTIONS, _entry(key, told))
    if unknown := [x for x in told if x not in DIRECTIONS]:
        raise InvalidInput(
            f"codes has {format_list(unknown)} for {key}; the directions are {format_list(DIRECTIONS)}"
        )
    return {direction: _entry(key, one) for direction, one in told.items()}


def _entry(key: object, told: object) -> tuple[str | None, str]:
    if isinstance(told, str):
        return None, told
    if isinstance(told, tuple | list) and len(told) == 2 and isinstance(told[1], str):
        return str(told[0]), told[1]
    raise InvalidInput(f"codes has {told!r} for {key}; it takes a text, (code, text), or these by direction")
