"""What a check says: the verdict on a claim, and what it depends on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choice
from typing import get_args

from primewood.errors import format_list
from primewood.logic.language import Language
from primewood.model.context import TreeContext
from primewood.questions.explanation import Explanation
from primewood.questions.status import Status
from primewood.questions.sufficiency.claim import ClaimedConditions
from primewood.questions.sufficiency.counterexample import Counterexample
from primewood.render.brief import Brief
from primewood.render.records import CheckRecord, plain
from primewood.visible import join_lines

Judgement = Choice[
    "exact", "pessimistic", "optimistic", "incomparable", "inapplicable", "not sufficient", "undecided"
]
VERDICTS: tuple[Judgement, ...] = get_args(Judgement)
MEANINGS: dict[Judgement, str] = {
    "exact": "exact: a PI-explanation ({literals})",
    "pessimistic": "pessimistic: it says more than a PI-explanation ({literals}) does",
    "optimistic": "optimistic: a part of a PI-explanation ({literals}), which says more",
    "incomparable": "incomparable: no PI-explanation ({literals}) contains it",
    "inapplicable": "inapplicable: it does not hold for the row itself, so it cannot be the reason for its decision",
    "not sufficient": "whether it is a part of a PI-explanation ({literals}) was not decided in time",
    "undecided": "not decided in time",
}


@dataclass(frozen=True, repr=False)
class Check(Brief):
    """The result of checking a claim about one decision.

    Attributes
    ----------
    claim : ClaimedConditions
    decision : object
        The decision on the row.
    literals : str
        The literal language of the claim: "values" for features that are kept, else "intervals" where it will do.
    sufficient : bool or None
        Whether every possible row that meets the claim gets the decision; None if a limit was reached first.
    contains_row : bool
        Whether the claim holds for the row itself.
    verdict : str
        "exact", "pessimistic", "optimistic" or "incomparable", as the package says; "inapplicable" for a claim that
        does not hold for the row; "not sufficient" if no more than that, or "undecided" if not even that was decided.
    counterexample : Counterexample or None
        If the claim is not sufficient. The reference `predict` has confirmed it.
    redundant : tuple of str
        Of a sufficient claim: the conditions without which, one at a time, it stays sufficient.
    repaired : Explanation or None
        A PI-explanation made of the claim: what is not needed is dropped or widened, what is needed is added. None if
        the decision on the row itself depends on the order of summation.
    row : tuple of float
    notes : tuple of str

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.check(X[50], ["pw"])
    >>> found.sufficient, found.verdict
    (False, 'optimistic')
    >>> print(found.repaired.rule)
    IF pl <= 4.8 AND 0.9 <= pw <= 1.7 THEN versicolor
    """

    claim: ClaimedConditions
    decision: object
    literals: Language
    sufficient: bool | None
    contains_row: bool
    verdict: Judgement
    counterexample: Counterexample | None
    redundant: tuple[str, ...]
    repaired: Explanation | None
    row: tuple[float, ...]
    assumptions: tuple[str, ...]
    context: TreeContext = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """`interrupted` if a limit left something open."""
        open_ended = self.verdict in ("undecided", "not sufficient") or self.sufficient is None
        unfinished = self.repaired is not None and self.repaired.status is not Status.PROVED
        return Status.INTERRUPTED if open_ended or unfinished else Status.PROVED

    def to_dict(self) -> CheckRecord:
        """The check in plain types."""
        other = self.counterexample
        return {
            "claim": [condition.text for condition in self.claim.conditions],
            "source": self.claim.source,
            "decision": plain(self.decision),
            "score": self.context.score_record(self.row),
            "model": self.context.digest,
            "literal_language": self.literals,
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

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import check

        return check(
            self.to_dict(), self._sufficiency(), MEANINGS[self.verdict].format(literals=self.literals)
        )

    def __str__(self) -> str:
        lines = [f"{self.claim.source}: IF {self.claim} THEN {self.decision}"]
        score = self.context.score(self.row)
        lines += [*([] if score is None else [f"  {score}"]), f"  {self._sufficiency()}"]
        if self.verdict != "undecided" or self.sufficient is not None:
            lines.append(f"  {MEANINGS[self.verdict].format(literals=self.literals)}")
        if self.redundant:
            lines.append(f"  not needed, one at a time: {format_list(self.redundant)}")
        if self.repaired is not None and self.verdict != "exact":
            prime = "prime" if self.repaired.status is Status.PROVED else "sufficient, perhaps not prime"
            lines.append(f"  {prime} instead: {self.repaired.rule}")
        lines += [f"  Note: {note}" for note in self.notes]
        if self.assumptions:
            lines.append("  Assumes: " + "; ".join(self.assumptions))
        return join_lines(lines)

    def _sufficiency(self) -> str:
        if self.sufficient is None:
            return "whether it suffices was not decided in time"
        if self.counterexample is None:
            return f"sufficient: every row that it holds for is decided {self.decision}"
        return (
            f"not sufficient: with {self.counterexample.text} the decision is {self.counterexample.decision}"
        )


def _or_none(x: float) -> float | None:
    return None if x != x else x
