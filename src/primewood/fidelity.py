"""Does our reading of a model decide as the model does? Tried on rows, not promised.

The rows are the user's own and planted ones: rows in which values are moved to a threshold, just below it
and just above it, in float64 and in float32 steps, because that is where readings go wrong.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import cut_of
from primewood.errors import UnsupportedModel

MOST_ROWS = 2000
PLANTED = 1000


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How the reading of a model fared against the model.

    Attributes
    ----------
    rows : int
        How many rows were tried.
    differ : int
        On how many of them the decision or a score differed in any bit. A difference is an error when
        the explainer is made, so this is 0.
    """

    rows: int
    differ: int

    def __str__(self) -> str:
        return f"{self.rows} rows tried, {self.differ} differ"


def model_decisions(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What the model's own `predict` says, added in the order of its trees."""
    return np.asarray(_ask(model, "predict", rows))


def _ask(model: Any, method: str, rows: NDArray[np.float64]) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return getattr(_in_one_job(model), method)(rows)


def _in_one_job(model: Any) -> Any:
    """The model, or a shallow copy of it that adds its scores in the order of its members."""
    members = getattr(model, "estimators_", ())
    in_one_job = [_in_one_job(member) for member in members]
    changed = any(new is not old for new, old in zip(in_one_job, members, strict=True))
    if getattr(model, "n_jobs", None) in (None, 1) and not changed:
        return model
    sequential = copy.copy(model)
    if hasattr(model, "n_jobs"):
        sequential.n_jobs = 1
    if changed:
        sequential.estimators_ = in_one_job
    return sequential


def check_fidelity(
    model: Any, ensemble: Ensemble, rows: NDArray[np.float64] | None, *, missing: bool
) -> Fidelity:
    """Compare an ensemble with the model it was read from; a difference raises and names the row."""
    tried = planted_rows(ensemble, rows, missing=missing)
    if rows is not None:
        tried = np.vstack([rows[:MOST_ROWS], tried])
    ours = ensemble.predict_proba(tried)
    decided = np.array(ensemble.classes, dtype=object)[ours.argmax(axis=1)]
    own = model_decisions(model, tried).astype(object)
    differ = decided != own
    if hasattr(model, "predict_proba"):
        differ |= (ours != np.asarray(_ask(model, "predict_proba", tried))).any(axis=1)
    wrong = np.flatnonzero(differ)
    if wrong.size:
        i = int(wrong[0])
        raise UnsupportedModel(
            f"this {ensemble.source} is not read faithfully: on {wrong.size} of {len(tried)} rows our scores "
            f"differ from the model's, first on {tried[i].tolist()}: {ours[i].tolist()}, and {decided[i]} "
            f"where the model says {own[i]}. Please report it with the library's version"
        )
    return Fidelity(len(tried), 0)


def planted_rows(
    ensemble: Ensemble, rows: NDArray[np.float64] | None, *, missing: bool, seed: int = 0
) -> NDArray[np.float64]:
    """Rows with values at thresholds and next to them; some missing if that is allowed."""
    generator = np.random.default_rng(seed)
    tests = np.array(
        [
            (feature, threshold)
            for tree in ensemble.trees
            for feature, threshold in zip(tree.feature, tree.threshold, strict=True)
            if feature >= 0 and abs(threshold) < 1e37
        ]
    ).reshape(-1, 2)
    if rows is None or not len(rows):
        planted = np.zeros((PLANTED, ensemble.n_features))
    else:
        planted = rows[generator.integers(0, len(rows), PLANTED)].copy()
    if not len(tests):
        return planted
    for row in planted:
        for feature, threshold in tests[generator.integers(0, len(tests), 1 + ensemble.n_features // 3)]:
            row[int(feature)] = _beside(float(threshold), ensemble, generator)
    if missing:
        planted[generator.random(planted.shape) < 0.1] = np.nan
    return planted


def _beside(threshold: float, ensemble: Ensemble, generator: np.random.Generator) -> float:
    cut = cut_of(threshold, ensemble.operator, ensemble.dtype)
    at = [threshold, cut, float(np.float32(threshold))][generator.integers(3)]
    towards = [-np.inf, at, np.inf][generator.integers(3)]
    if generator.random() < 0.3:
        return float(np.nextafter(np.float32(at), np.float32(towards)))
    return float(np.nextafter(at, towards))
