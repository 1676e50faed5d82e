"""A row of a batch that could not be explained, which takes the place of its explanation."""

from __future__ import annotations

from dataclasses import dataclass, field

from primewood.logic.language import Language
from primewood.model.context import Context
from primewood.questions.status import Status
from primewood.render.brief import Brief
from primewood.render.records import ExplanationRecord
from primewood.render.shown import Shown


@dataclass(frozen=True, eq=False, repr=False)
class Failed(Brief, Shown):
    """A row that could not be explained, and the reason.

    It has the attributes of an explanation, all empty.

    Attributes
    ----------
    problem : str
        What went wrong.
    row : tuple of float
    literals : str
        The literal language of the call.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> failed, = explainer.stream([[5.1, 3.5, 1.4, float("nan")]])
    >>> failed.problem
    'InvalidInput: pw is missing (NaN), which the model or missing= does not allow'
    """

    problem: str
    row: tuple[float, ...]
    literals: Language
    context: Context = field(repr=False, compare=False)
    decision: None = None
    status: Status = Status.FAILED
    features: tuple[str, ...] = ()
    coverage: None = None
    volume: None = None

    @property
    def _key(self) -> tuple[object, ...]:
        row = tuple(None if x != x else x for x in self.row)
        return (self.problem, row, self.literals, self.context.digest)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Failed) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong, as notes."""
        return (self.problem,)

    def to_dict(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = False
    ) -> ExplanationRecord:
        """The record, as for an explanation; the row's values are left out, because they may be invalid."""
        del distribution, in_short
        record: ExplanationRecord = {
            "decision": None,
            "score": None,
            "status": str(self.status),
            "literal_language": self.literals,
            "literals": [],
            "coverage": None,
            "volume": None,
            "queries": 0,
            "vote": self.context.vote,
            "model": self.context.digest,
            "assumptions": [],
            "notes": [self.problem],
            "goal": "prime",
            "bounds": None,
            "history": [],
            "instance": [],
        }
        if witnesses:
            record.update({"excludes": [], "excludes_total": 0, "excludes_note": ""})
        return record
