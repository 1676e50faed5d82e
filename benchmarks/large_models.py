"""How much memory large models need, and how late answers come after their time limit.

Every model is asked in a process of its own. Memory is the process's: `start_mb` with the libraries imported,
`model_mb` for the model and its training rows, `explainer_mb` for the explainer, and per question the peak so far.
`late_ms` is how much later than its limit an answer comes, of three rows the least, as other work on the machine
makes answers later; of all limits the worst is given, and `worst_limit_s` says which one that is.

Usage: python benchmarks/large_models.py [--models NAME ...] [--out FILE]

Trained models are kept in build/real_size.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from real_size import KEPT, fitted, forest, noisy

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "large_models.json"
LIMITS = (0.05, 0.1, 0.3, 1.0, 3.0)
ROWS = 3
MODELS = ("noisy 100000 forest 100, all rows", "wide forest 100", "noisy 20000 xgboost 1000")


def load(name: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """A model, its training rows, and rows to ask about."""
    if not name.endswith("all rows"):
        parts = fitted(name)
        assert parts is not None, f"{name} cannot be fitted here"
        return parts
    kept = KEPT / "all-rows.joblib"
    if not kept.is_file():
        X, y = noisy(100_000)
        model = forest().fit(X, y)
        model.n_jobs = 1
        rng = np.random.default_rng(0)
        rows = X[rng.permutation(len(X))[:10]] + rng.normal(0, 0.3, (10, X.shape[1]))
        KEPT.mkdir(parents=True, exist_ok=True)
        joblib.dump((model, X, rows), kept)
    return joblib.load(kept)


def questions(explainer: pw.Explainer) -> dict[str, Callable[[np.ndarray, float], Any]]:
    assert explainer.domain is not None
    feature, target = explainer.domain.features[0].name, explainer.class_names[1]
    return {
        "values": lambda x, t: explainer.explain(x, goal="prime", literals="values", time_limit=t),
        "intervals": lambda x, t: explainer.explain(x, goal="prime", time_limit=t),
        "sets": lambda x, t: explainer.explain(x, goal="prime", literals="sets", time_limit=t),
        "linf": lambda x, t: explainer.robustness(x, time_limit=t),
        "l1": lambda x, t: explainer.counterfactual(x, norm="l1", time_limit=t),
        "shortest": lambda x, t: explainer.explain(x, goal="shortest", time_limit=t),
        "widest": lambda x, t: explainer.explain(x, goal="widest", time_limit=t),
        "contrast": lambda x, t: explainer.contrast(x, time_limit=t),
        "monotone": lambda _, t: explainer.verify(pw.monotone(feature, target=target), time_limit=t),
        "independent_of": lambda _, t: explainer.verify(pw.independent_of(feature), time_limit=t),
        "robust_everywhere": lambda _, t: explainer.verify(pw.robust_everywhere(0.1), time_limit=t),
    }


def memory_mb() -> float:
    """What the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_lateness(ask: Callable[[np.ndarray, float], Any], rows: np.ndarray, limit: float) -> float:
    late = []
    for x in rows[:ROWS]:
        start = time.perf_counter()
        ask(x, limit)
        late.append(time.perf_counter() - start - limit)
    return min(late)


def measure(name: str, out: Any) -> None:
    """In a process of its own: ask a model, and send what is found."""
    started = memory_mb()
    model, X, rows = load(name)
    loaded = memory_mb()
    start = time.perf_counter()
    explainer = pw.Explainer(model, X)
    found: dict[str, Any] = {
        "leaves": sum(int((tree.feature < 0).sum()) for tree in explainer.ensemble.trees),
        "explainer_s": round(time.perf_counter() - start, 2),
        "start_mb": round(started),
        "model_mb": round(loaded - started),
        "explainer_mb": round(memory_mb() - loaded),
        "questions": {},
    }
    for question, ask in questions(explainer).items():
        late = {limit: measure_lateness(ask, rows, limit) for limit in LIMITS}
        worst = max(late, key=late.__getitem__)
        figures = {"late_ms": round(1000 * late[worst]), "worst_limit_s": worst, "peak_mb": round(peak_mb())}
        found["questions"][question] = figures
        print(f"{name:<34} {question:<18} {json.dumps(figures)}", flush=True)
    out.put(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, metavar="NAME", default=list(MODELS))
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    results = json.loads(options.out.read_text())["models"] if options.out.is_file() else {}
    for name in options.models:
        out: Any = context.SimpleQueue()
        child = context.Process(target=measure, args=(name, out))
        child.start()
        results[name] = out.get()
        child.join()
    options.out.write_text(json.dumps({"limits_s": LIMITS, "models": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
