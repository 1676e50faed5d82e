"""Trees that are chains: as deep as scikit-learn really grows them, and as deep as any that is read."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.encodings import HighestBit
from primewood.ensemble.tree import MOST_DEPTH
from primewood.errors import InvalidInput
from primewood.properties.drawing import tree_records


def chain(depth, columns=2):
    """A tree in which each test has a leaf on its left, of the one class and the other in turn."""
    inner = np.arange(0, 2 * depth, 2)
    feature, left, right = (np.full(2 * depth + 1, -1) for _ in range(3))
    feature[inner], left[inner], right[inner] = np.arange(depth) % columns, inner + 1, inner + 2
    threshold, value = np.zeros(2 * depth + 1), np.zeros((2 * depth + 1, 2))
    threshold[inner] = np.arange(depth) // columns
    value[[*(inner + 1), 2 * depth], np.arange(depth + 1) % 2] = 1.0
    return pw.Tree(feature, threshold, left, right, np.zeros(2 * depth + 1, dtype=bool), value)


def ensemble_of(*trees):
    return pw.Ensemble(trees, ("a", "b"), ("no", "yes"), vote="mean")


@pytest.fixture(scope="module")
def grown():
    """A classifier of scikit-learn whose tree is a chain: each row weighs less than the one before."""
    rows = np.arange(1001.0)[:, None]
    model = DecisionTreeClassifier(random_state=0)
    return model.fit(rows, np.arange(1001) % 2, sample_weight=1.05 ** -np.arange(1001)), rows


def test_a_deep_tree_of_scikit_learn_is_explained(grown, tmp_path):
    model, rows = grown
    assert model.get_depth() > 900
    explainer = pw.Explainer(model, rows)
    why = explainer.explain(rows[500])
    assert why.status == "proved" and why.covers(rows).sum() == 1
    assert explainer.counterfactual(rows[500]).cost < 1
    assert explainer.verify("x0 < 500 -> 0").outcome.value == "fails"
    assert len(tree_records(explainer.ensemble, explainer._model.context, 0)) == 2001
    explainer.ensemble.save(tmp_path / "deep.json")
    assert pw.load(tmp_path / "deep.json").digest == explainer.ensemble.digest


@pytest.mark.slow
def test_a_deep_tree_is_compiled_ruled_encoded_and_drawn(grown):
    model, rows = grown
    explainer = pw.Explainer(model, rows)
    assert sum(explainer.compile(time_limit=30).count().values()) == 1001
    assert explainer.rules(most_rules=3, time_limit=5).rules
    formula = explainer.expression(1)
    assert HighestBit(formula.variables).to_dimacs(formula).startswith("c")
    assert explainer.draw_tree(most_nodes=20).note == "20 of 2,001 nodes shown"


@pytest.mark.parametrize("count", [1, 2])
def test_the_deepest_trees_are_explained_saved_and_asked_about(count, tmp_path):
    ensemble = ensemble_of(*[chain(MOST_DEPTH)] * count)
    ensemble.save(tmp_path / "deep.json")
    assert pw.load(tmp_path / "deep.json").digest == ensemble.digest
    explainer, row = pw.Explainer(ensemble), [700.5, 700.5]
    assert explainer.explain(row, time_limit=5).covers([row]).all()


def test_deeper_trees_are_refused_whoever_makes_them(tmp_path):
    with pytest.raises(InvalidInput, match="more than 4000 levels deep"):
        ensemble_of(chain(MOST_DEPTH + 1))
    ensemble_of(chain(8)).save(tmp_path / "deep.json")
    document = json.loads((tmp_path / "deep.json").read_text())
    deep = chain(20_000)
    for name in ("feature", "threshold", "left", "right", "missing_left", "value"):
        document["trees"][0][name] = getattr(deep, name).tolist()
    document["trees"][0]["set_of"] = None
    (tmp_path / "deep.json").write_text(json.dumps(document))
    with pytest.raises(
        InvalidInput, match=r"deep\.json cannot be read: a tree is more than 4000 levels deep"
    ):
        pw.Explainer(tmp_path / "deep.json")


def test_nested_tuples_may_be_deep():
    node = [0.0, 1.0]
    for number in range(3000):
        node = (0, -float(number), [1.0, 0.0], node)
    tree = pw.Tree.build(node)
    assert tree.depth == 3000 and tree.threshold[0] == -2999.0
