"""Colours and patterns that can be told apart with any colour vision, and in print."""

from __future__ import annotations

from dataclasses import dataclass

from primewood.render.sketch import PALETTE

INK = "#1F2933"
GREY = "#616E7C"
LINE = "#9AA5B1"
FAINT = "#D5DAE0"
PALE = "#F3F5F8"
ALLOWED = PALETTE[0]
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo", "|||")


@dataclass(frozen=True, slots=True)
class Look:
    """How an area is filled.

    Attributes
    ----------
    fill, line : str
        Its colour, and that of its pattern.
    hatch : str
        Its pattern.
    """

    fill: str
    line: str
    hatch: str = ""


IMPOSSIBLE = Look("#FFFFFF", FAINT, "xx")
"""How cells are filled of which constraints allow no row."""


def look_of_class(place: int) -> Look:
    """How the class at a place is filled; the first 64 all differ.

    >>> look_of_class(1).hatch, len({look_of_class(k) for k in range(64)})
    ('///', 64)
    """
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
