"""The property that changing some features only never changes the decision."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from primewood.errors import InvalidInput, format_list, quote_value
from primewood.logic.syntax import Statement
from primewood.properties.certificates import PairsCertifier
from primewood.properties.pair_search import (
    find_constrained_places,
    forbid_pairs,
    list_decision_pairs,
    look_at_rows_first,
    search_all_pairs,
    search_by_steps,
)
from primewood.properties.row_pairs import Pairs
from primewood.properties.sweep import RowScan
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim, Outcome


def independent_of(*features: str) -> IndependentOf:
    """Return the property "changing only these features never changes the decision", for `verify`.

    Parameters
    ----------
    features
        The names of the features, which change together.

    Returns
    -------
    IndependentOf
        A property for `verify`. `verify` checks that the features exist.

    Raises
    ------
    InvalidInput
        If no name is given, or one is not a text.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> from primewood import independent_of
    >>> print(explainer.verify(independent_of("sl", "sw")))
    holds: independent of sl, sw
       Proved: changing only sl and sw never changes the decision.
       Assumes: no value is missing.
    """
    if not features or not all(isinstance(name, str) for name in features):
        raise InvalidInput(
            f'independent_of takes names of features, such as independent_of("sex"); not {quote_value(features)}'
        )
    return IndependentOf(features)


@dataclass(frozen=True)
class IndependentOf:
    """Changing these features only never changes the decision."""

    features: tuple[str, ...]

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        for feature in self.features:
            verifier.context.place(feature)
        verbs = ("changes the decision", "change the decision")
        name, changing = f"independent of {format_list(self.features)}", " and ".join(self.features)
        return Claim.never(name, f"changing only {changing}", verbs, "independent", self.features)

    def verify(self, verifier: Verifier) -> Verification:
        claim, found = self.claim(verifier), map(verifier.context.place, self.features)
        places = [place for place in found if place is not None]
        scan = RowScan(verifier, places, forbid_pairs(verifier, list_decision_pairs(verifier), "any"))
        answer = look_at_rows_first(verifier, claim, scan, lambda: self._search(verifier, claim, places))
        stated = {"independent": list(self.features)}
        ways = list_decision_pairs(verifier)
        return replace(answer, certify=PairsCertifier(verifier.model, stated, self.features, ways))

    @staticmethod
    def _search(verifier: Verifier, claim: Claim, places: Sequence[int]) -> Verification:
        """Search one feature at a time, along a path through all its values; under constraints, all pairs.

        Decisions that differ, differ somewhere on the way.
        """
        different = list_decision_pairs(verifier)
        if find_constrained_places(verifier) & {*places}:
            return search_all_pairs(verifier, claim, Pairs(verifier, tuple(places)), different)
        outcomes = []
        for place in places:
            steps = list(itertools.pairwise(range(len(verifier.context.variables[place]))))
            outcomes.append(search_by_steps(verifier, claim, place, steps, different))
            if outcomes[-1].outcome is Outcome.FAILS:
                return outcomes[-1]
        undecided = [one for one in outcomes if one.outcome is Outcome.UNDECIDED]
        return undecided[0] if undecided else verifier.state_proof(claim)
