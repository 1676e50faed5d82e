"""The names and numbers that Python shares with the C++ core."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from primewood import core
from primewood.core import _native


def described_names():
    """The names in the stub of the core, by class; those of the module itself under None."""
    tree = ast.parse(Path(core.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}
    return {owner: sorted(_names(body)) for owner, body in {None: tree.body, **classes}.items()}


def _names(body):
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


def public_names(owner):
    return sorted(name for name in vars(owner) if not name.startswith("_"))


def test_the_stub_describes_every_name_of_the_core_and_no_other():
    described = described_names()
    assert described.pop(None) == public_names(_native)
    for owner, names in described.items():
        members = [name for name in names if not name.startswith("_")]
        assert members == public_names(getattr(_native, owner)), owner


def test_the_variable_of_the_terminals_is_below_all_others():
    assert np.iinfo(np.int32).max == _native.TERMINAL_VARIABLE


def test_arrays_that_are_not_a_diagram_are_refused():
    level = np.array([[0, 1]], dtype=np.int32)
    assert _native.Diagram([level], 0, 2).decide([1]) == 1
    for root, terminals in ((0, 1), (1, 2), (-1, 2)):
        with pytest.raises(ValueError, match="not a diagram"):
            _native.Diagram([level], root, terminals)


def test_what_a_diagram_does_not_have_is_refused():
    diagram = _native.Diagram([np.array([[0, 1]], dtype=np.int32)], 0, 2)
    with pytest.raises(ValueError, match="path"):
        diagram.decide([2])
    with pytest.raises(ValueError, match="level"):
        diagram.level(1)
    with pytest.raises(ValueError, match="value that is not there"):
        diagram.find([[2]], 1, False)
    with pytest.raises(ValueError, match="order"):
        _native.reorder(_native.OrderedDiagram(diagram, [0]), [1], 10)


def test_expressions_that_were_not_made_are_refused():
    expressions = _native.Expressions([2, 3], most_nodes=100, seconds=None)
    with pytest.raises(ValueError, match="no such expression"):
        expressions.negation(0)
    with pytest.raises(ValueError, match="one flag per value"):
        expressions.literal(1, [0, 1])
    with pytest.raises(ValueError, match="levels"):
        _native.Expressions([], most_nodes=100, seconds=None)


def test_a_cap_that_is_reached_is_told_with_the_nodes_so_far():
    expressions = _native.Expressions([2, 3], most_nodes=3, seconds=None)
    assert expressions.literal(0, [0, 1]) == 0
    overrun = expressions.literal(1, [0, 1, 1])
    assert isinstance(overrun, _native.Overrun)
    assert (overrun.limit, overrun.nodes) == (_native.Exceeded.NODES, 4)
