"""A report as one object: its record, and the ways to keep it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import primewood as pw
from primewood.apps.report.records import ReportRecord
from primewood.errors import InvalidInput
from primewood.fields import file_path
from primewood.files import write_whole
from primewood.visible import Readable, join_lines


@dataclass(frozen=True, repr=False)
class Report(Readable):
    """Everything that was found about a model, in plain types.

    Attributes
    ----------
    record : ReportRecord
        Everything that the page shows; floats are exact, None stands for missing or unbounded.
    ensemble : Ensemble or None
        With certificates: what they are about.
    certificates : mapping from SHA-256 to Certificate
        The certificates that the page names; none unless they were asked for.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> report = explainer.report(X[:10], explain=1, sample=2, time_limit=None)
    >>> report.title
    'Audit of a scikit-learn DecisionTreeClassifier'
    >>> report.to_dict()["model"]["classes"]
    ['setosa', 'versicolor', 'virginica']
    """

    record: ReportRecord
    ensemble: pw.Ensemble | None = None
    certificates: Mapping[str, pw.Certificate] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title of the report."""
        return str(self.record["title"])

    def to_dict(self) -> ReportRecord:
        """The record itself."""
        return self.record

    def to_json(self) -> str:
        """The record as text that other programs read."""
        return json.dumps(self.record, ensure_ascii=False, allow_nan=False, indent=1)

    def to_html(self) -> str:
        """The whole page: one file without scripts that opens offline and prints well."""
        from primewood.apps.report.page import render_page

        return render_page(self.record)

    def save(self, path: str | Path) -> None:
        """Write the page (``.html``) or the record (``.json``); the file is written atomically."""
        target = file_path(path)
        make = {".html": self.to_html, ".htm": self.to_html, ".json": self.to_json}.get(target.suffix.lower())
        if make is None:
            raise InvalidInput(f"a report is saved as .html or as .json, not as {target.name}")
        text = make()
        write_whole(target, lambda file: file.write(text.encode("utf-8")))

    def save_certificates(self, folder: str | Path) -> None:
        """Write the certificates, each named by its SHA-256, and the ensemble file that they are about.

        Parameters
        ----------
        folder
            It is made if it does not exist.

        Raises
        ------
        InvalidInput
            If the report was made without certificates.
        """
        if self.ensemble is None:
            raise InvalidInput("this report has no certificates; pass certificates=True to report()")
        target = file_path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self.ensemble.save(target / "ensemble.json")
        for digest, certificate in self.certificates.items():
            certificate.save(target / f"{digest}.pwcert")

    def __repr__(self) -> str:
        return f"<Report: {self.title}>"

    def _repr_html_(self) -> str:
        from primewood.apps.report.page.words import summarise
        from primewood.render.html.answers import lines

        words = [*summarise(self.record), "save(path) writes the whole page."]
        return lines("Report", self.title, words, badge="Made")

    def __str__(self) -> str:
        from primewood.apps.report.page.limits import list_alarms, list_limits
        from primewood.apps.report.page.words import summarise

        record = self.record
        found = [f"  {words}" for words in [*list_alarms(record), *summarise(record)]]
        left_out = [f"  {words}" for words in list_limits(record)]
        return join_lines([self.title, *found, "not proved, not asked, or left out:", *left_out])
