"""Boolean expressions as clauses, and clauses as DIMACS text.

Tseitin's way: each connective gets a variable that the clauses make *equivalent* to it, so that the
models of the clauses are, one for one, the models of the expression. "At least k" is a totalizer in
both directions (Bailleux and Boufkhad, CP 2003): the libraries' cardinality encodings assert one
direction only and cannot stand inside an expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from primewood.errors import InvalidInput
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import And, Expression, Literal, Or
from primewood.logic.fold import fold
from primewood.logic.variable import Variable

MAP_LINE = re.compile(r"c map (\d+) (.*)")


@dataclass(frozen=True, slots=True)
class Cnf:
    """A conjunction of clauses over the variables 1 to `size`.

    Attributes
    ----------
    size : int
        How many variables there are.
    clauses : tuple of tuple of int
        Each clause is a disjunction of literals: i or −i.
    names : dict
        What the numbers stand for; the numbers without a name are auxiliary.
    """

    size: int
    clauses: tuple[tuple[int, ...], ...]
    names: dict[int, str]

    def to_dimacs(self) -> str:
        """The text that SAT solvers read; the variable map stands in ``c map`` comments."""
        head = [f"c map {number} {name}" for number, name in self.names.items()]
        body = [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join([*head, f"p cnf {self.size} {len(self.clauses)}", *body]) + "\n"

    @classmethod
    def from_dimacs(cls, text: str) -> Cnf:
        r"""Read DIMACS text, with the variable map if it has one.

        >>> Cnf.from_dimacs("c map 1 X_1 X=x1\np cnf 2 1\n1 -2 0\n")
        Cnf(size=2, clauses=((1, -2),), names={1: 'X_1 X=x1'})
        """
        from pysat.formula import CNF

        if not re.search(r"^p\s+cnf\s+\d+\s+\d+\s*$", text, re.MULTILINE):
            raise InvalidInput("not DIMACS: there is no line 'p cnf <variables> <clauses>'")
        try:
            read = CNF(from_string=text)
        except ValueError as problem:
            raise InvalidInput(f"not DIMACS: {problem}") from None
        declared = re.search(r"^p\s+cnf\s+(\d+)\s+(\d+)", text, re.MULTILINE)
        size, count = (int(n) for n in declared.groups()) if declared else (read.nv, 0)
        if len(read.clauses) != count or read.nv > size:
            raise InvalidInput(
                f"the DIMACS header promises {size} variables and {count} clauses; "
                f"the text has {read.nv} and {len(read.clauses)}"
            )
        names = {int(n): name for n, name in MAP_LINE.findall(text)}
        return cls(size, tuple(tuple(clause) for clause in read.clauses), names)

    def expression(self) -> Expression:
        """The clauses as an expression over Boolean variables, named by the map or ``v<number>``."""
        variables = {
            n: Variable.boolean(self.names[n].split()[0] if n in self.names else f"v{n}")
            for n in range(1, self.size + 1)
        }
        return conjunction(
            disjunction(Literal(variables[abs(n)], 2 if n > 0 else 1) for n in clause)
            for clause in self.clauses
        ).over(variables.values())


def clauses_of(expression: Expression, variables: Sequence[Variable], names: Iterable[str] = ()) -> Cnf:
    """The clauses of a Boolean expression; variable i of `variables` has the number i + 1.

    Cost: linear, and quadratic in the arguments of an "at least".
    """
    builder = Clausifier(variables)
    builder.require(expression)
    named = dict(enumerate(names, start=1))
    return Cnf(builder.size, tuple(map(tuple, builder.clauses)), named)


class Clausifier:
    """The algebra in which an expression's value is a number that is equivalent to it."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.number = {x: i for i, x in enumerate(variables, start=1)}
        self.size = len(variables)
        self.clauses: list[list[int]] = []
        self._true: int | None = None

    def require(self, expression: Expression) -> None:
        """Add clauses that make the expression true; clauses and conjunctions of them stay as they are."""
        for part in expression.arguments if isinstance(expression, And) else (expression,):
            inside = part.arguments if isinstance(part, Or) else (part,)
            if all(isinstance(literal, Literal) for literal in inside):
                self.clauses.append([fold(literal, self) for literal in inside])
            else:
                self.clauses.append([fold(part, self)])

    def fresh(self) -> int:
        """A new number."""
        self.size += 1
        return self.size

    def constant(self, value: bool) -> int:
        if self._true is None:
            self._true = self.fresh()
            self.clauses.append([self._true])
        return self._true if value else -self._true

    def literal(self, literal: Literal) -> int:
        if literal.variable not in self.number:
            raise InvalidInput(f"{literal.variable.name} is not among the Boolean variables")
        number = self.number[literal.variable]
        return number if literal.mask == 2 else -number

    def negation(self, argument: int) -> int:
        return -argument

    def conjunction(self, arguments: list[int]) -> int:
        return -self.disjunction([-argument for argument in arguments])

    def disjunction(self, arguments: list[int]) -> int:
        if not arguments:
            return self.constant(False)
        if len(arguments) == 1:
            return arguments[0]
        gate = self.fresh()
        self.clauses.extend([gate, -argument] for argument in arguments)
        self.clauses.append([-gate, *arguments])
        return gate

    def at_least(self, count: int, arguments: list[int]) -> int:
        """The output "at least `count`" of a totalizer over the arguments."""
        if count <= 0:
            return self.constant(True)
        if count > len(arguments):
            return self.constant(False)
        return self._totals(arguments, count)[count - 1]

    def _totals(self, arguments: list[int], most: int) -> list[int]:
        """Numbers t with t[k−1] ⇔ "at least k arguments", for k up to `most`."""
        if len(arguments) == 1:
            return arguments
        half = len(arguments) // 2
        left = self._totals(arguments[:half], most)
        right = self._totals(arguments[half:], most)
        total = [self.fresh() for _ in range(min(most, len(arguments)))]
        for i in range(len(left) + 1):
            for j in range(len(right) + 1):
                if 0 < i + j <= len(total):
                    inputs = [*(-left[k - 1] for k in [i] if k), *(-right[k - 1] for k in [j] if k)]
                    self.clauses.append([*inputs, total[i + j - 1]])
                if i + j < len(total):
                    inputs = [*(left[k] for k in [i] if k < len(left))]
                    inputs += [right[k] for k in [j] if k < len(right)]
                    self.clauses.append([*inputs, -total[i + j]])
        return total
