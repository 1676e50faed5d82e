"""The nearest row that is decided otherwise: farthest move (linf), fewest features (l0), least sum of moves (l1).

``python benchmarks/flips.py`` runs the grid; ``--data wdbc`` takes one data set, ``--rows`` so many held-out rows per
model (seed 0). Features are scaled to their training range first, so that all tools measure the same distance. Where
Veritas (dtai-veritas) is installed, its robustness search (its own defaults: ten steps of bisection, 10 s) runs on the
same forest and rows in the same process. Where OCEAN (oceanpy, from Python 3.12 on) is, its constraint programming
looks for the least sum of moves, in one thread and up to 10 s per class, for the forests of depth 4. Of every tool's
nearest row, `model.predict` says whether it flips; how far OCEAN's rows are is compared with ours where it says
that its own is the nearest. CPU seconds. Figures go to ``benchmarks/results/flips.json`` (``--out``) and
to the terminal.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import time
from importlib.metadata import distributions
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "flips.json"
DATA = ["wdbc", "sonar", "ionosphere", "german", "segmentation", "zoo", "ecoli"]
FORESTS = [(25, 4), (100, 4), (100, 6)]
LIMIT = 10.0
PEERS = ("dtai-veritas", "oceanpy")


class Veritas:
    """The robustness search of dtai-veritas; one search per rival class, the nearest counts."""

    def __init__(self, model) -> None:
        from veritas_loop import VeritasLoop

        self.margins = VeritasLoop(model).margins

    def linf(self, x, label: int) -> tuple[float, np.ndarray | None]:
        """CPU seconds, and the nearest example found."""
        from veritas.robustness import VeritasRobustnessSearch

        start, best, nearest = time.process_time(), np.inf, None
        for (decided, _), margin in self.margins.items():
            if decided != label:
                continue
            search = VeritasRobustnessSearch(x, 1.0, None, margin, max_time=LIMIT, silent=True)
            search.search()
            for example in search.generated_examples:
                distance = float(np.abs(np.asarray(example) - x).max())
                if distance < best:
                    best, nearest = distance, np.asarray(example)
        return time.process_time() - start, nearest


class Ocean:
    """The constraint programming of oceanpy; one search per rival class, the nearest counts."""

    def __init__(self, model, X) -> None:
        import pandas as pd
        from ocean import ConstraintProgrammingExplainer
        from ocean.feature import parse_features

        frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
        _, mapper = parse_features(frame, drop_na=False, drop_constant=False, scale=False)
        self.explainer, self.classes = (
            ConstraintProgrammingExplainer(model, mapper=mapper),
            len(model.classes_),
        )

    def l1(self, x, label: int) -> tuple[float, np.ndarray | None, bool]:
        """CPU seconds, the nearest row found, and whether it is said to be the nearest of all."""
        start, best, nearest, proved = time.process_time(), np.inf, None, True
        for rival in range(self.classes):
            if rival == label:
                continue
            found = self.explainer.explain(x, y=rival, norm=1, max_time=int(LIMIT), num_workers=1)
            proved = proved and self.explainer.get_solving_status() in ("OPTIMAL", "INFEASIBLE")
            if found is not None and (distance := float(np.abs(found.x - x).sum())) < best:
                best, nearest = distance, np.array(found.x)
        return time.process_time() - start, nearest, proved


def ours(explainer: pw.Explainer, model, x, norm: str) -> dict:
    start = time.process_time()
    if norm == "linf":
        found = explainer.robustness(x, "linf", time_limit=LIMIT).nearest
    else:
        found = explainer.counterfactual(x, norm=norm, relative=False, time_limit=LIMIT)
    seconds = time.process_time() - start
    flips = found.row is not None and bool(model.predict([found.row])[0] != model.predict([x])[0])
    distance = None if found.row is None else float(np.abs(np.asarray(found.row, dtype=float) - x).sum())
    return {
        "seconds": seconds,
        "proved": found.status != "interrupted",
        "flips": flips,
        "distance": distance,
    }


def measure(name: str, trees: int, depth: int, rows: int) -> dict | None:
    data = load(name)
    if data is None:
        return None
    X, y = data
    low, high = X.min(axis=0), X.max(axis=0)
    X = ((X - low) / np.where(high > low, high - low, 1)).astype(np.float32).astype(float)
    model, X_train, chosen = train(X, y, trees, depth, rows)
    # Numbers, also where the training rows hold only 0 and 1: Veritas moves all columns alike.
    numeric = {f"x{i}": "numeric" for i in range(X.shape[1])}
    explainer = pw.Explainer(model, X_train, domain=numeric)
    explainer.decide(chosen[0])  # the forest is made once, as Veritas' is
    record: dict = {"data": name, "trees": trees, "depth": depth, "rows": len(chosen)}
    for norm in ("linf", "l0", "l1"):
        nearest = [ours(explainer, model, x, norm) for x in chosen]
        record[norm] = summary(nearest)
    if importlib.util.find_spec("veritas"):
        peer, results = Veritas(model), []
        for x in chosen:
            label = int(np.flatnonzero(model.classes_ == model.predict([x])[0])[0])
            seconds, example = peer.linf(x, label)
            flips = example is not None and bool(model.predict([example])[0] != model.predict([x])[0])
            results.append({"seconds": seconds, "flips": flips})
        record["veritas linf"] = summary(results)
    if depth == 4 and importlib.util.find_spec("ocean"):
        record["ocean l1"] = beside_ocean(model, X_train, chosen, nearest)
    return record


def beside_ocean(model, X, chosen, nearest: list[dict]) -> dict:
    """The same rows with OCEAN; `nearest` are our own rows with the least sum of moves."""
    peer, results, farther = Ocean(model, X), [], 0
    for x, mine in zip(chosen, nearest, strict=True):
        label = int(np.flatnonzero(model.classes_ == model.predict([x])[0])[0])
        seconds, row, proved = peer.l1(x, label)
        flips = row is not None and bool(model.predict([row])[0] != model.predict([x])[0])
        results.append({"seconds": seconds, "flips": flips, "proved": proved})
        if proved and row is not None and mine["proved"]:
            farther += float(np.abs(row - x).sum()) > mine["distance"] * 1.01
    return summary(results) | {"said to be nearest, but more than 1% farther than ours": farther}


def summary(results: list[dict]) -> dict:
    seconds = [one["seconds"] for one in results]
    found = {
        "median": float(np.median(seconds)),
        "worst": max(seconds),
        "total": sum(seconds),
        "flips": sum(one["flips"] for one in results),
    }
    if "proved" in results[0]:
        found["proved"] = sum(one["proved"] for one in results)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", action="append", choices=DATA)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    records = []
    for name in asked.data or DATA:
        for trees, depth in FORESTS:
            record = measure(name, trees, depth, asked.rows)
            if record is None:
                print(f"{name}: not there")
                break
            records.append(record)
            print(
                name,
                f"{trees}/{depth}",
                *(f"{key} {record[key]}" for key in record if "l" in key and key in KEYS),
            )
    for trees, depth in FORESTS:
        print(
            f"{trees}/{depth}", together([r for r in records if (r["trees"], r["depth"]) == (trees, depth)])
        )
    whole = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "peers": {
            peer.metadata["Name"]: peer.version for peer in distributions() if peer.metadata["Name"] in PEERS
        },
        "limit": LIMIT,
        "records": records,
    }
    if asked.data is None:
        asked.out.write_text(json.dumps(whole, indent=1) + "\n")


def together(records: list[dict]) -> dict:
    """Over all data sets: the median of their medians, and how many times longer peers take."""
    found: dict = {
        norm: float(np.median([r[norm]["median"] for r in records])) for norm in ("linf", "l0", "l1")
    }
    if records and "veritas linf" in records[0]:
        ratios = [r["veritas linf"]["median"] / r["linf"]["median"] for r in records]
        found["veritas, times longer, median of data sets"] = float(np.median(ratios))
        sums = [sum(r[tool]["total"] for r in records) for tool in ("veritas linf", "linf")]
        found["veritas, times longer in all"] = sums[0] / sums[1]
    if records and "ocean l1" in records[0]:
        ratios = [r["ocean l1"]["median"] / r["l1"]["median"] for r in records]
        found["ocean, times longer, median of data sets"] = float(np.median(ratios))
    return found


KEYS = ("linf", "l0", "l1", "veritas linf", "ocean l1")

if __name__ == "__main__":
    main()
