"""Rule lists: every rule against all cells, and every number against counting."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CODES, CONSTRAINTS, Table, is_possible, random_ensemble
from primewood.engines.protocol import Clock, Verdict
from primewood.errors import InvalidInput, UnknownName
from primewood.logic.by_definition import prime_boxes
from primewood.properties.rule_list import RuleWishes, grow_rules

LANGUAGES = ("sets", "intervals", "values")


def rules_of(explainer, *, clock=None, literals="sets", **options):
    return grow_rules(explainer._model, RuleWishes(literals=literals, **options), clock or Clock())


def training_rows(seed, constraints, missing):
    """Random rows that keep to the constraints, with gaps where the model takes them."""
    generator = np.random.default_rng(seed)
    X = np.column_stack([*generator.normal(0.5, 2, (2, 200)), generator.integers(0, 4, 200)])
    if missing:
        X[generator.random(200) < 0.2, 0] = np.nan
    return X[[is_possible(row, constraints) for row in X]]


def check_counts(rules, X, decided):
    """Whatever a list says about rows is what counting says; `decided` are the model's own decisions."""
    covers = [rule.covers(X) for rule in rules]
    said = np.zeros(len(X), dtype=bool)
    overall = [0]
    for rule, inside in zip(rules, covers, strict=True):
        assert (decided[inside] == rule.decision).all()
        assert rule.rows == inside.sum() and rule.new_rows == (inside & ~said).sum() > 0
        said |= inside
        overall.append(said.sum())
    total = sum((decided == name).sum() for name in rules.rows)
    assert rules.curve.overall == pytest.approx([n / total for n in overall])
    for name, rows in rules.rows.items():
        own = [inside for rule, inside in zip(rules, covers, strict=True) if rule.decision == name]
        assert rows == (decided == name).sum()
        assert rules.covered[name] == (said & (decided == name)).sum() == rows - rules.uncovered[name]
        for k, share in enumerate(rules.curve.by_decision[name]):
            assert share == pytest.approx(np.any(own[:k], axis=0).sum() / max(1, rows))
        assert len(rules.curve.by_decision[name]) == len(own) + 1
    for i in range(len(covers)):
        others = np.any([c for k, c in enumerate(covers) if k != i], axis=0) | np.zeros(len(X), dtype=bool)
        assert (covers[i] & ~others).any(), "no rule is redundant"
    assert [x is not None for x in rules.decide(X)] == said.tolist()
    assert (rules.decide(X)[said] == decided[said]).all()


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(5))
def test_every_rule_is_a_prime_implicant_over_all_cells(seed, constraints):
    ensemble = random_ensemble(seed)
    X = training_rows(seed, constraints, missing=bool(seed % 2))
    explainer = pw.Explainer(ensemble, X, domain={"z": CODES}, constraints=constraints, literals="sets")
    subject = explainer._model.subject
    table = Table(subject, constraints)
    decided = np.array(explainer.class_names, dtype=object)[ensemble.predict(X)]
    for language in LANGUAGES:
        rules = rules_of(explainer, literals=language, coverage=1.0)
        for label, name in enumerate(explainer.class_names):
            truth = np.zeros([len(x) for x in subject.variables], dtype=bool)
            for cell, decision in table.decision.items():
                truth[cell] = decision in (label, -1)
            primes = set(prime_boxes(truth, subject.variables, language))
            own = {rule.term.box(subject.variables) for rule in rules if rule.decision == name}
            assert own <= primes
        assert rules.status == pw.Status.PROVED
        assert rules.covered == rules.rows and sum(rules.rows.values()) == len(X)
        check_counts(rules, X, decided)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[::2], y[::2])
    return pw.Explainer(model, X[::2], literals="sets"), model, X


@pytest.mark.parametrize("literals", LANGUAGES)
def test_a_list_of_few_rules_covers_what_it_says_and_is_right_on_other_rows(cancer, literals):
    explainer, model, X = cancer
    rules = rules_of(explainer, literals=literals, most_rules=3, coverage=0.9)
    decided = model.predict(X[::2])
    check_counts(rules, X[::2], decided)
    for name in explainer.class_names:
        assert sum(rule.decision == name for rule in rules) <= 3
    held_out = rules.decide(X[1::2])
    said = np.array([x is not None for x in held_out])
    assert (held_out[said] == model.predict(X[1::2])[said]).all()
    for rule in rules:
        oracle = explainer._model.engines.oracle(explainer._model.context.label(rule.decision))
        box = rule.term.box(explainer._model.context.variables)
        assert oracle.counterexample(box) is Verdict.NONE_EXISTS
        assert (model.predict([w.row for w in rule.witnesses]) != rule.decision).all()


def test_it_ends_when_it_covers_enough(cancer):
    explainer = cancer[0]
    some = rules_of(explainer, coverage=0.5)
    more = rules_of(explainer, coverage=0.8)
    for rules, share in ((some, 0.5), (more, 0.8)):
        assert all(rules.covered[name] >= share * rows for name, rows in rules.rows.items())
    assert len(some) < len(more)
    assert [rule.term for rule in some] == [rule.term for rule in rules_of(explainer, coverage=0.5)]


@pytest.mark.parametrize("clock", [Clock(1e-9), Clock(0.05), Clock(None, 1)])
def test_an_interrupted_list_is_still_right(cancer, clock):
    explainer, model, X = cancer
    clock = Clock(clock.limit, clock.work_limit)
    rules = rules_of(explainer, coverage=0.3, most_rules=2, clock=clock)
    check_counts(rules, X[::2], model.predict(X[::2]))
    for rule in rules:
        oracle = explainer._model.engines.oracle(explainer._model.context.label(rule.decision))
        assert oracle.counterexample(rule.term.box(explainer._model.context.variables)) is Verdict.NONE_EXISTS
    if clock.limit == 1e-9:
        assert rules.status == pw.Status.INTERRUPTED and "stopped early" in str(rules)


def test_one_decision_can_be_asked_for_and_the_list_reads_well():
    iris = load_iris()
    model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(iris.data, iris.target)
    explainer = pw.Explainer(
        model,
        iris.data,
        feature_names=iris.feature_names,
        class_names=list(map(str, iris.target_names)),
        literals="sets",
    )
    rules = rules_of(explainer, decisions=["setosa"], literals="intervals", coverage=1.0)
    assert {rule.decision for rule in rules} == {"setosa"} == set(rules.rows)
    lines = str(rules).splitlines()
    assert lines[0] == f"{rules[0].rule}  ({rules[0].rows} rows)"
    assert lines[-1].endswith("together 50 of 50 training rows (100.0%)")
    record = json.loads(json.dumps(rules.to_dict()))
    assert record["decisions"][0]["covered"] == 50 and record["rules"][0]["new_rows"] == rules[0].new_rows
    assert record["curve"][-1] == 1.0 and record["status"] == "proved"
    seen = rules[0].witnesses
    again = pickle.loads(pickle.dumps(rules))
    assert str(again) == str(rules) and again[0].witnesses == seen and seen
    few = rules_of(explainer, literals="values", most_rules=1)
    assert "covered by no rule: " in str(few)


def test_rows_that_rounding_decides_about_are_not_covered():
    found = 0
    for seed in (4, 5, 7, 10, 11):
        ensemble = random_ensemble(seed)
        X = training_rows(seed, None, missing=False)
        explainer = pw.Explainer(ensemble, X, domain={"z": CODES}, summation="any", literals="sets")
        rules = rules_of(explainer, coverage=1.0)
        oracles = [explainer._model.engines.oracle(label) for label in range(len(explainer.class_names))]
        cells = [tuple(1 << v for v in point) for point in explainer._model.context.points.tolist()]
        decided = ensemble.predict(X)
        open_rows = [
            isinstance(oracles[d].counterexample(c), tuple) for d, c in zip(decided, cells, strict=True)
        ]
        found += sum(open_rows)
        assert [x is None for x in rules.decide(X)] == open_rows
        assert sum(rules.uncovered.values()) == sum(open_rows)
    assert found, "some model should have such rows"


def test_what_is_asked_is_checked(cancer):
    explainer = cancer[0]
    with pytest.raises(UnknownName, match="no decision is called"):
        rules_of(explainer, decisions=["approved"])
    with pytest.raises(InvalidInput, match="coverage must be a share"):
        rules_of(explainer, coverage=1.5)
    with pytest.raises(InvalidInput, match="most_rules"):
        rules_of(explainer, most_rules=0)
    with pytest.raises(InvalidInput, match="training rows"):
        rules_of(pw.Explainer(cancer[1], literals="sets"))
