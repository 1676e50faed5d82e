"""Many rows: what a second core gives, what the machinery costs, and how many explanations `reuse` saves.

Random forests (seed 0) on the benchmark's data sets. Speed: `explainer(X)` over the same held-out rows in
`sets` with one and with two jobs, by turns in one run, seconds of the wall; and a plain loop of `explain` over
them, CPU seconds, beside the call with one job. Reuse: all rows of a data set (at most 3,000) in blocks of 100,
how many of them had to be explained. Figures go to ``benchmarks/results/batches.json`` and to the terminal.
About ten minutes on an idle machine; ``--data wdbc`` takes one data set.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw
from primewood.batch.run import Run, Settings

RESULTS = Path(__file__).parent / "results" / "batches.json"
DATA = ("german", "wdbc", "ionosphere", "segmentation", "ecoli", "compas", "vowel", "twonorm", "pendigits")
TREES, DEPTH, ROWS, TURNS = 100, 6, 60, 3
MOST_ROWS, BLOCK = 3000, 100


def timed(work, clock=time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def speed(explainer: pw.Explainer, rows, data: str) -> dict:
    one, two, loop, call = [], [], [], []
    for _ in range(TURNS):
        one.append(timed(lambda: explainer(rows, n_jobs=1, time_limit=None)))
        two.append(timed(lambda: explainer(rows, n_jobs=2, time_limit=None)))
        loop.append(
            timed(lambda: [explainer.explain(row, time_limit=None) for row in rows], time.process_time)
        )
        call.append(timed(lambda: explainer(rows, n_jobs=1, time_limit=None), time.process_time))
    return {
        "what": "speed",
        "data": data,
        "rows": len(rows),
        "row_s": min(loop) / len(rows),
        "one_job_rows_per_s": len(rows) / min(one),
        "two_jobs_rows_per_s": len(rows) / min(two),
        "speed_up": min(one) / min(two),
        "overhead": min(call) / min(loop) - 1,
    }


def saved(explainer: pw.Explainer, rows, data: str, literals: str) -> dict:
    blocks = [rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK)]
    run = Run(explainer, Settings({"literals": literals}, reuse=True, block=BLOCK), n_jobs=2)
    seconds = timed(lambda: [None for _ in run.blocks(blocks)])
    distinct = len(np.unique(explainer.domain.points(rows), axis=0))
    return {
        "what": "reuse",
        "data": data,
        "literals": literals,
        "rows": len(rows),
        "distinct_cells": distinct,
        "explained": run.explained,
        "times_fewer": len(rows) / run.explained,
        "seconds": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", choices=DATA)
    chosen = parser.parse_args().data
    lines = []
    for data in (chosen,) if chosen else DATA:
        if load(data) is None:
            continue
        X, y = load(data)
        model, X_train, held_out = train(X, y, TREES, DEPTH, ROWS)
        explainer = pw.Explainer(model, X_train)
        rows = X[np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]]
        for line in (
            speed(explainer, held_out, data),
            *(saved(explainer, rows, data, literals) for literals in ("sets", "intervals", "values")),
        ):
            lines.append(line)
            print(json.dumps(line), flush=True)
    about = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
        "trees": TREES,
        "depth": DEPTH,
        "block": BLOCK,
    }
    RESULTS.write_text(json.dumps({"about": about, "lines": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
