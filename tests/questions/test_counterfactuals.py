"""Counterfactuals against the definition: the least cost over all cells, and rows that are what they are said to be."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CODES, CONSTRAINTS, Table, is_possible, random_ensemble
from primewood.domain import EnsembleSubject

NAMES = ["none", "clause", "order", "both"]
WISHES = [
    {},
    {"immutable": ["x"]},
    {"increase": ["x"], "decrease": ["y"]},
    {"weights": {"x": 2.0, "z": 0.5}, "decrease": ["x"]},
]


class World:
    """A small random model, all its cells, and a row to ask about."""

    def __init__(self, seed, constraints, engine="auto"):
        self.constraints, self.generator = constraints, np.random.default_rng(seed)
        self.ensemble = random_ensemble(seed)
        options = {"domain": {"z": CODES}, "constraints": constraints, "engine": engine}
        self.explainer = pw.Explainer(self.ensemble, **options)
        self.table = Table(EnsembleSubject(self.ensemble, self.explainer.domain), constraints)
        self.features = self.explainer.domain.seen

    def row(self):
        """A row that can be, with numbers anywhere in their cells."""
        while True:
            x, y = self.generator.choice([-3.0, -1.0, 0.0, 0.5, 1.1, 2.0, 4.7], 2) + self.generator.choice(
                [0.0, 1e-3]
            )
            row = np.array([x, y, float(self.generator.integers(4))])
            for feature in self.explainer.domain.features:
                if feature.missing and self.generator.random() < 0.15:
                    row[feature.column] = np.nan
            if is_possible(row.tolist(), self.constraints):
                return row

    def cost(self, row, cell, norm, wishes):
        """What it costs to get from a row to a cell; infinite if that may not be."""
        parts = []
        for feature, value in zip(self.features, cell, strict=True):
            held, name = row[feature.column], feature.name
            low, high = (math.nan, math.nan)
            numbers = len(feature.variable) - feature.missing
            if feature.patterns is None and value < numbers:
                low, high = feature.ends(value)
            stays = low <= held <= high
            if feature.patterns is not None and value < numbers:
                stays = held == feature.numbers[value, 0]
            stays = stays or (math.isnan(held) and value >= numbers)
            if stays:
                continue
            one_way = name in wishes.get("increase", ()), name in wishes.get("decrease", ())
            up = low > held
            if (
                name in wishes.get("immutable", ())
                or value >= numbers
                or (any(one_way) and (math.isnan(held) or one_way != (up, not up)))
            ):
                return math.inf
            step = 1.0
            if feature.patterns is None and norm != "l0" and not math.isnan(held):
                step = low - held if up else held - high
            parts.append(step * wishes.get("weights", {}).get(name, 1.0))
        return max(parts, default=0.0) if norm == "linf" else sum(parts)

    def least(self, row, norm, wishes, label, target):
        return min(
            (
                self.cost(row, cell, norm, wishes)
                for cell, decision in self.table.decision.items()
                if decision >= 0 and (decision != label if target is None else decision == target)
            ),
            default=math.inf,
        )

    def check_row(self, found, wishes, label, target):
        """The row is decided as said, can be, and moves only what may move, as it may."""
        asked, row = np.array(found.asked), np.array(found.row)
        decision = int(self.ensemble.predict(row[None, :])[0])
        assert decision != label if target is None else decision == target
        assert found.other == self.explainer.class_names[decision]
        assert (is_possible(row.tolist(), self.constraints) and row[2] in (0, 1, 2, 3)) or np.isnan(row[2])
        changed = [
            n for n, a, b in zip("xyz", asked, row, strict=True) if not (a == b or (a != a and b != b))
        ]
        assert changed == list(found.features)
        assert not {*changed} & {*wishes.get("immutable", ())}
        assert not np.isnan(row[~np.isnan(asked)]).any()
        for column, name in enumerate("xy"):
            if name in changed and name in wishes.get("increase", ()):
                assert row[column] > asked[column], "it only goes up"
            if name in changed and name in wishes.get("decrease", ()):
                assert row[column] < asked[column], "it only goes down"

    def check_box(self, found):
        """Rows with the changed features anywhere within their ranges, all else as asked, are decided alike."""
        if found.box is None:
            return
        masks = dict(
            zip((f.name for f in self.features), found.box.box(self.explainer.domain.variables), strict=True)
        )
        choices = []
        for feature in self.explainer.domain.features:
            if feature.name not in found.features or feature.variable is None:
                choices.append([found.row[feature.column]])
                continue
            allowed = [v for v in range(len(feature.variable)) if masks[feature.name] >> v & 1]
            numbers = []
            for v in allowed:
                if v >= len(feature.variable) - feature.missing:
                    numbers.append(math.nan)
                elif feature.patterns is not None:
                    numbers.append(feature.numbers[v, 0])
                else:
                    low, high = feature.ends(v)
                    numbers += [low, high, max(low, min(high, self.generator.normal()))]
            choices.append(numbers)
        rows = np.array(list(itertools.product(*choices)))
        rows = rows[[is_possible(row, self.constraints) for row in rows.tolist()]]
        decided = {self.explainer.class_names[d] for d in self.ensemble.predict(rows).tolist()}
        assert decided <= {found.other}


def compare(seed, constraints, engine, rounds):
    world = World(seed, constraints, engine)
    ordered = constraints is not None and any("x <= y" in text for text in constraints)
    for turn in range(rounds):
        row, wishes = world.row(), WISHES[turn % len(WISHES)]
        norm = ("l1", "linf", "l0")[turn % 3]
        label = int(world.ensemble.predict(row[None, :])[0])
        others = [c for c in range(len(world.explainer.class_names)) if c != label]
        target = None if turn % 2 else int(world.generator.choice(others))
        name = None if target is None else world.explainer.class_names[target]
        least = world.least(row, norm, wishes, label, target)
        found = world.explainer.counterfactual(row, name, norm=norm, time_limit=5, **wishes)
        hurried = world.explainer.counterfactual(row, name, norm=norm, time_limit=5, work_limit=1, **wishes)
        for one in (found, hurried):
            if not ordered:
                assert one.lower <= least * (1 + 1e-12)
            if one.status == "impossible":
                assert math.isinf(least) or ordered
            if one.row is None:
                assert math.isinf(one.cost) and one.status != "proved"
                continue
            world.check_row(one, wishes, label, target)
            world.check_box(one)
            assert one.cost == one.moves.measure(one.context, row, np.array(one.row))
            assert one.lower <= one.cost and one.cost >= least * (1 - 1e-12)
            limited = {
                name for wish in ("immutable", "increase", "decrease") for name in wishes.get(wish, ())
            }
            by_cells = not (
                ordered and limited & {"x", "y"}
            )  # else a cell may hold no row that may be moved to
            if one.status == "proved" and by_cells:
                assert one.cost <= least * (1 + (1e-3 if norm == "l1" else 0)) + 1e-12
        if not ordered:
            assert found.status == ("impossible" if math.isinf(least) else "proved")


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_row_is_found(seed, constraints):
    compare(seed, constraints, ("search", "diagram")[seed % 2], rounds=12)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("engine", ["search", "diagram"])
@pytest.mark.parametrize("seed", range(12, 132))
def test_the_nearest_row_is_found_in_many_models(seed, engine, constraints):
    compare(seed, constraints, engine, rounds=24)


@pytest.mark.parametrize("seed", range(12))
def test_several_ways_are_different_ways(seed):
    world = World(seed, CONSTRAINTS[seed % 2])
    for norm in ("l1", "l0", "linf"):
        row = world.row()
        found = world.explainer.counterfactuals(row, count=5, norm=norm, time_limit=5)
        nearest = world.explainer.counterfactual(row, norm=norm, time_limit=5)
        assert bool(found) == (nearest.row is not None)
        if found:
            assert found[0].cost == nearest.cost
        for i, one in enumerate(found):
            assert not any({*earlier.features} <= {*one.features} for earlier in found[:i])
            assert i == 0 or one.cost >= found[i - 1].cost * (1 - 1e-3)


def one_way_within_a_cell():
    """A model of x alone, with an order that pulls y along."""
    tree = pw.Tree.build((0, 3.0, [-1.0], [1.0]))
    return pw.Ensemble(
        (tree,), ("x", "y"), operator="<", vote="sum", classes=("no", "yes"), cuts=(0.0,), start=(0.0,)
    )


def test_a_feature_that_only_goes_down_is_not_raised_by_an_order():
    explainer = pw.Explainer(one_way_within_a_cell(), constraints=["x <= y"])
    found = explainer.counterfactual([0.0, 1.0], decrease=["y"])
    assert found.row is None or found.row[1] <= 1.0


def real_models():
    X, y = make_classification(300, 6, n_informative=4, random_state=0)
    yield X, RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)
    yield X, GradientBoostingClassifier(n_estimators=15, random_state=0).fit(X, y)
    X3, y3 = make_classification(300, 6, n_informative=4, n_classes=3, random_state=1)
    yield X3, RandomForestClassifier(12, max_depth=4, random_state=0).fit(X3, y3)
    xgboost = pytest.importorskip("xgboost")
    yield X3, xgboost.XGBClassifier(n_estimators=8, max_depth=3).fit(X3, y3)
    lightgbm = pytest.importorskip("lightgbm")
    yield X, lightgbm.LGBMClassifier(n_estimators=15, num_leaves=8, verbose=-1).fit(X, y)


@pytest.mark.parametrize("place", range(5))
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_rows_and_boxes_hold_for_the_library(place):
    X, model = next(itertools.islice(real_models(), place, None))
    explainer, generator = pw.Explainer(model, X), np.random.default_rng(place)
    for row, norm in zip(X[:9], itertools.cycle(["l1", "linf", "l0"]), strict=False):
        found = explainer.counterfactual(row, norm=norm, time_limit=2)
        assert found.row is not None
        assert model.predict([found.row])[0] == found.other != found.decision == model.predict([row])[0]
        rows = np.tile(row, (300, 1))
        for literal in found.box.literals:
            feature = explainer._model.context.feature(literal.variable.name)
            if feature.name in found.features:
                (run,) = literal.intervals
                low, high = max(run.low, -50.0), min(run.high, 50.0)
                ends = [
                    low if run.closed_low else np.nextafter(low, 99),
                    high if run.closed_high else np.nextafter(high, -99),
                ]
                rows[:, feature.column] = generator.choice([*ends, *generator.uniform(low, high, 6)], 300)
        changed = {explainer._model.context.feature(name).column for name in found.features}
        limited = {explainer._model.context.feature(x.variable.name).column for x in found.box.literals}
        for column in changed - limited:
            rows[:, column] = generator.normal(0, 10, 300)
        assert (model.predict(rows) == found.other).all()


def test_a_row_one_smallest_float_away_is_proved_at_once():
    tree = pw.Tree.build((0, 0.0, [1.0, 0.0], [0.0, 1.0]))
    model = pw.Ensemble((tree, tree), ("a",), ("no", "yes"), operator="<", vote="mean")
    found = pw.Explainer(model, engine="search").counterfactual([0.0], time_limit=2)
    assert (found.status, found.cost, found.row) == (pw.Status.PROVED, 5e-324, (-5e-324,))


def test_a_declared_order_counts_though_no_test_looks_at_the_feature():
    tree = pw.Tree.build((0, 0.5, [1.0, 0.0], [0.0, 1.0]))
    model = pw.Ensemble((tree,), ("a", "grade"), ("no", "yes"))
    explainer = pw.Explainer(model, domain={"grade": pw.ordered({0: "C", 1: "B", 2: "A"})})
    found = explainer.counterfactual([0, 1], increase=["grade"])
    assert (found.other, found.features) == ("yes", ("a",))
