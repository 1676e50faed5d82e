"""A hundred thousand rows go through a small forest, and the memory that they take does not grow with them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from primewood.batch.overview import overview
from primewood.data.credit import load_credit

ROWS = 100_000
CEILING = 64
"""How many MB the whole run may take more than a hundredth of it."""
RUN = """
import resource, sys
from sklearn.ensemble import RandomForestClassifier
import primewood as pw
from primewood.data.credit import load_credit

credit = load_credit()
forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(credit.X, credit.y)
explainer = pw.Explainer(forest, feature_names=credit.feature_names, class_names=credit.class_names)
for source, folder in (sys.argv[1:3], sys.argv[3:5]):
    explainer.explain_file(source, folder, literals="values", time_limit=None, n_jobs=2)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path):
    credit, random = load_credit(), np.random.default_rng(0)
    X = np.column_stack([random.choice(column, ROWS) for column in credit.X.T])
    X[:, 3] += random.integers(0, 1000, ROWS)  # amounts, so that cells differ
    frame = pd.DataFrame(X, columns=credit.feature_names)
    frame.head(ROWS // 100).to_parquet(tmp_path / "few.parquet")
    frame.to_parquet(tmp_path / "many.parquet", row_group_size=10_000)
    files = [str(tmp_path / name) for name in ("few.parquet", "few", "many.parquet", "many")]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *files], capture_output=True, text=True, check=True, timeout=900
    )
    few, many = map(int, done.stdout.split())
    assert many <= few + CEILING, done.stdout
    found = overview(tmp_path / "many")
    assert found.finished and found.summary.rows == ROWS
    assert found.summary.statuses == {"proved": ROWS}
