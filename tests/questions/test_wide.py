"""A wide explanation is prime, and covers no fewer training rows than the one of the usual order."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.errors import InvalidInput


def forest(seed, trees=25):
    X, y = make_classification(400, 10, n_informative=6, flip_y=0.05, random_state=seed)
    return RandomForestClassifier(trees, max_depth=6, random_state=seed).fit(X[:300], y[:300]), X


@pytest.mark.parametrize("literals", ["intervals", "sets"])
def test_it_covers_more_rows_and_is_proved(literals):
    model, X = forest(1)
    explainer = pw.Explainer(model, X[:300])
    usual, wide = [], []
    for x in X[300:315]:
        usual.append(explainer.explain(x, goal="prime", literals=literals).coverage)
        why = explainer.explain(x, goal="wide", literals=literals)
        wide.append(why.coverage)
        assert why.status == pw.Status.PROVED and why.goal == "wide"
        assert (model.predict(why.sample(300, seed=0)) == why.decision).all()
        assert why.covers([x])[0]
    assert all(more >= less for more, less in zip(wide, usual, strict=True))
    assert np.mean(wide) > 1.5 * np.mean(usual)


def test_every_bound_has_a_witness():
    model, X = forest(2, trees=10)
    explainer = pw.Explainer(model, X[:300])
    for x in X[300:306]:
        why = explainer.explain(x, goal="wide")
        assert why.witnesses_complete
        assert {w.feature for w in why.witnesses} == set(why.features)
        rows = np.array([w.row for w in why.witnesses])
        assert (model.predict(rows) != why.decision).all() and not why.covers(rows).any()


def test_what_is_fixed_or_avoided_stays_so():
    X, y = load_breast_cancer(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y), X)
    names = explainer.feature_names
    for x in X[:6]:
        why = explainer.explain(x, goal="wide", fix=[names[0]], avoid=[names[21]])
        assert names[21] not in why.features or why.status == pw.Status.IMPOSSIBLE
        assert "prime given that" in str(why)


def test_the_widest_is_no_narrower():
    model, X = forest(3)
    explainer = pw.Explainer(model, X[:300])
    for x in X[300:305]:
        wide, widest = (
            explainer.explain(x, goal=goal, time_limit=0.6).coverage for goal in ("wide", "widest")
        )
        assert widest >= wide


def test_bad_options_are_refused():
    model, X = forest(1)
    with pytest.raises(InvalidInput, match="there are none: pass them to Explainer"):
        pw.Explainer(model).explain(X[0], goal="wide")
    with pytest.raises(InvalidInput, match='"wide" counts training rows'):
        pw.Explainer(model, X).explain(X[0], goal="wide", weights={"x0": 2.0})
