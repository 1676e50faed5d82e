"""The engine for one tree against the definitions, by brute force over all cells of many small trees."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from conformance.universes import LANGUAGES, cells, same_sets
from primewood.domain import DomainRecipe, EnsembleSubject, domain_of
from primewood.engines.protocol import Verdict, WeakeningPlan
from primewood.engines.single_tree import SingleTree, TreeOracle
from primewood.ensemble import Ensemble, Tree
from primewood.errors import InvalidInput
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains, points
from primewood.logic.masks import indices
from primewood.questions.weakening import drop_each, weaken
from primewood.readers import read

TREES = 320
DECLARED = (None, None, None, None, "boolean", [0, 1, 2], {0: "r", 1: "b", 2: "g", 3: "y"}, [5, 6])


class CellOracle:
    """The oracle by brute force: a table of decisions that the reference `predict` made."""

    def __init__(self, table, variables, label):
        self.table, self.variables, self.label = table, variables, label

    def counterexample(self, box, clock=None):
        return next((p for p in points(box) if self.table[p] != self.label), Verdict.NONE_EXISTS)


@cache
def small_tree(seed):
    """A random tree with impossible paths, ties, 1 to 4 features of all kinds, and often missing values."""
    generator = np.random.default_rng(seed)
    features, classes, missing = (1, 2, 3, 4, 4)[seed % 5], 2 + seed % 3, seed % 2 == 1
    cuts = [-0.5, 0.0, 0.5, 1.0, 1.5, *([np.inf, -np.inf] if missing else [])]

    def node(depth):
        if depth == 0 or generator.random() < 0.1:
            return generator.permutation([0, 1, *generator.integers(0, 2, classes - 2)]).tolist()
        test = int(generator.integers(features)), float(generator.choice(cuts))
        return (*test, node(depth - 1), node(depth - 1))

    t = Tree.build(node((1, 3, 4, 5, 6)[seed // 5 % 5]))
    t = Tree(t.feature, t.threshold, t.left, t.right, generator.random(len(t)) < 0.5, t.value)
    names = tuple(f"f{i}" for i in range(features))
    options = {"operator": ("<=", "<")[seed // 2 % 2], "vote": ("majority", "mean")[seed // 4 % 2]}
    options["dtype"] = ("float32", "float64")[seed // 8 % 2]
    ensemble = Ensemble((t,), names, tuple(range(classes)), allows_missing=missing, **options)
    kinds = {name: DECLARED[generator.integers(len(DECLARED))] for name in names}
    declared = {name: kind for name, kind in kinds.items() if kind is not None}
    return EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(declared=declared)))


@cache
def table_of(seed):
    """The decisions of all cells, by the reference `predict`."""
    subject = small_tree(seed)
    rows = np.array([subject.row_in(p) for p in cells(subject.variables)])
    return subject.ensemble.predict(rows).reshape([len(x) for x in subject.variables])


def some_points(seed, most=4):
    everything = cells(small_tree(seed).variables)
    return [everything[i] for i in np.random.default_rng(seed).permutation(len(everything))[:most]]


def small_trees(most_values=99):
    """Pairs of a seed and a point: trees of at most so many values in all."""
    seeds = [s for s in range(TREES) if sum(len(x) for x in small_tree(s).variables) <= most_values]
    return [(seed, point) for seed in seeds for point in some_points(seed)]


def wider(x, own, literals):
    """The sets of values that one may let go to, from a value, in a language: by its description."""
    if literals == "values" or (literals == "intervals" and x.ordered and own == x.missing):
        return [1 << own, x.everything]
    around = [mask for mask in range(x.everything + 1) if mask >> own & 1]
    if literals == "sets" or not x.ordered:
        return around
    line = (1 << x.ordered) - 1
    runs = [indices(mask & line) for mask in around]
    return [m for m, run in zip(around, runs, strict=True) if run == list(range(run[0], run[-1] + 1))]


def contrasts_by_definition(table, variables, point, literals):
    """The boxes of the language around a point with another decision, that hold no smaller such box."""
    masks = [wider(x, own, literals) for x, own in zip(variables, point, strict=True)]
    flips = table != table[point]
    for axis, choices in enumerate(masks):
        flips = np.stack([flips.take(indices(mask), axis).any(axis) for mask in choices], axis)
    found = flips.copy()
    for axis, choices in enumerate(masks):
        for (i, mask), (k, smaller) in itertools.permutations(enumerate(choices), 2):
            if mask | smaller == mask:
                here, there = ((slice(None),) * axis + (place,) for place in (i, k))
                found[here] &= ~flips[there]
    return [tuple(c[i] for c, i in zip(masks, where, strict=True)) for where in np.argwhere(found)]


def minimal_hitting_sets(sets):
    """All of them, one set after the other."""
    found = {frozenset()}
    for to_hit in sets:
        hitting = {h for h in found if h & to_hit} | {
            h | {e} for h in found if not h & to_hit for e in to_hit
        }
        found = {h for h in hitting if not any(other < h for other in hitting)}
    return found


def atoms(box, point):
    """The atoms that a contrastive explanation lets go of."""
    return frozenset((j, v) for j, mask in enumerate(box) for v in indices(mask) if v != point[j])


def excluded_atoms(box, variables):
    return frozenset((j, v) for j, x in enumerate(variables) for v in indices(x.everything & ~box[j]))


def kept_variables(box, variables):
    return frozenset(j for j, x in enumerate(variables) if box[j] != x.everything)


def test_the_trees_are_of_all_kinds():
    variables = [x for seed in range(TREES) for x in small_tree(seed).variables]
    assert any(x.ordered and x.missing is not None for x in variables)
    assert any(x.ordered == 1 for x in variables), "tests that only split off missing values"
    assert any(not x.ordered and x.missing is not None for x in variables)
    assert any(len(x) == 2 and not x.ordered for x in variables)
    assert any(not small_tree(seed).variables for seed in range(TREES))
    unread = [f for seed in range(TREES) for f in small_tree(seed).domain.features if f.variable is None]
    assert any(f.codes is not None for f in unread), "tests that have one answer"
    assert max(table_of(seed).size for seed in range(TREES)) > 150


def test_every_cell_is_decided_as_the_reference_decides_it():
    for seed in range(TREES):
        tree, table = SingleTree(small_tree(seed)), table_of(seed)
        assert all(
            tree.decide(point) == table[point] for point in points([(1 << n) - 1 for n in table.shape])
        )


def test_the_oracle_agrees_with_brute_force_on_random_boxes():
    generator = np.random.default_rng(0)
    for seed in range(TREES):
        subject, table = small_tree(seed), table_of(seed)
        for label in range(len(subject.labels)):
            oracle, truth = (
                TreeOracle(SingleTree(subject), label),
                CellOracle(table, subject.variables, label),
            )
            assert oracle.variables == subject.variables
            assert all(oracle.holds(point) == (table[point] == label) for point in some_points(seed))
            for _ in range(12):
                box = tuple(int(generator.integers(1, 1 << n)) for n in table.shape)
                reply = oracle.counterexample(box)
                if truth.counterexample(box) is Verdict.NONE_EXISTS:
                    assert reply is Verdict.NONE_EXISTS
                else:
                    assert contains(box, reply) and table[reply] != label


@pytest.mark.parametrize("literals", LANGUAGES)
def test_contrasts_are_those_by_definition(literals):
    checked = 0
    for seed, point in small_trees():
        subject, table = small_tree(seed), table_of(seed)
        truth = contrasts_by_definition(table, subject.variables, point, literals)
        assert same_sets(SingleTree(subject).contrasts(point, literals), truth), (seed, point)
        checked += len(truth)
    assert checked > 1000


@pytest.mark.parametrize("literals", ["sets", "values"])
def test_contrasts_and_explanations_are_each_others_minimal_hitting_sets(literals):
    checked = 0
    for seed, point in small_trees(most_values=12):
        subject, table = small_tree(seed), table_of(seed)
        primes = prime_boxes(table == table[point], subject.variables, literals)
        primes = [box for box in primes if contains(box, point)]
        contrasts = list(SingleTree(subject).contrasts(point, literals))
        if literals == "values":
            freed = {frozenset(j for j, _ in atoms(box, point)) for box in contrasts}
            kept = {kept_variables(box, subject.variables) for box in primes}
        else:
            freed = {atoms(box, point) for box in contrasts}
            kept = {excluded_atoms(box, subject.variables) for box in primes}
        assert minimal_hitting_sets(freed) == kept and minimal_hitting_sets(kept) == freed
        checked += len(kept) + len(freed)
    assert checked > 1000


@pytest.mark.parametrize("literals", LANGUAGES)
def test_all_prime_boxes_by_duality(literals):
    for seed, point in small_trees(most_values=11)[::5]:
        subject, table = small_tree(seed), table_of(seed)
        label = int(table[point])
        truth = prime_boxes(table == label, subject.variables, literals)
        family = SingleTree(subject).oracle(label).primes(literals, point)
        assert same_sets(family, [box for box in truth if contains(box, point)])


def test_an_explanation_is_the_one_of_weakening_in_the_same_order():
    for seed, point in small_trees():
        subject, table = small_tree(seed), table_of(seed)
        tree, truth = SingleTree(subject), CellOracle(table, subject.variables, table[point])
        for order in list(itertools.permutations(range(table.ndim)))[:6]:
            steps = drop_each(order, table.shape)
            expected = weaken(truth, point, WeakeningPlan(steps, order, "values")).box
            assert tree.explanation(point, order) == expected
            by_oracle = weaken(tree.oracle(int(table[point])), point, WeakeningPlan(steps, order))
            assert by_oracle.box == weaken(truth, point, WeakeningPlan(steps, order)).box


def test_what_an_order_does_not_name_is_kept():
    seed, point = next((s, p) for s, p in small_trees() if table_of(s).ndim == 3)
    sizes, truth = (
        table_of(seed).shape,
        CellOracle(table_of(seed), small_tree(seed).variables, table_of(seed)[point]),
    )
    expected = weaken(truth, point, WeakeningPlan(drop_each([2], sizes), [2], "values")).box
    assert SingleTree(small_tree(seed)).explanation(point, [2, 2]) == expected
    assert SingleTree(small_tree(seed)).explanation(point, []) == tuple(1 << v for v in point)


def test_the_shortest_explanation_is_as_short_as_an_exhaustive_search_finds():
    for seed, point in small_trees():
        subject, table = small_tree(seed), table_of(seed)
        everything = [x.everything for x in subject.variables]
        truth = CellOracle(table, subject.variables, table[point])
        found = SingleTree(subject).shortest(point)
        kept = kept_variables(found, subject.variables)
        assert truth.counterexample(found) is Verdict.NONE_EXISTS
        assert all(found[j] == (1 << v if j in kept else everything[j]) for j, v in enumerate(point))
        for fewer in itertools.combinations(range(table.ndim), max(0, len(kept) - 1)):
            box = tuple(1 << v if j in fewer else everything[j] for j, v in enumerate(point))
            assert not kept or truth.counterexample(box) is not Verdict.NONE_EXISTS


def test_a_leaf_whose_changes_are_all_more_than_needed_is_passed_over():
    """X must change for both leaves of "b"; beside that, Y need not."""
    tree = Tree.build((0, 0.0, [1, 0], (1, 0.0, [0, 1], (0, 1.0, [0, 1], [1, 0]))))
    ensemble = Ensemble((tree,), ("X", "Y"), ("a", "b"))
    tree = SingleTree(EnsembleSubject(ensemble, domain_of(ensemble)))
    assert list(tree.contrasts((0, 0), "sets")) == [(0b011, 0b01), (0b101, 0b01)]
    assert list(tree.contrasts((0, 1), "sets")) == [(0b011, 0b10), (0b101, 0b11)]
    assert list(tree.contrasts((0, 1), "intervals")) == [(0b011, 0b10)]
    assert list(tree.contrasts((0, 1), "values")) == [(0b111, 0b10)]


def all_of(tests, end):
    """A tree that reaches its end if every column is above its cut."""
    for column, cut in tests:
        end = (column, float(cut), [1, 0], end)
    return end


def test_contrasts_come_lazily_where_there_are_too_many_to_list():
    """Eight numbers with a hundred cuts each: one leaf makes 50^8 changes."""
    many_cuts = all_of(itertools.product(range(8), range(100)), [1, 0])
    tree = Tree.build((8, 0.0, all_of([(j, 50) for j in range(8)], [0, 1]), many_cuts))
    ensemble = Ensemble((tree,), tuple("abcdefghi"), (0, 1))
    tree = SingleTree(EnsembleSubject(ensemble, domain_of(ensemble)))
    found = list(itertools.islice(tree.contrasts((0,) * 9, "sets"), 1000))
    assert len(set(found)) == 1000
    assert len(list(tree.contrasts((0,) * 9, "intervals"))) == 1


@pytest.fixture(scope="module")
def large():
    X, y = make_classification(6000, 12, n_informative=8, n_classes=3, flip_y=0.3, random_state=0)
    X[::7, 3] = np.nan
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    ensemble = read(model)
    subject = EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(X)))
    assert model.get_n_leaves() > 1000
    return model, subject, SingleTree(subject), X


def test_a_large_tree_decides_as_scikit_learn_does(large):
    model, subject, tree, X = large
    assert [tree.decide(subject.domain.point(x)) for x in X[:500]] == model.predict(X[:500]).tolist()


def a_step_back(x, own, mask, literals):
    """The next smaller sets of values around a value, in a language; of a numeric variable."""
    if mask == 1 << own:
        return []
    if literals == "values" or (literals == "intervals" and own == x.missing):
        return [1 << own]
    taken = set(indices(mask)) - {own}
    if literals == "intervals":
        line = indices(mask & ((1 << x.ordered) - 1))
        taken &= {line[0], line[-1], x.missing}
    return [mask & ~(1 << v) for v in taken]


@pytest.mark.parametrize("literals", LANGUAGES)
def test_contrasts_of_a_large_tree_flip_and_nothing_less_does(large, literals):
    model, subject, tree, X = large
    for x in X[:4]:
        point = subject.domain.point(x)
        oracle = tree.oracle(tree.decide(point))
        for box in itertools.islice(tree.contrasts(point, literals), 0, 2000, 53):
            other = oracle.counterexample(box)
            assert contains(box, other) and model.predict([subject.row_in(other)]) != model.predict([x])
            for j, (variable, own) in enumerate(zip(subject.variables, point, strict=True)):
                for less in a_step_back(variable, own, box[j], literals):
                    smaller = (*box[:j], less, *box[j + 1 :])
                    assert oracle.counterexample(smaller) is Verdict.NONE_EXISTS


def test_the_shortest_explanation_of_a_large_tree_is_no_longer_than_any_order_finds(large):
    _, subject, tree, X = large
    generator = np.random.default_rng(0)
    for x in X[:10]:
        point = subject.domain.point(x)
        shortest = len(kept_variables(tree.shortest(point), subject.variables))
        orders = [generator.permutation(len(point)).tolist() for _ in range(50)]
        lengths = [len(kept_variables(tree.explanation(point, o), subject.variables)) for o in orders]
        assert shortest <= min(lengths)


def test_more_trees_are_refused():
    tree = Tree.build((0, 0.0, [1, 0], [0, 1]))
    ensemble = Ensemble((tree, tree), ("X",), ("a", "b"))
    with pytest.raises(InvalidInput, match="2 trees"):
        SingleTree(EnsembleSubject(ensemble, domain_of(ensemble)))
