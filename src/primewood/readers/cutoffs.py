"""Reading models that decide at a cut-off: `FixedThresholdClassifier` and `TunedThresholdClassifierCV`.

They ask the model inside for the probability of the positive class, the column of `predict_proba`, or for its
`decision_function`, negated if the positive class is the first one, and decide for the positive class where that is at
least the threshold. The comparison is NumPy's: a threshold that is a Python number is rounded to float32 first if the
probabilities are float32, as those of XGBoost; one that is a float64 of NumPy's is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from primewood import readers
from primewood.ensemble import Categories, Ensemble
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers.quiet import ignore_warnings
from primewood.readers.scikit_learn_trees import ask, unknown_layout
from primewood.readers.wrappers import full_name, innermost, last_model, unwrap_cutoff

KEEPS_NO_NAMES = True


@dataclass(frozen=True, slots=True)
class CutoffRule:
    """What a wrapper compares.

    Attributes
    ----------
    model : object
        The model inside, which gives the score.
    threshold : object
        As it is given.
    positive : int
        The place of the positive class.
    method : str
        The method of the model that gives the score.
    """

    model: Any
    threshold: Any
    positive: int
    method: str


def read(model: Any, data: Any = None) -> Ensemble:
    """The ensemble of the model inside, deciding at the cut-off. Cost: that of reading it."""
    rule = _rule(model)
    ensemble = readers.read(rule.model, data)
    if ensemble.cutoff is not None:
        raise UnsupportedModel(
            f"{full_name(model)} around a Pipeline that ends with another cut-off is not supported; put the Pipeline's "
            "model inside without its cut-off"
        )
    if len(ensemble.classes) != 2:
        raise UnsupportedModel(f"{full_name(model)} needs a model with two classes")
    found = _cut_probability(ensemble, rule) if rule.method == "predict_proba" else _cut_score(ensemble, rule)
    return replace(found, source=f"{type(model).__name__} with {ensemble.source}")


def scores_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> NDArray[np.float64] | None:
    """The scores of the model inside; of two columns that of the positive class, negated if it is the first."""
    rule = _rule(model)
    scores = readers.scores_of(rule.model, rows, categories)
    if scores is None or scores.shape[1] == 1:
        return scores
    return scores[:, 1:] if rule.positive else -scores[:, :1]


def decisions_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> NDArray[Any]:
    """What the `predict` of the wrapper itself says."""
    taken = decode_categories(model, rows, categories)
    with ignore_warnings():
        return np.asarray(ask(model, "predict", taken))


def decode_categories(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> Any:
    """Rows as the model inside takes them."""
    return readers.decode_categories(innermost(model), rows, categories)


def _rule(model: Any) -> CutoffRule:
    """What a wrapper compares, as its `predict` finds it out."""
    inside = unwrap_cutoff(model)
    tuned = hasattr(model, "best_threshold_")
    label = _find_tuned_label(model) if tuned else model.pos_label
    method = _method(model, inside)
    threshold = model.best_threshold_ if tuned else model.threshold
    if isinstance(threshold, str):  # "auto"
        threshold = 0.5 if method == "predict_proba" else 0.0
    if not isinstance(threshold, int | float | np.number) or not np.isfinite(threshold):
        raise UnsupportedModel(
            f"{full_name(model)} with the threshold {threshold!r} is not supported; use a finite number"
        )
    return CutoffRule(innermost(model), threshold, _place(model, inside, label), method)


def _find_tuned_label(model: Any) -> Any:
    """The positive class of a tuned cut-off, which its scorer knows; None for the last one."""
    try:
        return model._curve_scorer._get_pos_label()
    except Exception as problem:  # another version, or a file that was tampered with
        raise unknown_layout(model) from problem


def _method(model: Any, inside: Any) -> str:
    """The method of the model inside that gives the score: the first one that it has."""
    wanted = model.response_method
    names = ("predict_proba", "decision_function") if wanted == "auto" else (wanted,)
    found = next((name for name in names if hasattr(inside, name)), None)
    if found is None:
        raise UnsupportedModel(
            f"{full_name(model)} asks for {names[0]}, which {full_name(inside)} does not have"
        )
    return str(found)


def _place(model: Any, inside: Any, label: Any) -> int:
    """The place of the positive class, which is the last one if none is named."""
    if not hasattr(inside, "classes_"):
        raise InvalidInput(f"this {type(last_model(inside)).__name__} is not fitted; call fit first")
    classes = np.asarray(inside.classes_)
    if label is None:
        return len(classes) - 1
    places = np.flatnonzero(classes == label)
    if not places.size:
        raise InvalidInput(
            f"this {type(model).__name__} has pos_label={label!r}, which is not a class of its model"
        )
    return int(places[0])


def _cut_probability(ensemble: Ensemble, rule: CutoffRule) -> Ensemble:
    probabilities = np.empty(1, dtype=ensemble.precision)
    compared_in = np.result_type(probabilities, rule.threshold)
    return ensemble.cut_at_probability(float(compared_in.type(rule.threshold)), rule.positive)


def _cut_score(ensemble: Ensemble, rule: CutoffRule) -> Ensemble:
    """The ensemble deciding at a value of its `decision_function`, which is the score itself."""
    model = last_model(rule.model)
    doubled = isinstance(model, GradientBoostingClassifier) and model.loss == "exponential"
    if ensemble.link != "expit" or ensemble.n_outputs != 1 or doubled:
        what = f"{full_name(model)} with the exponential loss" if doubled else full_name(model)
        raise UnsupportedModel(
            f'a cut-off on the decision_function of {what} is not supported; use response_method="predict_proba"'
        )
    return ensemble.cut_at_score(float(rule.threshold), rule.positive)
