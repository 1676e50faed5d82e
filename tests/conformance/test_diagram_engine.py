"""The diagram engine against definitions, written down plainly: every function of small universes, then random ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from conformance.universes import (
    LANGUAGES,
    UNIVERSES,
    TableOracle,
    cells,
    functions,
    random_tables,
    same_sets,
)
from primewood.engines.diagram.compiler import Budget, compile_expression
from primewood.engines.diagram.family import DiagramFamily, Restriction
from primewood.engines.diagram.oracle import DiagramOracle
from primewood.engines.protocol import Verdict
from primewood.errors import InvalidInput, TooLarge
from primewood.logic.connectives import at_least, conjunction, disjunction
from primewood.logic.instance import contains, points
from primewood.logic.language import literal_masks
from primewood.logic.masks import indices
from primewood.logic.table import from_table
from primewood.logic.variable import Variable

STEPS = {"with missing values": 13}
"""The universes of which only every so many functions are taken."""

MIXED = {
    "three, four, two and three values": (
        Variable("A", "abc"),
        Variable.numeric("B", [1, 2, 3]),
        Variable.boolean("C"),
        Variable.numeric("D", [0.5], missing=True),
    ),
    "five, three and two values": (
        Variable.numeric("A", [1, 2, 3], missing=True),
        Variable("B", "rgb"),
        Variable.numeric("C", [0], "right"),
    ),
    "five intervals and five values": (Variable.numeric("A", [1, 2, 3, 4]), Variable("B", "vwxyz")),
    "five Boolean variables": tuple(Variable.boolean(f"p{i}") for i in range(5)),
    "hardly a number": (
        Variable.numeric("A", [], missing=True),
        Variable.numeric("B", [1, 2], missing=True),
        Variable.categorical("C", "rg", missing=True),
    ),
}


def step_of(name, step=1):
    return {"start": 3 % step, "step": step * STEPS.get(name, 1)}


def oracles(delta, variables):
    """Both decisions of an expression: the label, the engine's oracle and the table's."""
    diagram = compile_expression(delta, variables)
    for label in (0, 1):
        decided = delta if label else (~delta).over(variables)
        yield label, DiagramOracle(diagram, label), TableOracle(decided, variables)


def all_boxes(variables):
    return list(itertools.product(*(literal_masks(x, "sets") for x in variables)))


def functions_and_random(name, step):
    """Some functions of a universe, whichever kind it is."""
    if name in UNIVERSES:
        yield from functions(UNIVERSES[name], **step_of(name, step))
    else:
        yield from random_tables(MIXED[name], 2 + 300 // step, seed=step)


def universe(name):
    return UNIVERSES.get(name) or MIXED[name]


# Definitions


def mentioned(box, variables):
    return [j for j, (mask, x) in enumerate(zip(box, variables, strict=True)) if mask != x.everything]


def ways_to_let_go(variable, value, literals):
    """The value sets that a contrast may allow of a variable, by definition of the language."""
    own, size = 1 << value, len(variable)
    if literals == "values" or (literals == "intervals" and variable.ordered and value == variable.missing):
        return [own, variable.everything]
    if literals == "sets" or not variable.ordered:
        return [mask for mask in range(1, 1 << size) if mask & own]
    runs = [
        sum(1 << v for v in range(low, high + 1))
        for low in range(value + 1)
        for high in range(value, variable.ordered)
    ]
    flags = [0] if variable.missing is None else [0, 1 << variable.missing]
    return [run | flag for run in runs for flag in flags]


def contrasts_by_definition(truth, point, literals):
    """The least boxes around a point, among those of the language, that hold a point of another decision."""
    ways = [ways_to_let_go(x, v, literals) for x, v in zip(truth.variables, point, strict=True)]
    reaching = [box for box in itertools.product(*ways) if truth.counterexample(box) != Verdict.NONE_EXISTS]
    return [
        box
        for box in reaching
        if not any(
            other != box and all(a & ~b == 0 for a, b in zip(other, box, strict=True)) for other in reaching
        )
    ]


def minimal_hitting_sets(sets):
    """All minimal sets that meet every one of these sets, the small ones first."""
    ground = sorted(set().union(*sets)) if sets else []
    found = []
    for size in range(len(ground) + 1):
        for chosen in map(frozenset, itertools.combinations(ground, size)):
            if all(chosen & one for one in sets) and not any(known <= chosen for known in found):
                found.append(chosen)
    return set(found)


def excluded_atoms(box, variables):
    return frozenset((j, v) for j, mask in enumerate(box) for v in indices(variables[j].everything & ~mask))


def allowed_atoms(box, point):
    return frozenset((j, v) for j, mask in enumerate(box) for v in indices(mask) if v != point[j])


def kept_mass(box, weights):
    return math.prod(sum(w[v] for v in indices(mask)) for mask, w in zip(box, weights, strict=True))


def random_weights(variables, generator):
    """A product distribution, in which some values may be impossible."""
    found = []
    for x in variables:
        weight = generator.random(len(x)) * (generator.random(len(x)) < 0.8)
        weight[generator.integers(len(x))] += 0.1
        found.append(weight / weight.sum())
    return found


# Points and boxes


@pytest.mark.parametrize("name", UNIVERSES)
def test_a_diagram_decides_counts_and_weighs_as_the_truth_table(name):
    variables = UNIVERSES[name]
    everywhere = cells(variables)
    weights = random_weights(variables, np.random.default_rng(1))
    mass = np.array([math.prod(w[v] for w, v in zip(weights, p, strict=True)) for p in everywhere])
    for delta in functions(variables, **step_of(name)):
        diagram, table = compile_expression(delta, variables), delta.truth_table().ravel()
        diagram.check()
        assert [diagram.decide(p) for p in everywhere] == table.tolist(), str(delta)
        assert (diagram.decide_all(np.array(everywhere)) == table).all()
        assert diagram.counts() == [int((~table).sum()), int(table.sum())]
        assert np.allclose(diagram.shares(), [(~table).mean(), table.mean()])
        assert np.allclose(diagram.shares(weights), [mass[~table].sum(), mass[table].sum()])


@pytest.mark.parametrize("name", UNIVERSES)
def test_a_counterexample_is_found_in_a_box_iff_there_is_one(name):
    variables = UNIVERSES[name]
    boxes = all_boxes(variables)
    for delta in functions(variables, **step_of(name, 7)):
        for label, oracle, truth in oracles(delta, variables):
            assert oracle.variables == variables
            assert all(oracle.holds(p) == truth.holds(p) for p in cells(variables))
            for box in boxes:
                reply = oracle.counterexample(box)
                if truth.counterexample(box) is Verdict.NONE_EXISTS:
                    assert reply is Verdict.NONE_EXISTS, (str(delta), label, box)
                else:
                    assert contains(box, reply) and not truth.holds(reply), (str(delta), label, box)


@pytest.mark.parametrize("name", [*UNIVERSES, *MIXED])
def test_the_fewest_changes_are_the_fewest(name):
    variables = universe(name)
    for delta in functions_and_random(name, 11):
        diagram, table = compile_expression(delta, variables), delta.truth_table()
        for point in cells(variables)[::3]:
            others = [p for p in cells(variables) if table[p] != table[point]]
            changes = [
                [float(v != own) for v in range(len(x))] for x, own in zip(variables, point, strict=True)
            ]
            oracle = DiagramOracle(diagram, diagram.decide(point))
            found = oracle.nearest(point, np.array([cost for costs in changes for cost in costs])).point
            if not others:
                assert found is None
                continue
            distance = [sum(a != b for a, b in zip(p, point, strict=True)) for p in [*others, found]]
            assert found in others and distance[-1] == min(distance), (str(delta), point)


@pytest.mark.parametrize("name", MIXED)
def test_gates_become_the_diagrams_of_their_tables(name):
    """Conjunctions, disjunctions, negations and "at least k", nested, over any order of the variables."""
    variables = MIXED[name]
    generator = np.random.default_rng(5)
    for _ in range(60):
        delta = random_gate(variables, generator, 3).over(variables)
        shuffled = tuple(variables[i] for i in generator.permutation(len(variables)))
        for order in (variables, shuffled):
            diagram = compile_expression(delta, order)
            diagram.check()
            assert [diagram.decide(p) for p in cells(order)] == delta.over(
                order
            ).truth_table().ravel().tolist()


def random_gate(variables, generator, depth):
    if depth == 0 or generator.random() < 0.1:
        x = variables[generator.integers(len(variables))]
        return x.of_mask(int(generator.integers(0, x.everything + 1)))
    parts = [random_gate(variables, generator, depth - 1) for _ in range(generator.integers(1, 5))]
    kind = generator.integers(4)
    if kind == 3:
        return at_least(int(generator.integers(-1, len(parts) + 2)), parts + parts[:1])
    return [conjunction(parts), disjunction(parts), ~parts[0]][kind]


def test_a_universe_may_have_no_variable_or_more_than_the_expression():
    A, B = Variable("A", "abc"), Variable.boolean("B")
    constant = compile_expression((A == "a") & (A == "b"), ())
    constant.check()
    assert constant.decide(()) == 0 and constant.counts() == [1, 0]
    for label in (0, 1):
        oracle = DiagramOracle(constant, label)
        for literals in LANGUAGES:
            assert list(oracle.primes(literals)) == list(oracle.primes(literals, ())) == [()] * (label == 0)
            assert list(oracle.contrasts(literals, ())) == [()] * (label == 1)
    wider = compile_expression(A == "a", (B, A))
    assert wider.counts() == [4, 2] and list(DiagramOracle(wider, 1).primes("sets")) == [(0b11, 0b001)]
    with pytest.raises(InvalidInput, match="A, which is not declared"):
        compile_expression(A == "a", (B,))


def test_an_expression_that_outgrows_its_budget_says_so():
    first = [Variable.boolean(f"a{i}") for i in range(12)]
    second = [Variable.boolean(f"b{i}") for i in range(12)]
    same = conjunction([a.literal([True]).iff(b.literal([True])) for a, b in zip(first, second, strict=True)])
    with pytest.raises(TooLarge, match="cap of 1,000 nodes"):
        compile_expression(same, [*first, *second], Budget(nodes=1000))
    diagram = compile_expression(same, [*first, *second])
    assert diagram.counts() == [2**24 - 2**12, 2**12]
    assert diagram.size < 200, "sifting finds the order in which the pairs are neighbours"


# Primes


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_all_primes_are_those_of_the_definition(name, literals):
    variables = UNIVERSES[name]
    boxes = [*all_boxes(variables), (0,) * len(variables)]
    for delta in functions(variables, **step_of(name)):
        for label, oracle, truth in oracles(delta, variables):
            primes, family = truth.primes(literals), oracle.primes(literals)
            assert same_sets(family, primes), (str(delta), label)
            assert family.count() == len(primes) and bool(family) == bool(primes)
            assert {box for box in boxes if box in family} == set(primes), (str(delta), label)


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", UNIVERSES)
def test_pi_explanations_are_the_primes_around_the_instance(name, literals):
    """Also around an instance that gets a different decision: there are none."""
    variables = UNIVERSES[name]
    boxes = all_boxes(variables)
    for number, delta in enumerate(functions(variables, **step_of(name, 3))):
        for label, oracle, truth in oracles(delta, variables):
            primes = truth.primes(literals)
            for place, point in enumerate(cells(variables)):
                family, around = oracle.primes(literals, point), [b for b in primes if contains(b, point)]
                assert bool(around) == truth.holds(point)
                assert same_sets(family, around), (str(delta), label, point)
                assert family.count() == len(around)
                if place == number % 7:
                    assert {box for box in boxes if box in family} == set(around)


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", MIXED)
def test_primes_of_random_functions_are_those_of_the_definition(name, literals):
    variables = MIXED[name]
    generator = np.random.default_rng(2)
    for delta in random_tables(variables, 12, seed=3):
        for label, oracle, truth in oracles(delta, variables):
            primes = truth.primes(literals)
            assert same_sets(oracle.primes(literals), primes), (str(delta), label)
            for point in generator.permutation(cells(variables))[:5].tolist():
                around = [b for b in primes if contains(b, point)]
                assert same_sets(oracle.primes(literals, tuple(point)), around), (str(delta), label, point)


# Contrasts


@pytest.mark.parametrize("literals", LANGUAGES)
@pytest.mark.parametrize("name", [*UNIVERSES, *MIXED])
def test_contrasts_are_the_least_that_reaches_another_decision(name, literals):
    variables = universe(name)
    generator = np.random.default_rng(4)
    for delta in functions_and_random(name, 23):
        for label, oracle, truth in oracles(delta, variables):
            for point in map(tuple, generator.permutation(cells(variables))[:4].tolist()):
                least = contrasts_by_definition(truth, point, literals)
                family = oracle.contrasts(literals, point)
                assert same_sets(family, least), (str(delta), label, point)
                assert family.count() == len(least) and all(box in family for box in least)


@pytest.mark.parametrize("part", range(3))
def test_explanations_and_contrasts_hit_each_other_minimally(part):
    """In `sets` over atoms and in `values` over features: a hundred functions, two instances of each."""
    generator = np.random.default_rng(part)
    names = list(MIXED)
    for number in range(100):
        variables = MIXED[names[number % len(names)]]
        (delta,) = random_tables(variables, 1, seed=1000 * part + number)
        for point in map(tuple, generator.permutation(cells(variables))[:2].tolist()):
            oracle = DiagramOracle(compile_expression(delta), int(delta.truth_table()[point]))
            excluded = {excluded_atoms(box, variables) for box in oracle.primes("sets", point)}
            allowed = {allowed_atoms(box, point) for box in oracle.contrasts("sets", point)}
            kept = {frozenset(mentioned(box, variables)) for box in oracle.primes("values", point)}
            freed = {
                frozenset(j for j, mask in enumerate(box) if mask == variables[j].everything)
                for box in oracle.contrasts("values", point)
            }
            assert minimal_hitting_sets(excluded) == allowed, (str(delta), point)
            assert minimal_hitting_sets(allowed) == excluded, (str(delta), point)
            assert minimal_hitting_sets(kept) == freed, (str(delta), point)
            assert minimal_hitting_sets(freed) == kept, (str(delta), point)


# Families


def families(seed, most=3):
    """Families of every kind: the box without restrictions, the family, its members.

    Primes of random functions, all and around an instance, and the contrasts of the instance (as they are listed).
    """
    generator = np.random.default_rng(seed)
    for variables in MIXED.values():
        everything = tuple(x.everything for x in variables)
        for delta in random_tables(variables, most, seed):
            oracle, truth = (
                DiagramOracle(compile_expression(delta, variables), 1),
                TableOracle(delta, variables),
            )
            true_points = [p for p in cells(variables) if truth.holds(p)]
            for literals in LANGUAGES:
                primes = truth.primes(literals)
                yield everything, oracle.primes(literals), primes
                if true_points:
                    point = true_points[generator.integers(len(true_points))]
                    around = [b for b in primes if contains(b, point)]
                    yield everything, oracle.primes(literals, point), around
                    contrasts = oracle.contrasts(literals, point)
                    yield tuple(1 << v for v in point), contrasts, list(contrasts)


def touched(box, base):
    """The variables that a box restricts, or lets go of: where it differs from the box without restrictions."""
    return [j for j, (mask, whole) in enumerate(zip(box, base, strict=True)) if mask != whole]


def test_a_family_lists_terms_by_the_number_of_their_variables():
    for base, family, members in families(seed=6):
        sizes = [len(touched(box, base)) for box in family]
        assert sizes == sorted(sizes)
        assert family.sizes() == {k: sizes.count(k) for k in sorted(set(sizes))}
        for size in range(len(base) + 2):
            assert same_sets(family.list_of_size(size), [b for b in members if len(touched(b, base)) == size])
        shortest = family.shortest()
        if members:
            assert shortest in members and len(touched(shortest, base)) == min(sizes)
        else:
            assert shortest is None and not family
        for j in range(len(base)):
            assert bool(family.mentioning(j)) == any(j in touched(box, base) for box in members)


def test_mentioning_and_avoiding_keep_what_they_say():
    generator = np.random.default_rng(7)
    for base, family, members in families(seed=8):
        kept = members
        for _ in range(4):
            j, keeps = int(generator.integers(len(base))), bool(generator.integers(2))
            kept = [box for box in kept if (j in touched(box, base)) == keeps]
            family = family.mentioning(j) if keeps else family.avoiding(j)
            assert same_sets(family, kept) and family.count() == len(kept)
            assert {box for box in members if box in family} == set(kept)
            assert sum(family.sizes().values()) == len(kept)
            assert set(family.sample(5, seed=1)) <= set(kept) and (family.shortest() is None) == (not kept)


def test_every_variable_is_mentioned_or_avoided():
    for base, family, members in families(seed=18, most=2):
        for j in range(len(base)):
            with_it = [box for box in members if j in touched(box, base)]
            assert same_sets(family.mentioning(j), with_it)
            assert same_sets(family.avoiding(j), set(members) - set(with_it))
            assert not family.mentioning(j).avoiding(j) and not family.avoiding(j).mentioning(j)


def check_widest(family, members, weights, rows):
    """The widest of a distribution and of some rows, against all members."""
    if not members:
        assert family.widest(weights) is None and family.widest_over(rows) is None
        return
    box, share = family.widest(weights)
    best = max(kept_mass(b, weights) for b in members)
    assert box in members and math.isclose(share, best, abs_tol=1e-12)
    assert math.isclose(kept_mass(box, weights), best, abs_tol=1e-12)
    for some in (rows, rows[:1], rows[:0]):
        held = {b: sum(contains(b, row) for row in some.tolist()) for b in members}
        box, count = family.widest_over(some)
        assert count == held[box] == max(held.values())


def test_the_widest_term_holds_the_most_of_a_distribution_and_of_rows():
    generator = np.random.default_rng(9)
    for variables in MIXED.values():
        for delta in random_tables(variables, 4, seed=10):
            oracle, truth = (
                DiagramOracle(compile_expression(delta, variables), 1),
                TableOracle(delta, variables),
            )
            for literals in LANGUAGES:
                point = cells(variables)[generator.integers(len(cells(variables)))]
                rows = np.column_stack([generator.integers(0, len(x), 40) for x in variables])
                weights, primes = random_weights(variables, generator), truth.primes(literals)
                check_widest(oracle.primes(literals), primes, weights, rows)
                around = [box for box in primes if contains(box, point)]
                check_widest(oracle.primes(literals, point), around, weights, rows)


def test_samples_are_members_and_uniform():
    X, Y, Z = (Variable(name, range(4)) for name in "XYZ")
    table = np.random.default_rng(13).random((4, 4, 4)) < 0.6
    family = DiagramOracle(compile_expression(from_table((X, Y, Z), table)), 1).primes("sets")
    members, draws = list(family), 6000
    drawn = family.sample(draws, seed=14)
    assert len(members) > 15 and set(drawn) == set(members) and drawn == family.sample(draws, seed=14)
    expected = draws / len(members)
    chi_square = sum((drawn.count(box) - expected) ** 2 / expected for box in members)
    degrees = len(members) - 1
    assert abs(chi_square - degrees) < 4 * math.sqrt(2 * degrees)


def product_of_choices(blocks):
    """A conjunction of "x, or y and z" over disjoint variables: two primes per block, one longer than the other."""
    variables = tuple(Variable.boolean(f"{name}{i}") for i in range(blocks) for name in "xyz")
    true = [x.literal([True]) for x in variables]
    return conjunction(
        [x | (y & z) for x, y, z in zip(true[::3], true[1::3], true[2::3], strict=True)]
    ), variables


@pytest.mark.parametrize("blocks", [1, 26, 52, 53, 54, 62, 63, 64, 65, 90])
def test_counts_are_exact_beyond_what_machine_numbers_hold(blocks):
    delta, variables = product_of_choices(blocks)
    diagram = compile_expression(delta, variables)
    assert diagram.counts() == [8**blocks - 5**blocks, 5**blocks]
    family = DiagramOracle(diagram, 1).primes("sets")
    assert family.count() == 2**blocks
    assert family.sizes() == {blocks + k: math.comb(blocks, k) for k in range(blocks + 1)}
    assert family.mentioning(1).count() == family.avoiding(0).count() == 2 ** (blocks - 1)
    assert family.mentioning(0).mentioning(1).count() == 0
    first = list(itertools.islice(family, min(2**blocks, 1 + blocks)))
    assert [len(mentioned(b, variables)) for b in first] == [blocks, *[blocks + 1] * (len(first) - 1)]
    assert all(box in family for box in family.sample(20, seed=1))
    assert len(set(family.sample(20, seed=1))) > 10 or blocks < 10
    box, share = family.widest([np.array([0.3, 0.7])] * len(variables))
    assert box == family.shortest() and math.isclose(share, 0.7**blocks)


@pytest.mark.parametrize("blocks", [33, 34, 40, 41, 60])
def test_odd_counts_are_exact_too(blocks):
    """Three primes per block, of variables with three values: 3^blocks has no short binary form."""
    variables = tuple(Variable(f"x{i}", "abc") for i in range(3 * blocks))
    either = [disjunction([x == "a" for x in variables[3 * i : 3 * i + 3]]) for i in range(blocks)]
    diagram = compile_expression(conjunction(either), variables)
    assert diagram.counts() == [27**blocks - 19**blocks, 19**blocks]
    for literals in LANGUAGES:
        family = DiagramOracle(diagram, 1).primes(literals)
        assert family.count() == 3**blocks and family.mentioning(0).count() == 3 ** (blocks - 1)
        around = DiagramOracle(diagram, 1).primes(literals, (0, 0, 1) * blocks)
        assert around.count() == 2**blocks
        assert DiagramOracle(diagram, 1).contrasts(literals, (0, 0, 1) * blocks).count() == blocks * (
            4 if literals != "values" else 1
        )


def test_a_majority_of_many_has_as_many_primes_as_there_are_choices():
    n, k = 60, 31
    variables = tuple(Variable.boolean(f"x{i}") for i in range(n))
    diagram = compile_expression(at_least(k, [x.literal([True]) for x in variables]), variables)
    assert diagram.counts()[1] == sum(math.comb(n, i) for i in range(k, n + 1))
    for literals in LANGUAGES:
        family = DiagramOracle(diagram, 1).primes(literals)
        assert family.count() == math.comb(n, k) and family.sizes() == {k: math.comb(n, k)}
        assert family.mentioning(7).count() == math.comb(n - 1, k - 1)
        assert family.avoiding(7).avoiding(8).mentioning(9).count() == math.comb(n - 3, k - 1)
        contrasts = DiagramOracle(diagram, 1).contrasts(literals, (1,) * n)
        assert contrasts.sizes() == {n - k + 1: math.comb(n, n - k + 1)}


def test_counts_are_exact_beyond_what_floats_can_tell_apart_from_infinity():
    """All sets of 1100 restrictions, as a family that is written down by hand."""
    n = 1100
    nodes = np.arange(n)
    children = np.concatenate([[0, 1], nodes + 1])
    restrictions = tuple(Restriction(j, 0b10) for j in range(n))
    variable = np.concatenate([[2**31 - 1] * 2, n - 1 - nodes])
    family = DiagramFamily((0b11,) * n, restrictions, False, variable, children, children, n + 1)
    assert family.count() == 2**n and family.mentioning(0).count() == 2 ** (n - 1)
    assert len(set(family.sample(3, seed=1))) == 3


# The complete reason


@pytest.mark.parametrize("name", [*UNIVERSES, *MIXED])
def test_the_reason_is_true_where_the_decision_is_certain(name):
    variables = universe(name)
    generator = np.random.default_rng(15)
    boxes = all_boxes(variables)
    for delta in functions_and_random(name, 29):
        for label, oracle, truth in oracles(delta, variables):
            for point in map(tuple, generator.permutation(cells(variables))[:3].tolist()):
                reason = oracle.reason(point)
                for i in generator.choice(len(boxes), 25):
                    wider = tuple(mask | 1 << v for mask, v in zip(boxes[i], point, strict=True))
                    certain = truth.counterexample(wider) is Verdict.NONE_EXISTS
                    assert reason.holds(boxes[i]) == certain, (str(delta), label, point, boxes[i])
                members = [b for b in truth.primes("sets") if contains(b, point)]
                relevant = {(r.place, v) for r in reason.relevant for v in indices(r.mask)}
                assert relevant == set().union(*(excluded_atoms(b, variables) for b in members))


def test_a_diagram_says_the_same_after_pickling():
    import pickle

    (delta,) = random_tables(MIXED["five, three and two values"], 1, seed=16)
    diagram = compile_expression(delta)
    before = list(DiagramOracle(diagram, 1).primes("sets"))
    again = pickle.loads(pickle.dumps(diagram))
    again.check()
    assert list(DiagramOracle(again, 1).primes("sets")) == before
    assert all(
        again.decide(p) == diagram.decide(p) for p in points([x.everything for x in diagram.variables])
    )
