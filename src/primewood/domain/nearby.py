"""The domain near a row: what rows can be that differ from it by little.

Each number stays between two ends; categories, truth values and gaps stay as they are. Features are cut at the same
places as before, as far as these lie between the ends and the model still tests them there. Knowledge is stated anew
over the cells that are left: a clause loses what is always so near the row, and an order compares the ends that
cells have now.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from primewood.domain.domain import Domain, merge_assumptions, tested_cuts, whole_cuts
from primewood.domain.feature import Feature
from primewood.domain.knowledge import Constraint, Knowledge, Statements
from primewood.ensemble import Ensemble
from primewood.logic.variable import Variable

RowBounds = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Per column the least and the largest number, both included; NaN in both where the number is missing."""


def bounds_near(domain: Domain, row: NDArray[np.float64], reach: NDArray[np.float64]) -> RowBounds:
    """What each column holds near a row; `reach` is how far its number may be from the row's own."""
    low, high = row.copy(), row.copy()
    for feature in domain.features:
        if feature.kind != "numeric" or math.isnan(row[feature.column]):
            continue
        here = float(row[feature.column])
        least, most = here - float(reach[feature.column]), here + float(reach[feature.column])
        if feature.whole:
            least, most = math.ceil(least), math.floor(most)
        low[feature.column], high[feature.column] = max(least, feature.low), min(most, feature.high)
    return low, high


def narrow(domain: Domain, clipped: Ensemble | None, bounds: RowBounds) -> Domain:
    """The domain of rows between bounds; `clipped` is the ensemble between them, None to keep all cuts.

    What is assumed about features that stay as they are, and about missing values, needs no mention.
    """
    known = {domain.seen[j].name for rule in domain.knowledge.rules for box in rule.forbidden for j in box}
    cuts = None if clipped is None else tested_cuts(clipped)
    features = tuple(
        _narrow_feature(
            feature, bounds, None if cuts is None or feature.name in known else cuts[feature.column]
        )
        for feature in domain.features
    )
    moving = [old for old, new in zip(domain.features, features, strict=True) if new.variable is not None]
    return Domain(
        features,
        domain.column_names,
        tuple(merge_assumptions(moving)),
        _narrow_knowledge(domain, features, bounds),
    )


def _narrow_feature(feature: Feature, bounds: RowBounds, tested: NDArray[np.float64] | None) -> Feature:
    """A feature between bounds, cut only where tests are left; None for all its cuts."""
    low, high = float(bounds[0][feature.column]), float(bounds[1][feature.column])
    if feature.kind != "numeric" or math.isnan(low):
        held = tuple(bounds[0][list(feature.columns)].tolist())
        label = "missing" if any(map(math.isnan, held)) else (feature.patterns or {}).get(held, "other")
        missing = feature.missing and label == "missing"
        return replace(feature, missing=missing, variable=None, patterns={held: label}, others=None)
    variable = feature.variable
    if variable is not None:
        cuts = np.array(variable.cuts or (), dtype=np.float64)
        inside = (
            (cuts >= low) & (cuts < high) if variable.closed == "right" else (cuts > low) & (cuts <= high)
        )
        if tested is not None:
            inside &= np.isin(cuts, whole_cuts(tested, feature.whole, variable.closed))
        kept = cuts[inside].tolist()
        variable = Variable.numeric(feature.name, kept, variable.closed or "right") if kept else None
    return replace(feature, missing=False, variable=variable, low=low, high=high)


def _narrow_knowledge(domain: Domain, features: Sequence[Feature], bounds: RowBounds) -> Knowledge:
    """What is known, over the cells that are left; an order says nothing where a number is missing."""
    names, known = domain.column_names, domain.knowledge
    missing = {name for name, x in zip(names, bounds[0].tolist(), strict=True) if math.isnan(x)}
    orders = tuple(order for order in known.orders if not missing & {order.lower, order.upper})
    stairs = Statements(orders=known.orders).over(domain.features, names).rules
    seen = [feature.name for feature in features if feature.variable is not None]
    narrowing = _Narrowing(
        domain,
        {feature.name: feature for feature in features},
        {name: j for j, name in enumerate(seen)},
        bounds[0].tolist(),
    )
    clauses = [narrowing.clause(rule) for rule in known.rules if rule not in stairs]
    return Knowledge(
        (
            *(rule for rule in clauses if rule.forbidden),
            *Statements(orders=orders).over(features, names).rules,
        ),
        orders,
        mined=known.mined,
    )


@dataclass(frozen=True)
class _Narrowing:
    """States clauses over the cells that are left.

    Attributes
    ----------
    domain : Domain
        The whole domain.
    features : mapping
        What features are near the row, by their names.
    places : mapping
        The places of those that still have a variable.
    low : list of float
        The row that has the least numbers.
    """

    domain: Domain
    features: dict[str, Feature]
    places: dict[str, int]
    low: list[float]

    def clause(self, rule: Constraint) -> Constraint:
        """A clause over the cells that are left."""
        boxes = [self._box(box) for box in rule.forbidden]
        return replace(rule, forbidden=tuple(box for box in boxes if box is not None))

    def _box(self, box: dict[int, int]) -> dict[int, int] | None:
        """A forbidden box over the cells that are left; None if none of its points is."""
        found = {}
        for j, mask in box.items():
            before = self.domain.seen[j]
            now = self.features[before.name]
            count = 1 if now.variable is None else len(now.variable)
            left = mask >> before.index_of(self.low) & ((1 << count) - 1)
            if not left:
                return None
            if now.variable is not None and left != now.variable.everything:
                found[self.places[now.name]] = left
        return found
