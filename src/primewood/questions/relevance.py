"""Which features a decision depends on, and how much, for models of any size.

A feature is *necessary* if every explanation mentions it: iff changing it alone can change the decision. It is
*relevant* if some explanation mentions it, that is, iff some minimal contrast contains it: if all other features of
the contrast are dropped, the rest is safe, and without this feature it is not. To find either, or to prove that there
is none, both are listed under the assumption that the feature is mentioned (`engines.duality`); when nothing more can
be proposed, no other explanation mentions it.

The *attribution* of a feature is the share of all explanations that mention it (Yu, Farr, Ignatiev,
Marques-Silva, "Anytime approximate formal feature attribution", SAT 2024). It is exact when the listing is
complete. Before that, it lies between two bounds. Every explanation that is not known yet hits all known
contrasts and contains no known explanation; let there be at most p such sets that mention the feature and at
most q that do not. If k of the n known explanations mention it, the share is

    at least k / (n + q)    and at most    (k + p) / (n + p).

Such sets are counted by a decision diagram while that is small. Besides, no explanation contains another one, so
over m restrictions there are at most C(m, m/2) of them (Sperner).
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from primewood.engines.duality import Border, Duality, Item, ListingEnd
from primewood.engines.protocol import Clock, CompiledFamily, Verdict
from primewood.errors import format_list
from primewood.logic.expression import Literal
from primewood.logic.instance import Point
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.model.context import Context
from primewood.model.decision import Decision
from primewood.questions.complete import Relevance, state_reason
from primewood.render.brief import Brief
from primewood.render.numbers import amount
from primewood.render.records import AttributionRecord, RelevanceRecord
from primewood.visible import join_lines

if TYPE_CHECKING:
    from oxidd.bcdd import BCDDFunction

FIRST_TURN = 8
"""How many explanations and contrasts are looked for in a feature's first turn; twice as many in each further one."""
FOR_VALUES = 0.3
"""The share of the time for "values", in another language: the box of an explanation there grows to one that mentions
the same features, so what is relevant there is so everywhere."""
FOR_COUNTING = 0.2
"""The share of the time for counting what could still be an explanation."""
MOST_SHARES = 100
"""The most features that are named in words."""
MOST_NODES = 1 << 18
"""The cap on the diagram that counts."""


@dataclass(frozen=True, repr=False)
class FoundRelevance(Relevance):
    """Which features a decision rests on, as far as a search has found out.

    What is said about features is proved. So is `necessary_values`; `relevant_values` has the values that the
    explanations found exclude, and others may exclude more, of features without any here too.

    Attributes
    ----------
    literals : str
        The literal language of the explanations.
    undecided : tuple of str
        The features that are not known to be relevant or irrelevant.
    complete : bool
        Whether everything about features is decided; False if a limit was reached.
    """

    literals: Language = "sets"
    undecided: tuple[str, ...] = ()
    complete: bool = True

    def to_dict(self) -> RelevanceRecord:
        """What is said about features, and what is not decided, in plain types."""
        record = super().to_dict()
        record["literal_language"] = self.literals
        record["undecided"] = list(self.undecided)
        record["complete"] = self.complete
        return record

    def __str__(self) -> str:
        known = super().__str__()
        return f"{known}; undecided: {format_list(self.undecided)}" if self.undecided else known


@dataclass(frozen=True, repr=False)
class Attribution(Brief):
    """The share of all explanations that mention a feature.

    Attributes
    ----------
    shares : dict
        Per feature the least and the most that the share can be.
    count : pair of int
        The least and the most that the number of explanations can be.
    complete : bool
        Whether the shares are exact, so that the two ends agree.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer(trees=5)
    >>> found = explainer.attribution(X[77])
    >>> found.count, found.shares["pl"], found.complete
    ((3, 3), (1.0, 1.0), True)
    """

    shares: Mapping[str, tuple[float, float]]
    count: tuple[int, int]
    complete: bool

    def to_dict(self) -> AttributionRecord:
        """The bounds in plain types."""
        return {
            "shares": {name: list(ends) for name, ends in self.shares.items()},
            "count": list(self.count),
            "complete": self.complete,
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import attribution

        return attribution(self.to_dict())

    def __repr__(self) -> str:
        low, high = self.count
        told = amount(low) if low == high else f"{amount(low)} to {amount(high)}"
        return f"<Attribution of {len(self.shares)} features in {told} explanations>"

    def __str__(self) -> str:
        lines = []
        ranked = sorted(self.shares.items(), key=lambda item: -sum(item[1]))
        for name, (low, high) in ranked[:MOST_SHARES]:
            lines.append(f"{name}: {low:.1%}" if low == high else f"{name}: {low:.1%} to {high:.1%}")
        if len(ranked) > MOST_SHARES:
            lines.append(f"{MOST_SHARES} of {len(ranked)} features; all of them in `shares`")
        return join_lines(lines)


def find_relevance(decision: Decision, literals: Language | None, clock: Clock) -> Relevance:
    """Which features are in every, in some, and in no explanation of a decision.

    A model that compiles tells at once, in "sets". Else each feature is searched for; those that are not decided in
    time are listed in `undecided`.
    """
    language, engines = decision.model.choose_language(literals), decision.model.engines
    if language == "sets":
        function = engines.try_diagram(decision.label, lambda compiled: compiled.reason(decision.point))
        if function is not None:
            return state_reason(decision, function).relevance
    return search_relevance(decision, language, clock)


def search_relevance(decision: Decision, literals: Language, clock: Clock) -> FoundRelevance:
    """The same by searching for each feature; "values" is far the quickest language."""
    context, point, order = decision.context, decision.point, decision.model.order
    oracle = decision.model.engines.oracle(decision.label)
    duality = Duality(oracle, literals, point, order)
    needed, interrupted = _find_needed(duality, point, clock)
    necessary = {j for j, mask in enumerate(needed) if mask}
    known = set(necessary)
    if literals != "values":
        simple = Duality(oracle, "values", point, order)
        part = clock.part(None if clock.limit is None else clock.left() * FOR_VALUES)
        out, doubtful = _decide_features(simple, necessary, part)
        known |= {j for j in range(len(point)) if j not in out and j not in doubtful}
    irrelevant, undecided = _decide_features(duality, known, clock)
    variables = context.variables
    seen = [0] * len(variables)
    for box in duality.explanations:
        seen = [mask | x.everything & ~allowed for mask, x, allowed in zip(seen, variables, box, strict=True)]
    relevant = [j for j in range(len(variables)) if j not in irrelevant and j not in undecided]
    decided = {variables[j].name for j in (*relevant, *undecided)}
    return FoundRelevance(
        necessary=tuple(variables[j].name for j in sorted(necessary)),
        relevant=tuple(variables[j].name for j in relevant),
        irrelevant=tuple(name for name in context.feature_names if name not in decided),
        necessary_values=_literals(context, needed),
        relevant_values=_literals(context, [a | b for a, b in zip(seen, needed, strict=True)]),
        literals=literals,
        undecided=tuple(variables[j].name for j in undecided),
        complete=not interrupted and not undecided,
    )


def _literals(context: Context, masks: Iterable[int]) -> tuple[Literal, ...]:
    return tuple(Literal(x, mask) for x, mask in zip(context.variables, masks, strict=True) if mask)


def _find_needed(duality: Duality, point: Point, clock: Clock) -> tuple[list[int], bool]:
    """Per variable the values that every explanation excludes, and whether a limit came, so that there may be more.

    Those that change the decision when they are allowed, and nothing else but what must come with them.
    """
    border = duality.border
    masks, interrupted = [0] * len(point), False
    for j, x in enumerate(border.oracle.variables):
        replies: dict[int, bool | None] = {}
        for value in range(len(x)):
            if clock.expired():
                return masks, True
            let_go = border.restrictions.against((*point[:j], value, *point[j + 1 :]))
            if let_go and let_go not in replies:
                reply = border.ask(border.restrictions.contrast_box(let_go), clock)
                replies[let_go] = None if reply is Verdict.INTERRUPTED else isinstance(reply, tuple)
            if replies.get(let_go):
                masks[j] |= 1 << value
        interrupted = interrupted or None in replies.values()
    return masks, interrupted


def _decide_features(duality: Duality, known: set[int], clock: Clock) -> tuple[set[int], list[int]]:
    """The variables that are proved to be irrelevant, and those that are left undecided.

    Some are known to be relevant. The others take turns, so that a hard one does not use up their time.
    """
    border, irrelevant = duality.border, set[int]()
    blocks = border.restrictions.blocks
    undecided = [j for j in range(len(blocks)) if j not in known]
    for turn in itertools.count():
        item: Item | ListingEnd | None = None
        for j in undecided:
            for _ in range(FIRST_TURN << turn):
                if any(found & blocks[j] for found in (*border.explanations, *border.contrasts)):
                    break
                item = duality.next(clock, mentioning=j)
                if item is ListingEnd.COMPLETE:
                    irrelevant.add(j)
                if isinstance(item, ListingEnd):
                    break
        mentioned = functools.reduce(operator.or_, (*border.explanations, *border.contrasts), 0)
        undecided = [j for j in undecided if j not in irrelevant and not mentioned & blocks[j]]
        if not undecided or item is ListingEnd.INTERRUPTED:
            break
    return irrelevant, undecided


def find_attribution(decision: Decision, literals: Language | None, clock: Clock) -> Attribution:
    """Per feature, the share of all explanations of a decision that mention it.

    Exact if all are found, or the model compiles; else between two bounds.
    """
    language = decision.model.choose_language(literals)
    family = decision.model.engines.try_diagram(
        decision.label, lambda compiled: compiled.primes(language, decision.point), clock
    )
    if family is not None:
        return count_attribution(decision.context, family)
    return search_attribution(decision, language, clock)


def count_attribution(context: Context, family: CompiledFamily) -> Attribution:
    """The exact shares from a compiled family of explanations. Cost: linear in its diagram, per feature."""
    count = family.count()
    mentioning = {x.name: family.mentioning(j).count() for j, x in enumerate(context.variables)}
    shares = {name: mentioning.get(name, 0) / max(1, count) for name in context.feature_names}
    return Attribution({name: (share, share) for name, share in shares.items()}, (count, count), True)


def search_attribution(decision: Decision, literals: Language, clock: Clock) -> Attribution:
    """The share of all explanations that mention a feature, by listing them as far as the limits allow."""
    context = decision.context
    oracle = decision.model.engines.oracle(decision.label)
    duality = Duality(oracle, literals, decision.point, decision.model.order)
    listing = clock.part(None if clock.limit is None else clock.left() * (1 - FOR_COUNTING))
    for _ in duality.items(listing):
        pass
    found, blocks = duality.border.explanations, duality.border.restrictions.blocks
    left = _nothing_left if duality.complete else _Candidates(duality.border, clock).count
    shares = dict.fromkeys(context.feature_names, (0.0, 0.0))
    for x, block in zip(context.variables, blocks, strict=True):
        with_it, without = left(block)
        mentioning = sum(1 for explanation in found if explanation & block)
        shares[x.name] = (
            mentioning / max(1, len(found) + without),
            (mentioning + with_it) / max(1, len(found) + with_it),
        )
    return Attribution(shares, (len(found), len(found) + left(0)[1]), duality.complete)


def _nothing_left(block: int) -> tuple[int, int]:  # noqa: ARG001
    return 0, 0


class _Candidates:
    """The sets of restrictions that could be explanations not known yet: no less than there are."""

    def __init__(self, border: Border, clock: Clock) -> None:
        from oxidd.bcdd import BCDDManager
        from oxidd.util import DDMemoryError

        self._clock = clock
        building = Clock(None if clock.limit is None else clock.left() / 2)
        self._size = border.restrictions.every.bit_length()
        self._manager = BCDDManager(MOST_NODES, MOST_NODES, 1)
        self._manager.add_vars(self._size)
        clauses = [[n + 1 for n in indices(contrast)] for contrast in border.contrasts]
        clauses += [[-(n + 1) for n in indices(explanation)] for explanation in border.explanations]
        self._sets = self._manager.true()
        try:
            for clause in [*border.restrictions.rules, *sorted(clauses, key=len)]:
                if building.expired():
                    break
                self._sets = self._sets & self._any(clause)
        except DDMemoryError:
            return  # with fewer conditions there are more candidates, which is a bound as well

    def _any(self, clause: Iterable[int]) -> BCDDFunction:
        found = self._manager.false()
        for n in clause:
            found |= self._manager.var(n - 1) if n > 0 else self._manager.not_var(-n - 1)
        return found

    def count(self, block: int) -> tuple[int, int]:
        """At most how many explanations are left that have a restriction of a block, and that have none."""
        from oxidd.util import DDMemoryError

        size, most = self._size, math.comb(self._size, self._size // 2)
        without = size - block.bit_count()
        bounds = most, math.comb(without, without // 2)
        if self._clock.expired():
            return bounds
        try:
            mentions = self._any(n + 1 for n in indices(block))
            some, none = self._sets & mentions, self._sets & ~mentions
        except DDMemoryError:
            return bounds
        return min(bounds[0], some.sat_count(size)), min(bounds[1], none.sat_count(size))
