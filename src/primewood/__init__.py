"""primewood: why a tree ensemble decided what it decided, with proof."""

from primewood import encodings, errors
from primewood.domain.declarations import Number, ordered
from primewood.ensemble import Categories, Ensemble, Group, Level, Tree
from primewood.explainer import Explainer, compare, compile, verify
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
from primewood.properties.comparison import Comparison
from primewood.properties.compiled import Compiled, FewestChanges
from primewood.properties.compiled_file import load
from primewood.properties.difference import Difference
from primewood.properties.local import robust_at
from primewood.properties.pairs import independent_of, monotone, robust_everywhere
from primewood.properties.rule_list import RuleList
from primewood.properties.rules import never, output
from primewood.properties.verification import Outcome, Verification
from primewood.readers import read
from primewood.reasons.adverse_action import AdverseAction
from primewood.reasons.check import Check, Tally, tally
from primewood.reasons.complete import Bias, CompleteReason, Relevance
from primewood.reasons.contrast import Contrast, Contrasts
from primewood.reasons.counterfactual import Counterfactual
from primewood.reasons.explanation import Exclusion, Explanation, Status, Witness
from primewood.reasons.explanations import Explanations
from primewood.reasons.families import Terms, pi_explanations, prime_implicants
from primewood.reasons.listing import Reasons
from primewood.reasons.relevance import Attribution
from primewood.reasons.robustness import Robustness

__version__ = "0.1.0"

__all__ = [
    "FALSE",
    "MISSING",
    "TRUE",
    "AdverseAction",
    "Attribution",
    "Bias",
    "Categories",
    "Check",
    "Comparison",
    "Compiled",
    "CompleteReason",
    "Contrast",
    "Contrasts",
    "Counterfactual",
    "Difference",
    "Ensemble",
    "Exclusion",
    "Explainer",
    "Explanation",
    "Explanations",
    "Expression",
    "FewestChanges",
    "Fidelity",
    "Group",
    "Interval",
    "Level",
    "Literal",
    "Number",
    "Outcome",
    "Reasons",
    "Relevance",
    "Robustness",
    "RuleList",
    "Status",
    "Tally",
    "Term",
    "Terms",
    "Tree",
    "Variable",
    "Verification",
    "Witness",
    "at_least",
    "audit",
    "compare",
    "compile",
    "encodings",
    "errors",
    "from_table",
    "independent_of",
    "load",
    "monotone",
    "never",
    "ordered",
    "output",
    "parse",
    "pi_explanations",
    "prime_implicants",
    "prime_implicants_by_definition",
    "random_audit",
    "read",
    "robust_at",
    "robust_everywhere",
    "tally",
    "verify",
]
