"""A proven rule list: a few prime implicants per decision that cover most training rows.

For each decision, rules are grown around rows that no rule covers yet, each as wide as a short search makes it
(`reasons.widest`, counting uncovered rows), and the one that covers the most new rows is taken. At the end, rules
whose rows the others cover are dropped. Each rule is an implicant of the model's decision, so it is right on every row
that it covers, in training or not, and the rules may be read in any order. They are about the model's decisions, which
need not be the labels of the rows. Rows that match no rule get no decision.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.language import Language
from primewood.logic.masks import indices, mask_of_array
from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.model.decision import RowDecision
from primewood.model.feature_records import instance_record
from primewood.model.model import WAITING, TreeModel
from primewood.model.row_in_cell import Row
from primewood.properties.covering import choose_greedily, drop_superfluous
from primewood.questions.best_problem import Problem
from primewood.questions.explanation import Explanation
from primewood.questions.necessity import count_necessary
from primewood.questions.status import Status
from primewood.questions.widest import Cuts, RowsCovered, Tuning, Widest, rivals_of, widest
from primewood.questions.witnesses import WitnessFinder
from primewood.render import text
from primewood.render.numbers import format_count
from primewood.render.records import RuleListRecord, RuleRecord, plain
from primewood.tables.rows import as_rows
from primewood.visible import Readable, join_lines

TRIES = 3
"""Around how many uncovered rows a rule is grown before the best is taken."""
MOST_LETTERS = 16_000
"""So long a text of rules is shown."""
PATIENCE = 25
"""Rounds without gain before the growing of one rule ends."""


@dataclass(frozen=True, eq=False, repr=False)
class Rule(Explanation):
    """One rule of a list: an explanation that stands for many rows.

    Attributes
    ----------
    rows : int
        How many training rows it covers.
    new_rows : int
        How many of them no earlier rule of the list covers.
    """

    rows: int = 0
    new_rows: int = 0

    def to_dict(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = False
    ) -> RuleRecord:
        """As of an explanation, with the numbers of rows; about no row, though it grew around one."""
        del in_short
        record = super().to_dict(witnesses=witnesses, distribution=distribution)
        record["instance"] = instance_record(self.context, None, distribution=distribution)
        return {**record, "rows": self.rows, "new_rows": self.new_rows}


@dataclass(frozen=True)
class CoverageCurve:
    """How much of the training rows the first rules cover.

    Attributes
    ----------
    by_decision : dict
        Per decision, the shares of its rows that its first 0, 1, 2, ... rules cover.
    overall : tuple of float
        The shares of the rows of all these decisions that the first 0, 1, 2, ... rules of the list cover.
    """

    by_decision: dict[object, tuple[float, ...]]
    overall: tuple[float, ...]


@dataclass(frozen=True)
class RuleList(Readable):
    """Prime implicants of a model's decisions, those that cover the most new training rows first.

    Attributes
    ----------
    rules : tuple of Rule
    rows : dict
        Per decision, how many training rows the model decides so, as far as there was time to decide them.
    outside : int
        Training rows that lie in no cell of the domain, and are not counted.
    literals : str
    status : Status
        `proved`: every rule is prime, and the list ended because it covers enough or has as many rules as it may;
        `interrupted`: time ran out first. Every rule entails its decision either way.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> rules = explainer.rules()
    >>> len(rules.rules), rules.status
    (4, <Status.PROVED: 'proved'>)
    >>> rules.rows
    {'setosa': 50, 'versicolor': 48, 'virginica': 52}
    """

    rules: tuple[Rule, ...]
    rows: dict[object, int]
    outside: int
    literals: Language
    status: Status
    context: TreeContext = field(repr=False)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, place: int) -> Rule:
        return self.rules[place]

    @cached_property
    def covered(self) -> dict[object, int]:
        """Per decision, how many of its training rows some rule covers."""
        return {name: sum(r.new_rows for r in self.rules if r.decision == name) for name in self.rows}

    @property
    def uncovered(self) -> dict[object, int]:
        """Per decision, how many of its training rows no rule covers."""
        return {name: rows - self.covered[name] for name, rows in self.rows.items()}

    @cached_property
    def curve(self) -> CoverageCurve:
        """The number of rules against the share of the training rows that they cover."""
        return CoverageCurve(
            {
                name: _shares([r.new_rows for r in self.rules if r.decision == name], rows)
                for name, rows in self.rows.items()
            },
            _shares([r.new_rows for r in self.rules], sum(self.rows.values())),
        )

    def decide(self, X: Any) -> NDArray[np.object_]:
        """The decision on each row, or None where it matches no rule. Cost: rows times rules."""
        rows = as_rows(X, self.context.layout)
        found = np.full(len(rows), None, dtype=object)
        for rule in reversed(self.rules):
            found[rule.covers(rows)] = rule.decision
        return found

    def to_dict(self) -> RuleListRecord:
        """The list in plain types."""
        return {
            "status": str(self.status),
            "literal_language": self.literals,
            "rules": [rule.to_dict() for rule in self.rules],
            "decisions": [
                {
                    "decision": plain(name),
                    "rows": rows,
                    "covered": self.covered[name],
                    "uncovered": self.uncovered[name],
                    "curve": list(self.curve.by_decision[name]),
                }
                for name, rows in self.rows.items()
            ],
            "curve": list(self.curve.overall),
            "outside": self.outside,
            "vote": self.context.vote,
            "model": self.context.digest,
            "assumptions": list(self.context.all_assumptions),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.card import rule_list

        return rule_list(self.to_dict())

    def __repr__(self) -> str:
        return f"<RuleList of {format_count(len(self.rules), 'rule')}: print it, rules[0], to_dict()>"

    def __str__(self) -> str:
        lines: list[str] = []
        for rule in self.rules:
            more = f", {rule.new_rows} of them new" if rule.new_rows < rule.rows else ""
            line = f"{rule.rule}  ({format_count(rule.rows, 'row')}{more})"
            if sum(map(len, lines)) + len(line) > MOST_LETTERS:
                lines.append(f"{format_count(len(self.rules) - len(lines), 'further rule')}, not shown here")
                break
            lines.append(line)
        total, covered = sum(self.rows.values()), sum(self.covered.values())
        share = f" ({text.write_share(covered / total)})" if total else ""
        lines.append(
            f"{format_count(len(self.rules), 'rule')}, each right on every row that it covers; "
            f"together {covered} of {format_count(total, 'training row')}{share}"
        )
        left = [f"{name}: {count}" for name, count in self.uncovered.items() if count]
        if left:
            lines.append(f"covered by no rule: {', '.join(left)}")
        if self.outside:
            lines.append(
                f"not counted, because they lie outside the domain: {format_count(self.outside, 'row')}"
            )
        if self.status != Status.PROVED:
            lines.append("stopped early: more rules may cover more, and a rule may not be prime")
        known = self.context.domain.knowledge.list_all() if isinstance(self.context, TreeContext) else ()
        if known:
            lines.append(f"assumes: {'; '.join(known)}")
        return join_lines(lines)


@dataclass(frozen=True)
class RuleWishes:
    """What a rule list shall be like.

    Attributes
    ----------
    decisions : sequence or None
        Those to list rules of; None for all.
    literals : str or None
        The language of the rules; None for the model's.
    coverage : float
        The share of a decision's training rows that its rules shall cover.
    most_rules : int or None
        The most rules per decision.
    seed : int
        The same seed gives the same rules, unless time is up.
    """

    decisions: Sequence[object] | None = None
    literals: Language | None = None
    coverage: float = 0.95
    most_rules: int | None = None
    seed: int = 0

    def check(self) -> None:
        """Raise for what cannot be."""
        if not 0 < self.coverage <= 1:
            raise InvalidInput(f"coverage must be a share above 0 and up to 1, not {self.coverage!r}")
        if self.most_rules is not None and self.most_rules < 1:
            raise InvalidInput(f"most_rules must be a number from 1, or None, not {self.most_rules!r}")


def grow_rules(model: TreeModel, wishes: RuleWishes, clock: Clock) -> RuleList:
    """A few prime implicants per decision that cover most training rows; every rule is proved.

    The time is shared out evenly among the decisions that are left. When it is over, the rules found so far are given.
    """
    context = model.context
    model.check_decides()
    literals = model.choose_language(wishes.literals)
    if context.points is None:
        raise InvalidInput("a rule list is made from training rows: give X_train")
    wishes.check()
    coverage, most_rules = wishes.coverage, wishes.most_rules
    names = context.class_names if wishes.decisions is None else wishes.decisions
    labels = list(dict.fromkeys(context.label(name) for name in names))
    counted = RowsCovered(context.points, context.variables)
    decided = model.decide_training_rows(clock)
    classes = [
        _Class(model, label, literals, counted.only(mask_of_array(decided == label)), wishes.seed)
        for label in labels
    ]
    waiting = [each for each in classes if not each.covers_enough(coverage, most_rules)]
    while waiting and not clock.expired():
        for place, each in enumerate(waiting):
            left = None if clock.limit is None else clock.left() / (len(waiting) - place)
            each.cover(coverage, most_rules, clock.part(left))
        waiting = [each for each in waiting if not each.covers_enough(coverage, most_rules)]
    rules = [rule for each in classes for rule in each.rules()]
    rules.sort(key=lambda rule: -rule.new_rows)
    prime = all(rule.status == Status.PROVED for rule in rules)
    return RuleList(
        tuple(rules),
        {context.class_names[label]: int((decided == label).sum()) for label in labels},
        int((decided == -1).sum()),
        literals,
        Status.PROVED if prime and not waiting and WAITING not in decided else Status.INTERRUPTED,
        context,
    )


@dataclass(frozen=True)
class _Candidate:
    """A box that entails the decision, the training row it was grown around, and the rows it covers, as bits."""

    found: Widest
    row: int
    covers: int


class _Class:
    """The rules of one decision."""

    def __init__(
        self,
        model: TreeModel,
        label: int,
        literals: Language,
        coverage: RowsCovered,
        seed: int,
    ) -> None:
        self.model, self.label, self.coverage = model, label, coverage
        self.cuts = Cuts(model.engines.oracle(label), literals, rivals_of(model.engines, label))
        self.seed, self.random = seed, random.Random(seed)
        self.chosen: list[_Candidate] = []
        self.pool: list[_Candidate] = []
        self.uncovered, self.hopeless = coverage.counted, 0

    def covers_enough(self, share: float, most_rules: int | None) -> bool:
        """Whether the rules cover this share of the rows, or more of them cannot, or must not, be found."""
        rows = self.coverage.counted.bit_count()
        return (
            rows - self.uncovered.bit_count() >= share * rows
            or not self.uncovered & ~self.hopeless
            or (most_rules is not None and len(self.chosen) >= most_rules)
        )

    def cover(self, share: float, most_rules: int | None, clock: Clock) -> None:
        """Take rules until they cover enough or a limit comes.

        Rows that no rule can be grown around, because rounding decides about them, are hopeless.
        """
        while not self.covers_enough(share, most_rules) and not clock.expired():
            rows = indices(self.uncovered & ~self.hopeless)
            for row in self.random.sample(rows, min(TRIES, len(rows))):
                candidate = self.grown(row, self.uncovered, clock)
                if candidate.found.entails:
                    self.pool.append(candidate)
                else:
                    self.hopeless |= 1 << row
            if self.pool:
                best = max(self.pool, key=lambda each: (each.covers & self.uncovered).bit_count())
                self.chosen.append(best)
                self.uncovered &= ~best.covers
                self.pool = [each for each in self.pool if each.covers & self.uncovered]

    def grown(self, row: int, uncovered: int, clock: Clock) -> _Candidate:
        """A rule around a training row, as wide as a short search over the uncovered rows makes it."""
        limit = None if clock.limit is None else min(clock.left(), clock.limit / 10)
        point = tuple(self.coverage.points[row].tolist())
        problem = Problem(self.cuts.oracle, point, self.model.order, self.cuts.literals)
        found = widest(
            problem,
            self.coverage.only(uncovered),
            cuts=self.cuts,
            clock=clock.part(limit),
            tuning=Tuning(seed=self.seed, patience=PATIENCE, prove=False),
        )
        return _Candidate(found, row, self.coverage.rows(found.box))

    def _thin_out(self) -> None:
        """Drop what the others cover, the earliest first, and put those first that cover the most new rows."""
        kept = [self.chosen[place] for place in drop_superfluous([each.covers for each in self.chosen])]
        self.chosen = [kept[place] for place in choose_greedily([each.covers for each in kept])]

    def rules(self) -> list[Rule]:
        """The rules that were taken, in order."""
        self._thin_out()
        made, covered = [], 0
        for each in self.chosen:
            made.append(self._rule(each, (each.covers & ~covered).bit_count()))
            covered |= each.covers
        return made

    def _rule(self, candidate: _Candidate, new_rows: int) -> Rule:
        context, found = self.model.context, candidate.found
        decision = None if context.rows is None else self._decide(candidate, context.rows[candidate.row])
        rule = Rule(
            decision=context.class_names[self.label],
            term=Term.of_box(context.variables, found.box),
            literals=self.cuts.literals,
            status=Status.PROVED if found.prime else Status.INTERRUPTED,
            row=None if decision is None else decision.values,
            context=context,
            queries=found.queries,
            rows=candidate.covers.bit_count(),
            new_rows=new_rows,
        )
        if decision is None:
            return rule
        known = None if found.prime else partial(count_necessary, decision, rule.literals, found.grown)
        finder = WitnessFinder(decision, found.box, found.find_witnesses)
        return replace(rule, find_witnesses=finder, known_necessity=known)

    def _decide(self, candidate: _Candidate, row: Row) -> RowDecision:
        point = tuple(self.coverage.points[candidate.row].tolist())
        return RowDecision(self.model, point, self.label, row)


def _shares(new_rows: Sequence[int], rows: int) -> tuple[float, ...]:
    """The shares that are covered after no rule, one, two, ..."""
    return tuple(float(x) / max(1, rows) for x in np.cumsum([0, *new_rows]))
