"""The certificate of a shortest explanation: rows show which features every explanation must choose from.

A row that gets a different decision and differs from the given one in few features is a contrast: every set of features
that suffices has one of these. Contrasts are collected until branching on features, with disjoint contrasts as the
bound, shows that every set that has a feature of each weighs as much as the explanation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.logic.instance import Point
from primewood.questions.explanation_certificate import ExplanationCertifier

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate

MOST_BRANCHES = 200_000
"""A proof with more branches is too long for a certificate."""


@dataclass(frozen=True)
class ShortestCertifier:
    """Writes the certificate of an explanation that no set of features of less weight can replace.

    Attributes
    ----------
    explained : ExplanationCertifier
        Writes that of the explanation itself.
    weights : mapping
        Per variable what it weighs; 1 if not listed.
    avoided : frozenset of int
        The variables that may not be mentioned.
    """

    explained: ExplanationCertifier
    weights: Mapping[int, float]
    avoided: frozenset[int]

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: that of the explanation, and a search per contrast."""
        from primewood.certify.record import CertificateWriter, describe_point, put

        explained, decision = self.explained, self.explained.decision
        if decision.whole is not None or decision.model.domain.knowledge.orders:
            return explained(clock)
        writer = CertificateWriter(explained.space, clock)
        prime = explained.write(writer, clock)
        contrasts, steps = self._prove(clock)
        blob = bytearray()
        for point in contrasts:
            describe_point(blob, point, decision.point, explained.space.places)
        for number in steps:
            put(blob, number)
        places = explained.space.places
        weights = [1.0] * len(decision.model.domain.features)
        for j, weight in self.weights.items():
            weights[places[j]] = float(weight)
        least = {
            "weights": weights if self.weights else None,
            "avoided": sorted(places[j] for j in self.avoided),
            "contrasts": len(contrasts),
            "blob": len(writer.blobs),
        }
        writer.blobs.append(bytes(blob))
        return writer.finish("shortest", prime=prime, least=least)

    def _prove(self, clock: Clock) -> tuple[list[Point], list[int]]:
        """Contrasts, and the branches that show that they cannot be hit by less."""
        points: list[Point] = []
        least = sum((self._weight(j) for j in self._mentioned), Fraction(0))
        while True:
            tree = Branching(self, [self._features(point) for point in points], least, clock)
            chosen = tree.find_lighter()
            if chosen is None:
                return points, list(tree.describe())
            points.append(self._find_contrast(chosen, clock))

    @cached_property
    def _mentioned(self) -> frozenset[int]:
        variables = self.explained.decision.context.variables
        restricted = {j for j, x in enumerate(variables) if self.explained.box[j] != x.everything}
        return frozenset(restricted) - self.explained.fixed

    def _weight(self, j: int) -> Fraction:
        return Fraction(self.weights.get(j, 1))

    def _features(self, point: Point) -> frozenset[int]:
        own = self.explained.decision.point
        return frozenset(j for j, v in enumerate(point) if v != own[j]) - self.avoided

    def _find_contrast(self, chosen: frozenset[int], clock: Clock) -> Point:
        """A point that gets a different decision and has the row's values in the features that are chosen."""
        decision = self.explained.decision
        kept = chosen | self.explained.fixed
        variables = decision.context.variables
        box = tuple(1 << decision.point[j] if j in kept else x.everything for j, x in enumerate(variables))
        reply = decision.oracle.counterexample(box, clock)
        if not isinstance(reply, tuple):
            raise NoCertificate(
                "there is no certificate: the limit was reached before all contrasts were found"
            )
        return reply if decision.model.engines.any_order else self._move_back(reply)

    def _move_back(self, point: Point) -> Point:
        """The point with the row's values wherever it is still decided differently."""
        decision, knowledge = self.explained.decision, self.explained.decision.model.domain.knowledge
        for j in sorted(range(len(point)), key=lambda j: (j in self._mentioned, j)):
            moved = (*point[:j], decision.point[j], *point[j + 1 :])
            if moved != point and knowledge.allows(moved) and not decision.oracle.holds(moved):
                point = moved
        return point


@dataclass
class Branching:
    """Branches on features until each is closed by disjoint contrasts."""

    certifier: ShortestCertifier
    contrasts: list[frozenset[int]]
    least: Fraction
    clock: Clock
    steps: list[tuple[int, ...]] = field(default_factory=list)

    def find_lighter(self) -> frozenset[int] | None:
        """A set of less weight that has a feature of each contrast; None if there is none, which is then proved."""
        stack: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
        while stack:
            if len(self.steps) > MOST_BRANCHES or self.clock.expired():
                raise NoCertificate(
                    "there is no certificate: it takes too many branches to show that none is shorter"
                )
            inside, outside = stack.pop()
            weight = sum((self.certifier._weight(j) for j in inside), Fraction(0))
            left = {k: c - outside for k, c in enumerate(self.contrasts) if not c & inside}
            chosen = self._pack(left, weight)
            if chosen is not None:
                self.steps.append((1, len(chosen), *chosen))
            elif not left:
                return inside
            else:
                ((j, _),) = Counter(j for c in left.values() for j in sorted(c)).most_common(1)
                self.steps.append((0, self.certifier.explained.space.places[j]))
                stack += [(inside, outside | {j}), (inside | {j}, outside)]
        return None

    def _pack(self, left: dict[int, frozenset[int]], weight: Fraction) -> list[int] | None:
        """Disjoint contrasts that close a branch; None if those that are found do not."""
        chosen: list[int] = []
        taken: set[int] = set()
        for k in sorted(left, key=lambda k: (len(left[k]), k)):
            if weight >= self.least:
                break
            if not left[k]:
                return [k]
            if not left[k] & taken:
                chosen.append(k)
                taken |= left[k]
                weight += min(self.certifier._weight(j) for j in left[k])
        return chosen if weight >= self.least else None

    def describe(self) -> Iterator[int]:
        """The steps, number by number."""
        for step in self.steps:
            yield from step
