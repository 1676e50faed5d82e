"""Writing expressions as text that `parse` reads back as the same expression."""

from __future__ import annotations

import re

from primewood.logic.expression import (
    And,
    AtLeast,
    Constant,
    Expression,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
)
from primewood.logic.fold import bottom_up
from primewood.logic.lexicon import KEYWORDS, RESERVED, quote

NAME = re.compile(r"[^\W\d][\w.]*")
VALUE = re.compile(r"[\w.]+|[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

IFF, IMPLIES, OR, AND, NOT, ATOM = range(6)


def text(expression: Expression) -> str:
    """Write an expression; constants are `true` and `false`.

    >>> from primewood.logic.variable import Variable
    >>> B, C = Variable("B", ["r", "b", "g"]), Variable("C", ["very low", "high"])
    >>> text(((B == "r") | (C == "high")).implies(~(B == "g")))
    'B=r | C=high -> B!=g'
    """
    return bottom_up(expression, _write)[0]


def quote_word(word: str, *, is_name: bool = False) -> str:
    """A name or a value as it stands in text: in quotes where it needs them.

    >>> quote_word("car"), quote_word("used car"), quote_word("true")
    ('car', '"used car"', '"true"')
    """
    pattern, keywords = (NAME, KEYWORDS) if is_name else (VALUE, RESERVED)
    return word if pattern.fullmatch(word) and word not in keywords else quote(word)


Words = tuple[str, int]
"""A text, and how tightly its outermost connective binds."""


def _write(expression: Expression, parts: list[Words]) -> Words:
    """The text of an expression from those of its arguments."""
    match expression:
        case Constant():
            return ("true" if expression.value else "false"), ATOM
        case Literal():
            return literal_text(expression)
        case Not():
            return "!" + _print_inside(parts[0], NOT), NOT
        case AtLeast():
            return f"at_least({expression.count}, {', '.join(words for words, _ in parts)})", ATOM
        case And(arguments=()):
            return "true", ATOM
        case And(arguments=(_,)):
            return parts[0]
        case And():
            return " & ".join(_print_inside(part, NOT) for part in parts), AND
        case Or():
            return " | ".join(_print_inside(part, AND) for part in parts), OR
        case Implies():
            return f"{_print_inside(parts[0], OR)} -> {_print_inside(parts[1], IMPLIES)}", IMPLIES
        case Iff():
            return f"{_print_inside(parts[0], IFF)} <-> {_print_inside(parts[1], IMPLIES)}", IFF
    raise TypeError(f"not an expression: {expression!r}")


def _print_inside(part: Words, weakest: int) -> str:
    """The text as an argument, in brackets if it binds less tightly than `weakest`."""
    words, level = part
    return words if level >= weakest else f"({words})"


def literal_text(literal: Literal) -> tuple[str, int]:
    """The text of a literal, and how tightly it binds.

    >>> from primewood.logic.variable import Variable
    >>> X = Variable.numeric("X", cuts=[2, 6])
    >>> literal_text((X < 2) | (X >= 6))[0]
    'X < 2 | X >= 6'
    """
    variable, mask = literal.variable, literal.mask
    name = quote_word(variable.name, is_name=True)
    if variable.is_boolean:
        return (name, ATOM) if mask == 2 else (f"!{name}", NOT)
    allowed = [quote_word(str(value)) for value in literal.values]
    if variable.is_numeric:
        pieces = [interval.condition(name) for interval in literal.intervals]
        if variable.missing is not None and mask >> variable.missing & 1:
            pieces.append(f"{name}=missing")
        elif mask == (1 << variable.ordered) - 1:
            pieces = [f"{name}!=missing"]
        return " | ".join(pieces), ATOM if len(pieces) == 1 else OR
    if len(allowed) == 1:
        return f"{name}={allowed[0]}", ATOM
    if len(allowed) == len(variable) - 1:
        absent = (variable.everything & ~mask).bit_length() - 1
        return f"{name}!={quote_word(str(variable.values[absent]))}", ATOM
    return f"{name} in {{{', '.join(allowed)}}}", ATOM
