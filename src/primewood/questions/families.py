"""Families of answers: all prime implicants, all explanations, all contrasts, perhaps too many to list.

A family is counted, sampled, searched and filtered without listing it where the engine has compiled it; where
it has not, the same methods list it, and say so in their cost.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import CompiledFamily, EngineName, Family, Listing
from primewood.errors import UnknownName, format_list
from primewood.fields import integer, optional, takes, whole
from primewood.logic.expression import Expression, check_expression
from primewood.logic.instance import Box
from primewood.logic.language import Language, check_language
from primewood.logic.masks import indices
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.model.build import Options, build_model

T = TypeVar("T")
Weights = Sequence[NDArray[np.float64]]


class BoxFamily(Generic[T]):
    """A family of answers over one universe, each made from its box when it is asked for.

    Parameters
    ----------
    variables
        The universe.
    family
        The boxes, as an engine has them.
    make
        What makes an answer of a box.
    base
        Which variables a box mentions is told by comparison with this one: for terms, the box of everything.
    """

    def __init__(
        self,
        variables: tuple[Variable, ...],
        family: Family,
        make: Callable[[Box], T],
        base: Box | None = None,
    ) -> None:
        self.variables = variables
        self._family, self._make = family, make
        self._base = base or tuple(x.everything for x in variables)

    @property
    def compiled(self) -> bool:
        """Whether the family is a diagram, so that nothing has to be listed."""
        return isinstance(self._family, CompiledFamily)

    def _wrap(self, family: Family) -> BoxFamily[T]:
        return BoxFamily(self.variables, family, self._make, self._base)

    def count(self) -> int:
        """How many there are, exactly. Cost: linear in the diagram; without one, that of listing them."""
        return self._family.count()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} over {format_list(self.variables)}: iterate to list, count() to count>"
        )

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import family

        features = f"over {len(self.variables)} features"
        return family(type(self).__name__, features, self.sizes() if self.compiled else None)

    def __iter__(self) -> Iterator[T]:
        """One by one, lazily; from a diagram, those that mention the fewest features first."""
        return map(self._make, self._family)

    def _has(self, box: Box) -> bool:
        return box in self._family

    def _size(self, box: Box) -> int:
        return sum(mask != whole for mask, whole in zip(box, self._base, strict=True))

    def shortest(self) -> T | None:
        """One that mentions the fewest features; None if the family is empty. Cost: as `count`."""
        if isinstance(self._family, CompiledFamily):
            box = self._family.shortest()
        else:
            box = min(self._family, key=self._size, default=None)
        return None if box is None else self._make(box)

    def sizes(self) -> dict[int, int]:
        """How many mention how many features. Cost: linear in the diagram, times the number of sizes."""
        if isinstance(self._family, CompiledFamily):
            return self._family.sizes()
        found: dict[int, int] = {}
        for box in self._family:
            found[self._size(box)] = found.get(self._size(box), 0) + 1
        return dict(sorted(found.items()))

    @takes(count=whole(), seed=optional(integer))
    def sample(self, count: int, seed: int | None = None) -> list[T]:
        """`count` members, drawn uniformly, with replacement; none if the family is empty. Cost: as `count`."""
        if isinstance(self._family, CompiledFamily):
            boxes = self._family.sample(count, seed)
        else:
            every = list(self._family)
            boxes = random.Random(seed).choices(every, k=count) if every else []
        return [self._make(box) for box in boxes]

    def mentioning(self, feature: str) -> BoxFamily[T]:
        """Those that mention a feature."""
        return self._filter(feature, mentions=True)

    def without(self, feature: str) -> BoxFamily[T]:
        """Those that do not mention a feature."""
        return self._filter(feature, mentions=False)

    def _filter(self, feature: str, *, mentions: bool) -> BoxFamily[T]:
        place, family = self._place(feature), self._family
        if place is None:
            return self._wrap(Listing(lambda: iter(()))) if mentions else self
        if isinstance(family, CompiledFamily):
            return self._wrap(family.mentioning(place) if mentions else family.avoiding(place))
        whole = self._base[place]
        return self._wrap(Listing(lambda: (box for box in family if (box[place] != whole) == mentions)))

    def _place(self, feature: str) -> int | None:
        """The place of a feature in the universe; None for one that the model never looks at."""
        place = next((j for j, x in enumerate(self.variables) if x.name == feature), None)
        if place is None:
            raise UnknownName(
                f"the family has no feature {feature!r}; its features are {format_list(self.variables)}"
            )
        return place


class TermFamily(BoxFamily[T]):
    """A family of answers that are terms, so that one may cover more than another."""

    def widest(self, weights: Weights | None = None) -> T | None:
        """One with the largest share of the universe; None if the family is empty.

        Parameters
        ----------
        weights
            Per variable the probabilities of its values; uniform if not given.
        """
        if weights is None:
            weights = [np.full(len(x), 1 / len(x)) for x in self.variables]
        if isinstance(self._family, CompiledFamily):
            found = self._family.widest(weights)
            return None if found is None else self._make(found[0])
        box = max(self._family, key=lambda box: _share(box, weights), default=None)
        return None if box is None else self._make(box)

    def widest_over(self, points: NDArray[np.int64]) -> T | None:
        """One that holds the most of some points (one value index per variable); None if the family is empty."""
        if isinstance(self._family, CompiledFamily):
            found = self._family.widest_over(points)
            return None if found is None else self._make(found[0])
        box = max(self._family, key=lambda box: _held(box, points), default=None)
        return None if box is None else self._make(box)


def _share(box: Box, weights: Weights) -> float:
    return float(np.prod([w[indices(mask)].sum() for mask, w in zip(box, weights, strict=True)]))


def _held(box: Box, points: NDArray[np.int64]) -> int:
    inside = np.ones(len(points), dtype=bool)
    for j, mask in enumerate(box):
        inside &= np.isin(points[:, j], indices(mask))
    return int(inside.sum())


class Terms(TermFamily[Term]):
    """A family of terms over one universe.

    Examples
    --------
    >>> from primewood import Variable, prime_implicants
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", [1, 2])
    >>> primes = prime_implicants((A == 1) | (B == 2))
    >>> primes.count(), [str(term) for term in primes], (A == 1) in primes
    (2, ['A=1', 'B=2'], True)
    >>> print(primes.mentioning("A").shortest(), primes.widest())
    A=1 B=2
    """

    def __init__(self, variables: tuple[Variable, ...], family: Family) -> None:
        super().__init__(variables, family, lambda box: Term.of_box(variables, box))

    def _wrap(self, family: Family) -> Terms:
        return Terms(self.variables, family)

    def __contains__(self, term: Expression) -> bool:
        return self._has(Term.of(term).box(self.variables))


def prime_implicants(
    expression: Expression,
    *,
    literals: Language = "sets",
    engine: EngineName = "auto",
    max_nodes: int | None = None,
) -> Terms:
    """Return the prime implicants of Δ: the weakest terms that entail it.

    Cost: one diagram of all of them where Δ compiles; otherwise a search lists them one by one, and there can be
    exponentially many.

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

    Raises
    ------
    InvalidInput
        If `expression` is not an expression, or an option has a value that is not accepted.
    TooLarge
        If the chosen engine compiles the expression, and the diagram reaches `max_nodes`.

    Examples
    --------
    >>> from primewood import Variable, prime_implicants
    >>> A, B = Variable("A", [1, 2, 3]), Variable("B", [1, 2])
    >>> primes = prime_implicants((A == 1) | (B == 2))
    >>> primes.count()
    2
    >>> print(*primes, sep="; ")
    A=1; B=2
    """
    model = build_model(check_expression(expression), None, Options(engine=engine, max_nodes=max_nodes))
    return Terms(expression.variables, model.engines.primes(True, check_language(literals)))


def pi_explanations(
    expression: Expression,
    instance: Mapping[str, object] | Expression,
    *,
    literals: Language = "sets",
    engine: EngineName = "auto",
    max_nodes: int | None = None,
) -> Terms:
    """Return the PI-explanations of the decision on an instance α.

    They are the prime implicants of Δ_α that are consistent with α, where Δ_α is Δ if the decision is positive
    and ¬Δ if it is negative. Cost: as for `prime_implicants`.

    Parameters
    ----------
    expression
        Δ.
    instance
        α: a mapping from the names of all variables to values, or a term.
    literals, engine, max_nodes
        As for `prime_implicants`.

    Returns
    -------
    Terms
        Iterate over it, or `count` it.

    Raises
    ------
    InvalidInput
        If `expression` is not an expression, `instance` does not give every variable one value, or an option has a
        value that is not accepted.
    UnknownName
        If `instance` names a variable or a value that does not exist.
    TooLarge
        If the chosen engine compiles the expression, and the diagram reaches `max_nodes`.

    Examples
    --------
    >>> from primewood import Variable, parse, pi_explanations
    >>> f = parse("(A | !C) & (B | C) & (A | B)", [Variable.boolean(name) for name in "ABC"])
    >>> sorted(map(str, pi_explanations(f, {"A": True, "B": True, "C": False})))
    ['A & B', 'B & !C']
    """
    model = build_model(check_expression(expression), None, Options(engine=engine, max_nodes=max_nodes))
    decision = model.ask(instance)
    family = model.engines.primes(decision.label, check_language(literals), decision.point)
    return Terms(expression.variables, family)
