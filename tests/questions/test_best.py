"""The best explanations through the public face, against their definitions over all cells.

The models are small, so that a table holds the decision of every cell: each is decided by the reference `predict` on a
row of it, and the cells where no row can be are known. A decision with features fixed or avoided is a smaller table:
the fixed features are read at the instance's values, and the avoided ones must not matter. The best explanations are
then the best of that table's prime boxes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import primewood as pw
from attack import breaking_row
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    Table,
    is_possible,
    numbers_in,
    random_ensemble,
    random_tree,
)
from conformance.universes import LANGUAGES
from primewood.engines.protocol import Verdict
from primewood.engines.search.oracle import SearchOracle
from primewood.ensemble import Ensemble
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains
from primewood.logic.masks import indices

KINDS = (
    "none",
    "clause",
    "order",
    "both",
    "one-hot",
    "cut-off",
    "between",
    "means",
    "majority",
)


@dataclass
class World:
    """A small model with the decision of each of its cells; −1 where no row can be."""

    options: dict
    explainer: pw.Explainer
    decision: dict

    def with_engine(self, engine):
        return pw.Explainer(**{**self.options, "engine": engine})

    @property
    def variables(self):
        return self.explainer._model.subject.variables

    @property
    def possible(self):
        return [cell for cell, label in self.decision.items() if label >= 0]

    def points(self, seed, count):
        """Some possible cells, each with a row in it that can be."""
        picked = np.random.default_rng(seed).permutation(len(self.possible)).tolist()
        for i in picked[:count]:
            cell = self.possible[i]
            yield self.row(cell), cell, self.decision[cell]

    def row(self, cell):
        """A row of a possible cell that violates no order."""
        row = self.explainer._model.subject.row_in(cell)
        if self.explainer.domain.knowledge.orders:
            values = {x.name: x.values[v] for x, v in zip(self.variables, cell, strict=True)}
            xs, ys = ([row[j], *(numbers_in(values[n]) if n in values else ())] for j, n in enumerate("xy"))
            tried = itertools.product([*xs, -100.0], [*ys, 100.0], row[2:])
            tried = [t for t in tried if is_possible(t, self.options["constraints"])]
            row = next(t for t in map(np.array, tried) if self.cell(t) == cell)
        return row

    def cell(self, row):
        return tuple(self.explainer.domain.points(np.array([row]))[0].tolist())

    def table(self, labels):
        """Where the decision is one of these, or no row can be."""
        found = np.zeros([len(x) for x in self.variables], dtype=bool)
        for cell, decision in self.decision.items():
            found[cell] = decision in labels or decision == -1
        return found

    def decided_in(self, box):
        return {self.decision[cell] for cell in self.possible if contains(box, cell)}


def one_hot(seed):
    """A whole number, a group of three columns, and a plain number that may be missing."""
    generator = np.random.default_rng(seed)

    def grow(level):
        if level == 0:
            return generator.choice([-1 / 3, 1 / 3, 2 / 3, 0.1], 1)
        column = int(generator.integers(5))
        cuts = {0: [0.5, 2.0, 3.5], 4: [-1.0, 0.5, 2.0]}.get(column, [0.5])
        return (column, float(generator.choice(cuts)), grow(level - 1), grow(level - 1))

    trees = [pw.Tree.build(grow(3)) for _ in range(5)]
    trees = tuple(replace(tree, missing_left=generator.random(len(tree)) < 0.5) for tree in trees)
    names = ("n", "c_red", "c_green", "c_blue", "y")
    ensemble = Ensemble(
        trees,
        names,
        ("no", "yes"),
        allows_missing=True,
        never_missing=frozenset(range(4)),
        vote="sum",
        cuts=(0.0,),
    )
    return {
        "model": ensemble,
        "groups": {"c": names[1:4]},
        "domain": {"n": "whole"},
        "constraints": ["c=red -> n < 2"] if seed % 2 else None,
    }


def means(seed):
    """A mean of class fractions over three or four classes, with many ties."""
    generator = np.random.default_rng(seed)
    classes = tuple("abcd"[: 3 + seed % 2])
    trees = tuple(
        random_tree(generator, 2, len(classes), t % len(classes), [0.5, 1.0, 1 / 3]) for t in range(5)
    )
    return {
        "model": Ensemble(trees, ("x", "y", "z"), classes, operator="<", vote="mean"),
        "domain": {"z": CODES},
        "vote": "model",
    }


def regressor(seed, **decision):
    generator = np.random.default_rng(seed)
    trees = tuple(random_tree(generator, 2, 1, 0, [-1 / 3, 1 / 3, 0.5, 1.0]) for _ in range(5))
    ensemble = Ensemble(trees, ("x", "y", "z"), ("prediction",), operator="<", vote="sum")
    return {"model": ensemble, "domain": {"z": CODES}, **decision}


def options_of(kind, seed):
    if kind == "one-hot":
        return one_hot(seed)
    if kind in ("means", "majority"):
        return {**means(seed), "vote": "majority" if kind == "majority" else "model"}
    if kind == "cut-off":
        return regressor(seed, threshold=1 / 3)
    if kind == "between":
        return regressor(seed, between=(1 / 3, 1.0))
    constraints = dict(zip(KINDS, CONSTRAINTS, strict=False))[kind]
    return {"model": random_ensemble(seed), "domain": {"z": CODES}, "constraints": constraints}


def world(kind, seed):
    options = options_of(kind, seed)
    explainer = pw.Explainer(**options, engine="search")
    subject = explainer._model.subject
    if kind in KINDS[:4]:
        decision = Table(subject, options["constraints"]).decision
    else:
        cells = list(itertools.product(*(range(len(x)) for x in subject.variables)))
        rows = np.array([subject.row_in(cell) for cell in cells])
        decision = dict(zip(cells, explainer.ensemble.predict(rows).tolist(), strict=True))
        if options.get("constraints"):
            n, red = rows[:, 0], rows[:, 1] == 1
            for cell, out in zip(cells, (red & (n >= 2)).tolist(), strict=True):
                decision[cell] = -1 if out else decision[cell]
    return World(options, explainer, decision)


def engines_for(some):
    """Every engine that can answer."""
    plain = some.explainer.ensemble.is_plain
    return ["search", "diagram", "auto"] + (["bdd", "sat"] if plain else [])


def around(table, variables, literals, point):
    return {box for box in prime_boxes(table, variables, literals) if contains(box, point)}


def primes_given(some, labels, literals, point, fixed=(), avoided=()):
    """The best one can do with some features fixed and some avoided: boxes over all features."""
    table = some.table(labels)
    index = tuple(point[j] if j in fixed else slice(None) for j in range(len(point)))
    left = [j for j in range(len(point)) if j not in fixed]
    table = table[index]
    table = np.all(table, axis=tuple(left.index(j) for j in avoided))
    left = [j for j in left if j not in avoided]
    if not left:
        boxes = {()} if bool(table) else set()
    else:
        boxes = around(table, [some.variables[j] for j in left], literals, [point[j] for j in left])
    whole = [1 << point[j] if j in fixed else x.everything for j, x in enumerate(some.variables)]
    found = set()
    for box in boxes:
        made = list(whole)
        for j, mask in zip(left, box, strict=True):
            made[j] = mask
        found.add(tuple(made))
    return found


def mentioned(some, box):
    return {j for j, x in enumerate(some.variables) if box[j] != x.everything}


def check_shortest(some, engine, row, point, label, literals, generator):
    explainer = some.with_engine(engine)
    names = [x.name for x in some.variables]
    places = generator.permutation(len(names)).tolist()
    fixed = set(places[: generator.integers(0, 2)])
    avoided = set(places[1:][: generator.integers(0, max(1, len(names)))]) - fixed
    weights = None
    if generator.random() < 0.5:
        weights = {name: float(generator.choice([0.5, 1.0, 2.5, 1 / 3])) for name in names[:2]}
    asked = {"fix": [names[j] for j in fixed], "weights": weights}
    if generator.random() < 0.5:
        asked["avoid"] = [names[j] for j in avoided]
    else:
        asked["only"] = [names[j] for j in range(len(names)) if j not in avoided and j not in fixed]
    expected = primes_given(some, {label}, literals, point, fixed, avoided)
    why = explainer.explain(row, literals=literals, goal="shortest", **asked)
    box = why.term.box(some.variables)
    told = (engine, literals, asked, why.rule)
    assert why.decision == explainer.class_names[label] and contains(box, point), told
    assert some.decided_in(box) == {label}, told
    if not expected:
        assert why.status == "impossible", told
        return
    assert why.status == "proved" and box in expected, told

    def weight(box):
        kept = mentioned(some, box) - fixed
        return sum((weights or {}).get(names[j], 1.0) for j in kept)

    least = min(map(weight, expected))
    assert weight(box) == pytest.approx(least), told
    assert why.bounds == pytest.approx((least, least)), told


def training_rows(some, seed, count=40):
    """Rows of possible cells, with numbers anywhere inside them."""
    generator = np.random.default_rng(seed)
    found = []
    for i in generator.integers(0, len(some.possible), count):
        row = some.row(some.possible[i])
        for feature, value in zip(some.explainer.domain.seen, some.possible[i], strict=True):
            if feature.patterns is None and not (np.isnan(row[feature.column]) or feature.whole):
                low, high = np.clip(feature.ends(value), -4.0, 4.0)
                if not some.explainer.domain.knowledge.orders:
                    row[feature.column] = generator.uniform(low, high)
        found.append(row)
    return np.array(found)


def covered(some, explainer, box, measure):
    if measure == "values":
        return np.prod([mask.bit_count() / len(x) for mask, x in zip(box, some.variables, strict=True)])
    if measure == "rows":
        return sum(contains(box, point) for point in explainer._model.context.points.tolist())
    shares = zip(box, explainer._model.context.volumes, strict=True)
    return np.prod([volumes[indices(mask)].sum() for mask, volumes in shares])


def with_rows(some, engine, seed):
    """The explainer with training rows, over the same cells."""
    names = set(some.explainer.ensemble.feature_names)
    declared = {**dict.fromkeys(names & {"x", "y"}, "numeric"), **some.options["domain"]}
    missing = "allow" if some.explainer.ensemble.allows_missing else "auto"
    X = training_rows(some, seed)
    options = {**some.options, "domain": declared, "X_train": X, "engine": engine, "missing": missing}
    explainer = pw.Explainer(**options)
    assert explainer._model.subject.variables == some.variables
    return explainer


def check_widest(some, engine, seed, literals, generator):
    explainer = with_rows(some, engine, seed)
    for measure in ("rows", "volume", "values"):
        row, point, label = next(some.points(int(generator.integers(1000)), 1))
        fixed, avoided = set(), set()
        if point and generator.random() < 0.4:
            fixed = {int(generator.integers(len(point)))}
        if point and generator.random() < 0.4:
            avoided = {int(generator.integers(len(point)))} - fixed
        names = [x.name for x in some.variables]
        asked = {"fix": [names[j] for j in fixed], "avoid": [names[j] for j in avoided]}
        expected = primes_given(some, {label}, literals, point, fixed, avoided)
        why = explainer.explain(row, literals=literals, goal="widest", measure=measure, **asked)
        box = why.term.box(some.variables)
        told = (engine, literals, measure, asked, why.rule)
        assert some.decided_in(box) == {label} and contains(box, point), told
        if not expected:
            assert why.status == "impossible", told
            continue
        most = max(covered(some, explainer, each, measure) for each in expected)
        own = covered(some, explainer, box, measure)
        if why.status == "proved":
            assert own == pytest.approx(most, rel=2e-6), told
        assert own <= most * (1 + 1e-9)
        assert box in expected or why.status != "proved", told
        if why.bounds is not None:
            assert why.bounds[0] == pytest.approx(own), told
            assert most <= why.bounds[1] * (1 + 2e-6) + 1e-12, told


def check_best(kind, seed):
    some = world(kind, seed)
    generator = np.random.default_rng(seed)
    for row, point, label in some.points(seed, 2):
        for literals in LANGUAGES:
            for engine in engines_for(some):
                check_shortest(some, engine, row, point, label, literals, generator)
    for literals in LANGUAGES:
        for engine in engines_for(some):
            check_widest(some, engine, seed, literals, generator)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_explanations_are_those_of_the_definition(kind):
    check_best(kind, KINDS.index(kind))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_explanations_of_many_models_are_those_of_the_definition(kind, part):
    for seed in range(100 + 10 * part, 110 + 10 * part):
        check_best(kind, seed)


def test_the_widest_is_found_where_a_share_of_the_range_is_next_to_nothing():
    """Around a missing x: "x is missing" covers nothing of the range, "x >= -1 or missing" all of it."""
    tree = pw.Tree.build((0, -1.0, [0.0], (0, 2.0, [1.0], [0.0])))
    tree = replace(tree, missing_left=np.zeros(len(tree), dtype=bool))
    other = replace(pw.Tree.build((0, 2.0, [1.0], [2.0])), missing_left=np.zeros(3, dtype=bool))
    ensemble = Ensemble(
        (tree, other), ("x",), ("no", "yes"), operator="<", allows_missing=True, vote="sum", cuts=(1.5,)
    )
    X = np.array([[np.nextafter(-1.0, -2.0)], [0.0], [1.9]])
    for engine in ("search", "diagram", "auto"):
        explainer = pw.Explainer(ensemble, X, engine=engine, missing="allow", literals="sets")
        why = explainer.explain([np.nan], literals="intervals", goal="widest", measure="volume")
        assert why.decision == "yes"
        assert why.volume == pytest.approx(1.0) or (why.status == "interrupted" and why.bounds[1] >= 1.0)


@pytest.mark.parametrize("goal", ["shortest", "widest"])
@pytest.mark.parametrize("work", [1, 10, 100])
def test_interrupted_answers_entail_the_decision_and_bound_the_best(goal, work):
    for kind in ("none", "both", "means"):
        some = world(kind, 5)
        for row, point, label in some.points(5, 4):
            for literals in LANGUAGES:
                why = some.explainer.explain(
                    row, literals=literals, goal=goal, time_limit=None, work_limit=work
                )
                box = why.term.box(some.variables)
                assert some.decided_in(box) == {label} and contains(box, point)
                expected = primes_given(some, {label}, literals, point)
                if goal == "shortest":
                    least = min(len(mentioned(some, each)) for each in expected)
                    assert why.bounds[0] <= least <= why.bounds[1]
                else:
                    most = max(covered(some, some.explainer, each, "values") for each in expected)
                    assert why.bounds[0] <= most * (1 + 1e-9) and most <= why.bounds[1] * (1 + 2e-6)
                assert box in expected or why.status == "interrupted"


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_no_row_breaks_the_best_explanations_or_the_rules_of_real_forests(kind, load):
    X, y = load(return_X_y=True)
    X = X[:, :8]
    model = kind(12, max_depth=3, random_state=0, n_jobs=1).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    found = [
        explainer.explain(X[i], literals=literals, goal=goal, time_limit=1)
        for i in (0, len(X) // 2)
        for literals in LANGUAGES
        for goal in ("shortest", "widest")
    ]
    rules = explainer.rules(coverage=0.8, time_limit=3)
    decided = model.predict(X)
    for rule in rules:
        assert rule.rows == (rule.covers(X) & (decided == rule.decision)).sum() == rule.covers(X).sum()
    for why in (*found, *rules):
        assert breaking_row(explainer, why, model.predict) is None, why.rule


@pytest.mark.parametrize("goal", ["prime", "shortest", "widest"])
def test_without_time_to_see_whether_a_feature_can_be_avoided_nothing_is_proved(monkeypatch, goal):
    """The search that shows why it cannot is one more, and may be the one that the time is too short for."""
    X, y = load_iris(return_X_y=True)
    explainer = pw.Explainer(
        RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y), X, literals="sets"
    )
    whys = [explainer.explain(x, avoid=["x2", "x3"], goal=goal) for x in X[::30]]
    assert {str(why.status) for why in whys} == {"impossible"}
    monkeypatch.setattr(SearchOracle, "counterexample", lambda *_: Verdict.INTERRUPTED)
    for x in X[::30]:
        why = explainer.explain(x, avoid=["x2", "x3"], goal=goal)
        assert {"x2", "x3"} & set(why.features) and why.status == "interrupted"
