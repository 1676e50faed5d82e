"""Verifying a property of a whole model: it holds for every row, or a row shows that it does not."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from primewood.domain import EnsembleSubject
from primewood.engines.choice import Engines
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.ensemble import Ensemble, Level
from primewood.logic.instance import Box, Point
from primewood.logic.interval import number
from primewood.logic.masks import indices
from primewood.logic.syntax import Statement
from primewood.model.context import TreeContext
from primewood.model.feature_records import instance_record
from primewood.model.model import TreeModel
from primewood.model.row_in_cell import Row
from primewood.model.score import Score
from primewood.properties.breaking_rows import Breaking
from primewood.properties.wording import Claim, Outcome
from primewood.questions.certified import Certified, Certifier
from primewood.questions.familiar_points import find_familiar
from primewood.render.records import VerificationRecord, plain
from primewood.visible import Readable, join_lines


@dataclass(frozen=True, repr=False)
class Verification(Certified, Readable):
    """The outcome of verifying a property.

    Attributes
    ----------
    claim : Claim
        What was asked, in words.
    outcome : Outcome
        "holds" for every row that the model accepts, "fails" for the witness, or "undecided" at the limit.
    witnesses : tuple of rows
        If it fails: the row, or the two rows, that show it; the model's own sums confirm their decisions.
    decisions : tuple
        The decisions on the witnesses; for bounds on the output, the outputs.
    proved : float
        The share of the question that is proved: 1 if it holds; if it is undecided, what the note says.
    note : str
        If it is undecided: how far the proof came.
    breaking : Breaking or None
        Unless it holds: which training rows break it. None without training rows, and for robustness.
    certify : callable or None
        What writes the certificate of a property that holds; None if there is none.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> found = explainer.verify("pw > 1 -> virginica")
    >>> found.outcome, found.decisions, len(found.breaking.places)
    (<Outcome.FAILS: 'fails'>, ('versicolor',), 41)
    """

    claim: Claim
    outcome: Outcome
    context: TreeContext
    witnesses: tuple[tuple[float, ...], ...] = ()
    decisions: tuple[object, ...] = ()
    proved: float = 0.0
    note: str = ""
    breaking: Breaking | None = None
    certify: Certifier | None = field(default=None, repr=False, compare=False)

    @property
    def _unproved(self) -> str:
        return self.outcome.say_uncertified()

    @property
    def stated(self) -> str:
        """The name of the property."""
        return self.claim.name

    @property
    def words(self) -> str:
        """What is known, as a sentence: "Changing only sex changes the decision for some rows."."""
        if self.outcome is Outcome.HOLDS and self.note:
            return f"Proved: {self.note}, so nothing can break it."
        return self.claim.sentence(self.outcome)

    @property
    def holds(self) -> bool | None:
        """True or False; None if it is undecided."""
        return {Outcome.HOLDS: True, Outcome.FAILS: False, Outcome.UNDECIDED: None}[self.outcome]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed about rows."""
        domain = self.context.domain
        return tuple(dict.fromkeys((*domain.assumptions, *domain.knowledge.list_all())))

    def to_dict(self) -> VerificationRecord:
        """The outcome in plain types."""
        return {
            "property": self.stated,
            "outcome": str(self.outcome),
            "words": self.words,
            "breaking": None if self.breaking is None else self.breaking.to_dict(),
            "witnesses": [[None if x != x else x for x in row] for row in self.witnesses],
            "shown": self._show_rows(),
            "decisions": [plain(d) for d in self.decisions],
            "scores": [None if score is None else score.to_dict() for score in self.scores],
            "differ_in": self._find_differences(),
            "proved": self.proved,
            "note": self.note,
            "assumptions": list(self.assumptions),
            "model": self.context.digest,
        }

    @property
    def scores(self) -> tuple[Score | None, ...]:
        """What the decisions on the witnesses are based on; None if a witness shows something else than a decision."""
        found = [self.context.score(row) for row in self.witnesses]
        decided = zip(found, self.decisions, strict=True)
        return tuple(
            one if one is not None and one.decision == decision else None for one, decision in decided
        )

    def _describe_decisions(self) -> list[str]:
        """Each decision on the witnesses, with what it is based on."""
        decided = zip(self.scores, self.decisions, strict=True)
        return [_output(decision) if score is None else score.text for score, decision in decided]

    def _show_rows(self) -> list[dict[str, str]]:
        """The witnesses per row and feature, in words."""
        records = [instance_record(self.context, row) for row in self.witnesses]
        return [{x["feature"]: x["shown"] for x in record} for record in records]

    def _find_differences(self) -> list[str]:
        if len(self.witnesses) != 2:
            return []
        a, b = (np.array(row) for row in self.witnesses)
        return [
            f.name
            for f in self.context.domain.features
            if not np.array_equal(a[list(f.columns)], b[list(f.columns)], equal_nan=True)
        ]

    def to_text(self, *, full: bool = False) -> str:
        """The outcome in words; `full` lists all features of the rows that show it, and all rows that break it."""
        lines = [f"{self.outcome}: {self.stated}", self.words]
        if self.outcome is not Outcome.HOLDS:
            lines += [_sentence(text) for text in (self._describe_count(full), self.note) if text]
        if self.outcome is Outcome.FAILS:
            lines += self._describe_instance(full)
        if self.outcome is Outcome.HOLDS and self.assumptions:
            lines.append(f"Assumes: {'; '.join(self.assumptions)}.")
        return join_lines(lines, "   ")

    def _describe_count(self, full: bool) -> str:
        return "" if self.breaking is None else self.breaking.to_text(full=full)

    def _describe_instance(self, full: bool) -> list[str]:
        """The rows that show that it fails."""
        rows, apart = self._show_rows(), self._find_differences()
        if not rows:
            return []
        if len(rows) == 1:
            held = values_in_words(rows[0], full=full)
            return [f"For instance: {held}", f"   {self._describe_decisions()[0]}"]
        sides = [
            f"   {values_in_words(row, apart, full=full)}: {decided}"
            for row, decided in zip(rows, self._describe_decisions(), strict=True)
        ]
        rest = [name for name in rows[0] if name not in apart]
        same = [f"   everything else unchanged: {values_in_words(rows[0], rest, full=full)}"] if rest else []
        return ["For instance:", *sides, *same]

    def _repr_html_(self) -> str:
        from primewood.render.html.card import verification

        return verification(self.to_dict())

    def __repr__(self) -> str:
        broken = f"; {self.breaking.text}" if self.breaking is not None and self.breaking.count else ""
        return f"<Verification {self.outcome}: {self.stated}{broken}>"

    def __str__(self) -> str:
        return self.to_text()


MOST_SHOWN = 12
"""The most features of a row that a sentence names."""


def values_in_words(row: Mapping[str, str], names: Iterable[str] | None = None, *, full: bool = False) -> str:
    """What a row holds, in all features or in some: the first ones, unless `full`."""
    wanted = list(row if names is None else names)
    kept = wanted if full else wanted[:MOST_SHOWN]
    left = len(wanted) - len(kept)
    more = f" and {left:,} more feature{'s' if left > 1 else ''}" if left else ""
    return ", ".join(f"{name} = {row[name]}" for name in kept) + more


def _output(value: object) -> str:
    """A decision, or an output, as people read it."""
    return f"output {number(value)}" if isinstance(value, float) else str(value)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


@runtime_checkable
class Property(Protocol):
    """Something that can be true of a model."""

    @property
    def conditions(self) -> Sequence[Statement]:
        """Its conditions on features. The domain is cut where they cut."""

    def claim(self, verifier: Verifier) -> Claim:
        """What it says about the model, in words. Raises for what does not exist, before anything is proved."""

    def verify(self, verifier: Verifier) -> Verification:
        """Whether the property holds for the verifier's model."""


@dataclass(frozen=True)
class Verifier:
    """The model that a property is verified for, with the limits.

    Attributes
    ----------
    model : TreeModel
        Over a domain that is cut where the property cuts.
    clock : Clock
    """

    model: TreeModel
    clock: Clock

    @property
    def context(self) -> TreeContext:
        """What all answers about the model share."""
        return self.model.context

    @property
    def engines(self) -> Engines:
        """For the decision of the model."""
        return self.model.engines

    @property
    def subject(self) -> EnsembleSubject:
        """The ensemble over its domain."""
        return self.model.subject

    @property
    def positive(self) -> int | None:
        """The decision that the model is about, if the user named one."""
        scorer = self.context.scorer
        return None if scorer is None or self.model.rule.positive is None else scorer.positive

    @property
    def ordered(self) -> bool:
        """Whether the decisions have an order of their own: numbers, or levels of a prediction."""
        return self.model.decisions_are_ordered

    @property
    def everything(self) -> Box:
        """The box of all points."""
        return tuple(x.everything for x in self.context.variables)

    def cut_at_levels(self, levels: Sequence[Level]) -> Verifier:
        """The same model deciding by how many of these levels its output reaches."""
        names = tuple(str(i) for i in range(len(levels) + 1))
        ensemble: Ensemble = self.subject.ensemble.cut_at_levels(list(levels), names)
        subject, context = EnsembleSubject(ensemble, self.subject.domain), self.context
        model = replace(
            self.model,
            context=replace(context, class_names=names),
            subject=subject,
            engines=self.engines.for_subject(subject),
            own_file=self.model.certified,
        )
        return replace(self, model=model)

    def recognise(self, point: Point, box: Box, shows: Callable[[Point], bool]) -> Point:
        """A point of a box that shows the same as another one, with values of training rows if possible."""
        if not shows(point):  # where summation may take any order, the engine's point is all there is to show
            return point
        own = None if self._like is None else self._like[1]
        return find_familiar(self.context, point, box, shows, own=own)

    @property
    def _like(self) -> tuple[Row, Point] | None:
        """The training row that made-up rows are like, and its cell: the first, if it is in the domain."""
        rows, points = self.context.rows, self.context.points
        if rows is None or points is None or not len(points) or not (points[0] >= 0).all():
            return None
        return rows[0], tuple(points[0].tolist())

    def row(self, point: Point) -> Row:
        """A row of the cell at a point, like the first training row where that is in the same cells."""
        like, cell = self._like or (self.subject.domain.row_in(point), point)
        return self.context.cells.row_at(point, like, cell)

    def state_failure(
        self, claim: Claim, rows: Sequence[Row], as_asked: Callable[[list[int]], bool]
    ) -> Verification:
        """That the property fails for these rows, if the model decides about them as the search said."""
        table = np.array(rows)
        found = self.subject.ensemble.predict(table).tolist()
        if not as_asked(found):
            if not self.engines.any_order:
                raise AssertionError("a witness is not decided as it should be: please report this")
            note = "where rounding decides, it depends on the order in which scores are added"
            return Verification(claim, Outcome.UNDECIDED, self.context, note=note)
        names = tuple(self.context.class_names[d] for d in found)
        return Verification(claim, Outcome.FAILS, self.context, tuple(map(tuple, table.tolist())), names)

    def state_proof(self, claim: Claim, certify: Certifier | None = None) -> Verification:
        """That the property holds, and what writes a certificate of it."""
        return Verification(claim, Outcome.HOLDS, self.context, proved=1.0, certify=certify)

    def part(self, share: float) -> Clock:
        """A share of the time that is left."""
        left = None if self.clock.limit is None else self.clock.left() * share
        return self.clock.part(left)


def find_reaching(engines: Engines, label: int) -> Callable[[Box, Clock], Reply]:
    """What looks for a point of a box that is decided for a label."""
    oracle = engines.oracle((label + 1) % len(engines.subject.labels), target=label)
    return oracle.counterexample


@dataclass(frozen=True)
class Searched:
    """What a search of a box in parts came to: a point, or the share of the box that is proved to have none."""

    point: Point | None
    proved: float


def search_in_parts(
    find: Callable[[Box, Clock], Reply], box: Box, importance: Sequence[float], clock: Clock
) -> Searched:
    """Search a box; if half of the time is not enough, part by part, so that what is proved can be told.

    Parts are halves of the variable that matters most among those that can be halved; larger parts come first.
    """
    reply = find(box, clock.part(None if clock.limit is None else max(clock.left(), 0.02) / 2))
    if isinstance(reply, tuple):
        return Searched(reply, 0.0)
    if reply is Verdict.NONE_EXISTS:
        return Searched(None, 1.0)
    waiting = [(-1.0, 0, box)]
    proved, number, gaps = 0.0, 0, False
    while waiting and not clock.expired() and number < MOST_PARTS:
        share, _, whole = heapq.heappop(waiting)
        for part in _halve(whole, importance):
            number += 1
            slice_ = None if clock.limit is None else max(clock.left() / 8, 0.01)
            reply = find(part, clock.part(slice_))
            if isinstance(reply, tuple):
                return Searched(reply, proved)
            size = -share * _share(part, whole)
            if reply is Verdict.NONE_EXISTS:
                proved += size
            elif any(mask.bit_count() > 1 for mask in part):
                heapq.heappush(waiting, (-size, number, part))
            else:
                gaps = True
    return Searched(None, min(proved, math.nextafter(1.0, 0.0)) if waiting or gaps else 1.0)


MOST_PARTS = 4096


def _halve(box: Box, importance: Sequence[float]) -> list[Box]:
    wide = [j for j, mask in enumerate(box) if mask.bit_count() > 1]
    j = max(wide, key=lambda j: (importance[j] * math.log(box[j].bit_count()), -j))
    values = indices(box[j])
    low = sum(1 << v for v in values[: len(values) // 2])
    return [(*box[:j], part, *box[j + 1 :]) for part in (low, box[j] & ~low)]


def _share(part: Box, whole: Box) -> float:
    return math.prod(a.bit_count() / b.bit_count() for a, b in zip(part, whole, strict=True))
