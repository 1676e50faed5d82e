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
from primewood.reasons.context import Context
from primewood.rows import Layout, as_rows, categories_of


def with_spaces(ensemble: Ensemble, X_train: Any) -> Ensemble:
    """The ensemble with the names of the training frame, if they are its own but for spaces, which LightGBM drops."""
    names = tuple(str(column) for column in getattr(X_train, "columns", ()))
    same = names and tuple(name.replace(" ", "_") for name in names) == ensemble.feature_names
    return replace(ensemble, feature_names=names) if same else ensemble


def named(ensemble: Ensemble, names: Sequence[str] | None) -> Ensemble:
    """The ensemble with other names of columns, if any are given."""
    if names is None:
        return ensemble
    if len(names) != ensemble.n_features:
        raise InvalidInput(f"{len(names)} feature names for {ensemble.n_features} columns")
    return replace(ensemble, feature_names=tuple(str(name) for name in names))


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


def training_rows(X_train: Any, ensemble: Ensemble) -> NDArray[np.float64] | None:
    """The training rows as the model takes them; None without any."""
    if X_train is None:
        return None
    rows = as_rows(X_train, Layout.of(ensemble), source="X_train")
    if not len(rows):
        raise InvalidInput("X_train has no rows; leave it out if there are none")
    return rows


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
