"""The commands about certificates: `export` writes the ensemble that they are about, `confirm` checks one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from primewood.cli import output
from primewood.cli.help import OUTPUT
from primewood.cli.options import Json, ModelFile, ReadingOptions, TrainingFile, question_option

if TYPE_CHECKING:
    from primewood.batch.certificates import ConfirmedBatch
    from primewood.certify.check import Confirmed


def export(
    model: ModelFile,
    rows: TrainingFile = None,
    *,
    reading: ReadingOptions,
    to: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Write the ensemble here, as JSON. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Write the trees of a model as a plain file.

    It contains everything that the decision depends on, every float as it is. Certificates name it by its
    SHA-256, which is printed. With a cut-off, pass the same --threshold as for the explanations: the file contains it.

    Examples
    --------
    primewood export forest.skops -o ensemble.json
    primewood export booster.json -o cut-off.json --threshold 0.37
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import get_ensemble, load_explainer

    output.check_target(to, ".json")
    ensemble = get_ensemble(load_explainer(model, rows, collect_settings(reading, "export")))
    ensemble.save(to)
    output.talk(f"written to {to}")
    record = {"file": str(to), "sha256": ensemble.file_digest}
    output.write_record(record) if as_json else output.write_line(f"{record['sha256']}  {to}")


def confirm(
    ensemble: Annotated[
        Path, typer.Argument(help="What `primewood export` has written.", metavar="ENSEMBLE")
    ],
    certificate: Annotated[
        Path,
        typer.Argument(
            help="A certificate, such as case-17.pwcert, or a folder of `explain -o --certificates`.",
            metavar="CERTIFICATE",
        ),
    ],
    other: Annotated[
        Path | None,
        question_option(
            "--other", help="For a comparison of two models: the second ensemble.", metavar="ENSEMBLE"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate, in exact integers.

    Prints what is confirmed, what it assumes and what it trusts, or the first step that fails. The checker also runs
    without primewood: `python check.py ENSEMBLE CERTIFICATE`. Of a folder, all certificates are checked.

    Exit codes
    ----------
    0  confirmed
    1  not confirmed

    Examples
    --------
    primewood confirm ensemble.json case-17.pwcert
    primewood confirm ensemble.json case-17.pwcert --json
    primewood confirm old.json same.pwcert --other copy.json
    primewood confirm ensemble.json certified
    """
    from primewood.errors import CertificateRejected

    try:
        found = _check(ensemble, certificate, other)
    except CertificateRejected as problem:
        record = {"confirmed": False, "reason": str(problem)}
        output.write_record(record) if as_json else output.write_line(f"Not confirmed: {problem}")
        output.finish(False)
        return
    output.write_answer(found, as_json=as_json)


def _check(ensemble: Path, certificate: Path, other: Path | None) -> Confirmed | ConfirmedBatch:
    """Check a certificate, or all of a folder."""
    if certificate.is_dir():
        from primewood.batch.confirm_folder import confirm_folder

        return confirm_folder(certificate, ensemble)
    from primewood.certify.certificate import confirm as check_certificate

    return check_certificate(ensemble, certificate, other)
