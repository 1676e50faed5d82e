"""Divide rows among threads, processes or machines, with joblib.

Threads are the default, because the search releases the interpreter's lock. `joblib.parallel_config` overrides this, so
that the same call runs on a Dask cluster. There the explainer is sent to each worker once, and a task has only rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

from primewood.batch.row_explainer import RowExplainer, limit_seconds
from primewood.batch.row_result import RowResult, RowTask
from primewood.errors import InvalidInput

TASKS_PER_WORKER = 8
"""The fewest tasks per worker, so that other workers do not wait for slow rows."""
MOST_ROWS = 32
"""The most rows of a task."""
ATTEMPTS = 3
"""How often the explainer is sent again to a cluster that has lost it."""


class Workers:
    """Worker pool that explains rows.

    Parameters
    ----------
    explainer
        The object that explains rows.
    n_jobs
        How many work at a time: -1 for one per core, None for what joblib's configuration says, else 1.
    """

    def __init__(self, explainer: RowExplainer, n_jobs: int | None) -> None:
        from joblib import effective_n_jobs
        from joblib.parallel import get_active_backend

        self.n_jobs = n_jobs
        if n_jobs is not None and (not isinstance(n_jobs, int) or n_jobs == 0):
            raise InvalidInput(
                f"n_jobs must be a number of workers, -1 for one per core, or None, not {n_jobs!r}"
            )
        self.count: int = effective_n_jobs(n_jobs)
        self._explainer = explainer
        backend = get_active_backend()[0]
        self._client = getattr(backend, "client", None)
        self._return_as = "generator" if backend.supports_return_generator else "list"
        self._share()

    def _share(self) -> None:
        """Send the explainer to where rows are explained; on a cluster, machines may be lost meanwhile."""
        self._shared: Any = self._explainer
        if self._client is None:
            return
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._shared = self._client.scatter(self._explainer, broadcast=True, hash=False)
                return
            except OSError:
                if attempt == ATTEMPTS:
                    raise
                self._client.wait_for_workers(1)

    def explain(
        self, tasks: Sequence[RowTask], options: Mapping[str, Any], until: float | None = None
    ) -> Iterator[RowResult]:
        """The results of rows, in their order, as they come.

        If all machines that had the explainer are lost, it is sent again, and the remaining rows are explained again.
        """
        done = 0
        for attempt in range(1, ATTEMPTS + 1):
            try:
                for result in self._results(tasks[done:], options, until):
                    done += 1
                    yield result
                return
            except CancelledError:
                if attempt == ATTEMPTS or self._client is None:
                    raise
                self._client.wait_for_workers(1)
                self._share()

    def _results(
        self, tasks: Sequence[RowTask], options: Mapping[str, Any], until: float | None
    ) -> Iterator[RowResult]:
        from joblib import Parallel, delayed, effective_n_jobs

        if effective_n_jobs(self.n_jobs) == 1:  # also of a cluster that has one core, or one left
            for task in tasks:
                yield _explain_row(self._explainer, task, options, until)
            return
        if not tasks:
            return

        size = max(1, min(MOST_ROWS, len(tasks) // (TASKS_PER_WORKER * self.count)))
        calls = (
            delayed(_explain_rows)(self._shared, tasks[k : k + size], options, until)
            for k in range(0, len(tasks), size)
        )
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as=self._return_as, batch_size=1)
        for part in parallel(calls):
            yield from part


def _explain_rows(
    shared: Any, tasks: Sequence[RowTask], options: Mapping[str, Any], until: float | None
) -> list[RowResult]:
    """The results of some rows. Should it run where it was made, what was sent to the cluster is fetched from there."""
    explainer = shared if hasattr(shared, "explain") else shared.result()
    return [_explain_row(explainer, task, options, until) for task in tasks]


def _explain_row(
    explainer: RowExplainer, task: RowTask, options: Mapping[str, Any], until: float | None
) -> RowResult:
    """The result of a row; a row that fails also has a result.

    The row can be read, so what is invalid about it is the options, and raised. `until` is when the time of the batch
    is over, as `time.time` has it.
    """
    start = time.perf_counter()
    wanted = {**options, "time_limit": limit_seconds(options["time_limit"], until)}
    wanted |= {} if task.also is None else {"also": task.also}
    try:
        why = explainer.explain(task.row, **wanted)
        certificate, reason = explainer.certify(why, until)
    except InvalidInput:
        raise
    except Exception as error:
        return task.fail(error, time.perf_counter() - start)
    result = task.finish(why, time.perf_counter() - start)
    notes = (*result.notes, reason) if reason else result.notes
    return replace(result, certificate=certificate, notes=notes)
