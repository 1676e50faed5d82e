"""The job of explaining a file of rows: where the explanations go, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from primewood.batch.folder import PartFormat
from primewood.batch.settings import Settings
from primewood.tables.files import Dialect


@dataclass(frozen=True)
class FileJob:
    """A file whose rows are all explained.

    Attributes
    ----------
    source : str or Path
        A CSV file with a header, a file of JSON lines (.jsonl), a Parquet file (.parquet) or an Excel workbook (.xlsx),
        with the model's columns.
    target : str or Path
        Where the explanations go: a folder of parts, or one .csv, .xlsx, .parquet or .jsonl file.
    settings : Settings
        How rows are explained.
    format : {"parquet", "jsonl"} or None
        For a folder: the format of parts; None for Parquet.
    n_jobs, progress
        As for a call of the explainer with rows.
    resume : bool
        For a folder: whether to continue what an earlier run has begun.
    dialect : Dialect
        How the source is written.
    identity : str or None
        For one file: a column of the source that is copied, which identifies the rows.
    """

    source: str | Path
    target: str | Path
    settings: Settings = field(default_factory=Settings)
    format: PartFormat | None = None
    n_jobs: int | None = None
    resume: bool = False
    progress: bool | None = None
    dialect: Dialect = field(default_factory=Dialect)
    identity: str | None = None
