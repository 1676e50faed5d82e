"""Numbers as people and tools write them."""

from __future__ import annotations

import math
import re

NUMBER = r"[-+−]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?|inf)"


def number_of(value: object) -> float | None:
    """A number, or the number that a text is."""
    if isinstance(value, str):
        value = {"True": "1", "False": "0"}.get(value, value)
        finite = re.fullmatch(NUMBER, value, re.ASCII) and "inf" not in value
        return float(in_ascii(value)) if finite else None
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def in_ascii(text: str) -> str:
    """Signs as Python writes them."""
    return text.replace("−", "-").replace("≤", "<=").replace("≥", ">=")
