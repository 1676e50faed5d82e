"""The decisions that a report explains one by one: why, and what would change them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from primewood.apps.report.rows import asked_for
from primewood.apps.report.subject import ReportSubject, SectionWatch, within
from primewood.engines.protocol import Clock
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput
from primewood.questions.contrast import Contrast
from primewood.questions.counterfactual import Counterfactual
from primewood.questions.explanation import Explanation
from primewood.render.records import ExplanationRecord, plain


def cases(subject: ReportSubject, rows: Any, count: int, clock: Clock, watch: SectionWatch) -> dict[str, Any]:
    """Rows with the reasons for their decisions, and with what would change them.

    Parameters
    ----------
    rows
        The numbers of the rows to explain; None for a choice of `count` rows.
    """
    audited = subject.audited
    if rows is None:
        chosen = audited.telling(count, subject.seed)
    else:
        chosen = [(place, "asked for") for place in asked_for(rows, len(audited.rows))]
    items = []
    for i, (place, why) in enumerate(chosen):
        watch(i, len(chosen))
        items.append(_case(subject, place, why, within(clock, len(chosen) - i)))
    watch(len(chosen), len(chosen))
    explained = [item for item in items if item["problem"] is None]
    return {
        "asked_for": rows is not None,
        "literal_language": subject.literals,
        "statuses": dict(Counter(item["why"]["status"] for item in explained)),
        "items": items,
    }


def _case(subject: ReportSubject, place: int, chosen: str, limits: dict[str, Any]) -> dict[str, Any]:
    """One row: half of the time for the reason, a quarter each for the two ways to change the decision."""
    explainer, row = subject.explainer, subject.audited.rows[place]
    facts = {"row": place, "label": plain(subject.audited.labels[place]), "chosen": chosen}
    half, quarter = _part(limits, 2), _part(limits, 4)
    try:
        why = explainer.explain(row, literals=subject.literals, **half)
    except InvalidInput as problem:  # the domain does not allow the row
        return facts | {"problem": str(problem)}
    return facts | {
        "problem": None,
        "score": score(subject, place),
        "why": _reason(subject, why),
        "fewest": _fewest(subject, explainer.contrast(row, **quarter)),
        "nearest": _nearest(subject, explainer.counterfactual(row, **quarter)),
    }


def _part(limits: dict[str, Any], parts: int) -> dict[str, Any]:
    seconds = limits["time_limit"]
    return limits | {"time_limit": None if seconds is None else seconds / parts}


def score(subject: ReportSubject, place: int) -> dict[str, Any]:
    """The number that the decision on a row comes from, and what it is."""
    ensemble = subject.model.ensemble
    column = -1 if ensemble.cuts else int(subject.audited.decided[place])
    values = ensemble.predict_proba(subject.audited.rows[place][None, :])
    return {"what": _meaning(subject, ensemble, column), "value": float(values[0, column])}


def _meaning(subject: ReportSubject, ensemble: Ensemble, column: int) -> str:
    """What a score is, in words."""
    if subject.is_regressor:
        return "prediction"
    name = subject.context.class_names[column]
    if ensemble.vote == "majority":
        return f"share of the trees that vote for {name}"
    if ensemble.vote == "sum" and ensemble.link == "identity":
        return f"score of {name}"
    return f"probability of {name}"


def _reason(subject: ReportSubject, why: Explanation) -> ExplanationRecord:
    """The record of an explanation with its witnesses."""
    for witness in why.witnesses:
        subject.evidence.add(witness.row, witness.decision)
    return why.to_dict(witnesses=True)


def _fewest(subject: ReportSubject, found: Contrast) -> dict[str, Any]:
    """The fewest features that change the decision, with a row that shows it."""
    if found.changed is not None and found.row is not None:
        subject.evidence.add(found.changed, found.other)
        changes = subject.changes(found.row, found.changed)
    else:
        changes = {}
    return found.to_dict() | {"features": list(found.features), "changes": changes}


def _nearest(subject: ReportSubject, found: Counterfactual) -> dict[str, Any]:
    """The nearest row that gets a different decision."""
    if found.row is not None:
        subject.evidence.add(found.row, found.other)
    changes = {} if found.row is None else subject.changes(found.asked, found.row)
    return found.to_dict() | {"changes": changes}
