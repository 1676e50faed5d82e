"""Writes certificates: the core proves boxes again and writes the proofs down; witnesses are packed beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from primewood.arrays import Floats
from primewood.certify.certificate import Certificate, pack
from primewood.certify.space import HeaderRecord, Space
from primewood.core import _native
from primewood.engines.protocol import Clock
from primewood.engines.search.joint import JointForest
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

    def add_claim(self, box: Box, decided: Sequence[int]) -> None:
        """Claim that every row of a box gets one of some decisions, and prove it."""
        ensemble = self.space.ensemble
        pairs = find_pairs(decided, len(ensemble.classes), cut=bool(ensemble.cuts))
        bodies, units = self._record(box, pairs)
        first = len(self.blobs)
        self.blobs += bodies
        proofs = [[*pair, unit, first + k] for k, (pair, unit) in enumerate(zip(pairs, units, strict=True))]
        self.claims.append({"decided": list(decided), "box": self.space.describe_box(box), "proofs": proofs})

    def _record(self, box: Box, pairs: list[tuple[int, int]]) -> tuple[list[bytes], list[int]]:
        forest = self.space.forest
        if not self.space.domain.variables:  # all rows are alike: no multipliers, and one cell
            return [bytes([0, 1 if forest.any_order else 2])] * len(pairs), [1] * len(pairs)
        found = forest.native.record(
            forest.mask(box), pairs, self.space.places, MOST_NODES, native_budget(self.clock)
        )
        check_outcome(found)
        return found.bodies, found.units

    def finish(self, kind: str, **more: HeaderRecord) -> Certificate:
        """The certificate; `more`: the fields of the header that its kind has."""
        return pack({**self.space.header, "kind": kind, "claims": self.claims, **more}, self.blobs)


def check_outcome(found: _native.Recording) -> None:
    """Raise unless there are proofs."""
    if found.outcome is _native.RecordingOutcome.COUNTEREXAMPLE:
        raise AssertionError("a proved box has a counterexample: please report this")
    if found.outcome is not _native.RecordingOutcome.PROOFS:
        raise NoCertificate(f"there is no certificate: {REASONS[found.outcome]}")


@dataclass
class JointWriter:
    """Collects claims that no row of a box, or no two rows, are decided in some way.

    Attributes
    ----------
    joint : JointForest
        What decides about the row, or about both.
    apart : tuple of int
        The variables in which a second row may differ, by their places.
    spending : pair
        What each value costs, and the budget within which rows count.
    """

    space: Space
    joint: JointForest
    clock: Clock
    blobs: list[bytes]
    apart: tuple[int, ...] = ()
    spending: tuple[Sequence[int], int] = ((), 0)
    claims: list[HeaderRecord] = field(default_factory=list)

    def add_claim(self, box: Box, ways: Sequence[tuple[int, ...]]) -> None:
        """Claim that nothing in a box is decided in one of these ways, one class per row, and prove it."""
        entries = []
        for classes in ways:
            body, unit = self._record(box, classes)
            second = classes[1] if len(classes) > 1 else None
            entries.append([classes[0], second, unit, len(self.blobs)])
            self.blobs.append(body)
        self.claims.append({"box": self.space.describe_box(box, self.apart), "never": entries})

    def _record(self, box: Box, classes: tuple[int, ...]) -> tuple[bytes, int]:
        if not self.joint.variables:  # all rows are alike: no multipliers, and one cell
            return bytes([0, 2]), 1
        count = len(self.space.domain.features)
        features = [*self.space.places, *range(count, count + len(self.apart))]
        found = self.joint.record(box, classes, features, MOST_NODES, self.clock, self.spending)
        if found is None:
            raise NoCertificate(f"there is no certificate: {REASONS[_native.RecordingOutcome.INTERRUPTED]}")
        check_outcome(found)
        return found.bodies[0], found.units[0]


def find_pairs(decided: Sequence[int], classes: int, *, cut: bool) -> list[tuple[int, int]]:
    """Classes, each with a rival that must be shown not to be preferred to it, so that only some are decided.

    Raises `ValueError` if one rival per class does not show it: see `JointWriter`.
    """
    if not cut and len(decided) == 1:
        return [(decided[0], rival) for rival in range(classes) if rival != decided[0]]
    if not decided or len(decided) < max(decided) - min(decided) + 1 or not (cut or classes == 2):
        raise ValueError("several margins are needed")
    low, high = min(decided), max(decided)
    return [pair for pair in ((low, low - 1), (high, high + 1)) if 0 <= pair[1] < classes]


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
        for base in self.bases:
            describe_point(out, base, self.point, self.space.places)
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


def describe_point(out: bytearray, point: Point, own: Point, places: Sequence[int]) -> None:
    """Append a point: how many features differ from a row's, and which value each has there."""
    changes = [(places[j], v) for j, (v, before) in enumerate(zip(point, own, strict=True)) if v != before]
    put(out, len(changes))
    before = 0
    for place, value in changes:
        put(out, place - before)
        put(out, value)
        before = place


def put(out: bytearray, number: int) -> None:
    """Append a number in groups of seven bits, the lowest first."""
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
