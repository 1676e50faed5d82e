"""The public names, and where each is defined."""

from . import encodings, errors
from .apps.adverse_action import AdverseAction
from .apps.check import Check, Tally, tally
from .apps.report import Report
from .apps.saving import load
from .batch.batch import Batch
from .batch.failed import Failed
from .batch.overview import Overview, overview
from .batch.summary import Summary
from .batch.to_files import Written
from .domain.declarations import Number, ordered
from .ensemble import Categories, Ensemble, Group, Level, Tree
from .explainer import Explainer, compare, compile, verify
from .logic.by_definition import prime_implicants_by_definition
from .logic.connectives import at_least
from .logic.expression import FALSE, TRUE, Expression, Literal
from .logic.interval import MISSING, Interval
from .logic.parser import parse
from .logic.table import from_table
from .logic.term import Term
from .logic.variable import Variable
from .model.score import Score
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
from .questions.complete import Bias, CompleteReason, Relevance
from .questions.contrast import Contrast, Contrasts
from .questions.counterfactual import Counterfactual
from .questions.explanation import Exclusion, Explanation, Status, Witness
from .questions.explanations import Explanations
from .questions.families import Terms, pi_explanations, prime_implicants
from .questions.importance import Importance
from .questions.listing import Reasons
from .questions.relevance import Attribution
from .questions.robustness import Robustness
from .questions.slices import DecisionMap, WhatIf
from .readers import read
from .readers.fidelity import Fidelity
from .render import plots
from .render.shown import RecordedExplanation

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
