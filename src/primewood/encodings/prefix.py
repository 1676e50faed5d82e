"""The prefix encoding (the paper's section 4.1).

X=x_i is written with x_2, ..., x_n: the first i−1 are true, the rest false, and Ψ_X is
⋀ (x_i ⇒ x_{i−1}). A literal over values that are not contiguous is not a Boolean term, so primes with
such literals are never found.
"""

from __future__ import annotations

import itertools

from primewood.encodings.encoding import Bits, Encoding
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import Expression, Literal
from primewood.logic.masks import indices
from primewood.logic.variable import Variable


class Prefix(Encoding):
    """The prefix (order, thermometer) encoding.

    >>> X = Variable("X", ["x1", "x2", "x3"])
    >>> print(Prefix([X]).encode(X == "x2"), "with", Prefix([X]).psi)
    X_2 & !X_3 with X_3 -> X_2
    """

    first = 2

    def psi_of(self, variable: Variable) -> Expression:
        signs = [self.sign(variable, i, True) for i in range(len(variable) - 1)]
        return conjunction(b.implies(a) for a, b in itertools.pairwise(signs))

    def encode_literal(self, literal: Literal) -> Expression:
        x = literal.variable
        return disjunction(
            conjunction(self.sign(x, place, positive) for place, positive in self.code(x, i).items())
            for i in indices(literal.mask)
        )

    def code(self, variable: Variable, value: int) -> dict[int, bool]:
        return {place: place < value for place in range(len(variable) - 1)}

    def met(self, variable: Variable, bits: Bits) -> tuple[int, bool]:
        mask = 0
        for value in range(len(variable)):
            code = self.code(variable, value)
            if all(code[place] == positive for place, positive in bits.items()):
                mask |= 1 << value
        return mask, True

    def keep_values(self, variable: Variable, mask: int, place: int, bit: bool) -> int:  # noqa: ARG002
        above = -1 << place + 1
        return mask & above if bit else mask & ~above
