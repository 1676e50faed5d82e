"""What columns and classes are called: by the model, by the training frame, or by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.fields import text
from primewood.tables.matching import is_unnamed, match_columns
from primewood.tables.tabular import tabular

ClassNames = Sequence[object] | Mapping[object, object]
"""Shown names of classes: a mapping from the model's labels, or names in the order of these labels."""


def name_classes(labels: Sequence[object], names: ClassNames | None) -> tuple[object, ...]:
    """The shown names of the model's classes: those that are given, or its own labels."""
    if names is None:
        return tuple(labels)
    if isinstance(names, Mapping):
        given = _map_classes(labels, names)
    else:
        if isinstance(names, str) or len(names) != len(labels):
            count = 1 if isinstance(names, str) else len(names)
            raise InvalidInput(f"{count} class names for {len(labels)} classes: {format_list(labels)}")
        given = tuple(_plain_name(name) for name in names)
    if len({str(name) for name in given}) < len(given):
        raise InvalidInput(f"class names must differ: {format_list(given)}")
    for label, name in zip(labels, given, strict=True):
        if str(name) != str(label) and str(name) in {str(other) for other in labels}:
            raise InvalidInput(
                f"class_names calls the class {label!r} by the name of another class, {name!r}. The model's classes "
                f"are {format_list(labels)}, in this order; leave class_names out, or map labels to new names: "
                f"class_names={{{label!r}: ...}}"
            )
    return given


def _map_classes(labels: Sequence[object], names: Mapping[object, object]) -> tuple[object, ...]:
    """Shown names by a mapping; labels are looked up as they are, or by their text, as JSON and TOML have them."""
    by_text = {str(label): label for label in labels}
    unknown = [key for key in names if str(key) not in by_text]
    if unknown:
        raise UnknownName(
            f"class_names has {format_list(unknown)}{suggest(unknown, labels)}; "
            f"the model's classes are {format_list(labels)}"
        )
    given = {str(key): _plain_name(name) for key, name in names.items()}
    return tuple(given.get(str(label), label) for label in labels)


def _plain_name(name: object) -> object:
    plain = name.item() if isinstance(name, np.generic) else name
    return text(plain, "each of class_names") if isinstance(plain, str) else plain


def name_columns(
    ensemble: Ensemble, X_train: Any, names: Sequence[str] | None
) -> tuple[Ensemble, tuple[str, ...]]:
    """The ensemble with the names of its columns, and what is to be noted about them.

    They are the names that are given; else the model's own, with the spaces of the training frame, which LightGBM
    drops; else, of a model that has none, those of the training frame, in its order.
    """
    own = ensemble.feature_names
    if names is not None:
        return replace(ensemble, feature_names=_check_names(names, own)), ()
    table = None if X_train is None else tabular(X_train)
    if table is None or not table.labelled:
        return ensemble, ()
    if tuple(name.replace(" ", "_") for name in table.names) == own:
        return replace(ensemble, feature_names=table.names), ()
    if not is_unnamed(own) or set(own) & set(table.names):
        return ensemble, ()
    matched = match_columns(table.names, own, "X_train")
    return replace(ensemble, feature_names=table.names), matched.notes


def _check_names(names: Sequence[str], own: tuple[str, ...]) -> tuple[str, ...]:
    given = tuple(str(name) for name in names)
    if len(given) != len(own):
        raise InvalidInput(f"{len(given)} feature names for {len(own)} columns")
    if given != own and sorted(given) == sorted(own):
        raise InvalidInput(
            f"feature_names has the model's own names in another order; the order is {format_list(own)}"
        )
    return given
