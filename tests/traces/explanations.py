"""Judging explanations: rows inside them, what could be weakened, and the best of all boxes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import primewood as pw
from traces.constraints import satisfied
from traces.recipes import Rows
from traces.session import Asked, Session, nearly
from traces.table import Bits, Box, literals, weaker
from traces.wrong import TooMany, expect

PROVED, INTERRUPTED, IMPOSSIBLE = pw.Status.PROVED, pw.Status.INTERRUPTED, pw.Status.IMPOSSIBLE


def judge_explanation(
    session: Session,
    why: pw.Explanation,
    asked: Asked | None,
    label: int,
    *,
    fixed: frozenset[int] = frozenset(),
    about: str = "explain",
) -> Box:
    """Whether an explanation is what it says: about its row, certain, and prime if that is proved."""
    table, box = session.table, session.box(why.term)
    expect(why.decision == table.class_names[label], about, f"decision {why.decision!r}, not {label}")
    if asked is not None:
        at_home = all(mask >> v & 1 for mask, v in zip(box, asked.point, strict=True))
        expect(at_home, about, lambda: f"{why.term} does not hold for the row {asked.row.tolist()}")
    judge_cover(session, why, box, about)
    expect(table.is_certain(box, table.against(label)), about, lambda: f"{why.term} does not entail {label}")
    judge_language(session, why, box, fixed, about)
    judge_shares(session, why, box, about)
    if why.status is PROVED:
        judge_prime(session, box, why.literals, label, fixed, about)
    return box


def judge_shares(session: Session, why: pw.Explanation, box: Box, about: str) -> None:
    """Whether coverage and volume are the shares of the training rows and of their ranges."""
    if not session.recipe.known:
        expect(why.coverage is None and why.volume is None, about, "shares without training rows")
        return
    points = session.table.domain.points(session.model.data.X)
    inside = [
        all(v >= 0 and m >> v & 1 for m, v in zip(box, point, strict=True)) for point in points.tolist()
    ]
    expect(
        nearly(why.coverage, float(np.mean(inside))), about, f"coverage {why.coverage}, not {np.mean(inside)}"
    )
    shares = zip(box, session.table.everything(), shares_of(session, "volume"), strict=True)
    sums = [
        sum(x for v, x in enumerate(part) if mask >> v & 1) for mask, whole, part in shares if mask != whole
    ]
    expect(nearly(why.volume, float(np.prod(sums))), about, f"volume {why.volume}, not {np.prod(sums)}")


def judge_also(
    session: Session, asked: Asked, box: Box, rows: Rows, language: str, fixed: frozenset[int]
) -> None:
    """Whether every row that could be let in, those that are wanted most first, was let in."""
    table = session.table
    bad, held = table.perhaps_against(asked.label), tuple(1 << v for v in asked.point)
    for row in rows:
        point = table.point(row)
        if any(point[j] != asked.point[j] for j in fixed):
            continue
        wider = tuple(joined(session, asked, j, held[j] | 1 << v, language) for j, v in enumerate(point))
        held = wider if table.is_certain(wider, bad) else held
    inside = all(a | b == b for a, b in zip(held, box, strict=True))
    expect(inside, "also", lambda: f"{box} leaves out rows that {held} lets in")


def joined(session: Session, asked: Asked, place: int, mask: int, language: str) -> int:
    """The smallest literal of a language around the row's own value that allows some values."""
    x, own = session.table.variables[place], asked.point[place]
    if mask == 1 << own or language == "sets":
        return mask
    if language == "values" or (x.ordered and own >= x.ordered):
        return x.everything
    fitting = [m for m in literals(x, "intervals", own) if m & mask == mask]
    return min(fitting, key=int.bit_count)


def speak(answer: Any) -> None:
    """Have an answer say itself in every form: none may fail, and records are JSON without NaN."""
    str(answer), repr(answer), answer._repr_html_()
    json.dumps(answer.to_dict(), allow_nan=False)


def judge_cover(session: Session, why: pw.Explanation, box: Box, about: str) -> None:
    """Whether the record, the term and `covers` speak of the same rows."""
    table = session.table
    by_term = table.inside(box).ravel()[table.cell_of]
    by_record = covered_by(session, why.to_dict()["literals"], table.rows)
    expect((by_term == by_record).all(), about, lambda: f"the record of {why.term} covers other rows")
    expect((why.covers(session.model.table(table.rows)) == by_term).all(), about, "covers() says otherwise")


def covered_by(session: Session, records: Sequence[dict[str, Any]], rows: Rows) -> Bits:
    """Which rows the records of literals allow, by their numbers alone."""
    found = np.ones(len(rows), dtype=bool)
    for record in records:
        found &= allowed_by(session, record, rows)
    return found


def allowed_by(session: Session, record: dict[str, Any], rows: Rows) -> Bits:
    """Which rows one literal allows."""
    feature = next(f for f in session.table.domain.features if f.name == record["feature"])
    held = rows[:, list(feature.columns)]
    absent = np.isnan(held).any(axis=1)
    if "intervals" in record:
        found = np.zeros(len(rows), dtype=bool)
        for interval in record["intervals"]:
            found |= within(held[:, 0], interval)
    else:
        known = {tuple(code): str(word) for code, word in feature.patterns.items()}
        allowed = {str(word) for word in record["values"]}
        found = np.array([known.get(tuple(row)) in allowed for row in held.tolist()], dtype=bool)
    return np.where(absent, record["missing"], found)


def within(numbers: Rows, interval: dict[str, Any]) -> Bits:
    """Which numbers lie in an interval as records have it."""
    low, high, closed = interval["low"], interval["high"], interval["closed"]
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    with np.errstate(invalid="ignore"):
        above = numbers >= low if closed in ("left", "both") or low == -np.inf else numbers > low
        below = numbers <= high if closed in ("right", "both") or high == np.inf else numbers < high
    return above & below


def judge_language(
    session: Session, why: pw.Explanation, box: Box, fixed: frozenset[int], about: str
) -> None:
    for j, (x, mask) in enumerate(zip(session.table.variables, box, strict=True)):
        if why.literals != "sets" and j not in fixed:
            known = mask in literals(x, why.literals)
            expect(known, about, f"{why.term} is no term of {why.literals}")


def judge_prime(
    session: Session, box: Box, language: str, label: int, fixed: frozenset[int], about: str
) -> None:
    """Whether every weaker box holds a row that gets a different decision."""
    table = session.table
    bad = table.perhaps_against(label)
    for j, x in enumerate(table.variables):
        for mask in () if j in fixed else weaker(x, box[j], language):
            larger = (*box[:j], mask, *box[j + 1 :])
            expect(not table.is_certain(larger, bad), about, lambda: f"{box} is not prime: {larger} will do")  # noqa: B023


def judge_necessity(session: Session, why: pw.Explanation, asked: Asked, box: Box) -> None:
    """Whether no more values count as necessary than are: with each of them, the box holds a different decision."""
    table, bad = session.table, session.table.perhaps_against(asked.label)
    places = {x.name: j for j, x in enumerate(table.variables)}
    for one in why.necessity:
        j = places[one.feature]
        excluded = [v for v in range(table.sizes[j]) if not box[j] >> v & 1]
        wider = [joined(session, asked, j, box[j] | 1 << v, why.literals) for v in excluded]
        needed = sum(not table.is_certain((*box[:j], mask, *box[j + 1 :]), bad) for mask in wider)
        counts = f"{one} of {box}: {len(excluded)} excluded, {needed} necessary"
        expect(one.excluded == len(excluded) and one.necessary <= needed, "necessity", counts)


def judge_witnesses(session: Session, why: pw.Explanation, box: Box, fixed: frozenset[int]) -> None:
    """Whether witnesses are rows just outside, decided as they say, and none is left out."""
    places = {x.name: j for j, x in enumerate(session.table.variables)}
    for witness in why.witnesses:
        judge_witness(session, why, box, witness, places[witness.feature])
    if why.status is PROVED and why.witnesses_complete and why.goal == "prime":
        shown = {(places[w.feature], w.value) for w in why.witnesses}
        for j, size in enumerate(session.table.sizes):
            excluded = [v for v in range(size) if not box[j] >> v & 1]
            if not excluded or j in fixed:
                continue
            missed = [v for v in excluded if (j, v) not in shown]
            enough = not missed if why.literals == "sets" else len(missed) < len(excluded)
            expect(enough, "witnesses", f"none for the values {missed} of variable {j} outside {box}")


def judge_witness(
    session: Session, why: pw.Explanation, box: Box, witness: pw.answers.Witness, place: int
) -> None:
    table = session.table
    row, point = np.array(witness.row), table.point(witness.row)
    expect(min(point) >= 0, "witnesses", lambda: f"{witness.row} is outside the domain")
    expect(
        satisfied(session.recipe, row[None, :], session.model.words)[0],
        "witnesses",
        lambda: f"{witness.row} cannot be",
    )
    outside = [j for j, v in enumerate(point) if not box[j] >> v & 1]
    expect(
        outside == [place], "witnesses", lambda: f"{witness.row} leaves {box} in {outside}, not in {place}"
    )
    expect(point[place] == witness.value, "witnesses", lambda: f"{witness.row} has value {point[place]}")
    if not table.is_loose(point):
        decision = table.class_names[session.decide(witness.row)]
        expect(witness.decision == decision, "witnesses", lambda: f"{witness.row} is decided {decision}")
        expect(decision != why.decision, "witnesses", lambda: f"{witness.row} is decided the same")


def allowed_literals(
    session: Session, asked: Asked, fixed: frozenset[int], avoided: frozenset[int]
) -> list[list[int] | None]:
    """Per variable the literals that an answer may have; None for all."""
    everything = session.table.everything()
    return [
        [1 << asked.point[j]] if j in fixed else [everything[j]] if j in avoided else None
        for j in range(len(everything))
    ]


def judge_shortest(
    session: Session,
    why: pw.Explanation,
    asked: Asked,
    box: Box,
    weights: Sequence[float],
    fixed: frozenset[int],
    avoided: frozenset[int],
) -> None:
    """Whether no certain box has less weight, and the bounds say so."""
    found = session.boxes(why.literals, asked.label, asked.point)
    total = found.total([0.0 if j in fixed else w for j, w in enumerate(weights)])
    may = found.certain & found.within(allowed_literals(session, asked, fixed, avoided))
    best = total[may].min(initial=np.inf)
    whole = session.table.everything()
    own = sum(w for j, w in enumerate(weights) if j not in fixed and box[j] != whole[j])
    own = np.inf if any(box[j] != whole[j] for j in avoided) else own
    lower, upper = why.bounds or (0.0, np.inf)
    expect(nearly(own, upper), "shortest", f"bounds {why.bounds}, but {box} has the weight {own}")
    slack = 0.0 if session.table.is_exact else np.inf
    expect(lower <= best + 1e-9 + slack, "shortest", f"lower bound {lower}, but {best} is possible")
    if why.status is PROVED:
        expect(own <= best + 1e-9 + slack, "shortest", f"weight {own}, but {best} is possible")


def judge_widest(
    session: Session,
    why: pw.Explanation,
    asked: Asked,
    box: Box,
    measure: str,
    fixed: frozenset[int],
    avoided: frozenset[int],
) -> None:
    """Whether no certain box covers more, and the bounds say so."""
    found = session.boxes(why.literals, asked.label, asked.point)
    if measure == "rows":
        covered = found.counted(session.table.domain.points(session.model.data.X)).astype(float)
    else:
        covered = found.measure(shares_of(session, measure))
    may = found.within(allowed_literals(session, asked, fixed, avoided))
    most = float(covered[found.certain & may].max(initial=0.0))
    place = tuple(found.masks[j].index(mask) for j, mask in enumerate(box))
    own, (lower, upper) = float(covered[place]), why.bounds or (0.0, np.inf)
    slack = 1e-9 * max(1.0, most) if session.table.is_exact else np.inf
    expect(nearly(own, lower), "widest", f"bounds {why.bounds}, but {box} covers {own}")
    expect(upper >= most - slack, "widest", f"upper bound {upper}, but {most} is covered by some")
    if why.status is PROVED:
        expect(own >= most - slack, "widest", f"{box} covers {own}, but {most} is possible")


def shares_of(session: Session, measure: str) -> list[list[float]]:
    """Per variable the share of each value: of the training range, or of the cells."""
    if measure == "values":
        return [[1 / size] * size for size in session.table.sizes]
    return [_volumes(session, j) for j in range(len(session.table.sizes))]


def _volumes(session: Session, place: int) -> list[float]:
    """The share of the training range that each interval has; categories count the same, missing counts nothing."""
    table = session.table
    feature, variable = table.domain.seen[place], table.variables[place]
    numbers = len(variable) - feature.missing
    if feature.patterns is not None:
        return [1 / numbers] * numbers + [0.0] * feature.missing
    seen = session.model.data.X[:, feature.column]
    seen = seen[~np.isnan(seen)]
    low, high = float(seen.min()), float(seen.max())
    ends = [-np.inf, *variable.cuts, np.inf]
    if low == high:
        inside = [low in value for value in variable.values[:numbers]]
        return [float(x) for x in inside] + [0.0] * feature.missing
    lengths = [max(0.0, min(b, high) - max(a, low)) for a, b in pairwise(ends)]
    return [x / (high - low) for x in lengths] + [0.0] * feature.missing


def primes_around(session: Session, asked: Asked, language: str) -> set[Box] | None:
    """All explanations of a row by brute force; None if that is not exact or too much."""
    if not session.table.is_exact:
        return None
    try:
        found = session.boxes(language, asked.label, asked.point)
    except TooMany:
        return None
    return found.listed(found.prime)


def judge_listing(about: str, found: list[Box], expected: set[Box]) -> None:
    """Whether a listing has everything once."""
    lost, wrong = expected - {*found}, {*found} - expected
    expect(not lost, about, lambda: f"not listed: {sorted(lost)[:3]} of {len(expected)}")
    expect(not wrong, about, lambda: f"listed wrongly: {sorted(wrong)[:3]}")
    expect(len(found) == len(expected), about, "listed twice")
