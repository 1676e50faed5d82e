"""Every answer shows itself briefly, however wide the model is: its text, its repr and its card."""

from __future__ import annotations

import warnings

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.render.html.environment import style

TEXT = 20_000
CARD = 100_000
NAMES = [f"attribute of the customer number {k:03}" for k in range(300)]
LIMIT = {"time_limit": 0.1}


@pytest.fixture(scope="module")
def wide():
    """An explainer of a forest with 300 columns, one of a tree that compiles, and their rows."""
    X, y = make_classification(600, 300, n_informative=100, n_redundant=0, random_state=0)
    forest = RandomForestClassifier(40, max_features=1, random_state=0).fit(X, y)
    tree = DecisionTreeClassifier(max_depth=7, random_state=0).fit(X, y)
    return pw.Explainer(forest, X, feature_names=NAMES), pw.Explainer(tree, X, feature_names=NAMES), X


def _of_a_row(explainer, x):
    other = next(name for name in explainer.class_names if name != explainer.decide(x))
    return {
        "counterfactual": lambda: explainer.counterfactual(x, **LIMIT),
        "robustness": lambda: explainer.robustness(x, **LIMIT),
        "contrast, values": lambda: explainer.contrast(x, literals="values", **LIMIT),
        "contrast, sets": lambda: explainer.contrast(x, literals="sets", **LIMIT),
        "reasons": lambda: explainer.reasons(x, **LIMIT),
        "relevance": lambda: explainer.relevance(x, **LIMIT),
        "attribution": lambda: explainer.attribution(x, **LIMIT),
        "check, features": lambda: explainer.check(x, NAMES[:200], **LIMIT),
        "tally": lambda: pw.tally([explainer.check(x, NAMES[:3], **LIMIT)]),
        "adverse action": lambda: explainer.adverse_action(x, other, **LIMIT),
    }


def _of_many(explainer, X):
    return {
        "batch": lambda: explainer(X[:3], **LIMIT),
        "summary": lambda: explainer(X[:3], **LIMIT).summary(),
        "importance": lambda: explainer.importance(X[:2], **LIMIT),
        "rules": lambda: explainer.rules(most_rules=4, time_limit=0.5),
        "fidelity": lambda: explainer.fidelity,
        "explainer": lambda: explainer,
    }


def _compiled(explainer, x):
    return {
        "compiled": explainer.compile,
        "complete reason": lambda: explainer.complete_reason(x),
        "all explanations": lambda: explainer.explanations(x),
        "all contrasts": lambda: explainer.contrasts(x),
        "exact relevance": lambda: explainer.relevance(x),
    }


def _too_large(answer):
    """Which of the ways in which an answer shows itself are too large, or are not there."""
    found = {"str": len(str(answer)), "repr": len(repr(answer))}
    card = answer._repr_html_()
    assert card.startswith(style()) and "<article" in card
    too_large = {name: size for name, size in found.items() if size > TEXT}
    return too_large | ({"card": len(card)} if len(card) - len(style()) > CARD else {})


def test_no_answer_about_a_wide_model_is_too_large_to_show(wide):
    explainer, tree, X = wide
    made = {**_of_a_row(explainer, X[0]), **_of_many(explainer, X), **_compiled(tree, X[0])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: _too_large(make()) for name, make in made.items()}
    assert not {name: sizes for name, sizes in found.items() if sizes}


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_a_long_explanation_is_cut_everywhere(wide, literals):
    explainer, _, X = wide
    why = explainer.explain(X[0], literals=literals, **LIMIT)
    assert len(why.features) > 60
    assert not _too_large(why) and len(repr(why)) < 400
    card = why._repr_html_()
    assert card.count('role="img"') <= 24
    assert f"{len(why.features) - 12} more conditions" in card
    recorded = pw.Explanation.from_json(why.to_json())
    assert not _too_large(recorded)
    name = why.features[0]
    assert not _too_large(explainer.what_if(X[0], name, why=why))
    assert not _too_large(explainer.decision_map(X[0], why.features[:2], why=why))
    assert all(len(repr(x)) < 400 for x in (*why.witnesses[:3], *why.exclusions[:3]))


def test_a_short_repr_is_one_line(wide):
    explainer, tree, X = wide
    for answer in (
        explainer,
        explainer.contrast(X[0], **LIMIT),
        tree.explain(X[0]),
        tree.compile(),
        tree.rules(),
    ):
        assert "\n" not in repr(answer) and len(repr(answer)) < 600
        assert repr(answer).startswith("<")
