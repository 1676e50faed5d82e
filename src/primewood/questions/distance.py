"""How far a row is from another one: what it costs to move from a row to each value of each feature.

A number's cost is its distance to the nearest number in the target cell, in the feature's own unit or as a share of its
range in the training rows; another category, or a number where none was given, is one whole step. In ``l0`` every
change is one step. Costs may be weighted by feature, and moves excluded: features that do not change, or change in one
direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal as Choice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Feature
from primewood.engines.protocol import Costs
from primewood.errors import InvalidInput, UnknownName, format_list, quote_value
from primewood.logic.instance import Point
from primewood.model.context import TreeContext
from primewood.model.model import TreeModel
from primewood.model.row_in_cell import Row

Norm = Choice["l0", "l1", "linf"]


def check_norm(norm: str) -> Norm:
    """The norm of that name, or an error that lists them."""
    if not isinstance(norm, str) or norm not in get_args(Norm):
        raise InvalidInput(f'norm must be "l0", "l1" or "linf", not {quote_value(norm)}')
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
        A factor per feature; 1 if not listed.
    immutable, increase, decrease : frozenset of str
        Features that stay as they are, that only go up, and that only go down.
    to_missing : bool
        Whether a value may become missing.
    categories : bool
        Whether categories may change; without relative distances, categories have no distance.
    """

    norm: Norm
    relative: bool = True
    weights: Mapping[str, float] | None = None
    immutable: frozenset[str] = frozenset()
    increase: frozenset[str] = frozenset()
    decrease: frozenset[str] = frozenset()
    to_missing: bool = False
    categories: bool = True

    def check(self, context: TreeContext) -> None:
        """Raise if the names are not features, or a distance cannot be measured."""
        known = context.feature_names
        named = {*self.immutable, *self.increase, *self.decrease, *(self.weights or ())}
        if unknown := sorted(named - {*known}):
            raise UnknownName(
                f"there is no feature {format_list(unknown)}; the features are {format_list(known)}"
            )
        if both := sorted(self.increase & self.decrease):
            raise InvalidInput(
                f"{format_list(both)} cannot both only increase and only decrease; pass immutable= instead"
            )
        for name in sorted(self.increase | self.decrease):
            feature = context.feature(name)
            if feature.patterns is not None and _is_unordered(feature):
                raise InvalidInput(f"{name} has no order in which it could increase or decrease")
        for name, weight in (self.weights or {}).items():
            if not isinstance(weight, int | float | np.number) or not 0 < weight < math.inf:
                raise InvalidInput(f"the weight of {name} must be a positive number, not {weight!r}")
        if self.relative and self.norm != "l0" and context.ranges is None:
            raise InvalidInput(
                "distances relative to the training range need X_train; pass it, or relative=False"
            )

    def find_costs(self, context: TreeContext, row: Row, point: Point) -> Costs:
        """What it costs a row in the cell `point` to move to each value; infinite where it must not go."""
        atoms = context.atoms
        seen, own = context.domain.seen, np.array(point, dtype=np.int64)
        was_number = (own < atoms.numbers)[atoms.place]
        costs = np.ones(len(atoms.place))
        if self.norm != "l0":
            here = row[atoms.column]
            with np.errstate(invalid="ignore"):
                gap = np.maximum(atoms.low - here, here - atoms.high)
            costs = np.where(atoms.is_numeric & was_number, gap / self._units(context)[atoms.place], costs)
        if not self.categories:
            costs[(atoms.is_category & was_number) | ~was_number] = np.inf
        if not self.to_missing:
            costs[atoms.is_missing] = np.inf
        limited = self.immutable or self.increase or self.decrease
        for k, feature in enumerate(seen if limited else ()):
            part = atoms.of(k)
            if feature.name in self.immutable:
                costs[part] = np.inf
            elif feature.name in self.increase or feature.name in self.decrease:
                costs[part] = self._one_way(costs[part], feature.name, int(atoms.numbers[k]), int(own[k]))
        if self.weights:
            costs *= np.array([float(self.weights.get(f.name, 1.0)) for f in seen])[atoms.place]
        costs[atoms.starts[:-1] + own] = 0.0
        return self._exclude_disordered(context, row, point, costs)

    def describe_kept(self, context: TreeContext, point: Point) -> str:
        """What no move changes in a row of the cell `point`, and which option lets it change; "" if nothing."""
        atoms = context.atoms
        was_number = (np.array(point, dtype=np.int64) < atoms.numbers)[atoms.place]
        held = {
            "categories": bool((atoms.is_category & was_number).any()),
            "missing values": not was_number.all(),
        }
        names = [name for name, is_held in held.items() if is_held and not self.categories]
        kept = [f"{' and '.join(names)} were kept"] if names else []
        if not self.to_missing and (atoms.is_missing & was_number).any():
            kept.append("no value became missing")
            return f'{", ".join(kept)} (norm="l0" allows all changes)'
        options = 'norm="l0"' if context.rows is None else 'norm="l0" or relative=True'
        return f"{kept[0]} ({options} lets them change)" if kept else ""

    def _one_way(self, costs: Costs, name: str, numbers: int, own: int) -> Costs:
        """The costs of one feature's values, without those on the wrong side; the first `numbers` are not missing."""
        narrowed = np.full(len(costs), np.inf)
        if own < numbers:
            kept = slice(own, numbers) if name in self.increase else slice(0, own + 1)
            narrowed[kept] = costs[kept]
        return narrowed

    def _units(self, context: TreeContext) -> NDArray[np.float64]:
        """Per variable the move that counts 1."""
        return np.array([self.find_unit(context, feature) for feature in context.domain.seen])

    def find_unit(self, context: TreeContext, feature: Feature) -> float:
        """The move of a feature that counts 1."""
        if not self.relative or context.ranges is None:
            return 1.0
        low, high = context.ranges[:, feature.column].tolist()
        return float(high - low) if high > low else 1.0

    def find_limits(self, context: TreeContext, row: Row) -> dict[str, tuple[float, float]]:
        """The range that each immutable or one-way feature must stay in."""
        found = {}
        for name in self.immutable | self.increase | self.decrease:
            feature = context.feature(name)
            if feature.patterns is not None or math.isnan(row[feature.column]):
                continue
            here = float(row[feature.column])
            held = name in self.immutable
            low = here if held or name in self.increase else -math.inf
            high = here if held or name in self.decrease else math.inf
            found[name] = (low, high)
        return found

    def _exclude_disordered(self, context: TreeContext, row: Row, point: Point, costs: Costs) -> Costs:
        """Exclude values that would break an order, given the other feature's limits."""
        orders = context.domain.knowledge.orders
        limits = self.find_limits(context, row) if orders else {}
        seen = {feature.name: k for k, feature in enumerate(context.domain.seen)}
        for order in orders:
            for limited, other in ((order.lower, order.upper), (order.upper, order.lower)):
                if limited not in limits or other not in seen:
                    continue
                k = seen[other]
                low, high = context.domain.seen[k].all_ends.T
                least, most = limits[limited]
                fits = order.holds(least, high) if limited == order.lower else order.holds(low, most)
                fits[point[k] : point[k] + 1] = True
                costs[context.atoms.of(k)][: len(fits)][~fits] = np.inf
        return costs

    def measure(self, context: TreeContext, row: Row, other: Row) -> float:
        """The distance of two rows."""
        parts = []
        moved = np.flatnonzero((row != other) & ~(np.isnan(row) & np.isnan(other))).tolist()
        for feature in {
            context.domain.feature_of[column].name: context.domain.feature_of[column] for column in moved
        }.values():
            old, new = row[feature.column], other[feature.column]
            weight = float((self.weights or {}).get(feature.name, 1.0))
            step = 1.0
            if feature.patterns is None and self.norm != "l0" and not (np.isnan(old) or np.isnan(new)):
                step = abs(float(new) - float(old)) / self.find_unit(context, feature)
            parts.append(step * weight)
        return max(parts, default=0.0) if self.norm == "linf" else float(sum(parts))


def _is_unordered(feature: Feature) -> bool:
    """Whether the values of a feature have no order; a feature that no tree tests never counts as unordered."""
    return feature.variable is not None and not feature.variable.ordered


def choose_moves(
    model: TreeModel,
    norm: str,
    relative: bool | None,
    weights: Mapping[str, float] | None,
    features: Mapping[str, Iterable[str]],
) -> Moves:
    """The moves that a user allows.

    Parameters
    ----------
    relative
        Whether distances are shares of the training range; None for "where there are training rows".
    features
        The names of the features that are "immutable" (besides the model's own), that can only "increase", and that can
        only "decrease".
    """
    named = {what: model.check_features(what, names) for what, names in features.items()}
    return Moves(
        check_norm(norm),
        model.context.rows is not None if relative is None else bool(relative),
        weights,
        named.get("immutable", frozenset()) | frozenset(model.immutable),
        named.get("increase", frozenset()),
        named.get("decrease", frozenset()),
    )
