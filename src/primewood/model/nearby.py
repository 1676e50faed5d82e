"""A decision near its row: the same model, asked only about rows that differ from the row by little.

Two kinds of nearness, which can be combined:

- Each number differs by at most a share of its range in the training rows; categories, truth values and gaps stay.
- At most k features differ at all.

Both are knowledge about rows, and hold for one question only: cells are cut when it is asked. Trees lose the branches
that no near row reaches, so that a question about a large model near a row is one about a small model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.domain.knowledge import FewChanges
from primewood.domain.mined import FOUND
from primewood.domain.nearby import RowBounds, bounds_near, narrow
from primewood.domain.subject import EnsembleSubject
from primewood.ensemble.clipping import clip
from primewood.errors import InvalidInput, brief, quote_value
from primewood.model.context import TreeContext
from primewood.model.decision import Decision, RowDecision
from primewood.render.records import BoundsRecord, NearRecord


@dataclass(frozen=True)
class Nearness:
    """Which rows count as near.

    Attributes
    ----------
    share : float or None
        How far each number may be from the row's own, as a share of its range in the training rows.
    features : int or None
        How many features may differ.
    """

    share: float | None = None
    features: int | None = None

    def __bool__(self) -> bool:
        """Whether it rules out any row."""
        return self.share is not None or self.features is not None

    def check(self) -> None:
        """Raise for values that are not accepted."""
        if self.share is not None and not (_is_number(self.share) and 0 < self.share <= 1):
            raise InvalidInput(
                "near must be a share of the training range above 0 and up to 1, such as 0.05, "
                f"not {quote_value(self.share)}"
            )
        if self.features is not None and not (type(self.features) is int and self.features >= 1):
            raise InvalidInput(
                f"near_features must be a whole number of at least 1, not {quote_value(self.features)}"
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def stay_near(decision: Decision, nearness: Nearness) -> Decision:
    """The decision, to ask questions about rows near it only."""
    nearness.check()
    if not nearness:
        return decision
    if not isinstance(decision, RowDecision):
        raise InvalidInput("near and near_features are about rows of a model; an expression has none")
    found = decision if nearness.features is None else _leave_out_orders(decision)
    found = found if nearness.share is None else _narrow(found, nearness.share)
    found = found if nearness.features is None else _limit_changes(found, nearness.features)
    return replace(found, whole=decision.whole or decision)


def _leave_out_orders(decision: RowDecision) -> RowDecision:
    """The decision without rules that were found in the training rows; raises for orders that the user states.

    An order between two features can force a number to change that lies in the same cell, which cells do not show.
    """
    model, context = decision.model, decision.context
    known = model.domain.knowledge.drop_mined()
    if known.orders:
        raise InvalidInput(
            f"near_features does not go with the constraint {brief(known.orders[0].text)!r}: with it, one change "
            "may force another; pass near= instead"
        )
    if model.domain.knowledge.mined is None:
        return decision
    domain = replace(model.domain, knowledge=known)
    subject = EnsembleSubject(model.ensemble, domain)
    plain = replace(
        model,
        context=replace(context, domain=domain),
        subject=subject,
        engines=model.engines.for_subject(subject),
        recipe=replace(model.recipe, mined=None),
    )
    note = f"answered without the rules {FOUND}"
    return replace(decision, model=plain, notes=(*decision.notes, note))


def _narrow(decision: RowDecision, share: float) -> RowDecision:
    """The decision over numbers that differ by at most a share of their training range."""
    model, context = decision.model, decision.context
    if context.ranges is None:
        raise InvalidInput("near is a share of the training range: pass training rows to Explainer")
    spans = context.ranges[1] - context.ranges[0]
    bounds = bounds_near(model.domain, decision.row, share * np.where(np.isnan(spans), 0.0, spans))
    clipped = clip(model.ensemble, *bounds)
    domain = narrow(model.domain, clipped, bounds)
    subject = EnsembleSubject(clipped, domain)
    near = NearRecord(share=float(share), features=None, bounds=_list_bounds(context, bounds))
    narrowed = replace(
        context,
        domain=domain,
        variables=domain.variables,
        points=_find_points(context, domain, bounds),
        near=near,
        whole=context,
    )
    engines = model.engines.for_subject(subject)
    narrow_model = replace(model, context=narrowed, subject=subject, engines=engines)
    return replace(decision, model=narrow_model, point=domain.point(decision.row))


def _list_bounds(context: TreeContext, bounds: RowBounds) -> list[BoundsRecord]:
    """Between which numbers each numeric feature stays."""
    numeric = [
        f
        for f in context.domain.features
        if f.kind == "numeric" and bounds[0][f.column] <= bounds[1][f.column]
    ]
    return [
        {"feature": f.name, "low": float(bounds[0][f.column]), "high": float(bounds[1][f.column])}
        for f in numeric
    ]


def _find_points(context: TreeContext, domain: Domain, bounds: RowBounds) -> NDArray[np.int64] | None:
    """The cells of the training rows; −1 for those that are not near. Cost: two comparisons per number."""
    rows = context.rows
    if rows is None:
        return None
    low, high = bounds
    inside = ((rows >= low) & (rows <= high)) | (np.isnan(rows) & np.isnan(low))
    near = np.flatnonzero(inside.all(axis=1))
    points = np.full((len(rows), len(domain.variables)), -1, dtype=np.int64)
    points[near] = domain.points(rows[near])
    return points


def _limit_changes(decision: RowDecision, most: int) -> RowDecision:
    """The decision among rows that differ in few features.

    Not where the decision on the row itself depends on the order of summation: then there is nothing to explain.
    """
    if decision.depends_on_order:
        return decision
    model, context = decision.model, decision.context
    model.check_engine("near_features")
    changes = FewChanges(decision.values, decision.point, most)
    domain = replace(model.domain, knowledge=replace(model.domain.knowledge, changes=changes))
    subject = EnsembleSubject(model.ensemble, domain)
    before: NearRecord = context.near or {"share": None, "features": None, "bounds": []}
    limited = replace(
        model,
        context=replace(
            context, domain=domain, near={**before, "features": most}, whole=context.whole or context
        ),
        subject=subject,
        engines=model.engines.limit_changes(subject),
    )
    return replace(decision, model=limited)
