"""What new users tried on the command line first, and what happened to them; now it does what they meant."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Applications, a model of them, and models without names."""
    import joblib
    import lightgbm
    import skops.io
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    path = tmp_path_factory.mktemp("first")
    random = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "income": random.integers(12, 100, 400) + 0.5,
            "debt": random.integers(0, 60, 400),
            "age": random.integers(18, 80, 400),
        }
    )
    approved = rows.income - rows.debt > 15
    model = RandomForestClassifier(15, max_depth=4, random_state=0)
    model.fit(rows, np.where(approved, "approved", "declined"))
    skops.io.dump(model, path / "model.skops")
    rows.to_csv(path / "applications.csv", index=False)
    rows.to_csv(path / "excel.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
    booster = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=6, n_jobs=1, verbose=-1)
    booster.fit(rows, np.where(approved, "approved", "declined")).booster_.save_model(path / "lgb.txt")
    iris = load_iris(as_frame=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(iris.data.to_numpy(), iris.target)
    joblib.dump(forest, path / "iris.joblib")
    iris.data[iris.data.columns[::-1]].to_csv(path / "iris_rev.csv", index=False)
    return path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def test_a_csv_file_is_written_where_one_is_asked_for(here, call, tmp_path):
    done = call(
        "explain", "model.skops", "applications.csv", "-o", tmp_path / "out2.csv", "--set", "work_limit=1000"
    )
    assert done.code == 0 and (tmp_path / "out2.csv").is_file()
    assert len(pd.read_csv(tmp_path / "out2.csv")) == 400


def test_reversed_columns_are_matched_by_the_names_that_are_given(here, call):
    names = pd.read_csv("iris_rev.csv").columns[::-1]
    asked = ("explain", "iris.joblib", "iris_rev.csv", "--row", 0, "--trust-pickle")
    told = call(*asked)
    assert told.code == 0 and "order" in told.err  # by place, and it is said so
    named = call(*asked, "--set", f"feature_names={json.dumps(list(names))}", "--json")
    assert named.code == 0 and json.loads(named.out)["decision"] == 0


def test_labels_that_a_file_has_lost_are_given_back(here, call):
    asked = ("explain", "lgb.txt", "applications.csv", "--row", 1)
    bare = json.loads(call(*asked, "--json").out)["decision"]
    shown = call(*asked, "--set", "class_names.0=approved", "--set", "class_names.1=declined")
    assert shown.code == 0
    assert shown.out.splitlines()[0].endswith(f"THEN {['approved', 'declined'][int(bare)]}")


def test_a_monotone_property_without_a_target_is_refused_when_labels_are_text(here, call):
    done = call("verify", "model.skops", "applications.csv", "--monotone", "income")
    assert done.code == 2 and "target" in done.err and not done.out


def test_a_cut_off_names_its_class_and_is_a_probability(here, call):
    asked = ("explain", "model.skops", "applications.csv", "--row", 1, "--threshold")
    silent = call(*asked, 0.9)
    assert silent.code == 2 and "positive" in silent.err
    told = call(*asked, 0.9, "--positive", "approved")
    assert told.code == 0 and "P(approved)" in told.out and "cut-off 0.90" in told.out
    beyond = call(*asked, 90, "--positive", "approved")
    assert beyond.code == 2 and "from 0 to 1; got 90; did you mean 0.9?" in beyond.err


def test_a_file_from_a_spreadsheet_is_read(here, call):
    expected = call("explain", "model.skops", "applications.csv", "--row", 1)
    done = call("explain", "model.skops", "excel.csv", "--row", 1)
    assert expected.code == done.code == 0 and expected.out == done.out
    assert expected.err == done.err.replace("excel.csv", "applications.csv")
