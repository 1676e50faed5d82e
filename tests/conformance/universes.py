"""Small universes and the functions over them, for tests that leave nothing out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from primewood.engines.boolean.consistency import SatOracle
from primewood.engines.boolean.diagram import Diagrams
from primewood.engines.diagram.compiler import compile_expression
from primewood.engines.diagram.oracle import DiagramOracle
from primewood.engines.protocol import Oracle, Reply, Verdict
from primewood.logic.by_definition import prime_boxes
from primewood.logic.expression import Expression
from primewood.logic.instance import Box, Point, points
from primewood.logic.language import Language
from primewood.logic.table import from_table
from primewood.logic.variable import Variable

TWO_TERNARY = (Variable("X", ["x1", "x2", "x3"]), Variable("Y", ["y1", "y2", "y3"]))
THREE_BOOLEAN = tuple(Variable.boolean(name) for name in "ABC")
FOUR_BY_TWO = (Variable("X", [1, 2, 3, 4]), Variable("Y", ["no", "yes"]))
NUMERIC_FOUR_BY_TWO = (Variable.numeric("X", [1, 2, 3]), Variable.numeric("Y", [0.5], "right"))
WITH_MISSING = (
    Variable.numeric("X", [2, 6], missing=True),
    Variable.categorical("Y", ["r", "b"], missing=True),
)
UNIVERSES = {
    "two ternary variables": TWO_TERNARY,
    "three Boolean variables": THREE_BOOLEAN,
    "one of four and one of two values": FOUR_BY_TWO,
    "the same with intervals": NUMERIC_FOUR_BY_TWO,
    "with missing values": WITH_MISSING,
}
LANGUAGES: tuple[Language, ...] = ("sets", "intervals", "values")


def cells(variables: Sequence[Variable]) -> list[Point]:
    return list(itertools.product(*(range(len(x)) for x in variables)))


def functions(variables: Sequence[Variable], start: int = 0, step: int = 1) -> Iterator[Expression]:
    """All functions of a universe, or every `step`-th of them."""
    size = len(cells(variables))
    for number in range(start, 2**size, step):
        yield from_table(variables, [number >> i & 1 for i in range(size)])


class TableOracle:
    """The oracle by definition: it looks at every point of a box."""

    def __init__(self, decision: Expression, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.table = decision.over(variables).truth_table()

    def holds(self, point: Point) -> bool:
        return bool(self.table[point])

    def counterexample(self, box: Box, clock: object = None) -> Reply:
        return next((p for p in points(box) if not self.table[p]), Verdict.NONE_EXISTS)

    def primes(self, literals: Language, point: Point | None = None) -> list[Box]:
        found = prime_boxes(self.table, self.variables, literals)
        return [b for b in found if point is None or all(m >> v & 1 for m, v in zip(b, point, strict=True))]


class OracleMaker:
    """Oracles of every engine over one universe."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.diagrams = Diagrams(self.variables, most_nodes=200_000)

    def all(self, decision: Expression) -> dict[str, Oracle]:
        return {
            "bdd": self.diagrams.oracle(decision),
            "sat": SatOracle(decision, self.variables),
            "diagram": DiagramOracle(compile_expression(decision, self.variables), 1),
        }


def same_sets(left: object, right: object) -> bool:
    """Whether two listings hold the same boxes, each once."""
    a, b = list(left), list(right)  # type: ignore[call-overload]
    return len(a) == len(set(a)) and len(b) == len(set(b)) and set(a) == set(b)


def random_tables(variables: Sequence[Variable], count: int, seed: int) -> Iterator[Expression]:
    generator = np.random.default_rng(seed)
    size = len(cells(variables))
    for _ in range(count):
        yield from_table(variables, generator.random(size) < generator.choice([0.2, 0.5, 0.8]))
