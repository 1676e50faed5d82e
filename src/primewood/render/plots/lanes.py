"""Lanes: where the values of one feature lie, from 0 to 1, and what is said about them.

The window of a numeric lane is what the training rows span, and beyond it whatever must be seen: the row's own number,
and bounds that are not too far out. What goes on beyond the window says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from primewood.render.plots.measure import one_line
from primewood.render.plots.words import Ends, ends_in_words
from primewood.render.text import Record

BORDER = 0.05
"""How much wider than what must be seen a window is, on each side."""
EVERYTHING: Record = {"low": None, "high": None, "closed": "neither"}


@dataclass(frozen=True, slots=True)
class Window:
    """The numbers that a lane spans.

    Attributes
    ----------
    low, high : float
        What lies at 0 and at 1.
    """

    low: float
    high: float

    @classmethod
    def around(cls, spans: Iterable[Any], others: Iterable[Any] = ()) -> Window:
        """A window with a border around numbers, of which None and infinite ones are left out.

        Parameters
        ----------
        spans
            What must be inside.
        others
            What is inside unless the window would become more than three times as wide for it.

        >>> Window.around([0, 10, None], [12, 1e9])
        Window(low=-0.6000000000000001, high=12.6)
        """
        inside, outside = _finite(spans), _finite(others)
        if not inside:
            inside, outside = outside or [0.0, 1.0], []
        low, high = min(inside), max(inside)
        room = high - low if high > low else math.inf
        inside += [x for x in outside if low - room <= x <= high + room]
        low, high = min(inside), max(inside)
        border = BORDER * (high - low) if high > low else max(abs(low) / 10, 1e-300) if low else 1.0
        return cls(_clipped(low - border), _clipped(high + border))

    def place(self, x: float | None, absent: float = math.nan) -> float:
        """Where a number lies, from 0 to 1; what lies outside is put at the end.

        >>> Window(0, 4).place(1), Window(0, 4).place(9), Window(0, 4).place(None, 0.0)
        (0.25, 1.0, 0.0)
        """
        if x is None:
            return absent
        if x <= self.low or x >= self.high:
            return float(x >= self.high)
        # Halves, so that the span of the largest floats is no infinity.
        span = self.high / 2 - self.low / 2
        return (x / 2 - self.low / 2) / span if span else 0.5


def _finite(numbers: Iterable[Any]) -> list[float]:
    return [float(x) for x in numbers if x is not None and math.isfinite(x)]


def _clipped(x: float) -> float:
    return max(-1.7e308, min(1.7e308, x))


@dataclass(frozen=True, slots=True)
class Bar:
    """An allowed interval.

    Attributes
    ----------
    start, end : float
        Its part inside the window, from 0 to 1.
    goes_on : pair of bool
        Whether it goes on beyond the window, at its lower and at its upper end.
    words : pair of str
        Its bounds as the rule has them; empty where there is none.
    """

    start: float
    end: float
    goes_on: tuple[bool, bool]
    words: Ends

    @classmethod
    def of(cls, window: Window, part: Record, words: Ends = ("", "")) -> Bar:
        """The bar of an interval's record."""
        low, high = part["low"], part["high"]
        goes_on = (low is None or low < window.low, high is None or high > window.high)
        return cls(window.place(low, 0.0), window.place(high, 1.0), goes_on, words)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a histogram: its ends from 0 to 1, and its height from 0 to 1."""

    start: float
    end: float
    height: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A category, or "missing".

    Attributes
    ----------
    name : str
    allowed : bool
    own : bool
        Whether the row has it.
    height : float or None
        How frequent it is among the training rows, from 0 to 1; None if that is unknown.
    """

    name: str
    allowed: bool
    own: bool
    height: float | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """One feature in one explanation.

    Attributes
    ----------
    feature, unit : str
    is_free : bool
        Whether the explanation leaves it free.
    shown : str
        The row's own value in words; empty if there is no row.
    window : Window or None
        None for categories.
    mark : float or None
        Where the row's own number lies; None if it has none.
    bars : tuple of Bar
        The allowed numbers.
    columns : tuple of Column
        The histogram of the training rows; empty if it is unknown.
    training : tuple of float
        The smallest and the largest training number; empty if they are unknown.
    cells : tuple of Cell
        The categories.
    missing : Cell or None
        None if no value is known to be missing.
    """

    feature: str
    unit: str
    is_free: bool
    shown: str
    window: Window | None
    mark: float | None
    bars: tuple[Bar, ...]
    columns: tuple[Column, ...]
    training: tuple[float, ...]
    cells: tuple[Cell, ...]
    missing: Cell | None

    @property
    def title(self) -> str:
        """The feature's name, with its unit unless the name tells it."""
        return titled(self.feature, self.unit)


def titled(feature: str, unit: str = "") -> str:
    """A feature's name, with its unit unless the name tells it.

    >>> titled("age", "years"), titled("petal width (cm)", "cm")
    ('age (years)', 'petal width (cm)')
    """
    name = one_line(feature)
    return f"{name} ({unit})" if unit and unit not in name else name


def lane(entry: Record, literal: Record | None, window: Window | None = None) -> Lane:
    """The lane of a feature.

    Parameters
    ----------
    entry
        What the record's "instance" says about it; for an expression only its name.
    literal
        What the explanation says about it; None if that leaves it free.
    window
        For a numeric feature, if it is not to be chosen here.
    """
    numeric = "intervals" in literal if literal is not None else entry.get("kind") == "numeric"
    window = (window or window_of(entry, [literal])) if numeric else None
    value = entry.get("value")
    return Lane(
        feature=entry["feature"],
        unit=entry.get("unit", ""),
        is_free=literal is None,
        shown=value_in_words(entry),
        window=window,
        mark=None if window is None or value is None else window.place(value),
        bars=() if window is None else _bars(window, literal),
        columns=() if window is None else _columns(window, entry.get("histogram")),
        training=tuple(_finite([entry.get("low"), entry.get("high")])),
        cells=() if numeric else _cells(entry, literal),
        missing=_missing(entry, literal),
    )


def value_in_words(entry: Record) -> str:
    """The row's own value; a number with many digits in six."""
    value, shown, unit = entry.get("value"), str(entry.get("shown", "")), entry.get("unit", "")
    if isinstance(value, float) and len(shown) > 10 + len(unit):
        return f"{value:.6g} {unit}".rstrip()
    return one_line(shown)


def window_of(entry: Record, literals: Sequence[Record | None]) -> Window:
    """The window of a numeric feature that shows what some literals say about it."""
    parts = [part for literal in literals if literal is not None for part in literal["intervals"]]
    ends = [part[end] for part in parts for end in ("low", "high")]
    edges = (entry.get("histogram") or {}).get("edges") or [None]
    known = [entry.get("low"), entry.get("high"), edges[0], edges[-1]]
    return Window.around([*known, entry.get("value")], ends)


def entries_of(record: Record) -> dict[str, Record]:
    """Per feature what the record's "instance" says about it; for an expression, what its literals do."""
    listed: dict[str, Record] = {
        literal["feature"]: {"feature": literal["feature"]} for literal in record["literals"]
    }
    return listed | {entry["feature"]: entry for entry in record["instance"]}


def _bars(window: Window, literal: Record | None) -> tuple[Bar, ...]:
    if literal is None:
        return (Bar.of(window, EVERYTHING),)
    pairs = zip(literal["intervals"], ends_in_words(literal), strict=True)
    return tuple(Bar.of(window, part, words) for part, words in pairs)


def _columns(window: Window, histogram: Record | None) -> tuple[Column, ...]:
    if histogram is None or not any(histogram["counts"]):
        return ()
    most = max(histogram["counts"])
    places = [window.place(edge) for edge in histogram["edges"]]
    columns = zip(places, places[1:], histogram["counts"], strict=False)
    return tuple(Column(start, end, count / most) for start, end, count in columns if count)


def _cells(entry: Record, literal: Record | None) -> tuple[Cell, ...]:
    names = entry.get("values") or ([] if literal is None else literal["values"])
    counts = entry.get("counts") or [None] * len(names)
    most = max((count for count in counts if count), default=1)
    allowed = set(map(str, names if literal is None else literal["values"]))
    own = None if entry.get("value") is None else str(entry["value"])
    return tuple(
        Cell(one_line(name), str(name) in allowed, str(name) == own, None if count is None else count / most)
        for name, count in zip(names, counts, strict=True)
    )


def _missing(entry: Record, literal: Record | None) -> Cell | None:
    """The cell of missing values; None if nothing says that there are any."""
    own = entry.get("value") is None and bool(entry.get("shown"))
    allowed = literal is None or bool(literal["missing"])
    count = entry.get("missing_count")
    if not own and not count and (literal is None or not allowed):
        return None
    return Cell("missing", allowed, own, None if count is None else _beside(count, entry))


def _beside(count: int, entry: Mapping[str, Any]) -> float:
    """How high a count is beside those of the other values, at most 1."""
    counts: list[int] = (entry.get("histogram") or {}).get("counts") or entry.get("counts") or []
    return min(1.0, count / max([1, *counts]))
