"""Tools that plots share: axes, text that fits, bars, marks and legends.

A plot draws at its natural size. Where the axes are too small for it, `finish` makes all words smaller until none lies
over another. matplotlib's layout engine makes the room for names, titles and legends.
"""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from primewood.errors import InvalidInput, MissingDependency
from primewood.render.lanes import Bar
from primewood.render.plots.style import GREY, INK, LINE, SMALL, TITLE, Look
from primewood.visible import visible

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import BboxBase

PlotPoint = tuple[float, float]
ARROW = 0.09
"""How far the point of a bar without a bound reaches, in inches."""
THIN = 0.02
"""A bar narrower than this, in inches, is drawn as a line, so that it is visible."""
PAD, SPACE = 0.05, 0.06
"""The border around a name in its box, and the room between boxes, in inches."""
SLACK = 1.03
"""Renderers differ a little in the widths of letters."""
TRIES, SHRINK, LARGEST_SHRINK = 24, 0.88, 0.65
"""How often text is made smaller at most, and by how much at a time."""


def load_matplotlib(module: str) -> Any:
    """A module of matplotlib; it is loaded when the first plot is drawn."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise MissingDependency("plots need matplotlib: pip install 'primewood[plots]'") from None
    return importlib.import_module(f"matplotlib.{module}")


def check_axes(ax: object) -> Axes | None:
    """The given axes to draw on; None for new axes."""
    if ax is None or isinstance(ax, load_matplotlib("axes").Axes):
        return ax
    raise InvalidInput(
        f"ax must be an Axes of matplotlib, or None for a new figure; this is a {type(ax).__name__}"
    )


def make_axes(width: float, height: float) -> Axes:
    """Axes in a new figure of that size in inches; as always with pyplot, the figure stays open until it is closed."""
    figure = load_matplotlib("pyplot").figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    ax: Axes = figure.add_subplot()
    return ax


def measure_axes(ax: Axes) -> tuple[float, float]:
    """The width and the height of axes in inches, with their current content."""
    root: Any = ax.figure.figure
    if root.get_layout_engine() is not None:
        root.draw_without_rendering()
    extent = ax.get_window_extent()
    return extent.width / ax.figure.dpi, extent.height / ax.figure.dpi


def clear_frame(ax: Axes) -> None:
    """Remove everything but the names beside the axes."""
    ax.spines[:].set_visible(False)
    ax.tick_params(left=False, bottom=False, labelbottom=False)
    ax.set_xticks([])


def set_plain_axes(ax: Axes) -> None:
    """Remove everything but the two axes and faint grid lines."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LINE)
    ax.tick_params(color=LINE, labelsize=9)
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="#E4E7EB", linewidth=0.8)


def set_names(ax: Axes, places: Sequence[float], names: Sequence[str], size: float) -> list[Text]:
    """Write names to the left of the axes."""
    ax.set_yticks(list(places), list(names), fontsize=size, parse_math=False, linespacing=1.15)
    return list(ax.get_yticklabels())


# Words.


def line_height(size: float) -> float:
    """The height of a line of text of a size in points, in inches."""
    return 1.3 * size / 72


def measure_text(text: str, size: float) -> float:
    """The width in inches of a text of a size in points, in the font that matplotlib uses: that of its longest line."""
    family = tuple(load_matplotlib("font_manager").FontProperties().get_family())
    return max(_measure_line(line, family) for line in text.split("\n")) * size


@lru_cache(maxsize=4096)
def _measure_line(text: str, family: tuple[str, ...]) -> float:
    """The width of a line of one point."""
    font = load_matplotlib("font_manager").FontProperties(family=list(family), size=100)
    measure: Any = load_matplotlib("textpath").text_to_path.get_text_width_height_descent
    return SLACK * float(measure(text, font, ismath=False)[0]) / 100 / 72


def write_on_one_line(text: object) -> str:
    """A name on one line, whose line breaks and tabs are escapes."""
    return " ".join(visible(str(text)).split())


def wrap(text: object, width: float, size: float, most: int = 6) -> str:
    """A text in lines that are not wider than `width` inches; at most `most` of them, the last then ends with "…".

    Lines are broken at blanks, and after the signs that join the parts of a column's name.
    """
    line = write_on_one_line(text)
    full = measure_text(line, size)
    if full <= width:
        return line
    # No name has a tab at this place: it marks where a name may be broken, and is never shown.
    parts = re.sub(r"([_/.:;])(?=[^\W\d_])", "\\1\t", line)
    for letters in range(min(len(parts), int(1.5 * len(parts) * width / full)) + 1, 0, -1):
        lines = textwrap.wrap(
            parts,
            letters,
            max_lines=most,
            placeholder="…",
            expand_tabs=False,
            replace_whitespace=False,
        )
        found = "\n".join(lines).replace("\t", "")
        if measure_text(found, size) <= width:
            break
    return found


def count_lines(words: str) -> int:
    """The number of lines of a text."""
    return words.count("\n") + 1


def write(ax: Axes, x: float, y: float, words: str, size: float, **style: Any) -> Text:
    """Put text on axes as it is: dollar signs are not formulas."""
    known: dict[str, Any] = {"color": INK, "zorder": 6} | style
    return ax.text(x, y, words, fontsize=size, parse_math=False, **known)


def put_halo(text: Text) -> None:
    """Put a halo around text, to separate it from the pattern behind it."""
    stroke = load_matplotlib("patheffects").withStroke(linewidth=2.5, foreground="white")
    text.set_path_effects([stroke])


@dataclass(frozen=True, slots=True)
class NameBox:
    """A box around a name, in inches; rows of boxes grow downwards.

    Attributes
    ----------
    words : str
        The name, in lines.
    left, top, width, height : float
    """

    words: str
    left: float
    top: float
    width: float
    height: float

    @property
    def middle(self) -> PlotPoint:
        """Its centre."""
        return self.left + self.width / 2, self.top + self.height / 2

    @property
    def outline(self) -> list[PlotPoint]:
        """Its corners."""
        return outline_box(self.left, self.top, self.left + self.width, self.top + self.height)


def flow_names(names: Iterable[str], width: float, top: float, above: float) -> list[NameBox]:
    """Boxes for names in rows, each as wide as its name, with some room above each row."""
    boxes: list[NameBox] = []
    x, y, deep = 0.0, top + above, 0.0
    for name in names:
        words = wrap(name, max(1.3, width / 4) - 2 * PAD, SMALL, 3)
        wide = max(0.45, measure_text(words, SMALL) + 2 * PAD)
        if x and x + wide > width:
            x, y, deep = 0.0, y + deep + above + SPACE, 0.0
        boxes.append(NameBox(words, x, y, wide, count_lines(words) * line_height(SMALL) + PAD))
        x, deep = x + wide + SPACE, max(deep, boxes[-1].height)
    return boxes


# Shapes.


def outline_box(left: float, top: float, right: float, bottom: float) -> list[PlotPoint]:
    """The corners of a box."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def draw_area(
    ax: Axes,
    outlines: Iterable[Sequence[PlotPoint]],
    look: Look,
    *,
    edge: tuple[str, float] = ("none", 0.0),
    label: str = "_",
    layer: float = 2,
) -> None:
    """Add closed outlines as one shape. Its label begins with "_", so that no legend lists it."""
    patch, path = load_matplotlib("patches").PathPatch, load_matplotlib("path").Path
    closed = [path([*outline, outline[0]], closed=True) for outline in outlines]
    whole = path.make_compound_path(*closed)
    style = {"facecolor": look.fill, "label": label, "zorder": layer, "joinstyle": "miter"}
    if look.hatch:
        # The pattern has the colour of the edge, so that it is a patch of its own, below the edge.
        ax.add_patch(patch(whole, edgecolor=look.line, linewidth=0, hatch=look.hatch, **style))
        style |= {"facecolor": "none", "label": f"{label} edge"}
    if not look.hatch or edge[0] != "none":
        ax.add_patch(patch(whole, edgecolor=edge[0], linewidth=edge[1], **style))


def draw_line(ax: Axes, start: PlotPoint, end: PlotPoint, colour: str, thick: float, **style: Any) -> None:
    """Add a straight line."""
    known: dict[str, Any] = {"label": "_", "solid_capstyle": "butt", "zorder": 3} | style
    ax.plot([start[0], end[0]], [start[1], end[1]], color=colour, linewidth=thick, **known)


def draw_mark(ax: Axes, x: float, y: float, label: str, size: float = 7) -> None:
    """Mark the row's own value."""
    ax.plot(
        [x],
        [y],
        marker="D",
        markersize=size,
        markeredgecolor="white",
        markeredgewidth=1.0,
        color=INK,
        linestyle="none",
        label=label,
        zorder=7,
    )


def outline_bar(bar: Bar, span: PlotPoint, heights: PlotPoint) -> list[PlotPoint]:
    """The corners of a bar on a lane between two ends, with a point where it has no bound."""
    (start, end), (top, bottom) = (_place(span, bar.start), _place(span, bar.end)), heights
    low, high = bar.goes_on
    points = [(start, top), (end, top), *([(end + ARROW, (top + bottom) / 2)] if high else [])]
    points += [(end, bottom), (start, bottom), *([(start - ARROW, (top + bottom) / 2)] if low else [])]
    return points


def _place(span: PlotPoint, place: float) -> float:
    """The coordinate of a position from 0 to 1 on a lane between two ends."""
    return span[0] + place * (span[1] - span[0])


def draw_bars(
    ax: Axes, bars: Sequence[Bar], span: PlotPoint, heights: PlotPoint, *, colour: str, label: str
) -> None:
    """Add the bars of a lane; bars and gaps that are too thin to see become thin lines, in colour and in white."""
    if not bars:
        return
    outlines = [outline_bar(bar, span, heights) for bar in bars]
    draw_area(ax, outlines, Look(colour), label=label, layer=4)
    ends = [(_place(span, bar.start), _place(span, bar.end)) for bar in bars]
    slivers = [(*pair, colour) for pair, bar in zip(ends, bars, strict=True) if not any(bar.goes_on)]
    slits = [(end, start, "white") for (_, end), (start, _) in pairwise(ends) if start > end]
    for start, end, ink in slivers + slits:
        if end - start < THIN:
            x = (start + end) / 2
            draw_line(ax, (x, heights[0]), (x, heights[1]), ink, 1.1, label=f"{label} thin", zorder=4.5)


# Legends, titles and notes.


def area_entry(words: str, look: Look, edge: tuple[str, float] = ("none", 0.0)) -> Artist:
    """The entry of a legend for an area."""
    ink, thick = edge if edge[0] != "none" else (look.line, 0.0)
    made: Artist = load_matplotlib("patches").Patch(
        facecolor=look.fill, edgecolor=ink, linewidth=thick, hatch=look.hatch or None, label=words
    )
    return made


def line_entry(words: str, **style: Any) -> Artist:
    """The entry of a legend for a line."""
    made: Artist = load_matplotlib("lines").Line2D([], [], label=words, **style)
    return made


def mark_entry(words: str) -> Artist:
    """The entry of a legend for the mark of the row."""
    return line_entry(words, marker="D", color=INK, linestyle="none", markersize=6)


@dataclass(frozen=True, slots=True)
class AxesSpace:
    """The space of axes.

    Attributes
    ----------
    size : PlotPoint or None
        The width and height that the text of the axes needs, in inches; None if any size is enough.
    room : BboxBase or None
        What the axes may not leave in a figure without a layout engine: where the axes were that were given; None for
        the figure.
    """

    size: PlotPoint | None = None
    room: BboxBase | None = None

    def choose_width(self, ax: Axes) -> float:
        """The largest width of text above and below the axes: the width of the axes."""
        if self.size and self.room is None:
            return self.size[0]
        known: float = ax.get_window_extent().width / ax.figure.dpi
        return min(known, self.size[0]) if self.size else known

    def measure_fit(self, ax: Axes) -> float:
        """The size of axes relative to what their text needs; at most 1."""
        if self.size is None:
            return 1.0
        extent, dpi = ax.get_window_extent(), ax.figure.dpi
        return min(1.0, extent.width / dpi / self.size[0], extent.height / dpi / self.size[1])


ANY_SPACE = AxesSpace()


def finish(
    ax: Axes,
    title: str,
    entries: Sequence[Artist] = (),
    *,
    before: str = "",
    notes: Sequence[str] = (),
    space: AxesSpace = ANY_SPACE,
) -> None:
    """Add a title, a legend below it, and notes below the axes; then make everything fit.

    Parameters
    ----------
    before
        Text before the entries of the legend.
    """
    width = max(2.0, 0.94 * space.choose_width(ax))
    if notes:
        below = "\n".join(wrap(note, width, SMALL, 3) for note in notes)
        ax.set_xlabel(below, loc="left", fontsize=SMALL, color=GREY, linespacing=1.3)
    legend = _add_legend(ax, entries, wrap(before, width, SMALL, 3) if before else "", width)
    heading = _set_title(ax, wrap(title, 0.92 * width, TITLE, 3), TITLE, legend)
    for text in _find_texts(ax):
        text.set_parse_math(False)
    if space.size and space.room:
        _keep_low(ax, space.size)
    place, room = ax.get_position(original=True).frozen(), space.room or _default_room(ax)
    for _ in range(TRIES):
        _lay_out(ax, place, room)
        fitting = space.measure_fit(ax) * TITLE / float(heading.get_fontsize())
        if fitting > SHRINK and _is_legible(ax):
            return
        _shrink(ax, max(LARGEST_SHRINK, min(SHRINK, fitting)))
        _set_title(ax, heading.get_text(), float(heading.get_fontsize()), legend)


def _default_room(ax: Axes) -> BboxBase:
    """The figure, with only a little room above the axes, because other axes may be there."""
    bbox: Any = load_matplotlib("transforms").Bbox
    whole, dpi = ax.figure.bbox.padded(-0.03 * ax.figure.dpi), ax.figure.dpi
    top = min(whole.y1, ax.get_window_extent().y1 + 0.3 * dpi)
    room: BboxBase = bbox.from_extents(whole.x0, whole.y0, whole.x1, top)
    return room


def _keep_low(ax: Axes, size: PlotPoint) -> None:
    """Keep lanes thin on axes that are higher than needed."""
    extent = ax.get_window_extent()
    if extent.height / ax.figure.dpi > 1.2 * size[1]:
        ax.set_box_aspect(size[1] * ax.figure.dpi / extent.width)
        ax.set_anchor("NW")


def _set_title(ax: Axes, words: str, size: float, legend: Any) -> Text:
    """A title at the left, above the legend."""
    above = 0.0 if legend is None else 72 * legend.get_window_extent().height / ax.figure.dpi
    return ax.set_title(
        words, loc="left", pad=above + 7, fontsize=size, fontweight="bold", color=INK, parse_math=False
    )


def _add_legend(ax: Axes, entries: Sequence[Artist], before: str, width: float) -> Any:
    """Add a legend above the axes, no wider than the axes; None without entries."""
    if not entries:
        return None
    words = [wrap(entry.get_label(), width - 0.5, SMALL, 2) for entry in entries]
    longest = max(measure_text(text, SMALL) for text in words)
    legend = ax.legend(
        entries,
        # A blank before a name keeps a leading underscore from hiding it.
        [f" {text}" if text.startswith("_") else text for text in words],
        title=before or None,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.1,
        ncols=max(1, min(len(words), int(width / (longest + 0.55)))),
        fontsize=SMALL,
        title_fontsize=SMALL,
        alignment="left",
        frameon=False,
        labelcolor=GREY,
        handlelength=1.8,
        handleheight=1.1,
        columnspacing=1.4,
    )
    legend.get_title().set_color(GREY)
    return legend


def _lay_out(ax: Axes, place: BboxBase, room: BboxBase) -> None:
    """Make room for the text around the axes: by the figure's layout engine, or else by making the axes smaller.

    Parameters
    ----------
    place
        The first position of the axes.
    room
        The area that the axes and their text must stay in.
    """
    root: Any = ax.figure.figure
    if root.get_layout_engine() is None:
        _keep_inside(ax, place, room)
    root.draw_without_rendering()


def _keep_inside(ax: Axes, place: BboxBase, room: BboxBase) -> None:
    ax.set_position(place.bounds)
    # Axes with a set position are no longer laid out, unless this is requested.
    ax.set_in_layout(True)
    drawn, whole = ax.get_tightbbox(), ax.figure.bbox
    if drawn is None:
        return
    left, right = max(0.0, room.x0 - drawn.x0) / whole.width, max(0.0, drawn.x1 - room.x1) / whole.width
    low, high = max(0.0, room.y0 - drawn.y0) / whole.height, max(0.0, drawn.y1 - room.y1) / whole.height
    width, height = place.width - left - right, place.height - low - high
    if width > place.width / 5 and height > place.height / 5:
        ax.set_position((place.x0 + left, place.y0 + low, width, height))
        ax.set_in_layout(True)


def _find_texts(ax: Axes) -> list[Text]:
    """All visible texts; labels of ticks beyond the ends of an axis are not visible."""
    hidden = set()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                hidden |= {tick.label1, tick.label2}
    found: list[Text] = ax.findobj(load_matplotlib("text").Text)
    return [text for text in found if text.get_visible() and text.get_text().strip() and text not in hidden]


def _is_legible(ax: Axes) -> bool:
    """Whether no text overlaps another or is cut off; rotated text may."""
    straight = [text.get_window_extent() for text in _find_texts(ax) if text.get_rotation() % 90 == 0]
    x0, y0, x1, y1 = np.array([box.padded(-0.5).extents for box in straight]).T
    over = (x0[:, None] < x1) & (x0 < x1[:, None]) & (y0[:, None] < y1) & (y0 < y1[:, None])
    np.fill_diagonal(over, val=False)
    whole = ax.figure.bbox
    inside = min(x0) >= whole.x0 and max(x1) <= whole.x1 and min(y0) >= whole.y0 and max(y1) <= whole.y1
    return not over.any() and bool(inside)


def _shrink(ax: Axes, factor: float) -> None:
    """Make all text and marks smaller."""
    for text in ax.findobj(load_matplotlib("text").Text):
        text.set_fontsize(factor * text.get_fontsize())
    for line in ax.lines:
        line.set_markersize(factor * float(line.get_markersize()))
