"""Robustness: how far a row can move before the decision may change."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from primewood.engines.protocol import Clock
from primewood.logic.interval import number
from primewood.model.context import UNDECIDED
from primewood.model.decision import RowDecision
from primewood.questions.certified import Certified, Certifier
from primewood.questions.counterfactual import Counterfactual, CounterfactualSearch
from primewood.questions.distance import Moves, Norm, check_norm
from primewood.questions.radius_certificate import RadiusCertifier
from primewood.questions.status import Status
from primewood.render.brief import Brief
from primewood.render.numbers import few
from primewood.render.records import RobustnessRecord, plain
from primewood.visible import join_lines


@dataclass(frozen=True, repr=False)
class Robustness(Certified, Brief):
    """The largest radius within which a decision provably stays, with the nearest row that gets a different decision.

    Attributes
    ----------
    nearest : Counterfactual
        The nearest row found that gets a different decision, with the measure of distance.
    kept : str
        What no move changed, such as categories, and which option lets it change; "" if nothing.
    certify : callable or None
        What writes the certificate; None where the model is not at hand.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> found = explainer.robustness(X[50])
    >>> round(found.radius, 2), found.nearest.other
    (0.25, 'virginica')
    """

    nearest: Counterfactual
    kept: str = ""
    certify: Certifier | None = field(default=None, repr=False, compare=False)

    @property
    def _unproved(self) -> str:
        return "" if self.nearest.lower > 0 else "no distance above 0 is proved"

    @property
    def status(self) -> Status:
        """Whether the radius is proved to be the largest; "impossible": no move changes the decision.

        Moves leave out what `kept` says.
        """
        return self.nearest.status

    @property
    def radius(self) -> float:
        """Every row at most this far away is decided the same, proved; infinite if no move changes the decision.

        In "l0" a number of features. Otherwise the largest float below the proved bound.
        """
        lower = self.nearest.lower
        if not math.isfinite(lower):
            return lower
        if self.nearest.moves.norm == "l0":
            return math.ceil(lower) - 1.0 if lower > 0 else 0.0
        return max(0.0, float(np.nextafter(lower, 0.0)))

    @property
    def upper(self) -> float:
        """How far the nearest row is that was found to get a different decision; infinite if none was found."""
        return self.nearest.cost

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the row, and what was kept."""
        return (*self.nearest.notes, self.kept) if self.kept else self.nearest.notes

    def to_dict(self) -> RobustnessRecord:
        """The robustness in plain types."""
        found = self.nearest.to_dict()
        return {
            "status": str(self.status),
            "decision": plain(self.nearest.decision),
            "score": found["score"],
            "norm": self.nearest.moves.norm,
            "relative": self.nearest.moves.relative,
            "radius": self.radius if math.isfinite(self.radius) else None,
            "upper": self.upper if math.isfinite(self.upper) else None,
            "nearest": {
                "other": found["other"],
                "other_score": found["other_score"],
                "row": found["row"],
                "changes": found["changes"],
            },
            "model": found["model"],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import robustness

        return robustness(self.to_dict(), str(self))

    def __str__(self) -> str:
        score = self.nearest.score
        notes = [f"Note: {note}" for note in self.nearest.notes]
        return join_lines([self._words(), *([] if score is None else [str(score)]), *notes], "   ")

    def _words(self) -> str:
        words = self._count_features() if self.nearest.moves.norm == "l0" else self._measure_moves()
        return f"{words}; {self.kept}" if self.kept else words

    def _count_features(self) -> str:
        near = self.nearest
        if self.status is Status.IMPOSSIBLE:
            return f"{near.decision}: no change of features changes the decision"
        if self.upper == 1:
            other = f"it {UNDECIDED}" if near.other == UNDECIDED else near.other
            return f"{near.decision}, but changing one feature is enough: {other} with {near.changes_text}"
        count = int(self.radius)
        what = "any feature changes" if count == 1 else f"any {count} features change"
        return self._add_nearest(f"{near.decision} even if {what}" if count else f"{near.decision}")

    def _measure_moves(self) -> str:
        near, shares = self.nearest, self.nearest.moves.relative
        if self.status is Status.IMPOSSIBLE:
            what = "change of numbers" if self.kept and not shares else "move"
            return f"{near.decision}: no {what} changes the decision"
        what = "number" if self.kept and not shares else "feature"
        of = f" of each feature's range{self._describe_jumps()}" if shares else ""
        far = f"{_round_down(self.radius)}{of}"
        if near.moves.norm == "l1":
            return self._add_nearest(f"{near.decision} as long as {what}s move by at most {far} together")
        return self._add_nearest(f"{near.decision} as long as no {what} moves by more than {far}")

    def _describe_jumps(self) -> str:
        """What counts as a whole range because it is not a move of a number."""
        jumps = {
            "another category": self.nearest.context.atoms.is_category.any(),
            "a number for a missing value": np.isnan(self.nearest.asked).any(),
        }
        told = " or ".join(name for name, is_possible in jumps.items() if is_possible)
        return f" ({told} counts as the whole range)" if told else ""

    def _add_nearest(self, words: str) -> str:
        near = self.nearest
        if near.row is None:
            return f"{words}; no other decision was found in time"
        tight = "" if self.status is Status.PROVED else f" (a change is known at {self.upper:.6g})"
        then = f"it {UNDECIDED}" if near.other == UNDECIDED else f"{near.other} is possible"
        where = "beyond that " if self.radius else ""
        return f"{words}; {where}{then}, with a change of {few(near.changes)}{tight}"


def _round_down(radius: float) -> str:
    """A radius in few digits that is no larger."""
    short = float(f"{radius:.6g}")
    if short > radius:
        short -= 10.0 ** (math.floor(math.log10(radius)) - 5)
    return f"{short:.6g}" if 0 < float(f"{short:.6g}") <= radius else number(radius)


def find_robustness(decision: RowDecision, norm: Norm, relative: bool, clock: Clock) -> Robustness:
    """The largest radius within which a decision provably stays, with the nearest row beyond it.

    Parameters
    ----------
    norm
        "linf": how far every number may move at once; "l1": how far they may move together; categories and missing
        values stay. "l0": how many features may take any value.
    relative
        Whether moves are measured as shares of the training range; then another category is as far as the whole range.
    """
    counted = check_norm(norm) == "l0"
    moves = Moves(norm, relative and not counted, to_missing=counted, categories=relative or counted)
    moves.check(decision.context)
    nearest = CounterfactualSearch(decision, moves).find_nearest(clock)
    found = Robustness(nearest, moves.describe_kept(decision.context, decision.point))
    return replace(found, certify=RadiusCertifier(decision, moves, nearest, found.radius))
