"""Explaining all rows of a file into a file or a folder (`explain -o`), and the command that tells what is in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.options import AboutRows, Answering, FormatChoice, Json, ReadingOptions, ToFiles
from primewood.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from primewood.batch.overview import Overview
    from primewood.batch.settings import Settings
    from primewood.explainer import Explainer
    from primewood.tables.files import Dialect


@dataclass(frozen=True)
class AskedOf:
    """Of which rows is asked, and who answers.

    Attributes
    ----------
    explainer : Explainer
    data : Path
    within : float or None
        For a regressor: each row is asked about its own prediction, plus or minus this.
    dialect : Dialect
        How the file is written.
    identity : str or None
        The column that one file of answers copies.
    """

    explainer: Explainer
    data: Path
    within: float | None
    dialect: Dialect
    identity: str | None


def check(files: ToFiles, about: AboutRows, one: Mapping[str, object]) -> None:
    """Raise if options of batches are without a target, or with some that are for single explanations."""
    if files.to is None:
        raise InvalidInput(
            "--format, --part-rows, --resume, --reuse, --jobs, --dask and --batch-limit are for all rows of a file: "
            "pass -o FILE or -o FOLDER"
        )
    chosen = [f"--{name}" for name, given in one.items() if given]
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} not for -o, which explains every row once"
        )
    if files.dask is not None and files.jobs is not None:
        raise InvalidInput("pass either --dask or --jobs, not both")
    _check_kind(files, files.to, about.identity or [])


def _check_kind(files: ToFiles, to: str, identity: list[str]) -> None:
    """Raise for options that the one file, or the folder, does not take."""
    from primewood.batch.file_writer import check_format, is_one_file

    if not is_one_file(to):
        if identity:
            raise InvalidInput("--id is for one row, or with -o for one .csv, .xlsx, .parquet or .jsonl file")
        return
    parts = {"format": files.format, "part-rows": files.part_rows, "resume": files.resume, "dask": files.dask}
    chosen = [f"--{name}" for name, given in parts.items() if given]
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} for a folder of parts; {to} is one file. "
            "Pass a name without an ending, or with a slash at its end, for a folder"
        )
    if len(identity) > 1 or any("=" in name for name in identity):
        raise InvalidInput(
            "with -o, --id is the name of one column, e.g. --id customer; every row is explained"
        )
    check_format(Path(to))


def asked_of(
    model: Path, rows: Path | None, about: AboutRows, reading: ReadingOptions, answering: Answering, to: str
) -> AskedOf:
    """The explainer of a model file, and the file of rows.

    Training rows are those of --train. For one file of answers they are the rows themselves if there are none; for a
    folder, which is for more rows than can be held, there are none then.
    """
    from primewood.batch.file_writer import is_one_file
    from primewood.cli.loading import Dialects, check_decides, explainer_of, one_file, training

    data = one_file(rows, about.data)
    if data is None:
        raise InvalidInput("pass the rows: a CSV, JSON lines, Parquet or .xlsx file")
    if any(Path(to).resolve() == path.resolve() for path in (data, about.train) if path is not None):
        raise InvalidInput(f"{to} is the file of rows itself; write the answers to another one")
    dialects = Dialects.of(reading, data, about.train)
    if is_one_file(to):
        train = training(dialects.read(data), data, about.train, dialects)
    else:
        train = None if about.train is None else dialects.read(about.train)
    explainer = explainer_of(model, train, reading, **answering.options())
    check_decides(explainer, about.within)
    if train is None:
        output.talk("no coverage without training rows; --train gives them")
    identity = next(iter(about.identity or []), None)
    return AskedOf(explainer, data, about.within, dialects.of_file(data), identity)


def explain_all(asked: AskedOf, files: ToFiles, options: Mapping[str, Any], *, as_json: bool) -> None:
    """Explain all rows into a file or a folder, and tell what they have in common."""
    from primewood.batch.file_writer import is_one_file
    from primewood.batch.settings import BLOCK, Settings

    assert files.to is not None
    limits = {"time_limit", "work_limit"}
    settings = Settings(
        {name: value for name, value in options.items() if name not in limits} | {"within": asked.within},
        options["time_limit"],
        options["work_limit"],
        files.batch_limit,
        files.reuse,
        files.part_rows or BLOCK,
    )
    write = _into_one_file if is_one_file(files.to) else _into_folder
    output.answer(write(asked, files, Path(files.to), settings), as_json=as_json)


def _into_folder(asked: AskedOf, files: ToFiles, folder: Path, settings: Settings) -> Overview:
    from primewood.batch.folder_writer import explain_file
    from primewood.batch.overview import overview

    with _kept(folder), _workers(files.dask):
        written = explain_file(
            asked.explainer._model.need_rows("batches"),
            asked.data,
            folder,
            settings,
            format=(files.format or FormatChoice.parquet).value,
            n_jobs=files.jobs,
            resume=files.resume,
            progress=_lines_or_bar(),
            dialect=asked.dialect,
        )
    output.talk(str(written))
    return overview(folder)


def _into_one_file(asked: AskedOf, files: ToFiles, path: Path, settings: Settings) -> Overview:
    from primewood.batch.file_writer import explain_into_one_file

    try:
        done = explain_into_one_file(
            asked.explainer._model.need_rows("batches"),
            asked.data,
            path,
            settings,
            n_jobs=files.jobs,
            progress=_lines_or_bar(),
            dialect=asked.dialect,
            identity=asked.identity,
        )
    except KeyboardInterrupt:
        output.talk(f"{path} is not written; with -o FOLDER, what is finished stays")
        raise
    output.talk(str(done.written))
    return done.overview


def _lines_or_bar() -> bool | None:
    """How progress is told: a log gets lines, which only a long run has; on a terminal the bar comes by itself."""
    return None if sys.stderr is None or sys.stderr.isatty() else True


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Say what is left of a run that is stopped, and how to go on."""
    from primewood.batch.folder import MANIFEST, Folder

    try:
        yield
    except (KeyboardInterrupt, OSError):
        if (folder / MANIFEST).is_file():
            done = Folder(folder).manifest()
            output.talk(
                f"{done.rows:,} rows in {len(done.parts):,} parts are finished and stay in {folder}; "
                "the same call with --resume goes on"
            )
        raise


@contextmanager
def _workers(address: str | None) -> Iterator[None]:
    """A context in which rows are shared out on a Dask cluster, if one is named."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependency("--dask needs distributed: pip install 'primewood[dask]'") from None
    from joblib import parallel_config

    with ExitStack() as stack:
        try:
            stack.enter_context(Client(address, timeout=10))  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as problem:
            raise InvalidInput(f"there is no Dask scheduler at {address}: {problem}") from None
        stack.enter_context(parallel_config(backend="dask"))
        yield


def summarise(
    folder: Annotated[
        Path, typer.Argument(help="Where `primewood explain -o` has written.", metavar="FOLDER")
    ],
    as_json: Json = False,
) -> None:
    """Summarise the explanations of all rows.

    Prints how many rows have which status and decision, which features are used and how often, how many an
    explanation has, how much it covers, and how long rows took. A run that is not finished is told of so far.

    Examples
    --------
    primewood summarise explained
    primewood summarise explained --json
    """
    from primewood.batch.overview import overview

    output.answer(overview(folder), as_json=as_json)
