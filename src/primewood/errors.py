"""The errors that primewood raises: one base class, each also a built-in kind.

A message says what came, what is accepted, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from primewood.visible import join_lines, visible

AROUND = 60
"""How many characters of a line an error shows before and after a position."""


class PrimewoodError(Exception):
    """Base class of every error that primewood raises on purpose; its arguments are the lines of its message."""

    def __str__(self) -> str:
        return join_lines(map(str, self.args))


class InvalidInput(PrimewoodError, ValueError):
    """An argument that cannot be taken as it is."""


class UnknownName(InvalidInput):
    """A variable, value or feature that does not exist; the message lists those that do."""


class ParseError(InvalidInput):
    """Text that is not an expression.

    Attributes
    ----------
    text : str
        The text as it was given.
    position : int
        Where the parser stopped, counted from 0.
    """

    def __init__(self, problem: str, text: str, position: int) -> None:
        self.text = text
        self.position = position
        before = text[max(0, position - AROUND) : position].rpartition("\n")[2]
        after = text[position : position + AROUND].partition("\n")[0]
        caret = " " * len(visible(before)) + "^"
        super().__init__(f"{problem}. At position {position}:", f"  {before}{after}", f"  {caret}")

    def __reduce__(self) -> tuple[object, ...]:
        return _parse_error, (type(self), self.args, self.text, self.position)

    @classmethod
    def because(cls, problem: InvalidInput, text: str, position: int) -> ParseError:
        """The error that says what a problem is, and where in a text it arose."""
        kind = UnknownWord if isinstance(problem, UnknownName) else ParseError
        return kind(str(problem), text, position)


class UnknownWord(ParseError, UnknownName):
    """Text that names a variable, feature, value or decision that does not exist."""


def _parse_error(kind: type[ParseError], message: tuple[str, ...], text: str, position: int) -> ParseError:
    """The error with its whole message, as another process raised it."""
    found = kind("", text, position)
    found.args = message
    return found


class Undecodable(InvalidInput):
    """A Boolean term that is not the encoding of any multi-valued term."""


class UnsupportedModel(PrimewoodError, TypeError):
    """A model that no reader knows, or that cannot be read exactly."""


class NoCertificate(PrimewoodError, ValueError):
    """An answer has no certificate; the message says why."""


class CertificateRejected(PrimewoodError, ValueError):
    """A certificate does not prove what it claims; the message names the first step that fails."""


class NotPicklable(PrimewoodError, TypeError):
    """An answer that is searched for while it is read, and so cannot be pickled or copied; `list` it first."""

    @classmethod
    def because_lazy(cls, what: str) -> NotPicklable:
        """The error about answers that are searched for while they are read."""
        return cls(
            f"{what} are searched for while they are read, so they cannot be pickled or copied; pickle a list of them "
            "instead"
        )


class MissingDependency(PrimewoodError, ImportError):
    """An optional package that is not installed; the message says how to get it."""


class TooLarge(PrimewoodError, MemoryError):
    """A computation that would outgrow its cap; the message names the size and what to try."""


class Interrupted(TooLarge):
    """A diagram that was not compiled before the limit came; with more time it may be."""


class RowsWarning(UserWarning):
    """What to know about a table of rows: columns that are ignored, or taken by place; categories that are unknown."""


def brief(text: str, most: int = 200) -> str:
    """A text, cut if it is long.

    >>> brief("abcdefgh", 5)
    'abcde...'
    """
    return text if len(text) <= most else f"{text[:most]}..."


def quote_value(value: object) -> str:
    """A value as an error shows it: in few words, whatever it is.

    >>> quote_value("abc"), quote_value(10**5000), quote_value([1])
    ("'abc'", 'a whole number of 16610 bits', '[1]')
    """
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"a whole number of {value.bit_length()} bits"
    try:
        return brief(repr(value))
    except Exception:  # a number with very many digits, lists nested very deep, a class that cannot be shown
        return f"a {type(value).__name__}"


def format_list(things: Iterable[object], limit: int = 12) -> str:
    """Write things as a short list for a message.

    >>> format_list("abc")
    'a, b, c'
    """
    words = [brief(visible(str(thing))) for thing in things]
    if len(words) > limit:
        return ", ".join(words[:limit]) + f", ... ({len(words)} in all)"
    return ", ".join(words)


def first_line(problem: BaseException, limit: int = 200) -> str:
    """What another library says of a problem, for a message of one line.

    >>> first_line(ValueError("no tree")), first_line(ValueError())
    ('no tree', 'ValueError')
    """
    words = str(problem).strip().partition("\n")[0] or type(problem).__name__
    return words if len(words) <= limit else words[:limit] + "..."


def suggest(words: Iterable[object], known: Iterable[object]) -> str:
    """A suggestion for a message, if something known is written much like a word that is not.

    >>> suggest(["incme"], ["income", "age"]), suggest(["postcode"], ["income", "age"])
    (' (did you mean income?)', '')
    """
    by_letters = {str(name).casefold(): str(name) for name in known}
    given = (word if isinstance(word, str) else quote_value(word) for word in words)
    near = [close[0] for word in given if (close := get_close_matches(word.casefold(), by_letters, n=1))]
    return f" (did you mean {format_list(by_letters[word] for word in near)}?)" if near else ""
