"""Proved answers of every kind about small models, each with what brute force says about its claim."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import primewood as pw
from certify.models import Asked
from primewood.questions.certified import Certified

Header = dict[str, Any]


class Rows:
    """Rows of every cell that a header speaks of, and what the model decides there, by its reference alone.

    A number takes the least and the largest value of each cell, and those of the header's own row. That is worked out
    from the thresholds and from the header, by no code that writes or checks certificates.
    """

    def __init__(self, explainer: pw.Explainer, header: Header) -> None:
        self.header, self.features = header, header["features"]
        self.ensemble = explainer._model.ensemble
        self.row = next(
            (header[name]["row"] for name in ("prime", "radius", "costs") if name in header), None
        )
        values = [self._list_values(feature) for feature in self.features]
        self.cell_of = [
            np.array(self._number_cells(f, v)) for f, v in zip(self.features, values, strict=True)
        ]
        chosen = np.array([*itertools.product(*(range(len(one)) for one in values))])
        self.rows = np.empty((len(chosen), self.ensemble.n_features))
        for i, feature in enumerate(self.features):
            self.rows[:, feature["columns"]] = np.array(values[i], dtype=float)[chosen[:, i]]
        possible = self._find_possible()
        chosen, self.rows = chosen[possible], self.rows[possible]
        self.cells = np.column_stack([cell[chosen[:, i]] for i, cell in enumerate(self.cell_of)])
        self.decided = self.ensemble.predict(self.rows)

    def _list_values(self, feature: Header) -> list[list[float]]:
        """What a feature can hold, each value a list with a number per column."""
        missing = [[math.nan] * len(feature["columns"])] * feature["missing"]
        if "values" in feature:
            return [*feature["values"], *missing]
        ends = [x for x in (feature["low"], feature["high"]) if x is not None]
        low = min([-1e6, *ends]) if feature["low"] is None else feature["low"]
        high = max([1e6, *ends]) if feature["high"] is None else feature["high"]
        tests = self._list_tests(feature)
        found = {low, high, *(near for x in tests for near in list_near(x))}
        found |= {f(x) for x in found for f in (math.floor, math.ceil)} if feature["whole"] else set()
        own = None if self.row is None else self.row[feature["columns"][0]]
        found |= {own} - {None}
        numbers = sorted(
            x for x in found if low <= x <= high and (not feature["whole"] or x == math.floor(x))
        )
        keys = self._compare(feature, numbers)
        ends = [*(k for k in range(1, len(keys)) if keys[k] != keys[k - 1]), len(keys)]
        kept = {x for a, b in itertools.pairwise([0, *ends]) for x in (numbers[a], numbers[b - 1])}
        return [*([x] for x in sorted(kept | ({own} - {None}))), *missing]

    def _list_tests(self, feature: Header) -> list[float]:
        """The numbers that tests and the header compare a feature with."""
        found = [*feature["cuts"]]
        for tree in self.ensemble.trees:
            for node in np.flatnonzero(tree.feature == feature["columns"][0]).tolist():
                which = -1 if tree.set_of is None else int(tree.set_of[node])
                found += [float(tree.threshold[node])] if which < 0 else [float(x) for x in tree.sets[which]]
        return [x for x in sorted({*found}) if math.isfinite(x)]

    def _compare(self, feature: Header, numbers: list[float]) -> list[tuple[Any, ...]]:
        """How numbers compare with everything that they are compared with, as the library casts and compares them."""
        with np.errstate(over="ignore"):
            cast = np.array(numbers).astype(self.ensemble.dtype).astype(float)
        sides = [cast <= x if self.ensemble.operator == "<=" else cast < x for x in self._list_tests(feature)]
        sides += [np.array(numbers) < x for x in feature["cuts"]]
        return [tuple(own) for own in np.array(sides).T.tolist()] if sides else [()] * len(numbers)

    def _number_cells(self, feature: Header, values: list[list[float]]) -> list[int]:
        """Which cell each value is in; −1: missing."""
        given = [x for x in values if not any(map(math.isnan, x))]
        keys = [*map(tuple, given)] if "values" in feature else self._compare(feature, [x for (x,) in given])
        known: dict[tuple[Any, ...], int] = {}
        return [*(known.setdefault(key, len(known)) for key in keys), *[-1] * (len(values) - len(given))]

    def _find_possible(self) -> Any:
        rows, possible = self.rows, np.ones(len(self.rows), dtype=bool)
        for clause in self.header["clauses"]:
            possible &= ~self.inside(dict(clause["forbidden"]))
        for order in self.header["orders"]:
            lower, upper = (rows[:, self.features[order[x]]["columns"][0]] for x in ("lower", "upper"))
            for constant in order["constants"]:
                upper = upper + constant
            fits = lower < upper if order["strict"] else lower <= upper
            possible &= fits | np.isnan(lower) | np.isnan(upper)
        return possible

    def inside(self, box: Any) -> Any:
        """Which rows are in a box."""
        found = np.ones(len(self.rows), dtype=bool)
        for i, literal in box.items():
            feature = self.features[int(i)]
            held = self.rows[:, feature["columns"]]
            allowed = np.isnan(held).any(axis=1) & literal["missing"]
            for value in literal.get("values", ()):
                allowed |= (held == feature["values"][value]).all(axis=1)
            for low, high in literal.get("runs", ()):
                low, high = -math.inf if low is None else low, math.inf if high is None else high
                allowed |= (low <= held[:, 0]) & (held[:, 0] <= high)
            found &= allowed
        return found

    def has_cells_of_row(self, places: list[int]) -> Any:
        """Which rows are in the cells of the header's own row in some features."""
        found = np.ones(len(self.rows), dtype=bool)
        for i in places:
            own = [
                math.nan if x is None else float(x)
                for x in (self.row[c] for c in self.features[i]["columns"])
            ]
            held = self.rows[:, self.features[i]["columns"]]
            mine = (held == own).all(axis=1) | (np.isnan(held).all(axis=1) & np.isnan(own).all())
            found &= np.isin(self.cells[:, i], self.cells[mine, i])
        return found


def list_near(x: float) -> list[float]:
    """A number, its neighbours of both widths, and the numbers half-way to those, each with its own neighbours."""
    narrow = np.float32(x)
    ends = [float(np.nextafter(narrow, np.float32(to))) for to in (-np.inf, np.inf)]
    points = [x, float(narrow), *ends, *((float(narrow) + end) / 2 for end in ends)]
    return [
        y for point in points for y in (point, *(math.nextafter(point, to) for to in (-math.inf, math.inf)))
    ]


def never_is_true(rows: Rows) -> bool:
    """Whether no row of the boxes is decided so."""
    return all(
        not np.isin(rows.decided[rows.inside(claim["box"])], [x[0] for x in claim["never"]]).any()
        for claim in rows.header["claims"]
    )


def rule_is_true(rows: Rows) -> bool:
    """Whether every row of the boxes is decided so."""
    return all(
        np.isin(rows.decided[rows.inside(claim["box"])], claim["decided"]).all()
        for claim in rows.header["claims"]
    )


def radius_is_true(rows: Rows) -> bool:
    """Whether every row within the radius is decided alike."""
    stated, (claim,) = rows.header["radius"], rows.header["claims"]
    own = np.array([math.nan if x is None else x for x in stated["row"]])
    far = np.array(stated["scales"]) * stated["distance"]
    with np.errstate(invalid="ignore"):
        near = (rows.rows == own) | (abs(rows.rows - own) <= far * (1 - 1e-12))
    near = (near | (np.isnan(rows.rows) & np.isnan(own))).all(axis=1)
    return bool(np.isin(rows.decided[near], claim["decided"]).all()) and rule_is_true(rows)


def nearest_is_true(rows: Rows) -> bool:
    """Whether no row of the box that is clearly near is decided so."""
    costs, (claim,) = rows.header["costs"], rows.header["claims"]
    wrong = rows.inside(claim["box"]) & np.isin(rows.decided, [x[0] for x in claim["never"]])
    total = np.zeros(len(rows.rows))
    for i, (feature, move) in enumerate(zip(rows.features, costs["moves"], strict=True)):
        own, held = costs["row"][feature["columns"][0]], rows.rows[:, feature["columns"][0]]
        numbers = move["scale"] is not None and own is not None and "values" not in feature
        moved = abs(held - own) / move["scale"] if numbers else np.full(len(held), np.nan)
        jump = math.inf if move["jump"] is None else move["jump"]
        total += np.where(rows.has_cells_of_row([i]), 0.0, np.where(np.isnan(moved), jump, moved))
    return not (wrong & (total < costs["distance"] * (1 - 1e-12))).any()


def pairs_are_true(rows: Rows) -> bool:
    """Whether no two rows that differ in one of the features break the property."""
    stated = rows.header["property"]
    moved = [stated["monotone"]] if "monotone" in stated else stated["independent"]
    order = stated.get("order", [])
    rank = np.array([order.index(k) if k in order else -1 for k in range(int(rows.decided.max()) + 1)])
    for i in moved:
        others = np.delete(rows.cells, i, axis=1)
        sort = np.lexsort((rows.cells[:, i], *others.T))
        begins = np.flatnonzero(np.append(True, (np.diff(others[sort], axis=0) != 0).any(axis=1)))
        for group in np.split(sort, begins[1:]):
            if "independent" in stated:
                if len({*rows.decided[group].tolist()}) > 1:
                    return False
                continue
            ranks = rank[rows.decided[group[rows.cells[group, i] >= 0]]]
            steps = np.diff(ranks) * (1 if stated["direction"] == "increasing" else -1)
            if (steps < 0).any():
                return False
    return True


def shortest_is_true(rows: Rows) -> bool:
    """Whether the box entails its decision, and no lighter set of features with the row's cells does."""
    header = rows.header
    (claim,) = header["claims"]
    weights = header["least"]["weights"] or [1.0] * len(rows.features)
    fixed, avoided = header["prime"]["fixed"], header["least"]["avoided"]
    used = sum(weights[int(i)] for i in claim["box"] if int(i) not in fixed)
    choices = [i for i in range(len(rows.features)) if i not in fixed and i not in avoided]
    for size in range(len(choices) + 1):
        for chosen in itertools.combinations(choices, size):
            decided = rows.decided[rows.has_cells_of_row([*chosen, *fixed])]
            if (decided == claim["decided"][0]).all() and sum(weights[i] for i in chosen) < used:
                return False
    return rule_is_true(rows)


def alike_is_true(_: Rows) -> bool:
    """Whether a model is like itself."""
    return True


TRUE: dict[str, Callable[[Rows], bool]] = {
    "explanation": rule_is_true,
    "rule": rule_is_true,
    "radius": radius_is_true,
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
