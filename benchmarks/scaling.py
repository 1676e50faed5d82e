"""How the search engine grows, what exactness costs, and what threads bring.

- growth: seconds per explanation of breast_cancer against the number of trees and the depth;
- memory: the peak of a process that explains a forest of 1000 trees of depth 8;
- exactness: the same search on integers alone, its time, and how many of its answers `predict` refutes;
- threads: explanations per second of the core with one thread and with two.

Figures go to ``benchmarks/results/scaling.json`` and to the terminal. Seconds are CPU seconds, those of
threads wall-clock seconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from datasets import load, train

import primewood as pw
from primewood.engines import native_forest
from primewood.ensemble.integers import integer_vote

RESULTS = Path(__file__).parent / "results" / "scaling.json"
LIMIT = 10.0
EXACTNESS = [
    (data, trees, depth)
    for data in (
        "breast_cancer",
        "wine",
        "ecoli",
        "german",
        "ionosphere",
        "segmentation",
        "sonar",
        "vowel",
        "wdbc",
    )
    for trees, depth in ((25, 4), (100, 4), (100, 6))
]


def timed(explainer: pw.Explainer, rows, literals: str = "sets"):
    """The answers, and the seconds of each."""
    answers, seconds = [], []
    for x in rows:
        start = time.process_time()
        answers.append(explainer.explain(x, goal="prime", literals=literals, time_limit=LIMIT))
        seconds.append(time.process_time() - start)
    return answers, seconds


def growth() -> list[dict]:
    found = []
    sizes = [(trees, 6) for trees in (10, 30, 100, 300, 1000)]
    sizes += [(100, depth) for depth in (2, 4, 8, 12, None)]
    for trees, depth in sizes:
        model, X, rows = train(*load("breast_cancer"), trees, depth, 10)
        explainer = pw.Explainer(model, X, literals="sets")
        leaves = sum(int(tree.is_leaf.sum()) for tree in explainer.ensemble.trees)
        row: dict = {"trees": trees, "depth": depth, "leaves": leaves}
        for literals in ("values", "sets"):
            answers, seconds = timed(explainer, rows, literals)
            row[f"{literals}_median_s"] = float(np.median(seconds))
            row[f"{literals}_worst_s"] = max(seconds)
            row[f"{literals}_proved"] = sum(why.status == pw.Status.PROVED for why in answers)
        print(row, flush=True)
        found.append(row)
    return found


def memory() -> dict:
    """Measured in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory-of-1000"], stdout=subprocess.PIPE, text=True, check=True
    )
    found = json.loads(done.stdout)
    print(found, flush=True)
    return found


def memory_of_1000() -> dict:
    model, X, rows = train(*load("breast_cancer"), 1000, 8, 3)
    trained = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    explainer = pw.Explainer(model, X, literals="sets")
    made = time.process_time() - start
    answers, seconds = timed(explainer, rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "trees": 1000,
        "depth": 8,
        "explainer_s": made,
        "sets_s": seconds,
        "proved": sum(why.status == pw.Status.PROVED for why in answers),
        "peak_mb": peak / 1024,
        "after_training_mb": trained / 1024,
    }


def on_integers_alone(ensemble):
    """The integer vote with no band: what a search would be that takes no notice of rounding."""
    vote = integer_vote(ensemble)
    exact = tuple(np.ones_like(flags) for flags in vote.exact)
    return replace(vote, exact=exact, band=0)


def exactness() -> list[dict]:
    found = []
    for data, trees, depth in EXACTNESS:
        if load(data) is None:
            continue
        model, X, rows = train(*load(data), trees, depth, 20)
        explainer = pw.Explainer(model, X, literals="sets")
        with patch.object(native_forest, "integer_vote", on_integers_alone):
            integers = pw.Explainer(model, X, literals="sets")
            integers.decide(rows[0])  # builds the core's forest
        exact_s, integers_s, other, wrong = [], [], 0, 0
        for x in rows:
            why, seconds = best_of(explainer, x)
            try:
                loose, loose_seconds = best_of(integers, x)
            except RuntimeError:  # it found a counterexample that is none: the core checks each, and says so
                wrong += 1
                continue
            exact_s.append(seconds)
            integers_s.append(loose_seconds)
            other += why.term != loose.term
            oracle = explainer._model.engines.oracle(explainer.class_names.index(why.decision))
            wrong += isinstance(oracle.counterexample(loose.term.box(explainer.domain.variables)), tuple)
        row = {
            "data": data,
            "trees": trees,
            "depth": depth,
            "rows": len(rows),
            "exact_s": sum(exact_s),
            "integers_s": sum(integers_s),
            "cost": sum(exact_s) / sum(integers_s),
            "other_answers": other,
            "wrong": wrong,
        }
        print(row, flush=True)
        found.append(row)
    return found


def best_of(explainer: pw.Explainer, x, times: int = 3):
    """The answer, and the least seconds of a few runs: what is compared is small, and machines are noisy."""
    runs = [timed(explainer, [x]) for _ in range(times)]
    return runs[0][0][0], min(seconds[0] for _, seconds in runs)


def threads() -> list[dict]:
    model, X, rows = train(*load("breast_cancer"), 100, 6, 40)
    explainer = pw.Explainer(model, X, literals="sets")
    found = []
    for count in (1, 2, 1, 2):
        start = time.perf_counter()
        with ThreadPoolExecutor(count) as pool:
            answers = list(pool.map(explainer.explain, rows))
        seconds = time.perf_counter() - start
        found.append({"threads": count, "per_second": len(rows) / seconds, "answers": len(answers)})
        print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--memory-of-1000", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=["growth", "memory", "exactness", "threads"], help="only this part")
    options = parser.parse_args()
    if options.memory_of_1000:
        print(json.dumps(memory_of_1000()))
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    results["machine"] = {"python": platform.python_version(), "processor": platform.machine()}
    for part in (growth, memory, exactness, threads):
        if options.part in (None, part.__name__):
            results[part.__name__] = part()
            written = RESULTS.with_suffix(".part")
            written.write_text(json.dumps(results, indent=1) + "\n")
            written.replace(RESULTS)


if __name__ == "__main__":
    main()
