"""Gathering a report: section after section, each with its share of the time that is left."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import primewood as pw
from primewood.apps.report.budget import ReportTime, ReportWatcher, TimeBudget
from primewood.apps.report.cases import explain_cases
from primewood.apps.report.features import count_feature_use, measure_sensitivity
from primewood.apps.report.model import describe_model, describe_rows
from primewood.apps.report.properties import verify_features, verify_stated
from primewood.apps.report.provenance import confirm_evidence, describe_making
from primewood.apps.report.records import ReportRecord
from primewood.apps.report.report import Report
from primewood.apps.report.robustness import measure_robustness
from primewood.apps.report.rows import find_rows
from primewood.apps.report.rules import grow_rules
from primewood.apps.report.settings import ReportSettings, read_answers
from primewood.apps.report.subject import ReportSubject, build_subject
from primewood.progress import Progress, say


def gather(
    explainer: pw.Explainer,
    X: Any,
    settings: ReportSettings,
    *,
    answers: Any = None,
    watcher: ReportWatcher | None = None,
    progress: bool | None = None,
) -> Report:
    """Everything that an auditor asks about a model, as one report; see `Explainer.report`."""
    settings.check()
    with Progress("reporting", explainer.progress if progress is None else progress):
        time = ReportTime(TimeBudget(settings.time_limit, settings.work_limit), watcher or _say_section)
        settings = replace(settings, answers=read_answers(answers, explainer))
        for stated in settings.properties:  # a name that does not exist is an error: one wants to know soon
            explainer.check_property(stated)
        subject = time.make("rows", partial(build_subject, explainer, X, settings))
        record = _gather_sections(subject, time)
        return Report(
            record, subject.ensemble if settings.certificates else None, subject.certificates.written
        )


def _say_section(section: str, done: int, total: int) -> None:
    """Show how far a report is."""
    say(f"reporting: {section}, {done:,} of {total:,}")


def _gather_sections(subject: ReportSubject, time: ReportTime) -> ReportRecord:
    """The sections of the report, made in an order in which what is cheap leaves time for what is not."""
    settings = subject.settings
    if settings.rows is not None:
        find_rows(settings.rows, len(subject.audited.rows))
    drawn = subject.audited.sample(settings.sample, settings.seed)
    stated = time.make("properties", partial(verify_stated, subject)) if settings.properties else None
    alone = time.make("sensitivity", partial(measure_sensitivity, subject, drawn))
    model = time.make("model", partial(describe_model, subject))
    cases = time.make("cases", partial(explain_cases, subject))
    robustness = time.make("robustness", partial(measure_robustness, subject, drawn))
    properties = stated or time.make("properties", partial(verify_features, subject, alone))
    features = time.make("features", partial(count_feature_use, subject, drawn, alone))
    rules = time.make("rules", partial(grow_rules, subject))
    return {
        "format": "primewood report",
        "version": 1,
        "title": settings.title or f"Audit of a {model['model']}",
        "model": model,
        "rows": describe_rows(subject),
        "cases": cases,
        "robustness": robustness,
        "properties": properties,
        "features": features,
        "rules": rules,
        "confirmation": confirm_evidence(subject),
        "certificates": subject.certificates.entries if settings.certificates else None,
        "made": describe_making(subject, time.seconds),
    }
