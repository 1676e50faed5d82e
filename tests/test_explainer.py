from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput, TooLarge, UnknownName

IRIS = load_iris(as_frame=True)
X, y = IRIS.data, IRIS.target


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0).fit(X, y)


@pytest.fixture(scope="module", params=["model", "majority"])
def explainer(forest, request):
    return pw.Explainer(forest, X, class_names=IRIS.target_names, vote=request.param, literals="sets")


@pytest.fixture(scope="module")
def credit():
    data = load_credit()
    model = RandomForestClassifier(n_estimators=11, max_depth=3, class_weight="balanced", random_state=0)
    model.fit(data.X, data.y)
    options = {
        "vote": "majority",
        "feature_names": data.feature_names,
        "class_names": data.class_names,
        "units": data.units,
        "domain": data.domain,
    }
    return data, pw.Explainer(model, data.X, **options, literals="sets")


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_one_explanation_is_among_all_of_them(explainer, literals):
    for i in (0, 60, 120):
        why = explainer.explain(X.iloc[i], literals=literals)
        everything = list(explainer.explanations(X.iloc[i], literals=literals))
        assert why.status == pw.Status.PROVED and why.literals == literals
        assert why.term in [other.term for other in everything]
        assert len(everything) == explainer.count(X.iloc[i], literals=literals)
        assert why.decision == IRIS.target_names[explainer.ensemble.predict(X.iloc[[i]])[0]]


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_rows_inside_an_explanation_are_decided_alike(explainer, literals):
    generator = np.random.default_rng(0)
    low, high = X.min().to_numpy(), X.max().to_numpy()
    rows = generator.uniform(low - 0.5, high + 0.5, size=(4000, 4))
    decided = IRIS.target_names[explainer.ensemble.predict(rows)]
    for i in (0, 60, 77, 120):
        for why in explainer.explanations(X.iloc[i], literals=literals):
            assert why.covers(X.iloc[[i]]).all()
            assert (decided[why.covers(rows)] == why.decision).all()


def test_engines_give_the_same_answers(forest):
    answers = []
    for engine in ("bdd", "sat", "search", "diagram", "auto"):
        explainer = pw.Explainer(forest, X, engine=engine, vote="majority", literals="sets")
        answers.append(
            [
                (
                    explainer.explain(X.iloc[i], literals=language).term,
                    explainer.count(X.iloc[i], literals=language),
                )
                for i in (5, 80, 140)
                for language in ("sets", "intervals", "values")
            ]
        )
    assert answers[0] == answers[1] == answers[2] == answers[3]


def test_a_row_may_come_in_many_forms(explainer):
    expected = explainer.explain(X.iloc[70]).term
    forms = [
        X.iloc[70].to_numpy(),
        list(X.iloc[70]),
        X.iloc[[70]],
        X.iloc[[70]].to_numpy(),
        X.iloc[70].to_dict(),
        pl.DataFrame(X)[70],
        X.iloc[70].reset_index(drop=True),
    ]
    assert [explainer.explain(form).term for form in forms] == [expected] * len(forms)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([1.0, 2.0], "2 columns; the model takes 4"),
        (X.iloc[:2], "one row, got 2"),
        (X.iloc[[0]].drop(columns="petal width (cm)"), r"missing columns: petal width \(cm\)"),
        ({"petal width (cm)": 1}, "missing columns: sepal length"),
        (["a", "b", "c", "d"], "must be a number, not 'a'"),
        ([np.inf, 1, 1, 1], "infinite"),
        ([1e300, 1, 1, 1], "too large for float32"),
        ([np.nan, 1, 1, 1], "missing"),
        (pd.Series([1.0, 2, 3, 4], index=list("abcd")), "unexpected columns: a, b, c, d"),
    ],
)
def test_bad_rows_are_refused(explainer, row, words):
    with pytest.raises(InvalidInput, match=words):
        explainer.explain(row)


def test_bad_options_are_refused(forest, explainer):
    with pytest.raises(InvalidInput, match="literals must be"):
        explainer.explain(X.iloc[0], literals="boxes")
    with pytest.raises(InvalidInput, match="work_limit"):
        explainer.explain(X.iloc[0], work_limit=0)
    with pytest.raises(InvalidInput, match="summation must be"):
        pw.Explainer(forest, summation="random", literals="sets")
    with pytest.raises(InvalidInput, match='vote="majority"'):
        pw.Explainer(forest, X, engine="bdd", literals="sets").explain(X.iloc[0])
    with pytest.raises(InvalidInput, match="time_limit"):
        explainer.explain(X.iloc[0], time_limit=0)
    with pytest.raises(UnknownName, match="the features are"):
        explainer.explain(X.iloc[0], fix=["colour"])
    with pytest.raises(InvalidInput, match=r"fix=\['petal"):
        explainer.explain(X.iloc[0], fix="petal width (cm)")
    with pytest.raises(UnknownName, match="order: there is no feature"):
        explainer.explain(X.iloc[0], order=["colour"])
    with pytest.raises(InvalidInput, match="vote must be"):
        pw.Explainer(forest, vote="soft", literals="sets")
    with pytest.raises(InvalidInput, match="2 class names for 3"):
        pw.Explainer(forest, class_names=["a", "b"], literals="sets")
    with pytest.raises(InvalidInput, match="1 feature names for 4"):
        pw.Explainer(forest, feature_names=["a"], literals="sets")
    with pytest.raises(InvalidInput, match="engine must be"):
        pw.Explainer(forest, engine="quantum", literals="sets")
    with pytest.raises(InvalidInput, match="missing must be"):
        pw.Explainer(forest, missing="maybe")
    with pytest.raises(InvalidInput, match="feature_names has the model's own names in another order"):
        pw.Explainer(forest, X, feature_names=X.columns[::-1])
    with pytest.raises(UnknownName, match="domain= names colour"):
        pw.Explainer(forest, domain={"colour": "boolean"}, literals="sets")


def test_orders_and_fixed_features_are_honoured(explainer):
    names = list(X.columns)
    first = explainer.explain(X.iloc[77], order=names)
    last = explainer.explain(X.iloc[77], order=names[::-1])
    terms = [why.term for why in explainer.explanations(X.iloc[77])]
    assert first.term in terms and last.term in terms
    fixed = explainer.explain(X.iloc[77], fix=["sepal length (cm)"])
    assert fixed.term["sepal length (cm)"].is_simple
    value = explainer._model.subject.variables[0].values[0]
    stepwise = explainer.explain(X.iloc[77], order=[[("sepal length (cm)", value)]])
    assert stepwise.term in terms


def test_time_runs_out_with_a_sound_answer(explainer):
    why = explainer.explain(X.iloc[77], time_limit=1e-9)
    assert why.status == pw.Status.INTERRUPTED
    assert "time ran out before each was shown to be needed" in str(why)
    assert why.covers(X.iloc[[77]]).all()


def test_a_diagram_that_outgrows_its_cap_says_what_to_try(forest):
    explainer = pw.Explainer(forest, X, engine="bdd", max_nodes=300, vote="majority", literals="sets")
    with pytest.raises(TooLarge, match='engine="sat"'):
        explainer.count(X.iloc[77])
    turned = pw.Explainer(forest, X, engine="auto", max_nodes=300, vote="majority", literals="sets")
    assert turned.count(X.iloc[77]) == pw.Explainer(forest, X, vote="majority", literals="sets").count(
        X.iloc[77]
    )


def test_missing_values_follow_the_rule(forest):
    holes = X.copy()
    holes.iloc[3, 2] = np.nan
    auto = pw.Explainer(forest, holes, literals="sets")
    assert [f.missing for f in auto.domain.features] == [False, False, True, False]
    assert "never missing" in str(auto.explain(X.iloc[77]))
    why = auto.explain(holes.iloc[3])
    assert why.covers(holes.iloc[[3]]).all()
    forbidden = pw.Explainer(forest, holes, missing="forbid", literals="sets")
    with pytest.raises(InvalidInput, match="missing= does not allow"):
        forbidden.explain(holes.iloc[3])
    without_rows = pw.Explainer(forest, literals="sets")
    assert all(f.missing for f in without_rows.domain.features if f.variable)
    assert without_rows.explain(X.iloc[77]).coverage is None
    hand_made = pw.Ensemble((pw.Tree.build((0, 0.0, [1, 0], [0, 1])),), ("x",), (0, 1))
    with pytest.raises(InvalidInput, match="does not accept missing"):
        pw.Explainer(hand_made, missing="allow", literals="sets")


def test_boolean_columns_are_recognised_and_stated():
    generator = np.random.default_rng(0)
    rows = np.column_stack([generator.integers(0, 2, 200), generator.normal(size=200)]).astype(float)
    target = (rows[:, 0] == 1) & (rows[:, 1] > 0)
    model = ExtraTreesClassifier(n_estimators=15, max_depth=4, random_state=0).fit(rows, target)
    explainer = pw.Explainer(model, rows, feature_names=["flag", "size"], literals="sets")
    assert explainer.domain.features[0].kind == "boolean"
    assert len(explainer.domain.features[0].variable) == 2
    why = explainer.explain(rows[explainer.ensemble.predict(rows) == 1][0])
    assert "flag is 1" in why.rule and "flag is 0 or 1" in why.assumptions
    (note,) = explainer.explain([0.5, 0.0]).notes
    assert note.startswith("flag = 0.5 is not 0 or 1, unlike the training rows")
    numeric = pw.Explainer(
        model, rows, feature_names=["flag", "size"], domain={"flag": "numeric"}, literals="sets"
    )
    assert len(numeric.domain.features[0].variable) > 2
    assert numeric.explain([0.5, 0.0]).covers([[0.5, 0.0]]).all()


@pytest.mark.parametrize(
    "declared", ["colours", [1], {"a": 1, "b": 2}, {0: "x", 1: "x"}, [float("nan"), 1.0]]
)
def test_bad_domains_are_refused(forest, declared):
    with pytest.raises(InvalidInput, match="domain of"):
        pw.Explainer(forest, domain={"petal width (cm)": declared}, literals="sets")


def test_categories_are_explained_by_name(credit):
    data, explainer = credit
    found = list(explainer.explanations(data.X[1]))
    assert len(found) == explainer.count(data.X[1]) == 18
    rules = [why.rule for why in found]
    assert any("checking account is overdrawn or 0 to 200 DM" in rule for rule in rules)
    assert any("months" in rule for rule in rules)
    with pytest.raises(UnknownName, match="checking account is one of"):
        explainer.explain([9, *data.X[1][1:]])


def test_categorical_explanations_hold_on_all_rows_with_the_same_categories(credit):
    data, explainer = credit
    generator = np.random.default_rng(0)
    rows = np.column_stack([generator.choice(column, 5000) for column in data.X.T])
    decided = np.array(data.class_names)[explainer.ensemble.predict(rows)]
    for why in explainer.explanations(data.X[1]):
        inside = why.covers(rows)
        assert inside.any() and (decided[inside] == why.decision).all()


def test_agreement_with_predict_is_counted_and_noted(credit):
    data, explainer = credit
    same, total = explainer.agreement
    own = explainer.model.predict(data.X)
    vote = explainer.ensemble.predict(data.X)
    assert total == 1000 and same == (own == vote).sum() < 1000
    differing = data.X[np.flatnonzero(own != vote)[0]]
    assert "model.predict does not take a majority" in str(explainer.explain(differing))
    alike = data.X[np.flatnonzero(own == vote)[0]]
    assert not explainer.explain(alike).notes


def test_records_are_plain_and_exact(explainer):
    record = json.loads(json.dumps(explainer.explain(X.iloc[77]).to_dict(), allow_nan=False))
    assert record["decision"] == "virginica" and record["status"] == "proved"
    for literal in record["literals"]:
        variable = next(v for v in explainer._model.subject.variables if v.name == literal["feature"])
        for interval in literal["intervals"]:
            assert interval["low"] is None or interval["low"] in variable.cuts
            assert interval["high"] is None or interval["high"] in variable.cuts
            assert interval["closed"] in ("right", "neither")
        assert literal["missing"] is False


def test_expressions_are_explained_too():
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable.numeric("B", [2, 6])
    explainer = pw.Explainer((A == 1) | (B < 2), literals="sets")
    why = explainer.explain({"A": 1, "B": 7.5})
    assert why.decision is True and str(why.term) == "A=1" and why.rule == "IF A is 1 THEN True"
    assert explainer.explain({"A": 3, "B": 7.5}).rule == "IF A is not 1 AND B >= 2 THEN False"
    assert explainer.count({"A": 1, "B": 1}) == 2
    with pytest.raises(TypeError):
        why.covers([[1, 2]])
    with pytest.raises(InvalidInput, match="are for models"):
        pw.Explainer(A == 1, X, literals="sets")


def test_a_forest_of_one_class_has_the_empty_explanation():
    model = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
    why = pw.Explainer(model, X, literals="sets").explain(X.iloc[0])
    assert why.term == pw.Term() and why.rule == "always 0.0"


def test_the_public_names_are_all_there():
    assert sorted(pw.__all__) == sorted(name for name in pw.__all__ if hasattr(pw, name))
    assert len(pw.__all__) == len(set(pw.__all__))


def test_what_is_taken_for_granted_is_always_stated():
    rows = np.c_[np.r_[0:10, 0:10], np.r_[np.zeros(10), np.ones(10)]].astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(rows, (rows[:, 0] > 5) | (rows[:, 1] > 0))
    few = pw.Explainer(model, np.array([[0.0, 0.0], [1.0, 0.0]]), literals="sets")
    assert few.domain.features[0].kind == "numeric", "its threshold is not between 0 and 1"
    assert few.explain([0.0, 0.0]).covers([[9.0, 0.0]]).tolist() == [False]
    declared = pw.Explainer(model, domain={"x0": [0, 1]}, literals="sets")
    assert "x0 is 0 or 1" in declared.explain([0.0, 0.0]).assumptions


def test_splits_that_only_ask_whether_a_value_is_missing():
    rows = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier(random_state=0).fit(rows, [0, 0, 0, 1, 1])
    assert np.isinf(model.tree_.threshold[0])
    assert pw.Explainer(model, rows, literals="sets").explain([np.nan]).rule == "IF x0 is missing THEN 1"
    assert pw.Explainer(model, rows, literals="sets").explain([2.0]).rule == "IF x0 is a number THEN 0"
    assert pw.Explainer(model, rows, missing="forbid", literals="sets").explain([2.0]).term == pw.Term()


@pytest.mark.parametrize("engine", ["sat", "bdd", "search", "diagram", "auto"])
def test_an_explainer_is_safe_to_share_and_to_send(forest, engine):
    explainer = pw.Explainer(forest, X, engine=engine, vote="majority", literals="sets")
    rows = [X.iloc[i] for i in range(0, 150, 15)]
    expected = [(explainer.explain(row, time_limit=None).term, explainer.count(row)) for row in rows]
    sent = pickle.loads(pickle.dumps(explainer))
    assert [(sent.explain(row).term, sent.count(row)) for row in rows] == expected
    assert copy.deepcopy(explainer).explain(rows[0]).term == expected[0][0]
    shared = pw.Explainer(forest, X, engine=engine, vote="majority", literals="sets")
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda row: (shared.explain(row, time_limit=None).term, shared.count(row)), rows * 3)
        )
    assert found == expected * 3


def test_fixed_features_are_said_and_may_come_from_an_iterator(explainer):
    fixed = explainer.explain(X.iloc[77], fix=["sepal length (cm)"])
    assert explainer.explain(X.iloc[77], fix=iter(["sepal length (cm)"])).term == fixed.term
    assert "prime given that sepal length (cm) keeps this row's value" in str(fixed)


def test_categories_of_a_frame_are_recognised():
    frame = pd.DataFrame({"colour": pd.Categorical([0, 1, 2] * 20), "size": np.arange(60.0)})
    target = (frame["colour"].astype(int) == 1) | (frame["size"] > 50)
    model = DecisionTreeClassifier(random_state=0).fit(frame.astype(float), target)
    explainer = pw.Explainer(model, frame, literals="sets")
    assert explainer.domain.features[0].kind == "categorical"
    assert "colour is not 1.0" in explainer.explain([0.0, 3.0]).rule


def test_categories_that_are_no_numbers_are_refused():
    frame = pd.DataFrame({"colour": pd.Categorical([0, 1] * 9, categories=[0, 1, "red"])})
    model = DecisionTreeClassifier().fit(np.array([[0.0], [1.0]]), [0, 1])
    with pytest.raises(InvalidInput, match="numbers of the model"):
        pw.Explainer(model, frame, feature_names=["colour"], literals="sets")


@pytest.mark.parametrize(
    "options",
    [
        {"order": "petal"},
        {"order": [1, 2]},
        {"order": [("petal width (cm)", 5.0)]},
        {"order": [{"petal width (cm)": 5}]},
        {"fix": None},
        {"time_limit": "5"},
        {"time_limit": -1},
    ],
)
def test_odd_options_are_refused(explainer, options):
    with pytest.raises(InvalidInput):
        explainer.explain(X.iloc[0], **options)


def test_odd_explainers_are_refused(forest, explainer):
    with pytest.raises(InvalidInput, match="no rows"):
        pw.Explainer(forest, X.iloc[:0], literals="sets")
    with pytest.raises(InvalidInput, match="max_nodes"):
        pw.Explainer(forest, max_nodes=1.5, literals="sets")
    with pytest.raises(InvalidInput, match="domain must be a mapping"):
        pw.Explainer(forest, domain="petal", literals="sets")
    with pytest.raises(UnknownName, match="units names"):
        pw.Explainer(forest, units={"colour": "nm"}, literals="sets")
    with pytest.raises(InvalidInput, match="literals must be"):
        explainer.explanations(X.iloc[0], literals="boxes")


def test_avoided_features_are_not_mentioned_or_proved_indispensable(forest):
    explainer = pw.Explainer(forest, X, class_names=IRIS.target_names, literals="sets")
    free = explainer.explain(X.iloc[0], avoid=["sepal length (cm)", "sepal width (cm)"])
    assert free.status == pw.Status.PROVED and not {"sepal length (cm)", "sepal width (cm)"} & set(
        free.features
    )
    stuck = explainer.explain(X.iloc[0], avoid=["petal length (cm)", "petal width (cm)"])
    assert stuck.status == pw.Status.IMPOSSIBLE and "no explanation avoids" in str(stuck)
    assert stuck.covers(X.iloc[[0]]).all()
    with pytest.raises(InvalidInput, match="both fixed and avoided"):
        explainer.explain(X.iloc[0], avoid=["petal width (cm)"], fix=["petal width (cm)"])
    with pytest.raises(UnknownName, match="avoid names"):
        explainer.explain(X.iloc[0], avoid=["colour"])


def test_a_row_may_hold_the_names_that_the_domain_gives_to_numbers():
    table = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 2.0], [0.0, 2.0], [2.0, 1.0]] * 5)
    model = DecisionTreeClassifier(random_state=0).fit(table, table[:, 0] == 1)
    domain = {"colour": {0: "red", 1: "green", 2: "blue"}}
    explainer = pw.Explainer(model, table, feature_names=["colour", "size"], domain=domain, literals="sets")
    why = explainer.explain({"colour": "green", "size": 2.0})
    assert why.decision and "colour" in why.features
    assert why == explainer.explain(["green", 2.0]) == explainer.explain([1.0, 2.0])
    with pytest.raises(UnknownName, match="colour is one of red, green, blue; got 'yellow'"):
        explainer.explain({"colour": "yellow", "size": 2.0})


def test_an_order_may_name_a_feature_that_no_test_looks_at():
    tree = pw.Tree.build((0, 0.5, [1.0, 0.0], [0.0, 1.0]))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("a", "b"), ("no", "yes")))
    assert explainer.explain([1, 1], order=["b", "a"]).features == ("a",)
    with pytest.raises(UnknownName, match="order: there is no feature 'c'"):
        explainer.explain([1, 1], order=["c"])


def test_rows_can_be_replaced_for_what_is_counted_over_them():
    iris = load_iris()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    explainer = pw.Explainer(tree, iris.data, class_names=iris.target_names)
    other = explainer.replace_rows(iris.data[:50])
    assert len(other.rows) == 50 and len(explainer.rows) == 150
    assert other.explain(iris.data[0]).term == explainer.explain(iris.data[0]).term
    assert (explainer.explain(iris.data[0]).coverage, other.explain(iris.data[0]).coverage) == (50 / 150, 1.0)
    assert sum(other.rules().rows.values()) == 50


def test_an_explainer_whose_rows_were_replaced_is_not_saved(tmp_path):
    iris = load_iris()
    explainer = pw.Explainer(DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target), iris.data)
    with pytest.raises(pw.errors.InvalidInput, match="save the explainer that it was made from"):
        explainer.replace_rows(iris.data[:50]).save(tmp_path / "iris.explainer")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [{}, {"threshold": 0.3, "positive": "good"}, {"vote": "majority"}])
def test_the_model_itself_decides_by_its_predict_or_at_the_threshold(options):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, class_names=["bad", "good"], **options)
    own = forest.predict(X)
    if "threshold" in options:
        own = forest.predict_proba(X)[:, 1] >= 0.3
    elif "vote" in options:
        own = np.mean([tree.predict(X) for tree in forest.estimators_], axis=0) > 0.5
    assert explainer.decide_by_model(X) == [("bad", "good")[int(label)] for label in own]


def test_a_row_is_described_in_words():
    X = np.array([[20.0, 0], [30.0, 1], [np.nan, 1]])
    tree = DecisionTreeClassifier().fit(X, [0, 1, 1])
    explainer = pw.Explainer(
        tree,
        X,
        feature_names=["age", "sex"],
        units={"age": "years"},
        domain={"sex": {0: "female", 1: "male"}},
    )
    assert explainer.describe_row(X[0]) == {"age": "20 years", "sex": "female"}
    assert explainer.describe_row({"age": None, "sex": 1}) == {"age": "missing", "sex": "male"}


def test_a_property_is_checked_without_a_proof():
    iris = load_iris()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    explainer = pw.Explainer(tree, feature_names=["sl", "sw", "pl", "pw"], class_names=iris.target_names)
    claim = explainer.check_property(pw.independent_of("sl", "sw"))
    assert (claim.kind, claim.features) == ("independent", ("sl", "sw"))
    assert claim == explainer.verify(pw.independent_of("sl", "sw")).claim
    rising = explainer.check_property(pw.monotone("pl", "decreasing", "setosa"))
    assert (rising.kind, rising.features) == ("decreasing", ("pl",))
    assert explainer.check_property("pl < 2 -> setosa").kind == "stated"
    with pytest.raises(pw.errors.InvalidInput, match="pq"):
        explainer.check_property("pq < 2 -> setosa")
