"""The order of weakening: which features an explanation drops first, or which values it allows first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from primewood.engines.protocol import Step
from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.logic.variable import Variable
from primewood.model.model import Model
from primewood.questions.weakening import drop_each

WeakeningOrder = Sequence[str] | Sequence[Iterable[tuple[str, object]]]
"""Names of features, or steps; a step is a set of (feature, value) pairs."""


def plan_steps(model: Model, order: WeakeningOrder | None) -> tuple[list[Step], list[int]]:
    """The steps of an order, and the order in which variables are widened after them.

    A list of features means: try to drop each in turn, then widen each to all its safe values. The
    features that it does not name come after those that it names, by importance.
    """
    usual, variables = model.order, model.context.variables
    if order is None:
        return model.usual_steps, usual
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise InvalidInput(f"order must be a list of features or of steps, not {order!r}")
    places = {x.name: j for j, x in enumerate(variables)}
    if all(isinstance(step, str) for step in order):
        named = [_find_place(places, name) for name in _skip_untested(model, order)]
        if len(set(named)) < len(named):
            raise InvalidInput("order must name each feature once; one is listed twice")
        whole = [*named, *(j for j in usual if j not in named)]
        return drop_each(whole, [len(x) for x in variables]), whole
    return [_read_step(step, places, variables) for step in order], usual


def _skip_untested(model: Model, order: Sequence[Any]) -> list[str]:
    """An order of features without those that no tree tests: there is nothing to drop."""
    untested = {*model.context.feature_names} - {x.name for x in model.context.variables}
    return [str(name) for name in order if name not in untested]


def _read_step(step: object, places: dict[str, int], variables: Sequence[Variable]) -> Step:
    allowed: dict[int, int] = {}
    for name, value in _read_pairs(step):
        j = _find_place(places, str(name))
        allowed[j] = allowed.get(j, 0) | 1 << variables[j].index(value)
    return allowed


def _read_pairs(step: object) -> list[tuple[object, object]]:
    pairs: list[Any] = list(step) if isinstance(step, Iterable) and not isinstance(step, Mapping) else [None]
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise InvalidInput(f"a step of order must be a list of (feature, value) pairs, not {step!r}")
    return pairs


def _find_place(places: dict[str, int], name: str) -> int:
    if name not in places:
        raise UnknownName(
            f"order: there is no feature {name!r}{suggest([name], places)}; the features are {format_list(places)}"
        )
    return places[name]
