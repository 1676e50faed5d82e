"""The second checker of certificates: pieces, and proofs about one margin or several."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

from certify.fraction_checker_rows import (
    FORBIDDEN,
    MISSING,
    Allowed,
    Atom,
    Box,
    Feature,
    Leaf,
    Margin,
    Name,
    Node,
    Rejected,
    must,
)

Piece = tuple[Name, dict[int, Allowed]]


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

    def points(self, count: int, home: list[int], features: list[Feature]) -> list[list[int]]:
        """Points, each as its differences to the atoms of a row."""
        points = []
        for _ in range(count):
            point, j = list(home), 0
            for index in range(self.number()):
                step = self.number()
                must(index == 0 or step >= 1, "the features of a point do not ascend")
                j += step
                must(j < len(features), "no such feature")
                point[j] = self.number()
                must(point[j] < features[j].atoms, "no such atom")
            points.append(point)
        return points

    def must_end(self) -> None:
        """Reject unless all bytes are read."""
        must(self.place == len(self.data), "a blob goes on after its end")


# Pieces


class Region:
    """A box, in ranks, and the pieces of all trees in it."""

    def __init__(
        self,
        features: list[Feature],
        trees: list[Node],
        box: Box,
        alike: Callable[[int, Name, Name], bool],
    ) -> None:
        """Walk the trees; `alike` says of two leaves of a tree whether they need not be told apart."""
        self.alike = alike
        self.rank: list[dict[int, int]] = []
        self.root: list[Allowed] = []
        for j, feature in enumerate(features):
            cells = box[j].cells if j in box else list(range(len(feature.samples)))
            missing = box[j].missing if j in box else feature.missing
            self.rank.append({cell: rank for rank, cell in enumerate(cells)})
            self.root.append(frozenset([*range(len(cells)), *([MISSING] if missing else [])]))
            must(len(self.root[j]) > 0, "a box allows nothing of a feature")
        self.pieces: list[list[Piece]] = []
        for t, tree in enumerate(trees):
            self.pieces.append([piece for piece in self.walk(t, tree, {}) if piece[0] != FORBIDDEN])

    def walk(self, t: int, node: Node, path: dict[int, Allowed]) -> list[Piece]:
        """The pieces of what is below a node."""
        if isinstance(node, Leaf):
            return [(node.name, path)]
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


# Proofs


@dataclass
class Part:
    """A node of a proof: what is allowed, the pieces alive, multipliers, shares and the price."""

    allowed: list[Allowed]
    alive: list[list[Piece]]
    w: dict[int, int]
    shares: list[int]
    price: int


@dataclass
class Bound:
    """The bound of a node that is not empty, and which pieces are not idle."""

    upper: int
    base: int
    threshold: int
    weights: list[list[int]]
    busy: list[list[bool]]


@dataclass
class Means:
    """What may close a node besides its bound, and what else a bound counts."""

    won: Callable[[list[Name]], bool] | None = None  # whether the library's scores at leaves show it
    parts: Callable[[int, Name], bool] | None = None  # whether a leaf parts the two rows
    costs: list[dict[Atom, int]] | None = None  # of all atoms in the box, by rank
    budget: int = 0


class Proof:
    """The proof that no possible row of a box (pair of rows) reaches the thresholds of all margins."""

    def __init__(self, region: Region, margins: list[Margin], several: bool, means: Means) -> None:
        """Without `several`, there is one margin, whose share is 1 everywhere."""
        self.region, self.margins, self.several, self.means = region, margins, several, means
        self.largest = [
            max(
                (abs(x[leaf]) for x, tree in zip(m.weights, region.pieces, strict=False) for leaf, _ in tree),
                default=0,
            )
            for m in margins
        ]
        must(all(x < 2**61 for x in self.largest), "a weight is too large")

    def check(self, blob: bytes, unit: int) -> tuple[int, int]:
        """Check the body; the number of nodes, and of those that the library's own sum closed."""
        reader = Reader(blob)
        self.read_multipliers(reader)
        nodes, cells = 0, 0
        shares = [0 if self.several else 1 for _ in self.margins]
        todo = [Part(self.region.root, self.region.pieces, {}, shares, 0)]
        while todo:
            must(len(todo) <= 2**12, "too many open nodes")
            nodes += 1
            must(nodes <= 2**24, "too many nodes")
            part = todo.pop()
            part = Part(part.allowed, self.alive(part), dict(part.w), part.shares, part.price)
            code = reader.number()
            while self.changes(reader, code, part):
                code = reader.number()
            if code == 0:
                first, second = self.split(reader, part.allowed)
                for allowed in (second, first):
                    todo.append(Part(allowed, part.alive, part.w, part.shares, part.price))
            elif code == 1:
                must(self.closed_by_bound(part, unit), "a bound does not close its node")
            elif code == 2:
                must(self.closed_by_sum(part, unit), "the library's sum does not close a node")
                cells += 1
            elif code == 6 and self.several:
                must(self.closed_by_parting(part, unit), "rows part in a node")
            else:
                raise Rejected("unknown code")
        reader.must_end()
        return nodes, cells

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
            must(tree < len(self.region.pieces), "a multiplier of no tree")
            must(feature < len(self.region.root), "a multiplier of no feature")
            a = reader.number()
            span: list[Atom] = [MISSING] if a % 2 == 1 else []
            if a >= 2:
                low, high = a // 2 - 1, len(self.region.rank[feature]) - 1 - reader.number()
                must(low <= high, "a span without ranks")
                span += range(low, high + 1)
            self.multipliers.append((tree, feature, frozenset(span)))

    def changes(self, reader: Reader, code: int, part: Part) -> bool:
        """Carry out SET, SHARES or PRICE; whether the code is one of them."""
        if code % 4 == 3:
            self.set(reader, part.w, code // 4)
        elif code == 4 and self.several:
            part.shares = [reader.number() for _ in self.margins]
            must(
                sum(s * x for s, x in zip(part.shares, self.largest, strict=True)) < 2**61,
                "shares are too large",
            )
        elif code == 5 and self.means.costs is not None:
            part.price = reader.number()
        else:
            return False
        return True

    def set(self, reader: Reader, w: dict[int, int], k: int) -> None:
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
        must(sum(w.values()) < 2**53, "multipliers are too large")

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

    def alive(self, part: Part) -> list[list[Piece]]:
        """The pieces that meet a node."""
        return [
            [piece for piece in tree if all(not a.isdisjoint(part.allowed[j]) for j, a in piece[1].items())]
            for tree in part.alive
        ]

    def bound(self, part: Part, unit: int) -> Bound | None:
        """The bound of a node; None if the node is empty."""
        allowed, alive, price = part.allowed, part.alive, part.price
        if not all(allowed) or not all(alive):
            return None
        shared = [(s, margin) for s, margin in zip(part.shares, self.margins, strict=True) if s]
        base = sum(s * margin.base for s, margin in shared)
        threshold = sum(s * margin.threshold for s, margin in shared)
        weights = [
            [sum(s * m.weights[t][leaf] for s, m in shared if t < len(m.weights)) for leaf, _ in tree]
            for t, tree in enumerate(alive)
        ]
        if base + sum(max(tree) for tree in weights) < threshold:
            return None
        costs = self.means.costs or [dict.fromkeys(atoms, 0) for atoms in self.region.root]
        if sum(min(costs[j][atom] for atom in atoms) for j, atoms in enumerate(allowed)) > self.means.budget:
            return None
        charges = [[0 for _ in tree] for tree in alive]
        payments: list[dict[Atom, int]] = [dict.fromkeys(atoms, 0) for atoms in allowed]
        for i, amount in part.w.items():
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
        if price > 0:
            paid = [unit * x for atoms in payments for x in atoms.values()]
            spent = [price * x for atoms in costs for x in atoms.values()]
            must(all(x < 2**62 for x in paid + spent), "payments or costs are too large")
        worth = [
            [x - unit * charge for x, charge in zip(*tree, strict=True)]
            for tree in zip(weights, charges, strict=True)
        ]
        upper = base + sum(max(tree) for tree in worth) + price * self.means.budget
        for j, atoms in enumerate(payments):
            upper += max(unit * x - price * costs[j][atom] for atom, x in atoms.items())
        busy = [[max(tree) - x <= upper - threshold for x in tree] for tree in worth]
        return Bound(upper, base, threshold, weights, busy)

    def closed_by_bound(self, part: Part, unit: int) -> bool:
        """Whether its bound closes a node."""
        bound = self.bound(part, unit)
        if bound is None or bound.upper < bound.threshold:
            return True
        kept = [
            [x for x, is_busy in zip(*tree, strict=True) if is_busy]
            for tree in zip(bound.weights, bound.busy, strict=True)
        ]
        top = bound.base + sum(max(tree) for tree in kept)
        if top < bound.threshold:
            return True
        g = math.gcd(*(max(tree) - x for tree in kept for x in tree))
        theta = top if g == 0 else bound.threshold + (top - bound.threshold) % g
        return bound.upper < theta

    def closed_by_sum(self, part: Part, unit: int) -> bool:
        """Whether the library's own sum closes a node."""
        bound, won = self.bound(part, unit), self.means.won
        if bound is None or bound.upper < bound.threshold:
            return True
        if won is None:
            raise Rejected("a sum in one order for claims about any order")
        reached: list[Name] = []
        for t, tree in enumerate(part.alive):
            leaves = [leaf for (leaf, _), is_busy in zip(tree, bound.busy[t], strict=True) if is_busy]
            if not all(self.region.alike(t, leaves[0], leaf) for leaf in leaves):
                return False
            reached.append(leaves[0])
        return won(reached)

    def closed_by_parting(self, part: Part, unit: int) -> bool:
        """Whether a node is closed because no rows part in it."""
        parts = self.means.parts
        if parts is None:
            raise Rejected("rows that may part")
        bound = self.bound(part, unit)
        if bound is None or bound.upper < bound.threshold:
            return True
        return not any(
            is_busy and parts(t, leaf)
            for t, tree in enumerate(part.alive)
            for (leaf, _), is_busy in zip(tree, bound.busy[t], strict=True)
        )
