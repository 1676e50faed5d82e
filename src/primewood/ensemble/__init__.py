"""Tree ensembles as exact, frozen data, with a reference `predict`."""

from primewood.ensemble.ensemble import PREDICTION, Categories, Ensemble, Group, Level
from primewood.ensemble.tree import Tree

__all__ = ["PREDICTION", "Categories", "Ensemble", "Group", "Level", "Tree"]
