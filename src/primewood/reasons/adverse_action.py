"""Adverse-action reasons: why a case was declined, in order of importance and in the words of a table of codes.

Some features are *hidden*: protected, undisclosable, or immutable. They keep the row's values throughout and are
never named. A set S of the others is a *change* if some possible row that differs from the declined one in S only is
decided favourably; a *minimal* change contains no smaller one (a contrastive explanation towards the favourable
decision). With

    size(f)  the number of features in the smallest minimal change that contains f,
    move(f)  the least share of its training range by which f moves, over the favourable rows that make a change of
             that size that contains f (another category, or a number where none was given, is one whole range; a
             number moves to the nearest one that the model can tell from its own),

f is a reason iff it is in some minimal change, and reasons are ordered by size, then by move, then by column. So what
would have sufficed by itself comes first. Without training rows moves are not compared.

Minimal changes are listed by size. Each candidate hits every known obstacle (if a set is no change, nor is a largest
superset of it that is none, so every change has a feature outside that) and contains no known change: a SAT solver
proposes, an oracle decides. As all smaller ones are known, what is found is minimal.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

import numpy as np

from primewood.engines.duality import CONFLICTS, SOLVER
from primewood.engines.protocol import Clock, Costs, Nearest, Verdict
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.expression import Literal
from primewood.logic.instance import Box, Point
from primewood.logic.interval import number
from primewood.reasons.context import Context, Row, plain
from primewood.reasons.counterfactual import Counterfactuals
from primewood.reasons.explanation import Status
from primewood.reasons.weakening import weaken
from primewood.report import decimals

if TYPE_CHECKING:
    from pysat.solvers import Solver

Direction = Choice["low", "high", "other", "missing"]
"""What is wrong with a value: too low, too high, another category would have helped, or it was not given."""
DIRECTIONS: tuple[Direction, ...] = ("low", "high", "other", "missing")
Entry = str | tuple[str, str]
"""A text, or a code and a text."""
Codes = Mapping[str | tuple[str, ...], Entry | Mapping[Direction, Entry]]
"""Per feature, or for several features together, what to say; perhaps by direction."""
Names = frozenset[str]
FOR_LISTING = 0.7
"""The share of the time for listing changes; the rest is for the rows and ranges that are shown."""
ORDINALS = ("First", "Second", "Third", "Fourth")


@dataclass(frozen=True)
class Reason:
    """One principal reason.

    Attributes
    ----------
    rank : int
        1 for the most important.
    feature : str
    code : str or None
        From the table of codes.
    text : str
        From the table, or in plain words.
    value : object
        What the row holds; None if it is missing.
    direction : {"low", "high", "other", "missing"}
    together : tuple of str
        The features that have to change with this one; none if it suffices by itself.
    ranges : tuple of dict
        What would have helped: the literal records of this feature and of those in `together`. Every possible row that
        keeps to them and is otherwise like the declined one is decided favourably. A feature without a range here
        changes only because a constraint requires it. Empty where nothing is proved about a range.
    helps : str
        The same in words.
    move : float or None
        The least share of its training range by which the feature has to move; None without training rows.
    also : tuple of str
        Features with the same code that rank between this reason and the last one.
    proved : bool
        Whether its place in the order is proved; that the ranges would have helped always is.
    """

    rank: int
    feature: str
    code: str | None
    text: str
    value: object
    direction: Direction
    together: tuple[str, ...]
    ranges: tuple[dict[str, Any], ...]
    helps: str
    move: float | None
    also: tuple[str, ...]
    proved: bool

    @property
    def alone(self) -> bool:
        """Whether a change of this feature alone would have sufficed."""
        return not self.together


@dataclass(frozen=True)
class AdverseAction:
    """The principal reasons for an unfavourable decision.

    Attributes
    ----------
    decision, favourable : object
        What was decided, and what would have been favourable.
    reasons : tuple of Reason
        The most important first.
    status : Status
        "proved": these are the principal reasons, in this order. "interrupted": a limit came; the order is not proved,
        and there may be others. "impossible": no change of the features that may be named leads to the favourable
        decision, so there is no reason to state.
    left_out : tuple of str
        The protected features, as they were given; never in the letter.
    uncoded : tuple of str
        The features among the reasons for which the table of codes has no entry.
    letter : str
        The reasons as one paragraph.
    model : str or None
        What tells the model from any other.
    """

    decision: object
    favourable: object
    reasons: tuple[Reason, ...]
    status: Status
    left_out: tuple[str, ...]
    uncoded: tuple[str, ...]
    letter: str
    model: str | None

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain types."""
        reasons = []
        for reason in self.reasons:
            record = {name: list(x) if isinstance(x, tuple) else x for name, x in asdict(reason).items()}
            reasons.append(record)
        return {
            "decision": plain(self.decision),
            "favourable": plain(self.favourable),
            "status": str(self.status),
            "reasons": reasons,
            "left_out": list(self.left_out),
            "uncoded": list(self.uncoded),
            "letter": self.letter,
            "model": self.model,
        }

    def __str__(self) -> str:
        lines = [f"{self.decision} instead of {self.favourable}: {STATUS_WORDS[self.status]}"]
        for reason in self.reasons:
            code = "" if reason.code is None else f"{reason.code} "
            lines.append(f"  {reason.rank}. {code}{reason.text}")
            if reason.helps:
                lines.append(f"     {self.favourable} with {reason.helps}, all else as it is")
        return "\n".join(lines)


STATUS_WORDS = {
    Status.PROVED: "the principal reasons, in order (proved)",
    Status.INTERRUPTED: "reasons found before a limit came; their order is not proved",
    Status.IMPOSSIBLE: "no change of the features that may be named leads there",
}


class CodeTable:
    """What to say about a feature, by the direction in which its value is wrong.

    Parameters
    ----------
    codes
        See `Codes`; None for no table.
    known
        The names of all features.

    Examples
    --------
    >>> table = CodeTable({("income", "assets"): ("R1", "Means too small"), "age": {"low": "Too young"}}, ["income",
    ...                   "assets", "age"])
    >>> table.entry("assets", "low"), table.entry("age", "low"), table.entry("age", "high")
    (('R1', 'Means too small'), (None, 'Too young'), None)
    """

    def __init__(self, codes: Codes | None, known: Collection[str]) -> None:
        if codes is not None and not isinstance(codes, Mapping):
            raise InvalidInput(f"codes is a mapping from features to texts, not {codes!r}")
        self.given = codes is not None
        self._entries: dict[str, dict[Direction, tuple[str | None, str]]] = {}
        for key, told in (codes or {}).items():
            by_direction = _by_direction(key, told)
            for name in (key,) if isinstance(key, str) else key:
                if name not in known:
                    raise UnknownName(f"codes names {name!r}; the features are {listing(known)}")
                if name in self._entries:
                    raise InvalidInput(f"codes has two entries for {name}; give it one")
                self._entries[name] = by_direction

    def entry(self, feature: str, direction: Direction) -> tuple[str | None, str] | None:
        """The code (or None) and the text; None if the table says nothing."""
        return self._entries.get(feature, {}).get(direction)


def _by_direction(key: object, told: object) -> dict[Direction, tuple[str | None, str]]:
    if not isinstance(told, Mapping):
        return dict.fromkeys(DIRECTIONS, _entry(key, told))
    if unknown := [x for x in told if x not in DIRECTIONS]:
        raise InvalidInput(
            f"codes has {listing(unknown)} for {key}; the directions are {listing(DIRECTIONS)}"
        )
    return {direction: _entry(key, one) for direction, one in told.items()}


def _entry(key: object, told: object) -> tuple[str | None, str]:
    if isinstance(told, str):
        return None, told
    if isinstance(told, tuple | list) and len(told) == 2 and isinstance(told[1], str):
        return str(told[0]), told[1]
    raise InvalidInput(f"codes has {told!r} for {key}; it takes a text, (code, text), or these by direction")


def names_of(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names of features as a tuple; a single text is refused, as its letters would be taken for names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(f"{what} is a list of feature names; write {what}=[{names!r}]")
    return tuple(names)


def adverse_action(
    asked: Counterfactuals,
    clock: Clock,
    *,
    codes: Codes | None = None,
    protected: Sequence[str] = (),
    most: int = 4,
) -> AdverseAction:
    """The principal reasons for a decision that is not the favourable one.

    Parameters
    ----------
    asked
        The row, the favourable decision as its target, and in its moves all hidden features as immutable.
    codes
        What to say about each feature.
    protected
        The names to record as left out.
    most
        How many reasons to give at most.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidInput(f"most is a positive number, not {most!r}")
    context = asked.context
    table = CodeTable(codes, context.feature_names)
    label = asked.engines.decide(asked.point)
    if asked.target is None:
        raise InvalidInput(f"say which decision is favourable; there are {listing(context.class_names)}")
    favourable = context.class_names[asked.target]
    if label == asked.target:
        raise InvalidInput(f"the row is decided {favourable} already: there is no adverse action to explain")
    decision = context.class_names[label]
    ranking = _Ranking(_Changes(asked, clock), table, most)
    reasons, status = ranking.reasons(), ranking.status
    uncoded = [x.feature for x in reasons if table.given and table.entry(x.feature, x.direction) is None]
    return AdverseAction(
        decision=decision,
        favourable=favourable,
        reasons=reasons,
        status=status,
        left_out=tuple(protected),
        uncoded=tuple(uncoded),
        letter=_letter(context, decision, favourable, reasons, status),
        model=context.digest,
    )


@dataclass(frozen=True)
class _Level:
    """The minimal changes of one size; `sure` if they are all of them, and no smaller one is unknown."""

    changes: list[Names]
    sure: bool


class _Changes:
    """Finds the minimal changes of a declined row, and what belongs to each.

    Attributes
    ----------
    impossible : bool
        Whether it is proved that there are none.
    complete : bool
        Whether everything is found that has a feature not seen before.
    """

    def __init__(self, asked: Counterfactuals, clock: Clock) -> None:
        self.asked, self.clock, self.context = asked, clock, asked.context
        self.impossible = self.complete = False
        self._listing = Clock(None if clock.limit is None else clock.left() * FOR_LISTING, clock.work_limit)
        label = asked.engines.decide(asked.point)
        self._questions = asked.engines.oracle(label, asked.target)
        self._prices = asked.engines.pricing(label, asked.target)
        self._every = frozenset(self.context.feature_names)
        self._known: dict[Names, Point] = {}
        self.names = self._that_may_change()

    def _that_may_change(self) -> list[str]:
        """The features that are not hidden and matter to the model, or to a constraint that orders them."""
        domain, hidden = self.context.domain, self.asked.moves.immutable
        assert domain is not None
        named = {name for order in domain.knowledge.orders for name in (order.lower, order.upper)}
        free = self._box(self._every - hidden)
        named |= {
            x.name for x, mask in zip(self.context.variables, free, strict=True) if mask.bit_count() > 1
        }
        return [name for name in self.context.feature_names if name in named - hidden]

    def levels(self) -> Iterator[_Level]:
        """The minimal changes by size, while there may be more that have features not seen before."""
        from pysat.card import ITotalizer
        from pysat.solvers import Solver

        nearest = self._fewest()
        if not self.names or (nearest.complete and nearest.point is None):
            self.impossible = self.complete = True
            return
        if nearest.point is not None:
            self._keep(nearest.point, frozenset(self.names))
        count, sure, seen = len(self.names), True, set[str]()
        first = max(1, math.ceil(nearest.lower - 1e-9))
        with (
            ITotalizer(lits=list(range(1, count + 1)), ubound=count) as sizes,
            Solver(name=SOLVER, bootstrap_with=sizes.cnf.clauses) as solver,
        ):
            for size in range(first, count + 1):
                level = self._level(solver, [-sizes.rhs[size]] if size < count else [])
                sure = sure and level.sure
                seen.update(*level.changes)
                if level.changes:
                    yield _Level(level.changes, sure)
                if not sure and self._listing.expired():
                    break
                unseen = [n for n, name in enumerate(self.names, 1) if name not in seen]
                solver.add_clause([-(sizes.top_id + size), *unseen])
                if self._proposal(solver, [sizes.top_id + size]) == frozenset():
                    self.complete = sure
                    break
        if not self.complete:
            yield from self._guesses()

    def _fewest(self) -> Nearest:
        """A favourable cell that differs in as few features as possible."""
        asked = self.asked
        steps = replace(asked.moves, norm="l0").priced(self.context, asked.row, asked.point)
        return self._prices.nearest(asked.point, steps, self._listing)

    def _guesses(self) -> Iterator[_Level]:
        """What was met on the way, by size: changes that are perhaps not minimal."""
        smallest: list[Names] = []
        for size in sorted({len(x) for x in self._known}):
            same = [x for x in self._known if len(x) == size and not any(y < x for y in smallest)]
            smallest += same
            yield _Level(same, False)

    def _level(self, solver: Solver, at_most: list[int]) -> _Level:
        """The changes of a size, when those of all smaller ones are known."""
        changes, sure = [], True
        while chosen := self._proposal(solver, at_most):
            change = self._change_in(chosen)
            if change:
                changes.append(change)
                solver.add_clause([-n for n, name in enumerate(self.names, 1) if name in change])
            elif change is None:
                sure = False
                solver.add_clause([-n if name in chosen else n for n, name in enumerate(self.names, 1)])
            else:
                largest = self._largest(chosen)
                solver.add_clause([n for n, name in enumerate(self.names, 1) if name not in largest])
        return _Level(changes, sure and chosen is not None)

    def _proposal(self, solver: Solver, assumed: list[int]) -> Names | None:
        """A set that nothing known speaks against; empty if there is none, None if the time is up."""
        while not self._listing.expired():
            solver.conf_budget(CONFLICTS)
            answer = solver.solve_limited(assumptions=assumed)
            if answer:
                chosen = {n for n in solver.get_model()[: len(self.names)] if n > 0}
                names = frozenset(name for n, name in enumerate(self.names, 1) if n in chosen)
                if names:
                    return names
                solver.add_clause(list(range(1, len(self.names) + 1)))  # the row itself is not favourable
            elif answer is False:
                return frozenset()
        return None

    def _change_in(self, names: Names) -> Names | None:
        """A change among these features; empty if there is none, None if that is unknown."""
        if known := next((x for x in self._known if x <= names), None):
            return known
        if self._listing.expired():
            return None
        reply = self._questions.counterexample(self._box(names), self._listing)
        if not isinstance(reply, tuple):
            return frozenset() if reply is Verdict.NONE_EXISTS else None
        return self._keep(self._nearer(reply), names) or self._keep(reply, names)

    def _keep(self, point: Point, names: Names) -> Names | None:
        """Keep a favourable cell with the features in which its nearest row differs; None if it has no row.

        Orders between more than two features can rule out a cell in ways that only the numbers show.
        """
        row = self._row(point, names)
        if row is None:
            return None
        change = frozenset(x for x in names if _differs(self.context, x, self.asked.row, row))
        self._known[change] = point
        return change

    def _nearer(self, point: Point) -> Point:
        """A favourable cell, moved back to the row's own in one feature after the other where it stays favourable."""
        moved = list(point)
        for j, own in enumerate(self.asked.point):
            there, moved[j] = moved[j], own
            if there != own and self._questions.holds(tuple(moved)):
                moved[j] = there
        return tuple(moved)

    def _row(self, point: Point, change: Names) -> Row | None:
        """The nearest row of a cell that differs in these features only; None if there is none."""
        held = replace(self.asked.moves, immutable=self._every - change)
        limits = held.limits(self.context, self.asked.row)
        return self.context.nearest_row(point, self.asked.row, self.asked.point, limits)

    def _largest(self, names: Names) -> Names:
        """A largest superset of a set that is no change either; smaller where a limit came."""
        for name in self.names:
            if name not in names and self._change_in(names | {name}) == frozenset():
                names |= {name}
        return names

    def _costs(self, names: Names) -> Costs:
        """What it costs to move to each value when these features change only."""
        moves = replace(self.asked.moves, immutable=self._every - names)
        return moves.priced(self.context, self.asked.row, self.asked.point)

    def _box(self, names: Names) -> Box:
        """The cells that a row may be in when it differs in these features only."""
        possible, atoms = np.isfinite(self._costs(names)), self.context.atoms
        parts = (possible[atoms.of(j)] for j in range(len(self.context.variables)))
        return tuple(sum(1 << v for v in np.flatnonzero(part).tolist()) for part in parts)

    def least(self, name: str, costs: Costs) -> Nearest:
        """The favourable cell, among those with a finite cost, to which a feature moves least."""
        place = self.context.place(name)
        own = np.where(np.isfinite(costs), 0.0, np.inf)
        if place is not None:
            part = self.context.atoms.of(place)
            own[part] = costs[part]
        return self._prices.nearest(self.asked.point, own, self.clock, largest=True)

    def move(self, name: str, change: Names) -> tuple[float, bool]:
        """The least move of a feature in a change, and whether it is proved to be that."""
        found = self.least(name, self._costs(change))
        return found.cost, found.complete

    def way(self, name: str, change: Names) -> tuple[Row, Box | None]:
        """A favourable row that makes a change, and the safe ranges around it; None where nothing is safe.

        The feature moves as little as it can, and so do the others, one after the other, given those before. The
        ranges are widened in the same order.
        """
        order = (name, *(x for x in self.names if x in change and x != name))
        point, costs = self._known[change], self._costs(change)
        for one in order:
            found, place = self.least(one, costs), self.context.place(one)
            if found.point is None or self._row(found.point, change) is None:
                break
            point = found.point
            if place is not None:
                part = self.context.atoms.of(place)
                costs[part][costs[part] > found.cost] = np.inf
        row = self._row(point, change)
        assert row is not None
        return row, self._safe(point, order)

    def _safe(self, point: Point, order: Sequence[str]) -> Box | None:
        """The cell at a point, widened in some features, one after the other, as far as it stays favourable."""
        assert self.asked.target is not None
        oracle = self.asked.safe_engines.oracle(self.asked.target)
        if oracle.counterexample(tuple(1 << v for v in point)) is not Verdict.NONE_EXISTS:
            return None
        places = [j for j in map(self.context.place, order) if j is not None]
        moved = [j for j in places if point[j] != self.asked.point[j]]
        fixed = frozenset(range(len(point))) - frozenset(moved)
        return weaken(oracle, point, [], moved, "intervals", fixed=fixed, clock=self.clock).box


class _Ranking:
    """Makes reasons of changes, in the order of importance.

    Attributes
    ----------
    sure : bool
        Whether the order of what has been found so far is proved.
    """

    def __init__(self, changes: _Changes, table: CodeTable, most: int) -> None:
        self.changes, self.table, self.most = changes, table, most
        self.sure = True
        self._told: dict[str, Reason] = {}

    def reasons(self) -> tuple[Reason, ...]:
        """The reasons, the most important first."""
        known = set[str]()
        for level in self.changes.levels():
            self.sure = self.sure and level.sure
            for move, name, change in self._in_order(level, known):
                self._tell(name, change, move)
                if len(self._told) == self.most:
                    return tuple(self._told.values())
            known.update(*level.changes)
        return tuple(self._told.values())

    @property
    def status(self) -> Status:
        """What is proved about the reasons."""
        if self.changes.impossible or (self.changes.complete and not self._told and self.sure):
            return Status.IMPOSSIBLE
        finished = self.changes.complete or len(self._told) == self.most
        return Status.PROVED if self.sure and finished else Status.INTERRUPTED

    def _in_order(self, level: _Level, known: Collection[str]) -> list[tuple[float | None, str, Names]]:
        """The features that a level brings, each with its least move and the change that it takes place in."""
        context, found = self.changes.context, []
        column = {name: i for i, name in enumerate(context.feature_names)}
        brought = frozenset[str]().union(*level.changes).difference(known)
        for name in sorted(brought, key=column.__getitem__):
            ways = []
            for change in (x for x in level.changes if name in x):
                move = 0.0
                if context.ranges is not None:
                    move, proved = self.changes.move(name, change)
                    self.sure = self.sure and proved
                ways.append((len(change), move, sorted(column[x] for x in change), change))
            size, move, _, change = min(ways, key=lambda way: way[:3])
            found.append((size, move, column[name], name, change))
        found.sort(key=lambda one: one[:3])
        return [(None if context.ranges is None else x[1], x[3], x[4]) for x in found]

    def _tell(self, name: str, change: Names, move: float | None) -> None:
        """Add the reason that a feature is, unless another one has the same code."""
        context, asked = self.changes.context, self.changes.asked.row
        row, box = self.changes.way(name, change)
        if not _differs(context, name, asked, row):
            self.sure = False
            return
        value, direction = context.named_values(asked)[name], _direction(context, name, asked, row)
        code, text = self.table.entry(name, direction) or (None, _plain_text(name, direction))
        key = text if code is None else code
        if key in self._told:
            first = self._told[key]
            self._told[key] = replace(first, also=(*first.also, name))
            return
        together = tuple(x for x in context.feature_names if x in change and x != name)
        helping = [] if box is None else _helping(context, box, (name, *together))
        words = {x.variable.name: _range_in_words(context, x) for x in helping}
        self._told[key] = Reason(
            rank=len(self._told) + 1,
            feature=name,
            code=code,
            text=text,
            value=None if value != value else plain(value),
            direction=direction,
            together=together,
            ranges=tuple(context.literal_record(x, _anywhere(context)) for x in helping),
            helps=" and ".join(words.get(x, f"another {x}") for x in (name, *together)) if words else "",
            move=move,
            also=(),
            proved=self.sure,
        )


def _differs(context: Context, name: str, row: Row, other: Row) -> bool:
    feature = context.feature(name)
    assert feature is not None
    columns = list(feature.columns)
    return not np.array_equal(row[columns], other[columns], equal_nan=True)


def _direction(context: Context, name: str, row: Row, other: Row) -> Direction:
    """What is wrong with a value, in view of a row with one that would have helped."""
    feature = context.feature(name)
    assert feature is not None
    old, new = row[list(feature.columns)], other[list(feature.columns)]
    if np.isnan(old).any():
        return "missing"
    if feature.patterns is None:
        return "low" if new[0] > old[0] else "high"
    if feature.variable is None or not feature.variable.ordered:
        return "other"
    places = [list(feature.patterns).index(tuple(x.tolist())) for x in (old, new)]
    return "low" if places[1] > places[0] else "high"


def _plain_text(name: str, direction: Direction) -> str:
    return {"low": f"{name} too low", "high": f"{name} too high", "missing": f"{name} not given"}.get(
        direction, name
    )


def _helping(context: Context, box: Box, names: Sequence[str]) -> list[Literal]:
    """The ranges of some features in a safe box; that a value may also be missing goes without saying."""
    helping = []
    for place in (j for j in map(context.place, names) if j is not None):
        variable, mask = context.variables[place], box[place]
        given = mask if variable.missing is None else mask & ~(1 << variable.missing)
        if mask != variable.everything:
            helping.append(Literal(variable, given or mask))
    return helping


def _anywhere(context: Context) -> tuple[float, ...]:
    """A row without numbers: what is shown then keeps to the training rows alone."""
    return (math.nan,) * len(context.column_names)


def _range_in_words(context: Context, literal: Literal) -> str:
    """What would have helped, for a letter: "income at least 52000 DM"."""
    variable = literal.variable
    if not variable.is_numeric:
        return f"{variable.name} {' or '.join(_quoted(x) for x in context.literal_record(literal)['values'])}"
    feature = context.feature(variable.name)
    assert feature is not None
    known = None if context.rows is None else context.rows[:, feature.column]
    unit = context.units.get(variable.name, "")
    pieces = []
    for interval in literal.intervals:
        ends = [end for end in decimals.shown_ends(interval, math.nan, known) if end]
        words = " and ".join(f"{BOUNDS[operator]} {bound}" for operator, bound in ends)
        pieces.append(f"{words} {unit}".strip() if words else "given")
    return f"{variable.name} {' or '.join(pieces)}"


BOUNDS = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}


def _quoted(value: object) -> str:
    words = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
    return f'"{words}"'


def _letter(
    context: Context, decision: object, favourable: object, reasons: Sequence[Reason], status: Status
) -> str:
    """The answer as one paragraph for the person whom it concerns."""
    opening = f"The decision is: {decision}."
    if status is Status.IMPOSSIBLE:
        return f"{opening} No change of the details that may be stated here would have led to: {favourable}."
    if not reasons:
        return f"{opening} Its principal reasons have not been determined."
    told = [_sentence(context, favourable, reason) for reason in reasons]
    several = "reasons, the most important first, are" if len(told) > 1 else "reason is"
    return " ".join([opening, f"The principal {several} as follows.", *told])


def _sentence(context: Context, favourable: object, reason: Reason) -> str:
    place = ORDINALS[reason.rank - 1] if reason.rank <= len(ORDINALS) else f"Number {reason.rank}"
    code = "" if reason.code is None else f" ({reason.code})"
    if reason.value is None:
        state = f"{reason.feature} was not given"
    elif isinstance(reason.value, float):
        state = f"{reason.feature} is {number(reason.value)} {context.units.get(reason.feature, '')}".rstrip()
    else:
        state = f"{reason.feature} is {_quoted(reason.value)}"
    helps = f"; with {reason.helps}, all else equal, it would have been: {favourable}" if reason.helps else ""
    return f"{place}, {reason.text}{code}: {state}{helps}."
