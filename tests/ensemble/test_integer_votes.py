"""Votes as integers: what counts as exact, and bands that are wide enough."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.ensemble import Ensemble, Group, Tree
from primewood.ensemble.integers import integer_vote
from primewood.errors import InvalidInput

SPLIT = Tree.build((0, 0.5, [0.0, 1.0], [1.0, 0.0]))


def ensemble(trees, groups=(), **more):
    return Ensemble(tuple(trees), ("x",), ("a", "b"), vote="mean", groups=tuple(groups), **more)


@pytest.mark.slow
def test_leaves_that_are_called_exact_are_held_by_the_integers():
    """A great weight beside very many tiny ones, which must not vanish in integers of 64 bits."""
    always = Tree.build([0.5, 0.5])
    count = 33_000
    groups = [Group(1, 2.0**24 + 1), *(Group(1, 2.0**-20) for _ in range(count))]
    model = ensemble([always, *[SPLIT] * count], groups, divisor=1.0)
    assert model.predict([[0.0], [1.0]]).tolist() == [1, 0]
    vote = integer_vote(model)
    assert vote.band == 0 and all(flags.all() for flags in vote.exact)
    assert np.ptp(vote.weights[1]) > 0 and np.ptp(vote.weights[0]) == 0
    why = pw.Explainer(model, literals="sets").explain([1.0])
    assert not why.covers([[0.0]])[0]


def test_the_band_holds_for_the_worst_order_of_weights():
    generator = np.random.default_rng(0)
    weights = [*generator.random(200) * 1e-3, *np.ones(40)]
    trees = [Tree.build([share, 1 - share]) for share in generator.random(240)]
    small_first = ensemble(trees, [Group(1, w) for w in weights], divisor=1.0)
    large_first = ensemble(trees[::-1], [Group(1, w) for w in weights[::-1]], divisor=1.0)
    assert integer_vote(small_first).band == integer_vote(large_first).band
    bands = [integer_vote(small_first).band * 2.0**-52]
    scores = []
    for seed in range(200):
        order = np.random.default_rng(seed).permutation(240)
        shuffled = ensemble([trees[i] for i in order], [Group(1, weights[i]) for i in order], divisor=1.0)
        scores.append(np.subtract(*shuffled.predict_proba([[0.0]])[0]))
    assert 0 < max(scores) - min(scores) < bands[0]


@pytest.mark.parametrize(
    "more",
    [
        {"groups": (Group(0), Group(1))},
        {"groups": (Group(2),)},
        {"groups": (Group(1, np.inf),)},
        {"groups": (Group(1, -1.0),)},
        {"groups": (Group(1, 0.0),)},
        {"divisor": 0.0},
        {"divisor": np.inf},
    ],
)
def test_votes_that_make_no_sense_are_refused(more):
    with pytest.raises(InvalidInput, match=r"group|divisor"):
        Ensemble((SPLIT,), ("x",), ("a", "b"), vote="mean", **more)


def test_a_weighted_tree_by_itself_is_explained_by_its_own_vote():
    """1/3 and its neighbour become equal when divided by 3: then the first class wins."""
    third = float(np.nextafter(1 / 3, 1))
    leaf = Tree.build((0, 0.5, [1 / 3, third], [third, 1 / 3]))
    for divisor in (1.0, 3.0, 7.0):
        model = ensemble([leaf], [Group(1, 1.0)], divisor=divisor)
        explainer = pw.Explainer(model, literals="sets")
        for x in ([0.0], [1.0]):
            decided = ("a", "b")[int(model.predict([x])[0])]
            assert explainer.explain(x).decision == decided
            found = list(explainer.explanations(x))
            assert len(found) == explainer.count(x) >= 1 and all(why.decision == decided for why in found)


@pytest.mark.parametrize("as_what", [np.array, list, lambda rows: np.array(rows)[0]])
def test_integers_that_float64_cannot_hold_are_refused(as_what):
    X = np.array([[0.0], [2.0**61]])
    model = DecisionTreeClassifier().fit(X, [0, 1])
    explainer = pw.Explainer(model, X, literals="sets")
    huge = as_what([[2**60 + 2**36 + 1]])
    row = huge[0] if isinstance(huge, list) else huge
    with pytest.raises(InvalidInput, match=r"2\^53"):
        explainer.explain(row)


def boosted(leaves, **more):
    trees = tuple(Tree.build((0, 0.5, [low], [high])) for low, high in leaves)
    return Ensemble(trees, ("x",), ("no", "yes"), vote="sum", **more)


@pytest.mark.parametrize("cut", [-1e300, -511.9, -1e6, 20000.0, 1e300, 5e-324, 0.0])
@pytest.mark.parametrize("engine", ["search", "diagram"])
def test_cuts_far_from_all_scores_decide_alike_everywhere(cut, engine):
    model = boosted([(0.1, -0.2), (0.3, 0.7)], cuts=(cut,))
    explainer = pw.Explainer(model, engine=engine, literals="sets")
    for x in (0.0, 1.0):
        why = explainer.explain([x])
        assert why.status == "proved" and not why.term.literals
        assert why.decision == ("no", "yes")[int(model.predict([[x]])[0])]


def test_levels_that_every_prediction_or_none_reaches():
    model = Ensemble(
        boosted([(0.5, 2.0)], cuts=(1.0,)).trees, ("x",), ("prediction",), vote="sum", link="exponential"
    )
    explainer = pw.Explainer(model, literals="sets")
    assert explainer.explain([0.0], within=100.0).rule.startswith("always")
    assert pw.Explainer(model, between=(-5, -3), literals="sets").explain([0.0]).decision == "prediction > -3"
    assert pw.Explainer(model, threshold=0, literals="sets").explain([0.0]).decision == "prediction >= 0"


def test_groups_of_trees_of_very_different_sizes():
    """The band must hold for a sum that begins with large trees and goes on with many small ones."""
    tiny = 2.0**-46
    large = [Tree.build([1.0, 1.0])] * 129
    small = [Tree.build((0, 0.5, [tiny * (1 - 2**-10), tiny * (1 + 2**-10)], [tiny, tiny]))] * 391
    model = ensemble([*large, *small], [Group(520)])
    for x in ([0.0], [1.0]):
        for engine in ("search", "diagram"):
            why = pw.Explainer(model, engine=engine, literals="sets").explain(x)
            for other in ([0.0], [1.0]):
                inside = why.covers([other])[0]
                assert not inside or ("a", "b")[int(model.predict([other])[0])] == why.decision


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"precision": "float16", "cuts": (0.0,)}, "precision"),
        ({"precision": "float32", "cuts": (0.0,)}, "float32 numbers"),
        ({"slope": -1.0, "cuts": (0.0,)}, "slope"),
        ({"cuts": (0.0, 0.0)}, "cuts ascend"),
        ({"categories": {7: pw.Categories({})}, "cuts": (0.0,)}, "does not exist"),
    ],
)
def test_sums_that_make_no_sense_are_refused(more, message):
    with pytest.raises(InvalidInput, match=message):
        boosted([(0.1, 0.2)], **more)


def test_links_that_saturate_do_not_compare_classes():
    trees = (Tree.build((0, 0.5, [40.0, 50.0], [0.0, 1.0])),)
    with pytest.raises(InvalidInput, match="softmax"):
        Ensemble(trees, ("x",), ("a", "b"), vote="sum", link="logistic")


def test_scores_that_overflow_are_refused():
    huge = float(np.float32(3e38))
    model = boosted([(huge, -huge), (huge, huge)], cuts=(0.0,), precision="float32")
    with pytest.raises(pw.errors.UnsupportedModel, match="too large"):
        pw.Explainer(model, literals="sets").explain([0.0])


def test_whole_numbers_that_floats_cannot_count():
    tree = Tree.build((0, [1e17, 1e18], [1, 0], [0, 1]))
    model = Ensemble((tree,), ("x",), ("n", "y"))
    why = pw.Explainer(model, domain={"x": "whole"}, literals="sets").explain([2e18])
    assert why.decision == "y" and not why.covers([[5e17]])[0]
    assert (
        pw.Explainer(model, domain={"x": pw.Number(high=1e16, whole=True)}, literals="sets")
        .explain([2.0])
        .decision
        == "y"
    )
