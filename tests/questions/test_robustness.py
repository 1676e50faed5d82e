"""Robustness: no row within the radius gets a different decision, and the next one does."""

from __future__ import annotations

import dataclasses
import html
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CONSTRAINTS
from primewood.model.context import UNDECIDED
from primewood.questions.robustness import Robustness
from questions.test_counterfactuals import NAMES, World, real_models


def distance(world, row, cell, norm):
    """How far a cell is where categories stay, and numbers stay numbers; in l0 everything may become anything."""
    parts = []
    for feature, value in zip(world.features, cell, strict=True):
        held, numbers = row[feature.column], len(feature.variable) - feature.missing
        if value >= numbers or math.isnan(held) or feature.patterns is not None:
            same = math.isnan(held) if value >= numbers else held == feature.numbers[value, 0]
            if feature.patterns is None and value < numbers:
                same = False
            if not same:
                parts.append(1.0 if norm == "l0" else math.inf)
            continue
        low, high = feature.ends(value)
        if not low <= held <= high:
            parts.append(1.0 if norm == "l0" else max(low - held, held - high))
    return sum(parts) if norm != "linf" else max(parts, default=0.0)


def compare(seed, constraints, rounds):
    world = World(seed, constraints, ("search", "diagram")[seed % 2])
    for turn in range(rounds):
        row, norm = world.row(), ("linf", "l0", "l1")[turn % 3]
        label = int(world.ensemble.predict(row[None, :])[0])
        least = min(
            (distance(world, row, c, norm) for c, d in world.table.decision.items() if d not in (label, -1)),
            default=math.inf,
        )
        for work in (None, 1):
            found = world.explainer.robustness(row, norm, time_limit=5, work_limit=work)
            assert found.radius < least or found.radius == least == math.inf or found.radius == 0
            ordered = constraints is not None and any("x <= y" in text for text in constraints)
            if found.status == "proved" and norm == "linf":
                assert least == np.nextafter(found.radius, np.inf) or found.radius == 0
            if found.status == "proved" and norm == "l1":
                assert found.radius == pytest.approx(least, rel=1e-8)
            if found.status == "proved" and norm == "l0":
                assert found.radius == least - 1
            if work is None and not ordered:
                assert found.status == ("impossible" if math.isinf(least) else "proved")
            at = pw.robust_at(row, 1.0 if norm == "l0" else 0.6, norm)
            held = world.explainer.verify(at, time_limit=5, work_limit=work)
            if held.outcome == "undecided":
                close = norm == "l1" and least == pytest.approx(0.6, rel=1e-8)  # sums of moves are rounded
                assert (work or ordered or close) and 0 <= held.proved < 1
            else:
                assert held.holds == (least > at.radius)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_the_radius_is_the_largest(seed, constraints):
    compare(seed, constraints, rounds=8)


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=NAMES)
@pytest.mark.parametrize("seed", range(12, 132))
def test_the_radius_is_the_largest_in_many_models(seed, constraints):
    compare(seed, constraints, rounds=16)


@pytest.mark.parametrize("reach, width", [(3, 10), (5, 93), (11, 91), (35, 99), (1, 3), (7, 49)])
def test_a_share_of_the_range_is_not_rounded_up(reach, width):
    tree = pw.Tree.build((0, float(reach), [-1.0], [1.0]))
    ensemble = pw.Ensemble(
        (tree,), ("x",), operator="<", vote="sum", classes=("no", "yes"), cuts=(0.0,), start=(0.0,)
    )
    explainer = pw.Explainer(ensemble, np.array([[0.0], [float(width)]]))
    found = explainer.robustness([0.0], relative=True)
    assert explainer.decide([float(reach)]) != explainer.decide([0.0])
    assert Fraction(found.radius) < Fraction(reach, width) and found.radius < reach / width
    assert not explainer.verify(pw.robust_at([0.0], reach / width, relative=True)).holds


@pytest.mark.parametrize("place", range(5))
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_no_row_within_the_radius_changes_the_library(place):
    X, model = next(itertools.islice(real_models(), place, None))
    explainer, generator = pw.Explainer(model, X), np.random.default_rng(place)
    width = X.max(axis=0) - X.min(axis=0)
    for row in X[:8]:
        own = model.predict([row])[0]
        for relative in (False, True):
            radius = explainer.robustness(row, relative=relative, time_limit=2).radius
            reach = Fraction(radius)
            far = radius * (width if relative else np.ones(len(row)))
            moved = row + generator.choice([-1.0, 1.0, 0.5], (400, len(row))) * far
            moved[::2] = row + generator.uniform(-1, 1, (200, len(row))) * far
            exact = [
                all(
                    abs(Fraction(a) - Fraction(b)) <= reach * (Fraction(w) if relative else 1)
                    for a, b, w in zip(one, row, width, strict=True)
                )
                for one in moved.tolist()
            ]
            inside = moved[np.array(exact)]
            assert len(inside) >= 100 and (model.predict(inside) == own).all()
        free = explainer.robustness(row, "l0", time_limit=2)
        moved = np.tile(row, (400, 1))
        for one in moved:
            chosen = generator.permutation(len(row))[: int(free.radius)]
            one[chosen] = X[generator.integers(len(X)), chosen]
        assert (model.predict(moved) == own).all()


def test_where_scores_are_added_in_any_order_there_is_an_answer():
    generator = np.random.default_rng(25)
    X, y = generator.integers(0, 4, (60, 3)).astype(float), generator.integers(0, 3, 60)
    forest = RandomForestClassifier(4, max_depth=3, random_state=25, n_jobs=2).fit(X, y)
    explainer = pw.Explainer(forest, X)
    for row in X[:8]:
        for norm in ("linf", "l0"):
            found = explainer.robustness(row, norm)
            assert found.radius >= 0
            explainer.verify(pw.robust_at(row, 1.0, norm))


def test_a_flip_that_only_an_order_of_summation_makes_is_called_so():
    """At x = 0 the two scores are equal but for rounding: no class is named that the row does not get."""
    trees = tuple(map(pw.Tree.build, ((0, 0.5, [0.1, 0.1 + 0.2 + 0.3], [0.1, 0.0]), [0.2, 0.0], [0.3, 0.0])))
    ensemble = pw.Ensemble(trees, ("x",), ("a", "b"), vote="mean", any_order=True)
    found = pw.Explainer(ensemble).robustness([1.0])
    assert ensemble.predict([found.nearest.row])[0] == ensemble.predict([[1.0]])[0]
    assert found.nearest.other == UNDECIDED and "it depends on the order of summation" in str(found)


@pytest.mark.parametrize("sign", [1, -1])
def test_radii_of_numbers_beyond_those_that_are_made_up(sign):
    cuts = [sign * 1e39, sign * 3e39]
    inner = pw.Tree.build((0, max(cuts), [0, 1], [1, 0]))
    outer = pw.Tree.build((0, min(cuts), [1, 0], [0, 1]))
    model = pw.Ensemble((inner, outer, outer), ("a",), ("no", "yes"), dtype="float64")
    x = [sign * 2e39]
    found = pw.Explainer(model).robustness(x)
    assert found.radius <= 1e39 * (1 + 1e-9)
    assert found.radius >= 0.99e39


LETS_THEM = '(norm="l0" or relative=True lets them change)'


def ask_about(tree, rows, groups=None, **options):
    """An explainer of one tree over the columns age, city_A and city_B."""
    names = ("age", "city_A", "city_B")
    told = {"vote": "sum", "classes": ("no", "yes"), "cuts": (0.0,), "start": (0.0,), "allows_missing": True}
    ensemble = pw.Ensemble((tree,), names, **told)
    return pw.Explainer(ensemble, np.array(rows, dtype=float), groups=groups, **options)


ROWS = [[20, 1, 0], [30, 0, 1], [40, 1, 0], [50, 0, 1]]
BY_AGE = pw.Tree.build((0, 35.0, [-1.0], [1.0]))
BY_CITY = pw.Tree.build((2, 0.5, [-1.0], [1.0]))
BY_BOTH = pw.Tree.build((2, 0.5, (0, 35.0, [-1.0], [1.0]), [1.0]))
CITY = {"city": ["city_A", "city_B"]}


@pytest.mark.parametrize(
    "tree, options, words",
    [
        (
            BY_AGE,
            {},
            "no as long as no feature moves by more than 15; beyond that yes is possible, with a change of age",
        ),
        (
            BY_AGE,
            {"norm": "l1"},
            "no as long as features move by at most 14.9999 together; beyond that yes is possible, with a change of "
            "age",
        ),
        (BY_AGE, {"norm": "l0"}, "no, but changing one feature is enough: yes with age 20 -> 50"),
        (BY_CITY, {}, f"no: no change of numbers changes the decision; categories were kept {LETS_THEM}"),
        (
            BY_CITY,
            {"relative": True},
            "no as long as no feature moves by more than 0.999999 of each feature's range (another category counts as "
            "the whole range); beyond that yes is possible, with a change of city",
        ),
        (BY_CITY, {"norm": "l0"}, "no, but changing one feature is enough: yes with city A -> B"),
        (
            BY_BOTH,
            {},
            "no as long as no number moves by more than 15; beyond that yes is possible, with a change of age; "
            f"categories were kept {LETS_THEM}",
        ),
    ],
)
def test_a_robustness_says_what_was_kept(tree, options, words):
    found = ask_about(tree, ROWS, CITY, missing="forbid").robustness(ROWS[0], **options)
    assert str(found).splitlines()[0] == words
    assert found.to_dict()["notes"] == ([f"categories were kept {LETS_THEM}"] if LETS_THEM in words else [])
    card = html.unescape(found._repr_html_())
    assert words[1:] in card and ("Unlimited radius, proved" in card) == (found.status == "impossible")


def test_a_robustness_says_what_stayed_missing_and_what_did_not_become_so():
    explainer = ask_about(BY_AGE, [*ROWS, [math.nan, 1, 0]])
    by_numbers, by_shares = explainer.robustness(ROWS[0]), explainer.robustness(ROWS[0], relative=True)
    for found in (by_numbers, by_shares):
        assert found.notes == ('no value became missing (norm="l0" allows all changes)',)
        assert str(found).splitlines()[0].endswith(f"with a change of age; {found.kept}")
    missing = explainer.robustness([math.nan, 1, 0])
    words = f"yes: no change of numbers changes the decision; missing values were kept {LETS_THEM}"
    assert missing.radius == math.inf and str(missing).splitlines()[0] == words
    by_shares = explainer.robustness([math.nan, 1, 0], relative=True)
    assert (
        by_shares.upper == 1
        and "(a number for a missing value counts as the whole range); beyond that no is" in str(by_shares)
    )


def test_without_training_rows_only_l0_is_named():
    explainer = pw.Explainer(ask_about(BY_CITY, ROWS).ensemble, groups=CITY, missing="forbid")
    assert explainer.robustness(ROWS[0]).kept == 'categories were kept (norm="l0" lets them change)'


@pytest.mark.parametrize("norm", ["linf", "l0", "l1"])
def test_a_model_that_decides_always_alike_says_so(norm):
    explainer = ask_about(pw.Tree.build((0, 35.0, [-1.0], [-2.0])), ROWS, missing="forbid")
    what = "no change of features" if norm == "l0" else "no move"
    assert str(explainer.robustness(ROWS[0], norm)).splitlines()[0] == f"no: {what} changes the decision"


def test_what_was_not_found_in_time_is_not_said_to_be_near():
    near = ask_about(BY_AGE, ROWS, missing="forbid").robustness(ROWS[0], "l0").nearest
    none = dataclasses.replace(near, status=pw.Status.INTERRUPTED, row=None, cost=math.inf, lower=0.0)
    assert str(Robustness(none)).splitlines()[0] == "no; no other decision was found in time"
    far = dataclasses.replace(near, status=pw.Status.INTERRUPTED, cost=2.0, lower=0.0)
    words = "no; yes is possible, with a change of age (a change is known at 2)"
    assert str(Robustness(far)).splitlines()[0] == words
