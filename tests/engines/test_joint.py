"""Two decisions at once: joint searches against all pairs of cells, and where rounding alone tells two rows apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from conformance.test_sums_and_sets_of_values import CONSTRAINTS, Table, subject_of
from primewood.domain import EnsembleSubject, domain_of
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Verdict
from primewood.engines.search.joint import Demand, JointForest, Relation
from primewood.ensemble import Ensemble, Tree


def product(subject, doubled, *, paired, relations=()):
    """The forest of a subject on two rows that share all but some variables."""
    forest, variables = Engines(subject, "search").search_forest(), subject.variables
    places = list(range(len(variables)))
    for i, j in enumerate(doubled):
        places[j] = len(variables) + i
    parts = [(forest, range(len(variables))), (forest, places)]
    joint = (*variables, *(variables[j] for j in doubled))
    return JointForest(joint, parts, relations=relations, paired=paired, twins=True)


def pairs_of_cells(table, doubled):
    """All joint points of possible cells, with the two decisions."""
    for cell in table.cells:
        for values in itertools.product(*(range(len(table.variables[j])) for j in doubled)):
            other = list(cell)
            for j, v in zip(doubled, values, strict=True):
                other[j] = v
            decisions = table.decision[cell], table.decision[tuple(other)]
            if min(decisions) >= 0:
                yield (*cell, *values), decisions


def compare(seed, constraints, rounds):
    subject = subject_of(seed, constraints)
    table = Table(subject, constraints)
    generator = np.random.default_rng(seed)
    count = len(subject.variables)
    if not count:
        return  # it decides the same about every row
    doubled = tuple(np.flatnonzero(generator.random(count) < 0.5).tolist()) or (0,)
    every = list(pairs_of_cells(table, doubled))
    labels = range(len(subject.labels))
    relations = []
    ordered = [len(x) - (x.missing is not None) for x in subject.variables]
    if seed % 2 and subject.variables[doubled[0]].ordered:
        n, j = ordered[doubled[0]], doubled[0]
        runs = np.sort(generator.integers(0, n, (n, 2)), axis=1)
        relations = [Relation(j, count, runs[:, 0].tolist(), runs[:, 1].tolist())]

    def related(point):
        for j, k, low, high in relations:
            a, b = point[j], point[k]
            if a >= ordered[j] or b >= ordered[j]:
                if (a >= ordered[j]) != (b >= ordered[j]):
                    return False
            elif not low[a] <= b <= high[a]:
                return False
        return True

    every = [(point, decisions) for point, decisions in every if related(point)]
    for paired in (True, False):
        joint = product(subject, doubled, paired=paired, relations=relations)
        for _ in range(rounds):
            box = tuple(
                int(generator.integers(1, x.everything + 1)) | int(generator.integers(x.everything + 1))
                for x in joint.variables
            )
            inside = {d for p, d in every if all(m >> v & 1 for m, v in zip(box, p, strict=True))}
            for wanted in itertools.permutations(labels, 2):
                demands = [Demand(part, label) for part, label in enumerate(wanted)]
                reply = joint.find(box, demands)
                assert reply is not Verdict.INTERRUPTED
                assert isinstance(reply, tuple) == (wanted in inside), (paired, box, wanted)
                for answer in (reply, joint.find(box, demands, Clock(None, 1))):
                    if isinstance(answer, tuple):
                        assert related(answer)
                        assert all(m >> v & 1 for m, v in zip(box, answer, strict=True))
                        assert tuple(table.decision[joint.part(answer, i)] for i in (0, 1)) == wanted
                    elif answer is Verdict.NONE_EXISTS:
                        assert wanted not in inside


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(16))
def test_a_pair_is_found_wherever_there_is_one(seed, constraints):
    compare(seed, constraints, rounds=4)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(16, 216))
def test_a_pair_is_found_in_many_models(seed, constraints):
    compare(seed, constraints, rounds=8)


def nearly_cancelling(seed, between):
    """Two trees about x that cancel up to a few units in the last place, and others about y summed between them.

    The cut is the score of one of the four cells, so that rounding on the way decides about another one.
    """
    generator = np.random.default_rng(seed)
    precision = ("float32", "float64")[seed % 2]
    kind = np.dtype(precision).type
    step = float(kind(generator.uniform(0.1, 3)))
    left_over = float(kind(generator.integers(0, 5) * np.finfo(kind).eps * step))
    middle = [[float(kind(v)) for v in generator.uniform(-1, 1, 2)] for _ in range(between)]
    trees = (
        Tree.build((0, 0.0, [step], [0.0])),
        *(Tree.build((1, 0.0, [a], [b])) for a, b in middle),
        Tree.build((0, 0.0, [-step], [left_over])),
    )
    rows = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])

    def with_cut(cut):
        return Ensemble(
            trees,
            ("x", "y"),
            operator="<",
            dtype="float64",
            allows_missing=False,
            vote="sum",
            start=(0.0,),
            precision=precision,
            classes=("no", "yes"),
            cuts=(cut,),
        )

    cut = float(with_cut(0.0).scores(rows)[generator.integers(4), 0])
    return with_cut(cut), rows


@pytest.mark.parametrize("between", [1, 3, 20])
def test_two_rows_that_only_rounding_tells_apart_are_found(between):
    told_apart = 0
    for seed in range(60):
        ensemble, rows = nearly_cancelling(seed, between)
        decided = ensemble.predict(rows).reshape(2, 2)
        subject = EnsembleSubject(ensemble, domain_of(ensemble))
        for paired in (True, False):
            joint = product(subject, (0,), paired=paired)
            for wanted in ((0, 1), (1, 0)):
                there = any((decided[0, y], decided[1, y]) == wanted for y in (0, 1))
                reply = joint.find((1, 3, 2), [Demand(i, label) for i, label in enumerate(wanted)])
                assert isinstance(reply, tuple) == there, (seed, paired, wanted)
                told_apart += there
    assert told_apart > 10
