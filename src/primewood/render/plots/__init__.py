"""Plots of answers with matplotlib: each draws a plain record on one axes, and returns a small display.

An answer is taken as it is, or as the record that its `to_dict` gives, so that what was saved as JSON can be drawn too.
Nothing is computed here but where things lie.
"""

from primewood.render.plots.anytime import GrowthDisplay, growth
from primewood.render.plots.comparison import SideBySideDisplay, side_by_side
from primewood.render.plots.coverage import CoverageBySizeDisplay, coverage_by_size
from primewood.render.plots.explanation import RangesDisplay, ranges
from primewood.render.plots.importance import ImportanceDisplay, importance
from primewood.render.plots.strip import WhatIfDisplay, what_if
from primewood.render.plots.two_features import DecisionMapDisplay, decision_map
from primewood.render.plots.use import FeatureUseDisplay, feature_use

__all__ = [
    "CoverageBySizeDisplay",
    "DecisionMapDisplay",
    "FeatureUseDisplay",
    "GrowthDisplay",
    "ImportanceDisplay",
    "RangesDisplay",
    "SideBySideDisplay",
    "WhatIfDisplay",
    "coverage_by_size",
    "decision_map",
    "feature_use",
    "growth",
    "importance",
    "ranges",
    "side_by_side",
    "what_if",
]
