"""Certificates: their size, and how long recording and checking take beside finding.

Per data set, model (100 trees of depth 4, 6 and unlimited, XGBoost with 100 trees of depth 6) and held-out row (seed
0), explanations in "intervals" and "sets" with goal="prime"; then the other kinds of answers on fewer rows. CPU seconds
in one process and one thread: finding the answer, writing its certificate (proof and witnesses; the header that all
answers share is made before), and checking it with the stand-alone checker (the ensemble file is read before). Answers
that are not proved in 10 s are left out, and counted.

Usage: python benchmarks/certificates.py [--data NAME ...] [--rows N] [--kind-rows N] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from datasets import load
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import primewood as pw
from primewood.certify.check import EnsembleFile, Rejected
from primewood.certify.check_more import check
from primewood.ensemble.file import bytes_of
from primewood.errors import NoCertificate

RESULTS = Path(__file__).parent / "results" / "certificates.json"
LIMIT_S = 10
TABLES = ("breast_cancer", "sonar", "ionosphere", "segmentation", "german", "vowel")


def models() -> dict[str, Any]:
    """The models that are measured, by their names."""
    found = {
        f"100/{depth or 'full'}": RandomForestClassifier(100, max_depth=depth, random_state=0, n_jobs=1)
        for depth in (4, 6, None)
    }
    try:
        from xgboost import XGBClassifier
    except ImportError:
        return found
    return {**found, "xgboost": XGBClassifier(n_estimators=100, max_depth=6, n_jobs=1, random_state=0)}


def measure(name: str, rows: int, kind_rows: int) -> Iterator[dict[str, Any]]:
    """All models of one data set; none if it is not there."""
    data = load(name)
    if data is None:
        return
    X, y = data
    X, held_out, y, _ = train_test_split(
        np.asarray(X, float), np.unique(y, return_inverse=True)[1], test_size=0.3, random_state=0
    )
    chosen = held_out[np.random.default_rng(0).permutation(len(held_out))[:rows]]
    for kind, model in models().items():
        explainer = pw.Explainer(model.fit(X, y), X)
        for literals in ("intervals", "sets"):
            yield measure_model(name, kind, explainer, chosen, literals)
        if kind_rows:
            yield from measure_kinds(name, kind, explainer, chosen[:kind_rows])


def measure_model(name: str, kind: str, explainer: pw.Explainer, rows: Any, literals: str) -> dict[str, Any]:
    """Explanations of one model in one language: medians and extremes over rows."""
    answers = (
        lambda x=x: explainer.explain(x, literals=literals, goal="prime", time_limit=LIMIT_S) for x in rows
    )
    found = measure_answers(explainer, answers, lambda why: why.status is pw.Status.PROVED)
    return {"data": name, "model": kind, "literals": literals, **found}


def measure_kinds(name: str, kind: str, explainer: pw.Explainer, rows: Any) -> Iterator[dict[str, Any]]:
    """The other answers about one model, kind by kind."""
    labels = explainer.class_names
    assert explainer.domain is not None
    names = [x.name for x in explainer.domain.variables if x.ordered > 2][:10]
    found = [explainer.explain(x, goal="prime", time_limit=LIMIT_S) for x in rows]
    rules = [next(x for x in why.to_text(full=True).splitlines() if x.startswith("IF ")) for why in found]
    proved = pw.Status.PROVED
    limit = {"time_limit": LIMIT_S}
    asked: dict[str, tuple[list[Callable[[], Any]], Callable[[Any], bool]]] = {
        "shortest": (
            [lambda x=x: explainer.explain(x, goal="shortest", literals="values", **limit) for x in rows],
            lambda why: why.status is proved,
        ),
        **{
            f"robustness {norm}": (
                [lambda x=x, norm=norm: explainer.robustness(x, norm=norm, **limit) for x in rows],
                lambda found: found.status is proved and found.nearest.lower > 0,
            )
            for norm in ("linf", "l0", "l1")
        },
        "counterfactual l1": (
            [lambda x=x: explainer.counterfactual(x, **limit) for x in rows],
            lambda found: found.status is proved and found.lower > 0,
        ),
        "verify": ([lambda r=r: explainer.verify(r, **limit) for r in rules], lambda found: found.holds),
        "pairs": (
            [lambda n=n: explainer.verify(pw.independent_of(n), **limit) for n in names]
            + [lambda n=n: explainer.verify(pw.monotone(n, target=labels[-1]), **limit) for n in names],
            lambda found: found.holds,
        ),
        "compare": (
            [lambda: explainer.compare(explainer.ensemble, **limit)],
            lambda found: found.equivalent is True,
        ),
    }
    for what, (questions, is_proved) in asked.items():
        other = [explainer.ensemble] if what == "compare" else []
        yield {
            "data": name,
            "model": kind,
            "kind": what,
            **measure_answers(explainer, questions, is_proved, other),
        }


def measure_answers(
    explainer: pw.Explainer,
    questions: Iterable[Callable[[], Any]],
    is_proved: Callable[[Any], bool],
    other: Sequence[pw.Ensemble | None] = (),
) -> dict[str, Any]:
    """How long it takes to find answers, to write their certificates, and to check these."""
    assert explainer.ensemble is not None
    files = [EnsembleFile(bytes_of(ensemble)) for ensemble in (explainer.ensemble, *other)]
    asked, proved, figures = 0, 0, []
    reasons: Counter[str] = Counter()
    for ask in questions:
        asked += 1
        start = time.process_time()
        answer = ask()
        found = time.process_time() - start
        if not is_proved(answer):
            continue
        proved += 1
        if proved == 1:
            _certify(answer)  # makes what all certificates share
        try:
            start = time.process_time()
            certificate = answer.certificate(time_limit=3 * LIMIT_S)
            recorded = time.process_time() - start
            start = time.process_time()
            confirmed = check(*files, certificate.content)
            checked = time.process_time() - start
        except (NoCertificate, Rejected) as problem:
            reasons[str(problem)] += 1
            continue
        figures.append((len(certificate.content) / 1000, found, recorded, checked, confirmed.nodes))
    table = np.array(figures).reshape(-1, 5)
    if not len(table):
        return {"asked": asked, "proved": proved, "certified": 0, "reasons": reasons}
    kb, found, recorded, checked, nodes = table.T
    return {
        "asked": asked,
        "proved": proved,
        "certified": len(figures),
        "reasons": reasons,
        "kb_median": float(np.median(kb)),
        "kb_95": float(np.percentile(kb, 95)),
        "found": float(np.median(found)),
        "recorded": float(np.median(recorded)),
        "checked": float(np.median(checked)),
        "recorded_to_found": float(np.median(recorded / found)),
        "checked_to_found": float(np.median(checked / found)),
        "nodes_median": float(np.median(nodes)),
        "nodes_most": float(nodes.max()),
    }


def _certify(answer: Any) -> None:
    try:
        answer.certificate(time_limit=3 * LIMIT_S)
    except NoCertificate:
        return


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", default=TABLES)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--kind-rows", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    found = []
    for name in given.data:
        for row in measure(name, given.rows, given.kind_rows):
            found.append(row)
            print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
    about = {"python": platform.python_version(), "machine": platform.machine()}
    given.out.write_text(json.dumps({**about, "certificates": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
