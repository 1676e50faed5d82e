"""Calls that ask why: each asks one question and judges its answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Any

import primewood as pw
from traces.constraints import place_of
from traces.explanations import (
    IMPOSSIBLE,
    INTERRUPTED,
    PROVED,
    judge_also,
    judge_explanation,
    judge_listing,
    judge_necessity,
    judge_shortest,
    judge_widest,
    judge_witnesses,
    primes_around,
    speak,
)
from traces.session import NO_LIMIT, Asked, Session, nearly, start
from traces.table import Box, Table
from traces.wrong import TooMany, expect


def limits_of(limit: float | None) -> dict[str, Any]:
    """The limits of a call: none, a number of nodes, or (below 1) seconds."""
    if limit is None:
        return NO_LIMIT
    return {"time_limit": limit} if limit < 1 else {"time_limit": None, "work_limit": int(limit)}


def decide(session: Session, *, row: int = 0, form: int = 0) -> None:
    """The decision is that of the library, of a row and of a table."""
    asked = session.asked(row)
    names = session.table.class_names
    found = session.explainer.decide(session.given(asked.row, form))
    expect(found == names[asked.label], "decide", f"{found}, not {names[asked.label]}")
    some = session.table.rows[:9]
    labels = [int(x) for x in session.table.row_labels[:9]]
    listed = session.explainer.decide(session.model.table(some))
    listed = listed if len(some) > 1 else [listed]
    clear = [names[x] == y for x, y in zip(labels, listed, strict=True) if x >= 0]
    expect(all(clear), "decide", f"{listed} of a table with {labels}")


def score(session: Session, *, row: int = 0) -> None:
    """The score is the library's own probability or prediction."""
    asked = session.asked(row)
    found = session.explainer.score(session.given(asked.row))
    assert found is not None
    expect(found.decision == session.table.class_names[asked.label], "score", f"decision {found.decision}")
    if found.measure not in ("probability", "prediction") or session.recipe.kind in ("hand", "voting"):
        return
    fitted, table = session.model.fitted, session.model.table(asked.row[None, :])
    place = 0 if found.of is None else list(session.table.class_names).index(found.of)
    own = fitted.predict(table)[0] if session.recipe.number else fitted.predict_proba(table)[0, place]
    expect(nearly(found.value, float(own)), "score", f"{found.value}, but the library says {own}")


def engines(
    session: Session, *, row: int = 0, literals: str | None = None, order: tuple[int, ...] = ()
) -> None:
    """All engines give the same explanation for the same order."""
    asked, language = session.asked(row), literals or session.explainer.literals
    if not session.table.is_exact:
        return
    options = {"literals": language, "goal": "prime", "order": session.chosen(order) or None, **NO_LIMIT}
    own = session.explainer.explain(session.given(asked.row), **options).term
    names = ("search", "diagram", *(("bdd", "sat") if "vote" in session.model.options else ()))
    for engine in names:
        kept = tuple(pair for pair in session.recipe.asked if pair[0] != "engine")
        other = start(replace(session.recipe, asked=(*kept, ("engine", engine)))).explainer
        found = other.explain(session.given(asked.row), **options).term
        expect(found == own, "engines", f"{own}, but {engine} says {found}")


def explain(
    session: Session,
    *,
    row: int = 0,
    form: int = 0,
    literals: str | None = None,
    goal: str = "prime",
    measure: str | None = None,
    weights: tuple[float, ...] = (),
    order: tuple[int, ...] = (),
    steps: tuple[int, ...] = (),
    fix: tuple[int, ...] = (),
    avoid: tuple[int, ...] = (),
    only: tuple[int, ...] = (),
    also: int = 0,
    limit: float | None = None,
    look: bool = False,
) -> None:
    """An explanation is certain and prime; the shortest and the widest are the best there are."""
    asked = session.asked(row)
    fixed, options = session.chosen(fix), {}
    avoided = [name for name in session.chosen(avoid) if name not in fixed]
    options = _options(session, literals, goal, measure, weights, order, also)
    if steps and goal == "prime" and session.table.variables:
        options["order"] = [_step(session, place) for place in steps]
    if only:
        kept = session.chosen(only)
        options["only"], avoided = kept, [n for n in session.names if n not in (*kept, *fixed)]
    else:
        options["avoid"] = avoided
    why = session.explainer.explain(session.given(asked.row, form), fix=fixed, **options, **limits_of(limit))
    kept = session.places(fixed)
    box = judge_best(session, why, asked, options, kept, session.places(avoided), limit, look)
    if "also" in options and not avoided and why.status is PROVED and session.table.is_exact:
        judge_also(session, asked, box, session.table.rows[: also + 1], why.literals, kept)


def _step(session: Session, place: int) -> list[tuple[str, object]]:
    """A step of an order: one value of a feature."""
    x = session.table.variables[place % len(session.table.variables)]
    return [(x.name, x.values[place % len(x)])]


def _options(
    session: Session,
    literals: str | None,
    goal: str,
    measure: str | None,
    weights: tuple[float, ...],
    order: tuple[int, ...],
    also: int,
) -> dict[str, Any]:
    """The options of `explain` that go together."""
    found: dict[str, Any] = {"literals": literals, "goal": goal}
    if weights and goal not in ("readable", "wide", "widest"):
        found["weights"] = dict(zip(session.names, weights, strict=False))
    if goal == "wide" and not session.recipe.known:
        found["goal"] = "prime"  # there are no training rows to cover
    if goal == "widest":
        found["measure"] = measure if session.recipe.known or measure == "values" else "values"
    if goal == "prime" and order:
        found["order"] = [
            *session.chosen(order),
            *(n for n in session.names if n not in session.chosen(order)),
        ]
    if goal == "prime" and also:
        found["also"] = session.model.table(session.table.rows[: also + 1])
    return found


def judge_best(
    session: Session,
    why: pw.Explanation,
    asked: Asked,
    options: dict[str, Any],
    fixed: frozenset[int],
    avoided: frozenset[int],
    limit: float | None,
    look: bool,
) -> Box:
    """Whether an explanation is what was asked for."""
    box = judge_explanation(session, why, asked, asked.label, fixed=fixed)
    _judge_status(session, why, asked, box, fixed, avoided, limit)
    judge_necessity(session, why, asked, box)
    language = options["literals"] or session.explainer.literals
    expect(why.literals == language, "explain", f"literals {why.literals}, not {language}")
    if look:
        judge_witnesses(session, why, box, fixed)
        speak(why)
    if why.status is IMPOSSIBLE or options["goal"] in ("readable", "wide", "prime"):
        return box
    if why.bounds is None:
        expect(why.status is INTERRUPTED, "explain", f"{why.status} without bounds")
        return box
    try:
        if options["goal"] == "shortest":
            weighed = options.get("weights", {})
            weights = [weighed.get(x.name, 1.0) for x in session.table.variables]
            judge_shortest(session, why, asked, box, weights, fixed, avoided)
        else:
            measure = options["measure"] or "rows"
            judge_widest(session, why, asked, box, measure, fixed, avoided)
    except TooMany:
        pass
    return box


def _judge_status(
    session: Session,
    why: pw.Explanation,
    asked: Asked,
    box: Box,
    fixed: frozenset[int],
    avoided: frozenset[int],
    limit: float | None,
) -> None:
    """Whether the status says what is true: nothing is interrupted without a limit, or impossible without need."""
    table, everything = session.table, session.table.everything()
    free = tuple(everything[j] if j in avoided else 1 << v for j, v in enumerate(asked.point))
    if why.status is IMPOSSIBLE:
        needed = not table.is_certain(free, table.perhaps_against(asked.label))
        expect(needed, "explain", f"impossible, but {free} avoids {sorted(avoided)}")
        return
    expect(limit is not None or why.status is PROVED, "explain", f"{why.status} without a limit")
    if why.status is PROVED:
        mentioned = [j for j in avoided if box[j] != everything[j]]
        expect(not mentioned, "explain", f"mentions {mentioned}, which it avoids")
    kept = all(box[j] == 1 << asked.point[j] for j in fixed)
    expect(kept, "explain", f"{box} does not keep {sorted(fixed)}")


def loosened(session: Session, *, row: int = 0, literals: str | None = None) -> None:
    """A row that breaks what training rows made one assume is answered without that assumption."""
    columns = [i for i, letter in enumerate(session.recipe.columns) if letter == "i"]
    if not columns or session.recipe.constraints:
        return
    broken = session.asked(row).row.copy()
    broken[place_of(session.recipe, columns[row % len(columns)])] = 0.5
    why = session.explainer.explain(session.given(broken), literals=literals, **NO_LIMIT)
    other = Session(session.model, session.explainer, Table(session.model, why.context))
    asked = Asked(broken, other.table.point(broken), session.decide(broken))
    if not other.table.is_loose(asked.point):
        judge_explanation(other, why, asked, asked.label, about="loosened")
        expect(why.status is PROVED, "loosened", f"{why.status} without a limit")


def as_intervals(session: Session, *, row: int = 0) -> None:
    """An explanation in sets, said in intervals, is prime there."""
    asked = session.asked(row)
    why = session.explainer.explain(session.given(asked.row), literals="sets", **NO_LIMIT)
    found = why.as_intervals(time_limit=None)
    judge_explanation(session, found, asked, asked.label, about="as_intervals")
    expect(found.status is PROVED, "as_intervals", f"{found.status} without a limit")


def sample(session: Session, *, row: int = 0, literals: str | None = None) -> None:
    """Rows drawn inside an explanation are inside, and decided so."""
    asked = session.asked(row)
    why = session.explainer.explain(session.given(asked.row), literals=literals, **NO_LIMIT)
    drawn = why.sample(40, seed=row)
    expect(why.covers(session.model.table(drawn)).all(), "sample", "rows outside the explanation")
    labels = session.model.decide(drawn)
    expect(
        (labels == asked.label).all(),
        "sample",
        lambda: f"{drawn[labels != asked.label][0].tolist()} is otherwise",
    )


def explanations(session: Session, *, row: int = 0, literals: str | None = None) -> None:
    """All explanations are listed, and no others."""
    asked, language = session.asked(row), literals or session.explainer.literals
    expected = primes_around(session, asked, language)
    if expected is None:
        return
    family = session.explainer.explanations(session.given(asked.row), literals=literals)
    found = [session.box(why.term) for why in family]
    judge_listing("explanations", found, expected)
    expect(family.count() == len(expected), "explanations", f"count {family.count()}, not {len(expected)}")
    judge_family(session, family, expected)


def judge_family(session: Session, family: pw.answers.Explanations, expected: set[Box]) -> None:
    """Whether a family counts, filters, samples and chooses as its members say."""
    everything, table = session.table.everything(), session.table
    for j, x in enumerate(table.variables):
        mentioning = sum(box[j] != everything[j] for box in expected)
        counted = family.mentioning(x.name).count(), family.without(x.name).count()
        right = counted == (mentioning, len(expected) - mentioning)
        expect(right, "mentioning", f"{counted} of {len(expected)} mention {x.name}, not {mentioning}")
    sizes = Counter(sum(m != e for m, e in zip(box, everything, strict=True)) for box in expected)
    expect(family.sizes() == dict(sizes), "sizes", f"{family.sizes()}, not {dict(sizes)}")
    shortest, widest = family.shortest(), family.widest()
    assert shortest is not None and widest is not None
    expect(len(shortest.features) == min(sizes), "families", f"{shortest.features} is not the shortest")
    most = max(int(table.inside(box).sum()) for box in expected)
    cells = int(table.inside(session.box(widest.term)).sum())
    expect(cells == most, "families", f"the widest covers {cells} cells, but {most} is possible")
    drawn = {session.box(why.term) for why in family.sample(5, seed=1)}
    expect(drawn <= expected, "families", f"{drawn - expected} is drawn, but is no member")


def relevance(
    session: Session, *, row: int = 0, literals: str | None = None, limit: float | None = None
) -> None:
    """The features in every, in some and in no explanation."""
    asked, language = session.asked(row), literals or session.explainer.literals
    expected = primes_around(session, asked, language)
    if expected is None:
        return
    found = session.explainer.relevance(session.given(asked.row), literals=literals, **limits_of(limit))
    speak(found)
    everything = session.table.everything()
    mentioned = [
        {x.name for x, m, e in zip(session.table.variables, box, everything, strict=True) if m != e}
        for box in expected
    ]
    some, every = set().union(*mentioned), set.intersection(*mentioned)
    complete = limit is None
    _judge_subset("relevance", {*found.relevant}, some, complete, "relevant")
    _judge_subset("relevance", {*found.necessary}, every, complete, "necessary")
    _judge_subset("relevance", {*found.irrelevant}, {*session.names} - some, complete, "irrelevant")


def _judge_subset(about: str, found: set[str], expected: set[str], complete: bool, what: str) -> None:
    right = found == expected if complete else found <= expected
    expect(right, about, f"{what}: {sorted(found)}, not {sorted(expected)}")


def attribution(
    session: Session, *, row: int = 0, literals: str | None = None, limit: float | None = None
) -> None:
    """The share of all explanations that mention a feature."""
    asked, language = session.asked(row), literals or session.explainer.literals
    expected = primes_around(session, asked, language)
    if expected is None:
        return
    found = session.explainer.attribution(session.given(asked.row), literals=literals, **limits_of(limit))
    low, high = found.count
    expect(low <= len(expected) <= high, "attribution", f"{found.count} explanations, not {len(expected)}")
    expect(limit is not None or found.complete, "attribution", "not complete without a limit")
    everything = session.table.everything()
    for j, x in enumerate(session.table.variables):
        share = sum(box[j] != everything[j] for box in expected) / len(expected)
        low, high = found.shares[x.name]
        expect(low - 1e-9 <= share <= high + 1e-9, "attribution", f"{x.name}: {low} to {high}, not {share}")


def complete_reason(session: Session, *, row: int = 0, other: int = 1) -> None:
    """Some explanation speaks for another row iff the smallest box around both is certain."""
    asked, second = session.asked(row), session.asked(other)
    if not session.table.is_exact:
        return
    found = session.explainer.complete_reason(session.given(asked.row))
    both = tuple(1 << a | 1 << b for a, b in zip(asked.point, second.point, strict=True))
    expected = session.table.is_certain(both, session.table.against(asked.label))
    covers = found.covers(session.given(second.row))
    expect(covers == expected, "complete_reason", f"covers {second.row.tolist()}: {covers}")


def claim(session: Session, *, row: int = 0, literals: str = "intervals", wider: int | None = None) -> None:
    """An explanation that is passed as a claim is exact; one that allows more is not sufficient."""
    asked, table = session.asked(row), session.table
    why = session.explainer.explain(session.given(asked.row), literals=literals, **NO_LIMIT)
    if not why.term.literals or not table.is_exact:
        return
    box = session.box(why.term)
    if wider is not None:
        j = sorted(session.places(list(why.features)))[wider % len(why.features)]
        box = (*box[:j], table.everything()[j], *box[j + 1 :])
    said = {
        x.name: _said(session, x, mask)
        for x, mask in zip(table.variables, box, strict=True)
        if mask != x.everything
    }
    if not said or None in said.values():
        return
    found = session.explainer.check(session.given(asked.row), said, time_limit=None)
    speak(found)
    expect(found.contains_row, "check", "the claim does not hold for its own row")
    suffices = table.is_certain(box, table.against(asked.label))
    expect(found.sufficient == suffices, "check", f"sufficient: {found.sufficient}, not {suffices}: {said}")
    if found.repaired is not None:
        judge_explanation(session, found.repaired, asked, asked.label, about="check")


def _said(session: Session, variable: pw.Variable, mask: int) -> object:
    """The values that a mask allows as a claim says them; None for what it has no words for."""
    values = [v for i, v in enumerate(variable.values) if mask >> i & 1]
    if pw.MISSING in values or variable.missing is not None:
        return None
    if not variable.is_numeric:
        return values
    runs = all(a.high == b.low for a, b in pairwise(values))
    low, high = values[0].low, values[-1].high
    if not runs or not isfinite(low) or not isfinite(high):
        return None
    return pw.Interval(low, high, variable.closed)


def check(
    session: Session, *, row: int = 0, features: tuple[int, ...] = (0,), limit: float | None = None
) -> None:
    """Whether features suffice, and what repairs the claim."""
    asked, names = session.asked(row), session.chosen(features)
    kept = session.places(names)
    if not kept:
        return
    found = session.explainer.check(session.given(asked.row), names, **limits_of(limit))
    speak(found)
    everything, table = session.table.everything(), session.table
    box = tuple(1 << v if j in kept else everything[j] for j, v in enumerate(asked.point))
    suffices = table.is_certain(box, table.against(asked.label))
    if table.is_exact:
        known = found.sufficient == suffices or (found.sufficient is None and limit is not None)
        expect(known, "check", f"sufficient: {found.sufficient}, not {suffices}")
    if found.repaired is not None:
        judge_explanation(session, found.repaired, asked, asked.label, about="check")
    if found.counterexample is not None:
        point = table.point(found.counterexample.row)
        expect(
            all(box[j] >> v & 1 for j, v in enumerate(point)), "check", "a counterexample outside the claim"
        )
        other = session.decide(found.counterexample.row)
        expect(
            table.is_loose(point) or other != asked.label,
            "check",
            f"{found.counterexample.row} is decided the same",
        )
