"""Which order of weakening gives short and wide explanations?

Each order is tried on the same forests and rows. Figures go to ``benchmarks/results/orders.json`` and to the
terminal: how many features an explanation mentions, how many training rows and how much of the volume of
their ranges it covers, and how long it takes. Orders: the least important feature first (the default), the
most important first, the columns as they come, at random, and the feature first that lets most rows in for
its importance.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from datasets import load, train

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "orders.json"
FORESTS = [
    (data, trees, depth)
    for data in ("breast_cancer", "wine", "german", "ecoli", "ionosphere", "segmentation", "sonar", "vowel")
    for trees, depth in ((100, 4), (100, 6))
]


def orders(explainer: pw.Explainer, x, generator: np.random.Generator) -> dict[str, list[str]]:
    variables = explainer.domain.variables
    names = [v.name for v in variables]
    importance = dict(zip(names, explainer._model.subject.importance, strict=True))
    least = sorted(names, key=lambda name: importance[name])
    gain = {}
    for name, column in zip(names, [f.column for f in explainer.domain.seen], strict=True):
        others = (explainer.rows[:, column] != x[column]).mean()
        gain[name] = others / max(importance[name], 1e-12)
    return {
        "least important first": least,
        "most important first": least[::-1],
        "as the columns come": names,
        "at random": generator.permutation(names).tolist(),
        "most rows for its importance first": sorted(names, key=lambda name: -gain[name]),
    }


def main() -> None:
    found: dict[str, list] = {}
    for data, trees, depth in FORESTS:
        if load(data) is None:
            continue
        model, X, rows = train(*load(data), trees, depth, 10)
        explainer = pw.Explainer(model, X, literals="sets")
        generator = np.random.default_rng(0)
        for x in rows:
            for name, order in orders(explainer, x, generator).items():
                start = time.process_time()
                why = explainer.explain(x, order=order)
                seconds = time.process_time() - start
                found.setdefault(name, []).append(
                    (len(why.features), why.coverage, max(why.volume, 1e-300), seconds)
                )
        print(f"{data} {trees}/{depth}", flush=True)
    table = {}
    for name, rows in found.items():
        sizes, coverage, volume, seconds = (np.array(column) for column in zip(*rows, strict=True))
        table[name] = {
            "explanations": len(rows),
            "mean_features": float(sizes.mean()),
            "mean_coverage": float(coverage.mean()),
            "mean_log10_volume": float(np.log10(volume).mean()),
            "median_s": float(np.median(seconds)),
        }
        print(name, table[name])
    RESULTS.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
