"""The certificate of a radius: every row that near is decided like the given one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from primewood.domain import Feature
from primewood.engines.protocol import Clock
from primewood.logic.masks import mask_of_array
from primewood.model.decision import RowDecision
from primewood.questions.counterfactual import Counterfactual
from primewood.questions.distance import Moves

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate


@dataclass(frozen=True)
class RadiusCertifier:
    """Writes the certificate of a radius around a row.

    Attributes
    ----------
    decision : RowDecision
    moves : Moves
        The measure of distance.
    nearest : Counterfactual
        The nearest row that was found to get a different decision.
    radius : float
        Every row at most this far away gets the same decision; infinite if all rows do that can be reached.
    """

    decision: RowDecision
    moves: Moves
    nearest: Counterfactual
    radius: float

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof of all rows within the radius."""
        from primewood.certify.record import CertificateWriter

        if self.moves.norm != "linf" and self.nearest.certify is not None:  # moves are added up
            return self.nearest.certify(clock)
        decision, atoms = self.decision, self.decision.context.atoms
        writer = CertificateWriter(decision.model.space, clock)
        costs = self.moves.find_costs(decision.context, decision.row, decision.point)
        inside = (costs <= self.radius) & np.isfinite(costs)
        box = tuple(mask_of_array(inside[atoms.of(k)]) for k in range(len(decision.point)))
        writer.add_claim(box, [decision.label])
        if math.isinf(self.radius):
            return writer.finish("rule")
        scales = [self._find_scale(feature) for feature in decision.model.domain.feature_of.values()]
        record = {
            "row": [None if x != x else x for x in decision.row.tolist()],
            "norm": "linf",
            "distance": self._find_distance(inside),
            "scales": scales,
            "witness": self._find_witness(scales),
        }
        return writer.finish("radius", radius=record)

    def _find_scale(self, feature: Feature) -> float:
        return 0.0 if feature.patterns is not None else self.moves.find_unit(self.decision.context, feature)

    def _find_distance(self, inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        """The radius, or the next float below it that is safe where numbers are measured without rounding."""
        context, atoms = self.decision.context, self.decision.context.atoms
        nearest = Fraction(self.radius) * 2 + 1
        for k, feature in enumerate(context.domain.seen):
            x, scale = float(self.decision.row[feature.column]), self._find_scale(feature)
            if feature.patterns is not None or math.isnan(x):
                continue
            for low, high in feature.all_ends[~inside[atoms.of(k)][: len(feature.all_ends)]].tolist():
                nearest = min(
                    nearest, max(Fraction(low) - Fraction(x), Fraction(x) - Fraction(high)) / Fraction(scale)
                )
        found = min(self.radius, float(nearest))
        while Fraction(found) >= nearest:
            found = math.nextafter(found, 0.0)
        return found

    def _find_witness(self, scales: list[float]) -> list[float | None] | None:
        """The nearest row, if it moves numbers alone."""
        if self.nearest.row is None:
            return None
        pairs = zip(self.decision.row.tolist(), self.nearest.row, scales, strict=True)
        moves = all(
            a == b or (a != a and b != b) or (scale > 0 and not (a != a or b != b)) for a, b, scale in pairs
        )
        return [None if x != x else x for x in self.nearest.row] if moves else None
