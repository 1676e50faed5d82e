"""Gathering a report: section after section, each with its share of the time that is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from primewood.apps.report import model_section, provenance
from primewood.apps.report.answers import answers_of
from primewood.apps.report.cases import cases
from primewood.apps.report.property_section import default_properties, stated_properties
from primewood.apps.report.report import Report
from primewood.apps.report.robustness_section import robustness
from primewood.apps.report.rows import asked_for, audited_rows
from primewood.apps.report.rule_section import rules
from primewood.apps.report.sensitivity import sensitivity
from primewood.apps.report.settings import ReportSettings
from primewood.apps.report.subject import ReportSubject, SectionWatch, unwatched
from primewood.apps.report.usage import usage
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.progress import Progress, say

if TYPE_CHECKING:
    from primewood.explainer import Explainer

T = TypeVar("T")
ReportWatcher = Callable[[str, int, int], None]
"""Told the section that is being made, how many of its things are done, and how many there are."""
SHARES = {
    "rows": 1.0,
    "model": 1.0,
    "sensitivity": 1.0,
    "cases": 4.0,
    "properties": 5.0,
    "robustness": 2.0,
    "features": 2.0,
    "rules": 4.0,
}
"""The shares of the time; what one section leaves over, those that come after it have."""


def _say_section(section: str, done: int, total: int) -> None:
    """Show how far a report is."""
    say(f"reporting: {section}, {done:,} of {total:,}")


def gather(
    explainer: Explainer,
    X: Any,
    settings: ReportSettings,
    *,
    answers: Any = None,
    title: str | None = None,
    watcher: ReportWatcher | None = None,
    progress: bool | None = None,
) -> Report:
    """Everything that an auditor asks about a model, as one report; see `Explainer.report`."""
    settings.check()
    _check(explainer)
    with Progress("reporting", explainer.progress if progress is None else progress):
        making = ReportTime(Clock(settings.time_limit, settings.work_limit), watcher or _say_section)
        settings = replace(
            settings, answers=answers_of(answers, explainer._model.need_rows("reports").context)
        )
        audited = making.section("rows", lambda clock, _: audited_rows(explainer, X, clock))
        subject = ReportSubject(explainer, audited, settings.seed, settings.literals)
        found = _sections(subject, settings, making)
    return Report(
        {
            "format": "primewood report",
            "version": 1,
            "title": title or f"Audit of a {found['model']['model']}",
            **found,
            "confirmation": provenance.confirmation(subject),
            "made": provenance.made(subject, making.seconds) | {"settings": settings.to_dict()},
        }
    )


def _check(explainer: Explainer) -> None:
    model = explainer._model.need_rows("reports")
    model.check_decides()
    engine = model.engines.engine
    if engine in ("bdd", "sat"):
        raise InvalidInput(
            f'a report asks what engine="{engine}" does not answer; take "auto", "search" or "diagram"'
        )


def _sections(subject: ReportSubject, settings: ReportSettings, making: ReportTime) -> dict[str, Any]:
    """The sections of the report, made in an order in which what is cheap leaves time for what is not."""
    if settings.rows is not None:
        asked_for(settings.rows, len(subject.audited.rows))
    drawn = subject.audited.sample(settings.sample, settings.seed)
    stated = {"properties": partial(stated_properties, subject, settings.properties)}
    # A property with a name that does not exist is an error: one wants to know soon.
    found = {name: making.section(name, make) for name, make in stated.items() if settings.properties}
    alone = making.section("sensitivity", partial(sensitivity, subject, drawn))
    sections: dict[str, Callable[[Clock, SectionWatch], dict[str, Any]]] = {
        "model": partial(model_section.model, subject),
        "cases": partial(cases, subject, settings.rows, settings.explain),
        "robustness": partial(robustness, subject, drawn),
        "properties": partial(default_properties, subject, alone),
        "features": partial(usage, subject, drawn, alone, settings.answers),
        "rules": partial(rules, subject),
    }
    for name, make in sections.items():
        if name not in found:
            found[name] = making.section(name, make)
    return {"model": found["model"], "rows": model_section.rows(subject), **found}


class ReportTime:
    """The time of a report, shared out among its sections as they come.

    Attributes
    ----------
    seconds : dict
        How long each section took.
    """

    def __init__(self, clock: Clock, watcher: ReportWatcher | None) -> None:
        self.clock, self.watcher = clock, watcher
        self.seconds: dict[str, float] = {}

    def section(self, name: str, make: Callable[[Clock, SectionWatch], T]) -> T:
        """A section, made within its share of the time that is left."""
        waiting = sum(share for other, share in SHARES.items() if other not in self.seconds)
        limit = None if self.clock.limit is None else self.clock.left() * SHARES[name] / waiting
        clock = Clock(limit, self.clock.work_limit)
        made = make(clock, partial(self.watcher, name) if self.watcher else unwatched)
        self.seconds[name] = Clock().start - clock.start
        return made
