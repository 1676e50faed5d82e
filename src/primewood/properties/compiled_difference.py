"""Where two compiled models decide differently: their product, level by level.

Two models cut the same columns in different places. Both diagrams are first put over the joint variables (a column
is cut wherever one of the two cuts it, which only repeats entries of a level), and the second one into the
order of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from primewood.domain import Domain, Feature
from primewood.engines.diagram.compiler import reorder
from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.product import product, relabel
from primewood.errors import InvalidInput, format_list, quote_value
from primewood.logic.interval import MISSING, Interval
from primewood.logic.variable import Variable
from primewood.model.context import UNDECIDED, Context, TreeContext
from primewood.questions.explanation import Explanation
from primewood.render.numbers import format_count
from primewood.render.records import DifferenceRecord
from primewood.visible import Readable

if TYPE_CHECKING:
    from primewood.properties.compiled import Compiled

SAME = "same"


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Readable):
    """Where two models decide differently.

    Attributes
    ----------
    compiled : Compiled
        A diagram whose decisions are "same" and "a -> b" for each pair of different decisions that occurs.

    Examples
    --------
    >>> from primewood import Variable, compile, parse
    >>> variables = [Variable.boolean(name) for name in "AB"]
    >>> first, second = (compile(parse(text, variables)) for text in ("A & B", "A | B"))
    >>> difference = first.difference(second)
    >>> print(difference)
    different
       The two models differ on 50.000% of the cells (False -> True: 2 cells).
    """

    compiled: Compiled

    @cached_property
    def equivalent(self) -> bool:
        """Whether the two decide alike on every row."""
        return not self.kinds

    @property
    def kinds(self) -> tuple[str, ...]:
        """The pairs of different decisions that occur, the first model's decision first."""
        return tuple(str(name) for name in self.compiled.class_names[1:])

    def share(self, distribution: Any = "uniform") -> float:
        """How much of the input space is decided differently; see `Compiled.share`."""
        return sum(share for name, share in self.compiled.share(distribution).items() if name != SAME)

    def regions(self) -> Iterator[Explanation]:
        """The regions that are decided differently, as prime rules: lazily, those of each kind by size."""
        for kind in self.kinds:
            yield from self.compiled.prime_implicants(kind)

    def widest(self) -> Explanation | None:
        """The region that is decided differently with the largest share of cells; None if there is none."""
        sizes = self.compiled.diagram.variables
        found = [self.compiled.prime_implicants(kind).widest() for kind in self.kinds]

        def share(why: Explanation) -> float:
            box = why.term.box(sizes)
            return float(np.prod([m.bit_count() / len(x) for m, x in zip(box, sizes, strict=True)]))

        return max((why for why in found if why is not None), key=share, default=None)

    def to_dict(self) -> DifferenceRecord:
        """The difference in plain types: how many cells are decided differently, and how."""
        counts = self.compiled.count()
        return {
            "equivalent": self.equivalent,
            "share": self.share(),
            "kinds": {kind: counts[kind] for kind in self.kinds},
            "assumptions": list(self.compiled._context.assumptions),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import difference

        return difference(self.to_dict())

    def __repr__(self) -> str:
        kinds = format_count(len(self.kinds), "kind")
        return (
            f"<Difference {'equivalent' if self.equivalent else f'{self.share():.3%} of the cells, {kinds}'}>"
        )

    def __str__(self) -> str:
        record = self.to_dict()
        given = f"\n   Assumes: {'; '.join(record['assumptions'])}." if record["assumptions"] else ""
        if self.equivalent:
            return f"equivalent\n   Proved: the two models decide alike on every row.{given}"
        told = format_list(f"{name}: {count:,} cells" for name, count in record["kinds"].items())
        return f"different\n   The two models differ on {record['share']:.3%} of the cells ({told}).{given}"


def difference(a: Compiled, b: Compiled) -> Difference:
    """The difference of two compiled models."""
    from primewood.properties.compiled import Compiled

    if not isinstance(b, Compiled):
        raise InvalidInput(f"difference takes two compiled models; compile {quote_value(b)} first")
    context = _joint(a._context, b._context)
    left = _move_to(a.diagram, context)
    right = reorder(_move_to(b.diagram, context), left.order)
    both, pairs = product(left, right)
    names: list[str] = [SAME]
    place = np.zeros(len(pairs), dtype=np.int32)
    for i, (x, y) in enumerate(pairs):
        if x == a.diagram.impossible or y == b.diagram.impossible:
            continue
        first, second = a.class_names[x], b.class_names[y]
        if str(first) != str(second) or first == UNDECIDED:
            names.append(f"{first} -> {second}")
            place[i] = len(names) - 1
    diagram = relabel(both, place, len(names))
    return Difference(Compiled(diagram, replace(context, class_names=tuple(names))))


def _joint(a: Context, b: Context) -> Context:
    """The context of both: a column is cut wherever one of the two cuts it."""
    if not isinstance(a, TreeContext) or not isinstance(b, TreeContext):
        if type(a) is not type(b) or set(a.variables) != set(b.variables):
            raise InvalidInput("an expression is compared with an expression over the same variables")
        return a
    if a.column_names != b.column_names:
        raise InvalidInput(
            f"the two take different columns: {format_list(a.column_names)}, and {format_list(b.column_names)}"
        )
    if a.feature_names != b.feature_names:
        raise InvalidInput(
            f"the two have different features: {format_list(a.feature_names)}, and {format_list(b.feature_names)}; "
            "pass groups= for both"
        )
    features = tuple(_joint_feature(f, g) for f, g in zip(a.domain.features, b.domain.features, strict=True))
    stated = [text for domain in (a.domain, b.domain) for text in domain.knowledge.list_all()]
    assumptions = tuple(dict.fromkeys((*a.domain.assumptions, *b.domain.assumptions, *stated)))
    domain = Domain(features, a.column_names, assumptions)
    points = None if a.rows is None else domain.points(a.rows)
    return replace(a, variables=domain.variables, domain=domain, points=points)


def _joint_feature(f: Feature, g: Feature) -> Feature:
    """A column as both see it. The assumptions are those of the models that test it."""
    looking = [h for h in (f, g) if h.variable is not None]
    if not looking:
        return Feature(f.name, "numeric", f.columns, True, None)
    if len(looking) < 2:
        return looking[0]
    if f.patterns is not None and g.patterns is not None and f.patterns != g.patterns:
        raise InvalidInput(
            f"{f.name} has different codes or names of codes in the two models; pass domain= for both"
        )
    if (f.low, f.high, f.whole) != (g.low, g.high, g.whole):
        raise InvalidInput(f"{f.name} has different bounds in the two models; pass domain= for both")
    coded = f if f.patterns is not None else g
    missing = f.missing and g.missing
    variables = [h.variable for h in looking if h.variable is not None]
    return replace(coded, missing=missing, variable=_joint_variable(variables, coded, missing))


def _joint_variable(variables: Sequence[Variable], coded: Feature, missing: bool) -> Variable | None:
    if coded.patterns is not None:
        ordered = bool(coded.variable and coded.variable.ordered and not coded.variable.is_numeric)
        return Variable.categorical(coded.name, coded.patterns.values(), missing=missing, ordered=ordered)
    if len({x.closed for x in variables}) > 1:
        raise InvalidInput(
            f"one model tests {coded.name} with <, the other with <=: they cannot be compared yet"
        )
    cuts = sorted({cut for x in variables for cut in x.cuts or ()})
    closed = variables[0].closed or "left"
    return Variable.numeric(coded.name, cuts, closed, missing=missing) if cuts or missing else None


def _move_to(diagram: Diagram, context: Context) -> Diagram:
    """A diagram over the joint variables: columns are repeated or left out; missing levels are added."""
    own = {x.name: j for j, x in enumerate(diagram.variables)}
    place = {x.name: j for j, x in enumerate(context.variables)}
    order, levels = [], []
    root = diagram.root
    for j, level in zip(diagram.order, diagram.levels, strict=True):
        x = diagram.variables[j]
        if x.name in place:
            joint = context.variables[place[x.name]]
            order.append(place[x.name])
            levels.append(level[:, _values_in(x, joint, context)])
        else:  # its numbers are all alike and it is never missing: one column is left
            if levels:
                levels[-1] = level[:, 0][levels[-1]]
            else:
                root = int(level[root, 0])
    for name, j in place.items():
        if name not in own:
            order.append(j)
            ends = np.arange(diagram.terminals, dtype=np.int32)
            levels.append(np.repeat(ends[:, None], len(context.variables[j]), axis=1))
    whole = Diagram(context.variables, tuple(order), tuple(levels), root, diagram.terminals)
    return relabel(whole, np.arange(diagram.terminals, dtype=np.int32), diagram.terminals)


def _values_in(x: Variable, joint: Variable, context: Context) -> list[int]:
    """For each value of the joint variable, the value of `x` that it lies in."""
    feature = context.feature(x.name)
    if feature is None or (feature.patterns is not None and not x.is_numeric):
        return [x.index(value) for value in joint.values]
    if feature.codes is not None:
        numbers: list[object] = [*feature.codes, *([MISSING] if joint.missing is not None else [])]
        return [x.index(number) for number in numbers]
    return [_hold(x, value) for value in joint.values]


def _hold(x: Variable, value: object) -> int:
    if not isinstance(value, Interval):
        return x.index(value)
    end = value.high if x.closed == "right" else value.low
    return int(np.searchsorted(x.cuts or (), end, side="left" if x.closed == "right" else "right"))
