"""Robustness around every row, as a property to verify."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Verdict
from primewood.engines.search.joint import Relation
from primewood.ensemble import Level
from primewood.errors import InvalidInput
from primewood.fields import flag, optional, real, takes
from primewood.logic.interval import number
from primewood.logic.syntax import Statement
from primewood.properties.certificates import refuse
from primewood.properties.pair_search import list_decision_pairs, search_all_pairs
from primewood.properties.row_pairs import Pairs
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim, Outcome

RELATIVELY = " of each feature's range"


@takes(radius=real, relative=flag, confidence=optional(real))
def robust_everywhere(
    radius: float, *, relative: bool = False, confidence: float | None = None
) -> RobustEverywhere:
    """Return the property "no move of the numbers by at most a radius changes any decision", for `verify`.

    Every model with more than one decision breaks this at its boundary. `confidence` limits the property to rows that
    are decided with confidence.

    Parameters
    ----------
    radius
        How far each number may move.
    relative
        Whether the radius is a share of each feature's training range.
    confidence
        For two classes: only rows whose decision has at least this probability count.

    Returns
    -------
    RobustEverywhere
        A property for `verify`. `verify` checks that the radius and the confidence are in range.

    Raises
    ------
    InvalidInput
        If `radius` or `confidence` is not a number, or `relative` is not True or False.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer, robust_everywhere
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y == 0)
    >>> explainer = Explainer(tree, X, feature_names=["sl", "sw", "pl", "pw"])
    >>> explainer.verify(robust_everywhere(0.1))
    <Verification fails: the same decision within 0.1 of every row>
    """
    return RobustEverywhere(radius, relative, confidence)


@dataclass(frozen=True)
class RobustEverywhere:
    """No move of the numbers by at most a radius changes the decision, of whatever row.

    Every model that takes more than one decision breaks this at its boundary, so that one may ask it only of rows
    that are decided with confidence.

    Attributes
    ----------
    radius : float
    relative : bool
        Whether the radius is a share of each feature's training range.
    confidence : float, optional
        For two classes: only of rows whose decision has at least this probability.
    """

    radius: float
    relative: bool = False
    confidence: float | None = None

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        self._check(verifier)
        if self.confidence is not None and not 0.5 < self.confidence <= 1:
            raise InvalidInput(f"a confidence must be above 0.5 and at most 1, not {self.confidence!r}")
        sure = ""
        if self.confidence is not None:
            sure = f" that is decided with a probability of at least {number(self.confidence)}"
        far = f"{number(self.radius)}{RELATIVELY if self.relative else ''}"
        return Claim(
            f"the same decision within {far} of every row{sure}",
            f"moving numbers by at most {far} never changes the decision about a row{sure}",
            f"moving numbers by at most {far} changes the decision about some row{sure}",
            f"moving numbers by at most {far} can change the decision about a row{sure}",
        )

    def verify(self, verifier: Verifier) -> Verification:
        claim = self.claim(verifier)
        moves = self._find_moves(verifier)
        if moves is None:
            note = "the time was over before the search"
            return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=0.0, note=note)
        places, relations = moves
        if not places:
            return verifier.state_proof(claim, refuse("robustness of all rows is not covered"))
        if self.confidence is None:
            pairs = Pairs(verifier, places, relations)
            return search_all_pairs(verifier, claim, pairs, list_decision_pairs(verifier))
        sure = verifier.cut_at_levels([Level(1 - self.confidence, strictly=True), Level(self.confidence)])
        pairs = Pairs(sure, places, relations, verifier.engines.search_forest())
        return self._confident(verifier, sure, claim, pairs)

    def _confident(self, verifier: Verifier, sure: Verifier, claim: Claim, pairs: Pairs) -> Verification:
        done = 0
        for i, (confident, other) in enumerate(((0, 1), (2, 0))):
            left = verifier.clock.left()
            clock = verifier.clock.part(None if left < 0 else left / (2 - i))
            reply = pairs.find(pairs.box({}, {}), (confident, other), clock)
            rows = pairs.rows(reply) if isinstance(reply, tuple) else None
            if rows is not None:
                is_sure = int(sure.subject.ensemble.predict(np.array(rows[:1]))[0]) == confident
                return verifier.state_failure(claim, rows, lambda found: is_sure and found[1] == other)  # noqa: B023
            done += reply is Verdict.NONE_EXISTS
        if done == 2:
            return verifier.state_proof(claim, refuse("robustness of all rows is not covered"))
        note = f"{done} of 2 decisions are proved, none was found to break it"
        return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=done / 2, note=note)

    def _check(self, verifier: Verifier) -> None:
        """Refuse what cannot be asked."""
        if not isinstance(self.radius, int | float | np.number) or not 0 <= self.radius < math.inf:
            raise InvalidInput(f"a radius must be a number of at least 0, not {self.radius!r}")
        if self.relative and verifier.context.rows is None:
            raise InvalidInput("a radius relative to the training range needs X_train")
        if verifier.subject.domain.knowledge.orders:
            raise InvalidInput("robustness everywhere does not take orders between features")

    def _find_moves(self, verifier: Verifier) -> tuple[tuple[int, ...], tuple[Relation, ...]] | None:
        """The numeric variables, doubled, and which of their cells are near to each other; None if interrupted."""
        context, domain = verifier.context, verifier.subject.domain
        places: list[int] = []
        relations: list[Relation] = []
        for j, feature in enumerate(domain.seen):
            if feature.patterns is not None or feature.variable is None:
                continue
            if verifier.clock.expired():
                return None
            reach = float(self.radius)
            if self.relative and context.ranges is not None:
                low, high = context.ranges[:, feature.column].tolist()
                reach *= high - low if high > low else 1.0
            low, high = _find_near_cells(feature.all_ends, reach)
            relations.append(Relation(j, len(context.variables) + len(places), low, high))
            places.append(j)
        return tuple(places), tuple(relations)


def _find_near_cells(ends: NDArray[np.float64], reach: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Per cell, the first and the last that have a number at most so far from some number of it."""
    least, most = ends.T
    first = np.searchsorted(most, least - reach)
    last = np.searchsorted(least, most + reach, side="right") - 1
    # These sums are rounded, so they may miss cells at either end: the differences decide.
    while (more := (first > 0) & (least - most[first - 1] <= reach)).any():
        first -= more
    while (fewer := least - most[first] > reach).any():
        first += fewer
    beyond = np.append(least, np.inf)
    while (more := beyond[last + 1] - most <= reach).any():
        last += more
    while (fewer := least[last] - most > reach).any():
        last -= fewer
    return tuple(first.tolist()), tuple(last.tolist())
