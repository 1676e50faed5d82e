"""The questions about a whole model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from primewood import readers
from primewood.arguments import (
    clock_of,
)
from primewood.domain import EnsembleSubject
from primewood.engines.choice import Engines
from primewood.engines.diagram.compiler import Watcher
from primewood.engines.protocol import Clock
from primewood.ensemble import PREDICTION
from primewood.errors import InvalidInput, TooLarge
from primewood.explainer.asking import called
from primewood.logic.language import Language
from primewood.model.context import UNDECIDED
from primewood.progress import say, with_progress
from primewood.properties.claim import Outcome
from primewood.properties.comparison import Comparing, Comparison, check_comparable
from primewood.properties.compiled import Compiled
from primewood.properties.rule_list import RuleList, rule_list
from primewood.properties.rules import Output, as_property
from primewood.properties.verification import Asked, Property, Verification

if TYPE_CHECKING:
    from primewood.render.picture import Picture

from primewood.explainer.model import Model


class AsksAboutAll(Model):
    """Asks about all decisions of a model at once."""

    @called("verify")
    @with_progress("verifying")
    def verify(
        self,
        stated: object,
        *,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Verification:
        """Whether a property is true of the model: for every row, not for those that were tried.

        Parameters
        ----------
        stated
            A rule as text ("age < 18 -> not approved", "never denied"), or a property: `monotone`, `independent_of`,
            `never`, `output`, `robust_at`, `robust_everywhere`.
        time_limit
            Seconds, or None. When they are over, the outcome is "undecided", with how far the proof came. The clock
            starts when the features are cut where the property cuts them.
        work_limit
            The same, counted in nodes of each search; with ``time_limit=None`` reproducible.
        progress
            Whether to show what is going on; by default what the explainer says.
        """
        clock_of(time_limit, work_limit)  # raises for what is no limit, before anything is done
        wanted, asked = self._stated(stated)
        asked = replace(asked, clock=clock_of(time_limit, work_limit))
        claim = wanted.claim(asked)
        try:
            return wanted.verified(asked)
        except TooLarge as problem:
            return Verification(claim, Outcome.UNDECIDED, self._context, note=str(problem))

    def _stated(self, stated: object) -> tuple[Property, Asked]:
        """A property, and the model that it is asked of, ready: over a domain that is cut where the property cuts."""
        self._check_rows("properties")
        wanted = as_property(stated)
        if not isinstance(wanted, Output):
            self._check_decides()
        assert self.ensemble is not None
        other, conditions = self, wanted.conditions(self._context.feature_names)
        if conditions:
            other = self._with(self.ensemble, self._domain_for(self.ensemble, conditions=conditions))
            other._engines.prepare()
        scorer = self._context.scorer
        positive = None if scorer is None or self.rule.positive is None else scorer.positive
        return wanted, Asked(other._context, other._engines, Clock(), positive, self._decisions_are_ordered)

    @property
    def _decisions_are_ordered(self) -> bool:
        """Whether the decisions have an order of their own: labels that are numbers, or levels of a score."""
        assert self.ensemble is not None
        labels = self._as_read.classes
        numbers = all(isinstance(label, bool | int | float | np.bool_ | np.number) for label in labels)
        return numbers or tuple(labels) == (PREDICTION,) or len(self.ensemble.cuts) > 1

    def _check_property(self, stated: object) -> None:
        """Raise for a property that cannot be asked: a name that does not exist, a rule that is none."""
        wanted, asked = self._stated(stated)
        wanted.claim(asked)

    @called("compare")
    @with_progress("comparing")
    def compare(
        self,
        other: Any,
        *,
        regions: int = 5,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        trust_pickle: bool = False,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Comparison:
        """Whether another model decides alike on every row, and if not, where the two differ.

        Parameters
        ----------
        other
            A model, its file, or an `Explainer`, over the same columns.
        regions
            How many regions are grown at most.
        time_limit, work_limit
            As for `verify`; the clock starts when both models are read and cut into the same values.
        trust_pickle
            As for `Explainer`, for the file of the other model.
        progress
            As for `verify`.
        """
        self._check_rows("comparisons")
        assert self.ensemble is not None
        if not isinstance(other, Model):
            other = self._alike(other, trust_pickle=trust_pickle)
        for explainer in (self, other):
            explainer._check_rows("comparisons")
            explainer._check_decides()
        theirs = other.ensemble
        check_comparable(self.ensemble, theirs)
        joint = self._with(self.ensemble, self._domain_for(self.ensemble, beside=theirs))
        assert joint.domain is not None
        engines = Engines(EnsembleSubject(theirs, joint.domain), any_order=other._engines.any_order)
        for each in (joint._engines, engines):
            each.prepare()
        asked = Asked(joint._context, joint._engines, clock_of(time_limit, work_limit))
        scorers = (self._context.scorer, other._context.scorer)
        return Comparing(asked, engines, (self.class_names, other.class_names), scorers).compared(regions)

    def _alike(self, model: Any, *, trust_pickle: bool) -> Self:
        """An explainer of another model that names columns and decisions as this one does."""
        assert self.ensemble is not None
        if isinstance(model, str | Path):
            model = readers.load_model(model, trust_pickle=trust_pickle)
        read = readers.read(model, None)
        prefixes = {name.removesuffix(str(i)) for i, name in enumerate(read.feature_names)}
        unnamed = prefixes <= {"x"} or prefixes <= {"f"} or prefixes <= {"Column_"} or prefixes <= {""}
        same_width = read.n_features == self.ensemble.n_features
        names = (
            self.class_names
            if tuple(read.classes) == tuple(self._as_read.classes) and not self.ensemble.predicts_number
            else None
        )
        return type(self)(
            model,
            feature_names=self.ensemble.feature_names if unnamed and same_width else None,
            class_names=names,
            threshold=self.rule.threshold,
            between=self.rule.between,
            positive=self.rule.positive,
            threshold_dtype=self.rule.dtype,
            vote=self._vote,
        )

    @called("rules")
    @with_progress("growing rules")
    def rules(
        self,
        decisions: Sequence[object] | None = None,
        *,
        literals: Language | None = None,
        coverage: float = 0.95,
        most_rules: int | None = None,
        time_limit: float | None = 60.0,
        work_limit: int | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> RuleList:
        """Rules that are proved right on every row that they cover, and cover most of the training rows.

        Parameters
        ----------
        decisions
            The decisions to give rules for; by default all.
        literals
            As for `explain`.
        coverage
            Stop when this share of a decision's training rows is covered.
        most_rules
            The most rules per decision.
        time_limit, work_limit
            When the time is over, the rules found so far are given.
        progress
            As for `verify`.
        """
        self._check_decides()
        self._check_rows("rules")
        return rule_list(
            self._context,
            self._engines,
            decisions=decisions,
            literals=self._language(literals),
            coverage=coverage,
            most_rules=most_rules,
            clock=clock_of(time_limit, work_limit),
        )

    @called("compile")
    @with_progress("compiling")
    def compile(
        self,
        *,
        time_limit: float | None = None,
        watcher: Watcher | None = None,
        progress: bool | None = None,  # noqa: ARG002
    ) -> Compiled:
        """The model as one decision diagram that answers any question; `TooLarge` if it outgrows its limits.

        Parameters
        ----------
        time_limit
            Seconds, or None: then `max_nodes` alone is the limit (with ``engine="auto"``, a small budget).
        watcher
            Called now and then with the stage, the nodes so far and the parts that are left to add.
        progress
            As for `verify`; shows what a watcher is told.
        """
        self._check_decides()
        diagram = self._engines.diagram(watcher or _say_stage, clock_of(time_limit, None).limit)
        context = self._context
        if self._engines.any_order:
            context = replace(context, class_names=(*context.class_names, UNDECIDED))
        return Compiled(diagram, context)

    @called("draw_tree")
    def draw_tree(self, number: int = 0, *, most_nodes: int = 60) -> Picture:
        """A picture of one tree of the model, its tests in words; a large one is cut, with a note."""
        from primewood.properties.drawing import tree_records
        from primewood.render.picture import tree_picture

        if self.ensemble is None:
            raise InvalidInput(
                "an expression has no trees; primewood.compile(expression).draw() shows its diagram"
            )
        records = tree_records(self.ensemble, self._context, number)
        title = f"tree {number} of {len(self.ensemble.trees)}" if len(self.ensemble.trees) > 1 else None
        return tree_picture(records, [str(x) for x in self.class_names], most_nodes=most_nodes, title=title)


def _say_stage(stage: str, nodes: int, parts: int) -> None:
    """Show how far a compilation is."""
    words = {"order": "looking for an order", "decision": "going down the levels"}
    say(f"compiling: {words.get(stage, stage)}, {nodes:,} nodes, {parts} parts left")
