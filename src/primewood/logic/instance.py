"""Instances: one value for every variable, as a mapping, a term, or a point of value indices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from primewood.errors import InvalidInput, UnknownName, format_list, quote_value
from primewood.logic.expression import Expression, Literal
from primewood.logic.masks import indices
from primewood.logic.term import Term
from primewood.logic.variable import Variable

Point = tuple[int, ...]
"""One value index per variable, in the order of the universe."""

Box = tuple[int, ...]
"""One bit mask of allowed values per variable, in the order of the universe."""


def as_point(variables: Sequence[Variable], instance: Mapping[str, object] | Expression) -> Point:
    """Read an instance over `variables`; a missing, unknown or repeated variable is an error.

    >>> as_point([Variable("A", [1, 2]), Variable("B", ["r", "b"])], {"A": 2, "B": "r"})
    (1, 0)
    """
    if isinstance(instance, Expression):
        literals = Term.of(instance).literals
        given: dict[str, object] = {x.variable.name: _only(x) for x in literals}
    elif isinstance(instance, Mapping):
        given = {}
        for key, value in instance.items():
            name = key.name if isinstance(key, Variable) else str(key)
            if name in given:
                raise InvalidInput(f"the instance gives variable {name} twice")
            given[name] = value
    else:
        raise InvalidInput(
            f"an instance must be a mapping from names to values, or a term, not {quote_value(instance)}"
        )
    names = {x.name: x for x in variables}
    for name in given:
        if name not in names:
            raise UnknownName(f"the instance names {name}; the variables are {format_list(names)}")
    absent = [name for name in names if name not in given]
    if absent:
        raise InvalidInput(f"the instance gives no value for {format_list(absent)}")
    return tuple(x.index(given[x.name]) for x in variables)


def parse_instance(text: str) -> dict[str, str]:
    """Read ``A=2, B=r`` as a mapping from names to the texts of values.

    >>> parse_instance("A=2, B=r")
    {'A': '2', 'B': 'r'}
    """
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise InvalidInput(f"an instance is written A=2, B=r; {part!r} is not name=value")
        if name in given:
            raise InvalidInput(f"the instance gives variable {name} twice")
        given[name] = value
    return given


def as_term(variables: Sequence[Variable], point: Sequence[int]) -> Term:
    """The instance at a point, as a simple term over all variables."""
    return Term(Literal(x, 1 << i) for x, i in zip(variables, point, strict=True))


def points(box: Sequence[int]) -> Iterator[Point]:
    """All points of a box, in lexicographic order, lazily."""
    return itertools.product(*(indices(mask) for mask in box))


def contains(box: Sequence[int], point: Sequence[int]) -> bool:
    """Whether a point lies in a box."""
    return all(mask >> i & 1 for mask, i in zip(box, point, strict=True))


def is_beside(box: Sequence[int], point: Sequence[int], place: int) -> bool:
    """Whether a point lies in a box but for one variable, by its place.

    >>> is_beside((0b01, 0b11), (1, 0), 0), is_beside((0b01, 0b11), (1, 0), 1)
    (True, False)
    """
    return all(j == place or mask >> i & 1 for j, (mask, i) in enumerate(zip(box, point, strict=True)))


def _only(literal: Literal) -> object:
    if not literal.is_simple:
        raise InvalidInput(f"an instance fixes one value per variable; {literal} allows several")
    return literal.values[0]
