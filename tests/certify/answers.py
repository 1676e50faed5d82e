"""Proved answers of every kind about small models, each with what brute force says about its claim."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import primewood as pw
from certify.models import Asked
from primewood.questions.certified import Certified

Header = dict[str, Any]


@dataclass
class Cells:
    """All cells of a small model, with a row of each and what the model decides there, by its reference alone."""

    explainer: pw.Explainer

    def __post_init__(self) -> None:
        domain = self.explainer._model.domain
        everywhere = itertools.product(*(range(len(x)) for x in domain.variables))
        self.points = [point for point in everywhere if domain.knowledge.allows(point)]
        self.rows = np.array([domain.row_in(point) for point in self.points])
        self.decided = self.explainer._model.ensemble.predict(self.rows)
        self.places = [i for i, f in enumerate(domain.features) if f.variable is not None]


def allows(feature: Header, literal: Header, row: Any) -> bool:
    """Whether a literal allows what a row holds."""
    held = [float(row[c]) for c in feature["columns"]]
    if any(map(math.isnan, held)):
        return bool(literal["missing"])
    if "values" in literal:
        return held in [feature["values"][v] for v in literal["values"]]
    ends = [(-math.inf if a is None else a, math.inf if b is None else b) for a, b in literal["runs"]]
    return any(a <= held[0] <= b for a, b in ends)


def inside(header: Header, box: Header, cells: Cells) -> np.ndarray:
    """Which rows of cells are in a box."""
    features = header["features"]
    return np.array([all(allows(features[int(i)], x, row) for i, x in box.items()) for row in cells.rows])


def never_is_true(header: Header, cells: Cells) -> bool:
    """Whether no row of the boxes is decided so."""
    return all(
        not np.isin(cells.decided[inside(header, claim["box"], cells)], [x[0] for x in claim["never"]]).any()
        for claim in header["claims"]
    )


def rule_is_true(header: Header, cells: Cells) -> bool:
    """Whether every row of the boxes is decided so."""
    return all(
        np.isin(cells.decided[inside(header, claim["box"], cells)], claim["decided"]).all()
        for claim in header["claims"]
    )


def nearest_is_true(header: Header, cells: Cells) -> bool:
    """Whether no row of the box that is clearly near is decided so, its cells' nearest numbers counted."""
    domain, costs, claim = cells.explainer._model.domain, header["costs"], header["claims"][0]
    row = np.array([math.nan if x is None else x for x in costs["row"]])
    own = domain.point(row)
    wrong = inside(header, claim["box"], cells) & np.isin(cells.decided, [x[0] for x in claim["never"]])
    for k in np.flatnonzero(wrong):
        total = 0.0
        for j, feature in enumerate(domain.seen):
            move, value = costs["moves"][cells.places[j]], cells.points[k][j]
            if value == own[j]:
                continue
            x, ends = row[feature.column], feature.all_ends if feature.patterns is None else ()
            if move["scale"] is not None and not math.isnan(x) and value < len(ends):
                low, high = ends[value]
                total += (low - x if low > x else x - high) / move["scale"]
            else:
                total += move["jump"]
        if total < costs["distance"] * (1 - 1e-12):
            return False
    return True


def pairs_are_true(header: Header, cells: Cells) -> bool:
    """Whether no two rows that differ in one of the features break the property."""
    stated, decided = header["property"], dict(zip(cells.points, cells.decided.tolist(), strict=True))
    moved = [stated["monotone"]] if "monotone" in stated else stated["independent"]
    for feature in moved:
        if feature not in cells.places:
            continue
        j = cells.places.index(feature)
        variable = cells.explainer._model.domain.variables[j]
        for point, before in decided.items():
            for value in range(point[j] + 1, len(variable)):
                after = decided.get((*point[:j], value, *point[j + 1 :]))
                if after is None or after == before:
                    continue
                if "independent" in stated:
                    return False
                order = stated["order"]
                ranks = [order.index(k) if k in order else -1 for k in (before, after)]
                rises = ranks[1] > ranks[0]
                if (
                    value < variable.ordered
                    and ranks[0] != ranks[1]
                    and rises != (stated["direction"] == "increasing")
                ):
                    return False
    return True


def shortest_is_true(header: Header, cells: Cells) -> bool:
    """Whether the box entails its decision, and no lighter set of features fixed to the row's cells does."""
    domain, claim = cells.explainer._model.domain, header["claims"][0]
    row = np.array([math.nan if x is None else x for x in header["prime"]["row"]])
    own, label = domain.point(row), claim["decided"][0]
    weights = header["least"]["weights"] or [1.0] * len(header["features"])
    fixed, avoided = header["prime"]["fixed"], header["least"]["avoided"]
    used = sum(weights[int(i)] for i in claim["box"] if int(i) not in fixed)
    points, places = np.array(cells.points), cells.places
    choices = [j for j, i in enumerate(places) if i not in fixed and i not in avoided]
    for size in range(len(choices) + 1):
        for chosen in itertools.combinations(choices, size):
            kept = [*chosen, *(j for j, i in enumerate(places) if i in fixed)]
            same = (points[:, kept] == np.array(own)[kept]).all(axis=1)
            if (cells.decided[same] == label).all() and sum(weights[places[j]] for j in chosen) < used:
                return False
    return bool((cells.decided[inside(header, claim["box"], cells)] == label).all())


def alike_is_true(_: Header, __: Cells) -> bool:
    """Whether a model is like itself."""
    return True


TRUE: dict[str, Callable[[Header, Cells], bool]] = {
    "rule": rule_is_true,
    "radius": rule_is_true,
    "never": never_is_true,
    "nearest": nearest_is_true,
    "pairs": pairs_are_true,
    "shortest": shortest_is_true,
    "compare": alike_is_true,
}


def ask_everything(asked: Asked) -> Iterator[Certified]:
    """Answers of all kinds that are proved."""
    explainer = asked.explainer
    labels = [str(label) for label in explainer.class_names]
    stated = [f"a > 1.5 and d > 1 -> not {labels[0]}", f"a < -1 and d < -1 -> {labels[0]}"]
    stated += [pw.independent_of(name) for name in ("a", "b", "c", "d")]
    stated += [
        pw.monotone(name, way, explainer.class_names[-1])
        for name in ("a", "d")
        for way in ("increasing", "decreasing")
    ]
    for one in stated:
        found = explainer.verify(one)
        if found.holds:
            yield found
    for row in asked.rows:
        for norm in ("linf", "l0", "l1"):
            robust = explainer.robustness(row, norm=norm)
            if robust.radius > 0:
                yield robust
        for norm in ("l1", "l0", "linf"):
            near = explainer.counterfactual(row, norm=norm)
            if near.status is pw.Status.PROVED:
                yield near
        yield explainer.explain(row, goal="shortest")
        yield explainer.explain(row, goal="shortest", weights={"a": 2.5, "d": 0.5}, fix=["b"])
