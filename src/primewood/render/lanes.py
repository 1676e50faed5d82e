"""Where things lie on a lane: the geometry that cards, terminals and plots of an explanation share.

A lane is the stretch from 0 to 1 that stands for one feature. The training range fills its middle; a margin on each
side stands for all numbers beyond it, ever more densely, so that a bound or a row far outside still has its place, in
order, and an interval without a bound reaches the very end.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from primewood.render.numbers import short
from primewood.render.text import Piece, Record, divide, interval, some
from primewood.visible import visible_record

MARGIN = 0.07
"""The share of a lane, on each side, that stands for the numbers beyond the training range."""
MOST_CHIPS = 16
"""So many categories are shown by name; of the others the number is told."""
MOST_COLUMNS = 20
"""A histogram of more columns is drawn with neighbours put together: finer ones look ragged where numbers are round."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to places on a lane.

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
        """Somewhat more than between two numbers, so that both sides of each can be seen."""
        room = max(high / 3 - low / 3, abs(low) / 10) or 0.5
        return cls(max(low - room, -sys.float_info.max), min(high + room, sys.float_info.max))

    def place(self, x: float) -> float:
        """Where a number lies, from 0 to 1; infinite ones at the ends.

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
    """A stretch of a lane.

    Attributes
    ----------
    start, end : float
        Places from 0 to 1.
    height : float
        Of a column of a histogram, from 0 to 1.
    """

    start: float
    end: float
    height: float = 1.0

    @property
    def width(self) -> float:
        """How long it is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Tick:
    """An end of the training range: its place, and its number in words."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A numeric feature: what is allowed, the row's own place, and the training rows.

    Attributes
    ----------
    bars : tuple of Bar
        The allowed intervals.
    mark : float or None
        The place of the row's number; None without one.
    ticks : tuple of Tick
        The ends of the training range; none without training rows.
    columns : tuple of Bar
        The histogram of the training rows; empty without one.
    """

    bars: tuple[Bar, ...]
    mark: float | None
    ticks: tuple[Tick, ...]
    columns: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A category: whether it is allowed, and whether the row has it."""

    name: str
    allowed: bool
    own: bool


@dataclass(frozen=True, slots=True)
class Chips:
    """A categorical feature.

    Attributes
    ----------
    shown : tuple of Chip
        In natural order.
    more_allowed, more_excluded : int
        How many others there are.
    """

    shown: tuple[Chip, ...]
    more_allowed: int = 0
    more_excluded: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """One feature as it is shown.

    Attributes
    ----------
    feature : str
    text : str
        The condition in words, in brief; that any value will do, if the feature is free.
    pieces : tuple of Piece
        The condition in all its pieces, of which one must hold; empty if the feature is free.
    here : int
        The piece that holds for the row.
    value : str
        The row's own value in words; empty if the answer is about no row.
    beyond : str
        Where the row's number lies outside the training range; else empty.
    picture : Lane or Chips
    missing : Chip or None
        Whether missing is allowed and whether the row's value is missing; None if neither.
    """

    feature: str
    text: str
    pieces: tuple[Piece, ...]
    here: int
    value: str
    beyond: str
    picture: Lane | Chips
    missing: Chip | None

    @property
    def is_numeric(self) -> bool:
        """Whether the picture is a lane of numbers, not a row of chips."""
        return isinstance(self.picture, Lane)

    @property
    def some_pieces(self) -> tuple[Piece, ...]:
        """All pieces, or of many, three, the one that holds for the row among them."""
        return self.pieces[some(len(self.pieces), self.here)]

    @property
    def label(self) -> str:
        """All that the picture shows, in words."""
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
        The names of those that no tree looks at.
    """

    conditions: tuple[Track, ...]
    free: tuple[Track, ...]
    untested: tuple[str, ...]


def tracks(record: Record) -> Tracks:
    """How the features of an explanation's record are shown."""
    record = visible_record({name: record[name] for name in ("instance", "literals")})
    entries = {entry["feature"]: entry for entry in record["instance"]}
    literals = {literal["feature"]: literal for literal in record["literals"]}
    return Tracks(
        tuple(track(entries.get(name), literal) for name, literal in literals.items()),
        tuple(track(entry) for name, entry in entries.items() if entry["tested"] and name not in literals),
        tuple(name for name, entry in entries.items() if not entry["tested"]),
    )


def track(entry: Record | None, literal: Record | None = None) -> Track:
    """One feature: its entry in the instance, if there is one, and its literal, if it is not free."""
    own = entry or {"value": None, "shown": ""}
    feature = (literal or own)["feature"]
    numeric = "intervals" in literal if literal is not None else own["kind"] == "numeric"
    return Track(
        feature=feature,
        text=f"{feature}: any value" if literal is None else literal["text"],
        pieces=() if literal is None else tuple(divide(literal)),
        here=_here(own, literal) if literal is not None and numeric else 0,
        value=own["shown"],
        beyond=_beyond(own) if numeric else "",
        picture=_lane(own, literal) if numeric else _chips(own, literal),
        missing=_missing(own, literal),
    )


def _here(entry: Record, literal: Record) -> int:
    """Which piece of a numeric literal holds for the row."""
    pieces = literal["intervals"]
    if entry["value"] is None:
        return len(pieces) if literal["missing"] and entry["shown"] else 0
    return next((k for k, part in enumerate(pieces) if entry["value"] in interval(part)), 0)


def _missing(entry: Record, literal: Record | None) -> Chip | None:
    own = entry["value"] is None and bool(entry["shown"])
    allowed = literal["missing"] if literal is not None else own
    return Chip("missing", allowed, own) if allowed or own else None


def _beyond(entry: Record) -> str:
    value, low, high = entry["value"], entry.get("low"), entry.get("high")
    if value is None or low is None or high is None or low <= value <= high:
        return ""
    return "below the training range" if value < low else "above the training range"


def _lane(entry: Record, literal: Record | None) -> Lane:
    intervals = [{"low": None, "high": None}] if literal is None else literal["intervals"]
    value = entry["value"]
    known = entry.get("low") is not None and entry.get("high") is not None
    numbers = [value, *(part[end] for part in intervals for end in ("low", "high"))]
    ends = _spanned([entry["low"], entry["high"]] if known else numbers)
    histogram = entry.get("histogram") if known else None
    # The columns of whole numbers reach half a unit beyond the range.
    wide = _spanned([*ends, *(histogram["edges"] if histogram else ())])
    scale = Scale.over(*wide) if known else Scale.around(*wide)
    return Lane(
        bars=tuple(_bar(scale, part) for part in intervals),
        mark=None if value is None else scale.place(value),
        ticks=tuple(Tick(scale.place(x), short(x)) for x in dict.fromkeys(ends)) if known else (),
        columns=_columns(scale, histogram),
    )


def _spanned(numbers: Iterable[float | None]) -> tuple[float, float]:
    known = [x for x in numbers if x is not None and math.isfinite(x)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def _bar(scale: Scale, part: Record) -> Bar:
    low, high = part["low"], part["high"]
    return Bar(0.0 if low is None else scale.place(low), 1.0 if high is None else scale.place(high))


def _columns(scale: Scale, histogram: Record | None) -> tuple[Bar, ...]:
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


def _chips(entry: Record, literal: Record | None) -> Chips:
    own = None if entry["value"] is None else str(entry["value"])
    allowed = None if literal is None else {str(value) for value in literal["values"]}
    names = [str(name) for name in entry.get("values", [] if literal is None else literal["values"])]
    chips = [Chip(name, allowed is None or name in allowed, name == own) for name in names]
    if len(chips) <= MOST_CHIPS:
        return Chips(tuple(chips))
    first = sorted(range(len(chips)), key=lambda k: (not chips[k].own, not chips[k].allowed, k))
    kept = sorted(first[:MOST_CHIPS])
    left: list[Any] = [chips[k] for k in first[MOST_CHIPS:]]
    more = sum(chip.allowed for chip in left)
    return Chips(tuple(chips[k] for k in kept), more, len(left) - more)
