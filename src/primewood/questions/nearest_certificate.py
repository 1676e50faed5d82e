"""The certificate of a nearest row: nothing nearer gets another decision, or the one that was asked for.

In "linf" all that is near is a box. In "l1" and "l0", what moves cost is added up: the proof is about rows within a
budget. Costs are counted in whole units, rounded down, which lets in more rows, not fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from primewood.domain import Feature
from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.logic.instance import Box
from primewood.logic.masks import mask_of_array
from primewood.model.decision import RowDecision
from primewood.questions.distance import Moves

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate
    from primewood.certify.space import HeaderRecord

UNITS, MANY = 40, 1e6
"""A budget is counted in about 2^40 units, unless all costs are whole numbers and sum to less than `MANY`."""


@dataclass(frozen=True)
class NearestCertifier:
    """Writes the certificate that no row nearer than a distance gets a different decision.

    Attributes
    ----------
    decision : RowDecision
        Of the row that was asked about, perhaps with a target.
    moves : Moves
        The measure of distance.
    lower : float
        No row that is nearer than this gets a different decision; infinite if none does at all.
    row : tuple of float or None
        A row that is.
    """

    decision: RowDecision
    moves: Moves
    lower: float
    row: tuple[float, ...] | None

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof of all that is nearer."""
        from primewood.certify.certificate import pack
        from primewood.certify.record import JointWriter

        model, knowledge = self.decision.model, self.decision.model.domain.knowledge
        if knowledge.changes is not None:
            raise NoCertificate("there is no certificate: near_features is not covered")
        if self.lower <= 0:
            raise NoCertificate("there is no certificate: no distance above 0 is proved")
        budgeted = self.moves.norm != "linf" and math.isfinite(self.lower)
        spending = self._spending if budgeted else ((), 0)
        writer = JointWriter(model.space, model.space.joint, clock, [], spending=spending)
        writer.add_claim(self._box, [(k,) for k in self._classes])
        header = {**model.space.header, "claims": writer.claims}
        if not budgeted:
            return pack({**header, "kind": "never"}, writer.blobs)
        return pack({**header, "kind": "nearest", "costs": self._describe_costs()}, writer.blobs)

    @property
    def _classes(self) -> list[int]:
        target, count = self.decision.target, len(self.decision.model.ensemble.classes)
        return [k for k in range(count) if k != self.decision.label] if target is None else [target]

    @cached_property
    def _costs(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return self.moves.find_costs(self.decision.context, self.decision.row, self.decision.point)

    @cached_property
    def _distance(self) -> float:
        """No row within this distance gets a different decision: the next smaller sum of costs."""
        if not math.isfinite(self.lower):
            return math.inf
        return math.ceil(self.lower) - 1.0 if self._whole else math.nextafter(self.lower, 0.0)

    @cached_property
    def _whole(self) -> bool:
        """Whether all costs are whole numbers."""
        finite = self._costs[np.isfinite(self._costs)]
        return bool((finite == np.floor(finite)).all() and finite.sum() < MANY and self.moves.norm != "linf")

    @property
    def _box(self) -> Box:
        """What may be moved to at all, and does not cost too much by itself."""
        atoms = self.decision.context.atoms
        inside = np.isfinite(self._costs) & (self._costs <= self._distance)
        return tuple(mask_of_array(inside[atoms.of(k)]) for k in range(len(self.decision.point)))

    @property
    def _grain(self) -> int:
        return 0 if self._whole else UNITS - math.frexp(self._distance)[1]

    @property
    def _spending(self) -> tuple[list[int], int]:
        """What each value costs, and the budget, in whole units."""
        unit = Fraction(2) ** self._grain
        atoms, found = self.decision.context.atoms, []
        for k, feature in enumerate(self.decision.context.domain.seen):
            move, own = self._describe_move(feature), self.decision.point[k]
            x = float(self.decision.row[feature.column])
            part = atoms.of(k)
            for value in range(part.stop - part.start):
                cost = Fraction(0)
                if value != own and self._costs[part][value] <= self._distance:
                    cost = self._measure(feature, move, x, value)
                found.append(math.floor(cost * unit))
        return found, math.floor(Fraction(self._distance) * unit)

    @staticmethod
    def _measure(feature: Feature, move: HeaderRecord, x: float, value: int) -> Fraction:
        ends = feature.all_ends if feature.patterns is None else ()
        if move["scale"] is not None and not math.isnan(x) and value < len(ends):
            low, high = ends[value].tolist()
            return abs(Fraction(low if low > x else high) - Fraction(x)) / Fraction(move["scale"])
        return Fraction(move["jump"])

    def _describe_move(self, feature: Feature) -> HeaderRecord:
        weight = float((self.moves.weights or {}).get(feature.name, 1.0))
        if feature.patterns is not None or self.moves.norm == "l0":
            return {"scale": None, "jump": weight}
        return {"scale": self.moves.find_unit(self.decision.context, feature) / weight, "jump": weight}

    def _describe_costs(self) -> HeaderRecord:
        features = self.decision.model.domain.features
        seen = {feature.name for feature in self.decision.model.domain.seen}
        free = {"scale": None, "jump": 0.0}
        return {
            "row": [None if x != x else x for x in self.decision.row.tolist()],
            "moves": [self._describe_move(f) if f.name in seen else free for f in features],
            "distance": self._distance,
            "grain": self._grain,
            "witness": None if self.row is None else [None if x != x else x for x in self.row],
        }
