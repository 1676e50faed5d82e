"""Properties of the whole model: those that the user states, or by default what each feature may do.

By default each feature is asked about alone: whether the decision is independent of it, and, where the decisions and
the feature have an order, whether it only goes up or only goes down with it. Rows that were tried already
(`Sensitivity`) answer many of these with "fails" at once; what they leave open is searched for, or proved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from primewood.apps.report.budget import SectionWatch, TimeBudget, divide
from primewood.apps.report.features import FeatureAlone, FlippingStep, Sensitivity, include_evidence
from primewood.apps.report.records import PropertiesSection, PropertyRecord
from primewood.apps.report.subject import ReportSubject
from primewood.model.row_in_cell import Cells
from primewood.render.records import plain

DIRECTIONS: tuple[Literal["increasing"], Literal["decreasing"]] = ("increasing", "decreasing")


@dataclass(frozen=True)
class PropertyAnswer:
    """A property with its outcome, and the rows that show it with their decisions."""

    record: PropertyRecord
    witnesses: tuple[tuple[float, ...], ...] = ()
    decisions: tuple[object, ...] = ()


@dataclass(frozen=True)
class FeatureQuestion:
    """What is asked about one feature alone."""

    feature: str
    kind: Literal["independent", "increasing", "decreasing"]


def verify_stated(subject: ReportSubject, budget: TimeBudget, watch: SectionWatch) -> PropertiesSection:
    """The properties that the user states, each with its outcome and the rows that show it."""
    stated = subject.settings.properties
    items = []
    for i, each in enumerate(stated):
        watch(i, len(stated))
        items.append(_keep(subject, _verify(subject, each, budget, len(stated) - i)))
    watch(len(stated), len(stated))
    return {"stated": True, "items": items}


def verify_features(
    subject: ReportSubject, alone: Sensitivity, budget: TimeBudget, watch: SectionWatch
) -> PropertiesSection:
    """What each feature may do alone; those that matter most come first, so that they get their time."""
    questions = _list_questions(subject)
    shown = include_evidence(subject, alone, budget.take(1 / 4))
    cells = _find_cells(subject)
    tried = {one: _show_failure(subject, cells, one, shown[one.feature]) for one in questions}
    found = {one: answer for one, answer in tried.items() if answer is not None}
    open_ = [one for one in questions if one not in found]
    for i, one in enumerate(open_):
        watch(len(questions) - len(open_) + i, len(questions))
        found[one] = _infer_failure(subject, one, found) or _ask(subject, one, budget, len(open_) - i)
    watch(len(questions), len(questions))
    listed = sorted(questions, key=lambda one: one.kind != "independent")
    items = [_keep(subject, found[one]) for one in listed]
    return {"stated": False, "ordered": _is_ordered(subject), "items": items}


def _keep(subject: ReportSubject, answer: PropertyAnswer) -> PropertyRecord:
    """The record of an answer, whose rows become evidence."""
    for row, decision in zip(answer.witnesses, answer.decisions, strict=True):
        subject.keep(row, decision)
    return answer.record


def _is_ordered(subject: ReportSubject) -> bool:
    """Whether the decisions go up: two classes, or levels of a prediction."""
    return len(subject.class_names) == 2 or bool(subject.ensemble.cuts)


def _list_questions(subject: ReportSubject) -> list[FeatureQuestion]:
    """What is asked by default, in an order in which an answer may spare a later one."""
    domain, importance = subject.domain, subject.ensemble.importance
    weights = [float(importance[list(feature.columns)].sum()) for feature in domain.seen]
    ranked = [domain.variables[j] for j in sorted(range(len(weights)), key=lambda j: -weights[j])]
    ordered = [x for x in ranked if _is_ordered(subject) and x.ordered > 1]
    one_way = [FeatureQuestion(x.name, direction) for x in ordered for direction in DIRECTIONS]
    return [*one_way, *(FeatureQuestion(x.name, "independent") for x in ranked)]


def _state(subject: ReportSubject, question: FeatureQuestion) -> object:
    """A question as a property; of two decisions, the second one is gained: both ways are asked about."""
    if question.kind == "independent":
        return pw.independent_of(question.feature)
    target = subject.class_names[-1] if len(subject.class_names) == 2 else None
    return pw.monotone(question.feature, question.kind, target)


def _ask(subject: ReportSubject, question: FeatureQuestion, budget: TimeBudget, parts: int) -> PropertyAnswer:
    """The answer of the model, unless the time limit has passed: asking alone takes some."""
    if budget.is_spent:
        return _answer(subject, question, pw.answers.Outcome.UNDECIDED, note="there was no time left to ask")
    return _verify(subject, _state(subject, question), budget, parts)


def _verify(subject: ReportSubject, stated: object, budget: TimeBudget, parts: int) -> PropertyAnswer:
    """The outcome of verifying a property within a part of the time."""
    limits = budget.limit(1 / parts)
    limits = (
        divide(limits, 2) if subject.settings.certificates else limits
    )  # the other half is for certificates
    found = subject.explainer.verify(stated, **limits)
    record = found.to_dict()
    if found.holds:
        subject.certify(record["property"], found, limits)
    return PropertyAnswer(
        {
            "property": record["property"],
            "outcome": record["outcome"],
            "words": record["words"],
            "breaking": record["breaking"],
            "witnesses": record["witnesses"],
            "shown": record["shown"],
            "decisions": record["decisions"],
            "scores": record["scores"],
            "differ_in": record["differ_in"],
            "proved": record["proved"],
            "note": record["note"],
            "assumptions": record["assumptions"],
            "kind": found.claim.kind,
            "features": list(found.claim.features),
            "claim": found.claim.holds,
        },
        found.witnesses,
        found.decisions,
    )


def _answer(
    subject: ReportSubject,
    question: FeatureQuestion,
    outcome: pw.answers.Outcome,
    rows: tuple[tuple[float, ...], ...] = (),
    note: str = "",
) -> PropertyAnswer:
    """An outcome that was found without asking the model."""
    claim, explainer = subject.explainer.check_property(_state(subject, question)), subject.explainer
    scores = [explainer.score(np.array(row)) for row in rows]
    decisions = (
        tuple(subject.class_names[place] for place in subject.ensemble.predict(np.array(rows)))
        if rows
        else ()
    )
    return PropertyAnswer(
        {
            "property": claim.name,
            "outcome": str(outcome),
            "words": claim.sentence(outcome),
            "breaking": None,
            "witnesses": [[None if x != x else x for x in row] for row in rows],
            "shown": [explainer.describe_row(np.array(row)) for row in rows],
            "decisions": [plain(decision) for decision in decisions],
            "scores": [None if score is None else score.to_dict() for score in scores],
            "differ_in": [question.feature] if rows else [],
            "proved": 0.0,
            "note": note,
            "assumptions": subject.assumptions,
            "kind": claim.kind,
            "features": list(claim.features),
            "claim": claim.holds,
        },
        rows,
        decisions,
    )


def _infer_failure(
    subject: ReportSubject, question: FeatureQuestion, found: dict[FeatureQuestion, PropertyAnswer]
) -> PropertyAnswer | None:
    """That decisions depend on a feature, if rows show that they go down or up with it."""
    if question.kind != "independent":
        return None
    one_way = (found.get(FeatureQuestion(question.feature, direction)) for direction in DIRECTIONS)
    broken = next((one for one in one_way if one is not None and one.record["outcome"] == "fails"), None)
    if broken is None:
        return None
    claim = subject.explainer.check_property(_state(subject, question))
    record: PropertyRecord = {
        **broken.record,
        "property": claim.name,
        "words": claim.sentence(pw.answers.Outcome.FAILS),
        "breaking": None,
        "kind": claim.kind,
        "features": list(claim.features),
        "claim": claim.holds,
    }
    return replace(broken, record=record)


def _show_failure(
    subject: ReportSubject, cells: Cells, question: FeatureQuestion, alone: FeatureAlone
) -> PropertyAnswer | None:
    """That a property fails, shown by rows that were tried; None if they do not show it."""
    step = {"independent": alone.change, "increasing": alone.drop, "decreasing": alone.rise}[question.kind]
    if step is None:
        return None
    # As `verify` gives them: of a feature that goes down, the upper value comes first.
    values = (step.second, step.first) if question.kind == "decreasing" else (step.first, step.second)
    rows = np.array([_move(subject, cells, step, question.feature, value) for value in values])
    if len(set(subject.ensemble.predict(rows).tolist())) == 1:
        return None
    return _answer(subject, question, pw.answers.Outcome.FAILS, tuple(map(tuple, rows.tolist())))


def _find_cells(subject: ReportSubject) -> Cells:
    """What makes rows of other cells, with numbers of the training rows where possible."""
    rows = subject.explainer.rows if subject.has_training_rows else None
    return Cells(subject.domain, rows, None if rows is None else subject.domain.points(rows))


def _move(
    subject: ReportSubject, cells: Cells, step: FlippingStep, name: str, value: int
) -> NDArray[np.float64]:
    """A row with another value of one feature, in short numbers where no order between features is at stake."""
    domain, row = subject.domain, step.row
    j = [x.name for x in domain.variables].index(name)
    own = domain.point(row)
    if not domain.knowledge.orders:
        return cells.row_at((*own[:j], value, *own[j + 1 :]), row, own)
    changed: NDArray[np.float64] = row.copy()
    if own[j] != value:
        domain.seen[j].write(changed, value)
    return changed
