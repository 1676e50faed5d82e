"""Prime implicants by definition: the ground truth for small universes.

A term τ is an implicant of Δ iff every instance of τ satisfies Δ; it is prime iff no weakening of τ
that the language knows is an implicant. This module lists all terms and applies these
sentences. It shares nothing with the engines, so that it can judge them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from primewood.errors import TooLarge
from primewood.logic.expression import Expression, check_expression
from primewood.logic.instance import Box
from primewood.logic.language import Language, check_language, literal_masks, weakenings
from primewood.logic.masks import indices
from primewood.logic.table import Table, truth_table
from primewood.logic.term import Term
from primewood.logic.variable import Variable

MOST_TERMS = 4_000_000


def prime_implicants_by_definition(expression: Expression, literals: Language = "sets") -> list[Term]:
    """List all prime implicants of an expression in a literal language, by definition.

    Cost: one array over all terms of the universe, at most four million.

    Parameters
    ----------
    expression
        The expression.
    literals
        "sets", "intervals" or "values".

    Returns
    -------
    list of Term
        All prime implicants.

    Raises
    ------
    TooLarge
        If the universe has more than four million terms.
    InvalidInput
        If `expression` is not an expression, or `literals` is not a language.

    Examples
    --------
    >>> from primewood import Variable, prime_implicants_by_definition
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", [1, 2])
    >>> print(*prime_implicants_by_definition((A == 1) | (B == 2)), sep="; ")
    A=1; B=2
    """
    variables = check_expression(expression).variables
    boxes = prime_boxes(truth_table(expression, variables), variables, literals)
    return [Term.of_box(variables, box) for box in boxes]


def prime_boxes(table: Table, variables: Sequence[Variable], literals: Language) -> list[Box]:
    """The prime boxes of a truth table with one axis per variable."""
    check_language(literals)
    count = math.prod(_how_many(x, literals) for x in variables)
    if count > MOST_TERMS:
        raise TooLarge(
            f"the universe has about {count:,} terms; by definition is for at most "
            f"{MOST_TERMS:,}. Use prime_implicants, which runs on an engine"
        )
    masks = [literal_masks(x, literals) for x in variables]
    implicant = table
    for axis, choices in enumerate(masks):
        slices = [implicant.take(indices(mask), axis).all(axis) for mask in choices]
        implicant = np.stack(slices, axis)
    prime = implicant.copy()
    for axis, (x, choices) in enumerate(zip(variables, masks, strict=True)):
        place = {mask: i for i, mask in enumerate(choices)}
        for mask in choices:
            here = (slice(None),) * axis + (place[mask],)
            for weaker in weakenings(x, mask, literals):
                prime[here] &= ~implicant[(slice(None),) * axis + (place[weaker],)]
    return [
        tuple(choices[i] for choices, i in zip(masks, where, strict=True)) for where in np.argwhere(prime)
    ]


def _how_many(variable: Variable, literals: Language) -> int:
    """How many value sets of a variable there are in a language, at most."""
    if literals == "sets" or (literals == "intervals" and not variable.ordered):
        return 1 << len(variable)
    return len(variable) ** 2
