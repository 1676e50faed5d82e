"""Numbers to be read: few digits, and counts with their nouns."""

from __future__ import annotations

from primewood.logic.interval import number


def short(x: float) -> str:
    """A number in few digits, to be read beside a scale.

    >>> short(0.123456), short(1234567.8), short(3.0), short(2e-9)
    ('0.1235', '1234568', '3', '2e-09')
    """
    return number(round(x)) if 1e4 <= abs(x) < 1e15 else number(float(f"{x:.4g}"))


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2, "row"), counted(0, "entry", "entries")
    ('1 row', '2 rows', '0 entries')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
