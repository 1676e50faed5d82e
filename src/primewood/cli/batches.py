"""Explaining all rows of a file into a folder (`explain -o`), and the command that tells what is in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.options import AboutRows, Answering, FormatChoice, Json, Reading, ToFolder
from primewood.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from primewood.explainer import Explainer
    from primewood.tables import Dialect


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
    """

    explainer: Explainer
    data: Path
    within: float | None
    dialect: Dialect


def check(folder: ToFolder, one: Mapping[str, object]) -> None:
    """Raise if options of batches are without a folder, or with some that are for single explanations."""
    if folder.to is None:
        raise InvalidInput(
            "--format, --part-rows, --resume, --reuse, --jobs, --dask and --batch-limit are for all rows of a file: "
            "say -o FOLDER"
        )
    chosen = [f"--{name}" for name, given in one.items() if given]
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} not for -o, which explains every row once"
        )
    if folder.dask is not None and folder.jobs is not None:
        raise InvalidInput("--dask and --jobs are two answers to one question; say one of them")


def asked_of(
    model: Path, rows: Path | None, about: AboutRows, reading: Reading, answering: Answering
) -> AskedOf:
    """The explainer of a model file, and the file of rows. Training rows are those of --train only."""
    from primewood.cli.loading import Dialects, check_decides, explainer_of, one_file

    data = one_file(rows, about.data)
    if data is None:
        raise InvalidInput("pass the rows: a CSV, JSON lines, Parquet or .xlsx file")
    dialects = Dialects.of(reading, data, about.train)
    train = None if about.train is None else dialects.read(about.train)
    explainer = explainer_of(
        model, train, reading, engine=answering.engine.value, max_nodes=answering.max_nodes
    )
    check_decides(explainer, about.within)
    if about.train is None:
        output.talk("no coverage without training rows; --train gives them")
    return AskedOf(explainer, data, about.within, dialects.of_file(data))


def explain_all(asked: AskedOf, folder: ToFolder, options: Mapping[str, Any], *, as_json: bool) -> None:
    """Explain all rows into a folder, and tell what they have in common."""
    from primewood.batch.overview import overview
    from primewood.batch.run import BLOCK, Settings
    from primewood.batch.to_files import explain_file

    assert folder.to is not None
    limits = {"time_limit", "work_limit"}
    settings = Settings(
        {name: value for name, value in options.items() if name not in limits} | {"within": asked.within},
        options["time_limit"],
        options["work_limit"],
        folder.batch_limit,
        folder.reuse,
        folder.part_rows or BLOCK,
    )
    kind = (folder.format or FormatChoice.parquet).value
    with _kept(folder.to), _workers(folder.dask):
        written = explain_file(
            asked.explainer,
            asked.data,
            folder.to,
            settings,
            format=kind,
            n_jobs=folder.jobs,
            resume=folder.resume,
            progress=_lines_or_bar(),
            dialect=asked.dialect,
        )
    output.talk(str(written))
    output.answer(overview(folder.to), as_json=as_json)


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
    """Tell what the explanations of all rows of a file have in common.

    Prints how many rows have which status and decision, which features are used and how often, how many an
    explanation has, how much it covers, and how long rows took. A run that is not finished is told of so far.

    Examples
    --------
    primewood summarise explained
    primewood summarise explained --json
    """
    from primewood.batch.overview import overview

    output.answer(overview(folder), as_json=as_json)
