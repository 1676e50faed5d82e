"""The three literal languages.

- ``sets``: a literal is any non-empty proper subset of the values (the paper's).
- ``intervals``: the intervals that a numeric literal allows are contiguous, with "missing" as a
  flag of its own; "missing" alone is a literal too, and is weakened only by dropping it. Values
  without an order stay sets.
- ``values``: a literal allows exactly one value (the classical simple explanation).

*Prime* is relative to the language: none of the weakenings that it knows leaves an implicant.

A language is described by its elementary *restrictions* of a variable. A term is a set of
restrictions that contains what each of them requires; the more restrictions, the stronger the
term. So the prime terms are the minimal such sets that entail the decision, whatever the
language, and every engine can work with restrictions alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice
from typing import get_args

from primewood.errors import InvalidInput, quote_value
from primewood.logic.variable import Variable

Language = Choice["sets", "intervals", "values"]


def check_language(language: str) -> Language:
    """The language of that name, or an error that lists the three."""
    if not isinstance(language, str) or language not in get_args(Language):
        raise InvalidInput(f'literals must be "sets", "intervals" or "values", not {quote_value(language)}')
    return language  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ElementaryRestriction:
    """One elementary restriction of a variable.

    Attributes
    ----------
    at : int
        The value that it is about (where a diagram places it).
    excludes : int
        The bit mask of the values that it takes away.
    requires : tuple of int
        The places, in the list of the variable's restrictions, of those that must hold with it.
    """

    at: int
    excludes: int
    requires: tuple[int, ...] = ()


def restrictions(variable: Variable, language: Language) -> list[ElementaryRestriction]:
    """The restrictions of a variable in a language, the required ones before those that need them.

    >>> A = Variable("A", [1, 2, 3])
    >>> [bin(r.excludes) for r in restrictions(A, "sets")]
    ['0b1', '0b10', '0b100']
    >>> [bin(r.excludes) for r in restrictions(A, "values")]
    ['0b110', '0b101', '0b11']
    """
    everything, ordered = variable.everything, variable.ordered
    if language == "values":
        return [ElementaryRestriction(i, everything & ~(1 << i)) for i in range(len(variable))]
    if language == "sets" or not ordered:
        return [ElementaryRestriction(i, 1 << i) for i in range(len(variable))]
    found = [ElementaryRestriction(i, 1 << i, (i - 1,) if i else ()) for i in range(ordered - 1)]
    for i in range(ordered - 1, 0, -1):
        last = (len(found) - 1,) if i < ordered - 1 else ()
        found.append(ElementaryRestriction(i, 1 << i, last))
    if variable.missing is not None:
        found.append(ElementaryRestriction(variable.missing, 1 << variable.missing))
        found.append(ElementaryRestriction(variable.missing, (1 << ordered) - 1))
    return found


def closure(listed: Sequence[ElementaryRestriction], place: int) -> frozenset[int]:
    """The place of a restriction and of all that it requires, directly or not."""
    found: set[int] = set()
    todo = [place]
    while todo:
        i = todo.pop()
        if i not in found:
            found.add(i)
            todo.extend(listed[i].requires)
    return frozenset(found)


def places_around(listed: Sequence[ElementaryRestriction], value: int | None) -> list[int]:
    """The places of the restrictions that leave a value allowed; all of them if it is None."""
    if value is None:
        return list(range(len(listed)))
    excluding = which_exclude(listed, value)
    return [i for i in range(len(listed)) if not excluding[i]]


def which_exclude(listed: Sequence[ElementaryRestriction], value: int) -> list[bool]:
    """Per restriction, whether it excludes a value, itself or by what it requires, which comes before it."""
    found: list[bool] = []
    for one in listed:
        found.append(bool(one.excludes >> value & 1) or any(found[i] for i in one.requires))
    return found


def conflicts(variable: Variable, language: Language) -> list[tuple[int, ...]]:
    """The smallest sets of restrictions (by place) that are not a literal when they hold together.

    They exclude every value, or they say less simply what another restriction says.

    >>> conflicts(Variable("A", [1, 2, 3]), "sets")
    [(0, 1, 2)]
    """
    size, ordered = len(variable), variable.ordered
    if language == "values":
        return [(i, j) for j in range(size) for i in range(j)]
    if language == "sets" or not ordered:
        return [tuple(range(size))]
    upper = {i: ordered - 1 + (ordered - 1 - i) for i in range(1, ordered)}
    crossing: list[tuple[int, ...]] = [(i, upper[i + 1]) for i in range(ordered - 1)]
    if variable.missing is not None:
        places = 2 * (ordered - 1)
        crossing.append((places, places + 1))
    return crossing


def weakenings(variable: Variable, mask: int, language: Language) -> Iterator[int]:
    """The next weaker value sets of the language; all values means that the literal is dropped.

    >>> A = Variable("A", [1, 2, 3])
    >>> [bin(m) for m in weakenings(A, 0b001, "sets")], [bin(m) for m in weakenings(A, 1, "values")]
    (['0b11', '0b101'], ['0b111'])
    """
    everything = variable.everything
    absent = [i for i in range(len(variable)) if not mask >> i & 1]
    if not absent:
        return
    numbers = mask & ((1 << variable.ordered) - 1)
    if language == "values" or (language == "intervals" and variable.ordered and not numbers):
        yield everything
    elif language == "sets" or not variable.ordered:
        yield from (mask | 1 << i for i in absent)
    else:
        low, high = (numbers & -numbers).bit_length() - 1, numbers.bit_length() - 1
        beside = {low - 1, high + 1} | ({variable.missing} - {None})
        yield from (mask | 1 << i for i in absent if i in beside)


def literal_masks(variable: Variable, language: Language) -> list[int]:
    """All value sets that a term of the language may allow of a variable, all values included."""
    everything = variable.everything
    if language == "values":
        return [*(1 << i for i in range(len(variable))), everything]
    if language == "sets" or not variable.ordered:
        return list(range(1, everything + 1))
    runs = [
        (1 << high) - (1 << low)
        for low in range(variable.ordered)
        for high in range(low + 1, variable.ordered + 1)
    ]
    if variable.missing is None:
        return runs
    flag = 1 << variable.missing
    return [*runs, flag, *(run | flag for run in runs)]


def interval_around(variable: Variable, mask: int, value: int) -> int:
    """The part of a set of values that "intervals" can say around one of them.

    Of numbers, the run around the value, and missing if it is in the set; around missing, that alone, or everything.
    """
    if not variable.ordered or mask == variable.everything:
        return mask
    if value >= variable.ordered:
        return 1 << value
    low = high = value
    while low > 0 and mask >> (low - 1) & 1:
        low -= 1
    while high + 1 < variable.ordered and mask >> (high + 1) & 1:
        high += 1
    return (1 << (high + 1)) - (1 << low) | mask >> variable.ordered << variable.ordered
