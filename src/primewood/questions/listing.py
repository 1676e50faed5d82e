"""All reasons of one decision, one by one: explanations and contrasts interleaved, as they are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, SupportsIndex

from primewood.engines.duality import AnswerKind, Duality
from primewood.engines.protocol import Clock
from primewood.errors import NotPicklable
from primewood.logic.language import Language
from primewood.model.decision import Decision
from primewood.questions.contrast import Contrast, ContrastMaker
from primewood.questions.explanation import Explanation
from primewood.questions.explanation_maker import ExplanationMaker


class Reasons(Iterator[Explanation | Contrast]):
    """The explanations and the contrasts of one decision, as a search finds them.

    Every explanation hits every contrast, and the search uses each to find the other. When it ends by itself, each of
    the two families is the family of minimal hitting sets of the other.

    Parameters
    ----------
    decision
        What is explained; given a target, why that is not decided.
    literals
        The literal language.
    clock
        When to stop.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> reasons = explainer.reasons(X[50], literals="values")
    >>> [type(reason).__name__ for reason in reasons], reasons.complete
    (['Explanation', 'Contrast', 'Contrast'], True)
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise NotPicklable.because_lazy("the reasons")

    def __init__(self, decision: Decision, literals: Language | None, clock: Clock) -> None:
        language = decision.model.choose_language(literals)
        self._explanations = ExplanationMaker.for_decision(decision, language)
        self._contrasts = ContrastMaker.for_decision(decision, language)
        self._duality = Duality(decision.oracle, language, decision.point, decision.model.order)
        self._items = self._duality.items(clock)

    def __next__(self) -> Explanation | Contrast:
        item = next(self._items)
        if item.kind is AnswerKind.EXPLANATION:
            return self._explanations.explain(item.box)
        return self._contrasts.make(item.box)

    def __repr__(self) -> str:
        return f"<Reasons: explanations and contrasts, {'all found' if self.complete else 'iterate to list'}>"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import lines

        badge = "All found" if self.complete else "Lazy"
        return lines(
            "Reasons", "Explanations and contrasts", ["Iterate to list them one by one."], badge=badge
        )

    @property
    def complete(self) -> bool:
        """Whether all have been found; False before the end, or if a limit was reached."""
        return self._duality.complete
