"""Reading what the command line is given: declarations of variables, and tables of rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, listing
from primewood.logic.expression import Expression
from primewood.logic.instance import parse_instance
from primewood.logic.parser import boolean_variables, parse
from primewood.logic.variable import Variable

NUMERIC = re.compile(r"\s*(?P<name>[^=<]+?)\s*(?P<cuts>(<=?\s*[^<=]+)+)")


def declared(text: str) -> Variable:
    """A variable from its declaration.

    ``A=1,2,3`` has values, ``X<2<6`` is cut by the tests X < 2 and X < 6, ``X<=2<=6`` by X <= 2 and
    X <= 6, and ``A`` alone is Boolean.

    >>> declared("A=1,2,3"), declared("X<2<6")
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


def expression(text: str, declarations: Sequence[str]) -> Expression:
    """An expression from text and declarations; names that stand alone are Boolean variables."""
    known = [declared(declaration) for declaration in declarations]
    return parse(text, [*known, *boolean_variables(text, known)])


def instance(text: str, variables: Sequence[Variable]) -> dict[str, object]:
    """An instance from text such as ``A=2, B=r``; a Boolean value is true or false, 1 or 0."""
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


def table(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """The header and the numbers of a CSV file; an empty cell or NA is missing."""
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line]
    except (UnicodeDecodeError, csv.Error) as problem:
        raise InvalidInput(f"{path.name} is not a CSV file in UTF-8: {problem}") from None
    if len(lines) < 2:
        raise InvalidInput(f"{path.name} needs a header and at least one row")
    header = [name.strip() for name in lines[0]]
    if len(set(header)) < len(header):
        raise InvalidInput(f"{path.name} has two columns of one name")
    rows = np.empty((len(lines) - 1, len(header)))
    for i, line in enumerate(lines[1:]):
        if len(line) != len(header):
            raise InvalidInput(f"{path.name}, row {i}: {len(line)} cells under {len(header)} columns")
        rows[i] = [_number(cell) for cell in line]
    return header, rows


def model_rows(path: Path, names: Sequence[str]) -> NDArray[np.float64]:
    """The rows of a CSV file in the model's columns, found by name; other columns are left out.

    A model that knows no names has the columns x0, x1, ...; then the file's columns are taken in order,
    and must be as many.
    """
    header, rows = table(path)
    unnamed = list(names) == [f"x{i}" for i in range(len(names))]
    if unnamed and not set(names) & set(header):
        if len(header) != len(names):
            raise InvalidInput(
                f"{path.name} has {len(header)} columns; the model takes {len(names)}, unnamed"
            )
        header = list(names)
    absent = [name for name in names if name not in header]
    if absent:
        raise InvalidInput(f"{path.name} has no column {listing(absent)}; it has {listing(header)}")
    picked = rows[:, [header.index(name) for name in names]]
    text = np.isinf(picked)
    if text.any():
        i, j = np.argwhere(text)[0]
        raise InvalidInput(f"{path.name}, row {i}: {names[j]} is not a finite number")
    return picked


def _number(cell: str) -> float:
    """The number in a cell; NaN where it is empty, infinity where it is no number."""
    if cell.strip() in ("", "NA", "NaN", "nan"):
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        return float("inf")
