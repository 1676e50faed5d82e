"""Colours and patterns that people with any colour vision can distinguish, also in print; sizes of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primewood.render.picture import PALETTE

INK = "#1F2933"
GREY = "#616E7C"
LINE = "#9AA5B1"
FAINT = "#D5DAE0"
PALE = "#F3F5F8"
ALLOWED = PALETTE[0]
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo", "|||")
TITLE, NAME, SMALL = 12.0, 9.0, 8.0
"""Sizes of text in points."""
NO_ROW = "no such row, by the constraints"
"""The legend entry of cells that constraints exclude."""


@dataclass(frozen=True, slots=True)
class Look:
    """How an area is filled.

    Attributes
    ----------
    fill : str
        Its colour; "none" leaves it empty.
    line : str
        The colour of its pattern.
    hatch : str
        Its pattern.
    """

    fill: str
    line: str = "none"
    hatch: str = ""


IMPOSSIBLE = Look("#FFFFFF", FAINT, "xx")
"""The fill of cells that constraints exclude."""


def choose_look(decision: object, classes: Sequence[object]) -> Look:
    """How the area of a decision is filled; each of the first 64 classes has its own look.

    >>> choose_look("no", ["yes", "no"]).hatch, len({choose_look(k, range(64)) for k in range(64)})
    ('///', 64)
    """
    if decision not in classes:
        return IMPOSSIBLE
    place = list(classes).index(decision)
    colour = PALETTE[place % len(PALETTE)]
    hatch = HATCHES[(place + place // len(PALETTE)) % len(HATCHES)]
    return Look(tint(colour, 0.38), tint(colour, 0.8), hatch)


def tint(colour: str, strength: float) -> str:
    """A paler colour.

    >>> tint("#0072B2", 0.5)
    '#80B8D8'
    """
    channels = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - (255 - c) * strength):02X}" for c in channels)
