"""What a model decides if one or two features of a row change and the others stay: exact, cell by cell.

Each cell has a mark if an explanation covers it. There the decision does not depend on the features that the
explanation leaves free; elsewhere it is the decision on this one row only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primewood.domain import Feature
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.expression import Literal
from primewood.logic.interval import Interval
from primewood.model.context import TreeContext, interval_record
from primewood.model.decision import RowDecision
from primewood.model.feature_records import format_value, scale
from primewood.model.row_in_cell import Row
from primewood.questions.explain import Wishes, explain
from primewood.questions.explanation import Explanation
from primewood.render.records import (
    CellRecord,
    DecisionMapRecord,
    RowOnAxisRecord,
    Scalar,
    ShownEndsRecord,
    StretchRecord,
    WhatIfRecord,
    plain,
)
from primewood.visible import Readable, join_lines

if TYPE_CHECKING:
    from primewood.render.plots import DecisionMapDisplay, WhatIfDisplay

SECONDS = 10.0
"""How long the explanation is searched for, if none is given."""


@dataclass(frozen=True)
class Axis:
    """One feature and the cells that the model distinguishes in it.

    Attributes
    ----------
    feature : Feature
    order : tuple of int
        The variable's values as they are shown: categories in their natural order.
    inside : tuple of bool
        Per cell, in that order, whether the explanation allows it.
    """

    feature: Feature
    order: tuple[int, ...]
    inside: tuple[bool, ...]

    @classmethod
    def of(cls, context: TreeContext, name: str, why: Explanation) -> Axis:
        """The axis of a feature, with what an explanation allows in it."""
        context.place(name)
        feature = context.feature(name)
        if feature.variable is None:
            places = tuple(feature.natural_order) or (0,)
            return cls(feature, places, (True,) * len(places))
        order = list(range(len(feature.variable)))
        order[: len(feature.natural_order)] = feature.natural_order
        literal = next((x for x in why.term.literals if x.variable.name == name), None)
        inside = [literal is None or bool(literal.mask >> value & 1) for value in order]
        return cls(feature, tuple(order), tuple(inside))

    def cell(self, place: int) -> CellRecord:
        """The cell at a place, in plain types: an interval, a value, or missing."""
        if self.feature.patterns is not None and self.order[place] < len(self.feature.patterns):
            return {"values": [plain(list(self.feature.patterns.values())[self.order[place]])]}
        if self.feature.variable is None:
            return make_cell(Interval(-np.inf, np.inf, "neither"))
        value = self.feature.variable.value_at(self.order[place])
        return make_cell(value) if isinstance(value, Interval) else {"missing": True}

    def write(self, row: Row, place: int) -> None:
        """Put a number of a cell into a row; a feature that nothing tests stays as it is."""
        if self.feature.variable is not None:
            self.feature.write(row, self.order[place])

    def record(self, context: TreeContext, row: Row) -> RowOnAxisRecord:
        """What the axis shows, and where the row is on it."""
        value = context.named_values(row)[self.feature.name]
        unit = context.units.get(self.feature.name, "")
        missing = isinstance(value, float) and np.isnan(value)
        return {
            "feature": self.feature.name,
            "unit": unit,
            "value": None if missing else plain(value),
            "shown": format_value(value, unit),
            **scale(context, self.feature),
        }


def make_cell(interval: Interval) -> CellRecord:
    """The cell of an interval, in plain types."""
    record = interval_record(interval)
    return {"low": record["low"], "high": record["high"], "closed": record["closed"]}


def decide_cells(decision: RowDecision, axes: Sequence[Axis]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What is decided in each cell of some axes, everything else unchanged; −1 where constraints allow no row."""
    context, row = decision.context, decision.row
    shape = tuple(len(axis.order) for axis in axes)
    rows = np.tile(row, (int(np.prod(shape)), 1))
    for moved, places in zip(rows, itertools.product(*map(range, shape)), strict=True):
        for axis, place in zip(axes, places, strict=True):
            axis.write(moved, place)
    possible = context.domain.possible(rows, context.domain.points(rows))
    if context.domain.knowledge.orders:
        for i in np.flatnonzero(~possible).tolist():
            found = _move_in_order(context, row, rows[i], axes)
            if found is not None:
                rows[i], possible[i] = found, True
    return np.where(possible, decision.model.ensemble.predict(rows), -1).reshape(shape)


def _move_in_order(context: TreeContext, row: Row, moved: Row, axes: Sequence[Axis]) -> Row | None:
    """A row of a cell that keeps to the orders, with the numbers of the axes only moved; None if there is none."""
    domain = context.domain
    own, point = domain.points(np.array([row, moved])).tolist()
    names = {axis.feature.name for axis in axes}
    stay = {f.name: (float(row[f.column]),) * 2 for f in domain.features if f.name not in names}
    found = context.cells.nearest_row(tuple(point), row, tuple(own), stay)
    return found if found is not None and domain.possible(found[None, :], np.array([point]))[0] else None


@dataclass(frozen=True, repr=False)
class WhatIf(Readable):
    """The decisions on a row for all values of one feature.

    Attributes
    ----------
    axis : Axis
    labels : tuple of int
        Per cell the place of the decision in `classes`; −1 where constraints allow no row.
    row : tuple of float
        The row that was asked about.
    why : Explanation
        The explanation that says where the decision is proved.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> explainer.what_if(X[50], "pw").labels
    (0, 1, 2)
    """

    axis: Axis
    labels: tuple[int, ...]
    row: tuple[float, ...]
    why: Explanation
    context: TreeContext

    @property
    def pieces(self) -> list[StretchRecord]:
        """The cells in runs with one decision, each with whether the explanation covers it."""
        runs: list[list[int]] = []
        for place in range(len(self.labels)):
            if runs and self._alike(runs[-1][-1], place):
                runs[-1].append(place)
            else:
                runs.append([place])
        return [self._describe(run) for run in runs]

    def _alike(self, place: int, next_place: int) -> bool:
        """Whether two neighbouring cells are intervals with the same decision, proved or not alike."""
        return (
            self.labels[place] == self.labels[next_place]
            and self.axis.inside[place] == self.axis.inside[next_place]
            and "low" in self.axis.cell(place)
            and "low" in self.axis.cell(next_place)
        )

    def _describe(self, run: list[int]) -> StretchRecord:
        """A run of cells in plain types and in words."""
        variable, cell = self.axis.feature.variable, self.axis.cell(run[0])
        shown: ShownEndsRecord = {"ends": {"low": None, "high": None}} if "low" in cell else {}
        if variable is None or ("low" in cell and self._mask(run) == variable.everything):
            name = self.axis.feature.name
            words = f"{name} is {cell['values'][0]}" if "values" in cell else f"{name} is anything"
            cell = cell if "values" in cell else make_cell(Interval(-np.inf, np.inf, "neither"))
        else:
            literal = Literal(variable, self._mask(run))
            record = self.context.literal_record(literal, self.row)
            words = record["text"]
            if "low" in cell:
                cell, shown = make_cell(literal.intervals[0]), {"ends": record["ends"][0]}
        return {
            **cell,
            **shown,
            "text": words,
            "decision": self._decision(run[0]),
            "proved": self.axis.inside[run[0]],
        }

    def _mask(self, run: list[int]) -> int:
        return sum(1 << self.axis.order[place] for place in run)

    def _decision(self, place: int) -> Scalar | None:
        label = self.labels[place]
        return None if label < 0 else plain(self.context.class_names[label])

    def to_dict(self) -> WhatIfRecord:
        """The strip in plain types."""
        return {
            **self.axis.record(self.context, np.array(self.row)),
            "decision": plain(self.why.decision),
            "score": self.why.score_record,
            "pieces": self.pieces,
            "classes": [plain(name) for name in self.context.class_names],
            "rule": self.why.rule,
        }

    def __str__(self) -> str:
        record = self.to_dict()
        lines = [str(self.why.score), f"{record['feature']} is {record['shown']}. If only it changes:"]
        for piece in self.pieces:
            lines.append(f"  {piece['text']}: {_outcome(piece, record['decision'])}")
        return join_lines(lines)

    def __repr__(self) -> str:
        return f"<WhatIf: {self.axis.feature.name}, {len(self.pieces)} pieces>"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import what_if

        return what_if(self.to_dict())

    def plot(self, *, ax: Any = None) -> WhatIfDisplay:
        """The strip as a picture (`primewood.plots.what_if`)."""
        from primewood.render.plots import what_if

        return what_if(self, ax=ax)


def _outcome(piece: StretchRecord, decision: object) -> str:
    if piece["decision"] is None:
        return "no such row, by the constraints"
    if piece["decision"] != decision:
        return f"{piece['decision']}"
    return f"{decision}, proved whatever the free features are" if piece["proved"] else f"{decision}"


@dataclass(frozen=True, repr=False)
class DecisionMap(Readable):
    """The decisions on a row for all values of two features.

    Attributes
    ----------
    axes : pair of Axis
    labels : array of int
        Per cell of the first and of the second feature; −1 where constraints allow no row.
    row : tuple of float
        The row that was asked about.
    why : Explanation
        The explanation whose box is drawn in.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.decision_map(X[50], ("pl", "pw"))
    >>> found.labels
    array([[0, 1, 2],
           [0, 1, 2],
           [0, 2, 2]])
    """

    axes: tuple[Axis, Axis]
    labels: np.ndarray[Any, np.dtype[np.int64]]
    row: tuple[float, ...]
    why: Explanation
    context: TreeContext

    def to_dict(self) -> DecisionMapRecord:
        """The map in plain types."""
        row = np.array(self.row)
        return {
            "axes": [
                {
                    **axis.record(self.context, row),
                    "cells": [axis.cell(place) for place in range(len(axis.order))],
                    "inside": list(axis.inside),
                }
                for axis in self.axes
            ],
            "decisions": [[None if x < 0 else x for x in line] for line in self.labels.tolist()],
            "classes": [plain(name) for name in self.context.class_names],
            "decision": plain(self.why.decision),
            "score": self.why.score_record,
            "rule": self.why.rule,
        }

    def __str__(self) -> str:
        cells = [(int((self.labels == k).sum()), name) for k, name in enumerate(self.context.class_names)]
        told = ", ".join(f"{name} in {count}" for count, name in cells if count)
        first, second = (axis.feature.name for axis in self.axes)
        change = f"If only {first} and {second} change, of {self.labels.size} cells: {told}"
        return join_lines([str(self.why.score), change])

    def __repr__(self) -> str:
        return f"<DecisionMap: {' and '.join(axis.feature.name for axis in self.axes)}, {self.labels.size} cells>"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import decision_map

        cells = {name: int((self.labels == k).sum()) for k, name in enumerate(self.context.class_names)}
        return decision_map(self.to_dict(), cells)

    def plot(self, *, ax: Any = None) -> DecisionMapDisplay:
        """The map as a picture (`primewood.plots.decision_map`)."""
        from primewood.render.plots import decision_map

        return decision_map(self, ax=ax)


def find_what_if(decision: RowDecision, feature: str, why: Explanation | None) -> WhatIf:
    """What is decided if one feature of a row changes and the others stay, and where that is proved for all.

    Cost: one prediction per value that the model distinguishes.
    """
    why = _choose_explanation(decision, why)
    axis = Axis.of(decision.context, feature, why)
    labels = decide_cells(decision, [axis])
    return WhatIf(axis, tuple(labels.tolist()), decision.values, why, decision.context)


def find_decision_map(
    decision: RowDecision, features: tuple[str, str], why: Explanation | None
) -> DecisionMap:
    """What is decided if two features of a row change and the others stay, with the box of an explanation.

    Cost: one prediction per pair of values that the model distinguishes.
    """
    if isinstance(features, str) or len(features) != 2 or features[0] == features[1]:
        raise InvalidInput(
            f"a map takes the names of two features, such as ('age', 'income'), not {features!r}"
        )
    why = _choose_explanation(decision, why)
    first, second = (Axis.of(decision.context, name, why) for name in features)
    labels = decide_cells(decision, (first, second))
    return DecisionMap((first, second), labels, decision.values, why, decision.context)


def _choose_explanation(decision: RowDecision, why: Explanation | None) -> Explanation:
    """The explanation that is given, if it is about this row and this decision of this model; else a new one."""
    if why is None:
        return explain(decision, Wishes(goal="prime"), Clock(SECONDS))
    if why.row is None or not np.array_equal(np.array(why.row), decision.row, equal_nan=True):
        raise InvalidInput("why is an explanation of another row; leave it out, or explain this row first")
    theirs, ours = why.context, decision.context
    same = isinstance(theirs, TreeContext) and (theirs.digest, theirs.domain) == (ours.digest, ours.domain)
    if not same or why.decision != decision.name:
        raise InvalidInput(
            "why is an explanation of another model, over another domain, or of another decision; leave it out"
        )
    return why
