"""One tree of a model as plain records for a picture: tests in words, and what its leaves say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.ensemble import Ensemble, Tree
from primewood.errors import InvalidInput
from primewood.reasons.context import Context
from primewood.report.labels import edge_label


def tree_records(ensemble: Ensemble, context: Context, number: int) -> list[dict[str, Any]]:
    """The nodes of a tree, root first; a test that sends everything to one side is left out."""
    if not 0 <= number < len(ensemble.trees):
        raise InvalidInput(
            f"the model has the trees 0 to {len(ensemble.trees) - 1}; there is no tree {number}"
        )
    tree = ensemble.trees[number]
    assert context.domain is not None
    records: list[dict[str, Any]] = []

    def add(node: int, box: dict[int, int]) -> int:
        while not tree.is_leaf[node]:
            place, left = _test(tree, node, ensemble, context.domain)  # type: ignore[arg-type]
            allowed = box.get(place, context.variables[place].everything) if place >= 0 else left
            if allowed & left and allowed & ~left and place >= 0:
                return add_test(node, box, place, allowed, left)
            node = int(tree.left[node] if allowed & left else tree.right[node])
        records.append(_leaf(ensemble, tree.value[node]))
        return len(records) - 1

    def add_test(node: int, box: dict[int, int], place: int, allowed: int, left: int) -> int:
        x = context.variables[place]
        record: dict[str, Any] = {"text": f"{x.name} {edge_label(x, left, context.units.get(x.name, ''))}"}
        records.append(record)
        at = len(records) - 1
        record["left"] = add(int(tree.left[node]), {**box, place: allowed & left})
        record["right"] = add(int(tree.right[node]), {**box, place: allowed & ~left})
        return at

    add(0, {})
    return records


def _leaf(ensemble: Ensemble, value: NDArray[np.float64]) -> dict[str, Any]:
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
