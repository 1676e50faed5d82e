"""Knowledge K: what no row violates, as the user states it, or as it was found in the training rows.

Two forms are understood. A *clause* over conditions on single features, however it is written
(``housing=free -> rent=0``, ``not (pregnant=1 and sex=m)``), and an *order* between two numeric features with
a constant (``years_employed <= age - 14``). Over the cells of a model, an order is a staircase: two cells go together
iff some numbers in them do. Orders are closed under chaining first, so that cells go together iff every two of them
do. Where a number is missing, an order says nothing. Sums are those of float64, as a program would check the order.

A rule is a tree that sends impossible points to a forbidden leaf; engines take K in this form, or as an expression.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.domain.feature import Feature
from primewood.domain.interpreter import Interpreter
from primewood.domain.mined import MinedKnowledge, UsedRules
from primewood.errors import InvalidInput, ParseError, brief
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import FALSE, TRUE, And, Constant, Expression, Implies, Literal, Not, Or
from primewood.logic.instance import Box, Point
from primewood.logic.lexicon import Vocabulary
from primewood.logic.statement_parser import read
from primewood.logic.syntax import Join, NameOrder, Statement, Syntax, comparisons_in, leaves, names_in
from primewood.logic.variable import Variable

FORMS = (
    "a constraint is a clause such as 'a and b -> c or d' over conditions on single features, or an order "
    "'x <= y + c' between two numeric ones; it mentions features, not decisions"
)
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max


@dataclass(frozen=True)
class Order:
    """``lower <= upper + c``, or with ``<`` if `strict`, between numeric features; the sum is that of float64.

    Attributes
    ----------
    text : str
    lower, upper : str
    constants : tuple of float
        Added to the upper feature one after the other: a chain of orders has several.
    strict : bool
    through : tuple of str
        The features in the middle of a chain: where one of them is missing, it says nothing.
    links : tuple of str
        The texts of the orders that a chain is made of; none for an order by itself.
    """

    text: str
    lower: str
    upper: str
    constants: tuple[float, ...]
    strict: bool = False
    through: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The texts that it comes from."""
        return self.links or (self.text,)

    def chain(self, other: Order) -> Order:
        """What follows from this order and one whose upper feature is this one's lower.

        It is strict if the other is. If only this one is, a constant that is added may make two numbers equal.
        """
        return Order(
            f"{other.text} and {self.text}",
            other.lower,
            self.upper,
            (*self.constants, *other.constants),
            other.strict or (self.strict and not any(other.constants)),
            (*other.through, other.upper, *self.through),
            (*other.sources, *self.sources),
        )

    @property
    def tightness(self) -> tuple[Fraction, bool]:
        """Less is tighter."""
        return sum(map(Fraction, self.constants), Fraction(0)), not self.strict

    def bound(self, upper: NDArray[np.float64] | float) -> NDArray[np.float64] | float:
        """What the lower feature is at most, or below, for a value of the upper one."""
        for constant in self.constants:
            upper = upper + constant
        return upper

    def holds(self, lower: NDArray[np.float64] | float, upper: NDArray[np.float64] | float) -> Any:
        """Whether two numbers are in order."""
        return lower < self.bound(upper) if self.strict else lower <= self.bound(upper)


@dataclass(frozen=True)
class Constraint:
    """A clause, or an order over cells: a point is impossible iff it is in one of the `forbidden` boxes of masks.

    Those of an order are the steps of a staircase: disjoint runs of values of one variable, each with the values of
    another that are too low for it. What follows from a chain of orders has their texts as `links`.
    """

    text: str
    forbidden: tuple[dict[int, int], ...]
    is_staircase: bool = False
    links: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The texts that it comes from."""
        return self.links or (self.text,)

    def allows(self, point: Point) -> bool:
        """Whether a point violates nothing. Cost: one look at each forbidden box."""
        return not any(all(mask >> point[j] & 1 for j, mask in box.items()) for box in self.forbidden)

    def cuts_into(self, box: Box) -> bool:
        """Whether a box has a point that is forbidden."""
        return any(all(mask & box[j] for j, mask in part.items()) for part in self.forbidden)


@dataclass(frozen=True)
class FewChanges:
    """That rows differ from one row in few features.

    Attributes
    ----------
    row : tuple of float
    point : Point
        Its cell.
    most : int
        How many features may differ.
    """

    row: tuple[float, ...]
    point: Point
    most: int

    def allows(self, point: Point) -> bool:
        """Whether a cell has a row that differs in few features."""
        return sum(a != b for a, b in zip(point, self.point, strict=True)) <= self.most

    def find_kept(self, features: Sequence[Feature], rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows differ in few features."""
        own = np.array(self.row)
        differs = (rows != own) & ~(np.isnan(rows) & np.isnan(own))
        changed = np.stack([differs[:, feature.columns].any(axis=1) for feature in features], axis=1)
        kept: NDArray[np.bool_] = changed.sum(axis=1) <= self.most
        return kept


@dataclass(frozen=True)
class Knowledge:
    """All that is known about rows.

    Attributes
    ----------
    rules : tuple of Constraint
        Over the places of variables.
    orders : tuple of Order
        As the user stated them, for rows; between whole numbers, with a whole constant.
    changes : FewChanges or None
        Of a question about rows near one row, that they differ from it in few features.
    mined : MinedKnowledge or None
        What was found in the training rows, if it was looked for. Its rules are among `rules` and `orders`.
    """

    rules: tuple[Constraint, ...] = ()
    orders: tuple[Order, ...] = ()
    changes: FewChanges | None = None
    mined: MinedKnowledge | None = None

    def __bool__(self) -> bool:
        """Whether some cells are excluded."""
        return bool(self.rules)

    def allows(self, point: Point) -> bool:
        """Whether a row can be at a point."""
        if self.changes is not None and not self.changes.allows(point):
            return False
        return all(rule.allows(point) for rule in self.rules)

    def drop_mined(self) -> Knowledge:
        """What the user stated, without what was found in the training rows, and what follows from both."""
        stated = tuple(rule for rule in self.rules if not self._mined_texts.intersection(rule.sources))
        orders = tuple(order for order in self.orders if order.text not in self._mined_texts)
        return replace(self, rules=stated, orders=orders, mined=None)

    @cached_property
    def _mined_texts(self) -> frozenset[str]:
        return frozenset(() if self.mined is None else self.mined.texts)

    def list_used(self, box: Box, mined: UsedRules | None = None) -> tuple[str, ...]:
        """What an answer about a box may rest on: the constraints that exclude a part of it, and mined rules.

        Parameters
        ----------
        mined
            The mined rules that it rests on; by default all that exclude a part of the box.
        """
        declared = self._list_declared(rule for rule in self.rules if rule.cuts_into(box))
        if self.mined is None:
            return declared
        used = mined or UsedRules(self.list_mined(box), is_minimal=False)
        return (*declared, *self.mined.describe_used(used.texts, is_minimal=used.is_minimal))

    def _list_declared(self, rules: Iterable[Constraint]) -> tuple[str, ...]:
        """What the user stated, of some rules."""
        found: dict[str, None] = {}
        for rule in rules:
            mined = self._mined_texts.intersection(rule.sources)
            found |= dict.fromkeys(x for x in (rule.sources if mined else (rule.text,)) if x not in mined)
        return tuple(found)

    def list_mined(self, box: Box) -> tuple[str, ...]:
        """The mined rules that exclude a part of a box, alone or in a chain of orders."""
        cutting = {text for rule in self.rules if rule.cuts_into(box) for text in rule.sources}
        return tuple(rule.text for rule in self.mined or () if rule.text in cutting)

    def list_all(self) -> tuple[str, ...]:
        """All that is known, in words; of mined rules, how many they are."""
        declared = self._list_declared(self.rules)
        return declared if self.mined is None else (*declared, *self.mined.describe_all())

    def find_broken(self, point: Point, numbers: Mapping[str, float]) -> tuple[str, ...]:
        """The mined rules that a row breaks, which is at a point and has these numbers."""
        broken = {
            rule.text for rule in self.rules if rule.text in self._mined_texts and not rule.allows(point)
        }
        for order in self.orders:
            low, high = numbers[order.lower], numbers[order.upper]
            if order.text in self._mined_texts and not (low != low or high != high or order.holds(low, high)):
                broken.add(order.text)
        return tuple(rule.text for rule in self.mined or () if rule.text in broken)

    def formula(self, variables: Sequence[Variable]) -> Expression:
        """K as an expression."""
        clauses = [
            disjunction([~variables[j].of_mask(mask) for j, mask in box.items()]).over(variables)
            for rule in self.rules
            for box in rule.forbidden
        ]
        return conjunction(clauses) if clauses else TRUE


@dataclass(frozen=True)
class Statements:
    """Constraints as the user wrote them, before there are variables to state them over.

    Attributes
    ----------
    clauses : tuple of Statement
    orders : tuple of Order
    """

    clauses: tuple[Statement, ...] = ()
    orders: tuple[Order, ...] = ()

    @cached_property
    def comparisons(self) -> tuple[tuple[str, str, float], ...]:
        """The comparisons with numbers in the clauses: feature, operator, number."""
        return tuple(one for said in self.clauses for one in comparisons_in(said.condition))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The features that clauses or orders mention."""
        in_orders = {name for order in self.orders for name in (order.lower, order.upper)}
        return frozenset(name for said in self.clauses for name in names_in(said.condition)) | in_orders

    def over(
        self, features: Sequence[Feature], column_names: Sequence[str], mined: MinedKnowledge | None = None
    ) -> Knowledge:
        """The knowledge over the variables of features; `mined` says which of it was found in the training rows."""
        seen = [feature for feature in features if feature.variable is not None]
        places = {feature.name: j for j, feature in enumerate(seen)}
        interpreter = Interpreter(features, column_names)
        rules = [_rule(said, interpreter, places) for said in self.clauses]
        by_name = {feature.name: feature for feature in features}
        for order in self.orders:
            for name in (order.lower, order.upper):
                if name not in by_name or by_name[name].kind != "numeric":
                    raise InvalidInput(
                        f"constraint {brief(order.text)!r}: {name} is not numeric, or belongs to a group"
                    )
        whole = {feature.name for feature in features if feature.whole}
        orders = [
            _round_order(order) if {order.lower, order.upper} <= whole else order for order in self.orders
        ]
        _check_chains(orders, whole)
        for order in chain_orders(orders):
            rules.append(_staircase(order, by_name, places))
        rules.sort(key=lambda rule: rule.is_staircase)
        return Knowledge(tuple(rule for rule in rules if rule.forbidden), tuple(orders), mined=mined)


def _rule(said: Statement, interpreter: Interpreter, places: dict[str, int]) -> Constraint:
    """A clause, or several, over the places of variables."""
    try:
        expression = interpreter.expression(said.condition, said.text)
    except ParseError as problem:
        raise _not_understood(said.text, problem) from None
    boxes = []
    for clause in _clauses(expression, said.text):
        box: dict[int, int] = {}
        for literal in clause:
            j = places[literal.variable.name]
            outside = literal.variable.everything & ~literal.mask
            box[j] = box.get(j, literal.variable.everything) & outside
        if all(box.values()):
            boxes.append(box)
    return Constraint(said.text, tuple(boxes))


def _not_understood(text: str, problem: ParseError) -> InvalidInput:
    """The error about a constraint: which one, where in it, and what the forms are."""
    first, *more = problem.args
    return InvalidInput(f"constraint {brief(text)!r} is not understood: {first}", *more, FORMS)


def read_constraints(constraints: Sequence[str] | None, vocabulary: Vocabulary) -> Statements:
    """The constraints that a user states, taken apart."""
    if constraints is None:
        return Statements()
    if isinstance(constraints, str) or not all(isinstance(text, str) for text in constraints):
        raise InvalidInput(f"constraints must be a list of texts, not {constraints!r}")
    clauses: list[Statement] = []
    orders: list[Order] = []
    for text in constraints:
        try:
            said = read(text, vocabulary)
        except ParseError as problem:
            raise _not_understood(text, problem) from None
        for part in _conjuncts(said.condition):
            if isinstance(part, NameOrder):
                orders.append(_order(part, text))
            elif _has_orders(part):
                raise InvalidInput(f"constraint {brief(text)!r}: an order stands by itself; {FORMS}")
            else:
                clauses.append(Statement(text, part))
    return Statements(tuple(clauses), tuple(orders))


def _conjuncts(node: Syntax) -> Iterator[Syntax]:
    """The conditions that a tree is the conjunction of, those with orders by themselves."""
    todo = [node]
    while todo:
        here = todo.pop()
        if isinstance(here, Join) and here.connective == "and" and _has_orders(here):
            todo += reversed(here.parts)
        else:
            yield here


def _has_orders(node: Syntax) -> bool:
    return any(isinstance(leaf, NameOrder) for leaf in leaves(node))


def _order(node: NameOrder, text: str) -> Order:
    """An order between two features."""
    if node.left.text == node.right.text:
        raise InvalidInput(f"constraint {brief(text)!r} compares {node.left.text} with itself")
    left, right = (_constant(number) for number in node.constants)
    strict = node.operator in ("<", ">")
    if node.operator in ("<=", "<"):
        return Order(text, node.left.text, node.right.text, (float(right - left),), strict)
    return Order(text, node.right.text, node.left.text, (float(left - right),), strict)


def _constant(number: str) -> Fraction:
    """A number exactly, if it is within what float64 holds."""
    if number.strip("-0.") and not SMALLEST <= abs(float(number)) <= LARGEST:
        raise InvalidInput(
            f"the constant {brief(number, 40)} of a constraint is outside the range of float64"
        )
    return Fraction(number)


def _round_order(order: Order) -> Order:
    """The order that says the same of whole numbers, with a whole constant and without strictness."""
    (constant,) = order.constants
    least = math.ceil(constant) - 1 if order.strict else math.floor(constant)
    return Order(order.text, order.lower, order.upper, (float(least),))


def _check_chains(orders: Sequence[Order], whole: set[str]) -> None:
    """Refuse a whole number with numbers of other kinds below and above it: pairs of cells do not tell about such."""
    for order in orders:
        for above in orders:
            if order.upper == above.lower and order.upper in whole and not {order.lower, above.upper} & whole:
                raise InvalidInput(
                    f"constraints {brief(order.text)!r} and {brief(above.text)!r} chain through {order.upper}, "
                    'which is whole, between features that are not; declare it "numeric", or the others whole'
                )


def _clauses(expression: Expression, text: str) -> list[list[Literal]]:
    """The clauses that an expression is the conjunction of."""
    if isinstance(expression, Constant):
        if expression == FALSE:
            raise InvalidInput(f"constraint {brief(text)!r} excludes every row")
        return []
    if isinstance(expression, And):
        return [clause for part in expression.arguments for clause in _clauses(part, text)]
    return [_clause_of(expression, text, positive=True)]


def _clause_of(expression: Expression, text: str, *, positive: bool) -> list[Literal]:
    if isinstance(expression, Literal):
        outside = expression.variable.everything & ~expression.mask
        return [expression if positive else Literal(expression.variable, outside)]
    if isinstance(expression, Not):
        return _clause_of(expression.argument, text, positive=not positive)
    if isinstance(expression, Or if positive else And):
        return [x for part in expression.arguments for x in _clause_of(part, text, positive=positive)]
    if isinstance(expression, Implies) and positive:
        premise, conclusion = expression.arguments
        return [
            *_clause_of(premise, text, positive=False),
            *_clause_of(conclusion, text, positive=True),
        ]
    raise InvalidInput(f"constraint {brief(text)!r} is not a clause; {FORMS}")


def chain_orders(orders: Sequence[Order]) -> list[Order]:
    """The orders and all that follows from them by chaining, but for what follows from a tighter one as well.

    One is tighter than another only if it says something wherever the other does: with no more features in its middle.
    """
    tightest: dict[tuple[str, str], list[Order]] = {}
    todo = list(orders)
    while todo:
        order = todo.pop()
        key = (order.lower, order.upper)
        if order.lower == order.upper:
            if order.tightness < (Fraction(0), True):
                raise InvalidInput(f"no row can satisfy the constraints: {order.text}")
            continue
        if {*key} & {*order.through} or len({*order.through}) < len(order.through):
            continue  # it goes in a circle, and says no more than without it
        known = tightest.setdefault(key, [])
        if any(o.tightness <= order.tightness and {*o.through} <= {*order.through} for o in known):
            continue
        known.append(order)
        for other in [o for orders in tightest.values() for o in orders]:
            if other.upper == order.lower:
                todo.append(order.chain(other))
            if other.lower == order.upper:
                todo.append(other.chain(order))
    return [order for orders in tightest.values() for order in orders]


def _staircase(order: Order, features: dict[str, Feature], places: dict[str, int]) -> Constraint:
    """The cells that never go together: those of the upper feature that are too low for one of the lower.

    For a chain, only where nothing in its middle is missing.
    """
    lower, upper = features[order.lower], features[order.upper]
    highs = np.array([upper.ends(w)[1] for w in range(_cells(upper))])
    boxes: dict[int, int] = {}
    for v in range(_cells(lower)):
        low = lower.ends(v)[0]
        below = sum(1 << int(w) for w in np.flatnonzero(~order.holds(low, highs)))
        if below:
            boxes[below] = boxes.get(below, 0) | 1 << v
    j, k = places.get(order.lower), places.get(order.upper)
    if j is None and k is None and boxes:
        raise InvalidInput(f"no row can satisfy the constraints: {order.text}")
    through = [features[name] for name in order.through if features[name].missing]
    present = [(places[feature.name], (1 << _cells(feature)) - 1) for feature in through]
    masks = [[(j, mask), (k, below), *present] for below, mask in boxes.items()]
    steps = tuple({place: mask for place, mask in box if place is not None} for box in masks)
    return Constraint(order.text, steps, j is not None and k is not None, order.links)


def _cells(feature: Feature) -> int:
    """How many cells the numbers of a feature have; one without a variable."""
    return 1 if feature.variable is None else len(feature.variable.cuts or ()) + 1


def find_violation(
    orders: Sequence[Order], names: Sequence[str], rows: NDArray[np.float64]
) -> tuple[int, Order] | None:
    """The first row that breaks an order, and the order; None if no row does."""
    for order in orders:
        low, high = rows[:, names.index(order.lower)], rows[:, names.index(order.upper)]
        broken = ~np.isnan(low) & ~np.isnan(high) & ~order.holds(low, high)
        if broken.any():
            return int(np.flatnonzero(broken)[0]), order
    return None


def numbers_in_order(
    orders: Sequence[Order],
    ends: dict[str, tuple[float, float]],
    whole: frozenset[str],
    wanted: dict[str, float],
) -> dict[str, float] | None:
    """Numbers between given ends (both included) that satisfy orders, near those that are wanted; None if none do.

    Uppers are raised as far as they must be; where that is too far, all start from their least numbers. Cost: one pass
    over the orders for each time that a number moves.
    """
    near = {name: min(max(wanted[name], low), high) for name, (low, high) in ends.items()}
    apart = (1 + sum(abs(c) for order in orders for c in order.constants)) * (len(ends) + 1)
    floor = math.floor(min(x for x in (*near.values(), *(high for _, high in ends.values()))) - apart)
    least = {name: max(low, floor) for name, (low, _) in ends.items()}  # only differences count
    found = _raise_uppers(orders, near, ends, whole)
    return _raise_uppers(orders, least, ends, whole) if found is None else found


def _raise_uppers(
    orders: Sequence[Order],
    least: dict[str, float],
    ends: dict[str, tuple[float, float]],
    whole: frozenset[str],
) -> dict[str, float] | None:
    orders = [order for order in orders if order.lower in ends and order.upper in ends]
    for _ in range(4 * len(ends) + 4):
        moved = False
        for order in orders:
            if not order.holds(least[order.lower], least[order.upper]):
                least[order.upper] = _least_above(order, least[order.lower], whole=order.upper in whole)
                moved = True
        if not moved:
            break
    if moved or any(least[name] > high for name, (_, high) in ends.items()):
        return None
    return least


def _least_above(order: Order, lower: float, *, whole: bool) -> float:
    """The least number for the upper feature of an order."""
    found = lower - sum(order.constants)
    if whole:
        found = math.floor(found) - 1.0
        while not order.holds(lower, found):
            found = max(found + 1.0, math.nextafter(found, math.inf))
        return found
    step = 4 * math.ulp(max(abs(lower), *map(abs, order.constants)))
    below = found - 2 * step
    while order.holds(lower, below):
        below -= 2 * step
    while not order.holds(lower, found):
        found += step
    while below < (middle := (below + found) / 2) < found:
        below, found = (below, middle) if order.holds(lower, middle) else (middle, found)
    return found
