"""How much wider the search for the widest explanation gets than the first prime one, and rule lists of whole models.

Random forests of 100 trees of depth 4, four held-out rows each (seed 0). Per language and measure: what the first
prime box (the default order) covers, and what the local search has after two seconds, on the same row in the same
run. The gain is the ratio of the sums of rows, or the geometric mean of the ratios of volumes. In "values" also how
often five seconds suffice to prove that nothing is wider. Then a rule list in intervals, twenty seconds per model: how
many rules, which share of the training rows and of the held-out rows they speak about, and on how many held-out rows
they disagree with the model's own `predict` (none, if all is well). Figures go to ``benchmarks/results/widest.json``
and to the terminal; a run goes on where an earlier one stopped. ``--data wdbc`` takes one data set. Seconds are those
of the wall.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import sklearn
from datasets import load, train

import primewood as pw
from primewood.engines.protocol import Clock
from primewood.properties.rule_list import RuleWishes, grow_rules
from primewood.questions.best_problem import Problem
from primewood.questions.widest import Tuning, coverage_of, rivals_of, widest

RESULTS = Path(__file__).parent / "results" / "widest.json"
DATA = ("ecoli", "segmentation", "wdbc", "ionosphere", "sonar", "german")
TREES, DEPTH, ROWS = 100, 4, 4
SEARCH_S, PROOF_S, LIST_S = 2.0, 5.0, 20.0
SMALLEST = 1e-300


def ask(explainer: pw.Explainer, x, literals: str, coverage, **options):
    """The widest box around a row, and the seconds that it took."""
    _, point = explainer._model.context.read(x)
    label = explainer._model.engines.decide(point)
    start = time.perf_counter()
    engines = explainer._model.engines
    problem = Problem(engines.oracle(label), point, explainer._model.order, literals)
    tuning = Tuning(**{name: options.pop(name) for name in ("seed", "patience", "prove") if name in options})
    found = widest(problem, coverage, rivals=rivals_of(engines, label), tuning=tuning, **options)
    return found, time.perf_counter() - start


def gain(first: list[float], best: list[float], measure: str) -> float | None:
    if measure == "rows":
        return sum(best) / sum(first) if sum(first) else None
    return float(np.exp(np.mean(np.log(np.maximum(best, SMALLEST)) - np.log(np.maximum(first, SMALLEST)))))


def wider(explainer: pw.Explainer, rows, data: str, literals: str, measure: str) -> dict:
    coverage = coverage_of(explainer._model.context, measure)
    first, first_s, best, best_s, queries = [], [], [], [], []
    for x in rows:
        found, seconds = ask(explainer, x, literals, coverage, patience=0, prove=False)
        first.append(found.covered)
        first_s.append(seconds)
        found, seconds = ask(explainer, x, literals, coverage, prove=False, clock=Clock(SEARCH_S))
        best.append(found.covered)
        best_s.append(seconds)
        queries.append(found.queries)
    return {
        "what": "wider",
        "data": data,
        "literals": literals,
        "measure": measure,
        "rows": len(rows),
        "first": first,
        "best": best,
        "gain": gain(first, best, measure),
        "first_s": float(np.median(first_s)),
        "best_s": float(np.median(best_s)),
        "worst_s": max(best_s),
        "queries": float(np.median(queries)),
    }


def proved(explainer: pw.Explainer, rows, data: str, measure: str) -> dict:
    coverage = coverage_of(explainer._model.context, measure)
    found = [ask(explainer, x, "values", coverage, clock=Clock(PROOF_S)) for x in rows]
    return {
        "what": "proof",
        "data": data,
        "literals": "values",
        "measure": measure,
        "rows": len(rows),
        "proved": sum(answer.proved for answer, _ in found),
        "best": [answer.covered for answer, _ in found],
        "upper": [answer.upper for answer, _ in found],
        "median_s": float(np.median([seconds for _, seconds in found])),
        "worst_s": max(seconds for _, seconds in found),
    }


def listed(explainer: pw.Explainer, model, held_out, data: str) -> dict:
    start = time.perf_counter()
    rules = grow_rules(explainer._model, RuleWishes(literals="intervals"), Clock(LIST_S))
    seconds = time.perf_counter() - start
    said = rules.decide(held_out)
    speaks = np.array([decision is not None for decision in said])
    return {
        "what": "rule list",
        "data": data,
        "literals": "intervals",
        "rules": len(rules),
        "status": str(rules.status),
        "features": float(np.mean([len(rule.features) for rule in rules])),
        "covered": rules.curve.overall[-1],
        "held_out": float(speaks.mean()),
        "wrong": int((said[speaks] != model.predict(held_out)[speaks]).sum()),
        "curve": [round(share, 4) for share in rules.curve.overall],
        "seconds": seconds,
    }


def tasks():
    for literals in ("sets", "intervals", "values"):
        for measure in ("rows", "volume"):
            yield "wider", literals, measure
    for measure in ("rows", "volume"):
        yield "proof", "values", measure
    yield "rule list", "intervals", None


def run(names: list[str]) -> None:
    done = json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else []
    for data in names:
        table = load(data)
        if table is None:
            print(f"{data}: not there, not run")
            continue
        model, X, held_out = train(*table, TREES, DEPTH, len(table[0]))
        explainer = pw.Explainer(model, X, literals="sets")
        for what, literals, measure in tasks():
            key = (what, data, literals, measure)
            if any((r["what"], r["data"], r["literals"], r.get("measure")) == key for r in done):
                continue
            if what == "wider":
                row = wider(explainer, held_out[:ROWS], data, literals, measure)
            elif what == "proof":
                row = proved(explainer, held_out[:ROWS], data, measure)
            else:
                row = listed(explainer, model, held_out, data)
            done.append(row)
            show(row)
            save(done)


def show(r: dict) -> None:
    if r["what"] == "wider":
        pairs = ", ".join(f"{a:.3g} -> {b:.3g}" for a, b in zip(r["first"], r["best"], strict=True))
        times = "" if r["gain"] is None else f"{r['gain']:.3g} times as much  "
        told = f"{times}({pairs})  {r['best_s']:.2f} s"
    elif r["what"] == "proof":
        told = (
            f"{r['proved']} of {r['rows']} proved  median {r['median_s']:.2f} s  worst {r['worst_s']:.2f} s"
        )
    else:
        told = (
            f"{r['rules']} rules cover {r['covered']:.1%} of the training rows, {r['held_out']:.1%} of the held-out "
            f"ones, {r['wrong']} wrong  {r['features']:.1f} features  {r['seconds']:.1f} s"
        )
    print(
        f"{r['data']:<13} {r['what']:<10} {r['literals']:<10} {r.get('measure') or '':<7} {told}", flush=True
    )


def save(rows: list[dict]) -> None:
    machine = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "primewood": pw.__version__,
        "processor": platform.machine(),
    }
    limits = {"search_s": SEARCH_S, "proof_s": PROOF_S, "list_s": LIST_S}
    written = RESULTS.with_suffix(".part")
    written.write_text(json.dumps({"machine": machine, **limits, "rows": rows}, indent=1) + "\n")
    written.replace(RESULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", action="append", help="only this data set")
    run(parser.parse_args().data or list(DATA))


if __name__ == "__main__":
    main()
