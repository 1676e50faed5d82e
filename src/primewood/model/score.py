"""What a decision is based on: the class, its score, and the cut-off that the score is compared with.

Every answer about a row states it, so that it is clear which class a probability refers to:
"declined: P(approved) = 0.43, below the cut-off 0.60".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Cutoff, Ensemble
from primewood.ensemble.link import apply_link
from primewood.logic.interval import number
from primewood.render.records import ScoreRecord, plain
from primewood.visible import Readable, visible

ScoreKind = Choice["probability", "score", "prediction", "votes"]
PROBABILITIES = ("logistic32", "logistic", "expit", "softmax32", "softmax")
"""The links that make probabilities of scores."""
DECIMALS = 2
"""Decimals of a probability that are shown, where they are enough to distinguish it from the cut-off."""


@dataclass(frozen=True, slots=True)
class Score(Readable):
    """The score that a decision is based on.

    Attributes
    ----------
    decision : object
        The class that was decided for, by its shown name.
    measure : {"probability", "score", "prediction", "votes"}
        What the model compares: a probability; a sum of leaves that is none; the number that a regressor
        predicts; how many trees vote for the class.
    of : object
        The class that `value` refers to; None for a prediction.
    value : float
    raw : float or None
        For boosted trees, the sum of the leaves that the probability was made from.
    cutoff : float or None
        What `value` was compared with; None where the largest of several wins, or several cut-offs part the decisions.
    reason : str
        All that in words; `text` is the same after the decision.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> score = explainer.score(X[50])
    >>> score.measure, score.of, round(score.value, 2)
    ('probability', 'versicolor', 0.98)
    >>> score.reason
    'P(versicolor) = 0.98, the largest of 3 classes'
    """

    decision: object
    measure: ScoreKind
    of: object
    value: float
    raw: float | None
    cutoff: float | None
    reason: str

    @property
    def text(self) -> str:
        """The decision, and what it is based on: "declined: P(approved) = 0.43, below the cut-off 0.60"."""
        return visible(f"{self.decision}: {self.reason}")

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> ScoreRecord:
        """The score in plain types."""
        return {
            "text": self.text,
            "reason": self.reason,
            "decision": plain(self.decision),
            "measure": self.measure,
            "of": None if self.of is None else plain(self.of),
            "value": self.value,
            "raw": self.raw,
            "cutoff": self.cutoff,
        }


@dataclass(frozen=True)
class Scorer:
    """Says what the decisions of one model are based on.

    Attributes
    ----------
    ensemble : Ensemble
        As it decides: with the user's cut-off, if there is one.
    class_names : tuple
        The shown names of its classes.
    positive : int or None
        Of two classes, the one that probabilities refer to; None for the class of the decision itself.
    """

    ensemble: Ensemble
    class_names: tuple[object, ...]
    positive: int | None = None

    def score(self, row: NDArray[np.float64] | Sequence[float]) -> Score:
        """What the decision on a row is based on. Cost: one prediction."""
        return self.score_all(np.asarray(row, dtype=np.float64)[None, :])[0]

    def score_all(self, rows: NDArray[np.float64]) -> list[Score]:
        """The same for many rows at once, which is far quicker per row."""
        scores = self.ensemble.scores(rows)
        labels = self.ensemble.decide(scores).tolist()
        return [self._score(one, label) for one, label in zip(scores, labels, strict=True)]

    def _score(self, scores: NDArray[np.float64], label: int) -> Score:
        ensemble = self.ensemble
        if ensemble.vote == "majority":
            return self._count_votes(scores, label)
        if ensemble.predicts_number:
            return self._score_prediction(float(scores[0]), label)
        if ensemble.cutoff is not None and ensemble.cutoff.of == "score":
            return self._score_at_cutoff(float(scores[0]), label, ensemble.cutoff)
        if len(self.class_names) == 2 and self._are_probabilities(scores):
            return self._score_two(scores, label)
        return self._score_largest(scores, label)

    def _are_probabilities(self, scores: NDArray[np.float64]) -> bool:
        if self.ensemble.vote == "sum":
            return self.ensemble.link in PROBABILITIES
        return self.ensemble.n_outputs == 1 or abs(float(scores.sum()) - 1) < 1e-6

    def _count_votes(self, scores: NDArray[np.float64], label: int) -> Score:
        trees = len(self.ensemble.trees)
        votes, name = round(float(scores[label]) * trees), self.class_names[label]
        reason = f"{votes} of {trees} trees vote for it" if trees > 1 else "the only tree says so"
        return Score(name, "votes", name, float(votes), None, None, reason)

    def _score_prediction(self, score: float, label: int) -> Score:
        ensemble, name = self.ensemble, self.class_names[label]
        value = float(apply_link(ensemble.slope * np.array([[score]]), ensemble.link)[0, 0])
        cutoff = ensemble.levels[0].value if len(ensemble.levels) == 1 else None
        told = f"the prediction is {_show_beside(value, [level.value for level in ensemble.levels])}"
        if cutoff is not None:
            told += f", {_locate(value, cutoff)} the cut-off {number(cutoff)}"
        raw = None if ensemble.link == "identity" else score
        return Score(name, "prediction", None, value, raw, cutoff, told)

    def _score_two(self, scores: NDArray[np.float64], label: int) -> Score:
        """Of two classes: the probability of the positive one, or else of the one that was decided for."""
        own = self.ensemble.cutoff
        place = own.positive if own is not None else label if self.positive is None else self.positive
        value = self._probability(scores, place)
        cutoff = self._own_cutoff(place) if own is None else own.value
        of, name = self.class_names[place], self.class_names[label]
        shown = _show_beside(value, [cutoff], DECIMALS)
        raw = float(scores[0]) if self.ensemble.vote == "sum" else None
        told = f"P({of}) = {shown}" + (f" (raw score {raw:.4g})" if raw is not None else "")
        if own is None and value == cutoff:
            told += ", a tie at the cut-off 0.5"
        else:
            place_word = _locate(value, cutoff) if own is not None else "above" if value > cutoff else "below"
            told += f", {place_word} the cut-off {_pad(cutoff)}"
        return Score(name, "probability", of, value, raw, cutoff, told)

    def _own_cutoff(self, place: int) -> float:
        """The probability of one of two classes at which the model itself parts them."""
        ensemble = self.ensemble
        if ensemble.n_outputs == 2:
            return 0.5
        at = float(apply_link(ensemble.slope * np.array([[ensemble.cuts[0]]]), ensemble.link)[0, 0])
        return 0.5 if abs(at - 0.5) < 1e-6 else at if place == 1 else 1 - at

    def _probability(self, scores: NDArray[np.float64], place: int) -> float:
        """The library's own probability of one of two classes."""
        ensemble = self.ensemble
        if ensemble.n_outputs == 2:
            return float(scores[place])
        score = float(scores[0])
        if ensemble.vote == "sum":
            linked_score = float(apply_link(ensemble.slope * np.array([[score]]), ensemble.link)[0, 0])
            return linked_score if place == 1 else ensemble.complement(score)
        return score if place == 1 else 0.0 - score  # no negative zero

    def _score_largest(self, scores: NDArray[np.float64], label: int) -> Score:
        ensemble, name = self.ensemble, self.class_names[label]
        if ensemble.cuts:
            return self._score_raw(float(scores[0]), label)
        values = apply_link(scores[None, :], ensemble.link)[0]
        is_probability = self._are_probabilities(scores)
        value, raw = float(values[label]), float(scores[label]) if ensemble.link != "identity" else None
        others = [float(x) for j, x in enumerate(values) if j != label]
        shown = _show_beside(value, others, DECIMALS)
        told = f"P({name}) = {shown}" if is_probability else f"the score of {name} is {shown}"
        told += f" (raw score {raw:.4g})" if raw is not None else ""
        tied = ", a tie that goes to the class listed first" if value in others else ""
        told += f", the largest of {len(values)} classes{tied}" if others else ", the only class"
        measure: ScoreKind = "probability" if is_probability else "score"
        return Score(name, measure, name, value, raw, None, told)

    def _score_at_cutoff(self, score: float, label: int, own: Cutoff) -> Score:
        """Of two classes that a wrapper parts at a score of its own choice."""
        name, of, value = (
            self.class_names[label],
            self.class_names[own.positive],
            score if own.positive else -score,
        )
        told = f"the score of {of} is {_show_beside(value, [own.value], DECIMALS)}"
        told += f", {_locate(value, own.value)} the cut-off {number(own.value)}"
        return Score(name, "score", of, value, None, own.value, f"{name}: {told}")

    def _score_raw(self, score: float, label: int) -> Score:
        """Of two classes that part at a score that is not a probability."""
        name, of, cutoff = self.class_names[label], self.class_names[1], self.ensemble.cuts[0]
        told = f"the score of {of} is {_show_beside(score, [cutoff])}"
        told += f", {_locate(score, cutoff)} the cut-off {number(cutoff)}"
        return Score(name, "score", of, score, None, cutoff, told)


def _locate(value: float, cutoff: float) -> str:
    return "below" if value < cutoff else "at" if value == cutoff else "above"


def _pad(x: float) -> str:
    """A number of few decimals with at least two of them, as people write cut-offs; 0.5 stays as it is known."""
    return number(x) if x == 0.5 or round(x, DECIMALS) != x else f"{x:.{DECIMALS}f}"


def _show_beside(value: float, others: Sequence[float], decimals: int = 1) -> str:
    """A number in as few digits as keep it on its side of all others.

    >>> _show_beside(0.43218, [0.6], 2), _show_beside(0.59996, [0.6], 2), _show_beside(163.21, [150.0])
    ('0.43', '0.59996', '163.2')
    """
    for places in range(decimals, 17):
        shown = round(value, places)
        if all((shown < x) == (value < x) and (shown > x) == (value > x) for x in others):
            return f"{shown:.{places}f}"
    return repr(value)
