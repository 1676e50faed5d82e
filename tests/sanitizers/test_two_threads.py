"""Two threads that ask the same explainer at once get what one thread gets; the thread sanitizer watches this."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import primewood as pw

WORK = {"time_limit": None, "work_limit": 300}
WINE, IRIS = load_wine(as_frame=True), load_iris(as_frame=True)


def searched():
    model = GradientBoostingClassifier(n_estimators=8, max_depth=3, random_state=0).fit(
        WINE.data, WINE.target
    )
    return pw.Explainer(model, WINE.data, engine="search")


def compiled():
    model = RandomForestClassifier(4, max_depth=3, random_state=0).fit(IRIS.data, IRIS.target)
    return pw.Explainer(model, IRIS.data, engine="diagram")


QUESTIONS = {
    "batch": (searched, lambda e, i: e(WINE.data[i : i + 6], n_jobs=2, **WORK)),
    "batch that reuses": (searched, lambda e, i: e(WINE.data[i : i + 6], n_jobs=2, reuse=True, **WORK)),
    "counterfactual": (searched, lambda e, i: e.counterfactual(WINE.data.iloc[i], **WORK)),
    "contrast to a target": (
        searched,
        lambda e, i: e.contrast(WINE.data.iloc[i], 2 - WINE.target[i] // 2, **WORK),
    ),
    "pairs of rows": (searched, lambda e, i: e.verify(pw.independent_of(WINE.data.columns[i % 13]), **WORK)),
    "explanations from a diagram": (compiled, lambda e, i: [*islice(e.explanations(IRIS.data.iloc[i]), 5)]),
    "complete reason": (compiled, lambda e, i: e.complete_reason(IRIS.data.iloc[i])),
}


@pytest.fixture
def eager_threads():
    """Python changes from one thread to the other as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("question", QUESTIONS)
def test_two_threads_get_what_one_thread_gets(question):
    make, ask = QUESTIONS[question]
    shared, alone = make(), make()
    places = range(0, 120, 20)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda i: record(ask(shared, i)), places))
    assert together == [record(ask(alone, i)) for i in places]


def record(answer):
    return [x.to_dict() for x in answer] if isinstance(answer, list) else answer.to_dict()


def test_a_thread_never_sees_what_another_has_half_done(monkeypatch):
    """The numbers of training rows that examples take are sorted once; a question comes in the middle of that."""
    _, ask = QUESTIONS["contrast to a target"]
    shared, expected = searched(), record(ask(searched(), 20))
    meanwhile, sort = [], np.lexsort

    with ThreadPoolExecutor(1) as pool:

        def sort_later(keys):
            if not meanwhile:
                meanwhile.append(None)
                meanwhile[0] = pool.submit(lambda: record(ask(shared, 20)))
                wait(meanwhile, timeout=2)
            return sort(keys)

        monkeypatch.setattr(np, "lexsort", sort_later)
        assert record(ask(shared, 20)) == expected
        assert meanwhile[0].result() == expected
