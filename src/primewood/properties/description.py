"""What a model is made of, in plain types."""

from __future__ import annotations

import math
from typing import Any

from primewood.errors import InvalidInput, TooLarge
from primewood.model.model import Model, TreeModel
from primewood.properties.compiled import compile_model


def describe_model(model: Model, *, time_limit: float | None = None) -> dict[str, Any]:
    """What a model is made of: its trees, its decisions, how finely it tells features apart.

    Parameters
    ----------
    model
        A model with trees; an expression has none to describe.
    time_limit
        How many seconds compiling it may take; by default what the engine spends by itself.
    """
    if not isinstance(model, TreeModel):
        raise InvalidInput("a description is of a model with trees; an expression has none")
    ensemble, domain = model.ensemble, model.domain
    facts: dict[str, Any] = {
        "model": ensemble.source,
        "digest": ensemble.digest,
        "classes": [str(name) for name in model.context.class_names],
        "trees": len(ensemble.trees),
        "depth": max(tree.depth for tree in ensemble.trees),
        "leaves": sum(int(tree.is_leaf.sum()) for tree in ensemble.trees),
        "features": ensemble.n_features,
        "tested": {x.name: len(x) for x in domain.variables},
        "cells": str(math.prod(len(x) for x in domain.variables)),
        "vote": ensemble.vote,
        "assumptions": list(domain.assumptions),
        "diagram": _describe_diagram(model, time_limit),
    }
    if model.fidelity is not None:
        facts["fidelity"] = {"rows": model.fidelity.rows, "differ": model.fidelity.differ}
    elif model.vote == "majority" and model.agreement is not None:
        same, rows = model.agreement
        facts["predict_agrees"] = {"rows": rows, "same": same}
    return facts


def _describe_diagram(model: TreeModel, time_limit: float | None) -> dict[str, Any]:
    """Whether a model compiles within a time, and to what."""
    try:
        compiled = compile_model(model, time_limit)
    except TooLarge as problem:
        return {"compiles": False, "why": str(problem)}
    facts = compiled.info()
    return {
        "compiles": True,
        "nodes": facts["nodes"],
        "seconds": facts["seconds"],
        "order": [level["feature"] for level in facts["levels"]],
    }
