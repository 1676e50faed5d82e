"""Many rows: what a second core gives, what the machinery costs, how many explanations `reuse` saves, and a million.

Random forests (seed 0) on the benchmark's data sets. Speed: `explainer(X)` over the same held-out rows (60, or as many
as take three seconds; no two in one cell) in `sets` with one and with two jobs, by turns in one run, seconds of the
wall; and a plain loop of `explain` over them, CPU seconds, beside the call with one job. Reuse: the rows of a data set
(at most 3,000), in an order drawn with seed 0 and in the blocks that batches have, how many of them had to be
explained, and the CPU seconds with and without. Files: what a row costs besides the explanations, CPU seconds in the
one process that reads, chooses and writes, from a CSV file to Parquet parts with `reuse`.

A million rows: all rows of the largest data set are explained with `reuse`, in blocks of 1,000 rows and in one of all,
and the seconds of each explanation in each round are kept. How long a round takes on so many cores is then computed by
giving the next row to the first core that is free. A million rows are as many blocks as the last whole one (with the
small blocks, whose rows profit from those before) or as the large one. Without `reuse`, the rows are shared out evenly.

Figures go to ``benchmarks/results/batches.json`` and to the terminal; ``--data wdbc`` takes one data set and writes
nothing. About half an hour on an idle machine.
"""

from __future__ import annotations

import argparse
import heapq
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
from primewood.batch.explain_rows import Run, Settings

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
CORES = (2, 16, 256)
MILLION = 1_000_000


def timed(work, clock=time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def speed(explainer: pw.Explainer, rows, data: str) -> dict:
    """One job, two jobs, and a plain loop, over as many rows as fill some seconds."""
    rows = rows[np.unique(explainer.domain.points(rows), axis=0, return_index=True)[1]]
    few = timed(lambda: explainer(rows[:ROWS], goal="prime", time_limit=None))
    rows = rows[: max(ROWS, int(ROWS * SECONDS / few))]
    one, two, loop, call = [], [], [], []
    for _ in range(TURNS):
        one.append(timed(lambda: explainer(rows, goal="prime", n_jobs=1, time_limit=None)))
        two.append(timed(lambda: explainer(rows, goal="prime", n_jobs=2, time_limit=None)))
        loop.append(
            timed(
                lambda: [explainer.explain(row, goal="prime", time_limit=None) for row in rows],
                time.process_time,
            )
        )
        call.append(
            timed(lambda: explainer(rows, goal="prime", n_jobs=1, time_limit=None), time.process_time)
        )
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
    """What a row costs besides the explanations, from a CSV file to a Parquet part."""
    rows, spent, own = rows[:1000], [], explainer.explain

    def explain(*asked, **options):
        start = time.process_time()
        why = own(*asked, **options)
        spent.append(time.process_time() - start)
        return why

    explainer.explain = explain
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "rows.csv"
        header = ",".join(explainer.ensemble.feature_names)
        np.savetxt(source, rows, fmt="%r", delimiter=",", header=header, comments="")
        whole = timed(
            lambda: explainer.explain_file(source, Path(folder) / "out", reuse=True, time_limit=None),
            time.process_time,
        )
    del explainer.explain
    return {"what": "files", "data": data, "rows": len(rows), "row_s": (whole - sum(spent)) / len(rows)}


class Recorded(Run):
    """A run that keeps the seconds of the explanations of each round, block by block."""

    def _block(self, rows, first):
        self.rounds = []
        return super()._block(rows, first)

    def _round(self, block):
        before = self.explained
        results = super()._round(block)
        seconds = {id(result.outcome): round(result.outcome.seconds, 4) for result in results}
        assert len(seconds) == self.explained - before
        self.rounds.append(list(seconds.values()))
        return results


def growth(explainer: pw.Explainer, rows, data: str, block: int) -> dict:
    """The rounds of the last whole block, and how many rows of each block had to be explained."""
    settings = Settings(time_limit=None, reuse=True, block=block)
    run, counts, rounds = Recorded(explainer, settings, n_jobs=1), [0], []
    for results in run.blocks(rows[k : k + block] for k in range(0, len(rows), block)):
        counts.append(run.explained)
        if len(results) == block:
            rounds = run.rounds
    return {
        "what": "growth",
        "data": data,
        "rows": len(rows),
        "block": block,
        "explained_by_block": np.diff(counts).tolist(),
        "times_fewer": len(rows) / run.explained,
        "rounds_of_the_last_whole_block_s": rounds,
    }


def shared_out(seconds: list[float], cores: int) -> float:
    """How long a round takes if the next row goes to the first core that is free."""
    free = [0.0] * cores
    for one in seconds:
        heapq.heapreplace(free, free[0] + one)
    return max(free)


def million(lines: list[dict], data: str) -> dict:
    """A million rows like those of a data set, on so many cores: hours."""
    of = [line for line in lines if line["data"] == data]
    (alone,) = (line["row_s"] for line in of if line["what"] == "files")
    (row_s,) = (line["row_s"] for line in of if line["what"] == "speed")
    ways = {"each row": {str(cores): MILLION * (row_s / cores + alone) / 3600 for cores in CORES}}
    for line in of:
        if line["what"] == "growth":
            hours = {}
            for cores in CORES:
                block = sum(shared_out(one, cores) for one in line["rounds_of_the_last_whole_block_s"])
                hours[str(cores)] = MILLION * (block / line["block"] + alone) / 3600
            ways[f"reuse, parts of {line['block']:,} rows"] = hours
    return {"what": "million", "data": data, "hours": ways}


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
        explainer = pw.Explainer(model, X_train, literals="sets")
        rows = X[np.random.default_rng(0).permutation(len(X))]
        note(speed(explainer, held_out, data))
        for literals in ("sets", "intervals", "values"):
            note(saved(explainer, rows[:MOST_ROWS], data, literals))
        note(files(explainer, rows, data))
        if data == LARGEST:
            for block in (1000, len(rows)):
                note(growth(explainer, rows, data, block))
            note(million(lines, data))
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
    each = ",\n".join(json.dumps(line) for line in lines)
    RESULTS.write_text(f'{{"about": {json.dumps(about)},\n"lines": [\n{each}\n]}}\n')


if __name__ == "__main__":
    main()
