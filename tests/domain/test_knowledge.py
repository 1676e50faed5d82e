"""Constraints that no row violates: what is understood, what is refused, and that answers rest on them rightly."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput, UnknownName

NAMES = ["age", "years_employed", "rent", "housing", "children"]
HOUSING = {0: "own", 1: "rented", 2: "free"}
CONSTRAINTS = ["years_employed <= age - 14", "housing=free -> rent=0", "housing=rented -> rent > 0"]


def people(count=400, seed=0):
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 80, count).astype(float)
    employed = np.minimum(generator.integers(0, 50, count), age - 14).astype(float)
    housing = generator.integers(0, 3, count).astype(float)
    rent = np.where(housing == 2, 0.0, np.where(housing == 1, generator.integers(1, 2000, count), 0.0))
    children = generator.integers(0, 5, count).astype(float)
    X = np.column_stack([age, employed, rent, housing, children])
    y = (employed > 8) ^ (rent > 800) ^ (housing == 0) ^ (generator.random(count) < 0.05)
    return X, y.astype(int)


def explainer_for(model, X, **more):
    options = {"feature_names": NAMES, "domain": {"housing": HOUSING}, "constraints": CONSTRAINTS}
    return pw.Explainer(model, X, **{**options, **more})


def satisfies(rows):
    age, employed, rent, housing, _ = rows.T
    return (employed <= age - 14) & ((housing != 2) | (rent == 0)) & ((housing != 1) | (rent > 0))


@pytest.mark.parametrize("engine", ["search", "diagram"])
def test_an_explanation_holds_on_all_rows_that_can_exist(engine):
    X, y = people()
    model = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    explainer = explainer_for(model, X, engine=engine)
    loose = explainer_for(model, X, engine=engine, constraints=None)
    generator = np.random.default_rng(1)
    used = wider = 0
    for x in X[:25]:
        why = explainer.explain(x)
        assert why.status == "proved" and why.decision == model.predict([x])[0]
        rows = people(3000, int(generator.integers(1 << 30)))[0]
        rows[:, 0] += generator.choice([0, 0.5], len(rows))
        rows = rows[satisfies(rows)]
        inside = rows[why.covers(rows)]
        assert (model.predict(inside) == why.decision).all()
        stated = [text for text in why.assumptions if text in CONSTRAINTS]
        used += bool(stated)
        for witness in why.witnesses:
            row = np.array(witness.row)
            assert satisfies(row[None, :])[0], "a witness is a row that can exist"
            assert model.predict([row])[0] != why.decision
        strict = loose.explain(x)
        wider += why.volume > strict.volume if why.volume is not None else 0
    assert used and wider, "constraints matter here"


def test_engines_give_the_same_answers_under_constraints():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainers = [explainer_for(model, X, engine=e) for e in ("auto", "search", "diagram", "bdd", "sat")]
    for x in X[:12]:
        for literals in ("sets", "intervals", "values"):
            terms = {explainer.explain(x, literals=literals).term for explainer in explainers}
            assert len(terms) == 1
        counts = {explainer.count(x, literals="values") for explainer in explainers}
        assert len(counts) == 1


def test_a_compiled_model_keeps_its_constraints(tmp_path):
    X, y = people()
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    compiled = explainer_for(model, X).compile()
    assert compiled.count()["excluded by constraints"] > 0
    compiled.save(tmp_path / "model.diagram")
    again = pw.load(tmp_path / "model.diagram")
    assert again.count() == compiled.count()
    for x in X[:10]:
        assert {w.term for w in again.explanations(x)} == {w.term for w in compiled.explanations(x)}
    with pytest.raises(InvalidInput, match="years_employed <= age - 14"):
        again.decide([20.0, 30.0, 0.0, 0.0, 1.0])
    for why in compiled.prime_implicants(1):
        assert why.term.literals, "some possible row satisfies each"


def test_a_row_that_the_constraints_exclude_is_refused_by_name():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = explainer_for(model, X)
    with pytest.raises(InvalidInput, match=r"violates the constraint 'years_employed <= age - 14'"):
        explainer.explain([20.0, 30.0, 0.0, 0.0, 1.0])
    with pytest.raises(InvalidInput, match=r"violates the constraint 'housing=free -> rent=0'"):
        explainer.explain([50.0, 10.0, 5.0, 2.0, 1.0])
    X[3, 1] = 90.0
    with pytest.raises(InvalidInput, match=r"X_train, row 3: .*years_employed"):
        explainer_for(model, X)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("age * 2 <= rent", "age"),
        ("age <= rent + children", "constraint"),
        ("years <= age", "years"),
        ("(age <= 3 and rent <= 2) or children <= 1", "no clause"),
        ("age <= age + 1", "itself"),
        ("housing=castle -> rent=0", "castle"),
        ("housing <= age", "not numeric"),
        ("age > 90 and age < 80", "excludes every row"),
        ("", "constraint"),
    ],
)
def test_other_forms_are_refused_by_name(constraint, message):
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    with pytest.raises((InvalidInput, UnknownName), match=message):
        explainer_for(model, None, constraints=[constraint])


def test_orders_that_no_row_can_satisfy_are_refused():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    with pytest.raises(InvalidInput, match="no row can satisfy"):
        explainer_for(model, None, constraints=["age <= rent - 1", "rent <= age"])


def test_orders_are_chained():
    """x <= y and y <= z say something about x and z, even where no test looks at y."""
    tree = pw.Tree.build((0, 0.5, [1, 0], (2, 0.3, [1, 0], [0, 1])))
    ensemble = pw.Ensemble((tree,), ("x", "y", "z"), ("no", "yes"))
    explainer = pw.Explainer(ensemble, constraints=["x <= y", "y <= z"])
    (rule,) = explainer.domain.knowledge.rules
    assert rule.is_staircase and rule.text == "x <= y and y <= z"
    assert explainer.explain([0.6, 0.7, 0.8]).rule == "IF x > 0.5 THEN yes", "z is then above 0.3"


def test_bounds_of_an_untested_feature_count_in_an_order():
    tree = pw.Tree.build((0, 5.0, [1, 0], [0, 1]))
    ensemble = pw.Ensemble((tree,), ("x", "limit"), ("low", "high"))
    explainer = pw.Explainer(ensemble, domain={"limit": pw.Number(0, 5)}, constraints=["x <= limit"])
    why = explainer.explain([1.0, 2.0])
    assert not why.term.literals and why.assumptions[-1] == "x <= limit", "x > 5 cannot be"
