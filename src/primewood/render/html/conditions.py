"""Conditions in HTML: some are drawn, more are listed in words, and the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primewood.render.lanes import Track
from primewood.render.text import Piece

MOST_DRAWN = 12
"""The most features that are drawn; others are listed in words."""
MOST_LISTED = 100
"""The most features that are listed in words; the others are counted."""
MOST_LISTED_PIECES = 40
"""The most pieces of one condition that are listed."""


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """A feature on a card.

    Attributes
    ----------
    track : Track
        What is drawn.
    words : tuple of Piece
        The condition, at most three pieces of it; empty if the feature is free.
    all_words : tuple of Piece
        All pieces, if there are more; only the first if there are very many.
    more : int
        The number of pieces besides `words`.
    """

    track: Track
    words: tuple[Piece, ...]
    all_words: tuple[Piece, ...]
    more: int = 0

    @classmethod
    def of(cls, track: Track) -> ConditionRow:
        """The row of a feature."""
        every, some = (
            tuple(piece.typeset() for piece in pieces) for pieces in (track.pieces, track.some_pieces)
        )
        more = len(every) - len(some)
        return cls(track, some, every[:MOST_LISTED_PIECES] if more else (), more)


@dataclass(frozen=True, slots=True)
class ConditionRows:
    """The features of a card: some are drawn, more are listed in words, and the rest is counted."""

    drawn: tuple[ConditionRow, ...]
    listed: tuple[ConditionRow, ...]
    left_out: int

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> ConditionRows:
        """The rows of features, the first ones drawn."""
        rows = [ConditionRow.of(track) for track in tracks[: MOST_DRAWN + MOST_LISTED]]
        return cls(tuple(rows[:MOST_DRAWN]), tuple(rows[MOST_DRAWN:]), len(tracks) - len(rows))

    def __len__(self) -> int:
        return len(self.drawn) + len(self.listed) + self.left_out
