"""The words of a rule, taken apart: the bounds of each piece of a literal without the feature's name."""

from __future__ import annotations

import math
import re

from primewood.render import decimals
from primewood.render.text import Record, interval

Ends = tuple[str, str]
"""The lower and the upper bound in words; empty where there is none."""


def ends_in_words(literal: Record) -> list[Ends]:
    """Per interval of a numeric literal, its bounds as the rule has them.

    >>> literal = {"feature": "age", "unit": "years", "shown": ["age <= 25 years", "60 < age <= 70 years"],
    ...            "intervals": [{"low": None, "high": 25.5, "closed": "right"},
    ...                          {"low": 60.0, "high": 70.2, "closed": "neither"}]}
    >>> ends_in_words(literal)
    [('', '<= 25'), ('> 60', '<= 70')]
    """
    shown = literal.get("shown") or []
    name, unit = literal["feature"], literal.get("unit", "")
    found = []
    for place, part in enumerate(literal["intervals"]):
        ends = _taken_apart(shown[place], name, unit) if place < len(shown) else None
        found.append(own_words(part) if ends is None else ends)
    return found


def _taken_apart(text: str, name: str, unit: str) -> Ends | None:
    """The bounds in one piece of a rule; None if it does not look like one."""
    match = re.fullmatch(
        rf"(?:(?P<low>\S+) (?P<above><=?) )?{re.escape(name)}(?: (?P<sign>[<>]=?|=) (?P<bound>\S+))?",
        text.removesuffix(f" {unit}") if unit else text,
    )
    if match is None:
        return ("", "") if text == f"{name} is a number" else None
    low = f"{match['above'].replace('<', '>')} {match['low']}" if match["low"] else ""
    if not match["sign"]:
        return None
    bound = f"{match['sign']} {match['bound']}"
    return (bound, "") if match["sign"].startswith((">", "=")) else (low, bound)


def own_words(part: Record) -> Ends:
    """The bounds of an interval in at least four digits, where no rule has words for them.

    >>> own_words({"low": 2.4500000476837163, "high": None, "closed": "neither"})
    ('>= 2.451', '')
    """
    low, high = decimals.shown_ends(interval(part), math.nan, None)
    return " ".join(low or ()), " ".join(high or ())


def together(ends: Ends) -> str:
    """Both bounds in a few words.

    >>> together((">= 31", "<= 35")), together(("> 31", "<= 35")), together(("", "< 3"))
    ('31 to 35', '> 31, <= 35', '< 3')
    """
    low, high = ends
    if low.startswith(">= ") and high.startswith("<= "):
        return f"{low[3:]} to {high[3:]}"
    return ", ".join(filter(None, ends))


def without_name(literal: Record) -> str:
    """A literal in words, without the name of its feature.

    >>> without_name({"feature": "housing", "values": ["own"], "missing": False, "text": "housing is own"})
    'own'
    """
    if "values" in literal:
        return str(literal["text"]).removeprefix(f"{literal['feature']} ").removeprefix("is ")
    pieces = [together(ends) or "any number" for ends in ends_in_words(literal)]
    pieces += ["missing"] if literal["missing"] else []
    return " or ".join(pieces)
