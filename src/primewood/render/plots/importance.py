"""Which features matter over some rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from primewood.render import importance as words
from primewood.render.numbers import format_count
from primewood.render.plots.drawing import AxesSpace, area_entry, check_axes, finish
from primewood.render.plots.feature_use import Bars, check_most, draw_counts
from primewood.render.plots.inputs import IMPORTANCE, read_record
from primewood.render.plots.style import ALLOWED, Look, tint
from primewood.render.records import ImportanceRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MENTIONED, FLIPS = tint(ALLOWED, 0.3), ALLOWED


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
        The number of features with a count that are not drawn.
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
    """Draw how many explanations mention each feature, and on how many rows it alone flips the decision.

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
        The axes, and both counts.

    Raises
    ------
    InvalidInput
        If `found` is something else, `ax` is not an Axes, or `most` is not a positive whole number.
    MissingDependency
        If matplotlib is not installed.
    """
    check_most(most)
    record: ImportanceRecord = read_record(found, IMPORTANCE, "importance")
    axes = check_axes(ax)
    used = [x for x in record["importance"] if x["in_explanations"] or x["flips_alone"]]
    shown, unused = used[:most], len(record["importance"]) - len(used)
    names = [x["feature"] for x in shown]
    mentioned, flips = [x["in_explanations"] for x in shown], [x["flips_alone"] for x in shown]
    bars = [
        Bars("_in_explanations", mentioned, record["explained"], MENTIONED),
        Bars("_flips_alone", flips, record["tested"], FLIPS, 0.09),
    ]
    told = [f"{a:,}, {b:,} alone" for a, b in zip(mentioned, flips, strict=True)]
    room = None if axes is None else axes.get_window_extent().frozen()
    made, size = draw_counts(axes, names, bars, told)
    entries = [
        area_entry("the explanation mentions it", Look(MENTIONED)),
        area_entry("it alone flips the decision", Look(FLIPS)),
    ]
    left_out = len(used) - len(shown)
    notes = _list_notes(record, bool(shown), left_out, unused)
    finish(made, words.title(record), entries, notes=notes, space=AxesSpace(size, room))
    in_explanations, flips_alone = (dict(zip(names, counts, strict=True)) for counts in (mentioned, flips))
    return ImportanceDisplay(made, made.figure, in_explanations, flips_alone, left_out, unused)


def _list_notes(record: ImportanceRecord, is_used: bool, left_out: int, unused: int) -> list[str]:
    """Notes about what is not drawn, and about the limits of the counts."""
    notes = []
    if record["rows"] and not is_used:
        notes.append("no explanation mentions any feature: no value can change a decision")
    if left_out:
        notes.append(f"and {format_count(left_out, 'more feature')}, in fewer explanations")
    if unused and record["rows"]:
        notes.append(f"{format_count(unused, 'feature')} in no explanation")
    return [*notes, *words.describe_undecided(record), words.CAVEAT]
