"""A decision in short: the question."""

from __future__ import annotations

from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.term import Term
from primewood.model.decision import Decision, RowDecision
from primewood.model.row_in_cell import Row
from primewood.questions.explanation import Explanation
from primewood.questions.in_short.acceptance import AcceptByMixtures
from primewood.questions.in_short.answer import InShort
from primewood.questions.in_short.search import ShortRuleSearch

PRECISION = 0.95
"""The share of matching rows that is asked for by default."""


def find_in_short(
    decision: Decision, precision: float = PRECISION, avoided: frozenset[int] = frozenset()
) -> InShort:
    """A rule of few conditions for a decision, found and counted among the training rows, and tested on mixtures.

    It does not mention the variables that are to be avoided.
    """
    if not isinstance(decision, RowDecision):
        raise InvalidInput("precision counts training rows; an expression has none")
    check_precision(precision)
    counted = decision.model.counted
    decided, bins = counted.decided, counted.bins
    if not len(decided):
        raise InvalidInput("precision counts training rows, and there are none: pass them to Explainer")
    if (decided == decided[0]).all():
        name = decision.context.class_names[decided[0]]
        raise InvalidInput(
            f"the model decides {name!r} on all {len(decided):,} training rows, so there is nothing to tell apart; "
            "pass rows with different decisions"
        )
    same, mixed = decided == decision.label, decision.model.mixed
    acceptance = AcceptByMixtures(len(same), precision, mixed.tested, mixed.tested_decided == decision.label)
    searched = (mixed.searched, mixed.searched_decided == decision.label)
    own = bins.find(decision.point)
    rule = ShortRuleSearch(bins, same, own, precision, searched, acceptance, avoided).find()
    if rule is None:
        return _answer(decision, None, precision, (0, 0), (), (0, 0))
    box = {j: bins.mask_of(j, allowed) for j, allowed in rule.allowed.items()}
    term = Term.of_box([bins.variables[j] for j in sorted(box)], [box[j] for j in sorted(box)])
    exceptions = counted.places[bins.match(rule.allowed) & ~same]
    counts, tested = (rule.matching, rule.same), acceptance.count(rule.allowed)
    return _answer(decision, term, precision, counts, tuple(exceptions.tolist()), tested)


def check_precision(precision: float) -> None:
    """Raise if it is not a share that a rule can be asked for."""
    if not 0.5 <= precision < 1:
        raise InvalidInput(f"precision must be a share from 0.5 and below 1, not {precision!r}")


def _answer(
    decision: RowDecision,
    term: Term | None,
    precision: float,
    counts: tuple[int, int],
    exceptions: tuple[int, ...],
    mixed: tuple[int, int],
) -> InShort:
    def explain_row(row: Row, time_limit: float | None) -> Explanation:
        from primewood.questions.explain import Wishes, explain

        return explain(decision.model.ask(row), Wishes(goal="prime"), Clock(time_limit))

    counted = decision.model.counted
    return InShort(
        decision.name,
        term,
        precision,
        *counts,
        len(counted.places),
        exceptions,
        *mixed,
        decision.values,
        decision.context,
        explain_row,
        is_sample=counted.is_sample,
    )
