"""From files to questions: the explainer of a model file, and the rows of the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.cli import output
from primewood.cli.call_settings import CallSettings
from primewood.cli.options import AboutRows
from primewood.cli.row_by_id import find_row
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, UnknownName, format_list, suggest
from primewood.explainer import Explainer
from primewood.model.names import name_columns
from primewood.readers import load_model, read
from primewood.tables.files import STDIN, Dialect, TextTable, is_workbook, read_file
from primewood.tables.rows import Layout


def load_explainer(path: Path, rows: Path | None, settings: CallSettings, **options: Any) -> Explainer:
    """Load a model file, with the training rows of another file if there is one."""
    dialects = Dialects.choose(settings, rows)
    return build_explainer(path, None if rows is None else dialects.read(rows), settings, **options)


@dataclass(frozen=True)
class Dialects:
    """How the files of a call are read; the sheet applies only to workbooks."""

    sheet: str | None
    decimal: str | None

    @classmethod
    def choose(cls, settings: CallSettings, *files: Path | None) -> Dialects:
        """Use the settings; `--set sheet` without a workbook is an error."""
        is_used = any(path is not None and is_workbook(path) for path in files)
        if "sheet" in settings.assigned and not is_used:
            raise InvalidInput("--set sheet is for an Excel workbook (.xlsx), and no file of rows is one")
        return cls(settings.get("sheet"), settings.get("decimal"))

    def find_dialect(self, path: Path) -> Dialect:
        """The dialect of one of the files."""
        return Dialect(self.sheet if is_workbook(path) else None, self.decimal)

    def read(self, path: Path) -> TextTable:
        """Read one of the files."""
        return read_file(path, self.find_dialect(path))


def build_explainer(path: Path, rows: TextTable | None, settings: CallSettings, **options: Any) -> Explainer:
    """Build the explainer of a model file, with a table of training rows if there is one.

    `options` are more of its parameters; those that are None are not given.
    """
    options = settings.model | {name: value for name, value in options.items() if value is not None}
    model = load_model(path, trust_pickle=settings.trust_pickle)
    if rows is None:
        return Explainer(model, **options)
    categorical: list[int] = getattr(model, "get_cat_feature_indices", list)()
    if categorical:  # CatBoost keeps no names of categories
        return Explainer(model, rows.read_texts(list(model.feature_names_), categorical), **options)
    ensemble, _ = name_columns(read(model), None, options.get("feature_names"))
    return Explainer(model, rows.read_training(Layout.of(ensemble)), **options)


@dataclass(frozen=True)
class RowQuestion:
    """A question about one row.

    Attributes
    ----------
    index : int
        Its position in the file.
    explainer : Explainer
        The explainer for the decision of the question.
    x : array
    """

    index: int
    explainer: Explainer
    x: NDArray[np.float64]


@dataclass(frozen=True)
class Questions:
    """Questions about rows, one after the other.

    Attributes
    ----------
    explainer : Explainer
    rows : array
        All rows of the file.
    indices : list of int
        The positions of the rows of the questions.
    several : bool
        Whether answers say which row they are about.
    within : float or None
        For a regressor: the question is about each row's own prediction, plus or minus this.
    """

    explainer: Explainer
    rows: NDArray[np.float64]
    indices: list[int]
    several: bool
    within: float | None

    def __iter__(self) -> Iterator[RowQuestion]:
        for index in self.indices:
            x, explainer = self.rows[index], self.explainer
            yield RowQuestion(
                index, explainer if self.within is None else explainer.around(x, self.within), x
            )

    def __len__(self) -> int:
        return len(self.indices)


def read_questions(
    model: Path, rows: Path, about: AboutRows, settings: CallSettings, **options: Any
) -> Questions:
    """Read the rows of a command's questions, and their model."""
    dialects = Dialects.choose(settings, rows, about.train)
    asked = dialects.read(rows)
    indices = _choose_rows(asked, about)
    explainer = build_explainer(
        model, choose_training(asked, rows, about.train, dialects), settings, **options
    )
    check_regressor(explainer, about.within)
    if len(asked) > 1 and not (about.row or about.identity or about.every_row):
        output.talk(f"row 0 of {len(asked)} rows; --row, --id and --every-row choose others")
    several = about.every_row or len(indices) > 1
    return Questions(explainer, _convert_rows(asked, explainer), indices, several, about.within)


def check_regressor(explainer: Explainer, within: float | None) -> None:
    """Raise for a regressor without a question about its prediction."""
    if get_ensemble(explainer).is_regressor and within is None:
        raise InvalidInput(
            "a regressor decides nothing by itself: pass --threshold T (is the prediction at least T?), "
            "--set between=[LOW,HIGH], or --within E (plus or minus E around the prediction)"
        )


def get_ensemble(explainer: Explainer) -> Ensemble:
    """Return the trees of a model that is asked about rows; raise for an expression, which a pickle can hold."""
    if explainer.ensemble is None:
        raise InvalidInput("the file holds an expression, which has no rows; pass the file of a tree model")
    return explainer.ensemble


def load_with_rows(
    model: Path, rows: Path, train: Path | None, settings: CallSettings
) -> tuple[Explainer, NDArray[np.float64]]:
    """Load a model file, and the rows of another file."""
    dialects = Dialects.choose(settings, rows, train)
    asked = dialects.read(rows)
    explainer = build_explainer(model, choose_training(asked, rows, train, dialects), settings)
    return explainer, _convert_rows(asked, explainer)


def draw_rows(rows: NDArray[np.float64], count: int, seed: int) -> NDArray[np.float64]:
    """Draw rows at random; all rows if there are not enough."""
    return rows[np.random.default_rng(seed).permutation(len(rows))[:count]]


def choose_training(asked: TextTable, data: Path, train: Path | None, dialects: Dialects) -> TextTable | None:
    """Choose the training rows: their own file, or else the file of the question, if it has more than one row."""
    if train is not None:
        return asked if train == data else dialects.read(train)
    return asked if len(asked) > 1 and data != STDIN else None


def tell_coverage(explainer: Explainer, data: Path, train: Path | None) -> None:
    """Say on stderr that coverage is counted over the rows of the question, if there is no --train."""
    if train is None and len(explainer.rows):
        output.talk(f"coverage is counted over the rows of {data.name}; pass the training rows with --train")


def _convert_rows(asked: TextTable, explainer: Explainer) -> NDArray[np.float64]:
    return asked.read_numbers(Layout.of(get_ensemble(explainer)))


def _choose_rows(asked: TextTable, about: AboutRows) -> list[int]:
    last = len(asked) - 1
    chosen = bool(about.row or about.identity)
    if about.every_row:
        if chosen:
            raise InvalidInput("pass either --every-row or the rows (--row, --id), not both")
        return list(range(last + 1))
    if not chosen:
        return [0]
    for row in about.row or []:
        if not 0 <= row <= last:
            raise InvalidInput(f"{asked.name} has the rows 0 to {last}; there is no row {row}")
    return [*(about.row or []), *(find_row(asked, text) for text in about.identity or [])]


def find_decision(explainer: Explainer, text: str) -> object:
    """Find the decision that a word names."""
    names = {str(name): name for name in explainer.class_names}
    if text not in names:
        raise UnknownName(
            f"there is no decision {text!r}{suggest([text], names)}; there are {format_list(names)}"
        )
    return names[text]


def check_features(explainer: Explainer, option: str, given: Iterable[str] | None) -> list[str]:
    """Return the features that an option names; an error for an unknown name suggests the nearest."""
    names = explainer.feature_names
    unknown = [name for name in given or () if name not in names]
    if unknown:
        raise UnknownName(
            f"{option} names {format_list(unknown)}{suggest(unknown, names)}; the features are {format_list(names)}"
        )
    return list(given or ())
