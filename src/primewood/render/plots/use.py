"""How often the explanations of a batch use each feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render import text
from primewood.render.plots.lane_drawing import NAME
from primewood.render.plots.library import checked
from primewood.render.plots.looks import ALLOWED, GREY, LINE, Look
from primewood.render.plots.measure import line_height, text_width, wrapped
from primewood.render.plots.page import Page, Shape, Stroke, Words, box, put
from primewood.render.plots.records import BATCH, FAILED, SUMMARY, is_frame, record_of, summary_of
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass(frozen=True)
class FeatureUseDisplay:
    """What `feature_use` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    counts : dict
        Per feature that is drawn, from the top, in how many explanations it is used.
    rows : int
        How many explanations there are; rows that failed have none.
    left_out : int
        How many features that are used are not drawn.
    unused : int
        How many features no explanation uses, though trees look at them.
    failed : int
        How many rows could not be explained.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    counts: dict[str, int] = field(repr=False)
    rows: int
    left_out: int
    unused: int
    failed: int


def feature_use(batch: Any, *, ax: Any = None, most: int = 20) -> FeatureUseDisplay:
    """Draw in how many explanations of a batch each feature is used.

    Parameters
    ----------
    batch
        A batch of explanations, its summary, or the overview of a folder; the record of one of these; or a frame with
        one line per row, as ``batch.to_frame()`` gives it or as a part of a folder is read (pandas, polars).
    ax
        Axes to draw on; by default those of a new figure, whose height follows the number of features.
    most
        How many features are drawn, the most used ones.

    Returns
    -------
    FeatureUseDisplay
    """
    check_most(most)
    axes, summary = checked(ax), _summary(batch)
    features, failed = summary["features"], summary.get("statuses", {}).get(FAILED, 0)
    rows = summary["rows"] - failed
    used = {name: count for name, count in features.items() if count}
    ranked = sorted(used, key=lambda name: -used[name])
    counts = {name: used[name] for name in ranked[:most]}
    left_out, unused = len(ranked) - len(counts), len(features) - len(used)
    notes = _notes(rows, left_out, unused, failed)
    found = put(partial(_page, rows, counts, notes), axes)
    return FeatureUseDisplay(found, found.figure, counts, rows, left_out, unused, failed)


def check_most(most: object) -> None:
    """Raise unless it is how many features to draw."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most is how many features are drawn, a whole number from 1; not {most!r}")


def _summary(batch: Any) -> Record:
    if is_frame(batch):
        return summary_of(batch, "feature_use")
    summary = getattr(batch, "summary", None)
    if callable(summary):
        return record_of(summary(), SUMMARY, "feature_use")
    if BATCH.fits(batch):
        return record_of(batch["summary"], SUMMARY, "feature_use")
    return record_of(batch, SUMMARY, "feature_use")


def _page(rows: int, counts: dict[str, int], notes: list[str], width: float) -> Page:
    page = Page(width)
    page.paragraph(f"Features used in {_number(rows, 'explanation')}", size=12, bold=True)
    page.y += 0.08
    names = min(max((text_width(name, NAME) for name in counts), default=0.0), 0.36 * width)
    left = names + 0.12
    told = {name: f"{count:,}  ({text.share(count / rows)})" for name, count in counts.items()}
    right = width - max((text_width(words, NAME) for words in told.values()), default=0.0) - 0.08
    top = page.y
    for name, count in counts.items():
        lines = wrapped(name, names, NAME, most=2)
        height = max(len(lines) * line_height(NAME), 0.19) + 0.07
        middle, end = page.y + height / 2, left + (right - left) * count / rows
        page.lines(lines, names, middle, size=NAME, align="right")
        page.add(
            Shape(
                [box(left, middle - 0.08, end, middle + 0.08)], Look(ALLOWED, ALLOWED), label=f"_use {name}"
            )
        )
        page.add(Words(end + 0.06, middle, told[name], NAME))
        page.y += height
    if counts:
        page.add(Stroke((left, top), (left, page.y), LINE))
    page.y += 0.04
    if rows and not counts:
        page.paragraph("no explanation uses any feature: no value can change a decision", size=9)
    for note in notes:
        page.paragraph(note, size=8, colour=GREY)
    return page


def _notes(rows: int, left_out: int, unused: int, failed: int) -> list[str]:
    """What is not drawn, in words."""
    notes = []
    if left_out:
        notes.append(f"and {_number(left_out, 'more feature')}, used less often")
    if unused and rows:
        notes.append(f"{_number(unused, 'feature')} that trees look at, but no explanation uses")
    if failed:
        notes.append(f"{_number(failed, 'row')} that could not be explained, not counted")
    return notes


def _number(count: int, noun: str) -> str:
    """A number of things.

    >>> _number(1, "feature"), _number(2, "feature")
    ('1 feature', '2 features')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
