"""A claim: conditions on features that together are said to suffice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from primewood.domain import Feature
from primewood.domain.condition import Condition
from primewood.logic.lexicon import write_name
from primewood.model.row_in_cell import Row
from primewood.visible import Readable


@dataclass(frozen=True)
class ClaimedConditions(Readable):
    """That some conditions together suffice for the decision on a row.

    Attributes
    ----------
    said : tuple of Condition
        The conditions as they came; of a tool that weighs them, the heaviest first.
    source : str
        Who makes the claim, in a word.
    decision : str or None
        The decision that the claim names, if it names one.
    fewest : bool
        Whether the claim is only that some first ones of the conditions suffice.
    """

    said: tuple[Condition, ...]
    source: str = "claim"
    decision: str | None = None
    fewest: bool = False

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions, one per feature."""
        merged: dict[str, Condition] = {}
        for condition in self.said:
            name = condition.feature.name
            merged[name] = merged[name].and_also(condition) if name in merged else condition
        return tuple(merged.values())

    @property
    def features(self) -> tuple[str, ...]:
        """The features that it mentions."""
        return tuple(condition.feature.name for condition in self.conditions)

    def holds(self, row: Row) -> bool:
        """Whether a row, as the model takes it, satisfies all conditions."""
        return all(condition.holds(row) for condition in self.conditions)

    def first(self, count: int) -> ClaimedConditions:
        """The claim that the first `count` conditions suffice."""
        return replace(self, said=self.said[:count], fewest=False)

    def move_to(self, features: Iterable[Feature]) -> ClaimedConditions:
        """The same claim about features of the same names, which may have other cells."""
        by_name = {feature.name: feature for feature in features}
        said = tuple(replace(c, feature=by_name[c.feature.name]) for c in self.said)
        return replace(self, said=said)

    def __str__(self) -> str:
        words = [f"{write_name(c.text)} is as in the row" if c.kept else c.text for c in self.conditions]
        return " AND ".join(words) or "anything"
