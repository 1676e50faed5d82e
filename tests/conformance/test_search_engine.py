"""The search engine against brute force over all cells, and against `model.predict` itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from conformance.universes import LANGUAGES
from primewood.domain import DomainRecipe, EnsembleSubject, domain_of
from primewood.engines.protocol import Clock, Verdict, WeakeningPlan
from primewood.engines.search.oracle import SearchForest
from primewood.ensemble import Ensemble, Tree
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains, points
from primewood.questions.weakening import _Run, drop_each, weaken
from primewood.readers import read

MOST_CELLS = 20_000


class CellOracle:
    """The oracle by brute force: a table of decisions that `model.predict` made."""

    def __init__(self, table, variables, label):
        self.table, self.variables, self.label = table, variables, label

    def holds(self, point):
        return self.table[point] == self.label

    def counterexample(self, box, clock=None):
        return next((p for p in points(box) if self.table[p] != self.label), Verdict.NONE_EXISTS)


def small_forest(seed, vote):
    """A forest on few rows: many equal fractions and ties, two to four classes, some with missing values."""
    generator = np.random.default_rng(seed)
    classes, features = 2 + seed % 3, 2 + seed % 2
    size = (12, 18, 30)[seed % 3]
    X = (
        generator.normal(size=(size, features))
        if seed % 2
        else generator.integers(0, 4, (size, features)) * 1.0
    )
    if seed % 5 == 0:
        X[generator.random(X.shape) < 0.2] = np.nan
    y = generator.integers(0, classes, size)
    y[:classes] = range(classes)
    kind = ExtraTreesClassifier if seed % 7 >= 5 else RandomForestClassifier
    weights = "balanced" if seed % 4 == 1 else None
    trees = int(generator.integers(2, 13))
    options = {"max_depth": 2 + seed % 2, "class_weight": weights, "min_samples_leaf": 1 + seed % 3 // 2}
    model = kind(trees, random_state=seed, **options).fit(X, y)
    if vote == "groups":
        model = small_group(seed, generator).fit(X, y)
    ensemble = read(model).use_majority() if vote == "majority" else read(model)
    return model, EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(X))), X


def small_group(seed, generator):
    """Bagging over some of the columns, or a vote of trees and forests with weights that round."""
    one_tree = DecisionTreeClassifier(max_depth=2 + seed % 2, random_state=seed)
    if seed % 3 == 0:
        return BaggingClassifier(one_tree, 2 + seed % 7, max_features=0.7, random_state=seed)
    members = [
        (f"tree {i}", DecisionTreeClassifier(max_depth=2, random_state=i)) for i in range(2 + seed % 4)
    ]
    voting = "hard" if seed % 4 == 0 else "soft"
    if voting == "soft":
        members.insert(1, ("forest", RandomForestClassifier(3, max_depth=2, random_state=seed)))
    choices = [None, [1 + i % 3 for i in range(len(members))], generator.random(len(members)).tolist()]
    members = [(name, member.set_params(max_features=0.6)) for name, member in members]
    return VotingClassifier(members, voting=voting, weights=choices[seed % 5 % 3])


def decisions_of_all_cells(model, subject):
    sizes = [len(x) for x in subject.variables]
    if not sizes or np.prod(sizes, dtype=float) > MOST_CELLS:
        return None
    rows = np.array([subject.row_in(p) for p in itertools.product(*map(range, sizes))])
    decided = subject.ensemble.predict(rows)
    if subject.ensemble.vote == "mean" or isinstance(model, VotingClassifier):
        assert (model.classes_[decided] == model.predict(rows)).all()
    return decided.reshape(sizes)


def near_ties(subject, sizes, most=3):
    """Cells whose two best scores differ by rounding only, if at all: there the float sum decides."""
    everything = list(itertools.product(*map(range, sizes)))
    scores = np.sort(subject.ensemble.predict_proba([subject.row_in(p) for p in everything]), axis=1)
    close = np.flatnonzero(scores[:, -1] - scores[:, -2] < 1e-12)
    return [everything[i] for i in close[:: max(1, len(close) // most)]][:most]


def check_forest(seed, vote, *, bound_alone=False):
    """Brute force over all cells; with `bound_alone`, the Lagrangian search must answer everything."""
    model, subject, X = small_forest(seed, vote)
    table = decisions_of_all_cells(model, subject)
    if table is None:
        return 0
    generator = np.random.default_rng(seed)
    forest = SearchForest(subject)
    if bound_alone:
        forest.native.options.patience, forest.native.options.local_search = 0, False
    sizes, checked = table.shape, 0
    starts = [subject.domain.point(row) for row in X[:4]] + near_ties(subject, sizes)
    for point in starts:
        label = int(table[point])
        oracle, truth = forest.oracle(label), CellOracle(table, subject.variables, label)
        order = generator.permutation(len(sizes)).tolist()
        for literals in LANGUAGES:
            found = weaken(oracle, point, WeakeningPlan(drop_each(order, sizes), order, literals))
            run = _Run(truth, point, literals, Clock())
            for step in drop_each(order, sizes):
                run.take(step)
            for j in order:
                run.widen(j)
            assert not found.interrupted and found.box == tuple(run.box), (seed, literals)
            for (j, v), other in found.find_witnesses().items():
                assert other[j] == v and table[other] != label
                assert all(found.box[k] >> other[k] & 1 for k in range(len(sizes)) if k != j)
            if sum(sizes) < 18:
                primes = prime_boxes(table == label, subject.variables, literals)
                assert found.box in [box for box in primes if contains(box, point)]
            checked += 1
        for _ in range(10):
            box = tuple(int(generator.integers(1, 1 << n)) for n in sizes)
            reply = oracle.counterexample(box)
            if truth.counterexample(box) is Verdict.NONE_EXISTS:
                assert reply is Verdict.NONE_EXISTS
            else:
                assert contains(box, reply) and table[reply] != label
            for other in range(len(subject.labels)):
                reply = forest.oracle(other).example(box)
                if any(table[p] == other for p in points(box)):
                    assert contains(box, reply) and table[reply] == other
                else:
                    assert reply is Verdict.NONE_EXISTS
    return checked


@pytest.mark.parametrize("vote", ["mean", "majority", "groups"])
@pytest.mark.parametrize("part", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in (1, 2, 3))])
def test_small_forests_agree_with_brute_force_over_all_cells(part, vote):
    assert sum(check_forest(seed, vote) for seed in range(part * 60, part * 60 + 60)) > 400


@pytest.mark.parametrize("vote", ["mean", "majority", "groups"])
def test_the_strong_bound_alone_agrees_with_brute_force(vote):
    assert sum(check_forest(seed, vote, bound_alone=True) for seed in range(2000, 2060)) > 400


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4, 30))
def test_thousands_of_small_forests_agree_with_brute_force(part):
    for vote in ("mean", "majority", "groups"):
        assert sum(check_forest(seed, vote) for seed in range(part * 60, part * 60 + 60)) > 400
        alone = (check_forest(seed, vote, bound_alone=True) for seed in range(part * 60, part * 60 + 60))
        assert sum(alone) > 400


@pytest.mark.parametrize(("seed", "vote"), [(1187, "mean"), (643, "majority")])
def test_a_search_that_takes_values_out_goes_on_with_those_that_are_left(seed, vote):
    # In these forests, a node was once narrowed to values of a variable that had all been taken out of the box.
    assert check_forest(seed, vote, bound_alone=True) > 0


def test_all_explanations_by_duality_agree_with_brute_force():
    checked = 0
    for seed in range(30):
        model, subject, X = small_forest(seed, "mean")
        table = decisions_of_all_cells(model, subject)
        if table is None or sum(table.shape) > 18:
            continue
        forest = SearchForest(subject)
        for row in X[:3]:
            point = subject.domain.point(row)
            label = int(table[point])
            for literals in LANGUAGES:
                primes = prime_boxes(table == label, subject.variables, literals)
                truth = sorted(box for box in primes if contains(box, point))
                assert sorted(forest.oracle(label).primes(literals, point)) == truth
                checked += 1
    assert checked > 100


def test_leaves_with_equal_margins_and_other_values_are_not_one_leaf():
    """(1/2, 1/2) and (0, 0) have the same margin, but not the same float sum with what is left and right."""
    stub = Tree.build
    ensemble = Ensemble(
        (stub([0.3, 0.1]), stub([0.0, 0.2]), stub((0, 0.5, [0.5, 0.5], (0, 1.5, [0.5, 0.5], [0.0, 0.0])))),
        ("x", "y"),
        ("a", "b"),
        vote="mean",
    )
    assert ensemble.predict([[0, 0], [1, 0], [2, 0]]).tolist() == [0, 0, 1]
    assert pw.Explainer(ensemble, literals="sets").explain([0.0, 0.0]).rule == "IF x <= 1.5 THEN a"


def test_a_near_tie_of_three_classes_is_settled_cell_by_cell():
    generator = np.random.default_rng(398)
    classes, size, width = (int(generator.integers(*r)) for r in ((2, 5), (8, 31), (1, 4)))
    X = generator.integers(0, int(generator.integers(3, 8)), (size, width)).astype(float)
    y = generator.integers(0, classes, size)
    y[:classes] = range(classes)
    model = ExtraTreesClassifier(7, random_state=398, min_samples_leaf=2, bootstrap=False).fit(X, y)
    row, other = [3.8007162809371944, 2.7802258729934692], [3.6844178438186646, 2.6328622102737427]
    assert model.predict([row, other]).tolist() == [2, 1]
    for literals in LANGUAGES:
        assert (
            not pw.Explainer(model, X, literals="sets").explain(row, literals=literals).covers([other]).any()
        )


def test_a_decision_that_depends_on_the_order_of_summation_is_not_called_proved():
    trees = [Tree.build((0, 0.5, [p, q], [0.0, 1.0])) for p, q in ((0.1, 0.2), (0.2, 0.3), (0.3, 0.1))]
    forwards = Ensemble(tuple(trees), ("x",), ("a", "b"), vote="mean")
    backwards = Ensemble(tuple(trees[::-1]), ("x",), ("a", "b"), vote="mean")
    assert forwards.predict([[0.0]]) != backwards.predict([[0.0]])
    why = pw.Explainer(forwards, summation="any", literals="sets").explain([0.0])
    assert why.status == pw.Status.IMPOSSIBLE and "order in which scores are added" in str(why)
    hurried = pw.Explainer(forwards, summation="any", literals="sets").explain([0.0], time_limit=1e-6)
    assert hurried.status == pw.Status.IMPOSSIBLE, "the row's own cell is looked at whatever the time"
    assert pw.Explainer(forwards, literals="sets").explain([0.0]).status == pw.Status.PROVED
