"""A second, slow checker of certificates in exact fractions, written from
docs/reference/certificates.md alone."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import struct
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

Atom = int | str
Allowed = frozenset[Atom]
Piece = tuple[int, dict[int, Allowed]]
MISSING = "missing"
POSSIBLE, FORBIDDEN = -1, -2
LARGEST = sys.float_info.max
FOREIGN = (ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RecursionError)
MALFORMED = (TypeError, ValueError, struct.error, zlib.error)


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
    """A leaf: the node of a model's tree, or POSSIBLE or FORBIDDEN."""

    number: int


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
        classes = len(array(data["classes"]))
        self.cuts: list[float] | None = None
        if data["cuts"]:
            self.cuts = [number(x, infinite=True) for x in array(data["cuts"], classes - 1)]
        outputs = classes if self.cuts is None else 1
        start = [0.0] * outputs
        if data["start"]:
            start = [number(x) for x in array(data["start"], outputs)]
        self.trees: list[dict[str, Any]] = [self.tree(tree) for tree in array(data["trees"])]
        count = len(self.trees)
        must(type(data["vote"]) is str and type(data["link"]) is str, "vote and link must be texts")
        majority = data["vote"] == "majority"
        self.groups = [(integer(n, 1), number(w)) for n, w in array(data["groups"] or [])]
        if not self.groups or majority:
            self.groups = [(1, 1.0)] * count
        must(sum(size for size, _ in self.groups) == count, "the groups do not divide the trees")
        self.divisor = 1.0
        if data["vote"] != "sum":
            self.divisor = float(len(self.groups)) if data["divisor"] is None else number(data["divisor"])
        must(self.divisor > 0, "the divisor is not positive")
        sign, taken = 1.0, list(range(outputs))
        if decision is not None:
            fields(decision, "output", "negated", "cuts")
            taken = [integer(decision["output"], 0, outputs - 1)]
            sign = -1.0 if boolean(decision["negated"]) else 1.0
            self.cuts = [number(x) for x in array(decision["cuts"])]
            must(len(self.cuts) > 0, "a decision needs a cut")
        self.classes = classes if self.cuts is None else len(self.cuts) + 1
        if self.cuts is not None:
            must(all(a < b for a, b in zip(self.cuts, self.cuts[1:], strict=False)), "cuts do not ascend")
        self.slack = Fraction(0)
        self.softmax = False
        if self.cuts is None:
            must(data["link"] in ("identity", "softmax", "softmax32"), "unknown link")
            self.softmax = data["link"] != "identity"
            must(data["link"] != "softmax32" or self.precision is np.float32, "softmax32 without float32")
            self.slack = {"softmax": Fraction(1, 2**47), "softmax32": Fraction(1, 2**19)}.get(
                data["link"], Fraction(0)
            )
        self.start = [sign * start[o] for o in taken]
        group_of = [g for g, (size, _) in enumerate(self.groups) for _ in range(size)]
        self.group_of = group_of
        # v and a of each leaf of each tree
        self.v: list[dict[int, list[float]]] = []
        self.a: list[dict[int, list[float]]] = []
        for t, tree in enumerate(self.trees):
            size, weight = self.groups[group_of[t]]
            self.v.append({})
            self.a.append({})
            for n, column in enumerate(tree["feature"]):
                if column != -1:
                    continue
                row = [number(x) for x in array(tree["value"][n], outputs)]
                if majority:
                    row = [1.0 if o == row.index(max(row)) else 0.0 for o in range(outputs)]
                row = [sign * row[o] for o in taken]
                if size == 1:
                    row = [x * weight for x in row]
                self.v[t][n] = row
                self.a[t][n] = row if size == 1 else [x * (weight / size) for x in row]
        self.outputs = len(taken)
        self.must_stay_in_range()

    def tree(self, data: dict[str, Any]) -> dict[str, Any]:
        """The tests of one tree, checked."""
        nodes = len(array(data["feature"]))
        must(nodes > 0, "a tree without nodes")
        for name in ("threshold", "left", "right", "missing_left", "value"):
            array(data[name], nodes)
        bounds: list[list[float] | None] = []
        for n, column in enumerate(data["feature"]):
            bounds.append(None)
            if integer(column, -1, self.columns - 1) == -1:
                continue
            integer(data["left"][n], n + 1, nodes - 1)
            integer(data["right"][n], n + 1, nodes - 1)
            boolean(data["missing_left"][n])
            which = -1 if data["set_of"] is None else integer(array(data["set_of"], nodes)[n], -1)
            if which == -1:
                bounds[n] = [number(data["threshold"][n], infinite=True)]
            else:
                bounds[n] = [number(x, infinite=True) for x in array(data["sets"][which])]
        return {**data, "bounds": bounds}

    def must_stay_in_range(self) -> None:
        """Reject a model whose arithmetic leaves the range in which the rules of weights are sound."""
        largest = Fraction(float(np.finfo(self.precision).max)) / 4
        values = [*self.start, *(x for tree in self.v for row in tree.values() for x in row)]
        must(
            all(math.isfinite(x) and float(self.precision(x)) == x for x in values),
            "not numbers of the precision",
        )
        must(
            all(math.isfinite(x) for tree in self.a for row in tree.values() for x in row),
            "a leaf is not finite",
        )
        self.total = max(
            abs(Fraction(x)) + sum(self.highest(t, o) for t in range(len(self.trees)))
            for o, x in enumerate(self.start)
        )
        must(self.total <= largest and self.total / Fraction(self.divisor) <= largest, "scores may overflow")

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

    def decides_other(self, scores: list[float], label: int) -> bool:
        """Whether these scores give another class than the label, whatever a softmax rounds."""
        if self.softmax and len(scores) > 1:
            first, second = sorted(map(Fraction, scores), reverse=True)[:2]
            if first - second <= self.slack:
                return False
        return self.decide(scores) != label

    def rivals(self, label: int) -> list[int]:
        """The classes that a claim about a label must exclude."""
        if self.cuts is None:
            return [r for r in range(self.classes) if r != label]
        return [r for r in (label - 1, label + 1) if 0 <= r < self.classes]


# Weights


class Weights:
    """The integer weights of the leaves."""

    def __init__(self, model: Model, shift: int, band: int, carrier: int | None) -> None:
        """Check shift and band."""
        single = model.precision is np.float32
        must(-1000 <= shift <= (149 if single else 1000), "shift is out of range")
        self.model, self.band, self.carrier = model, band, carrier
        self.scale = scale = Fraction(2) ** shift
        count = len(model.trees)
        top = [[model.highest(t, o) for t in range(count)] for o in range(model.outputs)]
        start = [abs(Fraction(x)) for x in model.start]
        must(all(x * scale <= 2**52 for row in top for x in row), "shift is too large for a leaf")
        must(all(x * scale <= 2**52 for x in start), "shift is too large for the start")
        cuts = 0 if model.cuts is None else len(model.cuts)
        must(model.total * scale * max(1, cuts) <= 2**58, "shift is too large for the sum")
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

    def with_band(self, raw: list[dict[int, int]]) -> list[dict[int, int]]:
        """The weights of the leaves with the band."""
        result: list[dict[int, int]] = []
        for t, tree in enumerate(raw):
            result.append({})
            for n, weight in tree.items():
                carries = not self.exact[t][n] if self.carrier is None else t == self.carrier
                result[t][n] = weight + self.band if carries else weight
        return result


# Features, cells and boxes


class Feature:
    """A feature, its cells and their samples."""

    def __init__(self, data: Any, model: Model) -> None:
        """Read a feature and divide it into cells."""
        self.numeric = type(data) is dict and "values" not in data
        names = ("whole", "low", "high", "cuts") if self.numeric else ("values", "ordered")
        fields(data, "columns", "missing", *names)
        self.columns = [integer(c, 0, model.columns - 1) for c in array(data["columns"])]
        must(len(self.columns) > 0, "a feature without columns")
        self.missing = boolean(data["missing"])
        self.limit = model.limit
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
        must(all(abs(x) <= self.limit for x in own + ends), "a number of a feature is not finite")
        must(not self.whole or all(x == math.floor(x) for x in ends), "a bound is not whole")
        must(self.low <= self.high, "a feature that allows no number")
        self.cut(self.boundaries(model) + own)

    def boundaries(self, model: Model) -> list[float]:
        """The boundaries of the model's tests of this column."""
        result = []
        for tree in model.trees:
            for n, column in enumerate(tree["feature"]):
                if column != self.columns[0]:
                    continue
                for bound in tree["bounds"][n]:
                    if not model.beyond(-self.limit, bound):
                        b = least(-self.limit, self.limit, partial(model.beyond, bound=bound))
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
        self.values: set[int] = set()
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
            self.values = {integer(k, 0, len(feature.samples) - 1) for k in array(data["values"])}
            self.cells = sorted(self.values)
        must(len(self.cells) > 0 or self.missing, "a literal that allows nothing")

    def has(self, held: tuple[float, ...]) -> bool:
        """Whether it allows numbers that the feature allows."""
        if all(math.isnan(x) for x in held):
            return self.missing
        if not self.feature.numeric:
            return self.feature.atom(held) in self.values
        return any(a <= held[0] <= b for a, b in self.runs)

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
    """The features, what is known about rows, and all trees."""

    def __init__(self, header: dict[str, Any], model: Model) -> None:
        """Read features and knowledge, and build the trees over cells."""
        self.model = model
        self.features = [Feature(data, model) for data in array(header["features"])]
        columns = sorted(c for feature in self.features for c in feature.columns)
        must(columns == list(range(model.columns)), "features do not divide the columns")
        self.clauses = []
        for clause in array(header["clauses"]):
            fields(clause, "text", "forbidden")
            must(type(clause["text"]) is str, "a text is not a text")
            pairs = [array(pair, 2) for pair in array(clause["forbidden"])]
            listed = [integer(j, 0, len(self.features) - 1) for j, _ in pairs]
            must(len(set(listed)) == len(listed) > 0, "a clause without features, or with one twice")
            literals = {j: Literal(data, self.features[j]) for j, data in pairs}
            for literal in literals.values():
                literal.must_keep_cells_whole()
            self.clauses.append(literals)
        self.orders = [self.order(data) for data in array(header["orders"])]
        self.trees: list[Node] = [self.model_tree(t) for t in range(len(model.trees))]
        self.trees += [self.clause_tree(clause) for clause in self.clauses]
        for chain in array(header["chains"]):
            must(len(array(chain)) > 0, "an empty chain")
            tree = self.chain_tree([self.orders[integer(k, 0, len(self.orders) - 1)] for k in chain])
            self.trees += [] if tree is None else [tree]

    def order(self, data: Any) -> Order:
        """Read an order."""
        fields(data, "text", "lower", "upper", "constants", "strict")
        must(type(data["text"]) is str, "a text is not a text")
        lower, upper = (integer(data[end], 0, len(self.features) - 1) for end in ("lower", "upper"))
        must(lower != upper, "an order of a feature with itself")
        must(self.features[lower].numeric and self.features[upper].numeric, "an order of a listed feature")
        constants = [number(x) for x in array(data["constants"])]
        return Order(lower, upper, constants, boolean(data["strict"]))

    def model_tree(self, t: int) -> Node:
        """A tree of the model, over cells."""
        tree = self.model.trees[t]
        place = {c: (j, i) for j, f in enumerate(self.features) for i, c in enumerate(f.columns)}
        nodes: dict[int, Node] = {}
        for n in reversed(range(len(tree["feature"]))):
            if tree["feature"][n] == -1:
                nodes[n] = Leaf(n)
                continue
            j, i = place[tree["feature"][n]]
            cells = [self.model.goes_left(t, n, sample[i]) for sample in self.features[j].samples]
            left, right = nodes[tree["left"][n]], nodes[tree["right"][n]]
            nodes[n] = Test(j, cells, bool(tree["missing_left"][n]), left, right)
        return nodes[0]

    def clause_tree(self, clause: Box) -> Node:
        """The tree of a clause."""
        node: Node = Leaf(FORBIDDEN)
        for j, literal in reversed(clause.items()):
            cells = [k in literal.cells for k in range(len(self.features[j].samples))]
            node = Test(j, cells, literal.missing, node, Leaf(POSSIBLE))
        return node

    def chain_tree(self, chain: list[Order]) -> Node | None:
        """The tree of a chain of orders, or None if it forbids nothing."""
        must(all(a.upper == b.lower for a, b in itertools.pairwise(chain)), "a chain is broken")
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
                return Test(j, low, False, Leaf(FORBIDDEN), Leaf(POSSIBLE))
            m = (p + q) // 2
            return Test(i, [v < s[m] for v in range(len(n))], False, balanced(p, m), balanced(m, q))

        node = balanced(0, len(s))
        for f in reversed([i] + [order.upper for order in chain[:-1]]):
            node = Test(f, [False] * len(self.features[f].samples), True, Leaf(POSSIBLE), node)
        return node

    def row(self, data: Any) -> list[float]:
        """Read a row, null for NaN."""
        return [math.nan if x is None else number(x) for x in array(data, self.model.columns)]

    def held(self, row: list[float], j: int) -> tuple[float, ...]:
        """What a row holds in a feature."""
        return tuple(row[c] for c in self.features[j].columns)

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


# Proofs


class Reader:
    """The numbers of a blob."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
        self.data, self.place = data, 0

    def number(self) -> int:
        """An unsigned number."""
        result = 0
        for k in range(9):
            must(self.place < len(self.data), "a blob ends early")
            byte = self.data[self.place]
            self.place += 1
            result |= (byte & 127) << (7 * k)
            if byte < 128:
                return result
        raise Rejected("a number of more than 9 bytes")

    def signed(self) -> int:
        """A signed number."""
        x = self.number()
        return x // 2 if x % 2 == 0 else -(x + 1) // 2

    def float64(self) -> float:
        """Eight bytes, a float64."""
        must(self.place + 8 <= len(self.data), "a blob ends early")
        self.place += 8
        return float(struct.unpack("<d", self.data[self.place - 8 : self.place])[0])

    def must_end(self) -> None:
        """Reject unless all bytes are read."""
        must(self.place == len(self.data), "a blob goes on after its end")


class Proof:
    """The proof that no row of a box is given to one rival of a label."""

    def __init__(
        self, world: World, weights: Weights, box: Box, label: int, rival: int, any_order: bool
    ) -> None:
        """Make the pieces."""
        self.world, self.model, self.label, self.rival = world, world.model, label, rival
        self.any_order, self.no_band = any_order, weights.band == 0
        self.base, self.threshold, raw = weights.comparison(label, rival)
        self.weights = weights.with_band(raw)
        self.rank: list[dict[int, int]] = []
        self.root: list[Allowed] = []
        for j, feature in enumerate(world.features):
            cells = box[j].cells if j in box else list(range(len(feature.samples)))
            missing = box[j].missing if j in box else feature.missing
            self.rank.append({cell: rank for rank, cell in enumerate(cells)})
            self.root.append(frozenset([*range(len(cells)), *([MISSING] if missing else [])]))
            must(len(self.root[j]) > 0, "a box allows nothing of a feature")
        self.pieces: list[list[Piece]] = []
        for t, tree in enumerate(world.trees):
            self.pieces.append([piece for piece in self.walk(t, tree, {}) if piece[0] != FORBIDDEN])

    def weight(self, t: int, leaf: int) -> int:
        """The weight of a leaf."""
        return self.weights[t][leaf] if t < len(self.weights) else 0

    def alike(self, t: int, one: int, two: int) -> bool:
        """Whether two leaves of a tree need not be told apart."""
        if t >= len(self.weights):
            return one == two
        if self.weight(t, one) != self.weight(t, two):
            return False
        a, b = self.model.v[t][one], self.model.v[t][two]
        if self.model.cuts is None and not self.model.softmax:
            return self.no_band or all(a[o] == b[o] for o in (self.label, self.rival))
        return self.no_band or a == b

    def walk(self, t: int, node: Node, path: dict[int, Allowed]) -> list[Piece]:
        """The pieces of what is below a node."""
        if isinstance(node, Leaf):
            return [(node.number, path)]
        j, rank = node.feature, self.rank[node.feature]
        runs: list[tuple[bool, set[Atom]]] = []
        for cell, left in enumerate(node.cells):
            if not runs or runs[-1][0] != left:
                runs.append((left, set()))
            if cell in rank:
                runs[-1][1].add(rank[cell])
        home = [run for left, run in runs if left == node.missing]
        if home:
            home[0].add(MISSING)
        else:
            runs.append((node.missing, {MISSING}))
        now = path.get(j, self.root[j])
        kept = [(node.left if left else node.right, now & run) for left, run in runs if now & run]
        if len(kept) == 1:
            return self.walk(t, kept[0][0], path)
        child, rest = kept[-1]
        pieces = self.walk(t, child, {**path, j: rest})
        for index in reversed(range(len(kept) - 1)):
            child, part = kept[index]
            first = self.walk(t, child, {**path, j: part})
            rest = rest | part
            if len(first) == 1 and len(pieces) == 1 and self.alike(t, first[0][0], pieces[0][0]):
                pieces = [(first[0][0], path if index == 0 else {**path, j: rest})]
            else:
                pieces = first + pieces
        return pieces

    def read_multipliers(self, reader: Reader) -> None:
        """Read the table of multipliers."""
        self.multipliers: list[tuple[int, int, Allowed]] = []
        count = reader.number()
        must(count < 2**20, "too many multipliers")
        tree, feature = 0, 0
        for _ in range(count):
            step = reader.number()
            feature = reader.number() + (feature if step == 0 else 0)
            tree += step
            must(tree < len(self.pieces) and feature < len(self.root), "a multiplier of nothing")
            a = reader.number()
            span: list[Atom] = [MISSING] if a % 2 == 1 else []
            if a >= 2:
                low, high = a // 2 - 1, len(self.rank[feature]) - 1 - reader.number()
                must(low <= high, "a span without ranks")
                span += range(low, high + 1)
            self.multipliers.append((tree, feature, frozenset(span)))

    def check(self, blob: bytes, unit: int) -> tuple[int, int]:
        """Check the body; the number of nodes, and of those that the library's own sum closed."""
        reader = Reader(blob)
        self.read_multipliers(reader)
        nodes, cells = 0, 0
        todo: list[tuple[list[Allowed], dict[int, int], list[list[Piece]]]] = [(self.root, {}, self.pieces)]
        while todo:
            must(len(todo) <= 2**12, "too many open nodes")
            nodes += 1
            must(nodes <= 2**24, "too many nodes")
            allowed, w, pieces = todo.pop()
            w = dict(w)
            alive = [[piece for piece in tree if self.alive(piece, allowed)] for tree in pieces]
            code = reader.number()
            while code % 4 == 3:
                self.change(reader, w, code // 4)
                must(sum(w.values()) < 2**53, "multipliers are too large")
                code = reader.number()
            if code == 0:
                first, second = self.split(reader, allowed)
                todo += [(second, w, alive), (first, w, alive)]
            elif code == 1:
                must(self.bound(allowed, w, alive, unit), "a bound does not close its node")
            elif code == 2:
                self.must_be_won(allowed, alive)
                cells += 1
            else:
                raise Rejected("unknown code")
        reader.must_end()
        return nodes, cells

    def change(self, reader: Reader, w: dict[int, int], k: int) -> None:
        """Change multipliers."""
        i = 0
        for index in range(reader.number()):
            gap, d = reader.number(), reader.signed()
            must(index == 0 or gap >= 1, "a multiplier is changed twice")
            i += gap
            must(i < len(self.multipliers), "no such multiplier")
            must(d == 0 or k < 32, "a multiplier is too large")
            w[i] = w.get(i, 0) + (d * 4**k if d else 0)
            must(0 <= w[i] < 2**44, "a multiplier is out of range")

    def split(self, reader: Reader, allowed: list[Allowed]) -> tuple[list[Allowed], list[Allowed]]:
        """The two parts of a node."""
        j, c = reader.number(), reader.number()
        must(j < len(allowed), "no such feature")
        lost: Allowed = frozenset([MISSING])
        ranks = frozenset(a for a in allowed[j] if isinstance(a, int) and (c == 0 or a < c))
        one = ranks if c == 0 else ranks | (allowed[j] & lost)
        first, second = list(allowed), list(allowed)
        first[j], second[j] = one, allowed[j] - one
        return first, second

    def alive(self, piece: Piece, allowed: list[Allowed]) -> bool:
        """Whether a piece meets a node."""
        return all(not part.isdisjoint(allowed[j]) for j, part in piece[1].items())

    def bound(self, allowed: list[Allowed], w: dict[int, int], alive: list[list[Piece]], unit: int) -> bool:
        """Whether the bound closes a node."""
        if not all(allowed) or not all(alive):
            return True
        weights = [[self.weight(t, leaf) for leaf, _ in tree] for t, tree in enumerate(alive)]
        top = self.base + sum(max(tree) for tree in weights)
        if top < self.threshold:
            return True
        g = math.gcd(*(max(tree) - x for tree in weights for x in tree))
        theta = top if g == 0 else self.threshold + (top - self.threshold) % g
        charges = [[0 for _ in tree] for tree in alive]
        payments: list[dict[Atom, int]] = [dict.fromkeys(atoms, 0) for atoms in allowed]
        for i, amount in w.items():
            if amount == 0:
                continue
            t, j, span = self.multipliers[i]
            charged, hull = [], set[Atom]()
            for p, (_, path) in enumerate(alive[t]):
                if j in path and not allowed[j] <= path[j] and path[j] & allowed[j] <= span:
                    charged.append(p)
                    hull |= path[j] & allowed[j]
            ranks = [a for a in hull if isinstance(a, int)]
            if ranks:
                hull |= set(range(min(ranks), max(ranks) + 1))
            if not charged or hull == allowed[j]:
                continue
            for p in charged:
                charges[t][p] += amount
            for atom in hull:
                payments[j][atom] += amount
        must(all(unit * x < 2**62 for tree in charges for x in tree), "charges are too large")
        total = self.base + unit * sum(max(atoms.values()) for atoms in payments)
        for t, tree in enumerate(weights):
            total += max(x - unit * charges[t][p] for p, x in enumerate(tree))
        return total < theta

    def must_be_won(self, allowed: list[Allowed], alive: list[list[Piece]]) -> None:
        """Reject unless the library prefers the label to the rival in all of a node."""
        must(not self.any_order, "a sum in one order for claims about any order")
        for tree in alive:
            must(len(tree) == 1, "a cell in which a tree has not one piece")
            must(all(allowed[j] <= part for j, part in tree[0][1].items()), "a cell that a piece restricts")
        scores = self.model.scores([alive[t][0][0] for t in range(len(self.weights))])
        label, rival = self.label, self.rival
        if self.model.cuts is not None:
            side = self.model.decide(scores)
            must(side <= label if rival > label else side >= label, "a cell on the rival's side")
            return
        ahead = Fraction(scores[label]) - Fraction(scores[rival])
        must(ahead > 0 or (ahead == 0 and label < rival), "a cell that prefers the rival")
        must(not self.model.softmax or abs(ahead) > self.model.slack, "a cell that a softmax may round")


# Primeness and radius


def things_to_show(language: str, world: World, box: Box, fixed: set[int]) -> list[tuple[int, int | None]]:
    """The features and atoms outside the box that need a witness; None: an atom of choice."""
    things: list[tuple[int, int | None]] = []
    for j, literal in box.items():
        feature, cells = world.features[j], literal.cells
        literal.must_keep_cells_whole()
        interval = language == "intervals" and feature.ordered
        if interval and cells:
            must(cells == list(range(cells[0], cells[-1] + 1)), "a literal with more than one interval")
        if j in fixed:
            continue
        outside: Iterable[int] = [k for k in range(feature.atoms) if not literal.has_atom(k)]
        if language == "values" or (interval and not cells):
            things.append((j, None))
            continue
        if interval:
            near = (cells[0] - 1, cells[-1] + 1, len(feature.samples))
            outside = [k for k in outside if k in near]
        things += [(j, k) for k in outside]
    return things


def check_prime(
    data: Any, world: World, weights: Weights, box: Box, label: int, blobs: list[bytes], any_order: bool
) -> int:
    """Check that no literal can be relaxed; the number of witnesses."""
    fields(data, "language", "row", "fixed", "bases", "numbers", "blob")
    must(data["language"] in ("sets", "intervals", "values"), "unknown language")
    last = len(world.features) - 1
    fixed = {integer(j, 0, last) for j in array(data["fixed"])}
    numbers = [integer(j, 0, last) for j in array(data["numbers"])]
    must(all(world.features[j].numeric for j in numbers), "numbers of a listed feature")
    must(len(set(numbers)) == len(numbers), "numbers of a feature twice")
    row = world.row(data["row"])
    world.must_be_possible(row)
    must(world.inside(row, box), "the row is not in the box")
    things = things_to_show(data["language"], world, box, fixed)
    reader = Reader(blobs[integer(data["blob"], 0, len(blobs) - 1)])
    home = [feature.atom(world.held(row, j)) for j, feature in enumerate(world.features)]
    bases = []
    for _ in range(integer(data["bases"], 0)):
        point, j = list(home), 0
        for index in range(reader.number()):
            step = reader.number()
            must(index == 0 or step >= 1, "the features of a base do not ascend")
            j += step
            must(j <= last, "no such feature")
            point[j] = reader.number()
            must(point[j] < world.features[j].atoms, "no such atom")
        bases.append(point)
    points = []
    for j, given in things:
        index = reader.number()
        must(index < len(bases), "no such base")
        atom = reader.number() if given is None else given
        must(atom < world.features[j].atoms and not box[j].has_atom(atom), "an atom that is not outside")
        points.append([*bases[index][:j], atom, *bases[index][j + 1 :]])
    for (j, _), point in zip(things, points, strict=False):
        witness = [math.nan] * world.model.columns
        for f, feature in enumerate(world.features):
            if point[f] < len(feature.samples):
                for column, x in zip(feature.columns, feature.samples[point[f]], strict=False):
                    witness[column] = x
        for f in numbers:
            x, feature = reader.float64(), world.features[f]
            if point[f] == len(feature.samples):
                must(math.isnan(x), "a number where a value is missing")
            else:
                low, high = feature.intervals[point[f]]
                must(low <= x <= high, "a number outside its cell")
            witness[feature.columns[0]] = x
        world.must_be_possible(witness)
        for f, literal in box.items():
            must(literal.has(world.held(witness, f)) == (f != j), "a witness on the wrong side of the box")
        leaves = world.model.leaves(witness)
        shown = world.model.decides_other(world.model.scores(leaves), label)
        if any_order and not shown:
            band = 0 if all(weights.exact[t][n] for t, n in enumerate(leaves)) else weights.witness_band
            for rival in world.model.rivals(label):
                base, threshold, raw = weights.comparison(label, rival)
                shown |= base + sum(raw[t][n] for t, n in enumerate(leaves)) + band >= threshold
        must(shown, "a witness that is decided like the claim")
    reader.must_end()
    return len(points)


def check_radius(data: Any, world: World, box: Box, label: int) -> None:
    """Check that the box has all rows near the row."""
    fields(data, "row", "norm", "distance", "scales", "witness")
    must(data["norm"] == "linf", "unknown norm")
    row = world.row(data["row"])
    world.must_be_possible(row)
    must(world.inside(row, box), "the row is not in the box")
    distance = Fraction(number(data["distance"]))
    scales = [Fraction(number(x)) for x in array(data["scales"], world.model.columns)]
    must(distance >= 0 and all(x >= 0 for x in scales), "a negative distance")
    for j, feature in enumerate(world.features):
        if not feature.numeric:
            must(all(scales[c] == 0 for c in feature.columns), "a listed feature with a scale")
            continue
        x, reach = row[feature.columns[0]], distance * scales[feature.columns[0]]
        if reach == 0 or math.isnan(x) or j not in box:
            continue
        low, high = Fraction(x) - reach, Fraction(x) + reach
        low = max(low, Fraction(feature.low)) if math.isfinite(feature.low) else low
        high = min(high, Fraction(feature.high)) if math.isfinite(feature.high) else high
        now = feature.next_number(low)
        while now is not None and now <= high:
            ends = [b for a, b in box[j].runs if a <= now <= b]
            must(len(ends) > 0, "the box leaves out a number within the radius")
            if max(ends) >= high:
                break
            now = feature.next_number(Fraction(math.nextafter(max(ends), math.inf)))
    if data["witness"] is not None:
        witness = world.row(data["witness"])
        world.must_be_possible(witness)
        for c, (x, y) in enumerate(zip(row, witness, strict=False)):
            same = x == y or (math.isnan(x) and math.isnan(y))
            must(same or scales[c] > 0, "the witness differs where it must not")
        scores = world.model.scores(world.model.leaves(witness))
        must(world.model.decides_other(scores, label), "the witness is decided like the claim")


# The file


def unpack(certificate: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header and the blobs."""
    stream = zlib.decompressobj(wbits=31)
    content = stream.decompress(certificate, 2**28 + 1)
    must(len(content) <= 2**28, "the certificate is too large")
    must(stream.eof and not stream.unused_data, "not one whole gzip stream")
    line, newline, rest = content.partition(b"\n")
    must(newline == b"\n" and len(line) <= 2**26, "no header")
    header = fields(
        decode(line),
        *("format", "version", "kind", "model", "decision", "summation", "shift", "band", "carrier"),
        *("features", "clauses", "orders", "chains", "claims", "prime", "radius", "blobs"),
    )
    lengths = [integer(x, 0) for x in array(header["blobs"])]
    must(sum(lengths) == len(rest), "the blobs have other lengths")
    blobs, place = [], 0
    for length in lengths:
        blobs.append(rest[place : place + length])
        place += length
    return header, blobs


def check_all(ensemble: bytes, certificate: bytes) -> dict[str, Any]:
    """Check a certificate; exceptions of any kind reject it."""
    header, blobs = unpack(certificate)
    must(header["format"] == "primewood certificate" and integer(header["version"]) == 1, "not a certificate")
    kind = header["kind"]
    must(kind in ("explanation", "rule", "radius"), "unknown kind")
    must(header["model"] == hashlib.sha256(ensemble).hexdigest(), "about another model")
    must(header["summation"] in ("sequential", "any"), "unknown summation")
    any_order: bool = header["summation"] == "any"
    model = Model(decode(ensemble), header["decision"])
    carrier = header["carrier"]
    if carrier is not None:
        integer(carrier, 0, len(model.trees) - 1)
    weights = Weights(model, integer(header["shift"]), integer(header["band"], 0), carrier)
    world = World(header, model)
    claims, nodes, cells = [], 0, 0
    must(len(array(header["claims"])) > 0, "no claims")
    for claim in header["claims"]:
        fields(claim, "label", "box", "proofs")
        label = integer(claim["label"], 0, model.classes - 1)
        box = read_box(claim["box"], world.features)
        proofs = [array(proof, 3) for proof in array(claim["proofs"])]
        rivals = sorted(integer(rival) for rival, _, _ in proofs)
        must(rivals == sorted(model.rivals(label)), "not one proof per rival")
        for rival, unit, blob in proofs:
            proof = Proof(world, weights, box, label, rival, any_order)
            body = blobs[integer(blob, 0, len(blobs) - 1)]
            more_nodes, more_cells = proof.check(body, integer(unit, 1, 2**61))
            nodes, cells = nodes + more_nodes, cells + more_cells
        claims.append((label, claim["box"]))
    witnesses = 0
    prime, radius = header["prime"], header["radius"]
    must(prime is None or kind == "explanation", "primeness of another kind")
    must((radius is not None) == (kind == "radius"), "a radius of another kind")
    if prime is not None or radius is not None:
        must(len(claims) == 1, "not exactly one claim")
        label, box = claims[0][0], read_box(claims[0][1], world.features)
        if prime is not None:
            witnesses = check_prime(prime, world, weights, box, label, blobs, any_order)
        else:
            check_radius(radius, world, box, label)
    return {
        "kind": kind,
        "claims": claims,
        "nodes": nodes,
        "cells": cells,
        "witnesses": witnesses,
        "prime": prime is not None,
    }


def check(ensemble_bytes: bytes, certificate_bytes: bytes) -> dict[str, Any]:
    """What a certificate shows about an ensemble; Rejected if it breaks any rule."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20000))
    try:
        with np.errstate(all="ignore"):
            return check_all(ensemble_bytes, certificate_bytes)
    except (*FOREIGN, *MALFORMED) as error:
        raise Rejected(f"{type(error).__name__}: {error}") from error
    finally:
        sys.setrecursionlimit(limit)
