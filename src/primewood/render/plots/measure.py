"""How much room words take, in inches, and how they are broken into lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from primewood.render.plots.library import library
from primewood.visible import visible

SLACK = 1.03
"""Renderers differ a little in the widths of letters."""


def line_height(size: float) -> float:
    """The height of a line of text of a size in points."""
    return 1.3 * size / 72


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of one line of text of a size in points, in the font that matplotlib uses."""
    family = library("font_manager").FontProperties().get_family()
    return _width_of_one_point(visible(text), bold, tuple(family)) * size


@lru_cache(maxsize=4096)
def _width_of_one_point(text: str, bold: bool, family: tuple[str, ...]) -> float:
    font = library("font_manager").FontProperties(
        family=list(family), size=100, weight="bold" if bold else "normal"
    )
    measure: Any = library("textpath").text_to_path.get_text_width_height_descent
    return SLACK * float(measure(text, font, ismath=False)[0]) / 100 / 72


def one_line(text: object) -> str:
    """A name on one line, whose line breaks and tabs are escapes."""
    return " ".join(visible(str(text)).split())


def wrapped(text: str, width: float, size: float, *, most: int = 3, bold: bool = False) -> list[str]:
    """A text in lines that are not wider than `width`; at most so many, the last then ends with "…".

    Lines are broken after blanks, and after the signs that join the parts of a column's name.
    """
    lines = [""]
    for part in _parts(one_line(text), width, size, bold):
        if lines[-1] and text_width((lines[-1] + part).rstrip(), size, bold=bold) > width:
            lines.append("")
        lines[-1] += part
    lines = [line.strip() for line in lines]
    if len(lines) > most:
        lines[most - 1 :] = [fitted(" ".join(lines[most - 1 :]), width, size, bold=bold, cut=True)]
    return lines


def _parts(text: str, width: float, size: float, bold: bool) -> list[str]:
    """A text in parts that are not broken, none of them wider than a line."""
    parts: list[str] = []
    for part in re.findall(r"[^\s_/.,;:-]*[\s_/.,;:-]+|[^\s_/.,;:-]+$", text):
        # No break inside of a number.
        if parts and re.search(r"\d[.,-]$", parts[-1]) and re.match(r"\d", part):
            parts[-1] += part
        else:
            parts.append(part)
    found = []
    for part in parts:
        while len(part) > 1 and text_width(part.rstrip(), size, bold=bold) > width:
            head = max(1, _letters(part, "", width, size, bold))
            found.append(part[:head])
            part = part[head:]
        found.append(part)
    return found


def _letters(text: str, end: str, width: float, size: float, bold: bool) -> int:
    """How many of the first letters of a text, with an end behind them, have room on a line."""
    fit, too_many = 0, len(text) + 1
    while too_many - fit > 1:
        count = (fit + too_many) // 2
        if text_width(text[:count].rstrip() + end, size, bold=bold) <= width:
            fit = count
        else:
            too_many = count
    return fit


def fitted(text: str, width: float, size: float, *, bold: bool = False, cut: bool = False) -> str:
    """A text on one line, shortened with "…" if it is too wide, or if something was cut from it."""
    if not cut and text_width(text, size, bold=bold) <= width:
        return text
    return text[: max(1, _letters(text, "…", width, size, bold))].rstrip() + "…"


def unbroken(name: str, parts: Sequence[str]) -> bool:
    """Whether no word is broken in its middle."""
    rest = name
    for part in parts[:-1]:
        rest = rest[len(part) :]
        if not (rest.startswith(" ") or part[-1] in "_/.,;:-"):
            return False
        rest = rest.lstrip()
    return True
