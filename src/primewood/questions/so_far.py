"""The answer so far, while an explanation is searched for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from primewood.engines.protocol import Clock, Growth, GrowthWatcher
from primewood.logic.instance import Box
from primewood.progress import find_shown
from primewood.questions.explanation import Explanation, Goal
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.history import BoundsWatcher
from primewood.questions.status import Status
from primewood.render.brief import brief
from primewood.visible import Readable


@dataclass(frozen=True, slots=True)
class AnswerSoFar(Readable):
    """An explanation that is still searched for, and how far the search is.

    Attributes
    ----------
    explanation : Explanation
        It guarantees the decision already. Its status is `interrupted`.
    seconds : float
        The time since the question was asked.
    done, total : int
        How many steps are done, of how many: a step drops or widens a condition if the decision stays. Both are 0
        for "shortest" and "widest"; how near these are is in the explanation's `bounds`.
    nodes : int
        The nodes of the search so far; 0 where they are not counted.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> answer = AnswerSoFar(explainer.explain(X[50]), seconds=0.41, done=3, total=8, nodes=120)
    >>> print(answer)
    step 4 of 8, 0.4 s: IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
    """

    explanation: Explanation
    seconds: float
    done: int = 0
    total: int = 0
    nodes: int = 0

    @property
    def place(self) -> str:
        """How far the search is, in words."""
        if self.total:
            return f"step {min(self.done + 1, self.total)} of {self.total}"
        low, high = self.explanation.bounds or (0.0, 0.0)
        return f"bounds {low:.6g} to {high:.6g}"

    def __str__(self) -> str:
        return f"{self.place}, {self.seconds:.1f} s: {brief(self.explanation.rule)}"


AnswerWatcher = Callable[[AnswerSoFar], None]
"""Is called a few times a second with the answer so far."""


def choose_watcher(progress: bool | AnswerWatcher | None) -> AnswerWatcher | None:
    """Who is told about the answer so far: the function that was passed, or the line that is shown, if there is one."""
    if callable(progress):
        return progress
    shown = find_shown()
    return None if shown is None else lambda answer: shown.add(answer.place)


def watch_growth(watcher: AnswerWatcher, maker: ExplanationMaker, clock: Clock) -> GrowthWatcher:
    """Tell about the steps of a weakening."""

    def watch(growth: Growth) -> None:
        why = maker.explain_grown(growth.found)
        watcher(AnswerSoFar(why, clock.passed(), growth.done, growth.total, growth.nodes))

    return watch


def watch_bounds(watcher: AnswerWatcher, maker: ExplanationMaker, clock: Clock, goal: Goal) -> BoundsWatcher:
    """Tell about the bounds of a search for the best explanation."""

    def watch(box: Box, bounds: tuple[float, float]) -> None:
        why = replace(maker.explain(box), status=Status.INTERRUPTED, goal=goal, bounds=bounds)
        watcher(AnswerSoFar(why, clock.passed()))

    return watch
