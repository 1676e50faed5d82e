"""Explain every row of a file: into a folder of parts, or into one file."""

from __future__ import annotations

from primewood.batch.file_job import FileJob
from primewood.batch.file_result import Written
from primewood.batch.into_folder import explain_into_folder
from primewood.batch.into_one_file import explain_into_one_file, is_one_file
from primewood.errors import InvalidInput
from primewood.model.model import TreeModel


def explain_file(model: TreeModel, job: FileJob) -> Written:
    """Explain every row of a file, into one file or a folder, depending on the name of the target.

    Raises
    ------
    InvalidInput
        If the job has an option of the other kind of target, or as the two ways raise it.
    OSError
        If a file cannot be written.
    """
    if is_one_file(job.target):
        if job.resume or job.format is not None:
            raise InvalidInput(f"resume and format are for a folder of parts; {job.target} is one file")
        return explain_into_one_file(model, job)
    if job.identity is not None:
        raise InvalidInput("identity is for one .csv, .xlsx, .parquet or .jsonl file")
    return explain_into_folder(model, job)
