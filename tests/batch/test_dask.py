"""Batches on a Dask cluster of two processes: the same answers, and none lost when a worker dies."""

from __future__ import annotations

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.batch.row_explainer import RowExplainer

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

EXACT = {"time_limit": None, "work_limit": 20_000}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    patient = {f"distributed.comm.timeouts.{name}": "120s" for name in ("connect", "tcp")}
    with dask.config.set(patient):  # processes start slowly on a busy machine
        yield from _connected(tmp_path_factory.mktemp("dask"))


def _connected(folder):
    cluster = distributed.LocalCluster(
        processes=True,
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=str(folder),
        silence_logs=50,
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def on_dask(client):
    with joblib.parallel_config(backend="dask"):
        yield client


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return pw.Explainer(RandomForestClassifier(15, random_state=0).fit(X, y), X), X[:120]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return pw.Explainer(RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y), X), X


def test_the_same_as_in_threads(iris, on_dask, monkeypatch):
    """Also what fails; and the explainer is sent to each worker, not with each task."""
    explainer, X = iris
    with joblib.parallel_config(backend="threading"):
        expected = [explainer(X, n_jobs=2, **EXACT, **options) for options in ({}, {"fix": ["x1"]})]
        rows = np.vstack([X[:5], [[np.nan, 1, 1, 1]]])
        streamed = list(explainer.stream(rows, **EXACT))
    sent = []
    monkeypatch.setattr(
        RowExplainer, "__getstate__", lambda self: sent.append(1) or self.__dict__, raising=False
    )
    for batch, options in zip(expected, ({}, {"fix": ["x1"]}), strict=True):
        for n_jobs in (None, 1, 2, -1):
            sent.clear()
            assert explainer(X, n_jobs=n_jobs, **EXACT, **options) == batch
            assert 1 <= len(sent) <= 4, "once per worker or so, not once per task"
    assert [str(why) for why in explainer.stream(rows, **EXACT)] == [str(why) for why in streamed]


def kill_after(client, seconds, count):
    """Kill so many workers when so many seconds are over."""
    pids = list(client.run(os.getpid).values())[:count]
    timer = threading.Timer(seconds, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids])
    timer.start()
    return timer


def test_a_cluster_with_one_core(iris, on_dask, monkeypatch):
    """There joblib runs tasks where they are made, also if the other cores are lost after it was asked."""
    explainer, X = iris
    expected = explainer(X[:9], **EXACT)
    backend = joblib.parallel.get_active_backend()[0]
    asked = []

    def cores(self, n_jobs):
        asked.append(n_jobs)
        return 2 if len(asked) <= 2 else 1

    monkeypatch.setattr(type(backend), "effective_n_jobs", cores)
    assert explainer(X[:9], **EXACT) == expected and len(asked) > 2
    assert explainer(X[:9], **EXACT) == expected


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_workers_that_are_killed(digits, on_dask, count):
    """Their rows are explained again, elsewhere."""
    explainer, rows = digits
    start = time.perf_counter()
    expected = explainer(rows, **EXACT)
    timer = kill_after(on_dask, 0.4 * (time.perf_counter() - start), count)
    batch = explainer(rows, **EXACT)
    timer.join()
    assert batch == expected
    on_dask.wait_for_workers(2, timeout=30)


@pytest.mark.slow
def test_a_stream_that_is_closed_early_leaves_the_cluster_usable(digits, on_dask):
    explainer, rows = digits
    stream = explainer.stream(rows[:20], **EXACT)
    first = next(stream)
    stream.close()
    assert explainer(rows[:1], **EXACT)[0] == first


@pytest.mark.slow
def test_nothing_stays_on_the_cluster(digits, on_dask):
    explainer, rows = digits
    explainer(rows[:20], **EXACT)
    end = time.monotonic() + 20
    while any(on_dask.has_what().values()):
        assert time.monotonic() < end, on_dask.has_what()
        time.sleep(0.1)


def test_a_model_is_read_alike_on_a_cluster(on_dask):
    """Where joblib is told to work in parallel, a forest of scikit-learn may add its scores in another order."""
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(40, max_depth=4, random_state=0)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        model.fit(X, y)
    for _ in range(5):
        assert pw.Explainer(model, X).fidelity.differ == 0
