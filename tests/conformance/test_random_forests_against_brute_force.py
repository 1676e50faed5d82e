"""Random expressions and random forests: engines, formulas and predictions agree on all cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.universes import LANGUAGES, TableOracle, cells, same_sets
from primewood.domain import DomainRecipe, EnsembleSubject, domain_of
from primewood.engines.choice import Engines
from primewood.ensemble import Ensemble, Tree
from primewood.logic.connectives import at_least, conjunction, disjunction
from primewood.logic.expression_parser import parse
from primewood.logic.variable import Variable
from primewood.questions.families import prime_implicants

VARIABLES = (
    Variable("A", [1, 2, 3]),
    Variable("B c", ["r", "very blue", "g", "true"]),
    Variable.numeric("X", [-1.5, 2], "right", missing=True),
    Variable.boolean("p"),
)


def literals_of(variable):
    return st.integers(1, variable.everything - 1).map(variable.of_mask)


def expressions(variables=VARIABLES):
    atoms = st.one_of(*(literals_of(x) for x in variables))
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            inner.map(lambda a: ~a),
            st.lists(inner, min_size=2, max_size=4).map(conjunction),
            st.lists(inner, min_size=2, max_size=4).map(disjunction),
            st.tuples(inner, inner).map(lambda ab: ab[0].implies(ab[1])),
            st.tuples(inner, inner).map(lambda ab: ab[0].iff(ab[1])),
            st.tuples(st.integers(0, 4), st.lists(inner, min_size=1, max_size=4)).map(lambda k: at_least(*k)),
        ),
        max_leaves=8,
    )


def leaves(classes):
    return st.integers(0, classes - 1).map(lambda c: [float(i == c) for i in range(classes)])


def trees(classes, features, depth=3):
    test = st.tuples(st.integers(0, features - 1), st.sampled_from([0.0, 1.0, 2.0]))
    node = leaves(classes)
    for _ in range(depth):
        split = st.tuples(test, node, node).map(lambda t: (*t[0], t[1], t[2]))
        node = st.one_of(leaves(classes), split)
    return node.map(Tree.build)


@st.composite
def ensembles(draw):
    classes = draw(st.integers(2, 4))
    features = draw(st.integers(1, 3))
    count = draw(st.integers(1, 6))
    built = [draw(trees(classes, features)) for _ in range(count)]
    missing = draw(st.booleans())
    if missing:
        built = [
            Tree(t.feature, t.threshold, t.left, t.right, draw_bools(draw, len(t)), t.value) for t in built
        ]
    return Ensemble(
        tuple(built),
        tuple(f"f{i}" for i in range(features)),
        tuple(range(classes)),
        operator=draw(st.sampled_from(["<=", "<"])),
        dtype=draw(st.sampled_from(["float32", "float64"])),
        allows_missing=missing,
    )


def draw_bools(draw, size):
    return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))


@given(expressions())
def test_printing_parses_back_to_the_same_expression(expression):
    assert parse(str(expression), VARIABLES) == expression


@given(expressions())
def test_negation_and_tables_agree(expression):
    expression = expression.over(VARIABLES)
    table = expression.truth_table()
    assert ((~expression).over(VARIABLES).truth_table() == ~table).all()
    for point in cells(VARIABLES)[::7]:
        instance = {x.name: x.values[i] for x, i in zip(VARIABLES, point, strict=True)}
        assert expression.holds(instance) == table[point]


@given(expressions(VARIABLES[:3]), st.sampled_from(LANGUAGES))
def test_prime_implicants_of_random_expressions(expression, literals):
    variables = VARIABLES[:3]
    expression = expression.over(variables)
    truth = TableOracle(expression, variables).primes(literals)
    for engine in ("bdd", "sat", "diagram"):
        found = prime_implicants(expression, literals=literals, engine=engine)
        assert same_sets((term.box(variables) for term in found), truth), engine


@given(ensembles(), st.sampled_from(LANGUAGES), st.integers(0, 10**6))
def test_forests_are_explained_as_brute_force_explains_them(ensemble, literals, seed):
    subject = EnsembleSubject(ensemble, domain_of(ensemble))
    everything = cells(subject.variables)
    decisions = {point: subject.decide(point) for point in everything}
    formulas = {c: subject.formula(c).truth_table() for c in range(len(ensemble.classes))}
    for point, decided in decisions.items():
        assert [c for c, table in formulas.items() if table[point]] == [decided]
    point = everything[seed % len(everything)]
    label = decisions[point]
    truth = TableOracle(subject.formula(label), subject.variables).primes(literals, point)
    for engine in ("bdd", "sat", "diagram"):
        family = Engines(subject, engine, max_nodes=200_000).primes(label, literals, point)
        assert same_sets(family, truth), engine


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(s, marks=pytest.mark.slow) for s in range(4, 20))]
)
def test_trained_forests_are_explained_as_brute_force_explains_them(seed):
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    from primewood.readers import read

    generator = np.random.default_rng(seed)
    X = generator.integers(0, 5, size=(80, 3)).astype(float)
    X[generator.random(X.shape) < 0.1 * (seed % 2)] = np.nan
    y = generator.integers(0, 2 + seed % 3, size=80)
    kind, trees = (ExtraTreesClassifier, 3) if seed % 4 == 3 else (RandomForestClassifier, 1 + seed % 6)
    model = kind(n_estimators=trees, max_depth=2 + (trees != 3), random_state=seed).fit(X, y)
    ensemble = replace(read(model), vote="majority")
    subject = EnsembleSubject(ensemble, domain_of(ensemble, DomainRecipe(X)))
    everything = cells(subject.variables)
    rows = np.array([subject.row_in(point) for point in everything])
    votes = np.zeros((len(rows), len(model.classes_)))
    for tree in model.estimators_:
        votes[np.arange(len(rows)), tree.predict_proba(rows).argmax(axis=1)] += 1
    assert [subject.decide(point) for point in everything] == votes.argmax(axis=1).tolist()
    for row in X[:6]:
        point = subject.domain.point(row)
        label = subject.decide(point)
        assert label == ensemble.predict(row[None, :])[0]
        for literals in LANGUAGES:
            truth = TableOracle(subject.formula(label), subject.variables).primes(literals, point)
            for engine in ("bdd", "sat", "diagram"):
                family = Engines(subject, engine, max_nodes=500_000).primes(label, literals, point)
                assert same_sets(family, truth), (engine, literals)
