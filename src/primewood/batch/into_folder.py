"""Explain every row of a file into a folder of parts, so that a stopped run can be resumed.

Each block of rows becomes a part. Parts are written atomically, one after the other, and listed in the manifest. If a
run ends early (Ctrl-C, a full disk, power), its finished parts stay. A resumed run ends with the same bytes as a run
that was never stopped, for all rows that reached no time limit; with `reuse`, if no row reached one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import sha256

import numpy as np

from primewood import __version__
from primewood.batch import part_files
from primewood.batch.answer_records import RecordWriter
from primewood.batch.certificates import pack_certificates
from primewood.batch.explain_rows import Run
from primewood.batch.file_job import FileJob
from primewood.batch.file_result import Written
from primewood.batch.folder import (
    BOXES,
    CERTIFICATES,
    ENSEMBLE,
    BatchQuestion,
    Folder,
    Manifest,
    Part,
    PartFormat,
    part_name,
)
from primewood.batch.progress import show_progress
from primewood.batch.row_explainer import RowExplainer
from primewood.batch.row_result import RowResult
from primewood.batch.sources import Source, open_source
from primewood.ensemble.file import bytes_of
from primewood.errors import InvalidInput
from primewood.files import report_damage
from primewood.model.model import TreeModel
from primewood.questions.explanation import score_together


def explain_into_folder(model: TreeModel, job: FileJob) -> Written:
    """Explain every row of a file into a folder of parts.

    Rows and explanations are not all in memory at once. A row that cannot be read or explained has the status "failed".

    Parameters
    ----------
    model
        The model.
    job
        Its target is a new or empty folder, or with `resume` the folder of a stopped run with the same question. The
        seconds of `batch_limit` are for each run; a resumed run has them again.

    Raises
    ------
    InvalidInput
        If columns are missing, the folder is in use, another run writes to it, or the question has changed.
    OSError
        If a file cannot be written. The finished parts stay, and `resume` continues.
    """
    job.settings.check()
    kind = part_files.check_part_format(job.format or "parquet")
    rows = open_source(job.source, model.context.layout, job.dialect)
    folder = Folder(job.target)
    with folder.lock():
        features = tuple(variable.name for variable in model.context.variables)
        fresh = Manifest(_describe_question(model, rows, job, kind), features)
        begun = folder.begin(fresh, resume=job.resume)
        if job.settings.certificates:
            folder.write(ENSEMBLE, bytes_of(model.certified))
        return _FolderRun(model, job, rows, folder, begun).finish()


class _FolderRun:
    """One run into a folder."""

    def __init__(
        self, model: TreeModel, job: FileJob, source: Source, folder: Folder, manifest: Manifest
    ) -> None:
        self._model, self._job, self._settings = model, job, job.settings
        self._source, self._folder, self._manifest = source, folder, manifest
        self._intact = folder.intact(manifest)
        self._writer = RecordWriter(model.context, in_short=job.settings.in_short)
        self._before = sum(manifest.parts[number].rows for number in self._intact)

    def finish(self) -> Written:
        """Write the remaining parts."""
        if not self._manifest.finished or len(self._intact) < len(self._manifest.parts):
            total = None if self._source.total is None else self._source.total - self._before
            with show_progress(total, self._job.progress) as on_result:
                self._write(Run(self._model, self._settings, self._job.n_jobs, on_result))
        done = self._manifest
        return Written(self._folder.path, done.rows, len(done.parts), self._before)

    def _write(self, run: Run) -> None:
        """Explain the unfinished blocks; with `reuse`, use the explanations of the others."""
        size = self._settings.block
        unfinished = (n for n in range(len(self._manifest.parts) + 1) if n not in self._intact)
        skip = next(unfinished)
        for number in range(skip):
            self._recall(run, number)
        for number, block in enumerate(self._source.blocks(size, skip), skip):
            if number in self._intact:
                self._recall(run, number)
            else:
                self._add_part(number, self._write_part(number, run.explain_block(block, number * size)))
        if self._source.changed:
            raise InvalidInput(
                f"{self._source.path} changed while it was read: begin again in another folder"
            )
        self._manifest = replace(self._manifest, finished=True)
        self._folder.write_manifest(self._manifest)

    def _write_part(self, number: int, results: list[RowResult]) -> Part:
        context, name, kind = self._model.context, part_name(number), self._manifest.question.kind
        explainer = RowExplainer(self._model)
        answers = [explainer.describe(result, self._settings) for result in results]
        score_together(answers)
        records = [self._writer.write(answer) for answer in answers]
        table = part_files.tabulate(results, records, self._manifest.features, context.digest, self._settings)
        decisions = ("",) if self._settings.options.get("within") is not None else context.class_names
        files = {f"{name}.{kind}": part_files.encode_part(table, kind, decisions)}
        if self._settings.reuse:
            files[name + BOXES] = part_files.encode_boxes(results)
        if self._settings.certificates:
            files[name + CERTIFICATES] = pack_certificates(results)
        return self._folder.write_part(
            len(results), files, {f"{name}.timings.jsonl": part_files.encode_timings(results)}
        )

    def _add_part(self, number: int, part: Part) -> None:
        self._manifest = self._manifest.with_part(number, part)
        self._folder.write_manifest(self._manifest)

    def _recall(self, run: Run, number: int) -> None:
        """Read the explanations of a finished block that later blocks reuse."""
        if self._settings.reuse:
            context, name = self._model.context, part_name(number) + BOXES
            with self._folder.open(name) as file, report_damage(self._folder.path / name, "remove it"):
                found = part_files.read_boxes(file.read(), context.variables, len(context.class_names))
                run.known.add(found)


def _describe_question(model: TreeModel, source: Source, job: FileJob, kind: PartFormat) -> BatchQuestion:
    """The question of the batch."""
    settings = job.settings
    context, engines, domain = model.context, model.engines, model.domain
    known = (context.class_names, context.units, context.vote, domain.features, domain.knowledge)
    how = (engines.engine, engines.max_nodes, engines.any_order, domain.assumptions)
    training = None if context.rows is None else _sha256(np.ascontiguousarray(context.rows).tobytes())
    options = json.loads(json.dumps(settings.options, default=_plain))
    return BatchQuestion(
        primewood=__version__,
        model=context.digest,
        training=training,
        reading=_sha256(repr((known, how)).encode()),
        data=source.digest(),
        dialect=asdict(job.dialect),
        kind=kind,
        settings={
            "options": options,
            "time_limit": settings.time_limit,
            "work_limit": settings.work_limit,
            "batch_limit": settings.batch_limit,
            "reuse": settings.reuse,
            "block": settings.block,
            "in_short": settings.in_short,
            "certificates": settings.certificates,
        },
    )


def _plain(option: object) -> object:
    """An option as a JSON type: mappings and collections by their items, other values as they are or as text."""
    if isinstance(option, np.ndarray):
        return _sha256(np.ascontiguousarray(option).tobytes())
    if isinstance(option, Mapping):
        return dict(option)
    if isinstance(option, set | frozenset):
        return sorted(option, key=repr)
    return list(option) if isinstance(option, tuple) else repr(option)


def _sha256(content: bytes) -> str:
    return sha256(content).hexdigest()
