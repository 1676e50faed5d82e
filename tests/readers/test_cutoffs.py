"""Wrappers that decide at a cut-off: what is explained is their own `predict`, to the last float."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from attack import breaking_row
from primewood import readers
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers.fidelity import plant_rows

GENERATOR = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "age": GENERATOR.normal(45, 12, 200),
        "income": GENERATOR.normal(30, 9, 200),
        "debt": GENERATOR.normal(8, 3, 200),
        "job": GENERATOR.choice(["clerk", "nurse", "pilot"], 200),
    }
)
NUMBERS = FRAME[["age", "income", "debt"]]
SCORE = FRAME.income / 10 - FRAME.debt / 8 + (FRAME.job == "pilot") + GENERATOR.normal(0, 0.4, 200)
WORDS = np.where(SCORE > 2.2, "approved", "declined")
FLAGS = (SCORE > 2.2).astype(int).to_numpy()


def xgboost(**options):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1, **options)


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=8, num_leaves=5, n_jobs=1, verbose=-1)


def catboost(**options):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=8,
        depth=3,
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
        one_hot_max_size=9,
        **options,
    )


INSIDE = {
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(9, max_depth=4, random_state=0),
    "forest in two jobs": lambda: RandomForestClassifier(9, max_depth=4, random_state=0, n_jobs=2),
    "bagging": lambda: BaggingClassifier(
        DecisionTreeClassifier(max_depth=3), 5, max_features=0.7, random_state=0
    ),
    "soft vote": lambda: VotingClassifier(
        [("a", DecisionTreeClassifier(max_depth=3)), ("b", RandomForestClassifier(4, max_depth=3))],
        voting="soft",
        weights=[1, 2],
    ),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=8, random_state=0),
    "exponential loss": lambda: GradientBoostingClassifier(
        n_estimators=8, loss="exponential", random_state=0
    ),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=8, random_state=0),
    "XGBoost": xgboost,
    "LightGBM": lightgbm,
    "CatBoost": catboost,
}


def same_decisions(wrapper, rows, planted=2000):
    """Read a wrapper and compare it with its own `predict`, on the rows and on planted ones."""
    ensemble = pw.read(wrapper, rows)
    values = rows.to_numpy(dtype=float)
    tried = np.vstack([values, plant_rows(ensemble, values, seed=3)[:planted]])
    ours = np.array(ensemble.classes, dtype=object)[ensemble.predict(tried)]
    asked = pd.DataFrame(tried, columns=rows.columns)
    with joblib.parallel_config(
        backend="sequential"
    ):  # two threads add up the trees in the order of their end
        assert ours.tolist() == np.asarray(wrapper.predict(asked)).tolist()
    scores = readers.scores_of(wrapper, tried, ensemble.categories)
    assert (scores == ensemble.scores(tried)).all(), "bit for bit"
    return ensemble


@pytest.mark.parametrize("threshold", [0.5, 0.37, 1 / 3, "a probability that occurs"])
@pytest.mark.parametrize("name", INSIDE)
def test_a_fixed_threshold_decides_as_its_own_predict_for_either_class(name, threshold):
    y = FLAGS if name == "XGBoost" else WORDS
    fitted = INSIDE[name]().fit(NUMBERS, y)
    for positive in np.unique(y):
        column = fitted.classes_.tolist().index(positive)
        value = threshold
        if isinstance(threshold, str):
            shares = np.sort(fitted.predict_proba(NUMBERS)[:, column])
            value = float(shares[len(shares) // 2])
        wrapper = FixedThresholdClassifier(FrozenEstimator(fitted), threshold=value, pos_label=positive)
        ensemble = same_decisions(wrapper.fit(NUMBERS, y), NUMBERS)
        assert ensemble.cutoff.positive == column


@pytest.mark.parametrize("threshold", [0.1, np.float64(0.1), np.float32(0.1), 0, 1, 2.5, -1])
@pytest.mark.parametrize("positive", [0, 1, None])
def test_the_type_of_a_threshold_decides_in_which_precision_xgboost_is_compared(threshold, positive):
    fitted = xgboost().fit(NUMBERS, FLAGS)
    column = 1 if positive is None else positive
    shares = np.sort(np.unique(fitted.predict_proba(NUMBERS)[:, column]))
    near = shares[len(shares) // 2]
    values = [threshold]
    if 0 < threshold < 1:  # the same type, at a float32 that is predicted and beside it in float64
        kind = type(threshold)
        values += [kind(near), kind(np.nextafter(float(near), 1.0)), kind(np.nextafter(float(near), 0.0))]
    for value in values:
        wrapper = FixedThresholdClassifier(FrozenEstimator(fitted), threshold=value, pos_label=positive)
        same_decisions(wrapper.fit(NUMBERS, FLAGS), NUMBERS, planted=300)


@pytest.mark.parametrize("name", ["forest", "gradient boosting", "XGBoost", "LightGBM"])
def test_a_tuned_threshold_decides_as_its_own_predict(name):
    y = FLAGS if name == "XGBoost" else WORDS
    for positive in (None,) if name == "XGBoost" else ("approved", "declined"):
        scoring = make_scorer(f1_score, **({} if positive is None else {"pos_label": positive}))
        tuned = TunedThresholdClassifierCV(INSIDE[name](), scoring=scoring, cv=2, random_state=0).fit(
            NUMBERS, y
        )
        ensemble = same_decisions(tuned, NUMBERS)
        assert ensemble.cutoff.value == tuned.best_threshold_
        assert ensemble.classes[ensemble.cutoff.positive] == (1 if positive is None else positive)


@pytest.mark.parametrize("method", ["auto", "predict_proba", "decision_function"])
@pytest.mark.parametrize("name", ["gradient boosting", "histogram"])
@pytest.mark.parametrize("threshold", ["auto", 0.25, -0.4])
def test_the_response_method_and_an_automatic_threshold_are_those_of_the_wrapper(method, name, threshold):
    for positive in ("approved", "declined"):
        wrapper = FixedThresholdClassifier(
            INSIDE[name](), threshold=threshold, pos_label=positive, response_method=method
        )
        ensemble = same_decisions(wrapper.fit(NUMBERS, WORDS), NUMBERS)
        by = "score" if method == "decision_function" else "probability"
        automatic = 0.0 if by == "score" else 0.5
        assert (ensemble.cutoff.of, ensemble.cutoff.value) == (
            by,
            automatic if threshold == "auto" else threshold,
        )


def test_a_threshold_at_a_score_that_occurs_is_reached():
    fitted = INSIDE["histogram"]().fit(NUMBERS, WORDS)
    scores = fitted.decision_function(NUMBERS)
    for positive, sign in (("declined", 1.0), ("approved", -1.0)):
        for score in scores[:5]:
            wrapper = FixedThresholdClassifier(
                FrozenEstimator(fitted),
                threshold=float(sign * score),
                pos_label=positive,
                response_method="decision_function",
            )
            same_decisions(wrapper.fit(NUMBERS, WORDS), NUMBERS, planted=100)


def prepared(model):
    columns = ColumnTransformer(
        [("words", OneHotEncoder(), ["job"]), ("numbers", StandardScaler(), ["age", "income", "debt"])],
        sparse_threshold=0,
    )
    return make_pipeline(columns, model)


def fixed(model, threshold=0.37, positive="approved", **options):
    return FixedThresholdClassifier(model, threshold=threshold, pos_label=positive, **options)


def tuned(model):
    scoring = make_scorer(f1_score, pos_label="approved")
    return TunedThresholdClassifierCV(model, scoring=scoring, cv=2, random_state=0)


FOREST = RandomForestClassifier(8, max_depth=4, random_state=0)
BOOSTED = GradientBoostingClassifier(n_estimators=6, random_state=0)
NESTED = {
    "fixed around a pipeline": lambda: fixed(prepared(FOREST)),
    "fixed around a pipeline of boosted trees": lambda: fixed(prepared(BOOSTED)),
    "pipeline with fixed": lambda: prepared(fixed(FOREST)),
    "pipeline with tuned": lambda: prepared(tuned(BOOSTED)),
    "tuned around a pipeline": lambda: tuned(prepared(FOREST)),
    "search of fixed": lambda: GridSearchCV(fixed(prepared(FOREST)), {"threshold": [0.3, 0.6]}, cv=2),
    "fixed around a search": lambda: fixed(GridSearchCV(prepared(FOREST), {}, cv=2), 0.61),
    "pipeline with a search of fixed": lambda: prepared(
        GridSearchCV(fixed(FOREST), {"threshold": [0.3, 0.6]}, cv=2)
    ),
    "fixed around fixed": lambda: fixed(fixed(prepared(FOREST), 0.2), 0.6, "declined"),
    "fixed around tuned": lambda: fixed(tuned(prepared(FOREST)), 0.45),
    "frozen fixed": lambda: FrozenEstimator(fixed(prepared(FOREST)).fit(FRAME, WORDS)),
    "pipeline with fixed around a pipeline": lambda: prepared(fixed(make_pipeline(StandardScaler(), FOREST))),
}


ALWAYS = ("fixed around a pipeline", "pipeline with tuned", "fixed around a search", "fixed around fixed")
"""What every run takes; the others take their turns."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ALWAYS else [pytest.mark.slow]) for name in NESTED]
)
def test_cut_offs_pipelines_and_searches_in_each_other_are_explained_as_they_predict(name):
    wrapper = NESTED[name]().fit(FRAME, WORDS)
    explainer = pw.Explainer(wrapper, FRAME)
    assert explainer.fidelity.rows == 1200 and explainer.fidelity.differ == 0
    assert [explainer.decide(FRAME.iloc[i]) for i in range(60)] == wrapper.predict(FRAME.head(60)).tolist()
    attack(explainer, wrapper, FRAME)


def attack(explainer, wrapper, rows, count=2):
    """Draw rows inside explanations, climb inside them, and ask the wrapper itself."""

    def decide(values):
        return readers.decisions_of(wrapper, values, explainer.ensemble.categories)

    decided = np.array([explainer.decide(rows.iloc[i]) for i in range(40)])
    picked = [int(np.flatnonzero(decided == name)[0]) for name in np.unique(decided)][:count]
    for i in picked:
        for literals in ("intervals", "sets"):
            why = explainer.explain(rows.iloc[i], literals=literals)
            assert why.status == "proved"
            drawn = why.sample(80, seed=i)
            values = drawn.to_numpy() if hasattr(drawn, "to_numpy") else np.asarray(drawn)
            if values.dtype != object:
                assert set(decide(values).tolist()) == {why.decision}
            assert breaking_row(explainer, why, decide) is None


@pytest.mark.parametrize(
    "name", ["forest", "gradient boosting", "LightGBM", "CatBoost", "forest in two jobs"]
)
@pytest.mark.parametrize("positive", ["approved", "declined"])
def test_explanations_of_a_cut_off_hold_for_the_wrapper(name, positive):
    wrapper = fixed(INSIDE[name](), 0.37, positive).fit(NUMBERS, WORDS)
    attack(pw.Explainer(wrapper, NUMBERS), wrapper, NUMBERS)


@pytest.mark.parametrize("positive", [0, 1])
def test_explanations_of_a_cut_off_of_xgboost_hold_for_the_wrapper(positive):
    wrapper = fixed(xgboost(), 0.37, positive).fit(NUMBERS, FLAGS)
    attack(pw.Explainer(wrapper, NUMBERS), wrapper, NUMBERS)


def test_categories_of_the_model_inside_are_kept():
    frame = FRAME.astype({"job": "category"})
    model = HistGradientBoostingClassifier(max_iter=6, categorical_features="from_dtype", random_state=0)
    wrapper = fixed(model).fit(frame, WORDS)
    explainer = pw.Explainer(wrapper, frame)
    assert [explainer.decide(frame.iloc[i]) for i in range(60)] == wrapper.predict(frame.head(60)).tolist()
    attack(explainer, wrapper, frame)


def test_names_of_catboost_categories_come_from_the_training_rows():
    fitted = catboost(cat_features=["job"]).fit(FRAME, WORDS)  # scikit-learn cannot clone it
    wrapper = fixed(FrozenEstimator(fitted)).fit(FRAME, WORDS)
    explainer = pw.Explainer(wrapper, FRAME)
    assert [explainer.decide(FRAME.iloc[i]) for i in range(60)] == wrapper.predict(FRAME.head(60)).tolist()


def test_an_answer_states_the_cut_off_of_the_wrapper():
    wrapper = fixed(FOREST, 0.37).fit(NUMBERS, WORDS)
    share = wrapper.predict_proba(NUMBERS)[:, 0]
    i = int(np.argmin(abs(share - 0.43)))
    why = pw.Explainer(wrapper, NUMBERS).explain(NUMBERS.iloc[i])
    assert why.decision == "approved" and why.score.value == share[i]
    assert why.score.text == f"approved: P(approved) = {share[i]:.2f}, above the cut-off 0.37"
    by_score = fixed(BOOSTED, 0.25, response_method="decision_function").fit(NUMBERS, WORDS)
    text = pw.Explainer(by_score, NUMBERS).explain(NUMBERS.iloc[i]).score.text
    score = -by_score.decision_function(NUMBERS.iloc[[i]])[0]
    side = "above" if score > 0.25 else "below"
    assert f"the score of approved is {score:.2f}, {side} the cut-off 0.25" in text


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_a_second_cut_off_on_top_is_refused_in_plain_words(method):
    wrapper = fixed(BOOSTED, 0.37, response_method=method).fit(NUMBERS, WORDS)
    message = (
        r"already decides at its own cut-off, 0\.37; pass the model inside it to choose another threshold"
    )
    with pytest.raises(InvalidInput, match=message):
        pw.Explainer(wrapper, NUMBERS, threshold=0.6, positive="approved")
    inner = pw.Explainer(wrapper.estimator_, NUMBERS, threshold=0.6, positive="approved")
    assert inner.decide(NUMBERS.iloc[0]) in ("approved", "declined")


class Contrary(FixedThresholdClassifier):
    def predict(self, X):
        return super().predict(X)[::-1]


REFUSED = {
    "not fitted": (
        fixed(RandomForestClassifier()),
        "this RandomForestClassifier is not fitted; call fit first",
    ),
    "not tuned": (tuned(FOREST), "this TunedThresholdClassifierCV is not fitted; call fit first"),
    "a predict of its own": (
        Contrary(FOREST, threshold=0.3),
        "Contrary is not supported, because it has a predict",
    ),
    "infinite": (fixed(FOREST, np.inf), "with the threshold inf is not supported; use a finite number"),
    "another cut-off inside a pipeline": (
        fixed(prepared(fixed(FOREST))),
        "around a Pipeline that ends with another cut-off is not supported",
    ),
    "decision function of the exponential loss": (
        fixed(INSIDE["exponential loss"](), 0.1, response_method="decision_function"),
        'with the exponential loss is not supported; use response_method="predict_proba"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_exactly_is_refused_with_the_reason(name):
    model, message = REFUSED[name]
    if not name.startswith("not"):
        model.fit(FRAME if "pipeline" in name else NUMBERS, WORDS)
    with pytest.raises((InvalidInput, UnsupportedModel)) as refused:
        pw.read(model)
    assert message in str(refused.value)


def test_a_threshold_around_a_fitted_model_needs_no_fit_of_its_own():
    wrapper = fixed(INSIDE["forest"]().fit(NUMBERS, WORDS))
    same_decisions(wrapper, NUMBERS)


def test_an_explainer_of_a_cut_off_is_saved_with_it(tmp_path):
    for wrapper in (fixed(FOREST), fixed(BOOSTED, 0.2, response_method="decision_function")):
        explainer = pw.Explainer(wrapper.fit(NUMBERS, WORDS), NUMBERS)
        explainer.save(tmp_path / "e")
        again = pw.load(tmp_path / "e")
        assert again.ensemble.cutoff == explainer.ensemble.cutoff
        x = NUMBERS.iloc[5]
        assert again.explain(x).to_dict() == explainer.explain(x).to_dict()
