"""How much faster one version of primewood is than another, on the grid of search.py, and whether they agree.

The two versions are asked in turns about the same rows of the same forests, five times each. Per forest and language:
the median over the rows of new seconds by old seconds, where a row's seconds are the median of its five CPU times.
A row that a version cannot prove within the limit of 10 s counts as what it took. Where both prove an explanation, it
must be the same; the script fails if one is not.

Usage: python benchmarks/two_versions.py --old PYTHON [--new PYTHON] [--rows N] [--repeats N] [--data NAME ...]

Each PYTHON is an interpreter with its version installed, such as .venv/bin/python of another checkout after
`make demo` there. What is measured already is not measured again: remove its entry from the results, or pass another
file.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np

RESULTS = Path(__file__).parent / "results" / "two_versions.json"
KEPT = Path(__file__).parents[1] / "build" / "two_versions"
LANGUAGES = ("values", "sets", "intervals")
LIMIT = 10.0
FLOOR = 1e-4  # seconds; below, a ratio says nothing


def answer_questions() -> None:
    """In a process of a version: read a forest's file and a language per line, and write what came out."""
    import primewood as pw

    explainers: dict[str, tuple[Any, np.ndarray]] = {}
    for line in sys.stdin:
        path, language = json.loads(line)
        if path not in explainers:
            model, X, rows = joblib.load(path)
            explainers = {path: (pw.Explainer(model, X, literals="sets"), rows)}
            explainers[path][0].explain(rows[0], goal="prime", literals="values", time_limit=0.1)
        explainer, rows = explainers[path]
        found = []
        for x in rows:
            start = time.process_time()
            why = explainer.explain(x, goal="prime", literals=language, time_limit=LIMIT)
            seconds = time.process_time() - start
            found.append((seconds, why.status == pw.Status.PROVED, why.to_dict()["literals"]))
        print(json.dumps(found), flush=True)


class Version:
    """A process that answers."""

    def __init__(self, python: str) -> None:
        command = [python, str(Path(__file__).resolve()), "--answer"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, path: Path, language: str) -> list[Any]:
        self._process.stdin.write(json.dumps([str(path), language]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def compare(old: Version, new: Version, path: Path, language: str, repeats: int) -> dict[str, Any]:
    asked = [(old.ask(path, language), new.ask(path, language)) for _ in range(repeats)]
    rows = range(len(asked[0][0]))
    differ = sum(
        first[i][1] and second[i][1] and first[i][2] != second[i][2] for first, second in asked for i in rows
    )
    seconds = [
        [float(np.median([both[version][i][0] for both in asked])) for i in rows] for version in (0, 1)
    ]
    ratios = [max(after, FLOOR) / max(before, FLOOR) for before, after in zip(*seconds, strict=True)]
    return {
        "rows": len(rows),
        "proved": [sum(asked[0][version][i][1] for i in rows) for version in (0, 1)],
        "median_s": [float(np.median(each)) for each in seconds],
        "ratio": float(np.median(ratios)),
        "differ": differ,
    }


def summarise(kept: dict[str, Any]) -> str:
    lines = []
    for language in LANGUAGES:
        ratios = {name: each[language]["ratio"] for name, each in kept.items() if language in each}
        if not ratios:
            continue
        mean = math.exp(np.mean([math.log(ratio) for ratio in ratios.values()]))
        slowest = max(ratios, key=ratios.get)
        differ = sum(each[language]["differ"] for each in kept.values() if language in each)
        lines.append(
            f"{language}: {len(ratios)} forests, new/old {mean:.2f} (geometric mean), "
            f"slowest {ratios[slowest]:.2f} ({slowest}), {differ} differ"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--old", metavar="PYTHON")
    parser.add_argument("--new", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data", nargs="+", help="only these data sets")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer_questions()
        return
    from datasets import load, train
    from search import FULL

    kept = json.loads(options.out.read_text()) if options.out.is_file() else {}
    old, new = Version(options.old), Version(options.new)
    KEPT.mkdir(parents=True, exist_ok=True)
    for data, trees, depth in FULL:
        name = f"{data} {trees}/{depth or 'unlimited'}"
        left = [language for language in LANGUAGES if language not in kept.get(name, {})]
        loaded = load(data) if left and (not options.data or data in options.data) else None
        if loaded is None:
            continue
        path = KEPT / "forest.joblib"
        joblib.dump(train(*loaded, trees, depth, options.rows), path)
        named = path.rename(KEPT / f"{name.replace(' ', '-').replace('/', '-')}.joblib")
        for language in left:
            found = compare(old, new, named, language, options.repeats)
            kept.setdefault(name, {})[language] = found
            print(f"{name:<28} {language:<10} {json.dumps(found)}", flush=True)
        options.out.write_text(json.dumps(kept, indent=1) + "\n")
    print(summarise(kept))
    if any(each["differ"] for found in kept.values() for each in found.values()):
        sys.exit("some explanations differ, although both versions prove them")


if __name__ == "__main__":
    main()
