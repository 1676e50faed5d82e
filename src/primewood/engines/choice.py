"""Choosing an engine, and compiling each decision once."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain import EnsembleSubject, ExpressionSubject, Subject
from primewood.domain.knowledge import FewChanges
from primewood.engines.few_changes import FewChangesOracle
from primewood.engines.protocol import Clock, EngineName, Family, Oracle, PricingOracle
from primewood.errors import Interrupted, InvalidInput, TooLarge, format_list, quote_value
from primewood.logic.expression import Expression
from primewood.logic.instance import Point
from primewood.logic.language import Language

if TYPE_CHECKING:
    from primewood.engines.boolean.consistency import SatOracle
    from primewood.engines.boolean.diagram import BooleanOracle, Diagrams
    from primewood.engines.diagram.compiler import Budget, CompilationWatcher
    from primewood.engines.diagram.diagram import Diagram
    from primewood.engines.diagram.oracle import DiagramOracle
    from primewood.engines.diagram.reason import Allowance
    from primewood.engines.search.joint import KeptJoints
    from primewood.engines.search.oracle import SearchForest
    from primewood.engines.single_tree import SingleTree

T = TypeVar("T")
MOST_NODES = 2**31 - 1
HARD = 42.0
"""Bits of `difficulty` from which on "auto" does not try to compile."""
FEW_NODES = 1_000_000
"""The cap on the diagram of the explanations of one row where work is limited, not time."""


class Engines:
    """The engines of one subject.

    Parameters
    ----------
    subject
        What decides.
    engine
        "search" asks the branch and bound on the trees (models only), "diagram" compiles to a multi-valued decision
        diagram, "bdd" to Boolean diagrams (OxiDD; the paper's procedure), "sat" asks a solver (PySAT).
        "auto" searches for one prime implicant of a model. For questions about all of them it compiles a
        diagram if that is cheap, and lists them by asking again and again if it is not.
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
        if not isinstance(engine, str) or engine not in get_args(EngineName):
            raise InvalidInput(
                f"engine must be one of {format_list(get_args(EngineName))}, not {quote_value(engine)}"
            )
        if engine == "search" and not isinstance(subject, EnsembleSubject):
            raise InvalidInput('engine="search" is for models; an expression takes "diagram", "bdd" or "sat"')
        if max_nodes is not None and (not isinstance(max_nodes, int) or not 1 <= max_nodes <= MOST_NODES):
            raise InvalidInput(
                f"max_nodes must be a number from 1 to {MOST_NODES:,}, not {quote_value(max_nodes)}"
            )
        self.subject, self.engine, self.any_order, self.max_nodes = subject, engine, any_order, max_nodes
        self._forget()

    def for_subject(self, subject: Subject) -> Engines:
        """Engines of the same kind for something else that decides."""
        return Engines(subject, self.engine, self.max_nodes, any_order=self.any_order)

    def _forget(self) -> None:
        self._diagram: Diagram | TooLarge | None = None
        self._tried_seconds: float | None = None
        self._booleans: Diagrams | None = None
        self._compiled: dict[tuple[int, int | None], BooleanOracle] = {}
        self._solvers: dict[tuple[int, int | None], SatOracle] = {}
        self._forest: SearchForest | None = None
        self._joints: KeptJoints | None = None
        self._tree: SingleTree | None = None
        self._sequential: Engines | None = None
        self._working = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it compiles for itself."""
        kept = ("subject", "engine", "any_order", "max_nodes")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def _searches(self) -> bool:
        """Whether the trees of the search engine are needed, if only to decide about rows."""
        return isinstance(self.subject, EnsembleSubject) and self.engine in ("auto", "search", "diagram")

    def prepare(self) -> None:
        """Build what every question needs, before the clock of the first one runs.

        What is too large for the search may still be compiled: then the question says so that needs a search.
        """
        if self._searches:
            with suppress(TooLarge):
                self._build_forest()

    def decide(self, point: Point) -> int:
        """The decision at a point, as a place in the subject's labels."""
        if self._searches:
            return self._build_forest().decide(point)
        return self.subject.decide(point)

    def decide_all(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """The decisions at many points, one per row; −1 for a row that is in no cell."""
        inside = (points >= 0).all(axis=1)
        decided = np.full(len(points), -1, dtype=np.int64)
        if self._searches:
            decided[inside] = self._build_forest().decide_all(points[inside])
        elif isinstance(self.subject, EnsembleSubject) and inside.any():
            rows = [self.subject.row_in(tuple(point)) for point in points[inside].tolist()]
            decided[inside] = self.subject.ensemble.predict(np.array(rows))
        else:
            decided[inside] = [self.subject.decide(tuple(point)) for point in points[inside].tolist()]
        return decided

    def oracle(self, label: int, target: int | None = None) -> Oracle:
        """An oracle for "the decision is this label", or, given a target, for "the decision is not the target"."""
        if target is not None and len(self.subject.labels) == 2:
            target = None
        if self._changes is not None:
            return FewChangesOracle(self._price_all(label, target), self._changes)
        return self._ask_all(label, target)

    def _ask_all(self, label: int, target: int | None) -> Oracle:
        """An oracle about all rows, however many features differ."""
        if self.engine == "diagram":
            return self.use_diagram(label, target=target)
        if self.engine == "bdd":
            return self._boolean(label, target)
        if self.engine == "sat" or not isinstance(self.subject, EnsembleSubject):
            return self._sat(label, target)
        return self._build_forest().oracle(label, target)

    def price_changes(self, label: int, target: int | None = None) -> PricingOracle:
        """An oracle that also finds the cheapest change of the decision."""
        if target is not None and len(self.subject.labels) == 2:
            target = None
        assert self._changes is None, "what is nearest is asked among all rows"
        return self._price_all(label, target)

    def _price_all(self, label: int, target: int | None) -> PricingOracle:
        oracle = self._ask_all(label, target)
        if isinstance(oracle, PricingOracle):
            return oracle
        if self.engine == "auto":
            return self.use_diagram(label, target=target)
        raise InvalidInput(f'engine="{self.engine}" does not price changes; "search" and "diagram" do')

    @property
    def _changes(self) -> FewChanges | None:
        """In how many features rows may differ from one row; None for any number."""
        subject = self.subject
        return subject.domain.knowledge.changes if isinstance(subject, EnsembleSubject) else None

    def limit_changes(self, subject: EnsembleSubject) -> Engines:
        """The engines for the same model and cells, among rows that differ from one row in few features."""
        limited = self.for_subject(subject)
        limited._forest = self._build_forest() if self._searches else None
        return limited

    def sum_sequentially(self) -> Engines:
        """The engines for the decision that `predict` takes when it adds scores in the order of the trees."""
        if not self.any_order:
            return self
        with self._working:
            if self._sequential is None:
                self._sequential = Engines(self.subject, self.engine, self.max_nodes)
                if self._searches:
                    self._sequential._forest = self._build_forest().sum_sequentially()
            return self._sequential

    def primes(self, label: int, literals: Language, point: Point | None = None) -> Family:
        """The prime implicants of a decision, all or those around a point."""
        assert self._changes is None, "they are listed among all rows"
        if self.engine == "bdd":
            return self._boolean(label).primes(literals, point)
        family = self.try_diagram(label, lambda compiled: compiled.primes(literals, point))
        if family is not None:
            return family
        if self.engine != "sat" and isinstance(self.subject, EnsembleSubject):
            return self._build_forest().oracle(label).primes(literals, point)
        return self._sat(label).primes(literals, point)

    def try_diagram(
        self,
        label: int,
        ask: Callable[[DiagramOracle], T],
        clock: Clock | None = None,
        target: int | None = None,
        *,
        required: bool = True,
    ) -> T | None:
        """What the compiled form answers about a decision; None where a search is to answer instead.

        Parameters
        ----------
        ask
            The question to the compiled form.
        required
            Whether, with ``engine="diagram"``, a model that does not compile in time is an error.
        """
        if self.engine not in ("auto", "diagram") or self._changes is not None:
            return None
        try:
            return ask(self.use_diagram(label, clock, target))
        except TooLarge:
            if self.engine == "diagram" and required:
                raise
            return None

    def try_whole_diagram(self, clock: Clock | None = None) -> Diagram | None:
        """The compiled form of all decisions; None where a search is to answer instead, as with `try_diagram`."""
        if self.engine not in ("auto", "diagram"):
            return None
        try:
            return self._compile_within(self._allow(clock))
        except TooLarge:
            if self.engine == "diagram":
                raise
            return None

    def use_diagram(self, label: int, clock: Clock | None = None, target: int | None = None) -> DiagramOracle:
        """Answers from the compiled form; `TooLarge` if there is none, or none in half of the time.

        Where work alone is limited, what is tried does not depend on how fast the machine is.
        """
        from primewood.engines.diagram.oracle import DiagramOracle

        diagram = self._compile_within(self._allow(clock))
        # Where the order of summation decides, it may decide for the target.
        targets = [target] if target is not None else []
        if targets and self.any_order:
            targets.append(len(self.subject.labels))
        return DiagramOracle(diagram, label, self._allow(clock), targets)

    def _allow(self, clock: Clock | None) -> Allowance:
        """What one step on the way to an answer from diagrams may take."""
        from primewood.engines.diagram.reason import Allowance

        usual = self._budget().seconds
        if clock is None or (clock.limit is None and clock.work_limit is None):
            return Allowance(usual)
        if clock.limit is None:
            return Allowance(None, FEW_NODES)
        return Allowance(min(clock.left() / 2, math.inf if usual is None else usual))

    def _compile_within(self, allowed: Allowance) -> Diagram:
        """The compiled form, unless it was tried before with about as much time."""
        with self._working:
            tried = 0.0 if self._tried_seconds is None or self._diagram is not None else self._tried_seconds
            if allowed.seconds is not None and allowed.seconds < 2 * tried:
                raise TooLarge(f"this model was not compiled in {tried:.2g} s")
            return self._diagram_within(replace(self._budget(), seconds=allowed.seconds), None)

    def diagram(self, watcher: CompilationWatcher | None = None, time_limit: float | None = None) -> Diagram:
        """The compiled form of all decisions, made once; `TooLarge` if it outgrows what the engine may spend."""
        budget = self._budget()
        return self._diagram_within(
            budget if time_limit is None else replace(budget, seconds=time_limit), watcher
        )

    def _diagram_within(self, budget: Budget, watcher: CompilationWatcher | None) -> Diagram:
        with self._working:
            if self._diagram is None:
                try:
                    self._diagram = self._compile(budget, watcher)
                except Interrupted:  # with more time it may do
                    self._tried_seconds = budget.seconds
                    raise
                except TooLarge as problem:
                    self._diagram = problem
            if isinstance(self._diagram, TooLarge):
                raise TooLarge(str(self._diagram))
            return self._diagram

    def _compile(self, budget: Budget, watcher: CompilationWatcher | None) -> Diagram:
        from primewood.engines.diagram import compiler

        subject = self.subject
        if isinstance(subject, ExpressionSubject):
            return compiler.compile_expression(subject.expression, subject.variables, budget)
        assert isinstance(subject, EnsembleSubject)
        bits = compiler.difficulty(subject)
        if self.engine == "auto" and self.max_nodes is None and bits > HARD:
            raise TooLarge(
                f"this model is not compiled by itself: it has at least 2^{bits:.0f} kinds of rows or of "
                'combinations of leaves. engine="diagram" or pw.compile(model) tries'
            )
        return compiler.compile_ensemble(subject, budget, any_order=self.any_order, watcher=watcher)

    def _budget(self) -> Budget:
        from primewood.engines.diagram.compiler import SMALL, Budget

        if self.max_nodes is not None:
            return Budget(nodes=self.max_nodes)
        return SMALL if self.engine == "auto" else Budget()

    def single_tree(self) -> SingleTree | None:
        """The leaves of a model that is one tree; None for others, and if an engine was asked for by name."""
        from primewood.engines.single_tree import SingleTree

        subject = self.subject
        if (
            self.engine != "auto"
            or not isinstance(subject, EnsembleSubject)
            or len(subject.ensemble.trees) > 1
            or subject.domain.knowledge
            or self._changes is not None
        ):
            return None
        with self._working:
            if self._tree is None:
                self._tree = SingleTree(subject)
            return self._tree

    def search_forest(self) -> SearchForest:
        """The forest of the search engine, for questions about two decisions at once; models only."""
        if not isinstance(self.subject, EnsembleSubject):
            raise InvalidInput("an expression has no trees to search")
        return self._build_forest()

    def joints(self) -> KeptJoints:
        """The joint forests of the model with itself that were asked last."""
        from primewood.engines.search.joint import KeptJoints

        with self._working:
            if self._joints is None:
                self._joints = KeptJoints()
            return self._joints

    def _build_forest(self) -> SearchForest:
        from primewood.engines.search.oracle import SearchForest

        with self._working:
            if self._forest is None:
                assert isinstance(self.subject, EnsembleSubject)
                self._forest = SearchForest(self.subject, any_order=self.any_order)
            return self._forest

    def _formula(self, label: int, target: int | None) -> Expression:
        return self.subject.formula(label) if target is None else self.subject.denial(target)

    def _sat(self, label: int, target: int | None = None) -> SatOracle:
        from primewood.engines.boolean.consistency import SatOracle

        with self._working:
            if (label, target) not in self._solvers:
                formula = self._formula(label, target)
                self._solvers[label, target] = SatOracle(formula, self.subject.variables)
            return self._solvers[label, target]

    def _boolean(self, label: int, target: int | None = None) -> BooleanOracle:
        from primewood.engines.boolean.diagram import Diagrams

        with self._working:
            if self._booleans is None:
                weight = dict(zip(self.subject.variables, self.subject.importance, strict=True))
                order = sorted(self.subject.variables, key=lambda x: -weight[x])
                self._booleans = Diagrams(self.subject.variables, order, self.max_nodes)
            if (label, target) not in self._compiled:
                self._compiled[label, target] = self._booleans.oracle(self._formula(label, target))
            return self._compiled[label, target]
