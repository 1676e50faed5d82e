"""Coverage against size: how many literals explanations have, and how many training rows they cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.render.plots.drawing import (
    check_axes,
    finish,
    line_entry,
    load_matplotlib,
    make_axes,
    set_plain_axes,
)
from primewood.render.plots.inputs import FAILED, OVERVIEW, convert, is_frame, read_columns, read_records
from primewood.render.plots.style import ALLOWED
from primewood.render.text import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

AREA, MOST_AREA = 26.0, 300.0
"""The areas of the dots of one explanation, and of the largest dot, in square points."""


@dataclass(frozen=True)
class CoverageBySizeDisplay:
    """What `coverage_by_size` drew.

    Attributes
    ----------
    ax_, figure_
        The axes, and their figure.
    dots : dict
        For each number of literals and coverage, the number of explanations.
    left_out : int
        How many explanations have no coverage, because there were no training rows.
    failed : int
        How many rows could not be explained.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    dots: dict[tuple[int, float], int] = field(repr=False)
    left_out: int
    failed: int


def coverage_by_size(whys: Any, *, ax: Any = None) -> CoverageBySizeDisplay:
    """Draw the coverage of explanations against their number of literals: one dot each, larger where several coincide.

    Parameters
    ----------
    whys
        Explanations, or their records; a batch, or the overview of a folder, or their records; or a frame with one line
        per row, as ``batch.to_frame()`` gives it or as a part of a folder is read (pandas, polars).
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    CoverageBySizeDisplay
        The axes, and the dots.

    Raises
    ------
    InvalidInput
        If `whys` is something else, `ax` is not an Axes, or no explanation has a coverage.
    MissingDependency
        If matplotlib is not installed.
    """
    axes = check_axes(ax)
    counted = _count_dots(whys)
    known = sum(counted.dots.values())
    if not counted.explained:
        raise InvalidInput(f"coverage_by_size takes at least one explanation; {counted.failed:,} rows failed")
    if not known:
        raise InvalidInput("these explanations have no coverage: give the explainer training rows")
    found = make_axes(6.4, 4.4) if axes is None else axes
    _draw(found, counted.dots)
    left_out = counted.explained - known
    _label(found, counted.dots, _write_title(known, left_out, counted.failed))
    return CoverageBySizeDisplay(found, found.figure, dict(counted.dots), left_out, counted.failed)


@dataclass(frozen=True)
class _Dots:
    """What is drawn.

    Attributes
    ----------
    dots : mapping
        Per number of literals and coverage, how many explanations there are.
    explained, failed : int
        How many rows have an explanation, with coverage or without, and how many have none.
    """

    dots: Mapping[tuple[int, float], int]
    explained: int
    failed: int


def _count_dots(whys: Any) -> _Dots:
    if is_frame(whys):
        table = read_columns(whys, ("status", "size", "coverage"), "coverage_by_size")
        return _count_rows(list(zip(*table.values(), strict=True)))
    if isinstance(whys, Mapping) or hasattr(whys, "coverage_by_size"):
        record = convert(whys)
        if isinstance(record, Mapping) and OVERVIEW.fits(record):
            return _count_overview(record)
    taken = "a batch, its frame, or the overview of a folder"
    records, _ = read_records(whys, "coverage_by_size", taken=taken)
    return _count_rows([(one["status"], len(one["literals"]), one.get("coverage")) for one in records])


def _count_rows(lines: Sequence[tuple[str, int, float | None]]) -> _Dots:
    """Count lines of status, size and coverage."""
    explained = [(size, coverage) for status, size, coverage in lines if status != FAILED]
    dots = Counter((int(size), float(coverage)) for size, coverage in explained if coverage is not None)
    return _Dots(dots, len(explained), len(lines) - len(explained))


def _count_overview(record: Record) -> _Dots:
    dots = {(one["size"], one["coverage"]): one["rows"] for one in record["coverage_by_size"]}
    failed = record["statuses"].get(FAILED, 0)
    return _Dots(dots, record["rows"] - failed, failed)


def _write_title(known: int, left_out: int, failed: int) -> str:
    words = f"Coverage and size of {known:,} explanation{'s' if known > 1 else ''}"
    if left_out:
        words += f", {left_out:,} without training rows left out"
    return f"{words}, {failed:,} failed row{'s' if failed > 1 else ''} left out" if failed else words


def _choose_area(count: int, most: int) -> float:
    return AREA + (MOST_AREA - AREA) * (count - 1) / max(12, most - 1)


def _draw(ax: Axes, dots: Mapping[tuple[int, float], int]) -> None:
    """Draw the dots, small ones above large ones."""
    ranked = sorted(dots, key=lambda dot: -dots[dot])
    most = max(dots.values())
    ax.scatter(
        [size for size, _ in ranked],
        [coverage for _, coverage in ranked],
        s=[_choose_area(dots[dot], most) for dot in ranked],
        facecolor=ALLOWED,
        alpha=0.6,
        edgecolor="white",
        linewidth=0.8,
        label="_explanations",
        zorder=3,
        clip_on=False,
    )
    sizes = [size for size, _ in dots]
    ax.set_xlim(min(sizes) - 0.6, max(sizes) + 0.6)
    ax.set_ylim(0, 1.12 * max([coverage for _, coverage in dots] + [1e-9]))


def _label(ax: Axes, dots: Mapping[tuple[int, float], int], title: str) -> None:
    ticker = load_matplotlib("ticker")
    set_plain_axes(ax)
    ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
    ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda share, _: f"{100 * share:.6g}%"))
    ax.set_xlabel("number of literals", fontsize=10)
    ax.set_ylabel("covered training rows", fontsize=10)
    most = max(dots.values())
    look = {"marker": "o", "color": ALLOWED, "alpha": 0.6, "linestyle": "none"}
    entries = [
        line_entry(
            f"{count:,} explanation{'s' if count > 1 else ''}",
            markersize=_choose_area(count, most) ** 0.5,
            **look,
        )
        for count in (sorted({1, (1 + most) // 2, most}) if most > 1 else ())
    ]
    finish(ax, title, entries)
