"""A rule list keeps its limit where the model is large and there are many training rows."""

from __future__ import annotations

import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

import primewood as pw


def test_rows_are_decided_within_the_limit_and_kept():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20_000, 5)), random.integers(0, 2, 20_000)
    model = ExtraTreesClassifier(20, random_state=0).fit(X[:2_000], y[:2_000])
    explainer = pw.Explainer(model, X)
    start = time.monotonic()
    rules = explainer.rules(time_limit=1e-6)
    assert rules.status == pw.Status.INTERRUPTED
    assert sum(rules.rows.values()) < len(X)
    assert time.monotonic() - start < 5
    decided = explainer._model.decide_training_rows()
    assert decided.tolist() == model.predict(X).tolist()
