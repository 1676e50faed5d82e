"""Calls that ask what would change a decision: each asks one question and judges its answer."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from traces.explanations import IMPOSSIBLE, PROVED, allowed_by, judge_listing, primes_around, speak, within
from traces.recipes import NAMES, Rows, satisfied
from traces.session import Asked, Session, nearly
from traces.table import Bits, Box, Boxes, at_values, ends_of
from traces.why import limits_of
from traces.wrong import TooMany, expect

A_THOUSANDTH = 1.001
"""How far from the nearest a proved sum of moves may be."""


def has_orders(session: Session) -> bool:
    """Whether a constraint orders two features: then cells alone do not tell how far a row must move."""
    return any(constraint[0] == "order" for constraint in session.recipe.constraints)


class Moves:
    """What it costs to move from a row to every cell, by brute force.

    Attributes
    ----------
    costs : tensor of float
        Per cell; infinite where the row must not go.
    """

    def __init__(
        self,
        session: Session,
        asked: Asked,
        norm: str,
        *,
        relative: bool = False,
        weights: dict[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        to_missing: bool = False,
        categories: bool = True,
    ) -> None:
        self.session, self.asked, self.norm, self.relative = session, asked, norm, relative
        self.weights = weights or {}
        self.immutable, self.increase, self.decrease = {*immutable}, {*increase}, {*decrease}
        self.to_missing, self.categories = to_missing, categories
        parts = [self.along(j) for j in range(len(session.table.sizes))]
        self.costs = np.zeros(session.table.sizes)
        for j, part in enumerate(parts):
            part = part.reshape([-1 if k == j else 1 for k in range(len(parts))])
            self.costs = np.maximum(self.costs, part) if norm == "linf" else self.costs + part

    def unit(self, feature: Any) -> float:
        """The move of a feature that counts 1."""
        seen = self.session.model.data.X[:, feature.column]
        if not self.relative or self.norm == "l0":
            return 1.0
        low, high = np.nanmin(seen), np.nanmax(seen)
        return float(high - low) if high > low else 1.0

    def along(self, place: int) -> NDArray[np.float64]:
        """What each value of a variable costs."""
        feature, own = self.session.table.domain.seen[place], self.asked.point[place]
        size, numbers = self.session.table.sizes[place], self.session.table.sizes[place] - feature.missing
        costs = np.ones(size)
        here = self.asked.row[feature.column]
        if feature.patterns is None and own < numbers and self.norm != "l0":
            ends = ends_of(feature)
            costs[:numbers] = np.maximum(ends.low[:, 0] - here, here - ends.high[:, 0]) / self.unit(feature)
        if not self.categories and (own >= numbers or feature.patterns is not None):
            costs[:] = np.inf
        if not self.to_missing:
            costs[numbers:] = np.inf
        self._limit(feature.name, costs, own, numbers)
        costs *= self.weights.get(feature.name, 1.0)
        costs[own] = 0.0
        return costs

    def _limit(self, name: str, costs: NDArray[np.float64], own: int, numbers: int) -> None:
        """Make moves infinite that are not allowed."""
        if name in self.immutable:
            costs[:] = np.inf
        elif name in self.increase or name in self.decrease:
            costs[numbers:] = np.inf
            if own >= numbers:
                costs[:] = np.inf
            elif name in self.increase:
                costs[:own] = np.inf
            else:
                costs[own + 1 :] = np.inf

    def least(self, cells: Bits) -> float:
        """The cost of the cheapest of some cells; infinite if there is none."""
        return float(self.costs[cells].min(initial=np.inf))

    def least_row(self, cells: Bits) -> float:
        """The cost of the cheapest row that is tried in some cells: the real least is no more, whatever the orders."""
        rows = np.array([row for cell in np.argwhere(cells).tolist() for row in self._rows_in(cell)])
        if not len(rows):
            return float("inf")
        rows = rows[satisfied(self.session.recipe, rows, self.session.model.words)]
        return min((self.total(row) for row in rows if self._allows(row)), default=float("inf"))

    def _rows_in(self, cell: Sequence[int]) -> Iterator[Rows]:
        """Rows of a cell: the nearest numbers, and those of ordered features moved to each other or to the ends."""
        row, ends = self.asked.row.copy(), {}
        for j, feature in enumerate(self.session.table.domain.seen):
            if cell[j] != self.asked.point[j] or feature.patterns is None:
                low, high = (
                    at_values(x, np.array([cell[j]]))[0]
                    for x in (ends_of(feature).low, ends_of(feature).high)
                )
                ends[feature.name] = feature.column, low[0], high[0]
                if cell[j] != self.asked.point[j]:
                    row[list(feature.columns)] = np.clip(np.nan_to_num(row[list(feature.columns)]), low, high)
        yield row
        for _, lower, upper, constant, _ in (c for c in self.session.recipe.constraints if c[0] == "order"):
            if {NAMES[lower], NAMES[upper]} <= {*ends}:
                yield from _in_order(row, ends[NAMES[lower]], ends[NAMES[upper]], constant)

    def _allows(self, row: Rows) -> bool:
        """Whether nothing moves that must not, or the wrong way."""
        for feature in self.session.table.domain.features:
            old, new = self.asked.row[list(feature.columns)], row[list(feature.columns)]
            if np.array_equal(old, new, equal_nan=True):
                continue
            against = {*self.immutable}
            against |= self.decrease if not new[0] < old[0] else set()
            against |= self.increase if not new[0] > old[0] else set()
            if feature.name in against:
                return False
            if not self.categories and (feature.patterns is not None or np.isnan(old).any()):
                return False
            if not self.to_missing and np.isnan(new).any():
                return False
        return True

    def total(self, row: Rows) -> float:
        """The distance of another row."""
        parts = []
        for feature in self.session.table.domain.features:
            old, new = self.asked.row[list(feature.columns)], row[list(feature.columns)]
            if np.array_equal(old, new, equal_nan=True):
                continue
            step = 1.0
            if feature.patterns is None and self.norm != "l0" and not np.isnan([old[0], new[0]]).any():
                step = abs(float(new[0] - old[0])) / self.unit(feature)
            parts.append(step * self.weights.get(feature.name, 1.0))
        return max(parts, default=0.0) if self.norm == "linf" else sum(parts)


def _in_order(
    row: Rows, lower: tuple[int, float, float], upper: tuple[int, float, float], constant: float
) -> Iterator[Rows]:
    """A row with two of its numbers moved: to the ends of their cells, and to where they are just in order."""
    (i, low, high), (j, least, most) = lower, upper
    for x in (row[i], low, high, np.clip(row[j] + constant, low, high)):
        for y in (row[j], least, most, np.clip(row[i] - constant, least, most)):
            moved = row.copy()
            moved[i], moved[j] = x, y
            if (np.isnan(moved) == np.isnan(row)).all():
                yield moved


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
    """The nearest row that is decided otherwise, or as wanted; with a count, several."""
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
    found: pw.Counterfactual,
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
    found: pw.Counterfactual,
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


def judge_safe_box(session: Session, found: pw.Counterfactual, asked: Asked, label: int, about: str) -> None:
    """Whether every row that changes only what changes, within the ranges, is decided like the row."""
    table, box = session.table, session.box(found.box)  # type: ignore[arg-type]
    safe = tuple(
        mask if x.name in found.features else 1 << v
        for x, mask, v in zip(table.variables, box, asked.point, strict=True)
    )
    expect(table.is_certain(safe, table.against(label)), about, f"the box {found.box} is not safe")


def judge_diverse(
    session: Session,
    several: list[pw.Counterfactual],
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
    expect(found.radius < least or least == np.inf, "robustness", f"radius {found.radius}, but {least} flips")
    judge_nearest(session, found.nearest, asked, None, moves, limit, "robustness")
    if found.status is PROVED and not has_orders(session):
        tight = found.radius == least - 1 if every else nearly(found.radius, least)
        expect(tight, "robustness", f"radius {found.radius}, but it is {least}")


def contrast(
    session: Session,
    *,
    row: int = 0,
    target: int | None = None,
    literals: str | None = None,
    limit: float | None = None,
) -> None:
    """The fewest features to let go of."""
    asked = session.asked(row)
    wanted = None if target is None else session.other_label(asked.label, target)
    name = None if wanted is None else session.table.class_names[wanted]
    found = session.explainer.contrast(session.given(asked.row), name, literals=literals, **limits_of(limit))
    table = session.table
    speak(found)
    if not table.is_exact:
        return
    moves = Moves(session, asked, "l0", immutable=session.explainer.immutable, to_missing=True)
    bad = table.against(asked.label, wanted)
    least = moves.least(bad)
    orders = has_orders(session)
    if found.status is IMPOSSIBLE:
        expect(np.isinf(least) or orders, "contrast", f"impossible, but {least} features do")
        return
    expect(limit is not None or found.status is PROVED, "contrast", f"{found.status} without a limit")
    if not found.features:
        expect(found.status is not PROVED, "contrast", "nothing to let go of, proved")
        return
    judge_contrast(session, found, asked, wanted, bad)
    if found.fewest:
        expect(len(found.features) == least or orders, "contrast", f"{found.features}, but {least} is enough")


def judge_contrast(
    session: Session, found: pw.Contrast, asked: Asked, wanted: int | None, bad: Bits, about: str = "contrast"
) -> Box:
    """Whether what is let go of allows another decision, nothing less does, and the row shows it."""
    table = session.table
    own = tuple(1 << v for v in asked.point)
    freed = tuple(found.term[x].mask if x in found.term else 0 for x in table.variables)
    box = tuple(a | b for a, b in zip(own, freed, strict=True))
    expect(not table.is_certain(box, bad), about, f"letting go of {found.term} changes nothing")
    if found.status is PROVED:
        for smaller in _smaller(session, box, own, found.literals):
            expect(table.is_certain(smaller, bad), about, lambda: f"{box} is not minimal: {smaller} will do")  # noqa: B023
    if found.changed is not None:
        label, point = session.decide(found.changed), table.point(found.changed)
        right = label != asked.label if wanted is None else label == wanted
        expect(right, about, f"{found.changed} is decided {label}")
        expect(
            all(m >> v & 1 for m, v in zip(box, point, strict=True)),
            about,
            f"{found.changed} is outside {box}",
        )
    return box


def _smaller(session: Session, box: Box, own: Box, language: str) -> Iterable[Box]:
    """The boxes that let go of one thing less."""
    for j, (mask, kept) in enumerate(zip(box, own, strict=True)):
        x, let_go = session.table.variables[j], mask & ~kept
        if language == "values" and let_go:
            yield (*box[:j], kept, *box[j + 1 :])
            continue
        if language == "intervals" and x.ordered and kept >> x.ordered:
            continue  # from a missing value no side of a range is nearer than the other
        for v in range(len(x)) if let_go else ():
            less = mask & ~(1 << v)
            numbers = less & ((1 << x.ordered) - 1)
            whole = language == "sets" or v >= x.ordered or _is_run(numbers)
            if let_go >> v & 1 and whole:
                yield (*box[:j], less, *box[j + 1 :])


def _is_run(mask: int) -> bool:
    low = mask & -mask
    return mask == 0 or (mask // low + 1) & (mask // low) == 0


def contrasts(
    session: Session, *, row: int = 0, target: int | None = None, literals: str | None = None
) -> None:
    """All contrasts are listed, and no others."""
    asked, language = session.asked(row), literals or session.explainer.literals
    held = session.explainer.immutable
    if has_orders(session) and held:
        return
    wanted = None if target is None else session.other_label(asked.label, target)
    name = None if wanted is None else session.table.class_names[wanted]
    found = list(session.explainer.contrasts(session.given(asked.row), name, literals=literals))
    if not session.table.is_exact:
        return
    bad = session.table.against(asked.label, wanted)
    boxes = [judge_contrast(session, one, asked, wanted, bad, "contrasts") for one in found]
    expected = contrasts_around(session, asked, language, wanted)
    if expected is not None:
        kept = session.places(list(held))
        free = {box for box in expected if all(box[j] == 1 << asked.point[j] for j in kept)}
        judge_listing("contrasts", boxes, free)


def contrasts_around(session: Session, asked: Asked, language: str, wanted: int | None) -> set[Box] | None:
    """All contrasts by brute force; None if there are too many boxes, or a missing value has no side in a range."""
    table = session.table
    lost = [x.missing == v and x.ordered for x, v in zip(table.variables, asked.point, strict=True)]
    if language == "intervals" and any(lost):
        return None
    try:
        boxes = session.boxes(language, asked.label, asked.point, wanted)
    except TooMany:
        return None
    return boxes.listed(boxes.opening)


def reasons(
    session: Session,
    *,
    row: int = 0,
    target: int | None = None,
    literals: str | None = None,
    limit: float | None = None,
) -> None:
    """Explanations and contrasts, interleaved: all of both."""
    asked, language = session.asked(row), literals or session.explainer.literals
    wanted = None if target is None else session.other_label(asked.label, target)
    name = None if wanted is None else session.table.class_names[wanted]
    if not session.table.is_exact:
        return
    found = session.explainer.reasons(
        session.given(asked.row), target=name, literals=literals, **limits_of(limit)
    )
    bad, whys, others = session.table.against(asked.label, wanted), [], []
    for one in found:
        if isinstance(one, pw.Contrast):
            others.append(judge_contrast(session, one, asked, wanted, bad, "reasons"))
        else:
            whys.append(session.box(one.term))
            expect(session.table.is_certain(whys[-1], bad), "reasons", lambda: f"{one.term} is not certain")  # noqa: B023
    expect(limit is not None or found.complete, "reasons", "not complete without a limit")
    primes = _primes(session, asked, language, wanted)
    opening = contrasts_around(session, asked, language, wanted)
    if found.complete and primes is not None:
        judge_listing("reasons (explanations)", whys, primes)
    if found.complete and opening is not None:
        judge_listing("reasons (contrasts)", others, opening)


def _primes(session: Session, asked: Asked, language: str, wanted: int | None) -> set[Box] | None:
    if wanted is None:
        return primes_around(session, asked, language)
    try:
        boxes: Boxes = session.boxes(language, asked.label, asked.point, wanted)
    except TooMany:
        return None
    return boxes.listed(boxes.prime)


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


def judge_reasons(found: pw.AdverseAction, changes: set[frozenset[str]], most: int) -> None:
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
