"""The fields of an ensemble that readers find out together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from primewood.ensemble import Categories, Group, Tree
from primewood.ensemble.comparison import InputType
from primewood.ensemble.ensemble import Vote
from primewood.ensemble.link import Link


@dataclass(frozen=True)
class ClassCuts:
    """The classes of a model, and the cuts of the score between them."""

    classes: tuple[object, ...]
    cuts: tuple[float, ...] = ()
    link: Link = "identity"


class VoteParts(TypedDict):
    """The trees, and how they vote."""

    trees: tuple[Tree, ...]
    vote: Vote
    groups: NotRequired[tuple[Group, ...]]
    divisor: NotRequired[float]


class ScoreParts(VoteParts):
    """The trees, how they vote, and what their scores mean."""

    classes: tuple[object, ...]
    cuts: NotRequired[tuple[float, ...]]
    link: NotRequired[Link]
    dtype: NotRequired[InputType]
    start: NotRequired[tuple[float, ...]]
    categories: NotRequired[Mapping[int, Categories]]
