"""Answers with a short `repr`, however much they contain."""

from __future__ import annotations

from primewood.visible import Readable

MOST_LETTERS = 160
"""The most characters of an answer's text in a `repr`."""


def brief(words: str, most: int = MOST_LETTERS) -> str:
    r"""The first line of a text; of a long line, its beginning.

    >>> brief("approved\nand more"), brief("one two three", 9)
    ('approved', 'one two …')
    """
    first = words.split("\n", 1)[0].strip()
    return first if len(first) <= most else f"{first[:most].rsplit(' ', 1)[0]} …"


class Brief(Readable):
    """An answer whose `repr` is its class and the first line of its text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {brief(str(self))}>"
