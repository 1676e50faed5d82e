#!/usr/bin/env python3
"""Checks every kind of certificate: those of check.py, also where they assume rules or orders about rows, and those
that need several margins, budgets, pairs of rows, or fewest features.

    python check_more.py ensemble.json case.pwcert
    python check_more.py ensemble.json other.json same.pwcert

It needs check.py beside it, Python and numpy, and nothing else. What check.py checks is left to it. The format, and why
each rule is sound, is defined in docs/reference/certificates.md, in the sections on knowledge and on several margins.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING or __package__:
    from primewood.certify import check as core
else:
    import check as core
need, read, take = core.need, core.read, core.take
Blobs = list[bytes]
Models = list[core.EnsembleFile]
Record = SimpleNamespace
ADDED = ("groups", "divisor", "precision", "link")
"""What the scores of two rows with the same leaves depend on, besides the start and the cuts."""
SECOND = {**core.WEIGHTS, "paired": bool}
KINDS: dict[str, Any] = {
    **core.KINDS,
    "never": {"claims": list},
    "nearest": {"claims": list, "costs": dict},
    "compare": {"claims": list, "second": SECOND},
    "pairs": {"parts": [{"apart": [int], "claims": list}], "second": SECOND, "property": dict},
    "shortest": {"claims": list, "prime": dict, "least": dict},
}


# ------------------------------------------------------------------------------------------------ knowledge


class KnownFile(core.CertificateFile):
    """A certificate that may assume something about rows: clauses and orders that none of them violates."""

    def add_trees(self) -> None:
        """The trees of the model, then those of knowledge."""
        self.read_knowledge()
        self.trees.add_model(self.model, self.feature_of)
        self.add_knowledge(range(len(self.features)))

    def read_knowledge(self) -> None:
        """What no row violates."""
        place = range(len(self.features))
        shape = {"text": str, "forbidden": [[place, dict]]}
        self.clauses: list[core.AtomBox] = []
        for clause in read(self.header.clauses, [shape], "the clauses"):
            places = {i for i, _ in clause.forbidden}
            fits = places and len(places) == len(clause.forbidden)
            need(fits, "a clause forbids every row, or names a feature twice")
            inside = {
                i: self.features[i].read_literal(x, "a literal of a clause") for i, x in clause.forbidden
            }
            self.clauses.append(inside)
        shape = {"text": str, "lower": place, "upper": place, "constants": [float], "strict": bool}
        self.orders = read(self.header.orders, [shape], "the orders")
        for order in self.orders:
            ends = [self.features[i] for i in (order.lower, order.upper)]
            need(order.lower != order.upper, "an order of a feature with itself")
            need(not any(feature.listed for feature in ends), "an order of categories")
        self.chains = read(self.header.chains, [[range(len(self.orders))]], "the chains")

    def add_knowledge(self, feature: Sequence[int]) -> None:
        """The trees of knowledge about a row whose features are `feature[0]`, `feature[1]`, ..."""
        for clause in self.clauses:
            add_clause(self.trees, {feature[i]: inside for i, inside in clause.items()})
        for chain in self.chains:
            links = [self.orders[k] for k in chain]
            follow = all(a.upper == b.lower for a, b in pairwise(links))
            need(links and follow, "the orders do not make a chain")
            bound = self.features[links[-1].upper].high
            for constant in (c for order in reversed(links) for c in order.constants):
                bound = bound + constant
            # Adding a constant is monotone, but it may make two numbers equal: only what comes before it stays strict.
            moved = accumulate((any(order.constants) for order in links), max, initial=False)
            strict = any(order.strict and not before for order, before in zip(links, moved, strict=False))
            low = self.features[links[0].lower].low[:, None]
            fits = low < bound if strict else low <= bound
            too_low = (~fits).sum(axis=1)
            steps = np.arange(len(bound)) >= too_low[:, None]
            need((fits == steps).all(), "an order is not a staircase")
            if too_low.any():
                present = [feature[order.lower] for order in links]
                add_staircase(self.trees, present, feature[links[-1].upper], too_low)

    def need_possible(self, points: core.IntArray, held: dict[int, core.FloatArray]) -> None:
        """Rows at points, which hold samples or these numbers in some features, violate no clause and no order."""
        super().need_possible(points, held)
        for box in self.clauses:
            inside = np.all([allowed[points[:, i]] for i, allowed in box.items()], axis=0)
            need(not inside.any(), "a row violates a clause")
        for order in self.orders:
            low, high = (
                held.get(i, np.append(self.features[i].samples[:, 0], math.nan)[points[:, i]])
                for i in (order.lower, order.upper)
            )
            bound = high
            for constant in order.constants:
                bound = bound + constant
            fits = low < bound if order.strict else low <= bound
            need((fits | np.isnan(low) | np.isnan(high)).all(), "a row violates an order")

    def describe_knowledge(self) -> list[str]:
        """Clauses and orders in words."""
        found = [f"no row{core.where(self, clause)}" for clause in self.clauses]
        for order in self.orders:
            added = "".join(f" + {constant!r}" for constant in order.constants)
            lower, upper = (self.features[i].name for i in (order.lower, order.upper))
            found.append(f"{lower} {'<' if order.strict else '<='} {upper}{added}")
        return found


def add_clause(trees: core.AtomTrees, literals: core.AtomBox) -> None:
    """Add a tree that sends the rows of a box to "forbidden", and all others to "possible"."""
    runs = {i: core.runs_of(inside[:-1]) for i, inside in literals.items()}
    places = [*accumulate((max(1, len(own) - 1) for own in runs.values()), initial=trees.size)]
    rows: list[list[int]] = []
    for (i, own), at, then in zip(runs.items(), places, [*places[1:-1], places[-1] + 1], strict=False):
        rows += trees.tests(at, i, own, bool(literals[i][-1]), then, places[-1])
    _add_with_ends(trees, rows)


def add_staircase(trees: core.AtomTrees, present: list[int], upper: int, too_low: core.IntArray) -> None:
    """Add a tree that forbids, per cell of the first feature, the first cells of the upper one, if none is missing."""
    begin, lower = trees.size, present[0]
    steps = [0, *(np.flatnonzero(np.diff(too_low)) + 1).tolist()]
    possible = begin + len(present) + 2 * len(steps) - 1
    rows = [[i, trees.features[i].cells, 0, begin + k + 1, possible, -1] for k, i in enumerate(present)]

    def add(p: int, q: int) -> int:
        at, middle = len(rows), (p + q) // 2
        if q - p == 1:
            rows.append([upper, int(too_low[steps[p]]), 0, possible + 1, possible, -1])
        else:
            rows.append([lower, steps[middle], 0, 0, 0, -1])
            rows[at][3:5] = add(p, middle), add(middle, q)
        return begin + at

    add(0, len(steps))
    _add_with_ends(trees, rows)


def _add_with_ends(trees: core.AtomTrees, rows: list[list[int]]) -> None:
    """Add a tree, and behind it its leaves "possible" and "forbidden"."""
    trees.forbidden_leaves.append(trees.size + len(rows) + 1)
    trees.add([*rows, [-1, 0, 0, 0, 0, -1], [-1, 0, 0, 0, 0, -1]], [trees.size])


# ------------------------------------------------------------------------------------------------ two rows


class JointFile(KnownFile):
    """A certificate about one row, or about two, which may differ in the features that are apart."""

    def __init__(self, models: Models, header: Record, blobs: Blobs, apart: list[int] | None = None) -> None:
        self.second: core.LeafVote | None = None
        self.apart, self.paired = apart or [], False
        if hasattr(header, "second"):
            other = header.second.model == models[-1].digest
            need(other, "the certificate is about another second file")
            columns = [(model.names, model.categories) for model in (models[0], models[-1])]
            need(columns[0] == columns[1], "the two files take different columns")
            self.second = core.LeafVote(models[-1], header.second)
            self.paired = header.second.paired
        super().__init__(models, header, blobs)

    @property
    def votes(self) -> list[core.LeafVote]:
        """What decides about the first row, and about the second one."""
        return [self.vote] if self.second is None else [self.vote, self.second]

    def add_trees(self) -> None:
        """The trees of the two files, side by side or tree after tree, and those of knowledge about both rows."""
        if self.second is None:
            super().add_trees()
            return
        trees, model, own = self.trees, self.second.model, len(self.features)
        place = np.arange(own)
        place[self.apart] = own + np.arange(len(self.apart))
        self.read_knowledge()
        self.features += [self.features[i] for i in self.apart]
        trees.add_model(self.model, self.feature_of)
        self.begin_second, roots = trees.size, trees.roots
        trees.add_model(model, place[self.feature_of])
        self.end_second = trees.size
        if self.paired:
            need(len(model.root) == len(self.model.root), "the two files have different numbers of trees")
            second_roots = np.array(trees.roots[len(roots) :])
            trees.roots = roots
            # A leaf of the first file goes on to the tree of the second row: a test that sends all right.
            leaf = np.flatnonzero(trees.tables[0][:, 0] < 0)
            trees.tables[0][leaf, :3] = 0
            trees.tables[0][leaf, 3:5] = second_roots[np.searchsorted(roots, leaf, "right") - 1][:, None]
        self.add_knowledge(range(own))
        self.add_knowledge(place.tolist())


class JointProof(core.Proof):
    """That no row of a box is decided for a class, or no two rows for two, perhaps within a budget."""

    file: JointFile

    def __init__(
        self,
        file: JointFile,
        box: core.ReachedBox,
        pair: list[int],
        unit: int,
        blob: bytes,
        budget: CostLimit | None = None,
    ) -> None:
        self.budget = budget
        self.margins = [
            (part, label, own)
            for part, (vote, own) in enumerate(zip(file.votes, pair, strict=False))
            for label in (range(vote.classes) if not vote.cuts else (own - 1, own + 1))
            if label != own and 0 <= label < vote.classes
        ]
        # Behind the multipliers of a node come its shares, and its price.
        super().__init__(file, box, pair, unit, blob, len(self.margins) + 1)

    def weigh(self) -> None:
        """Find the weights of items that are leaves, for every margin."""
        trees, box, file = self.trees, self.box, self.file
        self.origins = [self.origin]
        if file.second is not None:
            is_second = (box.node >= file.begin_second) & (box.node < file.end_second)
            before = np.where(box.passed >= 0, trees.origin[box.passed], -1)
            first = before if file.paired else np.where(is_second, -1, self.origin)
            self.origins = [first, np.where(is_second, self.origin, -1)]
        bands = np.zeros(len(self.origin), dtype=bool)
        for vote, own in zip(file.votes, self.origins, strict=True):
            bands |= (own >= 0) & (vote.bands[own] > 0)
        columns, self.goals = [], []
        for part, label, rival in self.margins:
            vote, own = file.votes[part], self.origins[part]
            weight, goal = vote.margin(label, rival)
            carried = np.where(bands & (own >= 0), int(vote.bands.max()), 0)
            columns.append(np.where(own >= 0, weight[own], 0) + carried)
            self.goals.append(goal)
        none = np.zeros((len(self.origin), 0), dtype=np.int64)
        self.matrix = np.stack(columns, axis=1) if columns else none
        self.largest = [int(x) for x in abs(self.matrix).max(axis=0)]
        need(all(x < 2**61 for x in self.largest), "weights are too large")
        self.shares = np.zeros(len(self.margins), dtype=np.int64)
        self.weight, self.goal = np.zeros(len(self.origin), dtype=np.int64), 0

    def find_alike(self, a: core.IntArray, b: core.IntArray) -> core.FlagArray:
        """Which leaves a and b, as items, have the same outputs in both rows."""
        alike: core.FlagArray = self.forbidden[a] == self.forbidden[b]
        for vote, own in zip(self.file.votes, self.origins, strict=True):
            none = (own[a] < 0) & (own[b] < 0)
            same = (vote.value[own[a]] == vote.value[own[b]]).all(axis=1) & (own[a] >= 0) & (own[b] >= 0)
            alike = alike & (none | same)
        return alike

    def change(self, step: int, state: core.IntArray) -> core.IntArray:
        """Change multipliers, the shares or the price."""
        if step == 4:
            shares = take(self.code, len(self.margins))
            reach = sum(s * most for s, most in zip(shares, self.largest, strict=True))
            need(reach < 2**61, "shares are too large")
            state[len(self.key) : -1] = shares
        elif step == 5:
            need(self.budget is not None, "a price without a budget")
            state[-1:] = take(self.code, 1)
        else:
            return super().change(step, state)
        return state

    def find_left(self, part: Record, state: core.IntArray) -> tuple[core.IntArray, core.IntArray, int, int]:
        """As with one margin, for the sum of all in their shares; no row is left where all cost too much."""
        shares = state[len(self.key) : -1]
        if not np.array_equal(shares, self.shares):
            self.shares, self.weight = shares, self.matrix @ shares
            self.goal = sum(s * x for s, x in zip(shares.tolist(), self.goals, strict=True))
        if self.budget is not None and self.budget.is_exceeded(part):
            return np.empty(0, np.int64), np.empty(0, np.int64), 0, -1
        return super().find_left(part, state)

    def pay_best(self, part: Record, state: core.IntArray, paid: core.IntArray) -> int:
        """What the best paid atoms are paid together, less the price of their costs, and what the budget is worth."""
        price = int(state[-1])
        if not price or self.budget is None:
            return super().pay_best(part, state, paid)
        fits = self.unit * int(paid.max()) < 2**62 and price * self.budget.dearest < 2**62
        need(fits, "a price is too large")
        left = self.budget.forbid(part, self.unit * paid - price * self.budget.costs)
        best = np.maximum.reduceat(left, self.begin[:-1])
        return int(sum(best.tolist()) + price * self.budget.most)

    def close(self, step: int, part: Record, state: core.IntArray) -> None:
        """Close a node, perhaps for rows that part: those that do not part are decided alike."""
        if step != 6:
            super().close(step, part, state)
            return
        need(self.file.paired, "an unknown step 6")
        need(not any(vote.any_order for vote in self.file.votes), "scores are added in different orders")
        one, two = (
            (*(getattr(v.model, name) for name in ADDED), v.start.tolist(), v.cuts, v.value.shape[1])
            for v in self.file.votes
        )
        need(one == two and self.pair[0] != self.pair[1], "the same leaves can be decided differently")
        item = self.item[self.find_left(part, state)[0]]
        a, b = (own[item] for own in self.origins)
        values = [vote.value for vote in self.file.votes]
        need(not ((a >= 0) & (values[0][a] != values[1][b]).any(axis=1)).any(), "rows can part")

    def decide_cell(self, item: core.IntArray) -> None:
        """The library's own sums decide otherwise for one of the rows where trees end in these leaves."""
        for part, label, rival in self.margins:
            vote, own = self.file.votes[part], self.origins[part][item]
            leaves = own[own >= 0]
            if not vote.any_order and vote.prefers(vote.scores(leaves[None])[0], label, rival):
                return
        raise core.Rejected("a cell is decided as it must not be")


# ------------------------------------------------------------------------------------------------ budgets


class CostLimit:
    """What it costs to leave a row, in whole units rounded down, and how much may be spent."""

    def __init__(self, file: JointFile, costs: Record, box: core.ReachedBox) -> None:
        grain, (atoms, row) = Fraction(2) ** costs.grain, costs.row
        need(costs.distance >= 0, "a distance below 0")
        need(len(costs.moves) == len(file.features), "not one move per feature")
        self.most, self.box = math.floor(Fraction(costs.distance) * grain), box
        found: list[int] = []
        fits = all((m.scale is None or m.scale > 0) and (m.jump is None or m.jump >= 0) for m in costs.moves)
        need(fits, "a scale is not above 0, or a jump is below 0")
        for feature, move, allowed, own in zip(file.features, costs.moves, box.inside, atoms, strict=True):
            need(allowed[own], "the row is not in the box")
            x = None if own == feature.cells or feature.listed else float(row[feature.columns[0]])
            found += [
                0 if atom == own else math.floor(self._cost(feature, move, x, atom) * grain)
                for atom in np.flatnonzero(allowed).tolist()
            ]
            found += [] if allowed[-1] else [0]
        self.dearest = max(found)
        need(self.dearest < 2**61 and self.most < 2**61, "costs are too large")
        self.costs = np.array(found, dtype=np.int64)
        """Per feature and rank, then per missing."""

    @staticmethod
    def _cost(feature: core.FeatureCells, move: Record, x: float | None, atom: int) -> Fraction:
        if move.scale is not None and x is not None and atom < feature.cells:
            near = float(feature.low[atom] if feature.low[atom] > x else feature.high[atom])
            return abs(Fraction(near) - Fraction(x)) / Fraction(move.scale)
        need(move.jump is not None, "an atom has no cost")
        return Fraction(move.jump)

    def forbid(self, part: Record, values: core.IntArray) -> core.IntArray:
        """The numbers of atoms that a part allows; far below all others for those that it does not."""
        count = self.box.size + 1
        rank = np.arange(len(values)) - np.repeat(np.cumsum(count) - count, count)
        low, high, missing = np.repeat(part.allowed, count, axis=1)
        last = rank == np.repeat(self.box.size, count)
        return np.where(np.where(last, missing == 1, (rank >= -low) & (rank <= high)), values, -(2**63 - 1))

    def is_exceeded(self, part: Record) -> bool:
        """Whether even the cheapest row of a part costs too much."""
        begin = np.cumsum([0, *(self.box.size + 1)])[:-1]
        cheapest = -np.maximum.reduceat(self.forbid(part, -self.costs), begin)
        return bool(sum(cheapest.tolist()) > self.most)


# ------------------------------------------------------------------------------------------------ fewest features


def check_least(file: KnownFile, box: core.AtomBox, label: int) -> str:
    """That no set of features of less weight than those of an explanation suffices; returns this in words."""
    count = len(file.features)
    some = core.array(int, 0, count - 1, distinct=True)
    shape = {
        "weights": (None, [float]),
        "avoided": some,
        "contrasts": range(2**24 + 1),
        "blob": range(len(file.blobs)),
    }
    least = read(file.header.least, shape, "least")
    need(not file.orders, "fewest features under orders")
    weights = [Fraction(w) for w in ([1] * count if least.weights is None else least.weights)]
    need(len(weights) == count and min(weights) >= 0, "not one weight of at least 0 per feature")
    prime = read(file.header.prime, {"row": file.read_row, "fixed": some}, "prime", more=True)
    avoided, fixed, row = {*least.avoided.tolist()}, {*prime.fixed.tolist()}, prime.row[0]
    used = {i for i, allowed in box.items() if (allowed != file.features[i].everything).any()} - fixed
    need(not used & avoided, "the explanation mentions a feature that is to be avoided")
    code = core.read_varints(file.blobs[least.blob])
    points = np.array(core.read_points(file, code, least.contrasts, row), dtype=np.int64).reshape(-1, count)
    file.need_possible(points, {})
    need((points[:, [*fixed]] == row[[*fixed]]).all(), "a contrast changes a fixed feature")
    need(file.decided_otherwise(points, label).all(), "a contrast is decided like the row")
    contrasts = [frozenset(np.flatnonzero(point != row).tolist()) - avoided for point in points]
    _check_branches(code, contrasts, weights, sum((weights[i] for i in used), Fraction(0)))
    need(not [*code], "something follows the contrasts")
    lighter = "that is smaller" if least.weights is None else "of less weight"
    return f"No set of features {lighter} suffices."


def _check_branches(
    code: Iterator[int], contrasts: list[frozenset[int]], weights: list[Fraction], least: Fraction
) -> None:
    """That every set that has a feature of each contrast weighs at least so much."""
    stack: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    nodes, multiple = 0, math.lcm(*(w.denominator for w in weights))
    grain = Fraction(math.gcd(*(int(w * multiple) for w in weights)), multiple)
    while stack:
        inside, outside = stack.pop()
        nodes += 1
        need(nodes <= core.MOST_NODES and len(stack) <= core.MOST_OPEN, "the branches are too many")
        step, number = take(code, 2)
        if step == 0:
            need(number < len(weights) and number not in inside | outside, "a feature is branched on twice")
            stack += [(inside, outside | {number}), (inside | {number}, outside)]
            continue
        need(step == 1 and number > 0, "an unknown branch, or a denominator of 0")
        place, total, charged = 0, 0, [0] * len(weights)
        for i in range(*take(code, 1)):
            gap, units = take(code, 2)
            place += gap
            need((gap > 0 or i == 0) and place < len(contrasts), "no such contrast, or it comes twice")
            need(not contrasts[place] & inside, "a contrast has a feature that is in")
            total += units
            for j in contrasts[place] - outside:
                charged[j] += units
        fits = all(x <= number * w for x, w in zip(charged, weights, strict=True))
        need(fits, "a feature is charged more than its weight")
        found = sum((weights[j] for j in inside), Fraction(total, number))
        need(found >= least or found + grain > least, "a branch is lighter than the explanation")


# ------------------------------------------------------------------------------------------------ claims


def check_never(
    file: JointFile, claim: Record, wanted: set[tuple[int, int]], budget: CostLimit | None = None
) -> tuple[int, int]:
    """That no row (or pair of rows) of a box is decided in one of some ways; returns how much was checked."""
    reached, nodes, cells, shown = core.ReachedBox(file.trees, claim.box), 0, 0, set()
    for *given, unit, blob in claim.never:
        pair = given if file.second is not None else given[:1]
        proof = JointProof(file, reached, pair, unit, file.blobs[blob], budget)
        nodes, cells = nodes + proof.nodes, cells + proof.cells
        shown.add(tuple(pair))
    need(wanted <= shown, "a decision is not excluded")
    return nodes, cells


def _read_claim(file: JointFile, record: Any) -> Record:
    one, two = range(file.vote.classes), (None, range(0))
    other = two if file.second is None else range(file.second.classes)
    shape = {"box": file.read_box, "never": [[one, other, range(1, 2**61 + 1), range(len(file.blobs))]]}
    claim: Record = read(record, shape, "a claim")
    return claim


@np.errstate(all="ignore")
def check(*given: Any) -> core.Confirmed:
    """Check a certificate against one ensemble file, or two; raises `Rejected` at the first condition that fails."""
    *models, raw = given
    header, blobs = core.read_header(raw, KINDS)
    need(len(models) == (2 if header.kind == "compare" else 1), "a wrong number of ensemble files")
    if header.kind in core.KINDS:
        file = KnownFile(models, header, blobs)
        return core.check_claims(file, file.describe_knowledge())[0]
    checks = {
        "never": _check_rule,
        "nearest": _check_nearest,
        "compare": _check_compare,
        "pairs": _check_pairs,
        "shortest": _check_shortest,
    }
    return checks[header.kind](models, header, blobs)


def _confirm(file: KnownFile, lines: list[str], nodes: int, cells: int, shown: int = 0) -> core.Confirmed:
    return core.Confirmed(
        "\n".join([*lines, file.describe_basis(file.describe_knowledge())]), nodes, cells, shown
    )


def _check_rule(models: Models, header: Record, blobs: Blobs) -> core.Confirmed:
    file, lines, total = JointFile(models, header, blobs), [], np.zeros(2, dtype=np.int64)
    for record in header.claims:
        claim = _read_claim(file, record)
        need(claim.never, "a claim without entries")
        total += check_never(file, claim, set())
        decided = file.vote.say([entry[0] for entry in claim.never])
        lines.append(f"No row{core.where(file, claim.box)} gets the decision {decided}.")
    need(lines, "nothing is claimed")
    return _confirm(file, lines, *total.tolist())


def _check_nearest(models: Models, header: Record, blobs: Blobs) -> core.Confirmed:
    file = JointFile(models, header, blobs)
    need(len(header.claims) == 1, "a wrong number of claims")
    claim, number = _read_claim(file, header.claims[0]), (None, float)
    shape = {
        "row": file.read_row,
        "moves": [{"scale": number, "jump": number}],
        "distance": float,
        "grain": range(-1000, 1001),
        "witness": (None, file.read_row),
    }
    costs = read(header.costs, shape, "costs")
    budget = CostLimit(file, costs, core.ReachedBox(file.trees, claim.box))
    nodes, cells = check_never(file, claim, set(), budget)
    decisions = [entry[0] for entry in claim.never]
    need(decisions, "nothing is claimed")
    lines = [
        f"No row{core.where(file, claim.box)} whose distance from this row is at most {costs.distance!r} gets the "
        f"decision {file.vote.say(decisions)}: {_say_row(file, costs.row[1])}.",
        f"What moves cost is added up: {_say_moves(file, costs.moves)}.",
    ]
    if costs.witness is not None:
        others = [k for k in range(file.vote.classes) if k not in decisions]
        shown = all(file.decided_otherwise(costs.witness[0][None], k).all() for k in others)
        need(shown, "the witness is not decided so")
        lines.append(f"This row does: {_say_row(file, costs.witness[1])}.")
    return _confirm(file, lines, nodes, cells)


def _say_row(file: KnownFile, row: core.FloatArray) -> str:
    """A row in words."""
    held = ["missing" if x != x else repr(x) for x in row.tolist()]
    return ", ".join(f"{name} = {x}" for name, x in zip(file.model.names, held, strict=True))


def _say_moves(file: KnownFile, moves: list[Record]) -> str:
    """What it costs to change features, in words."""
    found = []
    for feature, move in zip(file.features, moves, strict=True):
        far = "" if move.scale is None or feature.listed else f"its distance / {move.scale}"
        jump = (
            "" if move.jump is None else f"{move.jump} for {'another kind of value' if far else 'any change'}"
        )
        found.append(f"{feature.name}: {', '.join(filter(None, (far, jump))) or 'it stays'}")
    return "; ".join(found)


def _check_compare(models: Models, header: Record, blobs: Blobs) -> core.Confirmed:
    file = JointFile(models, header, blobs)
    need(len(header.claims) == 1, "a wrong number of claims")
    claim = _read_claim(file, header.claims[0])
    need(not claim.box, "models are compared on all rows")
    need(all(vote.labels is not None for vote in file.votes), "the decisions of a model have no labels")
    lines = ["The two models decide alike on every row."]
    if stated := header.second.decision:
        way = f"{'minus ' * stated['negated']}output {stated['output']}"
        decided = file.votes[1].say(range(file.votes[1].classes))
        lines.append(f"The score of the second model is {way}: {decided}.")
    labels = [[str(label) for label in vote.labels] for vote in file.votes]
    differ = {(a, b) for a, x in enumerate(labels[0]) for b, y in enumerate(labels[1]) if x != y}
    return _confirm(file, lines, *check_never(file, claim, differ))


def _check_pairs(models: Models, header: Record, blobs: Blobs) -> core.Confirmed:
    one, two, parts, total = header, header.second, header.parts, np.zeros(2, dtype=np.int64)
    need((one.model, one.decision) == (two.model, two.decision), "the two rows are decided differently")
    plain = KnownFile(models, Record(**{**vars(header), "chains": []}), blobs)
    features, classes = len(plain.features), range(plain.vote.classes)
    monotone = "monotone" in header.property
    if monotone:
        some = core.array(int, 0, len(classes) - 1, distinct=True)
        shape = {"monotone": range(features), "direction": {"increasing", "decreasing"}, "order": some}
        stated = read(header.property, shape, "the property")
        moved, order = [stated.monotone], stated.order.tolist()
        rank = [order.index(k) if k in order else -1 for k in classes]
        sign = 1 if stated.direction == "increasing" else -1
        wanted = {(a, b) for a in classes for b in classes if sign * (rank[b] - rank[a]) < 0}
    else:
        some = core.array(int, 0, features - 1, distinct=True)
        stated = read(header.property, {"independent": some}, "the property")
        moved = stated.independent.tolist()
        wanted = {(a, b) for a in classes for b in classes if a != b}
    known = {i for clause in plain.clauses for i in clause}
    known |= {i for order in plain.orders for i in (order.lower, order.upper)}
    need(len(moved) == 1 or not known & {*moved}, "several features under constraints")
    need(moved and [part.apart for part in parts] == [[i] for i in moved], "not one part per feature")
    for part, i in zip(parts, moved, strict=True):
        file, feature = JointFile(models, header, blobs, [i]), plain.features[i]
        atoms = feature.cells + (feature.missing and not monotone)
        tested = (file.trees.feature[: file.end_second] == i).any() or i in known
        need(len(part.claims) == (max(0, atoms - 1) if tested else 0), "not one claim per step")
        need(feature.ordered or not monotone or not tested, "the feature has no order")
        for k, record in enumerate(part.claims):
            claim = _read_claim(file, record)
            need(claim.box.keys() == {i, features}, "a step of other features")
            after = np.flatnonzero(claim.box[features]).tolist()
            stepped = [*range(k + 1, atoms)] if i in known else [k + 1]
            fits = np.flatnonzero(claim.box[i]).tolist() == [k] and after == stepped
            need(fits, "not the step that comes next")
            both = wanted if monotone or i not in known else wanted | {(b, a) for a, b in wanted}
            total += check_never(file, claim, both)
    return _confirm(plain, [_say_property(plain, stated, moved, monotone)], *total.tolist())


def _say_property(file: KnownFile, stated: Record, moved: list[int], monotone: bool) -> str:
    names = " and ".join(file.features[i].name for i in moved)
    if not monotone:
        return f"Changing only {names} never changes the decision ({file.vote.say([*range(file.vote.classes)])})."
    listed = stated.order.tolist()
    order = " < ".join(file.vote.say([k]) for k in listed)
    unlisted = [k for k in range(file.vote.classes) if k not in listed]
    order = f"{file.vote.say(unlisted)} < {order}" if unlisted else order
    verb = "lowers" if stated.direction == "increasing" else "raises"
    return f"Raising {names} never {verb} the decision, in the order {order}."


def _check_shortest(models: Models, header: Record, blobs: Blobs) -> core.Confirmed:
    file = KnownFile(models, header, blobs)
    found, box, (label,) = core.check_claims(file, file.describe_knowledge())
    line = check_least(file, box, label)
    return replace(found, text=f"{line}\n{found.text}")


if __name__ == "__main__":
    sys.exit(core.main(sys.argv[1:], check))
