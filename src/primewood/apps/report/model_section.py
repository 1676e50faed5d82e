"""What the model is: its make, its decision, its features, and how faithfully it is read."""

from __future__ import annotations

from typing import Any

from primewood.apps.report.subject import ReportSubject, SectionWatch
from primewood.engines.protocol import Clock
from primewood.model.scales import instance_record
from primewood.properties.description import describe_model
from primewood.render.records import plain

COMPILING = 3.0
"""The most seconds that are spent on whether the model compiles."""


def model(subject: ReportSubject, clock: Clock, watch: SectionWatch) -> dict[str, Any]:
    """The description of the model, with how it decides and with its features."""
    watch(0, 1)
    explainer, domain = subject.explainer, subject.model.domain
    seconds = COMPILING if clock.limit is None else min(COMPILING, max(clock.left(), 0.1))
    facts = describe_model(subject.model, time_limit=seconds)
    # How far a compilation came, and how quickly, differs from run to run.
    facts["diagram"] = {"compiles": facts["diagram"]["compiles"], "nodes": facts["diagram"].get("nodes")}
    watch(1, 1)
    return facts | {
        "kind": "regressor" if subject.is_regressor else "classifier",
        "classes": [plain(name) for name in explainer.class_names],
        "threshold": explainer.rule.threshold,
        "between": None if explainer.rule.between is None else list(explainer.rule.between),
        "summation": "any" if subject.model.engines.any_order else "sequential",
        "may_be_missing": [feature.name for feature in domain.features if feature.missing],
        "immutable": list(explainer.immutable),
        "constraints": [rule.text for rule in domain.knowledge.rules],
        "scales": _scales(subject),
    }


def _scales(subject: ReportSubject) -> list[dict[str, Any]]:
    """Per feature its scale, its distribution in the training rows, and how finely the model tests it."""
    cells = {x.name: len(x) for x in subject.context.variables}
    left_out = ("value", "shown")
    return [
        {key: value for key, value in entry.items() if key not in left_out}
        | {"cells": cells.get(entry["feature"], 1)}
        for entry in instance_record(subject.context, None, distribution=True)
    ]


def rows(subject: ReportSubject) -> dict[str, Any]:
    """The rows of the report and how the decisions are distributed over them."""
    audited, names = subject.audited, subject.context.class_names
    training = subject.context.rows
    return {
        "source": audited.source,
        "rows": len(audited.rows),
        "decided": len(audited.decided),
        "outside": int((audited.decided < 0).sum()),
        "training": None if training is None else len(training),
        "decisions": [
            {"decision": plain(name), "rows": int((audited.decided == label).sum())}
            for label, name in enumerate(names)
        ],
    }
