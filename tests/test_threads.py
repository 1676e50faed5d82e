"""Several threads for one question: where they are used, and that proved answers do not depend on them."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from every_answer import explainer_of, rows
from primewood.engines.search import joint, oracle
from primewood.errors import InvalidInput

LANGUAGES = ("sets", "intervals", "values")


def forest_at_random(seed):
    """A forest whose votes are close, and its training rows."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(500, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (generator.random(500) < 0.2)
    return RandomForestClassifier(30, max_depth=6, random_state=seed, n_jobs=1).fit(X, y), X


def share_at_once(explainer):
    """Share every search, from its first node on."""
    options = explainer._model.engines.search_forest().native.options
    options.alone, options.patience = 0, 0
    return explainer


@pytest.fixture
def threads_of_runs(monkeypatch):
    """The list to which the threads of each run of the core go."""
    seen = []

    def note(clock):
        budget = native_budget(clock)
        seen.append(budget.threads)
        return budget

    native_budget = oracle.native_budget
    for module in (oracle, joint):
        monkeypatch.setattr(module, "native_budget", note)
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_a_proved_answer_does_not_depend_on_threads(seed):
    model, X = forest_at_random(seed)
    alone, shared = (
        share_at_once(pw.Explainer(model, X, engine="search", threads=threads)) for threads in (1, 3)
    )
    for x in X[:3]:
        for literals in LANGUAGES:
            truth, found = (each.explain(x, literals=literals, time_limit=None) for each in (alone, shared))
            assert found.term == truth.term and found.status == truth.status == pw.Status.PROVED


def test_an_explainer_has_one_thread_unless_it_is_told():
    assert explainer_of().threads == 1
    explainer = explainer_of(threads=np.int64(2))
    assert explainer.threads == 2 and explainer.replace_rows(rows()).threads == 2
    assert pickle.loads(pickle.dumps(explainer)).threads == 2


@pytest.mark.parametrize("threads", [0, -2, 2.0, True, None, "2", 1025, [2]])
def test_what_is_not_a_number_of_threads_is_refused(threads):
    with pytest.raises(InvalidInput, match="threads must be"):
        explainer_of(threads=threads)
    explainer = explainer_of()
    explainer.threads = threads
    with pytest.raises(
        InvalidInput, match="threads must be a whole number from 1 to 1,024, or -1 for one per core"
    ):
        explainer.explain(rows()[0])


QUESTIONS = {
    "explain": lambda e, x: e.explain(x),
    "shortest": lambda e, x: e.explain(x, goal="shortest"),
    "widest": lambda e, x: e.explain(x, goal="widest"),
    "reasons": lambda e, x: next(iter(e.reasons(x))),
    "relevance": lambda e, x: e.relevance(x),
    "attribution": lambda e, x: e.attribution(x),
    "contrast": lambda e, x: e.contrast(x),
    "counterfactual": lambda e, x: e.counterfactual(x),
    "counterfactuals": lambda e, x: e.counterfactuals(x),
    "robustness": lambda e, x: e.robustness(x),
    "check": lambda e, x: e.check(x, ["age"]),
    "adverse action": lambda e, x: e.adverse_action(x, "declined"),
    "rule": lambda e, x: e.verify("age < 30 -> approved"),
    "everywhere": lambda e, x: e.verify(pw.robust_everywhere(0.1)),
    "compare": lambda e, x: e.compare(explainer_of(unit="EUR")),
    "rules": lambda e, x: e.rules(),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_uses_the_threads_of_its_explainer(name, threads_of_runs):
    explainer = explainer_of(engine="search", threads=2)
    x = next(x for x in rows() if explainer.decide(x) == "approved")
    QUESTIONS[name](explainer, x)
    assert 2 in threads_of_runs


def test_one_per_core_is_counted_when_a_question_is_asked(threads_of_runs, monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 3)
    explainer = explainer_of(engine="search", threads=-1)
    explainer.explain(rows()[0])
    assert explainer.threads == -1 and set(threads_of_runs) == {3}


def test_functions_that_make_an_explainer_take_threads(threads_of_runs):
    model, _ = forest_at_random(0)
    pw.verify(model, pw.never(True), time_limit=0.1, engine="search", threads=2)
    assert 2 in threads_of_runs
    threads_of_runs.clear()
    pw.compare(model, forest_at_random(1)[0], time_limit=0.1, engine="search", threads=2)
    assert 2 in threads_of_runs


def test_rows_of_a_batch_have_one_thread_each(threads_of_runs):
    X, plain, explainer = rows()[:6], explainer_of(engine="search"), explainer_of(engine="search", threads=2)
    batch = explainer(X, n_jobs=2)
    assert batch == plain(X)
    assert list(explainer.stream(X)) == list(batch)
    explainer.importance(X)
    assert set(threads_of_runs) == {1}


def test_under_a_work_limit_threads_change_nothing():
    model, X = forest_at_random(0)
    alone, shared = (share_at_once(pw.Explainer(model, X, engine="search", threads=n)) for n in (1, 2))
    for x in X[:3]:
        truth, found = (each.explain(x, time_limit=None, work_limit=20) for each in (alone, shared))
        assert (found.term, found.status, found.queries) == (truth.term, truth.status, truth.queries)


def test_a_saved_explainer_does_not_keep_its_threads(tmp_path):
    explainer = explainer_of(engine="search", threads=2)
    explainer.save(tmp_path / "a.explainer")
    again = pw.load(tmp_path / "a.explainer")
    assert again.threads == 1
    assert again.explain(rows()[0]).term == explainer.explain(rows()[0]).term
