"""Why what was asked for does not exist: an explanation without certain features, or of a decision that is none."""

from __future__ import annotations

from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Grown
from primewood.errors import listing
from primewood.logic.instance import Point
from primewood.model.context import Context, Row
from primewood.questions.examples import familiar


def obstacle(
    context: Context,
    engines: Engines,
    label: int,
    found: Grown,
    avoided: frozenset[int],
    row: Row | None,
    point: Point,
    clock: Clock,
) -> str | None:
    """What stands in the way of an explanation that avoids these variables; None if nothing does.

    A row whose own decision depends on the order of summation has no explanation at all.
    """
    oracle, variables = engines.oracle(label), context.variables
    cell = tuple(1 << value for value in point)
    if engines.any_order and isinstance(oracle.counterexample(cell), tuple):
        return "the decision on this row depends on the order in which scores are added"
    if all(found.box[j] == variables[j].everything for j in avoided):
        return None
    freed = tuple(x.everything if j in avoided else cell[j] for j, x in enumerate(variables))
    other = oracle.counterexample(freed, clock)
    if not isinstance(other, tuple):
        return None
    names = listing(variables[j].name for j in sorted(avoided))
    if context.domain is None or row is None:
        return f"no explanation avoids {names}"
    if engines.decide(other) != label:
        other = familiar(context, other, freed, lambda p: engines.decide(p) != label, own=point)
    changed = context.row_at(other, row, point)
    told = [
        f"{x.name} = {context.shown(j, other[j], changed)}"
        for j, x in enumerate(variables)
        if other[j] != point[j]
    ]
    decision = context.class_names[engines.decide(other)]
    return f"no explanation avoids {names}: with {listing(told)} the decision is {decision}"
