"""Comparing two models: whether they decide alike on every row, and if not, in which regions they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import EnsembleSubject
from primewood.engines.choice import Engines
from primewood.engines.duality import DualFamily
from primewood.engines.protocol import Clock, Family, Oracle, Reply, Verdict
from primewood.engines.search.joint import Demand, JointForest
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, listing
from primewood.logic.instance import Box, Point, indices
from primewood.logic.interval import number
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.properties.claim import Outcome
from primewood.properties.verification import Asked
from primewood.reasons.context import Context, Row, plain
from primewood.reasons.prime import default_order
from primewood.reasons.weakening import dropping, weaken

TRIED = 4096
"""Rows that are made up of the training rows' values, to find a difference before searching for one."""


@dataclass(frozen=True)
class Region:
    """A region throughout which the two models decide differently, each in one way.

    Attributes
    ----------
    term : Term
    first, second : object
        What the two models decide there.
    rows : tuple of int
        The training rows in it, by their place.
    share : float or None
        How much of the box of the training ranges it is, features taken as independent; None without training rows.
    """

    term: Term
    first: object
    second: object
    rows: tuple[int, ...]
    share: float | None
    context: Context

    def to_dict(self) -> dict[str, Any]:
        """The region in plain types."""
        return {
            "literals": [self.context.literal_record(x) for x in self.term.literals],
            "first": plain(self.first),
            "second": plain(self.second),
            "rows": list(self.rows),
            "share": self.share,
        }

    def __str__(self) -> str:
        affected = f" ({len(self.rows)} of the rows)" if self.share is not None else ""
        return f"{self.first} -> {self.second} IF {self.context.words(self.term)}{affected}"


@dataclass(frozen=True)
class Comparison:
    """Whether two models decide alike.

    Attributes
    ----------
    outcome : Outcome
        "holds": they decide alike on every row, proved. "fails": they do not, with a witness. "undecided": no
        difference was found in time.
    witness : tuple of float or None
        A row that they decide differently.
    decisions : tuple
        What the two say about it.
    affected : tuple of int
        The training rows that they decide differently, by their place.
    rows : int
        How many training rows there are.
    regions : tuple of Region
        Where they differ: regions around the affected rows, or the witness, those with the most rows first. There may
        be more of them.
    note : str
        If it is undecided: how far the proof came.
    """

    outcome: Outcome
    context: Context
    witness: tuple[float, ...] | None = None
    decisions: tuple[object, ...] = ()
    affected: tuple[int, ...] = ()
    rows: int = 0
    regions: tuple[Region, ...] = ()
    note: str = ""

    @property
    def equivalent(self) -> bool | None:
        """True or False; None if it is undecided."""
        return {Outcome.HOLDS: True, Outcome.FAILS: False, Outcome.UNDECIDED: None}[self.outcome]

    def to_dict(self) -> dict[str, Any]:
        """The comparison in plain types."""
        return {
            "equivalent": self.equivalent,
            "witness": None if self.witness is None else [None if x != x else x for x in self.witness],
            "decisions": [plain(d) for d in self.decisions],
            "affected": list(self.affected),
            "rows": self.rows,
            "regions": [region.to_dict() for region in self.regions],
            "note": self.note,
        }

    def __str__(self) -> str:
        domain = self.context.domain
        given = "; ".join(domain.assumptions) if domain is not None else ""
        if self.outcome is Outcome.HOLDS:
            return "equivalent: they decide alike on every row" + (
                f", for rows where {given}" if given else ""
            )
        if self.outcome is Outcome.UNDECIDED:
            return f"undecided: {self.note}"
        lines = [
            "different: "
            + (
                f"on {len(self.affected)} of {self.rows} rows"
                if self.rows
                else "in these regions, and perhaps in more"
            )
        ]
        lines += [f"   {region}" for region in self.regions]
        if self.witness is not None and not self.rows:
            names = self.context.named_values(np.array(self.witness))
            told = ", ".join(
                f"{name} = {number(x) if isinstance(x, float) else x}" for name, x in names.items()
            )
            lines.append(f"   for instance {self.decisions[0]} -> {self.decisions[1]} for {told}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Both:
    """The decision "the first model decides this and the second that", as an oracle."""

    first: Oracle
    second: Oracle

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.first.variables

    def holds(self, point: Point) -> bool:
        return self.first.holds(point) and self.second.holds(point)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        replies = []
        for oracle in (self.first, self.second):
            replies.append(oracle.counterexample(box, clock))
            if isinstance(replies[-1], tuple):
                return replies[-1]
        return Verdict.UNKNOWN if Verdict.UNKNOWN in replies else Verdict.NONE_EXISTS

    def primes(self, literals: Language, point: Point | None = None) -> Family:
        return DualFamily(self, literals, point)


@dataclass(frozen=True)
class Comparing:
    """Two models over one domain, whose features are cut wherever one of the two cuts them.

    Attributes
    ----------
    asked : Asked
        The first model; its context has the rows.
    second : Engines
        The second one, over the same domain.
    names : pair of tuples
        The names of the two models' decisions.
    """

    asked: Asked
    second: Engines
    names: tuple[tuple[object, ...], tuple[object, ...]]

    def compared(self, most_regions: int) -> Comparison:
        """Whether they are equivalent, or where they differ."""
        rows = self.asked.context.rows
        affected = np.empty(0, dtype=np.int64)
        if rows is not None and self.asked.context.points is not None:
            possible = np.flatnonzero((self.asked.context.points >= 0).all(axis=1))
            affected = np.intersect1d(self._differ(rows), possible)
        known = [] if rows is None else [np.asarray(rows[i]) for i in affected.tolist()]
        if not known and not self.asked.context.variables:
            only = self.asked.subject.domain.row_in(())
            known = [only] if len(self._differ(only[None, :])) else []
            if not known:
                return Comparison(Outcome.HOLDS, self.asked.context, rows=0 if rows is None else len(rows))
        if not known:
            found, note = self._searched()
            if found is None:
                outcome = Outcome.UNDECIDED if note else Outcome.HOLDS
                return Comparison(
                    outcome, self.asked.context, rows=0 if rows is None else len(rows), note=note
                )
            known = [found]
        return Comparison(
            Outcome.FAILS,
            self.asked.context,
            tuple(known[0].tolist()),
            tuple(
                names[d] for names, d in zip(self.names, self._decided(known[0][None, :])[:, 0], strict=True)
            ),
            tuple(affected.tolist()),
            0 if rows is None else len(rows),
            tuple(self._regions(known, affected, most_regions)),
        )

    def _decided(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.array(
            [self._ensemble(engines).predict(rows) for engines in (self.asked.engines, self.second)]
        )

    @staticmethod
    def _ensemble(engines: Engines) -> Ensemble:
        assert isinstance(engines.subject, EnsembleSubject)
        return engines.subject.ensemble

    @cached_property
    def _same(self) -> NDArray[np.bool_]:
        """Which decisions of the two are the same, by their names."""
        return np.array([[str(a) == str(b) for b in self.names[1]] for a in self.names[0]])

    def _is_decided_differently(self, point: Point) -> bool:
        return bool(len(self._differ(self.asked.row(point)[None, :])))

    def _differ(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        first, second = self._decided(rows)
        return np.flatnonzero(~self._same[first, second])

    def _searched(self) -> tuple[Row | None, str]:
        """A row that is decided differently; or None, with a note unless there is none."""
        made_up = self._made_up()
        if len(made_up):
            different = self._differ(made_up)
            if len(different):
                return np.asarray(made_up[different[0]]), ""
        asked, clock = self.asked, self.asked.clock
        joint = self._joint()
        pairs = [tuple(pair) for pair in np.argwhere(~self._same).tolist()]
        proved = 0
        for i, (a, b) in enumerate(pairs):
            left = clock.left()
            share = Clock(None if left < 0 else left / (len(pairs) - i), clock.work_limit)
            reply = joint.find(asked.everything, [Demand(0, a), Demand(1, b)], share)
            if isinstance(reply, tuple):
                row = asked.row(asked.recognised(reply, asked.everything, self._is_decided_differently))
                if len(self._differ(row[None, :])):
                    return row, ""
                if not (asked.engines.any_order or self.second.any_order):
                    raise AssertionError("a difference is none: please report this")
            proved += reply is Verdict.NONE_EXISTS
        if proved == len(pairs):
            return None, ""
        return (
            None,
            f"no difference was found; {proved} of {len(pairs)} pairs of decisions are proved not to occur",
        )

    def _made_up(self) -> NDArray[np.float64]:
        """Rows put together from the values of training rows; none under constraints."""
        rows, points = self.asked.context.rows, self.asked.context.points
        if rows is None or points is None or self.asked.subject.domain.knowledge:
            return np.empty((0, 0))
        known = rows[(points >= 0).all(axis=1)]
        if not len(known):
            return np.empty((0, 0))
        generator = np.random.default_rng(0)
        made = known[generator.integers(0, len(known), TRIED)].copy()
        for feature in self.asked.subject.domain.features:
            swapped = generator.random(TRIED) < 0.5
            other = known[generator.integers(0, len(known), int(swapped.sum()))]
            for column in feature.columns:
                made[swapped, column] = other[:, column]
        return made

    def _joint(self) -> JointForest:
        variables = self.asked.context.variables
        places = range(len(variables))
        a, b = self._ensemble(self.asked.engines), self._ensemble(self.second)
        alike = len(a.trees) == len(b.trees) and sum(map(_same_tests, a.trees, b.trees)) * 2 >= len(a.trees)
        votes = [(e.vote, e.summands, e.total_divisor, e.start, e.precision, e.link, e.cuts) for e in (a, b)]
        fixed_order = not (self.asked.engines.any_order or self.second.any_order)
        return JointForest(
            variables,
            [(self.asked.engines.search_forest(), places), (self.second.search_forest(), places)],
            paired=alike,
            twins=alike and fixed_order and votes[0] == votes[1] and bool(np.diag(self._same).all()),
        )

    def _regions(self, known: Sequence[Row], affected: NDArray[np.int64], most: int) -> list[Region]:
        """Regions around rows that differ, until all affected rows are in one; those with the most rows first."""
        found: list[Region] = []
        left = np.ones(len(known), dtype=bool)
        while left.any() and len(found) < most and not (found and self.asked.clock.expired()):
            first = int(np.argmax(left))
            region, inside = self._region(known, known[first], affected)
            found.append(region)
            left &= ~inside
            left[first] = False
        return sorted(found, key=lambda region: -len(region.rows))

    def _region(
        self, known: Sequence[Row], row: Row, affected: NDArray[np.int64]
    ) -> tuple[Region, NDArray[np.bool_]]:
        context, asked = self.asked.context, self.asked
        assert context.domain is not None
        a, b = (int(d) for d in self._decided(row[None, :])[:, 0])
        both = Both(asked.engines.oracle(a), self.second.oracle(b))
        order = default_order(asked.subject)
        steps = dropping(order, [len(x) for x in context.variables])
        point = context.domain.point(row)
        grown = weaken(both, point, steps, order, "intervals", clock=asked.clock)
        inside = np.array([_holds(grown.box, context.domain.points(r[None, :])[0].tolist()) for r in known])
        rows = tuple(affected[inside].tolist()) if len(affected) else ()
        term = Term.of_box(context.variables, grown.box)
        return Region(
            term, self.names[0][a], self.names[1][b], rows, _volume(context, grown.box), context
        ), inside


def _holds(box: Box, point: Sequence[int]) -> bool:
    return all(v >= 0 and mask >> v & 1 for mask, v in zip(box, point, strict=True))


def _volume(context: Context, box: Box) -> float | None:
    if context.volumes is None:
        return None
    return float(np.prod([w[indices(mask)].sum() for mask, w in zip(box, context.volumes, strict=True)]))


def _same_tests(a: Any, b: Any) -> bool:
    """Whether two trees test the same in the same places."""
    return len(a) == len(b) and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("feature", "left", "right")
    )


def check_comparable(a: Ensemble, b: Ensemble) -> None:
    """Raise if two models do not take the same columns."""
    if a.feature_names != b.feature_names:
        raise InvalidInput(
            f"the two take different columns: {listing(a.feature_names)}, and {listing(b.feature_names)}"
        )
