"""What libraries apply to scores before they compare them or call them probabilities.

The functions are those of the C library that the boosting libraries call themselves, in float32 where
they use it: numpy's own differ from them in the last bit. All of them are monotone, so a comparison of a
linked score with a number is a comparison of the score with a *cut*, which is found by bisection over
floats through the link itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal as Choice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.core import _native
from primewood.errors import InvalidInput

Precision = Choice["float32", "float64"]
Link = Choice[
    "identity", "logistic32", "logistic", "softmax32", "softmax", "exponential32", "exponential", "expit"
]
"""Names with 32 are XGBoost's, in float32; "expit" is SciPy's, for scikit-learn; the others are LightGBM's."""


def native_link(link: Link) -> _native.Link:
    """The core's own name of a link; it has all but "expit"."""
    return _native.Link[link.upper()]


def apply_link(scores: NDArray[np.float64], link: Link) -> NDArray[np.float64]:
    """Scores, one row per row, through a link. Cost: linear."""
    if link == "expit":
        from scipy.special import expit  # type: ignore[import-untyped]

        through: NDArray[np.float64] = expit(scores)
        return through
    through = np.array(scores, dtype=np.float64, order="C", copy=True)
    _native.apply_link(native_link(link), through)
    return through


def cut_at(
    threshold: float, link: Link, precision: Precision, *, slope: float = 1.0, strictly: bool = False
) -> float:
    """The least score whose linked value reaches a threshold, or is above it if `strictly`; ±inf if all or none do.

    Before the link, the score is multiplied by the slope, which is above 0.

    >>> cut_at(0.5, "logistic", "float64")
    -3.3306690738754686e-16
    """

    def reaches(score: float) -> bool:
        value = float(apply_link(slope * np.array([[score]]), link)[0, 0])
        return value > threshold if strictly else value >= threshold

    return first_float(reaches, precision)


def first_float(test: Callable[[float], bool], precision: Precision) -> float:
    """The least float at which a monotone test is true: −inf if it always is, inf if it never is.

    Cost: one test per bit.
    """
    if precision not in get_args(Precision):
        raise InvalidInput(f'precision must be "float32" or "float64", not {precision!r}')
    bits = 31 if precision == "float32" else 63
    largest = float(np.finfo(precision).max)
    low, high = -_place(largest, bits), _place(largest, bits)
    if test(_float_at(low, bits)):
        return -math.inf
    if not test(_float_at(high, bits)):
        return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        if test(_float_at(middle, bits)):
            high = middle
        else:
            low = middle
    return _float_at(high, bits)


def _place(x: float, bits: int) -> int:
    """Where a positive float comes in the line of all floats; zero is at 0."""
    return int(np.float32(x).view(np.int32)) if bits == 31 else int(np.float64(x).view(np.int64))


def _float_at(place: int, bits: int) -> float:
    size = np.int32(abs(place)).view(np.float32) if bits == 31 else np.int64(abs(place)).view(np.float64)
    return float(size) if place >= 0 else -float(size)
