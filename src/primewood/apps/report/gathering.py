"""Gathering a report: section after section, each with its share of the time that is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from primewood.apps.report.settings import Settings, listed
from primewood.apps.report.subject import Subject, Watch, unwatched
from primewood.apps.report.usage import usage
from primewood.arguments import clock_of
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.language import Language
from primewood.progress import Progress, say

if TYPE_CHECKING:
    from primewood.explainer.explainer import Explainer

T = TypeVar("T")
Watcher = Callable[[str, int, int], None]
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
    X: Any = None,
    *,
    rows: Sequence[int] | None = None,
    explain: int = 8,
    sample: int = 100,
    answers: Any = None,
    properties: Sequence[object] = (),
    literals: Language | None = None,
    title: str | None = None,
    time_limit: float | None = 60.0,
    work_limit: int | None = None,
    seed: int = 0,
    watcher: Watcher | None = None,
    progress: bool | None = None,
) -> Report:
    """Everything that an auditor asks about a model, as one report.

    Parameters
    ----------
    explainer
        Of a model that decides; an expression has no rows to report on.
    X
        The rows to report on; by default the training rows.
    rows
        The numbers of rows of X to explain one by one; by default a choice of some of each decision.
    explain
        How many rows to choose, if `rows` does not say which.
    sample
        How many rows to draw for what is counted over rows: feature use, robustness, what features do alone.
    answers
        Explanations that there are already, for feature use to be counted over all of them instead of a sample that is
        explained anew: a folder that `explain_file` has written, its `overview`, or a `Batch`; of the same model.
    properties
        What to verify: texts such as "age < 18 -> not approved", or properties such as ``pw.monotone("income")``. By
        default, what each feature may do alone.
    literals
        The language of the explanations; by default the explainer's.
    title
        The title of the report.
    time_limit
        Seconds for the whole report, or None. What is not decided in time is said to be so.
    work_limit
        The same, counted in nodes of each search; with ``time_limit=None`` the report is the same each time,
        dates and timings aside.
    seed
        Of all draws.
    watcher
        Called with a section, how many of its things are done, and how many there are.
    progress
        Whether to show what a watcher is told; by default what the explainer says.
    """
    literals = explainer.literals if literals is None else literals
    settings = Settings(rows, explain, sample, listed(properties), literals, time_limit, work_limit, seed)
    settings.check()
    _check(explainer)
    with Progress("reporting", explainer.progress if progress is None else progress):
        making = Making(clock_of(time_limit, work_limit), watcher or _say_section)
        settings = replace(settings, answers=answers_of(answers, explainer._context))
        audited = making.section("rows", lambda clock, _: audited_rows(explainer, X, clock))
        subject = Subject(explainer, audited, seed, literals)
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
    explainer._check_rows("reports")
    explainer._check_decides()
    engine = explainer._engines.engine
    if engine in ("bdd", "sat"):
        raise InvalidInput(
            f'a report asks what engine="{engine}" does not answer; take "auto", "search" or "diagram"'
        )


def _sections(subject: Subject, settings: Settings, making: Making) -> dict[str, Any]:
    """The sections of the report, made in an order in which what is cheap leaves time for what is not."""
    if settings.rows is not None:
        asked_for(settings.rows, len(subject.audited.rows))
    drawn = subject.audited.sample(settings.sample, settings.seed)
    stated = {"properties": partial(stated_properties, subject, settings.properties)}
    # A property with a name that does not exist is an error: one wants to know soon.
    found = {name: making.section(name, make) for name, make in stated.items() if settings.properties}
    alone = making.section("sensitivity", partial(sensitivity, subject, drawn))
    sections: dict[str, Callable[[Clock, Watch], dict[str, Any]]] = {
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


class Making:
    """The time of a report, shared out among its sections as they come.

    Attributes
    ----------
    seconds : dict
        How long each section took.
    """

    def __init__(self, clock: Clock, watcher: Watcher | None) -> None:
        self.clock, self.watcher = clock, watcher
        self.seconds: dict[str, float] = {}

    def section(self, name: str, make: Callable[[Clock, Watch], T]) -> T:
        """A section, made within its share of the time that is left."""
        waiting = sum(share for other, share in SHARES.items() if other not in self.seconds)
        limit = None if self.clock.limit is None else self.clock.left() * SHARES[name] / waiting
        clock = Clock(limit, self.clock.work_limit)
        made = make(clock, partial(self.watcher, name) if self.watcher else unwatched)
        self.seconds[name] = Clock().start - clock.start
        return made
