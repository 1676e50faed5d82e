"""Checking a claim, in any of the forms in which claims are made."""

from __future__ import annotations

from typing import Any

from primewood.apps.check.reading import read_claim
from primewood.apps.check.tools import By, Most
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.model.decision import RowDecision
from primewood.questions.sufficiency import Check, judge_claim


def check(
    decision: RowDecision, claim: Any, clock: Clock, *, most: Most = None, by: By | None = None
) -> Check:
    """Check a claim about the decision on a row.

    Parameters
    ----------
    claim, most, by
        See `primewood.apps.check.reading.read_claim`.
    """
    asked = read_claim(claim, decision.context, decision.row, decision.label, most=most, by=by)
    named = asked.decision
    if named is not None and named != str(decision.name):
        raise InvalidInput(f"the claim is about {named}; the decision on this row is {decision.name}")
    return judge_claim(decision, asked, clock)
