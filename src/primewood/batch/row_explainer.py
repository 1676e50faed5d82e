"""The object that is sent to workers: it explains rows of one model, and turns results into explanations."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from primewood.batch.failed import Failed
from primewood.batch.row_result import RowResult
from primewood.batch.settings import Settings
from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.model.decision import RowDecision
from primewood.model.model import TreeModel
from primewood.model.nearby import Nearness, stay_near
from primewood.model.row_in_cell import Row
from primewood.questions.explain import Wishes, explain
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_maker import ExplanationMaker, note_fixed
from primewood.questions.status import Status

MOST_BYTES = 1_000_000
"""The most bytes of a row's certificate."""
LEAST_S = 0.001
"""The seconds for a row after the batch has reached its time limit."""


@dataclass(frozen=True)
class RowExplainer:
    """Explains rows of one model; it can be sent to another process.

    Attributes
    ----------
    model : TreeModel
    certificates : bool
        Whether proved explanations get certificates.
    seconds : float or None
        For a certificate.
    """

    model: TreeModel
    certificates: bool = False
    seconds: float | None = None

    def explain(
        self,
        row: Row,
        *,
        within: float | None = None,
        time_limit: float | None = None,
        work_limit: int | None = None,
        **wishes: Any,
    ) -> Explanation:
        """One explanation of the decision on a row; the options are those of `Explainer.explain`."""
        return explain(self._ask(row, within), Wishes(**wishes), Clock(time_limit, work_limit))

    def certify(self, why: Explanation, until: float | None) -> tuple[bytes | None, str]:
        """The certificate of an explanation, or why there is none; `until`: when the time of the batch is over."""
        if not self.certificates or why.status is not Status.PROVED:
            return None, ""
        try:
            content = why.certificate(limit_seconds(self.seconds, until)).content
        except NoCertificate as problem:
            return None, str(problem)
        if len(content) > MOST_BYTES:
            return None, f"there is no certificate: it has more than {MOST_BYTES:,} bytes"
        return content, ""

    def _ask(self, row: Row, within: float | None) -> RowDecision:
        return self.model.ask(row) if within is None else self.model.ask_within(row, within)

    def describe(self, result: RowResult, settings: Settings) -> Explanation | Failed:
        """The explanation of a result."""
        if result.box is None:
            row = tuple(result.row.tolist())
            return Failed(result.problem, row, settings.literals, self.model.context)
        options = settings.options
        nearness = Nearness(options.get("near"), options.get("near_features"))
        decision = stay_near(self._decide_again(result, options.get("within")), nearness)
        fixed = decision.model.find_places("fix", options.get("fix", ()))
        why = ExplanationMaker.for_decision(decision, settings.literals, fixed).explain(result.box)
        notes = result.notes
        if result.source is not None:
            notes = (*note_fixed(why.notes, decision.context.variables, fixed), *notes)
        return replace(
            why,
            status=result.status,
            notes=(*result.row_notes, *notes),
            queries=result.queries,
            goal=result.goal,
            bounds=result.bounds,
            known_necessity=result.necessity,
            used=result.used,
        )

    def _decide_again(self, result: RowResult, within: float | None) -> RowDecision:
        """The decision of a result, without reading the row again."""
        if within is not None:
            return self.model.ask_within(result.row, within)
        model = self.model.serve(result.row) if result.elsewhere else self.model
        return RowDecision(model, model.domain.point(result.row), int(result.label or 0), result.row)


def limit_seconds(limit: float | None, until: float | None) -> float | None:
    """A limit, or what is left of a batch that ends at some time, as `time.time` has it."""
    if until is None:
        return limit
    left = max(LEAST_S, until - time.time())
    return left if limit is None else min(limit, left)
