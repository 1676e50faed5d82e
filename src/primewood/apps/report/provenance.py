"""Where a report comes from: versions, digests, settings, and whether the model itself confirms what is shown."""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import primewood
from primewood import readers
from primewood.apps.report.rows import digest_of
from primewood.apps.report.subject import ReportSubject
from primewood.ensemble import Ensemble

LIBRARIES = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}
WRAPPED = ("best_estimator_", "estimator_", "estimator")
"""Where wrappers of scikit-learn keep the model inside."""


def versions(model: object) -> dict[str, str]:
    """The versions of all that had a part in the report: of libraries, those that the model is made of."""
    found = {"primewood": primewood.__version__, "Python": platform.python_version(), "numpy": np.__version__}
    used = {root for part in _parts(model) for root in _roots(part)}
    for root, name in LIBRARIES.items():
        if root in used:
            found[name] = str(sys.modules[root].__version__)
    return found


def _parts(model: object) -> Iterable[object]:
    """A model with the models that it wraps and the steps of its pipelines."""
    yield model
    inside = [step for _, step in getattr(model, "steps", ())]
    inside += [getattr(model, name) for name in WRAPPED if hasattr(model, name)]
    for part in inside:
        yield from _parts(part)


def _roots(part: object) -> set[str]:
    return {base.__module__.partition(".")[0] for base in type(part).__mro__}


def made(subject: ReportSubject, seconds: dict[str, float]) -> dict[str, Any]:
    """When, how long and with what a report was made."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        "seconds": {name: round(taken, 3) for name, taken in seconds.items()},
        "versions": versions(subject.explainer.model),
        "digests": digests(subject),
    }


def digests(subject: ReportSubject) -> dict[str, Any]:
    """What tells the model and the rows from all others."""
    training = subject.context.rows
    return {
        "model": subject.model.ensemble.digest,
        "rows": subject.audited.digest if subject.audited.source == "given" else None,
        "training": None if training is None else digest_of(training),
    }


def confirmation(subject: ReportSubject) -> dict[str, Any]:
    """On how many of the rows that the report shows the model decides as the report says.

    The model's own `predict` is asked where it takes the decision itself, its own scores where the decision is a
    cut-off of them; of a model that is none of a library, or under another vote than its own, the reading of it.
    """
    evidence = subject.evidence
    if not evidence.rows:
        return {"rows": 0, "agree": 0, "by": None}
    rows = np.array(evidence.rows)
    by, decided = _decided_by(subject, rows)
    names = [subject.context.class_names[int(i)] for i in decided]
    agree = sum(name == said for name, said in zip(names, evidence.decisions, strict=True))
    return {"rows": len(rows), "agree": agree, "by": by}


def _decided_by(subject: ReportSubject, rows: NDArray[np.float64]) -> tuple[str, NDArray[np.int64]]:
    model, ensemble = subject.model, subject.model.ensemble
    if isinstance(model.source, Ensemble) or model.vote == "majority":
        return "reading", ensemble.predict(rows)
    if model.rule.is_own:
        own = readers.decisions_of(model.source, rows, ensemble.categories).tolist()
        return "predict", np.array([list(ensemble.classes).index(label) for label in own])
    scores = readers.scores_of(model.source, rows, ensemble.categories)
    if scores is None:
        return "reading", ensemble.predict(rows)
    return "scores", ensemble.decided(scores[:, -ensemble.n_outputs :])
