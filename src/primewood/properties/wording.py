"""What a property claims, in words: for each outcome a sentence that is true."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal as Choice
from typing import Self

ClaimKind = Choice["independent", "increasing", "decreasing", "stated"]


class Outcome(enum.StrEnum):
    """What is known about a property.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> explainer.verify("pw > 1.8 -> virginica").outcome
    <Outcome.HOLDS: 'holds'>
    >>> explainer.verify("pw > 1 -> virginica").outcome
    <Outcome.FAILS: 'fails'>
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"

    def say_uncertified(self) -> str:
        """Why an outcome has no certificate; "" if it can have one."""
        return "" if self is Outcome.HOLDS else f"the outcome is {self}; only what holds is certified"


@dataclass(frozen=True, slots=True)
class Claim:
    """A property in words.

    Attributes
    ----------
    name : str
        What it is called, whether it is true or not: "independent of sex".
    holds : str
        What is true if it holds: "changing only sex never changes the decision".
    fails : str
        What is true if it fails: "changing only sex changes the decision for some rows".
    whether : str
        What is open as long as it is undecided: "changing only sex can change the decision".
    kind : {"independent", "increasing", "decreasing", "stated"}
        Whether it is about what features may do: that decisions do not depend on them, or go one way with them.
    features : tuple of str
        The features that this is about.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> claim = explainer.verify("pw > 1.8 -> virginica").claim
    >>> claim.name
    'pw > 1.8 -> virginica'
    >>> claim.holds
    'every row with pw > 1.8 gets the decision virginica'
    """

    name: str
    holds: str
    fails: str
    whether: str
    kind: ClaimKind = "stated"
    features: tuple[str, ...] = ()

    @classmethod
    def never(
        cls, name: str, doing: str, verbs: tuple[str, str], kind: ClaimKind, features: tuple[str, ...]
    ) -> Self:
        """That doing something never does something else: "raising income", and ("turns a into b", "turn a into b")."""
        return cls(
            name,
            f"{doing} never {verbs[0]}",
            f"{doing} {verbs[0]} for some rows",
            f"{doing} can {verbs[1]}",
            kind,
            features,
        )

    def sentence(self, outcome: Outcome) -> str:
        """What an outcome says, as a sentence."""
        words = {
            Outcome.HOLDS: f"Proved: {self.holds}",
            Outcome.FAILS: self.fails,
            Outcome.UNDECIDED: f"Not decided: whether {self.whether}",
        }[outcome]
        return f"{words[:1].upper()}{words[1:]}."
