"""The command that finds rules in the training rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from primewood.cli import output
from primewood.cli.help import OUTPUT
from primewood.cli.options import Json, ModelFile, ReadingOptions

if TYPE_CHECKING:
    from primewood.domain.mined import MinedKnowledge


def knowledge(
    model: ModelFile,
    rows: Annotated[
        Path,
        typer.Argument(help="Training rows: CSV, JSON, Parquet, .xlsx, or - for stdin.", metavar="ROWS"),
    ],
    *,
    reading: ReadingOptions,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the rules here as constraints, one per line, for --settings. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find rules about two features that no training row breaks.

    Prints each rule with the number of training rows that its premise matches, and the estimated share of new rows
    that break one. `--set knowledge=data` lets other commands assume all of them.

    Examples
    --------
    primewood knowledge forest.skops train.csv
    primewood knowledge forest.skops train.csv -o rules.toml
    primewood knowledge booster.json train.csv --json
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer

    output.check_target(to, ".toml")
    found = load_explainer(model, rows, collect_settings(reading, "knowledge"), knowledge="data").knowledge
    assert found is not None
    if to is not None:
        _write_settings(found, to)
        output.talk(f"written to {to}")
    output.write_answer(found, as_json=as_json)


def _write_settings(found: MinedKnowledge, to: Path) -> None:
    """Write the rules as a settings file."""
    from primewood.files import write_whole

    lines = [f"  {json.dumps(text)},\n" for text in found.texts]
    content = f"# {len(found)} rules found in {found.rows} training rows; {found.risk}.\nconstraints = [\n"
    write_whole(to, lambda file: file.write("".join([content, *lines, "]\n"]).encode()))
