"""All explanations and all contrasts from consistency tests alone, by hitting-set duality.

A term is a set of restrictions, closed under what each of them requires. Let S be such a set.

    S is *safe*          iff the decision holds everywhere in the box of S
    an explanation       is a minimal safe set
    D is a *contrast*    iff dropping D alone lets a point through that gets a different decision,
                         that is, iff the complement of D is not safe; minimally so

Every explanation hits every contrast, and the explanations are exactly the minimal sets that hit all
contrasts, and the other way round (Reiter 1987). Sets to drop are closed the other way: whatever requires a
restriction is dropped with it.

A SAT solver (the map) proposes sets that nothing known decides about. The oracle either shows a point that
the set lets through; the point is moved towards the instance and becomes a contrast, which every further
set must hit. Or the set is safe; then it is shrunk to an explanation, whose supersets are out. When the map
is empty, everything has been found (Liffiton, Previti, Malik, Marques-Silva, "Fast, flexible MUS
enumeration", Constraints 2016). Without an instance the points that are let through are not contrasts,
and only the explanations, then all prime implicants, are listed.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from primewood.engines.protocol import Clock, GrowingOracle, Listing, Oracle, Reply, Verdict, WeakeningPlan
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point
from primewood.logic.language import ElementaryRestriction, Language, conflicts, places_around, restrictions
from primewood.logic.masks import indices, mask_of
from primewood.logic.variable import Variable

SOLVER = "minisat22"
MOST_VALUES = 50_000
"""The most values of all features; with more, single values cannot be dropped."""
CONFLICTS = 2000
"""How long the map may think before the clock is looked at."""
RECENT = 2000
"""How many of the known sets are looked through before the oracle is asked."""


class AnswerKind(enum.Enum):
    """What a listing finds."""

    EXPLANATION = "explanation"
    CONTRAST = "contrast"


class ListingEnd(enum.Enum):
    """Why a listing has nothing more to show: there is nothing, or a limit came."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a listing has found.

    Attributes
    ----------
    kind : AnswerKind
    box : Box
        For an explanation, what it allows. For a contrast, the instance's own values and those that it allows too.
    """

    kind: AnswerKind
    box: Box


class Restrictions:
    """What terms of a language may say, those around a point or all, numbered; sets of them are bit masks.

    Attributes
    ----------
    blocks : list of int
        Per variable of the universe, the set of its restrictions.
    every : int
        The set of all.
    whole : list of int
        The sets that can only be dropped together: around an instance's missing value, in "intervals", a
        contrast drops the variable or keeps it.
    rules : list of list of int
        The clauses that make a set a term: the restriction n is the Boolean variable n + 1.
    """

    def __init__(self, variables: Sequence[Variable], literals: Language, point: Point | None) -> None:
        count = sum(map(len, variables))
        if count > MOST_VALUES and not (literals == "values" and point is not None):
            raise TooLarge(
                f"the features are cut into {count:,} values, too many to work with each; {MOST_VALUES:,} are taken. "
                'literals="values" asks about whole features'
            )
        self._whole = [x.everything for x in variables]
        self._around = point is not None
        self._own: list[ElementaryRestriction] = []  # with the numbers of what it requires
        self.blocks: list[int] = []
        self.rules: list[list[int]] = []
        self.whole: list[int] = []
        self._spans: list[range] = []
        for j, x in enumerate(variables):
            self._number(x, literals, None if point is None else point[j])
        self.every = (1 << len(self._own)) - 1
        self._known: list[dict[int, int]] = [{} for _ in variables]
        self._against: list[dict[int, int]] = [{} for _ in variables]

    def _number(self, x: Variable, literals: Language, value: int | None) -> None:
        first = len(self._own)
        if literals == "values" and value is not None:  # it is kept at its value, or not
            own = [ElementaryRestriction(value, x.everything & ~(1 << value))]
            number, exclusive = {0: first}, []
        else:
            own, exclusive = restrictions(x, literals), conflicts(x, literals)
            number = {i: first + n for n, i in enumerate(places_around(own, value))}
        for i, n in number.items():
            requires = tuple(number[k] for k in own[i].requires)
            self._own.append(ElementaryRestriction(own[i].at, own[i].excludes, requires))
            self.rules += [[-(n + 1), k + 1] for k in requires]
        for together in exclusive:
            if all(i in number for i in together):
                self.rules.append([-(number[i] + 1) for i in together])
        self._spans.append(range(first, len(self._own)))
        self.blocks.append((1 << len(self._own)) - (1 << first))
        if literals == "intervals" and x.ordered and value is not None and value == x.missing:
            self.whole.append(self.blocks[-1])

    def box(self, chosen: int) -> Box:
        """The box of a set."""
        return tuple(whole & ~self._taken(j, chosen) for j, whole in enumerate(self._whole))

    def contrast_box(self, let_go: int) -> Box:
        """The box when a set of restrictions is dropped and all others stay: the instance's values and more."""
        return self.box(self.every & ~let_go)

    def _taken(self, j: int, chosen: int) -> int:
        """The values of a variable that a set excludes."""
        part = chosen & self.blocks[j]
        if part not in self._known[j]:
            taken = 0
            for n in indices(part):
                taken |= self._own[n].excludes
            self._known[j][part] = taken
        return self._known[j][part]

    def within(self, box: Box) -> int:
        """The set of the restrictions that a box obeys."""
        return sum(
            1 << n
            for j, block in enumerate(self.blocks)
            if box[j] != self._whole[j]
            for n in indices(block)
            if not self._own[n].excludes & box[j]
        )

    def against(self, point: Point) -> int:
        """The set of the restrictions that keep a point out; around an instance, what must go to let it in."""
        found = 0
        for j, value in enumerate(point):
            known = self._against[j]
            if value not in known:
                known[value] = self._find_excluding(j, value)
            found |= known[value]
        return found

    def _find_excluding(self, j: int, value: int) -> int:
        """The restrictions of a variable that exclude a value; around an instance, also by what they require."""
        span = self._spans[j]
        excluding: dict[int, bool] = {}
        for n in span:
            one = self._own[n]
            required = any(excluding[k] for k in one.requires) if self._around else False
            excluding[n] = required or bool(one.excludes >> value & 1)
        return mask_of(excluding.values()) << span.start

    def closed(self, let_go: int) -> int:
        """A set to drop, with everything that can only be dropped together with a part of it."""
        for together in self.whole:
            let_go |= together if let_go & together else 0
        return let_go

    def parts(self, let_go: int) -> list[int]:
        """The parts that can be taken out of a set to drop, each alone: those that require nothing of it."""
        together = sum(self.whole)
        alone = [
            1 << n
            for n in indices(let_go & ~together)
            if not any(let_go >> k & 1 for k in self._own[n].requires)
        ]
        return alone + [block for block in self.whole if block & let_go]

    def free(self, chosen: int) -> list[int]:
        """Of a set that is a term, the restrictions that no other one requires."""
        within = indices(chosen)
        required = {k for n in within for k in self._own[n].requires}
        return [n for n in within if n not in required]


class Border:
    """The border between sets of restrictions that are safe and sets that are not.

    It remembers what it has found on either side: a question that a known explanation or a known contrast
    answers is not asked again.

    Parameters
    ----------
    oracle
        Answers about the decision.
    literals
        The literal language.
    point
        The instance, where the decision holds; None for all prime implicants.
    order
        The variables in the order in which to drop them; by default in their own order.

    Attributes
    ----------
    explanations, contrasts : list of int
        The sets found so far. A caller that knows another contrast may add it.
    queries : int
        How often the oracle was asked; growing by itself counts its own queries.
    """

    def __init__(
        self, oracle: Oracle, literals: Language, point: Point | None, order: Sequence[int] | None = None
    ) -> None:
        self.oracle, self.literals, self.point = oracle, literals, point
        self.order = tuple(order) if order is not None else tuple(range(len(oracle.variables)))
        self.restrictions = Restrictions(oracle.variables, literals, point)
        self.explanations: list[int] = []
        self.contrasts: list[int] = []
        self.queries = 0

    def ask(self, box: Box, clock: Clock) -> Reply:
        """What the oracle says about a box; `INTERRUPTED` too when the time is up."""
        if clock.expired():
            return Verdict.INTERRUPTED
        self.queries += 1
        return self.oracle.counterexample(box, clock)

    def let_through(self, chosen: int, clock: Clock) -> Reply:
        """A point that a set lets through and that gets a different decision, if there is one."""
        return self.ask(self.restrictions.box(chosen), clock)

    def shrink(self, chosen: int, clock: Clock, last: int | None = None) -> int | None:
        """An explanation inside a safe set, kept among the known ones; None if a limit came first.

        With `last`, the variable at that position is dropped after all others.
        """
        order = self.order if last is None else (*(j for j in self.order if j != last), last)
        # Growing knows the runs around a number, but none beside an instance's missing value.
        if self.point is None or self.restrictions.whole or not isinstance(self.oracle, GrowingOracle):
            found = self._thin_out(chosen, order, clock)
        else:
            found = self._grow(self.oracle, self.point, chosen, order, clock)
        if found is not None:
            self.explanations.append(found)
        return found

    def _grow(
        self, oracle: GrowingOracle, point: Point, chosen: int, order: Sequence[int], clock: Clock
    ) -> int | None:
        """First allow all that the set allows, then drop the rest, variable by variable."""
        if clock.expired():
            return None
        blocks, whole = self.restrictions.blocks, [x.everything for x in self.oracle.variables]
        fixed: frozenset[int] = frozenset()
        if self.literals == "values":
            alone = {d & chosen for d in self.contrasts[-RECENT:]}
            fixed = frozenset(j for j, block in enumerate(blocks) if block & chosen and block in alone)
        start = dict(enumerate(self.restrictions.box(chosen)))
        drops = [{j: whole[j]} for j in order if j not in fixed and blocks[j] & chosen]
        widened = () if self.literals == "values" else order
        plan = WeakeningPlan([start, *drops], widened, self.literals, fixed)
        grown = oracle.grow(point, plan, clock)
        self.queries += grown.queries
        if grown.interrupted:
            return None
        found = self.restrictions.within(grown.box)
        assert not found & ~chosen, "a safe set was not allowed whole: please report this"
        return found

    def _thin_out(self, chosen: int, order: Sequence[int], clock: Clock) -> int | None:
        """Drop one restriction after the other, whole variables first."""
        needed = 0
        for j in order:
            fewer = chosen & ~self.restrictions.blocks[j]
            safe = fewer == chosen or self._is_safe(fewer, clock)
            if safe is None:
                return None
            chosen = fewer if safe else chosen
        while True:
            candidates = [n for n in self.restrictions.free(chosen) if not needed >> n & 1]
            if not candidates:
                return chosen
            fewer = chosen & ~(1 << candidates[-1])
            safe = self._is_safe(fewer, clock)
            if safe is None:
                return None
            if safe:
                chosen = fewer
            else:
                needed |= 1 << candidates[-1]

    def _is_safe(self, chosen: int, clock: Clock) -> bool | None:
        if any(not d & chosen for d in self.contrasts[-RECENT:]):
            return False
        reply = self.let_through(chosen, clock)
        return None if reply is Verdict.INTERRUPTED else reply is Verdict.NONE_EXISTS

    def contrast(self, outside: Point, clock: Clock) -> int | None:
        """A contrast inside what lets a point through, kept among the known ones; None if a limit came first.

        Coordinates go back to the instance by evaluation, as many as can; then each restriction that is
        left is asked about.
        """
        let_go = self.restrictions.closed(self.restrictions.against(self.nearer(outside)))
        needed = 0
        while candidates := [part for part in self.restrictions.parts(let_go) if not part & needed]:
            fewer = let_go & ~candidates[0]
            reply: Reply = Verdict.NONE_EXISTS
            if all(e & fewer for e in self.explanations[-RECENT:]):
                reply = self.ask(self.restrictions.contrast_box(fewer), clock)
            if reply is Verdict.INTERRUPTED:
                return None
            if isinstance(reply, tuple):
                let_go = self.restrictions.closed(self.restrictions.against(self.nearer(reply)))
            else:
                needed |= candidates[0]
        if not self.restrictions.whole or let_go not in self.contrasts:
            self.contrasts.append(let_go)
        return let_go

    def nearer(self, outside: Point, order: Iterable[int] | None = None) -> Point:
        """A point with a different decision, moved to the instance in one coordinate after the other where it stays so.

        In "intervals" also to the nearest value in between. The coordinates are tried in the usual order, or in
        another one, which may leave some out.
        """
        moved = list(outside)
        for j in self.order if order is None else order:
            for value in self._find_between(j, moved[j]):
                previous, moved[j] = moved[j], value
                if not self.oracle.holds(tuple(moved)):
                    break
                moved[j] = previous
        return tuple(moved)

    def _find_between(self, j: int, value: int) -> Sequence[int]:
        """The values to try in place of another, the instance's own first; none without an instance."""
        if self.point is None or self.point[j] == value:
            return ()
        own, ordered = self.point[j], self.oracle.variables[j].ordered
        if self.literals == "intervals" and own < ordered and value < ordered:
            return range(own, value, 1 if own < value else -1)
        return (own,)


class Duality:
    """Lists explanations and contrasts, interleaved as they are found, until everything is found.

    Parameters
    ----------
    oracle, literals, point, order
        As for `Border`.
    first
        What to look for first: explanations (the map proposes many restrictions) or contrasts (few).

    Attributes
    ----------
    border : Border
        What has been found, as sets of restrictions.
    complete : bool
        Whether everything has been found.

    Examples
    --------
    >>> from primewood.engines.boolean.consistency import SatOracle
    >>> from primewood.logic.expression_parser import parse
    >>> variables = [Variable.boolean(name) for name in "ABC"]
    >>> duality = Duality(SatOracle(parse("A & (B | C)", variables), variables), "values", (1, 1, 1))
    >>> for kind, box in sorted((item.kind.value, item.box) for item in duality.items()):
    ...     print(kind, box)
    contrast (2, 3, 3)
    contrast (3, 2, 2)
    explanation (2, 2, 3)
    explanation (2, 3, 2)
    >>> duality.complete
    True
    """

    def __init__(
        self,
        oracle: Oracle,
        literals: Language,
        point: Point | None = None,
        order: Sequence[int] | None = None,
        first: AnswerKind = AnswerKind.EXPLANATION,
    ) -> None:
        from pysat.solvers import Solver

        self.border = Border(oracle, literals, point, order)
        self.complete = False
        rules, count = self.border.restrictions.rules, self.border.restrictions.every.bit_length()
        self._mentions: dict[int, int] = {}
        self._free = count + 1
        self._map = Solver(name=SOLVER, bootstrap_with=rules)
        weakref.finalize(self, self._map.delete)
        self._map.set_phases([n if first is AnswerKind.EXPLANATION else -n for n in range(1, count + 1)])

    @property
    def explanations(self) -> list[Box]:
        """The explanations found so far."""
        return [self.border.restrictions.box(found) for found in self.border.explanations]

    @property
    def contrasts(self) -> list[Box]:
        """The contrasts found so far, as boxes of the instance's own values and those that they allow too."""
        return [self.border.restrictions.contrast_box(found) for found in self.border.contrasts]

    def items(self, clock: Clock | None = None) -> Iterator[Item]:
        """What is found from here on, until everything is found (`complete`) or a limit comes."""
        while isinstance(item := self.next(clock), Item):
            yield item

    def next(self, clock: Clock | None = None, mentioning: int | None = None) -> Item | ListingEnd:
        """The next explanation or contrast, or why there is none.

        With `mentioning`, sets are proposed that mention the variable at that place. An explanation that is
        found may do without it all the same; but when the answer is "complete", all explanations that
        mention the variable are among the known ones.
        """
        clock = clock or Clock()
        border = self.border
        while True:
            chosen = self._propose(clock, mentioning)
            if isinstance(chosen, ListingEnd):
                return chosen
            reply = border.let_through(chosen, clock)
            if reply is Verdict.INTERRUPTED:
                return ListingEnd.INTERRUPTED
            if not isinstance(reply, tuple):
                explanation = border.shrink(chosen, clock, mentioning)
                if explanation is None:
                    return ListingEnd.INTERRUPTED
                self._map.add_clause([-(n + 1) for n in indices(explanation)])
                return Item(AnswerKind.EXPLANATION, border.restrictions.box(explanation))
            if border.point is None:
                self._must_hit(border.restrictions.against(reply))
                continue
            known = len(border.contrasts)
            contrast = border.contrast(reply, clock)
            if contrast is None:
                return ListingEnd.INTERRUPTED
            self._must_hit(contrast)
            if border.restrictions.whole:  # a contrast may be too coarse to rule out what was proposed
                self._must_hit(border.restrictions.against(reply))
            if len(border.contrasts) > known:
                return Item(AnswerKind.CONTRAST, border.restrictions.contrast_box(contrast))

    def _must_hit(self, let_go: int) -> None:
        self._map.add_clause([n + 1 for n in indices(let_go)])

    def _propose(self, clock: Clock, mentioning: int | None) -> int | ListingEnd:
        """A set that nothing known decides about."""
        assumed = [] if mentioning is None else [self._mention(mentioning)]
        while not self.complete:
            if clock.expired():
                return ListingEnd.INTERRUPTED
            self._map.conf_budget(CONFLICTS)
            answer = self._map.solve_limited(assumptions=assumed)
            if answer:
                count = self.border.restrictions.every.bit_length()
                model: list[int] = self._map.get_model()
                return sum(1 << n - 1 for n in model[:count] if n > 0)
            if answer is False:
                self.complete = not assumed
                return ListingEnd.COMPLETE
        return ListingEnd.COMPLETE

    def _mention(self, place: int) -> int:
        """The Boolean variable that implies that a variable of the universe is mentioned."""
        if place not in self._mentions:
            self._mentions[place] = self._free
            block = self.border.restrictions.blocks[place]
            self._map.add_clause([-self._free, *(n + 1 for n in indices(block))])
            self._free += 1
        return self._mentions[place]


class Boxes(Iterator[Box]):
    """The explanations of a listing, one after the other, until all are found or a limit comes."""

    def __init__(self, duality: Duality, clock: Clock) -> None:
        self._duality = duality
        self._items = duality.items(clock)

    def __next__(self) -> Box:
        return next(item.box for item in self._items if item.kind is AnswerKind.EXPLANATION)

    @property
    def complete(self) -> bool:
        """Whether all have been listed."""
        return self._duality.complete


class DualFamily(Listing):
    """The prime boxes of an oracle's decision, found by listing them: counting lists too."""

    def __init__(self, oracle: Oracle, literals: Language, point: Point | None = None) -> None:
        super().__init__(lambda: self.within(Clock()))
        self._asked = (oracle, literals, point)

    def within(self, clock: Clock) -> Boxes:
        """Start a listing that ends at a limit, and says then that it is not complete."""
        return Boxes(Duality(*self._asked), clock)
