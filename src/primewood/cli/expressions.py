"""Expressions and instances from the command line: declarations of variables, and values for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from primewood.errors import InvalidInput
from primewood.logic.expression import Expression
from primewood.logic.expression_parser import boolean_variables, parse
from primewood.logic.instance import parse_instance
from primewood.logic.variable import Variable

NUMERIC = re.compile(r"\s*(?P<name>[^=<]+?)\s*(?P<cuts>(<=?\s*[^<=]+)+)")


def parse_variable(text: str) -> Variable:
    """Parse the declaration of a variable.

    ``A=1,2,3`` has values, ``X<2<6`` is cut by the tests X < 2 and X < 6, ``X<=2<=6`` by X <= 2 and
    X <= 6, and ``A`` alone is Boolean.

    >>> parse_variable("A=1,2,3"), parse_variable("X<2<6")
    (Variable('A', ['1', '2', '3']), Variable.numeric('X', cuts=[2, 6], closed='left'))
    """
    name, equals, values = text.partition("=")
    if equals and not name.rstrip().endswith("<"):
        return Variable(name.strip(), [value.strip() for value in values.split(",")])
    match = NUMERIC.fullmatch(text)
    if match is None:
        return Variable.boolean(text.strip())
    operators = set(re.findall(r"<=?", match["cuts"]))
    try:
        cuts = [float(cut) for cut in re.split(r"<=?", match["cuts"])[1:]]
    except ValueError:
        raise InvalidInput(f"a numeric variable is declared X<2<6 or X<=2<=6, not {text!r}") from None
    if len(operators) > 1:
        raise InvalidInput(f"one variable is cut by < or by <=, not by both: {text!r}")
    return Variable.numeric(match["name"], cuts, "left" if operators == {"<"} else "right")


def parse_expression(text: str, declarations: Sequence[str]) -> Expression:
    """Parse an expression and declarations; names that stand alone are Boolean variables."""
    known = [parse_variable(declaration) for declaration in declarations]
    return parse(text, [*known, *boolean_variables(text, known)])


def read_instance(text: str, variables: Sequence[Variable]) -> dict[str, object]:
    """Read an instance such as ``A=2, B=r``; a Boolean value is true or false, 1 or 0."""
    truth = {"true": True, "1": True, "false": False, "0": False}
    by_name = {x.name: x for x in variables}
    given: dict[str, object] = {}
    for name, value in parse_instance(text).items():
        variable = by_name.get(name)
        if variable is not None and variable.is_boolean and value.lower() in truth:
            given[name] = truth[value.lower()]
        elif variable is not None:
            given[name] = variable.values[variable.index_of_text(value)]
        else:
            given[name] = value
    return given
