"""Certificates of explanations: their size, and how long recording and checking take beside finding.

Per data set, model (100 trees of depth 4, 6 and unlimited, XGBoost with 100 trees of depth 6) and held-out row (seed
0), in "intervals" and "sets" with goal="prime", CPU seconds in one process and one thread: finding the explanation,
writing its certificate (proof and witnesses; the header that all rows share is made before), and checking it with the
stand-alone checker (the ensemble file is read before). Rows that are not proved in 10 s are left out, and counted.

Usage: python benchmarks/certificates.py [--data NAME ...] [--rows N] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
from datasets import load
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import primewood as pw
from primewood.certify.check import EnsembleFile, Rejected, check
from primewood.ensemble.file import bytes_of
from primewood.errors import NoCertificate

RESULTS = Path(__file__).parent / "results" / "certificates.json"
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


def measure(name: str, rows: int) -> list[dict[str, Any]]:
    """All models of one data set; none if it is not there."""
    data = load(name)
    if data is None:
        return []
    X, y = data
    X, held_out, y, _ = train_test_split(
        np.asarray(X, float), np.unique(y, return_inverse=True)[1], test_size=0.3, random_state=0
    )
    chosen = held_out[np.random.default_rng(0).permutation(len(held_out))[:rows]]
    return [
        measure_model(name, kind, pw.Explainer(model.fit(X, y), X), chosen, literals)
        for kind, model in models().items()
        for literals in ("intervals", "sets")
    ]


def measure_model(name: str, kind: str, explainer: pw.Explainer, rows: Any, literals: str) -> dict[str, Any]:
    """One model: medians and extremes over rows."""
    assert explainer.ensemble is not None
    file = EnsembleFile(bytes_of(explainer.ensemble))
    proved, reasons, figures = 0, [], []
    for i, x in enumerate(rows):
        start = time.process_time()
        why = explainer.explain(x, literals=literals, goal="prime", time_limit=10)
        found = time.process_time() - start
        if why.status is not pw.Status.PROVED:
            continue
        proved += 1
        if i == 0:
            _certify(why)  # makes what all certificates share
        try:
            start = time.process_time()
            certificate = why.certificate(time_limit=30)
            recorded = time.process_time() - start
            start = time.process_time()
            confirmed = check(file, certificate.content)
            checked = time.process_time() - start
        except (NoCertificate, Rejected) as problem:
            reasons.append(str(problem))
            continue
        figures.append((len(certificate.content) / 1000, found, recorded, checked, confirmed.nodes))
    table = np.array(figures).reshape(-1, 5)
    kb, found, recorded, checked, nodes = table.T if len(table) else np.full((5, 1), np.nan)
    return {
        "data": name,
        "model": kind,
        "literals": literals,
        "rows": len(rows),
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


def _certify(why: pw.Explanation) -> None:
    try:
        why.certificate(time_limit=30)
    except NoCertificate:
        return


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", default=TABLES)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    found = []
    for name in given.data:
        for row in measure(name, given.rows):
            found.append(row)
            print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
    about = {"python": platform.python_version(), "machine": platform.machine()}
    given.out.write_text(json.dumps({**about, "certificates": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
