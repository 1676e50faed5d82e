"""Explaining rows of a table: what workers are sent, and what becomes of their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from primewood.batch.failed import Failed
from primewood.batch.progress import watching
from primewood.batch.run import Result, Run, Settings
from primewood.engines.protocol import Clock, check_limit
from primewood.model.cells import Row
from primewood.model.decision import RowDecision
from primewood.model.model import TreeModel
from primewood.questions.explain import Wishes, explain
from primewood.questions.explanation import Explanation
from primewood.questions.explanations import ExplanationMaker, note_fixed
from primewood.tables.rows import Reading, read_rows


@dataclass(frozen=True)
class RowExplainer:
    """Explains rows of one model; it can be sent to another process."""

    model: TreeModel

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

    def _ask(self, row: Row, within: float | None) -> RowDecision:
        return self.model.ask(row) if within is None else self.model.ask_within(row, within)

    def state(
        self, result: Result, settings: Settings, row_notes: tuple[str, ...] = ()
    ) -> Explanation | Failed:
        """The explanation that came of a row of a batch, with notes about the row."""
        outcome = result.outcome
        if outcome.box is None:
            row = tuple(result.row.tolist())
            return Failed(outcome.problem, row, settings.literals, self.model.context)
        decision = self._decide_again(result, settings.options.get("within"))
        fixed = decision.model.find_places("fix", settings.options.get("fix", ()))
        why = ExplanationMaker.for_decision(decision, settings.literals, fixed).explain(outcome.box)
        notes = outcome.notes
        if result.source is not None:
            notes = (*note_fixed(why.notes, decision.context.variables, fixed), *notes)
        return replace(
            why,
            status=outcome.status,
            notes=(*row_notes, *notes),
            queries=outcome.queries,
            goal=outcome.goal,
            bounds=outcome.bounds,
        )

    def _decide_again(self, result: Result, within: float | None) -> RowDecision:
        """The decision that a result is about, without reading the row once more."""
        if within is not None:
            return self.model.ask_within(result.row, within)
        model = self.model.serve(result.row) if result.elsewhere else self.model
        return RowDecision(model, model.domain.point(result.row), int(result.label or 0), result.row)


def explain_rows(
    explainer: RowExplainer,
    reading: Reading,
    settings: Settings,
    n_jobs: int | None,
    progress: bool | None,
) -> Iterator[Explanation | Failed]:
    """The explanations of rows one by one, as their blocks are finished."""
    rows, size = reading.rows, settings.block
    with watching(len(rows), progress) as watcher:
        run = Run(explainer, settings, n_jobs, watcher)
        for results in run.blocks(rows[k : k + size] for k in range(0, len(rows), size)):
            for result in results:
                yield explainer.state(result, settings, reading.row_notes.get(result.place, ()))


def choose_settings(model: TreeModel, options: dict[str, Any], *limits: Any) -> Settings:
    """The settings of a batch, with options of `explain`."""
    kept = dict(options)
    kept["literals"] = model.choose_language(options.get("literals"))
    if kept.get("also") is not None:
        kept["also"] = read_rows(kept["also"], model.context.layout, source="also").rows
    settings = Settings(kept, *limits)
    check_limit("time_limit", settings.time_limit)
    check_limit("work_limit", settings.work_limit)
    settings.check()
    return settings
