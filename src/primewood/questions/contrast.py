"""Contrastive explanations: what to let go of so that another decision becomes possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol, SupportsIndex

from primewood.engines.protocol import Clock, Family, Oracle, Verdict
from primewood.errors import NotPicklable
from primewood.logic.expression import Literal
from primewood.logic.instance import Box, Point, indices
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.model.context import UNDECIDED, Context, Row, plain
from primewood.questions.examples import familiar
from primewood.questions.explanation import Status
from primewood.questions.families import BoxFamily
from primewood.render.brief import Brief
from primewood.render.numbers import few
from primewood.visible import visible


@dataclass(frozen=True, repr=False)
class Contrast(Brief):
    """A minimal set of things to let go of, with a row that shows what may happen then.

    Attributes
    ----------
    decision : object
        What is decided about the row that was asked about.
    other : object
        What is decided about `changed`.
    term : Term
        What is let go of: per feature the values that are allowed beside the row's own (in "values", all others).
    literals : str
    row : tuple of float or None
        The row that was asked about; None for an instance of an expression.
    changed : tuple of float or None
        A row that differs from it only in what is let go of, and is decided otherwise. Where constraints order
        features, others may move inside their own cells.
    instance : Point
        The cell of `changed`.
    status : Status
        "proved": it is minimal. "interrupted": a limit came; perhaps less is enough, or nothing was found at all.
        "impossible": nothing changes the decision.
    fewest : bool
        Whether it is proved that no contrast has fewer features.
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

    @property
    def features(self) -> tuple[str, ...]:
        """The features that are let go of."""
        return tuple(literal.variable.name for literal in self.term.literals)

    def to_dict(self) -> dict[str, Any]:
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
            "notes": list(self.context.notes),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import contrast

        return contrast(self.to_dict(), str(self))

    def __str__(self) -> str:
        score = self.context.score(self.row)
        return visible(self._words() if score is None else f"{self._words()} ({score.reason})")

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
    """Who finds a point that is decided otherwise."""

    def otherwise(self, box: Box, label: int) -> tuple[Point, int]:
        """A point of a box that is not decided for the label, and how it is decided."""

    @property
    def decide(self) -> Callable[[Point], int]:
        """Decides about a point."""


@dataclass(frozen=True)
class Contrasting:
    """What makes contrasts of boxes: the row that was asked about, and who finds a point that is decided otherwise."""

    context: Context
    label: int
    literals: Language
    row: Row | None
    point: Point
    decider: Decider

    def contrast(self, box: Box) -> Contrast:
        """The contrast of a box that allows the row's own values and what is let go of."""
        other, label = self.decider.otherwise(box, self.label)
        other = self.recognised(other, label, box)
        row = None if self.row is None else self.context.row_at(other, self.row, self.point)
        return self.shown_by(box, other, label, row)

    def recognised(self, other: Point, label: int, box: Box) -> Point:
        """A point of a box that is decided like another one, with values that training rows have if possible."""
        if self.row is None or label == self.label:
            return other
        return familiar(self.context, other, box, lambda point: self.decider.decide(point) == label)

    def shown_by(
        self,
        box: Box,
        other: Point,
        label: int,
        row: Row | None,
        *,
        status: Status = Status.PROVED,
        fewest: bool = False,
    ) -> Contrast:
        """The contrast of a box with a point of it that is decided otherwise, and a row there."""
        context = self.context
        freed = [mask & ~(1 << value) for mask, value in zip(box, self.point, strict=True)]
        return Contrast(
            decision=context.class_names[self.label],
            other=UNDECIDED if label == self.label else context.class_names[label],
            term=Term(Literal(x, mask) for x, mask in zip(context.variables, freed, strict=True) if mask),
            literals=self.literals,
            row=None if self.row is None else tuple(self.row.tolist()),
            changed=None if row is None else tuple(row.tolist()),
            instance=other,
            context=context,
            status=status,
            fewest=fewest,
        )

    def nothing(self, status: Status) -> Contrast:
        """That nothing was found, or that there is nothing."""
        own = tuple(1 << value for value in self.point)
        none = self.shown_by(own, self.point, self.label, None, status=status)
        return replace(none, other=None)

    def minimal(self, other: Point, oracle: Oracle, clock: Clock) -> tuple[Box, Point, bool]:
        """What has to be let go of to reach a point, a point of it, and whether it is proved that no part is enough.

        In "intervals" runs are cut back towards the row's own value, one value at a time, while they let another
        decision in.
        """
        box = list(self.towards(other))
        for j, own in enumerate(self.point):
            while self.literals == "intervals" and box[j] & ~(1 << own):
                far = max(indices(box[j]), key=lambda v: abs(v - own))
                reply = oracle.counterexample((*box[:j], box[j] & ~(1 << far), *box[j + 1 :]), clock)
                if reply is Verdict.UNKNOWN:
                    return tuple(box), other, False
                if not isinstance(reply, tuple):
                    break
                box[j] &= ~(1 << far)
                other = reply
        return tuple(box), other, True

    def towards(self, other: Point) -> Box:
        """What is let go of on the way to a point, in the language."""
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
    """Finds a point that is decided otherwise by asking an engine."""

    oracle: Oracle
    decide: Callable[[Point], int]

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise NotPicklable.because_lazy("the contrasts")

    def otherwise(self, box: Box, label: int) -> tuple[Point, int]:  # noqa: ARG002
        """A point of a box that the oracle's decision does not hold at, and how it is decided."""
        other = self.oracle.counterexample(box)
        assert isinstance(other, tuple), "a contrast lets another decision in"
        return other, self.decide(other)


class Contrasts(BoxFamily[Contrast]):
    """All contrastive explanations of one decision: counted, sampled, filtered; listed when iterated over."""

    def __init__(self, asked: Contrasting, family: Family) -> None:
        base = tuple(1 << value for value in asked.point)
        super().__init__(asked.context.variables, family, asked.contrast, base)
        self._asked = asked

    def _with(self, family: Family) -> Contrasts:
        return Contrasts(self._asked, family)

    def _place(self, feature: str) -> int | None:
        return self._asked.context.place(feature)
