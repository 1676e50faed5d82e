"""Calls about whole models and many rows: each asks one question and judges its answer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

import primewood as pw
from primewood.domain import Feature
from traces.constraints import satisfied
from traces.deciding import score_by
from traces.explanations import (
    PROVED,
    covered_by,
    judge_explanation,
    judge_listing,
    primes_around,
    speak,
)
from traces.moves import Moves, has_orders
from traces.recipes import Rows
from traces.session import NO_LIMIT, Session, start
from traces.table import Bits, Point, Table, ends_of
from traces.why import limits_of
from traces.wrong import TooMany, expect

HOLDS, FAILS, OPEN = pw.answers.Outcome.HOLDS, pw.answers.Outcome.FAILS, pw.answers.Outcome.UNDECIDED
COMPARE = {"<=": operator.le, "<": operator.lt, ">": operator.gt, ">=": operator.ge}


def judge_outcome(
    session: Session, found: pw.answers.Verification, true: bool, limit: float | None, about: str
) -> None:
    """Whether a property holds iff brute force says so."""
    speak(found)
    if found.outcome is OPEN:
        excused = limit is not None or has_orders(session) or not session.table.is_exact
        expect(excused, about, f"undecided without a limit: {found.note}")
    elif session.table.is_exact:
        expect((found.outcome is HOLDS) == true, about, f"{found.outcome}, but it is {true}: {found.stated}")
    for row, decision in zip(found.witnesses, found.decisions, strict=False):
        doubtful = session.table.is_loose(session.table.point(row))
        right = doubtful or session.table.class_names[session.decide(row)] == decision
        possible = satisfied(session.recipe, np.array([row]), session.model.words)[0]
        expect(right and possible, about, f"the witness {row} is not decided {decision}, or cannot be")


def judge_pair(session: Session, found: pw.answers.Verification, names: Sequence[str], about: str) -> None:
    """Whether the two rows that break a property differ only in some features."""
    if found.outcome is FAILS:
        first, second = (np.array(row) for row in found.witnesses)
        for feature in session.table.domain.features:
            columns = list(feature.columns)
            same = np.array_equal(first[columns], second[columns], equal_nan=True)
            expect(same or feature.name in names, about, f"{feature.name} differs in {first} and {second}")


def rule(
    session: Session,
    *,
    feature: int = 0,
    sign: str = "<=",
    cut: int = 0,
    other: int | None = None,
    decision: int = 0,
    negated: bool = False,
    limit: float | None = None,
) -> None:
    """A rule holds iff no row that meets its conditions is decided against it."""
    names = session.table.class_names
    if not all(isinstance(name, int) for name in names):
        return
    places = [session.name(feature)] if other is None else [session.name(feature), session.name(other)]
    if any(f.patterns is not None and len(f.patterns) < 2 for f in session.table.domain.features):
        return  # CatBoost keeps no names of categories that no tree tests
    texts, meets = [], np.ones(len(session.table.rows), dtype=bool)
    for i, name in enumerate(dict.fromkeys(places)):
        text, along = _condition(session, name, sign, cut + i)
        texts.append(text)
        meets &= along
    label = decision % len(names)
    said = f"{' and '.join(texts)} -> {'not ' if negated else ''}{names[label]}"
    found = session.explainer.verify(said, **limits_of(limit))
    orders = np.array(session.model.orders(session.table.rows))
    broken = meets & ((orders == label) == negated).any(axis=0)
    expect(found.outcome is not HOLDS or not broken.any(), "rule", f"holds, but not for a row: {said}")
    excused = limit is not None or not session.table.is_exact
    expect(excused or found.outcome is not OPEN, "rule", f"undecided without a limit: {said}")
    if found.outcome is FAILS and session.table.is_exact:
        (row,) = found.witnesses
        judge_outcome(session, found, False, limit, "rule")
        expect((session.decide(row) == label) == negated, "rule", f"{row} does not break {said}")


def _condition(session: Session, name: str, sign: str, cut: int) -> tuple[str, Bits]:
    """A condition on a feature, and the rows of the table that meet it."""
    feature = next(f for f in session.table.domain.features if f.name == name)
    held = session.table.rows[:, list(feature.columns)]
    if feature.patterns is None:
        cuts = (feature.variable.cuts if feature.variable is not None else None) or (0.5,)
        number = cuts[cut % len(cuts)]
        with np.errstate(invalid="ignore"):
            return f"{name} {sign} {number!r}", COMPARE[sign](held[:, 0], number)
    codes = list(feature.patterns)
    word = feature.patterns[codes[cut % len(codes)]]
    alike = [tuple(code) == codes[cut % len(codes)] for code in held.tolist()]
    return f"{name}={word}", np.array(alike, dtype=bool)


def never(session: Session, *, decision: int = 0, limit: float | None = None) -> None:
    """A decision is never taken iff no possible cell takes it."""
    label = decision % len(session.table.class_names)
    found = session.explainer.verify(pw.never(session.table.class_names[label]), **limits_of(limit))
    taken = (np.array(session.model.orders(session.table.rows)) == label).any()
    expect(found.outcome is not HOLDS or not taken, "never", f"holds, but a row can be decided {label}")
    judge_outcome(session, found, not taken, limit, "never")
    judge_breaking(session, found, lambda point: session.table.label(point) == label, "never")


def judge_breaking(
    session: Session, found: pw.answers.Verification, breaks: Callable[[Point], bool], about: str
) -> None:
    """Whether the training rows are named that break a property, all of them if it says so."""
    if found.breaking is None or not session.table.is_exact:
        return
    points = [tuple(point) for point in session.table.domain.points(session.model.data.X).tolist()]
    expected = {i for i, point in enumerate(points) if min(point, default=0) >= 0 and breaks(point)}
    named = {*found.breaking.places}
    right = named == expected if found.breaking.complete else named <= expected
    expect(right, about, f"rows {sorted(named)} break it, not {sorted(expected)}")


def monotone(
    session: Session,
    *,
    feature: int = 0,
    direction: str = "increasing",
    target: int | None = None,
    limit: float | None = None,
) -> None:
    """Raising a feature never takes a decision back iff it does so between no two cells."""
    name, table = session.name(feature), session.table
    place = next((j for j, x in enumerate(table.variables) if x.name == name), None)
    if place is None or not table.variables[place].ordered:
        return
    wanted = None if target is None else target % len(table.class_names)
    if wanted is None and "positive" in session.model.options:
        wanted = session.recipe.positive
    if wanted is None and not all(isinstance(name, int) for name in table.class_names):
        return
    stated = pw.monotone(
        name, direction, None if target is None else table.class_names[target % len(table.class_names)]
    )
    found = session.explainer.verify(stated, **limits_of(limit))
    judge_pair(session, found, [name], "monotone")
    if has_orders(session):
        return
    labels = np.moveaxis(table.labels.reshape(table.sizes), place, 0)[: table.variables[place].ordered]
    scores = labels if wanted is None else (labels == wanted).astype(np.int64)
    scores = scores if direction == "increasing" else -scores
    true = not any(
        ((scores[low] > scores[high]) & (labels[low] >= 0) & (labels[high] >= 0)).any()
        for high in range(len(labels))
        for low in range(high)
    )
    judge_outcome(session, found, true, limit, "monotone")


def independent(session: Session, *, features: tuple[int, ...] = (0,), limit: float | None = None) -> None:
    """Features never matter iff cells that differ in them alone are decided alike."""
    names, table = session.chosen(features), session.table
    found = session.explainer.verify(pw.independent_of(*names), **limits_of(limit))
    judge_pair(session, found, names, "independent_of")
    if has_orders(session):
        if found.outcome is HOLDS:
            judge_unmoved(session, names)
        return
    places = sorted(session.places(names))
    labels = np.moveaxis(table.labels.reshape(table.sizes), places, range(len(places)))
    flat = labels.reshape(int(np.prod(labels.shape[: len(places)], dtype=int)), -1)
    most = flat.max(axis=0)
    least = np.where(flat >= 0, flat, flat.max(initial=0) + 1).min(axis=0)
    judge_outcome(session, found, bool(((most == least) | (most < 0)).all()), limit, "independent_of")
    labelled = table.labels.reshape(table.sizes)

    def alone(point: Point) -> bool:
        lines = (labelled[(*point[:j], slice(None), *point[j + 1 :])] for j in places)
        return any(((line >= 0) & (line != table.label(point))).any() for line in lines)

    if len(places) == 1:
        judge_breaking(session, found, alone, "independent_of")


def judge_unmoved(session: Session, names: Sequence[str]) -> None:
    """Whether rows of the table that differ in some features alone, and may be, are decided alike."""
    table = session.table
    for feature in (f for f in table.domain.seen if f.name in names):
        ends = ends_of(feature)
        for numbers in (*ends.low, *ends.high):
            moved = table.rows.copy()
            moved[:, list(feature.columns)] = numbers
            allowed = satisfied(session.recipe, moved, session.model.words)
            labels = session.model.decide(moved)[allowed]
            wrong = (labels != table.row_labels[allowed]) & (labels >= 0) & (table.row_labels[allowed] >= 0)
            expect(
                not wrong.any(), "independent_of", f"holds, but {feature.name} changes the decision on a row"
            )


def robust_at(
    session: Session, *, row: int = 0, radius: float = 0.5, norm: str = "linf", limit: float | None = None
) -> None:
    """A decision stays within a radius iff no cell that near gets a different decision."""
    asked = session.asked(row)
    radius = float(int(radius * 2)) if norm == "l0" else radius
    stated = pw.robust_at(session.given(asked.row), radius, norm)
    found = session.explainer.verify(stated, **limits_of(limit))
    every = norm == "l0"
    moves = Moves(session, asked, norm, to_missing=every, categories=every)
    least = moves.least(session.table.against(asked.label))
    if found.outcome is FAILS:
        far = moves.total(np.array(found.witnesses[1]))
        expect(far <= radius, "robust_at", f"the witness is {far} away, beyond {radius}")
    if not has_orders(session):
        judge_outcome(session, found, least > radius, limit, "robust_at")


def output(session: Session, *, share: float = 0.5, limit: float | None = None) -> None:
    """The output stays within bounds iff it does so for all rows of the table."""
    if not session.recipe.number or session.recipe.cutoff is None or session.recipe.between:
        return
    outputs = score_by(session.recipe, session.model.fitted, session.model.words)(session.table.rows)
    bound = float(np.quantile(outputs.astype(np.float64), share, method="nearest"))
    found = session.explainer.verify(pw.output(at_most=bound), **limits_of(limit))
    beyond = bool((outputs.astype(np.float64) > bound).any())
    expect(found.outcome is not HOLDS or not beyond, "output", f"at most {bound} holds, but not for a row")
    expect(found.outcome is not FAILS or beyond, "output", f"at most {bound} fails, but holds for all rows")


def rules(
    session: Session, *, literals: str | None = None, coverage: float = 0.95, limit: float | None = None
) -> None:
    """Every rule of a list is certain, and prime if the list is proved; decisions of rows are right."""
    if not session.recipe.known or not session.table.is_exact:
        return
    found = session.explainer.rules(literals=literals, coverage=coverage, **limits_of(limit))
    names = list(session.table.class_names)
    for one in found:
        judge_explanation(session, one, None, names.index(one.decision), about="rules")
    expect(limit is not None or found.status is PROVED, "rules", f"{found.status} without a limit")
    rows = session.model.data.X
    rows = rows[(session.table.domain.points(rows) >= 0).all(axis=1)]
    labels = session.model.decide(rows)
    said = found.decide(session.model.table(rows))
    right = [x is None or names[y] == x for x, y in zip(said, labels, strict=True)]
    expect(all(right), "rules", "a training row gets a wrong decision")
    if found.status is PROVED:
        for label, name in enumerate(names):
            count, covered = int((labels == label).sum()), found.covered.get(name, 0)
            expect(covered >= coverage * count, "rules", f"{covered} of {count} rows of {name} are covered")


def compiled(session: Session, *, row: int = 0, literals: str | None = None, decision: int = 0) -> None:
    """A compiled model counts, decides, explains and lists as brute force does."""
    table = session.table
    if not table.is_exact:
        return
    made = session.explainer.compile()
    for label, name in enumerate(table.class_names):
        count, expected = made.count()[name], int((table.labels == label).sum())
        expect(count == expected, "compile", f"{count} cells of {name}, not {expected}")
    asked = session.asked(row)
    language = literals or session.explainer.literals
    primes = primes_around(session, asked, language)
    family = made.explanations(session.given(asked.row), literals=literals)
    if primes is not None:
        judge_listing("compile", [session.box(why.term) for why in family], primes)
    fewest = made.robustness(session.given(asked.row)).features
    least = Moves(session, asked, "l0", to_missing=True).least(table.against(asked.label))
    expect((np.inf if fewest is None else fewest) == least, "compile", f"{fewest} changes, not {least}")
    _judge_implicants(session, made, language, decision % len(table.class_names))


def _judge_implicants(session: Session, made: pw.answers.Compiled, language: str, label: int) -> None:
    try:
        boxes = session.boxes(language, label, None)
    except TooMany:
        return
    some = boxes.holding_some((session.table.labels == label).reshape(session.table.sizes))
    expected = boxes.listed(boxes.prime & some)
    if len(expected) < 2000:
        found = made.prime_implicants(session.table.class_names[label], literals=language)
        judge_listing("prime_implicants", [session.box(why.term) for why in found], expected)


def bias(session: Session, *, row: int = 0, protected: tuple[int, ...] = (0,)) -> None:
    """A decision is biased iff a row that differs in protected features alone gets a different decision."""
    table, asked, names = session.table, session.asked(row), session.chosen(protected)
    if not table.is_exact:
        return
    found = session.explainer.compile().bias(session.given(asked.row), names)
    freed, everything = session.places(names), table.everything()
    box = tuple(everything[j] if j in freed else 1 << v for j, v in enumerate(asked.point))
    true = not table.is_certain(box, table.against(asked.label))
    expect(found.decision == true, "bias", f"{found.decision}, but it is {true}")
    if found.changed is not None:
        expect(session.decide(found.changed) != asked.label, "bias", f"{found.changed} is decided the same")


def batch(
    session: Session,
    *,
    rows: int = 5,
    jobs: int = 1,
    reuse: bool = False,
    literals: str | None = None,
    limit: float | None = None,
) -> None:
    """Many rows at once are explained as they are one by one."""
    asked = [session.asked(k) for k in range(rows)]
    table = session.model.table(np.array([one.row for one in asked]))
    found = session.explainer(table, n_jobs=jobs, reuse=reuse, literals=literals, **limits_of(limit))
    expect(len(found) == rows, "batch", f"{len(found)} answers for {rows} rows")
    for one, why in zip(asked, found, strict=True):
        judge_explanation(session, why, one, one.label, about="batch")
        expect(limit is not None or why.status is PROVED, "batch", f"{why.status} without a limit")
        if not reuse and limit is None:
            alone = session.explainer.explain(session.given(one.row), literals=literals, **NO_LIMIT)
            expect(alone.term == why.term, "batch", f"{why.term}, but alone {alone.term}")


def stream(session: Session, *, rows: int = 5, literals: str | None = None) -> None:
    """Rows one by one, as they are finished, are explained as in a batch."""
    asked = [session.asked(k) for k in range(rows)]
    table = session.model.table(np.array([one.row for one in asked]))
    found = list(session.explainer.stream(table, literals=literals, **NO_LIMIT))
    expect(len(found) == rows, "stream", f"{len(found)} answers for {rows} rows")
    for one, why in zip(asked, found, strict=True):
        judge_explanation(session, why, one, one.label, about="stream")


def robust_everywhere(session: Session, *, radius: float = 0.0, limit: float | None = None) -> None:
    """No move by a radius changes a decision iff no two cells that near are decided differently."""
    table = session.table
    if has_orders(session) or not table.is_exact:
        return
    found = session.explainer.verify(pw.robust_everywhere(radius), **limits_of(limit))
    near = np.ones((len(table.cells), len(table.cells)), dtype=bool)
    for j, feature in enumerate(table.domain.seen):
        near &= _near(feature, radius)[table.cells[:, j][:, None], table.cells[:, j][None, :]]
    differ = table.labels[:, None] != table.labels[None, :]
    both = table.possible[:, None] & table.possible[None, :]
    judge_outcome(session, found, not bool((near & differ & both).any()), limit, "robust_everywhere")


def _near(feature: Feature, radius: float) -> Bits:
    """Which values of a feature have numbers at most so far from each other; others are near to themselves alone."""
    assert feature.variable is not None
    found = np.eye(len(feature.variable), dtype=bool)
    if feature.patterns is None:
        ends = ends_of(feature)
        gap = np.maximum(
            ends.low[:, 0][:, None] - ends.high[:, 0][None, :],
            ends.low[:, 0][None, :] - ends.high[:, 0][:, None],
        )
        found[: len(gap), : len(gap)] |= gap <= radius
    return found


def importance(session: Session, *, rows: int = 5, literals: str | None = None) -> None:
    """How many explanations mention a feature, and how many rows it flips alone."""
    asked = [session.asked(k) for k in range(rows)]
    if not session.table.is_exact:
        return
    table = session.model.table(np.array([one.row for one in asked]))
    found = session.explainer.importance(table, literals=literals, time_limit=None)
    expect(found.undecided == 0, "importance", f"{found.undecided} rows undecided without a limit")
    whys = [session.explainer.explain(session.given(x.row), literals=literals, **NO_LIMIT) for x in asked]
    labels = session.table.labels.reshape(session.table.sizes)
    for j, x in enumerate(session.table.variables):
        mentioned = sum(x.name in why.features for why in whys)
        expect(found.in_explanations[x.name] == mentioned, "importance", f"{x.name} is in {mentioned}")
        lines = [labels[(*one.point[:j], slice(None), *one.point[j + 1 :])] for one in asked]
        flips = sum(
            bool(((line >= 0) & (line != one.label)).any()) for line, one in zip(lines, asked, strict=True)
        )
        if not has_orders(session):
            expect(found.flips_alone[x.name] == flips, "importance", f"{x.name} flips {flips} alone")


def compare(session: Session, *, seed: int = 0, limit: float | None = None) -> None:
    """Two models are alike iff they decide alike on the cells of both."""
    recipe = session.recipe
    if recipe.number or recipe.jobs != 1 or "k" in recipe.columns or recipe.cutoff is not None:
        return
    try:
        other = start(replace(recipe, seed=recipe.seed + seed, immutable=()))
    except TooMany:
        return
    found = session.explainer.compare(other.explainer, **limits_of(limit))
    rows = _shared_rows(session.table, other.table)
    differ = session.model.decide(rows) != other.model.decide(rows)
    expect(found.equivalent is not True or not differ.any(), "compare", "equivalent, but not on a row")
    expect(limit is not None or found.equivalent is not None, "compare", "undecided without a limit")
    if found.witness is not None:
        labels = session.decide(found.witness), other.decide(found.witness)
        expect(labels[0] != labels[1], "compare", f"{found.witness} is decided alike")
    for region in found.regions:
        inside = covered_by(session, region.to_dict()["literals"], rows)
        first = session.model.decide(rows[inside])
        second = other.model.decide(rows[inside])
        names = session.table.class_names
        right = all(
            names[a] == region.first and names[b] == region.second for a, b in zip(first, second, strict=True)
        )
        expect(right, "compare", f"the region {region.term} holds rows that get a different decision")


def _shared_rows(first: Table, second: Table) -> Rows:
    """The rows of both tables that both domains allow."""
    rows = np.vstack([first.rows, second.rows])
    allowed = [(table.domain.points(rows) >= 0).all(axis=1) for table in (first, second)]
    return rows[allowed[0] & allowed[1]]
