"""The widest explanations, against all prime boxes by definition, and on forests of a real size."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    LANGUAGES,
    Table,
    random_tree,
    subject_of,
)
from conformance.universes import UNIVERSES, OracleMaker, TableOracle, cells, random_tables
from primewood.domain import DomainRecipe, EnsembleSubject, default_order, domain_of
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Verdict
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains
from primewood.logic.language import weakenings
from primewood.questions import best
from primewood.questions.best_problem import Problem
from primewood.questions.widest import RowsCovered, ShareCovered, Tuning, coverage_of, rivals_of, widest

NAMES = ["none", "clause", "order", "both"]


def covered_by_hand(box, coverage):
    """What a box covers, without the search's own way of counting."""
    if isinstance(coverage, RowsCovered):
        return sum(min(row, default=0) >= 0 and contains(box, row) for row in coverage.points.tolist())
    return math.prod(
        sum(share for v, share in enumerate(shares) if mask >> v & 1)
        for mask, shares in zip(box, coverage.shares, strict=True)
    )


def coverages(variables, generator):
    """Rows with repetitions and one outside all cells, and shares of which some are zero."""
    points = np.array([[generator.integers(len(x)) for x in variables] for _ in range(40)], dtype=np.int64)
    points[0, :1] = -1
    shares = []
    for x in variables:
        drawn = generator.random(len(x)) * (generator.random(len(x)) < 0.8)
        drawn[generator.integers(len(x))] += 0.1
        shares.append(drawn / drawn.sum())
    return [RowsCovered(points, variables), ShareCovered(shares)]


def check(found, primes, coverage, *, exact=True):
    """A prime box, counted rightly, with a bound that holds, and the widest if it says so."""
    most = max(covered_by_hand(box, coverage) for box in primes)
    assert found.entails and found.prime and found.box in primes
    assert found.covered == pytest.approx(covered_by_hand(found.box, coverage), rel=1e-9)
    assert found.upper is None or found.upper >= most * (1 - 1e-9)
    if found.proved:
        assert found.covered == pytest.approx(most, rel=1e-6)
    assert found.proved or not exact


def four_classes(seed):
    """Sums over four classes, halves and wholes, so that many cells are ties."""
    generator = np.random.default_rng(seed)
    trees = tuple(random_tree(generator, 2, 4, t % 4, [-0.5, 0.5, 1.0]) for t in range(8))
    ensemble = Ensemble(
        trees,
        ("x", "y", "z"),
        operator="<",
        dtype="float64",
        allows_missing=True,
        vote="sum",
        start=(0.0,) * 4,
        precision="float64",
        classes=("a", "b", "c", "d"),
    )
    return EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(declared={"z": CODES})))


def picked(table, generator, count):
    """Possible cells, those with missing values first."""
    possible = [cell for cell in table.cells if table.decision[cell] >= 0]
    drawn = [possible[i] for i in generator.permutation(len(possible))]
    missing = [x.missing for x in table.variables]
    return (
        sorted(drawn, key=lambda cell: -sum(v == m for v, m in zip(cell, missing, strict=True)))[:1]
        + drawn[:count]
    )


def compare_with_all_primes(subject, constraints, seed, count=1):
    table, engines = Table(subject, constraints), Engines(subject, "search")
    generator = np.random.default_rng(seed)
    for point in picked(table, generator, count):
        label = table.decision[point]
        for language in LANGUAGES:
            primes = table.primes(point, label, language)
            for coverage in coverages(subject.variables, generator):
                found = widest(
                    Problem(engines.oracle(label), point, default_order(subject), language),
                    coverage,
                    rivals=rivals_of(engines, label),
                    tuning=Tuning(patience=5),
                )
                check(found, primes, coverage)
                excluded = {
                    (j, v)
                    for j, x in enumerate(subject.variables)
                    for v in range(len(x))
                    if not found.box[j] >> v & 1
                }
                assert language != "sets" or found.find_witnesses().keys() == excluded
                for (j, v), witness in found.find_witnesses().items():
                    assert witness[j] == v and not found.box[j] >> v & 1
                    assert contains([m | 1 << v if i == j else m for i, m in enumerate(found.box)], witness)
                    assert table.decision[witness] not in (label, -1)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("seed", range(8))
def test_the_widest_of_all_primes_is_found_and_proved(seed, constraints):
    compare_with_all_primes(subject_of(seed, constraints), constraints, seed)


@pytest.mark.parametrize("seed", range(6))
def test_the_same_with_four_classes_and_ties(seed):
    compare_with_all_primes(four_classes(seed), None, seed)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("seed", range(8, 60))
def test_the_widest_of_all_primes_on_more_models(seed, constraints):
    compare_with_all_primes(subject_of(seed, constraints), constraints, seed, 3)
    compare_with_all_primes(four_classes(seed), None, seed, 3)


@pytest.mark.parametrize("name", UNIVERSES)
def test_every_kind_of_oracle_will_do(name):
    variables = UNIVERSES[name]
    generator, maker = np.random.default_rng(0), OracleMaker(variables)
    for decision in random_tables(variables, 4, seed=1):
        truth = TableOracle(decision, variables)
        inside = [cell for cell in cells(variables) if truth.holds(cell)]
        if not inside:
            continue
        point = inside[generator.integers(len(inside))]
        for language in LANGUAGES:
            primes = truth.primes(language, point)
            for coverage in coverages(variables, generator):
                for oracle in (truth, *maker.all(decision).values()):
                    found = widest(
                        Problem(oracle, point, range(len(variables)), language),
                        coverage,
                        tuning=Tuning(patience=3),
                    )
                    check(found, primes, coverage)


def primes_given(table, point, label, language, fixed, avoided):
    """The prime boxes with some variables kept and some free: those of a table without these axes."""
    truth = np.zeros([len(x) for x in table.variables], dtype=bool)
    for cell, decision in table.decision.items():
        truth[cell] = decision in (label, -1)
    for j in range(len(point) - 1, -1, -1):
        truth = truth.take(point[j], j) if j in fixed else truth.all(j) if j in avoided else truth
    left = [j for j in range(len(point)) if j not in fixed | avoided]
    found = []
    for part in prime_boxes(truth, [table.variables[j] for j in left], language):
        box = [1 << v if j in fixed else table.variables[j].everything for j, v in enumerate(point)]
        for j, mask in zip(left, part, strict=True):
            box[j] = mask
        found.append(tuple(box))
    return [box for box in found if contains(box, point)]


@pytest.mark.parametrize("seed", range(8))
def test_fixed_variables_are_kept_and_avoided_ones_are_free(seed):
    constraints = CONSTRAINTS[seed % 4]
    subject = subject_of(seed, constraints)
    table, engines = Table(subject, constraints), Engines(subject, "search")
    generator = np.random.default_rng(seed)
    for point in picked(table, generator, 2):
        label = table.decision[point]
        n = len(subject.variables)
        places = generator.permutation(n).tolist()
        fixed, avoided = frozenset(places[:1]), frozenset(places[1:2])
        for language in LANGUAGES:
            primes = primes_given(table, point, label, language, fixed, avoided)
            for coverage in coverages(subject.variables, generator):
                found = widest(
                    Problem(
                        engines.oracle(label),
                        point,
                        default_order(subject),
                        language,
                        fixed=frozenset(fixed),
                        avoided=frozenset(avoided),
                    ),
                    coverage,
                    rivals=rivals_of(engines, label),
                    tuning=Tuning(patience=5),
                )
                if primes:
                    check(found, primes, coverage)
                else:
                    assert not found.proved and found.upper is None
                    assert engines.oracle(label).counterexample(found.box) is Verdict.NONE_EXISTS


def asked(explainer, x, literals, measure, **options):
    _, point = explainer._model.context.read(x)
    label = explainer._model.engines.decide(point)
    oracle = explainer._model.engines.oracle(label)
    coverage = coverage_of(explainer._model.context, measure)
    options.setdefault("rivals", rivals_of(explainer._model.engines, label))
    order = default_order(explainer._model.subject)
    tuning = Tuning(**{name: options.pop(name) for name in ("seed", "patience", "prove") if name in options})
    problem = Problem(oracle, point, order, literals)
    return oracle, point, widest(problem, coverage, tuning=tuning, **options)


@pytest.fixture(scope="module")
def forest():
    X, y = load_breast_cancer(return_X_y=True)
    return pw.Explainer(
        RandomForestClassifier(25, max_depth=4, random_state=0).fit(X, y), X, literals="sets"
    ), X


@pytest.mark.parametrize("literals", LANGUAGES)
def test_on_a_real_forest_the_box_is_prime_and_wider_than_the_first(forest, literals):
    explainer, X = forest
    for measure in ("rows", "volume", "values"):
        before = after = 0.0
        for x in X[[3, 7]]:
            _, _, first = asked(explainer, x, literals, measure, patience=0, prove=False)
            oracle, point, found = asked(explainer, x, literals, measure, patience=15, prove=False)
            assert found.prime and not found.proved and found.upper is None
            assert contains(found.box, point)
            assert oracle.counterexample(found.box) is Verdict.NONE_EXISTS
            for j, variable in enumerate(explainer._model.context.variables):
                for weaker in weakenings(variable, found.box[j], literals):
                    box = tuple(weaker if i == j else mask for i, mask in enumerate(found.box))
                    assert isinstance(oracle.counterexample(box), tuple)
            before, after = before + first.covered, after + found.covered
        assert after > before or literals == "values" or measure == "rows"


def test_the_same_seed_gives_the_same_box(forest):
    explainer, X = forest
    found = [
        asked(explainer, X[3], "sets", "volume", patience=15, prove=False, seed=seed)[2] for seed in (1, 1, 2)
    ]
    assert found[0].box == found[1].box != found[2].box


def test_the_same_seed_gives_the_same_proof():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    found = [
        asked(pw.Explainer(model, X, literals="sets"), X[60], "intervals", "rows", clock=Clock(None, 10_000))[
            2
        ]
        for _ in range(2)
    ]
    assert found[0].proved and found[0].upper == found[0].covered
    assert (found[0].box, found[0].upper, found[0].queries) == (
        found[1].box,
        found[1].upper,
        found[1].queries,
    )


@pytest.mark.parametrize(
    ("literals", "measure"),
    [
        pytest.param(literals, measure, marks=pytest.mark.slow if literals == measure else ())
        for literals in LANGUAGES
        for measure in ("rows", "volume", "values")
    ],
)
def test_interrupted_searches_still_entail_the_decision(forest, literals, measure):
    explainer, X = forest
    for clock in (Clock(None, 1), Clock(None, 20), Clock(1e-9), Clock(0.05)):
        oracle, point, found = asked(explainer, X[11], literals, measure, patience=5, clock=clock)
        assert contains(found.box, point) and (found.entails or found.box == tuple(1 << v for v in point))
        assert oracle.counterexample(found.box) is Verdict.NONE_EXISTS
        assert found.upper is None or found.upper >= found.covered


def test_a_model_that_compiles_agrees_about_what_is_widest():
    X, y = load_iris(return_X_y=True)
    explainer = pw.Explainer(
        RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y), X, engine="search", literals="sets"
    )
    family = explainer.compile()
    for x in X[[0, 60, 120]]:
        for literals, measure in (("sets", "rows"), ("intervals", "volume"), ("values", "values")):
            _, _, found = asked(explainer, x, literals, measure, clock=Clock(20))
            best = family.explanations(x, literals=literals).widest_by(measure)
            box = best.term.box(explainer._model.context.variables)
            assert found.upper >= coverage_of(explainer._model.context, measure).of(box) * (1 - 1e-9)
            if found.proved:
                assert found.covered == pytest.approx(
                    coverage_of(explainer._model.context, measure).of(box), rel=1e-6
                )


def test_where_any_order_of_summation_counts_nothing_is_claimed_for_a_row_that_depends_on_it():
    seen = set()
    for seed in (4, 5, 7, 10, 11):
        subject = subject_of(seed, None)
        table, engines = Table(subject, None), Engines(subject, "search", any_order=True)
        coverage = coverages(subject.variables, np.random.default_rng(seed))[0]
        for point in table.cells[::7]:
            label, oracle = table.decision[point], engines.oracle(table.decision[point])
            found = widest(
                Problem(oracle, point, default_order(subject), "sets"),
                coverage,
                rivals=rivals_of(engines, label),
            )
            own = tuple(1 << v for v in point)
            assert found.entails == (oracle.counterexample(own) is Verdict.NONE_EXISTS)
            assert found.entails == (oracle.counterexample(found.box) is Verdict.NONE_EXISTS)
            assert found.proved == found.entails and (found.entails or found.upper is None)
            if found.entails:
                primes = list(oracle.primes("sets", point))
                check(found, primes, coverage)
            seen.add(found.entails)
    assert seen == {True, False}


def test_a_variable_without_any_share_bounds_nothing():
    """As of a column that is missing in all training rows: restricted it covers nothing, free it does."""
    for decision in random_tables(UNIVERSES["two ternary variables"], 8, seed=3):
        truth = TableOracle(decision, UNIVERSES["two ternary variables"])
        coverage = ShareCovered([np.zeros(3), np.array([0.2, 0.0, 0.8])])
        for point in filter(truth.holds, cells(truth.variables)):
            for language in LANGUAGES:
                found = widest(Problem(truth, point, (0, 1), language), coverage, tuning=Tuning(patience=3))
                most = max(coverage.of(box) for box in truth.primes(language, point))
                assert found.upper >= most and (not found.proved or found.covered == pytest.approx(most))


def test_measures_are_checked():
    X, y = load_iris(return_X_y=True)
    context = pw.Explainer(
        RandomForestClassifier(3, random_state=0).fit(X, y), literals="sets"
    )._model.context
    assert coverage_of(context, "values").of(tuple(x.everything for x in context.variables)) == 1.0
    with pytest.raises(InvalidInput, match="needs training rows"):
        coverage_of(context, "rows")
    with pytest.raises(InvalidInput, match="the measure must be"):
        coverage_of(context, "area")


def test_a_box_that_no_other_covers_more_than_is_proved_only_if_it_is_prime(monkeypatch):
    """A limit can come after the bounds have met and before the box is prime."""
    tree = pw.Tree.build((0, 0.5, [1.0, 0.0], (1, 0.5, [1.0, 0.0], [0.0, 1.0])))
    explainer = pw.Explainer(pw.Ensemble((tree, tree), ("a", "b"), ("no", "yes")), engine="search")
    asked = {"goal": "widest", "measure": "values", "time_limit": None}
    assert explainer.explain([1, 1], **asked).status == "proved"
    honest = best.widest
    monkeypatch.setattr(
        best, "widest", lambda *args, **options: replace(honest(*args, **options), prime=False)
    )
    why = explainer.explain([1, 1], **asked)
    assert why.status == "interrupted" and why.bounds[0] == why.bounds[1]
