"""Boosted sums, tests of sets of values, and knowledge: every engine against brute force over all cells.

The oracle here is a table: each cell is decided by the reference `predict` on a row of it, K is read off real rows, and
prime boxes come from the definition. It shares nothing with the engines but the domain.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from asking import model_of
from primewood.domain import DomainRecipe, EnsembleSubject, domain_of
from primewood.engines.choice import Engines
from primewood.engines.protocol import WeakeningPlan
from primewood.ensemble import Ensemble, Tree
from primewood.logic.by_definition import prime_boxes
from primewood.questions.order import plan_steps
from primewood.questions.weakening import weaken

LANGUAGES = ("sets", "intervals", "values")


def random_tree(generator, depth, outputs, own, grid):
    def grow(level):
        if level == 0 or generator.random() < 0.15:
            value = np.zeros(outputs)
            value[own] = generator.choice(grid)
            return value
        feature = int(generator.integers(3))
        if feature == 2:
            codes = np.flatnonzero(generator.random(4) < 0.5)
            bounds = sorted({float(c) for c in codes} ^ {float(c + 1) for c in codes})
            return (feature, bounds, grow(level - 1), grow(level - 1))
        return (feature, float(generator.choice([-1.0, 0.5, 2.0])), grow(level - 1), grow(level - 1))

    tree = Tree.build(grow(depth))
    return replace(tree, missing_left=generator.random(len(tree)) < 0.5)


def random_ensemble(seed):
    """Three features: two numbers, and a category with the codes 0 to 3; sums that nearly cancel."""
    generator = np.random.default_rng(seed)
    kind = ("cut", "two cuts", "softmax", "largest")[seed % 4]
    precision = ("float32", "float64")[seed // 4 % 2]
    outputs = {"cut": 1, "two cuts": 1}.get(kind, 3)
    third = float(np.float32(1 / 3)) if precision == "float32" else 1 / 3
    grid = [-2 * third, -third, third, 2 * third, 0.1 if precision == "float64" else float(np.float32(0.1))]
    if seed % 3 == 0:
        grid = [-1.0, -0.5, 0.5, 1.0]
    trees = tuple(
        random_tree(generator, 2, outputs, t % outputs, grid) for t in range(1 if seed % 7 == 6 else 6)
    )
    options = {
        "cut": {"classes": ("no", "yes"), "cuts": (0.0,)},
        "two cuts": {"classes": ("low", "middle", "high"), "cuts": (-third, third)},
        "softmax": {"classes": ("a", "b", "c"), "link": "softmax32" if precision == "float32" else "softmax"},
        "largest": {"classes": ("a", "b", "c")},
    }[kind]
    start = tuple(generator.choice([0.0, third, -third]) for _ in range(outputs))
    return Ensemble(
        trees,
        ("x", "y", "z"),
        operator="<",
        dtype=precision,
        allows_missing=bool(seed % 2),
        vote="sum",
        start=start,
        precision=precision,
        **options,
    )


CODES = {0: "red", 1: "green", 2: "blue", 3: "grey"}
CONSTRAINTS = [
    None,
    ["z=red -> x < 0.5"],
    ["x <= y"],
    ["x <= y + 2.5", "not (z=blue and y >= 2)", "z in {green, grey} or x >= -1 or y < 0.5"],
]


def subject_of(seed, constraints):
    ensemble = random_ensemble(seed)
    domain = domain_of(ensemble, DomainRecipe(declared={"z": CODES}, constraints=constraints))
    return EnsembleSubject(ensemble, domain)


def is_possible(row, constraints):
    """The constraints, by hand, on a real row."""
    x, y, z = row
    if constraints is None:
        return True
    if len(constraints) == 3:
        if not (np.isnan(x) or np.isnan(y) or x <= y + 2.5) or (z == 2 and y >= 2):
            return False
        return z in (1, 3) or x >= -1 or y < 0.5
    return not (z == 0 and not x < 0.5) if "z" in constraints[0] else (np.isnan(x) or np.isnan(y) or x <= y)


def numbers_in(value):
    """Some numbers of an interval: enough to satisfy an order between two cells if any do."""
    if not hasattr(value, "low"):
        return [np.nan]
    low = value.low if np.isfinite(value.low) else -100.0
    high = value.high if np.isfinite(value.high) else 100.0
    return [low if np.isfinite(value.low) else -100.0, (low + high) / 2, np.nextafter(high, -np.inf)]


class Table:
    """All cells with their decision; −1 where no row can be."""

    def __init__(self, subject, constraints):
        self.variables = subject.variables
        self.cells = list(itertools.product(*(range(len(x)) for x in self.variables)))
        rows = np.array([subject.row_in(cell) for cell in self.cells])
        decided = subject.ensemble.predict(rows)
        self.decision = {}
        for cell, row, label in zip(self.cells, rows, decided.tolist(), strict=True):
            by_name = {x.name: x.values[v] for x, v in zip(self.variables, cell, strict=True)}
            xs = numbers_in(by_name["x"]) if "x" in by_name else [-100.0, 100.0]
            ys = numbers_in(by_name["y"]) if "y" in by_name else [-100.0, 100.0]
            some = any(is_possible((x, y, row[2]), constraints) for x in xs for y in ys)
            self.decision[cell] = label if some else -1

    def primes(self, point, label, language):
        """By definition, over the truth table of "this is the decision, or no row is here"."""
        table = np.zeros([len(x) for x in self.variables], dtype=bool)
        for cell, decision in self.decision.items():
            table[cell] = decision in (label, -1)
        boxes = prime_boxes(table, self.variables, language)
        return {box for box in boxes if all(m >> v & 1 for m, v in zip(box, point, strict=True))}


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(60))
def test_every_engine_agrees_with_the_table(seed, constraints):
    subject = subject_of(seed, constraints)
    table = Table(subject, constraints)
    names = ["search", "diagram"] + (["bdd", "sat"] if subject.ensemble.is_plain else [])
    engines = {name: Engines(subject, name) for name in names}
    possible = [cell for cell in table.cells if table.decision[cell] >= 0]
    generator = np.random.default_rng(seed)
    picked = [possible[i] for i in generator.permutation(len(possible))[:3]]
    steps, order = plan_steps(model_of(Engines(subject)), None)
    for point in picked:
        label = table.decision[point]
        for language in LANGUAGES:
            expected = table.primes(point, label, language)
            for name, engine in engines.items():
                assert engine.decide(point) == label, name
                oracle = engine.oracle(label)
                found = weaken(oracle, point, WeakeningPlan(steps, order, language))
                assert not found.interrupted and found.box in expected, (name, language)
                assert set(oracle.primes(language, point)) == expected, (name, language)
                for (j, v), witness in found.find_witnesses().items():
                    assert witness[j] == v and table.decision[witness] not in (label, -1)
            boxes = {
                weaken(e.oracle(label), point, WeakeningPlan(steps, order, language)).box
                for e in engines.values()
            }
            assert len(boxes) == 1, "the answer is a function of the order alone"


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
def test_points_of_boxes_are_found_wherever_there_are_any(constraints):
    for seed in range(20):
        subject = subject_of(seed, constraints)
        table = Table(subject, constraints)
        generator = np.random.default_rng(seed)
        engines = [Engines(subject, name) for name in ("search", "diagram")]
        for _ in range(20):
            box = tuple(int(generator.integers(1, x.everything + 1)) for x in subject.variables)
            cells = set(itertools.product(*([v for v in range(8) if m >> v & 1] for m in box)))
            there = {table.decision[cell] for cell in cells} - {-1}
            for label in range(len(subject.labels)):
                for engine in engines:
                    oracle = engine.oracle(label)
                    other = oracle.counterexample(box)
                    assert isinstance(other, tuple) == bool(there - {label})
                    if isinstance(other, tuple):
                        assert other in cells and table.decision[other] not in (label, -1)
                example = engines[0].oracle(label).example(box)
                assert isinstance(example, tuple) == (label in there)
                if isinstance(example, tuple):
                    assert example in cells and table.decision[example] == label
