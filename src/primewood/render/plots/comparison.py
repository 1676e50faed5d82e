"""Several explanations of one row, side by side: which features each uses, and which range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render import text
from primewood.render.plots.bars import draw_bars
from primewood.render.plots.lane_drawing import NAME
from primewood.render.plots.lanes import Lane, Window, entries_of, lane, window_of
from primewood.render.plots.legend import Entry, draw_legend
from primewood.render.plots.library import checked
from primewood.render.plots.looks import ALLOWED, GREY, LINE, PALE, Look
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.render.plots.page import Diamond, Page, Shape, Stroke, Words, box, put
from primewood.render.plots.records import records_of
from primewood.render.plots.words import without_name
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SMALL = 7.5
BAR = 0.1
ARROW = 0.06
GAP = 0.16
COLUMN = 1.6


@dataclass(frozen=True, slots=True)
class Column:
    """One explanation.

    Attributes
    ----------
    record : mapping
        Its record.
    lanes : tuple of Lane
        Per feature, in the same order for all explanations.
    words : tuple of str
        Per feature what the explanation says about it, without its name; empty if it leaves it free.
    """

    record: Record
    lanes: tuple[Lane, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class SideBySideDisplay:
    """What `side_by_side` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    features : tuple of str
        The features that any of the explanations uses, from the top.
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
    """Draw several explanations of one row, one column each, over the features that any of them uses.

    Parameters
    ----------
    whys
        The explanations, or their records.
    ax
        Axes to draw on; by default those of a new figure, whose size follows the numbers of lanes and columns.
    most
        How many are drawn, the first ones.

    Returns
    -------
    SideBySideDisplay
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most is how many explanations are drawn, a whole number from 1; not {most!r}")
    axes = checked(ax)
    records, more = records_of(whys, "side_by_side", most)
    entries = _entries(records)
    literals = [{literal["feature"]: literal for literal in record["literals"]} for record in records]
    features = tuple(dict.fromkeys(name for said in literals for name in said))
    windows = {name: _window(entries[name], [said.get(name) for said in literals]) for name in features}
    columns = tuple(
        Column(
            record,
            tuple(lane(entries[name], said.get(name), windows[name]) for name in features),
            tuple(without_name(said[name]) if name in said else "" for name in features),
        )
        for record, said in zip(records, literals, strict=True)
    )
    width = 2.6 + len(columns) * (COLUMN + GAP)
    found = put(partial(_page, columns, more), axes, max(6.0, width))
    return SideBySideDisplay(found, found.figure, features, columns, more)


def _entries(records: Sequence[Record]) -> dict[str, Record]:
    """What the records say about the row; all must say the same."""
    entries: dict[str, Record] = {}
    for record in records:
        for name, entry in entries_of(record).items():
            known = entries.setdefault(name, entry)
            if known.get("value") != entry.get("value"):
                raise InvalidInput(
                    "side_by_side compares explanations of one row; here "
                    f"{name} is {known.get('shown')} in one and {entry.get('shown')} in another"
                )
    return entries


def _window(entry: Record, literals: Sequence[Record | None]) -> Window | None:
    numeric = any(literal is not None and "intervals" in literal for literal in literals)
    return window_of(entry, literals) if numeric else None


def _page(columns: Sequence[Column], more: bool, width: float) -> Page:
    page = Page(width)
    page.paragraph(_title(columns), size=12, bold=True, most=2)
    if more:
        page.paragraph(f"the first {len(columns)} of more", size=8, colour=GREY)
    page.y += 0.1
    titles = [x.title for x in columns[0].lanes]
    names = min(max((text_width(title, NAME) for title in titles), default=0.0), 0.26 * width) + 0.06
    step = (width - names - 0.1) / len(columns)
    spans = [
        (names + 0.1 + k * step + GAP / 2 + ARROW, names + 0.1 + (k + 1) * step - GAP / 2)
        for k in range(len(columns))
    ]
    _heads(page, columns, spans)
    if not titles:
        page.paragraph("anything: no feature is needed", size=9)
    for place, title in enumerate(titles):
        _row(page, title, names, columns, place, spans)
    page.y += 0.08
    draw_legend(page, _legend(columns))
    return page


def _title(columns: Sequence[Column]) -> str:
    decisions = dict.fromkeys(str(column.record["decision"]) for column in columns)
    return f"Why {' or '.join(decisions)}: {len(columns)} explanation{'s' if len(columns) > 1 else ''} of one row"


def _heads(page: Page, columns: Sequence[Column], spans: Sequence[tuple[float, float]]) -> None:
    """The number of each explanation, and below it what sets it apart."""
    several = len({str(column.record["decision"]) for column in columns}) > 1
    lines = []
    for column, (left, right) in zip(columns, spans, strict=True):
        record, size = column.record, len(column.record["literals"])
        said = [str(record["decision"])] if several else []
        said.append(f"{size} feature{'' if size == 1 else 's'}")
        said += [f"covers {text.share(record['coverage'])}"] if record.get("coverage") is not None else []
        said += ["stopped early"] if record["status"] == "interrupted" else []
        lines.append([line for words in said for line in wrapped(words, right - left, 8, most=2)])
    for number, ((left, _), said) in enumerate(zip(spans, lines, strict=True), start=1):
        page.add(Words(left, page.y + line_height(10) / 2, str(number), 10, bold=True))
        for k, line in enumerate(said):
            page.add(Words(left, page.y + line_height(10) + (k + 0.5) * line_height(8), line, 8, GREY))
    page.y += line_height(10) + max(map(len, lines)) * line_height(8) + 0.06


def _row(
    page: Page,
    title: str,
    names: float,
    columns: Sequence[Column],
    place: int,
    spans: Sequence[tuple[float, float]],
) -> None:
    """One feature in all explanations."""
    name = wrapped(title, names - 0.06, NAME)
    said = [
        wrapped(column.words[place], right - left, SMALL, most=3) if column.words[place] else []
        for column, (left, right) in zip(columns, spans, strict=True)
    ]
    words = 0.12 + BAR + 0.04
    height = 0.07 + max(words + max(map(len, said)) * line_height(SMALL), len(name) * line_height(NAME) + 0.1)
    top, middle = page.y, page.y + height / 2
    shade = Look(PALE if place % 2 == 0 else "none", PALE)
    page.add(Shape([box(0, top, page.width, top + height)], shade, layer=0.5))
    page.lines(name, names, middle, size=NAME, align="right")
    for number, (column, span, lines) in enumerate(zip(columns, spans, said, strict=True), start=1):
        if column.lanes[place].is_free:
            page.add(Words(sum(span) / 2, middle, "free", SMALL, GREY, "center"))
        else:
            _cell(page, column.lanes[place], span, top + 0.12, f"{column.lanes[place].feature} {number}")
        page.lines(lines, span[0], top + words + len(lines) * line_height(SMALL) / 2, size=SMALL)
    page.y += height


def _cell(page: Page, lane: Lane, span: tuple[float, float], top: float, label: str) -> None:
    """One feature in one explanation that uses it."""
    left, right = span
    right -= (0.2 if lane.missing else 0.0) + ARROW
    if lane.window is None:
        _categories(page, lane, left, right, top, label)
    else:
        _numbers(page, lane, left, right, top, label)
    if lane.missing is not None:
        allowed, own = lane.missing.allowed, lane.missing.own
        _box(page, (span[1] - 0.16, span[1]), top, allowed, own, f"{label}: missing")
        ink = "#FFFFFF" if allowed else GREY
        page.add(Words(span[1] - 0.08, top + BAR / 2, "?", 6, ink, "center", bold=True))


def _numbers(page: Page, lane: Lane, left: float, right: float, top: float, label: str) -> None:
    page.add(Stroke((left, top), (right, top), LINE, 0.8, f"_lane {label}"))
    heights = (top, top + BAR)
    draw_bars(page, lane.bars, (left, right), heights, arrow=ARROW, colour=ALLOWED, label=f"_allowed {label}")
    if lane.mark is not None:
        page.add(Diamond(left + lane.mark * (right - left), top + BAR / 2, f"_row {label}", 6))


def _categories(page: Page, lane: Lane, left: float, right: float, top: float, label: str) -> None:
    """The categories as small boxes in their natural order."""
    count = max(1, len(lane.cells))
    ends = [left + k * (right - left) / count for k in range(count + 1)]
    space = min(0.03, 0.2 * (right - left) / count)
    for cell, (start, end) in zip(lane.cells, pairwise(ends), strict=False):
        _box(page, (start, end - space), top, cell.allowed, cell.own, f"{label}: {cell.name}")


def _box(page: Page, span: tuple[float, float], top: float, allowed: bool, own: bool, label: str) -> None:
    look = Look(ALLOWED if allowed else "none", ALLOWED)
    what = "allowed" if allowed else "excluded"
    page.add(
        Shape(
            [box(span[0], top, span[1], top + BAR)],
            look,
            ALLOWED if allowed else LINE,
            0.8,
            f"_{what} {label}",
            4,
        )
    )
    if own:
        page.add(Diamond(sum(span) / 2, top - 0.05, f"_row {label}", 6))


def _legend(columns: Sequence[Column]) -> list[Entry]:
    lanes = [x for column in columns for x in column.lanes if not x.is_free]
    entries = [Entry("allowed", Look(ALLOWED, ALLOWED), kind="box")] if lanes else []
    if any(not cell.allowed for x in lanes for cell in x.cells):
        entries.append(Entry("not allowed", Look("none", LINE), LINE))
    entries += [Entry("this row")] if any(x.shown for x in lanes) else []
    if any(x.missing for x in lanes):
        entries.append(Entry("?: missing values", Look("none", LINE), LINE))
    return entries
