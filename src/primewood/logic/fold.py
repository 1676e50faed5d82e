"""Computing with expressions: a fold over their nodes in any algebra.

Truth at a point, truth tables, Boolean encodings, diagrams and clauses are each one algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from primewood.errors import InvalidInput
from primewood.logic.expression import (
    And,
    AtLeast,
    Connective,
    Constant,
    Expression,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
)
from primewood.logic.variable import Variable

T = TypeVar("T")


class Algebra(Protocol[T]):
    """What `fold` computes with: one operation per kind of node."""

    def constant(self, value: bool) -> T: ...
    def literal(self, literal: Literal) -> T: ...
    def negation(self, argument: T) -> T: ...
    def conjunction(self, arguments: list[T]) -> T: ...
    def disjunction(self, arguments: list[T]) -> T: ...
    def at_least(self, count: int, arguments: list[T]) -> T: ...


def fold(expression: Expression, algebra: Algebra[T]) -> T:
    """The value of an expression in an algebra; each shared node is computed once.

    ``a -> b`` is computed as ``!a | b``, ``a <-> b`` as ``(a & b) | (!a & !b)``.
    """

    def compute(node: Expression, values: list[T]) -> T:
        match node:
            case Constant():
                return algebra.constant(node.value)
            case Literal():
                return algebra.literal(node)
            case Not():
                return algebra.negation(values[0])
            case And():
                return algebra.conjunction(values)
            case Or():
                return algebra.disjunction(values)
            case AtLeast():
                return algebra.at_least(node.count, values)
            case Implies():
                return algebra.disjunction([algebra.negation(values[0]), values[1]])
            case Iff():
                both = algebra.conjunction(values)
                none = algebra.conjunction([algebra.negation(value) for value in values])
                return algebra.disjunction([both, none])
        raise InvalidInput(f"not an expression: {node!r}")

    return bottom_up(expression, compute)


def bottom_up(expression: Expression, compute: Callable[[Expression, list[T]], T]) -> T:
    """What is computed for an expression from what is computed for its arguments, however deep it is nested."""
    known: dict[int, T] = {}
    todo = [expression]
    while todo:
        node = todo[-1]
        arguments = arguments_of(node)
        unknown = [argument for argument in arguments if id(argument) not in known]
        if unknown:
            todo += reversed(unknown)
            continue
        todo.pop()
        if id(node) not in known:
            known[id(node)] = compute(node, [known[id(argument)] for argument in arguments])
    return known[id(expression)]


def arguments_of(node: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is directly made of."""
    if isinstance(node, Not):
        return (node.argument,)
    return node.arguments if isinstance(node, Connective) else ()


def truth(expression: Expression, variables: Sequence[Variable], point: Sequence[int]) -> bool:
    """Whether an expression is true at a point: `point[i]` is the value index of `variables[i]`."""
    return fold(expression, _Pointwise({x: 1 << i for x, i in zip(variables, point, strict=True)}))


class _Pointwise:
    """The algebra of truth values on one instance, given as one bit per variable."""

    def __init__(self, bits: Mapping[Variable, int]) -> None:
        self.bits = bits

    def constant(self, value: bool) -> bool:
        return value

    def literal(self, literal: Literal) -> bool:
        return bool(literal.mask & self.bits[literal.variable])

    def negation(self, argument: bool) -> bool:
        return not argument

    def conjunction(self, arguments: list[bool]) -> bool:
        return all(arguments)

    def disjunction(self, arguments: list[bool]) -> bool:
        return any(arguments)

    def at_least(self, count: int, arguments: list[bool]) -> bool:
        return sum(arguments) >= count
