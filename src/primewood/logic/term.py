"""Terms: conjunctions of literals over distinct variables, which are boxes of instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from primewood.errors import InvalidInput, quote_value
from primewood.fields import several
from primewood.logic.expression import TRUE, And, Expression, Literal, check_expression
from primewood.logic.variable import Variable, unique_variables


class Term(And):
    """A conjunction of literals over distinct variables: a box. No literals: `true`.

    Two terms are equal when they have the same literals, in whatever order. An *instance* is a
    simple term over all variables.

    Examples
    --------
    >>> from primewood import Term, Variable
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", ["r", "b", "g"])
    >>> term = Term([A == 2, B != "g"])
    >>> print(term, "is weaker than", Term([A == 2, B == "r"]))
    A=2 & B!=g is weaker than A=2 & B=r
    >>> term.strictly_subsumes(Term([A == 2, B == "r"]))
    True
    """

    __slots__ = ()

    def __init__(self, literals: Iterable[Literal] = ()) -> None:
        literals = several(literals, "literals")
        for literal in literals:
            if not isinstance(literal, Literal):
                raise InvalidInput(f"a term is made of literals; {quote_value(literal)} is none")
        if len(unique_variables(literal.variable for literal in literals)) < len(literals):
            names = ", ".join(literal.variable.name for literal in literals)
            raise InvalidInput(f"a term has one literal per variable; got {names}")
        super().__init__(literals)

    def _key(self) -> object:
        return frozenset(self.arguments)

    def _plain(self) -> Expression:
        if len(self.arguments) > 1:
            return self
        return self.arguments[0] if self.arguments else TRUE

    @classmethod
    def of(cls, expression: Expression) -> Term:
        """The term that an expression is: a literal, a conjunction of literals, or `true`."""
        if isinstance(expression, Term):
            return expression
        if isinstance(expression, Literal):
            return cls([expression])
        if check_expression(expression) == TRUE:
            return cls()
        raise InvalidInput(f"not a term: {expression}. A term is a conjunction of literals")

    @classmethod
    def of_box(cls, variables: Sequence[Variable], box: Sequence[int]) -> Term:
        """The term that allows `box[i]` (a bit mask) of `variables[i]`."""
        return cls(Literal(x, mask) for x, mask in zip(variables, box, strict=True) if mask != x.everything)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals, one per variable that the term mentions."""
        return self.arguments  # type: ignore[return-value]

    def box(self, variables: Sequence[Variable]) -> tuple[int, ...]:
        """The values that the term allows of each of `variables`, as bit masks."""
        allowed = {literal.variable: literal.mask for literal in self.literals}
        box = tuple(allowed.pop(x, x.everything) for x in unique_variables(variables))
        if allowed:
            raise InvalidInput(f"the term mentions {next(iter(allowed)).name}, which is not declared")
        return box

    @property
    def is_simple(self) -> bool:
        """Whether every literal allows exactly one value."""
        return all(literal.is_simple for literal in self.literals)

    def is_instance(self, variables: Iterable[Variable]) -> bool:
        """Whether the term fixes one value for each of `variables`."""
        return self.is_simple and {literal.variable for literal in self.literals} >= set(
            unique_variables(variables)
        )

    def __getitem__(self, variable: Variable | str) -> Literal:
        name = _name_of(variable)
        for literal in self.literals:
            if literal.variable.name == name:
                return literal
        raise KeyError(name)

    def __contains__(self, variable: Variable | str) -> bool:
        name = _name_of(variable)
        return any(literal.variable.name == name for literal in self.literals)

    def consistent_with(self, other: Expression) -> bool:
        """Whether some instance satisfies both this term and that term or literal. Cost: linear."""
        yours = {literal.variable: literal.mask for literal in Term.of(other).literals}
        return all(mine.mask & yours.get(mine.variable, mine.mask) for mine in self.literals)

    def entails(self, other: Expression) -> bool:
        """Whether every instance of this term satisfies `other`.

        Cost: linear if `other` is a term or a literal, else two truth tables.
        """
        if isinstance(other, Term | Literal):
            required = Term.of(other).literals
            mine = {literal.variable: literal for literal in self.literals}
            return all(x.variable in mine and mine[x.variable].entails(x) for x in required)
        return super().entails(other)

    def subsumes(self, other: Expression) -> bool:
        """Whether `other` entails this term: this one is weaker or the same."""
        return check_expression(other).entails(self)

    def strictly_subsumes(self, other: Expression) -> bool:
        """Whether this term is strictly weaker than `other`."""
        return self.subsumes(other) and not self.entails(other)

    def weaken(self, variable: Variable | str, values: Iterable[object] | None = None) -> Term:
        """The term that also allows `values` of `variable`; None drops the literal.

        >>> A = Variable("A", [1, 2, 3])
        >>> print(Term([A == 2]).weaken(A, [3]), "and", Term([A == 2]).weaken(A))
        A!=1 and true
        """
        if variable not in self:
            return self
        variable = self[variable].variable
        more = variable.everything
        if values is not None:
            more = self[variable].mask
            for value in several(values, "values"):
                more |= 1 << variable.index(value)
        return Term(
            literal if literal.variable != variable else Literal(variable, more)
            for literal in self.literals
            if literal.variable != variable or more != variable.everything
        )

    def completions(self, variables: Sequence[Variable]) -> Iterator[Term]:
        """The instances over `variables` that are consistent with the term, lazily."""
        from primewood.logic.instance import points

        for point in points(self.box(variables)):
            yield Term(Literal(x, 1 << i) for x, i in zip(variables, point, strict=True))


def _name_of(variable: Variable | str) -> str:
    if not isinstance(variable, str | Variable):
        raise InvalidInput(f"expected a Variable or its name, got {quote_value(variable)}")
    return variable if isinstance(variable, str) else variable.name
