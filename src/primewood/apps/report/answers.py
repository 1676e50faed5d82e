"""Explanations that were made before the report, counted instead of explaining a sample of rows anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primewood.batch.batch import TAKEN_OVER, Batch
from primewood.batch.overview import Overview, overview
from primewood.batch.summary import Summary
from primewood.errors import InvalidInput, listing
from primewood.model.context import TreeContext
from primewood.questions.explanation import Status


@dataclass(frozen=True)
class GivenAnswers:
    """What the explanations of a batch have in common.

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
    summary: Summary
    finished: bool
    taken_over: int

    @property
    def failed(self) -> int:
        """How many rows could not be explained."""
        return self.summary.statuses.get(Status.FAILED, 0)


def answers_of(given: Any, context: TreeContext) -> GivenAnswers | None:
    """What was given as answers, if it is about the model of the report.

    Parameters
    ----------
    given
        The folder of a batch, its overview, or a batch; None if there are no answers.
    """
    if given is None:
        return None
    if isinstance(given, str | Path):
        return _of_overview(f"the folder {given}", overview(given), context)
    if isinstance(given, Overview):
        return _of_overview("the overview of a folder", given, context)
    if isinstance(given, Batch):
        summary = given.summary()
        _check(summary, given.context.digest, context)
        taken = sum(any(note.startswith(TAKEN_OVER) for note in why.notes) for why in given)
        return GivenAnswers("a batch", summary, finished=True, taken_over=taken)
    raise InvalidInput(
        "answers is a folder that explain_file has written, what overview(folder) returns, or a batch; "
        f"not {type(given).__name__}"
    )


def _of_overview(origin: str, found: Overview, context: TreeContext) -> GivenAnswers:
    _check(found.summary, found.model, context)
    return GivenAnswers(origin, found.summary, found.finished, found.taken_over)


def _check(summary: Summary, digest: str | None, context: TreeContext) -> None:
    """Raise unless the explanations are about the model of the report."""
    if digest != context.digest:
        raise InvalidInput(
            f"these answers are about another model: its digest is {digest}, that of this one is {context.digest}; "
            "names of features, vote and cut-off are part of it, so make the explainer as it was made for the batch"
        )
    here = {variable.name for variable in context.variables}
    if set(summary.features) != here:
        other = sorted(here ^ set(summary.features))
        raise InvalidInput(
            f"these answers are about other features: {listing(other)} only here or only there; "
            "make the explainer with the groups and the domain that it had for the batch"
        )
