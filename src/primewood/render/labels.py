"""Short labels for sets of values, for the edges of pictures.

Numbers are rounded for reading, not for computing: they are within a millionth of the exact cut, and no two cuts
have the same label.
"""

from __future__ import annotations

import bisect
import math
from decimal import Decimal

from primewood.errors import InvalidInput
from primewood.logic.expression import Literal
from primewood.logic.interval import MISSING, Interval, number
from primewood.logic.variable import Variable
from primewood.render.decimals import shortest

MOST_RUNS = 3


def edge_label(variable: Variable, mask: int, unit: str = "") -> str:
    """The values in a bit mask as a short text without the variable's name.

    >>> X = Variable.numeric("X", cuts=[2.4500000476837163, 4.8], closed="right", missing=True)
    >>> edge_label(X, 0b0001), edge_label(X, 0b0010, "cm"), edge_label(X, 0b1101)
    ('≤ 2.45', '2.45 < · ≤ 4.8 cm', '≤ 2.45 or > 4.8 or missing')
    >>> edge_label(Variable("B", ["r", "b", "g"]), 0b011), edge_label(Variable.boolean("x"), 0b10)
    ('not g', 'yes')
    """
    return " ".join(label_pieces(variable, mask, unit))


def label_pieces(variable: Variable, mask: int, unit: str) -> list[str]:
    """The label in pieces; lines may be broken between them."""
    if not 0 < mask <= variable.everything:
        raise InvalidInput(
            f"{mask} is not a set of values of {variable.name}, which has {len(variable)} values"
        )
    literal = variable.of_mask(mask)
    if not isinstance(literal, Literal):
        return ["any"]
    absent = [x for i, x in enumerate(variable.values) if not mask >> i & 1]
    if absent == [MISSING] or (len(absent) == 1 and len(variable) > 2 and _is_named(variable)):
        return [f"not {_word(absent[0])}"]
    words = [_word(x) for x in literal.values if x is not MISSING]
    if variable.is_numeric:
        words = [f"{_label_range(variable, run)} {unit}".rstrip() for run in literal.intervals]
    more = [f"and {len(words) - MOST_RUNS} more"] if len(words) > MOST_RUNS else []
    missing = ["or missing"] if MISSING in literal.values else []
    pieces = [*(f"or {word}" for word in words[:MOST_RUNS]), *more, *missing]
    return [pieces[0].removeprefix("or "), *pieces[1:]]


def _is_named(variable: Variable) -> bool:
    """Whether "not" can be written before a value: not before intervals, nor before yes and no."""
    return not variable.is_numeric and not any(isinstance(x, bool) for x in variable.values)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else str(value)


def _label_range(variable: Variable, run: Interval) -> str:
    above, below = ("≥", "<") if variable.closed == "left" else (">", "≤")
    if math.isinf(run.low):
        return f"{below} {_short(variable, run.high)}"
    if math.isinf(run.high):
        return f"{above} {_short(variable, run.low)}"
    turned = "≤" if above == "≥" else "<"
    return f"{_short(variable, run.low)} {turned} · {below} {_short(variable, run.high)}"


def _short(variable: Variable, cut: float) -> str:
    """A cut in few digits: within a millionth of it, and less than half way to its neighbours."""
    cuts = variable.cuts or ()
    place = bisect.bisect_left(cuts, cut)
    gaps = [abs(cut - cuts[k]) for k in (place - 1, place + 1) if 0 <= k < len(cuts)]
    room = min([abs(cut) * 1e-6, *(0.49 * gap for gap in gaps)])
    # No digit before the point is rounded, and of two texts of one length the one is taken at which a test
    # decides numbers with as few digits as the true cut does: x <= 1234567.5 becomes x <= 1234567.
    digits = max(1, Decimal(cut).adjusted() + 1)
    down, up = shortest(cut, cut - room, digits), shortest(cut, cut + room, digits)
    return min((up, down) if variable.closed == "left" else (down, up), key=len)
