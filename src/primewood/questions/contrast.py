"""Contrastive explanations: which features to change so that another decision becomes possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn, Protocol, SupportsIndex

import numpy as np

from primewood.engines.duality import AnswerKind, Duality
from primewood.engines.protocol import Clock, Family, Listing, Oracle, Verdict
from primewood.errors import InvalidInput, NotPicklable
from primewood.logic.expression import Literal
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.logic.term import Term
from primewood.model.context import UNDECIDED, Context, TreeContext
from primewood.model.decision import Decision, RowDecision
from primewood.model.model import TreeModel
from primewood.model.row_in_cell import Row
from primewood.questions.distance import Moves
from primewood.questions.familiar_points import find_familiar
from primewood.questions.families import BoxFamily
from primewood.questions.status import Status
from primewood.render.brief import Brief
from primewood.render.numbers import few
from primewood.render.records import ContrastRecord, plain
from primewood.visible import join_lines


@dataclass(frozen=True, repr=False)
class Contrast(Brief):
    """A minimal set of features to change, with a row that shows what can happen then.

    Attributes
    ----------
    decision : object
        The decision on the row that was asked about.
    other : object
        The decision on `changed`.
    term : Term
        The change: per feature the values that are allowed besides the row's own (in "values", all others).
    literals : str
    row : tuple of float or None
        The row that was asked about; None for an instance of an expression.
    changed : tuple of float or None
        A row that differs from it only in these features, and gets a different decision. Where constraints order
        features, others may move inside their own cells.
    instance : Point
        The cell of `changed`.
    status : Status
        "proved": it is minimal. "interrupted": a limit was reached; a smaller change may exist, or none was found.
        "impossible": nothing changes the decision.
    fewest : bool
        Whether it is proved that no contrast has fewer features.
    notes : tuple of str
        What to know about the row.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.contrast(X[50], "virginica")
    >>> found.features, found.other, found.fewest
    (('pl',), 'virginica', True)
    """

    decision: object
    other: object
    term: Term
    literals: Language
    row: tuple[float, ...] | None
    changed: tuple[float, ...] | None
    instance: Point
    context: Context
    status: Status = Status.PROVED
    fewest: bool = False
    notes: tuple[str, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The features that change."""
        return tuple(literal.variable.name for literal in self.term.literals)

    def to_dict(self) -> ContrastRecord:
        """The contrast in plain types."""
        changed = {}
        for name, old, new in zip(
            self.context.column_names, self.row or (), self.changed or (), strict=False
        ):
            if new != old and not (new != new and old != old):
                changed[name] = None if new != new else new
        return {
            "decision": plain(self.decision),
            "score": self.context.score_record(self.row),
            "other_score": self.context.score_record(self.changed),
            "model": self.context.digest,
            "other": None if self.other is None else plain(self.other),
            "status": str(self.status),
            "fewest": self.fewest,
            "literal_language": self.literals,
            "lets_go": [self.context.literal_record(literal) for literal in self.term.literals],
            "changed": changed,
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import contrast

        return contrast(self.to_dict(), str(self))

    def __str__(self) -> str:
        score = self.context.score(self.row)
        first = self._words() if score is None else f"{self._words()} ({score.reason})"
        return join_lines([first, *(f"Note: {note}" for note in self.notes)], "   ")

    def _words(self) -> str:
        if self.status is Status.IMPOSSIBLE:
            return f"nothing changes the decision {self.decision} to what is wanted"
        if not self.term.literals:
            return f"no change of the decision {self.decision} was found in time"
        change = self.context.words(self.term)
        if self.literals == "values":
            change = f"changing {few(self.features, between=' and ')}"
        return f"{change} may make it {self.other} instead of {self.decision}"


class Decider(Protocol):
    """Finds a point that gets a different decision."""

    def find_other(self, box: Box, label: int) -> Point | None:
        """A point of a box that is not decided for the label; None if there is none."""

    @property
    def decide(self) -> Callable[[Point], int]:
        """Decides about a point."""


def find_rival(decider: Decider, box: Box, label: int) -> tuple[Point, int]:
    """A point of a box that lets another decision in, and that decision."""
    other = decider.find_other(box, label)
    if other is None:
        raise AssertionError("a contrast lets no other decision in: please report this")
    return other, decider.decide(other)


@dataclass(frozen=True)
class ContrastMaker:
    """Makes contrasts of boxes, of one decision; the decider finds a point that gets a different decision."""

    context: Context
    label: int
    literals: Language
    row: tuple[float, ...] | None
    point: Point
    decider: Decider
    notes: tuple[str, ...] = ()

    @classmethod
    def for_decision(
        cls, decision: Decision, literals: Language, decider: Decider | None = None
    ) -> ContrastMaker:
        """Contrasts of a decision, or towards its target; by default found by asking an engine."""
        finder = decider or Finder(decision.oracle, decision.model.engines.decide)
        return cls(
            decision.context,
            decision.label,
            literals,
            decision.values,
            decision.point,
            finder,
            decision.notes_on_rules if isinstance(decision, RowDecision) else decision.notes,
        )

    def make(self, box: Box) -> Contrast:
        """The contrast of a box that allows the row's own values and those of the change."""
        other, label = find_rival(self.decider, box, self.label)
        other = self.recognise(other, label, box)
        row = None
        if isinstance(self.context, TreeContext) and self.row is not None:
            row = self.context.cells.row_at(other, np.array(self.row), self.point)
        return self.show(box, other, label, row)

    def recognise(self, other: Point, label: int, box: Box) -> Point:
        """A point of a box that is decided like another one, with values that training rows have if possible."""
        if not isinstance(self.context, TreeContext) or label == self.label:
            return other
        return find_familiar(self.context, other, box, lambda point: self.decider.decide(point) == label)

    def show(
        self,
        box: Box,
        other: Point,
        label: int,
        row: Row | None,
        *,
        status: Status = Status.PROVED,
        fewest: bool = False,
    ) -> Contrast:
        """The contrast of a box with a point of it that gets a different decision, and a row there."""
        context = self.context
        freed = [mask & ~(1 << value) for mask, value in zip(box, self.point, strict=True)]
        return Contrast(
            decision=context.class_names[self.label],
            other=UNDECIDED if label == self.label else context.class_names[label],
            term=Term(Literal(x, mask) for x, mask in zip(context.variables, freed, strict=True) if mask),
            literals=self.literals,
            row=self.row,
            changed=None if row is None else tuple(row.tolist()),
            instance=other,
            context=context,
            status=status,
            fewest=fewest,
            notes=self.notes,
        )

    def show_nothing(self, status: Status) -> Contrast:
        """That nothing was found, or that there is nothing."""
        own = tuple(1 << value for value in self.point)
        return replace(self.show(own, self.point, self.label, None, status=status), other=None)

    def shrink(self, other: Point, oracle: Oracle, clock: Clock) -> tuple[Box, Point, bool]:
        """The change that is needed to reach a point, a point in it, and whether a limit came.

        Without a limit it is proved that no part is enough.

        In "intervals" runs are cut back towards the row's own value, one value at a time, while they let another
        decision in.
        """
        box = list(self._release_towards(other))
        for j, own in enumerate(self.point):
            while self.literals == "intervals" and box[j] & ~(1 << own):
                far = max(indices(box[j]), key=lambda v: abs(v - own))
                reply = oracle.counterexample((*box[:j], box[j] & ~(1 << far), *box[j + 1 :]), clock)
                if reply is Verdict.INTERRUPTED:
                    return tuple(box), other, True
                if not isinstance(reply, tuple):
                    break
                box[j] &= ~(1 << far)
                other = reply
        return tuple(box), other, False

    def _release_towards(self, other: Point) -> Box:
        """The change on the way to a point, in the language."""
        box = []
        for x, own, value in zip(self.context.variables, self.point, other, strict=True):
            if own == value:
                box.append(1 << own)
            elif self.literals == "values":
                box.append(x.everything)
            elif self.literals == "intervals" and max(own, value) < x.ordered:
                box.append((1 << max(own, value) + 1) - (1 << min(own, value)))
            else:
                box.append(1 << own | 1 << value)
        return tuple(box)


@dataclass(frozen=True)
class Finder:
    """Finds a point that gets a different decision by asking an engine."""

    oracle: Oracle
    decide: Callable[[Point], int]

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise NotPicklable.because_lazy("the contrasts")

    def find_other(self, box: Box, label: int) -> Point | None:  # noqa: ARG002
        """A point of a box that the oracle's decision does not hold at; None if there is none."""
        other = self.oracle.counterexample(box)
        return other if isinstance(other, tuple) else None


class Contrasts(BoxFamily[Contrast]):
    """All contrastive explanations of one decision, to iterate over, count, sample and filter.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.contrasts(X[50])
    >>> found.count(), found.mentioning("pl").count()
    (3, 1)
    """

    def __init__(self, maker: ContrastMaker, family: Family) -> None:
        own = tuple(1 << value for value in maker.point)
        super().__init__(maker.context.variables, family, maker.make, own)
        self._maker = maker

    def _wrap(self, family: Family) -> Contrasts:
        return Contrasts(self._maker, family)

    def _place(self, feature: str) -> int | None:
        return self._maker.context.place(feature)


def find_contrast(decision: Decision, literals: Language | None, clock: Clock) -> Contrast:
    """Find the fewest features whose change makes another decision, or the target, possible.

    The model's `immutable` features are held. If a limit comes first, or nothing changes the decision, the status says
    so.
    """
    language = decision.model.choose_language(literals)
    if not isinstance(decision, RowDecision):
        raise InvalidInput("contrast is about rows of a model; of an expression, contrasts lists them all")
    decision = decision.sum_sequentially()
    context, engines = decision.context, decision.model.engines
    maker = ContrastMaker.for_decision(decision, language)
    moves = Moves("l0", False, immutable=frozenset(decision.model.immutable), to_missing=True)
    costs = moves.find_costs(context, decision.row, decision.point)
    near = engines.price_changes(decision.label, decision.target).nearest(decision.point, costs, clock)
    if near.point is None:
        return maker.show_nothing(Status.INTERRUPTED if near.interrupted else Status.IMPOSSIBLE)
    moved = tuple(
        1 << a if a == b else x.everything
        for x, a, b in zip(context.variables, decision.point, near.point, strict=True)
    )
    there = maker.recognise(near.point, engines.decide(near.point), moved)
    box, there, interrupted = maker.shrink(there, decision.oracle, clock)
    if language == "intervals" and not interrupted:
        reply = decision.oracle.counterexample(box, clock)
        there = reply if isinstance(reply, tuple) else there
        there = maker.recognise(there, engines.decide(there), box)
    return maker.show(
        box,
        there,
        engines.decide(there),
        _find_row(decision, there, moves),
        status=Status.INTERRUPTED if near.interrupted or interrupted else Status.PROVED,
        fewest=not near.interrupted,
    )


def _find_row(decision: RowDecision, there: Point, moves: Moves) -> Row | None:
    """A row of a cell where only the number of changes counts: with numbers of training rows if possible."""
    limits, cells = moves.find_limits(decision.context, decision.row), decision.context.cells
    if limits and decision.model.domain.knowledge.orders:
        return cells.nearest_row(there, decision.row, decision.point, limits)
    return cells.row_at(there, decision.row, decision.point)


def list_contrasts(
    decision: Decision, literals: Language | None, time_limit: float | None = None
) -> Contrasts:
    """All contrastive explanations of a decision: the minimal changes that may change it, or reach its target.

    Parameters
    ----------
    time_limit
        How many seconds one diagram of them all may take. Where there is none, they are listed one by one as a search
        finds them, and this is when the listing stops.
    """
    model, language = decision.model, decision.model.choose_language(literals)
    immutable = model.immutable if isinstance(model, TreeModel) else ()
    tree = model.engines.single_tree()
    if isinstance(model, TreeModel):
        _check_immutable(model)
    if tree is not None and decision.target is None:
        boxes: Family = Listing(lambda: tree.contrasts(decision.point, language))
        found = Contrasts(ContrastMaker.for_decision(decision, language, tree), boxes)
    else:
        boxes = _find_boxes(decision, language, time_limit)
        found = Contrasts(ContrastMaker.for_decision(decision, language), boxes)
    for name in immutable:
        found = found.without(name)  # type: ignore[assignment]
    return found


def _find_boxes(decision: Decision, literals: Language, time_limit: float | None) -> Family:
    """The boxes of all contrasts as one diagram if the model compiles, else listed by searching.

    Where the order of summation decides, a diagram does not tell between which classes; a search does.
    """
    engines, point = decision.model.engines, decision.point
    vague = engines.any_order and decision.target is not None
    if engines.engine == "diagram" or not vague:
        clock = Clock(time_limit)
        family = engines.try_diagram(
            decision.label, lambda compiled: compiled.contrasts(literals, point), clock, decision.target
        )
        if family is not None:
            return family

    def list_boxes() -> Iterator[Box]:
        duality = Duality(decision.oracle, literals, point, decision.model.order, first=AnswerKind.CONTRAST)
        return (item.box for item in duality.items(Clock(time_limit)) if item.kind is AnswerKind.CONTRAST)

    return Listing(list_boxes)


def _check_immutable(model: TreeModel) -> None:
    """Raise for an immutable feature in an order constraint: cells do not show whether it can keep its value."""
    for order in model.domain.knowledge.orders:
        held = [name for name in (order.lower, order.upper) if name in model.immutable]
        if held:
            raise InvalidInput(
                f"contrasts do not take {held[0]} as immutable together with the constraint {order.text!r} yet"
            )
