"""Choosing an engine, and compiling each decision once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

from primewood.domain import Subject
from primewood.engines.protocol import Family, Oracle
from primewood.errors import InvalidInput, TooLarge
from primewood.logic.instance import Point
from primewood.logic.language import Language

if TYPE_CHECKING:
    from primewood.engines.boolean.consistency import SatOracle
    from primewood.engines.boolean.diagram import DiagramOracle, Diagrams

EngineName = Choice["auto", "bdd", "sat"]
AUTO_NODES = 3_000_000


class Engines:
    """The engines of one subject.

    Parameters
    ----------
    subject
        What decides.
    engine
        "bdd" compiles decisions to diagrams (OxiDD), "sat" asks a solver (PySAT). "auto" asks the solver
        for one prime implicant, and compiles for all of them unless the diagram grows too large.
    max_nodes
        The cap on the nodes of diagrams.
    """

    def __init__(self, subject: Subject, engine: EngineName = "auto", max_nodes: int | None = None) -> None:
        if engine not in ("auto", "bdd", "sat"):
            raise InvalidInput(f'engine is "auto", "bdd" or "sat", not {engine!r}')
        if max_nodes is not None and (not isinstance(max_nodes, int) or max_nodes < 1):
            raise InvalidInput(f"max_nodes is a positive number, not {max_nodes!r}")
        self.subject, self.engine = subject, engine
        self._most_nodes = max_nodes or (AUTO_NODES if engine == "auto" else None)
        self._forget()

    def _forget(self) -> None:
        self._diagrams: Diagrams | None = None
        self._compiled: dict[int, DiagramOracle] = {}
        self._solvers: dict[int, SatOracle] = {}
        self._use_diagrams = self.engine != "sat"
        self._compiling = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it compiles for itself."""
        return {"subject": self.subject, "engine": self.engine, "_most_nodes": self._most_nodes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def oracle(self, label: int) -> Oracle:
        """An oracle for "the decision is this label"."""
        return self._diagram(label) if self.engine == "bdd" else self._sat(label)

    def primes(self, label: int, literals: Language, point: Point | None = None) -> Family:
        """The prime implicants of a decision, all or those around a point."""
        if self._use_diagrams:
            try:
                return self._diagram(label).primes(literals, point)
            except TooLarge:
                if self.engine == "bdd":
                    raise
                self._use_diagrams = False
                self._compiled.clear()
                self._diagrams = None
        return self._sat(label).primes(literals, point)

    def _sat(self, label: int) -> SatOracle:
        from primewood.engines.boolean.consistency import SatOracle

        with self._compiling:
            if label not in self._solvers:
                self._solvers[label] = SatOracle(self.subject.formula(label), self.subject.variables)
            return self._solvers[label]

    def _diagram(self, label: int) -> DiagramOracle:
        from primewood.engines.boolean.diagram import Diagrams

        with self._compiling:
            if self._diagrams is None:
                weight = dict(zip(self.subject.variables, self.subject.importance, strict=True))
                order = sorted(self.subject.variables, key=lambda x: -weight[x])
                self._diagrams = Diagrams(self.subject.variables, order, self._most_nodes)
            if label not in self._compiled:
                self._compiled[label] = self._diagrams.oracle(self.subject.formula(label))
            return self._compiled[label]
