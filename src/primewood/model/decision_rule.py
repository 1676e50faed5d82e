"""A decision rule that the user chose instead of the model's own: a cut-off, or two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from primewood.ensemble import Ensemble, Level
from primewood.ensemble.comparison import InputType
from primewood.errors import InvalidInput, UnknownName, format_list, quote_value, suggest
from primewood.fields import is_finite
from primewood.logic.interval import number


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """The decision that a user asks about, if it is not the model's own.

    Attributes
    ----------
    threshold : float, optional
        The cut-off of the probability of the positive class, or of a regressor's prediction.
    between : pair of float, optional
        For a regressor: the two numbers that its prediction is compared with.
    positive : object
        The class that the cut-off refers to, by its label or its shown name; None if it was not named.
    dtype : {"float64", "float32"}
        What the threshold is rounded to before it is compared.
    """

    threshold: float | None = None
    between: tuple[float, float] | None = None
    positive: object = None
    dtype: InputType = "float64"

    @property
    def is_own(self) -> bool:
        """Whether the model decides by its own rule."""
        return self.threshold is None and self.between is None

    def apply(self, ensemble: Ensemble, names: Sequence[object]) -> Ensemble:
        """The ensemble with this rule; `names` are the shown names of its classes."""
        if self.threshold is not None and self.between is not None:
            raise InvalidInput("pass either threshold or between, not both")
        if self.between is not None:
            return decide_between(ensemble, self.between)
        if self.threshold is None:
            return ensemble
        cutoff = self._cutoff()
        if ensemble.is_regressor:
            parts = (f"prediction < {number(cutoff)}", f"prediction >= {number(cutoff)}")
            return ensemble.cut_at_levels([Level(cutoff)], parts)
        if len(ensemble.classes) != 2:
            raise InvalidInput(
                "threshold needs a model with two classes or a regressor; "
                f"this one has the classes {format_list(ensemble.classes)}"
            )
        if ensemble.cutoff is not None:
            raise InvalidInput(
                f"the model already decides at its own cut-off, {number(ensemble.cutoff.value)}; "
                "pass the model inside it to choose another threshold"
            )
        if ensemble.link != "identity" or ensemble.vote == "mean":
            _check_probability(cutoff)
        return ensemble.cut_at_probability(cutoff, self._positive_place(ensemble, names))

    def _cutoff(self) -> float:
        threshold = self.threshold
        if not isinstance(threshold, int | float | np.number) or not is_finite(threshold):
            raise InvalidInput(f"threshold must be a finite number, not {quote_value(threshold)}")
        if self.dtype not in get_args(InputType):
            raise InvalidInput(f'threshold_dtype must be "float64" or "float32", not {self.dtype!r}')
        return float(np.dtype(self.dtype).type(threshold))

    def _positive_place(self, ensemble: Ensemble, names: Sequence[object]) -> int:
        place = positive_place(ensemble.classes, names, self.positive)
        if place is None:
            first, second = ensemble.classes
            raise InvalidInput(
                "threshold needs positive=, the class whose probability it is compared with: "
                f"positive={first!r} or positive={second!r}"
            )
        return place


def positive_place(classes: Sequence[object], names: Sequence[object], positive: object = None) -> int | None:
    """The place of the positive class: the one that is named, or the larger of two numeric labels; else None."""
    if positive is not None:
        known = [(str(label), place) for place, label in enumerate(classes)]
        known += [(str(name), place) for place, name in enumerate(names)]
        found = {place for text, place in known if text == str(positive)}
        if len(found) != 1:
            every = [*dict.fromkeys([*names, *classes])]
            raise UnknownName(
                f"positive={positive!r} is not a class of the model{suggest([positive], every)}; "
                f"the classes are {format_list(names)}"
            )
        return found.pop()
    in_order = len(classes) == 2 and all(isinstance(label, bool | int | float) for label in classes)
    return 1 if in_order else None


def _check_probability(cutoff: float) -> None:
    if not 0 <= cutoff <= 1:
        advice = f"; did you mean {number(cutoff / 100)}?" if 1 < cutoff <= 100 else ""
        raise InvalidInput(
            f"threshold is compared with a probability, from 0 to 1; got {number(cutoff)}{advice}"
        )


def decide_between(ensemble: Ensemble, between: tuple[float, float]) -> Ensemble:
    """A regressor that decides whether its prediction is below, between or above two numbers."""
    low, high = _read_bounds(between)
    if not ensemble.is_regressor:
        raise InvalidInput("between is for regressors; pass threshold for a classifier")
    middle = f"{number(low)} <= prediction <= {number(high)}"
    names = (f"prediction < {number(low)}", middle, f"prediction > {number(high)}")
    return ensemble.cut_at_levels([Level(low), Level(high, strictly=True)], names)


def _read_bounds(between: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in between)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"between must be two numbers, not {between!r}") from None
    if not -np.inf < low <= high < np.inf:
        raise InvalidInput(f"between must be two finite numbers, the smaller first, not {between!r}")
    return low, high
