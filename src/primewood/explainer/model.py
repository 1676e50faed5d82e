"""A model as it is asked about: read, named, checked against itself, over its domain."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.arguments import (
    ClassNames,
    DecisionRule,
    class_names_of,
    context_of,
    decide_by,
    declared_of,
    ids_of,
    name_columns,
    training_rows,
)
from primewood.domain import Domain, EnsembleSubject, ExpressionSubject, Subject, domain_of
from primewood.domain.declarations import Number
from primewood.domain.domain import MissingRule
from primewood.engines.choice import EngineName, Engines
from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput, UnknownName, listing, meant
from primewood.explainer import shown
from primewood.explainer.asking import about_row, called
from primewood.explainer.options import keep_options
from primewood.logic.expression import Expression
from primewood.logic.interval import number
from primewood.logic.language import Language, check_language
from primewood.model.context import Context
from primewood.model.score import Score, Scorer
from primewood.progress import say, with_progress
from primewood.questions.prime import plan
from primewood.readers.fidelity import Fidelity, check_fidelity
from primewood.tables.rows import read_row, read_rows, tell
from primewood.tables.tabular import is_table, kinds_of
from primewood.visible import visible

VoteName = Choice["model", "majority"]
Summation = Choice["sequential", "any"]


class Model:
    """What all questions share; see `Explainer` for the parameters and attributes."""

    _options: dict[str, Any]
    """The options by name, as they were given; see `keep_options`."""
    progress: bool | None = None

    @called("Explainer")
    @keep_options
    @with_progress("reading the model")
    def __init__(
        self,
        model: Any,
        X_train: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: ClassNames | None = None,
        units: Mapping[str, str] | None = None,
        domain: Mapping[str, Any] | None = None,
        groups: Mapping[str, Sequence[str]] | str | None = None,
        constraints: Sequence[str] | None = None,
        threshold: float | None = None,
        positive: object = None,
        threshold_dtype: InputType = "float64",
        between: tuple[float, float] | None = None,
        immutable: Iterable[str] = (),
        vote: VoteName = "model",
        engine: EngineName = "auto",
        max_nodes: int | None = None,
        missing: MissingRule = "auto",
        summation: Summation | None = None,
        literals: Language | None = None,
        trust_pickle: bool = False,
        progress: bool | None = None,
    ) -> None:
        if vote not in get_args(VoteName):
            raise InvalidInput(f'vote is "model" or "majority", not {vote!r}')
        if summation not in (None, *get_args(Summation)):
            raise InvalidInput(f'summation is "sequential" or "any", not {summation!r}')
        if isinstance(model, str | Path):
            model = readers.load_model(model, trust_pickle=trust_pickle)
        self.model, self.progress = model, progress
        self.literals: Language = _usual_language(model) if literals is None else check_language(literals)
        self.immutable = tuple(immutable or ())
        self.notes: tuple[str, ...] = ()
        self.rule, self._vote = DecisionRule(threshold, between, positive, threshold_dtype), vote
        self.domain: Domain | None = None
        self.ensemble: Ensemble | None = None
        self.fidelity: Fidelity | None = None
        self._looser: dict[frozenset[tuple[str, Number]], Self] = {}
        if isinstance(model, Expression):
            given = (X_train, feature_names, domain, groups, constraints, threshold, between, positive)
            if any(option is not None for option in given) or missing != "auto":
                raise InvalidInput(
                    "an expression brings its own variables; X_train, feature_names, domain, groups, constraints, "
                    "threshold, between, positive and missing are for models"
                )
            self._subject: Subject = ExpressionSubject(model)
            self._context = Context(model.variables, class_names_of(self._subject.labels, class_names))
        else:
            self.ensemble, self.notes = name_columns(readers.read(model, X_train), X_train, feature_names)
            self._as_read = self.ensemble
            if vote == "majority":
                self.ensemble = self.ensemble.by_majority()
            self.ensemble = decide_by(self.ensemble, self.rule, class_names)
            rows, notes = training_rows(X_train, self.ensemble)
            self.notes += notes
            tell(self.notes)
            say("working out what rows can be")
            self._domain_for = partial(
                domain_of,
                rows=rows,
                declared=declared_of(X_train, domain, self.ensemble),
                groups=groups,
                constraints=constraints,
                missing=missing,
                kinds=kinds_of(X_train, self.ensemble.feature_names),
            )
            self.domain = self._domain_for(self.ensemble)
            if vote == "model" and not isinstance(model, Ensemble):
                features = self.domain.features
                self.fidelity = check_fidelity(
                    model,
                    self._as_read,
                    rows,
                    missing=[column for f in features if f.missing for column in f.columns],
                    groups=[f.columns for f in features if len(f.columns) > 1],
                )
            say("placing the training rows")
            self._subject = EnsembleSubject(self.ensemble, self.domain)
            names = class_names_of(self.ensemble.classes, class_names)
            self._context = context_of(self.ensemble, self.domain, names, rows, units, positive)
            self._context = replace(self._context, ids=ids_of(X_train))
        self._context = replace(self._context, literals=self.literals)
        self._usual_plan = plan(self._subject, None)
        self.class_names = self._context.class_names
        self._places("immutable", self.immutable)
        if summation is None:
            summation = "any" if self.ensemble is not None and self.ensemble.any_order else "sequential"
        self._engines = Engines(self._subject, engine, max_nodes, any_order=summation == "any")
        say("preparing the search")
        self._engines.prepare()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """As ready for the first question as a new one is."""
        self.__dict__.update(state)
        self._engines.prepare()

    def __repr__(self) -> str:
        return visible(shown.line(self))

    def _repr_html_(self) -> str:
        return shown.card(self)

    @property
    def positive(self) -> object:
        """The class that a cut-off and probabilities speak of, by its shown name; None if there is none."""
        scorer = self._context.scorer
        place = None if scorer is None else scorer.positive
        return None if place is None else self.class_names[place]

    @property
    def rows(self) -> NDArray[np.float64]:
        """The training rows, as the model takes them; without any, an empty array."""
        rows = self._context.rows
        return np.empty((0, 0)) if rows is None else rows

    @property
    def agreement(self) -> tuple[int, int] | None:
        """On how many training rows `model.predict` decides as the vote does, and of how many rows.

        None without training rows, or where the decision is not the model's own.
        """
        rows = self._context.rows
        if rows is None or self.ensemble is None or not self.rule.is_own:
            return None
        own = readers.decisions_of(self.model, rows, self.ensemble.categories)
        vote = np.array(self.ensemble.classes, dtype=own.dtype)[self.ensemble.predict(rows)]
        return int((own == vote).sum()), len(rows)

    def _with(self, ensemble: Ensemble, domain: Domain) -> Self:
        """The explainer of the same model with another decision, or over another domain."""
        other = copy.copy(self)
        other._looser = {}
        other.ensemble, other.domain = ensemble, domain
        other._subject = EnsembleSubject(ensemble, domain)
        scorer = self._context.scorer
        if ensemble is not self.ensemble:
            other.class_names = ensemble.classes
            scorer = Scorer(ensemble, other.class_names)
        rows = self._context.rows
        other._context = replace(
            self._context,
            class_names=other.class_names,
            scorer=scorer,
            digest=ensemble.digest,
            domain=domain,
            variables=domain.variables,
            points=None if rows is None else domain.points(rows),
        )
        engines = self._engines
        other._usual_plan = plan(other._subject, None)
        other._engines = Engines(
            other._subject, engines.engine, engines.max_nodes, any_order=engines.any_order
        )
        return other

    def _check_decides(self) -> None:
        if self.ensemble is not None and self.ensemble.is_regressor:
            raise InvalidInput(
                "a regressor decides nothing by itself: pass threshold=t (prediction >= t) or between=(a, b) when the "
                "explainer is made, or within=e (plus or minus e around this prediction) when a row is explained"
            )

    def _wanted(self, target: object, label: int) -> int | None:
        if target is None:
            return None
        wanted = self._context.label(target)
        if wanted == label:
            raise InvalidInput(f"the row is decided {target} already; say another target")
        return wanted

    def _check_rows(self, what: str) -> None:
        if self.ensemble is None:
            raise InvalidInput(f"{what} are about rows of a model; an expression has none")

    def _check_domain(self, what: str, rows: NDArray[np.float64], *, strictly: bool = False) -> None:
        """Raise for the first of some rows that cannot be answered about; `strictly`, under what is inferred."""
        domain = self._context.domain
        assert domain is not None
        points = domain.points(rows)
        allowed = (points >= 0).all(axis=1) & domain.possible(rows, points)
        for place in np.flatnonzero(~allowed).tolist():
            try:
                (self if strictly else self._serving(rows[place]))._context.read(rows[place])
            except InvalidInput as problem:
                raise InvalidInput(f"{what}, row {place}: {problem}") from None

    def decide(self, x: Any) -> object:
        """The decision on a row, by its name; of a table with several rows, the list of their decisions."""
        self._check_decides()
        if self.domain is not None and is_table(x):
            reading = read_rows(x, self._context.layout)
            if len(reading.rows) != 1:
                tell(reading.notes)
                return [self._decide(row) for row in reading.rows]
        return self._decide(x)

    @about_row
    def _decide(self, x: Any) -> object:
        return self.class_names[self._engines.decide(self._context.read(x)[1])]

    def _serving(self, x: Any) -> Self:
        """The explainer that answers about a row, with what is to be noted about the row.

        It is this one, unless the row breaks what was inferred about features: then it is one that does not assume it.
        """
        if self.domain is None:
            return self
        reading = read_row(x, self._context.layout)
        broken = self._broken(reading.rows[0])
        noted = (*reading.notes, *reading.row_notes.get(0, ()), *broken.values())
        return (self._loosened(reading.rows[0], broken) if broken else self)._noting(noted)

    def _broken(self, row: NDArray[np.float64]) -> dict[str, str]:
        """The features whose inferred kind a row breaks, with what to note about them."""
        assert self.domain is not None and self.ensemble is not None
        declared, numbers, found = self._domain_for.keywords["declared"] or {}, row.tolist(), {}
        for feature in self.domain.features:
            known = declared.get(feature.name) is not None or feature.column in self.ensemble.categories
            x = numbers[feature.column]
            if known or len(feature.columns) > 1 or x != x or feature.index_of(numbers) >= 0:
                continue
            kind, _ = feature.assumption() or ("", "")
            found[feature.name] = (
                f"{feature.name} = {number(x)} {kind.replace('is ', 'is not ', 1)}, unlike the training rows; answered "
                "without that assumption"
            )
        return found

    def _loosened(self, row: NDArray[np.float64], broken: Iterable[str]) -> Self:
        """The explainer that does not assume what a row breaks; made once."""
        assert self.domain is not None and self.ensemble is not None
        kinds, names = self._domain_for.keywords["kinds"], self.ensemble.feature_names
        loosened = {
            name: Number(whole=kinds.get(name) == "whole" and float(row[names.index(name)]).is_integer())
            for name in broken
        }
        key = frozenset(loosened.items())
        if key not in self._looser:
            self._looser[key] = self._with(self.ensemble, self._domain_for(self.ensemble, loosened=loosened))
        return self._looser[key]

    def _noting(self, notes: tuple[str, ...]) -> Self:
        """The same explainer, whose answers carry these notes besides."""
        notes = tuple(note for note in notes if note not in self._context.notes)
        if not notes:
            return self
        other, context = copy.copy(self), copy.copy(self._context)  # with all that they remember
        object.__setattr__(context, "notes", (*context.notes, *notes))
        other._context = context
        return other

    @about_row
    def score(self, x: Any) -> Score | None:
        """The class, the score and the cut-off of the decision on a row; None for an expression, which has no score."""
        self._check_decides()
        row, _ = self._context.read(x)
        return self._context.score(row)

    def expression(self, decision: object) -> Expression:
        """The expression "the decision is this one" over the variables of the model's domain."""
        return self._subject.formula(self._context.label(decision))

    def _places(self, what: str, names: Iterable[str]) -> frozenset[int]:
        """The places of the variables of features; those that no test looks at have none."""
        known = {v.name: j for j, v in enumerate(self._subject.variables)}
        return frozenset(known[name] for name in self._named(what, names) if name in known)

    def _named(self, what: str, names: Iterable[str]) -> frozenset[str]:
        """The names that are given, if they are names of features."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidInput(f"{what} is a list of feature names; write {what}=[{names!r}]")
        given = list(names)
        every = self._context.feature_names
        unknown = [name for name in given if name not in every]
        if unknown:
            raise UnknownName(
                f"{what} names {listing(unknown)}{meant(unknown, every)}; the features are {listing(every)}"
            )
        return frozenset(given)

    def _language(self, literals: Language | None) -> Language:
        """The literal language of a question: the one that it asks for, or the explainer's."""
        return self.literals if literals is None else check_language(literals)

    def _notes(self, row: NDArray[np.float64] | None, label: int) -> tuple[str, ...]:
        """What to know about this decision: about the row, and whether the model's own `predict` says otherwise."""
        noted = self._context.notes
        if row is None or self.ensemble is None or self._vote == "model":
            return noted
        own = readers.decisions_of(self.model, row[None, :], self.ensemble.categories)[0]
        place = list(self.ensemble.classes).index(own.item() if hasattr(own, "item") else own)
        if place == label:
            return noted
        return (
            *noted,
            f"model.predict does not take a majority and says {self.class_names[place]} for this row",
        )


def _usual_language(model: object) -> Language:
    """Ranges are what people read; the logic of the paper is about sets."""
    return "sets" if isinstance(model, Expression) else "intervals"
