"""The ranges of one explanation over the training distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from primewood.fields import flag, takes
from primewood.render import text
from primewood.render.lanes import Chip, Chips, Lane, Track, tracks
from primewood.render.plots.drawing import (
    ARROW,
    PAD,
    AxesSpace,
    NameBox,
    area_entry,
    check_axes,
    clear_frame,
    count_lines,
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
    outline_box,
    set_names,
    wrap,
    write,
)
from primewood.render.plots.inputs import EXPLANATION, read_record
from primewood.render.plots.style import ALLOWED, FAINT, GREY, INK, LINE, NAME, SMALL, Look, tint
from primewood.render.records import ExplanationRecord

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDTH, LEAST_WIDTH = 8.0, 5.0
"""The width of a new figure, and the width for which a picture on smaller axes is planned, in inches."""
MOST_FREE = 6
"""The most free features that are drawn; the others are counted."""
LEAST_ZOOM = 0.75
"""If the text would become smaller than this, fewer free features are drawn."""
MISSING_WIDTH = 0.66


@dataclass(frozen=True)
class RangesDisplay:
    """What `ranges` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    tracks : tuple of Track
        The drawn features, from the top: those of the rule, then free ones.
    left_out : int
        How many free features are not drawn.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    tracks: tuple[Track, ...] = field(repr=False)
    left_out: int


@takes(free=flag)
def ranges(why: Any, *, ax: Any = None, free: bool = True) -> RangesDisplay:
    """Draw the ranges of an explanation, one lane per feature, over the training rows.

    The features of the rule come first, in its order; then, smaller, those that it leaves free. Features that no tree
    tests are left out.

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
        The axes, and the tracks.

    Raises
    ------
    InvalidInput
        If `why` is something else, or `ax` is not an Axes.
    MissingDependency
        If matplotlib is not installed.
    """
    record: ExplanationRecord = read_record(why, EXPLANATION, "ranges", distribution=True)
    axes = check_axes(ax)
    shown, notes = (
        tracks(record["literals"], record["instance"], record.get("near")),
        text.list_circumstances(record),
    )
    width, height = (WIDTH, float("inf")) if axes is None else measure_axes(axes)
    for most in (MOST_FREE, MOST_FREE // 2, 0) if free else (0,):
        drawn = (*shown.conditions, *shown.free[:most])
        page = _LanePage.plan(drawn, max(width, LEAST_WIDTH))
        total = page.height + 1.0 + (len(notes) + 1) * line_height(SMALL)
        if LEAST_ZOOM * total <= height:
            break
    found = make_axes(WIDTH, total) if axes is None else axes
    room = None if axes is None else found.get_window_extent().frozen()
    left_out = len(shown.conditions) + len(shown.free) - len(drawn)
    _draw(found, page)
    notes = [*_say_anything(record), *_count_free(drawn, left_out), *notes]
    entries, title = _list_entries(drawn), f"Why {record['decision']}"
    finish(found, title, entries, notes=notes, space=AxesSpace((page.width, page.height), room))
    return RangesDisplay(found, found.figure, drawn, left_out)


def _count_free(drawn: Sequence[Track], left_out: int) -> list[str]:
    if not left_out:
        return []
    more = "more " if any(track.is_free for track in drawn) else ""
    return [f"{'and ' if drawn else ''}{left_out} {more}free feature{'s' if left_out > 1 else ''}"]


def _say_anything(record: ExplanationRecord) -> list[str]:
    """Write that an explanation has no conditions."""
    if record["literals"]:
        return []
    if "near" in record:
        return ["anything near this row"]
    sure = ": no feature can change this decision" if record["status"] != "impossible" else ""
    return [f"anything{sure}"]


@dataclass(frozen=True, slots=True)
class _LaneRow:
    """A lane with its position on the page, in inches.

    Attributes
    ----------
    track : Track
    words : str
        The text beside it, in lines.
    value : str
        The row's own value, in lines.
    top, height : float
    boxes : tuple of pairs
        Categories and their boxes.
    """

    track: Track
    words: str
    value: str
    top: float
    height: float
    boxes: tuple[tuple[Chip, NameBox], ...]

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class _LanePage:
    """The lanes of a picture; in inches, with the left end of the lanes at 0.

    Attributes
    ----------
    rows : tuple of _LaneRow
    lane : float
        How long lanes are.
    before, after : float
        The room for numbers and missing values before and after them.
    height : float
    """

    rows: tuple[_LaneRow, ...]
    lane: float
    before: float
    after: float
    height: float

    @property
    def width(self) -> float:
        return self.before + self.lane + self.after

    @classmethod
    def plan(cls, drawn: Sequence[Track], width: float) -> _LanePage:
        """The page for some features, with a given width."""
        words = [wrap(_describe(track), 0.3 * width, NAME, 12) for track in drawn]
        values = [wrap(_describe_value(track), 0.16 * width, SMALL) for track in drawn]
        lanes = [track.picture for track in drawn if isinstance(track.picture, Lane)]
        ends = [[tick.text for tick in lane.ticks] or [""] for lane in lanes] or [[""]]
        before = max(measure_text(texts[0], SMALL) for texts in ends) + ARROW + 0.05
        numbers = max(measure_text(texts[-1], SMALL) for texts in ends) + ARROW + 0.05
        missing = any(track.missing and track.is_numeric for track in drawn)
        after = numbers + (MISSING_WIDTH + 0.1 if missing else 0.0)
        beside = max((measure_text(text, NAME) for text in words), default=0.0)
        behind = max((measure_text(text, SMALL) for text in values), default=0.0)
        lane = max(1.5, width - beside - behind - before - after - 0.6)
        rows: list[_LaneRow] = []
        top = 0.0
        for track, said, value in zip(drawn, words, values, strict=True):
            chips = _list_chips(track)
            boxes = flow_names((chip.name for chip in chips), lane + after, top, _measure_above(track))
            height = _measure_lane(track, top, boxes, (said, value))
            rows.append(_LaneRow(track, said, value, top, height, tuple(zip(chips, boxes, strict=True))))
            top += height + (0.1 if track.is_free else 0.17)
        return cls(tuple(rows), lane, before, after, max(top, 0.2))


def _describe(track: Track) -> str:
    """The text beside a lane: the condition, or the name of a free feature."""
    return track.title if track.is_free else track.text


def _describe_value(track: Track) -> str:
    """The row's own value, and whether it lies outside the training range."""
    return ", ".join(filter(None, (track.short_value, track.beyond)))


def _list_chips(track: Track) -> list[Chip]:
    """All shown categories; two more entries say how many others there are."""
    if not isinstance(track.picture, Chips):
        return []
    counts = ((track.picture.more_allowed, True), (track.picture.more_excluded, False))
    more = [Chip(f"{count} more", allowed, own=False) for count, allowed in counts if count]
    return [*track.picture.shown, *more, *([track.missing] if track.missing else [])]


def _measure_above(track: Track) -> float:
    """The room above each category: for its training rows, and the mark."""
    counted = isinstance(track.picture, Chips) and any(chip.height for chip in track.picture.shown)
    return 0.2 if counted and not track.is_free else 0.13


def _measure_lane(track: Track, top: float, boxes: Sequence[NameBox], words: tuple[str, str]) -> float:
    lines = [count_lines(text) * line_height(size) for text, size in zip(words, (NAME, SMALL), strict=True)]
    drawn = [box.top + box.height - top for box in boxes]
    return max(*lines, *drawn, _measure_columns(track) + _measure_bar(track) + 0.06)


def _measure_bar(track: Track) -> float:
    return 0.05 if track.is_free else 0.11


def _measure_columns(track: Track) -> float:
    if not (isinstance(track.picture, Lane) and track.picture.columns):
        return 0.06
    return 0.14 if track.is_free else 0.26


def _draw(ax: Axes, page: _LanePage) -> None:
    clear_frame(ax)
    ax.set_xlim(-page.before, page.lane + page.after)
    ax.set_ylim(page.height, 0)
    labels = set_names(ax, [row.middle for row in page.rows], [row.words for row in page.rows], NAME)
    for label, row in zip(labels, page.rows, strict=True):
        label.set_color(GREY if row.track.is_free else INK)
        if row.track.is_numeric:
            _draw_numbers(ax, row, page)
        for chip, box in row.boxes:
            _draw_box(ax, row.track, chip, box)
        style = {"ha": "left", "va": "center", "transform": ax.get_yaxis_transform(), "linespacing": 1.15}
        write(ax, 1.01, row.middle, row.value, SMALL, color=GREY if row.track.is_free else INK, **style)


def _draw_numbers(ax: Axes, row: _LaneRow, page: _LanePage) -> None:
    """Draw a lane of numbers: training rows faint, allowed ranges solid, the row's own number marked."""
    track, lane = row.track, row.track.picture
    assert isinstance(lane, Lane)
    high, bar = _measure_columns(track), _measure_bar(track)
    top = row.middle - (high + bar) / 2
    base, bottom = top + high, top + high + bar
    colour = LINE if track.is_free else ALLOWED
    _draw_columns(ax, track, lane, page.lane, (top, base))
    draw_line(ax, (0, base), (page.lane, base), LINE, 0.8, label=f"_lane {track.feature}")
    draw_bars(ax, lane.bars, (0, page.lane), (base, bottom), colour=colour, label=f"_allowed {track.feature}")
    _draw_ends(ax, lane, page, base + bar / 2)
    if track.missing is not None:
        _draw_missing(ax, row, track.missing, page.lane + page.after - MISSING_WIDTH, (base, bottom))
    if lane.mark is not None:
        x = lane.mark * page.lane
        draw_line(ax, (x, top), (x, bottom), INK, 1.2, zorder=5)
        draw_mark(ax, x, base + bar / 2, f"_row {track.feature}")


def _draw_columns(ax: Axes, track: Track, lane: Lane, width: float, heights: tuple[float, float]) -> None:
    """Draw the histogram of the training rows; the allowed part has a stronger colour."""
    top, base = heights
    whole, inside = [], []
    for column in lane.columns:
        y = base - column.height * (base - top)
        whole.append(outline_box(width * column.start, y, width * column.end, base))
        for bar in () if track.is_free else lane.bars:
            start, end = max(column.start, bar.start), min(column.end, bar.end)
            if start < end:
                inside.append(outline_box(width * start, y, width * end, base))
    if whole:
        draw_area(ax, whole, Look(FAINT), label=f"_rows {track.feature}")
    if inside:
        draw_area(ax, inside, Look(tint(ALLOWED, 0.35)), label=f"_rows inside {track.feature}", layer=2.5)


def _draw_ends(ax: Axes, lane: Lane, page: _LanePage, y: float) -> None:
    """Draw the ends of the training range, before and after the lane."""
    texts = [tick.text for tick in lane.ticks]
    for x, side, words in (
        (-ARROW - 0.04, "right", texts[:1]),
        (page.lane + ARROW + 0.04, "left", texts[1:]),
    ):
        if words:
            write(ax, x, y, words[0], SMALL, color=GREY, ha=side, va="center")


def _draw_missing(ax: Axes, row: _LaneRow, chip: Chip, left: float, heights: tuple[float, float]) -> None:
    """Draw the box of missing values, beside the lane."""
    high = line_height(SMALL) + PAD
    top = min(sum(heights) / 2 - high / 2, row.top + row.height - high)
    _draw_box(ax, row.track, chip, NameBox(chip.name, left, top, MISSING_WIDTH, high))


def _draw_box(ax: Axes, track: Track, chip: Chip, box: NameBox) -> None:
    """Draw one category: filled if it is allowed, with a thick edge and the mark if it is the row's own."""
    x, y = box.middle
    solid = chip.allowed and not track.is_free
    look = Look(ALLOWED if solid else FAINT if chip.allowed else "none")
    edge = (INK, 1.8) if chip.own else (ALLOWED if solid else LINE, 0.8)
    label = f"_{'allowed' if chip.allowed else 'excluded'} {track.feature}: {chip.name}"
    draw_area(ax, [box.outline], look, edge=edge, label=label, layer=5 if chip.own else 4)
    if chip.height:
        high, wide = chip.height * (_measure_above(track) - 0.03), 0.3 * box.width
        column = outline_box(x - wide, box.top - high, x + wide, box.top)
        look = Look(tint(ALLOWED, 0.35) if solid else FAINT)
        draw_area(ax, [column], look, label=f"_rows {track.feature}")
    ink = "#FFFFFF" if solid else INK if chip.allowed else GREY
    write(ax, x, y, box.words, SMALL, color=ink, ha="center", va="center_baseline")
    if chip.own:
        draw_mark(ax, x, box.top - 0.05, f"_row {track.feature}")


def _list_entries(drawn: Sequence[Track]) -> list[Artist]:
    """The entries of the legend, only for what is drawn."""
    entries = []
    chips = [chip for x in drawn if isinstance(x.picture, Chips) for chip in x.picture.shown]
    chips += [track.missing for track in drawn if track.missing]
    if any(not track.is_free for track in drawn):
        entries.append(area_entry("allowed by the rule", Look(ALLOWED)))
    if any(track.is_free for track in drawn):
        entries.append(line_entry("doesn't matter here", color=LINE, linewidth=4))
    if any(not chip.allowed for chip in chips):
        entries.append(area_entry("not allowed", Look("none"), (LINE, 0.8)))
    if any(isinstance(x.picture, Lane) and x.picture.columns for x in drawn) or any(
        chip.height for chip in chips
    ):
        entries.append(area_entry("training rows", Look(FAINT)))
    if any(track.value for track in drawn):
        entries.append(mark_entry("this row"))
    return entries
