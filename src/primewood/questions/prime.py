"""One prime explanation of a decision, for a given order of weakening."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from primewood.domain import Subject
from primewood.engines.protocol import Step
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.variable import Variable
from primewood.questions.weakening import dropping

Order = Sequence[str] | Sequence[Iterable[tuple[str, object]]]
"""Names of features, or steps; a step is a set of (feature, value) pairs."""


def default_order(subject: Subject) -> list[int]:
    """The variables from the least important to the most; ties in the order of the columns.

    Letting go of unimportant features first leaves short explanations.
    """
    return sorted(range(len(subject.variables)), key=lambda j: (subject.importance[j], j))


def plan(subject: Subject, order: Order | None) -> tuple[list[Step], list[int]]:
    """The steps of an order, and the order in which variables are widened after them.

    A list of features means: try to drop each in turn, then widen each to all its safe values. The
    features that it does not name come after those that it names, by importance.
    """
    usual = default_order(subject)
    sizes = [len(x) for x in subject.variables]
    if order is None:
        return dropping(usual, sizes), usual
    names = {x.name: j for j, x in enumerate(subject.variables)}
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise InvalidInput(f"an order is a list of features or of steps, not {order!r}")
    if all(isinstance(step, str) for step in order):
        named = [_place(names, str(name)) for name in order]
        if len(set(named)) < len(named):
            raise InvalidInput("the order names a feature twice")
        whole = [*named, *(j for j in usual if j not in named)]
        return dropping(whole, sizes), whole
    steps: list[Step] = []
    for step in order:
        allowed: dict[int, int] = {}
        for name, value in _pairs(step):
            j = _place(names, str(name))
            variable: Variable = subject.variables[j]
            allowed[j] = allowed.get(j, 0) | 1 << variable.index(value)
        steps.append(allowed)
    return steps, usual


def _pairs(step: object) -> list[tuple[object, object]]:
    pairs: list[Any] = list(step) if isinstance(step, Iterable) and not isinstance(step, Mapping) else [None]
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise InvalidInput(f"a step is a list of (feature, value) pairs, not {step!r}")
    return pairs


def _place(names: dict[str, int], name: str) -> int:
    if name not in names:
        raise UnknownName(f"the order names {name!r}; the model decides by {listing(names)}")
    return names[name]
