"""What the model is, and the rows that the report is about."""

from __future__ import annotations

from primewood.apps.report.budget import SectionWatch, TimeBudget
from primewood.apps.report.records import ModelSection, RowsSection
from primewood.apps.report.subject import ReportSubject
from primewood.render.records import plain

COMPILING = 3.0
"""The most seconds that are spent on whether the model compiles."""


def describe_model(subject: ReportSubject, budget: TimeBudget, watch: SectionWatch) -> ModelSection:
    """The description of the model, with what it decides by."""
    watch(0, 1)
    left, rule = budget.take(1.0).seconds, subject.explainer.rule
    facts = subject.explainer.describe(
        time_limit=COMPILING if left is None else min(COMPILING, max(left, 0.1))
    )
    watch(1, 1)
    diagram = facts["diagram"]
    return {
        **facts,
        # How far a compilation came, and how quickly, differs from run to run.
        "diagram": {"compiles": diagram["compiles"], "nodes": diagram.get("nodes")},
        "threshold": rule.threshold,
        "between": None if rule.between is None else list(rule.between),
        "immutable": list(subject.explainer.immutable),
    }


def describe_rows(subject: ReportSubject) -> RowsSection:
    """The rows of the report and how the decisions are distributed over them."""
    audited = subject.audited
    return {
        "source": audited.source,
        "rows": len(audited.rows),
        "decided": len(audited.decided),
        "outside": int((audited.decided < 0).sum()),
        "training": len(subject.explainer.rows) if subject.has_training_rows else None,
        "decisions": [
            {"decision": plain(name), "rows": int((audited.decided == label).sum())}
            for label, name in enumerate(subject.class_names)
        ],
    }
