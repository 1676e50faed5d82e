"""Runs over many rows: each gets what `explain` gives it, however they are divided, and whatever becomes of others."""

from __future__ import annotations

import gc
import io
import pickle
import threading
import time
import weakref
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from joblib.parallel import ThreadingBackend
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from batch.samples import (
    CASES,
    EXACT,
    IRIS,
    check_witnesses,
    constrained,
    forest,
    lightgbm,
    small_blocks,
)
from primewood.batch.batch import Batch
from primewood.batch.failed import Failed
from primewood.batch.row_explainer import RowExplainer
from primewood.errors import InvalidInput


def counting(monkeypatch, replaced=None):
    """The rows that `explain` is asked about from now on, in the order of asking."""
    asked, own = [], RowExplainer.explain

    def explain(self, x, **options):
        asked.append(tuple(np.asarray(x, dtype=float).tolist()))
        return own(self, x, **options) if replaced is None else replaced(own, self, x, options)

    monkeypatch.setattr(RowExplainer, "explain", explain)
    return asked


# The same answers as one by one.


def told(why):
    return (why, why.queries, why.goal, why.row if not np.isnan(why.row).any() else None)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """An explainer, rows with some twice, options, and what `explain` says about each row."""
    make, options = CASES[request.param]
    explainer, rows = make()
    each = [rows.iloc[k] if isinstance(rows, pd.DataFrame) else rows[k] for k in range(len(rows))]
    singles = [told(explainer.explain(row, **options, **EXACT)) for row in each]
    again = np.random.default_rng(0).integers(0, len(rows), len(rows) + 10)
    shuffled = rows.iloc[again] if isinstance(rows, pd.DataFrame) else rows[again]
    return explainer, shuffled, options, [singles[k] for k in again]


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_the_same_as_one_by_one(case, n_jobs):
    explainer, rows, options, singles = case
    batch = explainer(rows, n_jobs=n_jobs, **options, **EXACT)
    assert [told(why) for why in batch] == singles
    if isinstance(rows, pd.DataFrame):
        assert batch.index.equals(rows.index)
    assert [told(why) for why in explainer.stream(rows, n_jobs=n_jobs, **options, **EXACT)] == singles


def test_an_explainer_that_is_asked_by_two_threads_at_once_from_the_start():
    for _ in range(5):
        explainer, rows = forest()
        batch = explainer(rows, n_jobs=2, **EXACT)
        assert list(batch) == [forest()[0].explain(row, **EXACT) for row in rows[:5]] + list(batch)[5:]


class Whole(ThreadingBackend):
    """A backend that gives nothing before everything is there, as those of other libraries do."""

    supports_return_generator = False


def test_a_backend_without_generators():
    explainer, rows = forest()
    with parallel_config(backend=Whole(), n_jobs=2):
        assert explainer(rows) == explainer(rows, n_jobs=1)


def test_the_decisions_are_those_of_the_library():
    explainer, rows = lightgbm()
    batch = explainer(rows, n_jobs=2)
    assert batch.decisions.tolist() == [["no", "yes"][k] for k in explainer.model.predict(rows)]
    explainer, rows = constrained()
    assert explainer(rows).decisions.tolist() == explainer.model.predict(rows.to_numpy()).tolist()


def test_options_that_can_be_read_once_hold_for_all_rows():
    explainer, rows = forest()
    once = explainer(rows, fix=(name for name in ["sw"]), **EXACT)
    assert list(once) == list(explainer(rows, fix=["sw"], **EXACT))


# Each cell once.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rows_of_one_cell_are_explained_once(monkeypatch, n_jobs):
    explainer, rows = forest()
    cells = {tuple(p) for p in explainer.domain.points(rows).tolist()}
    asked = counting(monkeypatch)
    small_blocks(monkeypatch, 10)
    batch = explainer(np.vstack([rows, rows, rows]), n_jobs=n_jobs, **EXACT)
    assert len(asked) == len(cells) <= len(rows)
    assert [why.row for why in batch] == [tuple(row) for row in np.vstack([rows, rows, rows]).tolist()]


def test_rows_of_one_cell_keep_their_own_numbers():
    explainer, rows = forest()
    near = rows[:1] + np.array([1e-6, 0.0, 0.0, 0.0])
    assert (explainer.domain.points(near) == explainer.domain.points(rows[:1])).all()
    batch = explainer(np.vstack([rows[:1], near]), **EXACT)
    assert batch[1] == explainer.explain(near[0], **EXACT) and batch[1].row != batch[0].row


def test_rows_of_a_model_without_any_test():
    """One cell holds all rows; one that is not allowed does not speak for the others."""
    leaf = pw.Tree.build([0, 1])
    model = pw.Ensemble((leaf,), ("a", "b"), ("no", "yes"))
    explainer = pw.Explainer(model, missing="forbid", literals="sets")
    X = np.array([[np.nan, 1.0], [1.0, 1.0], [2.0, 2.0]])
    assert [str(why.status) for why in explainer.stream(X)] == ["failed", "proved", "proved"]


# Witnesses.


@pytest.mark.parametrize("options", [{}, {"literals": "intervals"}, {"literals": "values"}, {"fix": ["sw"]}])
def test_witnesses_change_the_decision(options):
    explainer, rows = forest()
    decide = lambda row: explainer.model.predict([row])[0]  # noqa: E731
    batch = explainer(rows, n_jobs=2, **options)
    assert sum(check_witnesses(explainer, why, decide) for why in batch) > len(rows)
    for why, row in zip(batch, rows, strict=True):
        single = explainer.explain(row, **options)
        shown = [
            {(w.feature, w.value if options.get("literals") != "values" else None) for w in each.witnesses}
            for each in (why, single)
        ]
        assert shown[0] == shown[1]  # in "values" any value does


@pytest.mark.parametrize("work", [1, 20, 200])
def test_witnesses_of_what_was_interrupted_lie_inside_the_rest_too(work):
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(15, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    batch = explainer(X[:3], time_limit=None, work_limit=work)
    assert "interrupted" in batch.status
    for why in batch:
        check_witnesses(explainer, why, lambda row: model.predict([row])[0])


# Limits.


def test_no_row_has_more_time_than_the_batch_has_left(monkeypatch):
    explainer, rows = forest()
    given = []

    def slow(own, self, x, options):
        given.append((time.monotonic(), options["time_limit"]))
        time.sleep(min(0.05, options["time_limit"]))
        return own(self, x, **{**options, "time_limit": None, "work_limit": 1})

    counting(monkeypatch, slow)
    start = time.monotonic()
    batch = explainer(rows, time_limit=None, batch_limit=0.2)
    for at, limit in given:
        assert at + limit <= start + 0.2 + 0.15 or limit <= 0.002
    assert len(batch) == len(rows) and all(
        why.covers([row]).all() for why, row in zip(batch, rows, strict=True)
    )


def test_what_a_first_try_found_is_kept_when_there_is_no_time_for_another(monkeypatch):
    X, y = load_digits(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(15, random_state=0).fit(X, y), X, literals="sets")
    tries = {}

    def hasty(own, self, x, options):
        work = 20 if options["time_limit"] > 0.02 else 1
        time.sleep(0.08)
        why = own(self, x, **{**options, "time_limit": None, "work_limit": work})
        tries.setdefault(tuple(x.tolist()), []).append(why)
        return why

    counting(monkeypatch, hasty)
    for why in explainer(X[:4], time_limit=2.0, batch_limit=0.25):
        assert len(why.features) == min(len(tried.features) for tried in tries[why.row])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_explanations_after_the_time_of_the_batch_hold_all_the_same(n_jobs):
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(30, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X, literals="sets")
    batch = explainer(X[:40], batch_limit=0.05, n_jobs=n_jobs)
    assert set(batch.status) <= {"proved", "interrupted"} and "interrupted" in batch.status
    assert batch.decisions.tolist() == model.predict(X[:40]).tolist()
    for why, row in zip(batch, X, strict=False):
        assert why.covers([row]).all()
        assert (model.predict(why.sample(50, 0)) == why.decision).all()


def test_rows_that_a_short_try_does_not_suffice_for_get_their_whole_time(monkeypatch):
    explainer, rows = forest()
    limits = []

    def hard(own, self, x, options):
        limits.append((tuple(x.tolist()), options["time_limit"]))
        enough = options["time_limit"] >= 10 or x[0] > 6
        return own(self, x, **{**options, "time_limit": None, "work_limit": None if enough else 1})

    counting(monkeypatch, hard)
    batch = explainer(rows, time_limit=10.0)
    assert batch.summary().statuses == {"proved": len(rows)}
    count = Counter(row for row, _ in limits)
    again = [row for row, limit in limits if limit == 10.0]
    assert again and limits[-len(again) :] == [(row, 10.0) for row in again], "the hardest come last"
    assert all(count[row] == 2 for row in again) and all(row[0] <= 6 for row in again)


def test_a_limit_of_work_is_not_tried_twice(monkeypatch):
    X, y = load_digits(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(15, random_state=0).fit(X, y), X, literals="sets")
    asked = counting(monkeypatch)
    batch = explainer(X[:5], work_limit=20)
    assert "interrupted" in batch.status and max(Counter(asked).values()) == 1


# Rows that fail.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_row_that_fails_is_a_row_with_a_status(monkeypatch, n_jobs):
    explainer, rows = forest()
    expected = explainer(rows, **EXACT)
    cells = [tuple(cell) for cell in explainer.domain.points(rows).tolist()]
    bad = {cells[0], cells[7], cells[24]}

    def failing(own, self, x, options):
        if explainer.domain.point(x) in bad:
            raise RuntimeError("no memory is left for this row")
        return own(self, x, **options)

    counting(monkeypatch, failing)
    batch = explainer(rows, n_jobs=n_jobs, **EXACT)
    failed = [k for k, why in enumerate(batch) if isinstance(why, Failed)]
    assert failed == [k for k, cell in enumerate(cells) if cell in bad] and len(failed) < len(rows)
    for k, why in enumerate(batch):
        if k in failed:
            assert why.status == "failed" and "no memory is left" in why.problem
        else:
            assert why == expected[k]


def test_rows_outside_the_domain_fail_alone_in_a_stream():
    """A row is `Failed` iff `explain` refuses it, and says the same about it."""
    generator = np.random.default_rng(0)
    explainer, frame = constrained()
    rows = frame.to_numpy()[generator.integers(0, len(frame), 60)]
    for row in rows:
        if generator.random() < 0.6:
            row[generator.integers(len(row))] = generator.choice([np.nan, 0.5, -3.0, 0.0, 1.0, 80.0])
    failed = 0
    for row, why in zip(rows, explainer.stream(rows, **EXACT), strict=True):
        try:
            single = explainer.explain(row, **EXACT)
        except InvalidInput as problem:
            assert isinstance(why, Failed) and str(problem) in why.problem
            failed += 1
        else:
            assert why == single
    assert 5 < failed < 55


@pytest.fixture(scope="module")
def with_failed():
    explainer, rows = forest()
    rows = np.vstack([rows[:3], [[np.nan, 1.0, 1.0, 1.0]]])
    return Batch.of(list(explainer.stream(rows)), rows, explainer._model.context)


def test_a_batch_with_failed_rows_is_pickled(with_failed):
    loaded = pickle.loads(pickle.dumps(with_failed))
    assert isinstance(loaded[3], Failed) and loaded[3].problem == with_failed[3].problem
    assert loaded == with_failed and loaded[3] == with_failed[3]


def test_a_batch_with_failed_rows_is_summed_up(with_failed):
    summary = with_failed.summary()
    assert summary.rows == 4 and summary.statuses == {"proved": 3, "failed": 1}
    assert sum(summary.sizes.values()) == 3, "a row without an explanation has none of size 0"
    assert set(summary.decisions) == {0}, "a row that was not decided has no decision"
    assert "failed (1)" in str(with_failed)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frames_of_a_batch_with_failed_rows(with_failed, backend):
    frame = with_failed.to_frame(backend=backend)
    assert frame["status"].to_list() == ["proved"] * 3 + ["failed"]
    assert "missing" in frame["rule"].to_list()[3] and len(frame) == 4
    assert frame["decision"].to_list()[:3] == [0, 0, 0] and pd.isna(frame["decision"].to_list()[3])
    assert len(with_failed[3:].to_frame("literals", backend)) == 0


def test_a_batch_with_failed_rows_is_shown(with_failed):
    from rich.console import Console

    for thing in (with_failed, with_failed[3], with_failed[3:]):
        console = Console(file=io.StringIO(), width=120)
        console.print(thing)
        assert "is missing" in console.file.getvalue()
        assert "is missing" in thing._repr_html_()
    assert "is missing" in str(with_failed[3])


# What is refused at once, not once per row.


@pytest.mark.parametrize(
    "options",
    [
        {"goal": "nicest"},
        {"literals": "words"},
        {"fix": ["nothing"]},
        {"fix": "sl"},
        {"fix": ["sl"], "avoid": ["sl"]},
        {"weights": 3},
        {"within": 3},
        {"time_limit": -1},
        {"work_limit": 0},
        {"batch_limit": 0},
        {"batch_limit": float("nan")},
        {"batch_limit": "long"},
        {"n_jobs": 0},
        {"n_jobs": "two"},
        {"colour": "red"},
    ],
    ids=str,
)
def test_wrong_options_are_refused(options):
    explainer, rows = forest()
    for ask in (explainer, lambda X, **given: list(explainer.stream(X, **given))):
        with pytest.raises(TypeError if "colour" in options else (InvalidInput, pw.errors.UnknownName)):
            ask(rows[:3], **options)


# Streams.


def test_a_stream_is_lazy(monkeypatch):
    explainer, rows = forest()
    small_blocks(monkeypatch, 5)
    asked = counting(monkeypatch)
    stream = explainer.stream(rows)
    assert not asked
    next(stream)
    assert 0 < len(asked) <= 5
    stream.close()
    assert len(asked) <= 5


def test_a_stream_keeps_nothing(monkeypatch):
    explainer, _ = forest()
    small_blocks(monkeypatch, 10)
    alive = []
    for why in explainer.stream(IRIS.data, n_jobs=2):
        alive.append(weakref.ref(why))
        del why
        if len(alive) % 25 == 0:
            gc.collect()
            assert not any(ref() is not None for ref in alive)
    assert len(alive) == 150


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_end_when_a_stream_is_closed(monkeypatch, n_jobs):
    explainer, rows = forest()
    small_blocks(monkeypatch, 5)
    before = threading.active_count()
    stream = explainer.stream(rows, n_jobs=n_jobs, progress=True)
    next(stream)
    stream.close()
    wait_for(lambda: threading.active_count() <= before)


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_stops_everything(monkeypatch, n_jobs):
    """Ctrl-C in the middle of a block: what is under way ends, nothing else begins."""
    import _thread

    explainer, _ = forest()

    def slow(own, self, x, options):
        if len(asked) == 10:
            _thread.interrupt_main()
        time.sleep(0.02)
        return own(self, x, **options)

    before = threading.active_count()
    asked = counting(monkeypatch, slow)
    generator = np.random.default_rng(0)
    rows = np.vstack([IRIS.data + generator.normal(0, 0.3, IRIS.data.shape) for _ in range(6)])
    with pytest.raises(KeyboardInterrupt):
        list(explainer.stream(rows, n_jobs=n_jobs))
    wait_for(lambda: threading.active_count() <= before)
    count = len(asked)
    time.sleep(0.2)
    assert len(asked) == count < 150


# Cost.


@pytest.mark.slow
def test_a_batch_costs_little_more_than_its_rows():
    """Processor time of this process, for rows of some ten milliseconds each."""
    X, y = load_digits(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(30, random_state=0).fit(X, y), X, literals="sets")
    rows = X[:60]
    ratios = []
    for _ in range(3):
        start = time.process_time()
        singles = [explainer.explain(row, **EXACT) for row in rows]
        middle = time.process_time()
        batch = explainer(rows, **EXACT)
        ratios.append((time.process_time() - middle) / (middle - start))
        assert list(batch) == singles
    assert middle - start > 0.01 * len(rows)
    assert min(ratios) < 1.15
