"""Bars on a lane: solid where numbers are allowed, pointed where they go on beyond the window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from primewood.render.plots.lanes import Bar
from primewood.render.plots.looks import Look
from primewood.render.plots.page import Page, Shape, Stroke

THIN = 0.02
"""What is narrower than this, in inches, is drawn as a line, so that it is seen."""


def draw_bars(
    page: Page,
    bars: Sequence[Bar],
    span: tuple[float, float],
    heights: tuple[float, float],
    *,
    arrow: float,
    colour: str,
    label: str,
) -> None:
    """Add bars to a page, between two ends and two heights.

    Slivers and slits that could not be seen get a thin line, in the bars' colour and in white.
    """
    if not bars:
        return
    outlines = [outline(bar, span, heights, arrow) for bar in bars]
    page.add(Shape(outlines, Look(colour, colour), label=label, layer=4))
    ends = [(_x(span, bar.start), _x(span, bar.end)) for bar in bars]
    slivers = [(*pair, colour) for pair, bar in zip(ends, bars, strict=True) if not any(bar.goes_on)]
    slits = [(end, start, "white") for (_, end), (start, _) in pairwise(ends) if start > end]
    for start, end, ink in slivers + slits:
        if end - start < THIN:
            x = (start + end) / 2
            page.add(Stroke((x, heights[0]), (x, heights[1]), ink, 1.1, f"{label} thin", layer=4.5))


def _x(span: tuple[float, float], place: float) -> float:
    """The place on a page of a place from 0 to 1 on a lane."""
    return span[0] + place * (span[1] - span[0])


def outline(
    bar: Bar, span: tuple[float, float], heights: tuple[float, float], arrow: float
) -> tuple[tuple[float, float], ...]:
    """The outline of a bar on a lane, with a point at each end where it goes on beyond the window."""
    start, end = _x(span, bar.start), _x(span, bar.end)
    top, bottom = heights
    points = [(start, top), (end, top)]
    points += [(end + arrow, (top + bottom) / 2)] if bar.goes_on[1] else []
    points += [(end, bottom), (start, bottom)]
    points += [(start - arrow, (top + bottom) / 2)] if bar.goes_on[0] else []
    return tuple(points)
