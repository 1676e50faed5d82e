"""How long the Boolean engines take under the paper's majority vote.

All PI-explanations of rows, all primes of both classes, and one prime explanation.

Run ``make bench`` (or ``python benchmarks/boolean_engines.py``); the figures go to
``benchmarks/results/boolean_engines.json`` and, as a table, to the terminal. Seconds are CPU seconds.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from pathlib import Path

import sklearn
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.engines.choice import Engines

RESULTS = Path(__file__).parent / "results" / "boolean_engines.json"
LOADERS = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}
ROWS = 20


def explainer_of(data: str, trees: int, depth: int, engine: str = "bdd") -> tuple[pw.Explainer, object]:
    X, y = LOADERS[data](return_X_y=True)
    model = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
    return pw.Explainer(model, X, engine=engine, vote="majority", literals="sets"), X


def seconds(action) -> tuple[float, object]:
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def all_explanations(data: str, trees: int, depth: int, literals: str) -> dict:
    """Per row, a fresh explainer: compiling, finding and listing all PI-explanations."""
    explainer, X = explainer_of(data, trees, depth)
    times, counts = [], []
    for i in range(0, len(X), len(X) // ROWS):
        fresh = pw.Explainer(explainer.model, X, engine="bdd", vote="majority", literals="sets")
        took, found = seconds(
            lambda fresh=fresh, i=i: sum(1 for _ in fresh.explanations(X[i], literals=literals))
        )
        times.append(took)
        counts.append(found)
    return {
        "task": f"all PI-explanations ({literals})",
        "forest": f"{data} {trees}/{depth}",
        "rows": len(times),
        "median_s": statistics.median(times),
        "worst_s": max(times),
        "most": max(counts),
    }


def one_explanation(data: str, trees: int, depth: int, engine: str) -> dict:
    explainer, X = explainer_of(data, trees, depth, engine)
    explainer.explain(X[0], goal="prime")
    times, proved = [], 0
    for i in range(0, len(X), len(X) // ROWS):
        took, why = seconds(lambda i=i: explainer.explain(X[i], goal="prime", time_limit=None))
        times.append(took)
        proved += why.status == pw.Status.PROVED
    return {
        "task": f"one prime explanation (sets, {engine})",
        "forest": f"{data} {trees}/{depth}",
        "rows": len(times),
        "median_s": statistics.median(times),
        "worst_s": max(times),
        "most": proved,
    }


def all_primes(data: str, trees: int, depth: int) -> dict:
    explainer, _ = explainer_of(data, trees, depth)

    def run() -> list[int]:
        engines = Engines(explainer._model.subject, "bdd")
        return [sum(1 for _ in engines.primes(label, "sets")) for label in range(2)]

    took, counts = seconds(run)
    return {
        "task": f"all primes of both classes ({counts[1]} and {counts[0]})",
        "forest": f"{data} {trees}/{depth}",
        "rows": 1,
        "median_s": took,
        "worst_s": took,
        "most": max(counts),
    }


def main() -> None:
    rows = [
        *(
            all_explanations(data, 10, 3, language)
            for data in ("iris", "wine")
            for language in ("sets", "intervals", "values")
        ),
        all_primes("breast_cancer", 5, 3),
        all_explanations("breast_cancer", 5, 3, "sets"),
        *(one_explanation(data, 25, 4, "sat") for data in LOADERS),
        one_explanation("breast_cancer", 100, 4, "sat"),
    ]
    machine = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "primewood": pw.__version__,
        "processor": platform.machine(),
    }
    RESULTS.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")
    print(f"{'task':<46} {'forest':<20} {'rows':>4} {'median s':>9} {'worst s':>9} {'most':>7}")
    for row in rows:
        print(
            f"{row['task']:<46} {row['forest']:<20} {row['rows']:>4} {row['median_s']:>9.3f} "
            f"{row['worst_s']:>9.3f} {row['most']:>7,}"
        )


if __name__ == "__main__":
    main()
