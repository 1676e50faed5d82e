"""The widest box that was found, and how it is found: a first box, local search, proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from primewood.engines.protocol import Clock, Grown, Oracle
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.questions.history import Moment
from primewood.questions.widest.cuts import Cuts, Rivals
from primewood.questions.widest.measures import RowsCovered, ShareCovered
from primewood.questions.widest.proof import prove_widest
from primewood.questions.widest.search import Search

PATIENCE = 400
"""Rounds of local search without gain before it ends."""


@dataclass(frozen=True, slots=True)
class Widest:
    """The widest box that was found.

    Attributes
    ----------
    box : Box
    covered : float
        What it covers: a number of rows, or a share.
    upper : float or None
        No prime box around the instance covers more; None if nothing is proved.
    complete : bool
        Whether it is proved that none covers more. (Of shares: none by more than a millionth of itself.)
    prime : bool
        Whether the box is proved prime.
    entails : bool
        Whether the box entails the decision. False only where not even the instance's own cell does, because rounding
        decides there and scores may be added in any order.
    queries : int
        How often the engine was asked.
    find_witnesses : callable
        As in `Grown`.
    history : tuple of Moment
        How `covered` and `upper` (infinite for None) drew together.
    """

    box: Box
    covered: float
    upper: float | None
    complete: bool
    prime: bool
    entails: bool
    queries: int
    find_witnesses: Callable[[], Mapping[tuple[int, int], Point]]
    history: tuple[Moment, ...] = ()

    @property
    def grown(self) -> Grown:
        """The box as weakening returns it, for witnesses and obstacles."""
        return Grown(self.box, self.prime, self.queries, self.find_witnesses)


def widest(
    oracle: Oracle,
    point: Point,
    order: Sequence[int],
    literals: Language,
    coverage: RowsCovered | ShareCovered,
    *,
    fixed: frozenset[int] = frozenset(),
    avoided: frozenset[int] = frozenset(),
    rivals: Rivals | None = None,
    cuts: Cuts | None = None,
    clock: Clock | None = None,
    seed: int = 0,
    patience: int = PATIENCE,
    prove: bool = True,
) -> Widest:
    """A prime box around a point that covers as much as can be found, and perhaps the proof that none covers more.

    Anytime: whatever limit comes, the box entails the decision. The same seed gives the same box, unless time is up.

    Parameters
    ----------
    oracle
        Answers about the decision, which must be the one at `point`.
    order
        The variables in the order in which the first box lets go of them.
    coverage
        What to make large; see `coverage_of`.
    fixed, avoided
        The variables that keep the instance's value, and those that must be free. If freeing them is
        not safe, the answer is the first box, and nothing is claimed about it but that it entails the decision.
    rivals
        See `rivals_of`.
    cuts
        What is known from earlier searches for the same decision in the same language; it is added to.
    patience
        The local search ends after so many rounds without gain.
    prove
        Whether to bound what any box can cover, when the local search has ended or had three quarters of the time.

    Notes
    -----
    Cost: a round of local search is a few passes over the values of all variables, with one operation on as many
    bits as there are cuts for each; and, if that promises something wider, a weakening.
    """
    search = Search(
        cuts or Cuts(oracle, literals, rivals), point, coverage, fixed, avoided, clock or Clock(), seed
    )
    if search.start(order):
        search.improve(patience, share=0.75 if prove else 1.0)
        if prove:
            prove_widest(search)
    box, known = search.box, search.cuts
    return Widest(
        box=box,
        covered=search.covered,
        upper=search.upper,
        complete=search.complete,
        prime=search.prime,
        entails=search.entails,
        queries=search.queries,
        find_witnesses=lambda: known.witnesses(box),
        history=tuple(search.history),
    )
