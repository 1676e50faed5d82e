"""The geometry of a report's two pictures: how robust rows are, and how much the first rules cover.

Places are shares of the picture, so that pictures stretch while their words keep their size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from primewood.apps.report.records import RulesSection
from primewood.render.lanes import Bar
from primewood.render.numbers import format_count
from primewood.render.records import HistogramRecord
from primewood.render.text import write_share

MOST_LINES = 4
"""The most decisions that each have their own line beside that of all rows."""
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: its place, from 0 to 1, and its words."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class RadiusHistogram:
    """Counts as columns.

    Attributes
    ----------
    columns : list of (Bar, int)
        Each with its count.
    ticks : list of Tick
        Of the edges.
    rows : list of (str, str, int)
        The same as a table: from, to, count.
    """

    columns: list[tuple[Bar, int]]
    ticks: list[Tick]
    rows: list[tuple[str, str, int]]

    @property
    def label(self) -> str:
        """All that the picture shows, in words."""
        told = [
            f"{format_count(count, 'row')} from {low} to {high}" for low, high, count in self.rows if count
        ]
        return f"Histogram of the proved radius: {', '.join(told)}"


def draw_histogram(record: HistogramRecord) -> RadiusHistogram:
    """The columns of a histogram of shares, from its edges and counts."""
    edges, counts = record["edges"], record["counts"]
    most, bars = max(counts, default=1), len(counts)
    words = [f"{round(100 * edge, 9):g}%" for edge in edges]
    step = max(1, math.ceil(bars / MOST_TICKS))
    return RadiusHistogram(
        [(Bar(i / bars, (i + 1) / bars, count / most), count) for i, count in enumerate(counts)],
        [Tick(i / bars, words[i]) for i in range(0, bars + 1, step)],
        [(words[i], words[i + 1], count) for i, count in enumerate(counts)],
    )


@dataclass(frozen=True, slots=True)
class CoverageLine:
    """A line of a picture.

    Attributes
    ----------
    name : str
    points : str
        For a polyline in a box of 100 by 100, the share of 1 at the top.
    shares : list of float
        After no rule, one, two, ...
    """

    name: str
    points: str
    shares: list[float]


@dataclass(frozen=True, slots=True)
class CurvePicture:
    """How much the first rules cover: the line of all rows first, then those of the decisions."""

    lines: list[CoverageLine]
    ticks: list[Tick]

    @property
    def label(self) -> str:
        """Where the lines end, in words; the list of rules has the other numbers."""
        told = [
            f"{line.name}: {write_share(line.shares[-1])} with {format_count(len(line.shares) - 1, 'rule')}"
            for line in self.lines
        ]
        return f"Curve of the share that the first rules cover: {', '.join(told)}"


def draw_curve(rules: RulesSection) -> CurvePicture:
    """The coverage of the first rules, of all rows and, if the decisions are few, of each decision's."""
    most = max(len(rules["curve"]) - 1, 1)
    lines = [_draw_line("all rows", rules["curve"], most)]
    if 1 < len(rules["decisions"]) <= MOST_LINES:
        lines += [_draw_line(str(one["decision"]), one["curve"], most) for one in rules["decisions"]]
    step = max(1, math.ceil(most / MOST_TICKS))
    return CurvePicture(lines, [Tick(i / most, str(i)) for i in range(0, most + 1, step)])


def _draw_line(name: str, shares: list[float], most: int) -> CoverageLine:
    points = [f"{100 * i / most:.2f},{100 - 100 * part:.2f}" for i, part in enumerate(shares)]
    return CoverageLine(name, " ".join(points), shares)
