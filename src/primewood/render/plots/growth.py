"""How the bounds of a search approached each other over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render.numbers import short
from primewood.render.picture import PALETTE
from primewood.render.plots.drawing import (
    area_entry,
    check_axes,
    finish,
    line_entry,
    load_matplotlib,
    make_axes,
    set_plain_axes,
)
from primewood.render.plots.inputs import EXPLANATION, read_record
from primewood.render.plots.style import LINE, Look, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WORDS = {
    "shortest": ("Shortest explanation", "features (or weight)", "none is shorter", "shortest found so far"),
    "widest": ("Widest explanation", "rows (or share) covered", "widest found so far", "none is wider"),
}
"""For each goal: what is searched for, what is bounded, and the meaning of the lower and the upper bound."""
NEUTRAL = ("Best explanation", "bounds", "lower bound", "upper bound")


@dataclass(frozen=True, slots=True)
class BoundLine:
    """How a bound is drawn.

    Attributes
    ----------
    colour, marker : str
    width : float
    label : str
        The name of its artists.
    """

    colour: str
    marker: str
    width: float
    label: str


# The upper bound is the thinner line, so that both are visible where they meet.
LOWER = BoundLine(PALETTE[0], "^", 3.2, "_lower")
UPPER = BoundLine(PALETTE[5], "v", 1.8, "_upper")


@dataclass(frozen=True)
class GrowthDisplay:
    """What `growth` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    seconds : tuple of float
        When a bound moved.
    lower, upper : tuple of float or None
        The bounds from then on; None if unknown.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    seconds: tuple[float, ...] = field(repr=False)
    lower: tuple[float | None, ...] = field(repr=False)
    upper: tuple[float | None, ...] = field(repr=False)


def growth(why: Any, *, ax: Any = None, log: bool = True) -> GrowthDisplay:
    """Draw how the bounds of the search for the shortest or the widest explanation approached each other.

    Where a bound is not known yet, the gap is open at that side.

    Parameters
    ----------
    why
        An explanation asked for with `goal="shortest"` or `goal="widest"`, or its record.
    ax
        Axes to draw on; by default those of a new figure.
    log
        Whether time has a logarithmic scale.

    Returns
    -------
    GrowthDisplay
        The axes, and the bounds.

    Raises
    ------
    InvalidInput
        If `why` is something else, `ax` is not an Axes, or the explanation has another goal.
    MissingDependency
        If matplotlib is not installed.
    """
    record, axes = read_record(why, EXPLANATION, "growth"), check_axes(ax)
    if not record.get("history"):
        raise InvalidInput(
            'growth draws the history of a search: ask for goal="shortest" or goal="widest"; this answer has none'
        )
    log = log and record["history"][-1][0] > 0
    seconds, lower, upper = (tuple(column) for column in zip(*record["history"], strict=True))
    what = WORDS.get(record.get("goal") or "", NEUTRAL)
    found = make_axes(6.4, 4.2) if axes is None else axes
    times = _find_times(seconds, log)
    bottom, top = _find_limits(lower, upper)
    _draw_gap(found, times, lower, upper, (bottom, top))
    _draw_steps(found, times, lower, LOWER)
    _draw_steps(found, times, upper, UPPER)
    found.set_ylim(bottom, top)
    _set_time_axis(found, times, log)
    found.set_ylabel(what[1], fontsize=10)
    _finish(found, what, seconds, lower, upper)
    return GrowthDisplay(found, found.figure, seconds, lower, upper)


def _find_times(seconds: Sequence[float], log: bool) -> list[float]:
    """When each bound begins to hold, and the end of the picture."""
    if not log:
        return [*seconds, seconds[-1] + 0.08 * (seconds[-1] - seconds[0] or seconds[-1] or 1.0)]
    least = min((x for x in seconds if x > 0), default=1e-3)
    times = [max(x, least / 2) for x in seconds]
    return [*times, times[-1] * max(1.3, (times[-1] / times[0]) ** 0.08)]


def _find_limits(lower: Sequence[float | None], upper: Sequence[float | None]) -> tuple[float, float]:
    known = [x for x in (*lower, *upper) if x is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    border = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    # An open side gets some room, so that it is visible.
    below, above = (4 if None in bounds else 1 for bounds in (lower, upper))
    least = low - below * border
    # No room below zero for a bound that cannot be negative.
    return max(least, -border / 2) if low >= 0 and None not in lower else least, high + above * border


def _draw_gap(
    ax: Axes,
    times: Sequence[float],
    lower: Sequence[float | None],
    upper: Sequence[float | None],
    limits: tuple[float, float],
) -> None:
    """Draw the gap between the bounds: shaded between them, hatched to the edge where one is unknown."""
    for k, (low, high) in enumerate(zip(lower, upper, strict=True)):
        is_open = low is None or high is None
        ends = (limits[0] if low is None else low, limits[1] if high is None else high)
        ax.fill_between(
            times[k : k + 2],
            *ends,
            facecolor="none" if is_open else tint(LINE, 0.45),
            edgecolor=tint(LINE, 0.6),
            hatch="///" if is_open else None,
            linewidth=0,
            label="_open" if is_open else "_gap",
            zorder=1,
        )


def _draw_steps(ax: Axes, times: Sequence[float], bounds: Sequence[float | None], line: BoundLine) -> None:
    """Draw a bound over time, with a mark wherever it moved."""
    heights = [math.nan if x is None else x for x in bounds]
    ax.step(
        times,
        [*heights, heights[-1]],
        where="post",
        color=line.colour,
        linewidth=line.width,
        label=line.label,
        zorder=4,
    )
    moved = [k for k, x in enumerate(bounds) if x is not None and (k == 0 or bounds[k - 1] != x)]
    at, where = [times[k] for k in moved], [heights[k] for k in moved]
    ax.plot(at, where, line.marker, color=line.colour, markersize=6, label=f"{line.label} moves", zorder=5)


def _set_time_axis(ax: Axes, times: Sequence[float], log: bool) -> None:
    set_plain_axes(ax)
    ticker = load_matplotlib("ticker")
    ax.set_xscale("log" if log else "linear")
    left = times[0] / (times[-1] / times[0]) ** 0.02 if log else times[0]
    ax.set_xlim(left, times[-1])
    if log:
        ax.xaxis.set_major_locator(ticker.FixedLocator(_choose_ticks(left, times[-1])))
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    else:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(6))
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: write_duration(x)))
    ax.set_xlabel("time", fontsize=10)


def _choose_ticks(low: float, high: float) -> list[float]:
    """Round times between two times: at most eight, powers of ten if there are enough of them."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), range(1, 10), [1 + k / 10 for k in range(90)]):
        ticks = [step * 10.0**power for power in powers for step in steps]
        inside = [x for x in ticks if low <= x <= high]
        if len(inside) >= 3:
            return inside[:: math.ceil(len(inside) / 8)]
    return inside


def write_duration(seconds: float) -> str:
    """A time in words.

    >>> write_duration(0.00002), write_duration(0.0153), write_duration(2.5), write_duration(0)
    ('0.02 ms', '15.3 ms', '2.5 s', '0 s')
    """
    return f"{short(1000 * seconds)} ms" if 0 < abs(seconds) < 0.1 else f"{short(seconds)} s"


def _finish(
    ax: Axes,
    what: tuple[str, str, str, str],
    seconds: Sequence[float],
    lower: Sequence[float | None],
    upper: Sequence[float | None],
) -> None:
    entries = [
        line_entry(what[3], color=UPPER.colour, marker=UPPER.marker, linewidth=2),
        line_entry(what[2], color=LOWER.colour, marker=LOWER.marker, linewidth=2),
    ]
    pairs = list(zip(lower, upper, strict=True))
    if any(low is not None and high is not None and low != high for low, high in pairs):
        entries.append(area_entry("gap", Look(tint(LINE, 0.45))))
    if None in lower or None in upper:
        entries.append(area_entry("not bounded yet", Look("none", tint(LINE, 0.6), "///")))
    finish(ax, _write_title(what[0], seconds[-1], lower[-1], upper[-1]), entries)


def _write_title(what: str, seconds: float, low: float | None, high: float | None) -> str:
    """How it ended."""
    if low is None and high is None:
        known = "not bounded"
    elif low is None or high is None:
        known = f"at least {short(low)}" if low is not None else f"at most {short(high or 0.0)}"
    else:
        known = f"{short(low)}, proved" if low == high else f"between {short(low)} and {short(high)}"
    return f"{what}: {known} after {write_duration(float(f'{seconds:.2g}'))}"
