"""The public names, and where each is defined."""

from . import answers, encodings, errors
from .apps.check import tally
from .batch.batch import Batch
from .batch.overview import overview
from .certify.certificate import Certificate, confirm
from .domain.declarations import Number, ordered
from .ensemble import Categories, Ensemble, Group, Level, Tree
from .explainer import Explainer, compare, compile, verify
from .logic.by_definition import prime_implicants_by_definition
from .logic.connectives import at_least
from .logic.expression import FALSE, TRUE, Expression, Literal
from .logic.expression_parser import parse
from .logic.interval import MISSING, Interval
from .logic.table import from_table
from .logic.term import Term
from .logic.variable import Variable
from .properties.audit import audit, random_audit
from .properties.independent import independent_of
from .properties.monotone import monotone
from .properties.robust_at import robust_at
from .properties.robust_everywhere import robust_everywhere
from .properties.rules_to_verify import never, output
from .questions.explanation import Explanation
from .questions.families import pi_explanations, prime_implicants
from .questions.status import Status
from .readers import read
from .render import plots
from .saving import load

__version__: str

__all__ = [
    "FALSE",
    "MISSING",
    "TRUE",
    "Batch",
    "Categories",
    "Certificate",
    "Ensemble",
    "Explainer",
    "Explanation",
    "Expression",
    "Group",
    "Interval",
    "Level",
    "Literal",
    "Number",
    "Status",
    "Term",
    "Tree",
    "Variable",
    "answers",
    "at_least",
    "audit",
    "compare",
    "compile",
    "confirm",
    "encodings",
    "errors",
    "from_table",
    "independent_of",
    "load",
    "monotone",
    "never",
    "ordered",
    "output",
    "overview",
    "parse",
    "pi_explanations",
    "plots",
    "prime_implicants",
    "prime_implicants_by_definition",
    "random_audit",
    "read",
    "robust_at",
    "robust_everywhere",
    "tally",
    "verify",
]
