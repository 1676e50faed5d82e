"""The command that finds rules in training rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

pd = pytest.importorskip("pandas")
skops = pytest.importorskip("skops.io")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model and its training rows, in which the lower bound is never above the upper one."""
    random = np.random.default_rng(0)
    low = random.normal(size=300)
    rows = pd.DataFrame(
        {"low": low, "high": low + random.uniform(0, 1, 300), "other": random.normal(size=300)}
    )
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(rows, low + rows["other"] > 0)
    path = tmp_path_factory.mktemp("knowledge")
    skops.dump(model, path / "model.skops")
    rows.to_csv(path / "train.csv", index=False)
    return path


def test_rules_are_printed_with_their_support_and_the_risk(folder, call):
    done = call("knowledge", folder / "model.skops", folder / "train.csv")
    assert done.code == 0
    assert "low <= high  (300 rows)" in done.out
    assert "of new rows break at least one of all" in done.out.splitlines()[-1]


def test_rules_as_json(folder, call):
    record = json.loads(call("knowledge", folder / "model.skops", folder / "train.csv", "--json").out)
    assert record["rows"] == 300 and 0 < record["violated"] < 0.05
    assert "low <= high" in [rule["text"] for rule in record["rules"]]


def test_written_rules_are_settings_of_other_commands(folder, call):
    to = folder / "rules.toml"
    assert call("knowledge", folder / "model.skops", folder / "train.csv", "-o", to).code == 0
    assert '  "low <= high",\n' in to.read_text(encoding="utf-8")
    given = ("explain", folder / "model.skops", folder / "train.csv", "--row", "3")
    stated, mined = call(*given, "--settings", to), call(*given, "--set", "knowledge=data")
    assert stated.code == mined.code == 0
    assert stated.out.splitlines()[0] == mined.out.splitlines()[0]


def test_bad_input_is_one_clear_error(folder, call):
    done = call("knowledge", folder / "model.skops", folder / "train.csv", "-o", folder / "rules.txt")
    assert done.code == 2 and "should end with .toml" in done.err
    done = call("info", folder / "model.skops", "--set", "knowledge=data")
    assert done.code == 2 and "pass X_train" in done.err
    done = call("explain", folder / "model.skops", folder / "train.csv", "--set", "knowledge=rows")
    assert done.code == 2 and "knowledge must be one of data" in done.err
