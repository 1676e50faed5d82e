#!/usr/bin/env python3
"""Checks a certificate against an ensemble file, in exact integers: `python check.py ensemble.json case.pwcert`.

This file needs Python and numpy, and nothing else: copy it wherever you like. It shares no code with the programs that
write certificates. The format, and why each rule is sound, is defined in docs/reference/certificates.md; the sections
below follow that page. Every condition of the format is a call of `need`, or the shape of a value that is read. Rules
and orders about rows, pairs of rows, budgets, several margins and fewest features need check_more.py beside this file.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
FlagArray = NDArray[np.bool_]
AtomBox = dict[int, FlagArray]  # per restricted feature: for each cell, and for missing, whether it is allowed
MOST_BYTES, MOST_HEADER, MOST_NODES, MOST_OPEN, LARGEST = 2**28, 2**26, 2**24, 2**12, sys.float_info.max
class Rejected(Exception):
    """A condition of the format does not hold."""
def need(holds: object, otherwise: str) -> None:
    """Reject the certificate unless something holds."""
    if not holds:
        raise Rejected(otherwise)
# ------------------------------------------------------------------------------------------------ plain values
def read_json(raw: bytes, what: str) -> Any:
    """A JSON document in which nothing is NaN or infinite, and no record has a field twice."""
    def collect(fields: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(fields)) == len(fields), f"{what} has a field twice")
        return dict(fields)
    try:
        return json.loads(raw, object_pairs_hook=collect, parse_constant=lambda x: need(False, f"{what} has {x}"))
    except (ValueError, RecursionError) as problem:
        raise Rejected(f"{what} is not JSON: {problem}") from None
def read(value: Any, shape: Any, what: str, *, more: bool = False) -> Any:
    """A JSON value of a shape."""
    # That is a type, a range of whole numbers, a set of texts, `[shape]` for a list, `[shape, shape]` for one of two,
    # `(None, shape)` for null or that, a dictionary for a record (perhaps with more fields), or a function to read it.
    match shape:
        case type():
            fits = type(value) is shape or (type(value) is int and shape is float)
            need(fits and (shape is not float or abs(value) <= LARGEST), f"{what} is not a usual {shape.__name__}")
            return shape(value)
        case range() | set():
            need(type(value) is {range: int, set: str}[type(shape)] and value in shape, f"{what} is not in {shape}")
            return value
        case list():
            need(type(value) is list and len(shape) in (1, len(value)), f"{what} is not a list, or has a wrong length")
            shapes = shape if len(shape) == len(value) else shape * len(value)
            return [read(x, own, what) for x, own in zip(value, shapes, strict=True)]
        case dict():
            fits = type(value) is dict and value.keys() >= shape.keys() and (more or len(value) == len(shape))
            need(fits, f"{what} does not have the fields {', '.join(shape)}")
            return Record(**{name: read(value[name], own, f"{name} of {what}") for name, own in shape.items()})
        case (None, other):
            return None if value is None else read(value, other, what)
    return shape(value, what)
def array(kind: type, low: Any, high: Any, *, besides: tuple[str, ...] = (), distinct: bool = False) -> Any:
    """Reads a list of numbers (or flags) within limits; `besides`: texts that may be among them."""
    def read_array(value: Any, what: str) -> NDArray[Any]:
        plain = [x for x in read(value, list, what) if x not in besides] if besides else read(value, list, what)
        fits = {*map(type, plain)} <= ({int, float} if kind is float else {kind})
        need(fits and (not plain or low <= min(plain) <= max(plain) <= high), f"{what} has what it cannot have")
        need(not distinct or len({*plain}) == len(plain), f"{what} has a value twice")
        return np.array(value, dtype=kind)
    return read_array
numbers = array(float, -LARGEST, LARGEST)
def table(value: Any, what: str) -> FloatArray:
    """Reads a list of rows of numbers, all equally long."""
    rows = read(value, [list], what)
    need(len({*map(len, rows)}) < 2, f"{what} has rows of different lengths")
    return np.reshape(numbers([*chain(*rows)], what), (len(rows), len(rows[0]) if rows else 0))
# ------------------------------------------------------------------------------------------------ the ensemble file
class EnsembleFile:
    """The trees side by side, one node after the other, and how their leaves become a decision."""

    @np.errstate(all="ignore")
    def __init__(self, raw: bytes) -> None:
        self.digest, what, real = hashlib.sha256(raw).hexdigest(), "the ensemble file", {"float64", "float32"}
        shape = {"format": {"primewood ensemble"}, "version": range(1, 2), "feature_names": [str], "classes": list,
                 "operator": {"<=", "<"}, "dtype": real, "precision": real, "vote": {"majority", "mean", "sum"},
                 "groups": [[range(1, 2**31), float]], "divisor": (None, float), "start": numbers, "cuts": numbers,
                 "link": str, "trees": list}
        file = read(record := read_json(raw, what), shape, what, more=True)
        self.names, self.labels, self.categories = file.feature_names, file.classes, record.get("categories")
        self.strict, self.dtype, self.precision = file.operator == "<", np.dtype(file.dtype), np.dtype(file.precision)
        whole, bounds = array(int, -1, 2**31), array(float, -LARGEST, LARGEST, besides=("inf", "-inf"))
        shape = {"feature": array(int, -1, len(self.names) - 1), "threshold": bounds, "left": whole, "right": whole,
                 "missing_left": array(bool, False, True), "value": table, "set_of": (None, whole), "sets": [bounds]}
        trees = [read(x, shape, f"tree {t}", more=True) for t, x in enumerate(file.trees)]
        sizes, widths = [len(tree.feature) for tree in trees], {tree.value.shape[1] for tree in trees}
        need(self.names and trees and all(sizes) and len(widths) == 1 and all(widths), "no columns, nodes or outputs")
        def join(name: str) -> Any:
            need([len(getattr(tree, name)) for tree in trees] == sizes, f"{name} has a wrong length")
            return np.concatenate([getattr(tree, name) for tree in trees])
        self.root, self.tree = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(trees)), sizes)
        self.column, self.value, self.missing_left = join("feature"), join("value"), join("missing_left")
        self.leaf, here, last = self.column < 0, np.arange(len(self.tree)), (self.root + sizes)[self.tree]
        self.left, self.right = (np.where(self.leaf, here, join(x) + self.root[self.tree]) for x in ("left", "right"))
        kids, above = np.stack([self.left, self.right])[:, ~self.leaf], np.flatnonzero(~self.leaf)
        fits = ((above < kids) & (kids < last[above])).all() and np.bincount(kids.ravel()).max(initial=0) < 2
        need(fits, "a child does not come after its parent, or has two")
        self.boundary, self.sets = self._find_boundaries(join("threshold")), dict[int, FloatArray]()
        for tree, root, size in zip(trees, self.root.tolist(), sizes, strict=True):
            which = np.full(size, -1) if tree.set_of is None else tree.set_of
            need(len(which) == size and (which < len(tree.sets)).all(), "set_of has a wrong length, or a wrong number")
            found = [self._find_boundaries(x) for x in tree.sets]
            self.sets |= {root + n: found[which[n]] for n in np.flatnonzero(which >= 0).tolist()}
        self.has_set, majority = np.isin(here, [*self.sets]), file.vote == "majority"
        self.groups = [(size, weight) for size, weight in file.groups if not majority] or [(1, 1.0)] * len(self.root)
        self.sizes = [size for size, _ in self.groups]
        need(sum(self.sizes) == len(self.root), "the groups do not have every tree once")
        self.value = np.eye(self.value.shape[1])[self.value.argmax(axis=1)] if majority else self.value
        self.value = self.value * self.per_node([w if size == 1 else 1.0 for size, w in self.groups])
        self.link, self.cuts = file.link, file.cuts.tolist()
        self.divisor = 1.0 if file.vote == "sum" else float(len(self.groups) if file.divisor is None else file.divisor)
        self.start = file.start if len(file.start) else np.zeros(self.value.shape[1])
        need(self.divisor > 0 and len(self.start) == self.value.shape[1], "a bad divisor, or a bad start")
    def per_node(self, per_group: list[float]) -> FloatArray:
        """What groups have, for the nodes of their trees, as a column."""
        return np.repeat(per_group, self.sizes)[self.tree][:, None]
    def _find_boundaries(self, thresholds: FloatArray) -> FloatArray:
        """Per threshold, the least float64 that it does not send left; ±inf if there is none, or if all are such."""
        real, near = self.dtype.type, thresholds.astype(self.dtype)
        beyond = (np.greater_equal if self.strict else np.greater)(near.astype(float), thresholds)
        first = np.where(beyond, near, np.nextafter(near, real(np.inf)))
        before, found = np.nextafter(first, real(-np.inf)), first.astype(np.float64)
        if real is np.float32:  # numbers between two float32 are cast to one of them
            middle = (before.astype(np.float64) + found) / 2
            found = np.where(middle.astype(real) >= first, middle, np.nextafter(middle, np.inf))
        return np.where(np.isposinf(first), np.inf, np.where(np.isneginf(before), -np.inf, found))
    def boundaries_of(self, column: int) -> list[FloatArray]:
        """The boundaries of the tests of a column."""
        tests = self.column == column
        return [self.boundary[tests & ~self.has_set], *(found for node, found in self.sets.items() if tests[node])]
# ------------------------------------------------------------------------------------------------ scores and weights
class LeafVote:
    """How leaves become a decision: the file's own way, or what the certificate states instead; and their integers."""

    def __init__(self, model: EnsembleFile, header: Record) -> None:
        self.model, self.trees, self.labels = model, len(model.root), model.labels
        self.value, self.start, self.cuts = model.value, model.start, model.cuts
        if header.decision is not None:
            shape = {"output": range(self.value.shape[1]), "negated": bool, "cuts": numbers, "labels": (None, list)}
            stated = read(header.decision, shape, "the decision")
            need(len(stated.cuts), "the decision has no cuts")
            sign, at, self.cuts = -1.0 if stated.negated else 1.0, [stated.output], stated.cuts.tolist()
            self.value, self.start, self.labels = sign * model.value[:, at], sign * model.start[at], stated.labels
        need(all(a < b for a, b in pairwise(self.cuts)), "the cuts do not ascend")
        self.reached = [least_sum(cut, model.divisor) for cut in self.cuts]
        self.classes = len(self.cuts) + 1 if self.cuts else len(model.labels)
        need(self.labels is None or len(self.labels) == self.classes, "not one label per class")
        need(self.value.shape[1] == (1 if self.cuts else self.classes), "the leaves have a wrong number of outputs")
        self.single, self.any_order, self.band = model.precision == np.float32, header.summation == "any", header.band
        slack = {"identity": Fraction(0), "softmax": Fraction(1, 2**47)}
        slack |= {"softmax32": Fraction(1, 2**19)} if self.single and model.divisor == 1 else {}
        need(self.cuts or model.link in slack, "this link needs cuts, or other sums")
        self.slack = Fraction(0) if self.cuts else slack[model.link]
        # The leaves in units of 2^−shift, which of them add without rounding, and which carry the band.
        share = model.per_node([w / size if size > 1 else 1.0 for size, w in model.groups])
        self.units, added = Fraction(2) ** header.shift, np.where(model.leaf[:, None], self.value * share, 0.0)
        # Sums stay far from the largest number, and what underflows is less than a unit.
        real, limits, divisor = model.precision.type, np.finfo(model.precision), Fraction(model.divisor)
        most = Fraction(float(limits.max)) / (4 * (self.trees + 1))
        high = max(float(abs(x).max()) for x in (added, self.value, self.start))
        usual = high <= LARGEST and Fraction(high) <= min(most, most * divisor) and divisor * self.units <= 2**1074
        need(usual and (header.shift <= 149 or not self.single), "scores or units can be too large")
        need(all((x.astype(real) == x).all() for x in (self.value, self.start)), "leaves are not of the precision")
        for size, weight in {(size, w) for size, w in model.groups if size > 1 and w}:
            lost = Fraction(float(limits.smallest_subnormal)) * abs(Fraction(weight)) * self.units
            usual = float(limits.tiny) <= abs(weight / size) and abs(weight) <= most and lost <= 1
            need(usual and real(weight) == weight, "a group's weight is too small, too large or too precise")
        largest = np.maximum.reduceat(abs(added), model.root, axis=0)
        total = max(math.fsum([abs(s), *column]) for s, column in zip(self.start, largest.T, strict=True))
        need(Fraction(total) * self.units * max(1, len(self.cuts)) <= 2**58, "the shift is too large")
        self.whole = np.rint(np.ldexp(added, header.shift)).astype(np.int64)
        self.whole_start = np.rint(np.ldexp(self.start, header.shift)).astype(np.int64).tolist()
        bits, size = (10, 13) if self.single else (20, 25)
        exact = model.per_node([n == 1 for n in model.sizes]) & (np.ldexp(self.value, bits) % 1 == 0)
        begins = header.shift >= bits and not self.slack and (np.ldexp(self.start, bits) % 1 == 0).all()
        self.exact = exact.all(axis=1) & (begins and total < 2**size)
        inexact = ~self.exact & model.leaf
        self.least_band = self._find_least_band(largest) if inexact.any() else 0
        need(self.band >= self.least_band and (header.carrier or 0) < self.trees, "the band is too small, or nowhere")
        carried = model.leaf & (model.tree == header.carrier)
        self.bands = np.where(inexact if header.carrier is None else carried, self.band, 0)
    def _find_least_band(self, most: FloatArray) -> int:
        """How far, in units, the library's sums can be from those of the integers, in any order of addition."""
        model, largest, unit = self.model, Fraction(0), Fraction(1, 2**24 if self.single else 2**53)
        for start, column in zip(self.start.tolist(), most.T.tolist(), strict=True):
            left = iter([math.ceil(Fraction(x) * self.units) for x in column])
            groups = [sorted(islice(left, size), reverse=True) for size in model.sizes]
            within = sum(sum(accumulate(group)) + 2 * sum(group) for group in groups if len(group) > 1)
            above = sorted(filter(None, map(sum, groups)), reverse=True)  # adding 0 rounds nothing
            begin, *sums = accumulate(above, initial=math.ceil(Fraction(abs(start)) * self.units))
            error = sum(sums) + within + (2 + (model.divisor != 1)) * [begin, *sums][-1]
            largest = max(largest, error * unit * (1 + 4 * self.trees * unit))
        wide = math.ceil(2 * largest + self.slack * Fraction(model.divisor) * self.units) + 3 * self.trees + 2
        return int(2 * wide if self.cuts else wide)
    def margin(self, label: int, rival: int) -> tuple[IntArray, int]:
        """The weights of the leaves without the band, and their goal: the threshold less the base."""
        sign, start = 1 if rival > label else -1, self.whole_start
        if not self.cuts:
            return self.whole[:, rival] - self.whole[:, label], int(rival > label) - start[rival] + start[label]
        cut = math.ceil(Fraction(self.reached[min(label, rival)]) * self.units)
        return 2 * sign * self.whole[:, 0], int(rival > label) - sign * (2 * start[0] + 1 - 2 * cut)
    def say(self, decided: Any) -> str:
        """Decisions in words: their labels, and with cuts which scores get them."""
        cuts, labels, found = self.cuts, self.labels, []
        for k in decided:
            score = " <= ".join([*map(str, cuts[max(0, k - 1) : k]), " < ".join(["score", *map(str, cuts[k : k + 1])])])
            found.append(score if labels is None else " ".join(str(labels[k]).split()) + f" ({score})" * bool(cuts))
        return " or ".join(found) or "nothing: there is no such row"
    def scores(self, leaves: IntArray) -> FloatArray:
        """The library's scores where trees end in these leaves (rows by trees): its own sum, in its own order."""
        real, left = self.model.precision.type, iter(leaves.T)
        total = np.zeros((len(leaves), self.value.shape[1]), real) + self.start.astype(real)
        for size, weight in self.model.groups:
            part = sum((self.value[leaf].astype(real) for leaf in islice(left, size)), np.zeros_like(total))
            total += part if size == 1 else part / real(size) * real(weight)
        return np.asarray(total.astype(np.float64) / self.model.divisor)
    def prefers(self, scores: FloatArray, label: int, rival: int) -> bool:
        """Whether the library prefers the label to a rival; False where only the link's own values can tell."""
        if self.cuts:
            return bool(scores[0] >= self.cuts[min(label, rival)]) == (label > rival)
        ahead = Fraction(scores[label]) - Fraction(scores[rival])
        return ahead > self.slack or (ahead == 0 and not self.slack and label < rival)
    def shows_other(self, leaves: IntArray, label: int) -> FlagArray:
        """Whether the library gives another decision where trees end in these leaves (rows by trees)."""
        scores, rivals = self.scores(leaves), {*range(self.classes)} - {label}
        if self.cuts:
            other, rivals = np.searchsorted(self.cuts, scores[:, 0], "right") != label, rivals & {label - 1, label + 1}
        else:
            ahead = np.ptp(np.sort(scores, axis=1)[:, -2:], axis=1)
            other = (scores.argmax(axis=1) != label) & (not self.slack or ahead > float(self.slack))
        wide = np.where(self.exact[leaves].all(axis=1), 0, self.least_band + self.trees * (2 if self.cuts else 1))
        for weight, goal in [self.margin(label, rival) for rival in rivals if self.any_order]:
            other |= weight[leaves].sum(axis=1) + wide >= goal
        return np.asarray(other)
def least_sum(cut: float, divisor: float) -> float:
    """The least float64 whose quotient by the divisor reaches the cut."""
    near = cut * divisor
    for _ in range(64):
        below = math.nextafter(near, -math.inf)
        if near / divisor >= cut > below / divisor and max(abs(near), abs(below)) <= LARGEST:
            return near
        near = below if near / divisor >= cut else math.nextafter(near, math.inf)
    raise Rejected("a cut is reached by no score, or by all")
# ------------------------------------------------------------------------------------------------ rows
class FeatureCells:
    """What its columns hold: cells, by its record and the tests of models, and perhaps "missing", the last atom."""

    # `low`, `high`: the ends of the cells, or the places of listed ones. `samples`: a row of numbers per cell.
    def __init__(self, models: list[EnsembleFile], record: Any, what: str) -> None:
        self.models, self.listed, end = models, type(record) is dict and "values" in record, (None, float)
        kinds = {"values": table, "ordered": bool}, {"whole": bool, "low": end, "high": end, "cuts": numbers}
        own = read(record, {"columns": [range(len(models[0].names))], "missing": bool, **kinds[not self.listed]}, what)
        self.columns, self.missing, width = own.columns, own.missing, len(own.columns)
        self.name = " and ".join(models[0].names[column] for column in own.columns)
        if self.listed:
            distinct, ends, self.ordered, self.whole = {*map(tuple, own.values.tolist())}, [], own.ordered, False
            need(width and (own.missing or distinct) and len(distinct) == len(own.values), f"{what} has bad values")
            need(not distinct or own.values.shape[1] == width, f"{what} has values of a wrong length")
            self.samples, self.low = own.values.reshape(-1, width), np.arange(float(len(distinct)))
            self.high = self.low
        else:
            self.ordered, self.whole, ends = True, own.whole, [x for x in (own.low, own.high) if x is not None]
            low, high = -math.inf if own.low is None else own.low, math.inf if own.high is None else own.high
            need(width == 1 and low <= high and not (own.whole and any(x % 1 for x in ends)), f"{what} has bad ends")
            cuts = np.concatenate([own.cuts, *(x for model in models for x in model.boundaries_of(own.columns[0]))])
            cuts = np.ceil(cuts) if own.whole else cuts
            cuts = np.unique(cuts[np.isfinite(cuts) & (cuts > low) & (cuts <= high)])
            before = np.minimum(np.nextafter(cuts, -np.inf), cuts - 1 if own.whole else np.inf)
            self.low, self.high = np.append(low, cuts), np.append(before, high)
            self.samples = np.append(before[0] if len(cuts) else min(max(0.0, low), high), cuts)[:, None]
        need(not self.listed or self.can_be_cast(self.samples), f"{what} has a value that is too large for the model")
        self.cells, self.everything = len(self.samples), np.array([True] * len(self.samples) + [self.missing])
    def can_be_cast(self, held: FloatArray) -> bool:
        """Whether numbers (or NaN) stay finite where the models cast them."""
        return not any(np.isinf(held.astype(model.dtype)).any() for model in self.models)
    def fits(self, held: FloatArray, low: FloatArray, high: FloatArray) -> FlagArray:
        """Which numbers are between others, and whole if they must be."""
        return np.asarray((low <= held) & (held <= high) & (not self.whole or held % 1 == 0))
    def atom_of(self, held: FloatArray) -> int:
        """The atom of what a row holds in the columns; rejects what the feature does not allow."""
        same = (self.samples == held).all(axis=1) if self.listed else self.fits(held, self.low, self.high)
        missing = self.missing and bool(np.isnan(held).all())
        need(missing or same.any(), f"a row holds what {self.name} does not allow")
        return self.cells if missing else int(same.argmax())
    def read_literal(self, value: Any, what: str, *, exactly: bool = True) -> FlagArray:
        """Which atoms a literal allows; `exactly`: each cell wholly or not at all."""
        end, some = (None, float), array(int, 0, self.cells - 1, distinct=True)
        literal = read(value, {"missing": bool, **({"values": some} if self.listed else {"runs": [[end, end]]})}, what)
        need(self.missing or not literal.missing, f"{what} allows missing where the feature does not")
        inside = np.append(np.zeros(self.cells, dtype=bool), literal.missing)
        for first, last in [(x, x) for x in literal.values] if self.listed else literal.runs:
            low, high = self.low[0] if first is None else first, self.high[-1] if last is None else last
            meets, within = (self.low <= high) & (self.high >= low), (self.low >= low) & (self.high <= high)
            need(low <= high and (not exactly or (meets == within).all()), f"a run of {what} is empty, or cuts a cell")
            inside[:-1] |= meets
        return inside
    def describe(self, allowed: FlagArray) -> str:
        """A literal in words."""
        values = "; ".join(", ".join(f"{x:g}" for x in held) for held in self.samples[allowed[:-1]])
        ends = pairwise([(0, False), *runs_of(allowed[:-1])] if not self.listed else [])
        parts = [in_range(self.low[a], self.high[b - 1]) for (a, _), (b, inside) in ends if inside]
        parts += [f"one of ({values})"] * (self.listed and bool(values)) + ["missing"] * bool(allowed[-1])
        return f"{self.name} {' or '.join(parts)}"
# ------------------------------------------------------------------------------------------------ trees over atoms
class AtomTrees:
    """Binary trees whose tests send the first cells of a feature left: those of models, then of knowledge."""

    # Nodes are rows: feature (−1: leaf), prefix, whether missing goes left, two children, the model's leaf (−1: none).
    def __init__(self, features: list[FeatureCells]) -> None:
        self.features, self.tables, self.size = features, list[IntArray](), 0
        self.roots, self.forbidden_leaves = list[int](), list[int]()
    def add(self, rows: Any, roots: list[int]) -> None:
        """Add nodes behind those that are there."""
        self.tables.append(np.array(rows, dtype=np.int64))
        self.roots, self.size = self.roots + roots, self.size + len(rows)
    def add_model(self, model: EnsembleFile, feature_of: IntArray) -> None:
        """Add the trees of a model; `feature_of`: per column, the feature that it belongs to."""
        tested, node = np.where(model.leaf, -1, feature_of[model.column]), np.arange(len(model.leaf))
        chained = ~model.leaf & (np.array([f.listed for f in self.features])[tested] | model.has_set)
        prefix, count, runs = np.zeros_like(node), np.ones_like(node), dict[int, list[tuple[int, bool]]]()
        for i in {*tested[~model.leaf & ~chained].tolist()}:
            here = np.flatnonzero((tested == i) & ~chained)
            prefix[here] = np.searchsorted(self.features[i].samples[:, 0], model.boundary[here])
        for n, feature in ((n, self.features[tested[n]]) for n in np.flatnonzero(chained).tolist()):
            held = feature.samples[:, [feature.columns.index(model.column[n])]]
            runs[n] = runs_of((held >= model.sets.get(n, model.boundary[n])).sum(axis=1) % 2 == int(n in model.sets))
            count[n] = max(1, len(runs[n]) - 1)
        place, leaf = self.size + np.cumsum(count) - count, np.where(model.leaf, node, -1)
        columns = tested, prefix, model.missing_left, place[model.left], place[model.right], leaf
        table = np.repeat(np.column_stack(columns), count, axis=0)
        for n, own in runs.items():
            at = slice(place[n] - self.size, place[n] - self.size + count[n])
            table[at] = self.tests(place[n], tested[n], own, model.missing_left[n], *table[at][0, 3:5])
        self.add(table, place[model.root].tolist())
    def tests(self, at: int, i: int, runs: Any, missing: bool, inside: int, outside: int) -> list[list[int]]:
        """Nodes from a place on that send runs of cells (where each ends, and whether it is inside) to two others."""
        ways = [(inside, outside) if is_inside else (outside, inside) for _, is_inside in runs]
        last = max(0, len(runs) - 2)  # the last test decides about two runs
        return [[i, end, missing == is_inside, ways[k][0], at + k + 1 if k < last else ways[k][1], -1]
                for k, (end, is_inside) in enumerate(runs[: last + 1])]
    def finish(self) -> None:
        """Put the nodes together; no tree is added afterwards."""
        self.feature, self.prefix, self.missing_left, self.left, self.right, self.origin = np.concatenate(self.tables).T
        self.root, self.forbidden = np.array(self.roots), np.isin(np.arange(self.size), self.forbidden_leaves)
    def leaves(self, points: IntArray) -> IntArray:
        """The leaf of every tree at points of atoms."""
        node, here = np.broadcast_to(self.root, (len(points), len(self.root))), np.arange(len(points))[:, None]
        cells = np.array([feature.cells for feature in self.features])
        while ((i := self.feature[node]) >= 0).any():
            atom = points[here, np.maximum(i, 0)]
            left = np.where(atom >= cells[i], self.missing_left[node] == 1, atom < self.prefix[node])
            node = np.where(i < 0, node, np.where(left, self.left[node], self.right[node]))
        return node
def runs_of(flags: FlagArray) -> list[tuple[int, bool]]:
    """The maximal runs of equal flags: where each ends, and the flag."""
    ends = [*(np.flatnonzero(np.diff(flags)) + 1).tolist(), len(flags)]
    return [(end, bool(flags[:end][-1:].all())) for end in ends]
# ------------------------------------------------------------------------------------------------ the certificate
WEIGHTS = {"model": str, "decision": (None, dict), "summation": {"sequential", "any"}, "shift": range(-1000, 1001),
           "band": range(2**57 + 1), "carrier": (None, range(2**31))}
KINDS: dict[str, Any] = {"explanation": {"claims": list, "prime": dict}, "rule": {"claims": list},
                         "radius": {"claims": list, "radius": dict}}
class CertificateFile:
    """The header and the blobs, and what they are about: features, the trees over their atoms, the vote."""

    def __init__(self, models: list[EnsembleFile], header: Record, blobs: list[bytes]) -> None:
        self.models, self.model, self.header, self.blobs = models, models[0], header, blobs
        need(header.model == self.model.digest, "the certificate is about another ensemble file")
        self.vote = LeafVote(self.model, header)
        self.features = [FeatureCells(models, x, f"feature {i}") for i, x in enumerate(header.features)]
        owners = sorted((column, i) for i, feature in enumerate(self.features) for column in feature.columns)
        need([c for c, _ in owners] == [*range(len(self.model.names))], "each column belongs to one feature")
        self.feature_of, self.trees = np.array([i for _, i in owners]), AtomTrees(self.features)
        self.add_trees()
        self.trees.finish()
    def add_trees(self) -> None:
        """The trees of the model; here, no knowledge."""
        known = self.header.clauses + self.header.orders + self.header.chains
        need(not known, "the certificate assumes rules or orders about rows: check_more.py checks that")
        self.trees.add_model(self.model, self.feature_of)
    def need_possible(self, points: IntArray, held: dict[int, FloatArray]) -> None:
        """Rows at points, which hold samples, or these numbers in some features, are possible; here, all else is."""
        for i, feature in enumerate(self.features):
            need((points[:, i] < feature.cells + feature.missing).all(), "a row has an atom that is not there")
            numbers = held.get(i, np.append(feature.samples[:, 0], math.nan)[points[:, i]])
            need(feature.can_be_cast(numbers), "a row has a number that is too large for the model")
    def read_box(self, value: Any, what: str) -> AtomBox:
        """Per restricted feature, which atoms a box allows."""
        exactly = self.header.kind in ("explanation", "rule", "shortest")
        places = {str(i): feature for i, feature in enumerate(self.features)}
        need(type(value) is dict and value.keys() <= places.keys(), f"{what} is not a mapping from features")
        return {i: f.read_literal(value[x], f"feature {x} of {what}", exactly=exactly)
                for i, (x, f) in enumerate(places.items()) if x in value}
    def read_row(self, value: Any, what: str) -> tuple[IntArray, FloatArray]:
        """A row, which must be possible: its atoms, and its numbers (NaN: missing)."""
        row = np.array(read(value, [(None, float)], what), dtype=np.float64)
        need(len(row) == len(self.model.names), f"{what} has a wrong length")
        atoms = np.array([feature.atom_of(row[feature.columns]) for feature in self.features])
        self.need_possible(atoms[None], {i: row[feature.columns[:1]] for i, feature in enumerate(self.features)})
        return atoms, row
    def decided_otherwise(self, points: IntArray, label: int) -> FlagArray:
        """Which points the library does not decide for a label."""
        return self.vote.shows_other(self.trees.origin[self.trees.leaves(points)[:, : self.vote.trees]], label)
    def describe_basis(self, known: list[str]) -> str:
        """What a confirmation assumes about rows, and what it trusts."""
        found = [
            f.describe(f.everything) if f.listed else f"{f.name} {in_range(f.low[0], f.high[-1])}{', whole' * f.whole}"
            for f in self.features if f.listed or f.whole or math.isfinite(f.low[0]) or math.isfinite(f.high[-1])]
        never, vote = ", ".join(f.name for f in self.features if not f.missing) or "none", self.vote
        found += [f"never missing: {never}" if any(f.missing for f in self.features) else "no value is missing", *known]
        trusted = "that the ensemble file is the model (primewood compared them when it read the model), that the "
        trusted += f"library adds IEEE floats in {'any order' if vote.any_order else 'the order of the trees'}, "
        if stated := self.header.decision:
            way = f"that {'minus ' * stated['negated']}output {stated['output']} is the score to decide by: "
            trusted += f"{way}{vote.say(range(vote.classes))}, "
        trusted += "that cuts on the score stand for the cut-offs they were made from, " * bool(vote.cuts)
        trusted += "that its softmax keeps scores apart that differ clearly, " * bool(vote.slack)
        return f"Assumes: {'; '.join(found)}.\nTrusts: {trusted}Python, numpy and this checker."
def read_header(raw: bytes, kinds: dict[str, Any]) -> tuple[Record, list[bytes]]:
    """The header of a certificate of one of some kinds, and its blobs."""
    line, _, rest = unpack(raw).partition(b"\n")
    need(len(line) <= MOST_HEADER, "the header is too long")
    shape = {"format": {"primewood certificate"}, "version": range(1, 2), "kind": str}
    kind = read(record := read_json(line, "the header"), shape, "the header", more=True).kind
    need(kind in kinds, f"certificates of kind {kind!r} are not checked here; check_more.py knows more kinds")
    shape |= {**WEIGHTS, "features": list, "clauses": list, "orders": list, "chains": list, **kinds[kind]}
    header = read(record, {**shape, "blobs": array(int, 0, MOST_BYTES)}, "the header")
    need(header.blobs.sum() == len(rest), "the blobs have wrong lengths")
    return header, [rest[a:b] for a, b in pairwise([0, *np.cumsum(header.blobs).tolist()])]
def unpack(raw: bytes) -> bytes:
    """The content of a gzip file of limited size."""
    try:
        content = (unpacker := zlib.decompressobj(wbits=31)).decompress(raw, MOST_BYTES)
    except zlib.error as problem:
        raise Rejected(f"not a gzip file: {problem}") from None
    need(unpacker.eof and not unpacker.unused_data, "the file is too long, or cut off")
    return content
def read_varints(blob: bytes) -> Iterator[int]:
    """Numbers in groups of 7 bits, the lowest first."""
    number = shift = 0
    for byte in blob:
        number, shift = number | (byte & 127) << shift, shift + 7
        need(byte < 128 or shift < 63, "a number is too long")
        if byte < 128:
            yield number
            number = shift = 0
    need(not shift, "a blob ends inside a number")
def take(code: Iterator[int], count: int) -> list[int]:
    """The next numbers of a blob."""
    found = [*islice(code, min(count, MOST_BYTES))]
    need(len(found) == count, "a blob ends early")
    return found
# ------------------------------------------------------------------------------------------------ pieces
FAR, NOTHING = 2**40, np.array([[-(2**40)], [-1], [0]])
"""Sets of ranks low..high, perhaps with missing, are columns (−low, high, missing). The smaller of two such numbers is
that of the common part, the larger one that of the hull, and in a part of a set no number is larger."""
def meet(a: IntArray, b: IntArray) -> IntArray:
    """What sets have in common."""
    both = np.minimum(a, b)
    both[:2, both[0] + both[1] < 0] = NOTHING[:2]
    return both
class ReachedBox:
    """A box in ranks, and the nodes that trees can reach in it: items."""

    # Of each item: its node, its tree, the item above, and the last leaf passed on the way (of trees that go on there).
    # `levels`: inner items with both children, or twice the only one. `entries`: restrictions (item, feature, set).
    def __init__(self, trees: AtomTrees, literals: AtomBox) -> None:
        inside = self.inside = [literals.get(i, feature.everything) for i, feature in enumerate(trees.features)]
        need(all(allowed.any() for allowed in inside), "a box allows nothing of a feature")
        self.size = np.array([np.count_nonzero(allowed[:-1]) for allowed in inside])
        whole = np.stack([0 * self.size, self.size - 1, [allowed[-1] for allowed in inside]])
        self.whole, offset = meet(whole, whole), np.cumsum([0, *map(len, inside)])[:-1]
        below = np.concatenate([np.append(0, np.cumsum(allowed[:-1])) for allowed in inside])
        split = below[offset[trees.feature] + trees.prefix]  # at leaves: of no use
        node, tree, (above, passed) = trees.root, np.arange(len(trees.root)), np.full((2, len(trees.root)), -1)
        entries, found, self.levels, begin = np.empty((5, 0), np.int64), list[Any](), list[Any](), 0
        while len(node):
            found.append((node, tree, above, passed, entries + begin * np.eye(5, 1, dtype=np.int64)))
            j, cut, left, owner = trees.feature[node], split[node], trees.missing_left[node], entries[0]
            here, span = j[owner] == entries[1], self.whole[:, j]
            span[:, owner[here]] = entries[2:, here]
            ways = [0 * cut, cut - 1, left], [-cut, 0 * cut + FAR, 1 - left]
            parts = [meet(span, np.stack(way)) for way in ways]
            goes = [np.flatnonzero((j >= 0) & (part[1] + part[2] >= 0)) for part in parts]
            kids, grown, item = np.full((2, len(node)), -1), [], begin + np.arange(len(node))
            for kid, on, part, place in zip(kids, goes, parts, (0, len(goes[0])), strict=True):
                kid[on] = place + np.arange(len(on))
                kept = entries[:, ~here & (kid[owner] >= 0)]
                less = on[(part[:, on] < self.whole[:, j[on]]).any(axis=0)]
                grown += [np.stack([kid[kept[0]], *kept[1:]]), np.stack([kid[less], j[less], *part[:, less]])]
            entries, begin = np.concatenate(grown, axis=1), begin + len(node)
            self.levels.append((item[j >= 0], begin + np.where(kids < 0, kids[::-1], kids)[:, j >= 0]))
            passed, on = np.where(trees.origin[node] >= 0, node, passed), np.concatenate(goes)
            node = np.concatenate([trees.left[node[goes[0]]], trees.right[node[goes[1]]]])
            tree, above, passed = tree[on], item[on], passed[on]
        self.node, self.tree, self.above, self.passed, self.entries = map(np.hstack, zip(*found, strict=True))
# ------------------------------------------------------------------------------------------------ proofs
def narrow(part: Record, j: int, c: int, first: bool) -> Record:
    """One of the two parts that `SPLIT j c` makes of a part of the box."""
    # It has the sets that it allows, which pieces are alive, and what these restrict (piece, feature, both, set).
    limit = [[0], [c - 1], [1]] if first == (c > 0) else [[-c], [FAR], [0]]  # with c = 0, missing comes second
    here, allowed, alive, entry = np.flatnonzero(part.entry[1] == j), *(x.copy() for x in vars(part).values())
    allowed[:, j : j + 1] = around = meet(allowed[:, j : j + 1], np.array(limit))
    entry[3:, here] = span = meet(entry[3:, here], around)
    alive[entry[0, here[span[1] + span[2] < 0]]] = False
    keep = alive[entry[0]]
    keep[here] &= (span < around).any(axis=0)
    return Record(allowed=allowed, alive=alive, entry=entry.compress(keep, axis=1))

class Proof:
    """That no row of a box reaches a goal: the usual case, of one rival against a label."""

    def __init__(self, file: CertificateFile, box: ReachedBox, pair: Any, unit: int, blob: Any, more: int = 0) -> None:
        self.file, self.trees, self.vote, self.box, self.pair, self.unit = file, file.trees, file.vote, box, pair, unit
        self.origin, self.forbidden = self.trees.origin[box.node], self.trees.forbidden[box.node]
        self.code, self.nodes, self.cells = read_varints(blob), 0, 0
        self.begin = np.cumsum([0, *(box.size + 1)])  # where atoms of features begin: ranks, then missing
        self.weigh()
        root, (count,), features, tree, feature, rows = self._find_pieces(), take(self.code, 1), len(box.size), 0, 0, []
        need(count < 2**20, "too many multipliers")
        for _ in range(count):
            step, own, a = take(self.code, 3)
            tree, feature = tree + step, own if step else feature + own
            need(feature < features and tree < len(self.trees.root), "a multiplier of what is not there")
            low, high = (a // 2 - 1, box.size[feature] - 1 - take(self.code, 1)[0]) if a >= 2 else (FAR, -1)
            need(a < 2 or low <= high, "a span is not one")
            rows.append((tree * features + feature, feature, -low, high, a % 2))
        table = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        self.key, self.feature, self.span = table[0], table[1], table[2:]
        # The nodes in preorder. What waits on the stack is a part of the box, and how the node is cut from it.
        stack: list[Any] = [(root, (0, FAR, True), np.zeros(count + more, dtype=np.int64))]
        while stack:
            whole, cut, state = stack.pop()
            part, self.nodes = narrow(whole, *cut), self.nodes + 1
            need(self.nodes <= MOST_NODES and len(stack) <= MOST_OPEN, "the proof is too long")
            while (step := take(self.code, 1)[0]) % 4 == 3 or step in (4, 5):
                state = self.change(step, state.copy())
            if step:
                self.close(step, part, state)
            else:
                j, c = take(self.code, 2)
                need(j < features, "no such feature")
                stack += [(part, (j, c, False), state), (part, (j, c, True), state)]
        need(not [*self.code], "something follows the proof")
    def weigh(self) -> None:
        """Find the weights of items that are leaves, and their goal."""
        weight, self.goal = self.vote.margin(*self.pair)
        self.weight = np.where(self.origin >= 0, (weight + self.vote.bands)[self.origin], 0)
        need(abs(self.weight).max() < 2**61, "weights are too large")
    def find_alike(self, a: IntArray, b: IntArray) -> FlagArray:
        """Which leaves a and b, as items, are alike: they weigh the same, and the comparison reads the same numbers."""
        vote, alike = self.vote, (self.weight[a] == self.weight[b]) & (self.forbidden[a] == self.forbidden[b])
        if vote.band:
            own, value = np.flatnonzero(alike & (self.origin[a] >= 0)), vote.value
            value = value if vote.cuts or vote.slack else value[:, self.pair]
            alike[own] = (value[self.origin[a[own]]] == value[self.origin[b[own]]]).all(axis=1)
        return np.asarray(alike)
    def _find_pieces(self) -> Record:
        """The whole box with its pieces: leaves, and forks whose two parts are alike; each has one of their leaves."""
        box, single = self.box, np.where(self.trees.feature[self.box.node] < 0, np.arange(len(self.box.node)), -1)
        for item, kids in reversed(box.levels):
            both = np.flatnonzero((single[kids] >= 0).all(axis=0))
            both = both[self.find_alike(*single[kids[:, both]])]
            single[item[both]] = single[kids[0, both]]
        top = (single >= 0) & ((box.above < 0) | (single[box.above] < 0)) & ~self.forbidden[single]
        piece, place = np.flatnonzero(top)[np.argsort(box.tree[top], kind="stable")], np.full(len(single), -1)
        place[piece] = np.arange(len(piece))
        item, feature, *span = box.entries[:, place[box.entries[0]] >= 0]
        key = box.tree[item] * len(box.size) + feature
        entry = np.stack([place[item], feature, key, *span])[:, np.argsort(key, kind="stable")]
        self.item, self.tree = single[piece], box.tree[piece]
        return Record(allowed=box.whole, alive=np.ones(len(piece), dtype=bool), entry=entry)
    def change(self, step: int, state: IntArray) -> IntArray:
        """Change multipliers."""
        need(step % 4 == 3, f"an unknown step {step}")
        gap, change = np.array(take(self.code, 2 * take(self.code, 1)[0]), dtype=np.int64).reshape(-1, 2).T
        where, scale, w = np.cumsum(gap), 2 * (step // 4), state[: len(self.key)]
        need(not len(where) or ((np.diff(where) > 0).all() and where[-1] < len(w)), "no such multiplier")
        need((change < 2**45 >> scale).all(), "a change is too large")
        w[where] += np.where(change % 2 == 1, -(change + 1) // 2, change // 2) << scale
        need((w >= 0).all() and (w < 2**44).all() and w.sum() < 2**53, "a multiplier is out of range")
        return state
    def close(self, step: int, part: Record, state: IntArray) -> None:
        """Close a node by its bound, or by the library's own sum."""
        need(step in (1, 2), f"an unknown step {step}")
        piece, weight, goal, over = self.find_left(part, state)
        tree, item, self.cells = self.tree[piece], self.item[piece], self.cells + (step == 2)
        first = np.flatnonzero(np.diff(tree, prepend=-1))
        if step == 2 and len(piece):
            need(self.find_alike(item, item[first][tree]).all(), "not a single cell")
            self.decide_cell(item[first])
        elif len(piece):  # sums are a multiple of the grain below the top
            heaviest = np.maximum.reduceat(weight, first)
            top, grain = sum(heaviest.tolist()) - goal, int(np.gcd.reduce(heaviest[tree] - weight))
            target = top % grain if grain else top
            need(top < 0 or over < target, f"a bound is too high by {over - target + 1}")
    def find_left(self, part: Record, state: IntArray) -> tuple[IntArray, IntArray, int, int]:
        """The pieces that are not idle (none: there is no row), their weights and goal, and the bound less it."""
        piece, goal = np.flatnonzero(part.alive), self.goal
        tree, weight = self.tree[piece], self.weight[self.item[piece]]
        first, nothing = np.flatnonzero(np.diff(tree, prepend=-1)), (piece[:0], weight[:0], goal, -1)
        empty = len(first) < len(self.trees.root) or (part.allowed[1] + part.allowed[2] < 0).any()
        if empty or sum(np.maximum.reduceat(weight, first).tolist()) < goal:
            return nothing  # there is a tree without a piece, or a feature without an atom, or no sum is enough
        charge, paid = self._charge_and_pay(part, state)
        need(int(charge.max()) * self.unit < 2**62, "charges are too large")
        best = np.maximum.reduceat(worth := weight - charge[piece] * self.unit, first)
        over = sum(best.tolist()) + self.pay_best(part, state, paid) - goal
        left = best[tree] - worth <= min(over, 2**63 - 1)
        return (piece[left], weight[left], goal, over) if over >= 0 else nothing
    def pay_best(self, _: Record, __: IntArray, paid: IntArray) -> int:
        """What the best paid atoms of all features are paid together."""
        return self.unit * int(np.maximum.reduceat(paid, self.begin[:-1]).sum())
    def _charge_and_pay(self, part: Record, state: IntArray) -> tuple[IntArray, IntArray]:
        """What each piece is charged, and what atoms are paid."""
        key, on = part.entry[2], np.flatnonzero(state[: len(self.key)])
        a, b = np.searchsorted(key, self.key[on], "left"), np.searchsorted(key, self.key[on], "right")
        on, a, size = on[b > a], a[b > a], (b - a)[b > a]
        charge, flow = np.zeros(len(part.alive), np.int64), np.zeros(self.begin[-1] + 1, np.int64)
        begin, k, j = np.cumsum(size) - size, np.repeat(np.arange(len(on)), size), self.feature[on]
        span = part.entry[3:, e := np.arange(len(k)) - np.repeat(begin - a, size)]
        holds = (span <= self.span[:, on[k]]).all(axis=0)
        hull = np.maximum.reduceat(np.where(holds, span, NOTHING), begin, axis=1)
        amount = state[on] * ((hull > NOTHING).any(axis=0) & (hull < part.allowed[:, j]).any(axis=0))
        np.add.at(charge, part.entry[0, e[holds]], amount[k[holds]])
        end, missing = self.begin[j] + hull[1] + 1, self.begin[j + 1] - 1
        np.add.at(flow, [np.minimum(self.begin[j] - hull[0], end), missing], [amount, amount * hull[2]])
        np.subtract.at(flow, [end, missing + 1], [amount, amount * hull[2]])  # without ranks, this is in vain
        return charge, np.cumsum(flow)[:-1]
    def decide_cell(self, item: IntArray) -> None:
        """The library's own sum decides for the label where trees end in these leaves."""
        need(not self.vote.any_order, "a cell cannot be closed by a sum in any order")
        scores = self.vote.scores(self.origin[item][None, : self.vote.trees])[0]
        need(self.vote.prefers(scores, *self.pair), "a cell gets a different decision")
# ------------------------------------------------------------------------------------------------ claims
def check_claim(file: CertificateFile, record: Any) -> tuple[AtomBox, list[int], int, int]:
    """That every row of a box gets one of some decisions; returns these, and how much was checked."""
    vote, classes = file.vote, range(file.vote.classes)
    claim = read(record, {"decided": array(int, 0, vote.classes - 1, distinct=True), "box": file.read_box,
                          "proofs": [[classes, classes, range(1, 2**61 + 1), range(len(file.blobs))]]}, "a claim")
    box, decided, nodes, cells = ReachedBox(file.trees, claim.box), claim.decided.tolist(), 0, 0
    left = {*classes} - {*decided}
    for label, rival, unit, blob in claim.proofs:
        need(abs(label - rival) == 1 if vote.cuts else label != rival, "a proof is about a class that is not a rival")
        left -= {c for c in classes if c == rival or (vote.cuts and (c > rival) == (rival > label))}  # and beyond a cut
        proof = Proof(file, box, [label, rival], unit, file.blobs[blob])
        nodes, cells = nodes + proof.nodes, cells + proof.cells
    need(not left, "a decision is not excluded")
    return claim.box, decided, nodes, cells
def check_prime(file: CertificateFile, box: AtomBox, label: int) -> tuple[str, int]:
    """That no literal of a box can be relaxed; returns this in words, and the number of witnesses."""
    features, some = file.features, array(int, 0, len(file.features) - 1, distinct=True)
    shape = {"language": {"sets", "intervals", "values"}, "row": file.read_row, "fixed": some, "numbers": some}
    prime = read(file.header.prime, {**shape, "bases": range(MOST_BYTES), "blob": range(len(file.blobs))}, "prime")
    (row, _), blob, wanted = prime.row, file.blobs[prime.blob], list[tuple[int, int | None]]()
    need(all(allowed[row[i]] for i, allowed in box.items()), "the row is not in the box")
    for i, allowed in box.items():
        cells, single_run = np.flatnonzero(allowed[:-1]), prime.language == "intervals" and features[i].ordered
        outside: list[Any] = np.flatnonzero(features[i].everything & ~allowed).tolist()
        if single_run and len(cells):
            need(cells[-1] - cells[0] < len(cells), "a literal is not an interval")
            outside = [atom for atom in outside if atom in (cells[0] - 1, cells[-1] + 1, features[i].cells)]
        elif outside and (single_run or prime.language == "values"):
            outside = [None]  # one atom, which the blob chooses
        wanted += [(i, atom) for atom in outside if i not in prime.fixed]
    need((end := len(blob) - 8 * len(wanted) * len(prime.numbers)) >= 0, "the witnesses end early")
    code, points = read_varints(blob[:end]), np.empty((len(wanted), len(row)), dtype=np.int64)
    bases = read_points(file, code, prime.bases, row)
    for k, (i, atom) in enumerate(wanted):
        need((base := take(code, 1)[0]) < len(bases), "no such witness")
        points[k] = bases[base]
        points[k, i] = take(code, 1)[0] if atom is None else atom
    need(not [*code], "something follows the witnesses")
    where = np.array([i for i, _ in wanted])
    stated = np.frombuffer(blob[end:], "<f8").reshape(len(wanted), len(prime.numbers)).T
    held = dict(zip(prime.numbers.tolist(), stated, strict=True))
    file.need_possible(points, held)
    for i, feature in enumerate(features):
        inside = box.get(i, feature.everything)[points[:, i]]
        need((inside == (where != i)).all(), "a witness is outside in another feature")
    for i, x in held.items():
        low, high = (np.append(ends, math.nan)[points[:, i]] for ends in (features[i].low, features[i].high))
        fits = features[i].fits(x, low, high) | np.isnan(low) & np.isnan(x)
        need(fits.all() and not features[i].listed, "a witness has a number outside its cell, or a category's")
    need(file.decided_otherwise(points, label).all(), "a witness is decided like the row")
    many, given = len({*where.tolist()}), ", given the fixed features" * bool(len(prime.fixed))
    cannot = "The condition cannot" if many == 1 else f"None of the {many} conditions can"
    shown = "1 row shows" if len(wanted) == 1 else f"{len(wanted)} rows show"
    return f"{cannot} be relaxed{given} ({prime.language}): {shown} it.", len(wanted)
def read_points(file: CertificateFile, code: Iterator[int], count: int, row: IntArray) -> list[IntArray]:
    """Points, each by the features in which it differs from a row."""
    points = []
    for _ in range(count):
        point, i = row.copy(), -1
        for _ in range(*take(code, 1)):
            step, atom = take(code, 2)
            need(step or i < 0, "a feature is named twice")
            need((i := max(i, 0) + step) < len(point) and file.features[i].everything[atom:][:1].any(), "no such atom")
            point[i] = atom
        points.append(point)
    return points
def check_radius(file: CertificateFile, box: AtomBox, decided: list[int]) -> list[str]:
    """That a box holds every row within a distance of a row; returns this in words."""
    radius = read(file.header.radius, {"row": file.read_row, "norm": {"linf"}, "distance": float, "scales": numbers,
                                       "witness": (None, file.read_row)}, "radius")
    (atoms, row), scales, distance = radius.row, radius.scales, Fraction(radius.distance)
    need(distance >= 0 and len(scales) == len(row) and (scales >= 0).all(), "a distance or a scale is below 0")
    for i, feature in enumerate(file.features):
        column, allowed = feature.columns[0], box.get(i, feature.everything)
        need(allowed[atoms[i]] and not (feature.listed and scales[feature.columns].any()), "the row leaves the box")
        if not feature.listed and atoms[i] < feature.cells:
            x, reach = Fraction(row[column]), distance * Fraction(scales[column])
            near = (feature.high.astype(object) >= x - reach) & (feature.low.astype(object) <= x + reach)
            need(allowed[:-1][near.astype(bool)].all(), "the box is smaller than the radius")
    if radius.witness is not None:
        point, witness = radius.witness
        same = (row == witness) | np.isnan(row) & np.isnan(witness)
        need((same | (scales > 0) & ~np.isnan(row - witness)).all(), "the witness moves a fixed column")
        need(len(decided) == 1 and file.decided_otherwise(point[None], decided[0]), "the witness is decided alike")
    given = ", ".join(f"{name} = {x}" + f" (/ {s})" * (s not in (0, 1)) + " (stays)" * (s == 0)
                      for name, x, s in zip(file.model.names, row.tolist(), scales.tolist(), strict=True))
    return [f"That covers every row in which each number is at most {radius.distance} away from this one: {given}.",
            *["A row beyond that gets a different decision."] * (radius.witness is not None)]
@dataclass
class Confirmed:
    """What was confirmed: in words, and how much was checked."""

    text: str
    nodes: int
    cells: int
    witnesses: int
    def __str__(self) -> str:
        parts = ((self.nodes, "node"), (self.cells, "cell"), (self.witnesses, "row"))
        return f"Confirmed ({', '.join(f'{n} {what}' + 's' * (n != 1) for n, what in parts)}).\n{self.text}"
    def to_dict(self) -> dict[str, object]:
        """The same in plain types."""
        return {"confirmed": True, **vars(self)}
def check_claims(file: CertificateFile, known: list[str]) -> tuple[Confirmed, AtomBox, list[int]]:
    """Check the claims of a certificate, and what it adds to them; also returns the first claim."""
    kind, shown, found = file.header.kind, 0, [check_claim(file, claim) for claim in file.header.claims]
    need(len(found) == 1 or (found and kind == "rule"), "a wrong number of claims")
    lines = [f"For every row{where(file, box)}, this model decides {file.vote.say(own)}." for box, own, *_ in found]
    box, decided, *_ = found[0]
    if kind == "radius":
        lines += check_radius(file, box, decided)
    elif kind != "rule":
        need(len(decided) == 1, "an explanation is of one decision")
        words, shown = check_prime(file, box, decided[0])
        lines.append(words)
    nodes, cells = sum(x[2] for x in found), sum(x[3] for x in found)
    return Confirmed("\n".join([*lines, file.describe_basis(known)]), nodes, cells, shown), box, decided

@np.errstate(all="ignore")
def check(model: EnsembleFile, raw: bytes) -> Confirmed:
    """Check a certificate; raises `Rejected` with the first condition that does not hold."""
    return check_claims(CertificateFile([model], *read_header(raw, KINDS)), [])[0]
# ------------------------------------------------------------------------------------------------ words
def where(file: CertificateFile, box: AtomBox) -> str:
    """A box in words."""
    return " with " * bool(box) + " and ".join(file.features[i].describe(allowed) for i, allowed in box.items())
def in_range(low: float, high: float) -> str:
    """A closed interval in words."""
    words = [f"from {low} to {high}", f"<= {high}", f">= {low}", "any number"][math.isinf(low) + 2 * math.isinf(high)]
    return f"= {low}" if low == high else words
def main(arguments: list[str], run: Any = check) -> int:
    """Check the files that are named: 0 if the claims are confirmed, 1 if not, 2 if there is nothing to check."""
    try:
        if len(arguments) < 2:
            raise OSError(f"usage: python {sys.argv[0]} ensemble.json certificate")
        *models, certificate = (Path(name).read_bytes() for name in arguments)
        print(run(*map(EnsembleFile, models), certificate))
    except Rejected as problem:
        print(f"Not confirmed: {problem}")
        return 1
    except (OSError, UnicodeError) as problem:  # a file cannot be read, or a name not be printed
        print(problem, file=sys.stderr)
        return 2
    return 0
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
