"""The what-if strip of one feature: what is decided if only this feature changes, and where that is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from primewood.render.plots.bars import draw_bars, outline
from primewood.render.plots.grid import grid
from primewood.render.plots.labels import Label, draw_labels, placed
from primewood.render.plots.lanes import Bar, Window, titled, value_in_words
from primewood.render.plots.legend import Entry, draw_legend
from primewood.render.plots.library import checked
from primewood.render.plots.looks import GREY, IMPOSSIBLE, INK, LINE, Look, look_of_class
from primewood.render.plots.measure import line_height, one_line, text_width
from primewood.render.plots.page import Diamond, Page, Shape, Stroke, Words, box, put
from primewood.render.plots.records import WHAT_IF, record_of
from primewood.render.plots.words import ends_in_words
from primewood.render.text import Record, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SMALL = 8.0
STRIP, BAR, ARROW = 0.36, 0.09, 0.09
MISSING_WIDTH = 0.8
NOWHERE = "no such row, by the constraints"


@dataclass(frozen=True, slots=True)
class Piece:
    """Numbers, a category, or "missing", about which one thing is decided.

    Attributes
    ----------
    bar : Bar or None
        Where the numbers lie; None for a category, and for missing.
    name : str
        The category, or "missing"; empty for numbers.
    decision : object
        What is decided if only this feature changes; None if there is no such row.
    proved : bool
        Whether that is proved whatever the free features are.
    own : bool
        Whether the row's own value is in it.
    is_missing : bool
        Whether it stands for missing values.
    """

    bar: Bar | None
    name: str
    decision: object
    proved: bool
    own: bool
    is_missing: bool = False


@dataclass(frozen=True)
class WhatIfDisplay:
    """What `what_if` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    window : Window or None
        The numbers that the strip spans; None for categories.
    mark : float or None
        Where the row's own number lies, from 0 to 1; None if it has none.
    pieces : tuple of Piece
        What is drawn, from the left.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    window: Window | None
    mark: float | None
    pieces: tuple[Piece, ...] = field(repr=False)


def what_if(strip: Any, *, ax: Any = None) -> WhatIfDisplay:
    """Draw what is decided if one feature of a row changes, and where that is proved.

    Parameters
    ----------
    strip
        What `explainer.what_if(x, feature)` returns, or its record.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    WhatIfDisplay
    """
    record, axes = record_of(strip, WHAT_IF, "what_if"), checked(ax)
    numbers = [piece for piece in record["pieces"] if "low" in piece]
    window = _window(record, numbers) if numbers else None
    mark = None if window is None or record["value"] is None else window.place(record["value"])
    pieces = tuple(_piece(record, piece, window) for piece in record["pieces"])
    found = put(partial(_page, record, window, mark, pieces), axes)
    return WhatIfDisplay(found, found.figure, window, mark, pieces)


def _window(record: Record, numbers: Sequence[Record]) -> Window:
    ends = [piece[end] for piece in numbers for end in ("low", "high")]
    return Window.around([record.get("low"), record.get("high"), record["value"]], ends)


def _piece(record: Record, piece: Record, window: Window | None) -> Piece:
    if "low" in piece:
        assert window is not None
        shown = [piece["text"]] if "text" in piece else []
        (words,) = ends_in_words({**record, "intervals": [piece], "shown": shown})
        own = record["value"] is not None and record["value"] in interval(piece)
        return Piece(Bar.of(window, piece, words), "", piece["decision"], piece["proved"], own)
    if piece.get("missing"):
        return Piece(None, "missing", piece["decision"], piece["proved"], record["value"] is None, True)
    name = ", ".join(one_line(name) for name in piece["values"])
    own = str(record["value"]) in map(str, piece["values"])
    return Piece(None, name, piece["decision"], piece["proved"], own)


def look_of(decision: object, classes: Sequence[object]) -> Look:
    """How the area of a decision is filled."""
    return look_of_class(list(classes).index(decision)) if decision in classes else IMPOSSIBLE


def _page(
    record: Record, window: Window | None, mark: float | None, pieces: Sequence[Piece], width: float
) -> Page:
    page = Page(width)
    name = titled(record["feature"], record["unit"])
    page.paragraph(f"What if only {name} changes?", size=12, bold=True, most=2)
    page.y += 0.12
    missing = [piece for piece in pieces if piece.is_missing]
    right = width - ARROW - (MISSING_WIDTH + 0.15 if missing else 0.0)
    top = page.y
    if window is not None:
        _numbers(page, record, mark, pieces, (ARROW, right))
    else:
        _categories(page, record, [piece for piece in pieces if not piece.is_missing], (0.0, right))
    if missing:
        y = top + (line_height(SMALL) + 0.05 if window is not None else 0.14)
        _cell(page, record, missing[0], (width - MISSING_WIDTH, y, width, y + STRIP), ["missing"])
        page.y = max(page.y, y + STRIP + 0.1)
    page.y += 0.1
    draw_legend(page, _legend(record, pieces))
    page.y += 0.04
    page.paragraph(record.get("rule") or "", size=8, colour=GREY, most=3)
    return page


def _numbers(
    page: Page, record: Record, mark: float | None, pieces: Sequence[Piece], span: tuple[float, float]
) -> None:
    """The strip of numbers, the bar of what is proved below it, and the bounds in words."""
    left, right = span
    top = page.y + line_height(SMALL) + 0.05
    bottom, bar = top + STRIP, top + STRIP + 0.04
    for decision, run in _runs(pieces):
        look, label = look_of(decision, record["classes"]), f"_decides {decision}"
        page.add(Shape([outline(run, span, (top, bottom), ARROW)], look, "white", 1.0, label, 2))
        _name(page, decision, run, mark, span, (top + bottom) / 2)
    proved = [piece.bar for piece in pieces if piece.bar is not None and piece.proved]
    draw_bars(page, proved, span, (bar, bar + BAR), arrow=ARROW, colour=INK, label="_proved")
    if mark is not None:
        x = left + mark * (right - left)
        page.add(Stroke((x, top - 0.05), (x, bar + BAR), INK, 1.3, layer=5), Diamond(x, bottom, "_row"))
        value = placed([Label(x, value_in_words(record))], left, right, size=SMALL, most_rows=1)
        page.add(*value.at(page.y + line_height(SMALL) / 2))
    page.y = bar + BAR + 0.04
    _bounds(page, pieces, span)


def _runs(pieces: Sequence[Piece]) -> list[tuple[object, Bar]]:
    """The stretches of one decision, proved or not."""
    found: list[tuple[object, Bar]] = []
    for piece in pieces:
        run = piece.bar
        if run is None:
            continue
        if found and found[-1][0] == piece.decision and found[-1][1].end == run.start:
            last = found.pop()[1]
            run = Bar(last.start, run.end, (last.goes_on[0], run.goes_on[1]), (last.words[0], run.words[1]))
        found.append((piece.decision, run))
    return found


def _name(
    page: Page, decision: object, run: Bar, mark: float | None, span: tuple[float, float], y: float
) -> None:
    """The name of a decision in its stretch, beside the row's mark, if there is room for it."""
    start, end = run.start, run.end
    if mark is not None and start < mark < end:
        start, end = (mark, end) if end - mark > mark - start else (start, mark)
    name, wide = one_line("" if decision is None else decision), span[1] - span[0]
    if text_width(name, SMALL) <= (end - start) * wide - 0.12:
        page.add(Words(span[0] + (start + end) / 2 * wide, y, name, SMALL, INK, "center", halo=True))


def _bounds(page: Page, pieces: Sequence[Piece], span: tuple[float, float]) -> None:
    """Where something changes, in words: as one meets it going away from the row's own number."""
    own = next((k for k, piece in enumerate(pieces) if piece.own and piece.bar is not None), -1)
    bars = [(k - own, piece.bar) for k, piece in enumerate(pieces) if piece.bar is not None]
    ends = [(k, bar.start, bar.words[0]) if k > 0 else (-k, bar.end, bar.words[1]) for k, bar in bars if k]
    labels = [
        Label(span[0] + place * (span[1] - span[0]), words) for _, place, words in sorted(ends) if words
    ]
    for label in labels:
        page.add(Stroke((label.x, page.y - 0.08 - BAR), (label.x, page.y), LINE, 0.8, layer=1))
    draw_labels(page, labels, (span[0] - ARROW, span[1] + ARROW))


def _categories(page: Page, record: Record, pieces: Sequence[Piece], span: tuple[float, float]) -> None:
    found = grid([piece.name for piece in pieces], *span, 0.14)
    for piece, (left, top, right, bottom), lines in zip(pieces, found.boxes, found.lines, strict=True):
        _cell(page, record, piece, (left, page.y + top, right, page.y + bottom + 0.08), lines)
    page.y += found.height + 0.1


def _cell(
    page: Page, record: Record, piece: Piece, bounds: tuple[float, float, float, float], lines: Sequence[str]
) -> None:
    """A category, or missing: filled by its decision, with the bar below it if that is proved."""
    left, top, right, bottom = bounds
    look, middle = look_of(piece.decision, record["classes"]), (left + right) / 2
    edge, thick = (INK, 1.8) if piece.own else (LINE, 0.8)
    label = f"_decides {piece.decision}: {piece.name}"
    page.add(Shape([box(*bounds)], look, edge, thick, label, 3))
    if piece.proved:
        bar = box(left, bottom - 0.08, right, bottom)
        page.add(Shape([bar], Look(INK, INK), label=f"_proved {piece.name}", layer=4))
    page.lines(lines, middle, (top + bottom - 0.08) / 2, size=SMALL, align="center", halo=True)
    if piece.own:
        page.add(Diamond(middle, top - 0.05, "_row"))


def _legend(record: Record, pieces: Sequence[Piece]) -> list[Entry]:
    entries = []
    drawn = dict.fromkeys(piece.decision for piece in pieces)
    for name in sorted(drawn, key=lambda name: name != record["decision"]):
        stays = " (as now)" if name == record["decision"] else ""
        words = NOWHERE if name is None else f"{one_line(name)}{stays}"
        entries.append(Entry(words, look_of(name, record["classes"]), LINE))
    if any(piece.proved for piece in pieces):
        proved = f"proved: {one_line(record['decision'])}, whatever the free features are"
        entries.append(Entry(proved, Look(INK, INK), kind="bar"))
    entries.append(Entry(f"this row: {value_in_words(record)}"))
    return entries
