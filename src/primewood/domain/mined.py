"""Rules that were found in the training rows, and what is known of how new rows keep to them.

A mined rule is a text in the grammar of constraints. It joins K as a constraint does; but it is an observation, not a
fact, so answers say which of these rules they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from primewood.render import frames
from primewood.render.numbers import format_count
from primewood.render.records import MinedKnowledgeRecord, MinedRuleRecord
from primewood.render.text import write_share
from primewood.visible import Readable, join_lines

FOUND = "found in the training rows"


@dataclass(frozen=True)
class MinedRule:
    """A rule that no training row breaks.

    Attributes
    ----------
    text : str
        The rule in the grammar of constraints; it can be passed as one.
    features : tuple of str
        The two features that it is about.
    support : int
        How many training rows its premise matches; of an order, in how many both numbers are known.
    excluded : float
        The share of rows that would break it if its two features were independent.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> from primewood import Explainer
    >>> explainer, X = load_iris_explainer()
    >>> rule = Explainer(explainer.model, X, feature_names=["sl", "sw", "pl", "pw"], knowledge="data").knowledge[0]
    >>> rule.features, rule.support
    (('pl', 'pw'), 51)
    """

    text: str
    features: tuple[str, ...]
    support: int
    excluded: float

    def to_dict(self) -> MinedRuleRecord:
        """The rule in plain types."""
        return {
            "text": self.text,
            "features": list(self.features),
            "support": self.support,
            "excluded": self.excluded,
        }


@dataclass(frozen=True)
class UsedRules:
    """The mined rules that an answer rests on.

    Attributes
    ----------
    texts : tuple of str
    is_minimal : bool
        Whether the answer would not be proved without any one of them; else some may be unused.
    """

    texts: tuple[str, ...]
    is_minimal: bool


@dataclass(frozen=True, repr=False)
class MinedKnowledge(Readable):
    """The rules that were found in the training rows, those that exclude the most first.

    Attributes
    ----------
    rules : tuple of MinedRule
    violated : float
        The share of new rows that break at least one of the rules, estimated by cross-validation.
    rows : int
        How many training rows there are.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> from primewood import Explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = Explainer(explainer.model, X, feature_names=["sl", "sw", "pl", "pw"], knowledge="data").knowledge
    >>> len(found), found.violated <= 0.05
    (1, True)
    """

    rules: tuple[MinedRule, ...]
    violated: float
    rows: int

    def __iter__(self) -> Iterator[MinedRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, place: int) -> MinedRule:
        return self.rules[place]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the rules, to be passed as ``constraints=``."""
        return tuple(rule.text for rule in self.rules)

    def keep(self, kept: Iterable[MinedRule]) -> MinedKnowledge:
        """The same with some of the rules alone."""
        return replace(self, rules=tuple(kept))

    def describe_used(self, used: Iterable[str], *, is_minimal: bool) -> tuple[str, ...]:
        """The assumption that some of the rules hold, in words; nothing for no rule."""
        texts = list(used)
        if not texts:
            return ()
        unused = "" if is_minimal else ", which may include unused ones"
        return (f"{format_count(len(texts), 'rule')} {FOUND}{unused}: {'; '.join(texts)} ({self.risk})",)

    def describe_all(self) -> tuple[str, ...]:
        """The assumption that all of the rules hold, in words; nothing if there are none."""
        return (f"{format_count(len(self), 'rule')} {FOUND} ({self.risk})",) if self.rules else ()

    @property
    def risk(self) -> str:
        """How many new rows break a rule, in words."""
        least = "fewer than 0.1%" if self.violated < 0.001 else f"about {write_share(self.violated)}"
        rules = "this rule" if len(self) == 1 else f"at least one of all {len(self)} rules"
        return f"{least} of new rows break {rules}"

    def to_dict(self) -> MinedKnowledgeRecord:
        """The rules in plain types."""
        return {
            "rules": [rule.to_dict() for rule in self.rules],
            "violated": self.violated,
            "rows": self.rows,
        }

    def to_frame(self, backend: frames.Backend | None = None) -> Any:
        """The rules as a frame of pandas or polars, one row each."""
        columns: dict[str, list[Any]] = {
            "text": [rule.text for rule in self.rules],
            "features": [", ".join(rule.features) for rule in self.rules],
            "support": [rule.support for rule in self.rules],
            "excluded": [rule.excluded for rule in self.rules],
        }
        return frames.frame(columns, backend)

    def __repr__(self) -> str:
        return f"<MinedKnowledge of {format_count(len(self), 'rule')}: print it, knowledge[0], to_frame()>"

    def __str__(self) -> str:
        if not self.rules:
            return f"No rule was {FOUND}: the features are too independent, or the rows too few."
        lines = [f"{rule.text}  ({format_count(rule.support, 'row')})" for rule in self.rules]
        kept = f"{format_count(len(self), 'rule')} that no training row breaks; {self.risk}."
        return join_lines([*lines, kept])
