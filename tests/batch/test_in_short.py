"""Batches with the decisions in short, and near their rows."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.errors import InvalidInput


@pytest.fixture(scope="module")
def explained():
    X, y = make_classification(900, 10, n_informative=6, flip_y=0.02, class_sep=1.5, random_state=1)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    return pw.Explainer(RandomForestClassifier(30, max_depth=6, random_state=0).fit(frame, y), frame), frame[
        :30
    ]


def test_a_frame_has_the_decision_in_short_where_a_rule_is_long(explained):
    explainer, rows = explained
    batch = explainer(rows)
    assert "in_short" not in batch.to_frame()
    table = batch.to_frame(in_short=True)
    assert list(table.columns).index("in_short") == list(table.columns).index("rule") - 1
    long = table["size"] > 3
    assert long.any() and not long.all()
    assert table.in_short[~long].isna().all()
    for why, said in zip(batch, table.in_short, strict=True):
        assert pd.isna(said) or said == str(why.in_short)


@pytest.mark.parametrize("target", ["answers", "answers.csv", "answers.jsonl", "answers.parquet"])
def test_files_have_it_if_asked(explained, target, tmp_path):
    explainer, rows = explained
    rows.to_csv(tmp_path / "rows.csv", index=False)
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / target, in_short=True)
    reads = {
        ".csv": pd.read_csv,
        ".jsonl": lambda x: pd.read_json(x, lines=True),
        ".parquet": pd.read_parquet,
    }
    path = tmp_path / target
    found = reads[path.suffix](path) if path.suffix else pd.read_parquet(path / "part-00000.parquet")
    expected = explainer(rows).to_frame(in_short=True).in_short
    assert [None if pd.isna(x) else x for x in found.in_short] == [
        None if pd.isna(x) else x for x in expected
    ]


def test_a_resumed_run_must_ask_the_same(explained, tmp_path):
    explainer, rows = explained
    rows.to_csv(tmp_path / "rows.csv", index=False)
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", in_short=True)
    again = explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", in_short=True, resume=True)
    assert again.rows == len(rows)
    with pytest.raises(InvalidInput, match="in_short"):
        explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", resume=True)


def test_rules_near_rows_say_so_in_every_file(explained, tmp_path):
    explainer, rows = explained
    rows.to_csv(tmp_path / "rows.csv", index=False)
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "near.csv", near=0.05)
    found = pd.read_csv(tmp_path / "near.csv")
    assert found.rule.str.startswith("near this row: ").all()
    assert found.volume.isna().all()
    assert list(found.rule) == list(explainer(rows, near=0.05).to_frame().rule)
