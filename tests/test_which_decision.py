"""An answer says which decision it is about: the class, its score and the cut-off."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import primewood as pw
from primewood.errors import InvalidInput, UnknownName

GENERATOR = np.random.default_rng(0)
X = pd.DataFrame({"age": GENERATOR.integers(18, 70, 400) * 1.0, "income": GENERATOR.normal(30, 8, 400)})
Y = np.where(X.income + X.age / 10 > 34, "approved", "declined")
NUMBERS = (Y == "approved") * 1
POOR = X.assign(income=15.0).iloc[[0]]


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, Y)


def models():
    import catboost
    import lightgbm
    import xgboost

    yield RandomForestClassifier(10, max_depth=3, random_state=0)
    yield GradientBoostingClassifier(n_estimators=8, random_state=0)
    yield HistGradientBoostingClassifier(max_iter=8, random_state=0)
    yield xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1)
    yield lightgbm.LGBMClassifier(n_estimators=8, num_leaves=6, n_jobs=1, verbose=-1)
    yield catboost.CatBoostClassifier(
        iterations=8, depth=3, verbose=0, thread_count=1, allow_writing_files=False
    )


@pytest.fixture(scope="module", params=range(6), ids=lambda i: ("RF", "GB", "HGB", "XGB", "LGBM", "CAT")[i])
def two_classes(request):
    return list(models())[request.param].fit(X, NUMBERS)


def test_class_names_that_swap_the_models_labels_are_refused(forest):
    with pytest.raises(InvalidInput, match="by the name of another class, 'declined'"):
        pw.Explainer(forest, X, class_names=["declined", "approved"])
    with pytest.raises(InvalidInput, match="by the name of another class"):
        pw.Explainer(forest, X, class_names={"approved": "declined", "declined": "no"})
    assert pw.Explainer(forest, X, class_names=["approved", "declined"]).decide(POOR) == "declined"


def test_class_names_by_label_show_what_predict_says(forest):
    explainer = pw.Explainer(forest, X, class_names={"declined": "No", "approved": "Yes"})
    assert forest.predict(POOR)[0] == "declined"
    assert explainer.explain(POOR).rule.endswith("THEN No")
    assert pw.Explainer(forest, X, class_names={"declined": "No"}).class_names == ("approved", "No")
    with pytest.raises(UnknownName, match=r"decline.*did you mean declined"):
        pw.Explainer(forest, X, class_names={"decline": "No"})


def test_numbers_as_labels_can_be_mapped_as_text_too():
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, NUMBERS)
    for key in (0, "0", np.int64(0)):
        assert pw.Explainer(model, X, class_names={key: "declined"}).class_names == ("declined", 1)


def test_a_cut_off_with_labels_of_text_needs_the_positive_class(forest):
    with pytest.raises(InvalidInput, match="threshold needs positive="):
        pw.Explainer(forest, X, threshold=0.7)
    with pytest.raises(UnknownName, match="did you mean approved"):
        pw.Explainer(forest, X, threshold=0.7, positive="aproved")


def test_a_stricter_cut_off_approves_fewer(forest):
    explainers = [pw.Explainer(forest, X, threshold=t, positive="approved") for t in (0.3, 0.5, 0.7, 0.9)]
    approved = [explainer.decide(X.iloc[:100]).count("approved") for explainer in explainers]
    assert approved == sorted(approved, reverse=True) and approved[0] > approved[-1]


@pytest.mark.parametrize("threshold", [70, -1, 1.01, float("nan"), "0.5"])
def test_a_cut_off_that_is_no_probability_is_refused(forest, threshold):
    with pytest.raises(InvalidInput, match="threshold"):
        pw.Explainer(forest, X, threshold=threshold, positive="approved")


def test_a_cut_off_in_percent_is_answered_with_what_was_meant(forest):
    with pytest.raises(InvalidInput, match=r"from 0 to 1; got 70; did you mean 0\.7\?"):
        pw.Explainer(forest, X, threshold=70, positive="approved")


@pytest.mark.parametrize("positive", [0, 1])
def test_a_cut_off_decides_as_the_librarys_probability_does(two_classes, positive):
    """Also at cut-offs that a probability hits, or misses by one float."""
    shares = two_classes.predict_proba(X)[:, positive].astype(np.float64)
    hit = float(shares[7])
    for cutoff in (0.0, 0.3, hit, np.nextafter(hit, 1), np.nextafter(hit, 0), 1.0):
        explainer = pw.Explainer(two_classes, X, threshold=cutoff, positive=positive)
        expected = np.where(shares >= cutoff, positive, 1 - positive)
        assert explainer.ensemble.predict(X.to_numpy()).tolist() == expected.tolist()


@pytest.mark.parametrize("positive", [0, 1])
def test_explanations_at_a_cut_off_hold_for_the_librarys_probability(two_classes, positive):
    cutoff = float(np.median(two_classes.predict_proba(X)[:, positive]))
    explainer = pw.Explainer(two_classes, X, threshold=cutoff, positive=positive)
    for i in range(0, 400, 80):
        why = explainer.explain(X.iloc[i])
        inside = why.sample(200, seed=i)
        reached = two_classes.predict_proba(pd.DataFrame(inside, columns=X.columns))[:, positive].astype(
            float
        )
        assert why.status == "proved"
        assert {positive if x >= cutoff else 1 - positive for x in reached} == {why.decision}


def test_the_comparison_is_in_float64_and_in_float32_if_asked():
    """Where a float32 probability equals the rounded cut-off, it is reached in float32 and not in float64."""
    import xgboost

    model = xgboost.XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1).fit(X, NUMBERS)
    shares = model.predict_proba(X)[:, 1]
    below = [x for x in np.unique(shares) if float(x) < float(f"{float(x):.7g}") == pytest.approx(float(x))]
    tried = 0
    for share in below:
        cutoff = float(f"{float(share):.7g}")
        if np.float32(cutoff) != share:
            continue
        row = X.iloc[int(np.flatnonzero(shares == share)[0])]
        assert bool(share >= cutoff) and not bool(float(share) >= cutoff)
        assert pw.Explainer(model, X, threshold=cutoff).decide(row) == 0
        assert pw.Explainer(model, X, threshold=cutoff, threshold_dtype="float32").decide(row) == 1
        assert pw.Explainer(model, X, threshold=np.float32(cutoff)).decide(row) == 1
        tried += 1
    assert tried
    with pytest.raises(InvalidInput, match="threshold_dtype"):
        pw.Explainer(model, X, threshold=0.5, threshold_dtype="float16")


def test_every_answer_states_class_score_and_cut_off(forest):
    explainer = pw.Explainer(forest, X, threshold=0.6, positive="approved")
    share = forest.predict_proba(POOR)[0, 0]
    stated = f"declined: P(approved) = {share:.2f}, below the cut-off 0.60"
    why = explainer.explain(POOR)
    flip = explainer.counterfactual(POOR, "approved")
    answers = {
        "explanation": (str(why), why.to_dict()),
        "counterfactual": (str(flip), flip.to_dict()),
        "robustness": (str(r := explainer.robustness(POOR)), r.to_dict()),
        "contrast": (str(c := explainer.contrast(POOR)), c.to_dict()),
        "check": (str(k := explainer.check(POOR, "income <= 16")), k.to_dict()),
        "adverse action": (str(a := explainer.adverse_action(POOR, "approved")), a.to_dict()),
        "batch": (stated, explainer(POOR).to_dict()["explanations"][0]),
        "what if": (stated, explainer.what_if(POOR, "income").to_dict()),
    }
    for name, (text, record) in answers.items():
        assert stated in text or f"instead of {stated.replace(': ', ' (', 1)})" in text, name
        score = record["score"]
        assert score["text"] == stated, name
        assert (score["of"], score["value"], score["cutoff"]) == ("approved", share, 0.6), name
        json.dumps(record)
    assert (
        f"declined (P(approved) = {share:.2f}, below the cut-off 0.60)"
        in explainer.adverse_action(POOR, "approved").letter
    )
    assert "approved: P(approved) = " in str(flip) and flip.to_dict()["other_score"]["value"] >= 0.6
    assert f"P(approved) = {share:.2f}, below the cut-off 0.60" in why._repr_html_()


def test_boosted_trees_state_their_raw_score_too(two_classes):
    explainer = pw.Explainer(two_classes, X, class_names=["declined", "approved"])
    score = explainer.score(X.iloc[3])
    share = float(two_classes.predict_proba(X.iloc[[3]])[0, 1])
    assert score.of == "approved" and score.value == share
    assert score.text.startswith(f"{explainer.decide(X.iloc[3])}: P(approved) = {share:.2f}")
    boosted = type(two_classes).__name__ != "RandomForestClassifier"
    assert (score.raw is not None) == boosted == ("raw score" in score.text)


def test_regressors_state_their_prediction():
    model = RandomForestRegressor(5, random_state=0).fit(X, X.income)
    explainer = pw.Explainer(model, X, threshold=30)
    value = float(model.predict(X.iloc[[3]])[0])
    assert explainer.score(X.iloc[3]).value == pytest.approx(value)
    assert explainer.score(X.iloc[3]).text.startswith("prediction < 30: the prediction is ")
    assert "below the cut-off 30" in str(explainer.explain(X.iloc[3]))
    with pytest.raises(InvalidInput, match="positive is for classifiers"):
        pw.Explainer(model, X, threshold=30, positive="x")


def test_a_shown_score_never_looks_as_if_it_were_on_the_other_side(forest):
    shares = forest.predict_proba(X)[:, 0]
    for share in np.unique(shares)[::5]:
        for cutoff in (share, min(1.0, np.nextafter(share, 1)), min(1.0, share + 1e-4)):
            explainer = pw.Explainer(forest, X, threshold=float(cutoff), positive="approved")
            text = explainer.score(X.iloc[int(np.flatnonzero(shares == share)[0])]).text
            shown = float(text.split(" = ")[1].split(",")[0])
            assert (shown >= cutoff) == (share >= cutoff), text


def test_several_classes_state_the_largest_probability():
    labels = np.array(["low", "middle", "high"])[np.digitize(X.income, [25, 35])]
    model = RandomForestClassifier(5, random_state=0).fit(X, labels)
    score = pw.Explainer(model, X).score(X.iloc[0])
    assert score.value == model.predict_proba(X.iloc[[0]]).max()
    assert "the largest of 3 classes" in score.text
    with pytest.raises(InvalidInput, match="two classes or a regressor"):
        pw.Explainer(model, X, threshold=0.5, positive="low")


def test_votes_are_stated_under_the_majority(forest):
    score = pw.Explainer(forest, X, vote="majority").score(POOR)
    assert score.text == f"declined: {int(score.value)} of 10 trees vote for it"


def test_a_batch_has_columns_for_the_score(forest):
    frame = pw.Explainer(forest, X, threshold=0.6, positive="approved")(X.iloc[:20]).to_frame()
    assert frame["score"].tolist() == forest.predict_proba(X.iloc[:20])[:, 0].tolist()
    assert set(frame["score_of"]) == {"approved"} and set(frame["cutoff"]) == {0.6}


def test_an_explanation_keeps_its_score_when_it_is_sent_or_saved(forest):
    why = pw.Explainer(forest, X, threshold=0.6, positive="approved").explain(POOR)
    assert pickle.loads(pickle.dumps(why)).score == why.score
    assert pw.Explanation.from_json(why.to_json()).score == why.score.to_dict()
    assert str(pw.Explanation.from_json(why.to_json())) == str(why)


def test_an_expression_has_no_score():
    A = pw.Variable("A", [1, 2, 3])
    explainer = pw.Explainer(A != 2)
    assert explainer.score({"A": 1}) is None and explainer.explain({"A": 1}).to_dict()["score"] is None


def test_the_language_of_an_explainer_is_that_of_all_its_answers(forest):
    row = X.iloc[3]
    for literals in ("sets", "intervals", "values"):
        explainer = pw.Explainer(forest, X, literals=literals)
        assert explainer.literals == explainer.explain(row).literals == literals
        assert (
            explainer.contrast(row).literals == next(iter(explainer.explanations(row))).literals == literals
        )
        assert explainer(X.iloc[:2])[0].literals == literals
        assert explainer.explain(row, literals="values").literals == "values"
        assert {why.literals for why in explainer.compile().explanations(row)} == {literals}
    assert pw.Explainer(forest, X).literals == "intervals"
    A = pw.Variable("A", [1, 2, 3])
    assert pw.Explainer(A != 2).literals == "sets"


def test_a_long_rule_is_cut_for_people_and_says_so():
    generator = np.random.default_rng(0)
    wide = generator.normal(size=(300, 60))
    model = RandomForestClassifier(40, random_state=0).fit(wide, wide[:, :40].sum(axis=1) > 0)
    why = pw.Explainer(model, wide).explain(wide[0], literals="values", order=[f"x{i}" for i in range(60)])
    count = len(why.term.literals)
    assert count > 13
    assert f"AND {count - 12} more conditions THEN" in why.rule
    assert f"12 of {count} conditions; all with to_text(full=True)" in str(why)
    assert why.to_text(full=True).count(" AND ") == count - 1
    assert len(why.to_dict()["literals"]) == count
