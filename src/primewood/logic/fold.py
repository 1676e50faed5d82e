"""Computing with expressions: a fold over their nodes in any algebra.

Truth at a point, truth tables, Boolean encodings, diagrams and clauses are each one algebra.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from primewood.errors import InvalidInput
from primewood.logic.expression import (
    And,
    AtLeast,
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
    known: dict[int, T] = {}

    def value(node: Expression) -> T:
        if id(node) not in known:
            known[id(node)] = compute(node)
        return known[id(node)]

    def compute(node: Expression) -> T:
        match node:
            case Constant():
                return algebra.constant(node.value)
            case Literal():
                return algebra.literal(node)
            case Not():
                return algebra.negation(value(node.argument))
            case And():
                return algebra.conjunction([value(part) for part in node.arguments])
            case Or():
                return algebra.disjunction([value(part) for part in node.arguments])
            case AtLeast():
                return algebra.at_least(node.count, [value(part) for part in node.arguments])
            case Implies(arguments=(premise, conclusion)):
                return algebra.disjunction([algebra.negation(value(premise)), value(conclusion)])
            case Iff(arguments=(left, right)):
                a, b = value(left), value(right)
                both = algebra.conjunction([a, b])
                none = algebra.conjunction([algebra.negation(a), algebra.negation(b)])
                return algebra.disjunction([both, none])
        raise InvalidInput(f"not an expression: {node!r}")

    return value(expression)


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
