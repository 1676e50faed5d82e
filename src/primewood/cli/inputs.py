"""Reading what the command line is given: declarations of variables, and tables of rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput, listing
from primewood.logic.expression import Expression
from primewood.logic.instance import parse_instance
from primewood.logic.parser import boolean_variables, parse
from primewood.logic.variable import Variable
from primewood.rows import Layout

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


def table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the cells of a CSV file."""
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
    for i, line in enumerate(lines[1:]):
        if len(line) != len(header):
            raise InvalidInput(f"{path.name}, row {i}: {len(line)} cells under {len(header)} columns")
    return header, lines[1:]


def model_rows(path: Path, layout: Layout) -> NDArray[np.float64]:
    """The rows of a CSV file in the model's columns, found by name; other columns are left out.

    A model that knows no names has the columns x0, x1, ...; then the file's columns are taken in order,
    and must be as many. An empty cell or NA is missing; in a categorical column, cells are names.
    """
    header, lines = table(path)
    names = layout.names
    unnamed = list(names) in ([f"x{i}" for i in range(len(names))], [f"f{i}" for i in range(len(names))])
    if unnamed and not set(names) & set(header):
        if len(header) != len(names):
            raise InvalidInput(
                f"{path.name} has {len(header)} columns; the model takes {len(names)}, unnamed"
            )
        header = list(names)
    absent = [name for name in names if name not in header]
    if absent:
        raise InvalidInput(f"{path.name} has no column {listing(absent)}; it has {listing(header)}")
    places = [header.index(name) for name in names]
    rows = np.empty((len(lines), len(names)))
    for i, line in enumerate(lines):
        for j, place in enumerate(places):
            rows[i, j] = _cell(line[place].strip(), j, layout, f"{path.name}, row {i}")
    return rows


def texts(path: Path, names: Sequence[str], categorical: Sequence[int]) -> NDArray[Any]:
    """The rows of a CSV file as they are: text in categorical columns, numbers in others."""
    header, lines = table(path)
    absent = [name for name in names if name not in header]
    if absent:
        raise InvalidInput(f"{path.name} has no column {listing(absent)}; it has {listing(header)}")
    numeric = Layout(tuple(names))
    rows = np.empty((len(lines), len(names)), dtype=object)
    for i, line in enumerate(lines):
        for j, name in enumerate(names):
            cell = line[header.index(name)].strip()
            rows[i, j] = cell if j in categorical else _cell(cell, j, numeric, f"{path.name}, row {i}")
    return rows


def _cell(cell: str, column: int, layout: Layout, source: str) -> float:
    if column in layout.categories:
        known = layout.categories[column]
        written = {str(name): name for name in known.names.values()}
        if cell in written:
            return layout.code(column, written[cell], source)
    if cell in ("", "NA", "NaN", "nan"):
        return float("nan")
    if column in layout.categories:
        return layout.code(column, _as_number(cell, known.names.values()), source)
    try:
        number = {"True": 1.0, "False": 0.0}[cell] if cell in ("True", "False") else float(cell)
    except ValueError:
        number = float("inf")
    if np.isinf(number):
        raise InvalidInput(f"{source}: {layout.names[column]} is not a finite number")
    return number


def _as_number(cell: str, names: Iterable[object]) -> object:
    """A cell of a column whose categories are numbers, perhaps written otherwise: 3.0 for 3."""
    if not any(isinstance(name, int | float) for name in names):
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


def asked(
    threshold: float | None,
    between: tuple[float, float] | None,
    group: Sequence[str] | None,
    constraint: Sequence[str] | None,
) -> dict[str, Any]:
    """What the command line says about the decision and about rows, as options of an `Explainer`."""
    return {
        "threshold": threshold,
        "between": between,
        "groups": groups(group or []),
        "constraints": constraint,
    }


def groups(declarations: Sequence[str]) -> dict[str, list[str]] | str | None:
    """One-hot groups: "auto", or one declaration ``name=column,column,...`` each."""
    if not declarations:
        return None
    if list(declarations) == ["auto"]:
        return "auto"
    found = {}
    for text in declarations:
        name, equals, columns = text.partition("=")
        if not equals:
            raise InvalidInput(f"a group is declared name=column,column,... or is auto, not {text!r}")
        found[name.strip()] = [column.strip() for column in columns.split(",")]
    return found


def weights(declarations: Sequence[str]) -> dict[str, float] | None:
    """Weights of features, one declaration ``name=number`` each; None without any.

    >>> weights(["age=5", "a=b=0.5"])
    {'age': 5.0, 'a=b': 0.5}
    """
    found: dict[str, float] = {}
    for text in declarations:
        name, _, number = (part.strip() for part in text.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = float("nan")
        if not name or np.isnan(weight):
            raise InvalidInput(f"a weight is declared feature=number, such as age=5, not {text!r}")
        if name in found:
            raise InvalidInput(f"{name} has two weights")
        found[name] = weight
    return found or None
