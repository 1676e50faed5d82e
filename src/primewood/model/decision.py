"""A decision on one row: the one argument of every question about a row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from primewood.engines.protocol import Oracle
from primewood.logic.instance import Box, Point
from primewood.model.context import Context, TreeContext
from primewood.model.model import Model, TreeModel
from primewood.model.row_in_cell import Row
from primewood.model.score import Score, Scorer


@dataclass(frozen=True, eq=False)
class Decision:
    """What a model decides about an instance.

    Attributes
    ----------
    model : Model
        The model that answers about this instance.
    point : Point
        The instance's cell.
    label : int
        The decision, as a place in the names of decisions.
    target : int or None
        The decision that is wanted instead; None for any other.
    notes : tuple of str
        What to know about the row.
    """

    model: Model
    point: Point
    label: int
    target: int | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def context(self) -> Context:
        """What all answers about the model share."""
        return self.model.context

    @property
    def name(self) -> object:
        """The name of the decision."""
        return self.context.class_names[self.label]

    @property
    def target_name(self) -> object:
        """The name of the decision that is wanted instead; None for any other."""
        return None if self.target is None else self.context.class_names[self.target]

    @property
    def values(self) -> tuple[float, ...] | None:
        """The row in plain types; None for an instance of an expression."""
        return None

    @property
    def cell(self) -> Box:
        """The box that holds the instance's cell alone."""
        return tuple(1 << value for value in self.point)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What to know about the row, and whether the model's own `predict` says otherwise."""
        return self.notes

    @cached_property
    def oracle(self) -> Oracle:
        """Answers about "the decision is this one"; given a target, about "the decision is not the target"."""
        return self.model.engines.oracle(self.label, self.target)

    @cached_property
    def depends_on_order(self) -> bool:
        """Whether the decision itself depends on the order in which scores are added."""
        engines = self.model.engines
        return engines.any_order and isinstance(engines.oracle(self.label).counterexample(self.cell), tuple)

    def sum_sequentially(self) -> Self:
        """The decision as `predict` takes it when it adds scores in the order of the trees."""
        model = self.model.sum_sequentially()
        if model is self.model:
            return self
        return replace(self, model=model, label=model.engines.decide(self.point))


@dataclass(frozen=True, eq=False)
class RowDecision(Decision):
    """What a tree model decides about a row.

    Attributes
    ----------
    model : TreeModel
    row : Row
        The row as the model takes it.
    whole : RowDecision or None
        Of a decision near its row: the decision among all rows.
    """

    model: TreeModel
    row: Row
    whole: RowDecision | None = field(default=None, kw_only=True)

    @property
    def context(self) -> TreeContext:
        return self.model.context

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(self.row.tolist())

    @property
    def all_notes(self) -> tuple[str, ...]:
        return (*self.notes, *self.model.compare_votes(self.row, self.label))

    @property
    def notes_on_rules(self) -> tuple[str, ...]:
        """What to know about the row, and that rules found in the training rows are assumed, if they are."""
        mined = self.model.domain.knowledge.mined
        assumed = () if mined is None else mined.describe_all()
        return (*self.notes, *(f"assumes {words}" for words in assumed))

    def score_towards(self, target: int) -> Score:
        """What the decision is based on; with two classes, the probability of the target."""
        return Scorer(self.model.ensemble, self.context.class_names, target).score(self.row)
