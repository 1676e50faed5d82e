"""What the tests of batches share: small models, and checks of what they say."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.batch import settings
from primewood.batch.explain_file import explain_file
from primewood.batch.file_job import FileJob
from primewood.batch.settings import Settings

EXACT = {"time_limit": None, "work_limit": 50_000}
IRIS = load_iris()
NAMES = ["sl", "sw", "pl", "pw"]


def small_blocks(monkeypatch, rows):
    """Let batches have blocks of so many rows."""
    monkeypatch.setattr(settings, "Settings", functools.partial(Settings, block=rows))


def write_answers(explainer, source, target, settings=None, **more):
    """Explain a file; what is written."""
    return explain_file(explainer._model, FileJob(source, target, settings or Settings(), **more))


def forest(**options):
    model = RandomForestClassifier(9, max_depth=4, random_state=0).fit(IRIS.data, IRIS.target)
    return pw.Explainer(model, IRIS.data, feature_names=NAMES, **options, literals="sets"), IRIS.data[::6]


def regressor(**options):
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(model, X, **options, literals="sets"), X[:15]


def ordered_sum():
    model = ExtraTreesClassifier(9, max_depth=4, random_state=0, n_jobs=2).fit(IRIS.data, IRIS.target)
    return pw.Explainer(model, IRIS.data, feature_names=NAMES, summation="any", literals="sets"), IRIS.data[
        ::6
    ]


def people(count=300):
    generator = np.random.default_rng(5)
    age = generator.integers(18, 70, count).astype(float)
    frame = pd.DataFrame(
        {
            "age": age,
            "employed": np.floor(generator.random(count) * (age - 14)),
            "income": np.where(
                generator.random(count) < 0.2, np.nan, generator.normal(40, 15, count).round()
            ),
            "colour": pd.Categorical.from_codes(
                generator.integers(0, 4, count), ["red", "blue", "grey", "tan"]
            ),
        }
    )
    good = (frame.employed > 10) ^ (frame.income > 45) ^ (frame.colour == "tan")
    return frame, good.astype(int)


def lightgbm():
    from lightgbm import LGBMClassifier

    frame, y = people()
    model = LGBMClassifier(n_estimators=12, num_leaves=6, n_jobs=1, verbose=-1).fit(frame, y)
    return pw.Explainer(model, frame, class_names=["no", "yes"], literals="sets"), frame.iloc[::12]


def constrained():
    frame, y = people()
    frame = pd.get_dummies(frame.drop(columns="income"), dtype=float)
    model = RandomForestClassifier(7, max_depth=4, random_state=0).fit(frame.to_numpy(), y)
    known = {
        "groups": {"colour": [name for name in frame if name.startswith("colour")]},
        "constraints": ["employed <= age - 14", "colour=red -> age >= 20"],
        "domain": {"age": "whole", "employed": "whole"},
    }
    rows = frame[(frame.colour_red == 0) | (frame.age >= 20)]
    return pw.Explainer(model, rows, feature_names=list(frame), **known, literals="sets"), rows.iloc[::12]


CASES = {
    "forest": (forest, {}),
    "intervals": (forest, {"literals": "intervals", "fix": ["sw"]}),
    "values": (forest, {"literals": "values", "avoid": ["pw"]}),
    "only": (forest, {"only": ["pl", "pw"]}),
    "order": (forest, {"order": NAMES[::-1]}),
    "weights": (forest, {"weights": {"pw": 7.0}}),
    "shortest": (forest, {"goal": "shortest", "literals": "values"}),
    "widest": (forest, {"goal": "widest", "measure": "volume", "literals": "intervals"}),
    "sat": (functools.partial(forest, engine="sat", vote="majority"), {}),
    "bdd": (functools.partial(forest, engine="bdd", vote="majority"), {}),
    "diagram": (functools.partial(forest, engine="diagram"), {}),
    "majority": (functools.partial(forest, vote="majority"), {}),
    "any order": (ordered_sum, {}),
    "LightGBM": (lightgbm, {}),
    "LightGBM intervals": (lightgbm, {"literals": "intervals", "fix": ["age"]}),
    "constraints": (constrained, {}),
    "constraints shortest": (constrained, {"goal": "shortest"}),
    "threshold": (functools.partial(regressor, threshold=150.0), {"literals": "intervals"}),
    "between": (functools.partial(regressor, between=(100.0, 200.0)), {}),
    "within": (regressor, {"within": 40}),
}


def check_witnesses(explainer, why, decide):
    """Each gets a different decision from the library, and is outside in its own feature only."""
    box = why.term.box(explainer.domain.variables)
    names = [x.name for x in explainer.domain.variables]
    for witness in why.witnesses:
        point = explainer.domain.point(np.array(witness.row))
        outside = [name for name, mask, value in zip(names, box, point, strict=True) if not mask >> value & 1]
        assert outside == [witness.feature]
        assert point[names.index(witness.feature)] == witness.value
        assert decide(witness.row) == witness.decision != why.decision
    return len(why.witnesses)
