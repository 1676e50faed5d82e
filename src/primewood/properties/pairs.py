"""Properties of pairs of rows: monotonicity, independence, robustness everywhere.

A pair of rows is a point of the product of two copies of the model: the features that the two rows share are shared,
the others are doubled. Where only one feature may differ, it is enough to look at neighbouring values: decisions that
change along a feature change between two neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as Choice

import numpy as np

from primewood.domain.knowledge import numbers_in_order
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.engines.search.joint import Demand, JointForest, Relation
from primewood.engines.search.oracle import SearchForest
from primewood.ensemble import Level
from primewood.errors import InvalidInput, format_list, told
from primewood.fields import flag, one_of, optional, real, takes
from primewood.logic.instance import Box, Point
from primewood.logic.interval import number
from primewood.logic.syntax import Statement
from primewood.model.rows_of_cells import Row
from primewood.properties.sweep import Forbidden, Hunt, SweepDirection
from primewood.properties.verification import Verification, Verifier
from primewood.properties.wording import Claim, ClaimKind, Outcome

Direction = Choice["increasing", "decreasing"]
LOOKING = 0.25
"""This share of the time, training rows are looked at before anything is searched for."""
RELATIVELY = " of each feature's range"


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows of one model that may differ in some variables, by their places."""

    verifier: Verifier
    doubled: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    second: SearchForest | None = None
    """What decides about the second row, if it is not the model itself."""

    @cached_property
    def joint(self) -> JointForest:
        """The product; that of the model with itself is kept for the next question."""
        if self.second is not None:
            return self._join()
        return self.verifier.engines.joints().get((self.doubled, self.relations), self._join)

    def _join(self) -> JointForest:
        """One copy of each tree as long as few variables are doubled."""
        variables = self.verifier.context.variables
        forest = self.verifier.engines.search_forest()
        places = list(range(len(variables)))
        for i, j in enumerate(self.doubled):
            places[j] = len(variables) + i
        return JointForest(
            (*variables, *(variables[j] for j in self.doubled)),
            [(forest, range(len(variables))), (self.second or forest, places)],
            relations=self.relations,
            paired=len(self.doubled) <= max(2, len(variables) // 8),
            twins=self.second is None,
        )

    def box(self, first: dict[int, int], second: dict[int, int]) -> Box:
        """A box in which the doubled variables have given values in the two rows; free where nothing is given."""
        variables = self.verifier.context.variables
        one = [first.get(j, x.everything) for j, x in enumerate(variables)]
        return (*one, *(second.get(j, variables[j].everything) for j in self.doubled))

    def find(self, box: Box, labels: tuple[int, int], clock: Clock) -> Reply:
        """A pair of rows, the first decided for one label and the second for another.

        The trees are put together in the time of the whole question; the clock is that of this search.
        """
        if not self.joint.build(self.verifier.clock):
            return Verdict.INTERRUPTED
        demands = [Demand(part, label) for part, label in enumerate(labels)]
        return self.joint.find(box, demands, clock)

    def rows(self, point: Point) -> tuple[Row, Row] | None:
        """Two rows at a joint point that differ only where they may; None if constraints leave none."""
        a, b = self._recognise(self.joint.part(point, 0), self.joint.part(point, 1))
        row = self.verifier.row(a)
        if self.relations:
            row = self._towards(row, a, b)
        if self.verifier.subject.domain.knowledge.orders:
            return self._order_numbers(row, a, b)
        other = self.verifier.context.cells.nearest_row(b, row, a)
        return None if other is None else (row, other)

    def _recognise(self, a: Point, b: Point) -> tuple[Point, Point]:
        """The same pair with values of training rows, where both rows share a value and keep their decisions."""
        forest = self.verifier.engines.search_forest()
        second, allows = self.second or forest, self.verifier.subject.domain.knowledge.allows
        decided = forest.decide(a), second.decide(b)

        def other(point: Point) -> Point:
            return tuple(b[j] if j in self.doubled else v for j, v in enumerate(point))

        def shows(point: Point) -> bool:
            there = other(point)
            return allows(there) and (forest.decide(point), second.decide(there)) == decided

        variables = self.verifier.context.variables
        box = tuple(1 << a[j] if j in self.doubled else x.everything for j, x in enumerate(variables))
        a = self.verifier.recognise(a, box, shows)
        return a, other(a)

    def _order_numbers(self, row: Row, a: Point, b: Point) -> tuple[Row, Row] | None:
        """Numbers for both rows at once that satisfy the orders; what is not doubled is the same in both."""
        domain, context = self.verifier.subject.domain, self.verifier.context
        free = {context.variables[j].name for j in self.doubled}
        other = context.cells.nearest_row(b, row, a)
        if other is None:
            return None
        cells = {f.name: (a[k], b[k]) for k, f in enumerate(domain.seen)}
        concerned = {name for order in domain.knowledge.orders for name in (order.lower, order.upper)}
        features = [f for f in domain.features if f.name in concerned]
        names = {
            f.name: (f.name, f"{f.name} of the second row" if f.name in free else f.name) for f in features
        }
        ends: dict[str, tuple[float, float]] = {}
        wanted: dict[str, float] = {}
        for f in features:
            for name, table, cell in zip(names[f.name], (row, other), cells.get(f.name, (0, 0)), strict=True):
                if not np.isnan(table[f.column]):
                    ends[name] = f.ends(cell)
                    wanted.setdefault(name, float(table[f.column]))
        orders = [
            replace(order, lower=names[order.lower][side], upper=names[order.upper][side])
            for order in domain.knowledge.orders
            for side in (0, 1)
        ]
        whole = frozenset(name for f in features if f.whole for name in names[f.name])
        found = numbers_in_order(orders, ends, whole, wanted)
        if found is None:
            return None
        for f in features:
            for name, table in zip(names[f.name], (row, other), strict=True):
                table[f.column] = found.get(name, np.nan)
        return row, other

    def _towards(self, row: Row, a: Point, b: Point) -> Row:
        """The row with numbers as near as they can be to the cells of the second one."""
        moved = row.copy()
        for j in self.doubled:
            feature = self.verifier.subject.domain.seen[j]
            if a[j] != b[j] and feature.patterns is None and not np.isnan(row[feature.column]):
                low, high = feature.ends(b[j])
                moved[feature.column] = feature.nearest(a[j], low if b[j] > a[j] else high)
        return moved


@dataclass(frozen=True)
class Monotone:
    """Raising a feature never takes a decision back.

    Attributes
    ----------
    feature : str
    direction : {"increasing", "decreasing"}
        Whether decisions only go up in the order of the classes (to the target) as the feature goes up, or only down.
    target : object
        The decision that is gained. None: the explainer's `positive`, or else the decisions in their own order, which
        numbers and levels of a prediction have; names have none, and need a target.
    """

    feature: str
    direction: Direction = "increasing"
    target: object = None

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        place = verifier.context.place(self.feature)
        if place is not None and not verifier.context.variables[place].ordered:
            raise InvalidInput(
                f"{self.feature} has no order; pass domain={{{self.feature!r}: pw.ordered(...)}}"
            )
        names = [str(name) for name in verifier.context.class_names]
        wanted, up = self._find_wanted(verifier), self.direction == "increasing"
        raising, about = f"raising {self.feature}", (self.direction, (self.feature,))
        if wanted is None and len(names) > 2:
            name = f"monotone in {self.feature} ({self.direction}, in the order {format_list(names)})"
            change = f"the decision in the order {format_list(names)}"
            verbs = ("lowers", "lower") if up else ("raises", "raise")
            return _claim(name, raising, (f"{verbs[0]} {change}", f"{verbs[1]} {change}"), *about)
        target = len(names) - 1 if wanted is None else wanted
        own = names[target]
        other = names[1 - target] if len(names) == 2 else "another decision"
        before, after = (own, other) if up else (other, own)
        change = f"{before} into {after}"
        name = f"monotone in {self.feature} ({self.direction}, target {own})"
        return _claim(name, raising, (f"turns {change}", f"turn {change}"), *about)

    def verify(self, verifier: Verifier) -> Verification:
        context, claim = verifier.context, self.claim(verifier)
        place = context.place(self.feature)
        if place is None:
            return verifier.state_proof(claim)
        x = context.variables[place]
        taken_back, up = self._taken_back(verifier), self.direction == "increasing"
        hunt = Hunt(verifier, [place], _forbidden(verifier, taken_back, "up" if up else "down"))
        if place in _constrain(verifier):
            values = range(x.ordered)
            runs = [(v, x.ordered - 1) if up else (0, v) for v in values]
            beyond = Relation(place, len(context.variables), *_columns(runs))
            pairs = Pairs(verifier, (place,), (beyond,))
            return _rows_first(verifier, claim, hunt, lambda: _no_pair(verifier, claim, pairs, taken_back))
        steps = [(1 << v, 1 << v + 1) for v in range(x.ordered - 1)]
        if not up:
            steps = [(after, before) for before, after in steps]
        return _rows_first(
            verifier, claim, hunt, lambda: _search_by_steps(verifier, claim, place, steps, taken_back)
        )

    def _find_wanted(self, verifier: Verifier) -> int | None:
        """The label of the decision that is gained; None for the order of the labels."""
        if self.target is not None:
            return verifier.context.label(self.target)
        if verifier.positive is not None and len(verifier.context.class_names) == 2:
            return verifier.positive
        if verifier.ordered:
            return None
        names = verifier.context.class_names
        call = f"pw.monotone({self.feature!r}, {self.direction!r}, target={names[0]!r})"
        verb = "take" if self.direction == "increasing" else "bring"
        raise InvalidInput(
            f"monotone needs a target: the decisions {format_list(names)} are names, which have no order. Pass the one "
            f"that raising {self.feature} should never {verb}{' away' if verb == 'take' else ''}, such as {call}"
        )

    def _taken_back(self, verifier: Verifier) -> list[tuple[int, int]]:
        """The pairs of decisions, before and after, that must not be."""
        labels = range(len(verifier.context.class_names))
        wanted = self._find_wanted(verifier)
        if wanted is None:
            return [(before, after) for before in labels for after in labels if after < before]
        return [(wanted, after) for after in labels if after != wanted]


def _claim(
    name: str, doing: str, verbs: tuple[str, str], kind: ClaimKind, features: tuple[str, ...]
) -> Claim:
    """That doing something never does something else: "raising income", and ("turns a into b", "turn a into b")."""
    return Claim(
        name,
        f"{doing} never {verbs[0]}",
        f"{doing} {verbs[0]} for some rows",
        f"{doing} can {verbs[1]}",
        kind,
        features,
    )


@dataclass(frozen=True)
class IndependentOf:
    """Changing these features only never changes the decision."""

    features: tuple[str, ...]

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        for feature in self.features:
            verifier.context.place(feature)
        verbs = ("changes the decision", "change the decision")
        name, changing = f"independent of {format_list(self.features)}", " and ".join(self.features)
        return _claim(name, f"changing only {changing}", verbs, "independent", self.features)

    def verify(self, verifier: Verifier) -> Verification:
        context, claim = verifier.context, self.claim(verifier)
        places = [place for name in self.features if (place := context.place(name)) is not None]
        different = _different(verifier)
        hunt = Hunt(verifier, places, _forbidden(verifier, different, "any"))
        if _constrain(verifier) & {*places}:
            pairs = Pairs(verifier, tuple(places))
            return _rows_first(verifier, claim, hunt, lambda: _no_pair(verifier, claim, pairs, different))
        return _rows_first(
            verifier, claim, hunt, lambda: self._search_by_steps(verifier, claim, places, different)
        )

    @staticmethod
    def _search_by_steps(
        verifier: Verifier, claim: Claim, places: Sequence[int], different: Sequence[tuple[int, int]]
    ) -> Verification:
        """One at a time, and along a path through all values: decisions that differ, differ somewhere on the way."""
        outcomes = []
        for place in places:
            values = range(len(verifier.context.variables[place]))
            steps = [(1 << v, 1 << v + 1) for v in values[:-1]]
            outcomes.append(_search_by_steps(verifier, claim, place, steps, different))
            if outcomes[-1].outcome is Outcome.FAILS:
                return outcomes[-1]
        undecided = [one for one in outcomes if one.outcome is Outcome.UNDECIDED]
        return undecided[0] if undecided else verifier.state_proof(claim)


def _forbidden(verifier: Verifier, pairs: Sequence[tuple[int, int]], way: SweepDirection) -> Forbidden:
    return Forbidden.of(pairs, len(verifier.context.class_names), way)


def _rows_first(
    verifier: Verifier, claim: Claim, hunt: Hunt, search: Callable[[], Verification]
) -> Verification:
    """Look at the training rows, then search; if it fails, count the training rows that break it."""
    hunt.look(verifier.part(LOOKING), until_found=True)
    found = None
    if hunt.witness is not None:
        table = hunt.forbidden.pairs
        found = verifier.state_failure(claim, hunt.witness, lambda labels: bool(table[labels[0], labels[1]]))
    if found is None or found.outcome is not Outcome.FAILS:
        found = search()
    if found.outcome is Outcome.HOLDS:
        return found
    hunt.look(verifier.clock)
    return replace(found, breaking=hunt.breaking)


def _search_by_steps(
    verifier: Verifier,
    claim: Claim,
    place: int,
    steps: Sequence[tuple[int, int]],
    forbidden: Sequence[tuple[int, int]],
) -> Verification:
    """Whether no step of one variable alone leads from one to the other of forbidden decisions."""
    pairs = Pairs(verifier, (place,))
    questions = [(step, labels) for step in steps for labels in forbidden]
    open_ = list(questions)
    # All get a little time first, so that an easy answer does not wait behind a hard one.
    for share in (0.02, 0.2, 1.0):
        open_, again = [], open_
        for i, ((before, after), labels) in enumerate(again):
            if verifier.clock.expired():
                open_ += again[i:]
                break
            left = verifier.clock.left()
            clock = Clock(
                None if left < 0 else max(share * left / (len(again) - i), 0.001), verifier.clock.work_limit
            )
            reply = pairs.find(pairs.box({place: before}, {place: after}), labels, clock)
            if isinstance(reply, tuple):
                rows = pairs.rows(reply)
                if rows is not None:
                    return verifier.state_failure(
                        claim, rows, lambda found: (found[0], found[1]) in forbidden
                    )
            if reply is not Verdict.NONE_EXISTS:
                open_.append(((before, after), labels))
        if not open_:
            return verifier.state_proof(claim)
        if verifier.clock.left() < 0:
            break
    proved = 1 - len(open_) / len(questions)
    name = verifier.context.variables[place].name
    note = f"{len(questions) - len(open_)} of {len(questions)} steps of {name} are proved, none was found to break it"
    return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=proved, note=note)


def _different(verifier: Verifier) -> list[tuple[int, int]]:
    labels = range(len(verifier.context.class_names))
    return [(a, b) for a in labels for b in labels if a != b]


def _constrain(verifier: Verifier) -> set[int]:
    """The positions of the variables in constraints: a value between two others may then be impossible."""
    rules = verifier.subject.domain.knowledge.rules
    return {j for rule in rules for box in rule.forbidden for j in box}


def _no_pair(
    verifier: Verifier, claim: Claim, pairs: Pairs, forbidden: Sequence[tuple[int, int]]
) -> Verification:
    """Whether no pair of rows is decided in one of the forbidden ways."""
    done = 0
    for i, labels in enumerate(forbidden):
        left = verifier.clock.left()
        clock = Clock(None if left < 0 else left / (len(forbidden) - i), verifier.clock.work_limit)
        reply = pairs.find(pairs.box({}, {}), labels, clock)
        rows = pairs.rows(reply) if isinstance(reply, tuple) else None
        if rows is not None:
            return verifier.state_failure(claim, rows, lambda found: (found[0], found[1]) in forbidden)
        done += reply is Verdict.NONE_EXISTS
    if done == len(forbidden):
        return verifier.state_proof(claim)
    note = f"{done} of {len(forbidden)} pairs of decisions are proved, none was found to break it"
    return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=done / len(forbidden), note=note)


@dataclass(frozen=True)
class RobustEverywhere:
    """No move of the numbers by at most a radius changes the decision, of whatever row.

    Every model that takes more than one decision breaks this at its boundary, so that one may ask it only of rows
    that are decided with confidence.

    Attributes
    ----------
    radius : float
    relative : bool
        Whether the radius is a share of each feature's training range.
    confidence : float, optional
        For two classes: only of rows whose decision has at least this probability.
    """

    radius: float
    relative: bool = False
    confidence: float | None = None

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        self._moves(verifier)
        if self.confidence is not None and not 0.5 < self.confidence <= 1:
            raise InvalidInput(f"a confidence is above 0.5 and at most 1, not {self.confidence!r}")
        sure = ""
        if self.confidence is not None:
            sure = f" that is decided with a probability of at least {number(self.confidence)}"
        far = f"{number(self.radius)}{RELATIVELY if self.relative else ''}"
        return Claim(
            f"the same decision within {far} of every row{sure}",
            f"moving numbers by at most {far} never changes the decision about a row{sure}",
            f"moving numbers by at most {far} changes the decision about some row{sure}",
            f"moving numbers by at most {far} can change the decision about a row{sure}",
        )

    def verify(self, verifier: Verifier) -> Verification:
        claim = self.claim(verifier)
        places, relations = self._moves(verifier)
        if not places:
            return verifier.state_proof(claim)
        if self.confidence is None:
            pairs = Pairs(verifier, places, relations)
            return _no_pair(verifier, claim, pairs, _different(verifier))
        sure = verifier.cut_at_levels([Level(1 - self.confidence, strictly=True), Level(self.confidence)])
        pairs = Pairs(sure, places, relations, verifier.engines.search_forest())
        return self._confident(verifier, sure, claim, pairs)

    def _confident(self, verifier: Verifier, sure: Verifier, claim: Claim, pairs: Pairs) -> Verification:
        done = 0
        for i, (confident, other) in enumerate(((0, 1), (2, 0))):
            left = verifier.clock.left()
            clock = Clock(None if left < 0 else left / (2 - i), verifier.clock.work_limit)
            reply = pairs.find(pairs.box({}, {}), (confident, other), clock)
            rows = pairs.rows(reply) if isinstance(reply, tuple) else None
            if rows is not None:
                is_sure = int(sure.subject.ensemble.predict(np.array(rows[:1]))[0]) == confident
                return verifier.state_failure(claim, rows, lambda found: is_sure and found[1] == other)  # noqa: B023
            done += reply is Verdict.NONE_EXISTS
        if done == 2:
            return verifier.state_proof(claim)
        note = f"{done} of 2 decisions are proved, none was found to break it"
        return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=done / 2, note=note)

    def _moves(self, verifier: Verifier) -> tuple[tuple[int, ...], tuple[Relation, ...]]:
        """The numeric variables, doubled, and which of their cells are near enough to each other."""
        context = verifier.context
        if not isinstance(self.radius, int | float | np.number) or not 0 <= self.radius < math.inf:
            raise InvalidInput(f"a radius is a number of at least 0, not {self.radius!r}")
        if self.relative and context.ranges is None:
            raise InvalidInput("a radius relative to the training range needs X_train")
        domain = verifier.subject.domain
        if domain.knowledge.orders:
            raise InvalidInput("robustness everywhere does not take orders between features")
        places: list[int] = []
        relations: list[Relation] = []
        for j, feature in enumerate(domain.seen):
            if feature.patterns is not None or feature.variable is None:
                continue
            reach = float(self.radius)
            if self.relative and context.ranges is not None:
                low, high = context.ranges[:, feature.column].tolist()
                reach *= high - low if high > low else 1.0
            near = _columns(_find_near_cells(feature.all_ends.tolist(), reach))
            relations.append(Relation(j, len(context.variables) + len(places), *near))
            places.append(j)
        return tuple(places), tuple(relations)


def _columns(runs: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first and the last values of runs."""
    return tuple(low for low, _ in runs), tuple(high for _, high in runs)


def _find_near_cells(ends: Sequence[tuple[float, float]], reach: float) -> list[tuple[int, int]]:
    """Per cell, the first and the last that have a number at most so far from some number of it."""
    found = []
    low = high = 0
    for v, (smallest, largest) in enumerate(ends):
        while low < v and smallest - ends[low][1] > reach:
            low += 1
        high = max(high, v)
        while high + 1 < len(ends) and ends[high + 1][0] - largest <= reach:
            high += 1
        found.append((low, high))
    return found


@takes(direction=one_of(("increasing", "decreasing")))
def monotone(feature: str, direction: Direction = "increasing", target: object = None) -> Monotone:
    """Return the property "raising a feature never takes a decision back", for `verify`.

    ``monotone("income", "increasing", "approved")``: raising income never turns approved into declined.
    ``monotone("debt", "decreasing", "approved")``: raising debt never turns declined into approved.

    Parameters
    ----------
    feature
        A numeric feature, or one whose categories are declared `ordered`.
    direction
        "increasing": raising the feature never takes the target away. "decreasing": it never brings it.
    target
        The decision. By default the explainer's `positive`, or the order that the labels have as numbers;
        labels that are names have no order, and need a target.

    Returns
    -------
    Monotone
        A property for `verify`. `verify` checks that the feature and the target exist.

    Raises
    ------
    InvalidInput
        If `direction` is not "increasing" or "decreasing".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> explainer = Explainer(tree, iris.data, **names)
    >>> from primewood import monotone
    >>> print(explainer.verify(monotone("pw", "increasing", "virginica")))
    holds: monotone in pw (increasing, target virginica)
       Proved: raising pw never turns virginica into another decision.
       Assumes: no value is missing.
    """
    return Monotone(feature, direction, target)


def independent_of(*features: str) -> IndependentOf:
    """Return the property "changing only these features never changes the decision", for `verify`.

    Parameters
    ----------
    features
        The names of the features, which change together.

    Returns
    -------
    IndependentOf
        A property for `verify`. `verify` checks that the features exist.

    Raises
    ------
    InvalidInput
        If no name is given, or one is not a text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> explainer = Explainer(tree, iris.data, **names)
    >>> from primewood import independent_of
    >>> print(explainer.verify(independent_of("sl", "sw")))
    holds: independent of sl, sw
       Proved: changing only sl and sw never changes the decision.
       Assumes: no value is missing.
    """
    if not features or not all(isinstance(name, str) for name in features):
        raise InvalidInput(
            f'independent_of takes names of features, such as independent_of("sex"); not {told(features)}'
        )
    return IndependentOf(features)


@takes(radius=real, relative=flag, confidence=optional(real))
def robust_everywhere(
    radius: float, *, relative: bool = False, confidence: float | None = None
) -> RobustEverywhere:
    """Return the property "no move of the numbers by at most a radius changes any decision", for `verify`.

    Every model with more than one decision breaks this at its boundary. `confidence` limits the property to rows that
    are decided with confidence.

    Parameters
    ----------
    radius
        How far each number may move.
    relative
        Whether the radius is a share of each feature's training range.
    confidence
        For two classes: only rows whose decision has at least this probability count.

    Returns
    -------
    RobustEverywhere
        A property for `verify`. `verify` checks that the radius and the confidence are in range.

    Raises
    ------
    InvalidInput
        If `radius` or `confidence` is not a number, or `relative` is not True or False.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer, robust_everywhere
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y == 0)
    >>> explainer = Explainer(tree, X, feature_names=["sl", "sw", "pl", "pw"])
    >>> explainer.verify(robust_everywhere(0.1))
    <Verification fails: the same decision within 0.1 of every row>
    """
    return RobustEverywhere(radius, relative, confidence)
