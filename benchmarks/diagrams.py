"""What compiles, how large it gets, how long it takes: our diagrams beside OxiDD's over the one-hot encoding.

Run ``make bench`` (or ``python benchmarks/diagrams.py``; ``--only ecoli`` for some, ``--quick`` for small ones); the
figures go to ``benchmarks/results/diagrams.json``. Every forest is compiled in a process of its own, under the paper's
majority vote and under the model's own, and compared with `predict` on all training rows and on 10,000 random ones.
OxiDD gets the order that we found, and the majority vote only, because the model's own vote is no expression; with more
than two classes, it compiles one diagram per class, and their nodes are added up.
Seconds are CPU seconds; a compilation has at most ``LIMIT`` of them, OxiDD's ``OXIDD_LIMIT``, and the diagram of all
explanations of a row ``FAMILY_LIMIT``.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.errors import TooLarge

RESULTS = Path(__file__).parent / "results" / "diagrams.json"
LIMIT = 120
OXIDD_LIMIT = 60
FAMILY_LIMIT = 10
RANDOM_ROWS = 10_000
EXPLAINED = 20
FORESTS = [
    ("iris", 100, 3),
    ("iris", 100, 6),
    ("zoo", 100, 3),
    ("zoo", 100, 6),
    ("bool12", 100, 3),
    ("bool12", 100, 6),
    ("bool16", 100, 6),
    ("bool20", 100, 3),
    ("bool20", 100, 6),
    ("cat8", 100, 6),
    ("appendicitis", 25, 4),
    ("compas", 100, 6),
    ("ecoli", 25, 4),
    ("ecoli", 100, 4),
    ("glass2", 25, 4),
    ("wine", 10, 3),
    ("wine", 25, 4),
    ("breast_cancer", 10, 3),
    ("breast_cancer", 15, 3),
    ("breast_cancer", 25, 3),
    ("ionosphere", 25, 3),
    ("divorce", 50, 3),
    ("german", 11, 3),
]
QUICK = {"iris", "zoo", "bool12", "cat8", "appendicitis"}


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """A data set; boolN and catN are made up: N columns of two or four values, and a noisy linear rule."""
    kind, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
    if kind not in ("bool", "cat"):
        return load(name)
    values = {"bool": 2, "cat": 4}[kind]
    generator = np.random.default_rng(0)
    X = generator.integers(0, values, (600, int(number)))
    effect = generator.normal(size=(int(number), values))
    score = effect[np.arange(int(number)), X].sum(axis=1) + 0.5 * generator.normal(size=600)
    return X.astype(float), (score > np.median(score)).astype(int)


def random_rows(domain, X: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Rows in random cells, at their ends, and noisy copies of training rows."""
    cells = np.column_stack([generator.integers(0, len(x), RANDOM_ROWS // 2) for x in domain.variables])
    inside = np.array([domain.row_in(tuple(cell)) for cell in cells])
    noisy = X[generator.integers(0, len(X), RANDOM_ROWS - len(inside))].copy()
    for feature in domain.features:
        if feature.codes is None:
            spread = X[:, feature.column].std()
            noisy[:, feature.column] += generator.normal(0, 0.3 * spread + 1e-12, len(noisy))
    return np.vstack([inside, noisy])


def ours(data: str, trees: int, depth: int, vote: str) -> dict:
    X, y = rows_of(data)
    model = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, vote=vote, engine="diagram", literals="sets")
    start = time.process_time()
    compiled = explainer.compile()
    took = time.process_time() - start
    making = compiled.diagram.making
    found = {
        "seconds": took,
        "nodes": compiled.diagram.size,
        "states": making.states,
        "settled": making.settled,
        "variables": len(compiled.diagram.variables),
        "values": sum(map(len, compiled.diagram.variables)),
        "order": list(compiled.diagram.order),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    rows = np.vstack([X, random_rows(explainer.domain, X, np.random.default_rng(1))])
    decided = np.array(compiled.class_names)[compiled.diagram.decide_all(explainer.domain.points(rows))]
    own = model.predict(rows) if vote == "model" else model.classes_[explainer.ensemble.predict(rows)]
    found["rows_tried"], found["rows_that_differ"] = len(rows), int((decided != own).sum())
    print(json.dumps(found), flush=True)  # stays if what follows takes too long
    return found | explained(compiled, X)


def explained(compiled: pw.answers.Compiled, X: np.ndarray) -> dict:
    """All PI-explanations of some rows, counted."""
    times, counts = [], []
    for x in X[:: max(1, len(X) // EXPLAINED)][:EXPLAINED]:
        start = time.process_time()
        try:
            counts.append(compiled.explanations(x, time_limit=FAMILY_LIMIT).count())
        except TooLarge:
            return {"explained": None}
        times.append(time.process_time() - start)
        if sum(times) > LIMIT / 4:
            break
    most = int(np.argmax(counts))
    return {
        "explained": len(times),
        "median_s": float(np.median(times)),
        "worst_s": max(times),
        "most": counts[most],
        "most_s": times[most],
    }


def oxidd(data: str, trees: int, depth: int, order: list[int]) -> dict:
    from primewood.engines.boolean.diagram import Diagrams

    X, y = rows_of(data)
    model = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, vote="majority", engine="bdd", literals="sets")
    variables = explainer.domain.variables
    start = time.process_time()
    diagrams = Diagrams(variables, [variables[j] for j in order], 40_000_000)
    classes = explainer.class_names if len(explainer.class_names) > 2 else explainer.class_names[-1:]
    nodes = sum(diagrams.oracle(explainer.expression(name)).node_count() for name in classes)
    return {"seconds": time.process_time() - start, "nodes": nodes}


def in_own_process(step: str, arguments: dict) -> dict:
    """One step with a limit on CPU time; what went wrong is a figure too."""
    command = [sys.executable, __file__, "--step", step, "--arguments", json.dumps(arguments)]

    allowed = OXIDD_LIMIT if step == "oxidd" else LIMIT

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if done.stdout:
        return json.loads(done.stdout.splitlines()[-1])
    if "TooLarge" in done.stderr:
        return {"too_large": done.stderr.strip().splitlines()[-1]}
    if done.returncode < 0:
        return {"too_large": f"not done in {allowed} s"}
    raise RuntimeError(done.stderr)


def run(forests: list[tuple[str, int, int]]) -> list[dict]:
    found = []
    for data, trees, depth in forests:
        if rows_of(data) is None:
            print(f"{data} is not there")
            continue
        what = {"data": data, "trees": trees, "depth": depth}
        row = {**what}
        for vote in ("majority", "model"):
            row[vote] = in_own_process("ours", {**what, "vote": vote})
        order = row["majority"].get("order")
        row["oxidd"] = (
            in_own_process("oxidd", {**what, "order": order}) if order else {"too_large": "no order"}
        )
        found.append(row)
        print(data, trees, depth, {k: _short(row[k]) for k in ("majority", "model", "oxidd")}, flush=True)
    return found


def _short(figures: dict) -> str:
    if "too_large" in figures:
        return "too large"
    differ = f", {figures['rows_that_differ']} differ" if "rows_that_differ" in figures else ""
    return f"{figures['seconds']:.2f} s, {figures['nodes']:,} nodes{differ}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--step")
    parser.add_argument("--arguments")
    options = parser.parse_args()
    if options.step:
        print(json.dumps({"ours": ours, "oxidd": oxidd}[options.step](**json.loads(options.arguments))))
        return
    wanted = QUICK if options.quick else set(options.only or [f[0] for f in FORESTS])
    found = run([forest for forest in FORESTS if forest[0] in wanted])
    if not options.quick and not options.only:
        about = {"python": platform.python_version(), "scikit-learn": sklearn.__version__, "limit_s": LIMIT}
        RESULTS.write_text(json.dumps({"about": about, "forests": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
