"""Ordered binary decision diagrams of encoded decisions, as data and as files.

A node tests one Boolean variable and has two children, for false and for true; 0 and 1 are the terminals. Every path
tests variables in one order, no node has two equal children, and no two nodes are alike: the diagram is reduced.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from primewood.encodings.clauses import Cnf
from primewood.errors import InvalidInput, TooLarge, UnknownName, format_list, suggest
from primewood.fields import Fields, JsonObject, file_path, items, made, text, whole
from primewood.files import check_header, read_json, report_damage, write_whole

KIND, VERSION = "obdd", 1
Node = tuple[int, int, int]
"""The place of a variable in the order, the child where it is false, the child where it is true."""


@dataclass(frozen=True)
class Obdd:
    """A reduced ordered binary decision diagram.

    Attributes
    ----------
    variables : tuple of str
        The Boolean variables, in the order in which paths test them.
    meanings : tuple of str
        What each stands for, such as "age=[30, inf)".
    nodes : tuple of (variable, low, high)
        The variable is a place in `variables`. A child is 0 (false), 1 (true), or 2 plus the place of an earlier node.
    root : int
        The node that is meant, numbered as children are.
    facts : dict
        What the diagram is about: the decision, the encoding, how Ψ was added, the model's digest, and per feature its
        values with their codes.

    Examples
    --------
    >>> from primewood import Variable, compile, parse
    >>> compiled = compile(parse("A & !B", [Variable.boolean(name) for name in "AB"]))
    >>> obdd = compiled.obdd(True)
    >>> obdd.variables, len(obdd.nodes)
    (('A_1', 'A_2', 'B_1', 'B_2'), 4)
    """

    variables: tuple[str, ...]
    meanings: tuple[str, ...]
    nodes: tuple[Node, ...]
    root: int
    facts: JsonObject = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nodes)

    def check(self) -> None:
        """Raise unless this is a reduced ordered diagram."""
        if len(set(self.variables)) < len(self.variables):
            raise InvalidInput("a variable occurs twice; the diagram is damaged")
        most = len(self.variables)
        order = [most, most, *(variable for variable, _, _ in self.nodes)]
        for place, (variable, low, high) in enumerate(self.nodes, start=2):
            if not (0 <= variable < most and 0 <= low < place and 0 <= high < place):
                raise InvalidInput(f"node {place} leads nowhere; the diagram is damaged")
            if low == high or variable >= min(order[low], order[high]):
                raise InvalidInput(f"node {place} is out of order; the diagram is damaged")
        if len(set(self.nodes)) < len(self.nodes) or not 0 <= self.root < len(self.nodes) + 2:
            raise InvalidInput("a node occurs twice, or there is no root; the diagram is damaged")

    def evaluate(self, assignment: Mapping[str, bool]) -> bool:
        """The value under an assignment of all variables. Cost: one step per variable."""
        absent = [name for name in self.variables if name not in assignment]
        if absent:
            raise UnknownName(f"the assignment has no {format_list(absent)}{suggest(absent, assignment)}")
        node = self.root
        while node > 1:
            variable, low, high = self.nodes[node - 2]
            node = high if assignment[self.variables[variable]] else low
        return node == 1

    def count(self) -> int:
        """How many assignments satisfy it. Cost: linear."""
        most = len(self.variables)
        order = [most, most, *(variable for variable, _, _ in self.nodes)]
        found = [0, 1]
        for variable, low, high in self.nodes:
            found.append(sum(found[child] << (order[child] - variable - 1) for child in (low, high)))
        return found[self.root] << order[self.root]

    def to_cnf(self, numbers: Sequence[str] | None = None) -> Cnf:
        """Clauses with the same models, one for one; each node has a variable that is equivalent to it.

        Parameters
        ----------
        numbers
            The variables in the order in which they are numbered from 1; by default that of the diagram.
        """
        names = list(numbers or self.variables)
        number = {name: i for i, name in enumerate(names, start=1)}
        means = dict(zip(self.variables, self.meanings, strict=True))
        clauses: list[tuple[int, ...]] = []
        for gate, (variable, low, high) in enumerate(self.nodes, start=len(names) + 1):
            own = number[self.variables[variable]]
            clauses += _if_then_else(gate, -own, low, len(names)) + _if_then_else(gate, own, high, len(names))
        clauses += [()] if self.root == 0 else [(len(names) + self.root - 1,)] if self.root > 1 else []
        shown = {i: means[name] for name, i in number.items()}
        return Cnf(len(names) + len(self.nodes), tuple(clauses), {i: n for n, i in number.items()}, shown)

    def to_dot(self) -> str:
        """The diagram for Graphviz: dashed lines where a variable is false, solid ones where it is true."""
        lines = ["digraph obdd {", '  0 [shape=box, label="false"];', '  1 [shape=box, label="true"];']
        for place, (variable, low, high) in enumerate(self.nodes, start=2):
            lines.append(f"  {place} [label={json.dumps(self.meanings[variable], ensure_ascii=False)}];")
            lines.append(f"  {place} -> {low} [style=dashed];")
            lines.append(f"  {place} -> {high};")
        return "\n".join([*lines, f'  start [shape=none, label=""]; start -> {self.root};', "}"]) + "\n"

    def to_dict(self) -> JsonObject:
        """The diagram in plain types, as a file holds it."""
        return {
            "format": f"primewood {KIND}",
            "version": VERSION,
            **self.facts,
            "variables": [
                {"name": name, "means": words}
                for name, words in zip(self.variables, self.meanings, strict=True)
            ],
            "nodes": [list(node) for node in self.nodes],
            "root": self.root,
        }

    def save(self, path: str | Path) -> None:
        """Write the diagram: a .json file, which `load` reads, or a .dot file for Graphviz."""
        path = file_path(path)
        if path.suffix.lower() not in (".json", ".dot"):
            raise InvalidInput(f"{path.name}: unrecognised file extension; expected .json or .dot")
        dot = path.suffix.lower() == ".dot"
        words = self.to_dot() if dot else json.dumps(self.to_dict(), ensure_ascii=False) + "\n"
        write_whole(path, lambda file: file.write(words.encode()))

    @classmethod
    def load(cls, path: str | Path) -> Obdd:
        """Read a .json file that `save` wrote."""
        path = file_path(path)
        if not path.is_file():
            raise InvalidInput(f"there is no file {path}")
        document = read_json(path)
        check_header(document, path, KIND, VERSION)
        own = ("format", "version", "variables", "nodes", "root")
        with report_damage(path, "export the diagram again"):
            fields = Fields(document)
            variables = fields.read("variables", items(_variable))
            found = cls(
                tuple(name for name, _ in variables),
                tuple(words for _, words in variables),
                fields.read("nodes", items(made(_node, whole(), whole(), whole()))),
                fields.read("root", whole()),
                {name: value for name, value in document.items() if name not in own},
            )
            found.check()
        return found


def _variable(record: Any, place: str) -> tuple[str, str]:
    fields = Fields(record, place)
    return fields.read("name", text), fields.read("means", text)


def _node(variable: int, low: int, high: int) -> Node:
    return variable, low, high


def _if_then_else(gate: int, condition: int, child: int, numbered: int) -> list[tuple[int, ...]]:
    """Clauses that make a gate equal to a child where a condition holds."""
    if child < 2:
        return [(-condition, gate if child else -gate)]
    below = numbered + child - 1
    return [(-condition, -below, gate), (-condition, below, -gate)]


class Builder:
    """Makes reduced nodes, bottom up.

    Parameters
    ----------
    most
        The cap on nodes.
    """

    def __init__(self, most: int) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}
        self._most = most

    def node(self, variable: int, low: int, high: int) -> int:
        """The node that tests a variable: an old one where there is one, a child where both are the same."""
        if low == high:
            return low
        key = (variable, low, high)
        if key not in self._known:
            if len(self.nodes) >= self._most:
                raise TooLarge(
                    f"the Boolean diagram has more than {self._most:,} nodes; allow more (max_nodes), or take another "
                    "encoding"
                )
            self.nodes.append(key)
            self._known[key] = len(self.nodes) + 1
        return self._known[key]

    def reachable(self, root: int) -> tuple[tuple[Node, ...], int]:
        """The nodes below a root, in their order, and the root among them."""
        needed, left = set[int](), [root]
        while left:
            place = left.pop()
            if place > 1 and place not in needed:
                needed.add(place)
                left += self.nodes[place - 2][1:]
        new = {0: 0, 1: 1} | {place: i for i, place in enumerate(sorted(needed), start=2)}
        nodes = [self.nodes[place - 2] for place in sorted(needed)]
        return tuple((variable, new[low], new[high]) for variable, low, high in nodes), new[root]
