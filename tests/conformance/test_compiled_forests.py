"""Compiled forests against the reference: a diagram says at every cell what `predict` says, to the last float."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from conformance.universes import LANGUAGES, cells
from primewood.domain import DomainRecipe, EnsembleSubject, domain_of
from primewood.engines.diagram.compiler import Budget, compile_ensemble
from primewood.engines.diagram.oracle import DiagramOracle
from primewood.engines.protocol import WeakeningPlan
from primewood.engines.search.oracle import SearchForest
from primewood.ensemble import Ensemble, Group, Tree
from primewood.errors import InvalidInput, TooLarge
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains
from primewood.questions.weakening import drop_each, weaken
from primewood.readers import read

FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1 / 3, 2 / 3, 1 / 7)
TINY = (0.0, 1e-17, 3e-17, 1e-300, 5e-324)
THRESHOLDS = (0.5, 1.5, 2.5)
ULP = 2.0**-53


# Forests in which rounding decides


def fractions(classes, generator):
    """Any fractions, such as trees on small samples have."""
    return generator.choice(FRACTIONS, classes)


def parts_of_one(classes, generator):
    """Permutations of few vectors: their sums tie in the reals, and in floats depend on the order."""
    vector = [(0.1, 0.9), (0.1, 0.2, 0.7), (0.1, 0.2, 0.3, 0.4)][classes - 2]
    return generator.permutation(vector)


def exact_and_not(classes, generator):
    """Halves and quarters, which add exactly, among thirds and tenths."""
    return generator.choice((0.0, 0.25, 0.5, 1.0, 0.1, 1 / 3), classes)


def neighbours(classes, generator):
    """Floats next to each other, which the integers of the vote cannot always tell apart."""
    return generator.choice((0.3, math.nextafter(0.3, 1), math.nextafter(0.3, 0), 0.1 + 0.2), classes)


def tiny(classes, generator):
    """Values far below the unit of the integers; alone they decide all the same."""
    return generator.choice(TINY, classes)


LEAVES = {f.__name__: f for f in (fractions, parts_of_one, exact_and_not, neighbours, tiny)}


def random_tree(features, depth, leaf, generator, thresholds=THRESHOLDS):
    if depth == 0 or generator.random() < 0.2:
        return leaf().tolist()
    below = [random_tree(features, depth - 1, leaf, generator, thresholds) for _ in range(2)]
    return (int(generator.integers(features)), generator.choice(thresholds), *below)


def turned(tree, steps):
    """The same tests, with the leaves' values moved on by some classes."""
    if isinstance(tree, list):
        return [*tree[steps:], *tree[:steps]]
    return (*tree[:2], *(turned(child, steps) for child in tree[2:]))


def exchanged(tree):
    """The same tree with its sides exchanged: what one of the two adds on the left, the other adds on the right."""
    return tree if isinstance(tree, list) else (*tree[:2], exchanged(tree[3]), exchanged(tree[2]))


def random_trees(kind, features, classes, generator):
    """One to twelve trees. Most come with all their turned images, so that all classes tie at all cells."""
    nested = []
    for _ in range(int(generator.integers(1, 6))):
        depth = int(generator.integers(0, 4))
        tree = random_tree(features, depth, lambda: LEAVES[kind](classes, generator), generator)
        trees = [tree, exchanged(tree)] if generator.random() < 0.3 else [tree]
        turns = range(classes) if generator.random() < 0.7 else range(1)
        nested += [turned(one, steps) for one in trees for steps in turns]
    return [Tree.build(nested[i]) for i in generator.permutation(len(nested))[:12]]


def random_subject(kind, seed, *, vote="mean", grouped=False, with_codes=False):
    """An ensemble of hand-made trees over one to four columns, and its domain."""
    generator = np.random.default_rng([seed, list(LEAVES).index(kind)])
    features, classes = int(generator.integers(1, 5)), int(generator.integers(2, 5))
    trees = random_trees(kind, features, classes, generator)
    missing = bool(generator.random() < 0.3)
    if missing:
        trees = [replace(t, missing_left=generator.random(len(t)) < 0.5) for t in trees]
    names = tuple(f"f{i}" for i in range(features))
    ensemble = Ensemble(
        tuple(trees),
        names,
        tuple(range(classes)),
        operator=str(generator.choice(["<=", "<"])),
        dtype=str(generator.choice(["float32", "float64"])),
        allows_missing=missing,
        vote=vote,
        **(random_groups(len(trees), generator) if grouped else {}),
    )
    kinds = ["numeric", "boolean", [0, 1, 2], {0: "r", 1: "g", 2.5: "b", 3: "w"}]
    declared = {name: kinds[generator.integers(4)] for name in names} if with_codes else None
    return EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(declared=declared)))


def random_groups(count, generator):
    """Groups of one or more trees, with weights that round."""
    groups = []
    while count > 0:
        size = int(generator.integers(1, count + 1))
        groups.append(Group(size, float(generator.choice([1.0, 0.3, 2.0, 1 / 3, 0.7]))))
        count -= size
    return {"groups": tuple(groups), "divisor": generator.choice([None, 3.0, 0.7, 10.0])}


# What is expected


def points_of_all_cells(subject):
    everywhere = cells(subject.variables)
    return np.array(everywhere, dtype=np.int64).reshape(len(everywhere), len(subject.variables))


def rows_of_all_cells(subject):
    return np.array([subject.row_in(point) for point in cells(subject.variables)])


def exact_scores(ensemble, rows):
    """The scores of the classes in the reals, one list of fractions per row."""
    scores = [[Fraction(0)] * len(ensemble.classes) for _ in rows]
    groups = [group for group in ensemble.summands for _ in range(group.size)]
    for tree, values, group in zip(ensemble.trees, ensemble.leaf_values, groups, strict=True):
        share = Fraction(1) if group.size == 1 else Fraction(group.weight) / group.size
        for row, leaf in enumerate(tree.apply(rows, ensemble.operator, ensemble.dtype)):
            scores[row] = [s + share * Fraction(v) for s, v in zip(scores[row], values[leaf], strict=True)]
    return scores


def margin(scores):
    first, second = sorted(scores, reverse=True)[:2]
    return first - second


def check_every_cell(subject):
    """The diagram in an order that was looked for and in a given one; returns how often rounding decided."""
    points, rows = points_of_all_cells(subject), rows_of_all_cells(subject)
    reference = subject.ensemble.predict(rows)
    diagram = compile_ensemble(subject)
    diagram.check()
    assert diagram.decide_all(points).tolist() == reference.tolist()
    assert diagram.counts() == np.bincount(reference, minlength=len(subject.labels)).tolist()
    order = np.random.default_rng(len(rows)).permutation(len(subject.variables)).tolist()
    given = compile_ensemble(subject, order=order)
    given.check()
    assert given.order == tuple(order)
    assert given.decide_all(points).tolist() == reference.tolist()
    return diagram.making.settled


def check_any_order(subject, generator):
    """The terminal after the classes stands only where rounding can decide, and elsewhere no order matters."""
    points, rows = points_of_all_cells(subject), rows_of_all_cells(subject)
    ensemble, nobody = subject.ensemble, len(subject.labels)
    decided = compile_ensemble(subject, any_order=True).decide_all(points)
    reference = ensemble.predict(rows)
    assert (decided == reference)[decided != nobody].all()
    scores = exact_scores(ensemble, rows)
    most = 100 * len(ensemble.trees) ** 2 * ULP
    assert all(margin(scores[i]) < most for i in np.flatnonzero(decided == nobody))
    close = [i for i in np.flatnonzero(decided != nobody) if margin(scores[i]) < most]
    for _ in range(20 if close else 0):
        assert (in_another_order(ensemble, generator).predict(rows[close]) == decided[close]).all()
    return int((decided == nobody).sum())


def in_another_order(ensemble, generator):
    """The same sum with its groups, and the trees of each, in another order."""
    rest, parts = iter(ensemble.trees), []
    for group in ensemble.summands:
        trees = [next(rest) for _ in range(group.size)]
        parts.append((group, [trees[i] for i in generator.permutation(group.size)]))
    parts = [parts[i] for i in generator.permutation(len(parts))]
    groups = tuple(group for group, _ in parts) if ensemble.groups else ()
    return replace(ensemble, trees=tuple(tree for _, trees in parts for tree in trees), groups=groups)


# Hand-made forests


@pytest.mark.parametrize("kind", LEAVES)
def test_a_compiled_mean_says_at_every_cell_what_predict_says(kind):
    settled = [check_every_cell(random_subject(kind, seed)) for seed in range(60)]
    assert sum(map(bool, settled)) > 10, "rounding decides somewhere"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 11))
@pytest.mark.parametrize("kind", LEAVES)
def test_thousands_of_compiled_means_say_what_predict_says(kind, part):
    for seed in range(300 * part, 300 * part + 300):
        check_every_cell(random_subject(kind, seed))


@pytest.mark.parametrize("kind", LEAVES)
def test_compiled_groups_with_weights_say_what_predict_says(kind):
    for seed in range(40):
        check_every_cell(random_subject(kind, seed, grouped=True))


@pytest.mark.parametrize("kind", LEAVES)
def test_compiled_codes_and_categories_say_what_predict_says(kind):
    for seed in range(30):
        check_every_cell(random_subject(kind, seed, with_codes=True))


@pytest.mark.parametrize("kind", LEAVES)
def test_a_compiled_majority_says_what_predict_says(kind):
    assert sum(check_every_cell(random_subject(kind, seed, vote="majority")) for seed in range(30)) == 0


@pytest.mark.parametrize("kind", LEAVES)
def test_columns_with_many_thresholds_are_compiled_as_predict_decides(kind):
    """Some seventy values per variable, which no machine word holds."""
    generator = np.random.default_rng(3)
    trees, thresholds = [], np.arange(200) + 0.5
    for _ in range(18):
        tree = random_tree(2, 5, lambda: LEAVES[kind](2, generator), generator, thresholds)
        trees += [tree, turned(tree, 1)]
    ensemble = Ensemble(tuple(map(Tree.build, trees)), ("x", "y"), ("a", "b"), vote="mean")
    subject = EnsembleSubject(ensemble, domain_of(ensemble))
    assert min(len(x) for x in subject.variables) > 64
    assert check_every_cell(subject) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEAVES)
def test_hundreds_of_compiled_groups_and_codes_say_what_predict_says(kind):
    for seed in range(100, 300):
        check_every_cell(random_subject(kind, seed, grouped=True, with_codes=seed % 2 == 0))
        check_every_cell(random_subject(kind, seed, vote="majority", with_codes=seed % 2 == 1))


@pytest.mark.parametrize("kind", LEAVES)
def test_where_any_order_may_be_taken_no_order_changes_a_decision(kind):
    generator = np.random.default_rng(1)
    doubtful = [check_any_order(random_subject(kind, seed), generator) for seed in range(30)]
    assert any(doubtful)
    for seed in range(15):
        check_any_order(random_subject(kind, seed, grouped=True), generator)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEAVES)
def test_hundreds_of_forests_in_any_order(kind):
    generator = np.random.default_rng(2)
    for seed in range(100, 300):
        check_any_order(random_subject(kind, seed), generator)


# Ties in the reals that are none in floats: the smallest that ever went wrong, or could


def assert_as_predicted(*nested, groups=()):
    trees = tuple(map(Tree.build, nested))
    columns = 1 + max((int(t.feature.max()) for t in trees), default=0)
    names = tuple(f"f{i}" for i in range(max(columns, 1)))
    ensemble = Ensemble(trees, names, tuple(range(trees[0].value.shape[1])), vote="mean", groups=groups)
    check_every_cell(EnsembleSubject(ensemble, domain_of(ensemble)))


def test_two_trees_that_cancel_in_the_reals_do_not_in_floats():
    """Whatever x is, the classes tie in the reals; (0.1 + 0.2) + 0.3 and (0.3 + 0.2) + 0.1 differ."""
    assert_as_predicted((0, 0.5, [0.1, 0.3], [0.3, 0.1]), [0.2, 0.2], (0, 0.5, [0.3, 0.1], [0.1, 0.3]))


def test_cancelling_trees_are_told_apart_below_a_tie_of_others():
    one, other = (0, 0.5, [0.1, 0.3], [0.3, 0.1]), (0, 0.5, [0.3, 0.1], [0.1, 0.3])
    assert_as_predicted(one, (1, 0.5, [0.2, 0.2], [0.7, 0.1]), other)
    assert_as_predicted(one, (1, 0.5, [0.2, 0.2], (2, 0.5, [0.3, 0.3], [0.1, 0.1])), other)
    assert_as_predicted((1, 0.5, [0.2, 0.2], [0.4, 0.4]), one, other)


def test_values_that_the_integers_do_not_see_decide_all_the_same():
    assert_as_predicted((0, 0.5, [0.0, 1e-17], [0.0, 0.0]), (0, 0.5, [0.0, 0.0], [1e-17, 0.0]))
    assert_as_predicted(
        (0, 0.5, (1, 0.5, [0.0, 5e-324], [5e-324, 0.0]), [0.0, 0.0]), (1, 1.5, [0.0, 0.0], [0.0, 1e-300])
    )


def test_equal_margins_with_other_values_below_them_are_not_one_state():
    """After [0.3, 0.1] and [0.0, 0.2], (1/2, 1/2) keeps the tie in floats and (0, 0) does not."""
    assert_as_predicted([0.3, 0.1], [0.0, 0.2], (0, 0.5, [0.5, 0.5], (0, 1.5, [0.5, 0.5], [0.0, 0.0])))
    assert_as_predicted(
        (1, 0.5, [0.3, 0.1], [0.1, 0.3]), [0.0, 0.2], (0, 0.5, [0.5, 0.5], (0, 1.5, [0.5, 0.5], [0.0, 0.0]))
    )


def test_a_settled_state_is_not_reused_on_another_path_with_the_same_sums():
    """Two variables of which each brings 0.4 in two ways, before a third that brings a near tie."""
    first = (0, 0.5, [0.1, 0.2], [0.2, 0.1]), (0, 0.5, [0.3, 0.2], [0.2, 0.3])
    second = (1, 0.5, [0.7, 0.1], [0.1, 0.7]), (1, 0.5, [0.1, 0.7], [0.7, 0.1])
    third = (2, 0.5, [0.3, 0.3], (2, 1.5, [0.6, 0.6], [0.1, 0.1]))
    for trees in itertools.permutations([*first, *second, third]):
        assert_as_predicted(*trees)


def test_ties_inside_a_group_are_settled_by_the_mean_of_the_group():
    one, other = (0, 0.5, [0.1, 0.3], [0.3, 0.1]), (0, 0.5, [0.3, 0.1], [0.1, 0.3])
    assert_as_predicted(one, [0.2, 0.2], other, [0.7, 0.7], groups=(Group(3, 0.3), Group(1)))


def test_a_constant_forest_has_one_cell_and_no_variable():
    trees = tuple(map(Tree.build, ([0.1, 0.2], [0.2, 0.3], [0.3, 0.1])))
    for order in itertools.permutations(trees):
        ensemble = Ensemble(order, ("x",), ("a", "b"), vote="mean")
        subject = EnsembleSubject(ensemble, domain_of(ensemble))
        assert compile_ensemble(subject).decide(()) == ensemble.predict([[0.0]])[0]


def test_a_constant_forest_may_depend_on_the_order_of_summation_too():
    trees = tuple(map(Tree.build, ([0.1, 0.2], [0.2, 0.3], [0.3, 0.1])))
    ensemble = Ensemble(trees, ("x",), ("a", "b"), vote="mean")
    assert ensemble.predict([[0.0]]) != replace(ensemble, trees=trees[::-1]).predict([[0.0]])
    subject = EnsembleSubject(ensemble, domain_of(ensemble))
    assert compile_ensemble(subject, any_order=True).decide(()) == 2


# Forests of scikit-learn


def subject_of(model, X):
    ensemble = read(model)
    return EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(X)))


def zoo(seed=0, rows=101, columns=16):
    """Boolean features of animals of seven classes, more or less."""
    generator = np.random.default_rng(seed)
    prototypes = generator.random((7, columns)) < 0.5
    y = generator.integers(0, 7, rows)
    X = prototypes[y] ^ (generator.random((rows, columns)) < 0.08)
    X[0], X[1] = False, True
    return X.astype(float), y


def plant_rows(subject, X, count, generator):
    """Rows whose values lie at thresholds of the model, just beside them, or in the data."""
    rows = X[generator.integers(len(X), size=count)].copy()
    for column, feature in enumerate(subject.domain.features):
        if feature.codes is not None:
            rows[:, column] = generator.choice(list(feature.codes), count)
        elif feature.variable is not None and feature.variable.cuts:
            cuts = generator.choice(feature.variable.cuts, count)
            side = generator.integers(0, 5, count)
            near = [
                rows[:, column],
                cuts,
                np.nextafter(cuts, np.inf),
                np.nextafter(cuts, -np.inf),
                cuts * 1.01,
            ]
            rows[:, column] = np.choose(side, near)
    return rows


TRAINED = {
    "iris": (lambda: load_iris(return_X_y=True), RandomForestClassifier(20, max_depth=4, random_state=0)),
    "wine": (lambda: load_wine(return_X_y=True), RandomForestClassifier(10, max_depth=3, random_state=1)),
    "breast_cancer": (
        lambda: load_breast_cancer(return_X_y=True),
        RandomForestClassifier(10, max_depth=3, random_state=2),
    ),
    "zoo": (zoo, RandomForestClassifier(30, max_depth=4, random_state=3)),
    "extra": (lambda: load_iris(return_X_y=True), ExtraTreesClassifier(10, max_depth=4, random_state=4)),
}


@pytest.fixture(scope="module")
def trained():
    """Per name the fitted model, its subject, its rows and its diagram; each is made once."""
    made = {}

    def make(name):
        if name not in made:
            load, model = TRAINED[name]
            X, y = load()
            model.fit(X, y)
            subject = subject_of(model, X)
            made[name] = model, subject, X, compile_ensemble(subject)
        return made[name]

    return make


@pytest.mark.parametrize("name", TRAINED)
def test_a_compiled_scikit_learn_forest_decides_as_the_model(trained, name):
    model, subject, X, diagram = trained(name)
    diagram.check()
    rows = np.concatenate([X, plant_rows(subject, X, 10_000, np.random.default_rng(5))])
    decided = diagram.decide_all(subject.domain.points(rows))
    assert (model.classes_[decided] == model.predict(rows)).all()
    assert sum(diagram.counts()) == math.prod(len(x) for x in subject.variables)
    assert math.isclose(diagram.shares().sum(), 1.0)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(s, marks=pytest.mark.slow) for s in range(3, 30))]
)
def test_forests_on_few_rows_decide_as_the_model_at_every_cell(seed):
    """Thirds and fifths from tiny leaves, two to four classes, missing values: the ties of real training."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 4, (int(generator.integers(9, 30)), 3)) * 1.0
    if seed % 3 == 0:
        X[generator.random(X.shape) < 0.15] = np.nan
    y = generator.integers(0, 2 + seed % 3, len(X))
    for trees in (2, 5, 10, 20):
        options = {"min_samples_leaf": 1 + seed % 4, "max_depth": 3 + seed % 2, "random_state": seed}
        model = RandomForestClassifier(trees, **options).fit(X, y)
        subject = subject_of(model, X)
        check_every_cell(subject)
        rows = rows_of_all_cells(subject)
        assert (model.classes_[subject.ensemble.predict(rows)] == model.predict(rows)).all()


# Caps


def test_a_forest_that_outgrows_its_budget_says_how_far_it_got():
    data = load_breast_cancer()
    model = RandomForestClassifier(40, random_state=0).fit(data.data, data.target)
    subject = subject_of(model, data.data)
    sizes = r"40 trees over \d+ variables with \d+ values outgrew"
    with pytest.raises(
        TooLarge, match=sizes + r" its cap of 1,000 nodes or 5,000 partial decisions; [\d,]+ nodes"
    ):
        compile_ensemble(subject, Budget(nodes=1000, order_work=1e5))
    with pytest.raises(TooLarge, match=sizes + r" the time limit of 0\.05 s"):
        compile_ensemble(subject, Budget(seconds=0.05))


def test_a_cap_that_suffices_changes_nothing(trained):
    _, subject, _, diagram = trained("iris")
    size = compile_ensemble(subject, order=diagram.order).size
    for nodes in (10 * size, 1000 * size):
        assert compile_ensemble(subject, Budget(nodes=nodes), order=diagram.order).size == size
    for nodes in (1, size // 2):
        with pytest.raises(TooLarge, match=f"cap of {nodes:,} nodes"):
            compile_ensemble(subject, Budget(nodes=nodes), order=diagram.order)


def test_an_order_that_is_none_is_refused(trained):
    _, subject, _, diagram = trained("iris")
    n = len(subject.variables)
    for order in (range(n - 1), [0] * n, [], [*range(n), 0], range(1, n + 1), range(-1, n - 1)):
        with pytest.raises(InvalidInput, match="order"):
            compile_ensemble(subject, order=order)
    assert compile_ensemble(subject, order=diagram.order[::-1]).counts() == diagram.counts()


# The law that all engines give the identical term


def check_identical_terms(subject, diagram, points, generator):
    forest, sizes = SearchForest(subject), [len(x) for x in subject.variables]
    for point in points:
        label = diagram.decide(point)
        assert label == forest.decide(point)
        for literals in LANGUAGES:
            order = generator.permutation(len(sizes)).tolist()
            steps = drop_each(order, sizes)
            if generator.random() < 0.5:
                steps = random_steps(sizes, generator) + steps
            fixed = frozenset(j for j in order if generator.random() < 0.1)
            boxes = []
            for oracle in (forest.oracle(label), DiagramOracle(diagram, label)):
                found = weaken(oracle, point, WeakeningPlan(steps, order, literals, fixed))
                assert not found.interrupted
                boxes.append(found.box)
                for (j, v), witness in found.find_witnesses().items():
                    assert witness[j] == v and subject.decide(witness) != label
            assert boxes[0] == boxes[1], (point, literals, order)
            if not fixed and diagram.size < 2000:
                assert boxes[1] in DiagramOracle(diagram, label).primes(literals, point)


def random_steps(sizes, generator):
    return [
        {int(j): int(generator.integers(1, 1 << sizes[j])) for j in generator.choice(len(sizes), 2)}
        for _ in range(len(sizes))
    ]


@pytest.mark.parametrize("name", TRAINED)
def test_diagram_and_search_weaken_a_row_to_the_identical_term(trained, name):
    _, subject, X, diagram = trained(name)
    generator = np.random.default_rng(6)
    points = [subject.domain.point(row) for row in X[:: len(X) // 6]]
    check_identical_terms(subject, diagram, points, generator)


@pytest.mark.parametrize("kind", LEAVES)
def test_diagram_and_search_agree_where_rounding_decides(kind):
    generator = np.random.default_rng(7)
    for seed in range(20):
        subject = random_subject(kind, seed, grouped=seed % 4 == 3, with_codes=seed % 5 == 4)
        if subject.variables:
            everywhere = cells(subject.variables)
            some = [everywhere[i] for i in generator.integers(len(everywhere), size=4)]
            check_identical_terms(subject, compile_ensemble(subject), some, generator)


def test_the_primes_of_every_class_are_those_of_the_definition():
    """Many terminals: the explanations of one class among several, and what leads to any other."""
    checked = 0
    for seed in range(60):
        subject = random_subject("parts_of_one", seed)
        sizes = [len(x) for x in subject.variables]
        if not sizes or sum(sizes) > 14:
            continue
        table = subject.ensemble.predict(rows_of_all_cells(subject)).reshape(sizes)
        diagram = compile_ensemble(subject)
        for label in range(len(subject.labels)):
            oracle = DiagramOracle(diagram, label)
            for literals in LANGUAGES:
                primes = sorted(prime_boxes(table == label, subject.variables, literals))
                assert sorted(oracle.primes(literals)) == primes, (seed, label, literals)
                point = tuple(int(v) for v in np.argwhere(table == label)[-1]) if primes else None
                if point is not None:
                    around = [box for box in primes if contains(box, point)]
                    assert sorted(oracle.primes(literals, point)) == around, (seed, label, literals)
                    checked += 1
    assert checked > 50
