"""How pairs of rows that break a property are searched for.

Training rows are checked first. Where only one feature may differ, it is then enough to search neighbouring values:
decisions that change along a feature change between two neighbours. Otherwise all pairs are searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from primewood.engines.protocol import Verdict
from primewood.properties.row_pairs import Pairs
from primewood.properties.sweep import Forbidden, RowScan, SweepDirection
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim, Outcome

LOOKING = 0.25
"""The share of the time limit for checking training rows before the search."""


def forbid_pairs(verifier: Verifier, pairs: Sequence[tuple[int, int]], way: SweepDirection) -> Forbidden:
    """The pairs of decisions that are forbidden, for the training rows."""
    return Forbidden.of(pairs, len(verifier.context.class_names), way)


def look_at_rows_first(
    verifier: Verifier, claim: Claim, scan: RowScan, search: Callable[[], Verification]
) -> Verification:
    """Look at the training rows, then search; if it fails, count the training rows that break it."""
    scan.run(verifier.part(LOOKING), until_found=True)
    found = None
    if scan.witness is not None:
        table = scan.forbidden.pairs
        found = verifier.state_failure(claim, scan.witness, lambda labels: bool(table[labels[0], labels[1]]))
    if found is None or found.outcome is not Outcome.FAILS:
        found = search()
    if found.outcome is Outcome.HOLDS:
        return found
    scan.run(verifier.clock)
    return replace(found, breaking=scan.breaking)


def search_by_steps(
    verifier: Verifier,
    claim: Claim,
    place: int,
    steps: Sequence[tuple[int, int]],
    forbidden: Sequence[tuple[int, int]],
) -> Verification:
    """Whether no step of one variable alone, from a value to another, leads to a forbidden pair of decisions."""
    pairs = Pairs(verifier, (place,))
    questions = [(step, labels) for step in steps for labels in forbidden]
    open_ = list(questions)
    # All get a little time first, so that an easy answer does not wait behind a hard one.
    for share in (0.02, 0.2, 1.0):
        open_, again = [], open_
        for i, ((before, after), labels) in enumerate(again):
            if verifier.clock.expired():
                open_ += again[i:]
                break
            left = verifier.clock.left()
            clock = verifier.clock.part(None if left < 0 else max(share * left / (len(again) - i), 0.001))
            reply = pairs.find(pairs.box({place: 1 << before}, {place: 1 << after}), labels, clock)
            if isinstance(reply, tuple):
                rows = pairs.rows(reply)
                if rows is not None:
                    return verifier.state_failure(
                        claim, rows, lambda found: (found[0], found[1]) in forbidden
                    )
            if reply is not Verdict.NONE_EXISTS:
                open_.append(((before, after), labels))
        if not open_:
            return verifier.state_proof(claim)
        if verifier.clock.left() < 0:
            break
    proved = 1 - len(open_) / len(questions)
    name = verifier.context.variables[place].name
    note = f"{len(questions) - len(open_)} of {len(questions)} steps of {name} are proved, none was found to break it"
    return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=proved, note=note)


def list_decision_pairs(verifier: Verifier) -> list[tuple[int, int]]:
    """All pairs of different decisions."""
    labels = range(len(verifier.context.class_names))
    return [(a, b) for a in labels for b in labels if a != b]


def find_constrained_places(verifier: Verifier) -> set[int]:
    """The positions of the variables in constraints: a value between two others may then be impossible."""
    rules = verifier.subject.domain.knowledge.rules
    return {j for rule in rules for box in rule.forbidden for j in box}


def search_all_pairs(
    verifier: Verifier, claim: Claim, pairs: Pairs, forbidden: Sequence[tuple[int, int]]
) -> Verification:
    """Whether no pair of rows gets a forbidden pair of decisions."""
    done = 0
    for i, labels in enumerate(forbidden):
        left = verifier.clock.left()
        clock = verifier.clock.part(None if left < 0 else left / (len(forbidden) - i))
        reply = pairs.find(pairs.box({}, {}), labels, clock)
        rows = pairs.rows(reply) if isinstance(reply, tuple) else None
        if rows is not None:
            return verifier.state_failure(claim, rows, lambda found: (found[0], found[1]) in forbidden)
        done += reply is Verdict.NONE_EXISTS
    if done == len(forbidden):
        return verifier.state_proof(claim)
    note = f"{done} of {len(forbidden)} pairs of decisions are proved, none was found to break it"
    return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=done / len(forbidden), note=note)
