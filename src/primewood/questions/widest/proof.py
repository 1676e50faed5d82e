"""The proof that no safe box covers more than the best one: an implicit hitting set.

The program finds the widest box that obeys the cuts, which bounds every safe box from above. If the engine finds
that box safe, it is optimal; else a new cut excludes it.
"""

from __future__ import annotations

from primewood.engines.protocol import Verdict
from primewood.logic.instance import Box
from primewood.questions.widest.measures import RowsCovered
from primewood.questions.widest.program import Program
from primewood.questions.widest.search import Search

REPAIRS = 40
"""How often an answer of the program is repaired before the program is solved again."""
SOLVES = 60
"""How often the program is solved where only work is limited, not time."""
MOST_ROWS = 20_000
"""With how many rows it is tried to prove that no box covers more of them."""


def prove_widest(search: Search) -> None:
    """Bound what any box covers from above, until the best box reaches the bound or a limit comes."""
    if isinstance(search.coverage, RowsCovered) and search.coverage.counted.bit_count() > MOST_ROWS:
        return
    program, asked = Program(search), set[Box]()
    timed, solves = search.clock.limit is not None or search.clock.work_limit is None, 0
    while not search.clock.expired() and (timed or solves < SOLVES):
        solves += 1
        box, bound = program.solve()
        if bound is not None:
            search.upper = bound if search.upper is None else min(search.upper, bound)
            search.upper = max(search.upper, search.covered)
            search.proved = search.covered >= search.upper * (1 - program.tolerance)
            search.note()
        if search.proved or box is None:
            return
        broken = search.cuts.incidence.find_met(box)
        if broken and program.admit(broken):
            continue
        if broken or box in asked or not _repair(search, box):
            return  # the solver's rounding is in the way, or a limit
        asked.add(box)


def _repair(search: Search, box: Box) -> bool:
    """Ask about an answer of the program, then about what is left of it, until one is safe; False at a limit."""
    base = box
    for _ in range(REPAIRS):
        order = search.random.sample(search.moving, len(search.moving))
        wide = search.cuts.proposal(search.cuts.proposal(base, order, within=box), order)
        reply = search.ask(wide)
        if reply is Verdict.INTERRUPTED or search.clock.expired():
            return False
        if reply is Verdict.NONE_EXISTS:
            if search.coverage.of(wide) > search.covered:
                search.box, search.covered, search.prime = wide, search.coverage.of(wide), True
                search.note()
            return True
        base = search.least
    return True
