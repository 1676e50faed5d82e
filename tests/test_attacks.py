"""Explanations of every kind of model, attacked with the library's own `predict`: none may break.

Each model is explained in all languages, at its own decision, at a cut-off, or, for regressors, around a value; then
rows are drawn and climbed to inside every explanation.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

import primewood as pw
from attack import breaking_row
from primewood import readers


def table(seed=0, rows=300):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": np.round(generator.normal(50, 20, rows), 2),
            "age": generator.integers(18, 80, rows).astype(float),
            "debt": np.round(generator.exponential(10, rows), 1),
            "housing": generator.choice(["own", "rented", "free"], rows),
            "job": generator.choice(["a", "b", "c", "d", "e"], rows),
        }
    )
    score = frame.income / 20 - frame.debt / 8 + (frame.housing == "own") - (frame.job.isin(["b", "e"])) * 1.5
    return frame, score + generator.normal(0, 0.4, rows)


def numbers(frame):
    return frame[["income", "age", "debt"]]


def categories(frame):
    return frame.astype({"housing": "category", "job": "category"})


def holes(frame):
    generator = np.random.default_rng(5)
    return frame.mask(generator.random(frame.shape) < 0.15)


def lightgbm(**options):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        **{"n_estimators": 20, "n_jobs": 1, "verbose": -1, "min_child_samples": 5, **options}
    )


def xgboost(**options):
    from xgboost import XGBClassifier

    return XGBClassifier(**{"n_estimators": 20, "max_depth": 3, "n_jobs": 1, **options})


def catboost(**options):
    from catboost import CatBoostClassifier

    fixed = {"iterations": 20, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return CatBoostClassifier(**{**fixed, **options})


def encoding_pipeline(model):
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["income", "age", "debt"]),
            ("categories", OneHotEncoder(handle_unknown="ignore"), ["housing", "job"]),
        ]
    )
    return make_pipeline(steps, model)


CLASSIFIERS = {
    "forest": (RandomForestClassifier(20, max_depth=5, random_state=0), numbers),
    "gradient boosting": (GradientBoostingClassifier(n_estimators=20, random_state=0), numbers),
    "histogram boosting": (HistGradientBoostingClassifier(max_iter=20, random_state=0), categories),
    "histogram boosting, missing": (HistGradientBoostingClassifier(max_iter=15), lambda f: holes(numbers(f))),
    "xgboost": (xgboost(), numbers),
    "xgboost, missing": (xgboost(), lambda f: holes(numbers(f))),
    "xgboost, dart": (xgboost(booster="dart", rate_drop=0.2), numbers),
    "xgboost, categories": (xgboost(enable_categorical=True, max_cat_to_onehot=3), categories),
    "lightgbm": (lightgbm(), numbers),
    "lightgbm, missing": (lightgbm(), lambda f: holes(numbers(f))),
    "lightgbm, zero as missing": (lightgbm(zero_as_missing=True), lambda f: numbers(f).round(-1)),
    "lightgbm, categories": (lightgbm(min_data_per_group=5, cat_smooth=1), categories),
    "lightgbm, forest": (
        lightgbm(boosting_type="rf", subsample=0.7, subsample_freq=1, colsample_bytree=0.8),
        numbers,
    ),
    "catboost": (catboost(), numbers),
    "catboost, missing": (catboost(), lambda f: holes(numbers(f))),
    "pipeline": (encoding_pipeline(RandomForestClassifier(15, max_depth=5, random_state=0)), lambda f: f),
    "pipeline, boosted": (encoding_pipeline(GradientBoostingClassifier(n_estimators=15)), lambda f: f),
    "pipeline, xgboost": (encoding_pipeline(xgboost()), lambda f: f),
}


def regressor(kind):
    if kind == "xgboost":
        from xgboost import XGBRegressor

        return XGBRegressor(n_estimators=15, max_depth=3, n_jobs=1)
    if kind == "lightgbm":
        from lightgbm import LGBMRegressor

        return LGBMRegressor(n_estimators=15, n_jobs=1, verbose=-1, min_child_samples=5)
    from catboost import CatBoostRegressor

    return CatBoostRegressor(iterations=15, depth=3, verbose=0, thread_count=1, allow_writing_files=False)


REGRESSORS = {
    **{kind: (regressor(kind), numbers) for kind in ("xgboost", "lightgbm", "catboost")},
    "tree": (DecisionTreeRegressor(max_depth=5, random_state=0), numbers),
    "forest": (RandomForestRegressor(15, max_depth=5, random_state=0), numbers),
    "gradient boosting": (GradientBoostingRegressor(n_estimators=20, random_state=0), numbers),
    "histogram boosting": (HistGradientBoostingRegressor(max_iter=15), categories),
    "pipeline": (encoding_pipeline(RandomForestRegressor(10, max_depth=4, random_state=0)), lambda f: f),
}


def fitted(name, kinds, target):
    model, shape = clone(kinds[name][0]), kinds[name][1]
    frame, score = table()
    X = shape(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, target(score))
    return model, X


def two_classes(score):
    return (score > score.median()).astype(int)


def three_classes(score):
    return pd.qcut(score, 3, labels=False)


def decisions(explainer):
    return lambda rows: readers.decisions_of(explainer.model, rows, explainer.ensemble.categories)


def attacked(explainer, X, decide, rows=4, **options):
    for i in range(0, len(X), len(X) // rows):
        for literals in ("sets", "intervals", "values"):
            why = explainer.explain(X.iloc[i], literals=literals, **options)
            assert why.status == "proved"
            broken = breaking_row(explainer, why, decide, seed=i)
            assert broken is None, (why.rule, broken)
            if why.witnesses:
                shown = [witness.decision for witness in why.witnesses]
                assert why.decision not in shown
                assert list(decide(np.array([witness.row for witness in why.witnesses]))) == shown


def now_and_then(values, is_slow):
    """Parameters that every run takes, or a run now and then."""
    return pytest.param(*values, marks=[pytest.mark.slow] if is_slow else [])


def is_pipeline(name):
    """Whether a model is in a pipeline, and so answers slowly."""
    return name.startswith("pipeline")


OWN = [
    now_and_then((name, target), is_pipeline(name) and (name, target) != ("pipeline", two_classes))
    for name in CLASSIFIERS
    for target in (two_classes, three_classes)
]
CUT_OFFS = [
    now_and_then((name, cut_off), is_pipeline(name) or cut_off == 0.8)
    for name in CLASSIFIERS
    for cut_off in (0.37, 0.8)
]


@pytest.mark.parametrize(("name", "target"), OWN)
def test_no_row_breaks_an_explanation_of_the_models_own_decision(name, target):
    model, X = fitted(name, CLASSIFIERS, target)
    explainer = pw.Explainer(model, X, literals="sets")
    assert explainer.fidelity.rows >= 1000 and explainer.fidelity.differ == 0
    assert (
        list(map(explainer.decide, (X.iloc[i] for i in range(50)))) == model.predict(X)[:50].ravel().tolist()
    )
    attacked(explainer, X, decisions(explainer))


@pytest.mark.parametrize(("name", "cut_off"), CUT_OFFS)
def test_no_row_breaks_an_explanation_at_a_cut_off(name, cut_off):
    model, X = fitted(name, CLASSIFIERS, two_classes)
    explainer = pw.Explainer(model, X, threshold=cut_off, literals="sets")
    positive = model.predict_proba(X)[:, 1] >= cut_off
    assert [explainer.decide(X.iloc[i]) for i in range(60)] == positive[:60].astype(int).tolist()
    own = pw.Explainer(model, X, literals="sets").ensemble

    def decide(rows):
        scores = readers.scores_of(model, rows, own.categories)
        return explainer.ensemble.decide(scores[:, -1:])

    attacked(explainer, X, decide, rows=2)


@pytest.mark.parametrize("name", [now_and_then((name,), is_pipeline(name)) for name in REGRESSORS])
def test_no_row_breaks_an_explanation_of_a_prediction(name):
    model, X = fitted(name, REGRESSORS, lambda score: score)
    middle = float(np.median(model.predict(X)))
    least = pw.Explainer(model, X, threshold=middle, literals="sets")

    def at_least(rows):
        reached = decisions(least)(rows) >= middle
        return np.array(least.class_names, dtype=object)[reached.astype(int)]

    attacked(least, X, at_least, rows=2)
    between = pw.Explainer(model, X, between=(middle - 0.3, middle + 0.3), literals="sets")

    def part(rows):
        found = decisions(between)(rows)
        return np.array(between.class_names, dtype=object)[
            (found >= middle - 0.3).astype(int) + (found > middle + 0.3)
        ]

    attacked(between, X, part, rows=2)
    explainer = pw.Explainer(model, X, literals="sets")
    for i in (0, 100):
        around = explainer.around(X.iloc[i], 0.25)
        own = model.predict(X.iloc[[i]])[0]
        for literals in ("sets", "values"):
            why = explainer.explain(X.iloc[i], within=0.25, literals=literals)
            assert why.status == "proved"

            def near(rows, own=own, around=around):
                found = decisions(explainer)(rows)
                return np.array(around.class_names, dtype=object)[
                    (found >= own - 0.25).astype(int) + (found > own + 0.25)
                ]

            assert breaking_row(around, why, near) is None
