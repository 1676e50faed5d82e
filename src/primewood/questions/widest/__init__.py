"""The widest explanation of a decision: the prime box around an instance that covers the most.

A box B is safe iff it meets no counterexample, and a wider box never covers less, so the widest prime box is the
widest safe one. A local search finds wide boxes (`search`), and a mixed-integer program (`program`) bounds what any
box can cover, so that the best one may be proved widest (`proof`). Both rest on known counterexamples, kept as boxes
that get a different decision throughout (`cuts`). What "covers" means is said by `measures`.
"""

from primewood.questions.widest.answer import Tuning, Widest, widest
from primewood.questions.widest.cuts import Cuts, Rivals, rivals_of
from primewood.questions.widest.measures import RowsCovered, ShareCovered, coverage_of

__all__ = [
    "Cuts",
    "Rivals",
    "RowsCovered",
    "ShareCovered",
    "Tuning",
    "Widest",
    "coverage_of",
    "rivals_of",
    "widest",
]
