"""What users pass in, made into what questions are asked of: names, decisions, training rows, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Subject
from primewood.engines.protocol import Clock
from primewood.ensemble import Ensemble, Level
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.interval import number
from primewood.matching import is_unnamed, match_columns
from primewood.reasons.context import Context
from primewood.rows import Layout, categories_of, read_rows
from primewood.tabular import tabular


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


def deciding(ensemble: Ensemble, threshold: float | None, between: tuple[float, float] | None) -> Ensemble:
    """The ensemble with the decision that the user asks for, if it is not the model's own."""
    if threshold is None and between is None:
        return ensemble
    if threshold is not None and between is not None:
        raise InvalidInput("threshold and between are two decisions; say one")
    if threshold is not None:
        if not isinstance(threshold, int | float | np.number) or not np.isfinite(threshold):
            raise InvalidInput(f"threshold is a number, not {threshold!r}")
        names: tuple[object, ...] = ensemble.classes
        if ensemble.is_regressor:
            names = (f"prediction < {number(threshold)}", f"prediction >= {number(threshold)}")
        elif len(names) != 2:
            raise InvalidInput(f"threshold is for two classes or a regressor; there are {listing(names)}")
        return ensemble.at_levels([Level(float(threshold))], names)
    low, high = _ends(between)
    if not ensemble.is_regressor:
        raise InvalidInput("between is for regressors; a classifier takes threshold")
    names = (f"prediction < {number(low)}", f"{number(low)} <= prediction <= {number(high)}")
    names = (*names, f"prediction > {number(high)}")
    return ensemble.at_levels([Level(low), Level(high, strictly=True)], names)


def _ends(between: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in between)
    except (TypeError, ValueError):
        raise InvalidInput(f"between is two numbers, not {between!r}") from None
    if not -np.inf < low <= high < np.inf:
        raise InvalidInput(f"between is two finite numbers that ascend, not {between!r}")
    return low, high


def class_names_of(subject: Subject, names: Sequence[object] | None) -> tuple[object, ...]:
    """The names of the decisions: those that are given, or the model's own."""
    if names is None:
        return subject.labels
    if len(names) != len(subject.labels):
        raise InvalidInput(f"{len(names)} class names for {len(subject.labels)} classes")
    given = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    if len({str(name) for name in given}) < len(given):
        raise InvalidInput(f"class names must differ: {listing(given)}")
    return given


def training_rows(X_train: Any, ensemble: Ensemble) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    """The training rows as the model takes them, None without any; and what is to be noted about them."""
    if X_train is None:
        return None, ()
    reading = read_rows(X_train, Layout.of(ensemble), source="X_train")
    if not len(reading.rows):
        raise InvalidInput("X_train has no rows; leave it out if there are none")
    return reading.rows, reading.all_notes


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
) -> Context:
    """What all answers about the model share."""
    names_known = {feature.name for feature in domain.features}
    unknown = [name for name in units or () if name not in names_known]
    if unknown:
        raise UnknownName(f"units names {listing(unknown)}, which are no features")
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
    )


def _words(domain: Domain, ensemble: Ensemble) -> dict[int, dict[str, float]]:
    """Per column that is numeric to the model, the names that its numbers have in the domain."""
    return {
        feature.column: {name: code for code, name in feature.codes.items() if isinstance(name, str)}
        for feature in domain.features
        if feature.codes is not None and feature.column not in ensemble.categories
    }


def clock_of(time_limit: float | None, work_limit: int | None) -> Clock:
    """The limits of a run that begins now."""
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit > 0):
        raise InvalidInput(f"time_limit is a positive number of seconds or None, not {time_limit!r}")
    if work_limit is not None and not (isinstance(work_limit, int) and work_limit > 0):
        raise InvalidInput(f"work_limit is a positive number of nodes or None, not {work_limit!r}")
    return Clock(time_limit, work_limit)
