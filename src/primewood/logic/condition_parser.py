"""Reading conditions on names: comparisons, values and orders."""

from __future__ import annotations

import re

from primewood.logic.lexicon import END, ENDS, EQUAL, ORDER, pattern, write_ascii
from primewood.logic.scanner import A_NUMBER, Scanner
from primewood.logic.syntax import Bounds, Join, Membership, Mention, NameOrder, Syntax, Word

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
NOT = pattern(rf"(?:not|NOT){END}|[~¬]|!(?!=)")
NEGATES = pattern(rf"(?:not|(?P<neither>neither)){END}")
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
OPEN_LIST = pattern(r"([{\[(])")
CLOSED = {"{": "}", "[": "]", "(": ")"}
CLOSING_OF = {"{": pattern(r"(\})"), "[": pattern(r"([\])])"), "(": pattern(r"([\])])")}


class ConditionScanner(Scanner):
    """Reads a condition that begins with a name or a number."""

    def read_after_number(self, number: Word, unit: str) -> Syntax:
        """``number order name``, and perhaps a second comparison."""
        match = self.expect(ANY_ORDER, "a comparison after the number")
        name = self.read_name(f"a {self.vocabulary.noun}")
        if unit and self.vocabulary.units.get(name.text) != unit:
            self.fail(f"{name.text} is not given in {unit}", number.end)
        return self.read_comparisons(name, number.start, [(TURNED[write_ascii(match[1])], number)])

    def read_relation(self, name: Word, start: int) -> Syntax:
        """What follows a name: a value, a set of values, comparisons, or nothing."""
        if match := self.take(ANY_EQUAL):
            value = self.read_value(name)
            return Membership(name, (value,), write_ascii(match[1]) == "!=", start, self.next)
        if match := self.take(AMONG):
            return self.read_list(name, start, negated=match["not"] is not None)
        if self.take(IS):
            return self.read_values(name, start)
        if self.take(BETWEEN):
            return self.read_between(name, start)
        return self.read_comparisons(name, start, [])

    def read_list(self, name: Word, start: int, *, negated: bool) -> Syntax:
        """``in`` with values in brackets, or with the ends of an interval."""
        opened = self.expect(OPEN_LIST, "'{'")
        values = [self.read_value(name)]
        while self.take(COMMA):
            values.append(self.read_value(name))
        closed = self.expect(CLOSING_OF[opened[1]], repr(CLOSED[opened[1]]))
        is_set = opened[1] == "{" or bool(self.vocabulary.names.get(name.text))
        if is_set or len(values) != 2 or any(value.number is None for value in values):
            return Membership(name, tuple(values), negated, start, self.next)
        operators = (">=" if opened[1] == "[" else ">", "<=" if closed[1] == "]" else "<")
        found = Bounds(name, tuple(zip(operators, values, strict=True)), start, self.next)
        return Join("not", (found,), start, self.next) if negated else found

    def read_values(self, name: Word, start: int) -> Syntax:
        """``is`` with values, perhaps negated."""
        value, match = self.find_values(name), NEGATES.match(self.text, self.next, self.end)
        self.has_chosen = self.has_chosen or bool(value and match)
        negated = match is not None and not (value and self.longest)
        if match is not None and negated:
            self.next = match.end()
        if not self.find_values(name) and self.take(AS_IN_ROW):
            return Mention(name, start, self.next, in_row=True)
        if not self.find_values(name) and self.take(A_NUMBER_WORDS):
            return Membership(name, (Word("missing", start, self.next),), not negated, start, self.next)
        joint = NOR_WORD if negated and match is not None and match["neither"] else OR_WORD
        values = [self.read_value(name)]
        while self.continues_list(name, joint):
            self.take(joint)
            values.append(self.read_value(name))
        return Membership(name, tuple(values), negated, start, self.next)

    def continues_list(self, name: Word, joint: re.Pattern[str]) -> bool:
        """Whether another value follows, and not another condition."""
        match = joint.match(self.text, self.next, self.end)
        if match is None or joint is NOR_WORD:
            return match is not None
        here, self.next = self.next, match.end()
        is_value = bool(self.find_values(name)) or self.find_number(self.find_units(name), ENDS) is not None
        is_condition, is_name = self.begins_condition(), bool(self.find_names())
        self.next = here
        self.has_chosen = self.has_chosen or (is_value and is_condition)
        if is_value:
            return self.longest or not is_condition
        return not (is_condition or is_name)

    def begins_condition(self) -> bool:
        """Whether a condition can stand here; a name alone is rather a value."""
        return (
            any(not self.looks_like(ENDS, name.end) for name in self.find_names())
            or self.looks_like(NOT)
            or self.looks_like(OPEN)
            or self.find_number(self.vocabulary.all_units, ANY_ORDER) is not None
        )

    def read_between(self, name: Word, start: int) -> Syntax:
        """``between number and number``: both included."""
        low = self.read_number(name, "between")
        self.expect(AND_WORD, "'and'")
        high = self.read_number(name, "and")
        return Bounds(name, ((">=", low), ("<=", high)), start, self.next)

    def read_comparisons(self, name: Word, start: int, limits: list[tuple[str, Word]]) -> Syntax:
        """A name that is read, and comparisons of it: with a number, or with other names in a chain."""
        parts: list[Syntax] = []
        left, constant, end = name, self.read_summand(), self.next
        while match := self.take(ANY_ORDER):
            operator = write_ascii(match[1])
            if self.prefers_number():
                if constant != "0":
                    self.fail(f"a sum is compared with another {self.vocabulary.noun}, not with a number")
                limits, end = [*limits, (operator, self.read_number(left, operator))], self.next
                break
            right = self.read_name(f"a number or a {self.vocabulary.noun} after {operator}")
            parts += [Bounds(left, tuple(limits), start, end)] if limits else []
            constants = (constant, constant := self.read_summand())
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
        is_name = any(number is None or name.end > number.end() for name in self.find_names())
        self.has_chosen = self.has_chosen or (number is not None and is_name)
        return number is not None and not (is_name and self.longest)

    def read_summand(self) -> str:
        """The constant that is added to a name, "0" if there is none."""
        match = self.take(SIGNED) if self.vocabulary.orders else None
        return "0" if match is None else write_ascii(match["sign"] + match["number"]).removeprefix("+")
