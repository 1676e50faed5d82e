"""Finer cells, for claims that cut cells which orders between features distinguish.

Where a claim cuts a cell of a feature that is in order with another one, the claim's own ends become cuts of the
domain; then every cell lies inside or outside, and nothing is approximated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from primewood.domain import Domain, Feature
from primewood.domain.condition import Condition
from primewood.domain.feature import FARTHEST
from primewood.domain.knowledge import Constraint, Knowledge, Statements
from primewood.ensemble import Ensemble
from primewood.logic.variable import Side, Variable


def refine_domain(domain: Domain, said: Iterable[Condition], ensemble: Ensemble) -> Domain | None:
    """The domain with the ends of conditions as further cuts of features that are in order; None if it needs none."""
    orders = domain.knowledge.orders
    concerned = {name for order in orders for name in (order.lower, order.upper)}
    closed: Side = "right" if ensemble.operator == "<=" else "left"
    ends: dict[str, set[float]] = {}
    for condition in said:
        if condition.feature.name in concerned and not condition.kept:
            ends.setdefault(condition.feature.name, set()).update(_list_cuts(condition, closed))
    finer: dict[str, Feature] = {}
    for feature in domain.features:
        known = (feature.variable.cuts if feature.variable is not None else None) or ()
        cuts = sorted({*known, *ends.get(feature.name, ())})
        if len(cuts) > len(known):
            variable = Variable.numeric(feature.name, cuts, closed, missing=feature.missing)
            finer[feature.name] = replace(feature, variable=variable)
    if not finer:
        return None
    features = tuple(finer.get(feature.name, feature) for feature in domain.features)
    return replace(domain, features=features, knowledge=_refine_knowledge(domain, features))


def _list_cuts(condition: Condition, closed: Side) -> Iterator[float]:
    """The cuts that separate what a condition allows from what it does not."""
    feature = condition.feature
    probe = Variable.numeric(feature.name, [0.0], closed)
    for low, high in condition.spans:
        for operator, end in ((">=", low), ("<=", high)):
            own = probe.own_cut(operator, end)
            cut = probe.on_whole_numbers(operator, end)[1] if feature.whole else own
            above = cut >= feature.low if closed == "right" else cut > feature.low
            below = cut < feature.high if closed == "right" else cut <= feature.high
            if above and below and abs(cut) < FARTHEST:
                yield cut


def _refine_knowledge(domain: Domain, features: tuple[Feature, ...]) -> Knowledge:
    """What is known, over the finer cells: orders made again, clauses about the cells that old ones were cut into."""
    known = domain.knowledge
    orders = Statements(orders=known.orders)
    stairs = orders.over(domain.features, domain.column_names).rules
    places = {feature.name: j for j, feature in enumerate(f for f in features if f.variable is not None)}
    by_name = {feature.name: feature for feature in features}
    clauses = []
    for rule in known.rules:
        if rule not in stairs:
            boxes = [
                {
                    places[domain.seen[j].name]: _map_to_fine(
                        domain.seen[j], by_name[domain.seen[j].name], mask
                    )
                    for j, mask in box.items()
                }
                for box in rule.forbidden
            ]
            clauses.append(Constraint(rule.text, tuple(boxes)))
    rules = (*clauses, *orders.over(features, domain.column_names).rules)
    return Knowledge(rules, known.orders, mined=known.mined)


def _map_to_fine(coarse: Feature, fine: Feature, mask: int) -> int:
    """The values of a finer feature that lie in a set of values of the coarse one."""
    if fine is coarse:
        return mask
    numbers = fine.numbers[:, 0].tolist()
    within = sum(1 << i for i, x in enumerate(numbers) if mask >> coarse.index_of({coarse.column: x}) & 1)
    if coarse.missing and mask >> coarse.index_of({coarse.column: math.nan}) & 1:
        within |= 1 << len(numbers)
    return within
