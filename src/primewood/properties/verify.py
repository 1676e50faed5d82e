"""`verify`: from a property as users write it to what is proved about it.

A rule is read once. The features are cut where it cuts them, so that "age < 18" splits no cell; the model keeps the
domains of the last rules. Then the property itself says how it is verified: see `Property`.
"""

from __future__ import annotations

from dataclasses import replace

from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput, TooLarge, quote_value
from primewood.model.context import TreeContext
from primewood.model.model import TreeModel
from primewood.properties.rules_to_verify import FORMS, Output, read_rule
from primewood.properties.verification import Property, Verification, Verifier
from primewood.properties.wording import Claim, Outcome


def verify_property(model: TreeModel, stated: object, clock: Clock) -> Verification:
    """Whether a property is true of a model: for every row, not for those that were tried.

    The time of the clock begins when the features are cut where the property cuts them.
    """
    wanted, verifier = prepare_property(model, stated)
    verifier = replace(verifier, clock=clock.part(clock.limit))
    claim = wanted.claim(verifier)
    try:
        return wanted.verify(verifier)
    except TooLarge as problem:
        return Verification(claim, Outcome.UNDECIDED, verifier.context, note=str(problem))


def prepare_property(model: TreeModel, stated: object) -> tuple[Property, Verifier]:
    """A property, and the model to verify it for, over a domain that is cut where the property cuts."""
    wanted = as_property(stated, model.context)
    if not isinstance(wanted, Output):
        model.check_decides()
    return wanted, Verifier(model.cut_at(wanted.conditions), Clock())


def check_property(model: TreeModel, stated: object) -> Claim:
    """What a property says about a model; raises for one that cannot be asked."""
    wanted, verifier = prepare_property(model, stated)
    return wanted.claim(verifier)


def as_property(given: object, context: TreeContext) -> Property:
    """A property of a model as users write it: an object, or text."""
    found = accept_property(given)
    return read_rule(found, context) if isinstance(found, str) else found


def accept_property(given: object) -> str | Property:
    """What is text or a property; anything else is an error."""
    if isinstance(given, str | Property):
        return given
    raise InvalidInput(
        f"a property is text or one of pw.monotone, pw.independent_of, ...; not {quote_value(given)}. {FORMS}"
    )
