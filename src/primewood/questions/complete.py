"""The complete reason of a decision, and what it says about features (Darwiche and Hirth, "On the reasons behind
decisions", ECAI 2020).

The complete reason of the decision on α is the disjunction of all its PI-explanations. It is a monotone function of
which values are excluded: the decision is certain under some exclusions iff it is true. So without listing anything:
an exclusion occurs in some PI-explanation iff the function depends on it, in all of them iff the function is false
without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput, format_list
from primewood.logic.connectives import conjunction, disjunction
from primewood.logic.expression import FALSE, TRUE, Expression, Literal
from primewood.logic.instance import Box, Point, as_point
from primewood.logic.term import Term
from primewood.model.context import Context
from primewood.model.decision import Decision
from primewood.render.brief import Brief
from primewood.render.numbers import few
from primewood.render.records import CompleteReasonRecord, RelevanceRecord, plain
from primewood.visible import Readable, visible

if TYPE_CHECKING:
    from primewood.engines.diagram.family import Restriction
    from primewood.engines.diagram.reason import Reason
    from primewood.render.answer_pictures import Picture


@dataclass(frozen=True, repr=False)
class Relevance(Brief):
    """Which features a decision rests on.

    Attributes
    ----------
    necessary : tuple of str
        In every PI-explanation.
    relevant : tuple of str
        In some PI-explanation (the necessary ones are among them).
    irrelevant : tuple of str
        In none, those that the model never looks at among them.
    necessary_values, relevant_values : tuple of Literal
        The same for values: one literal per feature, with the values that every PI-explanation excludes, and with those
        that some excludes.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.relevance(X[50])
    >>> found.necessary, found.irrelevant
    (('pl', 'pw'), ('sl', 'sw'))
    """

    necessary: tuple[str, ...]
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    necessary_values: tuple[Literal, ...]
    relevant_values: tuple[Literal, ...]

    def to_dict(self) -> RelevanceRecord:
        """What is said about features, in plain types."""
        return {
            "necessary": list(self.necessary),
            "relevant": list(self.relevant),
            "irrelevant": list(self.irrelevant),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import relevance

        return relevance(self.to_dict())

    def __str__(self) -> str:
        kinds = {"necessary": self.necessary, "relevant": self.relevant, "irrelevant": self.irrelevant}
        return "; ".join(
            f"{kind}: {format_list(names) if names else 'none'}" for kind, names in kinds.items()
        )


@dataclass(frozen=True)
class Bias(Readable):
    """Whether a decision rests on protected features.

    Attributes
    ----------
    decision : bool
        Every PI-explanation mentions a protected feature; that is, the decision changes for some row that differs
        in protected features only.
    some : bool
        Some PI-explanation mentions one; then the model is biased: some of its decisions is.
    protected : tuple of str
    changed : tuple of float or None
        If the decision is biased: a row that differs in protected features only and gets a different decision.
    other : object
        The decision on that row.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> bias = explainer.compile().bias(X[50], ["pl"])
    >>> bias.decision, bias.some, bias.other
    (True, True, 'virginica')
    """

    decision: bool
    some: bool
    protected: tuple[str, ...]
    changed: tuple[float, ...] | None = None
    other: object = None

    def __str__(self) -> str:
        names = format_list(self.protected)
        if self.decision:
            return f"biased: changing only {names} can change this decision (to {visible(str(self.other))})"
        if self.some:
            return (
                f"this decision does not rest on {names} alone, but some of its explanations mention {names}"
            )
        return f"not biased: no explanation of this decision mentions {names}"

    def _repr_html_(self) -> str:
        from primewood.render.html.answer_card import Heading, render_card

        badge = "Biased" if self.decision else "Mentioned" if self.some else "Not biased"
        status = "fails" if self.decision else "proved"
        return render_card(
            Heading("Bias", format_list(self.protected), lead=str(self), status=status, badge=badge)
        )


@dataclass(frozen=True, eq=False, repr=False)
class CompleteReason(Brief):
    """The complete reason of one decision, to evaluate, draw and export.

    Attributes
    ----------
    decision : object
    row : tuple of float or None
    point : Point
        The cell of the row, or the instance.
    function : Reason
        The reason as a monotone function of exclusions.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> reason = explainer.complete_reason(X[50])
    >>> print(reason)
    versicolor: rests on pl, pw; necessary: pl, pw
    >>> reason.covers(X[51]), reason.covers(X[0])
    (True, False)
    """

    decision: object
    row: tuple[float, ...] | None
    point: Point
    function: Reason
    context: Context

    def covers(self, x: Any) -> bool:
        """Whether some PI-explanation covers another row. Cost: one path, without listing any of them."""
        return self._certain(tuple(1 << v for v in self.context.point_of(x)))

    def holds(self, instance: Any) -> bool:
        """The same for an instance of the universe: a mapping from names to values, or a term."""
        return self._certain(tuple(1 << v for v in as_point(self.context.variables, instance)))

    def certain_under(self, term: Expression) -> bool:
        """Whether the decision is certain when nothing but this term (and the row's own values) is possible."""
        return self._certain(Term.of(term).box(self.context.variables))

    def _certain(self, box: Box) -> bool:
        return self.function.holds(tuple(m | 1 << v for m, v in zip(box, self.point, strict=True)))

    @cached_property
    def relevance(self) -> Relevance:
        """Which features, and which values, are in every, in some, or in no PI-explanation."""
        variables = self.context.variables
        everything = tuple(x.everything for x in variables)
        own = tuple(1 << v for v in self.point)
        relevant = self.function.relevant
        places = sorted({r.place for r in relevant})
        needed = [j for j in places if not self.function.holds((*own[:j], everything[j], *own[j + 1 :]))]
        strict = [r for r in relevant if not self.function.holds(_allow(own, r))]
        names = [variables[j].name for j in places]
        return Relevance(
            necessary=tuple(variables[j].name for j in needed),
            relevant=tuple(names),
            irrelevant=tuple(name for name in self.context.feature_names if name not in names),
            necessary_values=self._literals(strict),
            relevant_values=self._literals(relevant),
        )

    def _literal(self, restriction: Restriction) -> Literal:
        return Literal(self.context.variables[restriction.place], restriction.mask)

    def _literals(self, restrictions: Iterable[Restriction]) -> tuple[Literal, ...]:
        """One literal per variable, with all values of its restrictions."""
        masks: dict[int, int] = {}
        for r in restrictions:
            masks[r.place] = masks.get(r.place, 0) | r.mask
        return tuple(Literal(self.context.variables[j], mask) for j, mask in sorted(masks.items()))

    def mentions(self, features: Iterable[str]) -> tuple[bool, bool]:
        """Whether every PI-explanation, and whether some, mentions one of these features."""
        if isinstance(features, str):
            raise InvalidInput(f"features must be a list of names; write [{features!r}]")
        places = {self.context.place(name) for name in features}
        freed = tuple(
            x.everything if j in places else 1 << self.point[j] for j, x in enumerate(self.context.variables)
        )
        return not self.function.holds(freed), any(r.place in places for r in self.function.relevant)

    def to_expression(self) -> Expression:
        """The reason as a monotone expression over literals that hold for the row; shared parts are shared.

        >>> import primewood as pw
        >>> A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", [1, 2])
        >>> reason = pw.compile((A == 1) | (B == 2)).complete_reason({"A": 1, "B": 2})
        >>> print(reason.to_expression())
        B=2 | A=1
        """
        made: list[Expression] = [FALSE, TRUE]
        f = self.function
        for node in range(2, len(f.variable)):
            holds = ~self._literal(f.restrictions[f.variable[node]])
            made.append(disjunction([made[f.lo[node]], conjunction([holds, made[f.hi[node]]])]))
        return made[f.root].over(self.context.variables)

    def to_dict(self) -> CompleteReasonRecord:
        """The reason in plain types: nodes 0 (open) and 1 (certain), then [exclusion, without it, with it]."""
        f, relevance = self.function, self.relevance
        return {
            "decision": plain(self.decision),
            "model": self.context.digest,
            "exclusions": [self.context.literal_record(self._literal(r)) for r in f.restrictions],
            "nodes": [[int(f.variable[i]), int(f.lo[i]), int(f.hi[i])] for i in range(2, len(f.variable))],
            "root": f.root,
            "necessary": list(relevance.necessary),
            "relevant": list(relevance.relevant),
            "irrelevant": list(relevance.irrelevant),
        }

    def draw(self, *, most_nodes: int = 60) -> Picture:
        """A picture of the reason: solid where an exclusion holds, dashed where it does not."""
        from primewood.render.answer_pictures import reason_picture

        f = self.function
        texts = [self.context.literal_record(~self._literal(r))["text"] for r in f.restrictions]  # type: ignore[arg-type]
        title = f"why {self.decision}"
        return reason_picture(f, texts, most_nodes=most_nodes, title=title)

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import relevance

        record = self.relevance.to_dict()
        record["model"] = self.context.digest
        return relevance(record, self.decision)

    def __str__(self) -> str:
        relevance = self.relevance
        return visible(
            f"{self.decision}: rests on {few(relevance.relevant) or 'nothing'}; "
            f"necessary: {few(relevance.necessary) or 'none'}"
        )


def _allow(own: Box, restriction: Restriction) -> Box:
    j = restriction.place
    return (*own[:j], own[j] | restriction.mask, *own[j + 1 :])


def find_complete_reason(decision: Decision) -> CompleteReason:
    """The complete reason of a decision: all its PI-explanations as one function.

    For models that compile; `TooLarge` for others.
    """
    return state_reason(decision, decision.model.engines.use_diagram(decision.label).reason(decision.point))


def state_reason(decision: Decision, function: Reason) -> CompleteReason:
    """The complete reason that a function is."""
    if function.root == 0:
        raise InvalidInput("the decision on this row depends on the order in which scores are added")
    return CompleteReason(decision.name, decision.values, decision.point, function, decision.context)
