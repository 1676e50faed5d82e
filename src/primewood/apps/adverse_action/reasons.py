"""The reasons for an adverse action, as they are given."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from primewood.apps.adverse_action.codes import Fault
from primewood.model.score import Score
from primewood.questions.certified import Certified, Certifier
from primewood.questions.in_short.answer import InShort
from primewood.questions.status import Status
from primewood.render.brief import Brief
from primewood.render.records import LiteralRecord, plain
from primewood.visible import join_lines


@dataclass(frozen=True)
class AdverseReason:
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
        The least share of its training range by which the feature has to move; None without training rows, or if a
        limit came before it was known.
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
    direction: Fault
    together: tuple[str, ...]
    ranges: tuple[LiteralRecord, ...]
    helps: str
    move: float | None
    also: tuple[str, ...]
    proved: bool

    @property
    def alone(self) -> bool:
        """Whether a change of this feature alone would have sufficed."""
        return not self.together


STATUS_WORDS = {
    Status.PROVED: "the principal reasons, in order (proved)",
    Status.INTERRUPTED: "reasons found before a limit came; their order is not proved",
    Status.IMPOSSIBLE: "no change of the features that may be named leads there",
}


@dataclass(frozen=True, repr=False)
class AdverseAction(Certified, Brief):
    """The principal reasons for an unfavourable decision.

    Attributes
    ----------
    decision, favourable : object
        What was decided, and what would have been favourable.
    reasons : tuple of AdverseReason
        The most important first.
    status : Status
        "proved": these are the principal reasons, in this order. "interrupted": a limit was reached; the order is not
        proved, and there may be others. "impossible": no change of the features that may be named leads to the
        favourable decision, so there is no reason to state.
    left_out : tuple of str
        The protected features, as they were given; never in the letter.
    uncoded : tuple of str
        The features among the reasons for which the table of codes has no entry.
    score : Score
        The score of the decision; with two classes, the probability of the favourable one.
    letter : str
        The reasons as one paragraph.
    model : str or None
        The digest of the model.
    in_short : InShort or None
        How often cases like this one got the same decision, if that was asked for.
    certified : str or None
        The SHA-256 of the certificate that the letter names, if that was asked for and there is one.
    certify : callable or None
        What writes the certificate; None where the model is not at hand.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.adverse_action(X[50], "setosa", codes={"pw": "petals too wide"})
    >>> for reason in found.reasons:
    ...     print(reason.text)
    petals too wide
    >>> found.letter.startswith("The decision is: versicolor")
    True
    """

    decision: object
    favourable: object
    reasons: tuple[AdverseReason, ...]
    status: Status
    left_out: tuple[str, ...]
    uncoded: tuple[str, ...]
    score: Score
    letter: str
    model: str | None
    in_short: InShort | None = None
    certified: str | None = None
    certify: Certifier | None = field(default=None, repr=False, compare=False)

    @property
    def _unproved(self) -> str:
        return "" if any(reason.ranges for reason in self.reasons) else "no range is stated"

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain types."""
        reasons = []
        for reason in self.reasons:
            record = {name: list(x) if isinstance(x, tuple) else x for name, x in asdict(reason).items()}
            reasons.append(record)
        return {
            "decision": plain(self.decision),
            "score": self.score.to_dict(),
            "favourable": plain(self.favourable),
            "status": str(self.status),
            "reasons": reasons,
            "left_out": list(self.left_out),
            "uncoded": list(self.uncoded),
            "letter": self.letter,
            "model": self.model,
            "in_short": None if self.in_short is None else self.in_short.to_dict(),
            "certificate": self.certified,
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import adverse_action

        return adverse_action(self.to_dict(), STATUS_WORDS[self.status])

    def __str__(self) -> str:
        lines = [
            f"{self.decision} instead of {self.favourable}: {STATUS_WORDS[self.status]}",
            f"  {self.score}",
        ]
        for reason in self.reasons:
            code = "" if reason.code is None else f"{reason.code} "
            lines.append(f"  {reason.rank}. {code}{reason.text}")
            if reason.helps:
                lines.append(f"     {self.favourable} with {reason.helps}, everything else unchanged")
        lines += [] if self.in_short is None else [f"  {self.in_short}"]
        lines += [] if self.certified is None else [f"  certificate: {self.certified}"]
        return join_lines(lines)
