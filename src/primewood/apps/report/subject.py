"""What all sections of a report share: the model, its rows, the limits, and the evidence that is collected."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.report.rows import AuditedRows
from primewood.engines.protocol import Clock
from primewood.ensemble.ensemble import PREDICTION
from primewood.logic.language import Language
from primewood.model.context import UNDECIDED, TreeContext
from primewood.model.model import TreeModel
from primewood.model.scales import in_words

if TYPE_CHECKING:
    from primewood.explainer import Explainer

SectionWatch = Callable[[int, int], None]
"""Told how many of how many things of a section are done."""


def unwatched(done: int, total: int) -> None:
    """What watches when nobody does."""


LEAST = 0.02
"""Seconds that every question gets, so that it is asked at all."""


@dataclass(frozen=True)
class Evidence:
    """Rows that the report shows, each with how it is said to be decided; collected while sections are made."""

    rows: list[tuple[float, ...]] = field(default_factory=list)
    decisions: list[object] = field(default_factory=list)

    def add(self, row: Sequence[float], decision: object) -> None:
        """Keep a row; one whose decision depends on the order of summation proves nothing, and is left out."""
        if decision != UNDECIDED:
            self.rows.append(tuple(row))
            self.decisions.append(decision)


@dataclass(frozen=True)
class ReportSubject:
    """What a report is about.

    Attributes
    ----------
    explainer : Explainer
    audited : AuditedRows
    seed : int
    literals : str
        The language of explanations.
    evidence : Evidence
    """

    explainer: Explainer
    audited: AuditedRows
    seed: int
    literals: Language
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def context(self) -> TreeContext:
        """What all answers about the model share."""
        return self.model.context

    @property
    def model(self) -> TreeModel:
        """The model that is reported on."""
        return self.explainer._model.need_rows("reports")

    @property
    def is_regressor(self) -> bool:
        """Whether the model predicts a number, and the decision is about that number."""
        return tuple(self.model.as_read.classes) == (PREDICTION,)

    @cached_property
    def reference(self) -> NDArray[np.float64]:
        """The rows to count and to measure ranges by: the training rows, else those that the report is about."""
        return self.audited.rows if self.context.rows is None else self.context.rows

    @property
    def reference_source(self) -> str:
        """Which rows these are: "training" or "given"."""
        return "given" if self.context.rows is None else "training"

    def over(self, rows: NDArray[np.float64]) -> Explainer:
        """The explainer with other rows to count and to measure ranges by."""
        if rows is self.context.rows:
            return self.explainer
        return self.explainer._about(self.model.replace_rows(rows))

    def shown(self, row: Sequence[float] | NDArray[np.float64]) -> dict[str, str]:
        """Per feature what a row holds, in words; numbers have all their digits."""
        held = self.context.named_values(np.array(row))
        return {name: in_words(value, self.context.units.get(name, "")) for name, value in held.items()}

    def changes(self, old: Sequence[float], new: Sequence[float]) -> dict[str, list[str]]:
        """Per feature in which two rows differ, what each of them holds, in words."""
        before, after = self.shown(old), self.shown(new)
        return {name: [before[name], after[name]] for name in before if before[name] != after[name]}


def within(clock: Clock, parts: int) -> dict[str, Any]:
    """The limits of the next of several questions that share a clock, as options of a question."""
    seconds = None if clock.limit is None else max(clock.left() / max(parts, 1), LEAST)
    return {"time_limit": seconds, "work_limit": clock.work_limit}


def finite(x: float) -> float | None:
    """A number as a record has it: None if it is infinite."""
    return x if math.isfinite(x) else None
