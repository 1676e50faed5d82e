"""The reasons as a paragraph of a letter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from primewood.apps.adverse_action.reasons import AdverseReason
from primewood.logic.expression import Literal
from primewood.logic.interval import number
from primewood.model.context import TreeContext
from primewood.model.score import Score
from primewood.questions.in_short.answer import InShort
from primewood.questions.status import Status
from primewood.render import decimals
from primewood.visible import visible

ORDINALS = ("First", "Second", "Third", "Fourth")


BOUNDS = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}


def letter(
    context: TreeContext,
    score: Score,
    favourable: object,
    reasons: Sequence[AdverseReason],
    status: Status,
    in_short: InShort | None = None,
    certified: str | None = None,
) -> str:
    """The answer as one paragraph for the person whom it concerns.

    If asked, it ends with a sentence on cases like theirs, and with the SHA-256 of a certificate.
    """
    compared = _compare_cases(in_short) if in_short is not None and in_short.found else ""
    named = f" These ranges are proved; the SHA-256 of the certificate is {certified}." if certified else ""
    return visible(_words(context, score, favourable, reasons, status) + compared + named)


def _compare_cases(short: InShort) -> str:
    """How often cases that meet the conditions of a short rule got the decision."""
    said = " and ".join(literal["text"] for literal in short.to_dict()["literals"] or [])
    which = f" with {said}" if said else ""
    return (
        f" For comparison: of {short.matching:,} earlier cases{which}, {short.same:,} got the same decision."
    )


def _words(
    context: TreeContext, score: Score, favourable: object, reasons: Sequence[AdverseReason], status: Status
) -> str:
    opening = f"The decision is: {score.decision} ({score.reason})."
    if status is Status.IMPOSSIBLE:
        return f"{opening} No change of the details that may be stated here would have led to: {favourable}."
    if not reasons:
        return f"{opening} Its principal reasons have not been determined."
    told = [_sentence(context, favourable, reason) for reason in reasons]
    several = "reasons, the most important first, are" if len(told) > 1 else "reason is"
    return " ".join([opening, f"The principal {several} as follows.", *told])


def _sentence(context: TreeContext, favourable: object, reason: AdverseReason) -> str:
    place = ORDINALS[reason.rank - 1] if reason.rank <= len(ORDINALS) else f"Number {reason.rank}"
    code = "" if reason.code is None else f" ({reason.code})"
    if reason.value is None:
        state = f"{reason.feature} was not given"
    elif isinstance(reason.value, float):
        state = f"{reason.feature} is {number(reason.value)} {context.units.get(reason.feature, '')}".rstrip()
    else:
        state = f"{reason.feature} is {_quote(reason.value)}"
    helps = ""
    if reason.helps:
        helps = f"; with {reason.helps}, everything else unchanged, it would have been: {favourable}"
    return f"{place}, {reason.text}{code}: {state}{helps}."


def range_in_words(context: TreeContext, literal: Literal) -> str:
    """What would have helped, for a letter: "income at least 52000 DM"."""
    variable = literal.variable
    if not variable.is_numeric:
        return f"{variable.name} {' or '.join(_quote(x) for x in context.literal_record(literal)['values'])}"
    feature = context.feature(variable.name)
    known = None if context.rows is None else context.rows[:, feature.column]
    unit = context.units.get(variable.name, "")
    pieces = []
    for interval in literal.intervals:
        both = (
            decimals.whole_ends(interval) if feature.whole else decimals.shown_ends(interval, math.nan, known)
        )
        ends = [end for end in both if end]
        words = " and ".join(f"{BOUNDS[operator]} {bound}" for operator, bound in ends)
        pieces.append(f"{words} {unit}".strip() if words else "given")
    return f"{variable.name} {' or '.join(pieces)}"


def _quote(value: object) -> str:
    words = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
    return f'"{words}"'
