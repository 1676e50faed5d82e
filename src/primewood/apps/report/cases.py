"""The decisions that a report explains one by one: why, and what would change them."""

from __future__ import annotations

from collections import Counter

import primewood as pw
from primewood.apps.report.budget import Limits, SectionWatch, TimeBudget, divide
from primewood.apps.report.records import CaseRecord, CaseScore, CasesSection, FewestFeaturesRecord
from primewood.apps.report.rows import find_rows
from primewood.apps.report.subject import ReportSubject
from primewood.errors import InvalidInput
from primewood.render.records import CounterfactualRecord, ExplanationRecord


def explain_cases(subject: ReportSubject, budget: TimeBudget, watch: SectionWatch) -> CasesSection:
    """Rows with the reasons for their decisions, and with what would change them."""
    chosen = _choose_rows(subject)
    items = []
    for i, (place, why) in enumerate(chosen):
        watch(i, len(chosen))
        items.append(_explain_case(subject, place, why, budget.limit(1 / (len(chosen) - i))))
    watch(len(chosen), len(chosen))
    return {
        "asked_for": subject.settings.rows is not None,
        "literal_language": subject.settings.literals,
        "statuses": dict(Counter(item["why"]["status"] for item in items if "why" in item)),
        "items": items,
    }


def _choose_rows(subject: ReportSubject) -> list[tuple[int, str]]:
    """The rows that are asked for, or a choice; each with why it is there."""
    settings, audited = subject.settings, subject.audited
    if settings.rows is None:
        return audited.choose(settings.explain, settings.seed)
    return [(place, "asked for") for place in find_rows(settings.rows, len(audited.rows))]


def _explain_case(subject: ReportSubject, place: int, chosen: str, limits: Limits) -> CaseRecord:
    """One row: half of the time for the reason, a quarter each for the two ways to change the decision."""
    explainer, row = subject.explainer, subject.audited.rows[place]
    label = subject.audited.labels[place]
    limits = (
        divide(limits, 2) if subject.settings.certificates else limits
    )  # the other half is for certificates
    half, quarter = divide(limits, 2), divide(limits, 4)
    try:
        why = explainer.explain(row, literals=subject.settings.literals, **half)
    except InvalidInput as problem:  # the domain does not allow the row
        return {"row": place, "label": label, "chosen": chosen, "problem": str(problem)}
    nearest = explainer.counterfactual(row, **quarter)
    subject.certify(f"row {label}: the explanation", why, half)
    subject.certify(f"row {label}: the nearest row with a different decision", nearest, half)
    return {
        "row": place,
        "label": label,
        "chosen": chosen,
        "problem": None,
        "score": _score_row(subject, place),
        "why": _record_reason(subject, why),
        "fewest": _record_fewest(subject, explainer.contrast(row, **quarter)),
        "nearest": _record_nearest(subject, nearest),
    }


def _score_row(subject: ReportSubject, place: int) -> CaseScore:
    """The number that the decision on a row comes from, and what it is."""
    ensemble, audited = subject.ensemble, subject.audited
    column = -1 if ensemble.cuts else int(audited.decided[place])
    values = ensemble.predict_proba(audited.rows[place][None, :])
    return {"what": _name_score(subject, column), "value": float(values[0, column])}


def _name_score(subject: ReportSubject, column: int) -> str:
    """What a score is, in words."""
    ensemble, name = subject.ensemble, subject.class_names[column]
    if ensemble.predicts_number:
        return "prediction"
    if ensemble.vote == "majority":
        return f"share of the trees that vote for {name}"
    if ensemble.vote == "sum" and ensemble.link == "identity":
        return f"score of {name}"
    return f"probability of {name}"


def _record_reason(subject: ReportSubject, why: pw.Explanation) -> ExplanationRecord:
    """The record of an explanation with its witnesses."""
    for witness in why.witnesses:
        subject.keep(witness.row, witness.decision)
    return why.to_dict(witnesses=True, in_short=True)


def _record_fewest(subject: ReportSubject, found: pw.answers.Contrast) -> FewestFeaturesRecord:
    """The fewest features that change the decision, with a row that shows it."""
    subject.keep(found.changed, found.other)
    changes = subject.describe_changes(found.row, found.changed)
    return {**found.to_dict(), "features": list(found.features), "changes": changes}


def _record_nearest(subject: ReportSubject, found: pw.answers.Counterfactual) -> CounterfactualRecord:
    """The nearest row that gets a different decision."""
    subject.keep(found.row, found.other)
    return {**found.to_dict(), "changes": subject.describe_changes(found.asked, found.row)}
