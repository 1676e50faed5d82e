"""Many rows: what a second core gives, what the machinery costs, how many explanations `reuse` saves, and a million.

Random forests (seed 0) on the benchmark's data sets. Speed: `explainer(X)` over the same held-out rows (60, or as many
as take three seconds) in `sets` with one and with two jobs, by turns in one run, seconds of the wall; and a plain loop
of `explain` over them, CPU seconds, beside the call with one job. Reuse: the rows of a data set (at most 3,000), in an
order drawn with seed 0 and in the blocks that batches have, how many of them had to be explained, and the CPU seconds
with and without. Files: what a row costs that takes over its explanation, from a CSV file to a Parquet part; and how
reuse goes on over all rows of the largest data set. The estimate for a million rows is computed from these. Figures go
to ``benchmarks/results/batches.json`` and to the terminal; ``--data wdbc`` takes one data set and writes nothing.
About half an hour on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw
from primewood.batch.run import Run, Settings

RESULTS = Path(__file__).parent / "results" / "batches.json"
DATA = (
    "german",
    "wdbc",
    "ionosphere",
    "segmentation",
    "ecoli",
    "compas",
    "vowel",
    "twonorm",
    "pendigits",
)
LARGEST = "pendigits"
TREES, DEPTH, TURNS = 100, 6, 3
ROWS, SECONDS = 60, 3.0
MOST_ROWS = 3000
COPIES = 10
CORES = (2, 16, 256)
MILLION = 1_000_000


def timed(work, clock=time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def speed(explainer: pw.Explainer, rows, data: str) -> dict:
    """One job, two jobs, and a plain loop, over as many rows as fill some seconds."""
    few = timed(lambda: explainer(rows[:ROWS], time_limit=None))
    rows = rows[: max(ROWS, int(ROWS * SECONDS / few))]
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


def explained(explainer: pw.Explainer, rows, literals: str, *, reuse: bool) -> tuple[list[int], float]:
    """How many rows of each block are explained, and the CPU seconds that it takes."""
    settings = Settings({"literals": literals}, time_limit=None, reuse=reuse)
    run, counts = Run(explainer, settings, n_jobs=2), [0]
    start = time.process_time()
    for _ in run.blocks(rows[k : k + settings.block] for k in range(0, len(rows), settings.block)):
        counts.append(run.explained)
    return np.diff(counts).tolist(), time.process_time() - start


def saved(explainer: pw.Explainer, rows, data: str, literals: str) -> dict:
    """What `reuse` saves."""
    with_reuse, seconds = explained(explainer, rows, literals, reuse=True)
    without, plain_seconds = explained(explainer, rows, literals, reuse=False)
    return {
        "what": "reuse",
        "data": data,
        "literals": literals,
        "rows": len(rows),
        "distinct_cells": sum(without),
        "explained": sum(with_reuse),
        "times_fewer": len(rows) / sum(with_reuse),
        "cpu_s": seconds,
        "cpu_s_without": plain_seconds,
    }


def files(explainer: pw.Explainer, rows, data: str) -> dict:
    """What a row costs that takes over its explanation, from a CSV file to a Parquet part: the same rows again."""
    rows = rows[:1000]
    with tempfile.TemporaryDirectory() as folder:
        spent = []
        for copies in (1, COPIES):
            source = Path(folder) / f"{copies}.csv"
            header = ",".join(explainer.ensemble.feature_names)
            np.savetxt(
                source, np.tile(rows, (copies, 1)), fmt="%r", delimiter=",", header=header, comments=""
            )
            spent.append(
                timed(
                    lambda source=source: explainer.explain_file(
                        source, source.with_suffix(""), reuse=True, time_limit=None, part_rows=len(rows)
                    ),
                    time.process_time,
                )
            )
    return {
        "what": "files",
        "data": data,
        "rows": len(rows),
        "copies": COPIES,
        "row_s": (spent[1] - spent[0]) / (COPIES - 1) / len(rows),
    }


def growth(explainer: pw.Explainer, rows, data: str) -> dict:
    """How many rows of each block have to be explained, over a whole data set."""
    counts, seconds = explained(explainer, rows, "sets", reuse=True)
    return {
        "what": "growth",
        "data": data,
        "rows": len(rows),
        "explained_by_block": counts,
        "times_fewer": len(rows) / sum(counts),
        "cpu_s": seconds,
        "explained_row_s": seconds / sum(counts),
    }


def million(lines: list[dict]) -> dict:
    """A million rows: explanations shared out among cores as well as among two, the rest by one process.

    With `reuse`, as many are explained as in the last whole block of the largest data set, though more and more are
    known: an upper bound.
    """
    (grown,) = (line for line in lines if line["what"] == "growth")
    by_kind = {line["what"]: line for line in lines if line["data"] == grown["data"]}
    lost = 2 / by_kind["speed"]["speed_up"]
    alone = by_kind["files"]["row_s"]
    share = grown["explained_by_block"][-2] / 1000
    ways = {
        "each row": by_kind["speed"]["row_s"],
        "reuse": share * grown["explained_row_s"],
    }
    return {
        "what": "million",
        "data": grown["data"],
        "explained_share": share,
        "hours": {
            way: {str(cores): MILLION * (row_s * lost / cores + alone) / 3600 for cores in CORES}
            for way, row_s in ways.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", choices=DATA)
    chosen = parser.parse_args().data
    lines = []

    def note(line: dict) -> None:
        lines.append(line)
        print(json.dumps(line), flush=True)

    for data in (chosen,) if chosen else DATA:
        if load(data) is None:
            continue
        X, y = load(data)
        model, X_train, held_out = train(X, y, TREES, DEPTH, len(X))
        explainer = pw.Explainer(model, X_train)
        rows = X[np.random.default_rng(0).permutation(len(X))]
        note(speed(explainer, held_out, data))
        for literals in ("sets", "intervals", "values"):
            note(saved(explainer, rows[:MOST_ROWS], data, literals))
        note(files(explainer, rows, data))
        if data == LARGEST:
            note(growth(explainer, rows, data))
            note(million(lines))
    if chosen:
        return
    about = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
        "trees": TREES,
        "depth": DEPTH,
        "block": Settings().block,
    }
    RESULTS.write_text(json.dumps({"about": about, "lines": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
