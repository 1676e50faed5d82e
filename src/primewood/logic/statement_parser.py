r"""The grammar of conditions, rules, constraints and claims: text to a plain tree.

From the loosest connective to the tightest::

    statement  = ["IF"] condition [("THEN" | "->") (condition | decisions)] | ("always" | "never") decisions
    condition  = implies { "<->" implies }
    implies    = or { "->" or }                                  from the right
    or         = and { ("or" | "|") and }
    and        = unary { ("and" | "&" | "," | ";" | end of line) unary }
    unary      = ("not" | "!" | "~") unary | "(" condition ")" | atom
    atom       = "true" | "false" | "at_least" "(" number { "," condition } ")"
               | name [ ("=" | "!=") value | ["not"] "in" "{" value { "," value } "}" | order number
                      | "is" ["not"] value { "or" value } | "is neither" value { "nor" value }
                      | "between" number "and" number ]
               | number order name [ order number ]
               | sum order sum { order sum }                     between features, in constraints
    order      = "<" | "<=" | ">" | ">="
    sum        = name [ ("+" | "-") number ]
    decisions  = ["not"] decision { "or" decision }

Words are written as here or in capitals (`AND`), signs also as `==`, `&&`, `||`, `=>`, `≤`, `≥`, `≠`, `∈`, `∉`, `∧`,
`∨`, `→`, `↔`. Names and values that are known stand as they are, or in quotes, in which ``\n``, ``\x1b`` or
``\u202e`` stand for characters that cannot be seen. Where a shorter name and a longer one both make sense, the text is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from primewood.errors import InvalidInput, ParseError, UnknownWord, brief, format_list, suggest
from primewood.logic.condition_parser import ANY_ORDER, CLOSE, COMMA, NOT, OPEN, ConditionScanner
from primewood.logic.expression import DEEPEST
from primewood.logic.lexicon import (
    CONSTANTS,
    END,
    RESERVED,
    WORD,
    Vocabulary,
    pattern,
)
from primewood.logic.scanner import A_NUMBER
from primewood.logic.syntax import (
    Conclusion,
    Join,
    JoinKind,
    Statement,
    Syntax,
    Truth,
    Word,
    leaves,
)

LONGEST = 1_000_000
"""How many characters a text may have."""
IFF, IMPLIES, OR, AND = range(4)
LEVEL: dict[str, int] = {"iff": IFF, "implies": IMPLIES, "or": OR, "and": AND, "list": AND}
KIND: dict[int, JoinKind] = {IFF: "iff", IMPLIES: "implies", OR: "or", AND: "and"}
KINDS = {"line": "list"} | {kind: kind for kind in LEVEL}
JOIN = re.compile(
    rf"\s*(?:(?P<iff><->|[↔⇔])|(?P<implies>[-=]>|[→⇒])|(?P<or>(?:or|OR){END}|\|\|?|∨)"
    rf"|(?P<and>(?:and|AND){END}|&&?|∧)|(?P<list>[,;]))|[^\S\n]*(?P<line>\n)"
)
IF, THEN, ARROW = pattern(f"(?:IF|if){END}"), pattern(f"(?:THEN|then){END}"), pattern("[-=]>|[→⇒]")
ALWAYS = pattern(rf"(always|never){END}")
BETWEEN_DECISIONS = pattern(rf"(?:or|OR|nor){END}|\|\|?|∨|,")
ENDS_DECISION = pattern(rf"(?:or|OR|nor){END}|[|∨,)→⇒]|[-=]>|$")
NEITHER = pattern(f"neither{END}")


def read(text: str, vocabulary: Vocabulary) -> Statement:
    """What a text says. Cost: linear in the text.

    >>> print(read("2 <= petal width < 4 -> not a", Vocabulary({"petal width": ()}, decisions=["a", "b"])).premise)
    2 <= petal width < 4

    Raises
    ------
    ParseError
        Where the text is not understood, names something unknown or can be read in several ways; it shows the place.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"conditions are read from a str, not from {type(text).__name__}")
    if len(text) > LONGEST:
        raise InvalidInput(
            f"a text of conditions may have {LONGEST:,} characters; this text has {len(text):,}"
        )
    readings: list[tuple[bool, Statement]] = []
    problems: list[ParseError] = []
    for longest in (True, False):
        reader = _SyntaxReader(text, vocabulary, longest=longest)
        try:
            said = reader.read_statement()
            readings.append((reader.has_unknown, said))
        except ParseError as problem:
            problems.append(problem)
        if not reader.has_chosen:
            break
    if not readings:
        raise problems[0]
    least = min(has_unknown for has_unknown, _ in readings)
    likely = [said for has_unknown, said in readings if has_unknown == least]
    _check_same(likely)
    return likely[0]


def _check_same(readings: Sequence[Statement]) -> None:
    """Raise if a text has several readings."""
    first, last = readings[0], readings[-1]
    for a, b in zip(leaves(first.condition), leaves(last.condition), strict=False):
        if a != b:
            ways = " or as ".join(repr(brief(first.text[x.start : x.end], 60)) for x in (a, b))
            raise ParseError(
                f"the text can be read in several ways: as {ways}; put names and values in double quotes",
                first.text,
                a.start,
            )
    if first.conclusion != last.conclusion:
        raise ParseError(
            "the decisions can be read in several ways; put them in double quotes", first.text, 0
        )


class _SyntaxReader(ConditionScanner):
    """Recursive descent over one text."""

    def __init__(self, text: str, vocabulary: Vocabulary, *, longest: bool) -> None:
        super().__init__(text, vocabulary, longest=longest)
        self.depth = 0
        self.ends, self.separators = "", set[str]()

    # Statements

    def read_statement(self) -> Statement:
        """The whole text."""
        rule = bool(self.vocabulary.decisions)
        always = self.take(ALWAYS) if rule and not self.prefers_name(ALWAYS) else None
        if always is not None or (rule and self.take(ARROW)):
            return self.read_rule(Truth(True, 0, 0), negated=always is not None and always[1] == "never")
        has_if = not self.prefers_name(IF) and self.take(IF) is not None
        condition = self.read_condition(ends="implies" if rule else "")
        if has_if and not self.looks_like(THEN):
            self.fail_expecting("THEN")
        concludes = has_if and self.take(THEN) is not None
        if rule and (concludes or self.take(ARROW)):
            return self.read_rule(condition)
        if concludes:
            conclusion = self.read_condition()
            condition = Join("implies", (condition, conclusion), condition.start, conclusion.end)
        if self.skip() < self.end:
            self.fail_expecting("a connective or the end")
        return Statement(self.text, condition)

    def read_rule(self, condition: Syntax, *, negated: bool = False) -> Statement:
        """A rule whose conditions are read; its decisions follow."""
        conclusion = self.read_conclusion(negated=negated)
        if self.looks_like(ARROW):
            self.fail(
                "a rule has one arrow before its decisions; put conditions with an arrow in parentheses"
            )
        if self.skip() < self.end:
            self.fail_expecting("'or' or the end")
        return Statement(self.text, condition, conclusion)

    def read_conclusion(self, *, negated: bool) -> Conclusion:
        """Decisions with "or" between them, or with "not" before them."""
        whole = self.read_last_decision()
        if whole is not None:
            return Conclusion((whole,), negated)
        if not negated and not self.is_at_decision():
            negated = self.take(NOT) is not None or self.take(NEITHER) is not None
        opened = not self.is_at_decision() and self.take(OPEN)
        found = [self.read_decision()]
        while self.take(BETWEEN_DECISIONS):
            found.append(self.read_decision())
        if opened and not self.take(CLOSE):
            self.fail_expecting("')'")
        return Conclusion(tuple(found), negated)

    def read_last_decision(self) -> Word | None:
        """The decision that all the rest of the text is, if it is one."""
        start = self.skip()
        name = self.vocabulary.decision_lexicon.own.get(self.text[start : self.end])
        if name is None:
            return None
        self.next = self.end
        return Word(name, start, self.end)

    def is_at_decision(self) -> bool:
        """Whether a decision's name stands here."""
        return bool(self.find_words(self.vocabulary.decision_lexicon, ENDS_DECISION))

    def read_decision(self) -> Word:
        """One decision."""
        start = self.skip()
        words = self.find_words(self.vocabulary.decision_lexicon, ENDS_DECISION)
        word = (
            self.choose(words)
            or self.find_string(self.vocabulary.decision_lexicon)
            or self.find_run(ENDS_DECISION)
        )
        known = list(self.vocabulary.decisions)
        if word is None:
            self.fail_expecting("a decision")
        if word.text not in known:
            like = suggest([word.text], known)
            problem = f"no decision is called {brief(word.text)!r}{like}; there are {format_list(known)}"
            raise UnknownWord(problem, self.text, start)
        self.next = word.end
        return word

    # Connectives

    def read_condition(self, ends: str = "") -> Syntax:
        """Conditions with connectives, up to a connective that ends them: "implies" those of a rule."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"nested more than {DEEPEST} levels deep")
        outer, (self.ends, self.separators) = (self.ends, self.separators), (ends, set())
        found = self.read_joins(IFF)
        if self.separators >= {"or", "list"}:
            self.fail(
                "'or' beside a comma or a new line can be read in several ways; write 'and', or parentheses",
                found.start,
            )
        self.ends, self.separators = outer
        self.depth -= 1
        return found

    def read_joins(self, level: int) -> Syntax:
        """Conditions whose connectives bind at least as tightly as a level."""
        left = self.read_unary()
        while (own := self.find_joint()) is not None and own >= level:
            parts = [left]
            while self.take_joint(own):
                parts.append(self.read_joins(own + 1))
            left = Join(KIND[own], tuple(parts), left.start, parts[-1].end)
        return left

    def find_joint(self) -> int | None:
        """The level of the connective that stands here; None if none does."""
        match = JOIN.match(self.text, self.next, self.end)
        kind = None if match is None else KINDS[str(match.lastgroup)]
        return None if kind is None or kind == self.ends else LEVEL[kind]

    def take_joint(self, level: int) -> bool:
        """Move over a connective of this level."""
        if self.find_joint() != level:
            return False
        match = self.expect(JOIN, "a connective")
        self.separators.add(KINDS[str(match.lastgroup)])
        return True

    def read_unary(self) -> Syntax:
        """A condition with any number of negations."""
        start, count = self.skip(), 0
        while not self.prefers_name(NOT) and self.take(NOT):
            count += 1
        found = self.read_group() or self.read_atom()
        return Join("not", (found,), start, found.end) if count % 2 else found

    def prefers_name(self, other: re.Pattern[str]) -> bool:
        """Whether a name is taken here, and not something else that it begins like."""
        is_name, is_other = bool(self.find_names()), self.looks_like(other)
        self.has_chosen = self.has_chosen or (is_name and is_other)
        return is_name and (self.longest or not is_other)

    def read_group(self) -> Syntax | None:
        """Conditions in parentheses; None if there are none here."""
        start = self.skip()
        if self.prefers_name(OPEN) or not self.take(OPEN):
            return None
        inner = self.read_condition()
        self.expect(CLOSE, "')'")
        return replace(inner, start=start, end=self.next)

    # Conditions on names

    def read_atom(self) -> Syntax:
        """A constant, a gate, or a condition that begins with a name or a number."""
        start, names = self.skip(), self.find_names()
        number = self.find_number(self.vocabulary.all_units, ANY_ORDER)
        self.has_chosen = self.has_chosen or bool(names and number)
        if number is not None and not (names and self.longest):
            self.next = number[2]
            return self.read_after_number(*number[:2])
        constant = None if names else self.read_constant()
        if constant is not None:
            return constant
        return self.read_relation(self.read_name(f"a {self.vocabulary.noun}, a constant or '('"), start)

    def read_constant(self) -> Syntax | None:
        """A constant or a gate, if one stands here."""
        start = self.skip()
        match = WORD.match(self.text, start, self.end)
        if match is None or (match[0] in self.vocabulary.names and match[0] not in RESERVED):
            return None
        if match[0] in CONSTANTS:
            self.next = match.end()
            return Truth(CONSTANTS[match[0]], start, match.end())
        if match[0] == "at_least":
            self.next = match.end()
            return self.read_gate(start)
        return None

    def read_gate(self, start: int) -> Syntax:
        """The gate "at least n of these"."""
        self.expect(OPEN, "'('")
        self.skip()
        match = self.take(A_NUMBER)
        if match is None or not match[0].isdecimal():
            self.fail("expected a whole number", self.next if match is None else match.start())
        count = int(min(float(match[0]), len(self.text)))
        parts = []
        while self.take(COMMA):
            parts.append(self.read_condition(ends="list"))
        self.expect(CLOSE, "')'")
        return Join("at_least", tuple(parts), start, self.next, count)
