"""From what users pass in to a model that can be asked: read, named, checked against itself, over its domain."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.domain import Domain, DomainRecipe, EnsembleSubject, ExpressionSubject, domain_of
from primewood.domain.domain import MissingRule, suggest_groups
from primewood.domain.mined import MinedKnowledge
from primewood.engines.choice import Engines
from primewood.engines.protocol import EngineName
from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput, UnknownName, format_list, quote_value
from primewood.fields import text
from primewood.logic.expression import Expression
from primewood.logic.language import Language, check_language
from primewood.model.context import Context, TreeContext
from primewood.model.decision_rule import DecisionRule, positive_place
from primewood.model.mining import mine
from primewood.model.model import ExpressionModel, Model, TreeModel, VoteName
from primewood.model.names import ClassNames, name_classes, name_columns
from primewood.model.score import Scorer
from primewood.progress import say
from primewood.readers.fidelity import Fidelity, check_fidelity
from primewood.tables.rows import Layout, categories_of, find_ids, read_rows, tell
from primewood.tables.tabular import kinds_of

Summation = Choice["sequential", "any"]
KnowledgeSource = Choice["data"]
"""Where knowledge comes from, beside what the user states."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a model is read and asked, as the user says it; see `Explainer` for what each means."""

    feature_names: Sequence[str] | None = None
    class_names: ClassNames | None = None
    units: Mapping[str, str] | None = None
    domain: Mapping[str, Any] | None = None
    groups: Mapping[str, Sequence[str]] | str | None = None
    constraints: Sequence[str] | None = None
    knowledge: KnowledgeSource | None = None
    threshold: float | None = None
    positive: object = None
    threshold_dtype: InputType = "float64"
    between: tuple[float, float] | None = None
    immutable: Iterable[str] = ()
    vote: VoteName = "model"
    engine: EngineName = "auto"
    max_nodes: int | None = None
    missing: MissingRule = "auto"
    summation: Summation | None = None
    literals: Language | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            kept = list(value) if isinstance(value, Iterator) else copy.deepcopy(value)
            object.__setattr__(self, field.name, kept)

    @property
    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, by name."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value is not default}

    @property
    def rule(self) -> DecisionRule:
        """What the model shall decide by."""
        return DecisionRule(self.threshold, self.between, self.positive, self.threshold_dtype)


def build_model(source: Any, X_train: Any, options: Options, *, trust_pickle: bool = False) -> Model:
    """The model that questions are asked of.

    Parameters
    ----------
    source
        What the user gave: a fitted model, its file, an ensemble or an expression.
    """
    if options.vote not in get_args(VoteName):
        raise InvalidInput(f'vote must be "model" or "majority", not {options.vote!r}')
    if options.summation not in (None, *get_args(Summation)):
        raise InvalidInput(f'summation must be "sequential" or "any", not {options.summation!r}')
    if options.knowledge not in (None, *get_args(KnowledgeSource)):
        raise InvalidInput(f'knowledge must be "data" or None, not {options.knowledge!r}')
    if isinstance(source, str | Path):
        source = readers.load_model(source, trust_pickle=trust_pickle)
    if isinstance(source, Expression):
        return _build_expression_model(source, X_train, options)
    return _build_tree_model(source, X_train, options)


def read_alike(model: TreeModel, source: Any, *, trust_pickle: bool) -> Model:
    """Another model, with columns and decisions called as this one's are."""
    if isinstance(source, str | Path):
        source = readers.load_model(source, trust_pickle=trust_pickle)
    read, ensemble, rule = readers.read(source, None), model.ensemble, model.rule
    prefixes = {name.removesuffix(str(i)) for i, name in enumerate(read.feature_names)}
    unnamed = prefixes <= {"x"} or prefixes <= {"f"} or prefixes <= {"Column_"} or prefixes <= {""}
    same_classes = tuple(read.classes) == tuple(model.as_read.classes)
    same_width = read.n_features == ensemble.n_features
    options = Options(
        feature_names=ensemble.feature_names if unnamed and same_width else None,
        class_names=model.context.class_names if same_classes and not ensemble.predicts_number else None,
        threshold=rule.threshold,
        between=rule.between,
        positive=rule.positive,
        threshold_dtype=rule.dtype,
        vote=model.vote,
    )
    return build_model(source, None, options)


def _build_expression_model(expression: Expression, X_train: Any, options: Options) -> ExpressionModel:
    for_models = (
        "feature_names",
        "domain",
        "groups",
        "constraints",
        "knowledge",
        "threshold",
        "between",
        "positive",
    )
    given = [X_train, *(getattr(options, name) for name in for_models)]
    if any(option is not None for option in given) or options.missing != "auto":
        raise InvalidInput(
            "an expression brings its own variables; X_train, feature_names, domain, groups, constraints, "
            "knowledge, threshold, between, positive and missing are for models"
        )
    subject = ExpressionSubject(expression)
    literals: Language = "sets" if options.literals is None else check_language(options.literals)
    names = name_classes(subject.labels, options.class_names)
    context = Context(expression.variables, names, literals=literals)
    engines = Engines(subject, options.engine, options.max_nodes, any_order=options.summation == "any")
    model = ExpressionModel(context, engines, subject)
    model.find_places("immutable", options.immutable or ())
    return model


def _build_tree_model(source: Any, X_train: Any, options: Options) -> TreeModel:
    literals: Language = "intervals" if options.literals is None else check_language(options.literals)
    if options.units is not None and not isinstance(options.units, Mapping):
        raise InvalidInput(
            f"units must be a mapping from features to their units, not {quote_value(options.units)}"
        )
    as_read, notes = name_columns(readers.read(source, X_train), X_train, options.feature_names)
    ensemble = _choose_decision(as_read, options)
    rows, row_notes = _read_training_rows(X_train, ensemble)
    tell((*notes, *row_notes))
    say("working out what rows can be")
    recipe = DomainRecipe(
        rows,
        declared=_declare_features(X_train, options.domain, ensemble),
        groups=options.groups,
        constraints=options.constraints,
        missing=options.missing,
        kinds=kinds_of(X_train, ensemble.feature_names),
        units=options.units,
    )
    domain = domain_of(ensemble, recipe)
    if options.knowledge is not None:
        recipe = replace(recipe, mined=_mine(domain, rows, options))
        domain = domain_of(ensemble, recipe)
    fidelity = None
    if options.vote == "model" and not isinstance(source, Ensemble):
        fidelity = _check_reading(source, as_read, rows, domain)
    say("placing the training rows")
    subject, context = EnsembleSubject(ensemble, domain), _describe(ensemble, domain, rows, options)
    context = replace(context, ids=find_ids(X_train), literals=literals)
    summation = options.summation or ("any" if ensemble.any_order else "sequential")
    engines = Engines(subject, options.engine, options.max_nodes, any_order=summation == "any")
    model = TreeModel(
        context,
        engines,
        subject,
        source,
        as_read,
        options.rule,
        recipe,
        vote=options.vote,
        immutable=tuple(options.immutable or ()),
        fidelity=fidelity,
        notes=(*notes, *row_notes, *_note_groups(ensemble, recipe)),
    )
    model.find_places("immutable", model.immutable)
    say("preparing the search")
    engines.prepare()
    return model


def _mine(domain: Domain, rows: NDArray[np.float64] | None, options: Options) -> MinedKnowledge:
    """The rules that the training rows show."""
    if rows is None:
        raise InvalidInput(
            'knowledge="data" looks for rules in the training rows, and there are none; pass X_train'
        )
    say("looking for rules in the training rows")
    return mine(domain, rows, tuple(options.immutable or ()))


def _choose_decision(as_read: Ensemble, options: Options) -> Ensemble:
    """The ensemble with the vote and the cut-off that the user chose."""
    ensemble = as_read.use_majority() if options.vote == "majority" else as_read
    names = () if ensemble.is_regressor else name_classes(ensemble.classes, options.class_names)
    return options.rule.apply(ensemble, names)


def _check_reading(
    source: Any, as_read: Ensemble, rows: NDArray[np.float64] | None, domain: Domain
) -> Fidelity:
    """How the reading of a model fares against the library's own scores and decisions."""
    return check_fidelity(
        source,
        as_read,
        rows,
        missing=[column for f in domain.features if f.missing for column in f.columns],
        groups=[f.columns for f in domain.features if len(f.columns) > 1],
    )


def _read_training_rows(
    X_train: Any, ensemble: Ensemble
) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    """The training rows as the model takes them, None without any; and what is to be noted about them."""
    if X_train is None:
        return None, ()
    reading = read_rows(X_train, Layout.of(ensemble), source="X_train")
    if not len(reading.rows):
        raise InvalidInput("X_train has no rows; leave it out if there are none")
    return reading.rows, reading.all_notes


def _note_groups(ensemble: Ensemble, recipe: DomainRecipe) -> tuple[str, ...]:
    """A note on columns that look one-hot encoded, if no groups were declared."""
    groups = suggest_groups(ensemble, recipe)
    if not groups:
        return ()
    named = format_list(f"{name} ({format_list(columns, 3)})" for name, columns in groups.items())
    return (
        f"X_train: these columns look one-hot encoded: {named}; answers may set several of them or none. Pass "
        'groups="auto" to make each group one feature',
    )


def _declare_features(
    X_train: Any, domain: Mapping[str, Any] | None, ensemble: Ensemble
) -> Mapping[str, Any] | None:
    """What the frame and the user say about columns; the user has the last word."""
    if domain is not None and not isinstance(domain, Mapping):
        return domain
    return {**categories_of(X_train, Layout.of(ensemble)), **(domain or {})}


def _describe(
    ensemble: Ensemble, domain: Domain, rows: NDArray[np.float64] | None, options: Options
) -> TreeContext:
    """What all answers about the model share."""
    names = name_classes(ensemble.classes, options.class_names)
    return TreeContext(
        domain.variables,
        names,
        domain=domain,
        rows=rows,
        points=None if rows is None else domain.points(rows),
        vote=ensemble.vote if len(ensemble.trees) > 1 else None,
        units=_check_units(options.units, domain),
        layout=replace(Layout.of(ensemble), words=_find_words(domain, ensemble)),
        digest=ensemble.digest,
        scorer=_choose_scorer(ensemble, names, options.positive),
    )


def _check_units(units: Mapping[str, str] | None, domain: Domain) -> dict[str, str]:
    known = {feature.name for feature in domain.features}
    unknown = [name for name in units or () if name not in known]
    if unknown:
        raise UnknownName(f"units names {format_list(unknown)}, which are not features")
    for unit in (units or {}).values():
        text(unit, "each of units")
    return dict(units or {})


def _choose_scorer(ensemble: Ensemble, names: tuple[object, ...], positive: object) -> Scorer:
    if ensemble.cutoff is not None:
        return Scorer(ensemble, names, ensemble.cutoff.positive)
    if ensemble.predicts_number:
        if positive is not None:
            raise InvalidInput("positive is for classifiers; a regressor predicts a number")
        return Scorer(ensemble, names)
    return Scorer(ensemble, names, positive_place(ensemble.classes, names, positive))


def _find_words(domain: Domain, ensemble: Ensemble) -> dict[int, dict[str, float]]:
    """Per column that is numeric to the model, the names that its numbers have in the domain."""
    return {
        feature.column: {name: code for code, name in feature.codes.items() if isinstance(name, str)}
        for feature in domain.features
        if feature.codes is not None and feature.column not in ensemble.categories
    }
