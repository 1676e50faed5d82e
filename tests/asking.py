"""Models and decisions made from a subject alone, for tests that ask an engine's questions directly."""

from __future__ import annotations

from primewood.domain import DomainRecipe, EnsembleSubject
from primewood.engines.choice import Engines
from primewood.logic.instance import Point
from primewood.model.context import Context, TreeContext
from primewood.model.decision import Decision
from primewood.model.decision_rule import DecisionRule
from primewood.model.model import ExpressionModel, Model, TreeModel


def model_of(engines: Engines) -> Model:
    """The model of what some engines are for, without training rows."""
    subject = engines.subject
    if not isinstance(subject, EnsembleSubject):
        return ExpressionModel(Context(subject.variables, subject.labels), engines, subject)
    context = TreeContext(subject.variables, subject.labels, domain=subject.domain)
    ensemble = subject.ensemble
    return TreeModel(context, engines, subject, ensemble, ensemble, DecisionRule(), DomainRecipe())


def decision_at(engines: Engines, point: Point, label: int) -> Decision:
    """The decision at a point, which is known."""
    return Decision(model_of(engines), point, label)
