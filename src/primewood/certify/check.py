#!/usr/bin/env python3
"""Checks a certificate against an ensemble file, in exact integers.

    python check.py ensemble.json case.pwcert

This file needs Python and numpy, and nothing else: copy it wherever you like. It shares no code with the programs that
write certificates. The format, and why each rule is sound, is defined in docs/reference/certificates.md; the sections
below follow that page. Every condition of the format is a call of `need`: where one does not hold, the certificate is
rejected. Certificates about pairs of rows, budgets, several margins or fewest features need check_more.py beside it.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
FlagArray = NDArray[np.bool_]
Box = dict[int, FlagArray]
"""Per restricted feature, which atoms are allowed: one flag per cell, then one for missing."""
MOST_BYTES, MOST_HEADER, MOST_NODES, MOST_OPEN = 2**28, 2**26, 2**24, 2**12
SHARED = (
    "format",
    "version",
    "kind",
    "model",
    "decision",
    "summation",
    "shift",
    "band",
    "carrier",
    "features",
)
KNOWLEDGE = ("clauses", "orders", "chains")
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
    need(type(record) is dict and name in record, f"{name} is missing")
    return record[name]


def need_fields(record: Any, *names: str) -> None:
    """Reject a record that has other fields than these."""
    fits = type(record) is dict and set(record) == set(names)
    need(fits, f"a record does not have the fields {', '.join(names)}")


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


def items(value: Any, what: str, count: int | None = None) -> list[Any]:
    """A list, perhaps of a given length."""
    need(type(value) is list and count in (None, len(value)), f"{what} is not a list, or has a wrong length")
    return list(value)


def integers(value: Any, low: int, high: int, what: str, *, distinct: bool = False) -> IntArray:
    """A list of whole numbers within limits."""
    values = items(value, what)
    need(all(type(x) is int and low <= x <= high for x in values), f"{what} has a wrong number")
    need(not distinct or len(set(values)) == len(values), f"{what} has a number twice")
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
        known = get(record, "format") == "primewood ensemble" and get(record, "version") == 1
        need(known, "not an ensemble file of version 1")
        self.names = [str(name) for name in items(get(record, "feature_names"), "feature_names")]
        self.labels = items(get(record, "classes"), "classes")
        self.categories = record.get("categories")
        self.strict = self._choose(record, "operator", "<=", "<") == "<"
        self.dtype = np.dtype(self._choose(record, "dtype", "float64", "float32"))
        self.precision = np.dtype(self._choose(record, "precision", "float64", "float32"))
        self.vote = self._choose(record, "vote", "majority", "mean", "sum")
        self.link, self.cuts = str(get(record, "link")), numbers(get(record, "cuts"), "cuts").tolist()
        trees = items(get(record, "trees"), "trees")
        need(trees and self.names, "no trees, or no columns")
        self._read_trees(trees)
        self._read_groups(items(get(record, "groups"), "groups"), len(trees))
        divisor = get(record, "divisor")
        divisor = len(self.groups) if divisor is None else number(divisor, "divisor")
        self.divisor = 1.0 if self.vote == "sum" else float(divisor)
        start, width = numbers(get(record, "start"), "start"), self.value.shape[1]
        self.start = start if len(start) else np.zeros(width)
        need(self.divisor > 0 and len(self.start) == width and np.isfinite(self.start).all(), "a bad start")

    @staticmethod
    def _choose(record: Any, name: str, *known: str) -> str:
        need(get(record, name) in known, f"{name} is unknown")
        return str(record[name])

    def _read_trees(self, trees: list[Any]) -> None:
        sizes = [len(items(get(tree, "feature"), "feature")) for tree in trees]
        need(min(sizes) > 0, "a tree has no nodes")

        def join(name: str, read: Any) -> Any:
            arrays = [read(get(tree, name)) for tree in trees]
            need([len(array) for array in arrays] == sizes, f"{name} has a wrong length")
            return np.concatenate(arrays)

        self.root = np.cumsum([0, *sizes[:-1]])
        self.tree = np.repeat(np.arange(len(trees)), sizes)
        self.column = join("feature", lambda x: integers(x, -1, len(self.names) - 1, "feature"))
        self.threshold = join("threshold", lambda x: numbers(x, "threshold"))
        self.missing_left = join(
            "missing_left", lambda x: np.array([flag(y, "missing_left") for y in x], bool)
        )
        self.leaf, here = self.column < 0, np.arange(len(self.tree))
        last = (self.root + sizes)[self.tree]
        children = [join(side, lambda x: integers(x, -1, 2**31, "a child")) for side in ("left", "right")]
        self.left, self.right = (np.where(self.leaf, here, c + self.root[self.tree]) for c in children)
        for child in (self.left, self.right):
            need(
                (self.leaf | (child > here) & (child < last)).all(), "a child does not come after its parent"
            )
        self.sets: dict[int, FloatArray] = {}
        for tree, at, size in zip(trees, self.root.tolist(), sizes, strict=True):
            bounds = [numbers(x, "sets") for x in items(get(tree, "sets"), "sets")]
            which = [-1] * size if get(tree, "set_of") is None else tree["set_of"]
            which = integers(items(which, "set_of", size), -1, len(bounds) - 1, "set_of")
            self.sets |= {at + n: bounds[which[n]] for n in np.flatnonzero(which >= 0).tolist()}
        width = len(items(items(get(trees[0], "value"), "value")[0], "value"))
        rows = join("value", lambda x: [numbers(items(row, "value", width), "value") for row in x])
        self.value = np.asarray(rows, dtype=np.float64)
        need(width > 0 and np.isfinite(self.value).all(), "a leaf has no finite outputs")

    def _read_groups(self, groups: list[Any], trees: int) -> None:
        groups = [[1, 1.0]] * trees if self.vote == "majority" or not groups else groups
        self.groups = [
            (integer(n, 1, trees, "a group's size"), number(weight, "a group's weight"))
            for n, weight in (items(group, "a group", 2) for group in groups)
        ]
        self.sizes = [n for n, _ in self.groups]
        need(sum(self.sizes) == trees, "the groups do not have every tree once")
        if self.vote == "majority":
            self.value = np.eye(self.value.shape[1])[self.value.argmax(axis=1)]
        weight = np.repeat([w if n == 1 else 1.0 for n, w in self.groups], self.sizes)
        self.value = self.value * weight[self.tree][:, None]

    def boundaries(self, thresholds: FloatArray) -> FloatArray:
        """Per threshold, the least float64 that it does not send left; ±inf if there is none, or if all are such."""
        real = self.dtype.type
        with np.errstate(over="ignore", invalid="ignore"):
            near = thresholds.astype(real)
            wide = near.astype(np.float64)
            first = np.where(
                wide >= thresholds if self.strict else wide > thresholds,
                near,
                np.nextafter(near, real(np.inf)),
            )
            before, found = np.nextafter(first, real(-np.inf)), first.astype(np.float64)
            if real is np.float32:  # numbers between two float32 are cast to one of them
                middle = (before.astype(np.float64) + found) / 2
                found = np.where(middle.astype(real) >= first, middle, np.nextafter(middle, np.inf))
        return np.where(np.isposinf(first), np.inf, np.where(np.isneginf(before), -np.inf, found))

    def goes_left(self, node: int, samples: FloatArray) -> FlagArray:
        """Which samples a node sends left, as the library tests them."""
        with np.errstate(over="ignore"):
            cast = samples.astype(self.dtype).astype(np.float64)[:, None]
        bounds = self.sets.get(node, self.threshold[[node]])
        left: FlagArray = cast < bounds if self.strict else cast <= bounds
        return np.asarray((~left).sum(axis=1) % 2 == 1 if node in self.sets else left[:, 0])


# ------------------------------------------------------------------------------------------------ scores and weights


class LeafVote:
    """How leaves become a decision: the file's own way, or what the certificate states instead."""

    def __init__(self, model: EnsembleFile, header: Any) -> None:
        self.model, self.trees = model, len(model.root)
        self.value, self.start, self.cuts = model.value, model.start, model.cuts
        stated = get(header, "decision")
        if stated is not None:
            need_fields(stated, "output", "negated", "cuts", "labels")
            output = integer(stated["output"], 0, model.value.shape[1] - 1, "output")
            sign = -1.0 if flag(stated["negated"], "negated") else 1.0
            self.value, self.start = sign * model.value[:, [output]], sign * model.start[[output]]
            self.cuts = numbers(stated["cuts"], "cuts").tolist()
            need(self.cuts, "a decision without cuts")
        self.classes = len(self.cuts) + 1 if self.cuts else len(model.labels)
        self.labels = model.labels if stated is None else stated["labels"]
        need(
            self.labels is None or len(items(self.labels, "labels")) == self.classes,
            "not one label per class",
        )
        need(all(a < b for a, b in pairwise([-math.inf, *self.cuts, math.inf])), "the cuts do not ascend")
        fits = self.value.shape[1] == (1 if self.cuts else self.classes)
        need(fits, "the leaves have a wrong number of outputs")
        self.plain = bool(self.cuts) or model.link == "identity"
        soft = {"softmax": Fraction(1, 2**47), "softmax32": Fraction(1, 2**19)}
        need(self.plain or model.link in soft, "this link needs cuts")
        self.slack = Fraction(0) if self.plain else soft[model.link]
        single = model.precision == np.float32
        need(self.plain or model.link != "softmax32" or (single and model.divisor == 1), "not softmax32")
        need(get(header, "summation") in ("any", "sequential"), "summation is unknown")
        self.any_order = header["summation"] == "any"
        self._make_integers(header)

    def _make_integers(self, header: Any) -> None:
        """The leaves in units of 2^−shift; which add without rounding; how far the library's sums can be off."""
        model, single = self.model, self.model.precision == np.float32
        self.shift = integer(get(header, "shift"), -1000, 149 if single else 1000, "shift")
        self.units = Fraction(2) ** self.shift
        share = np.repeat([w / n if n > 1 else 1.0 for n, w in model.groups], model.sizes)
        with np.errstate(over="ignore"):
            added = np.where(model.leaf[:, None], self.value * share[model.tree][:, None], 0.0)
        most = np.maximum.reduceat(abs(added), model.root, axis=0)
        self._need_usual_sums(float(most.max()))
        total = max(abs(s) + math.fsum(column) for s, column in zip(self.start, most.T, strict=True))
        need(Fraction(total) * self.units * max(1, len(self.cuts)) <= 2**58, "the shift is too large")
        self.whole = np.rint(np.ldexp(added, self.shift)).astype(np.int64)
        self.whole_start = np.rint(np.ldexp(self.start, self.shift)).astype(np.int64).tolist()
        bits, size = (10, 13) if single else (20, 25)
        alone = np.repeat(np.array(model.sizes) == 1, model.sizes)[model.tree]
        exact = total < 2.0**size and self.shift >= bits and self.plain
        self.exact = _is_multiple(self.value, bits) & alone & exact & _is_multiple(self.start[None], bits)[0]
        carries = ~self.exact & model.leaf
        self.least_band = self._find_least_band(most) if carries.any() else 0
        band, carrier = integer(get(header, "band"), self.least_band, 2**57, "band"), get(header, "carrier")
        if carrier is not None:
            carries = model.leaf & (model.tree == integer(carrier, 0, self.trees - 1, "carrier"))
        self.bands = np.where(carries, band, 0)

    def _need_usual_sums(self, large: float) -> None:
        """Sums stay far from the largest number, and what underflows is less than a unit."""
        model, limits = self.model, np.finfo(self.model.precision)
        most = Fraction(float(limits.max)) / (4 * (self.trees + 1))
        highest = max(large, float(abs(self.value).max()), float(abs(self.start).max()))
        reach = most * min(Fraction(1), Fraction(model.divisor))
        need(Fraction(min(highest, 2.0**1023)) <= reach, "scores can be too large")
        need(
            limits.bits == 64 or (_is_single(self.value) and _is_single(self.start)), "leaves are not float32"
        )
        need(Fraction(model.divisor) * self.units <= 2**1074, "the divisor is too large")
        for n, weight in {(n, w) for n, w in model.groups if n > 1 and w}:
            need(limits.tiny <= abs(weight / n) and abs(weight) <= most, "a group's weight is unusual")
            need(limits.bits == 64 or _is_single(np.array(weight)), "a group's weight is not float32")
            lost = Fraction(float(limits.smallest_subnormal)) * abs(Fraction(weight))
            need(lost * self.units <= 1, "a group's weight is too large")

    def _find_least_band(self, most: FloatArray) -> int:
        model, largest = self.model, Fraction(0)
        unit = Fraction(1, 2**53 if model.precision == np.float64 else 2**24)
        for o in range(most.shape[1]):
            sizes = [math.ceil(Fraction(x) * self.units) for x in most[:, o].tolist()]
            groups, within, at = [], 0, 0
            for n in model.sizes:
                own = sorted(sizes[at : at + n], reverse=True)
                at += n
                groups.append(sum(own))
                within += sum(np.cumsum(own, dtype=object).tolist()) + 2 * sum(own) if n > 1 else 0
            begin = math.ceil(Fraction(abs(self.start[o])) * self.units)
            above = sorted((x for x in groups if x), reverse=True)  # adding 0 rounds nothing
            partial = [begin, *(begin + int(x) for x in np.cumsum(above, dtype=object))]
            error = sum(partial[1:]) + within + (2 + (model.divisor != 1)) * partial[-1]
            largest = max(largest, error * unit * (1 + 4 * self.trees * unit))
        slack = self.slack * Fraction(model.divisor) * self.units
        wide = math.ceil(2 * largest + slack) + 3 * self.trees + 2
        return 2 * wide if self.cuts else wide

    def margin(self, label: int, rival: int) -> tuple[IntArray, int, int]:
        """The weights of the leaves without the band, the base, and the threshold."""
        if self.cuts:
            sign = 1 if rival > label else -1
            least = _least_sum(self.cuts[min(label, rival)], self.model.divisor)
            cut = math.ceil(Fraction(least) * self.units)
            weight, base = 2 * sign * self.whole[:, 0], sign * (2 * self.whole_start[0] + 1 - 2 * cut)
        else:
            weight = self.whole[:, rival] - self.whole[:, label]
            base = self.whole_start[rival] - self.whole_start[label]
        return weight, base, int(rival > label)

    def excluded(self, label: int, rival: int) -> set[int]:
        """The classes that are not decided where the rival is not preferred to the label."""
        if not self.cuts:
            need(label != rival, "a class is its own rival")
            return {rival}
        need(abs(label - rival) == 1, "with cuts, a rival is the next class")
        return set(range(rival, self.classes)) if rival > label else set(range(rival + 1))

    def same_numbers(self, pair: tuple[int, int], a: IntArray, b: IntArray) -> FlagArray:
        """Whether the comparison of two classes reads the same numbers at leaves a and b."""
        read = [*pair] if not self.cuts and self.plain else slice(None)
        same: FlagArray = (self.value[a][:, read] == self.value[b][:, read]).all(axis=1)
        return same

    def scores(self, leaves: IntArray) -> FloatArray:
        """The library's scores where trees end in these leaves (rows by trees): its own sum, in its own order."""
        real = self.model.precision
        total = np.zeros((len(leaves), self.value.shape[1]), real) + self.start.astype(real)
        at = 0
        for size, weight in self.model.groups:
            part = np.zeros_like(total)
            for t in range(at, at + size):
                part += self.value[leaves[:, t]].astype(real)
            total += part if size == 1 else (part / real.type(size) * real.type(weight)).astype(real)
            at += size
        scores: FloatArray = total.astype(np.float64) / self.model.divisor
        return scores

    def prefers(self, scores: FloatArray, label: int, rival: int) -> bool:
        """Whether the library prefers the label to a rival; False where only the link's own values can tell."""
        if self.cuts:
            return bool(scores[0] >= self.cuts[min(label, rival)]) == (label > rival)
        a, b = Fraction(scores[label]), Fraction(scores[rival])
        return bool(a - b > self.slack or (a == b and self.slack == 0 and label < rival))

    def shows_other(self, leaves: IntArray, label: int) -> FlagArray:
        """Whether the library gives another decision where trees end in these leaves (rows by trees)."""
        scores = self.scores(leaves)
        if self.cuts:
            other = np.searchsorted(self.cuts, scores[:, 0], side="right") != label
        else:
            top = np.sort(scores, axis=1)
            clear = top[:, -1] - top[:, -2] > 2 * float(self.slack) if self.slack else True
            other = (scores.argmax(axis=1) != label) & clear
        near = (label - 1, label + 1) if self.cuts else range(self.classes)
        for rival in near if self.any_order else ():
            if rival != label and 0 <= rival < self.classes:
                weight, base, threshold = self.margin(label, rival)
                wide = self.least_band + self.trees * (2 if self.cuts else 1)
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

    @property
    def everything(self) -> FlagArray:
        return np.append(np.ones(self.cells, dtype=bool), self.missing)

    def atom_of(self, held: FloatArray) -> int:
        """The atom of what a row holds in the columns; rejects what the feature does not allow."""
        if np.isnan(held).any():
            need(self.missing and np.isnan(held).all(), "a value is missing that cannot be")
            return self.cells
        if self.listed:
            same = (self.samples == held).all(axis=1)
        else:
            same = (self.low <= held[0]) & (held[0] <= self.high) & (not self.whole or held[0] % 1 == 0)
        need(same.any(), "a row has a value that is not allowed")
        return int(same.argmax())

    def read_literal(self, literal: Any, *, exactly: bool) -> FlagArray:
        """Which atoms a literal allows; `exactly`: each cell wholly or not at all."""
        need_fields(literal, "values" if self.listed else "runs", "missing")
        inside = np.append(np.zeros(self.cells, dtype=bool), flag(literal["missing"], "missing"))
        need(self.missing or not inside[-1], "a literal allows missing where the feature does not")
        if self.listed:
            inside[integers(literal["values"], 0, self.cells - 1, "values", distinct=True)] = True
        for run in items(literal.get("runs", []), "runs"):
            first, last = items(run, "a run", 2)
            low = float(self.low[0]) if first is None else number(first, "a run's end")
            high = float(self.high[-1]) if last is None else number(last, "a run's end")
            need(low <= high, "a run is empty")
            meets = (self.low <= high) & (self.high >= low)
            need(
                not exactly or (meets == ((self.low >= low) & (self.high <= high))).all(),
                "a run divides a cell",
            )
            inside[:-1] |= meets
        return inside


def read_feature(models: list[EnsembleFile], record: Any) -> FeatureCells:
    """A feature: its cells follow from the tests of the models, and its own record."""
    listed = type(record) is dict and "values" in record
    kind = ("values", "ordered") if listed else ("whole", "low", "high", "cuts")
    need_fields(record, "columns", "missing", *kind)
    columns = integers(record["columns"], 0, len(models[0].names) - 1, "columns").tolist()
    missing = flag(record["missing"], "missing")
    if listed:
        rows = [
            numbers(items(row, "a value", len(columns)), "values")
            for row in items(record["values"], "values")
        ]
        samples = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
        need(columns and np.isfinite(samples).all() and (rows or missing), "a feature allows nothing")
        need(len(np.unique(samples, axis=0)) == len(rows), "a value is listed twice")
        ordered, none = flag(record["ordered"], "ordered"), np.empty(0)
        return FeatureCells(columns, missing, True, ordered, False, none, none, samples)
    need(len(columns) == 1, "a numeric feature has one column")
    whole = flag(record["whole"], "whole")
    low = -math.inf if record["low"] is None else number(record["low"], "low")
    high = math.inf if record["high"] is None else number(record["high"], "high")
    ends = [x for x in (low, high) if math.isfinite(x)]
    need(low <= high and (not whole or all(x % 1 == 0 for x in ends)), "bad ends")
    found = [numbers(record["cuts"], "cuts")]
    for model in models:
        tests = ~model.leaf & (model.column == columns[0])
        tests[list(model.sets)] = False
        bounds = [b for n, b in model.sets.items() if model.column[n] == columns[0]]
        found.append(model.boundaries(np.concatenate([model.threshold[tests], *bounds])))
    cuts = np.concatenate(found)
    cuts = np.ceil(cuts) if whole else cuts
    cuts = np.unique(cuts[np.isfinite(cuts) & (cuts > low) & (cuts <= high)])
    before = np.nextafter(cuts, -np.inf)
    before = np.minimum(before, cuts - 1) if whole else before
    lows, highs = np.append(low, cuts), np.append(before, high)
    first = before[0] if len(cuts) else min(max(0.0, low), high)
    return FeatureCells(columns, missing, False, True, whole, lows, highs, np.append(first, cuts)[:, None])


# ------------------------------------------------------------------------------------------------ trees over atoms


class AtomTrees:
    """Binary trees whose tests send the first cells of a feature left: those of a model, then those of knowledge.

    A test that sends several runs of cells left becomes a chain of such tests, one per end of a run. A node is a row of
    `table`: feature (−1 at a leaf), prefix, whether missing goes left, the two children, and the leaf of the model that
    it is (−1 if it is none).
    """

    def __init__(self, features: list[FeatureCells]) -> None:
        self.features = features
        self.roots: list[int] = []
        self.rows: list[list[int]] = []
        self.forbidden_leaves: list[int] = []

    def finish(self) -> None:
        """Turn the nodes into arrays; no tree is added afterwards."""
        table = np.array(self.rows, dtype=np.int64)
        self.feature, self.prefix, self.missing_left, self.left, self.right, self.origin = table.T
        self.root = np.array(self.roots)
        self.forbidden = np.zeros(len(table), dtype=bool)
        self.forbidden[self.forbidden_leaves] = True

    def add_model(self, model: EnsembleFile, feature_of: IntArray) -> None:
        """The trees of a model; `feature_of`: per column, the feature that it belongs to."""
        tested = np.where(model.leaf, -1, feature_of[model.column])
        prefix, chains = np.zeros(len(tested), dtype=np.int64), {}
        simple = ~model.leaf
        simple[list(model.sets)] = False
        for i, feature in enumerate(self.features):
            here = np.flatnonzero(simple & (tested == i) & (not feature.listed))
            least = model.boundaries(model.threshold[here])
            prefix[here] = np.searchsorted(feature.samples[:, 0], least) if len(here) else 0
            simple &= (tested != i) | (not feature.listed)
        known: dict[tuple[int, bytes, bool], list[tuple[int, bool]]] = {}
        for node in np.flatnonzero(~model.leaf & ~simple).tolist():
            column, bounds = int(model.column[node]), model.sets.get(node, model.threshold[[node]])
            key = (column, bounds.tobytes(), node in model.sets)
            if key not in known:
                feature = self.features[feature_of[column]]
                known[key] = runs_of(model.goes_left(node, feature.samples[:, feature.columns.index(column)]))
            chains[node] = known[key]
        count = np.ones(len(tested), dtype=np.int64)
        for node, runs in chains.items():
            count[node] = max(1, len(runs) - 1)
        place = len(self.rows) + np.cumsum(count) - count
        leaf_of = np.where(model.leaf, np.arange(len(tested)), -1)
        columns = (tested, prefix, model.missing_left, place[model.left], place[model.right], leaf_of)
        self.roots += place[model.root].tolist()
        table = np.column_stack(columns)
        for node in range(len(tested)) if chains else ():
            if node in chains:
                self.add_test(
                    int(tested[node]), chains[node], bool(table[node, 2]), *table[node, 3:5].tolist()
                )
            else:
                self.rows.append(table[node].tolist())
        self.rows += [] if chains else table.tolist()

    def add_test(
        self, i: int, runs: list[tuple[int, bool]], missing: bool, inside: int, outside: int
    ) -> None:
        """Tests that send runs of cells (where each ends, and whether it is inside) to one of two nodes."""
        if len(runs) < 2:
            all_inside = runs[0][1] if runs else missing
            self.rows.append([i, self.features[i].cells if all_inside else 0, missing, inside, outside, -1])
        for k, (end, is_inside) in enumerate(runs[:-1]):
            this, other = (inside, outside) if is_inside else (outside, inside)
            then = len(self.rows) + 1 if k + 2 < len(runs) else other
            self.rows.append([i, end, missing == is_inside, this, then, -1])

    def _end_knowledge(self) -> None:
        """The leaves "possible" and "forbidden"."""
        self.forbidden_leaves.append(len(self.rows) + 1)
        self.rows += [[-1, 0, 0, 0, 0, -1], [-1, 0, 0, 0, 0, -1]]

    def add_clause(self, literals: Box) -> None:
        """A tree that sends the rows of a box to "forbidden", and all others to "possible"."""
        self.roots.append(len(self.rows))
        runs = {i: runs_of(inside[:-1]) for i, inside in literals.items()}
        ends = np.cumsum([len(self.rows), *(max(1, len(own) - 1) for own in runs.values())]).tolist()
        for (i, own), then in zip(runs.items(), [*ends[1:-1], ends[-1] + 1], strict=True):
            self.add_test(i, own, bool(literals[i][-1]), then, ends[-1])
        self._end_knowledge()

    def add_staircase(self, lower: int, upper: int, between: list[int], too_low: IntArray) -> None:
        """A tree that forbids, per cell of the lower feature, the first cells of the upper one."""
        begin, present = len(self.rows), [lower, *between]
        self.roots.append(begin)
        steps = [0, *(np.flatnonzero(np.diff(too_low)) + 1).tolist()]
        possible = begin + len(present) + 2 * len(steps) - 1
        for k, i in enumerate(present):
            self.rows.append([i, self.features[i].cells, 0, begin + k + 1, possible, -1])

        def add(p: int, q: int) -> int:
            at, middle = len(self.rows), (p + q) // 2
            if q - p == 1:
                self.rows.append([upper, int(too_low[steps[p]]), 0, possible + 1, possible, -1])
            else:
                self.rows.append([lower, steps[middle], 0, 0, 0, -1])
                self.rows[at][3:5] = add(p, middle), add(middle, q)
            return at

        add(0, len(steps))
        self._end_knowledge()

    def leaves(self, points: IntArray) -> IntArray:
        """The leaf of every tree at points of atoms."""
        node = np.broadcast_to(self.root, (len(points), len(self.root))).copy()
        cells, here = np.array([f.cells for f in self.features]), np.arange(len(points))[:, None]
        while True:
            i = self.feature[node]
            atom = points[here, np.maximum(i, 0)]
            left = np.where(atom >= cells[i], self.missing_left[node] == 1, atom < self.prefix[node])
            moved = np.where(i < 0, node, np.where(left, self.left[node], self.right[node]))
            if (moved == node).all():
                return node
            node = moved


def runs_of(flags: FlagArray) -> list[tuple[int, bool]]:
    """The maximal runs of equal flags: where each ends, and the flag."""
    ends = [*(np.flatnonzero(np.diff(flags)) + 1).tolist(), len(flags)] if len(flags) else []
    return [(end, bool(flags[end - 1])) for end in ends]


# ------------------------------------------------------------------------------------------------ the certificate


class CertificateFile:
    """The header and the blobs, and what they are about: features, knowledge, the vote."""

    def __init__(self, models: list[EnsembleFile], header: Any, blobs: list[bytes]) -> None:
        model, self.models = models[0], models
        self.model, self.header, self.blobs = model, header, blobs
        self.vote = LeafVote(model, header)
        self.features = [read_feature(models, f) for f in items(header["features"], "features")]
        columns = [c for f in self.features for c in f.columns]
        need(sorted(columns) == list(range(len(model.names))), "each column belongs to one feature")
        self.feature_of = np.empty(len(columns), dtype=np.int64)
        self.feature_of[columns] = np.repeat(
            np.arange(len(self.features)), [len(f.columns) for f in self.features]
        )
        self.trees = AtomTrees(self.features)
        self.add_trees()
        self.trees.finish()

    def add_trees(self) -> None:
        """The trees of the model, then those of knowledge."""
        self.trees.add_model(self.model, self.feature_of)
        self.read_knowledge()
        self.add_knowledge(range(len(self.features)))

    def read_knowledge(self) -> None:
        """What no row violates."""
        self.clauses: list[Box] = []
        for clause in items(self.header["clauses"], "clauses"):
            need_fields(clause, "text", "forbidden")
            tests = [items(test, "a test", 2) for test in items(clause["forbidden"], "forbidden")]
            places = [integer(i, 0, len(self.features) - 1, "a feature") for i, _ in tests]
            need(
                tests and len(set(places)) == len(tests),
                "a clause forbids every row, or names a feature twice",
            )
            read = [self.features[i].read_literal(literal, exactly=True) for i, literal in tests]
            self.clauses.append(dict(zip(places, read, strict=True)))
        self.orders = []
        for order in items(self.header["orders"], "orders"):
            need_fields(order, "text", "lower", "upper", "constants", "strict")
            ends = [integer(order[name], 0, len(self.features) - 1, name) for name in ("lower", "upper")]
            need(not any(self.features[i].listed for i in ends), "an order of categories")
            constants = numbers(order["constants"], "constants").tolist()
            self.orders.append((*ends, constants, flag(order["strict"], "strict")))

    def add_knowledge(self, feature: Any) -> None:
        """The trees of knowledge about a row whose features are `feature[0]`, `feature[1]`, ..."""
        for clause in self.clauses:
            self.trees.add_clause({feature[i]: inside for i, inside in clause.items()})
        for chain in items(self.header["chains"], "chains"):
            links = [self.orders[k] for k in integers(chain, 0, len(self.orders) - 1, "chains")]
            need(links and all(a[1] == b[0] for a, b in pairwise(links)), "the orders do not make a chain")
            lower, upper = self.features[links[0][0]], self.features[links[-1][1]]
            bound, constants = upper.high, [c for order in reversed(links) for c in order[2]]
            for constant in constants:
                bound = bound + constant
            moved = np.cumsum([0, *(any(order[2]) for order in links)])
            strict = any(order[3] and not moved[k] for k, order in enumerate(links))
            low = lower.low[:, None]
            fits = low < bound if strict else low <= bound
            too_low = (~fits).sum(axis=1)
            need((fits == (np.arange(upper.cells) >= too_low[:, None])).all(), "an order is not a staircase")
            if too_low.any():
                ends, between = (
                    (feature[links[0][0]], feature[links[-1][1]]),
                    [feature[x[1]] for x in links[:-1]],
                )
                self.trees.add_staircase(*ends, between, too_low)

    def read_box(self, box: Any, *, exactly: bool = False) -> Box:
        """Per restricted feature, which atoms a box allows."""
        need(type(box) is dict and all(name.isdecimal() for name in box), "a box is a mapping from features")
        places = sorted(map(int, box))
        fits = [str(i) for i in places] == sorted(box, key=int) and places[-1:] < [len(self.features)]
        need(fits, "a box names a feature that is not there")
        return {i: self.features[i].read_literal(box[str(i)], exactly=exactly) for i in places}

    def blob(self, place: Any) -> bytes:
        """One of the blobs."""
        return self.blobs[integer(place, 0, len(self.blobs) - 1, "blob")]

    def atoms_of(self, row: Any) -> IntArray:
        """The atoms of a row, which must be possible."""
        values = items(row, "a row", len(self.model.names))
        held = np.array([math.nan if x is None else number(x, "a row") for x in values])
        atoms = np.array([f.atom_of(held[f.columns]) for f in self.features])
        self.need_possible(atoms[None], [held[f.columns[:1]] for f in self.features])
        return atoms

    def need_possible(self, points: IntArray, held: list[FloatArray]) -> None:
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

    def decided_otherwise(self, points: IntArray, label: int) -> FlagArray:
        """Which points the library does not decide for a label."""
        trees, count = self.trees, len(self.model.root)
        return self.vote.shows_other(trees.origin[trees.leaves(points)[:, :count]], label)


def read_header(raw: bytes) -> tuple[Any, list[bytes]]:
    """The header of a certificate, and its blobs."""
    line, _, rest = unpack(raw).partition(b"\n")
    need(len(line) <= MOST_HEADER, "the header is too long")
    header = read_json(line, "the header")
    known = get(header, "format") == "primewood certificate" and get(header, "version") == 1
    need(known, "not a certificate of version 1")
    lengths = integers(get(header, "blobs"), 0, MOST_BYTES, "blobs").tolist()
    need(sum(lengths) == len(rest), "the blobs have wrong lengths")
    return header, [rest[a:b] for a, b in pairwise(np.cumsum([0, *lengths]).tolist())]


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
    digits = (data & 127).astype(np.int64) << 7 * power
    return np.add.reduceat(digits, starts) if len(data) else digits


# ------------------------------------------------------------------------------------------------ pieces


class ReachedBox:
    """A box in ranks, and what the trees can reach in it: items, each a leaf or a fork.

    The parts of fork k of a level are the items `kid[k]` and `kid[k]` plus the number of the level's forks. `entries`:
    what each item restricts, as rows (item, feature, low, high, missing). `tree`: its tree. `passed`: the last leaf on
    the way, of trees that go on after a leaf.
    """

    def __init__(self, trees: AtomTrees, literals: Box) -> None:
        self.trees = trees
        self.inside = [literals.get(i, feature.everything) for i, feature in enumerate(trees.features)]
        need(all(allowed.any() for allowed in self.inside), "a box allows nothing of a feature")
        self.size = np.array([int(allowed[:-1].sum()) for allowed in self.inside])
        self.missing = np.array([allowed[-1] for allowed in self.inside])
        self._walk()

    def _walk(self) -> None:
        trees = self.trees
        offset = np.cumsum([0, *(len(allowed) for allowed in self.inside)])[:-1]
        below = np.concatenate([np.append(0, np.cumsum(allowed[:-1])) for allowed in self.inside])
        split = below[offset[trees.feature] + trees.prefix]  # at leaves: of no use
        node, tree = trees.root.copy(), np.arange(len(trees.root))
        parent, passed = np.full(len(node), -1), np.full(len(node), -1)
        entries = np.empty((0, 5), dtype=np.int64)
        found: list[tuple[IntArray, ...]] = []
        self.levels, begin = [], 0
        while len(node):
            fork, low, high, miss = self._walk_down(node, passed, entries, begin, split)
            item, at = begin + np.flatnonzero(fork), node[fork]
            count, j, left = len(item), trees.feature[at], trees.missing_left[at] == 1
            low, high, miss = low[fork], high[fork], miss[fork]
            first = np.column_stack([j, low, np.minimum(high, split[at] - 1), miss & left])
            second = np.column_stack([j, np.maximum(low, split[at]), high, miss & ~left])
            own = np.concatenate([first, second])
            own[own[:, 1] > own[:, 2], 1:3] = NO_LOW, NO_HIGH
            kid = np.full(len(node), -1)
            kid[fork] = begin + len(node) + np.arange(count)
            found.append((node, tree, parent, kid, passed, entries))
            self.levels.append(item)
            # The entries of the two parts: those of the fork, but for its own feature, and the new ones.
            owner = entries[:, 0] - begin
            kept = entries[fork[owner] & (trees.feature[node][owner] != entries[:, 1])]
            parts = [kept.copy(), kept.copy()]
            parts[0][:, 0] = kid[kept[:, 0] - begin]
            parts[1][:, 0] = parts[0][:, 0] + count
            begin += len(node)
            entries = np.concatenate([*parts, np.column_stack([begin + np.arange(2 * count), own])])
            node, parent = np.concatenate([trees.left[at], trees.right[at]]), np.concatenate([item, item])
            passed, tree = np.tile(passed[fork], 2), np.tile(tree[fork], 2)
        arrays = map(np.concatenate, zip(*found, strict=True))
        self.node, self.tree, self.parent, self.kid, self.passed, self.entries = arrays

    def _walk_down(
        self, node: IntArray, passed: IntArray, entries: IntArray, begin: int, split: IntArray
    ) -> tuple[FlagArray, IntArray, IntArray, FlagArray]:
        """Move items down to their next leaf or fork; returns which are forks, and what they allow of its feature."""
        trees, owner = self.trees, entries[:, 0] - begin
        while True:
            j, left = trees.feature[node], trees.missing_left[node] == 1
            low, high, miss = np.where(self.size[j] > 0, 0, NO_LOW), self.size[j] - 1, self.missing[j]
            here = j[owner] == entries[:, 1]
            own = owner[here]
            low[own], high[own], miss[own] = entries[here, 2], entries[here, 3], entries[here, 4] == 1
            goes_left = (low < split[node]) & (low <= high) | miss & left
            goes_right = (high >= split[node]) | miss & ~left
            passing = (j >= 0) & ~(goes_left & goes_right)
            if not passing.any():
                return j >= 0, low, high, miss
            leaf = passing & (trees.origin[node] >= 0)
            passed[leaf] = node[leaf]
            node[passing] = np.where(goes_left, trees.left[node], trees.right[node])[passing]


# ------------------------------------------------------------------------------------------------ proofs


@dataclass
class BoxPart:
    """A part of the box: what it allows, the pieces alive, and what these restrict.

    The rows of `entry` are (piece, feature, low, high, missing, tree and feature as one number).
    """

    low: IntArray
    high: IntArray
    miss: FlagArray
    piece: IntArray
    entry: IntArray

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
        whole = here & (low <= self.low[feature]) & (high >= self.high[feature])
        keep = ~dead[piece] & ~(whole & (miss >= self.miss[feature]))
        place = np.cumsum(~dead) - 1
        entry = np.column_stack([place[piece], feature, low, high, miss, key])[keep]
        return BoxPart(self.low, self.high, self.miss, self.piece[~dead], entry)


class Proof:
    """That no row of a box reaches a threshold: the usual case, of one rival against a label."""

    def __init__(self, file: CertificateFile, box: ReachedBox, pair: Any, unit: Any, blob: bytes) -> None:
        self.file, self.trees, self.vote, self.box, self.pair = file, file.trees, file.vote, box, pair
        self.unit = integer(unit, 1, 2**61, "the unit")
        self.code, self.at = read_varints(blob), 0
        self.nodes = self.cells = 0
        self.weigh()
        root, self.item = self._find_pieces()
        self.tree = box.tree[self.item]
        self._read_table()
        self._run(root)

    def weigh(self) -> None:
        """Find the weights of items that are leaves, and which of these can be told apart at all."""
        weight, self.base, self.threshold = self.vote.margin(*self.pair)
        self.origin = self.trees.origin[self.box.node]
        self.weight = np.where(self.origin >= 0, (weight + self.vote.bands)[self.origin], 0)
        need(abs(self.weight).max() < 2**61, "weights are too large")

    def find_alike(self, a: IntArray, b: IntArray) -> FlagArray:
        """Which leaves a and b, as items, are alike."""
        forbidden = self.trees.forbidden[self.box.node]
        alike: FlagArray = (self.weight[a] == self.weight[b]) & (forbidden[a] == forbidden[b])
        own = np.flatnonzero(alike & (self.origin[a] >= 0) & self.vote.bands.any())
        alike[own] = self.vote.same_numbers(self.pair, self.origin[a[own]], self.origin[b[own]])
        return alike

    def _find_pieces(self) -> tuple[BoxPart, IntArray]:
        """The pieces, and the leaf of each: leaves, and forks whose two parts are alike."""
        box, trees = self.box, self.trees
        single = np.where(trees.feature[box.node] < 0, np.arange(len(box.node)), -1)
        for item in reversed(box.levels):
            first, second = box.kid[item], box.kid[item] + len(item)
            both = np.flatnonzero((single[first] >= 0) & (single[second] >= 0))
            leaf = single[first[both]]
            alike = self.find_alike(leaf, single[second[both]])
            single[item[both[alike]]] = leaf[alike]
        inner = (box.parent >= 0) & (single[box.parent] >= 0)
        piece = np.flatnonzero((single >= 0) & ~inner)
        piece = piece[~trees.forbidden[box.node[single[piece]]]]
        piece = piece[np.argsort(box.tree[piece], kind="stable")]
        place = np.full(len(single), -1)
        place[piece] = np.arange(len(piece))
        entry = box.entries[place[box.entries[:, 0]] >= 0].copy()
        key = box.tree[entry[:, 0]] * len(box.size) + entry[:, 1]
        entry[:, 0] = place[entry[:, 0]]
        entry = np.column_stack([entry, key])[np.argsort(key, kind="stable")]
        low = np.where(box.size > 0, 0, NO_LOW)
        part = BoxPart(low, box.size - 1, box.missing, np.arange(len(piece)), entry)
        return part.restrict(), single[piece]

    def take(self, count: int = 1) -> IntArray:
        """The next numbers of the body."""
        need(0 <= count <= len(self.code) - self.at, "a proof ends early")
        self.at += count
        return self.code[self.at - count : self.at]

    def take_one(self) -> int:
        """The next number of the body."""
        return int(self.take()[0])

    def _read_table(self) -> None:
        count, features, tree, feature = self.take_one(), len(self.box.size), 0, 0
        need(count < 2**20, "too many multipliers")
        rows = []
        for _ in range(count):
            step, own, a = self.take(3).tolist()
            tree, feature = tree + step, own if step else feature + own
            need(feature < features and tree < len(self.trees.root), "a multiplier of what is not there")
            size = int(self.box.size[feature])
            low, high = (a // 2 - 1, size - 1 - self.take_one()) if a >= 2 else (NO_LOW, NO_HIGH)
            need(a < 2 or 0 <= low <= high < size, "a span is not one")
            rows.append((tree * features + feature, feature, low, high, a % 2))
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        need((np.diff(table[:, 0]) >= 0).all(), "the multipliers are not sorted")
        self.key, self.feature, self.low, self.high, miss = table.T
        self.miss = miss == 1

    def _run(self, root: BoxPart) -> None:
        """The nodes in preorder. What waits on the stack is a part, or the second part of a split."""
        nothing: tuple[Any, ...] = (np.zeros(len(self.key), np.int64), *self.begin())
        stack: list[tuple[BoxPart, tuple[int, int] | None, tuple[Any, ...]]] = [(root, None, nothing)]
        while stack:
            part, second, state = stack.pop()
            part = part if second is None else part.narrow(*second, False)
            self.nodes += 1
            need(self.nodes <= MOST_NODES and len(stack) <= MOST_OPEN, "the proof is too long")
            step = self.take_one()
            while step % 4 == 3 or step in (4, 5):
                state = (
                    (self._change(state[0], step // 4), *state[1:])
                    if step % 4 == 3
                    else self.note(step, state)
                )
                step = self.take_one()
            if step == 0:
                j, c = self.take(2).tolist()
                need(j < len(part.low), "no such feature")
                stack += [(part, (j, c), state), (part.narrow(j, c, True), None, state)]
            elif step == 1:
                self.close_by_bound(part, *state)
            elif step == 2:
                self.cells += 1
                self._close_cell(part, state)
            else:
                self.close(step, part, state)
        need(self.at == len(self.code), "something follows the proof")

    def begin(self) -> tuple[Any, ...]:
        """What a node knows at the root besides its multipliers."""
        return ()

    def note(self, step: int, _: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a node knows after a step that is not about its multipliers."""
        raise Rejected(f"an unknown step {step}")

    def close(self, step: int, _: BoxPart, __: tuple[Any, ...]) -> None:
        """Close a node by a step of another kind."""
        raise Rejected(f"an unknown step {step}")

    def _change(self, w: IntArray, scale: int) -> IntArray:
        gap, change = self.take(2 * self.take_one()).reshape(-1, 2).T
        where = np.cumsum(gap)
        need(not len(where) or ((np.diff(where) > 0).all() and where[-1] < len(w)), "no such multiplier")
        need(scale <= 22 and (change < 2**45 >> 2 * scale).all(), "a change is too large")
        w = w.copy()
        w[where] += np.where(change % 2 == 1, -(change + 1) // 2, change // 2) << 2 * scale
        need((w >= 0).all() and (w < 2**44).all() and w.sum() < 2**53, "a multiplier is out of range")
        return w

    def close_by_bound(self, part: BoxPart, *state: Any) -> None:
        """The bound stays below the next sum, from the threshold on, of the pieces that are not idle."""
        upper, piece, weight, base, threshold = self.find_left(part, *state)
        if not len(piece):
            return
        first = self._find_first(piece)
        heaviest = np.maximum.reduceat(weight, first)
        top = base + sum(heaviest.tolist())
        grain = int(np.gcd.reduce(np.repeat(heaviest, np.diff(first, append=len(piece))) - weight))
        target = threshold + ((top - threshold) % grain if grain else top - threshold)
        need(top < threshold or upper < target, "a bound is too high")

    def find_left(self, part: BoxPart, w: IntArray) -> tuple[int, IntArray, IntArray, int, int]:
        """The bound, the pieces that are not idle with their weights, base and threshold."""
        return self.leave_out_idle(part, w, self.weight[self.item[part.piece]], self.base, self.threshold)

    def leave_out_idle(
        self, part: BoxPart, w: IntArray, weight: IntArray, base: int, threshold: int
    ) -> tuple[int, IntArray, IntArray, int, int]:
        """The bound for pieces of these weights, and the pieces that are not idle; none if there is no row."""
        none, piece = (threshold - 1, part.piece[:0], weight[:0], base, threshold), part.piece
        first = self._find_first(piece)
        if len(first) < len(self.trees.root) or ((part.low > part.high) & ~part.miss).any():
            return none  # a tree without a piece, or a feature without an atom
        if base + sum(np.maximum.reduceat(weight, first).tolist()) < threshold:
            return none
        charge, paid, paid_missing = self._charge_and_pay(part, w)
        need(int(charge.max(initial=0)) * self.unit < 2**62, "charges are too large")
        worth = weight - charge * self.unit
        best = np.maximum.reduceat(worth, first)
        upper = base + sum(best.tolist()) + self.pay_best(part, paid, paid_missing)
        if upper < threshold:
            return none
        left = np.repeat(best, np.diff(first, append=len(piece))) - worth <= min(upper - threshold, 2**62)
        return upper, piece[left], weight[left], base, threshold

    def _find_first(self, piece: IntArray) -> IntArray:
        """Where the pieces of each tree begin."""
        return np.flatnonzero(np.diff(self.tree[piece], prepend=-1))

    def pay_best(self, _: BoxPart, paid: IntArray, paid_missing: IntArray) -> int:
        """What the best paid atoms of all features are paid together."""
        begin = np.cumsum([0, *(self.box.size + 1)])[:-1]
        return self.unit * int(sum(np.maximum(np.maximum.reduceat(paid, begin), paid_missing).tolist()))

    def _charge_and_pay(self, part: BoxPart, w: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """What each piece is charged, and what ranks (with one more per feature, paid nothing) and missing are paid."""
        piece, _, entry_low, entry_high, entry_miss, key = part.entry.T
        on = np.flatnonzero(w)
        a, b = np.searchsorted(key, self.key[on], "left"), np.searchsorted(key, self.key[on], "right")
        on, a, size = on[b > a], a[b > a], (b - a)[b > a]
        charge, ends = np.zeros(len(part.piece), np.int64), np.cumsum([0, *(self.box.size + 1)])
        flow, paid_missing = np.zeros(ends[-1], np.int64), np.zeros(len(part.low), np.int64)
        if len(on):
            begin = np.cumsum(size) - size
            k = np.repeat(np.arange(len(on)), size)
            e = np.arange(len(k)) - np.repeat(begin - a, size)
            low, high, miss, j = entry_low[e], entry_high[e], entry_miss[e] == 1, self.feature[on]
            holds = (low >= self.low[on][k]) & (high <= self.high[on][k]) & (~miss | self.miss[on][k])
            low = np.minimum.reduceat(np.where(holds, low, NO_LOW), begin)
            high = np.maximum.reduceat(np.where(holds, high, NO_HIGH), begin)
            miss = np.logical_or.reduceat(holds & miss, begin)
            whole = (low <= part.low[j]) & (high >= part.high[j]) & (miss | ~part.miss[j])
            amount = np.where(np.logical_or.reduceat(holds, begin) & ~whole, w[on], 0)
            np.add.at(charge, piece[e[holds]], amount[k[holds]])
            some = low <= high
            np.add.at(flow, (ends[j] + low)[some], amount[some])
            np.subtract.at(flow, (ends[j] + high + 1)[some], amount[some])
            np.add.at(paid_missing, j[miss], amount[miss])
        return charge, np.cumsum(flow), paid_missing

    def _close_cell(self, part: BoxPart, state: tuple[Any, ...]) -> None:
        """The pieces of each tree that are not idle are alike: the library's own sum decides."""
        piece = self.find_left(part, *state)[1]
        if len(piece):
            first = self._find_first(piece)
            item, alike = (
                self.item[piece],
                np.repeat(self.item[piece[first]], np.diff(first, append=len(piece))),
            )
            need(self.find_alike(item, alike).all(), "not a single cell")
            self.decide_cell(item[first])

    def decide_cell(self, item: IntArray) -> None:
        """The library's own sum decides for the label where trees end in these leaves."""
        need(not self.vote.any_order, "a cell cannot be closed by a sum in any order")
        scores = self.vote.scores(self.origin[item][None, : len(self.file.model.root)])[0]
        need(self.vote.prefers(scores, *self.pair), "a cell gets a different decision")


# ------------------------------------------------------------------------------------------------ claims


def check_claim(file: CertificateFile, claim: Any, *, exactly: bool) -> tuple[Box, list[int], int, int]:
    """That every row of a box gets one of some decisions; returns these, and how much was checked."""
    need_fields(claim, "decided", "box", "proofs")
    decided = integers(claim["decided"], 0, file.vote.classes - 1, "decided", distinct=True).tolist()
    literals = file.read_box(claim["box"], exactly=exactly)
    box, excluded, nodes, cells = ReachedBox(file.trees, literals), set[int](), 0, 0
    for label, rival, unit, blob in (items(p, "a proof", 4) for p in items(claim["proofs"], "proofs")):
        pair = [integer(c, 0, file.vote.classes - 1, "a class") for c in (label, rival)]
        excluded |= file.vote.excluded(*pair)
        proof = Proof(file, box, pair, unit, file.blob(blob))
        nodes, cells = nodes + proof.nodes, cells + proof.cells
    need({*decided} | excluded == {*range(file.vote.classes)}, "a decision is not excluded")
    return literals, decided, nodes, cells


class PrimenessProof:
    """That no literal of a box can be relaxed."""

    def __init__(self, file: CertificateFile, record: Any, box: Box, label: int) -> None:
        self.file, self.features = file, file.features
        need_fields(record, "language", "row", "fixed", "bases", "numbers", "blob")
        self.language, last = record["language"], len(self.features) - 1
        need(self.language in ("sets", "intervals", "values"), "an unknown language")
        fixed = integers(record["fixed"], 0, last, "fixed", distinct=True).tolist()
        ordered = integers(record["numbers"], 0, last, "numbers", distinct=True).tolist()
        self.row = file.atoms_of(record["row"])
        need(all(allowed[self.row[i]] for i, allowed in box.items()), "the row is not in the box")
        self.box = {
            i: allowed for i, allowed in box.items() if (allowed != self.features[i].everything).any()
        }
        wanted = {i: self._find_wanted(i) for i in self.box if i not in fixed}
        self.conditions, self.count = len(wanted), sum(len(atoms or [0]) for atoms in wanted.values())
        blob, size = file.blob(record["blob"]), 8 * self.count * len(ordered)
        need(size <= len(blob), "the witnesses end early")
        held = np.frombuffer(blob[len(blob) - size :], "<f8").reshape(self.count, len(ordered))
        code = read_varints(blob[: len(blob) - size]).tolist()
        points, where = self._read(code, integer(record["bases"], 0, len(blob), "bases"), wanted)
        if self.count:
            self._confirm(points, where, dict(zip(ordered, held.T, strict=True)), label)

    def _find_wanted(self, i: int) -> list[int] | None:
        """The atoms of a feature that need a witness each; None for one that may be chosen."""
        feature, allowed = self.features[i], self.box[i]
        cells, outside = np.flatnonzero(allowed[:-1]), np.flatnonzero(feature.everything & ~allowed).tolist()
        single_run = self.language == "intervals" and feature.ordered
        if self.language == "values" or (single_run and not len(cells)):
            return None
        if not single_run:
            return outside
        need(len(cells) == cells[-1] - cells[0] + 1, "a literal is not an interval")
        return [a for a in outside if a in (cells[0] - 1, cells[-1] + 1, feature.cells)]

    def _read(
        self, numbers: list[int], bases: int, wanted: dict[int, list[int] | None]
    ) -> tuple[IntArray, IntArray]:
        """The witnesses, and the feature that each is about."""
        code, found, where = iter(numbers), [], []
        try:
            points = read_points(code, bases, self.row)
            for i, atoms in wanted.items():
                for atom in [None] if atoms is None else atoms:
                    base = next(code)
                    need(base < len(points), "no such witness")
                    point = points[base].copy()
                    point[i] = next(code) if atom is None else atom
                    found.append(point)
                    where.append(i)
        except StopIteration:
            raise Rejected("the witnesses end early") from None
        need(next(code, None) is None, "something follows the witnesses")
        return np.array(found, dtype=np.int64).reshape(self.count, len(self.row)), np.array(
            where, dtype=np.int64
        )

    def _confirm(self, points: IntArray, where: IntArray, stated: dict[int, FloatArray], label: int) -> None:
        held = []
        for i, feature in enumerate(self.features):
            atoms = points[:, i]
            need((atoms < feature.cells + feature.missing).all(), "a witness has an atom that is not there")
            outside = ~self.box.get(i, feature.everything)[atoms]
            need(
                (outside == ((where == i) & (i in self.box))).all(), "a witness is outside in another feature"
            )
            held.append(np.append(feature.samples[:, 0], math.nan)[atoms])
            if i in stated:
                need(not feature.listed, "a number of a category")
                low, high = (np.append(ends, math.nan)[atoms] for ends in (feature.low, feature.high))
                x = held[i] = stated[i]
                fits = (low <= x) & (x <= high) & (not feature.whole or x % 1 == 0)
                need((fits | (np.isnan(low) & np.isnan(x))).all(), "a witness has a number outside its cell")
        self.file.need_possible(points, held)
        need(self.file.decided_otherwise(points, label).all(), "a witness is decided like the row")


def read_points(code: Iterator[int], bases: int, row: IntArray) -> list[IntArray]:
    """Points, each by the features in which it differs from a row."""
    points = []
    for _ in range(bases):
        point, i = row.copy(), 0
        for _ in range(next(code)):
            i += next(code)
            need(i < len(point), "no such feature")
            point[i] = next(code)
        points.append(point)
    return points


def check_radius(file: CertificateFile, record: Any, box: Box, decided: list[int]) -> None:
    """That a box holds every row within a distance of a row."""
    need_fields(record, "row", "norm", "distance", "scales", "witness")
    need(record["norm"] == "linf", "an unknown norm")
    distance, scales = Fraction(number(record["distance"], "distance")), numbers(record["scales"], "scales")
    atoms, row, witness = file.atoms_of(record["row"]), record["row"], record["witness"]
    need(distance >= 0 and len(scales) == len(row), "a distance below 0, or not one scale per column")
    need((scales >= 0).all() and np.isfinite(scales).all(), "a scale is not a number of at least 0")
    for i, feature in enumerate(file.features):
        column, allowed = feature.columns[0], box.get(i, feature.everything)
        need(allowed[atoms[i]], "the row is not in the box")
        if feature.listed:
            need(not scales[feature.columns].any(), "a category does not move")
        elif atoms[i] < feature.cells:
            x, reach = Fraction(row[column]), distance * Fraction(float(scales[column]))
            ends = zip(feature.low.tolist(), feature.high.tolist(), strict=True)
            near = [not (high < x - reach or low > x + reach) for low, high in ends]
            need(allowed[:-1][near].all(), "the box is smaller than the radius")
    if witness is not None:
        points = file.atoms_of(witness)[None]
        for a, b, scale in zip(row, witness, scales.tolist(), strict=True):
            need(a == b or (scale > 0 and None not in (a, b)), "the witness moves a fixed column")
        need(
            len(decided) == 1 and file.decided_otherwise(points, decided[0]).all(),
            "the witness is decided alike",
        )


@dataclass
class Confirmed:
    """What was confirmed: in words, and how much was checked."""

    text: str
    nodes: int
    cells: int
    witnesses: int

    def __str__(self) -> str:
        parts = ((self.nodes, "node"), (self.cells, "cell"), (self.witnesses, "row"))
        return f"Confirmed ({', '.join(count(n, what) for n, what in parts)}).\n{self.text}"

    def to_dict(self) -> dict[str, object]:
        """The same in plain types."""
        return {"confirmed": True, **asdict(self)}


def check(model: EnsembleFile, raw: bytes) -> Confirmed:
    """Check a certificate; raises `Rejected` with the first condition that does not hold."""
    header, blobs = read_header(raw)
    need(get(header, "model") == model.digest, "the certificate is about another ensemble file")
    fields = {"explanation": ("prime",), "rule": (), "radius": ("radius",)}
    kind = get(header, "kind")
    need(kind in fields, f"this file does not check certificates of kind {kind!r}; check_more.py does")
    need_fields(header, *SHARED, *KNOWLEDGE, "claims", "blobs", *fields[kind])
    return check_claims(CertificateFile([model], header, blobs))[0]


def check_claims(file: CertificateFile) -> tuple[Confirmed, Box, list[int]]:
    """Check the claims of a certificate, and what it adds to them; also returns the first claim."""
    kind, claims = file.header["kind"], items(file.header["claims"], "claims")
    need(claims and (kind == "rule" or len(claims) == 1), "a wrong number of claims")
    found = [check_claim(file, claim, exactly=kind != "radius") for claim in claims]
    lines = [
        f"For every row{where(file, box)}, this model decides {names(file, own)}." for box, own, *_ in found
    ]
    box, decided, shown = *found[0][:2], 0
    if kind == "radius":
        check_radius(file, file.header["radius"], box, decided)
        far, witness = file.header["radius"]["distance"], file.header["radius"]["witness"]
        lines.append(
            f"That covers every row within {far!r} of the given one (each number, in its own scale)."
        )
        lines += ["A row beyond that gets a different decision."] * (witness is not None)
    elif kind != "rule":
        need(len(decided) == 1, "an explanation is of one decision")
        prime = PrimenessProof(file, file.header["prime"], box, decided[0])
        shown, given = prime.count, ", given the fixed features" if file.header["prime"]["fixed"] else ""
        many = (
            f"None of the {prime.conditions} conditions can"
            if prime.conditions != 1
            else "The condition cannot"
        )
        rows = f"{count(shown, 'row')} show{'s' * (shown == 1)} it"
        lines.append(f"{many} be relaxed{given} ({prime.language}): {rows}.")
    text = "\n".join([*lines, *describe_basis(file)])
    return Confirmed(text, sum(x[2] for x in found), sum(x[3] for x in found), shown), box, decided


# ------------------------------------------------------------------------------------------------ words


def names(file: CertificateFile, decided: list[int]) -> str:
    """The decisions in words."""
    vote, found = file.vote, []
    for k in decided:
        low = f"{vote.cuts[k - 1]!r} <= " if k and vote.cuts else ""
        high = f" < {vote.cuts[k]!r}" if k < len(vote.cuts) else ""
        score = f"{low}score{high}"
        found.append(score if vote.labels is None else str(vote.labels[k]) + f" ({score})" * bool(vote.cuts))
    return " or ".join(found) or "nothing: there is no such row"


def where(file: CertificateFile, box: Box) -> str:
    """A box in words."""
    words = [literal(file, i, allowed) for i, allowed in box.items()]
    return f" with {' and '.join(words)}" if words else ""


def literal(file: CertificateFile, i: int, allowed: FlagArray) -> str:
    """A literal in words."""
    feature, parts, begin = file.features[i], [], 0
    if feature.listed and allowed[:-1].any():
        values = [", ".join(f"{x:g}" for x in held) for held in feature.samples[allowed[:-1]]]
        parts.append(f"one of ({'; '.join(values)})")
    for end, inside in runs_of(allowed[:-1]) if not feature.listed else ():
        parts += [in_range(float(feature.low[begin]), float(feature.high[end - 1]))] * inside
        begin = end
    return f"{name(file, i)} {' or '.join([*parts, *['missing'] * bool(allowed[-1])])}"


def name(file: CertificateFile, i: int) -> str:
    """The columns of a feature."""
    return " and ".join(file.model.names[c] for c in file.features[i].columns)


def in_range(low: float, high: float) -> str:
    """A closed interval in words."""
    if low == high:
        return f"= {low!r}"
    if math.isinf(low):
        return "any number" if math.isinf(high) else f"<= {high!r}"
    return f">= {low!r}" if math.isinf(high) else f"from {low!r} to {high!r}"


def count(number: int, what: str) -> str:
    """Things, with their number."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def describe_basis(file: CertificateFile) -> list[str]:
    """What a confirmation assumes about rows, and what it trusts."""
    found = []
    for i, f in enumerate(file.features):
        if f.listed:
            found.append(literal(file, i, f.everything))
        elif f.whole or math.isfinite(f.low[0]) or math.isfinite(f.high[-1]):
            found.append(
                f"{name(file, i)} {in_range(float(f.low[0]), float(f.high[-1]))}{', whole' * f.whole}"
            )
    never = [name(file, i) for i, f in enumerate(file.features) if not f.missing]
    everywhere = len(never) == len(file.features)
    found.append("no value is missing" if everywhere else f"never missing: {', '.join(never) or 'none'}")
    found += [f"no row{where(file, clause)}" for clause in file.clauses]
    for lower, upper, constants, strict in file.orders:
        added = "".join(f" + {c!r}" for c in constants)
        found.append(f"{name(file, lower)} {'<' if strict else '<='} {name(file, upper)}{added}")
    vote = file.vote
    trusted = "that the ensemble file is the model (primewood compared them when it read the model), that the library "
    trusted += f"adds IEEE floats in {'any order' if vote.any_order else 'the order of the trees'}, "
    trusted += "that cuts on the score stand for the cut-offs they were made from, " if vote.cuts else ""
    trusted += "that its softmax keeps scores apart that differ clearly, " if vote.slack else ""
    return [f"Assumes: {'; '.join(found)}.", f"Trusts: {trusted}Python, numpy and this checker."]


def main(arguments: list[str], run: Any = check) -> int:
    """Check the files that are named: 0 if the claims are confirmed, 1 if not, 2 if there are no such files."""
    if len(arguments) < 2:
        print(f"usage: python {sys.argv[0]} ensemble.json certificate", file=sys.stderr)
        return 2
    try:
        *models, certificate = (Path(name).read_bytes() for name in arguments)
        print(run(*map(EnsembleFile, models), certificate))
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 2
    except Rejected as problem:
        print(f"Not confirmed: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
