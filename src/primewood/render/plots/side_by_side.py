"""Several explanations of one row, side by side: the features of each, and their ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render import text
from primewood.render.lanes import Chip, Chips, Lane, Track, find_scale, list_entries, track
from primewood.render.plots.drawing import (
    ARROW,
    AxesSpace,
    PlotPoint,
    area_entry,
    check_axes,
    clear_frame,
    count_lines,
    draw_area,
    draw_bars,
    draw_line,
    draw_mark,
    finish,
    line_height,
    make_axes,
    mark_entry,
    measure_axes,
    measure_text,
    outline_box,
    set_names,
    wrap,
    write,
)
from primewood.render.plots.inputs import read_records
from primewood.render.plots.style import ALLOWED, GREY, LINE, NAME, PALE, Look
from primewood.render.records import EntryRecord, ExplanationRecord
from primewood.visible import visible_record

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WORDS = 7.5
"""The size of the text below a lane, in points."""
BAR, ABOVE = 0.1, 0.12
"""The height of a bar, and the room above it, in inches."""
GAP, COLUMN, LEAST_COLUMN = 0.2, 1.6, 1.1
"""The room between two columns; the width of a column on a new figure, and its least width, in inches."""


@dataclass(frozen=True, slots=True)
class Column:
    """One explanation.

    Attributes
    ----------
    record : dict
        Its record.
    tracks : tuple of Track
        Per feature, in the same order for all explanations.
    """

    record: ExplanationRecord
    tracks: tuple[Track, ...]


@dataclass(frozen=True)
class SideBySideDisplay:
    """What `side_by_side` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    features : tuple of str
        The features that any of the explanations mentions, from the top.
    columns : tuple of Column
        The explanations, from the left.
    more : bool
        Whether there are more explanations, which are not drawn.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    features: tuple[str, ...]
    columns: tuple[Column, ...] = field(repr=False)
    more: bool


def side_by_side(whys: Any, *, ax: Any = None, most: int = 6) -> SideBySideDisplay:
    """Draw several explanations of one row, one column each, over the features that any of them mentions.

    Parameters
    ----------
    whys
        The explanations, or their records.
    ax
        Axes to draw on; by default those of a new figure, whose size follows the numbers of lanes and columns.
    most
        The number of explanations to draw, the first ones.

    Returns
    -------
    SideBySideDisplay
        The axes, and the columns.

    Raises
    ------
    InvalidInput
        If `whys` are not explanations of one row, `ax` is not an Axes, or `most` is not a positive whole number.
    MissingDependency
        If matplotlib is not installed.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(
            f"most, how many explanations are drawn, must be a whole number from 1, not {most!r}"
        )
    axes = check_axes(ax)
    records, more = read_records(whys, "side_by_side", most)
    features, columns = _read_columns([visible_record(record) for record in records])
    page = _TablePage.plan(columns, None if axes is None else measure_axes(axes)[0])
    found = make_axes(page.names + page.width + 0.5, page.height + 1.3) if axes is None else axes
    room = None if axes is None else found.get_window_extent().frozen()
    _draw(found, columns, page)
    notes = [f"the first {len(columns)} of more"] if more else []
    notes += [] if features else ["anything: no feature is needed"]
    title, entries = _write_title(columns), _list_entries(columns)
    finish(found, title, entries, notes=notes, space=AxesSpace((page.width, page.height), room))
    return SideBySideDisplay(found, found.figure, features, columns, more)


def _read_columns(records: Sequence[ExplanationRecord]) -> tuple[tuple[str, ...], tuple[Column, ...]]:
    """The features that any explanation mentions, and the explanations over them."""
    entries = _read_row(records)
    literals = [{literal["feature"]: literal for literal in record["literals"]} for record in records]
    features = tuple(dict.fromkeys(name for said in literals for name in said))
    scales = {
        name: find_scale(entries[name], [said.get(name) for said in literals])
        for name in features
        if any(name in said and "intervals" in said[name] for said in literals)
    }
    columns = tuple(
        Column(record, tuple(track(entries[name], said.get(name), scales.get(name)) for name in features))
        for record, said in zip(records, literals, strict=True)
    )
    return features, columns


def _read_row(records: Sequence[ExplanationRecord]) -> dict[str, EntryRecord]:
    """The row of the records; it must be the same in all."""
    entries: dict[str, EntryRecord] = {}
    for record in records:
        for name, entry in list_entries(record["literals"], record["instance"]).items():
            known = entries.setdefault(name, entry)
            if known["value"] != entry["value"]:
                raise InvalidInput(
                    "side_by_side compares explanations of one row; here "
                    f"{name} is {known['shown']} in one and {entry['shown']} in another"
                )
    return entries


@dataclass(frozen=True, slots=True)
class _TablePage:
    """The layout in inches, with the left end of the first column at 0.

    Attributes
    ----------
    titles : tuple of str
        The names of the features, in lines.
    said : tuple of tuple of str
        For each feature and explanation, the text below the lane, in lines.
    heads : tuple of str
        The text above each explanation, in lines.
    column : float
        The width of a column.
    tops : tuple of float
        Where the rows of the features begin; one more for the end.
    names : float
        The width of the names.
    """

    titles: tuple[str, ...]
    said: tuple[tuple[str, ...], ...]
    heads: tuple[str, ...]
    column: float
    tops: tuple[float, ...]
    names: float

    @property
    def width(self) -> float:
        return len(self.heads) * (self.column + GAP)

    @property
    def height(self) -> float:
        return self.tops[-1]

    @classmethod
    def plan(cls, columns: Sequence[Column], width: float | None) -> _TablePage:
        """The page of some explanations, on axes of a width; None for a new figure."""
        count = len(columns)
        whole = max(6.0, 2.6 + count * (COLUMN + GAP)) if width is None else width
        titles = tuple(wrap(x.title, 0.26 * whole, NAME) for x in columns[0].tracks)
        names = max((measure_text(title, NAME) for title in titles), default=0.0)
        column = max(LEAST_COLUMN, (whole - names - 0.4) / count - GAP)
        said = tuple(
            tuple(wrap(_describe(x), column, WORDS, 9) if x.pieces else "" for x in row)
            for row in zip(*(one.tracks for one in columns), strict=True)
        )
        several = len({str(one.record["decision"]) for one in columns}) > 1
        heads = tuple(_write_head(one.record, several, column) for one in columns)
        top = line_height(10) + max(map(count_lines, heads)) * line_height(8) + 0.06
        heights = [_measure_row(*row) for row in zip(titles, said, strict=True)]
        return cls(titles, said, heads, column, tuple(accumulate(heights, initial=top)), names)


def _describe(one: Track) -> str:
    """The condition of an explanation on a feature, without the feature's name."""
    more = len(one.pieces) - len(one.some_pieces)
    return " or ".join([*(piece.brief for piece in one.some_pieces), *([f"{more} others"] if more else [])])


def _measure_row(title: str, said: Sequence[str]) -> float:
    words = ABOVE + BAR + 0.07 + max(count_lines(words) for words in said) * line_height(WORDS)
    return 0.05 + max(words, count_lines(title) * line_height(NAME) + 0.1)


def _write_head(record: ExplanationRecord, several: bool, width: float) -> str:
    """The heading of an explanation: how it differs from the others."""
    size = len(record["literals"])
    said = [str(record["decision"])] if several else []
    said.append(f"{size} feature{'' if size == 1 else 's'}")
    said += [f"covers {text.write_share(record['coverage'])}"] if record["coverage"] is not None else []
    said += ["stopped early"] if record["status"] == "interrupted" else []
    return "\n".join(wrap(words, width, 8, 2) for words in said)


def _write_title(columns: Sequence[Column]) -> str:
    decisions = dict.fromkeys(str(column.record["decision"]) for column in columns)
    return f"Why {' or '.join(decisions)}: {len(columns)} explanation{'s' if len(columns) > 1 else ''} of one row"


def _draw(ax: Axes, columns: Sequence[Column], page: _TablePage) -> None:
    clear_frame(ax)
    ax.set_xlim(-GAP / 2, page.width - GAP / 2)
    ax.set_ylim(page.height, 0)
    rows = list(pairwise(page.tops))
    set_names(ax, [(top + bottom) / 2 for top, bottom in rows], page.titles, NAME)
    for top, bottom in rows[::2]:
        ax.axhspan(top, bottom, color=PALE, linewidth=0, zorder=0.5)
    for number, (column, head) in enumerate(zip(columns, page.heads, strict=True), start=1):
        left = (number - 1) * (page.column + GAP)
        write(ax, left, line_height(10) / 2, str(number), 10, va="center", fontweight="bold")
        write(ax, left, line_height(10), head, 8, color=GREY, va="top", linespacing=1.15)
        for one, (top, bottom), said in zip(column.tracks, rows, page.said, strict=True):
            span = (left, left + page.column)
            if one.is_free:
                write(
                    ax, sum(span) / 2, (top + bottom) / 2, "free", WORDS, color=GREY, ha="center", va="center"
                )
                continue
            _draw_cell(ax, one, span, top + ABOVE, f"{one.feature} {number}")
            y = top + ABOVE + BAR + 0.05
            write(ax, left, y, said[number - 1], WORDS, va="top", linespacing=1.15)


def _draw_cell(ax: Axes, one: Track, span: PlotPoint, top: float, label: str) -> None:
    """Draw one feature of one explanation."""
    left, right = span[0] + ARROW, span[1] - ARROW - (0.2 if one.missing else 0.0)
    if isinstance(one.picture, Lane):
        _draw_numbers(ax, one.picture, (left, right), top, label)
    else:
        _draw_categories(ax, one.picture, (span[0], right + ARROW), top, label)
    if one.missing is not None:
        _draw_box(ax, one.missing, (span[1] - 0.16, span[1]), top, label)
        ink = "#FFFFFF" if one.missing.allowed else GREY
        style = {"ha": "center", "va": "center_baseline", "fontweight": "bold"}
        write(ax, span[1] - 0.08, top + BAR / 2, "?", 6, color=ink, **style)


def _draw_numbers(ax: Axes, lane: Lane, span: PlotPoint, top: float, label: str) -> None:
    draw_line(ax, (span[0], top), (span[1], top), LINE, 0.8, label=f"_lane {label}")
    draw_bars(ax, lane.bars, span, (top, top + BAR), colour=ALLOWED, label=f"_allowed {label}")
    if lane.mark is not None:
        draw_mark(ax, span[0] + lane.mark * (span[1] - span[0]), top + BAR / 2, f"_row {label}", 6)


def _draw_categories(ax: Axes, chips: Chips, span: PlotPoint, top: float, label: str) -> None:
    """Draw the categories as small boxes in their natural order."""
    count = max(1, len(chips.every))
    wide = (span[1] - span[0]) / count
    for k, chip in enumerate(chips.every):
        start = span[0] + k * wide
        _draw_box(ax, chip, (start, start + wide - min(0.03, 0.2 * wide)), top, label)


def _draw_box(ax: Axes, chip: Chip, span: PlotPoint, top: float, label: str) -> None:
    what, edge = ("allowed", ALLOWED) if chip.allowed else ("excluded", LINE)
    look = Look(ALLOWED if chip.allowed else "none")
    outline = outline_box(span[0], top, span[1], top + BAR)
    draw_area(ax, [outline], look, edge=(edge, 0.8), label=f"_{what} {label}: {chip.name}", layer=4)
    if chip.own:
        draw_mark(ax, sum(span) / 2, top - 0.05, f"_row {label}: {chip.name}", 6)


def _list_entries(columns: Sequence[Column]) -> list[Artist]:
    """The entries of the legend, only for what is drawn."""
    used = [x for column in columns for x in column.tracks if not x.is_free]
    chips = [chip for x in used if isinstance(x.picture, Chips) for chip in x.picture.every]
    entries = [area_entry("allowed", Look(ALLOWED))] if used else []
    if any(not chip.allowed for chip in chips):
        entries.append(area_entry("not allowed", Look("none"), (LINE, 0.8)))
    entries += [mark_entry("this row")] if any(x.value for x in used) else []
    if any(x.missing for x in used):
        entries.append(area_entry("?: missing values", Look("none"), (LINE, 0.8)))
    return entries
