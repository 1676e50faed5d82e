"""Intervals of real numbers: the values of a numeric variable."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal as Choice
from typing import get_args

from primewood.fields import one_of, real, wrong

Closed = Choice["left", "right", "both", "neither"]
SIDES = one_of(get_args(Closed))


class Missing(enum.Enum):
    """The value of a variable whose number is missing (NaN)."""

    MISSING = "missing"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing.MISSING


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between `low` and `high`; `closed` tells which ends are included.

    Examples
    --------
    >>> from primewood import Interval
    >>> interval = Interval(2, 6, "left")
    >>> print(interval)
    [2, 6)
    >>> 2 in interval, 6 in interval
    (True, False)
    """

    low: float
    high: float
    closed: Closed = "left"

    def __post_init__(self) -> None:
        real(self.low, "low")
        real(self.high, "high")
        SIDES(self.closed, "closed")

    @property
    def closed_low(self) -> bool:
        """Whether `low` itself belongs to the interval."""
        return self.closed in ("left", "both") and not math.isinf(self.low)

    @property
    def closed_high(self) -> bool:
        """Whether `high` itself belongs to the interval."""
        return self.closed in ("right", "both") and not math.isinf(self.high)

    def __contains__(self, x: float) -> bool:
        if not isinstance(x, Real):
            raise wrong("x", "a number", x)
        above = x >= self.low if self.closed in ("left", "both") else x > self.low
        below = x <= self.high if self.closed in ("right", "both") else x < self.high
        return bool(above and below)

    def __str__(self) -> str:
        left = "[" if self.closed_low else "("
        right = "]" if self.closed_high else ")"
        return f"{left}{number(self.low)}, {number(self.high)}{right}"

    def condition(self, name: str) -> str:
        """Write "`name` is in this interval" with comparisons.

        >>> Interval(2, 6, "left").condition("X"), Interval(-math.inf, 6, "right").condition("X")
        ('2 <= X < 6', 'X <= 6')
        """
        if math.isinf(self.low) and math.isinf(self.high):
            return f"-inf < {name} < inf"
        if math.isinf(self.low):
            return f"{name} {'<=' if self.closed_high else '<'} {number(self.high)}"
        if math.isinf(self.high):
            return f"{name} {'>=' if self.closed_low else '>'} {number(self.low)}"
        low = f"{number(self.low)} {'<=' if self.closed_low else '<'}"
        high = f"{'<=' if self.closed_high else '<'} {number(self.high)}"
        return f"{low} {name} {high}"


def number(x: float) -> str:
    """Write a number in the fewest digits that read back as the same float.

    >>> number(2.0), number(0.1), number(-math.inf)
    ('2', '0.1', '-inf')
    """
    if float(x).is_integer() and abs(x) < 1e16:
        return str(int(x))
    return repr(float(x))
