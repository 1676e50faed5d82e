"""Properties of the whole model: those that the user states, or by default what each feature may do.

By default each feature is asked about alone: whether the decision is independent of it, and, where the decisions and
the feature have an order, whether it only goes up or only goes down with it. Rows that were tried already
(`sensitivity`) answer many of these with "fails" at once; what they leave open is searched for, or proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.report.sensitivity import Alone, FlippingStep, Sensitivity, with_evidence
from primewood.apps.report.subject import ReportSubject, SectionWatch, within
from primewood.engines.protocol import Clock
from primewood.properties.claim import Claim, Outcome
from primewood.properties.pairs import Direction, IndependentOf, Monotone
from primewood.properties.verification import Verification, Verifier, check_property, prepare_property


def stated_properties(
    subject: ReportSubject, properties: Sequence[object], clock: Clock, watch: SectionWatch
) -> dict[str, Any]:
    """The properties that the user states, each with its outcome and the rows that show it."""
    for stated in properties:
        check_property(subject.model, stated)
    items = []
    for i, stated in enumerate(properties):
        watch(i, len(properties))
        found = subject.explainer.verify(stated, **within(clock, len(properties) - i))
        items.append(_item(subject, found, stated))
    watch(len(properties), len(properties))
    return {"stated": True, "items": items}


def default_properties(
    subject: ReportSubject, alone: Sensitivity, clock: Clock, watch: SectionWatch
) -> dict[str, Any]:
    """What each feature may do alone; those that matter most come first, so that they get their time."""
    verifier = _asked_by_default(subject)
    shown = with_evidence(subject, alone, _part(clock, 4))
    found = {stated: tried for stated in verifier if (tried := _tried(subject, stated, shown)) is not None}
    open_ = [stated for stated in verifier if stated not in found]
    for i, stated in enumerate(open_):
        watch(len(verifier) - len(open_) + i, len(verifier))
        found[stated] = _implied(subject, stated, found) or _verified(subject, stated, clock, len(open_) - i)
    watch(len(verifier), len(verifier))
    by_importance = sorted(verifier, key=lambda stated: not isinstance(stated, IndependentOf))
    items = [_item(subject, found[stated], stated) for stated in by_importance]
    return {"stated": False, "ordered": is_ordered(subject), "items": items}


def _verified(
    subject: ReportSubject, stated: IndependentOf | Monotone, clock: Clock, parts: int
) -> Verification:
    """The answer of the model, unless the time limit has passed: asking alone takes some."""
    if clock.expired():
        note = "there was no time left to ask"
        return Verification(_claim(subject, stated), Outcome.UNDECIDED, subject.context, note=note)
    return subject.explainer.verify(stated, **within(clock, parts))


def _part(clock: Clock, parts: int) -> Clock:
    return Clock(None if clock.limit is None else clock.left() / parts, clock.work_limit)


def is_ordered(subject: ReportSubject) -> bool:
    """Whether the decisions go up: two classes, or levels of a prediction."""
    return len(subject.context.class_names) == 2 or bool(subject.model.ensemble.cuts)


def _asked_by_default(subject: ReportSubject) -> list[IndependentOf | Monotone]:
    """The questions, in an order in which an answer may spare a later one."""
    variables = subject.context.variables
    importance = subject.model.subject.importance
    ranked = [variables[j] for j in sorted(range(len(variables)), key=lambda j: -importance[j])]
    verifier: list[IndependentOf | Monotone] = []
    for x in ranked:
        if is_ordered(subject) and x.ordered > 1:
            verifier += [_monotone(subject, x.name, "increasing"), _monotone(subject, x.name, "decreasing")]
    return [*verifier, *(IndependentOf((x.name,)) for x in ranked)]


def _monotone(subject: ReportSubject, name: str, direction: Direction) -> Monotone:
    """That decisions go one way with a feature; of two, the second one is gained: both ways are asked about."""
    classes = subject.context.class_names
    return Monotone(name, direction, classes[-1] if len(classes) == 2 else None)


def _implied(
    subject: ReportSubject,
    stated: IndependentOf | Monotone,
    found: dict[IndependentOf | Monotone, Verification],
) -> Verification | None:
    """That decisions depend on a feature, if rows show that they go down or up with it."""
    if isinstance(stated, Monotone):
        return None
    name = stated.features[0]
    ways: tuple[Direction, ...] = ("increasing", "decreasing")
    shown = (found.get(_monotone(subject, name, way)) for way in ways)
    broken = next((one for one in shown if one is not None and one.outcome is Outcome.FAILS), None)
    return None if broken is None else replace(broken, claim=_claim(subject, stated), breaking=None)


def _tried(
    subject: ReportSubject, stated: IndependentOf | Monotone, shown: dict[str, Alone]
) -> Verification | None:
    """That a property fails, shown by rows that were tried; None if they do not show it."""
    name = stated.feature if isinstance(stated, Monotone) else stated.features[0]
    step = _step(shown[name], stated)
    if step is None:
        return None
    lower, upper = step[1:]
    # As `verify` gives them: of a feature that goes down, the upper value comes first.
    values = (
        (upper, lower)
        if isinstance(stated, Monotone) and stated.direction == "decreasing"
        else (lower, upper)
    )
    rows = [_row(subject, step[0], name, value) for value in values]
    verifier = Verifier(subject.model, Clock())
    failing = verifier.failing(_claim(subject, stated), rows, lambda found: found[0] != found[1])
    return failing if failing.outcome is Outcome.FAILS else None


def _claim(subject: ReportSubject, stated: IndependentOf | Monotone) -> Claim:
    """What is asked, as `verify` says it."""
    return stated.claim(prepare_property(subject.model, stated)[1])


def _step(alone: Alone, stated: IndependentOf | Monotone) -> FlippingStep | None:
    if isinstance(stated, IndependentOf):
        return alone.change
    return alone.drop if stated.direction == "increasing" else alone.rise


def _row(subject: ReportSubject, row: NDArray[np.float64], name: str, value: int) -> NDArray[np.float64]:
    """A row with another value of one feature, in short numbers where no order between features is at stake."""
    domain, names = subject.model.domain, [x.name for x in subject.context.variables]
    j = names.index(name)
    own = domain.point(row)
    if not domain.knowledge.orders:
        return subject.context.cells.row_at((*own[:j], value, *own[j + 1 :]), row, own)
    changed: NDArray[np.float64] = row.copy()
    if own[j] != value:
        domain.seen[j].write(changed, value)
    return changed


def _item(subject: ReportSubject, found: Verification, stated: object) -> dict[str, Any]:
    """The record of an outcome, with what kind of question it answers."""
    for row, decision in zip(found.witnesses, found.decisions, strict=True):
        if decision in subject.context.class_names:
            subject.evidence.add(row, decision)
    record = {key: value for key, value in found.to_dict().items() if key != "model"}
    kind, features = _kind(stated)
    return record | {"kind": kind, "features": features, "claim": found.claim.holds}


def _kind(stated: object) -> tuple[str, list[str]]:
    """What kind of property it is, and about which features."""
    if isinstance(stated, Monotone):
        return stated.direction, [stated.feature]
    return ("independent", list(stated.features)) if isinstance(stated, IndependentOf) else ("stated", [])
