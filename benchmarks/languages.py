"""What do the three literal languages cost and give?

The same forests, boosted trees and rows are explained in `intervals`, `sets` and `values`. Figures go to
``benchmarks/results/languages.json`` and to the terminal: how many conditions and how many words a rule has, how many
training rows it covers, CPU seconds, and how many were proved within ten seconds.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from datasets import load, train
from sklearn.model_selection import train_test_split

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "languages.json"
DATA = ("breast_cancer", "wine", "german", "ionosphere", "segmentation", "vowel")
ROWS = 10


def models(data: str):
    """A forest of 100 trees of depth 6 and a default XGBoost model, with training rows and held-out rows."""
    X, y = load(data)
    yield "forest 100/6", *train(X, y, 100, 6, ROWS)
    import xgboost

    _, labels = np.unique(y, return_inverse=True)
    inside, rows, target, _ = train_test_split(X, labels, random_state=0, stratify=labels)
    yield "XGBoost defaults", xgboost.XGBClassifier(n_jobs=1).fit(inside, target), inside, rows[:ROWS]


def main() -> None:
    found = []
    for data in DATA:
        if load(data) is None:
            continue
        for kind, model, X, rows in models(data):
            explainer = pw.Explainer(model, X)
            for literals in ("intervals", "sets", "values"):
                for x in rows:
                    start = time.process_time()
                    why = explainer.explain(x, goal="prime", literals=literals, time_limit=10)
                    found.append(
                        {
                            "data": data,
                            "model": kind,
                            "literals": literals,
                            "seconds": time.process_time() - start,
                            "conditions": len(why.features),
                            "words": len(why.to_text(full=True).splitlines()[0].split()),
                            "coverage": why.coverage,
                            "proved": why.status == "proved",
                        }
                    )
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    for kind in ("forest 100/6", "XGBoost defaults"):
        for literals in ("intervals", "sets", "values"):
            some = [x for x in found if x["model"] == kind and x["literals"] == literals]
            middle = {k: float(np.median([x[k] for x in some])) for k in ("conditions", "words", "seconds")}
            covered = float(np.mean([x["coverage"] for x in some]))
            proved = f"{sum(x['proved'] for x in some)} of {len(some)} proved"
            print(f"{kind:16} {literals:9}", middle, f"mean coverage {covered:.4f}", proved)


if __name__ == "__main__":
    main()
