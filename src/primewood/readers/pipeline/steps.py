"""What the steps of a scikit-learn pipeline do to its columns, one by one.

A column inside a pipeline is a function of one raw column. There are four kinds:

- "raw": the raw number or category itself; missing values, and what imputers call missing, may be filled.
- "monotone": a non-decreasing function of a raw number. Scalers subtract a number and divide by a positive one,
  or multiply and add, and perhaps clip. Rounding to the nearest float never reverses an order, so each of these is
  non-decreasing in floats as well, and so is one after another.
- "finite": one of finitely many values: what encoders, discretisers and indicators of missing values put out, and
  what any step makes of it.
- "lost": scaled by something that is not a positive number, which is refused if the model looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.validation import check_is_fitted

from primewood.ensemble.comparison import cuts_of
from primewood.errors import InvalidInput, UnsupportedModel

StepKind = Choice["raw", "monotone", "finite", "lost"]
Feed = Callable[[Any], Any]
"""What turns raw rows, as the pipeline takes them, into what some step inside it takes."""

SCALERS = {
    StandardScaler: ("mean_", "scale_"),
    MinMaxScaler: ("min_", "scale_"),
    MaxAbsScaler: ("scale_",),
    RobustScaler: ("center_", "scale_"),
}
"""The numbers that each scaler computes with; None if it is told to leave that out."""

NOT_MONOTONE = (
    "it computes with powers, logarithms or interpolation, which is not provably monotone in floats"
)
REASONS = {
    "PowerTransformer": NOT_MONOTONE,
    "QuantileTransformer": NOT_MONOTONE,
    "SplineTransformer": NOT_MONOTONE,
    "FunctionTransformer": "it calls an unknown function",
    "KNNImputer": "it fills a column from the other columns",
    "IterativeImputer": "it fills a column from the other columns",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Which raw column a column inside the pipeline comes from, and how."""

    column: int
    kind: StepKind


@dataclass(frozen=True, slots=True)
class KnownCategories:
    """The categories that an encoder knows of a raw column (missing aside), and whether it accepts others."""

    values: tuple[object, ...]
    accepts_others: bool


@dataclass(frozen=True, slots=True)
class Binned:
    """A column that is discretised: what feeds the step, which of its columns, and where the bins begin."""

    feed: Feed
    place: int
    column: int
    cuts: NDArray[np.float64]


@dataclass
class Trace:
    """What the steps of a pipeline do.

    Attributes
    ----------
    origins : list of Origin
        Of the model's columns.
    feed : callable
        What turns raw rows into the model's.
    used : set of int
        The raw columns that any step looks at.
    listed : mapping from raw columns to lists of Listed
        What encoders know about them.
    filled : mapping from raw columns to lists
        What imputers call missing, if neither NaN nor None.
    nan, none : sets of int
        The raw columns in which some step knows NaN, or None.
    objects : set of int
        The raw columns that some encoder takes as objects, and not as an array of numbers.
    binned : list of Binned
    by_float64 : bool
        Whether float32 numbers would be computed with in float32.
    """

    origins: list[Origin] = field(default_factory=list)
    feed: Feed = field(default=lambda table: table)
    used: set[int] = field(default_factory=set)
    listed: dict[int, list[KnownCategories]] = field(default_factory=lambda: defaultdict(list))
    filled: dict[int, list[object]] = field(default_factory=lambda: defaultdict(list))
    nan: set[int] = field(default_factory=set)
    none: set[int] = field(default_factory=set)
    objects: set[int] = field(default_factory=set)
    binned: list[Binned] = field(default_factory=list)
    by_float64: bool = False

    def pass_through(self, steps: Iterable[tuple[str, Any]], n_columns: int) -> Trace:
        """Follow the raw columns through the steps."""
        origins = [Origin(column, "raw") for column in range(n_columns)]
        self.origins, self.feed = self._chain(steps, origins, self.feed, ())
        self.used |= {origin.column for origin in self.origins}
        return self

    def _chain(
        self, steps: Iterable[tuple[str, Any]], origins: list[Origin], feed: Feed, path: tuple[str, ...]
    ) -> tuple[list[Origin], Feed]:
        for name, step in steps:
            if not _passes(step):
                origins, feed = self._feed_after(step, origins, feed, (*path, name)), _then(feed, step)
        return origins, feed

    def _feed_after(
        self, step: Any, origins: list[Origin], feed: Feed, path: tuple[str, ...]
    ) -> list[Origin]:
        """The columns that come out of a step."""
        if type(step) is FrozenEstimator:
            step = step.estimator
        if type(step) is Pipeline:
            return self._chain(step.steps, origins, feed, path)[0]
        self._check(step, path)
        if type(step) is ColumnTransformer:
            return self._side_by_side(step, origins, feed, path)
        self.used |= {origin.column for origin in origins}
        if type(step) in SCALERS:
            return self._scale(step, origins)
        if type(step) is SimpleImputer:
            return self._impute(step, origins, path)
        if type(step) in (OneHotEncoder, OrdinalEncoder):
            return self._encode(step, origins, path)
        if type(step) is KBinsDiscretizer:
            return self._discretise(step, origins, feed)
        if isinstance(step, SelectorMixin):
            return [origins[place] for place in step.get_support(indices=True)]
        return origins

    def _check(self, step: Any, path: tuple[str, ...]) -> None:
        known = (
            type(step) in (ColumnTransformer, SimpleImputer, OneHotEncoder, OrdinalEncoder, KBinsDiscretizer)
            or type(step) in SCALERS
            or (type(step) is FunctionTransformer and step.func is None)
            or _only_selects(step)
        )
        if not known:
            default = "primewood knows no exact way back from its columns to single raw columns"
            raise refusal(step, path, REASONS.get(type(step).__name__, default))
        try:
            check_is_fitted(step)
        except NotFittedError:
            raise InvalidInput(f"the step {_words(path)} is not fitted; call fit on the pipeline") from None
        if getattr(step, "copy", True) is False:
            raise refusal(
                step, path, "copy=False changes the rows it is given; set_params(copy=True) needs no new fit"
            )

    def _side_by_side(
        self, step: ColumnTransformer, origins: list[Origin], feed: Feed, path: tuple[str, ...]
    ) -> list[Origin]:
        out: list[Origin] = []
        for name, part, _ in step.transformers_:
            places = list(step._transformer_to_input_indices[name])
            if not places or (isinstance(part, str) and part == "drop"):
                continue
            own = [origins[place] for place in places]
            self.used |= {origin.column for origin in own}
            found = own if _passes(part) else self._feed_after(part, own, _some(feed, places), (*path, name))
            weight = (step.transformer_weights or {}).get(name)
            if weight is not None:
                if not 0 < weight < np.inf:
                    raise refusal(step, path, f"the weight {weight!r} of {name!r} is not a positive number")
                found = _move(found, np.ones(len(found), dtype=bool))
                self.by_float64 = True
            out += found
        return out

    def _scale(self, step: Any, origins: list[Origin]) -> list[Origin]:
        numbers = [getattr(step, name) for name in SCALERS[type(step)]]
        sound = np.ones(len(origins), dtype=bool)
        for array in numbers[:-1]:
            sound &= array is None or np.isfinite(array)
        if numbers[-1] is not None:
            sound &= (numbers[-1] > 0) & np.isfinite(numbers[-1])
        self.by_float64 = True
        return _move(origins, sound)

    def _impute(self, step: SimpleImputer, origins: list[Origin], path: tuple[str, ...]) -> list[Origin]:
        mark, fills = step.missing_values, np.asarray(step.statistics_, dtype=object)
        if type(mark).__name__ == "NAType":
            raise refusal(step, path, "pandas.NA as missing_values is not supported; use NaN")
        for origin, fill in zip(origins, fills, strict=True):
            self._note_mark(step, mark, origin, fill, path)
        empty = np.array([fill != fill for fill in fills], dtype=bool)
        kept = range(len(origins)) if step.keep_empty_features else np.flatnonzero(~empty)
        out = [origins[place] for place in kept]
        if step.add_indicator:
            out += [_finite(origins[place]) for place in step.indicator_.features_]
        return out

    def _note_mark(
        self, step: SimpleImputer, mark: Any, origin: Origin, fill: Any, path: tuple[str, ...]
    ) -> None:
        """Keep in mind what an imputer fills, and what with."""
        number = isinstance(fill, int | float | np.number) and fill == fill
        self.by_float64 |= bool(number and float(np.float32(fill)) != float(fill))
        if origin.kind in ("finite", "lost"):
            return
        if mark is None or mark != mark:
            if origin.kind == "raw":
                (self.none if mark is None else self.nan).add(origin.column)
            return
        if origin.kind == "monotone":
            raise refusal(
                step, path, f"it takes {mark!r} for missing in a column that was scaled before; impute first"
            )
        if step.strategy == "most_frequent" and number and float(fill) != np.floor(float(fill)):
            raise refusal(
                step, path, f"it fills whole numbers with {fill!r} cut off; fit it with strategy='constant'"
            )
        self.filled[origin.column].append(mark)

    def _encode(self, step: Any, origins: list[Origin], path: tuple[str, ...]) -> list[Origin]:
        widths = step._n_features_outs if type(step) is OneHotEncoder else [1] * len(origins)
        out = []
        for origin, categories, width in zip(origins, step.categories_, widths, strict=True):
            if origin.kind == "monotone":
                raise refusal(step, path, "it encodes a column that was scaled before; encode the raw column")
            if origin.kind == "raw":
                values = [value.item() if _is_plain(value) else value for value in categories]
                known = tuple(value for value in values if value is not None and value == value)
                self.listed[origin.column].append(KnownCategories(known, step.handle_unknown != "error"))
                if categories.dtype.kind == "O":
                    self.objects.add(origin.column)
                if any(value is None for value in values):
                    self.none.add(origin.column)
                if any(value != value for value in values):
                    self.nan.add(origin.column)
            out += [_finite(origin)] * width
        return out

    def _discretise(self, step: KBinsDiscretizer, origins: list[Origin], feed: Feed) -> list[Origin]:
        out = []
        dtype: Any = "float32" if step.dtype is not None and np.dtype(step.dtype) == np.float32 else "float64"
        for place, origin in enumerate(origins):
            edges = np.asarray(step.bin_edges_[place], dtype=np.float64)[1:-1]
            if origin.kind in ("raw", "monotone"):
                self.binned.append(Binned(feed, place, origin.column, cuts_of(edges, "<", dtype)))
            out += [_finite(origin)] * (1 if step.encode == "ordinal" else int(step.n_bins_[place]))
        return out


def refusal(step: Any, path: Sequence[str], reason: str) -> UnsupportedModel:
    """The error for a step that cannot be read."""
    return UnsupportedModel(
        f"the step {_words(path)} is a {type(step).__name__}, which is not supported: {reason}"
    )


def _words(path: Sequence[str]) -> str:
    return " > ".join(repr(name) for name in path)


def _passes(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _only_selects(step: Any) -> bool:
    """Whether a step does nothing but select columns, as scikit-learn's selectors do."""
    return (
        isinstance(step, SelectorMixin)
        and type(step).transform is SelectorMixin.transform
        and type(step)._transform is SelectorMixin._transform
    )


def _move(origins: Iterable[Origin], sound: NDArray[np.bool_]) -> list[Origin]:
    """Columns that something was subtracted from or that were multiplied, soundly or not."""
    out = []
    for origin, is_sound in zip(origins, sound, strict=True):
        moved: StepKind = "monotone" if is_sound else "lost"
        out.append(origin if origin.kind in ("finite", "lost") else Origin(origin.column, moved))
    return out


def _finite(origin: Origin) -> Origin:
    return origin if origin.kind == "lost" else Origin(origin.column, "finite")


def _is_plain(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.kind in "biufUS"


def _then(feed: Feed, step: Any) -> Feed:
    return lambda table: step.transform(feed(table))


def _some(feed: Feed, places: list[int]) -> Feed:
    def select(table: Any) -> Any:
        whole = feed(table)
        return whole.iloc[:, places] if hasattr(whole, "iloc") else whole[:, places]

    return select
