"""A model of each library, and a file of each format that models are kept in."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

import primewood as pw

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :6]


def xgboost_file(folder, ending):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1).fit(X, Y)
    model.save_model(folder / f"model{ending}")
    return model, folder / f"model{ending}"


def lightgbm_file(folder, ending):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_estimators=5, num_leaves=4, n_jobs=1, verbose=-1).fit(X, Y)
    model.booster_.save_model(folder / f"model{ending}")
    return model, folder / f"model{ending}"


def catboost_file(folder, ending):
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(iterations=5, depth=2, verbose=0, thread_count=1, allow_writing_files=False)
    model.fit(X, Y).save_model(str(folder / f"model{ending}"), format=ending[1:])
    return model, folder / f"model{ending}"


def skops_file(folder, ending):
    import skops.io

    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, Y)
    skops.io.dump(model, folder / f"model{ending}")
    return model, folder / f"model{ending}"


def our_file(folder, ending):
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    pw.read(model).save(folder / f"model{ending}")
    return model, folder / f"model{ending}"


FILES = {
    "XGBoost, JSON": (xgboost_file, ".json"),
    "XGBoost, UBJSON": (xgboost_file, ".ubj"),
    "LightGBM": (lightgbm_file, ".txt"),
    "CatBoost": (catboost_file, ".cbm"),
    "CatBoost, JSON": (catboost_file, ".json"),
    "skops": (skops_file, ".skops"),
    "primewood": (our_file, ".json"),
}
