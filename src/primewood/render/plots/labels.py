"""Labels in rows below a line: the more important first, and none over another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from primewood.render.plots.looks import GREY, INK
from primewood.render.plots.measure import line_height, text_width
from primewood.render.plots.page import Page, Words

SIZE = 8.0
GAP = 0.09


@dataclass(frozen=True, slots=True)
class Label:
    """A text that belongs to a place on a line.

    Attributes
    ----------
    x : float
        The place, in inches.
    text : str
    colour : str
    must : bool
        Whether it counts as left out if there is no room for it.
    """

    x: float
    text: str
    colour: str = INK
    must: bool = True


@dataclass(frozen=True, slots=True)
class Placed:
    """Labels with their places.

    Attributes
    ----------
    words : tuple of Words
        As if the first row were at 0.
    rows : int
        How many rows there are.
    left_out : int
        How many labels had to be left out.
    """

    words: tuple[Words, ...]
    rows: int
    left_out: int

    def at(self, y: float) -> list[Words]:
        """The labels with the middle of the first row at `y`."""
        return [replace(words, y=words.y + y) for words in self.words]


def draw_labels(page: Page, labels: Sequence[Label], span: tuple[float, float]) -> None:
    """Add labels in at most two rows below what is on the page, and how many had to be left out."""
    found, height = placed(labels, *span, size=SIZE, most_rows=2), line_height(SIZE)
    page.add(*found.at(page.y + height / 2))
    page.y += found.rows * height
    if found.left_out:
        more = f"and {found.left_out} more bound{'s' if found.left_out > 1 else ''}"
        page.add(Words(span[1], page.y + height / 2, more, SIZE, GREY, "right"))
        page.y += height


def placed(labels: Sequence[Label], left: float, right: float, *, size: float, most_rows: int) -> Placed:
    """Labels in rows, each near its place and between `left` and `right`; the first are placed first."""
    taken: list[list[tuple[float, float]]] = [[] for _ in range(most_rows)]
    words, left_out = [], 0
    for label in labels:
        width = text_width(label.text, size)
        starts = _starts(label.x, width, left, right)
        spot = next(
            ((row, x) for row in range(most_rows) for x in starts if _is_clear(taken[row], x, x + width)),
            None,
        )
        if spot is None:
            left_out += label.must
            continue
        row, start = spot
        taken[row].append((start, start + width))
        words.append(Words(start, row * line_height(size), label.text, size, label.colour))
    return Placed(tuple(words), sum(map(bool, taken)), left_out)


def _starts(x: float, width: float, left: float, right: float) -> list[float]:
    """Where a label may begin: around its place; else with an end there."""
    return [
        max(left, min(right - width, start)) for start in (x - width / 2, x - 0.9 * width, x - 0.1 * width)
    ]


def _is_clear(taken: Iterable[tuple[float, float]], start: float, end: float) -> bool:
    return all(end + GAP <= low or start - GAP >= high for low, high in taken)
