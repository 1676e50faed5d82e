"""Plots of answers with matplotlib: each draws a plain record on one axes, and returns a small display.

A plot takes an answer or the record that its `to_dict` gives, so that answers saved as JSON can be drawn too. Only
positions are computed here.
"""

from primewood.render.plots.conditions_by_assumption import (
    ConditionsByAssumptionDisplay,
    conditions_by_assumption,
)
from primewood.render.plots.coverage_by_size import CoverageBySizeDisplay, coverage_by_size
from primewood.render.plots.decision_map import DecisionMapDisplay, decision_map
from primewood.render.plots.feature_use import FeatureUseDisplay, feature_use
from primewood.render.plots.growth import GrowthDisplay, growth
from primewood.render.plots.importance import ImportanceDisplay, importance
from primewood.render.plots.ranges import RangesDisplay, ranges
from primewood.render.plots.side_by_side import SideBySideDisplay, side_by_side
from primewood.render.plots.what_if import WhatIfDisplay, what_if

__all__ = [
    "ConditionsByAssumptionDisplay",
    "CoverageBySizeDisplay",
    "DecisionMapDisplay",
    "FeatureUseDisplay",
    "GrowthDisplay",
    "ImportanceDisplay",
    "RangesDisplay",
    "SideBySideDisplay",
    "WhatIfDisplay",
    "conditions_by_assumption",
    "coverage_by_size",
    "decision_map",
    "feature_use",
    "growth",
    "importance",
    "ranges",
    "side_by_side",
    "what_if",
]
