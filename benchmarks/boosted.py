"""How long prime explanations of boosted trees take, exact to the last float32.

``python benchmarks/boosted.py`` runs four parts (``--part aaai``, ``lightgbm``, ``categories``, ``reading``) and writes
``benchmarks/results/boosted.json``.

aaai: XGBoost with 50 trees per class of depth 3, the setting of the MaxSAT explanations of Ignatiev, Izza, Stuckey and
Marques-Silva (AAAI 2022), on every data set that is there: trained on all rows, 45 rows each (seed 0), CPU seconds of
`Explainer.explain` in "values" and in "sets", at most 10 s each. Every explanation is then attacked with `predict`:
rows drawn inside it, at the ends of its intervals too, must all be decided alike.

lightgbm: 500 trees of 31 leaves per class, anytime: 10 rows, at most 10 s each.

categories: four columns of 30 and of 100 categories beside six numbers, 50 trees: native splits by sets of categories.

reading: the time from a fitted model of 1000 trees to an ensemble, and to a ready explainer.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
from datasets import BUILT_IN, load
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.preprocessing import LabelEncoder

import primewood as pw

RESULT = Path(__file__).parent / "results" / "boosted.json"
FILES = [
    "appendicitis",
    "compas",
    "divorce",
    "ecoli",
    "german",
    "glass2",
    "ionosphere",
    "pendigits",
    "promoters",
    "segmentation",
    "sonar",
    "twonorm",
    "vowel",
    "wdbc",
    "wine-recognition",
    "zoo",
]
LIMIT = 10.0


def data(name: str):
    found = load(name)
    return None if found is None else (found[0], LabelEncoder().fit_transform(found[1]))


def some_rows(X, count: int):
    return X[np.random.default_rng(0).permutation(len(X))[:count]]


def explained(explainer, rows, literals: str) -> tuple[list, list[float]]:
    """The explanations of rows, and the CPU seconds of each."""
    answers, seconds = [], []
    for x in rows:
        started = time.process_time()
        answers.append(explainer.explain(x, goal="prime", literals=literals, time_limit=LIMIT))
        seconds.append(time.process_time() - started)
    return answers, seconds


def broken(model, explainer, answers, X, each: int = 200) -> int:
    """How many explanations a row inside breaks: drawn from the data and from the ends of the intervals."""
    generator = np.random.default_rng(1)
    found = 0
    for why in answers:
        rows = X[generator.integers(0, len(X), each)].copy()
        box = why.term.box(explainer.domain.variables)
        for feature, mask in zip(explainer.domain.seen, box, strict=True):
            allowed = [v for v in range(len(feature.numbers)) if mask >> v & 1]
            ends = feature.numbers[generator.choice(allowed, each), 0]
            inside = np.isin(feature.values_of(rows), allowed)
            rows[:, feature.column] = np.where(
                inside & (generator.random(each) < 0.5), rows[:, feature.column], ends
            )
        found += bool((model.predict(rows[why.covers(rows)]) != why.decision).any())
    return found


def figures(seconds: list[float]) -> dict[str, float]:
    return {
        "median_s": float(np.median(seconds)),
        "p95_s": float(np.percentile(seconds, 95)),
        "worst_s": max(seconds),
    }


def aaai() -> dict:
    import xgboost

    models, every = [], {"values": [], "sets": []}
    for name in [*FILES, *BUILT_IN]:
        found = data(name)
        if found is None:
            continue
        X, y = found
        model = xgboost.XGBClassifier(n_estimators=50, max_depth=3, n_jobs=1, random_state=0).fit(X, y)
        explainer = pw.Explainer(model, X, literals="sets")
        rows = some_rows(X, 45)
        record = {
            "data": name,
            "classes": len(set(y)),
            "features": X.shape[1],
            "trees": len(explainer.ensemble.trees),
        }
        explainer.decide(rows[0])  # the trees are handed to the core at the first question
        for literals, all_seconds in every.items():
            answers, seconds = explained(explainer, rows, literals)
            all_seconds += seconds
            record[literals] = {
                **figures(seconds),
                "rows": len(rows),
                "proved": sum(why.status == "proved" for why in answers),
                "broken": broken(model, explainer, answers, X),
            }
        models.append(record)
        print(name, record["values"], record["sets"], flush=True)
    return {"models": models, "all": {literals: figures(seconds) for literals, seconds in every.items()}}


def lightgbm() -> dict:
    from lightgbm import LGBMClassifier

    models = []
    for name in ("german", "wdbc", "sonar", "twonorm", "compas", "segmentation"):
        found = data(name)
        if found is None:
            continue
        X, y = found
        model = LGBMClassifier(n_estimators=500, num_leaves=31, n_jobs=1, verbose=-1, random_state=0).fit(
            X, y
        )
        explainer = pw.Explainer(model, X, literals="sets")
        rows = some_rows(X, 10)
        record = {"data": name, "trees": len(explainer.ensemble.trees)}
        explainer.decide(rows[0])
        record["leaves"] = sum(int(tree.is_leaf.sum()) for tree in explainer.ensemble.trees)
        for literals in ("values", "sets"):
            answers, seconds = explained(explainer, rows, literals)
            proved = sum(why.status == "proved" for why in answers)
            wrong = broken(model, explainer, answers, X)
            record[literals] = {**figures(seconds), "rows": len(rows), "proved": proved, "broken": wrong}
        models.append(record)
        print(name, record, flush=True)
    return {"models": models}


def categories() -> dict:
    import pandas as pd
    from lightgbm import LGBMClassifier
    from xgboost import XGBClassifier

    found = []
    for levels in (30, 100):
        generator = np.random.default_rng(levels)
        frame = pd.DataFrame({f"x{i}": generator.random(4000) for i in range(6)})
        score = 2 * frame.x0 - frame.x1
        for i in range(4):
            codes = generator.integers(0, levels, len(frame))
            frame[f"c{i}"] = pd.Categorical([f"v{code}" for code in codes])
            score += generator.normal(0, 1, levels)[codes]
        y = (score + generator.normal(0, 0.5, len(frame)) > score.median()).astype(int)
        options = {"n_estimators": 50, "n_jobs": 1}
        made = {
            "XGBoost": XGBClassifier(max_depth=3, enable_categorical=True, max_cat_to_onehot=1, **options),
            "LightGBM": LGBMClassifier(num_leaves=8, verbose=-1, **options),
        }
        for name, model in made.items():
            explainer = pw.Explainer(model.fit(frame, y), frame, literals="sets")
            rows = [frame.iloc[i] for i in range(20)]
            explainer.decide(rows[0])
            record = {"library": name, "categories": levels}
            for literals in ("values", "sets"):
                answers, seconds = explained(explainer, rows, literals)
                proved = sum(why.status == "proved" for why in answers)
                record[literals] = {**figures(seconds), "rows": len(rows), "proved": proved}
            found.append(record)
            print(record, flush=True)
    return {"models": found}


def reading() -> dict:
    import lightgbm as lgb
    import xgboost

    X, y = data("wdbc") or data("breast_cancer")
    made = {
        "XGBoost, 1000 trees of depth 6": xgboost.XGBClassifier(n_estimators=1000, max_depth=6, n_jobs=1),
        "LightGBM, 1000 trees of 31 leaves": lgb.LGBMClassifier(
            n_estimators=1000, min_child_samples=2, learning_rate=0.01, n_jobs=1, verbose=-1
        ),
        "GradientBoosting, 1000 trees of depth 3": GradientBoostingClassifier(n_estimators=1000),
        "HistGradientBoosting, 1000 trees": HistGradientBoostingClassifier(
            max_iter=1000, early_stopping=False
        ),
    }
    found = {}
    for name, model in made.items():
        model.fit(X, y)
        started = time.process_time()
        ensemble = pw.read(model)
        read = time.process_time() - started
        explainer = pw.Explainer(model, X, literals="sets")
        explainer.decide(X[0])
        ready = time.process_time() - started - read
        found[name] = {"trees": len(ensemble.trees), "read_s": read, "ready_s": ready}
        print(name, found[name], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parts = {"aaai": aaai, "lightgbm": lightgbm, "categories": categories, "reading": reading}
    parser.add_argument("--part", choices=parts, action="append")
    chosen = parser.parse_args().part or list(parts)
    result = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    result["machine"] = {"python": platform.python_version(), "processor": platform.machine()}
    for part in chosen:
        result[part] = parts[part]()
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
