"""How many explanations of a batch mention each feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render import text
from primewood.render.plots.drawing import (
    AxesSpace,
    PlotPoint,
    check_axes,
    clear_frame,
    finish,
    line_height,
    make_axes,
    measure_axes,
    measure_text,
    set_names,
    wrap,
)
from primewood.render.plots.inputs import BATCH, FAILED, SUMMARY, is_frame, read_record, summarise_frame
from primewood.render.plots.style import ALLOWED, INK, LINE, NAME
from primewood.render.records import SummaryRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


WIDTH = 8.0
"""How wide a new figure is, in inches."""


@dataclass(frozen=True)
class FeatureUseDisplay:
    """What `feature_use` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    counts : dict
        For each drawn feature, from the top, the number of explanations that mention it.
    rows : int
        The number of explanations; rows that failed have none.
    left_out : int
        The number of features in explanations that are not drawn.
    unused : int
        The number of features that trees test but no explanation mentions.
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
    """Draw how many explanations of a batch mention each feature.

    Parameters
    ----------
    batch
        A batch of explanations, its summary, or the overview of a folder; the record of one of these; or a frame with
        one line per row, as ``batch.to_frame()`` gives it or as a part of a folder is read (pandas, polars).
    ax
        Axes to draw on; by default those of a new figure, whose height follows the number of features.
    most
        The number of features to draw, the most frequent first.

    Returns
    -------
    FeatureUseDisplay
        The axes, and the counts.

    Raises
    ------
    InvalidInput
        If `batch` is something else, `ax` is not an Axes, or `most` is not a positive whole number.
    MissingDependency
        If matplotlib is not installed.
    """
    check_most(most)
    axes, summary = check_axes(ax), _summarise(batch)
    features, failed = summary["features"], summary.get("statuses", {}).get(FAILED, 0)
    rows = summary["rows"] - failed
    used = {name: count for name, count in features.items() if count}
    ranked = sorted(used, key=lambda name: -used[name])
    counts = {name: used[name] for name in ranked[:most]}
    left_out, unused = len(ranked) - len(counts), len(features) - len(used)
    bars = Bars("_use", list(counts.values()), rows, ALLOWED)
    told = [f"{count:,}  ({text.write_share(count / rows)})" for count in counts.values()]
    room = None if axes is None else axes.get_window_extent().frozen()
    found, size = draw_counts(axes, list(counts), [bars], told)
    notes = _list_notes(rows, bool(counts), left_out, unused, failed)
    finish(
        found, f"Features used in {_number(rows, 'explanation')}", notes=notes, space=AxesSpace(size, room)
    )
    return FeatureUseDisplay(found, found.figure, counts, rows, left_out, unused, failed)


@dataclass(frozen=True, slots=True)
class Bars:
    """Counts that are drawn as bars.

    Attributes
    ----------
    label : str
        What they count.
    counts : list of int
    whole : int
        The count of a full bar.
    colour : str
    thick : float
        In inches.
    """

    label: str
    counts: list[int]
    whole: int
    colour: str
    thick: float = 0.16


def draw_counts(
    ax: Axes | None, names: list[str], bars: list[Bars], told: list[str]
) -> tuple[Axes, PlotPoint]:
    """Draw a row of bars for each name, one above the other, with text after them; bars are shares of their whole.

    Returns
    -------
    axes, and how wide and how high they should be in inches
    """
    width = WIDTH if ax is None else measure_axes(ax)[0]
    labels = [wrap(name, 0.36 * width, NAME, 3) for name in names]
    heights = [max((label.count("\n") + 1) * line_height(NAME), 0.19) + 0.07 for label in labels]
    ends = list(accumulate(heights, initial=0.0))
    middles = [(start + end) / 2 for start, end in pairwise(ends)]
    height = max(ends[-1], 0.1)
    found = make_axes(WIDTH, height + 1.3) if ax is None else ax
    clear_frame(found)
    found.set_xlim(0, 1)
    found.set_ylim(height, 0)
    set_names(found, middles, labels, NAME)
    found.spines["left"].set(visible=bool(names), color=LINE)
    for one in bars:
        shares = [count / one.whole if one.whole else 0.0 for count in one.counts]
        found.barh(
            middles,
            shares,
            one.thick,
            color=one.colour,
            label=[f"{one.label} {name}" for name in names] or "",
        )
    longest = [
        max(one.counts[k] / one.whole if one.whole else 0.0 for one in bars) for k in range(len(names))
    ]
    invisible = found.barh(middles, longest, 0.0)
    found.bar_label(invisible, told, padding=4, fontsize=NAME, color=INK)
    beside = max((measure_text(label, NAME) for label in labels), default=0.0)
    return found, (width - beside - 0.3, height)


def check_most(most: object) -> None:
    """Raise unless it is a valid number of features to draw."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most, how many features are drawn, must be a whole number from 1, not {most!r}")


def _summarise(batch: Any) -> SummaryRecord:
    if is_frame(batch):
        return summarise_frame(batch, "feature_use")
    summary = getattr(batch, "summary", None)
    given = summary() if callable(summary) else batch["summary"] if BATCH.fits(batch) else batch
    found: SummaryRecord = read_record(given, SUMMARY, "feature_use")
    return found


def _list_notes(rows: int, is_used: bool, left_out: int, unused: int, failed: int) -> list[str]:
    """Notes about what is not drawn."""
    notes = []
    if rows and not is_used:
        notes.append("no explanation uses any feature: no value can change a decision")
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
