"""Counterfactuals: the nearest row that gets a different decision, and the range of rows around it that is safe."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from primewood.engines.protocol import Clock, Nearest, Verdict, WeakeningPlan
from primewood.logic.instance import Point
from primewood.logic.interval import number
from primewood.logic.masks import mask_of_array
from primewood.logic.term import Term
from primewood.model.context import UNDECIDED, TreeContext
from primewood.model.decision import RowDecision
from primewood.model.row_in_cell import Row
from primewood.model.score import Score
from primewood.questions.certified import Certified, Certifier
from primewood.questions.distance import Moves
from primewood.questions.familiar_points import find_familiar
from primewood.questions.nearest_certificate import NearestCertifier
from primewood.questions.status import Status
from primewood.questions.weakening import weaken
from primewood.render import decimals
from primewood.render.brief import Brief
from primewood.render.records import CounterfactualRecord, Scalar, plain
from primewood.visible import join_lines

if TYPE_CHECKING:
    from primewood.engines.choice import Engines

EXACT = 1e-3
"""Sums of fractions are the least up to this share: nearer to the optimum ever more rows cost nearly the same."""
ROUNDING = 1e-9
"""Other distances are the least but for rounding."""


@dataclass(frozen=True, repr=False)
class Counterfactual(Certified, Brief):
    """A row near another one that gets a different decision.

    Attributes
    ----------
    status : Status
        "proved": no row that may be moved to is nearer (in sums of fractions: by more than a thousandth).
        "interrupted": a limit was reached, or constraints between features made the row move farther than its cell is;
        `lower` says how near one could still be. "impossible": no row that may be moved to gets a different decision.
    decision, other : object
        The decisions on the row that was asked about, and on `row`.
    asked : tuple of float
        The row that was asked about.
    row : tuple of float or None
        The nearest row found that gets a different decision, confirmed by the model's own sums.
    cost : float
        Its distance; infinite without one.
    lower : float
        No such row is nearer than this.
    box : Term or None
        What keeps the other decision: every row that differs from the one asked about in the features that change, and
        keeps these within their ranges here, is decided like `row`; what the rest of the term says is true of the row
        anyway.
    moves : Moves
        What was allowed, and the measure of distance.
    notes : tuple of str
        What to know about the row that was asked about.
    certify : callable or None
        What writes the certificate that nothing is nearer than `lower`; None where the model is not at hand.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.counterfactual(X[50], "virginica")
    >>> found.features, found.other, found.status
    (('pl',), 'virginica', <Status.PROVED: 'proved'>)
    >>> round(found.cost, 3)
    0.042
    """

    status: Status
    decision: object
    other: object
    asked: tuple[float, ...]
    row: tuple[float, ...] | None
    cost: float
    lower: float
    box: Term | None
    moves: Moves
    context: TreeContext
    notes: tuple[str, ...] = ()
    certify: Certifier | None = field(default=None, repr=False, compare=False)

    @property
    def _unproved(self) -> str:
        return "" if self.lower > 0 else "no distance above 0 is proved"

    @property
    def score(self) -> Score | None:
        """What the decision on the given row is based on."""
        return self.context.score(self.asked)

    @property
    def other_score(self) -> Score | None:
        """What the decision on `row` is based on; None without one."""
        return self.context.score(self.row)

    @property
    def features(self) -> tuple[str, ...]:
        """The features that change."""
        if self.row is None:
            return ()
        old, new = np.array(self.asked), np.array(self.row)
        return tuple(
            f.name
            for f in self.context.domain.features
            if not np.array_equal(old[list(f.columns)], new[list(f.columns)], equal_nan=True)
        )

    @property
    def changes(self) -> dict[str, tuple[object, object]]:
        """Per feature that changes: what it is, and what it would be."""
        if self.row is None:
            return {}
        old, new = (self.context.named_values(np.array(row)) for row in (self.asked, self.row))
        return {name: (old[name], new[name]) for name in self.features}

    @property
    def changes_text(self) -> str:
        """The changes in words, such as "city Berlin -> Rom"."""
        return ", ".join(
            f"{name} {_word(old)} -> {self._shown(name, old, new)}"
            for name, (old, new) in self.changes.items()
        )

    @property
    def advice(self) -> str:
        """The ranges that the changed features must reach, in words; the others stay as they are."""
        if self.box is None:
            return ""
        changed = [x for x in self.box.literals if x.variable.name in self.features]
        return " AND ".join(self.context.literal_record(x)["text"] for x in changed)

    def to_dict(self) -> CounterfactualRecord:
        """The counterfactual in plain types."""
        literals = [] if self.box is None else self.box.literals
        return {
            "status": str(self.status),
            "decision": plain(self.decision),
            "score": self.context.score_record(self.asked),
            "other_score": self.context.score_record(self.row),
            "other": plain(self.other),
            "norm": self.moves.norm,
            "relative": self.moves.relative,
            "cost": self.cost if math.isfinite(self.cost) else None,
            "lower": self.lower if math.isfinite(self.lower) else None,
            "row": None if self.row is None else [None if x != x else x for x in self.row],
            "changes": {name: [_known(x) for x in pair] for name, pair in self.changes.items()},
            "box": [self.context.literal_record(x) for x in literals],
            "advice": self.advice,
            "model": self.context.digest,
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.card import counterfactual

        return counterfactual(self.to_dict())

    def __str__(self) -> str:
        if self.row is None:
            if self.status is Status.IMPOSSIBLE:
                return f"always {self.decision}: no row that may be moved to gets a different decision"
            return f"no other decision than {self.decision} was found in time; none is nearer than {self.lower:.4g}"
        proof = "nearest, proved" if self.status is Status.PROVED else f"none is nearer than {self.lower:.4g}"
        lines = [f"{self.other} instead of {self.decision} with {self.changes_text}"]
        lines += [f"   {score}" for score in (self.score, self.other_score) if score is not None]
        lines.append(f"   distance {self.cost:.4g} ({self.moves.norm}; {proof})")
        if self.advice:
            lines.append(f"   safe as long as {self.advice}, everything else unchanged")
        lines += [f"   Note: {note}" for note in self.notes]
        return join_lines(lines)

    def _shown(self, name: str, old: object, new: object) -> str:
        """What a feature would be: of a number with many digits, a short one beside it that is safe as well."""
        feature = self.context.feature(name)
        literals = () if self.box is None else self.box.literals
        pieces = [
            p for x in literals if x.variable.name == name and x.variable.is_numeric for p in x.intervals
        ]
        here = next((piece for piece in pieces if isinstance(new, float) and new in piece), None)
        if here is None or not isinstance(new, float) or not isinstance(old, float) or feature.whole:
            return _word(new)
        further = new + math.copysign(abs(new) * 1e-3, new - old)
        short = decimals.shortest(new, further, 4)
        return short if float(short) in here else _word(new)


def _known(value: object) -> Scalar | None:
    return None if isinstance(value, float) and math.isnan(value) else plain(value)


def _word(value: object) -> str:
    if isinstance(value, float):
        return "missing" if math.isnan(value) else number(value)
    return str(value)


@dataclass(frozen=True)
class CounterfactualSearch:
    """Finds counterfactuals of one decision, or towards its target.

    Attributes
    ----------
    decision : RowDecision
        As the row is decided, and whose engine finds the nearest row.
    moves : Moves
        Which moves there are, and what they cost.
    safe_engines : Engines or None
        For the safe box: for every order of summation if that may vary. None if no safe box is wanted.
    """

    decision: RowDecision
    moves: Moves
    safe_engines: Engines | None = None

    @classmethod
    def for_predict(cls, decision: RowDecision, moves: Moves) -> CounterfactualSearch:
        """Counterfactuals of the decision as `predict` takes it, with boxes that are safe however scores are added."""
        moves.check(decision.context)
        return cls(decision.sum_sequentially(), moves, decision.model.engines)

    def find_nearest(self, clock: Clock) -> Counterfactual:
        """The nearest one."""
        return self._find(self.moves, clock)

    def find_diverse(self, clock: Clock) -> Iterator[Counterfactual]:
        """One after the other, the nearest first, none of which changes all that an earlier one changes.

        If there is none, or none was found in time, one answer says so.

        After each, its features are held one at a time, and the nearest of what that leaves comes next.
        """
        ties = itertools.count()
        waiting: list[tuple[float, int, frozenset[str], Counterfactual]] = []
        seen: set[frozenset[str]] = set()
        found: list[frozenset[str]] = []

        def consider(held: frozenset[str]) -> None:
            if held not in seen and not clock.expired():
                seen.add(held)
                one = self._find(replace(self.moves, immutable=self.moves.immutable | held), clock)
                if one.row is not None:
                    heapq.heappush(waiting, (one.cost, next(ties), held, one))

        nearest = self.find_nearest(clock)
        if nearest.row is None:
            yield nearest
            return
        waiting.append((nearest.cost, next(ties), frozenset(), nearest))
        while waiting:
            _, _, held, one = heapq.heappop(waiting)
            changed = frozenset(one.features)
            if not any(earlier <= changed for earlier in found):
                found.append(changed)
                yield one
            for name in one.features:
                consider(held | {name})

    def _find(self, moves: Moves, clock: Clock) -> Counterfactual:
        decision = self.decision
        oracle = decision.model.engines.price_changes(decision.label, decision.target)
        costs = moves.find_costs(decision.context, decision.row, decision.point)
        found = oracle.nearest(decision.point, costs, clock, largest=moves.norm == "linf")
        return self._state(found, moves, clock)

    def _state(self, found: Nearest, moves: Moves, clock: Clock) -> Counterfactual:
        decision, context, engines = self.decision, self.decision.context, self.decision.model.engines
        point = None if found.point is None else self._recognise(found.point, moves)
        row = None if point is None else self._find_row(point, moves)
        if point is None or row is None:
            nowhere = point is None and not found.interrupted
            return Counterfactual(
                status=Status.IMPOSSIBLE if nowhere else Status.INTERRUPTED,
                decision=decision.name,
                other=None,
                asked=decision.values,
                row=None,
                cost=math.inf,
                lower=found.lower,
                box=None,
                moves=moves,
                context=context,
                notes=decision.notes_on_rules,
                certify=NearestCertifier(decision, moves, found.lower, None),
            )
        other = engines.decide(point)
        as_wanted = other != decision.label if decision.target is None else other == decision.target
        if context.domain.point(row) != point or not (as_wanted or engines.any_order):
            raise AssertionError("a counterfactual is not decided as it should be: please report this")
        cost = moves.measure(context, decision.row, row)
        # Where orders had to move more than the cell says, a row elsewhere may be nearer.
        slack = EXACT if moves.norm == "l1" else ROUNDING
        as_the_cells_say = cost <= found.cost * (1 + slack) + 1e-12
        return Counterfactual(
            status=Status.PROVED if as_the_cells_say and not found.interrupted else Status.INTERRUPTED,
            decision=decision.name,
            other=context.class_names[other] if as_wanted else UNDECIDED,
            asked=decision.values,
            row=tuple(row.tolist()),
            cost=cost,
            lower=min(found.lower, cost),
            box=self._find_safe_box(point, other, clock),
            moves=moves,
            context=context,
            notes=decision.notes_on_rules,
            certify=NearestCertifier(decision, moves, min(found.lower, cost), tuple(row.tolist())),
        )

    def _recognise(self, point: Point, moves: Moves) -> Point:
        """A point that is as near and decided the same, with values that training rows have if possible."""
        decision, context, engines = self.decision, self.decision.context, self.decision.model.engines
        other = engines.decide(point)
        if other == decision.label:
            return point
        costs, atoms = moves.find_costs(context, decision.row, decision.point), context.atoms
        box = []
        for k, value in enumerate(point):
            prices = costs[atoms.of(k)]
            alike = mask_of_array(prices == prices[value])
            box.append(1 << value if value == decision.point[k] else alike)
        return find_familiar(context, point, tuple(box), lambda p: engines.decide(p) == other)

    def _find_row(self, point: Point, moves: Moves) -> Row | None:
        """The nearest row of a cell; where only the number of changes counts, with numbers of training rows."""
        decision, cells = self.decision, self.decision.context.cells
        limits = moves.find_limits(decision.context, decision.row)
        if moves.norm == "l0" and not (limits and decision.model.domain.knowledge.orders):
            return cells.row_at(point, decision.row, decision.point)
        return cells.nearest_row(point, decision.row, decision.point, limits)

    def _find_safe_box(self, point: Point, other: int, clock: Clock) -> Term | None:
        """The cell widened in the features that change, one after the other, while the rest stays in its cell."""
        if self.safe_engines is None:
            return None
        oracle, own = self.safe_engines.oracle(other), self.decision.point
        if oracle.counterexample(tuple(1 << v for v in point), clock) is not Verdict.NONE_EXISTS:
            return None
        changed = [k for k in range(len(point)) if point[k] != own[k]]
        fixed = frozenset(range(len(point))) - frozenset(changed)
        grown = weaken(oracle, point, WeakeningPlan([], changed, "intervals", fixed), clock)
        return Term.of_box(self.decision.context.variables, grown.box)
