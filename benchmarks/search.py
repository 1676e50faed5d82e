"""How long prime explanations of forests take under the model's own vote, beside peers in the same run.

``make bench`` runs the whole grid, ``make bench-quick`` a part of it in a few minutes; both go on where an
earlier run stopped, data set by data set (``--data wdbc`` takes one). Figures go to
``benchmarks/results/search.json`` (or ``search-quick.json``) and, as a table, to the terminal. Twenty
held-out rows per model (seed 0), at most 10 s per row and tool; a row that runs out of time counts 10 s. A
tool that has used a minute on a model is not asked about further rows; the rows tried are stated. Seconds are
CPU seconds.

The peers are Veritas (``pip install dtai-veritas``; see veritas_loop.py) and, with ``--pyxai PYTHON``, PyXAI
in an environment of its own (``pip install pyxai``; see pyxai_reasons.py). One that is not there is not run.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from itertools import takewhile
from pathlib import Path

import numpy as np
import pyxai_reasons
import sklearn
from datasets import BUILT_IN, load, train

import primewood as pw
from primewood.domain import default_order

RESULTS = Path(__file__).parent / "results"
LIMIT = 10.0
BUDGET = 60.0
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
DEPTHS = [*SMALL, "pendigits", "german"]
DEFAULT = [*SMALL, "divorce", "promoters", "pendigits", "twonorm"]
LARGE = ["wdbc", "segmentation", "ionosphere", "promoters"]
FULL = [
    *((data, 25, depth) for data in DEPTHS for depth in (4, 8)),
    *((data, 100, depth) for data in DEPTHS for depth in (4, 6, 8)),
    *((data, 100, None) for data in DEFAULT),
    *((data, 300, depth) for data in LARGE for depth in (10, None)),
    *((data, trees, depth) for data in BUILT_IN for trees, depth in ((25, 4), (100, 6), (100, None))),
]
QUICK = [
    *((data, 25, 4) for data in ("ecoli", "ionosphere", "sonar", "wdbc", "vowel")),
    *((data, 100, 6) for data in ("ecoli", "ionosphere", "sonar", "wdbc", "vowel")),
    *((data, 100, None) for data in ("breast_cancer", "ionosphere", "sonar", "wdbc", "segmentation")),
]
Group = tuple[str, int, int | None]


def summary(
    tool: str, group: Group, asked: int, times: list[float], proved: list[bool], sizes: list[int], **more
) -> dict:
    capped = [t if done else LIMIT for t, done in zip(times, proved, strict=True)]
    return {
        "data": group[0],
        "trees": group[1],
        "depth": group[2],
        "tool": tool,
        "asked": asked,
        "rows": len(times),
        "proved": sum(proved),
        "median_s": float(np.median(capped)),
        "p90_s": float(np.quantile(capped, 0.9)),
        "worst_s": max(capped),
        "mean_size": float(np.mean(sizes)),
        **more,
    }


def until_spent(rows):
    """The rows, until the budget of a tool on a model is spent."""
    start = time.process_time()
    return takewhile(lambda _: time.process_time() - start < BUDGET, rows)


def ours(group: Group, model, X, rows, literals: str) -> dict:
    explainer = pw.Explainer(model, X, literals="sets")
    explainer.explain(rows[0], goal="prime", literals="values", time_limit=0.1)
    times, proved, sizes, coverage = [], [], [], []
    for x in until_spent(rows):
        start = time.process_time()
        why = explainer.explain(x, goal="prime", literals=literals, time_limit=LIMIT)
        times.append(time.process_time() - start)
        proved.append(why.status == pw.Status.PROVED)
        sizes.append(len(why.features))
        coverage.append(why.coverage)
    return summary(
        f"primewood {literals}", group, len(rows), times, proved, sizes, coverage=float(np.mean(coverage))
    )


def veritas(group: Group, model, X, rows) -> dict | None:
    try:
        from veritas_loop import VeritasLoop

        loop = VeritasLoop(model)
    except ImportError:
        return None
    explainer = pw.Explainer(model, X, literals="sets")
    columns = [f.column for f in explainer.domain.seen]
    order = [columns[j] for j in default_order(explainer._model.subject)]
    order = [j for j in range(X.shape[1]) if j not in columns] + order
    found = [
        loop.explain(x, int(explainer.ensemble.predict(x[None, :])[0]), order, LIMIT)
        for x in until_spent(rows)
    ]
    times, proved, sizes = (list(column) for column in zip(*found, strict=True))
    return summary("veritas values", group, len(rows), times, proved, sizes)


def pyxai(group: Group, rows: int, python: str) -> dict | None:
    found = pyxai_reasons.run(python, *group, rows)
    if found is None:
        return None
    shown = {name: found[name] for name in ("wrong", "other_class", "same_forest")}
    return summary("pyxai", group, rows, found["times"], found["proved"], found["sizes"], **shown)


def run(groups: list[Group], asked: int, results: Path, python: str | None) -> None:
    done = json.loads(results.read_text())["rows"] if results.is_file() else []
    for group in groups:
        data = load(group[0])
        if data is None:
            print(f"{group[0]}: not there, not run")
            continue
        model, X, rows = train(*data, *group[1:], asked)
        for tool in ("primewood values", "primewood sets", "veritas values", *(["pyxai"] if python else [])):
            key = (*group, tool, len(rows))
            if any((r["data"], r["trees"], r["depth"], r["tool"], r["asked"]) == key for r in done):
                continue
            if tool == "pyxai":
                row = pyxai(group, asked, python)
            elif tool == "veritas values":
                row = veritas(group, model, X, rows)
            else:
                row = ours(group, model, X, rows, tool.split()[1])
            if row is None:
                print(f"{tool}: not installed, not run")
                continue
            done.append(row)
            show(row)
            save(done, results)


def save(rows: list[dict], results: Path) -> None:
    machine = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "primewood": pw.__version__,
        "processor": platform.machine(),
    }
    written = results.with_suffix(".part")
    written.write_text(json.dumps({"machine": machine, "limit_s": LIMIT, "rows": rows}, indent=1) + "\n")
    written.replace(results)


def show(r: dict) -> None:
    forest = f"{r['data']} {r['trees']}/{r['depth'] or 'unlimited'}"
    coverage = f"  covers {r['coverage']:.1%}" if "coverage" in r else ""
    wrong = f"  wrong {r['wrong']}" if "wrong" in r else ""
    print(
        f"{forest:<30} {r['tool']:<18} proved {r['proved']:>2} of {r['rows']:<2}  "
        f"median {r['median_s']:>8.4f}  90% {r['p90_s']:>8.4f}  worst {r['worst_s']:>8.4f}  "
        f"size {r['mean_size']:.1f}{coverage}{wrong}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a part of the grid, five rows per model")
    parser.add_argument("--data", action="append", help="only this data set")
    parser.add_argument("--pyxai", metavar="PYTHON", help="a Python that has pyxai: run it too")
    options = parser.parse_args()
    groups = QUICK if options.quick else FULL
    if options.data:
        groups = [group for group in groups if group[0] in options.data]
    results = RESULTS / ("search-quick.json" if options.quick else "search.json")
    run(groups, 5 if options.quick else 20, results, options.pyxai)


if __name__ == "__main__":
    main()
