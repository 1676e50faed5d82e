"""How far questions overrun their time limit: CPU seconds beyond it, the worst of several calls.

Usage: python benchmarks/limits.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "limits.json"
LIMITS = (0.001, 0.05, 0.5)


def adult_like(rows: int) -> tuple[Any, Any]:
    """Thirteen columns with the numbers of values that census tables have."""
    rng = np.random.default_rng(1)
    age, education, hours = rng.integers(17, 90, rows), rng.integers(1, 17, rows), rng.integers(1, 99, rows)
    gain = np.where(rng.random(rows) < 0.08, rng.integers(100, 99_999, rows), 0)
    weight = rng.integers(12_000, 1_400_000, rows)
    names = [rng.integers(0, count, rows) for count in (9, 15, 6, 5, 2, 41, 7)]
    X = np.column_stack([age, education, hours, gain, weight, *names]).astype(float)
    score = (
        0.04 * (age - 38) + 0.3 * (education - 10) + 0.03 * (hours - 40) + 3e-4 * gain + (names[2] < 2) - 1.5
    )
    return X, (score + rng.normal(size=rows) > 0).astype(int)


def noisy(rows: int) -> tuple[Any, Any]:
    """Six columns of different numbers, and labels that are a third noise: trees with a leaf per few rows."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(rows, 6))
    return X, ((X[:, 0] > 0) ^ (rng.random(rows) < 0.35)).astype(int)


def models(quick: bool) -> dict[str, tuple[Any, Any, Any]]:
    """Models by name: the model, its training rows, another model of the same rows."""
    found = {}
    plans = {
        "100 trees of depth 6": (adult_like(4000), {"n_estimators": 100, "max_depth": 6}),
        "default forest": (adult_like(8000), {"n_estimators": 100}),
        "200,000 leaves": (noisy(25_000), {"n_estimators": 40, "max_features": 2}),
    }
    for name, ((X, y), options) in list(plans.items())[: 1 if quick else None]:
        first, second = (
            RandomForestClassifier(**options, random_state=seed, n_jobs=1).fit(X, y) for seed in (0, 1)
        )
        found[name] = (first, X[:4000], second)
    return found


def questions(explainer: pw.Explainer, x: Any, other: Any) -> dict[str, Callable[[float], Any]]:
    """The questions that take a limit, by name."""
    assert explainer.domain is not None
    feature = explainer.domain.features[0].name
    others = [name for name in explainer.class_names if name != explainer.decide(x)]
    return {
        "explain": lambda t: explainer.explain(x, time_limit=t),
        "explain, sets": lambda t: explainer.explain(x, literals="sets", time_limit=t),
        "explain, values": lambda t: explainer.explain(x, literals="values", time_limit=t),
        "shortest": lambda t: explainer.explain(x, goal="shortest", time_limit=t),
        "widest": lambda t: explainer.explain(x, goal="widest", time_limit=t),
        "contrast": lambda t: explainer.contrast(x, others[0], time_limit=t),
        "counterfactual": lambda t: explainer.counterfactual(x, time_limit=t),
        "robustness": lambda t: explainer.robustness(x, time_limit=t),
        "relevance, values": lambda t: explainer.relevance(x, literals="values", time_limit=t),
        "monotone": lambda t: explainer.verify(pw.monotone(feature), time_limit=t),
        "independent_of": lambda t: explainer.verify(pw.independent_of(feature), time_limit=t),
        "robust_everywhere": lambda t: explainer.verify(pw.robust_everywhere(0.1), time_limit=t),
        "rules": lambda t: explainer.rules(time_limit=t),
        "compare": lambda t: explainer.compare(other, time_limit=t),
    }


def overrun(ask: Callable[[float], Any], limit: float) -> float:
    """The CPU seconds that a call took beyond its limit."""
    start = time.process_time()
    ask(limit)
    return time.process_time() - start - limit


def measured(model: Any, X: Any, other: Any) -> dict[str, Any]:
    """Per question, the worst overrun of first calls and of later ones."""
    start = time.process_time()
    explainer = pw.Explainer(model, X)
    found: dict[str, Any] = {"leaves": int(sum(tree.tree_.n_leaves for tree in model.estimators_))}
    found["seconds_to_make_the_explainer"] = round(time.process_time() - start, 2)
    found["overruns"] = {}
    for name, ask in questions(explainer, X[0], pw.Explainer(other, X)).items():
        first = [overrun(ask, limit) for limit in LIMITS]
        later = [overrun(ask, limit) for limit in LIMITS]
        found["overruns"][name] = {"first": round(max(first), 3), "later": round(max(later), 3)}
        print(f"  {name:20} first {max(first):6.3f} s   later {max(later):6.3f} s", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the first model, nothing saved")
    quick = parser.parse_args().quick
    results = {}
    for name, (model, X, other) in models(quick).items():
        print(name, flush=True)
        results[name] = measured(model, X, other)
    if not quick:
        RESULTS.write_text(json.dumps({"limits": list(LIMITS), "models": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
