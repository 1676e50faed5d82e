"""Truth tables, and classifiers that are given as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, TooLarge, quote_value
from primewood.logic.connectives import disjunction
from primewood.logic.expression import FALSE, TRUE, Expression, Literal
from primewood.logic.fold import fold
from primewood.logic.instance import as_point
from primewood.logic.variable import Variable, unique_variables

MOST_CELLS = 1 << 24

Table = NDArray[np.bool_]


def truth_table(expression: Expression, variables: Sequence[Variable]) -> Table:
    """The truth value of every instance: axis i runs over the values of `variables[i]`.

    >>> A, B = Variable("A", [1, 2]), Variable("B", [1, 2, 3])
    >>> truth_table((A == 1) | (B == 3), [A, B]).astype(int)
    array([[1, 1, 1],
           [0, 0, 1]])
    """
    shape = tuple(len(x) for x in variables)
    if math.prod(shape) > MOST_CELLS:
        raise TooLarge(
            f"a truth table of {math.prod(shape):,} instances is too large (at most {MOST_CELLS:,}); "
            "the engines need no table: try prime_implicants or pi_explanations"
        )
    return np.broadcast_to(fold(expression, _Tables(variables)), shape).copy()


def from_table(
    variables: Iterable[Variable],
    table: Mapping[tuple[object, ...], object] | Sequence[object] | NDArray[np.bool_],
) -> Expression:
    """Build the expression of a classifier from its table.

    Cost: linear in the table.

    Parameters
    ----------
    variables
        The variables, in the order of the table's columns.
    table
        A mapping from tuples of values to truth values with one entry per instance, or the
        truth values alone, in lexicographic order of the instances (flat, or one axis per variable).

    Returns
    -------
    Expression
        True for exactly the instances that the table marks as true.

    Raises
    ------
    InvalidInput
        If the table misses an instance, has too many, or has an entry that is not a truth value.
    UnknownName
        If a row of the mapping has a value that does not exist.

    Examples
    --------
    >>> from primewood import Variable, from_table
    >>> X, Y = Variable("X", ["x1", "x2"]), Variable("Y", ["y1", "y2"])
    >>> print(from_table([X, Y], [0, 1, 1, 1]))
    X=x1 & Y=y2 | X=x2
    """
    universe = unique_variables(variables)
    shape = tuple(len(x) for x in universe)
    if isinstance(table, Mapping):
        truth = np.zeros(shape, dtype=bool)
        named = {
            as_point(universe, _sort_by_name(universe, row)): _truth_values([value])[0]
            for row, value in table.items()
        }
        if len(named) != math.prod(shape):
            raise InvalidInput(f"the table has {len(named)} of {math.prod(shape)} instances")
        for point, value in named.items():
            truth[point] = value
    else:
        flat = _truth_values(np.asarray(table).ravel().tolist())
        if flat.size != math.prod(shape):
            raise InvalidInput(f"the table has {flat.size} entries; its variables need {math.prod(shape)}")
        truth = flat.reshape(shape)
    return _tree(truth, universe).over(universe)


def _sort_by_name(universe: Sequence[Variable], row: object) -> dict[str, object]:
    if not isinstance(row, tuple) or len(row) != len(universe):
        raise InvalidInput(
            f"a row of the table must be a tuple of {len(universe)} values, not {quote_value(row)}"
        )
    return {x.name: value for x, value in zip(universe, row, strict=True)}


def _truth_values(values: Sequence[object]) -> Table:
    for value in values:
        if value not in (0, 1):
            raise InvalidInput(f"a truth value must be True, False, 1 or 0, not {quote_value(value)}")
    return np.array(values, dtype=bool)


def _tree(truth: Table, variables: Sequence[Variable]) -> Expression:
    """Split on the first variable, its values with equal rows together."""
    if not variables:
        return TRUE if truth else FALSE
    groups: dict[bytes, int] = {}
    for i, row in enumerate(truth):
        groups[row.tobytes()] = groups.get(row.tobytes(), 0) | 1 << i
    first, rest = variables[0], variables[1:]
    parts = []
    for mask in groups.values():
        row = truth[mask.bit_length() - 1]
        parts.append(first.of_mask(mask) & _tree(row, rest))
    return disjunction(parts)


class _Tables:
    """The algebra of truth tables, kept thin by broadcasting."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.axis = {x: i for i, x in enumerate(variables)}

    def constant(self, value: bool) -> Table:
        return np.full((1,) * len(self.axis), value)

    def literal(self, literal: Literal) -> Table:
        if literal.variable not in self.axis:
            raise InvalidInput(f"the expression mentions {literal.variable.name}, which is not declared")
        size = len(literal.variable)
        shape = [1] * len(self.axis)
        shape[self.axis[literal.variable]] = size
        return np.array([bool(literal.mask >> i & 1) for i in range(size)]).reshape(shape)

    def negation(self, argument: Table) -> Table:
        return ~argument

    def conjunction(self, arguments: list[Table]) -> Table:
        return _reduce(np.logical_and, arguments, self.constant(True))

    def disjunction(self, arguments: list[Table]) -> Table:
        return _reduce(np.logical_or, arguments, self.constant(False))

    def at_least(self, count: int, arguments: list[Table]) -> Table:
        total: NDArray[np.int64] = np.zeros((1,) * len(self.axis), dtype=np.int64)
        for argument in arguments:
            total = total + argument
        return total >= count


def _reduce(operation: np.ufunc, arguments: list[Table], start: Table) -> Table:
    for argument in arguments:
        start = operation(start, argument)
    return start
