"""The certificate of a shortest explanation: rows show which features every explanation must choose from.

A row that gets a different decision and differs from the given one in few features is a contrast: every set of features
that suffices has one of these. Contrasts are collected until no lighter set has a feature of each. Then branching on
features proves that: a branch is closed by numbers y_c >= 0, one per contrast c, that sum to at most the weight of each
feature over the contrasts with that feature. A set that has a feature of each contrast weighs at least the sum of all
y_c. The best such numbers are the dual solution of a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from primewood.engines.protocol import Clock, Verdict
from primewood.errors import NoCertificate
from primewood.logic.instance import Point
from primewood.logic.masks import indices
from primewood.questions.explanation_certificate import ExplanationCertifier
from primewood.questions.shortest import Proposals, WeightScale, bits_of

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate

MOST_BRANCHES = 20_000
"""A proof with more branches is too long for a certificate."""
DENOMINATORS = (1, 2, 3, 4, 6, 12, 60, 840, 2**20)
"""What the numbers of a closed branch are multiples of the reciprocal of: the first that does."""
ROUNDING = 1e-7
EVEN = 0.01
"""How much a variable with a whole share counts when one to branch on is chosen."""


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
    known : tuple of Point
        Points that get a different decision, near the row.
    """

    explained: ExplanationCertifier
    weights: Mapping[int, float]
    avoided: frozenset[int]
    known: tuple[Point, ...] = ()

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: that of the explanation, and a linear program per branch."""
        from primewood.certify.record import CertificateWriter, describe_point, put

        explained, decision = self.explained, self.explained.decision
        if decision.whole is not None or decision.model.domain.knowledge.orders:
            return explained(clock)
        writer = CertificateWriter(explained.space, clock)
        prime = explained.write(writer, clock)
        places = explained.space.places
        weights = [1.0] * len(decision.model.domain.features)
        for j, weight in self.weights.items():
            weights[places[j]] = float(weight)
        points = self._collect(clock)
        grain = _find_grain([Fraction(weight) for weight in weights])
        own = [Fraction(weights[place]) for place in places]
        covering = CoveringProof([bits_of(self._features(point)) for point in points], own, grain)
        branches = list(covering.prove(self._least, clock))
        used = sorted({k for branch in branches if not isinstance(branch, int) for k in branch[1]})
        blob = bytearray()
        for k in used:
            describe_point(blob, points[k], decision.point, places)
        for number in self._describe(branches, {k: i for i, k in enumerate(used)}):
            put(blob, number)
        least = {
            "weights": weights if self.weights else None,
            "avoided": sorted(places[j] for j in self.avoided),
            "contrasts": len(used),
            "blob": len(writer.blobs),
        }
        writer.blobs.append(bytes(blob))
        return writer.finish("shortest", prime=prime, least=least)

    def _describe(
        self, branches: Sequence[int | tuple[int, dict[int, int]]], number_of: Mapping[int, int]
    ) -> Iterator[int]:
        """The branches, number by number."""
        for branch in branches:
            if isinstance(branch, int):
                yield from (0, self.explained.space.places[branch])
                continue
            denominator, numbers = branch
            yield from (1, denominator, len(numbers))
            before = 0
            for k, number in sorted(numbers.items()):
                yield from (number_of[k] - before, number)
                before = number_of[k]

    @cached_property
    def _mentioned(self) -> frozenset[int]:
        variables = self.explained.decision.context.variables
        restricted = {j for j, x in enumerate(variables) if self.explained.box[j] != x.everything}
        return frozenset(restricted) - self.explained.fixed

    @cached_property
    def _least(self) -> Fraction:
        return sum((self._weigh(j) for j in self._mentioned), Fraction(0))

    def _weigh(self, j: int) -> Fraction:
        return Fraction(self.weights.get(j, 1))

    def _features(self, point: Point) -> frozenset[int]:
        own = self.explained.decision.point
        return frozenset(j for j, v in enumerate(point) if v != own[j]) - self.avoided

    def _collect(self, clock: Clock) -> list[Point]:
        """Contrasts that no lighter set of features hits."""
        any_order = self.explained.decision.model.engines.any_order
        points = [] if any_order else list(self.known)
        free = self.avoided | self.explained.fixed
        choices = [j for j in range(len(self.explained.decision.point)) if j not in free]
        scale = WeightScale([self._weigh(j) for j in choices])
        proposals = Proposals(
            choices, scale.units, scale.below(self._least), map(bits_of, map(self._features, points)), ()
        )
        while isinstance(proposed := proposals.next(clock), int):
            chosen = frozenset(indices(proposed))
            if sum((self._weigh(j) for j in chosen), Fraction(0)) >= self._least:  # units are rounded down
                proposals.forbid(proposed)
                continue
            while (point := self._find_contrast(chosen, clock)) is not None:
                points.append(point)
                contrast = self._features(point)
                proposals.hit(bits_of(contrast))
                if not contrast:
                    break
                chosen |= contrast  # so the next contrast shares no choice with this one
        if proposed is Verdict.INTERRUPTED:
            raise NoCertificate(
                "there is no certificate: the limit was reached before all contrasts were found"
            )
        return points

    def _find_contrast(self, chosen: frozenset[int], clock: Clock) -> Point | None:
        """A point that gets a different decision and has the row's values in the features that are chosen."""
        decision = self.explained.decision
        kept = chosen | self.explained.fixed
        variables = decision.context.variables
        box = tuple(1 << decision.point[j] if j in kept else x.everything for j, x in enumerate(variables))
        reply = decision.oracle.counterexample(box, clock)
        if reply is Verdict.INTERRUPTED:
            raise NoCertificate(
                "there is no certificate: the limit was reached before all contrasts were found"
            )
        if not isinstance(reply, tuple):
            return None
        return reply if decision.model.engines.any_order else self._move_back(reply)

    def _move_back(self, point: Point) -> Point:
        """The point with the row's values wherever it is still decided differently."""
        decision, knowledge = self.explained.decision, self.explained.decision.model.domain.knowledge
        for j in sorted(range(len(point)), key=lambda j: (j in self._mentioned, j)):
            moved = (*point[:j], decision.point[j], *point[j + 1 :])
            if moved != point and knowledge.allows(moved) and not decision.oracle.holds(moved):
                point = moved
        return point


@dataclass(frozen=True)
class Branch:
    """What is left to prove when some features are in, and others are out.

    Attributes
    ----------
    left : dict
        The contrasts that have no feature that is in, by their numbers: the features that are not out, as bits.
    missing : Fraction
        What these must weigh.
    """

    left: dict[int, int]
    missing: Fraction


class CoveringProof:
    """Proves that every set that has a feature of each contrast weighs at least so much.

    Parameters
    ----------
    contrasts
        Sets of variables, as bits.
    weights
        Of all variables.
    grain
        What all weights are multiples of.
    """

    def __init__(self, contrasts: Sequence[int], weights: Sequence[Fraction], grain: Fraction) -> None:
        self._weights, self._grain = weights, grain
        self._plain = [float(w) for w in weights]
        self._contrasts = _drop_supersets(dict(enumerate(contrasts)))

    def prove(self, least: Fraction, clock: Clock) -> Iterator[int | tuple[int, dict[int, int]]]:
        """The branches in preorder: a variable to branch on, or the numbers that close one, in some fraction."""
        stack, branches = [Branch(self._contrasts, least)], 0
        while stack:
            branches += 1
            if branches > MOST_BRANCHES or clock.expired():
                raise NoCertificate(
                    "there is no certificate: it takes too many branches to show that none is shorter; "
                    'an explanation with goal="prime" has one'
                )
            branch = stack.pop()
            found = self._pack(branch) or self._solve(branch)
            yield found
            if isinstance(found, int):
                bit = 1 << found
                inside = {k: c for k, c in branch.left.items() if not c & bit}
                outside = _drop_supersets({k: c & ~bit for k, c in branch.left.items()})
                stack.append(Branch(outside, branch.missing))
                stack.append(Branch(inside, branch.missing - self._weights[found]))

    def _pack(self, branch: Branch) -> tuple[int, dict[int, int]] | None:
        """Contrasts without a common feature that close a branch; None if those that are found do not."""
        taken, total, chosen = 0, Fraction(0), dict[int, int]()
        unit = self._grain or Fraction(1)
        for k, contrast in branch.left.items():
            if total + self._grain > branch.missing or total >= branch.missing:
                break
            if not contrast:
                chosen[k] = math.ceil(branch.missing / unit)
                total += branch.missing
            elif not contrast & taken:
                taken |= contrast
                chosen[k] = int(min(self._weights[j] for j in indices(contrast)) / unit)
                total += chosen[k] * unit
        closes = total + self._grain > branch.missing or total >= branch.missing
        return (unit.denominator, {k: n * unit.numerator for k, n in chosen.items()}) if closes else None

    def _solve(self, branch: Branch) -> tuple[int, dict[int, int]] | int:
        """The numbers of a linear program that close a branch, or the variable to branch on."""
        shares, numbers = self._relax(branch.left)
        for denominator in DENOMINATORS:
            rounded = {k: math.floor(y * denominator + ROUNDING) for k, y in numbers.items()}
            rounded = {k: y for k, y in rounded.items() if y > 0}
            total = Fraction(sum(rounded.values()), denominator)
            enough = total >= branch.missing or total + self._grain > branch.missing
            if enough and self._fits(branch.left, rounded, denominator):
                return denominator, rounded
        often = dict.fromkeys(shares, 0.0)
        for contrast in branch.left.values():
            for j in indices(contrast):
                often[j] += 0.5 ** contrast.bit_count()
        return max(often, key=lambda j: often[j] * (min(shares[j], 1 - shares[j]) + EVEN))

    def _relax(self, left: Mapping[int, int]) -> tuple[dict[int, float], dict[int, float]]:
        """The lightest share of each variable such that each contrast has one whole; and the dual solution."""
        from scipy.optimize import linprog  # type: ignore[import-untyped]
        from scipy.sparse import csr_array  # type: ignore[import-untyped]

        owned = [indices(contrast) for contrast in left.values()]
        variables = sorted({j for own in owned for j in own})
        column = {j: i for i, j in enumerate(variables)}
        entries = [column[j] for own in owned for j in own]
        ends = np.cumsum([0, *map(len, owned)])
        rows = csr_array((-np.ones(len(entries)), entries, ends), shape=(len(left), len(variables)))
        weights = [self._plain[j] for j in variables]
        solved = linprog(weights, A_ub=rows, b_ub=-np.ones(len(left)), method="highs-ds")
        shares = dict(zip(variables, solved.x.tolist(), strict=True))
        return shares, dict(zip(left, (-solved.ineqlin.marginals).tolist(), strict=True))

    def _fits(self, left: Mapping[int, int], numbers: Mapping[int, int], denominator: int) -> bool:
        """Whether the numbers of the contrasts with a variable sum to at most its weight."""
        charged: dict[int, int] = {}
        for k, number in numbers.items():
            for j in indices(left[k]):
                charged[j] = charged.get(j, 0) + number
        return all(total <= self._weights[j] * denominator for j, total in charged.items())


def _drop_supersets(contrasts: Mapping[int, int]) -> dict[int, int]:
    """The contrasts that contain no other one, the smallest first: the others add nothing."""
    kept: dict[int, int] = {}
    for k, contrast in sorted(contrasts.items(), key=lambda one: (one[1].bit_count(), one[0])):
        if not any(other & contrast == other for other in kept.values()):
            kept[k] = contrast
    return kept


def _find_grain(weights: Sequence[Fraction]) -> Fraction:
    """What all weights are multiples of."""
    denominator = math.lcm(*(w.denominator for w in weights))
    return Fraction(math.gcd(*(int(w * denominator) for w in weights)), denominator)
