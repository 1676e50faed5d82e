"""Witnesses: rows that show why an explanation excludes what it excludes.

They are looked for one by one, when somebody wants to see them, and under a clock: a wide model excludes thousands of
values. What the engine saw while it weakened the row is taken; what it did not see is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from primewood.domain import EnsembleSubject
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Grown, Reply, Verdict
from primewood.logic.instance import Box, Point, indices
from primewood.model.context import UNDECIDED, Context, Row
from primewood.questions.examples import familiar
from primewood.questions.explanation import Excluded, FindWitnesses, Witness

SHARE = 0.25
"""The share of the time that is left that one search may take."""
CHUNK = 1024
"""How many rows are decided at a time."""


def witness_finder(
    context: Context,
    engines: Engines,
    label: int,
    row: Row | None,
    point: Point,
    box: Box,
    known: Callable[[], Mapping[tuple[int, int], Point]] = dict,
) -> FindWitnesses | None:
    """What finds the witnesses of a box that a decision holds in; None where no model decides about rows.

    Parameters
    ----------
    known
        Returns the points that an engine has seen; see `Grown`.
    """
    if row is None or not isinstance(engines.subject, EnsembleSubject):
        return None
    return WitnessFinder(context, engines, label, row, point, box, known)


def finder_of(
    context: Context, engines: Engines, label: int, row: Row | None, point: Point, found: Grown
) -> FindWitnesses | None:
    """What finds the witnesses of the box that a weakening found."""
    return witness_finder(context, engines, label, row, point, found.box, found.find_witnesses)


@dataclass(frozen=True)
class WitnessFinder:
    """Finds rows just outside a box: inside it but for one feature, and with a different decision."""

    context: Context
    engines: Engines
    label: int
    row: Row
    point: Point
    box: Box
    known: Callable[[], Mapping[tuple[int, int], Point]]

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
        return self.engines.decide(point) != self.label

    def _find(self, wanted: Excluded, last: Point | None, clock: Clock) -> Reply:
        """A point of an excluded slice that gets a different decision, with values that rows have if possible."""
        place = wanted.place
        reply = self._beside(wanted, last) or self._seen_or_searched(wanted, clock)
        if not isinstance(reply, tuple) or not self._differs(reply):
            return reply  # where summation may take any order, the engine's point is all there is to show
        free = wanted.mask if wanted.together else 1 << reply[place]
        slice_ = (*self.box[:place], free, *self.box[place + 1 :])
        return familiar(self.context, reply, slice_, self._differs, own=self.point)

    def _beside(self, wanted: Excluded, last: Point | None) -> Point | None:
        """What was found for the value beside it, if that does for this one: it needs no search, and is polished."""
        if last is None:
            return None
        point = (*last[: wanted.place], wanted.nearest, *last[wanted.place + 1 :])
        fits = self._is_outside(point, wanted.place) and self._allows(point) and self._differs(point)
        return point if fits else None

    def _is_outside(self, point: Point, place: int) -> bool:
        """Whether a point is in the box but for one variable."""
        return all(
            j == place or mask >> v & 1 for j, (mask, v) in enumerate(zip(self.box, point, strict=True))
        )

    def _allows(self, point: Point) -> bool:
        assert self.context.domain is not None
        return self.context.domain.knowledge.allows(point)

    def _seen_or_searched(self, wanted: Excluded, clock: Clock) -> Reply:
        """First the nearest value, then any of its run: as the engine saw it, or by a search."""
        values = sorted(indices(wanted.mask), key=lambda v: abs(v - wanted.nearest))
        for tried in ([wanted.nearest], values):
            for value in tried:
                point = self._known.get((wanted.place, value))
                if point is not None and self._is_outside(point, wanted.place):
                    return point
            reply = self._search(wanted.place, sum(1 << v for v in tried), clock)
            if isinstance(reply, tuple) or (reply is Verdict.NONE_EXISTS and len(tried) == len(values)):
                return reply
        return Verdict.UNKNOWN

    def _search(self, place: int, mask: int, clock: Clock) -> Reply:
        seconds = None if clock.limit is None else SHARE * clock.left()
        slice_ = (*self.box[:place], mask, *self.box[place + 1 :])
        return self.engines.oracle(self.label).counterexample(slice_, Clock(seconds, clock.work_limit))

    def _confirm(self, points: Mapping[Excluded, Point]) -> dict[Excluded, Witness | None]:
        """The rows at points, as the reference decides them."""
        if not points:
            return {}
        subject = self.engines.subject
        assert isinstance(subject, EnsembleSubject)
        rows = self.context.rows_at(list(points.values()), self.row, self.point)
        decided = subject.ensemble.predict(rows)
        if (decided == self.label).any() and not self.engines.any_order:
            raise AssertionError("a witness is decided like the row: please report this")
        names = self.context.class_names
        return {
            each: Witness(
                self.context.variables[each.place].name,
                point[each.place],
                tuple(row.tolist()),
                UNDECIDED if d == self.label else names[int(d)],
            )
            for (each, point), row, d in zip(points.items(), rows, decided, strict=True)
        }
