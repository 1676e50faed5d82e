"""The commands on the models that people have: categories as text, cut-offs, regressors, groups, constraints."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

import primewood as pw
from primewood.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def lender(tmp_path):
    """A LightGBM model with a category, its text file, and its rows as CSV."""
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": generator.normal(50, 15, 300).round(1),
            "housing": pd.Categorical(generator.choice(["own", "rented", "free"], 300)),
        }
    )
    y = (frame.income > 45) ^ (frame.housing == "free")
    model = LGBMClassifier(n_estimators=10, num_leaves=4, n_jobs=1, verbose=-1).fit(frame, y)
    model.booster_.save_model(tmp_path / "lender.txt")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return model, frame, tmp_path / "lender.txt", tmp_path / "rows.csv"


def test_categories_are_names_in_csv_files_and_in_answers(lender):
    model, frame, path, rows = lender
    for row in (0, 1, 2, 3):
        found = run("explain", path, rows, "--row", row, "--json")
        assert found.exit_code == 0, found.output
        record = json.loads(found.stdout)
        assert record["decision"] == int(model.predict(frame.iloc[[row]])[0])
        housing = [x for x in record["literals"] if x["feature"] == "housing"]
        assert all(frame.housing[row] in x["values"] for x in housing)
    assert "housing" in run("info", path, rows).stdout


def test_a_cut_off_on_the_command_line(lender):
    model, frame, path, rows = lender
    share = model.predict_proba(frame)[:, 1]
    for row in range(6):
        for cut_off in (0.2, 0.9):
            found = run("explain", path, rows, "--row", row, "--threshold", cut_off, "--json")
            assert json.loads(found.stdout)["decision"] == int(share[row] >= cut_off)


def test_a_regressor_on_the_command_line(tmp_path):
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.random((200, 3)), columns=["a", "b", "c"])
    model = GradientBoostingRegressor(n_estimators=10).fit(X, X.a * 10 + X.b)
    pw.read(model).save(tmp_path / "model.json")
    X.to_csv(tmp_path / "rows.csv", index=False)
    ask = ("explain", tmp_path / "model.json", tmp_path / "rows.csv", "--row", 1)
    assert "decides nothing by itself" in str(run(*ask).exception)
    own = model.predict(X)[1]
    assert f"prediction {'>=' if own >= 5 else '<'} 5" in run(*ask, "--threshold", 5).stdout
    assert "<= prediction <=" in run(*ask, "--set", f"between=[{own - 1}, {own + 1}]").stdout
    assert "<= prediction <=" in run(*ask, "--within", 0.5).stdout


def test_groups_and_constraints_on_the_command_line(tmp_path):
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, 200)
    X = pd.DataFrame(np.eye(3)[codes], columns=["colour_red", "colour_green", "colour_blue"])
    X["age"] = generator.integers(18, 80, 200).astype(float)
    X["years"] = np.minimum(generator.integers(0, 50, 200), X.age - 14)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, (codes == 1) ^ (X.years > 10))
    pw.read(model).save(tmp_path / "model.json")
    X.to_csv(tmp_path / "rows.csv", index=False)
    ask = ("explain", tmp_path / "model.json", tmp_path / "rows.csv", "--row", 2)
    found = run(*ask, "--set", "groups=auto", "--set", "constraints=years <= age - 14")
    assert found.exit_code == 0 and "colour is one of red, green, blue" in found.stdout
    named = run(*ask, "--set", 'groups.colour=["colour_red", "colour_green", "colour_blue"]')
    assert "colour is" in named.stdout
    refused = run(*ask, "--set", "constraints=years * 2 <= age")
    assert refused.exit_code and "constraint" in str(refused.exception)
    wrong = run(*ask, "--set", "groups=colour")
    assert wrong.exit_code and "a table from names to lists of columns" in str(wrong.exception)


def test_cells_of_categories_are_names_however_they_are_written(tmp_path):
    """A category may be called NA, and a number may be written 3.0."""
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(generator.choice(["u", "v", "NA"], 400)),
            "b": pd.Categorical(generator.choice([1, 3, 7], 400)),
            "flag": generator.random(400) < 0.5,
        }
    )
    y = (frame.a == "NA") ^ (frame.b == 3) ^ frame.flag
    model = LGBMClassifier(n_estimators=20, num_leaves=6, n_jobs=1, verbose=-1).fit(frame, y)
    model.booster_.save_model(tmp_path / "m.txt")
    written = frame.astype({"b": float, "flag": str})
    written.to_csv(tmp_path / "rows.csv", index=False)
    for row in range(12):
        found = run("explain", tmp_path / "m.txt", tmp_path / "rows.csv", "--row", row, "--json")
        assert json.loads(found.stdout)["decision"] == int(model.predict(frame.iloc[[row]])[0])


def test_categories_of_catboost_come_from_the_data(tmp_path):
    from catboost import CatBoostClassifier

    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": generator.random(200).round(3), "kind": generator.choice(["p", "q", "r"], 200)}
    )
    y = ((frame["size"] > 0.5) ^ (frame.kind == "q")).astype(int)
    options = {"iterations": 10, "depth": 3, "one_hot_max_size": 9, "verbose": 0, "thread_count": 1}
    model = CatBoostClassifier(**options, allow_writing_files=False, cat_features=["kind"]).fit(frame, y)
    model.save_model(str(tmp_path / "m.cbm"))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = run("explain", tmp_path / "m.cbm", tmp_path / "rows.csv", "--row", 3, "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["decision"] == int(model.predict(frame.iloc[[3]])[0])
