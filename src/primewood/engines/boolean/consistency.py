"""Xplainer's way: entailment by consistency tests on a SAT solver (PySAT, CaDiCaL).

A box entails Γ iff Ψ ∧ ¬Γ_b, with the box's excluded values assumed false, is inconsistent. The
classical one-hot encoding is sound and complete for this purpose (the paper, section 4.3). The clauses
are given to the solver once; each box is a list of assumptions, so what the solver learns stays.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence

from pysat.solvers import Solver

from primewood.encodings import OneHot
from primewood.encodings.clauses import Clausifier
from primewood.engines.duality import DualFamily
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.logic.expression import Expression
from primewood.logic.fold import truth
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable

SOLVER = "cadical195"


class SatOracle:
    """One decision as clauses; each query is one call of the solver."""

    def __init__(self, decision: Expression, variables: Sequence[Variable]) -> None:
        self._variables = tuple(variables)
        self._decision = decision
        encoding = OneHot(self._variables, classical=True)
        clauses = Clausifier(encoding.booleans)
        clauses.require(encoding.psi)
        clauses.require(encoding.encode(~decision))
        self._numbers = [[clauses.number[bit] for bit in encoding.blocks[x]] for x in self._variables]
        self._solver = Solver(name=SOLVER, bootstrap_with=clauses.clauses)
        self._one_at_a_time = threading.Lock()
        weakref.finalize(self, self._solver.delete)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._variables

    def holds(self, point: Point) -> bool:
        """Whether Γ holds at a point. Cost: linear in the expression."""
        return truth(self._decision, self._variables, point)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:  # noqa: ARG002
        """A point of the box at which Γ does not hold. Cost: one call of the solver."""
        excluded = [
            -number
            for mask, numbers in zip(box, self._numbers, strict=True)
            for i, number in enumerate(numbers)
            if not mask >> i & 1
        ]
        with self._one_at_a_time:
            if not self._solver.solve(assumptions=excluded):
                return Verdict.NONE_EXISTS
            model = self._solver.get_model()
        return tuple(
            next(i for i, number in enumerate(numbers) if model[number - 1] > 0) for numbers in self._numbers
        )

    def primes(self, literals: Language, point: Point | None = None) -> DualFamily:
        """The prime boxes of Γ, all or those that contain a point, by hitting-set duality."""
        return DualFamily(self, literals, point)
