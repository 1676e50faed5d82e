"""Witnesses: rows that show why an explanation excludes what it excludes.

They are looked for one by one, when somebody wants to see them, and under a clock: a wide model excludes thousands of
values. What the engine saw while it weakened the row is taken; what it did not see is searched for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.logic.instance import Box, Point, is_beside
from primewood.logic.masks import indices
from primewood.model.context import UNDECIDED
from primewood.model.decision import RowDecision
from primewood.questions.exclusions import Excluded, KnownPoints, Witness
from primewood.questions.familiar_points import find_familiar

SHARE = 0.25
"""The share of the time that is left that one search may take."""
CHUNK = 1024
"""How many rows are decided at a time."""


@dataclass(frozen=True)
class WitnessFinder:
    """Finds rows just outside a box: inside it but for one feature, and with a different decision.

    Attributes
    ----------
    decision : RowDecision
        What holds in the box.
    box : Box
    known : callable
        Returns the points that an engine has seen; see `Grown`.
    """

    decision: RowDecision
    box: Box
    known: KnownPoints = dict

    def __call__(self, wanted: Sequence[Excluded], clock: Clock) -> dict[Excluded, Witness | None]:
        """The witnesses of what is excluded; None where there is none. What there was no time for is left out."""
        found: dict[Excluded, Witness | None] = {}
        points: dict[Excluded, Point] = {}
        last: Point | None = None
        for each in wanted:
            if clock.expired():
                break
            reply = self._find(each, last, clock)
            if isinstance(reply, tuple):
                points[each] = last = reply
            elif reply is Verdict.NONE_EXISTS:
                found[each] = None
            if len(points) == CHUNK:
                found |= self._confirm(points)
                points = {}
        return found | self._confirm(points)

    @cached_property
    def _known(self) -> Mapping[tuple[int, int], Point]:
        return self.known()

    def _differs(self, point: Point) -> bool:
        return self.decision.model.engines.decide(point) != self.decision.label

    def _find(self, wanted: Excluded, last: Point | None, clock: Clock) -> Reply:
        """A point of an excluded slice that gets a different decision, with values that rows have if possible."""
        place = wanted.place
        reply = self._beside(wanted, last) or self._seen_or_searched(wanted, clock)
        if not isinstance(reply, tuple) or not self._differs(reply):
            return reply  # where summation may take any order, the engine's point is all there is to show
        free = wanted.mask if wanted.together else 1 << reply[place]
        slice_ = (*self.box[:place], free, *self.box[place + 1 :])
        return find_familiar(self.decision.context, reply, slice_, self._differs, own=self.decision.point)

    def _beside(self, wanted: Excluded, last: Point | None) -> Point | None:
        """What was found for the value beside it, if that does for this one: it needs no search, and is polished."""
        if last is None:
            return None
        point = (*last[: wanted.place], wanted.nearest, *last[wanted.place + 1 :])
        fits = is_beside(self.box, point, wanted.place) and self._allows(point) and self._differs(point)
        return point if fits else None

    def _allows(self, point: Point) -> bool:
        return self.decision.model.domain.knowledge.allows(point)

    def _seen_or_searched(self, wanted: Excluded, clock: Clock) -> Reply:
        """First the nearest value, then any of its run: as the engine saw it, or by a search."""
        values = sorted(indices(wanted.mask), key=lambda v: abs(v - wanted.nearest))
        for tried in ([wanted.nearest], values):
            for value in tried:
                point = self._known.get((wanted.place, value))
                if point is not None and is_beside(self.box, point, wanted.place):
                    return point
            reply = self._search(wanted.place, sum(1 << v for v in tried), clock)
            if isinstance(reply, tuple) or (reply is Verdict.NONE_EXISTS and len(tried) == len(values)):
                return reply
        return Verdict.INTERRUPTED

    def _search(self, place: int, mask: int, clock: Clock) -> Reply:
        seconds = None if clock.limit is None else SHARE * clock.left()
        slice_ = (*self.box[:place], mask, *self.box[place + 1 :])
        return self.decision.oracle.counterexample(slice_, clock.part(seconds))

    def _confirm(self, points: Mapping[Excluded, Point]) -> dict[Excluded, Witness | None]:
        """The rows at points, as the reference decides them."""
        if not points:
            return {}
        rows = self.decision.context.cells.rows_at(
            list(points.values()), self.decision.row, self.decision.point
        )
        decided = self.decision.model.ensemble.predict(rows)
        if (decided == self.decision.label).any() and not self.decision.model.engines.any_order:
            raise AssertionError("a witness is decided like the row: please report this")
        names = self.decision.context.class_names
        return {
            each: Witness(
                self.decision.context.variables[each.place].name,
                point[each.place],
                tuple(row.tolist()),
                UNDECIDED if d == self.decision.label else names[int(d)],
            )
            for (each, point), row, d in zip(points.items(), rows, decided, strict=True)
        }
