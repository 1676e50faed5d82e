"""How a library compares an input with a threshold, exactly.

A library casts the input to `dtype` and tests ``x <= t`` or ``x < t``. Casting is monotone, so for
the float64 number that a user passes in, the test is again a comparison, with a *cut*: scikit-learn
sends 51.500001 left at the threshold 51.5, because it is 51.5 in float32.
"""

from __future__ import annotations

from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

Operator = Choice["<=", "<"]
InputType = Choice["float32", "float64"]


def cut_of(threshold: float, operator: Operator, dtype: InputType) -> float:
    """The float64 cut c such that the test is true exactly for inputs ``x operator c``.

    >>> cut_of(51.5, "<=", "float64"), cut_of(51.5, "<=", "float32")
    (51.5, 51.50000190734863)
    """
    return float(cuts_of(np.array([threshold]), operator, dtype)[0])


def cuts_of(thresholds: NDArray[np.float64], operator: Operator, dtype: InputType) -> NDArray[np.float64]:
    """The cuts of thresholds.

    Infinite where all inputs that the library accepts, or none, pass the test: a tree that learned to
    split off missing values only has the threshold infinity.
    """
    if dtype == "float64":
        return np.asarray(thresholds, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return _float32_cuts(np.asarray(thresholds, dtype=np.float64), operator)


def _float32_cuts(thresholds: NDArray[np.float64], operator: Operator) -> NDArray[np.float64]:
    """The number halfway between the last float32 on one side of the test and the first on the other, or next to it.

    Numbers between the two are cast to one of them; which one the middle itself is cast to decides the end.
    """
    largest = float(np.finfo(np.float32).max)
    up, down = np.float32(np.inf), np.float32(-np.inf)
    near = thresholds.astype(np.float32)
    if operator == "<=":
        last_left = np.where(near.astype(np.float64) > thresholds, np.nextafter(near, down), near)
        middle = (last_left.astype(np.float64) + np.nextafter(last_left, up).astype(np.float64)) / 2
        cuts = np.where(middle.astype(np.float32) <= last_left, middle, np.nextafter(middle, -np.inf))
        cuts = np.where(last_left >= largest, np.inf, cuts)
        return np.where(last_left < -largest, -np.inf, cuts)
    first_right = np.where(near.astype(np.float64) < thresholds, np.nextafter(near, up), near)
    middle = (np.nextafter(first_right, down).astype(np.float64) + first_right.astype(np.float64)) / 2
    cuts = np.where(middle.astype(np.float32) >= first_right, middle, np.nextafter(middle, np.inf))
    cuts = np.where(first_right > largest, np.inf, cuts)
    return np.where(first_right <= -largest, -np.inf, cuts)
