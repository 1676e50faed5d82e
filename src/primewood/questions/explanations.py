"""All explanations of one decision, as a family."""

from __future__ import annotations

from typing import get_args

from primewood.engines.protocol import Family
from primewood.errors import InvalidInput
from primewood.fields import one_of, takes
from primewood.logic.language import Language
from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.model.decision import Decision
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.families import TermFamily
from primewood.questions.widest.measures import Measure


class Explanations(TermFamily[Explanation]):
    """All PI-explanations of one decision, to iterate over, count, sample and filter.

    A model that compiles gives them by number of features, the shortest first.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer(trees=5)
    >>> found = explainer.explanations(X[77])
    >>> found.count(), found.sizes(), found.without("sl").count()
    (3, {3: 3}, 1)
    """

    def __init__(self, maker: ExplanationMaker, family: Family) -> None:
        super().__init__(maker.context.variables, family, maker.explain)
        self.maker = maker

    def _wrap(self, family: Family) -> Explanations:
        return Explanations(self.maker, family)

    def _place(self, feature: str) -> int | None:
        return self.maker.context.place(feature)

    def __contains__(self, explanation: Explanation | Term) -> bool:
        term = explanation.term if isinstance(explanation, Explanation) else Term.of(explanation)
        return self._has(term.box(self.variables))

    @takes(measure=one_of(get_args(Measure)))
    def widest_by(self, measure: Measure = "rows") -> Explanation | None:
        """The explanation that covers the most; None if there is none.

        Parameters
        ----------
        measure
            "rows": the most training rows. "volume": the largest share of the box of their ranges. "values": of
            the cells, each value of a feature counting the same, which needs no training rows.
        """
        context = self.maker.context
        if measure == "values":
            return self.widest()
        if not isinstance(context, TreeContext) or context.points is None or context.volumes is None:
            raise InvalidInput(f'measure="{measure}" needs training rows; "values" does not')
        if measure == "volume":
            return self.widest(context.volumes)
        return self.widest_over(context.points[(context.points >= 0).all(axis=1)])


def list_explanations(decision: Decision, literals: Language | None) -> Explanations:
    """All PI-explanations of a decision: one diagram of a model that compiles, else a search that lists them."""
    language = decision.model.choose_language(literals)
    family = decision.model.engines.primes(decision.label, language, decision.point)
    return Explanations(ExplanationMaker.for_decision(decision, language), family)
