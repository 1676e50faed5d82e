"""The second checker of certificates: ensembles, weights, rows and knowledge."""

from __future__ import annotations

import itertools
import json
import math
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

Atom = int | str
Allowed = frozenset[Atom]
Name = int | tuple[int, int]
MISSING = "missing"
POSSIBLE, FORBIDDEN = -1, -2
LARGEST = sys.float_info.max


class Rejected(Exception):
    """The certificate breaks a rule."""


def must(condition: bool, reason: str) -> None:
    """Reject unless the condition holds."""
    if not condition:
        raise Rejected(reason)


# Reading JSON


def integer(x: Any, low: int | None = None, high: int | None = None) -> int:
    """An integer from low to high."""
    if type(x) is not int or (low is not None and x < low) or (high is not None and x > high):
        raise Rejected(f"not an integer in range: {x!r:.40}")
    return x


def number(x: Any, infinite: bool = False) -> float:
    """A finite float64, or also the texts "inf" and "-inf"."""
    if infinite and type(x) is str and x in ("inf", "-inf"):
        return float(x)
    must(type(x) in (int, float), f"not a number: {x!r:.40}")
    must(math.isfinite(float(x)), "a number is not finite")
    return float(x)


def boolean(x: Any) -> bool:
    """A boolean."""
    must(type(x) is bool, f"not a boolean: {x!r:.40}")
    return bool(x)


def array(x: Any, length: int | None = None) -> list[Any]:
    """A list, of a given length if there is one."""
    if type(x) is not list or (length is not None and len(x) != length):
        raise Rejected("not a list of the right length")
    return x


def fields(x: Any, *names: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    if type(x) is not dict or set(x) != set(names):
        raise Rejected(f"not an object with the fields {', '.join(names)}")
    return x


def listed(x: Any, high: int) -> list[int]:
    """A list of integers from 0 to high that names nothing twice."""
    result = [integer(k, 0, high) for k in array(x)]
    must(len(set(result)) == len(result), "a list names something twice")
    return result


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless a field is repeated."""
    must(len(dict(pairs)) == len(pairs), "a field is repeated")
    return dict(pairs)


def no_constant(text: str) -> None:
    """Reject NaN and Infinity."""
    raise Rejected(f"not JSON: {text}")


def decode(data: bytes) -> Any:
    """Strict JSON."""
    return json.loads(data.decode("utf-8"), parse_constant=no_constant, object_pairs_hook=unique)


# Floating point


def key(x: float) -> int:
    """The position of a float64 among all float64 numbers; 0 for both zeros."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def unkey(k: int) -> float:
    """The float64 at a position."""
    x: float = struct.unpack("<d", struct.pack("<q", abs(k)))[0]
    return x if k >= 0 else -x


def least(low: float, high: float, holds: Callable[[float], bool]) -> float | None:
    """The least float64 from low to high for which a monotone condition holds."""
    if not holds(high):
        return None
    a, b = key(low), key(high)
    while a < b:
        middle = (a + b) // 2
        if holds(unkey(middle)):
            b = middle
        else:
            a = middle + 1
    return unkey(a)


def below(x: float) -> float:
    """The largest float64 below x."""
    return math.nextafter(x, -math.inf)


# The ensemble


@dataclass
class Leaf:
    """A leaf: the node of a model's tree (of two trees, a pair), or POSSIBLE or FORBIDDEN."""

    name: Name


@dataclass
class Test:
    """A test of a feature: which of its cells go left, and whether a missing value does."""

    feature: int
    cells: list[bool]
    missing: bool
    left: Node
    right: Node


Node = Leaf | Test


class Model:
    """An ensemble, with the decision that a certificate is about."""

    def __init__(self, data: dict[str, Any], decision: Any) -> None:
        """Read an ensemble file and the decision that replaces its own, if any."""
        must(data["format"] == "primewood ensemble" and integer(data["version"]) == 1, "not an ensemble")
        self.columns = len(array(data["feature_names"]))
        must(self.columns > 0, "no columns")
        must(data["operator"] in ("<=", "<"), "unknown operator")
        must(data["dtype"] in ("float32", "float64"), "unknown dtype")
        must(data["precision"] in ("float32", "float64"), "unknown precision")
        self.strict: bool = data["operator"] == "<"
        self.single: bool = data["dtype"] == "float32"
        self.limit = LARGEST
        if self.single:
            overflow = least(0.0, LARGEST, lambda x: math.isinf(float(np.float32(x))))
            assert overflow is not None
            self.limit = below(overflow)
        self.precision = np.float32 if data["precision"] == "float32" else np.float64
        self.labels: list[Any] | None = array(data["classes"])
        classes = len(self.labels)
        self.cuts: list[float] | None = None
        if data["cuts"] is not None and array(data["cuts"]):
            self.cuts = [number(x, infinite=True) for x in array(data["cuts"], classes - 1)]
        outputs = classes if self.cuts is None else 1
        start = [0.0] * outputs
        if data["start"] is not None and array(data["start"]):
            start = [number(x) for x in array(data["start"], outputs)]
        self.trees: list[dict[str, Any]] = [self.tree(tree) for tree in array(data["trees"])]
        self.count = count = len(self.trees)
        must(count > 0, "no trees: where no leaf is inexact, the start would be rounded unseen")
        must(type(data["vote"]) is str and type(data["link"]) is str, "vote and link must be texts")
        majority = data["vote"] == "majority"
        self.groups = [(integer(n, 1), number(w)) for n, w in array(data["groups"])]
        if not self.groups or majority:
            self.groups = [(1, 1.0)] * count
        must(sum(size for size, _ in self.groups) == count, "the groups do not divide the trees")
        self.divisor = float(len(self.groups)) if data["divisor"] is None else number(data["divisor"])
        self.divisor = 1.0 if data["vote"] == "sum" else self.divisor
        must(self.divisor > 0, "the divisor is not positive")
        sign, taken = 1.0, list(range(outputs))
        if decision is not None:
            fields(decision, "output", "negated", "cuts", "labels")
            taken = [integer(decision["output"], 0, outputs - 1)]
            sign = -1.0 if boolean(decision["negated"]) else 1.0
            self.cuts = [number(x) for x in array(decision["cuts"])]
            must(len(self.cuts) > 0, "a decision needs a cut")
            self.labels = None
            if decision["labels"] is not None:
                self.labels = array(decision["labels"], len(self.cuts) + 1)
        self.classes = classes if self.cuts is None else len(self.cuts) + 1
        if self.cuts is not None:
            must(all(a < b for a, b in zip(self.cuts, self.cuts[1:], strict=False)), "cuts do not ascend")
        self.slack = Fraction(0)
        self.softmax = False
        self.link = data["link"]
        if self.cuts is None:
            must(data["link"] in ("identity", "softmax", "softmax32"), "unknown link")
            self.softmax = data["link"] != "identity"
            must(
                data["link"] != "softmax32" or (self.precision is np.float32 and self.divisor == 1),
                "softmax32 without float32, or with a divisor",
            )
            self.slack = {"softmax": Fraction(1, 2**47), "softmax32": Fraction(1, 2**19)}.get(
                data["link"], Fraction(0)
            )
        self.start = [sign * start[o] for o in taken]
        group_of = [g for g, (size, _) in enumerate(self.groups) for _ in range(size)]
        self.group_of = group_of
        # v and a of each leaf of each tree, and v of the nodes that are no leaves
        self.v: list[dict[int, list[float]]] = []
        self.a: list[dict[int, list[float]]] = []
        self.others: list[list[float]] = []
        for t, tree in enumerate(self.trees):
            size, weight = self.groups[group_of[t]]
            self.v.append({})
            self.a.append({})
            for n, column in enumerate(tree["feature"]):
                row = [number(x) for x in array(tree["value"][n], outputs)]
                if majority:
                    row = [1.0 if o == row.index(max(row)) else 0.0 for o in range(outputs)]
                row = [sign * row[o] for o in taken]
                if size == 1:
                    row = [x * weight for x in row]
                if column != -1:
                    self.others.append(row)
                    continue
                scaled = row if size == 1 else [x * (weight / size) for x in row]
                self.v[t][n], self.a[t][n] = row, scaled
        self.outputs = len(taken)
        self.must_stay_in_range()

    def tree(self, data: dict[str, Any]) -> dict[str, Any]:
        """The tests of one tree, checked."""
        nodes = len(array(data["feature"]))
        must(nodes > 0, "a tree without nodes")
        for name in ("threshold", "left", "right", "missing_left", "value"):
            array(data[name], nodes)
        array(data["sets"])
        bounds: list[list[float] | None] = []
        for n, column in enumerate(data["feature"]):
            bounds.append(None)
            number(data["threshold"][n], infinite=True)
            boolean(data["missing_left"][n])
            integer(data["left"][n], -1)
            integer(data["right"][n], -1)
            if integer(column, -1, self.columns - 1) == -1:
                continue
            integer(data["left"][n], n + 1, nodes - 1)
            integer(data["right"][n], n + 1, nodes - 1)
            which = -1 if data["set_of"] is None else integer(array(data["set_of"], nodes)[n], -1)
            if which == -1:
                bounds[n] = [number(data["threshold"][n], infinite=True)]
            else:
                bounds[n] = [number(x, infinite=True) for x in array(data["sets"][which])]
        inner = [n for n in range(nodes) if data["feature"][n] != -1]
        children = [data[side][n] for n in inner for side in ("left", "right")]
        must(len(set(children)) == len(children), "a node with two parents")
        return {**data, "bounds": bounds}

    def must_stay_in_range(self) -> None:
        """Reject a model whose arithmetic leaves the range in which the rules of weights are sound."""
        info = np.finfo(self.precision)
        rows = [*self.others, *(row for tree in self.v for row in tree.values())]
        values = [*self.start, *(x for row in rows for x in row)]
        must(
            all(math.isfinite(x) and float(self.precision(x)) == x for x in values),
            "not numbers of the precision",
        )
        values += [x for tree in self.a for row in tree.values() for x in row]
        must(all(math.isfinite(x) for x in values), "a leaf is not finite")
        share = Fraction(float(info.max)) / (4 * (self.count + 1))
        must(
            all(abs(Fraction(x)) <= min(Fraction(1), Fraction(self.divisor)) * share for x in values),
            "sums may overflow",
        )
        for size, weight in self.groups:
            if size > 1 and weight != 0:
                must(float(self.precision(weight)) == weight, "a weight is not a number of the precision")
                must(abs(weight / size) >= float(info.tiny), "the weight of a group is too small")
                must(abs(Fraction(weight)) <= share, "the weight of a group is too large")
        self.total = max(
            abs(Fraction(x)) + sum(self.highest(t, o) for t in range(self.count))
            for o, x in enumerate(self.start)
        )
        for cut in self.cuts or []:
            must(-LARGEST / self.divisor < cut <= LARGEST / self.divisor, "a cut is not reachable")

    def highest(self, t: int, o: int) -> Fraction:
        """M(t, o)."""
        return max(abs(Fraction(x[o])) for x in self.a[t].values())

    def cast(self, x: float) -> float:
        """A number as the tests see it."""
        return float(np.float32(x)) if self.single else x

    def beyond(self, x: float, bound: float) -> bool:
        """Whether a number is beyond a bound, that is, not sent left by this threshold."""
        z = self.cast(x)
        return not z < bound if self.strict else not z <= bound

    def goes_left(self, t: int, n: int, x: float) -> bool:
        """Whether a node sends a number, or NaN, left."""
        tree = self.trees[t]
        if math.isnan(x):
            return bool(tree["missing_left"][n])
        beyond = sum(self.beyond(x, bound) for bound in tree["bounds"][n])
        return beyond % 2 == 1 if tree["set_of"] is not None and tree["set_of"][n] != -1 else beyond == 0

    def leaves(self, row: list[float]) -> list[int]:
        """The leaf that a row reaches in each tree."""
        reached = []
        for t, tree in enumerate(self.trees):
            n = 0
            while tree["feature"][n] != -1:
                left = self.goes_left(t, n, row[tree["feature"][n]])
                n = tree["left"][n] if left else tree["right"][n]
            reached.append(n)
        return reached

    def scores(self, leaves: list[int]) -> list[float]:
        """The library's scores at these leaves, added in its order."""
        cast = self.precision
        scores = []
        for o in range(self.outputs):
            total = cast(self.start[o])
            t = 0
            for size, weight in self.groups:
                part = cast(0)
                for _ in range(size):
                    part = cast(part + cast(self.v[t][leaves[t]][o]))
                    t += 1
                if size > 1:
                    part = cast(cast(part / cast(size)) * cast(weight))
                total = cast(total + part)
            scores.append(float(total) / self.divisor)
        return scores

    def decide(self, scores: list[float]) -> int:
        """The class with these scores."""
        if self.cuts is not None:
            return sum(scores[0] >= cut for cut in self.cuts)
        return scores.index(max(scores))

    def decided(self, scores: list[float]) -> int | None:
        """The class with these scores; None if a softmax may round it to another one."""
        if self.softmax and len(scores) > 1:
            first, second = sorted(map(Fraction, scores), reverse=True)[:2]
            if first - second <= self.slack:
                return None
        return self.decide(scores)

    def prefers(self, scores: list[float], label: int, rival: int) -> bool:
        """Whether these scores prefer the label to the rival, whatever a softmax rounds."""
        if self.cuts is not None:
            side = self.decide(scores)
            return side <= label if rival > label else side >= label
        ahead = Fraction(scores[label]) - Fraction(scores[rival])
        return (ahead > 0 or (ahead == 0 and label < rival)) and not (
            self.softmax and abs(ahead) <= self.slack
        )

    def rivals(self, label: int) -> list[int]:
        """The rivals of a label: all other classes, or with cuts the neighbours."""
        if self.cuts is None:
            return [r for r in range(self.classes) if r != label]
        return [r for r in (label - 1, label + 1) if 0 <= r < self.classes]


# Weights


@dataclass
class Margin:
    """What a proof bounds: the library prefers the rival to the label only where N >= threshold."""

    row: int
    label: int
    rival: int
    base: int
    threshold: int
    weights: list[dict[Name, int]]  # per tree of the models; leaves of knowledge weigh 0


class Weights:
    """The integer weights of the leaves."""

    def __init__(self, model: Model, data: dict[str, Any]) -> None:
        """Check summation, shift, band and carrier."""
        must(data["summation"] in ("sequential", "any"), "unknown summation")
        self.any_order: bool = data["summation"] == "any"
        shift, band, carrier = integer(data["shift"]), integer(data["band"], 0, 2**57), data["carrier"]
        if carrier is not None:
            integer(carrier, 0, model.count - 1)
        single = model.precision is np.float32
        must(-1000 <= shift <= (149 if single else 1000), "shift is out of range")
        self.model, self.band, self.carrier = model, band, carrier
        self.scale = scale = Fraction(2) ** shift
        count = model.count
        top = [[model.highest(t, o) for t in range(count)] for o in range(model.outputs)]
        start = [abs(Fraction(x)) for x in model.start]
        cuts = 0 if model.cuts is None else len(model.cuts)
        must(model.total * scale * max(1, cuts) <= 2**58, "shift is too large for the sum")
        must(Fraction(model.divisor) * scale <= 2**1074, "shift is too large for the divisor")
        smallest = Fraction(1, 2 ** (149 if single else 1074))
        for size, weight in model.groups:
            must(
                size == 1 or abs(Fraction(weight)) * smallest * scale <= 1,
                "shift is too large for the weight of a group",
            )
        bits = 10 if single else 20

        def multiple(x: float) -> bool:
            return Fraction(x) % Fraction(1, 2**bits) == 0

        shared = (
            all(multiple(x) for x in model.start)
            and model.total < (2**13 if single else 2**25)
            and shift >= bits
            and not model.softmax
        )
        self.exact = [
            {
                n: shared and model.groups[model.group_of[t]][0] == 1 and all(map(multiple, x))
                for n, x in v.items()
            }
            for t, v in enumerate(model.v)
        ]
        self.witness_band = 0
        if all(e for tree in self.exact for e in tree.values()):
            return
        u = Fraction(1, 2**24 if single else 2**53)
        errors = []
        for o in range(model.outputs):
            units = [math.ceil(x * scale) for x in top[o]]
            groups = [
                sorted((units[t] for t in range(count) if model.group_of[t] == g), reverse=True)
                for g in range(len(model.groups))
            ]
            last = math.ceil(start[o] * scale)
            sums = 0
            for m in sorted((sum(group) for group in groups if sum(group)), reverse=True):
                last += m
                sums += last
            inner = 0
            for group in groups:
                if len(group) > 1:
                    inner += sum(sum(group[: k + 1]) for k in range(len(group))) + 2 * sum(group)
            whole = sums + inner + 2 * last + (last if model.divisor != 1 else 0)
            errors.append(whole * u * (1 + 4 * count * u))
        factor = 1 if model.cuts is None else 2
        slack = model.slack * Fraction(model.divisor) * scale
        needed = factor * (math.ceil(2 * max(errors) + slack) + 3 * count + 2)
        must(band >= needed, "band is too small")
        self.witness_band = needed + factor * count

    def q(self, x: float) -> int:
        """A number in units, rounded to nearest, ties to even."""
        return round(Fraction(x) * self.scale)

    def comparison(self, label: int, rival: int) -> tuple[int, int, list[dict[int, int]]]:
        """Base, threshold and the weights of the leaves without the band."""
        model = self.model
        if model.cuts is None:
            raw = [{n: self.q(x[rival]) - self.q(x[label]) for n, x in tree.items()} for tree in model.a]
            return self.q(model.start[rival]) - self.q(model.start[label]), int(rival > label), raw
        cut = model.cuts[min(label, rival)]
        reach = least(-LARGEST, LARGEST, lambda x: x / model.divisor >= cut)
        if reach is None:
            raise Rejected("no score reaches the cut")
        c = math.ceil(Fraction(reach) * self.scale)
        sign = 1 if rival > label else -1
        raw = [{n: sign * 2 * self.q(x[0]) for n, x in tree.items()} for tree in model.a]
        return sign * (2 * self.q(model.start[0]) + 1 - 2 * c), int(rival > label), raw

    def margin(self, label: int, rival: int, row: int = 0) -> Margin:
        """The margin of a rival over a label, with the band."""
        base, threshold, raw = self.comparison(label, rival)
        weights: list[dict[Name, int]] = [
            {n: x + (self.band if self.carries(t, n) else 0) for n, x in tree.items()}
            for t, tree in enumerate(raw)
        ]
        return Margin(row, label, rival, base, threshold, weights)

    def carries(self, t: int, n: int) -> bool:
        """Whether a leaf carries the band."""
        return not self.exact[t][n] if self.carrier is None else t == self.carrier

    def shows_other(self, row: list[float], label: int) -> bool:
        """Whether a row gets a different decision, or with any order of sums the rule does not show the label."""
        model = self.model
        leaves = model.leaves(row)
        decided = model.decided(model.scores(leaves))
        shown = decided is not None and decided != label
        if self.any_order and not shown:
            band = 0 if all(self.exact[t][n] for t, n in enumerate(leaves)) else self.witness_band
            for rival in model.rivals(label):
                base, threshold, raw = self.comparison(label, rival)
                shown |= base + sum(raw[t][n] for t, n in enumerate(leaves)) + band >= threshold
        return shown


# Features, cells and boxes


class Feature:
    """A feature, its cells and their samples."""

    def __init__(self, data: Any, models: list[Model]) -> None:
        """Read a feature and divide it into cells."""
        self.numeric = type(data) is dict and "values" not in data
        names = ("whole", "low", "high", "cuts") if self.numeric else ("values", "ordered")
        fields(data, "columns", "missing", *names)
        self.columns = listed(data["columns"], models[0].columns - 1)
        must(len(self.columns) > 0, "a feature without columns")
        self.missing = boolean(data["missing"])
        self.limit = min(model.limit for model in models)
        self.whole, self.low, self.high = False, -math.inf, math.inf
        self.intervals: list[tuple[float, float]] = []
        self.samples: list[tuple[float, ...]] = []
        if not self.numeric:
            self.ordered = boolean(data["ordered"])
            for value in array(data["values"]):
                self.samples.append(tuple(number(x) for x in array(value, len(self.columns))))
            must(all(abs(x) <= self.limit for value in self.samples for x in value), "a value is not finite")
            must(len(set(self.samples)) == len(self.samples), "a value is listed twice")
            must(self.missing or len(self.samples) > 0, "a feature that allows nothing")
            return
        self.ordered = True
        must(len(self.columns) == 1, "a numeric feature has one column")
        self.whole = boolean(data["whole"])
        self.low = -math.inf if data["low"] is None else number(data["low"])
        self.high = math.inf if data["high"] is None else number(data["high"])
        own = [number(x) for x in array(data["cuts"])]
        ends = [x for x in (self.low, self.high) if math.isfinite(x)]
        must(not self.whole or all(x == math.floor(x) for x in ends), "a bound is not whole")
        must(self.low <= self.high, "a feature that allows no number")
        self.cut([b for model in models for b in self.boundaries(model)] + own)

    def boundaries(self, model: Model) -> list[float]:
        """The boundaries of the model's tests of this column."""
        result = []
        for tree in model.trees:
            for n, column in enumerate(tree["feature"]):
                if column != self.columns[0]:
                    continue
                for bound in tree["bounds"][n]:
                    if not model.beyond(-model.limit, bound):
                        b = least(-model.limit, model.limit, partial(model.beyond, bound=bound))
                        result += [] if b is None else [b]
        return result

    def cut(self, boundaries: list[float]) -> None:
        """Make the cells of a numeric feature."""
        if self.whole:
            boundaries = [float(math.ceil(b)) for b in boundaries]
        nearest = self.low if self.low > 0 else self.high if self.high < 0 else 0.0
        inner = sorted({b for b in boundaries if self.low < b <= self.high})
        lows = [self.low, *inner]
        for k, low in enumerate(lows):
            high = self.high
            if k + 1 < len(lows):
                b = lows[k + 1]
                high = min(below(b), b - 1.0) if self.whole else below(b)
            self.intervals.append((low, high))
            sample = low if k > 0 else high if inner else nearest
            self.samples.append((sample,))

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return len(self.samples) + int(self.missing)

    def allows(self, held: tuple[float, ...]) -> bool:
        """Whether the feature allows these numbers (NaN: missing)."""
        if all(math.isnan(x) for x in held):
            return self.missing
        if not self.numeric:
            return held in self.samples
        x = held[0]
        return abs(x) <= self.limit and self.low <= x <= self.high and (not self.whole or x == math.floor(x))

    def atom(self, held: tuple[float, ...]) -> int:
        """The atom of numbers that the feature allows."""
        if all(math.isnan(x) for x in held):
            return len(self.samples)
        if not self.numeric:
            return self.samples.index(held)
        inside = [k for k, (low, high) in enumerate(self.intervals) if low <= held[0] <= high]
        must(len(inside) == 1, "a number lies in no cell")
        return inside[0]

    def next_number(self, x: Fraction) -> float | None:
        """The least number that may be held, from x on; the feature's own ends aside."""
        x = max(x, -Fraction(self.limit))
        x = Fraction(math.ceil(x)) if self.whole else x
        if x > Fraction(self.limit):
            return None
        near = float(x)
        return near if Fraction(near) >= x else math.nextafter(near, math.inf)


class Literal:
    """What a box allows of one feature."""

    def __init__(self, data: Any, feature: Feature) -> None:
        """Read a literal."""
        self.feature = feature
        fields(data, "runs" if feature.numeric else "values", "missing")
        self.missing = boolean(data["missing"])
        must(feature.missing or not self.missing, "a literal allows missing, the feature does not")
        self.runs: list[tuple[float, float]] = []
        if feature.numeric:
            for a, b in array(data["runs"]):
                low = feature.low if a is None else number(a)
                high = feature.high if b is None else number(b)
                must(low <= high, "an empty run")
                self.runs.append((low, high))
            self.cells = [
                k
                for k, (low, high) in enumerate(feature.intervals)
                if any(max(a, low) <= min(b, high) for a, b in self.runs)
            ]
        else:
            self.cells = sorted(listed(data["values"], len(feature.samples) - 1))

    def has(self, held: tuple[float, ...]) -> bool:
        """Whether it allows the atom of numbers that the feature allows."""
        return self.has_atom(self.feature.atom(held))

    def has_atom(self, atom: int) -> bool:
        """Whether an atom is in it."""
        return atom in self.cells if atom < len(self.feature.samples) else self.missing

    def must_keep_cells_whole(self) -> None:
        """Reject unless each cell lies wholly inside or wholly outside each run."""
        for a, b in self.runs:
            for low, high in self.feature.intervals:
                must((a <= low and high <= b) or high < a or b < low, "a run divides a cell")


Box = dict[int, Literal]


def read_box(data: Any, features: list[Feature]) -> Box:
    """Read a box."""
    must(type(data) is dict, "a box is not an object")
    box = {}
    for name, literal in data.items():
        must(name.isascii() and name.isdigit() and str(int(name)) == name, "a box names no feature")
        j = integer(int(name), 0, len(features) - 1)
        box[j] = Literal(literal, features[j])
        must(len(box[j].cells) > 0 or box[j].missing, "a box allows nothing of a feature")
    return dict(sorted(box.items()))


# Knowledge


@dataclass
class Order:
    """One feature is at most another one plus constants."""

    lower: int
    upper: int
    constants: list[float]
    strict: bool

    def holds(self, x: float, y: float) -> bool:
        """Whether two numbers are in order."""
        for constant in self.constants:
            y = y + constant
        return x < y if self.strict else x <= y


class World:
    """The features, and what is known about rows."""

    def __init__(self, header: dict[str, Any], models: list[Model]) -> None:
        """Read features, whose cells are cut by all models' tests, and knowledge."""
        self.model = models[0]
        self.features = [Feature(data, models) for data in array(header["features"])]
        columns = sorted(c for feature in self.features for c in feature.columns)
        must(columns == list(range(self.model.columns)), "features do not divide the columns")
        self.clauses: list[Box] = []
        for clause in array(header["clauses"]):
            fields(clause, "text", "forbidden")
            must(type(clause["text"]) is str, "a text is not a text")
            pairs = [array(pair, 2) for pair in array(clause["forbidden"])]
            named = listed([j for j, _ in pairs], len(self.features) - 1)
            must(len(named) > 0, "a clause without features")
            literals = {j: Literal(data, self.features[j]) for j, data in pairs}
            for literal in literals.values():
                literal.must_keep_cells_whole()
            self.clauses.append(literals)
        self.orders = [self.order(data) for data in array(header["orders"])]
        self.chains: list[list[Order]] = []
        for chain in array(header["chains"]):
            must(len(array(chain)) > 0, "an empty chain")
            orders = [self.orders[integer(k, 0, len(self.orders) - 1)] for k in chain]
            must(all(a.upper == b.lower for a, b in itertools.pairwise(orders)), "a chain is broken")
            self.chains.append(orders)

    def trees(self, model: Model, moved: dict[int, int]) -> list[Node]:
        """The trees of a model, over cells of features, some of which are moved to another index."""
        return [self.model_tree(model, t, moved) for t in range(model.count)]

    def knowledge(self, moved: dict[int, int]) -> list[Node]:
        """The trees of knowledge: each clause, then each chain that forbids anything."""
        trees = [self.clause_tree(clause, moved) for clause in self.clauses]
        chains = [self.chain_tree(chain, moved) for chain in self.chains]
        return trees + [tree for tree in chains if tree is not None]

    def named(self) -> set[int]:
        """The features that a clause or an order names."""
        ends = {j for order in self.orders for j in (order.lower, order.upper)}
        return ends | {j for clause in self.clauses for j in clause}

    def order(self, data: Any) -> Order:
        """Read an order."""
        fields(data, "text", "lower", "upper", "constants", "strict")
        must(type(data["text"]) is str, "a text is not a text")
        lower, upper = (integer(data[end], 0, len(self.features) - 1) for end in ("lower", "upper"))
        must(lower != upper, "an order of a feature with itself")
        must(self.features[lower].numeric and self.features[upper].numeric, "an order of a listed feature")
        constants = [number(x) for x in array(data["constants"])]
        return Order(lower, upper, constants, boolean(data["strict"]))

    def model_tree(self, model: Model, t: int, moved: dict[int, int]) -> Node:
        """A tree of a model, over cells."""
        tree = model.trees[t]
        place = {c: (j, i) for j, f in enumerate(self.features) for i, c in enumerate(f.columns)}
        nodes: dict[int, Node] = {}
        for n in reversed(range(len(tree["feature"]))):
            if tree["feature"][n] == -1:
                nodes[n] = Leaf(n)
                continue
            j, i = place[tree["feature"][n]]
            cells = [model.goes_left(t, n, sample[i]) for sample in self.features[j].samples]
            left, right = nodes[tree["left"][n]], nodes[tree["right"][n]]
            nodes[n] = Test(moved.get(j, j), cells, bool(tree["missing_left"][n]), left, right)
        return nodes[0]

    def clause_tree(self, clause: Box, moved: dict[int, int]) -> Node:
        """The tree of a clause."""
        node: Node = Leaf(FORBIDDEN)
        for j, literal in reversed(clause.items()):
            cells = [k in literal.cells for k in range(len(self.features[j].samples))]
            node = Test(moved.get(j, j), cells, literal.missing, node, Leaf(POSSIBLE))
        return node

    def chain_tree(self, chain: list[Order], moved: dict[int, int]) -> Node | None:
        """The tree of a chain of orders, or None if it forbids nothing."""
        i, j = chain[0].lower, chain[-1].upper
        constants = [c for order in reversed(chain) for c in order.constants]
        first = next((k for k, order in enumerate(chain) if order.strict), None)
        strict = first is not None and not any(c for order in chain[:first] for c in order.constants)
        whole = Order(i, j, constants, strict)
        lower, upper = self.features[i].intervals, self.features[j].intervals
        n = [sum(not whole.holds(v[0], w[1]) for w in upper) for v in lower]
        if not any(n):
            return None
        s = [v for v in range(len(n)) if v == 0 or n[v] != n[v - 1]]

        def balanced(p: int, q: int) -> Node:
            if q - p == 1:
                low = [w < n[s[p]] for w in range(len(upper))]
                return Test(moved.get(j, j), low, False, Leaf(FORBIDDEN), Leaf(POSSIBLE))
            m = (p + q) // 2
            below_m = [v < s[m] for v in range(len(n))]
            return Test(moved.get(i, i), below_m, False, balanced(p, m), balanced(m, q))

        node = balanced(0, len(s))
        for f in reversed([i] + [order.upper for order in chain[:-1]]):
            node = Test(moved.get(f, f), [False] * len(self.features[f].samples), True, Leaf(POSSIBLE), node)
        return node

    def row(self, data: Any) -> list[float]:
        """Read a row, null for NaN."""
        return [math.nan if x is None else number(x) for x in array(data, self.model.columns)]

    def held(self, row: list[float], j: int) -> tuple[float, ...]:
        """What a row holds in a feature."""
        return tuple(row[c] for c in self.features[j].columns)

    def atoms(self, row: list[float]) -> list[int]:
        """The atoms of a row that the features allow."""
        return [feature.atom(self.held(row, j)) for j, feature in enumerate(self.features)]

    def sample(self, point: list[int]) -> list[float]:
        """The row of samples at these atoms."""
        row = [math.nan] * self.model.columns
        for atom, feature in zip(point, self.features, strict=True):
            if atom < len(feature.samples):
                for column, x in zip(feature.columns, feature.samples[atom], strict=True):
                    row[column] = x
        return row

    def inside(self, row: list[float], box: Box) -> bool:
        """Whether a row is in a box."""
        return all(literal.has(self.held(row, j)) for j, literal in box.items())

    def must_be_possible(self, row: list[float]) -> None:
        """Reject unless a row is possible."""
        for j, feature in enumerate(self.features):
            must(feature.allows(self.held(row, j)), "a row holds something that a feature does not allow")
        must(not any(self.inside(row, clause) for clause in self.clauses), "a row violates a clause")
        for order in self.orders:
            x, y = self.held(row, order.lower)[0], self.held(row, order.upper)[0]
            must(math.isnan(x) or math.isnan(y) or order.holds(x, y), "a row violates an order")
