"""Many explanations, the shortest one, and relevance, of forests under the model's own vote.

``python benchmarks/explanations.py`` runs the whole grid and goes on where an earlier run stopped; ``--data
wdbc`` takes one data set, ``--rows`` so many held-out rows per model (seed 0). Figures go to
``benchmarks/results/explanations.json`` and to the terminal. Questions, all in "values":

- fifty: fifty explanations, or all if there are fewer, with the contrasts found on the way; CPU seconds;
- shortest: the fewest features, proved within 10 s; where it is not proved, the bounds are stated;
- relevance: which features are in every, some and no explanation, decided within 10 s.

The last two are stopped by the clock on the wall, so their seconds are those.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw
from primewood.engines.duality import AnswerKind, Duality
from primewood.engines.protocol import Clock
from primewood.questions.best_problem import Problem
from primewood.questions.relevance import search_relevance
from primewood.questions.shortest import shortest

RESULTS = Path(__file__).parent / "results" / "explanations.json"
LIMIT = 10.0
DATA = [
    "appendicitis",
    "compas",
    "divorce",
    "ecoli",
    "german",
    "glass2",
    "ionosphere",
    "pendigits",
    "promoters",
    "segmentation",
    "sonar",
    "twonorm",
    "vowel",
    "wdbc",
    "wine-recognition",
    "zoo",
]
FORESTS = [(25, 4), (100, 4), (100, 6)]


class Asked:
    """One row of a forest: what its questions need."""

    def __init__(self, explainer: pw.Explainer, x: np.ndarray) -> None:
        self.decision = explainer._model.ask(x)
        self.point, self.oracle = self.decision.point, self.decision.oracle
        self.order = self.decision.model.order


def fifty(asked: Asked) -> dict:
    start = time.process_time()
    duality = Duality(asked.oracle, "values", asked.point, asked.order)
    items = duality.items(Clock(LIMIT))
    found = list(itertools.islice((item for item in items if item.kind is AnswerKind.EXPLANATION), 50))
    done = len(found) == 50 or duality.complete
    return {"done": done, "seconds": time.process_time() - start, "explanations": len(found)}


def fewest(asked: Asked) -> dict:
    start = time.monotonic()
    found = shortest(Problem(asked.oracle, asked.point, asked.order), clock=Clock(LIMIT))
    seconds = time.monotonic() - start
    return {"done": not found.interrupted, "seconds": seconds, "lower": found.lower, "upper": found.upper}


def relevance(asked: Asked) -> dict:
    start = time.monotonic()
    found = search_relevance(asked.decision, "values", Clock(LIMIT))
    seconds = time.monotonic() - start
    return {"done": found.complete, "seconds": seconds, "undecided": len(found.undecided)}


QUESTIONS = {"fifty": fifty, "shortest": fewest, "relevance": relevance}


def figures(data: str, trees: int, depth: int, question: str, answers: list[dict]) -> dict:
    seconds = [answer["seconds"] for answer in answers]
    more = {
        name: [answer[name] for answer in answers]
        for name in ("explanations", "lower", "upper", "undecided")
        if name in answers[0]
    }
    return {
        "data": data,
        "trees": trees,
        "depth": depth,
        "question": question,
        "rows": len(answers),
        "done": sum(answer["done"] for answer in answers),
        "median_s": float(np.median(seconds)),
        "worst_s": max(seconds),
        "seconds": seconds,
        **more,
    }


def run(names: list[str], questions: list[str], asked: int) -> None:
    done = json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else []
    for (trees, depth), name in itertools.product(FORESTS, names):
        data = load(name)
        if data is None:
            print(f"{name}: not there, not run")
            continue
        model, X, rows = train(*data, trees, depth, asked)
        explainer = pw.Explainer(model, X, engine="search", literals="sets")
        for question in questions:
            key = (name, trees, depth, question, len(rows))
            if any((r["data"], r["trees"], r["depth"], r["question"], r["rows"]) == key for r in done):
                continue
            answers = [QUESTIONS[question](Asked(explainer, x)) for x in rows]
            done.append(figures(name, trees, depth, question, answers))
            show(done[-1])
            save(done)
    summarise(done)


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


def show(r: dict) -> None:
    forest = f"{r['data']} {r['trees']}/{r['depth']}"
    gaps = [f"{a:g}-{b:g}" for a, b in zip(r.get("lower", []), r.get("upper", []), strict=True) if a != b]
    print(
        f"{forest:<24} {r['question']:<10} done {r['done']:>2} of {r['rows']:<2}  "
        f"median {r['median_s']:>8.4f}  worst {r['worst_s']:>8.4f}  {'not proved: ' + ', '.join(gaps) if gaps else ''}",
        flush=True,
    )


def summarise(rows: list[dict]) -> None:
    for (trees, depth), question in itertools.product(FORESTS, QUESTIONS):
        of = [r for r in rows if (r["trees"], r["depth"], r["question"]) == (trees, depth, question)]
        if not of:
            continue
        seconds = [s for r in of for s in r["seconds"]]
        print(
            f"{trees}/{depth} {question}: done {sum(r['done'] for r in of)} of {len(seconds)}, "
            f"median {np.median(seconds):.4f}, worst {max(seconds):.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", action="append", help="only this data set")
    parser.add_argument("--question", action="append", choices=list(QUESTIONS), help="only this question")
    parser.add_argument("--rows", type=int, default=5, help="rows per model")
    options = parser.parse_args()
    run(options.data or DATA, options.question or list(QUESTIONS), options.rows)


if __name__ == "__main__":
    main()
