"""Conditions as they are set in HTML: the feature's name stands out, and comparisons have their own signs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from primewood.render.lanes import Track, Tracks

MOST_DRAWN = 12
"""So many features are drawn; others are listed in words."""
MOST_LISTED = 100
"""So many features are listed in words; of the others the number is told."""
MOST_LISTED_PIECES = 40
"""So many pieces of one condition are listed."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a condition, divided at the feature's name."""

    before: str
    name: str
    after: str

    @classmethod
    def of(cls, words: str, feature: str, *, numeric: bool) -> Piece:
        """Words that begin with the feature's name, or with a number, a comparison and the name; else undivided.

        >>> Piece.of("2 <= age < 4", "age", numeric=True)
        Piece(before='2 ≤ ', name='age', after=' < 4')
        """
        bound = re.match(r"\S+ <=? ", words) if numeric else None
        start = bound.end() if bound and words.startswith(feature, bound.end()) else 0
        if not words.startswith(feature, start):
            return cls(words, "", "")
        before, after = words[:start], words[start + len(feature) :]
        return cls(_signs(before), feature, _signs(after)) if numeric else cls(before, feature, after)


def _signs(words: str) -> str:
    """Comparisons with their own signs; names are left alone, for they may look like comparisons."""
    return words.replace("<=", "≤").replace(">=", "≥")


@dataclass(frozen=True, slots=True)
class Row:
    """A feature on a card.

    Attributes
    ----------
    track : Track
        What is drawn.
    words : tuple of Piece
        The condition, at most three pieces of it; empty if the feature is free.
    all : tuple of Piece
        All pieces, if there are more; of very many, the first.
    more : int
        How many pieces there are beside `words`.
    """

    track: Track
    words: tuple[Piece, ...]
    all: tuple[Piece, ...]
    more: int = 0

    @classmethod
    def of(cls, track: Track) -> Row:
        """The row of a feature."""
        every, some = (
            tuple(Piece.of(words, track.feature, numeric=track.is_numeric) for words in pieces)
            for pieces in (track.pieces, track.some_pieces)
        )
        more = len(every) - len(some)
        return cls(track, some, every[:MOST_LISTED_PIECES] if more else (), more)


@dataclass(frozen=True, slots=True)
class Rows:
    """The features of a card: some are drawn, more are listed in words, and the rest is counted."""

    drawn: tuple[Row, ...]
    listed: tuple[Row, ...]
    left_out: int

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> Rows:
        """The rows of features, the first ones drawn."""
        rows = [Row.of(track) for track in tracks[: MOST_DRAWN + MOST_LISTED]]
        return cls(tuple(rows[:MOST_DRAWN]), tuple(rows[MOST_DRAWN:]), len(tracks) - len(rows))

    def __len__(self) -> int:
        return len(self.drawn) + len(self.listed) + self.left_out


def about(words: str, shown: Tracks) -> Piece:
    """Words about one of the conditions, divided at its feature's name; of two names that fit it is the longer."""
    names = sorted(shown.conditions, key=lambda track: len(track.feature), reverse=True)
    found = (Piece.of(words, track.feature, numeric=track.is_numeric) for track in names)
    return next((piece for piece in found if piece.name), Piece(words, "", ""))
