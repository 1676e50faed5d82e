"""Programs that end while the core still works for other threads."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import threading, time
import numpy as np
import primewood as pw
from sklearn.ensemble import RandomForestClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 12))
y = (X[:, :4].sum(axis=1) > 0) ^ (rng.random(400) < 0.3)
explainer = pw.Explainer(RandomForestClassifier(40, random_state=0, n_jobs=1).fit(X, y), X)
begun = threading.Barrier(3)

def work():
    begun.wait()
    while True:
        explainer.explain(X[0], literals="sets", time_limit=5)

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.2)
"""


def test_a_program_ends_well_while_threads_are_in_the_core():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
