"""Multi-valued expressions (the paper's sections 2 and 3.1).

An expression is a constant, a literal, or a connective over expressions. Expressions are
immutable and kept in a light normal form by the functions that build them
(`primewood.logic.connectives`): nested conjunctions and disjunctions are flat, constants are
folded, and literals of one variable inside one connective become one literal. So what the
paper calls a literal, "a non-trivial expression that mentions a single variable", is a
`Literal` here however it was written, and a conjunction of literals is a `Term`.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from primewood.errors import InvalidInput, quote_value
from primewood.logic.interval import Interval
from primewood.logic.masks import find_runs
from primewood.logic.variable import Variable, unique_variables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEEPEST = 100
"""How deep an expression may be nested that is read from text or pickled."""


class Expression(ABC):
    """A multi-valued propositional expression.

    Combine expressions with ``&``, ``|``, ``~``, `implies` and `iff`. ``==`` compares how they
    are written; `equivalent` compares what they mean.

    Attributes
    ----------
    variables : tuple of Variable
        The universe of the expression: the variables that it mentions, and those that it was declared over (`over`).

    Examples
    --------
    >>> from primewood import Variable
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", ["r", "b", "g"])
    >>> f = (A == 1) & ~(B == "r")
    >>> print(f)
    A=1 & B!=r
    >>> f.equivalent(~((A != 1) | (B == "r")))
    True
    """

    __slots__ = ("_depth", "_hash", "variables")

    variables: tuple[Variable, ...]
    _hash: int
    _depth: int

    def _init(self, variables: Iterable[Variable], arguments: Iterable[Expression] = ()) -> None:
        """Set what every node has; called last by each constructor."""
        depth = 1 + max((argument._depth for argument in arguments), default=0)
        object.__setattr__(self, "_depth", depth)
        object.__setattr__(self, "variables", unique_variables(variables))
        plain = self._plain()
        object.__setattr__(self, "_hash", hash((type(plain).__name__, plain._key())))

    def _plain(self) -> Expression:
        """The expression as operators would have built it: a term of one literal is that literal."""
        return self

    @abstractmethod
    def _key(self) -> object:
        """What makes two expressions of one class equal."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression is immutable: cannot set {name}")

    def check_depth(self) -> Self:
        """The expression; raise if it is nested too deep."""
        if self._depth > DEEPEST:
            raise InvalidInput(f"the expression is nested more than {DEEPEST} levels deep")
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return super(Expression, self.check_depth()).__reduce_ex__(protocol)

    def __copy__(self) -> Self:
        clone = object.__new__(type(self))
        for name in (slot for kind in type(self).__mro__ for slot in getattr(kind, "__slots__", ())):
            object.__setattr__(clone, name, getattr(self, name))
        return clone

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        for slot, value in state[1].items():
            object.__setattr__(self, slot, value)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        if self is other or self._hash != other._hash:
            return self is other
        mine, yours = self._plain(), other._plain()
        return type(mine) is type(yours) and mine._key() == yours._key()

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value of its own: combine expressions with &, | and ~ "
            "(not with and, or, not, nor with chained comparisons), and ask holds(instance)"
        )

    def __and__(self, other: Expression) -> Expression:
        from primewood.logic import connectives

        return connectives.conjunction([self, other])

    def __or__(self, other: Expression) -> Expression:
        from primewood.logic import connectives

        return connectives.disjunction([self, other])

    def __invert__(self) -> Expression:
        from primewood.logic import connectives

        return connectives.negation(self)

    def implies(self, other: Expression) -> Expression:
        """The expression ``self -> other``."""
        from primewood.logic import connectives

        return connectives.implication(self, other)

    def iff(self, other: Expression) -> Expression:
        """The expression ``self <-> other``."""
        from primewood.logic import connectives

        return connectives.equivalence(self, other)

    def over(self, variables: Iterable[Variable]) -> Self:
        """The same expression, declared over `variables` (which must contain those it mentions)."""
        universe = unique_variables(variables)
        declared = set(universe)
        for variable in self.variables:
            if variable not in declared:
                raise InvalidInput(f"the expression mentions {variable.name}, which is not declared")
        clone = copy.copy(self)
        object.__setattr__(clone, "variables", universe)
        return clone

    def holds(self, instance: Mapping[str, object] | Expression) -> bool:
        """Whether the expression is true on an instance. Cost: linear in its size.

        >>> A = Variable("A", [1, 2, 3])
        >>> (A != 3).holds({"A": 2})
        True
        """
        from primewood.logic.fold import truth
        from primewood.logic.instance import as_point

        return truth(self, self.variables, as_point(self.variables, instance))

    def truth_table(self) -> NDArray[np.bool_]:
        """The truth value of every instance, one axis per variable of `variables`.

        Cost: one array of the size of the universe; too large a universe is an error.
        """
        from primewood.logic.table import truth_table

        return truth_table(self, self.variables)

    def equivalent(self, other: Expression) -> bool:
        """Whether both are true on the same instances. Cost: that of `entails`, twice."""
        return self.entails(other) and other.entails(self)

    def entails(self, other: Expression) -> bool:
        """Whether every instance that satisfies this expression satisfies `other`.

        Cost: two truth tables.
        """
        from primewood.logic.table import truth_table

        universe = unique_variables((*self.variables, *check_expression(other).variables))
        return bool((~truth_table(self, universe) | truth_table(other, universe)).all())

    def __str__(self) -> str:
        from primewood.logic.printer import text

        return text(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


def check_expression(thing: object) -> Expression:
    """The thing; raise if it is not an expression."""
    if not isinstance(thing, Expression):
        raise InvalidInput(f"expected an expression, got {quote_value(thing)}; parse makes one from text")
    return thing


class Constant(Expression):
    """`true` or `false`."""

    __slots__ = ("value",)

    value: bool

    def __init__(self, value: bool) -> None:
        object.__setattr__(self, "value", bool(value))
        self._init(())

    def _key(self) -> object:
        return self.value


TRUE = Constant(True)
FALSE = Constant(False)


class Literal(Expression):
    """A non-empty proper subset of the values of one variable: "X is one of these".

    Attributes
    ----------
    variable : Variable
    mask : int
        The values as bits: bit i stands for ``variable.values[i]``.

    Examples
    --------
    >>> from primewood import Variable
    >>> B = Variable("B", ["r", "b", "g"])
    >>> literal = B != "g"
    >>> literal.values, literal.mask
    (('r', 'b'), 3)
    """

    __slots__ = ("mask", "variable")

    variable: Variable
    mask: int

    def __init__(self, variable: Variable, mask: int) -> None:
        if not isinstance(variable, Variable) or type(mask) is not int:
            raise InvalidInput(
                "a literal takes a Variable and a bit mask of its values, "
                f"not {quote_value(variable)} and {quote_value(mask)}"
            )
        if not 0 < mask < variable.everything:
            raise InvalidInput(
                f"a literal of {variable.name} is a non-empty proper subset of its "
                f"{len(variable)} values; {'all' if mask else 'no'} values is a trivial expression"
            )
        object.__setattr__(self, "variable", variable)
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "variables", (variable,))
        object.__setattr__(self, "_depth", 1)
        object.__setattr__(self, "_hash", hash((type(self).__name__, self._key())))

    def _key(self) -> object:
        return (self.variable, self.mask)

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The values that the literal allows, in the variable's order."""
        return tuple(v for i, v in enumerate(self.variable.values) if self.mask >> i & 1)

    @property
    def is_simple(self) -> bool:
        """Whether the literal allows exactly one value."""
        return self.mask.bit_count() == 1

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The allowed numbers of a numeric variable as maximal intervals, from low to high.

        >>> X = Variable.numeric("X", cuts=[2, 6])
        >>> print(*((X < 2) | (X >= 6)).intervals, sep=" and ")
        (-inf, 2) and [6, inf)
        """
        variable = self.variable
        if variable.cuts is None:
            return ()
        ends, numbers = (-math.inf, *variable.cuts, math.inf), self.mask & (1 << variable.ordered) - 1
        return tuple(
            Interval(ends[low], ends[high + 1], variable.closed or "left") for low, high in find_runs(numbers)
        )

    def entails(self, other: Expression) -> bool:
        """Whether this literal allows only what `other` allows. Cost: constant between literals."""
        if isinstance(other, Literal):
            return self.variable == other.variable and self.mask & ~other.mask == 0
        return super().entails(other)

    def stronger(self, other: Literal) -> bool:
        """Whether this literal entails `other`, and `other` does not entail it."""
        return self.entails(other) and not other.entails(self)


class Not(Expression):
    """``!argument``."""

    __slots__ = ("argument",)

    argument: Expression

    def __init__(self, argument: Expression) -> None:
        object.__setattr__(self, "argument", argument)
        self._init(argument.variables, (argument,))

    def _key(self) -> object:
        return self.argument


class Connective(Expression):
    """A connective with a sequence of arguments."""

    __slots__ = ("arguments",)

    arguments: tuple[Expression, ...]

    def __init__(self, arguments: Iterable[Expression]) -> None:
        object.__setattr__(self, "arguments", tuple(arguments))
        self._init((x for argument in self.arguments for x in argument.variables), self.arguments)

    def _key(self) -> object:
        return self.arguments


class And(Connective):
    """``a & b & ...``."""

    __slots__ = ()


class Or(Connective):
    """``a | b | ...``."""

    __slots__ = ()


class Implies(Connective):
    """``a -> b``."""

    __slots__ = ()


class Iff(Connective):
    """``a <-> b``."""

    __slots__ = ()


class AtLeast(Connective):
    """``at_least(k, a, b, ...)``: at least `count` of the arguments are true.

    The gate by which trees vote (the paper's section 4.4).
    """

    __slots__ = ("count",)

    count: int

    def __init__(self, count: int, arguments: Iterable[Expression]) -> None:
        object.__setattr__(self, "count", int(count))
        super().__init__(arguments)

    def _key(self) -> object:
        return (self.count, self.arguments)
