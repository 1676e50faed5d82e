"""The certificate of an explanation: its box is proved again, and rows show that no condition can be relaxed.

Near a row, the model was asked over fewer cells, with the trees cut down to what near rows reach. A certificate is
about the whole file, so the box and the witnesses are stated again over all cells between the same ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from primewood.domain import Domain
from primewood.domain.nearby import narrow
from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.logic.instance import Box, Point, is_beside
from primewood.logic.language import Language
from primewood.model.decision import RowDecision
from primewood.questions.exclusions import KnownPoints

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate
    from primewood.certify.record import CertificateWriter, Outside, WitnessPacker
    from primewood.certify.space import HeaderRecord, Space


@dataclass(frozen=True)
class ExplanationCertifier:
    """Writes the certificate of one explanation.

    Attributes
    ----------
    decision : RowDecision
    box : Box
        The explanation.
    literals : Language
        What it is prime in.
    fixed : frozenset of int
        The variables that keep the row's value.
    known : callable
        Returns the points outside the box that an engine has seen.
    """

    decision: RowDecision
    box: Box
    literals: Language
    fixed: frozenset[int]
    known: KnownPoints

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof of the box, and a search per witness that no engine has seen."""
        from primewood.certify.record import CertificateWriter

        writer = CertificateWriter(self.space, clock)
        return writer.finish("explanation", prime=self.write(writer, clock))

    def write(self, writer: CertificateWriter, clock: Clock) -> HeaderRecord:
        """Write the claim and the witnesses; returns the record of the witnesses."""
        from primewood.certify.record import WitnessPacker, list_outside

        box = self._restate_box()
        writer.add_claim(box, [self.decision.label])
        packer = WitnessPacker(self.space, self.decision.row, self.space.domain.point(self.decision.row))
        fixed = frozenset(self._places[j] for j in self.fixed if j in self._places)
        for wanted in list_outside(self.space, box, self.literals, fixed):
            self._show(wanted, packer, clock)
        prime = packer.describe(self.literals, fixed, len(writer.blobs))
        writer.blobs.append(packer.pack())
        return prime

    @cached_property
    def space(self) -> Space:
        """What the certificate is about."""
        decision = self.decision
        if decision.model.domain.knowledge.changes is not None:
            raise NoCertificate("there is no certificate: near_features is not covered")
        if decision.whole is None:
            return decision.model.space
        from primewood.certify.space import Space

        whole = decision.whole.model
        return Space(whole.certified, whole.search_over(self._domain).engines.search_forest())

    @property
    def _domain(self) -> Domain:
        """Near a row: the domain between the same ends, with all cells."""
        decision = self.decision
        assert decision.whole is not None
        low, high = decision.row.copy(), decision.row.copy()
        for feature in decision.model.domain.features:
            if feature.kind == "numeric" and feature.patterns is None:
                low[feature.column], high[feature.column] = feature.low, feature.high
        return narrow(decision.whole.model.domain, None, (low, high))

    @cached_property
    def _places(self) -> dict[int, int]:
        """Per variable that the question was asked over, its place in the certificate."""
        places = {x.name: j for j, x in enumerate(self.space.domain.variables)}
        return {
            j: places[x.name] for j, x in enumerate(self.decision.model.domain.variables) if x.name in places
        }

    @cached_property
    def _values(self) -> dict[int, tuple[int, ...]]:
        """Per variable that the question was asked over: for each value in the certificate, the value there."""
        asked = self.decision.model.domain
        if asked is self.space.domain:
            return {j: tuple(range(len(x))) for j, x in enumerate(asked.variables)}
        found = {}
        for j, place in self._places.items():
            feature, before = self.space.domain.seen[place], asked.seen[j]
            rows = np.zeros((len(feature.numbers) + feature.missing, len(asked.column_names)))
            for value, row in enumerate(rows):
                feature.write(row, value)
            found[j] = tuple(before.values_of(rows).tolist())
        return found

    def _restate_box(self) -> Box:
        box = [x.everything for x in self.space.domain.variables]
        for j, place in self._places.items():
            box[place] = sum(1 << v for v, asked in enumerate(self._values[j]) if self.box[j] >> asked & 1)
        return tuple(box)

    def _show(self, wanted: Outside, packer: WitnessPacker, clock: Clock) -> None:
        """Find and pack the witnesses of a feature that the box restricts."""
        asked = next(j for j, place in self._places.items() if place == wanted.place)
        values = self._values[asked]
        if wanted.any_of:
            point = self._find(asked, tuple({values[v] for v in wanted.values}), clock)
            chosen = next(v for v in wanted.values if values[v] == point[asked])
            self._pack(wanted.place, chosen, point, packer, chosen=True)
            return
        for value in wanted.values:
            self._pack(wanted.place, value, self._find(asked, (values[value],), clock), packer, chosen=False)

    def _pack(self, place: int, value: int, point: Point, packer: WitnessPacker, *, chosen: bool) -> None:
        decision = self.decision
        restated = point
        if decision.model.domain is not self.space.domain or packer.ordered:
            (row,) = decision.context.cells.rows_at([point], decision.row, decision.point)
            restated = self.space.domain.point(row)
            packer.rows.append(row)
        packer.add(place, (*restated[:place], value, *restated[place + 1 :]), chosen=chosen)

    def _find(self, place: int, values: tuple[int, ...], clock: Clock) -> Point:
        """A point with one of some values outside the box, otherwise inside, that gets a different decision."""
        for value in values:
            point = self._known.get((place, value))
            if point is not None and is_beside(self.box, point, place):
                return point
        mask = sum(1 << value for value in values)
        reply = self.decision.oracle.counterexample((*self.box[:place], mask, *self.box[place + 1 :]), clock)
        if isinstance(reply, tuple):
            return reply
        raise NoCertificate(
            "there is no certificate: no row was found in time that shows why a condition is needed"
        )

    @cached_property
    def _known(self) -> Mapping[tuple[int, int], Point]:
        return self.known()
