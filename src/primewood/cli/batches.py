"""Explain all rows of a file into a file or a folder: `explain -o`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primewood.cli import output
from primewood.cli.options import AboutRows, ToFiles
from primewood.cli.setting_names import BATCHES
from primewood.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from primewood.batch.file_result import Written
    from primewood.cli.call_settings import CallSettings
    from primewood.explainer import Explainer
    from primewood.tables.files import Dialect


@dataclass(frozen=True)
class BatchInput:
    """A file of rows to explain, and the explainer.

    Attributes
    ----------
    explainer : Explainer
    data : Path
    within : float or None
        For a regressor: the question is about each row's own prediction, plus or minus this.
    dialect : Dialect
        The dialect of the file.
    identity : str or None
        The column that one file of answers copies.
    settings : CallSettings
        Those of batches are used: `format`, `part_rows`, `dask`, `batch_limit`, `in_short`.
    """

    explainer: Explainer
    data: Path
    within: float | None
    dialect: Dialect
    identity: str | None
    settings: CallSettings


def check(files: ToFiles, about: AboutRows, settings: CallSettings, single: list[str]) -> None:
    """Raise if batch options are given without -o, or with options for single explanations."""
    if files.to is None:
        raise InvalidInput(
            f"--resume, --reuse, --certificates, --jobs and --set {', '.join(BATCHES)} are for all rows of a file: "
            "pass -o FILE or -o FOLDER"
        )
    chosen = single + settings.find_assigned(("exact", "plain"))
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} cannot be combined with -o, which explains every row once"
        )
    if "dask" in settings.assigned and files.jobs is not None:
        raise InvalidInput("pass either --jobs or --set dask, not both")
    _check_kind(files.to, about.identity or [], _list_folder_options(files, settings))


def _list_folder_options(files: ToFiles, settings: CallSettings) -> list[str]:
    """List the given options that are only for a folder of parts."""
    chosen = ["--resume"] * files.resume + ["--certificates"] * files.certificates
    return chosen + settings.find_assigned(("format", "part_rows", "dask"))


def _check_kind(to: str, identity: list[str], chosen: list[str]) -> None:
    """Raise for options that do not apply to one file, or to a folder."""
    from primewood.batch.into_one_file import check_format, is_one_file

    if not is_one_file(to):
        if identity:
            raise InvalidInput("--id is for one row, or with -o for one .csv, .xlsx, .parquet or .jsonl file")
        return
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} for a folder of parts; {to} is one file. "
            "Pass a name without an extension, or with a slash at its end, for a folder"
        )
    if len(identity) > 1 or any("=" in name for name in identity):
        raise InvalidInput(
            "with -o, --id is the name of one column, e.g. --id customer; every row is explained"
        )
    check_format(Path(to))


def read_batch(model: Path, rows: Path, about: AboutRows, settings: CallSettings, to: str) -> BatchInput:
    """Load a model, and detect the dialect of its file of rows.

    Training rows are those of --train. Without it, one file of answers uses the rows themselves. A folder, which may
    have more rows than fit into memory, then has no training rows.
    """
    from primewood.batch.into_one_file import is_one_file
    from primewood.cli.inputs import (
        Dialects,
        build_explainer,
        check_regressor,
        choose_training,
        tell_coverage,
    )

    if any(Path(to).resolve() == path.resolve() for path in (rows, about.train) if path is not None):
        raise InvalidInput(f"{to} is the file of rows itself; write the answers to another one")
    dialects = Dialects.choose(settings, rows, about.train)
    if is_one_file(to):
        train = choose_training(dialects.read(rows), rows, about.train, dialects)
    else:
        train = None if about.train is None else dialects.read(about.train)
    explainer = build_explainer(model, train, settings)
    check_regressor(explainer, about.within)
    if train is None:
        output.talk("no coverage without training rows; pass them with --train")
    tell_coverage(explainer, rows, about.train)
    identity = next(iter(about.identity or []), None)
    return BatchInput(explainer, rows, about.within, dialects.find_dialect(rows), identity, settings)


def explain_all(batch: BatchInput, files: ToFiles, options: Mapping[str, Any], *, as_json: bool) -> None:
    """Explain all rows into a file or a folder, and print a summary."""
    from primewood.batch.into_one_file import is_one_file

    target = str(files.to)
    write = _write_one_file if is_one_file(target) else _write_folder
    written = write(batch, files, target, {**options, "within": batch.within})
    output.talk(str(written))
    output.write_answer(written.summary(), as_json=as_json)


def _write_folder(batch: BatchInput, files: ToFiles, folder: str, options: Mapping[str, Any]) -> Written:
    cluster = batch.settings.get("dask") if files.jobs is None else None
    with _report_stop(Path(folder)), _use_cluster(cluster):
        return _explain_file(
            batch, files, folder, format=batch.settings.get("format"), resume=files.resume, **options
        )


def _write_one_file(batch: BatchInput, files: ToFiles, path: str, options: Mapping[str, Any]) -> Written:
    try:
        return _explain_file(batch, files, path, identity=batch.identity, **options)
    except KeyboardInterrupt:
        output.talk(f"{Path(path)} is not written; -o FOLDER keeps finished parts")
        raise


def _explain_file(batch: BatchInput, files: ToFiles, target: str, **options: Any) -> Written:
    from primewood.batch.settings import BLOCK

    return batch.explainer.explain_file(
        batch.data,
        target,
        sheet=batch.dialect.sheet,
        decimal=batch.dialect.decimal,
        part_rows=batch.settings.get("part_rows") or BLOCK,
        n_jobs=files.jobs,
        batch_limit=batch.settings.get("batch_limit"),
        in_short=bool(batch.settings.get("in_short")),
        reuse=files.reuse,
        certificates=files.certificates,
        progress=_choose_progress(),
        **options,
    )


def _choose_progress() -> bool | None:
    """How progress is shown: as lines in the log of a long run, as a bar on a terminal."""
    return None if sys.stderr is None or sys.stderr.isatty() else True


@contextmanager
def _report_stop(folder: Path) -> Iterator[None]:
    """Say what a stopped run has finished, and how to resume it."""
    from primewood.batch.folder import MANIFEST, Folder

    try:
        yield
    except (KeyboardInterrupt, OSError):
        if (folder / MANIFEST).is_file():
            done = Folder(folder).manifest()
            output.talk(
                f"{done.rows:,} rows in {len(done.parts):,} parts are finished and stay in {folder}; "
                "the same call with --resume continues"
            )
        raise


@contextmanager
def _use_cluster(address: str | None) -> Iterator[None]:
    """A context in which rows are explained on a Dask cluster, if one is named."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependency("the setting dask needs distributed: pip install 'primewood[dask]'") from None
    from joblib import parallel_config

    with ExitStack() as stack:
        try:
            stack.enter_context(Client(address, timeout=10))  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as problem:
            raise InvalidInput(f"there is no Dask scheduler at {address}: {problem}") from None
        stack.enter_context(parallel_config(backend="dask"))
        yield
