"""What all answers about one model share: reading rows, and saying things in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Feature
from primewood.domain.knowledge import numbers_in_order, violated
from primewood.errors import UnknownName, listing, meant, told
from primewood.logic.expression import Literal
from primewood.logic.instance import Point, as_point
from primewood.logic.interval import MISSING, Interval, number
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.model.distribution import distribution
from primewood.render import decimals, text
from primewood.tables.rows import Layout, as_row

if TYPE_CHECKING:
    from primewood.model.score import Score, Scorer

Row = NDArray[np.float64]
UNDECIDED = "depends on the order of summation"
"""The decision where scores may be added in any order and rounding could decide."""


@dataclass(frozen=True)
class Atoms:
    """The values of all variables, one variable after the other, as arrays.

    Attributes
    ----------
    starts : array of int
        Per variable where its values begin; one more at the end.
    numbers : array of int
        Per variable how many values it has, "missing" aside.
    place, column : arrays of int
        Per value the place of its variable, and the first column of its feature.
    low, high : arrays of float
        Per value of a numeric feature its least and its largest float; NaN for others.
    is_numeric, is_category, is_missing : arrays of bool
    """

    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    place: NDArray[np.int64]
    column: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    is_numeric: NDArray[np.bool_]
    is_category: NDArray[np.bool_]
    is_missing: NDArray[np.bool_]

    def of(self, place: int) -> slice:
        """Where the values of a variable are."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    @classmethod
    def of_features(cls, features: Sequence[Feature]) -> Atoms:
        """The values of features that have variables."""
        sizes = [len(f.variable) for f in features if f.variable is not None]
        starts = np.cumsum([0, *sizes])
        place = np.repeat(np.arange(len(sizes)), sizes)
        numbers = np.array([n - f.missing for n, f in zip(sizes, features, strict=True)], dtype=np.int64)
        is_missing = (
            (np.arange(len(place)) - starts[place]) >= numbers[place] if sizes else place.astype(bool)
        )
        numeric = np.array([f.patterns is None for f in features], dtype=bool)[place]
        ends = np.full((2, len(place)), np.nan)
        ends[:, numeric & ~is_missing] = np.concatenate(
            [np.empty((0, 2)), *(f.all_ends for f in features if f.patterns is None)]
        ).T
        column = np.array([f.column for f in features], dtype=np.int64)[place]
        return cls(
            starts,
            numbers,
            place,
            column,
            ends[0],
            ends[1],
            numeric & ~is_missing,
            ~numeric & ~is_missing,
            is_missing,
        )


@dataclass(frozen=True)
class Context:
    """What all answers of one explainer share.

    Attributes
    ----------
    variables : tuple of Variable
        The universe.
    class_names : tuple
        The names of the decisions.
    domain : Domain or None
        None for an expression, which has no columns.
    rows, points : arrays or None
        The training rows, and their cells.
    vote : str or None
    units : dict
    layout : Layout
        How the model's rows look.
    digest : str or None
        What tells the model from any other.
    notes : tuple of str
        What is to be noted about the row that is asked about.
    literals : str
        The literal language of answers where a question asks for no other.
    scorer : Scorer or None
        Says what decisions are taken by; None for an expression.
    ids : tuple or None
        The labels of the training rows in the index of their frame; None if there is no index.
    """

    variables: tuple[Variable, ...]
    class_names: tuple[object, ...]
    domain: Domain | None = None
    rows: Row | None = None
    points: NDArray[np.int64] | None = None
    vote: str | None = None
    units: dict[str, str] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    digest: str | None = None
    notes: tuple[str, ...] = ()
    literals: Language = "sets"
    scorer: Scorer | None = field(default=None, repr=False)
    ids: tuple[object, ...] | None = field(default=None, repr=False)

    def row_id(self, place: int) -> object:
        """What a training row is called: its label in the index of its frame, or its place."""
        return place if self.ids is None else self.ids[place]

    def read(self, x: Any) -> tuple[Row | None, Point]:
        """A row as users have it, and its cell; for an expression, an instance."""
        if self.domain is None:
            return None, as_point(self.variables, x)
        row = as_row(x, self.layout)
        return row, self.domain.point(row)

    def score(self, row: Row | Sequence[float] | None) -> Score | None:
        """What the decision on a row is taken by; None for an expression, and without a row."""
        return None if self.scorer is None or row is None else self.scorer.score(row)

    def score_record(self, row: Row | Sequence[float] | None) -> dict[str, Any] | None:
        """The same in plain types."""
        score = self.score(row)
        return None if score is None else score.to_dict()

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the model's features; of an expression, of its variables."""
        if self.domain is None:
            return tuple(x.name for x in self.variables)
        return tuple(feature.name for feature in self.domain.features)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of a row's columns; none for an expression."""
        return () if self.domain is None else self.domain.column_names

    def label(self, decision: object) -> int:
        """The place of a decision, by its name."""
        if not isinstance(decision, Hashable) or decision not in self.class_names:
            like = meant([decision], self.class_names)
            raise UnknownName(
                f"no decision is called {told(decision)}{like}; there are {listing(self.class_names)}"
            )
        return self.class_names.index(decision)

    def place(self, name: str) -> int | None:
        """The place of a feature's variable; None for a feature that no test looks at."""
        if not isinstance(name, str) or name not in self.feature_names:
            like = meant([name], self.feature_names)
            raise UnknownName(
                f"there is no feature {told(name)}{like}; the features are {listing(self.feature_names)}"
            )
        return next((j for j, x in enumerate(self.variables) if x.name == name), None)

    def feature(self, name: str) -> Feature | None:
        """The column of that name; None for a variable of an expression."""
        if self.domain is None:
            return None
        return self.domain.features[self.feature_names.index(name)]

    @cached_property
    def ranges(self) -> NDArray[np.float64] | None:
        """The smallest and the largest number of each column in the training rows; NaN if there is none."""
        if self.rows is None:
            return None
        lowest = np.where(np.isnan(self.rows), np.inf, self.rows).min(axis=0)
        highest = np.where(np.isnan(self.rows), -np.inf, self.rows).max(axis=0)
        return np.where(np.isfinite([lowest, highest]), [lowest, highest], np.nan)

    @cached_property
    def volumes(self) -> tuple[NDArray[np.float64], ...] | None:
        """Per variable, the share of the training range that each value has; categories count the same.

        Missing values are left out of account. None without training rows.
        """
        if self.ranges is None:
            return None
        found = []
        for x in self.variables:
            feature = self.feature(x.name)
            assert feature is not None
            low, high = self.ranges[:, feature.column].tolist()
            found.append(np.array([_share(x, value, low, high) for value in x.values]))
        return tuple(found)

    @cached_property
    def frequencies(self) -> tuple[NDArray[np.float64], ...] | None:
        """Per variable, how often each value occurs in the training rows; None without them."""
        if self.points is None:
            return None
        known = self.points[(self.points >= 0).all(axis=1)]
        return tuple(
            np.bincount(known[:, j], minlength=len(x)) / max(1, len(known))
            for j, x in enumerate(self.variables)
        )

    def is_seen(self, place: int, value: int) -> bool:
        """Whether training rows have a value of a variable; without any, whether it is neither missing nor "other"."""
        if self.points is not None and len(self.points):
            return self.frequency(place, value) > 0
        feature = self._seen(place)
        return value != self.variables[place].missing and (
            value != feature.others or feature.patterns is None
        )

    def frequency(self, place: int, value: int) -> float:
        """The share of the training rows that have a value of a variable; 0 without any."""
        return 0.0 if self.frequencies is None else float(self.frequencies[place][value])

    @cached_property
    def distributions(self) -> dict[str, dict[str, Any]]:
        """Per feature of the model, how the training rows are distributed over it."""
        features = () if self.domain is None else self.domain.features
        return {feature.name: distribution(feature, self.rows) for feature in features}

    @cached_property
    def atoms(self) -> Atoms:
        """The values of all variables, one variable after the other."""
        assert self.domain is not None
        return Atoms.of_features(self.domain.seen)

    def row_at(self, point: Point, row: Row, own: Point) -> Row:
        """A row of the cell at a point, like `row` (whose cell is `own`) wherever the two cells agree.

        Its numbers are short where that is possible.
        """
        found = self._row_at(point, row, own, self._short_number, {})
        assert found is not None, "a possible cell holds no row: please report this"
        return found

    def rows_at(self, points: Sequence[Point], row: Row, own: Point) -> Row:
        """The rows of many cells; see `row_at`. Cost: where no constraints order features, a step per value in use."""
        assert self.domain is not None
        if self.domain.knowledge.orders or not len(self.variables):
            return np.array([self.row_at(point, row, own) for point in points])
        rows, cells = np.tile(row, (len(points), 1)), np.array(points)
        for k, feature in enumerate(self.domain.seen):
            for value in np.unique(cells[cells[:, k] != own[k], k]).tolist():
                there, example = cells[:, k] == value, row.copy()
                self._write(example, k, value, self._short_number)
                rows[np.ix_(there, feature.columns)] = example[list(feature.columns)]
        return rows

    def _write(self, row: Row, place: int, value: int, number_in: Callable[[int, int], float]) -> None:
        """Put a value of a variable into a row, with a number of it if it is an interval."""
        feature = self._seen(place)
        feature.write(row, value)
        if isinstance(self.variables[place].values[value], Interval):
            row[feature.column] = number_in(place, value)

    def nearest_row(
        self, point: Point, row: Row, own: Point, limits: Mapping[str, tuple[float, float]] | None = None
    ) -> Row | None:
        """The row of the cell at a point that is nearest to `row`, whose cell is `own`.

        Where constraints order features, others may have to move inside their own cells, but never beyond limits
        that are given per feature; None if that leaves no row.
        """

        def number_in(place: int, value: int) -> float:
            feature = self._seen(place)
            return feature.nearest(value, float(row[feature.column]))

        return self._row_at(point, row, own, number_in, limits or {})

    def _seen(self, place: int) -> Feature:
        assert self.domain is not None
        return self.domain.seen[place]

    def _row_at(
        self,
        point: Point,
        row: Row,
        own: Point,
        number_in: Callable[[int, int], float],
        limits: Mapping[str, tuple[float, float]],
    ) -> Row | None:
        assert self.domain is not None
        changed = row.copy()
        for k in range(len(self.domain.seen)):
            if point[k] != own[k]:
                self._write(changed, k, point[k], number_in)
        if self.domain.knowledge.orders:
            return self._in_order(changed, point, own, limits)
        return changed

    def _in_order(
        self, row: Row, point: Point, own: Point, limits: Mapping[str, tuple[float, float]]
    ) -> Row | None:
        """The row with numbers moved within their cells so that it satisfies all orders: those that changed, or else
        all, within their limits; None if there is no such row.
        """
        domain = self.domain
        assert domain is not None
        orders, names = domain.knowledge.orders, domain.column_names
        if violated(orders, names, row[None, :]) is None:
            return row
        values = {
            f.name: (value, value != mine) for f, value, mine in zip(domain.seen, point, own, strict=True)
        }
        concerned = {name for order in orders for name in (order.lower, order.upper)}
        features = [f for f in domain.features if f.name in concerned and not np.isnan(row[f.column])]
        wanted = {f.name: float(row[f.column]) for f in features}
        for all_move in (False, True):
            ends = {}
            for feature in features:
                value, moves = values.get(feature.name, (0, False))
                here = wanted[feature.name]
                low, high = feature.ends(value) if moves or all_move else (here, here)
                least, most = limits.get(feature.name, (low, high))
                ends[feature.name] = (max(low, least), min(high, most))
            if any(low > high for low, high in ends.values()):
                continue
            found = numbers_in_order(orders, ends, frozenset(f.name for f in features if f.whole), wanted)
            if found is not None:
                moved: Row = row.copy()
                moved[[f.column for f in features]] = list(found.values())
                return moved
        return None

    def named_values(self, row: Row) -> dict[str, object]:
        """What a row holds per feature: numbers, or names of categories; NaN where it is missing."""
        assert self.domain is not None
        found: dict[str, object] = {}
        for feature in self.domain.features:
            held = tuple(row[list(feature.columns)].tolist())
            names = feature.patterns or {}
            found[feature.name] = held[0] if any(x != x for x in held) else names.get(held, held[0])
        return found

    def shown(self, place: int, value: int, row: Row) -> str:
        """A value of a variable by its name, or by the number that a row has in it."""
        assert self.domain is not None
        cell = self.variables[place].values[value]
        return number(row[self.domain.seen[place].column]) if isinstance(cell, Interval) else str(cell)

    def _short_number(self, place: int, value: int) -> float:
        """A number of a value of a numeric variable that training rows have, the middle one; else a short one."""
        if (place, value) not in self._numbers:
            feature, cell = self._seen(place), self.variables[place].values[value]
            assert isinstance(cell, Interval)
            found = self._middle_numbers(place).get(value)
            if found is None:
                found = decimals.plain_number(cell)
            usual = float(feature.numbers[value, 0])
            self._numbers[place, value] = (
                found if feature.index_of({feature.column: found}) == value else usual
            )
        return self._numbers[place, value]

    def _middle_numbers(self, place: int) -> dict[int, float]:
        """The middle one of the training rows' numbers in each value of a numeric variable that has some."""
        if place not in self._middles:  # another thread may look: what is there is whole
            self._middles[place] = self._find_middle_numbers(place)
        return self._middles[place]

    def _find_middle_numbers(self, place: int) -> dict[int, float]:
        if self.rows is None or self.points is None:
            return {}
        cells, numbers = self.points[:, place], self.rows[:, self._seen(place).column]
        known = (cells >= 0) & ~np.isnan(numbers)
        cells, numbers = cells[known], numbers[known]
        order = np.lexsort((numbers, cells))
        values, starts, counts = np.unique(cells[order], return_index=True, return_counts=True)
        middles = numbers[order][starts + counts // 2]
        return dict(zip(values.tolist(), middles.tolist(), strict=True))

    @cached_property
    def _middles(self) -> dict[int, dict[int, float]]:
        """The numbers of training rows per variable that were looked for so far."""
        return {}

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], float]:
        """The pleasant numbers that were looked for so far."""
        return {}

    def literal_record(self, literal: Literal, row: tuple[float, ...] | None = None) -> dict[str, Any]:
        """A literal in plain types and in words; shown bounds keep the row's own number."""
        variable = literal.variable
        missing = variable.missing is not None and bool(literal.mask >> variable.missing & 1)
        record: dict[str, Any] = {"feature": variable.name, "unit": self.units.get(variable.name, "")}
        feature = self.feature(variable.name)
        if variable.is_numeric:
            x = None if row is None or feature is None else row[feature.column]
            return record | self._numeric_record(literal, x, missing)
        own = -1 if row is None or feature is None else feature.index_of(row)
        listed = self._in_natural_order(variable)
        held = [v for v in listed if literal.mask >> variable.index(v) & 1]
        absent = [v for v in listed if v not in held]
        here = held.index(variable.values[own]) if own >= 0 and literal.mask >> own & 1 else 0
        return record | {
            "missing": missing,
            "values": [plain(v) for v in held if v is not MISSING],
            "shown": [str(v) for v in held],
            "condition": text.is_one_of(held, absent, here),
            "text": text.choice(variable.name, held, absent, here),
        }

    def _numeric_record(self, literal: Literal, x: float | None, missing: bool) -> dict[str, Any]:
        """What a literal of a numeric variable says; `x` is the row's own number, None without a row."""
        name, column = literal.variable.name, None
        feature = self.feature(name)
        if feature is not None and self.rows is not None:
            column = self.rows[:, feature.column]
        here, brief = np.nan if x is None else x, x is not None
        whole = feature is not None and feature.whole
        ends = [
            decimals.whole_ends(piece) if whole else decimals.shown_ends(piece, here, column, brief=brief)
            for piece in literal.intervals
        ]
        shown = [text.piece(name, low, high, self.units.get(name, "")) for low, high in ends]
        shown += [f"{name} is missing"] if missing else []
        own = next((k for k, piece in enumerate(literal.intervals) if here in piece), 0)
        return {
            "missing": missing,
            **({"whole": True} if whole else {}),
            "intervals": [interval_record(piece) for piece in literal.intervals],
            "ends": [{"low": low and list(low), "high": high and list(high)} for low, high in ends],
            "shown": shown,
            "text": text.one_of(shown, len(shown) - 1 if missing and brief and np.isnan(here) else own),
        }

    def _in_natural_order(self, variable: Variable) -> list[Hashable]:
        """The values of a categorical variable by their codes, as people know them."""
        feature = self.feature(variable.name)
        if feature is None or feature.patterns is None:
            return list(variable.values)
        listed = [variable.values[i] for i in feature.natural_order]
        return listed + list(variable.values[len(feature.patterns) :])

    def words(self, term: Term, row: tuple[float, ...] | None = None) -> str:
        """A term in words."""
        return " AND ".join(self.literal_record(x, row)["text"] for x in term.literals) or "anything"


def _share(variable: Variable, value: object, low: float, high: float) -> float:
    if not isinstance(value, Interval):
        missing = variable.missing is not None and value is variable.values[variable.missing]
        return 0.0 if missing else 1 / (len(variable) - (variable.missing is not None))
    if not high > low:
        return float(low in value)
    return max(0.0, min(high, value.high) - max(low, value.low)) / (high - low)


def interval_record(interval: Interval) -> dict[str, Any]:
    """An interval in plain types; an end that does not exist is None."""
    ends = (interval.closed_low, interval.closed_high)
    return {
        "low": interval.low if np.isfinite(interval.low) else None,
        "high": interval.high if np.isfinite(interval.high) else None,
        "closed": {(True, True): "both", (True, False): "left", (False, True): "right"}.get(ends, "neither"),
    }


def plain(value: object) -> object:
    """A value as JSON has it."""
    return value if isinstance(value, bool | int | float | str) else str(value)
