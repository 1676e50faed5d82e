"""Positions on a lane: the geometry that cards, terminals and plots of an explanation share.

A lane is the range from 0 to 1 that shows one feature. The training range fills its middle. A margin on each side
shows all numbers beyond it, more and more densely. So a bound or a row far outside still has a position, in order,
and an interval without a bound reaches the end.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from primewood.render.numbers import short
from primewood.render.records import (
    AxisRecord,
    BoundsRecord,
    EntryRecord,
    HistogramRecord,
    IntervalRecord,
    LiteralRecord,
    NearRecord,
    StretchRecord,
    WhatIfRecord,
)
from primewood.render.text import Piece, choose_pieces, read_interval, split_at_name
from primewood.visible import visible_record

MARGIN = 0.07
"""The share of a lane, on each side, for the numbers beyond the training range."""
MOST_CHIPS = 16
"""The most categories that are shown by name; the others are counted."""
EVERYTHING: IntervalRecord = {"low": None, "high": None, "closed": "neither"}
MOST_COLUMNS = 20
"""In a histogram with more columns, neighbours are merged: fine columns look ragged where numbers are round."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps numbers to positions on a lane.

    Attributes
    ----------
    low, high : float
        The numbers at the inner ends of the margins.
    """

    low: float
    high: float

    @classmethod
    def over(cls, low: float, high: float) -> Scale:
        """From the smallest to the largest number of the training rows; around it if they are the same."""
        return cls(low, high) if low < high else cls.around(low, high)

    @classmethod
    def around(cls, low: float, high: float) -> Scale:
        """A scale somewhat wider than two numbers, so that both sides of each are visible."""
        room = max(high / 3 - low / 3, abs(low) / 10) or 0.5
        return cls(max(low - room, -sys.float_info.max), min(high + room, sys.float_info.max))

    def place(self, x: float) -> float:
        """The position of a number, from 0 to 1; infinite numbers are at the ends.

        >>> scale = Scale(10, 20)
        >>> [round(scale.place(x), 3) for x in (-math.inf, 0, 10, 15, 20, 30, math.inf)]
        [0.0, 0.035, 0.07, 0.5, 0.93, 0.965, 1.0]
        """
        # Where the span of the largest floats would be infinite, everything is halved.
        part = 0.5 if math.isinf(self.high - self.low) else 1.0
        low, high, x = part * self.low, part * self.high, part * x
        if x < low:
            return MARGIN / (1 + (low - x) / (high - low))
        if x > high:
            return 1 - MARGIN / (1 + (x - high) / (high - low))
        return MARGIN + (1 - 2 * MARGIN) * ((x - low) / (high - low))


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a lane.

    Attributes
    ----------
    start, end : float
        Positions from 0 to 1.
    height : float
        The height of a histogram column, from 0 to 1.
    """

    start: float
    end: float
    height: float = 1.0

    @property
    def width(self) -> float:
        """How long it is."""
        return self.end - self.start

    @property
    def goes_on(self) -> tuple[bool, bool]:
        """Whether it has no bound, at its lower and at its upper end."""
        return self.start == 0.0, self.end == 1.0


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """An end of the training range: its position, and its number in words."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A numeric feature: the allowed intervals, the row's own position, and the training rows.

    Attributes
    ----------
    scale : Scale
        The positions of numbers.
    bars : tuple of Bar
        The allowed intervals.
    mark : float or None
        The position of the row's number; None without one.
    ticks : tuple of RangeEnd
        The ends of the training range; none without training rows.
    columns : tuple of Bar
        The histogram of the training rows; empty without one.
    """

    scale: Scale
    bars: tuple[Bar, ...]
    mark: float | None
    ticks: tuple[RangeEnd, ...]
    columns: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A category, or "missing".

    Attributes
    ----------
    name : str
    allowed : bool
    own : bool
        Whether the row has it.
    height : float or None
        Its frequency in the training rows, where 1 is the most frequent value; None if it is unknown.
    """

    name: str
    allowed: bool
    own: bool
    height: float | None = None


@dataclass(frozen=True, slots=True)
class Chips:
    """A categorical feature.

    Attributes
    ----------
    every : tuple of Chip
        All categories, in natural order.
    """

    every: tuple[Chip, ...]

    @property
    def shown(self) -> tuple[Chip, ...]:
        """All categories; if there are many, the row's own and the first ones, allowed categories first."""
        return tuple(self.every[k] for k in sorted(self._rank()[:MOST_CHIPS]))

    @property
    def more_allowed(self) -> int:
        """How many others are allowed."""
        return sum(self.every[k].allowed for k in self._rank()[MOST_CHIPS:])

    @property
    def more_excluded(self) -> int:
        """How many others are not allowed."""
        return len(self._rank()[MOST_CHIPS:]) - self.more_allowed

    def _rank(self) -> list[int]:
        return sorted(
            range(len(self.every)), key=lambda k: (not self.every[k].own, not self.every[k].allowed, k)
        )


@dataclass(frozen=True, slots=True)
class Track:
    """How one feature is shown.

    Attributes
    ----------
    feature, unit : str
    text : str
        The condition in brief; says that any value is allowed if the feature is free.
    pieces : tuple of Piece
        All pieces of the condition; one of them must hold. Empty if the feature is free.
    here : int
        The piece that holds for the row.
    value, short_value : str
        The row's own value in words, and with at most six digits; empty if the answer is not about a row.
    beyond : str
        On which side of the training range the row's number is; empty if it is inside.
    picture : Lane or Chips
    missing : Chip or None
        Whether missing is allowed and whether the row's value is missing; None if neither, and no training row
        misses it.
    """

    feature: str
    unit: str
    text: str
    pieces: tuple[Piece, ...]
    here: int
    value: str
    short_value: str
    beyond: str
    picture: Lane | Chips
    missing: Chip | None

    @property
    def is_free(self) -> bool:
        """Whether any value is allowed."""
        return not self.pieces

    @property
    def title(self) -> str:
        """The feature's name, with its unit unless the name contains it."""
        return add_unit(self.feature, self.unit)

    @property
    def is_numeric(self) -> bool:
        """Whether the picture is a lane of numbers, not a row of chips."""
        return isinstance(self.picture, Lane)

    @property
    def some_pieces(self) -> tuple[Piece, ...]:
        """All pieces; if there are many, three, including the one that the row meets."""
        return self.pieces[choose_pieces(len(self.pieces), self.here)]

    @property
    def label(self) -> str:
        """The content of the picture, in words."""
        parts = [self.text]
        if isinstance(self.picture, Lane) and self.picture.ticks:
            parts.append(f"training rows: {' to '.join(tick.text for tick in self.picture.ticks)}")
        if isinstance(self.picture, Chips):
            excluded = [chip.name for chip in self.picture.shown if not chip.allowed]
            more = [f"{self.picture.more_excluded} more"] if self.picture.more_excluded else []
            parts += [f"not allowed: {', '.join(excluded + more)}"] if excluded or more else []
        if self.value:
            parts.append(f"this row: {self.value}{f', {self.beyond}' if self.beyond else ''}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Tracks:
    """The features of an explanation.

    Attributes
    ----------
    conditions : tuple of Track
        Those that it mentions.
    free : tuple of Track
        Those that it leaves free.
    untested : tuple of str
        The names of the features that no tree tests.
    kept : tuple of str
        In an answer near a row, the names of the features that stay as they are.
    """

    conditions: tuple[Track, ...]
    free: tuple[Track, ...]
    untested: tuple[str, ...]
    kept: tuple[str, ...] = ()


def add_unit(feature: str, unit: str = "") -> str:
    """A feature's name, with its unit unless the name contains it.

    >>> add_unit("age", "years"), add_unit("petal width (cm)", "cm")
    ('age (years)', 'petal width (cm)')
    """
    return f"{feature} ({unit})" if unit and unit not in feature else feature


def tracks(
    literals: Sequence[LiteralRecord], instance: Sequence[EntryRecord], near: NearRecord | None = None
) -> Tracks:
    """How the features of an explanation are shown, from its literals and its row.

    Near a row, pictures show only what is near, and categories are neither conditions nor free: they stay as they are.
    """
    literals, instance = visible_record(literals), visible_record(instance)
    entries = list_entries(literals, instance)
    said = {literal["feature"] for literal in literals}
    bounds = {} if near is None else {x["feature"]: x for x in visible_record(near["bounds"])}
    others = [name for name, entry in entries.items() if entry["tested"] and name not in said]
    kept = [name for name in others if name not in bounds] if near and near["share"] is not None else []
    return Tracks(
        tuple(_track_near(entries[x["feature"]], x, bounds.get(x["feature"])) for x in literals),
        tuple(_track_near(entries[name], None, bounds.get(name)) for name in others if name not in kept),
        tuple(name for name, entry in entries.items() if not entry["tested"]),
        tuple(kept),
    )


def _track_near(entry: EntryRecord, literal: LiteralRecord | None, bounds: BoundsRecord | None) -> Track:
    """One feature; a number is drawn between bounds only, if there are some."""
    found = track(entry, literal)
    if bounds is None or not isinstance(found.picture, Lane):
        return found
    parts = [EVERYTHING] if literal is None else literal["intervals"]
    near = [part for part in (_cut_off(part, bounds) for part in parts) if part is not None]
    drawn = replace(found.picture, bars=tuple(place_interval(found.picture.scale, part) for part in near))
    return replace(found, picture=drawn)


def _cut_off(part: IntervalRecord, bounds: BoundsRecord) -> IntervalRecord | None:
    """The part of an interval that lies between bounds, to be drawn; None if none does."""
    low = bounds["low"] if part["low"] is None else max(part["low"], bounds["low"])
    high = bounds["high"] if part["high"] is None else min(part["high"], bounds["high"])
    return {"low": low, "high": high, "closed": part["closed"]} if low <= high else None


def list_entries(
    literals: Sequence[LiteralRecord], instance: Sequence[EntryRecord]
) -> dict[str, EntryRecord]:
    """The entries of the row by feature; for an expression, only the names of its features."""
    found = {literal["feature"]: make_entry(literal) for literal in literals}
    return found | {entry["feature"]: entry for entry in instance}


def make_entry(literal: LiteralRecord) -> EntryRecord:
    """The entry of a feature that only a literal mentions."""
    return {
        "feature": literal["feature"],
        "unit": literal["unit"],
        "value": None,
        "shown": "",
        "tested": True,
    }


def track(entry: EntryRecord, literal: LiteralRecord | None = None, scale: Scale | None = None) -> Track:
    """One feature: its entry in the instance, and its literal, if it is not free.

    Parameters
    ----------
    scale
        The scale of a number, if it is not to be chosen here.
    """
    feature = entry["feature"]
    numeric = "intervals" in literal if literal is not None else entry["kind"] == "numeric"
    return Track(
        feature=feature,
        unit=entry["unit"],
        text=f"{feature}: any value" if literal is None else literal["text"],
        pieces=() if literal is None else tuple(split_at_name(literal)),
        here=_here(entry, literal) if literal is not None and numeric else 0,
        value=entry["shown"],
        short_value=shorten_value(entry),
        beyond=_describe_beyond(entry) if numeric else "",
        picture=_lane(entry, literal, scale or find_scale(entry, [literal]))
        if numeric
        else _chips(entry, literal),
        missing=_make_missing_chip(entry, literal),
    )


def shorten_value(entry: EntryRecord | WhatIfRecord) -> str:
    """The row's own value in words; a number with at most six digits."""
    value, shown, unit = entry["value"], str(entry["shown"]), entry.get("unit", "")
    return (
        f"{value:.6g} {unit}".rstrip() if isinstance(value, float) and len(shown) > 10 + len(unit) else shown
    )


def _here(entry: EntryRecord, literal: LiteralRecord) -> int:
    """Which piece of a numeric literal the row meets."""
    pieces, value = literal["intervals"], read_number(entry)
    if value is None:
        return len(pieces) if literal["missing"] and entry["shown"] else 0
    return next((k for k, part in enumerate(pieces) if value in read_interval(part)), 0)


def _make_missing_chip(entry: EntryRecord, literal: LiteralRecord | None) -> Chip | None:
    own, allowed = entry["value"] is None and bool(entry["shown"]), literal is None or literal["missing"]
    count, counts = entry.get("missing_count"), _counts(entry)
    if not own and (literal is None or not (allowed or count)):
        return None
    return Chip("missing", allowed, own, min(1.0, count / max(1, *counts)) if count and counts else None)


def _counts(entry: EntryRecord) -> list[int]:
    """How many training rows each column of the histogram, or each category, has."""
    histogram = entry.get("histogram")
    return (histogram["counts"] if histogram else entry.get("counts")) or []


def _describe_beyond(entry: EntryRecord) -> str:
    value, known = read_number(entry), read_range(entry)
    if value is None or known is None or known[0] <= value <= known[1]:
        return ""
    return "below the training range" if value < known[0] else "above the training range"


def read_number(entry: EntryRecord | WhatIfRecord | AxisRecord) -> float | None:
    """The row's own number; None if it has none."""
    value = entry["value"]
    return None if value is None or isinstance(value, str) else value


def read_range(entry: EntryRecord | WhatIfRecord | AxisRecord) -> tuple[float, float] | None:
    """The smallest and the largest training number; None if they are unknown."""
    low, high = entry.get("low"), entry.get("high")
    return None if low is None or high is None else (low, high)


def find_scale(entry: EntryRecord, literals: Iterable[LiteralRecord | None]) -> Scale:
    """The scale of a numeric feature that shows all bounds of some literals."""
    parts = [part for literal in literals if literal is not None for part in literal["intervals"]]
    return choose_scale(entry, parts, entry.get("histogram"))


def choose_scale(
    entry: EntryRecord | WhatIfRecord,
    parts: Iterable[IntervalRecord | StretchRecord],
    histogram: HistogramRecord | None = None,
) -> Scale:
    """The scale of a numeric feature: over its training range, or else around its bounds and values."""
    known = read_range(entry)
    if known is not None:
        # The columns of whole numbers reach half a unit beyond the range.
        return Scale.over(*span_numbers([*known, *(histogram["edges"] if histogram else ())]))
    ends = [end for part in parts for end in (part["low"], part["high"])]
    return Scale.around(*span_numbers([read_number(entry), *ends]))


def _lane(entry: EntryRecord, literal: LiteralRecord | None, scale: Scale) -> Lane:
    value, known = read_number(entry), read_range(entry)
    return Lane(
        scale=scale,
        bars=tuple(
            place_interval(scale, part) for part in (literal["intervals"] if literal else [EVERYTHING])
        ),
        mark=None if value is None else scale.place(value),
        ticks=tuple(RangeEnd(scale.place(x), short(x)) for x in dict.fromkeys(known or ())),
        columns=_columns(scale, entry.get("histogram") if known else None),
    )


def span_numbers(numbers: Iterable[float | None]) -> tuple[float, float]:
    """The smallest and the largest of the finite numbers among some; 0 and 1 if there is none."""
    known = [x for x in numbers if x is not None and math.isfinite(x)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def place_interval(scale: Scale, part: IntervalRecord | StretchRecord) -> Bar:
    """The bar of an interval's record."""
    low, high = part["low"], part["high"]
    return Bar(0.0 if low is None else scale.place(low), 1.0 if high is None else scale.place(high))


def _columns(scale: Scale, histogram: HistogramRecord | None) -> tuple[Bar, ...]:
    if histogram is None:
        return ()
    step = math.ceil(len(histogram["counts"]) / MOST_COLUMNS)
    counts = [sum(histogram["counts"][k : k + step]) for k in range(0, len(histogram["counts"]), step)]
    places = [scale.place(edge) for edge in [*histogram["edges"][:-1:step], histogram["edges"][-1]]]
    # Where all numbers are the same and not whole, the only column has no width.
    between = zip(places[:-1], places[1:], counts, strict=True)
    bars = [Bar(start, end, count) for start, end, count in between if count and start < end]
    most = max((bar.height / bar.width for bar in bars), default=1.0)
    return tuple(Bar(bar.start, bar.end, bar.height / bar.width / most) for bar in bars)


def _chips(entry: EntryRecord, literal: LiteralRecord | None) -> Chips:
    own = None if entry["value"] is None else str(entry["value"])
    allowed = None if literal is None else {str(value) for value in literal["values"]}
    names = [str(name) for name in entry.get("values", [] if literal is None else literal["values"])]
    counts: Sequence[int | None] = entry.get("counts") or [None] * len(names)
    most = max((count for count in counts if count), default=1)
    chips = [
        Chip(name, allowed is None or name in allowed, name == own, None if count is None else count / most)
        for name, count in zip(names, counts, strict=True)
    ]
    return Chips(tuple(chips))
