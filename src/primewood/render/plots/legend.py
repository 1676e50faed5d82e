"""The legend of a page: swatches with words, in as many rows as they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from primewood.render.plots.looks import GREY, INK, Look
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.render.plots.page import Diamond, Page, Shape, Words, box

SIZE = 8.0
SWATCH = 0.26


@dataclass(frozen=True, slots=True)
class Entry:
    """What something on the page stands for.

    Attributes
    ----------
    text : str
    look : Look or None
        None for the mark of the row's own value.
    edge : str
    kind : "box" or "bar"
        A bar is thin.
    """

    text: str
    look: Look | None = None
    edge: str = "none"
    kind: Literal["box", "bar"] = "box"


def draw_legend(page: Page, entries: Sequence[Entry]) -> None:
    """Add a legend below what is on the page."""
    if not entries:
        return
    x, height = 0.0, 1.25 * line_height(SIZE)
    for entry in entries:
        lines = wrapped(entry.text, page.width - SWATCH - 0.1, SIZE, most=2)
        width = max(text_width(line, SIZE) for line in lines) + SWATCH + 0.08
        if x and x + width > page.width:
            x, page.y = 0.0, page.y + height
        _swatch(page, entry, x, page.y + height / 2)
        for k, line in enumerate(lines):
            page.add(Words(x + SWATCH + 0.08, page.y + height / 2 + k * line_height(SIZE), line, SIZE, GREY))
        x += width + 0.22
        page.y += (len(lines) - 1) * line_height(SIZE)
    page.y += height


def _swatch(page: Page, entry: Entry, x: float, y: float) -> None:
    if entry.look is None:
        page.add(Diamond(x + SWATCH / 2, y))
        return
    half = 0.03 if entry.kind == "bar" else 0.065
    thick = 0.0 if entry.edge == "none" else 1.8 if entry.edge == INK else 0.8
    page.add(Shape([box(x, y - half, x + SWATCH, y + half)], entry.look, entry.edge, thick))
