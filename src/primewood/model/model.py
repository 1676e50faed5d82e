"""The subject of questions: an expression, or a tree model over its domain. Frozen; contains no questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.domain import (
    Domain,
    DomainRecipe,
    EnsembleSubject,
    ExpressionSubject,
    Subject,
    default_order,
    domain_of,
)
from primewood.domain.declarations import Number
from primewood.domain.feature import Feature
from primewood.domain.mined import FOUND, MinedKnowledge
from primewood.domain.switches import add_switches
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Step
from primewood.ensemble import PREDICTION, Ensemble
from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.logic.expression import Expression
from primewood.logic.instance import Point
from primewood.logic.interval import number
from primewood.logic.language import Language, check_language
from primewood.logic.syntax import Statement
from primewood.model.bins import Bins, CountedRows
from primewood.model.context import Context, TreeContext
from primewood.model.decision_rule import DecisionRule, decide_between
from primewood.model.mixed_rows import MixedRows, mix_rows
from primewood.model.row_in_cell import Row
from primewood.model.score import Scorer
from primewood.readers.fidelity import Fidelity
from primewood.tables.rows import Reading, as_rows, read_row

if TYPE_CHECKING:
    from primewood.certify.space import Space
    from primewood.model.decision import Decision, RowDecision

VoteName = Choice["model", "majority"]
MOST_VARIANTS = 8
"""How many models over other domains are kept."""
MOST_COUNTED = 20_000
"""How many training rows short answers count at most."""
BLOCK = 2_000
"""How many training rows are decided between two looks at the clock."""
WAITING = -2
"""In the place of a decision: it is not known yet."""


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """What all questions are asked of.

    Attributes
    ----------
    context : Context
        What answers need: the variables, the names.
    engines : Engines
        What answers.
    subject : Subject
        What decides.
    """

    context: Context
    engines: Engines
    subject: Subject

    def __setstate__(self, state: dict[str, Any]) -> None:
        """As ready for the first question as a new one is."""
        self.__dict__.update(state)
        self.engines.prepare()

    @abstractmethod
    def ask(self, x: Any, target: object = None) -> Decision:
        """The decision on a row as users have it, to ask questions about.

        Parameters
        ----------
        target
            The decision that is wanted instead, by its name.
        """

    def ask_within(self, x: Any, within: float) -> Decision:  # noqa: ARG002
        """The decision "the prediction is within plus or minus `within` of that for this row", for a regressor."""
        raise InvalidInput("within is for regressors, explained without a threshold")

    def around(self, x: Any, within: float) -> TreeModel:  # noqa: ARG002
        """The model that decides whether its prediction is within plus or minus `within` of that for a row."""
        raise InvalidInput("within is for regressors, explained without a threshold")

    @property
    @abstractmethod
    def source(self) -> Any:
        """What the user gave."""

    @abstractmethod
    def need_rows(self, what: str) -> TreeModel:
        """Return this model if it decides about rows; else raise, naming what is about rows."""

    @cached_property
    def order(self) -> list[int]:
        """The variables from the least important to the most."""
        return default_order(self.subject)

    @cached_property
    def usual_steps(self) -> list[Step]:
        """The steps of that order: to drop each variable in turn."""
        return [{j: self.context.variables[j].everything} for j in self.order]

    @abstractmethod
    def check_decides(self) -> None:
        """Raise for a model that decides nothing."""

    def choose_language(self, literals: Language | None) -> Language:
        """The literal language of a question: the one that it asks for, or the model's."""
        return self.context.literals if literals is None else check_language(literals)

    def check_features(self, what: str, names: Iterable[str]) -> frozenset[str]:
        """The names that are given, if they are names of features; `what` is how the user knows the list."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidInput(f"{what} must be a list of feature names; write {what}=[{names!r}]")
        given = list(names)
        every = self.context.feature_names
        unknown = [name for name in given if name not in every]
        if unknown:
            raise UnknownName(
                f"{what} names {format_list(unknown)}{suggest(unknown, every)}; the features are {format_list(every)}"
            )
        return frozenset(given)

    @abstractmethod
    def read_points(self, what: str, rows: Any) -> list[Point]:
        """The cells of rows as users have them; `what` is how the user knows them."""

    def find_places(self, what: str, names: Iterable[str]) -> frozenset[int]:
        """The places of the variables of features; those that no test looks at have none."""
        places = (self.context.place(name) for name in self.check_features(what, names))
        return frozenset(place for place in places if place is not None)

    def find_target(self, target: object, label: int) -> int | None:
        """The place of the decision that is wanted instead of another one; None for any other."""
        if target is None:
            return None
        wanted = self.context.label(target)
        if wanted == label:
            raise InvalidInput(f"the row is decided {target} already; pass another target")
        return wanted

    def sum_sequentially(self) -> Self:
        """The model that adds scores in the order of the trees, as `predict` does with one job."""
        return replace(self, engines=self.engines.sum_sequentially()) if self.engines.any_order else self


@dataclass(frozen=True, eq=False)
class ExpressionModel(Model):
    """An expression as a model: its decisions are False and True.

    Attributes
    ----------
    subject : ExpressionSubject
    """

    subject: ExpressionSubject

    def check_decides(self) -> None:
        return

    @property
    def source(self) -> Expression:
        return self.subject.expression

    def ask(self, x: Any, target: object = None) -> Decision:
        from primewood.model.decision import Decision

        point = self.context.point_of(x)
        label = self.engines.decide(point)
        return Decision(self, point, label, target=self.find_target(target, label))

    def read_points(self, what: str, rows: Any) -> list[Point]:  # noqa: ARG002
        return [self.context.point_of(row) for row in rows]

    def need_rows(self, what: str) -> TreeModel:
        raise InvalidInput(f"{what} are about rows of a model; an expression has none")


@dataclass(frozen=True, eq=False)
class TreeModel(Model):
    """A tree model over its domain.

    Attributes
    ----------
    context : TreeContext
    subject : EnsembleSubject
        The ensemble as it decides, with the user's cut-off, over the domain.
    estimator : object
        The model that the user gave.
    as_read : Ensemble
        The ensemble before a cut-off or a vote was chosen.
    rule : DecisionRule
        What it decides by, if the user chose that.
    recipe : DomainRecipe
        How the domain was made.
    vote : {"model", "majority"}
        Whether it votes as the library does, or each tree has one vote.
    immutable : tuple of str
        Features that cannot change.
    fidelity : Fidelity or None
        How the reading fared against the library's own decisions.
    notes : tuple of str
        What to know about how the training rows were read.
    own_file : Ensemble or None
        Of a model whose decision was changed for one question: the ensemble that certificates name; else None.
    """

    context: TreeContext
    subject: EnsembleSubject
    estimator: Any
    as_read: Ensemble
    rule: DecisionRule
    recipe: DomainRecipe
    vote: VoteName = "model"
    immutable: tuple[str, ...] = ()
    fidelity: Fidelity | None = None
    notes: tuple[str, ...] = ()
    own_file: Ensemble | None = None
    _variants: dict[object, TreeModel] = field(default_factory=dict, init=False, repr=False)
    """The same model over other domains, as far as they were needed."""

    @property
    def source(self) -> Any:
        return self.estimator

    @property
    def ensemble(self) -> Ensemble:
        """The trees, as they decide."""
        return self.subject.ensemble

    @property
    def certified(self) -> Ensemble:
        """The ensemble that certificates are about."""
        return self.own_file or self.ensemble

    @cached_property
    def space(self) -> Space:
        """What certificates say about the model and its domain. Cost: building the forest of the search."""
        from primewood.certify.space import Space

        return Space(self.certified, self.engines.search_forest())

    @property
    def domain(self) -> Domain:
        """What rows can be."""
        return self.context.domain

    @property
    def mined(self) -> MinedKnowledge | None:
        """What was found in the training rows; None if it was not looked for."""
        return self.recipe.mined

    @property
    def positive(self) -> object:
        """The class that a cut-off and probabilities refer to, by its shown name; None if there is none."""
        scorer = self.context.scorer
        place = None if scorer is None else scorer.positive
        return None if place is None else self.context.class_names[place]

    @property
    def decisions_are_ordered(self) -> bool:
        """Whether the decisions have an order of their own: labels that are numbers, or levels of a score."""
        labels = self.as_read.classes
        numbers = all(isinstance(label, bool | int | float | np.bool_ | np.number) for label in labels)
        return numbers or tuple(labels) == (PREDICTION,) or len(self.ensemble.cuts) > 1

    @property
    def agreement(self) -> tuple[int, int] | None:
        """On how many training rows the library's `predict` decides as the vote does, and of how many rows.

        None without training rows, or where the decision is not the model's own.
        """
        rows = self.context.rows
        if rows is None or not self.rule.is_own:
            return None
        own = readers.decisions_of(self.source, rows, self.ensemble.categories)
        vote = np.array(self.ensemble.classes, dtype=own.dtype)[self.ensemble.predict(rows)]
        return int((own == vote).sum()), len(rows)

    def decide_training_rows(self, clock: Clock | None = None) -> NDArray[np.int64]:
        """What is decided on each training row, as a place in the labels; −1 for one that is in no cell.

        What was decided is kept. Rows that a clock leaves no time for are `WAITING`.
        """
        points, decided = self.context.points, self._decided
        if points is None:
            raise InvalidInput("there are no training rows: pass them to Explainer")
        for start in range(0, len(points), BLOCK):
            block = slice(start, start + BLOCK)
            if clock is not None and clock.expired():
                break
            if (decided[block] == WAITING).any():
                decided[block] = self.engines.decide_all(points[block])
        return decided.copy()

    @cached_property
    def counted(self) -> CountedRows:
        """The training rows that short answers count, without those that are in no cell; of many rows, a sample."""
        points = self.context.points
        if points is None:
            raise InvalidInput("there are no training rows: pass them to Explainer")
        places = np.flatnonzero((points >= 0).all(axis=1))
        is_sample = len(places) > MOST_COUNTED
        if is_sample:
            places = np.sort(np.random.default_rng(0).permutation(places)[:MOST_COUNTED])
        bins = Bins.of_points(self.context.variables, points[places])
        return CountedRows(places, bins, self.engines.decide_all(points[places]), is_sample)

    @cached_property
    def mixed(self) -> MixedRows:
        """Mixtures of the rows that short answers count; at least two are needed."""
        counted, points, knowledge = self.counted, self.context.points, self.domain.knowledge
        if points is None or len(counted.places) < 2:
            raise InvalidInput("mixing rows takes two training rows at least: pass them to Explainer")
        allows = knowledge.allows if knowledge else None
        return mix_rows(points[counted.places], counted.bins, self.engines.decide_all, allows)

    @cached_property
    def switched(self) -> Engines:
        """What answers over a domain in which mined rules can be switched off."""
        subject = EnsembleSubject(self.ensemble, add_switches(self.domain))
        return Engines(subject, "search", any_order=self.engines.any_order)

    @cached_property
    def _decided(self) -> NDArray[np.int64]:
        return np.full(
            0 if self.context.points is None else len(self.context.points), WAITING, dtype=np.int64
        )

    def decide_by_model(self, rows: Row) -> list[object]:
        """What the model that the user gave decides on rows, by the names of the decisions; see `Explainer`."""
        if isinstance(self.source, Ensemble) or self.vote == "majority":
            places = self.ensemble.predict(rows).tolist()
        elif self.rule.is_own:
            own = readers.decisions_of(self.source, rows, self.ensemble.categories).tolist()
            places = [self.ensemble.classes.index(label) for label in own]
        else:
            scores = readers.scores_of(self.source, rows, self.ensemble.categories)
            read = self.ensemble.scores(rows) if scores is None else scores[:, -self.ensemble.n_outputs :]
            places = self.ensemble.decide(read).tolist()
        return [self.context.class_names[place] for place in places]

    def need_rows(self, what: str) -> TreeModel:  # noqa: ARG002
        return self

    def check_decides(self) -> None:
        if self.ensemble.is_regressor:
            raise InvalidInput(
                "a regressor decides nothing by itself: pass threshold=t (prediction >= t) or between=(a, b) when the "
                "explainer is made, or within=e (plus or minus e around this prediction) when a row is explained"
            )

    def check_engine(self, what: str) -> None:
        """Raise for an engine that does not answer every question about rows."""
        if self.engines.engine in ("bdd", "sat"):
            raise InvalidInput(
                f'engine="{self.engines.engine}" does not answer all that {what} asks; '
                'pass "auto", "search" or "diagram"'
            )

    def ask(self, x: Any, target: object = None) -> RowDecision:
        from primewood.model.decision import RowDecision

        model, row, notes = self._read(x)
        model.check_decides()
        point = model.domain.point(row)
        label = model.engines.decide(point)
        wanted = model.find_target(target, label)
        return RowDecision(model, point, label, row, target=wanted, notes=notes)

    def ask_within(self, x: Any, within: float) -> RowDecision:
        model, row, notes = self._read(x)
        return replace(model.around(row, within).ask(row), notes=notes)

    def around(self, x: Any, within: float) -> TreeModel:
        if not self.ensemble.is_regressor:
            raise InvalidInput("within is for regressors, explained without a threshold")
        if not isinstance(within, int | float | np.number) or not 0 <= within < np.inf:
            raise InvalidInput(f"within must be a number of at least 0, not {within!r}")
        model, row, _ = self._read(x)
        model.domain.point(row)  # raises for a row that cannot be
        prediction = float(model.ensemble.predict_proba([row])[0, 0])  # type: ignore[list-item]
        ends = (prediction - float(within), prediction + float(within))
        decided = model.replace_ensemble(decide_between(model.ensemble, ends), model.domain)
        return replace(decided, rule=DecisionRule(between=ends))

    def replace_ensemble(self, ensemble: Ensemble, domain: Domain) -> TreeModel:
        """The same model with another decision, or over another domain."""
        class_names, scorer = self.context.class_names, self.context.scorer
        if ensemble is not self.ensemble:
            class_names = ensemble.classes
            scorer = Scorer(ensemble, class_names)
        rows, subject = self.context.rows, EnsembleSubject(ensemble, domain)
        context = replace(
            self.context,
            class_names=class_names,
            scorer=scorer,
            digest=ensemble.digest,
            domain=domain,
            variables=domain.variables,
            points=None if rows is None else domain.points(rows),
        )
        engines = self.engines.for_subject(subject)
        return replace(self, context=context, subject=subject, engines=engines, own_file=self.certified)

    def replace_rows(self, rows: Row) -> TreeModel:
        """The same model with other rows in the place of the training rows, for what is counted over them."""
        context = replace(self.context, rows=rows, points=self.domain.points(rows), ids=None)
        return replace(self, context=context)

    def cut_at(self, conditions: Sequence[Statement]) -> TreeModel:
        """The same model over a domain that is cut where conditions cut; kept for the next question about them."""
        if not conditions:
            return self
        key = ("conditions", *(said.text for said in conditions))
        found = self._variants.get(key)
        if found is None:
            found = self.replace_ensemble(
                self.ensemble, domain_of(self.ensemble, self.recipe, conditions=conditions)
            )
            found.engines.prepare()
            self._keep_variant(key, found)
        return found

    def _keep_variant(self, key: object, variant: TreeModel) -> None:
        """Keep a variant for later questions, and forget the oldest where there are many: each holds a forest."""
        for oldest in list(self._variants)[: max(0, len(self._variants) - MOST_VARIANTS + 1)]:
            self._variants.pop(oldest, None)
        self._variants[key] = variant

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it makes variants, and decides training rows, for itself."""
        made = ("counted", "mixed", "switched", "space", "_decided")
        kept = {name: value for name, value in self.__dict__.items() if name not in made}
        return {**kept, "_variants": {}}

    def cut_beside(self, other: Ensemble) -> TreeModel:
        """The same model over a domain that is cut where another ensemble over the same columns cuts."""
        return self.replace_ensemble(self.ensemble, domain_of(self.ensemble, self.recipe, beside=other))

    def search_over(self, domain: Domain) -> TreeModel:
        """The same model over another domain, asked by the search alone: no diagram is worth a single question."""
        other = self.replace_ensemble(self.ensemble, domain)
        engines = Engines(other.subject, "search", any_order=self.engines.any_order)
        return replace(other, engines=engines)

    def _read(self, x: Any) -> tuple[TreeModel, Row, tuple[str, ...]]:
        """The model that answers about a row, the row, and what is to be noted about it.

        It is this model, unless the row breaks what was inferred about features, or a rule that was found in the
        training rows: then it is one that does not assume it.
        """
        reading: Reading = read_row(x, self.context.layout)
        row: Row = reading.rows[0]
        model, broken = self._choose_variant(row)
        notes = (*reading.notes, *reading.row_notes.get(0, ()), *broken)
        return model, row, tuple(dict.fromkeys(notes))

    def serve(self, row: Row) -> TreeModel:
        """The model that answers about a row; see `ask`."""
        return self._choose_variant(row)[0]

    def _choose_variant(self, row: Row) -> tuple[TreeModel, list[str]]:
        """The model that answers about a row, and what to note about what it does not assume."""
        broken = self._find_broken(row)
        model = self._loosen(row[None, :], broken) if broken else self
        dropped = model.domain.find_broken(row)
        notes = [f"this row breaks the rule {text!r}, {FOUND}; answered without it" for text in dropped]
        variant = self._loosen(row[None, :], broken, dropped) if dropped else model
        return variant, [*broken.values(), *notes]

    def serve_all(self, rows: Row) -> TreeModel:
        """The model that answers about all of some rows: it does not assume what one of them breaks."""
        points = self.domain.points(rows)
        inside = (points >= 0).all(axis=1) & self.domain.possible(rows, points)
        broken = sorted({name for row in rows[~inside] for name in self._find_broken(row)})
        model = self._loosen(rows, broken) if broken else self
        found = {text for row in rows[~inside] for text in model.domain.find_broken(row)}
        dropped = tuple(rule.text for rule in model.domain.knowledge.mined or () if rule.text in found)
        return self._loosen(rows, broken, dropped) if dropped else model

    def _find_broken(self, row: Row) -> dict[str, str]:
        """The features whose inferred kind a row breaks, with what to note about them."""
        numbers, found = row.tolist(), {}
        for feature in self._inferred:
            x = numbers[feature.column]
            if x != x or feature.index_of(numbers) >= 0:
                continue
            kind, _ = feature.assumption() or ("", "")
            found[feature.name] = (
                f"{feature.name} = {number(x)} {kind.replace('is ', 'is not ', 1)}, unlike the training rows; answered "
                "without that assumption"
            )
        return found

    @cached_property
    def _inferred(self) -> list[Feature]:
        """The features whose kind was inferred, and that do not allow every number."""
        declared = self.recipe.declared or {}
        return [
            feature
            for feature in self.domain.features
            if feature.limits_numbers
            and len(feature.columns) == 1
            and declared.get(feature.name) is None
            and feature.column not in self.ensemble.categories
        ]

    def _loosen(self, rows: Row, broken: Iterable[str], dropped: tuple[str, ...] = ()) -> TreeModel:
        """The model that does not assume what rows break: kinds of features, and mined rules; made once."""
        kinds, names = self.recipe.kinds, self.ensemble.feature_names
        loosened = {
            name: Number(whole=kinds.get(name) == "whole" and _are_whole(rows[:, names.index(name)]))
            for name in broken
        }
        key = (frozenset(loosened.items()), dropped)
        found = self._variants.get(key)
        if found is None:
            recipe = self.recipe.drop_rules(dropped, loosened)
            domain = domain_of(self.ensemble, recipe, loosened=loosened)
            found = replace(self.replace_ensemble(self.ensemble, domain), recipe=recipe)
            self._keep_variant(key, found)
        return found

    def check_rows(self, what: str, rows: Row, *, strictly: bool = False) -> None:
        """Raise for the first of some rows that cannot be answered about; `strictly`, under what is inferred."""
        points = self.domain.points(rows)
        allowed = (points >= 0).all(axis=1) & self.domain.possible(rows, points)
        for place in np.flatnonzero(~allowed).tolist():
            try:
                (self if strictly else self.serve(rows[place])).context.point_of(rows[place])
            except InvalidInput as problem:
                raise InvalidInput(f"{what}, row {place}: {problem}") from None

    def read_points(self, what: str, rows: Any) -> list[Point]:
        table = as_rows(rows, self.context.layout, source=what)
        self.check_rows(what, table, strictly=True)
        return [tuple(point) for point in self.domain.points(table).tolist()]

    def compare_votes(self, row: Row, label: int) -> tuple[str, ...]:
        """Whether the library's own `predict` says otherwise than the majority, as a note; nothing if it does not."""
        if self.vote == "model":
            return ()
        own = readers.decisions_of(self.source, row[None, :], self.ensemble.categories)[0]
        place = list(self.ensemble.classes).index(own.item() if hasattr(own, "item") else own)
        if place == label:
            return ()
        name = self.context.class_names[place]
        return (f"model.predict does not take a majority and says {name} for this row",)


def _are_whole(numbers: Row) -> bool:
    """Whether numbers are whole, as far as they are not missing."""
    return all(float(x).is_integer() for x in numbers[~np.isnan(numbers)])
