"""What a model distinguishes: features as multi-valued variables, decisions as expressions."""

from primewood.domain.domain import Domain, DomainRecipe, domain_of
from primewood.domain.feature import Feature
from primewood.domain.subject import EnsembleSubject, ExpressionSubject, Subject, default_order
from primewood.domain.vote_formula import Formulas

__all__ = [
    "Domain",
    "DomainRecipe",
    "EnsembleSubject",
    "ExpressionSubject",
    "Feature",
    "Formulas",
    "Subject",
    "default_order",
    "domain_of",
]
