"""Progress: nothing for a second, then a live line on a terminal or in a notebook, lines elsewhere, never on stdout."""

from __future__ import annotations

import io
import itertools
import sys
import threading
import time
import types
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood import progress
from primewood.cli import output
from primewood.model.model import TreeModel
from primewood.progress import CLEAR, Progress, say
from primewood.properties import compiled


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def quick(monkeypatch):
    for name, seconds in (("PATIENCE", 0.05), ("LIVE", 0.02), ("LOGGED", 0.1)):
        monkeypatch.setattr(progress, name, seconds)
    monkeypatch.setenv("TERM", "xterm")


def watched(monkeypatch, stream, seconds, wanted=None):
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("searching", wanted) as told:
        time.sleep(seconds / 2)
        told.say("row 2 of 3")
        time.sleep(seconds / 2)
    return stream.getvalue()


def test_what_is_quick_is_not_talked_about(monkeypatch):
    for wanted in (None, True):
        assert watched(monkeypatch, io.StringIO(), 0, wanted) == ""
        assert watched(monkeypatch, Terminal(), 0, wanted) == ""


def test_nothing_appears_before_a_second_and_something_after(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    assert progress.PATIENCE == 1.0
    with Progress("searching"):
        time.sleep(0.8)
        assert stream.getvalue() == ""
        time.sleep(0.9)
        assert stream.getvalue().startswith(f"{CLEAR}searching, 1 s; Ctrl-C stops")
    assert stream.getvalue().endswith(CLEAR)


def test_what_is_not_wanted_is_not_shown(quick, monkeypatch):
    assert watched(monkeypatch, Terminal(), 0.2, wanted=False) == ""
    assert watched(monkeypatch, io.StringIO(), 0.2) == ""


def test_a_terminal_has_a_live_line_that_goes(quick, monkeypatch):
    shown = watched(monkeypatch, Terminal(), 0.4)
    first, *_, last, nothing = shown.split(CLEAR)[1:]
    assert first.startswith("searching, 0 s; Ctrl-C stops") and last.startswith("row 2 of 3, ")
    assert nothing == "" and "\n" not in shown


def test_elsewhere_there_is_a_line_now_and_then(quick, monkeypatch):
    shown = watched(monkeypatch, io.StringIO(), 0.5, wanted=True)
    assert "\033" not in shown and "\r" not in shown
    lines = shown.splitlines()
    assert 2 <= len(lines) <= 6 and lines[0] == "searching, 0 s; Ctrl-C stops"
    assert lines[-1].startswith("row 2 of 3")


def test_a_terminal_that_knows_no_codes_gets_lines(quick, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert "\033" not in watched(monkeypatch, Terminal(), 0.2)


def test_a_live_line_is_cut_to_the_terminal(quick, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    shown = watched(monkeypatch, Terminal(), 0.2)
    assert {len(line) for line in shown.split(CLEAR)[1:-1]} == {19}


def test_data_is_written_when_the_line_is_out_of_the_way(quick, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", stream)

    def slowly():
        for i in range(3):
            time.sleep(0.12)
            yield f"thing {i}"

    output.write_all(slowly(), "things", output.write_line)
    shown = stream.getvalue()
    for i in range(3):
        before = shown[: shown.index(f"thing {i}\n")]
        assert before.endswith(CLEAR)
    assert "2 things, 0 s" in shown


def test_an_interrupted_list_says_how_much_there_is(capsys):
    def broken():
        yield "one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output.write_all(broken(), "things", output.write_line)
    told = capsys.readouterr()
    assert told.out == "one\n" and told.err == "stopped after 1 things\n"


def test_a_closed_stderr_is_no_error(quick, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("searching", True) as told:
        time.sleep(0.2)
    assert not told.is_shown


def test_a_full_disk_stops_nothing(quick, monkeypatch):
    class Full(io.StringIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    with Progress("searching", True) as told:
        time.sleep(0.2)
    assert told.is_shown


def test_lines_come_at_growing_distances(monkeypatch):
    for name, seconds in (("PATIENCE", 0.05), ("LOGGED", 0.1), ("WIDEST", 0.3)):
        monkeypatch.setattr(progress, name, seconds)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(lambda seconds: f"{seconds:.4f}", True):
        time.sleep(1.5)
    times = [float(line) for line in stream.getvalue().splitlines()]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert 3 <= len(times) <= 9 and gaps[0] < 2.5 * gaps[1] and gaps[0] >= 0.1 and min(gaps[2:]) >= 0.22


def test_ctrl_c_takes_the_line_away(quick, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(KeyboardInterrupt), Progress("searching"):
        time.sleep(0.2)
        raise KeyboardInterrupt
    assert "searching" in stream.getvalue() and stream.getvalue().endswith(CLEAR)
    assert not [t for t in threading.enumerate() if t.name == "primewood progress"]
    assert "row 2 of 3" in watched(monkeypatch, Terminal(), 0.3)


def test_only_the_outermost_is_shown_and_inner_work_names_its_stages(quick, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    elsewhere = threading.Thread(target=lambda: say("another thread"))
    with Progress("outer"):
        with Progress("inner") as inner:
            time.sleep(0.2)
            assert not inner.is_shown
        elsewhere.start()
        elsewhere.join()
        time.sleep(0.1)
        say("a stage")
        time.sleep(0.2)
    assert "outer" in stream.getvalue() and "a stage" in stream.getvalue()
    assert "inner" not in stream.getvalue() and "another thread" not in stream.getvalue()
    say("nobody")


# In a notebook.


class Shown:
    """What a front end shows below a cell."""

    def __init__(self):
        self.states = []

    def display(self, data, *, raw, display_id):
        assert raw and display_id
        self.states.append(data["text/plain"])
        return self

    def update(self, data, *, raw):
        assert raw
        self.states.append(data["text/plain"])


@pytest.fixture
def notebook(monkeypatch):
    shown = Shown()
    shell = types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: shell
    module.display = types.ModuleType("IPython.display")
    module.display.display = shown.display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", module.display)
    return shown


def test_a_notebook_has_a_line_that_goes(quick, notebook, capsys):
    with Progress("searching") as told:
        time.sleep(0.2)
        told.say("row 2 of 3")
        time.sleep(0.2)
    assert notebook.states[0] == "searching, 0 s" and notebook.states[-2].startswith("row 2 of 3")
    assert notebook.states[-1] == ""
    assert capsys.readouterr() == ("", "")


def test_a_notebook_is_quiet_about_what_is_quick(notebook):
    with Progress("searching"):
        pass
    assert notebook.states == []


# What the library shows.


@pytest.fixture(scope="module")
def forest():
    X = np.random.default_rng(0).normal(size=(300, 8))
    return RandomForestClassifier(20, random_state=0).fit(X, X.sum(axis=1) > 0), X


@pytest.fixture
def terminal_at_once(monkeypatch):
    """Gives a terminal on which everything is shown as soon as it changes; pytest has its own stderr until the call."""
    for name in ("PATIENCE", "LIVE"):
        monkeypatch.setattr(progress, name, 0.0005)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")

    def start():
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return start


def test_making_an_explainer_names_its_stages(terminal_at_once, forest, capsys):
    at_once = terminal_at_once()
    model, X = forest
    pw.Explainer(model, X)
    shown = at_once.getvalue()
    assert "comparing with the model on 1,300 rows" in shown and shown.endswith(CLEAR)
    assert capsys.readouterr().out == ""


def slow_to_look(why):
    def find(wanted, clock):
        time.sleep(0.1)
        return why.find_witnesses(wanted, clock)

    return replace(why, find_witnesses=find)


QUESTIONS = {
    "searching": lambda explainer, X: explainer.explain(X[0], time_limit=0.2),
    "verifying": lambda explainer, X: explainer.verify("x0 > 100 -> True", time_limit=0.2),
    "comparing": lambda explainer, X: explainer.compare(explainer, time_limit=0.2),
    "growing rules": lambda explainer, X: explainer.rules(most_rules=1, time_limit=0.2),
    "reporting": lambda explainer, X: explainer.report(explain=1, sample=2, time_limit=0.2),
    "explaining": lambda explainer, X: explainer(X[:3], time_limit=0.2),
    "looking for rows just outside": lambda explainer, X: (
        slow_to_look(explainer.explain(X[0], time_limit=0.2)).exclusions
    ),
}


@pytest.mark.parametrize("doing", QUESTIONS)
def test_a_long_question_says_what_it_does(terminal_at_once, forest, doing, capsys, monkeypatch):
    real = TreeModel.check_decides
    monkeypatch.setattr(TreeModel, "check_decides", lambda self: (time.sleep(0.05), real(self)))
    at_once = terminal_at_once()
    model, X = forest
    explainer = pw.Explainer(model, X, progress=False)
    assert at_once.getvalue() == ""
    explainer.progress = None
    QUESTIONS[doing](explainer, X)
    assert doing in at_once.getvalue() and at_once.getvalue().endswith(CLEAR)
    assert capsys.readouterr().out == ""


def test_compiling_says_how_far_it_is(terminal_at_once, capsys):
    at_once = terminal_at_once()
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(30, max_depth=4, random_state=0).fit(X, y)
    pw.compile(model, X)
    assert "compiling" in at_once.getvalue()
    with Progress("compiling"):
        compiled._say_stage("decision", 12_345, 3)
        time.sleep(0.1)
    assert "compiling: going down the levels, 12,345 nodes, 3 parts left, 0 s" in at_once.getvalue()
    assert capsys.readouterr().out == ""


def test_an_explainer_that_is_told_to_be_quiet_is(terminal_at_once, forest):
    at_once = terminal_at_once()
    model, X = forest
    explainer = pw.Explainer(model, X, progress=False)
    explainer.verify("x0 > 100 -> True", time_limit=0.2)
    explainer.explain(X[0], time_limit=0.2)
    explainer(X[:2], time_limit=0.1)
    assert at_once.getvalue() == ""
    explainer.verify(pw.monotone("x0", "increasing"), time_limit=0.2, progress=True)
    assert "verifying" in at_once.getvalue()
