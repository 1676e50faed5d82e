"""Checking what others claim to suffice for a decision.

A claim C (`primewood.reasons.claims`) *suffices* iff every possible row that it holds for is decided like the row it
was made about. The model decides the same throughout a cell, so C suffices iff all cells that it meets are safe,
wherever its bounds lie; that is one query. Only an order between features (``x <= y``) can tell numbers of one cell
apart. Where a claim cuts a cell of such a feature in two, the claim's own ends become cuts of the domain first; then
every cell lies inside or outside, and nothing is approximated.

What C is, is said of the box of cells that it meets, in the words of the literature (Ignatiev, Narodytska,
Marques-Silva, "On validating, repairing and refining heuristic ML explanations", 2019). Let P range over the
PI-explanations of the decision, in the claim's literal language:

- *exact*: C is some P;
- *pessimistic*: C is a strict superset of some P: it suffices, and says more than needed;
- *optimistic*: C is a strict subset of some P: it does not suffice, and nothing in it is out of place;
- *incomparable*: C does not suffice, and no P contains it.

A condition that excludes no cell is in no P. Whether some P contains C is asked of a SAT solver that proposes sets of
exclusions with those of C among them (as in `primewood.engines.duality`); each proposal that is safe is weakened to
some P, and no superset of it is proposed again. There can be very many, so this question gets a part of the time
only; where it stays open, the verdict is "not sufficient".
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, EnsembleSubject, Feature
from primewood.domain.feature import FARTHEST
from primewood.domain.knowledge import Knowledge, Rule, Statements
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Grown, Step, Verdict
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, listing
from primewood.logic.instance import Box, Point, contains
from primewood.logic.interval import Interval, number
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.logic.variable import Side, Variable
from primewood.reasons.claims import EVERYTHING, By, Claim, Condition, Most, read_claim, span_of
from primewood.reasons.context import UNDECIDED, Context, Row, plain
from primewood.reasons.explanation import Explanation, Status
from primewood.reasons.prime import default_order
from primewood.reasons.weakening import dropping, weaken
from primewood.reasons.witnesses import witnesses
from primewood.report import text
from primewood.report.decimals import plain_number

SOLVER = "minisat22"
SHARE = 0.1
"""The part of a time limit that may go into the question whether a PI-explanation contains an insufficient claim."""
ATTEMPTS = 20
"""How often a PI-explanation that contains a claim is looked for before all are listed."""
Judgement = Choice[
    "exact", "pessimistic", "optimistic", "incomparable", "inapplicable", "not sufficient", "undecided"
]
FINER = "prime as far as bounds at the model's thresholds and at the claim's own ends can tell"
VERDICTS: tuple[Judgement, ...] = get_args(Judgement)
MEANINGS: dict[Judgement, str] = {
    "exact": "exact: a PI-explanation ({language})",
    "pessimistic": "pessimistic: it says more than a PI-explanation ({language}) does",
    "optimistic": "optimistic: a part of a PI-explanation ({language}), which says more",
    "incomparable": "incomparable: no PI-explanation ({language}) contains it",
    "inapplicable": "inapplicable: it does not hold for the row itself, so it is no reason for its decision",
    "not sufficient": "whether it is a part of a PI-explanation ({language}) was not decided in time",
    "undecided": "not decided in time",
}


@dataclass(frozen=True)
class Counterexample:
    """A row that a claim holds for and that is decided otherwise.

    Attributes
    ----------
    row : tuple of float
        The row, as the model takes it.
    decision : object
        What the model says about it.
    changed : dict
        What is different from the row that the claim is about: columns with their numbers, NaN for missing.
    text : str
        The same in words, by features.
    """

    row: tuple[float, ...]
    decision: object
    changed: dict[str, float]
    text: str


@dataclass(frozen=True)
class Check:
    """What is true of a claim about one decision.

    Attributes
    ----------
    claim : Claim
    decision : object
        The decision on the row.
    language : str
        The literal language of the claim: "values" for features that are kept, else "intervals" where it will do.
    sufficient : bool or None
        Whether every possible row that the claim holds for is decided so; None if a limit came first.
    contains_row : bool
        Whether the claim holds for the row itself.
    verdict : str
        "exact", "pessimistic", "optimistic" or "incomparable", as the module says; "inapplicable" for a claim that does
        not hold for the row; "not sufficient" if no more than that, or "undecided" if not even that was decided.
    counterexample : Counterexample or None
        If the claim is not sufficient. The reference `predict` has confirmed it.
    redundant : tuple of str
        Of a sufficient claim: the conditions without which, one at a time, it stays sufficient.
    repaired : Explanation or None
        A PI-explanation made of the claim: what is not needed is dropped or widened, what is needed is added. None if
        the decision on the row itself depends on the order of summation.
    row : tuple of float
    notes : tuple of str
    """

    claim: Claim
    decision: object
    language: Language
    sufficient: bool | None
    contains_row: bool
    verdict: Judgement
    counterexample: Counterexample | None
    redundant: tuple[str, ...]
    repaired: Explanation | None
    row: tuple[float, ...]
    assumptions: tuple[str, ...]
    context: Context = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """`interrupted` if a limit left something open."""
        open_ended = self.verdict in ("undecided", "not sufficient") or self.sufficient is None
        unfinished = self.repaired is not None and self.repaired.status is not Status.PROVED
        return Status.INTERRUPTED if open_ended or unfinished else Status.PROVED

    def to_dict(self) -> dict[str, Any]:
        """The check in plain types."""
        other = self.counterexample
        return {
            "claim": [condition.text for condition in self.claim.conditions],
            "source": self.claim.source,
            "decision": plain(self.decision),
            "model": self.context.digest,
            "language": self.language,
            "sufficient": self.sufficient,
            "contains_row": self.contains_row,
            "verdict": self.verdict,
            "status": str(self.status),
            "counterexample": None
            if other is None
            else {
                "row": [_or_none(x) for x in other.row],
                "changed": {name: _or_none(x) for name, x in other.changed.items()},
                "text": other.text,
                "decision": plain(other.decision),
            },
            "redundant": list(self.redundant),
            "repaired": None if self.repaired is None else self.repaired.to_dict(),
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{self.claim.source}: IF {self.claim} THEN {self.decision}", f"  {self._sufficiency()}"]
        if self.verdict != "undecided" or self.sufficient is not None:
            lines.append(f"  {MEANINGS[self.verdict].format(language=self.language)}")
        if self.redundant:
            lines.append(f"  not needed, one at a time: {listing(self.redundant)}")
        if self.repaired is not None and self.verdict != "exact":
            prime = "prime" if self.repaired.status is Status.PROVED else "sufficient, perhaps not prime"
            lines.append(f"  {prime} instead: {self.repaired.rule}")
        lines += [f"  note: {note}" for note in self.notes]
        if self.assumptions:
            lines.append("  holds for rows where " + "; ".join(self.assumptions))
        return "\n".join(lines)

    def _sufficiency(self) -> str:
        if self.sufficient is None:
            return "whether it suffices was not decided in time"
        if self.sufficient:
            return f"sufficient: every row that it holds for is decided {self.decision}"
        assert self.counterexample is not None
        return (
            f"not sufficient: with {self.counterexample.text} the decision is {self.counterexample.decision}"
        )


def _or_none(x: float) -> float | None:
    return None if x != x else x


def check(
    context: Context,
    engines: Engines,
    row: Row,
    point: Point,
    label: int,
    claim: Any,
    clock: Clock,
    *,
    most: Most = None,
    by: By | None = None,
) -> Check:
    """Check a claim about the decision on a row.

    Parameters
    ----------
    row, point, label
        The row, its cell, and the place of its decision among the classes.
    claim, most, by
        See `primewood.reasons.claims.read_claim`.

    Notes
    -----
    Cost: a query whether it suffices, one prime explanation, a query per condition of a sufficient claim. That no
    PI-explanation contains an insufficient claim can take as many queries as there are PI-explanations; of a time
    limit, a tenth at most goes into it.
    """
    asked = read_claim(claim, context, row, label, most=most, by=by)
    named = asked.decision
    if named is not None and named != str(context.class_names[label]):
        raise InvalidInput(
            f"the claim is about {named}; the decision on this row is {context.class_names[label]}"
        )
    return _Checking(context, engines, row, point, label, asked, clock).check()


class _Checking:
    """One claim, over a domain whose cells it does not cut where that matters."""

    def __init__(
        self,
        context: Context,
        engines: Engines,
        row: Row,
        point: Point,
        label: int,
        claim: Claim,
        clock: Clock,
    ) -> None:
        subject = engines.subject
        assert isinstance(subject, EnsembleSubject) and context.domain is not None
        self.ensemble: Ensemble = subject.ensemble
        finer = _refined(context.domain, claim, self.ensemble)
        if finer is not None:
            points = None if context.rows is None else finer.points(context.rows)
            context = replace(context, variables=finer.variables, domain=finer, points=points)
            point = finer.point(row)
            subject = EnsembleSubject(self.ensemble, finer)
            engines = Engines(subject, "search", any_order=engines.any_order)
            by_name = {feature.name: feature for feature in finer.features}
            claim = replace(
                claim, said=tuple(replace(c, feature=by_name[c.feature.name]) for c in claim.said)
            )
        self.context, self.row, self.point, self.label = context, row, point, label
        self.claim, self.clock = claim, clock
        self.any_order = engines.any_order
        self.oracle = engines.oracle(label)
        self.order = default_order(subject)
        self.cell = tuple(1 << value for value in point)
        self.everything = tuple(x.everything for x in context.variables)
        self.notes = [] if finer is None else [FINER]

    def check(self) -> Check:
        if self.claim.fewest:
            self.claim = self._fewest()
        box, language = self._box(self.claim), self._language(self.claim)
        sufficient, counterexample = self._sufficiency(box)
        broken = [c for c in self.claim.conditions if not c.holds(self.row)]
        contains_row = not broken
        if broken:
            self.notes.append(f"in the row, {' and '.join(_told(c.feature, self.row) for c in broken)}")
        grown = self._repaired(box, language, sufficient=bool(sufficient) and contains(box, self.point))
        redundant = self._redundant(box) if sufficient else ()
        verdict: Judgement
        if not contains_row:
            verdict = "inapplicable"
        elif sufficient is None:
            verdict = "undecided"
        elif sufficient:
            verdict = _of_sufficient(box, grown, redundant)
        else:
            verdict, grown = self._of_insufficient(box, language, grown)
        domain = self.context.domain
        assert domain is not None
        return Check(
            claim=self.claim,
            decision=self.context.class_names[self.label],
            language=language,
            sufficient=sufficient,
            contains_row=contains_row,
            verdict=verdict,
            counterexample=counterexample,
            redundant=redundant,
            repaired=None if grown is None else self._explanation(grown, language),
            row=tuple(self.row.tolist()),
            assumptions=(*domain.assumptions, *domain.knowledge.used_in(box)),
            context=self.context,
            notes=tuple(self.notes),
        )

    # The claim as cells

    def _box(self, claim: Claim) -> Box:
        """The cells that a claim meets."""
        masks = {c.feature.name: c.mask for c in claim.conditions if c.feature.variable is not None}
        return tuple(masks.get(x.name, x.everything) for x in self.context.variables)

    def _language(self, claim: Claim) -> Language:
        """The simplest literal language that says what the claim says of cells.

        In "intervals", a number that is missing is kept or dropped and not widened, so claims about rows with such a
        number are taken as "sets".
        """
        box = self._box(claim)
        places = [j for j, mask in enumerate(box) if mask != self.everything[j]]
        if all(c.kept for c in claim.conditions) and all(box[j] == self.cell[j] for j in places):
            return "values"
        for x, mask, value in zip(self.context.variables, box, self.point, strict=True):
            numbers = mask & ((1 << x.ordered) - 1)
            run = numbers // max(1, numbers & -numbers)
            if run & (run + 1) or (x.ordered and value == x.missing):
                return "sets"
        return "intervals"

    def _is_idle(self, condition: Condition) -> bool:
        """Whether a condition excludes no cell."""
        variable = condition.feature.variable
        return not condition.is_empty and (variable is None or condition.mask == variable.everything)

    # Whether it suffices

    def _sufficiency(self, box: Box) -> tuple[bool | None, Counterexample | None]:
        if any(condition.is_empty for condition in self.claim.conditions):
            self.notes.append("the claim holds for no row at all")
            return True, None
        reply = self.oracle.counterexample(box, self.clock)
        if reply is Verdict.NONE_EXISTS:
            return True, None
        found = self._counterexample(self._nearer(reply, box)) if isinstance(reply, tuple) else None
        return (None if found is None else False), found

    def _fewest(self) -> Claim:
        """The claim of the fewest first conditions that suffice: more of them exclude more, so bisection finds it."""
        low, high, unknown = 0, len(self.claim.said), False
        while low < high:
            middle = (low + high) // 2
            box = self._box(self.claim.first(middle))
            reply = self.oracle.counterexample(box, self.clock) if all(box) else Verdict.NONE_EXISTS
            unknown = unknown or reply is Verdict.UNKNOWN
            low, high = (low, middle) if reply is Verdict.NONE_EXISTS else (middle + 1, high)
        if unknown:
            self.notes.append("perhaps fewer of the features suffice: that was not decided in time")
        return self.claim.first(high)

    def _counterexample(self, other: Point) -> Counterexample | None:
        """A row of a cell that lies inside the claim and is decided otherwise; None if none can be written."""
        domain = self.context.domain
        assert domain is not None
        changed = self.context.row_at(other, self.row, self.point)
        cells = dict(zip((x.name for x in self.context.variables), other, strict=True))
        for condition in self.claim.conditions:
            if not condition.holds(changed):
                self._move_inside(condition, changed, cells.get(condition.feature.name))
        try:
            inside = self.claim.holds(changed) and domain.point(changed) == other
        except InvalidInput:
            inside = False
        if not inside:
            return None
        decided = int(self.ensemble.predict(changed[None, :])[0])
        if decided == self.label and not self.any_order:
            raise AssertionError("a counterexample is decided like the row: please report this")
        decision = UNDECIDED if decided == self.label else self.context.class_names[decided]
        differ = (changed != self.row) & ~(np.isnan(changed) & np.isnan(self.row))
        columns = np.flatnonzero(differ).tolist()
        words = dict.fromkeys(_told(domain.feature_of[column], changed) for column in columns)
        moved = {self.context.column_names[column]: float(changed[column]) for column in columns}
        return Counterexample(
            tuple(changed.tolist()), decision, moved, " and ".join(words) or "nothing changed"
        )

    def _move_inside(self, condition: Condition, row: Row, value: int | None) -> None:
        """Write what a condition allows into a row, within the cell of a value if the feature has cells."""
        feature = condition.feature
        if feature.patterns is not None and condition.places:
            row[list(feature.columns)] = list(feature.patterns)[min(condition.places)]
            return
        cell = None if value is None or feature.variable is None else feature.variable.values[value]
        low, high = span_of(cell) if isinstance(cell, Interval) else EVERYTHING
        spans = [(max(a, low), min(b, high)) for a, b in condition.spans]
        known = None if self.context.rows is None else self.context.rows[:, feature.column]
        row[feature.column] = next((_number_in(a, b, feature, known) for a, b in spans if a <= b), np.nan)

    # What it lacks, and what it does not need

    def _redundant(self, box: Box) -> tuple[str, ...]:
        """The conditions that are not needed, as far as that is decided in time."""
        conditions = self.claim.conditions
        places = {x.name: j for j, x in enumerate(self.context.variables)}
        found = []
        for condition in conditions:
            needless = self._is_idle(condition) or any(c.is_empty for c in conditions if c is not condition)
            if not needless:
                own = places.get(condition.feature.name)
                freed = tuple(self.everything[j] if j == own else mask for j, mask in enumerate(box))
                needless = self.oracle.counterexample(freed, self.clock) is Verdict.NONE_EXISTS
            if needless:
                found.append(condition.text)
        return tuple(found)

    def _repaired(self, box: Box, language: Language, *, sufficient: bool) -> Grown | None:
        """A prime box made of the claim's: weaker if that is safe; else inside it as far as possible."""
        if self.any_order and isinstance(self.oracle.counterexample(self.cell, self.clock), tuple):
            return None
        if sufficient:
            return self._grow(box, [], self.order, language)
        order = self._claimed_last(box)
        claimed = [j for j in order if box[j] != self.everything[j]]
        held = {j: box[j] for j in claimed if box[j] >> self.point[j] & 1}
        start = tuple(held.get(j, mask) for j, mask in enumerate(self.cell))
        return self._grow(start, [{j: mask} for j, mask in held.items()], order, language)

    def _grow(self, start: Box, steps: list[Step], order: list[int], language: Language) -> Grown:
        """Weaken the row to `start` if that is safe, then by steps, then by dropping and widening in an order."""
        whole: Step = {j: mask for j, mask in enumerate(start) if mask != self.cell[j]}
        sizes = [len(x) for x in self.context.variables]
        every = [*([whole] if whole else []), *steps, *dropping(order, sizes)]
        return weaken(self.oracle, self.point, every, order, language, clock=self.clock)

    def _of_insufficient(
        self, box: Box, language: Language, grown: Grown | None
    ) -> tuple[Judgement, Grown | None]:
        """What an insufficient claim is, and the prime box to repair it with: one inside it if there is any."""
        if grown is None or any(self._is_idle(condition) for condition in self.claim.conditions):
            return "incomparable", grown
        if grown.complete and _is_inside(grown.box, box):
            return "optimistic", grown
        if self.clock.limit is not None:
            self.clock = Clock(min(self.clock.left(), SHARE * self.clock.limit), self.clock.work_limit)
        found = self._prime_inside(box, language)
        if found is None:
            found = self._prime_inside_by_listing(box, language)
        if isinstance(found, Grown):
            return "optimistic", found
        return ("incomparable" if found is Verdict.NONE_EXISTS else "not sufficient"), grown

    def _prime_inside(self, box: Box, language: Language) -> Grown | Verdict | None:
        """A prime box around the row that lies inside a box; `NONE_EXISTS` if that is plain, None if neither is found.

        In a prime box, each restriction keeps out a point that no other one does. So each restriction of the box needs
        a point that the others let through; if they all have one, boxes that let these points through are tried.
        """
        others: list[Step] = []
        for j, beyond in self._restrictions(box, language):
            slice_ = (*box[:j], beyond, *box[j + 1 :])
            reply = self.oracle.counterexample(slice_, self.clock)
            if reply is Verdict.NONE_EXISTS:
                return Verdict.NONE_EXISTS
            if reply is Verdict.UNKNOWN:
                return None
            if isinstance(reply, tuple):
                near = self._nearer(reply, slice_)
                others.append({i: 1 << v for i, v in enumerate(near) if i != j and v != self.point[i]})
        generator = random.Random(0)
        order = self._claimed_last(box)
        for _ in range(ATTEMPTS):
            grown = self._grow(self.cell, [step for step in others if step], order, language)
            if not grown.complete:
                return None
            if _is_inside(grown.box, box):
                return grown
            generator.shuffle(others)
        return None

    def _restrictions(self, box: Box, language: Language) -> Iterator[tuple[int, int]]:
        """The variables that a box restricts, each with the values at which a box inside it may end instead.

        In "intervals", once for each side; of values without an order, and in "sets", once for each value.
        """
        for j, (x, mask, value) in enumerate(zip(self.context.variables, box, self.point, strict=True)):
            absent = [v for v in range(len(x)) if not mask >> v & 1]
            if language == "values" and absent:
                yield j, x.everything & ~(1 << value)
                continue
            ordered = x.ordered if language == "intervals" else 0
            below = [v for v in absent if v < min(value, ordered)]
            above = [v for v in absent if value < v < ordered]
            if below:
                yield j, (1 << value) - (1 << below[-1])
            if above:
                yield j, (2 << above[0]) - (2 << value)
            yield from ((j, 1 << v) for v in absent if v >= ordered)

    def _claimed_last(self, box: Box) -> list[int]:
        """The variables in the usual order, those that a box restricts after the others."""
        return sorted(self.order, key=lambda j: box[j] != self.everything[j])

    def _prime_inside_by_listing(self, box: Box, language: Language) -> Grown | Verdict:
        """The same for certain, by proposals of a SAT solver; `UNKNOWN` at a limit."""
        from pysat.solvers import Solver

        order = self._claimed_last(box)
        atoms = [
            (j, v) for j, x in enumerate(self.context.variables) for v in range(len(x)) if v != self.point[j]
        ]
        excluded = {atom: n for n, atom in enumerate(atoms, start=1)}
        given = [[n] for (j, v), n in excluded.items() if not box[j] >> v & 1]
        together = [[-excluded[a], excluded[b]] for a, b in self._implied(language)]
        with Solver(name=SOLVER, bootstrap_with=[*given, *together]) as proposals:
            proposals.set_phases(list(excluded.values()))
            asked = 0
            while proposals.solve():
                asked += 1
                if self.clock.expired() or asked > (self.clock.work_limit or asked):
                    return Verdict.UNKNOWN
                model = set(proposals.get_model())
                absent = [atom for atom, n in excluded.items() if n in model]
                start = _without(self.everything, absent)
                reply = self.oracle.counterexample(start, self.clock)
                if reply is Verdict.UNKNOWN:
                    return Verdict.UNKNOWN
                if isinstance(reply, tuple):
                    other = self._nearer(reply, self.everything)
                    clause = [excluded[j, v] for j, v in enumerate(other) if v != self.point[j]]
                else:
                    grown = self._grow(start, [], order, language)
                    if not grown.complete:
                        return Verdict.UNKNOWN
                    if _is_inside(grown.box, box):
                        return grown
                    clause = [-n for (j, v), n in excluded.items() if not grown.box[j] >> v & 1]
                if not clause:
                    break
                proposals.add_clause(clause)
        return Verdict.NONE_EXISTS

    def _implied(self, language: Language) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Which exclusions of values a literal of the language must have with which others."""
        for j, (x, value) in enumerate(zip(self.context.variables, self.point, strict=True)):
            others = [(j, v) for v in range(len(x)) if v != value]
            if language == "values":
                yield from zip(others, [*others[1:], others[0]], strict=True)
            elif language == "intervals":
                yield from pairwise((j, v) for v in range(value - 1, -1, -1) if value < x.ordered)
                yield from pairwise((j, v) for v in range(value + 1, x.ordered))

    def _nearer(self, other: Point, box: Box) -> Point:
        """Move a counterexample towards the row while it stays one, inside a box: less tells them apart."""
        moved = list(other)
        for j, value in enumerate(self.point):
            previous = moved[j]
            moved[j] = value if box[j] >> value & 1 else previous
            if self.oracle.holds(tuple(moved)):
                moved[j] = previous
        return tuple(moved)

    def _explanation(self, grown: Grown, language: Language) -> Explanation:
        context, row, point, label = self.context, self.row, self.point, self.label
        return Explanation(
            decision=context.class_names[label],
            term=Term.of_box(context.variables, grown.box),
            language=language,
            status=Status.PROVED if grown.complete else Status.INTERRUPTED,
            row=tuple(row.tolist()),
            context=context,
            queries=grown.queries,
            find_witnesses=lambda: witnesses(
                context, self.ensemble, grown, point, row, label, any_order=self.any_order
            ),
        )


def _of_sufficient(box: Box, grown: Grown | None, redundant: tuple[str, ...]) -> Judgement:
    if redundant:
        return "pessimistic"
    assert grown is not None
    if not _is_inside(box, grown.box):  # a limit came before the claim was taken up
        return "undecided"
    if grown.box != box:
        return "pessimistic"
    return "exact" if grown.complete else "undecided"


def _is_inside(inner: Box, outer: Box) -> bool:
    return all(not a & ~b for a, b in zip(inner, outer, strict=True))


def _without(box: Box, atoms: Iterable[tuple[int, int]]) -> Box:
    left = list(box)
    for j, v in atoms:
        left[j] &= ~(1 << v)
    return tuple(left)


def _told(feature: Feature, row: Row) -> str:
    """What a row holds in a feature, in words."""
    if np.isnan(row[list(feature.columns)]).any():
        return f"{feature.name} missing"
    if feature.patterns is None:
        return f"{feature.name} = {number(row[feature.column])}"
    return f"{feature.name} = {list(feature.patterns.values())[feature.index_of(row.tolist())]}"


def _number_in(low: float, high: float, feature: Feature, known: NDArray[np.float64] | None) -> float:
    """A number between two ends that a feature can hold, one that is known if possible."""
    low, high = (low if low > -FARTHEST else -math.inf), (high if high < FARTHEST else math.inf)
    found = plain_number(Interval(low, high, "both"), known)
    if not feature.whole:
        return found
    return float(math.floor(found) if math.floor(found) >= low else math.ceil(found))


# Claims that cut cells which orders between features tell apart


def _refined(domain: Domain, claim: Claim, ensemble: Ensemble) -> Domain | None:
    """The domain with the claim's ends as further cuts of features that are in order; None if it needs none."""
    orders = domain.knowledge.orders
    concerned = {name for order in orders for name in (order.lower, order.upper)}
    closed: Side = "right" if ensemble.operator == "<=" else "left"
    ends: dict[str, set[float]] = {}
    for condition in claim.said:
        if condition.feature.name in concerned and not condition.kept:
            ends.setdefault(condition.feature.name, set()).update(_cuts(condition, closed))
    finer: dict[str, Feature] = {}
    for feature in domain.features:
        known = (feature.variable.cuts if feature.variable is not None else None) or ()
        cuts = sorted({*known, *ends.get(feature.name, ())})
        if len(cuts) > len(known):
            variable = Variable.numeric(feature.name, cuts, closed, missing=feature.missing)
            finer[feature.name] = replace(feature, variable=variable)
    if not finer:
        return None
    features = tuple(finer.get(feature.name, feature) for feature in domain.features)
    return replace(domain, features=features, knowledge=_knowledge(domain, features))


def _cuts(condition: Condition, closed: Side) -> Iterator[float]:
    """The cuts that separate what a condition allows from what it does not."""
    feature = condition.feature
    probe = Variable.numeric(feature.name, [0.0], closed)
    for low, high in condition.spans:
        for operator, end in ((">=", low), ("<=", high)):
            own = probe.own_cut(operator, end)
            cut = probe.on_whole_numbers(operator, end)[1] if feature.whole else own
            above = cut >= feature.low if closed == "right" else cut > feature.low
            below = cut < feature.high if closed == "right" else cut <= feature.high
            if above and below and abs(cut) < FARTHEST:
                yield cut


def _knowledge(domain: Domain, features: tuple[Feature, ...]) -> Knowledge:
    """What is known, over the finer cells: orders anew, clauses about the cells that old ones were cut into."""
    known = domain.knowledge
    orders = Statements(orders=known.orders)
    stairs = orders.over(domain.features).rules
    places = {feature.name: j for j, feature in enumerate(f for f in features if f.variable is not None)}
    by_name = {feature.name: feature for feature in features}
    clauses = []
    for rule in known.rules:
        if rule not in stairs:
            boxes = [
                {
                    places[domain.seen[j].name]: _over(domain.seen[j], by_name[domain.seen[j].name], mask)
                    for j, mask in box.items()
                }
                for box in rule.forbidden
            ]
            clauses.append(Rule(rule.text, tuple(boxes)))
    return Knowledge((*clauses, *orders.over(features).rules), known.orders)


def _over(coarse: Feature, fine: Feature, mask: int) -> int:
    """The values of a finer feature that lie in a set of values of the coarse one."""
    if fine is coarse:
        return mask
    numbers = fine.numbers[:, 0].tolist()
    within = sum(1 << i for i, x in enumerate(numbers) if mask >> coarse.index_of({coarse.column: x}) & 1)
    if coarse.missing and mask >> coarse.index_of({coarse.column: math.nan}) & 1:
        within |= 1 << len(numbers)
    return within


# Many claims


@dataclass(frozen=True)
class Tally:
    """How many claims are what, for a table.

    Attributes
    ----------
    claims : int
    sufficient, insufficient : int
        The rest was not decided in time.
    verdicts : dict
        How often each verdict was given.
    """

    claims: int
    sufficient: int
    insufficient: int
    verdicts: dict[Judgement, int]

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain types."""
        return {
            "claims": self.claims,
            "sufficient": self.sufficient,
            "insufficient": self.insufficient,
            **{str(verdict): count for verdict, count in self.verdicts.items()},
        }

    def __str__(self) -> str:
        parts = [f"{count} {verdict}" for verdict, count in self.verdicts.items() if count]
        return f"{self.claims} claims, {self.sufficient} of them sufficient: {', '.join(parts) or 'none'}"


def tally(checks: Iterable[Check]) -> Tally:
    """Count what many checks say.

    >>> print(tally([]))
    0 claims, 0 of them sufficient: none
    """
    every = list(checks)
    counted = Counter(one.verdict for one in every)
    found = Counter(one.sufficient for one in every)
    return Tally(len(every), found[True], found[False], {verdict: counted[verdict] for verdict in VERDICTS})


def comparison(tallies: Mapping[str, Tally]) -> str:
    """A table in Markdown: one line per tool, shares in percent.

    >>> print(comparison({"Anchors": Tally(4, 1, 3, {"exact": 1, "optimistic": 3})}))
    | | claims | sufficient | exact | optimistic |
    |---|---|---|---|---|
    | Anchors | 4 | 25.0% | 25.0% | 75.0% |
    """
    shown = [v for v in VERDICTS if any(one.verdicts.get(v) for one in tallies.values())]
    lines = [
        f"| {' | '.join(['', 'claims', 'sufficient', *shown]).strip()} |",
        "|---" * (3 + len(shown)) + "|",
    ]
    for name, one in tallies.items():
        counts = [one.sufficient, *(one.verdicts.get(v, 0) for v in shown)]
        shares = [text.share(count / max(1, one.claims)) for count in counts]
        lines.append(f"| {' | '.join([name, str(one.claims), *shares])} |")
    return "\n".join(lines)
