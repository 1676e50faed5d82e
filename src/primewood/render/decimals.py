"""Short decimals for exact bounds.

An exact bound such as 51.50000190734863 is shown as a shorter decimal that stays inside the exact
region and loses none of the numbers that are known to lie in it: the instance's, and every training
row's. Where training rows say what lies nearby, one digit may be enough; without them at least four
digits are kept, so that the shown region is not much smaller than the exact one.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from primewood.logic.interval import Interval, number

End = tuple[str, str] | None
"""An operator and a decimal, or None where there is no bound."""


def shown_ends(
    interval: Interval, instance: float, rows: NDArray[np.float64] | None, *, brief: bool = True
) -> tuple[End, End]:
    """How the ends of an interval are shown: the lower and the upper bound.

    Parameters
    ----------
    interval
        The exact region.
    instance
        The number of the instance; it counts only if it lies in the region.
    rows
        The numbers of the training rows in this column, or None without training rows.
    brief
        Whether one digit may be enough if the rows show which numbers are nearby; otherwise at least four are kept.

    >>> shown_ends(Interval(2.4500000476837163, 6, "left"), 3.0, np.array([2.5, 3.0, 5.0]))
    (('>=', '2.5'), ('<', '6'))
    """
    held = [instance] if instance in interval else []
    if rows is not None:
        inside = rows[(rows > interval.low) & (rows < interval.high)]
        ends = rows[(rows == interval.low) | (rows == interval.high)]
        held += [float(x) for x in ends if x in interval]
        held += [float(inside.min()), float(inside.max())] if inside.size else []
    digits = 1 if brief and rows is not None and held else 4
    low = high = None
    if math.isfinite(interval.low):
        needed = min(held, default=_pick_inside(interval))
        low = _end(interval.low, interval.closed_low, needed, math.inf, digits)
    if math.isfinite(interval.high):
        needed = max(held, default=_pick_inside(interval))
        high = _end(interval.high, interval.closed_high, needed, -math.inf, digits)
    return low, high


def whole_ends(interval: Interval) -> tuple[End, End]:
    """How the ends of an interval of whole numbers are shown: both included, with all digits.

    >>> whole_ends(Interval(64, 66, "right")), whole_ends(Interval(3, math.inf, "left"))
    ((('>=', '65'), ('<=', '66')), (('>=', '3'), None))
    """
    low = high = None
    if math.isfinite(interval.low):
        low = (">=", number(interval.low if interval.closed_low else _next_whole(interval.low, math.inf)))
    if math.isfinite(interval.high):
        high = (
            "<=",
            number(interval.high if interval.closed_high else _next_whole(interval.high, -math.inf)),
        )
    return low, high


def _next_whole(bound: float, towards: float) -> float:
    """The next whole number beyond a bound; far out, the next float, which is whole there."""
    beside = math.nextafter(bound, towards)
    if abs(bound) >= 2.0**52:
        return beside
    return math.floor(bound) + 1.0 if towards > 0 else math.ceil(bound) - 1.0


def _end(bound: float, closed: bool, needed: float, inwards: float, digits: int) -> tuple[str, str]:
    """One end: an inclusive bound, or the exact bound with a strict operator if that is as short."""
    inclusive, strict = (">=", ">") if inwards > 0 else ("<=", "<")
    if closed:
        return inclusive, shortest(bound, needed, digits)
    rounded = shortest(math.nextafter(bound, inwards), needed, digits)
    exact = number(bound)
    return (strict, exact) if len(exact) <= len(rounded) else (inclusive, rounded)


def _pick_inside(interval: Interval) -> float:
    """Some number inside an interval without a known number, so that the shown interval is not empty."""
    if math.isinf(interval.low) or math.isinf(interval.high):
        return interval.low if math.isinf(interval.low) else interval.high
    middle = interval.low + (interval.high - interval.low) / 2
    return middle if middle in interval else interval.high if interval.closed_high else interval.low


def shortest(exact: float, needed: float, digits: int = 1) -> str:
    """The decimal nearest to `exact`, in the fewest digits, between `exact` and `needed`.

    >>> shortest(51.50000190734863, 51.2, 4), shortest(2.5000001, 3.0), shortest(0.123, 0.123)
    ('51.5', '3', '0.123')
    """
    if exact == needed:
        return number(exact)
    if digits == 1 and min(exact, needed) <= 0 <= max(exact, needed):
        return "0"
    rounding = ROUND_FLOOR if needed < exact else ROUND_CEILING
    low, high = min(exact, needed), max(exact, needed)
    for count in range(digits, 18):
        unit = Decimal(1).scaleb(Decimal(exact).adjusted() - count + 1)
        rounded = float((Decimal(exact) / unit).to_integral_value(rounding) * unit)
        if low <= rounded <= high and math.isfinite(rounded):
            return number(rounded)
    return number(exact)


def plain_number(interval: Interval, rows: NDArray[np.float64] | None = None) -> float:
    """A number of an interval that is easy to read: the middle one of the rows, or a short decimal.

    >>> plain_number(Interval(40.50000190734863, 43.50000190734863, "right"))
    42.0
    >>> plain_number(Interval(2.45, 2.5, "left"), np.array([1.0, 2.47, 2.46, 2.48, 3.0]))
    2.47
    """
    if rows is not None:
        known = sorted(
            float(x) for x in rows[(rows >= interval.low) & (rows <= interval.high)] if x in interval
        )
        if known:
            return known[len(known) // 2]
    low, high = interval.low, interval.high
    if math.isinf(low) or math.isinf(high):
        end = 0.0 if math.isinf(low) and math.isinf(high) else low if math.isinf(high) else high
        if abs(end) >= 1e38:  # farther away there may be no float32
            return (
                end if end in interval else math.nextafter(end, math.inf if math.isinf(high) else -math.inf)
            )
        away = max(1.0, abs(end) / 8)
        low, high = (end, end + 2 * away) if math.isinf(high) else (end - 2 * away, end)
    if 0.0 in interval:
        return 0.0
    middle = low / 2 + high / 2
    first = -308 if middle == 0 else -math.floor(math.log10(abs(middle))) - 1
    for digits in range(first, 330):
        near = round(middle, digits)
        if near in interval:
            return near
    return _pick_inside(interval)
