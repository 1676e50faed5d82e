"""How a library compares an input with a threshold, exactly.

A library casts the input to `dtype` and tests ``x <= t`` or ``x < t``. Casting is monotone, so for
the float64 number that a user passes in, the test is again a comparison, with a *cut*: scikit-learn
sends 51.500001 left at the threshold 51.5, because it is 51.5 in float32.
"""

from __future__ import annotations

from typing import Literal as Choice

import numpy as np

Operator = Choice["<=", "<"]
InputType = Choice["float32", "float64"]


def cut_of(threshold: float, operator: Operator, dtype: InputType) -> float:
    """The float64 cut c such that the test is true exactly for inputs ``x operator c``.

    Infinite where all inputs that the library accepts, or none, pass the test: a tree that learned to
    split off missing values only has the threshold infinity.

    >>> cut_of(51.5, "<=", "float64"), cut_of(51.5, "<=", "float32")
    (51.5, 51.50000190734863)
    """
    if dtype == "float64":
        return float(threshold)
    with np.errstate(over="ignore"):
        return _float32_cut(threshold, operator)


def _float32_cut(threshold: float, operator: Operator) -> float:
    largest = float(np.finfo(np.float32).max)
    if operator == "<=":
        last_left = _rounded(threshold, down=True)
        if abs(last_left) >= largest and last_left != -largest:
            return float(np.sign(last_left)) * np.inf
        middle = _middle(last_left, np.nextafter(last_left, np.float32(np.inf)))
        return middle if np.float32(middle) <= last_left else float(np.nextafter(middle, -np.inf))
    first_right = _rounded(threshold, down=False)
    if abs(first_right) >= largest and first_right != largest:
        return float(np.sign(first_right)) * np.inf
    middle = _middle(np.nextafter(first_right, np.float32(-np.inf)), first_right)
    return middle if np.float32(middle) >= first_right else float(np.nextafter(middle, np.inf))


def _rounded(threshold: float, *, down: bool) -> np.float32:
    """The largest float32 at most the threshold, or the smallest at least it."""
    near = np.float32(threshold)
    if down and float(near) > threshold:
        near = np.nextafter(near, np.float32(-np.inf))
    elif not down and float(near) < threshold:
        near = np.nextafter(near, np.float32(np.inf))
    return near


def _middle(low: np.float32, high: np.float32) -> float:
    """The number halfway between two finite neighbours of float32, exact in float64."""
    return (float(low) + float(high)) / 2
