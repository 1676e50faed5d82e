"""The ranges of one explanation over the training distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from primewood.fields import flag, takes
from primewood.render import text
from primewood.render.plots.lane_drawing import Frame, draw_lane
from primewood.render.plots.lanes import Lane, entries_of, lane
from primewood.render.plots.legend import Entry, draw_legend
from primewood.render.plots.library import checked
from primewood.render.plots.looks import ALLOWED, FAINT, GREY, LINE, Look
from primewood.render.plots.page import Page, put, zoom_of
from primewood.render.plots.records import EXPLANATION, record_of
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MOST_FREE = 6
"""So many free features are drawn; of the others the number is told."""
LEAST_ZOOM = 0.75
"""Rather than make the words smaller than this, fewer free features are drawn."""


@dataclass(frozen=True)
class RangesDisplay:
    """What `ranges` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    lanes : tuple of Lane
        What is drawn, from the top: the features of the rule, then free ones.
    left_out : int
        How many free features are not drawn.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lanes: tuple[Lane, ...] = field(repr=False)
    left_out: int


@takes(free=flag)
def ranges(why: Any, *, ax: Any = None, free: bool = True) -> RangesDisplay:
    """Draw the ranges of an explanation, one lane per feature, over the training rows.

    The features of the rule come first, in its order; then, smaller, those that it leaves free. Those that no tree
    looks at are left out.

    Parameters
    ----------
    why
        An explanation, or its record; `to_dict(distribution=True)` has the training rows' histograms.
    ax
        Axes to draw on; by default those of a new figure, whose height follows the number of lanes.
    free
        Whether free features are drawn: at most six, fewer on small axes.

    Returns
    -------
    RangesDisplay
    """
    record, axes = record_of(why, EXPLANATION, "ranges", distribution=True), checked(ax)
    entries = entries_of(record)
    literals = {literal["feature"]: literal for literal in record["literals"]}
    used = [lane(entries[name], literal) for name, literal in literals.items()]
    others = [entry for name, entry in entries.items() if name not in literals and entry["tested"]]
    for most in (MOST_FREE, MOST_FREE // 2, 0) if free else (0,):
        lanes = (*used, *(lane(entry, None) for entry in others[:most]))
        left_out = len(used) + len(others) - len(lanes)
        plan = partial(_page, record, lanes, left_out)
        if zoom_of(plan, axes) >= LEAST_ZOOM:
            break
    found = put(plan, axes)
    return RangesDisplay(found, found.figure, lanes, left_out)


def _page(record: Record, lanes: tuple[Lane, ...], left_out: int, width: float) -> Page:
    page = Page(width)
    page.paragraph(f"Why {record['decision']}", size=12, bold=True, most=2)
    page.y += 0.1
    frame = Frame.of(width, [x.title for x in lanes], missing=any(x.missing for x in lanes))
    if not record["literals"]:
        sure = ": no feature can change this decision" if record["status"] != "impossible" else ""
        page.paragraph(f"anything{sure}", size=9)
        page.y += 0.1
    for x in lanes:
        draw_lane(page, x, frame)
    if left_out:
        more = "more " if any(x.is_free for x in lanes) else ""
        s = "s" if left_out > 1 else ""
        page.paragraph(f"{'and ' if lanes else ''}{left_out} {more}free feature{s}", size=9, colour=GREY)
        page.y += 0.06
    draw_legend(page, _entries(lanes))
    page.y += 0.04
    for line in text.circumstances(record):
        page.paragraph(line, size=8, colour=GREY, most=2)
    return page


def _entries(lanes: tuple[Lane, ...]) -> list[Entry]:
    """What the legend explains: only what is there."""
    entries = []
    if any(not x.is_free for x in lanes):
        entries.append(Entry("allowed by the rule", Look(ALLOWED, ALLOWED)))
    if any(x.is_free for x in lanes):
        entries.append(Entry("doesn't matter here", Look(LINE, LINE), kind="bar"))
    if any(not cell.allowed for x in lanes for cell in x.cells):
        entries.append(Entry("not allowed", Look("none", LINE), LINE))
    if any(x.columns or any(cell.height for cell in x.cells) for x in lanes):
        entries.append(Entry("training rows", Look(FAINT, FAINT)))
    if any(x.shown for x in lanes):
        entries.append(Entry("this row"))
    return entries
