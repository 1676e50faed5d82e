#!/usr/bin/env python3
"""Checks a certificate against an ensemble file, in exact integers.

    python check.py ensemble.json case.pwcert

This file needs Python and numpy, and nothing else: copy it wherever you like. It shares no code with the programs that
write certificates. The format, and why each rule is sound, is defined in docs/reference/certificates.md; the sections
below follow that page. Every condition of the format is a call of `need`: where one does not hold, the certificate is
rejected.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zlib
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
FlagArray = NDArray[np.bool_]
MOST_BYTES, MOST_HEADER, MOST_NODES, MOST_OPEN = 2**28, 2**26, 2**24, 2**12
HEADER = (
    *("format", "version", "kind", "model", "decision", "summation", "shift", "band", "carrier", "features"),
    *("clauses", "orders", "chains", "claims", "prime", "radius", "blobs"),
)
NO_LOW, NO_HIGH = 2**40, -1
"""The ends of a run without ranks."""


class Rejected(Exception):
    """A condition of the format does not hold."""


def need(holds: object, otherwise: str) -> None:
    """Reject the certificate unless something holds."""
    if not holds:
        raise Rejected(otherwise)


# ------------------------------------------------------------------------------------------------ plain values


def get(record: Any, name: str) -> Any:
    """A field of a record."""
    need(isinstance(record, dict) and name in record, f"{name} is missing")
    return record[name]


def need_fields(record: Any, *names: str) -> None:
    """Reject a record that has other fields than these."""
    need(
        type(record) is dict and set(record) == set(names),
        f"a record does not have the fields {', '.join(names)}",
    )


def integer(value: Any, low: int, high: int, what: str) -> int:
    """A whole number within limits."""
    need(type(value) is int and low <= value <= high, f"{what} is not a whole number from {low} to {high}")
    return int(value)


def number(value: Any, what: str) -> float:
    """A finite number."""
    need(type(value) in (int, float) and abs(value) < 2**1024, f"{what} is not a number")
    return float(value)


def flag(value: Any, what: str) -> bool:
    """True or false."""
    need(type(value) is bool, f"{what} is not true or false")
    return bool(value)


def items(value: Any, what: str, most: int = 10**8) -> list[Any]:
    """A list."""
    need(type(value) is list and len(value) <= most, f"{what} is not a list")
    return list(value)


def integers(value: Any, low: int, high: int, what: str) -> IntArray:
    """A list of whole numbers within limits."""
    values = items(value, what)
    need(all(type(x) is int and low <= x <= high for x in values), f"{what} has a wrong number")
    return np.array(values, dtype=np.int64)


def numbers(value: Any, what: str) -> FloatArray:
    """A list of numbers, infinite ones as text."""
    ends = {"inf": math.inf, "-inf": -math.inf}
    return np.array(
        [ends[x] if type(x) is str and x in ends else number(x, what) for x in items(value, what)]
    )


def read_json(raw: bytes, what: str) -> Any:
    """A JSON document without NaN and infinities."""

    def refuse(name: str) -> NoReturn:
        raise Rejected(f"{what} has the number {name}")

    try:
        return json.loads(raw, parse_constant=refuse)
    except (ValueError, RecursionError) as problem:
        raise Rejected(f"{what} is not JSON: {problem}") from None


# ------------------------------------------------------------------------------------------------ the ensemble file


class EnsembleFile:
    """The trees side by side, one node after the other, and how their leaves become a decision."""

    def __init__(self, raw: bytes) -> None:
        self.digest = hashlib.sha256(raw).hexdigest()
        record = read_json(raw, "the ensemble file")
        need(
            get(record, "format") == "primewood ensemble" and get(record, "version") == 1,
            "not an ensemble file",
        )
        self.names = [str(name) for name in items(get(record, "feature_names"), "feature_names")]
        self.labels = items(get(record, "classes"), "classes")
        self.strict = self._choose(record, "operator", ("<=", "<")) == "<"
        self.dtype = np.dtype(self._choose(record, "dtype", ("float64", "float32")))
        self.precision = np.dtype(self._choose(record, "precision", ("float64", "float32")))
        self.vote = self._choose(record, "vote", ("majority", "mean", "sum"))
        self.link = str(get(record, "link"))
        self.cuts = numbers(get(record, "cuts"), "cuts").tolist()
        trees = items(get(record, "trees"), "trees")
        need(trees and self.names and len(self.labels) <= 10**6, "no trees, or no columns")
        self._read_trees(trees)
        self._read_groups(items(get(record, "groups"), "groups"), len(trees))
        divisor = get(record, "divisor")
        self.divisor = float(len(self.sizes)) if divisor is None else number(divisor, "divisor")
        self.divisor = 1.0 if self.vote == "sum" else self.divisor
        need(self.divisor > 0, "the divisor is not above 0")
        start = numbers(get(record, "start"), "start")
        self.start = start if len(start) else np.zeros(self.value.shape[1])
        need(
            len(self.start) == self.value.shape[1] and np.isfinite(self.start).all(),
            "start has a wrong length",
        )

    @staticmethod
    def _choose(record: Any, name: str, known: tuple[str, ...]) -> str:
        need(get(record, name) in known, f"{name} is unknown")
        return str(record[name])

    def _read_trees(self, trees: list[Any]) -> None:
        sizes = [len(items(get(tree, "feature"), "feature")) for tree in trees]
        need(min(sizes) > 0, "a tree has no nodes")
        self.root = np.cumsum([0, *sizes[:-1]])
        self.tree = np.repeat(np.arange(len(trees)), sizes)
        self.column = np.concatenate(
            [integers(t["feature"], -1, len(self.names) - 1, "feature") for t in trees]
        )
        self.threshold = np.concatenate([numbers(get(t, "threshold"), "threshold") for t in trees])
        first, last = self.root[self.tree], (self.root + sizes)[self.tree]
        left, right = (
            np.concatenate([integers(get(t, side), -1, 2**31, side) for t in trees])
            for side in ("left", "right")
        )
        self.missing_left = np.concatenate(
            [[flag(x, "missing_left") for x in items(get(t, "missing_left"), "missing_left")] for t in trees]
        ).astype(bool)
        count = len(self.tree)
        arrays = (self.threshold, left, right, self.missing_left)
        need(all(len(array) == count for array in arrays), "a tree has arrays of different lengths")
        self.leaf = self.column < 0
        here = np.arange(count)
        self.left, self.right = (
            np.where(self.leaf, here, left + first),
            np.where(self.leaf, here, right + first),
        )
        inner = ~self.leaf
        for child in (self.left, self.right):
            need(((child > here) & (child < last))[inner].all(), "a child does not come after its parent")
        self.sets: dict[int, FloatArray] = {}
        for tree, at, size in zip(trees, self.root.tolist(), sizes, strict=True):
            bounds = [numbers(x, "sets") for x in items(get(tree, "sets"), "sets")]
            set_of = get(tree, "set_of")
            which = (
                integers(set_of, -1, len(bounds) - 1, "set_of") if set_of is not None else np.full(size, -1)
            )
            need(len(which) == size, "set_of has a wrong length")
            self.sets |= {at + n: bounds[which[n]] for n in np.flatnonzero(which >= 0).tolist()}
        rows = [items(x, "value") for t in trees for x in items(get(t, "value"), "value")]
        width = len(rows[0]) if rows else 0
        need(
            len(rows) == count and width and all(len(row) == width for row in rows), "value has a wrong shape"
        )
        self.value = numbers([x for row in rows for x in row], "value").reshape(count, width)
        need(np.isfinite(self.value).all(), "a leaf is not finite")

    def _read_groups(self, groups: list[Any], trees: int) -> None:
        if self.vote == "majority" or not groups:
            groups = [[1, 1.0]] * trees
        self.sizes = [integer(items(g, "a group", 2)[0], 1, trees, "a group's size") for g in groups]
        self.group_weights = [number(g[1], "a group's weight") for g in groups]
        need(sum(self.sizes) == trees, "the groups do not have every tree once")
        if self.vote == "majority":
            self.value = np.eye(self.value.shape[1])[self.value.argmax(axis=1)]
        weight = np.repeat([w if n == 1 else 1.0 for n, w in self._groups], self.sizes)
        self.value = self.value * weight[self.tree][:, None]

    @property
    def _groups(self) -> list[tuple[int, float]]:
        return list(zip(self.sizes, self.group_weights, strict=True))

    def boundaries(self, thresholds: FloatArray) -> FloatArray:
        """Per threshold, the least float64 that it does not send left; ±inf if there is none, or if all are such."""
        with np.errstate(over="ignore", invalid="ignore"):
            near = thresholds.astype(self.dtype)
            right = (
                near.astype(np.float64) >= thresholds if self.strict else near.astype(np.float64) > thresholds
            )
            first = np.where(right, near, np.nextafter(near, self.dtype.type(np.inf)))
            before = np.nextafter(first, self.dtype.type(-np.inf))
            found = first.astype(np.float64)
            if self.dtype == np.float32:  # numbers between two float32 are cast to one of them
                middle = (before.astype(np.float64) + found) / 2
                found = np.where(middle.astype(np.float32) >= first, middle, np.nextafter(middle, np.inf))
        found = np.where(np.isinf(before) & (before < 0), -np.inf, found)
        return np.where(np.isposinf(first.astype(np.float64)), np.inf, found)

    def goes_left(self, node: int, samples: FloatArray) -> FlagArray:
        """Which samples a node sends left, as the library tests them."""
        with np.errstate(over="ignore"):
            cast = samples.astype(self.dtype).astype(np.float64)
        bounds = self.sets.get(node, self.threshold[[node]])
        left = cast[:, None] < bounds if self.strict else cast[:, None] <= bounds
        return (~left).sum(axis=1) % 2 == 1 if node in self.sets else left[:, 0]


# ------------------------------------------------------------------------------------------------ scores and weights


class LeafVote:
    """How leaves become a decision: the file's own way, or what the certificate states instead."""

    def __init__(self, model: EnsembleFile, header: Any) -> None:
        self.model = model
        self.value, self.start, self.cuts = model.value, model.start, model.cuts
        stated = get(header, "decision")
        if stated is not None:
            need_fields(stated, "output", "negated", "cuts")
            output = integer(get(stated, "output"), 0, model.value.shape[1] - 1, "output")
            sign = -1.0 if flag(get(stated, "negated"), "negated") else 1.0
            self.value, self.start = sign * model.value[:, [output]], sign * model.start[[output]]
            self.cuts = numbers(get(stated, "cuts"), "cuts").tolist()
            need(self.cuts, "a decision without cuts")
        self.classes = len(self.cuts) + 1 if self.cuts else len(model.labels)
        ends = [-math.inf, *self.cuts, math.inf]
        need(all(a < b for a, b in pairwise(ends)), "the cuts do not ascend")
        need(
            self.value.shape[1] == (1 if self.cuts else self.classes),
            "the leaves have a wrong number of outputs",
        )
        soft = {"softmax": Fraction(1, 2**47), "softmax32": Fraction(1, 2**19)}
        self.slack = Fraction(0) if self.cuts or model.link == "identity" else soft.get(model.link)
        need(self.slack is not None, "this link needs cuts")
        self.any_order = get(header, "summation") == "any"
        need(self.any_order or header["summation"] == "sequential", "summation is unknown")
        self._make_integers(header)

    def _make_integers(self, header: Any) -> None:
        """The leaves in units of 2^−shift; which add without rounding; how far the library's sums can be off."""
        model, trees = self.model, len(self.model.root)
        shift = self.shift = integer(get(header, "shift"), -1000, 1000, "shift")
        self.band = integer(get(header, "band"), 0, 2**57, "band")
        share = np.repeat([w / n if n > 1 else 1.0 for n, w in model._groups], model.sizes)
        added = np.where(model.leaf[:, None], self.value * share[model.tree][:, None], 0.0)
        most = np.maximum.reduceat(abs(added), model.root, axis=0)
        total = max(abs(self.start[o]) + math.fsum(most[:, o]) for o in range(most.shape[1]))
        large = max(float(most.max()), float(abs(self.start).max()))
        largest = float(np.finfo(model.precision).max) / 4
        need(total <= largest and total / model.divisor <= largest, "the scores can be too large")
        need(
            model.precision == np.float64
            or (shift <= 149 and _is_single(self.value) and _is_single(self.start)),
            "not float32",
        )
        need(
            model.link != "softmax32" or bool(self.cuts) or model.precision == np.float32,
            "softmax32 of float64",
        )
        need(math.ldexp(large, shift) <= 2.0**52, "the shift is too large")
        need(math.ldexp(total * max(1, len(self.cuts)), shift) <= 2.0**58, "the shift is too large")
        self.whole = np.rint(np.ldexp(added, shift)).astype(np.int64)
        self.whole_start = np.rint(np.ldexp(self.start, shift)).astype(np.int64).tolist()
        bits, size = (20, 25) if model.precision == np.float64 else (10, 13)
        plain = bool(self.cuts) or model.link == "identity"
        self.exact = _is_multiple(self.value, bits) & (np.repeat(model.sizes, model.sizes) == 1)[model.tree]
        self.exact &= (
            total < 2.0**size and shift >= bits and plain and bool(_is_multiple(self.start[None], bits))
        )
        carrier = get(header, "carrier")
        self.carries = ~self.exact & model.leaf
        self.least_band = self._least_band(most, trees) if self.carries.any() else 0
        need(self.band >= self.least_band, "the band is too narrow")
        if carrier is not None:
            self.carries = model.leaf & (model.tree == integer(carrier, 0, trees - 1, "carrier"))

    def _least_band(self, most: FloatArray, trees: int) -> int:
        model, largest = self.model, Fraction(0)
        unit = Fraction(1, 2**53 if model.precision == np.float64 else 2**24)
        for o in range(most.shape[1]):
            sizes = [math.ceil(math.ldexp(x, self.shift)) for x in most[:, o].tolist()]
            groups, within, at = [], 0, 0
            for n in model.sizes:
                own = sorted(sizes[at : at + n], reverse=True)
                at += n
                groups.append(sum(own))
                if n > 1:
                    within += sum(np.cumsum(own, dtype=object).tolist()) + 2 * sum(own)
            begin = math.ceil(math.ldexp(abs(self.start[o]), self.shift))
            above = sorted((x for x in groups if x), reverse=True)  # adding 0 rounds nothing
            partial = [begin, *(begin + int(x) for x in np.cumsum(above, dtype=object))]
            error = sum(partial[1:]) + within + 2 * partial[-1] + (partial[-1] if model.divisor != 1 else 0)
            largest = max(largest, error * unit * (1 + 4 * trees * unit))
        assert self.slack is not None
        slack = self.slack * Fraction(model.divisor) * Fraction(2) ** self.shift
        wide = math.ceil(2 * largest + slack) + 3 * trees + 2
        return 2 * wide if self.cuts else wide

    def rivals(self, label: int) -> list[int]:
        near = (label - 1, label + 1) if self.cuts else range(self.classes)
        return [r for r in near if r != label and 0 <= r < self.classes]

    def margin(self, label: int, rival: int) -> tuple[IntArray, int, int]:
        """The weights of the leaves without the band, the base, and the threshold."""
        if not self.cuts:
            base = self.whole_start[rival] - self.whole_start[label]
            return self.whole[:, rival] - self.whole[:, label], base, int(rival > label)
        sign = 1 if rival > label else -1
        least = _least_sum(self.cuts[min(label, rival)], self.model.divisor)
        cut = math.ceil(Fraction(least) * Fraction(2) ** self.shift)
        return 2 * sign * self.whole[:, 0], sign * (2 * self.whole_start[0] + 1 - 2 * cut), int(rival > label)

    def same_numbers(self, label: int, rival: int, a: IntArray, b: IntArray) -> FlagArray:
        """Whether the comparison of two classes reads the same numbers at leaves a and b."""
        read = [label, rival] if not self.cuts and self.model.link == "identity" else slice(None)
        same: FlagArray = (self.value[a][:, read] == self.value[b][:, read]).all(axis=1)
        return same

    def scores(self, leaves: IntArray) -> FloatArray:
        """The library's scores where trees end in these leaves (rows by trees): its own sum, in its own order."""
        real = self.model.precision
        total = np.zeros((len(leaves), self.value.shape[1]), real) + self.start.astype(real)
        at = 0
        for size, weight in self.model._groups:
            part = np.zeros_like(total)
            for t in range(at, at + size):
                part += self.value[leaves[:, t]].astype(real)
            total += part if size == 1 else (part / size * weight).astype(real)
            at += size
        scores: FloatArray = total.astype(np.float64) / self.model.divisor
        return scores

    def prefers(self, scores: FloatArray, label: int, rival: int) -> bool:
        """Whether the library prefers the label to a rival; False where only the link's own values can tell."""
        if self.cuts:
            above = bool(scores[0] >= self.cuts[min(label, rival)])
            return above == (label > rival)
        if self.slack and abs(Fraction(scores[label]) - Fraction(scores[rival])) <= self.slack:
            return False
        return bool(scores[label] > scores[rival] or (scores[label] == scores[rival] and label < rival))

    def shows_other(self, leaves: IntArray, label: int) -> FlagArray:
        """Whether the library gives another decision where trees end in these leaves (rows by trees)."""
        scores = self.scores(leaves)
        if self.cuts:
            other = np.searchsorted(self.cuts, scores[:, 0], side="right") != label
        else:
            top = np.sort(scores, axis=1)
            clear = top[:, -1] - top[:, -2] > 2 * float(self.slack or 0) if self.slack else True
            other = (scores.argmax(axis=1) != label) & clear
        if self.any_order:
            for rival in self.rivals(label):
                weight, base, threshold = self.margin(label, rival)
                wide = self.least_band + leaves.shape[1] * (2 if self.cuts else 1)
                rounds = ~self.exact[leaves].all(axis=1)
                other |= weight[leaves].sum(axis=1) + np.where(rounds, wide, 0) >= threshold - base
        return np.asarray(other)


def _is_multiple(values: FloatArray, bits: int) -> FlagArray:
    with np.errstate(over="ignore"):
        scaled = np.ldexp(values, bits)
    whole: FlagArray = (scaled == np.floor(scaled)).all(axis=-1)
    return whole


def _is_single(values: FloatArray) -> bool:
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())


def _least_sum(cut: float, divisor: float) -> float:
    """The least float64 whose quotient by the divisor reaches the cut."""
    if divisor == 1:
        return cut
    near = cut * divisor
    for _ in range(64):
        below = math.nextafter(near, -math.inf)
        if near / divisor < cut:
            near = math.nextafter(near, math.inf)
        elif below / divisor >= cut:
            near = below
        else:
            return near
    raise Rejected("the cut cannot be divided")


# ------------------------------------------------------------------------------------------------ rows


@dataclass
class FeatureCells:
    """What its columns hold: cells, and perhaps "missing", which is the atom after the last cell."""

    columns: list[int]
    missing: bool
    listed: bool
    ordered: bool
    whole: bool
    low: FloatArray
    """The least number of each cell; of a listed feature, nothing."""
    high: FloatArray
    samples: FloatArray
    """One row per cell, one number per column."""

    @property
    def cells(self) -> int:
        return len(self.samples)

    def atom_of(self, held: FloatArray) -> int:
        """The atom of what a row holds in the columns; rejects what the feature does not allow."""
        if np.isnan(held).any():
            need(self.missing and np.isnan(held).all(), "a value is missing that cannot be")
            return self.cells
        if self.listed:
            same = (self.samples == held).all(axis=1)
            need(same.any(), "a row has a value that is not listed")
            return int(same.argmax())
        inside = (self.low <= held[0]) & (held[0] <= self.high)
        need(inside.any() and (not self.whole or held[0] == math.floor(held[0])), "a number is not allowed")
        return int(inside.argmax())

    def read_literal(self, literal: Any, *, exactly: bool) -> FlagArray:
        """Which atoms a literal allows; `exactly`: each cell wholly or not at all."""
        need_fields(literal, "values" if self.listed else "runs", "missing")
        inside = np.zeros(self.cells + 1, dtype=bool)
        inside[-1] = flag(get(literal, "missing"), "missing")
        need(self.missing or not inside[-1], "a literal allows missing where the feature does not")
        if self.listed:
            inside[integers(get(literal, "values"), 0, self.cells - 1, "values")] = True
            return inside
        for run in items(get(literal, "runs"), "runs"):
            need(len(items(run, "a run", 2)) == 2, "a run has two ends")
            low = float(self.low[0]) if run[0] is None else number(run[0], "a run's end")
            high = float(self.high[-1]) if run[1] is None else number(run[1], "a run's end")
            need(low <= high, "a run is empty")
            meets = (self.low <= high) & (self.high >= low)
            need(
                not exactly or (meets == ((self.low >= low) & (self.high <= high))).all(),
                "a run divides a cell",
            )
            inside[:-1] |= meets
        return inside


def read_feature(model: EnsembleFile, record: Any) -> FeatureCells:
    """A feature: its cells follow from the model's tests and its own record."""
    kind = ("values", "ordered") if "values" in record else ("whole", "low", "high", "cuts")
    need_fields(record, "columns", "missing", *kind)
    columns = integers(get(record, "columns"), 0, len(model.names) - 1, "columns").tolist()
    missing = flag(get(record, "missing"), "missing")
    if "values" in record:
        rows = [numbers(row, "values") for row in items(record["values"], "values")]
        need(columns and all(len(row) == len(columns) for row in rows), "a value has a number per column")
        samples = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
        need(np.isfinite(samples).all() and (len(rows) or missing), "a feature allows nothing")
        need(len(np.unique(samples, axis=0)) == len(rows), "a value is listed twice")
        ordered = flag(get(record, "ordered"), "ordered")
        return FeatureCells(columns, missing, True, ordered, False, np.empty(0), np.empty(0), samples)
    need(len(columns) == 1, "a numeric feature has one column")
    whole = flag(get(record, "whole"), "whole")
    low, high = (
        end if get(record, name) is None else number(record[name], name)
        for name, end in (("low", -math.inf), ("high", math.inf))
    )
    need(
        low <= high and (not whole or all(x == math.floor(x) for x in (low, high) if math.isfinite(x))),
        "bad ends",
    )
    tests = ~model.leaf & (model.column == columns[0])
    tests[list(model.sets)] = False
    bounds = [b for n, b in model.sets.items() if model.column[n] == columns[0]]
    cuts = np.concatenate(
        [
            model.boundaries(np.concatenate([model.threshold[tests], *bounds])),
            numbers(get(record, "cuts"), "cuts"),
        ]
    )
    cuts = np.ceil(cuts) if whole else cuts
    cuts = np.unique(cuts[np.isfinite(cuts) & (cuts > low) & (cuts <= high)])
    before = np.nextafter(cuts, -np.inf)
    before = np.minimum(before, cuts - 1) if whole else before
    lows, highs = np.append(low, cuts), np.append(before, high)
    first = before[0] if len(cuts) else min(max(0.0, low), high)
    return FeatureCells(columns, missing, False, True, whole, lows, highs, np.append(first, cuts)[:, None])


# ------------------------------------------------------------------------------------------------ trees over atoms


class AtomTrees:
    """Binary trees whose tests send the first cells of a feature left: those of the model, then those of knowledge.

    A test that sends several runs of cells left becomes a chain of such tests, one per end of a run.
    """

    def __init__(self, model: EnsembleFile, features: list[FeatureCells]) -> None:
        self.features = features
        self.roots: list[int] = []
        self.rows: list[list[int]] = []
        self.forbidden: list[int] = []
        self._add_model(model)
        self.n_model = len(self.roots)

    def finish(self) -> None:
        """Turn the nodes into arrays; no tree is added afterwards."""
        table = np.array(self.rows, dtype=np.int64)
        self.feature, self.prefix, self.missing_left, self.left, self.right, self.origin = table.T
        self.root = np.array(self.roots)

    def _add_model(self, model: EnsembleFile) -> None:
        feature_of = np.empty(len(model.names), dtype=np.int64)
        for i, feature in enumerate(self.features):
            feature_of[feature.columns] = i
        plain = ~model.leaf
        plain[list(model.sets)] = False
        prefix = np.zeros(len(model.leaf), dtype=np.int64)
        for feature in self.features:
            if feature.listed:
                plain[np.isin(model.column, feature.columns)] = False
            else:
                here = np.flatnonzero(plain & (model.column == feature.columns[0]))
                least = model.boundaries(model.threshold[here])
                prefix[here] = np.searchsorted(feature.samples[:, 0], least, side="left")
        known: dict[tuple[int, bytes], tuple[int, list[tuple[int, bool]]]] = {}
        chains = {}
        for node in np.flatnonzero(~model.leaf & ~plain).tolist():
            column = int(model.column[node])
            key = (
                column,
                model.sets.get(node, model.threshold[[node]]).tobytes() + bytes([node in model.sets]),
            )
            if key not in known:
                feature = self.features[feature_of[column]]
                left = model.goes_left(node, feature.samples[:, feature.columns.index(column)])
                known[key] = (len(left), runs_of(left))
            chains[node] = known[key]
        count = np.ones(len(model.leaf), dtype=np.int64)
        for node, (_, runs) in chains.items():
            count[node] = max(1, len(runs) - 1)
        place = np.cumsum(count) - count
        tested = np.where(model.leaf, -1, feature_of[np.maximum(model.column, 0)])
        columns = (
            tested,
            prefix,
            model.missing_left,
            place[model.left],
            place[model.right],
            np.arange(len(count)),
        )
        table = np.repeat(np.stack([np.asarray(x, dtype=np.int64) for x in columns], axis=1), count, axis=0)
        for node, (size, runs) in chains.items():
            links = self._chain(
                int(place[node]), size, runs, bool(model.missing_left[node]), *table[place[node], 3:5]
            )
            for k, link in enumerate(links):
                table[place[node] + k, 1:5] = link
        self.rows = table.tolist()
        self.roots = place[model.root].tolist()
        self.forbidden = [0] * len(self.rows)

    @staticmethod
    def _chain(
        at: int, size: int, runs: list[tuple[int, bool]], missing_left: bool, left: int, right: int
    ) -> list[list[int]]:
        """Tests of runs (where each ends, and whether it goes left): the prefix, missing, and the two children."""
        if len(runs) < 2:
            goes_left = runs[0][1] if runs else missing_left
            return [[size if goes_left else 0, int(missing_left), left, right]]
        links = []
        for k, (end, goes_left) in enumerate(runs[:-1]):
            this, other = (left, right) if goes_left else (right, left)
            links.append(
                [end, int(missing_left == goes_left), this, at + k + 1 if k + 2 < len(runs) else other]
            )
        return links

    def _test(self, feature: int, inside: FlagArray, then: int, otherwise: int) -> None:
        """Add a test that sends the atoms inside to one node, and the others to another."""
        cells = inside[:-1]
        at = len(self.rows)
        for link in self._chain(at, len(cells), runs_of(cells), bool(inside[-1]), then, otherwise):
            self._add([feature, *link])

    def _add(self, row: list[int], *, forbidden: bool = False) -> None:
        self.rows.append([*row, -1])
        self.forbidden.append(int(forbidden))

    def _length(self, inside: FlagArray) -> int:
        return max(1, len(runs_of(inside[:-1])) - 1)

    def add_clause(self, literals: dict[int, FlagArray]) -> None:
        """A tree that sends the rows of a box to "forbidden", and all others to "possible"."""
        self.roots.append(len(self.rows))
        ends = np.cumsum([len(self.rows), *(self._length(inside) for inside in literals.values())]).tolist()
        possible, forbidden = ends[-1], ends[-1] + 1
        for (i, inside), then in zip(literals.items(), [*ends[1:-1], forbidden], strict=True):
            self._test(i, inside, then, possible)
        self._add([-1, 0, 0, 0, 0])
        self._add([-1, 0, 0, 0, 0], forbidden=True)

    def add_staircase(self, lower: int, upper: int, between: list[int], too_low: IntArray) -> None:
        """A tree that forbids, per cell of the lower feature, the first cells of the upper one."""
        self.roots.append(len(self.rows))
        steps = [0, *(np.flatnonzero(np.diff(too_low)) + 1).tolist()]
        present = [lower, *between]
        begin = len(self.rows)
        possible = begin + len(present) + 2 * len(steps) - 1
        for k, i in enumerate(present):
            self._add([i, self.features[i].cells, 0, begin + k + 1, possible])

        def add(p: int, q: int) -> int:
            at = len(self.rows)
            if q - p == 1:
                self._add([upper, int(too_low[steps[p]]), 0, possible + 1, possible])
                return at
            middle = (p + q) // 2
            self._add([lower, steps[middle], 0, 0, 0])
            self.rows[at][3], self.rows[at][4] = add(p, middle), add(middle, q)
            return at

        add(0, len(steps))
        self._add([-1, 0, 0, 0, 0])
        self._add([-1, 0, 0, 0, 0], forbidden=True)

    def leaves(self, points: IntArray) -> IntArray:
        """The leaf of every tree (a node of the model, or of knowledge) at points of atoms."""
        node = np.broadcast_to(self.root, (len(points), len(self.root))).copy()
        cells = np.array([f.cells for f in self.features])
        here = np.arange(len(points))[:, None]
        while True:
            i = self.feature[node]
            atom = points[here, np.maximum(i, 0)]
            missing = atom >= cells[i]
            left = np.where(missing, self.missing_left[node] == 1, atom < self.prefix[node])
            moved = np.where(i < 0, node, np.where(left, self.left[node], self.right[node]))
            if (moved == node).all():
                return node
            node = moved


def runs_of(flags: FlagArray) -> list[tuple[int, bool]]:
    """The maximal runs of equal flags: where each ends, and the flag."""
    if not len(flags):
        return []
    ends = [*(np.flatnonzero(np.diff(flags)) + 1).tolist(), len(flags)]
    return [(end, bool(flags[end - 1])) for end in ends]


# ------------------------------------------------------------------------------------------------ the certificate


class CertificateFile:
    """The header and the blobs, and what they are about: features, knowledge, the vote."""

    def __init__(self, model: EnsembleFile, raw: bytes) -> None:
        content = unpack(raw)
        line, _, rest = content.partition(b"\n")
        need(len(line) <= MOST_HEADER, "the header is too long")
        self.model, self.header = model, read_json(line, "the header")
        need(
            get(self.header, "format") == "primewood certificate" and get(self.header, "version") == 1,
            "not a certificate of version 1",
        )
        need(get(self.header, "model") == model.digest, "the certificate is about another ensemble file")
        need_fields(self.header, *HEADER)
        lengths = integers(get(self.header, "blobs"), 0, MOST_BYTES, "blobs").tolist()
        need(sum(lengths) == len(rest), "the blobs have wrong lengths")
        ends = np.cumsum([0, *lengths]).tolist()
        self.blobs = [rest[a:b] for a, b in pairwise(ends)]
        self.vote = LeafVote(model, self.header)
        self.features = [read_feature(model, f) for f in items(get(self.header, "features"), "features")]
        columns = sorted(c for f in self.features for c in f.columns)
        need(columns == list(range(len(model.names))), "each column belongs to one feature")
        self.trees = AtomTrees(model, self.features)
        self._read_knowledge()
        self.trees.finish()

    def _read_knowledge(self) -> None:
        self.clauses = []
        for clause in items(get(self.header, "clauses"), "clauses"):
            need_fields(clause, "text", "forbidden")
            tests = items(clause["forbidden"], "forbidden")
            places = [
                integer(items(t, "a test", 2)[0], 0, len(self.features) - 1, "a feature") for t in tests
            ]
            need(
                tests and len(set(places)) == len(tests),
                "a clause forbids every row, or names a feature twice",
            )
            self.clauses.append(
                {
                    i: self.features[i].read_literal(t[1], exactly=True)
                    for i, t in zip(places, tests, strict=True)
                }
            )
            self.trees.add_clause(self.clauses[-1])
        self.orders = []
        for order in items(get(self.header, "orders"), "orders"):
            need_fields(order, "text", "lower", "upper", "constants", "strict")
            lower, upper = (
                integer(get(order, name), 0, len(self.features) - 1, name) for name in ("lower", "upper")
            )
            need(
                not self.features[lower].listed and not self.features[upper].listed, "an order of categories"
            )
            self.orders.append(
                (
                    lower,
                    upper,
                    numbers(get(order, "constants"), "constants").tolist(),
                    flag(get(order, "strict"), "strict"),
                )
            )
        for chain in items(get(self.header, "chains"), "chains"):
            self._add_chain([self.orders[k] for k in integers(chain, 0, len(self.orders) - 1, "chains")])

    def _add_chain(self, chain: list[tuple[int, int, list[float], bool]]) -> None:
        need(chain and all(a[1] == b[0] for a, b in pairwise(chain)), "the orders do not make a chain")
        lower, upper = self.features[chain[0][0]], self.features[chain[-1][1]]
        bound = upper.high.copy()
        for order in reversed(chain):
            for constant in order[2]:
                bound = bound + constant
        moved = np.cumsum([any(order[2]) for order in chain])
        strict = any(order[3] and (k == 0 or not moved[k - 1]) for k, order in enumerate(chain))
        low = lower.low[:, None]
        fits = low < bound if strict else low <= bound
        too_low = (~fits).sum(axis=1)
        need((fits == (np.arange(upper.cells) >= too_low[:, None])).all(), "an order is not a staircase")
        if too_low.any():
            self.trees.add_staircase(chain[0][0], chain[-1][1], [order[1] for order in chain[:-1]], too_low)

    def read_box(self, box: Any, *, exactly: bool = False) -> dict[int, FlagArray]:
        """Per restricted feature, which atoms a box allows."""
        need(type(box) is dict and all(name.isdecimal() for name in box), "a box is a mapping from features")
        places = sorted(map(int, box))
        need(len(set(places)) == len(box) and (not box or places[-1] < len(self.features)), "no such feature")
        return {i: self.features[i].read_literal(get(box, str(i)), exactly=exactly) for i in places}

    def atoms_of(self, row: Any) -> IntArray:
        """The atoms of a row, which must be possible."""
        held = np.array([math.nan if x is None else number(x, "a row") for x in items(row, "a row")])
        need(len(held) == len(self.model.names), "a row has a number per column")
        atoms = np.array([f.atom_of(held[f.columns]) for f in self.features])
        self.need_possible(atoms[None], {i: held[f.columns[:1]] for i, f in enumerate(self.features)})
        return atoms

    def need_possible(self, points: IntArray, held: dict[int, FloatArray]) -> None:
        """Rows at points, by the numbers that features hold there, violate no clause and no order."""
        for box in self.clauses:
            inside = np.all([allowed[points[:, i]] for i, allowed in box.items()], axis=0)
            need(not inside.any(), "a row violates a clause")
        for lower, upper, constants, strict in self.orders:
            bound = held[upper]
            for constant in constants:
                bound = bound + constant
            fits = held[lower] < bound if strict else held[lower] <= bound
            need((fits | np.isnan(held[lower]) | np.isnan(bound)).all(), "a row violates an order")


def unpack(raw: bytes) -> bytes:
    """The content of a gzip file of limited size."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(raw, MOST_BYTES)
    except zlib.error as problem:
        raise Rejected(f"not a gzip file: {problem}") from None
    need(unpacker.eof and not unpacker.unused_data, "the file is too long, or cut off")
    return content


def read_varints(blob: bytes) -> IntArray:
    """Numbers in groups of 7 bits, the lowest first."""
    data = np.frombuffer(blob, np.uint8)
    last = np.flatnonzero(data < 128)
    need(len(data) == 0 or (len(last) and last[-1] == len(data) - 1), "a blob ends inside a number")
    starts = np.append(0, last + 1)[: len(last)]
    need((last - starts < 9).all(), "a number is too long")
    power = np.arange(len(data)) - np.repeat(starts, last - starts + 1)
    return (
        np.add.reduceat((data & 127).astype(np.int64) << 7 * power, starts)
        if len(data)
        else np.empty(0, np.int64)
    )


# ------------------------------------------------------------------------------------------------ pieces


class ReachedBox:
    """A box in ranks, and what the trees can reach in it: items, each a leaf or a fork."""

    def __init__(self, certificate: CertificateFile, literals: dict[int, FlagArray]) -> None:
        self.trees, features = certificate.trees, certificate.features
        self.inside = []
        for i, f in enumerate(features):
            allowed = literals.get(i, np.append(np.ones(f.cells, dtype=bool), f.missing))
            need(allowed.any(), "a box allows nothing of a feature")
            self.inside.append(allowed)
        self.size = np.array([int(allowed[:-1].sum()) for allowed in self.inside])
        self.missing = np.array([allowed[-1] for allowed in self.inside])
        self._walk()

    def _walk(self) -> None:
        trees = self.trees
        offset = np.cumsum([0, *(len(allowed) for allowed in self.inside)])[:-1]
        below = np.concatenate([np.append(0, np.cumsum(allowed[:-1])) for allowed in self.inside])
        split = below[offset[trees.feature] + trees.prefix]  # at leaves: of no use
        node, parent = trees.root.copy(), np.full(len(trees.root), -1)
        entries = np.empty((0, 5), dtype=np.int64)  # item, feature, low, high, missing
        nodes, parents, kids, levels, all_entries, begin = [], [], [], [], [], 0
        while len(node):
            fork, low, high, miss = self._walk_down(node, entries, begin, split)
            item = begin + np.flatnonzero(fork)
            count, at, j = len(item), node[fork], trees.feature[node[fork]]
            left = trees.missing_left[at] == 1
            low, high, miss = low[fork], high[fork], miss[fork]
            first = np.stack([j, low, np.minimum(high, split[at] - 1), miss & left], axis=1)
            second = np.stack([j, np.maximum(low, split[at]), high, miss & ~left], axis=1)
            own = np.concatenate([first, second])
            own[own[:, 1] > own[:, 2], 1:3] = NO_LOW, NO_HIGH
            nodes.append(node)
            parents.append(parent)
            kid = np.full(len(node), -1)
            kid[fork] = begin + len(node) + np.arange(count)
            kids.append(kid)
            levels.append(item)
            all_entries.append(entries)
            # The entries of the two parts: those of the fork, but for its own feature, and the new ones.
            feature_of = np.where(fork, trees.feature[node], -2)
            kept = entries[fork[entries[:, 0] - begin] & (feature_of[entries[:, 0] - begin] != entries[:, 1])]
            begin += len(node)
            parts = [kept.copy(), kept.copy()]
            parts[0][:, 0] = kid[kept[:, 0] - begin + len(node)]
            parts[1][:, 0] = parts[0][:, 0] + count
            new = np.column_stack([begin + np.arange(2 * count), own])
            entries = np.concatenate([*parts, new])
            node = np.concatenate([trees.left[at], trees.right[at]])
            parent = np.concatenate([item, item])
        self.node, self.parent, self.kid = (
            np.concatenate(nodes),
            np.concatenate(parents),
            np.concatenate(kids),
        )
        self.entries, self.levels = np.concatenate(all_entries), levels

    def _walk_down(
        self, node: IntArray, entries: IntArray, begin: int, split: IntArray
    ) -> tuple[FlagArray, IntArray, IntArray, FlagArray]:
        """Move items down to their next leaf or fork; returns which are forks, and what they allow of its feature."""
        trees = self.trees
        owner = entries[:, 0] - begin
        while True:
            j = trees.feature[node]
            low, high, miss = np.where(self.size[j] > 0, 0, NO_LOW), self.size[j] - 1, self.missing[j]
            here = j[owner] == entries[:, 1]
            low[owner[here]], high[owner[here]], miss[owner[here]] = (
                entries[here, 2],
                entries[here, 3],
                entries[here, 4] == 1,
            )
            left = trees.missing_left[node] == 1
            goes_left = (low < split[node]) & (low <= high) | miss & left
            goes_right = high >= split[node]
            goes_right |= miss & ~left
            passing = (j >= 0) & ~(goes_left & goes_right)
            if not passing.any():
                return j >= 0, low, high, miss
            node[passing] = np.where(goes_left, trees.left[node], trees.right[node])[passing]


# ------------------------------------------------------------------------------------------------ proofs


class BoxPart:
    """A part of the box: what it allows, the pieces alive, and what these restrict."""

    __slots__ = ("entry", "high", "low", "miss", "piece")

    def __init__(
        self, low: IntArray, high: IntArray, miss: FlagArray, piece: IntArray, entry: IntArray
    ) -> None:
        self.low, self.high, self.miss, self.piece, self.entry = low, high, miss, piece, entry

    def narrow(self, j: int, c: int, first: bool) -> BoxPart:
        """One of the two parts that `SPLIT j c` makes."""
        low, high, miss = self.low.copy(), self.high.copy(), self.miss.copy()
        if c == 0:
            low[j], high[j] = (low[j], high[j]) if first else (NO_LOW, NO_HIGH)
            miss[j] &= not first
        elif first:
            high[j] = min(high[j], c - 1)
        else:
            low[j], miss[j] = max(low[j], c), False
        if low[j] > high[j]:
            low[j], high[j] = NO_LOW, NO_HIGH
        return BoxPart(low, high, miss, self.piece, self.entry).restrict(j)

    def restrict(self, j: int | None = None) -> BoxPart:
        """Clip entries (of one feature, or all) to the part; drop dead pieces, and entries that restrict nothing."""
        piece, feature, low, high, miss, key = self.entry.T
        here = np.ones(len(piece), bool) if j is None else feature == j
        low = np.where(here, np.maximum(low, self.low[feature]), low)
        high = np.where(here, np.minimum(high, self.high[feature]), high)
        miss = np.where(here, miss & self.miss[feature], miss)
        empty = low > high
        low, high = np.where(empty, NO_LOW, low), np.where(empty, NO_HIGH, high)
        dead = np.zeros(len(self.piece), dtype=bool)
        dead[piece[here & empty & (miss == 0)]] = True
        whole = (
            here & (low <= self.low[feature]) & (high >= self.high[feature]) & (miss >= self.miss[feature])
        )
        keep = ~dead[piece] & ~whole
        place = np.cumsum(~dead) - 1
        entry = np.column_stack([place[piece], feature, low, high, miss, key])[keep]
        return BoxPart(self.low, self.high, self.miss, self.piece[~dead], entry)


class RivalProof:
    """That no row of a box is decided for a rival."""

    def __init__(
        self, certificate: CertificateFile, box: ReachedBox, label: int, rival: int, unit: Any, blob: bytes
    ) -> None:
        self.certificate, self.box, self.label, self.rival = certificate, box, label, rival
        self.unit = integer(unit, 1, 2**61, "the unit")
        self.code, self.at = read_varints(blob), 0
        self.nodes = self.cells = 0
        vote, trees = certificate.vote, certificate.trees
        weight, self.base, self.threshold = vote.margin(label, rival)
        weight = weight + np.where(vote.carries, vote.band, 0)
        weight = np.where(trees.origin >= 0, weight[trees.origin], 0)
        root, self.leaf = self._find_pieces(weight)
        self.tree = np.searchsorted(trees.root, self.leaf, side="right") - 1
        self.weight = weight[self.leaf]
        need(abs(self.weight).max(initial=0) < 2**61, "weights are too large")
        self._read_table()
        self._run(root)

    def _find_pieces(self, weight: IntArray) -> tuple[BoxPart, IntArray]:
        """The pieces: leaves, and forks whose two parts are alike."""
        box, trees, vote = self.box, self.certificate.trees, self.certificate.vote
        forbidden = np.array(trees.forbidden) == 1
        single = np.where(trees.feature[box.node] < 0, box.node, -1)
        for item in reversed(box.levels):
            kid = box.kid[item]
            a, b = single[kid], single[kid + len(item)] if len(item) else kid
            alike = (a >= 0) & (b >= 0) & (weight[a] == weight[b]) & (forbidden[a] == forbidden[b])
            own = np.flatnonzero(alike & (trees.origin[a] >= 0) & (vote.band > 0))
            if len(own):
                alike[own] = vote.same_numbers(
                    self.label, self.rival, trees.origin[a[own]], trees.origin[b[own]]
                )
            single[item] = np.where(alike, a, -1)
        inner = (box.parent >= 0) & (single[box.parent] >= 0)
        piece = np.flatnonzero((single >= 0) & ~inner & ~forbidden[np.maximum(single, 0)])
        leaf = single[piece]
        order = np.argsort(leaf, kind="stable")
        piece, leaf = piece[order], leaf[order]
        place = np.full(len(single), -1)
        place[piece] = np.arange(len(piece))
        entry = box.entries[place[box.entries[:, 0]] >= 0].copy()
        entry[:, 0] = place[entry[:, 0]]
        tree = np.searchsorted(trees.root, leaf, side="right") - 1
        key = tree[entry[:, 0]] * len(box.size) + entry[:, 1]
        entry = np.column_stack([entry, key])[np.argsort(key, kind="stable")]
        low = np.where(box.size > 0, 0, NO_LOW)
        return BoxPart(low, box.size - 1, box.missing, np.arange(len(piece)), entry).restrict(), leaf

    def _take(self, count: int = 1) -> IntArray:
        need(0 <= count <= len(self.code) - self.at, "a proof ends early")
        self.at += count
        return self.code[self.at - count : self.at]

    def _one(self) -> int:
        return int(self._take()[0])

    def _read_table(self) -> None:
        count, features, tree, feature = self._one(), len(self.box.size), 0, 0
        need(count < 2**20, "too many multipliers")
        rows = []
        for _ in range(count):
            step, own, a = self._one(), self._one(), self._one()
            tree, feature = tree + step, own if step else feature + own
            need(
                feature < features and tree < len(self.certificate.trees.root),
                "a multiplier of what is not there",
            )
            size = int(self.box.size[feature])
            low, high = (a // 2 - 1, size - 1 - self._one()) if a >= 2 else (NO_LOW, NO_HIGH)
            need(a < 2 or 0 <= low <= high < size, "a span is not one")
            rows.append((tree * features + feature, feature, low, high, a % 2))
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        need((np.diff(table[:, 0]) >= 0).all(), "the multipliers are not sorted")
        self.key, self.feature, self.low, self.high, miss = table.T
        self.miss = miss == 1

    def _run(self, root: BoxPart) -> None:
        """The nodes in preorder. What waits on the stack is a part, or the second part of a split."""
        stack: list[tuple[BoxPart, tuple[int, int] | None, IntArray]] = [
            (root, None, np.zeros(len(self.key), np.int64))
        ]
        while stack:
            part, second, w = stack.pop()
            part = part if second is None else part.narrow(*second, False)
            self.nodes += 1
            need(self.nodes <= MOST_NODES and len(stack) <= MOST_OPEN, "the proof is too long")
            step = self._one()
            while step % 4 == 3:
                w = self._change(w, step // 4)
                step = self._one()
            if step == 0:
                j, c = self._one(), self._one()
                need(j < len(part.low), "no such feature")
                stack += [(part, (j, c), w), (part.narrow(j, c, True), None, w)]
            elif step == 1:
                self._bound(part, w)
            else:
                need(step == 2, "an unknown step")
                self._cell(part)
        need(self.at == len(self.code), "something follows the proof")

    def _change(self, w: IntArray, scale: int) -> IntArray:
        need(scale <= 22, "a change is too large")
        gap, change = self._take(2 * self._one()).reshape(-1, 2).T
        where = np.cumsum(gap)
        need(not len(where) or ((np.diff(where) > 0).all() and where[-1] < len(w)), "no such multiplier")
        need((change < 2**45 >> 2 * scale).all() if len(change) else True, "a change is too large")
        w = w.copy()
        w[where] += np.where(change % 2 == 1, -(change + 1) // 2, change // 2) << 2 * scale
        need((w >= 0).all() and (w < 2**44).all() and w.sum() < 2**53, "a multiplier is out of range")
        return w

    def _bound(self, part: BoxPart, w: IntArray) -> None:
        """The sum of the best pieces and the best paid atoms stays below the next sum from the threshold on."""
        tree, weight = self.tree[part.piece], self.weight[part.piece]
        first = np.flatnonzero(np.diff(tree, prepend=-1))
        if len(first) < len(self.certificate.trees.root) or ((part.low > part.high) & ~part.miss).any():
            return  # a tree without a piece, or a feature without an atom: no possible row
        heaviest = np.maximum.reduceat(weight, first)
        top = self.base + sum(heaviest.tolist())
        if top < self.threshold:
            return
        grain = int(np.gcd.reduce(np.repeat(heaviest, np.diff(first, append=len(tree))) - weight))
        target = self.threshold + ((top - self.threshold) % grain if grain else top - self.threshold)
        charge, paid = self._charge_and_pay(part, w)
        need(int(charge.max(initial=0)) * self.unit < 2**62, "charges are too large")
        best = np.maximum.reduceat(weight - charge * self.unit, first)
        upper = self.base + sum(best.tolist()) + self.unit * paid
        need(upper < target, f"a bound is too high by {upper - target + 1}")

    def _charge_and_pay(self, part: BoxPart, w: IntArray) -> tuple[IntArray, int]:
        """Per piece what it is charged, and what the best paid atoms of all features are paid together."""
        piece, _, elow, ehigh, entry_miss, key = part.entry.T
        on = np.flatnonzero(w)
        a, b = np.searchsorted(key, self.key[on], "left"), np.searchsorted(key, self.key[on], "right")
        on, a, b = on[b > a], a[b > a], b[b > a]
        if not len(on):
            return np.zeros(len(part.piece), np.int64), 0
        size = b - a
        begin = np.cumsum(size) - size
        k = np.repeat(np.arange(len(on)), size)
        e = np.arange(int(size.sum())) - np.repeat(begin - a, size)
        holds = (
            (elow[e] >= self.low[on][k])
            & (ehigh[e] <= self.high[on][k])
            & ((entry_miss[e] == 0) | self.miss[on][k])
        )
        low = np.minimum.reduceat(np.where(holds, elow[e], NO_LOW), begin)
        high = np.maximum.reduceat(np.where(holds, ehigh[e], NO_HIGH), begin)
        miss = np.logical_or.reduceat(holds & (entry_miss[e] == 1), begin)
        j = self.feature[on]
        whole = (low <= part.low[j]) & (high >= part.high[j]) & (miss | ~part.miss[j])
        useful = np.logical_or.reduceat(holds, begin) & ~whole
        amount = np.where(useful, w[on], 0)
        charge = np.zeros(len(part.piece), np.int64)
        np.add.at(charge, piece[e[holds]], amount[k[holds]])
        ends = np.cumsum([0, *(self.box.size + 1)])
        flow, some = np.zeros(ends[-1], np.int64), low <= high
        np.add.at(flow, (ends[j] + low)[some], amount[some])
        np.subtract.at(flow, (ends[j] + high + 1)[some], amount[some])
        paid_missing = np.zeros(len(part.low), np.int64)
        np.add.at(paid_missing, j[miss], amount[miss])
        paid = np.maximum.reduceat(np.cumsum(flow), ends[:-1])
        return charge, sum(np.maximum(paid, paid_missing).tolist())

    def _cell(self, part: BoxPart) -> None:
        """One piece per tree, and none restricts anything: the library's own sum decides."""
        trees, vote = self.certificate.trees, self.certificate.vote
        self.cells += 1
        need(not vote.any_order, "a cell cannot be closed by a sum in any order")
        need(len(part.piece) == len(trees.root) and not len(part.entry), "not a single cell")
        leaves = trees.origin[self.leaf[part.piece]][: trees.n_model]
        need(
            vote.prefers(vote.scores(leaves[None])[0], self.label, self.rival),
            "a cell gets a different decision",
        )


# ------------------------------------------------------------------------------------------------ more than claims


class PrimenessProof:
    """That no literal of a box can be relaxed."""

    def __init__(
        self, certificate: CertificateFile, record: Any, box: dict[int, FlagArray], label: int
    ) -> None:
        self.certificate, self.features = certificate, certificate.features
        need_fields(record, "language", "row", "fixed", "bases", "numbers", "blob")
        self.language = record["language"]
        need(self.language in ("sets", "intervals", "values"), "an unknown language")
        self.fixed = set(integers(get(record, "fixed"), 0, len(self.features) - 1, "fixed").tolist())
        self.row = certificate.atoms_of(get(record, "row"))
        self.box = {i: allowed for i, allowed in box.items() if not allowed[: self._atoms(i)].all()}
        need(all(allowed[self.row[i]] for i, allowed in box.items()), "the row is not in the box")
        ordered = integers(get(record, "numbers"), 0, len(self.features) - 1, "numbers").tolist()
        blob = certificate.blobs[integer(get(record, "blob"), 0, len(certificate.blobs) - 1, "blob")]
        self.free = [i for i in self.box if i not in self.fixed]
        points, where = self._read(blob, integer(get(record, "bases"), 0, 2**24, "bases"), len(ordered))
        self.count = len(points)
        if len(points):
            self._confirm(points, where, ordered, label)

    def _atoms(self, i: int) -> int:
        return self.features[i].cells + self.features[i].missing

    def _wanted(self, i: int) -> list[int] | None:
        """The atoms of a feature that need a witness each; None for one that may be chosen."""
        feature, allowed = self.features[i], self.box[i]
        cells = np.flatnonzero(allowed[:-1])
        if self.language == "values":
            return None
        outside = np.flatnonzero(~allowed[: self._atoms(i)]).tolist()
        if self.language == "sets" or not feature.ordered:
            return outside
        if not len(cells):
            return None
        need(len(cells) == cells[-1] - cells[0] + 1, "a literal is not an interval")
        return [a for a in outside if a in (cells[0] - 1, cells[-1] + 1, feature.cells)]

    def _read(self, blob: bytes, bases: int, numbers: int) -> tuple[IntArray, IntArray]:
        """The witnesses, and the feature that each is about; the numbers that follow are set aside."""
        wanted = {i: self._wanted(i) for i in self.free}
        count = sum(1 if atoms is None else len(atoms) for atoms in wanted.values())
        size = 8 * count * numbers
        need(size <= len(blob), "the witnesses end early")
        self.numbers = np.frombuffer(blob[len(blob) - size :], "<f8").reshape(count, numbers)
        code = iter(read_varints(blob[: len(blob) - size]).tolist())
        need(bases <= len(blob), "the witnesses end early")
        try:
            points = []
            for _ in range(bases):
                point, i = self.row.copy(), 0
                for _ in range(next(code)):
                    i += next(code)
                    need(i < len(point), "no such feature")
                    point[i] = next(code)
                points.append(point)
            found, where = [], []
            for i, atoms in wanted.items():
                for atom in [None] if atoms is None else atoms:
                    base = next(code)
                    need(base < len(points), "no such witness")
                    point = points[base].copy()
                    point[i] = next(code) if atom is None else atom
                    found.append(point)
                    where.append(i)
        except (StopIteration, OverflowError):
            raise Rejected("the witnesses end early") from None
        need(next(code, None) is None, "something follows the witnesses")
        return np.array(found, dtype=np.int64).reshape(count, len(self.row)), np.array(where, dtype=np.int64)

    def _confirm(self, points: IntArray, where: IntArray, ordered: list[int], label: int) -> None:
        held = {}
        for i, feature in enumerate(self.features):
            need((points[:, i] < self._atoms(i)).all(), "a witness has an atom that is not there")
            allowed = self.box.get(i, np.ones(feature.cells + 1, dtype=bool))
            need((allowed[points[:, i]] != (where == i)).all(), "a witness is outside in another feature")
            held[i] = np.append(feature.samples[:, 0], math.nan)[points[:, i]]
        for n, i in enumerate(ordered):
            feature, x = self.features[i], self.numbers[:, n]
            need(not feature.listed, "a number of a category")
            low, high = (
                np.append(feature.low, math.nan)[points[:, i]],
                np.append(feature.high, math.nan)[points[:, i]],
            )
            fits = (low <= x) & (x <= high) & (not feature.whole or x == np.floor(x))
            need((fits | (np.isnan(low) & np.isnan(x))).all(), "a witness has a number outside its cell")
            held[i] = x
        self.certificate.need_possible(points, held)
        trees, vote = self.certificate.trees, self.certificate.vote
        leaves = trees.origin[trees.leaves(points)[:, : trees.n_model]]
        need(vote.shows_other(leaves, label).all(), "a witness is decided like the row")


def check_radius(certificate: CertificateFile, record: Any, box: dict[int, FlagArray], label: int) -> None:
    """That a box holds every row within a distance."""
    need_fields(record, "row", "norm", "distance", "scales", "witness")
    need(record["norm"] == "linf", "an unknown norm")
    distance = Fraction(number(get(record, "distance"), "distance"))
    need(distance >= 0, "a distance below 0")
    row, scales = items(get(record, "row"), "row"), numbers(get(record, "scales"), "scales")
    atoms = certificate.atoms_of(row)
    need(
        len(scales) == len(row) and (scales >= 0).all() and np.isfinite(scales).all(),
        "scales has a wrong length",
    )
    for i, feature in enumerate(certificate.features):
        allowed = box.get(i, np.ones(feature.cells + 1, dtype=bool))
        reach = distance * Fraction(float(scales[feature.columns[0]]))
        need(allowed[atoms[i]], "the row is not in the box")
        need(not feature.listed or not scales[feature.columns].any(), "a category does not move")
        if feature.listed or atoms[i] == feature.cells:
            continue
        x = Fraction(float(row[feature.columns[0]]))
        near = [
            not (high < x - reach or low > x + reach)
            for low, high in zip(feature.low.tolist(), feature.high.tolist(), strict=True)
        ]
        need(allowed[:-1][near].all(), "the box is smaller than the radius")
    witness = get(record, "witness")
    if witness is not None:
        points = certificate.atoms_of(witness)[None]
        same = [a is b or a == b for a, b in zip(row, witness, strict=True)]
        need(
            all(s or scale > 0 for s, scale in zip(same, scales.tolist(), strict=True)),
            "the witness moves a fixed column",
        )
        trees = certificate.trees
        leaves = trees.origin[trees.leaves(points)[:, : trees.n_model]]
        need(certificate.vote.shows_other(leaves, label).all(), "the witness is decided like the row")


@dataclass
class Confirmed:
    """What was confirmed: in words, and how much was checked."""

    text: str
    nodes: int
    cells: int
    witnesses: int

    def __str__(self) -> str:
        parts = ((self.nodes, "node"), (self.cells, "cell"), (self.witnesses, "row"))
        return f"Confirmed ({', '.join(_count(n, what) for n, what in parts)}).\n{self.text}"

    def to_dict(self) -> dict[str, object]:
        """The same in plain types."""
        return {
            "confirmed": True,
            "text": self.text,
            "nodes": self.nodes,
            "cells": self.cells,
            "witnesses": self.witnesses,
        }


def check(model: EnsembleFile, raw: bytes) -> Confirmed:
    """Check a certificate; raises `Rejected` with the first condition that does not hold."""
    certificate = CertificateFile(model, raw)
    header, vote = certificate.header, certificate.vote
    kind = get(header, "kind")
    need(kind in ("explanation", "rule", "radius"), "an unknown kind")
    claims, nodes, cells, witnesses = items(get(header, "claims"), "claims"), 0, 0, 0
    need(claims, "nothing is claimed")
    boxes = []
    for claim in claims:
        need_fields(claim, "label", "box", "proofs")
        label = integer(get(claim, "label"), 0, vote.classes - 1, "label")
        literals = certificate.read_box(get(claim, "box"), exactly=get(header, "prime") is not None)
        box = ReachedBox(certificate, literals)
        proofs = items(get(claim, "proofs"), "proofs")
        need([items(p, "a proof", 3)[0] for p in proofs] == vote.rivals(label), "not one proof per rival")
        for rival, unit, blob in proofs:
            body = certificate.blobs[integer(blob, 0, len(certificate.blobs) - 1, "blob")]
            proof = RivalProof(certificate, box, label, rival, unit, body)
            nodes, cells = nodes + proof.nodes, cells + proof.cells
        boxes.append((literals, label))
    prime, radius = get(header, "prime"), get(header, "radius")
    need((prime is None) or (kind == "explanation" and len(claims) == 1), "primeness of several claims")
    need(
        (radius is not None) == (kind == "radius") and (radius is None or len(claims) == 1),
        "a radius of several claims",
    )
    if prime is not None:
        witnesses = PrimenessProof(certificate, prime, *boxes[0]).count
    if radius is not None:
        check_radius(certificate, radius, *boxes[0])
    return Confirmed(describe(certificate, boxes, witnesses), nodes, cells, witnesses)


# ------------------------------------------------------------------------------------------------ words


def describe(
    certificate: CertificateFile, boxes: list[tuple[dict[int, FlagArray], int]], witnesses: int
) -> str:
    """What is confirmed, and what it rests on."""
    header = certificate.header
    lines = [
        f"For every row{_where(certificate, box)}, this model decides {_name(certificate, label)}."
        for box, label in boxes
    ]
    prime, radius = header["prime"], header["radius"]
    if prime is not None:
        free = [i for i in boxes[0][0] if i not in prime["fixed"]]
        many = (
            f"None of the {len(free)} conditions can be relaxed"
            if len(free) != 1
            else "The condition cannot be relaxed"
        )
        given = ", given the fixed features" if prime["fixed"] else ""
        lines.append(
            f"{many}{given} ({prime['language']}): {_count(witnesses, 'row')} show{'s' * (witnesses == 1)} it."
        )
    if radius is not None:
        lines.append(
            f"That covers every row within {radius['distance']!r} of the given one (each number, in its own scale)."
        )
        lines += ["A row beyond that gets a different decision."] if radius["witness"] is not None else []
    lines.append("Assumes: " + "; ".join(_assumptions(certificate)) + ".")
    lines.append(
        "Trusts: that the ensemble file is the model (primewood compared them when it read the model), that the "
        "library adds IEEE floats"
        + (" in any order" if certificate.vote.any_order else " in the order of the trees")
        + (
            ", that cuts on the score stand for the cut-offs they were made from"
            if certificate.vote.cuts
            else ""
        )
        + (", that its softmax keeps scores apart that differ clearly" if certificate.vote.slack else "")
        + ", Python, numpy and this checker."
    )
    return "\n".join(lines)


def _name(certificate: CertificateFile, label: int) -> str:
    vote, model = certificate.vote, certificate.model
    if certificate.header["decision"] is None:
        return str(model.labels[label])
    low = f"{vote.cuts[label - 1]!r} <= " if label else ""
    high = f" < {vote.cuts[label]!r}" if label < len(vote.cuts) else ""
    return f"{low}score{high}"


def _where(certificate: CertificateFile, box: dict[int, FlagArray]) -> str:
    words = [_literal(certificate, i, allowed) for i, allowed in box.items()]
    return f" with {' and '.join(words)}" if words else ""


def _literal(certificate: CertificateFile, i: int, allowed: FlagArray) -> str:
    feature = certificate.features[i]
    name = " and ".join(certificate.model.names[c] for c in feature.columns)
    parts = ["missing"] if allowed[-1] else []
    if feature.listed:
        values = [", ".join(f"{x:g}" for x in feature.samples[a]) for a in np.flatnonzero(allowed[:-1])]
        parts = [f"one of ({'; '.join(values)})"] * bool(values) + parts
    else:
        begin = 0
        runs = []
        for end, inside in runs_of(allowed[:-1]):
            if inside:
                runs.append(_range(float(feature.low[begin]), float(feature.high[end - 1])))
            begin = end
        parts = runs + parts
    return f"{name} {' or '.join(parts)}"


def _range(low: float, high: float) -> str:
    if low == high:
        return f"= {low!r}"
    if math.isinf(low) or math.isinf(high):
        return (
            f"<= {high!r}" if math.isfinite(high) else f">= {low!r}" if math.isfinite(low) else "any number"
        )
    return f"from {low!r} to {high!r}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _assumptions(certificate: CertificateFile) -> list[str]:
    found = []
    for i, f in enumerate(certificate.features):
        name = " and ".join(certificate.model.names[c] for c in f.columns)
        if f.listed:
            found.append(_literal(certificate, i, np.append(np.ones(f.cells, dtype=bool), f.missing)))
        elif f.whole or math.isfinite(f.low[0]) or math.isfinite(f.high[-1]):
            found.append(
                f"{name} is a {'whole ' * f.whole}number: {_range(float(f.low[0]), float(f.high[-1]))}"
            )
    never = [certificate.model.names[f.columns[0]] for f in certificate.features if not f.missing]
    found.append(
        "no value is missing"
        if len(never) == len(certificate.features)
        else f"never missing: {', '.join(never) or 'none'}"
    )
    for literals in certificate.clauses:
        found.append(
            "no row with "
            + " and ".join(_literal(certificate, i, allowed) for i, allowed in literals.items())
        )
    for lower, upper, constants, strict in certificate.orders:
        names = [certificate.model.names[certificate.features[i].columns[0]] for i in (lower, upper)]
        found.append(
            f"{names[0]} {'<' if strict else '<='} {names[1]}" + "".join(f" + {c!r}" for c in constants)
        )
    return found


def main(arguments: list[str]) -> int:
    """Check the files that are named: 0 if the claims are confirmed, 1 if not, 2 if there are no such files."""
    if len(arguments) != 2:
        print("usage: python check.py ensemble.json certificate", file=sys.stderr)
        return 2
    try:
        ensemble, certificate = (Path(name).read_bytes() for name in arguments)
        confirmed = check(EnsembleFile(ensemble), certificate)
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 2
    except Rejected as problem:
        print(f"Not confirmed: {problem}")
        return 1
    print(confirmed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
