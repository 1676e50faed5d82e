"""The words and signs of conditions, and which names need quotes among them.

A name or a value that is known may stand without quotes, whatever it holds, as long as no part of it reads as
something else: `petal width (cm)` does, `a and b` does not. `write_name` and `write_value` put in quotes what would not
be read back.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from primewood.visible import visible

ESCAPE = re.compile(r"\\(?:(?P<code>x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})|(?P<sign>.))", re.DOTALL)
LINES = {"n": "\n", "t": "\t", "r": "\r"}
CONSTANTS = {"true": True, "anything": True, "false": False}
RESERVED = {"true", "false", "and", "or", "not", "in", "inf", "at_least", "AND", "OR", "NOT"}
"""Words that are names in quotes only."""
KEYWORDS = RESERVED | {
    *("is", "nor", "neither", "between", "missing", "anything"),
    *("if", "then", "IF", "THEN", "always", "never"),
}
"""Words that mean something in some places."""

END = r"(?![\w.])"
"""Where a word ends."""
ORDER = r"<=|>=|≤|≥|<(?!->)|>"
EQUAL = r"==|!=|≠|=(?!>)"
NUMBER = r"[-+−]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?(?![\w.])|inf\b)"
JOINT = r"<->|[-=]>|[→⇒↔∧∨&|,;)}\]]|(?<![\w.])(?:and|AND|or|OR|nor|then|THEN)(?![\w.])"
"""What stands between conditions and values, and closes lists of them."""
ENDS = re.compile(rf"\s*(?:{JOINT}|$)|[^\S\n]*\n")
"""What follows a value."""
RELATES = re.compile(
    rf"{ENDS.pattern}|\s*(?:{ORDER}|{EQUAL}|[∈∉]|[-+−]\s*[.\d]"
    rf"|(?<![\w.])(?:is(?![\w.])|between\s+{NUMBER}|(?:not\s+)?in\s*[{{[(]))"
)
"""What follows a name."""
BEGINS = re.compile(
    rf"""["'`(\[{{!~¬]|\d+ (?:more|other) |(?:not|NOT|if|IF|always|never|neither|at_least|a number|as in){END}"""
)
"""What a name or a value without quotes does not begin with."""
CUT = re.compile(rf"\d+ (?:more conditions|other (?:ranges|values)){END}")
"""What is printed for the part of an answer that is left out."""
STRING = re.compile(r"""(?P<quote>["'`])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)""", re.DOTALL)
WORD = re.compile(r"[\w.]+")
OPENING, CLOSING = "([{", ")]}"


def pattern(text: str) -> re.Pattern[str]:
    """A pattern after spaces."""
    return re.compile(rf"\s*(?:{text})", re.DOTALL)


class Lexicon:
    """Known words, to be found in a text as they are or as they are printed."""

    def __init__(self, words: Iterable[str]) -> None:
        listed = [word for word in words if word.strip()]
        self.own = {form: word for word in listed for form in (word.strip(), visible(word))}
        self.own |= {word: word for word in listed}
        self.lengths = sorted({len(form) for form in self.own}, reverse=True)

    def find(self, text: str, start: int) -> list[tuple[str, int]]:
        """The words that stand at a place, each with its end; the longest first. Cost: a look-up per length."""
        found = []
        for length in self.lengths:
            word, end = self.own.get(text[start : start + length]), start + length
            if word is not None and end <= len(text) and not _is_inside_word(text, end):
                found.append((word, end))
        return found


def _is_inside_word(text: str, end: int) -> bool:
    return end < len(text) and bool(re.match(r"\w|\.\w", text[end : end + 2])) and text[end - 1].isalnum()


@dataclass(frozen=True)
class Vocabulary:
    """The names that a text may use.

    Attributes
    ----------
    names : mapping
        From names to the values that they can have; none for numbers.
    units : mapping
        From names to their units, which may stand after numbers.
    decisions : sequence of str
        What a rule may conclude; without any, a conclusion is a condition.
    orders : bool
        Whether two names may be compared with each other.
    is_open : bool
        Whether other names are accepted, too.
    noun : str
        What a name is called in messages.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    decisions: Sequence[str] = ()
    orders: bool = False
    is_open: bool = False
    noun: str = "feature"

    @cached_property
    def lexicon(self) -> Lexicon:
        """The names as they are found in text; a reserved word only in quotes."""
        return Lexicon(name for name in self.names if name not in RESERVED)

    @cached_property
    def decision_lexicon(self) -> Lexicon:
        """The decisions as they are found in text."""
        return Lexicon(self.decisions)

    @cached_property
    def all_units(self) -> list[str]:
        """The units, the longest first."""
        return sorted({*self.units.values()} - {""}, key=len, reverse=True)

    def values_of(self, name: str) -> Lexicon:
        """The values of a name as they are found in text; each may be missing."""
        if name not in self._values:
            self._values[name] = Lexicon((*self.names.get(name, ()), "missing"))
        return self._values[name]

    @cached_property
    def _values(self) -> dict[str, Lexicon]:
        return {}


def write_name(name: str) -> str:
    """A name as it stands in a condition: in quotes, where it would not be read back without them.

    >>> write_name("petal width (cm)"), write_name("a and b"), write_name("in")
    ('petal width (cm)', '"a and b"', '"in"')
    """
    plain = name not in KEYWORDS and not re.fullmatch(NUMBER, name) and not _holds(RELATES, name)
    return name if plain and _is_closed(name) else quote(name)


def write_value(value: str, known: Iterable[str] | None = None) -> str:
    """A value as it stands in a condition: in quotes, where it would not be read back without them.

    Where all values of its feature are `known`, only those are put in quotes that could be taken for other ones.

    >>> write_value("0<=X<200"), write_value("no, none"), write_value("not employed")
    ('0<=X<200', '"no, none"', '"not employed"')
    >>> [write_value(value, ["100 or more", "50", "none", "none or 50"]) for value in ("100 or more", "none")]
    ['100 or more', '"none"']
    """
    if known is None:
        return value if _is_closed(value) and not _holds(ENDS, value) else quote(value)
    others = [_strip_not(other) for other in known if other != value]
    alike = any(_begin_alike(_strip_not(value), other) for other in others)
    return quote(value) if alike or not _is_closed(_strip_not(value)) else value


def _strip_not(value: str) -> str:
    return value.removeprefix("not ").removeprefix("neither ")


def _begin_alike(value: str, other: str) -> bool:
    """Whether the longer of two values is the shorter one and then something that can follow a value."""
    short, long = sorted((value, other), key=len)
    return long.startswith(short) and ENDS.match(long, len(short)) is not None


def _holds(pattern: re.Pattern[str], word: str) -> bool:
    """Whether a part of a word reads as something that follows a word; closing brackets are looked at elsewhere."""
    found = pattern.finditer(word)
    return any(match.end() > match.start() and match[0].strip() not in tuple(CLOSING) for match in found)


def _is_closed(word: str) -> bool:
    """Whether a word is visible, begins like a word, and closes its brackets."""
    opened: list[str] = []
    for character in word:
        if character in OPENING:
            opened.append(CLOSING[OPENING.index(character)])
        elif character in CLOSING and (not opened or opened.pop() != character):
            return False
    return not opened and visible(word) == word == word.strip() != "" and not BEGINS.match(word)


def quote(word: str) -> str:
    """A word in quotes; what cannot be seen is written as escapes."""
    return '"' + visible(word.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def unquote(string: str) -> str:
    r"""The word that stands in quotes; escapes stand for their characters.

    >>> unquote(quote("used car")), unquote(quote('"a\x1b')) == '"a\x1b', unquote(quote("two\nlines"))
    ('used car', True, 'two\nlines')
    """
    return ESCAPE.sub(_mean, string[1:-1])


def _mean(found: re.Match[str]) -> str:
    code, sign = found["code"], found["sign"]
    if code is None:
        return LINES.get(sign, sign)
    return chr(int(code[1:], 16)) if int(code[1:], 16) <= sys.maxunicode else found[0]


def write_ascii(text: str) -> str:
    """Signs as Python writes them.

    >>> write_ascii("−2"), write_ascii("≤")
    ('-2', '<=')
    """
    return text.replace("−", "-").replace("≤", "<=").replace("≥", ">=").replace("≠", "!=")
