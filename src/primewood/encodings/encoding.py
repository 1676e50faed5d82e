"""What the three Boolean encodings have in common (the paper's section 4).

An encoding gives each multi-valued variable X a block of Boolean variables. It turns a literal
over X into a Boolean expression over the block; Ψ says which assignments of the block stand for a
value. A Boolean variable is a `Variable` with the values False and True, so that Ψ, Δ_b and
Boolean terms are ordinary expressions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Literal as Choice

from primewood.encodings.clauses import Cnf, clauses_of
from primewood.errors import InvalidInput, Undecodable
from primewood.logic.connectives import at_least, conjunction, disjunction, negation
from primewood.logic.expression import FALSE, TRUE, Expression, Literal
from primewood.logic.fold import fold
from primewood.logic.instance import as_point, as_term
from primewood.logic.table import truth_table
from primewood.logic.term import Term
from primewood.logic.variable import Variable, unique_variables

Bits = Mapping[int, bool]
"""A Boolean term over one block: the place of a Boolean variable in the block, and its sign."""

HowPsi = Choice["and", "implies", "none"]


class Encoding(ABC):
    """A Boolean encoding of multi-valued variables.

    Attributes
    ----------
    variables : tuple of Variable
        The multi-valued variables.
    booleans : tuple of Variable
        The Boolean variables, block after block. The one that belongs to the i-th value of X,
        counted from 1 as in the paper, is called ``X_i``.

    Examples
    --------
    >>> from primewood import Variable
    >>> from primewood.encodings import OneHot
    >>> X = Variable("X", ["x1", "x2", "x3"])
    >>> encoding = OneHot([X])
    >>> [b.name for b in encoding.booleans]
    ['X_1', 'X_2', 'X_3']
    >>> print(encoding.encode(X != "x1"))
    !X_1
    """

    first: int
    """The number of the value whose Boolean variable is the first of a block, from 1."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.variables = unique_variables(variables)
        self.blocks: dict[Variable, tuple[Variable, ...]] = {}
        for x in self.variables:
            numbers = range(self.first, len(x) + 1)
            self.blocks[x] = tuple(Variable.boolean(f"{x.name}_{i}") for i in numbers)
        self.booleans = tuple(b for block in self.blocks.values() for b in block)
        self._owner = {b: (x, i) for x, block in self.blocks.items() for i, b in enumerate(block)}

    @abstractmethod
    def psi_of(self, variable: Variable) -> Expression:
        """Ψ_X: which assignments of the block of X stand for a value."""

    @abstractmethod
    def encode_literal(self, literal: Literal) -> Expression:
        """The Boolean form of a literal."""

    @abstractmethod
    def code(self, variable: Variable, value: int) -> dict[int, bool]:
        """The assignment of the block of X for a value (its index), every Boolean variable set."""

    @abstractmethod
    def met(self, variable: Variable, bits: Bits) -> tuple[int, bool]:
        """The values that a Boolean term over the block meets, and whether it encodes them.

        The mask of the values that have an assignment which satisfies the term and Ψ; and whether
        *all* assignments of these values satisfy the term.
        """

    @abstractmethod
    def keep_values(self, variable: Variable, mask: int, place: int, bit: bool) -> int:
        """The values that a block can stand for after one more of its bits, read from the first one on.

        `mask` are those that it could stand for after the bits before `place`; 0 once Ψ is violated.
        """

    @property
    def psi(self) -> Expression:
        """Ψ, the conjunction of the constraints of all variables."""
        return conjunction(self.psi_of(x) for x in self.variables).over(self.booleans)

    def encode(self, thing: Expression | Mapping[str, object]) -> Expression:
        """Δ_b: the Boolean form of an expression, a term or an instance (as a mapping).

        Cost: linear in the expression times the values of a variable.
        """
        if not isinstance(thing, Expression):
            thing = as_term(self.variables, as_point(self.variables, thing))
        return fold(thing, _Encoder(self)).over(self.booleans)

    def full_encoding(self, instance: Mapping[str, object] | Expression) -> Term:
        """The instance as a Boolean term that sets every Boolean variable; it satisfies Ψ."""
        point = as_point(self.variables, instance)
        return Term(
            self.sign(x, place, positive)
            for x, value in zip(self.variables, point, strict=True)
            for place, positive in self.code(x, value).items()
        )

    def decode(self, rho: Expression) -> Term:
        """The multi-valued term τ with ρ∧Ψ ≡ τ_b∧Ψ. Cost: linear.

        Raises
        ------
        Undecodable
            If there is no such term: ρ contradicts Ψ, or meets only some of the assignments that
            stand for a value.
        """
        if rho == FALSE:
            raise Undecodable("false is not a term")
        blocks = self.group_by_block(Term.of(rho))
        literals = []
        for x in self.variables:
            mask, whole = self.met(x, blocks[x])
            if not mask:
                raise Undecodable(f"{rho} leaves no value of {x.name}")
            if not whole:
                met = " or ".join(str(v) for i, v in enumerate(x.values) if mask >> i & 1)
                raise Undecodable(f"{rho} meets {x.name}={met} but does not encode it")
            if mask != x.everything:
                literals.append(Literal(x, mask))
        return Term(literals)

    def group_by_block(self, rho: Term) -> dict[Variable, dict[int, bool]]:
        """A Boolean term, block by block."""
        blocks: dict[Variable, dict[int, bool]] = {x: {} for x in self.variables}
        for literal in rho.literals:
            x, place = self.owner(literal.variable)
            blocks[x][place] = literal.mask == 2
        return blocks

    def owner(self, boolean: Variable) -> tuple[Variable, int]:
        """The multi-valued variable that a Boolean variable belongs to, and its place in the block."""
        if boolean not in self._owner:
            raise InvalidInput(f"{boolean.name} is not a Boolean variable of this encoding")
        return self._owner[boolean]

    def sign(self, variable: Variable, place: int, positive: bool) -> Literal:
        """The Boolean literal of one variable of a block."""
        return Literal(self.blocks[variable][place], 2 if positive else 1)

    def with_psi(self, encoded: Expression, psi: HowPsi) -> Expression:
        """Ψ ∧ Δ_b, Ψ ⇒ Δ_b, or Δ_b alone."""
        if psi == "and":
            return (self.psi & encoded).over(self.booleans)
        if psi == "implies":
            return self.psi.implies(encoded).over(self.booleans)
        if psi == "none":
            return encoded.over(self.booleans)
        raise InvalidInput(f'psi must be "and", "implies" or "none", not {psi!r}')

    def to_cnf(self, expression: Expression, psi: HowPsi = "and") -> Cnf:
        """Clauses that are satisfiable exactly as Δ_b with Ψ is, model for model.

        The variables 1, 2, ... are `booleans`; the ones after them are defined by the clauses.
        """
        meanings = [self.describe(b) for b in self.booleans]
        return clauses_of(self.with_psi(self.encode(expression), psi), self.booleans, meanings)

    def to_dimacs(self, expression: Expression, psi: HowPsi = "and") -> str:
        """The clauses of `to_cnf` as DIMACS text, with the variable map in comments."""
        return self.to_cnf(expression, psi).to_dimacs()

    def describe(self, boolean: Variable) -> str:
        """The value that a Boolean variable belongs to, for people."""
        x, place = self.owner(boolean)
        return f"{x.name}={x.values[place + self.first - 1]}"


class _Encoder:
    """The algebra that rebuilds an expression with its literals encoded."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.known: dict[Literal, Expression] = {}

    def constant(self, value: bool) -> Expression:
        return TRUE if value else FALSE

    def literal(self, literal: Literal) -> Expression:
        if literal.variable not in self.encoding.blocks:
            raise InvalidInput(f"{literal.variable.name} is not among the encoded variables")
        if literal not in self.known:
            self.known[literal] = self.encoding.encode_literal(literal)
        return self.known[literal]

    def negation(self, argument: Expression) -> Expression:
        return negation(argument)

    def conjunction(self, arguments: list[Expression]) -> Expression:
        return conjunction(arguments)

    def disjunction(self, arguments: list[Expression]) -> Expression:
        return disjunction(arguments)

    def at_least(self, count: int, arguments: list[Expression]) -> Expression:
        return at_least(count, arguments)


def entails_under(psi: Expression, rho: Expression, gamma: Expression) -> bool:
    """Tell whether ρ ⊨_Ψ Γ: every completion of ρ that is consistent with Ψ satisfies Γ (Definition 1).

    Cost: three truth tables over the Boolean variables.

    Parameters
    ----------
    psi, rho, gamma
        Ψ, ρ and Γ, over Boolean variables.

    Returns
    -------
    bool
        Whether the entailment holds.

    Raises
    ------
    TooLarge
        If there are too many variables for a truth table.

    Examples
    --------
    >>> from primewood import Variable
    >>> from primewood.encodings import OneHot, entails_under
    >>> X = Variable("X", ["x1", "x2", "x3"])
    >>> encoding = OneHot([X])
    >>> entails_under(encoding.psi, encoding.encode(X == "x1"), encoding.encode(X != "x2"))
    True
    """
    universe = unique_variables((*psi.variables, *rho.variables, *gamma.variables))
    completions = truth_table(rho, universe) & truth_table(psi, universe)
    return bool(truth_table(gamma, universe)[completions].all())
