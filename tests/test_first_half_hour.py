"""The first half hour with a table of one's own: strings, integers, Booleans, gaps, and the usual models."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import primewood as pw

ROWS = 320
NUMBERS = ["age", "kids", "income"]
LIMIT = {"time_limit": None, "work_limit": 2000}


def applications() -> tuple[pd.DataFrame, np.ndarray]:
    """Made up: income, a mortgage and the job decide, age a little."""
    draw = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": draw.integers(18, 75, ROWS),
            "kids": pd.array(draw.integers(0, 5, ROWS), dtype="Int64"),
            "income": draw.normal(32, 9, ROWS).round(2),
            "has_mortgage": draw.random(ROWS) < 0.4,
            "job": draw.choice(["clerk", "driver", "nurse"], ROWS),
        }
    )
    wealth = frame.income + 6 * (frame.job == "nurse") - 5 * frame.has_mortgage + frame.age / 15
    frame.loc[draw.random(ROWS) < 0.08, "income"] = np.nan
    frame.loc[draw.random(ROWS) < 0.05, "kids"] = pd.NA
    frame.loc[draw.random(ROWS) < 0.05, "job"] = None
    return frame, np.where(wealth > 34, "approved", "declined")


X, Y = applications()


def forest():
    columns = ColumnTransformer(
        [
            ("words", OneHotEncoder(handle_unknown="ignore"), ["job"]),
            ("numbers", SimpleImputer(), NUMBERS),
            ("flags", "passthrough", ["has_mortgage"]),
        ]
    )
    return GridSearchCV(
        make_pipeline(columns, RandomForestClassifier(random_state=0)),
        {"randomforestclassifier__max_depth": [4]},
        cv=2,
    ).fit(X, Y), X


def with_categories() -> pd.DataFrame:
    return X.assign(job=X.job.astype("category"), kids=X.kids.astype("float"))


def xgboost_model():
    import xgboost

    frame = with_categories()
    model = xgboost.XGBClassifier(n_estimators=20, max_depth=3, enable_categorical=True, n_jobs=1)
    return model.fit(frame, (Y == "approved") * 1), frame


def lightgbm_model():
    import lightgbm

    frame = with_categories()
    return lightgbm.LGBMClassifier(n_estimators=20, num_leaves=7, n_jobs=1, verbose=-1).fit(frame, Y), frame


def histogram_model():
    frame = with_categories()
    return HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype").fit(frame, Y), frame


@pytest.fixture(scope="module", params=[forest, xgboost_model, lightgbm_model, histogram_model])
def case(request):
    model, frame = request.param()
    names = {0: "declined", 1: "approved"} if request.param is xgboost_model else None
    explainer = pw.Explainer(model, frame, class_names=names, positive="approved", units={"income": "kEUR"})
    return model, frame, explainer


def decide(model, frame, i):
    found = model.predict(frame.iloc[[i]])[0]
    return {0: "declined", 1: "approved"}.get(found, found)


def declined_rows(model, frame):
    return [i for i in range(60) if decide(model, frame, i) == "declined"]


def test_the_explainer_says_what_it_is_about(case):
    _, frame, explainer = case
    assert re.search(r"verified against the model on [\d,]+ rows: identical", str(explainer.fidelity))
    assert explainer.positive == "approved" and set(explainer.class_names) == {"approved", "declined"}
    assert len(repr(explainer)) < 2000 and "<style" in explainer._repr_html_()
    assert len(explainer.rows) == len(frame)


def test_a_row_taken_from_the_frame_is_explained_in_its_own_words(case):
    model, frame, explainer = case
    for i in (*declined_rows(model, frame)[:3], int(np.flatnonzero(frame.job.isna())[0])):
        why = explainer.explain(frame.iloc[i], **LIMIT)
        text = str(why)
        assert why.decision == decide(model, frame, i)
        assert re.search(rf"{why.decision}: P\(approved\) = [\d.]+.*, (above|below) the cut-off 0\.5", text)
        assert "these conditions guarantee the decision" in text
        assert "Assumes: " in text and "of the training rows" in text
        assert not re.search(r"age [<>=]+ \d+\.\d", text), "an age is a whole number"
        assert not re.search(r"has_mortgage [<>=]", text), "a Boolean is True or False"
        assert explainer.explain(frame.iloc[[i]], **LIMIT).term == why.term


def test_what_is_proved_holds_for_predict(case):
    model, frame, explainer = case
    for i in range(0, 40, 10):
        why = explainer.explain(frame.iloc[i], **LIMIT)
        near = frame[why.covers(frame)]
        assert i in near.index
        assert {decide(model, frame, j) for j in near.index[:40]} == {why.decision}


def test_a_row_from_json_with_gaps_and_an_unknown_job_is_answered_with_a_note(case):
    model, _, explainer = case
    x = {"age": 41, "kids": None, "income": 21.5, "has_mortgage": True, "job": None}
    assert explainer.explain(x, **LIMIT).decision in ("approved", "declined")
    if isinstance(model, GridSearchCV):
        why = explainer.explain({**x, "job": "pilot"}, **LIMIT)
        assert any("'pilot' is not among" in note and "treated as unknown" in note for note in why.notes)


def test_the_way_to_approval_is_in_values_that_people_have(case):
    model, frame, explainer = case
    i = declined_rows(model, frame)[0]
    flip = explainer.counterfactual(frame.iloc[i], "approved", immutable=["age"], **LIMIT)
    assert "age" not in flip.features
    if flip.row is None:
        assert flip.status in ("impossible", "interrupted")
        return
    text = str(flip)
    assert "approved: P(approved) = " in text and "declined: P(approved) = " in text
    assert flip.other == "approved" == explainer.decide(np.array(flip.row))


def test_a_rule_that_fails_says_how_many_rows_break_it(case):
    model, frame, explainer = case
    found = explainer.verify("income < 30 -> declined", **LIMIT)
    low = [i for i in frame.index[frame.income < 30] if decide(model, frame, i) != "declined"]
    if low:
        assert found.outcome == "fails"
        assert f"{len(low)} of your {len(frame)} rows" in str(found)
    with pytest.raises(pw.errors.PrimewoodError, match="did you mean income"):
        explainer.verify("incme < 30 -> declined")


def test_monotone_asks_which_class_is_meant_and_says_what_was_tested(case):
    _, _, explainer = case
    found = explainer.verify(pw.monotone("income", target="approved"), time_limit=None, work_limit=200)
    assert found.outcome in ("holds", "fails", "undecided")
    assert re.search(r"[Rr]aising income .*approved.*declined", str(found).replace("\n", " "))


def test_which_features_matter_is_answered(case):
    _, frame, explainer = case
    found = explainer.importance(frame.iloc[:15], time_limit=None)
    assert "income" in str(found)
    assert found.to_frame().shape[0] == 5


def test_the_report_names_the_decisions_and_the_scores(case):
    _, frame, explainer = case
    page = explainer.report(frame.iloc[:25], explain=2, sample=4, **LIMIT).to_html()
    assert "approved" in page and "P(approved) = " in page
    assert "54.5" not in page
