"""How many pieces the literals of real `sets` answers have: what print, the card and the command line show by default.

Prime explanations of held-out rows (seed 0) in `sets`, and of the same rows in `intervals`: per size of model, how many
pieces (separate intervals) the numeric literals have, how many answers have a literal with more than three, how
many features both mention, and what they cover. Forests of scikit-learn, and XGBoost and LightGBM. Figures go to
``benchmarks/results/pieces.json`` and to the terminal. About five minutes.
"""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "pieces.json"
DATA = ("iris", "german", "ecoli", "wdbc", "zoo", "segmentation", "glass2", "compas", "ionosphere")
ROWS, LIMIT_S, SHOWN = 5, 10.0, 3


def forest(trees: int, depth: int | None):
    return lambda: RandomForestClassifier(trees, max_depth=depth, random_state=0)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=100, max_depth=4, random_state=0, n_jobs=1)


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, random_state=0, n_jobs=1, verbose=-1)


MODELS = {
    "forest 10/3": forest(10, 3),
    "forest 25/4": forest(25, 4),
    "forest 100/4": forest(100, 4),
    "forest 100/6": forest(100, 6),
    "forest 100/unlimited": forest(100, None),
    "XGBoost 100/4": xgboost,
    "LightGBM 100": lightgbm,
}


def answers(make, data: str) -> list[tuple[dict, float, dict, float]]:
    """Per row: the record in `sets` and its seconds, the record in `intervals` and its seconds."""
    rows, classes = load(data)
    X, held_out, y, _ = train_test_split(
        rows, np.unique(classes, return_inverse=True)[1], test_size=0.3, random_state=0
    )
    explainer = pw.Explainer(make().fit(X, y), X, literals="sets")
    chosen = np.random.default_rng(0).permutation(len(held_out))[:ROWS]
    return [(*asked(explainer, x, "sets"), *asked(explainer, x, "intervals")) for x in held_out[chosen]]


def asked(explainer: pw.Explainer, x, literals: str) -> tuple[dict, float]:
    start = time.process_time()
    why = explainer.explain(x, goal="prime", literals=literals, time_limit=LIMIT_S)
    return why.to_dict(), time.process_time() - start


def pieces(record: dict) -> list[int]:
    return [len(literal["intervals"]) for literal in record["literals"] if "intervals" in literal]


def figures(name: str, found: list[tuple[dict, float, dict, float]]) -> dict:
    counts = [pieces(sets) for sets, *_ in found]
    every = np.array([n for answer in counts for n in answer])
    return {
        "model": name,
        "answers": len(found),
        "proved": sum(sets["status"] == "proved" for sets, *_ in found),
        "numeric_literals": len(every),
        "one_piece": float((every == 1).mean()),
        "mean_pieces": float(every.mean()),
        "most_pieces": int(every.max()),
        "answers_with_more_than_three": sum(max(answer, default=0) > SHOWN for answer in counts),
        "features_sets": float(np.mean([len(sets["literals"]) for sets, *_ in found])),
        "features_intervals": float(np.mean([len(other["literals"]) for *_, other, _ in found])),
        "coverage_sets": float(np.mean([sets["coverage"] for sets, *_ in found])),
        "coverage_intervals": float(np.mean([other["coverage"] for *_, other, _ in found])),
        "cpu_s_sets": float(np.median([seconds for _, seconds, *_ in found])),
        "cpu_s_intervals": float(np.median([seconds for *_, seconds in found])),
    }


def main() -> None:
    lines = []
    for name, make in MODELS.items():
        there = [data for data in DATA if load(data) is not None]
        line = figures(name, [answer for data in there for answer in answers(make, data)])
        lines.append(line | {"data": there})
        print(json.dumps(line), flush=True)
    about = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "rows": ROWS,
        "limit_s": LIMIT_S,
    }
    RESULTS.write_text(json.dumps({"about": about, "lines": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
