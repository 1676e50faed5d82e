"""Asking for the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from primewood.apps.adverse_action.changes import Changes
from primewood.apps.adverse_action.codes import Codes, CodeTable
from primewood.apps.adverse_action.letter import letter
from primewood.apps.adverse_action.ranking import Ranking
from primewood.apps.adverse_action.reasons import AdverseAction
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput, listing
from primewood.questions.counterfactual import Counterfactuals


def names_of(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names of features as a tuple; a single text is refused, as its letters would be taken for names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(f"{what} is a list of feature names; write {what}=[{names!r}]")
    return tuple(names)


def adverse_action(
    asked: Counterfactuals,
    clock: Clock,
    *,
    codes: Codes | None = None,
    protected: Sequence[str] = (),
    most: int = 4,
) -> AdverseAction:
    """The principal reasons for a decision that is not the favourable one.

    Parameters
    ----------
    asked
        The row, the favourable decision as its target, and in its moves all hidden features as immutable.
    codes
        What to say about each feature.
    protected
        The names to record as left out.
    most
        How many reasons to give at most.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most is a positive number, not {most!r}")
    context = asked.context
    table = CodeTable(codes, context.feature_names)
    label = asked.engines.decide(asked.point)
    if asked.target is None:
        raise InvalidInput(f"say which decision is favourable; there are {listing(context.class_names)}")
    favourable = context.class_names[asked.target]
    if label == asked.target:
        raise InvalidInput(f"the row is decided {favourable} already: there is no adverse action to explain")
    decision = context.class_names[label]
    assert context.scorer is not None
    score = replace(context.scorer, positive=asked.target).score(asked.row)
    ranking = Ranking(Changes(asked, clock), table, most)
    reasons, status = ranking.reasons(), ranking.status
    uncoded = [x.feature for x in reasons if table.given and table.entry(x.feature, x.direction) is None]
    return AdverseAction(
        decision=decision,
        favourable=favourable,
        reasons=reasons,
        status=status,
        left_out=tuple(protected),
        uncoded=tuple(uncoded),
        score=score,
        letter=letter(context, score, favourable, reasons, status),
        model=context.digest,
    )
