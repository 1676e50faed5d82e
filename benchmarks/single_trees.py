"""Single decision trees of thousands of leaves: all contrasts, one explanation, the shortest one.

Run ``make bench`` (or ``python benchmarks/single_trees.py``); the figures go to
``benchmarks/results/single_trees.json``.
Seconds are CPU seconds, medians and worst over rows.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "single_trees.json"
ROWS = 50


def seconds(action) -> tuple[float, object]:
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def figures(rows: int, features: int, informative: int) -> dict:
    X, y = make_classification(rows, features, n_informative=informative, flip_y=0.2, random_state=0)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    explainer.contrasts(X[0], literals="values").count()  # the leaves are read once
    questions = {
        "all contrasts (values)": lambda x: explainer.contrasts(x, literals="values").count(),
        "one explanation (values)": lambda x: explainer.explain(x, goal="prime", literals="values"),
        "one explanation (sets)": lambda x: explainer.explain(x, goal="prime"),
        "shortest explanation (values)": lambda x: explainer.explain(x, goal="shortest", literals="values"),
    }
    found: dict = {"leaves": int(model.get_n_leaves()), "features": features}
    for name, ask in questions.items():
        times = [seconds(lambda x=x, ask=ask: ask(x))[0] for x in X[:ROWS]]
        found[name] = {"median_s": float(np.median(times)), "worst_s": max(times)}
    return found


def main() -> None:
    found = [figures(20_000, 20, 10), figures(60_000, 20, 5), figures(60_000, 200, 10)]
    for row in found:
        print(json.dumps(row))
    RESULTS.write_text(json.dumps({"rows": ROWS, "trees": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
