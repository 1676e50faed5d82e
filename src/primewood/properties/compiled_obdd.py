"""From the multi-valued diagram of a model to a Boolean one over an encoding of its features.

Each level becomes the block of Boolean variables of its feature. Reading a block from its first variable on leaves, bit
by bit, fewer values that it can stand for (`Encoding.remaining`); at its end one is left, whose child of the
multi-valued node follows, or none, where Ψ is violated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as Choice

from primewood.encodings import Encoding, HighestBit, OneHot, Prefix
from primewood.encodings.obdd import Builder, Obdd
from primewood.engines.diagram.diagram import Diagram
from primewood.errors import TooLarge
from primewood.fields import JsonObject, one_of
from primewood.logic.variable import Variable
from primewood.properties.compiled_file import variable_record

EncodingName = Choice["one-hot", "prefix", "highest-bit"]
ENCODINGS: dict[str, type[Encoding]] = {"one-hot": OneHot, "prefix": Prefix, "highest-bit": HighestBit}
MOST_NODES = 1_000_000
MOST_VALUES = 800
"""The most values of a feature: a block is as deep as it is long."""


def encode_diagram(
    diagram: Diagram, label: int, name: str, psi: str, max_nodes: int | None, facts: Mapping[str, object]
) -> Obdd:
    """The Boolean diagram of "the decision is this label" over an encoding, with Ψ."""
    one_of(ENCODINGS)(name, "encoding")
    one_of(("and", "implies"))(psi, "psi")
    for x in diagram.variables:
        if len(x) > MOST_VALUES:
            raise TooLarge(f"{x.name} has {len(x)} values; a Boolean diagram takes {MOST_VALUES} at most")
    encoding = ENCODINGS[name](diagram.variables)
    made = _Making(diagram.assume(label), encoding, Builder(max_nodes or MOST_NODES), int(psi == "implies"))
    root = made.root(label)
    booleans = [b for j in diagram.order for b in encoding.blocks[diagram.variables[j]]]
    nodes, root = made.builder.reachable(root)
    return Obdd(
        tuple(b.name for b in booleans),
        tuple(encoding.describe(b) for b in booleans),
        nodes,
        root,
        {
            **facts,
            "encoding": name,
            "psi": psi,
            "features": [_feature(encoding, x) for x in diagram.variables],
        },
    )


def _feature(encoding: Encoding, variable: Variable) -> JsonObject:
    """A feature with its values, its Boolean variables, and the code of each value."""
    codes = [encoding.code(variable, value) for value in range(len(variable))]
    return {
        **variable_record(variable),
        "shown": [str(value) for value in variable.values],
        "variables": [b.name for b in encoding.blocks[variable]],
        "codes": [[int(code[place]) for place in sorted(code)] for code in codes],
    }


class _Making:
    """One diagram in the making; `invalid` is the terminal of codes that stand for no value."""

    def __init__(self, diagram: Diagram, encoding: Encoding, builder: Builder, invalid: int) -> None:
        self.diagram, self.encoding, self.builder, self.invalid = diagram, encoding, builder, invalid

    def root(self, label: int) -> int:
        """The node of "the decision is this label"."""
        below = [int(terminal == label) for terminal in range(self.diagram.terminals)]
        first = len(self.encoding.booleans)
        for j, level in reversed(list(zip(self.diagram.order, self.diagram.levels, strict=True))):
            x = self.diagram.variables[j]
            first -= len(self.encoding.blocks[x])
            block = _Block(self, x, first)
            below = [block.node(tuple(below[child] for child in children)) for children in level.tolist()]
        return below[self.diagram.root]


class _Block:
    """The Boolean nodes of one level."""

    def __init__(self, making: _Making, variable: Variable, first: int) -> None:
        self._making, self._variable, self._first = making, variable, first
        self._length = len(making.encoding.blocks[variable])
        self._known: dict[tuple[int, int, int], int] = {}

    def node(self, children: tuple[int, ...]) -> int:
        """The node that leads to these children, one per value."""
        return self._find_next(0, self._variable.everything, children, {})

    def _find_next(
        self, place: int, mask: int, children: tuple[int, ...], known: dict[tuple[int, int], int]
    ) -> int:
        """The node after the bits before a place, when they leave the values of a mask.

        Where one value is left, the rest of the block is the same for all nodes with the same child.
        """
        if not mask:
            return self._making.invalid
        if mask & (mask - 1):
            return self._branch(place, mask, children, known)
        only = mask.bit_length() - 1
        if place == self._length:
            return children[only]
        shared = (place, only, children[only])
        if shared not in self._known:
            self._known[shared] = self._branch(place, mask, children, known)
        return self._known[shared]

    def _branch(
        self, place: int, mask: int, children: tuple[int, ...], known: dict[tuple[int, int], int]
    ) -> int:
        """The node that tests the bit at a place."""
        if (place, mask) not in known:
            keep_values, x = self._making.encoding.keep_values, self._variable
            low, high = (
                self._find_next(place + 1, keep_values(x, mask, place, bit), children, known)
                for bit in (False, True)
            )
            known[place, mask] = self._making.builder.node(self._first + place, low, high)
        return known[place, mask]
