"""Where a report comes from: versions, digests, settings, and whether the model itself confirms what is shown."""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Iterable

import numpy as np

import primewood as pw
from primewood.apps.report.records import ConfirmationRecord, DigestsRecord, MadeRecord
from primewood.apps.report.rows import digest_rows
from primewood.apps.report.subject import ReportSubject

LIBRARIES = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}
WRAPPED = ("best_estimator_", "estimator_", "estimator")
"""Where wrappers of scikit-learn keep the model inside."""


def describe_making(subject: ReportSubject, seconds: dict[str, float]) -> MadeRecord:
    """When, how long and with what a report was made."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        "seconds": {name: round(taken, 3) for name, taken in seconds.items()},
        "versions": _list_versions(subject.explainer.model),
        "digests": _find_digests(subject),
        "settings": subject.settings.to_dict(),
    }


def _list_versions(model: object) -> dict[str, str]:
    """The versions of all that had a part in the report: of libraries, those that the model is made of."""
    found = {"primewood": pw.__version__, "Python": platform.python_version(), "numpy": np.__version__}
    used = {root for part in _list_parts(model) for root in _find_roots(part)}
    for root, name in LIBRARIES.items():
        if root in used:
            found[name] = str(sys.modules[root].__version__)
    return found


def _list_parts(model: object) -> Iterable[object]:
    """A model with the models that it wraps and the steps of its pipelines."""
    yield model
    inside = [step for _, step in getattr(model, "steps", ())]
    inside += [getattr(model, name) for name in WRAPPED if hasattr(model, name)]
    for part in inside:
        yield from _list_parts(part)


def _find_roots(part: object) -> set[str]:
    return {base.__module__.partition(".")[0] for base in type(part).__mro__}


def _find_digests(subject: ReportSubject) -> DigestsRecord:
    """What tells the model and the rows from all others."""
    audited = subject.audited
    return {
        "model": subject.ensemble.digest,
        "rows": digest_rows(audited.rows) if audited.source == "given" else None,
        "training": digest_rows(subject.explainer.rows) if subject.has_training_rows else None,
    }


def confirm_evidence(subject: ReportSubject) -> ConfirmationRecord:
    """On how many of the rows that the report shows the model itself decides as the report says."""
    evidence, explainer = subject.evidence, subject.explainer
    if not evidence.rows:
        return {"rows": 0, "agree": 0, "by": None}
    decided = explainer.decide_by_model(np.array(evidence.rows))
    agree = sum(own == said for own, said in zip(decided, evidence.decisions, strict=True))
    rows = len(evidence.rows)
    # Without a model of a library, or under another vote than its own, there was no fidelity to check.
    if isinstance(explainer.model, pw.Ensemble) or explainer.fidelity is None:
        return {"rows": rows, "agree": agree, "by": "reading"}
    return {"rows": rows, "agree": agree, "by": "predict" if explainer.rule.is_own else "scores"}
