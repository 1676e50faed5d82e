"""Rules that are found in the training rows: none is broken by one, and few new rows break them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.domain.mined import MinedKnowledge
from primewood.errors import InvalidInput
from primewood.model.model import TreeModel


def draw_table(seed: int, rows: int = 300) -> dict[str, np.ndarray]:
    """Columns of all kinds that depend on each other."""
    random = np.random.default_rng(seed)
    a = random.normal(size=rows)
    return {
        "a": a,
        "b": a + random.uniform(0, 1, rows),
        "twice a": 2 * a + 3,
        "steps": np.floor(4 * a),
        "more steps": np.floor(4 * a) + random.integers(0, 3, rows),
        "is high": (a > 0.3).astype(float),
        "colour": np.where(a < -0.5, 0, np.where(a < 0.5, random.integers(0, 2, rows), 2)).astype(float),
        "noise": random.normal(size=rows),
    }


def decide(table: dict[str, np.ndarray], seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed + 1).normal(size=len(table["a"]))
    return (table["a"] + table["noise"] + 0.3 * noise > 0).astype(int)


def explainer_of(seed: int, *, missing: float = 0.0, **options: Any) -> tuple[pw.Explainer, np.ndarray]:
    table = draw_table(seed)
    X = np.column_stack(list(table.values()))
    if missing:
        X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    maker: Any = (
        HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=6, min_samples_leaf=5, random_state=seed)
        if missing
        else RandomForestClassifier(10, max_depth=4, random_state=seed)
    )
    model = maker.fit(X, decide(table, seed))
    options.setdefault(
        "domain", {"steps": "whole", "more steps": "whole", "colour": {0: "red", 1: "blue", 2: "grey"}}
    )
    found = pw.Explainer(model, X, feature_names=list(table), knowledge="data", **options)
    return found, X


def found_in(explainer: pw.Explainer) -> MinedKnowledge:
    assert explainer.knowledge is not None
    return explainer.knowledge


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(8))
def test_no_training_row_breaks_a_rule(seed: int, missing: float) -> None:
    explainer, X = explainer_of(seed, missing=missing)
    found, domain = found_in(explainer), explainer.domain
    assert domain is not None and len(found) > 3
    points = domain.points(X)
    assert domain.possible(X, points).all()
    for row in X:
        assert not domain.find_broken(row)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(4))
def test_each_rule_says_the_same_as_a_constraint_of_the_user_and_cuts_no_cell(
    seed: int, missing: float
) -> None:
    explainer, X = explainer_of(seed, missing=missing)
    found = found_in(explainer)
    options = {"feature_names": explainer.feature_names, "domain": {"steps": "whole", "more steps": "whole"}}
    options["domain"]["colour"] = {0: "red", 1: "blue", 2: "grey"}  # type: ignore[call-overload,index]
    plain = pw.Explainer(explainer.model, X, **options)  # type: ignore[arg-type]
    stated = pw.Explainer(explainer.model, X, constraints=found.texts, **options)  # type: ignore[arg-type]
    assert plain.domain is not None and stated.domain is not None and explainer.domain is not None
    assert plain.domain.variables == explainer.domain.variables
    assert stated.domain.knowledge.rules == explainer.domain.knowledge.rules


def test_rules_are_about_dependent_columns_only() -> None:
    explainer, _ = explainer_of(0)
    assert all("noise" not in rule.features for rule in found_in(explainer))
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 6))
    model = DecisionTreeClassifier(max_depth=8, random_state=0).fit(X, X.sum(axis=1) > 0)
    assert len(found_in(pw.Explainer(model, X, knowledge="data"))) == 0


def test_equal_columns_are_two_orders() -> None:
    random = np.random.default_rng(0)
    a = random.normal(size=200)
    X = np.column_stack([a, a, random.normal(size=200)])
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, a + X[:, 2] > 0)
    assert set(found_in(pw.Explainer(model, X, knowledge="data")).texts) == {"x0 <= x1", "x1 <= x0"}


def test_dummies_exclude_each_other() -> None:
    random = np.random.default_rng(0)
    colour = random.integers(0, 3, 300)
    X = np.column_stack([colour == 0, colour == 1, colour == 2, random.normal(size=300)]).astype(float)
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, colour + X[:, 3] > 1)
    texts = found_in(pw.Explainer(model, X, knowledge="data")).texts
    broken = np.array([[1.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]])
    explainer = pw.Explainer(model, X, constraints=texts)
    assert explainer.domain is not None
    assert not explainer.domain.possible(broken, explainer.domain.points(broken)).any()


@pytest.mark.parametrize("seed", range(3))
def test_few_new_rows_break_a_rule(seed: int) -> None:
    explainer, X = explainer_of(seed)
    found, domain = found_in(explainer), explainer.domain
    assert domain is not None
    new = np.column_stack(list(draw_table(100 + seed, 2000).values()))
    points = domain.points(new)
    possible = domain.possible(new, points)[(points >= 0).all(axis=1)]
    assert 0 < found.violated <= 0.05
    assert 1 - possible.mean() <= 0.05
    assert len(found) <= len(X) // 20


def test_no_rule_follows_from_another() -> None:
    explainer, _ = explainer_of(1)
    domain = explainer.domain
    assert domain is not None
    by_text: dict[str, set[tuple[int, int, int, int]]] = {}
    for rule in domain.knowledge.rules:
        if len(rule.sources) > 1:
            continue
        cells = by_text.setdefault(rule.text, set())
        for box in rule.forbidden:
            (j, first), (k, second) = sorted(box.items())
            cells |= {
                (j, v, k, w)
                for v, w in itertools.product(range(first.bit_length()), range(second.bit_length()))
                if first >> v & 1 and second >> w & 1
            }
    for one, other in itertools.permutations(by_text, 2):
        assert not by_text[one] <= by_text[other], (one, other)


def test_mining_is_deterministic_and_saved_with_the_explainer(tmp_path: Any) -> None:
    explainer, X = explainer_of(2)
    again, _ = explainer_of(2)
    assert explainer.knowledge == again.knowledge
    explainer.save(tmp_path / "x.explainer")
    loaded = pw.load(tmp_path / "x.explainer")
    assert isinstance(loaded, pw.Explainer)
    assert loaded.knowledge == explainer.knowledge
    assert loaded.explain(X[0]) == explainer.explain(X[0])


def test_odd_names_and_categories_are_read_back() -> None:
    random = np.random.default_rng(0)
    a = random.normal(size=300)
    group = np.digitize(a, [-0.5, 0.5]).astype(float)
    X = np.column_stack([a, a + random.uniform(0, 1, 300), group])
    names = ["a and b", 'x "1" -> y', "in"]
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, a > 0.1)
    domain = {"in": {0: "not low", 1: "or, and", 2: "missing?"}}
    explainer = pw.Explainer(model, X, feature_names=names, domain=domain, knowledge="data")
    assert {name for rule in found_in(explainer) for name in rule.features} == set(names)


def test_what_cannot_be_mined_is_one_clear_error() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 0)
    with pytest.raises(InvalidInput, match="there are none; pass X_train"):
        pw.Explainer(model, knowledge="data")
    with pytest.raises(InvalidInput, match="X_train has no rows"):
        pw.Explainer(model, X[:0], knowledge="data")
    with pytest.raises(InvalidInput, match='knowledge must be "data" or None'):
        pw.Explainer(model, X, knowledge="rows")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="knowledge"):
        pw.Explainer(pw.Variable.boolean("a").literal([True]), knowledge="data")
    with pytest.raises(InvalidInput, match="is not understood"):
        pw.Explainer(model, X, constraints=["x0 <= 1 -> x7 > 2"])
    with pytest.raises(InvalidInput, match="no row can satisfy the constraints"):
        pw.Explainer(model, constraints=["x0 <= x1", "x1 <= x0 - 1"], X_train=None)


def test_contradiction_between_constraints_and_rows_is_about_the_constraint() -> None:
    random = np.random.default_rng(0)
    a = random.normal(size=300)
    X = np.column_stack([a, a + random.uniform(0, 1, 300)])
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, a > 0)
    with pytest.raises(InvalidInput, match="X_train, row 0: the row violates the constraint 'x1 <= x0'"):
        pw.Explainer(model, X, constraints=["x1 <= x0"], knowledge="data")


def test_few_rows_and_single_columns_give_no_rule() -> None:
    X = np.random.default_rng(0).normal(size=(19, 2))
    model = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 0)
    found = found_in(pw.Explainer(model, X, knowledge="data"))
    assert len(found) == 0 and "No rule was found" in str(found)


def test_rules_as_text_records_and_frames() -> None:
    explainer, _ = explainer_of(0)
    found = found_in(explainer)
    assert found.to_dict()["rules"][0]["text"] == found[0].text
    assert list(found.to_frame()["support"]) == [rule.support for rule in found]
    assert str(found).splitlines()[0].startswith(found[0].text)
    assert "of new rows break" in str(found).splitlines()[-1]
    assert isinstance(explainer._model, TreeModel)


def test_support_counts_the_rows_of_the_premise() -> None:
    explainer, X = explainer_of(0)
    domain = explainer.domain
    assert domain is not None
    points = domain.points(X)
    rules = {rule.text: rule for rule in domain.knowledge.rules if not rule.is_staircase}
    for rule in found_in(explainer):
        if rule.text in rules:
            (box,) = rules[rule.text].forbidden
            counted = [sum(mask >> v & 1 for v in points[:, j].tolist()) for j, mask in box.items()]
            assert rule.support == max(counted)
