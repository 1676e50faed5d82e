"""What all answers about one model share: its variables and names, its training rows, and how things are said in words.

An answer keeps its context, and no engine: so it can be shown, sent and kept without the model.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Feature
from primewood.domain.mined import UsedRules
from primewood.errors import UnknownName, format_list, quote_value, suggest
from primewood.logic.expression import Literal
from primewood.logic.instance import Box, Point, as_point
from primewood.logic.interval import MISSING, Closed, Interval, number
from primewood.logic.language import Language
from primewood.logic.masks import mask_of_array
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.model.distribution import distribution
from primewood.model.row_in_cell import Cells, Row
from primewood.model.value_arrays import Atoms
from primewood.render import decimals, text
from primewood.render.records import (
    DistributionRecord,
    IntervalRecord,
    LiteralRecord,
    NearRecord,
    ScoreRecord,
    plain,
)
from primewood.tables.rows import Layout, as_row

if TYPE_CHECKING:
    from primewood.model.score import Score, Scorer

CLOSED: dict[tuple[bool, bool], Closed] = {
    (True, True): "both",
    (True, False): "left",
    (False, True): "right",
    (False, False): "neither",
}
"""What ends belong to an interval, in a word."""
UNDECIDED = "depends on the order of summation"
"""The decision where scores may be added in any order and rounding could decide."""


@dataclass(frozen=True)
class Context:
    """What all answers about one model share; by itself, that of an expression.

    Attributes
    ----------
    variables : tuple of Variable
        The universe.
    class_names : tuple
        The names of the decisions.
    literals : str
        The literal language of answers where a question asks for no other.
    vote : str or None
        How trees become a decision; None for an expression, and for a single tree.
    units : mapping
        Per feature its unit.
    digest : str or None
        What tells the model from any other.
    near : record or None
        Which rows answers are about, where these are only rows near one row.
    """

    variables: tuple[Variable, ...]
    class_names: tuple[object, ...]
    literals: Language = field(default="sets", kw_only=True)
    vote: str | None = field(default=None, kw_only=True)
    units: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    digest: str | None = field(default=None, kw_only=True)
    near: NearRecord | None = field(default=None, kw_only=True)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the model's features; of an expression, of its variables."""
        return tuple(x.name for x in self.variables)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of a row's columns; none for an expression."""
        return ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed about rows; nothing for an expression."""
        return ()

    @property
    def all_assumptions(self) -> tuple[str, ...]:
        """What is assumed about rows, and all that is known about them; nothing for an expression."""
        return ()

    def list_used(self, box: Box, mined: UsedRules | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """The constraints and mined rules that an answer about a box may rest on; none for an expression."""
        return ()

    def score(self, row: Row | Sequence[float] | None) -> Score | None:  # noqa: ARG002
        """What the decision on a row is based on; None for an expression, and without a row."""
        return None

    def score_record(self, row: Row | Sequence[float] | None) -> ScoreRecord | None:
        """The same in plain types."""
        score = self.score(row)
        return None if score is None else score.to_dict()

    def drop_model(self) -> Self:
        """The same for another process, without what belongs to the model."""
        return self

    def read(self, x: Any) -> tuple[Row | None, Point]:
        """A row as users have it, and its cell; for an expression, no row, and an instance."""
        return None, as_point(self.variables, x)

    def point_of(self, x: Any) -> Point:
        """The cell of a row as users have it; for an expression, an instance."""
        return self.read(x)[1]

    def label(self, decision: object) -> int:
        """The place of a decision, by its name."""
        if not isinstance(decision, Hashable) or decision not in self.class_names:
            like = suggest([decision], self.class_names)
            raise UnknownName(
                f"no decision is called {quote_value(decision)}{like}; there are {format_list(self.class_names)}"
            )
        return self.class_names.index(decision)

    def place(self, name: str) -> int | None:
        """The place of a feature's variable; None for a feature that no test looks at."""
        if not isinstance(name, str) or name not in self.feature_names:
            like = suggest([name], self.feature_names)
            raise UnknownName(
                f"there is no feature {quote_value(name)}{like}; the features are {format_list(self.feature_names)}"
            )
        return self.places.get(name)

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of the variables by their names."""
        return {x.name: j for j, x in enumerate(self.variables)}

    def feature(self, name: str) -> Feature | None:  # noqa: ARG002
        """The feature of that name; None for a variable of an expression."""
        return None

    def literal_record(self, literal: Literal, row: tuple[float, ...] | None = None) -> LiteralRecord:
        """A literal in plain types and in words; shown bounds keep the row's own number."""
        variable = literal.variable
        missing = variable.missing is not None and bool(literal.mask >> variable.missing & 1)
        feature = self.feature(variable.name)
        if variable.is_numeric:
            x = None if row is None or feature is None else row[feature.column]
            return self._numeric_record(literal, x, missing)
        own = -1 if row is None or feature is None else feature.index_of(row)
        listed = self._sort_naturally(variable)
        held = [v for v in listed if literal.mask >> variable.index(v) & 1]
        absent = [v for v in listed if v not in held]
        here = held.index(variable.values[own]) if own >= 0 and literal.mask >> own & 1 else 0
        return {
            "feature": variable.name,
            "unit": self.units.get(variable.name, ""),
            "missing": missing,
            "values": [plain(v) for v in held if v is not MISSING],
            "shown": [str(v) for v in held],
            "condition": text.write_condition(held, absent, here),
            "text": text.write_choice(variable.name, held, absent, here),
        }

    def _numeric_record(self, literal: Literal, x: float | None, missing: bool) -> LiteralRecord:
        """What a literal of a numeric variable says; `x` is the row's own number, None without a row."""
        name, feature = literal.variable.name, self.feature(literal.variable.name)
        column = None if feature is None else self._training_numbers(feature)
        here, brief = np.nan if x is None else x, x is not None
        whole = feature is not None and feature.whole
        ends = [
            decimals.whole_ends(piece) if whole else decimals.shown_ends(piece, here, column, brief=brief)
            for piece in literal.intervals
        ]
        shown = [text.write_piece(name, low, high, self.units.get(name, "")) for low, high in ends]
        shown += [text.write_missing(name)] if missing else []
        own = next((k for k, piece in enumerate(literal.intervals) if here in piece), 0)
        record: LiteralRecord = {
            "feature": name,
            "unit": self.units.get(name, ""),
            "missing": missing,
            "intervals": [interval_record(piece) for piece in literal.intervals],
            "ends": [{"low": low and [*low], "high": high and [*high]} for low, high in ends],
            "shown": shown,
            "text": text.join_pieces(shown, len(shown) - 1 if missing and brief and np.isnan(here) else own),
        }
        if whole:
            record["whole"] = True
        return record

    def _training_numbers(self, feature: Feature) -> NDArray[np.float64] | None:  # noqa: ARG002
        return None

    def _sort_naturally(self, variable: Variable) -> list[Hashable]:
        """The values of a categorical variable by their codes, as people know them."""
        feature = self.feature(variable.name)
        if feature is None or feature.patterns is None:
            return list(variable.values)
        listed = [variable.values[i] for i in feature.natural_order]
        return listed + list(variable.values[len(feature.patterns) :])

    def words(self, term: Term, row: tuple[float, ...] | None = None) -> str:
        """A term in words."""
        return " AND ".join(self.literal_record(x, row)["text"] for x in term.literals) or "anything"


@dataclass(frozen=True)
class TreeContext(Context):
    """What all answers about one tree model share.

    Attributes
    ----------
    domain : Domain
        What rows can be.
    layout : Layout
        How the model's rows look.
    rows, points : arrays or None
        The training rows, and their cells.
    scorer : Scorer or None
        Says what decisions are based on; None without the model.
    ids : tuple or None
        The labels of the training rows in the index of their frame; None if there is no index.
    whole : TreeContext or None
        Of answers about rows near one row: the context of those about all rows.
    """

    domain: Domain = field(kw_only=True)
    layout: Layout = field(default_factory=Layout, kw_only=True)
    rows: Row | None = field(default=None, kw_only=True)
    points: NDArray[np.int64] | None = field(default=None, kw_only=True)
    scorer: Scorer | None = field(default=None, repr=False, kw_only=True)
    ids: tuple[object, ...] | None = field(default=None, repr=False, kw_only=True)
    whole: TreeContext | None = field(default=None, repr=False, kw_only=True)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.domain.features)

    @property
    def column_names(self) -> tuple[str, ...]:
        return self.domain.column_names

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self.domain.assumptions

    @property
    def all_assumptions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.domain.assumptions, *self.domain.knowledge.list_all())))

    def list_used(self, box: Box, mined: UsedRules | None = None) -> tuple[str, ...]:
        return self.domain.knowledge.list_used(box, mined)

    def score(self, row: Row | Sequence[float] | None) -> Score | None:
        return None if self.scorer is None or row is None else self.scorer.score(row)

    def drop_model(self) -> Self:
        whole = None if self.whole is None else self.whole.drop_model()
        return replace(self, scorer=None, whole=whole)

    def read(self, x: Any) -> tuple[Row, Point]:
        row = as_row(x, self.layout)
        return row, self.domain.point(row)

    def feature(self, name: str) -> Feature:
        return self.domain.features[self.feature_names.index(name)]

    def _training_numbers(self, feature: Feature) -> NDArray[np.float64] | None:
        return None if self.rows is None else self.rows[:, feature.column]

    def row_id(self, place: int) -> object:
        """What a training row is called: its label in the index of its frame, or its place."""
        return place if self.ids is None else self.ids[place]

    @cached_property
    def cells(self) -> Cells:
        """What makes rows that lie in given cells."""
        return Cells(self.domain, self.rows, self.points)

    @cached_property
    def atoms(self) -> Atoms:
        """The values of all variables, one variable after the other."""
        return Atoms.of_features(self.domain.seen)

    @cached_property
    def ranges(self) -> NDArray[np.float64] | None:
        """The smallest and the largest number of each column in the training rows; NaN if there is none."""
        if self.whole is not None:
            return self.whole.ranges
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
        for x, feature in zip(self.variables, self.domain.seen, strict=True):
            low, high = self.ranges[:, feature.column].tolist()
            found.append(_share_categories(x) if x.cuts is None else _share_intervals(x, low, high))
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

    @cached_property
    def seen_values(self) -> tuple[int, ...]:
        """Per variable, the values that training rows have, as a mask; without any, all but missing and "other"."""
        if self.frequencies is not None and self.points is not None and len(self.points):
            return tuple(mask_of_array(shares > 0) for shares in self.frequencies)
        return tuple(map(_usual_values, self.variables, self.domain.seen))

    def is_seen(self, place: int, value: int) -> bool:
        """Whether a value of a variable is one of `seen_values`."""
        return bool(self.seen_values[place] >> value & 1)

    def frequency(self, place: int, value: int) -> float:
        """The share of the training rows that have a value of a variable; 0 without any."""
        return 0.0 if self.frequencies is None else float(self.frequencies[place][value])

    @cached_property
    def distributions(self) -> dict[str, DistributionRecord]:
        """Per feature of the model, how the training rows are distributed over it."""
        return {feature.name: distribution(feature, self.rows) for feature in self.domain.features}

    def named_values(self, row: Row) -> dict[str, object]:
        """What a row holds per feature: numbers, or names of categories; NaN where it is missing."""
        found: dict[str, object] = {}
        for feature in self.domain.features:
            held = tuple(row[list(feature.columns)].tolist())
            names = feature.patterns or {}
            found[feature.name] = held[0] if any(x != x for x in held) else names.get(held, held[0])
        return found

    def shown(self, place: int, value: int, row: Row) -> str:
        """A value of a variable by its name, or by the number that a row has in it."""
        cell = self.variables[place].value_at(value)
        return number(row[self.domain.seen[place].column]) if isinstance(cell, Interval) else str(cell)


def _usual_values(variable: Variable, feature: Feature) -> int:
    """All values of a variable but missing and "other", as a mask."""
    unusual = 0 if variable.missing is None else 1 << variable.missing
    if feature.patterns is not None and feature.others is not None:
        unusual |= 1 << feature.others
    return variable.everything & ~unusual


def _share_categories(variable: Variable) -> NDArray[np.float64]:
    """The share of each category; none for missing values."""
    shares = np.full(len(variable), 1 / (len(variable) - (variable.missing is not None)))
    if variable.missing is not None:
        shares[variable.missing] = 0.0
    return shares


def _share_intervals(variable: Variable, low: float, high: float) -> NDArray[np.float64]:
    """The share of a range that each interval has; none for missing values."""
    shares = np.zeros(len(variable))
    ends = np.array([-np.inf, *(variable.cuts or ()), np.inf])
    if high > low:
        inside = np.minimum(high, ends[1:]) - np.maximum(low, ends[:-1])
        shares[: variable.ordered] = np.maximum(0.0, inside) / (high - low)
    elif low == low:
        shares[variable.index(low)] = 1.0
    return shares


def interval_record(interval: Interval) -> IntervalRecord:
    """An interval in plain types; an end that does not exist is None."""
    return {
        "low": interval.low if np.isfinite(interval.low) else None,
        "high": interval.high if np.isfinite(interval.high) else None,
        "closed": CLOSED[interval.closed_low, interval.closed_high],
    }
