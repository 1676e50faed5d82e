"""What comes of explaining one row: small and plain, so that it can be sent between machines and kept by the million.

An explanation carries its model's context; an outcome is what remains of it without. Where the model is, the two are
one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.questions.explanation import Explanation, Goal, Status

LEAST_S = 0.001
"""The seconds that a row has when the time of the batch is over."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of explaining a row.

    Attributes
    ----------
    box : Box or None
        The box of the explanation's term; None if there is none.
    status : Status
    notes, queries, goal, bounds
        As of the explanation.
    seconds : float
        How long it took.
    problem : str
        If it failed: what went wrong.
    """

    box: Box | None
    status: Status
    notes: tuple[str, ...] = ()
    queries: int = 0
    goal: Goal = "prime"
    bounds: tuple[float, float] | None = None
    seconds: float = 0.0
    problem: str = ""

    @classmethod
    def failed(cls, problem: BaseException, seconds: float = 0.0) -> Outcome:
        """That explaining a row has failed, and why."""
        return cls(None, Status.FAILED, seconds=seconds, problem=f"{type(problem).__name__}: {problem}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about one row.

    Attributes
    ----------
    row : array
    also : array or None
        The rows that its explanation should cover, too, as far as it can.
    """

    row: NDArray[np.float64]
    also: NDArray[np.float64] | None = None


class Explains(Protocol):
    """Something that explains rows: an `Explainer`."""

    @property
    def explain(self) -> Callable[..., Explanation]:
        """What explains one row."""


def outcomes(
    explainer: Explains, asked: Iterable[Asked], options: Mapping[str, Any], until: float | None
) -> list[Outcome]:
    """What comes of explaining some rows, one after the other; a row that fails is an outcome, too.

    The rows can be read, so what is invalid about them is the options, and raised. `until` is when the time of the
    batch is over, as `time.time` has it.
    """
    found = []
    for one in asked:
        start = time.perf_counter()
        also = {} if one.also is None else {"also": one.also}
        try:
            why = explainer.explain(one.row, **also, **_in_time(options, until))
        except InvalidInput:
            raise
        except Exception as problem:
            found.append(Outcome.failed(problem, time.perf_counter() - start))
            continue
        box = why.term.box(why.context.variables)
        seconds = time.perf_counter() - start
        found.append(Outcome(box, why.status, why.notes, why.queries, why.goal, why.bounds, seconds))
    return found


def _in_time(options: Mapping[str, Any], until: float | None) -> dict[str, Any]:
    if until is None:
        return dict(options)
    left = max(LEAST_S, until - time.time())
    limit = options["time_limit"]
    return {**options, "time_limit": left if limit is None else min(limit, left)}
