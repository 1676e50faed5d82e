"""What knowledge from the data is worth: shorter explanations, and how many new rows break the rules.

Per data set and model (a default forest of 100 trees, XGBoost and LightGBM with their defaults): how many rules are
found, in how many seconds, how many held-out rows break one (estimated and counted), and for held-out rows that break
none (seed 0), the mean number of conditions and the median CPU seconds with and without knowledge, in "intervals", for
`goal="prime"` and the default, at most 10 s per row. The seconds with knowledge include telling which rules are used.

Usage: python benchmarks/knowledge.py [--data NAME ...] [--models NAME ...] [--rows N] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
from real_size import table
from short import models
from sklearn.model_selection import train_test_split

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "knowledge.json"
TABLES = ("german", "compas", "segmentation", "wdbc", "pendigits", "ionosphere", "vowel", "sonar", "twonorm")
GOALS = ("prime", "readable")


def measure(name: str, model_name: str, rows: int) -> dict[str, Any] | None:
    """One data set and model; None if one of them is not there."""
    data = table(name)
    if data is None:
        return None
    X, held_out, y, _ = train_test_split(*data, test_size=0.3, random_state=0)
    try:
        model = models()[model_name]().fit(X, y)
    except ImportError:
        return None
    if hasattr(model, "n_jobs"):
        model.n_jobs = 1
    plain = pw.Explainer(model, X)
    start = time.process_time()
    informed = pw.Explainer(model, X, knowledge="data")
    seconds = time.process_time() - start
    assert informed.knowledge is not None and informed.domain is not None
    keeps = informed.domain.possible(held_out, informed.domain.points(held_out))
    chosen = np.random.default_rng(0).permutation(np.flatnonzero(keeps))[:rows]
    found: dict[str, Any] = {
        "rules": len(informed.knowledge),
        "estimated": informed.knowledge.violated,
        "broken": float(1 - keeps.mean()),
        "seconds": seconds,
    }
    for goal in GOALS:
        for word, explainer in (("without", plain), ("with", informed)):
            found[f"{goal} {word}"] = ask(explainer, held_out[chosen], goal)
    return found


def ask(explainer: pw.Explainer, rows: np.ndarray, goal: Any) -> dict[str, float]:
    """The mean number of conditions, the median seconds, and how many mined rules an answer uses."""
    conditions, seconds, used, minimal = [], [], [], []
    explainer.explain(rows[0], goal=goal, time_limit=10)  # prepares what all questions share
    for row in rows:
        start = time.process_time()
        why = explainer.explain(row, goal=goal, time_limit=10)
        seconds.append(time.process_time() - start)
        conditions.append(len(why.term.literals))
        used.append(0 if why.used is None else len(why.used.texts))
        minimal.append(why.used is None or why.used.is_minimal)
    return {
        "conditions": float(np.mean(conditions)),
        "seconds": float(np.median(seconds)),
        "used": float(np.mean(used)),
        "minimal": float(np.mean(minimal)),
    }


def show(name: str, model_name: str, found: dict[str, Any]) -> str:
    parts = [
        f"{name:13} {model_name:9} {found['rules']:3} rules {found['seconds']:5.1f} s, broken {found['broken']:5.1%} "
        f"(estimated {found['estimated']:5.1%})"
    ]
    for goal in GOALS:
        before, after = found[f"{goal} without"], found[f"{goal} with"]
        saved = 1 - after["conditions"] / before["conditions"] if before["conditions"] else 0.0
        parts.append(
            f"{goal} {before['conditions']:4.1f} -> {after['conditions']:4.1f} ({saved:4.0%}) "
            f"{before['seconds']:.2f} -> {after['seconds']:.2f} s, uses {after['used']:.1f}"
        )
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=TABLES)
    parser.add_argument("--models", nargs="+", default=list(models()))
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    results: dict[str, Any] = {"machine": platform.machine(), "rows": given.rows, "results": {}}
    for name in given.data:
        for model_name in given.models:
            found = measure(name, model_name, given.rows)
            if found is not None:
                results["results"][f"{name} {model_name}"] = found
                print(show(name, model_name, found), flush=True)
                given.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
