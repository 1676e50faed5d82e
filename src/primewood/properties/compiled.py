"""A compiled model: one decision diagram that answers any question in time linear in its size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.engines.diagram.compiler import CompilationWatcher
from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.oracle import DiagramOracle
from primewood.engines.diagram.reason import Allowance
from primewood.engines.protocol import Listing, check_limit
from primewood.errors import InvalidInput, UnknownName, format_list, quote_value
from primewood.fields import file_path, optional, several, takes, text, whole
from primewood.logic.instance import Point
from primewood.logic.language import Language, check_language
from primewood.model.context import UNDECIDED, Context, TreeContext
from primewood.model.model import Model
from primewood.model.row_in_cell import Row
from primewood.progress import say
from primewood.questions.complete import Bias, CompleteReason, Relevance
from primewood.questions.contrast import Contrast, ContrastMaker, Contrasts, find_rival
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.explanations import Explanations
from primewood.questions.familiar_points import find_familiar
from primewood.render.records import CompiledRecord
from primewood.visible import Readable

if TYPE_CHECKING:
    from primewood.encodings import Obdd
    from primewood.properties.compiled_obdd import EncodingName
    from primewood.render.answer_pictures import Picture

Distribution = Choice["uniform", "volume", "rows"] | Mapping[str, Sequence[float]]

IMPOSSIBLE = "excluded by constraints"
"""What is said of cells that no row can be in."""


@dataclass(frozen=True)
class FewestChanges(Readable):
    """How many features must change for another decision.

    Attributes
    ----------
    features : int or None
        The fewest features to change; None if nothing changes the decision.
    contrast : Contrast or None
        One such change, with a row.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.compile().robustness(X[50])
    >>> found.features
    1
    >>> print(found.contrast)
    pw <= 0.8 may make it setosa instead of versicolor (P(versicolor) = 0.98, the largest of 3 classes)
    """

    features: int | None
    contrast: Contrast | None

    def __str__(self) -> str:
        if self.contrast is None:
            return "no change of features changes the decision"
        words = self.contrast.context.words(self.contrast.term)
        count = f"{self.features} feature{'s' if self.features != 1 else ''}"
        return f"{count} to change: with {words} it is {self.contrast.other}"

    def _repr_html_(self) -> str:
        from primewood.render.html.answer_card import Heading, Remarks, render_card

        title = "nothing" if self.features is None else str(self.features)
        score = None if self.contrast is None else self.contrast.to_dict()["score"]
        return render_card(
            Heading("Fewest features to change", title, lead=str(self), badge="Proved"),
            remarks=Remarks(score=score),
        )


class Compiled(Readable):
    """All decisions of a model or an expression as one diagram.

    Made by `primewood.compile`, or read from a file by `primewood.load`.

    Attributes
    ----------
    diagram : Diagram
        One level per variable; terminal i is decision i.
    class_names : tuple
        The decisions. Where scores may be added in any order, the last one says that the decision depends on it; where
        constraints exclude rows, there is one more for what they exclude.

    Examples
    --------
    >>> import primewood as pw
    >>> A, B, C = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b", "g"]), pw.Variable("C", ["l", "m", "h"])
    >>> compiled = pw.compile(pw.parse("(B=r | B=b) -> (A=2 & C!=h)", [A, B, C]))
    >>> compiled.count()
    {False: 14, True: 13}
    >>> sorted(str(why.term) for why in compiled.prime_implicants(True))
    ['A=2 & C!=h', 'B=g']
    """

    def __init__(self, diagram: Diagram, context: Context) -> None:
        self.diagram = diagram
        self._context = context
        self.class_names = context.class_names
        if diagram.impossible is not None:
            self.class_names = (*context.class_names, IMPOSSIBLE)

    @property
    def order(self) -> tuple[str, ...]:
        """The features from the top level to the bottom one."""
        return tuple(self.diagram.variables[j].name for j in self.diagram.order)

    def __repr__(self) -> str:
        making = self.diagram.making
        took = f", compiled in {making.seconds:.2f} s" if making else ""
        return (
            f"<Compiled: {self.diagram.size:,} nodes on {len(self.diagram.order)} levels, "
            f"decides between {format_list(self.class_names)}{took}>"
        )

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import compiled

        return compiled(self.info(), self.class_names)

    def decide(self, x: Any) -> object:
        """The decision on a row, by its name. Cost: one step per feature."""
        return self.class_names[self._read(x)[2]]

    def _read(self, x: Any) -> tuple[Row | None, Point, int]:
        row, point = self._context.read(x)
        return row, point, self.diagram.decide(point)

    def _language(self, literals: Language | None) -> Language:
        """The literal language of a question: the one that it asks for, or that of the model that was compiled."""
        return self._context.literals if literals is None else check_language(literals)

    def _oracle(self, label: int, time_limit: float | None = None) -> DiagramOracle:
        return DiagramOracle(self.diagram, label, Allowance(check_limit("time_limit", time_limit)))

    def explanations(
        self, x: Any, *, literals: Language | None = None, time_limit: float | None = None
    ) -> Explanations:
        """All PI-explanations of the decision on a row. Cost: that of their diagram; they are not listed.

        That diagram may be far larger than the model's, in "sets" most of all; `TooLarge` says so, after
        20 million nodes or `time_limit` seconds.
        """
        row, point, label = self._read(x)
        literals = self._language(literals)
        values = None if row is None else tuple(row.tolist())
        maker = ExplanationMaker(self._context, self._context.class_names[label], literals, values)
        return Explanations(maker, self._oracle(label, time_limit).primes(literals, point))

    def contrasts(
        self, x: Any, *, literals: Language | None = None, time_limit: float | None = None
    ) -> Contrasts:
        """All contrastive explanations of the decision on a row: the minimal changes that may change it.

        In "sets" each is one change per feature to one value; in "values" a set of features; in "intervals" how
        far features may move from the row's own value. Limits as for `explanations`.
        """
        _, point, label = self._read(x)
        literals = self._language(literals)
        return Contrasts(
            self._contrast_maker(x, literals), self._oracle(label, time_limit).contrasts(literals, point)
        )

    def prime_implicants(
        self, decision: object = True, *, literals: Language = "sets", time_limit: float | None = None
    ) -> Explanations:
        """All prime implicants of a decision: the weakest rules that entail it, for all rows.

        Limits as for `explanations`. Under constraints, those that some possible row satisfies.
        """
        label = self._context.label(decision)
        name = self._context.class_names[label]
        maker = ExplanationMaker(self._context, name, check_language(literals), None)
        primes = self._oracle(label, time_limit).primes(literals)
        if self.diagram.impossible is None:
            return Explanations(maker, primes)
        find = self.diagram.find
        held = Listing(lambda: (box for box in primes if find(box, label, otherwise=False) is not None))
        return Explanations(maker, held)

    def complete_reason(self, x: Any) -> CompleteReason:
        """The complete reason of the decision on a row: all PI-explanations as one function."""
        row, point, label = self._read(x)
        values = None if row is None else tuple(row.tolist())
        function = self._oracle(label).reason(point)
        return CompleteReason(self.class_names[label], values, point, function, self._context)

    def relevance(self, x: Any) -> Relevance:
        """Which features are in every, in some, and in no PI-explanation of the decision on a row."""
        return self.complete_reason(x).relevance

    def bias(self, x: Any, protected: Iterable[str]) -> Bias:
        """Whether the decision on a row rests on protected features (Darwiche and Hirth 2020)."""
        if isinstance(protected, str):
            raise InvalidInput(f"protected must be a list of feature names; write [{protected!r}]")
        names = several(protected, "protected")
        every, some = self.complete_reason(x).mentions(names)
        if not every:
            return Bias(False, some, names)
        row, point, label = self._read(x)
        places = {self._context.place(name) for name in names}
        freed = tuple(
            x.everything if j in places else 1 << point[j] for j, x in enumerate(self._context.variables)
        )
        other, to = find_rival(self.diagram, freed, label)
        changed = None
        if row is not None and isinstance(self._context, TreeContext):
            other = find_familiar(
                self._context, other, freed, lambda p: self.diagram.decide(p) == to, own=point
            )
            changed = tuple(self._context.cells.row_at(other, row, point).tolist())
        return Bias(True, True, names, changed, self.class_names[to])

    def robustness(self, x: Any) -> FewestChanges:
        """The fewest features to change for another decision, with such a change. Cost: linear in the diagram."""
        _, point, label = self._read(x)
        changes = [np.arange(len(x)) != v for x, v in zip(self._context.variables, point, strict=True)]
        costs = np.concatenate([np.empty(0), *changes])
        other = self._oracle(label).nearest(point, costs).point
        if other is None:
            return FewestChanges(None, None)
        box = tuple(1 << a | 1 << b for a, b in zip(point, other, strict=True))
        contrast = self._contrast_maker(x, "sets").make(box)
        return FewestChanges(sum(a != b for a, b in zip(point, other, strict=True)), contrast)

    def _contrast_maker(self, x: Any, literals: Language) -> ContrastMaker:
        row, point, label = self._read(x)
        values = None if row is None else tuple(row.tolist())
        return ContrastMaker(self._context, label, literals, values, point, self.diagram)

    def count(self) -> dict[object, int]:
        """How many cells (kinds of rows that the model distinguishes) get each decision, exactly."""
        return dict(zip(self.class_names, self.diagram.counts(), strict=True))

    def share(self, distribution: Distribution = "uniform") -> dict[object, float]:
        """How much of the input space gets each decision, the features taken as independent.

        Parameters
        ----------
        distribution
            "uniform": every value of a feature counts the same (a share of cells). "volume": as much as its
            share of the training range. "rows": as often as it occurs in the training rows. Or a mapping
            from feature names to the probabilities of their values; features that it leaves out are uniform.
        """
        shares = self.diagram.shares(self._weights(distribution))
        return {name: float(share) for name, share in zip(self.class_names, shares, strict=True)}

    def _weights(self, distribution: Distribution) -> Sequence[NDArray[np.float64]] | None:
        if isinstance(distribution, Mapping):
            return self._given(distribution)
        if not isinstance(distribution, str) or distribution not in ("uniform", "volume", "rows"):
            raise InvalidInput(
                f'a distribution must be "uniform", "volume", "rows" or a mapping, not {quote_value(distribution)}'
            )
        if distribution == "uniform":
            return None
        context, found = self._context, None
        if isinstance(context, TreeContext):
            found = context.volumes if distribution == "volume" else context.frequencies
        if found is None:
            raise InvalidInput(f'share("{distribution}") needs training rows')
        return [w / w.sum() if w.sum() > 0 else np.full(len(w), 1 / len(w)) for w in found]

    def _given(self, distribution: Mapping[str, Sequence[float]]) -> list[NDArray[np.float64]]:
        variables = {x.name: x for x in self.diagram.variables}
        unknown = [name for name in distribution if name not in variables]
        if unknown:
            raise UnknownName(
                f"the distribution names {format_list(unknown)}; the diagram has {format_list(variables)}"
            )
        found = []
        for name, x in variables.items():
            try:
                given = np.asarray(distribution.get(name, np.full(len(x), 1 / len(x))), dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                given = np.empty(0)
            if given.shape != (len(x),) or not (given >= 0).all() or not abs(given.sum() - 1) < 1e-9:
                raise InvalidInput(
                    f"{name} has {len(x)} values; their probabilities are at least 0 and add up to 1"
                )
            found.append(given)
        return found

    def equivalent(self, other: Compiled) -> bool:
        """Whether two compiled models decide alike on every row."""
        return self.difference(other).equivalent

    def difference(self, other: Compiled) -> Difference:
        """Where another compiled model of the same columns decides differently.

        Cost: at most the product of the sizes.
        """
        from primewood.properties.compiled_difference import difference

        return difference(self, other)

    @takes(most_nodes=whole(1), title=optional(text))
    def draw(self, *, most_nodes: int = 60, title: str | None = None) -> Picture:
        """A picture of the diagram; a large one is cut, with a note."""
        from primewood.render.answer_pictures import diagram_picture

        names, units = [str(name) for name in self.class_names], self._context.units
        return diagram_picture(self.diagram, names, units=units, most_nodes=most_nodes, title=title)

    def info(self) -> CompiledRecord:
        """What the diagram is like, in plain types."""
        making = self.diagram.making
        return {
            "model": self._context.digest,
            "nodes": self.diagram.size,
            "levels": [
                {"feature": name, "values": level.shape[1], "nodes": len(level)}
                for name, level in zip(self.order, self.diagram.levels, strict=True)
            ],
            "cells": {str(name): str(count) for name, count in self.count().items()},
            "seconds": making.seconds if making else None,
            "states": making.states if making else None,
            "settled": making.settled if making else None,
        }

    @takes(max_nodes=optional(whole(1)))
    def obdd(
        self,
        decision: object = True,
        *,
        encoding: EncodingName = "one-hot",
        psi: Choice["and", "implies"] = "and",
        max_nodes: int | None = None,
    ) -> Obdd:
        """The ordered binary decision diagram of a decision over a Boolean encoding of the features.

        Parameters
        ----------
        decision
            Its name. A row that constraints exclude counts as decided so.
        encoding
            How a feature becomes Boolean variables (the paper's section 4).
        psi
            What holds of assignments that stand for no row: "and": false (Ψ ∧ Δ); "implies": true (Ψ ⇒ Δ).
        max_nodes
            The cap on its nodes; one million by default.

        Raises
        ------
        TooLarge
            If there are more nodes.

        Examples
        --------
        >>> import primewood as pw
        >>> X = pw.Variable("X", ["x1", "x2", "x3"])
        >>> obdd = pw.compile(X != "x3").obdd(True, encoding="prefix")
        >>> obdd.variables, obdd.nodes, obdd.root
        (('X_2', 'X_3'), ((1, 1, 0),), 2)
        """
        from primewood.properties.compiled_obdd import encode_diagram

        label = self._context.label(decision)
        facts = {"decision": str(self.class_names[label]), "model": self._context.digest}
        return encode_diagram(self.diagram, label, encoding, psi, max_nodes, facts)

    def save(self, path: str | Path) -> None:
        """Write the diagram to a file that `primewood.load` reads; training rows are not kept."""
        from primewood.properties.compiled_file import save

        save(self, file_path(path))


def compile_model(
    model: Model, time_limit: float | None, watcher: CompilationWatcher | None = None
) -> Compiled:
    """The model as one decision diagram; `TooLarge` if it outgrows its limits."""
    model.check_decides()
    diagram = model.engines.diagram(watcher or _say_stage, time_limit)
    context = model.context
    if model.engines.any_order:
        context = replace(context, class_names=(*context.class_names, UNDECIDED))
    return Compiled(diagram, context)


def _say_stage(stage: str, nodes: int, parts: int) -> None:
    """Show how far a compilation is."""
    words = {"order": "looking for an order", "decision": "going down the levels"}
    say(f"compiling: {words.get(stage, stage)}, {nodes:,} nodes, {parts} parts left")


if TYPE_CHECKING:
    from primewood.properties.compiled_difference import Difference
