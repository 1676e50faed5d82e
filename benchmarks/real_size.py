"""How long answers about default models of real tables take, and how good they are before they are proved.

Ten held-out rows per model (seed 0), at most 10 CPU seconds per row and question. Per model and question: how many
rows are proved, the median and the worst seconds (a row that is not proved counts 10 s), and how long an explanation
is. `ready` is the time until the explainer can be asked, with the peak memory of the process after it. `anytime`
asks for `intervals` with limits of 0.1 to 10 s, and says how wide the answer is already: (log V_t - log V_cell) /
(log V_ref - log V_cell) with the volume V, the row's own cell and the proved explanation as references (the widest
of those of `--reference` seconds where none is proved; these rows are counted apart), and how many features more
than the reference it has.

Usage: python benchmarks/real_size.py [--models NAME ...] [--questions NAME ...] [--rows N] [--out FILE]

Every model is asked in a process of its own. Trained models are kept in build/real_size. What is measured already is
not measured again: remove its entry from the file, or pass another one.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import platform
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from datasets import load
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "real_size.json"
KEPT = Path(__file__).parents[1] / "build" / "real_size"
LIMIT = 10.0
LIMITS = (0.1, 0.3, 1.0, 3.0, 10.0)
TABLES = ("german", "compas", "pendigits", "twonorm", "segmentation", "sonar", "vowel", "digits")
QUESTIONS = ("ready", "values", "intervals", "sets", "linf", "l1", "anytime")
DECIDED = (pw.Status.PROVED, pw.Status.IMPOSSIBLE)  # it is proved, too, that nothing changes a decision
Data = tuple[np.ndarray, np.ndarray]


def one_hot_credit() -> Data:
    """The credit data as most people encode it: categories as columns of 0 and 1."""
    from primewood.data.credit import load_credit

    credit = load_credit()
    coded = [j for j in range(credit.X.shape[1]) if len(np.unique(credit.X[:, j])) <= 10]
    numbers = [j for j in range(credit.X.shape[1]) if j not in coded]
    columns = OneHotEncoder(sparse_output=False).fit_transform(credit.X[:, coded])
    return np.hstack([credit.X[:, numbers], columns]), credit.y


def noisy(rows: int) -> Data:
    """Twenty columns, eight of them informative, a tenth of the labels wrong."""
    return make_classification(
        rows, 20, n_informative=8, flip_y=0.1, class_sep=0.7, random_state=0, shuffle=False
    )


def wide() -> Data:
    """Five thousand rows of five hundred columns."""
    return make_classification(5_000, 500, n_informative=8, flip_y=0.1, class_sep=0.7, random_state=0)


def table(name: str) -> Data | None:
    """A real table; None if it is not there."""
    return one_hot_credit() if name == "german" else load(name)


def forest(trees: int = 100, **options: Any) -> RandomForestClassifier:
    return RandomForestClassifier(trees, random_state=0, n_jobs=-1, **options)


def xgboost(trees: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=trees, max_depth=6, random_state=0)


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=1000, num_leaves=63, random_state=0, verbose=-1)


def catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(random_seed=0, verbose=False, allow_writing_files=False)


def plans() -> dict[str, tuple[Callable[[], Data | None], Callable[[], Any]]]:
    """Models by name: what makes the data, and what makes the model to fit."""
    found: dict[str, tuple[Callable[[], Data | None], Callable[[], Any]]] = {}
    for name in TABLES:
        for trees in (100, 500):
            found[f"{name} forest {trees}"] = (partial(table, name), partial(forest, trees))
    for rows in (20_000, 100_000):
        data = partial(noisy, rows)
        found |= {
            f"noisy {rows} forest 100": (data, forest),
            f"noisy {rows} forest 100 leaf 20": (data, partial(forest, min_samples_leaf=20)),
            f"noisy {rows} xgboost 500": (data, partial(xgboost, 500)),
            f"noisy {rows} xgboost 1000": (data, partial(xgboost, 1000)),
            f"noisy {rows} lightgbm 1000": (data, lightgbm),
            f"noisy {rows} histogram": (data, partial(HistGradientBoostingClassifier, random_state=0)),
            f"noisy {rows} catboost": (data, catboost),
        }
    found |= {
        "wide forest 100": (wide, forest),
        "wide xgboost 500": (wide, partial(xgboost, 500)),
        "wide forest 1000": (wide, partial(forest, 1000)),
    }
    return found


def fitted(name: str) -> tuple[Any, np.ndarray, np.ndarray] | None:
    """A model, its training rows, and held-out rows; None if its data or library is not there."""
    kept = KEPT / f"{name.replace(' ', '-')}.joblib"
    if kept.is_file():
        return joblib.load(kept)
    make_data, make_model = plans()[name]
    data = make_data()
    if data is None:
        return None
    X, held_out, y, _ = train_test_split(*data, test_size=0.3, random_state=0)
    try:
        model = make_model().fit(X, y)
    except ImportError:
        return None
    if isinstance(model, RandomForestClassifier):
        model.n_jobs = 1
    rows = held_out[np.random.default_rng(0).permutation(len(held_out))[:10]]
    KEPT.mkdir(parents=True, exist_ok=True)
    joblib.dump((model, X, rows), kept)
    return model, X, rows


def ask(explainer: pw.Explainer, question: str, x: np.ndarray) -> tuple[bool, int]:
    """Whether the answer is proved, and how many features it has."""
    if question == "linf":
        return explainer.robustness(x, time_limit=LIMIT).status in DECIDED, 0
    if question == "l1":
        near = explainer.counterfactual(x, norm="l1", time_limit=LIMIT)
        return near.status in DECIDED, len(near.changes)
    why = explainer.explain(x, goal="prime", literals=question, time_limit=LIMIT)
    return why.status == pw.Status.PROVED, len(why.features)


def measure(explainer: pw.Explainer, question: str, rows: np.ndarray) -> dict[str, Any]:
    seconds, proved, sizes = [], [], []
    for x in rows:
        start = time.process_time()
        done, size = ask(explainer, question, x)
        seconds.append(time.process_time() - start)
        proved.append(done)
        sizes.append(size)
    capped = [s if done else max(s, LIMIT) for s, done in zip(seconds, proved, strict=True)]
    return {
        "rows": len(rows),
        "proved": sum(proved),
        "median_s": float(np.median(capped)),
        "worst_s": max(capped),
        "features": float(np.median(sizes)),
    }


def log_volume(why: pw.Explanation) -> float:
    """The logarithm of the share of the cells that an explanation covers."""
    return sum(math.log(literal.mask.bit_count() / len(literal.variable)) for literal in why.term.literals)


def anytime(explainer: pw.Explainer, rows: np.ndarray, reference: float) -> dict[str, Any]:
    """How wide answers are at each limit, beside the proved or the widest one."""
    shares: dict[float, list[float]] = {limit: [] for limit in LIMITS}
    longer: dict[float, list[int]] = {limit: [] for limit in LIMITS}
    proved = 0
    cell = -sum(math.log(len(feature.variable)) for feature in explainer.domain.seen)
    for x in rows:
        best = explainer.explain(x, goal="prime", time_limit=reference)
        proved += best.status == pw.Status.PROVED
        tried = {limit: explainer.explain(x, goal="prime", time_limit=limit) for limit in LIMITS}
        volumes = {limit: log_volume(why) for limit, why in tried.items()}
        top = log_volume(best)
        if best.status != pw.Status.PROVED:
            top = max(top, *volumes.values())
        for limit, why in tried.items():
            shares[limit].append((volumes[limit] - cell) / (top - cell) if top > cell else 1.0)
            longer[limit].append(len(why.features) - len(best.features))
    return {
        "rows": len(rows),
        "proved": proved,
        "share": {str(limit): float(np.median(found)) for limit, found in shares.items()},
        "worst_share": {str(limit): min(found) for limit, found in shares.items()},
        "more_features": {str(limit): float(np.median(found)) for limit, found in longer.items()},
    }


def ready(model: Any, X: np.ndarray) -> tuple[pw.Explainer, dict[str, Any]]:
    start, cpu = time.perf_counter(), time.process_time()
    explainer = pw.Explainer(model, X)
    found = {"seconds": time.perf_counter() - start, "cpu_s": time.process_time() - cpu}
    leaves = sum(int((tree.feature < 0).sum()) for tree in explainer.ensemble.trees)
    return explainer, found | {"trees": len(explainer.ensemble.trees), "leaves": leaves}


def work(name: str, questions: list[str], count: int, reference: float, out: Any) -> None:
    """In a process of its own: measure a model, and send what is found as it is found."""
    parts = fitted(name)
    if parts is None:
        return
    model, X, rows = parts
    explainer, found = ready(model, X)
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.put(("ready", found))
    for question in questions:
        if question == "anytime":
            out.put((question, anytime(explainer, rows[:count], reference)))
        elif question != "ready":
            out.put((question, measure(explainer, question, rows[:count])))


def run(name: str, questions: list[str], count: int, reference: float) -> dict[str, Any]:
    """What a model's process sends until it ends."""
    context = multiprocessing.get_context("spawn")
    out: Any = context.SimpleQueue()
    child = context.Process(target=work, args=(name, questions, count, reference, out))
    child.start()
    found: dict[str, Any] = {}
    while child.is_alive() or not out.empty():
        if out.empty():
            time.sleep(0.05)
            continue
        question, figures = out.get()
        found[question] = figures
        print(f"{name:<32} {question:<10} {json.dumps(figures)}", flush=True)
    child.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=list(plans()), metavar="NAME", default=list(plans()))
    parser.add_argument("--questions", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--reference", type=float, default=600.0, help="seconds for the reference of anytime")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    kept = json.loads(options.out.read_text())["models"] if options.out.is_file() else {}
    for name in options.models:
        left = [question for question in options.questions if question not in kept.get(name, {})]
        if not left:
            continue
        kept[name] = kept.get(name, {}) | run(name, left, options.rows, options.reference)
        machine = {"python": platform.python_version(), "primewood": pw.__version__}
        written = options.out.with_suffix(".part")
        written.write_text(
            json.dumps({"machine": machine, "limit_s": LIMIT, "models": kept}, indent=1) + "\n"
        )
        written.replace(options.out)


if __name__ == "__main__":
    main()
