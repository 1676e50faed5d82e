"""All prime implicants from consistency tests alone, by hitting-set duality.

A term is a set of restrictions. The sets that entail the decision are exactly those that hit, for
every point outside the decision, some restriction that excludes the point; the prime terms are the
minimal ones. A SAT solver (the map) proposes sets that nothing known forbids. The oracle either shows a
point that the set lets through, which becomes a clause to hit, or says that the set is safe; then it is
shrunk to a prime, which is reported, and its supersets are forbidden. When the map is empty, all
primes have been reported (Liffiton, Previti, Malik, Marques-Silva, "Fast, flexible MUS enumeration",
Constraints 2016).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pysat.solvers import Solver

from primewood.engines.protocol import Listing, Oracle, Verdict
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language, conflicts, places_around, restrictions

SOLVER = "minisat22"


@dataclass(frozen=True, slots=True)
class _Restriction:
    variable: int
    excludes: int
    requires: tuple[int, ...]


class DualFamily(Listing):
    """The prime boxes of an oracle's decision, found by listing them: counting lists too."""

    def __init__(self, oracle: Oracle, literals: Language, point: Point | None = None) -> None:
        super().__init__(self._list)
        self._oracle, self._literals, self._point = oracle, literals, point

    def _list(self) -> Iterator[Box]:
        oracle, point = self._oracle, self._point
        listed, clauses = _language(oracle, self._literals, point)
        numbers = list(listed)
        with Solver(name=SOLVER, bootstrap_with=clauses) as proposals:
            proposals.set_phases(numbers)
            while proposals.solve():
                chosen = {n for n in proposals.get_model() if n in listed}
                reply = oracle.counterexample(_box(oracle, listed, chosen))
                if reply is Verdict.UNKNOWN:
                    raise InvalidInput("the engine gave up; listing all primes needs one without limits")
                if isinstance(reply, tuple):
                    through = _nearest(oracle, reply, point)
                    proposals.add_clause([n for n in numbers if _excludes(listed[n], through)])
                else:
                    prime = _shrink(oracle, listed, chosen)
                    yield _box(oracle, listed, prime)
                    proposals.add_clause([-n for n in prime])


def _language(
    oracle: Oracle, literals: Language, point: Point | None
) -> tuple[dict[int, _Restriction], list[list[int]]]:
    """The restrictions by number, and the clauses that make sets of them terms of the language."""
    listed: dict[int, _Restriction] = {}
    clauses: list[list[int]] = []
    for j, x in enumerate(oracle.variables):
        first = max(listed, default=0) + 1
        own = restrictions(x, literals)
        for i in places_around(own, point[j] if point else None):
            requires = tuple(first + k for k in own[i].requires)
            listed[first + i] = _Restriction(j, own[i].excludes, requires)
            clauses += [[-(first + i), n] for n in requires]
        for together in conflicts(x, literals):
            if all(first + i in listed for i in together):
                clauses.append([-(first + i) for i in together])
    return listed, clauses


def _box(oracle: Oracle, listed: dict[int, _Restriction], chosen: set[int]) -> Box:
    box = [x.everything for x in oracle.variables]
    for n in chosen:
        box[listed[n].variable] &= ~listed[n].excludes
    return tuple(box)


def _shrink(oracle: Oracle, listed: dict[int, _Restriction], chosen: set[int]) -> set[int]:
    """A minimal safe subset: try to let go of each restriction that no other one requires."""
    needed: set[int] = set()
    kept = set(chosen)
    while True:
        required = {m for n in kept for m in listed[n].requires}
        candidates = [n for n in sorted(kept, reverse=True) if n not in needed and n not in required]
        if not candidates:
            return kept
        fewer = kept - {candidates[0]}
        if oracle.counterexample(_box(oracle, listed, fewer)) is Verdict.NONE_EXISTS:
            kept = fewer
        else:
            needed.add(candidates[0])


def _nearest(oracle: Oracle, outside: Point, point: Point | None) -> Point:
    """Move a point outside the decision towards the instance while it stays outside."""
    if point is None:
        return outside
    moved = list(outside)
    for j, value in enumerate(point):
        previous, moved[j] = moved[j], value
        if oracle.holds(tuple(moved)):
            moved[j] = previous
    return tuple(moved)


def _excludes(restriction: _Restriction, point: Point) -> bool:
    return bool(restriction.excludes >> point[restriction.variable] & 1)
