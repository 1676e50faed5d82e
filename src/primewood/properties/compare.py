"""Comparing two models: whether they decide alike on every row, and if not, in which regions they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import EnsembleSubject, default_order
from primewood.engines.choice import Engines
from primewood.engines.duality import DualFamily
from primewood.engines.protocol import Clock, Family, Oracle, Reply, Verdict, WeakeningPlan
from primewood.engines.search.joint import Demand, JointForest
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, NoCertificate, format_list
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.model.context import TreeContext
from primewood.model.model import TreeModel
from primewood.model.row_in_cell import Row
from primewood.model.score import Scorer
from primewood.properties.certificates import ComparisonCertifier
from primewood.properties.comparison import ChangedRows, Comparison, Region
from primewood.properties.verification import Verifier
from primewood.properties.wording import Outcome
from primewood.questions.weakening import drop_each, weaken

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate

TRIED = 4096
"""Rows that are made up of the training rows' values, to find a difference before searching for one."""


def compare_models(model: TreeModel, other: TreeModel, regions: int, clock: Clock) -> Comparison:
    """Whether two models over the same columns decide alike on every row, and if not, where they differ.

    The time of the clock begins when both are cut into the same values.
    """
    for each in (model, other):
        each.check_decides()
    check_comparable(model.ensemble, other.ensemble)
    joint = model.cut_beside(other.ensemble)
    second = Engines(EnsembleSubject(other.ensemble, joint.domain), any_order=other.engines.any_order)
    for engines in (joint.engines, second):
        engines.prepare()
    verifier = Verifier(joint, clock.part(clock.limit))
    names = (model.context.class_names, other.context.class_names)
    scorers = (model.context.scorer, other.context.scorer)
    found = Comparing(verifier, second, names, scorers)
    return replace(found.compare(regions), certify=lambda clock: found.certify(other.certified, clock))


def check_comparable(a: Ensemble, b: Ensemble) -> None:
    """Raise if two models do not take the same columns."""
    if a.feature_names != b.feature_names:
        raise InvalidInput(
            f"the two take different columns: {format_list(a.feature_names)}, and {format_list(b.feature_names)}"
        )


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
        return Verdict.INTERRUPTED if Verdict.INTERRUPTED in replies else Verdict.NONE_EXISTS

    def primes(self, literals: Language, point: Point | None = None) -> Family:
        return DualFamily(self, literals, point)


@dataclass(frozen=True)
class Comparing:
    """Two models over one domain, whose features are cut wherever one of the two cuts them.

    Attributes
    ----------
    verifier : Verifier
        The first model; its context has the rows.
    second : Engines
        The second one, over the same domain.
    names : pair of tuples
        The names of the two models' decisions.
    scorers : pair
        What says how the two score rows.
    """

    verifier: Verifier
    second: Engines
    names: tuple[tuple[object, ...], tuple[object, ...]]
    scorers: tuple[Scorer | None, Scorer | None] = (None, None)

    def certify(self, other: Ensemble, clock: Clock) -> Certificate:
        """The certificate that they are equivalent; `other` is the second model as its file has it."""
        from primewood.certify.space import Space

        spaces = self.verifier.model.space, Space(other, self.second.search_forest())
        labels = [[str(label) for label in space.ensemble.classes] for space in spaces]
        same = np.array([[a == b for b in labels[1]] for a in labels[0]])
        if (same != self._same).any():
            raise NoCertificate(
                "there is no certificate: the names given for decisions are not the files' labels"
            )
        ways = [(a, b) for a, b in np.argwhere(~same).tolist()]
        return ComparisonCertifier(*spaces, self._are_alike, ways)(clock)

    def compare(self, most_regions: int) -> Comparison:
        """Whether they are equivalent, or where they differ."""
        rows = self.verifier.context.rows
        affected = np.empty(0, dtype=np.int64)
        if rows is not None and self.verifier.context.points is not None:
            possible = np.flatnonzero((self.verifier.context.points >= 0).all(axis=1))
            affected = np.intersect1d(self._differ(rows), possible)
        known = [] if rows is None else [np.asarray(rows[i]) for i in affected.tolist()]
        if not known and not self.verifier.context.variables:
            only = self.verifier.subject.domain.row_in(())
            known = [only] if len(self._differ(only[None, :])) else []
            if not known:
                return Comparison(Outcome.HOLDS, self.verifier.context, rows=0 if rows is None else len(rows))
        if not known:
            found, note = self._search()
            if found is None:
                outcome = Outcome.UNDECIDED if note else Outcome.HOLDS
                return Comparison(
                    outcome, self.verifier.context, rows=0 if rows is None else len(rows), note=note
                )
            known = [found]
        return Comparison(
            Outcome.FAILS,
            self.verifier.context,
            tuple(known[0].tolist()),
            tuple(
                names[d] for names, d in zip(self.names, self._decide(known[0][None, :])[:, 0], strict=True)
            ),
            tuple(affected.tolist()),
            0 if rows is None else len(rows),
            tuple(self._regions(known, affected, most_regions)),
            directions=self._directions(affected),
            scores=tuple(scorer.score(known[0]) for scorer in self.scorers if scorer is not None),
        )

    def _directions(self, affected: NDArray[np.int64]) -> tuple[ChangedRows, ...]:
        """The affected rows by what the two models decide about them."""
        context = self.verifier.context
        if context.rows is None or not len(affected):
            return ()
        decided = self._decide(context.rows[affected])
        found = []
        for pair in np.unique(decided, axis=1).T:
            places = affected[(decided == pair[:, None]).all(axis=0)].tolist()
            first, second = (names[d] for names, d in zip(self.names, pair.tolist(), strict=True))
            ids = tuple(context.row_id(place) for place in places)
            found.append(ChangedRows(first, second, tuple(places), ids))
        return tuple(sorted(found, key=lambda direction: -len(direction)))

    def _decide(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.array(
            [self._ensemble(engines).predict(rows) for engines in (self.verifier.engines, self.second)]
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
        return bool(len(self._differ(self.verifier.row(point)[None, :])))

    def _differ(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        first, second = self._decide(rows)
        return np.flatnonzero(~self._same[first, second])

    def _search(self) -> tuple[Row | None, str]:
        """A row that is decided differently; or None, with a note unless there is none."""
        made_up = self._make_up_rows()
        if len(made_up):
            different = self._differ(made_up)
            if len(different):
                return np.asarray(made_up[different[0]]), ""
        verifier, clock = self.verifier, self.verifier.clock
        joint = self._joint()
        joint.build(clock)  # in the time of all pairs; a search alone would do it in its own
        pairs = [tuple(pair) for pair in np.argwhere(~self._same).tolist()]
        proved = 0
        for i, (a, b) in enumerate(pairs):
            left = clock.left()
            share = clock.part(None if left < 0 else left / (len(pairs) - i))
            reply = joint.find(verifier.everything, [Demand(0, a), Demand(1, b)], share)
            if isinstance(reply, tuple):
                row = verifier.row(
                    verifier.recognise(reply, verifier.everything, self._is_decided_differently)
                )
                if len(self._differ(row[None, :])):
                    return row, ""
                if not (verifier.engines.any_order or self.second.any_order):
                    raise AssertionError("a difference is none: please report this")
            proved += reply is Verdict.NONE_EXISTS
        if proved == len(pairs):
            return None, ""
        return (
            None,
            f"no difference was found; {proved} of {len(pairs)} pairs of decisions are proved not to occur",
        )

    def _make_up_rows(self) -> NDArray[np.float64]:
        """Rows put together from the values of training rows; none under constraints."""
        rows, points = self.verifier.context.rows, self.verifier.context.points
        if rows is None or points is None or self.verifier.subject.domain.knowledge:
            return np.empty((0, 0))
        known = rows[(points >= 0).all(axis=1)]
        if not len(known):
            return np.empty((0, 0))
        generator = np.random.default_rng(0)
        made = known[generator.integers(0, len(known), TRIED)].copy()
        for feature in self.verifier.subject.domain.features:
            swapped = generator.random(TRIED) < 0.5
            other = known[generator.integers(0, len(known), int(swapped.sum()))]
            for column in feature.columns:
                made[swapped, column] = other[:, column]
        return made

    @property
    def _are_alike(self) -> bool:
        """Whether most trees of the two test the same."""
        a, b = self._ensemble(self.verifier.engines), self._ensemble(self.second)
        return len(a.trees) == len(b.trees) and sum(map(_same_tests, a.trees, b.trees)) * 2 >= len(a.trees)

    def _joint(self) -> JointForest:
        variables = self.verifier.context.variables
        places = range(len(variables))
        a, b = self._ensemble(self.verifier.engines), self._ensemble(self.second)
        alike = self._are_alike
        votes = [(e.vote, e.summands, e.total_divisor, e.start, e.precision, e.link, e.cuts) for e in (a, b)]
        fixed_order = not (self.verifier.engines.any_order or self.second.any_order)
        return JointForest(
            variables,
            [(self.verifier.engines.search_forest(), places), (self.second.search_forest(), places)],
            paired=alike,
            twins=alike and fixed_order and votes[0] == votes[1] and bool(np.diag(self._same).all()),
        )

    def _regions(self, known: Sequence[Row], affected: NDArray[np.int64], most: int) -> list[Region]:
        """Regions around rows that differ, until all affected rows are in one; those with the most rows first."""
        found: list[Region] = []
        left = np.ones(len(known), dtype=bool)
        while left.any() and len(found) < most and not (found and self.verifier.clock.expired()):
            first = int(np.argmax(left))
            region, inside = self._region(known, known[first], affected)
            found.append(region)
            left &= ~inside
            left[first] = False
        return sorted(found, key=lambda region: -len(region.rows))

    def _region(
        self, known: Sequence[Row], row: Row, affected: NDArray[np.int64]
    ) -> tuple[Region, NDArray[np.bool_]]:
        context, verifier = self.verifier.context, self.verifier
        a, b = (int(d) for d in self._decide(row[None, :])[:, 0])
        both = Both(verifier.engines.oracle(a), self.second.oracle(b))
        order = default_order(verifier.subject)
        steps = drop_each(order, [len(x) for x in context.variables])
        point = context.domain.point(row)
        grown = weaken(both, point, WeakeningPlan(steps, order, "intervals"), verifier.clock)
        inside = np.array([_holds(grown.box, context.domain.points(r[None, :])[0].tolist()) for r in known])
        rows = tuple(affected[inside].tolist()) if len(affected) else ()
        term = Term.of_box(context.variables, grown.box)
        return Region(
            term, self.names[0][a], self.names[1][b], rows, _volume(context, grown.box), context
        ), inside


def _holds(box: Box, point: Sequence[int]) -> bool:
    return all(v >= 0 and mask >> v & 1 for mask, v in zip(box, point, strict=True))


def _volume(context: TreeContext, box: Box) -> float | None:
    if context.volumes is None:
        return None
    return float(np.prod([w[indices(mask)].sum() for mask, w in zip(box, context.volumes, strict=True)]))


def _same_tests(a: Any, b: Any) -> bool:
    """Whether two trees test the same in the same places."""
    return len(a) == len(b) and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("feature", "left", "right")
    )
