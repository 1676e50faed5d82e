"""The fewest rules for a group of rows that all have one decision.

Rules are grown around rows, one after the other: around a row that no rule covers yet, including the other rows that
no rule covers, the nearest first, before features are dropped as usual. One pass over the rows covers all of them.
Another pass begins with rows that each need a rule of their own, so that there is more to choose from. Of all rules
that were grown, the greedy choice takes few that cover all rows (`covering`); the rows that each need a rule of their
own (`rows_apart`) prove how few there can be at best.

Short rules are chosen in the same way. They are found for one row at a time, and have no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain.mined import FOUND
from primewood.engines.protocol import Clock, Grown, Step, Verdict, WeakeningPlan
from primewood.errors import InvalidInput, format_list
from primewood.logic.language import Language
from primewood.logic.masks import indices, mask_of_array
from primewood.model.decision import RowDecision
from primewood.model.model import TreeModel
from primewood.progress import say
from primewood.properties.covering import choose_cover, unite
from primewood.properties.group_explanation import (
    LEFT_OUT,
    NO_RULE,
    NOT_REACHED,
    GroupExplanation,
    GroupKind,
    GroupRule,
    UncoveredRow,
)
from primewood.properties.rows_apart import RowsApart
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.in_short.answer import InShort
from primewood.questions.in_short.find import PRECISION, find_in_short
from primewood.questions.rows_near_by import let_in_cells
from primewood.questions.weakening import weaken
from primewood.questions.widest import RowsCovered
from primewood.render.numbers import format_count
from primewood.tables.rows import find_ids, read_rows, tell

PASSES = 2
"""How often the rows are passed over."""
FIRST_PASS, ONE_RULE = 0.8, 0.1
"""The largest shares of the time for the first pass, and for one rule."""


@dataclass(frozen=True)
class GroupWishes:
    """What the rules of a group shall be like; see `Explainer.explain_group`."""

    kind: GroupKind = "proved"
    literals: Language | None = None
    precision: float | None = None
    most: int | None = None
    decision: object = None

    def check(self) -> None:
        """Raise for wishes that cannot be, or do not go together."""
        if self.kind not in get_args(GroupKind):
            raise InvalidInput(f"kind must be one of {format_list(get_args(GroupKind))}, not {self.kind!r}")
        if self.most is not None and (type(self.most) is not int or self.most < 1):
            raise InvalidInput(f"most must be a whole number from 1, or None, not {self.most!r}")
        if self.kind == "proved" and self.precision is not None:
            raise InvalidInput('precision is for kind="in_short"; proved rules hold for every row')
        if self.kind == "in_short" and self.literals is not None:
            raise InvalidInput('literals is for kind="proved"; short rules have a language of their own')


@dataclass(frozen=True)
class RowGroup:
    """Rows of one decision.

    Attributes
    ----------
    model : TreeModel
        The model that answers about all of them.
    rows : array
        As the model takes them.
    points : array
        Their cells.
    label : int
        Their decision, as a place in the names of decisions.
    places : array
        Their places in the user's table. Here they are sorted by cells, so that the rules do not depend on their order.
    labels : tuple or None
        The labels of all rows of the table, if it has an index.
    """

    model: TreeModel
    rows: NDArray[np.float64]
    points: NDArray[np.int64]
    label: int
    places: NDArray[np.int64]
    labels: tuple[object, ...] | None

    @classmethod
    def read(cls, model: TreeModel, X: Any, decision: object = None) -> RowGroup:
        """The rows of a table with a decision; without one, all rows, which must have the same."""
        model.check_decides()
        reading = read_rows(X, model.context.layout)
        tell(reading.all_notes)
        before, model = model.domain.knowledge.mined, model.serve_all(reading.rows)
        if before and len(model.domain.knowledge.mined or ()) < len(before):
            tell([f"some rows break rules {FOUND}; answered without those rules"])
        model.check_rows("X", reading.rows, strictly=True)
        points = model.domain.points(reading.rows)
        decided = model.engines.decide_all(points)
        label = _find_label(model, decided) if decision is None else model.context.label(decision)
        places = np.flatnonzero(decided == label)
        if not len(places):
            raise InvalidInput(f"the group has no rows: none of {len(decided)} has the decision {decision!r}")
        if points.shape[1]:
            places = places[np.lexsort(points[places].T[::-1])]
        return cls(model, reading.rows[places], points[places], label, places, find_ids(X))

    @property
    def everything(self) -> int:
        """All rows, in bits."""
        return (1 << len(self.rows)) - 1

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Which rows are the first ones of their cells."""
        return np.append(True, (self.points[1:] != self.points[:-1]).any(axis=1))

    def shuffle_cells(self, random: np.random.Generator) -> list[int]:
        """One row of each cell, in random order."""
        rows: list[int] = random.permutation(np.flatnonzero(self.is_first)).tolist()
        return rows

    def find_cell(self, row: int) -> int:
        """The rows in the cell of a row, in bits."""
        return mask_of_array((self.points == self.points[row]).all(axis=1))

    def ask(self, row: int) -> RowDecision:
        """The decision on one of the rows."""
        return RowDecision(self.model, tuple(self.points[row].tolist()), self.label, self.rows[row])

    def describe(self, row: int, reason: str) -> UncoveredRow:
        """One of the rows as one that no rule covers."""
        place = int(self.places[row])
        label = place if self.labels is None else self.labels[place]
        return UncoveredRow(place, label, reason, tuple(self.rows[row].tolist()))


def _find_label(model: TreeModel, decided: NDArray[np.int64]) -> int:
    """The one decision of all rows; raises if there are several."""
    labels, counts = np.unique(decided, return_counts=True)
    if len(labels) == 1:
        return int(labels[0])
    if not len(labels):
        raise InvalidInput("the group has no rows: pass at least one")
    names = [model.context.class_names[label] for label in labels]
    told = [f"{format_count(int(n), 'row')} {name}" for name, n in zip(names, counts, strict=True)]
    raise InvalidInput(
        f"the rows of a group must have one decision, and these have {len(labels)}: {format_list(told)}; pass only "
        f"those of one, or decision={names[int(counts.argmax())]!r}, which takes these rows only"
    )


@dataclass(frozen=True)
class CandidateRule:
    """A rule that may be taken.

    Attributes
    ----------
    found : Grown or InShort
    seed : int
        The row that it was grown around.
    covers : int
        The rows that it covers, in bits.
    size : int
        The number of its conditions.
    """

    found: Grown | InShort
    seed: int
    covers: int
    size: int


class RuleGrower(Protocol):
    """Grows rules of one kind around rows of a group."""

    def grow(self, seed: int, wanted: int, clock: Clock) -> CandidateRule | None:
        """A rule that covers a row and, if possible, rows that are wanted (in bits); None if there is none."""

    def state(self, candidate: CandidateRule) -> Explanation | InShort:
        """The rule as an answer."""


class ProvedRules:
    """Grows rules that are prime in a language."""

    def __init__(self, group: RowGroup, literals: Language) -> None:
        self.group, self.literals = group, literals
        self.oracle = group.model.engines.oracle(group.label)
        self._coverage = RowsCovered(group.points, self.oracle.variables)

    def grow(self, seed: int, wanted: int, clock: Clock) -> CandidateRule | None:
        """See `RuleGrower`. Around a row whose decision depends on the order of summation there is no rule."""
        decision, model = self.group.ask(seed), self.group.model
        if self.oracle.counterexample(decision.cell) is not Verdict.NONE_EXISTS:
            return None
        steps = [*self._let_in(seed, wanted), *model.usual_steps]
        found = weaken(self.oracle, decision.point, WeakeningPlan(steps, model.order, self.literals), clock)
        size = sum(mask != x.everything for mask, x in zip(found.box, self.oracle.variables, strict=True))
        return CandidateRule(found, seed, self._coverage.rows(found.box), size)

    def _let_in(self, seed: int, wanted: int) -> list[Step]:
        """A step for each wanted cell near by, the nearest first."""
        points = self.group.points
        return let_in_cells(self.oracle.variables, points[seed], points[indices(wanted & ~(1 << seed))])

    def state(self, candidate: CandidateRule) -> Explanation:
        """See `RuleGrower`."""
        assert isinstance(candidate.found, Grown)
        maker = ExplanationMaker.for_decision(self.group.ask(candidate.seed), self.literals)
        return maker.explain_grown(candidate.found)


class ShortRules:
    """Finds rules of few conditions, which are counted on the training rows."""

    def __init__(self, group: RowGroup, precision: float) -> None:
        self.group, self.precision = group, precision
        self._known: dict[bytes, CandidateRule | None] = {}

    def grow(self, seed: int, wanted: int, clock: Clock) -> CandidateRule | None:
        """See `RuleGrower`. The rule is about the one row; what else is wanted makes no difference."""
        del wanted, clock
        cell = self.group.points[seed].tobytes()
        if cell not in self._known:
            short = find_in_short(self.group.ask(seed), self.precision)
            covers = mask_of_array(short.covers(self.group.rows)) if short.found else 0
            self._known[cell] = (
                CandidateRule(short, seed, covers, len(short.features)) if short.found else None
            )
        return self._known[cell]

    def state(self, candidate: CandidateRule) -> InShort:
        """See `RuleGrower`."""
        assert isinstance(candidate.found, InShort)
        return candidate.found


class Covering:
    """Rules that were grown so far, and the rows that none could be grown around."""

    def __init__(self, grower: RuleGrower, group: RowGroup) -> None:
        self._grower, self._group = grower, group
        self.pool: list[CandidateRule] = []
        self.best: list[CandidateRule] = []
        self.hopeless = 0

    @property
    def covered(self) -> int:
        """The rows that some rule covers, in bits."""
        return unite(each.covers for each in self.pool)

    def pass_over(self, seeds: Iterable[int], clock: Clock) -> None:
        """Grow rules until each row is covered by one of this pass, or a limit comes."""
        left, found = self._group.everything & ~self.hopeless, list[CandidateRule]()
        for seed in seeds:
            if clock.expired():
                break
            if not left >> seed & 1:
                continue
            part = None if clock.limit is None else min(clock.left(), clock.limit * ONE_RULE)
            grown = self._grower.grow(seed, left, clock.part(part))
            if grown is None:
                self.hopeless |= self._group.find_cell(seed)
                continue
            found.append(grown)
            left &= ~grown.covers
            say(f"growing rules: {left.bit_count()} of {format_count(len(self._group.rows), 'row')} left")
        self.pool += found
        self._keep_best(found)

    def _keep_best(self, found: Sequence[CandidateRule]) -> None:
        """Keep the fewest rules that cover the most: of those of a pass, of all, or those before.

        Of rules that cover as many new rows, the one with the fewest conditions is chosen.
        """
        for several in (found, self.pool):
            rules = sorted(several, key=lambda each: each.size)
            chosen = [rules[place] for place in choose_cover([each.covers for each in rules])]
            self.best = max(self.best, chosen, key=_rank)


def _rank(rules: Sequence[CandidateRule]) -> tuple[int, int]:
    return (unite(each.covers for each in rules).bit_count(), -len(rules))


def explain_group(model: TreeModel, X: Any, wishes: GroupWishes, clock: Clock) -> GroupExplanation:
    """Few rules that together cover rows of one decision, and what they leave.

    When a limit comes, the rules so far are given. The rows that were not reached are listed.
    """
    wishes.check()
    group = RowGroup.read(model, X, wishes.decision)
    if wishes.kind == "in_short":
        precision = PRECISION if wishes.precision is None else wishes.precision
        short = ShortRules(group, precision)
        covering = Covering(short, group)
        _pass_repeatedly(covering, group, clock, list)
        return _answer(group, wishes, short, covering, [], None)
    literals = group.model.choose_language(wishes.literals)
    proved = ProvedRules(group, literals)
    covering = Covering(proved, group)
    search = RowsApart(proved.oracle, literals, group.points)

    def find_apart() -> list[int]:
        half = None if clock.limit is None else clock.left() / 2
        cells = covering.covered & mask_of_array(group.is_first)
        return search.find([each.covers for each in covering.pool], cells, clock.part(half))

    apart = _pass_repeatedly(covering, group, clock, find_apart)
    return _answer(group, wishes, proved, covering, apart, literals)


def _pass_repeatedly(
    covering: Covering, group: RowGroup, clock: Clock, find_apart: Callable[[], list[int]]
) -> list[int]:
    """Pass over the rows until the rules are as few as can be, or often enough; returns the rows that are apart."""
    random = np.random.default_rng(0)
    first = clock.part(None if clock.limit is None else clock.limit * FIRST_PASS)
    covering.pass_over(group.shuffle_cells(random), first)
    apart = find_apart()
    for _ in range(PASSES - 1):
        if clock.expired() or len(covering.best) <= max(1, len(apart)):
            break
        covering.pass_over([*apart, *group.shuffle_cells(random)], clock)
    return apart


def _answer(
    group: RowGroup,
    wishes: GroupWishes,
    grower: RuleGrower,
    covering: Covering,
    apart: Sequence[int],
    literals: Language | None,
) -> GroupExplanation:
    chosen = covering.best[: wishes.most]
    rules, covered = list[GroupRule](), 0
    for each in chosen:
        places = sorted(group.places[indices(each.covers)].tolist())
        rules.append(GroupRule(grower.state(each), tuple(places), (each.covers & ~covered).bit_count()))
        covered |= each.covers
    coverable, hopeless = covering.covered, covering.hopeless
    uncovered = [
        group.describe(row, _find_reason(row, coverable, hopeless))
        for row in indices(group.everything & ~covered)
    ]
    return GroupExplanation(
        decision=group.model.context.class_names[group.label],
        kind=wishes.kind,
        rules=tuple(rules),
        rows=len(group.rows),
        uncovered=tuple(sorted(uncovered, key=lambda row: row.place)),
        apart=tuple(sorted(int(group.places[row]) for row in apart if covered >> row & 1)),
        literals=literals,
        context=group.model.context,
    )


def _find_reason(row: int, coverable: int, hopeless: int) -> str:
    """Why no rule covers a row, given the rows that some rule could cover and those that have none, in bits."""
    if coverable >> row & 1:
        return LEFT_OUT
    return NO_RULE if hopeless >> row & 1 else NOT_REACHED
