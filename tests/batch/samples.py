"""What the tests of batches share: small models, and checks of what they say."""

from __future__ import annotations

import functools

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.batch.run import Settings
from primewood.explainer import many

EXACT = {"time_limit": None, "work_limit": 50_000}
IRIS = load_iris()
NAMES = ["sl", "sw", "pl", "pw"]


def small_blocks(monkeypatch, rows):
    """Let batches have blocks of so many rows."""
    monkeypatch.setattr(many, "Settings", functools.partial(Settings, block=rows))


def forest(**options):
    model = RandomForestClassifier(9, max_depth=4, random_state=0).fit(IRIS.data, IRIS.target)
    return pw.Explainer(model, IRIS.data, feature_names=NAMES, **options), IRIS.data[::6]


def regressor(**options):
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(model, X, **options), X[:15]


def check_witnesses(explainer, why, decide):
    """Each is decided otherwise by the library, and is outside in its own feature only."""
    box = why.term.box(explainer.domain.variables)
    names = [x.name for x in explainer.domain.variables]
    for witness in why.witnesses:
        point = explainer.domain.point(np.array(witness.row))
        outside = [name for name, mask, value in zip(names, box, point, strict=True) if not mask >> value & 1]
        assert outside == [witness.feature]
        assert point[names.index(witness.feature)] == witness.value
        assert decide(witness.row) == witness.decision != why.decision
    return len(why.witnesses)
