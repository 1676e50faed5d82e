"""Reading a claim in any of the forms in which claims are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from primewood.apps.check.text import FORMS, TextReader
from primewood.apps.check.tools import (
    By,
    Most,
    choose_heaviest,
    has_numbers,
    read_anchor,
    read_lime_weights,
    read_shap_weights,
)
from primewood.errors import InvalidInput, quote_value
from primewood.logic.expression import Expression
from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row
from primewood.questions.explanation import Explanation
from primewood.questions.sufficiency import ClaimedConditions, RowConditions


def read_claim(
    claim: Any, context: TreeContext, row: Row, label: int, *, most: Most = None, by: By | None = None
) -> ClaimedConditions:
    """Read what is claimed to suffice for the decision on a row.

    Parameters
    ----------
    claim
        In any of the forms that the package lists.
    label
        The place of the decision among the classes.
    most
        Of LIME's and SHAP's features: how many are claimed to suffice, the heaviest first, or "fewest". By default all
        that LIME gives, and the fewest of SHAP's, which weighs every feature.
    by
        "absolute": the largest weights whatever their sign, as usual with SHAP; "favour": only those in favour of the
        decision, as usual with LIME.
    """
    if most not in (None, "fewest") and not (
        isinstance(most, int) and not isinstance(most, bool) and most >= 0
    ):
        raise InvalidInput(f'most must be a number of features, "fewest" or None, not {most!r}')
    if by not in (None, "absolute", "favour"):
        raise InvalidInput(f'by must be "absolute" or "favour", not {by!r}')
    conditions = RowConditions(context, row)
    text = TextReader(conditions)
    if isinstance(claim, ClaimedConditions):
        features = context.domain.features
        if any(condition.feature not in features for condition in claim.conditions):
            raise InvalidInput(
                "the claim was read for another model, or another domain; pass it as text or by names"
            )
        return claim
    if isinstance(claim, str):
        return text.read_rule(claim)
    if isinstance(claim, Mapping):
        return ClaimedConditions(tuple(conditions.read_entry(name, what) for name, what in claim.items()))
    if isinstance(claim, Expression):
        return ClaimedConditions(tuple(map(conditions.read_literal, Term.of(claim).literals)))
    if isinstance(claim, Explanation):
        said = tuple(map(conditions.read_literal, claim.term.literals))
        if claim.literals == "values" and claim.context.digest == context.digest:
            said = tuple(conditions.keep(c.feature.name) if c.holds(row) else c for c in said)
        return ClaimedConditions(said, "primewood", str(claim.decision))
    of_tool = _read_tool(claim, conditions, text, label, most, by)
    if of_tool is not None:
        return of_tool
    one = getattr(claim, "ndim", 1) == 0 or not isinstance(claim, Iterable)
    parts = [None] if one else list(claim)
    if all(isinstance(part, str) for part in parts):
        ordered = sorted(map(str, parts)) if isinstance(claim, set | frozenset) else parts
        return ClaimedConditions(tuple(c for part in ordered for c in text.read_conditions(str(part))))
    raise InvalidInput(f"{FORMS}; not {quote_value(claim)}")


def _read_tool(
    claim: Any, conditions: RowConditions, text: TextReader, label: int, most: Most, by: By | None
) -> ClaimedConditions | None:
    """What LIME, Anchors or SHAP claims; None if it comes from none of them."""
    context = conditions.context
    if callable(getattr(claim, "as_list", None)):
        weighted = [
            (text.read_conditions(said), weight) for said, weight in read_lime_weights(claim, context, label)
        ]
        return choose_heaviest(weighted, "LIME", most, by or "favour")
    anchor = read_anchor(claim)
    if anchor is not None:
        return ClaimedConditions(
            tuple(c for said in anchor for c in text.read_conditions(str(said))), "Anchors"
        )
    if has_numbers(claim):
        kept = [
            ((conditions.keep(name),), weight) for name, weight in read_shap_weights(claim, context, label)
        ]
        return choose_heaviest(kept, "SHAP", "fewest" if most is None else most, by or "absolute")
    return None
