"""Calls that ask what to let go of: each asks one question and judges its answer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import primewood as pw
from traces.explanations import IMPOSSIBLE, PROVED, judge_listing, primes_around, speak
from traces.moves import Moves, has_orders
from traces.session import Asked, Session
from traces.table import Bits, Box, Boxes
from traces.why import limits_of
from traces.wrong import TooMany, expect


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
    session: Session,
    found: pw.answers.Contrast,
    asked: Asked,
    wanted: int | None,
    bad: Bits,
    about: str = "contrast",
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
        if isinstance(one, pw.answers.Contrast):
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
