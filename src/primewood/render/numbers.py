"""Numbers for reading: few digits, and counts with their nouns."""

from __future__ import annotations

from collections.abc import Iterable

from primewood.logic.interval import number


def short(x: float) -> str:
    """A number in few digits, for a scale.

    >>> short(0.123456), short(1234567.8), short(3.0), short(2e-9)
    ('0.1235', '1234568', '3', '2e-09')
    """
    return number(round(x)) if 1e4 <= abs(x) < 1e15 else number(float(f"{x:.4g}"))


def format_count(count: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> format_count(1, "row"), format_count(2, "row"), format_count(0, "entry", "entries")
    ('1 row', '2 rows', '0 entries')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def amount(count: int) -> str:
    """A count in readable form, however large it is.

    >>> amount(1234), amount(10**20), amount(10**400)
    ('1,234', '1e+20', 'about 10^400')
    """
    if count < 10**12:
        return f"{count:,}"
    return f"{count:.3g}" if count < 10**300 else f"about 10^{len(str(count)) - 1}"


def few(things: Iterable[object], most: int = 12, between: str = ", ") -> str:
    """Items in one line; if there are many, the first ones and the number of others, which is never one.

    >>> few("abc", 2), few("abcd", 2)
    ('a, b, c', 'a, b and 2 others')
    """
    words = [str(thing) for thing in things]
    if len(words) <= most + 1:
        return between.join(words)
    return f"{between.join(words[:most])} and {len(words) - most} others"
