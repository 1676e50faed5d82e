"""Wrappers around a model: those that only pass rows on are read through, others are refused with what to pass instead.

- A search (`GridSearchCV`, `RandomizedSearchCV`, the halving ones) predicts with its `best_estimator_`.
- A `FrozenEstimator` predicts with the model inside.
- The `Pipeline` of imbalanced-learn leaves its samplers out when it predicts.
- `FixedThresholdClassifier` and `TunedThresholdClassifierCV` decide themselves: they are read in `cutoffs`.
"""

from __future__ import annotations

from typing import Any

from sklearn import model_selection
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from primewood.errors import InvalidInput, UnsupportedModel

ONE_OF = "pass one of its fitted models, model.estimators_[i], to explain what that one decides"
PER_OUTPUT = "pass the model of one output, model.estimators_[i]"
BOOSTED = "GradientBoosting and HistGradientBoosting models are supported"
SELECTED = (
    "pass model.estimator_ with the selected columns only, or select columns in a Pipeline before the model"
)
HELD = (
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)
"""Scorers, and what they ask of metadata."""
INSTEAD = {
    "CalibratedClassifierCV": "pass its fitted base model, model.calibrated_classifiers_[0].estimator, to explain what "
    "it decides before calibration",
    "OneVsRestClassifier": "pass the fitted model of one class, model.estimators_[i]; a forest or boosted trees decide "
    "between several classes by themselves",
    "OneVsOneClassifier": "pass the fitted model of one pair of classes, model.estimators_[i]; a forest or boosted "
    "trees decide between several classes by themselves",
    "OutputCodeClassifier": "fit a forest or boosted trees, which decide between several classes by themselves",
    "StackingClassifier": ONE_OF,
    "StackingRegressor": ONE_OF,
    "MultiOutputClassifier": PER_OUTPUT,
    "MultiOutputRegressor": PER_OUTPUT,
    "ClassifierChain": "a model of one output takes the other outputs as columns; fit a model for one output",
    "RegressorChain": "a model of one output takes the other outputs as columns; fit a model for one output",
    "TransformedTargetRegressor": "pass its fitted regressor, model.regressor_, whose predictions are of the "
    "transformed target",
    "AdaBoostClassifier": f"pass one of its fitted trees, model.estimators_[i]; {BOOSTED}",
    "AdaBoostRegressor": f"pass one of its fitted trees, model.estimators_[i]; {BOOSTED}",
    "SelfTrainingClassifier": "pass its fitted model, model.estimator_, which decides the same",
    "RFE": SELECTED,
    "RFECV": SELECTED,
}
"""Wrappers that are not read: what to pass instead."""


def unwrap(model: Any) -> Any:
    """The model that a search or a frozen estimator predicts with; any other model as it is."""
    while True:
        if isinstance(model, BaseSearchCV):
            model = _best(model)
        elif type(model) is FrozenEstimator:
            model = model.estimator
        else:
            return model


def has_cutoff(model: Any) -> bool:
    """Whether a model is a wrapper that decides at a cut-off of its own."""
    return isinstance(model, FixedThresholdClassifier | TunedThresholdClassifierCV)


def unwrap_cutoff(model: Any) -> Any:
    """The model that a wrapper with a cut-off asks."""
    kind = (
        FixedThresholdClassifier
        if isinstance(model, FixedThresholdClassifier)
        else TunedThresholdClassifierCV
    )
    if _definer(model, "predict") is not kind:
        raise UnsupportedModel(
            f"{full_name(model)} is not supported, because it has a predict of its own; pass a {kind.__name__}, or its "
            "fitted model, model.estimator_"
        )
    if kind is TunedThresholdClassifierCV and not hasattr(model, "estimator_"):
        raise InvalidInput(f"this {kind.__name__} is not fitted; call fit first")
    return unwrap(getattr(model, "estimator_", model.estimator))


def innermost(model: Any) -> Any:
    """The model, or the pipeline, inside all wrappers. A cut-off around another one asks for its probabilities."""
    model = unwrap(model)
    while has_cutoff(model):
        model = unwrap_cutoff(model)
    return model


def last_model(model: Any) -> Any:
    """The model at the end of all wrappers and pipelines."""
    model = innermost(model)
    while is_pipeline(model):
        model = innermost(model.steps[-1][1])
    return model


def _best(search: Any) -> Any:
    """The model that a search has found and fitted."""
    name = type(search).__name__
    if _definer(search, "predict") is not BaseSearchCV:
        raise UnsupportedModel(
            f"{full_name(search)} is not supported, because it has a predict of its own; pass its fitted model, "
            "model.best_estimator_"
        )
    if hasattr(search, "best_estimator_"):
        return search.best_estimator_
    if not search.refit:
        raise InvalidInput(
            f"this {name} has no fitted model, because of refit=False; pass refit=True and fit it again, or pass a "
            "model that you fitted with model.best_params_"
        )
    raise InvalidInput(f"this {name} is not fitted; call fit first")


def is_pipeline(model: Any) -> bool:
    """Whether a model is a `Pipeline` of scikit-learn, or of imbalanced-learn."""
    return type(model) is Pipeline or _resamples(model)


def active_steps(pipeline: Any) -> list[tuple[str, Any]]:
    """The steps of a pipeline before its last one that do something when it predicts."""
    steps = pipeline.steps[:-1]
    return [step for step in steps if not (_resamples(pipeline) and hasattr(step[1], "fit_resample"))]


def _resamples(model: Any) -> bool:
    """Whether a model is a pipeline of imbalanced-learn, which need not be installed to find out."""
    kind = type(model)
    return (
        kind.__module__ == "imblearn.pipeline" and kind.__name__ == "Pipeline" and isinstance(model, Pipeline)
    )


def list_trusted_parts() -> list[str]:
    """What searches and tuned cut-offs hold besides models, all of scikit-learn: scorers, metrics and ways to split.

    None of it runs when a file with it is read, or when the model inside predicts.
    """
    metrics = {get_scorer(name)._score_func for name in get_scorer_names()}
    splits = [
        kind for kind in vars(model_selection).values() if isinstance(kind, type) and hasattr(kind, "split")
    ]
    return [*HELD, *(f"{part.__module__}.{part.__name__}" for part in (*metrics, *splits))]


def refuse(model: Any, supported: str) -> UnsupportedModel:
    """The error for a model of a class that is not read.

    Parameters
    ----------
    supported
        What is read, for a class that nothing is known about.
    """
    instead = INSTEAD.get(type(model).__name__, f"primewood explains {supported}")
    return UnsupportedModel(f"{full_name(model)} is not supported; {instead}")


def full_name(model: Any) -> str:
    """The class of a model with the package that users import it from.

    >>> from sklearn.linear_model import LogisticRegression
    >>> full_name(LogisticRegression())
    'sklearn.linear_model.LogisticRegression'
    """
    kind = model if isinstance(model, type) else type(model)
    public = [part for part in kind.__module__.split(".") if not part.startswith("_")]
    return ".".join([*public, kind.__name__])


def _definer(model: Any, method: str) -> type | None:
    """The class that a method of a model is written in."""
    return next((kind for kind in type(model).__mro__ if method in vars(kind)), None)
