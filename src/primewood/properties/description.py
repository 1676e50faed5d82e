"""What a model is made of, in plain types."""

from __future__ import annotations

import math

from primewood.errors import InvalidInput, TooLarge
from primewood.model.feature_records import scale
from primewood.model.model import Model, TreeModel
from primewood.properties.compiled import compile_model
from primewood.render.records import DescriptionRecord, DiagramRecord, FeatureRecord, plain


def describe_model(model: Model, *, time_limit: float | None = None) -> DescriptionRecord:
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
    facts: DescriptionRecord = {
        "model": ensemble.source,
        "digest": ensemble.digest,
        "kind": "regressor" if ensemble.predicts_number else "classifier",
        "classes": [plain(name) for name in model.context.class_names],
        "trees": len(ensemble.trees),
        "depth": max(tree.depth for tree in ensemble.trees),
        "leaves": sum(int(tree.is_leaf.sum()) for tree in ensemble.trees),
        "features": ensemble.n_features,
        "tested": {x.name: len(x) for x in domain.variables},
        "cells": str(math.prod(len(x) for x in domain.variables)),
        "vote": ensemble.vote,
        "summation": "any" if model.engines.any_order else "sequential",
        "may_be_missing": [feature.name for feature in domain.features if feature.missing],
        "assumptions": list(domain.assumptions),
        "constraints": [rule.text for rule in domain.knowledge.rules],
        "scales": _describe_features(model),
        "diagram": _describe_diagram(model, time_limit),
    }
    if model.fidelity is not None:
        facts["fidelity"] = {"rows": model.fidelity.rows, "differ": model.fidelity.differ}
    elif model.vote == "majority" and model.agreement is not None:
        same, rows = model.agreement
        facts["predict_agrees"] = {"rows": rows, "same": same}
    return facts


def _describe_features(model: TreeModel) -> list[FeatureRecord]:
    """Per feature its scale, its distribution in the training rows, and how finely the model tests it."""
    cells = {x.name: len(x) for x in model.domain.variables}
    context = model.context
    return [
        {
            "feature": feature.name,
            "unit": context.units.get(feature.name, ""),
            "tested": feature.variable is not None,
            **scale(context, feature),
            **context.distributions[feature.name],
            "cells": cells.get(feature.name, 1),
        }
        for feature in model.domain.features
    ]


def _describe_diagram(model: TreeModel, time_limit: float | None) -> DiagramRecord:
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
