"""A domain in which mined rules can be switched off.

Every mined rule gets a variable of its own with the values "on" and "off", and forbids only where it is on. So "is the
rule needed?" is the usual question: does the box still entail the decision, if the switch may have any value?
"""

from __future__ import annotations

from dataclasses import replace

from primewood.domain.domain import Domain
from primewood.domain.feature import Feature
from primewood.domain.knowledge import Constraint
from primewood.logic.variable import Variable

ON, OFF = 0, 1


def add_switches(domain: Domain) -> Domain:
    """The same domain with a switch per mined rule, in their order, after all other variables."""
    mined = domain.knowledge.mined
    texts = () if mined is None else mined.texts
    places = {text: len(domain.variables) + i for i, text in enumerate(texts)}
    switches = [
        Feature(text, "categorical", (), False, Variable.categorical(text, ("on", "off"))) for text in texts
    ]
    rules = tuple(_switch(rule, places) for rule in domain.knowledge.rules)
    knowledge = replace(domain.knowledge, rules=rules, mined=None)
    return replace(domain, features=(*domain.features, *switches), knowledge=knowledge)


def _switch(rule: Constraint, places: dict[str, int]) -> Constraint:
    """The rule that forbids only where the switches of all that it comes from are on."""
    on = {places[text]: 1 << ON for text in rule.sources if text in places}
    return replace(rule, forbidden=tuple({**box, **on} for box in rule.forbidden))
