"""The shortest explanation: against all sets of features, and when it is interrupted."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.universes import LANGUAGES
from engines.test_duality import engines_of, primes_around, small_models
from primewood.domain import default_order
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Verdict
from primewood.errors import InvalidInput
from primewood.logic.instance import contains
from primewood.questions.best_problem import Problem
from primewood.questions.shortest import Proposals, _Search, shortest

WEIGHTS = [None, {0: 3, 1: 2, 2: 4}, {0: 0.3, 1: 0.1, 2: math.pi}, {1: 1e-9}]


def mentioned(box, variables):
    return {j for j, x in enumerate(variables) if box[j] != x.everything}


def by_definition(suffices, count, weights, fixed, avoided):
    """The least weight of the sets of features that suffice; infinite if there is none."""
    weights = {j: Fraction((weights or {}).get(j, 1)) for j in range(count)}
    choices = [j for j in range(count) if j not in fixed and j not in avoided]
    sets = itertools.chain.from_iterable(itertools.combinations(choices, k) for k in range(count + 1))
    found = [sum(weights[j] for j in s) for s in sets if suffices({*s, *fixed})]
    return float(min(found, default=math.inf))


def in_table(safe, point):
    def suffices(features):
        return bool(safe[tuple(v if j in features else slice(None) for j, v in enumerate(point))].all())

    return suffices


def by_asking(oracle, point):
    def suffices(features):
        whole = [x.everything for x in oracle.variables]
        box = tuple(1 << v if j in features else whole[j] for j, v in enumerate(point))
        return oracle.counterexample(box) is Verdict.NONE_EXISTS

    return suffices


def check(found, suffices, point, variables, weights, fixed, avoided):
    """What must hold of every answer, however it was interrupted."""
    truth = by_definition(suffices, len(point), weights, fixed, avoided)
    assert contains(found.box, point)
    assert found.lower <= truth <= found.upper
    if found.features is not None:
        assert mentioned(found.box, variables) <= found.features
        assert suffices(found.features) and not found.features & set(avoided)
        assert set(fixed) <= found.features
        given = weights or {}
        exact = sum((Fraction(given.get(j, 1)) for j in found.features - set(fixed)), Fraction(0))
        assert found.upper == float(exact)
    if not found.interrupted:
        assert found.lower == found.upper == truth
        assert (found.obstacle is not None) == math.isinf(truth)


@pytest.mark.parametrize("weights", WEIGHTS, ids=["number", "whole", "fractions", "tiny"])
@pytest.mark.parametrize("literals", LANGUAGES)
def test_the_shortest_is_that_of_the_definition(literals, weights):
    asked = [((), ()), ((0,), ()), ((), (1,)), ((2,), (0,)), ((), (0, 1, 2))]
    impossible = 0
    for number, (subject, safe, point, label) in enumerate(small_models()):
        count = len(point)
        weighed = weights and {j: w for j, w in weights.items() if j < count}
        fixed, avoided = ([j for j in places if j < count] for places in asked[number % len(asked)])
        truth = primes_around(safe, subject.variables, point, literals)
        for name, engines in engines_of(subject).items():
            order = default_order(subject)
            options = {"weights": weighed, "fixed": fixed, "avoided": avoided}
            problem = Problem(
                engines.oracle(label), point, order, literals, frozenset(fixed), frozenset(avoided)
            )
            found = shortest(problem, weights=weighed)
            check(found, in_table(safe, point), point, subject.variables, *options.values())
            assert not found.interrupted, name
            impossible += found.obstacle is not None
            if found.obstacle is not None:
                assert all(found.obstacle[j] == point[j] for j in range(count) if j not in avoided)
                assert not safe[found.obstacle]
            elif not fixed:
                assert found.box in truth, "prime in its language"
    assert impossible > 5


def test_a_row_whose_own_decision_is_unsettled_has_no_explanation():
    unsettled = 0
    for subject, _, point, label in small_models():
        oracle = Engines(subject, "search", any_order=True).oracle(label)
        found = shortest(Problem(oracle, point, default_order(subject), "sets"))
        family = Engines(subject, "diagram", any_order=True).use_diagram(label).primes("sets", point)
        assert not found.interrupted and (found.obstacle is None) == bool(family)
        if family:
            assert found.upper == min(family.sizes()) and found.box in family
        else:
            assert found.obstacle == point and found.features is None
            unsettled += 1
    assert unsettled > 0


@pytest.fixture(scope="module")
def forest():
    X, y = make_classification(300, 9, n_informative=6, n_classes=4, n_clusters_per_class=1, random_state=3)
    explainer = pw.Explainer(
        RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y), X, engine="search", literals="sets"
    )
    return explainer, [explainer._model.context.read(x)[1] for x in X[:8]]


@pytest.mark.parametrize("weights", [None, {0: 2, 3: 5}, {1: 0.37, 2: 1.41, 4: 0.05, 6: math.e}])
def test_forests_with_more_features_agree_with_all_their_subsets(forest, weights):
    explainer, points = forest
    for number, point in enumerate(points):
        oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
        options = {
            "weights": weights,
            "fixed": [[], [0], []][number % 3],
            "avoided": [[], [4], [1]][number % 3],
        }
        held = {name: frozenset(options[name]) for name in ("fixed", "avoided")}
        problem = Problem(oracle, point, default_order(explainer._model.subject), "sets", **held)
        found = shortest(problem, weights=options["weights"])
        assert not found.interrupted
        check(found, by_asking(oracle, point), point, oracle.variables, *options.values())


def test_the_fewest_features_are_the_same_in_every_language_and_engine():
    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    order = default_order(explainer._model.subject)
    diagram = Engines(explainer._model.subject, "diagram")
    for x in X[::40]:
        point = explainer._model.context.read(x)[1]
        label = explainer._model.engines.decide(point)
        for literals in LANGUAGES:
            found = shortest(Problem(explainer._model.engines.oracle(label), point, order, literals))
            family = diagram.use_diagram(label).primes(literals, point)
            assert not found.interrupted and found.upper == min(family.sizes())
            assert found.box in family


@pytest.mark.parametrize("literals", LANGUAGES)
def test_what_is_excluded_has_a_witness(forest, literals):
    explainer, points = forest
    for point in points[:3]:
        oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
        found = shortest(Problem(oracle, point, default_order(explainer._model.subject), literals))
        witnesses = found.find_witnesses()
        assert {j for j, _ in witnesses} == mentioned(found.box, oracle.variables) == found.features
        for (j, v), outside in witnesses.items():
            assert outside[j] == v and not found.box[j] >> v & 1 and not oracle.holds(outside)
            rest = (*found.box[:j], 1 << v, *found.box[j + 1 :])
            assert contains(rest, outside)


@pytest.mark.parametrize("nodes", [1, 3, 10, 40, 200])
@pytest.mark.parametrize("literals", LANGUAGES)
def test_interrupted_answers_are_sound(forest, literals, nodes):
    explainer, points = forest
    order = default_order(explainer._model.subject)
    for point in points[:3]:
        oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
        for avoided in ([], [4]):
            found = shortest(
                Problem(oracle, point, order, literals, avoided=frozenset(avoided)),
                clock=Clock(work_limit=nodes),
            )
            check(found, by_asking(oracle, point), point, oracle.variables, None, [], avoided)
            assert oracle.counterexample(found.box) is Verdict.NONE_EXISTS


def test_bounds_close_in_with_time():
    X, y = load_breast_cancer(return_X_y=True)
    explainer = pw.Explainer(
        RandomForestClassifier(30, max_depth=4, random_state=0).fit(X, y), X, engine="search", literals="sets"
    )
    order = default_order(explainer._model.subject)
    point = explainer._model.context.read(X[1])[1]
    oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
    truth = shortest(Problem(oracle, point, order))
    assert not truth.interrupted
    for seconds in (0.0, 0.001, 0.01, 0.05, 0.1, 0.3):
        found = shortest(Problem(oracle, point, order, "sets"), clock=Clock(seconds))
        assert found.lower <= truth.upper <= found.upper
        assert oracle.counterexample(found.box) is Verdict.NONE_EXISTS


@pytest.mark.parametrize("weights", [None, {0: 2, 3: 5}, {1: 0.37, 2: 1.41, 4: 0.05, 6: math.e}])
def test_the_lower_bound_is_what_the_known_contrasts_show(forest, weights):
    explainer, points = forest
    for point in points[:4]:
        oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
        weighed = [Fraction((weights or {}).get(j, 1)) for j in range(len(point))]
        search = _Search(Problem(oracle, point, default_order(explainer._model.subject)), weighed)
        search.run(Clock())
        truth = search.upper
        search.lower, search.upper = Fraction(0), sum(weighed) + 5
        search._too_heavy.clear()  # they were no lighter than the upper bound of then
        search._ascend(Clock())
        assert search.lower <= truth
        assert truth - search.lower <= (0 if search.scale.exact else len(point) * search.scale.unit)


def test_proposals_leave_out_nothing():
    generator = np.random.default_rng(0)
    for _ in range(60):
        count = int(generator.integers(4, 12))
        units = generator.integers(0 if generator.random() < 0.3 else 1, 4, count).tolist()
        contrasts = [
            sum(1 << int(j) for j in generator.permutation(count)[: generator.integers(1, 5)])
            for _ in range(20)
        ]
        heavy = [
            sum(u for u, j in zip(units, range(count), strict=True) if s >> j & 1) for s in range(1 << count)
        ]
        least = min(heavy[s] for s in range(1 << count) if all(s & c for c in contrasts))
        for most in range(-1, sum(units) + 1):
            found = Proposals(range(count), units, most, contrasts, []).next(Clock())
            if most < least:
                assert found is Verdict.NONE_EXISTS
            else:
                assert heavy[found] <= most and all(found & c for c in contrasts)


def test_every_proposal_comes_before_none_is_left():
    contrasts = [0b00011, 0b01100, 0b10001]
    proposals = Proposals(range(5), [1] * 5, 3, contrasts, [])
    seen = []
    while isinstance(found := proposals.next(Clock()), int):
        seen.append(found)
        proposals.forbid(found)
    hitting = {s for s in range(32) if s.bit_count() <= 3 and all(s & c for c in contrasts)}
    assert all(any(s & small == small for small in seen) for s in hitting) and set(seen) <= hitting


@pytest.mark.parametrize("weights", [{0: 0}, {0: -1.0}, {1: math.inf}, {0: math.nan}, {0: "1"}])
def test_weights_are_positive_numbers(forest, weights):
    explainer, points = forest
    with pytest.raises(InvalidInput, match="positive"):
        shortest(
            Problem(explainer._model.engines.oracle(0), points[0], default_order(explainer._model.subject)),
            weights=weights,
        )


def test_no_feature_is_fixed_and_avoided(forest):
    explainer, points = forest
    with pytest.raises(InvalidInput, match="both"):
        shortest(
            Problem(
                explainer._model.engines.oracle(0),
                points[0],
                default_order(explainer._model.subject),
                fixed=frozenset([1]),
                avoided=frozenset([1]),
            )
        )


def test_the_answer_is_the_same_every_time(forest):
    explainer, points = forest
    order = default_order(explainer._model.subject)
    for point in points[:2]:
        oracle = explainer._model.engines.oracle(explainer._model.engines.decide(point))
        assert shortest(Problem(oracle, point, order)) == shortest(Problem(oracle, point, order))


@pytest.mark.parametrize("work_limit", [1, 2, 5, 10])
def test_the_second_bound_is_what_the_answer_weighs_also_when_it_is_interrupted(forest, work_limit):
    explainer, _ = forest
    row = explainer.rows[0]
    weights = {name: 0.5 + i for i, name in enumerate(explainer.ensemble.feature_names)}
    why = explainer.explain(row, goal="shortest", weights=weights, time_limit=None, work_limit=work_limit)
    assert why.bounds[1] == pytest.approx(sum(weights[name] for name in why.features))
