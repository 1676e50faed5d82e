"""A readable explanation: of several prime ones, the one with the fewest conditions.

An order of weakening leads to one prime explanation, and rarely to the best. Which features it mentions is cheap to
find out in "values". So:

1. Grow the explanation of the usual order; it is proved, whatever comes after.
2. In "values", look for smaller sets of features that are enough: drop one feature of the smallest set so far first
   (when each was tried, two or three), and keep what comes out if it is as small.
3. For the smallest sets, grow explanations in the language that was asked for; the training rows near by with the same
   decision are let in first.

The answer is the proved one with the fewest conditions; of these, the one that covers the most training rows; of these,
the one with the largest volume. Every growth after the first has a small limit of its own, counted in search nodes, so
that the answer does not depend on how fast the machine is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from primewood.engines.protocol import Clock, Grown, Oracle, Step, WeakeningPlan
from primewood.logic.instance import Box
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.model.context import TreeContext
from primewood.model.decision import Decision
from primewood.questions.rows_near_by import MANY_CELLS, let_in_training_rows
from primewood.questions.weakening import drop_each, weaken

TRIES, TRIES_IN_VALUES = 14, 7
"""How many sets of features are looked for: in "values", a try takes as long as the answer itself."""
FEW_TRIES, TRIES_PER_FEATURE = 6, 1.5
"""Small sets are soon tried through: this many tries, or more by the features of the first set, are enough."""
MOST_SETS = 3
"""How many sets of features are grown."""
NEAR_ROWS = 40
"""How many training rows near by are let in, if possible."""
WORK = 6_000
"""How many search nodes each growth after the first may take."""
Merit = tuple[int, int, float]


@dataclass(frozen=True)
class ReadableSearch:
    """Looks for a more readable explanation than the one of the usual order.

    Attributes
    ----------
    decision : Decision
    oracle : Oracle
    literals : Language
        The language of the answer.
    fixed : frozenset of int
        The variables that keep the row's value.
    avoided : tuple of Step
        The step that frees what is to be avoided, if there is something.
    clock : Clock
    """

    decision: Decision
    oracle: Oracle
    literals: Language
    fixed: frozenset[int]
    avoided: Sequence[Step]
    clock: Clock

    def improve(self, first: Grown) -> Grown:
        """The best of a proved explanation and others."""
        best, merit = first, self._judge(first.box)
        if merit[0] == 0:
            return first
        for features, in_values in self._find_sets(first).items():
            found = in_values if self.literals == "values" else self._grow_around(features)
            judged = merit if found is None else self._judge(found.box)
            if found is not None and judged < merit:
                best, merit = replace(found, queries=first.queries + found.queries), judged
        return best

    def cover_rows(self, first: Grown) -> Grown:
        """An explanation that covers many training rows: those with the same decision are let in, the nearest first."""
        usual = self.decision.model.order
        near = let_in_training_rows(self.decision, [j for j in usual if j not in self.fixed])
        best = first
        for found in (
            self._grow(near, usual, self.literals, MANY_CELLS * WORK) if near else None,
            self._grow_around(self._mentioned(first.box)),
        ):
            if found is not None and self._judge(found.box)[1:] < self._judge(best.box)[1:]:
                best = replace(found, queries=first.queries + found.queries)
        return best

    def _grow_around(self, features: frozenset[int]) -> Grown | None:
        """An explanation by features that are enough, if possible with the training rows near by."""
        usual, dropped = self.decision.model.order, self._drop_others(features)
        kept = [j for j in usual if j in features]
        order = [*(j for j in usual if j not in features), *kept]
        near = let_in_training_rows(self.decision, [j for j in kept if j not in self.fixed], NEAR_ROWS)
        found = self._grow([dropped, *near], order, self.literals) if near else None
        return found or self._grow([dropped], order, self.literals)

    def _grow(
        self, before: Sequence[Step], order: Sequence[int], literals: Language, most: int = WORK
    ) -> Grown | None:
        """The explanation of an order; None if a limit came first."""
        if self.clock.expired():
            return None
        sizes = [len(x) for x in self.oracle.variables]
        steps = [*self.avoided, *before, *drop_each(order, sizes)]
        limit = self.clock.limit and self.clock.left()
        work = most if self.clock.work_limit is None else min(most, self.clock.work_limit)
        clock = Clock(limit, work, self.clock.threads)
        found = weaken(
            self.oracle, self.decision.point, WeakeningPlan(steps, order, literals, self.fixed), clock
        )
        return None if found.interrupted else found

    def _find_sets(self, first: Grown) -> dict[frozenset[int], Grown]:
        """The smallest sets of features that are enough, as far as they are found, each with what showed it."""
        usual, random = self.decision.model.order, np.random.default_rng(0)
        at = self._mentioned(first.box)
        found, tried = {at: first}, set[tuple[frozenset[int], int]]()
        most = TRIES_IN_VALUES if self.literals == "values" else TRIES
        for _ in range(min(most, max(FEW_TRIES, math.ceil(TRIES_PER_FEATURE * len(at))))):
            movable = [j for j in usual if j in at and j not in self.fixed]
            left = [j for j in movable if (at, j) not in tried]
            if not left and len(movable) < 2:
                break
            count = 1 if left else int(random.integers(2, 4))
            dropped = random.permutation(left or movable)[:count].tolist()
            tried |= {(at, j) for j in dropped}
            order = [
                *dropped,
                *(i for i in usual if i not in at),
                *(i for i in usual if i in at and i not in dropped),
            ]
            grown = self._grow([], order, "values")
            other = None if grown is None else self._mentioned(grown.box)
            if grown is not None and other is not None and len(other) <= len(at):
                at = other
                found.setdefault(other, grown)
        fewest = min(len(features) for features in found)
        smallest = [features for features in found if len(features) == fewest]
        return {features: found[features] for features in smallest[:MOST_SETS]}

    def _drop_others(self, features: frozenset[int]) -> Step:
        return {
            j: x.everything
            for j, x in enumerate(self.oracle.variables)
            if j not in features and j not in self.fixed
        }

    def _mentioned(self, box: Box) -> frozenset[int]:
        return frozenset(
            j
            for j, (mask, x) in enumerate(zip(box, self.oracle.variables, strict=True))
            if mask != x.everything
        )

    def _judge(self, box: Box) -> Merit:
        """The fewer conditions the better, then the more training rows, then the more volume."""
        context, mentioned = self.decision.context, self._mentioned(box)
        if not isinstance(context, TreeContext) or context.points is None:
            share = sum(np.log(box[j].bit_count() / len(self.oracle.variables[j])) for j in mentioned)
            return (len(mentioned), 0, -float(share))
        inside, volume = np.all(context.points >= 0, axis=1), 0.0
        for j in mentioned:
            allowed = np.zeros(len(context.variables[j]) + 1, dtype=bool)
            allowed[indices(box[j])] = True
            inside &= allowed[context.points[:, j]]
            if context.volumes is not None:
                volume += float(np.log(max(context.volumes[j][allowed[:-1]].sum(), 1e-300)))
        return (len(mentioned), -int(inside.sum()), -volume)
