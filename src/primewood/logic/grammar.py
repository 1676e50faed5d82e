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

from primewood.errors import InvalidInput, ParseError, UnknownWord, brief, listing, meant
from primewood.logic.expression import DEEPEST
from primewood.logic.lexicon import (
    CONSTANTS,
    END,
    ENDS,
    EQUAL,
    ORDER,
    RESERVED,
    WORD,
    Vocabulary,
    in_ascii,
    pattern,
)
from primewood.logic.scanner import A_NUMBER, Scanner
from primewood.logic.syntax import (
    Bounds,
    Conclusion,
    Join,
    JoinKind,
    Membership,
    Mention,
    NameOrder,
    Statement,
    Syntax,
    Truth,
    Word,
    leaves,
)

LONGEST = 1_000_000
"""How many characters a text may have."""
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
IFF, IMPLIES, OR, AND = range(4)
LEVEL: dict[str, int] = {"iff": IFF, "implies": IMPLIES, "or": OR, "and": AND, "list": AND}
KIND: dict[int, JoinKind] = {IFF: "iff", IMPLIES: "implies", OR: "or", AND: "and"}
KINDS = {"line": "list"} | {kind: kind for kind in LEVEL}
JOIN = re.compile(
    rf"\s*(?:(?P<iff><->|[↔⇔])|(?P<implies>[-=]>|[→⇒])|(?P<or>(?:or|OR){END}|\|\|?|∨)"
    rf"|(?P<and>(?:and|AND){END}|&&?|∧)|(?P<list>[,;]))|[^\S\n]*(?P<line>\n)"
)
NOT, NEGATES = pattern(rf"(?:not|NOT){END}|[~¬]|!(?!=)"), pattern(rf"(?:not|(?P<neither>neither)){END}")
IF, THEN, ARROW = pattern(f"(?:IF|if){END}"), pattern(f"(?:THEN|then){END}"), pattern("[-=]>|[→⇒]")
ALWAYS = pattern(rf"(always|never){END}")
AMONG = pattern(rf"(?P<not>not\s+in{END}|∉)|in{END}|∈")
AS_IN_ROW = pattern(f"as in the row{END}")
IS, BETWEEN, A_NUMBER_WORDS = pattern(f"is{END}"), pattern(f"between{END}"), pattern(f"a number{END}")
OR_WORD, NOR_WORD, AND_WORD = (
    pattern(f"(?:or|OR){END}"),
    pattern(f"nor{END}"),
    pattern(f"(?:and|AND){END}"),
)
ANY_ORDER, ANY_EQUAL = pattern(f"({ORDER})"), pattern(f"({EQUAL})")
SIGNED = pattern(rf"(?P<sign>[-+−])\s*(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?){END}")
OPEN, CLOSE, COMMA = pattern(r"\("), pattern(r"\)"), pattern(",")
OPEN_LIST, CLOSE_LIST = pattern(r"([{\[(])"), pattern(r"([}\])])")
CLOSED = {"{": "}", "[": "]", "(": ")"}
CLOSING_OF = {"{": pattern(r"\}"), "[": pattern(r"[\])]"), "(": pattern(r"[\])]")}
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
        reader = _Reader(text, vocabulary, longest=longest)
        try:
            said = reader.statement()
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


class _Reader(Scanner):
    """Recursive descent over one text."""

    def __init__(self, text: str, vocabulary: Vocabulary, *, longest: bool) -> None:
        super().__init__(text, vocabulary, longest=longest)
        self.depth = 0
        self.ends, self.separators = "", set[str]()

    # Statements

    def statement(self) -> Statement:
        """The whole text."""
        rule = bool(self.vocabulary.decisions)
        always = self.take(ALWAYS) if rule and not self.prefers_name(ALWAYS) else None
        if always is not None or (rule and self.take(ARROW)):
            return self.rule(Truth(True, 0, 0), negated=always is not None and always[1] == "never")
        has_if = not self.prefers_name(IF) and self.take(IF) is not None
        condition = self.condition(ends="implies" if rule else "")
        if has_if and not self.looks_like(THEN):
            self.expected("THEN")
        concludes = has_if and self.take(THEN) is not None
        if rule and (concludes or self.take(ARROW)):
            return self.rule(condition)
        if concludes:
            conclusion = self.condition()
            condition = Join("implies", (condition, conclusion), condition.start, conclusion.end)
        if self.skip() < self.end:
            self.expected("a connective or the end")
        return Statement(self.text, condition)

    def rule(self, condition: Syntax, *, negated: bool = False) -> Statement:
        """A rule whose conditions are read; its decisions follow."""
        conclusion = self.conclusion(negated=negated)
        if self.looks_like(ARROW):
            self.fail(
                "a rule has one arrow before its decisions; put conditions with an arrow in parentheses"
            )
        if self.skip() < self.end:
            self.expected("'or' or the end")
        return Statement(self.text, condition, conclusion)

    def conclusion(self, *, negated: bool) -> Conclusion:
        """Decisions with "or" between them, or with "not" before them."""
        whole = self.decision_at_end()
        if whole is not None:
            return Conclusion((whole,), negated)
        if not negated and not self.is_decision_here():
            negated = self.take(NOT) is not None or self.take(NEITHER) is not None
        opened = not self.is_decision_here() and self.take(OPEN)
        found = [self.decision()]
        while self.take(BETWEEN_DECISIONS):
            found.append(self.decision())
        if opened and not self.take(CLOSE):
            self.expected("')'")
        return Conclusion(tuple(found), negated)

    def decision_at_end(self) -> Word | None:
        """The decision that all the rest of the text is, if it is one."""
        start = self.skip()
        name = self.vocabulary.decision_lexicon.own.get(self.text[start : self.end])
        if name is None:
            return None
        self.next = self.end
        return Word(name, start, self.end)

    def is_decision_here(self) -> bool:
        """Whether a decision's name stands here."""
        return bool(self.words_here(self.vocabulary.decision_lexicon, ENDS_DECISION))

    def decision(self) -> Word:
        """One decision."""
        start = self.skip()
        words = self.words_here(self.vocabulary.decision_lexicon, ENDS_DECISION)
        word = self.choose(words) or self.string(self.vocabulary.decision_lexicon) or self.run(ENDS_DECISION)
        known = list(self.vocabulary.decisions)
        if word is None:
            self.expected("a decision")
        if word.text not in known:
            like = meant([word.text], known)
            problem = f"no decision is called {brief(word.text)!r}{like}; there are {listing(known)}"
            raise UnknownWord(problem, self.text, start)
        self.next = word.end
        return word

    # Connectives

    def condition(self, ends: str = "") -> Syntax:
        """Conditions with connectives, up to a connective that ends them: "implies" those of a rule."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"nested more than {DEEPEST} levels deep")
        outer, (self.ends, self.separators) = (self.ends, self.separators), (ends, set())
        found = self.joined(IFF)
        if self.separators >= {"or", "list"}:
            self.fail(
                "'or' beside a comma or a new line can be read in several ways; write 'and', or parentheses",
                found.start,
            )
        self.ends, self.separators = outer
        self.depth -= 1
        return found

    def joined(self, level: int) -> Syntax:
        """Conditions whose connectives bind at least as tightly as a level."""
        left = self.unary()
        while (own := self.joint()) is not None and own >= level:
            parts = [left]
            while self.take_joint(own):
                parts.append(self.joined(own + 1))
            left = Join(KIND[own], tuple(parts), left.start, parts[-1].end)
        return left

    def joint(self) -> int | None:
        """The level of the connective that stands here; None if none does."""
        match = JOIN.match(self.text, self.next, self.end)
        kind = None if match is None else KINDS[str(match.lastgroup)]
        return None if kind is None or kind == self.ends else LEVEL[kind]

    def take_joint(self, level: int) -> bool:
        """Move over a connective of this level."""
        if self.joint() != level:
            return False
        match = self.take(JOIN)
        assert match is not None
        self.separators.add(KINDS[str(match.lastgroup)])
        return True

    def unary(self) -> Syntax:
        """A condition with any number of negations."""
        start, count = self.skip(), 0
        while not self.prefers_name(NOT) and self.take(NOT):
            count += 1
        found = self.group() or self.atom()
        return Join("not", (found,), start, found.end) if count % 2 else found

    def prefers_name(self, other: re.Pattern[str]) -> bool:
        """Whether a name is taken here, and not something else that it begins like."""
        is_name, is_other = bool(self.names_here()), self.looks_like(other)
        self.has_chosen = self.has_chosen or (is_name and is_other)
        return is_name and (self.longest or not is_other)

    def group(self) -> Syntax | None:
        """Conditions in parentheses; None if there are none here."""
        start = self.skip()
        if self.prefers_name(OPEN) or not self.take(OPEN):
            return None
        inner = self.condition()
        if not self.take(CLOSE):
            self.expected("')'")
        return replace(inner, start=start, end=self.next)

    # Conditions on names

    def atom(self) -> Syntax:
        """A constant, a gate, or a condition that begins with a name or a number."""
        start, names = self.skip(), self.names_here()
        number = self.find_number(self.vocabulary.all_units, ANY_ORDER)
        self.has_chosen = self.has_chosen or bool(names and number)
        if number is not None and not (names and self.longest):
            self.next = number[2]
            return self.after_number(*number[:2])
        constant = None if names else self.constant()
        if constant is not None:
            return constant
        return self.about(self.name(f"a {self.vocabulary.noun}, a constant or '('"), start)

    def constant(self) -> Syntax | None:
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
            return self.at_least(start)
        return None

    def at_least(self, start: int) -> Syntax:
        """The gate "at least so many of these"."""
        if not self.take(OPEN):
            self.expected("'('")
        self.skip()
        match = self.take(A_NUMBER)
        if match is None or not match[0].isdecimal():
            self.fail("expected a whole number", self.next if match is None else match.start())
        count = int(min(float(match[0]), len(self.text)))
        parts = []
        while self.take(COMMA):
            parts.append(self.condition(ends="list"))
        if not self.take(CLOSE):
            self.expected("')'")
        return Join("at_least", tuple(parts), start, self.next, count)

    def after_number(self, number: Word, unit: str) -> Syntax:
        """``number order name``, and perhaps a second comparison."""
        match = self.take(ANY_ORDER)
        assert match is not None
        name = self.name(f"a {self.vocabulary.noun}")
        if unit and self.vocabulary.units.get(name.text) != unit:
            self.fail(f"{name.text} is not given in {unit}", number.end)
        return self.compared(name, number.start, [(TURNED[in_ascii(match[1])], number)])

    def about(self, name: Word, start: int) -> Syntax:
        """What follows a name: a value, a set of values, comparisons, or nothing."""
        if match := self.take(ANY_EQUAL):
            value = self.value(name)
            return Membership(name, (value,), in_ascii(match[1]) == "!=", start, self.next)
        if match := self.take(AMONG):
            return self.listed(name, start, negated=match["not"] is not None)
        if self.take(IS):
            return self.said(name, start)
        if self.take(BETWEEN):
            return self.between(name, start)
        return self.compared(name, start, [])

    def listed(self, name: Word, start: int, *, negated: bool) -> Syntax:
        """``in`` with values in brackets, or with the ends of an interval."""
        opened = self.take(OPEN_LIST)
        if opened is None:
            self.expected("'{'")
        values = [self.value(name)]
        while self.take(COMMA):
            values.append(self.value(name))
        if not self.looks_like(CLOSING_OF[opened[1]]):
            self.expected(repr(CLOSED[opened[1]]))
        closed = self.take(CLOSE_LIST)
        assert closed is not None
        is_set = opened[1] == "{" or bool(self.vocabulary.names.get(name.text))
        if is_set or len(values) != 2 or any(value.number is None for value in values):
            return Membership(name, tuple(values), negated, start, self.next)
        operators = (">=" if opened[1] == "[" else ">", "<=" if closed[1] == "]" else "<")
        found = Bounds(name, tuple(zip(operators, values, strict=True)), start, self.next)
        return Join("not", (found,), start, self.next) if negated else found

    def said(self, name: Word, start: int) -> Syntax:
        """``is`` with values, perhaps negated."""
        value, match = self.values_here(name), NEGATES.match(self.text, self.next, self.end)
        self.has_chosen = self.has_chosen or bool(value and match)
        negated = match is not None and not (value and self.longest)
        if match is not None and negated:
            self.next = match.end()
        if not self.values_here(name) and self.take(AS_IN_ROW):
            return Mention(name, start, self.next)
        if not self.values_here(name) and self.take(A_NUMBER_WORDS):
            return Membership(name, (Word("missing", start, self.next),), not negated, start, self.next)
        joint = NOR_WORD if negated and match is not None and match["neither"] else OR_WORD
        values = [self.value(name)]
        while self.goes_on(name, joint):
            self.take(joint)
            values.append(self.value(name))
        return Membership(name, tuple(values), negated, start, self.next)

    def goes_on(self, name: Word, joint: re.Pattern[str]) -> bool:
        """Whether another value follows, and not another condition."""
        match = joint.match(self.text, self.next, self.end)
        if match is None or joint is NOR_WORD:
            return match is not None
        here, self.next = self.next, match.end()
        is_value = bool(self.values_here(name)) or self.find_number(self.units_of(name), ENDS) is not None
        is_condition, is_name = self.begins_condition(), bool(self.names_here())
        self.next = here
        self.has_chosen = self.has_chosen or (is_value and is_condition)
        if is_value:
            return self.longest or not is_condition
        return not (is_condition or is_name)

    def begins_condition(self) -> bool:
        """Whether a condition can stand here; a name alone is rather a value."""
        return (
            any(not self.looks_like(ENDS, name.end) for name in self.names_here())
            or self.looks_like(NOT)
            or self.looks_like(OPEN)
            or self.find_number(self.vocabulary.all_units, ANY_ORDER) is not None
        )

    def between(self, name: Word, start: int) -> Syntax:
        """``between number and number``: both included."""
        low = self.number(name, "between")
        if not self.take(AND_WORD):
            self.expected("'and'")
        high = self.number(name, "and")
        return Bounds(name, ((">=", low), ("<=", high)), start, self.next)

    def compared(self, name: Word, start: int, limits: list[tuple[str, Word]]) -> Syntax:
        """A name that is read, and comparisons of it: with a number, or with other names in a chain."""
        parts: list[Syntax] = []
        left, constant, end = name, self.added(), self.next
        while match := self.take(ANY_ORDER):
            operator = in_ascii(match[1])
            if self.prefers_number():
                if constant != "0":
                    self.fail(f"a sum is compared with another {self.vocabulary.noun}, not with a number")
                limits, end = [*limits, (operator, self.number(left, operator))], self.next
                break
            right = self.name(f"a number or a {self.vocabulary.noun} after {operator}")
            parts += [Bounds(left, tuple(limits), start, end)] if limits else []
            constants = (constant, constant := self.added())
            parts.append(NameOrder(left, operator, right, constants, left.start, self.next))
            left, limits, start, end = right, [], right.start, self.next
        parts += [Bounds(left, tuple(limits), start, end)] if limits else []
        if len(parts) > 1:
            return Join("and", tuple(parts), parts[0].start, parts[-1].end)
        return parts[0] if parts else Mention(name, start, name.end)

    def prefers_number(self) -> bool:
        """Whether a number is to be read here, and not a name."""
        if not self.vocabulary.orders:
            return True
        number = A_NUMBER.match(self.text, self.skip(), self.end)
        is_name = any(number is None or name.end > number.end() for name in self.names_here())
        self.has_chosen = self.has_chosen or (number is not None and is_name)
        return number is not None and not (is_name and self.longest)

    def added(self) -> str:
        """The constant that is added to a name, "0" if there is none."""
        match = self.take(SIGNED) if self.vocabulary.orders else None
        return "0" if match is None else in_ascii(match["sign"] + match["number"]).removeprefix("+")
