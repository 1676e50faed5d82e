"""What a best explanation is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primewood.engines.protocol import Oracle, Step
from primewood.logic.instance import Point
from primewood.logic.language import Language
from primewood.questions.history import BoundsWatcher


@dataclass(frozen=True)
class Problem:
    """A decision around an instance, and what its explanations may say.

    Attributes
    ----------
    oracle : Oracle
        Answers about the decision, which must hold at `point`.
    point : Point
        The instance's cell.
    order : sequence of int
        The variables in the order in which to drop them, as `primewood.domain.default_order` gives it.
    literals : str
        The language in which a box is to be prime.
    fixed : frozenset of int
        The variables that keep the instance's value for free; the box is prime given them.
    avoided : frozenset of int
        The variables that may not be mentioned. To allow only some, avoid the others.
    wanted : sequence of Step
        What a wide box should let in, if possible, the most wanted first.
    watcher : callable, optional
        Is told a few times a second how far the search is.
    """

    oracle: Oracle
    point: Point
    order: Sequence[int]
    literals: Language = "values"
    fixed: frozenset[int] = frozenset()
    avoided: frozenset[int] = frozenset()
    wanted: Sequence[Step] = ()
    watcher: BoundsWatcher | None = None
