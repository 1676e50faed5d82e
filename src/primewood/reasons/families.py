"""All prime implicants of an expression, and all PI-explanations of a decision on an instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from primewood.domain import ExpressionSubject
from primewood.engines.choice import EngineName, Engines
from primewood.engines.protocol import Family
from primewood.errors import InvalidInput, listing
from primewood.logic.expression import Expression
from primewood.logic.instance import as_point
from primewood.logic.language import Language, check_language
from primewood.logic.term import Term
from primewood.logic.variable import Variable


class Terms:
    """A family of terms over one universe, listed lazily.

    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", [1, 2])
    >>> primes = prime_implicants((A == 1) | (B == 2))
    >>> primes.count(), sorted(map(str, primes)), (A == 1) in primes
    (2, ['A=1', 'B=2'], True)
    """

    def __init__(self, variables: tuple[Variable, ...], family: Family) -> None:
        self.variables = variables
        self._family = family

    def count(self) -> int:
        """How many terms there are; without listing them if the engine has compiled them."""
        return self._family.count()

    def __repr__(self) -> str:
        return f"<Terms over {listing(self.variables)}: iterate to list them, count() to count them>"

    def __iter__(self) -> Iterator[Term]:
        return (Term.of_box(self.variables, box) for box in self._family)

    def __contains__(self, term: Expression) -> bool:
        return Term.of(term).box(self.variables) in self._family


def prime_implicants(
    expression: Expression,
    *,
    literals: Language = "sets",
    engine: EngineName = "auto",
    max_nodes: int | None = None,
) -> Terms:
    """The prime implicants of Δ: the weakest terms that entail it.

    Parameters
    ----------
    expression
        Δ.
    literals
        The literal language: "sets" (the paper's), "intervals" or "values" (simple prime implicants).
    engine, max_nodes
        See `primewood.engines.choice.Engines`.

    Returns
    -------
    Terms
        Iterate over it, or `count` it. Δ ≡ true has the empty term only, Δ ≡ false has none.
    """
    engines = Engines(_subject(expression), engine, max_nodes)
    return Terms(expression.variables, engines.primes(True, check_language(literals)))


def pi_explanations(
    expression: Expression,
    instance: Mapping[str, object] | Expression,
    *,
    literals: Language = "sets",
    engine: EngineName = "auto",
    max_nodes: int | None = None,
) -> Terms:
    """The PI-explanations of the decision on an instance α.

    The prime implicants of Δ_α that are consistent with α, where Δ_α is Δ if the decision is positive
    and ¬Δ if it is negative. Parameters as in `prime_implicants`.

    >>> from primewood.logic.parser import parse
    >>> A, B, C = (Variable.boolean(name) for name in "ABC")
    >>> f = parse("(A | !C) & (B | C) & (A | B)", [A, B, C])
    >>> sorted(map(str, pi_explanations(f, {"A": True, "B": True, "C": False})))
    ['A & B', 'B & !C']
    """
    subject = _subject(expression)
    point = as_point(subject.variables, instance)
    engines = Engines(subject, engine, max_nodes)
    family = engines.primes(subject.decide(point), check_language(literals), point)
    return Terms(subject.variables, family)


def _subject(expression: Expression) -> ExpressionSubject:
    if not isinstance(expression, Expression):
        raise InvalidInput(f"expected an expression, got {expression!r}; parse makes one from text")
    return ExpressionSubject(expression)
