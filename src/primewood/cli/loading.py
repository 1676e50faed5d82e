"""From files to questions: the explainer of a model file, and the rows that are asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.cli import output
from primewood.cli.identity import row_with_id
from primewood.cli.options import AboutRows, ReadingOptions
from primewood.cli.settings import explainer_options
from primewood.errors import InvalidInput, UnknownName, listing, meant
from primewood.explainer import Explainer
from primewood.model.names import name_columns
from primewood.readers import load_model, read
from primewood.tables.files import STDIN, Dialect, TextTable, is_workbook, read_file
from primewood.tables.rows import Layout


def explainer_for(path: Path, rows: Path | None, reading: ReadingOptions, **options: Any) -> Explainer:
    """The explainer of a model file, with the training rows of another file if there is one."""
    dialects = Dialects.of(reading, rows)
    return explainer_of(path, None if rows is None else dialects.read(rows), reading, **options)


@dataclass(frozen=True)
class Dialects:
    """How the files of a call are read: `--sheet` is for those that are workbooks."""

    sheet: str | None
    decimal: str | None

    @classmethod
    def of(cls, reading: ReadingOptions, *files: Path | None) -> Dialects:
        """What a call says; a sheet of none of its files is an error."""
        if reading.sheet is not None and not any(path is not None and is_workbook(path) for path in files):
            raise InvalidInput("--sheet is for an Excel workbook (.xlsx), and no file of rows is one")
        return cls(reading.sheet, None if reading.decimal is None else reading.decimal.value)

    def of_file(self, path: Path) -> Dialect:
        """How one of the files is read."""
        return Dialect(self.sheet if is_workbook(path) else None, self.decimal)

    def read(self, path: Path) -> TextTable:
        """The table of one of the files."""
        return read_file(path, self.of_file(path))


def one_file(*given: Path | None) -> Path | None:
    """The file that is given once, as an argument or as --data."""
    files = [path for path in given if path is not None]
    if len(files) > 1:
        raise InvalidInput(f"rows are given twice, {files[0]} and --data {files[1]}; pass one of them")
    return files[0] if files else None


def explainer_of(path: Path, rows: TextTable | None, reading: ReadingOptions, **options: Any) -> Explainer:
    """The explainer of a model file, with a table of training rows if there is one."""
    options = explainer_options(reading, **options)
    model = load_model(path, trust_pickle=reading.trust_pickle)
    if rows is None:
        return Explainer(model, **options)
    categorical: list[int] = getattr(model, "get_cat_feature_indices", list)()
    if categorical:  # CatBoost keeps no names of categories
        return Explainer(model, rows.read_texts(list(model.feature_names_), categorical), **options)
    ensemble, _ = name_columns(read(model), None, options.get("feature_names"))
    return Explainer(model, rows.read_training(Layout.of(ensemble)), **options)


@dataclass(frozen=True)
class RowQuestion:
    """One row that is asked about.

    Attributes
    ----------
    index : int
        Its place in the file.
    explainer : Explainer
        Of the model, for the decision that is asked about.
    x : array
    """

    index: int
    explainer: Explainer
    x: NDArray[np.float64]


@dataclass(frozen=True)
class Questions:
    """The rows that are asked about, one after the other.

    Attributes
    ----------
    explainer : Explainer
    rows : array
        All rows of the file.
    indices : list of int
        Those that are asked about.
    several : bool
        Whether answers say which row they are about.
    within : float or None
        For a regressor: each row is asked about its own prediction, plus or minus this.
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


def questions(
    model: Path, about: AboutRows, reading: ReadingOptions, *, rows: Path | None = None, **options: Any
) -> Questions:
    """The rows that a command is about, of a model file and a file of rows."""
    data = one_file(rows, about.data)
    if data is None:
        raise InvalidInput("pass a file of rows (CSV, JSON, Parquet or Excel), or - for stdin")
    dialects = Dialects.of(reading, data, about.train)
    asked = dialects.read(data)
    indices = _indices(asked, about)
    explainer = explainer_of(model, training(asked, data, about.train, dialects), reading, **options)
    check_decides(explainer, about.within)
    if len(asked) > 1 and not (about.row or about.identity or about.every_row):
        output.talk(f"row 0 of {len(asked)} rows; --row, --id and --every-row choose others")
    several = about.every_row or len(indices) > 1
    return Questions(explainer, _numbers(asked, explainer), indices, several, about.within)


def check_decides(explainer: Explainer, within: float | None) -> None:
    """Raise for a regressor if it is not said what is asked about it."""
    if explainer.ensemble is not None and explainer.ensemble.is_regressor and within is None:
        raise InvalidInput(
            "a regressor decides nothing by itself: pass --threshold T (is the prediction at least T?), "
            "--between LOW HIGH, or --within E (plus or minus E around the prediction)"
        )


def with_rows(
    model: Path, rows: Path | None, train: Path | None, reading: ReadingOptions
) -> tuple[Explainer, NDArray[np.float64] | None]:
    """The explainer of a model file, and the rows of another file, if there is one."""
    if rows is None:
        return explainer_for(model, train, reading), None
    dialects = Dialects.of(reading, rows, train)
    asked = dialects.read(rows)
    explainer = explainer_of(model, training(asked, rows, train, dialects), reading)
    return explainer, _numbers(asked, explainer)


def drawn(rows: NDArray[np.float64], count: int, seed: int) -> NDArray[np.float64]:
    """`count` rows in the order of a draw; all if there are no more."""
    return rows[np.random.default_rng(seed).permutation(len(rows))[:count]]


def training(asked: TextTable, data: Path, train: Path | None, dialects: Dialects) -> TextTable | None:
    """The training rows: those of their own file; else those asked about, if they are a file of more than one."""
    if train is not None:
        return asked if train == data else dialects.read(train)
    return asked if len(asked) > 1 and data != STDIN else None


def _numbers(asked: TextTable, explainer: Explainer) -> NDArray[np.float64]:
    return asked.read_numbers(Layout.of(explainer._model.need_rows("rows").ensemble))


def _indices(asked: TextTable, about: AboutRows) -> list[int]:
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
    return [*(about.row or []), *(row_with_id(asked, text) for text in about.identity or [])]


def decision_named(explainer: Explainer, text: str) -> object:
    """The decision that is written so."""
    names = {str(name): name for name in explainer.class_names}
    if text not in names:
        raise UnknownName(f"there is no decision {text!r}{meant([text], names)}; there are {listing(names)}")
    return names[text]


def features_named(explainer: Explainer, option: str, given: Iterable[str] | None) -> list[str]:
    """The features that an option names, which must exist; the nearest name is suggested where one does not."""
    names = explainer.feature_names
    unknown = [name for name in given or () if name not in names]
    if unknown:
        raise UnknownName(
            f"{option} names {listing(unknown)}{meant(unknown, names)}; the features are {listing(names)}"
        )
    return list(given or ())
