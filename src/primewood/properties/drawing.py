"""One tree of a model as plain records for a picture: tests in words, and what its leaves say."""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.ensemble import Ensemble, Tree
from primewood.errors import InvalidInput
from primewood.model.context import TreeContext
from primewood.model.model import Model, TreeModel
from primewood.render.labels import edge_label
from primewood.render.records import TreeLeaf, TreeNode, TreeTest

if TYPE_CHECKING:
    from primewood.render.answer_pictures import Picture


def tree_records(ensemble: Ensemble, context: TreeContext, number: int) -> list[TreeNode]:
    """The nodes of a tree, root first; a test that sends everything to one side is left out."""
    if not 0 <= number < len(ensemble.trees):
        raise InvalidInput(
            f"the model has the trees 0 to {len(ensemble.trees) - 1}; there is no tree {number}"
        )
    tree = ensemble.trees[number]
    records: list[TreeNode] = []
    todo: list[tuple[int, dict[int, int], TreeTest | None, Choice["left", "right"]]] = [(0, {}, None, "left")]
    while todo:  # a node, what its path allows, and the record and the side that it comes after
        node, box, parent, side = todo.pop()
        if parent is not None:
            parent[side] = len(records)
        node, test = _next_test(tree, node, box, ensemble, context)
        if test is None:
            records.append(_leaf(ensemble, tree.value[node]))
            continue
        place, allowed, left = test
        x = context.variables[place]
        words = f"{x.name} {edge_label(x, left, context.units.get(x.name, ''))}"
        record: TreeTest = {"text": words, "left": -1, "right": -1}
        records.append(record)
        todo.append((int(tree.right[node]), {**box, place: allowed & ~left}, record, "right"))
        todo.append((int(tree.left[node]), {**box, place: allowed & left}, record, "left"))
    return records


def _next_test(
    tree: Tree, node: int, box: dict[int, int], ensemble: Ensemble, context: TreeContext
) -> tuple[int, tuple[int, int, int] | None]:
    """The next node on a path that sends values to both sides, with its place, what is allowed, and what goes left.

    A leaf comes with None.
    """
    while not tree.is_leaf[node]:
        place, left = _test(tree, node, ensemble, context.domain)
        allowed = box.get(place, context.variables[place].everything) if place >= 0 else left
        if allowed & left and allowed & ~left and place >= 0:
            return node, (place, allowed, left)
        node = int(tree.left[node] if allowed & left else tree.right[node])
    return node, None


def _leaf(ensemble: Ensemble, value: NDArray[np.float64]) -> TreeLeaf:
    """What a leaf says: the class with the largest share, or what it adds to a score, and which class that favours."""
    if ensemble.vote != "sum" and not ensemble.cuts:
        return {"decision": int(value.argmax()), "share": float(value.max())}
    largest = int(abs(value).argmax())
    note = f"{value[largest]:+.4g}"
    if ensemble.cuts:
        return {"decision": len(ensemble.classes) - 1 if value[0] >= 0 else 0, "note": note}
    return {"decision": largest, "note": note}


def _test(tree: Tree, node: int, ensemble: Ensemble, domain: Domain) -> tuple[int, int]:
    """The place of the variable that a node tests, and the values that go left; place −1 if all go one way."""
    return int(domain.places[tree.feature[node]]), int(domain.left_of(ensemble, tree, node))


def draw_tree(model: Model, number: int, *, most_nodes: int) -> Picture:
    """A picture of one tree of a model, its tests in words; a large one is cut, with a note."""
    from primewood.render.answer_pictures import tree_picture

    if not isinstance(model, TreeModel):
        raise InvalidInput(
            "an expression has no trees; primewood.compile(expression).draw() shows its diagram"
        )
    trees, names = len(model.ensemble.trees), [str(name) for name in model.context.class_names]
    records = tree_records(model.ensemble, model.context, number)
    title = f"tree {number} of {trees}" if trees > 1 else None
    return tree_picture(records, names, most_nodes=most_nodes, title=title)
