"""What Anchors, LIME and SHAP return, read by plain attributes: none of these tools is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from typing import Literal as Choice

import numpy as np

from primewood.domain.condition import Condition
from primewood.errors import InvalidInput, format_list
from primewood.model.context import TreeContext
from primewood.questions.sufficiency import ClaimedConditions

By = Choice["absolute", "favour"]
"""How features are chosen by a tool's weights: by their size, or only those that favour the decision."""
Most = int | Choice["fewest"] | None
"""How many of a tool's features are claimed to suffice: a number, the fewest that do, or as many as it names."""


def read_anchor(claim: Any) -> list[str] | None:
    """The conditions of an anchor, from alibi (`anchor`) or from anchor-exp (`names()`, `exp_map`)."""
    data = getattr(claim, "data", None)
    found = getattr(claim, "anchor", data.get("anchor") if isinstance(data, Mapping) else None)
    if found is None and hasattr(claim, "exp_map"):
        found = claim.names()
    return None if found is None else list(found)


def read_lime_weights(explanation: Any, context: TreeContext, label: int) -> list[tuple[str, float]]:
    """LIME's conditions, with their weights in favour of the decision."""
    explained = [int(place) for place in getattr(explanation, "local_exp", None) or [label]]
    if label in explained:
        return [(str(text), float(weight)) for text, weight in explanation.as_list(label=label)]
    if len(context.class_names) == 2:
        return [(str(text), -float(w)) for text, w in explanation.as_list(label=1 - label)]
    raise InvalidInput(
        f"LIME explains {format_list(context.class_names[i] for i in explained)} here, and the decision is "
        f"{context.class_names[label]}; pass labels=[{label}] to explain_instance"
    )


def read_shap_weights(explanation: Any, context: TreeContext, label: int) -> list[tuple[str, float]]:
    """Columns with what they add to the decision, as SHAP or an array says."""
    columns, classes = context.column_names, len(context.class_names)
    values = np.asarray(getattr(explanation, "values", explanation))
    if values.ndim > 1 and values.shape[0] == 1 and len(columns) > 1:
        values = values[0]
    if values.shape not in ((len(columns),), (len(columns), classes)):
        raise InvalidInput(
            f"attributions are one number per column of one row ({len(columns)}), or one per column and class "
            f"({len(columns)}, {classes}); got the shape {values.shape}"
        )
    if values.ndim == 2:
        values = values[:, label]
    elif classes == 2 and label == 0:  # one output is about the second class
        values = -values
    if np.isnan(values).any():
        raise InvalidInput("attributions are numbers; some are NaN")
    index = getattr(explanation, "index", None)  # of a Series
    given = getattr(explanation, "feature_names", index)
    names = columns if given is None else [str(name) for name in given]
    if set(names) != set(columns):
        raise InvalidInput(
            f"attributions are of {format_list(names)}; the columns are {format_list(columns)}"
        )
    return list(zip(names, values.tolist(), strict=True))


def has_numbers(claim: Any) -> bool:
    """Whether a claim is an array of numbers, or holds one as its values."""
    values = claim if isinstance(claim, np.ndarray) else getattr(claim, "values", None)
    return values is not None and not callable(values) and np.asarray(values).dtype.kind in "fiu"


def choose_heaviest(
    weighted: Iterable[tuple[tuple[Condition, ...], float]], source: str, most: Most, by: By
) -> ClaimedConditions:
    """The claim that the heaviest conditions of a tool suffice."""
    listed = [pair for pair in weighted if by == "absolute" or pair[1] > 0]
    listed.sort(key=lambda pair: -abs(pair[1]))
    if isinstance(most, int):
        listed = listed[:most]
    said = tuple(condition for conditions, _ in listed for condition in conditions)
    return ClaimedConditions(said, source, fewest=most == "fewest")
