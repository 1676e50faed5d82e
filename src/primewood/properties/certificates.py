"""Certificates of properties that hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from primewood.engines.protocol import Clock
from primewood.engines.search.joint import JointForest
from primewood.errors import NoCertificate
from primewood.model.model import TreeModel

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate
    from primewood.certify.record import JointWriter
    from primewood.certify.space import HeaderRecord, Space


@dataclass(frozen=True)
class PairsCertifier:
    """Writes the certificate of a property of pairs of rows that differ in one feature.

    Attributes
    ----------
    model : TreeModel
    stated : mapping
        What is claimed: the features by name, and for a monotone one the direction and the order of decisions.
    moved : tuple of str
        The features.
    ways : sequence of (int, int)
        Decisions, before and after, that do not occur.
    """

    model: TreeModel
    stated: dict[str, Any]
    moved: tuple[str, ...]
    ways: Sequence[tuple[int, int]]

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof per step of a feature and pair of decisions."""
        from primewood.certify.certificate import pack

        space, blobs = self.model.space, list[bytes]()
        names = [feature.name for feature in self.model.domain.features]
        parts = []
        for name in self.moved:
            place = self.model.context.place(name)
            claims = [] if place is None else self._prove(place, blobs, clock)
            parts.append({"apart": [names.index(name)], "claims": claims})
        about = "monotone" if "monotone" in self.stated else "independent"
        found = [names.index(name) for name in self.moved]
        stated = {**self.stated, about: found[0] if about == "monotone" else found}
        second = {**space.vote, "paired": True}
        header = {**space.header, "kind": "pairs", "second": second, "property": stated, "parts": parts}
        return pack(header, blobs)

    def _prove(self, place: int, blobs: list[bytes], clock: Clock) -> list[HeaderRecord]:
        """The claims about one feature: step by step; under constraints, from each value to all above it."""
        from primewood.certify.record import JointWriter

        variables, rules = self.model.context.variables, self.model.domain.knowledge.rules
        forest = self.model.engines.search_forest()
        seconds = [len(variables) if j == place else j for j in range(len(variables))]
        parts = [(forest, range(len(variables))), (forest, seconds)]
        joint = JointForest((*variables, variables[place]), parts, paired=True, twins=True)
        writer = JointWriter(self.model.space, joint, clock, blobs, (place,))
        last = variables[place].ordered if "monotone" in self.stated else len(variables[place])
        constrained = any(place in box for rule in rules for box in rule.forbidden)
        if constrained and len(self.moved) > 1:
            raise NoCertificate("there is no certificate: several features under constraints are not covered")
        for before, after in itertools.pairwise(range(last)):
            above = (1 << last) - (1 << after) if constrained else 1 << after
            box = [x.everything for x in variables]
            box[place] = 1 << before
            writer.add_claim((*box, above), self._list_ways(constrained))
        return writer.claims

    def _list_ways(self, constrained: bool) -> list[tuple[int, int]]:
        both = constrained and "independent" in self.stated
        return sorted({*self.ways, *((b, a) for a, b in self.ways if both)})


@dataclass(frozen=True)
class ComparisonCertifier:
    """Writes the certificate that two models decide alike on every row.

    Attributes
    ----------
    first, second : Space
        The two over the same domain.
    paired : bool
        Whether their trees are put together two by two.
    ways : sequence of (int, int)
        The pairs of decisions that are not the same.
    """

    first: Space
    second: Space
    paired: bool
    ways: Sequence[tuple[int, int]]

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof per pair of different decisions."""
        from primewood.certify.certificate import pack
        from primewood.certify.record import JointWriter

        variables = self.first.domain.variables
        places = range(len(variables))
        parts = [(space.forest, places) for space in (self.first, self.second)]
        joint = JointForest(variables, parts, paired=self.paired, twins=True)
        writer: JointWriter = JointWriter(self.first, joint, clock, [])
        writer.add_claim(tuple(x.everything for x in variables), self.ways)
        second = {**self.second.vote, "paired": self.paired}
        header = {**self.first.header, "kind": "compare", "second": second, "claims": writer.claims}
        return pack(header, writer.blobs)


def refuse(reason: str) -> Any:
    """What stands for the certificate of an answer that has none."""

    def certify(_: Clock) -> Certificate:
        raise NoCertificate(f"there is no certificate: {reason}")

    return certify
