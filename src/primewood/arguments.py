"""What users pass in, made into what questions are asked of: names, decisions, training rows, limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.engines.protocol import Clock, check_limit
from primewood.ensemble import Ensemble, Level
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput, UnknownName, listing, meant, told
from primewood.fields import file_path, is_finite, text
from primewood.logic.interval import number
from primewood.model.context import Context
from primewood.model.score import Scorer
from primewood.questions.explanation import Explanation
from primewood.tables.matching import is_unnamed, match_columns
from primewood.tables.rows import Layout, categories_of, read_rows
from primewood.tables.tabular import tabular


def name_columns(
    ensemble: Ensemble, X_train: Any, names: Sequence[str] | None
) -> tuple[Ensemble, tuple[str, ...]]:
    """The ensemble with the names of its columns, and what is to be noted about them.

    They are the names that are given; else the model's own, with the spaces of the training frame, which LightGBM
    drops; else, of a model that has none, those of the training frame, in its order.
    """
    own = ensemble.feature_names
    if names is not None:
        return replace(ensemble, feature_names=_checked_names(names, own)), ()
    table = None if X_train is None else tabular(X_train)
    if table is None or not table.labelled:
        return ensemble, ()
    if tuple(name.replace(" ", "_") for name in table.names) == own:
        return replace(ensemble, feature_names=table.names), ()
    if not is_unnamed(own) or set(own) & set(table.names):
        return ensemble, ()
    matched = match_columns(table.names, own, "X_train")
    return replace(ensemble, feature_names=table.names), matched.notes


def _checked_names(names: Sequence[str], own: tuple[str, ...]) -> tuple[str, ...]:
    given = tuple(str(name) for name in names)
    if len(given) != len(own):
        raise InvalidInput(f"{len(given)} feature names for {len(own)} columns")
    if given != own and sorted(given) == sorted(own):
        raise InvalidInput(
            f"feature_names has the model's own names in another order; the order is {listing(own)}"
        )
    return given


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """The decision that a user asks about, if it is not the model's own.

    Attributes
    ----------
    threshold : float, optional
        The cut-off of the probability of the positive class, or of a regressor's prediction.
    between : pair of float, optional
        For a regressor: the two numbers that its prediction is compared with.
    positive : object
        The class that the cut-off speaks of, by its label or its shown name; None if it was not named.
    dtype : {"float64", "float32"}
        What the threshold is rounded to before it is compared.
    """

    threshold: float | None = None
    between: tuple[float, float] | None = None
    positive: object = None
    dtype: InputType = "float64"

    @property
    def is_own(self) -> bool:
        """Whether the model decides by its own rule."""
        return self.threshold is None and self.between is None

    def apply(self, ensemble: Ensemble, names: Sequence[object]) -> Ensemble:
        """The ensemble deciding so; `names` are the shown names of its classes."""
        if self.threshold is not None and self.between is not None:
            raise InvalidInput("pass either threshold or between, not both")
        if self.between is not None:
            return decide_between(ensemble, self.between)
        if self.threshold is None:
            return ensemble
        cutoff = self._cutoff()
        if ensemble.is_regressor:
            parts = (f"prediction < {number(cutoff)}", f"prediction >= {number(cutoff)}")
            return ensemble.at_levels([Level(cutoff)], parts)
        if len(ensemble.classes) != 2:
            raise InvalidInput(
                f"threshold needs a model with two classes or a regressor; this one has {listing(ensemble.classes)}"
            )
        if ensemble.cutoff is not None:
            raise InvalidInput(
                f"the model already decides at its own cut-off, {number(ensemble.cutoff.value)}; "
                "pass the model inside it to choose another threshold"
            )
        if ensemble.link != "identity" or ensemble.vote == "mean":
            _check_probability(cutoff)
        return ensemble.at_cutoff(cutoff, self._positive_place(ensemble, names))

    def _cutoff(self) -> float:
        threshold = self.threshold
        if not isinstance(threshold, int | float | np.number) or not is_finite(threshold):
            raise InvalidInput(f"threshold must be a finite number, not {told(threshold)}")
        if self.dtype not in get_args(InputType):
            raise InvalidInput(f'threshold_dtype must be "float64" or "float32", not {self.dtype!r}')
        return float(np.dtype(self.dtype).type(threshold))

    def _positive_place(self, ensemble: Ensemble, names: Sequence[object]) -> int:
        place = positive_place(ensemble.classes, names, self.positive)
        if place is None:
            first, second = ensemble.classes
            raise InvalidInput(
                "threshold needs positive=, the class whose probability it is compared with: "
                f"positive={first!r} or positive={second!r}"
            )
        return place


def decide_by(ensemble: Ensemble, rule: DecisionRule, class_names: ClassNames | None) -> Ensemble:
    """The ensemble deciding by a rule, in which a class may be called by its shown name."""
    names = () if ensemble.is_regressor else class_names_of(ensemble.classes, class_names)
    return rule.apply(ensemble, names)


def positive_place(classes: Sequence[object], names: Sequence[object], positive: object = None) -> int | None:
    """The place of the positive class: the one that is named, or of two numbers the larger; else None."""
    if positive is not None:
        known = [(str(label), place) for place, label in enumerate(classes)]
        known += [(str(name), place) for place, name in enumerate(names)]
        found = {place for text, place in known if text == str(positive)}
        if len(found) != 1:
            every = [*dict.fromkeys([*names, *classes])]
            raise UnknownName(
                f"positive={positive!r} is not a class of the model{meant([positive], every)}; "
                f"the classes are {listing(names)}"
            )
        return found.pop()
    in_order = len(classes) == 2 and all(isinstance(label, bool | int | float) for label in classes)
    return 1 if in_order else None


def _check_probability(cutoff: float) -> None:
    if not 0 <= cutoff <= 1:
        advice = f"; did you mean {number(cutoff / 100)}?" if 1 < cutoff <= 100 else ""
        raise InvalidInput(
            f"threshold is compared with a probability, from 0 to 1; got {number(cutoff)}{advice}"
        )


def decide_between(ensemble: Ensemble, between: tuple[float, float]) -> Ensemble:
    """A regressor deciding whether its prediction is below, between or above two numbers."""
    low, high = _ends(between)
    if not ensemble.is_regressor:
        raise InvalidInput("between is for regressors; pass threshold for a classifier")
    middle = f"{number(low)} <= prediction <= {number(high)}"
    names = (f"prediction < {number(low)}", middle, f"prediction > {number(high)}")
    return ensemble.at_levels([Level(low), Level(high, strictly=True)], names)


def _ends(between: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in between)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"between is two numbers, not {between!r}") from None
    if not -np.inf < low <= high < np.inf:
        raise InvalidInput(f"between is two finite numbers that ascend, not {between!r}")
    return low, high


ClassNames = Sequence[object] | Mapping[object, object]
"""Shown names of classes: a mapping from the model's labels, or names in the order of these labels."""


def class_names_of(labels: Sequence[object], names: ClassNames | None) -> tuple[object, ...]:
    """The shown names of the model's classes: those that are given, or its own labels."""
    if names is None:
        return tuple(labels)
    if isinstance(names, Mapping):
        given = _mapped(labels, names)
    else:
        if isinstance(names, str) or len(names) != len(labels):
            count = 1 if isinstance(names, str) else len(names)
            raise InvalidInput(f"{count} class names for {len(labels)} classes: {listing(labels)}")
        given = tuple(_plain_name(name) for name in names)
    if len({str(name) for name in given}) < len(given):
        raise InvalidInput(f"class names must differ: {listing(given)}")
    for label, name in zip(labels, given, strict=True):
        if str(name) != str(label) and str(name) in {str(other) for other in labels}:
            raise InvalidInput(
                f"class_names calls the class {label!r} by the name of another class, {name!r}. The model's classes "
                f"are {listing(labels)}, in this order; leave class_names out, or map labels to new names: "
                f"class_names={{{label!r}: ...}}"
            )
    return given


def _mapped(labels: Sequence[object], names: Mapping[object, object]) -> tuple[object, ...]:
    """Shown names by a mapping; labels are looked up as they are, or by their text, as JSON and TOML have them."""
    by_text = {str(label): label for label in labels}
    unknown = [key for key in names if str(key) not in by_text]
    if unknown:
        raise UnknownName(
            f"class_names has {listing(unknown)}{meant(unknown, labels)}; the model's classes are {listing(labels)}"
        )
    given = {str(key): _plain_name(name) for key, name in names.items()}
    return tuple(given.get(str(label), label) for label in labels)


def _plain_name(name: object) -> object:
    plain = name.item() if isinstance(name, np.generic) else name
    return text(plain, "each of class_names") if isinstance(plain, str) else plain


def training_rows(X_train: Any, ensemble: Ensemble) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    """The training rows as the model takes them, None without any; and what is to be noted about them."""
    if X_train is None:
        return None, ()
    reading = read_rows(X_train, Layout.of(ensemble), source="X_train")
    if not len(reading.rows):
        raise InvalidInput("X_train has no rows; leave it out if there are none")
    return reading.rows, reading.all_notes


def ids_of(X_train: Any) -> tuple[object, ...] | None:
    """The labels of the training rows in the index of a pandas frame; None without an index."""
    index = getattr(X_train, "index", None)
    return None if index is None or not hasattr(index, "tolist") else tuple(index.tolist())


def declared_of(
    X_train: Any, domain: Mapping[str, Any] | None, ensemble: Ensemble
) -> Mapping[str, Any] | None:
    """What the frame and the user say about columns; the user has the last word."""
    if domain is not None and not isinstance(domain, Mapping):
        return domain
    return {**categories_of(X_train, Layout.of(ensemble)), **(domain or {})}


def context_of(
    ensemble: Ensemble,
    domain: Domain,
    names: tuple[object, ...],
    rows: NDArray[np.float64] | None,
    units: Mapping[str, str] | None,
    positive: object = None,
) -> Context:
    """What all answers about the model share."""
    names_known = {feature.name for feature in domain.features}
    unknown = [name for name in units or () if name not in names_known]
    if unknown:
        raise UnknownName(f"units names {listing(unknown)}, which are no features")
    for unit in (units or {}).values():
        text(unit, "each of units")
    points = None if rows is None else domain.points(rows)
    vote = ensemble.vote if len(ensemble.trees) > 1 else None
    return Context(
        domain.variables,
        names,
        domain,
        rows,
        points,
        vote,
        dict(units or {}),
        replace(Layout.of(ensemble), words=_words(domain, ensemble)),
        ensemble.digest,
        scorer=_scorer(ensemble, names, positive),
    )


def _scorer(ensemble: Ensemble, names: tuple[object, ...], positive: object) -> Scorer:
    if ensemble.cutoff is not None:
        return Scorer(ensemble, names, ensemble.cutoff.positive)
    if ensemble.predicts_number:
        if positive is not None:
            raise InvalidInput("positive is for classifiers; a regressor predicts a number")
        return Scorer(ensemble, names)
    return Scorer(ensemble, names, positive_place(ensemble.classes, names, positive))


def _words(domain: Domain, ensemble: Ensemble) -> dict[int, dict[str, float]]:
    """Per column that is numeric to the model, the names that its numbers have in the domain."""
    return {
        feature.column: {name: code for code, name in feature.codes.items() if isinstance(name, str)}
        for feature in domain.features
        if feature.codes is not None and feature.column not in ensemble.categories
    }


def check_arguments(given: dict[str, Any]) -> None:
    """Check the arguments of a question by their names, and put plain numbers in the place of NumPy's.

    Only what would end in an error of another library, or of Python itself, is refused here; what the words and names
    mean is for the question to say.
    """
    for name, value in given.items():
        if name in ROWS:
            continue
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None and name in REQUIRED:
            raise InvalidInput(f"{name} must be given, not None")
        given[name] = None if plain is None else CHECKS.get(name, _any)(name, plain)
        if type(given[name]) is int and given[name].bit_length() > MOST_BITS:
            raise InvalidInput(
                f"{name} is a whole number of more than {MOST_BITS:,} bits, which is too large"
            )


def _any(name: str, value: Any) -> Any:
    del name
    return value


def _word(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray | Mapping | list | set):
        raise InvalidInput(f"{name} is a word, not {told(value)}")
    return value


def _many(name: str, value: Any) -> Any:
    """Several things; what can be looked through once only is kept."""
    if value is None:
        raise InvalidInput(f"{name} is a list, not None")
    if isinstance(value, str | Mapping):
        return value
    if isinstance(value, Collection) and not isinstance(value, np.ndarray):
        return value
    try:
        return list(value)
    except TypeError:
        raise InvalidInput(f"{name} is a list, not {told(value)}") from None


def _mapping(name: str, value: Any) -> Any:
    """Something by features, or a question's own word for it."""
    if isinstance(value, str | Mapping):
        return value
    raise InvalidInput(f"{name} is a mapping from features, not {told(value)}")


def _groups(name: str, value: Any) -> Any:
    found = _mapping(name, value)
    for group, columns in found.items() if isinstance(found, Mapping) else ():
        if isinstance(columns, str) or not all(isinstance(column, str) for column in _many(name, columns)):
            raise InvalidInput(f"{name}[{told(group)}] is a list of columns, not {told(columns)}")
    return found


def _weights(name: str, value: Any) -> Any:
    """Numbers by features, or by a question's own word for them."""
    found = _mapping(name, value)
    for weight in found.values() if isinstance(found, Mapping) else ():
        _number(f"each of {name}", weight)
    return found


def _number(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not is_finite(value):
        raise InvalidInput(f"{name} is a finite number, not {told(value)}")
    return value


def _whole(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST_COUNT:
        raise InvalidInput(f"{name} is a whole number up to {MOST_COUNT:,}, not {told(value)}")
    return value


def _truth(name: str, value: Any) -> Any:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is True or False, not {told(value)}")
    return value


def _path(name: str, value: Any) -> Any:
    """A path as it is given: a slash at its end counts."""
    file_path(value, name)
    return value


def _explanation(name: str, value: Any) -> Any:
    if not isinstance(value, Explanation):
        raise InvalidInput(f"{name} is an explanation of this row, by explain(x), not {told(value)}")
    return value


MOST_BITS, MOST_COUNT = 4096, 2**31 - 1
ROWS = ("self", "x", "X", "also", "claim", "model", "other", "watcher", "answers", "X_train")
"""What is checked where it is read."""
REQUIRED = ("features", "number", "most_nodes", "coverage", "source", "folder")
"""What may not be None."""
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("time_limit", "work_limit", "batch_limit"), check_limit),
    **dict.fromkeys(("literals", "goal", "norm", "by", "most", "feature", "title", "format"), _word),
    **dict.fromkeys(("engine", "missing", "summation", "vote", "threshold_dtype", "decimal"), _word),
    **dict.fromkeys(
        ("fix", "avoid", "only", "immutable", "increase", "decrease", "decisions", "features"), _many
    ),
    **dict.fromkeys(("protected", "undisclosable", "properties", "rows", "order"), _many),
    **dict.fromkeys(("class_names", "feature_names", "constraints"), _many),
    **dict.fromkeys(("coverage", "within", "near"), _number),
    **dict.fromkeys(
        ("most_rules", "most_nodes", "number", "n_jobs", "count", "explain", "sample", "seed", "part_rows"),
        _whole,
    ),
    **dict.fromkeys(("reuse", "relative", "resume"), _truth),
    **dict.fromkeys(("units", "domain"), _mapping),
    **dict.fromkeys(("source", "folder"), _path),
    "groups": _groups,
    "weights": _weights,
    "why": _explanation,
}
"""How arguments are checked, by their names."""


def clock_of(time_limit: float | None, work_limit: int | None) -> Clock:
    """The limits of a run that begins now."""
    return Clock(check_limit("time_limit", time_limit), check_limit("work_limit", work_limit))
