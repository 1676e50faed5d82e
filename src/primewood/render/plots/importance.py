"""Which features matter over some rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from primewood.render import importance as words
from primewood.render.numbers import counted
from primewood.render.plots.lane_drawing import NAME
from primewood.render.plots.legend import Entry, draw_legend
from primewood.render.plots.library import checked
from primewood.render.plots.looks import ALLOWED, GREY, LINE, Look, tint
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.render.plots.page import Page, Shape, Stroke, Words, box, put
from primewood.render.plots.records import IMPORTANCE, record_of
from primewood.render.plots.use import check_most
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MENTIONED = Look(tint(ALLOWED, 0.3), tint(ALLOWED, 0.3))
FLIPS = Look(ALLOWED, ALLOWED)


@dataclass(frozen=True)
class ImportanceDisplay:
    """What `importance` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    in_explanations, flips_alone : dict
        Per feature that is drawn, from the top, both counts.
    left_out : int
        How many features that occur are not drawn.
    unused : int
        How many features are in no explanation.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    in_explanations: dict[str, int] = field(repr=False)
    flips_alone: dict[str, int] = field(repr=False)
    left_out: int
    unused: int


def importance(found: Any, *, ax: Any = None, most: int = 20) -> ImportanceDisplay:
    """Draw, per feature, in how many explanations it is, and on how many rows it alone flips the decision.

    Parameters
    ----------
    found
        What ``explainer.importance(X)`` returns, or its record.
    ax
        Axes to draw on; by default those of a new figure, whose height follows the number of features.
    most
        How many features are drawn, the most frequent ones.

    Returns
    -------
    ImportanceDisplay
    """
    check_most(most)
    axes, record = checked(ax), record_of(found, IMPORTANCE, "importance")
    used = [x for x in record["importance"] if x["in_explanations"] or x["flips_alone"]]
    shown, unused = used[:most], len(record["importance"]) - len(used)
    notes = _notes(record, len(used) - len(shown), unused)
    made = put(partial(_page, record, shown, notes), axes)
    mentioned, flips = ({x["feature"]: x[key] for x in shown} for key in ("in_explanations", "flips_alone"))
    return ImportanceDisplay(made, made.figure, mentioned, flips, len(used) - len(shown), unused)


def _page(record: Record, shown: list[Record], notes: list[str], width: float) -> Page:
    page = Page(width)
    page.paragraph(words.title(record), size=12, bold=True)
    page.y += 0.04
    entries = Entry("the explanation mentions it", MENTIONED), Entry("it alone flips the decision", FLIPS)
    draw_legend(page, entries)
    page.y += 0.06
    names = min(max((text_width(x["feature"], NAME) for x in shown), default=0.0), 0.36 * width)
    told = {x["feature"]: f"{x['in_explanations']:,}, {x['flips_alone']:,} alone" for x in shown}
    left = names + 0.12
    right = width - max((text_width(text, NAME) for text in told.values()), default=0.0) - 0.08
    top = page.y
    for entry in shown:
        _bars(page, record, entry, told[entry["feature"]], (names, left, right))
    if shown:
        page.add(Stroke((left, top), (left, page.y), LINE))
    page.y += 0.04
    if record["rows"] and not shown:
        page.paragraph("no explanation mentions any feature: no value can change a decision", size=9)
    for note in notes:
        page.paragraph(note, size=8, colour=GREY)
    return page


def _bars(page: Page, record: Record, entry: Record, told: str, places: tuple[float, float, float]) -> None:
    """One feature: the pale bar of its explanations, and in it the one of its flips."""
    names, left, right = places
    lines = wrapped(entry["feature"], names, NAME, most=2)
    height = max(len(lines) * line_height(NAME), 0.19) + 0.07
    middle, ends = page.y + height / 2, []
    page.lines(lines, names, middle, size=NAME, align="right")
    for key, whole, look, half in (
        ("in_explanations", record["explained"], MENTIONED, 0.08),
        ("flips_alone", record["tested"], FLIPS, 0.045),
    ):
        ends.append(left + (right - left) * (entry[key] / whole if whole else 0.0))
        outline = box(left, middle - half, ends[-1], middle + half)
        page.add(Shape([outline], look, label=f"_{key} {entry['feature']}"))
    page.add(Words(max(ends) + 0.06, middle, told, NAME))
    page.y += height


def _notes(record: Record, left_out: int, unused: int) -> list[str]:
    """What is not drawn, and what the counts do not say."""
    notes = []
    if left_out:
        notes.append(f"and {counted(left_out, 'more feature')}, in fewer explanations")
    if unused and record["rows"]:
        notes.append(f"{counted(unused, 'feature')} in no explanation")
    return [*notes, *words.undecided(record), words.CAVEAT]
