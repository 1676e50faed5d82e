"""The result of explaining one row: small and plain, so that millions can be sent between machines and kept.

An explanation contains its model's context, and a result does not. With the model, the explanation can be made again
from the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.domain.mined import UsedRules
from primewood.logic.instance import Box
from primewood.questions.explanation import Explanation, Goal
from primewood.questions.necessity import Necessity
from primewood.questions.status import Status


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
        Other rows that its explanation should cover if possible.
    elsewhere : bool
        Whether another model explains it, over another domain, because the row breaks an inferred assumption.
    """

    place: int
    row: NDArray[np.float64]
    label: int
    also: NDArray[np.float64] | None = None
    elsewhere: bool = False

    def finish(self, why: Explanation, seconds: float) -> RowResult:
        """The result of an explained row."""
        box = why.term.box(why.context.variables)
        said = (why.status, box, why.notes, why.queries, why.goal, why.bounds)
        return RowResult(
            self.place,
            self.row,
            self.label,
            *said,
            seconds,
            elsewhere=self.elsewhere,
            necessity=None if why.known_necessity is None else why.necessity,
            used=why.used,
        )

    def fail(self, error: Exception, seconds: float) -> RowResult:
        """The result of a row that could not be explained."""
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
    """The result of a row.

    Attributes
    ----------
    place : int
        Which row it is, from 0.
    row : array
        Empty if it could not be read.
    label : int or None
        The decision; None if the row is invalid.
    status : Status
    box : Box or None
        The box of the explanation's term; None if there is none.
    notes, queries, goal, bounds
        As in the explanation.
    seconds : float
        How long it took.
    problem : str
        If it failed: what went wrong.
    source : int or None
        The row whose explanation is reused, if it is.
    elsewhere : bool
        As in the task.
    row_notes : tuple of str
        Notes about the row itself.
    necessity : tuple of Necessity or None
        As in the explanation; None if its status says it.
    used : UsedRules or None
        As in the explanation.
    certificate : bytes or None
        The file of its certificate, if one was wanted and there is one.
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
    necessity: tuple[Necessity, ...] | None = None
    used: UsedRules | None = None
    certificate: bytes | None = None

    @property
    def size(self) -> int:
        """The number of values that its box allows, over all variables; −1 without a box."""
        return -1 if self.box is None else sum(map(int.bit_count, self.box))


OnResult = Callable[[RowResult], None]
"""A callback for each result."""


def describe_error(problem: BaseException) -> str:
    """The class and the message of an error.

    >>> describe_error(ValueError("no"))
    'ValueError: no'
    """
    return f"{type(problem).__name__}: {problem}"
