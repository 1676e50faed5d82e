"""The one-hot encoding (the paper's section 4.3), used negatively and classically.

One Boolean variable per value, and Ψ_X says that exactly one is true. The paper encodes a literal
with the values S by *eliminating* the others, ⋀ ¬x_i over x_i ∉ S, which is always a term. The
classical use *asserts* the values instead, ⋁ x_i over x_i ∈ S, which is a term only for one value.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from primewood.encodings.encoding import Bits, Encoding
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import Expression, Literal
from primewood.logic.variable import Variable


class OneHot(Encoding):
    """The one-hot encoding.

    Parameters
    ----------
    variables
        The multi-valued variables.
    classical : bool
        Assert values instead of eliminating the others.

    >>> X = Variable("X", ["x1", "x2", "x3"])
    >>> print(OneHot([X]).encode(X == "x2"), "or", OneHot([X], classical=True).encode(X == "x2"))
    !X_1 & !X_3 or X_2
    """

    first = 1

    def __init__(self, variables: Iterable[Variable], *, classical: bool = False) -> None:
        super().__init__(variables)
        self.classical = classical

    def psi_of(self, variable: Variable) -> Expression:
        signs = [self.sign(variable, i, True) for i in range(len(variable))]
        return conjunction([disjunction(signs), *(~a | ~b for a, b in combinations(signs, 2))])

    def encode_literal(self, literal: Literal) -> Expression:
        x = literal.variable
        allowed = [bool(literal.mask >> i & 1) for i in range(len(x))]
        if self.classical:
            return disjunction(self.sign(x, i, True) for i in range(len(x)) if allowed[i])
        return conjunction(self.sign(x, i, False) for i in range(len(x)) if not allowed[i])

    def code(self, variable: Variable, value: int) -> dict[int, bool]:
        return {place: place == value for place in range(len(variable))}

    def met(self, variable: Variable, bits: Bits) -> tuple[int, bool]:
        asserted = [place for place, positive in bits.items() if positive]
        mask = 0
        for value in range(len(variable)):
            if bits.get(value, True) and all(place == value for place in asserted):
                mask |= 1 << value
        return mask, True

    def keep_values(self, variable: Variable, mask: int, place: int, bit: bool) -> int:  # noqa: ARG002
        return mask & 1 << place if bit else mask & ~(1 << place)
