"""Calls that ask what would change a decision: each asks one question and judges its answer."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import primewood as pw
from traces.constraints import satisfied
from traces.explanations import IMPOSSIBLE, PROVED, allowed_by, speak, within
from traces.moves import Moves, has_orders
from traces.recipes import Rows
from traces.session import Asked, Session, nearly
from traces.table import ends_of
from traces.why import limits_of
from traces.wrong import expect

A_THOUSANDTH = 1.001
"""How far from the nearest a proved sum of moves may be."""


def counterfactual(
    session: Session,
    *,
    row: int = 0,
    form: int = 0,
    target: int | None = None,
    norm: str = "l1",
    relative: bool | None = None,
    weights: tuple[float, ...] = (),
    immutable: tuple[int, ...] = (),
    increase: tuple[int, ...] = (),
    decrease: tuple[int, ...] = (),
    limit: float | None = None,
    count: int = 0,
) -> None:
    """The nearest row that gets a different decision, or the wanted one; with a count, several."""
    asked = session.asked(row)
    wanted = None if target is None else session.other_label(asked.label, target)
    if not session.recipe.known:
        relative = False
    options: dict[str, Any] = {
        "norm": norm,
        "weights": dict(zip(session.names, weights, strict=False)) or None,
        "immutable": session.chosen(immutable),
        "increase": _ordered(session, increase),
        "decrease": [n for n in _ordered(session, decrease) if n not in _ordered(session, increase)],
    }
    given, name = (
        session.given(asked.row, form),
        None if wanted is None else session.table.class_names[wanted],
    )
    held = {**options, "immutable": [*options["immutable"], *session.explainer.immutable]}
    moves = Moves(session, asked, **held, relative=session.recipe.known if relative is None else relative)
    if count:
        several = session.explainer.counterfactuals(
            given, name, count=count, relative=relative, **options, **limits_of(limit)
        )
        judge_diverse(session, several, asked, wanted, moves, limit)
    else:
        found = session.explainer.counterfactual(
            given, name, relative=relative, **options, **limits_of(limit)
        )
        judge_nearest(session, found, asked, wanted, moves, limit)


def _ordered(session: Session, places: tuple[int, ...]) -> list[str]:
    """The names of features whose values have an order."""
    letters = dict(zip(session.names, session.recipe.columns, strict=True))
    kinds = {f.name: f for f in session.table.domain.features}
    return [n for n in session.chosen(places) if letters[n] in "nwo" and kinds[n].kind != "boolean"]


def judge_nearest(
    session: Session,
    found: pw.answers.Counterfactual,
    asked: Asked,
    wanted: int | None,
    moves: Moves,
    limit: float | None,
    about: str = "counterfactual",
) -> None:
    """Whether no allowed cell that is decided as wanted is nearer."""
    table = session.table
    speak(found)
    if not table.is_exact:
        return
    least = moves.least(table.against(asked.label, wanted))
    expect(
        has_orders(session) or found.lower <= least * (1 + 1e-9) + 1e-12,
        about,
        f"none nearer than {found.lower}, but {least} is",
    )
    if has_orders(session):
        least = moves.least_row(table.against(asked.label, wanted))
        expect(
            found.lower <= least * (1 + 1e-9) + 1e-12,
            about,
            f"none nearer than {found.lower}, but {least} is",
        )
    if found.status is IMPOSSIBLE:
        expect(np.isinf(least), about, f"impossible, but one is at {least}")
    if found.row is not None:
        judge_moved(session, found, asked, wanted, moves, about)
    if found.status is PROVED:
        expect(found.row is not None, about, "proved without a row")
        share = A_THOUSANDTH if moves.norm == "l1" else 1 + 1e-9
        expect(found.cost <= least * share + 1e-12, about, f"cost {found.cost}, but {least} is possible")
    easy = limit is None and not has_orders(session)
    expect(not easy or found.status in (PROVED, IMPOSSIBLE), about, f"{found.status} without a limit")


def judge_moved(
    session: Session,
    found: pw.answers.Counterfactual,
    asked: Asked,
    wanted: int | None,
    moves: Moves,
    about: str,
) -> None:
    """Whether the row of a counterfactual may be, is decided as it says, and is as far away as it says."""
    table, row = session.table, np.array(found.row)
    expect(min(table.point(row), default=0) >= 0, about, f"{found.row} is outside the domain")
    expect(satisfied(session.recipe, row[None, :], session.model.words)[0], about, f"{found.row} cannot be")
    label = session.decide(row)
    right = label != asked.label if wanted is None else label == wanted
    expect(right, about, f"{found.row} is decided {label}")
    expect(found.other == table.class_names[label], about, f"other is {found.other}, not {label}")
    expect(nearly(moves.total(row), found.cost), about, f"cost {found.cost}, not {moves.total(row)}")
    allowed = np.isfinite(moves.costs[table.point(row)])
    expect(allowed or has_orders(session), about, f"{found.row} makes a move that is not allowed")
    for name in moves.immutable:
        expect(name not in found.features, about, f"{name} changes, which is immutable")
    if found.box is not None:
        judge_safe_box(session, found, asked, label, about)


def judge_safe_box(
    session: Session, found: pw.answers.Counterfactual, asked: Asked, label: int, about: str
) -> None:
    """Whether every row that changes only what changes, within the ranges, is decided like the row."""
    table, box = session.table, session.box(found.box)  # type: ignore[arg-type]
    safe = tuple(
        mask if x.name in found.features else 1 << v
        for x, mask, v in zip(table.variables, box, asked.point, strict=True)
    )
    expect(table.is_certain(safe, table.against(label)), about, f"the box {found.box} is not safe")


def judge_diverse(
    session: Session,
    several: list[pw.answers.Counterfactual],
    asked: Asked,
    wanted: int | None,
    moves: Moves,
    limit: float | None,
) -> None:
    """Whether the first is the nearest, and none changes all that an earlier one changes."""
    expect(several, "counterfactuals", "no answer at all")
    judge_nearest(session, several[0], asked, wanted, moves, limit, "counterfactuals")
    if not session.table.is_exact:
        return
    for i, one in enumerate(several):
        if one.row is not None:
            judge_moved(session, one, asked, wanted, moves, "counterfactuals")
        more = any({*one.features} >= {*earlier.features} for earlier in several[:i])
        expect(not more, "counterfactuals", f"{one.features} changes all that an earlier one changes")


def robustness(
    session: Session,
    *,
    row: int = 0,
    norm: str = "linf",
    relative: bool = False,
    limit: float | None = None,
) -> None:
    """The largest radius within which the decision stays."""
    asked, relative = session.asked(row), relative and session.recipe.known
    found = session.explainer.robustness(
        session.given(asked.row), norm, relative=relative, **limits_of(limit)
    )
    speak(found)
    if not session.table.is_exact:
        return
    every = norm == "l0"
    moves = Moves(session, asked, norm, relative=relative, to_missing=every, categories=relative or every)
    least = moves.least(session.table.against(asked.label))
    expect(
        found.radius < least or least == np.inf or found.radius == 0,
        "robustness",
        f"radius {found.radius}, but {least} flips",
    )
    judge_nearest(session, found.nearest, asked, None, moves, limit, "robustness")
    if found.status is PROVED and not has_orders(session):
        tight = found.radius == least - 1 if every else nearly(found.radius, least)
        expect(tight, "robustness", f"radius {found.radius}, but it is {least}")


def what_if(session: Session, *, row: int = 0, feature: int = 0) -> None:
    """What is decided for every value of a feature, everything else unchanged."""
    asked, name = session.asked(row), session.name(feature)
    found = session.explainer.what_if(session.given(asked.row), name).to_dict()
    place = next((j for j, x in enumerate(session.table.variables) if x.name == name), None)
    if place is None or not session.table.is_exact:
        return
    ends = ends_of(session.table.domain.seen[place])
    columns = list(session.table.domain.seen[place].columns)
    for numbers in itertools.chain(ends.low, ends.high):
        moved = asked.row.copy()
        moved[columns] = numbers
        if satisfied(session.recipe, moved[None, :], session.model.words)[0]:
            _judge_piece(session, found["pieces"], name, moved)


def _judge_piece(session: Session, pieces: list[dict[str, Any]], name: str, row: Rows) -> None:
    held = [piece for piece in pieces if _holds(session, piece, name, row)]
    expect(len(held) == 1, "what_if", lambda: f"{len(held)} pieces hold {row.tolist()}")
    decision = session.table.class_names[session.decide(row)]
    expect(
        held[0]["decision"] == decision,
        "what_if",
        lambda: f"{row.tolist()}: {held[0]['decision']}, not {decision}",
    )


def _holds(session: Session, piece: dict[str, Any], name: str, row: Rows) -> bool:
    feature = next(f for f in session.table.domain.features if f.name == name)
    if "low" in piece:
        return bool(within(row[feature.column : feature.column + 1], piece)[0])
    record = {"feature": name, "values": piece.get("values", []), "missing": piece.get("missing", False)}
    return bool(allowed_by(session, record, row[None, :])[0]) if feature.patterns is not None else False


def decision_map(session: Session, *, row: int = 0, feature: int = 0, other: int = 1) -> None:
    """What is decided for all values of two features, everything else unchanged."""
    asked, names = session.asked(row), (session.name(feature), session.name(other))
    if names[0] == names[1] or has_orders(session) or not session.table.is_exact:
        return
    found = session.explainer.decision_map(session.given(asked.row), names)
    places = [next((j for j, x in enumerate(session.table.variables) if x.name == n), None) for n in names]
    for at in np.ndindex(found.labels.shape):
        point = list(asked.point)
        for axis, place, k in zip(found.axes, places, at, strict=True):
            if place is not None:
                point[place] = axis.order[k]
        expected = session.table.label(tuple(point))
        expect(
            int(found.labels[at]) == expected,
            "decision_map",
            f"{found.labels[at]} at {point}, not {expected}",
        )
