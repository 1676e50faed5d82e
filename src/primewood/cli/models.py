"""Models on the command line: loading them, and describing them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from primewood.cli.inputs import model_rows
from primewood.explainer import Explainer
from primewood.readers import load_model, read


def explainer_for(path: Path, data: Path | None, *, trust_pickle: bool, **options: Any) -> Explainer:
    """The explainer of a model file, with the rows of a CSV file if there is one."""
    model = load_model(path, trust_pickle=trust_pickle)
    rows = None if data is None else model_rows(data, read(model).feature_names)
    return Explainer(model, rows, **options)


def description(explainer: Explainer) -> dict[str, Any]:
    """What a model is made of, in plain types."""
    ensemble, domain = explainer.ensemble, explainer.domain
    assert ensemble is not None and domain is not None
    facts: dict[str, Any] = {
        "model": ensemble.source,
        "classes": [str(name) for name in explainer.class_names],
        "trees": len(ensemble.trees),
        "depth": max(tree.depth for tree in ensemble.trees),
        "leaves": sum(int(tree.is_leaf.sum()) for tree in ensemble.trees),
        "features": ensemble.n_features,
        "tested": {x.name: len(x) for x in domain.variables},
        "cells": str(math.prod(len(x) for x in domain.variables)),
        "vote": ensemble.vote,
        "assumptions": list(domain.assumptions),
    }
    if explainer.fidelity is not None:
        facts["fidelity"] = {"rows": explainer.fidelity.rows, "differ": explainer.fidelity.differ}
    elif explainer.agreement is not None:
        same, rows = explainer.agreement
        facts["predict_agrees"] = {"rows": rows, "same": same}
    return facts


def shown(facts: dict[str, Any]) -> str:
    """The description in words."""
    votes = {"mean": "the mean of its trees' class fractions", "majority": "majority vote of its trees"}
    lines = [
        f"{facts['model']}: {facts['trees']} trees, {facts['leaves']} leaves, depth at most {facts['depth']}",
        f"decides between {', '.join(facts['classes'])} by {votes[facts['vote']]}",
        f"looks at {len(facts['tested'])} of {facts['features']} features; values that it tells apart:",
        *(f"  {name}: {size}" for name, size in facts["tested"].items()),
        f"so it can tell {_magnitude(facts['cells'])} kinds of rows apart",
    ]
    if "fidelity" in facts:
        tried = facts["fidelity"]
        lines.append(
            f"read faithfully: {tried['rows']} rows tried against predict_proba, {tried['differ']} differ"
        )
    if "predict_agrees" in facts:
        agrees = facts["predict_agrees"]
        lines.append(f"model.predict decides alike on {agrees['same']} of {agrees['rows']} rows")
    lines += [f"taken for granted: {assumption}" for assumption in facts["assumptions"]]
    return "\n".join(lines)


def _magnitude(cells: str) -> str:
    return f"{int(cells):,}" if len(cells) <= 9 else f"about 10^{len(cells) - 1}"
