#!/usr/bin/env python3
"""Checks every kind of certificate: also those that need several margins, budgets, pairs of rows, or fewest features.

    python check_more.py ensemble.json case.pwcert
    python check_more.py ensemble.json other.json same.pwcert

It needs check.py beside it, Python and numpy, and nothing else. What check.py checks is left to it. The format, and why
each rule is sound, is defined in docs/reference/certificates.md, in the section on several margins.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING or __package__:
    from primewood.certify import check as core
else:
    import check as core
from_core = core.need, core.need_fields, core.items, core.integer, core.integers, core.number
need, need_fields, items, integer, integers, number = from_core
ADDED = ("groups", "divisor", "precision", "link")
"""What the scores of two rows with the same leaves depend on, besides the start and the cuts."""
SECOND = ("model", "decision", "summation", "shift", "band", "carrier", "paired")


# ------------------------------------------------------------------------------------------------ two rows


class JointFile(core.CertificateFile):
    """A certificate about one row, or about two, which may differ in the features that are apart."""

    def __init__(
        self, models: list[core.EnsembleFile], header: Any, blobs: list[bytes], apart: list[int] | None = None
    ) -> None:
        self.second: core.LeafVote | None = None
        self.apart, self.paired = apart or [], False
        if "second" in header:
            need_fields(header["second"], *SECOND)
            need(
                header["second"]["model"] == models[-1].digest, "the certificate is about another second file"
            )
            columns = [(model.names, model.categories) for model in (models[0], models[-1])]
            need(columns[0] == columns[1], "the two files take different columns")
            self.second = core.LeafVote(models[-1], header["second"])
            self.paired = core.flag(header["second"]["paired"], "paired")
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
        self.begin_second, first_roots = len(trees.rows), list(trees.roots)
        trees.add_model(model, place[self.feature_of])
        self.end_second = len(trees.rows)
        if self.paired:
            need(len(model.root) == len(self.model.root), "the two files have different numbers of trees")
            second_roots = trees.roots[len(first_roots) :]
            trees.roots[:] = first_roots
            ends = [*first_roots[1:], self.begin_second]
            for begin, end, root in zip(first_roots, ends, second_roots, strict=True):
                for row in trees.rows[begin:end]:
                    if (
                        row[0] < 0
                    ):  # a leaf goes on to the tree of the second row: a test that sends all right
                        row[:5] = [0, 0, 0, root, root]
        self.add_knowledge(range(own))
        self.add_knowledge(place.tolist())


class JointProof(core.Proof):
    """That no row of a box is decided for a class, or no two rows for two, perhaps within a budget."""

    file: JointFile

    def __init__(
        self,
        file: JointFile,
        box: core.ReachedBox,
        pair: Any,
        unit: Any,
        blob: bytes,
        budget: Budget | None = None,
    ) -> None:
        self.budget, self.price = budget, 0
        self.margins = [
            (part, label, own)
            for part, (vote, own) in enumerate(zip(file.votes, pair, strict=False))
            for label in (range(vote.classes) if not vote.cuts else (own - 1, own + 1))
            if label != own and 0 <= label < vote.classes
        ]
        super().__init__(file, box, pair, unit, blob)

    def weigh(self) -> None:
        """Find the weights of items that are leaves, for every margin."""
        trees, box, file = self.trees, self.box, self.file
        origin = trees.origin[box.node]
        self.origins = [origin]
        if file.second is not None:
            is_second = (box.node >= file.begin_second) & (box.node < file.end_second)
            before = np.where(box.passed >= 0, trees.origin[box.passed], -1)
            first = before if file.paired else np.where(is_second, -1, origin)
            self.origins = [first, np.where(is_second, origin, -1)]
        bands = np.zeros(len(origin), dtype=bool)
        for vote, own in zip(file.votes, self.origins, strict=True):
            bands |= (own >= 0) & (vote.bands[own] > 0)
        columns, self.bases, self.thresholds = [], [], []
        for part, label, rival in self.margins:
            vote, own = file.votes[part], self.origins[part]
            weight, base, threshold = vote.margin(label, rival)
            carried = bands & (own >= 0)
            columns.append(np.where(own >= 0, weight[own], 0) + np.where(carried, int(vote.bands.max()), 0))
            self.bases.append(base)
            self.thresholds.append(threshold)
        self.matrix = np.stack(columns, axis=1) if columns else np.zeros((len(origin), 0), dtype=np.int64)
        self.largest = [int(x) for x in abs(self.matrix).max(axis=0)]
        need(all(x < 2**61 for x in self.largest), "weights are too large")

    def find_alike(self, a: core.IntArray, b: core.IntArray) -> core.FlagArray:
        """Which leaves a and b, as items, have the same outputs in both rows."""
        forbidden = self.trees.forbidden[self.box.node]
        alike: core.FlagArray = forbidden[a] == forbidden[b]
        for vote, own in zip(self.file.votes, self.origins, strict=True):
            none = (own[a] < 0) & (own[b] < 0)
            same = (vote.value[own[a]] == vote.value[own[b]]).all(axis=1) & (own[a] >= 0) & (own[b] >= 0)
            alike = alike & (none | same)
        return alike

    def begin(self) -> tuple[Any, ...]:
        """At the root, no margin has a share, and the price is 0."""
        return [0] * len(self.margins), 0

    def note(self, step: int, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """The shares or the price change."""
        w, shares, price = state
        if step == 4:
            shares = self.take(len(shares)).tolist()
            reach = sum(s * most for s, most in zip(shares, self.largest, strict=True))
            need(reach < 2**61, "shares are too large")
        else:
            need(self.budget is not None, "a price without a budget")
            price = self.take_one()
        return w, shares, price

    def find_left(
        self, part: core.BoxPart, w: core.IntArray, *state: Any
    ) -> tuple[int, core.IntArray, core.IntArray, int, int]:
        """As with one margin, for the sum of all, and with what is paid less for costs."""
        shares, self.price = state
        weight = self.matrix[self.item[part.piece]] @ np.array(shares, dtype=np.int64)
        base = sum(s * x for s, x in zip(shares, self.bases, strict=True))
        threshold = sum(s * x for s, x in zip(shares, self.thresholds, strict=True))
        if self.budget is not None and self.budget.is_exceeded(part):
            return threshold - 1, part.piece[:0], weight[:0], base, threshold
        return self.leave_out_idle(part, w, weight, base, threshold)

    def pay_best(self, part: core.BoxPart, paid: core.IntArray, paid_missing: core.IntArray) -> int:
        """What the best paid atoms are paid together, less the price of their costs, and what the budget is worth."""
        if not self.price or self.budget is None:
            return super().pay_best(part, paid, paid_missing)
        most = max(int(paid.max()), int(paid_missing.max()))
        need(self.unit * most < 2**62 and self.price * self.budget.dearest < 2**62, "a price is too large")
        begin = np.cumsum([0, *(self.box.size + 1)])[:-1]
        left = self.budget.forbid(part, self.unit * paid - self.price * self.budget.of_rank)
        best = np.maximum.reduceat(left, begin)
        missing = np.where(
            part.miss, self.unit * paid_missing - self.price * self.budget.of_missing, -(2**63 - 1)
        )
        return int(sum(np.maximum(best, missing).tolist())) + self.price * self.budget.most

    def close(self, step: int, part: core.BoxPart, state: tuple[Any, ...]) -> None:
        """Close a node for rows that part: those that do not part are decided alike."""
        need(step == 6 and self.file.paired, f"an unknown step {step}")
        need(not any(vote.any_order for vote in self.file.votes), "scores are added in different orders")
        one, two = (
            (*(getattr(v.model, name) for name in ADDED), v.start.tolist(), v.cuts, v.value.shape[1])
            for v in self.file.votes
        )
        need(one == two and self.pair[0] != self.pair[1], "the same leaves can be decided differently")
        item = self.item[self.find_left(part, *state)[1]]
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


class Budget:
    """What it costs to leave a row, in whole units rounded down, and how much may be spent."""

    def __init__(self, file: JointFile, record: Any, box: core.ReachedBox) -> None:
        need_fields(record, "row", "moves", "distance", "grain", "witness")
        grain = Fraction(2) ** integer(record["grain"], -1000, 1000, "grain")
        distance = number(record["distance"], "distance")
        need(distance >= 0, "a distance below 0")
        self.most, self.box = math.floor(Fraction(distance) * grain), box
        atoms, moves = file.atoms_of(record["row"]), items(record["moves"], "moves", len(file.features))
        ranks, missing = [], []
        for i, (feature, move) in enumerate(zip(file.features, moves, strict=True)):
            need_fields(move, "scale", "jump")
            allowed, own = box.inside[i], int(atoms[i])
            need(allowed[own], "the row is not in the box")
            x = None if own == feature.cells or feature.listed else record["row"][feature.columns[0]]
            costs = [
                0 if atom == own else math.floor(self._cost(feature, move, x, atom) * grain)
                for atom in np.flatnonzero(allowed).tolist()
            ]
            missing.append(costs.pop() if allowed[-1] else 0)
            ranks += [*costs, 0]
        self.dearest = max([*ranks, *missing])
        need(self.dearest < 2**61 and self.most < 2**61, "costs are too large")
        self.of_rank, self.of_missing = np.array(ranks, dtype=np.int64), np.array(missing, dtype=np.int64)

    @staticmethod
    def _cost(feature: core.FeatureCells, move: Any, x: Any, atom: int) -> Fraction:
        if move["scale"] is not None and x is not None and atom < feature.cells:
            scale, low, high = number(move["scale"], "a scale"), feature.low[atom], feature.high[atom]
            need(scale > 0, "a scale is not above 0")
            near = float(low) if low > x else float(high)
            return abs(Fraction(near) - Fraction(x)) / Fraction(scale)
        jump = number(move["jump"], "a jump")
        need(jump >= 0, "a jump below 0")
        return Fraction(jump)

    def forbid(self, part: core.BoxPart, values: core.IntArray) -> core.IntArray:
        """The numbers of ranks that a part allows; far below all others for those that it does not."""
        end = np.cumsum(self.box.size + 1)
        begin = end - self.box.size - 1
        rank = np.arange(len(values)) - np.repeat(begin, self.box.size + 1)
        low, high = np.repeat(part.low, self.box.size + 1), np.repeat(part.high, self.box.size + 1)
        return np.where((rank >= low) & (rank <= high), values, -(2**63 - 1))

    def is_exceeded(self, part: core.BoxPart) -> bool:
        """Whether even the cheapest row of a part costs too much."""
        begin = np.cumsum([0, *(self.box.size + 1)])[:-1]
        cheapest = -np.maximum.reduceat(self.forbid(part, -self.of_rank), begin)
        return (
            int(sum(np.minimum(cheapest, np.where(part.miss, self.of_missing, 2**62)).tolist())) > self.most
        )


# ------------------------------------------------------------------------------------------------ fewest features


def check_least(file: core.CertificateFile, header: Any, box: core.Box, label: int) -> None:
    """That no set of features of less weight than those of an explanation suffices."""
    record = header["least"]
    need_fields(record, "weights", "avoided", "contrasts", "blob")
    need(not file.orders, "fewest features under orders")
    count = len(file.features)
    given = [1] * count if record["weights"] is None else items(record["weights"], "weights", count)
    weights = [Fraction(number(w, "a weight")) for w in given]
    need(min(weights) >= 0, "a weight below 0")
    avoided = set(integers(record["avoided"], 0, count - 1, "avoided", distinct=True).tolist())
    fixed, row = set(header["prime"]["fixed"]), file.atoms_of(header["prime"]["row"])
    used = {i for i, allowed in box.items() if (allowed != file.features[i].everything).any()} - fixed
    need(not used & avoided, "the explanation mentions a feature that is to be avoided")
    code = iter(core.read_varints(file.blob(record["blob"])).tolist())
    try:
        points = core.read_points(code, integer(record["contrasts"], 0, 2**24, "contrasts"), row)
        contrasts = _find_contrasts(file, points, row, label, fixed, avoided)
        _check_branches(code, contrasts, weights, sum((weights[i] for i in used), Fraction(0)))
    except StopIteration:
        raise core.Rejected("the contrasts end early") from None
    need(next(code, None) is None, "something follows the contrasts")


def _find_contrasts(
    file: core.CertificateFile,
    points: list[core.IntArray],
    row: core.IntArray,
    label: int,
    fixed: set[int],
    avoided: set[int],
) -> list[frozenset[int]]:
    """The features in which points that get a different decision differ from the row."""
    if not points:
        return []
    table = np.array(points)
    for i, feature in enumerate(file.features):
        need(
            (table[:, i] < feature.cells + feature.missing).all(), "a contrast has an atom that is not there"
        )
        need(i not in fixed or (table[:, i] == row[i]).all(), "a contrast changes a fixed feature")
    held = [np.append(f.samples[:, 0], math.nan)[table[:, i]] for i, f in enumerate(file.features)]
    file.need_possible(table, held)
    need(file.decided_otherwise(table, label).all(), "a contrast is decided like the row")
    return [frozenset(np.flatnonzero(point != row).tolist()) - avoided for point in table]


def _check_branches(
    code: Any, contrasts: list[frozenset[int]], weights: list[Fraction], least: Fraction
) -> None:
    """That every set that has a feature of each contrast weighs at least so much."""
    stack: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    nodes, multiple = 0, math.lcm(*(w.denominator for w in weights))
    grain = Fraction(math.gcd(*(int(w * multiple) for w in weights)), multiple)
    while stack:
        inside, outside = stack.pop()
        nodes += 1
        need(nodes <= core.MOST_NODES and len(stack) <= core.MOST_OPEN, "the branches are too many")
        step, number = next(code), next(code)
        if step == 0:
            need(number < len(weights) and number not in inside | outside, "a feature is branched on twice")
            stack += [(inside, outside | {number}), (inside | {number}, outside)]
            continue
        need(step == 1 and number > 0, "an unknown branch, or a denominator of 0")
        place, total, charged = 0, 0, [0] * len(weights)
        for i in range(next(code)):
            gap, units = next(code), next(code)
            need(gap > 0 or i == 0, "a contrast is listed twice")
            place += gap
            need(place < len(contrasts) and not contrasts[place] & inside, "no such contrast, or it is met")
            total += units
            for j in contrasts[place] - outside:
                charged[j] += units
        need(
            all(x <= number * w for x, w in zip(charged, weights, strict=True)),
            "a feature is charged too much",
        )
        found = sum((weights[j] for j in inside), Fraction(total, number))
        need(found >= least or found + grain > least, "a branch is lighter than the explanation")


# ------------------------------------------------------------------------------------------------ claims


def check_never(
    file: JointFile, claim: Any, box: core.Box, wanted: set[tuple[int, int]], budget: Budget | None = None
) -> tuple[int, int]:
    """That no row (or pair of rows) of a box is decided in one of some ways; returns how much was checked."""
    nodes = cells = 0
    reached = core.ReachedBox(file.trees, box)
    shown: set[tuple[int, ...]] = set()
    for a, b, unit, blob in (items(entry, "an entry", 4) for entry in items(claim["never"], "never")):
        need((b is None) == (file.second is None), "not one class per row")
        pair = tuple(
            integer(x, 0, vote.classes - 1, "a class") for x, vote in zip((a, b), file.votes, strict=False)
        )
        proof = JointProof(file, reached, pair, unit, file.blob(blob), budget)
        nodes, cells = nodes + proof.nodes, cells + proof.cells
        shown.add(pair)
    need(wanted <= shown, "a decision is not excluded")
    return nodes, cells


def check(*given: Any) -> core.Confirmed:
    """Check a certificate against one ensemble file, or two; raises `Rejected` at the first condition that fails."""
    *models, raw = given
    header, blobs = core.read_header(raw)
    kind = core.get(header, "kind")
    if kind in ("explanation", "rule", "radius"):
        need(len(models) == 1, "this certificate is about one ensemble file")
        return core.check(models[0], raw)
    fields = {
        "never": ("claims",),
        "nearest": ("claims", "costs"),
        "compare": ("claims", "second"),
        "pairs": ("parts", "second", "property"),
        "shortest": ("claims", "prime", "least"),
    }
    need(kind in fields, "an unknown kind")
    need(len(models) == (2 if kind == "compare" else 1), "a wrong number of ensemble files")
    need(core.get(header, "model") == models[0].digest, "the certificate is about another ensemble file")
    need_fields(header, *core.SHARED, *core.KNOWLEDGE, "blobs", *fields[kind])
    return {
        "never": _check_rule,
        "nearest": _check_nearest,
        "compare": _check_compare,
        "pairs": _check_pairs,
        "shortest": _check_shortest,
    }[kind](models, header, blobs)


def _read_claim(file: JointFile, claim: Any) -> core.Box:
    need_fields(claim, "box", "never")
    return file.read_box(claim["box"])


def _confirm(
    file: core.CertificateFile, lines: list[str], nodes: int, cells: int, shown: int = 0
) -> core.Confirmed:
    return core.Confirmed("\n".join([*lines, *core.describe_basis(file)]), nodes, cells, shown)


def _check_rule(models: list[core.EnsembleFile], header: Any, blobs: list[bytes]) -> core.Confirmed:
    file, lines, total = JointFile(models, header, blobs), [], np.zeros(2, dtype=np.int64)
    for claim in items(header["claims"], "claims"):
        box = _read_claim(file, claim)
        total += check_never(file, claim, box, set())
        decided = core.names(file, [entry[0] for entry in claim["never"]])
        lines.append(f"No row{core.where(file, box)} gets the decision {decided}.")
    need(lines, "nothing is claimed")
    return _confirm(file, lines, *total.tolist())


def _check_nearest(models: list[core.EnsembleFile], header: Any, blobs: list[bytes]) -> core.Confirmed:
    file, costs = JointFile(models, header, blobs), header["costs"]
    (claim,) = items(header["claims"], "claims", 1)
    box = _read_claim(file, claim)
    budget = Budget(file, costs, core.ReachedBox(file.trees, box))
    nodes, cells = check_never(file, claim, box, set(), budget)
    decisions = [entry[0] for entry in claim["never"]]
    need(decisions, "nothing is claimed")
    lines = [
        f"No row{core.where(file, box)} whose distance from the given row is at most {costs['distance']!r} gets the "
        f"decision {core.names(file, decisions)}."
    ]
    if costs["witness"] is not None:
        point = file.atoms_of(costs["witness"])
        others = [k for k in range(file.vote.classes) if k not in decisions]
        shown = all(file.decided_otherwise(point[None], k).all() for k in others)
        need(shown, "the witness is not decided so")
        lines.append("A given row, which is not among these, does.")
    return _confirm(file, lines, nodes, cells)


def _check_compare(models: list[core.EnsembleFile], header: Any, blobs: list[bytes]) -> core.Confirmed:
    file = JointFile(models, header, blobs)
    (claim,) = items(header["claims"], "claims", 1)
    box = _read_claim(file, claim)
    need(not box, "models are compared on all rows")
    need(all(vote.labels is not None for vote in file.votes), "the decisions of a model have no labels")
    labels = [[str(label) for label in vote.labels] for vote in file.votes]
    differ = {(a, b) for a, x in enumerate(labels[0]) for b, y in enumerate(labels[1]) if x != y}
    nodes, cells = check_never(file, claim, box, differ)
    return _confirm(file, ["The two models decide alike on every row."], nodes, cells)


def _check_pairs(models: list[core.EnsembleFile], header: Any, blobs: list[bytes]) -> core.Confirmed:
    stated, total, parts = header["property"], np.zeros(2, dtype=np.int64), items(header["parts"], "parts")
    one, two = header, core.get(header, "second")
    need(
        all(one[k] == core.get(two, k) for k in ("model", "decision")), "the two rows are decided differently"
    )
    plain = core.CertificateFile(models, {**header, "chains": []}, blobs)
    features, classes = len(plain.features), range(plain.vote.classes)
    monotone = type(stated) is dict and "monotone" in stated
    if monotone:
        need_fields(stated, "monotone", "direction", "order")
        moved = [integer(stated["monotone"], 0, features - 1, "a feature")]
        need(stated["direction"] in ("increasing", "decreasing"), "an unknown direction")
        order = integers(stated["order"], 0, len(classes) - 1, "order", distinct=True).tolist()
        rank = [order.index(k) if k in order else -1 for k in classes]
        sign = 1 if stated["direction"] == "increasing" else -1
        wanted = {(a, b) for a in classes for b in classes if sign * (rank[b] - rank[a]) < 0}
    else:
        need_fields(stated, "independent")
        moved = integers(stated["independent"], 0, features - 1, "independent", distinct=True).tolist()
        wanted = {(a, b) for a in classes for b in classes if a != b}
    known = {i for clause in plain.clauses for i in clause} | {i for order in plain.orders for i in order[:2]}
    need(len(moved) == 1 or not known & {*moved}, "several features under constraints")
    need(
        [core.get(part, "apart") for part in parts] == [[i] for i in moved] and moved,
        "not one part per feature",
    )
    for part, i in zip(parts, moved, strict=True):
        need_fields(part, "apart", "claims")
        file, feature = JointFile(models, header, blobs, [i]), plain.features[i]
        atoms = feature.cells + (feature.missing and not monotone)
        tested = (file.trees.feature[: file.end_second] == i).any() or i in known
        claims = items(part["claims"], "claims", max(0, atoms - 1) if tested else 0)
        need(feature.ordered or not monotone or not tested, "the feature has no order")
        for k, claim in enumerate(claims):
            box = _read_claim(file, claim)
            need(set(box) == {i, features}, "a step of other features")
            after = np.flatnonzero(box[features]).tolist()
            stepped = [*range(k + 1, atoms)] if i in known else [k + 1]
            need(np.flatnonzero(box[i]).tolist() == [k] and after == stepped, "not the step that comes next")
            both = wanted if monotone or i not in known else wanted | {(b, a) for a, b in wanted}
            total += check_never(file, claim, box, both)
    return _confirm(plain, [_say_property(plain, stated, moved, monotone)], *total.tolist())


def _say_property(file: core.CertificateFile, stated: Any, moved: list[int], monotone: bool) -> str:
    names = " and ".join(core.name(file, i) for i in moved)
    if not monotone:
        return f"Changing only {names} never changes the decision."
    order = " < ".join(core.names(file, [k]) for k in stated["order"])
    unlisted = [k for k in range(file.vote.classes) if k not in stated["order"]]
    order = f"{core.names(file, unlisted)} < {order}" if unlisted else order
    verb = "lowers" if stated["direction"] == "increasing" else "raises"
    return f"Raising {names} never {verb} the decision, in the order {order}."


def _check_shortest(models: list[core.EnsembleFile], header: Any, blobs: list[bytes]) -> core.Confirmed:
    file = core.CertificateFile(models, header, blobs)
    found, box, (label,) = core.check_claims(file)
    check_least(file, header, box, label)
    lighter = "of less weight" if header["least"]["weights"] is not None else "that is smaller"
    return replace(found, text=f"No set of features {lighter} suffices.\n{found.text}")


if __name__ == "__main__":
    sys.exit(core.main(sys.argv[1:], check))
