"""A pipeline taken apart and asked: which tests of raw columns are the tests of its model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from sklearn import config_context
from sklearn.pipeline import Pipeline

from primewood import readers
from primewood.arrays import Floats
from primewood.ensemble import Categories, Ensemble
from primewood.errors import InvalidInput, UnsupportedModel, format_list
from primewood.readers.pipeline.rewriting import RawCells, Rewriting
from primewood.readers.pipeline.search import Crossings, Outputs, first_beyond
from primewood.readers.pipeline.sparse import SparseRows
from primewood.readers.pipeline.steps import Binned, Feed, Trace
from primewood.readers.pipeline.table import RawTable, is_number
from primewood.readers.quiet import ignore_warnings
from primewood.readers.wrappers import active_steps, full_name, innermost, is_pipeline, unwrap


class PipelineReading:
    """A pipeline, taken apart and asked."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline
        steps, self.model = _steps(pipeline)
        first = _first(steps)
        first = innermost(self.model) if first is None else first
        if not hasattr(first, "n_features_in_"):
            raise InvalidInput("this Pipeline is not fitted; call fit first")
        names = getattr(first, "feature_names_in_", None)
        framed = names is not None
        shown = (
            tuple(f"x{i}" for i in range(first.n_features_in_)) if names is None else tuple(map(str, names))
        )
        self.trace = Trace().pass_through(steps, len(shown))
        self.table = RawTable(shown, self.trace, framed=framed)
        among = {column: np.nextafter(found[-1], np.inf) for column, found in self.table.exceptions.items()}
        closed = set(among) - self._find_accepted(among)
        if closed:
            self.table = RawTable(shown, self.trace, framed=framed, closed=closed)

    @cached_property
    def inner(self) -> Ensemble:
        """The model over its own columns."""
        inner = readers.read(self.model)
        if inner.n_features != len(self.trace.origins):
            raise UnsupportedModel(
                f"the model takes {inner.n_features} columns, and the steps before it are known to make "
                f"{len(self.trace.origins)}; the pipeline is refused rather than guessed at"
            )
        return inner

    def ask(self, method: str, rows: Floats) -> Any:
        """What a method of the pipeline says of raw rows, its scores added in order."""
        with _quietly():
            return getattr(self.pipeline, method)(self.table.decode(rows))

    def model_rows(self, rows: Floats) -> Floats:
        """Raw rows as they come to the model."""
        with _quietly():
            return self._sparse_rows.dense(self.trace.feed(self.table.decode(rows)), self._absent)

    def through(self, rows: Floats, feed: Feed | None = None, absent: float = 0.0) -> Floats:
        """Raw rows through steps that check no numbers, so that infinite ones may come out."""
        with _quietly(assume_finite=True), np.errstate(all="ignore"):
            try:
                return self._sparse_rows.dense((feed or self.trace.feed)(self.table.decode(rows)), absent)
            except (TypeError, ValueError) as problem:
                raise UnsupportedModel(
                    f"a step of this pipeline refuses values that another one lets pass: {problem}"
                ) from problem

    @cached_property
    def _sparse_rows(self) -> SparseRows:
        """What the model makes of sparse matrices, if it is given such."""
        with _quietly():
            given = self.trace.feed(self.table.decode(self.table.base[None, :]))
        if not hasattr(given, "tocoo"):
            return SparseRows()
        model = innermost(self.model)
        if is_pipeline(model):
            raise UnsupportedModel(
                "a cut-off around a Pipeline that is given a sparse matrix is not supported; use sparse_output=False"
            )
        return SparseRows.of(model)

    @property
    def _absent(self) -> float:
        return self._sparse_rows.absent

    @cached_property
    def missing(self) -> set[int]:
        """The raw columns in use that may be missing."""
        return self._find_accepted(dict.fromkeys(self.table.used, np.nan))

    @cached_property
    def others(self) -> set[int]:
        """The categorical columns that may hold other categories than the encoders know."""
        listings = self.table.listings.items()
        return self._find_accepted(
            {column: found.others for column, found in listings if found.accepts_others}
        )

    @cached_property
    def codes(self) -> dict[int, Floats]:
        """The codes of each categorical column that the pipeline accepts."""
        found = {}
        for column, known in self.table.listings.items():
            sure = len(known.codes) - known.doubtful
            also = [code for code in known.codes[sure:].tolist() if self._find_accepted({column: code})]
            found[column] = np.concatenate([known.codes[:sure], also])
        return found

    def _find_accepted(self, values: Mapping[int, float]) -> set[int]:
        """The columns in which the pipeline accepts the given values. Cost: one call if it accepts them all."""
        if not values or self._accepts(values):
            return set(values)
        if len(values) == 1:
            return set()
        items = list(values.items())
        half = len(items) // 2
        return self._find_accepted(dict(items[:half])) | self._find_accepted(dict(items[half:]))

    def _accepts(self, values: Mapping[int, float]) -> bool:
        row = self.table.base
        row[list(values)] = list(values.values())
        try:
            with _quietly():
                given = self.trace.feed(self.table.decode(row[None, :]))
        except (TypeError, ValueError):
            return False
        is_nan = np.isnan(self._sparse_rows.dense(given, absent=0.0)[0])
        takes_nan = self.inner.allows_missing and self._sparse_rows.takes_nan
        return not is_nan[sorted(self.inner.never_missing)].any() if takes_nan else not is_nan.any()

    def ensemble(self) -> Ensemble:
        """The inner ensemble with every test rewritten into a test of a raw column."""
        if not self._accepts({}):
            raise UnsupportedModel(
                "this pipeline refuses a row of zeros and of the first categories it knows"
            )
        self._check_dependence()
        rewriting = Rewriting(
            self.inner,
            [origin.column for origin in self.trace.origins],
            in_cells=self._rewrite_in_cells(),
            absent_is_missing=bool(np.isnan(self._absent)),
        )
        self._ask_cells(rewriting)
        asked = rewriting.crossings()
        found = first_beyond(self._outputs(), asked, self.inner.operator)
        self._check_absence(rewriting.zeros(found))
        return replace(
            self.inner,
            trees=rewriting.trees(found),
            feature_names=self.table.names,
            dtype="float64",
            allows_missing=bool(self.missing),
            never_missing=frozenset(self.table.used) - self.missing if self.missing else frozenset(),
            categories=self._categories(),
            form="float64" if self.trace.by_float64 else self.inner.form,
            source=f"Pipeline with {self.inner.source}",
        )

    def _rewrite_in_cells(self) -> set[int]:
        """The columns of the model whose raw column is asked about value by value, or bin by bin."""
        found = set()
        tested = {int(column) for tree in self.inner.trees for column in np.unique(tree.feature)}
        for output, origin in enumerate(self.trace.origins):
            name = self.table.names[origin.column]
            by_value = origin.column in self.table.listings or origin.kind == "finite"
            if by_value:
                found.add(output)
            elif origin.kind == "lost" and output in tested:
                raise UnsupportedModel(
                    f"{name}: a step scales it by something that is not a positive number, and the model tests it"
                )
            alone = origin.kind == "raw" and origin.column not in self.table.exceptions
            alone = alone and sum(other.column == origin.column for other in self.trace.origins) == 1
            if output in self.inner.categories and not (self._is_its_code(output) and (by_value or alone)):
                raise UnsupportedModel(
                    f"{name} is categorical to the model, but does not come to it as a number that is its code, and "
                    "in one column only; put an OrdinalEncoder before the model"
                )
        return found

    def _is_its_code(self, output: int) -> bool:
        """Whether a category of the model, in a column of it, is the number that the trees test."""
        names = self.inner.categories[output].names
        return all(is_number(name) and name == code for code, name in names.items())

    def _ask_cells(self, rewriting: Rewriting) -> None:
        """Ask about categories, bins and missing values, of all columns in one call."""
        bins = self._bins()
        cells = {column: self._cells(column, bins.get(column, [])) for column in self.table.used}
        rows = np.tile(self.table.base, (max((len(c.points) for c in cells.values()), default=0), 1))
        for column, own in cells.items():
            rows[: len(own.points), column] = own.points
        if len(rows):
            rewriting.answer(cells, self.through(rows, absent=self._absent))

    def _cells(self, column: int, bins: list[float]) -> RawCells:
        operator, missing = self.inner.operator, column in self.missing
        if column not in self.table.listings:
            exceptions = self.table.exceptions.get(column, np.empty(0))
            return RawCells.from_numbers(bins, exceptions, missing=missing)
        known = self.table.listings[column]
        others = known.others if column in self.others else None
        return RawCells.from_codes(
            self.codes[column], others, operator, spread=known.by_number, missing=missing
        )

    def _bins(self) -> dict[int, list[float]]:
        """Where the bins of raw columns begin."""
        found: dict[int, list[float]] = {}
        steps: dict[Feed, list[Binned]] = {}
        for binned in self.trace.binned:
            if binned.column not in self.table.listings:
                steps.setdefault(binned.feed, []).append(binned)
        for feed, of_step in steps.items():
            sizes = [len(binned.cuts) for binned in of_step]
            asked = Crossings(
                np.repeat([binned.column for binned in of_step], sizes),
                np.repeat([binned.place for binned in of_step], sizes),
                np.concatenate([binned.cuts for binned in of_step]),
            )
            starts = first_beyond(self._outputs(feed), asked, "<")
            for binned, own in zip(of_step, np.split(starts, np.cumsum(sizes)[:-1]), strict=True):
                found.setdefault(binned.column, []).extend(own.tolist())
        return found

    def _outputs(self, feed: Feed | None = None, absent: float = 0.0) -> Outputs:
        return Outputs(lambda rows: self.through(rows, feed, absent), self.table.base, self.table.exceptions)

    def _check_absence(self, zeros: Crossings) -> None:
        """See that zeros are left out of sparse matrices, where that makes a difference."""
        if not len(zeros.cut):
            return
        if not np.isnan(self._outputs(absent=np.nan).at(zeros.column, zeros.output, zeros.cut)).all():
            raise UnsupportedModel(
                "a step of this pipeline scales a sparse matrix and rounds some numbers in it to zero, which XGBoost "
                "does not take for missing as it does other zeros; scale before the matrix becomes sparse"
            )

    def _categories(self) -> dict[int, Categories]:
        found = {
            column: Categories({}, 0.0)
            for column in range(len(self.table.names))
            if column not in self.table.used
        }
        for column, known in self.table.listings.items():
            values = dict(zip(known.codes.tolist(), known.values, strict=True))
            names = {code: values[code] for code in self.codes[column].tolist()}
            others = known.others if column in self.others else None
            if column not in self.missing:
                found[column] = Categories(names, others)
            else:
                mark = self.table.mark(column)
                found[column] = Categories(names, others, missing_as="none" if mark is None else "nan")
        for output in self.inner.categories:
            origin = self.trace.origins[output]
            if origin.kind == "raw" and origin.column not in self.table.listings:
                found[origin.column] = self.inner.categories[output]
        return found

    def _check_dependence(self) -> None:
        """Change one raw column at a time and see that no other columns of the model change."""
        n = len(self.table.names)
        rows = np.tile(self.table.base, (1 + n, 1))
        for column in range(n):
            codes = self.codes.get(column, np.array([1.0]))
            rows[1 + column, column] = codes[-1] if codes.size else rows[0, column]
        matrix = self.through(rows)
        column_of = np.array([origin.column for origin in self.trace.origins], dtype=np.int64)
        same = (matrix == matrix[0]) | (np.isnan(matrix) & np.isnan(matrix[0]))
        wrong = ~same[1:] & (column_of != np.arange(n)[:, None])
        if wrong.any():
            names = [self.table.names[column] for column in np.flatnonzero(wrong.any(axis=1))]
            raise UnsupportedModel(
                f"the steps of this pipeline mix {format_list(names)} with other columns, though they are not known "
                "to; the pipeline is refused rather than guessed at"
            )


def _steps(pipeline: Any) -> tuple[list[tuple[str, Any]], Any]:
    """The steps before the model, and the model."""
    if not is_pipeline(pipeline):
        raise UnsupportedModel(
            f"{full_name(pipeline)} is not supported; pass a fitted sklearn.pipeline.Pipeline"
        )
    steps: list[tuple[str, Any]] = []
    model: Any = pipeline
    while is_pipeline(model):
        steps += active_steps(model)
        model = unwrap(model.steps[-1][1])
    if not hasattr(model, "predict"):
        raise UnsupportedModel(f"the last step of this pipeline is {model!r}, which decides nothing")
    return steps, model


def _first(steps: list[tuple[str, Any]]) -> Any:
    """The first step that does anything; None if none does."""
    for _, step in steps:
        found = _first(step.steps) if type(step) is Pipeline else step
        if found is not None and not isinstance(found, str):
            return found
    return None


@contextmanager
def _quietly(**config: bool) -> Iterator[None]:
    """In one job, in which members' scores are added in order, and without the steps' warnings."""
    with ignore_warnings(), joblib.parallel_backend("sequential"), config_context(**config):
        yield
