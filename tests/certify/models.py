"""Small models of every kind, with rows to ask about."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import primewood as pw

KINDS = (
    "forest",
    "any order",
    "three classes",
    "boosted",
    "histogram",
    "xgboost",
    "xgboost 3",
    "lightgbm",
    "categories",
)
CASES = ("plain", "near", "orders", "cut-off", "fixed", "values")


@dataclass
class Asked:
    """An explainer, and what it is asked."""

    explainer: pw.Explainer
    rows: list[Any]
    options: dict[str, Any] = field(default_factory=dict)

    def explanations(self, literals: tuple[str, ...]) -> Iterator[pw.Explanation]:
        for row in self.rows:
            for language in literals:
                why = self.explainer.explain(row, literals=language, **self.options)
                if why.status is pw.Status.PROVED:
                    yield why


def make_frame(rng: np.random.Generator, gaps: bool) -> pd.DataFrame:
    count = 150
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=count).round(2),
            "b": rng.integers(0, 7, count),
            "c": rng.integers(0, 2, count).astype(bool),
            "d": rng.normal(size=count).round(1),
        }
    )
    if gaps:
        frame.loc[rng.random(count) < 0.2, "a"] = np.nan
    return frame


def make_model(kind: str, frame: pd.DataFrame, rng: np.random.Generator) -> tuple[Any, pd.DataFrame]:
    """A fitted model, and the rows that it was fitted to."""
    from sklearn.ensemble import (
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )

    noise = rng.normal(size=len(frame)) * 0.4
    score = frame.a.fillna(0.7) + frame.d + frame.b / 4 + noise
    two, three = (score > 0.8).astype(int), np.digitize(score, [0.2, 1.4])
    seed = int(rng.integers(1000))
    if kind.startswith("xgboost"):
        from xgboost import XGBClassifier

        many = kind.endswith("3")
        model = XGBClassifier(n_estimators=4 if many else 8, max_depth=3, n_jobs=1, random_state=seed)
        return model.fit(frame, three if many else two), frame
    if kind in ("lightgbm", "categories"):
        from lightgbm import LGBMClassifier

        if kind == "categories":
            frame = frame.assign(b=pd.Categorical(frame.b.map("pqrstuv".__getitem__)))
        model = LGBMClassifier(n_estimators=7, num_leaves=5, min_child_samples=8, verbose=-1, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(frame, two), frame
    models = {
        "forest": RandomForestClassifier(9, max_depth=3, random_state=seed),
        "any order": RandomForestClassifier(8, max_depth=3, random_state=seed, n_jobs=2),
        "three classes": RandomForestClassifier(7, max_depth=3, random_state=seed),
        "boosted": GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=seed),
        "histogram": HistGradientBoostingClassifier(
            max_iter=5, max_depth=3, min_samples_leaf=8, random_state=seed
        ),
    }
    if kind == "boosted":
        frame = frame.fillna(0.5)
    return models[kind].fit(frame, three if kind == "three classes" else two), frame


def ask(kind: str, case: str, seed: int) -> Asked:
    """A random model of a kind, and a case of what it is asked."""
    rng = np.random.default_rng([seed, KINDS.index(kind), CASES.index(case)])
    model, frame = make_model(kind, make_frame(rng, gaps=seed % 2 == 1), rng)
    settings: dict[str, Any] = {}
    options: dict[str, Any] = {}
    if case == "orders":
        settings["constraints"] = ["a <= d + 6", "a >= -2 or d <= 1"]
        frame = frame[~((frame.a > frame.d + 6) | (~(frame.a >= -2) & (frame.d > 1)))]
    if case == "cut-off" and "3" not in kind and kind != "three classes":
        settings |= {"threshold": 0.6, "positive": 1}
    if case == "near":
        options["near"] = 0.15
    if case == "fixed":
        options["fix"] = ["d"]
    return Asked(pw.Explainer(model, frame, **settings), [frame.iloc[[i]] for i in range(2)], options)
