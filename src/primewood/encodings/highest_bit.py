"""The highest-bit encoding (the paper's section 4.2).

X=x_i is written x_i ¬x_{i+1} ... ¬x_n, and X=x_1 is ¬x_2 ... ¬x_n: the value is the highest index
whose variable is true. Every assignment stands for a value, so Ψ is ⊤; but most Boolean terms
stand for no literal.
"""

from __future__ import annotations

from primewood.encodings.encoding import Bits, Encoding
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import TRUE, Expression, Literal
from primewood.logic.masks import indices
from primewood.logic.variable import Variable


class HighestBit(Encoding):
    """The highest-bit encoding.

    >>> X = Variable("X", ["x1", "x2", "x3", "x4"])
    >>> print(HighestBit([X]).encode(X.isin(["x1", "x3"])))
    !X_2 & !X_3 & !X_4 | X_3 & !X_4
    """

    first = 2

    def psi_of(self, variable: Variable) -> Expression:  # noqa: ARG002 - the same for all
        return TRUE

    def encode_literal(self, literal: Literal) -> Expression:
        x = literal.variable
        return disjunction(
            conjunction(
                self.sign(x, place, positive) for place, positive in self.code(x, i).items() if place >= i - 1
            )
            for i in indices(literal.mask)
        )

    def code(self, variable: Variable, value: int) -> dict[int, bool]:
        return {place: place == value - 1 for place in range(len(variable) - 1)}

    def met(self, variable: Variable, bits: Bits) -> tuple[int, bool]:
        mask, whole = 0, True
        for value in range(len(variable)):
            own = value - 1
            if bits.get(own) is False or any(bits[place] for place in bits if place > own):
                continue
            mask |= 1 << value
            whole = whole and not any(place < own for place in bits)
        return mask, whole

    def keep_values(self, variable: Variable, mask: int, place: int, bit: bool) -> int:  # noqa: ARG002
        return mask & -1 << place + 1 if bit else mask & ~(1 << place + 1)
