"""How short, how wide and how true answers are, on rows that nobody has seen: prime, readable, near, in short.

Per data set and model (a default forest of 100 trees, XGBoost and LightGBM with their defaults), 20 held-out rows
(seed 0), language "intervals", at most 10 s per row. Per way of asking: how many rows are answered, the median number
of conditions, the share of training and of held-out rows that match, the share of matching held-out rows with the same
decision (the row itself left out), and CPU seconds at the median. `near` is among rows whose numbers differ by at most
5% or 10% of their training range; `knowledge` assumes rules that were found in the training rows, and counts the
held-out rows that break one. For `in short` also: how many rows are answered with
at most seven conditions and a held-out precision of at least 0.95, of all rows and of those answered. For `readable`:
how often it is as short as `goal="shortest"` in 1 s. Anchors (`anchor-exp`) are asked for the same precision about the
first rows in the same run, where that package is installed.

Usage: python benchmarks/short.py [--data NAME ...] [--rows N] [--anchors N] [--out FILE]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from real_size import Data, forest, noisy, table, wide
from sklearn.model_selection import train_test_split

import primewood as pw

RESULTS = Path(__file__).parent / "results" / "short.json"
TABLES = ("german", "compas", "pendigits", "twonorm", "segmentation", "sonar", "vowel", "ionosphere", "wdbc")
PROMISED = 0.95


def data_sets() -> dict[str, Callable[[], Data | None]]:
    made: dict[str, Callable[[], Data | None]] = {name: partial(table, name) for name in TABLES}
    return made | {"noisy 20000": partial(noisy, 20_000), "wide": wide}


def models() -> dict[str, Callable[[], Any]]:
    def xgboost() -> Any:
        from xgboost import XGBClassifier

        return XGBClassifier(random_state=0)

    def lightgbm() -> Any:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(random_state=0, verbose=-1)

    return {"forest": forest, "xgboost": xgboost, "lightgbm": lightgbm}


class Judge:
    """Counts how an answer fares on training and on held-out rows."""

    def __init__(self, model: Any, X: np.ndarray, held_out: np.ndarray) -> None:
        self._rows, self._held_out = X, held_out
        self._decided = model.predict(held_out)

    def judge(self, place: int, covers: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
        there = covers(self._held_out)
        others = there.copy()
        others[place] = False
        same = self._decided[others] == self._decided[place]
        return {
            "training": float(covers(self._rows).mean()),
            "held_out": float(there.mean()),
            "precision": float(same.mean()) if len(same) else 1.0,
        }


def summarise(found: list[dict[str, Any]], asked: int) -> dict[str, Any]:
    if not found:
        return {"rows": asked, "answered": 0}
    medians = {
        name: float(np.median([each[name] for each in found]))
        for name in ("conditions", "precision", "seconds")
    }
    means = {name: float(np.mean([each[name] for each in found])) for name in ("training", "held_out")}
    good = sum(each["precision"] >= PROMISED and each["conditions"] <= 7 for each in found)
    return {"rows": asked, "answered": len(found), "good": good} | medians | means


def ask(
    judge: Judge,
    places: list[int],
    answer: Callable[[int], tuple[int, Callable[[np.ndarray], np.ndarray]] | None],
) -> tuple[dict[str, Any], list[int]]:
    found, sizes = [], []
    for place in places:
        start = time.process_time()
        answered = answer(place)
        seconds = time.process_time() - start
        sizes.append(-1 if answered is None else answered[0])
        if answered is not None:
            found.append({"conditions": answered[0], "seconds": seconds} | judge.judge(place, answered[1]))
    return summarise(found, len(places)), sizes


def anchors(model: Any, X: np.ndarray, held_out: np.ndarray) -> Callable[[int], Any] | None:
    """Anchors by their authors' package; None if it is not installed."""
    if importlib.util.find_spec("anchor") is None:
        return None
    from anchor import anchor_tabular

    names = [f"x{j}" for j in range(X.shape[1])]
    made = anchor_tabular.AnchorTabularExplainer([str(c) for c in model.classes_], names, X, {})

    def answer(place: int) -> Any:
        np.random.seed(0)
        said = made.explain_instance(held_out[place], model.predict, threshold=PROMISED).names()

        def covers(rows: np.ndarray) -> np.ndarray:
            return np.all(
                [_meets(rows, condition) for condition in said] or [np.ones(len(rows), bool)], axis=0
            )

        return len({_column(condition) for condition in said}), covers

    return answer


def _column(condition: str) -> int:
    return int(re.search(r"x(\d+)", condition)[1])


def _meets(rows: np.ndarray, condition: str) -> np.ndarray:
    """Which rows meet a condition as it is printed: "x3 <= 4.50", "1.20 < x3 <= 4.50" or "x3 > 4.50"."""
    before, after = re.split(r"x\d+", condition)
    numbers = rows[:, _column(condition)]
    inside = np.ones(len(rows), dtype=bool)
    if before.strip():
        inside &= numbers > float(before.strip(" <"))
    if after.strip():
        operator, value = after.split()
        inside &= numbers <= float(value) if operator == "<=" else numbers > float(value)
    return inside


def measure(
    X: np.ndarray, y: np.ndarray, held_out: np.ndarray, model: Any, rows: int, anchored: int
) -> dict[str, Any]:
    model.fit(X, np.unique(y, return_inverse=True)[1])
    if hasattr(model, "n_jobs"):
        model.n_jobs = 1
    explainer = pw.Explainer(model, X)
    judge = Judge(model, X, held_out)
    places = np.random.default_rng(0).permutation(len(held_out))[:rows].tolist()
    explainer.explain(held_out[places[0]], precision=PROMISED)

    def explained(place: int, **options: Any) -> Any:
        why = explainer.explain(held_out[place], **options)
        return len(why.features), why.covers

    informed = pw.Explainer(model, X, knowledge="data")

    def knowing(place: int) -> Any:
        why = informed.explain(held_out[place])
        return len(why.features), why.covers

    def in_short(place: int) -> Any:
        short = explainer.explain(held_out[place], precision=PROMISED)
        return (len(short.features), short.covers) if short.found else None

    found, sizes = {}, {}
    for name, answer in {
        "prime": partial(explained, goal="prime"),
        "readable": explained,
        "near 5%": partial(explained, near=0.05),
        "near 10%": partial(explained, near=0.1),
        "knowledge": knowing,
        "in short": in_short,
        "anchors": anchors(model, X, held_out),
    }.items():
        if answer is not None:
            found[name], sizes[name] = ask(judge, places[:anchored] if name == "anchors" else places, answer)
    shortest = [
        len(explainer.explain(held_out[p], goal="shortest", literals="values", time_limit=1).features)
        for p in places
    ]
    pairs = list(zip(sizes["readable"], sizes["prime"], shortest, strict=True))
    found["knowledge"]["rules"] = len(informed.knowledge.rules)
    found["knowledge"]["held_out_breaking"] = count_breaking(informed, held_out)
    found["readable"]["as_short_as_shortest"] = sum(readable <= best for readable, _, best in pairs)
    found["readable"]["longer_than_prime"] = sum(readable > prime for readable, prime, _ in pairs)
    return found


def count_breaking(informed: pw.Explainer, rows: np.ndarray) -> float:
    """The share of rows that break a rule that was found in the training rows."""
    domain = informed.domain
    points = domain.points(rows)
    known = (points >= 0).all(axis=1)
    return float(1 - domain.possible(rows[known], points[known]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--data", nargs="+", choices=list(data_sets()), default=list(data_sets()), metavar="NAME"
    )
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--anchors", type=int, default=5, help="rows for Anchors, which take long")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    kept = json.loads(options.out.read_text())["models"] if options.out.is_file() else {}
    for name in options.data:
        data = data_sets()[name]()
        if data is None:
            continue
        X, held_out, y, _ = train_test_split(*data, test_size=0.3, random_state=0)
        for kind, make in models().items():
            key = f"{name} {kind}"
            if key in kept:
                continue
            kept[key] = measure(X, y, held_out, make(), options.rows, options.anchors)
            print(key, json.dumps(kept[key]), flush=True)
            machine = {"python": platform.python_version(), "primewood": pw.__version__}
            document = {"machine": machine, "promised": PROMISED, "models": kept}
            options.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
