"""An explanation of one decision, with its status and what it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.domain.mined import UsedRules
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.fields import flag, flag_or_count, number, optional, takes, whole
from primewood.logic.expression import Literal
from primewood.logic.instance import Box
from primewood.logic.language import Language, interval_around
from primewood.logic.masks import indices
from primewood.logic.term import Term
from primewood.model.context import Context, TreeContext
from primewood.model.feature_records import instance_record
from primewood.model.score import Score
from primewood.questions.certified import Certified, Certifier
from primewood.questions.exclusions import (
    Excluded,
    Exclusion,
    FindWitnesses,
    Witness,
    WitnessesSoFar,
    explain_gap,
    find_nothing,
    list_excluded,
    list_excluded_values,
)
from primewood.questions.history import Moment
from primewood.questions.necessity import KnownNecessity, Necessity, count_excluded
from primewood.questions.sampling import MOST_DRAWN, sample
from primewood.questions.status import Status
from primewood.render import text
from primewood.render.brief import Brief
from primewood.render.records import (
    ExclusionsRecord,
    ExplanationRecord,
    NearbyRecord,
    NecessitiesRecord,
    ScoreRecord,
    ShortenedRecord,
    plain,
)
from primewood.render.shown import RecordedExplanation, Shown, from_json
from primewood.tables.rows import as_rows

if TYPE_CHECKING:
    from primewood.questions.in_short.answer import InShort

Goal = Choice["readable", "prime", "shortest", "wide", "widest"]
"""What an explanation shall be best at."""
SHORT_ENOUGH = 3
"""An explanation of up to three conditions needs no shorter one beside it."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Certified, Brief, Shown):
    """Conditions that guarantee a decision: a term that entails it.

    Attributes
    ----------
    decision : object
        The decision, by its name.
    term : Term
        The explanation itself.
    literals : str
        The literal language in which it is prime.
    status : Status
        `proved`: it is prime; `interrupted`: it entails the decision, but the limit was reached before
        everything that could be weakened had been tried; `impossible`: what was asked for does not exist
        (the notes say why), and this is what comes nearest.
    queries : int
        How often an engine was asked.
    notes : tuple of str
        What the reader should know about this decision.
    bounds : pair of float, optional
        Of a shortest explanation: no explanation has fewer features (or less weight) than the first number; this one
        has the second. Of a widest one: what it covers, and what none covers more than (infinite if unknown).
    goal : str
        What it was asked to be best at: "readable" (few conditions), "prime" (nothing: the one that an order leads to),
        "shortest", "wide" or "widest".
    fixed : tuple of str
        The features that were told to keep the row's value. The answer is prime given them.
    history : tuple of (seconds, first bound, second bound)
        How these bounds drew together while they were searched for.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> why = explainer.explain(X[50])
    >>> why.features, why.status
    (('pl', 'pw'), <Status.PROVED: 'proved'>)
    >>> print(why.rule)
    IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
    >>> round(why.coverage, 2)
    0.32
    """

    decision: object
    term: Term
    literals: Language
    status: Status
    row: tuple[float, ...] | None
    context: Context = field(repr=False)
    queries: int = 0
    notes: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    goal: Goal = "prime"
    fixed: tuple[str, ...] = ()
    known_necessity: KnownNecessity | None = field(default=None, repr=False, compare=False)
    """What an engine has shown of an explanation that is not proved prime; None if nothing."""
    used: UsedRules | None = field(default=None, compare=False)
    """The rules found in the training rows that the answer rests on, as far as they were told from unused ones."""
    history: tuple[Moment, ...] = field(default=(), repr=False, compare=False)
    find_witnesses: FindWitnesses | None = field(default=None, repr=False, compare=False)
    """What finds rows just outside; None where there are none to find."""
    widen: Callable[[Box, Clock], Explanation] | None = field(default=None, repr=False, compare=False)
    """What widens a box inside the explanation to a prime one in "intervals"; None where no engine is at hand."""
    shorten: Callable[[], InShort] | None = field(default=None, repr=False, compare=False)
    """What finds the decision in short; None where the model is not at hand."""
    certify: Certifier | None = field(default=None, repr=False, compare=False)
    """What writes the certificate; None where the model is not at hand."""

    @cached_property
    def in_short(self) -> InShort:
        """The decision in short: few conditions, and how often they hold among the training rows. It is not proved.

        Cost: a search among the training rows, hundredths of a second.
        """
        if self.shorten is None:
            raise InvalidInput("the model is not at hand; ask an explainer: explain(x, precision=0.95)")
        return self.shorten()

    @property
    def shortened(self) -> ShortenedRecord:
        """The record of the decision in short, where the explanation has more than three conditions; else nothing.

        Near a row there is none: it is about all rows.
        """
        context = self.context
        if len(self.term.literals) <= SHORT_ENOUGH or not isinstance(context, TreeContext) or context.near:
            return {}
        try:
            return {"in_short": self.in_short.to_dict()}
        except InvalidInput:
            return {}

    @cached_property
    def score(self) -> Score | None:
        """What the decision is based on: the class, its score and the cut-off; None for an expression."""
        return self.context.score(self.row)

    @property
    def score_record(self) -> ScoreRecord | None:
        """The score in plain types."""
        return None if self.score is None else self.score.to_dict()

    @property
    def _key(self) -> tuple[object, ...]:
        """What two explanations have in common that are the same."""
        row = None if self.row is None else tuple(None if x != x else x for x in self.row)
        said = (self.decision, self.term, self.literals, self.status, self.notes, self.bounds)
        return (*said, row, self.context.digest)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Explanation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def necessity(self) -> tuple[Necessity, ...]:
        """Per condition, how many of the values that it excludes are shown to be necessary, and how many undecided.

        With a necessary value, the conditions would hold for a row that gets a different decision. What comes with a
        value depends on the language: in "sets" nothing, in "intervals" the numbers between it and the range, in
        "values" all values of the feature. In a proved explanation all excluded values are necessary. Conditions on
        `fixed` features are left out: they are not to be relaxed.
        """
        known = None if self.status is Status.PROVED else self.known_necessity
        if known is None:
            known = count_excluded(self.term, necessary=self.status is Status.PROVED)
        counted = known() if callable(known) else known
        return tuple(x for x in counted if x.feature not in self.fixed)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """For what the explanation excludes: rows that get a different decision.

        In "sets" one for every excluded value, in "intervals" for each end, in "values" for each kept feature. They are
        searched for when they are first looked at, for at most `WITNESS_SECONDS`; `witnesses_complete` tells whether
        that was enough. Their values are the row's own or those of training rows where such values show the same.
        """
        shown = tuple(x.witness for x in self.exclusions)
        if self.literals != "sets":
            return shown
        known = {(w.feature, w.value): w for w in shown}
        for each in self._every_value:
            witness = known.get((self.context.variables[each.place].name, each.nearest))
            if witness is not None:
                self._so_far.found[each] = witness
        found = self._so_far.find(self._every_value, self.find_witnesses)
        return tuple(w for w in found.values() if w is not None)

    @property
    def witnesses_complete(self) -> bool:
        """Whether `witnesses` has all there are; else the time was over, or the model was not at hand."""
        wanted = self._every_value if self.literals == "sets" else self._runs
        return len(self.witnesses) >= 0 and all(x in self._so_far.found for x in wanted)

    @cached_property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """What the explanation excludes, by runs of neighbouring values: what would change the decision."""
        return self._find_exclusions()

    def _find_exclusions(self, most: int | None = None) -> tuple[Exclusion, ...]:
        """The first exclusions, as far as witnesses are found in time."""
        found = self._so_far.find(self._runs[:most], self.find_witnesses)
        return tuple(self._exclude(run, witness) for run, witness in found.items() if witness is not None)

    def _exclude(self, run: Excluded, witness: Witness) -> Exclusion:
        literal = Literal(self.context.variables[run.place], run.mask)
        record = self.context.literal_record(literal, witness.row or None)
        return Exclusion(record, run.mask.bit_count(), witness)

    @cached_property
    def _runs(self) -> list[Excluded]:
        return list_excluded(self.term, self.literals, self.context.places)

    @cached_property
    def _every_value(self) -> list[Excluded]:
        return list_excluded_values(self._runs)

    @cached_property
    def _so_far(self) -> WitnessesSoFar:
        return WitnessesSoFar()

    def __getstate__(self) -> dict[str, Any]:
        """Everything, with the score and the necessity made; what finds other witnesses stays behind."""
        finder = None if self.find_witnesses is None else find_nothing
        known = None if self.known_necessity is None else self.necessity
        made = {
            "score": self.score,
            "known_necessity": known,
            "find_witnesses": finder,
            "widen": None,
            "shorten": None,
            "certify": None,
        }
        return {**self.__dict__, **made, "context": self.context.drop_model()}

    @staticmethod
    def from_json(document: str | bytes) -> RecordedExplanation:
        """An explanation that `to_json` wrote: its record, to the last bit, with no model behind it."""
        return from_json(document)

    @property
    def _unproved(self) -> str:
        return "" if self.status is Status.PROVED else f"the explanation is {self.status}, not proved"

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that the explanation mentions."""
        return tuple(literal.variable.name for literal in self.term.literals)

    @property
    def rule(self) -> str:
        """The explanation as IF ... THEN ...; shown bounds are short and lie inside the exact ones.

        A long rule is shortened, and says so; `to_text(full=True)` has all conditions.
        """
        literals = [self.context.literal_record(x, self.row) for x in self.term.literals]
        said = {"decision": plain(self.decision), "status": str(self.status), "literals": literals}
        return text.write_rule({**said, **self.neighbourhood})

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed about rows."""
        return (*self.context.assumptions, *self.context.list_used(self._box(), self.used))

    @cached_property
    def coverage(self) -> float | None:
        """The share of the training rows that the explanation covers; None without such rows."""
        context = self.context
        if not isinstance(context, TreeContext) or context.points is None:
            return None
        if context.near is not None:
            return float(self.covers(context.rows).mean())
        return float(self._find_inside(context.points).mean())

    @cached_property
    def volume(self) -> float | None:
        """The share of the box of the training ranges that the explanation covers; None without rows, and near a row.

        Each feature spans the numbers from the smallest to the largest in the training rows, or its
        categories; missing values are left out of account.
        """
        volumes = self.context.volumes if isinstance(self.context, TreeContext) else None
        if volumes is None or self.context.near is not None:
            return None
        share = 1.0
        for mask, variable, shares in zip(self._box(), self.context.variables, volumes, strict=True):
            if mask != variable.everything:
                share *= float(shares[indices(mask)].sum())
        return share

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Which rows the explanation covers. Cost: one bisection per number."""
        context = self._need_rows("covers rows")
        rows = as_rows(X, context.layout)
        points = context.domain.points(rows)
        return self._find_inside(points) & context.domain.possible(rows, points)

    @takes(count=whole(0, MOST_DRAWN), seed=optional(whole()))
    def sample(self, count: int, seed: int | None = None) -> NDArray[np.float64]:
        """`count` rows inside the explanation, as the model takes them; see `primewood.questions.sampling`."""
        return sample(self._need_rows("is sampled"), self._box(), self.row, count, seed)

    @takes(time_limit=optional(number))
    def as_intervals(self, time_limit: float | None = 10.0) -> Explanation:
        """The explanation said with one range per numeric feature.

        Each literal is cut down to the range around the row's own value, which lies inside the explanation and so
        entails the decision. Narrower literals may leave room elsewhere: what can be widened in "intervals" then is, so
        that the answer is prime there. (A prime interval term that lies wholly inside need not exist.) Where the model
        is not at hand, after loading or pickling, the answer is the cut-down one, and its status says that it
        may not be prime.
        """
        context = self._need_rows("has ranges")
        if self.literals != "sets":
            return self
        if self.row is None:
            raise InvalidInput("an implicant that is about no row has no range around one")
        point = context.domain.point(np.array(self.row))
        box = tuple(map(interval_around, self.context.variables, self._box(), point))
        if self.widen is None:
            inside = Term.of_box(self.context.variables, box)
            nothing = None if self.find_witnesses is None else find_nothing
            cut = replace(self, term=inside, status=Status.INTERRUPTED, known_necessity=None)
            found = replace(cut, find_witnesses=nothing)
        else:
            found = self.widen(box, Clock(time_limit))
        status = Status.IMPOSSIBLE if self.status is Status.IMPOSSIBLE else found.status
        return replace(
            found,
            literals="intervals",
            status=status,
            notes=self.notes,
            goal="prime",
            bounds=None,
            used=None,
            history=(),
        )

    def _need_rows(self, what: str) -> TreeContext:
        if not isinstance(self.context, TreeContext):
            raise TypeError(
                f"only an explanation of a model {what}; of an expression, ask term.holds(instance)"
            )
        return self.context

    def _find_inside(self, points: NDArray[np.int64]) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = np.all(points >= 0, axis=1)
        for j, mask in enumerate(self._box()):
            allowed = np.zeros(mask.bit_length() + 1, dtype=bool)
            allowed[indices(mask)] = True
            inside &= allowed[np.minimum(points[:, j], len(allowed) - 1)]
        return inside

    def _box(self) -> Box:
        return self.term.box(self.context.variables)

    @takes(witnesses=flag_or_count, distribution=flag, in_short=flag)
    def to_dict(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = False
    ) -> ExplanationRecord:
        shortened: ShortenedRecord = self.shortened if in_short else {}
        shown: ExclusionsRecord = (
            self._exclusions_record(None if witnesses is True else witnesses) if witnesses else {}
        )
        return {
            "decision": plain(self.decision),
            "score": self.score_record,
            "status": str(self.status),
            "literal_language": self.literals,
            "literals": [self.context.literal_record(x, self.row) for x in self.term.literals],
            "coverage": self.coverage,
            "volume": self.volume,
            "queries": self.queries,
            "vote": self.context.vote,
            "model": self.context.digest,
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
            "goal": self.goal,
            "bounds": None if self.bounds is None else [_finite(x) for x in self.bounds],
            "history": [[_finite(x) for x in step] for step in self.history],
            "instance": instance_record(self.context, self.row, distribution=distribution),
            **self._necessity_record(),
            **self.neighbourhood,
            **shown,
            **shortened,
        }

    @property
    def neighbourhood(self) -> NearbyRecord:
        """The record of the near rows that the explanation is about; nothing if it is about all rows."""
        return {} if self.context.near is None else {"near": self.context.near}

    def _necessity_record(self) -> NecessitiesRecord:
        """What is shown to be necessary, where the status does not say it."""
        return (
            {"necessity": [x.to_dict() for x in self.necessity]} if self.status is Status.INTERRUPTED else {}
        )

    def _exclusions_record(self, most: int | None) -> ExclusionsRecord:
        """What is excluded, how much that is in all, and why there is no more of it here."""
        shown = self.exclusions if most is None else self._find_exclusions(most)
        found = self._so_far.found
        none = sum(x in found and found[x] is None for x in self._runs)
        total = len(shown) if self.find_witnesses is None else len(self._runs) - none
        return {
            "excludes": [x.to_dict(self.context, self.row) for x in shown],
            "excludes_total": total,
            "excludes_note": "" if len(shown) == total else self._why_no_more(most),
        }

    def _why_no_more(self, most: int | None) -> str:
        if most is not None and most < len(self._runs):
            return text.REST
        return explain_gap(self.find_witnesses)


def score_together(answers: Iterable[object]) -> None:
    """Work out the scores of many explanations at once, which is far quicker than one by one."""
    waiting: dict[int, list[Explanation]] = {}
    for why in answers:
        if isinstance(why, Explanation) and why.row is not None and "score" not in why.__dict__:
            waiting.setdefault(id(why.context), []).append(why)
    for whys in waiting.values():
        context = whys[0].context
        if isinstance(context, TreeContext) and context.scorer is not None:
            scores = context.scorer.score_all(np.array([why.row for why in whys]))
            for why, score in zip(whys, scores, strict=True):
                why.__dict__["score"] = score


def _finite(x: float) -> float | None:
    """A number as JSON has it: None for an infinite one."""
    return x if np.isfinite(x) else None
