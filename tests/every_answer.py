"""One answer of every kind that users get, about a small model."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import primewood as pw

NAMES = ("amount", "age", "housing")
CATEGORIES = ("own", "rent", "free")
CLASSES = ("declined", "approved")
WORK = {"time_limit": None, "work_limit": 20_000}


def rows(count=80, seed=0):
    generator = np.random.default_rng(seed)
    numbers = generator.normal(40, 12, size=(count, 2)).round(1)
    return np.column_stack([numbers, generator.integers(0, 3, count)])


def explainer_of(names=NAMES, classes=CLASSES, categories=CATEGORIES, unit="DM", **options):
    X = rows()
    y = (X[:, 0] + 5 * X[:, 2] > X[:, 1]).astype(int)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    domain = {names[2]: dict(zip(range(3), categories, strict=True))}
    return pw.Explainer(
        forest,
        X,
        feature_names=list(names),
        class_names=list(classes),
        units={names[0]: unit},
        domain=domain,
        positive=classes[1],
        **options,
    )


def answers(explainer):
    """Answers by what they are called."""
    X = rows()
    x, names, classes = X[0], [f.name for f in explainer.domain.features], list(explainer.class_names)
    other = explainer_of(names, classes, [str(v) for v in explainer.domain.features[2].patterns.values()])
    compiled = explainer.compile()
    why = explainer.explain(x, **WORK)
    return {
        "explanation": why,
        "recorded": pw.Explanation.from_json(why.to_json()),
        "near": explainer.explain(x, near=0.2, near_features=2, **WORK),
        "wide": explainer.explain(x, goal="wide", **WORK),
        "in short": explainer.explain(x, precision=0.7),
        "in short over space": explainer.explain(x, precision=0.7, over="space"),
        "knowledge": explainer_of(
            names, classes, [str(v) for v in explainer.domain.features[2].patterns.values()], knowledge="data"
        ).knowledge,
        "explanations": explainer.explanations(x),
        "reasons": explainer.reasons(x),
        "complete reason": explainer.complete_reason(x),
        "relevance": explainer.relevance(x),
        "attribution": explainer.attribution(x),
        "contrast": explainer.contrast(x),
        "contrasts": explainer.contrasts(x),
        "counterfactual": explainer.counterfactual(x),
        "counterfactuals": explainer.counterfactuals(x),
        "robustness": explainer.robustness(x),
        "adverse action": explainer.adverse_action(X[explainer_declines(explainer, X)], classes[1]),
        "adverse action in short": explainer.adverse_action(
            X[explainer_declines(explainer, X)], classes[1], in_short=True
        ),
        "check": explainer.check(x, [names[0], names[1], names[2]]),
        "tally": pw.tally([explainer.check(x, [names[0]])]),
        "what if": explainer.what_if(x, names[0]),
        "decision map": explainer.decision_map(x, (names[0], names[1])),
        "score": explainer.score(x),
        "batch": explainer(X[:4]),
        "summary": explainer(X[:4]).summary(),
        "importance": explainer.importance(X[:4]),
        "verification": explainer.verify(pw.independent_of(names[1])),
        "rule": explainer.verify(f'"{names[1]}" < 30 -> not "{classes[0]}"')
        if tuple(names) == NAMES
        else None,
        "never": explainer.verify(pw.never(classes[1])),
        "monotone": explainer.verify(pw.monotone(names[0], "increasing")),
        "comparison": explainer.compare(other),
        "rules": explainer.rules([classes[1]]),
        "group": explainer.explain_group(X, decision=classes[0], **WORK),
        "short group": explainer.explain_group(
            X, decision=classes[0], kind="in_short", precision=0.6, **WORK
        ),
        "compiled": compiled,
        "prime implicants": compiled.prime_implicants(classes[1]),
        "fidelity": explainer.fidelity,
        "report": explainer.report(X[:6], explain=2, sample=5, time_limit=2),
        "domain": explainer.domain,
        "explainer": explainer,
        "ensemble": explainer.ensemble,
    }


def explainer_declines(explainer, X):
    return next(i for i, row in enumerate(X) if explainer.decide(row) == explainer.class_names[0])
