"""Boolean expressions as clauses, and clauses as DIMACS text.

Tseitin's way: each connective gets a variable that the clauses make *equivalent* to it, so that the
models of the clauses are, one for one, the models of the expression. "At least k" is a totalizer in
both directions (Bailleux and Boufkhad, CP 2003): the libraries' cardinality encodings assert one
direction only and cannot stand inside an expression.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from primewood.errors import InvalidInput, brief
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import And, Expression, Literal, Or
from primewood.logic.fold import fold
from primewood.logic.variable import Variable

LARGEST, DIGITS = 10_000_000, 9
"""How many variables are read, and how many digits a number has."""


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
        The names of the Boolean variables; the numbers without a name are auxiliary.
    meanings : dict
        What the named ones stand for, in words.

    Examples
    --------
    >>> from primewood.encodings import Cnf
    >>> cnf = Cnf(size=2, clauses=((1, -2),), names={1: "X_1"}, meanings={})
    >>> print(cnf.to_dimacs(), end="")
    c map 1 X_1
    p cnf 2 1
    1 -2 0
    """

    size: int
    clauses: tuple[tuple[int, ...], ...]
    names: dict[int, str]
    meanings: dict[int, str]

    def to_dimacs(self) -> str:
        """The text that SAT solvers read; the variable map stands in ``c map`` and ``c means`` lines."""
        head = [f"c map {number} {_one_line(name)}" for number, name in self.names.items()]
        head += [f"c means {number} {_one_line(words)}" for number, words in self.meanings.items()]
        body = [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join([*head, f"p cnf {self.size} {len(self.clauses)}", *body]) + "\n"

    @classmethod
    def from_dimacs(cls, text: str) -> Cnf:
        r"""Read DIMACS text, with the variable map if it has one.

        >>> Cnf.from_dimacs("c map 1 X_1\np cnf 2 1\n1\n-2 0\n")
        Cnf(size=2, clauses=((1, -2),), names={1: 'X_1'}, meanings={})
        """
        lines = text.partition("\n%")[0].splitlines()
        comments = [line for line in lines if line.startswith("c")]
        header, *body = [line for line in lines if line.strip() and not line.startswith("c")] or [""]
        promised = re.fullmatch(r"p\s+cnf\s+(\d+)\s+(\d+)\s*", header)
        if promised is None:
            raise InvalidInput("not DIMACS: there is no line 'p cnf <variables> <clauses>'")
        if max(len(promised[1]), len(promised[2])) > DIGITS or int(promised[1]) > LARGEST:
            raise InvalidInput(
                f"not DIMACS: more than {LARGEST:,} variables are promised, or very many clauses"
            )
        size, count = int(promised[1]), int(promised[2])
        clauses: list[tuple[int, ...]] = []
        clause: list[int] = []
        for word in " ".join(body).split():
            if not re.fullmatch(rf"-?\d{{1,{DIGITS}}}", word) or abs(int(word)) > size:
                raise InvalidInput(
                    f"not DIMACS: {brief(word)!r} is not a literal: the variables are 1 to {size}"
                )
            if int(word):
                clause.append(int(word))
            else:
                clauses.append(tuple(clause))
                clause = []
        if clause or len(clauses) != count:
            found = len(clauses) + bool(clause)
            raise InvalidInput(f"not DIMACS: {count} clauses are promised, {found} are there")
        return cls(size, tuple(clauses), _map_names(comments, "map"), _map_names(comments, "means"))

    def expression(self) -> Expression:
        """The clauses as an expression over Boolean variables, named by the map or ``v<number>``."""
        variables = {n: Variable.boolean(self.names.get(n, f"v{n}")) for n in range(1, self.size + 1)}
        return conjunction(
            disjunction(Literal(variables[abs(n)], 2 if n > 0 else 1) for n in clause)
            for clause in self.clauses
        ).over(variables.values())


def _one_line(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)[1:-1]


def _map_names(comments: Iterable[str], kind: str) -> dict[int, str]:
    found = (re.fullmatch(rf"c {kind} (\d{{1,{DIGITS}}}) (.*)", line) for line in comments)
    return {int(match[1]): _unescape(match[2]) for match in found if match}


def _unescape(words: str) -> str:
    """What `_one_line` wrote; a map by another program is taken as it is."""
    try:
        return str(json.loads(f'"{words}"'))
    except ValueError:
        return words


def clauses_of(expression: Expression, variables: Sequence[Variable], meanings: Iterable[str] = ()) -> Cnf:
    """The clauses of a Boolean expression; variable i of `variables` has the number i + 1.

    Cost: linear, and quadratic in the arguments of an "at least".
    """
    builder = Clausifier(variables)
    builder.require(expression)
    names = {i: x.name for i, x in enumerate(variables, start=1)}
    clauses = tuple(tuple(clause) for clause in builder.clauses)
    return Cnf(builder.size, clauses, names, dict(enumerate(meanings, start=1)))


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
