"""The answer so far: who is told, what, and that it changes no answer."""

from __future__ import annotations

import io
import sys
import threading
from itertools import pairwise

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood import progress
from primewood.answers import AnswerSoFar
from primewood.errors import InvalidInput
from primewood.logic.instance import contains


@pytest.fixture(scope="module")
def hard():
    """A forest whose explanations take seconds."""
    X, y = make_classification(600, 80, n_informative=10, flip_y=0.1, class_sep=0.7, random_state=0)
    model = RandomForestClassifier(120, max_features=2, random_state=0).fit(X, y)
    return pw.Explainer(model, X[:50], engine="search"), X


@pytest.fixture(scope="module")
def easy():
    X, y = make_classification(300, 8, n_informative=5, random_state=0)
    model = RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y)
    return pw.Explainer(model, X, engine="search"), X


@pytest.fixture
def eager(monkeypatch):
    """Told at every step, where Python takes the steps."""
    monkeypatch.setattr(progress, "CALLED", 0.0)


def test_the_answer_so_far_guarantees_the_decision(hard):
    explainer, X = hard
    told = []
    why = explainer.explain(X[0], time_limit=0.6, progress=told.append)
    assert why.status is pw.Status.INTERRUPTED and told
    for answer in told:
        assert isinstance(answer, AnswerSoFar) and answer.explanation.status is pw.Status.INTERRUPTED
        assert answer.explanation.decision == why.decision and answer.explanation.covers(X[:1]).all()
        assert 0 <= answer.done <= answer.total == 160 and 0.1 < answer.seconds < 5
        rows = answer.explanation.sample(200, seed=0)
        assert set(explainer.model.predict(rows)) == {why.decision}
        assert str(answer).startswith(f"step {answer.done + 1} of 160, {answer.seconds:.1f} s: IF ")
        assert "excluded values are shown necessary" in str(answer.explanation)
    for one, other in pairwise(told):
        assert one.seconds < other.seconds and one.nodes <= other.nodes and one.done <= other.done


def test_an_error_of_the_function_stops_the_search(hard):
    explainer, X = hard

    class Enough(Exception):
        pass

    def stop(answer):
        raise Enough(answer.place)

    with pytest.raises(Enough, match=r"step \d+ of 160"):
        explainer.explain(X[0], time_limit=None, progress=stop)
    assert explainer.explain(X[0], time_limit=None, work_limit=5).status is pw.Status.INTERRUPTED


def test_being_told_changes_no_answer(hard):
    explainer, X = hard
    limits = {"time_limit": None, "work_limit": 10_000}
    told = []
    with_function = explainer.explain(X[1], **limits, progress=told.append)
    assert told and with_function == explainer.explain(X[1], **limits)


def test_threads_are_told_about_their_own_answers(hard):
    explainer, X = hard
    told = {}

    def ask(i):
        mine = told[i] = []
        explainer.explain(
            X[i], time_limit=0.6, progress=lambda answer: mine.append((answer, threading.get_ident()))
        )

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, thread in enumerate(threads):
        assert told[i] and {ident for _, ident in told[i]} == {thread.ident}
        assert all(answer.explanation.row == tuple(X[i]) for answer, _ in told[i])


def test_other_engines_tell_too(eager):
    variables = [pw.Variable(name, [1, 2, 3]) for name in "ABC"]
    delta = pw.parse("(A=1 & B!=2) | C=3", variables)
    told = []
    why = pw.Explainer(delta, engine="sat").explain({"A": 1, "B": 1, "C": 3}, progress=told.append)
    assert why.status is pw.Status.PROVED and [x.done for x in told] == list(range(told[0].total))
    boxes = [x.explanation.term.box(variables) for x in told]
    assert all(a & ~b == 0 for one, other in pairwise(boxes) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("goal", ["shortest", "widest"])
def test_a_search_for_the_best_tells_its_bounds(easy, eager, goal):
    explainer, X = easy
    told = []
    best = explainer.explain(X[0], goal=goal, time_limit=1, progress=told.append)
    assert len(told) > 3
    point = explainer._model.ask(X[0]).point
    for answer in told:
        why = answer.explanation
        assert why.status is pw.Status.INTERRUPTED and why.goal == goal
        assert why.bounds[0] <= best.bounds[1] and why.bounds[1] >= best.bounds[0]
        assert answer.total == 0 and answer.place.startswith("bounds ")
        assert contains(why.term.box(why.context.variables), point)
    rows = told[-1].explanation.sample(50, seed=0)
    assert set(explainer.model.predict(rows)) == {best.decision}


def test_the_first_box_of_a_widest_one_is_told_too(hard):
    explainer, X = hard
    told = []
    explainer.explain(X[0], goal="widest", time_limit=0.5, progress=told.append)
    assert told and all(answer.explanation.bounds[1] == float("inf") for answer in told)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_the_step_and_a_function_is_told_alone(hard, monkeypatch):
    explainer, X = hard
    for name, seconds in (("PATIENCE", 0.3), ("LIVE", 0.05)):
        monkeypatch.setattr(progress, name, seconds)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    explainer.explain(X[0], time_limit=0.6)
    assert (
        "searching: step " in sys.stderr.getvalue() and "of 160, 0 s; Ctrl-C stops" in sys.stderr.getvalue()
    )
    monkeypatch.setattr(sys, "stderr", Terminal())
    explainer.explain(X[0], time_limit=0.4, progress=lambda answer: None)
    assert sys.stderr.getvalue() == ""


def test_a_function_is_for_one_row(hard):
    explainer, X = hard
    with pytest.raises(InvalidInput, match="True or False here; a function is for explain"):
        explainer(X[:2], progress=print)
    with pytest.raises(InvalidInput, match="progress must be True, False or, for explain, a function, not 5"):
        explainer.explain(X[0], progress=5)
