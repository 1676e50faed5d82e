"""Files as users have them, and the command line called as the shell calls it, in this process."""

from __future__ import annotations

import io
import sys
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.cli import main

Done = namedtuple("Done", "code out err")


CODES = """income = ["R01", "Income too low"]
"debt, age" = ["R02", "Debt or age"]
shoe = { high = "Shoes too large" }
"""


def applications():
    """Rows of credit applications, and what was decided about them."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": generator.integers(10, 100, 300).astype(float),
            "debt": generator.integers(0, 50, 300).astype(float),
            "age": generator.integers(18, 80, 300).astype(float),
            "shoe": generator.integers(36, 47, 300).astype(float),
        }
    )
    return X, np.where((X.income - X.debt > 30) & (X.age >= 30), "approved", "denied")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with every file that the examples of the help name."""
    from xgboost import XGBClassifier

    folder = tmp_path_factory.mktemp("files")
    X, y = applications()
    for name, seed in (("forest", 0), ("old", 0), ("new", 1)):
        forest = RandomForestClassifier(7, max_depth=3, random_state=seed).fit(X, y)
        skops.io.dump(forest, folder / f"{name}.skops")
        pw.read(forest).save(folder / f"{name}.json")
    booster = XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1).fit(X, (y == "approved").astype(int))
    booster.save_model(folder / "booster.json")
    X.head(60).to_csv(folder / "rows.csv", index=False)
    X.to_csv(folder / "train.csv", index=False)
    (folder / "codes.toml").write_text(CODES)
    first = pw.Explainer(pw.load(folder / "forest.json"), X)
    first.ensemble.save(folder / "ensemble.json")
    first.explain(X.iloc[[17]]).certificate().save(folder / "case-17.pwcert")
    first.explain_file(folder / "rows.csv", folder / "certified", certificates=True)
    old = pw.load(folder / "old.json")
    old.save(folder / "copy.json")
    pw.Explainer(old).compare(old).certificate().save(folder / "same.pwcert")
    pw.Explainer(forest, X).explain_file(folder / "rows.csv", folder / "explained")
    return folder


@pytest.fixture
def files(made, monkeypatch):
    """That folder as the working directory."""
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def call(capsys, monkeypatch):
    """Call the command line: its exit code, stdout and stderr."""

    def called(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.run([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return Done(ended.value.code, told.out, told.err)

    return called
