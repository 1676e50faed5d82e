"""With which settings a report is made, so that it can be made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from primewood.apps.report.answers import GivenAnswers
from primewood.errors import InvalidInput
from primewood.logic.language import Language, check_language
from primewood.properties.rules import accept_property


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
    answers: GivenAnswers | None = None

    def check(self) -> None:
        """Raise for what cannot be, before any time is spent."""
        check_language(self.literals)
        for name, least in (("explain", 0), ("sample", 1), ("seed", 0)):
            given = getattr(self, name)
            if not isinstance(given, int) or isinstance(given, bool) or given < least:
                raise InvalidInput(f"{name} is a whole number from {least} on, not {given!r}")
        if isinstance(self.properties, str) or not isinstance(self.properties, Sequence):
            raise InvalidInput(f"properties is a list; write properties=[{self.properties!r}]")
        for stated in self.properties:
            accept_property(stated)

    def to_dict(self) -> dict[str, Any]:
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
        }
