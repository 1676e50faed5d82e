"""How long prime explanations of forests take under the model's own vote, beside Veritas in the same run.

``make bench`` runs the whole grid, ``make bench-quick`` a part of it in a few minutes; both go on where an
earlier run stopped, data set by data set (``--data wdbc`` takes one). Figures go to
``benchmarks/results/search.json`` and, as a table, to the terminal. Twenty held-out rows per model (seed
0), at most 10 s per row and tool; a row that runs out of time counts 10 s. Seconds are CPU seconds.
"""

from __future__ import annotations

import argparse
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
from primewood.reasons.prime import default_order

RESULTS = Path(__file__).parent / "results" / "search.json"
LIMIT = 10.0
SMALL = [
    "appendicitis",
    "ecoli",
    "glass2",
    "ionosphere",
    "segmentation",
    "sonar",
    "vowel",
    "wdbc",
    "wine-recognition",
    "zoo",
]
LARGE = ["pendigits", "german"]
DEFAULT = [*SMALL, "divorce", "promoters", "pendigits", "twonorm"]
FULL = [
    *((data, 25, depth) for data in [*SMALL, *LARGE] for depth in (4, 8)),
    *((data, 100, depth) for data in [*SMALL, *LARGE] for depth in (4, 6, 8)),
    *((data, 100, None) for data in DEFAULT),
    *(
        (data, 300, depth)
        for data in ("wdbc", "segmentation", "ionosphere", "promoters")
        for depth in (10, None)
    ),
]
QUICK = [
    *((data, 25, 4) for data in ("ecoli", "ionosphere", "sonar", "wdbc", "vowel")),
    *((data, 100, 6) for data in ("ecoli", "ionosphere", "sonar", "wdbc", "vowel")),
    *((data, 100, None) for data in ("ionosphere", "sonar", "wdbc", "segmentation")),
]


def train(data: str, trees: int, depth: int | None, rows: int):
    X, y = load(data)
    X, held_out, y, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    model = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
    chosen = np.random.default_rng(0).permutation(len(held_out))[:rows]
    return model, X, held_out[chosen]


def summary(
    tool: str, group: tuple, times: list[float], proved: list[bool], sizes: list[int], **more
) -> dict:
    capped = [t if done else LIMIT for t, done in zip(times, proved, strict=True)]
    return {
        "data": group[0],
        "trees": group[1],
        "depth": group[2],
        "tool": tool,
        "rows": len(times),
        "proved": sum(proved),
        "median_s": float(np.median(capped)),
        "p90_s": float(np.quantile(capped, 0.9)),
        "worst_s": max(capped),
        "mean_size": float(np.mean(sizes)),
        **more,
    }


def ours(group: tuple, model, X, rows, literals: str) -> dict:
    explainer = pw.Explainer(model, X)
    explainer.explain(rows[0], literals="values", time_limit=0.1)
    times, proved, sizes, coverage = [], [], [], []
    for x in rows:
        start = time.process_time()
        why = explainer.explain(x, literals=literals, time_limit=LIMIT)
        times.append(time.process_time() - start)
        proved.append(why.status == pw.Status.PROVED)
        sizes.append(len(why.features))
        coverage.append(why.coverage)
    return summary(f"primewood {literals}", group, times, proved, sizes, coverage=float(np.mean(coverage)))


def veritas(group: tuple, model, X, rows) -> dict | None:
    try:
        from veritas_loop import VeritasLoop

        loop = VeritasLoop(model)
    except ImportError:
        return None
    explainer = pw.Explainer(model, X)
    columns = explainer.domain.columns
    order = [columns[j] for j in default_order(explainer._subject)]
    order = [j for j in range(X.shape[1]) if j not in columns] + order
    found = [loop.explain(x, int(explainer.ensemble.predict(x[None, :])[0]), order, LIMIT) for x in rows]
    times, proved, sizes = (list(column) for column in zip(*found, strict=True))
    return summary("veritas values", group, times, proved, sizes)


def run(groups: list[tuple], rows: int) -> list[dict]:
    done = json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else []
    for group in groups:
        if load(group[0]) is None:
            print(f"{group[0]}: not there, not run")
            continue
        model, X, chosen = train(*group, rows)
        for tool in ("primewood values", "primewood sets", "veritas values"):
            key = (*group, tool, len(chosen))
            if any((r["data"], r["trees"], r["depth"], r["tool"], r["rows"]) == key for r in done):
                continue
            row = measure(tool, group, model, X, chosen)
            if row is None:
                print("veritas: not installed, not run")
                continue
            done.append(row)
            show([row])
            save(done)
    return done


def measure(tool: str, group: tuple, model, X, rows) -> dict | None:
    if tool == "veritas values":
        return veritas(group, model, X, rows)
    return ours(group, model, X, rows, tool.split()[1])


def save(rows: list[dict]) -> None:
    machine = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "primewood": pw.__version__,
        "processor": platform.machine(),
    }
    written = RESULTS.with_suffix(".part")
    written.write_text(json.dumps({"machine": machine, "limit_s": LIMIT, "rows": rows}, indent=1) + "\n")
    written.replace(RESULTS)


def show(rows: list[dict]) -> None:
    for r in rows:
        forest = f"{r['data']} {r['trees']}/{r['depth'] or 'unlimited'}"
        print(
            f"{forest:<30} {r['tool']:<18} proved {r['proved']:>2} of {r['rows']:<2}  "
            f"median {r['median_s']:>8.4f}  90% {r['p90_s']:>8.4f}  worst {r['worst_s']:>8.4f}  "
            f"size {r['mean_size']:.1f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of the grid, five rows per model")
    parser.add_argument("--data", action="append", help="only this data set")
    options = parser.parse_args()
    groups = QUICK if options.quick else FULL
    if options.data:
        groups = [group for group in groups if group[0] in options.data]
    run(groups, 5 if options.quick else 20)


if __name__ == "__main__":
    main()
