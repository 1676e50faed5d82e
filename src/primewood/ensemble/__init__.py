"""Tree ensembles as exact, frozen data, with a reference `predict`."""

from primewood.ensemble.ensemble import Categories, Ensemble, Group
from primewood.ensemble.tree import Tree

__all__ = ["Categories", "Ensemble", "Group", "Tree"]
