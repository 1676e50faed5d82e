"""How far a batch is: a live line on a terminal, lines now and then elsewhere, and nothing on stdout."""

from __future__ import annotations

import io
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood import progress
from primewood.batch.progress import StatusCounts, show_progress
from primewood.batch.row_result import RowResult
from primewood.questions.status import Status


class Terminal(io.StringIO):
    def isatty(self):
        return True


def result(status=Status.PROVED):
    return RowResult(0, np.zeros(1), 0, status)


def told(capsys):
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


@pytest.fixture(scope="module")
def forest():
    X = np.random.default_rng(0).integers(0, 9, (60, 3)).astype(float)
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, X.sum(axis=1) > 12)
    return pw.Explainer(model, X, feature_names=["a", "b", "c"]), X


@pytest.fixture
def soon(monkeypatch):
    for name in ("PATIENCE", "LIVE", "LOGGED", "WIDEST"):
        monkeypatch.setattr(progress, name, 0.001)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")


def test_a_line_says_how_far_the_batch_is():
    counts = StatusCounts(10_000)
    for k in range(1999):
        counts.watch(result(Status.INTERRUPTED if k % 1000 == 3 else Status.PROVED))
    counts.watch(result(Status.FAILED))
    words = "2,000 of 10,000 rows in 20 s, 100.0 rows/s, 2 interrupted, 1 failed, 80 s left"
    assert counts.line(20.0) == f"explaining: {words}"


def test_a_number_of_rows_that_is_not_known_is_not_told():
    counts = StatusCounts(None)
    counts.watch(result())
    assert counts.line(3 * 3600) == "explaining: 1 row in 3.0 h, 0.0 rows/s"


def test_before_the_first_row_is_done_nothing_is_said_about_the_rest():
    assert StatusCounts(10).line(5.0) == "explaining: 0 of 10 rows in 5 s, 0.0 rows/s"


def test_nothing_is_told_without_a_terminal(soon, capsys, forest, tmp_path):
    explainer, X = forest
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "rows.csv", index=False)
    explainer(X, n_jobs=2)
    list(explainer.stream(X))
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out")
    explainer(X, progress=False)
    assert told(capsys) == []


def test_a_short_run_tells_nothing(capsys, forest):
    explainer, X = forest
    explainer(X[:2], progress=True)
    assert told(capsys) == []


def test_lines_are_told_where_they_are_asked_for(soon, capsys, forest, tmp_path):
    explainer, X = forest
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "rows.csv", index=False)
    explainer(X, progress=True)
    assert " of 60 rows in 0 s, " in told(capsys)[0]
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", progress=True)
    lines = told(capsys)
    assert lines and all(line.startswith("explaining: ") for line in lines)
    assert not any("\033" in line or "\r" in line for line in lines)


def test_an_explainer_that_tells_lines_tells_them_about_files_too(soon, capsys, forest, tmp_path):
    explainer, X = forest
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "rows.csv", index=False)
    telling = pw.Explainer(explainer.model, X, feature_names=["a", "b", "c"], progress=True)
    told(capsys)
    telling.explain_file(tmp_path / "rows.csv", tmp_path / "out", progress=False)
    assert told(capsys) == []
    telling.explain_file(tmp_path / "rows.csv", tmp_path / "out.csv")
    assert any(line.startswith("explaining: ") for line in told(capsys))


def test_a_closed_stderr_is_no_error(soon, monkeypatch, forest):
    explainer, X = forest
    monkeypatch.setattr(sys, "stderr", None)
    assert len(explainer(X, progress=True)) == len(X)


def test_a_terminal_has_a_live_line_that_goes(soon, monkeypatch, capsys, forest):
    explainer, X = forest
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with show_progress(3, None) as watch:
        watch(result())
        time.sleep(0.1)
    assert "explaining: 1 of 3 rows" in terminal.getvalue()
    assert terminal.getvalue().endswith(progress.CLEAR) and "\n" not in terminal.getvalue()
    explainer(X[:0])
    explainer(X)
    assert terminal.getvalue().endswith(progress.CLEAR) and capsys.readouterr().out == ""
