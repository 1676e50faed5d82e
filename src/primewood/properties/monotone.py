"""The property that raising a feature never takes a decision back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal as Choice

from primewood.errors import InvalidInput, format_list
from primewood.fields import one_of, takes
from primewood.logic.syntax import Statement
from primewood.properties.certificates import PairsCertifier
from primewood.properties.pair_search import (
    find_constrained_places,
    forbid_pairs,
    look_at_rows_first,
    search_all_pairs,
    search_by_steps,
)
from primewood.properties.row_pairs import Pairs, relate
from primewood.properties.sweep import RowScan, SweepDirection
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim

Direction = Choice["increasing", "decreasing"]


@takes(direction=one_of(("increasing", "decreasing")))
def monotone(feature: str, direction: Direction = "increasing", target: object = None) -> Monotone:
    """Return the property "raising a feature never takes a decision back", for `verify`.

    ``monotone("income", "increasing", "approved")``: raising income never turns approved into declined.
    ``monotone("debt", "decreasing", "approved")``: raising debt never turns declined into approved.

    Parameters
    ----------
    feature
        A numeric feature, or one whose categories are declared `ordered`.
    direction
        "increasing": raising the feature never takes the target away. "decreasing": it never brings it.
    target
        The decision. By default the explainer's `positive`, or the order that the labels have as numbers;
        labels that are names have no order, and need a target.

    Returns
    -------
    Monotone
        A property for `verify`. `verify` checks that the feature and the target exist.

    Raises
    ------
    InvalidInput
        If `direction` is not "increasing" or "decreasing".

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> from primewood import monotone
    >>> print(explainer.verify(monotone("pw", "increasing", "virginica")))
    holds: monotone in pw (increasing, target virginica)
       Proved: raising pw never turns virginica into another decision.
       Assumes: no value is missing.
    """
    return Monotone(feature, direction, target)


@dataclass(frozen=True)
class Monotone:
    """Raising a feature never takes a decision back.

    Attributes
    ----------
    feature : str
    direction : {"increasing", "decreasing"}
        Whether decisions only go up in the order of the classes (to the target) as the feature goes up, or only down.
    target : object
        The decision that is gained. None: the explainer's `positive`, or else the decisions in their own order, which
        numbers and levels of a prediction have; names have none, and need a target.
    """

    feature: str
    direction: Direction = "increasing"
    target: object = None

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        place = verifier.context.place(self.feature)
        if place is not None and not verifier.context.variables[place].ordered:
            raise InvalidInput(
                f"{self.feature} has no order; pass domain={{{self.feature!r}: pw.ordered(...)}}"
            )
        names = [str(name) for name in verifier.context.class_names]
        wanted, up = self._find_wanted(verifier), self.direction == "increasing"
        raising, about = f"raising {self.feature}", (self.direction, (self.feature,))
        if wanted is None and len(names) > 2:
            name = f"monotone in {self.feature} ({self.direction}, in the order {format_list(names)})"
            change = f"the decision in the order {format_list(names)}"
            verbs = ("lowers", "lower") if up else ("raises", "raise")
            return Claim.never(name, raising, (f"{verbs[0]} {change}", f"{verbs[1]} {change}"), *about)
        target = len(names) - 1 if wanted is None else wanted
        own = names[target]
        other = names[1 - target] if len(names) == 2 else "another decision"
        before, after = (own, other) if up else (other, own)
        change = f"{before} into {after}"
        name = f"monotone in {self.feature} ({self.direction}, target {own})"
        return Claim.never(name, raising, (f"turns {change}", f"turn {change}"), *about)

    def verify(self, verifier: Verifier) -> Verification:
        claim, place = self.claim(verifier), verifier.context.place(self.feature)
        if place is None:
            return verifier.state_proof(claim, self._certify(verifier))
        way: SweepDirection = "up" if self.direction == "increasing" else "down"
        scan = RowScan(verifier, [place], forbid_pairs(verifier, self._taken_back(verifier), way))
        found = look_at_rows_first(verifier, claim, scan, lambda: self._search(verifier, claim, place))
        return replace(found, certify=self._certify(verifier))

    def _certify(self, verifier: Verifier) -> PairsCertifier:
        """What writes the certificate: pairs are of a lower row and a higher one."""
        wanted, up = self._find_wanted(verifier), self.direction == "increasing"
        order = list(range(len(verifier.context.class_names))) if wanted is None else [wanted]
        ways = [pair if up else pair[::-1] for pair in self._taken_back(verifier)]
        stated = {"monotone": self.feature, "direction": self.direction, "order": order}
        return PairsCertifier(verifier.model, stated, (self.feature,), ways)

    def _search(self, verifier: Verifier, claim: Claim, place: int) -> Verification:
        """Search steps between neighbouring values; under constraints, all pairs of a lower and a higher value."""
        variables, up = verifier.context.variables, self.direction == "increasing"
        count, taken_back = variables[place].ordered, self._taken_back(verifier)
        if place in find_constrained_places(verifier):
            runs = [(v, count - 1) if up else (0, v) for v in range(count)]
            pairs = Pairs(verifier, (place,), (relate(place, len(variables), runs),))
            return search_all_pairs(verifier, claim, pairs, taken_back)
        steps = list(itertools.pairwise(range(count)))
        if not up:
            steps = [(after, before) for before, after in steps]
        return search_by_steps(verifier, claim, place, steps, taken_back)

    def _find_wanted(self, verifier: Verifier) -> int | None:
        """The label of the decision that is gained; None for the order of the labels."""
        if self.target is not None:
            return verifier.context.label(self.target)
        if verifier.positive is not None and len(verifier.context.class_names) == 2:
            return verifier.positive
        if verifier.ordered:
            return None
        names = verifier.context.class_names
        call = f"pw.monotone({self.feature!r}, {self.direction!r}, target={names[0]!r})"
        verb = "take" if self.direction == "increasing" else "bring"
        raise InvalidInput(
            f"monotone needs a target: the decisions {format_list(names)} are names, which have no order. Pass the one "
            f"that raising {self.feature} should never {verb}{' away' if verb == 'take' else ''}, such as {call}"
        )

    def _taken_back(self, verifier: Verifier) -> list[tuple[int, int]]:
        """The pairs of decisions, before and after, that are forbidden."""
        labels = range(len(verifier.context.class_names))
        wanted = self._find_wanted(verifier)
        if wanted is None:
            return [(before, after) for before in labels for after in labels if after < before]
        return [(wanted, after) for after in labels if after != wanted]
