"""One feature of a model: the columns it takes, what they may hold, and the variable that it becomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, UnknownName, format_list
from primewood.logic.interval import number
from primewood.logic.variable import Side, Variable

FeatureKind = Choice["numeric", "boolean", "categorical"]
FARTHEST = 1e37
"""Numbers beyond this are not made up: float32 has no room for them."""


@dataclass(frozen=True)
class Feature:
    """One feature: a column of the model, or a group of columns that are the dummies of one.

    Attributes
    ----------
    name : str
    kind : {"numeric", "boolean", "categorical"}
    columns : tuple of int
    missing : bool
        Whether it may be missing.
    variable : Variable or None
        None if no test of the model tells two of its values apart.
    patterns : mapping or None
        For a feature that holds only certain numbers: what its columns hold together, with the name of that; None for
        any number.
    others : int, optional
        Which of the patterns stands for all numbers that are not listed.
    low, high : float
        The numbers that it lies between, both included.
    whole : bool
        Whether it holds whole numbers only.
    """

    name: str
    kind: FeatureKind
    columns: tuple[int, ...]
    missing: bool
    variable: Variable | None
    patterns: dict[tuple[float, ...], object] | None = None
    others: int | None = None
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    @property
    def column(self) -> int:
        """Its first column, or its only one."""
        return self.columns[0]

    @property
    def codes(self) -> dict[float, object] | None:
        """The numbers that its only column may hold, with their names; None for any number, or for a group."""
        if self.patterns is None or len(self.columns) > 1:
            return None
        return {pattern[0]: label for pattern, label in self.patterns.items()}

    @cached_property
    def natural_order(self) -> list[int]:
        """The places of its patterns by their codes, that for all other numbers last."""
        codes = list(self.patterns or ())
        places = sorted(range(len(codes)), key=lambda i: codes[i], reverse=len(self.columns) > 1)
        return sorted(places, key=lambda i: i == self.others)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """What the columns hold at each value of the variable ("missing" aside), one row per value.

        Of a numeric feature, an end of each interval that belongs to it. Without a variable, it is one row.
        """
        if self.patterns is not None:
            rows = np.array(list(self.patterns))
            return rows if self.variable is not None else rows[:1]
        cuts = self._cuts
        if not len(cuts):
            return np.array([[min(max(0.0, self.low), self.high)]])
        if self._closes_right:
            above = np.nextafter(cuts[-1], np.inf)
            return np.append(cuts, max(above, cuts[-1] + 1) if self.whole else above)[:, None]
        below = np.nextafter(cuts[0], -np.inf)
        below = min(below, cuts[0] - 1) if self.whole else below
        return np.append(below, cuts)[:, None]

    def values_of(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """The variable's value index for each row of a table of all columns; −1 where it is not allowed."""
        held = rows[:, self.columns]
        absent = np.isnan(held).any(axis=1)
        first = held[:, 0]
        if self.patterns is not None:
            same = (held[:, None, :] == np.array(list(self.patterns))[None, :, :]).all(axis=2)
            other = -1 if self.others is None else self.others
            found = np.where(same.any(axis=1), same.argmax(axis=1), other)
        else:
            found = np.zeros(len(rows), dtype=np.int64)
            if self.variable is not None:
                side: Side = "left" if self._closes_right else "right"
                found = np.searchsorted(self._cuts, first, side=side).astype(np.int64)
            with np.errstate(invalid="ignore"):
                odd = (first < self.low) | (first > self.high) | (self.whole & (first != np.floor(first)))
            found = np.where(odd, -1, found)
        return np.where(absent, self._missing, found)

    @property
    def limits_numbers(self) -> bool:
        """Whether there are numbers that it does not allow."""
        return self.patterns is not None or self.whole or self.low > -math.inf or self.high < math.inf

    def index_of(self, row: Sequence[float] | Mapping[int, float]) -> int:
        """The same for one row, faster."""
        x = row[self.columns[0]]
        if x != x or (len(self.columns) > 1 and any(row[column] != row[column] for column in self.columns)):
            return self._missing
        if self.patterns is not None:
            other = -1 if self.others is None else self.others
            return self._place.get(tuple([row[column] for column in self.columns]), other)
        if not self.low <= x <= self.high or (self.whole and x != math.floor(x)):
            return -1
        return self.variable.index(x) if self.variable is not None else 0

    @cached_property
    def _place(self) -> dict[tuple[float, ...], int]:
        return {pattern: i for i, pattern in enumerate(self.patterns or ())}

    @property
    def _missing(self) -> int:
        """The index for a value that is missing; −1 where that is not allowed."""
        if not self.missing:
            return -1
        return len(self.variable) - 1 if self.variable is not None else 0

    def ends(self, value: int) -> tuple[float, float]:
        """The least and the largest float of a numeric feature's value; those of the feature, without a variable.

        Where nothing bounds it, numbers are not made up beyond `FARTHEST`, or beyond a cut that is farther.
        """
        low, high = self.all_ends[value].tolist()
        return low, high

    def _step_beyond(self, cuts: NDArray[np.float64], towards: float) -> NDArray[np.float64]:
        """The nearest number to each cut on one side of it, the cut itself if it belongs to that side."""
        if self._closes_right == (towards < 0):
            return cuts
        beside = np.nextafter(cuts, towards)
        if not self.whole:
            return beside
        return np.maximum(beside, cuts + 1) if towards > 0 else np.minimum(beside, cuts - 1)

    @cached_property
    def _cuts(self) -> NDArray[np.float64]:
        """The cuts of a numeric feature's variable."""
        return np.array(() if self.variable is None else self.variable.cuts or (), dtype=np.float64)

    @property
    def _closes_right(self) -> bool:
        """Whether a cut belongs to the interval below it."""
        return self.variable is not None and self.variable.closed == "right"

    @cached_property
    def all_ends(self) -> NDArray[np.float64]:
        """The ends of all values of a numeric feature ("missing" aside), one row per value."""
        cuts = self._cuts
        low = np.append(self.low, np.maximum(self.low, self._step_beyond(cuts, np.inf)))
        high = np.append(np.minimum(self.high, self._step_beyond(cuts, -np.inf)), self.high)
        low[0] = max(self.low, min(-FARTHEST, high[0]))
        high[-1] = min(self.high, max(FARTHEST, low[-1]))
        return np.stack([low, high], axis=1)

    def nearest(self, value: int, here: float) -> float:
        """The number of a numeric feature's value that is nearest to another one; to 0, if that is missing."""
        low, high = self.ends(value)
        return min(max(0.0 if math.isnan(here) else here, low), high)

    def refuse(self, row: NDArray[np.float64]) -> InvalidInput:
        """The error for a row with what is not allowed in this feature."""
        held = row[list(self.columns)].tolist()
        if any(math.isnan(x) for x in held):
            return InvalidInput(f"{self.name} is missing (NaN), which the model or missing= does not allow")
        if len(self.columns) > 1:
            return InvalidInput(
                f"{self.name} is a one-hot group: one of its columns is 1 and the others are 0; got "
                f"{format_list(number(x) for x in held)}"
            )
        if self.patterns is None:
            kind, _ = self.assumption() or ("is a number", "")
            return InvalidInput(
                f"{self.name} {kind}; got {number(held[0])}. If it can be any number, pass "
                f"domain={{{self.name!r}: 'numeric'}}"
            )
        return UnknownName(
            f"{self.name} is one of {format_list(number(code) for code in self.codes or ())}; got {held[0]:g}. "
            f"If it can be any number, pass domain={{{self.name!r}: 'numeric'}}"
        )

    def write(self, row: NDArray[np.float64], value: int) -> None:
        """Put a number with this value of the variable into a row."""
        numbers: Any = self.numbers[value] if value < len(self.numbers) else math.nan
        row[list(self.columns)] = numbers

    def assumption(self) -> tuple[str, str] | None:
        """What answers assume about the feature, in words: about it alone, and about several features."""
        if self.patterns is not None:
            labels = [label for _, label in sorted(self.patterns.items(), reverse=len(self.columns) > 1)]
            told = (
                " or ".join(map(str, labels)) if self.kind == "boolean" else f"one of {format_list(labels)}"
            )
            told = "True or False" if labels == [False, True] and labels[0] is False else told
            return None if self.others is not None else (f"is {told}", f"are {told}")
        if self.whole or math.isfinite(self.low) or math.isfinite(self.high):
            kind = "whole number" if self.whole else "number"
            ends = [f"at least {number(self.low)}"] if math.isfinite(self.low) else []
            ends += [f"at most {number(self.high)}"] if math.isfinite(self.high) else []
            limits = f" {' and '.join(ends)}" if ends else ""
            return f"is a {kind}{limits}", f"are {kind}s{limits}"
        return None
