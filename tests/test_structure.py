"""The structure of the package: what its folders and names promise."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import primewood as pw

PACKAGE = Path(pw.__file__).parent


def types_in(tree):
    """The names of classes and of type aliases at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            yield from (x.id for x in node.targets if isinstance(x, ast.Name) and not x.id.isupper())


def test_a_type_name_means_one_thing():
    places = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for name in types_in(ast.parse(path.read_text())):
            if len(name.strip("_")) > 1:  # type variables are called T everywhere
                places[name].append(str(path.relative_to(PACKAGE)))
    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_the_explainer_is_one_class():
    assert pw.Explainer.__bases__ == (object,)
