"""A lane on a page: training rows faint, what is allowed solid, the row's own value marked, bounds in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primewood.render.numbers import short
from primewood.render.plots.bars import draw_bars
from primewood.render.plots.grid import Grid, grid
from primewood.render.plots.labels import Label, draw_labels, placed
from primewood.render.plots.lanes import Bar, Cell, Lane
from primewood.render.plots.looks import ALLOWED, FAINT, GREY, INK, LINE, Look, tint
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.render.plots.page import Diamond, Page, Shape, Stroke, box
from primewood.render.plots.words import together

NAME, SMALL = 9.0, 8.0
ARROW = 0.09
"""How far the arrow of a bar that goes on reaches beyond the lane."""
MISSING_WIDTH = 0.62
MOST_CELLS = 16


@dataclass(frozen=True, slots=True)
class Frame:
    """The columns of a page with lanes.

    Attributes
    ----------
    names : float
        How wide the column of names is.
    left, right : float
        The ends of the lanes.
    missing : float or None
        Where the column of missing values begins; None without one.
    """

    names: float
    left: float
    right: float
    missing: float | None

    @classmethod
    def of(cls, width: float, titles: Sequence[str], *, missing: bool) -> Frame:
        """The columns for features with these names, on a page of that width."""
        names = min(max(text_width(title, NAME) for title in titles), 0.3 * width) if titles else 0.0
        right = width - ARROW - (MISSING_WIDTH + 0.12 if missing else 0.0)
        return cls(names, names + 0.15 + ARROW, right, width - MISSING_WIDTH if missing else None)

    def x(self, place: float) -> float:
        """The place on the page of a place from 0 to 1 on a lane."""
        return self.left + place * (self.right - self.left)


@dataclass(frozen=True, slots=True)
class Style:
    """How large and how strong a lane is drawn."""

    bar: float
    columns: float
    colour: str
    name: str
    inside: str

    @classmethod
    def of(cls, lane: Lane) -> Style:
        """That of a lane: free ones are small and grey."""
        if lane.is_free:
            return cls(0.05, 0.14, LINE, GREY, FAINT)
        return cls(0.11, 0.26, ALLOWED, INK, tint(ALLOWED, 0.35))


def draw_lane(page: Page, lane: Lane, frame: Frame) -> None:
    """Add a lane below what is on the page."""
    top, style = page.y, Style.of(lane)
    bottom = (
        _numbers(page, lane, frame, style)
        if lane.window is not None
        else _categories(page, lane, frame, style)
    )
    lines = wrapped(lane.title, frame.names, NAME)
    height = line_height(NAME)
    middle = max((top + bottom) / 2, top + len(lines) * height / 2)
    page.lines(lines, frame.names, middle, size=NAME, colour=style.name, align="right")
    page.y = max(page.y, top + len(lines) * height) + (0.1 if lane.is_free else 0.16)


def _numbers(page: Page, lane: Lane, frame: Frame, style: Style) -> float:
    """A lane of numbers; returns where its bar ends."""
    top = page.y + (line_height(SMALL) + 0.02 if lane.shown else 0.0)
    base = top + (style.columns if lane.columns else 0.06)
    bottom = base + style.bar
    _histogram(page, lane, frame, style, base)
    page.add(Stroke((frame.left, base), (frame.right, base), LINE, 0.8, f"_lane {lane.feature}"))
    span, label = (frame.left, frame.right), f"_allowed {lane.feature}"
    draw_bars(page, lane.bars, span, (base, bottom), arrow=ARROW, colour=style.colour, label=label)
    _missing(page, lane, frame, style, base, bottom)
    if lane.mark is not None:
        x = frame.x(lane.mark)
        page.add(
            Stroke((x, top), (x, bottom), INK, 1.2, layer=5),
            Diamond(x, base + style.bar / 2, f"_row {lane.feature}"),
        )
        page.add(
            *placed([Label(x, lane.shown)], frame.left, frame.right, size=SMALL, most_rows=1).at(
                page.y + line_height(SMALL) / 2
            )
        )
    page.y = bottom
    _bounds(page, lane, frame)
    return bottom


def _histogram(page: Page, lane: Lane, frame: Frame, style: Style, base: float) -> None:
    """The columns of the training rows; the parts that are allowed in a stronger colour."""
    if not lane.columns:
        return
    whole, inside = [], []
    for column in lane.columns:
        top = base - column.height * style.columns
        whole.append(box(frame.x(column.start), top, frame.x(column.end), base))
        for bar in lane.bars:
            start, end = max(column.start, bar.start), min(column.end, bar.end)
            if start < end:
                inside.append(box(frame.x(start), top, frame.x(end), base))
    page.add(Shape(whole, Look(FAINT, FAINT), label=f"_rows {lane.feature}"))
    if inside and not lane.is_free:
        page.add(
            Shape(inside, Look(style.inside, style.inside), label=f"_rows inside {lane.feature}", layer=2.5)
        )


def _bounds(page: Page, lane: Lane, frame: Frame) -> None:
    """The bounds in words below the bars, and the ends of the training range where there is room."""
    near = lane.mark if lane.mark is not None else 0.5
    bars = sorted(lane.bars, key=lambda bar: max(bar.start - near, near - bar.end, 0.0))
    labels = [label for bar in bars for label in _bar_labels(bar, frame)]
    if lane.window is not None and not lane.is_free:
        ends = dict.fromkeys(lane.training)
        labels += [Label(frame.x(lane.window.place(x)), short(x), GREY, must=False) for x in ends]
    page.y += 0.03 if labels else 0.0
    draw_labels(page, labels, (frame.left - ARROW, frame.right + ARROW))


def _bar_labels(bar: Bar, frame: Frame) -> list[Label]:
    """The words at the ends of a bar; in one label if it is too short for two."""
    low, high = bar.words
    start, end = frame.x(bar.start), frame.x(bar.end)
    if low and high and end - start < (text_width(low, SMALL) + text_width(high, SMALL)) / 2 + 0.12:
        return [Label((start + end) / 2, together(bar.words))]
    return [Label(x, text) for x, text in ((start, low), (end, high)) if text]


def _categories(page: Page, lane: Lane, frame: Frame, style: Style) -> float:
    """A lane of categories; returns where its cells end."""
    cells = few(lane.cells)
    counted = any(cell.height is not None for cell in cells)
    above = (0.13 if lane.is_free else 0.2) if counted else 0.11
    found = grid([cell.name for cell in cells], frame.left, frame.right, above)
    _draw_cells(page, lane, cells, found, style, above)
    page.y += found.height
    _missing(page, lane, frame, style, page.y - 0.24, page.y)
    return page.y


def few(cells: Sequence[Cell]) -> list[Cell]:
    """At most so many cells, the row's own among them; two more tell how many others there are."""
    if len(cells) <= MOST_CELLS:
        return list(cells)
    wanted = sorted(range(len(cells)), key=lambda k: (not cells[k].own, -(cells[k].height or 0.0), k))
    kept = sorted(wanted[:MOST_CELLS])
    left = [cells[k] for k in wanted[MOST_CELLS:]]
    allowed = sum(cell.allowed for cell in left)
    more = [(f"{allowed} more", True, allowed), (f"{len(left) - allowed} more", False, len(left) - allowed)]
    return [cells[k] for k in kept] + [Cell(name, is_allowed, False) for name, is_allowed, n in more if n]


def _draw_cells(
    page: Page, lane: Lane, cells: Sequence[Cell], found: Grid, style: Style, above: float
) -> None:
    for cell, bounds, lines in zip(cells, found.boxes, found.lines, strict=True):
        left, top, right, bottom = bounds
        _draw_cell(page, lane, cell, (left, page.y + top, right, page.y + bottom), lines, style, above)


def _draw_cell(
    page: Page,
    lane: Lane,
    cell: Cell,
    bounds: tuple[float, float, float, float],
    lines: Sequence[str],
    style: Style,
    above: float,
) -> None:
    """One category: filled if it is allowed, with a thick edge and the mark if it is the row's own."""
    left, top, right, bottom = bounds
    middle = (left + right) / 2
    solid = cell.allowed and not lane.is_free
    fill = style.colour if solid else FAINT if cell.allowed else "none"
    what = "allowed" if cell.allowed else "excluded"
    edge, thick = (INK, 1.8) if cell.own else (style.colour if solid else LINE, 0.8)
    page.add(
        Shape(
            [box(*bounds)],
            Look(fill, fill),
            edge,
            thick,
            f"_{what} {lane.feature}: {cell.name}",
            5 if cell.own else 4,
        )
    )
    if cell.height:
        share = box(
            middle - 0.3 * (right - left),
            top - cell.height * (above - 0.03),
            middle + 0.3 * (right - left),
            top,
        )
        page.add(
            Shape(
                [share], Look(style.inside if cell.allowed else FAINT, FAINT), label=f"_rows {lane.feature}"
            )
        )
    ink = "#FFFFFF" if solid else INK if cell.allowed else GREY
    page.lines(lines, middle, (top + bottom) / 2, size=SMALL, colour=ink, align="center")
    if cell.own:
        page.add(Diamond(middle, top - 0.05, f"_row {lane.feature}"))


def _missing(page: Page, lane: Lane, frame: Frame, style: Style, top: float, bottom: float) -> None:
    """The cell of missing values, beside the lane."""
    if lane.missing is None or frame.missing is None:
        return
    half = max(bottom - top, 0.2) / 2
    middle = bottom - half
    bounds = (frame.missing, middle - half, frame.missing + MISSING_WIDTH, middle + half)
    _draw_cell(page, lane, lane.missing, bounds, ["missing"], style, style.columns)
