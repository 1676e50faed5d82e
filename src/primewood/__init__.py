"""primewood: why a tree ensemble decided what it decided, with proof."""

from primewood import encodings, errors
from primewood.domain.declarations import Number, ordered
from primewood.ensemble import Categories, Ensemble, Group, Level, Tree
from primewood.explainer import Explainer, compile
from primewood.fidelity import Fidelity
from primewood.logic.by_definition import prime_implicants_by_definition
from primewood.logic.connectives import at_least
from primewood.logic.expression import FALSE, TRUE, Expression, Literal
from primewood.logic.interval import MISSING, Interval
from primewood.logic.parser import parse
from primewood.logic.table import from_table
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.properties.audit import audit, random_audit
from primewood.properties.compiled import Compiled, Robustness
from primewood.properties.compiled_file import load
from primewood.properties.difference import Difference
from primewood.readers import read
from primewood.reasons.complete import Bias, CompleteReason, Relevance
from primewood.reasons.contrast import Contrast, Contrasts
from primewood.reasons.explanation import Exclusion, Explanation, Status, Witness
from primewood.reasons.explanations import Explanations
from primewood.reasons.families import Terms, pi_explanations, prime_implicants

__version__ = "0.1.0"

__all__ = [
    "FALSE",
    "MISSING",
    "TRUE",
    "Bias",
    "Categories",
    "Compiled",
    "CompleteReason",
    "Contrast",
    "Contrasts",
    "Difference",
    "Ensemble",
    "Exclusion",
    "Explainer",
    "Explanation",
    "Explanations",
    "Expression",
    "Fidelity",
    "Group",
    "Interval",
    "Level",
    "Literal",
    "Number",
    "Relevance",
    "Robustness",
    "Status",
    "Term",
    "Terms",
    "Tree",
    "Variable",
    "Witness",
    "at_least",
    "audit",
    "compile",
    "encodings",
    "errors",
    "from_table",
    "load",
    "ordered",
    "parse",
    "pi_explanations",
    "prime_implicants",
    "prime_implicants_by_definition",
    "random_audit",
    "read",
]
