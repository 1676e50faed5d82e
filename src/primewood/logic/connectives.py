"""Building expressions in normal form: the connectives of the logic.

Nested conjunctions and disjunctions become flat, constants are folded, and the literals of one
variable inside one connective become one literal (or a constant, which is folded in turn).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from primewood.errors import InvalidInput
from primewood.fields import integer, several, takes
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
    check_expression,
)
from primewood.logic.term import Term
from primewood.logic.variable import Variable, unique_variables


def negation(argument: Expression) -> Expression:
    """``!argument`` in normal form: a literal becomes its complement, ``!!a`` becomes ``a``."""
    argument = _check_arguments(argument)
    result: Expression = Not(argument)
    if isinstance(argument, Constant):
        result = FALSE if argument.value else TRUE
    elif isinstance(argument, Literal):
        result = argument.variable.of_mask(argument.variable.everything & ~argument.mask)
    elif isinstance(argument, Not):
        result = argument.argument
    return _collect_variables(result, [argument])


def conjunction(arguments: Iterable[Expression]) -> Expression:
    """``a & b & ...`` in normal form; without arguments `true`."""
    given = [_check_arguments(argument) for argument in arguments]
    parts = _merge(given, And, TRUE, lambda a, b: a & b)
    result: Expression = And(parts)
    if FALSE in parts:
        result = FALSE
    elif len(parts) < 2:
        result = parts[0] if parts else TRUE
    elif all(isinstance(part, Literal) for part in parts):
        result = Term(parts)  # type: ignore[arg-type]
    return _collect_variables(result, given)


def disjunction(arguments: Iterable[Expression]) -> Expression:
    """``a | b | ...`` in normal form; without arguments `false`."""
    given = [_check_arguments(argument) for argument in arguments]
    parts = _merge(given, Or, FALSE, lambda a, b: a | b)
    result: Expression = Or(parts)
    if TRUE in parts:
        result = TRUE
    elif len(parts) < 2:
        result = parts[0] if parts else FALSE
    return _collect_variables(result, given)


def _merge(
    arguments: Iterable[Expression],
    connective: type[Connective],
    neutral: Constant,
    combine: Callable[[int, int], int],
) -> list[Expression]:
    """The arguments, flat, without the neutral constant, one literal per variable."""
    parts: list[Expression] = []
    place: dict[Variable, int] = {}
    for argument in arguments:
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
    given = premise, conclusion = _check_arguments(premise), _check_arguments(conclusion)
    result: Expression = Implies(given)
    if isinstance(premise, Constant):
        result = conclusion if premise.value else TRUE
    elif isinstance(conclusion, Constant):
        result = TRUE if conclusion.value else negation(premise)
    return _collect_variables(result, given)


def equivalence(left: Expression, right: Expression) -> Expression:
    """``left <-> right``, with constants folded."""
    given = left, right = _check_arguments(left), _check_arguments(right)
    result: Expression = Iff(given)
    if isinstance(left, Constant):
        result = right if left.value else negation(right)
    elif isinstance(right, Constant):
        result = left if right.value else negation(left)
    return _collect_variables(result, given)


@takes(count=integer)
def at_least(count: int, arguments: Iterable[Expression]) -> Expression:
    """Build the gate "at least `count` of these are true", with constants folded.

    Parameters
    ----------
    count
        A whole number.
    arguments
        The expressions.

    Returns
    -------
    Expression
        True for exactly the instances where at least `count` of the arguments are true.

    Raises
    ------
    InvalidInput
        If `count` is not a whole number, or `arguments` are not expressions.

    Examples
    --------
    >>> from primewood import Variable, at_least
    >>> x, y, z = (Variable.boolean(name).literal([True]) for name in "xyz")
    >>> print(at_least(2, [x, y, z]))
    at_least(2, x, y, z)
    >>> print(at_least(1, [x, y]))
    x | y
    """
    if isinstance(arguments, Expression):
        raise InvalidInput("at_least takes a number and a list of expressions")
    given = [_check_arguments(argument) for argument in several(arguments, "arguments")]
    parts = [argument for argument in given if not isinstance(argument, Constant)]
    count -= sum(argument.value for argument in given if isinstance(argument, Constant))
    if count <= 0:
        result: Expression = TRUE
    elif count > len(parts):
        result = FALSE
    elif count == 1:
        result = disjunction(parts)
    elif count == len(parts):
        result = conjunction(parts)
    else:
        result = AtLeast(count, parts)
    return _collect_variables(result, given)


def _check_arguments(thing: object) -> Expression:
    return check_expression(thing)._plain()


def _collect_variables(result: Expression, arguments: Iterable[Expression]) -> Expression:
    """The result, declared over all that its arguments were declared over."""
    universe = unique_variables(x for argument in arguments for x in argument.variables)
    return result if result.variables == universe else result.over(universe)
