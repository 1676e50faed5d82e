"""The decision map of two features: what is decided if only these two change, with the explanation's box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render.numbers import short
from primewood.render.plots.chart import legend_above
from primewood.render.plots.library import checked, library, new_axes, size_of
from primewood.render.plots.looks import INK, LINE
from primewood.render.plots.measure import one_line, unbroken, wrapped
from primewood.render.plots.page import Diamond, Shape, Stroke, box
from primewood.render.plots.records import DECISION_MAP, record_of
from primewood.render.plots.sides import Side, Span, side_of
from primewood.render.plots.strip import NOWHERE, look_of
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = 9.0


@dataclass(frozen=True)
class DecisionMapDisplay:
    """What `decision_map` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    x, y : Side
        The two axes: the first feature goes to the right, the second up.
    decisions : tuple of tuple
        Per cell of the first and of the second feature the place of its decision in `classes`, or None.
    classes : tuple
    """

    ax_: Axes
    figure_: Figure | SubFigure
    x: Side = field(repr=False)
    y: Side = field(repr=False)
    decisions: tuple[tuple[int | None, ...], ...] = field(repr=False)
    classes: tuple[object, ...]


def decision_map(map: Any, *, ax: Any = None) -> DecisionMapDisplay:  # noqa: A002
    """Draw what is decided if two features of a row change, exactly, with the box of an explanation.

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
    """
    record, axes = record_of(map, DECISION_MAP, "decision_map"), checked(ax)
    x, y = (side_of(axis) for axis in record["axes"])
    decisions = tuple(tuple(line) for line in record["decisions"])
    shape = [len(axis["cells"]) for axis in record["axes"]]
    if len(decisions) != shape[0] or any(len(line) != shape[1] for line in decisions):
        raise InvalidInput(
            f"decisions are one list per cell of the first feature, here {shape[0]}, with one entry per cell of the "
            f"second, here {shape[1]}"
        )
    found = new_axes(6.4, 5.4, layout="constrained") if axes is None else axes
    drawn = _areas(found, x, y, decisions, record["classes"])
    _box(found, x, y)
    _row(found, x, y)
    _ticks(found, x, y)
    _legend(found, record, drawn, has_box=bool(x.allowed and y.allowed))
    _fit_beside(found, y)
    return DecisionMapDisplay(found, found.figure, x, y, decisions, tuple(record["classes"]))


def _areas(
    ax: Axes, x: Side, y: Side, decisions: Sequence[Sequence[int | None]], classes: Sequence[object]
) -> list[object]:
    """The areas of all decisions; returns which there are."""
    areas: dict[int | None, list[tuple[tuple[float, float], ...]]] = {}
    for a in x.spans:
        for start, end, decision in _runs(y.spans, decisions[a.cell]):
            areas.setdefault(decision, []).append(box(a.start, start, a.end, end))
    names = {place: None if place is None else classes[place] for place in areas}
    for place, outlines in areas.items():
        Shape(outlines, look_of(names[place], classes), label=f"_decides {names[place]}", layer=1).draw(
            ax, 1.0
        )
    return [names[place] for place in sorted(areas, key=lambda place: (place is None, place or 0))]


def _runs(spans: Sequence[Span], decisions: Sequence[int | None]) -> list[tuple[float, float, int | None]]:
    """Neighbouring cells with one decision as one stretch."""
    found: list[tuple[float, float, int | None]] = []
    for span in spans:
        decision = decisions[span.cell]
        if found and found[-1][1:] == (span.start, decision):
            found[-1] = (found[-1][0], span.end, decision)
        else:
            found.append((span.start, span.end, decision))
    return found


def _box(ax: Axes, x: Side, y: Side) -> None:
    """The edges of the explanation's box; open where it goes on beyond the map."""
    for a in x.allowed:
        for b in y.allowed:
            corners = [
                (a.start, b.start),
                (a.end, b.start),
                (a.end, b.end),
                (a.start, b.end),
                (a.start, b.start),
            ]
            is_open = (b.goes_on[0], a.goes_on[1], b.goes_on[1], a.goes_on[0])
            for (start, end), left_out in zip(pairwise(corners), is_open, strict=True):
                if not left_out:
                    Stroke(start, end, INK, 2.2, "_box", layer=4).draw(ax, 1.0)


def _row(ax: Axes, x: Side, y: Side) -> None:
    if x.mark is not None and y.mark is not None:
        Diamond(x.mark, y.mark, "_row", 9).draw(ax, 1.0)


def _ticks(ax: Axes, x: Side, y: Side) -> None:
    """Names of categories, numbers, and "missing" along both axes."""
    ax.set_xlim(*x.ends)
    ax.set_ylim(*y.ends)
    ax.tick_params(color=LINE)
    ax.spines[:].set_color(LINE)
    for side, axis, room in zip((x, y), (ax.xaxis, ax.yaxis), size_of(ax), strict=True):
        named = [span for span in side.spans if span.name]
        places = side.numbers + [(span.start + span.end) / 2 for span in named]
        names = ["\n".join(wrapped(span.name, 1.5, SIZE, most=2)) for span in named]
        axis.set_ticks(places, [short(x) for x in side.numbers] + names, fontsize=SIZE, parse_math=False)
        title = "\n".join(wrapped(side.title, max(2.0, room), 10, most=2))
        axis.set_label_text(title, fontsize=10, parse_math=False)
    if x.window is None:
        _fit_below(ax, x)


def _fit_below(ax: Axes, x: Side) -> None:
    """Break the names below the map into lines, or turn them, where they are wider than their cells."""
    each, names = size_of(ax)[0] / len(x.spans) - 0.08, [span.name for span in x.spans]
    lines = [wrapped(name, max(0.1, each), SIZE, most=9) for name in names]
    if all(len(words) <= 3 and unbroken(name, words) for name, words in zip(names, lines, strict=True)):
        ax.set_xticks(ax.get_xticks(), ["\n".join(words) for words in lines], fontsize=SIZE, parse_math=False)
    else:
        for label in ax.get_xticklabels():
            label.set(
                rotation=40, ha="right", rotation_mode="anchor", size=min(SIZE, 72 * (each + 0.08) / 1.6)
            )


def _fit_beside(ax: Axes, y: Side) -> None:
    """Make the names beside the map smaller where there are too many of them for its height."""
    room = 72 * size_of(ax)[1] / len(y.spans) / 1.3
    for label in ax.get_yticklabels() if y.window is None else []:
        label.set_fontsize(max(3.0, min(SIZE, room / (label.get_text().count("\n") + 1))))


def _legend(ax: Axes, record: Record, drawn: Sequence[object], *, has_box: bool) -> None:
    patch, line = library("patches").Patch, library("lines").Line2D
    handles, words = [], []
    for name in drawn:
        look = look_of(name, record["classes"])
        handles.append(patch(facecolor=look.fill, edgecolor=look.line, hatch=look.hatch, linewidth=0.0))
        words.append(NOWHERE if name is None else one_line(name))
    if has_box:
        handles.append(patch(facecolor="none", edgecolor=INK, linewidth=2.0))
        words.append("proved by the rule")
    if any(artist.get_label() == "_row" for artist in ax.lines):
        handles.append(line([], [], marker="D", color=INK, linestyle="none", markersize=6))
        words.append("this row")
    both = " and ".join(one_line(axis["feature"]) for axis in record["axes"])
    title = f"What if only {both} change?"
    legend_above(ax, handles, words, title, record.get("rule", "") if has_box else "")
