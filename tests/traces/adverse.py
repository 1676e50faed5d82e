"""The call that asks for the reasons for adverse action, and what judges them."""

from __future__ import annotations

from typing import Any

import numpy as np

import primewood as pw
from traces.explanations import IMPOSSIBLE, PROVED, allowed_by, speak
from traces.moves import Moves, has_orders
from traces.session import Asked, Session, nearly
from traces.why import limits_of
from traces.wrong import expect


def adverse_action(
    session: Session,
    *,
    row: int = 0,
    target: int = 0,
    protected: tuple[int, ...] = (),
    most: int = 4,
    limit: float | None = None,
) -> None:
    """The principal reasons: every feature of a minimal change, the smallest changes first."""
    asked, held = session.asked(row), session.chosen(protected)
    wanted = session.other_label(asked.label, target)
    found = session.explainer.adverse_action(
        session.given(asked.row),
        session.table.class_names[wanted],
        protected=held,
        most=most,
        **limits_of(limit),
    )
    speak(found)
    if not session.table.is_exact:
        return
    for reason in found.reasons:
        judge_reason(session, reason, asked, wanted)
    changes = minimal_changes(session, asked, wanted, {*held, *session.explainer.immutable})
    if has_orders(session):
        return
    expect(limit is not None or found.status is not pw.Status.INTERRUPTED, "adverse_action", "interrupted")
    if found.status is IMPOSSIBLE:
        expect(not changes, "adverse_action", f"impossible, but {changes} would do")
    if found.status is PROVED:
        judge_reasons(found, changes, most)
        for reason in found.reasons if session.recipe.known else ():
            least = least_move(session, asked, wanted, reason)
            expect(
                nearly(reason.move, least),
                "adverse_action",
                f"{reason.feature} moves {reason.move}, not {least}",
            )


def judge_reason(session: Session, reason: Any, asked: Asked, wanted: int) -> None:
    """Whether every row that keeps to the ranges of a reason is decided favourably."""
    table = session.table
    if not reason.ranges:
        return
    changed = {reason.feature, *reason.together}
    inside = np.ones(len(table.rows), dtype=bool)
    for record in reason.ranges:
        inside &= allowed_by(session, record, table.rows)
    cells = table.cells[table.cell_of]
    for j, x in enumerate(table.variables):
        if x.name not in changed:
            inside &= cells[:, j] == asked.point[j]
    ranged = {record["feature"] for record in reason.ranges}
    if ranged >= changed & {x.name for x in table.variables}:
        wrong = inside & (table.row_labels != wanted)
        expect(
            not wrong.any(),
            "adverse_action",
            lambda: f"{reason.helps}: {table.rows[wrong][0].tolist()} is not",
        )


def least_move(session: Session, asked: Asked, wanted: int, reason: Any) -> float:
    """The least share of its range by which the feature of a reason moves, in changes of these features alone."""
    changed = {reason.feature, *reason.together}
    cells = session.table.against(asked.label, wanted)
    own = tuple(1 << v for v in asked.point)
    everything = session.table.everything()
    free = tuple(
        e if x.name in changed else o
        for x, e, o in zip(session.table.variables, everything, own, strict=True)
    )
    held = [x.name for x in session.table.variables if x.name not in changed]
    moves = Moves(session, asked, "l1", relative=True, immutable=held)
    reachable = np.argwhere(cells & session.table.inside(free) & np.isfinite(moves.costs))
    place = next(j for j, x in enumerate(session.table.variables) if x.name == reason.feature)
    along = moves.along(place)
    return min(float(along[cell[place]]) for cell in reachable.tolist())


def minimal_changes(session: Session, asked: Asked, wanted: int, held: set[str]) -> set[frozenset[str]]:
    """The smallest sets of features whose change leads to a decision, without making anything missing."""
    moves = Moves(session, asked, "l0", immutable=held)
    cells = np.argwhere(session.table.against(asked.label, wanted) & np.isfinite(moves.costs))
    names = [x.name for x in session.table.variables]
    sets = {
        frozenset(n for n, a, b in zip(names, cell, asked.point, strict=True) if a != b)
        for cell in cells.tolist()
    }
    return {one for one in sets if not any(other < one for other in sets)}


def judge_reasons(found: pw.answers.AdverseAction, changes: set[frozenset[str]], most: int) -> None:
    """Whether the reasons are the features of minimal changes, in the order of their sizes."""
    named = [reason.feature for reason in found.reasons]
    sizes = [1 + len(reason.together) for reason in found.reasons]
    for reason in found.reasons:
        change = frozenset((reason.feature, *reason.together))
        expect(change in changes, "adverse_action", f"{sorted(change)} is no minimal change of {changes}")
        best = min(len(one) for one in changes if reason.feature in one)
        expect(len(change) == best, "adverse_action", f"{reason.feature} changes with {best - 1} others")
    expect(sizes == sorted(sizes), "adverse_action", f"not in order: {sizes}")
    every = frozenset().union(*changes)
    expect(len(named) == min(most, len(every)), "adverse_action", f"{named} of {sorted(every)}")
