"""Which of the rules that were found in the training rows an explanation needs.

All rules together make the explanation a proof. So rules are dropped, many at once and then one by one, as long as the
box still entails the decision under the others. What is left is irredundant: without any one of them, the box has a row
that keeps to the rest and gets a different decision. (What follows from a chain of orders goes with each of them.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from primewood.domain.mined import UsedRules
from primewood.domain.switches import OFF, ON
from primewood.engines.protocol import Clock, Oracle, Reply, Verdict
from primewood.errors import TooLarge
from primewood.logic.instance import Box
from primewood.model.decision import Decision, RowDecision
from primewood.questions.explanation import Explanation

WORK = 20_000
"""How many search nodes it may take to see whether some rules are needed."""


def note_used_rules(decision: Decision, why: Explanation, clock: Clock) -> Explanation:
    """An explanation that says which mined rules it needs, as far as the limits allow."""
    if not isinstance(decision, RowDecision) or not decision.model.mined:
        return why
    return replace(why, used=find_used(decision, why.term.box(decision.context.variables), clock))


def find_used(decision: RowDecision, box: Box, clock: Clock) -> UsedRules:
    """The mined rules that a box needs to entail the decision."""
    model, known = decision.model, decision.model.domain.knowledge
    listed, cutting = known.mined or (), known.list_mined(box)
    if not cutting:
        return UsedRules((), is_minimal=True)
    try:
        oracle = model.switched.oracle(decision.label, decision.target)
    except TooLarge:
        return UsedRules(cutting, is_minimal=False)
    least_first = sorted(range(len(listed)), key=lambda i: listed[i].excluded)
    places = [i for i in least_first if listed[i].text in cutting]
    search = _Deletion(oracle, box, _limit(clock))
    is_minimal = search.drop_all(places)
    return UsedRules(tuple(listed[i].text for i in sorted(search.needed)), is_minimal)


def _limit(clock: Clock) -> Clock:
    """What one question about some rules may take."""
    work = WORK if clock.work_limit is None else min(WORK, clock.work_limit)
    return Clock(clock.limit, work, clock.threads, clock.start)


class _Deletion:
    """Drops rules that a box does not need.

    Parameters
    ----------
    oracle
        It is over the variables of the box, and a switch per rule.
    box
        It entails the decision under all rules.
    """

    def __init__(self, oracle: Oracle, box: Box, clock: Clock) -> None:
        self.oracle, self.box, self.clock = oracle, box, clock
        self.kept: set[int] = set()
        self.needed: set[int] = set()

    def drop_all(self, places: Sequence[int]) -> bool:
        """Drop what is not needed of some rules, and all others; returns whether all that is left is needed."""
        self.kept, todo, is_minimal = {*places}, [list(places)], True
        while todo:
            part = todo.pop()
            verdict = Verdict.INTERRUPTED if self.clock.expired() else self._try_without(part)
            if verdict is Verdict.NONE_EXISTS:
                self.kept -= {*part}
            elif len(part) == 1 or self.clock.expired():
                self.needed |= {*part}
                is_minimal &= isinstance(verdict, tuple)
            else:
                middle = len(part) // 2
                todo += [part[middle:], part[:middle]]
        return is_minimal

    def _try_without(self, part: Sequence[int]) -> Reply:
        """A row of the box that keeps to all kept rules but these, and gets a different decision."""
        on, any_value = 1 << ON, 1 << ON | 1 << OFF
        count = len(self.oracle.variables) - len(self.box)
        kept = self.kept - {*part}
        switches = tuple(on if i in kept else any_value for i in range(count))
        return self.oracle.counterexample((*self.box, *switches), self.clock)
