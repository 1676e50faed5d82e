"""Comparing two models through the public face, against what both decide on rows of every joint cell.

The rows are made from the tests of both models alone: each number at which either could change its mind, with its
neighbours in float64 and float32 and the points where rounding to float32 tips over.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    is_possible,
    random_ensemble,
)
from primewood import readers
from primewood.logic.instance import contains


def beside(threshold):
    """Numbers around a threshold that any comparison could tell apart."""
    near = {threshold, float(np.float32(threshold))}
    for direction in (-np.inf, np.inf):
        single = np.nextafter(np.float32(threshold), np.float32(direction))
        near |= {float(single), (float(single) + float(np.float32(threshold))) / 2}
    return {float(np.nextafter(x, way)) for x in near for way in (-np.inf, np.inf)} | near


def thresholds(ensembles, column):
    found = set()
    for ensemble in ensembles:
        for tree in ensemble.trees:
            tested = (tree.feature == column) & (tree.left >= 0)
            found |= set(np.asarray(tree.threshold)[tested].tolist())
    return sorted(x for x in found if np.isfinite(x))


def joint_rows(ensembles, codes=None, most=60_000):
    """Rows of every joint cell of two models; a column of codes holds only these."""
    missing = all(e.allows_missing for e in ensembles)
    choices = []
    for column in range(ensembles[0].n_features):
        if codes and column in codes:
            numbers = set(codes[column])
        else:
            numbers = {0.0}.union(*(beside(t) for t in thresholds(ensembles, column)))
            numbers |= {-1e6, 1e6}
        able = missing and not any(column in e.never_missing for e in ensembles)
        choices.append([*sorted(numbers), *([np.nan] if able else [])])
    size = np.prod([len(each) for each in choices])
    if size <= most:
        return np.array(list(itertools.product(*choices)))
    generator = np.random.default_rng(0)
    return np.column_stack([generator.choice(each, most) for each in choices])


def check_comparison(found, rows, first, second, X=None, decided_on_X=None):
    """`first`, `second`: what the models decide about rows, which are of all joint cells."""
    differ = np.array([str(a) != str(b) for a, b in zip(first, second, strict=True)], dtype=bool)
    assert found.equivalent == (not differ.any()), (found.equivalent, rows[differ][:1])
    if X is not None:
        here = [i for i, (a, b) in enumerate(zip(*decided_on_X, strict=True)) if str(a) != str(b)]
        assert list(found.affected) == here and found.rows == len(X)
    points = found.context.domain.points(rows)
    for region in found.regions:
        box = region.term.box(found.context.variables)
        inside = np.array([min(p) >= 0 and contains(box, p) for p in points.tolist()], dtype=bool)
        if not inside.any():
            assert len(rows) > 10_000, "only where rows had to be drawn may they miss a region"
            continue
        assert {str(a) for a in first[inside]} == {str(region.first)}, str(region)
        assert {str(b) for b in second[inside]} == {str(region.second)}, str(region)
        if X is not None:
            cells = found.context.domain.points(np.asarray(X, dtype=float)).tolist()
            held = [i for i, p in enumerate(cells) if min(p) >= 0 and contains(box, p)]
            assert list(region.rows) == [i for i in held if i in found.affected], str(region)
            assert set(held) <= set(found.affected)
    assert bool(found.regions) == bool(differ.any())


def varied(ensemble, how, generator, seed):
    """A second model: the same, nearly the same, or another."""
    if how == "copy":
        return replace(ensemble, trees=tuple(replace(tree) for tree in ensemble.trees))
    if how == "shuffled":
        order = generator.permutation(len(ensemble.trees))
        return replace(ensemble, trees=tuple(ensemble.trees[i] for i in order))
    if how == "leaf":
        place = int(generator.integers(len(ensemble.trees)))
        tree = ensemble.trees[place]
        leaf = int(generator.choice(np.flatnonzero(tree.left < 0)))
        value = tree.value.copy()
        value[leaf] += generator.choice([1e-9, 1e-3, 1 / 3, 1.0])
        if ensemble.precision == "float32":
            value = value.astype(np.float32).astype(float)
        trees = list(ensemble.trees)
        trees[place] = replace(tree, value=value)
        return replace(ensemble, trees=tuple(trees))
    if how == "operator":
        return replace(ensemble, operator="<=")
    if how == "input type":
        return replace(ensemble, dtype="float64" if ensemble.dtype == "float32" else "float32")
    if how == "precision":
        return replace(ensemble, precision="float64") if ensemble.link != "softmax32" else ensemble
    if how == "names":
        return replace(ensemble, classes=tuple(reversed(ensemble.classes)))
    if how == "missing":
        return replace(ensemble, allows_missing=not ensemble.allows_missing)
    if how == "missing side":
        trees = [replace(t, missing_left=generator.random(len(t)) < 0.5) for t in ensemble.trees]
        return replace(ensemble, trees=tuple(trees))
    other = random_ensemble(seed + 4 * int(generator.integers(1, 20)))
    return replace(other, allows_missing=ensemble.allows_missing)


HOWS = (
    "copy",
    "shuffled",
    "leaf",
    "operator",
    "input type",
    "precision",
    "names",
    "missing",
    "missing side",
    "another",
)


def check_pair(seed, how, constraints):
    generator = np.random.default_rng(seed)
    first = random_ensemble(seed)
    second = varied(first, how, generator, seed)
    rows = joint_rows([first, second], {2: CODES}, most=20_000)
    possible = [is_possible(row, constraints) for row in rows.tolist()]
    rows = rows[np.array(possible, dtype=bool)]
    decided = [np.array(e.classes, dtype=object)[e.predict(rows)] for e in (first, second)]
    X = None
    if seed % 2:
        picked = rows[generator.integers(0, len(rows), 30)]
        X = picked[~np.isnan(picked).any(axis=1)] if not first.allows_missing else picked
        declared = {"x": "numeric", "y": "numeric", "z": CODES}
        missing = "allow" if first.allows_missing and second.allows_missing else "auto"
        if first.allows_missing != second.allows_missing:
            X = X[~np.isnan(X).any(axis=1)]
        options = {"domain": declared, "missing": missing}
    else:
        options = {"domain": {"z": CODES}}
    if constraints:
        options["constraints"] = constraints
    found = pw.compare(first, second, X, **options)
    on_X = None if X is None else [[e.classes[i] for i in e.predict(X)] for e in (first, second)]
    try:
        check_comparison(found, rows, *decided, X, on_X)
    except AssertionError as problem:
        raise AssertionError(f"{seed} {how} {constraints}: {problem}") from None


@pytest.mark.parametrize("how", HOWS)
def test_two_models_are_equivalent_iff_they_decide_every_joint_cell_alike(how):
    for seed in range(8):
        check_pair(seed, how, CONSTRAINTS[seed % 4 if seed % 3 else 0])


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("how", HOWS)
def test_many_models_are_equivalent_iff_they_decide_every_joint_cell_alike(how, constraints):
    for seed in range(100, 130):
        check_pair(seed, how, constraints)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1)


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=2, num_leaves=4, n_jobs=1, verbose=-1, min_child_samples=5)


LIBRARIES = {
    "forest": lambda: RandomForestClassifier(3, max_depth=2, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(3, max_depth=2, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0),
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}


def trained(seed, boolean, classes):
    """One model per library, on the same rows."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (200, 3)).astype(float)
    if not boolean:
        X = np.round(generator.normal(size=(200, 3)), 1)
    score = X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(0, 0.3, 200)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    return {name: make().fit(X, y) for name, make in LIBRARIES.items()}, X


def check_libraries(seed, boolean, classes, choose):
    """Compare the models of the pairs of libraries that are chosen."""
    models, X = trained(seed, boolean, classes)
    for a, b in choose(list(models)):
        ensembles = [readers.read(models[name], None) for name in (a, b)]
        for given in (X, None):
            found = pw.compare(models[a], models[b], given)
            codes = dict.fromkeys(range(3), (0.0, 1.0)) if boolean and given is not None else None
            rows = joint_rows(ensembles, codes)
            if given is not None:
                rows = rows[~np.isnan(rows).any(axis=1)]
            decided = [
                readers.decisions_of(models[name], rows, e.categories)
                for name, e in zip((a, b), ensembles, strict=True)
            ]
            on_X = None if given is None else [models[name].predict(X) for name in (a, b)]
            check_comparison(found, rows, *decided, given, on_X)


def each_with_the_next(names):
    return zip(names, names[1:] + names[:1], strict=True)


def each_with_each(names):
    return itertools.permutations(names, 2)


def test_models_of_different_libraries_are_compared_by_what_they_predict():
    check_libraries(0, True, 3, each_with_the_next)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("boolean", [False, True])
def test_more_models_of_different_libraries_are_compared_by_what_they_predict(seed, boolean):
    check_libraries(seed, boolean, 2 + (seed + boolean) % 2, each_with_each)


def constant(value):
    return pw.Ensemble((pw.Tree.build([value]),), ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))


def test_models_that_test_nothing_are_compared():
    assert pw.compare(constant(1.0), constant(2.0)).equivalent
    found = pw.compare(constant(1.0), constant(-1.0))
    assert not found.equivalent and found.decisions == ("yes", "no")


def test_a_model_whose_decision_depends_on_the_order_of_summation_is_not_called_equivalent():
    """Two runs of the same forest may decide differently: 0.1 + 0.2 + 0.3 exceeds 0.3 + 0.2 + 0.1."""
    leaves = ((0, 0.5, [0.1, 0.1 + 0.2 + 0.3], [0.1, 0.0]), [0.2, 0.0], [0.3, 0.0])
    trees = tuple(map(pw.Tree.build, leaves))
    fixed = pw.Ensemble(trees, ("x",), ("a", "b"), vote="mean")
    assert {int(replace(fixed, trees=t).predict([[0.0]])[0]) for t in itertools.permutations(trees)} == {0, 1}
    free = replace(fixed, any_order=True)
    assert pw.compare(fixed, fixed).equivalent
    for first, second in ((free, free), (fixed, free), (free, fixed)):
        assert not pw.compare(first, second).equivalent


def test_what_the_domain_rules_out_is_no_difference():
    first, second = (
        pw.Ensemble((pw.Tree.build((0, cut, [1.0], [-1.0])),), ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))
        for cut in (0.5, 0.8)
    )
    found = pw.compare(first, second, np.array([[0.0], [1.0], [2.0]]), domain={"x": [0, 1, 2]})
    assert found.equivalent and found.rows == 3
    assert not pw.compare(first, second).equivalent


def test_a_training_row_outside_the_domain_raises_nothing():
    """An explainer takes such rows and leaves them out of account."""
    first, second = (
        pw.Ensemble((pw.Tree.build((0, cut, [1.0], [-1.0])),), ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))
        for cut in (0.5, 1.5)
    )
    X = np.array([[0.7], [0.0], [1.0]])
    found = pw.compare(first, second, X, domain={"x": [0, 1, 2]})
    assert not found.equivalent and 2 in found.affected
    assert all(set(region.rows) <= {2} for region in found.regions)


def test_a_threshold_is_compared_at_the_same_threshold():
    """The two rank alike but only at 0.3 decide alike."""
    first, second = (
        pw.Ensemble((pw.Tree.build((0, 0.5, [1 - p, p], [0.0, 1.0])),), ("x",), ("a", "b"), vote="mean")
        for p in (0.4, 0.6)
    )
    assert not pw.compare(first, second).equivalent
    assert pw.compare(first, second, threshold=0.3, positive="b").equivalent
    assert not pw.compare(first, second, threshold=0.5, positive="b").equivalent


def test_only_a_limit_leaves_it_undecided():
    ensemble = random_ensemble(9)
    same = replace(ensemble, trees=ensemble.trees[::-1])
    assert pw.compare(ensemble, ensemble, time_limit=None).equivalent
    found = pw.compare(ensemble, same, time_limit=1e-9)
    assert found.equivalent is None and "pairs of decisions" in found.note


def two_forests(rows=400, columns=4, trees=5, **options):
    generator = np.random.default_rng(0)
    names = [f"feature{j}" for j in range(columns)]
    X = pd.DataFrame(
        generator.normal(size=(rows, columns)), columns=names, index=[f"id{i}" for i in range(rows)]
    )
    y = np.where(X.sum(axis=1) + generator.normal(0, 1, rows) > 0.3, "approved", "declined")
    return X, *(RandomForestClassifier(trees, random_state=seed, **options).fit(X, y) for seed in (0, 1))


def test_a_comparison_says_in_which_direction_and_which_rows():
    X, first, second = two_forests(max_depth=3)
    found = pw.compare(first, second, X)
    a, b = first.predict(X), second.predict(X)
    wanted = {
        (x, y): X.index[(a == x) & (b == y)].tolist()
        for x, y in (("approved", "declined"), ("declined", "approved"))
    }
    assert all(wanted.values())
    assert {(one.first, one.second): list(one.ids) for one in found.directions} == wanted
    assert len(found.directions[0]) >= len(found.directions[1])
    most = found.directions[0]
    text = str(found)
    assert text.startswith(f"different\n   The two models decide {sum(a != b)} of your 400 rows differently.")
    assert (
        f"The first model decides {most.first} and the second {most.second}: {len(most)} of your 400" in text
    )
    assert f"(rows {', '.join(most.ids[:5])}" in text and "The other way round: " in text
    record = found.to_dict()
    assert [one["count"] for one in record["directions"]] == [len(one) for one in found.directions]
    assert most.ids[0] in found._repr_html_() and "Second model" in found._repr_html_()


def test_a_difference_that_no_given_row_shows_is_told_so():
    first, second = (
        pw.Ensemble((pw.Tree.build((0, cut, [1.0], [-1.0])),), ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))
        for cut in (0.5, 0.8)
    )
    found = pw.compare(first, second, np.array([[0.0], [1.0]]), domain={"x": "numeric"})
    assert found.words == "The two models decide some rows differently, but none of your 2 rows."
    assert found.directions == () and "For instance: first model " in str(found)


def test_a_comparison_states_both_scores_of_the_row_that_shows_it():
    X, first, second = two_forests(max_depth=3)
    found = pw.compare(first, second)
    assert len(found.scores) == 2 and found.directions == ()
    for score, model in zip(found.scores, (first, second), strict=True):
        (proba,) = model.predict_proba(pd.DataFrame([found.witness], columns=X.columns))
        assert score.value in proba.tolist()
        assert score.text in str(found)
    assert [score.decision for score in found.scores] == list(found.decisions)


def test_what_is_shown_of_a_comparison_stays_short():
    X, first, second = two_forests(300, 60, 30)
    found = pw.compare(first, second, X, time_limit=5)
    assert not found.equivalent
    for shown in (repr(found), str(found), *map(repr, found.regions)):
        assert len(shown.encode()) < 20_000
    assert len(repr(found)) < 200
    assert len(found._repr_html_().split("</style>")[1].encode()) < 100_000
    assert sum(len(one["ids"]) for one in found.to_dict()["directions"]) == len(found.affected)
    longest = max(len(region.term.literals) for region in found.regions)
    assert longest > 13 and "more conditions" in str(found)
    assert "more conditions" not in found.to_text(full=True)


def test_a_difference_of_compiled_models_is_short_and_has_a_card():
    X, first, second = two_forests(trees=2, max_depth=2)
    found = pw.compile(first, X).difference(pw.compile(second, X))
    assert repr(found).startswith("<Difference ") and len(repr(found)) < 200
    assert "approved -&gt; declined" in found._repr_html_() and "Different" in found._repr_html_()
    assert str(found).startswith("different\n   The two models differ on ")
    same = pw.compile(first, X).difference(pw.compile(first, X))
    assert repr(same) == "<Difference equivalent>" and "Equivalent" in same._repr_html_()


def test_witnesses_of_a_property_come_with_their_scores():
    X, first, _ = two_forests(max_depth=3)
    explainer = pw.Explainer(first, X, positive="approved", threshold=0.6)
    found = explainer.verify(pw.independent_of("feature0"))
    assert found.outcome == "fails"
    for row, decision, score in zip(found.witnesses, found.decisions, found.scores, strict=True):
        proba = first.predict_proba(pd.DataFrame([row], columns=X.columns))[0, 0]
        assert score.decision == decision == ("approved" if proba >= 0.6 else "declined")
        assert score.cutoff == 0.6 and score.text in str(found)
    assert found.to_dict()["scores"][0]["text"] == found.scores[0].text


def test_the_positive_class_is_the_target_of_monotone():
    X, first, _ = two_forests(max_depth=3)
    explainer = pw.Explainer(first, X, positive="approved")
    found = explainer.verify(pw.monotone("feature0"))
    assert found.claim.holds == "raising feature0 never turns approved into declined"
    assert found.claim == explainer.verify(pw.monotone("feature0", target="approved")).claim
