"""A page: words and shapes in inches, planned before there are axes to draw them on.

Widths of words are measured while planning, so that nothing overlaps and nothing is cut off. A new figure gets the size
of its page. Axes that are too small for their page get all of it, only smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from primewood.render.plots.library import library, new_axes, size_of
from primewood.render.plots.looks import INK, Look
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""
Align = Literal["left", "center", "right"]
WIDTH = 8.0
LEAST_WIDTH = 5.0
MARGIN = 0.15
SHRINKS = (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0)


class Item(Protocol):
    """Something on a page."""

    def draw(self, ax: Axes, zoom: float) -> None:
        """Put it on axes whose data are inches of the page; `zoom` is the size of an inch of the page in inches."""


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text; (x, y) is the middle of its left end, its centre, or the middle of its right end."""

    x: float
    y: float
    text: str
    size: float = 9
    colour: str = INK
    align: Align = "left"
    bold: bool = False
    halo: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible(self.text))

    @property
    def box(self) -> Box:
        """The room that it takes."""
        width, height = text_width(self.text, self.size, bold=self.bold), line_height(self.size)
        left = self.x - {"left": 0.0, "center": width / 2, "right": width}[self.align]
        return left, self.y - height / 2, left + width, self.y + height / 2

    def draw(self, ax: Axes, zoom: float) -> None:
        text = ax.text(
            self.x,
            self.y,
            self.text,
            size=self.size * zoom,
            color=self.colour,
            ha=self.align,
            va="center_baseline",
            weight="bold" if self.bold else "normal",
            parse_math=False,
            zorder=6,
        )
        if self.halo:
            stroke = library("patheffects").withStroke(linewidth=2.5 * zoom, foreground="white")
            text.set_path_effects([stroke])


@dataclass(frozen=True, slots=True)
class Shape:
    """Boxes or other closed outlines that are drawn as one.

    Attributes
    ----------
    outlines : sequence of sequence of points
    look : Look
        How it is filled; "none" as its fill leaves it empty.
    edge : str
        The colour of its edge, or "none".
    thick : float
        How thick the edge is, in points.
    label : str
        What it stands for; it begins with "_", so that no legend lists it.
    layer : float
        What has a higher one is drawn above it.
    """

    outlines: Sequence[Sequence[tuple[float, float]]]
    look: Look
    edge: str = "none"
    thick: float = 0.0
    label: str = "_"
    layer: float = 2

    def draw(self, ax: Axes, zoom: float) -> None:
        whole = _path(self.outlines)
        patch: Callable[..., Any] = library("patches").PathPatch
        style = {"facecolor": self.look.fill, "label": self.label, "zorder": self.layer, "joinstyle": "miter"}
        if self.look.hatch:
            # The pattern has the colour of the edge, so that it is a patch of its own, below the edge.
            ax.add_patch(patch(whole, edgecolor=self.look.line, linewidth=0, hatch=self.look.hatch, **style))
            style |= {"facecolor": "none", "label": f"{self.label} edge"}
        if not self.look.hatch or self.edge != "none":
            ax.add_patch(patch(whole, edgecolor=self.edge, linewidth=self.thick * zoom, **style))


def _path(outlines: Sequence[Sequence[tuple[float, float]]]) -> Any:
    path = library("path").Path
    points = [point for outline in outlines for point in (*outline, outline[0])]
    codes = [
        code
        for outline in outlines
        for code in (path.MOVETO, *[path.LINETO] * (len(outline) - 1), path.CLOSEPOLY)
    ]
    return path(points, codes)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str = INK
    thick: float = 1.0
    label: str = "_"
    dashed: bool = False
    layer: float = 3

    def draw(self, ax: Axes, zoom: float) -> None:
        (x0, y0), (x1, y1) = self.start, self.end
        ax.plot(
            [x0, x1],
            [y0, y1],
            color=self.colour,
            linewidth=self.thick * zoom,
            linestyle=(0, (1.5, 2)) if self.dashed else "-",
            solid_capstyle="butt",
            label=self.label,
            zorder=self.layer,
        )


@dataclass(frozen=True, slots=True)
class Diamond:
    """The mark of the row's own value."""

    x: float
    y: float
    label: str = "_"
    size: float = 7

    def draw(self, ax: Axes, zoom: float) -> None:
        look = {"markeredgecolor": "white", "markeredgewidth": 1.0 * zoom, "color": INK, "linestyle": "none"}
        size = self.size * zoom
        ax.plot([self.x], [self.y], marker="D", markersize=size, zorder=7, label=self.label, **look)  # type: ignore[arg-type]


@dataclass(slots=True)
class Page:
    """Items on a page that grows downwards.

    Attributes
    ----------
    width : float
    y : float
        Where the page ends so far.
    items : list of Item
    """

    width: float
    y: float = 0.0
    items: list[Item] = field(default_factory=list)

    def add(self, *items: Item) -> None:
        """Put items anywhere on the page."""
        self.items.extend(items)

    def paragraph(
        self, text: str, *, size: float, colour: str = INK, bold: bool = False, most: int = 3
    ) -> None:
        """Text over the whole width, below what is there."""
        for line in wrapped(text, self.width, size, most=most, bold=bold):
            height = line_height(size)
            self.add(Words(0, self.y + height / 2, line, size, colour, bold=bold))
            self.y += height

    def lines(
        self,
        lines: Sequence[str],
        x: float,
        middle: float,
        *,
        size: float,
        colour: str = INK,
        align: Align = "left",
        halo: bool = False,
    ) -> None:
        """Lines of text around a height."""
        for k, line in enumerate(lines):
            y = middle + (k - (len(lines) - 1) / 2) * line_height(size)
            self.add(Words(x, y, line, size, colour, align, halo=halo))

    def draw(self, ax: Axes, zoom: float) -> None:
        """Put all items on axes whose data are inches of the page."""
        for item in self.items:
            item.draw(ax, zoom)


def box(left: float, top: float, right: float, bottom: float) -> tuple[tuple[float, float], ...]:
    """The outline of a box."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def put(plan: Callable[[float], Page], ax: Axes | None, width: float = WIDTH) -> Axes:
    """Draw a page on axes, or on those of a new figure.

    Parameters
    ----------
    plan
        Makes the page for a width in inches.
    width
        That of the page on a new figure.
    """
    if ax is None:
        page = plan(width - 2 * MARGIN)
        height = page.y + 2 * MARGIN
        ax = new_axes(width, height)
        ax.set_xlim(-MARGIN, width - MARGIN)
        ax.set_ylim(height - MARGIN, -MARGIN)
        zoom = 1.0
    else:
        page, zoom, height = _fitted(plan, ax)
        ax.set_xlim(0, page.width)
        ax.set_ylim(height, 0)
    ax.set_axis_off()
    page.draw(ax, zoom)
    return ax


def zoom_of(plan: Callable[[float], Page], ax: Axes | None) -> float:
    """How large an inch of a page is on axes: 1 on a new figure, less on axes that are too small for it."""
    return 1.0 if ax is None else _fitted(plan, ax)[1]


def _fitted(plan: Callable[[float], Page], ax: Axes) -> tuple[Page, float, float]:
    """A page that fits on axes, how large an inch of it is there, and how many such inches the axes are high."""
    ax.set_axis_off()
    width, height = size_of(ax)
    least = max(1.0, LEAST_WIDTH / width)
    for shrink in SHRINKS:
        shrink *= least
        page = plan(width * shrink)
        if page.y <= height * shrink:
            break
    return page, 1 / shrink, max(page.y, height * shrink)
