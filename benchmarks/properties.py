"""Properties of whole forests: monotonicity and independence, feature by feature.

``python benchmarks/properties.py`` runs the grid; ``--data wdbc`` takes one data set. Per forest the ten most important
features are asked about: increasing, decreasing, independent. To make some properties true, each forest is asked
a second time with all trees that test the feature left out but one ("mended"). Outcomes are counted; wall seconds per
property, at most 20. Figures go to ``benchmarks/results/properties.json``.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "properties.json"
DATA = ["wdbc", "sonar", "ionosphere", "german", "compas", "vowel"]
FORESTS = [(100, 4), (100, 6)]
LIMIT = 20.0


def asked(explainer: pw.Explainer, name: str) -> dict[str, list]:
    """Outcome and seconds of each property of a feature."""
    place = explainer._model.context.place(name)
    found = {}
    kinds = {"independent": pw.independent_of(name)}
    if place is not None and explainer._model.context.variables[place].ordered:
        kinds |= {"increasing": pw.monotone(name), "decreasing": pw.monotone(name, "decreasing")}
    for kind, stated in kinds.items():
        start = time.monotonic()
        outcome = explainer.verify(stated, time_limit=LIMIT).outcome
        found[kind] = [str(outcome), time.monotonic() - start]
    return found


def mended(ensemble: pw.Ensemble, column: int) -> pw.Ensemble:
    """The forest without the trees that test a column, but for the first of them."""
    tests = [bool((tree.feature == column).any()) for tree in ensemble.trees]
    first = tests.index(True) if True in tests else 0
    kept = tuple(tree for i, tree in enumerate(ensemble.trees) if not tests[i] or i == first)
    return replace(ensemble, trees=kept, groups=(), divisor=None)


def measure(name: str, trees: int, depth: int) -> dict | None:
    data = load(name)
    if data is None:
        return None
    model, X_train, _ = train(*data, trees, depth, 1)
    records: dict[str, dict] = {"data": name, "trees": trees, "depth": depth}
    numeric = {f"x{i}": "numeric" for i in range(X_train.shape[1])}
    whole = pw.Explainer(model, domain=numeric)
    important = np.argsort(-whole.ensemble.importance)[:10].tolist()
    records["as trained"] = summary([asked(whole, f"x{i}") for i in important])
    fewer = [(mended(whole.ensemble, i), f"x{i}") for i in important]
    records["mended"] = summary([asked(pw.Explainer(e, domain=numeric), x) for e, x in fewer])
    return records


def summary(found: list[dict[str, list]]) -> dict:
    together = [one for properties in found for one in properties.values()]
    seconds = [one[1] for one in together]
    outcomes = [one[0] for one in together]
    return {
        "properties": len(together),
        **{kind: outcomes.count(kind) for kind in ("holds", "fails", "undecided")},
        "median": float(np.median(seconds)),
        "worst": max(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", action="append", choices=DATA)
    chosen = parser.parse_args().data
    records = []
    for name in chosen or DATA:
        for trees, depth in FORESTS:
            record = measure(name, trees, depth)
            if record is None:
                print(f"{name}: not there")
                break
            records.append(record)
            print(json.dumps(record), flush=True)
            if chosen is None:
                write(records)


def write(records: list[dict]) -> None:
    versions = {"python": platform.python_version(), "scikit-learn": sklearn.__version__}
    RESULTS.write_text(json.dumps({"limit": LIMIT, **versions, "records": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
