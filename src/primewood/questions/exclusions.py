"""What an explanation excludes, and the rows that show why.

What is excluded is listed by runs of neighbouring values, or value by value. The witness of each, a row that gets a
different decision, is searched for when somebody looks at it (`primewood.questions.witnesses`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from primewood.engines.protocol import Clock
from primewood.logic.expression import Literal
from primewood.logic.instance import Point
from primewood.logic.language import Language
from primewood.logic.masks import find_runs, indices, lowest
from primewood.logic.term import Term
from primewood.model.context import Context, TreeContext
from primewood.model.feature_records import format_value
from primewood.progress import Progress
from primewood.render.brief import brief
from primewood.render.records import ExclusionRecord, LiteralRecord, plain

WITNESS_SECONDS = 2.0
"""How long witnesses are searched for when somebody looks at them."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that shows why a value is excluded: it meets the other conditions and gets a different decision.

    Attributes
    ----------
    feature : str
        The feature whose value is excluded.
    value : int
        Which of its values, by index.
    row : tuple of float
        The row, as a user would pass it.
    decision : object
        The decision on this row.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> witness = explainer.explain(X[50]).witnesses[0]
    >>> witness.feature, witness.decision
    ('pl', 'virginica')
    """

    feature: str
    value: int
    row: tuple[float, ...]
    decision: object

    def __repr__(self) -> str:
        return f"<Witness: {self.decision} with value {self.value} of {self.feature}>"


@dataclass(frozen=True, slots=True)
class Excluded:
    """Values of one variable that an explanation excludes, for which a witness is wanted.

    Attributes
    ----------
    place : int
        The place of the variable.
    mask : int
        The values.
    nearest : int
        The one that should have the witness; another one has it if this one has none.
    together : bool
        Whether the language can only allow them all together, so that any of them does.
    """

    place: int
    mask: int
    nearest: int
    together: bool = False


KnownPoints = Callable[[], Mapping[tuple[int, int], Point]]
"""Returns the points outside a box that an engine has seen, by variable and value."""
FindWitnesses = Callable[[Sequence[Excluded], Clock], Mapping[Excluded, Witness | None]]
"""Finds witnesses: None for what has none; what there was no time for is left out."""


def find_nothing(wanted: Sequence[Excluded], clock: Clock) -> dict[Excluded, Witness | None]:  # noqa: ARG001
    """Finds no witness: what a pickled explanation has, because the model stays behind."""
    return {}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A run of neighbouring values that an explanation excludes, with one witness for it.

    Attributes
    ----------
    literal : dict
        The record of the run.
    values : int
        How many values of the variable it is.
    witness : Witness
        The one nearest to what the explanation allows.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> why = explainer.explain(X[50])
    >>> for exclusion in why.exclusions:
    ...     print(exclusion.witness)
    <Witness: virginica with value 2 of pl>
    <Witness: setosa with value 0 of pw>
    <Witness: virginica with value 2 of pw>
    """

    literal: LiteralRecord
    values: int
    witness: Witness

    @property
    def feature(self) -> str:
        """The name of the feature."""
        return self.literal["feature"]

    @property
    def text(self) -> str:
        """The run in words."""
        return self.literal["text"]

    def __repr__(self) -> str:
        return f"<Exclusion: {brief(self.text)}: {self.witness.decision}>"

    def to_dict(self, context: Context, row: tuple[float, ...] | None) -> ExclusionRecord:
        """The exclusion in plain types, with what its witness has otherwise than the row that is explained."""
        other = self.witness.row
        changed = {
            name: None if new != new else new
            for name, old, new in zip(context.column_names, row or (), other, strict=False)
            if new != old and not (new != new and old != old)
        }
        return {
            "text": self.text,
            "literal": self.literal,
            "shown": _describe_change(context, row, other),
            "values": self.values,
            "row": [None if x != x else x for x in other],
            "changed": changed,
            "decision": plain(self.witness.decision),
        }


def _describe_change(
    context: Context, row: tuple[float, ...] | None, other: tuple[float, ...]
) -> dict[str, str]:
    """What a row has otherwise than another one, in words, per feature."""
    if not isinstance(context, TreeContext) or row is None:
        return {}
    old, new = (context.named_values(np.array(x)) for x in (row, other))
    return {
        name: format_value(value, context.units.get(name, ""))
        for name, value in new.items()
        if value != old[name] and (value == value or old[name] == old[name])
    }


class WitnessesSoFar:
    """The witnesses of one explanation that were searched for so far.

    Attributes
    ----------
    found : dict
        What was found; None for what has no witness.
    """

    def __init__(self) -> None:
        self.found: dict[Excluded, Witness | None] = {}
        self._tried: set[Excluded] = set()

    def find(
        self, wanted: Sequence[Excluded], finder: FindWitnesses | None
    ) -> dict[Excluded, Witness | None]:
        """The witnesses of these, in their order; nothing is searched for twice."""
        new = [x for x in wanted if x not in self.found and x not in self._tried]
        if new and finder is not None:
            self._tried.update(new)
            with Progress("looking for rows just outside"):
                self.found.update(finder(new, Clock(WITNESS_SECONDS)))
        return {x: self.found[x] for x in wanted if x in self.found}


def explain_gap(finder: FindWitnesses | None) -> str:
    """Why some witnesses were not found."""
    if finder is find_nothing:
        return "the model is not at hand to search for the rest"
    return f"the rest was not found in {WITNESS_SECONDS:g} s"


def list_excluded(term: Term, language: Language, places: Mapping[str, int]) -> list[Excluded]:
    """What a term excludes, by runs of neighbouring values."""
    return [
        _as_excluded(literal, run, language, places[literal.variable.name])
        for literal in term.literals
        for run in _list_runs(literal, language)
    ]


def list_excluded_values(runs: Sequence[Excluded]) -> list[Excluded]:
    """What is excluded, value by value."""
    return [Excluded(run.place, 1 << v, v) for run in runs for v in indices(run.mask)]


def _as_excluded(literal: Literal, run: int, language: Language, place: int) -> Excluded:
    variable = literal.variable
    only_missing = variable.missing is not None and literal.mask == 1 << variable.missing
    together = language == "values" or (language == "intervals" and bool(variable.ordered) and only_missing)
    beside = run & (literal.mask << 1 | literal.mask >> 1)
    return Excluded(place, run, lowest(beside or run), together)


def _list_runs(literal: Literal, language: Language) -> list[int]:
    """The excluded values in runs of neighbours, as masks; all together if the language keeps or drops them so."""
    variable = literal.variable
    excluded = variable.everything & ~literal.mask
    if language == "values":
        return [excluded]
    line = (1 << variable.ordered) - 1
    runs = [(1 << high + 1) - (1 << low) for low, high in find_runs(excluded & line)]
    return runs + [1 << i for i in indices(excluded & ~line)]
