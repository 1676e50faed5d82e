"""Compiling: ensembles and expressions become diagrams, or `TooLarge` says how far it got.

The C++ core does the work (``src/native/diagram``): it looks for an order of the variables by adding up the trees'
votes pair by pair and sifting the sums, and then goes down the levels with all trees at once, closing what is
decided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from primewood.core import _native  # the C++ core
from primewood.domain import EnsembleSubject
from primewood.engines.diagram.diagram import CompilationRecord, Diagram
from primewood.engines.diagram.product import only_where
from primewood.engines.native_forest import native_forest
from primewood.errors import Interrupted, InvalidInput, TooLarge
from primewood.logic.expression import Expression, Literal
from primewood.logic.fold import fold, truth
from primewood.logic.variable import Variable

CompilationWatcher = Callable[[str, int, int], None]
"""Called now and then with the stage, the nodes so far and the parts that are left to add."""

MOST_LEVELS = _native.MOST_LEVELS
"""How many levels a diagram can have."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a compilation may take.

    Attributes
    ----------
    nodes : int
        The cap on the nodes of the diagram. Five times as many partial decisions may be looked into.
    seconds : float or None
    order_work, final_work : float
        How many entries sifting may move, at each stage of finding an order and in the end.
    """

    nodes: int = 4_000_000
    seconds: float | None = None
    order_work: float = 2e7
    final_work: float = 2e8

    @property
    def states(self) -> int:
        """How many partial decisions may be looked into."""
        return 5 * self.nodes


SMALL = Budget(nodes=200_000, seconds=3.0, order_work=3e6, final_work=2e7)
"""What `engine="auto"` is ready to spend."""


def difficulty(subject: EnsembleSubject) -> float:
    """A cheap guess of how hard a model is to compile, in bits; what needs more than about 40 hardly ever compiles.

    No more states can occur than there are cells, nor more than there are ways to pick a leaf in every tree.
    """
    cells = sum(math.log2(len(x)) for x in subject.variables)
    leaves = sum(math.log2(max(1, int(tree.is_leaf.sum()))) for tree in subject.ensemble.trees)
    return min(cells, leaves)


def compile_ensemble(
    subject: EnsembleSubject,
    budget: Budget | None = None,
    *,
    any_order: bool = False,
    order: Sequence[int] | None = None,
    watcher: CompilationWatcher | None = None,
) -> Diagram:
    """The diagram of an ensemble's decision: terminal i is class i.

    With `any_order`, one more terminal stands for "depends on the order in which scores are added". With knowledge, a
    last one stands for "no row can be here".

    Parameters
    ----------
    order
        The variables from the top level to the bottom one; a good one is looked for if none is given.
    """
    budget = budget or Budget()
    started = time.monotonic()
    variables = subject.variables
    _check_levels(variables)
    terminals = len(subject.labels) + any_order
    if order is not None and sorted(order) != list(range(len(variables))):
        raise InvalidInput(
            f"an order names the places 0 to {len(variables) - 1} of the variables, each once: {order}"
        )
    compiled = _native.compile(
        native_forest(subject.ensemble, subject.domain, any_order=any_order),
        _options(subject, budget, order),
        seconds=budget.seconds,
        watcher=None if watcher is None else _report_to(watcher),
    )
    if isinstance(compiled, _native.Overrun):
        raise _too_large(compiled, budget, len(subject.ensemble.trees), variables)
    progress, found = compiled.progress, compiled.found
    making = CompilationRecord(time.monotonic() - started, progress.states, progress.settled)
    if not variables:  # the core has one that has one value
        return Diagram((), (), (), found.diagram.decide([0]), terminals, making=making)
    diagram = _diagram(found, variables, terminals, making)
    if not subject.domain.knowledge:
        return diagram
    possible = compile_expression(subject.domain.knowledge.formula(variables), variables, budget)
    return only_where(diagram, reorder(possible, diagram.order))


def _check_levels(variables: Sequence[Variable]) -> None:
    """The core goes down the levels by calling itself: more of them may not fit on its stack."""
    if len(variables) > MOST_LEVELS:
        raise TooLarge(
            f"{len(variables):,} features are tested; diagrams have {MOST_LEVELS:,} levels at most. Explanations of "
            'single rows need no diagram (engine="search")'
        )


def _options(subject: EnsembleSubject, budget: Budget, order: Sequence[int] | None) -> _native.CompileOptions:
    """What the core compiles with; an order that is given is kept."""
    return _native.CompileOptions(
        order=(list(order) if order is not None else _sort_by_importance(subject)) or [0],
        find_order=order is None,
        most_nodes=budget.nodes,
        most_states=budget.states,
        order_work=budget.order_work,
        final_work=budget.final_work if order is None else 0.0,
    )


def _report_to(watcher: CompilationWatcher) -> Callable[[_native.Progress], None]:
    return lambda progress: watcher(progress.stage.name.lower(), progress.nodes, progress.parts)


def _sort_by_importance(subject: EnsembleSubject) -> list[int]:
    return sorted(range(len(subject.variables)), key=lambda j: (-subject.importance[j], j))


def _diagram(
    found: _native.OrderedDiagram,
    variables: tuple[Variable, ...],
    terminals: int,
    making: CompilationRecord | None,
) -> Diagram:
    native, order = found.diagram, tuple(found.order)
    levels = tuple(native.level(j) for j in range(len(order)))
    return Diagram(variables, order, levels, native.root, terminals, making=making)


def _too_large(
    overrun: _native.Overrun, budget: Budget, trees: int, variables: Sequence[Variable]
) -> TooLarge:
    in_time = overrun.limit is not _native.Exceeded.TIME
    limit = (
        f"its cap of {budget.nodes:,} nodes or {budget.states:,} partial decisions"
        if in_time
        else f"the time limit of {budget.seconds:g} s"
    )
    error = TooLarge if in_time else Interrupted
    return error(
        f"{trees} trees over {len(variables)} variables with {sum(map(len, variables))} values outgrew {limit}; "
        f"{overrun.nodes:,} nodes and {overrun.states:,} partial decisions were reached. Explanations of single rows "
        'need no diagram (engine="search"); fewer or shallower trees compile, and so may a higher max_nodes'
    )


def reorder(diagram: Diagram, order: Sequence[int], most_nodes: int = 10_000_000) -> Diagram:
    """The same function with the levels in another order. Cost: one swap of levels per inversion."""
    if not diagram.order or tuple(order) == diagram.order:
        return diagram
    given = _native.OrderedDiagram(diagram.native, list(diagram.order))
    found = _native.reorder(given, list(order), most_nodes)
    if isinstance(found, _native.Overrun):
        raise TooLarge(f"in another order of levels the diagram outgrew its cap of {most_nodes:,} nodes")
    return _diagram(found, diagram.variables, diagram.terminals, diagram.making)


def compile_expression(
    expression: Expression, variables: Sequence[Variable] | None = None, budget: Budget | None = None
) -> Diagram:
    """The diagram of an expression: terminal 1 is true, terminal 0 is false."""
    budget = budget or Budget()
    started = time.monotonic()
    universe = tuple(variables if variables is not None else expression.variables)
    _check_levels(universe)
    if not universe:
        return Diagram((), (), (), int(truth(expression, (), ())), 2, making=CompilationRecord(0.0, 0, 0))
    algebra = _MultiValuedAlgebra(universe, budget)
    root = fold(expression, algebra)
    found = algebra.native.finish(root, list(range(len(universe))), work=budget.final_work)
    return _diagram(found, universe, 2, CompilationRecord(time.monotonic() - started, 0, 0))


class _MultiValuedAlgebra:
    """The algebra of diagrams: nodes of the first level, by number."""

    def __init__(self, variables: Sequence[Variable], budget: Budget) -> None:
        widths = [len(x) for x in variables]
        self.native = _native.Expressions(widths, most_nodes=budget.nodes, seconds=budget.seconds)
        self.level = {x: j for j, x in enumerate(variables)}
        self.budget = budget

    def _require(self, node: int | _native.Overrun) -> int:
        if isinstance(node, _native.Overrun):
            error = TooLarge if self.budget.seconds is None else Interrupted
            raise error(
                f"the expression's diagram outgrew its cap of {self.budget.nodes:,} nodes or its time; "
                f'{node.nodes:,} nodes were reached. Try engine="sat", or a higher max_nodes'
            )
        return node

    def constant(self, value: bool) -> int:
        return self._require(self.native.constant(value))

    def literal(self, literal: Literal) -> int:
        if literal.variable not in self.level:
            raise InvalidInput(f"the expression mentions {literal.variable.name}, which is not declared")
        allowed = [literal.mask >> i & 1 for i in range(len(literal.variable))]
        return self._require(self.native.literal(self.level[literal.variable], allowed))

    def negation(self, argument: int) -> int:
        return self._require(self.native.negation(argument))

    def conjunction(self, arguments: list[int]) -> int:
        result = self.constant(True)
        for argument in arguments:
            result = self._require(self.native.conjunction(result, argument))
        return result

    def disjunction(self, arguments: list[int]) -> int:
        result = self.constant(False)
        for argument in arguments:
            result = self._require(self.native.disjunction(result, argument))
        return result

    def at_least(self, count: int, arguments: list[int]) -> int:
        return self._require(self.native.at_least(count, arguments))
