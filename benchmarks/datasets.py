"""The benchmark's data: scikit-learn's own sets, the bundled credit data, and CSV files if they are there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

FOLDER = Path(os.environ.get("PRIMEWOOD_DATA", Path(__file__).parents[2] / "shared" / "data"))
BUILT_IN = {
    "iris": datasets.load_iris,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "wine": datasets.load_wine,
}
IDENTIFIER_FIRST = {"promoters"}


def load(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows and classes; None if the data set is not there."""
    if name in BUILT_IN:
        return BUILT_IN[name](return_X_y=True)
    if name == "german":
        from primewood.data.credit import load_credit

        credit = load_credit()
        return credit.X, credit.y
    path = FOLDER / f"{name}.csv"
    if not path.is_file():
        return None
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    first = 1 if name in IDENTIFIER_FIRST else 0
    return table[:, first:-1], table[:, -1].astype(int)


def train(X, y, trees: int, depth: int | None, rows: int):
    """A random forest, what it was trained on, and held-out rows to explain (seed 0)."""
    X, held_out, y, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    model = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
    chosen = np.random.default_rng(0).permutation(len(held_out))[:rows]
    return model, X, held_out[chosen]
