"""What all sections of a report share: the model, its rows, and the evidence that is collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from primewood.apps.report.budget import Limits, SectionWatch, TimeBudget
from primewood.apps.report.records import CertificateEntry, FeatureChanges, RowsOrigin
from primewood.apps.report.rows import AuditedRows, decide_rows, label_rows
from primewood.apps.report.settings import ReportSettings
from primewood.errors import InvalidInput, NoCertificate

if TYPE_CHECKING:
    from primewood.domain import Domain


@dataclass(frozen=True)
class Evidence:
    """Rows that the report shows, each with its reported decision; collected while sections are made."""

    rows: list[tuple[float, ...]] = field(default_factory=list)
    decisions: list[object] = field(default_factory=list)

    def add(self, row: Sequence[float], decision: object) -> None:
        """Keep a row and its decision."""
        self.rows.append(tuple(row))
        self.decisions.append(decision)


class Certifiable(Protocol):
    """An answer that can have a certificate."""

    def certificate(self, time_limit: float | None = ...) -> pw.Certificate:
        """Write the certificate; raises `NoCertificate`."""


@dataclass(frozen=True)
class Certificates:
    """The certificates of answers in the report, each with what it is about; collected while sections are made."""

    entries: list[CertificateEntry] = field(default_factory=list)
    written: dict[str, pw.Certificate] = field(default_factory=dict)

    def add(self, about: str, answer: Certifiable, seconds: float | None) -> None:
        """Write the certificate of an answer, or keep why there is none."""
        try:
            certificate = answer.certificate(seconds)
        except NoCertificate as problem:
            self.entries.append({"about": about, "sha256": None, "reason": str(problem)})
            return
        self.written[certificate.digest] = certificate
        self.entries.append({"about": about, "sha256": certificate.digest, "reason": None})


@dataclass(frozen=True)
class ReportSubject:
    """What a report is about.

    Attributes
    ----------
    explainer : Explainer
    counting : Explainer
        The same with rows to count and to measure ranges by: the training rows, else those that the report is about.
    ensemble : Ensemble
    domain : Domain
    audited : AuditedRows
    settings : ReportSettings
    evidence : Evidence
    certificates : Certificates
    """

    explainer: pw.Explainer
    counting: pw.Explainer
    ensemble: pw.Ensemble
    domain: Domain
    audited: AuditedRows
    settings: ReportSettings
    evidence: Evidence = field(default_factory=Evidence)
    certificates: Certificates = field(default_factory=Certificates)

    @property
    def class_names(self) -> tuple[object, ...]:
        """The names of the decisions."""
        return self.explainer.class_names

    @property
    def has_training_rows(self) -> bool:
        """Whether the explainer has rows of its own."""
        return len(self.explainer.rows) > 0

    @property
    def counting_source(self) -> RowsOrigin:
        """Which rows things are counted over: "training" or "given"."""
        return "training" if self.has_training_rows else "given"

    @cached_property
    def assumptions(self) -> list[str]:
        """What is assumed about rows."""
        return list(dict.fromkeys((*self.domain.assumptions, *self.domain.knowledge.list_all())))

    def keep(self, row: Sequence[float] | None, decision: object) -> None:
        """Keep a row as evidence; one whose decision depends on the order of summation proves nothing."""
        if row is not None and decision in self.class_names:
            self.evidence.add(row, decision)

    def certify(self, about: str, answer: Certifiable, limits: Limits) -> None:
        """Write the certificate of an answer, if certificates are wanted."""
        if self.settings.certificates:
            self.certificates.add(about, answer, limits["time_limit"])

    def describe_changes(self, old: Sequence[float] | None, new: Sequence[float] | None) -> FeatureChanges:
        """Per feature in which two rows differ, what each of them holds, in words; nothing without two rows."""
        if old is None or new is None:
            return {}
        before, after = (self.explainer.describe_row(np.array(row)) for row in (old, new))
        return {name: [before[name], after[name]] for name in before if before[name] != after[name]}


def build_subject(
    explainer: pw.Explainer, X: Any, settings: ReportSettings, budget: TimeBudget, _watch: SectionWatch
) -> ReportSubject:
    """What a report is about: the rows that are given, else the training rows, with their decisions."""
    ensemble, domain = explainer.ensemble, explainer.domain
    if ensemble is None or domain is None:
        raise InvalidInput("reports are about rows of a model; an expression has none")
    given = explainer if X is None else explainer.replace_rows(X)
    rows = given.rows if len(given.rows) else np.empty((0, ensemble.n_features))
    if X is not None and not len(rows):
        raise InvalidInput("X has no rows; leave it out to report on the training rows")
    decided, margins = decide_rows(ensemble, domain, rows, budget)
    source = _name_source(explainer, X, rows)
    audited = AuditedRows(rows, label_rows(X, len(rows)), source, decided, margins)
    counting = explainer if len(explainer.rows) else given
    return ReportSubject(explainer, counting, ensemble, domain, audited, settings)


def _name_source(explainer: pw.Explainer, X: Any, rows: NDArray[np.float64]) -> RowsOrigin:
    if not len(rows):
        return "none"
    same = X is None or np.array_equal(rows, explainer.rows, equal_nan=True)
    return "training" if same else "given"
