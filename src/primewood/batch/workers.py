"""Sharing rows out among threads, processes or machines, by joblib.

Threads by default: the search releases the interpreter's lock. What `joblib.parallel_config` says goes before that, so
that the same call runs on a Dask cluster. There the explainer is sent to each worker once, and a task holds rows only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any

from primewood.batch.outcome import Asked, Explains, Outcome, outcomes
from primewood.errors import InvalidInput

TASKS_PER_WORKER = 8
"""Into how many tasks per worker rows are divided at least, so that slow rows do not leave the others waiting."""
MOST_ROWS = 32
"""How many rows a task has at most."""
ATTEMPTS = 3
"""How often the explainer is sent to a cluster that has lost it."""


class Workers:
    """Those who explain rows.

    Parameters
    ----------
    explainer
        What explains them.
    n_jobs
        How many work at a time: -1 for one per core, None for what joblib's configuration says, else 1.
    """

    def __init__(self, explainer: Explains, n_jobs: int | None) -> None:
        from joblib import effective_n_jobs
        from joblib.parallel import get_active_backend

        self.n_jobs = n_jobs
        if n_jobs is not None and (not isinstance(n_jobs, int) or n_jobs == 0):
            raise InvalidInput(f"n_jobs is a number of workers, -1 for one per core, or None, not {n_jobs!r}")
        self.count: int = effective_n_jobs(n_jobs)
        self._explainer = explainer
        backend = get_active_backend()[0]
        self._client = getattr(backend, "client", None)
        self._return_as = "generator" if backend.supports_return_generator else "list"
        self._share()

    def _share(self) -> None:
        """Have the explainer where rows are explained; on a cluster, machines may be lost while it is sent."""
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
        self, asked: Sequence[Asked], options: Mapping[str, Any], until: float | None = None
    ) -> Iterator[Outcome]:
        """The outcomes of rows, in their order, as they come.

        If all machines that had the explainer are lost, it is sent again, and the rows that are left are done again.
        """
        done = 0
        for attempt in range(1, ATTEMPTS + 1):
            try:
                for outcome in self._outcomes(asked[done:], options, until):
                    done += 1
                    yield outcome
                return
            except CancelledError:
                if attempt == ATTEMPTS or self._client is None:
                    raise
                self._client.wait_for_workers(1)
                self._share()

    def _outcomes(
        self, asked: Sequence[Asked], options: Mapping[str, Any], until: float | None
    ) -> Iterator[Outcome]:
        from joblib import Parallel, delayed, effective_n_jobs

        if effective_n_jobs(self.n_jobs) == 1:  # also of a cluster that has one core, or one left
            for one in asked:
                yield from outcomes(self._explainer, [one], options, until)
            return
        if not asked:
            return

        size = max(1, min(MOST_ROWS, len(asked) // (TASKS_PER_WORKER * self.count)))
        tasks = (
            delayed(_explain)(self._shared, asked[k : k + size], options, until)
            for k in range(0, len(asked), size)
        )
        for part in Parallel(n_jobs=self.n_jobs, prefer="threads", return_as=self._return_as, batch_size=1)(
            tasks
        ):
            yield from part


def _explain(
    shared: Any, asked: Sequence[Asked], options: Mapping[str, Any], until: float | None
) -> list[Outcome]:
    """What comes of a task. Should it run where it was made, what was sent to the cluster is fetched from there."""
    explainer = shared if hasattr(shared, "explain") else shared.result()
    return outcomes(explainer, asked, options, until)
