"""PyXAI's sufficient reasons for the benchmark's models and rows, computed in PyXAI's own environment.

``python benchmarks/pyxai_reasons.py DATA TREES DEPTH ROWS`` with a Python that has pyxai (2.0.1) and the
benchmark's scikit-learn; DATA is a data set's name or an .npz file with X and y, DEPTH may be ``none``. The
only line on stdout is JSON. PyXAI counts each tree as one vote for its leaf's largest class, whereas
scikit-learn adds up the leaves' probabilities, so that some of its reasons are wrong for the model itself.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from datasets import load, train

LIMIT = 10.0
SAMPLES = 2000


def run(python: str, data: str, trees: int, depth: int | None, rows: int) -> dict | None:
    """What `python` with PyXAI finds; None if it cannot be run or takes far longer than the limit allows.

    `same_forest` says whether the forest trained over there is, bit by bit, the one trained here.
    """
    X, y = load(data)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "data.npz"
        np.savez(table, X=X, y=y)
        command = [python, __file__, str(table), str(trees), str(depth).lower(), str(rows)]
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, check=True, timeout=600 + 6 * LIMIT * rows
            )
        except (OSError, subprocess.SubprocessError):
            return None
    found = json.loads(done.stdout)
    if found is not None:
        found["same_forest"] = found["digest"] == digest(train(X, y, trees, depth, rows)[0])
    return found


def digest(model) -> str:
    """One number for all tests, thresholds and leaves of a forest."""
    found = hashlib.sha256()
    for tree in (estimator.tree_ for estimator in model.estimators_):
        for part in (tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.value):
            found.update(part.tobytes())
    return found.hexdigest()


def explain(model, X, rows) -> dict | None:
    """Times, sizes and errors of PyXAI's reasons; None without PyXAI. A row without a reason counts whole.

    Seconds are CPU seconds of `set_instance` and `sufficient_reason`, with those of the solver's process;
    PyXAI's own time limit is for the solver alone. Rows are rounded as scikit-learn rounds them. PyXAI is
    told that features are numbers: otherwise it takes a feature's thresholds for unrelated and keeps more.
    """
    try:
        from pyxai import Explaining, Learning, Tools
        from pyxai.sources.solvers.MUS.MUSERSolver import MUSERSolver
    except ImportError:
        return None
    Tools.set_verbose(0)
    _, forest = Learning.ModelIO.import_models(model, instances_type="tabular")
    forest.learner_information.feature_names = [str(j) for j in range(X.shape[1])]
    explainer = Explaining.initialize(forest, np.float32(rows[0]))
    explainer.set_features_type({"numerical": Learning.DEFAULT})
    explainer.sufficient_reason(time_limit=0.1)
    times, proved, sizes, wrong, other_class = [], [], [], 0, 0
    for x in np.float32(rows):
        start = cpu_seconds()
        explainer.set_instance(x)
        reason = explainer.sufficient_reason(time_limit=LIMIT)
        times.append(cpu_seconds() - start)
        proved.append(reason is not None and times[-1] <= LIMIT)
        other_class += int(explainer.target_prediction != model.predict(x[None, :])[0])
        if reason is None:
            sizes.append(len(x))
            continue
        tests = [(*forest.map_id_binaries_to_features[abs(literal)], literal > 0) for literal in reason]
        sizes.append(len({feature for feature, *_ in tests}))
        wrong += refuted(model, X, x, [(feature - 1, t, above) for feature, _, t, above in tests])
    Path(MUSERSolver().filename_gcnf).unlink(missing_ok=True)
    return {
        "times": times,
        "proved": proved,
        "sizes": sizes,
        "wrong": wrong,
        "other_class": other_class,
        "digest": digest(model),
    }


def cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def refuted(model, X, x, tests: list[tuple[int, float, bool]]) -> bool:
    """Whether the model decides some sampled row otherwise than `x` though it passes all the tests.

    A test is a feature, a threshold and whether the value is above it. Half of the sample is uniform, from
    one range below the training data to one above; half is training rows moved into the tests' box.
    """
    low, high = np.full(len(x), -np.inf, np.float32), np.full(len(x), np.inf, np.float32)
    for feature, threshold, above in tests:
        at_most = np.float32(threshold)
        if float(at_most) > threshold:
            at_most = np.nextafter(at_most, np.float32(-np.inf))
        if above:
            low[feature] = max(low[feature], np.nextafter(at_most, np.float32(np.inf)))
        else:
            high[feature] = min(high[feature], at_most)
    rng = np.random.default_rng(0)
    least, most = X.min(axis=0), X.max(axis=0)
    ends = (np.clip(end, low, high) for end in (2 * least - most, 2 * most - least))
    anywhere = rng.uniform(*ends, (SAMPLES // 2, len(x)))
    moved = np.clip(X[rng.integers(len(X), size=SAMPLES // 2)], low, high)
    return bool(np.any(model.predict(np.vstack([anywhere, moved])) != model.predict(x[None, :])))


def main() -> None:
    data, trees, depth, rows = sys.argv[1:]
    if data.endswith(".npz"):
        with np.load(data) as table:
            X, y = table["X"], table["y"]
    else:
        X, y = load(data)
    stdout, sys.stdout = sys.stdout, sys.stderr  # PyXAI's modules print, one of them when Python ends
    found = explain(*train(X, y, int(trees), None if depth == "none" else int(depth), int(rows)))
    print(json.dumps(found), file=stdout)


if __name__ == "__main__":
    main()
