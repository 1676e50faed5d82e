"""The what-if strip of one feature: the decisions if only this feature changes, and where they are proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from primewood.render.lanes import (
    Bar,
    Scale,
    add_unit,
    choose_scale,
    place_interval,
    read_number,
    shorten_value,
)
from primewood.render.plots.drawing import (
    ARROW,
    PAD,
    AxesSpace,
    NameBox,
    PlotPoint,
    area_entry,
    check_axes,
    clear_frame,
    draw_area,
    draw_bars,
    draw_line,
    draw_mark,
    finish,
    flow_names,
    line_entry,
    line_height,
    make_axes,
    mark_entry,
    measure_axes,
    measure_text,
    outline_bar,
    outline_box,
    put_halo,
    write,
    write_on_one_line,
)
from primewood.render.plots.inputs import WHAT_IF, read_record
from primewood.render.plots.style import GREY, INK, LINE, NO_ROW, SMALL, Look, choose_look
from primewood.render.records import StretchRecord, WhatIfRecord
from primewood.render.text import read_interval

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDTH, LEAST_WIDTH = 8.0, 5.0
"""The width of a new figure, and the width for which a strip on smaller axes is planned, in inches."""
STRIP, PROVED = 0.36, 0.09
"""The height of the strip, and of the bar of what is proved, in inches."""
MISSING_WIDTH = 0.8
GAP = 0.09
"""The room between two bounds, in inches."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of numbers, a category, or "missing", with one decision.

    Attributes
    ----------
    decision : object
        The decision if only this feature changes; None if there is no such row.
    proved : bool
        Whether that is proved whatever the free features are.
    own : bool
        Whether the row's own value is in it.
    name : str
        The category, or "missing"; empty for numbers.
    is_missing : bool
        Whether it is the box of missing values.
    bar : Bar or None
        The position of the numbers; None for a category, and for missing.
    bounds : pair of str
        The lower and the upper bound of the numbers, in words; empty where there is none.
    """

    decision: object
    proved: bool
    own: bool
    name: str = ""
    is_missing: bool = False
    bar: Bar | None = None
    bounds: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class WhatIfDisplay:
    """What `what_if` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    scale : Scale or None
        The scale of the strip; None for categories.
    mark : float or None
        The position of the row's own number, from 0 to 1; None if it has none.
    stretches : tuple of Stretch
        The parts of the strip, from the left.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    scale: Scale | None
    mark: float | None
    stretches: tuple[Stretch, ...] = field(repr=False)


def what_if(strip: Any, *, ax: Any = None) -> WhatIfDisplay:
    """Draw the decisions if one feature of a row changes, and where they are proved.

    Parameters
    ----------
    strip
        What `explainer.what_if(x, feature)` returns, or its record.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    WhatIfDisplay
        The axes, and the stretches.

    Raises
    ------
    InvalidInput
        If `strip` is something else, or `ax` is not an Axes.
    MissingDependency
        If matplotlib is not installed.
    """
    record: WhatIfRecord = read_record(strip, WHAT_IF, "what_if")
    axes = check_axes(ax)
    numbers = [piece for piece in record["pieces"] if "low" in piece]
    scale = choose_scale(record, numbers) if numbers else None
    own = read_number(record)
    mark = None if scale is None or own is None else scale.place(own)
    stretches = tuple(_read_piece(record, piece, scale) for piece in record["pieces"])
    width = WIDTH if axes is None else max(LEAST_WIDTH, measure_axes(axes)[0])
    found = make_axes(WIDTH, 2.3) if axes is None else axes
    room = None if axes is None else found.get_window_extent().frozen()
    value = write_on_one_line(shorten_value(record))
    picture = _Strip(found, record["classes"], value, width - 0.4)
    height = picture.draw(stretches, mark)
    if axes is None:
        found.figure.set_figheight(height + 1.55)  # type: ignore[union-attr]
    notes = [record["rule"]] if record.get("rule") else []
    title = f"What if only {write_on_one_line(add_unit(record['feature'], record['unit']))} changes?"
    finish(
        found,
        title,
        _list_entries(record, stretches),
        notes=notes,
        space=AxesSpace((picture.width, height), room),
    )
    return WhatIfDisplay(found, found.figure, scale, mark, stretches)


def _read_piece(record: WhatIfRecord, piece: StretchRecord, scale: Scale | None) -> Stretch:
    decision, proved, value = piece["decision"], piece["proved"], record["value"]
    if scale is not None and "low" in piece:
        number = read_number(record)
        own = number is not None and number in read_interval(piece)
        low, high = (" ".join(end or ()) for end in (piece["ends"]["low"], piece["ends"]["high"]))
        bar = place_interval(scale, piece)
        return Stretch(decision, proved, own, bar=bar, bounds=(low, high))
    if piece.get("missing"):
        return Stretch(decision, proved, value is None, "missing", is_missing=True)
    name = ", ".join(map(write_on_one_line, piece["values"]))
    return Stretch(decision, proved, str(value) in map(str, piece["values"]), name)


@dataclass(frozen=True, slots=True)
class _Strip:
    """A strip on axes, in inches; all of it grows downwards.

    Attributes
    ----------
    ax : Axes
    classes : sequence
        The names of the decisions.
    value : str
        The row's own value in words.
    width : float
    """

    ax: Axes
    classes: Sequence[object]
    value: str
    width: float

    def draw(self, stretches: Sequence[Stretch], mark: float | None) -> float:
        """Draw all stretches; returns the height."""
        clear_frame(self.ax)
        self.ax.set_yticks([])
        if any(one.bar for one in stretches):
            height = self._draw_numbers(stretches, mark, line_height(SMALL) + 0.05)
        else:
            height = self._draw_categories(stretches)
        self.ax.set_xlim(0, self.width)
        self.ax.set_ylim(height + 0.05, 0)
        return height

    def _draw_numbers(self, stretches: Sequence[Stretch], mark: float | None, top: float) -> float:
        missing = [one for one in stretches if one.is_missing]
        span, bottom = (ARROW, self.width - ARROW - (MISSING_WIDTH + 0.15 if missing else 0.0)), top + STRIP
        for one in missing:
            self._draw_box(one, NameBox(one.name, self.width - MISSING_WIDTH, top, MISSING_WIDTH, STRIP))
        for decision, bar in _join(stretches):
            look, outline = choose_look(decision, self.classes), outline_bar(bar, span, (top, bottom))
            draw_area(self.ax, [outline], look, edge=(LINE, 0.5), label=f"_decides {decision}", layer=2)
            self._name(decision, bar, mark, span, (top + bottom) / 2)
        proved = [one.bar for one in stretches if one.proved and one.bar]
        heights = (bottom + 0.04, bottom + 0.04 + PROVED)
        draw_bars(self.ax, proved, span, heights, colour=INK, label="_proved")
        if mark is not None:
            self._mark(span[0] + mark * (span[1] - span[0]), span, (top, heights[1]))
        return self._write_bounds(stretches, span, bottom, heights[1] + 0.05)

    def _mark(self, x: float, span: PlotPoint, heights: PlotPoint) -> None:
        """Mark the row's own number, with its text above the strip."""
        draw_line(self.ax, (x, heights[0] - 0.05), (x, heights[1]), INK, 1.2, zorder=5)
        draw_mark(self.ax, x, heights[1] - PROVED / 2, "_row")
        half = measure_text(self.value, SMALL) / 2
        middle = max(span[0] + half, min(span[1] - half, x))
        write(self.ax, middle, line_height(SMALL) / 2, self.value, SMALL, ha="center", va="center")

    def _name(self, decision: object, bar: Bar, mark: float | None, span: PlotPoint, y: float) -> None:
        """Write the name of a decision in its stretch, beside the row's mark, if there is room for it."""
        start, end, wide = bar.start, bar.end, span[1] - span[0]
        if mark is not None and start < mark < end:
            start, end = (mark, end) if end - mark > mark - start else (start, mark)
        name = "" if decision is None else write_on_one_line(decision)
        if measure_text(name, SMALL) <= (end - start) * wide - 0.14:
            x = span[0] + (start + end) / 2 * wide
            put_halo(write(self.ax, x, y, name, SMALL, ha="center", va="center_baseline"))

    def _write_bounds(self, stretches: Sequence[Stretch], span: PlotPoint, above: float, top: float) -> float:
        """Write the bounds where the decision changes, the nearest to the row first; in two rows, as many as fit."""
        own = next((k for k, one in enumerate(stretches) if one.own), -1)
        ends = [(abs(k - own), one.bar, one.bounds, k > own) for k, one in enumerate(stretches) if one.bar]
        near = sorted(
            (away, bar.start if after else bar.end, bounds[0] if after else bounds[1])
            for away, bar, bounds, after in ends
            if away
        )
        places = [(span[0] + place * (span[1] - span[0]), words) for _, place, words in near if words]
        for x, _ in places:
            draw_line(self.ax, (x, above), (x, top), LINE, 0.8, zorder=1)
        taken: list[list[PlotPoint]] = [[], []]
        fitting = [self._write_bound(x, words, taken, top) for x, words in places]
        left_out, rows = fitting.count(False), sum(map(bool, taken))
        if left_out:
            more = f"and {left_out} more bound{'s' if left_out > 1 else ''}"
            y = top + (rows + 0.5) * line_height(SMALL)
            write(self.ax, span[1], y, more, SMALL, color=GREY, ha="right", va="center")
        return top + (rows + bool(left_out)) * line_height(SMALL)

    def _write_bound(self, x: float, words: str, taken: list[list[PlotPoint]], top: float) -> bool:
        """Write a bound near its position, in the first row with room; returns whether there was room."""
        wide = measure_text(words, SMALL)
        for row, others in enumerate(taken):
            for part in (0.5, 0.9, 0.1):
                left = max(0.0, min(self.width - wide, x - part * wide))
                if all(left + wide + GAP <= start or left - GAP >= end for start, end in others):
                    others.append((left, left + wide))
                    y = top + (row + 0.5) * line_height(SMALL)
                    write(self.ax, left + wide / 2, y, words, SMALL, ha="center", va="center")
                    return True
        return False

    def _draw_categories(self, stretches: Sequence[Stretch]) -> float:
        boxes = flow_names([one.name for one in stretches], self.width, 0.0, 0.14 + PROVED)
        for one, box in zip(stretches, boxes, strict=True):
            self._draw_box(one, replace(box, height=box.height + PAD))
        return max(box.top + box.height + PAD + PROVED for box in boxes)

    def _draw_box(self, one: Stretch, box: NameBox) -> None:
        """Draw a category or missing: filled by its decision, with the bar below it if the decision is proved."""
        look, (x, y), bottom = choose_look(one.decision, self.classes), box.middle, box.top + box.height
        edge = (INK, 1.8) if one.own else (LINE, 0.8)
        label = f"_decides {one.decision}: {one.name}"
        draw_area(self.ax, [box.outline], look, edge=edge, label=label, layer=3)
        if one.proved:
            bar = outline_box(box.left, bottom, box.left + box.width, bottom + PROVED)
            draw_area(self.ax, [bar], Look(INK), label=f"_proved {one.name}", layer=4)
        put_halo(write(self.ax, x, y, box.words, SMALL, ha="center", va="center_baseline"))
        if one.own:
            draw_mark(self.ax, x, box.top - 0.05, "_row")


def _join(stretches: Sequence[Stretch]) -> list[tuple[object, Bar]]:
    """Join neighbouring stretches with one decision, proved or not."""
    found: list[tuple[object, Bar]] = []
    for one in stretches:
        if one.bar is None:
            continue
        if found and found[-1][0] == one.decision and found[-1][1].end == one.bar.start:
            found.append((one.decision, Bar(found.pop()[1].start, one.bar.end)))
        else:
            found.append((one.decision, one.bar))
    return found


def _list_entries(record: WhatIfRecord, stretches: Sequence[Stretch]) -> list[Artist]:
    """The entries of the legend, only for what is drawn."""
    entries, decision = [], record["decision"]
    drawn = dict.fromkeys(one.decision for one in stretches)
    for name in sorted(drawn, key=lambda name: name != decision):
        stays = " (as now)" if name == decision else ""
        words = NO_ROW if name is None else f"{write_on_one_line(name)}{stays}"
        entries.append(area_entry(words, choose_look(name, record["classes"])))
    if any(one.proved for one in stretches):
        proved = f"proved: {write_on_one_line(decision)}, whatever the free features are"
        entries.append(line_entry(proved, color=INK, linewidth=4))
    return [*entries, mark_entry(f"this row: {write_on_one_line(shorten_value(record))}")]
