"""Conditions as they are set in HTML: the feature's name stands out, and comparisons have their own signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from primewood.report.lanes import Track, Tracks


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
        All pieces, if there are more.
    """

    track: Track
    words: tuple[Piece, ...]
    all: tuple[Piece, ...]

    @classmethod
    def of(cls, track: Track) -> Row:
        """The row of a feature."""
        every, some = (
            tuple(Piece.of(words, track.feature, numeric=track.is_numeric) for words in pieces)
            for pieces in (track.pieces, track.some_pieces)
        )
        return cls(track, some, every if len(every) > len(some) else ())


def about(words: str, shown: Tracks) -> Piece:
    """Words about one of the conditions, divided at its feature's name; of two names that fit it is the longer."""
    names = sorted(shown.conditions, key=lambda track: len(track.feature), reverse=True)
    found = (Piece.of(words, track.feature, numeric=track.is_numeric) for track in names)
    return next((piece for piece in found if piece.name), Piece(words, "", ""))
