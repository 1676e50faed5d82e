"""Robustness around one row, as a property to verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primewood.errors import InvalidInput
from primewood.logic.interval import number
from primewood.properties.verification import Asked, Outcome, Verification
from primewood.reasons.counterfactual import Counterfactuals
from primewood.reasons.distance import Moves, Norm, check_norm
from primewood.reasons.robustness import Robustness


@dataclass(frozen=True)
class RobustAt:
    """Every row at most a radius away from a given one is decided like it.

    Attributes
    ----------
    row : row
    radius : float
        In "linf" how far each number moves, in "l0" how many features change.
    norm : {"linf", "l0"}
    relative : bool
        Whether the radius is a share of each feature's training range.
    """

    row: Any
    radius: float
    norm: Norm = "linf"
    relative: bool = False

    def conditions(self) -> Sequence[str]:
        return []

    def verified(self, asked: Asked) -> Verification:
        if check_norm(self.norm) == "l1":
            raise InvalidInput('robustness takes norm="linf" or "l0"')
        context, exact = asked.context, self.norm == "l0"
        moves = Moves(
            self.norm, self.relative and not exact, to_missing=exact, categories=self.relative or exact
        )
        moves.check(context)
        row, point = context.read(self.row)
        assert row is not None
        near = Counterfactuals(context, asked.engines, asked.engines, row, point, None, moves, with_box=False)
        found = Robustness(near.nearest(asked.clock))
        what = "features" if exact else "of each feature's range" if self.relative else "(linf)"
        text = f"the same decision within {number(self.radius)} {what} of the row"
        if found.radius >= self.radius:
            return asked.held(text)
        if found.upper <= self.radius and found.nearest.row is not None:
            return asked.failing(
                text, [row, np.array(found.nearest.row)], lambda decided: decided[0] != decided[1]
            )
        note = f"proved within {found.radius:.6g}; a change is known at {found.upper:.6g}"
        proved = min(1.0, found.radius / self.radius)
        return Verification(text, Outcome.UNDECIDED, context, proved=proved, note=note)


def robust_at(row: Any, radius: float, norm: Norm = "linf", *, relative: bool = False) -> RobustAt:
    """That every row at most a radius away from a given one is decided like it; see `RobustAt`."""
    return RobustAt(row, radius, norm, relative)
