"""Finding the words of a text: known names and values as they stand, quoted ones, numbers with units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from primewood.errors import ParseError, UnknownWord, brief, format_list, suggest
from primewood.logic.lexicon import (
    CUT,
    ENDS,
    NUMBER,
    RELATES,
    RESERVED,
    STRING,
    WORD,
    Lexicon,
    Vocabulary,
    pattern,
    unquote,
)
from primewood.logic.syntax import Word
from primewood.visible import visible

A_NUMBER, SPACE = re.compile(NUMBER), pattern("")
NEXT = pattern(r"(?P<word>[\w.]+|<->|[-=]>|[<>!=]=|.|$)")
CHUNK = pattern(r"\([^()]*\)|[\w.]+|.")
QUOTES = ('"', "'", "`")


class Scanner:
    """A place in a text that moves on; where several names fit, the longest is taken, or the shortest.

    Attributes
    ----------
    has_chosen : bool
        Whether something could have been read in another way.
    has_unknown : bool
        Whether a value was read that is not known.
    """

    def __init__(self, text: str, vocabulary: Vocabulary, *, longest: bool) -> None:
        self.text, self.end = text, len(text.rstrip())
        self.vocabulary, self.longest = vocabulary, longest
        self.next = 0
        self.has_chosen = self.has_unknown = False
        self.cached: tuple[int, list[Word]] = (-1, [])

    def fail(self, problem: str, position: int | None = None) -> NoReturn:
        """Raise an error that shows where."""
        raise ParseError(problem, self.text, self.skip() if position is None else position)

    def fail_expecting(self, what: str) -> NoReturn:
        """Raise an error about what stands here instead of something else."""
        position = self.skip()
        if CUT.match(self.text, position):
            self.fail("this text was cut for people; pass the whole one, to_text(full=True)")
        if self.text[position : position + 1] in ('"', "`") and not STRING.match(self.text, position):
            self.fail("an unclosed quote is not understood here")
        self.fail(f"expected {what}, found {self.show_next()}")

    def show_next(self) -> str:
        """What stands here, as a message shows it."""
        match = NEXT.match(self.text, self.next)
        return repr(brief(match["word"], 60)) if match and match["word"] else "the end"

    def skip(self) -> int:
        """Move over spaces; returns the place behind them."""
        self.take(SPACE)
        return self.next

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Move over what matches here."""
        match = pattern.match(self.text, self.next, self.end)
        if match is not None:
            self.next = match.end()
        return match

    def expect(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Move over what matches here; an error if nothing does."""
        match = self.take(pattern)
        if match is None:
            self.fail_expecting(what)
        return match

    def looks_like(self, pattern: re.Pattern[str], position: int | None = None) -> bool:
        """Whether a pattern matches here, or elsewhere."""
        return pattern.match(self.text, self.next if position is None else position, self.end) is not None

    def choose(self, words: Sequence[Word]) -> Word | None:
        """The longest of some words, or the shortest; None of none."""
        self.has_chosen = self.has_chosen or len(words) > 1
        return (words[0] if self.longest else words[-1]) if words else None

    def find_names(self) -> list[Word]:
        """The known names that stand here, before something that can follow a name; the longest first."""
        start = self.skip()
        if self.cached[0] != start:
            string = self.find_string(self.vocabulary.lexicon)
            if string is not None and string.text in self.vocabulary.names:
                self.cached = (start, [string])
            else:
                self.cached = (start, self.find_words(self.vocabulary.lexicon, RELATES))
        return self.cached[1]

    def read_name(self, what: str) -> Word:
        """The name that stands here."""
        word = self.choose(self.find_names()) or self.read_other_name(what)
        self.next = word.end
        return word

    def read_other_name(self, what: str) -> Word:
        """A name that is not known, or is followed by what cannot follow a name; an error if that cannot be."""
        start = self.skip()
        known = self.vocabulary.lexicon.find(self.text, start)
        if known:
            return Word(known[0][0], start, known[0][1])
        match = WORD.match(self.text, start, self.end)
        if (match is not None and match[0] in RESERVED) or CUT.match(self.text, start):
            self.fail_expecting(what)
        if self.take(A_NUMBER):
            self.fail_expecting("a comparison after the number")
        word = self.find_string(self.vocabulary.lexicon)
        if word is None and match is not None:
            word = Word(match[0], start, match.end())
        if word is None or not self.vocabulary.is_open:
            self.fail_unknown(word, what)
        return word

    def fail_unknown(self, word: Word | None, what: str) -> NoReturn:
        """Raise an error about a name that is not known."""
        start = self.skip()
        if word is None and not re.match(r"\w", self.text[start : start + 1]):
            self.fail_expecting(what)
        run = word if self.text[start] in "\"'`" else self.find_run(RELATES)
        noun, names, text = self.vocabulary.noun, self.vocabulary.names, "" if run is None else run.text
        problem = f"no {noun} {brief(text)!r}{suggest([text], names)}; the {noun}s are {format_list(names)}"
        raise UnknownWord(problem, self.text, start)

    def find_string(self, known: Lexicon) -> Word | None:
        """The word that stands in quotes here, if one does: as it is, or as it is printed."""
        match = STRING.match(self.text, self.skip(), self.end)
        if match is None:
            return None
        raw, word = match[0][1:-1], unquote(match[0])
        own = known.own.get(word, known.own.get(raw, word))
        return Word(own, match.start(), match.end())

    def find_run(self, after: re.Pattern[str]) -> Word | None:
        """All that stands here up to something that can follow it."""
        start = end = self.skip()
        for chunk in CHUNK.finditer(self.text, start, self.end):
            if self.looks_like(after, end):
                break
            end = chunk.end()
        return Word(self.text[start:end], start, end) if end > start else None

    def find_values(self, name: Word) -> list[Word]:
        """The known values of a name that stand here, before something that can follow a value; the longest first."""
        known = self.vocabulary.values_of(name.text)
        string = self.find_string(known)
        is_known = string is not None and string.text in self.vocabulary.names.get(name.text, ())
        return [string] if string is not None and is_known else self.find_words(known, ENDS)

    def find_words(self, known: Lexicon, after: re.Pattern[str]) -> list[Word]:
        """The words without quotes that stand here, before something that can follow them; the longest first."""
        start = self.skip()
        found = known.find(self.text, start)
        return [Word(word, start, end) for word, end in found if self.looks_like(after, end)]

    def read_value(self, name: Word) -> Word:
        """The value that stands here, known or not."""
        known = self.vocabulary.values_of(name.text)
        word = self.choose(self.find_values(name)) or self.find_string(known)
        if word is None and (found := self.find_number(self.find_units(name), ENDS)):
            word = replace(found[0], end=found[2])
        if word is None and (longest := known.find(self.text, self.next)):
            word = Word(longest[0][0], self.next, longest[0][1])
        if word is None and not CUT.match(self.text, self.next):
            word = self.find_run(ENDS)
            self.has_unknown = True
        if word is None or (
            word.text[0:1] in QUOTES and self.find_string(known) is None and word.end == self.end
        ):
            self.fail_expecting(f"a value of {name.text}")
        self.next = word.end
        return word

    def read_number(self, name: Word, after: str) -> Word:
        """The number that stands here, moving over its unit."""
        found = self.find_number(self.find_units(name), ENDS)
        match = A_NUMBER.match(self.text, self.skip(), self.end)
        if match is None and self.find_names() and self.vocabulary.noun == "feature":
            self.fail(f"expected a number after {after}; two features are compared in constraints only")
        if match is None:
            self.fail_expecting(f"a number after {after}")
        self.next = match.end() if found is None else found[2]
        return Word(match[0], match.start(), match.end())

    def find_number(self, units: Sequence[str], after: re.Pattern[str]) -> tuple[Word, str, int] | None:
        """A number, its unit and where they end, before something that can follow them."""
        match = A_NUMBER.match(self.text, self.skip(), self.end)
        if match is None:
            return None
        number = Word(match[0], match.start(), match.end())
        spaces = SPACE.match(self.text, match.end())
        behind = match.end() if spaces is None else spaces.end()
        for unit in units:
            shown = next((form for form in (unit, visible(unit)) if self.text.startswith(form, behind)), None)
            if shown is not None and self.looks_like(after, behind + len(shown)):
                return number, unit, behind + len(shown)
        return (number, "", match.end()) if self.looks_like(after, match.end()) else None

    def find_units(self, name: Word) -> Sequence[str]:
        unit = self.vocabulary.units.get(name.text)
        return [unit] if unit else []
