"""The paper's procedure on binary decision diagrams (OxiDD).

The multi-valued primes of Γ are the prime implicants of Ψ ⇒ Γ_b, in the negative one-hot encoding,
that are negative and consistent with Ψ (Proposition 4). A negative term is a set of values to
exclude, so let a Boolean variable r stand for each thing that a term may say (a *restriction*: in
the language ``sets`` "value x_i is excluded"). With A(x, r) = "x obeys the restrictions r",

    g(r) = ∀x. A(x, r) ⇒ (Ψ ⇒ Γ_b)                the term r is an implicant
    m(r) = g(r) ∧ ⋀ᵢ ¬(rᵢ ∧ g(r with rᵢ false))      and none of its restrictions can go

m is one diagram that holds exactly the primes: other branches (positive literals, terms that
contradict Ψ, terms without the instance) are never built. Counting is linear in its size, listing is
a walk. The variables r of a value stand next to its x, which keeps A linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from oxidd.bcdd import BCDDFunction, BCDDManager
from oxidd.util import BooleanOperator, DDMemoryError

from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.errors import TooLarge
from primewood.logic.expression import Expression, Literal
from primewood.logic.fold import fold
from primewood.logic.instance import Box, Point
from primewood.logic.language import (
    ElementaryRestriction,
    Language,
    closure,
    conflicts,
    places_around,
    restrictions,
)
from primewood.logic.masks import indices
from primewood.logic.variable import Variable

MOST_NODES = 8_000_000


class Diagrams:
    """Decisions over one universe, compiled to diagrams that share their nodes.

    Parameters
    ----------
    variables
        The universe.
    order
        The variables from the top of the diagrams to the bottom; the universe's order if not given.
    most_nodes
        The cap on nodes, 8 million by default; `TooLarge` is raised where it is reached.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        order: Sequence[Variable] | None = None,
        most_nodes: int | None = None,
    ) -> None:
        self.variables = tuple(variables)
        self.most_nodes = most_nodes = most_nodes or MOST_NODES
        self._manager = BCDDManager(most_nodes, max(most_nodes // 8, 1024), 1)
        self._values: dict[Variable, list[int]] = {}
        self._restrictions: dict[Language, list[tuple[Variable, list[ElementaryRestriction], list[int]]]] = {
            "sets": [],
            "intervals": [],
            "values": [],
        }
        self._place(order or self.variables)
        with self._cap():
            self._psi = self._exactly_one_each(order or self.variables)

    def _place(self, order: Sequence[Variable]) -> None:
        """Give every value and every restriction its place in the diagram, value by value."""
        free = 0
        for x in order:
            lists = {language: restrictions(x, language) for language in self._restrictions}
            numbers: dict[Language, list[int]] = {k: [0] * len(v) for k, v in lists.items()}
            self._values[x] = []
            for value in range(len(x)):
                self._values[x].append(free)
                free += 1
                for language, listed in lists.items():
                    for i, restriction in enumerate(listed):
                        if restriction.at == value:
                            numbers[language][i] = free
                            free += 1
            for language, listed in lists.items():
                self._restrictions[language].append((x, listed, numbers[language]))
        self._manager.add_vars(free)

    def oracle(self, decision: Expression) -> BooleanOracle:
        """Compile a decision. Cost: the size of its diagram, which may be exponential."""
        with self._cap():
            return BooleanOracle(self, fold(decision, _BinaryAlgebra(self._manager, self._values)))

    def node_count(self) -> int:
        """How many nodes the manager holds."""
        return self._manager.num_inner_nodes()

    @contextmanager
    def _cap(self) -> Iterator[None]:
        try:
            yield
        except DDMemoryError:
            raise TooLarge(
                f"the decision diagram outgrew its cap of {self.most_nodes:,} nodes over "
                f'{sum(map(len, self.variables))} values. Try engine="sat" (one explanation after the '
                "other), fewer or shallower trees, or a higher max_nodes"
            ) from None

    def _exactly_one_each(self, order: Sequence[Variable]) -> BCDDFunction:
        """Ψ: of each variable's values exactly one; built from the bottom of the diagram up."""
        psi = self._manager.true()
        for x in reversed(order):
            none, one = psi, self._manager.false()
            for number in reversed(self._values[x]):
                bit = self._manager.var(number)
                one, none = bit.ite(none, one), bit.ite(self._manager.false(), none)
            psi = one
        return psi

    def all_true(self, numbers: Iterable[int]) -> BCDDFunction:
        """The conjunction of variables."""
        return reduce(lambda a, b: a & b, map(self._manager.var, numbers), self._manager.true())


class BooleanOracle:
    """One decision as a diagram over the one-hot encoding."""

    def __init__(self, diagrams: Diagrams, decision: BCDDFunction) -> None:
        self._diagrams = diagrams
        self._decision = decision

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._diagrams.variables

    def node_count(self) -> int:
        """The size of the diagram of Ψ ⇒ Γ_b."""
        return self._diagrams._psi.imp(self._decision).node_count()

    def holds(self, point: Point) -> bool:
        """Whether Γ holds at a point. Cost: one path of the diagram."""
        arguments = [
            (number, i == value)
            for x, value in zip(self.variables, point, strict=True)
            for i, number in enumerate(self._diagrams._values[x])
        ]
        return self._decision.eval(arguments)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:  # noqa: ARG002
        """A point of the box at which Γ does not hold. Cost: linear in the diagram."""
        diagrams = self._diagrams
        with diagrams._cap():
            excluded = [
                number
                for x, mask in zip(self.variables, box, strict=True)
                for i, number in enumerate(diagrams._values[x])
                if not mask >> i & 1
            ]
            inside = reduce(lambda a, n: a & diagrams._manager.not_var(n), excluded, diagrams._manager.true())
            model = (diagrams._psi & inside & ~self._decision).pick_cube()
        if model is None:
            return Verdict.NONE_EXISTS
        return tuple(
            next(i for i, number in enumerate(diagrams._values[x]) if model[number]) for x in self.variables
        )

    def primes(self, literals: Language, point: Point | None = None) -> PrimeDiagram:
        """The prime boxes of Γ, all or those that contain a point, as one diagram."""
        with self._diagrams._cap():
            return PrimeDiagram(self._diagrams, self._decision, literals, point)


class PrimeDiagram:
    """The prime boxes of a decision as a diagram over restrictions."""

    def __init__(
        self,
        diagrams: Diagrams,
        decision: BCDDFunction,
        literals: Language,
        point: Point | None,
    ) -> None:
        self._diagrams = diagrams
        manager = diagrams._manager
        at = dict(zip(diagrams.variables, point, strict=True)) if point else {}
        self._excludes: dict[int, tuple[Variable, int]] = {}
        obeys, clash = manager.true(), manager.false()
        for x, listed, numbers in reversed(diagrams._restrictions[literals]):
            for i in places_around(listed, at.get(x)):
                self._excludes[numbers[i]] = (x, listed[i].excludes)
                active = diagrams.all_true(numbers[j] for j in closure(listed, i))
                for value in indices(listed[i].excludes):
                    obeys &= active.nand(manager.var(diagrams._values[x][value]))
            for together in conflicts(x, literals):
                if all(numbers[i] in self._excludes for i in together):
                    clash |= diagrams.all_true(numbers[i] for i in together)
        values = diagrams.all_true(n for x in diagrams.variables for n in diagrams._values[x])
        implicant = obeys.apply_forall(BooleanOperator.IMP, diagrams._psi.imp(decision), values)
        self._primes = implicant & ~clash
        for number in self._excludes:
            r = manager.var(number)
            self._primes &= ~(r & implicant.forall(r))

    def count(self) -> int:
        """How many prime boxes there are. Cost: linear in the diagram."""
        return self._primes.sat_count(len(self._excludes))

    def node_count(self) -> int:
        """The size of the diagram of the primes."""
        return self._primes.node_count()

    def __contains__(self, box: Box) -> bool:
        return any(box == other for other in self._walk(box))

    def __iter__(self) -> Iterator[Box]:
        return self._walk(None)

    def _walk(self, inside: Box | None) -> Iterator[Box]:
        """The paths to true, weaker terms first; only those that contain the box `inside`, if given."""
        variables = self._diagrams.variables
        place = {x: i for i, x in enumerate(variables)}
        start = tuple(x.everything for x in variables)
        stack = [(self._primes, start)]
        while stack:
            node, box = stack.pop()
            number = node.node_var()
            if number is None:
                if node.satisfiable():
                    yield box
                continue
            chosen, free = node.cofactors()  # type: ignore[misc]
            x, excluded = self._excludes[number]
            j = place[x]
            if chosen.satisfiable() and not (inside and inside[j] & excluded):
                stack.append((chosen, (*box[:j], box[j] & ~excluded, *box[j + 1 :])))
            if free.satisfiable():
                stack.append((free, box))


class _BinaryAlgebra:
    """The algebra of diagrams over the one-hot variables, for multi-valued expressions.

    Under Ψ a literal may be written in several ways. Here the *highest* true variable of a block
    counts: "at most value k" is the negative term ⋀ ¬x_i over i > k, and every literal is made of such
    bounds. A literal and its complement are then each other's negation even where Ψ fails, so trees
    stay trees on the way to Ψ ⇒ Γ_b. (With a negative term for every literal the diagrams in between
    are so much larger that ten trees on wine take 12 s to compile instead of 0.3 s.)
    """

    def __init__(self, manager: BCDDManager, numbers: dict[Variable, list[int]]) -> None:
        self.manager = manager
        self.numbers = numbers
        self.bounds: dict[tuple[Variable, int], BCDDFunction] = {}

    def constant(self, value: bool) -> BCDDFunction:
        return self.manager.true() if value else self.manager.false()

    def literal(self, literal: Literal) -> BCDDFunction:
        allowed = self.manager.false()
        x, mask = literal.variable, literal.mask
        while mask:
            low = (mask & -mask).bit_length() - 1
            high = low
            while mask >> high + 1 & 1:
                high += 1
            mask &= ~((1 << high + 1) - (1 << low))
            allowed |= self.at_most(x, high) & ~self.at_most(x, low - 1)
        return allowed

    def at_most(self, variable: Variable, value: int) -> BCDDFunction:
        """The value's index is at most this."""
        if value < 0:
            return self.manager.false()
        if (variable, value) not in self.bounds:
            above = self.numbers[variable][value + 1 :]
            negative = reduce(lambda a, n: a & self.manager.not_var(n), above, self.manager.true())
            self.bounds[variable, value] = negative
        return self.bounds[variable, value]

    def negation(self, argument: BCDDFunction) -> BCDDFunction:
        return ~argument

    def conjunction(self, arguments: list[BCDDFunction]) -> BCDDFunction:
        return reduce(lambda a, b: a & b, arguments, self.manager.true())

    def disjunction(self, arguments: list[BCDDFunction]) -> BCDDFunction:
        return reduce(lambda a, b: a | b, arguments, self.manager.false())

    def at_least(self, count: int, arguments: list[BCDDFunction]) -> BCDDFunction:
        """reached[k] = "at least k of the arguments seen so far", one argument after the other."""
        true, false = self.manager.true(), self.manager.false()
        reached = [true] + [false] * count
        for argument in arguments:
            for k in range(count, 0, -1):
                reached[k] = reached[k] | (argument & reached[k - 1])
        return reached[count]
