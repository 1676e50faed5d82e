"""How far a batch is: a bar on a terminal, lines now and then elsewhere, and nothing on stdout."""

from __future__ import annotations

import io
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.batch import progress
from primewood.batch.outcome import Outcome
from primewood.batch.progress import Lines
from primewood.batch.run import Result
from primewood.reasons.explanation import Status


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Full(io.StringIO):
    def write(self, _):
        raise OSError(28, "No space left on device")


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def result(status=Status.PROVED):
    return Result(0, np.zeros(1), 0, Outcome(None, status))


def told(capsys):
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


@pytest.fixture(scope="module")
def forest():
    X = np.random.default_rng(0).integers(0, 9, (60, 3)).astype(float)
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, X.sum(axis=1) > 12)
    return pw.Explainer(model, X, feature_names=["a", "b", "c"]), X


# Lines.


def test_a_short_run_has_no_line(capsys):
    clock = Clock()
    lines = Lines(1000, clock)
    for _ in range(999):
        clock.now += 0.01
        lines.watch(result())
    assert told(capsys) == []


def test_lines_come_at_growing_distances(capsys):
    clock = Clock()
    lines, shown = Lines(None, clock), []
    for second in range(1, 601):
        clock.now = 1000.0 + second
        lines.watch(result())
        shown += [second] * len(told(capsys))
    assert shown[:5] == [10, 25, 48, 82, 133]
    gaps = np.diff(shown)
    assert (np.diff(gaps) >= 0).all() and gaps.max() == 60 and shown[-1] > 540


def test_a_line_says_how_far_the_batch_is(capsys):
    clock = Clock()
    lines = Lines(10_000, clock)
    for k in range(1999):
        lines.watch(result(Status.INTERRUPTED if k % 1000 == 3 else Status.PROVED))
    clock.now += 20.0
    lines.watch(result(Status.FAILED))
    words = "2,000 of 10,000 rows in 20 s, 100.0 rows/s, 2 interrupted, 1 failed, 80 s left at this rate"
    assert told(capsys) == [f"explaining: {words}"]


def test_a_number_of_rows_that_is_not_known_is_not_told(capsys):
    clock = Clock()
    lines = Lines(None, clock)
    clock.now += 3 * 3600
    lines.watch(result())
    assert told(capsys) == ["explaining: 1 row in 3.0 h, 0.0 rows/s"]


def test_a_log_that_cannot_be_written_stops_nothing(monkeypatch):
    clock = Clock()
    lines = Lines(5, clock)
    clock.now += 11
    monkeypatch.setattr(sys, "stderr", Full())
    lines.watch(result())


# What is told where.


def test_nothing_is_told_without_a_terminal(monkeypatch, capsys, forest, tmp_path):
    explainer, X = forest
    monkeypatch.setattr(progress, "FIRST", 0.0)
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "rows.csv", index=False)
    explainer(X, n_jobs=2)
    list(explainer.stream(X))
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out")
    explainer(X, progress=False)
    assert told(capsys) == []


def test_lines_are_told_where_they_are_asked_for(monkeypatch, capsys, forest, tmp_path):
    explainer, X = forest
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "rows.csv", index=False)
    explainer(X, progress=True)
    assert told(capsys) == []
    monkeypatch.setattr(progress, "FIRST", 0.0)
    explainer(X, progress=True)
    assert told(capsys)[0].startswith("explaining: 1 of 60 rows in 0 s, ")
    explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", progress=True)
    lines = told(capsys)
    assert lines and all(line.startswith("explaining: ") for line in lines)
    assert not any("\033" in line or "\r" in line for line in lines)


def test_a_closed_stderr_is_no_error(monkeypatch, forest):
    explainer, X = forest
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(progress, "FIRST", 0.0)
    assert len(explainer(X, progress=True)) == len(X)


@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_on_a_terminal_a_bar_appears_after_a_second(monkeypatch, capsys, kind, forest):
    explainer, X = forest
    monkeypatch.setenv("TERM", kind)
    for wanted, patience in ((None, 60.0), (False, 0.0)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(progress, "PATIENCE", patience)
        explainer(X, progress=wanted)
        assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    explainer(X)
    assert "explaining" in terminal.getvalue() or kind == "dumb"
    assert capsys.readouterr().out == ""


def test_a_bar_that_is_asked_for_stays(monkeypatch, capsys, forest):
    explainer, X = forest
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    explainer(X, progress=True)
    assert "explaining" in terminal.getvalue() and "60/60" in terminal.getvalue()
    assert "proved" in terminal.getvalue() and capsys.readouterr().out == ""
    explainer(X[:0], progress=True)
