"""What a model is made of, in plain types."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput, TooLarge

if TYPE_CHECKING:
    from primewood.explainer.explainer import Explainer


def description(explainer: Explainer, *, time_limit: float | None = None) -> dict[str, Any]:
    """What a model is made of: its trees, its decisions, how finely it tells features apart.

    Parameters
    ----------
    explainer
        Of a model; an expression has no trees to describe.
    time_limit
        How many seconds compiling it may take; by default what the engine spends by itself.
    """
    ensemble, domain = explainer.ensemble, explainer.domain
    if ensemble is None or domain is None:
        raise InvalidInput("a description is of a model with trees; an expression has none")
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
        "diagram": compilation(explainer, time_limit=time_limit),
    }
    if explainer.fidelity is not None:
        facts["fidelity"] = {"rows": explainer.fidelity.rows, "differ": explainer.fidelity.differ}
    elif explainer._vote == "majority" and explainer.agreement is not None:
        same, rows = explainer.agreement
        facts["predict_agrees"] = {"rows": rows, "same": same}
    return facts


def compilation(explainer: Explainer, *, time_limit: float | None = None) -> dict[str, Any]:
    """Whether a model compiles within a time, and to what."""
    try:
        compiled = explainer.compile(time_limit=time_limit)
    except TooLarge as problem:
        return {"compiles": False, "why": str(problem)}
    facts = compiled.info()
    return {
        "compiles": True,
        "nodes": facts["nodes"],
        "seconds": facts["seconds"],
        "order": [level["feature"] for level in facts["levels"]],
    }
