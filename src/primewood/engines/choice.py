"""Choosing an engine, and compiling each decision once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, get_args
from typing import Literal as Choice

from primewood.domain import EnsembleSubject, Subject
from primewood.engines.protocol import Family, Oracle
from primewood.errors import InvalidInput, TooLarge, listing
from primewood.logic.instance import Point
from primewood.logic.language import Language

if TYPE_CHECKING:
    from primewood.engines.boolean.consistency import SatOracle
    from primewood.engines.boolean.diagram import DiagramOracle, Diagrams
    from primewood.engines.search.oracle import SearchForest, SearchOracle

EngineName = Choice["auto", "bdd", "sat", "search"]
AUTO_NODES = 3_000_000


class Engines:
    """The engines of one subject.

    Parameters
    ----------
    subject
        What decides.
    engine
        "search" asks the branch and bound on the trees (models only), "bdd" compiles decisions to diagrams
        (OxiDD), "sat" asks a solver (PySAT). "auto" searches for one prime implicant of a model, and
        compiles for all of them if the vote is a majority, unless the diagram grows too large.
    max_nodes
        The cap on the nodes of diagrams.
    any_order
        Whether a decision must hold for every order in which scores may be summed.
    """

    def __init__(
        self,
        subject: Subject,
        engine: EngineName = "auto",
        max_nodes: int | None = None,
        *,
        any_order: bool = False,
    ) -> None:
        if engine not in get_args(EngineName):
            raise InvalidInput(f"engine is one of {listing(get_args(EngineName))}, not {engine!r}")
        if engine == "search" and not isinstance(subject, EnsembleSubject):
            raise InvalidInput('engine="search" is for models; an expression takes "bdd" or "sat"')
        if max_nodes is not None and (not isinstance(max_nodes, int) or max_nodes < 1):
            raise InvalidInput(f"max_nodes is a positive number, not {max_nodes!r}")
        self.subject, self.engine, self.any_order = subject, engine, any_order
        self._most_nodes = max_nodes or (AUTO_NODES if engine == "auto" else None)
        self._forget()

    def _forget(self) -> None:
        self._diagrams: Diagrams | None = None
        self._compiled: dict[int, DiagramOracle] = {}
        self._solvers: dict[int, SatOracle] = {}
        self._forest: SearchForest | None = None
        self._use_diagrams = self.engine in ("auto", "bdd") and not self._searches_only
        self._compiling = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it compiles for itself."""
        kept = ("subject", "engine", "any_order", "_most_nodes")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def decide(self, point: Point) -> int:
        """The decision at a point, as a place in the subject's labels."""
        if isinstance(self.subject, EnsembleSubject) and self.engine in ("auto", "search"):
            return self._searching().decide(point)
        return self.subject.decide(point)

    def oracle(self, label: int) -> Oracle:
        """An oracle for "the decision is this label"."""
        if self.engine == "bdd":
            return self._diagram(label)
        if self.engine == "sat" or not isinstance(self.subject, EnsembleSubject):
            return self._sat(label)
        return self._search(label)

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
        if self.engine == "search" or self._searches_only:
            return self._search(label).primes(literals, point)
        return self._sat(label).primes(literals, point)

    @property
    def _searches_only(self) -> bool:
        """Whether the vote is one that only the search engine can take."""
        subject = self.subject
        return (
            self.engine == "auto" and isinstance(subject, EnsembleSubject) and not subject.ensemble.is_plain
        )

    def _search(self, label: int) -> SearchOracle:
        return self._searching().oracle(label)

    def _searching(self) -> SearchForest:
        from primewood.engines.search.oracle import SearchForest

        with self._compiling:
            if self._forest is None:
                assert isinstance(self.subject, EnsembleSubject)
                self._forest = SearchForest(self.subject, any_order=self.any_order)
            return self._forest

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
