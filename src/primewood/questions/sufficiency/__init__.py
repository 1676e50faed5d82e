"""Whether conditions suffice for a decision, what is missing, and what is not needed.

A claim C (`claim`) *suffices* iff every possible row that meets it gets the same decision as the row it is about. The
model decides the same throughout a cell, so C suffices iff all cells that it meets are safe, wherever its bounds lie;
that is one query (`judging`). Only an order between features (``x <= y``) can distinguish numbers of one cell; such
cells are cut in two first (`refinement`). That C does not suffice is shown by a row (`counterexample`).

The verdict on C is about the box of cells that it meets, in the words of the literature (Ignatiev, Narodytska,
Marques-Silva, "On validating, repairing and refining heuristic ML explanations", 2019). Let P range over the
PI-explanations of the decision, in the claim's literal language:

- *exact*: C is some P;
- *pessimistic*: C is a strict superset of some P: it suffices, and says more than needed;
- *optimistic*: C is a strict subset of some P: it does not suffice, and nothing in it is out of place;
- *incomparable*: C does not suffice, and no P contains it.

A condition that excludes no cell is in no P. Whether some P contains C (`prime_inside`) can be a hard question, so it
gets a part of the time only; where it stays open, the verdict is "not sufficient".
"""

from primewood.questions.sufficiency.claim import ClaimedConditions
from primewood.questions.sufficiency.conditions import RowConditions
from primewood.questions.sufficiency.judging import judge_claim
from primewood.questions.sufficiency.result import VERDICTS, Check, Judgement

__all__ = ["VERDICTS", "Check", "ClaimedConditions", "Judgement", "RowConditions", "judge_claim"]
