"""Writes certificates: the core proves boxes again and writes the proofs down; witnesses are packed beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from primewood.arrays import Floats
from primewood.certify.certificate import Certificate, pack
from primewood.certify.space import HeaderRecord, Space
from primewood.core import _native
from primewood.engines.protocol import Clock
from primewood.engines.search.oracle import native_budget
from primewood.errors import NoCertificate
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language, weakenings
from primewood.logic.masks import indices

MOST_NODES = 200_000
"""A proof with more nodes is too long for a certificate."""
REASONS = {
    _native.RecordingOutcome.TOO_LONG: f"its proof is too long: more than {MOST_NODES:,} nodes",
    _native.RecordingOutcome.INTERRUPTED: "the limit was reached before the proof was written",
    _native.RecordingOutcome.NEEDS_LINK: "two classes are so close that only the values of the softmax itself tell "
    "them apart, and these are not part of a certificate",
}


@dataclass
class CertificateWriter:
    """Collects the claims of one certificate and their proofs."""

    space: Space
    clock: Clock
    claims: list[HeaderRecord] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)

    def add_claim(self, box: Box, label: int) -> None:
        """Claim that every row of a box gets a decision, and prove it."""
        space = self.space
        rivals = find_rivals(label, len(space.ensemble.classes), cut=bool(space.ensemble.cuts))
        bodies, units = self._record(box, label, rivals)
        first = len(self.blobs)
        self.blobs += bodies
        proofs = [[rival, unit, first + k] for k, (rival, unit) in enumerate(zip(rivals, units, strict=True))]
        self.claims.append({"label": label, "box": space.describe_box(box), "proofs": proofs})

    def _record(self, box: Box, label: int, rivals: list[int]) -> tuple[list[bytes], list[int]]:
        forest = self.space.forest
        if not self.space.domain.variables:  # all rows are alike: no multipliers, and one cell
            return [bytes([0, 1 if forest.any_order else 2])] * len(rivals), [1] * len(rivals)
        found = forest.native.record(
            forest.mask(box), label, rivals, self.space.places, MOST_NODES, native_budget(self.clock)
        )
        if found.outcome is _native.RecordingOutcome.COUNTEREXAMPLE:
            raise AssertionError("a proved box has a counterexample: please report this")
        if found.outcome is not _native.RecordingOutcome.PROOFS:
            raise NoCertificate(f"there is no certificate: {REASONS[found.outcome]}")
        return found.bodies, found.units

    def finish(
        self, kind: str, *, prime: HeaderRecord | None = None, radius: HeaderRecord | None = None
    ) -> Certificate:
        """The certificate."""
        header = {"kind": kind, "claims": self.claims, "prime": prime, "radius": radius}
        return pack({**self.space.header, **header}, self.blobs)


def find_rivals(label: int, classes: int, *, cut: bool) -> list[int]:
    """The classes that must be shown not to win: all others, or next to the label where cuts decide."""
    near = (label - 1, label + 1) if cut else range(classes)
    return [rival for rival in near if rival != label and 0 <= rival < classes]


@dataclass(frozen=True)
class Outside:
    """What must be shown of a feature that a box restricts.

    Attributes
    ----------
    place : int
        The place of the variable.
    values : tuple of int
        One value after the other, each of which needs a witness; or, if `any_of`, values of which one does.
    """

    place: int
    values: tuple[int, ...]
    any_of: bool = False


def list_outside(space: Space, box: Box, literals: Language, fixed: frozenset[int]) -> list[Outside]:
    """What must be shown so that no literal of a box can be relaxed."""
    found = []
    for j, (variable, mask) in enumerate(zip(space.domain.variables, box, strict=True)):
        if mask == variable.everything or j in fixed:
            continue
        numbers = mask & ((1 << variable.ordered) - 1)
        if literals == "values" or (literals == "intervals" and variable.ordered and not numbers):
            found.append(Outside(j, tuple(indices(variable.everything & ~mask)), any_of=True))
        else:
            weaker = [indices(m & ~mask)[0] for m in weakenings(variable, mask, literals)]
            found.append(Outside(j, tuple(sorted(weaker))))
    return found


@dataclass
class WitnessPacker:
    """Packs witnesses: points that few others differ from in one feature, then which of them shows what."""

    space: Space
    row: Floats
    point: Point
    bases: dict[Point, int] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)

    def add(self, place: int, witness: Point, *, chosen: bool) -> None:
        """A point that shows why a value of a variable is outside; `chosen` if it could be another value."""
        base = (*witness[:place], self.point[place], *witness[place + 1 :])
        self.shown.append(self.bases.setdefault(base, len(self.bases)))
        if chosen:
            self.shown.append(witness[place])

    def describe(self, literals: Language, fixed: frozenset[int], blob: int) -> HeaderRecord:
        """The record of the header."""
        return {
            "language": literals,
            "row": [None if x != x else x for x in self.row.tolist()],
            "fixed": [self.space.places[j] for j in sorted(fixed)],
            "bases": len(self.bases),
            "numbers": list(self.ordered),
            "blob": blob,
        }

    def pack(self) -> bytes:
        """The blob."""
        out = bytearray()
        places = self.space.places
        for base in self.bases:
            changes = [
                (places[j], v) for j, (v, own) in enumerate(zip(base, self.point, strict=True)) if v != own
            ]
            put(out, len(changes))
            before = 0
            for place, value in changes:
                put(out, place - before)
                put(out, value)
                before = place
        for number in self.shown:
            put(out, number)
        if self.ordered:
            columns = [self.space.domain.features[i].column for i in self.ordered]
            out += np.array([row[columns] for row in self.rows], dtype="<f8").tobytes()
        return bytes(out)

    @cached_property
    def ordered(self) -> tuple[int, ...]:
        """The features that orders compare: their witnesses need numbers that are in order."""
        orders = self.space.domain.knowledge.orders
        names = {name for order in orders for name in (order.lower, order.upper)}
        return tuple(i for i, feature in enumerate(self.space.domain.features) if feature.name in names)


def put(out: bytearray, number: int) -> None:
    """Append a number in groups of seven bits, the lowest first."""
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
