"""Models on the command line: loading them, and describing them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.cli.inputs import model_rows, texts
from primewood.errors import InvalidInput, TooLarge
from primewood.explainer import Explainer
from primewood.properties.compiled import Compiled
from primewood.readers import load_model, read
from primewood.rows import Layout


def explainer_for(path: Path, data: Path | None, *, trust_pickle: bool, **options: Any) -> Explainer:
    """The explainer of a model file, with the rows of a CSV file if there is one."""
    model = load_model(path, trust_pickle=trust_pickle)
    if data is None:
        return Explainer(model, **options)
    categorical: list[int] = getattr(model, "get_cat_feature_indices", list)()
    if categorical:  # CatBoost keeps no names of categories
        return Explainer(model, texts(data, list(model.feature_names_), categorical), **options)
    return Explainer(model, model_rows(data, Layout.of(read(model))), **options)


def about_row(
    path: Path, data: Path, row: int, *, train: Path | None, within: float | None, **options: Any
) -> tuple[Explainer, NDArray[np.float64]]:
    """The explainer of a model file and one row of a CSV file, for a question about its decision.

    Parameters
    ----------
    path, options
        As for `explainer_for`.
    data, row
        The CSV file and the row's place in it.
    train
        The training rows; by default the rows of `data`.
    within
        For a regressor: the decision is whether the prediction is within this of the row's own.
    """
    explainer = explainer_for(path, train or data, **options)
    assert explainer.ensemble is not None
    rows = model_rows(data, Layout.of(explainer.ensemble))
    if not 0 <= row < len(rows):
        raise InvalidInput(f"{data.name} has the rows 0 to {len(rows) - 1}; there is no row {row}")
    x = rows[row]
    return (explainer if within is None else explainer.around(x, within)), x


def decision_named(explainer: Explainer, text: str) -> object:
    """The decision that is written so; the text itself if there is none, for the library to refuse."""
    return next((name for name in explainer.class_names if str(name) == text), text)


def compilation(explainer: Explainer) -> dict[str, Any]:
    """Whether a model compiles cheaply, and to what."""
    try:
        compiled = explainer.compile()
    except TooLarge as problem:
        return {"compiles": False, "why": str(problem)}
    facts = compiled.info()
    return {
        "compiles": True,
        "nodes": facts["nodes"],
        "seconds": facts["seconds"],
        "order": [level["feature"] for level in facts["levels"]],
    }


def compiled_shown(compiled: Compiled) -> str:
    """A compiled model in words."""
    facts = compiled.info()
    shares = compiled.share()
    lines = [
        f"{facts['nodes']:,} nodes on {len(facts['levels'])} levels, compiled in {facts['seconds']:.2f} s "
        f"({facts['states']:,} partial decisions looked into, {facts['settled']:,} settled by the library's own sum)",
        "levels from the top: feature, values, nodes",
        *(f"  {level['feature']}: {level['values']}, {level['nodes']:,}" for level in facts["levels"]),
        "decisions: cells, share of the cells",
        *(f"  {name}: {magnitude(facts['cells'][str(name)])}, {share:.2%}" for name, share in shares.items()),
    ]
    return "\n".join(lines)


def description(explainer: Explainer) -> dict[str, Any]:
    """What a model is made of, in plain types."""
    ensemble, domain = explainer.ensemble, explainer.domain
    assert ensemble is not None and domain is not None
    facts: dict[str, Any] = {
        "model": ensemble.source,
        "digest": ensemble.digest,
        "classes": [str(name) for name in explainer.class_names],
        "trees": len(ensemble.trees),
        "depth": max(tree.depth for tree in ensemble.trees),
        "leaves": sum(int(tree.is_leaf.sum()) for tree in ensemble.trees),
        "features": ensemble.n_features,
        "tested": {x.name: len(x) for x in domain.variables},
        "cells": str(math.prod(len(x) for x in domain.variables)),
        "vote": ensemble.vote,
        "assumptions": list(domain.assumptions),
        "diagram": compilation(explainer),
    }
    if explainer.fidelity is not None:
        facts["fidelity"] = {"rows": explainer.fidelity.rows, "differ": explainer.fidelity.differ}
    elif explainer.agreement is not None:
        same, rows = explainer.agreement
        facts["predict_agrees"] = {"rows": rows, "same": same}
    return facts


def shown(facts: dict[str, Any]) -> str:
    """The description in words."""
    votes = {
        "mean": "the mean of what its trees say",
        "majority": "majority vote of its trees",
        "sum": "the sum of what its trees add",
    }
    lines = [
        f"{facts['model']}: {facts['trees']} trees, {facts['leaves']} leaves, depth at most {facts['depth']}",
        f"digest {facts['digest']}",
        f"decides between {', '.join(facts['classes'])} by {votes[facts['vote']]}",
        f"looks at {len(facts['tested'])} of {facts['features']} features; values that it tells apart:",
        *(f"  {name}: {size}" for name, size in facts["tested"].items()),
        f"so it can tell {magnitude(facts['cells'])} kinds of rows apart",
    ]
    if "fidelity" in facts:
        tried = facts["fidelity"]
        lines.append(
            f"read faithfully: {tried['rows']} rows tried against the model itself, {tried['differ']} differ"
        )
    if "predict_agrees" in facts:
        agrees = facts["predict_agrees"]
        lines.append(f"model.predict decides alike on {agrees['same']} of {agrees['rows']} rows")
    diagram = facts["diagram"]
    if diagram["compiles"]:
        lines.append(f"compiles to {diagram['nodes']:,} nodes in {diagram['seconds']:.2f} s, in this order:")
        lines.append(f"  {', '.join(diagram['order'])}")
    else:
        lines.append("too large to compile by itself; `primewood compile` tries harder")
    lines += [f"taken for granted: {assumption}" for assumption in facts["assumptions"]]
    return "\n".join(lines)


def magnitude(cells: str) -> str:
    """A number of cells: whole while it can be read, then its order of magnitude."""
    return f"{int(cells):,}" if len(cells) <= 9 else f"about 10^{len(cells) - 1}"
