"""Many rows at once: on many cores, or on many machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from primewood.arguments import clock_of
from primewood.batch.batch import Batch
from primewood.batch.failed import Failed
from primewood.batch.folder import Kind
from primewood.batch.progress import watching
from primewood.batch.run import BLOCK, Result, Run, Settings
from primewood.batch.to_files import Written, explain_file
from primewood.batch.to_one_file import explain_into_one_file, is_one_file
from primewood.errors import InvalidInput
from primewood.explainer.asking import bind, called
from primewood.explainer.why import AsksWhy
from primewood.questions.best import given
from primewood.questions.explanation import Explanation
from primewood.questions.witnesses import witness_finder
from primewood.tables.files import Dialect
from primewood.tables.rows import Reading, read_rows, tell


class AsksMany(AsksWhy):
    """Asks why for every row of a table."""

    @called("explainer")
    def __call__(
        self,
        X: Any,
        *,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Batch:
        """One explanation per row of a frame or an array, in its order and with its index.

        Rows that the model cannot tell apart are explained once. The answers do not depend on `n_jobs` (as long as no
        limit of time comes in between).

        Parameters
        ----------
        X
            The rows.
        n_jobs
            How many rows are worked on at a time, in threads; -1 for as many as there are cores. Under
            ``joblib.parallel_config(backend="dask")`` they are shared out on the cluster.
        time_limit, work_limit
            Per row, as for `explain`.
        batch_limit
            Seconds for all rows together. When they are over, the rows that are left have an explanation that is not
            proved prime, and their status says so.
        reuse
            Whether a row inside the explanation of another row, with the same decision, takes that over: it is a
            PI-explanation of both. A note says so. Rows are then explained together with others near them (`also`
            of `explain`), so that their explanations cover many, and mention more features.
        progress
            Whether to show how far it is, when it takes more than a second: a live line on a terminal or in a notebook,
            elsewhere lines on stderr now and then. By default what the explainer says.
        options
            As for `explain`, the same for every row.
        """
        reading = self._reading_of(X)
        self._check_domain("X", reading.rows)
        settings = self._settings(options, time_limit, work_limit, batch_limit, reuse)
        return Batch.of(list(self._explained(reading, settings, n_jobs, progress)), X, self._context)

    @called("stream")
    def stream(
        self,
        X: Any,
        *,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Iterator[Explanation | Failed]:
        """The explanations of many rows one by one, as their blocks are finished; nothing keeps them.

        The parameters are those of a call for all of them. A row that cannot be explained, because it is outside the
        domain, is `Failed` instead of an error.
        """
        settings = self._settings(options, time_limit, work_limit, batch_limit, reuse)
        return self._explained(self._reading_of(X), settings, n_jobs, progress)

    @called("explain_file")
    def explain_file(
        self,
        source: str | Path,
        folder: str | Path,
        *,
        format: Kind | None = None,  # noqa: A002
        identity: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
        part_rows: int = BLOCK,
        resume: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
        batch_limit: float | None = None,
        reuse: bool = False,
        progress: bool | None = None,
        **options: Any,
    ) -> Written:
        """Explain every row of a file into a folder of parts, or into one .csv, .xlsx, .parquet or .jsonl file.

        Neither the file nor the explanations are held. Parts appear whole, and a run that was stopped can be resumed;
        one file appears when all rows are explained. `primewood.overview` says what parts have in common.

        Parameters
        ----------
        source
            A CSV file with a header, a Parquet file, JSON lines or an Excel workbook, with the model's columns.
        folder
            Where the parts go: a new or empty folder; with `resume`, that of a run that was stopped. A name that ends
            with .csv, .xlsx, .parquet or .jsonl is one file with a line per row.
        format
            What parts are written as: "parquet" (the default) or "jsonl".
        identity
            For one file: a column of `source` to copy, so that rows can be told by it.
        sheet
            Which sheet of a workbook; the first by default.
        decimal
            "." or ",": the decimal mark of a CSV file with semicolons or tabs; by default it is found.
        part_rows
            How many rows a part has. All rows of a part are explained before the next one is begun, so for many
            machines let it be some dozen times the number of cores; with `reuse`, whose rounds have at least a 64th of
            it, some hundred times.
        resume
            Whether to go on with what an earlier run has begun. It must have been asked the same.
        n_jobs, time_limit, work_limit, batch_limit, reuse, progress, options
            As for a call for rows in memory.
        """
        settings = self._settings(options, time_limit, work_limit, batch_limit, reuse, part_rows)
        if is_one_file(folder):
            if resume or format is not None:
                raise InvalidInput(f"resume and format are for a folder of parts; {folder} is one file")
            return explain_into_one_file(
                self,
                source,
                folder,
                settings,
                n_jobs=n_jobs,
                progress=progress,
                dialect=Dialect(sheet, decimal),
                identity=identity,
            ).written
        if identity is not None:
            raise InvalidInput("identity is for one .csv, .xlsx, .parquet or .jsonl file")
        return explain_file(
            self,
            source,
            folder,
            settings,
            format=format or "parquet",
            n_jobs=n_jobs,
            resume=resume,
            progress=progress,
            dialect=Dialect(sheet, decimal),
        )

    def _settings(self, options: dict[str, Any], *limits: Any) -> Settings:
        """The settings of a batch, with options that can be read once per row; raises for those that there are not."""
        lists = ("fix", "avoid", "only", "order")
        kept = {
            name: tuple(x) if name in lists and isinstance(x, Iterator) else x for name, x in options.items()
        }
        bind("explain", signature(self.explain), (None,), kept)
        kept["literals"] = self._language(options.get("literals"))
        if kept.get("also") is not None:
            kept["also"] = self._reading_of(kept["also"], "also").rows
        settings = Settings(kept, *limits)
        clock_of(settings.time_limit, settings.work_limit)
        settings.check()
        return settings

    def _reading_of(self, X: Any, source: str = "X") -> Reading:
        """The rows of a table; what is to be noted about its columns is told once, about its rows on their answers."""
        self._check_rows("batches")
        reading = read_rows(X, self._context.layout, source=source)
        tell(reading.notes)
        return reading

    def _explained(
        self, reading: Reading, settings: Settings, n_jobs: int | None, progress: bool | None
    ) -> Iterator[Explanation | Failed]:
        rows = reading.rows
        with watching(len(rows), self.progress if progress is None else progress) as watcher:
            run = Run(self, settings, n_jobs, watcher)
            size = settings.block
            for results in run.blocks(rows[k : k + size] for k in range(0, len(rows), size)):
                for result in results:
                    yield self.stated(result, settings, reading.row_notes.get(result.place, ()))

    def stated(
        self, result: Result, settings: Settings, row_notes: tuple[str, ...] = ()
    ) -> Explanation | Failed:
        """The explanation that came of a row of a batch, with notes about the row."""
        options, outcome = settings.options, result.outcome
        literals = settings.literals
        if outcome.box is None:
            return Failed(outcome.problem, tuple(result.row.tolist()), literals, self._context)
        within = options.get("within")
        asked = self._serving(result.row) if result.elsewhere else self
        asked = asked if within is None else asked.around(result.row, within)
        point = asked._context.read(result.row)[1]
        label = asked._engines.decide(point) if within is not None else int(result.label or 0)
        fixed = asked._places("fix", options.get("fix", ()))
        question = asked._question(result.row, point, label, literals, fixed=fixed)
        box, notes = outcome.box, outcome.notes
        if result.source is not None:
            notes = (*given(question.notes, asked._subject.variables, fixed), *notes)
        return replace(
            question.explanation(box),
            status=outcome.status,
            notes=(*row_notes, *notes),
            queries=outcome.queries,
            goal=outcome.goal,
            bounds=outcome.bounds,
            find_witnesses=witness_finder(asked._context, asked._engines, label, result.row, point, box),
        )
