"""From columns to variables: what the model can tell apart.

A numeric column becomes a variable whose values are the intervals between the cuts that the trees
test. A column that is known to hold only certain numbers (0 and 1, or the codes of categories) becomes
a variable with those values; then answers hold for rows in which it does, and say so. "Missing" is a
value where the model accepts NaN and `missing` allows it. A column that no tree tests, or of which no
test tells two values apart, has no variable.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import Operator, cut_of
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.instance import Point
from primewood.logic.interval import number
from primewood.logic.variable import Side, Variable

Kind = Choice["numeric", "boolean", "categorical"]
MissingRule = Choice["auto", "allow", "forbid"]
Codes = Mapping[float, object]
"""The numbers that a column may hold, and what each is called."""


Tests = dict[float, set[bool]]
"""The cuts that a column is tested at, and where missing values go at each."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the model.

    Attributes
    ----------
    column : int
    name : str
    kind : {"numeric", "boolean", "categorical"}
    codes : mapping or None
        The numbers that the column may hold, with their names; None for any number.
    missing : bool
        Whether the column may be missing.
    variable : Variable or None
        None if no test of the model tells two values of the column apart.
    """

    column: int
    name: str
    kind: Kind
    codes: Codes | None
    missing: bool
    variable: Variable | None

    def values_of(self, column: NDArray[np.float64]) -> NDArray[np.int64]:
        """The variable's value index for each number of a column; −1 where it is not allowed."""
        variable, absent = self.variable, np.isnan(column)
        found = np.zeros(len(column), dtype=np.int64)
        if self.codes is not None:
            codes = np.array(list(self.codes))
            same = column[:, None] == codes[None, :]
            found = np.where(same.any(axis=1), same.argmax(axis=1), -1)
        elif variable is not None and variable.cuts is not None:
            side: Side = "left" if variable.closed == "right" else "right"
            found = np.searchsorted(variable.cuts, column, side=side).astype(np.int64)
        missing = len(variable) - 1 if variable is not None else 0
        return np.where(absent, missing if self.missing else -1, found)

    def index_of(self, x: float) -> int | None:
        """The same for one number; None where it is not allowed."""
        if x != x:
            missing = len(self.variable) - 1 if self.variable is not None else 0
            return missing if self.missing else None
        if self.codes is not None:
            return next((i for i, code in enumerate(self.codes) if code == x), None)
        return self.variable.index(x) if self.variable is not None else 0

    def number_at(self, value: int) -> float:
        """A number that has this value of the variable: NaN, a code, or an end of an interval that belongs to it."""
        variable = self.variable
        if variable is None or value == variable.missing:
            return math.nan
        if self.codes is not None:
            return list(self.codes)[value]
        interval: Any = variable.values[value]
        low, high = interval.low, interval.high
        if math.isinf(low) and math.isinf(high):
            return 0.0
        if variable.closed == "right":
            return float(high) if math.isfinite(high) else math.nextafter(low, math.inf)
        return float(low) if math.isfinite(low) else math.nextafter(high, -math.inf)

    def refuse(self, x: float) -> InvalidInput:
        """The error for a number that is not allowed in this column."""
        if math.isnan(x):
            return InvalidInput(f"{self.name} is missing (NaN), which the model or missing= does not allow")
        return UnknownName(
            f"{self.name} is one of {listing(number(code) for code in self.codes or ())}; got {x:g}. "
            f"If it can be any number, pass domain={{{self.name!r}: 'numeric'}}"
        )


@dataclass(frozen=True)
class Domain:
    """The features of a model, and the universe of variables that they make.

    Attributes
    ----------
    features : tuple of Feature
        One per column.
    assumptions : tuple of str
        What the answers take for granted about rows, in words.
    """

    features: tuple[Feature, ...]
    assumptions: tuple[str, ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The universe: the variables of the columns that the model looks at."""
        return tuple(f.variable for f in self.features if f.variable is not None)

    @property
    def columns(self) -> tuple[int, ...]:
        """The column of each variable."""
        return tuple(f.column for f in self.features if f.variable is not None)

    def points(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cells of rows, one value index per variable; −1 where a value is not allowed.

        A row with a value that is not allowed in a column without a variable is −1 throughout.
        Cost: one bisection per number.
        """
        columns = [feature.values_of(rows[:, feature.column]) for feature in self.features]
        bad = np.zeros(len(rows), dtype=bool)
        for feature, found in zip(self.features, columns, strict=True):
            bad |= (found < 0) & (feature.variable is None)
        looked_at = [columns[i] for i in self.columns]
        points = np.column_stack(looked_at) if looked_at else np.zeros((len(rows), 0), dtype=np.int64)
        points[bad] = -1
        return points

    def point(self, row: NDArray[np.float64]) -> Point:
        """The cell of one row; a value that is not allowed is an error. Cost: one bisection per column."""
        point = []
        for feature, x in zip(self.features, row.tolist(), strict=True):
            index = feature.index_of(x)
            if index is None:
                raise feature.refuse(x)
            if feature.variable is not None:
                point.append(index)
        return tuple(point)

    def row_in(self, point: Point) -> NDArray[np.float64]:
        """A row of the cell at a point: codes, or a number inside each interval."""
        row = np.zeros(len(self.features))
        for feature in self.features:
            if feature.variable is None and feature.codes:
                row[feature.column] = next(iter(feature.codes))
        for column, value in zip(self.columns, point, strict=True):
            row[column] = self.features[column].number_at(value)
        return row

    def left_of(self, column: int, cut: float, missing_left: bool, *, or_equal: bool) -> int:
        """The values of a column's variable that a test sends left, as a bit mask."""
        feature = self.features[column]
        variable = feature.variable
        if variable is None:
            raise InvalidInput(f"{feature.name} has no variable; ask goes_left")
        mask = 0
        if feature.codes is None:
            cuts = variable.cuts or ()
            mask = (1 << bisect.bisect_right(cuts, cut)) - 1
            if cut == math.inf:
                mask = (1 << variable.ordered) - 1
        else:
            for code, name in feature.codes.items():
                if code < cut or (or_equal and code == cut):
                    mask |= 1 << variable.index(name)
        if variable.missing is not None and missing_left:
            mask |= 1 << variable.missing
        return mask

    def goes_left(self, column: int, cut: float, *, or_equal: bool) -> bool:
        """The side that every value of a column without a variable takes at a test."""
        one = next(iter(self.features[column].codes or {0.0: None}))
        return one <= cut if or_equal else one < cut


def domain_of(
    ensemble: Ensemble,
    rows: NDArray[np.float64] | None = None,
    *,
    declared: Mapping[str, Any] | None = None,
    missing: MissingRule = "auto",
) -> Domain:
    """The domain of an ensemble.

    Parameters
    ----------
    rows
        Rows as the model takes them; columns that hold only 0 and 1 are recognised as Boolean.
    declared
        Per feature name: "numeric", "boolean", a list of the numbers that may occur, or a mapping
        from such numbers to names of categories.
    missing
        "allow" and "forbid" speak of all columns. "auto" allows what the rows contain, and, without
        rows, whatever the model accepts.
    """
    if missing not in ("auto", "allow", "forbid"):
        raise InvalidInput(f'missing is "auto", "allow" or "forbid", not {missing!r}')
    if missing == "allow" and not ensemble.allows_missing:
        raise InvalidInput(f'missing="allow", but this {ensemble.source} does not accept missing values')
    if declared is not None and not isinstance(declared, Mapping):
        raise InvalidInput(f"domain is a mapping from feature names, not {declared!r}")
    unknown = set(declared or ()) - set(ensemble.feature_names)
    if unknown:
        raise UnknownName(
            f"domain= names {listing(sorted(unknown))}; the features are {listing(ensemble.feature_names)}"
        )
    tests = _tests(ensemble)
    features = []
    for column, name in enumerate(ensemble.feature_names):
        seen = None if rows is None else rows[:, column]
        kind, codes = _kind(name, (declared or {}).get(name), seen, tests[column], ensemble.operator)
        may_miss = _may_miss(ensemble, seen, missing)
        variable = _variable(name, codes, tests[column], may_miss, ensemble)
        features.append(Feature(column, name, kind, codes, may_miss, variable))
    tested = [feature for feature in features if tests[feature.column]]
    return Domain(tuple(features), _assumptions(ensemble, tested))


def _tests(ensemble: Ensemble) -> list[Tests]:
    tests: list[Tests] = [{} for _ in ensemble.feature_names]
    for tree in ensemble.trees:
        for node in np.flatnonzero(~tree.is_leaf):
            cut = cut_of(float(tree.threshold[node]), ensemble.operator, ensemble.dtype)
            tests[tree.feature[node]].setdefault(cut, set()).add(bool(tree.missing_left[node]))
    return tests


def _kind(
    name: str, declared: Any, seen: NDArray[np.float64] | None, tests: Tests, operator: Operator
) -> tuple[Kind, Codes | None]:
    if declared is None:
        present = set() if seen is None else set(np.unique(seen[~np.isnan(seen)]).tolist())
        between = all(0 <= cut < 1 if operator == "<=" else 0 < cut <= 1 for cut in tests if np.isfinite(cut))
        boolean = present == {0.0, 1.0} and between
        return ("boolean", {0.0: 0, 1.0: 1}) if boolean else ("numeric", None)
    if isinstance(declared, str):
        if declared == "boolean":
            return "boolean", {0.0: 0, 1.0: 1}
        if declared == "numeric":
            return "numeric", None
        raise InvalidInput(f'domain of {name}: "numeric", "boolean", a list or a mapping, not {declared!r}')
    if not isinstance(declared, Mapping | Sequence | np.ndarray):
        raise InvalidInput(f"domain of {name}: a list of numbers or a mapping from numbers to names")
    named = declared if isinstance(declared, Mapping) else {code: code for code in declared}
    codes: dict[float, object] = {}
    for code, label in named.items():
        if not isinstance(code, int | float | np.number) or not abs(float(code)) < 1e38:
            raise InvalidInput(f"domain of {name}: the codes are the numbers in its column, not {code!r}")
        codes[float(code)] = label
    codes = dict(sorted(codes.items()))
    if len(codes) < 2 or len({str(label) for label in codes.values()}) < len(codes):
        raise InvalidInput(f"domain of {name}: at least two categories, with different names")
    return "categorical", codes


def _may_miss(ensemble: Ensemble, seen: NDArray[np.float64] | None, missing: MissingRule) -> bool:
    if not ensemble.allows_missing or missing == "forbid":
        return False
    return missing == "allow" or seen is None or bool(np.isnan(seen).any())


def _variable(
    name: str, codes: Codes | None, tests: Tests, may_miss: bool, ensemble: Ensemble
) -> Variable | None:
    if not tests:
        return None
    if codes is None:
        closed: Side = "right" if ensemble.operator == "<=" else "left"
        cuts = sorted(cut for cut in tests if math.isfinite(cut))
        return Variable.numeric(name, cuts, closed, missing=may_miss) if cuts or may_miss else None
    lowest, highest = min(codes), max(codes)
    splits = any(
        lowest <= cut < highest if ensemble.operator == "<=" else lowest < cut <= highest for cut in tests
    )
    if not splits and not may_miss:
        return None
    return Variable.categorical(name, codes.values(), missing=may_miss)


def _assumptions(ensemble: Ensemble, features: Sequence[Feature]) -> tuple[str, ...]:
    found = []
    for feature in features:
        if feature.codes is not None:
            found.append(f"{feature.name} is one of {listing(feature.codes.values())}")
    if ensemble.allows_missing:
        never = [f.name for f in features if not f.missing]
        if never and len(never) == len(features):
            found.append("no value is missing")
        elif never:
            found.append(f"never missing: {listing(never)}")
    return tuple(found)
