"""Robustness around one row, as a property to verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primewood.errors import InvalidInput, quote_value
from primewood.fields import flag, real, takes
from primewood.logic.interval import number
from primewood.logic.syntax import Statement
from primewood.properties.robust_everywhere import RELATIVELY
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim, Outcome
from primewood.questions.distance import Norm, check_norm
from primewood.questions.robustness import find_robustness
from primewood.render.numbers import format_count


@dataclass(frozen=True)
class RobustAt:
    """Every row at most a radius away from a given one is decided like it.

    Attributes
    ----------
    row : row
    radius : float
        In "linf" how far each number moves, in "l1" how far all move together, in "l0" how many features change.
    norm : {"linf", "l1", "l0"}
    relative : bool
        Whether the radius is a share of each feature's training range.
    """

    row: Any
    radius: float
    norm: Norm = "linf"
    relative: bool = False

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        check_norm(self.norm)
        if not isinstance(self.radius, int | float | np.number) or not 0 <= self.radius < np.inf:
            raise InvalidInput(f"a radius must be a number of at least 0, not {quote_value(self.radius)}")
        verifier.context.point_of(self.row)
        if self.norm == "l0":
            if self.radius != int(self.radius):
                raise InvalidInput(
                    f'a radius in "l0" must be a number of features, not {quote_value(self.radius)}'
                )
            features = format_count(int(self.radius), "feature")
            return Claim(
                f"the same decision whichever {features} of the row change",
                f"changing at most {features} of the row never changes the decision",
                f"changing at most {features} of the row changes the decision",
                f"changing at most {features} of the row can change the decision",
            )
        far = f"{number(self.radius)}{RELATIVELY if self.relative else ''}"
        together = " together" if self.norm == "l1" else ""
        return Claim(
            f"the same decision for every row within {far}{together}",
            f"moving numbers of the row by at most {far}{together} never changes the decision",
            f"moving numbers of the row by at most {far}{together} changes the decision",
            f"moving numbers of the row by at most {far}{together} can change the decision",
        )

    def verify(self, verifier: Verifier) -> Verification:
        claim = self.claim(verifier)
        decision = verifier.model.ask(self.row)
        found = find_robustness(decision, self.norm, self.relative, verifier.clock)
        if found.radius >= self.radius:
            return verifier.state_proof(claim, found.certify)
        if found.upper <= self.radius and found.nearest.row is not None:
            return verifier.state_failure(
                claim, [decision.row, np.array(found.nearest.row)], lambda decided: decided[0] != decided[1]
            )
        note = f"proved within {number(found.radius)}; a change is known at {number(found.upper)}"
        proved = found.radius / self.radius
        return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=proved, note=note)


@takes(radius=real, relative=flag)
def robust_at(row: Any, radius: float, norm: Norm = "linf", *, relative: bool = False) -> RobustAt:
    """Return the property "every row within a radius of this row gets the same decision", for `verify`.

    Parameters
    ----------
    row
        The row in the middle, as for `Explainer.explain`.
    radius
        With "linf", how far each number may move; with "l1", how far all may move together; with "l0", how many
        features may change.
    norm
        "linf", "l1" or "l0".
    relative
        Whether the radius is a share of each feature's training range.

    Returns
    -------
    RobustAt
        A property for `verify`. `verify` checks the row and the radius.

    Raises
    ------
    InvalidInput
        If `radius` is not a number, or `relative` is not True or False.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> from primewood import robust_at
    >>> print(explainer.verify(robust_at(X[0], 0.5)))
    holds: the same decision for every row within 0.5
       Proved: moving numbers of the row by at most 0.5 never changes the decision.
       Assumes: no value is missing.
    """
    return RobustAt(row, radius, norm, relative)
