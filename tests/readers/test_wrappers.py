"""Wrappers that only pass rows on are read through; the others are refused with what to pass instead."""

from __future__ import annotations

import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    StackingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import primewood as pw
from attack import breaking_row
from primewood import readers
from primewood.errors import InvalidInput, UnsupportedModel

GENERATOR = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": GENERATOR.normal(45, 12, 240),
        "income": GENERATOR.normal(30, 9, 240),
        "debt": GENERATOR.normal(8, 3, 240),
    }
)
FRAME["job"] = GENERATOR.choice(["clerk", "nurse", "pilot"], 240)
NUMBERS = FRAME[["age", "income", "debt"]]
SCORE = FRAME.income / 10 - FRAME.debt / 8 + (FRAME.job == "pilot") + GENERATOR.normal(0, 0.3, 240)
Y = np.where(SCORE > 2.2, "approved", "declined")
FOREST = RandomForestClassifier(8, max_depth=4, random_state=0)
DEPTHS = {"max_depth": [2, 3]}


def prepared(model, pipeline=make_pipeline):
    columns = ColumnTransformer(
        [
            ("words", OneHotEncoder(), ["job"]),
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income", "debt"]),
        ]
    )
    return pipeline(columns, model)


def imblearn_pipeline(model, before=True):
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline as with_samplers

    sampler = RandomOverSampler(random_state=0)
    steps = [sampler, StandardScaler()] if before else [StandardScaler(), sampler]
    return with_samplers(*steps, model)


def xgboost_search():
    from xgboost import XGBClassifier

    return GridSearchCV(XGBClassifier(n_estimators=6, n_jobs=1), DEPTHS, cv=2)


WRAPPERS = {
    "grid": lambda: GridSearchCV(FOREST, DEPTHS, cv=2).fit(NUMBERS, Y),
    "randomised": lambda: RandomizedSearchCV(FOREST, DEPTHS, n_iter=2, cv=2, random_state=0).fit(NUMBERS, Y),
    "halving grid": lambda: HalvingGridSearchCV(FOREST, DEPTHS, cv=2, random_state=0).fit(NUMBERS, Y),
    "halving random": lambda: HalvingRandomSearchCV(FOREST, DEPTHS, n_candidates=2, cv=2, random_state=0).fit(
        NUMBERS, Y
    ),
    "several scores": lambda: GridSearchCV(
        FOREST, DEPTHS, cv=2, scoring=["accuracy", "recall_macro"], refit="accuracy"
    ).fit(NUMBERS, Y),
    "frozen": lambda: FrozenEstimator(clone(FOREST).fit(NUMBERS, Y)),
    "frozen search": lambda: FrozenEstimator(GridSearchCV(FOREST, DEPTHS, cv=2).fit(NUMBERS, Y)),
    "XGBoost in a search": lambda: xgboost_search().fit(NUMBERS, (Y == "approved").astype(int)),
    "search of a pipeline": lambda: GridSearchCV(
        prepared(FOREST), {"randomforestclassifier__max_depth": [2, 3]}, cv=2
    ).fit(FRAME, Y),
    "pipeline with a search": lambda: prepared(GridSearchCV(FOREST, DEPTHS, cv=2)).fit(FRAME, Y),
    "pipeline with a search of a pipeline": lambda: make_pipeline(
        StandardScaler(),
        GridSearchCV(make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=5)), {}, cv=2),
    ).fit(NUMBERS, Y),
    "pipeline with a frozen model": lambda: make_pipeline(
        FrozenEstimator(StandardScaler().fit(NUMBERS)),
        FrozenEstimator(clone(FOREST).fit(StandardScaler().fit_transform(NUMBERS), Y)),
    ).fit(NUMBERS, Y),
    "imblearn, sampler first": lambda: imblearn_pipeline(clone(FOREST)).fit(NUMBERS, Y),
    "imblearn, sampler last": lambda: imblearn_pipeline(clone(FOREST), before=False).fit(NUMBERS, Y),
    "imblearn with a search": lambda: imblearn_pipeline(GridSearchCV(FOREST, DEPTHS, cv=2)).fit(NUMBERS, Y),
    "search of imblearn": lambda: GridSearchCV(
        imblearn_pipeline(FOREST), {"randomforestclassifier__max_depth": [2, 3]}, cv=2
    ).fit(NUMBERS, Y),
}


def rows_for(model):
    return FRAME if "job" in getattr(model, "feature_names_in_", ()) else NUMBERS


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_that_passes_rows_on_is_explained_as_its_own_predict_decides(name):
    if "imblearn" in name:
        pytest.importorskip("imblearn")
    model = WRAPPERS[name]()
    rows = rows_for(model)
    explainer = pw.Explainer(model, rows)
    assert explainer.fidelity.rows == 1240 and explainer.fidelity.differ == 0
    assert [explainer.decide(rows.iloc[i]) for i in range(60)] == model.predict(rows.iloc[:60]).tolist()
    for i in (0, 7):
        why = explainer.explain(rows.iloc[i], literals="intervals")
        assert why.status == "proved"
        inside = pd.DataFrame(why.sample(60, seed=i), columns=rows.columns)
        if "job" in inside:
            inside = inside.assign(job=named_jobs(explainer, inside.job))
        assert set(model.predict(inside).tolist()) == {why.decision}

        def decide(values):
            return readers.decisions_of(model, values, explainer.ensemble.categories)

        assert breaking_row(explainer, why, decide) is None


def named_jobs(explainer, codes):
    """The names of sampled categories, which may come as codes or as names."""
    names = explainer.ensemble.categories[explainer.ensemble.feature_names.index("job")].names
    return [names.get(code, code) for code in codes]


@pytest.mark.parametrize("scoring", [None, "f1_macro", ["accuracy", "roc_auc"]])
def test_searches_and_cut_offs_are_read_from_skops_files(scoring, tmp_path):
    import skops.io

    refit = "accuracy" if isinstance(scoring, list) else True
    search = GridSearchCV(FOREST, DEPTHS, cv=2, scoring=scoring, refit=refit)
    tuned = TunedThresholdClassifierCV(FOREST, scoring="balanced_accuracy", cv=2)
    for model in (search, tuned, FixedThresholdClassifier(FOREST, threshold=0.3, pos_label="approved")):
        skops.io.dump(model.fit(NUMBERS, Y), tmp_path / "model.skops")
        assert pw.read(tmp_path / "model.skops").digest == pw.read(model).digest


def test_a_regressor_in_a_search_is_read():
    search = GridSearchCV(GradientBoostingRegressor(n_estimators=5), DEPTHS, cv=2).fit(NUMBERS, SCORE)
    explainer = pw.Explainer(search, NUMBERS, threshold=2.2)
    expected = np.where(search.predict(NUMBERS) >= 2.2, "prediction >= 2.2", "prediction < 2.2")
    assert [explainer.decide(NUMBERS.iloc[i]) for i in range(50)] == expected[:50].tolist()


def test_samplers_of_imblearn_do_nothing_when_the_pipeline_predicts():
    pytest.importorskip("imblearn")
    with_sampler = imblearn_pipeline(clone(FOREST)).fit(NUMBERS, Y)
    steps = [step for step in with_sampler.steps if not hasattr(step[1], "fit_resample")]
    assert pw.read(with_sampler).digest == pw.read(Pipeline(steps)).digest


def test_a_pipeline_is_read_without_imblearn(monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn", None)
    assert pw.read(make_pipeline(StandardScaler(), clone(FOREST)).fit(NUMBERS, Y)).n_features == 3


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GridSearchCV(FOREST, DEPTHS), "this GridSearchCV is not fitted; call fit first"),
        (
            GridSearchCV(FOREST, DEPTHS, cv=2, refit=False).fit(NUMBERS, Y),
            "this GridSearchCV has no fitted model, because of refit=False; pass refit=True and fit it again",
        ),
        (
            RandomizedSearchCV(FOREST, DEPTHS, n_iter=1, cv=2, refit=False),
            "RandomizedSearchCV has no fitted model",
        ),
        (
            FrozenEstimator(RandomForestClassifier()),
            "this RandomForestClassifier is not fitted; call fit first",
        ),
    ],
)
def test_a_search_without_a_model_says_what_to_do(model, message):
    with pytest.raises(InvalidInput, match=message):
        pw.Explainer(model, NUMBERS)


class Rewritten(GridSearchCV):
    def predict(self, X):
        return super().predict(X)[::-1]


def test_a_search_with_a_predict_of_its_own_is_refused():
    with pytest.raises(
        UnsupportedModel, match=r"Rewritten is not supported.*pass its fitted model, model\.best"
    ):
        pw.read(Rewritten(FOREST, DEPTHS, cv=2).fit(NUMBERS, Y))


TREE, NUMBER_TREE = DecisionTreeClassifier(max_depth=2), DecisionTreeRegressor(max_depth=2)
TWO = np.column_stack([SCORE > 2.2, SCORE > 3]).astype(int)
REFUSED = {
    "sklearn.calibration.CalibratedClassifierCV": (
        CalibratedClassifierCV(TREE, cv=2),
        Y,
        "model.calibrated_classifiers_[0].estimator",
    ),
    "sklearn.multiclass.OneVsRestClassifier": (OneVsRestClassifier(TREE), Y, "model.estimators_[i]"),
    "sklearn.multiclass.OneVsOneClassifier": (OneVsOneClassifier(TREE), Y, "model.estimators_[i]"),
    "sklearn.multiclass.OutputCodeClassifier": (
        OutputCodeClassifier(TREE, random_state=5),
        Y,
        "fit a forest or boosted trees",
    ),
    "sklearn.ensemble.StackingClassifier": (StackingClassifier([("t", TREE)]), Y, "model.estimators_[i]"),
    "sklearn.ensemble.StackingRegressor": (
        StackingRegressor([("t", NUMBER_TREE)]),
        SCORE,
        "model.estimators_[i]",
    ),
    "sklearn.multioutput.MultiOutputClassifier": (
        MultiOutputClassifier(TREE),
        TWO,
        "the model of one output",
    ),
    "sklearn.multioutput.MultiOutputRegressor": (
        MultiOutputRegressor(NUMBER_TREE),
        TWO,
        "the model of one output",
    ),
    "sklearn.multioutput.ClassifierChain": (ClassifierChain(TREE), TWO, "fit a model for one output"),
    "sklearn.multioutput.RegressorChain": (RegressorChain(NUMBER_TREE), TWO, "fit a model for one output"),
    "sklearn.compose.TransformedTargetRegressor": (
        TransformedTargetRegressor(NUMBER_TREE, func=np.exp, inverse_func=np.log),
        SCORE,
        "model.regressor_",
    ),
    "sklearn.ensemble.AdaBoostClassifier": (AdaBoostClassifier(TREE, n_estimators=2), Y, "GradientBoosting"),
    "sklearn.ensemble.AdaBoostRegressor": (
        AdaBoostRegressor(NUMBER_TREE, n_estimators=2),
        SCORE,
        "GradientBoosting",
    ),
    "sklearn.semi_supervised.SelfTrainingClassifier": (
        SelfTrainingClassifier(TREE),
        None,
        "model.estimator_",
    ),
    "sklearn.feature_selection.RFE": (RFE(TREE, n_features_to_select=2), Y, "model.estimator_"),
    "sklearn.feature_selection.RFECV": (RFECV(TREE, cv=2), Y, "model.estimator_"),
    "sklearn.linear_model.LogisticRegression": (LogisticRegression(max_iter=500), Y, "decision trees"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_another_wrapper_is_refused_by_its_full_name_with_what_to_pass_instead(name):
    model, y, instead = REFUSED[name]
    labels = np.where(np.arange(240) < 200, (Y == "approved").astype(int), -1) if y is None else y
    fitted = model.fit(NUMBERS, labels)
    with pytest.raises(UnsupportedModel) as refused:
        pw.Explainer(fitted, NUMBERS)
    message = str(refused.value)
    assert message.startswith(f"{name} is not supported; ") and instead in message
    for path in re.findall(r"model(\.[a-z_]+_\b)(\[\w\])?(\.\w+)?", message):
        inner = getattr(fitted, path[0][1:])
        inner = inner[0] if path[1] else inner
        inner = getattr(inner, path[2][1:]) if path[2] else inner
        assert pw.read(inner).trees, "what the message says to pass is read"


def test_a_refused_wrapper_inside_a_pipeline_or_a_search_is_named():
    adaptive = AdaBoostClassifier(TREE, n_estimators=2)
    for model in (
        make_pipeline(StandardScaler(), adaptive),
        GridSearchCV(adaptive, {"n_estimators": [2]}, cv=2),
    ):
        with pytest.raises(UnsupportedModel, match=r"sklearn\.ensemble\.AdaBoostClassifier is not supported"):
            pw.read(model.fit(NUMBERS, Y))


def test_the_versions_in_a_report_name_the_library_inside_a_search():
    explainer = pw.Explainer(WRAPPERS["XGBoost in a search"](), NUMBERS)
    made = explainer.report(NUMBERS.head(4)).to_dict()
    assert "XGBoost" in str(made)
