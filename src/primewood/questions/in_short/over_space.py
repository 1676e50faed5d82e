"""A decision in short over the feature space: the question.

Candidates are searched on rows that are drawn from the feature space, as rules over training rows are. Whether a
candidate holds often enough is then computed over the whole space, not counted on the draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain.mined import FOUND
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.logic.term import Term
from primewood.model.bins import Bins
from primewood.model.decision import Decision, RowDecision
from primewood.questions.in_short.acceptance import Allowed
from primewood.questions.in_short.find import check_precision
from primewood.questions.in_short.search import ShortRuleSearch
from primewood.questions.in_short.space_answer import InShortOverSpace, SpaceName
from primewood.questions.in_short.space_share import (
    BoxDivision,
    CellWeights,
    SpaceShare,
    share_by_diagram,
    weigh,
    weigh_possible,
)

DRAWS = 8_000
"""How many rows are drawn to search candidates on."""
TRIES = (1.0, 0.5, 0.2)
"""How strict the search is, try after try: the exceptions that it allows, in parts of those that are asked for."""


def find_over_space(decision: Decision, precision: float, over: SpaceName, clock: Clock) -> InShortOverSpace:
    """A rule of few conditions for a decision, with the share of the feature space inside it that gets it."""
    if not isinstance(decision, RowDecision):
        raise InvalidInput("precision is for models; an expression has no training range")
    check_precision(precision)
    if over not in get_args(SpaceName):
        raise InvalidInput(f'over must be "rows", "space" or "frequencies", not {over!r}')
    weights = _find_weights(decision, over)
    judge = _SpaceJudge(decision, weights, precision, clock)
    undecided = False
    for box, allowed in _list_candidates(decision, weights, precision):
        share = judge.judge(box)
        if share is not None and share.lower >= precision:
            variables = decision.context.variables
            term = Term.of_box([variables[j] for j in sorted(allowed)], [box[j] for j in sorted(allowed)])
            return _answer(decision, precision, over, term, share, judge.weigh(box))
        undecided |= share is not None and not share.is_exact and share.upper >= precision
    if undecided:
        raise InvalidInput(
            "how much of the feature space gets the decision is not known: no diagram of the model tells it, and "
            'dividing the space did not settle it within the limits. Use over="rows", a smaller model, a longer '
            'time_limit, or engine="diagram"'
        )
    return _answer(decision, precision, over, None, None, 0.0)


def _answer(
    decision: RowDecision,
    precision: float,
    over: SpaceName,
    term: Term | None,
    share: SpaceShare | None,
    coverage: float,
) -> InShortOverSpace:
    return InShortOverSpace(
        decision.name, term, precision, over, share, coverage, decision.values, decision.context
    )


def _find_weights(decision: RowDecision, over: SpaceName) -> CellWeights:
    context, orders = decision.context, decision.model.domain.knowledge.orders
    if decision.model.domain.knowledge.mined:
        raise InvalidInput(
            f'over="{over}" is a share of rows that may break the rules {FOUND}; ask an explainer without knowledge='
        )
    if orders and over == "space":
        raise InvalidInput(
            f'over="space": the constraint {orders[0].text!r} cuts through cells, whose shares are then not known. '
            'Use over="frequencies" or over="rows"'
        )
    found = context.volumes if over == "space" else context.frequencies
    if found is None:
        raise InvalidInput(f'over="{over}" needs training rows: pass them to Explainer')
    for variable, weights in zip(context.variables, found, strict=True):
        if not weights.sum() > 0:
            raise InvalidInput(f'over="{over}": {variable.name} has no value in the training rows')
    return found


def _list_candidates(
    decision: RowDecision, weights: CellWeights, precision: float
) -> Iterator[tuple[Box, Allowed]]:
    """Rules for the row, found on draws from the space; each stricter than the one before."""
    variables, seen = decision.context.variables, set[Box]()
    points = _draw(decision, weights)
    if not len(points):
        return
    bins, same = (
        Bins.of_points(variables, points),
        decision.model.engines.decide_all(points) == decision.label,
    )
    for part in TRIES:
        asked = 1 - part * (1 - precision)
        rule = ShortRuleSearch(bins, same, bins.find(decision.point), asked).find()
        if rule is None:
            continue
        masks = {j: bins.mask_of(j, allowed) for j, allowed in rule.allowed.items()}
        box = tuple(masks.get(j, x.everything) for j, x in enumerate(variables))
        if box not in seen:
            seen.add(box)
            yield box, rule.allowed


def _draw(decision: RowDecision, weights: CellWeights) -> NDArray[np.int64]:
    """Points of the space, drawn feature by feature, without impossible ones."""
    random, knowledge = np.random.default_rng(0), decision.model.domain.knowledge
    columns = [random.choice(len(w), DRAWS, p=w / w.sum()) for w in weights]
    points = np.array(columns, dtype=np.int64).reshape(len(weights), DRAWS).T
    if knowledge:
        points = points[[knowledge.allows(tuple(point)) for point in points.tolist()]]
    return points


class _SpaceJudge:
    """Computes the share of boxes, by the diagram or by dividing them."""

    def __init__(self, decision: RowDecision, weights: CellWeights, precision: float, clock: Clock) -> None:
        self._engines, self._label = decision.model.engines, decision.label
        self._weights, self._precision, self._clock = weights, precision, clock
        self._labels = len(self._engines.subject.labels)
        self._diagram = self._engines.try_whole_diagram(clock)
        if self._diagram is None and decision.model.domain.knowledge:
            raise InvalidInput(
                "the constraints exclude cells, and only a compiled model counts without these; this one does not "
                'compile. Use over="rows", or an explainer without constraints'
            )

    def judge(self, box: Box) -> SpaceShare | None:
        """The share of a box that gets the decision; None if no row can be in it."""
        if self._diagram is not None:
            return share_by_diagram(self._diagram, self._labels, self._label, box, self._weights)
        other = (self._label + 1) % self._labels
        decided, denied = self._engines.oracle(self._label), self._engines.oracle(other, self._label)
        return BoxDivision(decided, denied, self._weights).bound_share(box, self._precision, self._clock)

    def weigh(self, box: Box) -> float:
        """The share of the space that a box has."""
        whole = tuple(x.everything for x in self._engines.subject.variables)
        if self._diagram is not None:
            parts = (weigh_possible(self._diagram, part, self._weights) for part in (box, whole))
        else:
            parts = (weigh(part, self._weights) for part in (box, whole))
        inside, everything = parts
        return inside / everything
