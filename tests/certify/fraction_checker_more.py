"""The second checker of certificates: several margins, budgets, pairs of rows and shortest explanations."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

from certify.fraction_checker_proof import Means, Proof, Reader, Region
from certify.fraction_checker_rows import (
    MISSING,
    Atom,
    Box,
    Feature,
    Leaf,
    Margin,
    Model,
    Name,
    Node,
    Rejected,
    Test,
    Weights,
    World,
    array,
    boolean,
    fields,
    integer,
    listed,
    must,
    number,
    read_box,
)

Entry = tuple[int, int | None]


# Two rows


def graft(tree: Node, other: Node) -> Node:
    """A tree, each of whose leaves is replaced by another tree; its leaves are pairs of leaves."""
    if isinstance(tree, Test):
        return Test(tree.feature, tree.cells, tree.missing, graft(tree.left, other), graft(tree.right, other))
    first = tree.name

    def paired(node: Node) -> Node:
        if isinstance(node, Leaf):
            assert isinstance(first, int) and isinstance(node.name, int)
            return Leaf((first, node.name))
        return Test(node.feature, node.cells, node.missing, paired(node.left), paired(node.right))

    return paired(other)


class Setting:
    """What claims are about: one row, or two rows that some features set apart."""

    def __init__(self, world: World, rows: list[Weights], paired: bool, apart: list[int]) -> None:
        """Lay out the features and the trees."""
        self.world, self.rows, self.paired = world, rows, paired
        self.models = [weights.model for weights in rows]
        count = len(world.features)
        moved = {j: count + k for k, j in enumerate(apart)}
        self.features: list[Feature] = world.features + [world.features[j] for j in apart]
        trees = [world.trees(model, {} if k == 0 else moved) for k, model in enumerate(self.models)]
        if paired:
            must(len(trees[0]) == len(trees[1]), "pairs of trees, but not as many trees")
            self.trees = [graft(one, two) for one, two in zip(*trees, strict=True)]
        else:
            self.trees = [tree for some in trees for tree in some]
        self.count = len(self.trees)
        self.trees += world.knowledge({})
        if len(rows) == 2:
            self.trees += world.knowledge(moved)

    def leaves(self, reached: list[Name], row: int) -> list[int]:
        """The leaves of a row's model among those of all trees."""
        if self.paired:
            pairs = [name for name in reached[: self.count] if isinstance(name, tuple)]
            return [pair[row] for pair in pairs]
        start = 0 if row == 0 else self.models[0].count
        return [n for n in reached[start : start + self.models[row].count] if isinstance(n, int)]

    def outputs(self, t: int, leaf: Name) -> list[list[float]]:
        """The outputs v at a leaf of a tree, or at both leaves of a pair."""
        if isinstance(leaf, tuple):
            return [model.v[t][n] for model, n in zip(self.models, leaf, strict=True)]
        first = self.models[0]
        return [first.v[t][leaf] if t < first.count else self.models[1].v[t - first.count][leaf]]

    def alike(self, t: int, one: Name, two: Name) -> bool:
        """Whether two leaves of a tree need not be told apart."""
        if t >= self.count:
            return one == two
        return self.outputs(t, one) == self.outputs(t, two)

    def parts(self, t: int, leaf: Name) -> bool:
        """Whether a leaf of a pair of trees parts."""
        if t >= self.count:
            return False
        one, two = self.outputs(t, leaf)
        return one != two

    def may_part(self, a: int, b: int | None) -> bool:
        """Whether PARTING is sound for an entry."""
        if not self.paired or a == b:
            return False
        one, two = self.models
        same = (
            one.groups == two.groups
            and one.divisor == two.divisor
            and one.precision == two.precision
            and one.link == two.link
            and one.start == two.start
            and one.cuts == two.cuts
            and one.outputs == two.outputs
        )
        return same and not any(weights.any_order for weights in self.rows)

    def margins(self, row: int, wanted: int) -> list[Margin]:
        """The margins of the class of a row."""
        weights = self.rows[row]
        labels = [label for label in range(weights.model.classes) if wanted in weights.model.rivals(label)]
        return [self.spread(weights.margin(label, wanted, row), row) for label in labels]

    def spread(self, margin: Margin, row: int) -> Margin:
        """The margin of a row, with weights of the leaves of all trees."""
        if len(self.rows) == 1:
            return margin
        mine, raw = self.rows[row], self.rows[row].comparison(margin.label, margin.rival)[2]
        if not self.paired:
            zeros: list[dict[Name, int]] = [dict.fromkeys(v, 0) for v in self.models[1 - row].v]
            margin.weights = margin.weights + zeros if row == 0 else zeros + margin.weights
            return margin
        first, second = self.rows
        margin.weights = [
            {
                (n, m): raw[t][(n, m)[row]]
                + (mine.band if first.carries(t, n) or second.carries(t, m) else 0)
                for n in first.model.v[t]
                for m in second.model.v[t]
            }
            for t in range(self.count)
        ]
        return margin

    def check(
        self, claim: Any, blobs: list[bytes], costs: Costs | None = None
    ) -> tuple[Box, list[Entry], int, int]:
        """Check a claim; its box and entries, and the numbers of nodes and of cells."""
        fields(claim, "box", "never")
        box = read_box(claim["box"], self.features)
        region = Region(self.features, self.trees, box, self.alike)
        if len(self.rows) == 1:
            must(len(array(claim["never"])) > 0, "a claim without entries")
        entries: list[Entry] = []
        nodes, cells = 0, 0
        for a, b, unit, blob in array(claim["never"]):
            integer(a, 0, self.models[0].classes - 1)
            margins = self.margins(0, a)
            if len(self.rows) == 1:
                must(b is None, "a second class, but one row")
            else:
                margins += self.margins(1, integer(b, 0, self.models[1].classes - 1))
            means = Means(parts=self.parts if self.may_part(a, b) else None)
            if not all(weights.any_order for weights in self.rows):
                means.won = lambda reached, margins=margins: self.won(reached, margins)
            if costs is not None:
                means.costs, means.budget = costs.of_ranks(region, box), costs.budget
            body = blobs[integer(blob, 0, len(blobs) - 1)]
            more = Proof(region, margins, True, means).check(body, integer(unit, 1, 2**61))
            entries.append((a, b))
            nodes, cells = nodes + more[0], cells + more[1]
        return box, entries, nodes, cells

    def won(self, reached: list[Name], margins: list[Margin]) -> bool:
        """Whether the library's scores at leaves show for a margin that its label is preferred."""
        scores = [model.scores(self.leaves(reached, row)) for row, model in enumerate(self.models)]
        return any(
            self.models[m.row].prefers(scores[m.row], m.label, m.rival)
            for m in margins
            if not self.rows[m.row].any_order
        )


def check_never(header: dict[str, Any], weights: Weights, blobs: list[bytes]) -> tuple[int, int]:
    """Kind never; the numbers of nodes and of cells."""
    setting = Setting(World(header, [weights.model]), [weights], False, [])
    nodes, cells = 0, 0
    must(len(array(header["claims"])) > 0, "no claims")
    for claim in header["claims"]:
        _, _, more_nodes, more_cells = setting.check(claim, blobs)
        nodes, cells = nodes + more_nodes, cells + more_cells
    return nodes, cells


def check_compare(
    header: dict[str, Any], file: dict[str, Any], first: Weights, other: dict[str, Any], blobs: list[bytes]
) -> tuple[int, int]:
    """Kind compare; the numbers of nodes and of cells."""
    must(file["feature_names"] == other["feature_names"], "files with other features")
    must(file["categories"] == other["categories"], "files with other categories")
    data = header["second"]
    second = Weights(Model(other, data["decision"]), data)
    world = World(header, [first.model, second.model])
    setting = Setting(world, [first, second], boolean(data["paired"]), [])
    labels = [weights.model.labels for weights in (first, second)]
    if labels[0] is None or labels[1] is None:
        raise Rejected("classes without labels")
    (claim,) = array(header["claims"], 1)
    box, entries, nodes, cells = setting.check(claim, blobs)
    must(len(box) == 0, "a comparison inside a box")
    for (a, one), (b, two) in itertools.product(enumerate(labels[0]), enumerate(labels[1])):
        must(str(one) == str(two) or (a, b) in entries, "decisions that are not compared")
    return nodes, cells


def check_pairs(
    header: dict[str, Any], file: dict[str, Any], first: Weights, blobs: list[bytes]
) -> tuple[int, int]:
    """Kind pairs; the numbers of nodes and of cells."""
    data, stated = header["second"], header["property"]
    paired = boolean(data["paired"])
    second = Weights(Model(file, data["decision"]), data)
    world = World(header, [first.model, second.model])
    classes = range(first.model.classes)
    last, named = len(world.features) - 1, world.named()
    monotone = type(stated) is dict and "monotone" in stated
    if monotone:
        fields(stated, "monotone", "direction", "order")
        must(stated["direction"] in ("increasing", "decreasing"), "unknown direction")
        order = listed(stated["order"], len(classes) - 1)
        rank = [order.index(k) if k in order else -1 for k in classes]
        sign = 1 if stated["direction"] == "increasing" else -1
        wanted = {(a, b) for a, b in itertools.product(classes, classes) if sign * (rank[b] - rank[a]) < 0}
        moved = [integer(stated["monotone"], 0, last)]
    else:
        fields(stated, "independent")
        wanted = {(a, b) for a, b in itertools.product(classes, classes) if a != b}
        moved = listed(stated["independent"], last)
        must(len(moved) < 2 or named.isdisjoint(moved), "knowledge about one of several features")
    nodes, cells = 0, 0
    for i, part in zip(moved, array(header["parts"], len(moved)), strict=True):
        fields(part, "apart", "claims")
        must(listed(part["apart"], last) == [i], "a part about another feature")
        feature, claims = world.features[i], array(part["claims"])
        tested = any(c in feature.columns for tree in first.model.trees for c in tree["feature"])
        if not tested and i not in named:
            must(len(claims) == 0, "claims about a feature that nothing depends on")
            continue
        must(not monotone or feature.ordered or len(claims) == 0, "a feature without an order")
        atoms = len(feature.samples) if monotone else feature.atoms
        must(len(claims) == max(0, atoms - 1), "not a claim for each step")
        setting = Setting(world, [first, second], paired, [i])
        for k, claim in enumerate(claims):
            box, entries, more_nodes, more_cells = setting.check(claim, blobs)
            further = range(k + 1, atoms) if i in named else [k + 1]
            must(set(box) == {i, last + 1}, "a step in another box")
            for j, allowed in ((i, [k]), (last + 1, further)):
                inside = [atom for atom in range(feature.atoms) if box[j].has_atom(atom)]
                must(inside == list(allowed), "a step between other atoms")
            must(wanted <= set(entries), "a step without an entry")
            nodes, cells = nodes + more_nodes, cells + more_cells
    return nodes, cells


# Nearest


class Costs:
    """What it costs to hold atoms other than the row's, in units of 2^-grain, and the budget."""

    def __init__(self, data: Any, world: World) -> None:
        """Read the costs."""
        fields(data, "row", "moves", "distance", "grain", "witness")
        self.world, self.row = world, world.row(data["row"])
        world.must_be_possible(self.row)
        self.home = world.atoms(self.row)
        scale = Fraction(2) ** integer(data["grain"], -1000, 1000)
        must(number(data["distance"]) >= 0, "a negative distance")
        self.budget = math.floor(Fraction(number(data["distance"])) * scale)
        must(self.budget < 2**61, "the budget is too large")
        self.costs: list[list[int | None]] = []
        moves = array(data["moves"], len(world.features))
        for j, move in enumerate(moves):
            fields(move, "scale", "jump")
            step = None if move["scale"] is None else Fraction(number(move["scale"]))
            jump = None if move["jump"] is None else Fraction(number(move["jump"]))
            must((step is None or step > 0) and (jump is None or jump >= 0), "a negative cost")
            costs = [self.cost(j, step, jump, atom) for atom in range(world.features[j].atoms)]
            self.costs.append([None if x is None else math.floor(x * scale) for x in costs])

    def cost(self, j: int, step: Fraction | None, jump: Fraction | None, atom: int) -> Fraction | None:
        """What an atom of a feature costs."""
        feature, home = self.world.features[j], self.home[j]
        if atom == home:
            return Fraction(0)
        count = len(feature.samples)
        if not feature.numeric or step is None or atom == count or home == count:
            return jump
        x = self.row[feature.columns[0]]
        low, high = feature.intervals[atom]
        return (Fraction(low) - Fraction(x) if low > x else Fraction(x) - Fraction(high)) / step

    def of_ranks(self, region: Region, box: Box) -> list[dict[Atom, int]]:
        """The costs of all atoms in a box, by rank."""
        must(self.world.inside(self.row, box), "the row is not in the box")
        result: list[dict[Atom, int]] = []
        for j, costs in enumerate(self.costs):
            inside: dict[Atom, int | None] = {rank: costs[cell] for cell, rank in region.rank[j].items()}
            if MISSING in region.root[j]:
                inside[MISSING] = costs[-1]
            result.append({})
            for atom, x in inside.items():
                if x is None:
                    raise Rejected("an atom in the box has no cost")
                must(x < 2**61, "a cost is too large")
                result[j][atom] = x
        return result


def check_nearest(header: dict[str, Any], weights: Weights, blobs: list[bytes]) -> tuple[int, int]:
    """Kind nearest; the numbers of nodes and of cells."""
    model, data = weights.model, header["costs"]
    world = World(header, [model])
    costs = Costs(data, world)
    setting = Setting(world, [weights], False, [])
    (claim,) = array(header["claims"], 1)
    box, entries, nodes, cells = setting.check(claim, blobs, costs)
    must(world.inside(costs.row, box), "the row is not in the box")
    if data["witness"] is not None:
        witness = world.row(data["witness"])
        world.must_be_possible(witness)
        others = set(range(model.classes)) - {a for a, _ in entries}
        must(
            all(weights.shows_other(witness, label) for label in others),
            "a witness that is decided like a class without an entry",
        )
    return nodes, cells


# Shortest


def check_least(
    data: Any,
    world: World,
    weights: Weights,
    box: Box,
    label: int,
    row: list[float],
    fixed: list[int],
    blobs: list[bytes],
) -> None:
    """Check that no set of features of less weight suffices."""
    fields(data, "weights", "avoided", "contrasts", "blob")
    must(len(world.orders) == 0, "a shortest explanation where orders are known")
    count = len(world.features)
    weigh = [Fraction(1)] * count
    if data["weights"] is not None:
        weigh = [Fraction(number(x)) for x in array(data["weights"], count)]
    must(all(x >= 0 for x in weigh), "a negative weight")
    avoided = listed(data["avoided"], count - 1)
    used = [j for j in box if j not in fixed]
    must(not any(j in avoided for j in used), "the explanation uses a feature that is avoided")
    whole = sum(weigh[j] for j in used)
    common = math.lcm(*(x.denominator for x in weigh))
    grain = Fraction(math.gcd(*(int(x * common) for x in weigh)), common)
    reader = Reader(blobs[integer(data["blob"], 0, len(blobs) - 1)])
    home = world.atoms(row)
    contrasts: list[set[int]] = []
    for point in reader.points(integer(data["contrasts"], 0), home, world.features):
        other = world.sample(point)
        world.must_be_possible(other)
        must(weights.shows_other(other, label), "a contrast that is decided like the claim")
        differs = {j for j in range(count) if point[j] != home[j]}
        must(differs.isdisjoint(fixed), "a contrast that differs in a fixed feature")
        contrasts.append(differs - set(avoided))
    nodes = 0
    todo: list[tuple[set[int], set[int]]] = [(set(), set())]
    while todo:
        must(len(todo) <= 2**12, "too many open nodes")
        nodes += 1
        must(nodes <= 2**24, "too many nodes")
        taken, left = todo.pop()
        code = reader.number()
        if code == 0:
            j = reader.number()
            must(j < count and j not in taken and j not in left, "a branch on no free feature")
            todo += [(taken, left | {j}), (taken | {j}, left)]
            continue
        must(code == 1, "unknown code")
        d = reader.number()
        must(d >= 1, "a denominator of 0")
        k, total, paid = 0, 0, dict.fromkeys(set(range(count)) - left, 0)
        for index in range(reader.number()):
            gap, y = reader.number(), reader.number()
            must(index == 0 or gap >= 1, "a contrast is named twice")
            k += gap
            must(k < len(contrasts), "no such contrast")
            must(contrasts[k].isdisjoint(taken), "a contrast with a feature that is in")
            total += y
            for j in contrasts[k] - left:
                paid[j] += y
        must(all(x <= d * weigh[j] for j, x in paid.items()), "a feature pays more than its weight")
        least = sum(weigh[j] for j in taken) + Fraction(total, d)
        must(least >= whole or least + grain > whole, "contrasts that do not close their node")
    reader.must_end()
