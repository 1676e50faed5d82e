"""A readable explanation is prime, and has no more conditions than the one of the usual order."""

from __future__ import annotations

import itertools

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from primewood.errors import InvalidInput


def forest(seed, rows=250, columns=12):
    X, y = make_classification(rows, columns, n_informative=6, flip_y=0.05, random_state=seed)
    return RandomForestClassifier(25, max_depth=5, random_state=seed).fit(X[:150], y[:150]), X


@pytest.mark.parametrize("literals", ["intervals", "sets", "values"])
def test_it_has_no_more_conditions_and_is_prime(literals):
    model, X = forest(1)
    explainer = pw.Explainer(model, X[:150])
    shorter = wider = 0
    for x in X[150:170]:
        usual = explainer.explain(x, literals=literals, goal="prime")
        why = explainer.explain(x, literals=literals)
        assert why.goal == "readable" and why.status == pw.Status.PROVED
        assert len(why.features) <= len(usual.features)
        assert len(why.features) < len(usual.features) or why.coverage >= usual.coverage
        shorter += len(why.features) < len(usual.features)
        wider += why.coverage > usual.coverage
        # It is prime: no excluded value can be allowed, and no condition dropped.
        again = explainer.explain(x, literals=literals, order=[*_steps(why), *_single(why)], goal="prime")
        assert again.term == why.term
    assert shorter > 0
    assert literals == "values" or wider > 0


def _steps(why):
    """The explanation itself as a step: it is taken whole, and nothing more may be possible after it."""
    step = []
    for variable in why.context.variables:
        allowed = why.term[variable].values if variable in why.term else variable.values
        step += [(variable.name, value) for value in allowed]
    return [step]


def _single(why):
    return [
        [(variable.name, value)]
        for variable in why.context.variables
        if variable in why.term
        for value in variable.values
        if value not in why.term[variable].values
    ]


def test_it_does_not_depend_on_the_engine_or_on_the_clock():
    X, y = make_classification(120, 5, n_informative=4, n_redundant=0, random_state=2)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainers = [pw.Explainer(model, X, engine=engine) for engine in ("search", "diagram")]
    for x in X[:10]:
        terms = {explainer.explain(x).term for explainer in explainers}
        terms |= {explainers[0].explain(x, time_limit=None).term}
        assert len(terms) == 1
    limited = [explainers[0].explain(X[3], time_limit=None, work_limit=500).term for _ in range(2)]
    assert limited[0] == limited[1]


def test_batches_give_the_same():
    model, X = forest(3)
    explainer = pw.Explainer(model, X[:150])
    batch = explainer(X[150:160])
    for x, why in zip(X[150:160], batch, strict=True):
        alone = explainer.explain(x)
        assert (why.term, why.goal, why.status) == (alone.term, "readable", alone.status)
    assert {why.goal for why in explainer(X[150:160], reuse=True)} == {"prime"}


def test_rows_inside_it_keep_the_decision():
    X, y = make_classification(300, 8, n_informative=5, random_state=4)
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X)
    for x in X[:8]:
        why = explainer.explain(x)
        assert (model.predict(why.sample(500, seed=0)) == model.predict([x])[0]).all()


def test_fixed_and_avoided_features_are_respected():
    model, X = forest(5)
    explainer = pw.Explainer(model, X[:150], feature_names=[f"f{i}" for i in range(12)])
    for x in X[150:156]:
        free = explainer.explain(x)
        kept = explainer.explain(x, fix=["f0"])
        assert "f0" in kept.features and kept.fixed == ("f0",)
        without = explainer.explain(x, avoid=[free.features[0]])
        assert without.status == pw.Status.IMPOSSIBLE or free.features[0] not in without.features


def test_an_order_or_an_expression_asks_for_the_prime_one():
    model, X = forest(6)
    explainer = pw.Explainer(model, X[:150])
    names = explainer.feature_names
    assert explainer.explain(X[150], order=names).goal == "prime"
    assert explainer.explain(X[150], also=X[151:152]).goal == "prime"
    assert explainer.explain(X[150], weights={names[0]: 3.0}).goal == "prime"
    with pytest.raises(InvalidInput, match='order is for goal="prime"'):
        explainer.explain(X[150], order=names, goal="readable")
    with pytest.raises(InvalidInput, match='"readable" counts conditions'):
        explainer.explain(X[150], weights={names[0]: 3.0}, goal="readable")
    A, B = pw.Variable("A", [1, 2]), pw.Variable("B", [1, 2])
    assert pw.Explainer((A == 1) | (B == 1)).explain({"A": 1, "B": 1}).goal == "prime"


def test_small_models_by_brute_force():
    """On all cells of small forests: what is said entails the decision, and nothing weaker does."""
    for seed in range(6):
        X, y = make_classification(
            60, 3, n_informative=3, n_redundant=0, n_clusters_per_class=1, random_state=seed
        )
        model = RandomForestClassifier(4, max_depth=2, random_state=seed).fit(X, y)
        explainer = pw.Explainer(model, X)
        variables = explainer.domain.variables
        decided = {
            point: explainer._model.engines.decide(point)
            for point in itertools.product(*(range(len(v)) for v in variables))
        }
        for x in X[:6]:
            why = explainer.explain(x, literals="sets")
            box = why.term.box(variables)
            label = decided[explainer.domain.point(x)]
            inside = [p for p in decided if all(box[j] >> v & 1 for j, v in enumerate(p))]
            assert all(decided[p] == label for p in inside)
            for j, variable in enumerate(variables):
                for value in range(len(variable)):
                    if box[j] >> value & 1:
                        continue
                    wider = [
                        p
                        for p in decided
                        if p[j] == value and all(box[i] >> v & 1 for i, v in enumerate(p) if i != j)
                    ]
                    assert any(decided[p] != label for p in wider)
