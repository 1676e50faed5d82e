"""Rules of a group: against all cells, against the fewest prime rules by brute force, and against the library."""

from __future__ import annotations

import itertools
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CODES, CONSTRAINTS, Table, is_possible, random_ensemble
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput, UnknownName
from primewood.logic.by_definition import prime_boxes
from primewood.properties.group_rules import GroupWishes, explain_group
from primewood.properties.rows_apart import RowsApart, join_cells

LANGUAGES = ("sets", "intervals", "values")


def group_of(explainer, X, clock=None, **wishes):
    return explain_group(explainer._model, X, GroupWishes(**wishes), clock or Clock())


def rows_of(seed, constraints, count=40):
    """Random rows that keep to the constraints, with gaps where the model takes them."""
    generator = np.random.default_rng(seed)
    X = np.column_stack([*generator.normal(0.5, 2, (2, count)), generator.integers(0, 4, count)])
    if seed % 2:
        X[generator.random(count) < 0.2, 0] = np.nan
    return X[[is_possible(row, constraints) for row in X]]


def holds(box, point):
    return all(mask >> value & 1 for mask, value in zip(box, point, strict=True))


def fewest(boxes, points):
    """The size of a smallest cover of points by boxes, by trying all choices."""
    covers = {frozenset(i for i, p in enumerate(points) if holds(box, p)) for box in boxes}
    covers = [c for c in covers if c and not any(c < other for other in covers)]
    for size in range(1, len(points) + 1):
        for chosen in itertools.combinations(covers, size):
            if len(frozenset().union(*chosen)) == len(points):
                return size
    raise AssertionError("every point has a prime box")


def check_counts(group, X, of_group):
    """Whatever a group says about rows is what counting says."""
    seen = np.zeros(len(X), dtype=bool)
    for rule in group:
        inside = rule.answer.covers(X) & of_group
        assert rule.places == tuple(np.flatnonzero(inside))
        assert rule.rows == inside.sum() and rule.new_rows == (inside & ~seen).sum() > 0
        seen |= inside
    assert (group.covers(X) & of_group == seen).all()
    assert group.rows == of_group.sum() and group.covered == seen.sum()
    assert [row.place for row in group.uncovered] == np.flatnonzero(of_group & ~seen).tolist()


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(6))
def test_rules_are_prime_over_all_cells_and_the_bound_is_at_most_the_fewest(seed, constraints):
    ensemble, X = random_ensemble(seed), rows_of(seed, constraints)
    explainer = pw.Explainer(ensemble, X, domain={"z": CODES}, constraints=constraints, literals="sets")
    subject, decided = explainer._model.subject, ensemble.predict(X)
    table = Table(subject, constraints)
    for language, label in itertools.product(LANGUAGES, np.unique(decided).tolist()):
        truth = np.zeros([len(x) for x in subject.variables], dtype=bool)
        for cell, decision in table.decision.items():
            truth[cell] = decision in (label, -1)
        primes = list(prime_boxes(truth, subject.variables, language))
        group = group_of(explainer, X[decided == label], literals=language)
        boxes = {rule.answer.term.box(subject.variables) for rule in group}
        assert boxes <= set(primes) and group.status is pw.Status.PROVED and not group.uncovered
        check_counts(group, X[decided == label], np.ones((decided == label).sum(), dtype=bool))
        points = sorted({tuple(p) for p in explainer._model.domain.points(X[decided == label]).tolist()})
        best = fewest(primes, points)
        assert group.lower <= best <= len(group)
        rows = [
            tuple(p) for p in explainer._model.domain.points(X[decided == label])[list(group.apart)].tolist()
        ]
        for a, b in itertools.combinations(rows, 2):
            assert not any(holds(box, a) and holds(box, b) for box in primes)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seed", range(6))
def test_the_joint_box_is_the_smallest_of_the_language_and_known_counterexamples_are_in_it(seed, language):
    explainer = pw.Explainer(random_ensemble(seed), domain={"z": CODES})
    oracle = explainer._model.engines.oracle(0)
    sizes = [range(len(x)) for x in oracle.variables]
    cells = list(itertools.product(*sizes))
    generator = np.random.default_rng(seed)
    chosen = [cells[i] for i in generator.integers(0, len(cells), 40)]
    apart = RowsApart(oracle, language, np.array(chosen))
    for known in chosen[:10]:
        apart._known = np.array([known])
        for a, b in itertools.combinations(range(15), 2):
            box = join_cells(oracle, language, chosen[a], chosen[b])
            assert holds(box, chosen[a]) and holds(box, chosen[b])
            assert apart._share_known(a, [b]).tolist() == [holds(box, known)]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(25, max_depth=5, random_state=0).fit(X[::2], y[::2])
    return pw.Explainer(model, X[::2]), model, X[1::2]


def test_rows_inside_the_rules_get_the_decision_from_the_library(cancer):
    explainer, model, X = cancer
    for decision in (0, 1):
        group = explainer.explain_group(X, decision=decision)
        assert group.status is pw.Status.PROVED and 1 <= group.lower <= len(group)
        check_counts(group, X, model.predict(X) == decision)
        for rule in group:
            assert (model.predict(rule.answer.sample(200, seed=0)) == decision).all()
        assert (model.predict(X[group.covers(X)]) == decision).all()


def test_rows_that_are_apart_have_another_decision_between_them(cancer):
    explainer, model, X = cancer
    group = explainer.explain_group(X, decision=0)
    assert len(group.apart) > 2
    oracle = explainer._model.engines.oracle(0)
    for a, b in itertools.combinations(group.apart, 2):
        pair = explainer._model.domain.points(X[[a, b]]).tolist()
        between = oracle.counterexample(join_cells(oracle, "intervals", *pair))
        row = explainer._model.context.cells.row_at(between, X[a], tuple(pair[0]))
        assert model.predict([row]) != [0]


def test_the_order_of_the_rows_makes_no_difference(cancer):
    explainer, model, X = cancer
    X = X[model.predict(X) == 0]
    shuffled = np.random.default_rng(1).permutation(len(X))
    work = Clock(None, 5_000)
    first, again = group_of(explainer, X, work), group_of(explainer, X[shuffled], work)
    assert [rule.answer.term for rule in first] == [rule.answer.term for rule in again]
    assert first.lower == again.lower
    assert first.to_dict() == group_of(explainer, X, work).to_dict()


def test_rows_that_appear_often_change_nothing_but_counts(cancer):
    explainer, model, X = cancer
    X = X[model.predict(X) == 0][:20]
    once, thrice = explainer.explain_group(X), explainer.explain_group(np.vstack([X, X, X]))
    assert len(thrice) == len(once) and thrice.lower == once.lower and thrice.rows == 3 * once.rows
    check_counts(thrice, np.vstack([X, X, X]), np.ones(60, dtype=bool))


@pytest.mark.parametrize("clock", [(1e-9, None), (0.05, None), (None, 1), (None, 100)])
def test_a_limit_leaves_right_rules_and_names_the_rows_that_were_not_reached(cancer, clock):
    explainer, model, X = cancer
    group = group_of(explainer, X, Clock(*clock), decision=0)
    check_counts(group, X, model.predict(X) == 0)
    assert 0 <= group.lower <= len(group)
    for rule in group:
        assert (model.predict(rule.answer.sample(50, seed=0)) == 0).all()
    if clock[0] == 1e-9:
        assert group.status is pw.Status.INTERRUPTED and not len(group)
        assert {row.reason for row in group.uncovered} == {"not reached in time"}
        assert "not reached in time" in str(group) and "Stopped early" in str(group)


def test_no_more_rules_than_asked_for_and_the_bound_is_about_what_they_cover(cancer):
    explainer, model, X = cancer
    whole, few = explainer.explain_group(X, decision=0), explainer.explain_group(X, decision=0, most=2)
    assert len(few) == 2 < len(whole) and few.lower <= 2
    check_counts(few, X, model.predict(X) == 0)
    assert {row.reason for row in few.uncovered} == {"left out by most"}
    assert few.status is pw.Status.PROVED
    assert not {row.place for row in few.uncovered} & set(few.apart)
    assert "left out by most" in str(few)


def test_short_rules_have_the_counts_of_short_answers(cancer):
    explainer, model, X = cancer
    group = explainer.explain_group(X, decision=1, kind="in_short", precision=0.9)
    check_counts(group, X, model.predict(X) == 1)
    decided = model.predict(explainer.rows)
    for rule in group:
        inside = rule.answer.covers(explainer.rows)
        assert (rule.answer.matching, rule.answer.same) == (inside.sum(), (decided[inside] == 1).sum())
    assert group.status is None and group.lower is None and not group.apart
    assert "proved" not in str(group).replace("not proved", "").lower()
    assert {row.reason for row in group.uncovered} <= {"no rule was found"}


def test_rows_that_rounding_decides_about_have_no_rule():
    found = 0
    for seed in (4, 5, 7, 10, 11):
        ensemble, X = random_ensemble(seed), rows_of(seed, None, 200)
        explainer = pw.Explainer(ensemble, X, domain={"z": CODES}, summation="any", literals="sets")
        decided = ensemble.predict(X)
        for label in np.unique(decided).tolist():
            oracle, own = explainer._model.engines.oracle(label), X[decided == label]
            cells = [tuple(1 << v for v in p) for p in explainer._model.domain.points(own).tolist()]
            is_open = [isinstance(oracle.counterexample(cell), tuple) for cell in cells]
            group = group_of(explainer, own)
            assert [row.place for row in group.uncovered] == np.flatnonzero(is_open).tolist()
            assert {row.reason for row in group.uncovered} <= {"no rule was found"}
            found += sum(is_open)
    assert found, "some model should have such rows"


def test_held_out_rows_that_break_an_inferred_kind_are_answered_without_it():
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"age": generator.integers(20, 60, 200), "income": generator.normal(50, 10, 200)})
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, X["age"] > 40)
    explainer = pw.Explainer(model, X)
    odd = pd.DataFrame({"age": [50.5, 51.0, 52.0], "income": [50.0, 40.0, 60.0]})
    group = explainer.explain_group(odd)
    assert group.covered == 3
    for rule in group:
        assert (
            model.predict(pd.DataFrame(rule.answer.sample(100, seed=0), columns=X.columns)) == group.decision
        ).all()


@pytest.mark.parametrize("engine", ["search", "diagram", "bdd", "sat"])
def test_every_engine_finds_the_same_rules(engine):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    search, other = (pw.Explainer(model, X, vote="majority", engine=name) for name in ("search", engine))
    groups = [explainer.explain_group(X, decision=True, time_limit=None) for explainer in (search, other)]
    assert [rule.answer.term for rule in groups[0]] == [rule.answer.term for rule in groups[1]]
    assert len(groups[0].apart) == len(groups[1].apart) > 1


def test_a_model_that_always_decides_alike_has_one_rule():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = RandomForestClassifier(3, random_state=0).fit(X, np.zeros(20))
    group = pw.Explainer(model, X).explain_group(X)
    assert (len(group), group.lower, group.covered) == (1, 1, 20)
    assert str(group).splitlines()[1].strip().startswith("always 0.0")


def test_the_answer_reads_well_and_survives_pickling(cancer):
    explainer, _, X = cancer
    frame = pd.DataFrame(X, columns=explainer.feature_names, index=[f"p{i}" for i in range(len(X))])
    group = explainer.explain_group(frame, decision=0, most=3)
    lines = str(group).splitlines()
    assert lines[0].startswith(f"3 rules cover {group.covered} of {group.rows} rows with the decision 0")
    assert lines[1] == f"  {group[0].rule}  ({group[0].rows} rows)"
    record = json.loads(json.dumps(group.to_dict()))
    assert record["lower"] == group.lower and len(record["rules"]) == 3 == len(group) == len(list(group))
    assert pickle.loads(pickle.dumps(group)).to_dict() == group.to_dict()
    table = group.to_frame()
    assert table["rows"].tolist() == [rule.rows for rule in group] and table["rule"][0].startswith("IF ")
    left = group.uncovered_frame()
    assert left.index.tolist() == [row.label for row in group.uncovered]
    assert (
        left[explainer.feature_names[0]].tolist()
        == frame.loc[left.index, explainer.feature_names[0]].tolist()
    )
    card = group._repr_html_()
    assert lines[0] in card and "left out by most" in card
    short = explainer.explain_group(X, decision=0, kind="in_short", precision=0.9)
    assert "not proved" in short._repr_html_() and len(short.to_frame()) == len(short)


def test_the_errors_say_what_to_do(cancer):
    explainer, model, X = cancer
    counts = np.bincount(model.predict(X))
    with pytest.raises(InvalidInput, match=f"{counts[0]} rows 0, {counts[1]} rows 1.*decision="):
        explainer.explain_group(X)
    with pytest.raises(InvalidInput, match="has no rows"):
        explainer.explain_group(X[:0])
    with pytest.raises(InvalidInput, match="has no rows: none of"):
        explainer.explain_group(X[model.predict(X) == 0], decision=1)
    with pytest.raises(UnknownName, match="no decision is called"):
        explainer.explain_group(X, decision="declined")
    with pytest.raises(InvalidInput, match="kind must be one of"):
        explainer.explain_group(X, decision=0, kind="short")
    with pytest.raises(InvalidInput, match="most must be"):
        explainer.explain_group(X, decision=0, most=0)
    with pytest.raises(InvalidInput, match='precision is for kind="in_short"'):
        explainer.explain_group(X, decision=0, precision=0.9)
    with pytest.raises(InvalidInput, match='literals is for kind="proved"'):
        explainer.explain_group(X, decision=0, kind="in_short", literals="sets")
    with pytest.raises(InvalidInput, match="training rows"):
        pw.Explainer(model).explain_group(X, decision=0, kind="in_short")
    with pytest.raises(InvalidInput, match="nothing to tell apart"):
        one = explainer.replace_rows(X[model.predict(X) == 0])
        one.explain_group(X, decision=0, kind="in_short")
    outside = X[:3].copy()
    outside[2, 0] = np.nan
    with pytest.raises(InvalidInput, match="X, row 2"):
        pw.Explainer(model, X, missing="forbid").explain_group(outside)
    A = pw.Variable("A", [1, 2])
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(A == 1).explain_group([{"A": 1}])
