"""How far a row is from another one: what it costs to move from a row to each value of each feature.

Numbers move by how far the nearest number of a cell is, in the feature's own unit or as a share of its range in the
training rows; another category, or a number where none was given, is one whole step. In ``l0`` every change is one
step. Costs may be weighted by feature, and moves excluded: features that do not change, or change in one direction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as Choice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Feature
from primewood.engines.protocol import Costs
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.instance import Box, Point
from primewood.reasons.context import Context, Row

Norm = Choice["l0", "l1", "linf"]


def check_norm(norm: str) -> Norm:
    """The norm of that name, or an error that lists them."""
    if norm not in get_args(Norm):
        raise InvalidInput(f'norm is "l0", "l1" or "linf", not {norm!r}')
    return norm  # type: ignore[return-value]


@dataclass(frozen=True)
class Moves:
    """Which moves away from a row there are, and what they cost.

    Attributes
    ----------
    norm : str
        "l0" counts the features that change; "l1" adds up how far they move; "linf" takes the farthest.
    relative : bool
        Whether distances are shares of the range of the training rows.
    weights : mapping
        Per feature what its moves are multiplied with; 1 where it says nothing.
    immutable, increase, decrease : frozenset of str
        Features that stay as they are, that only go up, and that only go down.
    to_missing : bool
        Whether a value may become missing.
    categories : bool
        Whether categories may change; in numbers alone they have no distance.
    """

    norm: Norm
    relative: bool = True
    weights: Mapping[str, float] | None = None
    immutable: frozenset[str] = frozenset()
    increase: frozenset[str] = frozenset()
    decrease: frozenset[str] = frozenset()
    to_missing: bool = False
    categories: bool = True

    def check(self, context: Context) -> None:
        """Raise if the names are no features, or a distance cannot be measured."""
        known = context.feature_names
        named = {*self.immutable, *self.increase, *self.decrease, *(self.weights or ())}
        if unknown := sorted(named - {*known}):
            raise UnknownName(f"there is no feature {listing(unknown)}; the features are {listing(known)}")
        if both := sorted(self.increase & self.decrease):
            raise InvalidInput(f"{listing(both)} cannot both increase only and decrease only; say immutable")
        for name in sorted(self.increase | self.decrease):
            feature = context.feature(name)
            if feature is not None and feature.patterns is not None and not _is_ordered(feature):
                raise InvalidInput(f"{name} has no order in which it could increase or decrease")
        for name, weight in (self.weights or {}).items():
            if not isinstance(weight, int | float | np.number) or not 0 < weight < math.inf:
                raise InvalidInput(f"the weight of {name} is a positive number, not {weight!r}")
        if self.relative and self.norm != "l0" and context.ranges is None:
            raise InvalidInput("distances relative to the training range need X_train; or say relative=False")

    def priced(self, context: Context, row: Row, point: Point) -> tuple[Box, Costs]:
        """The values that may be moved to, and their costs, for a row in the cell `point`."""
        assert context.domain is not None
        box, costs = [], []
        for feature, own in zip(context.domain.seen, point, strict=True):
            weight = float((self.weights or {}).get(feature.name, 1.0))
            cost = self._costs(context, feature, float(row[feature.column]), own)
            possible = np.isfinite(cost)
            box.append(int.from_bytes(np.packbits(possible, bitorder="little").tobytes(), "little"))
            costs.append(np.where(possible, cost * weight, 0.0))
        return self._in_order(context, row, point, tuple(box)), costs

    def _costs(self, context: Context, feature: Feature, here: float, own: int) -> NDArray[np.float64]:
        """What each value of a feature costs, without weight; infinite where it must not go."""
        assert feature.variable is not None
        numbers = len(feature.variable) - feature.missing
        cost = np.full(len(feature.variable), np.inf)
        up, down = feature.name in self.increase, feature.name in self.decrease
        if feature.name not in self.immutable:
            if own >= numbers:
                cost[:numbers] = np.inf if up or down else 1.0
            elif feature.patterns is not None:
                cost[:numbers] = 1.0 if self.categories else np.inf
            elif self.norm == "l0":
                cost[:numbers] = 1.0
            else:
                low, high = feature.all_ends.T
                cost[:numbers] = np.maximum(low - here, here - high) * self._scale(context, feature)
            cost[numbers:] = 1.0 if self.to_missing else np.inf
            if own < numbers and up:
                cost[:own] = np.inf
            if own < numbers and down:
                cost[own + 1 : numbers] = np.inf
        cost[own] = 0.0
        return cost

    def _scale(self, context: Context, feature: Feature) -> float:
        if not self.relative or context.ranges is None:
            return 1.0
        low, high = context.ranges[:, feature.column].tolist()
        return 1 / (high - low) if high > low else 1.0

    def _in_order(self, context: Context, row: Row, point: Point, box: Box) -> Box:
        """Without the values that an order excludes because its other feature does not change."""
        assert context.domain is not None
        seen = {feature.name: k for k, feature in enumerate(context.domain.seen)}
        narrowed = list(box)
        for order in context.domain.knowledge.orders:
            for held, other in ((order.lower, order.upper), (order.upper, order.lower)):
                feature = context.feature(held)
                if held not in self.immutable or other not in seen or feature is None:
                    continue
                here = float(row[feature.column])
                if math.isnan(here):
                    continue
                k = seen[other]
                moving = context.domain.seen[k]
                for value, (low, high) in enumerate(moving.all_ends.tolist()):
                    fits = order.holds(here, high) if held == order.lower else order.holds(low, here)
                    if not fits and value != point[k]:
                        narrowed[k] &= ~(1 << value)
        return tuple(narrowed)

    def total(self, context: Context, row: Row, other: Row) -> float:
        """The distance of two rows."""
        assert context.domain is not None
        parts = []
        for feature in context.domain.features:
            old, new = row[list(feature.columns)], other[list(feature.columns)]
            if np.array_equal(old, new, equal_nan=True):
                continue
            weight = float((self.weights or {}).get(feature.name, 1.0))
            step = 1.0
            if feature.patterns is None and self.norm != "l0" and not np.isnan([*old, *new]).any():
                step = abs(float(new[0]) - float(old[0])) * self._scale(context, feature)
            parts.append(step * weight)
        return max(parts, default=0.0) if self.norm == "linf" else float(sum(parts))


def _is_ordered(feature: Feature) -> bool:
    return feature.variable is not None and bool(feature.variable.ordered)
