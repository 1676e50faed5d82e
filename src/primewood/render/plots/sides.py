"""The two sides of a decision map: where the cells of a feature lie along an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from primewood.render.plots.lanes import Window, titled
from primewood.render.plots.library import library
from primewood.render.plots.measure import one_line
from primewood.render.text import Record

MISSING_GAP, MISSING_WIDTH = 0.03, 0.1
"""The room for missing values beside a window, as shares of it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A cell on one axis.

    Attributes
    ----------
    cell : int
        Its place in the record.
    start, end : float
        Where it lies: numbers as they are, categories at 0, 1, 2, ...
    name : str
        Of a category, or "missing"; empty for numbers.
    inside : bool
        Whether the explanation allows it.
    goes_on : pair of bool
        Whether it goes on beyond the window, at its lower and at its upper end.
    """

    cell: int
    start: float
    end: float
    name: str
    inside: bool
    goes_on: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Side:
    """One axis of a map.

    Attributes
    ----------
    title : str
    window : Window or None
        The numbers that it spans; None for categories.
    spans : tuple of Span
        The cells that lie in the window.
    mark : float or None
        Where the row's own value lies.
    """

    title: str
    window: Window | None
    spans: tuple[Span, ...]
    mark: float | None

    @property
    def allowed(self) -> list[Span]:
        """The stretches that the explanation allows."""
        found: list[Span] = []
        for span in self.spans:
            if span.inside and found and found[-1].end == span.start:
                last = found.pop()
                goes_on = (last.goes_on[0], span.goes_on[1])
                found.append(Span(last.cell, last.start, span.end, "", True, goes_on))
            elif span.inside:
                found.append(span)
        return found

    @property
    def numbers(self) -> list[float]:
        """Round numbers along the axis."""
        if self.window is None:
            return []
        low, high = self.window.low, self.window.high
        ticks = library("ticker").MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
        # No number beside the word "missing".
        room = 0.08 * (high - low) if self.spans[-1].name else 0.0
        return [float(x) for x in ticks if low <= x <= high - room]

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends."""
        border = 0.04 if self.window is None else 0.0
        starts, ends = ([getattr(span, end) for span in self.spans] for end in ("start", "end"))
        return min(starts) - border, max(ends) + border


def side_of(axis: Record) -> Side:
    """The side of one axis of a map's record."""
    cells, title = axis["cells"], titled(axis["feature"], axis.get("unit", ""))
    if not any("low" in cell for cell in cells):
        spans = [Span(k, k, k + 1, _name(cell), axis["inside"][k]) for k, cell in enumerate(cells)]
        own = [span for span, cell in zip(spans, cells, strict=True) if _is_own(axis, cell)]
        return Side(title, None, tuple(spans), own[0].start + 0.5 if own else None)
    known = [axis.get("low"), axis.get("high"), axis["value"]]
    ends = [cell.get(end) for cell in cells for end in ("low", "high")]
    window = Window.around(known) if any(x is not None for x in known[:2]) else Window.around(known, ends)
    found = [_span(k, cell, axis["inside"][k], window) for k, cell in enumerate(cells)]
    spans = [span for span in found if span.end > span.start]
    missing = [span for span in spans if span.name]
    value = axis["value"]
    mark = (missing[0].start + missing[0].end) / 2 if value is None and missing else value
    return Side(title, window, tuple(spans), mark)


def _name(cell: Record) -> str:
    return "missing" if cell.get("missing") else ", ".join(one_line(name) for name in cell["values"])


def _is_own(axis: Record, cell: Record) -> bool:
    if cell.get("missing"):
        return axis["value"] is None
    return str(axis["value"]) in map(str, cell["values"])


def _span(place: int, cell: Record, inside: bool, window: Window) -> Span:
    """A cell of a numeric feature, as far as it lies in the window; missing values have their room beside it."""
    if cell.get("missing"):
        wide = window.high - window.low
        start = window.high + MISSING_GAP * wide
        return Span(place, start, start + MISSING_WIDTH * wide, "missing", inside)
    low = -math.inf if cell["low"] is None else cell["low"]
    high = math.inf if cell["high"] is None else cell["high"]
    goes_on = (low < window.low, high > window.high)
    return Span(place, max(low, window.low), min(high, window.high), "", inside, goes_on)
