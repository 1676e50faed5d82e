"""The classes of answers: what questions return, for annotations and `isinstance`."""

from primewood.apps.adverse_action import AdverseAction
from primewood.apps.check import Tally
from primewood.apps.report import Report
from primewood.batch.certificates import ConfirmedBatch
from primewood.batch.failed import Failed
from primewood.batch.file_result import Written
from primewood.batch.overview import Overview
from primewood.batch.summary import Summary
from primewood.domain.mined import MinedKnowledge, MinedRule, UsedRules
from primewood.model.score import Score
from primewood.properties.breaking_rows import Breaking
from primewood.properties.comparison import Comparison
from primewood.properties.compiled import Compiled, FewestChanges
from primewood.properties.compiled_difference import Difference
from primewood.properties.group_explanation import GroupExplanation, GroupRule, UncoveredRow
from primewood.properties.rule_list import RuleList
from primewood.properties.verification import Verification
from primewood.properties.wording import Claim, Outcome
from primewood.questions.complete import Bias, CompleteReason, Relevance
from primewood.questions.contrast import Contrast, Contrasts
from primewood.questions.counterfactual import Counterfactual
from primewood.questions.exclusions import Exclusion, Witness
from primewood.questions.explanations import Explanations
from primewood.questions.families import Terms
from primewood.questions.importance import Importance
from primewood.questions.in_short.answer import InShort
from primewood.questions.in_short.space_answer import InShortOverSpace
from primewood.questions.listing import Reasons
from primewood.questions.necessity import Necessity
from primewood.questions.relevance import Attribution
from primewood.questions.robustness import Robustness
from primewood.questions.slices import DecisionMap, WhatIf
from primewood.questions.so_far import AnswerSoFar
from primewood.questions.sufficiency import Check
from primewood.readers.fidelity import Fidelity
from primewood.render.shown import RecordedExplanation

__all__ = [
    "AdverseAction",
    "AnswerSoFar",
    "Attribution",
    "Bias",
    "Breaking",
    "Check",
    "Claim",
    "Comparison",
    "Compiled",
    "CompleteReason",
    "ConfirmedBatch",
    "Contrast",
    "Contrasts",
    "Counterfactual",
    "DecisionMap",
    "Difference",
    "Exclusion",
    "Explanations",
    "Failed",
    "FewestChanges",
    "Fidelity",
    "GroupExplanation",
    "GroupRule",
    "Importance",
    "InShort",
    "InShortOverSpace",
    "MinedKnowledge",
    "MinedRule",
    "Necessity",
    "Outcome",
    "Overview",
    "Reasons",
    "RecordedExplanation",
    "Relevance",
    "Report",
    "Robustness",
    "RuleList",
    "Score",
    "Summary",
    "Tally",
    "Terms",
    "UncoveredRow",
    "UsedRules",
    "Verification",
    "WhatIf",
    "Witness",
    "Written",
]
