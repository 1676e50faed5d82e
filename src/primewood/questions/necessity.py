"""How much of what an explanation excludes is shown to be necessary.

An explanation excludes values of features. An excluded value is *necessary* if it cannot be let in: with it, and with
all that the language lets in with it, the conditions hold for a row that gets a different decision. Such a row, a
witness, shows it. What comes along depends on the language:

- ``sets``: nothing. Each value needs a witness of its own.
- ``intervals``: the numbers between the value and the range. A witness at a number shows that all numbers from there
  on are necessary. "Missing" and categories come alone.
- ``values``: all values of the feature. One witness shows that they are all necessary.

In a prime explanation every excluded value is necessary. In one that was interrupted, the others are undecided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from primewood.engines.protocol import Grown
from primewood.logic.instance import Box, Point, is_beside
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.model.decision import Decision
from primewood.questions.exclusions import Excluded, list_excluded
from primewood.render.records import NecessityRecord


@dataclass(frozen=True, slots=True)
class Necessity:
    """How many of the values that one condition excludes are shown to be necessary.

    Attributes
    ----------
    feature : str
        The feature of the condition.
    excluded : int
        How many of its values the condition excludes. A number's values are the intervals between thresholds.
    necessary : int
        How many of them are shown to be necessary: with one of them, the conditions hold for a row that gets a
        different decision.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> explainer.explain(X[50]).necessity[0]
    Necessity(feature='pl', excluded=1, necessary=1)
    """

    feature: str
    excluded: int
    necessary: int

    @property
    def undecided(self) -> int:
        """How many of the excluded values may be unnecessary."""
        return self.excluded - self.necessary

    def to_dict(self) -> NecessityRecord:
        """The counts in plain types."""
        return {
            "feature": self.feature,
            "excluded": self.excluded,
            "necessary": self.necessary,
            "undecided": self.undecided,
        }


KnownNecessity = tuple[Necessity, ...] | Callable[[], tuple[Necessity, ...]]
"""What is shown of each condition, or what counts it when somebody looks."""


def count_excluded(term: Term, *, necessary: bool) -> tuple[Necessity, ...]:
    """The values that each condition excludes: all of them necessary, or none shown to be."""
    excluded = [(x.variable, (x.variable.everything & ~x.mask).bit_count()) for x in term.literals]
    return tuple(Necessity(variable.name, count, count if necessary else 0) for variable, count in excluded)


def count_necessary(decision: Decision, language: Language, found: Grown) -> tuple[Necessity, ...]:
    """The values that each condition of a box excludes, and how many of them the engine's witnesses show necessary.

    Cost: one evaluation per excluded value in "sets", in other languages about two per condition.
    """
    context, shown = decision.context, _ShownValues.read(decision, found)
    term = Term.of_box(context.variables, found.box)
    counts = dict.fromkeys((x.variable.name for x in term.literals), 0)
    for run in list_excluded(term, language, context.places):
        counts[context.variables[run.place].name] += shown.count(run, language)
    return tuple(replace(x, necessary=counts[x.feature]) for x in count_excluded(term, necessary=False))


@dataclass(frozen=True, slots=True)
class _ShownValues:
    """The excluded values of a box for which an engine has seen a witness, by the place of the variable."""

    decision: Decision
    box: Box
    seen: Mapping[tuple[int, int], Point]
    values: Mapping[int, Sequence[int]]

    @classmethod
    def read(cls, decision: Decision, found: Grown) -> _ShownValues:
        seen, values = found.find_witnesses(), defaultdict[int, list[int]](list)
        for place, value in seen:
            values[place].append(value)
        return cls(decision, found.box, seen, values)

    def count(self, run: Excluded, language: Language) -> int:
        """How many values of a run of neighbours are shown to be necessary."""
        values = [v for v in self.values.get(run.place, ()) if run.mask >> v & 1]
        values.sort(key=lambda value: abs(value - run.nearest))
        shown = (value for value in values if self._has_witness(run.place, value))
        if language == "sets":
            return sum(1 for _ in shown)
        first = next(shown, None)
        if first is None:
            return 0
        return run.mask.bit_count() - (0 if run.together else abs(first - run.nearest))

    def _has_witness(self, place: int, value: int) -> bool:
        """Whether the witness of a value is one: in the box but for this value, and with a different decision."""
        point = self.seen[place, value]
        return point[place] == value and is_beside(self.box, point, place) and self._differs(point)

    def _differs(self, point: Point) -> bool:
        """Whether a point gets a different decision, at least in some order in which scores may be added."""
        return self.decision.model.engines.any_order or not self.decision.oracle.holds(point)
