"""The decision map of two features: what is decided if only these two change, with the explanation's box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render.lanes import add_unit, read_number, read_range, span_numbers
from primewood.render.numbers import short
from primewood.render.plots.drawing import (
    PlotPoint,
    area_entry,
    check_axes,
    draw_area,
    draw_line,
    draw_mark,
    finish,
    load_matplotlib,
    make_axes,
    mark_entry,
    measure_axes,
    measure_text,
    outline_box,
    wrap,
    write_on_one_line,
)
from primewood.render.plots.inputs import DECISION_MAP, read_record
from primewood.render.plots.style import INK, LINE, NAME, NO_ROW, Look, choose_look
from primewood.render.records import AxisRecord, CellRecord, DecisionMapRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

BORDER = 0.05
"""How much a numeric axis extends beyond what must be visible, at each end."""
MISSING_GAP, MISSING_WIDTH = 0.03, 0.1
"""The room for missing values beside the numbers, as shares of the room for numbers."""


@dataclass(frozen=True, slots=True)
class MapSpan:
    """A cell on one axis of a map.

    Attributes
    ----------
    cell : int
        Its position in the record.
    start, end : float
        Its position: numbers as they are, categories at 0, 1, 2, ...
    name : str
        The name of a category, or "missing"; empty for numbers.
    inside : bool
        Whether the explanation allows it.
    goes_on : pair of bool
        Whether it goes on beyond the map, at its lower and at its upper end.
    """

    cell: int
    start: float
    end: float
    name: str
    inside: bool
    goes_on: tuple[bool, bool] = (False, False)

    @property
    def middle(self) -> float:
        """Half way between its ends."""
        return (self.start + self.end) / 2


@dataclass(frozen=True, slots=True)
class MapSide:
    """One axis of a map.

    Attributes
    ----------
    title : str
    numbers : pair of float, or None
        The first and the last number on it; None for categories.
    spans : tuple of MapSpan
        The visible cells.
    mark : float or None
        The position of the row's own value.
    """

    title: str
    numbers: tuple[float, float] | None
    spans: tuple[MapSpan, ...]
    mark: float | None

    @property
    def allowed(self) -> list[MapSpan]:
        """The ranges that the explanation allows."""
        found: list[MapSpan] = []
        for span in self.spans:
            if span.inside and found and found[-1].end == span.start:
                last = found.pop()
                goes_on = (last.goes_on[0], span.goes_on[1])
                found.append(MapSpan(last.cell, last.start, span.end, "", True, goes_on))
            elif span.inside:
                found.append(span)
        return found

    @property
    def ticks(self) -> list[float]:
        """Round numbers along the axis."""
        if self.numbers is None:
            return []
        low, high = self.numbers
        ticks = load_matplotlib("ticker").MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
        # No number beside the word "missing".
        room = 0.08 * (high - low) if self.spans[-1].name else 0.0
        return [float(x) for x in ticks if low <= x <= high - room]

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends."""
        border = 0.04 if self.numbers is None else 0.0
        return min(x.start for x in self.spans) - border, max(x.end for x in self.spans) + border


@dataclass(frozen=True)
class DecisionMapDisplay:
    """What `decision_map` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    x, y : MapSide
        The two axes: the first feature goes to the right, the second up.
    decisions : tuple of tuple
        For each cell of the first and of the second feature, the position of its decision in `classes`, or None.
    classes : tuple
    """

    ax_: Axes
    figure_: Figure | SubFigure
    x: MapSide = field(repr=False)
    y: MapSide = field(repr=False)
    decisions: tuple[tuple[int | None, ...], ...] = field(repr=False)
    classes: tuple[object, ...]


def decision_map(map: Any, *, ax: Any = None) -> DecisionMapDisplay:  # noqa: A002
    """Draw the exact decisions if two features of a row change, with the box of an explanation.

    The map spans the training rows with a margin, and always the row itself.

    Parameters
    ----------
    map
        What `explainer.decision_map(x, (a, b))` returns, or its record.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    DecisionMapDisplay
        The axes, and the decision of each cell.

    Raises
    ------
    InvalidInput
        If `map` is something else, or `ax` is not an Axes.
    MissingDependency
        If matplotlib is not installed.
    """
    record: DecisionMapRecord = read_record(map, DECISION_MAP, "decision_map")
    axes = check_axes(ax)
    x, y = (_read_side(axis) for axis in record["axes"])
    decisions = _read_decisions(record)
    found = make_axes(6.4, 5.4) if axes is None else axes
    drawn = _draw_areas(found, x, y, decisions, record["classes"])
    _draw_box(found, x, y)
    if x.mark is not None and y.mark is not None:
        draw_mark(found, x.mark, y.mark, "_row", 9)
    _set_ticks(found, x, y)
    _finish(found, record, drawn, has_box=bool(x.allowed and y.allowed))
    return DecisionMapDisplay(found, found.figure, x, y, decisions, tuple(record["classes"]))


def _read_decisions(record: DecisionMapRecord) -> tuple[tuple[int | None, ...], ...]:
    decisions = tuple(tuple(line) for line in record["decisions"])
    shape = [len(axis["cells"]) for axis in record["axes"]]
    if len(decisions) != shape[0] or any(len(line) != shape[1] for line in decisions):
        raise InvalidInput(
            f"decisions are one list per cell of the first feature, here {shape[0]}, with one entry per cell of the "
            f"second, here {shape[1]}"
        )
    return decisions


def _read_side(axis: AxisRecord) -> MapSide:
    """The side of one axis of a map's record."""
    cells, title = axis["cells"], write_on_one_line(add_unit(axis["feature"], axis.get("unit", "")))
    if not any("low" in cell for cell in cells):
        spans = [MapSpan(k, k, k + 1, _name_cell(cell), axis["inside"][k]) for k, cell in enumerate(cells)]
        own = [span for span, cell in zip(spans, cells, strict=True) if _has_row(axis, cell)]
        return MapSide(title, None, tuple(spans), own[0].middle if own else None)
    numbers = _choose_numbers(axis)
    found = [_place_cell(k, cell, axis["inside"][k], numbers) for k, cell in enumerate(cells)]
    spans = [span for span in found if span.end > span.start]
    missing, value = [span for span in spans if span.name], read_number(axis)
    return MapSide(title, numbers, tuple(spans), missing[0].middle if value is None and missing else value)


def _choose_numbers(axis: AxisRecord) -> tuple[float, float]:
    """The first and the last number of an axis: around the training range and the row; without rows, all bounds."""
    cells = [end for cell in axis["cells"] for end in (cell.get("low"), cell.get("high"))]
    low, high = span_numbers([*(read_range(axis) or cells), read_number(axis)])
    border = BORDER * (high - low) if high > low else abs(low) / 10 or 1.0
    return max(-1.7e308, low - border), min(1.7e308, high + border)


def _name_cell(cell: CellRecord) -> str:
    return "missing" if cell.get("missing") else ", ".join(map(write_on_one_line, cell["values"]))


def _has_row(axis: AxisRecord, cell: CellRecord) -> bool:
    """Whether a cell of categories has the row's own value."""
    if cell.get("missing"):
        return axis["value"] is None
    return str(axis["value"]) in map(str, cell["values"])


def _place_cell(place: int, cell: CellRecord, inside: bool, numbers: tuple[float, float]) -> MapSpan:
    """The visible part of a cell of a numeric feature; missing values have their room beside the numbers."""
    first, last = numbers
    if cell.get("missing"):
        start = last + MISSING_GAP * (last - first)
        return MapSpan(place, start, start + MISSING_WIDTH * (last - first), "missing", inside)
    low = -math.inf if cell["low"] is None else cell["low"]
    high = math.inf if cell["high"] is None else cell["high"]
    return MapSpan(place, max(low, first), min(high, last), "", inside, (low < first, high > last))


def _draw_areas(
    ax: Axes, x: MapSide, y: MapSide, decisions: Sequence[Sequence[int | None]], classes: Sequence[object]
) -> list[object]:
    """Draw the areas of all decisions; returns the decisions."""
    areas: dict[int | None, list[list[PlotPoint]]] = {}
    for a in x.spans:
        for start, end, decision in _join_cells(y.spans, decisions[a.cell]):
            areas.setdefault(decision, []).append(outline_box(a.start, start, a.end, end))
    names = {place: None if place is None else classes[place] for place in areas}
    for place, outlines in areas.items():
        look = choose_look(names[place], classes)
        draw_area(ax, outlines, look, label=f"_decides {names[place]}", layer=1)
    return [names[place] for place in sorted(areas, key=lambda place: (place is None, place or 0))]


def _join_cells(
    spans: Sequence[MapSpan], decisions: Sequence[int | None]
) -> list[tuple[float, float, int | None]]:
    """Neighbouring cells with one decision as one range."""
    found: list[tuple[float, float, int | None]] = []
    for span in spans:
        decision = decisions[span.cell]
        if found and found[-1][1:] == (span.start, decision):
            found[-1] = (found[-1][0], span.end, decision)
        else:
            found.append((span.start, span.end, decision))
    return found


def _draw_box(ax: Axes, x: MapSide, y: MapSide) -> None:
    """The edges of the explanation's box; open where it goes on beyond the map."""
    for a in x.allowed:
        for b in y.allowed:
            corners = outline_box(a.start, b.start, a.end, b.end)
            is_open = (b.goes_on[0], a.goes_on[1], b.goes_on[1], a.goes_on[0])
            for (start, end), left_out in zip(pairwise([*corners, corners[0]]), is_open, strict=True):
                if not left_out:
                    draw_line(ax, start, end, INK, 2.2, label="_box", zorder=4)


def _set_ticks(ax: Axes, x: MapSide, y: MapSide) -> None:
    """Names of categories, numbers, and "missing" along both axes."""
    ax.set_xlim(*x.ends)
    ax.set_ylim(*y.ends)
    ax.tick_params(color=LINE)
    ax.spines[:].set_color(LINE)
    for side, axis, room in zip((x, y), (ax.xaxis, ax.yaxis), measure_axes(ax), strict=True):
        named, ticks = [span for span in side.spans if span.name], side.ticks
        words = [short(x) for x in ticks] + [wrap(span.name, 1.5, NAME, 2) for span in named]
        places = ticks + [span.middle for span in named]
        axis.set_ticks(places, words, fontsize=NAME, parse_math=False)
        axis.set_label_text(wrap(side.title, max(2.0, 0.9 * room), 10, 2), fontsize=10, parse_math=False)
    if x.numbers is None:
        _fit_names(ax, x)


def _fit_names(ax: Axes, x: MapSide) -> None:
    """Break the names below the map into lines, or turn them, where they are wider than their cells."""
    each = measure_axes(ax)[0] / len(x.spans) - 0.08
    words = [wrap(span.name, max(each, 0.1), NAME, 9) for span in x.spans]
    whole = all(measure_text(part, NAME) <= each for span in x.spans for part in span.name.split())
    if whole and all(text.count("\n") < 3 for text in words):
        ax.set_xticks(ax.get_xticks(), words, fontsize=NAME, parse_math=False)
        return
    for label in ax.get_xticklabels():
        label.set(rotation=40, ha="right", rotation_mode="anchor", size=min(NAME, 72 * (each + 0.08) / 1.6))


def _finish(ax: Axes, record: DecisionMapRecord, drawn: Sequence[object], *, has_box: bool) -> None:
    entries = [
        area_entry(NO_ROW if name is None else write_on_one_line(name), choose_look(name, record["classes"]))
        for name in drawn
    ]
    if has_box:
        entries.append(area_entry("proved by the rule", Look("none"), (INK, 2.0)))
    if any(line.get_label() == "_row" for line in ax.lines):
        entries.append(mark_entry("this row"))
    both = " and ".join(write_on_one_line(axis["feature"]) for axis in record["axes"])
    before = record["rule"] if has_box else ""
    finish(ax, f"What if only {both} change?", entries, before=before)
