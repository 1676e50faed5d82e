"""Tree ensembles as exact, frozen data, with a reference `predict`."""

from primewood.ensemble.ensemble import PREDICTION, Categories, Cutoff, Ensemble, Group, Level
from primewood.ensemble.tree import Tree

__all__ = ["PREDICTION", "Categories", "Cutoff", "Ensemble", "Group", "Level", "Tree"]
