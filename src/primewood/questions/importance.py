"""Which features matter over some rows, counted exactly from what is proved of each row.

Two counts per feature. How many explanations of the rows mention it; and on how many rows it flips the decision alone:
∃ v: Δ(α[feature := v]) ≠ Δ(α), everything else unchanged. A feature that an explanation leaves out cannot flip the
decision alone, so that only the features that are mentioned are asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from primewood.engines.protocol import Clock, Verdict
from primewood.logic.language import Language
from primewood.model.decision import RowDecision
from primewood.questions.explanation import Explanation
from primewood.questions.slices import Axis, decide_cells
from primewood.render import frames
from primewood.render import importance as words
from primewood.render.records import ImportanceRecord
from primewood.visible import Readable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from primewood.render.plots import ImportanceDisplay


@dataclass(frozen=True)
class Importance(Readable):
    """Which features matter over some rows: exact counts, feature by feature.

    These are counts over these rows. They are not effect sizes, and a feature that is in no explanation here may still
    matter for other rows.

    Attributes
    ----------
    rows : int
        How many rows were asked about.
    explained : int
        How many of them have a proved explanation; `in_explanations` counts these.
    tested : int
        For how many of them every single change of one feature is decided; `flips_alone` counts these.
    undecided : int
        Rows without one of the two, because the time limit came first.
    in_explanations : dict
        Per feature, how many of the proved explanations mention it; the most frequent first.
    flips_alone : dict
        Per feature, on how many rows another value of this feature alone, everything else unchanged, gets a different
        decision.
    literals : str
        The literal language of the explanations.
    assumptions : tuple of str
        What is assumed about rows.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.importance(X)
    >>> found.explained, found.in_explanations
    (150, {'pw': 150, 'pl': 54, 'sl': 0, 'sw': 0})
    """

    rows: int
    explained: int
    tested: int
    undecided: int
    in_explanations: Mapping[str, int]
    flips_alone: Mapping[str, int]
    literals: Language
    assumptions: tuple[str, ...] = ()
    model: str | None = None

    def to_dict(self) -> ImportanceRecord:
        """The counts in plain types: one entry per feature, the most frequent first."""
        return {
            "rows": self.rows,
            "explained": self.explained,
            "tested": self.tested,
            "undecided": self.undecided,
            "literal_language": self.literals,
            "importance": [
                {"feature": name, "in_explanations": count, "flips_alone": self.flips_alone[name]}
                for name, count in self.in_explanations.items()
            ],
            "assumptions": list(self.assumptions),
            "model": self.model,
        }

    def to_frame(self, backend: frames.Backend | None = None) -> Any:
        """One row per feature, the most frequent first, as a frame of pandas or polars."""
        columns: dict[str, list[Any]] = {
            "feature": list(self.in_explanations),
            "in_explanations": list(self.in_explanations.values()),
            "flips_alone": [self.flips_alone[name] for name in self.in_explanations],
        }
        return frames.frame(columns, backend)

    def __str__(self) -> str:
        return words.importance(self.to_dict())

    def __repr__(self) -> str:
        features = len(self.in_explanations)
        return f"<Importance of {features} features over {self.rows} rows: print it, to_frame(), plot()>"

    def _repr_html_(self) -> str:
        from primewood.render.html.card import importance

        return importance(self.to_dict())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield str(self)

    def plot(self, *, ax: Any = None) -> ImportanceDisplay:
        """Both counts as bars (`primewood.plots.importance`)."""
        from primewood.render.plots import importance

        return importance(self, ax=ax)


@dataclass
class FeatureCounts:
    """What is counted so far, row by row."""

    rows: int = 0
    explained: int = 0
    tested: int = 0
    undecided: int = 0
    mentioned: Counter[str] = field(default_factory=Counter)
    flipping: Counter[str] = field(default_factory=Counter)

    def add(self, mentioned: Iterable[str] | None, flipping: Iterable[str] | None) -> None:
        """Count a row: the features in its explanation, and those that flip it alone; None for what is undecided."""
        self.rows += 1
        self.explained += mentioned is not None
        self.tested += flipping is not None
        self.undecided += mentioned is None or flipping is None
        self.mentioned.update(mentioned or ())
        self.flipping.update(flipping or ())

    def state(
        self,
        names: Sequence[str],
        literals: Language,
        assumptions: tuple[str, ...],
        model: str | None,
    ) -> Importance:
        """What was counted, for features by their names."""
        ranked = sorted(names, key=lambda name: (-self.mentioned[name], -self.flipping[name]))
        return Importance(
            self.rows,
            self.explained,
            self.tested,
            self.undecided,
            {name: self.mentioned[name] for name in ranked},
            {name: self.flipping[name] for name in ranked},
            literals,
            assumptions,
            model,
        )


def find_flips(decision: RowDecision, why: Explanation, clock: Clock) -> list[str] | None:
    """The features that flip the decision on a row alone, as `predict` takes it; None if that was not decided in time.

    Only features in the explanation can: while the others change, a row does not leave it.
    """
    decision = decision.sum_sequentially()
    found = [_flips_alone(decision, why, name, clock) for name in why.features]
    if None in found:
        return None
    return [name for name, flips in zip(why.features, found, strict=True) if flips]


def _flips_alone(decision: RowDecision, why: Explanation, name: str, clock: Clock) -> bool | None:
    """Whether one feature alone flips the decision; None at the limit."""
    if decision.model.domain.knowledge.orders:
        # A cell may be possible and yet hold no row with the other numbers unchanged: try each value.
        labels = decide_cells(decision, [Axis.of(decision.context, name, why)])
        return bool(np.any((labels >= 0) & (labels != decision.label)))
    variables = decision.context.variables
    box = tuple(
        x.everything if x.name == name else mask for x, mask in zip(variables, decision.cell, strict=True)
    )
    reply = decision.model.engines.oracle(decision.label).counterexample(box, clock)
    return None if reply is Verdict.INTERRUPTED else reply is not Verdict.NONE_EXISTS
