"""Building expressions in normal form: the connectives of the logic.

Nested conjunctions and disjunctions become flat, constants are folded, and the literals of one
variable inside one connective become one literal (or a constant, which is folded in turn).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from primewood.errors import InvalidInput
from primewood.logic.expression import (
    FALSE,
    TRUE,
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
from primewood.logic.term import Term
from primewood.logic.variable import Variable


def negation(argument: Expression) -> Expression:
    """``!argument`` in normal form: a literal becomes its complement, ``!!a`` becomes ``a``."""
    if isinstance(argument, Constant):
        return FALSE if argument.value else TRUE
    if isinstance(argument, Literal):
        return argument.variable.of_mask(argument.variable.everything & ~argument.mask)
    if isinstance(argument, Not):
        return argument.argument
    return Not(argument)


def conjunction(arguments: Iterable[Expression]) -> Expression:
    """``a & b & ...`` in normal form; without arguments `true`."""
    parts = _merged(arguments, And, TRUE, lambda a, b: a & b)
    if FALSE in parts:
        return FALSE
    if len(parts) > 1 and all(isinstance(part, Literal) for part in parts):
        return Term(parts)  # type: ignore[arg-type]
    return And(parts) if len(parts) > 1 else parts[0] if parts else TRUE


def disjunction(arguments: Iterable[Expression]) -> Expression:
    """``a | b | ...`` in normal form; without arguments `false`."""
    parts = _merged(arguments, Or, FALSE, lambda a, b: a | b)
    if TRUE in parts:
        return TRUE
    return Or(parts) if len(parts) > 1 else parts[0] if parts else FALSE


def _merged(
    arguments: Iterable[Expression],
    connective: type[Connective],
    neutral: Constant,
    combine: Callable[[int, int], int],
) -> list[Expression]:
    """The arguments, flat, without the neutral constant, one literal per variable."""
    parts: list[Expression] = []
    place: dict[Variable, int] = {}
    for argument in arguments:
        if not isinstance(argument, Expression):
            raise InvalidInput(f"expected an expression, got {argument!r}")
        flat = argument.arguments if isinstance(argument, connective) else (argument,)
        for part in flat:
            if isinstance(part, Literal) and part.variable in place:
                i = place[part.variable]
                known = parts[i]
                if isinstance(known, Literal):
                    parts[i] = part.variable.of_mask(combine(known.mask, part.mask))
            elif part != neutral:
                if isinstance(part, Literal):
                    place[part.variable] = len(parts)
                parts.append(part)
    return parts


def implication(premise: Expression, conclusion: Expression) -> Expression:
    """``premise -> conclusion``, with constants folded."""
    if isinstance(premise, Constant):
        return conclusion if premise.value else TRUE
    if isinstance(conclusion, Constant):
        return TRUE if conclusion.value else negation(premise)
    return Implies((premise, conclusion))


def equivalence(left: Expression, right: Expression) -> Expression:
    """``left <-> right``, with constants folded."""
    if isinstance(left, Constant):
        return right if left.value else negation(right)
    if isinstance(right, Constant):
        return left if right.value else negation(left)
    return Iff((left, right))


def at_least(count: int, arguments: Iterable[Expression]) -> Expression:
    """The gate "at least `count` of these are true", with constants folded.

    >>> x, y, z = (Variable.boolean(name).literal([True]) for name in "xyz")
    >>> print(at_least(2, [x, y, z]))
    at_least(2, x, y, z)
    """
    parts = []
    for argument in arguments:
        if isinstance(argument, Constant):
            count -= argument.value
        else:
            parts.append(argument)
    if count <= 0:
        return TRUE
    if count > len(parts):
        return FALSE
    if count == 1:
        return disjunction(parts)
    if count == len(parts):
        return conjunction(parts)
    return AtLeast(count, parts)
