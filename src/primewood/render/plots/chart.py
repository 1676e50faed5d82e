"""What charts with real axes share: a title, and a legend above the axes that is not wider than they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from primewood.render.plots.library import keep_inside, size_of
from primewood.render.plots.looks import GREY, LINE
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.visible import visible_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 8.5
LEAST = 2.0
"""Words are not squeezed below this width, in inches."""


def legend_above(ax: Axes, handles: Sequence[Any], words: Sequence[str], title: str, note: str = "") -> None:
    """A legend above the axes, with a note before it, and a title above both."""
    keep_inside(ax)
    width = max(LEAST, size_of(ax)[0])
    lines = ["\n".join(wrapped(text, width - 0.5, SIZE, most=2)) for text in words]
    longest = max(text_width(line, SIZE) for text in lines for line in text.split("\n"))
    # A blank before a name keeps a leading underscore from hiding it.
    shown = [visible_lines(f" {text}" if text.startswith("_") else text) for text in lines]
    legend = ax.legend(
        handles,
        shown,
        title="\n".join(wrapped(note, width, SIZE, most=3)) if note else None,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.1,
        ncols=max(1, min(len(lines), int(width / (longest + 0.55)))),
        fontsize=SIZE,
        title_fontsize=SIZE,
        alignment="left",
        frameon=False,
        labelcolor=GREY,
        handlelength=1.8,
        handleheight=1.1,
        columnspacing=1.4,
    )
    legend.get_title().set(color=GREY, parse_math=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    heading(ax, title, legend.get_window_extent().height / ax.figure.dpi)


def heading(ax: Axes, title: str, above: float = 0.0) -> None:
    """A title at the left, in as many lines as the axes' width asks for, so many inches above the axes."""
    lines = wrapped(visible_lines(title), max(LEAST, size_of(ax)[0]), 12, most=3, bold=True)
    pad = 72 * above + 9
    ax.set_title("\n".join(lines), loc="left", fontsize=12, fontweight="bold", pad=pad, parse_math=False)
    # One line fits above any axes; the rest takes its room from them.
    keep_inside(ax, above + (len(lines) - 1) * line_height(12))


def plain_axes(ax: Axes) -> None:
    """Only the two axes that are read, and faint lines to read them by."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(color=LINE, labelsize=9)
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="#E4E7EB", linewidth=0.8)
