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
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point
from primewood.model.decision import Decision, RowDecision
from primewood.questions.explanation import Explanation

WORK = 6_000
"""How many search nodes it may take to see whether some rules are needed."""


def note_used_rules(decision: Decision, why: Explanation, clock: Clock) -> Explanation:
    """An explanation that says which mined rules it needs, as far as the limits allow."""
    if not isinstance(decision, RowDecision) or not decision.model.mined:
        return why
    return replace(why, used=find_used(decision, why.term.box(decision.context.variables), clock))


def find_used(decision: RowDecision, box: Box, clock: Clock) -> UsedRules:
    """The mined rules that a box needs to entail the decision."""
    known = decision.model.domain.knowledge
    listed, cutting = known.mined or (), known.list_mined(box)
    if not cutting:
        return UsedRules((), is_minimal=True)
    try:
        search = _Deletion(decision, box, _limit(clock))
    except TooLarge:
        return UsedRules(cutting, is_minimal=False)
    least_first = sorted(range(len(listed)), key=lambda i: listed[i].excluded)
    is_minimal = search.drop_all([i for i in least_first if listed[i].text in cutting])
    return UsedRules(tuple(listed[i].text for i in sorted(search.needed)), is_minimal)


def _limit(clock: Clock) -> Clock:
    """What one question about some rules may take."""
    work = WORK if clock.work_limit is None else min(WORK, clock.work_limit)
    return Clock(clock.limit, work, clock.threads, clock.start)


class _Deletion:
    """Drops rules that a box does not need.

    Parameters
    ----------
    decision
    box
        It entails the decision under all rules.
    """

    def __init__(self, decision: RowDecision, box: Box, clock: Clock) -> None:
        known = decision.model.domain.knowledge
        self.oracle = decision.model.switched.oracle(decision.label, decision.target)
        self.box, self.clock = box, clock
        places = {rule.text: i for i, rule in enumerate(known.mined or ())}
        self.rules = [(rule, {places[x] for x in rule.sources if x in places}) for rule in known.rules]
        self.count = len(places)
        self.kept: set[int] = set()
        self.needed: set[int] = set()

    def drop_all(self, places: Sequence[int]) -> bool:
        """Drop what is not needed of some rules, and all others; returns whether all that is left is needed."""
        self.kept, todo, is_minimal = {*places}, [list(places)], True
        while todo:
            part = [i for i in todo.pop() if i not in self.needed]
            if not part:
                continue
            found = Verdict.INTERRUPTED if self.clock.expired() else self._find_row_without(part)
            if found is Verdict.NONE_EXISTS:
                self.kept -= {*part}
            elif isinstance(found, tuple) and (shown := self._find_needed(found)):
                self.needed |= shown
                todo.append(part)
            elif len(part) > 1 and not self.clock.expired():
                middle = len(part) // 2
                todo += [part[middle:], part[:middle]]
            else:
                self.needed |= {*part}
                is_minimal = False
        return is_minimal

    def _find_row_without(self, part: Sequence[int]) -> Reply:
        """A cell of the box that all kept rules but these allow, and that gets a different decision."""
        on, any_value, kept = 1 << ON, 1 << ON | 1 << OFF, self.kept - {*part}
        switches = [on if i in kept else any_value for i in range(self.count)]
        return self.oracle.counterexample((*self.box, *switches), self.clock)

    def _find_needed(self, point: Point) -> set[int]:
        """The rules without any one of which the kept ones would allow a cell with a different decision."""
        excluding = [
            mined for rule, mined in self.rules if mined and mined <= self.kept and not rule.allows(point)
        ]
        return set.intersection(*excluding) if excluding else set()
