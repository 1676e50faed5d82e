"""The widest box that was found, and how it is found: a first box, local search, proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from primewood.engines.protocol import Clock, Grown
from primewood.logic.instance import Box, Point
from primewood.questions.best_problem import Problem
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
    proved : bool
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
    proved: bool
    prime: bool
    entails: bool
    queries: int
    find_witnesses: Callable[[], Mapping[tuple[int, int], Point]]
    history: tuple[Moment, ...] = ()

    @property
    def grown(self) -> Grown:
        """The box as weakening returns it, for witnesses and obstacles."""
        return Grown(self.box, not self.prime, self.queries, self.find_witnesses)


@dataclass(frozen=True)
class Tuning:
    """How a search for the widest box is run.

    Attributes
    ----------
    seed : int
        The same seed gives the same box, unless time is up.
    patience : int
        The local search ends after this many rounds without gain.
    prove : bool
        Whether to bound what any box can cover, when the local search has ended or had three quarters of the time.
    """

    seed: int = 0
    patience: int = PATIENCE
    prove: bool = True


def widest(
    problem: Problem,
    coverage: RowsCovered | ShareCovered,
    *,
    rivals: Rivals | None = None,
    cuts: Cuts | None = None,
    clock: Clock | None = None,
    tuning: Tuning | None = None,
) -> Widest:
    """A prime box around a point that covers as much as can be found, and perhaps the proof that none covers more.

    Anytime: whatever limit comes, the box entails the decision.

    Parameters
    ----------
    problem
        If freeing what is to be avoided is not safe, the answer is the first box, and nothing is claimed about it but
        that it entails the decision.
    coverage
        What to make large; see `coverage_of`.
    rivals
        See `rivals_of`.
    cuts
        What is known from earlier searches for the same decision in the same language; it is added to.

    Notes
    -----
    Cost: a round of local search is a few passes over the values of all variables, with one operation on as many
    bits as there are cuts for each; and, if that promises something wider, a weakening.
    """
    tuning = tuning or Tuning()
    known = cuts or Cuts(problem.oracle, problem.literals, rivals)
    search = Search(known, problem, coverage, clock or Clock(), tuning.seed)
    if search.start():
        search.improve(tuning.patience, share=0.75 if tuning.prove else 1.0)
        if tuning.prove:
            prove_widest(search)
    return Widest(
        box=search.box,
        covered=search.covered,
        upper=search.upper,
        proved=search.proved,
        prime=search.prime,
        entails=search.entails,
        queries=search.queries,
        find_witnesses=partial(_find_witnesses, known, search.box, search.unlearnt),
        history=tuple(search.history),
    )


def _find_witnesses(cuts: Cuts, box: Box, unlearnt: list[Grown]) -> dict[tuple[int, int], Point]:
    """Per excluded value of a box a counterexample, where one is known."""
    while unlearnt:
        cuts.add_witnesses(unlearnt.pop().find_witnesses())
    return cuts.witnesses(box)
