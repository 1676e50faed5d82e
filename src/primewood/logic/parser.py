r"""Reading expressions from text.

Grammar, from the loosest connective to the tightest::

    iff        = implies { "<->" implies }
    implies    = or [ "->" implies ]
    or         = and { ("|" | "or") and }
    and        = unary { ("&" | "and") unary }
    unary      = ("!" | "~" | "not") unary | atom
    atom       = "(" iff ")" | "true" | "false" | "at_least" "(" number "," iff { "," iff } ")"
               | name [ ("=" | "!=") value | ["not"] "in" "{" value { "," value } "}" | order number ]
               | number order name [ order number ]
    order      = "<" | "<=" | ">" | ">="

A name alone is a Boolean variable. Names and values that are not plain words stand in double
quotes, in which ``\n``, ``\x1b`` or ``\u202e`` stand for characters that cannot be seen. Comparisons
must fall on the cuts of a numeric variable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from primewood.errors import InvalidInput, ParseError, brief, listing, meant
from primewood.fields import optional, record, takes
from primewood.logic.connectives import (
    at_least,
    conjunction,
    disjunction,
    equivalence,
    implication,
    negation,
)
from primewood.logic.expression import DEEPEST, FALSE, TRUE, Expression
from primewood.logic.printer import RESERVED, unquoted
from primewood.logic.variable import Variable, unique_variables

TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|-inf\b)"
    r"|(?P<word>[\w.]+)"
    r"|(?P<sign><->|->|<=|>=|!=|[=<>!~&|(){},]))"
)
COMPARING = {"=", "!=", "<", "<=", ">", ">="}
OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
BEGINNING = {"and", "or", "not", "&", "|", "!", "~", "(", ",", "->", "<->"}
"""What a condition can begin after."""
OPEN, CLOSE = ("sign", "{"), ("sign", "}")
LONGEST = 1_000_000
"""How many characters a text may have."""


@dataclass(frozen=True, slots=True)
class Range:
    """What a numeric variable stands for: numbers from `low` to `high`, perhaps whole ones only."""

    low: float
    high: float
    whole: bool


@takes(ranges=optional(record))
def parse(
    text: str, variables: Iterable[Variable], *, ranges: Mapping[str, Range] | None = None
) -> Expression:
    """Read an expression over `variables`. Cost: linear in the text.

    Of a variable in `ranges`, comparisons are understood that need not fall on its cuts: X < 3 is X <= 2 of whole
    numbers, and X <= 200 says nothing of numbers up to 100.

    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", ["r", "b", "g"])
    >>> print(parse("(B=r | B=b) -> !(A=2)", [A, B]))
    B!=g -> A!=2

    Raises
    ------
    ParseError
        Where the text is no expression, or names something unknown; it shows the position.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"an expression is parsed from a str, not from {type(text).__name__}")
    universe = unique_variables(variables)
    return _Parser(text, universe, ranges or {}).everything().over(universe)


def boolean_variables(text: str, known: Sequence[Variable]) -> tuple[Variable, ...]:
    """Boolean variables for the names in `text` that stand alone and are not `known`.

    So that ``(A | !C) & B`` needs no declarations. Cost: linear in the text.

    >>> [x.name for x in boolean_variables("(A | !C) & B", [])]
    ['A', 'C', 'B']
    """
    names = {x.name for x in known}
    found: dict[str, Variable] = {}
    tokens = _tokens(text)
    inside = _in_braces(tokens)
    for i, token in enumerate(tokens):
        if token.kind not in ("word", "string") or token.text in RESERVED:
            continue
        before = tokens[i - 1].text if i else ""
        after = tokens[i + 1].text
        alone = before not in COMPARING and after not in COMPARING and after not in ("in", "not")
        inside_set = before in ("{", ",") and inside[i]
        if alone and not inside_set and token.text not in names:
            found.setdefault(token.text, Variable.boolean(token.text))
    return tuple(found.values())


def comparisons(text: str) -> list[tuple[str, str, float]]:
    """The comparisons of names with finite numbers in a text: name, operator, number. Cost: linear in the text.

    >>> comparisons("0 < rent <= 100 -> housing = own")
    [('rent', '>', 0.0), ('rent', '<=', 100.0)]
    """
    tokens = _tokens(text)
    found = []
    for before, sign, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign.text not in COMPARING:
            continue
        if before.kind in ("word", "string") and after.kind == "number":
            found.append((before.text, sign.text, float(after.text)))
        elif before.kind == "number" and after.kind in ("word", "string"):
            found.append((after.text, OPPOSITE.get(sign.text, sign.text), float(before.text)))
    return [comparison for comparison in found if math.isfinite(comparison[2])]


def named_in(text: str) -> list[str]:
    """The names of variables in a text, known or not: the words where a condition begins. Cost: linear in the text.

    >>> named_in("0 < rent <= 100 and not (housing = own or job in {clerk, nurse}) and married")
    ['rent', 'housing', 'job', 'married']
    """
    tokens = _tokens(text)
    inside = _in_braces(tokens)
    found = []
    for i, token in enumerate(tokens):
        if token.kind not in ("word", "string") or (token.kind == "word" and token.text in RESERVED):
            continue
        begins = i == 0 or (tokens[i - 1].kind != "string" and tokens[i - 1].text in BEGINNING)
        after_number = i > 1 and tokens[i - 2].kind == "number" and tokens[i - 1].text in COMPARING
        if (begins or after_number) and not inside[i]:
            found.append(token.text)
    return list(dict.fromkeys(found))


def _in_braces(tokens: Sequence[_Token]) -> list[bool]:
    """Per token, whether it stands in braces."""
    depths = accumulate((t[:2] == OPEN) - (t[:2] == CLOSE) for t in tokens)
    return [depth > 0 for depth in depths]


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def _tokens(text: str) -> list[_Token]:
    if len(text) > LONGEST:
        raise InvalidInput(f"an expression may have {LONGEST:,} characters; this text has {len(text):,}")
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = TOKEN.match(text, position)
        if match is None:
            at = position
            while text[at].isspace():
                at += 1
            what = "an unclosed quote" if text[at] == '"' else f"the character {text[at]!r}"
            raise ParseError(f"{what} is not understood here", text, at)
        kind = str(match.lastgroup)
        word = match.group(kind)
        if kind == "string":
            word = unquoted(word)
        tokens.append(_Token(kind, word, match.start(kind)))
        position = match.end()
    tokens.append(_Token("end", "", len(text)))
    return tokens


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, variables: Sequence[Variable], ranges: Mapping[str, Range]) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0
        self.variables = {x.name: x for x in variables}
        self.ranges = ranges

    def everything(self) -> Expression:
        try:
            expression = self.iff().check_depth()
        except ParseError:
            raise
        except InvalidInput as problem:
            raise self.error(str(problem)) from None
        if self.token.kind != "end":
            raise self.error(f"expected a connective or the end, not {brief(self.token.text)!r}")
        return expression

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def error(self, problem: str, token: _Token | None = None) -> ParseError:
        return ParseError(problem, self.text, (token or self.token).position)

    def take(self, *texts: str) -> str | None:
        """Move over the next token if it is one of these signs or words."""
        if self.token.kind in ("sign", "word") and self.token.text in texts:
            self.next += 1
            return self.tokens[self.next - 1].text
        return None

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            found = repr(brief(self.token.text)) if self.token.kind != "end" else "the end"
            raise self.error(f"expected {sign!r}, found {found}")

    def iff(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"nested more than {DEEPEST} levels deep")
        left = self.implies()
        while self.take("<->"):
            left = equivalence(left.check_depth(), self.implies())
        self.depth -= 1
        return left

    def implies(self) -> Expression:
        parts = [self.disjunction()]
        while self.take("->"):
            parts.append(self.disjunction())
        result = parts.pop()
        while parts:
            result = implication(parts.pop(), result.check_depth())
        return result

    def disjunction(self) -> Expression:
        return self.chain(self.conjunction, disjunction, "|", "or")

    def conjunction(self) -> Expression:
        return self.chain(self.unary, conjunction, "&", "and")

    def chain(
        self,
        part: Callable[[], Expression],
        combine: Callable[[Iterable[Expression]], Expression],
        *connectives: str,
    ) -> Expression:
        parts = [part()]
        while self.take(*connectives):
            parts.append(part())
        return combine(parts) if len(parts) > 1 else parts[0]

    def unary(self) -> Expression:
        negations = 0
        while self.take("!", "~", "not"):
            negations += 1
        atom = self.atom()
        return negation(atom) if negations % 2 else atom

    def atom(self) -> Expression:
        if self.take("("):
            inner = self.iff()
            self.expect(")")
            return inner
        if self.token.kind == "word" and self.take("true"):
            return TRUE
        if self.token.kind == "word" and self.take("false"):
            return FALSE
        if self.token.kind == "word" and self.take("at_least"):
            return self.at_least()
        if self.token.kind == "number":
            return self.between()
        if self.token.kind in ("word", "string"):
            return self.about(self.variable())
        found = repr(brief(self.token.text)) if self.token.kind != "end" else "the end"
        raise self.error(f"expected a variable, a constant or '(', found {found}")

    def at_least(self) -> Expression:
        self.expect("(")
        if self.token.kind != "number" or not self.token.text.isdigit():
            raise self.error("expected a whole number")
        count = min(float(self.token.text), len(self.tokens))
        self.next += 1
        parts = []
        while self.take(","):
            parts.append(self.iff())
        self.expect(")")
        return at_least(int(count), parts)

    def variable(self) -> Variable:
        token = self.token
        if token.text not in self.variables:
            like = meant([token.text], self.variables)
            raise self.error(
                f"unknown variable {brief(token.text)!r}{like}; the variables are {listing(self.variables)}"
            )
        self.next += 1
        return self.variables[token.text]

    def about(self, variable: Variable) -> Expression:
        """What follows a variable: a value, a set of values, a comparison, or nothing."""
        if self.take("="):
            return self.value_of(variable)
        if self.take("!="):
            return negation(self.value_of(variable))
        negative = self.token.text == "not" and self.tokens[self.next + 1].text == "in"
        if negative:
            self.next += 1
        if self.take("in"):
            return self.one_of(variable, negative)
        operator = self.take(*OPPOSITE)
        if operator:
            return self.compare(variable, operator)
        if variable.is_boolean:
            return variable.literal([True])
        raise self.error(f"expected =, !=, in or a comparison after {variable.name}")

    def value_of(self, variable: Variable) -> Expression:
        token = self.token
        if token.kind not in ("word", "number", "string"):
            raise self.error(f"expected a value of {variable.name}")
        if variable.is_numeric and token.text != "missing":
            if token.kind == "number" and variable.name in self.ranges:
                return self.exactly(variable)
            raise self.error(
                f"{variable.name} is numeric: compare it with "
                f"{'< or >=' if variable.closed == 'left' else '<= or >'} at its cuts"
            )
        try:
            index = variable.index_of_text(token.text)
        except InvalidInput as problem:
            raise self.error(str(problem), token) from None
        self.next += 1
        return variable.of_mask(1 << index)

    def exactly(self, variable: Variable) -> Expression:
        """``variable = number``, the number being next; it is told apart from all others."""
        at = self.next
        parts = []
        for operator in (">=", "<="):
            self.next = at
            parts.append(self.compare(variable, operator))
        return conjunction(parts)

    def one_of(self, variable: Variable, negative: bool) -> Expression:
        self.expect("{")
        parts = [self.value_of(variable)]
        while self.take(","):
            parts.append(self.value_of(variable))
        self.expect("}")
        return negation(disjunction(parts)) if negative else disjunction(parts)

    def compare(self, variable: Variable, operator: str) -> Expression:
        """``variable operator number``, the operator already read."""
        token = self.token
        if token.kind != "number" and token.text != "inf":
            raise self.error(f"expected a number after {operator}")
        try:
            literal = self.compared(variable, operator, float(token.text))
        except InvalidInput as problem:
            raise self.error(str(problem), token) from None
        self.next += 1
        return literal

    def compared(self, variable: Variable, operator: str, x: float) -> Expression:
        """The literal of a comparison; trivial if it lies outside the range of the numbers."""
        known = self.ranges.get(variable.name)
        if known is None or variable.cuts is None:
            return variable.comparison(operator, x)
        if known.whole:
            operator, x = variable.on_whole_numbers(operator, x)
        cut = variable.own_cut(operator, x)
        below = operator in ("<", "<=")
        if cut >= known.high if variable.closed == "right" else cut > known.high:
            return variable.comparison("<" if below else ">", math.inf)
        if cut < known.low if variable.closed == "right" else cut <= known.low:
            return variable.comparison("<" if below else ">", -math.inf)
        return variable.comparison(operator, x)

    def between(self) -> Expression:
        """``number operator variable [operator number]``."""
        number = self.next
        self.next += 1
        operator = self.take(*OPPOSITE)
        if not operator:
            raise self.error("expected a comparison after the number")
        if self.token.kind not in ("word", "string"):
            raise self.error("expected a variable")
        variable = self.variable()
        after = self.next
        self.next = number
        low = self.compare(variable, OPPOSITE[operator])
        self.next = after
        second = self.take(*OPPOSITE)
        return conjunction([low, self.compare(variable, second)]) if second else low
