"""How many conditions explanations have, by what is assumed: fewer rows to consider, fewer conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render.numbers import format_count
from primewood.render.plots.drawing import (
    check_axes,
    finish,
    line_entry,
    load_matplotlib,
    make_axes,
    measure_axes,
    set_plain_axes,
    wrap,
)
from primewood.render.plots.inputs import FAILED, is_frame, read_columns, read_records
from primewood.render.plots.style import ALLOWED, INK, NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

AREA, MOST_AREA = 24.0, 260.0
"""The areas of the dots of one explanation, and of the largest dot, in square points."""


@dataclass(frozen=True)
class ConditionsByAssumptionDisplay:
    """What `conditions_by_assumption` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    counts : dict
        By what is assumed, for each number of conditions the number of explanations.
    medians : dict
        By what is assumed, the median number of conditions.
    failed : int
        How many rows could not be explained.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    counts: dict[str, dict[int, int]] = field(repr=False)
    medians: dict[str, float]
    failed: int


def conditions_by_assumption(answers: Any, *, ax: Any = None) -> ConditionsByAssumptionDisplay:
    """Draw how many conditions explanations have, beside each other for different assumptions.

    Parameters
    ----------
    answers
        A mapping from what is assumed, in your words, to explanations under that assumption: a list of them or of their
        records, a batch or its record, or a frame as ``batch.to_frame()`` gives it.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ConditionsByAssumptionDisplay
        The axes, the counts and the medians.

    Raises
    ------
    InvalidInput
        If `answers` is something else, has no explanations, or `ax` is not an Axes.
    MissingDependency
        If matplotlib is not installed.
    """
    axes = check_axes(ax)
    if not isinstance(answers, Mapping) or not answers or not all(isinstance(name, str) for name in answers):
        raise InvalidInput(
            "conditions_by_assumption takes a mapping from what is assumed to explanations, such as "
            '{"all rows": explainer(X), "within 5%": explainer(X, near=0.05)}'
        )
    sizes = {name: _read_sizes(whys) for name, whys in answers.items()}
    for name, found in sizes.items():
        if not found.explained:
            raise InvalidInput(
                f"conditions_by_assumption: {name!r} has no explanation; {format_count(found.failed, 'row')} failed"
            )
    counts = {name: dict(Counter(found.explained)) for name, found in sizes.items()}
    medians = {name: float(median(found.explained)) for name, found in sizes.items()}
    failed = sum(found.failed for found in sizes.values())
    drawn = make_axes(max(4.2, 1.7 + 1.3 * len(counts)), 4.2) if axes is None else axes
    _draw(drawn, counts, medians)
    _label(drawn, counts, failed)
    return ConditionsByAssumptionDisplay(drawn, drawn.figure, counts, medians, failed)


@dataclass(frozen=True)
class _Sizes:
    """The numbers of conditions of explanations, and how many rows have none."""

    explained: Sequence[int]
    failed: int


def _read_sizes(whys: Any) -> _Sizes:
    plot = "conditions_by_assumption"
    if is_frame(whys):
        table = read_columns(whys, ("status", "size"), plot)
        lines = list(zip(table["status"], table["size"], strict=True))
    else:
        records, _ = read_records(whys, plot, taken="a batch, or its frame")
        lines = [(one["status"], len(one["literals"])) for one in records]
    explained = [int(size) for status, size in lines if status != FAILED]
    return _Sizes(explained, len(lines) - len(explained))


def _choose_area(count: int, most: int) -> float:
    return AREA + (MOST_AREA - AREA) * (count - 1) / max(12, most - 1)


def _draw(ax: Axes, counts: Mapping[str, Mapping[int, int]], medians: Mapping[str, float]) -> None:
    """Draw a column of dots for each assumption, and a line at its median."""
    most = max(count for sizes in counts.values() for count in sizes.values())
    for place, (name, sizes) in enumerate(counts.items()):
        ax.scatter(
            [place] * len(sizes),
            list(sizes),
            s=[_choose_area(count, most) for count in sizes.values()],
            facecolor=ALLOWED,
            alpha=0.55,
            edgecolor="white",
            linewidth=0.8,
            label=f"_{name}",
            zorder=3,
            clip_on=False,
        )
        ax.plot([place - 0.28, place + 0.28], [medians[name]] * 2, color=INK, linewidth=2, zorder=4)
        ax.annotate(
            f"{medians[name]:.6g}",
            (place + 0.28, medians[name]),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=NAME,
            color=INK,
            zorder=5,
        )
    ax.set_xlim(-0.6, len(counts) - 0.25)
    ax.set_ylim(-0.5, max(size for sizes in counts.values() for size in sizes) + 0.8)


def _label(ax: Axes, counts: Mapping[str, Mapping[int, int]], failed: int) -> None:
    ticker = load_matplotlib("ticker")
    set_plain_axes(ax)
    ax.yaxis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
    width = 0.9 * measure_axes(ax)[0] / (len(counts) + 0.35)
    ax.set_xticks(range(len(counts)), [wrap(name, width, NAME) for name in counts], fontsize=NAME)
    ax.set_ylabel("number of conditions", fontsize=10)
    look = {"marker": "o", "color": ALLOWED, "alpha": 0.55, "linestyle": "none"}
    most = max(count for sizes in counts.values() for count in sizes.values())
    entries = [
        line_entry(
            f"{count:,} row{'s' if count > 1 else ''}", markersize=_choose_area(count, most) ** 0.5, **look
        )
        for count in sorted({1, most})
    ]
    entries.append(line_entry("median", color=INK, linewidth=2))
    title = "Conditions per explanation, by what is assumed"
    finish(
        ax,
        f"{title}, {failed:,} failed row{'s' if failed > 1 else ''} left out" if failed else title,
        entries,
    )
