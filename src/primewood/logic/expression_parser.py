"""Reading expressions over variables from text; the grammar is that of all conditions (`grammar`).

A name alone is a Boolean variable. Comparisons must fall on the cuts of a numeric variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from primewood.errors import InvalidInput, ParseError
from primewood.logic.connectives import (
    at_least,
    conjunction,
    disjunction,
    equivalence,
    implication,
    negation,
)
from primewood.logic.expression import FALSE, TRUE, Expression
from primewood.logic.lexicon import Vocabulary
from primewood.logic.statement_parser import read
from primewood.logic.syntax import (
    Bounds,
    Join,
    Leaf,
    Membership,
    Mention,
    Syntax,
    Truth,
    Word,
    fold,
    leaves,
)
from primewood.logic.variable import Variable, unique_variables

Result = TypeVar("Result")


def parse(text: str, variables: Iterable[Variable]) -> Expression:
    """Read an expression from text.

    Cost: linear in the text.

    Parameters
    ----------
    text
        The text, with ``&``, ``|``, ``!``, ``->``, ``<->``, comparisons such as ``B=r`` and ``X < 2``, and
        ``at_least(2, ...)``. A name alone is a Boolean variable.
    variables
        The variables that the text can name.

    Returns
    -------
    Expression
        It is declared over all `variables`.

    Raises
    ------
    ParseError
        If the text is not an expression, or names something unknown; the message shows the position.
    InvalidInput
        If two variables have the same name.

    Examples
    --------
    >>> from primewood import Variable, parse
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", ["r", "b", "g"])
    >>> print(parse("(B=r | B=b) -> !(A=2)", [A, B]))
    B!=g -> A!=2
    """
    universe = unique_variables(variables)
    values = {x.name: () if x.is_numeric else tuple(map(str, x.values)) for x in universe}
    found = read(text, Vocabulary(values, noun="variable"))
    by_name = {x.name: x for x in universe}
    meaning = expression_of(found.condition, text, lambda leaf: _literal(leaf, text, by_name))
    return meaning.over(universe)


def boolean_variables(text: str, known: Sequence[Variable]) -> tuple[Variable, ...]:
    """Boolean variables for the names in `text` that stand alone and are not `known`.

    So that ``(A | !C) & B`` needs no declarations. Cost: linear in the text.

    >>> [x.name for x in boolean_variables("(A | !C) & B", [])]
    ['A', 'C', 'B']
    """
    names = {x.name: () if x.is_numeric else tuple(map(str, x.values)) for x in known}
    found = leaves(read(text, Vocabulary(names, is_open=True, noun="variable")).condition)
    alone = (leaf.name.text for leaf in found if isinstance(leaf, Mention))
    return tuple(Variable.boolean(name) for name in dict.fromkeys(alone) if name not in names)


def expression_of(node: Syntax, text: str, literal: Callable[[Leaf], Expression]) -> Expression:
    """The expression that a tree says, whose leaves say what `literal` gives for them."""

    def join(here: Join, parts: list[Expression]) -> Expression:
        try:
            return _join(here, parts).check_depth()
        except ParseError:
            raise
        except InvalidInput as problem:
            raise ParseError.because(problem, text, here.start) from None

    return fold(node, literal, join)


def _join(node: Join, parts: list[Expression]) -> Expression:
    match node.connective:
        case "not":
            return negation(parts[0])
        case "and":
            return conjunction(parts)
        case "or":
            return disjunction(parts)
        case "at_least":
            return at_least(node.count, parts)
        case "implies":
            result = parts.pop()
            while parts:
                result = implication(parts.pop(), result.check_depth())
            return result
        case "iff":
            result = parts[0]
            for part in parts[1:]:
                result = equivalence(result.check_depth(), part)
            return result


def _literal(leaf: Leaf, text: str, variables: Mapping[str, Variable]) -> Expression:
    """What a leaf says of a variable."""
    if isinstance(leaf, Truth):
        return TRUE if leaf.value else FALSE
    assert isinstance(leaf, Mention | Bounds | Membership), "expressions have no orders"
    variable = variables[leaf.name.text]
    if isinstance(leaf, Mention):
        if leaf.in_row or not variable.is_boolean:
            raise ParseError(f"expected =, !=, in or a comparison after {variable.name}", text, leaf.end)
        return variable.literal([True])
    if isinstance(leaf, Bounds):
        return conjunction(
            _at(text, word, variable.comparison, operator, word.number or 0.0)
            for operator, word in leaf.limits
        )
    allowed = disjunction(_value(variable, word, text) for word in leaf.values)
    return negation(allowed) if leaf.negated else allowed


def _value(variable: Variable, word: Word, text: str) -> Expression:
    if variable.is_numeric and word.text != "missing":
        form = "< or >=" if variable.closed == "left" else "<= or >"
        raise ParseError(f"{variable.name} is numeric: compare it with {form} at its cuts", text, word.start)
    return variable.of_mask(1 << _at(text, word, variable.index_of_text, word.text))


def _at(text: str, word: Word, find: Callable[..., Result], *given: object) -> Result:
    """What a look-up gives; an error of it shows the word that was looked up."""
    try:
        return find(*given)
    except InvalidInput as problem:
        raise ParseError.because(problem, text, word.start) from None
