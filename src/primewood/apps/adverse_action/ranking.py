"""Reasons in their order, with the ranges that would have helped."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from primewood.apps.adverse_action.codes import CodeTable, Fault
from primewood.apps.adverse_action.letter import range_in_words
from primewood.apps.adverse_action.reasons import AdverseReason
from primewood.logic.instance import Box
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row
from primewood.questions.changes_by_size import ChangesOfSize, FeatureSet, MinimalChanges
from primewood.questions.status import Status
from primewood.render.records import plain


class Ranking:
    """Makes reasons of changes, in the order of importance.

    Attributes
    ----------
    proved : bool
        Whether the order of what has been found so far is proved.
    boxes : list of Box
        What is proved about the ranges of the reasons: every possible row in these boxes gets the target.
    """

    def __init__(self, changes: MinimalChanges, table: CodeTable, most: int) -> None:
        self.changes, self.table, self.most = changes, table, most
        self.proved = True
        self.boxes: list[Box] = []
        self._told: dict[str, AdverseReason] = {}

    def reasons(self) -> tuple[AdverseReason, ...]:
        """The reasons, the most important first."""
        known = set[str]()
        for level in self.changes.list_by_size():
            self.proved = self.proved and not level.interrupted
            for move, name, change in self._order_features(level, known):
                self._tell(name, change, move)
                if len(self._told) == self.most:
                    return tuple(self._told.values())
            known.update(*level.changes)
        return tuple(self._told.values())

    @property
    def status(self) -> Status:
        """What is proved about the reasons."""
        if self.changes.impossible or (self.changes.complete and not self._told and self.proved):
            return Status.IMPOSSIBLE
        finished = self.changes.complete or len(self._told) == self.most
        return Status.PROVED if self.proved and finished else Status.INTERRUPTED

    def _order_features(
        self, level: ChangesOfSize, known: Collection[str]
    ) -> list[tuple[float | None, str, FeatureSet]]:
        """The features that a level brings, each with its least move and the change that it takes place in."""
        context, found = self.changes.context, []
        column = {name: i for i, name in enumerate(context.feature_names)}
        brought = frozenset[str]().union(*level.changes).difference(known)
        for name in sorted(brought, key=column.__getitem__):
            ways = []
            for change in (x for x in level.changes if name in x):
                move = 0.0
                if context.ranges is not None:
                    move, interrupted = self.changes.find_least_move(name, change)
                    self.proved = self.proved and not interrupted
                ways.append((len(change), move, sorted(column[x] for x in change), change))
            size, move, _, change = min(ways, key=lambda way: way[:3])
            found.append((size, move, column[name], name, change))
        found.sort(key=lambda one: one[:3])
        compared = context.ranges is not None
        return [(x[1] if compared and math.isfinite(x[1]) else None, x[3], x[4]) for x in found]

    def _tell(self, name: str, change: FeatureSet, move: float | None) -> None:
        """Add the reason that a feature is, unless another one has the same code."""
        context, row = self.changes.context, self.changes.decision.row
        way = self.changes.find_way(name, change)
        if way is None:
            self.proved = False
            return
        value, direction = context.named_values(row)[name], _find_direction(context, name, row, way.row)
        code, text = self.table.entry(name, direction) or (None, _write_plainly(name, direction))
        key = text if code is None else code
        if key in self._told:
            first = self._told[key]
            self._told[key] = replace(first, also=(*first.also, name))
            return
        self.boxes += [way.box] if way.ranges and way.box is not None else []
        together = tuple(x for x in context.feature_names if x in change and x != name)
        words = {x.variable.name: range_in_words(context, x) for x in way.ranges}
        self._told[key] = AdverseReason(
            rank=len(self._told) + 1,
            feature=name,
            code=code,
            text=text,
            value=None if value != value else plain(value),
            direction=direction,
            together=together,
            ranges=tuple(context.literal_record(x, _anywhere(context)) for x in way.ranges),
            helps=" and ".join(words.get(x, f"another {x}") for x in (name, *together)) if words else "",
            move=move,
            also=(),
            proved=self.proved,
        )


def _find_direction(context: TreeContext, name: str, row: Row, other: Row) -> Fault:
    """What is wrong with a value, in view of a row with one that would have helped."""
    feature = context.feature(name)
    old, new = row[list(feature.columns)], other[list(feature.columns)]
    if np.isnan(old).any():
        return "missing"
    if feature.patterns is None:
        return "low" if new[0] > old[0] else "high"
    if feature.variable is None or not feature.variable.ordered:
        return "other"
    places = [list(feature.patterns).index(tuple(x.tolist())) for x in (old, new)]
    return "low" if places[1] > places[0] else "high"


def _write_plainly(name: str, direction: Fault) -> str:
    return {"low": f"{name} too low", "high": f"{name} too high", "missing": f"{name} not given"}.get(
        direction, name
    )


def _anywhere(context: TreeContext) -> tuple[float, ...]:
    """A row without numbers: what is shown then keeps to the training rows alone."""
    return (math.nan,) * len(context.column_names)
