"""Check all certificates of a folder of explanations."""

from __future__ import annotations

from pathlib import Path

from primewood.batch.certificates import COLUMNS, BatchChecker, ConfirmedBatch
from primewood.batch.folder import CERTIFICATES, ENSEMBLE, Folder, part_name
from primewood.batch.part_files import read_columns
from primewood.certify.certificate import read_file
from primewood.errors import InvalidInput
from primewood.files import report_damage


def confirm_folder(folder: Path, ensemble: Path | None = None) -> ConfirmedBatch:
    """Check all certificates of a folder that `explain_file` has written.

    Parameters
    ----------
    folder
    ensemble
        The ensemble file; by default the one in the folder.
    """
    parts = Folder(folder)
    manifest = parts.manifest()
    if not manifest.question.settings.get("certificates"):
        raise InvalidInput(f"{folder} has no certificates; explain with certificates=True (--certificates)")
    checker = BatchChecker(read_file(ensemble or folder / ENSEMBLE))
    for number, part in enumerate(manifest.parts):
        name = part_name(number) + CERTIFICATES
        with parts.open(name) as archive, report_damage(folder / name, "resume (--resume) makes it again"):
            checker.check_part(archive, read_columns(parts, part, COLUMNS))
    return ConfirmedBatch(folder, manifest.rows, checker.confirmed, checker.taken_over, checker.without)
