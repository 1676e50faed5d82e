"""Claims in words and signs: what conditions say of the features, for one row."""

from __future__ import annotations

from collections.abc import Iterator

from primewood.domain.condition import Condition
from primewood.errors import InvalidInput, ParseError, brief, format_list
from primewood.logic.statement_parser import read
from primewood.logic.syntax import Join, Statement, Syntax, Truth, fold, words_of
from primewood.questions.sufficiency import ClaimedConditions, RowConditions

FORMS = (
    "a claim is a list of features, a text such as 'x <= 2 and 3 < y <= 5 and z = red', a dictionary from features to "
    "(low, high) or lists of values, or an explanation of primewood, Anchors, LIME or SHAP"
)


class TextReader:
    """Reads conditions and rules about one row of one model."""

    def __init__(self, conditions: RowConditions) -> None:
        self.conditions = conditions
        context = conditions.context
        self.vocabulary = conditions.vocabulary(context.units, context.class_names)

    def read_rule(self, text: str) -> ClaimedConditions:
        """A text as a claim; it may name the decision, as in ``IF ... THEN ...``."""
        said, conditions = self._read(text)
        if said.conclusion is None:
            return ClaimedConditions(conditions)
        decisions = [decision.text for decision in said.conclusion.decisions]
        if said.conclusion.negated or len(decisions) > 1:
            raise InvalidInput(f"a claim is about one decision; {brief(text)!r} is not")
        return ClaimedConditions(conditions, decision=decisions[0])

    def read_conditions(self, text: str) -> tuple[Condition, ...]:
        """The conditions of a text; a feature's name alone stands for its value in the row."""
        if text in self.conditions.names:
            return (self.conditions.keep(text),)
        return self._read(text)[1]

    def _read(self, text: str) -> tuple[Statement, tuple[Condition, ...]]:
        try:
            said = read(text, self.vocabulary)
            return said, tuple(self._condition(part, text) for part in _conjuncts(said.condition))
        except ParseError as problem:
            known = f"the features are {format_list(self.conditions.names)}"
            more = FORMS if known in str(problem) else f"{known}. {FORMS}"
            raise InvalidInput(*problem.args, more) from None

    def _condition(self, node: Syntax, text: str) -> Condition:
        """A condition on one feature, which may have several parts."""

        def join(here: Join, parts: list[Condition]) -> Condition:
            if len({part.feature.name for part in parts}) == 1 and here.connective in ("and", "or", "not"):
                return self.conditions.combine(here.connective, parts, words_of(here, text))
            problem = "a claim joins conditions by 'and'; 'or' and 'not' are for one feature"
            raise ParseError(problem, text, here.start)

        return fold(node, lambda leaf: self.conditions.condition(leaf, text), join)


def _conjuncts(node: Syntax) -> Iterator[Syntax]:
    """The conditions that a tree is the conjunction of."""
    todo = [node]
    while todo:
        here = todo.pop()
        if isinstance(here, Join) and here.connective == "and":
            todo += reversed(here.parts)
        elif not isinstance(here, Truth) or not here.value:
            yield here
