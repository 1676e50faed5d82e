"""The public names, and where each is defined."""

from . import encodings, errors
from .batch.batch import Batch
from .batch.failed import Failed
from .batch.overview import Overview, overview
from .batch.summary import Summary
from .batch.to_files import Written
from .domain.declarations import Number, ordered
from .ensemble import Categories, Ensemble, Group, Level, Tree
from .explainer import Explainer, compare, compile, verify
from .explainer.file import load
from .explainer.reporting import Report
from .fidelity import Fidelity
from .logic.by_definition import prime_implicants_by_definition
from .logic.connectives import at_least
from .logic.expression import FALSE, TRUE, Expression, Literal
from .logic.interval import MISSING, Interval
from .logic.parser import parse
from .logic.table import from_table
from .logic.term import Term
from .logic.variable import Variable
from .properties.audit import audit, random_audit
from .properties.breaking import Breaking
from .properties.claim import Claim, Outcome
from .properties.comparison import Comparison
from .properties.compiled import Compiled, FewestChanges
from .properties.difference import Difference
from .properties.local import robust_at
from .properties.pairs import independent_of, monotone, robust_everywhere
from .properties.rule_list import RuleList
from .properties.rules import never, output
from .properties.verification import Verification
from .readers import read
from .reasons.adverse_action import AdverseAction
from .reasons.check import Check, Tally, tally
from .reasons.complete import Bias, CompleteReason, Relevance
from .reasons.contrast import Contrast, Contrasts
from .reasons.counterfactual import Counterfactual
from .reasons.explanation import Exclusion, Explanation, Status, Witness
from .reasons.explanations import Explanations
from .reasons.families import Terms, pi_explanations, prime_implicants
from .reasons.importance import Importance
from .reasons.listing import Reasons
from .reasons.relevance import Attribution
from .reasons.robustness import Robustness
from .reasons.score import Score
from .reasons.slices import DecisionMap, WhatIf
from .report import plots
from .report.shown import RecordedExplanation

__version__: str

__all__ = [
    "FALSE",
    "MISSING",
    "TRUE",
    "AdverseAction",
    "Attribution",
    "Batch",
    "Bias",
    "Breaking",
    "Categories",
    "Check",
    "Claim",
    "Comparison",
    "Compiled",
    "CompleteReason",
    "Contrast",
    "Contrasts",
    "Counterfactual",
    "DecisionMap",
    "Difference",
    "Ensemble",
    "Exclusion",
    "Explainer",
    "Explanation",
    "Explanations",
    "Expression",
    "Failed",
    "FewestChanges",
    "Fidelity",
    "Group",
    "Importance",
    "Interval",
    "Level",
    "Literal",
    "Number",
    "Outcome",
    "Overview",
    "Reasons",
    "RecordedExplanation",
    "Relevance",
    "Report",
    "Robustness",
    "RuleList",
    "Score",
    "Status",
    "Summary",
    "Tally",
    "Term",
    "Terms",
    "Tree",
    "Variable",
    "Verification",
    "WhatIf",
    "Witness",
    "Written",
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
