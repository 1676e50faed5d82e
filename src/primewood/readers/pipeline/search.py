"""Where functions of floats cross numbers: bisection over the line of all float64 numbers, many at a time.

All finite floats are numbered in ascending order, zero being number 0, as in `primewood.ensemble.link`. A search asks
the function itself about one float per crossing and step. It begins next to where a straight line would
cross, which only saves steps: what is found is certain because both neighbours have been tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Floats, Ints
from primewood.ensemble.comparison import Operator
from primewood.errors import UnsupportedModel

LAST = int(np.float64(np.finfo(np.float64).max).view(np.int64))
GRID = np.concatenate([[-LAST], np.arange(-2047, 2048) * (LAST // 2048), [LAST]])
FIRST_STRIDE = 8
FASTER = 64


@dataclass(frozen=True, slots=True)
class Crossings:
    """What is asked, one question per entry: from where on, in a raw column, an output is beyond a cut."""

    column: Ints
    output: Ints
    cut: Floats


@dataclass(frozen=True, slots=True)
class Outputs:
    """Functions of raw columns that can be asked about many values at once.

    Attributes
    ----------
    rows_through : callable
        Turns rows of raw columns into rows of outputs. An output depends on one raw column only.
    base : array
        A raw row that the function accepts.
    exceptions : mapping from raw columns to numbers at which the functions are not what they are beside them
        They are not asked about; the next float stands for them.
    """

    rows_through: Callable[[Floats], Floats]
    base: Floats
    exceptions: Mapping[int, Floats]

    def at(self, column: Ints, output: Ints, value: Floats) -> Floats:
        """Outputs at values of their raw columns, one per entry. Cost: one call."""
        order = np.argsort(column, kind="stable")
        begins = np.searchsorted(column[order], column[order])
        row = np.empty(len(column), dtype=np.int64)
        row[order] = np.arange(len(column)) - begins
        rows = np.tile(self.base, (int(row.max()) + 1, 1))
        rows[row, column] = value
        return self.rows_through(self._beside(rows))[row, output]

    def evaluate_grid(self, columns: set[int]) -> Floats:
        """The outputs at floats from one end of the line to the other, in all the given raw columns."""
        rows = np.tile(self.base, (len(GRID), 1))
        rows[:, sorted(columns)] = floats_at(GRID)[:, None]
        return self.rows_through(self._beside(rows))

    def _beside(self, rows: Floats) -> Floats:
        for column, numbers in self.exceptions.items():
            at = np.isin(rows[:, column], numbers)
            while at.any():
                rows[at, column] = np.nextafter(rows[at, column], np.inf)
                at = np.isin(rows[:, column], numbers)
        return rows


def first_beyond(outputs: Outputs, asked: Crossings, operator: Operator) -> Floats:
    """Per question, the least float at which ``output operator cut`` is false: −inf if at all, inf if at none.

    An output that decreases anywhere it is tried is refused. Cost: about a dozen calls, at worst some eighty.
    """
    found = np.full(len(asked.cut), np.inf)
    if not len(found):
        return found
    low, high, below, above = _brackets(outputs, asked, operator)
    found[low < -LAST] = -np.inf
    active = np.flatnonzero((low >= -LAST) & (high <= LAST))
    probe = _straight(asked.cut, low, high, below, above)
    stride = np.full(len(found), FIRST_STRIDE)
    while active.size:
        value = outputs.at(asked.column[active], asked.output[active], floats_at(probe[active]))
        _check_order(below[active], value, above[active])
        left = _is_left(value, asked.cut[active], operator)
        last, next_ = active[left], active[~left]
        low[last], below[last] = probe[last], value[left]
        high[next_], above[next_] = probe[next_], value[~left]
        room = high[active] - low[active]
        near = stride[active] < room // 2
        onwards = np.where(left, low[active] + stride[active], high[active] - stride[active])
        probe[active] = np.where(near, onwards, low[active] + room // 2)
        stride[active] = np.minimum(stride[active] * FASTER, LAST // FASTER)
        active = active[room > 1]
    inside = np.isinf(found) & (found > 0) & (high <= LAST)
    found[inside] = floats_at(high[inside])
    return found


def _brackets(outputs: Outputs, asked: Crossings, operator: Operator) -> tuple[Ints, Ints, Floats, Floats]:
    """Between which floats of the grid each crossing is, and the outputs there."""
    grid = outputs.evaluate_grid(set(asked.column.tolist()))
    padded = np.concatenate([[-LAST - 1], GRID, [LAST + 1]])
    low, high = np.empty((2, len(asked.cut)), dtype=np.int64)
    below, above = np.empty((2, len(asked.cut)))
    for output in np.unique(asked.output):
        values = grid[:, output]
        _check_order(values[:-1], values[1:], values[1:])
        own = asked.output == output
        side: str = "right" if operator == "<=" else "left"
        place = np.searchsorted(values, asked.cut[own], side=side)  # type: ignore[call-overload]
        low[own], high[own] = padded[place], padded[place + 1]
        around = np.concatenate([[-np.inf], values, [np.inf]])
        below[own], above[own] = around[place], around[place + 1]
    return low, high, below, above


def _straight(cut: Floats, low: Ints, high: Ints, below: Floats, above: Floats) -> Ints:
    """Where a straight line would cross; the middle of the bracket where it would not."""
    middle = low // 2 + high // 2
    with np.errstate(all="ignore"):
        begin = floats_at(np.clip(low, -LAST, LAST))
        end = floats_at(np.clip(high, -LAST, LAST))
        guess = begin + (cut - below) / (above - below) * (end - begin)
    at = places_of(np.where(np.isfinite(guess), guess, 0.0))
    return np.where((at > low) & (at < high), at, middle)


def _check_order(low: Floats, middle: Floats, high: Floats) -> None:
    if not ((low <= middle) & (middle <= high)).all():
        raise UnsupportedModel(
            "a step of this pipeline does not keep numbers in order (or makes NaN of some), so no test after it "
            "is one test before it; the pipeline is refused rather than guessed at"
        )


def _is_left(values: Floats, cuts: Floats, operator: Operator) -> NDArray[np.bool_]:
    return values <= cuts if operator == "<=" else values < cuts


def places_of(floats: Floats) -> Ints:
    """Where floats come in the line of all floats; zero, of either sign, is at 0."""
    size = np.abs(floats).view(np.int64)
    return np.where(floats < 0, -size, size)


def floats_at(places: Ints) -> Floats:
    """The floats at places of the line."""
    size = np.abs(places).view(np.float64)
    return np.where(places < 0, -size, size)
