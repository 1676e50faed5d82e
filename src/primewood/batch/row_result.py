"""What comes of explaining one row: small and plain, so that it can be sent between machines and kept by the million.

An explanation carries its model's context; a result is what remains of it without. Where the model is, the explanation
can be made of the result again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.logic.instance import Box
from primewood.questions.explanation import Explanation, Goal, Status


@dataclass(frozen=True, slots=True)
class RowTask:
    """A row to explain.

    Attributes
    ----------
    place : int
        Which row it is, from 0.
    row : array
    label : int
        The decision.
    also : array or None
        The rows that its explanation should cover, too, as far as it can.
    elsewhere : bool
        Whether another model answers, over another domain: the row breaks what is inferred about features.
    """

    place: int
    row: NDArray[np.float64]
    label: int
    also: NDArray[np.float64] | None = None
    elsewhere: bool = False

    def finish(self, why: Explanation, seconds: float) -> RowResult:
        """The result of a row that was explained."""
        box = why.term.box(why.context.variables)
        said = (why.status, box, why.notes, why.queries, why.goal, why.bounds)
        return RowResult(self.place, self.row, self.label, *said, seconds, elsewhere=self.elsewhere)

    def fail(self, error: Exception, seconds: float) -> RowResult:
        """The result of a row whose explaining has failed."""
        return RowResult(
            self.place,
            self.row,
            self.label,
            Status.FAILED,
            seconds=seconds,
            problem=describe_error(error),
            elsewhere=self.elsewhere,
        )


@dataclass(frozen=True, slots=True)
class RowResult:
    """What a row got.

    Attributes
    ----------
    place : int
        Which row it is, from 0.
    row : array
        Empty if it could not be read.
    label : int or None
        The decision; None if the row is none that the model is asked about.
    status : Status
    box : Box or None
        The box of the explanation's term; None if there is none.
    notes, queries, goal, bounds
        As of the explanation.
    seconds : float
        How long it took.
    problem : str
        If it failed: what went wrong.
    source : int or None
        The row that the explanation was found for, if it is taken over.
    elsewhere : bool
        As of the task.
    row_notes : tuple of str
        What is to be noted about the row itself.
    """

    place: int
    row: NDArray[np.float64]
    label: int | None
    status: Status
    box: Box | None = None
    notes: tuple[str, ...] = ()
    queries: int = 0
    goal: Goal = "prime"
    bounds: tuple[float, float] | None = None
    seconds: float = 0.0
    problem: str = ""
    source: int | None = None
    elsewhere: bool = False
    row_notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many values its box allows, over all variables; −1 without a box."""
        return -1 if self.box is None else sum(map(int.bit_count, self.box))


OnResult = Callable[[RowResult], None]
"""What is called with each result."""


def describe_error(problem: BaseException) -> str:
    """What an error says, after its kind.

    >>> describe_error(ValueError("no"))
    'ValueError: no'
    """
    return f"{type(problem).__name__}: {problem}"
