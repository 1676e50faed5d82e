"""With which settings a report is made, so that it can be made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import primewood as pw
from primewood.apps.report.records import SettingsRecord
from primewood.errors import InvalidInput, format_list

if TYPE_CHECKING:
    from primewood.logic.language import Language


@dataclass(frozen=True)
class ReportSettings:
    """What was asked for; see `Explainer.report`."""

    rows: Sequence[int] | None
    explain: int
    sample: int
    properties: Sequence[object]
    literals: Language
    time_limit: float | None
    work_limit: int | None
    seed: int
    title: str | None = None
    certificates: bool = False
    answers: GivenAnswers | None = None

    def check(self) -> None:
        """Raise for what cannot be, before any time is spent."""
        for name, least in (("explain", 0), ("sample", 1), ("seed", 0)):
            given = getattr(self, name)
            if not isinstance(given, int) or isinstance(given, bool) or given < least:
                raise InvalidInput(f"{name} must be a whole number from {least} on, not {given!r}")
        if isinstance(self.properties, str) or not isinstance(self.properties, Sequence):
            raise InvalidInput(f"properties must be a list; write properties=[{self.properties!r}]")

    def to_dict(self) -> SettingsRecord:
        """The settings in plain types."""
        return {
            "rows": None if self.rows is None else [int(i) for i in self.rows],
            "explain": self.explain,
            "sample": self.sample,
            "answers": None if self.answers is None else self.answers.origin,
            "properties": [each if isinstance(each, str) else repr(each) for each in self.properties],
            "literals": self.literals,
            "time_limit": self.time_limit,
            "work_limit": self.work_limit,
            "seed": self.seed,
            "certificates": self.certificates,
        }


@dataclass(frozen=True)
class GivenAnswers:
    """What explanations have in common that were made before the report.

    Attributes
    ----------
    origin : str
        Where they come from, for the settings of the report.
    summary : Summary
    finished : bool
        Whether all rows of the batch are among them.
    taken_over : int
        How many rows have the explanation of another row that covers them.
    """

    origin: str
    summary: pw.answers.Summary
    finished: bool
    taken_over: int

    @property
    def failed(self) -> int:
        """How many rows could not be explained."""
        return self.summary.statuses.get(pw.Status.FAILED, 0)


def read_answers(given: Any, explainer: pw.Explainer) -> GivenAnswers | None:
    """What was given as answers, if it is about the model of the report.

    Parameters
    ----------
    given
        The folder of a batch, its overview, or a batch; None if there are no answers.
    """
    if given is None:
        return None
    if isinstance(given, pw.Batch):
        found = GivenAnswers("a batch", given.summary(), finished=True, taken_over=given.taken_over)
        _check_answers(found, given.model, explainer)
        return found
    origin = "the overview of a folder"
    if isinstance(given, str | Path):
        origin, given = f"the folder {given}", pw.overview(given)
    if not isinstance(given, pw.answers.Overview):
        raise InvalidInput(
            "answers must be a folder that explain_file has written, what overview(folder) returns, or a batch; "
            f"not {type(given).__name__}"
        )
    found = GivenAnswers(origin, given.summary, given.finished, given.taken_over)
    _check_answers(found, given.model, explainer)
    return found


def _check_answers(found: GivenAnswers, digest: str | None, explainer: pw.Explainer) -> None:
    """Raise unless the explanations are about the model of the report."""
    own = explainer.ensemble and explainer.ensemble.digest
    if digest != own:
        raise InvalidInput(
            f"these answers are about another model: its digest is {digest}, that of this one is {own}; "
            "names of features, vote and cut-off are part of it, so make the explainer as it was made for the batch"
        )
    here = {x.name for x in explainer.domain.variables} if explainer.domain else set()
    if set(found.summary.features) != here:
        other = sorted(here ^ set(found.summary.features))
        raise InvalidInput(
            f"these answers are about other features: {format_list(other)} only here or only there; "
            "make the explainer with the groups and the domain that it had for the batch"
        )
